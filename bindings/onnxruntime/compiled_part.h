// SPDX-License-Identifier: Apache-2.0
// A part of a graph that was made a model, and its runs: any number of threads, any shape, outputs where ONNX Runtime wants them.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
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

// When the memory of a session's weights, which were packed, goes back to the system: once all parts are ready to run.
struct Trim {
  static constexpr int64_t kMuch = int64_t{1} << 20;
  std::atomic<int> parts{0};  // that are not ready yet
  int64_t bytes = 0;          // of constants in all parts
};

// The node that stands for a part in ONNX Runtime's graph.
class CompiledPart : public OrtNodeComputeInfo {
 public:
  CompiledPart(const Api& api, std::shared_ptr<Part> part, const std::vector<std::string>& inputs, const std::vector<std::string>& outputs,
               std::shared_ptr<Trim> trim);

 private:
  const Api& api_;
  std::shared_ptr<Part> part_;
  std::shared_ptr<Trim> trim_;
  std::vector<size_t> inputs_, outputs_;
};

// Threads on which weights are packed, for as long as this stands on the stack of the thread that makes models. They start once packing
// has taken longer than starting them does; small models are packed without any.
class Packers {
 public:
  struct Loop {
    anydim_part_callback_t part;
    void* context;
  };
  Packers();
  ~Packers();
  Packers(const Packers&) = delete;
  Packers& operator=(const Packers&) = delete;
  void run(const Loop& loop, int64_t parts);

 private:
  static constexpr std::chrono::nanoseconds kAlone = std::chrono::milliseconds(2);
  void take(std::unique_lock<std::mutex>& lock);
  void work();

  Packers* const before_;  // of this thread
  std::chrono::nanoseconds alone_{0};
  std::mutex mutex_;
  std::condition_variable wake_, done_;
  std::vector<std::thread> threads_;
  Loop loop_{};
  int64_t next_ = 0, parts_ = 0, busy_ = 0;
  bool ended_ = false;
};

// The engine whose loops run on the threads of the session that calls it.
anydim_engine_t create_engine(const Api& api, int32_t threads);

}  // namespace anydim::ort
