// SPDX-License-Identifier: Apache-2.0
// Attention (opset 23 and later): key and value caches, grouped heads, causal and sliding windows, masks. Where scores are an output, or
// softmax has a precision of its own, it is written out: softmax(q k^T + bias) v. All masks but a float one are booleans, and a row that
// they mask entirely is zero.
#include <cmath>

#include "core/ops/operators/matmul.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/softmax.h"
#include "onnx/operators/attention.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;

class Attention {
 public:
  explicit Attention(NodeImport& n) : n_(n) {}
  void run();

 private:
  enum Input : size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kValidLength };

  // [batch, sequence, heads * size] or [batch, heads, sequence, size] as the latter.
  ValueId with_heads(ValueId x, const char* count);
  ValueId with_past(Input past, ValueId x);
  // Each key or value head, once for every query head of its group.
  ValueId repeated(ValueId x, Dim heads);
  ValueId positions(Dim first, Dim count) { return n_.add(Range::make(DType::i64, first, 1, count), {}); }
  void allow(ValueId condition) { allowed_ = allowed_ == kNoValue ? condition : n_.binary(B::logical_and, allowed_, condition); }
  void check_windows(int64_t left, int64_t right);
  void add_position_masks();
  void add_input_mask();
  ValueId fused(ValueId q, ValueId k, ValueId v, double scale);
  ValueId written_out(ValueId q, ValueId k, ValueId v, double scale, Dim open_size, DType result_dtype);
  ValueId bias();
  ValueId scalar(double v) { return n_.scalar(dtype_, v); }

  NodeImport& n_;
  DType dtype_ = DType::f32;
  DType computed_ = DType::f32;  // of softmax
  Dim batch_, queries_, keys_;
  ValueId allowed_ = kNoValue;     // boolean: may this query see this key
  ValueId float_mask_ = kNoValue;  // added to the scores
};

ValueId Attention::with_heads(ValueId x, const char* count) {
  const SymDims d = n_.dims(x);
  if (d.rank == 4 || !n_.ok()) return x;
  if (d.rank != 3) n_.wrong("an input has rank {}; expected 3 or 4", d.rank);
  const int64_t heads = n_.integer(count);
  if (n_.ok() && (heads < 1 || (d[2].is_number() && d[2].number() % heads != 0)))
    n_.wrong("{} is {}; expected a divisor of {}", count, heads, n_.pool().text(d[2]));
  if (!n_.ok()) return kNoValue;
  return n_.transpose(n_.reshape(x, {d[0], d[1], heads, n_.pool().floor_div(d[2], heads)}), {0, 2, 1, 3});
}

ValueId Attention::with_past(Input past, ValueId x) { return n_.has(past) ? appended_behind(n_, n_.in(past), x, 2) : x; }

ValueId Attention::repeated(ValueId x, Dim heads) {
  const SymDims d = n_.dims(x);
  if (!n_.ok() || n_.pool().provably_equal(d[1], heads)) return x;
  if (d[1].is_number() && heads.is_number() && (d[1].number() < 1 || heads.number() % d[1].number() != 0)) {
    n_.wrong("{} query heads and {} key heads; expected a multiple", heads.number(), d[1].number());
    return kNoValue;
  }
  // Dynamic counts are held to a multiple by the reshape's guard on the number of elements.
  const Dim times = n_.pool().floor_div(heads, d[1]);
  const ValueId wide = n_.expand(n_.reshape(x, {d[0], d[1], 1, d[2], d[3]}), {d[0], d[1], times, d[2], d[3]});
  return n_.reshape(wide, {d[0], heads, d[2], d[3]});
}

void Attention::check_windows(int64_t left, int64_t right) {
  if (n_.has(kValidLength) && n_.has(kPastKey)) n_.wrong("nonpad_kv_seqlen and past_key are both given");
  if (left < -1 || right < -1) n_.wrong("a window size is {}; expected -1 or more", left < right ? left : right);
}

// Query i stands at position offset + i; offset is how many valid keys come before the queries.
void Attention::add_position_masks() {
  const bool causal = n_.integer("is_causal", 0) != 0;
  const int64_t left = n_.integer("left_window_size", -1), right = n_.integer("right_window_size", -1);
  const bool has_length = n_.has(kValidLength);
  check_windows(left, right);
  if (!n_.ok() || (!causal && left < 0 && right < 0 && !has_length)) return;
  const ValueId key = n_.reshape(positions(0, keys_), {1, keys_});
  ValueId valid = kNoValue;  // [batch, 1, 1, 1]
  if (has_length) {
    valid = n_.reshape(n_.cast(n_.in(kValidLength), DType::i64), {batch_, 1, 1, 1});
    allow(n_.binary(B::less, key, valid));
  }
  if (!causal && left < 0 && right < 0) return;
  const Dim past = n_.has(kPastKey) ? n_.dims(n_.in(kPastKey))[2] : Dim(0);
  ValueId query = n_.reshape(positions(past, queries_), {queries_, 1});
  if (has_length) query = n_.binary(B::add, query, n_.binary(B::sub, valid, n_.shape(DType::i64, {}, {queries_})));
  if (causal) allow(n_.binary(B::less_equal, key, query));
  const auto moved = [&](int64_t by) { return n_.binary(B::add, query, n_.scalar(DType::i64, static_cast<double>(by))); };
  if (left >= 0) allow(n_.binary(B::less_equal, moved(-left), key));
  if (right >= 0) allow(n_.binary(B::less_equal, key, moved(right)));
}

// A mask may be shorter than the keys: the rest is masked.
void Attention::add_input_mask() {
  if (!n_.has(kMask)) return;
  ValueId mask = n_.widened(n_.in(kMask));
  const SymDims d = n_.dims(mask);
  if (n_.ok() && d.rank < 1) n_.wrong("attn_mask is a scalar; expected rank 1 to 4");
  if (!n_.ok()) return;
  const bool is_bool = n_.dtype(mask) == DType::boolean;
  const Dim last = d[d.rank - 1];
  if (!n_.pool().provably_equal(last, keys_)) {
    SymDims after = SymDims::filled(d.rank, 0);
    after[d.rank - 1] = n_.pool().sub(keys_, last);
    mask = n_.add(Pad::make(Pad::Mode::constant, SymDims::filled(d.rank, 0), after),
                  {mask, is_bool ? n_.scalar(DType::boolean, 0.0) : n_.scalar(n_.dtype(mask), -INFINITY)});
  }
  if (is_bool) allow(mask);
  else float_mask_ = mask;
}

ValueId Attention::bias() {
  if (allowed_ == kNoValue) return float_mask_;
  return n_.where(allowed_, float_mask_ == kNoValue ? scalar(0.0) : float_mask_, scalar(-INFINITY));
}

// One operator. A float mask of -inf masks as a boolean one does.
ValueId Attention::fused(ValueId q, ValueId k, ValueId v, double scale) {
  HeadsAttention a;
  a.q = q;
  a.k = k;
  a.v = v;
  a.scale = scale;
  a.softcap = n_.real("softcap", 0.f);
  a.causal = n_.integer("is_causal", 0) != 0;
  a.left_window = n_.integer("left_window_size", -1);
  a.right_window = n_.integer("right_window_size", -1);
  check_windows(a.left_window, a.right_window);
  if (!n_.ok()) return kNoValue;
  a.first = n_.has(kPastKey) ? n_.dims(n_.in(kPastKey))[2] : Dim(0);
  if (n_.has(kValidLength)) {
    a.lengths = n_.reshape(n_.cast(n_.in(kValidLength), DType::i64), {batch_});
    a.starts = n_.binary(B::sub, a.lengths, n_.shape(DType::i64, {}, {queries_}));
  }
  add_input_mask();
  a.mask = allowed_;
  if (float_mask_ != kNoValue) {
    a.bias = n_.cast(float_mask_, dtype_);
    const ValueId seen = n_.unary(U::logical_not, n_.unary(U::is_inf, a.bias, 0.f, 1.f));
    a.mask = a.mask == kNoValue ? seen : n_.binary(B::logical_and, a.mask, seen);
  }
  return attend(n_, a);
}

ValueId Attention::written_out(ValueId q, ValueId k, ValueId v, double scale, Dim open_size, DType result_dtype) {
  const auto give_scores = [&](ValueId x) {
    if (n_.wants(3)) n_.out(3, n_.cast(x, result_dtype));
  };
  const Dim heads = n_.dims(q)[1];
  k = repeated(k, heads);
  v = repeated(v, heads);
  // Both sides are scaled by the root, as ONNX has it.
  const auto scaled = [&](ValueId x) {
    return open_size.is_number() ? n_.binary(B::mul, x, scalar(std::sqrt(scale))) : over_root(n_, x, open_size, true);
  };
  const ValueId keys = n_.transpose(scaled(k), {0, 1, 3, 2});
  ValueId scores = n_.add(Matmul::make({}), {scaled(q), keys});

  const int64_t mode = n_.integer("qk_matmul_output_mode", 0);
  const float cap = n_.real("softcap", 0.f);
  if (n_.wants(3) && mode == 0 && cap != 0.f)
    n_.unsupported(
        "qk_matmul_output_mode is 0 and softcap {}, where ONNX's text and its reference differ; expected softcap 0 or another mode", cap);
  if (mode == 0) give_scores(scores);
  if (cap != 0.f) scores = n_.binary(B::mul, n_.unary(U::tanh, n_.binary(B::div, scores, scalar(cap))), scalar(cap));
  if (mode == 1) give_scores(scores);
  add_position_masks();
  add_input_mask();
  const ValueId b = bias();
  if (b != kNoValue) {
    n_.require_fits(b, n_.dims(scores), "attn_mask");
    scores = n_.binary(B::add, scores, b);
  }
  if (mode == 2) give_scores(scores);

  ValueId weights = n_.add(Softmax::make(-1, false), {n_.cast(scores, computed_)});
  if (b != kNoValue) {
    const int64_t last[] = {-1};
    const ValueId highest = n_.add(Reduce::make(ReduceKind::max, last, true), {b});
    weights = n_.where(n_.unary(U::is_inf, highest, 0.f, 1.f), n_.scalar(computed_, 0.0), weights);
  }
  weights = n_.cast(weights, dtype_);
  if (mode == 3) give_scores(weights);
  return n_.add(Matmul::make({}), {weights, v});
}

void Attention::run() {
  ValueId q = with_heads(n_.in(kQ), "q_num_heads");
  ValueId k = with_past(kPastKey, with_heads(n_.in(kK), "kv_num_heads"));
  ValueId v = with_past(kPastValue, with_heads(n_.in(kV), "kv_num_heads"));
  n_.out(1, k);
  n_.out(2, v);
  const SymDims dims = n_.dims(q);
  if (!n_.ok()) return;
  // Several steps, of which only the results are rounded to 16 bits.
  const DType result_dtype = n_.dtype(q);
  q = n_.widened(q);
  k = n_.widened(k);
  v = n_.widened(v);
  dtype_ = n_.dtype(q);
  batch_ = dims[0];
  queries_ = dims[2];
  keys_ = n_.dims(k)[2];
  n_.require_equal(n_.dims(k)[0], batch_, "the batch of K");
  n_.require_equal(n_.dims(v)[0], batch_, "the batch of V");
  if (!n_.ok()) return;
  const Dim open_size = n_.has_attribute("scale") ? Dim(1) : dims[3];  // of a head, where only a run knows the scale
  const double scale = n_.has_attribute("scale") ? static_cast<double>(n_.real("scale", 1.f))
                       : open_size.is_number()   ? 1.0 / std::sqrt(static_cast<double>(open_size.number()))
                                                 : 1.0;
  const SymDims k_dims = n_.dims(k);
  if (dims[1].is_number() && k_dims[1].is_number() && (k_dims[1].number() < 1 || dims[1].number() % k_dims[1].number() != 0))
    return n_.wrong("{} query heads and {} key heads; expected a multiple", dims[1].number(), k_dims[1].number());
  Result<DType> precision = dtype_of(static_cast<int32_t>(n_.integer("softmax_precision", 0)));
  computed_ = n_.has_attribute("softmax_precision") && precision.ok() ? NodeImport::computed_type(*precision) : dtype_;
  const bool fuses = !n_.wants(3) && computed_ == dtype_;
  if (fuses && !k_dims[1].is_number()) {  // no group whose size is known: each query head gets keys of its own, and the bits are the same
    k = repeated(k, dims[1]);
    v = repeated(v, dims[1]);
    if (!n_.ok()) return;
  }
  if (fuses && !open_size.is_number()) q = over_root(n_, q, open_size);
  ValueId y = fuses ? fused(q, k, v, scale) : written_out(q, k, v, scale, open_size, result_dtype);
  if (n_.rank(n_.in(kQ)) == 3) {
    const SymDims d = n_.dims(y);
    if (n_.ok()) y = n_.reshape(n_.transpose(y, {0, 2, 1, 3}), {d[0], d[2], n_.pool().mul(d[1], d[3])});
  }
  n_.out(0, n_.cast(y, result_dtype));
}

void attention(NodeImport& n) { Attention(n).run(); }

constexpr Importer kAttentionOperators[] = {
    {"Attention", 23, attention},
};

}  // namespace

std::span<const Importer> attention_importers() { return kAttentionOperators; }

}  // namespace anydim::onnx
