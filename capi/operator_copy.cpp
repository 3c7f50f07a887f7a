// SPDX-License-Identifier: Apache-2.0
// Operators of the core as structs of the C API, for programs that compute them: read_operator() the other way round.
#include <cstddef>
#include <cstring>

#include "capi/objects.h"
#include "capi/operator_structs.h"

namespace anydim::capi {

namespace {

template <class T> void write(void* to, uint16_t offset, const T& value) noexcept {
  std::memcpy(static_cast<char*>(to) + offset, &value, sizeof(T));
}

template <class Array> void write_dims(void* to, uint16_t offset, const Array& list) noexcept { write(to, offset, dims_of(list)); }

// read_field() the other way round.
void write_field(const AttributeField& f, const void* at, void* to, uint16_t offset, std::vector<std::vector<int64_t>>* lists) {
  const auto number = [](const Dim& d) { return d.is_number() ? d.number() : 0; };
  switch (f.type) {
    case AttributeType::dtype: write(to, offset, static_cast<int32_t>(f.in<DType>(at))); break;
    case AttributeType::flag:
    case AttributeType::word: write(to, offset, int32_t{f.in<uint8_t>(at)}); break;  // of one byte each
    case AttributeType::spatial: write(to, offset, f.in<int32_t>(at)); break;
    case AttributeType::integer: write(to, offset, f.in<int64_t>(at)); break;
    case AttributeType::real: write(to, offset, f.in<float>(at)); break;
    case AttributeType::wide: write(to, offset, f.in<double>(at)); break;
    case AttributeType::per_spatial: write(to, offset, reinterpret_cast<const int64_t(&)[ANYDIM_MAX_SPATIAL]>(f.in<int64_t>(at))); break;
    case AttributeType::integers: write_dims(to, offset, f.in<RankArray<int64_t>>(at)); break;
    case AttributeType::perm: write_dims(to, offset, f.in<Perm>(at)); break;
    case AttributeType::reals: {
      const auto& list = f.in<std::vector<float>>(at);
      write(to, offset, static_cast<int32_t>(list.size()));
      std::memcpy(static_cast<char*>(to) + offset + offsetof(anydim_reals_t, values), list.data(), list.size() * sizeof(float));
      break;
    }
    case AttributeType::dim: write(to, offset, number(f.in<Dim>(at))); break;
    case AttributeType::dims: {
      RankArray<int64_t> numbers;
      for (const Dim& d : f.in<SymDims>(at)) numbers.push_back(number(d));
      write_dims(to, offset, numbers);
      break;
    }
    case AttributeType::dim_list: {
      std::vector<int64_t>& numbers = lists->emplace_back();
      for (const Dim& d : f.in<std::vector<Dim>>(at)) numbers.push_back(number(d));
      write(to, offset, static_cast<const int64_t*>(numbers.data()));
      write(to, static_cast<uint16_t>(offset + sizeof(int64_t*)), static_cast<int64_t>(numbers.size()));
      break;
    }
  }
}

}  // namespace

OperatorCopy::OperatorCopy(const Operator& op) {
  const OperatorStruct& known = kOperatorStructs[static_cast<int>(op.kind()) - 1];
  struct_.resize((known.size + sizeof(int64_t) - 1) / sizeof(int64_t));
  write(struct_.data(), 0, anydim_op_t{known.size, static_cast<anydim_op_kind_t>(op.kind())});
  const uint16_t* offset = kStructOffsets + known.first;
  for (const AttributeField& f : attributes_of(op.kind())) write_field(f, op.attribute_data(), struct_.data(), *offset++, &lists_);
}

}  // namespace anydim::capi
