// SPDX-License-Identifier: Apache-2.0
// Constants in memory of their own and lent ones; see constant.h.
#include "core/tensor/constant.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/aligned_buffer.h"
#include "core/base/out_of_memory.h"

namespace anydim {

namespace {

// Pieces that are copied, then let go.
constexpr int64_t kPiece = 1 << 20;

}  // namespace

std::shared_ptr<std::byte> ConstantTensor::memory_for(int64_t bytes) {
  constexpr int64_t kSmall = 64 << 10;
  if (bytes < kSmall) {
    auto memory = std::make_shared<std::vector<std::max_align_t>>(static_cast<size_t>(bytes) / sizeof(std::max_align_t) + 1);
    return {memory, reinterpret_cast<std::byte*>(memory->data())};
  }
  Result<AlignedBuffer> buffer = AlignedBuffer::allocate_pages(bytes);
  if (!buffer.ok()) throw OutOfMemory(bytes);
  auto memory = std::make_shared<AlignedBuffer>(*std::move(buffer));
  return {memory, memory->data()};
}

ConstantTensor::ConstantTensor(DType dtype, const Dims& dims, const void* data, std::shared_ptr<const void> owner)
    : dtype_(dtype), dims_(dims), bytes_(data), owner_(std::move(owner)) {}

ConstantPtr ConstantTensor::copy(DType dtype, const Dims& dims, const void* bytes) {
  const int64_t size = element_count(dims) * dtype_size(dtype);
  return written<std::byte>(dtype, dims, [&](std::byte* to) {
    if (size > 0) std::memcpy(to, bytes, static_cast<size_t>(size));
  });
}

ConstantPtr ConstantTensor::lent(DType dtype, const Dims& dims, const void* bytes, std::shared_ptr<const Lender> lender) {
  auto c = std::make_shared<ConstantTensor>(dtype, dims, bytes, nullptr);
  c->lender_ = std::move(lender);
  return c;
}

ConstantPtr ConstantTensor::later(DType dtype, const Ptr& of, Making make) {
  auto c = std::make_shared<ConstantTensor>(dtype, of->dims(), nullptr, nullptr);
  c->of_ = of;
  c->make_ = make;
  return c;
}

void ConstantTensor::make_now() const {
  owner_ = make_(*of_);
  bytes_ = owner_.get();
}

ConstantTensor::Origin ConstantTensor::origin() const {
  if (of_) return of_->origin();
  return {bytes_, lender_ ? std::shared_ptr<const void>(lender_) : owner_};
}

ConstantPtr ConstantTensor::reshaped(const ConstantTensor& from, const Dims& dims) {
  auto c = std::make_shared<ConstantTensor>(from);
  c->dims_ = dims;
  return c;
}

ConstantPtr ConstantTensor::kept(const Ptr& c, Parallel parallel) {
  const bool aligned = reinterpret_cast<uintptr_t>(c->address()) % static_cast<size_t>(dtype_size(c->dtype_)) == 0;
  if (!c->lender_ || (aligned && c->lender_->stays())) return c;
  const int64_t size = c->bytes();
  return written<std::byte>(c->dtype_, c->dims_, [&](std::byte* to) {
    parallel.run((size + kPiece - 1) / kPiece, [&](int64_t piece, int) {
      const int64_t begin = piece * kPiece, count = std::min(kPiece, size - begin);
      std::memcpy(to + begin, c->address() + begin, static_cast<size_t>(count));
      c->let_go(c->address() + begin, count);
    });
  });
}

void ConstantTensor::touch() const noexcept {
  constexpr int64_t kPage = 4096;
  if (!lender_) return;
  for (int64_t i = 0; i < bytes(); i += kPage) static_cast<void>(*reinterpret_cast<const volatile std::byte*>(address() + i));
}

const void* ConstantTensor::data() const {
  if (copy_) return copy_.get();
  if (!lender_) return address();
  if (reinterpret_cast<uintptr_t>(bytes_) % static_cast<size_t>(dtype_size(dtype_)) == 0) return bytes_;
  std::shared_ptr<std::byte> memory = memory_for(bytes());
  std::memcpy(memory.get(), bytes_, static_cast<size_t>(bytes()));
  copy_ = std::move(memory);
  return copy_.get();
}

}  // namespace anydim
