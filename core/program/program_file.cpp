// SPDX-License-Identifier: Apache-2.0
// Writes a program as JSON with its constants behind it; see program_file.h.
#include "core/program/program_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <map>

#include "core/program/reference_values.h"

namespace anydim {

namespace {

constexpr char kMagic[] = "anydim program 1";  // with the length of the JSON in 15 digits and a line's end: 32 bytes
constexpr int64_t kConstantAlignment = 64;

const char* name_of(DimOp op) noexcept {
  constexpr const char* kNames[] = {"symbol", "add", "sub",       "mul",   "floor_div", "ceil_div", "mod",
                                    "min",    "max", "broadcast", "equal", "less",      "select",   "trunc_div"};
  return kNames[static_cast<size_t>(op)];
}

// Text of objects and lists; commas are set by what stands before.
class Json {
 public:
  Json& open(char bracket) {
    comma();
    text_ += bracket;
    return *this;
  }
  Json& close(char bracket) {
    text_ += bracket;
    return *this;
  }
  Json& key(const char* name) {
    comma();
    text_ += '"';
    text_ += name;
    text_ += "\":";
    return *this;
  }
  Json& number(int64_t n) {
    comma();
    text_ += formatted("{}", n);
    return *this;
  }
  Json& string(std::string_view s) {
    comma();
    text_ += '"';
    for (const char c : s) {
      if (c == '"' || c == '\\') text_ += '\\';
      if (static_cast<unsigned char>(c) < 0x20) text_ += formatted("\\u{:04x}", static_cast<unsigned>(c));
      else text_ += c;
    }
    text_ += '"';
    return *this;
  }
  // A number, or an expression as the text of its number.
  Json& dim(Dim d) { return d.is_number() ? number(d.number()) : string(formatted("{}", d.expr())); }
  template <class List> Json& dims(const List& list) {
    open('[');
    for (const Dim d : list) dim(d);
    return close(']');
  }
  template <class List> Json& numbers(const List& list) {
    open('[');
    for (const auto n : list) number(static_cast<int64_t>(n));
    return close(']');
  }
  std::string& text() noexcept { return text_; }
  const std::string& text() const noexcept { return text_; }

 private:
  void comma() {
    if (const char last = text_.empty() ? '[' : text_.back(); last != '[' && last != '{' && last != ':') text_ += ',';
  }
  std::string text_;
};

// The program's dims within the bounds.
Status narrow(const Program& p, const Bounds& bounds, DimPool* pool) {
  ANYDIM_TRY(check_bounds(p, bounds));
  for (size_t i = 0; i < bounds.size(); ++i)
    for (int d = 0; d < p.inputs[i].dims.rank; ++d) {
      const Dim dim = p.inputs[i].dims[d];
      if (dim.is_number() || pool->expr(dim.expr()).op != DimOp::symbol) continue;
      DimPromise promise = pool->expr(dim.expr()).promise;
      promise.min = std::max(promise.min, bounds[i].dims[d].min);
      promise.max = std::min(promise.max, bounds[i].dims[d].max);
      if (promise.min > promise.max)
        return invalid("bounds of input '{}' dim {} leave nothing for '{}'", p.inputs[i].name, d,
                       p.inputs[i].dim_text[static_cast<size_t>(d)]);
      pool->set_promise(dim.expr(), promise);
    }
  return {};
}

// Elements of tensors, each address once: of a program and of the bodies in it.
struct Constants {
  std::map<std::pair<const std::byte*, int64_t>, int64_t> places;
  std::vector<const ConstantTensor*> list;
  int64_t end = 0;

  int64_t place(const ConstantTensor& c) {
    const auto [place, first] = places.try_emplace({c.address(), c.bytes()}, end);
    if (first) {
      list.push_back(&c);
      end = round_up(end + c.bytes(), kConstantAlignment);
    }
    return place->second;
  }
};

// What is promised of the whole's inputs, for those of a program of chunks. Along streamed axes, and of its own inputs, it promises itself.
Bounds without_streamed_axes(const StreamingPlan& plan, const Program& p, const Bounds& whole) {
  Bounds made(p.inputs.size());
  for (size_t i = 0; i < p.inputs.size(); ++i)
    for (int a = 0; a < p.inputs[i].dims.rank; ++a) {
      const bool streamed = std::any_of(plan.inputs.begin(), plan.inputs.end(),
                                        [&](const StreamingPlan::Edge& e) { return static_cast<size_t>(e.index) == i && e.axis == a; });
      Interval range = p.dims.interval(p.inputs[i].dims[a]);
      range.min = std::max<int64_t>(range.min, 0);
      made[i].dims.push_back(i < plan.model_inputs && i < whole.size() && !streamed ? whole[i].dims[a] : range);
    }
  return made;
}

class Writer {
 public:
  Writer(const Program& p, const DimPool& pool, Json& json, Constants& constants)
      : p_(p), pool_(pool), json_(json), constants_(constants) {}

  void write() {
    json_.open('{');
    sizes();
    edges("inputs", p_.inputs);
    edges("outputs", p_.outputs);
    guards();
    buffers();
    tensors();
    steps();
    json_.key("results").numbers(p_.results);
    json_.key("constant_bytes").number(constants_.end).close('}');
  }

 private:
  void sizes() {
    json_.key("sizes").open('[');
    for (int32_t i = 0; i < pool_.size(); ++i) {
      const DimExpr& e = pool_.expr(i);
      json_.open('{').key("op").string(name_of(e.op)).key("min").number(e.range.min).key("max").number(e.range.max);
      if (e.op == DimOp::symbol) json_.key("name").string(e.name).key("multiple_of").number(e.promise.multiple_of);
      else json_.key("of").dims(std::initializer_list<Dim>{e.a, e.b, e.c});
      json_.close('}');
    }
    json_.close(']');
    json_.key("parameters")
        .dims(p_.parameters)
        .key("stages")
        .number(static_cast<int64_t>(p_.stages.size()))
        .key("input_elements")
        .open('[');
    for (const Program::InputElement& e : p_.input_elements)
      json_.open('{').key("input").number(e.input).key("element").number(e.element).key("symbol").dim(e.symbol).close('}');
    json_.close(']');
  }

  void edges(const char* key, const std::vector<Program::IoSpec>& list) {
    json_.key(key).open('[');
    for (const Program::IoSpec& e : list) {
      json_.open('{').key("name").string(e.name).key("dtype").string(dtype_name(e.dtype)).key("dims").dims(e.dims);
      json_.key("text").open('[');
      for (const std::string& t : e.dim_text) json_.string(t);
      json_.close(']')
          .key("strides")
          .dims(e.strides)
          .key("order")
          .numbers(e.order)
          .key("optional")
          .number(e.optional)
          .key("cache")
          .number(e.cache)
          .close('}');
    }
    json_.close(']');
  }

  void guards() {
    json_.key("guards").open('[');
    for (const Program::Stage& s : p_.stages)
      for (const Program::Guard& g : s.guards)
        json_.open('{').key("condition").dim(g.condition).key("step").string(g.step).key("message").string(g.message).close('}');
    json_.close(']');
  }

  // Buffers of the arena alone are planned: kernels' scratch is theirs who translate.
  void buffers() {
    std::vector<BufferLifetime> lifetimes;
    std::vector<int64_t> bytes;
    std::vector<int32_t> planned;
    const std::vector<int64_t> reference = reference_values(pool_);
    constexpr const char* kKinds[] = {"arena", "input", "output", "result"};
    json_.key("buffers").open('[');
    for (size_t b = 0; b < p_.buffers.size(); ++b) {
      const Program::Buffer& buffer = p_.buffers[b];
      json_.open('{').key("kind").string(kKinds[static_cast<size_t>(buffer.kind)]).key("index").number(buffer.index);
      json_.key("dtype").string(dtype_name(buffer.dtype)).key("elements").dim(buffer.elements).close('}');
      if (buffer.kind != Program::Buffer::Kind::arena || buffer.lifetime.last < buffer.lifetime.first) continue;
      planned.push_back(static_cast<int32_t>(b));
      lifetimes.push_back(buffer.lifetime);
      bytes.push_back(saturating_mul(std::max<int64_t>(value_of(buffer.elements, reference), 0), dtype_size(buffer.dtype)));
    }
    json_.close(']');
    const MemoryPlan plan(lifetimes, bytes);
    json_.key("places").open('[');  // in an order in which what lies below comes before
    for (size_t k = 0; k < planned.size(); ++k) {
      json_.open('{').key("buffer").number(planned[static_cast<size_t>(plan.order()[k])]).key("above").open('[');
      for (const int32_t j : plan.below(k)) json_.number(planned[static_cast<size_t>(j)]);
      json_.close(']').close('}');
    }
    json_.close(']');
  }

  void tensors() {
    json_.key("tensors").open('[');
    for (const Program::Tensor& t : p_.tensors) {
      json_.open('{').key("name").string(t.name).key("dtype").string(dtype_name(t.dtype)).key("dims").dims(t.dims);
      json_.key("buffer").number(t.buffer).key("offset").dim(t.offset).key("strides").dims(t.strides);
      if (t.constant && t.constant->bytes() >= 0) json_.key("constant").number(constants_.place(*t.constant));
      json_.close('}');
    }
    json_.close(']');
  }

  void steps() {
    json_.key("steps").open('[');
    for (const Program::Step& s : p_.steps) {
      json_.open('{').key("label").string(s.label).key("type").string(s.type);
      json_.key("operands").numbers(s.operands).key("inputs").number(s.inputs).key("outputs").number(s.outputs);
      if (const Primitive* const primitive = p_.primitive(s); primitive != nullptr) {
        OperatorPtr op = primitive->core()->op();
        if (!s.dim_attributes.empty()) op = op->with_dim_attributes(s.dim_attributes);
        json_.key("op").string(describe(*op)).key("post_ops").string(describe(primitive->attributes().post_ops));
        json_.key("math").string(math_name(primitive->attributes().mode));
        if (const auto& q = primitive->attributes().quantization; q) json_.key("quantization").string(describe(*q));
      } else if (s.transfer() != nullptr) {
        json_.key("op").string("transfer");
      } else {
        json_.key("op").string("control");
        control(s, p_.controls[static_cast<size_t>(s.control()->control)]);
      }
      json_.close('}');
    }
    json_.close(']');
  }

  // A branch or loop with its bodies, whose sizes, buffers and steps are programs of their own.
  void control(const Program::Step& s, const Control& c) {
    json_.key("parameters").dims(s.dim_attributes);
    json_.key("control").open('{').key("kind").string(name_of(c.kind)).key("sized_by_step").numbers(c.sized_by_step);
    json_.key("count").number(c.count).key("condition").number(c.condition).key("has_condition").number(c.has_condition ? 1 : 0);
    json_.key("initial").numbers(c.initial).key("most_iterations").dim(c.most_iterations).key("slices").open('[');
    for (const Control::Slice& slice : c.slices)
      json_.numbers(std::initializer_list<int32_t>{slice.operand, slice.axis, slice.reverse ? 1 : 0});
    json_.close(']').key("stacks").open('[');
    for (const Control::Stack& stack : c.stacks) json_.numbers(std::initializer_list<int32_t>{stack.axis, stack.reverse ? 1 : 0});
    json_.close(']').key("bodies").open('[');
    constexpr const char* kFrom[] = {"operand", "iteration", "carried", "slice"};
    for (const Body& body : c.bodies) {
      json_.open('{').key("parameters").numbers(body.parameters).key("inputs").open('[');
      for (const BodyInput& input : body.inputs)
        json_.open('{').key("from").string(kFrom[static_cast<size_t>(input.from)]).key("index").number(input.index).close('}');
      json_.close(']').key("program");
      Writer(*body.program, body.program->dims, json_, constants_).write();
      json_.close('}');
    }
    json_.close(']').close('}');
  }

  const Program& p_;
  const DimPool& pool_;
  Json& json_;
  Constants& constants_;
};

// The plan of a stream; names are those of streaming_plan.h.
class PlanWriter {
 public:
  PlanWriter(const StreamingPlan& plan, Json& json) : p_(plan), json_(json) {}

  void write() {
    json_.open('{').key("model_inputs").number(static_cast<int64_t>(p_.model_inputs));
    json_.key("settled").number(p_.settled).key("most_chunk").number(p_.most_chunk).key("first_after").number(p_.first_after);
    lines();
    for (const auto& [key, list] : {std::pair("inputs", &p_.inputs), std::pair("outputs", &p_.outputs)}) {
      json_.key(key).open('[');
      for (const StreamingPlan::Edge& e : *list) row({e.index, e.axis, e.line});
      json_.close(']');
    }
    json_.key("readers").open('[');
    for (const StreamingPlan::Reader& r : p_.readers) row({r.carry, r.source, r.line, r.plain ? 1 : 0});
    json_.close(']').key("carries").open('[');
    for (const StreamingPlan::Carry& c : p_.carries) {
      json_.open('{').key("inputs").numbers(std::initializer_list<int32_t>{c.edges_input, c.between_input}).key("output").number(c.output);
      json_.key("axis").number(c.axis).key("line").number(c.line).key("most").number(c.most).key("readers").numbers(c.readers).close('}');
    }
    json_.close(']').key("states").open('[');
    for (const StreamingPlan::State& s : p_.states) row({s.edges_input, s.between_input, s.output});
    json_.close(']');
    for (const auto& [key, numbers] : {std::pair("numbers_of_edges", &p_.edges), std::pair("numbers_between", &p_.between)}) {
      json_.key(key).open('{').key("inputs").numbers(numbers->inputs).key("numbers").open('[');
      for (const StreamingPlan::Number& n : numbers->numbers) row({static_cast<int32_t>(n.what), n.of});
      json_.close(']').close('}');
    }
    json_.close('}');
  }

 private:
  void row(std::initializer_list<int32_t> values) { json_.numbers(values); }
  void lines() {
    json_.key("lines").open('[');
    for (const TimeLine& l : p_.lines) {
      json_.open('{').key("kind").number(static_cast<int64_t>(l.kind)).key("sources").numbers(l.sources);
      json_.key("extent").number(l.extent).key("stride").number(l.stride).key("before").number(l.before).key("after").number(l.after);
      json_.key("reach").number(l.reach).key("least").number(l.least).key("round_up").number(l.round_up ? 1 : 0);
      json_.key("node").string(l.node).close('}');
    }
    json_.close(']');
  }

  const StreamingPlan& p_;
  Json& json_;
};

Status write_file(const Json& json, const Constants& constants, const std::string& path);

}  // namespace

Status write_streaming_program(const StreamingProgram& program, const Bounds* bounds, const std::string& path) {
  Json json;
  Constants constants;
  json.open('{').key("plan");
  PlanWriter(program.plan, json).write();
  for (const auto& [key, part] : {std::pair("edges", program.edges.get()), std::pair("between", program.between.get())}) {
    DimPool pool = part->dims;
    if (bounds != nullptr) ANYDIM_TRY(narrow(*part, without_streamed_axes(program.plan, *part, *bounds), &pool));
    json.key(key);
    Writer(*part, pool, json, constants).write();
  }
  json.close('}');
  json.text() += '\n';
  return write_file(json, constants, path);
}

Status write_program(const Program& program, const Bounds* bounds, const std::string& path) {
  DimPool pool = program.dims;
  if (bounds != nullptr) ANYDIM_TRY(narrow(program, *bounds, &pool));
  Json json;
  Constants constants;
  Writer(program, pool, json, constants).write();
  json.text() += '\n';
  return write_file(json, constants, path);
}

namespace {

Status write_file(const Json& json, const Constants& constants, const std::string& path) {
  std::FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return error(Code::io_error, "'{}' cannot be written: {}", path, std::strerror(errno));
  bool good = true;
  int64_t at = 0;
  const auto put = [&](const void* data, int64_t bytes) {
    good = good && (bytes == 0 || std::fwrite(data, static_cast<size_t>(bytes), 1, file) == 1);
    at += bytes;
  };
  const auto pad = [&] {
    constexpr char kZeros[kConstantAlignment] = {};
    put(kZeros, round_up(at, kConstantAlignment) - at);
  };
  const std::string head = formatted("{}{:>15}\n", kMagic, json.text().size());
  put(head.data(), static_cast<int64_t>(head.size()));
  put(json.text().data(), static_cast<int64_t>(json.text().size()));
  pad();
  for (const ConstantTensor* const c : constants.list) {
    put(c->address(), c->bytes());
    pad();
  }
  const int reason = errno;
  if (std::fclose(file) != 0 || !good) return error(Code::io_error, "'{}' cannot be written: {}", path, std::strerror(reason));
  return {};
}

}  // namespace

}  // namespace anydim
