// SPDX-License-Identifier: Apache-2.0
// What a context's last run did, as data: explain() (explain.h) fills it, the C API and the program print it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/memory/page_costs.h"
#include "core/tensor/dims.h"
#include "core/tensor/dtype.h"

namespace anydim {

struct KernelRefusal {
  std::string kernel, because;       // empty: the chosen one
  double expected_nanoseconds = -1;  // at these dims; -1 for one that cannot do the problem
};

// What one node did at the shape of the last run.
struct NodeReport {
  std::string name;  // of the node in the model file
  std::string onnx_type;
  std::string op;                            // operator with its attributes
  std::string engine;                        // that it ran on; of a transfer: the device
  std::string kernel;                        // none of a transfer
  std::string tier;                          // of the plan that ran
  std::string post_ops;                      // fused; empty: none
  std::string math;                          // the mode that it computes in; empty of what computes nothing
  std::string math_requested, math_because;  // the mode that was asked for, and why it computes in another; empty if it does not
  struct Operand {
    std::string name;
    DType dtype = DType::none;
    Dims dims;
    Strides strides;
    std::string place;  // "arena+4096", "input 0", "output 0", "weights", "constant"; on a device "testing+4096"
  };
  std::vector<Operand> inputs, outputs, post_inputs;
  int64_t bytes = 0;         // read and written, once each
  int64_t layout_bytes = 0;  // the same of a node that only changes the memory order, maybe of parts that it brings side by side
  int64_t concat_bytes = 0;  // the same of a node that only brings parts side by side
  bool left_out = false;     // it only changes the order of an input or output that lies right already
  int64_t scratch = 0;
  int64_t nanoseconds = -1;  // of the last run that was profiled; -1: none
  std::vector<KernelRefusal> candidates;
  int depth = 0;    // of a node of a body: in how many
  bool ran = true;  // false in a body that the last run passed by
  int group = -1;   // those of one group ran side by side, on one thread each; -1: on all threads
};

// Nodes whose sizes were all known when it began, and what was read for that.
struct StageReport {
  int depth = 0;                // of a body: in how many
  int32_t first = 0, last = 0;  // nodes, without the last
  struct Read {
    std::string name;    // of the size, as it stands in dims
    std::string tensor;  // whose element says it
    int64_t element = 0;
    int64_t value = 0, most = 0;  // what it said, and what it could have been
  };
  std::vector<Read> reads;  // between the stage before and this one
};

struct RunReport {
  std::string engine, instruction_set;
  std::vector<NodeReport> nodes;  // those of a branch's or loop's bodies behind it
  std::vector<StageReport> stages;
  int64_t arena_bytes = 0, used_bytes = 0, weight_bytes = 0, growth_events = 0;
  PageUse pages;                  // of the arena, until now
  PageCosts::Figures page_costs;  // of the process
  int64_t bind_nanoseconds = -1;
  int64_t layout_bytes = 0;           // of all nodes, and of copies of outputs into other strides at the end
  int64_t concat_bytes = 0;           // of all nodes
  int64_t gathered_bytes = 0;         // of inputs that came in parts, before the first node
  int views = 0;                      // nodes that cost nothing
  std::string policy, policy_source;  // which won, and where it was set
};

}  // namespace anydim
