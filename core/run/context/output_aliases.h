// SPDX-License-Identifier: Apache-2.0
// Outputs that are nothing but views of an input (a transpose, reshape or slice of it, or it itself): where the caller asks for that, they
// lie in the input's memory, and the steps that copy are left out. Which outputs that may concern follows from the program; whether a
// reshape is a view at all, from the strides of the run.
#pragma once

#include <span>
#include <vector>

#include "core/program/program.h"
#include "core/run/context/shape_binding.h"

namespace anydim {

class OutputAliases {
 public:
  [[gnu::cold]] OutputAliases(const Program& program, bool body);

  bool may_be(size_t output) const noexcept { return edges_[output].input >= 0; }
  // Steps that a run may leave out.
  std::vector<size_t> steps() const;

  // Of the next run: gets for each output the input that it lies in, or -1. Empty: nobody asks.
  void ask(std::span<int32_t> answers) noexcept {
    answers_ = answers;
    for (int32_t& answer : answers) answer = -1;
  }
  bool is_asked(size_t output) const noexcept { return output < answers_.size() && may_be(output); }
  // When the memory of a run is bound: which outputs among those that nobody has placed are views, and which steps are left out.
  void find(std::span<const TensorView> out, ShapeBinding& binding) noexcept;
  bool is_found(size_t output) const noexcept { return output < answers_.size() && answers_[output] >= 0; }
  const TensorView& view(size_t output) const noexcept { return views_[output]; }

 private:
  struct Link {
    size_t step = 0;
    bool read_again = false;  // other steps read what it makes, so it is run in any case
  };
  struct Edge {
    std::vector<Link> links;  // the steps from the input to the output
    int32_t input = -1;       // none: it is no view
  };
  static Edge edge_of(const Program& program, size_t output);
  bool make_view(const Edge& edge, const ShapeBinding& binding, TensorView* view) const noexcept;

  std::vector<Edge> edges_;  // by output
  std::vector<TensorView> views_;
  std::span<int32_t> answers_;
};

}  // namespace anydim
