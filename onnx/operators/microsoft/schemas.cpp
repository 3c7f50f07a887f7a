// SPDX-License-Identifier: Apache-2.0
// The rows of operators that ONNX does not have: those of com.microsoft, which ONNX Runtime's tools write, as they write
// SimplifiedLayerNormalization into ai.onnx; and the experimental ones that ONNX removed again. By hand: no package describes them.
#include <algorithm>

#include "onnx/format/schemas.h"

namespace anydim::onnx {
namespace {

constexpr Schema kMicrosoftSchemas[] = {
    {"Attention", 1, 7, 0x3, 2, false,
     "do_rotary mask_filter_value num_heads! past_present_share_buffer qkv_hidden_sizes rotary_embedding_dim scale unidirectional"},
    {"BiasAdd", 1, 3, 0x7, 1, false, ""},
    {"BiasGelu", 1, 2, 0x3, 1, false, ""},
    {"BiasSplitGelu", 1, 2, 0x3, 1, false, ""},
    {"DequantizeLinear", 1, 3, 0x3, 1, false, "axis block_size"},
    {"DynamicQuantizeMatMul", 1, 5, 0x7, 1, false, ""},
    {"DynamicQuantizeLSTM", 1, 12, 0xf07, 3, false, "activation_alpha activation_beta activations clip direction hidden_size input_forget"},
    {"EmbedLayerNormalization", 1, 9, 0x6d, 3, false, "epsilon mask_index_type"},
    {"FastGelu", 1, 2, 0x1, 1, false, ""},
    {"FusedConv", 1, 4, 0x3, 1, false, "activation activation_params auto_pad dilations group kernel_shape pads strides"},
    {"FusedGemm", 1, 3, 0x3, 1, false, "activation activation_alpha activation_beta activation_gamma alpha beta transA transB"},
    {"FusedMatMul", 1, 2, 0x3, 1, false, "alpha transA transB transBatchA transBatchB"},
    {"GatherBlockQuantized", 1, 4, 0x7, 1, false, "bits block_size gather_axis quantize_axis"},
    {"Gelu", 1, 1, 0x1, 1, false, ""},
    {"GroupQueryAttention", 1, 16, 0x61, 4, false,
     "causal do_rotary k_quant_type kv_cache_bit_width kv_num_heads! local_window_size num_heads! qk_norm_epsilon qk_output "
     "rotary_interleaved scale sliding_window_cache smooth_softmax softcap v_quant_type"},
    {"MatMulIntegerToFloat", 1, 7, 0xf, 1, false, ""},
    {"MatMulNBits", 1, 6, 0x7, 1, false, "K! N! accuracy_level bits block_size! weight_prepacked"},
    {"MultiHeadAttention", 1, 10, 0x1, 4, false, "mask_filter_value num_heads! scale unidirectional"},
    {"NhwcConv", 1, 3, 0x3, 1, false, "auto_pad dilations group kernel_shape pads strides"},
    {"QAttention", 1, 9, 0x1f, 2, false, "do_rotary mask_filter_value num_heads! past_present_share_buffer scale unidirectional"},
    {"QEmbedLayerNormalization", 1, 18, 0x37b6d, 2, false, "epsilon"},
    {"QGemm", 1, 9, 0x3f, 1, false, "alpha transA transB"},
    {"QLinearAdd", 1, 8, 0x5b, 1, false, ""},
    {"QLinearAveragePool", 1, 5, 0xb, 1, false, "auto_pad ceil_mode channels_last count_include_pad kernel_shape! pads strides"},
    {"QLinearConcat", 1, -1, 0x1, 1, false, "axis!"},
    {"QLinearConv", 1, 9, 0xff, 1, false, "auto_pad channels_last dilations group kernel_shape pads strides"},
    {"QLinearGlobalAveragePool", 1, 5, 0xb, 1, false, "channels_last"},
    {"QLinearLeakyRelu", 1, 5, 0xb, 1, false, "alpha"},
    {"QLinearMul", 1, 8, 0x5b, 1, false, ""},
    {"QLinearSigmoid", 1, 5, 0xb, 1, false, ""},
    {"QLinearSoftmax", 1, 5, 0xb, 1, false, "axis opset!"},
    {"QLinearWhere", 1, 9, 0xb7, 1, false, ""},
    {"QuantizeLinear", 1, 3, 0x3, 1, false, "axis block_size saturate"},
    {"QuickGelu", 1, 1, 0x1, 1, false, "alpha"},
    {"RotaryEmbedding", 1, 4, 0xf, 1, false, "interleaved is_packed_batching num_heads rotary_embedding_dim scale"},
    {"SkipLayerNormalization", 1, 5, 0x7, 4, false, "epsilon"},
    {"SkipSimplifiedLayerNormalization", 1, 4, 0x7, 4, false, "epsilon"},
    {"Tokenizer", 1, 1, 0x1, 1, false, "mark! mincharnum! pad_value! separators tokenexp"},
};

constexpr Schema kInStandardDomain[] = {
    {"Affine", 1, 1, 0x1, 1, false, "alpha beta consumed_inputs"},
    {"Crop", 1, 1, 0x1, 1, false, "border consumed_inputs scale"},
    {"ImageScaler", 1, 1, 0x1, 1, false, "bias consumed_inputs scale"},
    {"SimplifiedLayerNormalization", 1, 2, 0x3, 2, false, "axis epsilon stash_type"},
};

}  // namespace

std::optional<Schema> find_extension(std::string_view domain, std::string_view op_type) noexcept {
  const std::span<const Schema> rows = domain == kMicrosoftDomain ? std::span<const Schema>(kMicrosoftSchemas) : kInStandardDomain;
  const auto row = std::ranges::find(rows, op_type, &Schema::op_type);
  return row == rows.end() ? std::nullopt : std::optional(*row);
}

}  // namespace anydim::onnx
