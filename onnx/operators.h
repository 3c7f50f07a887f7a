// SPDX-License-Identifier: Apache-2.0
// The importers of operators, by group: one file each. A new operator is one function and one line in its group's table.
#pragma once

#include <span>

#include "onnx/node_import.h"

namespace anydim::onnx {

std::span<const Importer> elementwise_importers();    // import_elementwise.cpp
std::span<const Importer> activation_importers();     // import_activation.cpp
std::span<const Importer> reduction_importers();      // import_reduction.cpp
std::span<const Importer> softmax_importers();        // import_softmax.cpp
std::span<const Importer> convolution_importers();    // import_convolution.cpp
std::span<const Importer> pooling_importers();        // import_pooling.cpp
std::span<const Importer> matmul_importers();         // import_matmul.cpp
std::span<const Importer> einsum_importers();         // import_einsum.cpp
std::span<const Importer> attention_importers();      // import_attention.cpp
std::span<const Importer> rotary_importers();         // import_rotary.cpp
std::span<const Importer> cache_importers();          // import_cache.cpp
std::span<const Importer> gated_importers();          // import_gated.cpp
std::span<const Importer> normalization_importers();  // import_normalization.cpp
std::span<const Importer> recurrent_importers();      // import_recurrent.cpp
std::span<const Importer> resize_importers();         // import_resize.cpp
std::span<const Importer> shape_importers();          // import_shape.cpp
std::span<const Importer> factory_importers();        // import_factory.cpp
std::span<const Importer> mover_importers();          // import_mover.cpp
std::span<const Importer> index_importers();          // import_index.cpp
std::span<const Importer> detection_importers();      // import_detection.cpp
std::span<const Importer> loss_importers();           // import_loss.cpp
std::span<const Importer> signal_importers();         // import_signal.cpp
std::span<const Importer> random_importers();         // import_random.cpp
std::span<const Importer> image_importers();          // import_image.cpp

std::span<const Importer> string_importers();  // import_strings.cpp

// Of strings that come with a run; Tokenizer is com.microsoft's.
void import_string_equal(NodeImport& n);
// Cast to strings, and the numbers that strings spell.
void import_cast_to_strings(NodeImport& n);
ValueId numbers_of_strings(NodeImport& n, size_t input, DType to);
void import_tokenizer(NodeImport& n);

// Of ai.onnx.preview.training.
std::span<const Importer> training_importers();  // import_loss.cpp

// Conv and Gemm with more than ONNX gives them (import_convolution.cpp, import_matmul.cpp).
ValueId import_conv(NodeImport& n);
ValueId import_gemm(NodeImport& n);
std::span<const Importer> quantized_importers();  // import_quantized.cpp

// Those of com.microsoft.
std::span<const Importer> microsoft_importers();            // import_microsoft.cpp: normalisations, activations, products
std::span<const Importer> microsoft_attention_importers();  // import_microsoft_attention.cpp
std::span<const Importer> microsoft_grouped_importers();    // import_microsoft_grouped.cpp
std::span<const Importer> microsoft_fused_importers();      // import_microsoft_fused.cpp
std::span<const Importer> microsoft_quantized_importers();  // import_microsoft_quantized.cpp

// Those of ai.onnx.ml.
std::span<const Importer> feature_importers();  // import_features.cpp: what becomes of features, and encodings
std::span<const Importer> linear_importers();   // import_linear.cpp: linear models, support vectors
std::span<const Importer> tree_importers();     // import_trees.cpp

// The importer of an operator, or null.
const Importer* find_importer(std::string_view domain, std::string_view op_type);

}  // namespace anydim::onnx
