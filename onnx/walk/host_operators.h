// SPDX-License-Identifier: Apache-2.0
// Operators of the host program's, as the importer sees them: whether there is one for a node, and what becomes of that node.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/host_node.h"
#include "core/tensor/constant.h"
#include "onnx/format/proto.h"

namespace anydim::onnx {

// One of ONNX's types that a program can read: a number, a text, a list of either, a tensor.
struct HostAttribute {
  std::string name;
  Attribute::Type type = Attribute::kNone;
  std::vector<int64_t> integers;  // of kInt and kInts
  std::vector<float> reals;       // of kFloatValue and kFloats
  std::vector<std::string> texts;
  ConstantPtr tensor;
};

struct HostNodeFacts {
  std::string name, domain, op_type;
  int64_t version = 0;  // of the domain, as the model imports it
  std::vector<HostAttribute> attributes;
};

class HostOperators {
 public:
  virtual ~HostOperators() = default;
  virtual bool has(std::string_view domain, std::string_view op_type) const = 0;
  virtual std::shared_ptr<const HostNode> make(HostNodeFacts facts) const = 0;
};

}  // namespace anydim::onnx
