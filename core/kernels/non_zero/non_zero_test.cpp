// SPDX-License-Identifier: Apache-2.0
// CountNonZero and NonZero: what is zero by hand, and every kernel against the reference on drawn problems.
#include "core/kernels/non_zero/non_zero.h"

#include "core/kernels/testing/harness.h"
#include "core/ops/operators/count_non_zero.h"
#include "core/ops/operators/non_zero.h"

namespace anydim::testing {
namespace {

constexpr Layout kLayouts[] = {Layout::row_major, Layout::row_major,   Layout::channels_last,
                               Layout::permuted,  Layout::padded_rows, Layout::reversed};
constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,  DType::u8,     DType::i16,
                            DType::u16, DType::i32, DType::u32, DType::i64,  DType::u64, DType::boolean};

template <class T> OwnedTensor of(DType t, const Dims& d, const std::vector<T>& v) {
  OwnedTensor x(t, d);
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &v[static_cast<size_t>(i)], sizeof(T)); });
  return x;
}
std::vector<int64_t> values(const OwnedTensor& x) {
  std::vector<int64_t> v;
  x.each([&](int64_t, std::byte* p) {
    int64_t y;
    std::memcpy(&y, p, sizeof y);
    v.push_back(y);
  });
  return v;
}

// Runs every kernel for the operator; all must agree; the reference is the last.
Outcome run_all(const OperatorPtr& op, const OwnedTensor& x, Random* r = nullptr) {
  testing::Run run{op.get()};
  run.in = {x};
  for (Dim d : op->dim_attributes()) run.dim_attributes.push_back(d.number());
  std::vector<std::pair<const HostKernel*, Outcome>> all;
  for (const HostKernel* k : runnable(non_zero_kernels())) {
    if (k->key().op != op->kind()) continue;
    run.threads = r ? static_cast<int>(r->integer(1, 3)) : 1;
    if (r) run.out_layouts = {drawn(kLayouts, *r)};
    all.emplace_back(k, run_kernel(*k, run, r));
    EXPECT_EQ(all.back().second.refusal, nullptr) << k->name();
  }
  EXPECT_GE(all.size(), 2u);
  const Outcome& truth = all.back().second;
  for (const auto& [k, o] : all) {
    EXPECT_EQ(o.status.code(), truth.status.code()) << k->name();
    EXPECT_EQ(o.status.message(), truth.status.message()) << k->name();
    EXPECT_TRUE(!truth.status.ok() || same_bits(truth.out[0], o.out[0])) << k->name();
  }
  return std::move(all.back().second);
}

int64_t count_of(const OwnedTensor& x, Random* r = nullptr) { return values(run_all(*CountNonZero::make({}), x, r).out[0])[0]; }

TEST(NonZero, NanAndDenormalsAreNotZeroAndMinusZeroIs) {
  const auto x = of<float>(DType::f32, {2, 4}, {0.f, -0.f, NAN, 1e-45f, -1e-45f, INFINITY, 2.f, 0.f});
  EXPECT_EQ(count_of(x), 5);
  EXPECT_EQ(values(run_all(*NonZero::make({5}), x).out[0]), (std::vector<int64_t>{0, 0, 1, 1, 1, 2, 3, 0, 1, 2}));
  EXPECT_EQ(count_of(of<double>(DType::f64, {4}, {0., -0., NAN, 5e-324})), 2);
  EXPECT_EQ(count_of(of<uint16_t>(DType::f16, {4}, {0, 0x8000, 1, 0x7e00})), 2);
  EXPECT_EQ(count_of(of<uint16_t>(DType::bf16, {4}, {0, 0x8000, 0x8001, 0x7fc0})), 2);
  EXPECT_EQ(count_of(of<uint16_t>(DType::u16, {3}, {0, 0x8000, 1})), 2);
  EXPECT_EQ(count_of(of<int64_t>(DType::i64, {3}, {0, INT64_MIN, 1})), 2);
  EXPECT_EQ(count_of(of<int32_t>(DType::i32, {2}, {0, INT32_MIN})), 1);
}

TEST(NonZero, AScalarHasNoCoordinates) {
  const auto x = of<float>(DType::f32, {}, {3.f});
  EXPECT_EQ(count_of(x), 1);
  EXPECT_EQ(run_all(*NonZero::make({1}), x).out[0].view().dims, (Dims{0, 1}));
  EXPECT_EQ(count_of(of<float>(DType::f32, {}, {-0.f})), 0);
}

TEST(NonZero, TheFirstOnesAreWrittenWhereFewerAreAskedFor) {
  const auto x = of<uint8_t>(DType::boolean, {5}, {0, 1, 1, 0, 1});
  EXPECT_EQ(values(run_all(*NonZero::make({2}), x).out[0]), (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(values(run_all(*NonZero::make({0}), x).out[0]), (std::vector<int64_t>{}));
  const Outcome few = run_all(*NonZero::make({4}), x);
  EXPECT_EQ(few.status.code(), Code::invalid_data);
  EXPECT_EQ(few.status.message(), "x has 3 elements that are not zero; count is 4");
}

TEST(NonZero, MoreThanThereAreElementsIsRefusedWhereTheDimsAreKnown) {
  DimPool pool;
  TensorType y;
  const OperatorPtr op = *NonZero::make({13});
  TensorType x{DType::f32, {3, 4}};
  EXPECT_EQ(op->infer(pool, {&x, 1}, {&y, 1}).message(), "non_zero: count is 13; x has 12 elements");
  x.dims[1] = pool.symbol("n");
  ASSERT_TRUE(op->infer(pool, {&x, 1}, {&y, 1}).ok());
  EXPECT_EQ(pool.text(y.dims), "[2, 13]");
  EXPECT_FALSE(NonZero::make({-1}).ok());
}

// Every dtype, any share of zeros, layouts, empty dims and, now and then, enough elements for several tasks.
TEST(NonZero, EveryKernelHasTheBitsOfTheReference) {
  Random r(71);
  for (int n = 0; n < 400; ++n) {
    const DType t = kTypes[r.integer(0, 12)];
    const bool large = n % 25 == 0;
    Dims d;
    for (int64_t rank = r.integer(0, 5); rank > 0; --rank) d.push_back(r.chance(0.04) ? 0 : r.integer(1, rank > 3 ? 5 : 14));
    if (large) d = r.chance(0.5) ? Dims{r.integer(70000, 300000)} : Dims{r.integer(2, 4), r.integer(100, 300), r.integer(190, 330)};
    OwnedTensor x(t, d, drawn(kLayouts, r), &r);
    const double share = r.chance(0.2) ? 0 : r.chance(0.2) ? 1 : r.chance(0.5) ? 0.03 : 0.6;
    const auto size = static_cast<size_t>(dtype_size(t));
    x.each([&](int64_t, std::byte* p) {
      uint64_t bits = 0;
      if (r.chance(share)) bits = t == DType::boolean ? 1 : uint64_t{1} << r.integer(0, static_cast<int64_t>(8 * size) - 1);
      std::memcpy(p, &bits, size);
    });
    const int64_t count = count_of(x, &r);
    const int64_t most = r.chance(0.7) ? count : r.integer(0, std::min(count + 2, x.view().count()));
    run_all(*NonZero::make({most}), x, &r);
    ASSERT_FALSE(HasFailure()) << "problem " << n << ": " << dtype_name(t) << " " << to_string(d);
  }
}

TEST(NonZero, ReadsRepeatedAndReversedElements) {
  OwnedTensor x = of<int32_t>(DType::i32, {70}, std::vector<int32_t>(70, 0));
  auto* data = x.view().as<int32_t>();
  data[3] = data[69] = 7;
  TensorView& v = x.view();
  TensorView turned = v;
  turned.data = data + 69;
  turned.strides[0] = -1;
  TensorView repeated = v;
  repeated.dims = {3, 70};
  repeated.strides = {0, 1};
  for (const HostKernel* k : runnable(non_zero_kernels())) {
    const bool counts = k->key().op == OpKind::count_non_zero;
    const OperatorPtr op = counts ? *CountNonZero::make({}) : *NonZero::make({2});
    std::vector<int64_t> y(static_cast<size_t>(4), -1);
    const PostOps none;
    const auto run = [&](const TensorView& in, const Dims& out) {
      const TensorView o{y.data(), DType::i64, out, dense_strides(out)};
      Args args;
      args.op = op.get();
      args.post_ops = &none;
      args.in = {&in, 1};
      args.out = {&o, 1};
      Plan plan;
      k->plan(args, &plan);
      EXPECT_TRUE(k->run(plan, args).ok()) << k->name();
    };
    run(turned, counts ? Dims{} : Dims{1, 2});
    if (counts) {
      EXPECT_EQ(y[0], 2) << k->name();
    } else {
      EXPECT_EQ(y, (std::vector<int64_t>{0, 66, -1, -1})) << k->name();
    }
    run(repeated, counts ? Dims{} : Dims{2, 2});
    if (counts) {
      EXPECT_EQ(y[0], 6) << k->name();
    } else {
      EXPECT_EQ(y, (std::vector<int64_t>{0, 0, 3, 69})) << k->name();
    }
  }
}

}  // namespace
}  // namespace anydim::testing
