// SPDX-License-Identifier: Apache-2.0
// What a model file says of itself and no run needs: who wrote it, versions, how often each operator occurs.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace anydim {

struct ModelFacts {
  std::string producer_name, producer_version, graph_name, domain, description;
  int64_t version = 0, opset = 0;
  int32_t nodes = 0;
  std::map<std::string, int32_t> operators;  // by ONNX name, other domains as domain.name
};

}  // namespace anydim
