// SPDX-License-Identifier: Apache-2.0
// Dft: lines go to threads; each is read as complex numbers of binary64, transformed, and rounded once.
#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/signal/signal.h"
#include "core/kernels/signal/transform.h"
#include "core/ops/dft.h"

namespace anydim {

namespace {

#include "core/kernels/simd/half.inl.h"

constexpr int64_t kLeast = 4096;  // steps of a loop on several threads

// Where a line begins: all axes but the transformed one and the last.
void begin_of(int64_t line, int axis, const TensorView& x, const TensorView& y, int64_t* from, int64_t* to) noexcept {
  *from = *to = 0;
  for (int a = x.dims.rank - 2; a >= 0; --a) {
    if (a == axis) continue;
    const int64_t i = line % x.dims[a];
    line /= x.dims[a];
    *from += i * x.strides[a];
    *to += i * y.strides[a];
  }
}

template <class T, class Wide> void run_lines(const Args& args, int axis, int64_t n) noexcept {
  const DftAttributes& at = as<Dft>(*args.op)->get();
  const TensorView &x = args.in[0], &y = args.out[0];
  const int last = x.dims.rank - 1;
  const bool half_spectrum = at.inverse && at.onesided, complex = x.dims[last] == 2;
  const int64_t present = std::min(x.dims[axis], half_spectrum ? n / 2 + 1 : n), lines = y.count() / (y.dims[axis] * y.dims[last]);
  auto* roots = static_cast<Complex*>(args.scratch);
  fill_roots(n, at.inverse, roots);
  args.parallel.with(lines * n < kLeast ? 1 : args.parallel.threads()).run(lines, [&](int64_t line, int worker) {
    Complex* from = roots + n + worker * 3 * n;
    Complex* to = from + n;
    int64_t in, out;
    begin_of(line, axis, x, y, &in, &out);
    const T* p = x.as<const T>() + in;
    for (int64_t i = 0; i < present; ++i) {
      const T* e = p + i * x.strides[axis];
      from[i].re = static_cast<double>(static_cast<Wide>(e[0]));
      from[i].im = complex ? static_cast<double>(static_cast<Wide>(e[x.strides[last]])) : 0.0;
    }
    for (int64_t i = present; i < n; ++i) from[i] = {0, 0};
    if (half_spectrum) {
      from[0].im = 0;
      if (n % 2 == 0) from[n / 2].im = 0;
      for (int64_t i = 1; i < n - i; ++i) from[n - i] = {from[i].re, -from[i].im};
    }
    transform(from, to, n, roots, at.inverse, to + n);
    const auto rounded = [&](double v) { return static_cast<Wide>(at.inverse ? v / static_cast<double>(n) : v); };
    T* q = y.as<T>() + out;
    for (int64_t i = 0; i < y.dims[axis]; ++i) {
      q[i * y.strides[axis]] = rounded(to[i].re);
      if (y.dims[last] == 2) q[i * y.strides[axis] + y.strides[last]] = rounded(to[i].im);
    }
  });
}

class DftKernel final : public PlainKernel {
 public:
  constexpr DftKernel() noexcept : PlainKernel("dft.reference", OpKind::dft) {}
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = scratch(args.dim_attributes[1], args.parallel.threads());
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    // The length is a dim of the result, or half of it.
    const DftAttributes& at = as<Dft>(*p.op)->get();
    static_cast<void>(in);
    int64_t most = 0;
    for (int a = 0; a + 1 < out[0].rank; ++a)
      if (!at.axis.is_number() || at.axis.number() == a) most = std::max(most, out[0][a]);
    return scratch(at.onesided && !at.inverse ? saturating_mul(most, 2) : most, threads);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const auto axis = static_cast<int>(args.dim_attributes[0]);
    const int64_t n = args.dim_attributes[1];
    if (axis < 0 || axis > args.in[0].dims.rank - 2)
      return error(Code::invalid_data, "dft: axis is {}; expected 0 to {}", axis, args.in[0].dims.rank - 2);
    if (n == 0) {  // one number of a half, of no elements
      for (int64_t i = 0; i < args.out[0].count(); ++i) clear(args.out[0], i);
      return {};
    }
    if (n > int64_t{1} << 30) return error(Code::invalid_data, "dft: length is {}; expected at most 2^30", n);
    switch (args.in[0].dtype) {
      case DType::f64: run_lines<double, double>(args, axis, n); break;
      case DType::f16: run_lines<StoredF16, float>(args, axis, n); break;
      case DType::bf16: run_lines<StoredBF16, float>(args, axis, n); break;
      default: run_lines<float, float>(args, axis, n); break;
    }
    return {};
  }

 private:
  // The roots, then three lines of each worker.
  static int64_t scratch(int64_t n, int threads) noexcept {
    return saturating_mul(saturating_mul(n, static_cast<int64_t>(sizeof(Complex))), 1 + 3 * int64_t{threads});
  }
  static void clear(const TensorView& y, int64_t index) noexcept {
    int64_t offset = 0;
    for (int a = y.dims.rank - 1; a >= 0; --a) offset += index % y.dims[a] * y.strides[a], index /= y.dims[a];
    std::memset(y.as<std::byte>() + offset * dtype_size(y.dtype), 0, static_cast<size_t>(dtype_size(y.dtype)));
  }
};

const DftKernel kernel;

}  // namespace

constinit const HostKernel* const kDft = &kernel;

}  // namespace anydim
