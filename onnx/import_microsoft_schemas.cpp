// SPDX-License-Identifier: Apache-2.0
// The rows of operators that ONNX does not have and ONNX Runtime's tools write: those of com.microsoft, and
// SimplifiedLayerNormalization, which they write into ai.onnx. By hand: no package describes them.
#include <algorithm>

#include "onnx/schemas.h"

namespace anydim::onnx {
namespace {

constexpr Schema kMicrosoftSchemas[] = {
    {"Attention", 1, 7, 2, false,
     "do_rotary mask_filter_value num_heads! past_present_share_buffer qkv_hidden_sizes rotary_embedding_dim scale unidirectional"},
    {"BiasAdd", 1, 3, 1, false, ""},
    {"BiasGelu", 1, 2, 1, false, ""},
    {"BiasSplitGelu", 1, 2, 1, false, ""},
    {"DequantizeLinear", 1, 3, 1, false, "axis block_size"},
    {"DynamicQuantizeMatMul", 1, 5, 1, false, ""},
    {"DynamicQuantizeLSTM", 1, 12, 3, false, "activation_alpha activation_beta activations clip direction hidden_size input_forget"},
    {"EmbedLayerNormalization", 1, 9, 3, false, "epsilon mask_index_type"},
    {"FastGelu", 1, 2, 1, false, ""},
    {"FusedConv", 1, 4, 1, false, "activation activation_params auto_pad dilations group kernel_shape pads strides"},
    {"FusedGemm", 1, 3, 1, false, "activation activation_alpha activation_beta activation_gamma alpha beta transA transB"},
    {"FusedMatMul", 1, 2, 1, false, "alpha transA transB transBatchA transBatchB"},
    {"GatherBlockQuantized", 1, 4, 1, false, "bits block_size gather_axis quantize_axis"},
    {"Gelu", 1, 1, 1, false, ""},
    {"GroupQueryAttention", 1, 16, 4, false,
     "causal do_rotary k_quant_type kv_cache_bit_width kv_num_heads! local_window_size num_heads! qk_norm_epsilon qk_output "
     "rotary_interleaved scale sliding_window_cache smooth_softmax softcap v_quant_type"},
    {"MatMulIntegerToFloat", 1, 7, 1, false, ""},
    {"MatMulNBits", 1, 6, 1, false, "K! N! accuracy_level bits block_size! weight_prepacked"},
    {"MultiHeadAttention", 1, 10, 4, false, "mask_filter_value num_heads! scale unidirectional"},
    {"NhwcConv", 1, 3, 1, false, "auto_pad dilations group kernel_shape pads strides"},
    {"QAttention", 1, 9, 2, false, "do_rotary mask_filter_value num_heads! past_present_share_buffer scale unidirectional"},
    {"QEmbedLayerNormalization", 1, 18, 2, false, "epsilon"},
    {"QGemm", 1, 9, 1, false, "alpha transA transB"},
    {"QLinearAdd", 1, 8, 1, false, ""},
    {"QLinearAveragePool", 1, 5, 1, false, "auto_pad ceil_mode channels_last count_include_pad kernel_shape! pads strides"},
    {"QLinearConcat", 1, -1, 1, false, "axis!"},
    {"QLinearConv", 1, 9, 1, false, "auto_pad channels_last dilations group kernel_shape pads strides"},
    {"QLinearGlobalAveragePool", 1, 5, 1, false, "channels_last"},
    {"QLinearLeakyRelu", 1, 5, 1, false, "alpha"},
    {"QLinearMul", 1, 8, 1, false, ""},
    {"QLinearSigmoid", 1, 5, 1, false, ""},
    {"QLinearSoftmax", 1, 5, 1, false, "axis opset!"},
    {"QLinearWhere", 1, 9, 1, false, ""},
    {"QuantizeLinear", 1, 3, 1, false, "axis block_size saturate"},
    {"QuickGelu", 1, 1, 1, false, "alpha"},
    {"RotaryEmbedding", 1, 4, 1, false, "interleaved is_packed_batching num_heads rotary_embedding_dim scale"},
    {"SkipLayerNormalization", 1, 5, 4, false, "epsilon"},
    {"SkipSimplifiedLayerNormalization", 1, 4, 4, false, "epsilon"},
    {"Tokenizer", 1, 1, 1, false, "mark! mincharnum! pad_value! separators tokenexp"},
};

constexpr Schema kSimplifiedLayerNormalization = {"SimplifiedLayerNormalization", 1, 2, 2, false, "axis epsilon stash_type"};

}  // namespace

const Schema* find_extension(std::string_view domain, std::string_view op_type) noexcept {
  if (domain != kMicrosoftDomain) return op_type == kSimplifiedLayerNormalization.op_type ? &kSimplifiedLayerNormalization : nullptr;
  const auto row = std::ranges::find(kMicrosoftSchemas, op_type, &Schema::op_type);
  return row == std::end(kMicrosoftSchemas) ? nullptr : row;
}

}  // namespace anydim::onnx
