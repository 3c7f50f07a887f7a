// SPDX-License-Identifier: Apache-2.0
// GroupQueryAttention and RotaryEmbedding of com.microsoft. Example b of a batch has seqlens_k[b] + 1 keys, of which the last ones are
// new: these are written behind the old ones, and what the cache holds behind its last key stays. With sliding_window_cache a cache holds
// the last keys alone, as many as the operator's description says, which makes it a matter of how many there were and nothing else.
#include "core/ops/operators/concat.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/range.h"
#include "onnx/operators/attention.h"
#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;

// position_ids: one element is the position of the first token, else they are [batch, sequence].
void rotary_embedding(NodeImport& n) {
  const ValueId x = n.in(0), ids = n.in(1), cos = n.in(2), sin = n.in(3);
  const int rank = n.rank(x);
  if (n.ok() && rank != 3 && rank != 4) n.wrong("input 0 has rank {}; expected 3 or 4", rank);
  if (n.integer("is_packed_batching", 0) != 0) n.unsupported("is_packed_batching is 1; expected 0");
  if (n.real("scale", 1.f) != 1.f) n.unsupported("scale is {}; expected 1", n.real("scale", 1.f));
  if (n.ok() && (n.rank(cos) != 2 || n.rank(sin) != 2)) n.wrong("the caches have ranks {} and {}; expected 2", n.rank(cos), n.rank(sin));
  if (!n.ok()) return;
  const Dim half = n.dims(cos)[1];
  if (!half.is_number()) return n.unsupported("the caches have {} columns; expected a number", n.pool().text(half));
  n.require_equal(n.dims(sin)[1], half, "the columns of sin_cache");
  Rotation r;
  r.size = half.number() * 2;
  r.interleaved = n.integer("interleaved", 0) != 0;
  r.heads_last = rank == 3;
  const int64_t rotary_size = n.integer("rotary_embedding_dim", 0), heads = n.integer("num_heads", 0);
  if (rotary_size != 0 && rotary_size != r.size)
    n.wrong("rotary_embedding_dim is {}; expected 0 or twice the columns of the caches, {}", rotary_size, r.size);
  if (rotary_size != 0 && heads == 0 && rank == 3) n.wrong("rotary_embedding_dim is given and num_heads is not");
  ValueId by_head = n.widened(x);
  if (rank == 3) {
    const Dim width = n.dims(x)[2];
    if (heads == 0 && !width.is_number())
      n.unsupported("attribute num_heads is absent, and the width {} is dynamic; expected one of both as a number", n.pool().text(width));
    if (n.ok()) by_head = split_heads(n, by_head, heads != 0 ? heads : width.number() / r.size, "input 0");
  }
  const SymDims d = n.dims(by_head);
  if (!n.ok()) return;
  if (d[3].is_number() && (rotary_size == 0 ? d[3].number() != r.size : d[3].number() < r.size))
    return n.wrong("the head size is {} and {} elements are rotated", d[3].number(), r.size);
  const Dim length = d[rank == 3 ? 1 : 2];
  const SymDims i = n.dims(ids);
  ValueId positions = n.cast(ids, DType::i64);
  if (i.rank == 1) {
    n.require_equal(i[0], 1, "the length of position_ids");
    positions = n.binary(B::add, n.reshape(positions, {1, 1}), n.reshape(n.add(Range::make(DType::i64, 0, 1, length), {}), {1, length}));
  } else if (i.rank == 2) {
    n.require_equal(i[0], d[0], "dim 0 of position_ids");
    n.require_equal(i[1], length, "dim 1 of position_ids");
  } else {
    return n.wrong("position_ids has rank {}; expected 1 or 2", i.rank);
  }
  r.cos = n.widened(rotary_rows(n, cos, positions));
  r.sin = n.widened(rotary_rows(n, sin, positions));
  n.out(0, n.cast(n.reshape(rotated(n, by_head, r), n.dims(x)), n.dtype(x)));
}

class GroupQueryAttention {
 public:
  explicit GroupQueryAttention(NodeImport& n) : n_(n), heads_(n.integer("num_heads")), key_heads_(n.integer("kv_num_heads")) {}

  void run() {
    check();
    read();
    if (!n_.ok()) return;
    batch_ = n_.dims(q_)[0];
    queries_ = n_.dims(q_)[1];
    find_positions();
    if (n_.integer("do_rotary", 0) != 0) rotate();
    const DType t = n_.dtype(q_);
    HeadsAttention a;
    a.softcap = n_.real("softcap", 0.f);
    a.causal = true;
    a.starts = first_;
    if (const int64_t window = n_.integer("local_window_size", -1); window > 0) a.left_window = window - 1;
    a.q = n_.widened(heads_first(q_));
    set_scale(n_, &a, n_.dims(q_)[3]);
    if (n_.has(kSink)) {
      a.sinks = n_.widened(n_.in(kSink));
    } else if (n_.integer("smooth_softmax", 0) > 0) {
      a.sinks = n_.expand(n_.scalar(NodeImport::computed_type(t), 0.0), {heads_});
    }
    ValueId y = kNoValue;
    if (windowed_) {
      y = in_windows(a);
    } else {
      k_ = in_cache(kPastKey, k_);
      v_ = in_cache(kPastValue, v_);
      n_.out(1, k_);
      n_.out(2, v_);
      if (!n_.ok()) return;
      a.k = n_.widened(k_);
      a.v = n_.widened(v_);
      if (n_.has(kAttentionBias)) a.bias = with_keys(n_.widened(n_.in(kAttentionBias)));
      y = attend(n_, a);
    }
    const SymDims d = n_.dims(y);
    if (n_.ok()) n_.out(0, n_.cast(n_.reshape(heads_first(y), {d[0], d[2], n_.pool().mul(d[1], d[3])}), t));
  }

 private:
  enum Input : size_t {
    kQuery,
    kKey,
    kValue,
    kPastKey,
    kPastValue,
    kLengths,
    kTotal,
    kCos,
    kSin,
    kPositions,
    kAttentionBias,
    kSink,
    kKeyScale,
    kValueScale,
    kQueryNorm,
    kKeyNorm
  };

  ValueId heads_first(ValueId x) { return n_.transpose(x, {0, 2, 1, 3}); }
  ValueId range(Dim count, const SymDims& dims) { return n_.reshape(n_.add(Range::make(DType::i64, 0, 1, count), {}), dims); }

  void check() {
    for (const auto& [i, name] : {std::pair(kKeyScale, "k_scale"), std::pair(kValueScale, "v_scale"),
                                  std::pair(kQueryNorm, "q_norm_weight"), std::pair(kKeyNorm, "k_norm_weight")})
      if (n_.has(i)) n_.unsupported("input {} ({}) is given; expected none", static_cast<size_t>(i), name);
    for (const char* const name : {"qk_output", "kv_cache_bit_width"})
      if (const int64_t v = n_.integer(name, 0); v > 0) n_.unsupported("{} is {}; expected 0", name, v);
    for (const char* const name : {"k_quant_type", "v_quant_type"})
      if (const std::string_view v = n_.text(name, "NONE"); v != "NONE") n_.unsupported("{} is '{}'; expected NONE", name, shown(v));
    if (n_.integer("causal", 1) != 1) n_.unsupported("causal is {}; expected 1", n_.integer("causal", 1));
    windowed_ = n_.integer("sliding_window_cache", 0) != 0;
    if (windowed_ && n_.integer("local_window_size", -1) < 1) n_.wrong("sliding_window_cache is 1; expected a local_window_size above 0");
    if (windowed_ && n_.has(kAttentionBias)) n_.unsupported("sliding_window_cache is 1 and attention_bias is given; expected none");
    if (windowed_ && n_.ok() && !n_.has(kPastKey)) n_.wrong("sliding_window_cache is 1 and past_key absent; expected it");
    if (n_.ok() && (heads_ < 1 || key_heads_ < 1 || heads_ % key_heads_ != 0))
      n_.wrong("num_heads is {} and kv_num_heads {}; expected a multiple", heads_, key_heads_);
    if (!n_.ok()) return;
    const DType t = n_.dtype(n_.in(kQuery));
    if (!dtype_is_float(t)) return n_.wrong("query has dtype {}; expected a float", dtype_name(t));
    for (const size_t i : {kKey, kValue, kPastKey, kPastValue, kCos, kSin, kAttentionBias, kSink})
      if (n_.ok() && n_.has(i) && n_.dtype(n_.in(i)) != t)
        n_.wrong("input {} has dtype {}; expected that of the query, {}", i, dtype_name(n_.dtype(n_.in(i))), dtype_name(t));
    if (n_.ok() && n_.has(kKey) != n_.has(kValue)) n_.wrong("one of key and value is absent; expected both or none");
    if (n_.ok() && n_.has(kPastKey) != n_.has(kPastValue)) n_.wrong("one of past_key and past_value is absent; expected both or none");
    for (const size_t i : {kPastKey, kPastValue})
      if (n_.ok() && n_.has(i) && n_.rank(n_.in(i)) != 4) n_.wrong("input {} has rank {}; expected 4", i, n_.rank(n_.in(i)));
  }

  // q, k and v as [batch, sequence, heads, size].
  void read() {
    const ValueId query = n_.in(kQuery);
    if (!n_.ok()) return;
    if (n_.has(kKey)) {
      q_ = split_heads(n_, query, heads_, "query");
      k_ = split_heads(n_, n_.in(kKey), key_heads_, "key");
      v_ = split_heads(n_, n_.in(kValue), key_heads_, "value");
      return;
    }
    const ValueId all = split_heads(n_, query, heads_ + 2 * key_heads_, "query");
    q_ = n_.slice(all, 2, 0, heads_);
    k_ = n_.slice(all, 2, heads_, key_heads_);
    v_ = n_.slice(all, 2, heads_ + key_heads_, key_heads_);
  }

  // The first call holds whole prompts, padded at their ends: total_sequence_length, which is the queries' length. Later calls
  // go on where each example ended.
  void find_positions() {
    const ValueId lengths = n_.in(kLengths);
    const Dim total = n_.element_of(n_.in(kTotal), "total_sequence_length");
    if (!n_.ok()) return;
    const SymDims d = n_.dims(lengths);
    if (d.rank < 1 || d.rank > 2) return n_.wrong("seqlens_k has rank {}; expected 1 or 2", d.rank);
    n_.require_equal(d[0], batch_, "the length of seqlens_k");
    if (d.rank == 2) n_.require_equal(d[1], 1, "dim 1 of seqlens_k");
    n_.require(n_.pool().sub(1, n_.pool().less(total, queries_)), "total_sequence_length is at least the length of the query");
    DimPool& pool = n_.pool();
    if (!windowed_) bound_keys(total);
    // 0 in a first call, else seqlens_k + 1 - queries.
    const Dim later = pool.sub(1, pool.equal(total, queries_)), behind = pool.sub(1, queries_);
    const ValueId last = n_.cast(n_.reshape(lengths, {batch_}), DType::i64);
    first_ = n_.binary(B::mul, n_.binary(B::add, last, number(behind)), number(later));
    positions_ = n_.binary(B::add, n_.reshape(first_, {batch_, 1}), range(queries_, {1, queries_}));
    if (windowed_) keys_of_each_ = n_.binary(B::add, last, number(1));
  }

  ValueId number(Dim v) { return n_.shape(DType::i64, {}, {v}); }

  void bound_keys(Dim total) {
    DimPool& pool = n_.pool();
    const Dim old = n_.has(kPastKey) ? n_.dims(n_.in(kPastKey))[2] : Dim(0);
    // That it is no more bounds the cache where the cache's and the query's lengths are bounded.
    const Dim most = pool.add(old, queries_);
    n_.require(pool.sub(1, pool.less(most, total)), "total_sequence_length is at most the lengths of the cache and of the query");
    keys_ = pool.max(old, pool.min(total, most));
  }

  void rotate() {
    const ValueId cos = n_.in(kCos), sin = n_.in(kSin);
    if (n_.ok() && (n_.rank(cos) != 2 || n_.rank(sin) != 2))
      n_.wrong("the caches have ranks {} and {}; expected 2", n_.rank(cos), n_.rank(sin));
    if (!n_.ok()) return;
    const Dim half = n_.dims(cos)[1], size = n_.dims(q_)[3];
    if (!half.is_number()) return n_.unsupported("cos_cache has {} columns; expected a number", n_.pool().text(half));
    n_.require_equal(n_.dims(sin)[1], half, "the columns of sin_cache");
    Rotation r;
    r.size = half.number() * 2;
    if (size.is_number() && size.number() < r.size) n_.wrong("the head size is {} and {} elements are rotated", size.number(), r.size);
    r.interleaved = n_.integer("rotary_interleaved", 0) != 0;
    r.heads_last = true;
    ValueId at = positions_;
    if (n_.has(kPositions)) {
      at = n_.in(kPositions);
      n_.require_fits(at, {batch_, queries_}, "position_ids");
    }
    r.cos = n_.widened(rotary_rows(n_, cos, at));
    r.sin = n_.widened(rotary_rows(n_, sin, at));
    const DType t = n_.dtype(q_);
    q_ = n_.cast(rotated(n_, n_.widened(q_), r), t);
    k_ = n_.cast(rotated(n_, n_.widened(k_), r), t);
  }

  // [batch, key heads, keys, size]
  ValueId in_cache(Input past, ValueId x) {
    const ValueId fresh = heads_first(x);
    if (!n_.ok()) return kNoValue;
    SymDims after = SymDims::filled(4, 0);
    if (!n_.has(past)) {  // the first call
      after[2] = n_.pool().sub(keys_, queries_);
      return n_.add(Pad::make(PadMode::constant, SymDims::filled(4, 0), after), {fresh});
    }
    require_cache(past, fresh);
    return appended(n_, n_.in(past), fresh, first_, 2, keys_, false);
  }

  void require_cache(Input past, ValueId fresh) {
    const SymDims p = n_.dims(n_.in(past)), d = n_.dims(fresh);
    if (!n_.ok()) return;
    n_.require_equal(p[0], batch_, formatted("dim 0 of input {}", static_cast<size_t>(past)));
    n_.require_equal(p[1], key_heads_, formatted("dim 1 of input {}", static_cast<size_t>(past)));
    n_.require_equal(p[3], d[3], formatted("dim 3 of input {}", static_cast<size_t>(past)));
  }

  // Of a cache of C slices and a window of W, `groups` = C - W + 1 keys leave at once, as late as they can: after T keys all but the last
  // T - groups * ceil((T - C) / groups) have left, if T > C. How many that are.
  ValueId evicted_after(ValueId keys, Dim capacity, Dim group) {
    const ValueId over = n_.binary(B::max, n_.binary(B::sub, keys, number(capacity)), number(0));
    const ValueId up = n_.binary(B::add, over, number(n_.pool().sub(group, 1)));
    return n_.binary(B::mul, n_.binary(B::div, up, number(group)), number(group));
  }

  // A single query reads the cache as it is afterwards, where that may lie in the old one's memory. Several read all that was there before,
  // since the first of them may see keys that have left. One of both attentions has no queries.
  ValueId in_windows(HeadsAttention a) {
    DimPool& pool = n_.pool();
    const ValueId k = heads_first(k_), v = heads_first(v_);
    require_cache(kPastKey, k);
    require_cache(kPastValue, v);
    if (!n_.ok()) return kNoValue;
    const Dim capacity = n_.dims(n_.in(kPastKey))[2], window = a.left_window + 1;
    n_.require_equal(n_.dims(n_.in(kPastValue))[2], capacity, "dim 2 of past_value");
    n_.require(pool.sub(1, pool.less(capacity, window)), "a windowed cache is at least as long as local_window_size");
    const Dim group = pool.max(pool.add(pool.sub(capacity, window), 1), 1);
    const ValueId before = evicted_after(first_, capacity, group), after = evicted_after(keys_of_each_, capacity, group);
    const ValueId begin = n_.binary(B::sub, first_, after), leaving = n_.binary(B::sub, after, before);
    const Windowed keys = appended_to_window(n_, n_.in(kPastKey), k, begin, leaving, 2);
    const Windowed values = appended_to_window(n_, n_.in(kPastValue), v, begin, leaving, 2);
    n_.out(1, keys.cache);
    n_.out(2, values.cache);
    if (!n_.ok()) return kNoValue;
    const Dim one = pool.equal(queries_, 1), more = pool.sub(queries_, one);
    const auto part = [&](Dim first, Dim count, ValueId key, ValueId value, ValueId origins) {
      HeadsAttention mine = a;
      mine.q = n_.slice(a.q, 2, first, count);
      mine.k = n_.widened(key);
      mine.v = n_.widened(value);
      mine.origins = origins;
      return attend(n_, mine);
    };
    if (one.is(1)) return part(0, 1, keys.cache, values.cache, after);
    const ValueId several = part(one, more, keys.all, values.all, before);
    if (one.is(0)) return several;
    return n_.add(Concat::make(2), {part(0, one, keys.cache, values.cache, after), several});
  }

  // A bias covers total_sequence_length keys; the cache may be longer, and what lies there is never seen.
  ValueId with_keys(ValueId bias) {
    const SymDims d = n_.dims(bias);
    if (n_.ok() && d.rank != 4) n_.wrong("attention_bias has rank {}; expected 4", d.rank);
    if (!n_.ok() || n_.pool().provably_equal(d[3], keys_)) return bias;
    SymDims after = SymDims::filled(4, 0);
    after[3] = n_.pool().sub(keys_, d[3]);
    return n_.add(Pad::make(PadMode::constant, SymDims::filled(4, 0), after), {bias});
  }

  NodeImport& n_;
  int64_t heads_, key_heads_;
  Dim batch_, queries_, keys_;
  ValueId q_ = kNoValue, k_ = kNoValue, v_ = kNoValue;
  ValueId first_ = kNoValue;      // [batch]: the position of the first query
  ValueId positions_ = kNoValue;  // [batch, queries]
  bool windowed_ = false;
  ValueId keys_of_each_ = kNoValue;  // [batch]: old and new keys
};

void group_query_attention(NodeImport& n) { GroupQueryAttention(n).run(); }

constexpr Importer kMicrosoftGroupedOperators[] = {
    {"GroupQueryAttention", 1, group_query_attention},
    {"RotaryEmbedding", 1, rotary_embedding},
};

}  // namespace

std::span<const Importer> microsoft_grouped_importers() { return kMicrosoftGroupedOperators; }

}  // namespace anydim::onnx
