// SPDX-License-Identifier: Apache-2.0
// A model that a program builds call by call: it makes the structs of proto.h, which the importer reads like those of a file
// (decision 060). What the model means is import.h's; here only names are checked, and that tensors have their elements.
#pragma once

#include <deque>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/base/memory/lender.h"
#include "core/base/status.h"
#include "core/tensor/dims.h"
#include "onnx/format/proto.h"

namespace anydim::onnx {

// Bodies in bodies; a reader of files has a limit like it, for the importer calls itself for each.
constexpr int kDeepestBody = 24;

class ModelBuilder {
 public:
  ModelBuilder();

  Status set_opset(std::string_view domain, int64_t version);
  Status add_input(std::string_view name, DType dtype, std::span<const int64_t> dims);
  Status set_symbol(std::string_view input, int axis, std::string_view symbol);
  Status add_output(std::string_view name);
  // The elements stay where they lie. A lender that stays keeps them for the models; else they are there for as long as this.
  Status add_constant(std::string_view name, DType dtype, std::span<const int64_t> dims, const void* data,
                      std::shared_ptr<const Lender> lender);
  // Of values between nodes; only probe_model() reads it.
  Status add_value_type(std::string_view name, DType dtype, std::span<const int64_t> dims);

  // The node that was added last gets what the functions below say.
  Status add_node(std::string_view op_type, std::string_view domain, std::string_view name);
  Status node_input(std::string_view value);
  Status node_output(std::string_view value);
  Status node_integer(std::string_view attribute, int64_t value);
  Status node_integers(std::string_view attribute, std::span<const int64_t> values);
  Status node_real(std::string_view attribute, float value);
  Status node_reals(std::string_view attribute, std::span<const float> values);
  Status node_text(std::string_view attribute, std::string_view value);
  Status node_append_text(std::string_view attribute, std::string_view value);
  Status node_tensor(std::string_view attribute, DType dtype, std::span<const int64_t> dims, const void* data);  // copies the elements
  Status node_body(std::string_view attribute, const ModelBuilder& body);

  const ModelProto& model() const noexcept { return model_; }

 private:
  // What string views and tensors point to; bodies keep theirs alive in the graph around them.
  using Texts = std::deque<std::string>;
  std::string_view keep(std::string_view text);
  Status new_name(std::string_view name, const char* what);
  Status type_of(DType dtype, std::span<const int64_t> dims, ValueInfo* out);
  Status tensor_of(DType dtype, std::span<const int64_t> dims, const void* data, TensorProto* out);
  // The attribute of the last node, which must not have it yet.
  Status new_attribute(std::string_view name, int32_t type, Attribute** out);

  ModelProto model_;
  std::set<std::string_view> names_, outputs_;
  std::shared_ptr<Texts> texts_;
  std::vector<std::shared_ptr<const Texts>> texts_of_bodies_;
  int depth_ = 0;  // of bodies in it
};

}  // namespace anydim::onnx
