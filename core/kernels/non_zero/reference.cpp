// SPDX-License-Identifier: Apache-2.0
// CountNonZero and NonZero straight from their definitions: element after element in row-major order, any strides.
#include "core/kernels/non_zero/reference.h"

#include <cstring>

#include "core/kernels/plain_kernel.h"

namespace anydim {

Status too_few(int64_t found, int64_t count) noexcept {
  return error(Code::invalid_data, "x has {} elements that are not zero; count is {}", found, count);
}

namespace {

bool is_zero(const TensorView& x, const Dims& at) noexcept {
  int64_t offset = 0;
  for (int i = 0; i < at.rank; ++i) offset += at[i] * x.strides[i];
  const ElementBits e = element_bits(x.dtype);
  uint64_t bits = 0;  // little-endian: the first bytes are the lowest
  std::memcpy(&bits, x.as<const std::byte>() + offset * e.size, static_cast<size_t>(e.size));
  if (e.signed_zero) bits &= ~(uint64_t{1} << (8 * e.size - 1));
  return bits == 0;
}

// Calls f(at) for the elements that are not zero, until it says no.
template <class F> void for_each_non_zero(const TensorView& x, F&& f) noexcept {
  if (x.count() == 0) return;
  Dims at = Dims::filled(x.rank(), 0);
  for (;;) {
    if (!is_zero(x, at) && !f(at)) return;
    int axis = x.rank() - 1;
    while (axis >= 0 && ++at[axis] == x.dims[axis]) at[axis--] = 0;
    if (axis < 0) return;
  }
}

class CountReference final : public PlainKernel {
 public:
  using PlainKernel::PlainKernel;
  Status run(const Plan&, const Args& args) const noexcept override {
    int64_t found = 0;
    for_each_non_zero(args.in[0], [&](const Dims&) { return ++found, true; });
    *args.out[0].as<int64_t>() = found;
    return {};
  }
};

class Reference final : public PlainKernel {
 public:
  using PlainKernel::PlainKernel;
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView& y = args.out[0];
    const int64_t count = y.dims[1];
    int64_t found = 0;
    if (count > 0)
      for_each_non_zero(args.in[0], [&](const Dims& at) {
        for (int i = 0; i < at.rank; ++i) y.as<int64_t>()[i * y.strides[0] + found * y.strides[1]] = at[i];
        return ++found < count;
      });
    return found < count ? too_few(found, count) : Status();
  }
};

const CountReference count_reference("count_non_zero.reference", OpKind::count_non_zero);
const Reference reference("non_zero.reference", OpKind::non_zero);

}  // namespace

constinit const HostKernel* const kCountNonZeroReference = &count_reference;
constinit const HostKernel* const kNonZeroReference = &reference;

}  // namespace anydim
