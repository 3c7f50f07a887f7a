// SPDX-License-Identifier: Apache-2.0
// Elements picked and stored by indices in the data: the Gather and Scatter families, OneHot; and indices that are found in the data:
// NonZero, Compress, Unique.
#include <cstring>

#include "core/ops/operators/gather.h"
#include "core/ops/operators/gather_elements.h"
#include "core/ops/operators/gather_nd.h"
#include "core/ops/operators/count_non_zero.h"
#include "core/ops/operators/non_zero.h"
#include "core/ops/operators/one_hot.h"
#include "core/ops/operators/scatter_elements.h"
#include "core/ops/operators/scatter_nd.h"
#include "core/ops/operators/unique.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

void gather(NodeImport& n) {
  const ValueId x = n.in(0), indices = n.in(1);
  n.out(0, n.add(Gather::make(n.axis(n.integer("axis", 0), n.rank(x))), {x, indices}));
}
void gather_elements(NodeImport& n) {
  const ValueId x = n.in(0), indices = n.in(1);
  n.out(0, n.add(GatherElements::make(n.axis(n.integer("axis", 0), n.rank(x))), {x, indices}));
}
// Indices of which the last dim, how many axes one names, is not declared, where the ranks say it; 0: they do not.
ValueId with_width(NodeImport& n, ValueId indices, int width) {
  SymDims dims = n.dims(indices);
  if (!n.ok() || width < 1 || dims.rank == 0 || dims[dims.rank - 1].is_number()) return indices;
  dims[dims.rank - 1] = width;
  return n.reshape(indices, dims);
}

void gather_nd(NodeImport& n) {
  const ValueId x = n.in(0);
  ValueId indices = n.in(1);
  const int64_t batch = n.integer("batch_dims", 0);
  if (n.ok() && (batch < 0 || batch >= n.rank(x))) n.wrong("batch_dims is {}; expected 0 to {}", batch, n.rank(x) - 1);
  if (!n.ok()) return;
  indices = with_width(n, indices, n.rank(x) - static_cast<int>(batch) == 1 ? 1 : 0);
  n.out(0, n.add(GatherNd::make(static_cast<int>(batch)), {x, indices}));
}

ScatterReduction reduction(NodeImport& n) {
  constexpr ScatterReduction kReductions[] = {ScatterReduction::none, ScatterReduction::add, ScatterReduction::mul, ScatterReduction::min,
                                              ScatterReduction::max};
  return kReductions[n.choice("reduction", "none", {"none", "add", "mul", "min", "max"})];
}
// Scatter (opset 9 and 10) is the same operator under its old name.
void scatter_elements(NodeImport& n) {
  const ValueId x = n.in(0), indices = n.in(1), updates = n.in(2);
  const int axis = n.axis(n.integer("axis", 0), n.rank(x));
  n.out(0, n.add(ScatterElements::make(axis, reduction(n)), {x, indices, updates}));
}
void scatter_nd(NodeImport& n) {
  const ValueId x = n.in(0), updates = n.in(2);
  if (!n.ok()) return;
  const ValueId indices = with_width(n, n.in(1), n.rank(n.in(1)) - 1 + n.rank(x) - n.rank(updates));
  n.out(0, n.add(ScatterNd::make(reduction(n)), {x, indices, updates}));
}

void one_hot(NodeImport& n) {
  const ValueId indices = n.in(0), values = n.in(2);
  const int axis = n.axis(n.integer("axis", -1), n.rank(indices) + 1);
  // The depth may have any number type; a float must hold an integer.
  Dim depth = 0;
  if (n.has(1) && n.value(n.in(1)).shape_values.known) {
    const std::vector<Dim> read = n.elements(1, "depth");
    if (n.ok() && read.size() != 1) n.wrong("depth has {} elements; expected 1", read.size());
    if (n.ok()) depth = read[0];
  } else if (n.has(1) && n.value(n.in(1)).constant != nullptr) {
    const std::vector<double> read = n.real_numbers(1, "depth");
    if (n.ok() && (read.size() != 1 || read[0] < 0 || read[0] > 1e15)) n.wrong("depth is not one number of 0 or more");
    if (n.ok()) depth = static_cast<int64_t>(read[0]);
  } else {
    depth = n.element_of(n.cast(n.in(1), DType::i64), "depth");
  }
  n.out(0, n.add(OneHot::make(axis, depth), {indices, values}));
}

// --- indices found in the data -------------------------------------------------------------------------------------

bool is_zero(const ConstantTensor& c, int64_t index) {
  const int64_t size = dtype_size(c.dtype());
  uint64_t bits = 0;
  std::memcpy(&bits, c.address() + index * size, static_cast<size_t>(size));
  if (dtype_is_float(c.dtype())) bits &= ~(uint64_t{1} << (8 * size - 1));
  return bits == 0;
}

// How many elements of x are not zero: at load time where that follows from constants and shapes, else a run finds it.
Dim non_zero_count(NodeImport& n, ValueId x) {
  DimPool& pool = n.pool();
  const Value& value = n.value(x);
  const Dim all = n.product(n.dims(x), 0, n.rank(x));
  if (value.shape_values.known) {
    Dim count = 0;
    for (const Dim e : value.shape_values.elements) count = pool.add(count, pool.select(pool.equal(e, 0), 0, 1));
    return count;
  }
  if (const ConstantTensor* c = value.constant.get()) {
    int64_t count = 0;
    for (int64_t i = 0; i < c->count(); ++i) count += is_zero(*c, i) ? 0 : 1;
    return count;
  }
  // What ConstantOfShape gives: one known element over and over.
  if (const Node* p = n.graph().producer(x); p != nullptr && p->op->kind() == OpKind::expand) {
    const ShapeValues& c = n.value(p->inputs[0]).shape_values;
    if (c.known && c.elements.size() == 1 && c.elements[0].is_number()) return c.elements[0].is(0) ? Dim(0) : all;
  }
  return n.size_of(n.add(CountNonZero::make({}), {x}), all);
}

// [rank, count]; of a scalar [0, count], as ONNX has it and NumPy has not.
ValueId non_zero_of(NodeImport& n, ValueId x) {
  if (!n.ok()) return kNoValue;
  return n.add(NonZero::make({non_zero_count(n, x)}), {x});
}
void non_zero(NodeImport& n) { n.out(0, non_zero_of(n, n.in(0))); }

// The condition may be shorter than the axis, or longer: then what is beyond the other's end does not count.
void compress(NodeImport& n) {
  ValueId x = n.in(0), condition = n.in(1);
  if (n.ok() && (n.dtype(condition) != DType::boolean || n.rank(condition) != 1))
    n.wrong("the condition is {} of rank {}; expected a vector of booleans", dtype_name(n.dtype(condition)), n.rank(condition));
  if (!n.ok()) return;
  if (!n.has_attribute("axis")) x = n.reshape(x, {n.product(n.dims(x), 0, n.rank(x))});
  const int axis = n.axis(n.integer("axis", 0), n.rank(x));
  if (!n.ok()) return;
  const Dim length = n.dims(condition)[0], both = n.pool().min(length, n.dims(x)[axis]);
  if (!n.pool().provably_equal(both, length)) condition = n.slice(condition, 0, 0, both);
  const ValueId found = non_zero_of(n, condition);
  if (!n.ok()) return;
  n.out(0, n.add(Gather::make(axis), {x, n.reshape(found, {n.dims(found)[1]})}));
}

// Everything that is found is as large as the axis, and cut to the number of slices that are distinct.
void unique(NodeImport& n) {
  ValueId x = n.in(0);
  if (n.ok() && !n.has_attribute("axis")) x = n.reshape(x, {n.product(n.dims(x), 0, n.rank(x))});
  const int axis = n.axis(n.integer("axis", 0), n.rank(x));
  const std::vector<ValueId> found = n.add_many(Unique::make({axis, n.integer("sorted", 1) != 0}), {x}, Unique::kOutputs);
  if (!n.ok()) return;
  const Dim count = n.size_of(found[Unique::kCount], n.dims(x)[axis]);
  const ValueId first = n.slice(found[Unique::kFirst], 0, 0, count);
  n.out(0, n.add(Gather::make(axis), {x, first}));
  n.out(1, first);
  n.out(2, found[Unique::kInverse]);
  if (n.wants(3)) n.out(3, n.slice(found[Unique::kCounts], 0, 0, count));
}

constexpr Importer kIndexOperators[] = {
    {"Compress", 9, compress},
    {"Gather", 1, gather},
    {"GatherElements", 11, gather_elements},
    {"GatherND", 11, gather_nd},
    {"NonZero", 9, non_zero},
    {"OneHot", 9, one_hot},
    {"Scatter", 9, scatter_elements},
    {"ScatterElements", 11, scatter_elements},
    {"ScatterND", 11, scatter_nd},
    {"Unique", 11, unique},
};

}  // namespace

std::span<const Importer> index_importers() { return kIndexOperators; }

}  // namespace anydim::onnx
