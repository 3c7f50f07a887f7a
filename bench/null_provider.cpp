// SPDX-License-Identifier: Apache-2.0
// A provider that takes the whole of each model and computes nothing: what is left when it makes a session is ONNX Runtime's own work for
// a provider. provider_sessions.py compiles it. Not for runs: outputs are never made.
#include <vector>

#include "bindings/onnxruntime/ort_abi.h"

namespace {

using namespace anydim::ort;

const Api* api = nullptr;

struct Nothing : OrtNodeComputeInfo {
  Nothing() {
    create_state = [](OrtNodeComputeInfo* self, void*, void** state) -> OrtStatus* {
      *state = self;
      return nullptr;
    };
    release_state = [](OrtNodeComputeInfo*, void*) {};
    compute = [](OrtNodeComputeInfo*, void*, OrtKernelContext*) -> OrtStatus* { return api->create_status(kNotImplemented, "null"); };
  }
};

// Of the model's graph all nodes, with the bodies in them; of bodies by themselves none.
OrtStatus* claim_all(OrtEp*, const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
  const OrtNode* parent = nullptr;
  if (OrtStatus* const failed = api->graph_parent(graph, &parent); failed != nullptr || parent != nullptr) return failed;
  size_t count = 0;
  if (OrtStatus* const failed = api->graph_node_count(graph, &count)) return failed;
  std::vector<const OrtNode*> nodes(count);
  if (OrtStatus* const failed = api->graph_nodes(graph, nodes.data(), count)) return failed;
  OrtNodeFusionOptions fusion;
  fusion.drop_constant_initializers = true;
  return api->add_nodes_to_fuse(support, nodes.data(), count, &fusion);
}

struct NullProvider : OrtEp {
  NullProvider() {
    get_name = [](const OrtEp*) { return "NullExecutionProvider"; };
    get_capability = claim_all;
    compile = [](OrtEp*, const OrtGraph**, const OrtNode**, size_t count, OrtNodeComputeInfo** infos, OrtNode**) -> OrtStatus* {
      for (size_t i = 0; i < count; ++i) infos[i] = new Nothing;
      return nullptr;
    };
    release_node_compute_infos = [](OrtEp*, OrtNodeComputeInfo** infos, size_t count) {
      for (size_t i = 0; i < count; ++i) delete static_cast<Nothing*>(infos[i]);
    };
  }
};

struct NullFactory : OrtEpFactory {
  explicit NullFactory(const OrtApiBase& base) : own(base) {
    api = &own;
    get_name = [](const OrtEpFactory*) { return "NullExecutionProvider"; };
    get_vendor = [](const OrtEpFactory*) { return "Anydim"; };
    get_vendor_id = [](const OrtEpFactory*) -> uint32_t { return 0; };
    get_version = [](const OrtEpFactory*) { return "0.1.0"; };
    get_supported_devices = [](OrtEpFactory* self, const OrtHardwareDevice* const* devices, size_t count, OrtEpDevice** out, size_t most,
                               size_t* found) -> OrtStatus* {
      *found = 0;
      for (size_t i = 0; i < count && *found < most; ++i)
        if (api->device_type(devices[i]) == kCpuDevice)
          if (OrtStatus* const failed = api->create_ep_device(self, devices[i], nullptr, nullptr, &out[(*found)++])) return failed;
      return nullptr;
    };
    create_ep = [](OrtEpFactory*, const OrtHardwareDevice* const*, const OrtKeyValuePairs* const*, size_t, const OrtSessionOptions*,
                   const OrtLogger*, OrtEp** out) -> OrtStatus* {
      *out = new NullProvider;
      return nullptr;
    };
    release_ep = [](OrtEpFactory*, OrtEp* ep) { delete static_cast<NullProvider*>(ep); };
    validate_compatibility = [](OrtEpFactory*, const OrtHardwareDevice* const*, size_t, const char*, int* compatibility) -> OrtStatus* {
      *compatibility = 0;
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
  const Api own;
};

}  // namespace

extern "C" anydim::ort::OrtStatus* CreateEpFactories(const char*, const anydim::ort::OrtApiBase* base, const anydim::ort::OrtLogger*,
                                                     anydim::ort::OrtEpFactory** factories, size_t, size_t* count) {
  factories[0] = new NullFactory(*base);
  *count = 1;
  return nullptr;
}

extern "C" anydim::ort::OrtStatus* ReleaseEpFactory(anydim::ort::OrtEpFactory* factory) {
  delete static_cast<NullFactory*>(factory);
  return nullptr;
}
