// SPDX-License-Identifier: Apache-2.0
// 16-bit floats between operators are held in 32 bits, with the same numbers.
#include <sstream>

#include "core/graph/testing/pass_on_text.h"

namespace anydim {
namespace {

using namespace testing;

// Casts of constants are constants; then the passes that follow each other in passes.cpp, or none.
Graph folded(const std::string& text, std::initializer_list<const char*> passes) {
  Graph g = parse(text);
  EXPECT_TRUE(run_pass(g, "constants").ok());
  for (const char* pass : passes) {
    const Status s = run_pass(g, pass);
    EXPECT_TRUE(s.ok()) << pass << ": " << s.message() << "\n" << text;
  }
  return g;
}
Graph widened(const std::string& text) { return folded(text, {"wide_halves", "post_ops", "dead_nodes"}); }

void expect_same_values_as_widened(const std::string& text) {
  const std::string numbers = with_numbers(text);
  const auto seed = static_cast<unsigned>(run_seed());
  const auto was = run(folded(numbers, {}), seed), is = run(widened(numbers), seed);
  ASSERT_EQ(was.size(), is.size());
  for (size_t o = 0; o < was.size(); ++o) {
    ASSERT_EQ(was[o].size(), is[o].size());
    for (size_t i = 0; i < was[o].size(); ++i)
      ASSERT_TRUE(std::isnan(was[o][i]) ? std::isnan(is[o][i]) : std::bit_cast<uint32_t>(was[o][i]) == std::bit_cast<uint32_t>(is[o][i]))
          << "output " << o << ", element " << i << ": " << was[o][i] << " became " << is[o][i] << "\n"
          << text << "became\n"
          << print_graph(widened(text));
  }
}

// Without the names of nodes and outputs.
std::string structure(const Graph& g) {
  std::istringstream lines(print_graph(g, true));
  std::string text;
  for (std::string line; std::getline(lines, line); text += '\n') text += line.substr(0, std::min(line.find("   #"), line.find(" as ")));
  return text;
}

void expect_widened(const std::string& before, const std::string& want) {
  const Graph g = widened(before);
  EXPECT_EQ(structure(g), structure(parse(want))) << "got\n" << print_graph(g);
  expect_same_values_as_widened(before);
}
void expect_left_alone(const std::string& text) {
  const Graph g = widened(text);
  EXPECT_EQ(structure(g), structure(folded(text, {"dead_nodes"}))) << "got\n" << print_graph(g);
}

TEST(WideHalves, what_passes_between_convolutions_is_rounded_and_not_cast) {
  expect_widened(R"(
input x: f16[N, 2, H, W]
const v: f32[2, 2, 1, 1] = 1 -2 3 -4
w = cast(v) to=f16
a = convolution(x, w) | relu
b = convolution(a, w)
output b
)",
                 R"(
input x: f16[N, 2, H, W]
const v: f32[2, 2, 1, 1] = 1 -2 3 -4
x32 = cast(x) to=f32
a = convolution(x32, v) | relu | round_f16
b32 = convolution(a, v)
b = cast(b32) to=f16
output b
)");
}

TEST(WideHalves, bfloat16_is_rounded_to_its_own_bits) {
  expect_widened(R"(
input x: bf16[N, 2, H, W]
a = softmax(x) axis=1
b = reduce(a) kind=mean axes=2
output b
)",
                 R"(
input x: bf16[N, 2, H, W]
x32 = cast(x) to=f32
a32 = softmax(x32) axis=1
a = unary(a32) function=round_bf16
b32 = reduce(a) kind=mean axes=2
b = cast(b32) to=bf16
output b
)");
}

TEST(WideHalves, what_only_picks_among_its_numbers_rounds_nothing) {
  expect_widened(R"(
input x: f16[N, 2, H, W]
const v: f32[2, 2, 1, 1] = 1 -2 3 -4
w = cast(v) to=f16
a = convolution(x, w)
p = pooling(a) kind=max window=2,2
t = transpose(p) perm=0,2,3,1
u = transpose(t) perm=0,3,1,2
m = reduce(u) kind=max axes=3
b = matmul(m, m) transpose_b=1
output b
)",
                 R"(
input x: f16[N, 2, H, W]
const v: f32[2, 2, 1, 1] = 1 -2 3 -4
x32 = cast(x) to=f32
a = convolution(x32, v) | round_f16
p = pooling(a) kind=max window=2,2
t = transpose(p) perm=0,2,3,1
u = transpose(t) perm=0,3,1,2
m = reduce(u) kind=max axes=3
b32 = matmul(m, m) transpose_b=1
b = cast(b32) to=f16
output b
)");
}

TEST(WideHalves, casts_to_and_from_32_bits_become_the_value_and_a_rounding) {
  expect_widened(R"(
input x: f32[N, 4]
const v: f32[4, 4] = 0.25
w = cast(v) to=f16
a = unary(x) function=sigmoid
h = cast(a) to=f16
b = matmul(h, w)
c = cast(b) to=f32
y = unary(c) function=exp
output y
output b
output c
)",
                 R"(
input x: f32[N, 4]
const v: f32[4, 4] = 0.25
a = unary(x) function=sigmoid | round_f16
b = matmul(a, v) | round_f16
y = unary(b) function=exp
b16 = cast(b) to=f16
output y
output b16
output b
)");
}

TEST(WideHalves, what_gains_nothing_is_left_as_it_is) {
  const char* const lines[] = {
      "y = convolution(x, w)",                                         // alone: its kernel widens by itself
      "a = unary(x) function=exp\ny = binary(a, x) function=add",      // element-wise kernels do it in cache
      "a = transpose(x) perm=0,1,3,2\ny = binary(a, a) function=mul",  // moves half as many bytes
      "a = cast(x) to=f32\ny = unary(a) function=exp",
      "a = trilu(x)\ny = unary(a) function=exp",  // known to nobody here
  };
  for (const char* line : lines) {
    const std::string text = R"(
input x: f16[N, 2, H, W]
const v: f32[2, 2, 1, 1] = 1 -2 3 -4
w = cast(v) to=f16
)";
    expect_left_alone(text + line + "\noutput y\n");
  }
}

TEST(WideHalves, a_move_of_a_tensor_that_is_not_computed_keeps_its_16_bits) {
  // A cache beside new rows: casting all of it would cost more than the move.
  expect_widened(R"(
input past: f16[N, 5, 4]
input x: f16[N, 3, 4]
const v: f32[4, 4] = 0.25
w = cast(v) to=f16
k = matmul(x, w)
all = concat(past, k) axis=1
y = matmul(k, all) transpose_b=1
output y
output all
)",
                 R"(
input past: f16[N, 5, 4]
input x: f16[N, 3, 4]
const v: f32[4, 4] = 0.25
x32 = cast(x) to=f32
k = matmul(x32, v) | round_f16
k16 = cast(k) to=f16
all = concat(past, k16) axis=1
all32 = cast(all) to=f32
y32 = matmul(k, all32) transpose_b=1
y = cast(y32) to=f16
output y
output all
)");
}

TEST(WideHalves, operators_that_mix_dtypes_get_16_bits) {
  expect_same_values_as_widened(R"(
input x: f16[N, 4]
input e: f32[4]
const two: i64[1] = 2
const v: f32[4, 4] = 0.25
w = cast(v) to=f16
a = matmul(x, w)
p = binary(a, e) function=pow
q = binary(p, two) function=pow
b = matmul(q, w)
c = binary(b, a) function=less
s = where(c, a, b)
y = matmul(s, w)
output y
)");
}

TEST(WideHalves, a_constant_whose_nan_a_conversion_would_change_is_moved_as_it_is) {
  for (const bool signalling : {false, true}) {
    Graph g = parse(R"(
input x: f16[N, 4]
input c: bool[4]
input nan: f16[4]
const v: f32[4, 4] = 0.25
w = cast(v) to=f16
a = matmul(x, w)
s = where(c, a, nan)
y = matmul(s, w)
output y
)");
    const uint16_t words[] = {0x3c00, static_cast<uint16_t>(signalling ? 0x7c01 : 0x7e01), 0, 0};
    g.fix_input(2, ConstantTensor::copy(DType::f16, {4}, words));
    ASSERT_TRUE(run_pass(g, "constants").ok());
    ASSERT_TRUE(run_pass(g, "wide_halves").ok());
    int seen = 0;
    for (NodeId id : g.order()) {
      if (g.node(id).op->kind() != OpKind::where) continue;
      ++seen;
      EXPECT_EQ(g.value(g.node(id).outputs[0]).type.dtype, signalling ? DType::f16 : DType::f32) << print_graph(g);
    }
    EXPECT_EQ(seen, 1);
  }
}

// Graphs of [3, 4, 4] values, from those that were made before; what is asked for is drawn.
std::string drawn(Random& dice) {
  const std::string half = dice.flag() ? "f16" : "bf16";
  std::string text = formatted(
      "input v0: {}[3, 4, 4]\ninput v1: f32[3, 4, 4]\nconst k: f32[4, 4] = 0.5 -1.25 2 3 0.125 -0.75 1 2.5 -3 "
      "0.1 0.7 1.5 1 1 -1 65000\nw = cast(k) to={}\n",
      half, half);
  std::vector<bool> is_half{true, false};
  const auto any = [&](bool wanted) {
    for (;;)
      if (const auto i = static_cast<size_t>(dice.integer(0, static_cast<int64_t>(is_half.size()) - 1)); is_half[i] == wanted) return i;
  };
  const auto nodes = dice.integer(3, 14);
  for (int64_t n = 0; n < nodes; ++n) {
    const size_t y = is_half.size(), a = any(true), b = any(true);
    bool gives_half = true;
    switch (dice.integer(0, 15)) {
      case 0: text += formatted("v{} = matmul(v{}, w)\n", y, a); break;
      case 1: text += formatted("v{} = matmul(v{}, v{})\n", y, a, b); break;
      case 2: text += formatted("v{} = matmul(v{}, w) | relu | add(v{})\n", y, a, b); break;
      case 3: text += formatted("v{} = softmax(v{}) axis={}\n", y, a, dice.integer(0, 2)); break;
      case 4: text += formatted("v{} = binary(v{}, v{}) function={}\n", y, a, b, dice.flag() ? "add" : "max"); break;
      case 5: text += formatted("v{} = binary(v{}, v{}) function={}\n", y, a, b, dice.flag() ? "div" : "mul"); break;
      case 6: text += formatted("v{} = unary(v{}) function={}\n", y, a, dice.flag() ? "tanh" : "neg"); break;
      case 7: text += formatted("v{} = unary(v{}) function=affine alpha=1.1 beta=0.3\n", y, a); break;
      case 8: text += formatted("v{} = transpose(v{}) perm=0,2,1\n", y, a); break;
      case 9:
        text += formatted("c{} = concat(v{}, v{}) axis=1\nv{} = slice(c{}) starts=0,2,0 steps=1,1,1 lengths=[3, 4, 4]\n", y, a, b, y, y);
        break;
      case 10:
        text += formatted("r{} = reduce(v{}) kind={} axes=1\nv{} = binary(v{}, r{}) function=sub\n", y, a, dice.flag() ? "mean" : "min", y,
                          b, y);
        break;
      case 11: text += formatted("v{} = layer_norm(v{}) axis=-1\n", y, a); break;
      case 12: text += formatted("v{} = cast(v{}) to={}\n", y, any(false), half); break;
      case 13: text += formatted("v{} = cast(v{}) to=f32\n", y, a), gives_half = false; break;
      case 14: text += formatted("v{} = unary(v{}) function=sigmoid\n", y, any(false)), gives_half = false; break;
      default: text += formatted("l{} = binary(v{}, v{}) function=less\nv{} = where(l{}, v{}, v{})\n", y, a, b, y, y, b, a); break;
    }
    is_half.push_back(gives_half);
  }
  for (size_t o = is_half.size() - 1; o >= 2; --o)
    if (o + 1 == is_half.size() || dice.chance(0.25)) text += formatted("output v{}\n", o);
  return text;
}

TEST(WideHalves, drawn_graphs_compute_the_same_bits) {
  Random dice(17);
  for (int i = 0; i < 400; ++i) {
    const std::string text = drawn(dice);
    expect_same_values_as_widened(text);
    if (HasFatalFailure()) return;
  }
}

void expect_unrounded(const std::string& before, const std::string& want) {
  const Graph g = folded(before, {"unrounded_wide_halves", "identities", "dead_nodes"});
  EXPECT_EQ(structure(g), structure(parse(want))) << "got\n" << print_graph(g);
}

TEST(SinglePrecision, nothing_is_rounded_between_operators) {
  expect_unrounded(R"(
input x: f16[N, 2, H, W]
const v: f32[2, 2, 1, 1] = 1 -2 3 -4
w = cast(v) to=f16
a = convolution(x, w)
r = unary(a) function=relu
b = convolution(r, w)
output b
)",
                   R"(
input x: f16[N, 2, H, W]
const v: f32[2, 2, 1, 1] = 1 -2 3 -4
x32 = cast(x) to=f32
a = convolution(x32, v)
r = unary(a) function=relu
b32 = convolution(r, v)
b = cast(b32) to=f16
output b
)");
}

TEST(SinglePrecision, scales_that_are_computed_in_32_bits_go_into_the_weights) {
  const Graph g = folded(R"(
input x: f16[N, 2, H, W]
const v: f32[2, 2, 1, 1] = 1 -2 3 -4
const s: f32[2, 1, 1] = 2 3
w = cast(v) to=f16
a = convolution(x, w)
wide = cast(a) to=f32
scaled = binary(wide, s) function=mul
n = cast(scaled) to=f16
b = convolution(n, w)
output b
)",
                         {"unrounded_wide_halves", "identities", "scales", "dead_nodes"});
  EXPECT_EQ(structure(g), structure(parse(R"(
input x: f16[N, 2, H, W]
const v: f32[2, 2, 1, 1] = 1 -2 3 -4
const vs: f32[2, 2, 1, 1] = 2 -4 9 -12
x32 = cast(x) to=f32
a = convolution(x32, vs)
b32 = convolution(a, v)
b = cast(b32) to=f16
output b
)"))) << "got\n"
      << print_graph(g);
}

TEST(SinglePrecision, what_whole_numbers_follow_from_is_rounded) {
  expect_unrounded(R"(
input x: f16[N, 4]
const v: f32[4, 4] = 0.25
w = cast(v) to=f16
a = matmul(x, w)
b = softmax(a) axis=1
c = unary(b) function=floor
d = matmul(c, w)
output d
)",
                   R"(
input x: f16[N, 4]
const v: f32[4, 4] = 0.25
x32 = cast(x) to=f32
a = matmul(x32, v) | round_f16
b32 = softmax(a) axis=1
b = unary(b32) function=round_f16
c = unary(b) function=floor
d32 = matmul(c, v)
d = cast(d32) to=f16
output d
)");
}

}  // namespace
}  // namespace anydim
