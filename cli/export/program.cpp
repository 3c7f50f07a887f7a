// SPDX-License-Identifier: Apache-2.0
// Reads a program's file and computes what its sizes can be; see program.h.
#include "cli/export/program.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "cli/client.h"
#include "cli/export/merge.h"

namespace anydim_cli::exporting {

namespace {

using nlohmann::json;

constexpr int64_t kUnbounded = int64_t{1} << 62;

constexpr const char* kOps[] = {"symbol", "add", "sub",       "mul",   "floor_div", "ceil_div", "mod",
                                "min",    "max", "broadcast", "equal", "less",      "select",   "trunc_div"};

Dim read_dim(const json& j) {
  if (j.is_string()) return {0, std::stoi(j.get<std::string>())};
  return {j.get<int64_t>(), -1};
}
std::vector<Dim> read_dims(const json& j) {
  std::vector<Dim> dims;
  for (const json& d : j) dims.push_back(read_dim(d));
  return dims;
}

int64_t clamp(__int128 v) { return v > kUnbounded ? kUnbounded : v < -kUnbounded ? -kUnbounded : static_cast<int64_t>(v); }
int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0); }

std::pair<int64_t, int64_t> range_of(const Program& p, const Size& s) {
  const int64_t a0 = p.least(s.of[0]), a1 = p.most(s.of[0]), b0 = p.least(s.of[1]), b1 = p.most(s.of[1]);
  const auto corners = [](auto f, int64_t x0, int64_t x1, int64_t y0, int64_t y1) {
    const int64_t v[] = {f(x0, y0), f(x0, y1), f(x1, y0), f(x1, y1)};
    return std::pair(*std::min_element(v, v + 4), *std::max_element(v, v + 4));
  };
  const std::pair everything(-kUnbounded, kUnbounded);
  switch (s.op) {
    case SizeOp::symbol: return {s.min, s.max};
    case SizeOp::add: return {clamp(static_cast<__int128>(a0) + b0), clamp(static_cast<__int128>(a1) + b1)};
    case SizeOp::sub: return {clamp(static_cast<__int128>(a0) - b1), clamp(static_cast<__int128>(a1) - b0)};
    case SizeOp::mul: return corners([](int64_t a, int64_t b) { return clamp(static_cast<__int128>(a) * b); }, a0, a1, b0, b1);
    case SizeOp::floor_div: return b0 <= 0 ? everything : corners(floor_div, a0, a1, b0, b1);
    case SizeOp::ceil_div: return b0 <= 0 ? everything : corners([](int64_t a, int64_t b) { return -floor_div(-a, b); }, a0, a1, b0, b1);
    case SizeOp::trunc_div: return b0 <= 0 ? everything : corners([](int64_t a, int64_t b) { return a / b; }, a0, a1, b0, b1);
    case SizeOp::mod: return b0 <= 0 ? everything : std::pair(int64_t{0}, b1 - 1);
    case SizeOp::min: return {std::min(a0, b0), std::min(a1, b1)};
    case SizeOp::max: return {std::max(a0, b0), std::max(a1, b1)};
    case SizeOp::broadcast: return {std::min(a0, b0), std::max(a1, b1)};
    case SizeOp::equal: return {a0 == a1 && b0 == b1 && a0 == b0 ? 1 : 0, a1 < b0 || b1 < a0 ? 0 : 1};
    case SizeOp::less: return {a1 < b0 ? 1 : 0, a0 >= b1 ? 0 : 1};
    case SizeOp::select: return {std::min(a0, b0), std::max(a1, b1)};
  }
  return everything;
}

}  // namespace

Program::Program(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  file_.assign(std::istreambuf_iterator<char>(in), {});
  constexpr size_t kHead = 32;
  if (file_.size() < kHead || file_.compare(0, 16, "anydim program 1") != 0) throw Failure(path + " is no program");
  const size_t length = std::stoul(file_.substr(16, 15));
  const json j = json::parse(file_.begin() + kHead, file_.begin() + static_cast<std::ptrdiff_t>(kHead + length));
  constants_ = (kHead + length + 63) / 64 * 64;
  if (j.contains("plan")) {
    read_stream(j);
    return;
  }
  read(j);
  dense_inputs();
  find_ranges();
}

void Program::read(const json& j) {
  for (const json& s : j["sizes"]) {
    Size& size = sizes.emplace_back();
    const auto op = s["op"].get<std::string>();
    size.op = static_cast<SizeOp>(std::find_if(std::begin(kOps), std::end(kOps), [&](const char* k) { return op == k; }) - kOps);
    size.min = s["min"];
    size.max = s["max"];
    if (size.op == SizeOp::symbol) {
      size.name = s["name"];
      size.multiple_of = s["multiple_of"];
    } else {
      for (size_t i = 0; i < 3; ++i) size.of[i] = read_dim(s["of"][i]);
    }
  }
  read_edges(j);
  read_steps(j);
  results = j["results"].get<std::vector<int>>();
  stages = j["stages"];
  parameters = read_dims(j["parameters"]);
  for (const json& e : j["input_elements"]) input_elements.push_back({e["input"], e["element"], read_dim(e["symbol"])});
}

void Program::read_edges(const json& j) {
  for (const auto& [key, edges] : {std::pair("inputs", &inputs), std::pair("outputs", &outputs)})
    for (const json& e : j[key])
      edges->push_back({e["name"], e["dtype"], read_dims(e["dims"]), e["text"], read_dims(e["strides"]), e["optional"].get<int>() > 0,
                        e["cache"].get<int>() >= 0, e["order"]});
  for (const json& g : j["guards"]) guards.push_back({read_dim(g["condition"]), g["step"], g["message"]});
  for (const json& b : j["buffers"]) {
    Buffer& buffer = buffers.emplace_back();
    const auto kind = b["kind"].get<std::string>();
    buffer.kind = kind == "input"    ? Buffer::Kind::input
                  : kind == "output" ? Buffer::Kind::output
                  : kind == "arena"  ? Buffer::Kind::arena
                                     : Buffer::Kind::result;
    buffer.index = b["index"];
    buffer.dtype = b["dtype"];
    buffer.elements = read_dim(b["elements"]);
  }
  for (const json& p : j["places"]) places.push_back({p["buffer"], p["above"]});
  for (const json& t : j["tensors"])
    tensors.push_back({t["name"], t["dtype"], read_dims(t["dims"]), read_dims(t["strides"]), t["buffer"], read_dim(t["offset"]),
                       t.contains("constant") ? t["constant"].get<int64_t>() : -1});
}

namespace {

std::shared_ptr<Control> read_control(const json& j, void (*read_body)(Program*, const json&)) {
  auto made = std::make_shared<Control>();
  Control& c = *made;
  c.kind = j["kind"];
  c.sized_by_step = j["sized_by_step"].get<std::vector<int>>();
  c.initial = j["initial"].get<std::vector<int>>();
  c.count = j["count"];
  c.condition = j["condition"];
  c.has_condition = j["has_condition"].get<int>() != 0;
  c.most_iterations = read_dim(j["most_iterations"]);
  for (const json& s : j["slices"]) c.slices.push_back({s[0], s[1], s[2].get<int>() != 0});
  for (const json& s : j["stacks"]) c.stacks.push_back({s[0], s[1].get<int>() != 0});
  constexpr const char* kFrom[] = {"operand", "iteration", "carried", "slice"};
  for (const json& b : j["bodies"]) {
    Control::Body& body = c.bodies.emplace_back();
    body.parameters = b["parameters"].get<std::vector<int>>();
    for (const json& i : b["inputs"]) {
      const auto from = i["from"].get<std::string>();
      const auto* const at = std::find_if(std::begin(kFrom), std::end(kFrom), [&](const char* k) { return from == k; });
      body.inputs.push_back({static_cast<Control::Body::Input::From>(at - kFrom), i["index"]});
    }
    body.program = std::make_shared<Program>();
    read_body(body.program.get(), b["program"]);
  }
  return made;
}

}  // namespace

void Program::read_steps(const json& j) {
  for (const json& s : j["steps"]) {
    Step& step = steps.emplace_back();
    step.label = s["label"];
    step.type = s["type"];
    step.op = s["op"];
    step.operands = s["operands"].get<std::vector<int>>();
    step.inputs = s["inputs"];
    step.outputs = s["outputs"];
    step.post_ops = s.value("post_ops", "");
    step.math = s.value("math", "strict");
    step.quantization = s.value("quantization", "");
    if (!s.contains("control")) continue;
    step.parameters = read_dims(s["parameters"]);
    step.control = read_control(s["control"], [](Program* p, const json& of) { p->read(of); });
  }
}

void Program::dense_inputs() {
  const size_t given = sizes.size();
  for (Edge& e : inputs) {
    Dim stride{1, -1};
    for (size_t i = e.dims.size(); i-- > 0;) {
      if (const Dim s = e.strides[i];
          !s.is_number() && static_cast<size_t>(s.size) < given && sizes[static_cast<size_t>(s.size)].op == SizeOp::symbol) {
        Size& size = sizes[static_cast<size_t>(s.size)];
        size.op = SizeOp::mul;
        size.of = {stride, Dim{1, -1}, Dim{}};
        size.min = -kUnbounded;
        size.max = kUnbounded;
      }
      if (i > 0) {
        sizes.push_back({SizeOp::mul, {stride, e.dims[i], Dim{}}, -kUnbounded, kUnbounded, {}, 1, false, 0});
        stride = {0, static_cast<int>(sizes.size()) - 1};
      }
      if (const Dim d = e.dims[i]; !d.is_number() && sizes[static_cast<size_t>(d.size)].op == SizeOp::symbol)
        sizes[static_cast<size_t>(d.size)].assigned = true;
    }
  }
}

// Operands may come behind what is made of them, since strides of inputs were symbols: so often until nothing changes.
void Program::find_ranges() {
  for (bool changed = true; changed;) {
    changed = false;
    for (Size& s : sizes) {
      if (s.op == SizeOp::symbol) continue;
      const auto [least, most] = range_of(*this, s);
      if (least <= s.min && most >= s.max) continue;
      s.min = std::max(s.min, least);
      s.max = std::min(s.max, most);
      changed = true;
    }
  }
}

Dim Program::make(SizeOp op, Dim a, Dim b, Dim c) {
  a = folded(a);
  b = folded(b);
  c = folded(c);
  if (op == SizeOp::mul && a == Dim{1, -1}) return b;
  if (op == SizeOp::mul && b == Dim{1, -1}) return a;
  if (op == SizeOp::add && b == Dim{0, -1}) return a;
  if (op == SizeOp::equal && a == b) return {1, -1};
  for (size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i].op == op && sizes[i].of == std::array{a, b, c}) return folded({0, static_cast<int>(i)});
  sizes.push_back({op, {a, b, c}, -kUnbounded, kUnbounded, {}, 1, false, std::max({block_of(a), block_of(b), block_of(c)})});
  std::tie(sizes.back().min, sizes.back().max) = range_of(*this, sizes.back());
  return folded({0, static_cast<int>(sizes.size()) - 1});
}

namespace {

void read_plan(const json& j, Stream* s) {
  s->model_inputs = j["model_inputs"];
  s->settled = j["settled"];
  s->most_chunk = j["most_chunk"];
  s->first_after = j["first_after"];
  for (const json& l : j["lines"])
    s->lines.push_back({l["kind"], l["sources"].get<std::vector<int>>(), l["extent"], l["stride"], l["before"], l["after"], l["reach"],
                        l["least"], l["round_up"].get<int>() != 0, l["node"]});
  for (const auto& [key, list] : {std::pair("inputs", &s->inputs), std::pair("outputs", &s->outputs)})
    for (const json& e : j[key]) list->push_back({e[0], e[1], e[2]});
  for (const json& r : j["readers"]) s->readers.push_back({r[0], r[1], r[2], r[3].get<int>() != 0});
  for (const json& c : j["carries"])
    s->carries.push_back(
        {{c["inputs"][0], c["inputs"][1]}, c["output"], c["axis"], c["line"], c["readers"].get<std::vector<int>>(), c["most"]});
  for (const json& c : j["states"]) s->states.push_back({{c[0], c[1]}, c[2]});
  for (const auto& [key, numbers] : {std::pair("numbers_of_edges", &s->numbers[0]), std::pair("numbers_between", &s->numbers[1])}) {
    numbers->inputs = j[key]["inputs"].get<std::vector<int>>();
    for (const json& n : j[key]["numbers"]) numbers->numbers.emplace_back(n[0], n[1]);
  }
}

}  // namespace

// The edges are the model's; the dims along the axis are the most that a chunk makes them. Those that a caller chooses are the symbols in
// the other dims, which both programs have in the same places.
void Program::read_stream(const json& j) {
  stream = std::make_shared<Stream>();
  read_plan(j["plan"], stream.get());
  for (const auto& [key, at] : {std::pair("edges", 0), std::pair("between", 1)}) {
    stream->programs[at] = std::make_shared<Program>();
    stream->programs[at]->read(j[key]);
    stream->programs[at]->find_ranges();
  }
  const Program& first = *stream->programs[0];
  Merge merge(*this, first, 0);
  for (size_t i = 0; i < stream->model_inputs; ++i) {
    Edge e = first.inputs[i];
    for (size_t a = 0; a < e.dims.size(); ++a) {
      if (static_cast<int>(a) == stream->axis_of(i)) {
        e.dims[a] = {stream->most_chunk > 0 ? stream->most_chunk : kUnbounded, -1};
        e.text[a] = "count";
        continue;
      }
      if (const Dim d = e.dims[a]; !d.is_number() && first.sizes[static_cast<size_t>(d.size)].op == SizeOp::symbol) {
        const Size& s = first.sizes[static_cast<size_t>(d.size)];
        sizes.push_back({SizeOp::symbol, {}, s.min, s.max, s.name, s.multiple_of, true, 0});
        if (!merge.give(d, {0, static_cast<int>(sizes.size()) - 1})) sizes.pop_back();
      }
      e.dims[a] = merge.dim(e.dims[a]);
    }
    e.strides.clear();
    inputs.push_back(std::move(e));
  }
  for (size_t i = 0; i < stream->outputs.size(); ++i) {
    Edge e = first.outputs[i];
    for (size_t a = 0; a < e.dims.size(); ++a)
      if (static_cast<int>(a) != stream->outputs[i].axis) e.dims[a] = merge.dim(e.dims[a]);
      else {
        e.dims[a] = {std::max(first.most(e.dims[a]), stream->programs[1]->most(stream->programs[1]->outputs[i].dims[a])), -1};
        e.text[a] = "made";
      }
    outputs.push_back(std::move(e));
  }
}

std::vector<Dim> Program::dense_strides(const std::vector<Dim>& dims) {
  std::vector<Dim> strides(dims.size(), Dim{1, -1});
  for (size_t i = dims.size(); i-- > 1;) strides[i - 1] = mul(strides[i], dims[i]);
  return strides;
}

int64_t element_count(const std::vector<Dim>& dims) {
  int64_t n = 1;
  for (const Dim d : dims) n *= d.number;
  return n;
}

int dtype_bytes(const std::string& dtype) {
  if (dtype == "f32" || dtype == "i32") return 4;
  if (dtype == "i64") return 8;
  if (dtype == "i8" || dtype == "u8" || dtype == "bool") return 1;
  return 0;
}

float parse_real(const std::string& text) {
  if (text == "inf") return INFINITY;
  if (text == "-inf") return -INFINITY;
  if (text.find("nan") != std::string::npos) return NAN;
  float v = 0;
  std::from_chars(text.data(), text.data() + text.size(), v);
  return v;
}

namespace {

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (size_t begin = 0; begin <= text.size() && !text.empty();) {
    const size_t end = std::min(text.find(at, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

}  // namespace

Attributes::Attributes(const std::string& op) {
  for (const std::string& word : split(op, ' ')) {
    const size_t at = word.find('=');
    if (at == std::string::npos) op_ = word;
    else values_.emplace_back(word.substr(0, at), word.substr(at + 1));
  }
}
bool Attributes::has(const std::string& name) const {
  return std::any_of(values_.begin(), values_.end(), [&](const auto& v) { return v.first == name; });
}
std::string Attributes::word(const std::string& name) const {
  const auto found = std::find_if(values_.begin(), values_.end(), [&](const auto& v) { return v.first == name; });
  return found == values_.end() ? "" : found->second;
}
int64_t Attributes::integer(const std::string& name, int64_t otherwise) const { return has(name) ? std::stoll(word(name)) : otherwise; }
float Attributes::real(const std::string& name, float otherwise) const { return has(name) ? parse_real(word(name)) : otherwise; }
std::vector<int64_t> Attributes::integers(const std::string& name) const {
  std::vector<int64_t> values;
  for (const std::string& w : split(word(name), ',')) values.push_back(std::stoll(w));
  return values;
}
std::vector<float> Attributes::reals(const std::string& name) const {
  std::vector<float> values;
  for (const std::string& w : split(word(name), ',')) values.push_back(parse_real(w));
  return values;
}
std::vector<Dim> Attributes::dims(const std::string& name) const {
  std::vector<Dim> values;
  for (const std::string& w : split(word(name), ',')) {
    if (w[0] == '#') values.push_back({0, std::stoi(w.substr(1))});
    else values.push_back({std::stoll(w), -1});
  }
  return values;
}

std::vector<PostOp> parse_post_ops(const std::string& text) {
  std::vector<PostOp> posts;
  for (const std::string& word : split(text, ' ')) {
    PostOp& p = posts.emplace_back();
    const size_t open = word.find('(');
    p.function = word.substr(0, open);
    if (open == std::string::npos) continue;
    const std::vector<std::string> in = split(word.substr(open + 1, word.size() - open - 2), ',');
    p.tensor = in[0] == "t";
    p.reversed = p.tensor && in.size() == 2;
    if (p.tensor) continue;
    p.alpha = parse_real(in[0]);
    if (in.size() > 1) p.beta = parse_real(in[1]);
  }
  return posts;
}

}  // namespace anydim_cli::exporting
