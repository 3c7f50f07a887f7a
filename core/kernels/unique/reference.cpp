// SPDX-License-Identifier: Apache-2.0
// The reference of Unique: places of slices are sorted in scratch, equal ones by their index, so that the first of each group is where
// its slice stands first.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "core/kernels/plain_kernel.h"
#include "core/kernels/simd/half.h"
#include "core/kernels/unique/unique.h"
#include "core/ops/operators/unique.h"

namespace anydim {

namespace {

// -1, 0 or 1. NaN is above all numbers and equal to itself; zeros are equal.
template <class T> int compare(T a, T b) noexcept {
  if (a < b) return -1;
  if (b < a) return 1;
  if constexpr (std::is_floating_point_v<T>) return static_cast<int>(std::isnan(a)) - static_cast<int>(std::isnan(b));
  return 0;
}

// Elements as numbers that can be compared: any float is one of f64, any integer one of 64 bits.
template <class Number> struct Elements {
  const void* x;
  DType dtype;
  template <class T> Number load(int64_t at) const noexcept { return static_cast<Number>(static_cast<const T*>(x)[at]); }
  Number operator()(int64_t at) const noexcept {
    switch (dtype) {
      case DType::f32: return load<float>(at);
      case DType::f64: return load<double>(at);
      case DType::f16: return static_cast<Number>(static_cast<float>(static_cast<const StoredF16*>(x)[at]));
      case DType::bf16: return static_cast<Number>(static_cast<float>(static_cast<const StoredBF16*>(x)[at]));
      case DType::i8: return load<int8_t>(at);
      case DType::i16: return load<int16_t>(at);
      case DType::u16: return load<uint16_t>(at);
      case DType::i32: return load<int32_t>(at);
      case DType::u32: return load<uint32_t>(at);
      case DType::i64: return load<int64_t>(at);
      case DType::u64: return load<uint64_t>(at);
      default: return load<uint8_t>(at);
    }
  }
};

// Slices of x: their number, how far apart they are, and what is in one.
struct Slices {
  int64_t count, step;
  Dims inner;
  Strides strides;

  Slices(const TensorView& x, int axis) noexcept : count(x.dims[axis]), step(x.strides[axis]), inner(x.dims), strides(x.strides) {
    inner.erase(axis);
    strides.erase(axis);
  }
};

template <class Read> int compare_slices(const Slices& s, const Read& x, int64_t a, int64_t b) noexcept {
  if (s.inner.rank == 0) return compare(x(a * s.step), x(b * s.step));
  Dims at = Dims::filled(s.inner.rank, 0);
  int64_t offset = 0;
  for (;;) {
    if (const int order = compare(x(a * s.step + offset), x(b * s.step + offset)); order != 0) return order;
    int axis = s.inner.rank - 1;
    for (; axis >= 0; --axis) {
      offset += s.strides[axis];
      if (++at[axis] < s.inner[axis]) break;
      offset -= s.inner[axis] * s.strides[axis];
      at[axis] = 0;
    }
    if (axis < 0) return 0;
  }
}

// A vector that is written at its stride.
struct Column {
  int64_t* data;
  int64_t step;
  explicit Column(const TensorView& t) noexcept : data(t.as<int64_t>()), step(t.strides[0]) {}
  int64_t& operator[](int64_t i) const noexcept { return data[i * step]; }
};

template <class Read> void unique(const Args& args, const Read& x) noexcept {
  const Unique::Attributes& at = as<Unique>(*args.op)->get();
  const Slices slices(args.in[0], static_cast<int>(at.axis));
  const bool empty = element_count(slices.inner) == 0;  // slices without elements are all equal
  auto* order = static_cast<int64_t*>(args.scratch);
  const int64_t n = slices.count;
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  const auto apart = [&](int64_t a, int64_t b) { return empty ? 0 : compare_slices(slices, x, a, b); };
  std::sort(order, order + n, [&](int64_t a, int64_t b) {
    const int way = apart(a, b);
    return way != 0 ? way < 0 : a < b;
  });

  const Column first(args.out[Unique::kFirst]), inverse(args.out[Unique::kInverse]), counts(args.out[Unique::kCounts]);
  int64_t groups = 0;
  if (at.sorted) {
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0 || apart(order[i - 1], order[i]) != 0) {
        first[groups] = order[i];
        counts[groups++] = 0;
      }
      inverse[order[i]] = groups - 1;
      ++counts[groups - 1];
    }
  } else {
    // First each slice's first place, then, in the order of places, its number.
    int64_t head = 0;
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0 || apart(head, order[i]) != 0) head = order[i];
      inverse[order[i]] = head;
    }
    for (int64_t i = 0; i < n; ++i) {
      if (inverse[i] == i) {
        first[groups] = i;
        counts[groups] = 0;
        inverse[i] = groups++;
      } else {
        inverse[i] = inverse[inverse[i]];  // of a place before it, which has its number
      }
      ++counts[inverse[i]];
    }
  }
  for (int64_t i = groups; i < n; ++i) first[i] = counts[i] = 0;
  *args.out[Unique::kCount].as<int64_t>() = groups;
}

class Reference final : public PlainKernel {
 public:
  using PlainKernel::PlainKernel;
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = scratch(*args.op, args.in[0].dims); }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    return scratch(*p.op, in[0]);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView& x = args.in[0];
    if (dtype_is_float(x.dtype)) unique(args, Elements<double>{x.data, x.dtype});
    else if (x.dtype == DType::u64) unique(args, Elements<uint64_t>{x.data, x.dtype});
    else unique(args, Elements<int64_t>{x.data, x.dtype});
    return {};
  }

 private:
  static int64_t scratch(const Operator& op, const Dims& x) noexcept {
    return saturating_mul(x[static_cast<int>(as<Unique>(op)->get().axis)], 8);
  }
};

const Reference reference("unique.reference", OpKind::unique);

}  // namespace

KernelList unique_kernels() noexcept {
  static const HostKernel* const kernels[] = {kUniqueHashed, &reference};
  return kernels;
}

}  // namespace anydim
