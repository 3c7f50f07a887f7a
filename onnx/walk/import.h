// SPDX-License-Identifier: Apache-2.0
// From an ONNX model to a graph: what the API calls when a model is loaded. All opsets from kOldestOpset to
// kNewestOpset of ai.onnx, and what docs/onnx.md lists of other domains. What is not supported is refused here, by name, before anything runs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/graph/ir.h"
#include "onnx/format/proto.h"
#include "onnx/format/source.h"

namespace anydim::onnx {

constexpr int64_t kOldestOpset = 1;
constexpr int64_t kNewestOpset = 28;

class HostOperators;

struct ImportOptions {
  // Where external data may lie; empty: such tensors are refused.
  std::string folder;
  // The folder that the model's file itself lies in, if its path leads over symbolic links; as from map_file().
  std::string real_folder;
  // What inputs are made of that are sequences or optionals, as model_options.sequences (capi/api/model.yaml) says it.
  std::string sequences;
  // Operators that the host program brings, or null. They come before the library's own and the model's functions.
  std::shared_ptr<const HostOperators> host_operators;
};

// `bytes` need only live during the call if nobody provides it (weights are copied then); borrowed ones are the graph's constants
// where they lie.
Result<Graph> import_model(const Bytes& bytes, const ImportOptions& options = {});
// The same, for whoever has read the bytes (onnx/format/reader.h).
Result<Graph> import_model(const ModelProto& model, const Bytes& bytes, const ImportOptions& options);
// A model that a program built (model_builder.h): its tensors say themselves who provides them.
Result<Graph> import_model(const ModelProto& model);

// For whoever passes parts of a graph: why each node of a model cannot be imported; empty if it can. Behind one that cannot,
// what it makes is an input of the type that the graph's value_info declares. Nodes are looked at one by one, so an If whose branches
// differ in rank, which takes the nodes behind it into its branches, is refused.
Result<std::vector<std::string>> probe_model(const ModelProto& model);

}  // namespace anydim::onnx
