// SPDX-License-Identifier: Apache-2.0
// Builds the bytes of small ONNX models for tests. Fields are written as passed; nothing is checked, so broken models
// can be built too.
#pragma once

#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "onnx/format/proto.h"

namespace anydim::onnx::testing {

using protozero::pbf_writer;

// A dim of a declared value: a number, a name, or neither (empty name).
struct DeclaredDim {
  DeclaredDim(int64_t v) : number(v), is_number(true) {}
  DeclaredDim(int v) : number(v), is_number(true) {}
  DeclaredDim(const char* n) : name(n) {}
  int64_t number = 0;
  bool is_number = false;
  std::string name;
};

template <class T> std::string raw_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

inline std::string tensor(const std::string& name, int32_t type, const std::vector<int64_t>& dims, const std::string& raw) {
  std::string out;
  pbf_writer w(out);
  w.add_packed_int64(1, dims.begin(), dims.end());
  w.add_int32(2, type);
  w.add_string(8, name);
  w.add_bytes(9, raw);
  return out;
}
inline std::string floats(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& v) {
  return tensor(name, kFloat, dims, raw_of(v));
}
inline std::string int64s(const std::string& name, const std::vector<int64_t>& dims, const std::vector<int64_t>& v) {
  return tensor(name, kInt64, dims, raw_of(v));
}

inline std::string value_info(const std::string& name, int32_t type, const std::vector<DeclaredDim>& dims) {
  std::string out;
  pbf_writer w(out);
  w.add_string(1, name);
  pbf_writer type_writer(w, 2);
  pbf_writer tensor_writer(type_writer, 1);
  tensor_writer.add_int32(1, type);
  pbf_writer shape_writer(tensor_writer, 2);
  for (const DeclaredDim& d : dims) {
    std::string dim;
    if (d.is_number) pbf_writer(dim).add_int64(1, d.number);
    else if (!d.name.empty()) pbf_writer(dim).add_string(2, d.name);
    shape_writer.add_message(1, dim);
  }
  return out;
}

// Attributes, each as the bytes of an AttributeProto.
inline std::string attr(const std::string& name, int64_t v) {
  std::string out;
  pbf_writer w(out);
  w.add_string(1, name);
  w.add_int64(3, v);
  w.add_int32(20, Attribute::kInt);
  return out;
}
inline std::string attr(const std::string& name, float v) {
  std::string out;
  pbf_writer w(out);
  w.add_string(1, name);
  w.add_float(2, v);
  w.add_int32(20, Attribute::kFloatValue);
  return out;
}
inline std::string attr(const std::string& name, const char* v) {
  std::string out;
  pbf_writer w(out);
  w.add_string(1, name);
  w.add_bytes(4, std::string(v));
  w.add_int32(20, Attribute::kStringValue);
  return out;
}
inline std::string attr(const std::string& name, const std::vector<int64_t>& v) {
  std::string out;
  pbf_writer w(out);
  w.add_string(1, name);
  w.add_packed_int64(8, v.begin(), v.end());
  w.add_int32(20, Attribute::kInts);
  return out;
}
inline std::string tensor_attr(const std::string& name, const std::string& tensor_bytes) {
  std::string out;
  pbf_writer w(out);
  w.add_string(1, name);
  w.add_message(5, tensor_bytes);
  w.add_int32(20, Attribute::kTensor);
  return out;
}
inline std::string graph_attr(const std::string& name, const std::string& graph_bytes) {
  std::string out;
  pbf_writer w(out);
  w.add_string(1, name);
  w.add_message(6, graph_bytes);
  w.add_int32(20, Attribute::kGraph);
  return out;
}
// Inside a function's body: the value of the function's attribute `of`.
inline std::string attr_reference(const std::string& name, const std::string& of, int32_t type) {
  std::string out;
  pbf_writer w(out);
  w.add_string(1, name);
  w.add_string(21, of);
  w.add_int32(20, type);
  return out;
}

inline std::string node(const std::string& op, const std::vector<std::string>& in, const std::vector<std::string>& out_names,
                        const std::vector<std::string>& attributes = {}, const std::string& name = "", const std::string& domain = "") {
  std::string out;
  pbf_writer w(out);
  for (const std::string& i : in) w.add_string(1, i);
  for (const std::string& o : out_names) w.add_string(2, o);
  if (!name.empty()) w.add_string(3, name);
  w.add_string(4, op);
  for (const std::string& a : attributes) w.add_message(5, a);
  if (!domain.empty()) w.add_string(7, domain);
  return out;
}

// The parts of a graph, put together by graph_bytes() or model_bytes().
struct ModelBuilder {
  std::vector<std::string> nodes, initializers, inputs, outputs, functions;
  std::vector<std::pair<std::string, int64_t>> opsets = {{"", 17}};
  std::vector<std::pair<std::string, std::string>> metadata;
  int64_t ir_version = 8;

  std::string graph_bytes() const {
    std::string out;
    pbf_writer w(out);
    for (const std::string& n : nodes) w.add_message(1, n);
    w.add_string(2, "test");
    for (const std::string& t : initializers) w.add_message(5, t);
    for (const std::string& v : inputs) w.add_message(11, v);
    for (const std::string& v : outputs) w.add_message(12, v);
    return out;
  }
  std::string model_bytes() const {
    std::string out;
    pbf_writer w(out);
    w.add_int64(1, ir_version);
    w.add_message(7, graph_bytes());
    for (const auto& [domain, version] : opsets) {
      pbf_writer o(w, 8);
      o.add_string(1, domain);
      o.add_int64(2, version);
    }
    for (const auto& [key, value] : metadata) {
      pbf_writer p(w, 14);
      p.add_string(1, key);
      p.add_string(2, value);
    }
    for (const std::string& f : functions) w.add_message(25, f);
    return out;
  }
};

}  // namespace anydim::onnx::testing
