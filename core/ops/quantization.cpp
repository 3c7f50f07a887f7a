// SPDX-License-Identifier: Apache-2.0
// What can be said of which operands, and its text; see quantization.h.
#include "core/ops/quantization.h"

#include <algorithm>
#include <cmath>

#include "core/ops/operators/binary.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operator_bytes.h"
#include "core/ops/text.h"

namespace anydim {

namespace {

using Factors = Quantization::Factors;

bool is_8_bit(DType t) noexcept { return t == DType::i8 || t == DType::u8; }
bool is_computed_float(DType t) noexcept { return t == DType::f32 || dtype_is_half(t); }

std::string operand_name(int operand) { return operand == Quantization::kResult ? "the result" : formatted("input {}", operand); }

// The numbers that a dtype can hold, where it can have a zero point.
bool zero_point_range(DType t, float* low, float* high) noexcept {
  switch (t) {
    case DType::i8: *low = -128, *high = 127; return true;
    case DType::u8: *low = 0, *high = 255; return true;
    case DType::i16: *low = -32768, *high = 32767; return true;
    case DType::u16: *low = 0, *high = 65535; return true;
    default: return false;
  }
}

Status check_factors(const Factors& f, const char* what, int operand, DType dtype, bool known, const char* expected) {
  if (!f.present()) return {};
  if (!known)
    return invalid("{} has a {}; its dtype is {}, expected {}", operand_name(operand), what, dtype_name(dtype), expected).about("attr");
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
  if (operand == kResult || has_trait(op.kind(), Trait::converts)) return axis;
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

// Values, axes and dtypes of the factors of these operands.
Status Quantization::check_all_factors(const Operator& op, std::span<const TensorType> in, std::span<const DType> dtypes) const {
  const bool converts = has_trait(op.kind(), Trait::converts);
  for (int o = 0; o < kOperands; ++o) {
    float low = 0, high = 0;
    const bool shifts = converts ? zero_point_range(dtypes[o], &low, &high) : is_8_bit(dtypes[o]);
    const char* const shifted = converts ? "i8, u8, i16 or u16" : "i8 or u8";
    // A scale of i32 has no zero point: it is what sums of products are in.
    const bool scales = shifts || (converts && o == 0 && dtypes[o] == DType::i32);
    ANYDIM_TRY(check_factors(scale[o], "scale", o, dtypes[o], scales, converts && o == 0 ? "i8, u8, i16, u16 or i32" : shifted));
    ANYDIM_TRY(check_factors(zero_point[o], "zero point", o, dtypes[o], shifts, shifted));
    for (const float v : scale[o].values)
      if (!(v > 0 && std::isfinite(v)))
        return invalid("{} has a scale of {}; expected a finite number above 0", operand_name(o), v).about("attr");
    if (!converts) zero_point_range(dtypes[o], &low, &high);
    for (const float v : zero_point[o].values)
      if (v < low || v > high || v != std::floor(v))
        return invalid("{} has a zero point of {}; expected {} to {}", operand_name(o), v, low, high).about("attr");
    for (const Factors* f : {&scale[o], &zero_point[o]}) {
      if (f->axis < 0 || o == kResult) continue;
      const int rank = in[static_cast<size_t>(o)].dims.rank;
      if (f->axis >= rank) return invalid("{} has scales along axis {}; its rank is {}", operand_name(o), f->axis, rank).about("attr");
      if (converts) continue;
      if (axis_of_result(op, o, f->axis, in[0].dims.rank, in[1].dims.rank, kMaxRank) < 0)
        return unimplemented("{} has scales or zero points along axis {}; {} expects one for the whole tensor or {}", operand_name(o),
                             f->axis, op.name(), o == 1 ? "one per channel or column of the result" : "one per row or batch item")
            .about("attr");
    }
  }
  return {};
}

// A function of two tensors, each f32 or 8 bits with one scale and zero point, to f32 or 8 bits.
Status Quantization::check_binary(const Operator& op, std::span<const TensorType> in, DType* result_dtype) const {
  if (in.size() != 2) return invalid("{} inputs; {} expects 2", in.size(), op.name());
  const BinaryFunction f = as<Binary>(op)->function();
  constexpr BinaryFunction kKnown[] = {BinaryFunction::add, BinaryFunction::sub, BinaryFunction::mul,
                                       BinaryFunction::div, BinaryFunction::max, BinaryFunction::min};
  if (std::find(std::begin(kKnown), std::end(kKnown), f) == std::end(kKnown))
    return unimplemented("function {} takes no scales, zero points or dtype of the result; add, sub, mul, div, max and min do",
                         function_name(f))
        .about("attr");
  const DType dtypes[kOperands] = {in[0].dtype, in[1].dtype, result};
  for (int o = 0; o < kOperands; ++o) {
    if (dtypes[o] != DType::f32 && !is_8_bit(dtypes[o]))
      return unimplemented("{} is {}; with scales or zero points expected f32, i8 or u8", operand_name(o), dtype_name(dtypes[o]));
    if (scale[o].axis >= 0 || zero_point[o].axis >= 0)
      return unimplemented("{} has scales along an axis; {} expects one for the whole tensor", operand_name(o), op.name()).about("attr");
  }
  if (!table.empty()) return invalid("there is a table; {} takes none, a cast does", op.name()).about("attr");
  ANYDIM_TRY(check_all_factors(op, in, dtypes));
  *result_dtype = result;
  return {};
}

Status Quantization::check_conversion(const Operator& op, std::span<const TensorType> in, DType* result_dtype) const {
  if (as<Binary>(op)) return check_binary(op, in, result_dtype);
  if (in.size() != 1) return invalid("{} inputs; {} expects 1", in.size(), op.name());
  const DType from = in[0].dtype, to = as<Cast>(op)->to();
  const auto real_or_whole = [](DType t) {
    float low, high;
    return is_computed_float(t) || t == DType::i32 || zero_point_range(t, &low, &high);
  };
  for (const DType t : {from, to})
    if (!real_or_whole(t))
      return unimplemented("{} is {}; with scales or zero points expected f32, f16, bf16, i8, u8, i16, u16 or i32",
                           t == from ? "input 0" : "the result", dtype_name(t));
  if (result != DType::none && result != to)
    return invalid("the result's dtype is {}; {} converts to {}", dtype_name(result), op.name(), dtype_name(to)).about("attr");
  if (scale[1].present() || zero_point[1].present())
    return invalid("input 1 has a scale or zero point; {} has one input", op.name()).about("attr");
  if (!table.empty()) {
    if (!is_8_bit(from)) return invalid("input 0 has a table; its dtype is {}, expected i8 or u8", dtype_name(from)).about("attr");
    if (table.size() != kTable) return invalid("the table has {} values; expected {}", table.size(), kTable).about("attr");
    if (to != DType::f32 && !is_8_bit(to))
      return unimplemented("the table's result is {}; expected f32, i8 or u8", dtype_name(to)).about("attr");
    for (const int o : {0, 2})
      if (scale[o].present() || zero_point[o].present())
        return invalid("{} has a scale or zero point beside a table", operand_name(o)).about("attr");
    float low = 0, high = 0;
    for (const float v : table)
      if (zero_point_range(to, &low, &high) && !(v >= low && v <= high && v == std::floor(v)))
        return invalid("the table has {}; expected whole numbers from {} to {}", v, low, high).about("attr");
  }
  const DType dtypes[kOperands] = {from, DType::none, to};
  ANYDIM_TRY(check_all_factors(op, in, dtypes));
  *result_dtype = to;
  return {};
}

Status Quantization::check(const Operator& op, std::span<const TensorType> in, DType* result_dtype) const {
  if (has_trait(op.kind(), Trait::converts)) return check_conversion(op, in, result_dtype);
  if (!table.empty()) return invalid("there is a table; {} takes none, a cast does", op.name()).about("attr");
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
  if (to == DType::none) to = !integers ? a : scale[0].present() || scale[1].present() || c == DType::f32 ? DType::f32 : DType::i32;
  if (!is_8_bit(to) && !is_computed_float(to) && to != DType::i32)
    return unimplemented("the result's dtype is {}; expected f32, f16, bf16, i8, u8 or i32", dtype_name(to)).about("attr");
  const DType dtypes[kOperands] = {a, b, to};
  ANYDIM_TRY(check_all_factors(op, in, dtypes));
  *result_dtype = to;
  return {};
}

Status Quantization::check_counts(std::span<const Dims> in, const Dims& out, std::span<const Dims> operands) const {
  size_t next = 0;
  for (int o = 0; o < kOperands; ++o)
    for (const bool is_scale : {true, false}) {
      const Factors& f = is_scale ? scale[o] : zero_point[o];
      if (!f.present()) continue;
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
      const Dims& tensor = operands[next++];
      if (f.axis < 0 ? element_count(tensor) != 1 || tensor.rank > 1 : tensor.rank != 1 || tensor[0] != want)
        return invalid("the {} of {} has dims {}; expected [{}]{}", what, operand_name(o), to_string(tensor), want,
                       f.axis < 0 ? " or a scalar" : formatted(", as long as its axis {}", f.axis));
    }
  return {};
}

void Quantization::append_to(KeyBytes* key) const {
  append_number(key, result);
  append_number(key, static_cast<uint32_t>(table.size()));
  for (const float v : table) append_number(key, v);
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
    if (!f.present()) text += '-';
    else if (f.from == Factors::From::operand) text += 't';
    for (size_t i = 0; i < f.values.size(); ++i) text += formatted("{}{}", i == 0 ? "" : ";", f.values[i]);
    if (f.axis >= 0) text += formatted("@{}", f.axis);
  };
  if (q.result != DType::none) text = formatted("result={}", dtype_name(q.result));
  for (size_t i = 0; i < q.table.size(); ++i) text += formatted("{}{}", i > 0 ? ";" : text.empty() ? "table=" : " table=", q.table[i]);
  for (int o = 0; o < Quantization::kOperands; ++o) {
    if (!q.scale[o].present() && !q.zero_point[o].present()) continue;
    text += formatted("{}q{}=", text.empty() ? "" : " ", o);
    append(q.scale[o]);
    text += '/';
    append(q.zero_point[o]);
  }
  return text;
}

Status parse_quantization(std::string_view words, Quantization* out) {
  Quantization q;
  const auto numbers = [](std::string_view values, std::vector<float>* to) {
    for (bool more = true; more;) {
      const size_t end = std::min(values.find(';'), values.size());
      float v = 0;
      if (!parse_number(values.substr(0, end), &v)) return false;
      to->push_back(v);
      more = end < values.size();
      values.remove_prefix(std::min(end + 1, values.size()));
    }
    return true;
  };
  const auto read = [&](std::string_view text, Factors* f) {
    const size_t at = std::min(text.find('@'), text.size());
    if (int64_t axis = -1; at < text.size()) {
      if (!parse_number(text.substr(at + 1), &axis) || axis < 0 || axis >= kMaxRank) return false;
      f->axis = static_cast<int32_t>(axis);
    }
    std::string_view values = text.substr(0, at);
    if (values == "-") return at == text.size();
    f->from = values == "t" ? Factors::From::operand : Factors::From::attribute;
    return values == "t" || numbers(values, &f->values);
  };
  for (size_t at = words.find_first_not_of(' '); at < words.size(); at = words.find_first_not_of(' ', at)) {
    const size_t end = std::min(words.find(' ', at), words.size());
    const std::string_view word = words.substr(at, end - at);
    at = end;
    bool good = false;
    if (word.substr(0, 7) == "result=") {
      if (q.result != DType::none) return invalid("`{}` is a second result=", word);
      good = parse_dtype(word.substr(7), &q.result);
    } else if (word.substr(0, 6) == "table=") {
      if (!q.table.empty()) return invalid("there is a second table=");
      good = numbers(word.substr(6), &q.table);
    } else if (word.size() > 3 && word[0] == 'q' && word[1] >= '0' && word[1] < '0' + Quantization::kOperands && word[2] == '=') {
      const size_t slash = word.find('/');
      const auto o = static_cast<size_t>(word[1] - '0');
      if (q.scale[o].present() || q.zero_point[o].present()) return invalid("`{}` is a second q{}=", word, o);
      good =
          slash != std::string_view::npos && read(word.substr(3, slash - 3), &q.scale[o]) && read(word.substr(slash + 1), &q.zero_point[o]);
    }
    if (!good)
      return invalid("`{}` is not result= and a dtype, table= and numbers, or q0=, q1= or q2= and a scale, a slash and a zero point", word);
  }
  *out = std::move(q);
  return {};
}

}  // namespace anydim
