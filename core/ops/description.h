// SPDX-License-Identifier: Apache-2.0
// What is known of operators without knowing them: their attributes by name, type and range, as they are described in
// core/ops/described. One interpreter over these tables writes texts and keys, reads texts and structs of the C API, and checks
// ranges. Shape rules are the operators' own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/base/status.h"
#include "core/ops/generated/enums.h"
#include "core/tensor/dim.h"

namespace anydim {

class Operator;
using OperatorPtr = std::shared_ptr<const Operator>;

enum class AttributeType : uint8_t {
  flag,         // bool
  integer,      // int64_t
  real,         // float
  wide,         // double
  dtype,        // DType
  word,         // an enum of generated/enums.h, one byte
  spatial,      // int32_t: how many entries of each per_spatial list count
  per_spatial,  // int64_t[3]
  integers,     // RankArray<int64_t>
  perm,         // Perm
  reals,        // std::vector<float>
  dim,          // Dim
  dims,         // SymDims
  dim_list,     // std::vector<Dim>
};

struct AttributeField {
  uint16_t name_place;
  uint16_t offset;  // in the operator's Attributes
  AttributeType type;
  uint8_t more;      // word: its list; per_spatial: the field that has how many; reals: the most there may be
  bool required;     // has no default where an operator is written as text
  uint8_t decider;   // 1 + the field that decides whether this one counts; 0: it always does
  uint64_t counted;  // by a bit for each value of the decider
  int64_t min, max;  // INT64_MIN, INT64_MAX: no limit

  const char* name() const noexcept;
  template <class T> const T& in(const void* attributes) const noexcept {
    return *reinterpret_cast<const T*>(static_cast<const char*>(attributes) + offset);
  }
  template <class T> T& in(void* attributes) const noexcept { return *reinterpret_cast<T*>(static_cast<char*>(attributes) + offset); }
};

// A kind that is none has no attributes and the name "unknown".
const char* op_name(OpKind kind) noexcept;
std::span<const AttributeField> attributes_of(OpKind kind) noexcept;
bool has_trait(OpKind kind, Trait trait) noexcept;
// False if there is no operator of this name.
bool find_operator(std::string_view name, OpKind* out) noexcept;

// Does the field count, given those before it?
inline bool counts(const AttributeField& field, std::span<const AttributeField> all, const void* attributes) noexcept {
  if (field.decider == 0) return true;
  const unsigned value = all[field.decider - 1u].in<uint8_t>(attributes);  // a flag or a word: one byte
  return value < 64 && (field.counted >> value & 1) != 0;
}
// The entries of a per_spatial list that count, at most three whatever `attributes` holds.
inline std::span<const int64_t> per_spatial(const AttributeField& field, std::span<const AttributeField> all,
                                            const void* attributes) noexcept {
  const int n = all[field.more].in<int32_t>(attributes);
  return {&field.in<int64_t>(attributes), static_cast<size_t>(n < 0 ? 0 : n > 3 ? 3 : n)};
}

// The words of a field of type word.
int word_count(const AttributeField& field) noexcept;
const char* word_name(const AttributeField& field, int value) noexcept;  // "unknown" for a value that is none

const char* word_in(uint8_t list, unsigned value) noexcept;
// The word of an enum's value, as it stands in texts, logs and the C API's names.
template <class E> const char* word_of(E value) noexcept { return word_in(word_list(value), static_cast<unsigned>(value)); }

// Makes an operator from attributes that `fill` sets, over their defaults.
using FillAttributes = Status (*)(void* context, void* attributes);
Result<OperatorPtr> make_operator(OpKind kind, FillAttributes fill, void* context);

// Are numbers and words within their ranges? Dims that are expressions are not looked at. What counts only with another attribute is
// looked at only then.
Status check_attributes(OpKind kind, const void* attributes);

// Attributes that may be dims of a run, in their order, into room for `most`; how many there are.
int collect_dims(OpKind kind, const void* attributes, Dim* out, int most) noexcept;
// Other values for them.
void assign_dims(OpKind kind, void* attributes, std::span<const Dim> dims) noexcept;

}  // namespace anydim
