// SPDX-License-Identifier: Apache-2.0
// For tests of engines: a random small problem of each operator, as text and input dims. Some are refused by their shape rule;
// who draws them skips those.
#pragma once

#include <string>
#include <vector>

#include "core/base/testing/random.h"
#include "core/ops/op.h"
#include "core/tensor/dims.h"

namespace anydim::testing {

struct DrawnProblem {
  std::string op;  // for parse_operator()
  struct Input {
    DType dtype = DType::f32;
    Dims dims;
  };
  std::vector<Input> in;
};

class ProblemDrawer {
 public:
  explicit ProblemDrawer(Random& random) : r_(random) {}

  DrawnProblem draw(OpKind kind) {
    switch (kind) {
      case OpKind::convolution:
      case OpKind::conv_transpose: return convolution(kind == OpKind::conv_transpose);
      case OpKind::matmul: return matmul();
      case OpKind::pooling: {
        const bool max = r_.flag();
        return {formatted("pooling kind={} window=2,3 strides={},1 pads_begin=1,1 pads_end=0,1 ceil_mode={} indices={}",
                          max ? "max" : "average", n(1, 2), n(0, 1), max ? n(0, 1) : 0),
                {f32({n(1, 2), n(1, 5), n(3, 9), n(3, 9)})}};
      }
      case OpKind::unary: {
        const char* const names[] = {"relu", "sigmoid", "tanh", "exp", "hard_swish", "abs", "ceil", "erf", "neg", "floor"};
        return {formatted("unary function={}", names[n(0, 9)]), {f32(any_dims())}};
      }
      case OpKind::binary: {
        const char* const names[] = {"add", "sub", "mul", "div", "max", "min"};
        const Dims d = any_dims();
        return {formatted("binary function={}", names[n(0, 5)]), {f32(d), f32(thinned(d))}};
      }
      case OpKind::where: {
        const Dims d = any_dims();
        return {"where", {{DType::boolean, thinned(d)}, f32(d), f32(thinned(d))}};
      }
      case OpKind::cast: {
        const char* const names[] = {"f16", "i32", "f64", "bool", "i64", "u8", "bf16"};
        return {formatted("cast to={}", names[n(0, 6)]), {{r_.flag() ? DType::f32 : DType::i32, any_dims()}}};
      }
      case OpKind::reduce: {
        const char* const names[] = {"sum", "mean", "max", "min", "l2"};
        const Dims d = any_dims();
        return {formatted("reduce kind={} axes={} keepdims={}", names[n(0, 4)], n(0, d.rank - 1), n(0, 1)), {f32(d)}};
      }
      case OpKind::quantization_range: return {"quantization_range", {f32(any_dims())}};
      case OpKind::arg_reduce:
        return {formatted("arg_reduce kind={} axis=-1 keepdims={}", r_.flag() ? "max" : "min", n(0, 1)), {f32(any_dims())}};
      case OpKind::softmax: return {formatted("softmax axis=-1 log={}", n(0, 1)), {f32(any_dims())}};
      case OpKind::layer_norm: {
        const Dims d = any_dims();
        return {"layer_norm axis=-1 epsilon=0.001", {f32(d), f32({d.back()}), f32({d.back()})}};
      }
      case OpKind::cumsum: return {formatted("cumsum exclusive={} reverse={}", n(0, 1), n(0, 1)), {f32(any_dims()), {DType::i64, {1}}}};
      case OpKind::resize:
        return {formatted("resize mode={} sizes={},{},{},{}", r_.flag() ? "linear" : "nearest", 2, 3, n(1, 9), n(1, 9)),
                {f32({2, 3, n(1, 7), n(1, 7)})}};
      case OpKind::transpose: return {r_.flag() ? "transpose perm=2,0,1" : "transpose perm=1,2,0", {f32({n(1, 5), n(1, 5), n(1, 5)})}};
      case OpKind::reshape: {
        const int64_t a = n(1, 5), b = n(1, 5), c = n(1, 5);
        return {formatted("reshape dims={},{}", a * b, c), {f32({a, b, c})}};
      }
      case OpKind::expand: {
        const int64_t a = n(1, 5), b = n(1, 5);
        return {formatted("expand dims={},{},{}", n(1, 3), a, b), {f32({a, r_.flag() ? b : 1})}};
      }
      case OpKind::slice: return {formatted("slice starts=1,0 steps=1,2 lengths={},2", n(1, 3)), {f32({n(4, 6), n(4, 6)})}};
      case OpKind::concat: {
        const int64_t a = n(1, 4);
        return {"concat axis=1", {f32({a, n(1, 4)}), f32({a, n(1, 4)}), f32({a, n(1, 4)})}};
      }
      case OpKind::pad:
        return {formatted("pad mode={} before=1,{} after=0,2", r_.flag() ? "edge" : "reflect", n(0, 2)), {f32({n(3, 6), n(3, 6)})}};
      case OpKind::tile: return {formatted("tile repeats={},{}", n(1, 3), n(1, 3)), {f32({n(1, 4), n(1, 4)})}};
      case OpKind::depth_to_space:
        return {"depth_to_space block=2 order=depth_first inverse=0", {f32({n(1, 2), 4 * n(1, 3), n(1, 4), n(1, 4)})}};
      case OpKind::gather: return {"gather axis=1", {f32({n(1, 4), n(1, 6)}), {DType::i64, {n(1, 3), n(1, 3)}}}};
      case OpKind::gather_elements: {
        const int64_t a = n(1, 4);
        return {"gather_elements axis=1", {f32({a, n(1, 6)}), {DType::i64, {a, n(1, 6)}}}};
      }
      case OpKind::gather_nd: return {"gather_nd batch_dims=0", {f32({n(2, 4), n(2, 4), n(1, 3)}), {DType::i64, {n(1, 4), n(1, 2)}}}};
      case OpKind::scatter_elements: {
        const int64_t a = n(1, 4), b = n(1, 4);
        return {"scatter_elements axis=1 reduction=add", {f32({a, b + 2}), {DType::i64, {a, b}}, f32({a, b})}};
      }
      case OpKind::scatter_nd: {
        const int64_t a = n(1, 4), c = n(1, 4);
        return {"scatter_nd reduction=add", {f32({n(2, 5), c}), {DType::i64, {a, 1}}, f32({a, c})}};
      }
      case OpKind::range: return {formatted("range dtype=i64 start={} delta={} count={}", n(-9, 9), n(1, 3), n(1, 20)), {}};
      case OpKind::shape_tensor: return {formatted("shape_tensor dtype=i64 scalar=0 values={},{}", n(-9, 9), n(0, 99)), {}};
      case OpKind::topk: return {formatted("topk axis=1 k={} largest={} sorted=1", n(1, 3), n(0, 1)), {f32({n(1, 4), n(3, 9)})}};
      case OpKind::one_hot: return {formatted("one_hot axis=1 depth={}", n(1, 6)), {{DType::i64, {n(1, 5)}}, f32({2})}};
      case OpKind::trilu: return {formatted("trilu upper={} k={}", n(0, 1), n(-2, 2)), {f32({n(1, 6), n(1, 6)})}};
      case OpKind::eye_like: return {formatted("eye_like dtype=f32 k={}", n(-2, 2)), {f32({n(1, 6), n(1, 6)})}};
      case OpKind::grid_sample: {
        const char* const modes[] = {"nearest", "linear", "cubic"};
        const char* const paddings[] = {"zeros", "border", "reflection"};
        const int64_t batch = n(1, 2);
        return {formatted("grid_sample mode={} padding={} align_corners={}", modes[n(0, 2)], paddings[n(0, 2)], n(0, 1)),
                {f32({batch, n(1, 3), n(1, 6), n(1, 6)}), f32({batch, n(1, 5), n(1, 5), 2})}};
      }
      case OpKind::count_non_zero: return {"count_non_zero", {f32(any_dims())}};
      case OpKind::non_zero: {
        const Dims d = any_dims();  // drawn floats are not zero
        return {formatted("non_zero count={}", n(0, element_count(d))), {f32(d)}};
      }
      case OpKind::unique: {
        const Dims d = any_dims();
        return {formatted("unique axis={} sorted={}", n(0, d.rank - 1), n(0, 1)), {f32(d)}};
      }
      case OpKind::recurrent: {
        const int64_t batch = n(1, 3), inputs = n(1, 5), hidden = n(1, 5);
        return {formatted("recurrent cell=lstm direction=bidirectional clip={} cell_state=1", n(0, 2)),
                {f32({n(1, 4), batch, inputs}), f32({2, 4 * hidden, inputs}), f32({2, 4 * hidden, hidden}), f32({2, 8 * hidden})}};
      }
      case OpKind::attention: {
        const int64_t batch = n(1, 2), key_heads = n(1, 2), keys = n(1, 9), size = n(1, 8), queries = n(1, 5);
        return {formatted("attention scale=0.5 causal={} first={} left_window={}", n(0, 1), n(0, keys), n(-1, 4)),
                {f32({batch, key_heads * n(1, 2), queries, size}), f32({batch, key_heads, keys, size}),
                 f32({batch, key_heads, keys, n(1, 6)}), f32({queries, keys})}};
      }
      case OpKind::compressed_matmul: {
        const int64_t k = n(1, 40), columns = n(1, 20), block = 8 * n(0, 3);
        return {formatted("compressed_matmul transpose_b=1 block={} zero_point={}", block, n(0, 9)),
                {f32({n(1, 12), k}), {DType::u8, {columns, k}}, f32({columns, block == 0 ? 1 : (k + block - 1) / block})}};
      }
      case OpKind::append: {
        const int64_t batch = n(1, 3), cached = n(0, 6), fresh = n(1, 4), size = n(1, 5);
        return {formatted("append axis=1 first={} length={}", cached, cached + fresh),
                {f32({batch, cached, size}), f32({batch, fresh, size})}};
      }
      case OpKind::fold: {
        const int64_t image = n(4, 9), window = n(1, 3), stride = n(1, 2);
        return {formatted("fold image={} window={} strides={}", image, window, stride),
                {f32({n(1, 2), n(1, 3) * window, (image - window) / stride + 1})}};
      }
      case OpKind::deform_columns: {
        const int64_t batch = n(1, 2), groups = n(1, 2), h = n(3, 6), w = n(3, 6);
        return {formatted("deform_columns window=2,2 groups={}", groups),
                {f32({batch, groups * n(1, 3), h, w}), f32({batch, groups * 8, h - 1, w - 1}), f32({batch, groups * 4, h - 1, w - 1})}};
      }
      case OpKind::roi_align: {
        const int64_t regions = n(1, 4);
        return {formatted("roi_align mode={} height={} width={} samples={}", r_.flag() ? "average" : "maximum", n(1, 3), n(1, 3), n(0, 2)),
                {f32({n(1, 2), n(1, 4), n(3, 8), n(3, 8)}), f32({regions, 4}), {DType::i64, {regions}}}};
      }
      case OpKind::non_max_suppression: {
        const int64_t batch = n(1, 2), boxes = n(1, 9);
        return {formatted("non_max_suppression most={}", n(1, boxes)),
                {f32({batch, boxes, 4}), f32({batch, n(1, 2), boxes}), {DType::i64, {1}}, f32({1})}};
      }
      case OpKind::string_lookup: return {"string_lookup", {views(any_dims()), bytes(), views({1}), bytes()}};
      case OpKind::string_equal: return {"string_equal", {views({n(1, 4), n(1, 9)}), bytes(), views({1}), bytes()}};
      case OpKind::string_concat: return {"string_concat bytes=2000", {views({n(1, 4), n(1, 9)}), bytes(), views({1}), bytes()}};
      case OpKind::string_case: return {formatted("string_case upper={} bytes=5000", n(0, 1)), {views({n(1, 4), n(1, 9)}), bytes()}};
      case OpKind::string_match:
        return {"string_match", {views(any_dims()), bytes(), {DType::u8, {1, 256}}, {DType::i32, {n(4, 9), n(2, 5)}}}};
      case OpKind::count_string_pieces: return {formatted("count_string_pieces rule={}", rule()), {views(any_dims()), bytes()}};
      case OpKind::string_split: return {formatted("string_split rule={} most={}", rule(), n(1, 9)), {views({n(1, 4), n(1, 9)}), bytes()}};
      case OpKind::string_parse: return {formatted("string_parse to={}", r_.flag() ? "f32" : "f64"), {views(any_dims()), bytes()}};
      case OpKind::string_format: return {"string_format", {f32(any_dims())}};
      case OpKind::ngram_counts:
        return {formatted("ngram_counts outputs=4 max_skip={}", n(0, 2)),
                {{DType::i64, {n(1, 5), n(1, 9)}}, {DType::i64, {1, 2}}, {DType::i64, {1}}, {DType::i64, {1}}}};
      case OpKind::dft: return {formatted("dft axis=1 length={} inverse={}", n(1, 30), n(0, 1)), {f32({n(1, 3), n(1, 30), n(1, 2)})}};
      case OpKind::det: {
        const int64_t size = n(1, 5);
        return {"det", {f32({n(1, 3), size, size})}};
      }
      case OpKind::random_uniform:
        return {formatted("random_uniform dims={},{} seed={} stream={}", n(1, 5), n(1, 9), n(0, 99), n(0, 3)), {}};
      case OpKind::bit_cast: return {"bit_cast to=i32", {f32(any_dims())}};
      case OpKind::tree_ensemble: {
        const int64_t outputs = n(1, 3), nodes = n(1, 6), weights = n(1, 5);
        return {formatted("tree_ensemble outputs={} aggregate={}", outputs, r_.flag() ? "sum" : "average"),
                {f32({n(1, 9), n(1, 4)}),
                 f32({nodes}),
                 {DType::i32, {nodes, 4}},
                 {DType::i32, {n(1, 5)}},
                 {DType::i32, {weights}},
                 f32({weights}),
                 f32({outputs})}};
      }
      case OpKind::couple_pairs: {
        const int64_t classes = n(2, 5);
        return {formatted("couple_pairs classes={}", classes), {f32({n(1, 9), classes * (classes - 1) / 2})}};
      }
      case OpKind::count_: break;
    }
    return {};
  }

 private:
  int64_t n(int64_t low, int64_t high) { return r_.integer(low, high); }
  static DrawnProblem::Input f32(const Dims& dims) { return {DType::f32, dims}; }
  static DrawnProblem::Input views(const Dims& dims) { return {DType::i64, dims}; }
  DrawnProblem::Input bytes() { return {DType::u8, {n(1, 20)}}; }
  const char* rule() { return r_.flag() ? "characters" : "whitespace"; }
  Dims any_dims() {
    Dims d;
    for (int64_t rank = n(1, 4); rank > 0; --rank) d.push_back(n(1, 7));
    return d;
  }
  // Dims that broadcast to these.
  Dims thinned(Dims d) {
    for (int i = 0; i < d.rank; ++i)
      if (r_.chance(0.3)) d[i] = 1;
    return d;
  }
  DrawnProblem convolution(bool transposed) {
    const int64_t group = n(1, 2), own = n(1, 4), out = n(1, 4), k = n(1, 3);
    const Dims weights = transposed ? Dims{group * own, out, k, 2} : Dims{group * out, own, k, 2};
    const int64_t pad = n(0, 1);
    DrawnProblem p{formatted("{} strides={},{} dilations=1,1 pads_begin={},0 pads_end=0,{} group={}",
                             transposed ? "conv_transpose" : "convolution", n(1, 2), n(1, 2), pad, pad, group),
                   {f32({n(1, 2), group * own, n(3, 8), n(3, 8)}), f32(weights)}};
    if (r_.flag()) p.in.push_back(f32({group * out}));
    return p;
  }
  DrawnProblem matmul() {
    const int64_t m = n(1, 9), k = n(1, 200), columns = n(1, 9);
    const bool a = r_.flag(), b = r_.flag();
    DrawnProblem p{formatted("matmul transpose_a={} transpose_b={}", a ? 1 : 0, b ? 1 : 0),
                   {f32(a ? Dims{k, m} : Dims{m, k}), f32(b ? Dims{columns, k} : Dims{k, columns})}};
    if (r_.flag()) p.in.push_back(f32({columns}));
    return p;
  }

  Random& r_;
};

}  // namespace anydim::testing
