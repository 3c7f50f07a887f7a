// SPDX-License-Identifier: Apache-2.0
// Resize by scales that are ratios, of lengths that only a run knows: the length is what the product in binary32 gives, as where it is
// a number (docs/numerics.md section 6), up to the length that the rule reports.
#include "core/ops/operators/resize.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/base/testing/random.h"
#include "core/ops/requirements.h"

namespace anydim {
namespace {

class Longest final : public Requirements {
 public:
  void equal(Dim, Dim, std::string) override {}
  void broadcast(Dim, Dim, std::string) override {}
  void fits(Dim, Dim, std::string) override {}
  void at_most(Dim, Dim b, std::string) override { most = b.number(); }
  void multiple(Dim, int64_t, std::string) override {}
  void source(Dim, Dim, std::string) override {}
  int64_t most = 0;
};

Status resized(DimPool& pool, float scale, Dim from, Dim* to) {
  Resize::Attributes a;
  a.scales = {scale};
  TensorType out;
  const TensorType in{DType::f32, {from}};
  ANYDIM_TRY((*Resize::make(a))->infer(pool, {&in, 1}, {&out, 1}));
  *to = out.dims[0];
  return {};
}

void expect_products(float scale, int64_t at_least, testing::Random& draw) {
  DimPool pool;
  const Dim n = pool.symbol("n");
  Longest longest;
  Dim symbolic = 0;
  {
    const Requirements::Scope reporting(pool, &longest);
    const Status s = resized(pool, scale, n, &symbolic);
    ASSERT_TRUE(s.ok()) << scale << ": " << s.message();
  }
  ASSERT_GE(longest.most, at_least) << scale;
  const SlotProgram program(pool);
  std::vector<int64_t> slots(static_cast<size_t>(program.slots()));
  const int64_t step = std::max<int64_t>(1, longest.most / 20000);
  for (int64_t length = 0; length <= longest.most; length += length < 3000 ? 1 : draw.integer(1, step)) {
    slots[static_cast<size_t>(n.expr())] = length;
    program.run(slots);
    const auto product = static_cast<int64_t>(std::floor(static_cast<float>(length) * scale));
    ASSERT_EQ(value_of(symbolic, slots), product) << length << " times " << scale;
    Dim number = 0;
    if (length % 64 == 1 && resized(pool, scale, length, &number).ok()) {
      ASSERT_EQ(number.number(), product);
    }
  }
}

TEST(Resize, RatiosOfLengthsThatARunKnows) {
  testing::Random draw;
  expect_products(1.f / 300, 10'000'000, draw);  // speech synthesis: from samples to frames
  expect_products(0.7f, 100'000, draw);          // below 7 / 10, and 10 times it is 7
  expect_products(1.f / 3, 10'000'000, draw);
  for (int i = 0; i < 12; ++i) {
    const auto p = draw.integer(1, 400), q = draw.integer(1, 400);
    const float scale = static_cast<float>(p) / static_cast<float>(q);
    if (scale * 1024 == std::floor(scale * 1024)) continue;  // exact for all lengths, and nothing is reported
    if (Resize::scales_symbols(scale)) expect_products(scale, 65536, draw);
  }
}

TEST(Resize, ScalesOfNoRatioNeedANumber) {
  DimPool pool;
  Dim to = 0;
  EXPECT_EQ(resized(pool, 1234.5678f, pool.symbol("n"), &to).code(), Code::unimplemented);
  EXPECT_TRUE(resized(pool, 1234.5678f, 1000, &to).ok());
  EXPECT_EQ(to.number(), 1234567);
}

}  // namespace
}  // namespace anydim
