// SPDX-License-Identifier: Apache-2.0
// Products of few rows that follow each other are one loop over the threads, with the bits that they have one after the other.
#include "core/base/testing/random.h"
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/reference_run.h"
#include "core/ops/compressed_matmul.h"

namespace anydim {
namespace {

using namespace testing;
constexpr int64_t kWidth = 96;

// Counts loops, and runs their parts in turn.
class CountedLoop final : public HostLoop {
 public:
  void run(int64_t parts, Part part, void* context) const override {
    ++loops;
    for (int64_t i = parts; i-- > 0;) part(context, i);
  }
  mutable int loops = 0;
};

// x times weights of 4 bits, [.., width] to [.., columns].
ValueId numbers_of(Builder& b, Random& r, ValueId x, int64_t columns) {
  const SymDims& d = b.dims(x);
  const int64_t k = d[d.rank - 1].number();
  CompressedMatmul::Attributes a;
  a.transpose_b = true;
  a.block = 32;
  a.zero_point = 8;
  std::vector<uint8_t> numbers(static_cast<size_t>(columns * k));
  for (uint8_t& n : numbers) n = static_cast<uint8_t>(r.integer(0, 15));
  const ValueId w = b.graph.add_constant("w" + std::to_string(b.graph.value_count()),
                                         ConstantTensor::copy(DType::u4, {columns, k}, numbers.data()));
  return b.add(CompressedMatmul::make(a), {x, w, b.constant({columns, ceil_div(k, int64_t{32})}, 0.02f)});
}

TEST(ContextAtOnce, ProductsOfOneLeftSideAreOneLoop) {
  Random r(81);
  Builder b(3);
  const ValueId x = b.input("x", {-1, kWidth});
  for (const int64_t columns : {150, 32, 200}) b.output(numbers_of(b, r, x, columns));
  const ValueId gate = b.unary(UnaryFunction::silu, numbers_of(b, r, x, 150));
  b.output(b.times(numbers_of(b, r, x, 150), gate));
  const Graph graph = b.graph;
  CountedLoop loop;
  ContextOptions options;
  options.parallel = Parallel(2, &loop);
  const auto context = context_of(compiled(graph), options);
  // Five runs, of which four are one loop; more rows are another one for each, or none where there are too few columns.
  for (const int64_t rows : {1, 8, 9}) {
    Tensor in({rows, kWidth}, r.engine());
    std::vector<TensorView> out(4);
    loop.loops = 0;
    ASSERT_TRUE(context->run({&in.view, 1}, out).ok());
    if (rows <= 8) {
      EXPECT_EQ(loop.loops, 2) << rows << " rows";
    }
    const auto want = reference_run(graph, {&in.view, 1});
    for (size_t o = 0; o < out.size(); ++o) EXPECT_TRUE(same_bits(out[o], want[o].view)) << "output " << o;
  }
}

TEST(ContextAtOnce, DrawnProductsHaveTheBitsOfANodeByNodeRun) {
  Random r(82);
  int whole = 0, counted = 0;
  for (int i = 0; i < 40; ++i) {
    Builder b(r.engine()());
    const int64_t width = 8 * r.integer(1, 12);
    const ValueId x = b.input("x", {-1, -2, width});
    std::vector<ValueId> values{x, b.unary(UnaryFunction::tanh, x)};
    int products = 0;
    for (int64_t n = r.integer(2, 9); n > 0; --n) {
      // Mostly of one left side and as wide: what can be at once, in place, and in each other's way.
      const ValueId from = values[r.chance(0.6) ? 1 : static_cast<size_t>(r.integer(0, static_cast<int64_t>(values.size()) - 1))];
      ValueId y = numbers_of(b, r, from, r.chance(0.8) ? width : 8 * r.integer(1, 12));
      ++products;
      while (r.chance(0.5)) {
        const ValueId with = values[static_cast<size_t>(r.integer(0, static_cast<int64_t>(values.size()) - 1))];
        const bool fits = b.dims(with)[2] == b.dims(y)[2];
        y = fits && r.chance(0.7) ? b.binary(r.flag() ? BinaryFunction::add : BinaryFunction::mul, with, y)
                                  : b.unary(UnaryFunction::silu, y);
      }
      if (r.chance(0.1)) y = b.slice(b.concat({y, y}, 2), 2, r.integer(0, 8), b.dims(y)[2]);
      values.push_back(y);
    }
    std::vector<ValueId> last;
    for (const ValueId v : values)
      if (b.graph.uses(v) == 0 || r.chance(0.2)) last.push_back(v);
    if (r.flag()) b.output(b.concat(last, 2));
    else
      for (const ValueId v : last) b.output(v);
    const Graph graph = b.graph;
    const ProgramPtr program = compiled(graph);
    for (const int threads : {2, 3}) {
      CountedLoop loop;
      const bool counts = r.flag();
      ContextOptions options;
      options.parallel = counts ? Parallel(threads, &loop) : Parallel(threads);
      const auto context = context_of(program, options);
      for (int run = 0; run < 3; ++run) {
        Tensor in({r.integer(1, 3), r.integer(1, 4), width}, r.engine());
        const auto want = reference_run(graph, {&in.view, 1});
        std::vector<TensorView> out(want.size());
        loop.loops = 0;
        const Status s = context->run({&in.view, 1}, out);
        ASSERT_TRUE(s.ok()) << s.message();
        for (size_t o = 0; o < want.size(); ++o)
          ASSERT_TRUE(same_bits(out[o], want[o].view)) << "graph " << i << " output " << o << " dims " << to_string(in.view.dims);
        if (counts) whole += loop.loops, counted += products;
      }
    }
  }
  EXPECT_LT(whole, counted);  // some were at once
}

}  // namespace
}  // namespace anydim
