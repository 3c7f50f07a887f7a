// SPDX-License-Identifier: Apache-2.0
// What shape rules report of dims that only a run determines: to whom and when, and that what is assumed on the way
// is known to the rest of the rule. What becomes of it is tested beside the graph (core/graph/infer_test.cpp).
#include "core/ops/requirements.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/ops/operators/concat.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/depth_to_space.h"
#include "core/ops/operators/gather_elements.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/reshape.h"

namespace anydim {
namespace {

// Everything that was reported, as text; and what is equal is assumed to be.
class Recorder final : public Requirements {
 public:
  explicit Recorder(DimPool& pool) : pool_(pool) {}
  void equal(Dim a, Dim b, std::string what) override {
    all.push_back(formatted("{}: {} = {}", what, pool_.text(a), pool_.text(b)));
    if (assumes) pool_.assume_equal(a, b);
  }
  void broadcast(Dim a, Dim b, std::string what) override { all.push_back(formatted("{}: {} ~ {}", what, pool_.text(a), pool_.text(b))); }
  void fits(Dim part, Dim whole, std::string what) override {
    all.push_back(formatted("{}: {} in {}", what, pool_.text(part), pool_.text(whole)));
  }
  void at_most(Dim a, Dim b, std::string what) override { all.push_back(formatted("{}: {} <= {}", what, pool_.text(a), pool_.text(b))); }
  void multiple(Dim d, int64_t of, std::string what) override { all.push_back(formatted("{}: {} | {}", what, of, pool_.text(d))); }
  void source(Dim from, Dim made, std::string what) override {
    all.push_back(formatted("{}: {} makes {}", what, pool_.text(from), pool_.text(made)));
  }
  std::vector<std::string> all;
  bool assumes = false;

 private:
  DimPool& pool_;
};

using Texts = std::vector<std::string>;

class Rules : public ::testing::Test {
 protected:
  Texts reported(const Result<OperatorPtr>& op, const std::vector<TensorType>& in) {
    EXPECT_TRUE(op.ok()) << op.status().message();
    Recorder recorder(pool);
    const Requirements::Scope recording(pool, &recorder);
    result.resize(static_cast<size_t>((*op)->output_count()));
    const Status s = (*op)->infer(pool, in, result);
    EXPECT_TRUE(s.ok()) << s.message();
    return recorder.all;
  }
  static TensorType f32(const SymDims& dims) { return {DType::f32, dims}; }
  DimPool pool;
  const Dim n = pool.symbol("n"), m = pool.symbol("m"), h = pool.symbol("h");
  std::vector<TensorType> result;
};

TEST_F(Rules, ReportWhatARunHasToSettle) {
  EXPECT_EQ(reported(Matmul::make({}), {f32({n, 2, m}), f32({h, h, 3}), f32({n, 1})}),
            (Texts{"columns of a and rows of b: m = h", "sizes that meet in axis -3: n ~ h", "axis -2 of c: n in 2"}));
  EXPECT_EQ(reported(Reshape::make({m, 4}), {f32({n, 2})}), Texts{"number of elements: 2*n = 4*m"});
  EXPECT_EQ(reported(Concat::make(1), {f32({n, 2}), f32({m, 3})}), Texts{"axis 0 of its inputs: n = m"});
  Convolution::Attributes conv;
  conv.spatial = 1;
  conv.group = 2;
  EXPECT_EQ(reported(Convolution::make(conv), {f32({n, m, 9}), f32({h, 3, n}), f32({m})}),
            (Texts{"channels: m = 6", "channels of the weights: 2 | h", "size of the bias: m = h", "kernel size: 1 <= n"}));
  EXPECT_EQ(reported(GatherElements::make(0), {f32({n, m}), {DType::i64, {n, h}}}), Texts{"axis 1 of the indices: h <= m"});
}

TEST_F(Rules, SayNothingOfNumbersOrToOthers) {
  EXPECT_EQ(reported(Matmul::make({}), {f32({5, 2, 7}), f32({1, 7, 3})}), Texts{});
  EXPECT_EQ(reported(Reshape::make({3, 4}), {f32({6, 2})}), Texts{});
  EXPECT_EQ(reported(Concat::make(0), {f32({n, 2}), f32({m, 2})}), Texts{}) << "sizes along the axis may be any";
  // Another pool's rules, and those after the scope.
  DimPool other;
  const Dim a = other.symbol("a"), b = other.symbol("b");
  Recorder recorder(pool);
  result.resize(1);
  const OperatorPtr op = *Matmul::make({});
  const std::vector<TensorType> elsewhere{f32({2, a}), f32({b, 3})}, here{f32({2, n}), f32({m, 3})};
  {
    const Requirements::Scope recording(pool, &recorder);
    ASSERT_TRUE(op->infer(other, elsewhere, result).ok());
    EXPECT_EQ(recorder.all, Texts{});
    {
      Recorder inner(other);
      const Requirements::Scope of_body(other, &inner);
      ASSERT_TRUE(op->infer(other, elsewhere, result).ok());
      ASSERT_TRUE(op->infer(pool, here, result).ok());
      EXPECT_EQ(inner.all.size(), 1u);
    }
    ASSERT_TRUE(op->infer(pool, here, result).ok());
    EXPECT_EQ(recorder.all, Texts{"columns of a and rows of b: n = m"}) << "the scope around it is there again";
  }
  ASSERT_TRUE(op->infer(pool, here, result).ok());
  EXPECT_EQ(recorder.all.size(), 1u);
}

// A product is the number 0 as soon as one factor is, whatever the others are: the rule's own checks of numbers do not see it.
TEST_F(Rules, DecideWhatTwoNumbersSettleBesideSymbols) {
  const auto refusal = [&](const Result<OperatorPtr>& op, const std::vector<TensorType>& in) {
    EXPECT_TRUE(op.ok()) << op.status().message();
    result.resize(static_cast<size_t>((*op)->output_count()));
    const Status alone = (*op)->infer(pool, in, result);
    Recorder recorder(pool);
    const Requirements::Scope recording(pool, &recorder);
    const Status asked = (*op)->infer(pool, in, result);
    EXPECT_FALSE(asked.ok());
    EXPECT_TRUE(recorder.all.empty()) << recorder.all[0];
    return std::pair(std::string(asked.message()), alone.ok());
  };
  const auto reshaped = refusal(Reshape::make({2, 3}), {f32({0, n})});
  EXPECT_EQ(reshaped.first, "number of elements: found 0; expected 6");
  EXPECT_EQ(refusal(Reshape::make({n, 0}), {f32({2, 3})}).first, "number of elements: found 6; expected 0");
  EXPECT_EQ(refusal(Reshape::make({4}), {f32({n, 0, m})}).first, "number of elements: found 0; expected 4");
  EXPECT_EQ(reported(Reshape::make({n, 0}), {f32({m, 0, h})}), Texts{}) << "no elements are no elements";
}

TEST(Requirement, OfNumbersIsDecidedByItsKind) {
  EXPECT_TRUE(holds(Asked::equal, 0, 0) && !holds(Asked::equal, 0, 1));
  EXPECT_TRUE(holds(Asked::fits, 1, 0) && holds(Asked::fits, 3, 3) && !holds(Asked::fits, 0, 3));
  EXPECT_TRUE(holds(Asked::at_most, 0, 0) && !holds(Asked::at_most, 1, 0));
  EXPECT_TRUE(holds(Asked::multiple, 0, 3) && !holds(Asked::multiple, 4, 3) && !holds(Asked::multiple, 0, 0));
  EXPECT_TRUE(holds(Asked::source, 0, 0) && holds(Asked::source, 1, 5) && !holds(Asked::source, 0, 5));
}

TEST_F(Rules, KnowWhatIsAssumedOnTheWay) {
  Recorder recorder(pool);
  recorder.assumes = true;
  const Requirements::Scope recording(pool, &recorder);
  result.resize(1);
  const std::vector<TensorType> in{f32({n, 2, h}), f32({m, h, 3})};
  ASSERT_TRUE((*Concat::make(2))->infer(pool, std::vector<TensorType>{f32({n, m}), f32({n, h})}, result).code() == Code::invalid_argument);
  ASSERT_TRUE((*Concat::make(1))->infer(pool, std::vector<TensorType>{f32({n, m}), f32({h, m})}, result).ok());
  EXPECT_EQ(recorder.all, Texts{"axis 0 of its inputs: n = h"});
  EXPECT_TRUE(pool.provably_equal(n, h));
  EXPECT_TRUE(pool.provably_equal(result[0].dims[1], pool.mul(m, 2)));
}

}  // namespace
}  // namespace anydim
