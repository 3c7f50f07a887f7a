// SPDX-License-Identifier: Apache-2.0
// RoiAlign: regions and their rows of bins go to threads. Places and weights of a sample are found once for all channels; where these lie
// side by side, they are added up in vectors. docs/numerics.md, section 10, has the formulas.
#include "core/kernels/detect/roi_align.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/detect/detect.h"
#include "core/kernels/detect/roi_align.inl.h"
#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/simd/half.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/roi_align.h"

namespace anydim {

namespace {

constexpr int64_t kMostSamples = int64_t{1} << 26;  // of a region: a huge one would never end
constexpr int64_t kChannels = 256;                  // added up at a time
constexpr int64_t kParallelElements = 2000;

// A region in elements of x.
template <class C> struct Region {
  C top, left, bin_height, bin_width;
  int64_t rows, columns;  // samples of a bin
  int64_t batch;
};

// A sample: the four elements around it, and their weights. All weights are 0 outside x.
template <class C> struct Sample {
  int64_t offset[4];
  C weight[4];
  bool outside;
};

template <class C> struct Place {
  int64_t low, high;
  C weight_low, weight_high;
  bool outside;
};

template <class C> Place<C> place_at(C v, int64_t size) noexcept {
  Place<C> p{};
  p.outside = !(v >= C(-1) && v <= static_cast<C>(size));
  if (p.outside) return p;
  v = std::max(v, C(0));
  p.low = static_cast<int64_t>(v);
  if (p.low >= size - 1) {
    p.low = p.high = size - 1;
    v = static_cast<C>(p.low);
  } else {
    p.high = p.low + 1;
  }
  p.weight_high = v - static_cast<C>(p.low);
  p.weight_low = C(1) - p.weight_high;
  return p;
}

template <class T, class C> C number(const TensorView& t, int64_t offset) noexcept { return static_cast<C>(t.as<const T>()[offset]); }

// The indices as numbers.
int64_t batch_of(const TensorView& t, int64_t i) noexcept {
  const int64_t at = i * t.strides[0];
  return t.dtype == DType::i32 ? t.as<const int32_t>()[at] : t.as<const int64_t>()[at];
}

template <class T, class C> struct Job {
  const Args& args;
  const RoiAlignAttributes& at;
  RoiSum::Function* sum;
  RoiLargest::Function* largest;
  RoiCell::Function* cell;
  TypedRowFunction widen;  // of 16-bit floats; null of others

  // Fails where a region has no end or is of no input.
  Status region(int64_t r, Region<C>* to) const noexcept {
    const TensorView &x = args.in[0], &rois = args.in[1];
    const auto coordinate = [&](int64_t i) { return number<T, C>(rois, r * rois.strides[0] + i * rois.strides[1]); };
    const int64_t batch = batch_of(args.in[2], r);
    if (batch < 0 || batch >= x.dims[0])
      return error(Code::invalid_data, "roi_align: batch of region {} is {}; expected 0 to {}", r, batch, x.dims[0] - 1);
    const C scale = static_cast<C>(at.scale), half = at.half_pixel ? C(0.5) : C(0);
    const C left = coordinate(0) * scale - half, top = coordinate(1) * scale - half;
    C width = coordinate(2) * scale - half - left, height = coordinate(3) * scale - half - top;
    if (!at.half_pixel) width = std::max(width, C(1)), height = std::max(height, C(1));
    *to = {top, left, height / static_cast<C>(at.height), width / static_cast<C>(at.width), at.samples, at.samples, batch};
    if (at.samples == 0) {
      const C rows = std::ceil(to->bin_height), columns = std::ceil(to->bin_width);
      if (!(std::fabs(rows) < C(kMostSamples)) || !(std::fabs(columns) < C(kMostSamples)))
        return error(Code::invalid_data, "roi_align: region {} is {} x {} elements; expected fewer", r, static_cast<double>(width),
                     static_cast<double>(height));
      to->rows = std::max<int64_t>(static_cast<int64_t>(rows), 0);
      to->columns = std::max<int64_t>(static_cast<int64_t>(columns), 0);
    }
    const double all =
        static_cast<double>(to->rows) * static_cast<double>(to->columns) * static_cast<double>(at.height) * static_cast<double>(at.width);
    if (all > static_cast<double>(kMostSamples))
      return error(Code::invalid_data, "roi_align: region {} has {} samples; expected at most {}", r, all, kMostSamples);
    return {};
  }

  void store(int64_t r, int64_t channel, int64_t row, int64_t column, const C* values, int64_t n) const noexcept {
    const TensorView& y = args.out[0];
    T* to = y.as<T>() + r * y.strides[0] + channel * y.strides[1] + row * y.strides[2] + column * y.strides[3];
    for (int64_t c = 0; c < n; ++c) to[c * y.strides[1]] = values[c];
  }

  // One bin of `n` channels from `channel` on.
  void bin(const Region<C>& g, int64_t r, int64_t channel, int64_t n, int64_t row, int64_t column) const noexcept {
    const TensorView& x = args.in[0];
    const T* from = x.as<const T>() + g.batch * x.strides[0] + channel * x.strides[1];
    const int64_t step = x.strides[1];
    C y[kChannels] = {};
    bool first = true;
    for (int64_t i = 0; i < g.rows; ++i) {
      const C v = (g.top + static_cast<C>(row) * g.bin_height) + (static_cast<C>(i) + C(0.5)) * g.bin_height / static_cast<C>(g.rows);
      const Place<C> a = place_at(v, x.dims[2]);
      for (int64_t j = 0; j < g.columns; ++j) {
        const C h =
            (g.left + static_cast<C>(column) * g.bin_width) + (static_cast<C>(j) + C(0.5)) * g.bin_width / static_cast<C>(g.columns);
        const Place<C> b = place_at(h, x.dims[3]);
        if (a.outside || b.outside) {
          for (int64_t c = 0; c < n && at.mode == RoiMode::maximum; ++c) y[c] = first ? C(0) : std::max(y[c], C(0));
          first = false;
          continue;
        }
        const int64_t above = a.low * x.strides[2], below = a.high * x.strides[2], west = b.low * x.strides[3],
                      east = b.high * x.strides[3];
        const T* p[4] = {from + above + west, from + above + east, from + below + west, from + below + east};
        const C w[4] = {a.weight_low * b.weight_low, a.weight_low * b.weight_high, a.weight_high * b.weight_low,
                        a.weight_high * b.weight_high};
        const bool average = at.mode == RoiMode::average;
        if constexpr (std::is_same_v<T, float>) {
          if (step == 1) {
            if (average) sum(p, w, y, n);
            else largest(p, w, y, n, first);
            first = false;
            continue;
          }
        }
        if constexpr (sizeof(T) == 2) {
          if (step == 1) {
            float wide[4][kChannels];
            for (int k = 0; k < 4; ++k) widen({wide[k], {p[k]}, n});
            const float* const rows[4] = {wide[0], wide[1], wide[2], wide[3]};
            if (average) sum(rows, w, y, n);
            else largest(rows, w, y, n, first);
            first = false;
            continue;
          }
        }
        for (int64_t c = 0; c < n; ++c) {
          const auto e = [&](int k) { return w[k] * static_cast<C>(p[k][c * step]); };
          if (average) {
            y[c] = y[c] + (((e(0) + e(1)) + e(2)) + e(3));
          } else {
            const C best = std::max(std::max(std::max(e(0), e(1)), e(2)), e(3));
            y[c] = first ? best : std::max(y[c], best);
          }
        }
        first = false;
      }
    }
    if (at.mode == RoiMode::average) {
      const auto samples = static_cast<C>(std::max<int64_t>(g.rows * g.columns, 1));
      for (int64_t c = 0; c < n; ++c) y[c] = y[c] / samples;
    }
    store(r, channel, row, column, y, n);
  }

  // MaxRoiPool: whole elements, a NaN before all numbers.
  void cells(int64_t r, int64_t row) const noexcept {
    const TensorView &x = args.in[0], &rois = args.in[1];
    const auto rounded = [&](int64_t i) {
      const double v =
          std::round(static_cast<double>(number<T, C>(rois, r * rois.strides[0] + i * rois.strides[1]) * static_cast<C>(at.scale)));
      return v >= -1e9 && v <= 1e9 ? v : v > 0 ? 1e9 : -1e9;
    };
    const double left = rounded(0), top = rounded(1);
    const C height = static_cast<C>(std::max(rounded(3) - top + 1, 1.0)) / static_cast<C>(at.height);
    const C width = static_cast<C>(std::max(rounded(2) - left + 1, 1.0)) / static_cast<C>(at.width);
    const auto range = [](int64_t i, C size, double start, int64_t limit, int64_t* begin, int64_t* end) {
      const auto inside = [limit](double v) { return static_cast<int64_t>(std::clamp(v, 0.0, static_cast<double>(limit))); };
      *begin = inside(std::floor(static_cast<double>(static_cast<C>(i) * size)) + start);
      *end = inside(std::ceil(static_cast<double>(static_cast<C>(i + 1) * size)) + start);
    };
    const int64_t batch = batch_of(args.in[2], r);
    const int64_t most = x.strides[1] == 1 ? kChannels : 1;  // channels at a time: those that are neighbours
    int64_t h[2], w[2];
    range(row, height, top, x.dims[2], &h[0], &h[1]);
    for (int64_t column = 0; column < at.width; ++column) {
      range(column, width, left, x.dims[3], &w[0], &w[1]);
      for (int64_t channel = 0; channel < x.dims[1]; channel += most) {
        const int64_t n = std::min(most, x.dims[1] - channel);
        const T* from = x.as<const T>() + batch * x.strides[0] + channel * x.strides[1];
        C best[kChannels];
        std::fill_n(best, n, C(0));
        bool first = true;
        for (int64_t i = h[0]; i < h[1]; ++i)
          for (int64_t j = w[0]; j < w[1]; ++j, first = false) {
            const T* const p = from + i * x.strides[2] + j * x.strides[3];
            if constexpr (std::is_same_v<T, float>) {
              if (most > 1) {
                cell(p, best, n, first);
                continue;
              }
            }
            for (int64_t c = 0; c < n; ++c) {
              const C v = static_cast<C>(p[c]);
              if (first || v > best[c] || v != v) best[c] = v;
            }
          }
        store(r, channel, row, column, best, n);
      }
    }
  }

  Status run() const noexcept {
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return {};
    Region<C> g{};
    for (int64_t r = 0; r < y.dims[0]; ++r) ANYDIM_TRY(region(r, &g));
    if (x.dims[2] == 0 || x.dims[3] == 0) {
      const C nothing = 0;
      for (int64_t i = 0; i < y.count(); ++i) {
        int64_t rest = i, at_[4];
        for (int a = 3; a >= 0; --a) at_[a] = rest % y.dims[a], rest /= y.dims[a];
        store(at_[0], at_[1], at_[2], at_[3], &nothing, 1);
      }
      return {};
    }
    const auto task = [&](int64_t t, int) {
      const int64_t r = t / at.height, row = t % at.height;
      if (at.mode == RoiMode::cells) return cells(r, row);
      Region<C> mine{};
      static_cast<void>(region(r, &mine));  // it succeeded above
      for (int64_t column = 0; column < at.width; ++column)
        for (int64_t c = 0; c < x.dims[1]; c += kChannels) bin(mine, r, c, std::min(kChannels, x.dims[1] - c), row, column);
    };
    args.parallel.with(y.count() < kParallelElements ? 1 : args.parallel.threads()).run(y.dims[0] * at.height, task);
    return {};
  }
};

class RoiAlignKernel final : public HostKernel {
 public:
  constexpr RoiAlignKernel(const char* name, Isa isa, RoiSum::Function* sum, RoiLargest::Function* largest, RoiCell::Function* cell,
                           const TypedRows& casts) noexcept
      : name_(name),
        key_{.op = OpKind::roi_align, .src = DType::none, .dst = DType::none, .isa = isa},
        sum_(sum),
        largest_(largest),
        cell_(cell),
        casts_(casts) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into this operator");
  }
  // Channels side by side.
  Perm preferred_order(const Problem&, bool output, int index) const noexcept override {
    return output || index == 0 ? channels_last(4) : Perm();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    const RoiAlignAttributes& at = as<RoiAlign>(*args.op)->get();
    const DType t = args.in[0].dtype;
    const TypedRowFunction widen = dtype_is_half(t) ? casts_.cast(t, DType::f32) : nullptr;
    switch (t) {
      case DType::f64: return Job<double, double>{args, at, sum_, largest_, cell_, widen}.run();
      case DType::f16: return Job<StoredF16, float>{args, at, sum_, largest_, cell_, widen}.run();
      case DType::bf16: return Job<StoredBF16, float>{args, at, sum_, largest_, cell_, widen}.run();
      default: return Job<float, float>{args, at, sum_, largest_, cell_, widen}.run();
    }
  }

 private:
  const char* name_;
  KernelKey key_;
  RoiSum::Function* sum_;
  RoiLargest::Function* largest_;
  RoiCell::Function* cell_;
  const TypedRows& casts_;  // of 16-bit floats
};

}  // namespace

KernelList roi_align_kernels() noexcept {
  static const KernelsOfSets<"roi_align.channels", RoiAlignKernel, RoiSum, RoiLargest, RoiCell, TypedRows> channels;
  static const RoiAlignKernel reference("roi_align.reference", Isa::portable, portable::roi_sum, portable::roi_largest, portable::roi_cell,
                                        TypedRows::portable);
  static const auto all = kernel_list(channels, kept<"roi_align.reference", reference>());
  return all;
}

}  // namespace anydim
