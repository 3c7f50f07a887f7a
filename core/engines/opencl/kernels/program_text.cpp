// SPDX-License-Identifier: Apache-2.0
// Puts a program's text together: definitions, then pieces; see program_text.h.
#include "core/engines/opencl/kernels/program_text.h"

#include "core/base/text/format.h"

namespace anydim::opencl {

namespace {

struct SourceFile {
  std::string_view name, text;
};
constexpr SourceFile kFiles[] = {
#include "opencl_sources.inc"
};

std::string post_params(const CompileKey& key, int rows) {
  std::string text;
  for (int i = 0; i < key.post_count; ++i) {
    const PostOpForm& p = key.post_ops[static_cast<size_t>(i)];
    if (p.kind == PostOp::Kind::unary) {
      if (p.chosen_by_call) text += formatted(", const int pf{}", i);
      if (p.chosen_by_call || parameter_count(p.unary) > 0) text += formatted(", const float pa{}, const float pb{}", i, i);
      continue;
    }
    text += formatted(", global const float* p{}, const long p{}o", i, i);
    for (int k = 0; k < rows; ++k) text += formatted(", const long p{}s{}", i, k);
    text += formatted(", const long p{}c", i);
  }
  return text;
}

std::string post_row(const CompileKey& key, int rows) {
  std::string text;
  for (int i = 0; i < key.post_count; ++i) {
    if (key.post_ops[static_cast<size_t>(i)].kind == PostOp::Kind::unary) continue;
    text += formatted("global const float* row_{} = p{} + (p{}o", i, i, i);
    for (int k = 0; k < rows; ++k) text += formatted(" + i{} * p{}s{}", k, i, k);
    text += "); ";
  }
  return text;
}

std::string post(const CompileKey& key) {
  std::string text;
  for (int i = 0; i < key.post_count; ++i) {
    const PostOpForm& p = key.post_ops[static_cast<size_t>(i)];
    if (p.kind == PostOp::Kind::unary) {
      if (p.chosen_by_call) text += formatted("v = u_common(v, pf{}, pa{}, pb{}); ", i, i, i);
      else if (parameter_count(p.unary) > 0) text += formatted("v = {}(v, pa{}, pb{}); ", unary_call(p.unary), i, i);
      else text += formatted("v = {}(v, 0.f, 0.f); ", unary_call(p.unary));
      continue;
    }
    const std::string operand = formatted("load_lanes(row_{} + (column_) * p{}c, p{}c, n_)", i, i, i);
    if (p.kind == PostOp::Kind::binary) text += formatted("v = {}(v, {}); ", binary_call(p.binary), operand);
    else text += formatted("v = {}({}, v); ", binary_call(p.binary), operand);
  }
  return text;
}

bool any_doubles(const CompileKey& key) {
  for (int i = 0; i < key.post_count; ++i) {
    const PostOpForm& p = key.post_ops[static_cast<size_t>(i)];
    if (p.kind == PostOp::Kind::unary ? needs_doubles(p.unary) : needs_doubles(p.binary)) return true;
  }
  return false;
}

}  // namespace

std::string_view source_file(std::string_view name) noexcept {
  for (const SourceFile& f : kFiles)
    if (f.name == name) return f.text;
  return {};
}

ProgramText::ProgramText(const CompileKey& key, int width, int local_x, int local_y, int rows, bool needs_doubles) {
  define("W", width).define("LOCAL_X", local_x).define("LOCAL_Y", local_y).define("ROWS", rows).add("prelude").add("functions");
  if (needs_doubles || any_doubles(key)) add("doubles");
  define("POST_PARAMS", post_params(key, rows)).define("POST_ROW", post_row(key, rows)).define("POST(v, column_, n_)", post(key));
}

ProgramText& ProgramText::define(std::string_view name, std::string_view value) {
  text_.append("#define ").append(name).append(" ").append(value).append("\n");
  return *this;
}
ProgramText& ProgramText::define(std::string_view name, int64_t value) { return define(name, formatted("{}", value)); }
ProgramText& ProgramText::undefine(std::string_view name) {
  text_.append("#undef ").append(name).append("\n");
  return *this;
}
ProgramText& ProgramText::add(std::string_view file) {
  text_ += source_file(file);
  return *this;
}
DeviceSource ProgramText::source(std::vector<std::string> entries) { return {std::move(text_), "", std::move(entries), {}, true}; }
DeviceSource ProgramText::source_with_memory(std::vector<std::string> entries, std::string_view sixteens) {
  return {std::move(text_), "", std::move(entries), formatted("local float4 group[{}];", sixteens), true};
}

bool needs_doubles(UnaryFunction f) noexcept {
  if (f == UnaryFunction::asin || f == UnaryFunction::acos || f == UnaryFunction::atan) return false;
  return f >= UnaryFunction::sin && f <= UnaryFunction::atanh;
}
bool needs_doubles(BinaryFunction f) noexcept { return f == BinaryFunction::pow; }

std::string unary_call(UnaryFunction f) { return std::string("u_") + function_name(f); }
std::string binary_call(BinaryFunction f) { return std::string("b_") + function_name(f); }

}  // namespace anydim::opencl
