// SPDX-License-Identifier: Apache-2.0
// MultiHeadAttention, Attention and QAttention of com.microsoft, and softmax(q k^T + mask) v over heads, which their relatives share. A mask of
// integers is added to the scores as 0 or mask_filter_value, a finite number; what lies behind a query is left out.
#include <cmath>

#include "core/ops/operators/attention.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/range.h"
#include "onnx/operators/attention.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/quantized_nodes.h"

namespace anydim::onnx {

using B = BinaryFunction;

ValueId over_root(NodeImport& n, ValueId x, Dim size, bool half) {
  ValueId root = n.unary(UnaryFunction::sqrt, n.cast(n.shape(DType::i64, {}, {size}), DType::f64));
  if (half) root = n.unary(UnaryFunction::sqrt, root);
  return n.binary(B::mul, x, n.cast(n.binary(B::div, n.scalar(DType::f64, 1.0), root), n.dtype(x)));
}

void set_scale(NodeImport& n, HeadsAttention* a, Dim head_size) {
  a->scale = static_cast<double>(n.real("scale", 0.f));
  if (a->scale != 0 || !n.ok()) return;
  a->scale = 1.0;
  if (!head_size.is_number()) a->q = over_root(n, a->q, head_size);
  else if (head_size.number() < 1) n.wrong("scale is not given, and the head size is {}; expected 1 or more", head_size.number());
  else a->scale = 1.0 / std::sqrt(static_cast<double>(head_size.number()));
}

ValueId scores_of(NodeImport& n, const HeadsAttention& a) {
  const SymDims q = n.dims(a.q), k = n.dims(a.k);
  if (!n.ok()) return kNoValue;
  // Query heads of a group are rows of one product.
  const bool grouped = !n.pool().provably_equal(q[1], k[1]);
  const Dim rows = grouped ? n.pool().mul(n.pool().floor_div(q[1], k[1]), q[2]) : q[2];
  Matmul::Attributes at;
  at.transpose_b = true;
  at.alpha = static_cast<float>(a.scale);
  const ValueId product = n.add(Matmul::make(at), {n.reshape(a.q, {q[0], k[1], rows, q[3]}), a.k});
  return n.reshape(product, {q[0], q[1], q[2], k[2]});
}

ValueId attend(NodeImport& n, const HeadsAttention& a) {
  anydim::Attention::Attributes at;
  at.scale = static_cast<float>(a.scale);
  at.softcap = a.softcap;
  at.causal = a.causal;
  at.left_window = a.left_window;
  at.right_window = a.right_window;
  at.first = a.first;
  std::vector<ValueId> inputs{a.q, a.k, a.v, a.bias, a.mask, a.starts, a.lengths, a.origins, a.sinks};
  while (inputs.back() == kNoValue) inputs.pop_back();
  return n.add(anydim::Attention::make(at), inputs);
}

namespace {

// What both operators say of keys that are seen.
class Masks {
 public:
  Masks(NodeImport& n, DType dtype, Dim batch, Dim queries, Dim keys)
      : n_(n), dtype_(dtype), batch_(batch), queries_(queries), keys_(keys) {}

  // Lengths [batch], of the keys that count; or [batch, keys], [batch, queries, keys], not 0 where a key counts.
  void add_padding(ValueId mask, const char* what) {
    if (!n_.ok()) return;
    if (n_.dtype(mask) != DType::i32) return n_.wrong("{} has dtype {}; expected int32", what, dtype_name(n_.dtype(mask)));
    const SymDims d = n_.dims(mask);
    if (d.rank < 1 || d.rank > 3) return n_.unsupported("{} has rank {}; expected 1, 2 or 3", what, d.rank);
    ValueId counts = kNoValue;
    if (d.rank == 1) {
      n_.require_equal(d[0], batch_, formatted("the length of {} (lengths alone are supported, not begins or offsets)", what));
      counts = n_.binary(B::less, positions(0, keys_, {1, 1, 1, keys_}), n_.reshape(mask, {batch_, 1, 1, 1}));
    } else {
      n_.require_equal(d[0], batch_, formatted("dim 0 of {}", what));
      if (d.rank == 3) n_.require_equal(d[1], queries_, formatted("dim 1 of {}", what));
      n_.require_equal(d[d.rank - 1], keys_, formatted("the last dim of {}", what));
      const ValueId wide = n_.reshape(mask, {batch_, 1, d.rank == 3 ? queries_ : Dim(1), keys_});
      counts = n_.binary(B::greater, wide, n_.scalar(DType::i32, 0.0));
    }
    const double filter = static_cast<double>(n_.real("mask_filter_value", -10000.f));
    add_bias(n_.where(counts, n_.scalar(dtype_, 0.0), n_.scalar(dtype_, filter)));
  }
  void add_bias(ValueId v) { bias = bias == kNoValue ? v : n_.binary(B::add, bias, v); }

  ValueId bias = kNoValue;

 private:
  ValueId positions(Dim first, Dim count, const SymDims& dims) {
    return n_.reshape(n_.add(Range::make(DType::i32, first, 1, count), {}), dims);
  }
  NodeImport& n_;
  DType dtype_;
  Dim batch_, queries_, keys_;
};

ValueId heads_first(NodeImport& n, ValueId x) { return n.transpose(x, {0, 2, 1, 3}); }
ValueId merged_heads(NodeImport& n, ValueId x) {
  const SymDims d = n.dims(x);
  return n.ok() ? n.reshape(heads_first(n, x), {d[0], d[2], n.pool().mul(d[1], d[3])}) : kNoValue;
}

void refuse_inputs(NodeImport& n, std::initializer_list<std::pair<size_t, const char*>> inputs) {
  for (const auto& [i, name] : inputs)
    if (n.has(i)) n.unsupported("input {} ({}) is given; expected none", i, name);
}

class MultiHeadAttention {
 public:
  explicit MultiHeadAttention(NodeImport& n) : n_(n), heads_(n.integer("num_heads")) {}

  void run() {
    refuse_inputs(n_, {{kPastLength, "past_sequence_length"}, {kIndirection, "cache_indirection"}});
    if (n_.ok() && heads_ < 1) n_.wrong("num_heads is {}; expected 1 or more", heads_);
    const ValueId query = n_.in(kQuery);
    const DType t = n_.dtype(query);
    if (n_.ok() && !dtype_is_float(t)) n_.wrong("query has dtype {}; expected a float", dtype_name(t));
    for (const size_t i : {kKey, kValue, kBias, kAttentionBias, kPastKey, kPastValue})
      if (n_.ok() && n_.has(i) && n_.dtype(n_.in(i)) != t)
        n_.wrong("input {} has dtype {}; expected that of the query, {}", i, dtype_name(n_.dtype(n_.in(i))), dtype_name(t));
    if (n_.ok() && n_.has(kPastKey) != n_.has(kPastValue)) n_.wrong("one of past_key and past_value is absent; expected both or none");
    read();
    if (!n_.ok()) return;
    const Dim past = n_.has(kPastKey) ? n_.dims(n_.in(kPastKey))[2] : Dim(0), fresh = n_.dims(k_)[2];
    if (n_.has(kPastKey)) {
      k_ = appended_behind(n_, n_.in(kPastKey), k_, 2);
      v_ = appended_behind(n_, n_.in(kPastValue), v_, 2);
    }
    n_.out(1, k_);
    n_.out(2, v_);
    const SymDims q = n_.dims(q_);
    if (!n_.ok()) return;
    HeadsAttention a;
    a.q = n_.widened(q_);
    a.k = n_.widened(k_);
    a.v = n_.widened(v_);
    set_scale(n_, &a, q[3]);
    Masks masks(n_, n_.dtype(a.q), q[0], q[2], n_.dims(k_)[2]);
    if (n_.has(kPadding)) masks.add_padding(n_.in(kPadding), "key_padding_mask");
    if (n_.has(kAttentionBias)) masks.add_bias(n_.widened(n_.in(kAttentionBias)));
    a.bias = masks.bias;
    a.causal = n_.integer("unidirectional", 0) != 0;
    // Keys more than queries, and no past that says so: the queries are the last tokens.
    a.first = n_.pool().add(past, n_.pool().max(n_.pool().sub(fresh, q[2]), 0));
    n_.out(0, n_.cast(merged_heads(n_, attend(n_, a)), t));
    if (n_.wants(3)) n_.out(3, n_.cast(scores_of(n_, a), t));
  }

 private:
  enum Input : size_t { kQuery, kKey, kValue, kBias, kPadding, kAttentionBias, kPastKey, kPastValue, kPastLength, kIndirection };

  // Part `which` of [batch, sequence, heads, parts, size], as [batch, sequence, heads, size].
  ValueId part(ValueId packed, int64_t which) {
    const SymDims d = n_.dims(packed);
    return n_.ok() ? n_.reshape(n_.slice(packed, 3, which, 1), {d[0], d[1], d[2], d[4]}) : kNoValue;
  }
  // [batch, sequence, heads, size] with the bias's slice from `first` on.
  ValueId with_bias(ValueId x, Dim first) {
    if (!n_.has(kBias) || !n_.ok()) return heads_first(n_, x);
    const SymDims d = n_.dims(x);
    const Dim length = n_.pool().mul(d[2], d[3]);
    const ValueId slice = n_.reshape(n_.slice(n_.in(kBias), 0, first, length), {d[2], d[3]});
    return heads_first(n_, n_.cast(n_.binary(B::add, n_.widened(x), n_.widened(slice)), n_.dtype(x)));
  }
  void check_bias(Dim q, Dim v) {
    if (!n_.ok() || !n_.has(kBias)) return;
    if (n_.rank(n_.in(kBias)) != 1) return n_.wrong("bias has rank {}; expected 1", n_.rank(n_.in(kBias)));
    n_.require_equal(n_.dims(n_.in(kBias))[0], n_.pool().add(n_.pool().mul(q, 2), v), "the length of bias");
  }
  Dim width(ValueId x) { return n_.pool().mul(n_.dims(x)[2], n_.dims(x)[3]); }

  void read() {
    const ValueId query = n_.in(kQuery);
    const int rank = n_.rank(query);
    if (!n_.ok()) return;
    ValueId q = kNoValue, k = kNoValue, v = kNoValue;
    if (rank == 5) {
      if (n_.has(kKey) || n_.has(kValue)) return n_.wrong("query is packed (rank 5) and key or value is given; expected neither");
      check_packed(query, 3, "query");
      q = part(query, 0), k = part(query, 1), v = part(query, 2);
    } else {
      q = split_heads(n_, query, heads_, "query");
      const ValueId key = n_.in(kKey);
      if (!n_.ok()) return;
      if (n_.rank(key) == 5) {
        if (n_.has(kValue)) return n_.wrong("key is packed (rank 5) and value is given; expected none");
        check_packed(key, 2, "key");
        k = part(key, 0), v = part(key, 1);
      } else if (n_.rank(key) == 4) {  // heads first, as a cache is
        if (n_.ok() && n_.rank(n_.in(kValue)) != 4)
          return n_.wrong("value has rank {}; expected that of the key, 4", n_.rank(n_.in(kValue)));
        if (n_.has(kBias)) return n_.unsupported("bias is given, and the key has rank 4; expected no bias, or a key of rank 3 or 5");
        if (n_.has(kPastKey))
          return n_.unsupported("past_key is given, and the key has rank 4; expected no past_key, or a key of rank 3 or 5");
        k_ = key;
        v_ = n_.in(kValue);
        n_.require_equal(n_.dims(k_)[1], heads_, "dim 1 of key");
        n_.require_equal(n_.dims(v_)[1], heads_, "dim 1 of value");
        q_ = heads_first(n_, q);
        return;
      } else {
        k = split_heads(n_, key, heads_, "key");
        v = split_heads(n_, n_.in(kValue), heads_, "value");
      }
    }
    if (!n_.ok()) return;
    const Dim q_width = width(q);
    check_bias(q_width, width(v));
    q_ = with_bias(q, 0);
    k_ = with_bias(k, q_width);
    v_ = with_bias(v, n_.pool().mul(q_width, 2));
  }
  void check_packed(ValueId x, int64_t parts, const char* what) {
    n_.require_equal(n_.dims(x)[2], heads_, formatted("dim 2 of {}", what));
    n_.require_equal(n_.dims(x)[3], parts, formatted("dim 3 of {}", what));
  }

  NodeImport& n_;
  int64_t heads_;
  ValueId q_ = kNoValue, k_ = kNoValue, v_ = kNoValue;  // heads first
};

void multi_head_attention(NodeImport& n) { MultiHeadAttention(n).run(); }

// Attention whose projections of q, k and v are its own: x W + b.
class ProjectedAttention {
 public:
  // Inputs of the node behind the weights: mask, past, a bias of the scores, the length of the past. -1: the operator has none.
  struct Inputs {
    int mask = 3, past = 4, attention_bias = 5, past_length = 6;
  };
  ProjectedAttention(NodeImport& n, Inputs inputs) : n_(n), inputs_(inputs), heads_(n.integer("num_heads")) {}

  // `project` makes the wide product with the weights, its bias added; `t` is the result's dtype.
  template <class Project> void run(DType t, Project project) {
    for (const char* const flag : {"do_rotary", "past_present_share_buffer"})
      if (n_.integer(flag, 0) != 0) n_.unsupported("{} is 1; expected 0", flag);
    if (has_input(inputs_.past_length)) n_.unsupported("input {} (past_sequence_length) is given; expected none", inputs_.past_length);
    const ValueId x = n_.in(0), weights = n_.in(1);
    if (n_.ok() && (n_.rank(x) != 3 || n_.rank(weights) != 2))
      n_.wrong("input and weights have ranks {} and {}; expected 3 and 2", n_.rank(x), n_.rank(weights));
    if (!n_.ok()) return;
    const SymDims d = n_.dims(x);
    read_sizes(n_.dims(weights)[1]);
    if (!n_.ok()) return;
    const ValueId projected = project();
    const auto part = [&](int64_t first, int64_t size) {
      return heads_first(n_, n_.reshape(n_.slice(projected, 2, first, size), {d[0], d[1], heads_, size / heads_}));
    };
    HeadsAttention a;
    a.q = part(0, sizes_[0]);
    a.k = part(sizes_[0], sizes_[1]);
    a.v = part(sizes_[0] + sizes_[1], sizes_[2]);
    if (has_input(inputs_.past) || n_.wants(1)) with_cache(t, &a);
    const SymDims k = n_.dims(a.k);
    if (!n_.ok()) return;
    set_scale(n_, &a, sizes_[0] / heads_);
    Masks masks(n_, n_.dtype(a.q), d[0], d[1], k[2]);
    if (has_input(inputs_.mask)) masks.add_padding(n_.in(at(inputs_.mask)), "mask_index");
    if (has_input(inputs_.attention_bias)) masks.add_bias(n_.widened(n_.in(at(inputs_.attention_bias))));
    a.bias = masks.bias;
    a.causal = n_.integer("unidirectional", 0) != 0;
    n_.out(0, n_.cast(merged_heads(n_, attend(n_, a)), t));
  }

 private:
  static size_t at(int input) { return static_cast<size_t>(input); }
  bool has_input(int input) { return input >= 0 && n_.has(at(input)); }

  void read_sizes(Dim all) {
    sizes_ = n_.integers("qkv_hidden_sizes");
    if (n_.ok() && sizes_.empty()) {
      if (!all.is_number() || all.number() % 3 != 0)
        return n_.unsupported("weights have {} columns; expected a number that is a multiple of 3", n_.pool().text(all));
      sizes_.assign(3, all.number() / 3);
    }
    if (n_.ok() && (sizes_.size() != 3 || sizes_[0] != sizes_[1] || sizes_[0] < 1 || sizes_[2] < 1 || heads_ < 1 ||
                    sizes_[0] % heads_ != 0 || sizes_[2] % heads_ != 0))
      n_.wrong("qkv_hidden_sizes or num_heads is wrong; expected three positive sizes, the first two equal, that {} heads divide", heads_);
    if (n_.ok()) n_.require_equal(all, sizes_[0] + sizes_[1] + sizes_[2], "the number of columns of weights");
  }

  // Keys and values behind those of earlier calls, [2, batch, heads, keys, size], which the second output gives.
  void with_cache(DType t, HeadsAttention* a) {
    Dim past = 0;
    if (has_input(inputs_.past)) {
      const ValueId cache = n_.in(at(inputs_.past));
      if (n_.ok() && n_.rank(cache) != 5) n_.wrong("past has rank {}; expected 5", n_.rank(cache));
      if (n_.ok() && sizes_[2] != sizes_[0]) n_.wrong("past is given and the sizes of q and v differ");
      if (!n_.ok()) return;
      past = n_.dims(cache)[3];
      n_.require_equal(n_.dims(cache)[0], 2, "dim 0 of past");
    }
    if (n_.ok() && sizes_[2] != sizes_[0])
      n_.unsupported("output 1 (present) is read, and q and v have sizes {} and {}; expected equal ones", sizes_[0], sizes_[2]);
    const SymDims one = n_.dims(a->k);
    if (!n_.ok()) return;
    // Rounded to the cache's dtype before they are read, as those of earlier calls are.
    const SymDims apart{1, one[0], one[1], one[2], one[3]};
    ValueId both = n_.cast(n_.add(Concat::make(0), {n_.reshape(a->k, apart), n_.reshape(a->v, apart)}), t);
    if (has_input(inputs_.past)) both = appended_behind(n_, n_.in(at(inputs_.past)), both, 3);
    n_.out(1, both);
    const SymDims all_keys{one[0], one[1], n_.pool().add(past, one[2]), one[3]};
    a->k = n_.widened(n_.reshape(n_.slice(both, 0, 0, 1), all_keys));
    a->v = n_.widened(n_.reshape(n_.slice(both, 0, 1, 1), all_keys));
    a->first = past;
  }

  NodeImport& n_;
  Inputs inputs_;
  int64_t heads_;
  std::vector<int64_t> sizes_;
};

void attention(NodeImport& n) {
  const ValueId x = n.in(0), weights = n.in(1);
  if (!n.ok()) return;
  const DType t = n.dtype(x);
  if (!dtype_is_float(t)) return n.wrong("input has dtype {}; expected a float", dtype_name(t));
  ProjectedAttention(n, {}).run(t, [&] {
    const ValueId y = n.add(Matmul::make({}), {n.widened(x), n.widened(weights)});
    return n.has(2) ? n.binary(B::add, y, n.widened(n.in(2))) : y;
  });
}

// The projections are a product of 8-bit values; what follows is computed on floats.
void quantized_attention(NodeImport& n) {
  enum Input : size_t { kX, kWeights, kBias, kScale, kWeightScale, kMask, kZero, kWeightZero, kPast };
  for (const size_t i : {size_t{kX}, size_t{kWeights}}) require_dtype(n, i, {DType::i8, DType::u8});
  for (const size_t i : {size_t{kBias}, size_t{kScale}, size_t{kWeightScale}}) require_dtype(n, i, {DType::f32});
  const ProductFactors factors{n.in(kScale), n.in(kWeightScale), n.optional_in(kZero), n.optional_in(kWeightZero)};
  const ValueId x = n.in(kX), weights = n.in(kWeights), bias = n.in(kBias);
  if (!n.ok()) return;
  ProjectedAttention(n, {kMask, kPast, -1, -1}).run(DType::f32, [&] { return scaled_product(n, x, weights, factors, bias); });
}

constexpr Importer kMicrosoftAttentionOperators[] = {
    {"Attention", 1, attention},
    {"MultiHeadAttention", 1, multi_head_attention},
    {"QAttention", 1, quantized_attention},
};

}  // namespace

std::span<const Importer> microsoft_attention_importers() { return kMicrosoftAttentionOperators; }

}  // namespace anydim::onnx
