// SPDX-License-Identifier: Apache-2.0
// The header of an exported model, which is its manual.
#include <algorithm>

#include "cli/export/writer.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

namespace {

std::string dims_text(const Edge& e) {
  std::string dims;
  for (const std::string& d : e.text) dims += (dims.empty() ? "" : ", ") + d;
  return comment(dims);
}

}  // namespace

std::string Writer::header(int64_t arena) {
  std::string t = formatted("/* {}, exported by `anydim export` (docs/export.md): a neural network in C99 without a library. */\n", from_);
  t += formatted(
      "#ifndef {0}_H\n#define {0}_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n", big_);
  t += struct_of_dims() + numbers_of(arena) + statuses() + (p_.stream != nullptr ? stream_header() : functions());
  return t + "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

std::string Writer::struct_of_dims() {
  const auto& fields = sizes_.fields();
  std::string t = formatted("/* Dims of the inputs that the caller chooses{} */\ntypedef struct {}_dims_t {{\n",
                            fields.empty() ? "; there are none here." : ".", name_);
  for (const SizeCode::Field& f : fields) {
    const Size& s = p_.sizes[static_cast<size_t>(f.size)];
    t += formatted("  int64_t {}; /* {} to {}{}: {} */\n", f.name, s.min, s.max,
                   s.multiple_of > 1 ? formatted(", a multiple of {}", s.multiple_of) : "", comment(f.text));
  }
  if (fields.empty()) t += "  int32_t none; /* 0 */\n";
  return t + formatted("}} {}_dims_t;\n\n", name_);
}

std::string Writer::numbers_of(int64_t arena) {
  const bool streams = p_.stream != nullptr;
  std::string t =
      formatted("/* Bytes of memory that {} at most, and its alignment. */\n#define {}_{}_BYTES {}u\n#define {}_ALIGNMENT 64u\n\n",
                streams ? "a stream needs" : "any dims need", big_, streams ? "STREAM" : "ARENA", arena, big_);
  if (streams)
    t += formatted("/* Elements of a step along the axis at most, and outputs. */\n#define {0}_CHUNK {1}\n#define {0}_OUTPUTS {2}\n\n",
                   big_, p_.stream->most_chunk, p_.outputs.size());
  t += streams ? "/* Elements of a step at most. */\n" : "/* Elements at most. */\n";
  each_edge([&](const Edge& e, const std::string& name, bool) {
    int64_t n = 1;
    for (const Dim d : e.dims) n *= p_.most(d);
    t += formatted("#define {}_{}_ELEMENTS {}u\n", big_, upper(name), n);
  });
  return t;
}

std::string Writer::statuses() {
  std::string t = formatted(
      "\n/* What functions return: 0, or why nothing was done; {}_status_text() has a sentence for each. */\nenum {{\n  {}_OK = 0,\n  "
      "{}_BAD_ARENA = 1,\n  {}_NULL = 2,\n  {}_BAD_DATA = 3",
      name_, big_, big_, big_, big_);
  int status = 4;
  if (p_.stream != nullptr) {
    for (const char* const what : {"ENDED", "BAD_COUNT", "BAD_END"}) t += formatted(",\n  {}_{} = {}", big_, what, status++);
  }
  for (const SizeCode::Field& f : sizes_.fields()) t += formatted(",\n  {}_BAD_{} = {}", big_, upper(f.name), status++);
  return t + formatted("\n}};\nconst char *{}_status_text(int status);\n\n", name_);
}

std::string Writer::functions() {
  const bool within = std::any_of(blocks_.begin() + 1, blocks_.end(), [](const Block& b) { return !b.checks.empty(); });
  std::string inputs, outputs;
  int output = 0;
  each_edge([&](const Edge& e, const std::string& name, bool is_output) {
    if (is_output) outputs += formatted("     {}  {} [{}]\n", output++, name, dims_text(e));
    else inputs += formatted("     {} [{}]\n", name, dims_text(e));
  });
  return formatted(
      "/* Bytes that these dims need; 0 if they are refused. */\nsize_t {0}_bytes(const {0}_dims_t *dims);\n\n"
      "/* Dims of an output, from 0 on, into room for its rank:\n{1}   Returns a status. */\n"
      "int {0}_output_dims(const {0}_dims_t *dims, int output, int64_t *to);\n\n"
      "/* Runs the network. Tensors are dense and row-major:\n{2}"
      "   The arena is {0}_bytes(dims) bytes, aligned to 64; nothing in it has to be kept between calls, and calls with arenas\n"
      "   of their own may run at once. Outputs overlap no input. Returns a status; unless it is 0{5} nothing was written. "
      "*/\n"
      "int {0}_run(const {0}_dims_t *dims, void *arena{4});\n\n{6}",
      name_, outputs, inputs, big_, parameters(),
      within ? ", " + big_ + "_BAD_DATA or of a node in a branch or loop" : " or " + big_ + "_BAD_DATA", with_threads());
}

std::string Writer::with_threads() {
  if (names_.threads < 2) return "";
  return formatted(
      "/* Calls task(step, i) for each i from 0 to parts - 1, in any order and on any threads, and returns when all are done. */\n"
      "typedef void {0}_task(void *step, int part);\n"
      "typedef void {0}_parallel_for(void *user, {0}_task *task, void *step, int parts);\n\n"
      "/* The same on several threads, with the same bits: steps that are worth it are cut into {1}_PARTS at most. Null: one thread. */\n"
      "#define {1}_PARTS {2}\n"
      "int {0}_run_with(const {0}_dims_t *dims, void *arena{3}, {0}_parallel_for *parallel_for, void *user);\n\n",
      name_, big_, names_.threads, parameters());
}

}  // namespace anydim_cli::exporting
