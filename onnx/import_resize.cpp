// SPDX-License-Identifier: Apache-2.0
// Resize in all its versions, and Upsample, which it replaced in opset 10. Scales and regions that only a run knows are read by it in
// units of 2^-40, in which they are integers (Resize::kPartBits).
#include <algorithm>
#include <cmath>

#include "core/ops/grid_sample.h"
#include "core/ops/resize.h"
#include "onnx/operators.h"

namespace anydim::onnx {
namespace {

using Mode = Resize::Mode;
using Coordinates = Resize::Coordinates;
using Nearest = Resize::Nearest;
using Policy = Resize::AspectPolicy;

constexpr int64_t kOne = INT64_C(1) << Resize::kPartBits;
// Binary32 has 24 bits: what is smaller may be no whole number of parts.
constexpr int64_t kLeast = kOne >> 16, kMost = kOne << 21;

std::vector<float> floats_of(NodeImport& n, size_t input, const char* what) {
  std::vector<float> out;
  for (const double s : n.real_numbers(input, what)) out.push_back(static_cast<float>(s));
  return out;
}

bool known_now(NodeImport& n, size_t input) {
  const Value& v = n.graph().value(n.in(input));
  const auto number = [](Dim d) { return d.is_number(); };
  return v.constant != nullptr || (v.content.known && std::all_of(v.content.elements.begin(), v.content.elements.end(), number));
}

std::vector<Dim> integers_of(NodeImport& n, ValueId v, const char* what) {
  if (!n.ok()) return {};
  n.graph().read_content(v);
  const Content& content = n.graph().value(v).content;
  if (content.known && content.denominator == 1) return content.elements;
  n.unsupported("{} has dims {}; expected a number of elements that is known when the model is loaded, and small", what,
                n.pool().text(n.dims(v)));
  return {};
}

// Floats as parts. What is no number is beyond all that a guard allows.
std::vector<Dim> parts_of(NodeImport& n, size_t input, const char* what) {
  const ValueId v = n.cast(n.cast(n.in(input), DType::f32), DType::f64);
  const ValueId parts = n.binary(BinaryFunction::mul, v, n.scalar(DType::f64, static_cast<double>(kOne)));
  const ValueId sound = n.where(n.binary(BinaryFunction::equal, v, v), parts, n.scalar(DType::f64, 0x1p62));
  return integers_of(n, n.cast(sound, DType::i64), what);
}

// Scales that a run reads, and the lengths that they make of the dims of x along these axes (none: all): as ONNX Runtime does, the product
// in binary32, rounded down.
struct RunTimeScales {
  std::vector<Dim> parts, lengths;
};
RunTimeScales scales_of_run(NodeImport& n, size_t input, ValueId x, const RankArray<int64_t>& axes) {
  RunTimeScales s;
  s.parts = parts_of(n, input, "scales");
  const size_t expected = static_cast<size_t>(axes.empty() ? n.rank(x) : axes.size());
  if (n.ok() && s.parts.size() != expected) n.wrong("scales has {} entries; expected {}", s.parts.size(), expected);
  if (!n.ok()) return s;
  std::vector<Dim> dims;
  for (size_t i = 0; i < expected; ++i)
    dims.push_back(n.dims(x)[axes.empty() ? static_cast<int>(i) : static_cast<int>(axes[static_cast<int>(i)])]);
  for (size_t i = 0; i < expected; ++i) {
    n.require(n.pool().less(0, s.parts[i]), formatted("scale {} is a positive number", i));
    n.require_here(n.pool().less(kLeast - 1, n.pool().min(s.parts[i], n.pool().sub(kMost, s.parts[i]))),
                   formatted("scale {} is from 2^-16 to 2^20", i));
    n.require_here(n.pool().less(dims[i], INT64_C(1) << 24),
                   formatted("dim {} that a scale of the run resizes is below 2^24", n.pool().text(dims[i])));
  }
  const ValueId from = n.cast(n.shape(DType::i64, {static_cast<int64_t>(expected)}, dims), DType::f32);
  const ValueId to = n.unary(UnaryFunction::floor, n.binary(BinaryFunction::mul, from, n.cast(n.in(input), DType::f32)));
  s.lengths = integers_of(n, n.cast(to, DType::i64), "what scales make of the dims");
  return s;
}

SymDims dims_of(const std::vector<Dim>& list) { return SymDims(std::span<const Dim>(list)); }

// Upsample, and Resize as it was in opset 10: scales for every axis, coordinates divided. Nearest rounds down along axes
// that grow and up along axes that shrink.
Resize::Attributes divided_coordinates(NodeImport& n) {
  constexpr Mode kModes[] = {Mode::nearest, Mode::linear, Mode::linear};
  Resize::Attributes a;
  a.mode = kModes[n.choice("mode", "nearest", {"nearest", "linear", "bilinear"})];
  a.coordinates = Coordinates::asymmetric;
  a.nearest = Nearest::floor;
  return a;
}

void resize_by_scales(NodeImport& n, const std::vector<float>& scales) {
  Resize::Attributes a = divided_coordinates(n);
  ValueId x = n.in(0);
  if (n.ok() && scales.size() != static_cast<size_t>(n.rank(x)))
    return n.wrong("scales has {} entries; input 0 has rank {}", scales.size(), n.rank(x));
  // The axes one by one in any order give the same: nearest copies.
  Resize::Attributes shrinking = a;
  shrinking.nearest = Nearest::ceil;
  for (size_t i = 0; i < scales.size() && a.mode == Mode::nearest; ++i) {
    if (!(scales[i] < 1.f)) continue;
    shrinking.axes.push_back(static_cast<int>(i));
    shrinking.scales.push_back(scales[i]);
  }
  a.scales = scales;
  if (!shrinking.axes.empty()) {
    for (const int64_t axis : shrinking.axes) a.scales[static_cast<size_t>(axis)] = 1.f;
    x = n.add(Resize::make(shrinking), {x});
    if (std::all_of(a.scales.begin(), a.scales.end(), [](float s) { return s == 1.f; })) return n.out(0, x);
  }
  n.out(0, n.add(Resize::make(a), {x}));
}

// The same by scales of the run, of which each may be below 1 or not: axes are resized by min(scale, 1), then by max(scale, 1).
void resize_by_scales_of_run(NodeImport& n, const RunTimeScales& s, bool shrinks) {
  Resize::Attributes a = divided_coordinates(n);
  ValueId x = n.in(0);
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  a.sizes = dims_of(s.lengths);
  if (a.mode != Mode::nearest || !shrinks) {
    a.scale_parts = dims_of(s.parts);
    return n.out(0, n.add(Resize::make(a), {x}));
  }
  Resize::Attributes shrinking = a;
  shrinking.nearest = Nearest::ceil;
  for (size_t i = 0; i < s.parts.size(); ++i) {
    const int axis = static_cast<int>(i);
    shrinking.sizes[axis] = pool.select(pool.less(s.parts[i], kOne), s.lengths[i], n.dims(x)[axis]);
    shrinking.scale_parts.push_back(pool.min(s.parts[i], kOne));
    a.scale_parts.push_back(pool.max(s.parts[i], kOne));
  }
  x = n.add(Resize::make(shrinking), {x});
  n.out(0, n.add(Resize::make(a), {x}));
}

void upsample(NodeImport& n) {
  std::vector<float> scales;
  if (n.opset() >= 9 && n.ok() && !known_now(n, 1)) {
    const RunTimeScales of_run = scales_of_run(n, 1, n.in(0), {});
    for (size_t i = 0; i < of_run.parts.size(); ++i)
      n.require(n.pool().less(kOne - 1, of_run.parts[i]), formatted("scale {} is 1 or more", i));
    return resize_by_scales_of_run(n, of_run, false);
  }
  if (n.opset() < 7) scales = {1.f, 1.f, n.real("height_scale", 1.f), n.real("width_scale", 1.f)};
  else scales = n.opset() < 9 ? n.reals("scales") : floats_of(n, 1, "scales");
  for (const float s : scales)
    if (s < 1.f) n.wrong("scales holds {}; expected 1 or more", s);
  resize_by_scales(n, scales);
}

// An optional input may be left out, or be there without elements.
bool given(NodeImport& n, size_t i) {
  if (!n.has(i)) return false;
  const SymDims& d = n.dims(n.in(i));
  return !(d.rank == 1 && d[0].is(0));
}

// Of scales of the run, as below of those that are known.
void require_whole_lengths(NodeImport& n, ValueId x, const Resize::Attributes& a) {
  DimPool& pool = n.pool();
  for (int i = 0; i < a.scale_parts.size() && n.ok(); ++i) {
    const int at = a.axes.empty() ? i : static_cast<int>(a.axes[i]);
    const Dim length = pool.mul(n.dims(x)[at], a.scale_parts[i]), above = pool.mod(length, kOne);
    const Dim far = pool.mul(pool.min(above, pool.sub(kOne, above)), 100'000);
    n.require_here(pool.sub(1, pool.less(length, far)), formatted("align_corners by scale {} gives a whole number of elements", i));
  }
}

// Where the region begins in each axis, then where it ends.
void take_region(NodeImport& n, Resize::Attributes* a) {
  const std::vector<Dim> parts = parts_of(n, 1, "roi");
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  const auto axes = static_cast<size_t>(a->sizes.empty() ? static_cast<int>(a->scales.size()) : a->sizes.size());
  if (parts.size() != 2 * axes) return n.wrong("roi has {} entries; expected {}", parts.size(), 2 * axes);
  for (size_t i = 0; i < parts.size(); ++i) {
    const Dim size = pool.max(parts[i], pool.sub(0, parts[i]));
    n.require_here(pool.select(pool.equal(size, 0), 1, pool.less(kLeast - 1, pool.min(size, pool.sub(kMost, size)))),
                   formatted("roi[{}] is 0, or 2^-16 to 2^20 in size", i));
    (i < axes ? a->roi_begin_parts : a->roi_end_parts).push_back(parts[i]);
  }
}

void resize(NodeImport& n) {
  if (n.opset() < 11) {
    if (n.ok() && !known_now(n, 1)) return resize_by_scales_of_run(n, scales_of_run(n, 1, n.in(0), {}), true);
    return resize_by_scales(n, floats_of(n, 1, "scales"));
  }
  const ValueId x = n.in(0);
  Resize::Attributes a;
  constexpr Mode kModes[] = {Mode::nearest, Mode::linear, Mode::cubic};
  a.mode = kModes[n.choice("mode", "nearest", {"nearest", "linear", "cubic"})];
  constexpr Coordinates kCoordinates[] = {
      Coordinates::half_pixel, Coordinates::half_pixel_symmetric, Coordinates::pytorch_half_pixel, Coordinates::align_corners,
      Coordinates::asymmetric, Coordinates::tf_half_pixel_for_nn, Coordinates::tf_crop_and_resize};
  a.coordinates = kCoordinates[n.choice("coordinate_transformation_mode", "half_pixel",
                                        {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                                         "tf_half_pixel_for_nn", "tf_crop_and_resize"})];
  constexpr Nearest kNearest[] = {Nearest::round_prefer_floor, Nearest::round_prefer_ceil, Nearest::floor, Nearest::ceil};
  a.nearest = kNearest[n.choice("nearest_mode", "round_prefer_floor", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})];
  constexpr Policy kPolicies[] = {Policy::stretch, Policy::not_larger, Policy::not_smaller};
  a.policy = kPolicies[n.choice("keep_aspect_ratio_policy", "stretch", {"stretch", "not_larger", "not_smaller"})];
  a.exclude_outside = n.integer("exclude_outside", 0) != 0;
  a.cubic_coeff_a = n.real("cubic_coeff_a", -0.75f);
  a.extrapolation_value = n.real("extrapolation_value", 0.f);
  if (n.integer("antialias", 0) != 0) n.unsupported("antialias is 1; expected 0");
  for (const int64_t axis : n.integers("axes")) a.axes.push_back(n.axis(axis, n.rank(x)));
  if (given(n, 3)) {
    const std::vector<Dim> sizes = n.elements(3, "sizes");
    if (sizes.size() > kMaxRank) return n.unsupported("sizes has {} entries; expected at most {}", sizes.size(), kMaxRank);
    a.sizes = SymDims(std::span<const Dim>(sizes));
  } else if (n.in(2) == kNoValue || known_now(n, 2)) {
    a.scales = floats_of(n, 2, "scales");
  } else {
    const RunTimeScales s = scales_of_run(n, 2, x, a.axes);
    a.sizes = dims_of(s.lengths);
    a.scale_parts = dims_of(s.parts);
    if (a.coordinates == Coordinates::align_corners) require_whole_lengths(n, x, a);
  }
  // "The resized length" of align_corners is the output's dim for some runtimes and in * scale for others (the onnx
  // package's own expectation): only where the two are one number is the answer known.
  if (a.coordinates == Coordinates::align_corners)
    for (size_t i = 0; i < a.scales.size() && n.ok(); ++i) {
      const int at = static_cast<int>(a.axes.empty() ? static_cast<int64_t>(i) : a.axes[static_cast<int>(i)]);
      const Dim d = at < n.rank(x) ? n.dims(x)[at] : Dim(1);
      const double out = static_cast<double>(a.scales[i]) * (d.is_number() ? static_cast<double>(d.number()) : 1.0);
      if (std::fabs(out - std::nearbyint(out)) > 1e-5 * out)
        n.unsupported("align_corners with scale {} of dim {} ({}); expected a whole number of elements, or sizes", a.scales[i], at,
                      n.pool().text(d));
    }
  if (a.coordinates == Coordinates::tf_crop_and_resize) {
    if (n.in(1) == kNoValue || known_now(n, 1)) a.roi = floats_of(n, 1, "roi");
    else take_region(n, &a);
  }
  n.out(0, n.add(Resize::make(a), {x}));
}

// The names of modes changed in opset 20, when spatial axes became any number.
void grid_sample(NodeImport& n) {
  constexpr GridSampleMode kModes[] = {GridSampleMode::linear, GridSampleMode::nearest, GridSampleMode::cubic};
  constexpr GridSamplePadding kPaddings[] = {GridSamplePadding::zeros, GridSamplePadding::border, GridSamplePadding::reflection};
  GridSample::Attributes a;
  a.mode = kModes[n.opset() < 20 ? n.choice("mode", "bilinear", {"bilinear", "nearest", "bicubic"})
                                 : n.choice("mode", "linear", {"linear", "nearest", "cubic"})];
  a.padding = kPaddings[n.choice("padding_mode", "zeros", {"zeros", "border", "reflection"})];
  // Beyond the border the onnx package's reference takes the border's value, PyTorch and ONNX Runtime weigh taps that are each
  // drawn to the border.
  if (a.mode == GridSampleMode::cubic && a.padding == GridSamplePadding::border)
    n.unsupported("mode is cubic with padding_mode border, which engines read in two ways; expected another padding_mode");
  a.align_corners = n.integer("align_corners", 0) != 0;
  n.out(0, n.add(GridSample::make(a), {n.in(0), n.in(1)}));
}

constexpr Importer kTable[] = {
    {"GridSample", 16, grid_sample},
    {"Resize", 10, resize},
    {"Upsample", 1, upsample},
};

}  // namespace

std::span<const Importer> resize_importers() { return kTable; }

}  // namespace anydim::onnx
