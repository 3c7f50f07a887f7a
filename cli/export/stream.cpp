// SPDX-License-Identifier: Apache-2.0
// A model by chunks as C: its two programs are bodies (bodies.cpp) that a stream runs one or the other of; kernels/stream.h computes which,
// and with which numbers. What is carried lies below their memory, twice: a run writes beside what it reads.
#include <algorithm>

#include "cli/export/merge.h"
#include "cli/export/writer.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

namespace {

std::string count_text(size_t n) { return formatted("{}", std::max<size_t>(n, 1)); }

}  // namespace

void Writer::add_chunks() {
  const Stream& s = *p_.stream;
  blocks_.emplace_back();
  int base = place_above("u8", {0, -1}, {});
  for (int program = 0; program < 2; ++program) {
    const Program& inner = *s.programs[program];
    if (inner.stages > 1) throw Unsupported("sizes that follow from data");
    Part part;
    part.inner = &inner;
    part.label = program == 0 ? "the edges of a stream" : "between the edges";
    part.block = begin_block(part.label);
    Merge merge(p_, inner, static_cast<int>(part.block));
    find_symbols(merge, program, &part);
    for (const Edge& e : inner.inputs) {
      const std::vector<Dim> dims = merge.dims(e.dims);
      part.inputs.push_back({dims, p_.dense_strides(dims)});
    }
    if (program == 0) base = place_carried(part, base);
    part.base = base;
    for (size_t i = 0; i < inner.outputs.size(); ++i) {
      if (!inner.outputs[i].row_major()) throw Unsupported(formatted("'{}' in a memory order other than row-major", inner.outputs[i].name));
      const std::vector<Dim> dims = merge.dims(inner.outputs[i].dims);
      part.outputs.push_back({dims, p_.dense_strides(dims)});
    }
    const auto at_most = [&](int output, int axis, int64_t most) {
      const Dim d = part.outputs[static_cast<size_t>(output)].dims[static_cast<size_t>(axis)];
      const Dim more = p_.make(SizeOp::less, {most, -1}, d);
      if (p_.most(more) > 0)
        blocks_[part.block].checks.push_back(
            {{p_.make(SizeOp::equal, more, {0, -1}), part.label, formatted("at most {} elements along the axis", most)}, 0, {}});
    };
    for (const Stream::Carry& c : s.carries) at_most(c.output, c.axis, c.most);
    for (size_t i = 0; i < s.outputs.size(); ++i)
      if (const int axis = s.outputs[i].axis; axis >= 0)
        at_most(static_cast<int>(i), axis, p_.outputs[i].dims[static_cast<size_t>(axis)].number);
    give_inputs(merge, &part);
    finish_block(merge, &part);
    chunks_.push_back(std::move(part));
  }
}

// The dims that a stream has from its beginning, and what each run finds.
void Writer::find_symbols(Merge& merge, int program, Part* part) {
  const Stream& s = *p_.stream;
  const Program& inner = *s.programs[program];
  const auto found = [&](Dim symbol, int64_t least, int64_t most, std::string text) {
    if (symbol.is_number() || inner.sizes[static_cast<size_t>(symbol.size)].op != SizeOp::symbol || merge.knows(symbol)) return;
    merge.found(symbol, least, most);
    part->found.push_back({symbol, least, most, std::move(text), nullptr});
  };
  for (size_t i = 0; i < s.model_inputs; ++i)
    for (size_t a = 0; a < inner.inputs[i].dims.size(); ++a) {
      if (static_cast<int>(a) == s.axis_of(i)) found(inner.inputs[i].dims[a], 0, s.most_chunk, "n->count");
      else merge.give(inner.inputs[i].dims[a], p_.inputs[i].dims[a]);
    }
  for (size_t c = 0; c < s.carries.size(); ++c)
    found(inner.inputs[static_cast<size_t>(s.carries[c].inputs[program])].dims[static_cast<size_t>(s.carries[c].axis)], 0,
          s.carries[c].most, formatted("n->held[{}]", c));
  const std::vector<int>& numbers = s.numbers[program].inputs;
  for (const InputElement& e : inner.input_elements) {
    const auto at = std::find(numbers.begin(), numbers.end(), e.input);
    if (at == numbers.end()) throw Unsupported("sizes that follow from the elements of an input");
    found(e.symbol, INT64_MIN, INT64_MAX, formatted("n->numbers[{}]", (at - numbers.begin()) * Stream::kNumbersOfInput + e.element));
  }
}

// Two buffers for each, above one another; the last of them.
int Writer::place_carried(const Part& edges, int base) {
  const Stream& s = *p_.stream;
  const auto place = [&](int input, int axis, int64_t most) {
    const Edge& e = edges.inner->inputs[static_cast<size_t>(input)];
    if (dtype_bytes(e.dtype) == 0) throw Unsupported(formatted("what is carried of dtype {}", e.dtype));
    if (!e.row_major()) throw Unsupported(formatted("'{}' in a memory order other than row-major", e.name));
    const std::vector<Dim>& dims = edges.inputs[static_cast<size_t>(input)].dims;
    Dim elements{axis >= 0 ? most : 1, -1};
    for (size_t a = 0; a < dims.size(); ++a)
      if (static_cast<int>(a) != axis) elements = p_.mul(elements, dims[a]);
    Carried c;
    c.bytes = p_.mul(bounded(elements), {dtype_bytes(e.dtype), -1});
    for (int& side : c.places) side = base = place_above(e.dtype, bounded(elements), {base});
    carried_.push_back(c);
  };
  for (const Stream::Carry& c : s.carries) place(c.inputs[0], c.axis, c.most);
  for (const Stream::State& c : s.states) place(c.inputs[0], -1, 0);
  return base;
}

size_t Writer::numbers_of_stream() const {
  const Stream& s = *p_.stream;
  return std::max<size_t>(std::max(s.numbers[0].inputs.size(), s.numbers[1].inputs.size()), 1) * Stream::kNumbersOfInput;
}

// Bytes of what a stream is besides its arena: the C struct, of numbers of 8 bytes.
int64_t Writer::stream_bytes() {
  const Stream& s = *p_.stream;
  const size_t numbers = std::max<size_t>(sizes_.fields().size(), 1) + 1 + 3 + std::max<size_t>(s.lines.size(), 1) +
                         2 * std::max<size_t>(s.carries.size(), 1) + numbers_of_stream();
  return static_cast<int64_t>((numbers * 8 + 63) / 64 * 64);
}

std::string Writer::stream_tables() const {
  const Stream& s = *p_.stream;
  std::string lines, sources, readers, carries, carry_readers, numbers[2];
  int first = 0;
  static const char* const kKinds[] = {"INPUT", "WINDOW", "TRANSPOSED", "PADDED", "CUT", "RESIZED", "JOINED", "ATTENDED"};
  static const char* const kWhat[] = {"MADE", "KEPT", "FIRST", "REST", "SKIP", "PAD_BEFORE", "PAD_AFTER", "POSITION", "ORIGIN", "FRESH"};
  for (const Stream::Line& l : s.lines) {
    lines += formatted("  {{LINE_{}, {}, {}, {}, {}, {}, {}, {}, {}, {}}}, /* {} */\n", kKinds[l.kind], l.round_up ? 1 : 0, first,
                       l.sources.size(), l.extent, l.stride, l.before, l.after, l.reach, l.least, comment(l.node));
    for (const int from : l.sources) sources += formatted("{}, ", from);
    first += static_cast<int>(l.sources.size());
  }
  for (const Stream::Reader& r : s.readers) readers += formatted("  {{{}, {}, {}, {}}},\n", r.carry, r.source, r.line, r.plain ? 1 : 0);
  first = 0;
  for (const Stream::Carry& c : s.carries) {
    carries += formatted("  {{{}, {}, {}}},\n", c.line, first, c.readers.size());
    for (const int r : c.readers) carry_readers += formatted("{}, ", r);
    first += static_cast<int>(c.readers.size());
  }
  for (int e = 0; e < 2; ++e)
    for (const auto& [what, of] : s.numbers[e].numbers) numbers[e] += formatted("  {{NUMBER_{}, {}}},\n", kWhat[what], of);
  std::string t = "/* Time lines: how many elements there are where others have come. */\nenum {";
  for (const char* const k : kKinds) t += formatted(" LINE_{},", k);
  t.back() = ' ';
  t += "};\nenum {";
  for (const char* const k : kWhat) t += formatted(" NUMBER_{},", k);
  t.back() = ' ';
  t += formatted("}};\nenum {{ LINE_COUNT = {}, CARRY_COUNT = {}, LINES = {}, CARRIES = {}, NUMBERS = {} }};\n", s.lines.size(),
                 s.carries.size(), count_text(s.lines.size()), count_text(s.carries.size()), numbers_of_stream());
  t += "typedef struct line {\n  int16_t kind, round_up, first, count; /* sources */\n  int32_t extent, stride, before, after, reach, "
       "least;\n} "
       "line;\ntypedef struct reader {\n  int16_t carry, source, line, plain;\n} reader;\ntypedef struct carry {\n  int16_t line, first, "
       "count; /* "
       "readers */\n} carry;\ntypedef struct number_of {\n  int16_t what, of;\n} number_of;\n";
  t += "static const line lines[] = {\n" + lines + "};\nstatic const int16_t sources[] = {" + sources + "0};\n";
  t += "static const reader readers[] = {\n" + readers + "  {0, 0, 0, 0}};\n";
  t += "static const carry carries[] = {\n" + carries + "  {0, 0, 0}};\nstatic const int16_t carry_readers[] = {" + carry_readers + "0};\n";
  for (int e = 0; e < 2; ++e)
    t += formatted("static const number_of numbers_{}[] = {{\n{}  {{0, 0}}}};\n", e == 0 ? "of_edges" : "between", numbers[e]);
  return t + "\n";
}

// Where inputs, outputs and what is carried are in a run of one of the programs, and what it leaves.
std::string Writer::chunk_places(int program) {
  const Stream& s = *p_.stream;
  const Part& part = chunks_[static_cast<size_t>(program)];
  std::string t;
  const auto set = [&](int buffer, const std::string& to) {
    if (buffer >= 0) t += formatted("    n.at[{}] = {};\n", buffer, to);
  };
  for (size_t i = 0; i < s.model_inputs; ++i)
    set(part.input_buffers[i], formatted("(char *)(uintptr_t){}", edge_name(p_.inputs[i], "x", i)));
  for (size_t k = 0; k < carried_.size(); ++k) {
    const bool state = k >= s.carries.size();
    const int input = state ? s.states[k - s.carries.size()].inputs[program] : s.carries[k].inputs[program];
    const int output = state ? s.states[k - s.carries.size()].output : s.carries[k].output;
    const auto [a, b] = std::pair(carried_[k].places[0], carried_[k].places[1]);
    set(part.input_buffers[static_cast<size_t>(input)], formatted("n.at[p->side ? {} : {}]", b, a));
    set(part.output_buffers[static_cast<size_t>(output)], formatted("n.at[p->side ? {} : {}]", a, b));
  }
  for (size_t k = 0; k < s.numbers[program].inputs.size(); ++k)
    set(part.input_buffers[static_cast<size_t>(s.numbers[program].inputs[k])],
        formatted("(char *)(p->numbers + {})", k * static_cast<size_t>(Stream::kNumbersOfInput)));
  for (size_t i = 0; i < s.outputs.size(); ++i) set(part.output_buffers[i], formatted("(char *){}", edge_name(p_.outputs[i], "y", i)));
  t += formatted("    failed = body_{}(&n);\n", part.block);
  const auto size = [&](int output, int axis) {
    const std::string v = sizes_.value(part.outputs[static_cast<size_t>(output)].dims[static_cast<size_t>(axis)]);
    return v.find("s[") == 0 ? "n." + v : v;
  };
  for (size_t i = 0; i < s.outputs.size(); ++i)
    t += formatted("    given[{}] = {};\n", i, s.outputs[i].axis < 0 ? "ends" : size(static_cast<int>(i), s.outputs[i].axis));
  for (size_t c = 0; c < s.carries.size(); ++c) t += formatted("    held[{}] = {};\n", c, size(s.carries[c].output, s.carries[c].axis));
  return t;
}

std::string Writer::stream_functions() {
  const Stream& s = *p_.stream;
  const std::string in_edges = chunk_places(0), between = chunk_places(1);
  std::string states;
  for (size_t k = s.carries.size(); k < carried_.size(); ++k) {
    std::string bytes = sizes_.value(carried_[k].bytes);
    if (bytes.find("s[") == 0) bytes = "n." + bytes;
    states += formatted("  if (!p->now.begun) memset(n.at[p->side ? {} : {}], 0, (size_t)({}));\n", carried_[k].places[1],
                        carried_[k].places[0], bytes);
  }
  std::string weights;
  const char* const arrays[] = {"f32", "i64", "i32", "i8", "u8"};
  for (int i = 0; i < 5; ++i)
    if (bases_.count(arrays[i]) > 0) weights += formatted("  n.at[{}] = (char *)(uintptr_t){}_{};\n", buffers() + 1 + i, name_, arrays[i]);
  std::string t = formatted(
      "/* A stream; its arena lies behind it. */\ntypedef struct stream {{\n  {}_dims_t dims;\n  int64_t side; /* which of the two places "
      "of what is "
      "carried is read */\n  progress now;\n  int64_t held[CARRIES], numbers[NUMBERS];\n}} stream;\nenum {{ HEAD = {} }};\ntypedef char "
      "stream_fits[sizeof(stream) <= HEAD ? 1 : -1];\n\n",
      name_, stream_bytes());
  t += formatted(
      "static int chunk(stream *p, int64_t count, int ends{}, int64_t *made) {{\n  network n;\n  progress after = p->now;\n  const int "
      "edges = ends || "
      "p->now.received < {};\n  const number_of *const list = edges ? numbers_of_edges : numbers_between;\n  const int listed = edges ? {} "
      ": {};\n  "
      "int64_t given[{}], held[CARRIES];\n  int failed, k;\n  const int status = check(&p->dims, n.s);\n  if (status != {}_OK) return "
      "status;\n",
      parameters(), s.settled, s.numbers[0].numbers.size(), s.numbers[1].numbers.size(), count_text(s.outputs.size()), big_);
  t += formatted(
      "  if (p->now.ended) return {0}_ENDED;\n  if (count < 0 || count > {0}_CHUNK) return {0}_BAD_COUNT;\n  advance(&after, count, "
      "ends);\n  if (ends && "
      "!ends_well(&after)) return {0}_BAD_END;\n  for (k = 0; k < listed; ++k) p->numbers[k] = number(&list[k], &p->now, &after, edges);\n "
      " n.numbers = "
      "p->numbers;\n  n.held = p->held;\n  n.count = count;\n{1}  place(&n, (char *)p + HEAD);\n  n.at[{2}] = (char *)p + HEAD;\n{3}{4}  "
      "held[0] = 0;\n  "
      "given[0] = 0;\n  if (edges) {{\n{5}  }} else {{\n{6}  }}\n",
      big_, checks_within_ ? "  n.status = 0;\n" : "", buffers(), weights, states, in_edges, between);
  t += formatted("  if (failed) return {}{}_BAD_DATA;\n", checks_within_ ? "n.status != 0 ? n.status : " : "", big_);
  t += formatted(
      "  for (k = 0; k < CARRY_COUNT; ++k) p->held[k] = held[k];\n  for (k = 0; made != NULL && k < {}; ++k) made[k] = given[k];\n  p->now "
      "= after;\n  "
      "p->side = 1 - p->side;\n  return {}_OK;\n}}\n\n",
      s.outputs.size(), big_);
  std::string nulls, others, passed;
  for (size_t i = 0; i < s.model_inputs; ++i) {
    const std::string name = edge_name(p_.inputs[i], "x", i);
    if (s.axis_of(i) < 0) nulls += formatted(" || {} == NULL", name);
    others += s.axis_of(i) < 0 ? formatted(" || {} == NULL", name) : formatted(" || (count > 0 && {} == NULL)", name);
    passed += s.axis_of(i) < 0 ? ", " + name : formatted(", (const {} *)stream_", c_type(p_.inputs[i].dtype));
  }
  for (size_t i = 0; i < s.outputs.size(); ++i) {
    const std::string name = edge_name(p_.outputs[i], "y", i);
    nulls += formatted(" || {} == NULL", name);
    others += formatted(" || {} == NULL", name);
    passed += ", " + name;
  }
  std::string same;
  each_edge([&](const Edge&, const std::string& name, bool) { same += ", " + name; });
  t += formatted(
      "size_t {0}_stream_bytes(const {0}_dims_t *dims) {{\n  network n;\n  if (check(dims, n.s) != {1}_OK) return 0;\n  place(&n, NULL);\n "
      " return HEAD + "
      "(n.bytes < 64 ? 64 : (size_t)n.bytes);\n}}\n\n"
      "int {0}_stream_open(const {0}_dims_t *dims, void *stream_) {{\n  network n;\n  const int status = check(dims, n.s);\n  if "
      "(status != {1}_OK) return "
      "status;\n  if (stream_ == NULL || ((uintptr_t)stream_ & 63) != 0) return {1}_BAD_ARENA;\n  ((stream *)stream_)->dims = *dims;\n  "
      "return "
      "{0}_stream_reset(stream_);\n}}\n\n"
      "int {0}_stream_reset(void *stream_) {{\n  stream *const p = (stream *)stream_;\n  if (p == NULL) return {1}_NULL;\n  p->side = 0;\n "
      " memset(&p->now, 0, "
      "sizeof p->now);\n  memset(p->held, 0, sizeof p->held);\n  memset(p->numbers, 0, sizeof p->numbers);\n  return {1}_OK;\n}}\n\n"
      "int {0}_stream_step(void *stream_, int64_t count{3}, int64_t *made) {{\n  if (stream_ == NULL{4}) return {1}_NULL;\n  return "
      "chunk((stream *)stream_, "
      "count, 0{5}, made);\n}}\n\n"
      "int {0}_stream_flush(void *stream_{6}, int64_t *made) {{\n  if (stream_ == NULL{7}) return {1}_NULL;\n  return chunk((stream "
      "*)stream_, 0, 1{8}, "
      "made);\n}}\n",
      name_, big_, 0, parameters(), others, same, parameters_of_flush(), nulls, passed);
  return t;
}

std::string Writer::parameters_of_flush() {
  std::string text;
  for (size_t i = 0; i < p_.inputs.size(); ++i)
    if (p_.stream->axis_of(i) < 0) text += formatted(", const {} *{}", c_type(p_.inputs[i].dtype), edge_name(p_.inputs[i], "x", i));
  for (size_t i = 0; i < p_.outputs.size(); ++i)
    text += formatted(", {} *{}", c_type(p_.outputs[i].dtype), edge_name(p_.outputs[i], "y", i));
  return text;
}

std::string Writer::stream_header() {
  const Stream& s = *p_.stream;
  std::string inputs, outputs;
  const auto dims = [](const Edge& e) {
    std::string text;
    for (const std::string& d : e.text) text += (text.empty() ? "" : ", ") + d;
    return comment(text);
  };
  for (size_t i = 0; i < s.model_inputs; ++i)
    inputs += formatted("     {} [{}]{}\n", edge_name(p_.inputs[i], "x", i), dims(p_.inputs[i]),
                        s.axis_of(i) < 0 ? ", the same in each step" : "");
  for (size_t i = 0; i < s.outputs.size(); ++i)
    outputs += formatted("     {}  {} [{}]{}\n", i, edge_name(p_.outputs[i], "y", i), dims(p_.outputs[i]),
                         s.outputs[i].axis < 0 ? ", which is there after the flush" : "");
  return formatted(
      "/* Bytes that a stream of these dims needs; 0 if they are refused. */\nsize_t {0}_stream_bytes(const {0}_dims_t *dims);\n\n"
      "/* Begins a stream in memory of so many bytes, aligned to 64, which belongs to it from then on. Returns a status. */\n"
      "int {0}_stream_open(const {0}_dims_t *dims, void *stream);\n\n"
      "/* The next elements of the inputs: `count` of them along the axis, 0 to {1}_CHUNK. Tensors are dense and row-major:\n{2}"
      "   Writes what they make computable, and how many elements along the axis that is into `made`, by output (null: not wanted):\n{3}"
      "   All together have the bits of the whole, whatever the chunks were. The first come after at most {4} elements. Returns a status;\n"
      "   unless it is 0 the stream is as it was. Streams in memory of their own may run at once. */\n"
      "int {0}_stream_step(void *stream, int64_t count{5}, int64_t *made);\n\n"
      "/* The end: what padding makes computable, and outputs that have no such axis (`made` is 1 for them). */\n"
      "int {0}_stream_flush(void *stream{6}, int64_t *made);\n\n"
      "/* Another sequence of the same dims. */\nint {0}_stream_reset(void *stream);\n\n",
      name_, big_, inputs, outputs, s.first_after, parameters(), parameters_of_flush());
}

}  // namespace anydim_cli::exporting
