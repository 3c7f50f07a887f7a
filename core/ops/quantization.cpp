// SPDX-License-Identifier: Apache-2.0
// What can be said of which operands, and its text; see quantization.h.
#include "core/ops/quantization.h"

#include <cmath>

#include "core/ops/conv_transpose.h"
#include "core/ops/matmul.h"
#include "core/ops/operator_bytes.h"
#include "core/ops/text.h"

namespace anydim {

namespace {

using Factors = Quantization::Factors;

bool is_8_bit(DType t) noexcept { return t == DType::i8 || t == DType::u8; }
bool is_computed_float(DType t) noexcept { return t == DType::f32 || dtype_is_half(t); }

std::string operand_name(int operand) { return operand == Quantization::kResult ? "the result" : formatted("input {}", operand); }

Status check_factors(const Factors& f, const char* what, int operand, DType dtype) {
  if (!f.given()) return {};
  if (!is_8_bit(dtype))
    return invalid("{} has a {}; its dtype is {}, expected i8 or u8", operand_name(operand), what, dtype_name(dtype)).about("attr");
  if (f.from == Factors::From::attribute && f.values.empty())
    return invalid("{} has no value for its {}; expected one or more", operand_name(operand), what).about("attr");
  if (f.from == Factors::From::attribute && f.axis < 0 && f.values.size() != 1)
    return invalid("{} has {} {}s for the whole tensor; expected 1, or an axis", operand_name(operand), f.values.size(), what)
        .about("attr");
  return {};
}

}  // namespace

int Quantization::tensors(Tensor (&out)[kMostTensors]) const noexcept {
  int n = 0;
  for (int o = 0; o < kOperands; ++o) {
    if (scale[o].from == Factors::From::operand) out[n++] = {&scale[o], o, true};
    if (zero_point[o].from == Factors::From::operand) out[n++] = {&zero_point[o], o, false};
  }
  return n;
}

int Quantization::axis_of_result(const Operator& op, int operand, int axis, int a, int b, int rank) noexcept {
  if (operand == kResult) return axis;
  if (const auto* matmul = as<Matmul>(op)) {
    const bool transposed = operand == 0 ? matmul->get().transpose_a : matmul->get().transpose_b;
    const int own = operand == 0 ? a : b;
    if (own < 2 || axis != own - ((operand == 0) == transposed ? 1 : 2)) return -1;  // rows of a, columns of b
    return operand == 1 || b < 2 ? rank - 1 : rank - 2;                              // a product with a vector has no columns
  }
  if (operand == 0) return axis == 0 ? 0 : -1;
  const auto* transposed = as<ConvTranspose>(op);
  if (transposed && transposed->get().group != 1) return -1;  // an index of the axis is one channel of each group
  return axis == (transposed ? 1 : 0) ? 1 : -1;
}

Status Quantization::check(const Operator& op, std::span<const TensorType> in, DType* result_dtype) const {
  if (!has_trait(op.kind(), Trait::quantizes))
    return unimplemented("operator {} takes no scales, zero points or dtype of the result; matmul, convolution and conv_transpose do",
                         op.name())
        .about("attr");
  if (in.size() < 2) return invalid("{} inputs; {} expects 2 or 3", in.size(), op.name());
  const DType a = in[0].dtype, b = in[1].dtype, c = in.size() > 2 ? in[2].dtype : DType::none;
  const bool integers = is_8_bit(a);
  if (integers ? !is_8_bit(b) : !(is_computed_float(a) && b == a))
    return unimplemented(
        "inputs 0 and 1 are {} and {}; with scales, zero points or a dtype of the result expected i8 or u8 for each, or "
        "f32, f16 or bf16 for both",
        dtype_name(a), dtype_name(b));
  if (c != DType::none && (integers ? c != DType::i32 && c != DType::f32 : c != a))
    return unimplemented("input 2 is {}; expected {}", dtype_name(c), integers ? "i32 or f32" : dtype_name(a));
  if (const auto* m = as<Matmul>(op); m && integers && (m->get().alpha != 1.f || m->get().beta != 1.f))
    return unimplemented("alpha is {} and beta {} with inputs of 8 bits; expected 1 (scales multiply)", m->get().alpha, m->get().beta);
  DType to = result;
  if (to == DType::none) to = !integers ? a : scale[0].given() || scale[1].given() || c == DType::f32 ? DType::f32 : DType::i32;
  if (!is_8_bit(to) && !is_computed_float(to) && to != DType::i32)
    return unimplemented("the result's dtype is {}; expected f32, f16, bf16, i8, u8 or i32", dtype_name(to)).about("attr");
  const DType dtypes[kOperands] = {a, b, to};
  for (int o = 0; o < kOperands; ++o) {
    ANYDIM_TRY(check_factors(scale[o], "scale", o, dtypes[o]));
    ANYDIM_TRY(check_factors(zero_point[o], "zero point", o, dtypes[o]));
    for (const float v : scale[o].values)
      if (!(v > 0 && std::isfinite(v)))
        return invalid("{} has a scale of {}; expected a finite number above 0", operand_name(o), v).about("attr");
    const float low = dtypes[o] == DType::i8 ? -128.f : 0.f;
    for (const float v : zero_point[o].values)
      if (v < low || v > low + 255)
        return invalid("{} has a zero point of {}; expected {} to {}", operand_name(o), v, low, low + 255).about("attr");
    for (const Factors* f : {&scale[o], &zero_point[o]}) {
      if (f->axis < 0 || o == kResult) continue;
      const int rank = in[static_cast<size_t>(o)].dims.rank;
      if (f->axis >= rank) return invalid("{} has scales along axis {}; its rank is {}", operand_name(o), f->axis, rank).about("attr");
      if (axis_of_result(op, o, f->axis, in[0].dims.rank, in[1].dims.rank, kMaxRank) < 0)
        return unimplemented("{} has scales or zero points along axis {}; {} expects one for the whole tensor or {}", operand_name(o),
                             f->axis, op.name(), o == 1 ? "one per channel or column of the result" : "one per row or batch item")
            .about("attr");
    }
  }
  *result_dtype = to;
  return {};
}

Status Quantization::check_counts(std::span<const Dims> in, const Dims& out, std::span<const Dims> given) const {
  size_t next = 0;
  for (int o = 0; o < kOperands; ++o)
    for (const bool is_scale : {true, false}) {
      const Factors& f = is_scale ? scale[o] : zero_point[o];
      if (!f.given()) continue;
      const char* const what = is_scale ? "scale" : "zero point";
      const Dims& dims = o == kResult ? out : in[static_cast<size_t>(o)];
      if (f.axis >= dims.rank)
        return invalid("{} has {}s along axis {}; its rank is {}", operand_name(o), what, f.axis, dims.rank).about("attr");
      const int64_t want = f.axis < 0 ? 1 : dims[f.axis];
      if (f.from == Factors::From::attribute) {
        if (static_cast<int64_t>(f.values.size()) != want)
          return invalid("{} has {} {}s; axis {} of it is {} long", operand_name(o), f.values.size(), what, f.axis, want).about("attr");
        continue;
      }
      const Dims& tensor = given[next++];
      if (f.axis < 0 ? element_count(tensor) != 1 || tensor.rank > 1 : tensor.rank != 1 || tensor[0] != want)
        return invalid("the {} of {} has dims {}; expected [{}]{}", what, operand_name(o), to_string(tensor), want,
                       f.axis < 0 ? " or a scalar" : formatted(", as long as its axis {}", f.axis));
    }
  return {};
}

void Quantization::append_to(KeyBytes* key) const {
  append_number(key, result);
  for (const auto* list : {&scale, &zero_point})
    for (const Factors& f : *list) {
      append_number(key, f.from);
      append_number(key, f.axis);
      append_number(key, static_cast<uint32_t>(f.values.size()));
      for (const float v : f.values) append_number(key, v);
    }
}

std::string describe(const Quantization& q) {
  std::string text;
  const auto append = [&text](const Factors& f) {
    if (!f.given()) text += '-';
    else if (f.from == Factors::From::operand) text += 't';
    for (size_t i = 0; i < f.values.size(); ++i) text += formatted("{}{}", i == 0 ? "" : ";", f.values[i]);
    if (f.axis >= 0) text += formatted("@{}", f.axis);
  };
  if (q.result != DType::none) text = formatted("result={}", dtype_name(q.result));
  for (int o = 0; o < Quantization::kOperands; ++o) {
    if (!q.scale[o].given() && !q.zero_point[o].given()) continue;
    text += formatted("{}q{}=", text.empty() ? "" : " ", o);
    append(q.scale[o]);
    text += '/';
    append(q.zero_point[o]);
  }
  return text;
}

Status parse_quantization(std::string_view words, Quantization* out) {
  Quantization q;
  const auto read = [](std::string_view text, Factors* f) {
    const size_t at = std::min(text.find('@'), text.size());
    if (int64_t axis = -1; at < text.size()) {
      if (!parse_number(text.substr(at + 1), &axis) || axis < 0 || axis >= kMaxRank) return false;
      f->axis = static_cast<int32_t>(axis);
    }
    std::string_view values = text.substr(0, at);
    if (values == "-") return at == text.size();
    f->from = values == "t" ? Factors::From::operand : Factors::From::attribute;
    if (values == "t") return true;
    for (bool more = true; more;) {
      const size_t end = std::min(values.find(';'), values.size());
      float v = 0;
      if (!parse_number(values.substr(0, end), &v)) return false;
      f->values.push_back(v);
      more = end < values.size();
      values.remove_prefix(std::min(end + 1, values.size()));
    }
    return true;
  };
  for (size_t at = words.find_first_not_of(' '); at < words.size(); at = words.find_first_not_of(' ', at)) {
    const size_t end = std::min(words.find(' ', at), words.size());
    const std::string_view word = words.substr(at, end - at);
    at = end;
    bool good = false;
    if (word.substr(0, 7) == "result=") {
      if (q.result != DType::none) return invalid("`{}` is a second result=", word);
      good = parse_dtype(word.substr(7), &q.result);
    } else if (word.size() > 3 && word[0] == 'q' && word[1] >= '0' && word[1] < '0' + Quantization::kOperands && word[2] == '=') {
      const size_t slash = word.find('/');
      const auto o = static_cast<size_t>(word[1] - '0');
      if (q.scale[o].given() || q.zero_point[o].given()) return invalid("`{}` is a second q{}=", word, o);
      good =
          slash != std::string_view::npos && read(word.substr(3, slash - 3), &q.scale[o]) && read(word.substr(slash + 1), &q.zero_point[o]);
    }
    if (!good) return invalid("`{}` is not result= and a dtype, or q0=, q1= or q2= and a scale, a slash and a zero point", word);
  }
  *out = std::move(q);
  return {};
}

}  // namespace anydim
