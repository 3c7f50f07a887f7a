// SPDX-License-Identifier: Apache-2.0
// Softmax and layer norm: every instruction set against the reference, bit for bit, over random shapes, axes, layouts
// and special values; the references against long double.
#include "core/kernels/norm/norm.h"

#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/softmax.h"

namespace anydim::testing {
namespace {

using KernelRun = Run;  // inside a TEST, Run is GoogleTest's
constexpr Layout kLayouts[] = {Layout::row_major,   Layout::channels_last,        Layout::permuted,
                               Layout::padded_rows, Layout::padded_channels_last, Layout::reversed};

void expect_all_equal(const HostKernel& reference, KernelRun& run) {
  run.threads = 1;
  Outcome want = run_kernel(reference, run);
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  int others = 0;
  for (const HostKernel* k : runnable(norm_kernels())) {
    if (k == &reference || k->key().op != run.op->kind()) continue;
    for (int threads : {1, 2}) {
      run.threads = threads;
      Outcome got = run_kernel(*k, run);
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_EQ(got.refusal, nullptr) << got.refusal;
      EXPECT_TRUE(same_bits(want.out[0], got.out[0]))
          << k->name() << " threads " << threads << " " << describe(*run.op) << " of " << to_string(run.in[0].view().dims);
      ++others;
    }
  }
  EXPECT_GT(others, 0);
  static Random r(25);
  EXPECT_GT(expect_half_equals_reference(reference, run, r), 0);
}

Dims random_dims(Random& r) {
  Dims d;
  const auto rank = r.integer(1, 4);
  for (int64_t a = 0; a < rank; ++a) d.push_back(r.chance(0.04) ? 0 : r.chance(0.15) ? 1 : r.integer(1, rank <= 2 ? 300 : 24));
  return d;
}

TEST(Softmax, KernelsHaveTheReferencesBitsForEveryAxisAndLayout) {
  Random r(21);
  for (int i = 0; i < 300; ++i) {
    const Dims d = random_dims(r);
    OperatorPtr op = *Softmax::make(r.integer(-d.rank, d.rank - 1), r.chance(0.4));
    KernelRun run;
    run.op = op.get();
    run.in.push_back(OwnedTensor(DType::f32, d, drawn(kLayouts, r), &r).fill(r, r.chance(0.3) ? 0.02 : 0.0));
    run.out_layouts = {drawn(kLayouts, r)};
    expect_all_equal(*kSoftmaxReference, run);
    if (HasFatalFailure()) return;
  }
}

TEST(Softmax, LongAxesAndTheDetectionHeadsShapeHaveTheReferencesBits) {
  Random r(22);
  struct Case {
    Dims dims;
    int64_t axis;
    Layout layout;
  };
  for (const Case& c : {Case{{3, 6625}, -1, Layout::row_major}, Case{{2, 9001}, -1, Layout::row_major},
                        Case{{2, 16, 4, 126}, 1, Layout::row_major}, Case{{2, 16, 4, 126}, 1, Layout::channels_last},
                        Case{{1500, 7}, 0, Layout::row_major}, Case{{2, 1500, 3}, 1, Layout::channels_last},
                        Case{{2, 8, 40, 40}, 3, Layout::row_major}, Case{{2, 8, 40, 40}, 3, Layout::channels_last}})
    for (bool log : {false, true}) {
      OperatorPtr op = *Softmax::make(c.axis, log);
      KernelRun run;
      run.op = op.get();
      run.in.push_back(OwnedTensor(DType::f32, c.dims, c.layout).fill(r));
      run.out_layouts = {c.layout};
      expect_all_equal(*kSoftmaxReference, run);
      if (HasFatalFailure()) return;
    }
}

TEST(Softmax, ShortRowsOfEveryLengthHaveTheReferencesBits) {
  Random r(26);
  for (int64_t n = 1; n <= 70; ++n)
    for (int i = 0; i < 6; ++i) {
      const Dims d{r.integer(1, 3), r.integer(1, 40), n};
      OperatorPtr op = *Softmax::make(-1, i % 3 == 2);
      KernelRun run;
      run.op = op.get();
      run.in.push_back(OwnedTensor(DType::f32, d, i < 3 ? Layout::row_major : drawn(kLayouts, r), &r).fill(r, i % 2 ? 0.02 : 0.0));
      run.out_layouts = {i < 4 ? Layout::row_major : drawn(kLayouts, r)};
      expect_all_equal(*kSoftmaxReference, run);
      if (HasFatalFailure()) return;
    }
}

// The difference to the maximum is rounded to float first (docs/numerics.md, section 3), which moves its exponential by as much as
// the difference is moved: half a unit in its last place, 2.4e-7 from 4 on. That part is known for each value, the rest is not.
TEST(Softmax, TheReferenceIsCloseToExactAndSumsToOne) {
  Random r(23);
  OperatorPtr op = *Softmax::make(-1, false);
  KernelRun run;
  run.op = op.get();
  run.in.push_back(OwnedTensor(DType::f32, Dims{1, 100}).fill(r));
  Outcome o = run_kernel(*kSoftmaxReference, run);
  const auto x = [&](int64_t i) { return run.in[0].get<float>(i); };
  float most = x(0);
  for (int64_t i = 1; i < 100; ++i) most = std::max(most, x(i));
  double sum = 0, total = 0;
  for (int64_t i = 0; i < 100; ++i) sum += std::exp(static_cast<double>(x(i) - most));
  for (int64_t i = 0; i < 100; ++i) {
    const double exact = std::exp(static_cast<double>(x(i) - most)) / sum;
    EXPECT_NEAR(o.out.at(0).get<float>(i), exact, 4e-7 * exact);
    total += o.out.at(0).get<float>(i);
  }
  EXPECT_NEAR(total, 1.0, 4e-7);
}

TEST(LayerNorm, KernelsHaveTheReferencesBitsWithAndWithoutScaleAndBias) {
  Random r(24);
  for (int i = 0; i < 200; ++i) {
    const Dims d = random_dims(r);
    const auto axis = static_cast<int>(r.integer(0, d.rank - 1));
    OperatorPtr op = *LayerNorm::make(r.chance(0.5) ? axis : axis - d.rank, 1e-5f);
    Dims p;
    for (int a = axis; a < d.rank; ++a) p.push_back(d[a]);
    KernelRun run;
    run.op = op.get();
    run.in.push_back(OwnedTensor(DType::f32, d, drawn(kLayouts, r), &r).fill(r, r.chance(0.2) ? 0.02 : 0.0));
    for (int k = 0; k < 2; ++k)
      run.in.push_back(r.chance(0.7) ? OwnedTensor(DType::f32, p, drawn(kLayouts, r), &r).fill(r) : OwnedTensor());
    run.out_layouts = {drawn(kLayouts, r)};
    expect_all_equal(*kLayerNormReference, run);
    if (HasFatalFailure()) return;
  }
}

TEST(LayerNorm, RowsThatLieSideBySideHaveTheReferencesBits) {
  Random r(27);
  for (int i = 0; i < 40; ++i) {
    // Instance normalisation of channels-last images, more pixels than a block of the lane rule among them; and columns.
    const Dims images{r.integer(1, 3), r.integer(1, 70), r.integer(1, 20), i % 4 == 0 ? r.integer(300, 400) : r.integer(1, 20)};
    const Dims matrix{r.integer(1, 70), r.integer(1, 300)};
    const bool image = r.chance(0.7);
    const Dims& d = image ? images : matrix;
    OperatorPtr op = *LayerNorm::make(image ? 2 : 1, 1e-5f);
    Dims p;
    for (int a = image ? 2 : 1; a < d.rank; ++a) p.push_back(d[a]);
    KernelRun run;
    run.op = op.get();
    run.in.push_back(OwnedTensor(DType::f32, d, image ? Layout::channels_last : Layout::permuted, &r).fill(r, r.chance(0.2) ? 0.02 : 0.0));
    for (int k = 0; k < 2; ++k)
      run.in.push_back(r.chance(0.5) ? OwnedTensor(DType::f32, p, drawn(kLayouts, r), &r).fill(r) : OwnedTensor());
    run.out_layouts = {r.chance(0.7) && image ? Layout::channels_last : drawn(kLayouts, r)};
    expect_all_equal(*kLayerNormReference, run);
    if (HasFatalFailure()) return;
  }
}

// Steps whose tensors repeat along some axes of `d`, in any layout.
void add_post_ops(KernelRun& run, const Dims& d, Random& r) {
  const auto steps = r.integer(1, 4);
  for (int64_t i = 0; i < steps; ++i) {
    if (r.chance(0.4)) {
      constexpr UnaryFunction kFunctions[] = {UnaryFunction::relu, UnaryFunction::affine, UnaryFunction::sigmoid,
                                              UnaryFunction::leaky_relu};
      run.post_ops.append({PostOp::Kind::unary, kFunctions[r.integer(0, 3)], {}, 0.25f, -1.5f});
      continue;
    }
    constexpr BinaryFunction kFunctions[] = {BinaryFunction::add, BinaryFunction::mul, BinaryFunction::sub, BinaryFunction::max};
    run.post_ops.append({r.chance(0.7) ? PostOp::Kind::binary : PostOp::Kind::binary_reversed, {}, kFunctions[r.integer(0, 3)]});
    Dims t;
    for (int a = r.chance(0.3) ? static_cast<int>(r.integer(0, d.rank - 1)) : 0; a < d.rank; ++a) t.push_back(r.chance(0.5) ? 1 : d[a]);
    run.post_in.push_back(OwnedTensor(DType::f32, t, drawn(kLayouts, r), &r).fill(r));
  }
}

TEST(LayerNorm, PostOpsHaveTheReferencesBitsWhereverRowsAndTensorsLie) {
  Random r(28);
  for (int i = 0; i < 100; ++i) {
    const bool image = r.chance(0.5);
    Dims d = random_dims(r);
    if (image) {
      d = {};
      for (const int64_t n :
           {r.integer(1, 3), r.integer(1, i % 8 == 0 ? 600 : 70), r.integer(1, 12), i % 25 == 0 ? r.integer(300, 400) : r.integer(1, 12)})
        d.push_back(n);
    }
    const auto axis = image ? 2 : static_cast<int>(r.integer(0, d.rank - 1));
    OperatorPtr op = *LayerNorm::make(axis, 1e-5f);
    Dims p;
    for (int a = axis; a < d.rank; ++a) p.push_back(d[a]);
    KernelRun run;
    run.op = op.get();
    run.in.push_back(OwnedTensor(DType::f32, d, image && r.chance(0.7) ? Layout::channels_last : drawn(kLayouts, r), &r)
                         .fill(r, r.chance(0.2) ? 0.02 : 0.0));
    for (int k = 0; k < 2; ++k)
      run.in.push_back(r.chance(image ? 0.2 : 0.6) ? OwnedTensor(DType::f32, p, drawn(kLayouts, r), &r).fill(r) : OwnedTensor());
    run.out_layouts = {r.chance(0.6) && image ? Layout::channels_last : drawn(kLayouts, r)};
    add_post_ops(run, d, r);
    expect_all_equal(*kLayerNormReference, run);
    if (HasFatalFailure()) return;
  }
}

TEST(LayerNorm, RowsOfManyBlocksHaveTheReferencesBits) {
  Random r(29);
  // Sixteen blocks of the lane rule are met backward, more of them forward.
  for (const Dims& d : {Dims{1, 37, 9, 7000}, Dims{1, 37, 3, 25000}, Dims{1, 3, 25000, 3}})
    for (const int post_ops : {0, 1}) {
      OperatorPtr op = *LayerNorm::make(2, 1e-5f);
      KernelRun run;
      run.op = op.get();
      run.in.push_back(OwnedTensor(DType::f32, d, Layout::channels_last, &r).fill(r));
      run.in.resize(3);
      run.out_layouts = {Layout::channels_last};
      if (post_ops) add_post_ops(run, d, r);
      expect_all_equal(*kLayerNormReference, run);
      if (HasFatalFailure()) return;
    }
}

TEST(LayerNorm, TheReferenceIsCloseToExact) {
  Random r(25);
  OperatorPtr op = *LayerNorm::make(-1, 1e-6f);
  KernelRun run;
  run.op = op.get();
  run.in.push_back(OwnedTensor(DType::f32, Dims{1, 120}).fill(r));
  Outcome o = run_kernel(*kLayerNormReference, run);
  long double sum = 0, square = 0;
  for (int64_t i = 0; i < 120; ++i) sum += run.in[0].get<float>(i);
  const long double mean = sum / 120;
  for (int64_t i = 0; i < 120; ++i) square += (run.in[0].get<float>(i) - mean) * (run.in[0].get<float>(i) - mean);
  for (int64_t i = 0; i < 120; ++i)
    EXPECT_NEAR(o.out.at(0).get<float>(i), static_cast<double>((run.in[0].get<float>(i) - mean) / std::sqrt(square / 120 + 1e-6L)), 1e-6);
}

TEST(LayerNorm, AScaleOfOtherDimsIsRefusedByName) {
  DimPool pool;
  const TensorType in[2] = {{DType::f32, {Dim(2), Dim(3)}}, {DType::f32, {Dim(4)}}};
  TensorType out;
  const Status s = (*LayerNorm::make(-1, 1e-5f))->infer(pool, in, {&out, 1});
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_NE(s.message().find("scale"), std::string::npos) << s.message();
}

}  // namespace
}  // namespace anydim::testing
