// SPDX-License-Identifier: Apache-2.0
// Times of the nodes in parts, for ONNX Runtime's profile of a session or a run. Since version 1.25 it asks a provider for them.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "anydim/anydim.h"
#include "bindings/onnxruntime/ort_abi.h"

namespace anydim::ort {

// One node of one run. Times in ns of the steady clock.
struct NodeTime {
  std::string name, op, kernel;
  int64_t begin = 0, duration = 0;
  int32_t thread = 0;
};

// The profiles that are being made of one session; several where runs have profiles of their own.
class Profiling : public std::enable_shared_from_this<Profiling> {
 public:
  explicit Profiling(const Api& api) noexcept : api_(api) {}
  bool supported() const noexcept { return api_.add_profiling_events != nullptr; }
  // A profile is being made: runs measure their nodes.
  bool on() const noexcept { return running_.load(std::memory_order_relaxed) > 0; }
  // ONNX Runtime releases it.
  OrtEpProfilerImpl* create();
  // The nodes of a context that measures, after its run, which began then.
  void add(anydim_context_t context, int64_t begin);

  static int64_t now() noexcept;

 private:
  class Profiler;
  const Api& api_;
  std::atomic<int32_t> running_{0};
  std::mutex mutex_;
  std::vector<Profiler*> profilers_;  // that are running
};

}  // namespace anydim::ort
