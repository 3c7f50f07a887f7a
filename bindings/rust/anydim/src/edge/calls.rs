// SPDX-License-Identifier: Apache-2.0
// Generated from capi/api and core/ops/described by capi/generator; do not edit.
//! One safe function for each function of the API that takes neither addresses nor callbacks. Arrays are slices,
//! what comes out is returned, and a status that is not ok is an error.

#![allow(clippy::too_many_arguments)] // the API's own

use std::ffi::CStr;

use anydim_sys as sys;

use super::handles::*;
use super::views::{Slot, TensorView, TensorViewMut};
use super::{check, dims_of, known, lengths, owned, whole_text, Head};
use crate::generated::{enums::*, infos::*};
use crate::Result;

pub(crate) fn build_query() -> Result<BuildInfo> {
    let mut info = sys::anydim_build_info_t::INIT;
    check(unsafe { sys::anydim_build_query(&mut info) })?;
    read_build_info(info)
}

pub(crate) fn text_get_data(text: &TextHandle) -> Result<String> {
    let mut string = sys::anydim_string_t::INIT;
    check(unsafe { sys::anydim_text_get_data(text.raw(), &mut string) })?;
    Ok(owned(string))
}

pub(crate) fn log_set_level(level: i32) -> Result<()> {
    check(unsafe { sys::anydim_log_set_level(level) })?;
    Ok(())
}

pub(crate) fn dtype_get_size(dtype: i32) -> Result<i64> {
    let mut bytes = 0;
    check(unsafe { sys::anydim_dtype_get_size(dtype, &mut bytes) })?;
    Ok(bytes)
}

pub(crate) fn desc_create(dtype: i32, dims: &[sys::anydim_dim_t], layout: i32) -> Result<DescHandle> {
    let mut desc = DescHandle::null();
    check(unsafe { sys::anydim_desc_create(dtype, dims.len().try_into().unwrap_or(-1), dims.as_ptr(), layout, &mut desc) })?;
    Ok(DescHandle::new(desc))
}

pub(crate) fn engine_get_kind(index: i32) -> Result<EngineKindInfo> {
    let mut info = sys::anydim_engine_kind_info_t::INIT;
    check(unsafe { sys::anydim_engine_get_kind(index, &mut info) })?;
    read_engine_kind_info(info)
}

pub(crate) fn engine_get_device(kind: i32, index: i32) -> Result<DeviceInfo> {
    let mut info = sys::anydim_device_info_t::INIT;
    check(unsafe { sys::anydim_engine_get_device(kind, index, &mut info) })?;
    read_device_info(info)
}

pub(crate) fn engine_query(engine: &EngineHandle) -> Result<EngineInfo> {
    let mut info = sys::anydim_engine_info_t::INIT;
    check(unsafe { sys::anydim_engine_query(engine.raw(), &mut info) })?;
    read_engine_info(info)
}

pub(crate) fn engine_get_kernel(engine: &EngineHandle, index: i32) -> Result<KernelInfo> {
    let mut info = sys::anydim_kernel_info_t::INIT;
    check(unsafe { sys::anydim_engine_get_kernel(engine.raw(), index, &mut info) })?;
    read_kernel_info(info)
}

pub(crate) fn stream_create(engine: &EngineHandle, options: &sys::anydim_stream_options_t) -> Result<StreamHandle> {
    let mut stream = StreamHandle::null();
    check(unsafe { sys::anydim_stream_create(engine.raw(), options, &mut stream) })?;
    Ok(StreamHandle::new(stream))
}

pub(crate) fn stream_wait(stream: &StreamHandle) -> Result<()> {
    check(unsafe { sys::anydim_stream_wait(stream.raw()) })?;
    Ok(())
}

pub(crate) fn memory_allocate(engine: &EngineHandle, bytes: i64) -> Result<MemoryHandle> {
    let mut memory = MemoryHandle::null();
    check(unsafe { sys::anydim_memory_allocate(engine.raw(), bytes, &mut memory) })?;
    Ok(MemoryHandle::new(memory))
}

pub(crate) fn memory_query(memory: &MemoryHandle) -> Result<MemoryInfo> {
    let mut info = sys::anydim_memory_info_t::INIT;
    check(unsafe { sys::anydim_memory_query(memory.raw(), &mut info) })?;
    read_memory_info(info)
}

pub(crate) fn memory_unmap(memory: &MemoryHandle, offset: i64, bytes: i64) -> Result<()> {
    check(unsafe { sys::anydim_memory_unmap(memory.raw(), offset, bytes) })?;
    Ok(())
}

pub(crate) fn memory_copy(stream: &StreamHandle, target: &MemoryHandle, target_offset: i64, source: &MemoryHandle, source_offset: i64, bytes: i64) -> Result<()> {
    check(unsafe { sys::anydim_memory_copy(stream.raw(), target.raw(), target_offset, source.raw(), source_offset, bytes) })?;
    Ok(())
}

pub(crate) fn tensor_allocate(engine: &EngineHandle, dtype: i32, dims: &[i64], layout: i32) -> Result<TensorHandle> {
    let mut tensor = TensorHandle::null();
    check(unsafe { sys::anydim_tensor_allocate(engine.raw(), dtype, dims.len().try_into().unwrap_or(-1), dims.as_ptr(), layout, &mut tensor) })?;
    Ok(TensorHandle::new(tensor))
}

pub(crate) fn attr_create() -> Result<AttrHandle> {
    let mut attr = AttrHandle::null();
    check(unsafe { sys::anydim_attr_create(&mut attr) })?;
    Ok(AttrHandle::new(attr))
}

pub(crate) fn attr_set_reuse(attr: &AttrHandle, policy: i32) -> Result<()> {
    check(unsafe { sys::anydim_attr_set_reuse(attr.raw(), policy) })?;
    Ok(())
}

pub(crate) fn attr_set_math(attr: &AttrHandle, mode: i32) -> Result<()> {
    check(unsafe { sys::anydim_attr_set_math(attr.raw(), mode) })?;
    Ok(())
}

pub(crate) fn attr_append_eltwise(attr: &AttrHandle, function: i32, alpha: f32, beta: f32) -> Result<()> {
    check(unsafe { sys::anydim_attr_append_eltwise(attr.raw(), function, alpha, beta) })?;
    Ok(())
}

pub(crate) fn attr_append_binary(attr: &AttrHandle, function: i32, reversed: i32) -> Result<()> {
    check(unsafe { sys::anydim_attr_append_binary(attr.raw(), function, reversed) })?;
    Ok(())
}

pub(crate) fn attr_set_dtype(attr: &AttrHandle, dtype: i32) -> Result<()> {
    check(unsafe { sys::anydim_attr_set_dtype(attr.raw(), dtype) })?;
    Ok(())
}

pub(crate) fn attr_set_scales(attr: &AttrHandle, operand: i32, axis: i32, values: &[f32]) -> Result<()> {
    check(unsafe { sys::anydim_attr_set_scales(attr.raw(), operand, axis, values.as_ptr(), values.len().try_into().unwrap_or(-1)) })?;
    Ok(())
}

pub(crate) fn attr_set_zero_points(attr: &AttrHandle, operand: i32, axis: i32, values: &[i32]) -> Result<()> {
    check(unsafe { sys::anydim_attr_set_zero_points(attr.raw(), operand, axis, values.as_ptr(), values.len().try_into().unwrap_or(-1)) })?;
    Ok(())
}

pub(crate) fn attr_set_kernel(attr: &AttrHandle, kernel: &CStr) -> Result<()> {
    check(unsafe { sys::anydim_attr_set_kernel(attr.raw(), kernel.as_ptr()) })?;
    Ok(())
}

pub(crate) fn attr_set_scratchpad(attr: &AttrHandle, mode: i32) -> Result<()> {
    check(unsafe { sys::anydim_attr_set_scratchpad(attr.raw(), mode) })?;
    Ok(())
}

pub(crate) fn weights_create(engine: &EngineHandle, op: Head<'_>, attr: Option<&AttrHandle>, inputs: &[DescHandle], constants: &[TensorView<'_>], operands: Option<&[i32]>) -> Result<WeightsHandle> {
    if !(operands.map_or(true, |o| o.len() == constants.len())) { return Err(lengths("constants", "operands")); }
    let mut weights = WeightsHandle::null();
    check(unsafe { sys::anydim_weights_create(engine.raw(), op.as_ptr(), attr.map_or_else(AttrHandle::null, |h| h.raw()), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), constants.as_ptr().cast(), operands.map_or(std::ptr::null(), <[_]>::as_ptr), constants.len().try_into().unwrap_or(-1), &mut weights) })?;
    Ok(WeightsHandle::new(weights))
}

pub(crate) fn weights_get_bytes(weights: &WeightsHandle) -> Result<i64> {
    let mut bytes = 0;
    check(unsafe { sys::anydim_weights_get_bytes(weights.raw(), &mut bytes) })?;
    Ok(bytes)
}

pub(crate) fn weights_update(weights: &WeightsHandle, constants: &[TensorView<'_>]) -> Result<()> {
    check(unsafe { sys::anydim_weights_update(weights.raw(), constants.as_ptr().cast(), constants.len().try_into().unwrap_or(-1)) })?;
    Ok(())
}

pub(crate) fn weights_get_version(weights: &WeightsHandle) -> Result<i64> {
    let mut version = 0;
    check(unsafe { sys::anydim_weights_get_version(weights.raw(), &mut version) })?;
    Ok(version)
}

pub(crate) fn weights_save(weights: &WeightsHandle, path: &CStr, options: &sys::anydim_save_options_t) -> Result<()> {
    check(unsafe { sys::anydim_weights_save(weights.raw(), path.as_ptr(), options) })?;
    Ok(())
}

pub(crate) fn weights_load(engine: &EngineHandle, op: Head<'_>, attr: Option<&AttrHandle>, inputs: &[DescHandle], path: &CStr) -> Result<WeightsHandle> {
    let mut weights = WeightsHandle::null();
    check(unsafe { sys::anydim_weights_load(engine.raw(), op.as_ptr(), attr.map_or_else(AttrHandle::null, |h| h.raw()), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), path.as_ptr(), &mut weights) })?;
    Ok(WeightsHandle::new(weights))
}

pub(crate) fn primitive_create(engine: &EngineHandle, op: Head<'_>, attr: Option<&AttrHandle>, inputs: &[DescHandle], weights: Option<&WeightsHandle>) -> Result<PrimitiveHandle> {
    let mut primitive = PrimitiveHandle::null();
    check(unsafe { sys::anydim_primitive_create(engine.raw(), op.as_ptr(), attr.map_or_else(AttrHandle::null, |h| h.raw()), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), weights.map_or_else(WeightsHandle::null, |h| h.raw()), &mut primitive) })?;
    Ok(PrimitiveHandle::new(primitive))
}

pub(crate) fn primitive_create_with_constants(engine: &EngineHandle, op: Head<'_>, attr: Option<&AttrHandle>, inputs: &[DescHandle], constants: &[TensorView<'_>], operands: Option<&[i32]>) -> Result<PrimitiveHandle> {
    if !(operands.map_or(true, |o| o.len() == constants.len())) { return Err(lengths("constants", "operands")); }
    let mut primitive = PrimitiveHandle::null();
    check(unsafe { sys::anydim_primitive_create_with_constants(engine.raw(), op.as_ptr(), attr.map_or_else(AttrHandle::null, |h| h.raw()), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), constants.as_ptr().cast(), operands.map_or(std::ptr::null(), <[_]>::as_ptr), constants.len().try_into().unwrap_or(-1), &mut primitive) })?;
    Ok(PrimitiveHandle::new(primitive))
}

pub(crate) fn primitive_acquire_weights(primitive: &PrimitiveHandle) -> Result<WeightsHandle> {
    let mut weights = WeightsHandle::null();
    check(unsafe { sys::anydim_primitive_acquire_weights(primitive.raw(), &mut weights) })?;
    Ok(WeightsHandle::new(weights))
}

pub(crate) fn primitive_execute(primitive: &PrimitiveHandle, stream: &StreamHandle, inputs: &[TensorView<'_>], outputs: &mut [Slot]) -> Result<()> {
    check(unsafe { sys::anydim_primitive_execute(primitive.raw(), stream.raw(), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), outputs.as_mut_ptr().cast(), outputs.len().try_into().unwrap_or(-1)) })?;
    Ok(())
}

pub(crate) fn primitive_get_output_dims(primitive: &PrimitiveHandle, inputs: &[TensorView<'_>], index: i32) -> Result<sys::anydim_dims_t> {
    let mut dims = sys::anydim_dims_t::INIT;
    check(unsafe { sys::anydim_primitive_get_output_dims(primitive.raw(), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), index, &mut dims) })?;
    Ok(dims)
}

pub(crate) fn primitive_get_scratch_bytes(primitive: &PrimitiveHandle, stream: &StreamHandle, inputs: &[TensorView<'_>], outputs: &mut [TensorViewMut<'_>]) -> Result<i64> {
    let mut bytes = 0;
    check(unsafe { sys::anydim_primitive_get_scratch_bytes(primitive.raw(), stream.raw(), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), outputs.as_mut_ptr().cast(), outputs.len().try_into().unwrap_or(-1), &mut bytes) })?;
    Ok(bytes)
}

pub(crate) fn primitive_get_order(primitive: &PrimitiveHandle, output: i32, index: i32) -> Result<sys::anydim_dims_t> {
    let mut order = sys::anydim_dims_t::INIT;
    check(unsafe { sys::anydim_primitive_get_order(primitive.raw(), output, index, &mut order) })?;
    Ok(order)
}

pub(crate) fn primitive_get_kernel(primitive: &PrimitiveHandle) -> Result<(String, u64)> {
    let mut name = sys::anydim_string_t::INIT;
    let mut identity = 0;
    check(unsafe { sys::anydim_primitive_get_kernel(primitive.raw(), &mut name, &mut identity) })?;
    Ok((owned(name), identity))
}

pub(crate) fn primitive_get_candidate_count(primitive: &PrimitiveHandle) -> Result<i32> {
    let mut count = 0;
    check(unsafe { sys::anydim_primitive_get_candidate_count(primitive.raw(), &mut count) })?;
    Ok(count)
}

pub(crate) fn primitive_get_candidate(primitive: &PrimitiveHandle, index: i32) -> Result<Candidate> {
    let mut info = sys::anydim_candidate_t::INIT;
    check(unsafe { sys::anydim_primitive_get_candidate(primitive.raw(), index, &mut info) })?;
    read_candidate(info)
}

pub(crate) fn primitive_explain(primitive: &PrimitiveHandle, inputs: &[TensorView<'_>]) -> Result<String> {
    let mut text = TextHandle::null();
    check(unsafe { sys::anydim_primitive_explain(primitive.raw(), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), &mut text) })?;
    whole_text(&TextHandle::new(text))
}

pub(crate) fn primitive_get_output_dtype(primitive: &PrimitiveHandle, index: i32) -> Result<i32> {
    let mut dtype = 0;
    check(unsafe { sys::anydim_primitive_get_output_dtype(primitive.raw(), index, &mut dtype) })?;
    Ok(dtype)
}

pub(crate) fn primitive_compare_kernels(primitive: &PrimitiveHandle, stream: &StreamHandle, inputs: &[TensorView<'_>], outputs: &mut [TensorViewMut<'_>], repeats: i32) -> Result<String> {
    let mut text = TextHandle::null();
    check(unsafe { sys::anydim_primitive_compare_kernels(primitive.raw(), stream.raw(), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), outputs.as_mut_ptr().cast(), outputs.len().try_into().unwrap_or(-1), repeats, &mut text) })?;
    whole_text(&TextHandle::new(text))
}

pub(crate) fn attr_set_scratch_limit(attr: &AttrHandle, bytes: i64) -> Result<()> {
    check(unsafe { sys::anydim_attr_set_scratch_limit(attr.raw(), bytes) })?;
    Ok(())
}

pub(crate) fn primitive_format_line(primitive: &PrimitiveHandle, stream: &StreamHandle, inputs: &[TensorView<'_>], outputs: &mut [TensorViewMut<'_>]) -> Result<String> {
    let mut text = TextHandle::null();
    check(unsafe { sys::anydim_primitive_format_line(primitive.raw(), stream.raw(), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), outputs.as_mut_ptr().cast(), outputs.len().try_into().unwrap_or(-1), &mut text) })?;
    whole_text(&TextHandle::new(text))
}

pub(crate) fn model_save_packed(model: &ModelHandle, path: &CStr, options: &sys::anydim_save_options_t) -> Result<()> {
    check(unsafe { sys::anydim_model_save_packed(model.raw(), path.as_ptr(), options) })?;
    Ok(())
}

pub(crate) fn model_save_program(model: &ModelHandle, path: &CStr, options: &sys::anydim_save_options_t) -> Result<()> {
    check(unsafe { sys::anydim_model_save_program(model.raw(), path.as_ptr(), options) })?;
    Ok(())
}

pub(crate) fn model_query(model: &ModelHandle) -> Result<ModelInfo> {
    let mut info = sys::anydim_model_info_t::INIT;
    check(unsafe { sys::anydim_model_query(model.raw(), &mut info) })?;
    read_model_info(info)
}

pub(crate) fn model_get_engine(model: &ModelHandle, index: i32) -> Result<EngineInfo> {
    let mut info = sys::anydim_engine_info_t::INIT;
    check(unsafe { sys::anydim_model_get_engine(model.raw(), index, &mut info) })?;
    read_engine_info(info)
}

pub(crate) fn model_get_metadata(model: &ModelHandle, index: i32) -> Result<(String, String)> {
    let mut key = sys::anydim_string_t::INIT;
    let mut value = sys::anydim_string_t::INIT;
    check(unsafe { sys::anydim_model_get_metadata(model.raw(), index, &mut key, &mut value) })?;
    Ok((owned(key), owned(value)))
}

pub(crate) fn model_get_counts(model: &ModelHandle) -> Result<(i32, i32)> {
    let mut inputs = 0;
    let mut outputs = 0;
    check(unsafe { sys::anydim_model_get_counts(model.raw(), &mut inputs, &mut outputs) })?;
    Ok((inputs, outputs))
}

pub(crate) fn model_get_input(model: &ModelHandle, index: i32) -> Result<ValueInfo> {
    let mut info = sys::anydim_value_info_t::INIT;
    check(unsafe { sys::anydim_model_get_input(model.raw(), index, &mut info) })?;
    read_value_info(info)
}

pub(crate) fn model_get_output(model: &ModelHandle, index: i32) -> Result<ValueInfo> {
    let mut info = sys::anydim_value_info_t::INIT;
    check(unsafe { sys::anydim_model_get_output(model.raw(), index, &mut info) })?;
    read_value_info(info)
}

pub(crate) fn model_describe(model: &ModelHandle) -> Result<String> {
    let mut text = TextHandle::null();
    check(unsafe { sys::anydim_model_describe(model.raw(), &mut text) })?;
    whole_text(&TextHandle::new(text))
}

pub(crate) fn bounds_create() -> Result<BoundsHandle> {
    let mut bounds = BoundsHandle::null();
    check(unsafe { sys::anydim_bounds_create(&mut bounds) })?;
    Ok(BoundsHandle::new(bounds))
}

pub(crate) fn bounds_set(bounds: &BoundsHandle, input: &CStr, dims: &[sys::anydim_dim_t]) -> Result<()> {
    check(unsafe { sys::anydim_bounds_set(bounds.raw(), input.as_ptr(), dims.len().try_into().unwrap_or(-1), dims.as_ptr()) })?;
    Ok(())
}

pub(crate) fn layouts_create() -> Result<LayoutsHandle> {
    let mut layouts = LayoutsHandle::null();
    check(unsafe { sys::anydim_layouts_create(&mut layouts) })?;
    Ok(LayoutsHandle::new(layouts))
}

pub(crate) fn layouts_set(layouts: &LayoutsHandle, name: &CStr, rule: i32, axes: &[i64]) -> Result<()> {
    check(unsafe { sys::anydim_layouts_set(layouts.raw(), name.as_ptr(), rule, axes.len().try_into().unwrap_or(-1), axes.as_ptr()) })?;
    Ok(())
}

pub(crate) fn layers_create() -> Result<LayersHandle> {
    let mut layers = LayersHandle::null();
    check(unsafe { sys::anydim_layers_create(&mut layers) })?;
    Ok(LayersHandle::new(layers))
}

pub(crate) fn layers_set_math(layers: &LayersHandle, layer: &CStr, mode: i32) -> Result<()> {
    check(unsafe { sys::anydim_layers_set_math(layers.raw(), layer.as_ptr(), mode) })?;
    Ok(())
}

pub(crate) fn model_builder_create() -> Result<ModelBuilderHandle> {
    let mut builder = ModelBuilderHandle::null();
    check(unsafe { sys::anydim_model_builder_create(&mut builder) })?;
    Ok(ModelBuilderHandle::new(builder))
}

pub(crate) fn model_builder_set_opset(builder: &ModelBuilderHandle, domain: &CStr, version: i64) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_set_opset(builder.raw(), domain.as_ptr(), version) })?;
    Ok(())
}

pub(crate) fn model_builder_add_input(builder: &ModelBuilderHandle, name: &CStr, dtype: i32, dims: &[i64]) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_add_input(builder.raw(), name.as_ptr(), dtype, dims.len().try_into().unwrap_or(-1), dims.as_ptr()) })?;
    Ok(())
}

pub(crate) fn model_builder_set_symbol(builder: &ModelBuilderHandle, input: &CStr, axis: i32, symbol: &CStr) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_set_symbol(builder.raw(), input.as_ptr(), axis, symbol.as_ptr()) })?;
    Ok(())
}

pub(crate) fn model_builder_add_output(builder: &ModelBuilderHandle, name: &CStr) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_add_output(builder.raw(), name.as_ptr()) })?;
    Ok(())
}

pub(crate) fn model_builder_add_node(builder: &ModelBuilderHandle, op_type: &CStr, domain: &CStr, name: &CStr) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_add_node(builder.raw(), op_type.as_ptr(), domain.as_ptr(), name.as_ptr()) })?;
    Ok(())
}

pub(crate) fn model_builder_add_node_input(builder: &ModelBuilderHandle, value: &CStr) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_add_node_input(builder.raw(), value.as_ptr()) })?;
    Ok(())
}

pub(crate) fn model_builder_add_node_output(builder: &ModelBuilderHandle, value: &CStr) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_add_node_output(builder.raw(), value.as_ptr()) })?;
    Ok(())
}

pub(crate) fn model_builder_set_node_integer(builder: &ModelBuilderHandle, attribute: &CStr, value: i64) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_set_node_integer(builder.raw(), attribute.as_ptr(), value) })?;
    Ok(())
}

pub(crate) fn model_builder_set_node_integers(builder: &ModelBuilderHandle, attribute: &CStr, values: &[i64]) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_set_node_integers(builder.raw(), attribute.as_ptr(), values.as_ptr(), values.len().try_into().unwrap_or(-1_i64)) })?;
    Ok(())
}

pub(crate) fn model_builder_set_node_real(builder: &ModelBuilderHandle, attribute: &CStr, value: f32) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_set_node_real(builder.raw(), attribute.as_ptr(), value) })?;
    Ok(())
}

pub(crate) fn model_builder_set_node_reals(builder: &ModelBuilderHandle, attribute: &CStr, values: &[f32]) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_set_node_reals(builder.raw(), attribute.as_ptr(), values.as_ptr(), values.len().try_into().unwrap_or(-1_i64)) })?;
    Ok(())
}

pub(crate) fn model_builder_set_node_text(builder: &ModelBuilderHandle, attribute: &CStr, value: &CStr) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_set_node_text(builder.raw(), attribute.as_ptr(), value.as_ptr()) })?;
    Ok(())
}

pub(crate) fn model_builder_append_node_text(builder: &ModelBuilderHandle, attribute: &CStr, value: &CStr) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_append_node_text(builder.raw(), attribute.as_ptr(), value.as_ptr()) })?;
    Ok(())
}

pub(crate) fn model_builder_set_node_body(builder: &ModelBuilderHandle, attribute: &CStr, body: &ModelBuilderHandle) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_set_node_body(builder.raw(), attribute.as_ptr(), body.raw()) })?;
    Ok(())
}

pub(crate) fn model_builder_add_value_type(builder: &ModelBuilderHandle, name: &CStr, dtype: i32, dims: &[i64]) -> Result<()> {
    check(unsafe { sys::anydim_model_builder_add_value_type(builder.raw(), name.as_ptr(), dtype, dims.len().try_into().unwrap_or(-1), dims.as_ptr()) })?;
    Ok(())
}

pub(crate) fn model_builder_get_refusal(builder: &ModelBuilderHandle, node: i32) -> Result<String> {
    let mut why = sys::anydim_string_t::INIT;
    check(unsafe { sys::anydim_model_builder_get_refusal(builder.raw(), node, &mut why) })?;
    Ok(owned(why))
}

pub(crate) fn model_get_bytes_needed(model: &ModelHandle, bounds: &BoundsHandle, options: &sys::anydim_context_options_t, engine: i32) -> Result<i64> {
    let mut bytes = 0;
    check(unsafe { sys::anydim_model_get_bytes_needed(model.raw(), bounds.raw(), options, engine, &mut bytes) })?;
    Ok(bytes)
}

pub(crate) fn cancellation_create() -> Result<CancellationHandle> {
    let mut cancellation = CancellationHandle::null();
    check(unsafe { sys::anydim_cancellation_create(&mut cancellation) })?;
    Ok(CancellationHandle::new(cancellation))
}

pub(crate) fn cancellation_set(cancellation: &CancellationHandle, cancelled: i32) -> Result<()> {
    check(unsafe { sys::anydim_cancellation_set(cancellation.raw(), cancelled) })?;
    Ok(())
}

pub(crate) fn context_get_output_dims(context: &ContextHandle, inputs: &[TensorView<'_>], index: i32) -> Result<sys::anydim_dims_t> {
    let mut dims = sys::anydim_dims_t::INIT;
    check(unsafe { sys::anydim_context_get_output_dims(context.raw(), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), index, &mut dims) })?;
    Ok(dims)
}

pub(crate) fn context_query(context: &ContextHandle) -> Result<ContextInfo> {
    let mut info = sys::anydim_context_info_t::INIT;
    check(unsafe { sys::anydim_context_query(context.raw(), &mut info) })?;
    read_context_info(info)
}

pub(crate) fn context_get_node_count(context: &ContextHandle) -> Result<i32> {
    let mut count = 0;
    check(unsafe { sys::anydim_context_get_node_count(context.raw(), &mut count) })?;
    Ok(count)
}

pub(crate) fn context_get_node(context: &ContextHandle, index: i32) -> Result<NodeInfo> {
    let mut info = sys::anydim_node_info_t::INIT;
    check(unsafe { sys::anydim_context_get_node(context.raw(), index, &mut info) })?;
    read_node_info(info)
}

pub(crate) fn session_create(model: &ModelHandle, bounds: Option<&BoundsHandle>, options: &sys::anydim_context_options_t, contexts: i32) -> Result<SessionHandle> {
    let mut session = SessionHandle::null();
    check(unsafe { sys::anydim_session_create(model.raw(), bounds.map_or_else(BoundsHandle::null, |h| h.raw()), options, contexts, &mut session) })?;
    Ok(SessionHandle::new(session))
}

pub(crate) fn session_query(session: &SessionHandle) -> Result<SessionInfo> {
    let mut info = sys::anydim_session_info_t::INIT;
    check(unsafe { sys::anydim_session_query(session.raw(), &mut info) })?;
    read_session_info(info)
}

pub(crate) fn session_explain(session: &SessionHandle, inputs: &[TensorView<'_>]) -> Result<String> {
    let mut text = TextHandle::null();
    check(unsafe { sys::anydim_session_explain(session.raw(), inputs.as_ptr().cast(), inputs.len().try_into().unwrap_or(-1), &mut text) })?;
    whole_text(&TextHandle::new(text))
}

pub(crate) fn state_create(session: &SessionHandle, limit: i64) -> Result<StateHandle> {
    let mut state = StateHandle::null();
    check(unsafe { sys::anydim_state_create(session.raw(), limit, &mut state) })?;
    Ok(StateHandle::new(state))
}

pub(crate) fn state_add(state: &StateHandle, input: &CStr, output: &CStr, axis: i32) -> Result<()> {
    check(unsafe { sys::anydim_state_add(state.raw(), input.as_ptr(), output.as_ptr(), axis) })?;
    Ok(())
}

pub(crate) fn state_use_pages(state: &StateHandle, page: i64, pool_limit: i64) -> Result<()> {
    check(unsafe { sys::anydim_state_use_pages(state.raw(), page, pool_limit) })?;
    Ok(())
}

pub(crate) fn state_reset(state: &StateHandle) -> Result<()> {
    check(unsafe { sys::anydim_state_reset(state.raw()) })?;
    Ok(())
}

pub(crate) fn state_truncate(state: &StateHandle, length: i64) -> Result<()> {
    check(unsafe { sys::anydim_state_truncate(state.raw(), length) })?;
    Ok(())
}

pub(crate) fn state_fork(state: &StateHandle) -> Result<StateHandle> {
    let mut copy = StateHandle::null();
    check(unsafe { sys::anydim_state_fork(state.raw(), &mut copy) })?;
    Ok(StateHandle::new(copy))
}

pub(crate) fn state_write(state: &StateHandle, values: &[TensorView<'_>]) -> Result<()> {
    check(unsafe { sys::anydim_state_write(state.raw(), values.as_ptr().cast(), values.len().try_into().unwrap_or(-1)) })?;
    Ok(())
}

pub(crate) fn state_query(state: &StateHandle) -> Result<StateInfo> {
    let mut info = sys::anydim_state_info_t::INIT;
    check(unsafe { sys::anydim_state_query(state.raw(), &mut info) })?;
    read_state_info(info)
}

pub(crate) fn streaming_create(session: &SessionHandle) -> Result<StreamingHandle> {
    let mut streaming = StreamingHandle::null();
    check(unsafe { sys::anydim_streaming_create(session.raw(), &mut streaming) })?;
    Ok(StreamingHandle::new(streaming))
}

pub(crate) fn streaming_reset(streaming: &StreamingHandle) -> Result<()> {
    check(unsafe { sys::anydim_streaming_reset(streaming.raw()) })?;
    Ok(())
}

pub(crate) fn streaming_query(streaming: &StreamingHandle) -> Result<StreamingInfo> {
    let mut info = sys::anydim_streaming_info_t::INIT;
    check(unsafe { sys::anydim_streaming_query(streaming.raw(), &mut info) })?;
    read_streaming_info(info)
}

pub(crate) fn streaming_get_axis(streaming: &StreamingHandle, output: i32) -> Result<i32> {
    let mut axis = 0;
    check(unsafe { sys::anydim_streaming_get_axis(streaming.raw(), output, &mut axis) })?;
    Ok(axis)
}

pub(crate) fn streaming_get_bytes_needed(streaming: &StreamingHandle) -> Result<i64> {
    let mut bytes = 0;
    check(unsafe { sys::anydim_streaming_get_bytes_needed(streaming.raw(), &mut bytes) })?;
    Ok(bytes)
}

pub(crate) fn session_stop_batching(session: &SessionHandle, cancel: i32) -> Result<()> {
    check(unsafe { sys::anydim_session_stop_batching(session.raw(), cancel) })?;
    Ok(())
}

pub(crate) fn session_query_batching(session: &SessionHandle) -> Result<BatchingInfo> {
    let mut info = sys::anydim_batching_info_t::INIT;
    check(unsafe { sys::anydim_session_query_batching(session.raw(), &mut info) })?;
    read_batching_info(info)
}

pub(crate) fn worker_control(action: i32) -> Result<()> {
    check(unsafe { sys::anydim_worker_control(action) })?;
    Ok(())
}

pub(crate) fn worker_drain(timeout_ms: i64) -> Result<()> {
    check(unsafe { sys::anydim_worker_drain(timeout_ms) })?;
    Ok(())
}

pub(crate) fn worker_query() -> Result<WorkerInfo> {
    let mut info = sys::anydim_worker_info_t::INIT;
    check(unsafe { sys::anydim_worker_query(&mut info) })?;
    read_worker_info(info)
}

pub(crate) fn primitive_cache_set_limit(bytes: i64) -> Result<()> {
    check(unsafe { sys::anydim_primitive_cache_set_limit(bytes) })?;
    Ok(())
}

pub(crate) fn primitive_cache_clear() -> Result<()> {
    check(unsafe { sys::anydim_primitive_cache_clear() })?;
    Ok(())
}

pub(crate) fn primitive_cache_query() -> Result<PrimitiveCacheInfo> {
    let mut info = sys::anydim_primitive_cache_info_t::INIT;
    check(unsafe { sys::anydim_primitive_cache_query(&mut info) })?;
    read_primitive_cache_info(info)
}

pub(crate) fn primitive_query_creation(primitive: &PrimitiveHandle) -> Result<PrimitiveCreation> {
    let mut info = sys::anydim_primitive_creation_t::INIT;
    check(unsafe { sys::anydim_primitive_query_creation(primitive.raw(), &mut info) })?;
    read_primitive_creation(info)
}

pub(crate) fn persistent_cache_query() -> Result<PersistentCacheInfo> {
    let mut info = sys::anydim_persistent_cache_info_t::INIT;
    check(unsafe { sys::anydim_persistent_cache_query(&mut info) })?;
    read_persistent_cache_info(info)
}

pub(crate) fn persistent_cache_get_path() -> Result<String> {
    let mut text = TextHandle::null();
    check(unsafe { sys::anydim_persistent_cache_get_path(&mut text) })?;
    whole_text(&TextHandle::new(text))
}

pub(crate) fn persistent_cache_describe() -> Result<String> {
    let mut text = TextHandle::null();
    check(unsafe { sys::anydim_persistent_cache_describe(&mut text) })?;
    whole_text(&TextHandle::new(text))
}

pub(crate) fn persistent_cache_verify() -> Result<String> {
    let mut text = TextHandle::null();
    check(unsafe { sys::anydim_persistent_cache_verify(&mut text) })?;
    whole_text(&TextHandle::new(text))
}

pub(crate) fn persistent_cache_export(path: &CStr) -> Result<i64> {
    let mut records = 0;
    check(unsafe { sys::anydim_persistent_cache_export(path.as_ptr(), &mut records) })?;
    Ok(records)
}

pub(crate) fn persistent_cache_import(path: &CStr) -> Result<(i64, i64)> {
    let mut records = 0;
    let mut damaged = 0;
    check(unsafe { sys::anydim_persistent_cache_import(path.as_ptr(), &mut records, &mut damaged) })?;
    Ok((records, damaged))
}

pub(crate) fn persistent_cache_clear(kind: i32) -> Result<i64> {
    let mut removed = 0;
    check(unsafe { sys::anydim_persistent_cache_clear(kind, &mut removed) })?;
    Ok(removed)
}

pub(crate) fn counter_get_count() -> Result<i32> {
    let mut count = 0;
    check(unsafe { sys::anydim_counter_get_count(&mut count) })?;
    Ok(count)
}

pub(crate) fn counter_get(index: i32) -> Result<Counter> {
    let mut info = sys::anydim_counter_t::INIT;
    check(unsafe { sys::anydim_counter_get(index, &mut info) })?;
    read_counter(info)
}

pub(crate) fn verbose_set(level: i32) -> Result<()> {
    check(unsafe { sys::anydim_verbose_set(level) })?;
    Ok(())
}

pub(crate) fn call_parse(line: &CStr) -> Result<CallHandle> {
    let mut call = CallHandle::null();
    check(unsafe { sys::anydim_call_parse(line.as_ptr(), &mut call) })?;
    Ok(CallHandle::new(call))
}

pub(crate) fn call_query(call: &CallHandle) -> Result<CallInfo> {
    let mut info = sys::anydim_call_info_t::INIT;
    check(unsafe { sys::anydim_call_query(call.raw(), &mut info) })?;
    read_call_info(info)
}

pub(crate) fn call_get_tensor(call: &CallHandle, index: i32) -> Result<CallTensor> {
    let mut info = sys::anydim_call_tensor_t::INIT;
    check(unsafe { sys::anydim_call_get_tensor(call.raw(), index, &mut info) })?;
    read_call_tensor(info)
}

pub(crate) fn call_create_primitive(call: &CallHandle, engine: &EngineHandle, kernel: &CStr, weights: &[TensorView<'_>]) -> Result<PrimitiveHandle> {
    let mut primitive = PrimitiveHandle::null();
    check(unsafe { sys::anydim_call_create_primitive(call.raw(), engine.raw(), kernel.as_ptr(), weights.as_ptr().cast(), weights.len().try_into().unwrap_or(-1), &mut primitive) })?;
    Ok(PrimitiveHandle::new(primitive))
}

fn read_build_info(from: sys::anydim_build_info_t) -> Result<BuildInfo> {
    Ok(BuildInfo {
        major: from.major,
        minor: from.minor,
        patch: from.patch,
        persistent_cache: from.persistent_cache != 0,
        opencl: from.opencl != 0,
        architecture: owned(from.architecture),
        kernel_isas: owned(from.kernel_isas),
    })
}

fn read_engine_info(from: sys::anydim_engine_info_t) -> Result<EngineInfo> {
    Ok(EngineInfo {
        kind: known("kind", from.kind, EngineKind::from_number)?,
        threads: from.threads,
        kernels: from.kernels,
        device: owned(from.device),
        isa: owned(from.isa),
    })
}

fn read_engine_kind_info(from: sys::anydim_engine_kind_info_t) -> Result<EngineKindInfo> {
    Ok(EngineKindInfo {
        kind: known("kind", from.kind, EngineKind::from_number)?,
        name: owned(from.name),
    })
}

fn read_device_info(from: sys::anydim_device_info_t) -> Result<DeviceInfo> {
    Ok(DeviceInfo {
        platform: from.platform,
        device: from.device,
        usable: from.usable != 0,
        units: from.units,
        like_gpu: from.like_gpu != 0,
        memory_bytes: from.memory_bytes,
        largest_allocation_bytes: from.largest_allocation_bytes,
        name: owned(from.name),
        driver: owned(from.driver),
        platform_name: owned(from.platform_name),
    })
}

fn read_kernel_info(from: sys::anydim_kernel_info_t) -> Result<KernelInfo> {
    Ok(KernelInfo {
        usable: from.usable != 0,
        name: owned(from.name),
        op: owned(from.op),
        isa: owned(from.isa),
        layout: owned(from.layout),
        src: Dtype::from_number(from.src),
        dst: Dtype::from_number(from.dst),
    })
}

fn read_memory_info(from: sys::anydim_memory_info_t) -> Result<MemoryInfo> {
    Ok(MemoryInfo {
        imported: from.imported != 0,
        bytes: from.bytes,
    })
}

fn read_candidate(from: sys::anydim_candidate_t) -> Result<Candidate> {
    Ok(Candidate {
        chosen: from.chosen != 0,
        name: owned(from.name),
        refusal: owned(from.refusal),
    })
}

fn read_model_info(from: sys::anydim_model_info_t) -> Result<ModelInfo> {
    Ok(ModelInfo {
        metadata: from.metadata,
        producer_name: owned(from.producer_name),
        producer_version: owned(from.producer_version),
        graph_name: owned(from.graph_name),
        domain: owned(from.domain),
        description: owned(from.description),
        version: from.version,
        opset: from.opset,
        nodes: from.nodes,
        file_nodes: from.file_nodes,
        weight_bytes: from.weight_bytes,
        packed_weights: from.packed_weights,
        mapped_weights: from.mapped_weights,
        mapped_bytes: from.mapped_bytes,
        engines: from.engines,
    })
}

fn read_value_info(from: sys::anydim_value_info_t) -> Result<ValueInfo> {
    Ok(ValueInfo {
        dtype: known("dtype", from.dtype, Dtype::from_number)?,
        name: owned(from.name),
        dims: dims_of(&from.dims).to_vec(),
        min: dims_of(&from.min).to_vec(),
        max: dims_of(&from.max).to_vec(),
        order: dims_of(&from.order).to_vec(),
        symbols: from.symbols.iter().take(dims_of(&from.dims).len()).map(|&s| owned(s)).collect(),
    })
}

fn read_context_info(from: sys::anydim_context_info_t) -> Result<ContextInfo> {
    Ok(ContextInfo {
        bounded: from.bounded != 0,
        arena_bytes: from.arena_bytes,
        growths: from.growths,
        runs: from.runs,
        threads: from.threads,
    })
}

fn read_node_info(from: sys::anydim_node_info_t) -> Result<NodeInfo> {
    Ok(NodeInfo {
        name: owned(from.name),
        op: owned(from.op),
        kernel: owned(from.kernel),
        tier: owned(from.tier),
        post_ops: owned(from.post_ops),
        scratch_bytes: from.scratch_bytes,
        output_bytes: from.output_bytes,
        time_ns: from.time_ns,
    })
}

fn read_session_info(from: sys::anydim_session_info_t) -> Result<SessionInfo> {
    Ok(SessionInfo {
        contexts: from.contexts,
        limit: from.limit,
        in_use: from.in_use,
        waiting: from.waiting,
        growths: from.growths,
        arena_bytes: from.arena_bytes,
    })
}

fn read_state_info(from: sys::anydim_state_info_t) -> Result<StateInfo> {
    Ok(StateInfo {
        parts: from.parts,
        in_place: from.in_place,
        length: from.length,
        limit: from.limit,
        steps: from.steps,
        bytes: from.bytes,
        appended_bytes: from.appended_bytes,
        copied_bytes: from.copied_bytes,
        growths: from.growths,
        page: from.page,
        pages: from.pages,
        shared_pages: from.shared_pages,
        pool_bytes: from.pool_bytes,
        pool_limit: from.pool_limit,
    })
}

fn read_streaming_info(from: sys::anydim_streaming_info_t) -> Result<StreamingInfo> {
    Ok(StreamingInfo {
        first_after: from.first_after,
        received: from.received,
        chunks: from.chunks,
        bytes: from.bytes,
        most_chunk: from.most_chunk,
    })
}

fn read_batching_info(from: sys::anydim_batching_info_t) -> Result<BatchingInfo> {
    Ok(BatchingInfo {
        started: from.started != 0,
        waiting: from.waiting,
        running: from.running,
        requests: from.requests,
        rows: from.rows,
        batches: from.batches,
        largest_batch: from.largest_batch,
        failed: from.failed,
        cancelled: from.cancelled,
        late: from.late,
        refused: from.refused,
        p50_ns: from.p50_ns,
        p99_ns: from.p99_ns,
        rows_per_second: from.rows_per_second,
    })
}

fn read_worker_info(from: sys::anydim_worker_info_t) -> Result<WorkerInfo> {
    Ok(WorkerInfo {
        running: from.running != 0,
        paused: from.paused != 0,
        turned_off: from.turned_off != 0,
        queued: from.queued,
        requested: from.requested,
        dropped: from.dropped,
        repeated: from.repeated,
        served: from.served,
        failed: from.failed,
        busy_ns: from.busy_ns,
    })
}

fn read_primitive_cache_info(from: sys::anydim_primitive_cache_info_t) -> Result<PrimitiveCacheInfo> {
    Ok(PrimitiveCacheInfo {
        churn_misses: from.churn_misses,
        limit_bytes: from.limit_bytes,
        bytes: from.bytes,
        entries: from.entries,
    })
}

fn read_primitive_creation(from: sys::anydim_primitive_creation_t) -> Result<PrimitiveCreation> {
    Ok(PrimitiveCreation {
        hit: known("hit", from.hit, PrimitiveCacheHit::from_number)?,
        time_ns: from.time_ns,
    })
}

fn read_persistent_cache_info(from: sys::anydim_persistent_cache_info_t) -> Result<PersistentCacheInfo> {
    Ok(PersistentCacheInfo {
        enabled: from.enabled != 0,
        limit_bytes: from.limit_bytes,
        entries: from.entries,
        index_bytes: from.index_bytes,
        hits: from.hits,
        misses: from.misses,
        stores: from.stores,
        store_failures: from.store_failures,
        evicted: from.evicted,
        damaged_records: from.damaged_records,
        damaged_files: from.damaged_files,
        load_failures: from.load_failures,
        load_ns: from.load_ns,
    })
}

fn read_counter(from: sys::anydim_counter_t) -> Result<Counter> {
    Ok(Counter {
        level: from.level != 0,
        name: owned(from.name),
        doc: owned(from.doc),
        value: from.value,
    })
}

fn read_call_info(from: sys::anydim_call_info_t) -> Result<CallInfo> {
    Ok(CallInfo {
        tensors: from.tensors,
        name: owned(from.name),
        op: owned(from.op),
        post_ops: owned(from.post_ops),
        kernel: owned(from.kernel),
        tier: owned(from.tier),
        time_ns: from.time_ns,
        flops: from.flops,
        threads: from.threads,
    })
}

fn read_call_tensor(from: sys::anydim_call_tensor_t) -> Result<CallTensor> {
    Ok(CallTensor {
        role: known("role", from.role, CallRole::from_number)?,
        dtype: known("dtype", from.dtype, Dtype::from_number)?,
        index: from.index,
        dims: dims_of(&from.dims).to_vec(),
        strides: dims_of(&from.strides).to_vec(),
        low: from.low,
        high: from.high,
    })
}
