// SPDX-License-Identifier: Apache-2.0
// The Makefile, the example and the test of an exported model; see programs.h.
#include "cli/export/programs.h"

#include <algorithm>
#include <cstring>

#include "cli/export/drawn.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

namespace {

struct Case {
  std::vector<int64_t> dims;
  std::vector<uint64_t> hashes;
};

// The library's results at some dims that it accepts: the largest, the smallest, and between.
std::vector<Case> cases(const Program& program, const Model& model, const ExportFiles& files) {
  std::vector<Case> made;
  Context context;
  check(anydim_context_create(model.get(), nullptr, nullptr, context.out()));
  constexpr int kTries = 24, kCases = 4;
  constexpr int64_t kMostElements = 4 << 20;
  for (int attempt = 0; attempt < kTries && static_cast<int>(made.size()) < kCases; ++attempt) {
    std::vector<int64_t> symbols;
    for (const Size& s : program.sizes) symbols.push_back(s.min);
    Case c;
    for (size_t k = 0; k < files.dims.size(); ++k) {
      const Size& s = program.sizes[static_cast<size_t>(files.dims[k].size)];
      const int64_t span = s.max - s.min + 1;
      // Dims that many networks round up to come among the first.
      int64_t v = attempt == 0   ? s.max
                  : attempt == 1 ? s.min
                                 : s.min + static_cast<int64_t>(drawn(static_cast<uint32_t>(attempt * 64 + static_cast<int>(k))) %
                                                                static_cast<uint32_t>(std::min<int64_t>(span, INT32_MAX)));
      if (attempt % 2 == 0 && attempt > 0) v = std::max(s.min, v / 32 * 32);
      v = std::max(s.min, v / s.multiple_of * s.multiple_of);
      symbols[static_cast<size_t>(files.dims[k].size)] = v;
      c.dims.push_back(v);
    }
    if (std::any_of(made.begin(), made.end(), [&](const Case& other) { return other.dims == c.dims; })) continue;
    const auto at = [&](Dim d) { return value_at(program, symbols, d); };
    std::vector<std::vector<char>> memory(files.inputs.size());
    std::vector<anydim_view_t> in(files.inputs.size()), out(files.outputs.size());
    int64_t elements = 0;
    for (size_t i = 0; i < files.inputs.size(); ++i) {
      const Edge& e = files.inputs[i].edge;
      anydim_view_t& v = in[i];
      v = anydim_view_t{};
      v.dtype = dtype_of(e.dtype);
      v.dims.rank = static_cast<int32_t>(e.dims.size());
      int64_t count = 1;
      for (size_t d = 0; d < e.dims.size(); ++d) count *= v.dims.values[d] = at(e.dims[d]);
      elements += count;
      draw(e.dtype, &memory[i], count);
      v.data = memory[i].data();
    }
    if (elements > kMostElements) continue;
    for (size_t i = 0; i < out.size(); ++i) {
      out[i] = anydim_view_t{};
      out[i].dtype = dtype_of(files.outputs[i].edge.dtype);
    }
    if (anydim_context_run(context.get(), in.data(), static_cast<int32_t>(in.size()), out.data(), static_cast<int32_t>(out.size()),
                           nullptr) != ANYDIM_STATUS_OK)
      continue;  // dims that do not go together
    for (size_t i = 0; i < out.size(); ++i) {
      int64_t count = 1;
      for (int32_t d = 0; d < out[i].dims.rank; ++d) count *= out[i].dims.values[d];
      const Edge& e = files.outputs[i].edge;
      c.hashes.push_back(hash_results(out[i].data, count, dtype_bytes(e.dtype), e.dtype == "f32"));
    }
    made.push_back(std::move(c));
  }
  return made;
}

std::string test(const ExportNames& names, const std::vector<Case>& cases, const ExportFiles& files) {
  const std::string& name = names.name;
  std::string big = name;
  for (char& c : big) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string t = formatted(
      "/* Results of {} at some dims, by the hashes of their bits in Anydim: exit status 0 if all are the same. */\n#include "
      "<stdio.h>\n#include <string.h>\n\n#include \"{}.h\"\n\n",
      names.model, name);
  t += arena(big) + arrays(files) + "\n" + kDraw;
  t += kHash;
  t += formatted("int main(void) {{\n  static const int64_t dims[][{}] = {{\n", std::max<size_t>(files.dims.size(), 1));
  for (const Case& c : cases) {
    t += "    {";
    for (size_t i = 0; i < c.dims.size(); ++i) t += formatted("{}{}", i > 0 ? ", " : "", c.dims[i]);
    t += c.dims.empty() ? "0},\n" : "},\n";
  }
  t += formatted("  }};\n  static const uint64_t hashes[][{}] = {{\n", files.outputs.size());
  for (const Case& c : cases) {
    t += "    {";
    for (size_t i = 0; i < c.hashes.size(); ++i) t += formatted("{}UINT64_C(0x{:016x})", i > 0 ? ", " : "", c.hashes[i]);
    t += "},\n";
  }
  t += formatted(
      "  }};\n  unsigned char *const arena = memory + ({}_ALIGNMENT - (uintptr_t)memory % {}_ALIGNMENT) % {}_ALIGNMENT;\n  int64_t to[8], "
      "count;\n  uint32_t i;\n  int c, k, wrong = 0, status;\n",
      big, big, big);
  for (const Argument& a : files.inputs)
    t += formatted("  for (i = 0; i < {}; ++i) {}[i] = {};\n", a.elements, array(a), drawn_text(a, "i"));
  t += formatted("  for (c = 0; c < {}; ++c) {{\n    {}_dims_t d;\n    memset(&d, 0, sizeof d);\n", cases.size(), name);
  if (files.dims.empty()) t += "    (void)dims;\n";
  for (size_t i = 0; i < files.dims.size(); ++i) t += formatted("    d.{} = dims[c][{}];\n", files.dims[i].name, i);
  t += formatted(
      "    status = {}_run(&d, arena{});\n    if (status != {}_OK) {{\n      printf(\"case %d: %s\\n\", c, {}_status_text(status));\n      "
      "return 1;\n    }}\n",
      name, arguments(files), big, name);
  for (size_t i = 0; i < files.outputs.size(); ++i) {
    const Argument& a = files.outputs[i];
    t += formatted(
        "    status = {}_output_dims(&d, {}, to);\n    for (count = 1, k = 0; k < {}; ++k) count *= to[k];\n    if (status != {}_OK || "
        "hash(UINT64_C(14695981039346656037), {}, count, {}, {}) != hashes[c][{}]) {{\n      printf(\"case %d: {} differs\\n\", c);\n      "
        "wrong = 1;\n    }}\n",
        name, i, a.edge.dims.size(), big, array(a), dtype_bytes(a.edge.dtype), a.edge.dtype == "f32" ? 1 : 0, i, a.name);
  }
  t += formatted("  }}\n  puts(wrong ? \"results differ\" : \"{} cases: all results have the library's bits\");\n  return wrong;\n}}\n",
                 cases.size());
  return t;
}

std::string example(const Program& program, const ExportNames& names, const ExportFiles& files) {
  const std::string& name = names.name;
  std::string big = name;
  for (char& c : big) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  std::string t = formatted(
      "/* Runs {} once, in memory of fixed size, at the largest dims of its bounds. Inputs are zeros: put yours there. */\n#include "
      "<stdio.h>\n\n#include \"{}.h\"\n\n",
      names.model, name);
  t += arena(big) + arrays(files) + "\nint main(void) {\n";
  t += formatted(
      "  unsigned char *const arena = memory + ({}_ALIGNMENT - (uintptr_t)memory % {}_ALIGNMENT) % {}_ALIGNMENT;\n  {}_dims_t dims;\n  int "
      "status;\n",
      big, big, big, name);
  for (const ExportFiles::Choice& c : files.dims)
    t += formatted("  dims.{} = {};\n", c.name, program.sizes[static_cast<size_t>(c.size)].max);
  if (files.dims.empty()) t += "  dims.none = 0;\n";
  t += formatted(
      "  printf(\"%lu bytes of the arena are needed\\n\", (unsigned long){}_bytes(&dims));\n  status = {}_run(&dims, arena{});\n  if "
      "(status != {}_OK) {{\n    printf(\"%s\\n\", {}_status_text(status));\n    return 1;\n  }}\n",
      name, name, arguments(files), big, name);
  const Argument& y = files.outputs.front();
  t += formatted("  printf(\"{}[0] is %g\\n\", (double){}[0]);\n  return 0;\n}}\n", y.name, array(y));
  return t;
}

}  // namespace

void add_programs(const Program& program, const ExportNames& names, bool weights_as_c, const Model& model, ExportFiles* files) {
  const std::string& name = names.name;
  if (program.stream != nullptr) {
    add_stream_programs(program, names, model, files);
  } else {
    files->text["main.c"] = example(program, names, *files);
    if (const std::vector<Case> known = cases(program, model, *files); !known.empty()) files->text["test.c"] = test(names, known, *files);
  }
  const bool tested = files->text.count("test.c") > 0;
  files->text["Makefile"] = formatted(
      "# Compiles {0} as an archive, an example and a test. CFLAGS name the machine: -O3 -mavx2 -mfma, -O3 -mcpu=cortex-m7, ...\n"
      "CFLAGS ?= -O3 -march=native\n"
      "FLAGS = -std=c99 -ffp-contract=off -ffunction-sections -fdata-sections $(CFLAGS)\n"
      "LINK = -Wl,--gc-sections\n"
      "KERNELS ={4}\n"
      "OBJECTS = {0}.o {0}_kernels.o {0}_weights.o\n\n"
      "all: lib{0}.a main{2}\n"
      "lib{0}.a: $(OBJECTS)\n\t$(AR) rcs $@ $(OBJECTS)\n"
      "%.o: %.c {0}.h {0}_kernels.h {0}_weights.h\n\t$(CC) $(FLAGS) -c $< -o $@\n"
      "{1}"
      "main: main.o lib{0}.a\n\t$(CC) $(FLAGS) $(LINK) $^ $(KERNELS) -o $@ -lm\n"
      "{3}"
      "clean:\n\trm -f *.o lib{0}.a main test\n"
      ".PHONY: all check clean\n",
      name, weights_as_c ? "" : formatted("{0}_weights.o: {0}_weights.S {0}_weights.bin\n\t$(CC) -c $< -o $@\n", name),
      tested ? " test" : "",
      tested ? formatted("test: test.o lib{0}.a\n\t$(CC) $(FLAGS) $(LINK) $^ $(KERNELS) -o $@ -lm\ncheck: test\n\t./test\n", name)
             : std::string("check:\n"),
      names.archive != nullptr ? " " + names.archive->file() : std::string());
}

}  // namespace anydim_cli::exporting
