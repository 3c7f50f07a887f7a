// SPDX-License-Identifier: Apache-2.0
// What a session asks of the provider, as texts by name. docs/onnxruntime-plugin.md lists them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "anydim/anydim.h"
#include "bindings/onnxruntime/ort_abi.h"

namespace anydim::ort {

struct Options {
  int32_t threads = 0;        // most parts of a loop; 0: the cores that the process may use
  int32_t smallest_part = 2;  // nodes; of parts that are not the whole graph
  anydim_math_t math = ANYDIM_MATH_INHERIT;
  anydim_reuse_t reuse = ANYDIM_REUSE_INHERIT;
  std::string packed_weights;
  std::map<std::string, std::vector<anydim_dim_t>> bounds;  // by input of the whole graph
};

// Throws for a name that is none and for a value that cannot be.
Options read_options(const Api& api, const OrtSessionOptions* session);

}  // namespace anydim::ort
