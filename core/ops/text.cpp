// SPDX-License-Identifier: Apache-2.0
// Operators and post-ops from text; see text.h.
#include "core/ops/text.h"

#include <charconv>

#include "core/ops/attribute_reader.h"

namespace anydim {

namespace {

template <class T> bool parse_whole(std::string_view word, T* out) noexcept {
  T value{};
  const auto [end, bad] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (bad != std::errc() || end != word.data() + word.size()) return false;
  *out = value;
  return true;
}

template <class F> bool find_function(std::string_view name, F* out) noexcept {
  for (int i = 0; i < static_cast<int>(F::count_); ++i)
    if (name == function_name(static_cast<F>(i))) return *out = static_cast<F>(i), true;
  return false;
}

}  // namespace

bool parse_number(std::string_view word, int64_t* out) noexcept { return parse_whole(word, out); }
bool parse_number(std::string_view word, double* out) noexcept { return parse_whole(word, out); }
bool parse_number(std::string_view word, float* out) noexcept { return parse_whole(word, out); }

bool parse_function(std::string_view name, UnaryFunction* out) noexcept { return find_function(name, out); }
bool parse_function(std::string_view name, BinaryFunction* out) noexcept { return find_function(name, out); }

bool parse_dtype(std::string_view name, DType* out) noexcept {
  for (int t = 0; t <= kLastDType; ++t)
    if (name == dtype_name(static_cast<DType>(t))) return *out = static_cast<DType>(t), true;
  return false;
}

Status parse_operator(OpKind kind, std::string_view text, size_t from, ReadDims read_dims, void* context, OperatorPtr* out) {
  AttributeReader reader(kind, read_dims, context);
  ANYDIM_TRY(reader.split(text, from));
  const auto fill = [](void* r, void* attributes) { return static_cast<AttributeReader*>(r)->read(attributes); };
  auto made = make_operator(kind, fill, &reader);
  if (!made.ok()) return made.take_status();
  *out = std::move(*made);
  return {};
}

Status parse_operator(std::string_view text, OperatorPtr* out) {
  const size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const size_t end = std::min(text.find(' ', begin), text.size());
  const std::string_view name = text.substr(begin, end - begin);
  OpKind kind;
  if (!find_operator(name, &kind)) return invalid("`{}` at byte {} is no operator", name, begin);
  return parse_operator(kind, text, end, nullptr, nullptr, out);
}

Status parse_post_ops(std::string_view text, PostOps* out) {
  PostOps chain;
  for (size_t at = text.find_first_not_of(' '); at < text.size(); at = text.find_first_not_of(' ', at)) {
    const size_t end = std::min(text.find(' ', at), text.size());
    const std::string_view step = text.substr(at, end - at);
    const size_t open = std::min(step.find('('), step.size());
    const std::string_view name = step.substr(0, open);
    std::string_view inside;
    if (open < step.size()) {
      if (step.back() != ')') return invalid("post-op `{}` at byte {} has no closing bracket", step, at);
      inside = step.substr(open + 1, step.size() - open - 2);
    }
    PostOp p;
    if (inside == "t" || inside == "t,y") {
      p.kind = inside == "t" ? PostOp::Kind::binary : PostOp::Kind::binary_reversed;
      if (!parse_function(name, &p.binary)) return invalid("post-op `{}` at byte {}: `{}` is no function of two elements", step, at, name);
    } else {
      if (!parse_function(name, &p.unary)) return invalid("post-op `{}` at byte {}: `{}` is no function of one element", step, at, name);
      const int n = parameter_count(p.unary);
      const size_t comma = std::min(inside.find(','), inside.size());
      const bool good = n == 0   ? open == step.size()
                        : n == 1 ? parse_number(inside, &p.alpha)
                                 : comma < inside.size() && parse_number(inside.substr(0, comma), &p.alpha) &&
                                       parse_number(inside.substr(comma + 1), &p.beta);
      if (!good) return invalid("post-op `{}` at byte {}: expected {} number{} in brackets", step, at, n, n == 1 ? "" : "s");
    }
    if (!chain.append(p)) return invalid("post-op `{}` at byte {}: a chain has at most {}", step, at, kMaxPostOps);
    at = end;
  }
  *out = chain;
  return {};
}

}  // namespace anydim
