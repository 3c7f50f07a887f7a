// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
// The exported functions that are called rarely. Each checks what can be
// checked without knowing the subject, calls its body, and turns a failure or an exception into a status and the
// thread's message.
#include "anydim/anydim.h"
#include "capi/generated/bodies.h"
#include "capi/shim_support.h"

using namespace anydim;
using namespace anydim::capi;

extern "C" {

anydim_status_t anydim_build_query(anydim_build_info_t* info) noexcept {
  return guarded("anydim_build_query", [&]() -> Status {
    ANYDIM_TRY(require(info, "info"));
    anydim_build_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::build_query(&info_out));
    finish_out(info_out, info);
    return {};
  });
}

const char* anydim_status_name(anydim_status_t status) noexcept {
  return body::status_name(status);
}

const char* anydim_last_error(void) noexcept {
  return body::last_error();
}

anydim_status_t anydim_last_error_query(anydim_error_info_t* info) noexcept {
  return guarded("anydim_last_error_query", [&]() -> Status {
    ANYDIM_TRY(require(info, "info"));
    anydim_error_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::last_error_query(&info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_text_get_data(anydim_text_t text, anydim_string_t* string) noexcept {
  return guarded("anydim_text_get_data", [&]() -> Status {
    Pin<TextObject> text_pin;
    ANYDIM_TRY(text_pin.acquire(text, "text", false));
    ANYDIM_TRY(require(string, "string"));
    anydim_string_t string_out{};
    ANYDIM_TRY(body::text_get_data(*text_pin.get(), &string_out));
    *string = string_out;
    return {};
  });
}

void anydim_text_destroy(anydim_text_t text) noexcept {
  destroy(text, "anydim_text_destroy");
}

anydim_status_t anydim_log_set_level(anydim_log_level_t level) noexcept {
  return guarded("anydim_log_set_level", [&]() -> Status {
    ANYDIM_TRY(body::log_set_level(level));
    return {};
  });
}

anydim_status_t anydim_log_set_sink(anydim_log_callback_t callback, void* user, anydim_finalizer_callback_t finalizer) noexcept {
  return guarded("anydim_log_set_sink", [&]() -> Status {
    ANYDIM_TRY(body::log_set_sink(callback, user, finalizer));
    return {};
  });
}

anydim_status_t anydim_log_query(anydim_log_info_t* info) noexcept {
  return guarded("anydim_log_query", [&]() -> Status {
    ANYDIM_TRY(require(info, "info"));
    anydim_log_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::log_query(&info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_log_set(anydim_log_level_t level, anydim_log_callback_t callback, void* user, anydim_finalizer_callback_t finalizer) noexcept {
  return guarded("anydim_log_set", [&]() -> Status {
    ANYDIM_TRY(body::log_set(level, callback, user, finalizer));
    return {};
  });
}

anydim_status_t anydim_engine_create(anydim_engine_kind_t kind, int32_t device, const anydim_engine_options_t* options, anydim_engine_t* engine) noexcept {
  return guarded("anydim_engine_create", [&]() -> Status {
    anydim_engine_options_t options_in = ANYDIM_ENGINE_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(engine, "engine"));
    std::unique_ptr<EngineObject> engine_out;
    ANYDIM_TRY(body::engine_create(kind, device, options_in, &engine_out));
    ANYDIM_TRY(publish(std::move(engine_out), engine));
    return {};
  });
}

anydim_status_t anydim_engine_create_in_opencl(void* cl_context, void* cl_device, const anydim_engine_options_t* options, anydim_engine_t* engine) noexcept {
  return guarded("anydim_engine_create_in_opencl", [&]() -> Status {
    ANYDIM_TRY(require(cl_context, "cl_context"));
    ANYDIM_TRY(require(cl_device, "cl_device"));
    anydim_engine_options_t options_in = ANYDIM_ENGINE_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(engine, "engine"));
    std::unique_ptr<EngineObject> engine_out;
    ANYDIM_TRY(body::engine_create_in_opencl(cl_context, cl_device, options_in, &engine_out));
    ANYDIM_TRY(publish(std::move(engine_out), engine));
    return {};
  });
}

anydim_status_t anydim_engine_get_kind(int32_t index, anydim_engine_kind_info_t* info) noexcept {
  return guarded("anydim_engine_get_kind", [&]() -> Status {
    ANYDIM_TRY(require(info, "info"));
    anydim_engine_kind_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::engine_get_kind(index, &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_engine_get_device(anydim_engine_kind_t kind, int32_t index, anydim_device_info_t* info) noexcept {
  return guarded("anydim_engine_get_device", [&]() -> Status {
    ANYDIM_TRY(require(info, "info"));
    anydim_device_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::engine_get_device(kind, index, &info_out));
    finish_out(info_out, info);
    return {};
  });
}

void anydim_engine_destroy(anydim_engine_t engine) noexcept {
  destroy(engine, "anydim_engine_destroy");
}

anydim_status_t anydim_engine_query(anydim_engine_t engine, anydim_engine_info_t* info) noexcept {
  return guarded("anydim_engine_query", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_engine_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::engine_query(*engine_pin.get(), &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_engine_get_kernel(anydim_engine_t engine, int32_t index, anydim_kernel_info_t* info) noexcept {
  return guarded("anydim_engine_get_kernel", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_kernel_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::engine_get_kernel(*engine_pin.get(), index, &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_memory_query(anydim_memory_t memory, anydim_memory_info_t* info) noexcept {
  return guarded("anydim_memory_query", [&]() -> Status {
    Pin<MemoryObject> memory_pin;
    ANYDIM_TRY(memory_pin.acquire(memory, "memory", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_memory_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::memory_query(*memory_pin.get(), &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_weights_save(anydim_weights_t weights, const char* path, const anydim_save_options_t* options) noexcept {
  return guarded("anydim_weights_save", [&]() -> Status {
    Pin<WeightsObject> weights_pin;
    ANYDIM_TRY(weights_pin.acquire(weights, "weights", false));
    std::string_view path_in;
    ANYDIM_TRY(read_string(path, "path", &path_in));
    anydim_save_options_t options_in = ANYDIM_SAVE_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(body::weights_save(*weights_pin.get(), path_in, options_in));
    return {};
  });
}

anydim_status_t anydim_weights_load(anydim_engine_t engine, const anydim_op_t* op, anydim_attr_t attr, anydim_desc_t const* inputs, int32_t input_count, const char* path, anydim_weights_t* weights) noexcept {
  return guarded("anydim_weights_load", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", true));
    PinArray<DescObject> inputs_pins;
    ANYDIM_TRY(inputs_pins.acquire(inputs, input_count, "inputs", false));
    std::string_view path_in;
    ANYDIM_TRY(read_string(path, "path", &path_in));
    ANYDIM_TRY(require(weights, "weights"));
    std::unique_ptr<WeightsObject> weights_out;
    OperatorPtr op_in;
    ANYDIM_TRY(read_operator(op, rank_of_first(inputs_pins.span()), &op_in));
    ANYDIM_TRY(body::weights_load(*engine_pin.get(), op_in, attr_pin.get(), inputs_pins.span(), path_in, &weights_out));
    ANYDIM_TRY(publish(std::move(weights_out), weights));
    return {};
  });
}

anydim_status_t anydim_primitive_get_candidate_count(anydim_primitive_t primitive, int32_t* count) noexcept {
  return guarded("anydim_primitive_get_candidate_count", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    ANYDIM_TRY(require(count, "count"));
    int32_t count_out{};
    ANYDIM_TRY(body::primitive_get_candidate_count(*primitive_pin.get(), &count_out));
    *count = count_out;
    return {};
  });
}

anydim_status_t anydim_primitive_get_candidate(anydim_primitive_t primitive, int32_t index, anydim_candidate_t* info) noexcept {
  return guarded("anydim_primitive_get_candidate", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_candidate_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::primitive_get_candidate(*primitive_pin.get(), index, &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_primitive_explain(anydim_primitive_t primitive, const anydim_view_t* inputs, int32_t input_count, anydim_text_t* text) noexcept {
  return guarded("anydim_primitive_explain", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs", true));
    ANYDIM_TRY(require(text, "text"));
    std::unique_ptr<TextObject> text_out;
    ANYDIM_TRY(body::primitive_explain(*primitive_pin.get(), inputs_views.inputs(), &text_out));
    ANYDIM_TRY(publish(std::move(text_out), text));
    return {};
  });
}

anydim_status_t anydim_primitive_compare_kernels(anydim_primitive_t primitive, anydim_stream_t stream, const anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t output_count, int32_t repeats, anydim_text_t* text) noexcept {
  return guarded("anydim_primitive_compare_kernels", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    Pin<StreamObject> stream_pin;
    ANYDIM_TRY(stream_pin.acquire(stream, "stream", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs"));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read(outputs, output_count, "outputs"));
    ANYDIM_TRY(require(text, "text"));
    std::unique_ptr<TextObject> text_out;
    ANYDIM_TRY(body::primitive_compare_kernels(*primitive_pin.get(), *stream_pin.get(), inputs_views.span(), outputs_views.span(), repeats, &text_out));
    ANYDIM_TRY(publish(std::move(text_out), text));
    return {};
  });
}

anydim_status_t anydim_primitive_format_line(anydim_primitive_t primitive, anydim_stream_t stream, const anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t output_count, anydim_text_t* text) noexcept {
  return guarded("anydim_primitive_format_line", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    Pin<StreamObject> stream_pin;
    ANYDIM_TRY(stream_pin.acquire(stream, "stream", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs", true));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read(outputs, output_count, "outputs", true));
    ANYDIM_TRY(require(text, "text"));
    std::unique_ptr<TextObject> text_out;
    ANYDIM_TRY(body::primitive_format_line(*primitive_pin.get(), *stream_pin.get(), inputs_views.inputs(), outputs_views.inputs(), &text_out));
    ANYDIM_TRY(publish(std::move(text_out), text));
    return {};
  });
}

anydim_status_t anydim_custom_operators_create(anydim_custom_operators_t* operators) noexcept {
  return guarded("anydim_custom_operators_create", [&]() -> Status {
    ANYDIM_TRY(require(operators, "operators"));
    std::unique_ptr<CustomOperatorsObject> operators_out;
    ANYDIM_TRY(body::custom_operators_create(&operators_out));
    ANYDIM_TRY(publish(std::move(operators_out), operators));
    return {};
  });
}

void anydim_custom_operators_destroy(anydim_custom_operators_t custom_operators) noexcept {
  destroy(custom_operators, "anydim_custom_operators_destroy");
}

anydim_status_t anydim_custom_operators_add(anydim_custom_operators_t operators, const char* domain, const char* op_type, const anydim_custom_operator_t* definition) noexcept {
  return guarded("anydim_custom_operators_add", [&]() -> Status {
    Pin<CustomOperatorsObject> operators_pin;
    ANYDIM_TRY(operators_pin.acquire(operators, "operators", false));
    std::string_view domain_in;
    ANYDIM_TRY(read_string(domain, "domain", &domain_in));
    std::string_view op_type_in;
    ANYDIM_TRY(read_string(op_type, "op_type", &op_type_in));
    anydim_custom_operator_t definition_in = ANYDIM_CUSTOM_OPERATOR_INIT;
    ANYDIM_TRY(read_struct(definition, "definition", false, &definition_in));
    ANYDIM_TRY(body::custom_operators_add(*operators_pin.get(), domain_in, op_type_in, definition_in));
    return {};
  });
}

void anydim_custom_operator_fail(const char* message) noexcept {
  return body::custom_operator_fail(text_or_empty(message));
}

anydim_status_t anydim_custom_node_get_attribute(const anydim_custom_node_t* node, int64_t index, anydim_custom_attribute_t* attribute) noexcept {
  return guarded("anydim_custom_node_get_attribute", [&]() -> Status {
    ANYDIM_TRY(require(node, "node"));
    ANYDIM_TRY(require(attribute, "attribute"));
    anydim_custom_attribute_t attribute_out{};
    ANYDIM_TRY(body::custom_node_get_attribute(*node, index, &attribute_out));
    *attribute = attribute_out;
    return {};
  });
}

anydim_status_t anydim_custom_node_find_attribute(const anydim_custom_node_t* node, const char* name, anydim_custom_attribute_t* attribute) noexcept {
  return guarded("anydim_custom_node_find_attribute", [&]() -> Status {
    ANYDIM_TRY(require(node, "node"));
    std::string_view name_in;
    ANYDIM_TRY(read_string(name, "name", &name_in));
    ANYDIM_TRY(require(attribute, "attribute"));
    anydim_custom_attribute_t attribute_out{};
    ANYDIM_TRY(body::custom_node_find_attribute(*node, name_in, &attribute_out));
    *attribute = attribute_out;
    return {};
  });
}

anydim_status_t anydim_engine_register(const anydim_engine_definition_t* definition, int32_t* kind) noexcept {
  return guarded("anydim_engine_register", [&]() -> Status {
    anydim_engine_definition_t definition_in = ANYDIM_ENGINE_DEFINITION_INIT;
    ANYDIM_TRY(read_struct(definition, "definition", false, &definition_in));
    ANYDIM_TRY(require(kind, "kind"));
    int32_t kind_out{};
    ANYDIM_TRY(body::engine_register(definition_in, &kind_out));
    *kind = kind_out;
    return {};
  });
}

anydim_status_t anydim_engine_load(const char* path, int32_t* kind) noexcept {
  return guarded("anydim_engine_load", [&]() -> Status {
    std::string_view path_in;
    ANYDIM_TRY(read_string(path, "path", &path_in));
    ANYDIM_TRY(require(kind, "kind"));
    int32_t kind_out{};
    ANYDIM_TRY(body::engine_load(path_in, &kind_out));
    *kind = kind_out;
    return {};
  });
}

anydim_status_t anydim_engine_unregister(int32_t kind) noexcept {
  return guarded("anydim_engine_unregister", [&]() -> Status {
    ANYDIM_TRY(body::engine_unregister(kind));
    return {};
  });
}

anydim_status_t anydim_model_load_file(anydim_engine_t engine, const char* path, const anydim_model_options_t* options, anydim_model_t* model) noexcept {
  return guarded("anydim_model_load_file", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    std::string_view path_in;
    ANYDIM_TRY(read_string(path, "path", &path_in));
    anydim_model_options_t options_in = ANYDIM_MODEL_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(model, "model"));
    std::unique_ptr<ModelObject> model_out;
    ANYDIM_TRY(body::model_load_file(*engine_pin.get(), path_in, options_in, &model_out));
    ANYDIM_TRY(publish(std::move(model_out), model));
    return {};
  });
}

anydim_status_t anydim_model_load_memory(anydim_engine_t engine, const void* data, int64_t size, const anydim_model_options_t* options, anydim_model_t* model) noexcept {
  return guarded("anydim_model_load_memory", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    std::span<const std::byte> data_in;
    ANYDIM_TRY(read_array(data, size, "data", false, &data_in));
    anydim_model_options_t options_in = ANYDIM_MODEL_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(model, "model"));
    std::unique_ptr<ModelObject> model_out;
    ANYDIM_TRY(body::model_load_memory(*engine_pin.get(), data_in, options_in, &model_out));
    ANYDIM_TRY(publish(std::move(model_out), model));
    return {};
  });
}

anydim_status_t anydim_model_save_packed(anydim_model_t model, const char* path, const anydim_save_options_t* options) noexcept {
  return guarded("anydim_model_save_packed", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    std::string_view path_in;
    ANYDIM_TRY(read_string(path, "path", &path_in));
    anydim_save_options_t options_in = ANYDIM_SAVE_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(body::model_save_packed(*model_pin.get(), path_in, options_in));
    return {};
  });
}

anydim_status_t anydim_model_save_program(anydim_model_t model, const char* path, const anydim_save_options_t* options) noexcept {
  return guarded("anydim_model_save_program", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    std::string_view path_in;
    ANYDIM_TRY(read_string(path, "path", &path_in));
    anydim_save_options_t options_in = ANYDIM_SAVE_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(body::model_save_program(*model_pin.get(), path_in, options_in));
    return {};
  });
}

anydim_status_t anydim_model_write_program(anydim_engine_t engine, const char* path, const anydim_model_options_t* options, anydim_bounds_t bounds, const char* output) noexcept {
  return guarded("anydim_model_write_program", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    std::string_view path_in;
    ANYDIM_TRY(read_string(path, "path", &path_in));
    anydim_model_options_t options_in = ANYDIM_MODEL_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    Pin<BoundsObject> bounds_pin;
    ANYDIM_TRY(bounds_pin.acquire(bounds, "bounds", true));
    std::string_view output_in;
    ANYDIM_TRY(read_string(output, "output", &output_in));
    ANYDIM_TRY(body::model_write_program(*engine_pin.get(), path_in, options_in, bounds_pin.get(), output_in));
    return {};
  });
}

void anydim_model_destroy(anydim_model_t model) noexcept {
  destroy(model, "anydim_model_destroy");
}

anydim_status_t anydim_model_query(anydim_model_t model, anydim_model_info_t* info) noexcept {
  return guarded("anydim_model_query", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_model_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::model_query(*model_pin.get(), &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_model_get_engine(anydim_model_t model, int32_t index, anydim_engine_info_t* info) noexcept {
  return guarded("anydim_model_get_engine", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_engine_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::model_get_engine(*model_pin.get(), index, &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_model_get_metadata(anydim_model_t model, int32_t index, anydim_string_t* key, anydim_string_t* value) noexcept {
  return guarded("anydim_model_get_metadata", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    ANYDIM_TRY(require(key, "key"));
    anydim_string_t key_out{};
    ANYDIM_TRY(require(value, "value"));
    anydim_string_t value_out{};
    ANYDIM_TRY(body::model_get_metadata(*model_pin.get(), index, &key_out, &value_out));
    *key = key_out;
    *value = value_out;
    return {};
  });
}

anydim_status_t anydim_model_get_counts(anydim_model_t model, int32_t* inputs, int32_t* outputs) noexcept {
  return guarded("anydim_model_get_counts", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    ANYDIM_TRY(require(inputs, "inputs"));
    int32_t inputs_out{};
    ANYDIM_TRY(require(outputs, "outputs"));
    int32_t outputs_out{};
    ANYDIM_TRY(body::model_get_counts(*model_pin.get(), &inputs_out, &outputs_out));
    *inputs = inputs_out;
    *outputs = outputs_out;
    return {};
  });
}

anydim_status_t anydim_model_get_input(anydim_model_t model, int32_t index, anydim_value_info_t* info) noexcept {
  return guarded("anydim_model_get_input", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_value_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::model_get_input(*model_pin.get(), index, &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_model_get_output(anydim_model_t model, int32_t index, anydim_value_info_t* info) noexcept {
  return guarded("anydim_model_get_output", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_value_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::model_get_output(*model_pin.get(), index, &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_model_find_input(anydim_model_t model, const char* name, int32_t* index) noexcept {
  return guarded("anydim_model_find_input", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    std::string_view name_in;
    ANYDIM_TRY(read_string(name, "name", &name_in));
    ANYDIM_TRY(require(index, "index"));
    int32_t index_out{};
    ANYDIM_TRY(body::model_find_input(*model_pin.get(), name_in, &index_out));
    *index = index_out;
    return {};
  });
}

anydim_status_t anydim_model_find_output(anydim_model_t model, const char* name, int32_t* index) noexcept {
  return guarded("anydim_model_find_output", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    std::string_view name_in;
    ANYDIM_TRY(read_string(name, "name", &name_in));
    ANYDIM_TRY(require(index, "index"));
    int32_t index_out{};
    ANYDIM_TRY(body::model_find_output(*model_pin.get(), name_in, &index_out));
    *index = index_out;
    return {};
  });
}

anydim_status_t anydim_model_describe(anydim_model_t model, anydim_text_t* text) noexcept {
  return guarded("anydim_model_describe", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    ANYDIM_TRY(require(text, "text"));
    std::unique_ptr<TextObject> text_out;
    ANYDIM_TRY(body::model_describe(*model_pin.get(), &text_out));
    ANYDIM_TRY(publish(std::move(text_out), text));
    return {};
  });
}

anydim_status_t anydim_bounds_create(anydim_bounds_t* bounds) noexcept {
  return guarded("anydim_bounds_create", [&]() -> Status {
    ANYDIM_TRY(require(bounds, "bounds"));
    std::unique_ptr<BoundsObject> bounds_out;
    ANYDIM_TRY(body::bounds_create(&bounds_out));
    ANYDIM_TRY(publish(std::move(bounds_out), bounds));
    return {};
  });
}

void anydim_bounds_destroy(anydim_bounds_t bounds) noexcept {
  destroy(bounds, "anydim_bounds_destroy");
}

anydim_status_t anydim_bounds_set(anydim_bounds_t bounds, const char* input, int32_t rank, const anydim_dim_t* dims) noexcept {
  return guarded("anydim_bounds_set", [&]() -> Status {
    Pin<BoundsObject> bounds_pin;
    ANYDIM_TRY(bounds_pin.acquire(bounds, "bounds", false));
    std::string_view input_in;
    ANYDIM_TRY(read_string(input, "input", &input_in));
    std::span<const anydim_dim_t> dims_in;
    ANYDIM_TRY(read_array(dims, rank, "dims", false, &dims_in));
    ANYDIM_TRY(body::bounds_set(*bounds_pin.get(), input_in, dims_in));
    return {};
  });
}

anydim_status_t anydim_layouts_create(anydim_layouts_t* layouts) noexcept {
  return guarded("anydim_layouts_create", [&]() -> Status {
    ANYDIM_TRY(require(layouts, "layouts"));
    std::unique_ptr<LayoutsObject> layouts_out;
    ANYDIM_TRY(body::layouts_create(&layouts_out));
    ANYDIM_TRY(publish(std::move(layouts_out), layouts));
    return {};
  });
}

void anydim_layouts_destroy(anydim_layouts_t layouts) noexcept {
  destroy(layouts, "anydim_layouts_destroy");
}

anydim_status_t anydim_layouts_set(anydim_layouts_t layouts, const char* name, anydim_edge_layout_t rule, int32_t rank, const int64_t* axes) noexcept {
  return guarded("anydim_layouts_set", [&]() -> Status {
    Pin<LayoutsObject> layouts_pin;
    ANYDIM_TRY(layouts_pin.acquire(layouts, "layouts", false));
    std::string_view name_in;
    ANYDIM_TRY(read_string(name, "name", &name_in));
    std::span<const int64_t> axes_in;
    ANYDIM_TRY(read_array(axes, rank, "axes", false, &axes_in));
    ANYDIM_TRY(body::layouts_set(*layouts_pin.get(), name_in, rule, axes_in));
    return {};
  });
}

anydim_status_t anydim_layers_create(anydim_layers_t* layers) noexcept {
  return guarded("anydim_layers_create", [&]() -> Status {
    ANYDIM_TRY(require(layers, "layers"));
    std::unique_ptr<LayersObject> layers_out;
    ANYDIM_TRY(body::layers_create(&layers_out));
    ANYDIM_TRY(publish(std::move(layers_out), layers));
    return {};
  });
}

void anydim_layers_destroy(anydim_layers_t layers) noexcept {
  destroy(layers, "anydim_layers_destroy");
}

anydim_status_t anydim_layers_set_math(anydim_layers_t layers, const char* layer, anydim_math_t mode) noexcept {
  return guarded("anydim_layers_set_math", [&]() -> Status {
    Pin<LayersObject> layers_pin;
    ANYDIM_TRY(layers_pin.acquire(layers, "layers", false));
    std::string_view layer_in;
    ANYDIM_TRY(read_string(layer, "layer", &layer_in));
    ANYDIM_TRY(body::layers_set_math(*layers_pin.get(), layer_in, mode));
    return {};
  });
}

anydim_status_t anydim_model_builder_create(anydim_model_builder_t* builder) noexcept {
  return guarded("anydim_model_builder_create", [&]() -> Status {
    ANYDIM_TRY(require(builder, "builder"));
    std::unique_ptr<ModelBuilderObject> builder_out;
    ANYDIM_TRY(body::model_builder_create(&builder_out));
    ANYDIM_TRY(publish(std::move(builder_out), builder));
    return {};
  });
}

void anydim_model_builder_destroy(anydim_model_builder_t model_builder) noexcept {
  destroy(model_builder, "anydim_model_builder_destroy");
}

anydim_status_t anydim_model_builder_set_opset(anydim_model_builder_t builder, const char* domain, int64_t version) noexcept {
  return guarded("anydim_model_builder_set_opset", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view domain_in;
    ANYDIM_TRY(read_string(domain, "domain", &domain_in));
    ANYDIM_TRY(body::model_builder_set_opset(*builder_pin.get(), domain_in, version));
    return {};
  });
}

anydim_status_t anydim_model_builder_add_input(anydim_model_builder_t builder, const char* name, anydim_dtype_t dtype, int32_t rank, const int64_t* dims) noexcept {
  return guarded("anydim_model_builder_add_input", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view name_in;
    ANYDIM_TRY(read_string(name, "name", &name_in));
    std::span<const int64_t> dims_in;
    ANYDIM_TRY(read_array(dims, rank, "dims", false, &dims_in));
    ANYDIM_TRY(body::model_builder_add_input(*builder_pin.get(), name_in, dtype, dims_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_set_symbol(anydim_model_builder_t builder, const char* input, int32_t axis, const char* symbol) noexcept {
  return guarded("anydim_model_builder_set_symbol", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view input_in;
    ANYDIM_TRY(read_string(input, "input", &input_in));
    std::string_view symbol_in;
    ANYDIM_TRY(read_string(symbol, "symbol", &symbol_in));
    ANYDIM_TRY(body::model_builder_set_symbol(*builder_pin.get(), input_in, axis, symbol_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_add_output(anydim_model_builder_t builder, const char* name) noexcept {
  return guarded("anydim_model_builder_add_output", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view name_in;
    ANYDIM_TRY(read_string(name, "name", &name_in));
    ANYDIM_TRY(body::model_builder_add_output(*builder_pin.get(), name_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_add_constant(anydim_model_builder_t builder, const char* name, anydim_dtype_t dtype, int32_t rank, const int64_t* dims, void* data, anydim_finalizer_callback_t finalizer, void* user) noexcept {
  return guarded("anydim_model_builder_add_constant", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view name_in;
    ANYDIM_TRY(read_string(name, "name", &name_in));
    std::span<const int64_t> dims_in;
    ANYDIM_TRY(read_array(dims, rank, "dims", false, &dims_in));
    ANYDIM_TRY(body::model_builder_add_constant(*builder_pin.get(), name_in, dtype, dims_in, data, finalizer, user));
    return {};
  });
}

anydim_status_t anydim_model_builder_add_node(anydim_model_builder_t builder, const char* op_type, const char* domain, const char* name) noexcept {
  return guarded("anydim_model_builder_add_node", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view op_type_in;
    ANYDIM_TRY(read_string(op_type, "op_type", &op_type_in));
    std::string_view domain_in;
    ANYDIM_TRY(read_string(domain, "domain", &domain_in));
    std::string_view name_in;
    ANYDIM_TRY(read_string(name, "name", &name_in));
    ANYDIM_TRY(body::model_builder_add_node(*builder_pin.get(), op_type_in, domain_in, name_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_add_node_input(anydim_model_builder_t builder, const char* value) noexcept {
  return guarded("anydim_model_builder_add_node_input", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view value_in;
    ANYDIM_TRY(read_string(value, "value", &value_in));
    ANYDIM_TRY(body::model_builder_add_node_input(*builder_pin.get(), value_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_add_node_output(anydim_model_builder_t builder, const char* value) noexcept {
  return guarded("anydim_model_builder_add_node_output", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view value_in;
    ANYDIM_TRY(read_string(value, "value", &value_in));
    ANYDIM_TRY(body::model_builder_add_node_output(*builder_pin.get(), value_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_set_node_integer(anydim_model_builder_t builder, const char* attribute, int64_t value) noexcept {
  return guarded("anydim_model_builder_set_node_integer", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view attribute_in;
    ANYDIM_TRY(read_string(attribute, "attribute", &attribute_in));
    ANYDIM_TRY(body::model_builder_set_node_integer(*builder_pin.get(), attribute_in, value));
    return {};
  });
}

anydim_status_t anydim_model_builder_set_node_integers(anydim_model_builder_t builder, const char* attribute, const int64_t* values, int64_t count) noexcept {
  return guarded("anydim_model_builder_set_node_integers", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view attribute_in;
    ANYDIM_TRY(read_string(attribute, "attribute", &attribute_in));
    std::span<const int64_t> values_in;
    ANYDIM_TRY(read_array(values, count, "values", false, &values_in));
    ANYDIM_TRY(body::model_builder_set_node_integers(*builder_pin.get(), attribute_in, values_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_set_node_real(anydim_model_builder_t builder, const char* attribute, float value) noexcept {
  return guarded("anydim_model_builder_set_node_real", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view attribute_in;
    ANYDIM_TRY(read_string(attribute, "attribute", &attribute_in));
    ANYDIM_TRY(body::model_builder_set_node_real(*builder_pin.get(), attribute_in, value));
    return {};
  });
}

anydim_status_t anydim_model_builder_set_node_reals(anydim_model_builder_t builder, const char* attribute, const float* values, int64_t count) noexcept {
  return guarded("anydim_model_builder_set_node_reals", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view attribute_in;
    ANYDIM_TRY(read_string(attribute, "attribute", &attribute_in));
    std::span<const float> values_in;
    ANYDIM_TRY(read_array(values, count, "values", false, &values_in));
    ANYDIM_TRY(body::model_builder_set_node_reals(*builder_pin.get(), attribute_in, values_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_set_node_text(anydim_model_builder_t builder, const char* attribute, const char* value) noexcept {
  return guarded("anydim_model_builder_set_node_text", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view attribute_in;
    ANYDIM_TRY(read_string(attribute, "attribute", &attribute_in));
    std::string_view value_in;
    ANYDIM_TRY(read_string(value, "value", &value_in));
    ANYDIM_TRY(body::model_builder_set_node_text(*builder_pin.get(), attribute_in, value_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_append_node_text(anydim_model_builder_t builder, const char* attribute, const char* value) noexcept {
  return guarded("anydim_model_builder_append_node_text", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view attribute_in;
    ANYDIM_TRY(read_string(attribute, "attribute", &attribute_in));
    std::string_view value_in;
    ANYDIM_TRY(read_string(value, "value", &value_in));
    ANYDIM_TRY(body::model_builder_append_node_text(*builder_pin.get(), attribute_in, value_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_set_node_tensor(anydim_model_builder_t builder, const char* attribute, anydim_dtype_t dtype, int32_t rank, const int64_t* dims, void* data) noexcept {
  return guarded("anydim_model_builder_set_node_tensor", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view attribute_in;
    ANYDIM_TRY(read_string(attribute, "attribute", &attribute_in));
    std::span<const int64_t> dims_in;
    ANYDIM_TRY(read_array(dims, rank, "dims", false, &dims_in));
    ANYDIM_TRY(body::model_builder_set_node_tensor(*builder_pin.get(), attribute_in, dtype, dims_in, data));
    return {};
  });
}

anydim_status_t anydim_model_builder_set_node_body(anydim_model_builder_t builder, const char* attribute, anydim_model_builder_t body) noexcept {
  return guarded("anydim_model_builder_set_node_body", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view attribute_in;
    ANYDIM_TRY(read_string(attribute, "attribute", &attribute_in));
    Pin<ModelBuilderObject> body_pin;
    ANYDIM_TRY(body_pin.acquire(body, "body", false));
    ANYDIM_TRY(body::model_builder_set_node_body(*builder_pin.get(), attribute_in, *body_pin.get()));
    return {};
  });
}

anydim_status_t anydim_model_builder_add_value_type(anydim_model_builder_t builder, const char* name, anydim_dtype_t dtype, int32_t rank, const int64_t* dims) noexcept {
  return guarded("anydim_model_builder_add_value_type", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    std::string_view name_in;
    ANYDIM_TRY(read_string(name, "name", &name_in));
    std::span<const int64_t> dims_in;
    ANYDIM_TRY(read_array(dims, rank, "dims", false, &dims_in));
    ANYDIM_TRY(body::model_builder_add_value_type(*builder_pin.get(), name_in, dtype, dims_in));
    return {};
  });
}

anydim_status_t anydim_model_builder_get_refusal(anydim_model_builder_t builder, int32_t node, anydim_string_t* why) noexcept {
  return guarded("anydim_model_builder_get_refusal", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    ANYDIM_TRY(require(why, "why"));
    anydim_string_t why_out{};
    ANYDIM_TRY(body::model_builder_get_refusal(*builder_pin.get(), node, &why_out));
    *why = why_out;
    return {};
  });
}

anydim_status_t anydim_model_builder_create_model(anydim_model_builder_t builder, anydim_engine_t engine, const anydim_model_options_t* options, anydim_model_t* model) noexcept {
  return guarded("anydim_model_builder_create_model", [&]() -> Status {
    Pin<ModelBuilderObject> builder_pin;
    ANYDIM_TRY(builder_pin.acquire(builder, "builder", false));
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    anydim_model_options_t options_in = ANYDIM_MODEL_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(model, "model"));
    std::unique_ptr<ModelObject> model_out;
    ANYDIM_TRY(body::model_builder_create_model(*builder_pin.get(), *engine_pin.get(), options_in, &model_out));
    ANYDIM_TRY(publish(std::move(model_out), model));
    return {};
  });
}

anydim_status_t anydim_model_get_bytes_needed(anydim_model_t model, anydim_bounds_t bounds, const anydim_context_options_t* options, int32_t engine, int64_t* bytes) noexcept {
  return guarded("anydim_model_get_bytes_needed", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    Pin<BoundsObject> bounds_pin;
    ANYDIM_TRY(bounds_pin.acquire(bounds, "bounds", false));
    anydim_context_options_t options_in = ANYDIM_CONTEXT_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(bytes, "bytes"));
    int64_t bytes_out{};
    ANYDIM_TRY(body::model_get_bytes_needed(*model_pin.get(), *bounds_pin.get(), options_in, engine, &bytes_out));
    *bytes = bytes_out;
    return {};
  });
}

anydim_status_t anydim_context_create(anydim_model_t model, anydim_bounds_t bounds, const anydim_context_options_t* options, anydim_context_t* context) noexcept {
  return guarded("anydim_context_create", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    Pin<BoundsObject> bounds_pin;
    ANYDIM_TRY(bounds_pin.acquire(bounds, "bounds", true));
    anydim_context_options_t options_in = ANYDIM_CONTEXT_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(context, "context"));
    std::unique_ptr<ContextObject> context_out;
    ANYDIM_TRY(body::context_create(*model_pin.get(), bounds_pin.get(), options_in, &context_out));
    ANYDIM_TRY(publish(std::move(context_out), context));
    return {};
  });
}

void anydim_context_destroy(anydim_context_t context) noexcept {
  destroy(context, "anydim_context_destroy");
}

anydim_status_t anydim_context_get_output_dims(anydim_context_t context, const anydim_view_t* inputs, int32_t input_count, int32_t index, anydim_dims_t* dims) noexcept {
  return guarded("anydim_context_get_output_dims", [&]() -> Status {
    Pin<ContextObject> context_pin;
    ANYDIM_TRY(context_pin.acquire(context, "context", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs", true));
    ANYDIM_TRY(require(dims, "dims"));
    anydim_dims_t dims_out{};
    ANYDIM_TRY(body::context_get_output_dims(*context_pin.get(), inputs_views.inputs(), index, &dims_out));
    *dims = dims_out;
    return {};
  });
}

anydim_status_t anydim_context_query(anydim_context_t context, anydim_context_info_t* info) noexcept {
  return guarded("anydim_context_query", [&]() -> Status {
    Pin<ContextObject> context_pin;
    ANYDIM_TRY(context_pin.acquire(context, "context", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_context_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::context_query(*context_pin.get(), &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_context_explain(anydim_context_t context, const anydim_view_t* inputs, int32_t input_count, const anydim_run_options_t* options, anydim_text_t* text) noexcept {
  return guarded("anydim_context_explain", [&]() -> Status {
    Pin<ContextObject> context_pin;
    ANYDIM_TRY(context_pin.acquire(context, "context", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs"));
    anydim_run_options_t options_in = ANYDIM_RUN_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(text, "text"));
    std::unique_ptr<TextObject> text_out;
    ANYDIM_TRY(body::context_explain(*context_pin.get(), inputs_views.span(), options_in, &text_out));
    ANYDIM_TRY(publish(std::move(text_out), text));
    return {};
  });
}

anydim_status_t anydim_context_tune(anydim_context_t context, const anydim_view_t* inputs, int32_t input_count, const anydim_tune_options_t* options, anydim_text_t* text) noexcept {
  return guarded("anydim_context_tune", [&]() -> Status {
    Pin<ContextObject> context_pin;
    ANYDIM_TRY(context_pin.acquire(context, "context", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs"));
    anydim_tune_options_t options_in = ANYDIM_TUNE_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(text, "text"));
    std::unique_ptr<TextObject> text_out;
    ANYDIM_TRY(body::context_tune(*context_pin.get(), inputs_views.span(), options_in, &text_out));
    ANYDIM_TRY(publish(std::move(text_out), text));
    return {};
  });
}

anydim_status_t anydim_context_get_node_count(anydim_context_t context, int32_t* count) noexcept {
  return guarded("anydim_context_get_node_count", [&]() -> Status {
    Pin<ContextObject> context_pin;
    ANYDIM_TRY(context_pin.acquire(context, "context", false));
    ANYDIM_TRY(require(count, "count"));
    int32_t count_out{};
    ANYDIM_TRY(body::context_get_node_count(*context_pin.get(), &count_out));
    *count = count_out;
    return {};
  });
}

anydim_status_t anydim_context_get_node(anydim_context_t context, int32_t index, anydim_node_info_t* info) noexcept {
  return guarded("anydim_context_get_node", [&]() -> Status {
    Pin<ContextObject> context_pin;
    ANYDIM_TRY(context_pin.acquire(context, "context", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_node_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::context_get_node(*context_pin.get(), index, &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_session_create(anydim_model_t model, anydim_bounds_t bounds, const anydim_context_options_t* options, int32_t contexts, anydim_session_t* session) noexcept {
  return guarded("anydim_session_create", [&]() -> Status {
    Pin<ModelObject> model_pin;
    ANYDIM_TRY(model_pin.acquire(model, "model", false));
    Pin<BoundsObject> bounds_pin;
    ANYDIM_TRY(bounds_pin.acquire(bounds, "bounds", true));
    anydim_context_options_t options_in = ANYDIM_CONTEXT_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(session, "session"));
    std::unique_ptr<SessionObject> session_out;
    ANYDIM_TRY(body::session_create(*model_pin.get(), bounds_pin.get(), options_in, contexts, &session_out));
    ANYDIM_TRY(publish(std::move(session_out), session));
    return {};
  });
}

void anydim_session_destroy(anydim_session_t session) noexcept {
  destroy(session, "anydim_session_destroy");
}

anydim_status_t anydim_session_query(anydim_session_t session, anydim_session_info_t* info) noexcept {
  return guarded("anydim_session_query", [&]() -> Status {
    Pin<SessionObject> session_pin;
    ANYDIM_TRY(session_pin.acquire(session, "session", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_session_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::session_query(*session_pin.get(), &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_session_acquire_model(anydim_session_t session, anydim_model_t* model) noexcept {
  return guarded("anydim_session_acquire_model", [&]() -> Status {
    Pin<SessionObject> session_pin;
    ANYDIM_TRY(session_pin.acquire(session, "session", false));
    ANYDIM_TRY(require(model, "model"));
    std::unique_ptr<ModelObject> model_out;
    ANYDIM_TRY(body::session_acquire_model(*session_pin.get(), &model_out));
    ANYDIM_TRY(publish(std::move(model_out), model));
    return {};
  });
}

anydim_status_t anydim_session_explain(anydim_session_t session, const anydim_view_t* inputs, int32_t input_count, anydim_text_t* text) noexcept {
  return guarded("anydim_session_explain", [&]() -> Status {
    Pin<SessionObject> session_pin;
    ANYDIM_TRY(session_pin.acquire(session, "session", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs"));
    ANYDIM_TRY(require(text, "text"));
    std::unique_ptr<TextObject> text_out;
    ANYDIM_TRY(body::session_explain(*session_pin.get(), inputs_views.span(), &text_out));
    ANYDIM_TRY(publish(std::move(text_out), text));
    return {};
  });
}

anydim_status_t anydim_state_create(anydim_session_t session, int64_t limit, anydim_state_t* state) noexcept {
  return guarded("anydim_state_create", [&]() -> Status {
    Pin<SessionObject> session_pin;
    ANYDIM_TRY(session_pin.acquire(session, "session", false));
    ANYDIM_TRY(require(state, "state"));
    std::unique_ptr<StateObject> state_out;
    ANYDIM_TRY(body::state_create(*session_pin.get(), limit, &state_out));
    ANYDIM_TRY(publish(std::move(state_out), state));
    return {};
  });
}

void anydim_state_destroy(anydim_state_t state) noexcept {
  destroy(state, "anydim_state_destroy");
}

anydim_status_t anydim_state_add(anydim_state_t state, const char* input, const char* output, int32_t axis) noexcept {
  return guarded("anydim_state_add", [&]() -> Status {
    Pin<StateObject> state_pin;
    ANYDIM_TRY(state_pin.acquire(state, "state", false));
    std::string_view input_in;
    ANYDIM_TRY(read_string(input, "input", &input_in));
    std::string_view output_in;
    ANYDIM_TRY(read_string(output, "output", &output_in));
    ANYDIM_TRY(body::state_add(*state_pin.get(), input_in, output_in, axis));
    return {};
  });
}

anydim_status_t anydim_state_use_pages(anydim_state_t state, int64_t page, int64_t pool_limit) noexcept {
  return guarded("anydim_state_use_pages", [&]() -> Status {
    Pin<StateObject> state_pin;
    ANYDIM_TRY(state_pin.acquire(state, "state", false));
    ANYDIM_TRY(body::state_use_pages(*state_pin.get(), page, pool_limit));
    return {};
  });
}

anydim_status_t anydim_state_reset(anydim_state_t state) noexcept {
  return guarded("anydim_state_reset", [&]() -> Status {
    Pin<StateObject> state_pin;
    ANYDIM_TRY(state_pin.acquire(state, "state", false));
    ANYDIM_TRY(body::state_reset(*state_pin.get()));
    return {};
  });
}

anydim_status_t anydim_state_truncate(anydim_state_t state, int64_t length) noexcept {
  return guarded("anydim_state_truncate", [&]() -> Status {
    Pin<StateObject> state_pin;
    ANYDIM_TRY(state_pin.acquire(state, "state", false));
    ANYDIM_TRY(body::state_truncate(*state_pin.get(), length));
    return {};
  });
}

anydim_status_t anydim_state_fork(anydim_state_t state, anydim_state_t* copy) noexcept {
  return guarded("anydim_state_fork", [&]() -> Status {
    Pin<StateObject> state_pin;
    ANYDIM_TRY(state_pin.acquire(state, "state", false));
    ANYDIM_TRY(require(copy, "copy"));
    std::unique_ptr<StateObject> copy_out;
    ANYDIM_TRY(body::state_fork(*state_pin.get(), &copy_out));
    ANYDIM_TRY(publish(std::move(copy_out), copy));
    return {};
  });
}

anydim_status_t anydim_state_read(anydim_state_t state, int32_t part, anydim_view_t* view) noexcept {
  return guarded("anydim_state_read", [&]() -> Status {
    Pin<StateObject> state_pin;
    ANYDIM_TRY(state_pin.acquire(state, "state", false));
    ANYDIM_TRY(require(view, "view"));
    TensorView view_out;
    ANYDIM_TRY(body::state_read(*state_pin.get(), part, &view_out));
    write_view(view_out, view);
    return {};
  });
}

anydim_status_t anydim_state_write(anydim_state_t state, const anydim_view_t* values, int32_t count) noexcept {
  return guarded("anydim_state_write", [&]() -> Status {
    Pin<StateObject> state_pin;
    ANYDIM_TRY(state_pin.acquire(state, "state", false));
    ViewArray values_views;
    ANYDIM_TRY(values_views.read(values, count, "values"));
    ANYDIM_TRY(body::state_write(*state_pin.get(), values_views.span()));
    return {};
  });
}

anydim_status_t anydim_state_query(anydim_state_t state, anydim_state_info_t* info) noexcept {
  return guarded("anydim_state_query", [&]() -> Status {
    Pin<StateObject> state_pin;
    ANYDIM_TRY(state_pin.acquire(state, "state", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_state_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::state_query(*state_pin.get(), &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_streaming_create(anydim_session_t session, anydim_streaming_t* streaming) noexcept {
  return guarded("anydim_streaming_create", [&]() -> Status {
    Pin<SessionObject> session_pin;
    ANYDIM_TRY(session_pin.acquire(session, "session", false));
    ANYDIM_TRY(require(streaming, "streaming"));
    std::unique_ptr<StreamingObject> streaming_out;
    ANYDIM_TRY(body::streaming_create(*session_pin.get(), &streaming_out));
    ANYDIM_TRY(publish(std::move(streaming_out), streaming));
    return {};
  });
}

void anydim_streaming_destroy(anydim_streaming_t streaming) noexcept {
  destroy(streaming, "anydim_streaming_destroy");
}

anydim_status_t anydim_streaming_reset(anydim_streaming_t streaming) noexcept {
  return guarded("anydim_streaming_reset", [&]() -> Status {
    Pin<StreamingObject> streaming_pin;
    ANYDIM_TRY(streaming_pin.acquire(streaming, "streaming", false));
    ANYDIM_TRY(body::streaming_reset(*streaming_pin.get()));
    return {};
  });
}

anydim_status_t anydim_streaming_query(anydim_streaming_t streaming, anydim_streaming_info_t* info) noexcept {
  return guarded("anydim_streaming_query", [&]() -> Status {
    Pin<StreamingObject> streaming_pin;
    ANYDIM_TRY(streaming_pin.acquire(streaming, "streaming", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_streaming_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::streaming_query(*streaming_pin.get(), &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_streaming_get_axis(anydim_streaming_t streaming, int32_t output, int32_t* axis) noexcept {
  return guarded("anydim_streaming_get_axis", [&]() -> Status {
    Pin<StreamingObject> streaming_pin;
    ANYDIM_TRY(streaming_pin.acquire(streaming, "streaming", false));
    ANYDIM_TRY(require(axis, "axis"));
    int32_t axis_out{};
    ANYDIM_TRY(body::streaming_get_axis(*streaming_pin.get(), output, &axis_out));
    *axis = axis_out;
    return {};
  });
}

anydim_status_t anydim_streaming_get_bytes_needed(anydim_streaming_t streaming, int64_t* bytes) noexcept {
  return guarded("anydim_streaming_get_bytes_needed", [&]() -> Status {
    Pin<StreamingObject> streaming_pin;
    ANYDIM_TRY(streaming_pin.acquire(streaming, "streaming", false));
    ANYDIM_TRY(require(bytes, "bytes"));
    int64_t bytes_out{};
    ANYDIM_TRY(body::streaming_get_bytes_needed(*streaming_pin.get(), &bytes_out));
    *bytes = bytes_out;
    return {};
  });
}

anydim_status_t anydim_session_start_batching(anydim_session_t session, const anydim_batching_options_t* options) noexcept {
  return guarded("anydim_session_start_batching", [&]() -> Status {
    Pin<SessionObject> session_pin;
    ANYDIM_TRY(session_pin.acquire(session, "session", false));
    anydim_batching_options_t options_in = ANYDIM_BATCHING_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(body::session_start_batching(*session_pin.get(), options_in));
    return {};
  });
}

anydim_status_t anydim_session_stop_batching(anydim_session_t session, int32_t cancel) noexcept {
  return guarded("anydim_session_stop_batching", [&]() -> Status {
    Pin<SessionObject> session_pin;
    ANYDIM_TRY(session_pin.acquire(session, "session", false));
    ANYDIM_TRY(body::session_stop_batching(*session_pin.get(), cancel));
    return {};
  });
}

anydim_status_t anydim_session_query_batching(anydim_session_t session, anydim_batching_info_t* info) noexcept {
  return guarded("anydim_session_query_batching", [&]() -> Status {
    Pin<SessionObject> session_pin;
    ANYDIM_TRY(session_pin.acquire(session, "session", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_batching_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::session_query_batching(*session_pin.get(), &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_worker_control(anydim_worker_action_t action) noexcept {
  return guarded("anydim_worker_control", [&]() -> Status {
    ANYDIM_TRY(body::worker_control(action));
    return {};
  });
}

anydim_status_t anydim_worker_drain(int64_t timeout_ms) noexcept {
  return guarded("anydim_worker_drain", [&]() -> Status {
    ANYDIM_TRY(body::worker_drain(timeout_ms));
    return {};
  });
}

anydim_status_t anydim_worker_query(anydim_worker_info_t* info) noexcept {
  return guarded("anydim_worker_query", [&]() -> Status {
    ANYDIM_TRY(require(info, "info"));
    anydim_worker_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::worker_query(&info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_primitive_cache_set_limit(int64_t bytes) noexcept {
  return guarded("anydim_primitive_cache_set_limit", [&]() -> Status {
    ANYDIM_TRY(body::primitive_cache_set_limit(bytes));
    return {};
  });
}

anydim_status_t anydim_primitive_cache_clear(void) noexcept {
  return guarded("anydim_primitive_cache_clear", [&]() -> Status {
    ANYDIM_TRY(body::primitive_cache_clear());
    return {};
  });
}

anydim_status_t anydim_primitive_cache_query(anydim_primitive_cache_info_t* info) noexcept {
  return guarded("anydim_primitive_cache_query", [&]() -> Status {
    ANYDIM_TRY(require(info, "info"));
    anydim_primitive_cache_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::primitive_cache_query(&info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_primitive_query_creation(anydim_primitive_t primitive, anydim_primitive_creation_t* info) noexcept {
  return guarded("anydim_primitive_query_creation", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_primitive_creation_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::primitive_query_creation(*primitive_pin.get(), &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_persistent_cache_query(anydim_persistent_cache_info_t* info) noexcept {
  return guarded("anydim_persistent_cache_query", [&]() -> Status {
    ANYDIM_TRY(require(info, "info"));
    anydim_persistent_cache_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::persistent_cache_query(&info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_persistent_cache_get_path(anydim_text_t* text) noexcept {
  return guarded("anydim_persistent_cache_get_path", [&]() -> Status {
    ANYDIM_TRY(require(text, "text"));
    std::unique_ptr<TextObject> text_out;
    ANYDIM_TRY(body::persistent_cache_get_path(&text_out));
    ANYDIM_TRY(publish(std::move(text_out), text));
    return {};
  });
}

anydim_status_t anydim_persistent_cache_describe(anydim_text_t* text) noexcept {
  return guarded("anydim_persistent_cache_describe", [&]() -> Status {
    ANYDIM_TRY(require(text, "text"));
    std::unique_ptr<TextObject> text_out;
    ANYDIM_TRY(body::persistent_cache_describe(&text_out));
    ANYDIM_TRY(publish(std::move(text_out), text));
    return {};
  });
}

anydim_status_t anydim_persistent_cache_verify(anydim_text_t* text) noexcept {
  return guarded("anydim_persistent_cache_verify", [&]() -> Status {
    ANYDIM_TRY(require(text, "text"));
    std::unique_ptr<TextObject> text_out;
    ANYDIM_TRY(body::persistent_cache_verify(&text_out));
    ANYDIM_TRY(publish(std::move(text_out), text));
    return {};
  });
}

anydim_status_t anydim_persistent_cache_export(const char* path, int64_t* records) noexcept {
  return guarded("anydim_persistent_cache_export", [&]() -> Status {
    std::string_view path_in;
    ANYDIM_TRY(read_string(path, "path", &path_in));
    ANYDIM_TRY(require(records, "records"));
    int64_t records_out{};
    ANYDIM_TRY(body::persistent_cache_export(path_in, &records_out));
    *records = records_out;
    return {};
  });
}

anydim_status_t anydim_persistent_cache_import(const char* path, int64_t* records, int64_t* damaged) noexcept {
  return guarded("anydim_persistent_cache_import", [&]() -> Status {
    std::string_view path_in;
    ANYDIM_TRY(read_string(path, "path", &path_in));
    ANYDIM_TRY(require(records, "records"));
    int64_t records_out{};
    ANYDIM_TRY(require(damaged, "damaged"));
    int64_t damaged_out{};
    ANYDIM_TRY(body::persistent_cache_import(path_in, &records_out, &damaged_out));
    *records = records_out;
    *damaged = damaged_out;
    return {};
  });
}

anydim_status_t anydim_persistent_cache_clear(anydim_record_kind_t kind, int64_t* removed) noexcept {
  return guarded("anydim_persistent_cache_clear", [&]() -> Status {
    ANYDIM_TRY(require(removed, "removed"));
    int64_t removed_out{};
    ANYDIM_TRY(body::persistent_cache_clear(kind, &removed_out));
    *removed = removed_out;
    return {};
  });
}

anydim_status_t anydim_counter_get_count(int32_t* count) noexcept {
  return guarded("anydim_counter_get_count", [&]() -> Status {
    ANYDIM_TRY(require(count, "count"));
    int32_t count_out{};
    ANYDIM_TRY(body::counter_get_count(&count_out));
    *count = count_out;
    return {};
  });
}

anydim_status_t anydim_counter_get(int32_t index, anydim_counter_t* info) noexcept {
  return guarded("anydim_counter_get", [&]() -> Status {
    ANYDIM_TRY(require(info, "info"));
    anydim_counter_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::counter_get(index, &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_verbose_set(int32_t level) noexcept {
  return guarded("anydim_verbose_set", [&]() -> Status {
    ANYDIM_TRY(body::verbose_set(level));
    return {};
  });
}

anydim_status_t anydim_call_parse(const char* line, anydim_call_t* call) noexcept {
  return guarded("anydim_call_parse", [&]() -> Status {
    std::string_view line_in;
    ANYDIM_TRY(read_string(line, "line", &line_in));
    ANYDIM_TRY(require(call, "call"));
    std::unique_ptr<CallObject> call_out;
    ANYDIM_TRY(body::call_parse(line_in, &call_out));
    ANYDIM_TRY(publish(std::move(call_out), call));
    return {};
  });
}

void anydim_call_destroy(anydim_call_t call) noexcept {
  destroy(call, "anydim_call_destroy");
}

anydim_status_t anydim_call_query(anydim_call_t call, anydim_call_info_t* info) noexcept {
  return guarded("anydim_call_query", [&]() -> Status {
    Pin<CallObject> call_pin;
    ANYDIM_TRY(call_pin.acquire(call, "call", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_call_info_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::call_query(*call_pin.get(), &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_call_get_tensor(anydim_call_t call, int32_t index, anydim_call_tensor_t* info) noexcept {
  return guarded("anydim_call_get_tensor", [&]() -> Status {
    Pin<CallObject> call_pin;
    ANYDIM_TRY(call_pin.acquire(call, "call", false));
    ANYDIM_TRY(require(info, "info"));
    anydim_call_tensor_t info_out;
    ANYDIM_TRY(begin_out(info, "info", &info_out));
    ANYDIM_TRY(body::call_get_tensor(*call_pin.get(), index, &info_out));
    finish_out(info_out, info);
    return {};
  });
}

anydim_status_t anydim_call_create_primitive(anydim_call_t call, anydim_engine_t engine, const char* kernel, const anydim_view_t* weights, int32_t weights_count, anydim_primitive_t* primitive) noexcept {
  return guarded("anydim_call_create_primitive", [&]() -> Status {
    Pin<CallObject> call_pin;
    ANYDIM_TRY(call_pin.acquire(call, "call", false));
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    std::string_view kernel_in;
    ANYDIM_TRY(read_string(kernel, "kernel", &kernel_in));
    ViewArray weights_views;
    ANYDIM_TRY(weights_views.read(weights, weights_count, "weights"));
    ANYDIM_TRY(require(primitive, "primitive"));
    std::unique_ptr<PrimitiveObject> primitive_out;
    ANYDIM_TRY(body::call_create_primitive(*call_pin.get(), *engine_pin.get(), kernel_in, weights_views.span(), &primitive_out));
    ANYDIM_TRY(publish(std::move(primitive_out), primitive));
    return {};
  });
}

}  // extern "C"
