// SPDX-License-Identifier: Apache-2.0
// For tests of stages only: counts that data determines, and a graph whose sizes are such counts.
#pragma once

#include <algorithm>
#include <random>
#include <span>
#include <vector>

#include "core/graph/testing/contexts.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/count_non_zero.h"
#include "core/ops/operators/non_zero.h"
#include "core/ops/operators/reduce.h"

namespace anydim::testing {

// The number of elements of x above `limit`, as a scalar i64.
inline ValueId count_above(Builder& b, ValueId x, float limit) {
  const ValueId bound = b.graph.add_constant("limit", ConstantTensor::of<float>(DType::f32, {}, std::vector<float>{limit}));
  const ValueId mask = b.binary(BinaryFunction::greater, x, bound);
  return b.add(Reduce::make(ReduceKind::sum, {}, false), {b.add(Cast::make(DType::i64), {mask})});
}
inline int64_t count_above(std::span<const float> x, float limit) {
  return std::count_if(x.begin(), x.end(), [=](float v) { return v > limit; });
}

// x [d1]: the first s elements of relu(x), where s of x are above 0; then of those as many as are above 1, beside all of them.
// kept = -head [s]; table = head [s, 1] * x [1, d1] + relu(x); few = -head[:t]
inline Graph two_counts() {
  Builder b;
  const ValueId x = b.input("x", {-1});
  const Dim all = b.dims(x)[0];
  const ValueId positive = b.relu(x);
  const Dim s = b.graph.read_size(count_above(b, x, 0), 0, all, "positive");
  const ValueId head = b.slice(positive, 0, 0, s);
  b.output(b.unary(UnaryFunction::neg, head), "kept");
  const ValueId table = b.times(b.reshape(head, {s, 1}), b.reshape(x, {1, all}));
  b.output(b.plus(table, positive), "table");
  const Dim t = b.graph.read_size(count_above(b, head, 1), 0, s, "large");
  b.output(b.unary(UnaryFunction::neg, b.slice(head, 0, 0, t)), "few");
  EXPECT_TRUE(b.graph.verify().ok());
  return std::move(b.graph);
}

// x [d1]: those that are above 0, added to themselves, and where they are.
inline Graph kept_by_a_mask() {
  Builder b;
  const ValueId x = b.input("x", {-1});
  const ValueId zero = b.graph.add_constant("zero", ConstantTensor::of<float>(DType::f32, {}, std::vector<float>{0}));
  const ValueId mask = b.binary(BinaryFunction::greater, x, zero);
  const Dim s = b.graph.read_size(b.add(CountNonZero::make({}), {mask}), 0, b.dims(x)[0], "kept");
  const ValueId places = b.reshape(b.add(NonZero::make({s}), {mask}), {s});
  const ValueId kept = b.add(Gather::make(0), {x, places});
  b.output(b.plus(kept, kept), "kept");
  b.output(places, "places");
  EXPECT_TRUE(b.graph.verify().ok());
  return std::move(b.graph);
}

inline std::vector<float> drawn(int64_t count, std::mt19937_64& random) {
  // Any share of them is positive, none and all included.
  std::normal_distribution<float> normal(static_cast<float>(random() % 5) - 2.f, 1.f);
  std::vector<float> x(static_cast<size_t>(count));
  for (float& v : x) v = normal(random);
  return x;
}

}  // namespace anydim::testing
