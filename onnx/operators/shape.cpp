// SPDX-License-Identifier: Apache-2.0
// Shapes as data (Shape, Size) and other dims for the same elements (Reshape, Flatten, Squeeze, Unsqueeze, Transpose),
// and elements repeated to other dims (Expand, Tile).
#include <algorithm>
#include <array>

#include "core/graph/infer.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/tile.h"
#include "core/tensor/dim_rebuild.h"
#include "onnx/walk/operators.h"
#include "onnx/walk/run_time_axes.h"

namespace anydim::onnx {
namespace {

// start and end exist since opset 15; both are clamped into 0..rank.
void shape(NodeImport& n) {
  const SymDims dims = n.dims(n.in(0));
  const int64_t rank = dims.rank;
  int64_t start = n.integer("start", 0), end = n.integer("end", rank);
  start = std::clamp<int64_t>(start < 0 ? start + rank : start, 0, rank);
  end = std::clamp<int64_t>(end < 0 ? end + rank : end, 0, rank);
  std::vector<Dim> elements;
  for (int64_t i = start; i < end; ++i) elements.push_back(dims[static_cast<int>(i)]);
  const auto count = static_cast<int64_t>(elements.size());
  n.out(0, n.shape(DType::i64, {count}, std::move(elements)));
}
void size(NodeImport& n) {
  const SymDims dims = n.dims(n.in(0));
  n.out(0, n.shape(DType::i64, {}, {n.product(dims, 0, dims.rank)}));
}

// --- Reshape: a 0 copies the input's dim, a -1 is what is left ---------------------------------------------------------

// The target's dims with every element read as the run reads it, which alone knows where it is 0 or -1.
struct LiteralTarget {
  SymDims dims;
  Dim determined = 1;  // 0: what is left cannot be determined, beside another -1 or a 0, or a 0 has no dim to copy
  Dim valid = 1;       // 0: that, or the number of elements differs
};
LiteralTarget literal_target(NodeImport& n, const SymDims& in, const std::vector<Dim>& target, bool allow_zero) {
  DimPool& pool = n.pool();
  LiteralTarget out;
  SymDims copied;
  for (size_t i = 0; i < target.size(); ++i) {
    const int at = static_cast<int>(i);
    const bool copies = !allow_zero && at < in.rank;
    copied.push_back(copies ? pool.select(pool.equal(target[i], 0), in[at], target[i]) : target[i]);
    if (!copies && !allow_zero) out.determined = pool.mul(out.determined, pool.sub(1, pool.equal(target[i], 0)));
  }
  const Dim all = n.product(in, 0, in.rank);
  Dim opens = 0;
  for (int i = 0; i < copied.rank; ++i) {
    Dim others = 1;
    for (int j = 0; j < copied.rank; ++j)
      if (j != i) others = pool.mul(others, pool.select(pool.less(copied[j], 0), 1, copied[j]));
    const Dim open = pool.equal(copied[i], -1);
    out.dims.push_back(pool.select(open, pool.floor_div(all, pool.max(others, 1)), copied[i]));
    out.determined = pool.mul(out.determined, pool.select(open, pool.sub(1, pool.equal(others, 0)), 1));
    opens = pool.add(opens, open);
  }
  out.determined = pool.mul(out.determined, pool.less(opens, 2));
  out.valid = pool.mul(out.determined, pool.equal(n.product(out.dims, 0, out.dims.rank), all));
  return out;
}

// Whether some sizes of 1 and more make a and b equal: tried with up to three symbols; with more it is `unknown`.
bool can_be_equal(const DimPool& pool, Dim a, Dim b, bool unknown) {
  std::vector<int32_t> symbols = pool.symbols(a);
  for (const int32_t s : pool.symbols(b))
    if (std::find(symbols.begin(), symbols.end(), s) == symbols.end()) symbols.push_back(s);
  constexpr int64_t kMost[] = {1, 512, 64, 16};
  if (symbols.size() >= std::size(kMost)) return unknown;
  const int64_t most = kMost[symbols.size()];
  const SlotProgram program(pool, std::array{a, b});
  std::vector<int64_t> slots(static_cast<size_t>(pool.size()), 0);
  const auto value = [&](Dim d) { return d.is_number() ? d.number() : slots[static_cast<size_t>(d.expr())]; };
  for (const int32_t s : symbols) slots[static_cast<size_t>(s)] = 1;
  for (;;) {
    program.run(slots);
    if (value(a) == value(b) && value(a) != kBadSlot) return true;
    size_t i = 0;  // the next sizes, the first symbol's fastest
    while (i < symbols.size() && slots[static_cast<size_t>(symbols[i])] == most) slots[static_cast<size_t>(symbols[i++])] = 1;
    if (i == symbols.size()) return false;
    ++slots[static_cast<size_t>(symbols[i])];
  }
}

// Whether a number that a run reads from a tensor is part of d; what tensors' sizes are made of is not.
bool reads_a_tensor(const Graph& graph, Dim d) {
  if (is_from_data(graph.dims, d)) return true;
  const std::vector<int32_t> symbols = graph.dims.symbols(d);
  return std::any_of(graph.size_reads().begin(), graph.size_reads().end(), [&](const SizeRead& read) {
    const ShapeValues& read_from = graph.value(read.value).shape_values;
    return read.axis < 0 && read_from.known && std::find(symbols.begin(), symbols.end(), read.symbol.expr()) != symbols.end();
  });
}

// Dims that are 0 or -1 nowhere but in a few runs stay as they are written, so that equal sizes stay one expression. `dims`
// are these; a run at which ONNX has others is refused. Elements that come as data, those that are never positive, those
// beside an input of known size, one alone that is 0 at sizes of 1 and more, and sizes that do not add up to the input's by
// themselves or never do, are read literally.
SymDims computed_target(NodeImport& n, const SymDims& in, const std::vector<Dim>& target, bool allow_zero, const SymDims& dims) {
  DimPool& pool = n.pool();
  const LiteralTarget literal = literal_target(n, in, target, allow_zero);
  Dim same = 1, others = 1;
  int differ = 0;
  bool open = false, as_it_comes = false;
  Dim differs;
  for (int i = 0; i < dims.rank; ++i) {
    const Dim element = target[static_cast<size_t>(i)];
    open = open || element.is(-1);
    if (element.is_number() || pool.provably_equal(literal.dims[i], dims[i])) {
      others = pool.mul(others, dims[i]);
      continue;
    }
    ++differ;
    as_it_comes = as_it_comes || reads_a_tensor(n.graph(), element) || pool.interval(element).max <= 0;
    differs = element;
    same = pool.mul(same, pool.equal(literal.dims[i], dims[i]));
  }
  const std::string name(NodeImport::name_of(n.proto())), text = pool.text(SymDims(std::span<const Dim>(target)));
  if (open && allow_zero && !literal.determined.is(1))
    n.graph().add_guard(literal.determined, name, formatted("the target dims {} have no 0 beside their -1, as allowzero asks", text));
  if (differ == 0) return dims;
  const Dim have = n.product(in, 0, in.rank), want = n.product(dims, 0, dims.rank);
  const bool equal = pool.provably_equal(have, want);
  const bool alone = differ == 1 && !open && pool.provably_at_least(others, 1);
  const bool adds_up = equal || ((open || pool.can_assume_equal(have, want)) && can_be_equal(pool, have, want, true));
  if (as_it_comes || have.is_number() || !adds_up || (alone && !equal && can_be_equal(pool, differs, 0, false))) {
    n.graph().add_guard(literal.determined, name,
                        formatted("the target dims {} have one -1 at most, and no 0 beside it or beyond the input's rank", text));
    return literal.dims;
  }
  // One alone, no 0 itself, cannot differ where the others are no 0: the number of elements says what it is.
  if (alone) return dims;
  n.graph().add_guard(pool.select(literal.valid, same, 1), name,
                      formatted("the target dims {} have no 0 or -1 that stands for another dim", text), 1);
  return dims;
}

void reshape(NodeImport& n) {
  const ValueId x = n.in(0);
  std::vector<Dim> target;
  if (n.opset() < 5) {
    for (const int64_t d : n.integers("shape")) target.push_back(d);
  } else {
    target = n.elements(1, "shape");
  }
  const bool allow_zero = n.integer("allowzero", 0) != 0;
  if (n.ok() && target.size() > static_cast<size_t>(kMaxRank)) n.unsupported("the target has rank {}; at most {}", target.size(), kMaxRank);
  if (!n.ok()) return;
  const SymDims in = n.dims(x);
  SymDims dims;
  if (Status s = Reshape::resolve(n.pool(), in, target, allow_zero, &dims); !s.ok()) return n.fail(std::move(s));
  n.out(0, n.reshape(x, computed_target(n, in, target, allow_zero, dims)));
}

// Two axes: what is before `axis` and the rest. axis == rank is allowed.
void flatten(NodeImport& n) {
  const ValueId x = n.in(0);
  const SymDims dims = n.dims(x);
  int64_t axis = n.integer("axis", 1);
  if (n.ok() && (axis < -dims.rank || axis > dims.rank)) n.wrong("axis is {}; expected {} to {}", axis, -dims.rank, dims.rank);
  if (!n.ok()) return;
  const int at = static_cast<int>(axis < 0 ? axis + dims.rank : axis);
  n.out(0, n.reshape(x, {n.product(dims, 0, at), n.product(dims, at, dims.rank)}));
}

// Axes are an attribute before opset 13 and an input since.
std::vector<Dim> squeeze_axes(NodeImport& n, bool* has_axes) {
  *has_axes = n.opset() < 13 ? n.has_attribute("axes") : n.has(1);
  if (!*has_axes) return {};
  if (n.opset() >= 13) return n.elements(1, "axes");
  const std::vector<int64_t> axes = n.integers("axes");
  return {axes.begin(), axes.end()};
}

void squeeze_at_run_time(NodeImport& n, ValueId x, const std::vector<Dim>& axes) {
  const SymDims dims = n.dims(x);
  if (axes.size() > static_cast<size_t>(dims.rank)) return n.wrong("{} axes are given; input 0 has rank {}", axes.size(), dims.rank);
  const RunTimeAxes dropped(n, axes, dims.rank);
  for (int i = 0; i < dims.rank; ++i)
    n.require(n.pool().select(dropped.listed(i), n.pool().equal(dims[i], 1), 1),
              formatted("dim {} of its input, {}, is 1 if axis {} is squeezed", i, n.pool().text(dims[i]), i));
  if (n.ok()) n.out(0, n.reshape(x, dropped.others(dims)));
}

void squeeze(NodeImport& n) {
  const ValueId x = n.in(0);
  const SymDims dims = n.dims(x);
  bool has_axes = false;
  const std::vector<Dim> axes = squeeze_axes(n, &has_axes);
  if (n.ok() && !all_numbers(axes)) return squeeze_at_run_time(n, x, axes);
  bool drop[kMaxRank] = {};
  for (const Dim a : axes) drop[n.axis(a.number(), dims.rank)] = true;
  Rebuilding now(n.pool());
  SymDims kept;
  for (int i = 0; i < dims.rank && n.ok(); ++i) {
    // Without axes the rank depends on the dims: what may be larger than 1, as far as nodes before say, is taken to be, and a run at 1 is
    // refused.
    if (const Dim known = has_axes ? dims[i] : now(dims[i]); !has_axes) drop[i] = n.pool().interval(known).max <= 1 && !known.is(0);
    if (drop[i] && dims[i].is_number() && !dims[i].is(1)) n.wrong("dim {} is {}; only dims of 1 can be squeezed", i, dims[i].number());
    // A dim that only the run knows: the reshape's guard on the number of elements holds it to 1.
    if (!drop[i]) kept.push_back(dims[i]);
  }
  if (!n.ok()) return;
  for (int i = 0; i < dims.rank; ++i) {
    if (dims[i].is_number()) continue;
    const Dim one = n.pool().equal(dims[i], 1);
    if (!has_axes && now(one).is(1)) continue;
    if (has_axes && drop[i])
      n.graph().add_guard(one, std::string(NodeImport::name_of(n.proto())),
                          formatted("dim {} of its input, {}, is 1", i, n.pool().text(dims[i])));
    else if (!has_axes)
      n.graph().add_guard(drop[i] ? one : n.pool().sub(1, one), std::string(NodeImport::name_of(n.proto())),
                          formatted("no axes are given, so dim {} of its input, {}, is taken to be {} when the model is loaded: the rank "
                                    "of its output does not change from run to run",
                                    i, n.pool().text(dims[i]), drop[i] ? "1" : "other than 1"),
                          1);
  }
  n.out(0, n.reshape(x, kept));
}

void unsqueeze(NodeImport& n) {
  const ValueId x = n.in(0);
  const SymDims dims = n.dims(x);
  bool has_axes = false;
  const std::vector<Dim> axes = squeeze_axes(n, &has_axes);
  if (n.ok() && !has_axes) n.wrong("no axes are given");
  if (n.ok() && axes.size() + static_cast<size_t>(dims.rank) > static_cast<size_t>(kMaxRank))
    n.unsupported("rank {} with {} more axes; at most {}", dims.rank, axes.size(), kMaxRank);
  if (!n.ok()) return;
  const int rank = dims.rank + static_cast<int>(axes.size());
  if (!all_numbers(axes)) {
    const SymDims ones = RunTimeAxes(n, axes, rank).with_ones_among(dims);
    return n.out(0, n.reshape(x, ones));
  }
  bool fresh[kMaxRank] = {};
  for (const Dim a : axes) {
    const int at = n.axis(a.number(), rank);
    if (n.ok() && fresh[at]) n.wrong("axis {} is given twice", at);
    fresh[at] = true;
  }
  if (!n.ok()) return;
  SymDims out;
  for (int i = 0, from = 0; i < rank; ++i) out.push_back(fresh[i] ? Dim(1) : dims[from++]);
  n.out(0, n.reshape(x, out));
}

void transpose(NodeImport& n) {
  const ValueId x = n.in(0);
  const int rank = n.rank(x);
  std::vector<int64_t> axes = n.integers("perm");
  if (!n.has_attribute("perm"))
    for (int i = rank - 1; i >= 0; --i) axes.push_back(i);
  if (n.ok() && axes.size() != static_cast<size_t>(rank)) n.wrong("perm has {} entries; input 0 has rank {}", axes.size(), rank);
  if (!n.ok()) return;
  Perm perm;
  bool seen[kMaxRank] = {};
  for (const int64_t p : axes) {
    if (p < 0 || p >= rank || seen[p]) return n.wrong("perm is not a permutation of 0 to {}", rank - 1);
    seen[p] = true;
    perm.push_back(static_cast<int32_t>(p));
  }
  n.out(0, n.transpose(x, perm));
}

void expand(NodeImport& n) {
  const ValueId x = n.in(0);
  const std::vector<Dim> target = n.elements(1, "shape");
  if (n.ok() && target.size() > static_cast<size_t>(kMaxRank)) n.unsupported("the target has rank {}; at most {}", target.size(), kMaxRank);
  if (!n.ok()) return;
  n.out(0, n.expand(x, SymDims(std::span<const Dim>(target))));
}

// Opset 1 to 5 repeat along one axis.
void tile_along(NodeImport& n) {
  const ValueId x = n.in(0);
  n.require_single(n.in(1), "tiles");
  n.require_single(n.in(2), "axis");
  const Dim times = n.element_of(n.cast(n.in(1), DType::i64), "tiles"), axis = n.element_of(n.cast(n.in(2), DType::i64), "axis");
  if (!n.ok()) return;
  const RunTimeAxes along(n, {axis}, n.rank(x));
  SymDims repeats;
  for (int i = 0; i < n.rank(x); ++i) repeats.push_back(along.value_of(i, {times}, 1));
  n.out(0, n.add(Tile::make(repeats), {x}));
}

void tile(NodeImport& n) {
  if (n.opset() < 6) return tile_along(n);
  const ValueId x = n.in(0);
  const std::vector<Dim> repeats = n.elements(1, "repeats", n.rank(x));
  if (n.ok() && repeats.size() != static_cast<size_t>(n.rank(x)))
    n.wrong("repeats has {} entries; input 0 has rank {}", repeats.size(), n.rank(x));
  if (!n.ok()) return;
  n.out(0, n.add(Tile::make(SymDims(std::span<const Dim>(repeats))), {x}));
}

constexpr Importer kShapeOperators[] = {
    {"Expand", 8, expand},   {"Flatten", 1, flatten}, {"Reshape", 1, reshape},     {"Shape", 1, shape},         {"Size", 1, size},
    {"Squeeze", 1, squeeze}, {"Tile", 1, tile},       {"Transpose", 1, transpose}, {"Unsqueeze", 1, unsqueeze},
};

}  // namespace

std::span<const Importer> shape_importers() { return kShapeOperators; }

}  // namespace anydim::onnx
