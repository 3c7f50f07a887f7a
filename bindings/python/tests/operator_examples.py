# SPDX-License-Identifier: Apache-2.0
# Generated from core/ops/described by capi/generator; do not edit.
# ruff: noqa
"""One call or more of every operator, each at two shapes."""

from typing import Any

# kind, arguments, inputs: dtype, dims, other dims, lowest and highest integer, whether it is usually constant
EXAMPLES: list[tuple[str, dict[str, Any], list[tuple[str, tuple[int, ...], tuple[int, ...], int, int, bool]]]] = [
    ('convolution', {'strides': [2, 1], 'dilations': [1, 2], 'pads': [1, 0, 1, 2], 'group': 2}, [
        ('f32', (1, 4, 9, 11), (3, 4, 6, 8), 0, 7, False),
        ('f32', (6, 2, 3, 3), (6, 2, 3, 3), 0, 7, True),
        ('f32', (6,), (6,), 0, 7, True),
    ]),
    ('convolution', {'auto_pad': 'same_lower', 'pads': [0, 0]}, [
        ('f64', (2, 3, 8), (1, 3, 5), 0, 7, False),
        ('f64', (4, 3, 2), (4, 3, 2), 0, 7, True),
    ]),
    ('conv_transpose', {'strides': [2, 3], 'pads': [1, 0, 0, 0], 'output_padding': [1, 0], 'group': 2}, [
        ('f32', (1, 4, 5, 6), (2, 4, 3, 4), 0, 7, False),
        ('f32', (4, 3, 3, 2), (4, 3, 3, 2), 0, 7, True),
        ('f32', (6,), (6,), 0, 7, True),
    ]),
    ('conv_transpose', {'strides': [2, 2], 'pads': [0, 0, 0, 0], 'output_shape': [9, 8]}, [
        ('f32', (1, 2, 4, 4), (3, 2, 4, 4), 0, 7, False),
        ('f32', (2, 2, 3, 3), (2, 2, 3, 3), 0, 7, True),
    ]),
    ('matmul', {'transpose_b': True, 'alpha': 0.5, 'beta': 2}, [
        ('f32', (2, 7, 33), (1, 3, 33), 0, 7, False),
        ('f32', (20, 33), (20, 33), 0, 7, True),
        ('f32', (20,), (20,), 0, 7, True),
    ]),
    ('matmul', {'transpose_a': True}, [
        ('i32', (9, 4), (6, 4), 0, 9, False),
        ('i32', (9, 5), (6, 5), 0, 9, True),
    ]),
    ('pooling', {'kind': 'average', 'window': [3, 2], 'strides': [2, 2], 'pads': [1, 0, 0, 0], 'count_include_pad': True}, [
        ('f32', (1, 3, 9, 8), (2, 3, 6, 11), 0, 7, False),
    ]),
    ('pooling', {'kind': 'max', 'window': [2, 2], 'strides': [2, 2], 'pads': [0, 0, 0, 0], 'indices': True}, [
        ('f32', (1, 2, 6, 8), (2, 2, 5, 7), 0, 7, False),
    ]),
    ('pooling', {'kind': 'average', 'global_': True, 'pads': [0, 0, 0, 0]}, [
        ('f32', (1, 3, 9, 8), (2, 3, 1, 11), 0, 7, False),
    ]),
    ('unary', {'function': 'clip', 'alpha': -0.5, 'beta': 0.75}, [
        ('f32', (3, 50), (7, 1), 0, 7, False),
    ]),
    ('binary', {'function': 'sub'}, [
        ('f32', (3, 1, 50), (7, 1, 2), 0, 7, False),
        ('f32', (4, 50), (4, 2), 0, 7, False),
    ]),
    ('reduce', {'kind': 'sum', 'keepdims': False, 'axes': [-1, 1]}, [
        ('f32', (3, 20, 7), (2, 300, 5), 0, 7, False),
    ]),
    ('softmax', {'axis': 1, 'log': True}, [
        ('f32', (3, 20, 7), (2, 30, 5), 0, 7, False),
    ]),
    ('layer_norm', {'epsilon': 0.001}, [
        ('f32', (3, 4, 40), (2, 1, 40), 0, 7, False),
        ('f32', (40,), (40,), 0, 7, True),
        ('f32', (40,), (40,), 0, 7, True),
    ]),
    ('resize', {'mode': 'linear', 'scales': [1, 1, 2, 1.5]}, [
        ('f32', (1, 3, 5, 8), (2, 3, 4, 6), 0, 7, False),
    ]),
    ('resize', {'mode': 'cubic', 'coordinates': 'align_corners', 'axes': [2, 3], 'sizes': [7, 9]}, [
        ('f32', (1, 2, 5, 8), (2, 2, 4, 6), 0, 7, False),
    ]),
    ('transpose', {'perm': [2, 0, 1]}, [
        ('f32', (3, 4, 20), (2, 1, 7), 0, 7, False),
    ]),
    ('cast', {'to': 'i32'}, [
        ('f32', (3, 40), (5, 2), 0, 7, False),
    ]),
    ('concat', {'axis': 1}, [
        ('f32', (3, 4, 20), (2, 1, 7), 0, 7, False),
        ('f32', (3, 5, 20), (2, 5, 7), 0, 7, False),
        ('f32', (3, 1, 20), (2, 1, 7), 0, 7, False),
    ]),
    ('where', {}, [
        ('bool', (3, 40), (5, 2), 0, 1, False),
        ('f32', (3, 40), (5, 2), 0, 7, False),
        ('f32', (40,), (2,), 0, 7, False),
    ]),
    ('arg_reduce', {'kind': 'min', 'keepdims': False, 'axis': 1, 'select_last': True}, [
        ('f32', (3, 20, 7), (2, 30, 5), 0, 7, False),
    ]),
    ('cumsum', {'exclusive': True}, [
        ('f32', (3, 20, 7), (2, 30, 5), 0, 7, False),
        ('i64', (1,), (1,), 1, 1, False),
    ]),
    ('reshape', {'dims': [4, 6]}, [
        ('f32', (3, 8), (2, 12), 0, 7, False),
    ]),
    ('expand', {'dims': [3, 1, 7]}, [
        ('f32', (4, 1), (2, 7), 0, 7, False),
    ]),
    ('slice', {'starts': [1, 5], 'steps': [1, -2], 'lengths': [2, 3]}, [
        ('f32', (4, 9), (3, 6), 0, 7, False),
    ]),
    ('pad', {'mode': 'reflect', 'before': [0, 2], 'after': [1, -1]}, [
        ('f32', (4, 9), (3, 6), 0, 7, False),
    ]),
    ('pad', {'before': [1, 0], 'after': [0, 3]}, [
        ('f32', (4, 9), (3, 6), 0, 7, False),
        ('f32', (1,), (1,), 0, 7, False),
    ]),
    ('tile', {'repeats': [2, 3]}, [
        ('f32', (4, 9), (3, 1), 0, 7, False),
    ]),
    ('depth_to_space', {'block': 2, 'order': 'column_first'}, [
        ('f32', (1, 8, 3, 5), (2, 12, 4, 1), 0, 7, False),
    ]),
    ('range', {'dtype': 'i32', 'start': 10, 'delta': -3, 'count': 6}, [
    ]),
    ('range', {'dtype': 'f32', 'real': True, 'count': 37, 'real_start': 0.25, 'real_delta': 0.1}, [
    ]),
    ('shape_tensor', {'dtype': 'f32', 'values': [3, -1, 4, 1, 5, 9, 2, 6, 5, 3]}, [
    ]),
    ('gather', {'axis': 1}, [
        ('f32', (3, 8, 5), (2, 8, 1), 0, 7, False),
        ('i64', (2, 3), (4, 1), -8, 7, False),
    ]),
    ('gather_elements', {'axis': 1}, [
        ('f32', (3, 8), (2, 8), 0, 7, False),
        ('i64', (3, 4), (2, 11), -8, 7, False),
    ]),
    ('gather_nd', {}, [
        ('f32', (3, 8, 5), (3, 8, 2), 0, 7, False),
        ('i64', (4, 2), (7, 2), 0, 2, False),
    ]),
    ('scatter_elements', {'axis': 1, 'reduction': 'add'}, [
        ('f32', (3, 8), (2, 8), 0, 7, False),
        ('i64', (3, 4), (2, 11), -8, 7, False),
        ('f32', (3, 4), (2, 11), 0, 7, False),
    ]),
    ('scatter_nd', {'reduction': 'max'}, [
        ('f32', (3, 5), (3, 2), 0, 7, False),
        ('i64', (4, 1), (7, 1), 0, 2, False),
        ('f32', (4, 5), (7, 2), 0, 7, False),
    ]),
    ('topk', {'axis': 1, 'k': 3}, [
        ('f32', (4, 9), (2, 30), 0, 7, False),
    ]),
    ('trilu', {'upper': False, 'k': 1}, [
        ('f32', (2, 4, 9), (3, 5, 5), 0, 7, False),
    ]),
    ('eye_like', {'dtype': 'f64', 'k': 1}, [
        ('f32', (4, 9), (3, 5), 0, 7, False),
    ]),
    ('one_hot', {'axis': 1, 'depth': 6}, [
        ('i64', (4, 3), (2, 9), -6, 7, False),
        ('f32', (2,), (2,), 0, 7, False),
    ]),
    ('grid_sample', {'padding': 'reflection'}, [
        ('f32', (2, 3, 5, 6), (2, 3, 4, 1), 0, 7, False),
        ('f32', (2, 7, 3, 2), (2, 1, 9, 2), 0, 7, False),
    ]),
    ('grid_sample', {'mode': 'cubic', 'align_corners': True}, [
        ('f32', (1, 2, 3, 4, 5), (1, 2, 2, 6, 3), 0, 7, False),
        ('f32', (1, 2, 3, 4, 3), (1, 4, 1, 2, 3), 0, 7, False),
    ]),
    ('grid_sample', {'mode': 'nearest', 'padding': 'border'}, [
        ('i32', (1, 2, 5, 6), (1, 2, 4, 3), 0, 7, False),
        ('f32', (1, 7, 3, 2), (1, 7, 3, 2), 0, 7, False),
    ]),
    ('count_non_zero', {}, [
        ('f32', (3, 8, 5), (2, 300, 1), 0, 7, False),
    ]),
    ('non_zero', {'count': 24}, [
        ('i32', (3, 8), (4, 6), 1, 9, False),
    ]),
    ('unique', {'axis': 1}, [
        ('i32', (2, 9), (1, 40), 0, 2, False),
    ]),
    ('unique', {'axis': 0, 'sorted': False}, [
        ('f32', (30,), (7,), 0, 7, False),
    ]),
    ('recurrent', {'cell': 'lstm', 'direction': 'bidirectional', 'cell_state': True}, [
        ('f32', (5, 3, 20), (7, 1, 20), 0, 7, False),
        ('f32', (2, 64, 20), (2, 64, 20), 0, 7, True),
        ('f32', (2, 64, 16), (2, 64, 16), 0, 7, True),
        ('f32', (2, 128), (2, 128), 0, 7, True),
    ]),
    ('recurrent', {'cell': 'gru', 'clip': 3}, [
        ('f32', (5, 3, 20), (7, 1, 20), 0, 7, False),
        ('f32', (1, 48, 20), (1, 48, 20), 0, 7, True),
        ('f32', (1, 48, 16), (1, 48, 16), 0, 7, True),
    ]),
    ('fold', {'image': [11], 'window': [3], 'strides': [2], 'pads': [1, 0]}, [
        ('f32', (2, 6, 5), (1, 6, 5), 0, 7, False),
    ]),
    ('deform_columns', {'window': [3, 2], 'pads': [1, 0, 1, 0], 'groups': 2}, [
        ('f32', (2, 4, 5, 6), (1, 4, 5, 6), 0, 7, False),
        ('f32', (2, 24, 5, 5), (1, 24, 5, 5), 0, 7, False),
        ('f32', (2, 12, 5, 5), (1, 12, 5, 5), 0, 7, False),
    ]),
    ('roi_align', {'height': 3, 'width': 2, 'samples': 2, 'scale': 0.0625}, [
        ('f32', (1, 3, 9, 8), (1, 2, 9, 8), 0, 7, False),
        ('f32', (5, 4), (3, 4), 0, 7, False),
        ('i64', (5,), (3,), 0, 0, False),
    ]),
    ('non_max_suppression', {'most': 5}, [
        ('f32', (2, 20, 4), (1, 20, 4), 0, 7, False),
        ('f32', (2, 3, 20), (1, 2, 20), 0, 7, False),
        ('i64', (1,), (1,), 4, 4, False),
        ('f32', (1,), (1,), 0, 7, False),
    ]),
    ('dft', {'axis': 1, 'length': 12}, [
        ('f32', (2, 12, 3, 1), (1, 12, 2, 1), 0, 7, False),
    ]),
    ('dft', {'axis': 0, 'length': 10, 'inverse': True, 'onesided': True}, [
        ('f64', (6, 3, 2), (6, 1, 2), 0, 7, False),
    ]),
    ('det', {}, [
        ('f32', (3, 4, 4), (2, 4, 4), 0, 7, False),
    ]),
    ('random_uniform', {'dims': [3, 50], 'seed': 7, 'stream': 2}, [
    ]),
    ('bit_cast', {'to': 'i32'}, [
        ('f32', (3, 40), (5, 2), 0, 7, False),
    ]),
    ('attention', {'first': 3, 'scale': 0.25, 'causal': True}, [
        ('f32', (2, 6, 5, 16), (2, 6, 5, 16), 0, 7, False),
        ('f32', (2, 2, 8, 16), (2, 2, 8, 16), 0, 7, False),
        ('f32', (2, 2, 8, 12), (2, 2, 8, 12), 0, 7, False),
    ]),
    ('attention', {'left_window': 2, 'right_window': 1, 'scale': 0.5, 'softcap': 3}, [
        ('f32', (1, 2, 9, 8), (1, 2, 9, 8), 0, 7, False),
        ('f32', (1, 2, 9, 8), (1, 2, 9, 8), 0, 7, False),
        ('f32', (1, 2, 9, 8), (1, 2, 9, 8), 0, 7, False),
        ('f32', (1, 1, 9, 9), (1, 1, 9, 9), 0, 7, False),
    ]),
    ('compressed_matmul', {'transpose_b': True, 'block': 16, 'zero_point': 100}, [
        ('f32', (2, 7, 33), (1, 3, 33), 0, 7, False),
        ('u8', (20, 33), (20, 33), 0, 255, True),
        ('f32', (20, 3), (20, 3), 0, 7, True),
    ]),
    ('compressed_matmul', {'rounded_rows': True, 'block': 16, 'zero_point': 128}, [
        ('f32', (3, 40), (3, 40), 0, 7, False),
        ('u8', (40, 24), (40, 24), 0, 255, True),
        ('f32', (3, 24), (3, 24), 0, 7, True),
    ]),
    ('compressed_matmul', {}, [
        ('f32', (9, 20), (9, 20), 0, 7, False),
        ('i8', (20, 12), (20, 12), -128, 127, True),
        ('f32', (1, 12), (1, 12), 0, 7, True),
        ('f32', (1, 12), (1, 12), 0, 7, True),
    ]),
    ('append', {'axis': 2, 'first': 4, 'length': 7}, [
        ('f32', (2, 3, 4, 5), (2, 3, 4, 5), 0, 7, False),
        ('f32', (2, 3, 3, 5), (2, 3, 3, 5), 0, 7, False),
    ]),
    ('append', {'axis': 1, 'length': 6, 'circular': True}, [
        ('f32', (2, 6, 3), (2, 6, 3), 0, 7, False),
        ('f32', (2, 2, 3), (2, 2, 3), 0, 7, False),
        ('i64', (2,), (2,), 0, 9, False),
    ]),
    ('append', {'axis': 1, 'length': 6, 'windowed': True}, [
        ('f32', (2, 6, 3), (2, 6, 3), 0, 7, False),
        ('f32', (2, 2, 3), (2, 2, 3), 0, 7, False),
        ('i64', (2,), (2,), 0, 1, False),
        ('i64', (2,), (2,), 0, 5, False),
    ]),
    ('tree_ensemble', {'outputs': 2, 'aggregate': 'average'}, [
        ('f32', (3, 4), (2, 4), 0, 7, False),
        ('f32', (5,), (5,), 0, 7, True),
        ('i32', (5, 4), (5, 4), 0, 0, True),
        ('i32', (2,), (2,), 0, 4, True),
        ('i32', (3,), (3,), 0, 1, True),
        ('f32', (3,), (3,), 0, 7, True),
        ('f32', (2,), (2,), 0, 7, False),
    ]),
    ('couple_pairs', {'classes': 3}, [
        ('f32', (4, 3), (2, 3), 0, 7, False),
    ]),
    ('quantization_range', {}, [
        ('f32', (3, 20, 7), (2, 300, 5), 0, 7, False),
    ]),
    ('string_lookup', {}, [
        ('i64', (3, 4), (2, 30), 0, 6, False),
        ('u8', (6,), (9,), 97, 98, False),
        ('i64', (1,), (1,), 1, 5, True),
        ('u8', (6,), (6,), 97, 98, True),
    ]),
    ('string_equal', {}, [
        ('i64', (3, 4), (2, 30), 0, 2, False),
        ('u8', (6,), (9,), 97, 98, False),
        ('i64', (4,), (30,), 0, 2, False),
        ('u8', (6,), (6,), 97, 98, False),
    ]),
    ('string_concat', {'bytes': 720}, [
        ('i64', (3, 4), (2, 30), 0, 6, False),
        ('u8', (6,), (9,), 97, 122, False),
        ('i64', (4,), (30,), 0, 6, False),
        ('u8', (6,), (6,), 97, 122, False),
    ]),
    ('string_case', {'upper': True, 'bytes': 360}, [
        ('i64', (3, 4), (2, 30), 0, 6, False),
        ('u8', (6,), (9,), 97, 122, False),
    ]),
    ('string_match', {}, [
        ('i64', (3, 4), (2, 30), 0, 6, False),
        ('u8', (6,), (9,), 97, 122, False),
        ('u8', (1, 256), (1, 256), 0, 1, True),
        ('i32', (5, 3), (4, 3), -2, 7, True),
    ]),
    ('count_string_pieces', {'rule': 'characters'}, [
        ('i64', (3, 4), (2, 30), 0, 6, False),
        ('u8', (6,), (9,), 97, 122, False),
    ]),
    ('string_split', {'rule': 'characters', 'most': 6}, [
        ('i64', (3, 4), (2, 30), 0, 6, False),
        ('u8', (6,), (9,), 97, 122, False),
    ]),
    ('ngram_counts', {'outputs': 3, 'max_skip': 1}, [
        ('i64', (3, 8), (2, 30), 0, 1, False),
        ('i64', (1, 1), (1, 1), 1, 1, True),
        ('i64', (1,), (1,), 1, 1, True),
        ('i64', (1,), (1,), 0, 2, True),
    ]),
    ('string_parse', {'to': 'f64'}, [
        ('i64', (3, 4), (2, 30), 1, 6, False),
        ('u8', (6,), (9,), 48, 57, False),
    ]),
    ('string_parse', {'to': 'i32'}, [
        ('i64', (3, 4), (2, 30), 1, 6, False),
        ('u8', (6,), (9,), 48, 57, False),
    ]),
    ('string_format', {}, [
        ('f32', (3, 4), (2, 30), 0, 7, False),
    ]),
    ('string_format', {}, [
        ('i64', (3, 4), (2, 30), -9, 9, False),
    ]),
]

KINDS = ['convolution', 'conv_transpose', 'matmul', 'pooling', 'unary', 'binary', 'reduce', 'softmax', 'layer_norm', 'resize', 'transpose', 'cast', 'concat', 'where', 'arg_reduce', 'cumsum', 'reshape', 'expand', 'slice', 'pad', 'tile', 'depth_to_space', 'range', 'shape_tensor', 'gather', 'gather_elements', 'gather_nd', 'scatter_elements', 'scatter_nd', 'topk', 'trilu', 'eye_like', 'one_hot', 'grid_sample', 'count_non_zero', 'non_zero', 'unique', 'recurrent', 'fold', 'deform_columns', 'roi_align', 'non_max_suppression', 'dft', 'det', 'random_uniform', 'bit_cast', 'attention', 'compressed_matmul', 'append', 'tree_ensemble', 'couple_pairs', 'quantization_range', 'string_lookup', 'string_equal', 'string_concat', 'string_case', 'string_match', 'count_string_pieces', 'string_split', 'ngram_counts', 'string_parse', 'string_format']
VARIADIC = ['concat']
