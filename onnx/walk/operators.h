// SPDX-License-Identifier: Apache-2.0
// The importers of operators, by group: one file each. A new operator is one function and one line in its group's table.
#pragma once

#include <span>

#include "onnx/walk/node_import.h"

namespace anydim::onnx {

std::span<const Importer> elementwise_importers();    // elementwise.cpp
std::span<const Importer> activation_importers();     // activation.cpp
std::span<const Importer> reduction_importers();      // reduction.cpp
std::span<const Importer> softmax_importers();        // softmax.cpp
std::span<const Importer> convolution_importers();    // convolution.cpp
std::span<const Importer> pooling_importers();        // pooling.cpp
std::span<const Importer> matmul_importers();         // matmul.cpp
std::span<const Importer> einsum_importers();         // einsum.cpp
std::span<const Importer> attention_importers();      // attention.cpp
std::span<const Importer> rotary_importers();         // rotary.cpp
std::span<const Importer> cache_importers();          // cache.cpp
std::span<const Importer> gated_importers();          // gated.cpp
std::span<const Importer> normalization_importers();  // normalization.cpp
std::span<const Importer> recurrent_importers();      // recurrent.cpp
std::span<const Importer> resize_importers();         // resize.cpp
std::span<const Importer> shape_importers();          // shape.cpp
std::span<const Importer> factory_importers();        // factory.cpp
std::span<const Importer> mover_importers();          // mover.cpp
std::span<const Importer> index_importers();          // index.cpp
std::span<const Importer> detection_importers();      // detection.cpp
std::span<const Importer> loss_importers();           // loss.cpp
std::span<const Importer> signal_importers();         // signal.cpp
std::span<const Importer> random_importers();         // random.cpp
std::span<const Importer> image_importers();          // image.cpp

std::span<const Importer> string_importers();  // strings.cpp

// Of strings that come with a run; Tokenizer is com.microsoft's.
void import_string_equal(NodeImport& n);
// Cast to strings, and the numbers that strings spell.
void import_cast_to_strings(NodeImport& n);
ValueId numbers_of_strings(NodeImport& n, size_t input, DType to);
void import_tokenizer(NodeImport& n);

// Of ai.onnx.preview.training.
std::span<const Importer> training_importers();  // loss.cpp

// Conv and Gemm with more than ONNX gives them (convolution.cpp, matmul.cpp).
ValueId import_conv(NodeImport& n);
ValueId import_gemm(NodeImport& n);
std::span<const Importer> quantized_importers();  // quantized.cpp

// Those of com.microsoft.
std::span<const Importer> microsoft_importers();            // microsoft.cpp: normalisations, activations, products
std::span<const Importer> microsoft_attention_importers();  // attention.cpp
std::span<const Importer> microsoft_grouped_importers();    // grouped.cpp
std::span<const Importer> microsoft_fused_importers();      // fused.cpp
std::span<const Importer> microsoft_quantized_importers();  // quantized.cpp

// Those of ai.onnx.ml.
std::span<const Importer> feature_importers();  // features.cpp: what becomes of features, and encodings
std::span<const Importer> linear_importers();   // linear.cpp: linear models, support vectors
std::span<const Importer> tree_importers();     // trees.cpp

// The importer of an operator, or null.
const Importer* find_importer(std::string_view domain, std::string_view op_type);

}  // namespace anydim::onnx
