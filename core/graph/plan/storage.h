// SPDX-License-Identifier: Apache-2.0
// Where each value lies: its own buffer, a region of another value's, or the caller's memory. passes/elision.h decides it.
#pragma once

#include <vector>

#include "core/graph/ir.h"
#include "core/graph/plan/strided_dims.h"

namespace anydim {

// result: a branch or loop finds its size and places it.
enum class BufferKind : uint8_t { arena, input, output, result };

struct StorageBuffer {
  BufferKind kind = BufferKind::arena;
  int32_t index = 0;  // of the graph input or output; of a result: its value
  DType dtype = DType::none;
  Dim elements = 0;
};

struct Placement {
  int32_t buffer = -1;  // none for constants and values that nobody makes
  SymView view;
};

// A graph output that is a graph input with something appended (core/ops/operators/append.h): Program::IoSpec says what that allows.
struct CacheEdge {
  int32_t input = -1;
  int axis = 0;
  Dim room = 0;
  bool behind = false;
};

struct Storage {
  std::vector<StorageBuffer> buffers;
  std::vector<Placement> values;       // by ValueId
  std::vector<bool> executes;          // by NodeId; false: erased, or its output is there already
  std::vector<SymDims> input_strides;  // of each graph input: symbols, bound to the caller's strides
  std::vector<SymDims> dense_strides;  // those of a dense tensor in that order: symbols; empty where no value lies like the input
  std::vector<CacheEdge> caches;       // by graph output
};

}  // namespace anydim
