// SPDX-License-Identifier: Apache-2.0
// Resize with antialias: along an axis that shrinks, the filter is as much wider, so that a position reads many elements. Their weights
// lie in a table for each axis; elements are summed in the order of docs/numerics.md, section 6.
#include "core/kernels/resize/antialias.h"

#include <algorithm>
#include <cmath>

#include "core/base/checked.h"
#include "core/ops/resize.h"

namespace anydim {

namespace {

#include "core/kernels/simd/half.inl.h"

// Linear and Keys' cubic filter.
double filter(double x, Resize::Mode mode, double a) noexcept {
  x = std::fabs(x);
  if (mode == Resize::Mode::linear) return std::max(1 - x, 0.0);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0;
}

struct AxisTable {
  bool identity = true;
  int64_t taps = 0, in = 0;
  const float* weights = nullptr;  // taps for each position
  const int64_t* first = nullptr;  // the first element of each, maybe outside
  const uint8_t* outside = nullptr;
};

// Room for the weights of an axis of any scale that its dims can have.
int64_t capacity(int64_t in, int64_t out) noexcept {
  return saturating_add(saturating_add(saturating_mul(in, 8), saturating_mul(out, 4)), 16);
}
int64_t bytes_of(int64_t in, int64_t out) noexcept {
  return saturating_add(saturating_mul(capacity(in, out), 4), saturating_mul(out, 9) + 64);
}

// False: more taps than there is room for.
bool fill(const Resize& op, const Resize::Axis& axis, std::byte* room, double* values, AxisTable* to) noexcept {
  to->identity = axis.identity;
  to->in = axis.in;
  if (axis.identity) return true;
  const Resize::Attributes& at = op.get();
  const double scale = std::min(axis.scale, 1.0), reach = at.mode == Resize::Mode::linear ? 1 : 2;
  const double begin = std::floor(-reach / scale) + 1, taps = 2 - 2 * begin;
  if (!(taps * static_cast<double>(axis.out) <= static_cast<double>(capacity(axis.in, axis.out)))) return false;
  to->taps = static_cast<int64_t>(taps);
  auto* first = reinterpret_cast<int64_t*>(room);
  auto* weights = reinterpret_cast<float*>(first + axis.out);
  auto* outside = reinterpret_cast<uint8_t*>(weights + capacity(axis.in, axis.out));
  to->first = first, to->weights = weights, to->outside = outside;
  for (int64_t x = 0; x < axis.out; ++x, weights += to->taps) {
    bool out = false;
    const double c = op.coordinate(axis, x, &out);
    outside[x] = static_cast<uint8_t>(out);
    const double base = std::ceil(c) - 1, ratio = c - base;  // 0 < ratio <= 1
    first[x] = static_cast<int64_t>(base + begin);
    double sum = 0, inside = 0;
    for (int64_t i = 0; i < to->taps; ++i) {
      values[i] = filter((begin + static_cast<double>(i) - ratio) * scale, at.mode, static_cast<double>(at.cubic_coeff_a));
      sum += values[i];
    }
    for (int64_t i = 0; i < to->taps; ++i) {
      values[i] /= sum;
      const int64_t place = first[x] + i;
      if (at.exclude_outside && (place < 0 || place >= axis.in)) values[i] = 0;
      inside += values[i];
    }
    for (int64_t i = 0; i < to->taps; ++i) weights[i] = static_cast<float>(at.exclude_outside ? values[i] / inside : values[i]);
  }
  return true;
}

template <class T> struct Point {
  const TensorView* src;
  const AxisTable* axes;
  int64_t at[kMaxRank];

  // Axes from `axis` on, with the source offset of those before: the last axis is interpolated first.
  float value(int axis, int64_t offset) const noexcept {
    if (axis == src->dims.rank) return src->as<const T>()[offset];
    const AxisTable& t = axes[axis];
    const int64_t stride = src->strides[axis];
    if (t.identity) return value(axis + 1, offset + at[axis] * stride);
    const float* w = t.weights + at[axis] * t.taps;
    const int64_t first = t.first[at[axis]];
    const auto tap = [&](int64_t i) { return value(axis + 1, offset + std::clamp<int64_t>(first + i, 0, t.in - 1) * stride); };
    float y = w[0] * tap(0);
    for (int64_t i = 1; i < t.taps; ++i)
      if (w[i] != 0.f) y = std::fma(w[i], tap(i), y);
    return y;
  }
};

template <class T> void run_points(const Args& args, const AxisTable* axes) noexcept {
  const TensorView &src = args.in[0], &dst = args.out[0];
  const float beyond = as<Resize>(*args.op)->get().extrapolation_value;
  const int rank = dst.dims.rank;
  const int64_t lines = dst.count() / dst.dims[rank - 1];
  args.parallel.run(lines, [&](int64_t line, int) {
    Point<T> p{&src, axes, {}};
    int64_t to = 0, rest = line;
    bool outside = false;
    for (int a = rank - 2; a >= 0; --a) {
      p.at[a] = rest % dst.dims[a];
      rest /= dst.dims[a];
      to += p.at[a] * dst.strides[a];
      outside = outside || (!axes[a].identity && axes[a].outside[p.at[a]] != 0);
    }
    const AxisTable& last = axes[rank - 1];
    for (int64_t x = 0; x < dst.dims[rank - 1]; ++x) {
      p.at[rank - 1] = x;
      const bool out = outside || (!last.identity && last.outside[x] != 0);
      dst.as<T>()[to + x * dst.strides[rank - 1]] = out ? beyond : p.value(0, 0);
    }
  });
}

class AntialiasKernel final : public HostKernel {
 public:
  const char* name() const noexcept override { return "resize.antialias.portable"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    if (!static_cast<const Resize*>(p.op)->get().antialias) return no("there is no antialias");
    if (p.in[0].dtype != DType::f32 && !dtype_is_half(p.in[0].dtype)) return no("linear and cubic resize take f32 and 16-bit floats");
    return p.post_ops->count > 0 ? no("resize takes no post-ops") : yes();
  }
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = scratch(args.in[0].dims, args.out[0].dims); }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims> out, int) const noexcept override {
    return scratch(in[0], out[0]);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const auto& op = *static_cast<const Resize*>(args.op);
    const TensorView &src = args.in[0], &dst = args.out[0];
    if (dst.count() == 0) return {};
    AxisTable axes[kMaxRank];
    auto* values = static_cast<double*>(args.scratch);
    std::byte* room = reinterpret_cast<std::byte*>(values + longest(src.dims, dst.dims));
    for (int a = 0; a < dst.dims.rank; ++a) {
      const Resize::Axis axis = op.axis(a, src.dims, dst.dims, args.dim_attributes);
      if (!fill(op, axis, room, values, &axes[a]))
        return error(Code::invalid_data, "resize: axis {} of {} elements becomes {} by scale {}; a position would read too many", a,
                     axis.in, axis.out, axis.scale);
      room += bytes_of(src.dims[a], dst.dims[a]) / 64 * 64;
    }
    if (src.dtype == DType::f16) run_points<StoredF16>(args, axes);
    else if (src.dtype == DType::bf16) run_points<StoredBF16>(args, axes);
    else run_points<float>(args, axes);
    return {};
  }

 private:
  // One position's weights in binary64, then the tables.
  static int64_t longest(const Dims& in, const Dims& out) noexcept {
    int64_t n = 0;
    for (int a = 0; a < in.rank; ++a) n = std::max(n, capacity(in[a], out[a]));
    return saturating_mul(saturating_add(n, 7) / 8, 8);
  }
  static int64_t scratch(const Dims& in, const Dims& out) noexcept {
    int64_t bytes = saturating_mul(longest(in, out), 8);
    for (int a = 0; a < in.rank; ++a) bytes = saturating_add(bytes, bytes_of(in[a], out[a]));
    return bytes;
  }

  KernelKey key_{OpKind::resize, DType::none, DType::none};
};

const AntialiasKernel kernel;

}  // namespace

constinit const HostKernel* const kResizeAntialias = &kernel;

}  // namespace anydim
