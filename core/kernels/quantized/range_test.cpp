// SPDX-License-Identifier: Apache-2.0
// The scale and the zero point of a tensor that is quantized dynamically: the reference by hand, the kernels against it bit for bit over
// random dims, layouts and special values.
#include <cmath>
#include <cstring>
#include <limits>

#include "core/kernels/quantized/quantized.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/quantization_range.h"

namespace anydim::testing {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

struct Range {
  float scale;
  uint8_t zero_point;
};
Range range_of(const Outcome& o) { return {o.out.at(0).get<float>(0), o.out.at(1).get<uint8_t>(0)}; }

TEST(QuantizationRange, CoversAllElementsAndZero) {
  const OperatorPtr op = *QuantizationRange::make();
  const auto of = [&](std::vector<float> x) {
    testing::Run run;
    run.op = op.get();
    OwnedTensor t(DType::f32, Dims{static_cast<int64_t>(x.size())});
    if (!x.empty()) std::memcpy(t.view().data, x.data(), x.size() * sizeof(float));
    run.in.push_back(t);
    return range_of(run_kernel(*range_kernels().back(), run));
  };
  EXPECT_EQ(of({1, 255, 3}).scale, 1.f);
  EXPECT_EQ(of({1, 255, 3}).zero_point, 0);
  EXPECT_EQ(of({-51, -20}).scale, 0.2f);
  EXPECT_EQ(of({-51, -20}).zero_point, 255);
  EXPECT_EQ(of({-100, 155}).zero_point, 100);
  EXPECT_EQ(of({-0.5f, 254.5f}).zero_point, 0);  // half goes to the even number
  EXPECT_EQ(of({0, -0.f}).scale, 1.f);
  EXPECT_EQ(of({}).scale, 1.f);
  EXPECT_EQ(of({-3, kInfinity}).scale, kInfinity);
  EXPECT_EQ(of({-3, kInfinity}).zero_point, 0);
  EXPECT_TRUE(std::isnan(of({1, NAN, 2}).scale));
  EXPECT_EQ(of({-7, NAN, 2}).zero_point, 0);
}

TEST(QuantizationRange, KernelsHaveTheReferencesBits) {
  Random r(31);
  const OperatorPtr op = *QuantizationRange::make();
  constexpr Layout kLayouts[] = {Layout::row_major, Layout::channels_last, Layout::permuted, Layout::padded_rows,
                                 Layout::padded_channels_last};
  for (int i = 0; i < 400 && !HasFailure(); ++i) {
    Dims d;
    const int rank = static_cast<int>(r.integer(0, 4));
    for (int a = 0; a < rank; ++a) {
      constexpr int64_t kMost[] = {0, 200000, 400, 60, 20};
      d.push_back(r.chance(0.03) ? 0 : r.chance(0.15) ? 1 : r.integer(1, kMost[rank]));
    }
    testing::Run run;
    run.op = op.get();
    OwnedTensor x(DType::f32, d, kLayouts[r.integer(0, 4)], &r);
    const float centre = static_cast<float>(r.integer(-40, 40)), width = static_cast<float>(r.integer(0, 30));
    const bool special = r.chance(0.3);
    const double nan = r.chance(0.15) ? 1e-4 : 0;
    x.each([&](int64_t, std::byte* p) {
      float v = centre + width * static_cast<float>(r.integer(-1000, 1000)) * 1e-3f;
      if (special && r.chance(0.001)) v = r.chance(0.5) ? (r.chance(0.5) ? kInfinity : -kInfinity) : (r.chance(0.5) ? 1e-42f : -0.f);
      if (r.chance(nan)) v = NAN;
      std::memcpy(p, &v, sizeof v);
    });
    run.in.push_back(x);
    const Range want = range_of(run_kernel(*range_kernels().back(), run));
    for (const HostKernel* k : runnable(range_kernels()))
      for (const int threads : {1, 2, 3}) {
        run.threads = threads;
        const Outcome got = run_kernel(*k, run);
        ASSERT_TRUE(got.status.ok()) << got.status.message();
        EXPECT_EQ(std::memcmp(&want.scale, &static_cast<const float&>(range_of(got).scale), sizeof(float)), 0)
            << k->name() << " case " << i;
        EXPECT_EQ(range_of(got).zero_point, want.zero_point) << k->name() << " case " << i;
      }
  }
}

}  // namespace
}  // namespace anydim::testing
