// SPDX-License-Identifier: Apache-2.0
// Packing constant weights through the kernel that will read them; see weights.h.
#include "core/dispatch/weights.h"

#include <cstring>

#include "core/base/checked.h"
#include "core/dispatch/registry.h"
#include "core/ops/operator_bytes.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

// A dense row-major copy of `from`.
Status copy_dense(const TensorView& from, AlignedBuffer* memory, TensorView* to) {
  const int64_t size = dtype_size(from.dtype), count = from.count();
  auto buffer = AlignedBuffer::allocate(saturating_mul(count, size));
  if (!buffer.ok()) return buffer.take_status();
  *to = from;
  to->strides = dense_strides(from.dims);
  to->data = buffer->data();
  if (is_row_major(from)) {
    if (count > 0) std::memcpy(to->data, from.data, static_cast<size_t>(count * size));
  } else {
    Dims at = Dims::filled(from.dims.rank, 0);
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = 0;
      for (int a = 0; a < at.rank; ++a) offset += at[a] * from.strides[a];
      std::memcpy(buffer->data() + i * size, static_cast<const std::byte*>(from.data) + offset * size, static_cast<size_t>(size));
      for (int a = at.rank - 1; a >= 0 && ++at[a] == from.dims[a]; --a) at[a] = 0;
    }
  }
  *memory = std::move(*buffer);
  return {};
}

TensorType type_of(const TensorView& t) {
  TensorType type;
  type.dtype = t.dtype;
  for (int64_t d : t.dims) type.dims.push_back(d);
  return type;
}

std::string form_of(const Operator& op, const char* format, std::span<const TensorType> types) {
  KeyBytes bytes;
  if (!append_operator(&bytes, op)) return {};
  append_text(&bytes, format);
  append_number(&bytes, static_cast<uint32_t>(types.size()));
  for (const TensorType& t : types) {
    append_number(&bytes, t.dtype);
    append_number(&bytes, static_cast<uint8_t>(t.dims.rank));
    for (const Dim d : t.dims) append_number(&bytes, d.number());
  }
  return std::string(view(bytes));
}

}  // namespace

Status Weights::create(OperatorPtr op, std::span<const TensorView> tensors, const PostOps& post_ops, MathMode mode,
                       std::string_view forced_kernel, std::shared_ptr<const Weights>* out) {
  auto w = std::make_shared<Weights>();
  w->op_ = std::move(op);
  std::vector<TensorView> all(1);  // input 0 is not there yet
  for (const TensorView& t : tensors) {
    all.push_back(t);
    w->types_.push_back(type_of(t));
  }
  // The problem as primitives will pose it, as far as it is known without an activation.
  std::vector<TensorType> in(1);
  in.insert(in.end(), w->types_.begin(), w->types_.end());
  in[0].dtype = tensors.empty() ? DType::f32 : tensors[0].dtype;
  TensorType result;
  result.dtype = in[0].dtype;
  const std::vector<TensorType> post_in(static_cast<size_t>(post_ops.operands()), result);
  const Problem problem{w->op_.get(), in, {&result, 1}, &post_ops, post_in, mode, true};
  const Kernel* kernel = nullptr;
  ANYDIM_TRY(choose_kernel(problem, forced_kernel, &kernel));
  if (kernel->pack_format(*w->op_) != nullptr) {
    ANYDIM_TRY(kernel->pack(*w->op_, all, &w->packed_));
    for (size_t i = 1; i < all.size(); ++i) {
      all[i].data = nullptr;
      w->views_.push_back(all[i]);
    }
  } else {
    for (size_t i = 1; i < all.size(); ++i) {
      TensorView view = all[i];
      if (view.data != nullptr) {
        w->copies_.emplace_back();
        ANYDIM_TRY(copy_dense(all[i], &w->copies_.back(), &view));
      }
      w->views_.push_back(view);
    }
  }
  w->form_ = form_of(*w->op_, w->packed() != nullptr ? w->format() : "", w->types_);
  *out = std::move(w);
  return {};
}

int64_t Weights::bytes() const noexcept {
  int64_t n = packed_.weights.size() + packed_.bias.size();
  for (const AlignedBuffer& b : copies_) n += b.size();
  return n;
}

}  // namespace anydim
