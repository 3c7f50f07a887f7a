// SPDX-License-Identifier: Apache-2.0
// The protobuf messages of onnx.proto, field by field, on protozero. Every wire type is checked before a value is
// read (protozero only asserts it), and nesting is bounded. Failures travel as exceptions inside this file only.
#include "onnx/format/reader.h"

#include <algorithm>
#include <limits>
#include <new>

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "core/base/memory/out_of_memory.h"
#include "core/base/text/utf8.h"
#include "onnx/format/foreign.h"

namespace anydim::onnx {
namespace {

using protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;

// Deepest nesting of messages. A graph in an attribute of a node takes three levels.
constexpr int kDeepest = 100;

struct Damaged {
  const char* what;
};

// --- single fields ---------------------------------------------------------------------------------------------

void expect(const pbf_reader& r, Wire wire) {
  if (r.wire_type() != wire) throw Damaged{"a field has the wrong wire type"};
}
std::string_view bytes(pbf_reader& r) {
  expect(r, Wire::length_delimited);
  const protozero::data_view v = r.get_view();
  return {v.data(), v.size()};
}
std::string_view text(pbf_reader& r) {
  const std::string_view s = bytes(r);
  if (!valid_utf8(s)) throw Damaged{"a string is not valid UTF-8"};
  return s;
}
int64_t integer(pbf_reader& r) {
  expect(r, Wire::varint);
  return r.get_int64();
}
// A negative int32 is ten bytes long on the wire, so the value is read whole and checked.
int32_t integer32(pbf_reader& r) {
  const int64_t v = integer(r);
  if (v < std::numeric_limits<int32_t>::min() || v > std::numeric_limits<int32_t>::max())
    throw Damaged{"a 32-bit field holds a larger value"};
  return static_cast<int32_t>(v);
}

// Repeated numbers come packed (one length-delimited run) or one by one.
template <class T> void varints(pbf_reader& r, std::vector<T>* out) {
  if (r.wire_type() == Wire::varint) {
    out->push_back(static_cast<T>(r.get_int64()));
    return;
  }
  expect(r, Wire::length_delimited);
  for (const int64_t v : r.get_packed_int64()) out->push_back(static_cast<T>(v));
}
void floats(pbf_reader& r, std::vector<float>* out) {
  if (r.wire_type() == Wire::fixed32) {
    out->push_back(r.get_float());
    return;
  }
  expect(r, Wire::length_delimited);
  const auto range = r.get_packed_float();
  out->insert(out->end(), range.begin(), range.end());
}
void doubles(pbf_reader& r, std::vector<double>* out) {
  if (r.wire_type() == Wire::fixed64) {
    out->push_back(r.get_double());
    return;
  }
  expect(r, Wire::length_delimited);
  const auto range = r.get_packed_double();
  out->insert(out->end(), range.begin(), range.end());
}

// --- messages --------------------------------------------------------------------------------------------------

class Parser {
 public:
  void model(pbf_reader r, ModelProto* m);
  std::string place() const;

 private:
  struct Step {
    const char* field;
    int64_t index;  // -1: not repeated
  };

  // Parses the sub-message that `r` stands on. After a failure the path is left as it was where it happened.
  template <class T> void nested(pbf_reader& r, const char* field, int64_t index, void (Parser::*parse)(pbf_reader, T*), T* into) {
    if (path_.size() >= kDeepest) throw Damaged{"messages are nested too deeply"};
    path_.push_back({field, index});
    const std::string_view body = bytes(r);
    (this->*parse)(pbf_reader(body.data(), body.size()), into);
    path_.pop_back();
  }
  template <class T> void append(pbf_reader& r, const char* field, void (Parser::*parse)(pbf_reader, T*), std::vector<T>* into) {
    // Parsed apart, so that a vector of large structs grows only by what was read in full.
    T item;
    nested(r, field, static_cast<int64_t>(into->size()), parse, &item);
    into->push_back(std::move(item));
  }

  void graph(pbf_reader r, GraphProto* g);
  static void reserve(pbf_reader r, GraphProto* g);
  void node(pbf_reader r, NodeProto* n);
  void attribute(pbf_reader r, Attribute* a);
  void tensor(pbf_reader r, TensorProto* t);
  void sparse_tensor(pbf_reader r, SparseTensorProto* t);
  void value_info(pbf_reader r, ValueInfo* v);
  void type(pbf_reader r, TypeProto* t);
  void type_within(pbf_reader r, TypeProto* t);
  void map_type(pbf_reader r, TypeProto* t);
  void tensor_type(pbf_reader r, TypeProto* t);
  void shape(pbf_reader r, TypeProto* t);
  void dimension(pbf_reader r, Dimension* d);
  void function(pbf_reader r, FunctionProto* f);
  void opset(pbf_reader r, OperatorSetId* o);
  void property(pbf_reader r, Property* p);

  std::vector<Step> path_;
};

std::string Parser::place() const {
  std::string s;
  for (const Step& step : path_) {
    if (!s.empty()) s += '.';
    s += step.field;
    if (step.index >= 0) s += formatted("[{}]", step.index);
  }
  return s.empty() ? "the model" : s;
}

void Parser::model(pbf_reader r, ModelProto* m) {
  while (r.next()) switch (r.tag()) {
      case 1: m->ir_version = integer(r); break;
      case 2: m->producer_name = text(r); break;
      case 3: m->producer_version = text(r); break;
      case 4: m->domain = text(r); break;
      case 5: m->model_version = integer(r); break;
      case 6: m->doc_string = text(r); break;
      case 7:
        nested(r, "graph", -1, &Parser::graph, &m->graph);
        m->has_graph = true;
        break;
      case 8: append(r, "opset_import", &Parser::opset, &m->opset_import); break;
      case 14: append(r, "metadata_props", &Parser::property, &m->metadata); break;
      case 25: append(r, "functions", &Parser::function, &m->function); break;
      default: r.skip();
    }
}

void Parser::graph(pbf_reader r, GraphProto* g) {
  reserve(r, g);
  while (r.next()) switch (r.tag()) {
      case 1: append(r, "node", &Parser::node, &g->node); break;
      case 2: g->name = text(r); break;
      case 5: append(r, "initializer", &Parser::tensor, &g->initializer); break;
      case 11: append(r, "input", &Parser::value_info, &g->input); break;
      case 12: append(r, "output", &Parser::value_info, &g->output); break;
      case 13: append(r, "value_info", &Parser::value_info, &g->value_info); break;
      case 15: append(r, "sparse_initializer", &Parser::sparse_tensor, &g->sparse_initializer); break;
      default: r.skip();
    }
}

// Room for nodes and initializers as far as the message can be read: thousands of large structs would be moved again and again.
void Parser::reserve(pbf_reader r, GraphProto* g) {
  size_t nodes = 0, initializers = 0;
  try {
    for (; r.next(); r.skip()) {
      nodes += r.tag() == 1;
      initializers += r.tag() == 5;
    }
  } catch (const protozero::exception&) {
    return;  // whoever reads it says where
  }
  constexpr size_t kMost = 1 << 16;  // a damaged file gets no more for nothing
  g->node.reserve(std::min(nodes, kMost));
  g->initializer.reserve(std::min(initializers, kMost));
}

void Parser::node(pbf_reader r, NodeProto* n) {
  while (r.next()) switch (r.tag()) {
      case 1: n->input.push_back(text(r)); break;
      case 2: n->output.push_back(text(r)); break;
      case 3: n->name = text(r); break;
      case 4: n->op_type = text(r); break;
      case 5: append(r, "attribute", &Parser::attribute, &n->attribute); break;
      case 7: n->domain = text(r); break;
      case 8: n->overload = text(r); break;
      default: r.skip();
    }
}

void Parser::attribute(pbf_reader r, Attribute* a) {
  while (r.next()) switch (r.tag()) {
      case 1: a->name = text(r); break;
      case 2:
        expect(r, Wire::fixed32);
        a->f = r.get_float();
        break;
      case 3: a->i = integer(r); break;
      case 4: a->s = bytes(r); break;
      case 5: {
        auto t = std::make_shared<TensorProto>();
        nested(r, "t", -1, &Parser::tensor, t.get());
        a->tensor = std::move(t);
        break;
      }
      case 6: {
        auto g = std::make_shared<GraphProto>();
        nested(r, "g", -1, &Parser::graph, g.get());
        a->graph = std::move(g);
        break;
      }
      case 7: floats(r, &a->floats); break;
      case 8: varints(r, &a->ints); break;
      case 9: a->strings.push_back(bytes(r)); break;
      case 20: a->type = integer32(r); break;
      case 21: a->reference = text(r); break;
      case 22: {
        auto t = std::make_shared<SparseTensorProto>();
        nested(r, "sparse_tensor", -1, &Parser::sparse_tensor, t.get());
        a->sparse_tensor = std::move(t);
        break;
      }
      default: r.skip();
    }
}

void Parser::sparse_tensor(pbf_reader r, SparseTensorProto* t) {
  while (r.next()) switch (r.tag()) {
      case 1: nested(r, "values", -1, &Parser::tensor, &t->values); break;
      case 2: nested(r, "indices", -1, &Parser::tensor, &t->indices); break;
      case 3: varints(r, &t->dims); break;
      default: r.skip();
    }
}

void Parser::tensor(pbf_reader r, TensorProto* t) {
  while (r.next()) switch (r.tag()) {
      case 1: varints(r, &t->dims); break;
      case 2: t->data_type = integer32(r); break;
      case 3:
        t->has_segment = true;
        r.skip();
        break;
      case 4: floats(r, &t->float_data); break;
      case 5: varints(r, &t->int32_data); break;
      case 6: t->string_data.push_back(bytes(r)); break;
      case 7: varints(r, &t->int64_data); break;
      case 8: t->name = text(r); break;
      case 9:
        t->raw_data = bytes(r);
        t->has_raw_data = true;
        break;
      case 10: doubles(r, &t->double_data); break;
      case 11: varints(r, &t->uint64_data); break;
      case 13: append(r, "external_data", &Parser::property, &t->external_data); break;
      case 14: t->is_external = integer(r) == 1; break;
      default: r.skip();
    }
}

void Parser::value_info(pbf_reader r, ValueInfo* v) {
  while (r.next()) switch (r.tag()) {
      case 1: v->name = text(r); break;
      case 2: nested(r, "type", -1, &Parser::type, &v->type); break;
      default: r.skip();
    }
}

void Parser::type(pbf_reader r, TypeProto* t) {
  while (r.next()) switch (r.tag()) {
      case 1:
        t->kind = TypeProto::Kind::tensor;
        nested(r, "tensor_type", -1, &Parser::tensor_type, t);
        break;
      case 4:
        nested(r, "sequence_type", -1, &Parser::type_within, t);
        t->kind = TypeProto::Kind::sequence;
        break;
      case 5:
        t->kind = TypeProto::Kind::map;
        nested(r, "map_type", -1, &Parser::map_type, t);
        break;
      case 7:
        t->kind = TypeProto::Kind::opaque;
        r.skip();
        break;
      case 8:
        t->kind = TypeProto::Kind::sparse_tensor;
        r.skip();
        break;
      case 9:
        nested(r, "optional_type", -1, &Parser::type_within, t);
        t->kind = TypeProto::Kind::optional;
        break;
      default: r.skip();
    }
}

// Of a map, the element type of its values.
void Parser::map_type(pbf_reader r, TypeProto* t) {
  while (r.next()) switch (r.tag()) {
      case 2: {
        TypeProto value;
        nested(r, "value_type", -1, &Parser::type, &value);
        if (value.kind == TypeProto::Kind::tensor) t->element_type = value.element_type;
        break;
      }
      default: r.skip();
    }
}

void Parser::type_within(pbf_reader r, TypeProto* t) {
  while (r.next()) switch (r.tag()) {
      case 1: {
        TypeProto element;
        nested(r, "elem_type", -1, &Parser::type, &element);
        element.inner = element.holds;
        element.holds = element.kind;
        *t = std::move(element);
        break;
      }
      default: r.skip();
    }
}

void Parser::tensor_type(pbf_reader r, TypeProto* t) {
  while (r.next()) switch (r.tag()) {
      case 1: t->element_type = integer32(r); break;
      case 2:
        t->has_shape = true;
        nested(r, "shape", -1, &Parser::shape, t);
        break;
      default: r.skip();
    }
}

void Parser::shape(pbf_reader r, TypeProto* t) {
  while (r.next()) switch (r.tag()) {
      case 1: append(r, "dim", &Parser::dimension, &t->shape); break;
      default: r.skip();
    }
}

void Parser::dimension(pbf_reader r, Dimension* d) {
  while (r.next()) switch (r.tag()) {
      case 1:
        d->value = integer(r);
        d->has_value = true;
        break;
      case 2:
        d->param = text(r);
        d->has_value = false;
        break;
      default: r.skip();
    }
}

void Parser::function(pbf_reader r, FunctionProto* f) {
  while (r.next()) switch (r.tag()) {
      case 1: f->name = text(r); break;
      case 4: f->input.push_back(text(r)); break;
      case 5: f->output.push_back(text(r)); break;
      case 6: f->attribute.push_back(text(r)); break;
      case 7: append(r, "node", &Parser::node, &f->node); break;
      case 9: append(r, "opset_import", &Parser::opset, &f->opset_import); break;
      case 10: f->domain = text(r); break;
      case 11: append(r, "attribute_proto", &Parser::attribute, &f->attribute_default); break;
      case 13: f->overload = text(r); break;
      default: r.skip();
    }
}

void Parser::opset(pbf_reader r, OperatorSetId* o) {
  while (r.next()) switch (r.tag()) {
      case 1: o->domain = text(r); break;
      case 2: o->version = integer(r); break;
      default: r.skip();
    }
}

void Parser::property(pbf_reader r, Property* p) {
  while (r.next()) switch (r.tag()) {
      case 1: p->first = text(r); break;
      case 2: p->second = text(r); break;
      default: r.skip();
    }
}

}  // namespace

namespace {

// What protozero found wrong, in words for people who have a file and no parser. Called by a handler of its exceptions.
std::string_view plain() {
  try {
    throw;
  } catch (const protozero::end_of_buffer_exception&) {
    return "it ends within a field: the file may be cut off";
  } catch (const protozero::unknown_pbf_wire_type_exception&) {
    return "a field is of a kind that protobuf does not have";
  } catch (const protozero::invalid_tag_exception&) {
    return "a field has a number that protobuf does not have";
  } catch (const protozero::varint_too_long_exception&) {
    return "a number is longer than 10 bytes";
  } catch (const protozero::exception&) {
    return "a field has a wrong length";
  }
}

Result<ModelProto> parsed(std::string_view bytes) {
  Parser parser;
  try {
    ModelProto model;
    parser.model(pbf_reader(bytes.data(), bytes.size()), &model);
    if (!model.has_graph) return error(Code::invalid_model, "not an ONNX file, or damaged: it has no graph ({} bytes read)", bytes.size());
    return model;
  } catch (const Damaged& damage) {
    return error(Code::invalid_model, "{}: {}", parser.place(), damage.what);
  } catch (const protozero::exception&) {
    return error(Code::invalid_model, "{}: {}; not an ONNX file, or damaged", parser.place(), plain());
  } catch (const std::bad_alloc& e) {
    return status_of(e).at(parser.place());
  }
}

}  // namespace

Result<ModelProto> read_model(std::string_view bytes) {
  Result<ModelProto> model = parsed(bytes);
  if (model.ok() || model.status().code() != Code::invalid_model) return model;
  std::string other = foreign_file(bytes);
  return other.empty() ? std::move(model) : error(Code::invalid_model, "{}", other);
}

}  // namespace anydim::onnx
