// SPDX-License-Identifier: Apache-2.0
// The table of all importers, put together from the groups' tables.
#include "onnx/operators.h"

namespace anydim::onnx {
namespace {

using Table = std::unordered_map<std::string_view, const Importer*>;

Table all_importers() {
  Table table;
  for (const auto group : {elementwise_importers, activation_importers, reduction_importers, softmax_importers, convolution_importers,
                           pooling_importers, matmul_importers, einsum_importers, attention_importers, normalization_importers,
                           recurrent_importers, resize_importers, shape_importers, factory_importers, mover_importers, index_importers})
    for (const Importer& i : group()) table.emplace(i.op_type, &i);
  return table;
}

}  // namespace

const Importer* find_importer(std::string_view domain, std::string_view op_type) {
  if (!domain.empty() && domain != "ai.onnx") return nullptr;
  static const Table table = all_importers();
  const auto found = table.find(op_type);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace anydim::onnx
