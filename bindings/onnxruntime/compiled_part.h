// SPDX-License-Identifier: Apache-2.0
// A part of a graph that was made a model, and its runs: any number of threads, any shape, outputs where ONNX Runtime wants them.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "anydim/anydim.h"
#include "bindings/onnxruntime/ort_abi.h"
#include "bindings/onnxruntime/profiling.h"

namespace anydim::ort {

// A model, by the names of its inputs and outputs. Contexts are made when runs need them at the same time.
class Part {
 public:
  using Bounds = std::map<std::string, std::vector<anydim_dim_t>>;  // by input
  // The first context is made here; with all memory that it will ever need if `bounds` has all inputs with dynamic dims.
  Part(const Api& api, anydim_model_t model, const Bounds& bounds, std::shared_ptr<Profiling> profiling);
  ~Part();
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  const std::vector<std::string>& inputs() const noexcept { return inputs_; }
  const std::vector<std::string>& outputs() const noexcept { return outputs_; }
  bool bounded() const noexcept { return bounds_ != nullptr; }
  // `inputs[i]`, `outputs[i]`: which one of the node's it is.
  void run(OrtKernelContext* node, const std::vector<size_t>& inputs, const std::vector<size_t>& outputs);

 private:
  class Use;
  const Api& api_;
  anydim_model_t model_;
  anydim_bounds_t bounds_ = nullptr;
  std::vector<std::string> inputs_, outputs_;
  std::vector<anydim_dtype_t> types_;  // of outputs
  std::mutex mutex_;
  std::vector<anydim_context_t> free_[2];  // those of usual runs, and those that measure
  const std::shared_ptr<Profiling> profiling_;
};

// The node that stands for a part in ONNX Runtime's graph.
class CompiledPart : public OrtNodeComputeInfo {
 public:
  CompiledPart(const Api& api, std::shared_ptr<Part> part, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs);

 private:
  const Api& api_;
  std::shared_ptr<Part> part_;
  std::vector<size_t> inputs_, outputs_;
};

// The engine whose loops run on the threads of the session that calls it.
anydim_engine_t create_engine(const Api& api, int32_t threads);

}  // namespace anydim::ort
