// SPDX-License-Identifier: Apache-2.0
// Dft: lines go to threads, alone or as many as a vector has lanes; each is read as complex numbers of binary64, transformed, and
// rounded once.
#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/signal/signal.h"
#include "core/kernels/signal/transform.h"
#include "core/kernels/simd/half.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/dft.h"

namespace anydim {

namespace {

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

// Beyond this length a line is transformed alone: several would not fit into a second cache.
constexpr int64_t kLongestOfMany = 2048;
constexpr int64_t kMaxLength = int64_t{1} << 30;

template <class T, class Wide> class Lines {
 public:
  Lines(const Args& args, int axis, int64_t n, const ManyLines& many) noexcept
      : args_(args), at_(as<Dft>(*args.op)->get()), x_(args.in[0]), y_(args.out[0]), axis_(axis), n_(n), many_(many) {
    last_ = x_.dims.rank - 1;
    half_spectrum_ = at_.inverse && at_.onesided;
    complex_ = x_.dims[last_] == 2;
    present_ = std::min(x_.dims[axis], half_spectrum_ ? n / 2 + 1 : n);
    lines_ = y_.count() / (y_.dims[axis] * y_.dims[last_]);
  }

  void run() const noexcept {
    auto* roots = static_cast<Complex*>(args_.scratch);
    const int64_t numbers = numbers_of_roots(n_);
    auto* room = reinterpret_cast<double*>(roots + rounded_up(numbers));
    fill_roots(n_, at_.inverse, roots);
    const bool together = many_.transform != nullptr && n_ <= kLongestOfMany && lines_ > 1 && numbers == n_;
    const int64_t lanes = together ? many_.count : 1, part = 2 * rounded_up(n_) * lanes;
    const int64_t each = 2 * part + 2 * rounded_up(numbers_of_room(n_)) * lanes;
    args_.parallel.with(lines_ * n_ < kLeast ? 1 : args_.parallel.threads()).run(ceil_div(lines_, lanes), [&](int64_t task, int worker) {
      double* from = room + worker * each;
      double* to = from + part;
      const int64_t first = task * lanes, count = std::min(lanes, lines_ - first);
      if (count < lanes) std::fill(from, from + 2 * n_ * lanes, 0.0);
      for (int64_t k = 0; k < count; ++k) read(first + k, from + k, lanes);
      if (together) many_.transform(from, to, n_, roots, at_.inverse, to + part);
      else
        transform(reinterpret_cast<const Complex*>(from), reinterpret_cast<Complex*>(to), n_, roots, at_.inverse,
                  reinterpret_cast<Complex*>(to + part));
      for (int64_t k = 0; k < count; ++k) write(first + k, to + k, lanes);
    });
  }

  // Parts of the scratch begin where a vector may.
  static constexpr int64_t rounded_up(int64_t n) noexcept { return (n + 3) / 4 * 4; }

 private:
  // Numbers of a line are 2 * lanes apart, their imaginary parts `lanes` behind the real ones.
  void read(int64_t line, double* from, int64_t lanes) const noexcept {
    int64_t in, out;
    begin_of(line, axis_, x_, y_, &in, &out);
    const T* p = x_.as<const T>() + in;
    const int64_t step = 2 * lanes, apart = x_.strides[axis_], imaginary = x_.strides[last_];
    for (int64_t i = 0; i < present_; ++i) {
      const T* e = p + i * apart;
      from[i * step] = static_cast<double>(static_cast<Wide>(e[0]));
      from[i * step + lanes] = complex_ ? static_cast<double>(static_cast<Wide>(e[imaginary])) : 0.0;
    }
    for (int64_t i = present_; i < n_; ++i) from[i * step] = from[i * step + lanes] = 0.0;
    if (!half_spectrum_) return;
    from[lanes] = 0;
    if (n_ % 2 == 0) from[n_ / 2 * step + lanes] = 0;
    for (int64_t i = 1; i < n_ - i; ++i) {
      from[(n_ - i) * step] = from[i * step];
      from[(n_ - i) * step + lanes] = -from[i * step + lanes];
    }
  }
  void write(int64_t line, const double* to, int64_t lanes) const noexcept {
    int64_t in, out;
    begin_of(line, axis_, x_, y_, &in, &out);
    const auto rounded = [&](double v) { return static_cast<Wide>(at_.inverse ? v / static_cast<double>(n_) : v); };
    T* q = y_.as<T>() + out;
    for (int64_t i = 0; i < y_.dims[axis_]; ++i) {
      q[i * y_.strides[axis_]] = rounded(to[2 * i * lanes]);
      if (y_.dims[last_] == 2) q[i * y_.strides[axis_] + y_.strides[last_]] = rounded(to[(2 * i + 1) * lanes]);
    }
  }

  const Args& args_;
  const DftAttributes& at_;
  const TensorView &x_, &y_;
  int axis_, last_ = 0;
  int64_t n_, present_ = 0, lines_ = 0;
  bool half_spectrum_ = false, complex_ = false;
  ManyLines many_;
};

template <class T, class Wide> void run_lines(const Args& args, int axis, int64_t n, const ManyLines& many) noexcept {
  Lines<T, Wide>(args, axis, n, many).run();
}

class DftKernel final : public PlainKernel {
 public:
  constexpr DftKernel(const char* name, Isa isa, const ManyLines& many) noexcept : PlainKernel(name, OpKind::dft, isa), many_(many) {}
  void plan(const Args& args, Plan* plan) const noexcept override {
    const int64_t n = args.dim_attributes[1];
    const bool fits = n > 0 && n <= kMaxLength;  // else run() refuses it
    plan->scratch = scratch(n, fits ? numbers_of_roots(n) : n, fits ? numbers_of_room(n) : n, args.parallel.threads());
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    // The length is a dim of the result, or half of it.
    const DftAttributes& at = as<Dft>(*p.op)->get();
    static_cast<void>(in);
    int64_t most = 0;
    for (int a = 0; a + 1 < out[0].rank; ++a)
      if (!at.axis.is_number() || at.axis.number() == a) most = std::max(most, out[0][a]);
    if (at.onesided && !at.inverse) most = saturating_mul(most, 2);
    const bool chirps = most > kLongestDirect;
    return scratch(most, chirps ? saturating_mul(most, kMostRoots) : most, chirps ? saturating_mul(most, kMostRoom) : most, threads);
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
    if (n > kMaxLength) return error(Code::invalid_data, "dft: length is {}; expected at most 2^30", n);
    switch (args.in[0].dtype) {
      case DType::f64: run_lines<double, double>(args, axis, n, many_); break;
      case DType::f16: run_lines<StoredF16, float>(args, axis, n, many_); break;
      case DType::bf16: run_lines<StoredBF16, float>(args, axis, n, many_); break;
      default: run_lines<float, float>(args, axis, n, many_); break;
    }
    return {};
  }

 private:
  // The roots, then two lines and the room of each worker, or of shorter ones as many as go together.
  int64_t scratch(int64_t n, int64_t roots, int64_t room, int threads) const noexcept {
    const int64_t most = kMaxSize / 2, numbers = std::min(n, most) + 3;
    const int64_t alone = 2 * numbers + std::min(room, most) + 3, together = 3 * std::min(numbers, kLongestOfMany + 3) * many_.count;
    const int64_t all = saturating_add(std::min(roots, most) + 3, saturating_mul(std::max(alone, together), int64_t{threads}));
    return saturating_mul(all, static_cast<int64_t>(sizeof(Complex)));
  }
  static void clear(const TensorView& y, int64_t index) noexcept {
    int64_t offset = 0;
    for (int a = y.dims.rank - 1; a >= 0; --a) offset += index % y.dims[a] * y.strides[a], index /= y.dims[a];
    std::memset(y.as<std::byte>() + offset * dtype_size(y.dtype), 0, static_cast<size_t>(dtype_size(y.dtype)));
  }

  ManyLines many_;
};

}  // namespace

KernelList dft_kernels() noexcept {
  static const DftKernel alone("dft.reference", Isa::portable, {});
  static const KernelsOfSets<"dft.lanes", DftKernel, ManyLines> lanes;
  static const auto all = kernel_list(lanes, kept<"dft.reference", alone>());
  return all;
}

}  // namespace anydim
