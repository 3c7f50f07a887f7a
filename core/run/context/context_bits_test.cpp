// SPDX-License-Identifier: Apache-2.0
// A context gives the bits of a node-by-node run: at every shape, in any strides of inputs and outputs, for graphs drawn
// at random from what moves, shares, resizes and overwrites memory.
#include <algorithm>

#include "core/base/testing/random.h"
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/drawn_graph.h"
#include "core/graph/testing/reference_run.h"

namespace anydim {
namespace {

using namespace testing;

TEST(ContextBits, GivesTheBitsOfANodeByNodeRunAtEveryShape) {
  const Graph graph = everything();
  const ProgramPtr program = compiled(graph);
  ASSERT_TRUE(program);
  std::mt19937_64 random(17);
  for (int threads : {1, 2}) {
    ContextOptions options;
    options.parallel = Parallel(threads);
    const auto context = context_of(program, options);
    for (int i = 0; i < 40; ++i) {
      const Dims dims{static_cast<int64_t>(1 + random() % 3), 3, static_cast<int64_t>(1 + random() % 40),
                      static_cast<int64_t>(1 + random() % 40)};
      Tensor x(dims, random, random() % 2 ? channels_last(4) : Perm{});
      TensorView out[2] = {};
      const Status s = context->run({&x.view, 1}, out);
      ASSERT_TRUE(s.ok()) << s.message();
      const auto expected = reference_run(graph, {&x.view, 1});
      ASSERT_EQ(expected.size(), 2u);
      for (int o = 0; o < 2; ++o) ASSERT_TRUE(same_bits(out[o], expected[o].view)) << "output " << o << " of " << to_string(dims);
    }
  }
}

TEST(ContextBits, ExactPassesAndNoneGiveTheSameBits) {
  const Graph graph = everything();
  std::mt19937_64 random(41);
  Tensor x({2, 3, 17, 23}, random);
  std::vector<std::unique_ptr<Context>> contexts;
  TensorView out[2][2] = {};
  for (const PassSet set : {PassSet::exact, PassSet::none}) {
    CompileOptions options;
    options.passes = set;
    const ProgramPtr program = compiled(graph, options);
    contexts.push_back(context_of(program));
    const Status s = contexts.back()->run({&x.view, 1}, out[contexts.size() - 1]);
    ASSERT_TRUE(s.ok()) << s.message();
    if (set == PassSet::none) {
      for (const Program::Tensor& p : program->tensors)
        for (const Program::Tensor& q : program->tensors) EXPECT_TRUE(p.buffer < 0 || p.buffer != q.buffer || &p == &q) << "shared memory";
    }
  }
  for (int o = 0; o < 2; ++o) ASSERT_TRUE(same_bits(out[0][o], out[1][o])) << "output " << o;
}

TEST(ContextBits, PlansThatAreKeptFromTheLastShapeGiveTheBitsOfNewOnes) {
  // One dim changes at a time, so that most nodes keep something; between the shapes, one that is refused half-way.
  Builder b(9);
  const ValueId x = b.input("x", {-1, 3, -2, -3}), z = b.input("z", {-1, 16, -4, -5});
  const ValueId stem = b.conv(x, 16, 3, 2);
  const ValueId gate = b.unary(UnaryFunction::hard_sigmoid, b.conv(b.global_average(stem), 16, 1), 0.2f, 0.5f);
  const ValueId rows = b.softmax(b.transpose(b.times(stem, gate), {0, 2, 3, 1}), 3);
  b.output(rows);
  b.output(b.plus(b.conv(stem, 16, 3), z));
  const Graph graph = b.graph;
  for (const ReusePolicy policy : {ReusePolicy::reusable, ReusePolicy::automatic})
    for (int threads : {1, 2}) {
      ContextOptions options;
      options.parallel = Parallel(threads);
      options.reuse = policy;
      const auto context = context_of(compiled(graph), options);
      std::mt19937_64 random(29);
      Dims dims{1, 3, 12, 20};
      for (int i = 0; i < 60; ++i) {
        const int axis = static_cast<int>(random() % 3);
        dims[axis == 0 ? 0 : axis + 1] = static_cast<int64_t>(1 + random() % (axis == 0 ? 3 : 40));
        Tensor in(dims, random), other({dims[0], 16, (dims[2] + 1) / 2, (dims[3] + 1) / 2}, random);
        TensorView out[2] = {};
        if (i % 7 == 3 && dims[2] > 2) {
          Tensor wrong({dims[0], 16, (dims[2] + 1) / 2 + 1, 2}, random);
          const TensorView refused[2] = {in.view, wrong.view};
          ASSERT_FALSE(context->run(refused, out).ok());
        }
        const TensorView both[2] = {in.view, other.view};
        const Status s = context->run(both, out);
        ASSERT_TRUE(s.ok()) << s.message();
        const auto expected = reference_run(graph, both);
        for (int o = 0; o < 2; ++o) ASSERT_TRUE(same_bits(out[o], expected[o].view)) << "output " << o << " of " << to_string(dims);
      }
    }
}

// Whether the last run left out the copy before the first convolution, and the one behind the last.
std::pair<bool, bool> left_out(const Context& c) {
  std::pair<bool, bool> gone{false, false};
  for (const Program::EdgeCopy& copy : c.program().edge_copies)
    (copy.output ? gone.second : gone.first) |= c.binding().leaves_out(static_cast<size_t>(copy.step));
  return gone;
}

TEST(ContextBits, CopiesAtTheEdgesAreLeftOutWhereTheCallersTensorsLieAsKernelsWantThem) {
  Builder b(21);
  const ValueId x = b.input("x", {-1, 32, -2, -3});
  b.output(b.conv(b.relu(b.conv(x, 24, 3)), 20, 1));
  const Graph graph = b.graph;
  const ProgramPtr program = compiled(graph);
  ASSERT_EQ(program->edge_copies.size(), 2u);
  std::mt19937_64 random(22);
  for (int threads : {1, 2}) {
    ContextOptions options;
    options.parallel = Parallel(threads);
    const auto context = context_of(program, options);
    for (int i = 0; i < 40; ++i) {
      const Dims dims{static_cast<int64_t>(1 + random() % 2), 32, static_cast<int64_t>(2 + random() % 9),
                      static_cast<int64_t>(2 + random() % 9)};
      const bool last_in = random() % 2 != 0, last_out = random() % 2 != 0;
      Tensor in(dims, random, last_in ? channels_last(4) : Perm{});
      Tensor out({dims[0], 20, dims[2], dims[3]}, random, last_out ? channels_last(4) : Perm{});
      TensorView y = out.view;
      ASSERT_TRUE(context->run({&in.view, 1}, {&y, 1}).ok());
      EXPECT_EQ(left_out(*context), std::pair(last_in, last_out)) << to_string(dims);
      EXPECT_EQ(y.data, out.view.data);
      ASSERT_TRUE(same_bits(y, reference_run(graph, {&in.view, 1})[0].view)) << to_string(dims);
      TensorView own{};
      ASSERT_TRUE(context->run({&in.view, 1}, {&own, 1}).ok());
      EXPECT_FALSE(left_out(*context).second) << "the context's own output is row-major";
      ASSERT_TRUE(same_bits(own, y));
    }
  }
}

TEST(ContextBits, AReshapeOfAnInputIsLeftOutWhereTheCallersTensorLiesInRows) {
  Builder b(27);
  const ValueId x = b.input("x", {-1, 6, 8});
  const SymDims rows{b.graph.dims.mul(b.dims(x)[0], 6), 8};
  b.output(b.matmul(b.reshape(x, rows), b.constant({8, 20})));
  const Graph graph = b.graph;
  const ProgramPtr program = compiled(graph);
  ASSERT_EQ(program->edge_copies.size(), 1u);
  std::mt19937_64 random(28);
  for (int threads : {1, 2}) {
    ContextOptions options;
    options.parallel = Parallel(threads);
    const auto context = context_of(program, options);
    for (int i = 0; i < 40; ++i) {
      const Dims dims{static_cast<int64_t>(random() % 5), 6, 8};
      const bool in_rows = random() % 2 != 0;
      Tensor in(dims, random, in_rows ? Perm{} : Perm{1, 0, 2});
      TensorView y{};
      ASSERT_TRUE(context->run({&in.view, 1}, {&y, 1}).ok());
      EXPECT_TRUE(dims[0] <= 1 || left_out(*context) == std::pair(in_rows, false)) << to_string(dims);
      ASSERT_TRUE(same_bits(y, reference_run(graph, {&in.view, 1})[0].view)) << to_string(dims);
    }
    // Every second batch item, and rows from the last to the first, are no rows as they are counted.
    Tensor in({6, 6, 8}, random);
    for (const int64_t step : {int64_t{2}, int64_t{-1}}) {
      TensorView part = in.view;
      part.dims[0] = step < 0 ? 6 : 3;
      part.strides[0] *= step;
      if (step < 0) part.data = part.as<float>() + 5 * 48;
      TensorView y{};
      ASSERT_TRUE(context->run({&part, 1}, {&y, 1}).ok());
      EXPECT_FALSE(left_out(*context).first);
      ASSERT_TRUE(same_bits(y, reference_run(graph, {&part, 1})[0].view)) << step;
    }
  }
}

TEST(ContextBits, ACopyStaysWhereItsMemoryIsNotOneTensorsAlone) {
  // The copy of x is written over by what follows it, or x is an output as it is; one value is two outputs.
  Builder b(23);
  const ValueId x = b.input("x", {-1, 32, -2, -3});
  const ValueId y = b.conv(x, 16, 1);
  b.output(x, "same");
  b.output(y, "y");
  b.output(y, "again");
  const Graph graph = b.graph;
  const auto context = context_of(compiled(graph));
  std::mt19937_64 random(24);
  for (int i = 0; i < 16; ++i) {
    const Dims dims{1, 32, 5, static_cast<int64_t>(2 + random() % 9)}, small{1, 16, 5, dims[3]};
    const auto order = [&] { return random() % 2 != 0 ? channels_last(4) : Perm{}; };
    Tensor in(dims, random, order()), same(dims, random, order()), one(small, random, order()), two(small, random, order());
    TensorView out[3] = {same.view, one.view, two.view};
    ASSERT_TRUE(context->run({&in.view, 1}, out).ok());
    const auto expected = reference_run(graph, {&in.view, 1});
    for (int o = 0; o < 3; ++o) ASSERT_TRUE(same_bits(out[o], expected[static_cast<size_t>(o)].view)) << "output " << o;
  }
}

TEST(ContextBits, WritesIntoTheCallersOutputsInAnyStrides) {
  const Graph graph = everything();
  const auto context = context_of(compiled(graph));
  std::mt19937_64 random(3);
  Tensor x({2, 3, 17, 23}, random);
  Dims dims[2];
  ASSERT_TRUE(context->output_dims({&x.view, 1}, dims).ok());
  for (const Perm& order : {Perm{}, channels_last(4)}) {
    Tensor scores(dims[0], random), map(dims[1], random, order);
    TensorView out[2] = {scores.view, map.view};
    ASSERT_TRUE(context->run({&x.view, 1}, out).ok());
    const auto expected = reference_run(graph, {&x.view, 1});
    EXPECT_EQ(out[1].data, map.view.data);
    EXPECT_TRUE(same_bits(scores.view, expected[0].view));
    EXPECT_TRUE(same_bits(map.view, expected[1].view));
  }
}

TEST(ContextBits, WeightsOfOneMemoryArePackedEachByItsOwnDims) {
  // As two initializers of a model that name one range of its data file.
  static const float memory[] = {1, 2, 3, 4, 5, 6};
  Builder b;
  const auto lent = [&](const Dims& dims) {
    return b.graph.add_constant("w", std::make_shared<const ConstantTensor>(DType::f32, dims, memory, nullptr));
  };
  const ValueId x = b.input("x", {-1, 2});
  b.output(b.matmul(b.relu(b.matmul(x, lent({2, 3}))), lent({3, 2})));
  const Graph graph = b.graph;
  const auto context = context_of(compiled(graph));
  std::mt19937_64 random(4);
  Tensor in({5, 2}, random);
  TensorView y;
  ASSERT_TRUE(context->run({&in.view, 1}, {&y, 1}).ok());
  EXPECT_TRUE(same_bits(y, reference_run(graph, {&in.view, 1})[0].view));
}

TEST(ContextBits, ZeroSizeDimsGiveEmptyOutputs) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  const ValueId c = b.conv(x, 8, 1), j = b.concat({c, b.relu(c)}, 1);
  b.output(b.transpose(j, {0, 2, 3, 1}));
  const Graph graph = b.graph;
  const auto context = context_of(compiled(graph));
  std::mt19937_64 random(2);
  Tensor x0({0, 4, 6, 6}, random), x1({2, 4, 6, 6}, random);
  TensorView y;
  ASSERT_TRUE(context->run({&x0.view, 1}, {&y, 1}).ok());
  EXPECT_EQ(to_string(y.dims), "0x6x6x16");
  y = {};
  ASSERT_TRUE(context->run({&x1.view, 1}, {&y, 1}).ok());
  EXPECT_TRUE(same_bits(y, reference_run(graph, {&x1.view, 1})[0].view));
}

// What may be asked of an edge of rank 4: of an input, `follow` is `fixed` without an order, which is row-major.
EdgeLayout any_layout(std::mt19937_64& random) {
  switch (random() % 5) {
    case 0: return {};
    case 1: return channels_last(4);
    case 2: return EdgeLayout::Rule::fastest;
    case 3: return EdgeLayout::Rule::follow;
    default: {
      Perm order{0, 1, 2, 3};
      std::shuffle(order.begin(), order.end(), random);
      return order;
    }
  }
}

TEST(ContextBits, RandomGraphsGiveTheBitsOfANodeByNodeRun) {
  std::mt19937_64 random(testing::run_seed());
  for (int g = 0; g < 80; ++g) {
    const Graph graph = random_graph(random);
    CompileOptions options;
    options.input_layouts = {any_layout(random)};
    for (size_t o = 0; o < graph.outputs().size(); ++o) options.output_layouts.push_back(any_layout(random));
    const ProgramPtr program = compiled(graph, options);
    ASSERT_TRUE(program);
    const Bounds bounds{{{{0, 2}, {4, 4}, {1, 9}, {1, 9}}}};
    ContextOptions how;
    if (random() % 2) how.bounds = &bounds;
    how.parallel = Parallel(1 + static_cast<int>(random() % 2));
    const auto context = context_of(program, how);
    for (int i = 0; i < 4; ++i) {
      const Dims dims{static_cast<int64_t>(random() % 3), 4, static_cast<int64_t>(1 + random() % 9),
                      static_cast<int64_t>(1 + random() % 9)};
      const Tensor x = any_strides(dims, random);
      std::vector<TensorView> out(graph.outputs().size());
      const Status s = context->run({&x.view, 1}, out);
      ASSERT_TRUE(s.ok()) << "graph " << g << ": " << s.message();
      const auto expected = reference_run(graph, {&x.view, 1});
      for (size_t o = 0; o < out.size(); ++o)
        ASSERT_TRUE(same_bits(out[o], expected[o].view)) << "graph " << g << " output " << o << " at " << to_string(x.view.dims);
    }
  }
}

}  // namespace
}  // namespace anydim
