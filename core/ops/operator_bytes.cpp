// SPDX-License-Identifier: Apache-2.0
// Operators as bytes; see operator_bytes.h. A kind, then each attribute that counts as its value, with a length where that varies.
// Which attributes count follows from those before, so no sequence of bytes reads as two operators.
#include "core/ops/operator_bytes.h"

#include <vector>

namespace anydim {

namespace {

template <class T> void append_list(KeyBytes* key, std::span<const T> values) {
  append_number(key, static_cast<uint32_t>(values.size()));
  key->append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
}

template <class T> std::span<const T> in_place(const RankArray<T>& a) { return {a.begin(), a.end()}; }

// False if one is symbolic.
bool append_dims(KeyBytes* key, std::span<const Dim> dims) {
  append_number(key, static_cast<uint32_t>(dims.size()));
  bool numbers = true;
  for (const Dim& d : dims) {
    numbers = numbers && d.is_number();
    append_number(key, d.number());
  }
  return numbers;
}

bool append_attribute(KeyBytes* key, const AttributeField& f, std::span<const AttributeField> all, const void* at) {
  switch (f.type) {
    case AttributeType::flag: append_number(key, f.in<bool>(at)); break;
    case AttributeType::integer: append_number(key, f.in<int64_t>(at)); break;
    case AttributeType::real: append_number(key, f.in<float>(at)); break;
    case AttributeType::wide: append_number(key, f.in<double>(at)); break;
    case AttributeType::dtype: append_number(key, f.in<DType>(at)); break;
    case AttributeType::word: append_number(key, f.in<uint8_t>(at)); break;
    case AttributeType::spatial: break;  // the lists determine it
    case AttributeType::per_spatial: append_list(key, per_spatial(f, all, at)); break;
    case AttributeType::integers: append_list(key, in_place(f.in<RankArray<int64_t>>(at))); break;
    case AttributeType::perm: append_list(key, in_place(f.in<Perm>(at))); break;
    case AttributeType::reals: append_list(key, std::span<const float>(f.in<std::vector<float>>(at))); break;
    case AttributeType::dim: return append_dims(key, {&f.in<Dim>(at), 1});
    case AttributeType::dims: return append_dims(key, in_place(f.in<SymDims>(at)));
    case AttributeType::dim_list: return append_dims(key, f.in<std::vector<Dim>>(at));
  }
  return true;
}

}  // namespace

bool append_operator(KeyBytes* key, const Operator& op) {
  append_number(key, op.kind());
  const std::span<const AttributeField> all = attributes_of(op.kind());
  bool numbers = true;
  for (const AttributeField& f : all)
    if (counts(f, all, op.attribute_data())) numbers = append_attribute(key, f, all, op.attribute_data()) && numbers;
  key->push_back('\0');
  return numbers;
}

}  // namespace anydim
