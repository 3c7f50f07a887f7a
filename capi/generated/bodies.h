// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
// Declarations of the hand-written bodies behind the shims, and the numbers of the handle types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "anydim/anydim.h"
#include "core/base/status.h"
#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim::capi {

struct InputViews;
struct OutputViews;

// Written into every handle. In the order of the modules; 0 is no type.
enum class HandleType : uint8_t {
  none = 0,
  text = 1,
  memory = 2,
  desc = 3,
  engine = 4,
  stream = 5,
  tensor = 6,
  attr = 7,
  weights = 8,
  primitive = 9,
  custom_operators = 10,
  bounds = 11,
  model = 12,
  layers = 13,
  layouts = 14,
  model_builder = 15,
  context = 16,
  cancellation = 17,
  session = 18,
  state = 19,
  streaming = 20,
  call = 21,
};

inline constexpr const char* kHandleTypeNames[] = {"no type", "text", "memory", "desc", "engine", "stream", "tensor", "attr", "weights", "primitive", "custom_operators", "bounds", "model", "layers", "layouts", "model_builder", "context", "cancellation", "session", "state", "streaming", "call"};

// The object behind a handle and whether it has one user at a time.
template <class T>
struct HandleTraits;
template <class H>
struct ObjectOfHandle;

struct TextObject;
template <>
struct HandleTraits<TextObject> {
  using Handle = anydim_text_t;
  static constexpr HandleType type = HandleType::text;
  static constexpr bool one_user = false;
  static constexpr const char* name = "text";
};
template <>
struct ObjectOfHandle<anydim_text_t> {
  using type = TextObject;
};

struct MemoryObject;
template <>
struct HandleTraits<MemoryObject> {
  using Handle = anydim_memory_t;
  static constexpr HandleType type = HandleType::memory;
  static constexpr bool one_user = false;
  static constexpr const char* name = "memory";
};
template <>
struct ObjectOfHandle<anydim_memory_t> {
  using type = MemoryObject;
};

struct DescObject;
template <>
struct HandleTraits<DescObject> {
  using Handle = anydim_desc_t;
  static constexpr HandleType type = HandleType::desc;
  static constexpr bool one_user = false;
  static constexpr const char* name = "desc";
};
template <>
struct ObjectOfHandle<anydim_desc_t> {
  using type = DescObject;
};

struct EngineObject;
template <>
struct HandleTraits<EngineObject> {
  using Handle = anydim_engine_t;
  static constexpr HandleType type = HandleType::engine;
  static constexpr bool one_user = false;
  static constexpr const char* name = "engine";
};
template <>
struct ObjectOfHandle<anydim_engine_t> {
  using type = EngineObject;
};

struct StreamObject;
template <>
struct HandleTraits<StreamObject> {
  using Handle = anydim_stream_t;
  static constexpr HandleType type = HandleType::stream;
  static constexpr bool one_user = true;
  static constexpr const char* name = "stream";
};
template <>
struct ObjectOfHandle<anydim_stream_t> {
  using type = StreamObject;
};

struct TensorObject;
template <>
struct HandleTraits<TensorObject> {
  using Handle = anydim_tensor_t;
  static constexpr HandleType type = HandleType::tensor;
  static constexpr bool one_user = false;
  static constexpr const char* name = "tensor";
};
template <>
struct ObjectOfHandle<anydim_tensor_t> {
  using type = TensorObject;
};

struct AttrObject;
template <>
struct HandleTraits<AttrObject> {
  using Handle = anydim_attr_t;
  static constexpr HandleType type = HandleType::attr;
  static constexpr bool one_user = false;
  static constexpr const char* name = "attr";
};
template <>
struct ObjectOfHandle<anydim_attr_t> {
  using type = AttrObject;
};

struct WeightsObject;
template <>
struct HandleTraits<WeightsObject> {
  using Handle = anydim_weights_t;
  static constexpr HandleType type = HandleType::weights;
  static constexpr bool one_user = false;
  static constexpr const char* name = "weights";
};
template <>
struct ObjectOfHandle<anydim_weights_t> {
  using type = WeightsObject;
};

struct PrimitiveObject;
template <>
struct HandleTraits<PrimitiveObject> {
  using Handle = anydim_primitive_t;
  static constexpr HandleType type = HandleType::primitive;
  static constexpr bool one_user = false;
  static constexpr const char* name = "primitive";
};
template <>
struct ObjectOfHandle<anydim_primitive_t> {
  using type = PrimitiveObject;
};

struct CustomOperatorsObject;
template <>
struct HandleTraits<CustomOperatorsObject> {
  using Handle = anydim_custom_operators_t;
  static constexpr HandleType type = HandleType::custom_operators;
  static constexpr bool one_user = true;
  static constexpr const char* name = "custom_operators";
};
template <>
struct ObjectOfHandle<anydim_custom_operators_t> {
  using type = CustomOperatorsObject;
};

struct BoundsObject;
template <>
struct HandleTraits<BoundsObject> {
  using Handle = anydim_bounds_t;
  static constexpr HandleType type = HandleType::bounds;
  static constexpr bool one_user = true;
  static constexpr const char* name = "bounds";
};
template <>
struct ObjectOfHandle<anydim_bounds_t> {
  using type = BoundsObject;
};

struct ModelObject;
template <>
struct HandleTraits<ModelObject> {
  using Handle = anydim_model_t;
  static constexpr HandleType type = HandleType::model;
  static constexpr bool one_user = false;
  static constexpr const char* name = "model";
};
template <>
struct ObjectOfHandle<anydim_model_t> {
  using type = ModelObject;
};

struct LayersObject;
template <>
struct HandleTraits<LayersObject> {
  using Handle = anydim_layers_t;
  static constexpr HandleType type = HandleType::layers;
  static constexpr bool one_user = true;
  static constexpr const char* name = "layers";
};
template <>
struct ObjectOfHandle<anydim_layers_t> {
  using type = LayersObject;
};

struct LayoutsObject;
template <>
struct HandleTraits<LayoutsObject> {
  using Handle = anydim_layouts_t;
  static constexpr HandleType type = HandleType::layouts;
  static constexpr bool one_user = true;
  static constexpr const char* name = "layouts";
};
template <>
struct ObjectOfHandle<anydim_layouts_t> {
  using type = LayoutsObject;
};

struct ModelBuilderObject;
template <>
struct HandleTraits<ModelBuilderObject> {
  using Handle = anydim_model_builder_t;
  static constexpr HandleType type = HandleType::model_builder;
  static constexpr bool one_user = true;
  static constexpr const char* name = "model_builder";
};
template <>
struct ObjectOfHandle<anydim_model_builder_t> {
  using type = ModelBuilderObject;
};

struct ContextObject;
template <>
struct HandleTraits<ContextObject> {
  using Handle = anydim_context_t;
  static constexpr HandleType type = HandleType::context;
  static constexpr bool one_user = true;
  static constexpr const char* name = "context";
};
template <>
struct ObjectOfHandle<anydim_context_t> {
  using type = ContextObject;
};

struct CancellationObject;
template <>
struct HandleTraits<CancellationObject> {
  using Handle = anydim_cancellation_t;
  static constexpr HandleType type = HandleType::cancellation;
  static constexpr bool one_user = false;
  static constexpr const char* name = "cancellation";
};
template <>
struct ObjectOfHandle<anydim_cancellation_t> {
  using type = CancellationObject;
};

struct SessionObject;
template <>
struct HandleTraits<SessionObject> {
  using Handle = anydim_session_t;
  static constexpr HandleType type = HandleType::session;
  static constexpr bool one_user = false;
  static constexpr const char* name = "session";
};
template <>
struct ObjectOfHandle<anydim_session_t> {
  using type = SessionObject;
};

struct StateObject;
template <>
struct HandleTraits<StateObject> {
  using Handle = anydim_state_t;
  static constexpr HandleType type = HandleType::state;
  static constexpr bool one_user = true;
  static constexpr const char* name = "state";
};
template <>
struct ObjectOfHandle<anydim_state_t> {
  using type = StateObject;
};

struct StreamingObject;
template <>
struct HandleTraits<StreamingObject> {
  using Handle = anydim_streaming_t;
  static constexpr HandleType type = HandleType::streaming;
  static constexpr bool one_user = true;
  static constexpr const char* name = "streaming";
};
template <>
struct ObjectOfHandle<anydim_streaming_t> {
  using type = StreamingObject;
};

struct CallObject;
template <>
struct HandleTraits<CallObject> {
  using Handle = anydim_call_t;
  static constexpr HandleType type = HandleType::call;
  static constexpr bool one_user = false;
  static constexpr const char* name = "call";
};
template <>
struct ObjectOfHandle<anydim_call_t> {
  using type = CallObject;
};

namespace body {

const char* version() noexcept;
Status build_query(anydim_build_info_t* info);
const char* status_name(anydim_status_t status) noexcept;
const char* last_error() noexcept;
Status last_error_query(anydim_error_info_t* info);
Status text_get_data(TextObject& text, anydim_string_t* string);
Status log_set_level(anydim_log_level_t level);
Status log_set_sink(anydim_log_callback_t callback, void* user, anydim_finalizer_callback_t finalizer);
Status log_query(anydim_log_info_t* info);
Status log_set(anydim_log_level_t level, anydim_log_callback_t callback, void* user, anydim_finalizer_callback_t finalizer);
const char* dtype_name(anydim_dtype_t dtype) noexcept;
Status dtype_get_size(anydim_dtype_t dtype, int64_t* bytes);
anydim_dim_t dim_fixed(int64_t value) noexcept;
anydim_dim_t dim_dynamic(int64_t min, int64_t max) noexcept;
void dim_set_hint(anydim_dim_t* dim, int64_t hint) noexcept;
void dim_set_multiple_of(anydim_dim_t* dim, int64_t multiple_of) noexcept;
Status desc_create(anydim_dtype_t dtype, std::span<const anydim_dim_t> dims, anydim_layout_t layout, std::unique_ptr<DescObject>* desc);
Status engine_create(anydim_engine_kind_t kind, int32_t device, const anydim_engine_options_t& options, std::unique_ptr<EngineObject>* engine);
Status engine_create_in_opencl(void* cl_context, void* cl_device, const anydim_engine_options_t& options, std::unique_ptr<EngineObject>* engine);
Status engine_get_kind(int32_t index, anydim_engine_kind_info_t* info);
Status engine_get_device(anydim_engine_kind_t kind, int32_t index, anydim_device_info_t* info);
Status engine_query(EngineObject& engine, anydim_engine_info_t* info);
Status engine_get_kernel(EngineObject& engine, int32_t index, anydim_kernel_info_t* info);
Status stream_create(EngineObject& engine, const anydim_stream_options_t& options, std::unique_ptr<StreamObject>* stream);
Status stream_create_in_opencl(EngineObject& engine, void* cl_queue, std::unique_ptr<StreamObject>* stream);
Status stream_wait(StreamObject& stream);
Status memory_allocate(EngineObject& engine, int64_t bytes, std::unique_ptr<MemoryObject>* memory);
Status memory_import(EngineObject& engine, void* data, int64_t bytes, anydim_finalizer_callback_t finalizer, void* user, std::unique_ptr<MemoryObject>* memory);
Status memory_import_opencl(EngineObject& engine, void* cl_buffer, std::unique_ptr<MemoryObject>* memory);
Status memory_query(MemoryObject& memory, anydim_memory_info_t* info);
Status memory_map(MemoryObject& memory, int64_t offset, int64_t bytes, void** data);
Status memory_unmap(MemoryObject& memory, int64_t offset, int64_t bytes);
Status memory_copy(StreamObject& stream, MemoryObject& target, int64_t target_offset, MemoryObject& source, int64_t source_offset, int64_t bytes);
Status tensor_allocate(EngineObject& engine, anydim_dtype_t dtype, std::span<const int64_t> dims, anydim_layout_t layout, std::unique_ptr<TensorObject>* tensor);
Status tensor_get_view(TensorObject& tensor, TensorView* view);
void result_release(void* data) noexcept;
Status attr_create(std::unique_ptr<AttrObject>* attr);
Status attr_set_reuse(AttrObject& attr, anydim_reuse_t policy);
Status attr_set_math(AttrObject& attr, anydim_math_t mode);
Status attr_append_eltwise(AttrObject& attr, anydim_unary_function_t function, float alpha, float beta);
Status attr_append_binary(AttrObject& attr, anydim_binary_function_t function, int32_t reversed);
Status attr_set_dtype(AttrObject& attr, anydim_dtype_t dtype);
Status attr_set_scales(AttrObject& attr, anydim_operand_t operand, int32_t axis, std::span<const float> values);
Status attr_set_zero_points(AttrObject& attr, anydim_operand_t operand, int32_t axis, std::span<const int32_t> values);
Status attr_set_kernel(AttrObject& attr, std::string_view kernel);
Status attr_set_scratchpad(AttrObject& attr, anydim_scratchpad_t mode);
Status weights_create(EngineObject& engine, const OperatorPtr& op, AttrObject* attr, std::span<DescObject* const> inputs, std::span<const TensorView> constants, std::span<const int32_t> operands, std::unique_ptr<WeightsObject>* weights);
Status weights_get_bytes(WeightsObject& weights, int64_t* bytes);
Status weights_update(WeightsObject& weights, std::span<const TensorView> constants);
Status weights_get_version(WeightsObject& weights, int64_t* version);
Status weights_save(WeightsObject& weights, std::string_view path, const anydim_save_options_t& options);
Status weights_load(EngineObject& engine, const OperatorPtr& op, AttrObject* attr, std::span<DescObject* const> inputs, std::string_view path, std::unique_ptr<WeightsObject>* weights);
Status primitive_create(EngineObject& engine, const OperatorPtr& op, AttrObject* attr, std::span<DescObject* const> inputs, WeightsObject* weights, std::unique_ptr<PrimitiveObject>* primitive);
Status primitive_create_with_constants(EngineObject& engine, const OperatorPtr& op, AttrObject* attr, std::span<DescObject* const> inputs, std::span<const TensorView> constants, std::span<const int32_t> operands, std::unique_ptr<PrimitiveObject>* primitive);
Status primitive_acquire_weights(PrimitiveObject& primitive, std::unique_ptr<WeightsObject>* weights);
Status primitive_execute(PrimitiveObject& primitive, StreamObject& stream, InputViews inputs, OutputViews outputs);
Status primitive_execute_in(PrimitiveObject& primitive, StreamObject& stream, InputViews inputs, InputViews outputs, void* scratch, int64_t scratch_bytes);
Status primitive_get_output_dims(PrimitiveObject& primitive, InputViews inputs, int32_t index, anydim_dims_t* dims);
Status primitive_get_scratch_bytes(PrimitiveObject& primitive, StreamObject& stream, InputViews inputs, InputViews outputs, int64_t* bytes);
Status primitive_get_order(PrimitiveObject& primitive, int32_t output, int32_t index, anydim_dims_t* order);
Status primitive_get_kernel(PrimitiveObject& primitive, anydim_string_t* name, uint64_t* identity);
Status primitive_get_candidate_count(PrimitiveObject& primitive, int32_t* count);
Status primitive_get_candidate(PrimitiveObject& primitive, int32_t index, anydim_candidate_t* info);
Status primitive_explain(PrimitiveObject& primitive, InputViews inputs, std::unique_ptr<TextObject>* text);
Status primitive_get_output_dtype(PrimitiveObject& primitive, int32_t index, anydim_dtype_t* dtype);
Status primitive_compare_kernels(PrimitiveObject& primitive, StreamObject& stream, std::span<const TensorView> inputs, std::span<const TensorView> outputs, int32_t repeats, std::unique_ptr<TextObject>* text);
Status attr_set_scratch_limit(AttrObject& attr, int64_t bytes);
Status primitive_format_line(PrimitiveObject& primitive, StreamObject& stream, InputViews inputs, InputViews outputs, std::unique_ptr<TextObject>* text);
Status custom_operators_create(std::unique_ptr<CustomOperatorsObject>* operators);
Status custom_operators_add(CustomOperatorsObject& operators, std::string_view domain, std::string_view op_type, const anydim_custom_operator_t& definition);
void custom_operator_fail(std::string_view message) noexcept;
Status custom_node_get_attribute(const anydim_custom_node_t& node, int64_t index, anydim_custom_attribute_t* attribute);
Status custom_node_find_attribute(const anydim_custom_node_t& node, std::string_view name, anydim_custom_attribute_t* attribute);
Status engine_register(const anydim_engine_definition_t& definition, int32_t* kind);
Status engine_load(std::string_view path, int32_t* kind);
Status engine_unregister(int32_t kind);
Status model_load_file(EngineObject& engine, std::string_view path, const anydim_model_options_t& options, std::unique_ptr<ModelObject>* model);
Status model_load_memory(EngineObject& engine, std::span<const std::byte> data, const anydim_model_options_t& options, std::unique_ptr<ModelObject>* model);
Status model_save_packed(ModelObject& model, std::string_view path, const anydim_save_options_t& options);
Status model_save_program(ModelObject& model, std::string_view path, const anydim_save_options_t& options);
Status model_write_program(EngineObject& engine, std::string_view path, const anydim_model_options_t& options, BoundsObject* bounds, std::string_view output);
Status model_query(ModelObject& model, anydim_model_info_t* info);
Status model_get_engine(ModelObject& model, int32_t index, anydim_engine_info_t* info);
Status model_get_metadata(ModelObject& model, int32_t index, anydim_string_t* key, anydim_string_t* value);
Status model_get_counts(ModelObject& model, int32_t* inputs, int32_t* outputs);
Status model_get_input(ModelObject& model, int32_t index, anydim_value_info_t* info);
Status model_get_output(ModelObject& model, int32_t index, anydim_value_info_t* info);
Status model_find_input(ModelObject& model, std::string_view name, int32_t* index);
Status model_find_output(ModelObject& model, std::string_view name, int32_t* index);
Status model_describe(ModelObject& model, std::unique_ptr<TextObject>* text);
Status bounds_create(std::unique_ptr<BoundsObject>* bounds);
Status bounds_set(BoundsObject& bounds, std::string_view input, std::span<const anydim_dim_t> dims);
Status layouts_create(std::unique_ptr<LayoutsObject>* layouts);
Status layouts_set(LayoutsObject& layouts, std::string_view name, anydim_edge_layout_t rule, std::span<const int64_t> axes);
Status layers_create(std::unique_ptr<LayersObject>* layers);
Status layers_set_math(LayersObject& layers, std::string_view layer, anydim_math_t mode);
Status model_builder_create(std::unique_ptr<ModelBuilderObject>* builder);
Status model_builder_set_opset(ModelBuilderObject& builder, std::string_view domain, int64_t version);
Status model_builder_add_input(ModelBuilderObject& builder, std::string_view name, anydim_dtype_t dtype, std::span<const int64_t> dims);
Status model_builder_set_symbol(ModelBuilderObject& builder, std::string_view input, int32_t axis, std::string_view symbol);
Status model_builder_add_output(ModelBuilderObject& builder, std::string_view name);
Status model_builder_add_constant(ModelBuilderObject& builder, std::string_view name, anydim_dtype_t dtype, std::span<const int64_t> dims, void* data, anydim_finalizer_callback_t finalizer, void* user);
Status model_builder_add_node(ModelBuilderObject& builder, std::string_view op_type, std::string_view domain, std::string_view name);
Status model_builder_add_node_input(ModelBuilderObject& builder, std::string_view value);
Status model_builder_add_node_output(ModelBuilderObject& builder, std::string_view value);
Status model_builder_set_node_integer(ModelBuilderObject& builder, std::string_view attribute, int64_t value);
Status model_builder_set_node_integers(ModelBuilderObject& builder, std::string_view attribute, std::span<const int64_t> values);
Status model_builder_set_node_real(ModelBuilderObject& builder, std::string_view attribute, float value);
Status model_builder_set_node_reals(ModelBuilderObject& builder, std::string_view attribute, std::span<const float> values);
Status model_builder_set_node_text(ModelBuilderObject& builder, std::string_view attribute, std::string_view value);
Status model_builder_append_node_text(ModelBuilderObject& builder, std::string_view attribute, std::string_view value);
Status model_builder_set_node_tensor(ModelBuilderObject& builder, std::string_view attribute, anydim_dtype_t dtype, std::span<const int64_t> dims, void* data);
Status model_builder_set_node_body(ModelBuilderObject& builder, std::string_view attribute, ModelBuilderObject& body);
Status model_builder_add_value_type(ModelBuilderObject& builder, std::string_view name, anydim_dtype_t dtype, std::span<const int64_t> dims);
Status model_builder_get_refusal(ModelBuilderObject& builder, int32_t node, anydim_string_t* why);
Status model_builder_create_model(ModelBuilderObject& builder, EngineObject& engine, const anydim_model_options_t& options, std::unique_ptr<ModelObject>* model);
Status model_get_bytes_needed(ModelObject& model, BoundsObject& bounds, const anydim_context_options_t& options, int32_t engine, int64_t* bytes);
Status context_create(ModelObject& model, BoundsObject* bounds, const anydim_context_options_t& options, std::unique_ptr<ContextObject>* context);
Status context_run(ContextObject& context, InputViews inputs, OutputViews outputs, const anydim_run_options_t& options);
Status context_submit(ContextObject& context, StreamObject& stream, InputViews inputs, OutputViews outputs, const anydim_run_options_t& options);
Status cancellation_create(std::unique_ptr<CancellationObject>* cancellation);
Status cancellation_set(CancellationObject& cancellation, int32_t cancelled);
Status context_get_output_dims(ContextObject& context, InputViews inputs, int32_t index, anydim_dims_t* dims);
Status context_query(ContextObject& context, anydim_context_info_t* info);
Status context_explain(ContextObject& context, std::span<const TensorView> inputs, const anydim_run_options_t& options, std::unique_ptr<TextObject>* text);
Status context_tune(ContextObject& context, std::span<const TensorView> inputs, const anydim_tune_options_t& options, std::unique_ptr<TextObject>* text);
Status context_get_node_count(ContextObject& context, int32_t* count);
Status context_get_node(ContextObject& context, int32_t index, anydim_node_info_t* info);
Status session_create(ModelObject& model, BoundsObject* bounds, const anydim_context_options_t& options, int32_t contexts, std::unique_ptr<SessionObject>* session);
Status session_run(SessionObject& session, InputViews inputs, OutputViews outputs, const anydim_run_options_t& options);
Status session_query(SessionObject& session, anydim_session_info_t* info);
Status session_acquire_model(SessionObject& session, std::unique_ptr<ModelObject>* model);
Status session_explain(SessionObject& session, std::span<const TensorView> inputs, std::unique_ptr<TextObject>* text);
Status state_create(SessionObject& session, int64_t limit, std::unique_ptr<StateObject>* state);
Status state_add(StateObject& state, std::string_view input, std::string_view output, int32_t axis);
Status state_use_pages(StateObject& state, int64_t page, int64_t pool_limit);
Status state_step(StateObject& state, std::span<const TensorView> inputs, std::span<TensorView> outputs, const anydim_run_options_t& options);
Status state_reset(StateObject& state);
Status state_truncate(StateObject& state, int64_t length);
Status state_fork(StateObject& state, std::unique_ptr<StateObject>* copy);
Status state_read(StateObject& state, int32_t part, TensorView* view);
Status state_write(StateObject& state, std::span<const TensorView> values);
Status state_query(StateObject& state, anydim_state_info_t* info);
Status streaming_create(SessionObject& session, std::unique_ptr<StreamingObject>* streaming);
Status streaming_push(StreamingObject& streaming, std::span<const TensorView> inputs, int32_t last, std::span<TensorView> outputs, const anydim_run_options_t& options);
Status streaming_reset(StreamingObject& streaming);
Status streaming_query(StreamingObject& streaming, anydim_streaming_info_t* info);
Status streaming_get_axis(StreamingObject& streaming, int32_t output, int32_t* axis);
Status streaming_get_bytes_needed(StreamingObject& streaming, int64_t* bytes);
Status session_start_batching(SessionObject& session, const anydim_batching_options_t& options);
Status session_stop_batching(SessionObject& session, int32_t cancel);
Status session_query_batching(SessionObject& session, anydim_batching_info_t* info);
Status session_submit(SessionObject& session, std::span<const TensorView> inputs, std::span<TensorView> outputs, const anydim_run_options_t& options, anydim_done_callback_t done, void* user);
Status worker_control(anydim_worker_action_t action);
Status worker_drain(int64_t timeout_ms);
Status worker_query(anydim_worker_info_t* info);
Status primitive_cache_set_limit(int64_t bytes);
Status primitive_cache_clear();
Status primitive_cache_query(anydim_primitive_cache_info_t* info);
Status primitive_query_creation(PrimitiveObject& primitive, anydim_primitive_creation_t* info);
Status persistent_cache_query(anydim_persistent_cache_info_t* info);
Status persistent_cache_get_path(std::unique_ptr<TextObject>* text);
Status persistent_cache_describe(std::unique_ptr<TextObject>* text);
Status persistent_cache_verify(std::unique_ptr<TextObject>* text);
Status persistent_cache_export(std::string_view path, int64_t* records);
Status persistent_cache_import(std::string_view path, int64_t* records, int64_t* damaged);
Status persistent_cache_clear(anydim_record_kind_t kind, int64_t* removed);
Status counter_get_count(int32_t* count);
Status counter_get(int32_t index, anydim_counter_t* info);
Status verbose_set(int32_t level);
Status call_parse(std::string_view line, std::unique_ptr<CallObject>* call);
Status call_query(CallObject& call, anydim_call_info_t* info);
Status call_get_tensor(CallObject& call, int32_t index, anydim_call_tensor_t* info);
Status call_create_primitive(CallObject& call, EngineObject& engine, std::string_view kernel, std::span<const TensorView> weights, std::unique_ptr<PrimitiveObject>* primitive);

}  // namespace body
}  // namespace anydim::capi
