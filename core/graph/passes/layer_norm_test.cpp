// SPDX-License-Identifier: Apache-2.0
// Layer normalisation written as means becomes one operator.
#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

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
)",
         R"(
input x: f32[N, W, 6]
const gamma: f32[6] = 1 2 3 4 5 6
const beta: f32[6] = 6 5 4 3 2 1
y = layer_norm(x, gamma, beta) axis=-1 epsilon=9.99999975e-06
output y
)",
         Bits::close);
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
)",
         R"(
input x: f32[N, 3, 6]
y = layer_norm(x) axis=-2 epsilon=9.99999975e-06
output y
)",
         Bits::close);
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

// Layer normalisation of x over its last `axes`, then * `gamma` and + `beta` (dims of constants).
std::string followed_by(const std::string& x, const std::string& axes, const std::string& gamma, const std::string& beta) {
  const auto constant = [](const std::string& name, const std::string& dims) {
    int64_t count = 1;
    for (size_t at = 0; at < dims.size(); at = dims.find_first_of("0123456789", at)) {
      count *= std::stoll(dims.substr(at));
      at = std::min(dims.find(',', at), dims.size());
    }
    std::string values;
    for (int64_t i = 0; i < count; ++i) values += formatted(" {}", i + 1);
    return formatted("const {}: f32[{}] ={}\n", name, dims, values);
  };
  return formatted(R"(
input x: f32[{}]
const eps: f32[] = 1e-05
{}{}m = reduce(x) kind=mean axes={}
d = binary(x, m) function=sub
p = binary(d, d) function=mul
v = reduce(p) kind=mean axes={}
e = binary(v, eps) function=add
s = unary(e) function=sqrt
q = binary(d, s) function=div
r = binary(q, gamma) function=mul
y = binary(r, beta) function=add
output y
)",
                   x, constant("gamma", gamma), constant("beta", beta), axes, axes);
}

// As run() gives them before the pass, within rounding.
void expect_same_values(const std::string& text) {
  const auto seed = static_cast<unsigned>(anydim::testing::run_seed());
  const auto was = run(parse(text), seed)[0], is = run(after("layer_norm", text), seed)[0];
  ASSERT_EQ(was.size(), is.size()) << text;
  for (size_t i = 0; i < was.size(); ++i) ASSERT_NEAR(was[i], is[i], 2e-4) << "element " << i << " of\n" << text;
}

TEST(LayerNormPass, a_factor_or_summand_per_row_stays_beside_it) {
  // As many values as features in each case; only some of them are one per feature.
  struct Case {
    const char *x, *axes, *gamma, *beta;
    size_t inputs;  // of the layer_norm
  };
  for (const Case& c : std::initializer_list<Case>{
           {"4, 4", "-1", "4, 1", "4", 1},
           {"4, 4", "-1", "4", "4, 1", 2},
           {"4, 4", "-1", "1, 4", "1, 4", 3},
           {"2, 5, 3, 5", "-1", "5, 1, 1", "5", 1},
           {"2, 5, 3, 5", "-1", "5", "5, 1, 1", 2},
           {"2, 5, 3, 5", "-1", "1, 1, 5", "5", 3},
           {"6, 2, 3", "1,2", "6, 1, 1", "6, 1, 1", 1},
           {"6, 2, 3", "1,2", "2, 3", "6, 1, 1", 2},
           {"6, 2, 3", "1,2", "1, 2, 3", "2, 3", 3},
           {"2, 2, 2", "1,2", "2, 2, 1", "2, 2", 1},
           {"1, 4", "-1", "1", "4", 1},
           {"4, 1", "-1", "4, 1", "1", 1},
           {"1, 1", "-1", "1, 1", "1", 3},
       }) {
    const std::string text = followed_by(c.x, c.axes, c.gamma, c.beta);
    const Graph g = after("layer_norm", text);
    size_t found = 0;
    for (NodeId id : g.order())
      if (g.node(id).op->kind() == OpKind::layer_norm) found = g.node(id).inputs.size();
    EXPECT_EQ(found, c.inputs) << text;
    expect_same_values(text);
  }
}

TEST(LayerNormPass, a_summand_before_the_factor_stays_beside_it) {
  std::string text = followed_by("3, 4", "-1", "4", "4");
  text = replace_all(text, "r = binary(q, gamma) function=mul\ny = binary(r, beta) function=add",
                     "r = binary(q, beta) function=add\ny = binary(r, gamma) function=mul");
  const Graph g = after("layer_norm", text);
  for (NodeId id : g.order()) {
    if (g.node(id).op->kind() != OpKind::layer_norm) continue;
    EXPECT_EQ(g.node(id).inputs.size(), 1u);
  }
  expect_same_values(text);
}

TEST(LayerNormPass, what_is_nearly_a_layer_norm_is_left) {
  const std::string right = followed_by("3, 5, 4", "-1", "4", "4");
  const std::pair<const char*, const char*> changes[] = {
      {"m = reduce(x) kind=mean axes=-1", "m = reduce(x) kind=mean axes=1,2"},      // another axis than the variance's
      {"m = reduce(x) kind=mean axes=-1", "m = reduce(x) kind=max axes=-1"},        // no mean
      {"v = reduce(p) kind=mean axes=-1", "v = reduce(p) kind=sum axes=-1"},        // no variance
      {"p = binary(d, d) function=mul", "p = binary(d, x) function=mul"},           // no square
      {"d = binary(x, m) function=sub", "d = binary(m, x) function=sub"},           // of another sign
      {"q = binary(d, s) function=div", "q = binary(s, d) function=div"},           // upside down
      {"q = binary(d, s) function=div", "q = binary(x, s) function=div"},           // not centred
      {"const eps: f32[] = 1e-05", "const eps: f32[4] = 1e-05 1e-04 1e-03 1e-02"},  // one per feature: it grows the root
  };
  for (const auto& [from, to] : changes) {
    const std::string text = replace_all(right, from, to);
    ASSERT_NE(text, right) << from;
    const Graph g = after("layer_norm", text);
    for (NodeId id : g.order()) EXPECT_NE(g.node(id).op->kind(), OpKind::layer_norm) << text;
  }
}

TEST(LayerNormPass, inner_values_that_others_read_keep_their_nodes) {
  std::string text = followed_by("3, 4", "-1", "4", "4");
  text = replace_all(text, "output y", "output y\noutput q\noutput d");
  const auto seed = static_cast<unsigned>(anydim::testing::run_seed());
  const auto was = run(parse(text), seed), is = run(after("layer_norm", text), seed);
  for (size_t o = 0; o < was.size(); ++o)
    for (size_t i = 0; i < was[o].size(); ++i) ASSERT_NEAR(was[o][i], is[o][i], 2e-5);
}

}  // namespace
}  // namespace anydim
