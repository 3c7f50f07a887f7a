// SPDX-License-Identifier: Apache-2.0
// The provider of one session: what it claims of a graph, and what it makes of that.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bindings/onnxruntime/compiled_part.h"
#include "bindings/onnxruntime/graph_reader.h"
#include "bindings/onnxruntime/options.h"

namespace anydim::ort {

constexpr const char* kName = "AnydimExecutionProvider";

class Provider : public OrtEp {
 public:
  Provider(const Api& api, Options options, const OrtLogger* logger);
  ~Provider();
  Provider(const Provider&) = delete;
  Provider& operator=(const Provider&) = delete;

 private:
  void claim(const OrtGraph* graph, OrtEpGraphSupportInfo* support);
  std::shared_ptr<CompiledPart> compile_one(const OrtGraph* graph, const OrtNode* fused);
  // Whether this graph is a body of which nothing is claimed by itself.
  bool leaves_body(const OrtGraph* graph);
  // Why the importer does not take each node; empty for those that it takes.
  std::vector<std::string> refusals(const GraphFacts& graph) const;
  // The parts of a graph that can be claimed, by their nodes.
  using Parts = std::map<std::vector<size_t>, std::shared_ptr<Part>>;
  Parts parts_made(const GraphFacts& graph, bool is_body) const;
  std::shared_ptr<Part> make(const GraphFacts& graph, const std::vector<size_t>& nodes) const;
  void say(int severity, const std::string& message) const;

  const Api& api_;
  const Options options_;
  const OrtLogger* logger_;
  anydim_engine_t engine_ = nullptr;
  const std::shared_ptr<Profiling> profiling_;
  const std::shared_ptr<Trim> trim_ = std::make_shared<Trim>();
  std::vector<std::shared_ptr<Part>> claimed_;  // made when they were claimed, until ONNX Runtime asks for them
  std::vector<std::shared_ptr<CompiledPart>> compiled_;
  enum class Body { claimed, left, unranked };    // in parts; not; not, for a rank that is not known in it or around it
  std::map<std::string, Body> leaves_bodies_of_;  // what leaves_body() found, by node
  bool has_parts_ = false;                        // some graph of the session has
};

}  // namespace anydim::ort
