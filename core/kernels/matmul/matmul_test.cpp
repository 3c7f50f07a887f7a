// SPDX-License-Identifier: Apache-2.0
// Every matmul kernel equals the reference bit for bit: random shapes, batches, transpositions, layouts, post-ops,
// special values, thread counts, and either side constant or not.
#include "core/kernels/matmul/matmul.h"

#include <array>

#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/matmul.h"

namespace anydim::testing {
namespace {

constexpr UnaryFunction kUnary[] = {UnaryFunction::relu, UnaryFunction::clip, UnaryFunction::gelu_erf,  UnaryFunction::hard_sigmoid,
                                    UnaryFunction::silu, UnaryFunction::abs,  UnaryFunction::round_f16, UnaryFunction::round_bf16};
constexpr BinaryFunction kBinary[] = {BinaryFunction::add, BinaryFunction::mul, BinaryFunction::div, BinaryFunction::min};

Layout random_layout(Random& r) {
  constexpr Layout kAll[] = {Layout::row_major, Layout::row_major, Layout::permuted, Layout::padded_rows, Layout::reversed};
  return drawn(kAll, r);
}

struct Case {
  OperatorPtr op;
  Run run;
  std::string text;
};

Case random_case(Random& r, int64_t most_m, int64_t most_n, int64_t most_k, DType dtype = DType::f32) {
  Case c;
  Matmul::Attributes at;
  at.transpose_a = r.chance(0.3);
  at.transpose_b = r.chance(0.3);
  const int64_t m = r.integer(r.chance(0.05) ? 0 : 1, most_m), n = r.integer(r.chance(0.05) ? 0 : 1, most_n);
  const int64_t k = r.integer(r.chance(0.05) ? 0 : 1, most_k);
  Dims a, b, out;
  const int64_t batch = r.chance(0.4) ? 0 : r.integer(1, 3);
  for (int64_t i = 0; i < batch; ++i) {
    const int64_t d = r.integer(1, 4);
    const bool in_a = r.chance(0.8), in_b = r.chance(0.6);
    if (in_a || a.rank > 0) a.push_back(in_a ? d : 1);
    if (in_b || b.rank > 0) b.push_back(in_b ? d : 1);
  }
  const bool row = a.rank == 0 && !at.transpose_a && r.chance(0.1), column = b.rank == 0 && !at.transpose_b && r.chance(0.1);
  if (row) {
    a.push_back(k);
  } else {
    a.push_back(at.transpose_a ? k : m);
    a.push_back(at.transpose_a ? m : k);
  }
  if (column) {
    b.push_back(k);
  } else {
    b.push_back(at.transpose_b ? n : k);
    b.push_back(at.transpose_b ? k : n);
  }
  if (r.chance(0.2)) at.alpha = 0.5f + r.normal();
  if (r.chance(0.2)) at.beta = r.normal();
  if (dtype != DType::f32 && dtype != DType::f64) at.alpha = at.beta = 1.f;
  c.op = *Matmul::make(at);
  const double specials = r.chance(0.25) ? 0.02 : 0;
  Run& run = c.run;
  run.op = c.op.get();
  run.in.emplace_back(dtype, a, random_layout(r), &r);
  run.in.emplace_back(dtype, b, random_layout(r), &r);
  run.in[0].fill(r, specials);
  run.in[1].fill(r, specials);
  DimPool pool;
  std::vector<TensorType> types(2), result(1);
  for (size_t i = 0; i < 2; ++i) {
    types[i].dtype = dtype;
    for (int64_t d : run.in[i].view().dims) types[i].dims.push_back(d);
  }
  EXPECT_TRUE(c.op->infer(pool, types, result).ok());
  for (Dim d : result[0].dims) out.push_back(d.number());
  auto broadcastable = [&] {
    Dims d = out;
    for (int64_t& v : d)
      if (r.chance(0.4)) v = 1;
    while (d.rank > 0 && r.chance(0.3)) d.erase(0);
    return d;
  };
  if (r.chance(0.4)) {
    run.in.emplace_back(dtype, broadcastable(), random_layout(r), &r);
    run.in.back().fill(r, specials);
  }
  if (dtype == DType::f32 && r.chance(0.5))
    for (int64_t i = r.integer(1, 3); i > 0; --i) {
      PostOp p;
      if (r.chance(0.5)) {
        p.unary = kUnary[r.integer(0, 7)];
        p.alpha = 0.2f;
        p.beta = 0.6f;
      } else {
        p.kind = r.chance(0.3) ? PostOp::Kind::binary_reversed : PostOp::Kind::binary;
        p.binary = kBinary[r.integer(0, 3)];
        run.post_in.emplace_back(DType::f32, broadcastable(), random_layout(r), &r);
        run.post_in.back().fill(r);
      }
      run.post_ops.append(p);
    }
  run.out_layouts = {random_layout(r)};
  run.constant_weights = r.chance(0.5);
  run.constant_bias = r.chance(0.7);
  run.threads = r.chance(0.5) ? 1 : 2;
  run.odd_plan = r.chance(0.5);
  c.text = formatted("{}; a {} b {} inputs {} post-ops {} threads {} constant {}", describe(*c.op), to_string(a), to_string(b),
                     run.in.size(), describe(run.post_ops), run.threads, run.constant_weights + run.constant_bias);
  return c;
}

void expect_equal_to_reference(Random& r, Case& c) {
  Outcome want = run_kernel(gemm_reference(), c.run, &r);
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  ASSERT_EQ(want.refusal, nullptr) << want.refusal;
  for (const HostKernel* k : runnable(gemm_kernels())) {
    const bool integers = std::string(k->name()).starts_with("gemm.wide_integers");
    if (k == &gemm_reference() || integers == dtype_is_float(c.run.in[0].view().dtype)) continue;
    Outcome got = run_kernel(*k, c.run, &r);
    ASSERT_EQ(got.refusal, nullptr) << k->name() << "; " << c.text;
    ASSERT_TRUE(got.status.ok()) << k->name() << ": " << got.status.message() << "; " << c.text;
    ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << "; " << c.text;
  }
}

TEST(Matmul, EqualsTheReferenceOnRandomSmallShapes) {
  Random r(11);
  for (int i = 0; i < 800 && !HasFailure(); ++i) {
    Case c = random_case(r, 24, 40, 30);
    expect_equal_to_reference(r, c);
  }
}

TEST(Matmul, OfIntegersEqualsTheReferenceInAnyLayout) {
  constexpr DType kTypes[] = {DType::i32, DType::u32, DType::i64, DType::u64};
  Random r(29);
  for (int i = 0; i < 600 && !HasFailure(); ++i) {
    const bool large = i % 6 == 0;
    Case c = random_case(r, large ? 140 : 24, i % 5 == 0 ? 1 : large ? 70 : 40, large ? 300 : 30, kTypes[i % 4]);
    for (OwnedTensor& t : c.run.in) {
      const auto size = static_cast<size_t>(dtype_size(t.view().dtype));
      t.each([&](int64_t, std::byte* p) {  // any bits: sums wrap
        const int64_t v = r.chance(0.1) ? INT64_MIN : r.integer(INT64_MIN, INT64_MAX);
        std::memcpy(p, reinterpret_cast<const std::byte*>(&v) + (8 - size), size);
      });
    }
    expect_equal_to_reference(r, c);
  }
}

TEST(Matmul, EqualsTheReferenceWithSeveralBlocksOfK) {
  Random r(12);
  for (int i = 0; i < 25 && !HasFailure(); ++i) {
    Case c = random_case(r, 20, 60, 1700);
    expect_equal_to_reference(r, c);
  }
}

TEST(Matmul, EqualsTheReferenceWhereThereIsOneColumn) {
  Random r(18);
  for (int i = 0; i < 250 && !HasFailure(); ++i) {
    Case c = random_case(r, r.chance(0.2) ? 300 : 40, 1, r.chance(0.2) ? 600 : r.chance(0.5) ? 40 : 6);
    if (r.chance(0.3)) {  // dense
      c.run.in[0] = std::move(OwnedTensor(DType::f32, c.run.in[0].view().dims).fill(r));
    }
    expect_equal_to_reference(r, c);
  }
}

TEST(Matmul, EqualsTheReferenceWhereThereIsOneRow) {
  Random r(20);
  for (int i = 0; i < 250 && !HasFailure(); ++i) {
    Case c = random_case(r, 1, r.chance(0.4) ? 700 : 40, r.chance(0.2) ? 600 : r.chance(0.5) ? 40 : 6);
    if (r.chance(0.7)) c.run.constant_weights = false;
    expect_equal_to_reference(r, c);
  }
}

TEST(Matmul, EqualsTheReferenceWhereCHasAValuePerColumn) {
  Random r(19);
  for (int i = 0; i < 120 && !HasFailure(); ++i) {
    const int64_t m = r.integer(1, 40), k = r.integer(0, r.chance(0.1) ? 300 : 30),
                  n = r.chance(0.7) ? 8 * r.integer(1, 12) : r.integer(1, 90);
    Matmul::Attributes at;
    if (r.chance(0.2)) at.alpha = r.chance(0.5) ? -1.f : 0.3f;
    if (r.chance(0.2)) at.beta = r.chance(0.5) ? 0.f : 1.7f;
    const auto op = *Matmul::make(at);
    Case c;
    c.run.op = op.get();
    const Dims a = r.chance(0.2) ? Dims{k} : r.chance(0.3) ? Dims{2, m, k} : Dims{m, k};
    for (const Dims& d : {a, Dims{k, n}, r.chance(0.5) ? Dims{n} : Dims{1, n}}) {
      if (d.rank == 2 && a.rank == 1 && d[0] == 1 && c.run.in.size() == 2)
        c.run.in.emplace_back(DType::f32, Dims{n}, Layout::row_major, &r);
      else c.run.in.emplace_back(DType::f32, d, random_layout(r), &r);
      c.run.in.back().fill(r, r.chance(0.3) ? 0.05 : 0.0);
    }
    PostOp p;
    p.unary = kUnary[r.integer(0, 7)];
    p.alpha = 0.2f;
    p.beta = 0.6f;
    if (r.chance(0.6)) c.run.post_ops.append(p);
    c.run.out_layouts = {random_layout(r)};
    c.run.constant_weights = r.chance(0.7);
    c.run.constant_bias = r.chance(0.7);
    c.run.threads = static_cast<int>(r.integer(1, 2));
    c.text = formatted("{}; a {} n {} post-ops {} constant {}", describe(*op), to_string(a), n, describe(c.run.post_ops),
                       c.run.constant_weights + c.run.constant_bias);
    expect_equal_to_reference(r, c);
  }
}

TEST(Matmul, Of16BitFloatsEqualsTheReference) {
  Random r(14);
  for (int i = 0; i < 220 && !HasFailure(); ++i) {
    Case c = i < 200 ? random_case(r, 24, 40, 30) : random_case(r, 10, 30, 900);
    EXPECT_GT(expect_half_equals_reference(gemm_reference(), c.run, r), 0) << c.text;
  }
}

TEST(Matmul, EqualsTheReferenceOnWideAndTallShapes) {
  Random r(13);
  for (int i = 0; i < 12 && !HasFailure(); ++i) {
    Case wide = random_case(r, 5, 700, 40), tall = random_case(r, 700, 9, 40);
    expect_equal_to_reference(r, wide);
    expect_equal_to_reference(r, tall);
  }
}

// Panels beyond half of L2 turn the loops around, single panels beyond it cut k into parts; more rows than a block holds.
TEST(Matmul, EqualsTheReferenceWhereCacheBlocksAndLoopOrdersChange) {
  Random r(16);
  const OperatorPtr op = *Matmul::make({});
  for (const auto& [m, k, n] :
       {std::array<int64_t, 3>{300, 1100, 170}, {61, 2048, 100}, {500, 40, 33}, {61, 9000, 72}, {290, 4500, 70}, {100, 1100, 1990}}) {
    Case c;
    c.op = op;
    c.run.op = op.get();
    c.run.in.emplace_back(DType::f32, Dims{m, k});
    c.run.in.emplace_back(DType::f32, Dims{k, n}, Layout::permuted, &r);
    c.run.in[0].fill(r);
    c.run.in[1].fill(r);
    PostOp add, relu;
    add.kind = PostOp::Kind::binary;
    relu.unary = UnaryFunction::relu;
    c.run.post_in.emplace_back(DType::f32, Dims{m, n}, Layout::padded_rows, &r);
    c.run.post_in[0].fill(r);
    c.run.post_ops.append(add);
    c.run.post_ops.append(relu);
    c.text = formatted("{}x{}x{}", m, k, n);
    for (c.run.threads = 1; c.run.threads <= 2; ++c.run.threads) {
      c.run.constant_weights = c.run.threads == 1;
      expect_equal_to_reference(r, c);
    }
  }
}

// Panels that L2 does not hold are cut over threads by the bytes that the tasks read: into rows, columns, both, one panel or several.
TEST(Matmul, EqualsTheReferenceHoweverThreadsShareLargeWeights) {
  Random r(18);
  const OperatorPtr op = *Matmul::make({});
  for (const auto& [m, k, n] : {std::array<int64_t, 3>{1, 1100, 530}, {3, 700, 777}, {40, 1100, 500}, {350, 4200, 65}}) {
    Case c;
    c.op = op;
    c.run.op = op.get();
    c.run.in.emplace_back(DType::f32, Dims{m, k});
    c.run.in.emplace_back(DType::f32, Dims{k, n});
    for (OwnedTensor& t : c.run.in) t.fill(r);
    c.run.constant_weights = true;
    for (const int threads : {2, 7, 33}) {
      c.run.threads = threads;
      c.text = formatted("{}x{}x{} on {} threads", m, k, n, threads);
      expect_equal_to_reference(r, c);
    }
  }
}

// A row of a batch has the bits of that row alone.
TEST(Matmul, GivesARowTheSameBitsAloneAndInABatch) {
  Random r(14);
  const OperatorPtr op = *Matmul::make({});
  for (const HostKernel* k : runnable(gemm_kernels())) {
    anydim::testing::Run all;
    all.op = op.get();
    all.in.emplace_back(DType::f32, Dims{29, 700});
    all.in.emplace_back(DType::f32, Dims{700, 45});
    all.in[0].fill(r);
    all.in[1].fill(r);
    all.constant_weights = true;
    const Outcome batch = run_kernel(*k, all, &r);
    if (batch.refusal != nullptr) continue;  // of integers
    for (int64_t i = 0; i < 29; i += 7) {
      anydim::testing::Run one = all;
      one.in[0] = OwnedTensor(DType::f32, Dims{1, 700});
      one.in[0].each([&](int64_t j, std::byte* p) {
        std::memcpy(p, all.in[0].view().as<float>() + i * 700 + j, 4);  // row-major
      });
      const Outcome alone = run_kernel(*k, one, &r);
      ASSERT_EQ(std::memcmp(batch.out[0].view().as<float>() + i * 45, alone.out[0].view().data, 45 * 4), 0) << k->name();
    }
  }
}

TEST(Matmul, MultipliesIntegersModuloTheirRange) {
  const OperatorPtr op = *Matmul::make({});
  anydim::testing::Run run;
  run.op = op.get();
  run.in.emplace_back(DType::u8, Dims{1, 2});
  run.in.emplace_back(DType::u8, Dims{2, 1});
  run.in[0].each([](int64_t i, std::byte* p) { *p = std::byte(i == 0 ? 200 : 3); });
  run.in[1].each([](int64_t i, std::byte* p) { *p = std::byte(i == 0 ? 2 : 5); });
  const Outcome o = run_kernel(gemm_reference(), run);
  ASSERT_TRUE(o.status.ok());
  EXPECT_EQ(o.out[0].get<uint8_t>(0), (200 * 2 + 3 * 5) % 256);
}

// The bound for given dims covers every shape within them.
TEST(Matmul, NeedsNoMoreScratchInsideTheBoundThanTheBoundSays) {
  Random r(15);
  const OperatorPtr op = *Matmul::make({});
  for (const HostKernel* k : gemm_kernels())
    for (int i = 0; i < 300; ++i) {
      Dims a, b, y;
      for (int j = 0; j < 2; ++j) y.push_back(r.integer(1, 40));
      const int64_t m = r.integer(1, 300), n = r.integer(1, 300), kk = r.integer(1, 1500);
      a = b = y;
      a.push_back(m), a.push_back(kk), b.push_back(kk), b.push_back(n), y.push_back(m), y.push_back(n);
      const PostOps none;
      Problem problem;
      problem.op = op.get();
      problem.post_ops = &none;
      const int threads = static_cast<int>(r.integer(1, 4));
      const Dims in[2] = {a, b}, out[1] = {y};
      const int64_t bound = k->scratch_bound(problem, in, out, threads);
      TensorView views[3];
      for (int t = 0; t < 3; ++t) views[t].dtype = DType::f32, views[t].dims = t == 0 ? a : t == 1 ? b : y;
      for (int d = 0; d < 2; ++d) {
        const int64_t v = r.integer(1, y[d]);
        for (TensorView& t : views) t.dims[d] = v;
      }
      views[0].dims[2] = views[2].dims[2] = r.integer(1, m);
      views[1].dims[3] = views[2].dims[3] = r.integer(1, n);
      views[0].dims[3] = views[1].dims[2] = r.integer(1, kk);
      for (TensorView& t : views) t.strides = dense_strides(t.dims);
      Args args;
      args.op = op.get();
      args.post_ops = &none;
      args.in = std::span(views, 2);
      args.out = std::span(views + 2, 1);
      args.parallel = Parallel(static_cast<int>(r.integer(1, threads)));
      Plan plan;
      k->plan(args, &plan);
      ASSERT_LE(plan.scratch, bound) << k->name();
    }
}

}  // namespace
}  // namespace anydim::testing
