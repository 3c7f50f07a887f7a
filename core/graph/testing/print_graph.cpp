// SPDX-License-Identifier: Apache-2.0
// Printing a graph, its bodies indented. Parsing is in parse_graph.cpp.
#include "core/graph/testing/graph_text.h"

#include "core/graph/control_flow.h"

#include <set>

namespace anydim {

namespace {

// Sizes in brackets, since they may be expressions with blanks and commas.
void write_dims(const void* pool, std::span<const Dim> values, std::string* text) {
  *text += '[';
  for (size_t i = 0; i < values.size(); ++i) *text += (i ? ", " : "") + static_cast<const DimPool*>(pool)->text(values[i]);
  *text += ']';
}

class Printer {
 public:
  Printer(const Graph& graph, bool by_place) : g_(graph), by_place_(by_place) {}

  std::string run() {
    for (ValueId v : g_.inputs()) out_ += formatted("input {}: {}\n", name(v), type(v));
    for (NodeId id : g_.order()) {
      const Node& n = g_.node(id);
      for (const auto* list : {&n.inputs, &n.post_inputs})
        for (ValueId v : *list)
          if (v != kNoValue && g_.value(v).constant && printed_.insert(v).second) constant(v);
    }
    for (const GraphOutput& o : g_.outputs())
      if (g_.value(o.value).constant && printed_.insert(o.value).second) constant(o.value);
    for (NodeId id : g_.order()) node(g_.node(id));
    for (const GraphOutput& o : g_.outputs()) {
      out_ += formatted("output {}", name(o.value));
      if (by_place_ || o.name != name(o.value)) out_ += formatted(" as {}", o.name);
      out_ += '\n';
    }
    for (const Guard& guard : g_.guards) out_ += formatted("guard {}: {}\n", guard.node, guard.message);
    return std::move(out_);
  }

 private:
  // The value's own name where it is the only one of that name and reads as a word; v17 otherwise.
  std::string name(ValueId v) {
    if (v == kNoValue) return "-";
    if (by_place_ && g_.value(v).input < 0) {
      const int next = static_cast<int>(places_.size());
      return formatted("%{}", places_.emplace(v, next).first->second);
    }
    const std::string& own = g_.value(v).name;
    const bool word = !own.empty() && own.find_first_of(" ,():|#=[]") == std::string::npos && own != "-";
    if (!word) return formatted("v{}", v);
    const auto [at, fresh] = owner_.emplace(own, v);
    return fresh || at->second == v ? own : formatted("v{}", v);
  }

  std::string type(ValueId v) {
    const TensorType& t = g_.value(v).type;
    return dtype_name(t.dtype) + g_.dims.text(t.dims);
  }

  template <class T> std::string elements(const ConstantTensor& c) {
    constexpr int64_t kShown = 8;
    const std::span<const T> v = c.as<T>();
    bool uniform = !v.empty();
    for (const T& x : v) uniform = uniform && x == v[0];
    std::string s;
    for (int64_t i = 0; i < (uniform ? 1 : std::min(c.count(), kShown)); ++i) {
      if (i) s += ' ';
      s += std::is_floating_point_v<T> ? formatted("{:.9g}", static_cast<double>(v[static_cast<size_t>(i)]))
                                       : formatted("{}", static_cast<int64_t>(v[static_cast<size_t>(i)]));
    }
    return !uniform && c.count() > kShown ? s + " ..." : s;
  }

  void constant(ValueId v) {
    const ConstantTensor& c = *g_.value(v).constant;
    std::string text = "...";
    switch (c.dtype()) {
      case DType::f32: text = elements<float>(c); break;
      case DType::f64: text = elements<double>(c); break;
      case DType::i64: text = elements<int64_t>(c); break;
      case DType::i32: text = elements<int32_t>(c); break;
      case DType::boolean: text = elements<uint8_t>(c); break;
      default: break;
    }
    out_ += formatted("const {}: {} = {}\n", name(v), type(v), text);
  }

  void node(const Node& n) {
    for (size_t i = 0; i < n.outputs.size(); ++i) out_ += formatted("{}{}: {}", i ? ", " : "", name(n.outputs[i]), type(n.outputs[i]));
    const auto* flow = as<ControlFlow>(*n.op);
    out_ += formatted(" = {}(", flow == nullptr ? n.op->name() : name_of(flow->control().kind));
    for (size_t i = 0; i < n.inputs.size(); ++i) out_ += (i ? ", " : "") + name(n.inputs[i]);
    out_ += ')';
    append_attributes(&out_, *n.op, write_dims, &g_.dims);
    if (n.quantization) out_ += formatted(" {{{}}}", describe(*n.quantization));
    size_t operand = 0;
    for (const PostOp& p : n.post_ops) {
      out_ += " | ";
      if (!p.takes_tensor()) {
        out_ += function_name(p.unary);
        if (p.alpha != 0.f || p.beta != 0.f) out_ += formatted("({:.9g}, {:.9g})", p.alpha, p.beta);
        continue;
      }
      if (p.kind == PostOp::Kind::binary_reversed) out_ += "reversed_";
      out_ += formatted("{}({})", function_name(p.binary), name(n.post_inputs[operand++]));
    }
    const std::string label = Graph::label(n);
    if (!n.onnx_type.empty()) out_ += "   # " + label;
    out_ += '\n';
    if (flow != nullptr) bodies(*flow);
  }

  void bodies(const ControlFlow& flow) {
    for (size_t b = 0; b < flow.bodies().size(); ++b) {
      out_ += flow.is_loop() ? "  body:\n" : b == 0 ? "  then:\n" : "  else:\n";
      const std::string text = Printer(flow.body(b), by_place_).run();
      for (size_t at = 0; at < text.size();) {
        const size_t end = text.find('\n', at) + 1;
        out_ += "    " + text.substr(at, end - at);
        at = end;
      }
    }
  }

  const Graph& g_;
  bool by_place_;
  std::unordered_map<ValueId, int> places_;
  std::string out_;
  std::set<ValueId> printed_;
  std::unordered_map<std::string, ValueId> owner_;
};

}  // namespace

std::string print_graph(const Graph& graph, bool by_place) { return Printer(graph, by_place).run(); }

}  // namespace anydim
