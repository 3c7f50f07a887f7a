// SPDX-License-Identifier: Apache-2.0
// Attributes of one operator as `name=value` words, and the questions that text.cpp asks of them. The first wrong answer is
// kept and becomes the result; an attribute that nobody asked for is refused.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/ops/op.h"
#include "core/ops/text.h"

namespace anydim {

class AttributeReader {
 public:
  AttributeReader(OpKind kind, ReadDims read_dims, void* context) : kind_(kind), read_dims_(read_dims), context_(context) {}
  // Words from `from` on; places are counted in bytes of `text`. Blanks within [] part no words.
  Status split(std::string_view text, size_t from);
  // Into the operator's attributes, over their defaults.
  Status read(void* attributes);

 private:
  struct Field {
    std::string_view name, value;
    size_t place = 0;
    bool used = false;
  };
  const char* op() const noexcept { return op_name(kind_); }
  const Field* find(std::string_view name);
  void refuse(std::string_view name, std::string_view expected);
  void read(const AttributeField& f, std::span<const AttributeField> all, void* at);
  static std::string words(const AttributeField& f);
  int64_t number(const AttributeField& f, int64_t otherwise);
  std::vector<int64_t> list(const AttributeField& f, size_t most);
  std::vector<Dim> dims(const AttributeField& f, size_t most);
  void read_per_spatial(const AttributeField& f, std::span<const AttributeField> all, void* at);
  void check_used();

  OpKind kind_;
  ReadDims read_dims_;
  void* context_;
  std::vector<Field> fields_;
  int spatial_ = 0;  // entries of the per_spatial lists before; 0: not known yet
  Status bad_;
};

}  // namespace anydim
