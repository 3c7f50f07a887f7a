// SPDX-License-Identifier: Apache-2.0
// What detectors do with boxes and regions: NonMaxSuppression, RoiAlign, MaxRoiPool, and DeformConv as columns at offsets and a product.
#include "core/ops/operators/deform_columns.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/non_max_suppression.h"
#include "core/ops/operators/roi_align.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/spatial.h"

namespace anydim::onnx {
namespace {

// The boxes of a class are as many as the model says where that is known when it is loaded, else all there are: so many places its
// result has, of which a run determines how many count.
void non_max_suppression(NodeImport& n) {
  using Op = NonMaxSuppression;
  const ValueId boxes = n.in(0), scores = n.in(1);
  if (n.ok() && (n.rank(boxes) != 3 || n.rank(scores) != 3))
    n.wrong("boxes and scores have ranks {} and {}; expected 3", n.rank(boxes), n.rank(scores));
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  Op::Attributes a;
  a.center_point = n.integer("center_point_box", 0) != 0;
  a.most = n.dims(boxes)[1];
  ValueId most = n.has(2) ? n.cast(n.in(2), DType::i64) : n.scalar(DType::i64, 0);
  if (const ShapeValues& c = n.value(most).shape_values; c.known && c.denominator == 1 && c.elements.size() == 1)
    a.most = pool.min(pool.max(c.elements[0], 0), a.most);
  const std::vector<ValueId> found =
      n.add_many(Op::make(a), {boxes, scores, n.reshape(most, {}), n.optional_in(3), n.optional_in(4)}, Op::kOutputs);
  if (!n.ok()) return;
  const Dim count = n.size_of(found[Op::kCount], n.dims(found[Op::kSelected])[0]);
  n.out(0, n.slice(found[Op::kSelected], 0, 0, count));
}

void roi_align(NodeImport& n) {
  constexpr RoiMode kModes[] = {RoiMode::average, RoiMode::maximum};
  RoiAlign::Attributes a;
  a.mode = kModes[n.choice("mode", "avg", {"avg", "max"})];
  // Since opset 16; before, coordinates mean centres.
  a.half_pixel = n.opset() >= 16 && n.choice("coordinate_transformation_mode", "half_pixel", {"output_half_pixel", "half_pixel"}) == 1;
  a.height = n.integer("output_height", 1);
  a.width = n.integer("output_width", 1);
  a.samples = n.integer("sampling_ratio", 0);
  a.scale = n.real("spatial_scale", 1.f);
  n.out(0, n.add(RoiAlign::make(a), {n.in(0), n.in(1), n.in(2)}));
}

// A region's first number is its batch.
void max_roi_pool(NodeImport& n) {
  const ValueId x = n.in(0), rois = n.in(1);
  const std::vector<int64_t> shape = n.integers("pooled_shape");
  if (n.ok() && shape.size() != 2) n.wrong("pooled_shape has {} entries; expected 2", shape.size());
  if (n.ok() && n.rank(rois) != 2) n.wrong("rois have rank {}; expected 2", n.rank(rois));
  if (!n.ok()) return;
  n.require_equal(n.dims(rois)[1], 5, "numbers of a region");
  RoiAlign::Attributes a;
  a.mode = RoiMode::cells;
  a.height = shape[0];
  a.width = shape[1];
  a.scale = n.real("spatial_scale", 1.f);
  const ValueId batch = n.cast(n.reshape(n.slice(rois, 1, 0, 1), {n.dims(rois)[0]}), DType::i64);
  n.out(0, n.add(RoiAlign::make(a), {x, n.slice(rois, 1, 1, 4), batch}));
}

void deform_conv(NodeImport& n) {
  const ValueId x = n.in(0), w = n.in(1), offset = n.in(2);
  const SpatialAttributes s = spatial_attributes(n, n.rank(x));
  if (n.ok() && s.spatial != 2) n.unsupported("input 0 has rank {}; expected 4", n.rank(x));
  if (n.ok() && (n.rank(w) != 4 || n.rank(offset) != 4))
    n.wrong("weights and offsets have ranks {} and {}; expected 4", n.rank(w), n.rank(offset));
  const int64_t group = n.integer("group", 1);
  if (n.ok() && group < 1) n.wrong("group is {}; expected 1 or more", group);
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  const SymDims dims = n.dims(x), weights = n.dims(w), places = n.dims(offset);
  DeformColumns::Attributes a;
  a.spatial = 2;
  a.groups = n.integer("offset_group", 1);
  for (int i = 0; i < 2; ++i) {
    const Dim k = weights[2 + i];
    if (!k.is_number()) return n.unsupported("dim {} of the weights is {}, which only a run knows; expected a number", 2 + i, pool.text(k));
    if (s.has_kernel && s.kernel[i] != k.number())
      return n.wrong("kernel_shape[{}] is {}; the weights have {}", i, s.kernel[i], k.number());
    a.window[i] = k.number();
    a.strides[i] = s.strides[i];
    a.dilations[i] = s.dilations[i];
    a.pads_begin[i] = s.pads_begin[i];
    a.pads_end[i] = s.pads_end[i];
  }
  std::vector<ValueId> inputs{x, offset};
  if (n.has(4)) inputs.push_back(n.in(4));
  ValueId columns = n.add(DeformColumns::make(a), inputs);
  if (!n.ok()) return;
  const Dim taps = pool.mul(weights[2], weights[3]), each = pool.floor_div(dims[1], group), made = pool.floor_div(weights[0], group);
  n.require_equal(weights[1], each, "dim 1 of the weights");
  n.require_equal(pool.mul(made, group), weights[0], "outputs of all groups");
  n.require_equal(pool.mul(each, group), dims[1], "channels of all groups");
  const Dim count = n.dims(columns)[2];
  ValueId y;
  if (group == 1) {
    y = n.add(Matmul::make({}), {n.reshape(w, {weights[0], pool.mul(each, taps)}), columns});
  } else {
    columns = n.reshape(columns, {dims[0], group, pool.mul(each, taps), count});
    y = n.add(Matmul::make({}), {n.reshape(w, {group, made, pool.mul(each, taps)}), columns});
  }
  y = n.reshape(y, {dims[0], weights[0], places[2], places[3]});
  if (n.has(3)) y = n.binary(BinaryFunction::add, y, n.reshape(n.in(3), {weights[0], 1, 1}));
  n.out(0, y);
}

constexpr Importer kDetectionOperators[] = {
    {"DeformConv", 19, deform_conv},
    {"MaxRoiPool", 1, max_roi_pool},
    {"NonMaxSuppression", 10, non_max_suppression},
    {"RoiAlign", 10, roi_align},
};

}  // namespace

std::span<const Importer> detection_importers() { return kDetectionOperators; }

}  // namespace anydim::onnx
