// SPDX-License-Identifier: Apache-2.0
// Names, numbers and comments as C has them, and the functions that the kernels know.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdio>

#include "cli/export/emit.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

namespace {

constexpr const char* kUnary[] = {
    "identity", "relu",   "leaky_relu", "clip",       "hard_sigmoid", "hard_swish",       "sigmoid", "silu",     "tanh",      "exp",
    "log",      "sqrt",   "reciprocal", "abs",        "neg",          "square",           "erf",     "gelu_erf", "gelu_tanh", "softplus",
    "softsign", "mish",   "elu",        "selu",       "celu",         "thresholded_relu", "shrink",  "floor",    "ceil",      "round_even",
    "sign",     "affine", "quick_gelu", "scaled_tanh"};
constexpr const char* kBinary[] = {"add", "sub", "mul", "div", "min", "max", "prelu"};

}  // namespace

std::string upper(std::string s) {
  for (char& c : s) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return s;
}

// A name of C: letters, digits and underscores.
std::string identifier(const std::string& from) {
  std::string s;
  for (const char c : from) s += std::isalnum(static_cast<unsigned char>(c)) != 0 && (c & 0x80) == 0 ? c : '_';
  if (s.empty() || std::isdigit(static_cast<unsigned char>(s[0])) != 0) s.insert(0, "d");
  return s;
}

// Nothing that ends a comment, or a line.
std::string comment(std::string s) {
  for (size_t i = 0; i < s.size(); ++i)
    if (static_cast<unsigned char>(s[i]) < 0x20 || s[i] == '\\' || (s[i] == '/' && i > 0 && s[i - 1] == '*') ||
        (s[i] == '*' && i > 0 && s[i - 1] == '/'))
      s[i] = ' ';
  return s;
}
std::string quoted(const std::string& s) {
  std::string out;
  for (const char c : comment(s)) {
    if (c == '"') out += '\\';
    out += c == '?' ? ' ' : c;
  }
  return out;
}

const char* c_type(const std::string& dtype) {
  if (dtype == "f32") return "float";
  if (dtype == "i64") return "int64_t";
  if (dtype == "i32") return "int32_t";
  if (dtype == "i8") return "int8_t";
  return "uint8_t";  // u8, bool
}

std::string literal(int64_t n) {
  return n < 0 ? formatted("-INT64_C({})", -n) : n > INT32_MAX ? formatted("INT64_C({})", n) : formatted("{}", n);
}

bool has_unary(const std::string& function) {
  return std::any_of(std::begin(kUnary), std::end(kUnary), [&](const char* k) { return function == k; });
}
bool has_binary(const std::string& function) {
  return std::any_of(std::begin(kBinary), std::end(kBinary), [&](const char* k) { return function == k; });
}

std::string real_text(float v) {
  if (std::isnan(v)) return "NAN";
  if (std::isinf(v)) return v > 0 ? "INFINITY" : "-INFINITY";
  if (v == 0) return std::signbit(v) ? "-0.f" : "0.f";
  char text[40];
  std::snprintf(text, sizeof text, "%af", static_cast<double>(v));
  return text;
}

std::string list_text(const std::vector<int64_t>& values) {
  std::string t = "{";
  for (size_t i = 0; i < values.size(); ++i) t += formatted("{}{}", i > 0 ? ", " : "", values[i]);
  return t + "}";
}

}  // namespace anydim_cli::exporting
