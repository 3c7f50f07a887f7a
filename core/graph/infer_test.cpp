// SPDX-License-Identifier: Apache-2.0
// What the graph knows before anything runs: symbols of inputs, contents of shape arithmetic, guards, errors; and that its
// bookkeeping and its text form hold together.
#include "core/graph/infer.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/testing/random.h"
#include "core/graph/testing/graph_text.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/gather_elements.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/resize.h"
#include "core/ops/operators/topk.h"
#include "core/ops/operators/unary.h"

namespace anydim {
namespace {

Graph parse(const std::string& text) {
  Graph g;
  const Status s = parse_graph(text, &g);
  EXPECT_TRUE(s.ok()) << s.message() << "\n" << text;
  return g;
}

ValueId add(Graph& g, Result<OperatorPtr> op, std::vector<ValueId> in, const char* name = "node") {
  EXPECT_TRUE(op.ok()) << op.status().message();
  auto made = g.add(*op, std::move(in), name);
  EXPECT_TRUE(made.ok()) << made.status().message();
  return made.ok() ? *made : kNoValue;
}

// Contents of output `i`, as text.
std::string content(const Graph& g, size_t i = 0) {
  const ShapeValues& c = g.value(g.outputs()[i].value).shape_values;
  if (!c.known) return "unknown";
  std::string s;
  for (Dim d : c.elements) s += (s.empty() ? "" : " ") + g.dims.text(d);
  return c.denominator == 1 ? s : s + " over " + std::to_string(c.denominator);
}

TEST(Inputs, a_name_is_one_symbol_and_no_name_is_one_each) {
  Graph g;
  const DeclaredDim a[] = {{-1, "n"}, {3, ""}, {-1, "?"}, {-1, "?"}};
  const DeclaredDim b[] = {{-1, "n"}, {-1, ""}, {-5, ""}};
  const ValueId x = g.add_input("x", DType::f32, a), y = g.add_input("y", DType::f32, b);
  const SymDims &dx = g.value(x).type.dims, &dy = g.value(y).type.dims;
  EXPECT_EQ(dx[0], dy[0]);
  EXPECT_NE(dx[2], dx[3]);
  EXPECT_NE(dy[1], dy[2]);
  EXPECT_EQ(g.dims.text(dx), "[n, 3, x.2, x.3]");
}

TEST(Content, shape_arithmetic_is_followed_with_symbols) {
  const Graph g = parse(R"(
input x: f32[n, 3, h, w]
const zero: i64[] = 0
const two: i64[1] = 2
const last: i64[] = -1
s = shape_tensor() values=[n, 3, h, w]
n0 = gather(s, zero)
n1 = reshape(n0) dims=[1]
hw = slice(s) starts=[2] lengths=[2]
half = binary(hw, two) function=div
back = slice(s) starts=[3] steps=-1 lengths=[4]
all = concat(n1, half, two) axis=0
e = gather(s, last)
p = reduce(s) kind=prod
c = cast(hw) to=i32
output all
output e
output p
output back
output c
)");
  EXPECT_EQ(content(g, 0), "n h // 2 w // 2 2");
  EXPECT_EQ(content(g, 1), "w");
  EXPECT_EQ(content(g, 2), "3*n*h*w");
  EXPECT_EQ(content(g, 3), "w h 3 n");
  EXPECT_EQ(content(g, 4), "h w");
}

TEST(Content, sizes_that_pass_through_floats_stay_exact) {
  const Graph g = parse(R"(
input x: f32[n, 3, h, w]
const scale: f32[2] = 2 0.5
const odd: f32[2] = 0.3 0.3
s = shape_tensor() values=[h, w]
f = cast(s) to=f32
m = binary(f, scale) function=mul
d = unary(m) function=floor
i = cast(d) to=i64
u = binary(f, odd) function=mul
output m
output i
output u
)");
  EXPECT_EQ(content(g, 0), "4*h w over 2");
  EXPECT_EQ(content(g, 1), "2*h w // 2");
  EXPECT_EQ(content(g, 2), "unknown") << "0.3 is no binary fraction";
}

TEST(Content, elements_of_small_integer_inputs_are_symbols_and_shapes_may_follow_them) {
  Graph g;
  const DeclaredDim three[] = {{3, ""}}, any[] = {{-1, "k"}};
  const ValueId shape = g.add_input("shape", DType::i64, three);
  const ValueId x = g.add_input("x", DType::f32, any);
  ASSERT_EQ(g.input_elements().size(), 3u);
  EXPECT_EQ(g.dims.text(g.input_elements()[1].symbol), "shape[1]");
  SymDims d;
  ASSERT_TRUE(Reshape::resolve(g.dims, g.value(x).type.dims, g.value(shape).shape_values.elements, false, &d).ok());
  add(g, Reshape::make(d), {x});
  EXPECT_FALSE(g.guards.empty()) << "the number of elements has to fit";
}

TEST(Content, every_followed_operation_agrees_with_numbers) {
  // The same graph with symbols and with the symbols' values gives the same contents.
  const auto seed = static_cast<unsigned>(anydim::testing::run_seed());
  std::mt19937 rng(seed);
  const char* functions[] = {"add", "sub", "mul", "div", "min", "max", "equal", "less", "greater_equal"};
  for (int round = 0; round < 200; ++round) {
    const int64_t h = std::uniform_int_distribution<int64_t>(0, 9)(rng), w = std::uniform_int_distribution<int64_t>(1, 9)(rng);
    std::string body = "const k: i64[3] = 2 -3 5\n";
    std::vector<std::string> names{"s", "k"};
    for (int i = 0; i < 8; ++i) {
      const auto pick = [&] { return names[std::uniform_int_distribution<size_t>(0, names.size() - 1)(rng)]; };
      const std::string name = "v" + std::to_string(i);
      const char* f = functions[std::uniform_int_distribution<int>(0, 8)(rng)];
      // Divisors are constants: what x / 0 gives is undefined in ONNX, and equal(x / 0, x / 0) is 1 by name alone.
      const std::string left = pick(), right = std::string(f) == "div" ? "k" : pick();
      body += formatted("{}b = binary({}, {}) function={}\n{} = cast({}b) to=i64\n", name, left, right, f, name, name);
      names.push_back(name);
    }
    body += "output " + names.back() + "\n";
    const Graph symbolic = parse("input x: f32[h, w]\ns = shape_tensor() values=[h, w, h + w]\n" + body);
    const Graph numbers = parse(formatted("input x: f32[{}, {}]\ns = shape_tensor() values=[{}, {}, {}]\n", h, w, h, w, h + w) + body);
    const ShapeValues &a = symbolic.value(symbolic.outputs()[0].value).shape_values,
                      &b = numbers.value(numbers.outputs()[0].value).shape_values;
    ASSERT_TRUE(a.known && b.known);
    const SlotProgram program(symbolic.dims);
    std::vector<int64_t> slots(static_cast<size_t>(program.slots()));
    const SymDims& x = symbolic.value(symbolic.inputs()[0]).type.dims;
    slots[static_cast<size_t>(x[0].expr())] = h;
    slots[static_cast<size_t>(x[1].expr())] = w;
    program.run(slots);
    for (size_t i = 0; i < a.elements.size(); ++i) {
      if (!b.elements[i].is_number()) continue;  // x / 0
      const int64_t v = value_of(a.elements[i], slots);
      if (v == kBadSlot) continue;
      ASSERT_EQ(v, b.elements[i].number()) << symbolic.dims.text(a.elements[i]) << "\n" << body;
    }
  }
}

// Condition of the only guard of a graph, evaluated for two named symbols.
int64_t guard(const Graph& g, std::initializer_list<int64_t> symbols) {
  EXPECT_EQ(g.guards.size(), 1u) << print_graph(g);
  if (g.guards.size() != 1) return -1;
  const SlotProgram program(g.dims);
  std::vector<int64_t> slots(static_cast<size_t>(program.slots()));
  size_t next = 0;
  for (int32_t i = 0; i < g.dims.size() && next < symbols.size(); ++i)
    if (g.dims.expr(i).op == DimOp::symbol) slots[static_cast<size_t>(i)] = symbols.begin()[next++];
  program.run(slots);
  return value_of(g.guards[0].condition, slots);
}

TEST(Guards, broadcasts_concats_and_products_of_unequal_sizes_are_refused) {
  const Graph sum = parse("input x: f32[a]\ninput y: f32[b]\nz = binary(x, y) function=add\noutput z\n");
  EXPECT_EQ(guard(sum, {3, 3}), 1);
  EXPECT_EQ(guard(sum, {1, 3}), 1);
  EXPECT_EQ(guard(sum, {3, 1}), 1);
  EXPECT_EQ(guard(sum, {3, 2}), 0);
  const Graph concat = parse("input x: f32[a, 2]\ninput y: f32[b, 3]\nz = concat(x, y) axis=1\noutput z\n");
  EXPECT_EQ(guard(concat, {3, 3}), 1);
  EXPECT_EQ(guard(concat, {1, 3}), 0);
  const Graph product = parse("input x: f32[2, a]\ninput y: f32[b, 2]\nz = matmul(x, y)\noutput z\n");
  EXPECT_EQ(guard(product, {4, 4}), 1);
  EXPECT_EQ(guard(product, {4, 5}), 0);
  const Graph channels = parse("input x: f32[1, c, h, 4]\nconst w: f32[2, 3, 1, 1] = 1\nz = convolution(x, w)\noutput z\n");
  EXPECT_EQ(guard(channels, {3, 2}), 1);
  EXPECT_EQ(guard(channels, {4, 2}), 0);
  const Graph grid = parse("input x: f32[a, 3, 4, 5]\ninput g: f32[b, 2, 2, 2]\nz = grid_sample(x, g)\noutput z\n");
  EXPECT_EQ(guard(grid, {3, 3}), 1);
  EXPECT_EQ(guard(grid, {3, 2}), 0);
  const Graph layer = parse(
      "input x: f32[t, b, 4]\nconst w: f32[1, 6, 4] = 1\nconst r: f32[1, 6, 2] = 1\ninput h: f32[1, c, 2]\n"
      "y, z = recurrent(x, w, r, -, -, h) cell=gru\noutput y\n");
  EXPECT_EQ(guard(layer, {5, 3, 3}), 1);
  EXPECT_EQ(guard(layer, {5, 3, 2}), 0);
}

TEST(Guards, what_kernels_assume_of_indices_and_counts_is_checked_before) {
  Graph g = parse("input x: f32[a, 4]\ninput i: i64[b, 2]\n");
  add(g, GatherElements::make(1), {g.inputs()[0], g.inputs()[1]});
  EXPECT_EQ(guard(g, {3, 3}), 1);
  EXPECT_EQ(guard(g, {3, 2}), 1);
  EXPECT_EQ(guard(g, {3, 4}), 0);
  Graph top = parse("input x: f32[a, 4]\n");
  TopK::Attributes at;
  at.axis = 0;
  at.k = 5;
  auto op = TopK::make(at);
  ASSERT_TRUE(op.ok());
  ASSERT_TRUE(top.add_node(*op, {top.inputs()[0]}, "top").ok());
  EXPECT_EQ(guard(top, {5}), 1);
  EXPECT_EQ(guard(top, {4}), 0);
}

TEST(Guards, sizes_of_the_same_symbols_may_be_one) {
  const Graph g = parse(R"(
input x: f32[n, h]
a = slice(x) starts=[0, 0] lengths=[n, 2*(h // 2)]
y = binary(x, a) function=add
z = binary(y, a) function=mul
output z
)");
  EXPECT_EQ(guard(g, {1, 4}), 1);
  EXPECT_EQ(guard(g, {1, 5}), 0);
  EXPECT_EQ(guard(g, {1, 1}), 1) << "1 and 0 give 0";
  EXPECT_EQ(g.dims.text(g.value(g.outputs()[0].value).type.dims), "[n, 2*(h // 2)]") << "an even size is never 1, so it decides";
}

TEST(Guards, the_first_or_last_of_an_axis_meets_all_of_it) {
  for (const char* length : {"min(h, 1)", "min(1, h)"}) {
    const Graph g = parse(formatted(R"(
input x: f32[n, h]
a = slice(x) starts=[0, 0] lengths=[n, {}]
y = binary(x, a) function=add
z = binary(a, y) function=mul
output z
)",
                                    length));
    for (const int64_t h : {0, 1, 2, 160}) EXPECT_EQ(guard(g, {1, h}), 1) << h;
    EXPECT_EQ(g.dims.text(g.value(g.outputs()[0].value).type.dims), "[n, h]");
  }
}

TEST(Guards, maps_of_the_same_symbols_are_taken_to_be_equal_where_they_can_be) {
  const auto sum_with_slice_of = [](const std::string& length) {
    return parse(R"(
input x: f32[n, 2, h]
const w: f32[2, 2, 1] = 0.5
c = convolution(x, w) strides=1
a = slice(c) starts=[0, 0, 0] lengths=[n, 2, )" +
                 length +
                 R"(]
r = unary(c) function=relu
y = binary(r, a) function=add
output y
)");
  };
  const auto allowed = [](const Graph& g, std::initializer_list<int64_t> symbols) {
    const SlotProgram program(g.dims);
    std::vector<int64_t> slots(static_cast<size_t>(program.slots()));
    size_t next = 0;
    for (int32_t i = 0; i < g.dims.size() && next < symbols.size(); ++i)
      if (g.dims.expr(i).op == DimOp::symbol) slots[static_cast<size_t>(i)] = symbols.begin()[next++];
    program.run(slots);
    return value_of(g.guards.at(0).allowed, slots);
  };
  const Graph even = sum_with_slice_of("2*(h // 2)");
  EXPECT_EQ(guard(even, {1, 4}), 1);
  EXPECT_EQ(guard(even, {1, 5}), 0);
  EXPECT_EQ(guard(even, {1, 1}), 0) << "not what the model was loaded for";
  EXPECT_EQ(allowed(even, {1, 1}), 1) << "but right by ONNX";
  EXPECT_EQ(allowed(even, {1, 5}), 0);
  const Graph one_less = sum_with_slice_of("max(h - 1, 0)");
  EXPECT_EQ(guard(one_less, {1, 2}), 1) << "never equal, so nothing is taken for granted";
  EXPECT_EQ(guard(one_less, {1, 3}), 0);
  const Graph first = sum_with_slice_of("min(h, 1)");
  EXPECT_EQ(guard(first, {1, 7}), 1);
}

TEST(Guards, independent_symbols_that_meet_may_be_one) {
  const Graph g = parse("input x: f32[N, W]\ninput z: f32[H, W]\ny = binary(x, z) function=add\noutput y\n");
  ASSERT_EQ(g.guards.size(), 1u);
  EXPECT_EQ(g.dims.text(g.value(g.outputs()[0].value).type.dims), "[broadcast(N, H), W]");
  EXPECT_EQ(g.guards[0].message, "sizes that meet in axis -2: N and H are equal, or one of them is 1");
}

TEST(Errors, name_the_node_and_its_onnx_type) {
  Graph g = parse("input x: f32[2, 3]\ninput y: f32[4, 3]\n");
  auto op = Binary::make(BinaryFunction::add);
  ASSERT_TRUE(op.ok());
  auto made = g.add_node(*op, {g.inputs()[0], g.inputs()[1]}, "sum_7", "Add");
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.status().code(), Code::invalid_argument);
  EXPECT_EQ(made.status().message().rfind("sum_7 (Add): ", 0), 0u) << made.status().message();
  EXPECT_TRUE(g.verify().ok()) << "a node that was refused leaves no trace";
  EXPECT_EQ(g.order().size(), 0u);
}

TEST(Graph, replacing_and_erasing_keep_the_use_lists) {
  Graph g = parse("input x: f32[n]\na = unary(x) function=exp\nb = binary(a, a) function=mul\noutput a\noutput b\n");
  const ValueId x = g.inputs()[0], a = g.outputs()[0].value;
  EXPECT_EQ(g.uses(a), 3);
  g.replace_uses(a, x);
  EXPECT_EQ(g.uses(a), 0);
  EXPECT_EQ(g.uses(x), 4) << "the erased node's own use is still there";
  EXPECT_EQ(g.outputs()[0].value, x);
  g.erase_node(g.value(a).producer);
  EXPECT_EQ(g.uses(x), 3);
  EXPECT_TRUE(g.verify().ok()) << g.verify().message();
}

TEST(Graph, nodes_are_inserted_and_erased_as_if_one_by_one) {
  testing::Random random;
  for (int round = 0; round < 50; ++round) {
    Graph g = parse("input x: f32[n]\na = unary(x) function=exp\nb = unary(x) function=exp\noutput x\n");
    std::vector<NodeId> wanted(g.order().begin(), g.order().end());
    for (int change = 0; change < 60; ++change) {
      const auto at = static_cast<size_t>(random.integer(0, static_cast<int64_t>(wanted.size()) - 1));
      auto op = Unary::make(UnaryFunction::exp);
      ASSERT_TRUE(op.ok());
      auto made = g.insert_before(wanted[at], *op, {g.inputs()[0]}, "new");
      ASSERT_TRUE(made.ok()) << made.status().message();
      wanted.insert(wanted.begin() + static_cast<std::ptrdiff_t>(at), g.value((*made)[0]).producer);
      if (random.chance(0.3)) {  // the one that it stands before, say
        g.erase_node(wanted[at + 1]);
        wanted.erase(wanted.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      }
      if (random.chance(0.9) && change != 59) continue;
      ASSERT_EQ(std::vector<NodeId>(g.order().begin(), g.order().end()), wanted);
      ASSERT_TRUE(g.verify().ok()) << g.verify().message();
    }
  }
}

TEST(Graph, verify_finds_a_node_that_reads_what_comes_later) {
  Graph g = parse("input x: f32[n]\na = unary(x) function=exp\nb = unary(a) function=exp\noutput b\n");
  std::vector<NodeId> order(g.order().begin(), g.order().end());
  std::swap(order[0], order[1]);
  g.set_order(order);
  EXPECT_FALSE(g.verify().ok());
}

TEST(Text, what_is_printed_is_read_back) {
  const std::string text = R"(
input x: f32[n, 2, h, w]
input r: f32[n, 3, 1, 1]
const k: f32[3, 2, 3, 3] = 0.25
const b: f32[3] = 1 2 3
c = convolution(x, k, b) strides=2,2 pads_begin=1,1 pads_end=1,1 | relu | mul(r) | reversed_sub(r) | clip(0, 6)
p = pooling(c) kind=max window=2,2 strides=2,2
t = transpose(p) perm=0,2,3,1
s = softmax(t) axis=-1
q = reduce(s) kind=mean axes=1,2 keepdims=0
y = reshape(q) dims=[n, 3]
output y
output c as middle
)";
  const Graph g = parse(text);
  const std::string once = print_graph(g);
  EXPECT_EQ(once, print_graph(parse(once)));
  EXPECT_EQ(print_graph(g, true), print_graph(parse(print_graph(g, true)), true));
}

TEST(Text, mistakes_name_their_line) {
  Graph g;
  const Status s = parse_graph("input x: f32[2]\ny = unary(z) function=exp\n", &g);
  ASSERT_FALSE(s.ok());
  EXPECT_EQ(s.message(), "line 2: there is no value `z`");
}

TEST(Text, brackets_without_end_are_a_mistake) {
  for (const char* sign : {"(", "-", "min("}) {
    std::string text = "input x: f32[";
    for (int i = 0; i < 200000; ++i) text += sign;
    Graph g;
    EXPECT_FALSE(parse_graph(text + "]", &g).ok()) << sign;
  }
}

TEST(Content, numbers_that_wrap_around_are_left_to_their_operators) {
  const Graph g = parse(R"(
const big: i64[1] = 5000000000
const half: i32[1] = 1500000000
const most: i64[1] = 9223372036854775807
narrow = cast(big) to=i32
sum = binary(half, half) function=add
beyond = binary(most, most) function=add
none = binary(most, most) function=sub
nothing = binary(most, none) function=div
output narrow
output sum
output beyond
output nothing
)");
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(content(g, i), "unknown") << i;
}

}  // namespace
}  // namespace anydim
