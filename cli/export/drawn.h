// SPDX-License-Identifier: Apache-2.0
// What the tests and examples of exported models have in common: inputs that are drawn, so that none have to be stored, hashes of results, and
// arrays of fixed size. draw() here and in the C text are the same. Inline, for programs.cpp and stream_programs.cpp alone.
#pragma once

#include <cstring>

#include "cli/client.h"
#include "cli/export/emit.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

// Numbers in [-1, 1), or 0 and 1 of whole numbers.
inline uint32_t drawn(uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return i ^ (i >> 16);
}

inline constexpr const char* kDraw = R"(static inline uint32_t drawn(uint32_t i) {
  i = (i ^ (i >> 16)) * 0x7feb352du;
  i = (i ^ (i >> 15)) * 0x846ca68bu;
  return i ^ (i >> 16);
}
)";

// From number `first` on.
template <class T> void draw(std::vector<char>* to, int64_t count, uint32_t first = 0) {
  to->resize(static_cast<size_t>(count) * sizeof(T));
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t u = drawn(first + static_cast<uint32_t>(i) + 1);
    T v;
    if constexpr (std::is_same_v<T, float>) v = static_cast<float>(u >> 8) * 0x1p-23f - 1.f;
    else v = static_cast<T>(u & 1u);
    std::memcpy(to->data() + static_cast<size_t>(i) * sizeof(T), &v, sizeof(T));
  }
}

inline void draw(const std::string& dtype, std::vector<char>* to, int64_t count, uint32_t first = 0) {
  if (dtype == "f32") draw<float>(to, count, first);
  else if (dtype == "i64") draw<int64_t>(to, count, first);
  else if (dtype == "i32") draw<int32_t>(to, count, first);
  else draw<uint8_t>(to, count, first);
}
// The same in C: element i.
inline std::string drawn_text(const Argument& a, const std::string& i) {
  return a.edge.dtype == "f32" ? formatted("(float)(drawn({} + 1) >> 8) * 0x1p-23f - 1.f", i)
                               : formatted("({})(drawn({} + 1) & 1u)", a.type, i);
}

// FNV-1a, going on from `h`; any NaN counts as one.
constexpr uint64_t kNoHash = 14695981039346656037u;
inline uint64_t hash_results(const void* data, int64_t count, int64_t size, bool real, uint64_t h = kNoHash) {
  const auto* const bytes = static_cast<const unsigned char*>(data);
  for (int64_t i = 0; i < count; ++i) {
    unsigned char element[8] = {};
    std::memcpy(element, bytes + i * size, static_cast<size_t>(size));
    if (float f = 0; real) {
      std::memcpy(&f, element, sizeof f);
      const uint32_t nan = 0x7fc00000u;
      if (f != f) std::memcpy(element, &nan, sizeof nan);
    }
    for (int64_t k = 0; k < size; ++k) h = (h ^ element[k]) * 1099511628211u;
  }
  return h;
}

inline constexpr const char* kHash = R"(
static uint64_t hash(uint64_t h, const void *data, int64_t count, int size, int real) {
  const unsigned char *const bytes = (const unsigned char *)data;
  int64_t i;
  int k;
  for (i = 0; i < count; ++i) {
    unsigned char element[8] = {0};
    memcpy(element, bytes + i * size, (size_t)size);
    if (real) {
      const uint32_t nan = 0x7fc00000u;
      float f;
      memcpy(&f, element, sizeof f);
      if (f != f) memcpy(element, &nan, sizeof nan);
    }
    for (k = 0; k < size; ++k) h = (h ^ element[k]) * UINT64_C(1099511628211);
  }
  return h;
}

)";

inline anydim_dtype_t dtype_of(const std::string& name) {
  if (name == "f32") return ANYDIM_F32;
  if (name == "i64") return ANYDIM_I64;
  if (name == "i32") return ANYDIM_I32;
  if (name == "i8") return ANYDIM_I8;
  if (name == "u8") return ANYDIM_U8;
  return ANYDIM_BOOL;
}

// A size of the program at these values of its symbols.
inline int64_t value_at(const Program& program, const std::vector<int64_t>& symbols, Dim d) {
  if (d.is_number()) return d.number;
  const Size& s = program.sizes[static_cast<size_t>(d.size)];
  if (s.op == SizeOp::symbol) return symbols[static_cast<size_t>(d.size)];
  const int64_t a = value_at(program, symbols, s.of[0]), b = value_at(program, symbols, s.of[1]);
  switch (s.op) {
    case SizeOp::add: return a + b;
    case SizeOp::sub: return a - b;
    case SizeOp::mul: return a * b;
    case SizeOp::floor_div: return b <= 0 ? 0 : a / b - (a % b < 0 ? 1 : 0);
    case SizeOp::ceil_div: return b <= 0 ? 0 : -(-a / b - (-a % b < 0 ? 1 : 0));
    case SizeOp::trunc_div: return b <= 0 ? 0 : a / b;
    case SizeOp::mod: return b <= 0 ? 0 : (a % b + b) % b;
    case SizeOp::min: return std::min(a, b);
    case SizeOp::max: return std::max(a, b);
    case SizeOp::broadcast: return a == 1 ? b : a;
    case SizeOp::equal: return a == b ? 1 : 0;
    case SizeOp::less: return a < b ? 1 : 0;
    case SizeOp::select: return value_at(program, symbols, s.of[2]) != 0 ? a : b;
    case SizeOp::symbol: break;
  }
  return 0;
}

// Its array in the example and in the test, whose own names are shorter.
inline std::string array(const Argument& a) { return a.name + "_values"; }
inline std::string arguments(const ExportFiles& files) {
  std::string t;
  for (const auto* list : {&files.inputs, &files.outputs})
    for (const Argument& a : *list) t += ", " + array(a);
  return t;
}
inline std::string arrays(const ExportFiles& files) {
  std::string t;
  for (const auto* list : {&files.inputs, &files.outputs})
    for (const Argument& a : *list) t += formatted("static {} {}[{}];\n", a.type, array(a), a.elements);
  return t;
}

// Memory of fixed size, aligned by hand: C99 has no word for it.
inline std::string arena(const std::string& big, const char* what = "ARENA") {
  return formatted("static unsigned char memory[{0}_{1}_BYTES + {0}_ALIGNMENT];\n", big, what);
}

}  // namespace anydim_cli::exporting
