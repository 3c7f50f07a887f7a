// SPDX-License-Identifier: Apache-2.0
// Reshapes are matched group by group: both sides are cut where the products of the dims so far are provably equal,
// and a group is a view if its axes lie in memory like one axis.
#include "core/graph/plan/strided_dims.h"

#include <vector>

namespace anydim {
namespace {

// Axes [from_begin, from_end) and [to_begin, to_end) hold the same elements.
struct Group {
  int from_begin, from_end, to_begin, to_end;
};

std::vector<Group> match_groups(DimPool& pool, const SymDims& from, const SymDims& to) {
  // prefix[i] = product of the first i dims; suffix[i] = product of those from i on. Either equality is enough, since
  // the totals are equal: that is what a reshape is.
  std::vector<Dim> from_prefix{1}, to_prefix{1};
  for (int i = 0; i < from.rank; ++i) from_prefix.push_back(pool.mul(from_prefix.back(), from[i]));
  for (int i = 0; i < to.rank; ++i) to_prefix.push_back(pool.mul(to_prefix.back(), to[i]));
  std::vector<Dim> from_suffix(from.rank + 1, Dim(1)), to_suffix(to.rank + 1, Dim(1));
  for (int i = from.rank; i-- > 0;) from_suffix[i] = pool.mul(from[i], from_suffix[i + 1]);
  for (int i = to.rank; i-- > 0;) to_suffix[i] = pool.mul(to[i], to_suffix[i + 1]);
  const auto cut = [&](int i, int j) {
    if (i == from.rank || j == to.rank) return i == from.rank && j == to.rank;
    return pool.provably_equal(from_prefix[i], to_prefix[j]) || pool.provably_equal(from_suffix[i], to_suffix[j]);
  };
  std::vector<Group> groups;
  int i = 0, j = 0;
  while (i < from.rank || j < to.rank) {
    // The nearest next cut, by total distance.
    Group best{i, from.rank, j, to.rank};
    int best_distance = from.rank - i + to.rank - j;
    for (int a = i; a <= from.rank; ++a)
      for (int b = j; b <= to.rank; ++b) {
        const int distance = a - i + b - j;
        if (distance == 0 || distance >= best_distance) continue;
        if (cut(a, b)) {
          best = {i, a, j, b};
          best_distance = distance;
        }
      }
    groups.push_back(best);
    i = best.from_end;
    j = best.to_end;
  }
  return groups;
}

}  // namespace

Dim element_count(DimPool& pool, const SymDims& dims) {
  Dim n = 1;
  for (const Dim& d : dims) n = pool.mul(n, d);
  return n;
}

SymView dense_view(DimPool& pool, const SymDims& dims, const Perm& order) {
  SymView v;
  v.strides = SymDims::filled(dims.rank, Dim(1));
  Dim step = 1;
  for (int i = dims.rank - 1; i >= 0; --i) {
    const int axis = order.empty() ? i : order[i];
    v.strides[axis] = step;
    step = pool.mul(step, dims[axis]);
  }
  return v;
}

SymView transposed_view(const SymView& in, const Perm& perm) {
  SymView v;
  v.offset = in.offset;
  for (int axis : perm) v.strides.push_back(in.strides[axis]);
  return v;
}

Perm inverse(const Perm& perm) {
  Perm p = Perm::filled(perm.rank, 0);
  for (int i = 0; i < perm.rank; ++i) p[perm[i]] = i;
  return p;
}

SymView sliced_view(DimPool& pool, const SymView& in, int axis, Dim start, int64_t step) {
  SymView v = in;
  v.offset = pool.add(v.offset, pool.mul(start, in.strides[axis]));
  v.strides[axis] = pool.mul(in.strides[axis], step);
  return v;
}

std::optional<SymView> reshaped_view(DimPool& pool, const SymDims& from, const SymView& view, const SymDims& to) {
  SymView out;
  out.offset = view.offset;
  out.strides = SymDims::filled(to.rank, Dim(1));
  for (const Group& g : match_groups(pool, from, to)) {
    Dim step = 1;
    bool first = true;
    Dim merged = 1, merged_stride = 1;  // of the axes walked so far, innermost outwards
    for (int a = g.from_end; a-- > g.from_begin;) {
      if (from[a].is(1)) continue;
      if (first) {
        step = merged_stride = view.strides[a];
        first = false;
      } else if (!pool.provably_equal(view.strides[a], pool.mul(merged, merged_stride))) {
        return std::nullopt;
      }
      merged = pool.mul(merged, from[a]);
    }
    for (int b = g.to_end; b-- > g.to_begin;) {
      out.strides[b] = step;
      step = pool.mul(step, to[b]);
    }
  }
  return out;
}

Perm row_major(int rank) {
  Perm p;
  for (int i = 0; i < rank; ++i) p.push_back(i);
  return p;
}

Perm order_core(const SymDims& dims, const Perm& order) {
  Perm core;
  for (int i = 0; i < dims.rank; ++i) {
    const int axis = order.empty() ? i : order[i];
    if (!dims[axis].is(1)) core.push_back(axis);
  }
  return core;
}

bool same_order(const SymDims& dims, const Perm& a, const Perm& b) { return order_core(dims, a) == order_core(dims, b); }

Perm transposed_order(const Perm& order, const Perm& perm) {
  const Perm to_output = inverse(perm);
  Perm out;
  for (int i = 0; i < perm.rank; ++i) out.push_back(to_output[order.empty() ? i : order[i]]);
  return out;
}

std::optional<Perm> reshaped_order(DimPool& pool, const SymDims& from, const Perm& order, const SymDims& to) {
  const Perm core = order_core(from, order);
  Perm out;
  std::vector<bool> used(to.rank, false);
  const std::vector<Group> groups = match_groups(pool, from, to);
  for (int i = 0; i < core.rank;) {
    const Group* group = nullptr;
    for (const Group& g : groups)
      if (core[i] >= g.from_begin && core[i] < g.from_end) group = &g;
    // The group's axes must follow each other in memory as they do logically.
    for (int a = group->from_begin; a < group->from_end; ++a) {
      if (from[a].is(1)) continue;
      if (i >= core.rank || core[i] != a) return std::nullopt;
      ++i;
    }
    for (int b = group->to_begin; b < group->to_end; ++b) {
      out.push_back(b);
      used[b] = true;
    }
  }
  // Axes of 1 that belong to no axis of the input: anywhere; outermost keeps a row-major order recognisable.
  Perm full;
  for (int b = 0; b < to.rank; ++b)
    if (!used[b]) full.push_back(b);
  for (int axis : out) full.push_back(axis);
  return full;
}

}  // namespace anydim
