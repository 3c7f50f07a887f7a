// SPDX-License-Identifier: Apache-2.0
// Generated from the onnx package by tools/onnx_schemas.py; do not edit.
#include "onnx/format/schemas.h"

namespace anydim::onnx {
namespace {

constexpr SchemaRow kSchemas[] = {
    {{8144, 3}, {4315, 15}, 0x1, 1, 1, 1, false},  // Abs consumed_inputs
    {{8144, 3}, {0, 0}, 0x1, 6, 1, 1, false},  // Abs
    {{7934, 4}, {0, 0}, 0x1, 7, 1, 1, false},  // Acos
    {{7934, 5}, {0, 0}, 0x1, 9, 1, 1, false},  // Acosh
    {{7637, 7}, {4617, 37}, 0xffffffff, 1, -1, -1, false},  // Adagrad decay_factor epsilon norm_coefficient
    {{8008, 4}, {3834, 57}, 0xffffffff, 1, -1, -1, false},  // Adam alpha beta epsilon norm_coefficient norm_coefficient_post
    {{8147, 3}, {4986, 30}, 0x3, 1, 2, 1, false},  // Add axis broadcast consumed_inputs
    {{8147, 3}, {4986, 14}, 0x3, 6, 2, 1, false},  // Add axis broadcast
    {{8147, 3}, {0, 0}, 0x3, 7, 2, 1, false},  // Add
    {{7111, 10}, {4862, 13}, 0x3, 20, 2, 1, false},  // AffineGrid align_corners
    {{7148, 3}, {4986, 14}, 0x3, 1, 2, 1, false},  // And axis broadcast
    {{7148, 3}, {0, 0}, 0x3, 7, 2, 1, false},  // And
    {{7748, 6}, {4893, 13}, 0x1, 1, 1, 1, false},  // ArgMax axis keepdims
    {{7748, 6}, {4893, 31}, 0x1, 12, 1, 1, false},  // ArgMax axis keepdims select_last_index
    {{7754, 6}, {4893, 13}, 0x1, 1, 1, 1, false},  // ArgMin axis keepdims
    {{7754, 6}, {4893, 31}, 0x1, 12, 1, 1, false},  // ArgMin axis keepdims select_last_index
    {{5672, 21}, {0, 0}, 0x3, 1, 2, 1, false},  // ArrayFeatureExtractor
    {{7939, 4}, {0, 0}, 0x1, 7, 1, 1, false},  // Asin
    {{7939, 5}, {0, 0}, 0x1, 9, 1, 1, false},  // Asinh
    {{7944, 4}, {0, 0}, 0x1, 7, 1, 1, false},  // Atan
    {{7944, 5}, {0, 0}, 0x1, 9, 1, 1, false},  // Atanh
    {{6342, 9}, {3293, 88}, 0x7, 23, 6, 4, false},  // Attention is_causal kv_num_heads q_num_heads qk_matmul_output_mode scale softcap softmax_precision
    {{6342, 9}, {3293, 88}, 0x7, 24, 7, 4, false},  // Attention is_causal kv_num_heads q_num_heads qk_matmul_output_mode scale softcap softmax_precision
    {{6342, 9}, {1973, 123}, 0x7, 25, 7, 4, false},  // Attention is_causal kv_num_heads left_window_size q_num_heads qk_matmul_output_mode right_window_size scale softcap softmax_precision
    {{6082, 11}, {4726, 35}, 0x1, 1, 1, 1, false},  // AveragePool auto_pad kernel_shape! pads strides
    {{6082, 11}, {4057, 53}, 0x1, 7, 1, 1, false},  // AveragePool auto_pad count_include_pad kernel_shape! pads strides
    {{6082, 11}, {3771, 63}, 0x1, 10, 1, 1, false},  // AveragePool auto_pad ceil_mode count_include_pad kernel_shape! pads strides
    {{6082, 11}, {3629, 73}, 0x1, 19, 1, 1, false},  // AveragePool auto_pad ceil_mode count_include_pad dilations kernel_shape! pads strides
    {{5897, 18}, {4315, 49}, 0x1f, 1, 5, 5, false},  // BatchNormalization consumed_inputs! epsilon is_test momentum spatial
    {{5897, 18}, {4332, 32}, 0x1f, 6, 5, 5, false},  // BatchNormalization epsilon is_test momentum spatial
    {{5897, 18}, {5421, 24}, 0x1f, 7, 5, 5, false},  // BatchNormalization epsilon momentum spatial
    {{5897, 18}, {5046, 16}, 0x1f, 9, 5, 5, false},  // BatchNormalization epsilon momentum
    {{5897, 18}, {5046, 30}, 0x1f, 14, 5, 3, false},  // BatchNormalization epsilon momentum training_mode
    {{7341, 9}, {7331, 10}, 0x1, 15, 1, 1, false},  // Bernoulli dtype seed
    {{7350, 9}, {7467, 9}, 0x1, 1, 1, 1, false},  // Binarizer threshold
    {{7644, 7}, {5581, 3}, 0x1, 26, 1, 1, false},  // BitCast to!
    {{7493, 8}, {7321, 10}, 0x3, 11, 2, 1, false},  // BitShift direction!
    {{7141, 10}, {0, 0}, 0x3, 18, 2, 1, false},  // BitwiseAnd
    {{7151, 10}, {0, 0}, 0x1, 18, 1, 1, false},  // BitwiseNot
    {{7359, 9}, {0, 0}, 0x3, 18, 2, 1, false},  // BitwiseOr
    {{7161, 10}, {0, 0}, 0x3, 18, 2, 1, false},  // BitwiseXor
    {{6560, 14}, {5445, 24}, 0x1, 17, 1, 1, false},  // BlackmanWindow output_datatype periodic
    {{7501, 4}, {5581, 3}, 0x1, 1, 1, 1, false},  // Cast to!
    {{7501, 4}, {5572, 12}, 0x1, 19, 1, 1, false},  // Cast saturate to!
    {{7501, 4}, {5561, 23}, 0x1, 24, 1, 1, false},  // Cast round_mode saturate to!
    {{7501, 8}, {0, 0}, 0x3, 15, 2, 1, false},  // CastLike
    {{7501, 8}, {4403, 8}, 0x3, 19, 2, 1, false},  // CastLike saturate
    {{7501, 8}, {5561, 19}, 0x3, 24, 2, 1, false},  // CastLike round_mode saturate
    {{7651, 7}, {5397, 24}, 0x1, 1, 1, 1, false},  // CastMap cast_to map_form max_map
    {{6574, 14}, {4163, 53}, 0x1, 1, 1, 1, false},  // CategoryMapper cats_int64s cats_strings default_int64 default_string
    {{5859, 19}, {2335, 10}, 0x3, 27, 4, 2, false},  // CausalConvWithState activation
    {{8012, 4}, {4315, 15}, 0x1, 1, 1, 1, false},  // Ceil consumed_inputs
    {{8012, 4}, {0, 0}, 0x1, 6, 1, 1, false},  // Ceil
    {{8016, 4}, {2346, 5}, 0x1, 12, 1, 1, false},  // Celu alpha
    {{6700, 13}, {1845, 4}, 0x3, 18, 2, 1, false},  // CenterCropPad axes
    {{8020, 4}, {5538, 23}, 0x1, 1, 1, 1, false},  // Clip consumed_inputs max min
    {{8020, 4}, {5554, 7}, 0x1, 6, 1, 1, false},  // Clip max min
    {{8020, 4}, {0, 0}, 0x1, 11, 3, 1, false},  // Clip
    {{7778, 6}, {5606, 22}, 0x7, 18, 3, 1, false},  // Col2Im dilations pads strides
    {{7509, 8}, {4364, 4}, 0x3, 9, 2, 1, false},  // Compress axis
    {{5915, 6}, {4364, 4}, 0xffffffff, 1, -1, 1, false},  // Concat axis
    {{5915, 6}, {6686, 5}, 0xffffffff, 4, -1, 1, false},  // Concat axis!
    {{5915, 18}, {6686, 14}, 0x1, 11, 1, 1, false},  // ConcatFromSequence axis! new_axis
    {{6321, 8}, {7928, 6}, 0x0, 1, 0, 1, false},  // Constant value!
    {{6321, 8}, {3114, 18}, 0x0, 11, 0, 1, false},  // Constant sparse_value value
    {{6321, 8}, {3114, 91}, 0x0, 12, 0, 1, false},  // Constant sparse_value value value_float value_floats value_int value_ints value_string value_strings
    {{6321, 15}, {5, 5}, 0x1, 9, 1, 1, false},  // ConstantOfShape value
    {{5865, 4}, {4216, 50}, 0x3, 1, 3, 1, false},  // Conv auto_pad dilations group kernel_shape pads strides
    {{7001, 11}, {4216, 50}, 0x3, 10, 4, 1, false},  // ConvInteger auto_pad dilations group kernel_shape pads strides
    {{6713, 13}, {3551, 78}, 0x3, 1, 3, 1, false},  // ConvTranspose auto_pad dilations group kernel_shape output_padding output_shape pads strides
    {{8024, 3}, {0, 0}, 0x1, 7, 1, 1, false},  // Cos
    {{8024, 4}, {0, 0}, 0x1, 9, 1, 1, false},  // Cosh
    {{7658, 7}, {6144, 17}, 0x3, 26, 2, 1, false},  // CumProd exclusive reverse
    {{7784, 6}, {6144, 17}, 0x3, 11, 2, 1, false},  // CumSum exclusive reverse
    {{8150, 3}, {5777, 21}, 0x1, 17, 2, 1, false},  // DFT axis inverse onesided
    {{8150, 3}, {5782, 16}, 0x1, 20, 3, 1, false},  // DFT inverse onesided
    {{7171, 10}, {4003, 54}, 0x7, 19, 5, 1, false},  // DeformConv dilations group kernel_shape offset_group pads strides
    {{6869, 12}, {6516, 10}, 0x1, 1, 1, 1, false},  // DepthToSpace blocksize!
    {{6869, 12}, {6516, 15}, 0x1, 11, 1, 1, false},  // DepthToSpace blocksize! mode
    {{6177, 16}, {0, 0}, 0x3, 10, 3, 1, false},  // DequantizeLinear
    {{6177, 16}, {4364, 4}, 0x3, 13, 3, 1, false},  // DequantizeLinear axis
    {{6177, 16}, {4364, 15}, 0x3, 21, 3, 1, false},  // DequantizeLinear axis block_size
    {{6177, 16}, {4364, 28}, 0x3, 23, 3, 1, false},  // DequantizeLinear axis block_size output_dtype
    {{8153, 3}, {0, 0}, 0x1, 11, 1, 1, false},  // Det
    {{6588, 14}, {4795, 34}, 0x1, 1, 1, 1, false},  // DictVectorizer int64_vocabulary string_vocabulary
    {{8156, 3}, {4986, 30}, 0x3, 1, 2, 1, false},  // Div axis broadcast consumed_inputs
    {{8156, 3}, {4986, 14}, 0x3, 6, 2, 1, false},  // Div axis broadcast
    {{8156, 3}, {0, 0}, 0x3, 7, 2, 1, false},  // Div
    {{7665, 7}, {5106, 29}, 0x1, 1, 1, 2, false},  // Dropout consumed_inputs is_test ratio
    {{7665, 7}, {5122, 13}, 0x1, 6, 1, 2, false},  // Dropout is_test ratio
    {{7665, 7}, {1943, 5}, 0x1, 7, 1, 2, false},  // Dropout ratio
    {{7665, 7}, {5181, 4}, 0x1, 12, 3, 2, false},  // Dropout seed
    {{5693, 21}, {0, 0}, 0x1, 11, 1, 3, false},  // DynamicQuantizeLinear
    {{7796, 6}, {7458, 9}, 0xffffffff, 12, -1, 1, false},  // Einsum equation!
    {{8159, 3}, {5192, 21}, 0x1, 1, 1, 1, false},  // Elu alpha consumed_inputs
    {{8159, 3}, {2346, 5}, 0x1, 6, 1, 1, false},  // Elu alpha
    {{6625, 5}, {4986, 14}, 0x3, 1, 2, 1, false},  // Equal axis broadcast
    {{6625, 5}, {0, 0}, 0x3, 7, 2, 1, false},  // Equal
    {{8162, 3}, {0, 0}, 0x1, 9, 1, 1, false},  // Erf
    {{6408, 3}, {4315, 15}, 0x1, 1, 1, 1, false},  // Exp consumed_inputs
    {{6408, 3}, {0, 0}, 0x1, 6, 1, 1, false},  // Exp
    {{7802, 6}, {0, 0}, 0x3, 8, 2, 1, false},  // Expand
    {{7672, 7}, {7728, 7}, 0x1, 9, 1, 1, false},  // EyeLike dtype k
    {{6059, 17}, {6531, 15}, 0xffffffff, 1, -1, 1, false},  // FeatureVectorizer inputdimensions
    {{7679, 7}, {4364, 4}, 0x1, 1, 1, 1, false},  // Flatten axis
    {{7949, 5}, {4315, 15}, 0x1, 1, 1, 1, false},  // Floor consumed_inputs
    {{7949, 5}, {0, 0}, 0x1, 6, 1, 1, false},  // Floor
    {{8165, 3}, {3381, 87}, 0x7, 1, 6, 2, false},  // GRU activation_alpha activation_beta activations clip direction hidden_size output_sequence
    {{8165, 3}, {2335, 107}, 0x7, 3, 6, 2, false},  // GRU activation_alpha activation_beta activations clip direction hidden_size linear_before_reset output_sequence
    {{8165, 3}, {2335, 91}, 0x7, 7, 6, 2, false},  // GRU activation_alpha activation_beta activations clip direction hidden_size linear_before_reset
    {{8165, 3}, {2642, 98}, 0x7, 14, 6, 2, false},  // GRU activation_alpha activation_beta activations clip direction hidden_size layout linear_before_reset
    {{6602, 6}, {4364, 4}, 0x3, 1, 2, 1, false},  // Gather axis
    {{6602, 14}, {4364, 4}, 0x3, 11, 2, 1, false},  // GatherElements axis
    {{7533, 8}, {0, 0}, 0x3, 11, 2, 1, false},  // GatherND
    {{7533, 8}, {7301, 10}, 0x3, 12, 2, 1, false},  // GatherND batch_dims
    {{8048, 4}, {7089, 11}, 0x1, 20, 1, 1, false},  // Gelu approximate
    {{8052, 4}, {4761, 34}, 0x3, 1, 3, 1, false},  // Gemm alpha beta broadcast transA transB
    {{8052, 4}, {5373, 24}, 0x3, 7, 3, 1, false},  // Gemm alpha beta transA transB
    {{6076, 17}, {0, 0}, 0x1, 1, 1, 1, false},  // GlobalAveragePool
    {{6881, 12}, {351, 1}, 0x1, 1, 1, 1, false},  // GlobalLpPool p
    {{6726, 13}, {0, 0}, 0x1, 1, 1, 1, false},  // GlobalMaxPool
    {{7541, 8}, {7476, 9}, 0xffffffff, 1, -1, -1, false},  // Gradient xs! y! zs
    {{6616, 7}, {4986, 14}, 0x3, 1, 2, 1, false},  // Greater axis broadcast
    {{6616, 7}, {0, 0}, 0x3, 7, 2, 1, false},  // Greater
    {{6616, 14}, {0, 0}, 0x3, 12, 2, 1, false},  // GreaterOrEqual
    {{7191, 10}, {4862, 31}, 0x3, 16, 2, 1, false},  // GridSample align_corners mode padding_mode
    {{5933, 18}, {5076, 19}, 0x7, 18, 3, 1, false},  // GroupNormalization epsilon num_groups!
    {{5933, 18}, {5076, 30}, 0x7, 21, 3, 1, false},  // GroupNormalization epsilon num_groups! stash_type
    {{6739, 13}, {5445, 24}, 0x1, 17, 1, 1, false},  // HammingWindow output_datatype periodic
    {{7201, 10}, {5445, 24}, 0x1, 17, 1, 1, false},  // HannWindow output_datatype periodic
    {{7012, 11}, {5246, 26}, 0x1, 1, 1, 1, false},  // HardSigmoid alpha beta consumed_inputs
    {{7012, 11}, {3834, 10}, 0x1, 6, 1, 1, false},  // HardSigmoid alpha beta
    {{7368, 9}, {0, 0}, 0x1, 14, 1, 1, false},  // HardSwish
    {{7686, 7}, {4364, 4}, 0x1, 1, 1, 1, false},  // Hardmax axis
    {{7549, 8}, {0, 0}, 0x1, 1, 1, 1, false},  // Identity
    {{8185, 2}, {5348, 25}, 0x1, 1, 1, -1, false},  // If else_branch! then_branch!
    {{6893, 12}, {6989, 12}, 0x1, 20, 1, 1, false},  // ImageDecoder pixel_format
    {{7693, 7}, {3468, 83}, 0x1, 1, 1, 1, false},  // Imputer imputed_value_floats imputed_value_int64s replaced_value_float replaced_value_int64
    {{5714, 21}, {5515, 23}, 0x7, 1, 3, 1, false},  // InstanceNormalization consumed_inputs epsilon
    {{5714, 21}, {3845, 7}, 0x7, 6, 3, 1, false},  // InstanceNormalization epsilon
    {{7954, 5}, {4924, 31}, 0x1, 10, 1, 1, false},  // IsInf detect_negative detect_positive
    {{7959, 5}, {0, 0}, 0x1, 9, 1, 1, false},  // IsNaN
    {{8168, 3}, {5756, 21}, 0x1, 1, 1, 1, false},  // LRN alpha beta bias size!
    {{8068, 4}, {2442, 100}, 0x7, 1, 8, 3, false},  // LSTM activation_alpha activation_beta activations clip direction hidden_size input_forget output_sequence
    {{8068, 4}, {2442, 84}, 0x7, 7, 8, 3, false},  // LSTM activation_alpha activation_beta activations clip direction hidden_size input_forget
    {{8068, 4}, {2932, 91}, 0x7, 14, 8, 3, false},  // LSTM activation_alpha activation_beta activations clip direction hidden_size input_forget layout
    {{6917, 12}, {4457, 44}, 0x1, 1, 1, 1, false},  // LabelEncoder classes_strings default_int64 default_string
    {{6917, 12}, {2096, 122}, 0x1, 2, 1, 1, false},  // LabelEncoder default_float default_int64 default_string keys_floats keys_int64s keys_strings values_floats values_int64s values_strings
    {{6917, 12}, {1530, 163}, 0x1, 4, 1, 1, false},  // LabelEncoder default_float default_int64 default_string default_tensor keys_floats keys_int64s keys_strings keys_tensor values_floats values_int64s values_strings values_tensor
    {{5969, 18}, {5492, 23}, 0x3, 17, 3, 3, false},  // LayerNormalization axis epsilon stash_type
    {{7377, 9}, {5192, 21}, 0x1, 1, 1, 1, false},  // LeakyRelu alpha consumed_inputs
    {{7377, 9}, {2346, 5}, 0x1, 6, 1, 1, false},  // LeakyRelu alpha
    {{7023, 4}, {4986, 14}, 0x3, 1, 2, 1, false},  // Less axis broadcast
    {{7023, 4}, {0, 0}, 0x3, 7, 2, 1, false},  // Less
    {{7023, 11}, {0, 0}, 0x3, 12, 2, 1, false},  // LessOrEqual
    {{6336, 15}, {3948, 55}, 0x7, 27, 6, 2, false},  // LinearAttention chunk_size kv_num_heads! q_num_heads! scale update_rule
    {{6193, 16}, {3205, 88}, 0x1, 1, 1, 2, false},  // LinearClassifier classlabels_ints classlabels_strings coefficients! intercepts multi_class post_transform
    {{6351, 15}, {4411, 46}, 0x1, 1, 1, 1, false},  // LinearRegressor coefficients intercepts post_transform targets
    {{5331, 3}, {4315, 15}, 0x1, 1, 1, 1, false},  // Log consumed_inputs
    {{5331, 3}, {0, 0}, 0x1, 6, 1, 1, false},  // Log
    {{7221, 10}, {4364, 4}, 0x1, 1, 1, 1, false},  // LogSoftmax axis
    {{8072, 4}, {2542, 5}, 0xfffffffc, 1, -1, -1, false},  // Loop body!
    {{6366, 15}, {7898, 6}, 0x1, 1, 1, 1, false},  // LpNormalization axis p
    {{6887, 6}, {4690, 36}, 0x1, 1, 1, 1, false},  // LpPool auto_pad kernel_shape p pads strides
    {{6887, 6}, {4543, 37}, 0x1, 2, 1, 1, false},  // LpPool auto_pad kernel_shape! p pads strides
    {{6887, 6}, {3891, 57}, 0x1, 18, 1, 1, false},  // LpPool auto_pad ceil_mode dilations kernel_shape! p pads strides
    {{6752, 6}, {0, 0}, 0x3, 1, 2, 1, false},  // MatMul
    {{6752, 13}, {0, 0}, 0x3, 10, 4, 1, false},  // MatMulInteger
    {{6096, 3}, {4315, 15}, 0xffffffff, 1, -1, 1, false},  // Max consumed_inputs
    {{6096, 3}, {0, 0}, 0xffffffff, 6, -1, 1, false},  // Max
    {{6732, 7}, {4726, 35}, 0x1, 1, 1, 1, false},  // MaxPool auto_pad kernel_shape! pads strides
    {{6732, 7}, {4266, 49}, 0x1, 8, 1, 2, false},  // MaxPool auto_pad kernel_shape! pads storage_order strides
    {{6732, 7}, {3702, 69}, 0x1, 10, 1, 2, false},  // MaxPool auto_pad ceil_mode dilations kernel_shape! pads storage_order strides
    {{7231, 10}, {5219, 27}, 0x3, 1, 2, 1, false},  // MaxRoiPool pooled_shape! spatial_scale
    {{7386, 9}, {3676, 26}, 0x3, 9, 3, 1, false},  // MaxUnpool kernel_shape! pads strides
    {{5298, 4}, {4315, 15}, 0xffffffff, 1, -1, 1, false},  // Mean consumed_inputs
    {{5298, 4}, {0, 0}, 0xffffffff, 6, -1, 1, false},  // Mean
    {{5298, 25}, {1845, 4}, 0x1, 9, 1, 1, false},  // MeanVarianceNormalization axes
    {{6381, 15}, {5445, 15}, 0x1f, 17, 5, 1, false},  // MelWeightMatrix output_datatype
    {{7410, 3}, {4315, 15}, 0xffffffff, 1, -1, 1, false},  // Min consumed_inputs
    {{7410, 3}, {0, 0}, 0xffffffff, 6, -1, 1, false},  // Min
    {{8076, 4}, {0, 0}, 0x1, 18, 1, 1, false},  // Mish
    {{8171, 3}, {8136, 4}, 0x3, 10, 2, 1, false},  // Mod fmod
    {{7581, 8}, {4654, 36}, 0xffffffff, 1, -1, -1, false},  // Momentum alpha! beta! mode! norm_coefficient!
    {{6755, 3}, {4986, 30}, 0x3, 1, 2, 1, false},  // Mul axis broadcast consumed_inputs
    {{6755, 3}, {4986, 14}, 0x3, 6, 2, 1, false},  // Mul axis broadcast
    {{6755, 3}, {0, 0}, 0x3, 7, 2, 1, false},  // Mul
    {{7034, 11}, {5628, 22}, 0x1, 7, 1, 1, false},  // Multinomial dtype sample_size seed
    {{5323, 3}, {4315, 15}, 0x1, 1, 1, 1, false},  // Neg consumed_inputs
    {{5323, 3}, {0, 0}, 0x1, 6, 1, 1, false},  // Neg
    {{5323, 25}, {5650, 22}, 0x3, 12, 3, 1, false},  // NegativeLogLikelihoodLoss ignore_index reduction
    {{6093, 17}, {6289, 16}, 0x3, 10, 5, 1, false},  // NonMaxSuppression center_point_box
    {{7700, 7}, {0, 0}, 0x1, 9, 1, 1, false},  // NonZero
    {{6247, 10}, {3853, 4}, 0x1, 1, 1, 1, false},  // Normalizer norm
    {{7158, 3}, {0, 0}, 0x1, 1, 1, 1, false},  // Not
    {{6765, 6}, {4364, 4}, 0x7, 9, 3, 1, false},  // OneHot axis
    {{6765, 13}, {5016, 30}, 0x1, 1, 1, 1, false},  // OneHotEncoder cats_int64s cats_strings zeros
    {{5987, 8}, {1764, 4}, 0x0, 15, 1, 1, false},  // Optional type
    {{5987, 18}, {0, 0}, 0x1, 15, 1, 1, false},  // OptionalGetElement
    {{6005, 18}, {0, 0}, 0x0, 15, 1, 1, false},  // OptionalHasElement
    {{6623, 2}, {4986, 14}, 0x3, 1, 2, 1, false},  // Or axis broadcast
    {{6623, 2}, {0, 0}, 0x3, 7, 2, 1, false},  // Or
    {{7964, 5}, {4315, 15}, 0x3, 1, 2, 1, false},  // PRelu consumed_inputs
    {{7964, 5}, {0, 0}, 0x3, 6, 2, 1, false},  // PRelu
    {{6710, 3}, {5839, 20}, 0x1, 1, 1, 1, false},  // Pad mode paddings! value
    {{6710, 3}, {6305, 16}, 0x1, 2, 1, 1, false},  // Pad mode pads! value
    {{6710, 3}, {263, 4}, 0x3, 11, 3, 1, false},  // Pad mode
    {{6710, 3}, {263, 4}, 0x3, 18, 4, 1, false},  // Pad mode
    {{8174, 3}, {4986, 14}, 0x3, 1, 2, 1, false},  // Pow axis broadcast
    {{8174, 3}, {0, 0}, 0x3, 7, 2, 1, false},  // Pow
    {{7045, 11}, {4216, 50}, 0xff, 10, 9, 1, false},  // QLinearConv auto_pad dilations group kernel_shape pads strides
    {{6778, 13}, {0, 0}, 0xff, 10, 8, 1, false},  // QLinearMatMul
    {{5700, 14}, {0, 0}, 0x3, 10, 3, 1, false},  // QuantizeLinear
    {{5700, 14}, {4364, 4}, 0x3, 13, 3, 1, false},  // QuantizeLinear axis
    {{5700, 14}, {6856, 13}, 0x3, 19, 3, 1, false},  // QuantizeLinear axis saturate
    {{5700, 14}, {4580, 37}, 0x3, 21, 3, 1, false},  // QuantizeLinear axis block_size output_dtype saturate
    {{5700, 14}, {4364, 47}, 0x3, 23, 3, 1, false},  // QuantizeLinear axis block_size output_dtype precision saturate
    {{6209, 16}, {5492, 23}, 0x3, 23, 2, 1, false},  // RMSNormalization axis epsilon stash_type
    {{8177, 3}, {3381, 87}, 0x7, 1, 6, 2, false},  // RNN activation_alpha activation_beta activations clip direction hidden_size output_sequence
    {{8177, 3}, {2335, 71}, 0x7, 7, 6, 2, false},  // RNN activation_alpha activation_beta activations clip direction hidden_size
    {{8177, 3}, {2642, 78}, 0x7, 14, 6, 2, false},  // RNN activation_alpha activation_beta activations clip direction hidden_size layout
    {{6225, 12}, {5164, 28}, 0x0, 1, 0, 1, false},  // RandomNormal dtype mean scale seed shape!
    {{6225, 16}, {5164, 21}, 0x1, 1, 1, 1, false},  // RandomNormalLike dtype mean scale seed
    {{6110, 13}, {5272, 26}, 0x0, 1, 0, 1, false},  // RandomUniform dtype high low seed shape!
    {{6110, 17}, {5272, 19}, 0x1, 1, 1, 1, false},  // RandomUniformLike dtype high low seed
    {{7969, 5}, {0, 0}, 0x7, 11, 3, 1, false},  // Range
    {{7969, 5}, {5096, 10}, 0x7, 27, 3, 1, false},  // Range stash_type
    {{7251, 10}, {4315, 15}, 0x1, 1, 1, 1, false},  // Reciprocal consumed_inputs
    {{7251, 10}, {0, 0}, 0x1, 6, 1, 1, false},  // Reciprocal
    {{7589, 8}, {6843, 13}, 0x1, 1, 1, 1, false},  // ReduceL1 axes keepdims
    {{7589, 8}, {5135, 29}, 0x1, 18, 2, 1, false},  // ReduceL1 keepdims noop_with_empty_axes
    {{7597, 8}, {6843, 13}, 0x1, 1, 1, 1, false},  // ReduceL2 axes keepdims
    {{7597, 8}, {5135, 29}, 0x1, 18, 2, 1, false},  // ReduceL2 keepdims noop_with_empty_axes
    {{6396, 12}, {6843, 13}, 0x1, 1, 1, 1, false},  // ReduceLogSum axes keepdims
    {{6396, 12}, {5135, 29}, 0x1, 18, 2, 1, false},  // ReduceLogSum keepdims noop_with_empty_axes
    {{6396, 15}, {6843, 13}, 0x1, 1, 1, 1, false},  // ReduceLogSumExp axes keepdims
    {{6396, 15}, {5135, 29}, 0x1, 18, 2, 1, false},  // ReduceLogSumExp keepdims noop_with_empty_axes
    {{7395, 9}, {6843, 13}, 0x1, 1, 1, 1, false},  // ReduceMax axes keepdims
    {{7395, 9}, {5135, 29}, 0x1, 18, 2, 1, false},  // ReduceMax keepdims noop_with_empty_axes
    {{7261, 10}, {6843, 13}, 0x1, 1, 1, 1, false},  // ReduceMean axes keepdims
    {{7261, 10}, {5135, 29}, 0x1, 18, 2, 1, false},  // ReduceMean keepdims noop_with_empty_axes
    {{7404, 9}, {6843, 13}, 0x1, 1, 1, 1, false},  // ReduceMin axes keepdims
    {{7404, 9}, {5135, 29}, 0x1, 18, 2, 1, false},  // ReduceMin keepdims noop_with_empty_axes
    {{7271, 10}, {6843, 13}, 0x1, 1, 1, 1, false},  // ReduceProd axes keepdims
    {{7271, 10}, {5135, 29}, 0x1, 18, 2, 1, false},  // ReduceProd keepdims noop_with_empty_axes
    {{6411, 9}, {6843, 13}, 0x1, 1, 1, 1, false},  // ReduceSum axes keepdims
    {{6411, 9}, {5135, 29}, 0x1, 13, 2, 1, false},  // ReduceSum keepdims noop_with_empty_axes
    {{6411, 15}, {6843, 13}, 0x1, 1, 1, 1, false},  // ReduceSumSquare axes keepdims
    {{6411, 15}, {5135, 29}, 0x1, 18, 2, 1, false},  // ReduceSumSquare keepdims noop_with_empty_axes
    {{6630, 14}, {7735, 7}, 0x1, 20, 1, 1, false},  // RegexFullMatch pattern
    {{6512, 4}, {4315, 15}, 0x1, 1, 1, 1, false},  // Relu consumed_inputs
    {{6512, 4}, {0, 0}, 0x1, 6, 1, 1, false},  // Relu
    {{7707, 7}, {5798, 21}, 0x1, 1, 1, 1, false},  // Reshape consumed_inputs shape
    {{7707, 7}, {0, 0}, 0x3, 5, 2, 1, false},  // Reshape
    {{7707, 7}, {7431, 9}, 0x3, 14, 2, 1, false},  // Reshape allowzero
    {{7850, 6}, {263, 4}, 0x1, 10, 2, 1, false},  // Resize mode
    {{7850, 6}, {2740, 98}, 0x1, 11, 4, 1, false},  // Resize coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value mode nearest_mode
    {{7850, 6}, {1835, 138}, 0x1, 18, 4, 1, false},  // Resize antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value keep_aspect_ratio_policy mode nearest_mode
    {{6426, 15}, {5819, 20}, 0x3, 10, 2, 1, false},  // ReverseSequence batch_axis time_axis
    {{7605, 8}, {3054, 60}, 0x7, 10, 3, 1, false},  // RoiAlign mode output_height output_width sampling_ratio spatial_scale
    {{7605, 8}, {3023, 91}, 0x7, 16, 3, 1, false},  // RoiAlign coordinate_transformation_mode mode output_height output_width sampling_ratio spatial_scale
    {{6441, 15}, {4501, 42}, 0x7, 23, 4, 1, false},  // RotaryEmbedding interleaved num_heads rotary_embedding_dim
    {{7974, 5}, {0, 0}, 0x1, 11, 1, 1, false},  // Round
    {{8080, 4}, {5790, 8}, 0x3, 17, 4, 1, false},  // STFT onesided
    {{6791, 13}, {1693, 142}, 0x1, 1, 1, 2, false},  // SVMClassifier classlabels_ints classlabels_strings coefficients kernel_params kernel_type post_transform prob_a prob_b rho support_vectors vectors_per_class
    {{6929, 12}, {2838, 94}, 0x1, 1, 1, 1, false},  // SVMRegressor coefficients kernel_params kernel_type n_supports one_class post_transform rho support_vectors
    {{7856, 6}, {6977, 12}, 0x1, 1, 1, 1, false},  // Scaler offset scale
    {{8084, 4}, {4829, 33}, 0xfffffffe, 8, -1, -1, false},  // Scan body! directions num_scan_inputs!
    {{8084, 4}, {2542, 100}, 0xfffffffe, 9, -1, -1, false},  // Scan body! num_scan_inputs! scan_input_axes scan_input_directions scan_output_axes scan_output_directions
    {{6456, 7}, {4364, 4}, 0x7, 9, 3, 1, false},  // Scatter axis
    {{6456, 7}, {4364, 4}, 0x7, 11, 3, 1, true},  // Scatter axis
    {{6456, 15}, {4364, 4}, 0x7, 11, 3, 1, false},  // ScatterElements axis
    {{6456, 15}, {6672, 14}, 0x7, 16, 3, 1, false},  // ScatterElements axis reduction
    {{7413, 9}, {0, 0}, 0x7, 11, 3, 1, false},  // ScatterND
    {{7413, 9}, {5663, 9}, 0x7, 16, 3, 1, false},  // ScatterND reduction
    {{8088, 4}, {5192, 27}, 0x1, 1, 1, 1, false},  // Selu alpha consumed_inputs gamma
    {{8088, 4}, {7078, 11}, 0x1, 6, 1, 1, false},  // Selu alpha gamma
    {{7281, 10}, {0, 0}, 0x3, 11, 2, 1, false},  // SequenceAt
    {{6127, 17}, {0, 0}, 0xffffffff, 11, -1, 1, false},  // SequenceConstruct
    {{6804, 13}, {4387, 5}, 0x0, 11, 0, 1, false},  // SequenceEmpty dtype
    {{6817, 13}, {0, 0}, 0x1, 11, 2, 1, false},  // SequenceErase
    {{6644, 14}, {0, 0}, 0x3, 11, 3, 1, false},  // SequenceInsert
    {{6658, 14}, {0, 0}, 0x1, 11, 1, 1, false},  // SequenceLength
    {{7056, 11}, {2542, 5}, 0xffffffff, 17, -1, -1, false},  // SequenceMap body!
    {{6331, 5}, {0, 0}, 0x1, 1, 1, 1, false},  // Shape
    {{6331, 5}, {7449, 9}, 0x1, 15, 1, 1, false},  // Shape end start
    {{7862, 6}, {7311, 10}, 0x1, 9, 1, 1, false},  // Shrink bias lambd
    {{7016, 7}, {4315, 15}, 0x1, 1, 1, 1, false},  // Sigmoid consumed_inputs
    {{7016, 7}, {0, 0}, 0x1, 6, 1, 1, false},  // Sigmoid
    {{8092, 4}, {0, 0}, 0x1, 9, 1, 1, false},  // Sign
    {{8096, 3}, {0, 0}, 0x1, 7, 1, 1, false},  // Sin
    {{8096, 4}, {0, 0}, 0x1, 9, 1, 1, false},  // Sinh
    {{8100, 4}, {0, 0}, 0x1, 1, 1, 1, false},  // Size
    {{7979, 5}, {6023, 18}, 0x1, 1, 1, 1, false},  // Slice axes ends! starts!
    {{7979, 5}, {0, 0}, 0x7, 10, 5, 1, false},  // Slice
    {{5469, 7}, {4364, 4}, 0x1, 1, 1, 1, false},  // Softmax axis
    {{5469, 23}, {5650, 22}, 0x3, 12, 3, 2, false},  // SoftmaxCrossEntropyLoss ignore_index reduction
    {{7613, 8}, {0, 0}, 0x1, 1, 1, 1, false},  // Softplus
    {{7621, 8}, {0, 0}, 0x1, 1, 1, 1, false},  // Softsign
    {{6941, 12}, {6516, 10}, 0x1, 1, 1, 1, false},  // SpaceToDepth blocksize!
    {{6941, 12}, {6516, 15}, 0x1, 28, 1, 1, false},  // SpaceToDepth blocksize! mode
    {{6471, 5}, {7291, 10}, 0x1, 1, 2, -1, false},  // Split axis split
    {{6471, 5}, {7291, 10}, 0x1, 2, 1, -1, false},  // Split axis split
    {{6471, 5}, {4364, 4}, 0x1, 13, 2, -1, false},  // Split axis
    {{6471, 5}, {6273, 16}, 0x1, 18, 2, -1, false},  // Split axis num_outputs
    {{6471, 15}, {4893, 13}, 0x1, 11, 2, 1, false},  // SplitToSequence axis keepdims
    {{8104, 4}, {4315, 15}, 0x1, 1, 1, 1, false},  // Sqrt consumed_inputs
    {{8104, 4}, {0, 0}, 0x1, 6, 1, 1, false},  // Sqrt
    {{7714, 7}, {1845, 4}, 0x1, 1, 1, 1, false},  // Squeeze axes
    {{7714, 7}, {0, 0}, 0x1, 13, 2, 1, false},  // Squeeze
    {{6953, 12}, {0, 0}, 0x3, 20, 2, 1, false},  // StringConcat
    {{6241, 16}, {4110, 53}, 0x1, 10, 1, 1, false},  // StringNormalizer case_change_action is_case_sensitive locale stopwords
    {{7067, 11}, {6041, 18}, 0x1, 20, 1, 2, false},  // StringSplit delimiter maxsplit
    {{8180, 3}, {4986, 30}, 0x3, 1, 2, 1, false},  // Sub axis broadcast consumed_inputs
    {{8180, 3}, {4986, 14}, 0x3, 6, 2, 1, false},  // Sub axis broadcast
    {{8180, 3}, {0, 0}, 0x3, 7, 2, 1, false},  // Sub
    {{6405, 3}, {4315, 15}, 0xffffffff, 1, -1, 1, false},  // Sum consumed_inputs
    {{6405, 3}, {0, 0}, 0xffffffff, 6, -1, 1, false},  // Sum
    {{7868, 6}, {2346, 5}, 0x3, 28, 2, 1, false},  // SwiGLU alpha
    {{7372, 5}, {2346, 5}, 0x1, 24, 1, 1, false},  // Swish alpha
    {{8108, 3}, {0, 0}, 0x1, 7, 1, 1, false},  // Tan
    {{8108, 4}, {4315, 15}, 0x1, 1, 1, 1, false},  // Tanh consumed_inputs
    {{8108, 4}, {0, 0}, 0x1, 6, 1, 1, false},  // Tanh
    {{6830, 13}, {7440, 9}, 0x3, 24, 3, 1, false},  // TensorScatter axis mode
    {{6486, 15}, {2218, 117}, 0x1, 9, 1, 1, false},  // TfIdfVectorizer max_gram_length! max_skip_count! min_gram_length! mode! ngram_counts! ngram_indexes! pool_int64s pool_strings weights
    {{6501, 15}, {2346, 5}, 0x1, 10, 1, 1, false},  // ThresholdedRelu alpha
    {{8112, 4}, {0, 0}, 0x7, 1, 3, 1, false},  // Tile
    {{8112, 4}, {0, 0}, 0x3, 6, 2, 1, false},  // Tile
    {{8116, 4}, {7721, 7}, 0x1, 1, 1, 2, false},  // TopK axis k!
    {{8116, 4}, {4364, 4}, 0x3, 10, 2, 2, false},  // TopK axis
    {{8116, 4}, {5878, 19}, 0x3, 11, 2, 2, false},  // TopK axis largest sorted
    {{6717, 9}, {8140, 4}, 0x1, 1, 1, 1, false},  // Transpose perm
    {{5584, 12}, {996, 269}, 0x1, 5, 1, 1, false},  // TreeEnsemble aggregate_function leaf_targetids! leaf_weights! membership_values n_targets nodes_falseleafs! nodes_falsenodeids! nodes_featureids! nodes_hitrates nodes_missing_value_tracks_true nodes_modes! nodes_splits! nodes_trueleafs! nodes_truenodeids! post_transform tree_roots!
    {{5584, 22}, {725, 271}, 0x1, 1, 1, 2, false},  // TreeEnsembleClassifier base_values class_ids class_nodeids class_treeids class_weights classlabels_int64s classlabels_strings nodes_falsenodeids nodes_featureids nodes_hitrates nodes_missing_value_tracks_true nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values post_transform
    {{5584, 22}, {0, 365}, 0x1, 3, 1, 2, false},  // TreeEnsembleClassifier base_values base_values_as_tensor class_ids class_nodeids class_treeids class_weights class_weights_as_tensor classlabels_int64s classlabels_strings nodes_falsenodeids nodes_featureids nodes_hitrates nodes_hitrates_as_tensor nodes_missing_value_tracks_true nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values nodes_values_as_tensor post_transform
    {{5735, 21}, {1265, 265}, 0x1, 1, 1, 1, false},  // TreeEnsembleRegressor aggregate_function base_values n_targets nodes_falsenodeids nodes_featureids nodes_hitrates nodes_missing_value_tracks_true nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values post_transform target_ids target_nodeids target_treeids target_weights
    {{5735, 21}, {365, 360}, 0x1, 3, 1, 1, false},  // TreeEnsembleRegressor aggregate_function base_values base_values_as_tensor n_targets nodes_falsenodeids nodes_featureids nodes_hitrates nodes_hitrates_as_tensor nodes_missing_value_tracks_true nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values nodes_values_as_tensor post_transform target_ids target_nodeids target_treeids target_weights target_weights_as_tensor
    {{7984, 5}, {7999, 5}, 0x1, 14, 2, 1, false},  // Trilu upper
    {{7874, 6}, {7100, 11}, 0x1, 11, 1, 4, false},  // Unique axis sorted
    {{7422, 9}, {7994, 5}, 0x1, 1, 1, 1, false},  // Unsqueeze axes!
    {{7422, 9}, {0, 0}, 0x3, 13, 2, 1, false},  // Unsqueeze
    {{7629, 8}, {4955, 31}, 0x1, 1, 1, 1, false},  // Upsample height_scale! mode width_scale!
    {{7629, 8}, {6965, 12}, 0x1, 7, 1, 1, false},  // Upsample mode scales!
    {{7629, 8}, {263, 4}, 0x3, 9, 2, 1, false},  // Upsample mode
    {{7629, 8}, {263, 4}, 0x3, 10, 2, 1, true},  // Upsample mode
    {{7989, 5}, {0, 0}, 0x7, 9, 3, 1, false},  // Where
    {{7168, 3}, {4986, 14}, 0x3, 1, 2, 1, false},  // Xor axis broadcast
    {{7168, 3}, {0, 0}, 0x3, 7, 2, 1, false},  // Xor
    {{7892, 6}, {110, 38}, 0x1, 1, 1, 1, false},  // ZipMap classlabels_int64s classlabels_strings
};

// Sets of element types, bit i for the DType of number i.
constexpr uint32_t kSets[] = {
    0x001ffe, 0x00001e, 0x000800, 0x002000, 0x000a06, 0x003ffe, 0xfffffe, 0x001fe0, 0x000a00, 0x00001a, 0x000060, 0x001e1e, 0xfbc3e0, 0x04001a, 0x03c01e, 0x000002, 0x000200, 0x000040, 0x000a86, 0x00007e, 0x000abe, 0x001fee, 0x000a1e, 0x03c060, 0x00021a, 0x04021a, 0xfbc1e0, 0x000a9e, 0x003e7e, 0x00000e, 0x003fee, 0x000000, 0x00080e, 0x3ffffe,
};

// For each input a letter that says which set, and a digit: inputs of one digit have one type.
constexpr InputTypesRow kInputTypes[] = {
    {{8144, 3}, {7742, 2}},  // Abs A0
    {{7934, 4}, {6161, 2}},  // Acos B0
    {{7934, 5}, {6161, 2}},  // Acosh B0
    {{8147, 3}, {7742, 4}},  // Add A0A0
    {{7111, 10}, {7762, 4}},  // AffineGrid B0C1
    {{7148, 3}, {8028, 4}},  // And D0D0
    {{7748, 6}, {7742, 2}},  // ArgMax A0
    {{7754, 6}, {7742, 2}},  // ArgMin A0
    {{5672, 21}, {8032, 4}},  // ArrayFeatureExtractor E0C1
    {{7939, 4}, {6161, 2}},  // Asin B0
    {{7939, 5}, {6161, 2}},  // Asinh B0
    {{7944, 4}, {6161, 2}},  // Atan B0
    {{7944, 5}, {6161, 2}},  // Atanh B0
    {{6342, 9}, {6546, 14}},  // Attention B0B0B1F2B0B1C3
    {{6082, 11}, {6161, 2}},  // AveragePool B0
    {{5897, 18}, {7131, 10}},  // BatchNormalization B0B1B1B2B2
    {{7341, 9}, {6161, 2}},  // Bernoulli B0
    {{7350, 9}, {8032, 2}},  // Binarizer E0
    {{7644, 7}, {7525, 2}},  // BitCast G0
    {{7493, 8}, {8056, 4}},  // BitShift H0H0
    {{7141, 10}, {8056, 4}},  // BitwiseAnd H0H0
    {{7151, 10}, {8056, 2}},  // BitwiseNot H0
    {{7359, 9}, {8056, 4}},  // BitwiseOr H0H0
    {{7161, 10}, {8056, 4}},  // BitwiseXor H0H0
    {{6560, 14}, {7211, 2}},  // BlackmanWindow I0
    {{7501, 4}, {7525, 2}},  // Cast G0
    {{7501, 8}, {8044, 4}},  // CastLike G0G1
    {{6574, 14}, {8183, 2}},  // CategoryMapper C0
    {{5859, 19}, {7565, 8}},  // CausalConvWithState J0J0J0J0
    {{8012, 4}, {6161, 2}},  // Ceil B0
    {{8016, 4}, {6161, 2}},  // Celu B0
    {{6700, 13}, {7181, 4}},  // CenterCropPad F0I1
    {{8020, 4}, {7742, 6}},  // Clip A0A0A0
    {{7778, 6}, {7808, 6}},  // Col2Im F0C1C1
    {{7509, 8}, {8040, 4}},  // Compress F0D1
    {{5915, 6}, {7181, 2}},  // Concat F0
    {{6321, 15}, {8183, 2}},  // ConstantOfShape C0
    {{5865, 4}, {6161, 6}},  // Conv B0B0B0
    {{7001, 11}, {7573, 8}},  // ConvInteger K0K1K0K1
    {{6713, 13}, {6161, 6}},  // ConvTranspose B0B0B0
    {{8024, 3}, {6161, 2}},  // Cos B0
    {{8024, 4}, {6161, 2}},  // Cosh B0
    {{7658, 7}, {8064, 4}},  // CumProd L0I1
    {{7784, 6}, {8064, 4}},  // CumSum L0I1
    {{8150, 3}, {7772, 6}},  // DFT B0I1C2
    {{7171, 10}, {7121, 10}},  // DeformConv B0B0B0B0B0
    {{6869, 12}, {7181, 2}},  // DepthToSpace F0
    {{6177, 16}, {7838, 6}},  // DequantizeLinear M0N1M0
    {{8153, 3}, {6161, 2}},  // Det B0
    {{8156, 3}, {7742, 4}},  // Div A0A0
    {{7665, 7}, {7844, 6}},  // Dropout O0O1D2
    {{5693, 21}, {7241, 2}},  // DynamicQuantizeLinear P0
    {{7796, 6}, {7742, 2}},  // Einsum A0
    {{8159, 3}, {6161, 2}},  // Elu B0
    {{6625, 5}, {7818, 4}},  // Equal F0F0
    {{8162, 3}, {7742, 2}},  // Erf A0
    {{6408, 3}, {6161, 2}},  // Exp B0
    {{7802, 6}, {7808, 4}},  // Expand F0C1
    {{7672, 7}, {7181, 2}},  // EyeLike F0
    {{6059, 17}, {8032, 2}},  // FeatureVectorizer E0
    {{7679, 7}, {7525, 2}},  // Flatten G0
    {{7949, 5}, {6161, 2}},  // Floor B0
    {{8165, 3}, {6161, 12}},  // GRU B0B0B0B0Q1B0
    {{6602, 6}, {7181, 4}},  // Gather F0I1
    {{6602, 14}, {7181, 4}},  // GatherElements F0I1
    {{7533, 8}, {7808, 4}},  // GatherND F0C1
    {{8048, 4}, {6161, 2}},  // Gelu B0
    {{8052, 4}, {7832, 6}},  // Gemm L0L0L0
    {{6076, 17}, {6161, 2}},  // GlobalAveragePool B0
    {{6881, 12}, {6161, 2}},  // GlobalLpPool B0
    {{6726, 13}, {6161, 2}},  // GlobalMaxPool B0
    {{6616, 7}, {7742, 4}},  // Greater A0A0
    {{6616, 14}, {7742, 4}},  // GreaterOrEqual A0A0
    {{7191, 10}, {8036, 4}},  // GridSample F0B1
    {{5933, 18}, {6161, 6}},  // GroupNormalization B0B0B0
    {{6739, 13}, {7211, 2}},  // HammingWindow I0
    {{7201, 10}, {7211, 2}},  // HannWindow I0
    {{7012, 11}, {6161, 2}},  // HardSigmoid B0
    {{7368, 9}, {6161, 2}},  // HardSwish B0
    {{7686, 7}, {6161, 2}},  // Hardmax B0
    {{7549, 8}, {7525, 2}},  // Identity G0
    {{8185, 2}, {7790, 2}},  // If D0
    {{6893, 12}, {8187, 2}},  // ImageDecoder R0
    {{7693, 7}, {8032, 2}},  // Imputer E0
    {{5714, 21}, {6161, 6}},  // InstanceNormalization B0B0B0
    {{7954, 5}, {7844, 2}},  // IsInf O0
    {{7959, 5}, {7844, 2}},  // IsNaN O0
    {{8168, 3}, {6161, 2}},  // LRN B0
    {{8068, 4}, {6161, 16}},  // LSTM B0B0B0B0Q1B0B0B0
    {{6917, 12}, {8189, 2}},  // LabelEncoder S0
    {{5969, 18}, {6161, 6}},  // LayerNormalization B0B0B0
    {{7377, 9}, {6161, 2}},  // LeakyRelu B0
    {{7023, 4}, {7742, 4}},  // Less A0A0
    {{7023, 11}, {7742, 4}},  // LessOrEqual A0A0
    {{6336, 15}, {6905, 12}},  // LinearAttention J0J0J0J1J0J0
    {{6193, 16}, {8032, 2}},  // LinearClassifier E0
    {{6351, 15}, {8032, 2}},  // LinearRegressor E0
    {{5331, 3}, {6161, 2}},  // Log B0
    {{7221, 10}, {6161, 2}},  // LogSoftmax B0
    {{6366, 15}, {6161, 2}},  // LpNormalization B0
    {{6887, 6}, {6161, 2}},  // LpPool B0
    {{6752, 6}, {7832, 4}},  // MatMul L0L0
    {{6752, 13}, {7573, 8}},  // MatMulInteger K0K1K0K1
    {{6096, 3}, {7742, 2}},  // Max A0
    {{6732, 7}, {8191, 2}},  // MaxPool T0
    {{7231, 10}, {6161, 4}},  // MaxRoiPool B0B0
    {{7386, 9}, {7766, 6}},  // MaxUnpool B0C1C1
    {{5298, 4}, {6161, 2}},  // Mean B0
    {{5298, 25}, {6161, 2}},  // MeanVarianceNormalization B0
    {{6381, 15}, {7211, 10}},  // MelWeightMatrix I0I0I0B1B1
    {{7410, 3}, {7742, 2}},  // Min A0
    {{8076, 4}, {6161, 2}},  // Mish B0
    {{8171, 3}, {7742, 4}},  // Mod A0A0
    {{6755, 3}, {7742, 4}},  // Mul A0A0
    {{7034, 11}, {6161, 2}},  // Multinomial B0
    {{5323, 3}, {8193, 2}},  // Neg U0
    {{5323, 25}, {7485, 6}},  // NegativeLogLikelihoodLoss B0I1B0
    {{6093, 17}, {7241, 10}},  // NonMaxSuppression P0P0C1P0P0
    {{7700, 7}, {7181, 2}},  // NonZero F0
    {{6247, 10}, {8032, 2}},  // Normalizer E0
    {{7158, 3}, {7790, 2}},  // Not D0
    {{6765, 6}, {7880, 6}},  // OneHot V0V1F2
    {{6765, 13}, {8032, 2}},  // OneHotEncoder E0
    {{5987, 8}, {7525, 2}},  // Optional G0
    {{5987, 18}, {7525, 2}},  // OptionalGetElement G0
    {{6005, 18}, {7525, 2}},  // OptionalHasElement G0
    {{6623, 2}, {8028, 4}},  // Or D0D0
    {{7964, 5}, {7832, 4}},  // PRelu L0L0
    {{6710, 3}, {7525, 8}},  // Pad G0C1G0I2
    {{8174, 3}, {8120, 4}},  // Pow W0A1
    {{7045, 11}, {5951, 18}},  // QLinearConv K0P1K0K2P1K2P1K3Q4
    {{6778, 13}, {6257, 16}},  // QLinearMatMul X0J1X0X2J1X2J1X3
    {{5700, 14}, {7886, 6}},  // QuantizeLinear Y0Z1a2
    {{6209, 16}, {6548, 4}},  // RMSNormalization B0B1
    {{8177, 3}, {6161, 12}},  // RNN B0B0B0B0Q1B0
    {{6225, 16}, {7181, 2}},  // RandomNormalLike F0
    {{6110, 17}, {7181, 2}},  // RandomUniformLike F0
    {{7969, 5}, {7904, 6}},  // Range b0b0b0
    {{7251, 10}, {6161, 2}},  // Reciprocal B0
    {{7589, 8}, {8060, 4}},  // ReduceL1 L0C1
    {{7597, 8}, {8060, 4}},  // ReduceL2 L0C1
    {{6396, 12}, {8060, 4}},  // ReduceLogSum L0C1
    {{6396, 15}, {8060, 4}},  // ReduceLogSumExp L0C1
    {{7395, 9}, {8124, 4}},  // ReduceMax c0C1
    {{7261, 10}, {8060, 4}},  // ReduceMean L0C1
    {{7404, 9}, {8124, 4}},  // ReduceMin c0C1
    {{7271, 10}, {8060, 4}},  // ReduceProd L0C1
    {{6411, 9}, {8060, 4}},  // ReduceSum L0C1
    {{6411, 15}, {8060, 4}},  // ReduceSumSquare L0C1
    {{6512, 4}, {8193, 2}},  // Relu U0
    {{7707, 7}, {7525, 4}},  // Reshape G0C1
    {{7850, 6}, {7517, 8}},  // Resize F0d1P2C3
    {{6426, 15}, {7808, 4}},  // ReverseSequence F0C1
    {{7605, 8}, {7760, 6}},  // RoiAlign B0B0C1
    {{6441, 15}, {7557, 8}},  // RotaryEmbedding J0J0J0C1
    {{7974, 5}, {6161, 2}},  // Round B0
    {{8080, 4}, {7485, 8}},  // STFT B0I1B0I1
    {{6791, 13}, {8032, 2}},  // SVMClassifier E0
    {{6929, 12}, {8032, 2}},  // SVMRegressor E0
    {{7856, 6}, {8032, 2}},  // Scaler E0
    {{6456, 7}, {7910, 6}},  // Scatter e0I1e0
    {{6456, 15}, {7820, 6}},  // ScatterElements F0I1F0
    {{7413, 9}, {7814, 6}},  // ScatterND F0C1F0
    {{8088, 4}, {6161, 2}},  // Selu B0
    {{7281, 10}, {8132, 4}},  // SequenceAt f0I1
    {{6127, 17}, {7910, 2}},  // SequenceConstruct e0
    {{6817, 13}, {8132, 4}},  // SequenceErase f0I1
    {{6644, 14}, {7916, 6}},  // SequenceInsert f0e1I2
    {{6331, 5}, {7525, 2}},  // Shape G0
    {{7862, 6}, {7880, 2}},  // Shrink V0
    {{7016, 7}, {6161, 2}},  // Sigmoid B0
    {{8092, 4}, {7742, 2}},  // Sign A0
    {{8096, 3}, {6161, 2}},  // Sin B0
    {{8096, 4}, {6161, 2}},  // Sinh B0
    {{8100, 4}, {7525, 2}},  // Size G0
    {{7979, 5}, {7181, 10}},  // Slice F0I1I1I1I1
    {{5469, 7}, {6161, 2}},  // Softmax B0
    {{5469, 23}, {7485, 6}},  // SoftmaxCrossEntropyLoss B0I1B0
    {{7613, 8}, {6161, 2}},  // Softplus B0
    {{7621, 8}, {6161, 2}},  // Softsign B0
    {{6941, 12}, {7181, 2}},  // SpaceToDepth F0
    {{6471, 5}, {7826, 4}},  // Split F0g1
    {{6471, 15}, {7181, 4}},  // SplitToSequence F0I1
    {{8104, 4}, {6161, 2}},  // Sqrt B0
    {{7714, 7}, {7525, 4}},  // Squeeze G0C1
    {{8180, 3}, {7742, 4}},  // Sub A0A0
    {{6405, 3}, {6161, 2}},  // Sum B0
    {{7868, 6}, {6161, 4}},  // SwiGLU B0B0
    {{7372, 5}, {6161, 2}},  // Swish B0
    {{8108, 3}, {6161, 2}},  // Tan B0
    {{8108, 4}, {6161, 2}},  // Tanh B0
    {{6830, 13}, {7922, 6}},  // TensorScatter h0h0C1
    {{6486, 15}, {7211, 2}},  // TfIdfVectorizer I0
    {{6501, 15}, {6161, 2}},  // ThresholdedRelu B0
    {{8112, 4}, {7826, 6}},  // Tile F0g1d0
    {{8116, 4}, {8004, 4}},  // TopK A0C1
    {{6717, 9}, {7525, 2}},  // Transpose G0
    {{5584, 12}, {7830, 2}},  // TreeEnsemble d0
    {{5584, 22}, {8032, 2}},  // TreeEnsembleClassifier E0
    {{5735, 21}, {8032, 2}},  // TreeEnsembleRegressor E0
    {{7984, 5}, {7808, 4}},  // Trilu F0C1
    {{7874, 6}, {7181, 2}},  // Unique F0
    {{7422, 9}, {7525, 4}},  // Unsqueeze G0C1
    {{7629, 8}, {8128, 4}},  // Upsample e0P1
    {{7989, 5}, {7790, 6}},  // Where D0F1F1
    {{7168, 3}, {8028, 4}},  // Xor D0D0
    {{7892, 6}, {7241, 2}},  // ZipMap P0
};

constexpr char kPool[] =
    "base_values base_values_as_tensor class_ids class_nodeids class_treeids class_weights class_weights_as_tensor classlabel"
    "s_int64s classlabels_strings nodes_falsenodeids nodes_featureids nodes_hitrates nodes_hitrates_as_tensor nodes_missing_v"
    "alue_tracks_true nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_values nodes_values_as_tensor post_tran"
    "sformaggregate_function base_values base_values_as_tensor n_targets nodes_falsenodeids nodes_featureids nodes_hitrates n"
    "odes_hitrates_as_tensor nodes_missing_value_tracks_true nodes_modes nodes_nodeids nodes_treeids nodes_truenodeids nodes_"
    "values nodes_values_as_tensor post_transform target_ids target_nodeids target_treeids target_weights target_weights_as_t"
    "ensorbase_values class_ids class_nodeids class_treeids class_weights classlabels_int64s classlabels_strings nodes_falsen"
    "odeids nodes_featureids nodes_hitrates nodes_missing_value_tracks_true nodes_modes nodes_nodeids nodes_treeids nodes_tru"
    "enodeids nodes_values post_transformaggregate_function leaf_targetids! leaf_weights! membership_values n_targets nodes_f"
    "alseleafs! nodes_falsenodeids! nodes_featureids! nodes_hitrates nodes_missing_value_tracks_true nodes_modes! nodes_split"
    "s! nodes_trueleafs! nodes_truenodeids! post_transform tree_roots!aggregate_function base_values n_targets nodes_falsenod"
    "eids nodes_featureids nodes_hitrates nodes_missing_value_tracks_true nodes_modes nodes_nodeids nodes_treeids nodes_truen"
    "odeids nodes_values post_transform target_ids target_nodeids target_treeids target_weightsdefault_float default_int64 de"
    "fault_string default_tensor keys_floats keys_int64s keys_strings keys_tensor values_floats values_int64s values_strings "
    "values_tensorclasslabels_ints classlabels_strings coefficients kernel_params kernel_type post_transform prob_a prob_b rh"
    "o support_vectors vectors_per_classantialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapola"
    "tion_value keep_aspect_ratio_policy mode nearest_modeis_causal kv_num_heads left_window_size q_num_heads qk_matmul_outpu"
    "t_mode right_window_size scale softcap softmax_precisiondefault_float default_int64 default_string keys_floats keys_int6"
    "4s keys_strings values_floats values_int64s values_stringsmax_gram_length! max_skip_count! min_gram_length! mode! ngram_"
    "counts! ngram_indexes! pool_int64s pool_strings weightsactivation_alpha activation_beta activations clip direction hidde"
    "n_size linear_before_reset output_sequenceactivation_alpha activation_beta activations clip direction hidden_size input_"
    "forget output_sequencebody! num_scan_inputs! scan_input_axes scan_input_directions scan_output_axes scan_output_directio"
    "nsactivation_alpha activation_beta activations clip direction hidden_size layout linear_before_resetcoordinate_transform"
    "ation_mode cubic_coeff_a exclude_outside extrapolation_value mode nearest_modecoefficients kernel_params kernel_type n_s"
    "upports one_class post_transform rho support_vectorsactivation_alpha activation_beta activations clip direction hidden_s"
    "ize input_forget layoutcoordinate_transformation_mode mode output_height output_width sampling_ratio spatial_scalesparse"
    "_value value value_float value_floats value_int value_ints value_string value_stringsclasslabels_ints classlabels_string"
    "s coefficients! intercepts multi_class post_transformis_causal kv_num_heads q_num_heads qk_matmul_output_mode scale soft"
    "cap softmax_precisionactivation_alpha activation_beta activations clip direction hidden_size output_sequenceimputed_valu"
    "e_floats imputed_value_int64s replaced_value_float replaced_value_int64auto_pad dilations group kernel_shape output_padd"
    "ing output_shape pads stridesauto_pad ceil_mode count_include_pad dilations kernel_shape! pads stridesauto_pad ceil_mode"
    " dilations kernel_shape! pads storage_order stridesauto_pad ceil_mode count_include_pad kernel_shape! pads stridesalpha "
    "beta epsilon norm_coefficient norm_coefficient_postauto_pad ceil_mode dilations kernel_shape! p pads strideschunk_size k"
    "v_num_heads! q_num_heads! scale update_ruledilations group kernel_shape offset_group pads stridesauto_pad count_include_"
    "pad kernel_shape! pads stridescase_change_action is_case_sensitive locale stopwordscats_int64s cats_strings default_int6"
    "4 default_stringauto_pad dilations group kernel_shape pads stridesauto_pad kernel_shape! pads storage_order stridesconsu"
    "med_inputs! epsilon is_test momentum spatialaxis block_size output_dtype precision saturatecoefficients intercepts post_"
    "transform targetsclasses_strings default_int64 default_stringinterleaved num_heads rotary_embedding_dimauto_pad kernel_s"
    "hape! p pads stridesaxis block_size output_dtype saturatedecay_factor epsilon norm_coefficientalpha! beta! mode! norm_co"
    "efficient!auto_pad kernel_shape p pads stridesauto_pad kernel_shape! pads stridesalpha beta broadcast transA transBint64"
    "_vocabulary string_vocabularybody! directions num_scan_inputs!align_corners mode padding_modeaxis keepdims select_last_i"
    "ndexdetect_negative detect_positiveheight_scale! mode width_scale!axis broadcast consumed_inputscats_int64s cats_strings"
    " zerosepsilon momentum training_modeepsilon num_groups! stash_typeconsumed_inputs is_test ratiokeepdims noop_with_empty_"
    "axesdtype mean scale seed shape!alpha consumed_inputs gammapooled_shape! spatial_scalealpha beta consumed_inputsdtype hi"
    "gh low seed shape!MeanVarianceNormalizationNegativeLogLikelihoodLosselse_branch! then_branch!alpha beta transA transBcas"
    "t_to map_form max_mapepsilon momentum spatialoutput_datatype periodicSoftmaxCrossEntropyLossaxis epsilon stash_typeconsu"
    "med_inputs epsilonconsumed_inputs max minround_mode saturate to!TreeEnsembleClassifierdilations pads stridesdtype sample"
    "_size seedignore_index reductionArrayFeatureExtractorDynamicQuantizeLinearInstanceNormalizationTreeEnsembleRegressoralph"
    "a beta bias size!axis inverse onesidedconsumed_inputs shapebatch_axis time_axismode paddings! valueCausalConvWithStateax"
    "is largest sortedBatchNormalizationConcatFromSequenceGroupNormalizationK0P1K0K2P1K2P1K3Q4LayerNormalizationOptionalGetEl"
    "ementOptionalHasElementaxes ends! starts!delimiter maxsplitFeatureVectorizerGlobalAveragePoolNonMaxSuppressionRandomUnif"
    "ormLikeSequenceConstructexclusive reverseB0B0B0B0Q1B0B0B0DequantizeLinearLinearClassifierRMSNormalizationRandomNormalLik"
    "eStringNormalizerX0J1X0X2J1X2J1X3axis num_outputscenter_point_boxmode pads! valueConstantOfShapeLinearAttentionLinearReg"
    "ressorLpNormalizationMelWeightMatrixReduceLogSumExpReduceSumSquareReverseSequenceRotaryEmbeddingScatterElementsSplitToSe"
    "quenceTfIdfVectorizerThresholdedRelublocksize! modeinputdimensionsB0B0B1F2B0B1C3BlackmanWindowCategoryMapperDictVectoriz"
    "erGatherElementsGreaterOrEqualRegexFullMatchSequenceInsertSequenceLengthaxis reductionaxis! new_axisCenterCropPadConvTra"
    "nsposeGlobalMaxPoolHammingWindowMatMulIntegerOneHotEncoderQLinearMatMulSVMClassifierSequenceEmptySequenceEraseTensorScat"
    "teraxes keepdimsaxis saturateDepthToSpaceGlobalLpPoolImageDecoderJ0J0J0J1J0J0LabelEncoderSVMRegressorSpaceToDepthStringC"
    "oncatmode scales!offset scalepixel_formatConvIntegerHardSigmoidLessOrEqualMultinomialQLinearConvSequenceMapStringSplital"
    "pha gammaapproximateaxis sortedAffineGridB0B0B0B0B0B0B1B1B2B2BitwiseAndBitwiseNotBitwiseXorDeformConvF0I1I1I1I1GridSampl"
    "eHannWindowI0I0I0B1B1LogSoftmaxMaxRoiPoolP0P0C1P0P0ReciprocalReduceMeanReduceProdSequenceAtaxis splitbatch_dimsbias lamb"
    "ddirection!dtype seedBernoulliBinarizerBitwiseOrHardSwishLeakyReluMaxUnpoolReduceMaxReduceMinScatterNDUnsqueezeallowzero"
    "axis modeend startequation!thresholdxs! y! zsB0I1B0I1BitShiftCastLikeCompressF0d1P2C3G0C1G0I2GatherNDGradientIdentityJ0J"
    "0J0C1J0J0J0J0K0K1K0K1MomentumReduceL1ReduceL2RoiAlignSoftplusSoftsignUpsampleAdagradBitCastCastMapCumProdDropoutEyeLikeF"
    "lattenHardmaxImputerNonZeroReshapeSqueezeaxis k!dtype kpatternA0A0A0ArgMaxArgMinB0B0C1B0C1C1B0I1C2Col2ImCumSumD0F1F1Eins"
    "umExpandF0C1C1F0C1F0F0I1F0F0g1d0L0L0L0M0N1M0O0O1D2ResizeScalerShrinkSwiGLUUniqueV0V1F2Y0Z1a2ZipMapaxis pb0b0b0e0I1e0f0e1"
    "I2h0h0C1value!AcoshAsinhAtanhFloorIsInfIsNaNPReluRangeRoundSliceTriluWhereaxes!upperA0C1AdamCeilCeluClipCoshD0D0E0C1F0B1"
    "F0D1G0G1GeluGemmH0H0L0C1L0I1LSTMLoopMishSTFTScanSeluSignSinhSizeSqrtTanhTileTopKW0A1c0C1e0P1f0I1fmodpermAbsAddDFTDetDivE"
    "luErfGRULRNModPowRNNSubC0IfR0S0T0U0";

}  // namespace

std::string_view text_of(PoolText t) noexcept { return {kPool + t.at, t.size}; }
std::span<const SchemaRow> all_schemas() noexcept { return kSchemas; }
std::span<const InputTypesRow> all_input_types() noexcept { return kInputTypes; }
std::span<const uint32_t> type_sets() noexcept { return kSets; }

}  // namespace anydim::onnx
