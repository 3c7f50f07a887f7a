/* SPDX-License-Identifier: Apache-2.0 */
/* Generated from capi/api and core/ops/described by capi/generator; do not edit. */
/* Prints size, alignment and the offset of each field of each struct, for tests/layout.rs. */
#include <anydim/anydim.h>
#include <stddef.h>
#include <stdio.h>

int main(void) {
  { struct aligned { char c; anydim_string_t s; };
    printf("anydim_string_t %zu %zu\n", sizeof(anydim_string_t), offsetof(struct aligned, s)); }
  printf("anydim_string_t.data %zu\n", offsetof(anydim_string_t, data));
  printf("anydim_string_t.length %zu\n", offsetof(anydim_string_t, length));
  { struct aligned { char c; anydim_error_info_t s; };
    printf("anydim_error_info_t %zu %zu\n", sizeof(anydim_error_info_t), offsetof(struct aligned, s)); }
  printf("anydim_error_info_t.size %zu\n", offsetof(anydim_error_info_t, size));
  printf("anydim_error_info_t.status %zu\n", offsetof(anydim_error_info_t, status));
  printf("anydim_error_info_t.message %zu\n", offsetof(anydim_error_info_t, message));
  printf("anydim_error_info_t.function %zu\n", offsetof(anydim_error_info_t, function));
  printf("anydim_error_info_t.argument %zu\n", offsetof(anydim_error_info_t, argument));
  printf("anydim_error_info_t.node %zu\n", offsetof(anydim_error_info_t, node));
  { struct aligned { char c; anydim_build_info_t s; };
    printf("anydim_build_info_t %zu %zu\n", sizeof(anydim_build_info_t), offsetof(struct aligned, s)); }
  printf("anydim_build_info_t.size %zu\n", offsetof(anydim_build_info_t, size));
  printf("anydim_build_info_t.major %zu\n", offsetof(anydim_build_info_t, major));
  printf("anydim_build_info_t.minor %zu\n", offsetof(anydim_build_info_t, minor));
  printf("anydim_build_info_t.patch %zu\n", offsetof(anydim_build_info_t, patch));
  printf("anydim_build_info_t.persistent_cache %zu\n", offsetof(anydim_build_info_t, persistent_cache));
  printf("anydim_build_info_t.opencl %zu\n", offsetof(anydim_build_info_t, opencl));
  printf("anydim_build_info_t.architecture %zu\n", offsetof(anydim_build_info_t, architecture));
  printf("anydim_build_info_t.kernel_isas %zu\n", offsetof(anydim_build_info_t, kernel_isas));
  { struct aligned { char c; anydim_log_info_t s; };
    printf("anydim_log_info_t %zu %zu\n", sizeof(anydim_log_info_t), offsetof(struct aligned, s)); }
  printf("anydim_log_info_t.size %zu\n", offsetof(anydim_log_info_t, size));
  printf("anydim_log_info_t.level %zu\n", offsetof(anydim_log_info_t, level));
  printf("anydim_log_info_t.callback %zu\n", offsetof(anydim_log_info_t, callback));
  printf("anydim_log_info_t.user %zu\n", offsetof(anydim_log_info_t, user));
  { struct aligned { char c; anydim_dim_t s; };
    printf("anydim_dim_t %zu %zu\n", sizeof(anydim_dim_t), offsetof(struct aligned, s)); }
  printf("anydim_dim_t.value %zu\n", offsetof(anydim_dim_t, value));
  printf("anydim_dim_t.min %zu\n", offsetof(anydim_dim_t, min));
  printf("anydim_dim_t.max %zu\n", offsetof(anydim_dim_t, max));
  printf("anydim_dim_t.hint %zu\n", offsetof(anydim_dim_t, hint));
  printf("anydim_dim_t.multiple_of %zu\n", offsetof(anydim_dim_t, multiple_of));
  { struct aligned { char c; anydim_dims_t s; };
    printf("anydim_dims_t %zu %zu\n", sizeof(anydim_dims_t), offsetof(struct aligned, s)); }
  printf("anydim_dims_t.rank %zu\n", offsetof(anydim_dims_t, rank));
  printf("anydim_dims_t.reserved %zu\n", offsetof(anydim_dims_t, reserved));
  printf("anydim_dims_t.values %zu\n", offsetof(anydim_dims_t, values));
  { struct aligned { char c; anydim_view_t s; };
    printf("anydim_view_t %zu %zu\n", sizeof(anydim_view_t), offsetof(struct aligned, s)); }
  printf("anydim_view_t.data %zu\n", offsetof(anydim_view_t, data));
  printf("anydim_view_t.dtype %zu\n", offsetof(anydim_view_t, dtype));
  printf("anydim_view_t.layout %zu\n", offsetof(anydim_view_t, layout));
  printf("anydim_view_t.dims %zu\n", offsetof(anydim_view_t, dims));
  printf("anydim_view_t.strides %zu\n", offsetof(anydim_view_t, strides));
  printf("anydim_view_t.memory %zu\n", offsetof(anydim_view_t, memory));
  printf("anydim_view_t.offset %zu\n", offsetof(anydim_view_t, offset));
  { struct aligned { char c; anydim_reals_t s; };
    printf("anydim_reals_t %zu %zu\n", sizeof(anydim_reals_t), offsetof(struct aligned, s)); }
  printf("anydim_reals_t.count %zu\n", offsetof(anydim_reals_t, count));
  printf("anydim_reals_t.reserved %zu\n", offsetof(anydim_reals_t, reserved));
  printf("anydim_reals_t.values %zu\n", offsetof(anydim_reals_t, values));
  { struct aligned { char c; anydim_engine_options_t s; };
    printf("anydim_engine_options_t %zu %zu\n", sizeof(anydim_engine_options_t), offsetof(struct aligned, s)); }
  printf("anydim_engine_options_t.size %zu\n", offsetof(anydim_engine_options_t, size));
  printf("anydim_engine_options_t.threads %zu\n", offsetof(anydim_engine_options_t, threads));
  printf("anydim_engine_options_t.parallel_for %zu\n", offsetof(anydim_engine_options_t, parallel_for));
  printf("anydim_engine_options_t.parallel_user %zu\n", offsetof(anydim_engine_options_t, parallel_user));
  printf("anydim_engine_options_t.parallel_finalizer %zu\n", offsetof(anydim_engine_options_t, parallel_finalizer));
  printf("anydim_engine_options_t.allocate %zu\n", offsetof(anydim_engine_options_t, allocate));
  printf("anydim_engine_options_t.release %zu\n", offsetof(anydim_engine_options_t, release));
  printf("anydim_engine_options_t.memory_user %zu\n", offsetof(anydim_engine_options_t, memory_user));
  printf("anydim_engine_options_t.memory_finalizer %zu\n", offsetof(anydim_engine_options_t, memory_finalizer));
  printf("anydim_engine_options_t.flushed_denormals %zu\n", offsetof(anydim_engine_options_t, flushed_denormals));
  printf("anydim_engine_options_t.reserved %zu\n", offsetof(anydim_engine_options_t, reserved));
  { struct aligned { char c; anydim_engine_info_t s; };
    printf("anydim_engine_info_t %zu %zu\n", sizeof(anydim_engine_info_t), offsetof(struct aligned, s)); }
  printf("anydim_engine_info_t.size %zu\n", offsetof(anydim_engine_info_t, size));
  printf("anydim_engine_info_t.kind %zu\n", offsetof(anydim_engine_info_t, kind));
  printf("anydim_engine_info_t.threads %zu\n", offsetof(anydim_engine_info_t, threads));
  printf("anydim_engine_info_t.kernels %zu\n", offsetof(anydim_engine_info_t, kernels));
  printf("anydim_engine_info_t.device %zu\n", offsetof(anydim_engine_info_t, device));
  printf("anydim_engine_info_t.isa %zu\n", offsetof(anydim_engine_info_t, isa));
  { struct aligned { char c; anydim_engine_kind_info_t s; };
    printf("anydim_engine_kind_info_t %zu %zu\n", sizeof(anydim_engine_kind_info_t), offsetof(struct aligned, s)); }
  printf("anydim_engine_kind_info_t.size %zu\n", offsetof(anydim_engine_kind_info_t, size));
  printf("anydim_engine_kind_info_t.kind %zu\n", offsetof(anydim_engine_kind_info_t, kind));
  printf("anydim_engine_kind_info_t.name %zu\n", offsetof(anydim_engine_kind_info_t, name));
  { struct aligned { char c; anydim_device_info_t s; };
    printf("anydim_device_info_t %zu %zu\n", sizeof(anydim_device_info_t), offsetof(struct aligned, s)); }
  printf("anydim_device_info_t.size %zu\n", offsetof(anydim_device_info_t, size));
  printf("anydim_device_info_t.platform %zu\n", offsetof(anydim_device_info_t, platform));
  printf("anydim_device_info_t.device %zu\n", offsetof(anydim_device_info_t, device));
  printf("anydim_device_info_t.usable %zu\n", offsetof(anydim_device_info_t, usable));
  printf("anydim_device_info_t.units %zu\n", offsetof(anydim_device_info_t, units));
  printf("anydim_device_info_t.like_gpu %zu\n", offsetof(anydim_device_info_t, like_gpu));
  printf("anydim_device_info_t.memory_bytes %zu\n", offsetof(anydim_device_info_t, memory_bytes));
  printf("anydim_device_info_t.largest_allocation_bytes %zu\n", offsetof(anydim_device_info_t, largest_allocation_bytes));
  printf("anydim_device_info_t.name %zu\n", offsetof(anydim_device_info_t, name));
  printf("anydim_device_info_t.driver %zu\n", offsetof(anydim_device_info_t, driver));
  printf("anydim_device_info_t.platform_name %zu\n", offsetof(anydim_device_info_t, platform_name));
  { struct aligned { char c; anydim_kernel_info_t s; };
    printf("anydim_kernel_info_t %zu %zu\n", sizeof(anydim_kernel_info_t), offsetof(struct aligned, s)); }
  printf("anydim_kernel_info_t.size %zu\n", offsetof(anydim_kernel_info_t, size));
  printf("anydim_kernel_info_t.usable %zu\n", offsetof(anydim_kernel_info_t, usable));
  printf("anydim_kernel_info_t.name %zu\n", offsetof(anydim_kernel_info_t, name));
  printf("anydim_kernel_info_t.op %zu\n", offsetof(anydim_kernel_info_t, op));
  printf("anydim_kernel_info_t.isa %zu\n", offsetof(anydim_kernel_info_t, isa));
  printf("anydim_kernel_info_t.layout %zu\n", offsetof(anydim_kernel_info_t, layout));
  printf("anydim_kernel_info_t.src %zu\n", offsetof(anydim_kernel_info_t, src));
  printf("anydim_kernel_info_t.dst %zu\n", offsetof(anydim_kernel_info_t, dst));
  { struct aligned { char c; anydim_stream_options_t s; };
    printf("anydim_stream_options_t %zu %zu\n", sizeof(anydim_stream_options_t), offsetof(struct aligned, s)); }
  printf("anydim_stream_options_t.size %zu\n", offsetof(anydim_stream_options_t, size));
  printf("anydim_stream_options_t.threads %zu\n", offsetof(anydim_stream_options_t, threads));
  printf("anydim_stream_options_t.reserved %zu\n", offsetof(anydim_stream_options_t, reserved));
  { struct aligned { char c; anydim_memory_info_t s; };
    printf("anydim_memory_info_t %zu %zu\n", sizeof(anydim_memory_info_t), offsetof(struct aligned, s)); }
  printf("anydim_memory_info_t.size %zu\n", offsetof(anydim_memory_info_t, size));
  printf("anydim_memory_info_t.imported %zu\n", offsetof(anydim_memory_info_t, imported));
  printf("anydim_memory_info_t.bytes %zu\n", offsetof(anydim_memory_info_t, bytes));
  printf("anydim_memory_info_t.data %zu\n", offsetof(anydim_memory_info_t, data));
  { struct aligned { char c; anydim_op_t s; };
    printf("anydim_op_t %zu %zu\n", sizeof(anydim_op_t), offsetof(struct aligned, s)); }
  printf("anydim_op_t.size %zu\n", offsetof(anydim_op_t, size));
  printf("anydim_op_t.kind %zu\n", offsetof(anydim_op_t, kind));
  { struct aligned { char c; anydim_convolution_t s; };
    printf("anydim_convolution_t %zu %zu\n", sizeof(anydim_convolution_t), offsetof(struct aligned, s)); }
  printf("anydim_convolution_t.op %zu\n", offsetof(anydim_convolution_t, op));
  printf("anydim_convolution_t.spatial %zu\n", offsetof(anydim_convolution_t, spatial));
  printf("anydim_convolution_t.auto_pad %zu\n", offsetof(anydim_convolution_t, auto_pad));
  printf("anydim_convolution_t.strides %zu\n", offsetof(anydim_convolution_t, strides));
  printf("anydim_convolution_t.dilations %zu\n", offsetof(anydim_convolution_t, dilations));
  printf("anydim_convolution_t.pads_begin %zu\n", offsetof(anydim_convolution_t, pads_begin));
  printf("anydim_convolution_t.pads_end %zu\n", offsetof(anydim_convolution_t, pads_end));
  printf("anydim_convolution_t.group %zu\n", offsetof(anydim_convolution_t, group));
  { struct aligned { char c; anydim_conv_transpose_t s; };
    printf("anydim_conv_transpose_t %zu %zu\n", sizeof(anydim_conv_transpose_t), offsetof(struct aligned, s)); }
  printf("anydim_conv_transpose_t.op %zu\n", offsetof(anydim_conv_transpose_t, op));
  printf("anydim_conv_transpose_t.spatial %zu\n", offsetof(anydim_conv_transpose_t, spatial));
  printf("anydim_conv_transpose_t.auto_pad %zu\n", offsetof(anydim_conv_transpose_t, auto_pad));
  printf("anydim_conv_transpose_t.strides %zu\n", offsetof(anydim_conv_transpose_t, strides));
  printf("anydim_conv_transpose_t.dilations %zu\n", offsetof(anydim_conv_transpose_t, dilations));
  printf("anydim_conv_transpose_t.pads_begin %zu\n", offsetof(anydim_conv_transpose_t, pads_begin));
  printf("anydim_conv_transpose_t.pads_end %zu\n", offsetof(anydim_conv_transpose_t, pads_end));
  printf("anydim_conv_transpose_t.output_padding %zu\n", offsetof(anydim_conv_transpose_t, output_padding));
  printf("anydim_conv_transpose_t.output_shape %zu\n", offsetof(anydim_conv_transpose_t, output_shape));
  printf("anydim_conv_transpose_t.group %zu\n", offsetof(anydim_conv_transpose_t, group));
  { struct aligned { char c; anydim_matmul_t s; };
    printf("anydim_matmul_t %zu %zu\n", sizeof(anydim_matmul_t), offsetof(struct aligned, s)); }
  printf("anydim_matmul_t.op %zu\n", offsetof(anydim_matmul_t, op));
  printf("anydim_matmul_t.transpose_a %zu\n", offsetof(anydim_matmul_t, transpose_a));
  printf("anydim_matmul_t.transpose_b %zu\n", offsetof(anydim_matmul_t, transpose_b));
  printf("anydim_matmul_t.alpha %zu\n", offsetof(anydim_matmul_t, alpha));
  printf("anydim_matmul_t.beta %zu\n", offsetof(anydim_matmul_t, beta));
  { struct aligned { char c; anydim_pooling_t s; };
    printf("anydim_pooling_t %zu %zu\n", sizeof(anydim_pooling_t), offsetof(struct aligned, s)); }
  printf("anydim_pooling_t.op %zu\n", offsetof(anydim_pooling_t, op));
  printf("anydim_pooling_t.kind %zu\n", offsetof(anydim_pooling_t, kind));
  printf("anydim_pooling_t.spatial %zu\n", offsetof(anydim_pooling_t, spatial));
  printf("anydim_pooling_t.global %zu\n", offsetof(anydim_pooling_t, global));
  printf("anydim_pooling_t.auto_pad %zu\n", offsetof(anydim_pooling_t, auto_pad));
  printf("anydim_pooling_t.window %zu\n", offsetof(anydim_pooling_t, window));
  printf("anydim_pooling_t.strides %zu\n", offsetof(anydim_pooling_t, strides));
  printf("anydim_pooling_t.dilations %zu\n", offsetof(anydim_pooling_t, dilations));
  printf("anydim_pooling_t.pads_begin %zu\n", offsetof(anydim_pooling_t, pads_begin));
  printf("anydim_pooling_t.pads_end %zu\n", offsetof(anydim_pooling_t, pads_end));
  printf("anydim_pooling_t.ceil_mode %zu\n", offsetof(anydim_pooling_t, ceil_mode));
  printf("anydim_pooling_t.count_include_pad %zu\n", offsetof(anydim_pooling_t, count_include_pad));
  printf("anydim_pooling_t.indices %zu\n", offsetof(anydim_pooling_t, indices));
  printf("anydim_pooling_t.column_major_indices %zu\n", offsetof(anydim_pooling_t, column_major_indices));
  { struct aligned { char c; anydim_unary_t s; };
    printf("anydim_unary_t %zu %zu\n", sizeof(anydim_unary_t), offsetof(struct aligned, s)); }
  printf("anydim_unary_t.op %zu\n", offsetof(anydim_unary_t, op));
  printf("anydim_unary_t.function %zu\n", offsetof(anydim_unary_t, function));
  printf("anydim_unary_t.alpha %zu\n", offsetof(anydim_unary_t, alpha));
  printf("anydim_unary_t.beta %zu\n", offsetof(anydim_unary_t, beta));
  printf("anydim_unary_t.reserved %zu\n", offsetof(anydim_unary_t, reserved));
  { struct aligned { char c; anydim_binary_t s; };
    printf("anydim_binary_t %zu %zu\n", sizeof(anydim_binary_t), offsetof(struct aligned, s)); }
  printf("anydim_binary_t.op %zu\n", offsetof(anydim_binary_t, op));
  printf("anydim_binary_t.function %zu\n", offsetof(anydim_binary_t, function));
  printf("anydim_binary_t.reserved %zu\n", offsetof(anydim_binary_t, reserved));
  { struct aligned { char c; anydim_reduce_t s; };
    printf("anydim_reduce_t %zu %zu\n", sizeof(anydim_reduce_t), offsetof(struct aligned, s)); }
  printf("anydim_reduce_t.op %zu\n", offsetof(anydim_reduce_t, op));
  printf("anydim_reduce_t.kind %zu\n", offsetof(anydim_reduce_t, kind));
  printf("anydim_reduce_t.keepdims %zu\n", offsetof(anydim_reduce_t, keepdims));
  printf("anydim_reduce_t.axes %zu\n", offsetof(anydim_reduce_t, axes));
  { struct aligned { char c; anydim_softmax_t s; };
    printf("anydim_softmax_t %zu %zu\n", sizeof(anydim_softmax_t), offsetof(struct aligned, s)); }
  printf("anydim_softmax_t.op %zu\n", offsetof(anydim_softmax_t, op));
  printf("anydim_softmax_t.axis %zu\n", offsetof(anydim_softmax_t, axis));
  printf("anydim_softmax_t.log %zu\n", offsetof(anydim_softmax_t, log));
  printf("anydim_softmax_t.reserved %zu\n", offsetof(anydim_softmax_t, reserved));
  { struct aligned { char c; anydim_layer_norm_t s; };
    printf("anydim_layer_norm_t %zu %zu\n", sizeof(anydim_layer_norm_t), offsetof(struct aligned, s)); }
  printf("anydim_layer_norm_t.op %zu\n", offsetof(anydim_layer_norm_t, op));
  printf("anydim_layer_norm_t.axis %zu\n", offsetof(anydim_layer_norm_t, axis));
  printf("anydim_layer_norm_t.epsilon %zu\n", offsetof(anydim_layer_norm_t, epsilon));
  printf("anydim_layer_norm_t.reserved %zu\n", offsetof(anydim_layer_norm_t, reserved));
  { struct aligned { char c; anydim_resize_t s; };
    printf("anydim_resize_t %zu %zu\n", sizeof(anydim_resize_t), offsetof(struct aligned, s)); }
  printf("anydim_resize_t.op %zu\n", offsetof(anydim_resize_t, op));
  printf("anydim_resize_t.mode %zu\n", offsetof(anydim_resize_t, mode));
  printf("anydim_resize_t.coordinates %zu\n", offsetof(anydim_resize_t, coordinates));
  printf("anydim_resize_t.nearest %zu\n", offsetof(anydim_resize_t, nearest));
  printf("anydim_resize_t.cubic_coeff_a %zu\n", offsetof(anydim_resize_t, cubic_coeff_a));
  printf("anydim_resize_t.policy %zu\n", offsetof(anydim_resize_t, policy));
  printf("anydim_resize_t.extrapolation_value %zu\n", offsetof(anydim_resize_t, extrapolation_value));
  printf("anydim_resize_t.exclude_outside %zu\n", offsetof(anydim_resize_t, exclude_outside));
  printf("anydim_resize_t.antialias %zu\n", offsetof(anydim_resize_t, antialias));
  printf("anydim_resize_t.axes %zu\n", offsetof(anydim_resize_t, axes));
  printf("anydim_resize_t.sizes %zu\n", offsetof(anydim_resize_t, sizes));
  printf("anydim_resize_t.scales %zu\n", offsetof(anydim_resize_t, scales));
  printf("anydim_resize_t.roi %zu\n", offsetof(anydim_resize_t, roi));
  printf("anydim_resize_t.scale_bits %zu\n", offsetof(anydim_resize_t, scale_bits));
  printf("anydim_resize_t.roi_bits %zu\n", offsetof(anydim_resize_t, roi_bits));
  { struct aligned { char c; anydim_transpose_t s; };
    printf("anydim_transpose_t %zu %zu\n", sizeof(anydim_transpose_t), offsetof(struct aligned, s)); }
  printf("anydim_transpose_t.op %zu\n", offsetof(anydim_transpose_t, op));
  printf("anydim_transpose_t.perm %zu\n", offsetof(anydim_transpose_t, perm));
  { struct aligned { char c; anydim_cast_t s; };
    printf("anydim_cast_t %zu %zu\n", sizeof(anydim_cast_t), offsetof(struct aligned, s)); }
  printf("anydim_cast_t.op %zu\n", offsetof(anydim_cast_t, op));
  printf("anydim_cast_t.to %zu\n", offsetof(anydim_cast_t, to));
  printf("anydim_cast_t.overflows %zu\n", offsetof(anydim_cast_t, overflows));
  printf("anydim_cast_t.rounding %zu\n", offsetof(anydim_cast_t, rounding));
  printf("anydim_cast_t.reserved %zu\n", offsetof(anydim_cast_t, reserved));
  { struct aligned { char c; anydim_concat_t s; };
    printf("anydim_concat_t %zu %zu\n", sizeof(anydim_concat_t), offsetof(struct aligned, s)); }
  printf("anydim_concat_t.op %zu\n", offsetof(anydim_concat_t, op));
  printf("anydim_concat_t.axis %zu\n", offsetof(anydim_concat_t, axis));
  { struct aligned { char c; anydim_where_t s; };
    printf("anydim_where_t %zu %zu\n", sizeof(anydim_where_t), offsetof(struct aligned, s)); }
  printf("anydim_where_t.op %zu\n", offsetof(anydim_where_t, op));
  { struct aligned { char c; anydim_arg_reduce_t s; };
    printf("anydim_arg_reduce_t %zu %zu\n", sizeof(anydim_arg_reduce_t), offsetof(struct aligned, s)); }
  printf("anydim_arg_reduce_t.op %zu\n", offsetof(anydim_arg_reduce_t, op));
  printf("anydim_arg_reduce_t.kind %zu\n", offsetof(anydim_arg_reduce_t, kind));
  printf("anydim_arg_reduce_t.keepdims %zu\n", offsetof(anydim_arg_reduce_t, keepdims));
  printf("anydim_arg_reduce_t.axis %zu\n", offsetof(anydim_arg_reduce_t, axis));
  printf("anydim_arg_reduce_t.select_last %zu\n", offsetof(anydim_arg_reduce_t, select_last));
  printf("anydim_arg_reduce_t.reserved %zu\n", offsetof(anydim_arg_reduce_t, reserved));
  { struct aligned { char c; anydim_cumsum_t s; };
    printf("anydim_cumsum_t %zu %zu\n", sizeof(anydim_cumsum_t), offsetof(struct aligned, s)); }
  printf("anydim_cumsum_t.op %zu\n", offsetof(anydim_cumsum_t, op));
  printf("anydim_cumsum_t.exclusive %zu\n", offsetof(anydim_cumsum_t, exclusive));
  printf("anydim_cumsum_t.reverse %zu\n", offsetof(anydim_cumsum_t, reverse));
  printf("anydim_cumsum_t.product %zu\n", offsetof(anydim_cumsum_t, product));
  printf("anydim_cumsum_t.reserved %zu\n", offsetof(anydim_cumsum_t, reserved));
  { struct aligned { char c; anydim_reshape_t s; };
    printf("anydim_reshape_t %zu %zu\n", sizeof(anydim_reshape_t), offsetof(struct aligned, s)); }
  printf("anydim_reshape_t.op %zu\n", offsetof(anydim_reshape_t, op));
  printf("anydim_reshape_t.dims %zu\n", offsetof(anydim_reshape_t, dims));
  { struct aligned { char c; anydim_expand_t s; };
    printf("anydim_expand_t %zu %zu\n", sizeof(anydim_expand_t), offsetof(struct aligned, s)); }
  printf("anydim_expand_t.op %zu\n", offsetof(anydim_expand_t, op));
  printf("anydim_expand_t.dims %zu\n", offsetof(anydim_expand_t, dims));
  { struct aligned { char c; anydim_slice_t s; };
    printf("anydim_slice_t %zu %zu\n", sizeof(anydim_slice_t), offsetof(struct aligned, s)); }
  printf("anydim_slice_t.op %zu\n", offsetof(anydim_slice_t, op));
  printf("anydim_slice_t.starts %zu\n", offsetof(anydim_slice_t, starts));
  printf("anydim_slice_t.steps %zu\n", offsetof(anydim_slice_t, steps));
  printf("anydim_slice_t.lengths %zu\n", offsetof(anydim_slice_t, lengths));
  { struct aligned { char c; anydim_pad_t s; };
    printf("anydim_pad_t %zu %zu\n", sizeof(anydim_pad_t), offsetof(struct aligned, s)); }
  printf("anydim_pad_t.op %zu\n", offsetof(anydim_pad_t, op));
  printf("anydim_pad_t.mode %zu\n", offsetof(anydim_pad_t, mode));
  printf("anydim_pad_t.reserved %zu\n", offsetof(anydim_pad_t, reserved));
  printf("anydim_pad_t.before %zu\n", offsetof(anydim_pad_t, before));
  printf("anydim_pad_t.after %zu\n", offsetof(anydim_pad_t, after));
  { struct aligned { char c; anydim_tile_t s; };
    printf("anydim_tile_t %zu %zu\n", sizeof(anydim_tile_t), offsetof(struct aligned, s)); }
  printf("anydim_tile_t.op %zu\n", offsetof(anydim_tile_t, op));
  printf("anydim_tile_t.repeats %zu\n", offsetof(anydim_tile_t, repeats));
  { struct aligned { char c; anydim_depth_to_space_t s; };
    printf("anydim_depth_to_space_t %zu %zu\n", sizeof(anydim_depth_to_space_t), offsetof(struct aligned, s)); }
  printf("anydim_depth_to_space_t.op %zu\n", offsetof(anydim_depth_to_space_t, op));
  printf("anydim_depth_to_space_t.block %zu\n", offsetof(anydim_depth_to_space_t, block));
  printf("anydim_depth_to_space_t.order %zu\n", offsetof(anydim_depth_to_space_t, order));
  printf("anydim_depth_to_space_t.inverse %zu\n", offsetof(anydim_depth_to_space_t, inverse));
  { struct aligned { char c; anydim_range_t s; };
    printf("anydim_range_t %zu %zu\n", sizeof(anydim_range_t), offsetof(struct aligned, s)); }
  printf("anydim_range_t.op %zu\n", offsetof(anydim_range_t, op));
  printf("anydim_range_t.dtype %zu\n", offsetof(anydim_range_t, dtype));
  printf("anydim_range_t.real %zu\n", offsetof(anydim_range_t, real));
  printf("anydim_range_t.start %zu\n", offsetof(anydim_range_t, start));
  printf("anydim_range_t.delta %zu\n", offsetof(anydim_range_t, delta));
  printf("anydim_range_t.count %zu\n", offsetof(anydim_range_t, count));
  printf("anydim_range_t.real_start %zu\n", offsetof(anydim_range_t, real_start));
  printf("anydim_range_t.real_delta %zu\n", offsetof(anydim_range_t, real_delta));
  { struct aligned { char c; anydim_shape_tensor_t s; };
    printf("anydim_shape_tensor_t %zu %zu\n", sizeof(anydim_shape_tensor_t), offsetof(struct aligned, s)); }
  printf("anydim_shape_tensor_t.op %zu\n", offsetof(anydim_shape_tensor_t, op));
  printf("anydim_shape_tensor_t.dtype %zu\n", offsetof(anydim_shape_tensor_t, dtype));
  printf("anydim_shape_tensor_t.scalar %zu\n", offsetof(anydim_shape_tensor_t, scalar));
  printf("anydim_shape_tensor_t.values %zu\n", offsetof(anydim_shape_tensor_t, values));
  printf("anydim_shape_tensor_t.values_count %zu\n", offsetof(anydim_shape_tensor_t, values_count));
  { struct aligned { char c; anydim_gather_t s; };
    printf("anydim_gather_t %zu %zu\n", sizeof(anydim_gather_t), offsetof(struct aligned, s)); }
  printf("anydim_gather_t.op %zu\n", offsetof(anydim_gather_t, op));
  printf("anydim_gather_t.axis %zu\n", offsetof(anydim_gather_t, axis));
  { struct aligned { char c; anydim_gather_elements_t s; };
    printf("anydim_gather_elements_t %zu %zu\n", sizeof(anydim_gather_elements_t), offsetof(struct aligned, s)); }
  printf("anydim_gather_elements_t.op %zu\n", offsetof(anydim_gather_elements_t, op));
  printf("anydim_gather_elements_t.axis %zu\n", offsetof(anydim_gather_elements_t, axis));
  { struct aligned { char c; anydim_gather_nd_t s; };
    printf("anydim_gather_nd_t %zu %zu\n", sizeof(anydim_gather_nd_t), offsetof(struct aligned, s)); }
  printf("anydim_gather_nd_t.op %zu\n", offsetof(anydim_gather_nd_t, op));
  printf("anydim_gather_nd_t.batch_dims %zu\n", offsetof(anydim_gather_nd_t, batch_dims));
  { struct aligned { char c; anydim_scatter_elements_t s; };
    printf("anydim_scatter_elements_t %zu %zu\n", sizeof(anydim_scatter_elements_t), offsetof(struct aligned, s)); }
  printf("anydim_scatter_elements_t.op %zu\n", offsetof(anydim_scatter_elements_t, op));
  printf("anydim_scatter_elements_t.axis %zu\n", offsetof(anydim_scatter_elements_t, axis));
  printf("anydim_scatter_elements_t.reduction %zu\n", offsetof(anydim_scatter_elements_t, reduction));
  printf("anydim_scatter_elements_t.reserved %zu\n", offsetof(anydim_scatter_elements_t, reserved));
  { struct aligned { char c; anydim_scatter_nd_t s; };
    printf("anydim_scatter_nd_t %zu %zu\n", sizeof(anydim_scatter_nd_t), offsetof(struct aligned, s)); }
  printf("anydim_scatter_nd_t.op %zu\n", offsetof(anydim_scatter_nd_t, op));
  printf("anydim_scatter_nd_t.reduction %zu\n", offsetof(anydim_scatter_nd_t, reduction));
  printf("anydim_scatter_nd_t.reserved %zu\n", offsetof(anydim_scatter_nd_t, reserved));
  { struct aligned { char c; anydim_topk_t s; };
    printf("anydim_topk_t %zu %zu\n", sizeof(anydim_topk_t), offsetof(struct aligned, s)); }
  printf("anydim_topk_t.op %zu\n", offsetof(anydim_topk_t, op));
  printf("anydim_topk_t.axis %zu\n", offsetof(anydim_topk_t, axis));
  printf("anydim_topk_t.k %zu\n", offsetof(anydim_topk_t, k));
  printf("anydim_topk_t.largest %zu\n", offsetof(anydim_topk_t, largest));
  printf("anydim_topk_t.sorted %zu\n", offsetof(anydim_topk_t, sorted));
  { struct aligned { char c; anydim_trilu_t s; };
    printf("anydim_trilu_t %zu %zu\n", sizeof(anydim_trilu_t), offsetof(struct aligned, s)); }
  printf("anydim_trilu_t.op %zu\n", offsetof(anydim_trilu_t, op));
  printf("anydim_trilu_t.upper %zu\n", offsetof(anydim_trilu_t, upper));
  printf("anydim_trilu_t.reserved %zu\n", offsetof(anydim_trilu_t, reserved));
  printf("anydim_trilu_t.k %zu\n", offsetof(anydim_trilu_t, k));
  { struct aligned { char c; anydim_eye_like_t s; };
    printf("anydim_eye_like_t %zu %zu\n", sizeof(anydim_eye_like_t), offsetof(struct aligned, s)); }
  printf("anydim_eye_like_t.op %zu\n", offsetof(anydim_eye_like_t, op));
  printf("anydim_eye_like_t.dtype %zu\n", offsetof(anydim_eye_like_t, dtype));
  printf("anydim_eye_like_t.reserved %zu\n", offsetof(anydim_eye_like_t, reserved));
  printf("anydim_eye_like_t.k %zu\n", offsetof(anydim_eye_like_t, k));
  { struct aligned { char c; anydim_one_hot_t s; };
    printf("anydim_one_hot_t %zu %zu\n", sizeof(anydim_one_hot_t), offsetof(struct aligned, s)); }
  printf("anydim_one_hot_t.op %zu\n", offsetof(anydim_one_hot_t, op));
  printf("anydim_one_hot_t.axis %zu\n", offsetof(anydim_one_hot_t, axis));
  printf("anydim_one_hot_t.depth %zu\n", offsetof(anydim_one_hot_t, depth));
  { struct aligned { char c; anydim_grid_sample_t s; };
    printf("anydim_grid_sample_t %zu %zu\n", sizeof(anydim_grid_sample_t), offsetof(struct aligned, s)); }
  printf("anydim_grid_sample_t.op %zu\n", offsetof(anydim_grid_sample_t, op));
  printf("anydim_grid_sample_t.mode %zu\n", offsetof(anydim_grid_sample_t, mode));
  printf("anydim_grid_sample_t.padding %zu\n", offsetof(anydim_grid_sample_t, padding));
  printf("anydim_grid_sample_t.align_corners %zu\n", offsetof(anydim_grid_sample_t, align_corners));
  printf("anydim_grid_sample_t.reserved %zu\n", offsetof(anydim_grid_sample_t, reserved));
  { struct aligned { char c; anydim_count_non_zero_t s; };
    printf("anydim_count_non_zero_t %zu %zu\n", sizeof(anydim_count_non_zero_t), offsetof(struct aligned, s)); }
  printf("anydim_count_non_zero_t.op %zu\n", offsetof(anydim_count_non_zero_t, op));
  { struct aligned { char c; anydim_non_zero_t s; };
    printf("anydim_non_zero_t %zu %zu\n", sizeof(anydim_non_zero_t), offsetof(struct aligned, s)); }
  printf("anydim_non_zero_t.op %zu\n", offsetof(anydim_non_zero_t, op));
  printf("anydim_non_zero_t.count %zu\n", offsetof(anydim_non_zero_t, count));
  { struct aligned { char c; anydim_unique_t s; };
    printf("anydim_unique_t %zu %zu\n", sizeof(anydim_unique_t), offsetof(struct aligned, s)); }
  printf("anydim_unique_t.op %zu\n", offsetof(anydim_unique_t, op));
  printf("anydim_unique_t.axis %zu\n", offsetof(anydim_unique_t, axis));
  printf("anydim_unique_t.sorted %zu\n", offsetof(anydim_unique_t, sorted));
  printf("anydim_unique_t.reserved %zu\n", offsetof(anydim_unique_t, reserved));
  { struct aligned { char c; anydim_recurrent_t s; };
    printf("anydim_recurrent_t %zu %zu\n", sizeof(anydim_recurrent_t), offsetof(struct aligned, s)); }
  printf("anydim_recurrent_t.op %zu\n", offsetof(anydim_recurrent_t, op));
  printf("anydim_recurrent_t.cell %zu\n", offsetof(anydim_recurrent_t, cell));
  printf("anydim_recurrent_t.direction %zu\n", offsetof(anydim_recurrent_t, direction));
  printf("anydim_recurrent_t.gates %zu\n", offsetof(anydim_recurrent_t, gates));
  printf("anydim_recurrent_t.gates_alpha %zu\n", offsetof(anydim_recurrent_t, gates_alpha));
  printf("anydim_recurrent_t.gates_beta %zu\n", offsetof(anydim_recurrent_t, gates_beta));
  printf("anydim_recurrent_t.candidate %zu\n", offsetof(anydim_recurrent_t, candidate));
  printf("anydim_recurrent_t.candidate_alpha %zu\n", offsetof(anydim_recurrent_t, candidate_alpha));
  printf("anydim_recurrent_t.candidate_beta %zu\n", offsetof(anydim_recurrent_t, candidate_beta));
  printf("anydim_recurrent_t.output %zu\n", offsetof(anydim_recurrent_t, output));
  printf("anydim_recurrent_t.output_alpha %zu\n", offsetof(anydim_recurrent_t, output_alpha));
  printf("anydim_recurrent_t.output_beta %zu\n", offsetof(anydim_recurrent_t, output_beta));
  printf("anydim_recurrent_t.clip %zu\n", offsetof(anydim_recurrent_t, clip));
  printf("anydim_recurrent_t.linear_before_reset %zu\n", offsetof(anydim_recurrent_t, linear_before_reset));
  printf("anydim_recurrent_t.input_forget %zu\n", offsetof(anydim_recurrent_t, input_forget));
  printf("anydim_recurrent_t.cell_state %zu\n", offsetof(anydim_recurrent_t, cell_state));
  printf("anydim_recurrent_t.reserved %zu\n", offsetof(anydim_recurrent_t, reserved));
  { struct aligned { char c; anydim_fold_t s; };
    printf("anydim_fold_t %zu %zu\n", sizeof(anydim_fold_t), offsetof(struct aligned, s)); }
  printf("anydim_fold_t.op %zu\n", offsetof(anydim_fold_t, op));
  printf("anydim_fold_t.spatial %zu\n", offsetof(anydim_fold_t, spatial));
  printf("anydim_fold_t.reserved %zu\n", offsetof(anydim_fold_t, reserved));
  printf("anydim_fold_t.image %zu\n", offsetof(anydim_fold_t, image));
  printf("anydim_fold_t.window %zu\n", offsetof(anydim_fold_t, window));
  printf("anydim_fold_t.strides %zu\n", offsetof(anydim_fold_t, strides));
  printf("anydim_fold_t.dilations %zu\n", offsetof(anydim_fold_t, dilations));
  printf("anydim_fold_t.pads_begin %zu\n", offsetof(anydim_fold_t, pads_begin));
  printf("anydim_fold_t.pads_end %zu\n", offsetof(anydim_fold_t, pads_end));
  { struct aligned { char c; anydim_deform_columns_t s; };
    printf("anydim_deform_columns_t %zu %zu\n", sizeof(anydim_deform_columns_t), offsetof(struct aligned, s)); }
  printf("anydim_deform_columns_t.op %zu\n", offsetof(anydim_deform_columns_t, op));
  printf("anydim_deform_columns_t.spatial %zu\n", offsetof(anydim_deform_columns_t, spatial));
  printf("anydim_deform_columns_t.reserved %zu\n", offsetof(anydim_deform_columns_t, reserved));
  printf("anydim_deform_columns_t.window %zu\n", offsetof(anydim_deform_columns_t, window));
  printf("anydim_deform_columns_t.strides %zu\n", offsetof(anydim_deform_columns_t, strides));
  printf("anydim_deform_columns_t.dilations %zu\n", offsetof(anydim_deform_columns_t, dilations));
  printf("anydim_deform_columns_t.pads_begin %zu\n", offsetof(anydim_deform_columns_t, pads_begin));
  printf("anydim_deform_columns_t.pads_end %zu\n", offsetof(anydim_deform_columns_t, pads_end));
  printf("anydim_deform_columns_t.groups %zu\n", offsetof(anydim_deform_columns_t, groups));
  { struct aligned { char c; anydim_roi_align_t s; };
    printf("anydim_roi_align_t %zu %zu\n", sizeof(anydim_roi_align_t), offsetof(struct aligned, s)); }
  printf("anydim_roi_align_t.op %zu\n", offsetof(anydim_roi_align_t, op));
  printf("anydim_roi_align_t.mode %zu\n", offsetof(anydim_roi_align_t, mode));
  printf("anydim_roi_align_t.half_pixel %zu\n", offsetof(anydim_roi_align_t, half_pixel));
  printf("anydim_roi_align_t.height %zu\n", offsetof(anydim_roi_align_t, height));
  printf("anydim_roi_align_t.width %zu\n", offsetof(anydim_roi_align_t, width));
  printf("anydim_roi_align_t.samples %zu\n", offsetof(anydim_roi_align_t, samples));
  printf("anydim_roi_align_t.scale %zu\n", offsetof(anydim_roi_align_t, scale));
  printf("anydim_roi_align_t.reserved %zu\n", offsetof(anydim_roi_align_t, reserved));
  { struct aligned { char c; anydim_non_max_suppression_t s; };
    printf("anydim_non_max_suppression_t %zu %zu\n", sizeof(anydim_non_max_suppression_t), offsetof(struct aligned, s)); }
  printf("anydim_non_max_suppression_t.op %zu\n", offsetof(anydim_non_max_suppression_t, op));
  printf("anydim_non_max_suppression_t.most %zu\n", offsetof(anydim_non_max_suppression_t, most));
  printf("anydim_non_max_suppression_t.center_point %zu\n", offsetof(anydim_non_max_suppression_t, center_point));
  printf("anydim_non_max_suppression_t.reserved %zu\n", offsetof(anydim_non_max_suppression_t, reserved));
  { struct aligned { char c; anydim_dft_t s; };
    printf("anydim_dft_t %zu %zu\n", sizeof(anydim_dft_t), offsetof(struct aligned, s)); }
  printf("anydim_dft_t.op %zu\n", offsetof(anydim_dft_t, op));
  printf("anydim_dft_t.axis %zu\n", offsetof(anydim_dft_t, axis));
  printf("anydim_dft_t.length %zu\n", offsetof(anydim_dft_t, length));
  printf("anydim_dft_t.inverse %zu\n", offsetof(anydim_dft_t, inverse));
  printf("anydim_dft_t.onesided %zu\n", offsetof(anydim_dft_t, onesided));
  { struct aligned { char c; anydim_det_t s; };
    printf("anydim_det_t %zu %zu\n", sizeof(anydim_det_t), offsetof(struct aligned, s)); }
  printf("anydim_det_t.op %zu\n", offsetof(anydim_det_t, op));
  { struct aligned { char c; anydim_random_uniform_t s; };
    printf("anydim_random_uniform_t %zu %zu\n", sizeof(anydim_random_uniform_t), offsetof(struct aligned, s)); }
  printf("anydim_random_uniform_t.op %zu\n", offsetof(anydim_random_uniform_t, op));
  printf("anydim_random_uniform_t.dtype %zu\n", offsetof(anydim_random_uniform_t, dtype));
  printf("anydim_random_uniform_t.reserved %zu\n", offsetof(anydim_random_uniform_t, reserved));
  printf("anydim_random_uniform_t.dims %zu\n", offsetof(anydim_random_uniform_t, dims));
  printf("anydim_random_uniform_t.seed %zu\n", offsetof(anydim_random_uniform_t, seed));
  printf("anydim_random_uniform_t.stream %zu\n", offsetof(anydim_random_uniform_t, stream));
  { struct aligned { char c; anydim_bit_cast_t s; };
    printf("anydim_bit_cast_t %zu %zu\n", sizeof(anydim_bit_cast_t), offsetof(struct aligned, s)); }
  printf("anydim_bit_cast_t.op %zu\n", offsetof(anydim_bit_cast_t, op));
  printf("anydim_bit_cast_t.to %zu\n", offsetof(anydim_bit_cast_t, to));
  printf("anydim_bit_cast_t.reserved %zu\n", offsetof(anydim_bit_cast_t, reserved));
  { struct aligned { char c; anydim_attention_t s; };
    printf("anydim_attention_t %zu %zu\n", sizeof(anydim_attention_t), offsetof(struct aligned, s)); }
  printf("anydim_attention_t.op %zu\n", offsetof(anydim_attention_t, op));
  printf("anydim_attention_t.left_window %zu\n", offsetof(anydim_attention_t, left_window));
  printf("anydim_attention_t.right_window %zu\n", offsetof(anydim_attention_t, right_window));
  printf("anydim_attention_t.first %zu\n", offsetof(anydim_attention_t, first));
  printf("anydim_attention_t.scale %zu\n", offsetof(anydim_attention_t, scale));
  printf("anydim_attention_t.softcap %zu\n", offsetof(anydim_attention_t, softcap));
  printf("anydim_attention_t.causal %zu\n", offsetof(anydim_attention_t, causal));
  printf("anydim_attention_t.reserved %zu\n", offsetof(anydim_attention_t, reserved));
  { struct aligned { char c; anydim_compressed_matmul_t s; };
    printf("anydim_compressed_matmul_t %zu %zu\n", sizeof(anydim_compressed_matmul_t), offsetof(struct aligned, s)); }
  printf("anydim_compressed_matmul_t.op %zu\n", offsetof(anydim_compressed_matmul_t, op));
  printf("anydim_compressed_matmul_t.transpose_b %zu\n", offsetof(anydim_compressed_matmul_t, transpose_b));
  printf("anydim_compressed_matmul_t.rounded_rows %zu\n", offsetof(anydim_compressed_matmul_t, rounded_rows));
  printf("anydim_compressed_matmul_t.block %zu\n", offsetof(anydim_compressed_matmul_t, block));
  printf("anydim_compressed_matmul_t.zero_point %zu\n", offsetof(anydim_compressed_matmul_t, zero_point));
  { struct aligned { char c; anydim_append_t s; };
    printf("anydim_append_t %zu %zu\n", sizeof(anydim_append_t), offsetof(struct aligned, s)); }
  printf("anydim_append_t.op %zu\n", offsetof(anydim_append_t, op));
  printf("anydim_append_t.axis %zu\n", offsetof(anydim_append_t, axis));
  printf("anydim_append_t.first %zu\n", offsetof(anydim_append_t, first));
  printf("anydim_append_t.length %zu\n", offsetof(anydim_append_t, length));
  printf("anydim_append_t.circular %zu\n", offsetof(anydim_append_t, circular));
  printf("anydim_append_t.windowed %zu\n", offsetof(anydim_append_t, windowed));
  { struct aligned { char c; anydim_tree_ensemble_t s; };
    printf("anydim_tree_ensemble_t %zu %zu\n", sizeof(anydim_tree_ensemble_t), offsetof(struct aligned, s)); }
  printf("anydim_tree_ensemble_t.op %zu\n", offsetof(anydim_tree_ensemble_t, op));
  printf("anydim_tree_ensemble_t.outputs %zu\n", offsetof(anydim_tree_ensemble_t, outputs));
  printf("anydim_tree_ensemble_t.aggregate %zu\n", offsetof(anydim_tree_ensemble_t, aggregate));
  printf("anydim_tree_ensemble_t.reserved %zu\n", offsetof(anydim_tree_ensemble_t, reserved));
  { struct aligned { char c; anydim_couple_pairs_t s; };
    printf("anydim_couple_pairs_t %zu %zu\n", sizeof(anydim_couple_pairs_t), offsetof(struct aligned, s)); }
  printf("anydim_couple_pairs_t.op %zu\n", offsetof(anydim_couple_pairs_t, op));
  printf("anydim_couple_pairs_t.classes %zu\n", offsetof(anydim_couple_pairs_t, classes));
  { struct aligned { char c; anydim_quantization_range_t s; };
    printf("anydim_quantization_range_t %zu %zu\n", sizeof(anydim_quantization_range_t), offsetof(struct aligned, s)); }
  printf("anydim_quantization_range_t.op %zu\n", offsetof(anydim_quantization_range_t, op));
  { struct aligned { char c; anydim_string_lookup_t s; };
    printf("anydim_string_lookup_t %zu %zu\n", sizeof(anydim_string_lookup_t), offsetof(struct aligned, s)); }
  printf("anydim_string_lookup_t.op %zu\n", offsetof(anydim_string_lookup_t, op));
  { struct aligned { char c; anydim_string_equal_t s; };
    printf("anydim_string_equal_t %zu %zu\n", sizeof(anydim_string_equal_t), offsetof(struct aligned, s)); }
  printf("anydim_string_equal_t.op %zu\n", offsetof(anydim_string_equal_t, op));
  { struct aligned { char c; anydim_string_concat_t s; };
    printf("anydim_string_concat_t %zu %zu\n", sizeof(anydim_string_concat_t), offsetof(struct aligned, s)); }
  printf("anydim_string_concat_t.op %zu\n", offsetof(anydim_string_concat_t, op));
  printf("anydim_string_concat_t.bytes %zu\n", offsetof(anydim_string_concat_t, bytes));
  { struct aligned { char c; anydim_string_case_t s; };
    printf("anydim_string_case_t %zu %zu\n", sizeof(anydim_string_case_t), offsetof(struct aligned, s)); }
  printf("anydim_string_case_t.op %zu\n", offsetof(anydim_string_case_t, op));
  printf("anydim_string_case_t.upper %zu\n", offsetof(anydim_string_case_t, upper));
  printf("anydim_string_case_t.reserved %zu\n", offsetof(anydim_string_case_t, reserved));
  printf("anydim_string_case_t.bytes %zu\n", offsetof(anydim_string_case_t, bytes));
  { struct aligned { char c; anydim_string_match_t s; };
    printf("anydim_string_match_t %zu %zu\n", sizeof(anydim_string_match_t), offsetof(struct aligned, s)); }
  printf("anydim_string_match_t.op %zu\n", offsetof(anydim_string_match_t, op));
  { struct aligned { char c; anydim_count_string_pieces_t s; };
    printf("anydim_count_string_pieces_t %zu %zu\n", sizeof(anydim_count_string_pieces_t), offsetof(struct aligned, s)); }
  printf("anydim_count_string_pieces_t.op %zu\n", offsetof(anydim_count_string_pieces_t, op));
  printf("anydim_count_string_pieces_t.rule %zu\n", offsetof(anydim_count_string_pieces_t, rule));
  printf("anydim_count_string_pieces_t.reserved %zu\n", offsetof(anydim_count_string_pieces_t, reserved));
  printf("anydim_count_string_pieces_t.most_splits %zu\n", offsetof(anydim_count_string_pieces_t, most_splits));
  printf("anydim_count_string_pieces_t.min_characters %zu\n", offsetof(anydim_count_string_pieces_t, min_characters));
  { struct aligned { char c; anydim_string_split_t s; };
    printf("anydim_string_split_t %zu %zu\n", sizeof(anydim_string_split_t), offsetof(struct aligned, s)); }
  printf("anydim_string_split_t.op %zu\n", offsetof(anydim_string_split_t, op));
  printf("anydim_string_split_t.rule %zu\n", offsetof(anydim_string_split_t, rule));
  printf("anydim_string_split_t.reserved %zu\n", offsetof(anydim_string_split_t, reserved));
  printf("anydim_string_split_t.most_splits %zu\n", offsetof(anydim_string_split_t, most_splits));
  printf("anydim_string_split_t.min_characters %zu\n", offsetof(anydim_string_split_t, min_characters));
  printf("anydim_string_split_t.most %zu\n", offsetof(anydim_string_split_t, most));
  { struct aligned { char c; anydim_ngram_counts_t s; };
    printf("anydim_ngram_counts_t %zu %zu\n", sizeof(anydim_ngram_counts_t), offsetof(struct aligned, s)); }
  printf("anydim_ngram_counts_t.op %zu\n", offsetof(anydim_ngram_counts_t, op));
  printf("anydim_ngram_counts_t.outputs %zu\n", offsetof(anydim_ngram_counts_t, outputs));
  printf("anydim_ngram_counts_t.max_skip %zu\n", offsetof(anydim_ngram_counts_t, max_skip));
  { struct aligned { char c; anydim_string_parse_t s; };
    printf("anydim_string_parse_t %zu %zu\n", sizeof(anydim_string_parse_t), offsetof(struct aligned, s)); }
  printf("anydim_string_parse_t.op %zu\n", offsetof(anydim_string_parse_t, op));
  printf("anydim_string_parse_t.to %zu\n", offsetof(anydim_string_parse_t, to));
  printf("anydim_string_parse_t.reserved %zu\n", offsetof(anydim_string_parse_t, reserved));
  { struct aligned { char c; anydim_string_format_t s; };
    printf("anydim_string_format_t %zu %zu\n", sizeof(anydim_string_format_t), offsetof(struct aligned, s)); }
  printf("anydim_string_format_t.op %zu\n", offsetof(anydim_string_format_t, op));
  { struct aligned { char c; anydim_save_options_t s; };
    printf("anydim_save_options_t %zu %zu\n", sizeof(anydim_save_options_t), offsetof(struct aligned, s)); }
  printf("anydim_save_options_t.size %zu\n", offsetof(anydim_save_options_t, size));
  printf("anydim_save_options_t.sync %zu\n", offsetof(anydim_save_options_t, sync));
  { struct aligned { char c; anydim_candidate_t s; };
    printf("anydim_candidate_t %zu %zu\n", sizeof(anydim_candidate_t), offsetof(struct aligned, s)); }
  printf("anydim_candidate_t.size %zu\n", offsetof(anydim_candidate_t, size));
  printf("anydim_candidate_t.chosen %zu\n", offsetof(anydim_candidate_t, chosen));
  printf("anydim_candidate_t.name %zu\n", offsetof(anydim_candidate_t, name));
  printf("anydim_candidate_t.refusal %zu\n", offsetof(anydim_candidate_t, refusal));
  { struct aligned { char c; anydim_custom_node_t s; };
    printf("anydim_custom_node_t %zu %zu\n", sizeof(anydim_custom_node_t), offsetof(struct aligned, s)); }
  printf("anydim_custom_node_t.name %zu\n", offsetof(anydim_custom_node_t, name));
  printf("anydim_custom_node_t.domain %zu\n", offsetof(anydim_custom_node_t, domain));
  printf("anydim_custom_node_t.op_type %zu\n", offsetof(anydim_custom_node_t, op_type));
  printf("anydim_custom_node_t.version %zu\n", offsetof(anydim_custom_node_t, version));
  printf("anydim_custom_node_t.attributes %zu\n", offsetof(anydim_custom_node_t, attributes));
  printf("anydim_custom_node_t.facts %zu\n", offsetof(anydim_custom_node_t, facts));
  { struct aligned { char c; anydim_custom_attribute_t s; };
    printf("anydim_custom_attribute_t %zu %zu\n", sizeof(anydim_custom_attribute_t), offsetof(struct aligned, s)); }
  printf("anydim_custom_attribute_t.name %zu\n", offsetof(anydim_custom_attribute_t, name));
  printf("anydim_custom_attribute_t.type %zu\n", offsetof(anydim_custom_attribute_t, type));
  printf("anydim_custom_attribute_t.is_list %zu\n", offsetof(anydim_custom_attribute_t, is_list));
  printf("anydim_custom_attribute_t.count %zu\n", offsetof(anydim_custom_attribute_t, count));
  printf("anydim_custom_attribute_t.data %zu\n", offsetof(anydim_custom_attribute_t, data));
  { struct aligned { char c; anydim_custom_operator_t s; };
    printf("anydim_custom_operator_t %zu %zu\n", sizeof(anydim_custom_operator_t), offsetof(struct aligned, s)); }
  printf("anydim_custom_operator_t.size %zu\n", offsetof(anydim_custom_operator_t, size));
  printf("anydim_custom_operator_t.reserved %zu\n", offsetof(anydim_custom_operator_t, reserved));
  printf("anydim_custom_operator_t.shapes %zu\n", offsetof(anydim_custom_operator_t, shapes));
  printf("anydim_custom_operator_t.compute %zu\n", offsetof(anydim_custom_operator_t, compute));
  printf("anydim_custom_operator_t.user %zu\n", offsetof(anydim_custom_operator_t, user));
  printf("anydim_custom_operator_t.finalizer %zu\n", offsetof(anydim_custom_operator_t, finalizer));
  { struct aligned { char c; anydim_engine_kernel_t s; };
    printf("anydim_engine_kernel_t %zu %zu\n", sizeof(anydim_engine_kernel_t), offsetof(struct aligned, s)); }
  printf("anydim_engine_kernel_t.name %zu\n", offsetof(anydim_engine_kernel_t, name));
  printf("anydim_engine_kernel_t.op %zu\n", offsetof(anydim_engine_kernel_t, op));
  printf("anydim_engine_kernel_t.reserved %zu\n", offsetof(anydim_engine_kernel_t, reserved));
  { struct aligned { char c; anydim_engine_call_t s; };
    printf("anydim_engine_call_t %zu %zu\n", sizeof(anydim_engine_call_t), offsetof(struct aligned, s)); }
  printf("anydim_engine_call_t.op %zu\n", offsetof(anydim_engine_call_t, op));
  printf("anydim_engine_call_t.inputs %zu\n", offsetof(anydim_engine_call_t, inputs));
  printf("anydim_engine_call_t.outputs %zu\n", offsetof(anydim_engine_call_t, outputs));
  printf("anydim_engine_call_t.input_count %zu\n", offsetof(anydim_engine_call_t, input_count));
  printf("anydim_engine_call_t.output_count %zu\n", offsetof(anydim_engine_call_t, output_count));
  printf("anydim_engine_call_t.constants %zu\n", offsetof(anydim_engine_call_t, constants));
  printf("anydim_engine_call_t.kernel %zu\n", offsetof(anydim_engine_call_t, kernel));
  printf("anydim_engine_call_t.reserved %zu\n", offsetof(anydim_engine_call_t, reserved));
  { struct aligned { char c; anydim_engine_node_t s; };
    printf("anydim_engine_node_t %zu %zu\n", sizeof(anydim_engine_node_t), offsetof(struct aligned, s)); }
  printf("anydim_engine_node_t.name %zu\n", offsetof(anydim_engine_node_t, name));
  printf("anydim_engine_node_t.op %zu\n", offsetof(anydim_engine_node_t, op));
  printf("anydim_engine_node_t.inputs %zu\n", offsetof(anydim_engine_node_t, inputs));
  printf("anydim_engine_node_t.outputs %zu\n", offsetof(anydim_engine_node_t, outputs));
  printf("anydim_engine_node_t.input_count %zu\n", offsetof(anydim_engine_node_t, input_count));
  printf("anydim_engine_node_t.output_count %zu\n", offsetof(anydim_engine_node_t, output_count));
  printf("anydim_engine_node_t.offered %zu\n", offsetof(anydim_engine_node_t, offered));
  printf("anydim_engine_node_t.reserved %zu\n", offsetof(anydim_engine_node_t, reserved));
  { struct aligned { char c; anydim_engine_graph_t s; };
    printf("anydim_engine_graph_t %zu %zu\n", sizeof(anydim_engine_graph_t), offsetof(struct aligned, s)); }
  printf("anydim_engine_graph_t.values %zu\n", offsetof(anydim_engine_graph_t, values));
  printf("anydim_engine_graph_t.constants %zu\n", offsetof(anydim_engine_graph_t, constants));
  printf("anydim_engine_graph_t.nodes %zu\n", offsetof(anydim_engine_graph_t, nodes));
  printf("anydim_engine_graph_t.inputs %zu\n", offsetof(anydim_engine_graph_t, inputs));
  printf("anydim_engine_graph_t.outputs %zu\n", offsetof(anydim_engine_graph_t, outputs));
  printf("anydim_engine_graph_t.value_count %zu\n", offsetof(anydim_engine_graph_t, value_count));
  printf("anydim_engine_graph_t.node_count %zu\n", offsetof(anydim_engine_graph_t, node_count));
  printf("anydim_engine_graph_t.input_count %zu\n", offsetof(anydim_engine_graph_t, input_count));
  printf("anydim_engine_graph_t.output_count %zu\n", offsetof(anydim_engine_graph_t, output_count));
  { struct aligned { char c; anydim_engine_definition_t s; };
    printf("anydim_engine_definition_t %zu %zu\n", sizeof(anydim_engine_definition_t), offsetof(struct aligned, s)); }
  printf("anydim_engine_definition_t.size %zu\n", offsetof(anydim_engine_definition_t, size));
  printf("anydim_engine_definition_t.version %zu\n", offsetof(anydim_engine_definition_t, version));
  printf("anydim_engine_definition_t.name %zu\n", offsetof(anydim_engine_definition_t, name));
  printf("anydim_engine_definition_t.device %zu\n", offsetof(anydim_engine_definition_t, device));
  printf("anydim_engine_definition_t.driver %zu\n", offsetof(anydim_engine_definition_t, driver));
  printf("anydim_engine_definition_t.kernels %zu\n", offsetof(anydim_engine_definition_t, kernels));
  printf("anydim_engine_definition_t.kernel_count %zu\n", offsetof(anydim_engine_definition_t, kernel_count));
  printf("anydim_engine_definition_t.base_alignment %zu\n", offsetof(anydim_engine_definition_t, base_alignment));
  printf("anydim_engine_definition_t.largest_allocation %zu\n", offsetof(anydim_engine_definition_t, largest_allocation));
  printf("anydim_engine_definition_t.create %zu\n", offsetof(anydim_engine_definition_t, create));
  printf("anydim_engine_definition_t.destroy %zu\n", offsetof(anydim_engine_definition_t, destroy));
  printf("anydim_engine_definition_t.allocate %zu\n", offsetof(anydim_engine_definition_t, allocate));
  printf("anydim_engine_definition_t.free %zu\n", offsetof(anydim_engine_definition_t, free));
  printf("anydim_engine_definition_t.supports %zu\n", offsetof(anydim_engine_definition_t, supports));
  printf("anydim_engine_definition_t.prepare %zu\n", offsetof(anydim_engine_definition_t, prepare));
  printf("anydim_engine_definition_t.release %zu\n", offsetof(anydim_engine_definition_t, release));
  printf("anydim_engine_definition_t.stream_create %zu\n", offsetof(anydim_engine_definition_t, stream_create));
  printf("anydim_engine_definition_t.stream_destroy %zu\n", offsetof(anydim_engine_definition_t, stream_destroy));
  printf("anydim_engine_definition_t.stream_wait %zu\n", offsetof(anydim_engine_definition_t, stream_wait));
  printf("anydim_engine_definition_t.upload %zu\n", offsetof(anydim_engine_definition_t, upload));
  printf("anydim_engine_definition_t.download %zu\n", offsetof(anydim_engine_definition_t, download));
  printf("anydim_engine_definition_t.copy %zu\n", offsetof(anydim_engine_definition_t, copy));
  printf("anydim_engine_definition_t.launch %zu\n", offsetof(anydim_engine_definition_t, launch));
  printf("anydim_engine_definition_t.event_record %zu\n", offsetof(anydim_engine_definition_t, event_record));
  printf("anydim_engine_definition_t.event_wait %zu\n", offsetof(anydim_engine_definition_t, event_wait));
  printf("anydim_engine_definition_t.event_order %zu\n", offsetof(anydim_engine_definition_t, event_order));
  printf("anydim_engine_definition_t.event_destroy %zu\n", offsetof(anydim_engine_definition_t, event_destroy));
  printf("anydim_engine_definition_t.last_error %zu\n", offsetof(anydim_engine_definition_t, last_error));
  printf("anydim_engine_definition_t.user %zu\n", offsetof(anydim_engine_definition_t, user));
  printf("anydim_engine_definition_t.finalizer %zu\n", offsetof(anydim_engine_definition_t, finalizer));
  printf("anydim_engine_definition_t.claim %zu\n", offsetof(anydim_engine_definition_t, claim));
  printf("anydim_engine_definition_t.part_compile %zu\n", offsetof(anydim_engine_definition_t, part_compile));
  printf("anydim_engine_definition_t.part_release %zu\n", offsetof(anydim_engine_definition_t, part_release));
  printf("anydim_engine_definition_t.part_launch %zu\n", offsetof(anydim_engine_definition_t, part_launch));
  { struct aligned { char c; anydim_model_options_t s; };
    printf("anydim_model_options_t %zu %zu\n", sizeof(anydim_model_options_t), offsetof(struct aligned, s)); }
  printf("anydim_model_options_t.size %zu\n", offsetof(anydim_model_options_t, size));
  printf("anydim_model_options_t.math %zu\n", offsetof(anydim_model_options_t, math));
  printf("anydim_model_options_t.reuse %zu\n", offsetof(anydim_model_options_t, reuse));
  printf("anydim_model_options_t.input_layout %zu\n", offsetof(anydim_model_options_t, input_layout));
  printf("anydim_model_options_t.output_layout %zu\n", offsetof(anydim_model_options_t, output_layout));
  printf("anydim_model_options_t.passes %zu\n", offsetof(anydim_model_options_t, passes));
  printf("anydim_model_options_t.layouts %zu\n", offsetof(anydim_model_options_t, layouts));
  printf("anydim_model_options_t.packed_weights %zu\n", offsetof(anydim_model_options_t, packed_weights));
  printf("anydim_model_options_t.engines %zu\n", offsetof(anydim_model_options_t, engines));
  printf("anydim_model_options_t.engine_count %zu\n", offsetof(anydim_model_options_t, engine_count));
  printf("anydim_model_options_t.reserved %zu\n", offsetof(anydim_model_options_t, reserved));
  printf("anydim_model_options_t.layers %zu\n", offsetof(anydim_model_options_t, layers));
  printf("anydim_model_options_t.external_data_folder %zu\n", offsetof(anydim_model_options_t, external_data_folder));
  printf("anydim_model_options_t.sequences %zu\n", offsetof(anydim_model_options_t, sequences));
  printf("anydim_model_options_t.operators %zu\n", offsetof(anydim_model_options_t, operators));
  printf("anydim_model_options_t.streaming %zu\n", offsetof(anydim_model_options_t, streaming));
  printf("anydim_model_options_t.streaming_chunk %zu\n", offsetof(anydim_model_options_t, streaming_chunk));
  { struct aligned { char c; anydim_model_info_t s; };
    printf("anydim_model_info_t %zu %zu\n", sizeof(anydim_model_info_t), offsetof(struct aligned, s)); }
  printf("anydim_model_info_t.size %zu\n", offsetof(anydim_model_info_t, size));
  printf("anydim_model_info_t.metadata %zu\n", offsetof(anydim_model_info_t, metadata));
  printf("anydim_model_info_t.producer_name %zu\n", offsetof(anydim_model_info_t, producer_name));
  printf("anydim_model_info_t.producer_version %zu\n", offsetof(anydim_model_info_t, producer_version));
  printf("anydim_model_info_t.graph_name %zu\n", offsetof(anydim_model_info_t, graph_name));
  printf("anydim_model_info_t.domain %zu\n", offsetof(anydim_model_info_t, domain));
  printf("anydim_model_info_t.description %zu\n", offsetof(anydim_model_info_t, description));
  printf("anydim_model_info_t.version %zu\n", offsetof(anydim_model_info_t, version));
  printf("anydim_model_info_t.opset %zu\n", offsetof(anydim_model_info_t, opset));
  printf("anydim_model_info_t.nodes %zu\n", offsetof(anydim_model_info_t, nodes));
  printf("anydim_model_info_t.file_nodes %zu\n", offsetof(anydim_model_info_t, file_nodes));
  printf("anydim_model_info_t.weight_bytes %zu\n", offsetof(anydim_model_info_t, weight_bytes));
  printf("anydim_model_info_t.packed_weights %zu\n", offsetof(anydim_model_info_t, packed_weights));
  printf("anydim_model_info_t.mapped_weights %zu\n", offsetof(anydim_model_info_t, mapped_weights));
  printf("anydim_model_info_t.mapped_bytes %zu\n", offsetof(anydim_model_info_t, mapped_bytes));
  printf("anydim_model_info_t.engines %zu\n", offsetof(anydim_model_info_t, engines));
  printf("anydim_model_info_t.reserved %zu\n", offsetof(anydim_model_info_t, reserved));
  { struct aligned { char c; anydim_value_info_t s; };
    printf("anydim_value_info_t %zu %zu\n", sizeof(anydim_value_info_t), offsetof(struct aligned, s)); }
  printf("anydim_value_info_t.size %zu\n", offsetof(anydim_value_info_t, size));
  printf("anydim_value_info_t.dtype %zu\n", offsetof(anydim_value_info_t, dtype));
  printf("anydim_value_info_t.name %zu\n", offsetof(anydim_value_info_t, name));
  printf("anydim_value_info_t.dims %zu\n", offsetof(anydim_value_info_t, dims));
  printf("anydim_value_info_t.min %zu\n", offsetof(anydim_value_info_t, min));
  printf("anydim_value_info_t.max %zu\n", offsetof(anydim_value_info_t, max));
  printf("anydim_value_info_t.order %zu\n", offsetof(anydim_value_info_t, order));
  printf("anydim_value_info_t.symbols %zu\n", offsetof(anydim_value_info_t, symbols));
  { struct aligned { char c; anydim_context_options_t s; };
    printf("anydim_context_options_t %zu %zu\n", sizeof(anydim_context_options_t), offsetof(struct aligned, s)); }
  printf("anydim_context_options_t.size %zu\n", offsetof(anydim_context_options_t, size));
  printf("anydim_context_options_t.threads %zu\n", offsetof(anydim_context_options_t, threads));
  printf("anydim_context_options_t.profile %zu\n", offsetof(anydim_context_options_t, profile));
  printf("anydim_context_options_t.reuse %zu\n", offsetof(anydim_context_options_t, reuse));
  printf("anydim_context_options_t.tuning_ms %zu\n", offsetof(anydim_context_options_t, tuning_ms));
  printf("anydim_context_options_t.reserved %zu\n", offsetof(anydim_context_options_t, reserved));
  printf("anydim_context_options_t.buffer %zu\n", offsetof(anydim_context_options_t, buffer));
  printf("anydim_context_options_t.buffer_bytes %zu\n", offsetof(anydim_context_options_t, buffer_bytes));
  { struct aligned { char c; anydim_input_parts_t s; };
    printf("anydim_input_parts_t %zu %zu\n", sizeof(anydim_input_parts_t), offsetof(struct aligned, s)); }
  printf("anydim_input_parts_t.views %zu\n", offsetof(anydim_input_parts_t, views));
  printf("anydim_input_parts_t.count %zu\n", offsetof(anydim_input_parts_t, count));
  printf("anydim_input_parts_t.input %zu\n", offsetof(anydim_input_parts_t, input));
  printf("anydim_input_parts_t.axis %zu\n", offsetof(anydim_input_parts_t, axis));
  { struct aligned { char c; anydim_run_options_t s; };
    printf("anydim_run_options_t %zu %zu\n", sizeof(anydim_run_options_t), offsetof(struct aligned, s)); }
  printf("anydim_run_options_t.size %zu\n", offsetof(anydim_run_options_t, size));
  printf("anydim_run_options_t.timeout_ms %zu\n", offsetof(anydim_run_options_t, timeout_ms));
  printf("anydim_run_options_t.cancellation %zu\n", offsetof(anydim_run_options_t, cancellation));
  printf("anydim_run_options_t.interrupted %zu\n", offsetof(anydim_run_options_t, interrupted));
  printf("anydim_run_options_t.user %zu\n", offsetof(anydim_run_options_t, user));
  printf("anydim_run_options_t.aliases %zu\n", offsetof(anydim_run_options_t, aliases));
  printf("anydim_run_options_t.alias_count %zu\n", offsetof(anydim_run_options_t, alias_count));
  printf("anydim_run_options_t.part_count %zu\n", offsetof(anydim_run_options_t, part_count));
  printf("anydim_run_options_t.parts %zu\n", offsetof(anydim_run_options_t, parts));
  { struct aligned { char c; anydim_tune_options_t s; };
    printf("anydim_tune_options_t %zu %zu\n", sizeof(anydim_tune_options_t), offsetof(struct aligned, s)); }
  printf("anydim_tune_options_t.size %zu\n", offsetof(anydim_tune_options_t, size));
  printf("anydim_tune_options_t.node_ms %zu\n", offsetof(anydim_tune_options_t, node_ms));
  printf("anydim_tune_options_t.record %zu\n", offsetof(anydim_tune_options_t, record));
  printf("anydim_tune_options_t.again %zu\n", offsetof(anydim_tune_options_t, again));
  printf("anydim_tune_options_t.progress %zu\n", offsetof(anydim_tune_options_t, progress));
  printf("anydim_tune_options_t.user %zu\n", offsetof(anydim_tune_options_t, user));
  printf("anydim_tune_options_t.cancellation %zu\n", offsetof(anydim_tune_options_t, cancellation));
  { struct aligned { char c; anydim_context_info_t s; };
    printf("anydim_context_info_t %zu %zu\n", sizeof(anydim_context_info_t), offsetof(struct aligned, s)); }
  printf("anydim_context_info_t.size %zu\n", offsetof(anydim_context_info_t, size));
  printf("anydim_context_info_t.bounded %zu\n", offsetof(anydim_context_info_t, bounded));
  printf("anydim_context_info_t.arena_bytes %zu\n", offsetof(anydim_context_info_t, arena_bytes));
  printf("anydim_context_info_t.growths %zu\n", offsetof(anydim_context_info_t, growths));
  printf("anydim_context_info_t.runs %zu\n", offsetof(anydim_context_info_t, runs));
  printf("anydim_context_info_t.threads %zu\n", offsetof(anydim_context_info_t, threads));
  printf("anydim_context_info_t.reserved %zu\n", offsetof(anydim_context_info_t, reserved));
  { struct aligned { char c; anydim_node_info_t s; };
    printf("anydim_node_info_t %zu %zu\n", sizeof(anydim_node_info_t), offsetof(struct aligned, s)); }
  printf("anydim_node_info_t.size %zu\n", offsetof(anydim_node_info_t, size));
  printf("anydim_node_info_t.reserved %zu\n", offsetof(anydim_node_info_t, reserved));
  printf("anydim_node_info_t.name %zu\n", offsetof(anydim_node_info_t, name));
  printf("anydim_node_info_t.op %zu\n", offsetof(anydim_node_info_t, op));
  printf("anydim_node_info_t.kernel %zu\n", offsetof(anydim_node_info_t, kernel));
  printf("anydim_node_info_t.tier %zu\n", offsetof(anydim_node_info_t, tier));
  printf("anydim_node_info_t.post_ops %zu\n", offsetof(anydim_node_info_t, post_ops));
  printf("anydim_node_info_t.scratch_bytes %zu\n", offsetof(anydim_node_info_t, scratch_bytes));
  printf("anydim_node_info_t.output_bytes %zu\n", offsetof(anydim_node_info_t, output_bytes));
  printf("anydim_node_info_t.time_ns %zu\n", offsetof(anydim_node_info_t, time_ns));
  { struct aligned { char c; anydim_session_info_t s; };
    printf("anydim_session_info_t %zu %zu\n", sizeof(anydim_session_info_t), offsetof(struct aligned, s)); }
  printf("anydim_session_info_t.size %zu\n", offsetof(anydim_session_info_t, size));
  printf("anydim_session_info_t.contexts %zu\n", offsetof(anydim_session_info_t, contexts));
  printf("anydim_session_info_t.limit %zu\n", offsetof(anydim_session_info_t, limit));
  printf("anydim_session_info_t.in_use %zu\n", offsetof(anydim_session_info_t, in_use));
  printf("anydim_session_info_t.waiting %zu\n", offsetof(anydim_session_info_t, waiting));
  printf("anydim_session_info_t.reserved %zu\n", offsetof(anydim_session_info_t, reserved));
  printf("anydim_session_info_t.growths %zu\n", offsetof(anydim_session_info_t, growths));
  printf("anydim_session_info_t.arena_bytes %zu\n", offsetof(anydim_session_info_t, arena_bytes));
  { struct aligned { char c; anydim_state_info_t s; };
    printf("anydim_state_info_t %zu %zu\n", sizeof(anydim_state_info_t), offsetof(struct aligned, s)); }
  printf("anydim_state_info_t.size %zu\n", offsetof(anydim_state_info_t, size));
  printf("anydim_state_info_t.parts %zu\n", offsetof(anydim_state_info_t, parts));
  printf("anydim_state_info_t.in_place %zu\n", offsetof(anydim_state_info_t, in_place));
  printf("anydim_state_info_t.reserved %zu\n", offsetof(anydim_state_info_t, reserved));
  printf("anydim_state_info_t.length %zu\n", offsetof(anydim_state_info_t, length));
  printf("anydim_state_info_t.limit %zu\n", offsetof(anydim_state_info_t, limit));
  printf("anydim_state_info_t.steps %zu\n", offsetof(anydim_state_info_t, steps));
  printf("anydim_state_info_t.bytes %zu\n", offsetof(anydim_state_info_t, bytes));
  printf("anydim_state_info_t.appended_bytes %zu\n", offsetof(anydim_state_info_t, appended_bytes));
  printf("anydim_state_info_t.copied_bytes %zu\n", offsetof(anydim_state_info_t, copied_bytes));
  printf("anydim_state_info_t.growths %zu\n", offsetof(anydim_state_info_t, growths));
  printf("anydim_state_info_t.page %zu\n", offsetof(anydim_state_info_t, page));
  printf("anydim_state_info_t.pages %zu\n", offsetof(anydim_state_info_t, pages));
  printf("anydim_state_info_t.shared_pages %zu\n", offsetof(anydim_state_info_t, shared_pages));
  printf("anydim_state_info_t.pool_bytes %zu\n", offsetof(anydim_state_info_t, pool_bytes));
  printf("anydim_state_info_t.pool_limit %zu\n", offsetof(anydim_state_info_t, pool_limit));
  { struct aligned { char c; anydim_streaming_info_t s; };
    printf("anydim_streaming_info_t %zu %zu\n", sizeof(anydim_streaming_info_t), offsetof(struct aligned, s)); }
  printf("anydim_streaming_info_t.size %zu\n", offsetof(anydim_streaming_info_t, size));
  printf("anydim_streaming_info_t.first_after %zu\n", offsetof(anydim_streaming_info_t, first_after));
  printf("anydim_streaming_info_t.received %zu\n", offsetof(anydim_streaming_info_t, received));
  printf("anydim_streaming_info_t.chunks %zu\n", offsetof(anydim_streaming_info_t, chunks));
  printf("anydim_streaming_info_t.bytes %zu\n", offsetof(anydim_streaming_info_t, bytes));
  printf("anydim_streaming_info_t.most_chunk %zu\n", offsetof(anydim_streaming_info_t, most_chunk));
  { struct aligned { char c; anydim_batching_options_t s; };
    printf("anydim_batching_options_t %zu %zu\n", sizeof(anydim_batching_options_t), offsetof(struct aligned, s)); }
  printf("anydim_batching_options_t.size %zu\n", offsetof(anydim_batching_options_t, size));
  printf("anydim_batching_options_t.rows %zu\n", offsetof(anydim_batching_options_t, rows));
  printf("anydim_batching_options_t.wait_us %zu\n", offsetof(anydim_batching_options_t, wait_us));
  printf("anydim_batching_options_t.waiting %zu\n", offsetof(anydim_batching_options_t, waiting));
  printf("anydim_batching_options_t.reserved %zu\n", offsetof(anydim_batching_options_t, reserved));
  { struct aligned { char c; anydim_batching_info_t s; };
    printf("anydim_batching_info_t %zu %zu\n", sizeof(anydim_batching_info_t), offsetof(struct aligned, s)); }
  printf("anydim_batching_info_t.size %zu\n", offsetof(anydim_batching_info_t, size));
  printf("anydim_batching_info_t.started %zu\n", offsetof(anydim_batching_info_t, started));
  printf("anydim_batching_info_t.waiting %zu\n", offsetof(anydim_batching_info_t, waiting));
  printf("anydim_batching_info_t.running %zu\n", offsetof(anydim_batching_info_t, running));
  printf("anydim_batching_info_t.requests %zu\n", offsetof(anydim_batching_info_t, requests));
  printf("anydim_batching_info_t.rows %zu\n", offsetof(anydim_batching_info_t, rows));
  printf("anydim_batching_info_t.batches %zu\n", offsetof(anydim_batching_info_t, batches));
  printf("anydim_batching_info_t.largest_batch %zu\n", offsetof(anydim_batching_info_t, largest_batch));
  printf("anydim_batching_info_t.failed %zu\n", offsetof(anydim_batching_info_t, failed));
  printf("anydim_batching_info_t.cancelled %zu\n", offsetof(anydim_batching_info_t, cancelled));
  printf("anydim_batching_info_t.late %zu\n", offsetof(anydim_batching_info_t, late));
  printf("anydim_batching_info_t.refused %zu\n", offsetof(anydim_batching_info_t, refused));
  printf("anydim_batching_info_t.p50_ns %zu\n", offsetof(anydim_batching_info_t, p50_ns));
  printf("anydim_batching_info_t.p99_ns %zu\n", offsetof(anydim_batching_info_t, p99_ns));
  printf("anydim_batching_info_t.rows_per_second %zu\n", offsetof(anydim_batching_info_t, rows_per_second));
  { struct aligned { char c; anydim_worker_info_t s; };
    printf("anydim_worker_info_t %zu %zu\n", sizeof(anydim_worker_info_t), offsetof(struct aligned, s)); }
  printf("anydim_worker_info_t.size %zu\n", offsetof(anydim_worker_info_t, size));
  printf("anydim_worker_info_t.running %zu\n", offsetof(anydim_worker_info_t, running));
  printf("anydim_worker_info_t.paused %zu\n", offsetof(anydim_worker_info_t, paused));
  printf("anydim_worker_info_t.turned_off %zu\n", offsetof(anydim_worker_info_t, turned_off));
  printf("anydim_worker_info_t.queued %zu\n", offsetof(anydim_worker_info_t, queued));
  printf("anydim_worker_info_t.requested %zu\n", offsetof(anydim_worker_info_t, requested));
  printf("anydim_worker_info_t.dropped %zu\n", offsetof(anydim_worker_info_t, dropped));
  printf("anydim_worker_info_t.repeated %zu\n", offsetof(anydim_worker_info_t, repeated));
  printf("anydim_worker_info_t.served %zu\n", offsetof(anydim_worker_info_t, served));
  printf("anydim_worker_info_t.failed %zu\n", offsetof(anydim_worker_info_t, failed));
  printf("anydim_worker_info_t.busy_ns %zu\n", offsetof(anydim_worker_info_t, busy_ns));
  { struct aligned { char c; anydim_primitive_cache_info_t s; };
    printf("anydim_primitive_cache_info_t %zu %zu\n", sizeof(anydim_primitive_cache_info_t), offsetof(struct aligned, s)); }
  printf("anydim_primitive_cache_info_t.size %zu\n", offsetof(anydim_primitive_cache_info_t, size));
  printf("anydim_primitive_cache_info_t.churn_misses %zu\n", offsetof(anydim_primitive_cache_info_t, churn_misses));
  printf("anydim_primitive_cache_info_t.limit_bytes %zu\n", offsetof(anydim_primitive_cache_info_t, limit_bytes));
  printf("anydim_primitive_cache_info_t.bytes %zu\n", offsetof(anydim_primitive_cache_info_t, bytes));
  printf("anydim_primitive_cache_info_t.entries %zu\n", offsetof(anydim_primitive_cache_info_t, entries));
  { struct aligned { char c; anydim_primitive_creation_t s; };
    printf("anydim_primitive_creation_t %zu %zu\n", sizeof(anydim_primitive_creation_t), offsetof(struct aligned, s)); }
  printf("anydim_primitive_creation_t.size %zu\n", offsetof(anydim_primitive_creation_t, size));
  printf("anydim_primitive_creation_t.hit %zu\n", offsetof(anydim_primitive_creation_t, hit));
  printf("anydim_primitive_creation_t.time_ns %zu\n", offsetof(anydim_primitive_creation_t, time_ns));
  { struct aligned { char c; anydim_persistent_cache_info_t s; };
    printf("anydim_persistent_cache_info_t %zu %zu\n", sizeof(anydim_persistent_cache_info_t), offsetof(struct aligned, s)); }
  printf("anydim_persistent_cache_info_t.size %zu\n", offsetof(anydim_persistent_cache_info_t, size));
  printf("anydim_persistent_cache_info_t.enabled %zu\n", offsetof(anydim_persistent_cache_info_t, enabled));
  printf("anydim_persistent_cache_info_t.limit_bytes %zu\n", offsetof(anydim_persistent_cache_info_t, limit_bytes));
  printf("anydim_persistent_cache_info_t.entries %zu\n", offsetof(anydim_persistent_cache_info_t, entries));
  printf("anydim_persistent_cache_info_t.index_bytes %zu\n", offsetof(anydim_persistent_cache_info_t, index_bytes));
  printf("anydim_persistent_cache_info_t.hits %zu\n", offsetof(anydim_persistent_cache_info_t, hits));
  printf("anydim_persistent_cache_info_t.misses %zu\n", offsetof(anydim_persistent_cache_info_t, misses));
  printf("anydim_persistent_cache_info_t.stores %zu\n", offsetof(anydim_persistent_cache_info_t, stores));
  printf("anydim_persistent_cache_info_t.store_failures %zu\n", offsetof(anydim_persistent_cache_info_t, store_failures));
  printf("anydim_persistent_cache_info_t.evicted %zu\n", offsetof(anydim_persistent_cache_info_t, evicted));
  printf("anydim_persistent_cache_info_t.damaged_records %zu\n", offsetof(anydim_persistent_cache_info_t, damaged_records));
  printf("anydim_persistent_cache_info_t.damaged_files %zu\n", offsetof(anydim_persistent_cache_info_t, damaged_files));
  printf("anydim_persistent_cache_info_t.load_failures %zu\n", offsetof(anydim_persistent_cache_info_t, load_failures));
  printf("anydim_persistent_cache_info_t.load_ns %zu\n", offsetof(anydim_persistent_cache_info_t, load_ns));
  { struct aligned { char c; anydim_counter_t s; };
    printf("anydim_counter_t %zu %zu\n", sizeof(anydim_counter_t), offsetof(struct aligned, s)); }
  printf("anydim_counter_t.size %zu\n", offsetof(anydim_counter_t, size));
  printf("anydim_counter_t.level %zu\n", offsetof(anydim_counter_t, level));
  printf("anydim_counter_t.name %zu\n", offsetof(anydim_counter_t, name));
  printf("anydim_counter_t.doc %zu\n", offsetof(anydim_counter_t, doc));
  printf("anydim_counter_t.value %zu\n", offsetof(anydim_counter_t, value));
  { struct aligned { char c; anydim_call_info_t s; };
    printf("anydim_call_info_t %zu %zu\n", sizeof(anydim_call_info_t), offsetof(struct aligned, s)); }
  printf("anydim_call_info_t.size %zu\n", offsetof(anydim_call_info_t, size));
  printf("anydim_call_info_t.tensors %zu\n", offsetof(anydim_call_info_t, tensors));
  printf("anydim_call_info_t.name %zu\n", offsetof(anydim_call_info_t, name));
  printf("anydim_call_info_t.op %zu\n", offsetof(anydim_call_info_t, op));
  printf("anydim_call_info_t.post_ops %zu\n", offsetof(anydim_call_info_t, post_ops));
  printf("anydim_call_info_t.kernel %zu\n", offsetof(anydim_call_info_t, kernel));
  printf("anydim_call_info_t.tier %zu\n", offsetof(anydim_call_info_t, tier));
  printf("anydim_call_info_t.time_ns %zu\n", offsetof(anydim_call_info_t, time_ns));
  printf("anydim_call_info_t.flops %zu\n", offsetof(anydim_call_info_t, flops));
  printf("anydim_call_info_t.threads %zu\n", offsetof(anydim_call_info_t, threads));
  printf("anydim_call_info_t.reserved %zu\n", offsetof(anydim_call_info_t, reserved));
  { struct aligned { char c; anydim_call_tensor_t s; };
    printf("anydim_call_tensor_t %zu %zu\n", sizeof(anydim_call_tensor_t), offsetof(struct aligned, s)); }
  printf("anydim_call_tensor_t.size %zu\n", offsetof(anydim_call_tensor_t, size));
  printf("anydim_call_tensor_t.role %zu\n", offsetof(anydim_call_tensor_t, role));
  printf("anydim_call_tensor_t.dtype %zu\n", offsetof(anydim_call_tensor_t, dtype));
  printf("anydim_call_tensor_t.index %zu\n", offsetof(anydim_call_tensor_t, index));
  printf("anydim_call_tensor_t.dims %zu\n", offsetof(anydim_call_tensor_t, dims));
  printf("anydim_call_tensor_t.strides %zu\n", offsetof(anydim_call_tensor_t, strides));
  printf("anydim_call_tensor_t.low %zu\n", offsetof(anydim_call_tensor_t, low));
  printf("anydim_call_tensor_t.high %zu\n", offsetof(anydim_call_tensor_t, high));
  return 0;
}
