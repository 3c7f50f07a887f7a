// SPDX-License-Identifier: Apache-2.0
// Steps without a kernel of the library's. Most run programs of their own, their bodies: a branch runs one of two, a loop runs one again
// and again; others run an operator of the host program's (host_node.h). Plain data; how they run is in core/run/context/control_flow.h.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/program/host_node.h"
#include "core/tensor/dim.h"
#include "core/tensor/dims.h"

namespace anydim {

struct Program;

// Where an input of a body gets its tensor from, each time that the body runs.
struct BodyInput {
  enum class From : uint8_t {
    operand,    // operand `index` of the step
    iteration,  // how many iterations came before this one, i64
    carried,    // carried value `index`: what the iteration before wrote, at first its initial value
    slice,      // slice `index`: the elements of an operand at one place of an axis
  } from = From::operand;
  int32_t index = 0;
};

struct Body {
  std::shared_ptr<const Program> program;
  std::vector<BodyInput> inputs;    // by input of the program
  std::vector<int32_t> parameters;  // by parameter of the program: the dim attribute of the step that is its value
};

struct Control {
  enum class Kind : uint8_t { branch, loop, host } kind = Kind::branch;
  std::vector<Body> bodies;            // of a branch: what runs if its operand 0 is true, and if not
  std::vector<uint8_t> sized_by_step;  // by result: 1 if the step finds some of its dims; it then lies in memory of the step's own

  // Of an operator of the host program's.
  std::shared_ptr<const HostNode> host;
  std::vector<int32_t> host_inputs;  // operand, by input; -1: absent

  // Of a loop. Its results are the carried values, then the stacks; so are its body's outputs, after the condition if it asks for one.
  struct Slice {
    int32_t operand = 0, axis = 0;
    bool reverse = false;  // the first iteration gets the last
  };
  struct Stack {
    int32_t axis = 0;  // of the result, along which iterations follow each other
    bool reverse = false;
    // Dims of what an iteration adds as the model declares them, -1 for others: said of an empty stack where only an iteration would
    // find them. No dims: it declares nothing.
    Dims declared;
    bool of_sequence = false;  // what it stacks may by right have other dims in each iteration
  };
  int32_t count = -1;            // operand: iterations at most; -1: no limit but the slices' and the condition
  int32_t condition = -1;        // operand: is there a first iteration? -1: yes
  bool has_condition = false;    // the body's first output: is there another one?
  std::vector<int32_t> initial;  // operand, by carried value
  std::vector<Slice> slices;
  std::vector<Stack> stacks;
  Dim most_iterations = kMaxSize;  // in dims of the program that the step is in

  size_t carried() const noexcept { return initial.size(); }
};

constexpr const char* name_of(Control::Kind kind) noexcept {
  return kind == Control::Kind::loop ? "loop" : kind == Control::Kind::branch ? "branch" : "host";
}

}  // namespace anydim
