// SPDX-License-Identifier: Apache-2.0
// What an exported model is made of: edges that can be, steps as calls, results, memory, tensors as tables have them; and all its files.
#include <algorithm>

#include "cli/client.h"
#include "cli/export/writer.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

Writer::Writer(Program& program, const ExportNames& names)
    : p_(program), name_(names.name), big_(upper(names.name)), from_(comment(names.model)), names_(names), sizes_(program) {}

ExportFiles Writer::write(bool weights_as_c) {
  check_edges();
  if (p_.stream != nullptr && refusals_.empty()) add_chunks();
  if (p_.stream == nullptr) {
    translate_steps();
    copy_results();
  }
  if (!refusals_.empty()) refuse();
  find_scratch();
  for (Call& c : calls_)
    if (names_.threads < 2) c.cut = {};
  if (names_.threads > 1)
    for (Call& c : calls_) {
      c.cut = c.function.empty() ? find_cut(p_, c) : Cut();
      cuts_ = cuts_ || c.cut.rule != Cut::Rule::none;
    }
  collect_specs();
  ExportFiles files;
  files.arena_bytes = arena_bytes() + (p_.stream != nullptr ? stream_bytes() : 0);
  files.calls = calls_.size();
  files.text[name_ + ".h"] = header(files.arena_bytes);
  files.text[name_ + ".c"] = source();
  files.text[name_ + "_kernels.h"] = renamed(kernel_source("kernels.h"), name_);
  files.text[name_ + "_kernels.c"] = kernels_text(calls_, rank_, names_);
  if (names_.archive != nullptr) files.text[names_.archive->file()] = names_.archive->bytes;
  write_weights(weights_, name_, from_, weights_as_c, &files);
  each_edge([&](const Edge& e, const std::string& name, bool output) {
    (output ? files.outputs : files.inputs).push_back({name, c_type(e.dtype), formatted("{}_{}_ELEMENTS", big_, upper(name)), e});
  });
  for (const SizeCode::Field& f : sizes_.fields()) files.dims.push_back({f.name, f.size});
  return files;
}

void Writer::check_edges() {
  if (p_.stages > 1) refusals_.push_back("sizes that follow from data");
  if (!p_.input_elements.empty()) refusals_.push_back("sizes that follow from the elements of an input");
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

void Writer::translate_steps() {
  Block& all = blocks_.emplace_back();
  for (const Place& place : p_.places) all.placed.push_back(place.buffer);
  translate_block(0, std::vector<Step>(p_.steps));
}

void Writer::translate_block(size_t block, const std::vector<Step>& steps) {
  for (const Step& step : steps) try {
      if (step.control != nullptr) {
        add_control(block, step);
        continue;
      }
      for (Call& c : translate(p_, step, weights_, names_.archive)) add_call(block, std::move(c));
    } catch (const Unsupported& e) {
      refusals_.push_back(step.label + ": " + e.what());
    }
}

void Writer::add_call(size_t block, Call call) {
  blocks_[block].calls.push_back(calls_.size());
  calls_.push_back(std::move(call));
}

void Writer::refuse() const {
  std::string text = formatted("{} cannot be exported:", from_);
  for (const std::string& r : refusals_) text += "\n  " + r;
  throw Failure(text);
}

// An output that is no step's own result: an input, a constant, or another output.
void Writer::copy_results() {
  for (size_t i = 0; i < p_.results.size(); ++i) {
    const Tensor& t = p_.tensors[static_cast<size_t>(p_.results[i])];
    if (t.buffer >= 0) {
      const Buffer& b = p_.buffers[static_cast<size_t>(t.buffer)];
      if (b.kind == Buffer::Kind::output && b.index == static_cast<int>(i)) {
        output_buffers_[static_cast<int>(i)] = t.buffer;
        continue;
      }
    }
    copy_result(i, t);
  }
}

void Writer::copy_result(size_t output, const Tensor& t) {
  Call copy;
  copy.kernel = "copy";
  copy.label = "output " + p_.outputs[output].name;
  const Operand from = operand_of(p_, weights_, t);
  Operand to = from;
  to.from = Operand::From::buffer;
  to.name = p_.outputs[output].name;
  to.buffer = buffers();
  to.offset = {};
  to.strides = p_.dense_strides(t.dims);
  output_buffers_[static_cast<int>(output)] = to.buffer;
  extra_outputs_.push_back(static_cast<int>(output));
  copy.operands = {from, to};
  add_call(0, std::move(copy));
}

void Writer::find_scratch() {
  for (const Call& c : calls_) scratch_ = p_.make(SizeOp::max, scratch_, bounded(c.scratch));
}

// --- memory and tensors -------------------------------------------------------------------------------------------------

static int64_t aligned(int64_t bytes) { return (bytes + 63) / 64 * 64; }
int64_t Writer::arena_bytes() const {
  std::map<int, int64_t> end;
  int64_t all = 0;
  for (const Place& place : p_.places) {
    int64_t at = 0;
    for (const int b : place.above) at = std::max(at, end[b]);
    const Buffer& b = p_.buffers[static_cast<size_t>(place.buffer)];
    end[place.buffer] = at + aligned(std::max<int64_t>(p_.most(b.elements), 0) * dtype_bytes(b.dtype));
    all = std::max(all, end[place.buffer]);
  }
  return std::max<int64_t>(all + names_.threads * aligned(p_.most(scratch_)), 64);
}

int Writer::base_of(const Operand& o) {
  if (o.from == Operand::From::buffer) return o.buffer;
  if (o.from == Operand::From::nowhere) return buffers();
  const char* const arrays[] = {"f32", "i64", "i32", "i8", "u8"};
  const std::string array = o.dtype == "bool" ? "u8" : o.dtype;
  for (int i = 0; i < 5; ++i)
    if (array == arrays[i]) {
      bases_.insert(array);
      return buffers() + 1 + i;
    }
  return buffers();
}
void Writer::collect_specs() {
  std::map<std::string, int> known;
  for (const Call& c : calls_) {
    firsts_.push_back(static_cast<int>(operands_.size()));
    most_operands_ = std::max(most_operands_, static_cast<int>(c.operands.size()));
    for (const Operand& o : c.operands) {
      rank_ = std::max(rank_, static_cast<int>(o.dims.size()));
      if (o.dims.size() > 8) throw Failure("a tensor has more than 8 dims");
      std::string dims, strides;
      for (size_t i = 0; i < o.dims.size(); ++i) {
        dims += formatted("{}{}", i > 0 ? ", " : "", sizes_.reference(o.dims[i]));
        strides += formatted("{}{}", i > 0 ? ", " : "", sizes_.reference(o.strides[i]));
      }
      const bool scalar = o.dims.empty();
      const std::string spec = formatted("{{{}, {}, {}, {}, {{{}}}, {{{}}}}}", base_of(o), o.dims.size(), dtype_bytes(o.dtype),
                                         sizes_.reference(o.offset), scalar ? "0" : dims, scalar ? "0" : strides);
      const auto [at, first] = known.try_emplace(spec, static_cast<int>(specs_.size()));
      if (first) specs_.push_back(formatted("  {}, /* {}: {} */\n", spec, at->second, comment(o.name)));
      operands_.push_back(at->second);
    }
  }
}

std::string Writer::edge_name(const Edge& e, const char* what, size_t i) {
  static const std::set<std::string> kTaken = {
      "dims", "arena",  "r",      "s",        "d",        "status", "int",      "float",  "double", "char",   "for",     "if",
      "do",   "while",  "static", "const",    "void",     "long",   "short",    "switch", "case",   "return", "default", "class",
      "new",  "delete", "this",   "template", "typename", "auto",   "register", "union",  "struct", "enum",   "operator"};
  std::string name = identifier(e.name);
  if (kTaken.count(name) > 0 || std::isupper(static_cast<unsigned char>(name[0])) != 0) name = formatted("{}_{}", what, name);
  const auto known = edge_names_.find({what[0], i});
  if (known != edge_names_.end()) return known->second;
  while (std::any_of(edge_names_.begin(), edge_names_.end(), [&](const auto& n) { return n.second == name; })) name += formatted("_{}", i);
  return edge_names_[{what[0], i}] = name;
}

// ", const float *x, float *y".
std::string Writer::parameters() {
  std::string text;
  each_edge([&](const Edge& e, const std::string& name, bool output) {
    text += formatted(", {}{} *{}", output ? "" : "const ", c_type(e.dtype), name);
  });
  return text;
}

ExportFiles make_files(Program& program, const ExportNames& names, bool weights_as_c) try {
  return Writer(program, names).write(weights_as_c);
} catch (const Unsupported& e) {
  throw Failure(formatted("{} cannot be exported: {}", comment(names.model), e.what()));
}

}  // namespace anydim_cli::exporting
