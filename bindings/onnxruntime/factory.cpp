// SPDX-License-Identifier: Apache-2.0
// What ONNX Runtime calls when the library is registered: makes the factory of providers, one provider for each session.
#include <map>
#include <memory>
#include <mutex>

#include "bindings/onnxruntime/provider.h"

namespace anydim::ort {
namespace {

class Factory : public OrtEpFactory {
 public:
  explicit Factory(const OrtApiBase& base) : api_(base) {
    get_name = [](const OrtEpFactory*) { return kName; };
    get_vendor = [](const OrtEpFactory*) { return "Anydim"; };
    get_vendor_id = [](const OrtEpFactory*) -> uint32_t { return 0; };
    get_version = [](const OrtEpFactory*) { return anydim_version(); };
    get_supported_devices = [](OrtEpFactory* self, const OrtHardwareDevice* const* devices, size_t count, OrtEpDevice** out, size_t most,
                               size_t* found) -> OrtStatus* {
      const Api& api = static_cast<Factory*>(self)->api_;
      *found = 0;
      for (size_t i = 0; i < count && *found < most; ++i) {
        if (api.device_type(devices[i]) != kCpuDevice) continue;
        if (OrtStatus* const status = api.create_ep_device(self, devices[i], nullptr, nullptr, &out[*found])) return status;
        ++*found;
      }
      return nullptr;
    };
    create_ep = [](OrtEpFactory* self, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*, size_t,
                   const OrtSessionOptions* session, const OrtLogger* logger, OrtEp** out) -> OrtStatus* {
      const Api& api = static_cast<Factory*>(self)->api_;
      try {
        *out = new Provider(api, read_options(api, session), logger);
        return nullptr;
      } catch (const Failure& failure) {
        return api.create_status(failure.code, failure.what());
      } catch (const std::exception& e) {
        return api.create_status(kEpFail, e.what());
      }
    };
    release_ep = [](OrtEpFactory*, OrtEp* ep) { delete static_cast<Provider*>(ep); };
    // Tensors are the processor's own: no allocator, nothing to transfer, no streams.
    validate_compatibility = [](OrtEpFactory*, const OrtHardwareDevice* const*, size_t, const char*, int* compatibility) -> OrtStatus* {
      *compatibility = 0;  // models that were compiled for it are none of its own
      return nullptr;
    };
    create_allocator = [](OrtEpFactory*, const void*, const OrtKeyValuePairs*, void** out) -> OrtStatus* {
      *out = nullptr;
      return nullptr;
    };
    release_allocator = [](OrtEpFactory*, void*) {};
    create_data_transfer = [](OrtEpFactory*, void** out) -> OrtStatus* {
      *out = nullptr;
      return nullptr;
    };
    is_stream_aware = [](const OrtEpFactory*) { return false; };
    create_stream = [](OrtEpFactory*, const void*, const OrtKeyValuePairs*, void** out) -> OrtStatus* {
      *out = nullptr;
      return nullptr;
    };
  }
  const Api& api() const noexcept { return api_; }

 private:
  const Api api_;
};

// Makes a model of one product and a context, and gives both up: tables, pages of code and the persistent cache are then there for the
// first session. This is part of loading the library, once in a process. What fails here fails in the session, too, which says so.
void prepare(const Api& api) {
  static constexpr int64_t kSize = 16, kRows[2] = {-1, kSize}, kSquare[2] = {kSize, kSize};
  static constexpr float kZeros[kSize * kSize] = {};
  const Builder graph;
  check(anydim_model_builder_set_opset(graph.get(), "", 17));
  check(anydim_model_builder_add_input(graph.get(), "x", ANYDIM_F32, 2, kRows));
  check(anydim_model_builder_add_constant(graph.get(), "w", ANYDIM_F32, 2, kSquare, const_cast<float*>(kZeros), nullptr, nullptr));
  check(anydim_model_builder_add_node(graph.get(), "MatMul", "", "product"));
  for (const char* const name : {"x", "w"}) check(anydim_model_builder_add_node_input(graph.get(), name));
  check(anydim_model_builder_add_node_output(graph.get(), "y"));
  check(anydim_model_builder_add_output(graph.get(), "y"));
  const std::unique_ptr<const anydim_engine_s, void (*)(anydim_engine_t)> engine(create_engine(api, 1), anydim_engine_destroy);
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  anydim_model_t model = nullptr;
  check(anydim_model_builder_create_model(graph.get(), engine.get(), &options, &model));
  const Part part(api, model, {}, std::make_shared<Profiling>(api));
}

// The one for an ONNX Runtime. It stays for as long as the process does, whatever is unregistered: a session that somebody still has (a
// traceback, a program that ends without releasing it) is released by the factory that it came from.
Factory* factory_for(const OrtApiBase& base) {
  static std::mutex mutex;
  static auto* const all = new std::map<const OrtApiBase*, std::unique_ptr<Factory>>;
  const std::lock_guard lock(mutex);
  std::unique_ptr<Factory>& factory = (*all)[&base];
  if (factory == nullptr) {
    factory = std::make_unique<Factory>(base);
    if (factory->api().ok()) try {
        prepare(factory->api());
      } catch (const std::exception&) {  // see prepare()
      }
  }
  return factory.get();
}

}  // namespace
}  // namespace anydim::ort

extern "C" {

__attribute__((visibility("default"))) anydim::ort::OrtStatus* CreateEpFactories(const char*, const anydim::ort::OrtApiBase* base,
                                                                                 const anydim::ort::OrtLogger*,
                                                                                 anydim::ort::OrtEpFactory** factories, size_t most,
                                                                                 size_t* count) {
  *count = 0;
  try {
    anydim::ort::Factory* const factory = anydim::ort::factory_for(*base);
    // A version that is too old cannot be informed; it gets no provider.
    if (!factory->api().ok()) return nullptr;
    if (most < 1) return factory->api().create_status(anydim::ort::kInvalidArgument, "Anydim: there is no room for a factory");
    factories[0] = factory;
    *count = 1;
  } catch (...) {  // no memory
  }
  return nullptr;
}

__attribute__((visibility("default"))) anydim::ort::OrtStatus* ReleaseEpFactory(anydim::ort::OrtEpFactory*) {
  return nullptr;  // see factory_for()
}
}
