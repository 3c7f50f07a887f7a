// SPDX-License-Identifier: Apache-2.0
// Fourier transforms against the sum that they are, determinants against expansion, random numbers against Philox's published answers;
// the same bits in every layout and on every number of threads.
#include "core/kernels/signal/signal.h"

#include <numeric>

#include "core/kernels/signal/philox.h"
#include "core/kernels/signal/transform.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/det.h"
#include "core/ops/operators/dft.h"
#include "core/ops/operators/random_uniform.h"

namespace anydim::testing {
namespace {

template <class T> std::vector<T> values(const OwnedTensor& x) {
  std::vector<T> v;
  x.each([&](int64_t, std::byte* p) {
    T y;
    std::memcpy(&y, p, sizeof y);
    v.push_back(y);
  });
  return v;
}

const HostKernel* const kDft = dft_kernels().back();  // a line at a time

Outcome outcome_of(const HostKernel& kernel, const Operator& op, std::vector<OwnedTensor> in, int threads = 1,
                   Layout out = Layout::row_major, Random* r = nullptr) {
  testing::Run run{&op};
  run.in = std::move(in);
  run.threads = threads;
  run.out_layouts = {out};
  for (const Dim d : op.dim_attributes()) run.dim_attributes.push_back(d.number());
  Outcome o = run_kernel(kernel, run, r);
  EXPECT_EQ(o.refusal, nullptr) << o.refusal;
  EXPECT_TRUE(o.status.ok()) << o.status.message();
  return o;
}

TEST(Transform, RootsAreExactAtEighthsAndCloseElsewhere) {
  for (const int64_t n : {1, 2, 3, 4, 8, 12, 1000, 4096, 99991}) {
    std::vector<Complex> w(static_cast<size_t>(numbers_of_roots(n)));
    fill_roots(n, true, w.data());
    for (int64_t k = 0; k < n; ++k) {
      const long double t = 2 * 3.14159265358979323846264338327950288L * static_cast<long double>(k) / static_cast<long double>(n);
      ASSERT_NEAR(w[static_cast<size_t>(k)].re, static_cast<double>(std::cos(t)), 3e-16) << k << " of " << n;
      ASSERT_NEAR(w[static_cast<size_t>(k)].im, static_cast<double>(std::sin(t)), 3e-16) << k << " of " << n;
    }
    EXPECT_EQ(w[0].re, 1);
    EXPECT_EQ(w[0].im, 0);
    if (n % 4 != 0) continue;
    EXPECT_EQ(w[static_cast<size_t>(n / 4)].re, 0);
    EXPECT_EQ(w[static_cast<size_t>(n / 4)].im, 1);
    EXPECT_EQ(w[static_cast<size_t>(n / 2)].re, -1);
  }
}

TEST(Transform, IsTheSumThatItIs) {
  Random r(331);
  std::vector<int64_t> lengths(130);
  std::iota(lengths.begin(), lengths.end(), 1);
  // Prime factors on both sides of those that are transformed by chirps, alone, twice, and with others.
  for (const int64_t n : {251, 257, 502, 526, 1028, 771, 1031, 4001, 251 * 257, 257 * 257, 257 * 263}) lengths.push_back(n);
  for (const int64_t n : lengths) {
    const auto size = static_cast<size_t>(n);
    ASSERT_LE(numbers_of_roots(n), kMostRoots * n);
    ASSERT_LE(numbers_of_room(n), kMostRoom * n);
    std::vector<Complex> from(size), to(size), w(static_cast<size_t>(numbers_of_roots(n))), room(static_cast<size_t>(numbers_of_room(n)));
    for (Complex& c : from) c = {static_cast<double>(r.normal()), static_cast<double>(r.normal())};
    const bool inverse = r.flag();
    fill_roots(n, inverse, w.data());
    transform(from.data(), to.data(), n, w.data(), inverse, room.data());
    for (int64_t k = n < 300 ? 0 : r.integer(0, n / 8); k < n; k += n < 300 ? 1 : r.integer(1, n / 3)) {
      long double re = 0, im = 0;
      for (int64_t j = 0; j < n; ++j) {
        const long double t =
            2 * 3.14159265358979323846264338327950288L * static_cast<long double>(j * k % n) / static_cast<long double>(n);
        const long double c = std::cos(t), s = inverse ? std::sin(t) : -std::sin(t);
        const Complex x = from[static_cast<size_t>(j)];
        re += static_cast<long double>(x.re) * c - static_cast<long double>(x.im) * s;
        im += static_cast<long double>(x.re) * s + static_cast<long double>(x.im) * c;
      }
      const double near = std::min(1e-13 * static_cast<double>(n + 10), 2e-11);
      ASSERT_NEAR(to[static_cast<size_t>(k)].re, static_cast<double>(re), near) << n;
      ASSERT_NEAR(to[static_cast<size_t>(k)].im, static_cast<double>(im), near) << n;
    }
  }
}

TEST(Dft, TheInverseReturnsWhatWasTransformed) {
  Random r(332);
  for (int k = 0; k < 60; ++k) {
    const int64_t n = r.integer(1, 40);
    const bool onesided = r.flag();
    OwnedTensor x(DType::f32, {r.integer(1, 3), n, r.integer(1, 3), onesided ? 1 : 2}, r.flag() ? Layout::row_major : Layout::permuted, &r);
    x.fill(r);
    const OperatorPtr forwards = *Dft::make({1, n, false, onesided}), back = *Dft::make({1, n, true, onesided});
    const Outcome y = outcome_of(*kDft, *forwards, {x}, static_cast<int>(r.integer(1, 3)), Layout::padded_rows, &r);
    const Outcome z = outcome_of(*kDft, *back, {y.out[0]});
    const auto want = values<float>(x), got = values<float>(z.out[0]);
    ASSERT_EQ(want.size(), got.size());
    for (size_t i = 0; i < want.size(); ++i) ASSERT_NEAR(want[i], got[i], 1e-5f) << n << " " << onesided;
  }
}

TEST(Dft, AnAxisIsCutOrFilledWithZeros) {
  OwnedTensor x(DType::f64, {3, 1});
  x.each([](int64_t i, std::byte* p) {
    const auto v = static_cast<double>(i + 1);
    std::memcpy(p, &v, 8);
  });
  EXPECT_EQ(values<double>(outcome_of(*kDft, **Dft::make({0, 2, false, false}), {x}).out[0]), (std::vector<double>{3, 0, -1, 0}));
  const auto y = values<double>(outcome_of(*kDft, **Dft::make({0, 4, false, true}), {x}).out[0]);
  EXPECT_EQ(y, (std::vector<double>{6, 0, -2, -2, 2, 0}));
}

TEST(Dft, LayoutsAndThreadsChangeNoBit) {
  Random r(333);
  constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16};
  for (int k = 0; k < 80; ++k) {
    Dims d{r.integer(1, 4), r.integer(1, 30), r.integer(1, 4), r.integer(1, 2)};
    const int64_t axis = r.integer(0, 2), length = r.integer(1, 40);
    OwnedTensor x(kTypes[r.integer(0, 3)], d);
    x.fill(r);
    const OperatorPtr op = *Dft::make({axis, length, r.flag(), r.flag()});
    const Outcome want = outcome_of(*kDft, *op, {x});
    const Outcome got = outcome_of(*kDft, *op, {x.relaid(Layout::permuted, &r)}, 4, Layout::permuted, &r);
    ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << describe(*op) << " of " << to_string(d);
  }
}

TEST(Dft, LinesTogetherHaveTheBitsOfEachAlone) {
  Random r(337);
  constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16};
  constexpr int64_t kLengths[] = {1, 2, 4, 8, 12, 30, 49, 64, 97, 105, 400, 512, 2048, 2049, 257, 1028, 2056};
  for (const HostKernel* kernel : dft_kernels()) {
    if (kernel == kDft || !cpu().usable.includes(kernel->key().isa)) continue;
    for (int k = 0; k < 60; ++k) {
      const int64_t length = k < 17 ? kLengths[k] : r.integer(1, 200);
      Dims d{r.integer(1, 5), r.integer(1, length + 2), r.integer(1, 5), r.integer(1, 2)};
      OwnedTensor x(kTypes[r.integer(0, 3)], d);
      x.fill(r);
      const OperatorPtr op = *Dft::make({1, length, r.flag(), r.flag()});
      const Outcome want = outcome_of(*kDft, *op, {x});
      const Outcome got = outcome_of(*kernel, *op, {x.relaid(Layout::permuted, &r)}, 3, Layout::permuted, &r);
      ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << kernel->name() << ": " << describe(*op) << " of " << to_string(d);
    }
  }
}

TEST(Dft, RefusesWhatIsNoLineOfComplexNumbers) {
  DimPool pool;
  TensorType y;
  const auto refusal = [&](const DftAttributes& a, TensorType x) {
    return std::string((*Dft::make(a))->infer(pool, {&x, 1}, {&y, 1}).message());
  };
  EXPECT_EQ(refusal({1, 8, false, true}, {DType::f32, {2, 8, 1}}), "");
  EXPECT_EQ(pool.text(y.dims), "[2, 5, 2]");
  EXPECT_NE(refusal({1, 8}, {DType::f32, {2, 8, 3}}).find("input 0 dim 2 is 3; expected 1 or 2"), std::string::npos);
  EXPECT_NE(refusal({2, 8}, {DType::f32, {2, 8, 1}}).find("axis is 2; expected one before the last"), std::string::npos);
  EXPECT_NE(refusal({1, 8}, {DType::i32, {2, 8, 1}}).find("dtype i32; expected a float"), std::string::npos);
  EXPECT_NE(refusal({1, 8}, {DType::f32, {2, 0, 1}}).find("axis 1 has no elements"), std::string::npos);
  const Dim axis = pool.symbol("axis"), n = pool.symbol("n");
  EXPECT_EQ(refusal({axis, n, false, true}, {DType::f32, {2, n, 1}}), "");
}

TEST(Det, IsTheExpansionByMinors) {
  Random r(334);
  const auto minor = [](const auto& self, const std::vector<double>& a, int64_t n) -> double {
    if (n == 0) return 1;
    double sum = 0;
    for (int64_t c = 0; c < n; ++c) {
      std::vector<double> rest;
      for (int64_t i = 1; i < n; ++i)
        for (int64_t j = 0; j < n; ++j)
          if (j != c) rest.push_back(a[static_cast<size_t>(i * n + j)]);
      sum += (c % 2 == 0 ? 1 : -1) * a[static_cast<size_t>(c)] * self(self, rest, n - 1);
    }
    return sum;
  };
  for (int k = 0; k < 100; ++k) {
    const int64_t n = r.integer(0, 5), batch = r.integer(1, 4);
    OwnedTensor x(DType::f64, {batch, n, n});
    x.each([&](int64_t, std::byte* p) {
      const auto v = static_cast<double>(r.integer(-4, 4));
      std::memcpy(p, &v, 8);
    });
    const Outcome o =
        outcome_of(*det_kernels().back(), **Det::make({}), {x.relaid(Layout::permuted, &r)}, static_cast<int>(r.integer(1, 3)));
    const std::vector<double> all = values<double>(x), got = values<double>(o.out[0]);
    for (int64_t b = 0; b < batch; ++b) {
      const std::vector<double> one(all.begin() + b * n * n, all.begin() + (b + 1) * n * n);
      ASSERT_NEAR(got[static_cast<size_t>(b)], minor(minor, one, n), 1e-9) << n;
    }
  }
}

TEST(Det, EveryKernelEqualsTheReference) {
  Random r(8);
  constexpr Layout kLayouts[] = {Layout::row_major, Layout::permuted, Layout::padded_rows, Layout::reversed};
  for (int k = 0; k < 60; ++k) {
    const int64_t n = r.integer(0, k % 10 == 0 ? 70 : 12);
    Dims d{n, n};
    while (d.rank < 4 && r.flag()) d.insert(0, r.integer(0, 3));
    OwnedTensor x(r.flag() ? DType::f32 : DType::f64, d, drawn(kLayouts, r), &r);
    x.fill(r, r.chance(0.2) ? 0.02 : 0.0);
    const OperatorPtr op = *Det::make({});
    const Outcome want = outcome_of(*det_kernels().back(), *op, {x});
    for (const HostKernel* kernel : runnable(det_kernels())) {
      const Outcome got = outcome_of(*kernel, *op, {x}, static_cast<int>(r.integer(1, 3)), drawn(kLayouts, r), &r);
      ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << kernel->name() << " " << to_string(d);
    }
  }
}

TEST(Philox, GivesThePublishedAnswers) {
  const auto words = [](const PhiloxBlock& b) { return std::vector<uint32_t>(b.word, b.word + 4); };
  EXPECT_EQ(words(philox(0, 0, 0)), (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(philox(~0ull, ~0ull, ~0ull)), (std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(words(philox(0x85a308d3243f6a88ull, 0x0370734413198a2eull, 0x299f31d0a4093822ull)),
            (std::vector<uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomUniform, FollowsFromSeedStreamAndIndexAlone) {
  Random r(335);
  for (const DType t : {DType::f32, DType::f64}) {
    RandomUniformAttributes a;
    a.dtype = t, a.dims = {3, 7, 5000}, a.seed = 42, a.stream = 5;
    const Outcome want = outcome_of(*kRandomUniform, **RandomUniform::make(a), {});
    const Outcome got = outcome_of(*kRandomUniform, **RandomUniform::make(a), {}, 4, Layout::permuted, &r);
    ASSERT_TRUE(same_bits(want.out[0], got.out[0]));
    double sum = 0, most = 0, least = 1;
    want.out[0].each([&](int64_t, std::byte* p) {
      float f;
      double d;
      if (t == DType::f32) std::memcpy(&f, p, 4), d = static_cast<double>(f);
      else std::memcpy(&d, p, 8);
      sum += d, most = std::max(most, d), least = std::min(least, d);
    });
    EXPECT_GE(least, 0);
    EXPECT_LT(most, 1);
    EXPECT_NEAR(sum / 105000, 0.5, 0.005);
    a.seed = 43;
    EXPECT_FALSE(same_bits(want.out[0], outcome_of(*kRandomUniform, **RandomUniform::make(a), {}).out[0]));
  }
  RandomUniformAttributes first;
  first.dims = {4};
  // The first word of Philox's answer for zeros, 0x6627e8d5, of which 24 bits count.
  EXPECT_EQ(values<float>(outcome_of(*kRandomUniform, **RandomUniform::make(first), {}).out[0])[0],
            static_cast<float>(0x6627e8) * 0x1p-24f);
  first.dtype = DType::i32;
  EXPECT_NE(RandomUniform::make(first).status().message().find("dtype is i32; expected f32 or f64"), std::string::npos);
}

}  // namespace
}  // namespace anydim::testing
