// SPDX-License-Identifier: Apache-2.0
// The caller's tensors in a run, checked against the program: inputs, the integers in them that shapes follow from, and outputs, each
// either written where the caller wants it or copied there at the end. Evaluates no dims and runs nothing.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/program/arena_plan.h"
#include "core/run/context/shape_source.h"

namespace anydim {

class CallerTensors {
 public:
  // `body`: of a branch or loop, whose outputs are memory of the context around it. `bounds`: null, or kept by the caller.
  [[gnu::cold]] CallerTensors(const Program& program, const Bounds* bounds, bool body);

  // `with_data`: each must have its elements, too.
  Status set_inputs(std::span<const TensorView> in, bool with_data);
  // Inputs of the only shape that the program has, without data; false where it has several.
  bool set_only_shape();
  void set_parameters(std::span<const int64_t> values) noexcept { std::copy(values.begin(), values.end(), source_.parameters.begin()); }
  // Outputs that lie in the memory of an input, or have room behind their ends. None of those that are not there.
  void set_rooms(std::span<const TensorView> out) noexcept {
    for (const size_t i : caches_) set_room(i, out);
  }
  // The program's outputs, whose dims are bound; and as they are without the copies that end them, where there is one (of no dtype:
  // there is none), or no list.
  struct Bound {
    std::span<const TensorView> outputs, uncopied;
  };
  // Those whose dims this stage finds.
  Status check_outputs(size_t stage, std::span<const TensorView> out, const Bound& mine, std::span<const int64_t> slots);

  bool is_body() const noexcept { return body_; }
  const ShapeSource& source() const noexcept { return source_; }
  const TensorView& input(size_t i) const noexcept { return source_.in[i]; }
  bool is_direct(size_t output) const noexcept { return direct_[output] != nullptr; }  // its steps write the caller's memory
  std::byte* direct_data(size_t output) const noexcept { return direct_[output]; }
  bool is_uncopied(size_t output) const noexcept { return uncopied_[output] != 0; }  // it is direct without the copy that ends it
  // Whether something is appended to an input in place to make this output.
  bool is_in_place(size_t output) const noexcept { return in_place_[output] != 0; }

 private:
  Status check_output(size_t i, std::span<const TensorView> out, const TensorView& mine, const TensorView* uncopied);
  void set_room(size_t i, std::span<const TensorView> out) noexcept;

  const Program& program_;
  const Bounds* const bounds_;
  const bool body_;
  std::vector<int32_t> output_stages_;    // that find their dims
  std::vector<uint8_t> written_at_once_;  // by output: in the last stage, when nothing can be found wrong any more
  std::vector<size_t> caches_;            // outputs that are an input with something appended
  ShapeSource source_;
  std::vector<std::byte*> direct_;  // by output; null: it is copied there
  std::vector<uint8_t> in_place_;   // by output
  std::vector<uint8_t> uncopied_;   // by output
};

// Axes of an output that come first and that a run leaves out: they are of 1 element then.
int left_out_axes(const Program::IoSpec& output, std::span<const int64_t> slots) noexcept;
TensorView without_first_axes(TensorView view, int count) noexcept;

// An element of a tensor of integers, in row-major order.
int64_t integer_at(const TensorView& t, int64_t element) noexcept;

}  // namespace anydim
