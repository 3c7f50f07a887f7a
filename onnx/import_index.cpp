// SPDX-License-Identifier: Apache-2.0
// Elements picked and stored by indices in the data: the Gather and Scatter families, OneHot.
#include "core/ops/gather.h"
#include "core/ops/gather_elements.h"
#include "core/ops/gather_nd.h"
#include "core/ops/one_hot.h"
#include "core/ops/scatter_elements.h"
#include "core/ops/scatter_nd.h"
#include "onnx/operators.h"

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
void gather_nd(NodeImport& n) {
  const ValueId x = n.in(0), indices = n.in(1);
  const int64_t batch = n.integer("batch_dims", 0);
  if (n.ok() && (batch < 0 || batch >= n.rank(x))) n.wrong("batch_dims is {}; expected 0 to {}", batch, n.rank(x) - 1);
  if (!n.ok()) return;
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
  const ValueId x = n.in(0), indices = n.in(1), updates = n.in(2);
  n.out(0, n.add(ScatterNd::make(reduction(n)), {x, indices, updates}));
}

void one_hot(NodeImport& n) {
  const ValueId indices = n.in(0), values = n.in(2);
  const int axis = n.axis(n.integer("axis", -1), n.rank(indices) + 1);
  // The depth may have any number type; a float must hold an integer.
  Dim depth = 0;
  if (n.has(1) && n.graph().value(n.in(1)).content.known) {
    const std::vector<Dim> given = n.elements(1, "depth");
    if (n.ok() && given.size() != 1) n.wrong("depth has {} elements; expected 1", given.size());
    if (n.ok()) depth = given[0];
  } else {
    const std::vector<double> given = n.real_numbers(1, "depth");
    if (n.ok() && (given.size() != 1 || given[0] < 0 || given[0] > 1e15)) n.wrong("depth is not one number of 0 or more");
    if (n.ok()) depth = static_cast<int64_t>(given[0]);
  }
  n.out(0, n.add(OneHot::make(axis, depth), {indices, values}));
}

constexpr Importer kTable[] = {
    {"Gather", 1, gather},         {"GatherElements", 11, gather_elements}, {"GatherND", 11, gather_nd},
    {"OneHot", 9, one_hot},        {"Scatter", 9, scatter_elements},        {"ScatterElements", 11, scatter_elements},
    {"ScatterND", 11, scatter_nd},
};

}  // namespace

std::span<const Importer> index_importers() { return kTable; }

}  // namespace anydim::onnx
