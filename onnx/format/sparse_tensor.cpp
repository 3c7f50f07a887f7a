// SPDX-License-Identifier: Apache-2.0
// Sparse tensors of a model file become dense constants: no kernel computes on sparse ones.
#include <cstring>

#include "onnx/format/tensor_data.h"

namespace anydim::onnx {
namespace {

// A few bytes of a file can describe a tensor of any size.
constexpr int64_t kLargestDense = int64_t{256} << 20;

// The row-major index of the element that entry `at` is for; -1: it is out of the dims.
int64_t index_of(const TensorValue& indices, int64_t at, const Dims& dims, int64_t count) {
  const int64_t* const i = indices.as<int64_t>();
  if (indices.dims.rank == 1) return i[at] >= 0 && i[at] < count ? i[at] : -1;
  int64_t flat = 0;
  for (int axis = 0; axis < dims.rank; ++axis) {
    const int64_t along = i[at * dims.rank + axis];
    if (along < 0 || along >= dims[axis]) return -1;
    flat = flat * dims[axis] + along;
  }
  return flat;
}

}  // namespace

Result<ConstantPtr> read_sparse_tensor(const SparseTensorProto& t, const Bytes& model, ExternalData* external) {
  Result<TensorValue> values = read_tensor(t.values, model, external);
  if (!values.ok()) return std::move(values.status()).at("the values of a sparse tensor");
  Result<TensorValue> indices = read_tensor(t.indices, model, external);
  if (!indices.ok()) return std::move(indices.status()).at("the indices of a sparse tensor");
  if (t.dims.empty()) return error(Code::invalid_model, "a sparse tensor has no dims; expected rank 1 or more");
  if (t.dims.size() > static_cast<size_t>(kMaxRank))
    return unimplemented("a sparse tensor of rank {} is not supported; at most {}", t.dims.size(), kMaxRank);
  Dims dims;
  int64_t count = 1, bytes = 0;
  const int64_t size = dtype_size(values->dtype);
  for (const int64_t d : t.dims) {
    if (d < 0) return error(Code::invalid_model, "a dim of a sparse tensor is {}; expected 0 or more", d);
    if (!checked_mul(count, d, &count) || !checked_mul(count, size, &bytes) || bytes > kLargestDense)
      return unimplemented("a sparse tensor of more than {} MiB is not supported", kLargestDense >> 20);
    dims.push_back(d);
  }
  // A few bytes each, of which many would be as much memory.
  if (bytes > kLargestDense - external->dense_bytes)
    return unimplemented("the sparse tensors of the model have more than {} MiB together, which is not supported", kLargestDense >> 20);
  external->dense_bytes += bytes;
  const int64_t entries = values->count();
  if (values->dims.rank != 1)
    return error(Code::invalid_model, "the values of a sparse tensor have rank {}; expected 1", values->dims.rank);
  if (indices->dtype != DType::i64)
    return error(Code::invalid_model, "the indices of a sparse tensor are {}; expected i64", dtype_name(indices->dtype));
  const bool flat = indices->dims.rank == 1 && indices->dims[0] == entries;
  const bool by_axis = indices->dims.rank == 2 && indices->dims[0] == entries && indices->dims[1] == dims.rank;
  if (!flat && !by_axis)
    return error(Code::invalid_model, "the indices of a sparse tensor have {} elements and rank {}; expected {} of rank 1, or {} by {}",
                 indices->count(), indices->dims.rank, entries, entries, dims.rank);
  // Aligned: borrowed bytes lie anywhere.
  const ConstantPtr value_constant = values->constant(), index_constant = indices->constant();
  TensorValue placed = *std::move(indices);
  placed.data = index_constant->data();
  std::vector<std::byte> dense(static_cast<size_t>(bytes));
  const auto* from = static_cast<const std::byte*>(value_constant->data());
  for (int64_t i = 0; i < entries; ++i) {
    const int64_t at = index_of(placed, i, dims, count);
    if (at < 0) return error(Code::invalid_model, "index {} of a sparse tensor is out of its dims", i);
    std::memcpy(dense.data() + at * size, from + i * size, static_cast<size_t>(size));
  }
  return ConstantTensor::copy(values->dtype, dims, dense.data());
}

}  // namespace anydim::onnx
