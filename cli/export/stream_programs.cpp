// SPDX-License-Identifier: Apache-2.0
// The example and the test of an exported stream. The test pushes drawn inputs in chunks of several lengths, none and the longest among them,
// and compares a hash over all results with that of the library's stream.
#include <algorithm>

#include "cli/export/drawn.h"
#include "cli/export/programs.h"

namespace anydim_cli::exporting {

namespace {

using Session = Owned<anydim_session_t, call<anydim_session_t, anydim_session_destroy>>;
using Streaming = Owned<anydim_streaming_t, call<anydim_streaming_t, anydim_streaming_destroy>>;

struct StreamCase {
  std::vector<int64_t> dims;                // fields of the struct of dims
  std::vector<int64_t> counts;              // chunks
  std::vector<int64_t> elements, products;  // of each input and output, by element of the axis; without one, all
  uint64_t hash = kNoHash;
};

std::vector<int64_t> counts_of(int64_t most) {
  std::vector<int64_t> counts;
  for (const int64_t n : {most, int64_t{0}, int64_t{1}, most / 2, most / 3, most, int64_t{7}, most, most, most - 1, most, most})
    counts.push_back(std::clamp<int64_t>(n, 0, most));
  return counts;
}

// An edge's size at these values of the program's symbols, all along the axis counting as `along`.
int64_t product(const Program& program, const Edge& e, int axis, const std::vector<int64_t>& symbols, int64_t along) {
  int64_t n = 1;
  for (size_t a = 0; a < e.dims.size(); ++a) {
    if (static_cast<int>(a) == axis) n *= along;
    else n *= e.dims[a].is_number() ? e.dims[a].number : value_at(program, symbols, e.dims[a]);
  }
  return n;
}

// False where the library refuses these dims.
bool push_all(const Program& program, const ExportFiles& files, anydim_streaming_t streaming, const std::vector<int64_t>& symbols,
              StreamCase* c) {
  const Stream& s = *program.stream;
  uint32_t first = 0;
  for (size_t step = 0; step <= c->counts.size(); ++step) {
    const bool last = step == c->counts.size();
    std::vector<std::vector<char>> memory(files.inputs.size());
    std::vector<anydim_view_t> in(files.inputs.size(), anydim_view_t{}), out(files.outputs.size(), anydim_view_t{});
    for (size_t i = 0; i < in.size(); ++i) {
      const Edge& e = files.inputs[i].edge;
      const int axis = s.axis_of(i);
      const int64_t along = last ? 0 : c->counts[step], count = product(program, e, axis, symbols, along);
      in[i].dtype = dtype_of(e.dtype);
      in[i].dims.rank = static_cast<int32_t>(e.dims.size());
      for (size_t a = 0; a < e.dims.size(); ++a)
        in[i].dims.values[a] = static_cast<int>(a) == axis ? along : value_at(program, symbols, e.dims[a]);
      draw(e.dtype, &memory[i], std::max<int64_t>(count, 1), axis < 0 ? 0 : first);
      in[i].data = memory[i].data();
    }
    for (size_t i = 0; i < out.size(); ++i) out[i].dtype = dtype_of(files.outputs[i].edge.dtype);
    if (anydim_streaming_push(streaming, in.data(), static_cast<int32_t>(in.size()), last ? 1 : 0, out.data(),
                              static_cast<int32_t>(out.size()), nullptr) != ANYDIM_STATUS_OK)
      return false;
    for (size_t i = 0; i < out.size(); ++i) {
      const Edge& e = files.outputs[i].edge;
      if (s.outputs[i].axis < 0 && !last) continue;
      int64_t count = 1;
      for (int32_t d = 0; d < out[i].dims.rank; ++d) count *= out[i].dims.values[d];
      c->hash = hash_results(out[i].data, count, dtype_bytes(e.dtype), e.dtype == "f32", c->hash);
      anydim_result_release(out[i].data);
    }
    first += 1000;
  }
  return true;
}

std::vector<StreamCase> stream_cases(const Program& program, const Model& model, const ExportFiles& files) {
  const Stream& s = *program.stream;
  Session session;
  check(anydim_session_create(model.get(), nullptr, nullptr, 1, session.out()));
  std::vector<StreamCase> made;
  for (const bool largest : {true, false}) {
    StreamCase c;
    std::vector<int64_t> symbols;
    for (const Size& size : program.sizes) symbols.push_back(largest ? size.max : size.min);
    for (const ExportFiles::Choice& d : files.dims) c.dims.push_back(symbols[static_cast<size_t>(d.size)]);
    c.counts = counts_of(s.most_chunk);
    for (size_t i = 0; i < files.inputs.size(); ++i) c.elements.push_back(product(program, files.inputs[i].edge, s.axis_of(i), symbols, 1));
    for (size_t i = 0; i < files.outputs.size(); ++i)
      c.products.push_back(product(program, files.outputs[i].edge, s.outputs[i].axis, symbols, 1));
    Streaming streaming;
    check(anydim_streaming_create(session.get(), streaming.out()));
    if (push_all(program, files, streaming.get(), symbols, &c) && (made.empty() || made[0].dims != c.dims)) made.push_back(std::move(c));
  }
  return made;
}

template <class List> std::string row_text(const List& list) {
  std::string t = "{";
  for (const auto v : list) t += formatted("{}{}", t.size() > 1 ? ", " : "", v);
  return list.empty() ? "{0}" : t + "}";
}

// The inputs of a call, or of the flush; then the outputs.
std::string passed(const Program& program, const ExportFiles& files, bool flush) {
  std::string t;
  for (size_t i = 0; i < files.inputs.size(); ++i)
    if (!flush || program.stream->axis_of(i) < 0) t += ", " + array(files.inputs[i]);
  for (const Argument& a : files.outputs) t += ", " + array(a);
  return t;
}

std::string aligned_memory(const std::string& big) {
  return formatted("  unsigned char *const stream = memory + ({0}_ALIGNMENT - (uintptr_t)memory % {0}_ALIGNMENT) % {0}_ALIGNMENT;\n", big);
}

std::string stream_test(const Program& program, const ExportNames& names, const ExportFiles& files, const std::vector<StreamCase>& cases) {
  const Stream& s = *program.stream;
  const std::string &name = names.name, big = upper(name);
  std::string dims, elements, products, hashes;
  for (const StreamCase& c : cases) {
    dims += "    " + row_text(c.dims) + ",\n";
    elements += "    " + row_text(c.elements) + ",\n";
    products += "    " + row_text(c.products) + ",\n";
    hashes += formatted("    UINT64_C(0x{:016x}),\n", c.hash);
  }
  std::string t = formatted(
      "/* {} by chunks, by a hash over the bits of all results in Anydim: exit status 0 if they are the same. */\n#include "
      "<stdio.h>\n#include "
      "<string.h>\n\n#include \"{}.h\"\n\n",
      comment(names.model), name);
  t += arena(big, "STREAM") + arrays(files) + "\n" + kDraw + kHash;
  t += formatted(
      "int main(void) {{\n  static const int64_t dims[][{}] = {{\n{}  }};\n  static const int64_t elements[][{}] = {{\n{}  }};\n  static "
      "const "
      "int64_t results[][{}] = {{\n{}  }};\n  static const uint64_t hashes[] = {{\n{}  }};\n  static const int64_t counts[] = {};\n",
      std::max<size_t>(files.dims.size(), 1), dims, files.inputs.size(), elements, files.outputs.size(), products, hashes,
      row_text(cases[0].counts));
  t += aligned_memory(big);
  t += formatted(
      "  int64_t made[{0}_OUTPUTS];\n  int c, step, status, wrong = 0;\n  for (c = 0; c < {1}; ++c) {{\n    uint64_t h = "
      "UINT64_C(14695981039346656037);\n    uint32_t first = 0;\n    {2}_dims_t d;\n    memset(&d, 0, sizeof d);\n",
      big, cases.size(), name);
  if (files.dims.empty()) t += "    (void)dims;\n";
  for (size_t i = 0; i < files.dims.size(); ++i) t += formatted("    d.{} = dims[c][{}];\n", files.dims[i].name, i);
  t += formatted("    status = {}_stream_open(&d, stream);\n    for (step = 0; status == 0 && step <= {}; ++step) {{\n", name,
                 cases[0].counts.size());
  t += formatted("      const int64_t count = step < {} ? counts[step] : 0;\n      int64_t i;\n", cases[0].counts.size());
  for (size_t i = 0; i < files.inputs.size(); ++i) {
    const bool along = s.axis_of(i) >= 0;
    t += formatted("      for (i = 0; i < elements[c][{}]{}; ++i) {}[i] = {};\n", i, along ? " * count" : "", array(files.inputs[i]),
                   drawn_text(files.inputs[i], along ? "(first + (uint32_t)i)" : "(uint32_t)i"));
  }
  t += formatted(
      "      if (step < {0}) status = {1}_stream_step(stream, count{2}, made);\n      else status = {1}_stream_flush(stream{3}, made);\n   "
      "   if "
      "(status != 0) break;\n",
      cases[0].counts.size(), name, passed(program, files, false), passed(program, files, true));
  for (size_t i = 0; i < files.outputs.size(); ++i) {
    const Argument& a = files.outputs[i];
    t += formatted("      h = hash(h, {}, results[c][{}] * made[{}], {}, {});\n", array(a), i, i, dtype_bytes(a.edge.dtype),
                   a.edge.dtype == "f32" ? 1 : 0);
  }
  t += formatted(
      "      first += 1000;\n    }}\n    if (status != 0 || h != hashes[c]) {{\n      printf(\"case %d: %s\\n\", c, status != 0 ? "
      "{}_status_text(status) : "
      "\"results differ\");\n      wrong = 1;\n    }}\n  }}\n  puts(wrong ? \"results differ\" : \"{} cases: all results have the "
      "library's "
      "bits\");\n  return wrong;\n}}\n",
      name, cases.size());
  return t;
}

std::string stream_example(const Program& program, const ExportNames& names, const ExportFiles& files) {
  const std::string &name = names.name, big = upper(name);
  std::string t = formatted(
      "/* Runs {} by chunks, in memory of fixed size, at the largest dims of its bounds. Inputs are zeros: put yours there. */\n#include "
      "<stdio.h>\n\n#include \"{}.h\"\n\n",
      comment(names.model), name);
  t += arena(big, "STREAM") + arrays(files) + "\nint main(void) {\n" + aligned_memory(big);
  t += formatted("  {}_dims_t dims;\n  int64_t made[{}_OUTPUTS];\n  int status, step;\n", name, big);
  for (const ExportFiles::Choice& c : files.dims)
    t += formatted("  dims.{} = {};\n", c.name, program.sizes[static_cast<size_t>(c.size)].max);
  if (files.dims.empty()) t += "  dims.none = 0;\n";
  t += formatted(
      "  printf(\"%lu bytes of memory are needed\\n\", (unsigned long){0}_stream_bytes(&dims));\n  status = {0}_stream_open(&dims, "
      "stream);\n  for (step = "
      "0; status == {1}_OK && step < 4; ++step) {{\n    status = {0}_stream_step(stream, {1}_CHUNK{2}, made);\n    if (status == {1}_OK) "
      "printf(\"%ld new "
      "elements of {3}\\n\", (long)made[0]);\n  }}\n  if (status == {1}_OK) status = {0}_stream_flush(stream{4}, made);\n  if (status != "
      "{1}_OK) {{\n    "
      "printf(\"%s\\n\", {0}_status_text(status));\n    return 1;\n  }}\n  printf(\"%ld at the end\\n\", (long)made[0]);\n  return "
      "0;\n}}\n",
      name, big, passed(program, files, false), files.outputs.front().name, passed(program, files, true));
  return t;
}

}  // namespace

void add_stream_programs(const Program& program, const ExportNames& names, const Model& model, ExportFiles* files) {
  files->text["main.c"] = stream_example(program, names, *files);
  if (const std::vector<StreamCase> known = stream_cases(program, model, *files); !known.empty())
    files->text["test.c"] = stream_test(program, names, *files, known);
}

}  // namespace anydim_cli::exporting
