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
                           recurrent_importers, resize_importers, shape_importers, factory_importers, mover_importers, index_importers,
                           detection_importers, loss_importers, signal_importers, random_importers, image_importers})
    for (const Importer& i : group()) table.emplace(i.op_type, &i);
  return table;
}

}  // namespace

const Importer* find_importer(std::string_view domain, std::string_view op_type) {
  if (domain.empty() || domain == "ai.onnx") {
    static const Table table = all_importers();
    const auto found = table.find(op_type);
    return found == table.end() ? nullptr : found->second;
  }
  struct Domain {
    std::string_view name;
    std::span<const Importer> (*importers)();
  };
  constexpr Domain kOthers[] = {{"ai.onnx.preview.training", training_importers}, {"com.microsoft", contrib_importers}};
  for (const Domain& other : kOthers)
    if (domain == other.name)
      for (const Importer& i : other.importers())
        if (i.op_type == op_type) return &i;
  return nullptr;
}

}  // namespace anydim::onnx
