// SPDX-License-Identifier: Apache-2.0
// Nodes whose operators are the host program's: their attributes are read, the program's rule of shapes says what they give.
#include "onnx/walk/host_operators.h"
#include "onnx/walk/model_import.h"

namespace anydim::onnx {

bool ModelImport::is_host(const NodeProto& node) const {
  return host_operators_ != nullptr && host_operators_->has(is_standard(node.domain) ? std::string_view{} : node.domain, node.op_type);
}

Status ModelImport::host_attribute(const Attribute& a, HostAttribute* out) {
  out->name = std::string(a.name);
  out->type = static_cast<Attribute::Type>(a.type);
  switch (a.type) {
    case Attribute::kInt: out->integers = {a.i}; return {};
    case Attribute::kInts: out->integers = a.ints; return {};
    case Attribute::kFloatValue: out->reals = {a.f}; return {};
    case Attribute::kFloats: out->reals = a.floats; return {};
    case Attribute::kStringValue: out->texts = {std::string(a.s)}; return {};
    case Attribute::kStrings: out->texts.assign(a.strings.begin(), a.strings.end()); return {};
    case Attribute::kTensor: {
      if (a.tensor == nullptr) break;
      Result<TensorValue> value = read_tensor(*a.tensor, bytes_, &external_);
      if (!value.ok()) return value.take_status();
      out->tensor = value->constant();
      return {};
    }
    default: break;
  }
  return unimplemented("it is of type {}; numbers, strings, lists of them and tensors are handed to an operator of the program's", a.type);
}

Status ModelImport::import_host(const NodeProto& node, const std::vector<ValueId>& inputs, Scope* scope) {
  const std::string where = NodeImport::label(node);
  const ControlName name = control_name(node);
  HostNodeFacts facts{name.name, std::string(node.domain), std::string(node.op_type), 0, {}};
  ANYDIM_TRY(opset_of(*scope, node.domain, &facts.version).at(where));
  NodeImport n(*scope->graph, node, facts.version, inputs, scope->bindings, bytes_, &external_);
  for (const Attribute& a : node.attribute) {
    const Attribute* const found = n.find(a.name);
    if (!n.ok()) return n.take_status();
    if (found == nullptr) continue;  // of a function's call that does not give it
    HostAttribute& attribute = facts.attributes.emplace_back();
    ANYDIM_TRY(host_attribute(*found, &attribute).at(formatted("attribute {}", shown(a.name))).at(where));
    attribute.name = std::string(a.name);
  }
  auto made = add_host_node(*scope->graph, host_operators_->make(std::move(facts)), inputs, node.output.size(), name);
  if (!made.ok()) return made.take_status();
  return take_results(node, inputs, *made, scope);
}

}  // namespace anydim::onnx
