// SPDX-License-Identifier: Apache-2.0
// Reading a graph's text form: for tests, which write small graphs by hand.
#include <cstdlib>
#include <map>

#include "core/graph/testing/graph_text.h"
#include "core/ops/text.h"

namespace anydim {

namespace {

std::string_view trim(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\t' || s.back() == '\r')) s.remove_suffix(1);
  return s;
}

// Splits at `sign` outside brackets.
std::vector<std::string_view> split(std::string_view s, char sign) {
  std::vector<std::string_view> parts;
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= s.size(); ++i) {
    if (i < s.size() && (s[i] == '(' || s[i] == '[')) ++depth;
    if (i < s.size() && (s[i] == ')' || s[i] == ']')) --depth;
    if (i == s.size() || (s[i] == sign && depth == 0)) {
      parts.push_back(trim(s.substr(start, i - start)));
      start = i + 1;
    }
  }
  if (parts.size() == 1 && parts[0].empty()) parts.clear();
  return parts;
}

// sum := product {(+|-) product}; product := operand {(*|//|%) operand}; operand := number | name | ( sum ) | f(sum, sum)
class DimReader {
 public:
  DimReader(Graph& g, std::string_view s) : g_(g), s_(s) {}
  bool read(Dim* out) {
    *out = sum();
    skip();
    return good_ && s_.empty();
  }

 private:
  void skip() { s_ = trim(s_); }
  bool take(std::string_view sign) {
    skip();
    if (!s_.starts_with(sign)) return false;
    s_.remove_prefix(sign.size());
    return true;
  }
  Dim sum() {
    Dim d = product();
    for (;;) {
      if (take("+")) d = g_.dims.add(d, product());
      else if (take("-")) d = g_.dims.sub(d, product());
      else return d;
    }
  }
  Dim product() {
    Dim d = operand();
    for (;;) {
      if (take("*")) d = g_.dims.mul(d, operand());
      else if (take("//")) d = g_.dims.floor_div(d, operand());
      else if (take("%")) d = g_.dims.mod(d, operand());
      else return d;
    }
  }
  // Within brackets within brackets.
  Dim operand() {
    constexpr int kDeepest = 100;
    if (depth_ >= kDeepest) {
      s_ = {};
      return good_ = false, Dim(0);
    }
    ++depth_;
    const Dim d = operand_inside();
    --depth_;
    return d;
  }
  Dim operand_inside() {
    if (take("(")) {
      const Dim d = sum();
      good_ = take(")") && good_;
      return d;
    }
    if (take("-")) return g_.dims.sub(0, operand());
    skip();
    size_t n = 0;
    while (n < s_.size() && (std::isalnum(static_cast<unsigned char>(s_[n])) || s_[n] == '_' || s_[n] == '.')) ++n;
    const std::string word(s_.substr(0, n));
    s_.remove_prefix(n);
    if (word.empty()) return good_ = false, Dim(0);
    if (std::isdigit(static_cast<unsigned char>(word[0]))) return std::strtoll(word.c_str(), nullptr, 10);
    if ((word == "min" || word == "max" || word == "broadcast") && take("(")) {
      const Dim a = sum();
      good_ = take(",") && good_;
      const Dim b = sum();
      good_ = take(")") && good_;
      return word == "min" ? g_.dims.min(a, b) : word == "max" ? g_.dims.max(a, b) : g_.dims.broadcast(a, b);
    }
    return g_.named_symbol(word);
  }
  Graph& g_;
  std::string_view s_;
  bool good_ = true;
  int depth_ = 0;
};

class Reader {
 public:
  explicit Reader(Graph& g) : g_(g) {}

  Status line(std::string_view s) {
    if (const size_t comment = s.find('#'); comment != std::string_view::npos) s = s.substr(0, comment);
    s = trim(s);
    if (s.empty() || s.starts_with("guard ")) return {};
    if (s.starts_with("input ")) return input(s.substr(6));
    if (s.starts_with("const ")) return constant(s.substr(6));
    if (s.starts_with("output ")) return output(s.substr(7));
    return node(s);
  }

 private:
  Status dims(std::string_view s, SymDims* out) {
    if (s.size() < 2 || s.front() != '[' || s.back() != ']') return invalid("`{}` is no list in brackets", s);
    for (std::string_view part : split(s.substr(1, s.size() - 2), ',')) {
      Dim d;
      if (!DimReader(g_, part).read(&d)) return invalid("`{}` is no dim", part);
      out->push_back(d);
    }
    return {};
  }

  Status type(std::string_view s, TensorType* out) {
    const size_t bracket = s.find('[');
    const std::string_view name = trim(s.substr(0, bracket));
    for (int t = 1; t <= kLastDType; ++t)
      if (name == dtype_name(static_cast<DType>(t))) out->dtype = static_cast<DType>(t);
    if (out->dtype == DType::none || bracket == std::string_view::npos) return invalid("`{}` is no type", s);
    return dims(trim(s.substr(bracket)), &out->dims);
  }

  Status input(std::string_view s) {
    const size_t colon = s.find(':');
    if (colon == std::string_view::npos) return invalid("an input without a type");
    TensorType t;
    ANYDIM_TRY(type(trim(s.substr(colon + 1)), &t));
    const std::string name(trim(s.substr(0, colon)));
    names_[name] = g_.add_input(name, t);
    return {};
  }

  Status constant(std::string_view s) {
    const size_t colon = s.find(':'), equals = s.rfind('=');
    if (colon == std::string_view::npos || equals == std::string_view::npos) return invalid("a constant without type or value");
    TensorType t;
    ANYDIM_TRY(type(trim(s.substr(colon + 1, equals - colon - 1)), &t));
    Dims d;
    for (Dim x : t.dims) d.push_back(x.number());
    std::vector<double> values;
    for (std::string_view word : split(s.substr(equals + 1), ' '))
      if (!word.empty()) values.push_back(std::strtod(std::string(word).c_str(), nullptr));
    const auto count = static_cast<size_t>(element_count(d));
    if (values.size() == 1) values = std::vector(count, values[0]);  // assign may not take an element of its own
    if (values.size() != count) return invalid("{} values given; expected {}", values.size(), count);
    const std::string name(trim(s.substr(0, colon)));
    const auto make = [&]<class T>(T) {
      const std::vector<T> typed(values.begin(), values.end());
      return ConstantTensor::copy(t.dtype, d, typed.data());
    };
    ConstantPtr c;
    switch (t.dtype) {
      case DType::f32: c = make(float{}); break;
      case DType::f64: c = make(double{}); break;
      case DType::i64: c = make(int64_t{}); break;
      case DType::i32: c = make(int32_t{}); break;
      case DType::boolean: {
        const std::vector<uint8_t> typed(values.begin(), values.end());
        c = ConstantTensor::copy(t.dtype, d, typed.data());
        break;
      }
      default: return invalid("constants of {} cannot be written", dtype_name(t.dtype));
    }
    names_[name] = g_.add_constant(name, std::move(c));
    return {};
  }

  Status find(std::string_view name, ValueId* out) {
    *out = kNoValue;
    if (name == "-") return {};
    const auto at = names_.find(std::string(name));
    if (at == names_.end()) return invalid("there is no value `{}`", name);
    *out = at->second;
    return {};
  }

  Status output(std::string_view s) {
    const size_t as_at = s.find(" as ");
    ValueId v;
    ANYDIM_TRY(find(trim(s.substr(0, as_at)), &v));
    g_.add_output(v, std::string(trim(as_at == std::string_view::npos ? s : s.substr(as_at + 4))));
    return {};
  }

  // y: type, z = name(a, b) key=value ... | step(t) | step
  Status node(std::string_view s) {
    const size_t equals = s.find(" = ");
    if (equals == std::string_view::npos) return invalid("`{}` is neither a node nor a declaration", s);
    std::vector<std::string_view> steps = split(s.substr(equals + 3), '|');
    std::string_view call = steps[0];
    const size_t open = call.find('('), close = call.find(')');
    if (open == std::string_view::npos || close == std::string_view::npos) return invalid("`{}` is no call", call);
    std::vector<ValueId> inputs;
    for (std::string_view name : split(call.substr(open + 1, close - open - 1), ',')) {
      ValueId v;
      ANYDIM_TRY(find(name, &v));
      inputs.push_back(v);
    }
    const std::string_view name_of_op = trim(call.substr(0, open));
    OpKind kind;
    if (!find_operator(name_of_op, &kind)) return invalid("`{}` is no operator", name_of_op);
    OperatorPtr op;
    ANYDIM_TRY(parse_operator(kind, call, close + 1, read_dims, this, &op));
    const std::vector<std::string_view> outputs = split(s.substr(0, equals), ',');
    const std::string name(trim(outputs.at(0).substr(0, outputs[0].find(':'))));
    auto made = g_.add_node(op, inputs, name);
    if (!made.ok()) return made.take_status();
    for (size_t i = 0; i < outputs.size() && i < made->size(); ++i)
      names_[std::string(trim(outputs[i].substr(0, outputs[i].find(':'))))] = (*made)[i];
    for (size_t i = 1; i < steps.size(); ++i) ANYDIM_TRY(step(g_.value((*made)[0]).producer, steps[i]));
    return {};
  }

  Status step(NodeId id, std::string_view s) {
    const size_t open = s.find('(');
    std::string_view name = trim(s.substr(0, open));
    std::vector<std::string_view> args;
    if (open != std::string_view::npos) args = split(s.substr(open + 1, s.rfind(')') - open - 1), ',');
    PostOp p;
    ValueId operand = kNoValue;
    if (parse_function(name, &p.unary)) {
      if (args.size() > 0) p.alpha = std::strtof(std::string(args[0]).c_str(), nullptr);
      if (args.size() > 1) p.beta = std::strtof(std::string(args[1]).c_str(), nullptr);
    } else {
      p.kind = PostOp::Kind::binary;
      if (name.starts_with("reversed_")) {
        p.kind = PostOp::Kind::binary_reversed;
        name.remove_prefix(9);
      }
      if (!parse_function(name, &p.binary) || args.size() != 1) return invalid("`{}` is no post-op", s);
      ANYDIM_TRY(find(args[0], &operand));
    }
    return g_.append_post_op(id, p, operand) ? Status() : invalid("more than {} post-ops", kMaxPostOps);
  }

  static bool read_dims(void* reader, std::string_view text, std::vector<Dim>* out) {
    SymDims read;
    if (!static_cast<Reader*>(reader)->dims(text, &read).ok()) return false;
    out->assign(read.begin(), read.end());
    return true;
  }

  Graph& g_;
  std::map<std::string, ValueId> names_;
};

}  // namespace

Status parse_graph(std::string_view text, Graph* out) {
  *out = Graph();
  Reader reader(*out);
  int number = 0;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    ++number;
    if (Status s = reader.line(text.substr(0, end)); !s.ok()) return std::move(s).at(formatted("line {}", number));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return out->verify();
}

}  // namespace anydim
