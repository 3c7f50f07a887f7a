// SPDX-License-Identifier: Apache-2.0
// Which engine a node is given to, and that each value is copied once for each engine that reads it.
#include "core/graph/passes/partition.h"

#include <gtest/gtest.h>

#include "core/engines/cpu/engine.h"
#include "core/engines/testing/engine.h"
#include "core/graph/testing/builder.h"
#include "core/graph/testing/graph_text.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/quantization_range.h"

namespace anydim {
namespace {

using testing::Builder;
using testing::TestEngine;

// Of each node in order, a transfer as "->".
std::string engines(const Graph& g) {
  std::string all;
  for (NodeId id : g.order())
    all += (all.empty() ? "" : " ") + std::string(g.node(id).transfer ? "->" : "") + std::to_string(g.node(id).engine);
  return all;
}

TEST(Partition, NodesGoToTheFirstEngineThatHasAKernelForThem) {
  TestEngine::Options options;
  options.without = {OpKind::softmax};
  const std::vector<EnginePtr> list = {cpu_engine(), TestEngine::create(options)};
  Builder b;
  const ValueId x = b.input("x", {-1, 3, -2, -3});
  b.output(b.relu(b.softmax(b.conv(x, 4, 3), 1)));
  ASSERT_TRUE(partition(b.graph, {list, 1, nullptr}).ok());
  EXPECT_EQ(engines(b.graph), "->1 1 ->0 0 ->1 1 ->0");
}

// A chain of integers between integers of the host goes back to it from both ends; one between nodes of the device stays.
TEST(Partition, ArithmeticOfIntegersStaysWithTheHostUnlessThatMakesMoreCopies) {
  const std::vector<EnginePtr> list = {cpu_engine(), TestEngine::create()};
  const auto cast = [](Builder& b, ValueId v, DType to) { return *b.graph.add(*Cast::make(to), {v}, dtype_name(to)); };
  {
    Builder b;
    TensorType type;
    type.dtype = DType::i64;
    type.dims.push_back(4);
    b.output(cast(b, cast(b, cast(b, b.graph.add_input("i", type), DType::i32), DType::i64), DType::f32));
    ASSERT_TRUE(partition(b.graph, {list, 1, nullptr}).ok());
    EXPECT_EQ(engines(b.graph), "0 0 ->1 1 ->0") << "the last one makes floats";
  }
  Builder b;
  b.output(cast(b, cast(b, cast(b, b.relu(b.input("x", {-1, 3})), DType::i64), DType::i32), DType::f32));
  ASSERT_TRUE(partition(b.graph, {list, 1, nullptr}).ok());
  EXPECT_EQ(engines(b.graph), "->1 1 1 1 1 ->0") << "between two nodes of the device";
}

TEST(Partition, EnginesBehindTheHostGetWhatItCannotRun) {
  const std::vector<EnginePtr> list = {cpu_engine(), TestEngine::create()};
  Builder b;
  const ValueId x = b.input("x", {-1, 3, -2, -3});
  b.output(b.relu(b.softmax(b.conv(x, 4, 3), 1)));
  ASSERT_TRUE(partition(b.graph, {list, 1, nullptr, 1}).ok());
  EXPECT_EQ(engines(b.graph), "0 0 0") << "the host has kernels for all";
}

TEST(Partition, SmallIslandsStayWithTheHost) {
  TestEngine::Options options;
  options.without = {OpKind::softmax};
  const std::vector<EnginePtr> list = {cpu_engine(), TestEngine::create(options)};
  Builder b;
  const ValueId x = b.input("x", {-1, 3, -2, -3});
  b.output(b.relu(b.softmax(b.conv(b.conv(x, 4, 3), 4, 3), 1)));
  ASSERT_TRUE(partition(b.graph, {list, 2, nullptr}).ok());
  EXPECT_EQ(engines(b.graph), "->1 1 1 ->0 0 0");
}

// What uses the range has a kernel on the device, or not; where nothing uses it, it stays.
TEST(Partition, TheRangeOfATensorIsFoundWhereItIsUsed) {
  for (const bool device : {false, true}) {
    TestEngine::Options options;
    if (!device) options.without = {OpKind::binary};
    const std::vector<EnginePtr> list = {cpu_engine(), TestEngine::create(options)};
    Builder b;
    const ValueId y = b.relu(b.input("x", {-1, 3})), scale = *b.graph.add(*QuantizationRange::make(), {y}, "scale");
    b.output(b.times(y, scale));
    ASSERT_TRUE(partition(b.graph, {list, 1, nullptr}).ok());
    EXPECT_EQ(engines(b.graph), device ? "->1 1 1 1 ->0" : "->1 1 ->0 0 0");
  }
  const std::vector<EnginePtr> list = {cpu_engine(), TestEngine::create()};
  Builder b;
  b.output(*b.graph.add(*QuantizationRange::make(), {b.input("x", {-1, 3})}, "scale"));
  ASSERT_TRUE(partition(b.graph, {list, 1, nullptr}).ok());
  EXPECT_EQ(engines(b.graph), "->1 1 ->0");
}

TEST(Partition, AValueIsCopiedOncePerEngineAndConstantsAreItsOwn) {
  const std::vector<EnginePtr> list = {cpu_engine(), TestEngine::create(), TestEngine::create()};
  Builder b;
  const ValueId x = b.input("x", {-1, 3}), c = b.constant({3});
  const ValueId here = b.relu(x);
  const ValueId a = b.times(here, c), d = b.plus(here, c), e = b.plus(a, c), f = b.plus(a, d);
  b.output(e);
  b.output(f);
  b.output(here);
  // here 0; a 1, d 2, e 0, f 2: `here` goes to 1 and 2, a to 0, and from there to 2.
  ASSERT_TRUE(partition(b.graph, {list, 1, [i = 0](const Graph&, const Node&) mutable { return std::array{0, 1, 2, 0, 2}[i++]; }}).ok());
  EXPECT_EQ(engines(b.graph), "0 ->1 ->2 1 ->0 ->2 2 0 2 ->0");
  int constants = 0;
  for (ValueId v = 0; v < b.graph.value_count(); ++v)
    if (b.graph.value(v).constant && b.graph.uses(v) > 0) ++constants;
  EXPECT_EQ(constants, 3) << "one for each engine that reads it";
}

TEST(Partition, AnEngineThatIsNotThereIsRefused) {
  const std::vector<EnginePtr> list = {cpu_engine()};
  Builder b;
  b.output(b.relu(b.input("x", {-1})));
  const Status s = partition(b.graph, {list, 1, [](const Graph&, const Node&) { return 1; }});
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_NE(s.message().find("was given to engine 1; there are 1"), std::string::npos) << s.message();
}

}  // namespace
}  // namespace anydim
