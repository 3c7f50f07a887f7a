// SPDX-License-Identifier: Apache-2.0
// Resize: checks, shape rule, and the coordinate rules for actual dims (docs/numerics.md section 6).
#include "core/ops/operators/resize.h"

#include <bit>
#include <cmath>

#include "core/ops/check.h"
#include "core/ops/requirements.h"

namespace anydim {

namespace {

// A scale as p / 2^shift with small p and shift, which makes floor(in * scale) exact in integers. Nearly every model's
// scales are of this form.
bool as_dyadic(float scale, int64_t* p, int* shift) {
  double v = scale;
  for (*shift = 0; *shift <= 10; ++*shift, v *= 2)
    if (v == std::floor(v) && v < 65536) return *p = static_cast<int64_t>(v), true;
  return false;
}

// A scale as p / q, for the lengths up to `most` alone: there floor(length * p / q) is what the product in binary32 gives. A product
// whose quotient is not whole is 1 / q or more away from the next integer, which two roundings do not bridge at these lengths; those
// that are whole are tried where the scale is below p / q.
bool as_ratio(float scale, int64_t* p, int64_t* q, int64_t* most) {
  constexpr int64_t kExact = INT64_C(1) << 24;  // lengths below it are numbers of binary32
  const double s = scale;
  double rest = s, p1 = 1, p0 = 0, q1 = 0, q0 = 1;  // continued fraction
  for (int i = 0; i < 20 && (i == 0 || static_cast<float>(p1 / q1) != scale); ++i) {
    const double whole = std::floor(rest), p2 = whole * p1 + p0, q2 = whole * q1 + q0;
    if (p2 >= kExact || q2 >= kExact) return false;
    p0 = p1, p1 = p2, q0 = q1, q1 = q2;
    if (rest == whole) break;
    rest = 1 / (rest - whole);
  }
  if (p1 < 1 || static_cast<float>(p1 / q1) != scale) return false;
  *p = static_cast<int64_t>(p1), *q = static_cast<int64_t>(q1);
  const double away = std::fabs(s * q1 / p1 - 1) + 0x1.00001p-24;
  *most = static_cast<int64_t>(std::fmin(1 / (away * p1), kExact)) - 1;
  if (s * q1 < p1)
    for (int64_t length = *q, whole = *p; length <= *most; length += *q, whole += *p)
      if (static_cast<float>(length) * scale < static_cast<float>(whole)) *most = length - 1;
  return *most >= 1 << 16;
}

// Position of `axis` in the attribute's list of axes; -1 if it is not resized.
int index_of(const RankArray<int64_t>& axes, int axis, int listed) {
  if (axes.empty()) return axis < listed ? axis : -1;
  for (int i = 0; i < axes.size(); ++i)
    if (axes[i] == axis) return i;
  return -1;
}

}  // namespace

bool Resize::scales_symbols(float scale) noexcept {
  int64_t p = 0, q = 0, most = 0;
  int shift = 0;
  return as_dyadic(scale, &p, &shift) || as_ratio(scale, &p, &q, &most);
}

Status Resize::normalize(Attributes* a) {
  if (a->scales.empty() == a->sizes.empty())
    return invalid("resize has {} scales and {} sizes; expected one of the two", a->scales.size(), a->sizes.size());
  const int n = static_cast<int>(a->scales.size()) + a->sizes.size();
  if (!a->scale_bits.empty() && (a->sizes.size() != a->scale_bits.size() || a->policy != AspectPolicy::stretch))
    return invalid("resize has {} scale_bits; they go with as many sizes, which policy stretch takes as they are", a->scale_bits.size());
  if (!a->axes.empty() && a->axes.size() != n) return invalid("resize names {} axes and gives {} scales or sizes", a->axes.size(), n);
  for (int i = 0; i < a->axes.size(); ++i)
    for (int j = 0; j < i; ++j)
      if (a->axes[j] == a->axes[i]) return invalid("resize axis {} is listed twice", a->axes[i]);
  for (float s : a->scales)
    if (!(s > 0) || !std::isfinite(s)) return invalid("resize scale is {}; expected a positive number", s);
  if (a->coordinates == Coordinates::tf_crop_and_resize) {
    const size_t roi_count = a->roi_bits.empty() ? a->roi.size() : static_cast<size_t>(a->roi_bits.size());
    if (!a->roi_bits.empty() && !a->roi.empty()) return invalid("resize has roi and roi_bits; expected one of the two");
    if (roi_count != 2 * static_cast<size_t>(n)) return invalid("tf_crop_and_resize needs roi with {} values; found {}", 2 * n, roi_count);
    for (float r : a->roi)
      if (!std::isfinite(r)) return invalid("roi holds {}; expected finite numbers", r);
  } else {
    a->roi.clear();  // ONNX: read by tf_crop_and_resize only
    a->roi_bits = {};
  }
  if (a->mode == Mode::nearest) a->antialias = false;
  if (a->policy != AspectPolicy::stretch && a->sizes.empty())
    return invalid("keep_aspect_ratio_policy goes with sizes, and there are scales");
  return {};
}

// One scale for all axes, the smallest or the largest of size / dim: the dim times it, rounded to the nearest, half up. Exact in integers.
Dim Resize::kept_ratio(DimPool& pool, const SymDims& from, int axis, int listed) const {
  Dim size = 0, dim = 0;  // of the axis that decides
  for (int a = 0; a < from.rank; ++a) {
    const int i = index_of(at_.axes, a, listed);
    if (i < 0) continue;
    if (dim.is(0)) {
      size = at_.sizes[i], dim = from[a];
      continue;
    }
    const Dim mine = pool.mul(at_.sizes[i], dim), best = pool.mul(size, from[a]);
    const Dim wins = at_.policy == AspectPolicy::not_larger ? pool.less(mine, best) : pool.less(best, mine);
    size = pool.select(wins, at_.sizes[i], size);
    dim = pool.select(wins, from[a], dim);
  }
  const Dim safe = pool.max(dim, 1);
  return pool.floor_div(pool.add(pool.mul(pool.mul(size, from[axis]), 2), safe), pool.mul(safe, 2));
}

Status Resize::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 1, 1));
  const int n = static_cast<int>(at_.scales.size()) + at_.sizes.size();
  const SymDims& from = in[0].dims;
  if (at_.axes.empty() && from.rank != n) return invalid("input 0 has rank {}; resize gives {} scales or sizes", from.rank, n);
  for (int64_t a : at_.axes)
    if (a >= from.rank) return invalid("input 0 has rank {}; resize names axis {}", from.rank, a);

  out[0] = in[0];
  for (int a = 0; a < from.rank; ++a) {
    const int i = index_of(at_.axes, a, n);
    if (i < 0) continue;
    Dim& d = out[0].dims[a];
    if (!at_.sizes.empty()) {
      d = at_.policy == AspectPolicy::stretch ? at_.sizes[i] : kept_ratio(pool, from, a, n);
      if (d.is_number() && d.number() < 0) return invalid("size of axis {} is {}; expected at least 0", a, d.number());
    } else {
      const float scale = at_.scales[static_cast<size_t>(i)];
      int64_t p = 0, q = 0, most = 0;
      int shift = 0;
      if (as_dyadic(scale, &p, &shift)) {
        d = pool.floor_div(pool.mul(d, p), INT64_C(1) << shift);
      } else if (d.is_number()) {
        // ONNX's shape inference and ONNX Runtime multiply in binary32; so 10 * 0.7f is 7 and not 6.
        const float product = static_cast<float>(d.number()) * scale;
        if (!(product < 9e18f)) return invalid("dim {} of {} times scale {} is too large", a, d.number(), scale);
        d = static_cast<int64_t>(std::floor(product));
      } else if (as_ratio(scale, &p, &q, &most)) {
        ANYDIM_TRY(require_at_most(pool, d, most, "axis {} times scale {}", a, scale));
        d = pool.floor_div(pool.mul(d, p), q);
      } else {
        return unimplemented("scale {} of the dynamic dim {}; expected a multiple of 1/1024 or a ratio of smaller integers", scale, a);
      }
    }
    if (at_.policy != AspectPolicy::stretch && from[a].is(0)) return invalid("input 0 dim {} is 0; its ratio cannot be kept", a);
    if (from[a].is(0) && d.is_number() && d.number() > 0) return invalid("input 0 dim {} is 0; it cannot be resized to {}", a, d.number());
    if (at_.scales.empty() && !pool.provably_equal(from[a], d)) ANYDIM_TRY(require_source(pool, from[a], d, "axis {}", a));
  }
  return {};
}

Resize::Axis Resize::axis(int which, const Dims& in, const Dims& out, std::span<const int64_t> sizes) const noexcept {
  Axis x;
  x.in = in[which];
  x.out = out[which];
  const int n = static_cast<int>(at_.scales.size()) + at_.sizes.size();
  const int i = index_of(at_.axes, which, n);
  if (i < 0) return x;
  const auto as_real = [&](int k) {
    return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(sizes[static_cast<size_t>(k)])));
  };
  if (!at_.scales.empty()) {
    x.scale = static_cast<double>(at_.scales[static_cast<size_t>(i)]);
  } else if (!at_.scale_bits.empty()) {
    x.scale = as_real(n + i);
  } else {
    x.scale = static_cast<double>(x.out) / static_cast<double>(x.in);
    if (at_.policy != AspectPolicy::stretch) {
      double common = 0;
      for (int a = 0; a < in.rank; ++a) {
        const int j = index_of(at_.axes, a, n);
        if (j < 0) continue;
        const double s = static_cast<double>(sizes[static_cast<size_t>(j)]) / static_cast<double>(in[a]);
        common = common == 0 ? s : at_.policy == AspectPolicy::not_larger ? std::fmin(common, s) : std::fmax(common, s);
      }
      x.scale = common;
    }
  }
  x.identity = x.in == x.out && x.scale == 1.0;
  if (at_.coordinates == Coordinates::tf_crop_and_resize) {
    const int bits = at_.sizes.size() + at_.scale_bits.size();  // where roi_bits begin
    x.roi_begin = at_.roi_bits.empty() ? static_cast<double>(at_.roi[static_cast<size_t>(i)]) : as_real(bits + i);
    x.roi_end = at_.roi_bits.empty() ? static_cast<double>(at_.roi[static_cast<size_t>(i + n)]) : as_real(bits + n + i);
    x.identity = x.identity && x.roi_begin == 0.0 && x.roi_end == 1.0;
  }
  return x;
}

}  // namespace anydim
