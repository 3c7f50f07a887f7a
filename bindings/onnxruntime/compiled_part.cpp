// SPDX-License-Identifier: Apache-2.0
// Runs of parts on ONNX Runtime's threads; see compiled_part.h.
#include "bindings/onnxruntime/compiled_part.h"

#include <algorithm>
#include <chrono>
#include <cstring>

#include "bindings/onnxruntime/graph_reader.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace anydim::ort {
namespace {

// The run that this thread is in. Its loops go to the session's threads.
thread_local const OrtKernelContext* running = nullptr;

struct Running {
  explicit Running(const OrtKernelContext* node) : before(running) { running = node; }
  ~Running() { running = before; }
  const OrtKernelContext* before;
};

void one(void* loop, size_t index) {
  const Packers::Loop& l = *static_cast<const Packers::Loop*>(loop);
  l.part(l.context, static_cast<int64_t>(index));
}

// Packs weights while a model is made, when there is no run whose threads could be used.
thread_local Packers* packing = nullptr;

int32_t parallel_for(void* user, int64_t parts, anydim_part_callback_t part, void* context) {
  Packers::Loop loop{part, context};
  if (running != nullptr) {
    const Api& api = *static_cast<const Api*>(user);
    OrtStatus* const status = api.kernel_parallel_for(running, one, static_cast<size_t>(parts), 0, &loop);
    if (status == nullptr) return 0;
    api.release_status(status);
    return 1;
  }
  if (packing != nullptr) packing->run(loop, parts);
  else
    for (int64_t i = 0; i < parts; ++i) one(&loop, static_cast<size_t>(i));
  return 0;
}

size_t place_of(const std::vector<std::string>& names, const std::string& name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) throw Failure(kEpFail, "Anydim: '" + name + "' is no input or output of the fused node");
  return static_cast<size_t>(found - names.begin());
}

}  // namespace

Packers::Packers() : before_(packing) { packing = this; }

Packers::~Packers() {
  packing = before_;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  wake_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Packers::run(const Loop& loop, int64_t parts) {
  if (alone_ < kAlone) {
    const auto begin = std::chrono::steady_clock::now();
    for (int64_t i = 0; i < parts; ++i) loop.part(loop.context, i);
    alone_ += std::chrono::steady_clock::now() - begin;
    return;
  }
  std::unique_lock lock(mutex_);
  loop_ = loop;
  next_ = 0;
  parts_ = parts;
  while (static_cast<int64_t>(threads_.size()) + 1 < parts) threads_.emplace_back([this] { work(); });
  wake_.notify_all();
  take(lock);
  done_.wait(lock, [&] { return busy_ == 0; });
}

void Packers::take(std::unique_lock<std::mutex>& lock) {
  ++busy_;
  while (next_ < parts_) {
    const int64_t i = next_++;
    lock.unlock();
    loop_.part(loop_.context, i);
    lock.lock();
  }
  if (--busy_ == 0) done_.notify_all();
}

void Packers::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return ended_ || next_ < parts_; });
    if (ended_) return;
    take(lock);
  }
}

anydim_engine_t create_engine(const Api& api, int32_t threads) {
  anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.threads = threads;
  options.parallel_for = parallel_for;
  options.parallel_user = const_cast<Api*>(&api);  // lives as long as the library is registered
  anydim_engine_t engine = nullptr;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &options, &engine));
  return engine;
}

// A context for the time of one run.
class Part::Use {
 public:
  Use(Part& part, bool measures) : part_(part), free_(part.free_[measures ? 1 : 0]) {
    {
      const std::lock_guard lock(part.mutex_);
      if (!free_.empty()) {
        context_ = free_.back();
        free_.pop_back();
      }
    }
    anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
    options.profile = measures ? 1 : 0;
    if (context_ == nullptr) check(anydim_context_create(part.model_, part.bounds_, &options, &context_));
  }
  ~Use() {
    const std::lock_guard lock(part_.mutex_);
    free_.push_back(context_);
  }
  anydim_context_t get() const noexcept { return context_; }

 private:
  Part& part_;
  std::vector<anydim_context_t>& free_;
  anydim_context_t context_ = nullptr;
};

Part::Part(const Api& api, anydim_model_t model, const Bounds& bounds, std::shared_ptr<Profiling> profiling)
    : api_(api), model_(model), profiling_(std::move(profiling)) {
  bool all = !bounds.empty();
  int32_t inputs = 0, outputs = 0;
  check(anydim_model_get_counts(model, &inputs, &outputs));
  anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
  for (int32_t i = 0; i < inputs; ++i) {
    check(anydim_model_get_input(model, i, &info));
    inputs_.emplace_back(info.name.data);
    const bool dynamic = std::any_of(info.dims.values, info.dims.values + info.dims.rank, [](int64_t d) { return d < 0; });
    all = all && (!dynamic || bounds.count(inputs_.back()) > 0);
  }
  for (int32_t i = 0; i < outputs; ++i) {
    check(anydim_model_get_output(model, i, &info));
    outputs_.emplace_back(info.name.data);
    types_.push_back(info.dtype);
  }
  for (auto& list : free_) list.reserve(64);
  try {
    if (all) {
      check(anydim_bounds_create(&bounds_));
      for (const std::string& name : inputs_)
        if (const auto found = bounds.find(name); found != bounds.end())
          check(anydim_bounds_set(bounds_, name.c_str(), static_cast<int32_t>(found->second.size()), found->second.data()));
    }
    const Use first(*this, false);
  } catch (...) {
    anydim_bounds_destroy(bounds_);
    anydim_model_destroy(model_);
    throw;
  }
}

Part::~Part() {
  for (const auto& list : free_)
    for (const anydim_context_t c : list) anydim_context_destroy(c);
  anydim_bounds_destroy(bounds_);
  anydim_model_destroy(model_);
}

void Part::run(OrtKernelContext* node, const std::vector<size_t>& inputs, const std::vector<size_t>& outputs) {
  const Running now(node);
  std::vector<anydim_view_t> from(inputs.size()), to(outputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    const OrtValue* value = nullptr;
    check(api_, api_.kernel_input(node, inputs[i], &value));
    if (value == nullptr) throw Failure(kInvalidArgument, "Anydim: input '" + inputs_[i] + "' is absent");
    from[i] = view_of(api_, value);
  }
  const bool measures = profiling_->on();
  const Use context(*this, measures);
  const auto count = static_cast<int32_t>(from.size());
  const auto place = [&](size_t i, const anydim_dims_t& dims) -> void* {
    OrtValue* value = nullptr;
    void* data = nullptr;
    check(api_, api_.kernel_output(node, outputs[i], dims.values, static_cast<size_t>(dims.rank), &value));
    if (value == nullptr) return nullptr;  // nobody asks for it
    check(api_, api_.get_tensor_mutable_data(value, &data));
    return data;
  };
  std::vector<bool> deferred(outputs.size(), false);
  for (size_t i = 0; i < to.size(); ++i) {
    const anydim_status_t status = anydim_context_get_output_dims(context.get(), from.data(), count, static_cast<int32_t>(i), &to[i].dims);
    deferred[i] = status == ANYDIM_STATUS_UNIMPLEMENTED;  // only the run itself finds them
    if (!deferred[i]) check(status);
    to[i].data = deferred[i] ? nullptr : place(i, to[i].dims);
    if (deferred[i]) to[i].dims = {};
    to[i].dtype = types_[i];
    if (!deferred[i] && to[i].data == nullptr) to[i] = {};
  }
  const int64_t begin = measures ? Profiling::now() : 0;
  check(anydim_context_run(context.get(), from.data(), count, to.data(), static_cast<int32_t>(to.size()), nullptr));
  if (measures) profiling_->add(context.get(), begin);
  for (size_t i = 0; i < to.size(); ++i) {
    if (!deferred[i]) continue;
    void* const data = place(i, to[i].dims);
    if (data == nullptr) continue;
    // The library placed it row-major, so its bytes are copied as they are.
    const int64_t bytes = bytes_of(to[i]);
    if (bytes > 0) std::memcpy(data, to[i].data, static_cast<size_t>(bytes));
  }
}

CompiledPart::CompiledPart(const Api& api, std::shared_ptr<Part> part, const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs, std::shared_ptr<Trim> trim)
    : api_(api), part_(std::move(part)), trim_(std::move(trim)) {
  for (const std::string& name : part_->inputs()) inputs_.push_back(place_of(inputs, name));
  for (const std::string& name : part_->outputs()) outputs_.push_back(place_of(outputs, name));
  ++trim_->parts;
  create_state = [](OrtNodeComputeInfo* self, void*, void** state) -> OrtStatus* {
    *state = self;
#ifdef __GLIBC__
    // Weights were packed, and ONNX Runtime freed its copies: many blocks that are too small to go back by themselves.
    const Trim& trim = *static_cast<CompiledPart*>(self)->trim_;
    if (--static_cast<CompiledPart*>(self)->trim_->parts == 0 && trim.bytes >= Trim::kMuch) malloc_trim(0);
#endif
    return nullptr;
  };
  release_state = [](OrtNodeComputeInfo*, void*) {};
  compute = [](OrtNodeComputeInfo* self, void*, OrtKernelContext* node) -> OrtStatus* {
    auto& me = *static_cast<CompiledPart*>(self);
    try {
      me.part_->run(node, me.inputs_, me.outputs_);
      return nullptr;
    } catch (const Failure& f) {
      return me.api_.create_status(f.code, f.what());
    } catch (const std::exception& e) {
      return me.api_.create_status(kEpFail, e.what());
    }
  };
}

}  // namespace anydim::ort
