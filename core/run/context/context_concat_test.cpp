// SPDX-License-Identifier: Apache-2.0
// Networks whose layers join what earlier layers made, again and again: drawn at random, each with the bits of a node-by-node run, whatever
// memory its concats share or borrow.
#include "core/base/testing/random.h"
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/reference_run.h"

namespace anydim {
namespace {

using namespace testing;

int64_t channels(Builder& b, ValueId v) { return b.dims(v)[1].number(); }

// The rows of U-Net++: each layer joins all layers of its row and one of the next row; now and then another order, one convolution in place
// of two, or a value that is read again at the end.
Graph rows_of_layers(std::mt19937_64& random) {
  Builder b(random());
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const ValueId x = b.input("x", {-1, 3, -2, -3});
  const int64_t layers = 2 + below(3);
  const bool front = below(3) != 0;
  std::vector<ValueId> row{b.relu(b.conv(x, 2 + below(6), 3))}, again;
  for (int64_t i = 0; i < layers; ++i) {
    const ValueId other = b.unary(UnaryFunction::tanh, b.conv(row[static_cast<size_t>(below(i + 1))], 1 + below(14), 1));
    std::vector<ValueId> in = row;
    if (!front) std::reverse(in.begin(), in.end());
    if (below(6) == 0) std::swap(in[0], in[static_cast<size_t>(below(i + 1))]);
    in.insert(front ? in.end() : in.begin(), other);
    if (below(6) == 0) again.push_back(other);
    ValueId y = b.concat(in, 1);
    if (below(6) == 0) again.push_back(y);
    for (int64_t n = below(5) == 0 ? 1 : 2; n > 0; --n) y = b.relu(b.conv(y, 2 + below(6), 3));
    row.push_back(y);
  }
  again.push_back(row.back());
  b.output(b.conv(again.size() > 1 ? b.concat(again, 1) : again[0], 3, 1));
  if (below(4) == 0) b.output(row[static_cast<size_t>(below(static_cast<int64_t>(row.size())))], "row");
  return std::move(b.graph);
}

// Concats of any earlier values, in any order, also of the same value twice.
Graph any_concats(std::mt19937_64& random) {
  Builder b(random());
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  const ValueId x = b.input("x", {-1, 3, -2, -3});
  std::vector<ValueId> made{b.conv(x, 4, 1), b.conv(x, 3, 3)};
  const auto any = [&] { return made[static_cast<size_t>(below(static_cast<int64_t>(made.size())))]; };
  for (int i = 0; i < 14; ++i) {
    const int64_t what = below(10);
    if (what < 5) {
      std::vector<ValueId> in;
      int64_t sum = 0;
      for (int64_t n = 2 + below(3); n > 0; --n) {
        in.push_back(any());
        sum += channels(b, in.back());
      }
      made.push_back(sum < 40 ? b.concat(in, 1) : b.conv(any(), 1 + below(6), 1));
    } else if (what < 8) {
      made.push_back(b.conv(any(), 1 + below(6), below(2) == 0 ? 1 : 3));
    } else if (what == 8) {
      made.push_back(b.relu(any()));
    } else {
      const ValueId v = any();
      const int64_t first = below(channels(b, v));
      made.push_back(b.slice(v, 1, first, 1 + below(channels(b, v) - first)));
    }
  }
  b.output(b.conv(made.back(), 3, 1));
  b.output(b.conv(any(), 2, 1), "other");
  return std::move(b.graph);
}

void expect_bits_of_reference(const Graph& graph, std::mt19937_64& random) {
  const ProgramPtr program = compiled(graph);
  ASSERT_TRUE(program);
  for (const int threads : {1, 2}) {
    ContextOptions options;
    options.parallel = Parallel(threads);
    const auto context = context_of(program, options);
    for (int i = 0; i < 3; ++i) {
      const Dims dims{static_cast<int64_t>(random() % 3), 3, static_cast<int64_t>(1 + random() % 12),
                      static_cast<int64_t>(1 + random() % 12)};
      const Tensor x(dims, random, random() % 2 ? channels_last(4) : Perm{});
      std::vector<TensorView> out(graph.outputs().size());
      const Status s = context->run({&x.view, 1}, out);
      ASSERT_TRUE(s.ok()) << s.message();
      const auto expected = reference_run(graph, {&x.view, 1});
      for (size_t o = 0; o < out.size(); ++o)
        ASSERT_TRUE(same_bits(out[o], expected[o].view)) << "output " << o << " of " << to_string(dims);
    }
  }
}

TEST(ContextConcat, RowsOfLayersHaveTheBitsOfANodeByNodeRun) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const Graph graph = rows_of_layers(random);
    ASSERT_NO_FATAL_FAILURE(expect_bits_of_reference(graph, random));
  }
}

TEST(ContextConcat, ConcatsOfAnyValuesHaveTheBitsOfANodeByNodeRun) {
  for (uint64_t seed = 1000; seed < 1080; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const Graph graph = any_concats(random);
    ASSERT_NO_FATAL_FAILURE(expect_bits_of_reference(graph, random));
  }
}

}  // namespace
}  // namespace anydim
