// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
// The C side of the Java class NativeCalls: one function per function of the C API, over the C API only.
#include "bindings/java/native/support.h"

using namespace anydim_java;

extern "C" {

JNIEXPORT jbyteArray JNICALL Java_org_anydim_NativeCalls_version(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jbyteArray {
    return bytes_of(env, anydim_version());
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_buildQuery(JNIEnv* env, jclass, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_build_info_t info = ANYDIM_BUILD_INFO_INIT;
    check(env, anydim_build_query(&info));
    StructWriter results(env, numbers, texts);
    results.put(info.major);
    results.put(info.minor);
    results.put(info.patch);
    results.put(info.persistent_cache);
    results.put(info.opencl);
    results.put(info.architecture);
    results.put(info.kernel_isas);
    results.done();
  });
}
JNIEXPORT jbyteArray JNICALL Java_org_anydim_NativeCalls_statusName(JNIEnv* env, jclass, jint status) {
  return guarded(env, [&]() -> jbyteArray {
    return bytes_of(env, anydim_status_name(status));
  });
}
JNIEXPORT jbyteArray JNICALL Java_org_anydim_NativeCalls_textGetData(JNIEnv* env, jclass, jlong text) {
  return guarded(env, [&]() -> jbyteArray {
    anydim_string_t string{};
    check(env, anydim_text_get_data(as_handle<anydim_text_t>(text), &string));
    return bytes_of(env, string);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_textDestroy(JNIEnv* env, jclass, jlong text) {
  return guarded(env, [&] {
    anydim_text_destroy(as_handle<anydim_text_t>(text));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_logSetLevel(JNIEnv* env, jclass, jint level) {
  return guarded(env, [&] {
    check(env, anydim_log_set_level(level));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_logSet(JNIEnv* env, jclass, jint level, jlong callback, jlong user, jlong finalizer) {
  return guarded(env, [&] {
    check(env, anydim_log_set(level, as_function<anydim_log_callback_t>(callback), as_pointer(user), as_function<anydim_finalizer_callback_t>(finalizer)));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_descCreate(JNIEnv* env, jclass, jint dtype, jlongArray dims, jint layout) {
  return guarded(env, [&]() -> jlong {
    const Images<anydim_dim_t> dims_array(env, dims);
    anydim_desc_t desc{};
    check(env, anydim_desc_create(dtype, dims_array.size(), dims_array.data(), layout, &desc));
    return as_number(desc);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_descDestroy(JNIEnv* env, jclass, jlong desc) {
  return guarded(env, [&] {
    anydim_desc_destroy(as_handle<anydim_desc_t>(desc));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_engineCreate(JNIEnv* env, jclass, jint kind, jint device, jint options_threads, jlong options_parallel_for, jlong options_parallel_user, jlong options_parallel_finalizer, jlong options_allocate, jlong options_release, jlong options_memory_user, jlong options_memory_finalizer, jint options_flushed_denormals) {
  return guarded(env, [&]() -> jlong {
    anydim_engine_options_t options_struct = ANYDIM_ENGINE_OPTIONS_INIT;
    options_struct.threads = options_threads;
    options_struct.parallel_for = as_function<anydim_parallel_for_callback_t>(options_parallel_for);
    options_struct.parallel_user = as_pointer(options_parallel_user);
    options_struct.parallel_finalizer = as_function<anydim_finalizer_callback_t>(options_parallel_finalizer);
    options_struct.allocate = as_function<anydim_allocate_callback_t>(options_allocate);
    options_struct.release = as_function<anydim_release_callback_t>(options_release);
    options_struct.memory_user = as_pointer(options_memory_user);
    options_struct.memory_finalizer = as_function<anydim_finalizer_callback_t>(options_memory_finalizer);
    options_struct.flushed_denormals = options_flushed_denormals;
    anydim_engine_t engine{};
    check(env, anydim_engine_create(kind, device, &options_struct, &engine));
    return as_number(engine);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_engineGetDevice(JNIEnv* env, jclass, jint kind, jint index, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_device_info_t info = ANYDIM_DEVICE_INFO_INIT;
    check(env, anydim_engine_get_device(kind, index, &info));
    StructWriter results(env, numbers, texts);
    results.put(info.platform);
    results.put(info.device);
    results.put(info.usable);
    results.put(info.units);
    results.put(info.like_gpu);
    results.put(info.memory_bytes);
    results.put(info.largest_allocation_bytes);
    results.put(info.name);
    results.put(info.driver);
    results.put(info.platform_name);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_engineDestroy(JNIEnv* env, jclass, jlong engine) {
  return guarded(env, [&] {
    anydim_engine_destroy(as_handle<anydim_engine_t>(engine));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_engineQuery(JNIEnv* env, jclass, jlong engine, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
    check(env, anydim_engine_query(as_handle<anydim_engine_t>(engine), &info));
    StructWriter results(env, numbers, texts);
    results.put(info.kind);
    results.put(info.threads);
    results.put(info.kernels);
    results.put(info.device);
    results.put(info.isa);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_engineGetKernel(JNIEnv* env, jclass, jlong engine, jint index, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_kernel_info_t info = ANYDIM_KERNEL_INFO_INIT;
    check(env, anydim_engine_get_kernel(as_handle<anydim_engine_t>(engine), index, &info));
    StructWriter results(env, numbers, texts);
    results.put(info.usable);
    results.put(info.name);
    results.put(info.op);
    results.put(info.isa);
    results.put(info.layout);
    results.put(info.src);
    results.put(info.dst);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_streamCreate(JNIEnv* env, jclass, jlong engine, jint options_threads) {
  return guarded(env, [&]() -> jlong {
    anydim_stream_options_t options_struct = ANYDIM_STREAM_OPTIONS_INIT;
    options_struct.threads = options_threads;
    anydim_stream_t stream{};
    check(env, anydim_stream_create(as_handle<anydim_engine_t>(engine), &options_struct, &stream));
    return as_number(stream);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_streamDestroy(JNIEnv* env, jclass, jlong stream) {
  return guarded(env, [&] {
    anydim_stream_destroy(as_handle<anydim_stream_t>(stream));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_streamWait(JNIEnv* env, jclass, jlong stream) {
  return guarded(env, [&] {
    check(env, anydim_stream_wait(as_handle<anydim_stream_t>(stream)));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_memoryAllocate(JNIEnv* env, jclass, jlong engine, jlong bytes) {
  return guarded(env, [&]() -> jlong {
    anydim_memory_t memory{};
    check(env, anydim_memory_allocate(as_handle<anydim_engine_t>(engine), bytes, &memory));
    return as_number(memory);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_memoryImport(JNIEnv* env, jclass, jlong engine, jlong data, jlong bytes, jlong finalizer, jlong user) {
  return guarded(env, [&]() -> jlong {
    anydim_memory_t memory{};
    check(env, anydim_memory_import(as_handle<anydim_engine_t>(engine), as_pointer(data), bytes, as_function<anydim_finalizer_callback_t>(finalizer), as_pointer(user), &memory));
    return as_number(memory);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_memoryDestroy(JNIEnv* env, jclass, jlong memory) {
  return guarded(env, [&] {
    anydim_memory_destroy(as_handle<anydim_memory_t>(memory));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_memoryQuery(JNIEnv* env, jclass, jlong memory, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_memory_info_t info = ANYDIM_MEMORY_INFO_INIT;
    check(env, anydim_memory_query(as_handle<anydim_memory_t>(memory), &info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.imported);
    results.put(info.bytes);
    results.put(info.data);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_memoryMap(JNIEnv* env, jclass, jlong memory, jlong offset, jlong bytes) {
  return guarded(env, [&]() -> jlong {
    void* data{};
    check(env, anydim_memory_map(as_handle<anydim_memory_t>(memory), offset, bytes, &data));
    return as_number(data);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_memoryUnmap(JNIEnv* env, jclass, jlong memory, jlong offset, jlong bytes) {
  return guarded(env, [&] {
    check(env, anydim_memory_unmap(as_handle<anydim_memory_t>(memory), offset, bytes));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_memoryCopy(JNIEnv* env, jclass, jlong stream, jlong target, jlong target_offset, jlong source, jlong source_offset, jlong bytes) {
  return guarded(env, [&] {
    check(env, anydim_memory_copy(as_handle<anydim_stream_t>(stream), as_handle<anydim_memory_t>(target), target_offset, as_handle<anydim_memory_t>(source), source_offset, bytes));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_tensorAllocate(JNIEnv* env, jclass, jlong engine, jint dtype, jlongArray dims, jint layout) {
  return guarded(env, [&]() -> jlong {
    const Numbers<jlongArray> dims_array(env, dims);
    anydim_tensor_t tensor{};
    check(env, anydim_tensor_allocate(as_handle<anydim_engine_t>(engine), dtype, dims_array.size(), dims_array.data(), layout, &tensor));
    return as_number(tensor);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_tensorDestroy(JNIEnv* env, jclass, jlong tensor) {
  return guarded(env, [&] {
    anydim_tensor_destroy(as_handle<anydim_tensor_t>(tensor));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_tensorGetView(JNIEnv* env, jclass, jlong tensor, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_view_t view{};
    check(env, anydim_tensor_get_view(as_handle<anydim_tensor_t>(tensor), &view));
    StructWriter results(env, numbers, nullptr);
    results.put(view);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_resultRelease(JNIEnv* env, jclass, jlong data) {
  return guarded(env, [&] {
    anydim_result_release(as_pointer(data));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_attrCreate(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong {
    anydim_attr_t attr{};
    check(env, anydim_attr_create(&attr));
    return as_number(attr);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrDestroy(JNIEnv* env, jclass, jlong attr) {
  return guarded(env, [&] {
    anydim_attr_destroy(as_handle<anydim_attr_t>(attr));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrSetReuse(JNIEnv* env, jclass, jlong attr, jint policy) {
  return guarded(env, [&] {
    check(env, anydim_attr_set_reuse(as_handle<anydim_attr_t>(attr), policy));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrSetMath(JNIEnv* env, jclass, jlong attr, jint mode) {
  return guarded(env, [&] {
    check(env, anydim_attr_set_math(as_handle<anydim_attr_t>(attr), mode));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrAppendEltwise(JNIEnv* env, jclass, jlong attr, jint function, jfloat alpha, jfloat beta) {
  return guarded(env, [&] {
    check(env, anydim_attr_append_eltwise(as_handle<anydim_attr_t>(attr), function, alpha, beta));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrAppendBinary(JNIEnv* env, jclass, jlong attr, jint function, jint reversed) {
  return guarded(env, [&] {
    check(env, anydim_attr_append_binary(as_handle<anydim_attr_t>(attr), function, reversed));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrSetDtype(JNIEnv* env, jclass, jlong attr, jint dtype) {
  return guarded(env, [&] {
    check(env, anydim_attr_set_dtype(as_handle<anydim_attr_t>(attr), dtype));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrSetScales(JNIEnv* env, jclass, jlong attr, jint operand, jint axis, jfloatArray values) {
  return guarded(env, [&] {
    const Numbers<jfloatArray> values_array(env, values);
    check(env, anydim_attr_set_scales(as_handle<anydim_attr_t>(attr), operand, axis, values_array.data(), values_array.size()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrSetZeroPoints(JNIEnv* env, jclass, jlong attr, jint operand, jint axis, jintArray values) {
  return guarded(env, [&] {
    const Numbers<jintArray> values_array(env, values);
    check(env, anydim_attr_set_zero_points(as_handle<anydim_attr_t>(attr), operand, axis, values_array.data(), values_array.size()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrSetKernel(JNIEnv* env, jclass, jlong attr, jbyteArray kernel) {
  return guarded(env, [&] {
    const Text kernel_text(env, kernel);
    check(env, anydim_attr_set_kernel(as_handle<anydim_attr_t>(attr), kernel_text.c_str()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrSetScratchpad(JNIEnv* env, jclass, jlong attr, jint mode) {
  return guarded(env, [&] {
    check(env, anydim_attr_set_scratchpad(as_handle<anydim_attr_t>(attr), mode));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_weightsCreate(JNIEnv* env, jclass, jlong engine, jlongArray op, jlongArray op_list, jint op_list_at, jlong attr, jlongArray inputs, jlongArray constants, jintArray operands) {
  return guarded(env, [&]() -> jlong {
    const Operator op_struct(env, op, op_list, op_list_at);
    const Handles<anydim_desc_t> inputs_array(env, inputs);
    const Views constants_views(env, constants);
    const Numbers<jintArray> operands_array(env, operands);
    anydim_weights_t weights{};
    same_length(env, constants_views.size(), operands_array);
    check(env, anydim_weights_create(as_handle<anydim_engine_t>(engine), op_struct.op(), as_handle<anydim_attr_t>(attr), inputs_array.data(), inputs_array.size(), constants_views.data(), operands_array.data(), constants_views.size(), &weights));
    return as_number(weights);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_weightsDestroy(JNIEnv* env, jclass, jlong weights) {
  return guarded(env, [&] {
    anydim_weights_destroy(as_handle<anydim_weights_t>(weights));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_weightsGetBytes(JNIEnv* env, jclass, jlong weights) {
  return guarded(env, [&]() -> jlong {
    int64_t bytes{};
    check(env, anydim_weights_get_bytes(as_handle<anydim_weights_t>(weights), &bytes));
    return bytes;
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_weightsUpdate(JNIEnv* env, jclass, jlong weights, jlongArray constants) {
  return guarded(env, [&] {
    const Views constants_views(env, constants);
    check(env, anydim_weights_update(as_handle<anydim_weights_t>(weights), constants_views.data(), constants_views.size()));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_weightsGetVersion(JNIEnv* env, jclass, jlong weights) {
  return guarded(env, [&]() -> jlong {
    int64_t version{};
    check(env, anydim_weights_get_version(as_handle<anydim_weights_t>(weights), &version));
    return version;
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_weightsSave(JNIEnv* env, jclass, jlong weights, jbyteArray path, jint options_sync) {
  return guarded(env, [&] {
    const Text path_text(env, path);
    anydim_save_options_t options_struct = ANYDIM_SAVE_OPTIONS_INIT;
    options_struct.sync = options_sync;
    check(env, anydim_weights_save(as_handle<anydim_weights_t>(weights), path_text.c_str(), &options_struct));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_weightsLoad(JNIEnv* env, jclass, jlong engine, jlongArray op, jlongArray op_list, jint op_list_at, jlong attr, jlongArray inputs, jbyteArray path) {
  return guarded(env, [&]() -> jlong {
    const Operator op_struct(env, op, op_list, op_list_at);
    const Handles<anydim_desc_t> inputs_array(env, inputs);
    const Text path_text(env, path);
    anydim_weights_t weights{};
    check(env, anydim_weights_load(as_handle<anydim_engine_t>(engine), op_struct.op(), as_handle<anydim_attr_t>(attr), inputs_array.data(), inputs_array.size(), path_text.c_str(), &weights));
    return as_number(weights);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_primitiveCreate(JNIEnv* env, jclass, jlong engine, jlongArray op, jlongArray op_list, jint op_list_at, jlong attr, jlongArray inputs, jlong weights) {
  return guarded(env, [&]() -> jlong {
    const Operator op_struct(env, op, op_list, op_list_at);
    const Handles<anydim_desc_t> inputs_array(env, inputs);
    anydim_primitive_t primitive{};
    check(env, anydim_primitive_create(as_handle<anydim_engine_t>(engine), op_struct.op(), as_handle<anydim_attr_t>(attr), inputs_array.data(), inputs_array.size(), as_handle<anydim_weights_t>(weights), &primitive));
    return as_number(primitive);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_primitiveCreateWithConstants(JNIEnv* env, jclass, jlong engine, jlongArray op, jlongArray op_list, jint op_list_at, jlong attr, jlongArray inputs, jlongArray constants, jintArray operands) {
  return guarded(env, [&]() -> jlong {
    const Operator op_struct(env, op, op_list, op_list_at);
    const Handles<anydim_desc_t> inputs_array(env, inputs);
    const Views constants_views(env, constants);
    const Numbers<jintArray> operands_array(env, operands);
    anydim_primitive_t primitive{};
    same_length(env, constants_views.size(), operands_array);
    check(env, anydim_primitive_create_with_constants(as_handle<anydim_engine_t>(engine), op_struct.op(), as_handle<anydim_attr_t>(attr), inputs_array.data(), inputs_array.size(), constants_views.data(), operands_array.data(), constants_views.size(), &primitive));
    return as_number(primitive);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_primitiveAcquireWeights(JNIEnv* env, jclass, jlong primitive) {
  return guarded(env, [&]() -> jlong {
    anydim_weights_t weights{};
    check(env, anydim_primitive_acquire_weights(as_handle<anydim_primitive_t>(primitive), &weights));
    return as_number(weights);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveDestroy(JNIEnv* env, jclass, jlong primitive) {
  return guarded(env, [&] {
    anydim_primitive_destroy(as_handle<anydim_primitive_t>(primitive));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveExecute(JNIEnv* env, jclass, jlong primitive, jlong stream, jlongArray inputs, jlongArray outputs) {
  return guarded(env, [&] {
    const Views inputs_views(env, inputs);
    ViewsOut outputs_views(env, outputs);
    check(env, anydim_primitive_execute(as_handle<anydim_primitive_t>(primitive), as_handle<anydim_stream_t>(stream), inputs_views.data(), inputs_views.size(), outputs_views.data(), outputs_views.size()));
    outputs_views.write_back();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveExecuteIn(JNIEnv* env, jclass, jlong primitive, jlong stream, jlongArray inputs, jlongArray outputs, jlong scratch, jlong scratch_bytes) {
  return guarded(env, [&] {
    const Views inputs_views(env, inputs);
    const Views outputs_views(env, outputs);
    check(env, anydim_primitive_execute_in(as_handle<anydim_primitive_t>(primitive), as_handle<anydim_stream_t>(stream), inputs_views.data(), inputs_views.size(), outputs_views.data(), outputs_views.size(), as_pointer(scratch), scratch_bytes));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveGetOutputDims(JNIEnv* env, jclass, jlong primitive, jlongArray inputs, jint index, jlongArray numbers) {
  return guarded(env, [&] {
    const Views inputs_views(env, inputs);
    anydim_dims_t dims{};
    check(env, anydim_primitive_get_output_dims(as_handle<anydim_primitive_t>(primitive), inputs_views.data(), inputs_views.size(), index, &dims));
    StructWriter results(env, numbers, nullptr);
    results.put(dims);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_primitiveGetScratchBytes(JNIEnv* env, jclass, jlong primitive, jlong stream, jlongArray inputs, jlongArray outputs) {
  return guarded(env, [&]() -> jlong {
    const Views inputs_views(env, inputs);
    const Views outputs_views(env, outputs);
    int64_t bytes{};
    check(env, anydim_primitive_get_scratch_bytes(as_handle<anydim_primitive_t>(primitive), as_handle<anydim_stream_t>(stream), inputs_views.data(), inputs_views.size(), outputs_views.data(), outputs_views.size(), &bytes));
    return bytes;
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveGetOrder(JNIEnv* env, jclass, jlong primitive, jint output, jint index, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_dims_t order{};
    check(env, anydim_primitive_get_order(as_handle<anydim_primitive_t>(primitive), output, index, &order));
    StructWriter results(env, numbers, nullptr);
    results.put(order);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveGetKernel(JNIEnv* env, jclass, jlong primitive, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_string_t name{};
    uint64_t identity{};
    check(env, anydim_primitive_get_kernel(as_handle<anydim_primitive_t>(primitive), &name, &identity));
    StructWriter results(env, numbers, texts);
    results.put(name);
    results.put(identity);
    results.done();
  });
}
JNIEXPORT jint JNICALL Java_org_anydim_NativeCalls_primitiveGetCandidateCount(JNIEnv* env, jclass, jlong primitive) {
  return guarded(env, [&]() -> jint {
    int32_t count{};
    check(env, anydim_primitive_get_candidate_count(as_handle<anydim_primitive_t>(primitive), &count));
    return count;
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveGetCandidate(JNIEnv* env, jclass, jlong primitive, jint index, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_candidate_t info = ANYDIM_CANDIDATE_INIT;
    check(env, anydim_primitive_get_candidate(as_handle<anydim_primitive_t>(primitive), index, &info));
    StructWriter results(env, numbers, texts);
    results.put(info.chosen);
    results.put(info.name);
    results.put(info.refusal);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_primitiveExplain(JNIEnv* env, jclass, jlong primitive, jlongArray inputs) {
  return guarded(env, [&]() -> jlong {
    const Views inputs_views(env, inputs);
    anydim_text_t text{};
    check(env, anydim_primitive_explain(as_handle<anydim_primitive_t>(primitive), inputs_views.data(), inputs_views.size(), &text));
    return as_number(text);
  });
}
JNIEXPORT jint JNICALL Java_org_anydim_NativeCalls_primitiveGetOutputDtype(JNIEnv* env, jclass, jlong primitive, jint index) {
  return guarded(env, [&]() -> jint {
    anydim_dtype_t dtype{};
    check(env, anydim_primitive_get_output_dtype(as_handle<anydim_primitive_t>(primitive), index, &dtype));
    return dtype;
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_primitiveCompareKernels(JNIEnv* env, jclass, jlong primitive, jlong stream, jlongArray inputs, jlongArray outputs, jint repeats) {
  return guarded(env, [&]() -> jlong {
    const Views inputs_views(env, inputs);
    const Views outputs_views(env, outputs);
    anydim_text_t text{};
    check(env, anydim_primitive_compare_kernels(as_handle<anydim_primitive_t>(primitive), as_handle<anydim_stream_t>(stream), inputs_views.data(), inputs_views.size(), outputs_views.data(), outputs_views.size(), repeats, &text));
    return as_number(text);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_attrSetScratchLimit(JNIEnv* env, jclass, jlong attr, jlong bytes) {
  return guarded(env, [&] {
    check(env, anydim_attr_set_scratch_limit(as_handle<anydim_attr_t>(attr), bytes));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_primitiveFormatLine(JNIEnv* env, jclass, jlong primitive, jlong stream, jlongArray inputs, jlongArray outputs) {
  return guarded(env, [&]() -> jlong {
    const Views inputs_views(env, inputs);
    const Views outputs_views(env, outputs);
    anydim_text_t text{};
    check(env, anydim_primitive_format_line(as_handle<anydim_primitive_t>(primitive), as_handle<anydim_stream_t>(stream), inputs_views.data(), inputs_views.size(), outputs_views.data(), outputs_views.size(), &text));
    return as_number(text);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_customOperatorsCreate(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong {
    anydim_custom_operators_t operators{};
    check(env, anydim_custom_operators_create(&operators));
    return as_number(operators);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_customOperatorsDestroy(JNIEnv* env, jclass, jlong custom_operators) {
  return guarded(env, [&] {
    anydim_custom_operators_destroy(as_handle<anydim_custom_operators_t>(custom_operators));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_customOperatorsAdd(JNIEnv* env, jclass, jlong operators, jbyteArray domain, jbyteArray op_type, jlong definition_shapes, jlong definition_compute, jlong definition_user, jlong definition_finalizer) {
  return guarded(env, [&] {
    const Text domain_text(env, domain);
    const Text op_type_text(env, op_type);
    anydim_custom_operator_t definition_struct = ANYDIM_CUSTOM_OPERATOR_INIT;
    definition_struct.shapes = as_function<anydim_custom_shapes_callback_t>(definition_shapes);
    definition_struct.compute = as_function<anydim_custom_compute_callback_t>(definition_compute);
    definition_struct.user = as_pointer(definition_user);
    definition_struct.finalizer = as_function<anydim_finalizer_callback_t>(definition_finalizer);
    check(env, anydim_custom_operators_add(as_handle<anydim_custom_operators_t>(operators), domain_text.c_str(), op_type_text.c_str(), &definition_struct));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_modelLoadFile(JNIEnv* env, jclass, jlong engine, jbyteArray path, jint options_math, jint options_reuse, jint options_input_layout, jint options_output_layout, jint options_passes, jlong options_layouts, jbyteArray options_packed_weights, jlongArray options_engines, jlong options_layers, jbyteArray options_external_data_folder, jbyteArray options_sequences, jlong options_operators, jbyteArray options_streaming, jlong options_streaming_chunk) {
  return guarded(env, [&]() -> jlong {
    const Text path_text(env, path);
    anydim_model_options_t options_struct = ANYDIM_MODEL_OPTIONS_INIT;
    options_struct.math = options_math;
    options_struct.reuse = options_reuse;
    options_struct.input_layout = options_input_layout;
    options_struct.output_layout = options_output_layout;
    options_struct.passes = options_passes;
    options_struct.layouts = as_handle<anydim_layouts_t>(options_layouts);
    const Text options_packed_weights_text(env, options_packed_weights);
    options_struct.packed_weights = options_packed_weights_text.c_str();
    const Handles<anydim_engine_t> options_engines_array(env, options_engines);
    options_struct.engines = options_engines_array.data();
    options_struct.engine_count = options_engines_array.size();
    options_struct.layers = as_handle<anydim_layers_t>(options_layers);
    const Text options_external_data_folder_text(env, options_external_data_folder);
    options_struct.external_data_folder = options_external_data_folder_text.c_str();
    const Text options_sequences_text(env, options_sequences);
    options_struct.sequences = options_sequences_text.c_str();
    options_struct.operators = as_handle<anydim_custom_operators_t>(options_operators);
    const Text options_streaming_text(env, options_streaming);
    options_struct.streaming = options_streaming_text.c_str();
    options_struct.streaming_chunk = options_streaming_chunk;
    anydim_model_t model{};
    check(env, anydim_model_load_file(as_handle<anydim_engine_t>(engine), path_text.c_str(), &options_struct, &model));
    return as_number(model);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_modelLoadMemory(JNIEnv* env, jclass, jlong engine, jlong data, jlong size, jint options_math, jint options_reuse, jint options_input_layout, jint options_output_layout, jint options_passes, jlong options_layouts, jbyteArray options_packed_weights, jlongArray options_engines, jlong options_layers, jbyteArray options_external_data_folder, jbyteArray options_sequences, jlong options_operators, jbyteArray options_streaming, jlong options_streaming_chunk) {
  return guarded(env, [&]() -> jlong {
    anydim_model_options_t options_struct = ANYDIM_MODEL_OPTIONS_INIT;
    options_struct.math = options_math;
    options_struct.reuse = options_reuse;
    options_struct.input_layout = options_input_layout;
    options_struct.output_layout = options_output_layout;
    options_struct.passes = options_passes;
    options_struct.layouts = as_handle<anydim_layouts_t>(options_layouts);
    const Text options_packed_weights_text(env, options_packed_weights);
    options_struct.packed_weights = options_packed_weights_text.c_str();
    const Handles<anydim_engine_t> options_engines_array(env, options_engines);
    options_struct.engines = options_engines_array.data();
    options_struct.engine_count = options_engines_array.size();
    options_struct.layers = as_handle<anydim_layers_t>(options_layers);
    const Text options_external_data_folder_text(env, options_external_data_folder);
    options_struct.external_data_folder = options_external_data_folder_text.c_str();
    const Text options_sequences_text(env, options_sequences);
    options_struct.sequences = options_sequences_text.c_str();
    options_struct.operators = as_handle<anydim_custom_operators_t>(options_operators);
    const Text options_streaming_text(env, options_streaming);
    options_struct.streaming = options_streaming_text.c_str();
    options_struct.streaming_chunk = options_streaming_chunk;
    anydim_model_t model{};
    check(env, anydim_model_load_memory(as_handle<anydim_engine_t>(engine), as_pointer(data), size, &options_struct, &model));
    return as_number(model);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelSavePacked(JNIEnv* env, jclass, jlong model, jbyteArray path, jint options_sync) {
  return guarded(env, [&] {
    const Text path_text(env, path);
    anydim_save_options_t options_struct = ANYDIM_SAVE_OPTIONS_INIT;
    options_struct.sync = options_sync;
    check(env, anydim_model_save_packed(as_handle<anydim_model_t>(model), path_text.c_str(), &options_struct));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelSaveProgram(JNIEnv* env, jclass, jlong model, jbyteArray path, jint options_sync) {
  return guarded(env, [&] {
    const Text path_text(env, path);
    anydim_save_options_t options_struct = ANYDIM_SAVE_OPTIONS_INIT;
    options_struct.sync = options_sync;
    check(env, anydim_model_save_program(as_handle<anydim_model_t>(model), path_text.c_str(), &options_struct));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelDestroy(JNIEnv* env, jclass, jlong model) {
  return guarded(env, [&] {
    anydim_model_destroy(as_handle<anydim_model_t>(model));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelQuery(JNIEnv* env, jclass, jlong model, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
    check(env, anydim_model_query(as_handle<anydim_model_t>(model), &info));
    StructWriter results(env, numbers, texts);
    results.put(info.metadata);
    results.put(info.producer_name);
    results.put(info.producer_version);
    results.put(info.graph_name);
    results.put(info.domain);
    results.put(info.description);
    results.put(info.version);
    results.put(info.opset);
    results.put(info.nodes);
    results.put(info.file_nodes);
    results.put(info.weight_bytes);
    results.put(info.packed_weights);
    results.put(info.mapped_weights);
    results.put(info.mapped_bytes);
    results.put(info.engines);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelGetEngine(JNIEnv* env, jclass, jlong model, jint index, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
    check(env, anydim_model_get_engine(as_handle<anydim_model_t>(model), index, &info));
    StructWriter results(env, numbers, texts);
    results.put(info.kind);
    results.put(info.threads);
    results.put(info.kernels);
    results.put(info.device);
    results.put(info.isa);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelGetMetadata(JNIEnv* env, jclass, jlong model, jint index, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_string_t key{};
    anydim_string_t value{};
    check(env, anydim_model_get_metadata(as_handle<anydim_model_t>(model), index, &key, &value));
    StructWriter results(env, nullptr, texts);
    results.put(key);
    results.put(value);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelGetCounts(JNIEnv* env, jclass, jlong model, jlongArray numbers) {
  return guarded(env, [&] {
    int32_t inputs{};
    int32_t outputs{};
    check(env, anydim_model_get_counts(as_handle<anydim_model_t>(model), &inputs, &outputs));
    StructWriter results(env, numbers, nullptr);
    results.put(inputs);
    results.put(outputs);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelGetInput(JNIEnv* env, jclass, jlong model, jint index, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    check(env, anydim_model_get_input(as_handle<anydim_model_t>(model), index, &info));
    StructWriter results(env, numbers, texts);
    results.put(info.dtype);
    results.put(info.name);
    results.put(info.dims);
    results.put(info.min);
    results.put(info.max);
    results.put(info.order);
    results.put(info.symbols[0]);
    results.put(info.symbols[1]);
    results.put(info.symbols[2]);
    results.put(info.symbols[3]);
    results.put(info.symbols[4]);
    results.put(info.symbols[5]);
    results.put(info.symbols[6]);
    results.put(info.symbols[7]);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelGetOutput(JNIEnv* env, jclass, jlong model, jint index, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    check(env, anydim_model_get_output(as_handle<anydim_model_t>(model), index, &info));
    StructWriter results(env, numbers, texts);
    results.put(info.dtype);
    results.put(info.name);
    results.put(info.dims);
    results.put(info.min);
    results.put(info.max);
    results.put(info.order);
    results.put(info.symbols[0]);
    results.put(info.symbols[1]);
    results.put(info.symbols[2]);
    results.put(info.symbols[3]);
    results.put(info.symbols[4]);
    results.put(info.symbols[5]);
    results.put(info.symbols[6]);
    results.put(info.symbols[7]);
    results.done();
  });
}
JNIEXPORT jint JNICALL Java_org_anydim_NativeCalls_modelFindInput(JNIEnv* env, jclass, jlong model, jbyteArray name) {
  return guarded(env, [&]() -> jint {
    const Text name_text(env, name);
    int32_t index{};
    check(env, anydim_model_find_input(as_handle<anydim_model_t>(model), name_text.c_str(), &index));
    return index;
  });
}
JNIEXPORT jint JNICALL Java_org_anydim_NativeCalls_modelFindOutput(JNIEnv* env, jclass, jlong model, jbyteArray name) {
  return guarded(env, [&]() -> jint {
    const Text name_text(env, name);
    int32_t index{};
    check(env, anydim_model_find_output(as_handle<anydim_model_t>(model), name_text.c_str(), &index));
    return index;
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_modelDescribe(JNIEnv* env, jclass, jlong model) {
  return guarded(env, [&]() -> jlong {
    anydim_text_t text{};
    check(env, anydim_model_describe(as_handle<anydim_model_t>(model), &text));
    return as_number(text);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_boundsCreate(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong {
    anydim_bounds_t bounds{};
    check(env, anydim_bounds_create(&bounds));
    return as_number(bounds);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_boundsDestroy(JNIEnv* env, jclass, jlong bounds) {
  return guarded(env, [&] {
    anydim_bounds_destroy(as_handle<anydim_bounds_t>(bounds));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_boundsSet(JNIEnv* env, jclass, jlong bounds, jbyteArray input, jlongArray dims) {
  return guarded(env, [&] {
    const Text input_text(env, input);
    const Images<anydim_dim_t> dims_array(env, dims);
    check(env, anydim_bounds_set(as_handle<anydim_bounds_t>(bounds), input_text.c_str(), dims_array.size(), dims_array.data()));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_layoutsCreate(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong {
    anydim_layouts_t layouts{};
    check(env, anydim_layouts_create(&layouts));
    return as_number(layouts);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_layoutsDestroy(JNIEnv* env, jclass, jlong layouts) {
  return guarded(env, [&] {
    anydim_layouts_destroy(as_handle<anydim_layouts_t>(layouts));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_layoutsSet(JNIEnv* env, jclass, jlong layouts, jbyteArray name, jint rule, jlongArray axes) {
  return guarded(env, [&] {
    const Text name_text(env, name);
    const Numbers<jlongArray> axes_array(env, axes);
    check(env, anydim_layouts_set(as_handle<anydim_layouts_t>(layouts), name_text.c_str(), rule, axes_array.size(), axes_array.data()));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_layersCreate(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong {
    anydim_layers_t layers{};
    check(env, anydim_layers_create(&layers));
    return as_number(layers);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_layersDestroy(JNIEnv* env, jclass, jlong layers) {
  return guarded(env, [&] {
    anydim_layers_destroy(as_handle<anydim_layers_t>(layers));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_layersSetMath(JNIEnv* env, jclass, jlong layers, jbyteArray layer, jint mode) {
  return guarded(env, [&] {
    const Text layer_text(env, layer);
    check(env, anydim_layers_set_math(as_handle<anydim_layers_t>(layers), layer_text.c_str(), mode));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_modelBuilderCreate(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong {
    anydim_model_builder_t builder{};
    check(env, anydim_model_builder_create(&builder));
    return as_number(builder);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderDestroy(JNIEnv* env, jclass, jlong model_builder) {
  return guarded(env, [&] {
    anydim_model_builder_destroy(as_handle<anydim_model_builder_t>(model_builder));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderSetOpset(JNIEnv* env, jclass, jlong builder, jbyteArray domain, jlong version) {
  return guarded(env, [&] {
    const Text domain_text(env, domain);
    check(env, anydim_model_builder_set_opset(as_handle<anydim_model_builder_t>(builder), domain_text.c_str(), version));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderAddInput(JNIEnv* env, jclass, jlong builder, jbyteArray name, jint dtype, jlongArray dims) {
  return guarded(env, [&] {
    const Text name_text(env, name);
    const Numbers<jlongArray> dims_array(env, dims);
    check(env, anydim_model_builder_add_input(as_handle<anydim_model_builder_t>(builder), name_text.c_str(), dtype, dims_array.size(), dims_array.data()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderSetSymbol(JNIEnv* env, jclass, jlong builder, jbyteArray input, jint axis, jbyteArray symbol) {
  return guarded(env, [&] {
    const Text input_text(env, input);
    const Text symbol_text(env, symbol);
    check(env, anydim_model_builder_set_symbol(as_handle<anydim_model_builder_t>(builder), input_text.c_str(), axis, symbol_text.c_str()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderAddOutput(JNIEnv* env, jclass, jlong builder, jbyteArray name) {
  return guarded(env, [&] {
    const Text name_text(env, name);
    check(env, anydim_model_builder_add_output(as_handle<anydim_model_builder_t>(builder), name_text.c_str()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderAddConstant(JNIEnv* env, jclass, jlong builder, jbyteArray name, jint dtype, jlongArray dims, jlong data, jlong finalizer, jlong user) {
  return guarded(env, [&] {
    const Text name_text(env, name);
    const Numbers<jlongArray> dims_array(env, dims);
    check(env, anydim_model_builder_add_constant(as_handle<anydim_model_builder_t>(builder), name_text.c_str(), dtype, dims_array.size(), dims_array.data(), as_pointer(data), as_function<anydim_finalizer_callback_t>(finalizer), as_pointer(user)));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderAddNode(JNIEnv* env, jclass, jlong builder, jbyteArray op_type, jbyteArray domain, jbyteArray name) {
  return guarded(env, [&] {
    const Text op_type_text(env, op_type);
    const Text domain_text(env, domain);
    const Text name_text(env, name);
    check(env, anydim_model_builder_add_node(as_handle<anydim_model_builder_t>(builder), op_type_text.c_str(), domain_text.c_str(), name_text.c_str()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderAddNodeInput(JNIEnv* env, jclass, jlong builder, jbyteArray value) {
  return guarded(env, [&] {
    const Text value_text(env, value);
    check(env, anydim_model_builder_add_node_input(as_handle<anydim_model_builder_t>(builder), value_text.c_str()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderAddNodeOutput(JNIEnv* env, jclass, jlong builder, jbyteArray value) {
  return guarded(env, [&] {
    const Text value_text(env, value);
    check(env, anydim_model_builder_add_node_output(as_handle<anydim_model_builder_t>(builder), value_text.c_str()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderSetNodeInteger(JNIEnv* env, jclass, jlong builder, jbyteArray attribute, jlong value) {
  return guarded(env, [&] {
    const Text attribute_text(env, attribute);
    check(env, anydim_model_builder_set_node_integer(as_handle<anydim_model_builder_t>(builder), attribute_text.c_str(), value));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderSetNodeIntegers(JNIEnv* env, jclass, jlong builder, jbyteArray attribute, jlongArray values) {
  return guarded(env, [&] {
    const Text attribute_text(env, attribute);
    const Numbers<jlongArray> values_array(env, values);
    check(env, anydim_model_builder_set_node_integers(as_handle<anydim_model_builder_t>(builder), attribute_text.c_str(), values_array.data(), values_array.size()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderSetNodeReal(JNIEnv* env, jclass, jlong builder, jbyteArray attribute, jfloat value) {
  return guarded(env, [&] {
    const Text attribute_text(env, attribute);
    check(env, anydim_model_builder_set_node_real(as_handle<anydim_model_builder_t>(builder), attribute_text.c_str(), value));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderSetNodeReals(JNIEnv* env, jclass, jlong builder, jbyteArray attribute, jfloatArray values) {
  return guarded(env, [&] {
    const Text attribute_text(env, attribute);
    const Numbers<jfloatArray> values_array(env, values);
    check(env, anydim_model_builder_set_node_reals(as_handle<anydim_model_builder_t>(builder), attribute_text.c_str(), values_array.data(), values_array.size()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderSetNodeText(JNIEnv* env, jclass, jlong builder, jbyteArray attribute, jbyteArray value) {
  return guarded(env, [&] {
    const Text attribute_text(env, attribute);
    const Text value_text(env, value);
    check(env, anydim_model_builder_set_node_text(as_handle<anydim_model_builder_t>(builder), attribute_text.c_str(), value_text.c_str()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderAppendNodeText(JNIEnv* env, jclass, jlong builder, jbyteArray attribute, jbyteArray value) {
  return guarded(env, [&] {
    const Text attribute_text(env, attribute);
    const Text value_text(env, value);
    check(env, anydim_model_builder_append_node_text(as_handle<anydim_model_builder_t>(builder), attribute_text.c_str(), value_text.c_str()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderSetNodeTensor(JNIEnv* env, jclass, jlong builder, jbyteArray attribute, jint dtype, jlongArray dims, jlong data) {
  return guarded(env, [&] {
    const Text attribute_text(env, attribute);
    const Numbers<jlongArray> dims_array(env, dims);
    check(env, anydim_model_builder_set_node_tensor(as_handle<anydim_model_builder_t>(builder), attribute_text.c_str(), dtype, dims_array.size(), dims_array.data(), as_pointer(data)));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderSetNodeBody(JNIEnv* env, jclass, jlong builder, jbyteArray attribute, jlong body) {
  return guarded(env, [&] {
    const Text attribute_text(env, attribute);
    check(env, anydim_model_builder_set_node_body(as_handle<anydim_model_builder_t>(builder), attribute_text.c_str(), as_handle<anydim_model_builder_t>(body)));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_modelBuilderAddValueType(JNIEnv* env, jclass, jlong builder, jbyteArray name, jint dtype, jlongArray dims) {
  return guarded(env, [&] {
    const Text name_text(env, name);
    const Numbers<jlongArray> dims_array(env, dims);
    check(env, anydim_model_builder_add_value_type(as_handle<anydim_model_builder_t>(builder), name_text.c_str(), dtype, dims_array.size(), dims_array.data()));
  });
}
JNIEXPORT jbyteArray JNICALL Java_org_anydim_NativeCalls_modelBuilderGetRefusal(JNIEnv* env, jclass, jlong builder, jint node) {
  return guarded(env, [&]() -> jbyteArray {
    anydim_string_t why{};
    check(env, anydim_model_builder_get_refusal(as_handle<anydim_model_builder_t>(builder), node, &why));
    return bytes_of(env, why);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_modelBuilderCreateModel(JNIEnv* env, jclass, jlong builder, jlong engine, jint options_math, jint options_reuse, jint options_input_layout, jint options_output_layout, jint options_passes, jlong options_layouts, jbyteArray options_packed_weights, jlongArray options_engines, jlong options_layers, jbyteArray options_external_data_folder, jbyteArray options_sequences, jlong options_operators, jbyteArray options_streaming, jlong options_streaming_chunk) {
  return guarded(env, [&]() -> jlong {
    anydim_model_options_t options_struct = ANYDIM_MODEL_OPTIONS_INIT;
    options_struct.math = options_math;
    options_struct.reuse = options_reuse;
    options_struct.input_layout = options_input_layout;
    options_struct.output_layout = options_output_layout;
    options_struct.passes = options_passes;
    options_struct.layouts = as_handle<anydim_layouts_t>(options_layouts);
    const Text options_packed_weights_text(env, options_packed_weights);
    options_struct.packed_weights = options_packed_weights_text.c_str();
    const Handles<anydim_engine_t> options_engines_array(env, options_engines);
    options_struct.engines = options_engines_array.data();
    options_struct.engine_count = options_engines_array.size();
    options_struct.layers = as_handle<anydim_layers_t>(options_layers);
    const Text options_external_data_folder_text(env, options_external_data_folder);
    options_struct.external_data_folder = options_external_data_folder_text.c_str();
    const Text options_sequences_text(env, options_sequences);
    options_struct.sequences = options_sequences_text.c_str();
    options_struct.operators = as_handle<anydim_custom_operators_t>(options_operators);
    const Text options_streaming_text(env, options_streaming);
    options_struct.streaming = options_streaming_text.c_str();
    options_struct.streaming_chunk = options_streaming_chunk;
    anydim_model_t model{};
    check(env, anydim_model_builder_create_model(as_handle<anydim_model_builder_t>(builder), as_handle<anydim_engine_t>(engine), &options_struct, &model));
    return as_number(model);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_modelGetBytesNeeded(JNIEnv* env, jclass, jlong model, jlong bounds, jint options_threads, jint options_profile, jint options_reuse, jint options_tuning_ms, jlong options_buffer, jlong options_buffer_bytes, jint engine) {
  return guarded(env, [&]() -> jlong {
    anydim_context_options_t options_struct = ANYDIM_CONTEXT_OPTIONS_INIT;
    options_struct.threads = options_threads;
    options_struct.profile = options_profile;
    options_struct.reuse = options_reuse;
    options_struct.tuning_ms = options_tuning_ms;
    options_struct.buffer = as_pointer(options_buffer);
    options_struct.buffer_bytes = options_buffer_bytes;
    int64_t bytes{};
    check(env, anydim_model_get_bytes_needed(as_handle<anydim_model_t>(model), as_handle<anydim_bounds_t>(bounds), &options_struct, engine, &bytes));
    return bytes;
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_contextCreate(JNIEnv* env, jclass, jlong model, jlong bounds, jint options_threads, jint options_profile, jint options_reuse, jint options_tuning_ms, jlong options_buffer, jlong options_buffer_bytes) {
  return guarded(env, [&]() -> jlong {
    anydim_context_options_t options_struct = ANYDIM_CONTEXT_OPTIONS_INIT;
    options_struct.threads = options_threads;
    options_struct.profile = options_profile;
    options_struct.reuse = options_reuse;
    options_struct.tuning_ms = options_tuning_ms;
    options_struct.buffer = as_pointer(options_buffer);
    options_struct.buffer_bytes = options_buffer_bytes;
    anydim_context_t context{};
    check(env, anydim_context_create(as_handle<anydim_model_t>(model), as_handle<anydim_bounds_t>(bounds), &options_struct, &context));
    return as_number(context);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_contextDestroy(JNIEnv* env, jclass, jlong context) {
  return guarded(env, [&] {
    anydim_context_destroy(as_handle<anydim_context_t>(context));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_contextRun(JNIEnv* env, jclass, jlong context, jlongArray inputs, jlongArray outputs, jint options_timeout_ms, jlong options_cancellation, jlong options_interrupted, jlong options_user, jlong options_aliases, jint options_alias_count, jint options_part_count, jlong options_parts) {
  return guarded(env, [&] {
    const Views inputs_views(env, inputs);
    ViewsOut outputs_views(env, outputs);
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    options_struct.timeout_ms = options_timeout_ms;
    options_struct.cancellation = as_handle<anydim_cancellation_t>(options_cancellation);
    options_struct.interrupted = as_function<anydim_interrupted_callback_t>(options_interrupted);
    options_struct.user = as_pointer(options_user);
    options_struct.aliases = as_pointer(options_aliases);
    options_struct.alias_count = options_alias_count;
    options_struct.part_count = options_part_count;
    options_struct.parts = as_pointer(options_parts);
    check(env, anydim_context_run(as_handle<anydim_context_t>(context), inputs_views.data(), inputs_views.size(), outputs_views.data(), outputs_views.size(), &options_struct));
    outputs_views.write_back();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_contextSubmit(JNIEnv* env, jclass, jlong context, jlong stream, jlongArray inputs, jlongArray outputs, jint options_timeout_ms, jlong options_cancellation, jlong options_interrupted, jlong options_user, jlong options_aliases, jint options_alias_count, jint options_part_count, jlong options_parts) {
  return guarded(env, [&] {
    const Views inputs_views(env, inputs);
    ViewsOut outputs_views(env, outputs);
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    options_struct.timeout_ms = options_timeout_ms;
    options_struct.cancellation = as_handle<anydim_cancellation_t>(options_cancellation);
    options_struct.interrupted = as_function<anydim_interrupted_callback_t>(options_interrupted);
    options_struct.user = as_pointer(options_user);
    options_struct.aliases = as_pointer(options_aliases);
    options_struct.alias_count = options_alias_count;
    options_struct.part_count = options_part_count;
    options_struct.parts = as_pointer(options_parts);
    check(env, anydim_context_submit(as_handle<anydim_context_t>(context), as_handle<anydim_stream_t>(stream), inputs_views.data(), inputs_views.size(), outputs_views.data(), outputs_views.size(), &options_struct));
    outputs_views.write_back();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_cancellationCreate(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong {
    anydim_cancellation_t cancellation{};
    check(env, anydim_cancellation_create(&cancellation));
    return as_number(cancellation);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_cancellationDestroy(JNIEnv* env, jclass, jlong cancellation) {
  return guarded(env, [&] {
    anydim_cancellation_destroy(as_handle<anydim_cancellation_t>(cancellation));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_cancellationSet(JNIEnv* env, jclass, jlong cancellation, jint cancelled) {
  return guarded(env, [&] {
    check(env, anydim_cancellation_set(as_handle<anydim_cancellation_t>(cancellation), cancelled));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_contextGetOutputDims(JNIEnv* env, jclass, jlong context, jlongArray inputs, jint index, jlongArray numbers) {
  return guarded(env, [&] {
    const Views inputs_views(env, inputs);
    anydim_dims_t dims{};
    check(env, anydim_context_get_output_dims(as_handle<anydim_context_t>(context), inputs_views.data(), inputs_views.size(), index, &dims));
    StructWriter results(env, numbers, nullptr);
    results.put(dims);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_contextQuery(JNIEnv* env, jclass, jlong context, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_context_info_t info = ANYDIM_CONTEXT_INFO_INIT;
    check(env, anydim_context_query(as_handle<anydim_context_t>(context), &info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.bounded);
    results.put(info.arena_bytes);
    results.put(info.growths);
    results.put(info.runs);
    results.put(info.threads);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_contextExplain(JNIEnv* env, jclass, jlong context, jlongArray inputs, jint options_timeout_ms, jlong options_cancellation, jlong options_interrupted, jlong options_user, jlong options_aliases, jint options_alias_count, jint options_part_count, jlong options_parts) {
  return guarded(env, [&]() -> jlong {
    const Views inputs_views(env, inputs);
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    options_struct.timeout_ms = options_timeout_ms;
    options_struct.cancellation = as_handle<anydim_cancellation_t>(options_cancellation);
    options_struct.interrupted = as_function<anydim_interrupted_callback_t>(options_interrupted);
    options_struct.user = as_pointer(options_user);
    options_struct.aliases = as_pointer(options_aliases);
    options_struct.alias_count = options_alias_count;
    options_struct.part_count = options_part_count;
    options_struct.parts = as_pointer(options_parts);
    anydim_text_t text{};
    check(env, anydim_context_explain(as_handle<anydim_context_t>(context), inputs_views.data(), inputs_views.size(), &options_struct, &text));
    return as_number(text);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_contextTune(JNIEnv* env, jclass, jlong context, jlongArray inputs, jint options_node_ms, jint options_record, jint options_again, jlong options_progress, jlong options_user, jlong options_cancellation) {
  return guarded(env, [&]() -> jlong {
    const Views inputs_views(env, inputs);
    anydim_tune_options_t options_struct = ANYDIM_TUNE_OPTIONS_INIT;
    options_struct.node_ms = options_node_ms;
    options_struct.record = options_record;
    options_struct.again = options_again;
    options_struct.progress = as_function<anydim_progress_callback_t>(options_progress);
    options_struct.user = as_pointer(options_user);
    options_struct.cancellation = as_handle<anydim_cancellation_t>(options_cancellation);
    anydim_text_t text{};
    check(env, anydim_context_tune(as_handle<anydim_context_t>(context), inputs_views.data(), inputs_views.size(), &options_struct, &text));
    return as_number(text);
  });
}
JNIEXPORT jint JNICALL Java_org_anydim_NativeCalls_contextGetNodeCount(JNIEnv* env, jclass, jlong context) {
  return guarded(env, [&]() -> jint {
    int32_t count{};
    check(env, anydim_context_get_node_count(as_handle<anydim_context_t>(context), &count));
    return count;
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_contextGetNode(JNIEnv* env, jclass, jlong context, jint index, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_node_info_t info = ANYDIM_NODE_INFO_INIT;
    check(env, anydim_context_get_node(as_handle<anydim_context_t>(context), index, &info));
    StructWriter results(env, numbers, texts);
    results.put(info.name);
    results.put(info.op);
    results.put(info.kernel);
    results.put(info.tier);
    results.put(info.post_ops);
    results.put(info.scratch_bytes);
    results.put(info.output_bytes);
    results.put(info.time_ns);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_sessionCreate(JNIEnv* env, jclass, jlong model, jlong bounds, jint options_threads, jint options_profile, jint options_reuse, jint options_tuning_ms, jlong options_buffer, jlong options_buffer_bytes, jint contexts) {
  return guarded(env, [&]() -> jlong {
    anydim_context_options_t options_struct = ANYDIM_CONTEXT_OPTIONS_INIT;
    options_struct.threads = options_threads;
    options_struct.profile = options_profile;
    options_struct.reuse = options_reuse;
    options_struct.tuning_ms = options_tuning_ms;
    options_struct.buffer = as_pointer(options_buffer);
    options_struct.buffer_bytes = options_buffer_bytes;
    anydim_session_t session{};
    check(env, anydim_session_create(as_handle<anydim_model_t>(model), as_handle<anydim_bounds_t>(bounds), &options_struct, contexts, &session));
    return as_number(session);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_sessionDestroy(JNIEnv* env, jclass, jlong session) {
  return guarded(env, [&] {
    anydim_session_destroy(as_handle<anydim_session_t>(session));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_sessionRun(JNIEnv* env, jclass, jlong session, jlongArray inputs, jlongArray outputs, jint options_timeout_ms, jlong options_cancellation, jlong options_interrupted, jlong options_user, jlong options_aliases, jint options_alias_count, jint options_part_count, jlong options_parts) {
  return guarded(env, [&] {
    const Views inputs_views(env, inputs);
    ViewsOut outputs_views(env, outputs);
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    options_struct.timeout_ms = options_timeout_ms;
    options_struct.cancellation = as_handle<anydim_cancellation_t>(options_cancellation);
    options_struct.interrupted = as_function<anydim_interrupted_callback_t>(options_interrupted);
    options_struct.user = as_pointer(options_user);
    options_struct.aliases = as_pointer(options_aliases);
    options_struct.alias_count = options_alias_count;
    options_struct.part_count = options_part_count;
    options_struct.parts = as_pointer(options_parts);
    check(env, anydim_session_run(as_handle<anydim_session_t>(session), inputs_views.data(), inputs_views.size(), outputs_views.data(), outputs_views.size(), &options_struct));
    outputs_views.write_back();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_sessionQuery(JNIEnv* env, jclass, jlong session, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_session_info_t info = ANYDIM_SESSION_INFO_INIT;
    check(env, anydim_session_query(as_handle<anydim_session_t>(session), &info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.contexts);
    results.put(info.limit);
    results.put(info.in_use);
    results.put(info.waiting);
    results.put(info.growths);
    results.put(info.arena_bytes);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_sessionAcquireModel(JNIEnv* env, jclass, jlong session) {
  return guarded(env, [&]() -> jlong {
    anydim_model_t model{};
    check(env, anydim_session_acquire_model(as_handle<anydim_session_t>(session), &model));
    return as_number(model);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_sessionExplain(JNIEnv* env, jclass, jlong session, jlongArray inputs) {
  return guarded(env, [&]() -> jlong {
    const Views inputs_views(env, inputs);
    anydim_text_t text{};
    check(env, anydim_session_explain(as_handle<anydim_session_t>(session), inputs_views.data(), inputs_views.size(), &text));
    return as_number(text);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_stateCreate(JNIEnv* env, jclass, jlong session, jlong limit) {
  return guarded(env, [&]() -> jlong {
    anydim_state_t state{};
    check(env, anydim_state_create(as_handle<anydim_session_t>(session), limit, &state));
    return as_number(state);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_stateDestroy(JNIEnv* env, jclass, jlong state) {
  return guarded(env, [&] {
    anydim_state_destroy(as_handle<anydim_state_t>(state));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_stateAdd(JNIEnv* env, jclass, jlong state, jbyteArray input, jbyteArray output, jint axis) {
  return guarded(env, [&] {
    const Text input_text(env, input);
    const Text output_text(env, output);
    check(env, anydim_state_add(as_handle<anydim_state_t>(state), input_text.c_str(), output_text.c_str(), axis));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_stateUsePages(JNIEnv* env, jclass, jlong state, jlong page, jlong pool_limit) {
  return guarded(env, [&] {
    check(env, anydim_state_use_pages(as_handle<anydim_state_t>(state), page, pool_limit));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_stateStep(JNIEnv* env, jclass, jlong state, jlongArray inputs, jlongArray outputs, jint options_timeout_ms, jlong options_cancellation, jlong options_interrupted, jlong options_user, jlong options_aliases, jint options_alias_count, jint options_part_count, jlong options_parts) {
  return guarded(env, [&] {
    const Views inputs_views(env, inputs);
    ViewsOut outputs_views(env, outputs);
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    options_struct.timeout_ms = options_timeout_ms;
    options_struct.cancellation = as_handle<anydim_cancellation_t>(options_cancellation);
    options_struct.interrupted = as_function<anydim_interrupted_callback_t>(options_interrupted);
    options_struct.user = as_pointer(options_user);
    options_struct.aliases = as_pointer(options_aliases);
    options_struct.alias_count = options_alias_count;
    options_struct.part_count = options_part_count;
    options_struct.parts = as_pointer(options_parts);
    check(env, anydim_state_step(as_handle<anydim_state_t>(state), inputs_views.data(), inputs_views.size(), outputs_views.data(), outputs_views.size(), &options_struct));
    outputs_views.write_back();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_stateReset(JNIEnv* env, jclass, jlong state) {
  return guarded(env, [&] {
    check(env, anydim_state_reset(as_handle<anydim_state_t>(state)));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_stateTruncate(JNIEnv* env, jclass, jlong state, jlong length) {
  return guarded(env, [&] {
    check(env, anydim_state_truncate(as_handle<anydim_state_t>(state), length));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_stateFork(JNIEnv* env, jclass, jlong state) {
  return guarded(env, [&]() -> jlong {
    anydim_state_t copy{};
    check(env, anydim_state_fork(as_handle<anydim_state_t>(state), &copy));
    return as_number(copy);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_stateRead(JNIEnv* env, jclass, jlong state, jint part, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_view_t view{};
    check(env, anydim_state_read(as_handle<anydim_state_t>(state), part, &view));
    StructWriter results(env, numbers, nullptr);
    results.put(view);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_stateWrite(JNIEnv* env, jclass, jlong state, jlongArray values) {
  return guarded(env, [&] {
    const Views values_views(env, values);
    check(env, anydim_state_write(as_handle<anydim_state_t>(state), values_views.data(), values_views.size()));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_stateQuery(JNIEnv* env, jclass, jlong state, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_state_info_t info = ANYDIM_STATE_INFO_INIT;
    check(env, anydim_state_query(as_handle<anydim_state_t>(state), &info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.parts);
    results.put(info.in_place);
    results.put(info.length);
    results.put(info.limit);
    results.put(info.steps);
    results.put(info.bytes);
    results.put(info.appended_bytes);
    results.put(info.copied_bytes);
    results.put(info.growths);
    results.put(info.page);
    results.put(info.pages);
    results.put(info.shared_pages);
    results.put(info.pool_bytes);
    results.put(info.pool_limit);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_streamingCreate(JNIEnv* env, jclass, jlong session) {
  return guarded(env, [&]() -> jlong {
    anydim_streaming_t streaming{};
    check(env, anydim_streaming_create(as_handle<anydim_session_t>(session), &streaming));
    return as_number(streaming);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_streamingDestroy(JNIEnv* env, jclass, jlong streaming) {
  return guarded(env, [&] {
    anydim_streaming_destroy(as_handle<anydim_streaming_t>(streaming));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_streamingPush(JNIEnv* env, jclass, jlong streaming, jlongArray inputs, jint last, jlongArray outputs, jint options_timeout_ms, jlong options_cancellation, jlong options_interrupted, jlong options_user, jlong options_aliases, jint options_alias_count, jint options_part_count, jlong options_parts) {
  return guarded(env, [&] {
    const Views inputs_views(env, inputs);
    ViewsOut outputs_views(env, outputs);
    anydim_run_options_t options_struct = ANYDIM_RUN_OPTIONS_INIT;
    options_struct.timeout_ms = options_timeout_ms;
    options_struct.cancellation = as_handle<anydim_cancellation_t>(options_cancellation);
    options_struct.interrupted = as_function<anydim_interrupted_callback_t>(options_interrupted);
    options_struct.user = as_pointer(options_user);
    options_struct.aliases = as_pointer(options_aliases);
    options_struct.alias_count = options_alias_count;
    options_struct.part_count = options_part_count;
    options_struct.parts = as_pointer(options_parts);
    check(env, anydim_streaming_push(as_handle<anydim_streaming_t>(streaming), inputs_views.data(), inputs_views.size(), last, outputs_views.data(), outputs_views.size(), &options_struct));
    outputs_views.write_back();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_streamingReset(JNIEnv* env, jclass, jlong streaming) {
  return guarded(env, [&] {
    check(env, anydim_streaming_reset(as_handle<anydim_streaming_t>(streaming)));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_streamingQuery(JNIEnv* env, jclass, jlong streaming, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_streaming_info_t info = ANYDIM_STREAMING_INFO_INIT;
    check(env, anydim_streaming_query(as_handle<anydim_streaming_t>(streaming), &info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.first_after);
    results.put(info.received);
    results.put(info.chunks);
    results.put(info.bytes);
    results.put(info.most_chunk);
    results.done();
  });
}
JNIEXPORT jint JNICALL Java_org_anydim_NativeCalls_streamingGetAxis(JNIEnv* env, jclass, jlong streaming, jint output) {
  return guarded(env, [&]() -> jint {
    int32_t axis{};
    check(env, anydim_streaming_get_axis(as_handle<anydim_streaming_t>(streaming), output, &axis));
    return axis;
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_streamingGetBytesNeeded(JNIEnv* env, jclass, jlong streaming) {
  return guarded(env, [&]() -> jlong {
    int64_t bytes{};
    check(env, anydim_streaming_get_bytes_needed(as_handle<anydim_streaming_t>(streaming), &bytes));
    return bytes;
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_sessionStartBatching(JNIEnv* env, jclass, jlong session, jint options_rows, jlong options_wait_us, jint options_waiting) {
  return guarded(env, [&] {
    anydim_batching_options_t options_struct = ANYDIM_BATCHING_OPTIONS_INIT;
    options_struct.rows = options_rows;
    options_struct.wait_us = options_wait_us;
    options_struct.waiting = options_waiting;
    check(env, anydim_session_start_batching(as_handle<anydim_session_t>(session), &options_struct));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_sessionStopBatching(JNIEnv* env, jclass, jlong session, jint cancel) {
  return guarded(env, [&] {
    check(env, anydim_session_stop_batching(as_handle<anydim_session_t>(session), cancel));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_sessionQueryBatching(JNIEnv* env, jclass, jlong session, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_batching_info_t info = ANYDIM_BATCHING_INFO_INIT;
    check(env, anydim_session_query_batching(as_handle<anydim_session_t>(session), &info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.started);
    results.put(info.waiting);
    results.put(info.running);
    results.put(info.requests);
    results.put(info.rows);
    results.put(info.batches);
    results.put(info.largest_batch);
    results.put(info.failed);
    results.put(info.cancelled);
    results.put(info.late);
    results.put(info.refused);
    results.put(info.p50_ns);
    results.put(info.p99_ns);
    results.put(info.rows_per_second);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_workerControl(JNIEnv* env, jclass, jint action) {
  return guarded(env, [&] {
    check(env, anydim_worker_control(action));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_workerDrain(JNIEnv* env, jclass, jlong timeout_ms) {
  return guarded(env, [&] {
    check(env, anydim_worker_drain(timeout_ms));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_workerQuery(JNIEnv* env, jclass, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_worker_info_t info = ANYDIM_WORKER_INFO_INIT;
    check(env, anydim_worker_query(&info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.running);
    results.put(info.paused);
    results.put(info.turned_off);
    results.put(info.queued);
    results.put(info.requested);
    results.put(info.dropped);
    results.put(info.repeated);
    results.put(info.served);
    results.put(info.failed);
    results.put(info.busy_ns);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveCacheSetLimit(JNIEnv* env, jclass, jlong bytes) {
  return guarded(env, [&] {
    check(env, anydim_primitive_cache_set_limit(bytes));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveCacheClear(JNIEnv* env, jclass) {
  return guarded(env, [&] {
    check(env, anydim_primitive_cache_clear());
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveCacheQuery(JNIEnv* env, jclass, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_primitive_cache_info_t info = ANYDIM_PRIMITIVE_CACHE_INFO_INIT;
    check(env, anydim_primitive_cache_query(&info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.churn_misses);
    results.put(info.limit_bytes);
    results.put(info.bytes);
    results.put(info.entries);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_primitiveQueryCreation(JNIEnv* env, jclass, jlong primitive, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_primitive_creation_t info = ANYDIM_PRIMITIVE_CREATION_INIT;
    check(env, anydim_primitive_query_creation(as_handle<anydim_primitive_t>(primitive), &info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.hit);
    results.put(info.time_ns);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_persistentCacheQuery(JNIEnv* env, jclass, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_persistent_cache_info_t info = ANYDIM_PERSISTENT_CACHE_INFO_INIT;
    check(env, anydim_persistent_cache_query(&info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.enabled);
    results.put(info.limit_bytes);
    results.put(info.entries);
    results.put(info.index_bytes);
    results.put(info.hits);
    results.put(info.misses);
    results.put(info.stores);
    results.put(info.store_failures);
    results.put(info.evicted);
    results.put(info.damaged_records);
    results.put(info.damaged_files);
    results.put(info.load_failures);
    results.put(info.load_ns);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_persistentCacheGetPath(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong {
    anydim_text_t text{};
    check(env, anydim_persistent_cache_get_path(&text));
    return as_number(text);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_persistentCacheDescribe(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong {
    anydim_text_t text{};
    check(env, anydim_persistent_cache_describe(&text));
    return as_number(text);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_persistentCacheVerify(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jlong {
    anydim_text_t text{};
    check(env, anydim_persistent_cache_verify(&text));
    return as_number(text);
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_persistentCacheExport(JNIEnv* env, jclass, jbyteArray path) {
  return guarded(env, [&]() -> jlong {
    const Text path_text(env, path);
    int64_t records{};
    check(env, anydim_persistent_cache_export(path_text.c_str(), &records));
    return records;
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_persistentCacheImport(JNIEnv* env, jclass, jbyteArray path, jlongArray numbers) {
  return guarded(env, [&] {
    const Text path_text(env, path);
    int64_t records{};
    int64_t damaged{};
    check(env, anydim_persistent_cache_import(path_text.c_str(), &records, &damaged));
    StructWriter results(env, numbers, nullptr);
    results.put(records);
    results.put(damaged);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_persistentCacheClear(JNIEnv* env, jclass, jint kind) {
  return guarded(env, [&]() -> jlong {
    int64_t removed{};
    check(env, anydim_persistent_cache_clear(kind, &removed));
    return removed;
  });
}
JNIEXPORT jint JNICALL Java_org_anydim_NativeCalls_counterGetCount(JNIEnv* env, jclass) {
  return guarded(env, [&]() -> jint {
    int32_t count{};
    check(env, anydim_counter_get_count(&count));
    return count;
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_counterGet(JNIEnv* env, jclass, jint index, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_counter_t info = ANYDIM_COUNTER_INIT;
    check(env, anydim_counter_get(index, &info));
    StructWriter results(env, numbers, texts);
    results.put(info.level);
    results.put(info.name);
    results.put(info.doc);
    results.put(info.value);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_verboseSet(JNIEnv* env, jclass, jint level) {
  return guarded(env, [&] {
    check(env, anydim_verbose_set(level));
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_callParse(JNIEnv* env, jclass, jbyteArray line) {
  return guarded(env, [&]() -> jlong {
    const Text line_text(env, line);
    anydim_call_t call{};
    check(env, anydim_call_parse(line_text.c_str(), &call));
    return as_number(call);
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_callDestroy(JNIEnv* env, jclass, jlong call) {
  return guarded(env, [&] {
    anydim_call_destroy(as_handle<anydim_call_t>(call));
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_callQuery(JNIEnv* env, jclass, jlong call, jlongArray numbers, jobjectArray texts) {
  return guarded(env, [&] {
    anydim_call_info_t info = ANYDIM_CALL_INFO_INIT;
    check(env, anydim_call_query(as_handle<anydim_call_t>(call), &info));
    StructWriter results(env, numbers, texts);
    results.put(info.tensors);
    results.put(info.name);
    results.put(info.op);
    results.put(info.post_ops);
    results.put(info.kernel);
    results.put(info.tier);
    results.put(info.time_ns);
    results.put(info.flops);
    results.put(info.threads);
    results.done();
  });
}
JNIEXPORT void JNICALL Java_org_anydim_NativeCalls_callGetTensor(JNIEnv* env, jclass, jlong call, jint index, jlongArray numbers) {
  return guarded(env, [&] {
    anydim_call_tensor_t info = ANYDIM_CALL_TENSOR_INIT;
    check(env, anydim_call_get_tensor(as_handle<anydim_call_t>(call), index, &info));
    StructWriter results(env, numbers, nullptr);
    results.put(info.role);
    results.put(info.dtype);
    results.put(info.index);
    results.put(info.dims);
    results.put(info.strides);
    results.put(info.low);
    results.put(info.high);
    results.done();
  });
}
JNIEXPORT jlong JNICALL Java_org_anydim_NativeCalls_callCreatePrimitive(JNIEnv* env, jclass, jlong call, jlong engine, jbyteArray kernel, jlongArray weights) {
  return guarded(env, [&]() -> jlong {
    const Text kernel_text(env, kernel);
    const Views weights_views(env, weights);
    anydim_primitive_t primitive{};
    check(env, anydim_call_create_primitive(as_handle<anydim_call_t>(call), as_handle<anydim_engine_t>(engine), kernel_text.c_str(), weights_views.data(), weights_views.size(), &primitive));
    return as_number(primitive);
  });
}

}  // extern "C"

// Java writes images of these structs.
static_assert(sizeof(anydim_view_t) == 176);
static_assert(offsetof(anydim_view_t, data) == 0);
static_assert(offsetof(anydim_view_t, dtype) == 8);
static_assert(offsetof(anydim_view_t, layout) == 12);
static_assert(offsetof(anydim_view_t, dims) == 16);
static_assert(offsetof(anydim_view_t, strides) == 88);
static_assert(offsetof(anydim_view_t, memory) == 160);
static_assert(offsetof(anydim_view_t, offset) == 168);
static_assert(sizeof(anydim_dims_t) == 72);
static_assert(offsetof(anydim_dims_t, rank) == 0);
static_assert(offsetof(anydim_dims_t, reserved) == 4);
static_assert(offsetof(anydim_dims_t, values) == 8);
static_assert(sizeof(anydim_dim_t) == 40);
static_assert(offsetof(anydim_dim_t, value) == 0);
static_assert(offsetof(anydim_dim_t, min) == 8);
static_assert(offsetof(anydim_dim_t, max) == 16);
static_assert(offsetof(anydim_dim_t, hint) == 24);
static_assert(offsetof(anydim_dim_t, multiple_of) == 32);
static_assert(sizeof(anydim_convolution_t) == 120);
static_assert(offsetof(anydim_convolution_t, spatial) == 8);
static_assert(offsetof(anydim_convolution_t, auto_pad) == 12);
static_assert(offsetof(anydim_convolution_t, strides) == 16);
static_assert(offsetof(anydim_convolution_t, dilations) == 40);
static_assert(offsetof(anydim_convolution_t, pads_begin) == 64);
static_assert(offsetof(anydim_convolution_t, pads_end) == 88);
static_assert(offsetof(anydim_convolution_t, group) == 112);
static_assert(sizeof(anydim_conv_transpose_t) == 216);
static_assert(offsetof(anydim_conv_transpose_t, spatial) == 8);
static_assert(offsetof(anydim_conv_transpose_t, auto_pad) == 12);
static_assert(offsetof(anydim_conv_transpose_t, strides) == 16);
static_assert(offsetof(anydim_conv_transpose_t, dilations) == 40);
static_assert(offsetof(anydim_conv_transpose_t, pads_begin) == 64);
static_assert(offsetof(anydim_conv_transpose_t, pads_end) == 88);
static_assert(offsetof(anydim_conv_transpose_t, output_padding) == 112);
static_assert(offsetof(anydim_conv_transpose_t, output_shape) == 136);
static_assert(offsetof(anydim_conv_transpose_t, group) == 208);
static_assert(sizeof(anydim_matmul_t) == 24);
static_assert(offsetof(anydim_matmul_t, transpose_a) == 8);
static_assert(offsetof(anydim_matmul_t, transpose_b) == 12);
static_assert(offsetof(anydim_matmul_t, alpha) == 16);
static_assert(offsetof(anydim_matmul_t, beta) == 20);
static_assert(sizeof(anydim_pooling_t) == 160);
static_assert(offsetof(anydim_pooling_t, kind) == 8);
static_assert(offsetof(anydim_pooling_t, spatial) == 12);
static_assert(offsetof(anydim_pooling_t, global) == 16);
static_assert(offsetof(anydim_pooling_t, auto_pad) == 20);
static_assert(offsetof(anydim_pooling_t, window) == 24);
static_assert(offsetof(anydim_pooling_t, strides) == 48);
static_assert(offsetof(anydim_pooling_t, dilations) == 72);
static_assert(offsetof(anydim_pooling_t, pads_begin) == 96);
static_assert(offsetof(anydim_pooling_t, pads_end) == 120);
static_assert(offsetof(anydim_pooling_t, ceil_mode) == 144);
static_assert(offsetof(anydim_pooling_t, count_include_pad) == 148);
static_assert(offsetof(anydim_pooling_t, indices) == 152);
static_assert(offsetof(anydim_pooling_t, column_major_indices) == 156);
static_assert(sizeof(anydim_unary_t) == 24);
static_assert(offsetof(anydim_unary_t, function) == 8);
static_assert(offsetof(anydim_unary_t, alpha) == 12);
static_assert(offsetof(anydim_unary_t, beta) == 16);
static_assert(offsetof(anydim_unary_t, reserved) == 20);
static_assert(sizeof(anydim_binary_t) == 16);
static_assert(offsetof(anydim_binary_t, function) == 8);
static_assert(offsetof(anydim_binary_t, reserved) == 12);
static_assert(sizeof(anydim_reduce_t) == 88);
static_assert(offsetof(anydim_reduce_t, kind) == 8);
static_assert(offsetof(anydim_reduce_t, keepdims) == 12);
static_assert(offsetof(anydim_reduce_t, axes) == 16);
static_assert(sizeof(anydim_softmax_t) == 24);
static_assert(offsetof(anydim_softmax_t, axis) == 8);
static_assert(offsetof(anydim_softmax_t, log) == 16);
static_assert(offsetof(anydim_softmax_t, reserved) == 20);
static_assert(sizeof(anydim_layer_norm_t) == 24);
static_assert(offsetof(anydim_layer_norm_t, axis) == 8);
static_assert(offsetof(anydim_layer_norm_t, epsilon) == 16);
static_assert(offsetof(anydim_layer_norm_t, reserved) == 20);
static_assert(sizeof(anydim_resize_t) == 472);
static_assert(offsetof(anydim_resize_t, mode) == 8);
static_assert(offsetof(anydim_resize_t, coordinates) == 12);
static_assert(offsetof(anydim_resize_t, nearest) == 16);
static_assert(offsetof(anydim_resize_t, cubic_coeff_a) == 20);
static_assert(offsetof(anydim_resize_t, policy) == 24);
static_assert(offsetof(anydim_resize_t, extrapolation_value) == 28);
static_assert(offsetof(anydim_resize_t, exclude_outside) == 32);
static_assert(offsetof(anydim_resize_t, antialias) == 36);
static_assert(offsetof(anydim_resize_t, axes) == 40);
static_assert(offsetof(anydim_resize_t, sizes) == 112);
static_assert(offsetof(anydim_resize_t, scales) == 184);
static_assert(offsetof(anydim_resize_t, roi) == 256);
static_assert(offsetof(anydim_resize_t, scale_bits) == 328);
static_assert(offsetof(anydim_resize_t, roi_bits) == 400);
static_assert(sizeof(anydim_transpose_t) == 80);
static_assert(offsetof(anydim_transpose_t, perm) == 8);
static_assert(sizeof(anydim_cast_t) == 24);
static_assert(offsetof(anydim_cast_t, to) == 8);
static_assert(offsetof(anydim_cast_t, overflows) == 12);
static_assert(offsetof(anydim_cast_t, rounding) == 16);
static_assert(offsetof(anydim_cast_t, reserved) == 20);
static_assert(sizeof(anydim_concat_t) == 16);
static_assert(offsetof(anydim_concat_t, axis) == 8);
static_assert(sizeof(anydim_where_t) == 8);
static_assert(sizeof(anydim_arg_reduce_t) == 32);
static_assert(offsetof(anydim_arg_reduce_t, kind) == 8);
static_assert(offsetof(anydim_arg_reduce_t, keepdims) == 12);
static_assert(offsetof(anydim_arg_reduce_t, axis) == 16);
static_assert(offsetof(anydim_arg_reduce_t, select_last) == 24);
static_assert(offsetof(anydim_arg_reduce_t, reserved) == 28);
static_assert(sizeof(anydim_cumsum_t) == 24);
static_assert(offsetof(anydim_cumsum_t, exclusive) == 8);
static_assert(offsetof(anydim_cumsum_t, reverse) == 12);
static_assert(offsetof(anydim_cumsum_t, product) == 16);
static_assert(offsetof(anydim_cumsum_t, reserved) == 20);
static_assert(sizeof(anydim_reshape_t) == 80);
static_assert(offsetof(anydim_reshape_t, dims) == 8);
static_assert(sizeof(anydim_expand_t) == 80);
static_assert(offsetof(anydim_expand_t, dims) == 8);
static_assert(sizeof(anydim_slice_t) == 224);
static_assert(offsetof(anydim_slice_t, starts) == 8);
static_assert(offsetof(anydim_slice_t, steps) == 80);
static_assert(offsetof(anydim_slice_t, lengths) == 152);
static_assert(sizeof(anydim_pad_t) == 160);
static_assert(offsetof(anydim_pad_t, mode) == 8);
static_assert(offsetof(anydim_pad_t, reserved) == 12);
static_assert(offsetof(anydim_pad_t, before) == 16);
static_assert(offsetof(anydim_pad_t, after) == 88);
static_assert(sizeof(anydim_tile_t) == 80);
static_assert(offsetof(anydim_tile_t, repeats) == 8);
static_assert(sizeof(anydim_depth_to_space_t) == 24);
static_assert(offsetof(anydim_depth_to_space_t, block) == 8);
static_assert(offsetof(anydim_depth_to_space_t, order) == 16);
static_assert(offsetof(anydim_depth_to_space_t, inverse) == 20);
static_assert(sizeof(anydim_range_t) == 56);
static_assert(offsetof(anydim_range_t, dtype) == 8);
static_assert(offsetof(anydim_range_t, real) == 12);
static_assert(offsetof(anydim_range_t, start) == 16);
static_assert(offsetof(anydim_range_t, delta) == 24);
static_assert(offsetof(anydim_range_t, count) == 32);
static_assert(offsetof(anydim_range_t, real_start) == 40);
static_assert(offsetof(anydim_range_t, real_delta) == 48);
static_assert(sizeof(anydim_shape_tensor_t) == 32);
static_assert(offsetof(anydim_shape_tensor_t, dtype) == 8);
static_assert(offsetof(anydim_shape_tensor_t, scalar) == 12);
static_assert(offsetof(anydim_shape_tensor_t, values) == 16);
static_assert(offsetof(anydim_shape_tensor_t, values_count) == 24);
static_assert(sizeof(anydim_gather_t) == 16);
static_assert(offsetof(anydim_gather_t, axis) == 8);
static_assert(sizeof(anydim_gather_elements_t) == 16);
static_assert(offsetof(anydim_gather_elements_t, axis) == 8);
static_assert(sizeof(anydim_gather_nd_t) == 16);
static_assert(offsetof(anydim_gather_nd_t, batch_dims) == 8);
static_assert(sizeof(anydim_scatter_elements_t) == 24);
static_assert(offsetof(anydim_scatter_elements_t, axis) == 8);
static_assert(offsetof(anydim_scatter_elements_t, reduction) == 16);
static_assert(offsetof(anydim_scatter_elements_t, reserved) == 20);
static_assert(sizeof(anydim_scatter_nd_t) == 16);
static_assert(offsetof(anydim_scatter_nd_t, reduction) == 8);
static_assert(offsetof(anydim_scatter_nd_t, reserved) == 12);
static_assert(sizeof(anydim_topk_t) == 32);
static_assert(offsetof(anydim_topk_t, axis) == 8);
static_assert(offsetof(anydim_topk_t, k) == 16);
static_assert(offsetof(anydim_topk_t, largest) == 24);
static_assert(offsetof(anydim_topk_t, sorted) == 28);
static_assert(sizeof(anydim_trilu_t) == 24);
static_assert(offsetof(anydim_trilu_t, upper) == 8);
static_assert(offsetof(anydim_trilu_t, reserved) == 12);
static_assert(offsetof(anydim_trilu_t, k) == 16);
static_assert(sizeof(anydim_eye_like_t) == 24);
static_assert(offsetof(anydim_eye_like_t, dtype) == 8);
static_assert(offsetof(anydim_eye_like_t, reserved) == 12);
static_assert(offsetof(anydim_eye_like_t, k) == 16);
static_assert(sizeof(anydim_one_hot_t) == 24);
static_assert(offsetof(anydim_one_hot_t, axis) == 8);
static_assert(offsetof(anydim_one_hot_t, depth) == 16);
static_assert(sizeof(anydim_grid_sample_t) == 24);
static_assert(offsetof(anydim_grid_sample_t, mode) == 8);
static_assert(offsetof(anydim_grid_sample_t, padding) == 12);
static_assert(offsetof(anydim_grid_sample_t, align_corners) == 16);
static_assert(offsetof(anydim_grid_sample_t, reserved) == 20);
static_assert(sizeof(anydim_count_non_zero_t) == 8);
static_assert(sizeof(anydim_non_zero_t) == 16);
static_assert(offsetof(anydim_non_zero_t, count) == 8);
static_assert(sizeof(anydim_unique_t) == 24);
static_assert(offsetof(anydim_unique_t, axis) == 8);
static_assert(offsetof(anydim_unique_t, sorted) == 16);
static_assert(offsetof(anydim_unique_t, reserved) == 20);
static_assert(sizeof(anydim_recurrent_t) == 72);
static_assert(offsetof(anydim_recurrent_t, cell) == 8);
static_assert(offsetof(anydim_recurrent_t, direction) == 12);
static_assert(offsetof(anydim_recurrent_t, gates) == 16);
static_assert(offsetof(anydim_recurrent_t, gates_alpha) == 20);
static_assert(offsetof(anydim_recurrent_t, gates_beta) == 24);
static_assert(offsetof(anydim_recurrent_t, candidate) == 28);
static_assert(offsetof(anydim_recurrent_t, candidate_alpha) == 32);
static_assert(offsetof(anydim_recurrent_t, candidate_beta) == 36);
static_assert(offsetof(anydim_recurrent_t, output) == 40);
static_assert(offsetof(anydim_recurrent_t, output_alpha) == 44);
static_assert(offsetof(anydim_recurrent_t, output_beta) == 48);
static_assert(offsetof(anydim_recurrent_t, clip) == 52);
static_assert(offsetof(anydim_recurrent_t, linear_before_reset) == 56);
static_assert(offsetof(anydim_recurrent_t, input_forget) == 60);
static_assert(offsetof(anydim_recurrent_t, cell_state) == 64);
static_assert(offsetof(anydim_recurrent_t, reserved) == 68);
static_assert(sizeof(anydim_fold_t) == 256);
static_assert(offsetof(anydim_fold_t, spatial) == 8);
static_assert(offsetof(anydim_fold_t, reserved) == 12);
static_assert(offsetof(anydim_fold_t, image) == 16);
static_assert(offsetof(anydim_fold_t, window) == 88);
static_assert(offsetof(anydim_fold_t, strides) == 160);
static_assert(offsetof(anydim_fold_t, dilations) == 184);
static_assert(offsetof(anydim_fold_t, pads_begin) == 208);
static_assert(offsetof(anydim_fold_t, pads_end) == 232);
static_assert(sizeof(anydim_deform_columns_t) == 144);
static_assert(offsetof(anydim_deform_columns_t, spatial) == 8);
static_assert(offsetof(anydim_deform_columns_t, reserved) == 12);
static_assert(offsetof(anydim_deform_columns_t, window) == 16);
static_assert(offsetof(anydim_deform_columns_t, strides) == 40);
static_assert(offsetof(anydim_deform_columns_t, dilations) == 64);
static_assert(offsetof(anydim_deform_columns_t, pads_begin) == 88);
static_assert(offsetof(anydim_deform_columns_t, pads_end) == 112);
static_assert(offsetof(anydim_deform_columns_t, groups) == 136);
static_assert(sizeof(anydim_roi_align_t) == 48);
static_assert(offsetof(anydim_roi_align_t, mode) == 8);
static_assert(offsetof(anydim_roi_align_t, half_pixel) == 12);
static_assert(offsetof(anydim_roi_align_t, height) == 16);
static_assert(offsetof(anydim_roi_align_t, width) == 24);
static_assert(offsetof(anydim_roi_align_t, samples) == 32);
static_assert(offsetof(anydim_roi_align_t, scale) == 40);
static_assert(offsetof(anydim_roi_align_t, reserved) == 44);
static_assert(sizeof(anydim_non_max_suppression_t) == 24);
static_assert(offsetof(anydim_non_max_suppression_t, most) == 8);
static_assert(offsetof(anydim_non_max_suppression_t, center_point) == 16);
static_assert(offsetof(anydim_non_max_suppression_t, reserved) == 20);
static_assert(sizeof(anydim_dft_t) == 32);
static_assert(offsetof(anydim_dft_t, axis) == 8);
static_assert(offsetof(anydim_dft_t, length) == 16);
static_assert(offsetof(anydim_dft_t, inverse) == 24);
static_assert(offsetof(anydim_dft_t, onesided) == 28);
static_assert(sizeof(anydim_det_t) == 8);
static_assert(sizeof(anydim_random_uniform_t) == 104);
static_assert(offsetof(anydim_random_uniform_t, dtype) == 8);
static_assert(offsetof(anydim_random_uniform_t, reserved) == 12);
static_assert(offsetof(anydim_random_uniform_t, dims) == 16);
static_assert(offsetof(anydim_random_uniform_t, seed) == 88);
static_assert(offsetof(anydim_random_uniform_t, stream) == 96);
static_assert(sizeof(anydim_bit_cast_t) == 16);
static_assert(offsetof(anydim_bit_cast_t, to) == 8);
static_assert(offsetof(anydim_bit_cast_t, reserved) == 12);
static_assert(sizeof(anydim_attention_t) == 48);
static_assert(offsetof(anydim_attention_t, left_window) == 8);
static_assert(offsetof(anydim_attention_t, right_window) == 16);
static_assert(offsetof(anydim_attention_t, first) == 24);
static_assert(offsetof(anydim_attention_t, scale) == 32);
static_assert(offsetof(anydim_attention_t, softcap) == 36);
static_assert(offsetof(anydim_attention_t, causal) == 40);
static_assert(offsetof(anydim_attention_t, reserved) == 44);
static_assert(sizeof(anydim_compressed_matmul_t) == 32);
static_assert(offsetof(anydim_compressed_matmul_t, transpose_b) == 8);
static_assert(offsetof(anydim_compressed_matmul_t, rounded_rows) == 12);
static_assert(offsetof(anydim_compressed_matmul_t, block) == 16);
static_assert(offsetof(anydim_compressed_matmul_t, zero_point) == 24);
static_assert(sizeof(anydim_append_t) == 40);
static_assert(offsetof(anydim_append_t, axis) == 8);
static_assert(offsetof(anydim_append_t, first) == 16);
static_assert(offsetof(anydim_append_t, length) == 24);
static_assert(offsetof(anydim_append_t, circular) == 32);
static_assert(offsetof(anydim_append_t, windowed) == 36);
static_assert(sizeof(anydim_tree_ensemble_t) == 24);
static_assert(offsetof(anydim_tree_ensemble_t, outputs) == 8);
static_assert(offsetof(anydim_tree_ensemble_t, aggregate) == 16);
static_assert(offsetof(anydim_tree_ensemble_t, reserved) == 20);
static_assert(sizeof(anydim_couple_pairs_t) == 16);
static_assert(offsetof(anydim_couple_pairs_t, classes) == 8);
static_assert(sizeof(anydim_quantization_range_t) == 8);
static_assert(sizeof(anydim_string_lookup_t) == 8);
static_assert(sizeof(anydim_string_equal_t) == 8);
static_assert(sizeof(anydim_string_concat_t) == 16);
static_assert(offsetof(anydim_string_concat_t, bytes) == 8);
static_assert(sizeof(anydim_string_case_t) == 24);
static_assert(offsetof(anydim_string_case_t, upper) == 8);
static_assert(offsetof(anydim_string_case_t, reserved) == 12);
static_assert(offsetof(anydim_string_case_t, bytes) == 16);
static_assert(sizeof(anydim_string_match_t) == 8);
static_assert(sizeof(anydim_count_string_pieces_t) == 32);
static_assert(offsetof(anydim_count_string_pieces_t, rule) == 8);
static_assert(offsetof(anydim_count_string_pieces_t, reserved) == 12);
static_assert(offsetof(anydim_count_string_pieces_t, most_splits) == 16);
static_assert(offsetof(anydim_count_string_pieces_t, min_characters) == 24);
static_assert(sizeof(anydim_string_split_t) == 40);
static_assert(offsetof(anydim_string_split_t, rule) == 8);
static_assert(offsetof(anydim_string_split_t, reserved) == 12);
static_assert(offsetof(anydim_string_split_t, most_splits) == 16);
static_assert(offsetof(anydim_string_split_t, min_characters) == 24);
static_assert(offsetof(anydim_string_split_t, most) == 32);
static_assert(sizeof(anydim_ngram_counts_t) == 24);
static_assert(offsetof(anydim_ngram_counts_t, outputs) == 8);
static_assert(offsetof(anydim_ngram_counts_t, max_skip) == 16);
static_assert(sizeof(anydim_string_parse_t) == 16);
static_assert(offsetof(anydim_string_parse_t, to) == 8);
static_assert(offsetof(anydim_string_parse_t, reserved) == 12);
static_assert(sizeof(anydim_string_format_t) == 8);
