// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
// The exported functions that are called while computing. Each checks what can be
// checked without knowing the subject, calls its body, and turns a failure or an exception into a status and the
// thread's message.
#include "anydim/anydim.h"
#include "capi/generated/bodies.h"
#include "capi/shim_support.h"

using namespace anydim;
using namespace anydim::capi;

extern "C" {

const char* anydim_version(void) noexcept {
  return body::version();
}

const char* anydim_dtype_name(anydim_dtype_t dtype) noexcept {
  return body::dtype_name(dtype);
}

anydim_status_t anydim_dtype_get_size(anydim_dtype_t dtype, int64_t* bytes) noexcept {
  return guarded("anydim_dtype_get_size", [&]() -> Status {
    ANYDIM_TRY(require(bytes, "bytes"));
    int64_t bytes_out{};
    ANYDIM_TRY(body::dtype_get_size(dtype, &bytes_out));
    *bytes = bytes_out;
    return {};
  });
}

anydim_dim_t anydim_dim_fixed(int64_t value) noexcept {
  return body::dim_fixed(value);
}

anydim_dim_t anydim_dim_dynamic(int64_t min, int64_t max) noexcept {
  return body::dim_dynamic(min, max);
}

void anydim_dim_set_hint(anydim_dim_t* dim, int64_t hint) noexcept {
  return body::dim_set_hint(dim, hint);
}

void anydim_dim_set_multiple_of(anydim_dim_t* dim, int64_t multiple_of) noexcept {
  return body::dim_set_multiple_of(dim, multiple_of);
}

anydim_status_t anydim_desc_create(anydim_dtype_t dtype, int32_t rank, const anydim_dim_t* dims, anydim_layout_t layout, anydim_desc_t* desc) noexcept {
  return guarded("anydim_desc_create", [&]() -> Status {
    std::span<const anydim_dim_t> dims_in;
    ANYDIM_TRY(read_array(dims, rank, "dims", false, &dims_in));
    ANYDIM_TRY(require(desc, "desc"));
    std::unique_ptr<DescObject> desc_out;
    ANYDIM_TRY(body::desc_create(dtype, dims_in, layout, &desc_out));
    ANYDIM_TRY(publish(std::move(desc_out), desc));
    return {};
  });
}

void anydim_desc_destroy(anydim_desc_t desc) noexcept {
  destroy(desc, "anydim_desc_destroy");
}

anydim_status_t anydim_stream_create(anydim_engine_t engine, const anydim_stream_options_t* options, anydim_stream_t* stream) noexcept {
  return guarded("anydim_stream_create", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    anydim_stream_options_t options_in = ANYDIM_STREAM_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(require(stream, "stream"));
    std::unique_ptr<StreamObject> stream_out;
    ANYDIM_TRY(body::stream_create(*engine_pin.get(), options_in, &stream_out));
    ANYDIM_TRY(publish(std::move(stream_out), stream));
    return {};
  });
}

anydim_status_t anydim_stream_create_in_opencl(anydim_engine_t engine, void* cl_queue, anydim_stream_t* stream) noexcept {
  return guarded("anydim_stream_create_in_opencl", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    ANYDIM_TRY(require(cl_queue, "cl_queue"));
    ANYDIM_TRY(require(stream, "stream"));
    std::unique_ptr<StreamObject> stream_out;
    ANYDIM_TRY(body::stream_create_in_opencl(*engine_pin.get(), cl_queue, &stream_out));
    ANYDIM_TRY(publish(std::move(stream_out), stream));
    return {};
  });
}

void anydim_stream_destroy(anydim_stream_t stream) noexcept {
  destroy(stream, "anydim_stream_destroy");
}

anydim_status_t anydim_stream_wait(anydim_stream_t stream) noexcept {
  return guarded("anydim_stream_wait", [&]() -> Status {
    Pin<StreamObject> stream_pin;
    ANYDIM_TRY(stream_pin.acquire(stream, "stream", false));
    ANYDIM_TRY(body::stream_wait(*stream_pin.get()));
    return {};
  });
}

anydim_status_t anydim_memory_allocate(anydim_engine_t engine, int64_t bytes, anydim_memory_t* memory) noexcept {
  return guarded("anydim_memory_allocate", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    ANYDIM_TRY(require(memory, "memory"));
    std::unique_ptr<MemoryObject> memory_out;
    ANYDIM_TRY(body::memory_allocate(*engine_pin.get(), bytes, &memory_out));
    ANYDIM_TRY(publish(std::move(memory_out), memory));
    return {};
  });
}

anydim_status_t anydim_memory_import(anydim_engine_t engine, void* data, int64_t bytes, anydim_finalizer_callback_t finalizer, void* user, anydim_memory_t* memory) noexcept {
  return guarded("anydim_memory_import", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    ANYDIM_TRY(require(data, "data"));
    ANYDIM_TRY(require(memory, "memory"));
    std::unique_ptr<MemoryObject> memory_out;
    ANYDIM_TRY(body::memory_import(*engine_pin.get(), data, bytes, finalizer, user, &memory_out));
    ANYDIM_TRY(publish(std::move(memory_out), memory));
    return {};
  });
}

anydim_status_t anydim_memory_import_opencl(anydim_engine_t engine, void* cl_buffer, anydim_memory_t* memory) noexcept {
  return guarded("anydim_memory_import_opencl", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    ANYDIM_TRY(require(cl_buffer, "cl_buffer"));
    ANYDIM_TRY(require(memory, "memory"));
    std::unique_ptr<MemoryObject> memory_out;
    ANYDIM_TRY(body::memory_import_opencl(*engine_pin.get(), cl_buffer, &memory_out));
    ANYDIM_TRY(publish(std::move(memory_out), memory));
    return {};
  });
}

void anydim_memory_destroy(anydim_memory_t memory) noexcept {
  destroy(memory, "anydim_memory_destroy");
}

anydim_status_t anydim_memory_map(anydim_memory_t memory, int64_t offset, int64_t bytes, void** data) noexcept {
  return guarded("anydim_memory_map", [&]() -> Status {
    Pin<MemoryObject> memory_pin;
    ANYDIM_TRY(memory_pin.acquire(memory, "memory", false));
    ANYDIM_TRY(require(data, "data"));
    void* data_out{};
    ANYDIM_TRY(body::memory_map(*memory_pin.get(), offset, bytes, &data_out));
    *data = data_out;
    return {};
  });
}

anydim_status_t anydim_memory_unmap(anydim_memory_t memory, int64_t offset, int64_t bytes) noexcept {
  return guarded("anydim_memory_unmap", [&]() -> Status {
    Pin<MemoryObject> memory_pin;
    ANYDIM_TRY(memory_pin.acquire(memory, "memory", false));
    ANYDIM_TRY(body::memory_unmap(*memory_pin.get(), offset, bytes));
    return {};
  });
}

anydim_status_t anydim_memory_copy(anydim_stream_t stream, anydim_memory_t target, int64_t target_offset, anydim_memory_t source, int64_t source_offset, int64_t bytes) noexcept {
  return guarded("anydim_memory_copy", [&]() -> Status {
    Pin<StreamObject> stream_pin;
    ANYDIM_TRY(stream_pin.acquire(stream, "stream", false));
    Pin<MemoryObject> target_pin;
    ANYDIM_TRY(target_pin.acquire(target, "target", false));
    Pin<MemoryObject> source_pin;
    ANYDIM_TRY(source_pin.acquire(source, "source", false));
    ANYDIM_TRY(body::memory_copy(*stream_pin.get(), *target_pin.get(), target_offset, *source_pin.get(), source_offset, bytes));
    return {};
  });
}

anydim_status_t anydim_tensor_allocate(anydim_engine_t engine, anydim_dtype_t dtype, int32_t rank, const int64_t* dims, anydim_layout_t layout, anydim_tensor_t* tensor) noexcept {
  return guarded("anydim_tensor_allocate", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    std::span<const int64_t> dims_in;
    ANYDIM_TRY(read_array(dims, rank, "dims", false, &dims_in));
    ANYDIM_TRY(require(tensor, "tensor"));
    std::unique_ptr<TensorObject> tensor_out;
    ANYDIM_TRY(body::tensor_allocate(*engine_pin.get(), dtype, dims_in, layout, &tensor_out));
    ANYDIM_TRY(publish(std::move(tensor_out), tensor));
    return {};
  });
}

void anydim_tensor_destroy(anydim_tensor_t tensor) noexcept {
  destroy(tensor, "anydim_tensor_destroy");
}

anydim_status_t anydim_tensor_get_view(anydim_tensor_t tensor, anydim_view_t* view) noexcept {
  return guarded("anydim_tensor_get_view", [&]() -> Status {
    Pin<TensorObject> tensor_pin;
    ANYDIM_TRY(tensor_pin.acquire(tensor, "tensor", false));
    ANYDIM_TRY(require(view, "view"));
    TensorView view_out;
    ANYDIM_TRY(body::tensor_get_view(*tensor_pin.get(), &view_out));
    write_view(view_out, view);
    return {};
  });
}

void anydim_result_release(void* data) noexcept {
  return body::result_release(data);
}

anydim_status_t anydim_attr_create(anydim_attr_t* attr) noexcept {
  return guarded("anydim_attr_create", [&]() -> Status {
    ANYDIM_TRY(require(attr, "attr"));
    std::unique_ptr<AttrObject> attr_out;
    ANYDIM_TRY(body::attr_create(&attr_out));
    ANYDIM_TRY(publish(std::move(attr_out), attr));
    return {};
  });
}

void anydim_attr_destroy(anydim_attr_t attr) noexcept {
  destroy(attr, "anydim_attr_destroy");
}

anydim_status_t anydim_attr_set_reuse(anydim_attr_t attr, anydim_reuse_t policy) noexcept {
  return guarded("anydim_attr_set_reuse", [&]() -> Status {
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", false));
    ANYDIM_TRY(body::attr_set_reuse(*attr_pin.get(), policy));
    return {};
  });
}

anydim_status_t anydim_attr_set_math(anydim_attr_t attr, anydim_math_t mode) noexcept {
  return guarded("anydim_attr_set_math", [&]() -> Status {
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", false));
    ANYDIM_TRY(body::attr_set_math(*attr_pin.get(), mode));
    return {};
  });
}

anydim_status_t anydim_attr_append_eltwise(anydim_attr_t attr, anydim_unary_function_t function, float alpha, float beta) noexcept {
  return guarded("anydim_attr_append_eltwise", [&]() -> Status {
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", false));
    ANYDIM_TRY(body::attr_append_eltwise(*attr_pin.get(), function, alpha, beta));
    return {};
  });
}

anydim_status_t anydim_attr_append_binary(anydim_attr_t attr, anydim_binary_function_t function, int32_t reversed) noexcept {
  return guarded("anydim_attr_append_binary", [&]() -> Status {
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", false));
    ANYDIM_TRY(body::attr_append_binary(*attr_pin.get(), function, reversed));
    return {};
  });
}

anydim_status_t anydim_attr_set_dtype(anydim_attr_t attr, anydim_dtype_t dtype) noexcept {
  return guarded("anydim_attr_set_dtype", [&]() -> Status {
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", false));
    ANYDIM_TRY(body::attr_set_dtype(*attr_pin.get(), dtype));
    return {};
  });
}

anydim_status_t anydim_attr_set_scales(anydim_attr_t attr, anydim_operand_t operand, int32_t axis, const float* values, int32_t count) noexcept {
  return guarded("anydim_attr_set_scales", [&]() -> Status {
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", false));
    std::span<const float> values_in;
    ANYDIM_TRY(read_array(values, count, "values", false, &values_in));
    ANYDIM_TRY(body::attr_set_scales(*attr_pin.get(), operand, axis, values_in));
    return {};
  });
}

anydim_status_t anydim_attr_set_zero_points(anydim_attr_t attr, anydim_operand_t operand, int32_t axis, const int32_t* values, int32_t count) noexcept {
  return guarded("anydim_attr_set_zero_points", [&]() -> Status {
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", false));
    std::span<const int32_t> values_in;
    ANYDIM_TRY(read_array(values, count, "values", false, &values_in));
    ANYDIM_TRY(body::attr_set_zero_points(*attr_pin.get(), operand, axis, values_in));
    return {};
  });
}

anydim_status_t anydim_attr_set_kernel(anydim_attr_t attr, const char* kernel) noexcept {
  return guarded("anydim_attr_set_kernel", [&]() -> Status {
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", false));
    std::string_view kernel_in;
    ANYDIM_TRY(read_string(kernel, "kernel", &kernel_in));
    ANYDIM_TRY(body::attr_set_kernel(*attr_pin.get(), kernel_in));
    return {};
  });
}

anydim_status_t anydim_attr_set_scratchpad(anydim_attr_t attr, anydim_scratchpad_t mode) noexcept {
  return guarded("anydim_attr_set_scratchpad", [&]() -> Status {
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", false));
    ANYDIM_TRY(body::attr_set_scratchpad(*attr_pin.get(), mode));
    return {};
  });
}

anydim_status_t anydim_weights_create(anydim_engine_t engine, const anydim_op_t* op, anydim_attr_t attr, anydim_desc_t const* inputs, int32_t input_count, const anydim_view_t* constants, const int32_t* operands, int32_t count, anydim_weights_t* weights) noexcept {
  return guarded("anydim_weights_create", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", true));
    PinArray<DescObject> inputs_pins;
    ANYDIM_TRY(inputs_pins.acquire(inputs, input_count, "inputs", false));
    ViewArray constants_views;
    ANYDIM_TRY(constants_views.read(constants, count, "constants"));
    std::span<const int32_t> operands_in;
    ANYDIM_TRY(read_array(operands, count, "operands", true, &operands_in));
    ANYDIM_TRY(require(weights, "weights"));
    std::unique_ptr<WeightsObject> weights_out;
    OperatorPtr op_in;
    ANYDIM_TRY(read_operator(op, rank_of_first(inputs_pins.span(), constants_views.span(), operands_in), &op_in));
    ANYDIM_TRY(body::weights_create(*engine_pin.get(), op_in, attr_pin.get(), inputs_pins.span(), constants_views.span(), operands_in, &weights_out));
    ANYDIM_TRY(publish(std::move(weights_out), weights));
    return {};
  });
}

void anydim_weights_destroy(anydim_weights_t weights) noexcept {
  destroy(weights, "anydim_weights_destroy");
}

anydim_status_t anydim_weights_get_bytes(anydim_weights_t weights, int64_t* bytes) noexcept {
  return guarded("anydim_weights_get_bytes", [&]() -> Status {
    Pin<WeightsObject> weights_pin;
    ANYDIM_TRY(weights_pin.acquire(weights, "weights", false));
    ANYDIM_TRY(require(bytes, "bytes"));
    int64_t bytes_out{};
    ANYDIM_TRY(body::weights_get_bytes(*weights_pin.get(), &bytes_out));
    *bytes = bytes_out;
    return {};
  });
}

anydim_status_t anydim_weights_update(anydim_weights_t weights, const anydim_view_t* constants, int32_t count) noexcept {
  return guarded("anydim_weights_update", [&]() -> Status {
    Pin<WeightsObject> weights_pin;
    ANYDIM_TRY(weights_pin.acquire(weights, "weights", false));
    ViewArray constants_views;
    ANYDIM_TRY(constants_views.read(constants, count, "constants"));
    ANYDIM_TRY(body::weights_update(*weights_pin.get(), constants_views.span()));
    return {};
  });
}

anydim_status_t anydim_weights_get_version(anydim_weights_t weights, int64_t* version) noexcept {
  return guarded("anydim_weights_get_version", [&]() -> Status {
    Pin<WeightsObject> weights_pin;
    ANYDIM_TRY(weights_pin.acquire(weights, "weights", false));
    ANYDIM_TRY(require(version, "version"));
    int64_t version_out{};
    ANYDIM_TRY(body::weights_get_version(*weights_pin.get(), &version_out));
    *version = version_out;
    return {};
  });
}

anydim_status_t anydim_primitive_create(anydim_engine_t engine, const anydim_op_t* op, anydim_attr_t attr, anydim_desc_t const* inputs, int32_t input_count, anydim_weights_t weights, anydim_primitive_t* primitive) noexcept {
  return guarded("anydim_primitive_create", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", true));
    PinArray<DescObject> inputs_pins;
    ANYDIM_TRY(inputs_pins.acquire(inputs, input_count, "inputs", false));
    Pin<WeightsObject> weights_pin;
    ANYDIM_TRY(weights_pin.acquire(weights, "weights", true));
    ANYDIM_TRY(require(primitive, "primitive"));
    std::unique_ptr<PrimitiveObject> primitive_out;
    OperatorPtr op_in;
    ANYDIM_TRY(read_operator(op, rank_of_first(inputs_pins.span()), &op_in));
    ANYDIM_TRY(body::primitive_create(*engine_pin.get(), op_in, attr_pin.get(), inputs_pins.span(), weights_pin.get(), &primitive_out));
    ANYDIM_TRY(publish(std::move(primitive_out), primitive));
    return {};
  });
}

anydim_status_t anydim_primitive_create_with_constants(anydim_engine_t engine, const anydim_op_t* op, anydim_attr_t attr, anydim_desc_t const* inputs, int32_t input_count, const anydim_view_t* constants, const int32_t* operands, int32_t count, anydim_primitive_t* primitive) noexcept {
  return guarded("anydim_primitive_create_with_constants", [&]() -> Status {
    Pin<EngineObject> engine_pin;
    ANYDIM_TRY(engine_pin.acquire(engine, "engine", false));
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", true));
    PinArray<DescObject> inputs_pins;
    ANYDIM_TRY(inputs_pins.acquire(inputs, input_count, "inputs", false));
    ViewArray constants_views;
    ANYDIM_TRY(constants_views.read(constants, count, "constants"));
    std::span<const int32_t> operands_in;
    ANYDIM_TRY(read_array(operands, count, "operands", true, &operands_in));
    ANYDIM_TRY(require(primitive, "primitive"));
    std::unique_ptr<PrimitiveObject> primitive_out;
    OperatorPtr op_in;
    ANYDIM_TRY(read_operator(op, rank_of_first(inputs_pins.span(), constants_views.span(), operands_in), &op_in));
    ANYDIM_TRY(body::primitive_create_with_constants(*engine_pin.get(), op_in, attr_pin.get(), inputs_pins.span(), constants_views.span(), operands_in, &primitive_out));
    ANYDIM_TRY(publish(std::move(primitive_out), primitive));
    return {};
  });
}

anydim_status_t anydim_primitive_acquire_weights(anydim_primitive_t primitive, anydim_weights_t* weights) noexcept {
  return guarded("anydim_primitive_acquire_weights", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    ANYDIM_TRY(require(weights, "weights"));
    std::unique_ptr<WeightsObject> weights_out;
    ANYDIM_TRY(body::primitive_acquire_weights(*primitive_pin.get(), &weights_out));
    ANYDIM_TRY(publish(std::move(weights_out), weights));
    return {};
  });
}

void anydim_primitive_destroy(anydim_primitive_t primitive) noexcept {
  destroy(primitive, "anydim_primitive_destroy");
}

anydim_status_t anydim_primitive_execute(anydim_primitive_t primitive, anydim_stream_t stream, const anydim_view_t* inputs, int32_t input_count, anydim_view_t* outputs, int32_t output_count) noexcept {
  return guarded("anydim_primitive_execute", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    Pin<StreamObject> stream_pin;
    ANYDIM_TRY(stream_pin.acquire(stream, "stream", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs", true));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read_outputs(outputs, output_count, "outputs", true));
    ANYDIM_TRY(body::primitive_execute(*primitive_pin.get(), *stream_pin.get(), inputs_views.inputs(), outputs_views.outputs()));
    outputs_views.write(outputs);
    return {};
  });
}

anydim_status_t anydim_primitive_execute_in(anydim_primitive_t primitive, anydim_stream_t stream, const anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t output_count, void* scratch, int64_t scratch_bytes) noexcept {
  return guarded("anydim_primitive_execute_in", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    Pin<StreamObject> stream_pin;
    ANYDIM_TRY(stream_pin.acquire(stream, "stream", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs", true));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read(outputs, output_count, "outputs", true));
    ANYDIM_TRY(body::primitive_execute_in(*primitive_pin.get(), *stream_pin.get(), inputs_views.inputs(), outputs_views.inputs(), scratch, scratch_bytes));
    return {};
  });
}

anydim_status_t anydim_primitive_get_output_dims(anydim_primitive_t primitive, const anydim_view_t* inputs, int32_t input_count, int32_t index, anydim_dims_t* dims) noexcept {
  return guarded("anydim_primitive_get_output_dims", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs", true));
    ANYDIM_TRY(require(dims, "dims"));
    anydim_dims_t dims_out{};
    ANYDIM_TRY(body::primitive_get_output_dims(*primitive_pin.get(), inputs_views.inputs(), index, &dims_out));
    *dims = dims_out;
    return {};
  });
}

anydim_status_t anydim_primitive_get_scratch_bytes(anydim_primitive_t primitive, anydim_stream_t stream, const anydim_view_t* inputs, int32_t input_count, const anydim_view_t* outputs, int32_t output_count, int64_t* bytes) noexcept {
  return guarded("anydim_primitive_get_scratch_bytes", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    Pin<StreamObject> stream_pin;
    ANYDIM_TRY(stream_pin.acquire(stream, "stream", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs", true));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read(outputs, output_count, "outputs", true));
    ANYDIM_TRY(require(bytes, "bytes"));
    int64_t bytes_out{};
    ANYDIM_TRY(body::primitive_get_scratch_bytes(*primitive_pin.get(), *stream_pin.get(), inputs_views.inputs(), outputs_views.inputs(), &bytes_out));
    *bytes = bytes_out;
    return {};
  });
}

anydim_status_t anydim_primitive_get_order(anydim_primitive_t primitive, int32_t output, int32_t index, anydim_dims_t* order) noexcept {
  return guarded("anydim_primitive_get_order", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    ANYDIM_TRY(require(order, "order"));
    anydim_dims_t order_out{};
    ANYDIM_TRY(body::primitive_get_order(*primitive_pin.get(), output, index, &order_out));
    *order = order_out;
    return {};
  });
}

anydim_status_t anydim_primitive_get_kernel(anydim_primitive_t primitive, anydim_string_t* name, uint64_t* identity) noexcept {
  return guarded("anydim_primitive_get_kernel", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    ANYDIM_TRY(require(name, "name"));
    anydim_string_t name_out{};
    ANYDIM_TRY(require(identity, "identity"));
    uint64_t identity_out{};
    ANYDIM_TRY(body::primitive_get_kernel(*primitive_pin.get(), &name_out, &identity_out));
    *name = name_out;
    *identity = identity_out;
    return {};
  });
}

anydim_status_t anydim_primitive_get_output_dtype(anydim_primitive_t primitive, int32_t index, anydim_dtype_t* dtype) noexcept {
  return guarded("anydim_primitive_get_output_dtype", [&]() -> Status {
    Pin<PrimitiveObject> primitive_pin;
    ANYDIM_TRY(primitive_pin.acquire(primitive, "primitive", false));
    ANYDIM_TRY(require(dtype, "dtype"));
    anydim_dtype_t dtype_out{};
    ANYDIM_TRY(body::primitive_get_output_dtype(*primitive_pin.get(), index, &dtype_out));
    *dtype = dtype_out;
    return {};
  });
}

anydim_status_t anydim_attr_set_scratch_limit(anydim_attr_t attr, int64_t bytes) noexcept {
  return guarded("anydim_attr_set_scratch_limit", [&]() -> Status {
    Pin<AttrObject> attr_pin;
    ANYDIM_TRY(attr_pin.acquire(attr, "attr", false));
    ANYDIM_TRY(body::attr_set_scratch_limit(*attr_pin.get(), bytes));
    return {};
  });
}

anydim_status_t anydim_context_run(anydim_context_t context, const anydim_view_t* inputs, int32_t input_count, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options) noexcept {
  return guarded("anydim_context_run", [&]() -> Status {
    Pin<ContextObject> context_pin;
    ANYDIM_TRY(context_pin.acquire(context, "context", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs", true));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read_outputs(outputs, output_count, "outputs", true));
    anydim_run_options_t options_in = ANYDIM_RUN_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(body::context_run(*context_pin.get(), inputs_views.inputs(), outputs_views.outputs(), options_in));
    outputs_views.write(outputs);
    return {};
  });
}

anydim_status_t anydim_context_submit(anydim_context_t context, anydim_stream_t stream, const anydim_view_t* inputs, int32_t input_count, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options) noexcept {
  return guarded("anydim_context_submit", [&]() -> Status {
    Pin<ContextObject> context_pin;
    ANYDIM_TRY(context_pin.acquire(context, "context", false));
    Pin<StreamObject> stream_pin;
    ANYDIM_TRY(stream_pin.acquire(stream, "stream", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs", true));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read_outputs(outputs, output_count, "outputs", true));
    anydim_run_options_t options_in = ANYDIM_RUN_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(body::context_submit(*context_pin.get(), *stream_pin.get(), inputs_views.inputs(), outputs_views.outputs(), options_in));
    outputs_views.write(outputs);
    return {};
  });
}

anydim_status_t anydim_cancellation_create(anydim_cancellation_t* cancellation) noexcept {
  return guarded("anydim_cancellation_create", [&]() -> Status {
    ANYDIM_TRY(require(cancellation, "cancellation"));
    std::unique_ptr<CancellationObject> cancellation_out;
    ANYDIM_TRY(body::cancellation_create(&cancellation_out));
    ANYDIM_TRY(publish(std::move(cancellation_out), cancellation));
    return {};
  });
}

void anydim_cancellation_destroy(anydim_cancellation_t cancellation) noexcept {
  destroy(cancellation, "anydim_cancellation_destroy");
}

anydim_status_t anydim_cancellation_set(anydim_cancellation_t cancellation, int32_t cancelled) noexcept {
  return guarded("anydim_cancellation_set", [&]() -> Status {
    Pin<CancellationObject> cancellation_pin;
    ANYDIM_TRY(cancellation_pin.acquire(cancellation, "cancellation", false));
    ANYDIM_TRY(body::cancellation_set(*cancellation_pin.get(), cancelled));
    return {};
  });
}

anydim_status_t anydim_session_run(anydim_session_t session, const anydim_view_t* inputs, int32_t input_count, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options) noexcept {
  return guarded("anydim_session_run", [&]() -> Status {
    Pin<SessionObject> session_pin;
    ANYDIM_TRY(session_pin.acquire(session, "session", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs", true));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read_outputs(outputs, output_count, "outputs", true));
    anydim_run_options_t options_in = ANYDIM_RUN_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(body::session_run(*session_pin.get(), inputs_views.inputs(), outputs_views.outputs(), options_in));
    outputs_views.write(outputs);
    return {};
  });
}

anydim_status_t anydim_state_step(anydim_state_t state, const anydim_view_t* inputs, int32_t input_count, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options) noexcept {
  return guarded("anydim_state_step", [&]() -> Status {
    Pin<StateObject> state_pin;
    ANYDIM_TRY(state_pin.acquire(state, "state", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs"));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read_outputs(outputs, output_count, "outputs"));
    anydim_run_options_t options_in = ANYDIM_RUN_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(body::state_step(*state_pin.get(), inputs_views.span(), outputs_views.span(), options_in));
    outputs_views.write(outputs);
    return {};
  });
}

anydim_status_t anydim_streaming_push(anydim_streaming_t streaming, const anydim_view_t* inputs, int32_t input_count, int32_t last, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options) noexcept {
  return guarded("anydim_streaming_push", [&]() -> Status {
    Pin<StreamingObject> streaming_pin;
    ANYDIM_TRY(streaming_pin.acquire(streaming, "streaming", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs"));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read_outputs(outputs, output_count, "outputs"));
    anydim_run_options_t options_in = ANYDIM_RUN_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(body::streaming_push(*streaming_pin.get(), inputs_views.span(), last, outputs_views.span(), options_in));
    outputs_views.write(outputs);
    return {};
  });
}

anydim_status_t anydim_session_submit(anydim_session_t session, const anydim_view_t* inputs, int32_t input_count, anydim_view_t* outputs, int32_t output_count, const anydim_run_options_t* options, anydim_done_callback_t done, void* user) noexcept {
  return guarded("anydim_session_submit", [&]() -> Status {
    Pin<SessionObject> session_pin;
    ANYDIM_TRY(session_pin.acquire(session, "session", false));
    ViewArray inputs_views;
    ANYDIM_TRY(inputs_views.read(inputs, input_count, "inputs"));
    ViewArray outputs_views;
    ANYDIM_TRY(outputs_views.read_outputs(outputs, output_count, "outputs"));
    anydim_run_options_t options_in = ANYDIM_RUN_OPTIONS_INIT;
    ANYDIM_TRY(read_struct(options, "options", true, &options_in));
    ANYDIM_TRY(body::session_submit(*session_pin.get(), inputs_views.span(), outputs_views.span(), options_in, done, user));
    outputs_views.write(outputs);
    return {};
  });
}

}  // extern "C"
