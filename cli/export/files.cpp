// SPDX-License-Identifier: Apache-2.0
// The header and the source of an exported model: sizes, memory, tensors and the calls of the kernels.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "cli/client.h"
#include "cli/export/emit.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

namespace {

class Writer {
 public:
  Writer(Program& program, const ExportNames& names)
      : p_(program), name_(names.name), big_(upper(names.name)), from_(comment(names.model)) {}

  ExportFiles write(bool weights_as_c) {
    check_edges();
    translate_steps();
    copy_results();
    if (!refusals_.empty()) refuse();
    find_scratch();
    collect_specs();
    ExportFiles files;
    files.arena_bytes = arena_bytes();
    files.calls = calls_.size();
    files.text[name_ + ".h"] = header(files.arena_bytes);
    files.text[name_ + ".c"] = source();
    files.text[name_ + "_kernels.h"] = renamed(kernel_source("kernels.h"), name_);
    files.text[name_ + "_kernels.c"] = kernels_text(calls_, rank_, name_, from_);
    write_weights(weights_, name_, from_, weights_as_c, &files);
    const auto argument = [&](const Edge& e, const char* what, size_t i) {
      const std::string name = edge_name(e, what, i);
      return Argument{name, c_type(e.dtype), formatted("{}_{}_ELEMENTS", big_, upper(name)), e};
    };
    for (size_t i = 0; i < p_.inputs.size(); ++i) files.inputs.push_back(argument(p_.inputs[i], "x", i));
    for (size_t i = 0; i < p_.outputs.size(); ++i) files.outputs.push_back(argument(p_.outputs[i], "y", i));
    for (const Field& f : fields()) files.dims.push_back({f.name, f.size});
    return files;
  }

 private:
  // --- what there is -----------------------------------------------------------------------------------------------

  void check_edges() {
    if (p_.stages > 1) refusals_.push_back("sizes that follow from data");
    if (p_.input_elements > 0) refusals_.push_back("sizes that follow from the elements of an input");
    for (const auto* edges : {&p_.inputs, &p_.outputs})
      for (const Edge& e : *edges) {
        const std::string what = (edges == &p_.inputs ? "input '" : "output '") + e.name + "'";
        if (dtype_bytes(e.dtype) == 0) refusals_.push_back(what + ": dtype " + e.dtype);
        if (e.optional) refusals_.push_back(what + ": axes that a run may leave out");
        if (!e.row_major()) refusals_.push_back(what + ": a memory order other than row-major");
        for (size_t i = 0; i < e.dims.size(); ++i)
          if (p_.most(e.dims[i]) >= int64_t{1} << 40)
            refusals_.push_back(formatted("{}: dim {} ({}) has no bound; give one with --bounds", what, i, e.text[i]));
      }
  }

  void translate_steps() {
    for (const Step& step : p_.steps) try {
        for (Call& c : translate(p_, step, weights_)) calls_.push_back(std::move(c));
      } catch (const Unsupported& e) {
        refusals_.push_back(step.label + ": " + e.what());
      }
  }

  [[noreturn]] void refuse() const {
    std::string text = formatted("{} cannot be exported:", from_);
    for (const std::string& r : refusals_) text += "\n  " + r;
    throw Failure(text);
  }

  // An output that is no step's own result: an input, a constant, or another output.
  void copy_results() {
    for (size_t i = 0; i < p_.results.size(); ++i) {
      const Tensor& t = p_.tensors[static_cast<size_t>(p_.results[i])];
      if (t.buffer >= 0) {
        const Buffer& b = p_.buffers[static_cast<size_t>(t.buffer)];
        if (b.kind == Buffer::Kind::output && b.index == static_cast<int>(i)) {
          output_buffers_[static_cast<int>(i)] = t.buffer;
          continue;
        }
      }
      Call copy;
      copy.kernel = "copy";
      copy.label = "output " + p_.outputs[i].name;
      Operand from, to;
      from.dtype = to.dtype = t.dtype;
      from.dims = to.dims = t.dims;
      from.strides = t.strides;
      from.name = t.name;
      to.name = p_.outputs[i].name;
      to.from = Operand::From::buffer;
      to.buffer = static_cast<int>(p_.buffers.size() + extra_outputs_.size());
      to.strides.assign(t.dims.size(), Dim{1, -1});
      for (size_t k = t.dims.size(); k-- > 1;) to.strides[k - 1] = p_.mul(to.strides[k], t.dims[k]);
      if (t.is_constant()) {
        from.from = Operand::From::weights;
        from.offset = {weights_.add(p_, t), -1};
        from.strides = to.strides;
      } else {
        from.from = Operand::From::buffer;
        from.buffer = t.buffer;
        from.offset = t.offset;
      }
      output_buffers_[static_cast<int>(i)] = to.buffer;
      extra_outputs_.push_back(static_cast<int>(i));
      copy.operands = {from, to};
      calls_.push_back(std::move(copy));
    }
  }

  void find_scratch() {
    for (const Call& c : calls_) scratch_ = p_.make(SizeOp::max, scratch_, c.scratch);
  }

  // --- sizes -------------------------------------------------------------------------------------------------------

  // A number as it is, if it is not negative and small; else the slot that holds it, as -1 - slot.
  int reference(Dim d) {
    d = p_.folded(d);
    if (d.is_number() && d.number >= 0 && d.number < INT32_MAX) return static_cast<int>(d.number);
    return -1 - slot(d);
  }
  int slot(Dim d) {
    if (d.is_number()) {
      const auto [at, first] = literal_slots_.try_emplace(d.number, slots_);
      if (first) code_ += formatted("  s[{}] = {};\n", slots_++, literal(d.number));
      return at->second;
    }
    if (const auto known = size_slots_.find(d.size); known != size_slots_.end()) return known->second;
    const Size s = p_.sizes[static_cast<size_t>(d.size)];
    if (std::max(s.max, -s.min) >= int64_t{1} << 60)
      throw Failure(formatted("{} cannot be exported: a size ({}) has no bound; give bounds for every dynamic dim", from_,
                              s.name.empty() ? "of its steps" : s.name));
    const std::string text = expression(s, d.size);
    code_ += formatted("  s[{}] = {};{}\n", slots_, text, s.name.empty() ? "" : " /* " + comment(s.name) + " */");
    return size_slots_[d.size] = slots_++;
  }
  std::string value(Dim d) {
    d = p_.folded(d);
    return d.is_number() ? literal(d.number) : formatted("s[{}]", slot(d));
  }
  std::string expression(const Size& s, int number) {
    if (s.op == SizeOp::symbol) return symbol(s, number);
    const std::string a = value(s.of[0]), b = value(s.of[1]);
    const bool plain = p_.least(s.of[0]) >= 0 && p_.least(s.of[1]) > 0;
    switch (s.op) {
      case SizeOp::add: return formatted("{} + {}", a, b);
      case SizeOp::sub: return formatted("{} - {}", a, b);
      case SizeOp::mul: return formatted("{} * {}", a, b);
      case SizeOp::floor_div:
        if (plain) return formatted("{} / {}", a, b);
        return used("floor_div", formatted("floor_div({}, {})", a, b));
      case SizeOp::ceil_div:
        if (plain) return formatted("({} + {} - 1) / {}", a, b, b);
        used("floor_div", "");
        return formatted("-floor_div(-{}, {})", a, b);
      case SizeOp::trunc_div:
        if (plain) return formatted("{} / {}", a, b);
        return formatted("{} > 0 ? {} / {} : 0", b, a, b);
      case SizeOp::mod:
        if (plain) return formatted("{} % {}", a, b);
        used("floor_div", "");
        return formatted("{} - floor_div({}, {}) * {}", a, a, b, b);
      case SizeOp::min: return formatted("{} < {} ? {} : {}", a, b, a, b);
      case SizeOp::max: return formatted("{} > {} ? {} : {}", a, b, a, b);
      case SizeOp::broadcast: return formatted("{} == 1 ? {} : {}", a, b, a);
      case SizeOp::equal: return formatted("{} == {}", a, b);
      case SizeOp::less: return formatted("{} < {}", a, b);
      case SizeOp::select: return formatted("{} != 0 ? {} : {}", value(s.of[2]), a, b);
      case SizeOp::symbol: break;
    }
    return "0";
  }
  std::string used(const char* helper, const std::string& text) {
    helpers_.insert(helper);
    return text;
  }
  std::string symbol(const Size& s, int number) {
    if (s.min == s.max) return literal(s.min);
    for (const Field& f : fields())
      if (f.size == number) return "d->" + f.name;
    throw Failure(formatted("{} cannot be exported: the size {} follows from no dim of an input", from_, s.name));
  }

  // The dims that a caller chooses.
  struct Field {
    std::string name, text;
    int size;
  };
  const std::vector<Field>& fields() {
    if (fields_known_) return fields_;
    fields_known_ = true;
    for (const Edge& e : p_.inputs)
      for (size_t i = 0; i < e.dims.size(); ++i) {
        const Dim d = p_.folded(e.dims[i]);
        if (d.is_number() || p_.sizes[static_cast<size_t>(d.size)].op != SizeOp::symbol) continue;
        if (std::any_of(fields_.begin(), fields_.end(), [&](const Field& f) { return f.size == d.size; })) continue;
        std::string name = identifier(p_.sizes[static_cast<size_t>(d.size)].name);
        while (std::any_of(fields_.begin(), fields_.end(), [&](const Field& f) { return f.name == name; })) name += '_';
        fields_.push_back({name, formatted("dim {} of {}", i, e.name), d.size});
      }
    return fields_;
  }

  // --- memory ------------------------------------------------------------------------------------------------------

  static int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }
  int64_t arena_bytes() const {
    std::map<int, int64_t> end;
    int64_t all = 0;
    for (const Place& place : p_.places) {
      int64_t at = 0;
      for (const int b : place.above) at = std::max(at, end[b]);
      const Buffer& b = p_.buffers[static_cast<size_t>(place.buffer)];
      end[place.buffer] = at + aligned(std::max<int64_t>(p_.most(b.elements), 0) * dtype_bytes(b.dtype));
      all = std::max(all, end[place.buffer]);
    }
    return std::max<int64_t>(all + aligned(p_.most(scratch_)), 64);
  }

  // --- tensors -----------------------------------------------------------------------------------------------------

  int base_of(const Operand& o) {
    const int buffers = static_cast<int>(p_.buffers.size() + extra_outputs_.size());
    if (o.from == Operand::From::buffer) return o.buffer;
    if (o.from == Operand::From::nowhere) return buffers;
    const char* const arrays[] = {"f32", "i64", "i32", "i8", "u8"};
    const std::string array = o.dtype == "bool" ? "u8" : o.dtype;
    for (int i = 0; i < 5; ++i)
      if (array == arrays[i]) {
        bases_.insert(array);
        return buffers + 1 + i;
      }
    return buffers;
  }
  void collect_specs() {
    std::map<std::string, int> known;
    for (const Call& c : calls_) {
      firsts_.push_back(static_cast<int>(operands_.size()));
      most_operands_ = std::max(most_operands_, static_cast<int>(c.operands.size()));
      for (const Operand& o : c.operands) {
        rank_ = std::max(rank_, static_cast<int>(o.dims.size()));
        if (o.dims.size() > 8) throw Failure("a tensor has more than 8 dims");
        std::string dims, strides;
        for (size_t i = 0; i < o.dims.size(); ++i) {
          dims += formatted("{}{}", i > 0 ? ", " : "", reference(o.dims[i]));
          strides += formatted("{}{}", i > 0 ? ", " : "", reference(o.strides[i]));
        }
        const bool scalar = o.dims.empty();
        const std::string spec = formatted("{{{}, {}, {}, {}, {{{}}}, {{{}}}}}", base_of(o), o.dims.size(), dtype_bytes(o.dtype),
                                           reference(o.offset), scalar ? "0" : dims, scalar ? "0" : strides);
        const auto [at, first] = known.try_emplace(spec, static_cast<int>(specs_.size()));
        if (first) specs_.push_back(formatted("  {}, /* {}: {} */\n", spec, at->second, comment(o.name)));
        operands_.push_back(at->second);
      }
    }
  }

  // --- text --------------------------------------------------------------------------------------------------------

  std::string arguments(bool names_only = false) {
    std::string text;
    const auto add = [&](const Edge& e, const char* what, size_t i) {
      const std::string name = edge_name(e, what, i);
      if (names_only) text += ", " + name;
      else text += formatted(", {}{} *{}", what[0] == 'x' ? "const " : "", c_type(e.dtype), name);
    };
    for (size_t i = 0; i < p_.inputs.size(); ++i) add(p_.inputs[i], "x", i);
    for (size_t i = 0; i < p_.outputs.size(); ++i) add(p_.outputs[i], "y", i);
    return text;
  }
  std::string edge_name(const Edge& e, const char* what, size_t i) {
    static const std::set<std::string> kTaken = {
        "dims", "arena",  "r",      "s",        "d",        "status", "int",      "float",  "double", "char",   "for",     "if",
        "do",   "while",  "static", "const",    "void",     "long",   "short",    "switch", "case",   "return", "default", "class",
        "new",  "delete", "this",   "template", "typename", "auto",   "register", "union",  "struct", "enum",   "operator"};
    std::string name = identifier(e.name);
    if (kTaken.count(name) > 0 || std::isupper(static_cast<unsigned char>(name[0])) != 0) name = formatted("{}_{}", what, name);
    const auto known = edge_names_.find({what[0], i});
    if (known != edge_names_.end()) return known->second;
    while (std::any_of(edge_names_.begin(), edge_names_.end(), [&](const auto& n) { return n.second == name; }))
      name += formatted("_{}", i);
    return edge_names_[{what[0], i}] = name;
  }

  std::string header(int64_t arena) {
    std::string t =
        formatted("/* {}, exported by `anydim export` (docs/export.md): a neural network in C99 without a library. */\n", from_);
    t += formatted(
        "#ifndef {0}_H\n#define {0}_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
        big_);
    t += formatted("/* Dims of the inputs that the caller chooses{} */\ntypedef struct {}_dims_t {{\n",
                   fields().empty() ? "; there are none here." : ".", name_);
    for (const Field& f : fields()) {
      const Size& s = p_.sizes[static_cast<size_t>(f.size)];
      t += formatted("  int64_t {}; /* {} to {}{}: {} */\n", f.name, s.min, s.max,
                     s.multiple_of > 1 ? formatted(", a multiple of {}", s.multiple_of) : "", comment(f.text));
    }
    if (fields().empty()) t += "  int32_t none; /* 0 */\n";
    t += formatted("}} {}_dims_t;\n\n", name_);
    t += formatted(
        "/* Bytes of memory that any dims need at most, and its alignment. */\n#define {}_ARENA_BYTES {}u\n#define {}_ALIGNMENT 64u\n\n",
        big_, arena, big_);
    t += "/* Elements at most. */\n";
    const auto elements = [&](const Edge& e, const char* what, size_t i) {
      int64_t n = 1;
      for (const Dim d : e.dims) n *= p_.most(d);
      t += formatted("#define {}_{}_ELEMENTS {}u\n", big_, upper(edge_name(e, what, i)), n);
    };
    for (size_t i = 0; i < p_.inputs.size(); ++i) elements(p_.inputs[i], "x", i);
    for (size_t i = 0; i < p_.outputs.size(); ++i) elements(p_.outputs[i], "y", i);
    t += formatted(
        "\n/* What functions return: 0, or why nothing was done; {}_status_text() has a sentence for each. */\nenum {{\n  {}_OK = 0,\n  "
        "{}_BAD_ARENA = 1,\n  {}_NULL = 2,\n  {}_BAD_DATA = 3",
        name_, big_, big_, big_, big_);
    int status = 4;
    for (const Field& f : fields()) t += formatted(",\n  {}_BAD_{} = {}", big_, upper(f.name), status++);
    t += "\n};\n";
    t += formatted("const char *{}_status_text(int status);\n\n", name_);
    t += formatted("/* Bytes that these dims need; 0 if they are refused. */\nsize_t {0}_bytes(const {0}_dims_t *dims);\n\n", name_);
    t += "/* Dims of an output, from 0 on, into room for its rank:\n";
    for (size_t i = 0; i < p_.outputs.size(); ++i) {
      std::string dims;
      for (const std::string& d : p_.outputs[i].text) dims += (dims.empty() ? "" : ", ") + d;
      t += formatted("     {}  {} [{}]\n", i, edge_name(p_.outputs[i], "y", i), comment(dims));
    }
    t += formatted("   Returns a status. */\nint {0}_output_dims(const {0}_dims_t *dims, int output, int64_t *to);\n\n", name_);
    t += "/* Runs the network. Tensors are dense and row-major:\n";
    for (size_t i = 0; i < p_.inputs.size(); ++i) {
      std::string dims;
      for (const std::string& d : p_.inputs[i].text) dims += (dims.empty() ? "" : ", ") + d;
      t += formatted("     {} [{}]\n", edge_name(p_.inputs[i], "x", i), comment(dims));
    }
    t += formatted(
        "   The arena is {0}_bytes(dims) bytes, aligned to 64; nothing in it has to be kept between calls, and calls with arenas\n"
        "   of their own may run at once. Outputs overlap no input. Returns a status; unless it is 0 or {2} nothing was written. */\n"
        "int {0}_run(const {0}_dims_t *dims, void *arena{1});\n\n",
        name_, arguments(), big_ + "_BAD_DATA");
    t += "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
    return t;
  }

  std::string source() {
    const int buffers = static_cast<int>(p_.buffers.size() + extra_outputs_.size());
    // Everything that asks for a slot comes before the code of the sizes is complete.
    std::string places, sizes_of;
    int place_count = 0;
    for (const Place& place : p_.places) {
      const Buffer& b = p_.buffers[static_cast<size_t>(place.buffer)];
      places += formatted("  {}, {}, {}, {},", place.buffer, reference(b.elements), dtype_bytes(b.dtype), place.above.size());
      for (const int a : place.above) places += formatted(" {},", a);
      places += '\n';
      ++place_count;
    }
    const std::string scratch = value(scratch_);
    std::string outputs;
    for (size_t i = 0; i < p_.outputs.size(); ++i) {
      outputs += formatted("    case {}:\n", i);
      for (size_t k = 0; k < p_.outputs[i].dims.size(); ++k) outputs += formatted("      to[{}] = {};\n", k, value(p_.outputs[i].dims[k]));
      outputs += formatted("      return {}_OK;\n", big_);
    }
    std::string checks, texts;
    int status = 4;
    for (const Field& f : fields()) {
      const Size& s = p_.sizes[static_cast<size_t>(f.size)];
      checks += formatted("  if (d->{0} < {1} || d->{0} > {2}{3}) return {4}_BAD_{5};\n", f.name, literal(s.min), literal(s.max),
                          s.multiple_of > 1 ? formatted(" || d->{} % {} != 0", f.name, s.multiple_of) : "", big_, upper(f.name));
      texts += formatted("  \"{} ({}) is out of bounds; expected {} to {}{}\",\n", f.name, quoted(f.text), s.min, s.max,
                         s.multiple_of > 1 ? formatted(", a multiple of {}", s.multiple_of) : "");
      ++status;
    }
    std::string guards;
    for (const Guard& g : p_.guards) {
      if (p_.least(g.condition) >= 1) continue;
      guards += formatted("  if ({} != 1) return {};\n", value(g.condition), status++);
      texts += formatted("  \"{}: {}\",\n", quoted(g.step), quoted(g.message));
    }
    const int statuses = status;
    if (slots_ == 0) code_ = "  s[0] = 0;\n";

    std::string t =
        formatted("/* {}, exported by `anydim export`: sizes, memory, and the steps in their order; see {}.h. */\n#include \"{}.h\"\n\n",
                  from_, name_, name_);
    t += formatted("#define {}_RANK {}\n#include \"{}_kernels.h\"\n#include \"{}_weights.h\"\n\n", big_, std::max(rank_, 5), name_, name_);
    t += formatted("#define F32(at) ({0}_f32 + (at))\n#define I32(at) ({0}_i32 + (at))\n#define I8(at) ({0}_i8 + (at))\n\n", name_);
    t += formatted(
        "typedef struct network {{\n  int64_t s[{}];    /* sizes that follow from the dims */\n  char *at[{}];     /* where buffers begin, "
        "then weights */\n  void *scratch;\n  int64_t bytes;\n}} network;\n\n",
        std::max(slots_, 1), buffers + 6);
    if (helpers_.count("floor_div") > 0)
      t += "static int64_t floor_div(int64_t a, int64_t b) { return b <= 0 ? 0 : a / b - (a % b < 0 ? 1 : 0); }\n\n";
    t += formatted("static void find_sizes(const {}_dims_t *d, int64_t *s) {{\n  (void)d;\n  (void)s;\n{}}}\n\n", name_, code_);
    t += formatted(
        "/* Are the dims such that the network can run? */\nstatic int check(const {0}_dims_t *d, int64_t *s) {{\n  if (d == NULL) return "
        "{1}_NULL;\n{2}  find_sizes(d, s);\n{3}  return {1}_OK;\n}}\n\n",
        name_, big_, checks, guards);
    t += formatted(
        "const char *{}_status_text(int status) {{\n  static const char *const texts[] = {{\n  \"fine\",\n  \"the arena is null or not "
        "aligned to 64 bytes\",\n  \"dims or a tensor are null, or there is no such output\",\n  \"an index or a length in the data is out "
        "of range; outputs hold nothing of use\",\n{}  }};\n  return status >= 0 && status < {} ? texts[status] : \"no status of this "
        "network\";\n}}\n\n",
        name_, texts, statuses);
    t += "/* A number as it is, or a size, as -1 - its place. */\nstatic int64_t value(const network *n, int32_t r) { return r >= 0 ? r : "
         "n->s[-1 - r]; }\n\n";
    t += formatted(
        "/* Buffers of the arena: which, elements, bytes of an element, and above which others it lies. Offsets are longest paths, so that "
        "no dims\n   within the bounds need more than the bounds do. */\nstatic const int32_t places[] = {{\n{}  0}};\n\n",
        places);
    t += formatted(
        "static void place(network *n, char *arena) {{\n  int64_t end[{0}] = {{0}};\n  const int32_t *p = places;\n  int i;\n  n->bytes = "
        "0;\n"
        "  for (i = 0; i < {1}; ++i) {{\n    const int32_t buffer = p[0], above = p[3];\n    const int64_t bytes = (value(n, p[1]) * p[2] "
        "+ 63) & ~INT64_C(63);\n"
        "    int64_t at = 0;\n    int32_t k;\n    p += 4;\n    for (k = 0; k < above; ++k)\n      if (end[p[k]] > at) at = end[p[k]];\n    "
        "p += above;\n"
        "    if (arena != NULL) n->at[buffer] = arena + at;\n    end[buffer] = at + bytes;\n    if (end[buffer] > n->bytes) n->bytes = "
        "end[buffer];\n  }}\n"
        "  if (arena != NULL) n->scratch = arena + n->bytes;\n  n->bytes += ({2} + 63) & ~INT64_C(63);\n}}\n\n",
        buffers + 1, place_count, scratch.find("s[") == 0 ? "n->" + scratch : scratch);
    t += formatted(
        "size_t {0}_bytes(const {0}_dims_t *dims) {{\n  network n;\n  if (check(dims, n.s) != {1}_OK) return 0;\n  place(&n, NULL);\n  "
        "return n.bytes < 64 ? 64 : (size_t)n.bytes;\n}}\n\n",
        name_, big_);
    t += formatted(
        "int {0}_output_dims(const {0}_dims_t *dims, int output, int64_t *to) {{\n  int64_t s[{1}];\n  const int status = check(dims, "
        "s);\n  (void)to;\n  if (status != {2}_OK) return status;\n  switch (output) {{\n{3}    default: return {2}_NULL;\n  }}\n}}\n\n",
        name_, std::max(slots_, 1), big_, outputs);
    t += "/* Tensors: buffer, rank, bytes of an element, offset, dims, strides. Numbers, or sizes as -1 - their places. */\n";
    t += formatted(
        "typedef struct spec {{\n  int16_t buffer;\n  int8_t rank, size;\n  int32_t offset, dims[{0}], strides[{0}];\n}} spec;\nstatic "
        "const spec tensors[] = {{\n",
        std::max(rank_, 1));
    for (const std::string& s : specs_) t += s;
    if (specs_.empty()) t += "  {0, 0, 0, 0, {0}, {0}}\n";
    t += "};\n\n";
    t += "/* Which tensors the steps have, one step after another. */\nstatic const int16_t operands[] = {\n";
    for (size_t i = 0; i < calls_.size(); ++i) {
      t += " ";
      for (size_t k = 0; k < calls_[i].operands.size(); ++k) t += formatted(" {},", operands_[static_cast<size_t>(firsts_[i]) + k]);
      t += '\n';
    }
    t += "  0};\n\n";
    t += formatted(
        "static int step(const network *n, {0}_kernel *kernel, const void *attributes, int first, int count) {{\n  {0}_tensor t[{1}];\n  "
        "int i, axis;\n"
        "  for (i = 0; i < count; ++i) {{\n    const spec *const s = &tensors[operands[first + i]];\n    t[i].data = n->at[s->buffer] + "
        "value(n, s->offset) * s->size;\n"
        "    t[i].rank = s->rank;\n    t[i].size = s->size;\n    for (axis = 0; axis < s->rank; ++axis) {{\n      t[i].dims[axis] = "
        "value(n, s->dims[axis]);\n"
        "      t[i].strides[axis] = value(n, s->strides[axis]);\n    }}\n  }}\n  return kernel(attributes, t, n->scratch);\n}}\n\n",
        name_, std::max(most_operands_, 1));
    std::string calls, attributes;
    std::map<std::string, std::string> known;
    for (size_t i = 0; i < calls_.size(); ++i) {
      const Call& c = calls_[i];
      std::string of = "NULL", begin;
      if (!c.attributes_type.empty()) {
        if (!c.posts.empty()) {
          std::string posts = "{";
          for (const PostOp& p : c.posts)
            posts += formatted("{}{{{}_{}, {}_{}, {}, {}}}", posts.size() > 1 ? ", " : "", big_,
                               !p.tensor    ? "UNARY"
                               : p.reversed ? "BINARY_REVERSED"
                                            : "BINARY",
                               big_, p.function, real_text(p.alpha), real_text(p.beta));
          posts += "}";
          const auto [at, first] = known.try_emplace(posts, formatted("p{}", i));
          if (first) attributes += formatted("static const {}_post {}[] = {};\n", name_, at->second, posts);
          begin = formatted("{{{}, {}}}", c.posts.size(), at->second);
        } else {
          begin = "{0, NULL}";
        }
        const bool has_posts = c.attributes_type[0] != '-';
        const std::string type = has_posts ? c.attributes_type : c.attributes_type.substr(1);
        const std::string initializer = formatted("{}_{}_attributes {} = {{{}{}{}}};\n", name_, type, "{}", has_posts ? begin : "",
                                                  has_posts ? ", " : "", renamed(c.attributes, name_));
        const auto [at, first] = known.try_emplace(initializer, formatted("a{}", i));
        if (first) {
          std::string line = initializer;
          line.replace(line.find("{}"), 2, at->second);
          attributes += "static const " + line;
        }
        of = "&" + at->second;
      }
      calls += formatted("  failed |= step(&n, {}_{}, {}, {}, {}); /* {} */\n", name_, c.kernel, of, firsts_[i], c.operands.size(),
                         comment(c.label));
    }
    t += attributes + "\n";
    t += formatted(
        "int {}_run(const {}_dims_t *dims, void *arena{}) {{\n  network n;\n  int failed = 0;\n  const int status = check(dims, n.s);\n  "
        "if (status != {}_OK) return status;\n",
        name_, name_, arguments(), big_);
    t += formatted("  if (arena == NULL || ((uintptr_t)arena & 63) != 0) return {}_BAD_ARENA;\n", big_);
    std::string nulls;
    for (size_t i = 0; i < p_.inputs.size(); ++i)
      nulls += formatted("{}{} == NULL", nulls.empty() ? "" : " || ", edge_name(p_.inputs[i], "x", i));
    for (size_t i = 0; i < p_.outputs.size(); ++i)
      nulls += formatted("{}{} == NULL", nulls.empty() ? "" : " || ", edge_name(p_.outputs[i], "y", i));
    t += formatted("  if ({}) return {}_NULL;\n  place(&n, (char *)arena);\n", nulls, big_);
    for (int b = 0; b < static_cast<int>(p_.buffers.size()); ++b)
      if (const Buffer& buffer = p_.buffers[static_cast<size_t>(b)]; buffer.kind == Buffer::Kind::input)
        t += formatted("  n.at[{}] = (char *)(uintptr_t){};\n", b,
                       edge_name(p_.inputs[static_cast<size_t>(buffer.index)], "x", static_cast<size_t>(buffer.index)));
    for (const auto& [output, buffer] : output_buffers_)
      t += formatted("  n.at[{}] = (char *){};\n", buffer,
                     edge_name(p_.outputs[static_cast<size_t>(output)], "y", static_cast<size_t>(output)));
    t += formatted("  n.at[{}] = (char *)arena;\n", buffers);
    const char* const arrays[] = {"f32", "i64", "i32", "i8", "u8"};
    for (int i = 0; i < 5; ++i)
      if (bases_.count(arrays[i]) > 0) t += formatted("  n.at[{}] = (char *)(uintptr_t){}_{};\n", buffers + 1 + i, name_, arrays[i]);
    t += calls + formatted("  return failed ? {0}_BAD_DATA : {0}_OK;\n}}\n", big_);
    return t;
  }

  Program& p_;
  const std::string name_, big_, from_;
  std::vector<std::string> refusals_;
  std::vector<Call> calls_;
  Weights weights_;
  std::map<int, int> output_buffers_;  // by output
  std::vector<int> extra_outputs_;
  Dim scratch_{0, -1};
  std::string code_;
  int slots_ = 0;
  std::map<int64_t, int> literal_slots_;
  std::map<int, int> size_slots_;
  std::set<std::string> helpers_, bases_;
  std::vector<Field> fields_;
  bool fields_known_ = false;
  std::vector<std::string> specs_;
  std::vector<int> operands_, firsts_;
  int most_operands_ = 0, rank_ = 1;
  std::map<std::pair<char, size_t>, std::string> edge_names_;
};

}  // namespace

ExportFiles make_files(Program& program, const ExportNames& names, bool weights_as_c) { return Writer(program, names).write(weights_as_c); }

}  // namespace anydim_cli::exporting
