// SPDX-License-Identifier: Apache-2.0
// The parts of an ONNX model as plain structs: what the protobuf messages of the same names hold, nothing else.
// Names, strings and raw data are views into the model's bytes, or into what a program builds a model of; whoever holds a
// ModelProto keeps those alive (reader.h, model_builder.h). Nothing here has been checked beyond its encoding.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/memory/lender.h"

namespace anydim::onnx {

using Property = std::pair<std::string_view, std::string_view>;

// TensorProto.DataType; only the numbers that the importer speaks of by name.
enum ElementType : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kUint8 = 2,
  kInt8 = 3,
  kUint16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kDouble = 11,
  kUint32 = 12,
  kUint64 = 13,
  kComplex64 = 14,
  kComplex128 = 15,
  kBfloat16 = 16,
  kFloat8E4M3FN = 17,
  kFloat8E4M3FNUZ = 18,
  kFloat8E5M2 = 19,
  kFloat8E5M2FNUZ = 20,
  kUint4 = 21,
  kInt4 = 22,
  kFloat4E2M1 = 23,
  kFloat8E8M0 = 24,
  kUint2 = 25,
  kInt2 = 26,
};

struct TensorProto {
  std::string_view name;
  std::vector<int64_t> dims;
  int32_t data_type = kUndefined;
  bool has_raw_data = false;
  bool has_segment = false;
  std::string_view raw_data;  // little-endian, row-major
  std::vector<float> float_data;
  std::vector<int32_t> int32_data;
  std::vector<int64_t> int64_data;
  std::vector<double> double_data;
  std::vector<uint64_t> uint64_data;
  std::vector<std::string_view> string_data;
  bool is_external = false;
  std::vector<Property> external_data;
  std::shared_ptr<const Lender> lender;  // of raw_data, where that is not in the model's bytes (model_builder.h)
};

// Elements at some indices of a tensor; all others are 0.
struct SparseTensorProto {
  TensorProto values, indices;  // indices: [count], row-major ones, or [count, rank]
  std::vector<int64_t> dims;
};

struct Dimension {
  bool has_value = false;
  int64_t value = 0;
  std::string_view param;
};

struct TypeProto {
  enum class Kind : uint8_t { none, tensor, sequence, map, optional, sparse_tensor, opaque };
  Kind kind = Kind::none;
  Kind holds = Kind::none;            // of a sequence or optional: what is in it
  Kind inner = Kind::none;            // and what is in that
  int32_t element_type = kUndefined;  // of a tensor, of those in a sequence or optional, of a map's values
  bool has_shape = false;
  std::vector<Dimension> shape;
};

struct ValueInfo {
  std::string_view name;
  TypeProto type;
};

struct GraphProto;

struct Attribute {
  // AttributeProto.AttributeType
  enum Type : int32_t {
    kNone = 0,
    kFloatValue = 1,
    kInt = 2,
    kStringValue = 3,
    kTensor = 4,
    kGraph = 5,
    kFloats = 6,
    kInts = 7,
    kStrings = 8,
    kTensors = 9,
    kGraphs = 10,
    kSparse = 11,
    kSparses = 12,
    kTypeProto = 13,
    kTypeProtos = 14,
  };
  std::string_view name;
  std::string_view reference;  // in a function's body: the name of the function's attribute that it stands for
  int32_t type = kNone;
  float f = 0.f;
  int64_t i = 0;
  std::string_view s;
  std::shared_ptr<const TensorProto> tensor;
  std::shared_ptr<const SparseTensorProto> sparse_tensor;
  std::shared_ptr<const GraphProto> graph;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string_view> strings;
};

struct NodeProto {
  std::string_view name, op_type, domain, overload;
  std::vector<std::string_view> input, output;
  std::vector<Attribute> attribute;
};

struct GraphProto {
  std::string_view name;
  std::vector<NodeProto> node;
  std::vector<TensorProto> initializer;
  std::vector<ValueInfo> input, output, value_info;
  std::vector<SparseTensorProto> sparse_initializer;
};

struct OperatorSetId {
  std::string_view domain;
  int64_t version = 0;
};

struct FunctionProto {
  std::string_view name, domain, overload;
  std::vector<std::string_view> input, output, attribute;
  std::vector<Attribute> attribute_default;
  std::vector<NodeProto> node;
  std::vector<OperatorSetId> opset_import;
};

struct ModelProto {
  int64_t ir_version = 0;
  int64_t model_version = 0;
  std::string_view producer_name, producer_version, domain, doc_string;
  std::vector<OperatorSetId> opset_import;
  std::vector<Property> metadata;
  std::vector<FunctionProto> function;
  bool has_graph = false;
  GraphProto graph;
};

}  // namespace anydim::onnx
