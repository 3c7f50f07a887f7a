// SPDX-License-Identifier: Apache-2.0
// What a run executes, as plain data: the steps in their order with the tensors that they read and write, where those lie,
// how every dim, stride and size follows from the inputs (the slots), what must hold of them (the guards), and the constants. Where sizes follow from
// data, the steps are cut into stages. A program of several engines has steps and buffers on each, and transfers between them.
// It is made once from a graph (core/graph/compile.h), knows no graph and no model format, and never changes: any number of
// contexts share it (core/run/context/context.h). What it needs of memory is asked in arena_plan.h.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/dispatch/primitive/primitive.h"
#include "core/dispatch/weights/weights_file.h"
#include "core/program/control.h"
#include "core/program/memory_plan.h"
#include "core/tensor/constant.h"
#include "core/tensor/dim.h"
#include "core/tensor/dims.h"

namespace anydim {

// How many weights are packed, each counted once however many steps read it, and what of them is mapped from a file.
struct PackedCounts {
  int32_t weights = 0, mapped = 0;
  int64_t mapped_bytes = 0;
};

// What a step of a program does, one of three.
struct KernelStep {
  int32_t primitive = 0;  // among the program's, whose kernel runs
};
// Copies a dense tensor as it is between the host's memory and that of the step's engine, maybe later than the steps behind it; the first
// one that reads what it wrote waits for it.
struct TransferStep {
  int32_t dense = -1;    // of an input of the caller's: the primitive that makes it dense before; else -1
  int32_t released = 0;  // to a device: the last step during which its source must keep its bytes
};
struct ControlStep {
  int32_t control = 0;  // the branch, loop or operator of the host program's among the program's
};

struct Program {
  // An input or output. A dim that is a symbol is assigned by the caller's tensor; two inputs may name one symbol.
  struct IoSpec {
    std::string name;
    DType dtype = DType::none;
    SymDims dims;
    std::vector<std::string> dim_text;  // "3", "height", "(w + 1) // 2"
    Perm order;                         // in memory: read fastest, or written without a copy
    SymDims strides;                    // of an input: symbols that take the caller's strides
    // Of an output: so many of its last axes a run gives; those before them, at most `optional`, are of 1 element then. -1: all, always.
    Dim rank = -1;
    int32_t optional = 0;
    // Of an output that is an input with something appended: it may lie in that input's memory (cache: which), as a part of more room
    // along the axis, whose size the caller's strides determine (room: its symbol; what is less than the dim counts as that).
    int32_t cache = -1, cache_axis = 0;
    Dim room = 0;
    bool behind = false;       // nothing of the input is overwritten
    int32_t appended_by = -1;  // the step that appends
    // Of an output whose order nobody asked for: the input whose order says whether it is row-major; -1: none.
    int32_t follows = -1;
    int32_t like = -1;      // the input as which it lies in each run, in place of `order`; -1: none
    SymDims dense_strides;  // of an input as which others lie: symbols that take the strides of a dense tensor in the order of the caller's
  };

  // A step that only brings an input into the order that kernels read, or an output out of the order that they write; or that only gives
  // an input other dims. Where the caller's tensor has that order, of other dims rows, a run leaves the step out: `buffer`, which holds
  // nothing else, is then the caller's memory.
  struct EdgeCopy {
    int32_t step = 0;
    bool output = false;
    int32_t edge = 0;    // of the inputs or outputs
    int32_t buffer = 0;  // that the step writes (an input), or reads (an output)
    Perm axes;           // axis i of what it writes is axis axes[i] of what it reads; none: it gives other dims
    Perm order;          // of an output: as it lies without the step
  };

  // A symbol that takes the value of an element of a small integer input.
  struct InputElement {
    int32_t input = 0;
    int64_t element = 0;  // row-major
    Dim symbol;
  };

  // What must hold at a run's dims. Checked before any kernel of its stage.
  struct Guard {
    Dim condition;        // must be 1
    std::string step;     // where it comes from
    std::string message;  // what was expected: "dims 2 of its inputs, h // 16 and 2 * (h // 32), are equal"
    Dim allowed = 0;      // 1 where the model's format allows what the condition refuses: not wrong, but not there
  };

  // Memory that steps write and read: a part of the arena while it lives, or what the caller gives.
  struct Buffer {
    // result: memory of a branch or loop, which says where it is when it has run
    enum class Kind : uint8_t { arena, input, output, result } kind = Kind::arena;
    int32_t index = 0;   // of the input or output; of a result: the step
    int32_t output = 0;  // of a result: of its step
    DType dtype = DType::none;
    Dim elements = 0;
    BufferLifetime lifetime{0, -1};  // in steps; last < first: no step touches it
    int32_t stage = 0;               // the one that first touches it; of a result: that finds its place
    int32_t engine = 0;              // whose memory it lies in
  };

  // What a step reads or writes: a view of a buffer, or a constant. One whose elements are in packed weights is neither.
  struct Tensor {
    std::string name;
    DType dtype = DType::none;
    SymDims dims;
    int32_t buffer = -1;
    Dim offset = 0;  // in elements
    SymDims strides;
    ConstantPtr constant;
    MemoryPtr device_constant;  // instead, where a device reads it: its elements, dense and row-major
  };
  static constexpr int32_t kNoTensor = -1;  // an optional operand that is absent

  struct Step {
    using RunKernel = KernelStep;
    using Transfer = TransferStep;
    using RunControl = ControlStep;
    std::variant<RunKernel, Transfer, RunControl> work;
    int32_t engine = 0;                 // among the program's; a transfer's: the device whose stream makes it
    std::string name, type;             // of the model's node: "conv_3", "Conv"
    std::string label;                  // "conv_3 (Conv)"; of a step of a body: "loop_2/conv_3 (Conv)"
    MathMode math = MathMode::inherit;  // that was asked for; the primitive reports what it came down to
    std::vector<int32_t> operands;      // tensors: inputs, then outputs, then post-op operands
    int32_t inputs = 0, outputs = 0, post = 0;
    std::vector<Dim> dim_attributes;
    bool overwrites = false;  // elements of an input of the caller's, which a run that fails puts back

    const RunKernel* kernel() const noexcept { return std::get_if<RunKernel>(&work); }
    const Transfer* transfer() const noexcept { return std::get_if<Transfer>(&work); }
    const RunControl* control() const noexcept { return std::get_if<RunControl>(&work); }
  };

  // A symbol that takes the value of an element of a small integer tensor that a step has written, or of a dim of a branch's or
  // loop's result.
  struct SizeRead {
    int32_t tensor = 0;
    int64_t element = 0;  // row-major
    Dim symbol;
    Dim most;                        // an expression of earlier stages that it never exceeds
    int32_t axis = -1;               // of a result; -1: it is an element
    int32_t step = -1, output = -1;  // whose result
  };

  // Steps whose sizes are all known when it begins. It ends by reading what the next one's sizes follow from.
  struct Stage {
    std::vector<SizeRead> reads;  // of earlier stages' results, before anything else
    SlotProgram code;             // then gives all dims that it reads
    std::vector<Guard> guards;    // which are checked before its first step
    int32_t first = 0, last = 0;  // steps, without the last
  };

  std::vector<EnginePtr> engines;  // that the steps run on, the host's first
  DimPool dims;                    // of every Dim here: what they are made of, their names and bounds
  std::vector<IoSpec> inputs, outputs;
  std::vector<InputElement> input_elements;
  std::vector<Dim> parameters;       // of a body: symbols whose values the program around it gives
  std::vector<Control> controls;     // branches and loops, with the programs that are their bodies
  std::vector<Stage> stages;         // one at least
  std::vector<int32_t> slot_stages;  // by slot: the one that finds it; empty if there is one stage
  std::vector<Buffer> buffers;
  std::vector<Tensor> tensors;
  std::vector<int32_t> results;  // by output: the tensor that becomes it
  // By output: the tensor of a device that its transfer to the host reads, whose bytes stay to the end; kNoTensor without one.
  std::vector<int32_t> device_results;
  std::vector<Step> steps;
  std::vector<PrimitivePtr> primitives;     // what steps run, bound to its engine: all else here is plain data
  std::vector<PrimitivePtr> output_copies;  // by output: to strides other than its own
  std::vector<EdgeCopy> edge_copies;        // in programs of one engine and one stage only
  std::vector<SavedWeights> packed;         // each once, for save_weights()
  PackedCounts packed_counts;
  int64_t weight_bytes = 0;                  // packed and as they are
  int32_t views = 0;                         // nodes of the graph that cost nothing
  ReusePolicy reuse = ReusePolicy::inherit;  // as asked for when it was made
  std::vector<std::pair<std::string, std::string>> metadata;

  int32_t slots() const noexcept { return dims.size(); }
  const EnginePtr& engine() const noexcept { return engines.front(); }  // the host's
  bool host_only() const noexcept { return engines.size() == 1; }
  int32_t stage_of(Dim d) const noexcept { return d.is_number() || slot_stages.empty() ? 0 : slot_stages[static_cast<size_t>(d.expr())]; }
  const Tensor& tensor(int32_t index) const noexcept { return tensors[static_cast<size_t>(index)]; }
  const Buffer& buffer(int32_t index) const noexcept { return buffers[static_cast<size_t>(index)]; }
  // Of a step that runs a kernel; null for others.
  const Primitive* primitive(const Step& s) const noexcept {
    const Step::RunKernel* const k = s.kernel();
    return k != nullptr ? primitives[static_cast<size_t>(k->primitive)].get() : nullptr;
  }
  // Is this operand in the packed weights, which a run does not read?
  bool is_packed(const Step& s, size_t operand) const noexcept {
    const Primitive* const p = primitive(s);
    return p != nullptr && operand < static_cast<size_t>(s.inputs) && p->constant_operands().has(operand);
  }
};
using ProgramPtr = std::shared_ptr<const Program>;

// Steps, those of bodies included.
int32_t count_steps(const Program& program);

// Every dim that a run reads: what the code of its stages has to give.
std::vector<Dim> dims_of_runs(const Program& program);

// Fills in the code of its stages, the last thing that a program gets. That of a stage begins with what it needs of the stages before,
// again: a few operations on numbers.
void write_code(Program* program);

}  // namespace anydim
