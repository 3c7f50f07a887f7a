// SPDX-License-Identifier: Apache-2.0
// Attributes of one operator as `name=value` words, and the questions that text.cpp asks of them. The first wrong answer is
// kept and becomes the result; an attribute that nobody asked for is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/ops/op.h"
#include "core/tensor/dim.h"

namespace anydim {

class AttributeReader {
 public:
  explicit AttributeReader(const char* op) : op_(op) {}
  Status split(std::string_view text, size_t from);  // text: from the operator's name on, for places

  bool has(std::string_view name) const;
  std::string_view text(std::string_view name);
  int64_t number(std::string_view name, int64_t otherwise);
  int small(std::string_view name, int otherwise);  // fits int
  bool flag(std::string_view name, bool otherwise);
  float real(std::string_view name, double otherwise);
  double wide(std::string_view name, double otherwise);
  DType dtype(std::string_view name, DType otherwise);
  // Index of the word in `words`; `otherwise` < 0: it must be there.
  template <size_t n> int word(std::string_view name, const char* const (&words)[n], int otherwise) {
    return word_of(name, {words, n}, otherwise);
  }
  std::vector<int64_t> list(std::string_view name);  // empty if it is not there
  std::vector<float> reals(std::string_view name);
  SymDims dims(std::string_view name);  // at most kMaxRank
  // Into a fixed array; *count is the number of entries of all such lists (0: not known yet). False if it is not there.
  template <size_t n> bool fixed(std::string_view name, int64_t (&to)[n], int* count) {
    return fixed_into(name, to, static_cast<int>(n), count);
  }

  void refuse(std::string_view name, std::string_view expected);

  // What `make` gives, or the first thing that was wrong.
  template <class F> Result<OperatorPtr> made(F make) {
    check_used();
    if (!bad_.ok()) return std::move(bad_);
    return make();
  }

 private:
  struct Field {
    std::string_view name, value;
    size_t place = 0;
    bool used = false;
  };
  const Field* find(std::string_view name);
  int word_of(std::string_view name, std::span<const char* const> words, int otherwise);
  bool fixed_into(std::string_view name, int64_t* to, int room, int* count);
  void check_used();

  const char* op_;
  std::vector<Field> fields_;
  Status bad_;
};

}  // namespace anydim
