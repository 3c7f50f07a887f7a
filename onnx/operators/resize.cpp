// SPDX-License-Identifier: Apache-2.0
// Resize in all its versions, and Upsample, which it replaced in opset 10.
#include <algorithm>
#include <cmath>

#include "core/ops/operators/bit_cast.h"
#include "core/ops/operators/grid_sample.h"
#include "core/ops/operators/resize.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

using Mode = Resize::Mode;
using Coordinates = Resize::Coordinates;
using Nearest = Resize::Nearest;
using Policy = Resize::AspectPolicy;

std::vector<float> scales_of(NodeImport& n, size_t input) {
  std::vector<float> out;
  for (const double s : n.real_numbers(input, "scales")) out.push_back(static_cast<float>(s));
  return out;
}

// --- scales and regions that a node computes -------------------------------------------------------------------------

bool is_computed(NodeImport& n, size_t i) {
  if (!n.has(i)) return false;
  const Value& v = n.value(n.in(i));
  return v.constant == nullptr && !v.shape_values.known;
}

// Scales by which a run multiplies: those that nodes compute, and constants of no ratio if a length is dynamic.
bool scales_in_runs(NodeImport& n, size_t i, const RankArray<int64_t>& axes = {}) {
  if (is_computed(n, i)) return true;
  const std::vector<float> scales = scales_of(n, i);
  const SymDims& dims = n.dims(n.in(0));
  if (!n.ok() || scales.size() != static_cast<size_t>(axes.empty() ? dims.rank : axes.size())) return false;
  for (size_t k = 0; k < scales.size(); ++k) {
    const int axis = axes.empty() ? static_cast<int>(k) : static_cast<int>(axes[static_cast<int>(k)]);
    if (!dims[axis].is_number() && scales[k] > 0 && std::isfinite(scales[k]) && !Resize::scales_symbols(scales[k])) return true;
  }
  return false;
}

// The bits of a small float tensor's elements, which a run reads.
std::vector<Dim> bits_of(NodeImport& n, size_t i, const char* what) {
  const ValueId bits = n.add(BitCast::make(DType::i32), {n.cast(n.in(i), DType::f32)});
  if (!n.ok()) return {};
  if (!n.graph().read_content(bits) || n.value(bits).shape_values.elements.size() > static_cast<size_t>(kMaxRank)) {
    n.unsupported("input {} ({}) is computed by nodes and has dims {}; expected a vector of at most {}", i, what,
                  n.pool().text(n.dims(n.in(i))), kMaxRank);
    return {};
  }
  return n.value(bits).shape_values.elements;
}

// Output dims by computed scales: floor(dim * scale), the product rounded to binary32. A run with a scale that is not above 0 is refused,
// one that makes a dim too large, and one with align_corners whose products are not whole, about whose meaning runtimes disagree.
void size_by_computed_scales(NodeImport& n, size_t input, Resize::Attributes* a) {
  using Binary = BinaryFunction;
  using Unary = UnaryFunction;
  const ValueId x = n.in(0);
  n.declare_length(input, a->axes.empty() ? n.rank(x) : a->axes.size());
  const ValueId scales = n.in(input);
  const std::vector<Dim> bits = bits_of(n, input, "scales");
  std::vector<Dim> dims;
  for (size_t i = 0; i < bits.size() && n.ok(); ++i) {
    const int64_t axis = a->axes.empty()                           ? static_cast<int64_t>(i)
                         : i < static_cast<size_t>(a->axes.size()) ? a->axes[static_cast<int>(i)]
                                                                   : -1;
    if (axis < 0 || axis >= n.rank(x)) return n.wrong("scales has {} entries; input 0 has rank {}", bits.size(), n.rank(x));
    dims.push_back(n.dims(x)[static_cast<int>(axis)]);
  }
  if (!n.ok()) return;
  const auto number = [&](double v) { return n.scalar(DType::f32, v); };
  const auto count = static_cast<int64_t>(dims.size());
  const ValueId product = n.binary(Binary::mul, n.cast(n.shape(DType::i64, {count}, dims), DType::f32), n.cast(scales, DType::f32));
  const ValueId positive = n.binary(Binary::less, number(0), n.cast(scales, DType::f32));
  const ValueId fits = n.binary(Binary::less, product, number(9e15));
  // What is no size says why there is none.
  constexpr int64_t kBadScale = -1, kNotWhole = -2, kTooLarge = -3;
  ValueId whole = n.cast(n.unary(Unary::floor, product), DType::i64);
  if (a->coordinates == Coordinates::align_corners) {
    const ValueId nearest = n.unary(Unary::round_even, product), away = n.unary(Unary::abs, n.binary(Binary::sub, product, nearest));
    const ValueId is_whole = n.binary(Binary::less_equal, away, n.binary(Binary::mul, product, number(1e-5)));
    whole = n.where(is_whole, n.cast(nearest, DType::i64), n.scalar(DType::i64, kNotWhole));
  }
  const ValueId sized = n.where(fits, whole, n.scalar(DType::i64, kTooLarge));
  const ValueId sizes = n.where(positive, sized, n.scalar(DType::i64, kBadScale));
  if (!n.ok() || !n.graph().read_content(sizes))
    return n.unsupported("input scales is computed by nodes and has dims {}; expected fewer elements", n.pool().text(n.dims(sizes)));
  DimPool& pool = n.pool();
  for (const Dim d : n.value(sizes).shape_values.elements) {
    if (a->coordinates == Coordinates::align_corners)  // ONNX allows it
      n.graph().add_guard(pool.sub(1, pool.equal(d, kNotWhole)), std::string(NodeImport::name_of(n.proto())),
                          "with align_corners dims times scales are whole numbers", 1);
    const size_t at = static_cast<size_t>(a->sizes.size());
    n.require(pool.sub(1, pool.equal(d, kBadScale)), formatted("scales[{}] is a number above 0", at));
    n.require(pool.less(-1, d), formatted("the dim {} times scales[{}] is below 9e15", pool.text(dims[at]), at));
    a->sizes.push_back(d);
  }
  a->scale_bits = SymDims(std::span<const Dim>(bits));
}

// As resize_by_scales(), by scales that a node computes: where an axis shrinks only a run knows, so each of the two gets a scale of 1
// for the other one's axes.
void resize_by_computed_scales(NodeImport& n) {
  constexpr Mode kModes[] = {Mode::nearest, Mode::linear, Mode::linear};
  constexpr int64_t kBelowOne = 0x3f7fffff, kOne = 0x3f800000;  // bits of positive numbers are in their order
  Resize::Attributes a;
  a.mode = kModes[n.choice("mode", "nearest", {"nearest", "linear", "bilinear"})];
  a.coordinates = Coordinates::asymmetric;
  a.nearest = Nearest::floor;
  size_by_computed_scales(n, 1, &a);
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  ValueId x = n.in(0);
  const bool shrinks = n.proto().op_type == "Resize";
  if (!shrinks)
    for (const Dim bits : a.scale_bits) n.require(pool.less(kBelowOne, bits), "scales that nodes compute are 1 or more");
  if (shrinks && a.mode == Mode::nearest) {
    Resize::Attributes shrinking = a;
    shrinking.nearest = Nearest::ceil;
    for (int i = 0; i < a.scale_bits.size(); ++i) {
      const Dim grows = pool.less(kBelowOne, a.scale_bits[i]);
      shrinking.scale_bits[i] = pool.select(grows, kOne, a.scale_bits[i]);
      shrinking.sizes[i] = pool.select(grows, n.dims(x)[i], a.sizes[i]);
      a.scale_bits[i] = pool.select(grows, a.scale_bits[i], kOne);
    }
    x = n.add(Resize::make(shrinking), {x});
    if (!n.ok()) return;
  }
  n.out(0, n.add(Resize::make(a), {x}));
}

// Upsample, and Resize as it was in opset 10: scales for every axis, coordinates divided. Nearest rounds down along axes
// that grow and up along axes that shrink.
void resize_by_scales(NodeImport& n, const std::vector<float>& scales) {
  constexpr Mode kModes[] = {Mode::nearest, Mode::linear, Mode::linear};
  Resize::Attributes a;
  a.mode = kModes[n.choice("mode", "nearest", {"nearest", "linear", "bilinear"})];
  a.coordinates = Coordinates::asymmetric;
  a.nearest = Nearest::floor;
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

void upsample(NodeImport& n) {
  if (n.opset() >= 9 && scales_in_runs(n, 1)) return resize_by_computed_scales(n);
  std::vector<float> scales;
  if (n.opset() < 7) scales = {1.f, 1.f, n.real("height_scale", 1.f), n.real("width_scale", 1.f)};
  else scales = n.opset() < 9 ? n.reals("scales") : scales_of(n, 1);
  for (const float s : scales)
    if (s < 1.f) n.wrong("scales holds {}; expected 1 or more", s);
  resize_by_scales(n, scales);
}

// An optional input may be left out, or be there without elements.
bool has_elements(NodeImport& n, size_t i) {
  if (!n.has(i)) return false;
  const SymDims& d = n.dims(n.in(i));
  return !(d.rank == 1 && d[0].is(0));
}

void resize(NodeImport& n) {
  if (n.opset() < 11) return scales_in_runs(n, 1) ? resize_by_computed_scales(n) : resize_by_scales(n, scales_of(n, 1));
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
  a.antialias = n.integer("antialias", 0) != 0;
  for (const int64_t axis : n.integers("axes")) a.axes.push_back(n.axis(axis, n.rank(x)));
  if (has_elements(n, 3)) {
    const std::vector<Dim> sizes = n.elements(3, "sizes", a.axes.empty() ? n.rank(x) : a.axes.size());
    if (sizes.size() > kMaxRank) return n.unsupported("sizes has {} entries; expected at most {}", sizes.size(), kMaxRank);
    a.sizes = SymDims(std::span<const Dim>(sizes));
  } else if (scales_in_runs(n, 2, a.axes)) {
    size_by_computed_scales(n, 2, &a);
  } else {
    a.scales = scales_of(n, 2);
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
  if (a.coordinates == Coordinates::tf_crop_and_resize && is_computed(n, 1)) {
    n.declare_length(1, 2 * (a.axes.empty() ? n.rank(x) : a.axes.size()));
    a.roi_bits = SymDims(std::span<const Dim>(bits_of(n, 1, "roi")));
  } else if (a.coordinates == Coordinates::tf_crop_and_resize) {
    for (const double r : n.real_numbers(1, "roi")) a.roi.push_back(static_cast<float>(r));
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

constexpr Importer kResizeOperators[] = {
    {"GridSample", 16, grid_sample},
    {"Resize", 10, resize},
    {"Upsample", 1, upsample},
};

}  // namespace

std::span<const Importer> resize_importers() { return kResizeOperators; }

}  // namespace anydim::onnx
