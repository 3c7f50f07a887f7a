// SPDX-License-Identifier: Apache-2.0
// A body of a branch or loop becomes part of the program around it: its sizes are written with that one's, its buffers, tensors and steps
// get that one's numbers. So nothing of a body is left to be found in a run but what follows from its data.
#pragma once

#include <string>
#include <vector>

#include "cli/export/program.h"

namespace anydim_cli::exporting {

class Merge {
 public:
  // Sizes that follow from data within the body get `block`.
  Merge(Program& outer, const Program& inner, int block);

  // What a symbol of the body is; false: it is something else already, or no symbol.
  bool give(Dim inner, Dim outer);
  // A symbol that each run of the body finds, in [least, most] at most.
  Dim found(Dim inner, int64_t least, int64_t most);
  bool knows(Dim inner) const { return inner.is_number() || known_[static_cast<size_t>(inner.size)] != 0; }
  Dim dim(Dim inner);
  std::vector<Dim> dims(const std::vector<Dim>& inner);

  // Buffers first, then tensors, then steps.
  int add_buffers();
  void add_tensors();
  std::vector<Step> steps();
  int first_buffer() const { return first_buffer_; }
  int first_tensor() const { return first_tensor_; }

 private:
  std::string text(const std::string& attributes);

  Program& outer_;
  const Program& inner_;
  const int block_;
  int first_buffer_ = 0, first_tensor_ = 0;
  std::vector<Dim> map_;
  std::vector<char> known_;
};

}  // namespace anydim_cli::exporting
