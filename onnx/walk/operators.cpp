// SPDX-License-Identifier: Apache-2.0
// The table of all importers, put together from the groups' tables.
#include "onnx/walk/operators.h"

#include <initializer_list>

#include "onnx/format/schemas.h"

namespace anydim::onnx {
namespace {

using Table = std::unordered_map<std::string_view, const Importer*>;

Table table_of(std::initializer_list<std::span<const Importer> (*)()> groups) {
  Table table;
  for (const auto group : groups)
    for (const Importer& i : group()) table.emplace(i.op_type, &i);
  return table;
}

Table standard_importers() {
  return table_of({elementwise_importers, activation_importers,    reduction_importers, softmax_importers,   convolution_importers,
                   pooling_importers,     matmul_importers,        einsum_importers,    attention_importers, rotary_importers,
                   cache_importers,       normalization_importers, recurrent_importers, resize_importers,    shape_importers,
                   factory_importers,     mover_importers,         index_importers,     detection_importers, loss_importers,
                   signal_importers,      random_importers,        image_importers,     quantized_importers, gated_importers,
                   string_importers});
}
Table microsoft_table() {
  return table_of({microsoft_importers, microsoft_attention_importers, microsoft_grouped_importers, microsoft_fused_importers,
                   microsoft_quantized_importers});
}

}  // namespace

const Importer* find_importer(std::string_view domain, std::string_view op_type) {
  struct Tables {
    Table standard, microsoft, training, learned;
  };
  // Never destroyed: a program may end while its threads load models.
  static const Tables& all = *new Tables{standard_importers(), microsoft_table(), table_of({training_importers}),
                                         table_of({feature_importers, linear_importers, tree_importers})};
  const Table* const table = domain.empty() || domain == "ai.onnx"  ? &all.standard
                             : domain == kMicrosoftDomain           ? &all.microsoft
                             : domain == kLearnedDomain             ? &all.learned
                             : domain == "ai.onnx.preview.training" ? &all.training
                                                                    : nullptr;
  if (table == nullptr) return nullptr;
  const auto found = table->find(op_type);
  return found == table->end() ? nullptr : found->second;
}

}  // namespace anydim::onnx
