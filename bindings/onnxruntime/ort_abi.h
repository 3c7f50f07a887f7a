// SPDX-License-Identifier: Apache-2.0
// The part of ONNX Runtime's C ABI that a provider needs, as its documentation states it: tables of functions by their numbers, which
// never change once released, and the structs that a provider fills in. Numbers and structs are those of version 1.23, the first with
// all of these calls. tests/onnxruntime registers the provider with each version that is tested.
#pragma once

#include <cstddef>
#include <cstdint>

namespace anydim::ort {

// What only ONNX Runtime looks into.
struct OrtStatus;
struct OrtValue;
struct OrtValueInfo;
struct OrtTypeInfo;
struct OrtTensorTypeAndShapeInfo;
struct OrtGraph;
struct OrtNode;
struct OrtOpAttr;
struct OrtKernelContext;
struct OrtKeyValuePairs;
struct OrtSessionOptions;
struct OrtLogger;
struct OrtHardwareDevice;
struct OrtEpDevice;
struct OrtEpGraphSupportInfo;
struct OrtProfilingEvent;
struct OrtProfilingEventsContainer;

enum ErrorCode : int { kOk = 0, kFail = 1, kInvalidArgument = 2, kNotImplemented = 9, kInvalidGraph = 10, kEpFail = 11 };
enum Severity : int { kVerbose = 0, kInfo = 1, kWarning = 2, kError = 3 };
enum OnnxType : int { kTensorType = 1 };
enum DeviceType : int { kCpuDevice = 0 };
enum ProfilingCategory : int { kKernelEvent = 2 };
enum AttributeType : int {
  kUndefinedAttribute = 0,
  kInt = 1,
  kInts = 2,
  kFloat = 3,
  kFloats = 4,
  kString = 5,
  kStrings = 6,
  kGraph = 7,
  kTensor = 8,
};

struct OrtApiBase {
  const void* (*get_api)(uint32_t version);
  const char* (*get_version_string)();
};

constexpr uint32_t kApiVersion = 23;
constexpr uint32_t kProfilingVersion = 25;  // the first that asks providers for events

// Functions of a table; each member says its number where it is loaded (ort_abi.cpp).
struct Api {
  explicit Api(const OrtApiBase& base);
  bool ok() const noexcept { return create_status != nullptr; }

  OrtStatus* (*create_status)(int code, const char* message) = nullptr;
  int (*get_error_code)(const OrtStatus*) = nullptr;
  const char* (*get_error_message)(const OrtStatus*) = nullptr;
  void (*release_status)(OrtStatus*) = nullptr;

  // Tensors.
  OrtStatus* (*get_tensor_mutable_data)(OrtValue*, void** data) = nullptr;
  OrtStatus* (*get_tensor_data)(const OrtValue*, const void** data) = nullptr;
  OrtStatus* (*get_tensor_type_and_shape)(const OrtValue*, OrtTensorTypeAndShapeInfo** out) = nullptr;
  OrtStatus* (*get_tensor_element_type)(const OrtTensorTypeAndShapeInfo*, int* out) = nullptr;
  OrtStatus* (*get_dimensions_count)(const OrtTensorTypeAndShapeInfo*, size_t* out) = nullptr;
  OrtStatus* (*get_dimensions)(const OrtTensorTypeAndShapeInfo*, int64_t* values, size_t count) = nullptr;
  OrtStatus* (*get_symbolic_dimensions)(const OrtTensorTypeAndShapeInfo*, const char** names, size_t count) = nullptr;
  void (*release_tensor_type_and_shape_info)(OrtTensorTypeAndShapeInfo*) = nullptr;
  void (*release_value)(OrtValue*) = nullptr;
  bool (*has_shape)(const OrtTensorTypeAndShapeInfo*) = nullptr;  // null before 1.24: no rank looks like rank 0 there

  // Whether a fused node gets the values that only bodies in it read. 1.24 leaves them out, 1.31 does not.
  bool fuses_implicit_inputs = false;

  // Whether fused nodes of two graphs of a session get one name, so that only one of the graphs may have some. Before 1.24.
  bool one_graph_has_parts = false;

  // Types of values.
  OrtStatus* (*get_onnx_type)(const OrtTypeInfo*, int* out) = nullptr;
  OrtStatus* (*cast_to_tensor_info)(const OrtTypeInfo*, const OrtTensorTypeAndShapeInfo** out) = nullptr;
  OrtStatus* (*value_name)(const OrtValueInfo*, const char** out) = nullptr;
  OrtStatus* (*value_type)(const OrtValueInfo*, const OrtTypeInfo** out) = nullptr;
  OrtStatus* (*value_initializer)(const OrtValueInfo*, const OrtValue** out) = nullptr;
  OrtStatus* (*value_is_constant)(const OrtValueInfo*, bool* out) = nullptr;
  OrtStatus* (*value_is_from_outside)(const OrtValueInfo*, bool* out) = nullptr;  // of the graph, which is a body

  // Graphs and nodes. Each array is filled after its length was asked for.
  OrtStatus* (*graph_opset_count)(const OrtGraph*, size_t* out) = nullptr;
  OrtStatus* (*graph_opsets)(const OrtGraph*, const char** domains, int64_t* versions, size_t count) = nullptr;
  OrtStatus* (*graph_input_count)(const OrtGraph*, size_t* out) = nullptr;
  OrtStatus* (*graph_inputs)(const OrtGraph*, const OrtValueInfo** out, size_t count) = nullptr;
  OrtStatus* (*graph_output_count)(const OrtGraph*, size_t* out) = nullptr;
  OrtStatus* (*graph_outputs)(const OrtGraph*, const OrtValueInfo** out, size_t count) = nullptr;
  OrtStatus* (*graph_initializer_count)(const OrtGraph*, size_t* out) = nullptr;
  OrtStatus* (*graph_initializers)(const OrtGraph*, const OrtValueInfo** out, size_t count) = nullptr;
  OrtStatus* (*graph_node_count)(const OrtGraph*, size_t* out) = nullptr;
  OrtStatus* (*graph_nodes)(const OrtGraph*, const OrtNode** out, size_t count) = nullptr;
  OrtStatus* (*graph_parent)(const OrtGraph*, const OrtNode** out) = nullptr;
  OrtStatus* (*node_id)(const OrtNode*, size_t* out) = nullptr;
  OrtStatus* (*node_name)(const OrtNode*, const char** out) = nullptr;
  OrtStatus* (*node_operator)(const OrtNode*, const char** out) = nullptr;
  OrtStatus* (*node_domain)(const OrtNode*, const char** out) = nullptr;
  OrtStatus* (*node_input_count)(const OrtNode*, size_t* out) = nullptr;
  OrtStatus* (*node_inputs)(const OrtNode*, const OrtValueInfo** out, size_t count) = nullptr;
  OrtStatus* (*node_output_count)(const OrtNode*, size_t* out) = nullptr;
  OrtStatus* (*node_outputs)(const OrtNode*, const OrtValueInfo** out, size_t count) = nullptr;
  OrtStatus* (*node_implicit_input_count)(const OrtNode*, size_t* out) = nullptr;
  OrtStatus* (*node_implicit_inputs)(const OrtNode*, const OrtValueInfo** out, size_t count) = nullptr;
  OrtStatus* (*node_attribute_count)(const OrtNode*, size_t* out) = nullptr;
  OrtStatus* (*node_attributes)(const OrtNode*, const OrtOpAttr** out, size_t count) = nullptr;
  OrtStatus* (*node_body_count)(const OrtNode*, size_t* out) = nullptr;
  OrtStatus* (*node_bodies)(const OrtNode*, const OrtGraph** out, size_t count, const char** attributes) = nullptr;
  OrtStatus* (*node_provider)(const OrtNode*, const char** out) = nullptr;
  OrtStatus* (*attribute_type)(const OrtOpAttr*, int* out) = nullptr;
  OrtStatus* (*attribute_name)(const OrtOpAttr*, const char** out) = nullptr;
  OrtStatus* (*attribute_read)(const OrtOpAttr*, int type, void* data, size_t bytes, size_t* needed) = nullptr;
  OrtStatus* (*attribute_tensor)(const OrtOpAttr*, OrtValue** out) = nullptr;

  // Runs.
  OrtStatus* (*kernel_input)(const OrtKernelContext*, size_t index, const OrtValue** out) = nullptr;
  OrtStatus* (*kernel_output)(OrtKernelContext*, size_t index, const int64_t* dims, size_t rank, OrtValue** out) = nullptr;
  OrtStatus* (*kernel_parallel_for)(const OrtKernelContext*, void (*part)(void* user, size_t index), size_t parts, size_t batches,
                                    void* user) = nullptr;

  // Options and logs.
  OrtStatus* (*session_config_entries)(const OrtSessionOptions*, OrtKeyValuePairs** out) = nullptr;
  void (*key_value_pairs)(const OrtKeyValuePairs*, const char* const** keys, const char* const** values, size_t* count) = nullptr;
  void (*release_key_value_pairs)(OrtKeyValuePairs*) = nullptr;
  OrtStatus* (*log)(const OrtLogger*, int severity, const char* message, const char* file, int line, const char* function) = nullptr;
  int (*device_type)(const OrtHardwareDevice*) = nullptr;

  // The table of providers.
  OrtStatus* (*create_ep_device)(struct OrtEpFactory*, const OrtHardwareDevice*, const OrtKeyValuePairs* metadata,
                                 const OrtKeyValuePairs* options, OrtEpDevice** out) = nullptr;
  OrtStatus* (*add_nodes_to_fuse)(OrtEpGraphSupportInfo*, const OrtNode* const* nodes, size_t count,
                                  const struct OrtNodeFusionOptions*) = nullptr;
  // Null before 1.25.
  OrtStatus* (*create_profiling_event)(int category, int32_t process, int32_t thread, const char* name, int64_t begin_us, int64_t us,
                                       const char* const* keys, const char* const* values, size_t arguments,
                                       OrtProfilingEvent** out) = nullptr;
  void (*release_profiling_event)(OrtProfilingEvent*) = nullptr;
  OrtStatus* (*add_profiling_events)(OrtProfilingEventsContainer*, const OrtProfilingEvent* const* events, size_t count) = nullptr;
};

// What a provider fills in, in the order of the ABI. Members of later versions than the one that it names are not looked at.
struct OrtNodeFusionOptions {
  uint32_t version = kApiVersion;
  bool drop_constant_initializers = false;
};

struct OrtNodeComputeInfo {
  uint32_t version = kApiVersion;
  OrtStatus* (*create_state)(OrtNodeComputeInfo*, void* compute_context, void** state) = nullptr;
  OrtStatus* (*compute)(OrtNodeComputeInfo*, void* state, OrtKernelContext*) = nullptr;
  void (*release_state)(OrtNodeComputeInfo*, void* state) = nullptr;
};

struct OrtEp {
  uint32_t version = kApiVersion;
  const char* (*get_name)(const OrtEp*) = nullptr;
  OrtStatus* (*get_capability)(OrtEp*, const OrtGraph*, OrtEpGraphSupportInfo*) = nullptr;
  OrtStatus* (*compile)(OrtEp*, const OrtGraph** graphs, const OrtNode** fused, size_t count, OrtNodeComputeInfo** infos,
                        OrtNode** context_nodes) = nullptr;
  void (*release_node_compute_infos)(OrtEp*, OrtNodeComputeInfo** infos, size_t count) = nullptr;
  // Optional, all null: data layout, its exceptions, dynamic options, begin and end of runs, allocator, stream, compatibility, kernels,
  // concurrent runs, waiting.
  void* optional[11] = {};
  OrtStatus* (*create_profiler)(OrtEp*, struct OrtEpProfilerImpl** out) = nullptr;  // since 1.25
  void* later[8] = {};
};

// Since 1.25.
struct OrtEpProfilerImpl {
  uint32_t version = kProfilingVersion;
  void (*release)(OrtEpProfilerImpl*) = nullptr;
  OrtStatus* (*start_profiling)(OrtEpProfilerImpl*, int64_t ns_since_the_profile_began) = nullptr;
  // Optional, both null: ONNX Runtime's own events begin and end.
  void* optional[2] = {};
  OrtStatus* (*end_profiling)(OrtEpProfilerImpl*, OrtProfilingEventsContainer* events) = nullptr;
};

struct OrtEpFactory {
  uint32_t version = kApiVersion;
  const char* (*get_name)(const OrtEpFactory*) = nullptr;
  const char* (*get_vendor)(const OrtEpFactory*) = nullptr;
  OrtStatus* (*get_supported_devices)(OrtEpFactory*, const OrtHardwareDevice* const* devices, size_t count, OrtEpDevice** out, size_t most,
                                      size_t* found) = nullptr;
  OrtStatus* (*create_ep)(OrtEpFactory*, const OrtHardwareDevice* const* devices, const OrtKeyValuePairs* const* metadata, size_t count,
                          const OrtSessionOptions*, const OrtLogger*, OrtEp** out) = nullptr;
  void (*release_ep)(OrtEpFactory*, OrtEp*) = nullptr;
  uint32_t (*get_vendor_id)(const OrtEpFactory*) = nullptr;
  const char* (*get_version)(const OrtEpFactory*) = nullptr;
  OrtStatus* (*validate_compatibility)(OrtEpFactory*, const OrtHardwareDevice* const* devices, size_t count, const char* info,
                                       int* compatibility) = nullptr;
  OrtStatus* (*create_allocator)(OrtEpFactory*, const void* memory_info, const OrtKeyValuePairs* options, void** out) = nullptr;
  void (*release_allocator)(OrtEpFactory*, void* allocator) = nullptr;
  OrtStatus* (*create_data_transfer)(OrtEpFactory*, void** out) = nullptr;
  bool (*is_stream_aware)(const OrtEpFactory*) = nullptr;
  OrtStatus* (*create_stream)(OrtEpFactory*, const void* device, const OrtKeyValuePairs* options, void** out) = nullptr;
  void* later[4] = {};
};

}  // namespace anydim::ort
