// SPDX-License-Identifier: Apache-2.0
// Elements put into other places without arithmetic: Concat, Split, Slice, Pad, blocks of pixels, triangles.
#include <algorithm>

#include "core/ops/operators/concat.h"
#include "core/ops/operators/depth_to_space.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/trilu.h"
#include "onnx/walk/operators.h"
#include "onnx/walk/run_time_axes.h"

namespace anydim::onnx {
namespace {

// A primitive takes so many inputs at most; more are joined in groups, and the groups again.
constexpr size_t kWidestConcat = 64;

void concat(NodeImport& n) {
  if (n.input_count() == 0) n.wrong("no inputs; expected one or more");
  std::vector<ValueId> parts;
  for (size_t i = 0; i < n.input_count(); ++i) parts.push_back(n.in(i));
  if (!n.ok()) return;
  const int axis = n.axis(n.opset() < 4 ? n.integer("axis", 1) : n.integer("axis"), n.rank(parts[0]));
  while (parts.size() > 1 && n.ok()) {
    std::vector<ValueId> joined;
    for (auto from = parts.begin(); from != parts.end();) {
      const auto to = from + std::min<ptrdiff_t>(parts.end() - from, kWidestConcat);
      joined.push_back(to - from == 1 ? *from : n.add(Concat::make(axis), {from, to}));
      from = to;
    }
    parts = std::move(joined);
  }
  n.out(0, parts[0]);
}

// Sizes of the parts: an attribute before opset 13 (in opset 1 an input, too), an input since; if they are absent the parts are equal, and since
// opset 18 the last one may be smaller.
void split(NodeImport& n) {
  const ValueId x = n.in(0);
  const int axis = n.axis(n.integer("axis", 0), n.rank(x));
  const size_t parts = n.proto().output.size();
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  const Dim whole = n.dims(x)[axis];
  std::vector<Dim> sizes;
  if (n.opset() < 13 && !n.has(1)) {
    for (const int64_t s : n.integers("split")) sizes.push_back(s);
  } else if (n.has(1)) {
    sizes = n.elements(1, "split", static_cast<int64_t>(parts));
  }
  if (!n.ok()) return;
  if (sizes.empty()) {
    const int64_t count = n.integer("num_outputs", static_cast<int64_t>(parts));
    if (count < static_cast<int64_t>(parts) || count < 1) return n.wrong("num_outputs is {}; the node has {}", count, parts);
    const Dim each = pool.ceil_div(whole, count);
    for (size_t i = 0; i < parts; ++i) {
      const Dim first = pool.mul(each, static_cast<int64_t>(i));
      // ONNX: all equal but the last. With few elements and many parts that would go below zero, which it forbids.
      sizes.push_back(static_cast<int64_t>(i) + 1 < count ? each : pool.sub(whole, first));
    }
    if (!whole.is_number() && n.opset() < 18)
      n.graph().add_guard(pool.equal(pool.mod(whole, count), 0), std::string(NodeImport::name_of(n.proto())),
                          formatted("dim {} of its input, {}, is divisible by {}", axis, pool.text(whole), count));
    if (whole.is_number() && n.opset() < 18 && whole.number() % count != 0)
      return n.wrong("dim {} is {}; it cannot be split into {} equal parts", axis, whole.number(), count);
  }
  if (sizes.size() < parts) return n.wrong("split has {} sizes; the node has {} outputs", sizes.size(), parts);
  Dim total = 0;
  for (const Dim s : sizes) {
    if (s.is_number() && s.number() < 0) return n.wrong("split has a size of {}; expected 0 or more", s.number());
    // Also of a part that nobody takes: those beside it would reach beyond the input.
    if (!pool.provably_at_least(s, 0))
      n.graph().add_guard(pool.less(-1, s), std::string(NodeImport::name_of(n.proto())),
                          formatted("a size of its split, {}, is not negative", pool.text(s)));
    total = pool.add(total, s);
  }
  if (total.is_number() && whole.is_number() && !(total == whole))
    return n.wrong("split sizes add up to {}; dim {} is {}", total.number(), axis, whole.number());
  if (!pool.provably_equal(total, whole))
    n.graph().add_guard(pool.equal(total, whole), std::string(NodeImport::name_of(n.proto())),
                        formatted("the split sizes add up to dim {} of its input, {}", axis, pool.text(whole)));
  Dim first = 0;
  for (size_t i = 0; i < parts; ++i) {
    if (n.wants(i)) n.out(i, n.slice(x, axis, first, sizes[i]));
    first = pool.add(first, sizes[i]);
  }
}

// Steps that only a run knows: what is taken along an axis are indices that a range counts.
ValueId slice_by_indices(NodeImport& n, ValueId x, int axis, Dim start, Dim end, Dim step) {
  DimPool& pool = n.pool();
  const Dim dim = n.dims(x)[axis];
  Dim first[2], length[2];
  for (const int back : {0, 1})
    if (Status s = Slice::normalise(pool, dim, start, end, back != 0 ? -1 : 1, &first[back], &length[back]); !s.ok()) {
      n.fail(std::move(s));
      return kNoValue;
    }
  const Dim back = pool.less(step, 0), stride = pool.max(pool.select(back, pool.sub(0, step), step), 1);
  const Dim count = pool.ceil_div(pool.select(back, length[1], length[0]), stride);
  const ValueId indices = n.add(Range::make(DType::i64, pool.select(back, first[1], first[0]), step, count), {});
  return n.add(Gather::make(axis), {x, indices});
}

// Axes or steps that only a run knows.
void slice_at_run_time(NodeImport& n, const std::vector<Dim>& starts, const std::vector<Dim>& ends, const std::vector<Dim>& axes,
                       const std::vector<Dim>& steps) {
  DimPool& pool = n.pool();
  ValueId x = n.in(0);
  const SymDims dims = n.dims(x);
  if (axes.size() > static_cast<size_t>(dims.rank)) return n.wrong("{} axes are given; input 0 has rank {}", axes.size(), dims.rank);
  const RunTimeAxes at(n, axes, dims.rank);
  // A step beyond any dim takes one element; in this range no sum overflows. (Data may lie outside the interval of its symbol.)
  std::vector<Dim> bounded;
  for (const Dim s : steps) {
    const Dim low = pool.select(pool.less(s, 1 - kMaxSize), 1 - kMaxSize, s);
    bounded.push_back(pool.select(pool.less(kMaxSize - 1, s), kMaxSize - 1, low));
    n.require(pool.sub(1, pool.equal(s, 0)), formatted("a step, {}, is not 0", pool.text(s)));
  }
  const bool ones = std::all_of(steps.begin(), steps.end(), [](Dim s) { return s.is(1); });
  SymDims first, length;
  for (int i = 0; i < dims.rank && n.ok(); ++i) {
    const Dim start = at.value_of(i, starts, 0), end = at.value_of(i, ends, dims[i]);
    if (ones) {
      first.push_back(0);
      length.push_back(0);
      if (Status s = Slice::normalise(pool, dims[i], start, end, 1, &first[i], &length[i]); !s.ok()) return n.fail(std::move(s));
    } else if (!at.listed(i).is(0)) {
      x = slice_by_indices(n, x, i, start, end, at.value_of(i, bounded, 1));
    }
  }
  if (n.ok()) n.out(0, ones ? n.add(Slice::make(first, {}, length), {x}) : x);
}

// Attributes before opset 10, inputs since.
void slice(NodeImport& n) {
  const ValueId x = n.in(0);
  const SymDims dims = n.dims(x);
  std::vector<Dim> starts, ends;
  std::vector<int64_t> axes, steps;
  bool has_axes = false;
  if (n.opset() < 10) {
    for (const int64_t s : n.integers("starts")) starts.push_back(s);
    for (const int64_t e : n.integers("ends")) ends.push_back(e);
    axes = n.integers("axes");
    has_axes = n.has_attribute("axes");
  } else {
    int64_t count = -1;  // one declared length is that of all
    for (const size_t i : {1, 2, 3, 4}) count = std::max(count, n.declared_length(i));
    starts = n.elements(1, "starts", count);
    ends = n.elements(2, "ends", count);
    has_axes = n.has(3);
    std::vector<Dim> dim_axes, dim_steps;
    if (has_axes) dim_axes = n.elements(3, "axes", count);
    if (n.has(4)) dim_steps = n.elements(4, "steps", count);
    if (n.ok() && !(all_numbers(dim_axes) && all_numbers(dim_steps))) {
      if (!has_axes)
        for (size_t i = 0; i < starts.size(); ++i) dim_axes.push_back(static_cast<int64_t>(i));
      if (!n.has(4)) dim_steps.assign(starts.size(), 1);
      if (ends.size() != starts.size() || dim_axes.size() != starts.size() || dim_steps.size() != starts.size())
        return n.wrong("{} starts, {} ends, {} axes and {} steps; expected as many of each", starts.size(), ends.size(), dim_axes.size(),
                       dim_steps.size());
      return slice_at_run_time(n, starts, ends, dim_axes, dim_steps);
    }
    for (const Dim a : dim_axes) axes.push_back(a.number());
    for (const Dim s : dim_steps) steps.push_back(s.number());
  }
  if (!n.ok()) return;
  if (!has_axes)
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    return n.wrong("{} starts, {} ends, {} axes and {} steps; expected as many of each", starts.size(), ends.size(), axes.size(),
                   steps.size());
  SymDims first = SymDims::filled(dims.rank, 0), length = dims;
  RankArray<int64_t> step = RankArray<int64_t>::filled(dims.rank, 1);
  bool seen[kMaxRank] = {};
  for (size_t i = 0; i < starts.size(); ++i) {
    const int a = n.axis(axes[i], dims.rank);
    if (!n.ok()) return;
    if (seen[a]) return n.wrong("axis {} is given twice", a);
    seen[a] = true;
    step[a] = steps[i];
    Status s = Slice::normalise(n.pool(), dims[a], starts[i], ends[i], steps[i], &first[a], &length[a]);
    if (!s.ok()) return n.fail(std::move(s));
  }
  n.out(0, n.add(Slice::make(first, step, length), {x}));
}

// Pads and value are attributes before opset 11 (called paddings in opset 1) and inputs since; axes are an input since 18.
void pad(NodeImport& n) {
  const ValueId x = n.in(0);
  const int rank = n.rank(x);
  constexpr Pad::Mode kModes[] = {Pad::Mode::constant, Pad::Mode::reflect, Pad::Mode::edge, Pad::Mode::wrap};
  const Pad::Mode mode = kModes[n.choice("mode", "constant", {"constant", "reflect", "edge", "wrap"})];
  std::vector<Dim> pads, axes;
  std::vector<ValueId> inputs{x};
  if (n.opset() < 11) {
    for (const int64_t p : n.integers(n.opset() < 2 ? "paddings" : "pads")) pads.push_back(p);
    if (mode == Pad::Mode::constant && n.has_attribute("value")) inputs.push_back(n.scalar(n.dtype(x), n.real("value", 0.f)));
  } else {
    const int64_t along = n.has(3) ? n.declared_length(3) : rank, both = n.declared_length(1);
    pads = n.elements(1, "pads", along >= 0 ? 2 * along : -1);
    if (mode == Pad::Mode::constant && n.has(2)) inputs.push_back(n.in(2));
    if (n.has(3)) axes = n.elements(3, "axes", both >= 0 ? both / 2 : -1);
  }
  if (axes.empty() && !n.has(3))
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  if (n.ok() && axes.size() > static_cast<size_t>(rank)) n.wrong("{} axes are given; input 0 has rank {}", axes.size(), rank);
  if (n.ok() && pads.size() != 2 * axes.size())
    n.wrong("pads has {} entries; expected {} (two for each axis)", pads.size(), 2 * axes.size());
  if (!n.ok()) return;
  SymDims before = SymDims::filled(rank, 0), after = before;
  const auto half = pads.begin() + static_cast<ptrdiff_t>(axes.size());
  const std::vector<Dim> begins(pads.begin(), half), ends(half, pads.end());
  const RunTimeAxes at(n, axes, rank);
  if (!n.ok()) return;
  for (int a = 0; a < rank; ++a) {
    before[a] = at.value_of(a, begins, 0);
    after[a] = at.value_of(a, ends, 0);
  }
  // Negative pads cut elements off; what is copied into the others comes from what is left.
  for (int a = 0; a < rank && mode != Pad::Mode::constant; ++a) {
    DimPool& pool = n.pool();
    if (pool.provably_at_least(before[a], 0) && pool.provably_at_least(after[a], 0)) continue;
    const Dim first = pool.max(pool.sub(0, before[a]), 0), last = pool.max(pool.sub(0, after[a]), 0);
    inputs[0] = n.slice(inputs[0], a, first, pool.sub(n.dims(x)[a], pool.add(first, last)));
    before[a] = pool.max(before[a], 0);
    after[a] = pool.max(after[a], 0);
  }
  n.out(0, n.add(Pad::make(mode, before, after), inputs));
}

void depth_to_space(NodeImport& n) {
  const bool crd = n.choice("mode", "DCR", {"DCR", "CRD"}) == 1;
  const auto order = crd ? DepthToSpace::Order::column_first : DepthToSpace::Order::depth_first;
  n.out(0, n.add(DepthToSpace::make(n.integer("blocksize"), order), {n.in(0)}));
}
void space_to_depth(NodeImport& n) {
  const ValueId x = n.in(0);
  const int64_t block = n.integer("blocksize");
  if (n.choice("mode", "DCR", {"DCR", "CRD"}) == 0)
    return n.out(0, n.add(DepthToSpace::make(block, DepthToSpace::Order::depth_first, true), {x}));
  // Channels outermost: the axes of a block come behind them.
  if (n.ok() && n.rank(x) != 4) n.wrong("input 0 has rank {}; expected 4", n.rank(x));
  if (n.ok() && block < 1) n.wrong("blocksize is {}; expected 1 or more", block);
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  const SymDims d = n.dims(x);
  const Dim rows = pool.floor_div(d[2], block), columns = pool.floor_div(d[3], block);
  n.require_equal(pool.mul(rows, block), d[2], "rows of whole blocks");
  n.require_equal(pool.mul(columns, block), d[3], "columns of whole blocks");
  const ValueId y = n.transpose(n.reshape(x, {d[0], d[1], rows, block, columns, block}), {0, 1, 3, 5, 2, 4});
  n.out(0, n.reshape(y, {d[0], pool.mul(d[1], block * block), rows, columns}));
}

void trilu(NodeImport& n) {
  const ValueId x = n.in(0);
  Dim k = 0;
  if (n.has(1)) {
    const std::vector<Dim> k_dims = n.elements(1, "k", 1);
    if (n.ok() && k_dims.size() != 1) n.wrong("k has {} elements; expected 1", k_dims.size());
    if (!n.ok()) return;
    k = k_dims[0];
  }
  n.out(0, n.add(Trilu::make(n.integer("upper", 1) != 0, k), {x}));
}

constexpr Importer kMoverOperators[] = {
    {"Concat", 1, concat}, {"DepthToSpace", 1, depth_to_space}, {"Pad", 1, pad},
    {"Slice", 1, slice},   {"SpaceToDepth", 1, space_to_depth}, {"Split", 1, split},
    {"Trilu", 14, trilu},
};

}  // namespace

std::span<const Importer> mover_importers() { return kMoverOperators; }

}  // namespace anydim::onnx
