// SPDX-License-Identifier: Apache-2.0
// Axes whose values only a run knows; see run_time_axes.h.
#include "onnx/walk/run_time_axes.h"

#include <algorithm>

namespace anydim::onnx {

bool all_numbers(const std::vector<Dim>& elements) {
  return std::all_of(elements.begin(), elements.end(), [](Dim d) { return d.is_number(); });
}

RunTimeAxes::RunTimeAxes(NodeImport& n, const std::vector<Dim>& axes, int rank) : n_(n), rank_(rank) {
  DimPool& pool = n.pool();
  for (const Dim axis : axes) {
    n.require(pool.mul(pool.less(-rank - 1, axis), pool.less(axis, rank)),
              formatted("an axis, {}, is at least {} and at most {}", pool.text(axis), -rank, rank - 1));
    axes_.push_back(pool.select(pool.less(axis, 0), pool.add(axis, rank), axis));
  }
  for (size_t i = 0; i < axes.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      n.require(pool.sub(1, pool.equal(axes_[i], axes_[j])),
                formatted("axes {} and {} of a tensor of rank {} differ", pool.text(axes[j]), pool.text(axes[i]), rank));
  Dim before = 0;
  for (int i = 0; i < rank; ++i) {
    Dim listed = 0;
    for (size_t j = 0; j < axes_.size(); ++j) listed = pool.select(is(j, i), 1, listed);
    listed_.push_back(listed);
    before_.push_back(before);
    before = pool.add(before, listed);
  }
}

Dim RunTimeAxes::value_of(int axis, const std::vector<Dim>& values, Dim otherwise) const {
  Dim value = otherwise;
  for (size_t j = 0; j < axes_.size(); ++j) value = n_.pool().select(is(j, axis), values[j], value);
  return value;
}

// The p-th of them is one of axes p to p + count: the given ones can come before it and push it on.
SymDims RunTimeAxes::others(const SymDims& dims) const {
  DimPool& pool = n_.pool();
  SymDims out;
  for (int p = 0; p + count() < rank_; ++p) {
    Dim dim = dims[p + count()];
    for (int i = p + count() - 1; i >= p; --i)
      dim = pool.select(pool.mul(pool.sub(1, listed_[i]), pool.equal(before_[i], i - p)), dims[i], dim);
    out.push_back(dim);
  }
  return out;
}

SymDims RunTimeAxes::with_ones_among(const SymDims& dims) const {
  DimPool& pool = n_.pool();
  SymDims out;
  for (int i = 0; i < rank_; ++i) {
    Dim dim = 1;
    for (int from = std::max(0, i - count()); from <= std::min(i, dims.rank - 1); ++from)
      dim = pool.select(pool.equal(before_[i], i - from), dims[from], dim);
    out.push_back(pool.select(listed_[i], 1, dim));
  }
  return out;
}

SymDims RunTimeAxes::with_ones_at(const SymDims& dims) const {
  SymDims out;
  for (int i = 0; i < rank_; ++i) out.push_back(n_.pool().select(listed_[i], 1, dims[i]));
  return out;
}

SymDims RunTimeAxes::apart(const SymDims& dims, std::vector<int64_t>* listed) const {
  DimPool& pool = n_.pool();
  SymDims out;
  listed->clear();
  if (count() == rank_) {
    for (int i = 0; i < rank_; ++i) listed->push_back(i);
    return dims;
  }
  // Each axis as two, of which one is 1. No product of these can be larger than the tensor, so that bounds stay close.
  if (2 * rank_ <= kMaxRank) {
    for (int i = 0; i < rank_; ++i) {
      out.push_back(pool.select(listed_[i], 1, dims[i]));
      out.push_back(pool.select(listed_[i], dims[i], 1));
      listed->push_back(2 * i + 1);
    }
    return out;
  }
  // What lies between single axes is one axis: between those that are given, or between the others if these are fewer.
  const bool few = count() <= rank_ - count();
  const int singles = few ? count() : rank_ - count();
  if (2 * singles + 1 > kMaxRank) return {};
  const auto single = [&](int i) { return few ? listed_[i] : pool.sub(1, listed_[i]); };
  const auto singles_before = [&](int i) { return few ? before_[i] : pool.sub(i, before_[i]); };
  for (int s = 0; s <= singles; ++s) {
    Dim between = 1, alone = 1;
    for (int i = 0; i < rank_; ++i) {
      const Dim here = pool.equal(singles_before(i), s);
      between = pool.mul(between, pool.select(pool.mul(here, pool.sub(1, single(i))), dims[i], 1));
      alone = pool.select(pool.mul(here, single(i)), dims[i], alone);
    }
    if (!few) listed->push_back(out.rank);
    out.push_back(between);
    if (s == singles) break;
    if (few) listed->push_back(out.rank);
    out.push_back(alone);
  }
  return out;
}

}  // namespace anydim::onnx
