// SPDX-License-Identifier: Apache-2.0
// A graph, or a part of one, as an engine sees it that computes several operators as one (Engine::claim, Engine::compile): plain data, which
// the layer that has the graph writes. It stays as it is for the call only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/ops/op.h"

namespace anydim {

struct EngineGraph {
  struct Tensor {
    TensorType type;  // equal expressions are equal sizes
    bool constant = false;
    const std::byte* data = nullptr;  // of a constant: dense and row-major, at any address; null: not shown now
  };
  struct Operation {
    std::string name;
    const Operator* op = nullptr;  // null: nothing is said of it
    std::vector<int32_t> in, out;  // values; -1: absent
    bool offered = false;          // it may be claimed
  };
  std::vector<Tensor> values;
  std::vector<Operation> nodes;  // each behind those whose results it reads
  std::vector<int32_t> inputs, outputs;
};

}  // namespace anydim
