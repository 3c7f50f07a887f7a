// SPDX-License-Identifier: Apache-2.0
// Counting an operator's work; see work.h.
#include "core/ops/work.h"

#include <algorithm>
#include <cmath>

#include "core/ops/binary.h"
#include "core/ops/gather.h"
#include "core/ops/gather_elements.h"
#include "core/ops/gather_nd.h"
#include "core/ops/grid_sample.h"
#include "core/ops/matmul.h"
#include "core/ops/one_hot.h"
#include "core/ops/pooling.h"
#include "core/ops/scatter_elements.h"

namespace anydim {

namespace {

double count(const Dims& d) noexcept {
  double n = 1;
  for (int64_t v : d) n *= static_cast<double>(v);
  return n;
}

// Of a weights tensor [outer, ...]: elements of one outer index.
double inner(const Dims& w) noexcept { return w.rank > 0 && w[0] > 0 ? count(w) / static_cast<double>(w[0]) : 0; }

ValueRange index_into(int64_t dim) noexcept { return {0, std::max<int64_t>(dim - 1, 0)}; }

}  // namespace

Work work_of(const Operator& op, std::span<const Dims> in, std::span<const Dims> out) noexcept {
  Work w;
  for (const Dims& d : in) w.steps = std::max(w.steps, count(d));
  for (const Dims& d : out) w.steps = std::max(w.steps, count(d));
  if (in.size() >= 2 && !out.empty()) {
    double products = -1;
    if (op.kind() == OpKind::convolution) products = count(out[0]) * inner(in[1]);
    if (op.kind() == OpKind::conv_transpose) products = count(in[0]) * inner(in[1]);
    if (const auto* m = as<Matmul>(op); m != nullptr && in[0].rank > 0) {
      const Dims& a = in[0];
      const int k = a.rank == 1 ? 0 : m->get().transpose_a ? a.rank - 2 : a.rank - 1;
      products = count(out[0]) * static_cast<double>(a[k]);
    }
    if (products >= 0) {
      w.flops = 2 * products;
      w.steps = products;
    }
  }
  if (const auto* p = as<Pooling>(op); p != nullptr && !p->get().global && !out.empty()) {
    double window = 1;
    for (int i = 0; i < p->get().spatial; ++i) window *= static_cast<double>(p->get().window[i]);
    w.steps = count(out[0]) * window;
  }
  if (const auto* g = as<GridSample>(op); g != nullptr && !out.empty()) {
    const int taps = g->get().mode == GridSampleMode::nearest ? 1 : g->get().mode == GridSampleMode::linear ? 2 : 4;
    w.steps = count(out[0]) * std::pow(taps, out[0].rank - 2);
  }
  return w;
}

ValueRange sensible_values(const Operator& op, std::span<const Dims> in, size_t input) noexcept {
  const Dims none;
  const Dims& data = in.empty() ? none : in[0];
  if (const auto* g = as<Gather>(op); g && input == 1 && g->axis() < data.rank) return index_into(data[g->axis()]);
  if (const auto* g = as<GatherElements>(op); g && input == 1 && g->axis() < data.rank) return index_into(data[g->axis()]);
  if (const auto* s = as<ScatterElements>(op); s && input == 1 && s->axis() < data.rank) return index_into(data[s->axis()]);
  if ((op.kind() == OpKind::gather_nd || op.kind() == OpKind::scatter_nd) && input == 1) {
    // Each index vector walks several axes: the smallest bounds them all.
    const auto* g = as<GatherNd>(op);
    const int first = g != nullptr ? g->batch_dims() : 0;
    const int depth = in.size() > 1 && in[1].rank > 0 ? static_cast<int>(in[1].back()) : 0;
    int64_t least = INT64_MAX;
    for (int i = first; i < first + depth && i < data.rank; ++i) least = std::min(least, data[i]);
    return least == INT64_MAX ? ValueRange{0, 0} : index_into(least);
  }
  if (op.kind() == OpKind::non_zero) return {1, 99};                            // as many that are not zero as it is asked for
  if (op.kind() == OpKind::cumsum && input == 1) return index_into(data.rank);  // an axis
  if (const auto* o = as<OneHot>(op); o && input == 0 && o->dim_attributes()[0].is_number())
    return index_into(o->dim_attributes()[0].number());
  if (const auto* b = as<Binary>(op); b && input == 1) switch (b->function()) {
      case BinaryFunction::div:
      case BinaryFunction::mod_floor:
      case BinaryFunction::mod_trunc: return {1, 99};
      case BinaryFunction::pow: return {0, 3};
      case BinaryFunction::shift_left:
      case BinaryFunction::shift_right: return {0, 7};
      default: break;
    }
  return {};
}

}  // namespace anydim
