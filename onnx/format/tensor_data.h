// SPDX-License-Identifier: Apache-2.0
// The values of a TensorProto in memory order, whichever of ONNX's forms it stores them in (raw, typed fields,
// external file). Element counts are checked against the bytes that are really there before anything is allocated.
#pragma once

#include "core/tensor/constant.h"
#include "onnx/format/proto.h"
#include "onnx/format/source.h"

namespace anydim::onnx {

// Dense, row-major; aligned for its type unless it is borrowed. `data` may be null when there are no elements.
struct TensorValue {
  DType dtype = DType::none;
  Dims dims;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const Lender> lender;  // instead of the owner: the bytes of the file, at any address
  const void* data = nullptr;
  int64_t bytes = 0;

  int64_t count() const noexcept { return element_count(dims); }
  template <class T> const T* as() const noexcept { return static_cast<const T*>(data); }
  ConstantPtr constant() const;
};

// ONNX's element type as ours; unimplemented for strings, complex numbers and types below a byte.
Result<DType> dtype_of(int32_t element_type);
const char* element_type_name(int32_t element_type) noexcept;

// `model` is the file that the tensor's views point into.
Result<TensorValue> read_tensor(const TensorProto& tensor, const Bytes& model, ExternalData* external);
// With all elements, those that are 0 included.
Result<ConstantPtr> read_sparse_tensor(const SparseTensorProto& tensor, const Bytes& model, ExternalData* external);

}  // namespace anydim::onnx
