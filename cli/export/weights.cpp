// SPDX-License-Identifier: Apache-2.0
// The weights of an exported model: arrays by dtype, each constant once, at multiples of 64 bytes.
#include <cstring>
#include <type_traits>

#include "cli/export/emit.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

namespace {

constexpr size_t kAlignment = 64;

template <class T> int64_t append(std::vector<T>& to, const T* values, size_t count) {
  const size_t step = kAlignment / sizeof(T), at = (to.size() + step - 1) / step * step;
  to.resize(at);
  to.insert(to.end(), values, values + count);
  return static_cast<int64_t>(at);
}

uint64_t hash_of(const std::vector<float>& values) {
  uint64_t h = 14695981039346656037u ^ values.size();
  for (const float v : values) {
    uint32_t bits = 0;
    std::memcpy(&bits, &v, sizeof bits);
    h = (h ^ bits) * 1099511628211u;
  }
  return h;
}

template <class T> std::string number_text(T v) {
  if constexpr (std::is_same_v<T, float>) return real_text(v);
  else if constexpr (sizeof(T) == 8) return v == INT64_MIN ? "(-INT64_C(9223372036854775807) - 1)" : literal(v);
  else return formatted("{}", static_cast<int64_t>(v));
}
template <class T>
void write_array(const std::string& name, const char* type, const char* array, const std::vector<T>& values, std::string* declared,
                 std::string* defined) {
  if (values.empty() && std::strcmp(array, "f32") != 0) return;
  const size_t count = std::max<size_t>(values.size(), 1);
  *declared += formatted("extern const {} {}_{}[{}];\n", type, name, array, count);
  *defined += formatted("ALIGNED const {} {}_{}[{}] = {{", type, name, array, count);
  for (size_t i = 0; i < values.size(); ++i) {
    *defined += i % 8 == 0 ? "\n  " : " ";
    *defined += number_text(values[i]) + ",";
  }
  *defined += values.empty() ? "0};\n\n" : "\n};\n\n";
}

template <class T>
void write_bytes(const std::string& name, const char* type, const char* array, const std::vector<T>& values, std::string* declared,
                 std::string* lines, std::string* bytes) {
  if (values.empty() && std::strcmp(array, "f32") != 0) return;
  bytes->resize((bytes->size() + 63) / 64 * 64);
  const size_t count = std::max<size_t>(values.size(), 1), at = bytes->size();
  *declared += formatted("extern const {} {}_{}[{}];\n", type, name, array, count);
  bytes->append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  if (values.empty()) bytes->append(sizeof(T), '\0');
  *lines += formatted("  .globl SYMBOL({0}_{1})\n  .balign 64\nSYMBOL({0}_{1}):\n  .incbin \"{0}_weights.bin\", {2}, {3}\n", name, array,
                      at, count * sizeof(T));
}

}  // namespace

int64_t Weights::add(const std::vector<float>& values) {
  const uint64_t h = hash_of(values);
  const auto [begin, end] = floats_.equal_range(h);
  for (auto i = begin; i != end; ++i)
    if (i->second.second == static_cast<int64_t>(values.size()) &&
        std::memcmp(f32.data() + i->second.first, values.data(), values.size() * sizeof(float)) == 0)
      return i->second.first;
  const int64_t at = append(f32, values.data(), values.size());
  floats_.emplace(h, std::pair(at, static_cast<int64_t>(values.size())));
  return at;
}

int64_t Weights::add_bytes(const std::vector<int8_t>& values) { return append(i8, values.data(), values.size()); }
int64_t Weights::add_whole(const std::vector<int32_t>& values) { return append(i32, values.data(), values.size()); }

int64_t Weights::add(const Program& program, const Tensor& t) {
  const auto count = static_cast<size_t>(element_count(t.dims));
  if (t.dtype == "f32") {
    const auto* const values = program.elements<float>(t);
    return add(std::vector<float>(values, values + count));
  }
  const auto [known, first] = constants_.try_emplace(t.constant, 0);
  if (!first) return known->second;
  if (t.dtype == "i64") known->second = append(i64, program.elements<int64_t>(t), count);
  else if (t.dtype == "i32") known->second = append(i32, program.elements<int32_t>(t), count);
  else if (t.dtype == "i8") known->second = append(i8, program.elements<int8_t>(t), count);
  else if (t.dtype == "u8" || t.dtype == "bool") known->second = append(u8, program.elements<uint8_t>(t), count);
  else throw Unsupported("weights of dtype " + t.dtype);
  return known->second;
}

void write_weights(const Weights& w, const std::string& name, const std::string& from, bool as_c, ExportFiles* files) {
  const std::string big = upper(name);
  std::string declared, defined, lines, bytes;
  const auto each = [&](auto f) {
    f("float", "f32", w.f32);
    f("int64_t", "i64", w.i64);
    f("int32_t", "i32", w.i32);
    f("int8_t", "i8", w.i8);
    f("uint8_t", "u8", w.u8);
  };
  std::string h = formatted(
      "/* The weights of {}, by dtype; each begins at a multiple of 64 bytes. */\n#ifndef {}_WEIGHTS_H\n#define {}_WEIGHTS_H\n\n#include "
      "<stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
      from, big, big);
  if (as_c) {
    each([&](const char* type, const char* array, const auto& values) { write_array(name, type, array, values, &declared, &defined); });
    files->text[name + "_weights.c"] =
        formatted(
            "/* The weights of {}; see {}_weights.h. */\n#include <math.h>\n\n#include \"{}_weights.h\"\n\n#if "
            "defined(__GNUC__)\n#define ALIGNED __attribute__((aligned(64)))\n#else\n#define ALIGNED\n#endif\n\n",
            from, name, name) +
        defined;
  } else {
    each([&](const char* type, const char* array, const auto& values) {
      write_bytes(name, type, array, values, &declared, &lines, &bytes);
    });
    files->text[name + "_weights.S"] =
        formatted(
            "/* The weights of {} out of {}_weights.bin; see {}_weights.h. */\n#if defined(__APPLE__)\n#define SYMBOL(name) _##name\n  "
            ".section __TEXT,__const\n#else\n#define SYMBOL(name) name\n  .section .rodata, \"a\"\n#endif\n",
            from, name, name) +
        lines + "#if defined(__ELF__)\n  .section .note.GNU-stack, \"\", %progbits\n#endif\n";
    files->text[name + "_weights.bin"] = bytes;
  }
  files->text[name + "_weights.h"] = h + declared + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  files->weight_bytes = static_cast<int64_t>(w.f32.size() * 4 + w.i64.size() * 8 + w.i32.size() * 4 + w.i8.size() + w.u8.size());
}

}  // namespace anydim_cli::exporting
