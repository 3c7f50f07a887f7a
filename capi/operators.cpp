// SPDX-License-Identifier: Apache-2.0
// Operator structs of the C API as operators of the core: one interpreter over the description of their attributes. What an
// attribute means and whether it is valid is the operator's own business (core/ops).
#include <cstring>

#include "capi/objects.h"
#include "capi/operator_structs.h"
#include "capi/shim_support.h"
#include "core/ops/op.h"

namespace anydim::capi {

namespace {

// A struct of a caller, as large as it says.
struct Source {
  const anydim_op_t* op;
  const uint16_t* offsets;
  OpKind kind;
  int rank;  // of the tensor whose axes an axis counts; -1 if it is unknown

  // False where the caller's struct ends before: the default stays.
  template <class T> bool read(uint16_t offset, T* to) const noexcept {
    if (offset + sizeof(T) > op->size) return false;
    std::memcpy(to, reinterpret_cast<const char*>(op) + offset, sizeof(T));
    return true;
  }
};

// The core's operators count axes from 0, but for those that take negative ones themselves.
int64_t from_front(const Source& from, const AttributeField& f, int64_t value) noexcept {
  const bool counted = value < 0 && value + from.rank >= 0 && f.min == 0 && std::strcmp(f.name(), "axis") == 0;
  return counted ? value + from.rank : value;
}

Status check_number(const AttributeField& f, int64_t value) {
  if (value >= f.min && value <= f.max) return {};
  return invalid("{} is {}; expected {}..{}", f.name(), value, f.min, f.max).about(formatted("op.{}", f.name()));
}

// A short list: of whole numbers (rank) or reals (count).
Status check_list(const AttributeField& f, const char* part, int32_t count, int most) {
  if (count >= 0 && count <= most) return {};
  return invalid("{}.{} is {}; expected 0..{}", f.name(), part, count, most).about(formatted("op.{}.{}", f.name(), part));
}

template <class T> Status read_dims(const Source& from, const AttributeField& f, uint16_t offset, RankArray<T>* to) {
  anydim_dims_t list;
  if (!from.read(offset, &list)) return {};
  ANYDIM_TRY(check_list(f, "rank", list.rank, kMaxRank));
  *to = {};
  for (int i = 0; i < list.rank; ++i) {
    const auto value = static_cast<T>(list.values[i]);
    // The one list of numbers below 64 bits is a permutation, which has no use for larger ones.
    if constexpr (sizeof(T) < sizeof(int64_t))
      if (value != list.values[i])
        return invalid("{}[{}] is {}; expected 0..{}", f.name(), i, list.values[i], list.rank - 1)
            .about(formatted("op.{}[{}]", f.name(), i));
    to->push_back(value);
  }
  return {};
}

Status read_reals(const Source& from, const AttributeField& f, uint16_t offset, std::vector<float>* to) {
  anydim_reals_t list;
  if (!from.read(offset, &list)) return {};
  ANYDIM_TRY(check_list(f, "count", list.count, f.more));
  to->assign(list.values, list.values + list.count);
  return {};
}

// A pointer and, behind it, a number.
Status read_numbers(const Source& from, const AttributeField& f, uint16_t offset, std::vector<Dim>* to) {
  const int64_t* values = nullptr;
  int64_t count = 0;
  if (!from.read(offset, &values) || !from.read(static_cast<uint16_t>(offset + sizeof(values)), &count)) return {};
  std::span<const int64_t> read;
  ANYDIM_TRY(read_array(values, count, formatted("op.{}", f.name()).c_str(), false, &read));
  to->assign(read.begin(), read.end());
  return {};
}

Status read_field(const Source& from, const AttributeField& f, uint16_t offset, void* at) {
  int32_t small = 0;
  int64_t large = 0;
  switch (f.type) {
    case AttributeType::flag:
      if (from.read(offset, &small)) f.in<bool>(at) = small != 0;
      return {};
    case AttributeType::dtype:
      if (!from.read(offset, &small)) return {};
      ANYDIM_TRY(check_number(f, small));
      f.in<DType>(at) = static_cast<DType>(small);
      return {};
    case AttributeType::word:
      if (!from.read(offset, &small)) return {};
      ANYDIM_TRY(check_number(f, small));
      f.in<uint8_t>(at) = static_cast<uint8_t>(small);
      return {};
    case AttributeType::spatial: return from.read(offset, &f.in<int32_t>(at)) ? check_number(f, f.in<int32_t>(at)) : Status();
    case AttributeType::integer:
      if (from.read(offset, &large)) f.in<int64_t>(at) = from_front(from, f, large);
      return {};
    case AttributeType::real: from.read(offset, &f.in<float>(at)); return {};
    case AttributeType::wide: from.read(offset, &f.in<double>(at)); return {};
    case AttributeType::per_spatial: from.read(offset, reinterpret_cast<int64_t(*)[ANYDIM_MAX_SPATIAL]>(&f.in<int64_t>(at))); return {};
    case AttributeType::integers: return read_dims(from, f, offset, &f.in<RankArray<int64_t>>(at));
    case AttributeType::perm: return read_dims(from, f, offset, &f.in<Perm>(at));
    case AttributeType::reals: return read_reals(from, f, offset, &f.in<std::vector<float>>(at));
    case AttributeType::dim:
      if (from.read(offset, &large)) f.in<Dim>(at) = from_front(from, f, large);
      return {};
    case AttributeType::dims: {
      RankArray<int64_t> numbers;
      ANYDIM_TRY(read_dims(from, f, offset, &numbers));
      f.in<SymDims>(at) = {};
      for (const int64_t v : numbers) f.in<SymDims>(at).push_back(v);
      return {};
    }
    case AttributeType::dim_list: return read_numbers(from, f, offset, &f.in<std::vector<Dim>>(at));
  }
  return {};
}

Status fill(void* context, void* attributes) {
  const auto& from = *static_cast<const Source*>(context);
  const uint16_t* offset = from.offsets;
  for (const AttributeField& f : attributes_of(from.kind)) ANYDIM_TRY(read_field(from, f, *offset++, attributes));
  return {};
}

}  // namespace

int rank_of_first(std::span<DescObject* const> inputs, std::span<const TensorView> constants, std::span<const int32_t> operands) noexcept {
  if (!constants.empty() && !operands.empty() && operands[0] == 0) return constants[0].dims.rank;
  return inputs.empty() || inputs[0] == nullptr ? -1 : inputs[0]->descriptor.dims.rank;
}

Status read_operator(const anydim_op_t* op, int rank, OperatorPtr* out) {
  ANYDIM_TRY(require(op, "op"));
  if (op->kind < 1 || op->kind >= static_cast<int32_t>(OpKind::count_))
    return invalid("op.kind is {}; expected one of ANYDIM_OP_*, as an _INIT value sets it", op->kind).about("op.kind");
  const OperatorStruct& known = kOperatorStructs[op->kind - 1];
  Source from{op, kStructOffsets + known.first, static_cast<OpKind>(op->kind), rank};
  if (from.kind == OpKind::one_hot && rank >= 0) ++from.rank;  // it counts the axes of its output
  ANYDIM_TRY(check_struct_size(op, op->size, known.size, op_name(from.kind)));
  Result<OperatorPtr> made = make_operator(from.kind, fill, &from);
  if (!made.ok()) return made.take_status().at(op_name(from.kind)).about("op");
  *out = std::move(*made);
  return {};
}

}  // namespace anydim::capi
