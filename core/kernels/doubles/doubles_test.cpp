// SPDX-License-Identifier: Apache-2.0
// Rows and products of doubles: the bits of the references over random shapes, layouts, threads and instruction sets.
#include "core/kernels/doubles/doubles.h"

#include "core/kernels/matmul/matmul.h"
#include "core/kernels/norm/norm.h"
#include "core/kernels/pool/pool.h"
#include "core/kernels/reduce/reduce.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/softmax.h"

namespace anydim::testing {
namespace {

constexpr Layout kLayouts[] = {Layout::row_major, Layout::row_major,   Layout::channels_last,
                               Layout::permuted,  Layout::padded_rows, Layout::reversed};

OwnedTensor doubles(Random& r, const Dims& d, bool specials = true) {
  OwnedTensor x(DType::f64, d, drawn(kLayouts, r), &r);
  const bool some = specials && r.chance(0.2);
  x.each([&](int64_t, std::byte* p) {
    constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   -0.0,
                                   0.0,
                                   1e-310,
                                   1e300};
    const double v = some && r.chance(0.02) ? kSpecial[r.integer(0, 6)] : r.normal();
    std::memcpy(p, &v, sizeof v);
  });
  return x;
}
Dims drawn(Random& r, int64_t least, int64_t rank, int64_t most) {
  Dims d;
  for (int64_t i = r.integer(least, rank); i > 0; --i) d.push_back(r.chance(0.03) ? 0 : r.integer(1, most));
  return d;
}

// How many kernels ran; each had the reference's bits.
int compare(const HostKernel& reference, testing::Run& run, Random& r) {
  run.threads = 1;
  const Outcome want = run_kernel(reference, run, &r);
  EXPECT_EQ(want.refusal, nullptr) << want.refusal;
  EXPECT_TRUE(want.status.ok()) << want.status.message();
  int ran = 0;
  for (const HostKernel* k : runnable(doubles_kernels())) {
    run.threads = static_cast<int>(r.integer(1, 3));
    run.out_layouts = {drawn(kLayouts, r)};
    const Outcome got = run_kernel(*k, run, &r);
    if (got.refusal != nullptr) continue;
    ++ran;
    EXPECT_TRUE(got.status.ok()) << got.status.message();
    EXPECT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << " " << describe(*run.op) << " of " << to_string(run.in[0].view().dims);
  }
  return ran;
}

TEST(Doubles, ProductsHaveTheReferencesBits) {
  Random r(61);
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    const int64_t most = i % 10 == 0 ? 300 : 30, m = r.integer(1, i % 10 == 1 ? 200 : 20), k = r.chance(0.05) ? 0 : r.integer(1, most),
                  n = r.integer(1, i % 10 == 2 ? 200 : 40);
    Matmul::Attributes at;
    at.transpose_a = r.flag(), at.transpose_b = r.flag();
    if (r.chance(0.3)) at.alpha = 0.5f;
    if (r.chance(0.3)) at.beta = 2.f;
    Dims a = at.transpose_a ? Dims{k, m} : Dims{m, k}, b = at.transpose_b ? Dims{n, k} : Dims{k, n}, c{m, n};
    bool both = true;  // b has this batch axis, too
    for (int64_t j = r.integer(0, 2); j > 0; --j) {
      const int64_t batch = r.integer(1, 3);
      Dims wide_a{r.chance(0.3) ? 1 : batch}, wide_b{r.chance(0.4) ? 1 : batch};
      for (const int64_t d : a) wide_a.push_back(d);
      for (const int64_t d : b) wide_b.push_back(d);
      a = wide_a;
      both = both && r.chance(0.7);
      if (both) b = wide_b;
    }
    const OperatorPtr op = *Matmul::make(at);
    testing::Run run{op.get()};
    run.in = {doubles(r, a), doubles(r, b)};
    if (r.flag()) {
      if (r.chance(0.3)) c[0] = 1;
      if (r.chance(0.2)) c[1] = 1;
      run.in.push_back(doubles(r, c));
    }
    run.constant_weights = r.flag();
    ASSERT_GE(compare(gemm_reference(), run, r), 1);
  }
}

TEST(Doubles, ReductionsHaveTheReferencesBits) {
  Random r(62);
  int ran = 0;
  for (int i = 0; i < 300 && !HasFailure(); ++i) {
    Dims d = drawn(r, 1, 4, 12);
    if (i % 5 == 0) d = {r.integer(1, 3), r.integer(100, 10000)};
    if (i % 5 == 1) d = {r.integer(1, 200), r.integer(1, 50)};
    std::vector<int64_t> axes;
    for (int64_t axis = 0; axis < d.rank; ++axis)
      if (r.chance(0.4) || (axis + 1 == d.rank && r.chance(0.5))) axes.push_back(axis);
    if (axes.empty()) axes.push_back(d.rank - 1);
    const OperatorPtr op = *Reduce::make(static_cast<ReduceKind>(i % 10), axes, r.flag());
    testing::Run run{op.get()};
    run.in = {doubles(r, d)};
    ran += compare(*kReduceReference, run, r);
  }
  EXPECT_GE(ran, 300);
}

TEST(Doubles, SoftmaxAndLayerNormHaveTheReferencesBits) {
  Random r(63);
  int ran = 0;
  for (int i = 0; i < 200 && !HasFailure(); ++i) {
    Dims d = drawn(r, 1, 4, 10);
    if (i % 7 == 0) d = {r.integer(1, 3), r.integer(100, 9000)};
    const OperatorPtr softmax = *Softmax::make(r.integer(0, d.rank - 1), r.chance(0.2));
    testing::Run run{softmax.get()};
    run.in = {doubles(r, d)};
    ran += compare(*kSoftmaxReference, run, r);
    const int64_t axis = r.integer(0, d.rank - 1);
    const OperatorPtr norm = *LayerNorm::make(axis, 1e-5f);
    run.op = norm.get();
    Dims normalised;
    for (int64_t a = axis; a < d.rank; ++a) normalised.push_back(d[static_cast<int>(a)]);
    if (r.flag()) {
      run.in.push_back(doubles(r, normalised));
      if (r.flag()) run.in.push_back(doubles(r, normalised));
    }
    ran += compare(*kLayerNormReference, run, r);
  }
  EXPECT_GE(ran, 400);
}

TEST(Doubles, MaximaOverWindowsHaveTheReferencesBits) {
  Random r(64);
  int ran = 0;
  for (int i = 0; i < 250 && !HasFailure(); ++i) {
    Pooling::Attributes a;
    a.spatial = static_cast<int>(r.integer(1, 3));
    Dims d{r.integer(1, 2), r.chance(0.3) ? r.integer(30, 70) : r.integer(1, 9)};
    for (int axis = 0; axis < a.spatial; ++axis) {
      d.push_back(r.chance(0.03) ? 0 : r.integer(1, a.spatial == 1 ? 3000 : a.spatial == 2 ? 30 : 8));
      a.window[axis] = r.integer(1, a.spatial == 1 ? 70 : a.spatial == 2 ? 9 : 4);
      a.strides[axis] = r.chance(0.1) ? 9 : r.integer(1, 3);
      a.dilations[axis] = r.chance(0.7) ? 1 : r.integer(2, 3);
      a.pads_begin[axis] = r.integer(0, 3);
      a.pads_end[axis] = r.integer(0, 3);
    }
    a.ceil_mode = r.chance(0.3);
    if (a.spatial == 2 && r.chance(0.2)) {  // many rows
      d[2] = r.integer(60, 100);
      a.window[0] = r.integer(60, 90);
    }
    if (a.spatial == 1 && r.chance(0.2)) {  // far apart
      a.dilations[0] = r.integer(20, 2500);
      a.window[0] = r.integer(2, 4);
      d[2] = r.integer(1, 9000);
    }
    a.global = r.chance(0.1);  // over axes of which some have no element, too
    if (a.global && r.chance(0.5)) d[static_cast<int>(r.integer(2, d.rank - 1))] = 0;
    const OperatorPtr op = *Pooling::make(a);
    testing::Run run{op.get()};
    run.in = {doubles(r, d)};
    ran += compare(*pool_kernels().back(), run, r);
  }
  EXPECT_GE(ran, 250);
}

}  // namespace
}  // namespace anydim::testing
