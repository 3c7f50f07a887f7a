// SPDX-License-Identifier: Apache-2.0
// Element-wise kernels: every instruction set against the reference, bit for bit, over random shapes, layouts,
// broadcasts and chains; the other dtypes against plain expectations.
#include "core/kernels/eltwise/eltwise.h"

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/testing/broadcasting.h"
#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/unary.h"
#include "core/ops/operators/where.h"

namespace anydim::testing {
namespace {

using KernelRun = Run;  // inside a TEST, Run is GoogleTest's

constexpr Layout kLayouts[] = {Layout::row_major,   Layout::channels_last,        Layout::permuted,
                               Layout::padded_rows, Layout::padded_channels_last, Layout::reversed};
Layout any_layout(Random& r) { return drawn(kLayouts, r); }

Dims random_dims(Random& r) {
  Dims d;
  const int64_t rank = r.integer(0, 5);
  for (int64_t i = 0; i < rank; ++i) d.push_back(r.chance(0.05) ? 0 : r.chance(0.2) ? 1 : r.integer(1, rank <= 2 ? 150 : 19));
  return d;
}

PostOps random_chain(Random& r, const Dims& out, std::vector<OwnedTensor>* tensors) {
  PostOps chain;
  for (int64_t n = r.integer(0, 4); n > 0; --n) {
    PostOp p;
    if (r.chance(0.5)) {
      do p.unary = static_cast<UnaryFunction>(r.integer(0, static_cast<int>(UnaryFunction::count_) - 1));
      while (!is_chain_function(p.unary));
      p.alpha = r.normal();
      p.beta = r.normal();
    } else {
      p.kind = r.chance(0.5) ? PostOp::Kind::binary : PostOp::Kind::binary_reversed;
      p.binary = static_cast<BinaryFunction>(r.integer(0, static_cast<int>(BinaryFunction::prelu)));
      tensors->push_back(OwnedTensor(DType::f32, broadcastable(r, out), any_layout(r), &r).fill(r, 0.05));
    }
    chain.append(p);
  }
  return chain;
}

std::string text_of(const KernelRun& run) {
  std::string s = describe(*run.op) + " [" + describe(run.post_ops) + "]";
  for (const auto& t : run.in) s += " " + to_string(t.view().dims);
  return s;
}

void expect_all_equal(const HostKernel& reference, KernelRun& run) {
  run.threads = 1;
  Outcome want = run_kernel(reference, run);
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  ASSERT_EQ(want.refusal, nullptr) << want.refusal;
  int others = 0;
  for (const HostKernel* k : runnable(eltwise_kernels())) {
    if (k == &reference || k->key().op != run.op->kind()) continue;
    for (int threads : {1, 2}) {
      run.threads = threads;
      Outcome got = run_kernel(*k, run);
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_EQ(got.refusal, nullptr) << k->name() << ": " << got.refusal;
      EXPECT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << " threads " << threads << " " << text_of(run);
      ++others;
    }
  }
  EXPECT_GT(others, 0);
  static Random r(7);
  const Unary* unary = as<Unary>(*run.op);
  const bool copies = unary && unary->function() == UnaryFunction::identity && run.post_ops.count == 0;
  EXPECT_EQ(expect_half_equals_reference(reference, run, r), copies ? 0 : others / 2);
}

TEST(Eltwise, UnaryKernelsHaveTheReferencesBitsForEveryFunctionShapeAndLayout) {
  Random r(1);
  for (int f = 0; f < static_cast<int>(UnaryFunction::count_); ++f) {
    const auto function = static_cast<UnaryFunction>(f);
    if (!is_chain_function(function)) continue;
    for (int i = 0; i < 8; ++i) {
      const float alpha = r.normal(), beta = r.normal();
      OperatorPtr op = *Unary::make(function, alpha, beta);
      KernelRun run;
      run.op = op.get();
      const Dims d = random_dims(r);
      run.in.push_back(OwnedTensor(DType::f32, d, any_layout(r), &r).fill(r, 0.1));
      if (i % 2) run.post_ops = random_chain(r, d, &run.post_in);
      run.out_layouts = {any_layout(r)};
      expect_all_equal(*kUnaryReference, run);
      if (HasFatalFailure()) return;
    }
  }
}

TEST(Eltwise, FunctionsHaveTheSameBitsOnADenseGridOfPatterns) {
  constexpr int64_t kCount = 1 << 14;
  for (int f = 0; f < static_cast<int>(UnaryFunction::count_); ++f) {
    const auto function = static_cast<UnaryFunction>(f);
    if (!is_chain_function(function)) continue;
    OperatorPtr op = *Unary::make(function, 0.7f, 0.3f);
    KernelRun run;
    run.op = op.get();
    run.in.push_back(OwnedTensor(DType::f32, Dims{kCount}));
    run.in[0].each([&](int64_t i, std::byte* p) {
      const auto bits = static_cast<uint32_t>(i * 262139 + 7);
      std::memcpy(p, &bits, 4);
    });
    expect_all_equal(*kUnaryReference, run);
    if (HasFatalFailure()) return;
  }
}

TEST(Eltwise, BinaryKernelsHaveTheReferencesBitsForEveryBroadcastLayoutAndChain) {
  Random r(2);
  for (int i = 0; i < 400; ++i) {
    OperatorPtr op = *Binary::make(static_cast<BinaryFunction>(r.integer(0, static_cast<int>(BinaryFunction::mod_trunc))));
    KernelRun run;
    run.op = op.get();
    const Dims d = random_dims(r);
    Dims a = broadcastable(r, d), b = broadcastable(r, d);
    (r.chance(0.5) ? a : b) = d;
    run.in.push_back(OwnedTensor(DType::f32, a, any_layout(r), &r).fill(r, 0.1));
    run.in.push_back(OwnedTensor(DType::f32, b, any_layout(r), &r).fill(r, 0.1));
    if (r.chance(0.4)) run.post_ops = random_chain(r, d, &run.post_in);
    run.out_layouts = {any_layout(r)};
    expect_all_equal(*kBinaryReference, run);
    if (HasFatalFailure()) return;
  }
}

TEST(Eltwise, ChainsOfOneValueForEachColumnHaveTheReferencesBits) {
  Random r(5);
  // Scales and shifts of channels: rows of a vector or more, some of them and a tail, in any order of steps.
  for (int i = 0; i < 120; ++i) {
    const Dims d{r.integer(1, 2), r.integer(1, 150), r.integer(1, 12), r.integer(1, 12)}, channels{1, d[1], 1, 1};
    OperatorPtr op = *Binary::make(static_cast<BinaryFunction>(r.integer(0, 4)));
    KernelRun run;
    run.op = op.get();
    const bool first = r.chance(0.2);
    run.in.push_back(OwnedTensor(DType::f32, first ? channels : d, Layout::channels_last, &r).fill(r, 0.05));
    run.in.push_back(OwnedTensor(DType::f32, first ? d : channels, Layout::channels_last, &r).fill(r, 0.05));
    for (int64_t k = r.integer(1, 4); k > 0; --k) {
      run.post_ops.append(
          {r.chance(0.8) ? PostOp::Kind::binary : PostOp::Kind::binary_reversed, {}, static_cast<BinaryFunction>(r.integer(0, 4))});
      run.post_in.push_back(OwnedTensor(DType::f32, r.chance(0.8) ? channels : d, Layout::channels_last, &r).fill(r, 0.05));
    }
    if (r.chance(0.5)) run.post_ops.append({PostOp::Kind::unary, UnaryFunction::relu, {}});
    run.out_layouts = {Layout::channels_last};
    expect_all_equal(*kBinaryReference, run);
    if (HasFatalFailure()) return;
  }
}

TEST(Eltwise, LargeTensorsAreCutIntoTasksWithoutChangingABit) {
  Random r(3);
  for (const Dims& d : {Dims{1, 67, 41, 43}, Dims{3, 100003}, Dims{200001}, Dims{40000, 3}}) {
    OperatorPtr op = *Binary::make(BinaryFunction::mul);
    KernelRun run;
    run.op = op.get();
    Dims b = d;
    for (int i = 0; i < b.rank; ++i)
      if (i != 1) b[i] = 1;
    run.in.push_back(OwnedTensor(DType::f32, d, Layout::channels_last).fill(r));
    run.in.push_back(OwnedTensor(DType::f32, b).fill(r));
    run.post_ops.append({PostOp::Kind::unary, UnaryFunction::silu});
    run.out_layouts = {Layout::channels_last};
    expect_all_equal(*kBinaryReference, run);
  }
}

template <class T> OwnedTensor tensor(DType t, std::initializer_list<T> values) {
  OwnedTensor o(t, Dims{static_cast<int64_t>(values.size())});
  o.each([&](int64_t i, std::byte* p) { std::memcpy(p, values.begin() + i, sizeof(T)); });
  return o;
}
template <class T> std::vector<T> values(const OwnedTensor& t) {
  std::vector<T> v;
  t.each([&](int64_t, std::byte* p) {
    T x;
    std::memcpy(&x, p, sizeof(T));
    v.push_back(x);
  });
  return v;
}
OwnedTensor run_binary(BinaryFunction f, const OwnedTensor& a, const OwnedTensor& b) {
  OperatorPtr op = *Binary::make(f);
  KernelRun run;
  run.op = op.get();
  run.in = {a, b};
  Outcome o = run_kernel(*kBinaryReference, run);
  EXPECT_TRUE(o.status.ok()) << o.status.message();
  return o.out.at(0);
}
OwnedTensor run_cast(DType to, const OwnedTensor& x) {
  OperatorPtr op = *Cast::make(to);
  KernelRun run;
  run.op = op.get();
  run.in = {x};
  Outcome o = run_kernel(*kCastReference, run);
  EXPECT_TRUE(o.status.ok()) << o.status.message();
  return o.out.at(0);
}

TEST(Eltwise, IntegersWrapAndNeverTrap) {
  const auto a = tensor<int32_t>(DType::i32, {7, -7, INT32_MIN, 5, INT32_MAX});
  const auto b = tensor<int32_t>(DType::i32, {-2, 2, -1, 0, 2});
  EXPECT_EQ(values<int32_t>(run_binary(BinaryFunction::div, a, b)), (std::vector<int32_t>{-3, -3, INT32_MIN, 0, INT32_MAX / 2}));
  EXPECT_EQ(values<int32_t>(run_binary(BinaryFunction::mod_floor, a, b)), (std::vector<int32_t>{-1, 1, 0, 0, 1}));
  EXPECT_EQ(values<int32_t>(run_binary(BinaryFunction::mod_trunc, a, b)), (std::vector<int32_t>{1, -1, 0, 0, 1}));
  EXPECT_EQ(values<int32_t>(run_binary(BinaryFunction::mul, a, b)), (std::vector<int32_t>{-14, -14, INT32_MIN, 0, -2}));
  const auto u = tensor<uint8_t>(DType::u8, {200, 1, 255}), v = tensor<uint8_t>(DType::u8, {100, 9, 3});
  EXPECT_EQ(values<uint8_t>(run_binary(BinaryFunction::add, u, v)), (std::vector<uint8_t>{44, 10, 2}));
  EXPECT_EQ(values<uint8_t>(run_binary(BinaryFunction::shift_left, u, v)), (std::vector<uint8_t>{0, 0, 248}));
  const auto p = tensor<int64_t>(DType::i64, {2, -3, 10}), q = tensor<int64_t>(DType::i64, {62, 3, -1});
  EXPECT_EQ(values<int64_t>(run_binary(BinaryFunction::pow, p, q)), (std::vector<int64_t>{INT64_C(1) << 62, -27, 0}));
  EXPECT_EQ(values<float>(run_binary(BinaryFunction::pow, tensor<float>(DType::f32, {2.f, 9.f}), tensor<int64_t>(DType::i64, {10, -1}))),
            (std::vector<float>{1024.f, 1.f / 9.f}));
}

TEST(Eltwise, ComparisonsAreFalseForNanAndLogicFollowsTheTable) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto a = tensor<float>(DType::f32, {1.f, nan, -0.f}), b = tensor<float>(DType::f32, {2.f, nan, 0.f});
  EXPECT_EQ(values<uint8_t>(run_binary(BinaryFunction::less, a, b)), (std::vector<uint8_t>{1, 0, 0}));
  EXPECT_EQ(values<uint8_t>(run_binary(BinaryFunction::equal, a, b)), (std::vector<uint8_t>{0, 0, 1}));
  EXPECT_EQ(values<uint8_t>(run_binary(BinaryFunction::greater_equal, a, b)), (std::vector<uint8_t>{0, 0, 1}));
  const auto p = tensor<uint8_t>(DType::boolean, {0, 0, 1, 1}), q = tensor<uint8_t>(DType::boolean, {0, 1, 0, 1});
  EXPECT_EQ(values<uint8_t>(run_binary(BinaryFunction::logical_xor, p, q)), (std::vector<uint8_t>{0, 1, 1, 0}));
}

TEST(Eltwise, CastsSaturateTruncateAndRoundOnce) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const auto x = tensor<float>(DType::f32, {1.9f, -1.9f, 3e9f, -3e9f, nan, inf, -0.f});
  EXPECT_EQ(values<int32_t>(run_cast(DType::i32, x)), (std::vector<int32_t>{1, -1, INT32_MAX, INT32_MIN, 0, INT32_MAX, 0}));
  EXPECT_EQ(values<uint8_t>(run_cast(DType::u8, x)), (std::vector<uint8_t>{1, 0, 255, 0, 0, 255, 0}));
  EXPECT_EQ(values<uint8_t>(run_cast(DType::boolean, x)), (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 0}));
  EXPECT_EQ(values<int64_t>(run_cast(DType::i64, tensor<float>(DType::f32, {9.3e18f, -9.3e18f}))),
            (std::vector<int64_t>{INT64_MAX, INT64_MIN}));
  // 1 + 2^-11 + 2^-40 lies above a tie of f16: through f32 it would become the tie and round down.
  EXPECT_EQ(values<uint16_t>(run_cast(DType::f16, tensor<double>(DType::f64, {1.0 + 0x1p-11 + 0x1p-40, 1.0 + 0x1p-11, 1e9}))),
            (std::vector<uint16_t>{0x3c01, 0x3c00, 0x7c00}));
  EXPECT_EQ(values<uint16_t>(run_cast(DType::bf16, tensor<int64_t>(DType::i64, {(INT64_C(1) << 62) + (INT64_C(1) << 54) + 1, -1}))),
            (std::vector<uint16_t>{0x5e81, 0xbf80}));
  EXPECT_EQ(values<float>(run_cast(DType::f32, tensor<uint16_t>(DType::f16, {0x0001, 0xfc00}))), (std::vector<float>{0x1p-24f, -inf}));
}

TEST(Eltwise, CastsBetweenAllDtypesKeepSmallIntegers) {
  for (int from = 1; from <= 12; ++from)
    for (int to = 1; to <= 12; ++to) {
      const auto i = run_cast(static_cast<DType>(from), tensor<int8_t>(DType::i8, {0, 1, 5, 100}));
      const auto o = run_cast(DType::i32, run_cast(static_cast<DType>(to), i));
      EXPECT_EQ(values<int32_t>(o), (std::vector<int32_t>{0, 1, 5, 100})) << from << " to " << to;
    }
}

TEST(Eltwise, WhereBroadcastsAllThreeAndCopiesBits) {
  Random r(4);
  for (int i = 0; i < 60; ++i) {
    OperatorPtr op = *Where::make();
    const Dims d = random_dims(r);
    KernelRun run;
    run.op = op.get();
    run.in.push_back(OwnedTensor(DType::boolean, broadcastable(r, d), any_layout(r), &r).fill(r));
    run.in.push_back(OwnedTensor(DType::f32, d, any_layout(r), &r).fill(r, 0.2));
    run.in.push_back(OwnedTensor(DType::f32, broadcastable(r, d), any_layout(r), &r).fill(r, 0.2));
    Outcome o = run_kernel(*kWhereReference, run);
    ASSERT_TRUE(o.status.ok()) << o.status.message();
    const auto broadcast = [&](const OwnedTensor& t, const Dims& at) {
      const Strides s = broadcast_strides(t.view(), d);
      int64_t off = 0;
      for (int a = 0; a < d.rank; ++a) off += at[a] * s[a];
      return static_cast<std::byte*>(t.view().data) + off * dtype_size(t.view().dtype);
    };
    o.out[0].each([&](int64_t index, std::byte* p) {
      Dims at = d;
      for (int a = d.rank - 1; a >= 0; --a) at[a] = index % d[a], index /= d[a];
      const std::byte* want = broadcast(run.in[*broadcast(run.in[0], at) != std::byte{0} ? 1 : 2], at);
      EXPECT_EQ(std::memcmp(p, want, 4), 0);
    });
  }
}

TEST(Eltwise, HalfPrecisionComputesInSinglePrecisionAndRoundsOnce) {
  OperatorPtr op = *Unary::make(UnaryFunction::affine, 3.f, 0x1p-12f);
  KernelRun run;
  run.op = op.get();
  run.in = {tensor<uint16_t>(DType::f16, {0x3c00, 0x3555, 0x0001})};
  Outcome o = run_kernel(*kUnaryReference, run);
  ASSERT_TRUE(o.status.ok());
  const auto single = run_cast(DType::f32, run.in[0]);
  KernelRun wide;
  wide.op = op.get();
  wide.in = {single};
  Outcome w = run_kernel(*kUnaryReference, wide);
  EXPECT_TRUE(same_bits(o.out[0], run_cast(DType::f16, w.out[0])));
}

TEST(Eltwise, AKernelRefusesWhatItCannotDoAndSaysWhy) {
  OperatorPtr op = *Unary::make(UnaryFunction::erf);
  KernelRun run;
  run.op = op.get();
  run.in.push_back(OwnedTensor(DType::f64, Dims{3}));
  run.post_ops.append({.kind = PostOp::Kind::unary, .unary = UnaryFunction::relu});
  const Outcome o = run_kernel(*kUnaryReference, run);
  ASSERT_NE(o.refusal, nullptr);
  EXPECT_NE(std::string(o.refusal).find("f32, f16 and bf16 only"), std::string::npos);
}

}  // namespace
}  // namespace anydim::testing
