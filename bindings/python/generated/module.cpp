// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
// The low-level Python module anydim._capi: one function per C function, over the C API only.
#include "bindings/python/module_support.h"
#include "bindings/python/operator_structs.h"

using namespace anydim_python;

namespace {

struct Text {
  Text() = default;
  Text(const Text&) = delete;
  ~Text() { close(); }
  void close() { anydim_text_destroy(std::exchange(handle, nullptr)); }
  anydim_text_t handle = nullptr;
};
struct Memory {
  Memory() = default;
  Memory(const Memory&) = delete;
  ~Memory() { close(); }
  void close() { destroy_without_gil(anydim_memory_destroy, std::exchange(handle, nullptr)); }
  anydim_memory_t handle = nullptr;
};
struct Desc {
  Desc() = default;
  Desc(const Desc&) = delete;
  ~Desc() { close(); }
  void close() { anydim_desc_destroy(std::exchange(handle, nullptr)); }
  anydim_desc_t handle = nullptr;
};
struct Engine {
  Engine() = default;
  Engine(const Engine&) = delete;
  ~Engine() { close(); }
  void close() { destroy_without_gil(anydim_engine_destroy, std::exchange(handle, nullptr)); }
  anydim_engine_t handle = nullptr;
};
struct Stream {
  Stream() = default;
  Stream(const Stream&) = delete;
  ~Stream() { close(); }
  void close() { destroy_without_gil(anydim_stream_destroy, std::exchange(handle, nullptr)); }
  anydim_stream_t handle = nullptr;
};
struct Tensor {
  Tensor() = default;
  Tensor(const Tensor&) = delete;
  ~Tensor() { close(); }
  void close() { destroy_without_gil(anydim_tensor_destroy, std::exchange(handle, nullptr)); }
  anydim_tensor_t handle = nullptr;
};
struct Attr {
  Attr() = default;
  Attr(const Attr&) = delete;
  ~Attr() { close(); }
  void close() { anydim_attr_destroy(std::exchange(handle, nullptr)); }
  anydim_attr_t handle = nullptr;
};
struct Weights {
  Weights() = default;
  Weights(const Weights&) = delete;
  ~Weights() { close(); }
  void close() { destroy_without_gil(anydim_weights_destroy, std::exchange(handle, nullptr)); }
  anydim_weights_t handle = nullptr;
};
struct Primitive {
  Primitive() = default;
  Primitive(const Primitive&) = delete;
  ~Primitive() { close(); }
  void close() { destroy_without_gil(anydim_primitive_destroy, std::exchange(handle, nullptr)); }
  anydim_primitive_t handle = nullptr;
};
struct CustomOperators {
  CustomOperators() = default;
  CustomOperators(const CustomOperators&) = delete;
  ~CustomOperators() { close(); }
  void close() { destroy_without_gil(anydim_custom_operators_destroy, std::exchange(handle, nullptr)); }
  anydim_custom_operators_t handle = nullptr;
};
struct Bounds {
  Bounds() = default;
  Bounds(const Bounds&) = delete;
  ~Bounds() { close(); }
  void close() { anydim_bounds_destroy(std::exchange(handle, nullptr)); }
  anydim_bounds_t handle = nullptr;
};
struct Model {
  Model() = default;
  Model(const Model&) = delete;
  ~Model() { close(); }
  void close() { destroy_without_gil(anydim_model_destroy, std::exchange(handle, nullptr)); }
  anydim_model_t handle = nullptr;
};
struct Layers {
  Layers() = default;
  Layers(const Layers&) = delete;
  ~Layers() { close(); }
  void close() { destroy_without_gil(anydim_layers_destroy, std::exchange(handle, nullptr)); }
  anydim_layers_t handle = nullptr;
};
struct Layouts {
  Layouts() = default;
  Layouts(const Layouts&) = delete;
  ~Layouts() { close(); }
  void close() { destroy_without_gil(anydim_layouts_destroy, std::exchange(handle, nullptr)); }
  anydim_layouts_t handle = nullptr;
};
struct ModelBuilder {
  ModelBuilder() = default;
  ModelBuilder(const ModelBuilder&) = delete;
  ~ModelBuilder() { close(); }
  void close() { destroy_without_gil(anydim_model_builder_destroy, std::exchange(handle, nullptr)); }
  anydim_model_builder_t handle = nullptr;
};
struct Context {
  Context() = default;
  Context(const Context&) = delete;
  ~Context() { close(); }
  void close() { destroy_without_gil(anydim_context_destroy, std::exchange(handle, nullptr)); }
  anydim_context_t handle = nullptr;
};
struct Cancellation {
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  ~Cancellation() { close(); }
  void close() { anydim_cancellation_destroy(std::exchange(handle, nullptr)); }
  anydim_cancellation_t handle = nullptr;
};
struct Session {
  Session() = default;
  Session(const Session&) = delete;
  ~Session() { close(); }
  void close() { destroy_without_gil(anydim_session_destroy, std::exchange(handle, nullptr)); }
  anydim_session_t handle = nullptr;
};
struct State {
  State() = default;
  State(const State&) = delete;
  ~State() { close(); }
  void close() { destroy_without_gil(anydim_state_destroy, std::exchange(handle, nullptr)); }
  anydim_state_t handle = nullptr;
};
struct Streaming {
  Streaming() = default;
  Streaming(const Streaming&) = delete;
  ~Streaming() { close(); }
  void close() { destroy_without_gil(anydim_streaming_destroy, std::exchange(handle, nullptr)); }
  anydim_streaming_t handle = nullptr;
};
struct Call {
  Call() = default;
  Call(const Call&) = delete;
  ~Call() { close(); }
  void close() { destroy_without_gil(anydim_call_destroy, std::exchange(handle, nullptr)); }
  anydim_call_t handle = nullptr;
};

[[maybe_unused]] py::dict to_dict(const anydim_error_info_t& s) {
  py::dict d;
  d["status"] = to_python(s.status);
  d["message"] = to_python(s.message);
  d["function"] = to_python(s.function);
  d["argument"] = to_python(s.argument);
  d["node"] = to_python(s.node);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_build_info_t& s) {
  py::dict d;
  d["major"] = to_python(s.major);
  d["minor"] = to_python(s.minor);
  d["patch"] = to_python(s.patch);
  d["persistent_cache"] = to_python(s.persistent_cache);
  d["opencl"] = to_python(s.opencl);
  d["architecture"] = to_python(s.architecture);
  d["kernel_isas"] = to_python(s.kernel_isas);
  return d;
}

[[maybe_unused]] void fill(const py::dict& dict, anydim_engine_options_t* s, [[maybe_unused]] KeptArrays* kept) {
  size_t used = 0;
  take(dict, "threads", &s->threads, &used);
  take(dict, "flushed_denormals", &s->flushed_denormals, &used);
  all_used(dict, used, "engine_options");
}

[[maybe_unused]] py::dict to_dict(const anydim_engine_info_t& s) {
  py::dict d;
  d["kind"] = to_python(s.kind);
  d["threads"] = to_python(s.threads);
  d["kernels"] = to_python(s.kernels);
  d["device"] = to_python(s.device);
  d["isa"] = to_python(s.isa);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_engine_kind_info_t& s) {
  py::dict d;
  d["kind"] = to_python(s.kind);
  d["name"] = to_python(s.name);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_device_info_t& s) {
  py::dict d;
  d["platform"] = to_python(s.platform);
  d["device"] = to_python(s.device);
  d["usable"] = to_python(s.usable);
  d["units"] = to_python(s.units);
  d["like_gpu"] = to_python(s.like_gpu);
  d["memory_bytes"] = to_python(s.memory_bytes);
  d["largest_allocation_bytes"] = to_python(s.largest_allocation_bytes);
  d["name"] = to_python(s.name);
  d["driver"] = to_python(s.driver);
  d["platform_name"] = to_python(s.platform_name);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_kernel_info_t& s) {
  py::dict d;
  d["usable"] = to_python(s.usable);
  d["name"] = to_python(s.name);
  d["op"] = to_python(s.op);
  d["isa"] = to_python(s.isa);
  d["layout"] = to_python(s.layout);
  d["src"] = to_python(s.src);
  d["dst"] = to_python(s.dst);
  return d;
}

[[maybe_unused]] void fill(const py::dict& dict, anydim_stream_options_t* s, [[maybe_unused]] KeptArrays* kept) {
  size_t used = 0;
  take(dict, "threads", &s->threads, &used);
  all_used(dict, used, "stream_options");
}

[[maybe_unused]] py::dict to_dict(const anydim_memory_info_t& s) {
  py::dict d;
  d["imported"] = to_python(s.imported);
  d["bytes"] = to_python(s.bytes);
  d["data"] = to_python(s.data);
  return d;
}

[[maybe_unused]] void fill(const py::dict& dict, anydim_save_options_t* s, [[maybe_unused]] KeptArrays* kept) {
  size_t used = 0;
  take(dict, "sync", &s->sync, &used);
  all_used(dict, used, "save_options");
}

[[maybe_unused]] py::dict to_dict(const anydim_candidate_t& s) {
  py::dict d;
  d["chosen"] = to_python(s.chosen);
  d["name"] = to_python(s.name);
  d["refusal"] = to_python(s.refusal);
  return d;
}

[[maybe_unused]] void fill(const py::dict& dict, anydim_engine_definition_t* s, [[maybe_unused]] KeptArrays* kept) {
  size_t used = 0;
  take(dict, "version", &s->version, &used);
  take(dict, "name", &s->name, &used);
  take(dict, "device", &s->device, &used);
  take(dict, "driver", &s->driver, &used);
  take(dict, "kernel_count", &s->kernel_count, &used);
  take(dict, "base_alignment", &s->base_alignment, &used);
  take(dict, "largest_allocation", &s->largest_allocation, &used);
  all_used(dict, used, "engine_definition");
}

[[maybe_unused]] void fill(const py::dict& dict, anydim_model_options_t* s, [[maybe_unused]] KeptArrays* kept) {
  size_t used = 0;
  take(dict, "math", &s->math, &used);
  take(dict, "reuse", &s->reuse, &used);
  take(dict, "input_layout", &s->input_layout, &used);
  take(dict, "output_layout", &s->output_layout, &used);
  take(dict, "passes", &s->passes, &used);
  take_handle<Layouts>(dict, "layouts", &s->layouts, &used);
  take(dict, "packed_weights", &s->packed_weights, &used);
  take_handles<Engine>(dict, "engines", &s->engines, &s->engine_count, &used, kept);
  take_handle<Layers>(dict, "layers", &s->layers, &used);
  take(dict, "external_data_folder", &s->external_data_folder, &used);
  take(dict, "sequences", &s->sequences, &used);
  take_handle<CustomOperators>(dict, "operators", &s->operators, &used);
  take(dict, "streaming", &s->streaming, &used);
  take(dict, "streaming_chunk", &s->streaming_chunk, &used);
  all_used(dict, used, "model_options");
}

[[maybe_unused]] py::dict to_dict(const anydim_model_info_t& s) {
  py::dict d;
  d["metadata"] = to_python(s.metadata);
  d["producer_name"] = to_python(s.producer_name);
  d["producer_version"] = to_python(s.producer_version);
  d["graph_name"] = to_python(s.graph_name);
  d["domain"] = to_python(s.domain);
  d["description"] = to_python(s.description);
  d["version"] = to_python(s.version);
  d["opset"] = to_python(s.opset);
  d["nodes"] = to_python(s.nodes);
  d["file_nodes"] = to_python(s.file_nodes);
  d["weight_bytes"] = to_python(s.weight_bytes);
  d["packed_weights"] = to_python(s.packed_weights);
  d["mapped_weights"] = to_python(s.mapped_weights);
  d["mapped_bytes"] = to_python(s.mapped_bytes);
  d["engines"] = to_python(s.engines);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_value_info_t& s) {
  py::dict d;
  d["dtype"] = to_python(s.dtype);
  d["name"] = to_python(s.name);
  d["dims"] = to_python(s.dims);
  d["min"] = to_python(s.min);
  d["max"] = to_python(s.max);
  d["order"] = to_python(s.order);
  d["symbols"] = to_python(s.symbols);
  return d;
}

[[maybe_unused]] void fill(const py::dict& dict, anydim_context_options_t* s, [[maybe_unused]] KeptArrays* kept) {
  size_t used = 0;
  take(dict, "threads", &s->threads, &used);
  take(dict, "profile", &s->profile, &used);
  take(dict, "reuse", &s->reuse, &used);
  take(dict, "tuning_ms", &s->tuning_ms, &used);
  take(dict, "buffer_bytes", &s->buffer_bytes, &used);
  all_used(dict, used, "context_options");
}

[[maybe_unused]] void fill(const py::dict& dict, anydim_run_options_t* s, [[maybe_unused]] KeptArrays* kept) {
  size_t used = 0;
  take(dict, "timeout_ms", &s->timeout_ms, &used);
  take_handle<Cancellation>(dict, "cancellation", &s->cancellation, &used);
  take(dict, "alias_count", &s->alias_count, &used);
  take(dict, "part_count", &s->part_count, &used);
  all_used(dict, used, "run_options");
}

[[maybe_unused]] void fill(const py::dict& dict, anydim_tune_options_t* s, [[maybe_unused]] KeptArrays* kept) {
  size_t used = 0;
  take(dict, "node_ms", &s->node_ms, &used);
  take(dict, "record", &s->record, &used);
  take(dict, "again", &s->again, &used);
  take_handle<Cancellation>(dict, "cancellation", &s->cancellation, &used);
  all_used(dict, used, "tune_options");
}

[[maybe_unused]] py::dict to_dict(const anydim_context_info_t& s) {
  py::dict d;
  d["bounded"] = to_python(s.bounded);
  d["arena_bytes"] = to_python(s.arena_bytes);
  d["growths"] = to_python(s.growths);
  d["runs"] = to_python(s.runs);
  d["threads"] = to_python(s.threads);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_node_info_t& s) {
  py::dict d;
  d["name"] = to_python(s.name);
  d["op"] = to_python(s.op);
  d["kernel"] = to_python(s.kernel);
  d["tier"] = to_python(s.tier);
  d["post_ops"] = to_python(s.post_ops);
  d["scratch_bytes"] = to_python(s.scratch_bytes);
  d["output_bytes"] = to_python(s.output_bytes);
  d["time_ns"] = to_python(s.time_ns);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_session_info_t& s) {
  py::dict d;
  d["contexts"] = to_python(s.contexts);
  d["limit"] = to_python(s.limit);
  d["in_use"] = to_python(s.in_use);
  d["waiting"] = to_python(s.waiting);
  d["growths"] = to_python(s.growths);
  d["arena_bytes"] = to_python(s.arena_bytes);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_state_info_t& s) {
  py::dict d;
  d["parts"] = to_python(s.parts);
  d["in_place"] = to_python(s.in_place);
  d["length"] = to_python(s.length);
  d["limit"] = to_python(s.limit);
  d["steps"] = to_python(s.steps);
  d["bytes"] = to_python(s.bytes);
  d["appended_bytes"] = to_python(s.appended_bytes);
  d["copied_bytes"] = to_python(s.copied_bytes);
  d["growths"] = to_python(s.growths);
  d["page"] = to_python(s.page);
  d["pages"] = to_python(s.pages);
  d["shared_pages"] = to_python(s.shared_pages);
  d["pool_bytes"] = to_python(s.pool_bytes);
  d["pool_limit"] = to_python(s.pool_limit);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_streaming_info_t& s) {
  py::dict d;
  d["first_after"] = to_python(s.first_after);
  d["received"] = to_python(s.received);
  d["chunks"] = to_python(s.chunks);
  d["bytes"] = to_python(s.bytes);
  d["most_chunk"] = to_python(s.most_chunk);
  return d;
}

[[maybe_unused]] void fill(const py::dict& dict, anydim_batching_options_t* s, [[maybe_unused]] KeptArrays* kept) {
  size_t used = 0;
  take(dict, "rows", &s->rows, &used);
  take(dict, "wait_us", &s->wait_us, &used);
  take(dict, "waiting", &s->waiting, &used);
  all_used(dict, used, "batching_options");
}

[[maybe_unused]] py::dict to_dict(const anydim_batching_info_t& s) {
  py::dict d;
  d["started"] = to_python(s.started);
  d["waiting"] = to_python(s.waiting);
  d["running"] = to_python(s.running);
  d["requests"] = to_python(s.requests);
  d["rows"] = to_python(s.rows);
  d["batches"] = to_python(s.batches);
  d["largest_batch"] = to_python(s.largest_batch);
  d["failed"] = to_python(s.failed);
  d["cancelled"] = to_python(s.cancelled);
  d["late"] = to_python(s.late);
  d["refused"] = to_python(s.refused);
  d["p50_ns"] = to_python(s.p50_ns);
  d["p99_ns"] = to_python(s.p99_ns);
  d["rows_per_second"] = to_python(s.rows_per_second);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_worker_info_t& s) {
  py::dict d;
  d["running"] = to_python(s.running);
  d["paused"] = to_python(s.paused);
  d["turned_off"] = to_python(s.turned_off);
  d["queued"] = to_python(s.queued);
  d["requested"] = to_python(s.requested);
  d["dropped"] = to_python(s.dropped);
  d["repeated"] = to_python(s.repeated);
  d["served"] = to_python(s.served);
  d["failed"] = to_python(s.failed);
  d["busy_ns"] = to_python(s.busy_ns);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_primitive_cache_info_t& s) {
  py::dict d;
  d["churn_misses"] = to_python(s.churn_misses);
  d["limit_bytes"] = to_python(s.limit_bytes);
  d["bytes"] = to_python(s.bytes);
  d["entries"] = to_python(s.entries);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_primitive_creation_t& s) {
  py::dict d;
  d["hit"] = to_python(s.hit);
  d["time_ns"] = to_python(s.time_ns);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_persistent_cache_info_t& s) {
  py::dict d;
  d["enabled"] = to_python(s.enabled);
  d["limit_bytes"] = to_python(s.limit_bytes);
  d["entries"] = to_python(s.entries);
  d["index_bytes"] = to_python(s.index_bytes);
  d["hits"] = to_python(s.hits);
  d["misses"] = to_python(s.misses);
  d["stores"] = to_python(s.stores);
  d["store_failures"] = to_python(s.store_failures);
  d["evicted"] = to_python(s.evicted);
  d["damaged_records"] = to_python(s.damaged_records);
  d["damaged_files"] = to_python(s.damaged_files);
  d["load_failures"] = to_python(s.load_failures);
  d["load_ns"] = to_python(s.load_ns);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_counter_t& s) {
  py::dict d;
  d["level"] = to_python(s.level);
  d["name"] = to_python(s.name);
  d["doc"] = to_python(s.doc);
  d["value"] = to_python(s.value);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_call_info_t& s) {
  py::dict d;
  d["tensors"] = to_python(s.tensors);
  d["name"] = to_python(s.name);
  d["op"] = to_python(s.op);
  d["post_ops"] = to_python(s.post_ops);
  d["kernel"] = to_python(s.kernel);
  d["tier"] = to_python(s.tier);
  d["time_ns"] = to_python(s.time_ns);
  d["flops"] = to_python(s.flops);
  d["threads"] = to_python(s.threads);
  return d;
}

[[maybe_unused]] py::dict to_dict(const anydim_call_tensor_t& s) {
  py::dict d;
  d["role"] = to_python(s.role);
  d["dtype"] = to_python(s.dtype);
  d["index"] = to_python(s.index);
  d["dims"] = to_python(s.dims);
  d["strides"] = to_python(s.strides);
  d["low"] = to_python(s.low);
  d["high"] = to_python(s.high);
  return d;
}

// False for None: the call gets a null pointer.
template <class T>
bool from_dict(const py::object& from, T* s, KeptArrays* kept) {
  if (from.is_none()) return false;
  fill(from.cast<py::dict>(), s, kept);
  return true;
}

}  // namespace

PYBIND11_MODULE(_capi_of_main, m, py::mod_gil_not_used()) {  // PyInit__capi: module_support.cpp
  m.doc() = "The C API of Anydim 0.1.0, function by function.";
  py::class_<Text>(m, "Text", "A text made for the caller (an explanation). Read it with text_get_data, free it with text_destroy.")
      .def("close", &Text::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Text& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Memory>(m, "Memory", "Bytes of an engine, allocated by it or imported. Threads may share it for reading; writing its bytes is the caller's to order.")
      .def("close", &Memory::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Memory& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Desc>(m, "Desc", "A tensor descriptor - dtype, dims (numbers or dynamic) and the layout that its tensors will have.")
      .def("close", &Desc::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Desc& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Engine>(m, "Engine", "A device with its kernels. Everything else is made from one.")
      .def("close", &Engine::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Engine& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Stream>(m, "Stream", "An order of execution on an engine, with the scratch memory that its primitives use.")
      .def("close", &Stream::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Stream& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Tensor>(m, "Tensor", "Memory that the library allocates and frees, with dtype and dims. Threads may share it for reading; writing its memory is the caller's to order.")
      .def("close", &Tensor::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Tensor& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Attr>(m, "Attr", "Attributes of primitives to come - reuse policy, math mode, post-ops, scales, zero points, scratchpad mode, forced kernel. What is made with them sees all of a change by another thread, or nothing of it.")
      .def("close", &Attr::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Attr& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Weights>(m, "Weights", "Constant inputs of an operator, packed once and shared by all primitives, shapes and contexts.")
      .def("close", &Weights::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Weights& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Primitive>(m, "Primitive", "An operator made for given descriptors and attributes, bound to one kernel, ready to execute.")
      .def("close", &Primitive::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Primitive& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<CustomOperators>(m, "CustomOperators", "Operators of the program's own, by domain and name. They go into ModelOptions.")
      .def("close", &CustomOperators::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const CustomOperators& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Bounds>(m, "Bounds", "Promises about the dims of a model's inputs, by input name.")
      .def("close", &Bounds::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Bounds& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Model>(m, "Model", "A loaded graph. Immutable.")
      .def("close", &Model::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Model& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Layers>(m, "Layers", "What is asked of single layers of a model, by the names of its nodes.")
      .def("close", &Layers::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Layers& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Layouts>(m, "Layouts", "Memory orders asked for at a model's inputs and outputs, by name.")
      .def("close", &Layouts::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Layouts& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<ModelBuilder>(m, "ModelBuilder", "A graph of ONNX operators while a program puts it together. Models are made from it, or it becomes the body of a branch or loop.")
      .def("close", &ModelBuilder::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const ModelBuilder& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Context>(m, "Context", "What one running inference needs - its memory and the values of the dims. Make one per concurrent run.")
      .def("close", &Context::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Context& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Cancellation>(m, "Cancellation", "What ends runs from outside. One may serve any number of contexts and runs.")
      .def("close", &Cancellation::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Cancellation& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Session>(m, "Session", "A model with contexts for any number of threads. Runs that find none free wait for their turn, first come, first served.")
      .def("close", &Session::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Session& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<State>(m, "State", "What one sequence of a session's runs remembers. Make one per conversation; any number of them share the session's contexts.")
      .def("close", &State::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const State& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Streaming>(m, "Streaming", "One sequence that comes in chunks. Make one per sequence; any number of them share contexts.")
      .def("close", &Streaming::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Streaming& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  py::class_<Call>(m, "Call", "One execution, parsed from a verbose line - operator, tensors, attributes, kernel. Its strings live as long as it.")
      .def("close", &Call::close, "Destroys it now instead of when Python forgets it.")
      .def_property_readonly("value", [](const Call& h) { return reinterpret_cast<uintptr_t>(h.handle); });
  m.def("version", []() {
    return to_python(anydim_version());
  }, "The library's version as text, such as \"0.1.0\".");
  m.def("build_query", []() {
    anydim_build_info_t info = ANYDIM_BUILD_INFO_INIT;
    check(anydim_build_query(&info));
    return to_dict(info);
  }, "Describes this build of the library, which may have less or more than the header that a program was compiled with.");
  m.def("status_name", [](int32_t status) {
    return to_python(anydim_status_name(status));
  }, py::arg("status"), "A status as text, such as \"invalid argument\"; \"unknown\" for a number that is none.");
  m.def("last_error", []() {
    return to_python(anydim_last_error());
  }, "The message of the last call of this thread that failed, or \"\" if none has.");
  m.def("last_error_query", []() {
    anydim_error_info_t info = ANYDIM_ERROR_INFO_INIT;
    check(anydim_last_error_query(&info));
    return to_dict(info);
  }, "Returns the last failure of this thread, part by part.");
  m.def("text_get_data", [](const Text& text) {
    anydim_string_t string{};
    check(anydim_text_get_data(text.handle, &string));
    return to_python(string);
  }, py::arg("text"), "Returns the bytes of a text.");
  m.def("log_set_level", [](int32_t level) {
    check(anydim_log_set_level(level));
  }, py::arg("level"), "Sets which log lines are made.");
  m.def("dtype_name", [](int32_t dtype) {
    return to_python(anydim_dtype_name(dtype));
  }, py::arg("dtype"), "A dtype as text, such as \"f32\"; \"unknown\" for a number that is none.");
  m.def("dtype_get_size", [](int32_t dtype) {
    int64_t bytes{};
    check(anydim_dtype_get_size(dtype, &bytes));
    return to_python(bytes);
  }, py::arg("dtype"), "Bytes of one element in memory.");
  m.def("dim_fixed", [](int64_t value) {
    return to_python(anydim_dim_fixed(value));
  }, py::arg("value"), "A dim that is a number.");
  m.def("dim_dynamic", [](int64_t min, int64_t max) {
    return to_python(anydim_dim_dynamic(min, max));
  }, py::arg("min"), py::arg("max"), "A dim whose number comes with the tensor.");
  m.def("desc_create", [](int32_t dtype, const std::vector<anydim_dim_t>& dims, int32_t layout) {
    auto desc = std::make_unique<Desc>();
    check(anydim_desc_create(dtype, static_cast<int32_t>(dims.size()), dims.data(), layout, &desc->handle));
    return desc;
  }, py::arg("dtype"), py::arg("dims"), py::arg("layout"), "Makes a tensor descriptor.");
  m.def("engine_create", [](int32_t kind, int32_t device, const py::object& options) {
    anydim_engine_options_t options_struct = ANYDIM_ENGINE_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    auto engine = std::make_unique<Engine>();
    check(anydim_engine_create(kind, device, options_given ? &options_struct : nullptr, &engine->handle));
    return engine;
  }, py::arg("kind"), py::arg("device"), py::arg("options") = py::none(), "Makes an engine.");
  m.def("engine_get_kind", [](int32_t index) {
    anydim_engine_kind_info_t info = ANYDIM_ENGINE_KIND_INFO_INIT;
    check(anydim_engine_get_kind(index, &info));
    return to_dict(info);
  }, py::arg("index"), "Describes a kind of engine that this library can make, by an index.");
  m.def("engine_get_device", [](int32_t kind, int32_t index) {
    anydim_device_info_t info = ANYDIM_DEVICE_INFO_INIT;
    check(anydim_engine_get_device(kind, index, &info));
    return to_dict(info);
  }, py::arg("kind"), py::arg("index"), "Describes a device that an engine of the kind can be made for, by the number that is passed to engine_create.");
  m.def("engine_query", [](const Engine& engine) {
    anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
    check(anydim_engine_query(engine.handle, &info));
    return to_dict(info);
  }, py::arg("engine"), "Describes an engine.");
  m.def("engine_get_kernel", [](const Engine& engine, int32_t index) {
    anydim_kernel_info_t info = ANYDIM_KERNEL_INFO_INIT;
    check(anydim_engine_get_kernel(engine.handle, index, &info));
    return to_dict(info);
  }, py::arg("engine"), py::arg("index"), "Describes a kernel of the engine's registry, in order of preference within its operator.");
  m.def("stream_create", [](const Engine& engine, const py::object& options) {
    anydim_stream_options_t options_struct = ANYDIM_STREAM_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    auto stream = std::make_unique<Stream>();
    check(anydim_stream_create(engine.handle, options_given ? &options_struct : nullptr, &stream->handle));
    return stream;
  }, py::arg("engine"), py::arg("options") = py::none(), "Makes a stream of an engine: where primitives execute, one after the other.");
  m.def("stream_wait", [](const Stream& stream) {
    check(without_gil([&] { return anydim_stream_wait(stream.handle); }));
  }, py::arg("stream"), "Waits until everything given to the stream is done; late errors surface here.");
  m.def("memory_allocate", [](const Engine& engine, int64_t bytes) {
    auto memory = std::make_unique<Memory>();
    check(anydim_memory_allocate(engine.handle, bytes, &memory->handle));
    return memory;
  }, py::arg("engine"), py::arg("bytes"), "Allocates bytes of an engine, filled with zeros and aligned to 64.");
  m.def("memory_import", [](const Engine& engine, uintptr_t data, int64_t bytes) {
    auto memory = std::make_unique<Memory>();
    check(anydim_memory_import(engine.handle, reinterpret_cast<void*>(data), bytes, nullptr, nullptr, &memory->handle));
    return memory;
  }, py::arg("engine"), py::arg("data"), py::arg("bytes"), "Makes a memory of bytes of the caller's, without a copy.");
  m.def("memory_query", [](const Memory& memory) {
    anydim_memory_info_t info = ANYDIM_MEMORY_INFO_INIT;
    check(anydim_memory_query(memory.handle, &info));
    return to_dict(info);
  }, py::arg("memory"), "Describes a memory.");
  m.def("memory_map", [](const Memory& memory, int64_t offset, int64_t bytes) {
    void* data{};
    check(without_gil([&] { return anydim_memory_map(memory.handle, offset, bytes, &data); }));
    return to_python(data);
  }, py::arg("memory"), py::arg("offset"), py::arg("bytes"), "Returns an address at which the program reads and writes bytes of a memory, until memory_unmap.");
  m.def("memory_unmap", [](const Memory& memory, int64_t offset, int64_t bytes) {
    check(without_gil([&] { return anydim_memory_unmap(memory.handle, offset, bytes); }));
  }, py::arg("memory"), py::arg("offset"), py::arg("bytes"), "Ends a mapping: calls see what was written.");
  m.def("memory_copy", [](const Stream& stream, const Memory& target, int64_t target_offset, const Memory& source, int64_t source_offset, int64_t bytes) {
    check(without_gil([&] { return anydim_memory_copy(stream.handle, target.handle, target_offset, source.handle, source_offset, bytes); }));
  }, py::arg("stream"), py::arg("target"), py::arg("target_offset"), py::arg("source"), py::arg("source_offset"), py::arg("bytes"), "Copies bytes from one memory to another, or within one, where the two places may overlap.");
  m.def("tensor_allocate", [](const Engine& engine, int32_t dtype, const std::vector<int64_t>& dims, int32_t layout) {
    auto tensor = std::make_unique<Tensor>();
    check(anydim_tensor_allocate(engine.handle, dtype, static_cast<int32_t>(dims.size()), dims.data(), layout, &tensor->handle));
    return tensor;
  }, py::arg("engine"), py::arg("dtype"), py::arg("dims"), py::arg("layout"), "Makes a tensor with memory of its own, filled with zeros, freed with the tensor.");
  m.def("tensor_get_view", [](const Tensor& tensor) {
    anydim_view_t view{};
    check(anydim_tensor_get_view(tensor.handle, &view));
    return to_python(view);
  }, py::arg("tensor"), "Returns the view of a tensor.");
  m.def("result_release", [](uintptr_t data) {
    anydim_result_release(reinterpret_cast<void*>(data));
  }, py::arg("data"), "Releases memory that a call allocated for an output: the view's data, once.");
  m.def("attr_create", []() {
    auto attr = std::make_unique<Attr>();
    check(anydim_attr_create(&attr->handle));
    return attr;
  }, "Makes attributes with all defaults.");
  m.def("attr_set_reuse", [](const Attr& attr, int32_t policy) {
    check(anydim_attr_set_reuse(attr.handle, policy));
  }, py::arg("attr"), py::arg("policy"), "Sets the reuse policy of the primitives to come.");
  m.def("attr_set_math", [](const Attr& attr, int32_t mode) {
    check(anydim_attr_set_math(attr.handle, mode));
  }, py::arg("attr"), py::arg("mode"), "Sets the math mode.");
  m.def("attr_append_eltwise", [](const Attr& attr, int32_t function, float alpha, float beta) {
    check(anydim_attr_append_eltwise(attr.handle, function, alpha, beta));
  }, py::arg("attr"), py::arg("function"), py::arg("alpha"), py::arg("beta"), "Appends a post-op that takes a function of each output element, after the operator's bias and the post-ops before.");
  m.def("attr_append_binary", [](const Attr& attr, int32_t function, int32_t reversed) {
    check(anydim_attr_append_binary(attr.handle, function, reversed));
  }, py::arg("attr"), py::arg("function"), py::arg("reversed"), "Appends a post-op y = function(y, t), with a tensor t that is given at execution after the operator's inputs and broadcasts to the output.");
  m.def("attr_set_dtype", [](const Attr& attr, int32_t dtype) {
    check(anydim_attr_set_dtype(attr.handle, dtype));
  }, py::arg("attr"), py::arg("dtype"), "Sets the dtype of the result of a matmul, convolution or conv_transpose: f32, f16, bf16, i8, u8 or i32.");
  m.def("attr_set_scales", [](const Attr& attr, int32_t operand, int32_t axis, const std::vector<float>& values) {
    check(anydim_attr_set_scales(attr.handle, operand, axis, values.data(), static_cast<int32_t>(values.size())));
  }, py::arg("attr"), py::arg("operand"), py::arg("axis"), py::arg("values"), "Says which real numbers those of an 8-bit operand (i8, u8) stand for: scale * (number - zero point).");
  m.def("attr_set_zero_points", [](const Attr& attr, int32_t operand, int32_t axis, const std::vector<int32_t>& values) {
    check(anydim_attr_set_zero_points(attr.handle, operand, axis, values.data(), static_cast<int32_t>(values.size())));
  }, py::arg("attr"), py::arg("operand"), py::arg("axis"), py::arg("values"), "Sets the number of an 8-bit operand that stands for zero, as attr_set_scales does scales.");
  m.def("attr_set_kernel", [](const Attr& attr, const TextArgument& kernel) {
    check(anydim_attr_set_kernel(attr.handle, kernel.c_str()));
  }, py::arg("attr"), py::arg("kernel"), "Forces a kernel by its name, for tests and reports; \"\" lets the library choose again.");
  m.def("attr_set_scratchpad", [](const Attr& attr, int32_t mode) {
    check(anydim_attr_set_scratchpad(attr.handle, mode));
  }, py::arg("attr"), py::arg("mode"), "Sets whose memory the primitive computes in.");
  m.def("weights_create", [](const Engine& engine, const py::dict& op, const Attr* attr, const std::vector<const Desc*>& inputs, const std::vector<anydim_view_t>& constants, const std::optional<std::vector<int32_t>>& operands) {
    const OperatorStruct op_struct(op);
    const auto inputs_handles = handles<anydim_desc_t>(inputs);
    same_length(constants, operands, "constants", "operands");
    auto weights = std::make_unique<Weights>();
    check(without_gil([&] { return anydim_weights_create(engine.handle, op_struct.op(), handle_of(attr), inputs_handles.data(), static_cast<int32_t>(inputs.size()), constants.data(), operands ? operands->data() : nullptr, static_cast<int32_t>(constants.size()), &weights->handle); }));
    return weights;
  }, py::arg("engine"), py::arg("op"), py::arg("attr").none(true), py::arg("inputs"), py::arg("constants"), py::arg("operands"), "Packs constant inputs of an operator, once for all shapes, primitives and contexts; their memory may be freed afterwards.");
  m.def("weights_get_bytes", [](const Weights& weights) {
    int64_t bytes{};
    check(anydim_weights_get_bytes(weights.handle, &bytes));
    return to_python(bytes);
  }, py::arg("weights"), "Returns how many bytes the packed form takes.");
  m.def("weights_update", [](const Weights& weights, const std::vector<anydim_view_t>& constants) {
    check(without_gil([&] { return anydim_weights_update(weights.handle, constants.data(), static_cast<int32_t>(constants.size())); }));
  }, py::arg("weights"), py::arg("constants"), "Replaces the values: packs these, once for all primitives over these weights, and makes them the next version.");
  m.def("weights_get_version", [](const Weights& weights) {
    int64_t version{};
    check(anydim_weights_get_version(weights.handle, &version));
    return to_python(version);
  }, py::arg("weights"), "Returns how often the values were set: 1 after creation or loading, one more after each update.");
  m.def("weights_save", [](const Weights& weights, const TextArgument& path, const py::object& options) {
    anydim_save_options_t options_struct = ANYDIM_SAVE_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    check(without_gil([&] { return anydim_weights_save(weights.handle, path.c_str(), options_given ? &options_struct : nullptr); }));
  }, py::arg("weights"), py::arg("path"), py::arg("options") = py::none(), "Writes the packed form to a file for weights_load: under another name first, flushed to the disk, then renamed, so that the path always holds a whole file and processes that have an older one mapped keep it.");
  m.def("weights_load", [](const Engine& engine, const py::dict& op, const Attr* attr, const std::vector<const Desc*>& inputs, const TextArgument& path) {
    const OperatorStruct op_struct(op);
    const auto inputs_handles = handles<anydim_desc_t>(inputs);
    auto weights = std::make_unique<Weights>();
    check(without_gil([&] { return anydim_weights_load(engine.handle, op_struct.op(), handle_of(attr), inputs_handles.data(), static_cast<int32_t>(inputs.size()), path.c_str(), &weights->handle); }));
    return weights;
  }, py::arg("engine"), py::arg("op"), py::arg("attr").none(true), py::arg("inputs"), py::arg("path"), "Maps weights that weights_save wrote: nothing is packed or copied, and processes that map one file share its memory.");
  m.def("primitive_create", [](const Engine& engine, const py::dict& op, const Attr* attr, const std::vector<const Desc*>& inputs, const Weights* weights) {
    const OperatorStruct op_struct(op);
    const auto inputs_handles = handles<anydim_desc_t>(inputs);
    auto primitive = std::make_unique<Primitive>();
    check(anydim_primitive_create(engine.handle, op_struct.op(), handle_of(attr), inputs_handles.data(), static_cast<int32_t>(inputs.size()), handle_of(weights), &primitive->handle));
    return primitive;
  }, py::arg("engine"), py::arg("op"), py::arg("attr").none(true), py::arg("inputs"), py::arg("weights").none(true), "Makes a primitive, in microseconds (with the reuse policy specialised it measures first, which takes seconds).");
  m.def("primitive_create_with_constants", [](const Engine& engine, const py::dict& op, const Attr* attr, const std::vector<const Desc*>& inputs, const std::vector<anydim_view_t>& constants, const std::optional<std::vector<int32_t>>& operands) {
    const OperatorStruct op_struct(op);
    const auto inputs_handles = handles<anydim_desc_t>(inputs);
    same_length(constants, operands, "constants", "operands");
    auto primitive = std::make_unique<Primitive>();
    check(without_gil([&] { return anydim_primitive_create_with_constants(engine.handle, op_struct.op(), handle_of(attr), inputs_handles.data(), static_cast<int32_t>(inputs.size()), constants.data(), operands ? operands->data() : nullptr, static_cast<int32_t>(constants.size()), &primitive->handle); }));
    return primitive;
  }, py::arg("engine"), py::arg("op"), py::arg("attr").none(true), py::arg("inputs"), py::arg("constants"), py::arg("operands"), "Makes a primitive and packs its constants: weights_create and primitive_create in one.");
  m.def("primitive_acquire_weights", [](const Primitive& primitive) {
    auto weights = std::make_unique<Weights>();
    check(anydim_primitive_acquire_weights(primitive.handle, &weights->handle));
    return weights;
  }, py::arg("primitive"), "Returns the weights that a primitive holds.");
  m.def("primitive_execute", [](const Primitive& primitive, const Stream& stream, const std::vector<anydim_view_t>& inputs, std::vector<anydim_view_t> outputs) {
    check(without_gil([&] { return anydim_primitive_execute(primitive.handle, stream.handle, inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(), static_cast<int32_t>(outputs.size())); }));
    return to_python(outputs);
  }, py::arg("primitive"), py::arg("stream"), py::arg("inputs"), py::arg("outputs"), "Executes a primitive: inputs in the operator's order without those in weights, then the tensors of post-ops in their order.");
  m.def("primitive_execute_in", [](const Primitive& primitive, const Stream& stream, const std::vector<anydim_view_t>& inputs, const std::vector<anydim_view_t>& outputs, uintptr_t scratch, int64_t scratch_bytes) {
    check(without_gil([&] { return anydim_primitive_execute_in(primitive.handle, stream.handle, inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(), static_cast<int32_t>(outputs.size()), reinterpret_cast<void*>(scratch), scratch_bytes); }));
  }, py::arg("primitive"), py::arg("stream"), py::arg("inputs"), py::arg("outputs"), py::arg("scratch"), py::arg("scratch_bytes"), "As primitive_execute, in scratch memory of the caller (scratchpad mode caller): nothing is allocated.");
  m.def("primitive_get_output_dims", [](const Primitive& primitive, const std::vector<anydim_view_t>& inputs, int32_t index) {
    anydim_dims_t dims{};
    check(anydim_primitive_get_output_dims(primitive.handle, inputs.data(), static_cast<int32_t>(inputs.size()), index, &dims));
    return to_python(dims);
  }, py::arg("primitive"), py::arg("inputs"), py::arg("index"), "Returns the dims of an output for actual inputs, and checks these.");
  m.def("primitive_get_scratch_bytes", [](const Primitive& primitive, const Stream& stream, const std::vector<anydim_view_t>& inputs, const std::vector<anydim_view_t>& outputs) {
    int64_t bytes{};
    check(anydim_primitive_get_scratch_bytes(primitive.handle, stream.handle, inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(), static_cast<int32_t>(outputs.size()), &bytes));
    return to_python(bytes);
  }, py::arg("primitive"), py::arg("stream"), py::arg("inputs"), py::arg("outputs"), "Returns how many bytes of scratch an execution with these tensors needs: what primitive_execute_in is given.");
  m.def("primitive_get_order", [](const Primitive& primitive, int32_t output, int32_t index) {
    anydim_dims_t order{};
    check(anydim_primitive_get_order(primitive.handle, output, index, &order));
    return to_python(order);
  }, py::arg("primitive"), py::arg("output"), py::arg("index"), "Returns the memory order in which the primitive's kernel reads an input or writes an output without a copy, as axes, outermost first ({0, 2, 3, 1} is channels last); rank 0: any.");
  m.def("primitive_get_kernel", [](const Primitive& primitive) {
    anydim_string_t name{};
    uint64_t identity{};
    check(anydim_primitive_get_kernel(primitive.handle, &name, &identity));
    return py::make_tuple(to_python(name), to_python(identity));
  }, py::arg("primitive"), "Returns the primitive's kernel: its name, and a number that is equal for two primitives of a process exactly if they hold the same kernel object.");
  m.def("primitive_get_candidate_count", [](const Primitive& primitive) {
    int32_t count{};
    check(anydim_primitive_get_candidate_count(primitive.handle, &count));
    return to_python(count);
  }, py::arg("primitive"), "Returns how many kernels were considered for the primitive.");
  m.def("primitive_get_candidate", [](const Primitive& primitive, int32_t index) {
    anydim_candidate_t info = ANYDIM_CANDIDATE_INIT;
    check(anydim_primitive_get_candidate(primitive.handle, index, &info));
    return to_dict(info);
  }, py::arg("primitive"), py::arg("index"), "Describes a considered kernel, in order of preference.");
  m.def("primitive_explain", [](const Primitive& primitive, const std::vector<anydim_view_t>& inputs) {
    auto text = std::make_unique<Text>();
    check(anydim_primitive_explain(primitive.handle, inputs.data(), static_cast<int32_t>(inputs.size()), &text->handle));
    return text;
  }, py::arg("primitive"), py::arg("inputs"), "Explains a primitive as JSON: operator, descriptors, attributes, kernel, tier, reuse policy, preferred orders, and why each other kernel was refused; with input tensors also output dims and scratch.");
  m.def("primitive_get_output_dtype", [](const Primitive& primitive, int32_t index) {
    anydim_dtype_t dtype{};
    check(anydim_primitive_get_output_dtype(primitive.handle, index, &dtype));
    return to_python(dtype);
  }, py::arg("primitive"), py::arg("index"), "Returns the element type of an output.");
  m.def("primitive_compare_kernels", [](const Primitive& primitive, const Stream& stream, const std::vector<anydim_view_t>& inputs, const std::vector<anydim_view_t>& outputs, int32_t repeats) {
    auto text = std::make_unique<Text>();
    check(without_gil([&] { return anydim_primitive_compare_kernels(primitive.handle, stream.handle, inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(), static_cast<int32_t>(outputs.size()), repeats, &text->handle); }));
    return text;
  }, py::arg("primitive"), py::arg("stream"), py::arg("inputs"), py::arg("outputs"), py::arg("repeats"), "Lists as JSON, in the registry's order of preference, every kernel for the primitive's problem at these tensors: kernel, chosen, refusal (of those that cannot), expected_nanoseconds (of a simple model; it orders choices and is no promise) and scratch_bytes.");
  m.def("attr_set_scratch_limit", [](const Attr& attr, int64_t bytes) {
    check(anydim_attr_set_scratch_limit(attr.handle, bytes));
  }, py::arg("attr"), py::arg("bytes"), "Limits the scratch of a primitive to come: a kernel that could need more, at the largest dims that the descriptors allow and with all of the engine's threads, is refused, and the next one in order of preference is taken.");
  m.def("primitive_format_line", [](const Primitive& primitive, const Stream& stream, const std::vector<anydim_view_t>& inputs, const std::vector<anydim_view_t>& outputs) {
    auto text = std::make_unique<Text>();
    check(anydim_primitive_format_line(primitive.handle, stream.handle, inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(), static_cast<int32_t>(outputs.size()), &text->handle));
    return text;
  }, py::arg("primitive"), py::arg("stream"), py::arg("inputs"), py::arg("outputs"), "Writes the execute line that a run with these tensors would log, without running, for reports and for `anydim replay`.");
  m.def("custom_operators_create", []() {
    auto operators = std::make_unique<CustomOperators>();
    check(anydim_custom_operators_create(&operators->handle));
    return operators;
  }, "Makes a set of operators of the program's, without any.");
  m.def("engine_load", [](const TextArgument& path) {
    int32_t kind{};
    check(anydim_engine_load(path.c_str(), &kind));
    return to_python(kind);
  }, py::arg("path"), "Opens a shared object and registers the engine that its entry function returns (below): a pointer to an EngineDefinition, which stays, or null if it has none here.");
  m.def("engine_unregister", [](int32_t kind) {
    check(anydim_engine_unregister(kind));
  }, py::arg("kind"), "Removes a kind that was registered or loaded: no more engines of it are made.");
  m.def("model_load_file", [](const Engine& engine, const TextArgument& path, const py::object& options) {
    anydim_model_options_t options_struct = ANYDIM_MODEL_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    auto model = std::make_unique<Model>();
    check(without_gil([&] { return anydim_model_load_file(engine.handle, path.c_str(), options_given ? &options_struct : nullptr, &model->handle); }));
    return model;
  }, py::arg("engine"), py::arg("path"), py::arg("options") = py::none(), "Loads an ONNX model from a file (external data beside it too), optimises it and packs its weights.");
  m.def("model_load_memory", [](const Engine& engine, const py::buffer& data, const py::object& options) {
    const BytesArgument data_bytes(data, "data");
    anydim_model_options_t options_struct = ANYDIM_MODEL_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    auto model = std::make_unique<Model>();
    check(without_gil([&] { return anydim_model_load_memory(engine.handle, data_bytes.data(), static_cast<int64_t>(data_bytes.size()), options_given ? &options_struct : nullptr, &model->handle); }));
    return model;
  }, py::arg("engine"), py::arg("data"), py::arg("options") = py::none(), "As model_load_file, from memory that may be freed afterwards.");
  m.def("model_save_packed", [](const Model& model, const TextArgument& path, const py::object& options) {
    anydim_save_options_t options_struct = ANYDIM_SAVE_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    check(without_gil([&] { return anydim_model_save_packed(model.handle, path.c_str(), options_given ? &options_struct : nullptr); }));
  }, py::arg("model"), py::arg("path"), py::arg("options") = py::none(), "Writes a model's packed weights to a file for options.packed_weights of later loads: under another name first, flushed to the disk, then renamed, so that the path always holds a whole file.");
  m.def("model_save_program", [](const Model& model, const TextArgument& path, const py::object& options) {
    anydim_save_options_t options_struct = ANYDIM_SAVE_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    check(without_gil([&] { return anydim_model_save_program(model.handle, path.c_str(), options_given ? &options_struct : nullptr); }));
  }, py::arg("model"), py::arg("path"), py::arg("options") = py::none(), "Writes a model as a program file: its steps, as compiled for this machine's kind of processor, with its packed weights.");
  m.def("model_query", [](const Model& model) {
    anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
    check(anydim_model_query(model.handle, &info));
    return to_dict(info);
  }, py::arg("model"), "Describes a model.");
  m.def("model_get_engine", [](const Model& model, int32_t index) {
    anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
    check(anydim_model_get_engine(model.handle, index, &info));
    return to_dict(info);
  }, py::arg("model"), py::arg("index"), "Describes an engine that the model runs on: 0 is the one that it was loaded for, then come those of options.engines that got nodes.");
  m.def("model_get_metadata", [](const Model& model, int32_t index) {
    anydim_string_t key{};
    anydim_string_t value{};
    check(anydim_model_get_metadata(model.handle, index, &key, &value));
    return py::make_tuple(to_python(key), to_python(value));
  }, py::arg("model"), py::arg("index"), "Returns an entry of the model's metadata.");
  m.def("model_get_counts", [](const Model& model) {
    int32_t inputs{};
    int32_t outputs{};
    check(anydim_model_get_counts(model.handle, &inputs, &outputs));
    return py::make_tuple(to_python(inputs), to_python(outputs));
  }, py::arg("model"), "Returns how many inputs and outputs a model has.");
  m.def("model_get_input", [](const Model& model, int32_t index) {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    check(anydim_model_get_input(model.handle, index, &info));
    return to_dict(info);
  }, py::arg("model"), py::arg("index"), "Describes an input.");
  m.def("model_get_output", [](const Model& model, int32_t index) {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    check(anydim_model_get_output(model.handle, index, &info));
    return to_dict(info);
  }, py::arg("model"), py::arg("index"), "Describes an output.");
  m.def("model_find_input", [](const Model& model, const TextArgument& name) {
    int32_t index{};
    check(anydim_model_find_input(model.handle, name.c_str(), &index));
    return to_python(index);
  }, py::arg("model"), py::arg("name"), "Finds an input by its name: its place among the inputs.");
  m.def("model_find_output", [](const Model& model, const TextArgument& name) {
    int32_t index{};
    check(anydim_model_find_output(model.handle, name.c_str(), &index));
    return to_python(index);
  }, py::arg("model"), py::arg("name"), "Finds an output by its name: its place among the outputs.");
  m.def("model_describe", [](const Model& model) {
    auto text = std::make_unique<Text>();
    check(anydim_model_describe(model.handle, &text->handle));
    return text;
  }, py::arg("model"), "Describes a model as JSON: facts, inputs, outputs, metadata, how often each operator occurs, weights, and the nodes after all passes.");
  m.def("bounds_create", []() {
    auto bounds = std::make_unique<Bounds>();
    check(anydim_bounds_create(&bounds->handle));
    return bounds;
  }, "Makes empty bounds.");
  m.def("bounds_set", [](const Bounds& bounds, const TextArgument& input, const std::vector<anydim_dim_t>& dims) {
    check(anydim_bounds_set(bounds.handle, input.c_str(), static_cast<int32_t>(dims.size()), dims.data()));
  }, py::arg("bounds"), py::arg("input"), py::arg("dims"), "Sets the bounds of one input by its name; the input is looked for when the bounds are used.");
  m.def("layouts_create", []() {
    auto layouts = std::make_unique<Layouts>();
    check(anydim_layouts_create(&layouts->handle));
    return layouts;
  }, "Makes layouts that ask for nothing.");
  m.def("layouts_set", [](const Layouts& layouts, const TextArgument& name, int32_t rule, const std::vector<int64_t>& axes) {
    check(anydim_layouts_set(layouts.handle, name.c_str(), rule, static_cast<int32_t>(axes.size()), axes.data()));
  }, py::arg("layouts"), py::arg("name"), py::arg("rule"), py::arg("axes"), "Asks for the memory order of one input or output by its name (of both, if an input is an output as it is); the name is looked for when a model is loaded.");
  m.def("layers_create", []() {
    auto layers = std::make_unique<Layers>();
    check(anydim_layers_create(&layers->handle));
    return layers;
  }, "Makes layers of which nothing is asked.");
  m.def("layers_set_math", [](const Layers& layers, const TextArgument& layer, int32_t mode) {
    check(anydim_layers_set_math(layers.handle, layer.c_str(), mode));
  }, py::arg("layers"), py::arg("layer"), py::arg("mode"), "Sets the math mode of one layer, before the model's own: of a node of the model's file by its name, or of all nodes inside a branch or loop by the branch's or loop's, and of one of them by both (\"loop_2/conv_3\").");
  m.def("model_builder_create", []() {
    auto builder = std::make_unique<ModelBuilder>();
    check(anydim_model_builder_create(&builder->handle));
    return builder;
  }, "Makes an empty graph.");
  m.def("model_builder_set_opset", [](const ModelBuilder& builder, const TextArgument& domain, int64_t version) {
    check(anydim_model_builder_set_opset(builder.handle, domain.c_str(), version));
  }, py::arg("builder"), py::arg("domain"), py::arg("version"), "Says which version of a domain's operators the nodes mean, those in bodies too; a second call changes it.");
  m.def("model_builder_add_input", [](const ModelBuilder& builder, const TextArgument& name, int32_t dtype, const std::vector<int64_t>& dims) {
    check(anydim_model_builder_add_input(builder.handle, name.c_str(), dtype, static_cast<int32_t>(dims.size()), dims.data()));
  }, py::arg("builder"), py::arg("name"), py::arg("dtype"), py::arg("dims"), "Adds an input.");
  m.def("model_builder_set_symbol", [](const ModelBuilder& builder, const TextArgument& input, int32_t axis, const TextArgument& symbol) {
    check(anydim_model_builder_set_symbol(builder.handle, input.c_str(), axis, symbol.c_str()));
  }, py::arg("builder"), py::arg("input"), py::arg("axis"), py::arg("symbol"), "Names a dynamic dim of an input: dims of one name are equal in every run, which is checked.");
  m.def("model_builder_add_output", [](const ModelBuilder& builder, const TextArgument& name) {
    check(anydim_model_builder_add_output(builder.handle, name.c_str()));
  }, py::arg("builder"), py::arg("name"), "Makes a value an output; of which node it comes, or that it is an input or constant, is looked for when the model is made.");
  m.def("model_builder_add_constant", [](const ModelBuilder& builder, const TextArgument& name, int32_t dtype, const std::vector<int64_t>& dims, uintptr_t data) {
    check(anydim_model_builder_add_constant(builder.handle, name.c_str(), dtype, static_cast<int32_t>(dims.size()), dims.data(), reinterpret_cast<void*>(data), nullptr, nullptr));
  }, py::arg("builder"), py::arg("name"), py::arg("dtype"), py::arg("dims"), py::arg("data"), "Adds a constant, whose elements are read where they lie: row-major and dense, at any address.");
  m.def("model_builder_add_node", [](const ModelBuilder& builder, const TextArgument& op_type, const TextArgument& domain, const TextArgument& name) {
    check(anydim_model_builder_add_node(builder.handle, op_type.c_str(), domain.c_str(), name.c_str()));
  }, py::arg("builder"), py::arg("op_type"), py::arg("domain"), py::arg("name"), "Adds a node, to which the functions model_builder_node_...");
  m.def("model_builder_add_node_input", [](const ModelBuilder& builder, const TextArgument& value) {
    check(anydim_model_builder_add_node_input(builder.handle, value.c_str()));
  }, py::arg("builder"), py::arg("value"), "Adds an input to the node: the name of a graph's input, of a constant, of an output of a node that is there or comes later, or, in a body, of a value around it.");
  m.def("model_builder_add_node_output", [](const ModelBuilder& builder, const TextArgument& value) {
    check(anydim_model_builder_add_node_output(builder.handle, value.c_str()));
  }, py::arg("builder"), py::arg("value"), "Adds an output to the node.");
  m.def("model_builder_set_node_integer", [](const ModelBuilder& builder, const TextArgument& attribute, int64_t value) {
    check(anydim_model_builder_set_node_integer(builder.handle, attribute.c_str(), value));
  }, py::arg("builder"), py::arg("attribute"), py::arg("value"), "Sets an attribute of the node to an integer.");
  m.def("model_builder_set_node_integers", [](const ModelBuilder& builder, const TextArgument& attribute, const std::vector<int64_t>& values) {
    check(anydim_model_builder_set_node_integers(builder.handle, attribute.c_str(), values.data(), static_cast<int64_t>(values.size())));
  }, py::arg("builder"), py::arg("attribute"), py::arg("values"), "Sets an attribute of the node to a list of integers.");
  m.def("model_builder_set_node_real", [](const ModelBuilder& builder, const TextArgument& attribute, float value) {
    check(anydim_model_builder_set_node_real(builder.handle, attribute.c_str(), value));
  }, py::arg("builder"), py::arg("attribute"), py::arg("value"), "Sets an attribute of the node to a number of binary32.");
  m.def("model_builder_set_node_reals", [](const ModelBuilder& builder, const TextArgument& attribute, const std::vector<float>& values) {
    check(anydim_model_builder_set_node_reals(builder.handle, attribute.c_str(), values.data(), static_cast<int64_t>(values.size())));
  }, py::arg("builder"), py::arg("attribute"), py::arg("values"), "Sets an attribute of the node to a list of numbers of binary32.");
  m.def("model_builder_set_node_text", [](const ModelBuilder& builder, const TextArgument& attribute, const TextArgument& value) {
    check(anydim_model_builder_set_node_text(builder.handle, attribute.c_str(), value.c_str()));
  }, py::arg("builder"), py::arg("attribute"), py::arg("value"), "Sets an attribute of the node to a text.");
  m.def("model_builder_append_node_text", [](const ModelBuilder& builder, const TextArgument& attribute, const TextArgument& value) {
    check(anydim_model_builder_append_node_text(builder.handle, attribute.c_str(), value.c_str()));
  }, py::arg("builder"), py::arg("attribute"), py::arg("value"), "Adds a text to an attribute that is a list of texts; the first call makes the list.");
  m.def("model_builder_set_node_tensor", [](const ModelBuilder& builder, const TextArgument& attribute, int32_t dtype, const std::vector<int64_t>& dims, uintptr_t data) {
    check(anydim_model_builder_set_node_tensor(builder.handle, attribute.c_str(), dtype, static_cast<int32_t>(dims.size()), dims.data(), reinterpret_cast<void*>(data)));
  }, py::arg("builder"), py::arg("attribute"), py::arg("dtype"), py::arg("dims"), py::arg("data"), "Sets an attribute of the node to a tensor, row-major and dense, whose elements are copied.");
  m.def("model_builder_set_node_body", [](const ModelBuilder& builder, const TextArgument& attribute, const ModelBuilder& body) {
    check(anydim_model_builder_set_node_body(builder.handle, attribute.c_str(), body.handle));
  }, py::arg("builder"), py::arg("attribute"), py::arg("body"), "Sets an attribute of the node to a graph as it is now: a branch of an If, the body of a Loop or Scan.");
  m.def("model_builder_add_value_type", [](const ModelBuilder& builder, const TextArgument& name, int32_t dtype, const std::vector<int64_t>& dims) {
    check(anydim_model_builder_add_value_type(builder.handle, name.c_str(), dtype, static_cast<int32_t>(dims.size()), dims.data()));
  }, py::arg("builder"), py::arg("name"), py::arg("dtype"), py::arg("dims"), "Says what a value between nodes is, for model_builder_get_refusal alone, which goes on with it behind a node that is refused.");
  m.def("model_builder_get_refusal", [](const ModelBuilder& builder, int32_t node) {
    anydim_string_t why{};
    check(without_gil([&] { return anydim_model_builder_get_refusal(builder.handle, node, &why); }));
    return to_python(why);
  }, py::arg("builder"), py::arg("node"), "Asks whether a model can have a node, and why not: for programs that pass parts of a graph.");
  m.def("model_builder_create_model", [](const ModelBuilder& builder, const Engine& engine, const py::object& options) {
    anydim_model_options_t options_struct = ANYDIM_MODEL_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    auto model = std::make_unique<Model>();
    check(without_gil([&] { return anydim_model_builder_create_model(builder.handle, engine.handle, options_given ? &options_struct : nullptr, &model->handle); }));
    return model;
  }, py::arg("builder"), py::arg("engine"), py::arg("options") = py::none(), "Makes a model of the graph: as model_load_file does of a file, from the same point on.");
  m.def("model_get_bytes_needed", [](const Model& model, const Bounds& bounds, const py::object& options, int32_t engine) {
    anydim_context_options_t options_struct = ANYDIM_CONTEXT_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    int64_t bytes{};
    check(anydim_model_get_bytes_needed(model.handle, bounds.handle, options_given ? &options_struct : nullptr, engine, &bytes));
    return to_python(bytes);
  }, py::arg("model"), py::arg("bounds"), py::arg("options"), py::arg("engine"), "Returns how many bytes of an engine's memory a context with these bounds and options needs for any shape within the bounds.");
  m.def("context_create", [](const Model& model, const Bounds* bounds, const py::object& options) {
    anydim_context_options_t options_struct = ANYDIM_CONTEXT_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    auto context = std::make_unique<Context>();
    check(without_gil([&] { return anydim_context_create(model.handle, handle_of(bounds), options_given ? &options_struct : nullptr, &context->handle); }));
    return context;
  }, py::arg("model"), py::arg("bounds").none(true), py::arg("options") = py::none(), "Makes a context.");
  m.def("context_run", [](const Context& context, const std::vector<anydim_view_t>& inputs, std::vector<anydim_view_t> outputs, const py::object& options) {
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    check(without_gil([&] { return anydim_context_run(context.handle, inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(), static_cast<int32_t>(outputs.size()), options_given ? &options_struct : nullptr); }));
    return to_python(outputs);
  }, py::arg("context"), py::arg("inputs"), py::arg("outputs"), py::arg("options") = py::none(), "Runs the model.");
  m.def("context_submit", [](const Context& context, const Stream& stream, const std::vector<anydim_view_t>& inputs, std::vector<anydim_view_t> outputs, const py::object& options) {
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    check(without_gil([&] { return anydim_context_submit(context.handle, stream.handle, inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(), static_cast<int32_t>(outputs.size()), options_given ? &options_struct : nullptr); }));
    return to_python(outputs);
  }, py::arg("context"), py::arg("stream"), py::arg("inputs"), py::arg("outputs"), py::arg("options") = py::none(), "As context_run, in a stream of the model's engine: after what was submitted to the stream before, and before what is submitted next.");
  m.def("cancellation_create", []() {
    auto cancellation = std::make_unique<Cancellation>();
    check(anydim_cancellation_create(&cancellation->handle));
    return cancellation;
  }, "Makes a cancellation that is off.");
  m.def("cancellation_set", [](const Cancellation& cancellation, int32_t cancelled) {
    check(anydim_cancellation_set(cancellation.handle, cancelled));
  }, py::arg("cancellation"), py::arg("cancelled"), "Turns a cancellation on, which ends the runs that have it in their options and those to come, or off.");
  m.def("context_get_output_dims", [](const Context& context, const std::vector<anydim_view_t>& inputs, int32_t index) {
    anydim_dims_t dims{};
    check(anydim_context_get_output_dims(context.handle, inputs.data(), static_cast<int32_t>(inputs.size()), index, &dims));
    return to_python(dims);
  }, py::arg("context"), py::arg("inputs"), py::arg("index"), "Returns the dims of an output for actual inputs, and checks these.");
  m.def("context_query", [](const Context& context) {
    anydim_context_info_t info = ANYDIM_CONTEXT_INFO_INIT;
    check(anydim_context_query(context.handle, &info));
    return to_dict(info);
  }, py::arg("context"), "Returns a context's memory and counters.");
  m.def("context_explain", [](const Context& context, const std::vector<anydim_view_t>& inputs, const py::object& options) {
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    auto text = std::make_unique<Text>();
    check(without_gil([&] { return anydim_context_explain(context.handle, inputs.data(), static_cast<int32_t>(inputs.size()), options_given ? &options_struct : nullptr, &text->handle); }));
    return text;
  }, py::arg("context"), py::arg("inputs"), py::arg("options") = py::none(), "Explains as JSON how the model runs at the shapes of these inputs: for each node its operator, kernel, tier, layout, fused post-ops, dims, bytes, scratch, why other kernels were refused, and its time in the last run if the context measures.");
  m.def("context_tune", [](const Context& context, const std::vector<anydim_view_t>& inputs, const py::object& options) {
    anydim_tune_options_t options_struct = ANYDIM_TUNE_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    auto text = std::make_unique<Text>();
    check(without_gil([&] { return anydim_context_tune(context.handle, inputs.data(), static_cast<int32_t>(inputs.size()), options_given ? &options_struct : nullptr, &text->handle); }));
    return text;
  }, py::arg("context"), py::arg("inputs"), py::arg("options") = py::none(), "Measures the plans of every node at the shapes of these inputs, on the context's memory and threads, and keeps those that are faster with confidence: for all contexts of the model that run these shapes with as many threads, and with options.record in the persistent cache for later processes.");
  m.def("context_get_node_count", [](const Context& context) {
    int32_t count{};
    check(anydim_context_get_node_count(context.handle, &count));
    return to_python(count);
  }, py::arg("context"), "Returns how many nodes a run goes through.");
  m.def("context_get_node", [](const Context& context, int32_t index) {
    anydim_node_info_t info = ANYDIM_NODE_INFO_INIT;
    check(anydim_context_get_node(context.handle, index, &info));
    return to_dict(info);
  }, py::arg("context"), py::arg("index"), "Describes a node as it ran last.");
  m.def("session_create", [](const Model& model, const Bounds* bounds, const py::object& options, int32_t contexts) {
    anydim_context_options_t options_struct = ANYDIM_CONTEXT_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    auto session = std::make_unique<Session>();
    check(without_gil([&] { return anydim_session_create(model.handle, handle_of(bounds), options_given ? &options_struct : nullptr, contexts, &session->handle); }));
    return session;
  }, py::arg("model"), py::arg("bounds").none(true), py::arg("options"), py::arg("contexts"), "Makes a session and its first context.");
  m.def("session_run", [](const Session& session, const std::vector<anydim_view_t>& inputs, std::vector<anydim_view_t> outputs, const py::object& options) {
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    check(without_gil([&] { return anydim_session_run(session.handle, inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(), static_cast<int32_t>(outputs.size()), options_given ? &options_struct : nullptr); }));
    return to_python(outputs);
  }, py::arg("session"), py::arg("inputs"), py::arg("outputs"), py::arg("options") = py::none(), "Runs the model in a context of the session, on this thread or on one of the session's own.");
  m.def("session_query", [](const Session& session) {
    anydim_session_info_t info = ANYDIM_SESSION_INFO_INIT;
    check(anydim_session_query(session.handle, &info));
    return to_dict(info);
  }, py::arg("session"), "Returns the numbers of a session's contexts, of running ones, and of waiting runs.");
  m.def("session_acquire_model", [](const Session& session) {
    auto model = std::make_unique<Model>();
    check(anydim_session_acquire_model(session.handle, &model->handle));
    return model;
  }, py::arg("session"), "Returns the model of a session, as a handle of the caller's: names, dtypes and dims of inputs and outputs need no second variable.");
  m.def("session_explain", [](const Session& session, const std::vector<anydim_view_t>& inputs) {
    auto text = std::make_unique<Text>();
    check(without_gil([&] { return anydim_session_explain(session.handle, inputs.data(), static_cast<int32_t>(inputs.size()), &text->handle); }));
    return text;
  }, py::arg("session"), py::arg("inputs"), "Explains how the model runs at the dims of these inputs, as JSON: kernels, layouts, memory, and why other kernels were refused (context_explain has the details).");
  m.def("state_create", [](const Session& session, int64_t limit) {
    auto state = std::make_unique<State>();
    check(anydim_state_create(session.handle, limit, &state->handle));
    return state;
  }, py::arg("session"), py::arg("limit"), "Makes a state without parts.");
  m.def("state_add", [](const State& state, const TextArgument& input, const TextArgument& output, int32_t axis) {
    check(anydim_state_add(state.handle, input.c_str(), output.c_str(), axis));
  }, py::arg("state"), py::arg("input"), py::arg("output"), py::arg("axis"), "Adds a part: what a step writes to an output is what the next one reads in an input.");
  m.def("state_use_pages", [](const State& state, int64_t page, int64_t pool_limit) {
    check(anydim_state_use_pages(state.handle, page, pool_limit));
  }, py::arg("state"), py::arg("page"), py::arg("pool_limit"), "Keeps parts that grow where they lie in pages, from the first step on.");
  m.def("state_step", [](const State& state, const std::vector<anydim_view_t>& inputs, std::vector<anydim_view_t> outputs, const py::object& options) {
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    check(without_gil([&] { return anydim_state_step(state.handle, inputs.data(), static_cast<int32_t>(inputs.size()), outputs.data(), static_cast<int32_t>(outputs.size()), options_given ? &options_struct : nullptr); }));
    return to_python(outputs);
  }, py::arg("state"), py::arg("inputs"), py::arg("outputs"), py::arg("options") = py::none(), "Runs the model on the state and on inputs, and keeps what the next step reads.");
  m.def("state_reset", [](const State& state) {
    check(anydim_state_reset(state.handle));
  }, py::arg("state"), "Begins a new sequence, with the memory and the parts that there are.");
  m.def("state_truncate", [](const State& state, int64_t length) {
    check(anydim_state_truncate(state.handle, length));
  }, py::arg("state"), py::arg("length"), "Forgets what parts that grow hold behind their first slices: a sequence goes on from an earlier token.");
  m.def("state_fork", [](const State& state) {
    auto copy = std::make_unique<State>();
    check(without_gil([&] { return anydim_state_fork(state.handle, &copy->handle); }));
    return copy;
  }, py::arg("state"), "Makes another state of the same session that has the same parts, with a copy of what they hold, or with the same pages (state_use_pages): a sequence goes on in two ways.");
  m.def("state_read", [](const State& state, int32_t part) {
    anydim_view_t view{};
    check(anydim_state_read(state.handle, part, &view));
    return to_python(view);
  }, py::arg("state"), py::arg("part"), "Shows what the next step reads of a part: a view into the state's memory, with strides, good until the state is used for anything else.");
  m.def("state_write", [](const State& state, const std::vector<anydim_view_t>& values) {
    check(without_gil([&] { return anydim_state_write(state.handle, values.data(), static_cast<int32_t>(values.size())); }));
  }, py::arg("state"), py::arg("values"), "Copies tensors into the parts, in place of what they held: a prefix that was computed before, a recurrent state.");
  m.def("state_query", [](const State& state) {
    anydim_state_info_t info = ANYDIM_STATE_INFO_INIT;
    check(anydim_state_query(state.handle, &info));
    return to_dict(info);
  }, py::arg("state"), "Returns a state's sizes and counters.");
  m.def("streaming_create", [](const Session& session) {
    auto streaming = std::make_unique<Streaming>();
    check(without_gil([&] { return anydim_streaming_create(session.handle, &streaming->handle); }));
    return streaming;
  }, py::arg("session"), "Begins a sequence that comes in chunks.");
  m.def("streaming_push", [](const Streaming& streaming, const std::vector<anydim_view_t>& inputs, int32_t last, std::vector<anydim_view_t> outputs, const py::object& options) {
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    check(without_gil([&] { return anydim_streaming_push(streaming.handle, inputs.data(), static_cast<int32_t>(inputs.size()), last, outputs.data(), static_cast<int32_t>(outputs.size()), options_given ? &options_struct : nullptr); }));
    return to_python(outputs);
  }, py::arg("streaming"), py::arg("inputs"), py::arg("last"), py::arg("outputs"), py::arg("options") = py::none(), "Computes what a chunk makes computable.");
  m.def("streaming_reset", [](const Streaming& streaming) {
    check(anydim_streaming_reset(streaming.handle));
  }, py::arg("streaming"), "Begins a new sequence, with the memory that there is.");
  m.def("streaming_query", [](const Streaming& streaming) {
    anydim_streaming_info_t info = ANYDIM_STREAMING_INFO_INIT;
    check(anydim_streaming_query(streaming.handle, &info));
    return to_dict(info);
  }, py::arg("streaming"), "Returns counters of a sequence, and what is known of any.");
  m.def("streaming_get_axis", [](const Streaming& streaming, int32_t output) {
    int32_t axis{};
    check(anydim_streaming_get_axis(streaming.handle, output, &axis));
    return to_python(axis);
  }, py::arg("streaming"), py::arg("output"), "Returns the axis along which an output comes, chunk by chunk.");
  m.def("streaming_get_bytes_needed", [](const Streaming& streaming) {
    int64_t bytes{};
    check(anydim_streaming_get_bytes_needed(streaming.handle, &bytes));
    return to_python(bytes);
  }, py::arg("streaming"), "Returns how many bytes one sequence and the contexts that compute one chunk need at most, whatever comes within options.streaming_chunk and the bounds.");
  m.def("session_start_batching", [](const Session& session, const py::object& options) {
    anydim_batching_options_t options_struct = ANYDIM_BATCHING_OPTIONS_INIT;
    KeptArrays options_kept;
    const bool options_given = from_dict(options, &options_struct, &options_kept);
    check(anydim_session_start_batching(session.handle, options_given ? &options_struct : nullptr));
  }, py::arg("session"), py::arg("options") = py::none(), "From now on runs of the session are joined: those whose inputs agree in all dims but the rows become one batch, and each gets the rows of the result that are its own, with the same bits as alone.");
  m.def("session_stop_batching", [](const Session& session, int32_t cancel) {
    check(without_gil([&] { return anydim_session_stop_batching(session.handle, cancel); }));
  }, py::arg("session"), py::arg("cancel"), "From now on runs of the session are not joined.");
  m.def("session_query_batching", [](const Session& session) {
    anydim_batching_info_t info = ANYDIM_BATCHING_INFO_INIT;
    check(anydim_session_query_batching(session.handle, &info));
    return to_dict(info);
  }, py::arg("session"), "Describes what the batching of a session did.");
  m.def("worker_control", [](int32_t action) {
    check(anydim_worker_control(action));
  }, py::arg("action"), "Commands the background worker to pause, to go on, or to end.");
  m.def("worker_drain", [](int64_t timeout_ms) {
    check(without_gil([&] { return anydim_worker_drain(timeout_ms); }));
  }, py::arg("timeout_ms"), "Waits until everything that was requested before is done.");
  m.def("worker_query", []() {
    anydim_worker_info_t info = ANYDIM_WORKER_INFO_INIT;
    check(anydim_worker_query(&info));
    return to_dict(info);
  }, "Returns the background worker's counters.");
  m.def("primitive_cache_set_limit", [](int64_t bytes) {
    check(anydim_primitive_cache_set_limit(bytes));
  }, py::arg("bytes"), "Sets how many bytes the process's primitive cache may hold; what is too much is dropped at once.");
  m.def("primitive_cache_clear", []() {
    check(anydim_primitive_cache_clear());
  }, "Drops all that the primitive cache holds.");
  m.def("primitive_cache_query", []() {
    anydim_primitive_cache_info_t info = ANYDIM_PRIMITIVE_CACHE_INFO_INIT;
    check(anydim_primitive_cache_query(&info));
    return to_dict(info);
  }, "Returns the primitive cache's limit and contents.");
  m.def("primitive_query_creation", [](const Primitive& primitive) {
    anydim_primitive_creation_t info = ANYDIM_PRIMITIVE_CREATION_INIT;
    check(anydim_primitive_query_creation(primitive.handle, &info));
    return to_dict(info);
  }, py::arg("primitive"), "Returns how a primitive was created and how long that took.");
  m.def("persistent_cache_query", []() {
    anydim_persistent_cache_info_t info = ANYDIM_PERSISTENT_CACHE_INFO_INIT;
    check(anydim_persistent_cache_query(&info));
    return to_dict(info);
  }, "Returns the counters of this process's persistent cache.");
  m.def("persistent_cache_get_path", []() {
    auto text = std::make_unique<Text>();
    check(anydim_persistent_cache_get_path(&text->handle));
    return text;
  }, "Returns the path of the user's file, which need not exist.");
  m.def("persistent_cache_describe", []() {
    auto text = std::make_unique<Text>();
    check(without_gil([&] { return anydim_persistent_cache_describe(&text->handle); }));
    return text;
  }, "Describes the persistent cache as JSON: enabled (or off_because), path, system_path, file_bytes, limit_bytes, the counters of persistent_cache_query, last_failure, and the records of both files: kind, key, bytes, origin (who made it), created and used (seconds since 1970; used counts in hours), system (in the read-only file), good (its checksum is right).");
  m.def("persistent_cache_verify", []() {
    auto text = std::make_unique<Text>();
    check(without_gil([&] { return anydim_persistent_cache_verify(&text->handle); }));
    return text;
  }, "Checks every record of both files and the structure of the files, and returns the result as JSON: ok, records, damaged (records with a wrong checksum), structure and system_structure (\"ok\", \"no file\", or what is wrong).");
  m.def("persistent_cache_export", [](const TextArgument& path) {
    int64_t records{};
    check(without_gil([&] { return anydim_persistent_cache_export(path.c_str(), &records); }));
    return to_python(records);
  }, py::arg("path"), "Writes the sound records of the user's file into a new file, replacing what is at `path`.");
  m.def("persistent_cache_import", [](const TextArgument& path) {
    int64_t records{};
    int64_t damaged{};
    check(without_gil([&] { return anydim_persistent_cache_import(path.c_str(), &records, &damaged); }));
    return py::make_tuple(to_python(records), to_python(damaged));
  }, py::arg("path"), "Adds the records of an exported file (or of a copied cache) to the user's file and uses them; those of the same key are replaced, damaged ones are left out and counted.");
  m.def("persistent_cache_clear", [](int32_t kind) {
    int64_t removed{};
    check(without_gil([&] { return anydim_persistent_cache_clear(kind, &removed); }));
    return to_python(removed);
  }, py::arg("kind"), "Removes records from the user's file and from memory.");
  m.def("counter_get_count", []() {
    int32_t count{};
    check(anydim_counter_get_count(&count));
    return to_python(count);
  }, "Returns how many counters there are.");
  m.def("counter_get", [](int32_t index) {
    anydim_counter_t info = ANYDIM_COUNTER_INIT;
    check(anydim_counter_get(index, &info));
    return to_dict(info);
  }, py::arg("index"), "Returns a counter of this process, from the time when the library was loaded.");
  m.def("verbose_set", [](int32_t level) {
    check(anydim_verbose_set(level));
  }, py::arg("level"), "Sets which verbose lines are written (docs/verbose.md): 0 none, 1 one per execution of a primitive or node, 2 also one per creation.");
  m.def("call_parse", [](const TextArgument& line) {
    auto call = std::make_unique<Call>();
    check(anydim_call_parse(line.c_str(), &call->handle));
    return call;
  }, py::arg("line"), "Reads an execute line.");
  m.def("call_query", [](const Call& call) {
    anydim_call_info_t info = ANYDIM_CALL_INFO_INIT;
    check(anydim_call_query(call.handle, &info));
    return to_dict(info);
  }, py::arg("call"), "Describes a call.");
  m.def("call_get_tensor", [](const Call& call, int32_t index) {
    anydim_call_tensor_t info = ANYDIM_CALL_TENSOR_INIT;
    check(anydim_call_get_tensor(call.handle, index, &info));
    return to_dict(info);
  }, py::arg("call"), py::arg("index"), "Describes a tensor of a call.");
  m.def("call_create_primitive", [](const Call& call, const Engine& engine, const TextArgument& kernel, const std::vector<anydim_view_t>& weights) {
    auto primitive = std::make_unique<Primitive>();
    check(without_gil([&] { return anydim_call_create_primitive(call.handle, engine.handle, kernel.c_str(), weights.data(), static_cast<int32_t>(weights.size()), &primitive->handle); }));
    return primitive;
  }, py::arg("call"), py::arg("engine"), py::arg("kernel"), py::arg("weights"), "Makes the primitive of a call: its operator, the descriptors it had (dynamic dims with their promises), post-ops, math mode and reuse policy.");
  define_text(m);
  define_arrays(m);
}
