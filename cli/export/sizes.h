// SPDX-License-Identifier: Apache-2.0
// Sizes that follow from the dims of a call, as lines of C: each that is asked for gets a slot, in the order in which they are computed.
// Throws Unsupported for one without a bound.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli/export/program.h"

namespace anydim_cli::exporting {

class SizeCode {
 public:
  explicit SizeCode(const Program& program) : p_(program) {}

  // A number as it is, if it is not negative and small; else the slot that holds it, as -1 - slot.
  int reference(Dim d);
  // "12" or "s[3]".
  std::string value(Dim d);

  // The dims that a caller chooses: members of a struct.
  struct Field {
    std::string name, text;
    int size;
  };
  const std::vector<Field>& fields();

  int slots() const { return slots_; }
  // The lines so far, of the sizes that follow from a call's dims; floor_div() is among them if `divides`.
  std::string code() const { return code_.count(0) == 0 ? "  s[0] = 0;\n" : code_.at(0); }
  // Of those that a body's runs find (Size::block), from its elements: variables e<size>.
  std::string code_of_block(int block) const { return code_.count(block) == 0 ? "" : code_.at(block); }
  bool reads(int size) const { return elements_.count(size) > 0; }
  bool divides() const { return divides_; }

 private:
  int slot(Dim d);
  std::string expression(const Size& s, int number);
  std::string quotient(const Size& s, const std::string& a, const std::string& b);
  std::string symbol(const Size& s, int number);

  const Program& p_;
  std::map<int, std::string> code_;  // by block
  std::set<int> elements_;
  int slots_ = 0;
  bool divides_ = false, fields_known_ = false;
  std::map<int64_t, int> literal_slots_;
  std::map<int, int> size_slots_;
  std::vector<Field> fields_;
};

}  // namespace anydim_cli::exporting
