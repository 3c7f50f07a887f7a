// SPDX-License-Identifier: Apache-2.0
// Axes that only a run knows: their number is known when the model is loaded, their values are symbols. Results have dims that
// are chosen among those of the input, so no kernel knows of it.
#pragma once

#include <vector>

#include "onnx/walk/node_import.h"

namespace anydim::onnx {

bool all_numbers(const std::vector<Dim>& elements);

class RunTimeAxes {
 public:
  // Axes of a tensor of `rank`, negative ones counted from the end. A run in which one is out of range, or is given twice, is refused.
  RunTimeAxes(NodeImport& n, const std::vector<Dim>& axes, int rank);

  int rank() const noexcept { return rank_; }
  int count() const noexcept { return static_cast<int>(axes_.size()); }
  // 1 or 0: is `axis` given?
  Dim listed(int axis) const { return listed_[axis]; }
  // Is it the one that is given at place j?
  Dim is(size_t j, int axis) const { return n_.pool().equal(axes_[j], axis); }
  // How many given axes come before it.
  Dim before(int axis) const { return before_[axis]; }
  // values[j] where axes[j] is `axis`, else `otherwise`.
  Dim value_of(int axis, const std::vector<Dim>& values, Dim otherwise) const;
  // The dims of all axes that are not given, in their order.
  SymDims others(const SymDims& dims) const;
  // The reverse: a dim of 1 at each axis that is given, and `dims` at the others, in their order.
  SymDims with_ones_among(const SymDims& dims) const;
  // `dims` with 1 at each axis that is given.
  SymDims with_ones_at(const SymDims& dims) const;

  // The dims that make of a tensor one in which the given axes have fixed places: `listed` has those. No dims: there is none.
  SymDims apart(const SymDims& dims, std::vector<int64_t>* listed) const;

 private:
  NodeImport& n_;
  int rank_;
  std::vector<Dim> axes_;  // from 0
  SymDims listed_, before_;
};

}  // namespace anydim::onnx
