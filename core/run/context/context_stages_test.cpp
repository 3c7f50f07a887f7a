// SPDX-License-Identifier: Apache-2.0
// Sizes that results say: how many elements a run keeps depends on the data, and everything after it follows. At any data and any
// shape the values are right, within bounds nothing is allocated, and what is refused leaves the caller's outputs alone.
#include "core/base/memory/result_memory.h"
#include "core/base/testing/random.h"
#include "core/graph/testing/reference_run.h"
#include "core/graph/testing/stages.h"
#include "core/graph/testing/graph_text.h"
#include "core/ops/operators/expand.h"
#include "core/run/session/session.h"

namespace anydim {
namespace {

using namespace testing;

// Runs a context of two_counts() and compares all that comes out.
void expect_counts(Context& context, std::vector<float> x) {
  const auto n = static_cast<int64_t>(x.size());
  float nothing = 0;
  const TensorView in{x.empty() ? &nothing : x.data(), DType::f32, {n}, {1}};
  TensorView out[3] = {};
  const Status status = context.run({&in, 1}, out);
  ASSERT_TRUE(status.ok()) << status.message();
  const int64_t s = count_above(x, 0);
  const auto relu = [&](int64_t i) { return std::max(x[static_cast<size_t>(i)], 0.f); };
  int64_t t = 0;
  for (int64_t i = 0; i < s; ++i) t += relu(i) > 1;
  ASSERT_EQ(to_string(out[0].dims), to_string(Dims{s}));
  ASSERT_EQ(to_string(out[1].dims), to_string(Dims{s, n}));
  ASSERT_EQ(to_string(out[2].dims), to_string(Dims{t}));
  for (int64_t i = 0; i < s; ++i) ASSERT_EQ(out[0].as<float>()[i * out[0].strides[0]], -relu(i));
  for (int64_t i = 0; i < t; ++i) ASSERT_EQ(out[2].as<float>()[i * out[2].strides[0]], -relu(i));
  for (int64_t i = 0; i < s; ++i)
    for (int64_t j = 0; j < n; ++j) {
      const float product = relu(i) * x[static_cast<size_t>(j)];
      ASSERT_EQ(out[1].as<float>()[i * out[1].strides[0] + j * out[1].strides[1]], product + relu(j)) << i << ", " << j << " of " << s;
    }
}

TEST(ContextStages, SizesThatResultsSayAreReadBetweenStages) {
  const ProgramPtr program = compiled(two_counts());
  ASSERT_EQ(program->stages.size(), 3u);
  EXPECT_EQ(program->stages[1].reads.size(), 1u);
  for (size_t s = 0; s < 3; ++s) EXPECT_LT(program->stages[s].first, program->stages[s].last) << "stage " << s;
  std::mt19937_64 random(testing::run_seed());
  for (const PassSet set : {PassSet::all, PassSet::none}) {
    CompileOptions options;
    options.passes = set;
    const auto context = context_of(compiled(two_counts(), options));
    int64_t n = 40;
    for (int i = 0; i < 60; ++i) {
      if (random() % 3 == 0) n = static_cast<int64_t>(random() % 70);
      expect_counts(*context, drawn(n, random));
    }
  }
}

TEST(ContextStages, AContextGrowsInTheMiddleOfARunAndKeepsWhatItHas) {
  const auto context = context_of(compiled(two_counts()));
  std::mt19937_64 random(testing::run_seed());
  expect_counts(*context, drawn(8, random));
  EXPECT_EQ(context->growth_events(), 0);
  std::vector<float> x(700, -1.f);
  expect_counts(*context, x);
  const int64_t before = context->growth_events(), bytes = context->arena_bytes();
  std::fill(x.begin(), x.begin() + 600, 1.5f);  // the same shape: what was small is 600 x 700 now
  expect_counts(*context, x);
  EXPECT_GT(context->growth_events(), before);
  EXPECT_GT(context->arena_bytes(), bytes);
  EXPECT_GE(context->arena_bytes(), 600 * 700 * 4);
  expect_counts(*context, drawn(700, random));
}

TEST(ContextStages, WithinBoundsNoDataNeedsMoreThanBytesNeeded) {
  const ProgramPtr program = compiled(two_counts());
  const Bounds bounds{{{{0, 50}}}};
  int64_t most = 0;
  ASSERT_TRUE(bytes_needed(*program, bounds, 1, &most).ok());
  EXPECT_GE(most, 50 * 50 * 4);
  ContextOptions options;
  options.bounds = &bounds;
  const auto context = context_of(program, options);
  const int64_t arena = context->arena_bytes();
  std::mt19937_64 random(testing::run_seed());
  for (int i = 0; i < 300; ++i) {
    expect_counts(*context, drawn(static_cast<int64_t>(random() % 51), random));
    ASSERT_LE(context->used_bytes(), most);
  }
  expect_counts(*context, std::vector<float>(50, 2.f));
  EXPECT_EQ(context->arena_bytes(), arena);
  EXPECT_EQ(context->growth_events(), 0);
}

TEST(ContextStages, OutputsWhoseDimsFollowFromDataAreWrittenWhereTheCallerSaysIfTheyFit) {
  const auto context = context_of(compiled(two_counts()));
  std::vector<float> x{1, -2, 3, 4, -5};
  const TensorView in{x.data(), DType::f32, {5}, {1}};
  Dims dims[3];
  ASSERT_TRUE(context->output_dims({&in, 1}, dims).ok());
  EXPECT_EQ(to_string(dims[1]), to_string(Dims{-1, 5}));
  std::vector<float> kept(6, 7.f), few(6, 7.f);
  TensorView out[3] = {{kept.data(), DType::f32, {3}, {2}}, {}, {few.data(), DType::f32, {1}, {1}}};
  ASSERT_TRUE(context->run({&in, 1}, out).ok());
  EXPECT_EQ(kept, (std::vector<float>{-1, 7, 0, 7, -3, 7}));
  EXPECT_EQ(few, (std::vector<float>{-1, 7, 7, 7, 7, 7})) << "of 1, 0 and 3 one is above 1, so that one is taken";
}

TEST(ContextStages, ASessionPlacesResultsWhoseDimsOnlyTheRunFinds) {
  std::unique_ptr<Session> session;
  ASSERT_TRUE(Session::create(compiled(two_counts()), {}, 1, false, &session).ok());
  for (std::vector<float> x : {std::vector<float>{1, -2, 3, 4, -5}, std::vector<float>{-1, -2}}) {
    const TensorView in{x.data(), DType::f32, {static_cast<int64_t>(x.size())}, {1}};
    TensorView out[3];
    out[0].dtype = out[2].dtype = DType::f32;  // the second is not asked for
    const Status s = session->run({&in, 1}, out, {});
    ASSERT_TRUE(s.ok()) << s.message();
    const int64_t kept = count_above(x, 0);
    ASSERT_EQ(to_string(out[0].dims), to_string(Dims{kept}));
    for (int64_t i = 0; i < kept; ++i) EXPECT_EQ(out[0].as<float>()[i], -std::max(x[static_cast<size_t>(i)], 0.f));
    EXPECT_EQ(to_string(out[2].dims), to_string(Dims{kept > 0 ? 1 : 0}));
    EXPECT_EQ(out[1].data, nullptr);
    for (const TensorView& t : out)
      if (t.data) ResultMemory::instance().free(t.data);
  }
}

TEST(ContextStages, AnOutputThatDoesNotFitTheDataIsRefusedAndNoneIsTouched) {
  const auto context = context_of(compiled(two_counts()));
  std::vector<float> x{1, -2, 3, 4, -5};
  const TensorView in{x.data(), DType::f32, {5}, {1}};
  std::vector<float> kept(6, 7.f), few(6, 7.f);
  TensorView out[3] = {{kept.data(), DType::f32, {3}, {1}}, {}, {few.data(), DType::f32, {2}, {1}}};
  const Status s = context->run({&in, 1}, out);
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_NE(s.message().find("output 'few' has dims 2; the model gives 1"), std::string::npos) << s.message();
  EXPECT_EQ(kept, std::vector<float>(6, 7.f));
  EXPECT_EQ(few, std::vector<float>(6, 7.f));
  expect_counts(*context, x);
}

TEST(ContextStages, AGuardOnASizeThatDataSaysIsCheckedBeforeWhatNeedsIt) {
  Builder b;
  const ValueId x = b.input("x", {-1}), z = b.input("z", {-2});
  const Dim s = b.graph.read_size(count_above(b, x, 0), 0, b.dims(x)[0], "positive");
  b.output(b.concat({b.reshape(b.slice(x, 0, 0, s), {1, s}), b.reshape(b.relu(z), {1, b.dims(z)[0]})}, 0));
  const auto context = context_of(compiled(b.graph));
  std::vector<float> xs{1, 2, -3, -4}, zs{5, -6}, ys(4, 9.f);
  const TensorView in[2] = {{xs.data(), DType::f32, {4}, {1}}, {zs.data(), DType::f32, {2}, {1}}};
  TensorView y{ys.data(), DType::f32, {2, 2}, {2, 1}};
  ASSERT_TRUE(context->run(in, {&y, 1}).ok());
  EXPECT_EQ(ys, (std::vector<float>{1, 2, 5, 0}));
  xs[2] = 3;
  ys.assign(4, 9.f);
  const Status status = context->run(in, {&y, 1});
  EXPECT_EQ(status.code(), Code::invalid_argument);
  EXPECT_NE(status.message().find("cannot run at these dims"), std::string::npos) << status.message();
  EXPECT_EQ(ys, std::vector<float>(4, 9.f));
}

TEST(ContextStages, AShapeThatANodeComputesIsReadElementByElement) {
  // y = expand(x [1, d1], [count, count of those above 1] * 1), a target that no dim determines
  Builder b;
  const ValueId x = b.input("x", {-1});
  const ValueId n = b.reshape(count_above(b, x, 0), {1}), m = b.reshape(count_above(b, x, 1), {1});
  const ValueId shape = b.concat({n, m}, 0);
  ASSERT_TRUE(b.graph.read_content(shape));
  const std::vector<Dim> target = b.graph.value(shape).shape_values.elements;
  ASSERT_EQ(target.size(), 2u);
  b.output(b.add(Expand::make({target[0], target[1]}), {b.slice(x, 0, 0, 1)}));
  const ProgramPtr program = compiled(b.graph);
  const auto context = context_of(program);
  std::mt19937_64 random(testing::run_seed());
  for (int i = 0; i < 20; ++i) {
    std::vector<float> xs = drawn(static_cast<int64_t>(1 + random() % 20), random);
    const TensorView in{xs.data(), DType::f32, {static_cast<int64_t>(xs.size())}, {1}};
    TensorView y;
    const Status s = context->run({&in, 1}, {&y, 1});
    ASSERT_TRUE(s.ok()) << s.message();
    ASSERT_EQ(to_string(y.dims), to_string(Dims{count_above(xs, 0), count_above(xs, 1)}));
    for (int64_t k = 0; k < y.count(); ++k) ASSERT_EQ(y.as<float>()[k], xs[0]);
  }
  const Bounds bounds{{{{1, 20}}}};
  int64_t bytes = 0;
  const Status s = bytes_needed(*program, bounds, 1, &bytes);
  EXPECT_EQ(s.code(), Code::out_of_bounds) << "a number that a node computes has no bound";
}

TEST(ContextStages, ASizeAboveWhatWasPromisedIsInvalidData) {
  Builder b;
  const ValueId x = b.input("x", {-1});
  const Dim s = b.graph.read_size(count_above(b, x, 0), 0, 2, "positive");
  b.output(b.relu(b.slice(x, 0, 0, s)));
  const auto context = context_of(compiled(b.graph));
  std::vector<float> xs{1, 2, 3, -4};
  const TensorView in{xs.data(), DType::f32, {4}, {1}};
  TensorView y;
  const Status status = context->run({&in, 1}, {&y, 1});
  EXPECT_EQ(status.code(), Code::invalid_data);
  EXPECT_NE(status.message().find("as a size it is 0 to 2"), std::string::npos) << status.message();
  xs[1] = -2;
  y = {};
  ASSERT_TRUE(context->run({&in, 1}, {&y, 1}).ok());
  EXPECT_EQ(y.dims, Dims{2});
}

// Rows, columns, sums and products of x [d1, d2] and z [d1], cut again and again to as many rows as begin above 0.
Graph drawn_graph(std::mt19937_64& random) {
  Builder b(random());
  std::vector<ValueId> values{b.input("x", {-1, -2}), b.input("z", {-1})};
  int outer = 0;
  const auto rank = [&](ValueId v) { return b.dims(v).rank; };
  for (int i = 0; i < 12; ++i) {
    const ValueId u = values[random() % values.size()], w = values[random() % values.size()];
    const SymDims d = b.dims(u);
    switch (random() % 8) {
      case 0: values.push_back(b.unary(random() % 2 ? UnaryFunction::neg : UnaryFunction::relu, u)); break;
      case 1:
      case 2: {
        const ValueId first = rank(u) == 2 ? b.slice(u, 1, 0, b.graph.dims.min(d[1], 1)) : u;
        values.push_back(b.slice(u, 0, 0, b.graph.read_size(count_above(b, first, 0), 0, d[0], formatted("rows{}", i))));
        break;
      }
      case 3: values.push_back(b.concat({u, rank(u) == 1 && rank(w) == 1 ? w : u}, 0)); break;
      case 4: values.push_back(b.plus(u, b.relu(u))); break;
      case 5:
        if (rank(u) == 2) values.push_back(b.transpose(u, {1, 0}));
        break;
      case 6:
        if (rank(u) == 2) values.push_back(b.reshape(u, {b.graph.dims.mul(d[0], d[1])}));
        break;
      default:
        if (rank(u) == 1 && rank(w) == 1 && ++outer < 3)
          values.push_back(b.times(b.reshape(u, {d[0], 1}), b.reshape(w, {1, b.dims(w)[0]})));
    }
  }
  for (size_t i = 0; i < 3; ++i) b.output(values[values.size() - 1 - i], formatted("y{}", i));
  return std::move(b.graph);
}

TEST(ContextStages, DrawnGraphsGiveTheBitsOfANodeByNodeRun) {
  std::mt19937_64 random(testing::run_seed());
  size_t most_stages = 0;
  for (int g = 0; g < 60; ++g) {
    const Graph graph = drawn_graph(random);
    const ProgramPtr program = compiled(graph);
    ASSERT_TRUE(program) << print_graph(graph);
    most_stages = std::max(most_stages, program->stages.size());
    const Bounds bounds{{{{0, 6}, {0, 6}}}, {{{0, 6}}}};
    ContextOptions bounded;
    bounded.bounds = &bounds;
    const auto within = context_of(program, bounded), free = context_of(program);
    ASSERT_TRUE(within && free) << print_graph(graph);
    Dims dims{3, 3};
    for (int i = 0; i < 8; ++i) {
      if (random() % 2) dims = {static_cast<int64_t>(random() % 7), static_cast<int64_t>(random() % 7)};
      Tensor x(dims, random, random() % 2 ? Perm{1, 0} : Perm{}), z({dims[0]}, random);
      const TensorView in[] = {x.view, z.view};
      const auto want = reference_run(graph, in);
      ASSERT_EQ(want.size(), 3u);
      for (Context* context : {within.get(), free.get()}) {
        TensorView out[3] = {};
        const Status s = context->run(in, out);
        ASSERT_TRUE(s.ok()) << s.message() << "\n" << print_graph(graph);
        for (size_t o = 0; o < 3; ++o)
          ASSERT_TRUE(same_bits(out[o], want[o].view)) << "output " << o << " at " << to_string(dims) << "\n" << print_graph(graph);
      }
    }
  }
  EXPECT_GT(most_stages, 3u);
}

}  // namespace
}  // namespace anydim
