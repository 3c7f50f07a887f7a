// SPDX-License-Identifier: Apache-2.0
// The tensors that the steps of a context read and write, and how they follow the shape: which number of which view comes
// from which slot, where a view's memory lies, and which steps a changed slot concerns. Made once for a context; a new shape
// then costs a walk over a few flat lists. Knows the program; runs and plans nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/program/program.h"

namespace anydim {

class OperandViews {
 public:
  // What goes into a step's Args.
  struct Operands {
    std::span<const TensorView> in, out, post_in;
    // Slots that its dims, strides and dim attributes come from, as bits of what follow() returns. Slots share bits where
    // there are more than 64: a step is then planned again more often than it must be.
    uint64_t follows = 0;
  };

  OperandViews() = default;
  OperandViews(const OperandViews&) = delete;  // spans and pointers lead into views_
  OperandViews& operator=(const OperandViews&) = delete;

  Status prepare(const Program& program);

  const Operands& step(size_t i) const noexcept { return steps_[i]; }
  std::span<const TensorView> outputs() const noexcept { return outputs_; }  // the program's
  // What a stage reads its sizes from, read by read.
  std::span<const TensorView> reads(size_t stage) const noexcept { return stages_[stage].reads; }

  // Writes the dims and strides that the slots of a stage give, all of them or those that differ from the last call's. Returns
  // the slots that changed (all: every bit).
  uint64_t follow(size_t stage, std::span<const int64_t> slots, bool all) noexcept;

  // Points the views whose place is known from this stage on into memory (by buffer): all of them, or those in memory of the
  // caller, which may be elsewhere at each run.
  void place(size_t stage, std::span<std::byte* const> buffers, std::span<const int64_t> slots, bool all) noexcept;

  // Whether one of these (in, out or post_in of a step) lies in a buffer of which `outer` says that it is memory of the caller.
  template <class Outer> bool outer(std::span<const TensorView> operands, const Outer& outer) const noexcept {
    const auto is = [&](const StorageBinding& h) {
      return h.view >= operands.data() && h.view < operands.data() + operands.size() && outer(h.buffer);
    };
    return std::any_of(outer_bindings_.begin(), outer_bindings_.end(), is);
  }

 private:
  // A slot, and how many of numbers_ come from it.
  struct Source {
    int32_t slot = 0, numbers = 0;
    int64_t value = 0;  // written last
  };
  // Where a view's memory is.
  struct StorageBinding {
    TensorView* view = nullptr;
    int32_t buffer = 0;
    int32_t element = 0;  // bytes of one
    Dim offset;           // in elements
  };
  // Ends of a stage's parts of the lists below.
  struct Stage {
    size_t sources = 0, numbers = 0, bindings = 0, outer_bindings = 0;
    std::span<const TensorView> reads;
  };
  struct Number {
    int32_t slot = 0;
    int64_t* number = nullptr;  // null: a dim attribute, which lies elsewhere
  };

  Status append(const Program& program, int32_t tensor, std::vector<Number>* numbers);
  Status lay_views(const Program& program, std::vector<Number>* numbers);
  void find_sources(const Program& program, std::span<const Number> numbers);
  void cut_into_stages(const Program& program);

  std::vector<TensorView> views_;
  std::vector<Operands> steps_;
  std::vector<Stage> stages_;
  std::span<const TensorView> outputs_;
  std::vector<Source> sources_;
  std::vector<int64_t*> numbers_;  // source after source, stage after stage as all of these
  std::vector<StorageBinding> bindings_, outer_bindings_;
};

}  // namespace anydim
