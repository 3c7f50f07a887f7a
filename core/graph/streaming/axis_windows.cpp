// SPDX-License-Identifier: Apache-2.0
// The rules of operators that read around an element of the streamed axis, or leave out some: what they need, and what they give when.
#include <algorithm>

#include "core/base/checked.h"
#include "core/graph/streaming/axis_walk.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/depth_to_space.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/resize.h"
#include "core/ops/operators/slice.h"

namespace anydim {

namespace {

using Way = NodeTime::Way;
using Kind = TimeLine::Kind;

// Values of expressions at some lengths of the axis, to see what they are of it: of those that the model's guards allow.
class Probe {
 public:
  Probe(const Graph& graph, std::span<const int32_t> axis, std::span<const Dim> roots) : pool_(graph.dims), axis_(axis) {
    std::vector<Dim> all(roots.begin(), roots.end());
    for (const Guard& g : graph.guards) all.push_back(g.condition);
    program_ = SlotProgram(pool_, all);
    for (const int64_t base : {4992, 69888})
      for (int64_t i = 0; i < 24; ++i) lengths_.push_back(base + i);
    for (int64_t i = 1; i < 24; ++i) lengths_.push_back(5040 * i);
    std::vector<int64_t> allowed;
    for (const int64_t length : lengths_) {
      const std::vector<int64_t> slots = at(length);
      if (std::all_of(graph.guards.begin(), graph.guards.end(), [&](const Guard& g) { return value_of(g.condition, slots) == 1; }))
        allowed.push_back(length);
    }
    if (!allowed.empty()) lengths_ = std::move(allowed);
  }
  // For each length; false if f says so of one.
  template <class F> bool all(const F& f) const {
    return std::all_of(lengths_.begin(), lengths_.end(), [&](int64_t length) {
      const std::vector<int64_t> slots = at(length);
      return f([&](Dim d) { return value_of(d, slots); });
    });
  }

 private:
  std::vector<int64_t> at(int64_t length) const {
    std::vector<int64_t> slots(static_cast<size_t>(pool_.size()), 0);
    for (int32_t s = 0; s < pool_.size(); ++s) {
      const DimExpr& e = pool_.expr(s);
      if (e.op != DimOp::symbol) continue;
      const bool mine = std::find(axis_.begin(), axis_.end(), s) != axis_.end();
      slots[static_cast<size_t>(s)] = mine ? length : std::clamp<int64_t>(7, e.promise.min, e.promise.max);
    }
    program_.run(slots);
    return slots;
  }
  const DimPool& pool_;
  std::span<const int32_t> axis_;
  SlotProgram program_;
  std::vector<int64_t> lengths_;
};

}  // namespace

void AxisWalk::window(const Node& n, AutoPad pad, int64_t extent, int64_t stride, int64_t before, int64_t after, bool round_up) {
  if (pad == AutoPad::same_upper || pad == AutoPad::same_lower) {
    if (stride != 1)
      return refuse(n, "has padding before its first element that follows from the length of the axis (auto_pad with a stride)");
    const int64_t less = (extent - 1) / 2, more = extent - 1 - less;
    before = pad == AutoPad::same_upper ? less : more;
    after = extent - 1 - before;
  } else if (pad == AutoPad::valid) {
    before = after = 0;
  }
  NodeTime t;
  t.before = before;
  t.after = after;
  t.axis = in(n, 0).axis;
  t.line = in(n, 0).line;
  if (extent != 1 || stride != 1 || before != 0 || after != 0) {
    t.way = Way::window;
    line_of(n, {.kind = Kind::window, .extent = extent, .stride = stride, .before = before, .after = after, .round_up = round_up}, &t);
    add_reader(n.inputs[0], t.line, false);
  }
  set_outputs(n, t, t.axis);
}

void AxisWalk::convolution(const Node& n) {
  const auto& at = static_cast<const Convolution&>(*n.op).get();
  if (!streamed(n.inputs[0]) || !others_fixed(n)) return refuse(n, "has weights along the axis");
  const int axis = in(n, 0).axis, i = axis - 2;
  if (axis == 0) return single(n, 0);
  if (axis == 1) return refuse(n, "sums products along the axis");
  const Dim kernel = dim(n.inputs[1], axis);
  if (!kernel.is_number()) return refuse(n, "has a kernel whose size is not fixed");
  window(n, at.auto_pad, (kernel.number() - 1) * at.dilations[i] + 1, at.strides[i], at.pads_begin[i], at.pads_end[i], false);
}

void AxisWalk::pooling(const Node& n) {
  const auto& at = static_cast<const Pooling&>(*n.op).get();
  const int axis = in(n, 0).axis, i = axis - 2;
  if (axis < 2) return single(n, axis);
  if (at.global) return refuse(n, "pools over the whole axis");
  if (at.indices && n.outputs.size() > 1 && graph_.uses(n.outputs[1]) > 0)
    return refuse(n, "gives positions that count from the beginning of the axis");
  window(n, at.auto_pad, (at.window[i] - 1) * at.dilations[i] + 1, at.strides[i], at.pads_begin[i], at.pads_end[i], at.ceil_mode);
}

void AxisWalk::conv_transpose(const Node& n) {
  const auto& op = static_cast<const ConvTranspose&>(*n.op);
  const auto& at = op.get();
  if (!streamed(n.inputs[0]) || !others_fixed(n)) return refuse(n, "has weights along the axis");
  const int axis = in(n, 0).axis, i = axis - 2;
  if (axis == 0) return single(n, 0);
  if (axis == 1) return refuse(n, "sums products along the axis");
  const Dim kernel = dim(n.inputs[1], axis);
  if (!kernel.is_number()) return refuse(n, "has a kernel whose size is not fixed");
  if (op.has_output_shape()) return refuse(n, "has an output_shape, which fixes the length of the axis");
  const int64_t extent = (kernel.number() - 1) * at.dilations[i] + 1, stride = at.strides[i];
  if (extent < stride) return refuse(n, "has a kernel shorter than its stride");
  NodeTime t;
  t.way = Way::transposed;
  t.axis = axis;
  t.before = at.auto_pad == AutoPad::valid ? 0 : at.pads_begin[i];
  t.after = (at.auto_pad == AutoPad::valid ? 0 : at.pads_end[i]) - at.output_padding[i];
  if (at.auto_pad == AutoPad::same_upper || at.auto_pad == AutoPad::same_lower) {
    t.before = op.pad_begin(i, 100, kernel.number());  // of any length
    t.after = extent - stride - t.before;
  }
  line_of(n, {.kind = Kind::transposed, .extent = extent, .stride = stride, .before = t.before, .after = t.after}, &t);
  add_reader(n.inputs[0], t.line, false);
  set_outputs(n, t, axis);
}

// A concat along the axis: what is fixed lies before the first element and behind the last, as padding does.
void AxisWalk::beside(const Node& n, int axis) {
  NodeTime t;
  t.way = Way::padded;
  t.axis = axis;
  int streams = 0;
  for (const ValueId v : n.inputs) {
    if (streamed(v)) {
      ++streams;
      t.line = time(v).line;
      continue;
    }
    const Dim d = dim(v, axis);
    if (time(v).kind != ValueTime::Kind::fixed || time(v).axis >= 0 || !d.is_number())
      return refuse(n, "puts a tensor before or behind the axis whose length is not fixed");
    (streams == 0 ? t.before : t.after) += d.number();
  }
  if (streams != 1) return refuse(n, "puts tensors one behind the other along the axis");
  t.line = lines_.add({.kind = Kind::padded, .sources = {t.line}, .before = t.before, .after = t.after, .node = Graph::label(n)});
  set_outputs(n, t, axis);
}

// Each element becomes as many as the block is long.
void AxisWalk::depth_to_space(const Node& n) {
  const auto& at = static_cast<const DepthToSpace&>(*n.op).get();
  const int axis = in(n, 0).axis;
  if (axis == 0) return single(n, 0);
  if (axis == 1) return refuse(n, "takes the axis apart");
  NodeTime t;
  t.axis = axis;
  if (at.inverse) return refuse(n, "puts elements of the axis into channels");
  line_of(n, {.kind = Kind::resized, .stride = at.block}, &t);
  set_outputs(n, t, axis);
}

void AxisWalk::slice(const Node& n) {
  const auto& op = static_cast<const Slice&>(*n.op);
  const int axis = in(n, 0).axis;
  const Dim whole = dim(n.inputs[0], axis), first = op.start(axis), length = op.length(axis);
  if (op.steps()[axis] == 1 && first.is(0) && graph_.dims.provably_equal(whole, length)) return single(n, axis);
  for (int a = 0; a < op.rank(); ++a)
    if (a != axis && (grows(op.start(a)) || grows(op.length(a)))) return refuse(n, "computes with the length of the axis");
  const Dim roots[] = {whole, first, length};
  const Probe probe(graph_, symbols_, roots);
  NodeTime t;
  t.axis = axis;
  const bool is_last = probe.all([&](const auto& value) { return value(length) == 1 && value(first) == value(whole) - 1; });
  if (is_last) {
    t.way = Way::last;
    t.line = in(n, 0).line;
    nodes_[static_cast<size_t>(n.id)] = t;
    values_[static_cast<size_t>(n.outputs[0])] = {ValueTime::Kind::last, -1, 0};
    return;
  }
  int64_t begin = -1, end = -1;
  const int64_t step = op.steps()[axis];
  const bool every = step > 1 && probe.all([&](const auto& value) {
    if (begin < 0) begin = value(first);
    return begin >= 0 && value(first) == begin && value(length) == ceil_div(value(whole) - begin, step);
  });
  if (every) {
    t.way = Way::cut;
    t.before = begin;
    line_of(n, {.kind = Kind::window, .stride = step, .before = -begin}, &t);
    add_reader(n.inputs[0], t.line, false, false);
    return set_outputs(n, t, axis);
  }
  begin = -1;
  const bool fits = step == 1 && probe.all([&](const auto& value) {
    const int64_t b = value(first), e = value(whole) - value(first) - value(length);
    if (begin < 0) begin = b, end = e;
    return b == begin && e == end && b >= 0 && e >= 0;
  });
  if (!fits) return refuse(n, "takes a part of the axis that is no whole but for its ends");
  t.way = Way::cut;
  t.before = begin;
  t.after = end;
  line_of(n, {.kind = Kind::cut, .before = begin, .after = end}, &t);
  add_reader(n.inputs[0], t.line, false, end > 0);
  set_outputs(n, t, axis);
}

void AxisWalk::pad(const Node& n) {
  const auto& op = static_cast<const Pad&>(*n.op);
  if (!streamed(n.inputs[0]) || !others_fixed(n)) return refuse(n, "has a pad value along the axis");
  const int axis = in(n, 0).axis;
  NodeTime t;
  t.axis = axis;
  t.line = in(n, 0).line;
  if (op.before(axis).is(0) && op.after(axis).is(0)) return single(n, axis);
  if (!op.before(axis).is_number() || !op.after(axis).is_number()) return refuse(n, "has pads along the axis that are not fixed");
  t.before = op.before(axis).number();
  t.after = op.after(axis).number();
  for (int a = 0; a < op.rank(); ++a)
    if (a != axis && (grows(op.before(a)) || grows(op.after(a)))) return refuse(n, "computes with the length of the axis");
  if (t.before <= 0 && t.after <= 0) {
    for (int a = 0; a < op.rank(); ++a)
      if (a != axis && (!op.before(a).is(0) || !op.after(a).is(0))) return refuse(n, "cuts the axis and pads others");
    t.way = Way::cut;
    t.before = -t.before, t.after = -t.after;
    line_of(n, {.kind = Kind::cut, .before = t.before, .after = t.after}, &t);
    add_reader(n.inputs[0], t.line, false, t.after > 0);
    return set_outputs(n, t, axis);
  }
  if (t.before < 0 || t.after < 0) return refuse(n, "cuts one end of the axis and pads the other");
  if (op.mode() == Pad::Mode::wrap) return refuse(n, "pads each end of the axis with the other");
  t.way = Way::padded;
  const bool constant = op.mode() == Pad::Mode::constant;
  const int64_t reach = constant ? 0 : op.mode() == Pad::Mode::edge ? 1 : t.after + 1;
  const int64_t least = op.mode() == Pad::Mode::reflect ? t.before + 1 : 1;
  line_of(n, {.kind = Kind::padded, .before = t.before, .after = t.after, .reach = reach, .least = least}, &t);
  add_reader(n.inputs[0], t.line, false, !constant);
  set_outputs(n, t, axis);
}

void AxisWalk::resize(const Node& n) {
  const auto& at = static_cast<const Resize&>(*n.op).get();
  const int axis = in(n, 0).axis;
  int listed = at.axes.empty() ? axis : -1;
  for (int i = 0; i < at.axes.rank; ++i)
    if (at.axes[i] == axis) listed = i;
  NodeTime t;
  t.axis = axis;
  t.line = in(n, 0).line;
  if (listed < 0) return dims_follow(n, t) ? set_outputs(n, t, axis) : void();
  if (!at.scale_bits.empty() || at.policy != Resize::AspectPolicy::stretch)
    return refuse(n, "has a scale along the axis that is not fixed");
  int64_t factor = 0;
  if (!at.scales.empty()) {
    const float scale = at.scales[static_cast<size_t>(listed)];
    if (scale >= 1 && scale < 65536 && scale == static_cast<float>(static_cast<int64_t>(scale))) factor = static_cast<int64_t>(scale);
  } else {
    const Dim roots[] = {at.sizes[listed], dim(n.inputs[0], axis)};
    const Probe probe(graph_, symbols_, roots);
    const bool fits = probe.all([&](const auto& value) {
      if (value(roots[1]) <= 0 || value(roots[0]) % value(roots[1]) != 0) return false;
      if (factor == 0) factor = value(roots[0]) / value(roots[1]);
      return factor > 0 && value(roots[0]) == factor * value(roots[1]);
    });
    if (!fits) factor = 0;
  }
  for (int i = 0; i < at.sizes.rank; ++i)
    if (i != listed && grows(at.sizes[i])) return refuse(n, "computes with the length of the axis");
  if (factor <= 0) return refuse(n, "resizes the axis by a factor that is not whole");
  using Coordinates = Resize::Coordinates;
  if (at.coordinates == Coordinates::align_corners || at.coordinates == Coordinates::tf_crop_and_resize)
    return refuse(n, "maps positions by the length of the axis");
  if (factor == 1 && (at.coordinates != Coordinates::tf_half_pixel_for_nn)) return set_outputs(n, t, axis);
  const bool asymmetric = at.coordinates == Coordinates::asymmetric;
  const bool down = at.nearest == Resize::Nearest::floor, up = at.nearest == Resize::Nearest::ceil;
  int64_t reach = at.mode == Resize::Mode::cubic ? 2 : 1;
  if (at.mode == Resize::Mode::nearest && (asymmetric ? down : !down && !up && at.coordinates != Coordinates::tf_half_pixel_for_nn))
    reach = 0;
  t.way = Way::resized;
  line_of(n, {.kind = Kind::resized, .stride = factor, .reach = reach}, &t);
  add_reader(n.inputs[0], t.line, false, reach > 0);
  set_outputs(n, t, axis);
}

}  // namespace anydim
