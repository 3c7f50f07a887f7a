// SPDX-License-Identifier: Apache-2.0
// ONNX Runtime's graph as this provider needs it: nodes by the names of what they read and make, types of values, constants where they
// lie; and a part of it handed to a builder of the C API. What is claimed is provider.cpp's business.
#pragma once

#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "anydim/anydim.h"
#include "bindings/onnxruntime/ort_abi.h"

namespace anydim::ort {

// Something that ONNX Runtime or the C API refused, with the code that ONNX Runtime gets.
struct Failure : std::runtime_error {
  Failure(int code, const std::string& message) : std::runtime_error(message), code(code) {}
  static Failure of_node(const std::string& node, const std::string& message);
  int code;
  std::string node;  // of the C API's error, where it names one
};

// Throws what ONNX Runtime says.
void check(const Api& api, OrtStatus* status);
// Throws what the C API says.
void check(anydim_status_t status);

class Builder {
 public:
  Builder() { check(anydim_model_builder_create(&handle_)); }
  ~Builder() { anydim_model_builder_destroy(handle_); }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;
  anydim_model_builder_t get() const noexcept { return handle_; }

 private:
  anydim_model_builder_t handle_ = nullptr;
};

struct ValueFacts {
  bool known = false;  // a tensor with a dtype that is here and a rank
  bool ranked = true;  // no tensor whose rank ONNX Runtime does not know
  anydim_dtype_t dtype = ANYDIM_F32;
  std::vector<int64_t> dims;
  std::vector<std::string> symbols;
  const OrtValue* constant = nullptr;
};

struct NodeFacts {
  const OrtNode* node = nullptr;
  std::string name;  // unique in its graph
  std::vector<std::string> inputs, outputs;
  std::vector<std::string> reads;  // inputs and what its bodies read around them
  bool taken = false;              // by another provider
};

class GraphFacts {
 public:
  GraphFacts(const Api& api, const OrtGraph* graph);
  // Of one node alone, with the opsets of a graph.
  GraphFacts(const Api& api, const OrtGraph* opsets, const OrtNode* node);

  const std::vector<NodeFacts>& nodes() const noexcept { return nodes_; }
  const std::vector<std::string>& inputs() const noexcept { return inputs_; }
  const std::vector<std::string>& outputs() const noexcept { return outputs_; }
  // Whether it is known to be the body of a branch or loop by what it reads.
  bool is_body() const noexcept { return reads_outside_ || inputs_.empty(); }
  const ValueFacts& value(const std::string& name) const;
  bool is_constant(const std::string& name) const { return value(name).constant != nullptr; }

  // Puts a node into a graph. Throws for what the C API cannot say, such as attributes that are sparse tensors.
  void add_node(const NodeFacts& node, anydim_model_builder_t to) const;
  void add_opsets(anydim_model_builder_t to) const;
  // False if it has no type that an input can have.
  bool add_input(const std::string& name, anydim_model_builder_t to) const;
  // Returns its bytes.
  int64_t add_constant(const std::string& name, anydim_model_builder_t to) const;

 private:
  std::string remember(const OrtValueInfo* info);
  void read_node(const OrtNode* node);
  void add_attribute(const OrtOpAttr* attribute, const std::string& name, anydim_model_builder_t to) const;
  void add_body(const OrtGraph* body, const char* attribute, anydim_model_builder_t to) const;

  const Api& api_;
  const OrtGraph* graph_;
  std::vector<NodeFacts> nodes_;
  std::vector<std::string> inputs_, outputs_;
  std::map<std::string, ValueFacts> values_;
  std::set<std::string> node_names_;
  bool reads_outside_ = false;
};

// ONNX's element type as the C API's; false for those that are not here.
bool dtype_of(int element_type, anydim_dtype_t* out) noexcept;
int element_type_of(anydim_dtype_t dtype) noexcept;
// Bytes of a tensor that lies row-major.
int64_t bytes_of(const anydim_view_t& view) noexcept;

// What a tensor of ONNX Runtime's is, as a view. Throws for an element type that is not here.
anydim_view_t view_of(const Api& api, const OrtValue* value);

// The nodes of a graph that have bodies, and a node's bodies with the names of their attributes.
std::vector<const OrtNode*> nodes_with_bodies(const Api& api, const OrtGraph* graph);
std::vector<const OrtGraph*> bodies_of(const Api& api, const OrtNode* node, std::vector<const char*>* attributes = nullptr);

}  // namespace anydim::ort
