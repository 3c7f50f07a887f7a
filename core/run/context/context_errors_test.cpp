// SPDX-License-Identifier: Apache-2.0
// What is wrong is named before any kernel has run: one user at a time, inputs and outputs as the model has them, guards.
#include <atomic>
#include <thread>

#include "core/graph/testing/contexts.h"
#include "core/graph/testing/reference_run.h"

namespace anydim {
namespace {

using namespace testing;

TEST(ContextErrors, ASecondCallerGetsBusy) {
  const auto context = context_of(compiled(everything()));
  std::mt19937_64 random(1);
  Tensor x({1, 3, 64, 64}, random);
  std::atomic<int> busy{0}, ok{0}, other{0};
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      TensorView out[2] = {};
      const Status s = context->run({&x.view, 1}, out);
      ++(s.ok() ? ok : s.code() == Code::busy ? busy : other);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  EXPECT_EQ(other, 0);
  EXPECT_GT(ok, 0);
  EXPECT_EQ(ok + busy, 400);
}

TEST(ContextErrors, WrongInputsAreNamedAndChangeNothing) {
  const Graph graph = everything();
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 32}, {1, 32}}}};
  ContextOptions options;
  options.bounds = &bounds;
  const auto context = context_of(compiled(graph), options);
  std::mt19937_64 random(2);
  TensorView out[2] = {};
  const auto fails = [&](const TensorView& x, Code code, const char* needle) {
    const Status s = context->run({&x, 1}, out);
    EXPECT_EQ(s.code(), code) << s.message();
    EXPECT_NE(s.message().find(needle), std::string::npos) << s.message();
  };
  Tensor good({1, 3, 8, 8}, random), channels({1, 4, 8, 8}, random), large({1, 3, 33, 8}, random), flat({1, 3, 8}, random);
  fails(channels.view, Code::invalid_argument, "dim 1 is 4; the model expects 3");
  fails(large.view, Code::out_of_bounds, "dim 2 (d2) is 33; the context's bounds are 1..32");
  fails(flat.view, Code::invalid_argument, "rank 3; the model expects 4");
  TensorView none = good.view;
  none.data = nullptr;
  fails(none, Code::invalid_argument, "'x' has no data (null)");
  none = good.view;
  none.dtype = DType::f64;
  fails(none, Code::invalid_argument, "dtype f64; the model expects f32");
  none = good.view;
  none.dims[2] = -1;
  fails(none, Code::invalid_argument, "dim 2 is -1");
  EXPECT_EQ(context->run({}, out).code(), Code::invalid_argument);
  EXPECT_EQ(context->run({&good.view, 1}, {out, 1}).code(), Code::internal);  // sessions and the C API check what callers ask
  Tensor scores({1, 7, 5}, random), map({1, 12, 4, 4}, random);
  TensorView wrong[2] = {scores.view, map.view};
  const float before = scores.memory[0];
  const Status s = context->run({&good.view, 1}, wrong);
  EXPECT_NE(s.message().find("output 'scores' has dims 1x7x5; the model gives 1x16x5"), std::string::npos) << s.message();
  EXPECT_EQ(scores.memory[0], before);
  ASSERT_TRUE(context->run({&good.view, 1}, out).ok());
  EXPECT_TRUE(same_bits(out[0], reference_run(graph, {&good.view, 1})[0].view));
}

TEST(ContextErrors, AGuardNamesItsNodeBeforeAnyKernelRuns) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3}), z = b.input("z", {-1, 4, -4, -5});
  const ValueId sum = b.plus(b.conv(x, 4, 1), b.conv(z, 4, 1));
  const std::string name = b.graph.producer(sum)->name;
  b.output(sum);
  const auto context = context_of(compiled(b.graph));
  std::mt19937_64 random(2);
  Tensor a({1, 4, 6, 6}, random), c({1, 4, 5, 6}, random), y({1, 4, 6, 6}, random);
  const float before = y.memory[0];
  const TensorView in[2] = {a.view, c.view};
  const Status s = context->run(in, {&y.view, 1});
  ASSERT_FALSE(s.ok());
  EXPECT_NE(s.message().find("node '" + name), std::string::npos) << s.message();
  EXPECT_FALSE(name.empty());
  EXPECT_EQ(s.node(), name);
  EXPECT_EQ(y.memory[0], before);
}

TEST(ContextErrors, AnElementOfAShapeThatNoIntegerHoldsIsRefusedBeforeAnyKernelRuns) {
  Builder b;
  const ValueId x = b.input("x", {-1});
  const Dim large = b.graph.dims.mul(b.dims(x)[0], INT64_C(1) << 40);
  auto made = b.graph.add_shape_values(DType::i64, {1}, {b.graph.dims.mul(large, INT64_C(1) << 40)}, "elements");
  ASSERT_TRUE(made.ok());
  b.output(*made);
  const auto context = context_of(compiled(b.graph));
  std::mt19937_64 random(2);
  Tensor none({0}, random), one({1}, random);
  TensorView y;
  ASSERT_TRUE(context->run({&none.view, 1}, {&y, 1}).ok());
  EXPECT_EQ(y.as<int64_t>()[0], 0);
  y = {};
  const Status s = context->run({&one.view, 1}, {&y, 1});
  EXPECT_EQ(s.code(), Code::unimplemented) << s.message();
  EXPECT_NE(s.message().find("'elements"), std::string::npos) << s.message();
}

}  // namespace
}  // namespace anydim
