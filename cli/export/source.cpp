// SPDX-License-Identifier: Apache-2.0
// The source of an exported model: sizes, memory, tables of tensors, and the calls of the kernels in the order of the steps.
#include <algorithm>

#include "cli/export/writer.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

namespace {

constexpr const char* kValue =
    "/* A number as it is, or a size, as -1 - its place. */\nstatic int64_t value(const network *n, int32_t r) { return r >= 0 ? r : "
    "n->s[-1 "
    "- r]; }\n\n";

// Puts values in place of @0@, @1@, ...: C text has braces of its own.
std::string filled(std::string text, const std::vector<std::string>& values) {
  for (size_t i = 0; i < values.size(); ++i) {
    const std::string word = formatted("@{}@", i);
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += values[i].size()) text.replace(at, word.size(), values[i]);
  }
  return text;
}

// 0: buffers and one more; 1: the table; 2: its rows; 3: bytes of the scratch.
constexpr const char* kPlace =
    R"(/* Buffers of the arena: which, elements, bytes of an element, and above which others it lies. Offsets are longest paths, so that no dims
   within the bounds need more than the bounds do. */
static const int32_t places[] = {
@1@  0};

static void place(network *n, char *arena) {
  int64_t end[@0@] = {0};
  const int32_t *p = places;
  int i;
  n->bytes = 0;
  for (i = 0; i < @2@; ++i) {
    const int32_t buffer = p[0], above = p[3];
    const int64_t count = value(n, p[1]), bytes = count <= 0 ? 0 : (count * p[2] + 63) & ~INT64_C(63);
    int64_t at = 0;
    int32_t k;
    p += 4;
    for (k = 0; k < above; ++k)
      if (end[p[k]] > at) at = end[p[k]];
    p += above;
    if (arena != NULL) n->at[buffer] = arena + at;
    end[buffer] = at + bytes;
    if (end[buffer] > n->bytes) n->bytes = end[buffer];
  }
  if (arena != NULL) n->scratch = arena + n->bytes;
  n->bytes += @4@(@3@ + 63) & ~INT64_C(63)@5@;
}

)";

// 0: the name; 1: in capitals; 2: slots; 3: cases of the outputs.
constexpr const char* kQuestions = R"(size_t @0@_bytes(const @0@_dims_t *dims) {
  network n;
  if (check(dims, n.s) != @1@_OK) return 0;
  place(&n, NULL);
  return n.bytes < 64 ? 64 : (size_t)n.bytes;
}

int @0@_output_dims(const @0@_dims_t *dims, int output, int64_t *to) {
  int64_t s[@2@];
  const int status = check(dims, s);
  (void)to;
  if (status != @1@_OK) return status;
  switch (output) {
@3@    default: return @1@_NULL;
  }
}

)";

// 0: the name; 1: operands of a step at most.
constexpr const char* kStep =
    R"(static char *address(const network *n, int operand) {
  const spec *const s = &tensors[operands[operand]];
  return n->at[s->buffer] + value(n, s->offset) * s->size;
}

static @0@_tensor tensor_of(const network *n, int operand) {
  const spec *const s = &tensors[operands[operand]];
  @0@_tensor t;
  int axis;
  t.data = address(n, operand);
  t.rank = s->rank;
  t.size = s->size;
  for (axis = 0; axis < s->rank; ++axis) {
    t.dims[axis] = value(n, s->dims[axis]);
    t.strides[axis] = value(n, s->strides[axis]);
  }
  return t;
}

)";

// 0, 1 as before.
constexpr const char* kOneThread =
    R"(static int step(const network *n, @0@_kernel *kernel, const void *attributes, int first, int count) {
  @0@_tensor t[@1@];
  int i;
  for (i = 0; i < count; ++i) t[i] = tensor_of(n, first + i);
  return kernel(attributes, t, n->scratch);
}

)";

// 0: the name; 1: operands of a step at most; 2: parts at most; 3: bytes of the scratch.
constexpr const char* kShared =
    R"(/* A step that several threads share: each has a part of an axis of the result, and scratch of its own. */
enum { CUT_VIEWS, CUT_OUTPUTS, CUT_GROUPS, CUT_COLUMNS };
typedef struct shared_step {
  const network *n;
  @0@_kernel *kernel;
  const void *attributes;
  @0@_tensor t[@1@];
  const int8_t *axes;
  int count, rule;
  int64_t extent, each, weights;
  int failed[@2@];
} shared_step;

static void run_part(void *step_, int index) {
  shared_step *const s = (shared_step *)step_;
  const int64_t first = s->each * index, last = first + s->each < s->extent ? first + s->each : s->extent, offset = first * s->weights;
  char *const scratch = (char *)s->n->scratch + ((@3@ + 63) & ~INT64_C(63)) * index;
  @0@_tensor t[@1@];
  int i;
  if (index < 0 || index >= @2@ || first >= last) return;
  for (i = 0; i < s->count; ++i) {
    const int axis = s->axes[i];
    t[i] = s->t[i];
    if (axis < 0 || t[i].dims[axis] != s->extent) continue;
    t[i].data += first * t[i].strides[axis] * t[i].size;
    t[i].dims[axis] = last - first;
  }
  if (s->rule == CUT_OUTPUTS || s->rule == CUT_GROUPS) {
    @0@_convolution_attributes part = *(const @0@_convolution_attributes *)s->attributes;
    part.weights += offset;
    if (part.bias != NULL) part.bias += first;
    if (s->rule == CUT_OUTPUTS) part.window.outputs = (int32_t)(last - first);
    else part.window.group = (int32_t)(last - first);
    s->failed[index] = s->kernel(&part, t, scratch);
  } else if (s->rule == CUT_COLUMNS) {
    @0@_matmul_attributes part = *(const @0@_matmul_attributes *)s->attributes;
    part.weights += offset;
    if (part.bias != NULL) part.bias += first;
    s->failed[index] = s->kernel(&part, t, scratch);
  } else {
    s->failed[index] = s->kernel(s->attributes, t, scratch);
  }
}

static int shared(const network *n, @0@_kernel *kernel, const void *attributes, int first, int count, int rule, int result, int64_t weights) {
  enum { LEAST = 16384 }; /* products or elements, below which one thread is faster */
  shared_step s;
  int64_t work = weights > 0 ? weights : 1;
  int i, parts, failed = 0;
  s.axes = axes + first;
  for (i = 0; i < count; ++i) s.t[i] = tensor_of(n, first + i);
  s.extent = s.t[result].dims[s.axes[result]];
  for (i = 0; i < s.t[result].rank; ++i) work *= s.t[result].dims[i];
  if (n->parallel_for == NULL || s.extent < 2 || work < LEAST) return kernel(attributes, s.t, n->scratch);
  s.each = (s.extent + @2@ - 1) / @2@;
  if (rule != CUT_VIEWS) s.each = (s.each + 15) / 16 * 16; /* a panel of weights */
  parts = (int)((s.extent + s.each - 1) / s.each);
  if (parts < 2) return kernel(attributes, s.t, n->scratch);
  s.n = n;
  s.kernel = kernel;
  s.attributes = attributes;
  s.count = count;
  s.rule = rule;
  s.weights = weights;
  for (i = 0; i < parts; ++i) s.failed[i] = 0;
  n->parallel_for(n->user, run_part, &s, parts);
  for (i = 0; i < parts; ++i) failed |= s.failed[i];
  return failed;
}

)";

constexpr const char* kWhole =
    R"(/* A whole number of 4 or 8 bytes. */
static int64_t whole(const char *from, int size) {
  int64_t wide = 0;
  int32_t narrow = 0;
  if (size == 8) memcpy(&wide, from, sizeof wide);
  else memcpy(&narrow, from, sizeof narrow);
  return size == 8 ? wide : narrow;
}

)";

std::string number(size_t n) { return formatted("{}", n); }

}  // namespace

std::string Writer::source() {
  // Everything that asks for a slot comes before the code of the sizes is complete.
  int place_count = 0, statuses = 0;
  const std::string places = place_table(&place_count), scratch = sizes_.value(scratch_),
                    outputs = p_.stream == nullptr ? output_cases() : "", stream_chunks = p_.stream != nullptr ? stream_functions() : "";
  std::string texts;
  std::vector<std::string> calls;
  const std::string checked = checks(&texts, &statuses), slots = formatted("{}", std::max(sizes_.slots(), 1));
  std::string t =
      formatted("/* {}, exported by `anydim export`: sizes, memory, and the steps in their order; see {}.h. */\n#include \"{}.h\"\n\n",
                from_, name_, name_);
  const bool streams = p_.stream != nullptr, threads = names_.threads > 1;
  if (blocks_.size() > 1) t += "#include <string.h>\n\n";
  t += formatted("#define {}_RANK {}\n#include \"{}_kernels.h\"\n#include \"{}_weights.h\"\n\n", big_, std::max(rank_, 5), name_, name_);
  t += formatted("#define F32(at) ({0}_f32 + (at))\n#define I32(at) ({0}_i32 + (at))\n#define I8(at) ({0}_i8 + (at))\n\n", name_);
  t += formatted(
      "typedef struct network {{\n  int64_t s[{}];    /* sizes that follow from the dims */\n  char *at[{}];     /* where buffers begin, "
      "then weights */\n  void *scratch;\n  int64_t bytes;\n{}{}{}}} network;\n\n",
      slots, buffers() + 6, checks_within_ ? "  int status;       /* why a body did not run, or 0 */\n" : "",
      threads ? formatted("  {}_parallel_for *parallel_for; /* null: one thread */\n  void *user;\n", name_) : std::string(),
      streams ? "  const int64_t *numbers, *held; /* of this step: see number(); elements of what is carried */\n  int64_t count;\n" : "");
  if (sizes_.divides()) t += "static int64_t floor_div(int64_t a, int64_t b) { return b <= 0 ? 0 : a / b - (a % b < 0 ? 1 : 0); }\n\n";
  t += formatted("static void find_sizes(const {}_dims_t *d, int64_t *s) {{\n  (void)d;\n  (void)s;\n{}}}\n\n", name_, sizes_.code());
  t += checked;
  t += formatted(
      "const char *{}_status_text(int status) {{\n  static const char *const texts[] = {{\n  \"fine\",\n  \"the arena is null or not "
      "aligned to 64 bytes\",\n  \"dims or a tensor are null, or there is no such output\",\n  \"an index or a length in the data is out "
      "of range; outputs hold nothing of use\",\n{}{}  }};\n  return status >= 0 && status < {} ? texts[status] : \"no status of this "
      "network\";\n}}\n\n",
      name_,
      streams ? "  \"the stream has ended; reset begins another\",\n  \"the count is negative or larger than a chunk may be\",\n  "
                "\"lengths do not go "
                "together at the end of the stream\",\n"
              : "",
      texts, statuses);
  t += kValue;
  t += filled(kPlace,
              {formatted("{}", buffers() + 1), places, formatted("{}", place_count), scratch.find("s[") == 0 ? "n->" + scratch : scratch,
               threads ? formatted("{} * (", names_.threads) : "", threads ? ")" : ""});
  if (!streams) t += filled(kQuestions, {name_, big_, slots, outputs});
  t += tables();
  const std::vector<std::string> widest = {name_, number(static_cast<size_t>(std::max(most_operands_, 1)))};
  t += filled(kStep, widest);
  // Loops copy what they carry.
  if (std::any_of(calls_.begin(), calls_.end(), [](const Call& c) { return c.cut.rule == Cut::Rule::none && !c.kernel.empty(); }))
    t += filled(kOneThread, widest);
  if (threads && cuts_)
    t += filled(kShared, {name_, number(static_cast<size_t>(std::max(most_operands_, 1))), number(static_cast<size_t>(names_.threads)),
                          scratch.find("s[") == 0 ? "s->n->" + scratch : scratch});
  if (reads_elements_) t += kWhole;
  t += attributes_and_calls(&calls) + "\n";
  if (!streams) return t + block_function(0, calls) + run_function();
  return t + block_function(1, calls) + block_function(2, calls) + stream_tables() + renamed(kernel_source("stream.h"), name_) +
         stream_chunks;
}

// The function that says whether the network can run at these dims; sentences of its statuses, and how many statuses there are.
std::string Writer::checks(std::string* texts, int* statuses) {
  std::string bounds, guards;
  int status = p_.stream != nullptr ? 7 : 4;
  for (const SizeCode::Field& f : sizes_.fields()) {
    const Size& s = p_.sizes[static_cast<size_t>(f.size)];
    bounds += formatted("  if (d->{0} < {1} || d->{0} > {2}{3}) return {4}_BAD_{5};\n", f.name, literal(s.min), literal(s.max),
                        s.multiple_of > 1 ? formatted(" || d->{} % {} != 0", f.name, s.multiple_of) : "", big_, upper(f.name));
    *texts += formatted("  \"{} ({}) is out of bounds; expected {} to {}{}\",\n", f.name, quoted(f.text), s.min, s.max,
                        s.multiple_of > 1 ? formatted(", a multiple of {}", s.multiple_of) : "");
    ++status;
  }
  for (const Guard& g : p_.guards) {
    if (p_.least(g.condition) >= 1) continue;
    guards += formatted("  if ({} != 1) return {};\n", sizes_.value(g.condition), status++);
    *texts += formatted("  \"{}: {}\",\n", quoted(g.step), quoted(g.message));
  }
  for (size_t b = 1; b < blocks_.size(); ++b)
    for (Block::Check& c : blocks_[b].checks) {
      c.condition = sizes_.value(c.guard.condition);
      c.status = status++;
      checks_within_ = true;
      const Guard& g = c.guard;
      *texts += formatted("  \"{}: {}\",\n", quoted(g.step), quoted(g.message));
    }
  *statuses = status;
  return formatted(
      "/* Are the dims such that the network can run? */\nstatic int check(const {0}_dims_t *d, int64_t *s) {{\n  if (d == NULL) return "
      "{1}_NULL;\n{2}  find_sizes(d, s);\n{3}  return {1}_OK;\n}}\n\n",
      name_, big_, bounds, guards);
}

std::string Writer::place_table(int* count) {
  std::string rows;
  for (const Place& place : p_.places) {
    const Buffer& b = p_.buffers[static_cast<size_t>(place.buffer)];
    rows += formatted("  {}, {}, {}, {},", place.buffer, sizes_.reference(bounded(b.elements)), dtype_bytes(b.dtype), place.above.size());
    for (const int a : place.above) rows += formatted(" {},", a);
    rows += '\n';
    ++*count;
  }
  return rows;
}

std::string Writer::output_cases() {
  std::string cases;
  for (size_t i = 0; i < p_.outputs.size(); ++i) {
    cases += formatted("    case {}:\n", i);
    for (size_t k = 0; k < p_.outputs[i].dims.size(); ++k)
      cases += formatted("      to[{}] = {};\n", k, sizes_.value(p_.outputs[i].dims[k]));
    cases += formatted("      return {}_OK;\n", big_);
  }
  return cases;
}

std::string Writer::tables() const {
  std::string t = "/* Tensors: buffer, rank, bytes of an element, offset, dims, strides. Numbers, or sizes as -1 - their places. */\n";
  t += formatted(
      "typedef struct spec {{\n  int16_t buffer;\n  int8_t rank, size;\n  int32_t offset, dims[{0}], strides[{0}];\n}} spec;\nstatic "
      "const spec tensors[] = {{\n",
      std::max(rank_, 1));
  for (const std::string& s : specs_) t += s;
  if (specs_.empty()) t += "  {0, 0, 0, 0, {0}, {0}}\n";
  t += "};\n\n/* Which tensors the steps have, one step after another. */\nstatic const int16_t operands[] = {\n";
  for (size_t i = 0; i < calls_.size(); ++i) {
    t += " ";
    for (size_t k = 0; k < calls_[i].operands.size(); ++k) t += formatted(" {},", operands_[static_cast<size_t>(firsts_[i]) + k]);
    t += '\n';
  }
  t += "  0};\n\n";
  if (!cuts_) return t;
  t += "/* By operand: the axis along which a step is shared between threads; -1: each has all of it. */\nstatic const int8_t axes[] = {\n";
  for (const Call& c : calls_) {
    t += " ";
    for (size_t k = 0; k < c.operands.size(); ++k) t += formatted(" {},", c.cut.axes.empty() ? -1 : std::max(c.cut.axes[k], -1));
    t += '\n';
  }
  return t + "  -1};\n\n";
}

// The attributes as constants, equal ones once, and the calls that refer to them.
std::string Writer::attributes_and_calls(std::vector<std::string>* calls) const {
  std::string attributes;
  std::map<std::string, std::string> known;
  // The name of a constant: type, initializer.
  const auto constant = [&](const char* prefix, size_t call, const std::string& type, const char* after, const std::string& initializer) {
    const auto [at, first] = known.try_emplace(type + initializer, formatted("{}{}", prefix, call));
    if (first) attributes += formatted("static const {} {}{} = {};\n", type, at->second, after, initializer);
    return at->second;
  };
  for (size_t i = 0; i < calls_.size(); ++i) {
    const Call& c = calls_[i];
    if (!c.function.empty()) {
      calls->push_back(formatted("  failed |= {}(n); /* {} */\n", c.function, comment(c.label)));
      continue;
    }
    std::string of = "NULL";
    if (!c.attributes_type.empty()) {
      const bool has_posts = c.attributes_type[0] != '-';
      std::string begin = has_posts ? "{0, NULL}, " : "";
      if (!c.posts.empty()) {
        std::string posts;
        for (const PostOp& p : c.posts)
          posts += formatted("{}{{{}_{}, {}_{}, {}, {}}}", posts.empty() ? "" : ", ", big_,
                             !p.tensor    ? "UNARY"
                             : p.reversed ? "BINARY_REVERSED"
                                          : "BINARY",
                             big_, p.function, real_text(p.alpha), real_text(p.beta));
        begin = formatted("{{{}, {}}}, ", c.posts.size(), constant("p", i, name_ + "_post", "[]", "{" + posts + "}"));
      }
      of = "&" + constant("a", i, formatted("{}_{}_attributes", name_, has_posts ? c.attributes_type : c.attributes_type.substr(1)), "",
                          "{" + begin + renamed(c.attributes, name_) + "}");
    }
    if (c.cut.rule != Cut::Rule::none) {
      static const char* const kRules[] = {"", "VIEWS", "OUTPUTS", "GROUPS", "COLUMNS"};
      calls->push_back(formatted("  failed |= shared(n, {}_{}, {}, {}, {}, CUT_{}, {}, {}); /* {} */\n", name_, c.kernel, of, firsts_[i],
                                 c.operands.size(), kRules[static_cast<int>(c.cut.rule)], c.cut.result, c.cut.weights, comment(c.label)));
      continue;
    }
    calls->push_back(formatted("  failed |= step(n, {}_{}, {}, {}, {}); /* {} */\n", name_, c.kernel, of, firsts_[i], c.operands.size(),
                               comment(c.label)));
  }
  return attributes;
}

// A block's steps as a function, behind those that it calls.
std::string Writer::block_function(size_t block, const std::vector<std::string>& calls) const {
  const Block& b = blocks_[block];
  std::string before;
  for (const size_t f : b.flows) {
    const Flow& flow = flows_[f];
    for (const size_t body : flow.bodies) before += block_function(body, calls);
    std::string text = flow.text;
    const std::string first = formatted("{}", firsts_[flow.call]);
    for (size_t at = 0; (at = text.find("@T@", at)) != std::string::npos;) text.replace(at, 3, first);
    before += text;
  }
  const std::string code = block == 0 ? "" : sizes_.code_of_block(static_cast<int>(block));
  std::string found, statuses, steps;
  for (const auto& [symbol, from] : b.elements) {
    if (!sizes_.reads(symbol)) continue;
    const Size& s = p_.sizes[static_cast<size_t>(symbol)];
    found += formatted("  const int64_t e{} = {};\n", symbol, from);
    statuses += formatted("  if (e{0} < {1} || e{0} > {2}) return 1;\n", symbol, literal(s.min), literal(s.max));
  }
  statuses += code;
  for (const Block::Check& c : b.checks)
    statuses += formatted("  if ({} != 1) {{\n    n->status = {};\n    return 1;\n  }}\n", c.condition, c.status);
  for (const size_t c : b.calls) steps += calls[c];
  const bool sizes = (found + statuses).find("s[") != std::string::npos;
  return before + formatted("{}static int {}(network *n) {{\n{}{}  int failed = 0;\n{}{}  return failed;\n}}\n\n",
                            block == 0 ? "" : formatted("/* {} */\n", comment(b.label)), block == 0 ? "steps" : formatted("body_{}", block),
                            sizes ? "  int64_t *const s = n->s;\n" : "", found, statuses, steps.empty() ? "  (void)n;\n" : steps);
}

std::string Writer::run_function() {
  const bool threads = names_.threads > 1;
  const std::string more = threads ? formatted(", {}_parallel_for *parallel_for, void *user", name_) : "";
  std::string t = formatted(
      "int {}_run{}(const {}_dims_t *dims, void *arena{}{}) {{\n  network n;\n  const int status = check(dims, n.s);\n  "
      "if (status != {}_OK) return status;\n",
      name_, threads ? "_with" : "", name_, parameters(), more, big_);
  t += formatted("  if (arena == NULL || ((uintptr_t)arena & 63) != 0) return {}_BAD_ARENA;\n", big_);
  std::string nulls;
  each_edge([&](const Edge&, const std::string& name, bool) { nulls += formatted("{}{} == NULL", nulls.empty() ? "" : " || ", name); });
  t += formatted("  if ({}) return {}_NULL;\n  place(&n, (char *)arena);\n", nulls, big_);
  for (int b = 0; b < static_cast<int>(p_.buffers.size()); ++b)
    if (const Buffer& buffer = p_.buffers[static_cast<size_t>(b)]; buffer.kind == Buffer::Kind::input) {
      const auto i = static_cast<size_t>(buffer.index);
      t += formatted("  n.at[{}] = (char *)(uintptr_t){};\n", b, edge_name(p_.inputs[i], "x", i));
    }
  for (const auto& [output, buffer] : output_buffers_) {
    const auto i = static_cast<size_t>(output);
    t += formatted("  n.at[{}] = (char *){};\n", buffer, edge_name(p_.outputs[i], "y", i));
  }
  t += formatted("  n.at[{}] = (char *)arena;\n", buffers());
  const char* const arrays[] = {"f32", "i64", "i32", "i8", "u8"};
  for (int i = 0; i < 5; ++i)
    if (bases_.count(arrays[i]) > 0) t += formatted("  n.at[{}] = (char *)(uintptr_t){}_{};\n", buffers() + 1 + i, name_, arrays[i]);
  std::string whole;
  if (threads) {
    t += "  n.parallel_for = parallel_for;\n  n.user = user;\n";
    std::string names;
    each_edge([&](const Edge&, const std::string& name, bool) { names += ", " + name; });
    whole = formatted("\nint {0}_run(const {0}_dims_t *dims, void *arena{1}) {{\n  return {0}_run_with(dims, arena{2}, NULL, NULL);\n}}\n",
                      name_, parameters(), names);
  }
  if (!checks_within_) return t + formatted("  return steps(&n) ? {0}_BAD_DATA : {0}_OK;\n}}\n", big_) + whole;
  return whole.insert(
      0, t + formatted("  n.status = 0;\n  if (!steps(&n)) return {0}_OK;\n  return n.status != 0 ? n.status : {0}_BAD_DATA;\n}}\n", big_));
}

}  // namespace anydim_cli::exporting
