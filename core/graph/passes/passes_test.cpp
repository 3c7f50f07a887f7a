// SPDX-License-Identifier: Apache-2.0
// Each pass on a small graph, before and after in text form; and the value of the graph before and after, computed by the
// kernels on random inputs.
#include "core/graph/passes/passes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

#include "core/dispatch/primitive.h"
#include "core/graph/text.h"

namespace anydim {
namespace {

Graph parse(const std::string& text) {
  Graph g;
  const Status s = parse_graph(text, &g);
  EXPECT_TRUE(s.ok()) << s.message() << "\n" << text;
  return g;
}

// The graph after a pass and after what it left behind was removed.
Graph after(const char* pass, const std::string& text) {
  Graph g = parse(text);
  Status s = run_pass(g, pass);
  EXPECT_TRUE(s.ok()) << s.message();
  s = run_pass(g, "dead_nodes");
  EXPECT_TRUE(s.ok()) << s.message();
  return g;
}

// Runs a graph whose dims are all numbers on inputs from the seed; values of its outputs.
std::vector<std::vector<float>> run(const Graph& g, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<float> uniform(-4.f, 4.f);
  std::vector<HostTensor> made(static_cast<size_t>(g.value_count()));
  for (ValueId v : g.inputs()) {
    Dims d;
    for (Dim x : g.value(v).type.dims) d.push_back(x.number());
    HostTensor& t = made[static_cast<size_t>(v)];
    EXPECT_TRUE(HostTensor::allocate(DType::f32, d, &t).ok());
    for (int64_t i = 0; i < t.view.count(); ++i) t.view.as<float>()[i] = uniform(rng);
  }
  const auto views = [&](const std::vector<ValueId>& list) {
    std::vector<TensorView> out;
    for (ValueId v : list)
      out.push_back(v == kNoValue                 ? TensorView{}
                    : g.value(v).constant         ? g.value(v).constant->view()
                                                  : made[static_cast<size_t>(v)].view);
    return out;
  };
  for (NodeId id : g.order()) {
    const Node& n = g.node(id);
    std::vector<HostTensor> results;
    const Status s = execute_once(n.op, views(n.inputs), n.post_ops, views(n.post_inputs), &results);
    EXPECT_TRUE(s.ok()) << Graph::label(n) << ": " << s.message();
    for (size_t i = 0; i < results.size(); ++i) made[static_cast<size_t>(n.outputs[i])] = results[i];
  }
  std::vector<std::vector<float>> out;
  for (const GraphOutput& o : g.outputs()) {
    const TensorView t = views({o.value})[0];
    out.emplace_back(t.as<float>(), t.as<float>() + t.count());
  }
  return out;
}

std::string replace_all(std::string s, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size()) s.replace(at, from.size(), to);
  return s;
}

// Symbols of the texts below, as numbers.
std::string with_numbers(std::string s) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"N", "2"}, {"H", "5"}, {"W", "7"}})
    s = replace_all(replace_all(replace_all(s, "[" + name, "[" + value), ", " + name, ", " + value), "*" + name, "*" + value);
  return s;
}

enum class Bits { equal, close };

void expect(const char* pass, const std::string& before, const std::string& want, Bits bits) {
  const Graph g = after(pass, before);
  EXPECT_EQ(print_graph(g, true), print_graph(parse(want), true)) << "got\n" << print_graph(g);
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const auto was = run(parse(with_numbers(before)), seed), is = run(after(pass, with_numbers(before)), seed);
  ASSERT_EQ(was.size(), is.size());
  for (size_t o = 0; o < was.size(); ++o) {
    ASSERT_EQ(was[o].size(), is[o].size());
    float largest = 1;  // sums cancel: an element's error is that of its terms, not of itself
    for (float v : was[o]) largest = std::max(largest, std::abs(v));
    for (size_t i = 0; i < was[o].size(); ++i) {
      if (bits == Bits::equal) ASSERT_EQ(was[o][i], is[o][i]) << "element " << i;
      else ASSERT_NEAR(was[o][i], is[o][i], 2e-6 * largest) << "element " << i;
    }
  }
}

// --- activations ------------------------------------------------------------------------------------------------

constexpr const char* kHardSwish = R"(
input x: f32[N, 8, H, W]
y = unary(x) function=hard_swish
output y
)";

TEST(Activations, hard_swish_as_product_over_six_is_recognised) {
  expect("activations", R"(
input x: f32[N, 8, H, W]
const three: f32[] = 3
const six: f32[1] = 6
a = binary(x, three) function=add
b = unary(a) function=clip alpha=0 beta=6
c = binary(x, b) function=mul
y = binary(c, six) function=div
output y
)", kHardSwish, Bits::close);
}

TEST(Activations, hard_swish_as_gate_is_recognised) {
  expect("activations", R"(
input x: f32[N, 8, H, W]
const three: f32[] = 3
const sixth: f32[] = 0.166666667
a = binary(three, x) function=add
b = unary(a) function=clip alpha=0 beta=6
c = binary(b, sixth) function=mul
y = binary(c, x) function=mul
output y
)", kHardSwish, Bits::close);
  expect("activations", R"(
input x: f32[N, 8, H, W]
a = unary(x) function=hard_sigmoid alpha=0.166666667 beta=0.5
y = binary(x, a) function=mul
output y
)", kHardSwish, Bits::close);
}

TEST(Activations, a_clip_of_another_value_is_no_hard_swish) {
  const std::string text = R"(
input x: f32[N, 8, H, W]
input z: f32[N, 8, H, W]
const three: f32[] = 3
const six: f32[] = 6
a = binary(z, three) function=add
b = unary(a) function=clip alpha=0 beta=6
c = binary(x, b) function=mul
y = binary(c, six) function=div
output y
)";
  expect("activations", text, text, Bits::equal);
}

TEST(Activations, a_constant_that_enlarges_is_no_hard_swish) {
  const std::string text = R"(
input x: f32[8]
const three: f32[1, 1] = 3
const six: f32[] = 6
a = binary(x, three) function=add
b = unary(a) function=clip alpha=0 beta=6
c = binary(x, b) function=mul
y = binary(c, six) function=div
output y
)";
  expect("activations", text, text, Bits::equal);
}

TEST(Activations, hard_sigmoid_silu_quick_gelu_and_square_are_recognised) {
  expect("activations", R"(
input x: f32[N, W]
const three: f32[] = 3
const six: f32[] = 6
const slope: f32[] = 1.702
a = binary(x, three) function=add
b = unary(a) function=clip alpha=0 beta=6
p = binary(b, six) function=div
s = unary(x) function=sigmoid
q = binary(s, x) function=mul
t = binary(x, slope) function=mul
u = unary(t) function=sigmoid
r = binary(x, u) function=mul
w = binary(x, x) function=mul
output p
output q
output r
output w
)", R"(
input x: f32[N, W]
p = unary(x) function=hard_sigmoid alpha=0.166666672 beta=0.5
q = unary(x) function=silu
r = unary(x) function=quick_gelu alpha=1.702
w = unary(x) function=square
output p
output q
output r
output w
)", Bits::close);
}

TEST(Activations, gelu_by_erf_and_by_tanh_are_recognised) {
  expect("activations", R"(
input x: f32[N, W]
const root2: f32[] = 1.41421354
const one: f32[] = 1
const half: f32[] = 0.5
a = binary(x, root2) function=div
b = unary(a) function=erf
c = binary(b, one) function=add
d = binary(x, c) function=mul
y = binary(d, half) function=mul
output y
)", "input x: f32[N, W]\ny = unary(x) function=gelu_erf\noutput y\n", Bits::close);
  expect("activations", R"(
input x: f32[N, W]
const k: f32[] = 0.797884583
const small: f32[] = 0.044715
const one: f32[] = 1
const three: f32[] = 3
const half: f32[] = 0.5
a = binary(x, three) function=pow
b = binary(a, small) function=mul
c = binary(x, b) function=add
d = binary(c, k) function=mul
e = unary(d) function=tanh
f = binary(e, one) function=add
g = binary(x, half) function=mul
y = binary(g, f) function=mul
output y
)", "input x: f32[N, W]\ny = unary(x) function=gelu_tanh\noutput y\n", Bits::close);
}

// --- layer norm -------------------------------------------------------------------------------------------------

TEST(LayerNormPass, means_with_power_root_and_division_are_recognised) {
  expect("layer_norm", R"(
input x: f32[N, W, 6]
const two: f32[] = 2
const eps: f32[] = 1e-05
const gamma: f32[6] = 1 2 3 4 5 6
const beta: f32[6] = 6 5 4 3 2 1
m = reduce(x) kind=mean axes=-1
d = binary(x, m) function=sub
p = binary(d, two) function=pow
v = reduce(p) kind=mean axes=-1
e = binary(v, eps) function=add
s = unary(e) function=sqrt
q = binary(d, s) function=div
r = binary(q, gamma) function=mul
y = binary(r, beta) function=add
output y
)", R"(
input x: f32[N, W, 6]
const gamma: f32[6] = 1 2 3 4 5 6
const beta: f32[6] = 6 5 4 3 2 1
y = layer_norm(x, gamma, beta) axis=-1 epsilon=9.99999975e-06
output y
)", Bits::close);
}

TEST(LayerNormPass, a_square_by_multiplication_and_a_reciprocal_root_are_recognised) {
  expect("layer_norm", R"(
input x: f32[N, 3, 6]
const eps: f32[] = 1e-05
m = reduce(x) kind=mean axes=1,2
d = binary(x, m) function=sub
p = binary(d, d) function=mul
v = reduce(p) kind=mean axes=1,2
e = binary(eps, v) function=add
s = unary(e) function=sqrt
i = unary(s) function=reciprocal
y = binary(d, i) function=mul
output y
)", R"(
input x: f32[N, 3, 6]
y = layer_norm(x) axis=-2 epsilon=9.99999975e-06
output y
)", Bits::close);
}

TEST(LayerNormPass, means_over_leading_axes_are_left) {
  const std::string text = R"(
input x: f32[N, 3, 6]
const eps: f32[] = 1e-05
m = reduce(x) kind=mean axes=1
d = binary(x, m) function=sub
p = binary(d, d) function=mul
v = reduce(p) kind=mean axes=1
e = binary(v, eps) function=add
s = unary(e) function=sqrt
y = binary(d, s) function=div
output y
)";
  expect("layer_norm", text, text, Bits::equal);
}

// --- scales -----------------------------------------------------------------------------------------------------

TEST(Scales, a_scale_and_a_shift_after_a_convolution_go_into_its_weights) {
  expect("scales", R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 1 2 3 4 5 6
const b: f32[3] = 1 2 3
const s: f32[1] = 2
const t: f32[3, 1, 1] = 10 20 30
c = convolution(x, w, b)
d = binary(s, c) function=mul
y = binary(d, t) function=add
output y
)", R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 2 4 6 8 10 12
const b: f32[3] = 12 24 36
y = convolution(x, w, b)
output y
)", Bits::close);
}

TEST(Scales, per_channel_scales_find_the_columns_of_a_grouped_transposed_convolution) {
  expect("scales", R"(
input x: f32[N, 4, H, W]
const w: f32[4, 2, 1, 1] = 1 2 3 4 5 6 7 8
const s: f32[4, 1, 1] = 1 10 100 1000
c = conv_transpose(x, w) group=2
y = binary(c, s) function=mul
output y
)", R"(
input x: f32[N, 4, H, W]
const w: f32[4, 2, 1, 1] = 1 20 3 40 500 6000 700 8000
y = conv_transpose(x, w) group=2
output y
)", Bits::close);
}

TEST(Scales, a_row_added_to_a_matmul_becomes_its_bias) {
  expect("scales", R"(
input x: f32[N, W, 2]
const w: f32[2, 3] = 1 2 3 4 5 6
const b: f32[3] = 1 2 3
c = matmul(x, w)
y = binary(b, c) function=add
output y
)", R"(
input x: f32[N, W, 2]
const w: f32[2, 3] = 1 2 3 4 5 6
const b: f32[3] = 1 2 3
y = matmul(x, w, b)
output y
)", Bits::equal);
}

TEST(Scales, a_scalar_chain_without_weights_becomes_one_affine_function) {
  expect("scales", R"(
input x: f32[N, 2, H, W]
const two: f32[1] = 2
const three: f32[] = 3
const five: f32[] = 5
a = binary(two, x) function=mul
b = binary(a, three) function=sub
y = binary(b, five) function=mul
output y
)", R"(
input x: f32[N, 2, H, W]
y = unary(x) function=affine alpha=10 beta=-15
output y
)", Bits::close);
}

TEST(Scales, a_convolution_that_somebody_else_reads_keeps_its_weights) {
  expect("scales", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
const t: f32[2, 1, 1] = 10 20
c = convolution(x, w)
y = binary(c, t) function=add
output y
output c
)", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
const t: f32[2, 1, 1] = 10 20
c = convolution(x, w)
y = binary(c, t) function=add
output y
output c
)", Bits::equal);
}

TEST(Scales, a_scale_along_another_axis_stays) {
  const std::string text = R"(
input x: f32[N, 2, H, 4]
const w: f32[2, 2, 1, 1] = 1 2 3 4
const s: f32[4] = 1 2 3 4
c = convolution(x, w)
y = binary(c, s) function=mul
output y
)";
  expect("scales", text, text, Bits::equal);
}

// --- post-ops ---------------------------------------------------------------------------------------------------

TEST(PostOps, functions_and_a_residual_move_into_the_convolution) {
  expect("post_ops", R"(
input x: f32[N, 2, H, W]
input r: f32[N, 3, H, W]
const w: f32[3, 2, 1, 1] = 1 2 3 4 5 6
c = convolution(x, w)
d = binary(r, c) function=sub
e = unary(d) function=relu
y = unary(e) function=affine alpha=2 beta=1
output y
)", R"(
input x: f32[N, 2, H, W]
input r: f32[N, 3, H, W]
const w: f32[3, 2, 1, 1] = 1 2 3 4 5 6
y = convolution(x, w) | reversed_sub(r) | relu | affine(2, 1)
output y
)", Bits::equal);
}

TEST(PostOps, the_later_of_two_convolutions_takes_the_sum) {
  expect("post_ops", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
a = convolution(x, w)
m = unary(a) function=relu
b = convolution(m, w)
c = convolution(x, w)
y = binary(c, b) function=add
output y
)", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
a = convolution(x, w) | relu
b = convolution(a, w)
y = convolution(x, w) | add(b)
output y
)", Bits::equal);
}

TEST(PostOps, a_feeder_waits_for_the_other_operand_of_its_sum) {
  expect("post_ops", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
a = convolution(x, w)
b = softmax(x) axis=1
y = binary(a, b) function=add
output y
)", R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
b = softmax(x) axis=1
y = convolution(x, w) | add(b)
output y
)", Bits::equal);
}

TEST(PostOps, an_operand_that_would_enlarge_the_output_stays) {
  const std::string text = R"(
input x: f32[N, 2, 1, 1]
input r: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
c = convolution(x, w)
y = binary(c, r) function=mul
output y
)";
  expect("post_ops", text, text, Bits::equal);
}

TEST(PostOps, a_value_that_is_read_twice_stays) {
  const std::string text = R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 1, 1] = 1 2 3 4
c = convolution(x, w)
y = unary(c) function=relu
output y
output c
)";
  expect("post_ops", text, text, Bits::equal);
}

TEST(PostOps, a_chain_stops_when_it_is_full) {
  std::string text = "input x: f32[N, 2, H, W]\nconst w: f32[2, 2, 1, 1] = 1 2 3 4\nv0 = convolution(x, w)\n";
  for (int i = 1; i <= kMaxPostOps + 2; ++i)
    text += fmt::format("v{} = unary(v{}) function=abs\n", i, i - 1);
  text += fmt::format("output v{}\n", kMaxPostOps + 2);
  Graph g = after("post_ops", text);
  ASSERT_EQ(g.order().size(), 2u);
  EXPECT_EQ(g.node(g.order()[0]).post_ops.count, kMaxPostOps);
  EXPECT_EQ(g.node(g.order()[1]).post_ops.count, 1);
}

// --- movers -----------------------------------------------------------------------------------------------------

TEST(Movers, opposite_transposes_and_repeated_reshapes_vanish) {
  Graph g = parse(R"(
input x: f32[N, 2, H, W]
a = transpose(x) perm=0,2,3,1
b = transpose(a) perm=0,3,1,2
c = reshape(b) dims=[N, 2, H*W]
d = reshape(c) dims=[N, 2, H, W]
y = unary(d) function=relu
output y
)");
  ASSERT_TRUE(run_pass(g, "movers").ok());
  ASSERT_TRUE(run_pass(g, "identities").ok());
  ASSERT_TRUE(run_pass(g, "dead_nodes").ok());
  EXPECT_EQ(print_graph(g, true), print_graph(parse(R"(
input x: f32[N, 2, H, W]
y = unary(x) function=relu
output y
)"), true));
}

TEST(Movers, a_transpose_of_axes_of_size_one_is_a_reshape) {
  expect("movers", R"(
input x: f32[N, 1, H, 6]
y = transpose(x) perm=0,2,1,3
output y
)", R"(
input x: f32[N, 1, H, 6]
y = reshape(x) dims=[N, H, 1, 6]
output y
)", Bits::equal);
}

TEST(Movers, a_matmul_reads_its_transposed_operand_as_it_lies) {
  expect("movers", R"(
input q: f32[N, 2, W, 4]
input k: f32[N, 2, W, 4]
t = transpose(k) perm=0,1,3,2
y = matmul(q, t)
output y
)", R"(
input q: f32[N, 2, W, 4]
input k: f32[N, 2, W, 4]
y = matmul(q, k) trans_b=1
output y
)", Bits::equal);
}

TEST(Movers, picking_one_index_is_a_slice) {
  expect("movers", R"(
input x: f32[N, 3, W]
const i: i64[] = -1
y = gather(x, i) axis=1
output y
)", R"(
input x: f32[N, 3, W]
s = slice(x) starts=[0, 2, 0] lengths=[N, 1, W]
y = reshape(s) dims=[N, W]
output y
)", Bits::equal);
}

// --- constants, contents, identities, equal nodes -----------------------------------------------------------------

TEST(Constants, nodes_of_constants_are_computed) {
  expect("constants", R"(
input x: f32[N, 2]
const a: f32[2] = 1 2
const b: f32[1, 2] = 10 20
c = binary(a, b) function=add
d = reshape(c) dims=[2]
y = binary(x, d) function=mul
output y
)", R"(
input x: f32[N, 2]
const d: f32[2] = 11 22
y = binary(x, d) function=mul
output y
)", Bits::equal);
}

TEST(Contents, shape_arithmetic_becomes_one_shape_tensor_or_a_constant) {
  Graph g = after("contents", R"(
input x: f32[N, 3, H, W]
const two: i64[1] = 2
const first: i64[] = 0
shape = shape_tensor() values=[N, 3, H, W]
hw = slice(shape) starts=[2] lengths=[2]
twice = binary(hw, two) function=mul
n = gather(shape, first)
c = slice(shape) starts=[1] lengths=[1]
output twice
output n
output c
)");
  EXPECT_EQ(print_graph(g, true), print_graph(parse(R"(
input x: f32[N, 3, H, W]
const c: i64[1] = 3
a = shape_tensor() values=[2*H, 2*W]
b = shape_tensor() values=[N] scalar=1
output a as twice
output b as n
output c
)"), true)) << print_graph(g);
}

TEST(Contents, what_comes_from_the_data_of_an_input_is_left_to_its_operators) {
  const std::string text = R"(
input x: i64[3]
y = binary(x, x) function=mul
output y
)";
  EXPECT_EQ(print_graph(after("contents", text), true), print_graph(parse(text), true));
}

TEST(Identities, what_changes_nothing_goes_and_adding_zero_stays) {
  expect("identities", R"(
input x: f32[N, 2, H, W]
const one: f32[1] = 1
const zero: f32[1] = 0
a = binary(one, x) function=mul
b = binary(a, one) function=div
c = binary(b, zero) function=sub
d = unary(c) function=identity
e = transpose(d) perm=0,1,2,3
f = cast(e) to=f32
g = slice(f) starts=[0, 0, 0, 0] lengths=[N, 2, H, W]
h = concat(g) axis=1
y = binary(h, zero) function=add
output y
)", R"(
input x: f32[N, 2, H, W]
const zero: f32[1] = 0
y = binary(x, zero) function=add
output y
)", Bits::equal);
}

TEST(EqualNodes, the_same_computation_is_done_once) {
  expect("equal_nodes", R"(
input x: f32[N, 2]
const a: f32[] = 2
const b: f32[] = 2
p = binary(x, a) function=mul
q = binary(x, b) function=mul
r = binary(b, x) function=mul
y = binary(p, q) function=add
z = binary(y, r) function=add
output z
)", R"(
input x: f32[N, 2]
const a: f32[] = 2
p = binary(x, a) function=mul
r = binary(a, x) function=mul
y = binary(p, p) function=add
z = binary(y, r) function=add
output z
)", Bits::equal);
}

// --- all of them ------------------------------------------------------------------------------------------------

TEST(AllPasses, a_mobile_block_becomes_one_convolution_with_its_chain) {
  const std::string text = R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 1 -2 3 -4 5 -6
const gamma: f32[3] = 1 2 3
const beta: f32[3] = 4 5 6
const mean: f32[3] = 1 0 -1
const variance: f32[3] = 1 4 9
const eps: f32[] = 0
const three: f32[] = 3
const six: f32[] = 6
const s: f32[1] = 2
const t: f32[1] = 0.5
ve = binary(variance, eps) function=add
dev = unary(ve) function=sqrt
sc = binary(gamma, dev) function=div
ms = binary(mean, sc) function=mul
sh = binary(beta, ms) function=sub
sc3 = reshape(sc) dims=[3, 1, 1]
sh3 = reshape(sh) dims=[3, 1, 1]
c = convolution(x, w)
b1 = binary(c, sc3) function=mul
b2 = binary(b1, sh3) function=add
h1 = binary(b2, three) function=add
h2 = unary(h1) function=clip alpha=0 beta=6
h3 = binary(b2, h2) function=mul
h4 = binary(h3, six) function=div
p1 = binary(s, h4) function=mul
y = binary(p1, t) function=add
output y
)";
  Graph g = parse(text);
  ASSERT_TRUE(run_passes(g).ok());
  EXPECT_EQ(print_graph(g, true), print_graph(parse(R"(
input x: f32[N, 2, H, W]
const w: f32[3, 2, 1, 1] = 1 -2 3 -4 5 -6
const b: f32[3] = 3 5 7
y = convolution(x, w, b) | hard_swish | affine(2, 0.5)
output y
)"), true)) << print_graph(g);
}

TEST(AllPasses, sizes_that_must_be_equal_are_guarded_and_then_fuse) {
  Graph g = parse(R"(
input x: f32[N, 2, H, W]
const w: f32[2, 2, 3, 3] = 0.25
a = convolution(x, w) strides=2,2 pads_begin=1,1 pads_end=1,1
b = reshape(x) dims=[N, 2, 2*((H + 3) // 4), 2*((W + 3) // 4)]
y = binary(a, b) function=add
output y
)");
  // The reshape's and the sum's guards, of both axes: nothing is said of H = 1, where a would broadcast.
  EXPECT_EQ(g.guards.size(), 3u) << print_graph(g);
  ASSERT_TRUE(run_passes(g).ok());
  ASSERT_EQ(g.order().size(), 2u) << print_graph(g);
  EXPECT_EQ(g.node(g.order()[1]).post_ops.count, 1);
}

TEST(Guards, independent_symbols_that_meet_may_be_one) {
  Graph g = parse("input x: f32[N, W]\ninput z: f32[H, W]\ny = binary(x, z) function=add\noutput y\n");
  ASSERT_EQ(g.guards.size(), 1u);
  EXPECT_EQ(g.dims.text(g.value(g.outputs()[0].value).type.dims), "[broadcast(N, H), W]");
  EXPECT_EQ(g.guards[0].message, "sizes that meet in axis -2: N and H are equal, or one of them is 1");
}

}  // namespace
}  // namespace anydim
