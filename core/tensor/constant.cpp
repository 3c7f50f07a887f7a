// SPDX-License-Identifier: Apache-2.0
// Constants in memory of their own and borrowed ones; see constant.h.
#include "core/tensor/constant.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/memory/aligned_buffer.h"
#include "core/base/memory/out_of_memory.h"

namespace anydim {

namespace {

// Pieces that are copied, then released.
constexpr int64_t kPiece = 1 << 20;

// Numbers of a narrow dtype lie in the low bits of a byte.
int32_t number_of(DType dtype, uint8_t byte) noexcept {
  switch (dtype) {
    case DType::i8: return static_cast<int8_t>(byte);
    case DType::i4: return (byte & 15) - ((byte & 8) << 1);
    case DType::u4: return byte & 15;
    default: return byte;
  }
}

void dequantize(const Dequantized& d, float* to) {
  const ConstantTensor& numbers = *d.numbers;
  const Dims &dims = numbers.dims(), &of_scales = d.scales->dims();
  const float *scales = d.scales->as<float>().data(), *zeros = d.zero_points ? d.zero_points->as<float>().data() : nullptr;
  float real[256];
  for (int i = 0; i < 256; ++i) real[i] = static_cast<float>(number_of(numbers.dtype(), static_cast<uint8_t>(i)));
  const auto* from = reinterpret_cast<const uint8_t*>(numbers.address());
  for (int64_t i = 0; i < dims[0]; ++i)
    for (int64_t j = 0; j < dims[1]; ++j) {
      const int64_t row = of_scales[0] == 1 ? 0
                          : d.axis == 0     ? i / d.block
                                            : i,
                    column = of_scales[1] == 1 ? 0
                             : d.axis == 1     ? j / d.block
                                               : j;
      const auto at = static_cast<size_t>(row * of_scales[1] + column);
      *to++ = (real[*from++] - (zeros ? zeros[at] : d.zero_point)) * scales[at];
    }
}

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

ConstantPtr ConstantTensor::later(DType dtype, const Dims& dims, const Ptr& of, Making make) {
  auto c = std::make_shared<ConstantTensor>(dtype, dims, nullptr, nullptr);
  c->of_ = of;
  c->make_ = make;
  return c;
}

ConstantPtr ConstantTensor::dequantized(Dequantized from) {
  auto c = std::make_shared<ConstantTensor>(DType::f32, from.numbers->dims(), nullptr, nullptr);
  c->of_ = from.numbers;
  c->make_ = [](const ConstantTensor&, const ConstantTensor& to) -> std::shared_ptr<const void> {
    std::shared_ptr<std::byte> memory = memory_for(to.bytes());
    dequantize(*to.dequantized_from(), reinterpret_cast<float*>(memory.get()));
    return memory;
  };
  c->from_ = std::make_shared<const Dequantized>(std::move(from));
  return c;
}

void ConstantTensor::make_now() const {
  owner_ = make_(*of_, *this);
  bytes_ = owner_.get();
}

ConstantTensor::Origin ConstantTensor::origin() const {
  if (from_) return {from_.get(), from_};
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
      c->discard(c->address() + begin, count);
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
