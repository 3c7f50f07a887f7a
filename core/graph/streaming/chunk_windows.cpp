// SPDX-License-Identifier: Apache-2.0
// Nodes of a chunk's graph that read around an element, or leave out some: windows, padding, cuts, interpolation.
#include <algorithm>

#include "core/graph/streaming/chunk_graph.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/resize.h"
#include "core/ops/operators/slice.h"

namespace anydim {

namespace {

// The same operator with other padding along an axis of its windows.
template <class Attributes> void set_pads(Attributes* at, int axis, int64_t before, int64_t after) {
  at->pads_begin[axis] = before;
  at->pads_end[axis] = after;
}

// The padding of the other axes, which auto_pad derives from dims, written out: the axis gets padding of its own.
template <class Attributes> Status explicit_pads(Attributes* at, int spatial, int mine, const SymDims& in, const int64_t* extents) {
  if (at->auto_pad == AutoPad::explicit_) return {};
  for (int i = 0; i < spatial; ++i) {
    at->pads_begin[i] = at->pads_end[i] = 0;
    if (i == mine || at->auto_pad == AutoPad::valid) continue;
    const int64_t stride = at->strides[i];
    if (stride != 1 && !in[i + 2].is_number())
      return unimplemented("auto_pad with a stride in dim {}, which is not fixed, beside a streamed axis", i + 2);
    const int64_t size = in[i + 2].is_number() ? in[i + 2].number() : 1;
    const int64_t out = ceil_div(size, stride), total = std::max<int64_t>((out - 1) * stride + extents[i] - size, 0);
    at->pads_begin[i] = at->auto_pad == AutoPad::same_upper ? total / 2 : total - total / 2;
    at->pads_end[i] = total - at->pads_begin[i];
  }
  at->auto_pad = AutoPad::explicit_;
  return {};
}

}  // namespace

Status ChunkGraph::window(const Node& n, ValueId* out) {
  const NodeTime& t = walk_.time(n);
  const TimeLine& line = plan_.lines[static_cast<size_t>(t.line)];
  const ValueId v = n.inputs[0];
  const int32_t reader = walk_.reader(v, t.line, false);
  const int i = t.axis - 2;
  // Between the edges a window holds what `made` results are made of and no more.
  const Dim news = made(t.line);
  Dim length = edges_ ? number(Number::What::rest, reader) : graph_.dims.add(graph_.dims.mul(news, line.stride), line.extent - line.stride);
  if (!edges_ && line.extent < line.stride) length = graph_.dims.max(length, 0);
  auto read = part(n, v, reader, length);
  if (!read.ok()) return read.take_status();
  const int64_t before = edges_ ? t.before : 0, after = edges_ ? t.after : 0;
  Result<OperatorPtr> op = OperatorPtr();
  const SymDims& dims = graph_.value(*read).type.dims;
  int64_t extents[kMaxSpatial] = {1, 1, 1};
  if (const auto* conv = as<Convolution>(*n.op)) {
    Convolution::Attributes at = conv->get();
    const SymDims& w = whole_.value(n.inputs[1]).type.dims;
    for (int k = 0; k < at.spatial; ++k) {
      if (!w[k + 2].is_number()) return unimplemented("node '{}' has a kernel whose size is not fixed", Graph::label(n));
      extents[k] = (w[k + 2].number() - 1) * at.dilations[k] + 1;
    }
    ANYDIM_TRY(explicit_pads(&at, at.spatial, i, dims, extents).at(Graph::label(n)));
    set_pads(&at, i, before, after);
    op = Convolution::make(std::move(at));
  } else {
    Pooling::Attributes at = static_cast<const Pooling&>(*n.op).get();
    for (int k = 0; k < at.spatial; ++k) extents[k] = (at.window[k] - 1) * at.dilations[k] + 1;
    ANYDIM_TRY(explicit_pads(&at, at.spatial, i, dims, extents).at(Graph::label(n)));
    set_pads(&at, i, before, after);
    op = Pooling::make(std::move(at));
  }
  if (!op.ok()) return op.take_status();
  std::vector<ValueId> inputs{*read}, results;
  for (size_t k = 1; k < n.inputs.size(); ++k)
    inputs.push_back(n.inputs[k] == kNoValue ? kNoValue : now_[static_cast<size_t>(n.inputs[k])]);
  const Dim skip = edges_ ? number(Number::What::skip, reader) : Dim(0);
  ANYDIM_TRY(copy(n, std::move(inputs), *op, &results, skip));
  auto result = slice(results[0], t.axis, skip, news, formatted("{}.new", n.name));
  if (!result.ok()) return result.take_status();
  *out = *result;
  return {};
}

Status ChunkGraph::transposed(const Node& n, ValueId* out) {
  const NodeTime& t = walk_.time(n);
  const TimeLine& line = plan_.lines[static_cast<size_t>(t.line)];
  const int32_t reader = walk_.reader(n.inputs[0], t.line, false);
  const int i = t.axis - 2;
  const Dim news = made(t.line);
  ConvTranspose::Attributes at = static_cast<const ConvTranspose&>(*n.op).get();
  if (at.auto_pad == AutoPad::same_upper || at.auto_pad == AutoPad::same_lower) {
    for (int k = 0; k < at.spatial; ++k) {
      if (k == i) continue;
      const auto& whole = static_cast<const ConvTranspose&>(*n.op);
      const Dim kernel = whole_.value(n.inputs[1]).type.dims[k + 2];
      if (!kernel.is_number()) return unimplemented("node '{}' has a kernel whose size is not fixed", Graph::label(n));
      at.pads_begin[k] = whole.pad_begin(k, 100, kernel.number());  // of any length
      at.pads_end[k] =
          std::max<int64_t>((kernel.number() - 1) * at.dilations[k] + 1 - at.strides[k] + at.output_padding[k], 0) - at.pads_begin[k];
    }
  } else if (at.auto_pad == AutoPad::valid) {
    for (int k = 0; k < at.spatial; ++k) at.pads_begin[k] = at.pads_end[k] = 0;
  }
  at.auto_pad = AutoPad::explicit_;
  set_pads(&at, i, 0, 0);
  // Between the edges what lies before the first new result is cut off, and what later elements add to.
  int64_t skipped = 0, held = 0, first = 0;
  const StreamingPlan::Reader& r = plan_.readers[static_cast<size_t>(reader)];
  bool plain = false;
  if (!edges_ && followed_.constant({Number::What::skip, reader}, &skipped) && followed_.constant({Number::What::first, reader}, &first) &&
      followed_.constant({Number::What::kept, r.carry}, &held)) {
    const int64_t behind = (held - first - 1) * line.stride + line.extent - skipped;
    if (behind >= 0 && skipped >= 0) {
      set_pads(&at, i, skipped, behind);
      at.output_padding[i] = 0;
      plain = true;
    }
  }
  const Dim length = plain ? graph_.dims.add(made(r.source), held - first) : number(Number::What::rest, reader);
  auto read = part(n, n.inputs[0], reader, length);
  if (!read.ok()) return read.take_status();
  auto op = ConvTranspose::make(std::move(at));
  if (!op.ok()) return op.take_status();
  std::vector<ValueId> inputs{*read}, results;
  for (size_t k = 1; k < n.inputs.size(); ++k)
    inputs.push_back(n.inputs[k] == kNoValue ? kNoValue : now_[static_cast<size_t>(n.inputs[k])]);
  const Dim skip = plain ? Dim(0) : number(Number::What::skip, reader);
  ANYDIM_TRY(copy(n, std::move(inputs), *op, &results, skip));
  auto result = slice(results[0], t.axis, skip, news, formatted("{}.new", n.name));
  if (!result.ok()) return result.take_status();
  *out = *result;
  return {};
}

// Tensors beside the axis, in the first run and in the last.
Status ChunkGraph::beside(const Node& n, ValueId* out) {
  const NodeTime& t = walk_.time(n);
  std::vector<ValueId> before, after, inputs;
  ValueId now = kNoValue;
  for (const ValueId v : n.inputs) {
    if (walk_.time(v).kind == ValueTime::Kind::streamed) now = now_[static_cast<size_t>(v)];
    else (now == kNoValue ? before : after).push_back(now_[static_cast<size_t>(v)]);
  }
  *out = now;
  if (!edges_) return {};
  const auto add = [&](std::vector<ValueId> parts, Number::What what) -> Status {
    if (parts.empty()) return {};
    for (size_t i = 1; i < parts.size(); ++i) {
      auto both = joined(parts[0], parts[i], t.axis, n.name);
      if (!both.ok()) return both.take_status();
      parts[0] = *both;
    }
    auto some = slice(parts[0], t.axis, 0, number(what, t.line), n.name);
    if (!some.ok()) return some.take_status();
    inputs.push_back(*some);
    return {};
  };
  ANYDIM_TRY(add(std::move(before), Number::What::pad_before));
  inputs.push_back(now);
  ANYDIM_TRY(add(std::move(after), Number::What::pad_after));
  std::vector<ValueId> results;
  ANYDIM_TRY(copy(n, std::move(inputs), n.op, &results));
  auto result = slice(results[0], t.axis, 0, made(t.line), formatted("{}.new", n.name));
  if (!result.ok()) return result.take_status();
  *out = *result;
  return {};
}

Status ChunkGraph::padded(const Node& n, ValueId* out) {
  if (n.op->kind() == OpKind::concat) return beside(n, out);
  const NodeTime& t = walk_.time(n);
  const auto& op = static_cast<const Pad&>(*n.op);
  const int32_t reader = walk_.reader(n.inputs[0], t.line, false);
  const bool carried = plan_.readers[static_cast<size_t>(reader)].carry >= 0;
  SymDims before, after;
  bool others = false;
  for (int a = 0; a < op.rank(); ++a) {
    before.push_back(op.before(a));
    after.push_back(op.after(a));
    others |= a != t.axis && (!op.before(a).is(0) || !op.after(a).is(0));
  }
  before[t.axis] = edges_ ? number(Number::What::pad_before, t.line) : Dim(0);
  after[t.axis] = edges_ ? number(Number::What::pad_after, t.line) : Dim(0);
  ValueId read = now_[static_cast<size_t>(n.inputs[0])];
  if (edges_ && carried) {
    auto part_of = part(n, n.inputs[0], reader, number(Number::What::rest, reader));
    if (!part_of.ok()) return part_of.take_status();
    read = *part_of;
  }
  *out = read;
  if (!edges_ && !others) return {};
  auto pad = Pad::make(op.mode(), before, after);
  if (!pad.ok()) return pad.take_status();
  std::vector<ValueId> inputs{read}, results;
  for (size_t k = 1; k < n.inputs.size(); ++k)
    inputs.push_back(n.inputs[k] == kNoValue ? kNoValue : now_[static_cast<size_t>(n.inputs[k])]);
  ANYDIM_TRY(copy(n, std::move(inputs), *pad, &results));
  *out = results[0];
  if (!edges_) return {};
  auto result = slice(results[0], t.axis, carried ? number(Number::What::skip, reader) : Dim(0), made(t.line), formatted("{}.new", n.name));
  if (!result.ok()) return result.take_status();
  *out = *result;
  return {};
}

Status ChunkGraph::cut(const Node& n, ValueId* out) {
  const NodeTime& t = walk_.time(n);
  const auto* op = as<Slice>(*n.op);
  const int32_t reader = walk_.reader(n.inputs[0], t.line, false);
  if (op != nullptr && op->steps()[t.axis] != 1) {
    SymDims starts, lengths;
    for (int a = 0; a < op->rank(); ++a) {
      starts.push_back(a == t.axis ? number(Number::What::first, reader) : op->start(a));
      lengths.push_back(a == t.axis ? made(t.line) : op->length(a));
    }
    auto every = Slice::make(starts, op->steps(), lengths);
    if (!every.ok()) return every.take_status();
    std::vector<ValueId> results;
    ANYDIM_TRY(copy(n, {now_[static_cast<size_t>(n.inputs[0])]}, *every, &results));
    *out = results[0];
    return {};
  }
  auto read = part(n, n.inputs[0], reader, made(t.line));
  if (!read.ok()) return read.take_status();
  *out = *read;
  if (op == nullptr) return {};  // a Pad that cuts
  SymDims starts, lengths;
  bool others = false;
  for (int a = 0; a < op->rank(); ++a) {
    starts.push_back(a == t.axis ? Dim(0) : op->start(a));
    lengths.push_back(a == t.axis ? made(t.line) : op->length(a));
    others |= a != t.axis && !(op->start(a).is(0) && op->steps()[a] == 1 && op->length(a) == graph_.value(*read).type.dims[a]);
  }
  if (!others) return {};
  auto slice = Slice::make(starts, op->steps(), lengths);
  if (!slice.ok()) return slice.take_status();
  std::vector<ValueId> results;
  ANYDIM_TRY(copy(n, {*read}, *slice, &results));
  *out = results[0];
  return {};
}

Status ChunkGraph::resized(const Node& n, ValueId* out) {
  const NodeTime& t = walk_.time(n);
  const TimeLine& line = plan_.lines[static_cast<size_t>(t.line)];
  const int32_t reader = walk_.reader(n.inputs[0], t.line, false);
  ValueId read = now_[static_cast<size_t>(n.inputs[0])];
  if (plan_.readers[static_cast<size_t>(reader)].carry >= 0) {
    auto part_of = part(n, n.inputs[0], reader, number(Number::What::rest, reader));
    if (!part_of.ok()) return part_of.take_status();
    read = *part_of;
  }
  Resize::Attributes at = static_cast<const Resize&>(*n.op).get();
  int listed = at.axes.empty() ? t.axis : -1;
  for (int i = 0; i < at.axes.rank; ++i)
    if (at.axes[i] == t.axis) listed = i;
  if (!at.sizes.empty()) at.sizes[listed] = graph_.dims.mul(graph_.value(read).type.dims[t.axis], line.stride);
  auto op = Resize::make(std::move(at));
  if (!op.ok()) return op.take_status();
  std::vector<ValueId> results;
  ANYDIM_TRY(copy(n, {read}, *op, &results));
  *out = results[0];
  if (line.reach == 0) return {};
  auto result = slice(results[0], t.axis, number(Number::What::skip, reader), made(t.line), formatted("{}.new", n.name));
  if (!result.ok()) return result.take_status();
  *out = *result;
  return {};
}

}  // namespace anydim
