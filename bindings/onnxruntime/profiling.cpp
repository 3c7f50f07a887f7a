// SPDX-License-Identifier: Apache-2.0
// Profilers of one session; see profiling.h.
#include "bindings/onnxruntime/profiling.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

#include "bindings/onnxruntime/graph_reader.h"

namespace anydim::ort {

class Profiling::Profiler : public OrtEpProfilerImpl {
 public:
  explicit Profiler(std::shared_ptr<Profiling> of) : of_(std::move(of)) {
    release = [](OrtEpProfilerImpl* self) { delete static_cast<Profiler*>(self); };
    start_profiling = [](OrtEpProfilerImpl* self, int64_t elapsed) -> OrtStatus* {
      auto& me = *static_cast<Profiler*>(self);
      me.zero_ = Profiling::now() - elapsed;
      return me.guarded([&] {
        const std::lock_guard lock(me.of_->mutex_);
        me.of_->profilers_.push_back(&me);
        ++me.of_->running_;
      });
    };
    end_profiling = [](OrtEpProfilerImpl* self, OrtProfilingEventsContainer* events) -> OrtStatus* {
      auto& me = *static_cast<Profiler*>(self);
      return me.guarded([&] {
        me.stop();
        for (const NodeTime& node : me.nodes_) me.add(node, events);
        me.nodes_.clear();
      });
    };
  }
  ~Profiler() { stop(); }

  // Under the session's lock. As many as ONNX Runtime's own profile holds at most.
  void keep(const std::vector<NodeTime>& nodes) {
    constexpr size_t kMost = 1'000'000;
    const size_t room = kMost - std::min(kMost, nodes_.size());
    nodes_.insert(nodes_.end(), nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(std::min(room, nodes.size())));
  }

 private:
  template <class F> OrtStatus* guarded(F&& f) noexcept {
    try {
      f();
      return nullptr;
    } catch (const Failure& failure) {
      return of_->api_.create_status(failure.code, failure.what());
    } catch (const std::exception& e) {
      return of_->api_.create_status(kEpFail, e.what());
    }
  }
  void stop() {
    const std::lock_guard lock(of_->mutex_);
    const auto mine = std::find(of_->profilers_.begin(), of_->profilers_.end(), this);
    if (mine == of_->profilers_.end()) return;
    of_->profilers_.erase(mine);
    --of_->running_;
  }
  void add(const NodeTime& node, OrtProfilingEventsContainer* events) const {
    const Api& api = of_->api_;
    const char* const keys[] = {"provider", "op_name", "kernel"};
    const char* const values[] = {"AnydimExecutionProvider", node.op.c_str(), node.kernel.c_str()};
    // Both ends are rounded down, so that neighbours touch and none is longer than the node around them.
    const int64_t begin = (node.begin - zero_) / 1000, end = (node.begin + node.duration - zero_) / 1000;
    OrtProfilingEvent* event = nullptr;
    check(api, api.create_profiling_event(kKernelEvent, static_cast<int32_t>(getpid()), node.thread, node.name.c_str(), begin, end - begin,
                                          keys, values, 3, &event));
    const OrtProfilingEvent* const list[] = {event};
    OrtStatus* const status = api.add_profiling_events(events, list, 1);
    api.release_profiling_event(event);
    check(api, status);
  }

  const std::shared_ptr<Profiling> of_;
  int64_t zero_ = 0;  // when ONNX Runtime's profile began
  std::vector<NodeTime> nodes_;
};

int64_t Profiling::now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

OrtEpProfilerImpl* Profiling::create() { return new Profiler(shared_from_this()); }

void Profiling::add(anydim_context_t context, int64_t begin) {
  int32_t count = 0;
  check(anydim_context_get_node_count(context, &count));
  std::vector<NodeTime> nodes;
  const auto thread = static_cast<int32_t>(syscall(SYS_gettid));
  anydim_node_info_t info = ANYDIM_NODE_INFO_INIT;
  for (int32_t i = 0; i < count; ++i) {
    check(anydim_context_get_node(context, i, &info));
    if (info.time_ns < 0) continue;
    nodes.push_back({info.name.data, info.op.data, info.kernel.data, begin, info.time_ns, thread});
    begin += info.time_ns;  // one after the other, as they ran
  }
  const std::lock_guard lock(mutex_);
  for (Profiler* const profiler : profilers_) profiler->keep(nodes);
}

}  // namespace anydim::ort
