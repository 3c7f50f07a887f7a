// SPDX-License-Identifier: Apache-2.0
// The objects behind handles. Each holds what it was made from by a shared pointer, so that handles may be destroyed in
// any order.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "anydim/anydim.h"
#include "capi/handles.h"
#include "core/base/memory/arena.h"
#include "core/base/threads/fork_lock.h"
#include "core/base/threads/threads.h"
#include "core/dispatch/observe/call_text.h"
#include "core/dispatch/caches/primitive_cache.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/registry.h"
#include "core/ops/work.h"
#include "core/tensor/dims.h"

namespace anydim::capi {

struct EngineObject final : Object {
  EnginePtr engine;
  bool on_device() const noexcept override { return !engine->is_host(); }
};

struct StreamObject final : Object {
  EnginePtr engine;
  StreamPtr stream;
  Parallel parallel;
  Arena scratch;             // of the largest primitive so far
  MemoryPtr device_scratch;  // the same, where the engine is not the host's
  bool on_device() const noexcept override { return !engine->is_host(); }
};

struct MemoryObject final : Object {
  MemoryPtr memory;
  bool imported = false;
  std::atomic<int64_t> mappings{0};
  bool on_device() const noexcept override { return !memory->engine()->is_host(); }
};

struct DescObject final : Object {
  TensorDescriptor descriptor;
  anydim_layout_t layout = ANYDIM_LAYOUT_STRIDED;
};

struct TensorObject final : Object {
  EnginePtr engine;
  TensorView view;
  AlignedBuffer memory;
};

// Attributes as they are at one moment.
struct AttrValues {
  PrimitiveAttributes attributes;
  anydim_scratchpad_t scratchpad = ANYDIM_SCRATCHPAD_STREAM;
};

// Many threads may read and change them: what is made with them takes a copy.
class AttrObject final : public Object {
 public:
  AttrValues values() const {
    const std::lock_guard lock(mutex_);
    return values_;
  }
  // f(AttrValues*) gives a Status; nobody sees what it has half done.
  template <class F> Status change(F&& f) {
    const std::lock_guard lock(mutex_);
    return f(&values_);
  }

 private:
  mutable ForkLock mutex_;
  AttrValues values_;
};

struct WeightsObject final : Object {
  EnginePtr engine;
  WeightsPtr weights;
  bool on_device() const noexcept override { return !engine->is_host(); }
};

struct PrimitiveObject final : Object {
  EnginePtr engine;
  PrimitivePtr primitive;
  Creation creation;
  std::vector<anydim_layout_t> layouts;  // promised by the descriptors, one per input that comes at execution; empty
                                         // if none promises anything
  int inputs = 0;                        // the operator's that come at execution; post-ops' tensors follow
  anydim_scratchpad_t scratchpad = ANYDIM_SCRATCHPAD_STREAM;
  MathMode math = MathMode::inherit;  // that was asked for; the primitive reports what it came down to
  bool on_device() const noexcept override { return !engine->is_host(); }
};

struct BoundsObject final : Object {
  struct Input {
    std::string name;
    RankArray<anydim_dim_t> dims;
  };
  std::vector<Input> inputs;
};

struct LayersObject final : Object {
  std::vector<std::pair<std::string, MathMode>> modes;  // by the name of a node
};

struct LayoutsObject final : Object {
  struct Entry {
    std::string name;
    anydim_edge_layout_t rule = ANYDIM_EDGE_LAYOUT_ROW_MAJOR;
    Perm axes;  // of ANYDIM_EDGE_LAYOUT_ORDER
  };
  std::vector<Entry> entries;
};

struct CancellationObject final : Object {
  std::shared_ptr<int32_t> flag = std::make_shared<int32_t>(0);  // kept by contexts that watch it
};

struct TextObject final : Object {
  std::string text;
};

struct CallObject final : Object {
  struct Tensor {
    anydim_call_role_t role = ANYDIM_CALL_INPUT;
    int32_t index = 0;
    const TensorText* text = nullptr;  // of `call`
    ValueRange values;
  };
  CallText call;
  OperatorPtr op;
  std::string post_ops;
  Work work;
  std::vector<Tensor> tensors;
};

// What bodies share (values.cpp).
Status check_dtype(anydim_dtype_t dtype, DType* out);
Status check_dim(const anydim_dim_t& dim, int index);
Status make_text(std::string text, std::unique_ptr<TextObject>* out);
inline anydim_string_t string_of(const std::string& s) noexcept { return {s.c_str(), static_cast<int64_t>(s.size())}; }
anydim_string_t string_of(const char* s) noexcept;
// As long as the process: of what goes with its engine. There are as many as names of devices and reasons.
anydim_string_t kept_string(const std::string& s);
template <class Array> anydim_dims_t dims_of(const Array& a) noexcept {
  anydim_dims_t d{};
  d.rank = a.size();
  for (int i = 0; i < a.size(); ++i) d.values[i] = static_cast<int64_t>(a[i]);
  return d;
}
// Its strings live as long as the engine.
void fill_engine_info(const Engine& engine, anydim_engine_info_t* info);
// A cap on threads: 0 is the default, otherwise at most kMaxThreads.
Status check_threads(int32_t requested, int fallback, const char* what, int* out);
// What options ask of an engine of any kind. The finalizers of the host program are not called before hand_over() of request.host.
Status read_request(const anydim_engine_options_t& options, EngineRequest* out);
std::unique_ptr<EngineObject> engine_object(EnginePtr engine);

}  // namespace anydim::capi
