// SPDX-License-Identifier: Apache-2.0
// What primitives promise: runtime-dim and reusable are one, weights are packed once, wrong arguments are statuses that
// change nothing.
#include "core/dispatch/primitive/primitive.h"

#include <gtest/gtest.h>

#include <vector>

#include "core/dispatch/testing/weights_of.h"
#include "core/engines/cpu/engine.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"

namespace anydim {
namespace {

OperatorPtr padded_convolution() {
  Convolution::Attributes a;
  a.spatial = 2;
  for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = 1;
  return *Convolution::make(a);
}

HostTensor counted_tensor(const Dims& dims) {
  HostTensor t;
  EXPECT_TRUE(HostTensor::allocate(DType::f32, dims, &t).ok());
  for (int64_t i = 0; i < t.view.count(); ++i) t.view.as<float>()[i] = static_cast<float>(i % 13) - 6.f;
  return t;
}

TensorType f32(std::initializer_list<Dim> dims) { return {DType::f32, SymDims(dims)}; }

PrimitivePtr make(const OperatorPtr& op, const DimPool* pool, const TensorType& src, const WeightsPtr& weights,
                  ReusePolicy reuse = ReusePolicy::inherit) {
  PrimitiveAttributes attributes;
  attributes.reuse = reuse;
  PrimitivePtr p;
  const Status s = Primitive::create(cpu_engine(), op, {pool, {&src, 1}, {}}, attributes, weights, &p);
  EXPECT_TRUE(s.ok()) << s.message();
  return p;
}

TEST(Primitive, HoldsTheSameKernelForDynamicDimsFixedDimsAndOneRow) {
  const OperatorPtr op = *Matmul::make({});
  const HostTensor b = counted_tensor({768, 64});
  WeightsPtr weights;
  ASSERT_TRUE(weights_of(cpu_engine(), op, {&b.view, 1}, &weights).ok());
  DimPool pool;
  const Dim m = pool.symbol("m", {1, 512});
  const PrimitivePtr dynamic = make(op, &pool, f32({m, 768}), weights);
  const PrimitivePtr fixed = make(op, nullptr, f32({384, 768}), weights, ReusePolicy::reusable);
  const PrimitivePtr one_row = make(op, nullptr, f32({1, 768}), weights);
  ASSERT_TRUE(dynamic && fixed && one_row);
  EXPECT_EQ(&dynamic->kernel(), &fixed->kernel());
  EXPECT_EQ(&dynamic->kernel(), &one_row->kernel());
}

TEST(Primitive, HoldsTheSameConvolutionKernelWhateverTheImageIs) {
  const OperatorPtr op = padded_convolution();
  const HostTensor w = counted_tensor({24, 16, 3, 3});
  WeightsPtr weights;
  ASSERT_TRUE(weights_of(cpu_engine(), op, {&w.view, 1}, &weights).ok());
  DimPool pool;
  const Dim n = pool.symbol("n"), h = pool.symbol("h"), width = pool.symbol("w");
  const PrimitivePtr dynamic = make(op, &pool, f32({n, 16, h, width}), weights);
  for (int64_t side : {1, 7, 224}) {
    const PrimitivePtr fixed = make(op, nullptr, f32({1, 16, side, side}), weights, ReusePolicy::reusable);
    ASSERT_TRUE(dynamic && fixed);
    EXPECT_EQ(&dynamic->kernel(), &fixed->kernel()) << side;
  }
}

TEST(Weights, ArePackedOnceForAllPrimitives) {
  const OperatorPtr op = padded_convolution();
  const HostTensor w = counted_tensor({24, 16, 3, 3});
  WeightsPtr weights;
  ASSERT_TRUE(weights_of(cpu_engine(), op, {&w.view, 1}, &weights).ok());
  const void* packed = weights->packed()->pieces[0];
  std::vector<PrimitivePtr> many;
  for (int64_t side = 8; side < 58; ++side) many.push_back(make(op, nullptr, f32({1, 16, side, side}), weights));
  for (const PrimitivePtr& p : many) EXPECT_EQ(p->weights()->packed()->pieces[0], packed);
  EXPECT_EQ(weights.use_count(), static_cast<long>(many.size()) + 1);
}

TEST(Primitive, GivesTheBitsOfAnImageAloneInABatch) {
  const OperatorPtr op = padded_convolution();
  const HostTensor w = counted_tensor({24, 16, 3, 3}), x = counted_tensor({3, 16, 9, 11});
  HostTensor y = counted_tensor({3, 24, 9, 11}), alone = counted_tensor({1, 24, 9, 11});
  WeightsPtr weights;
  ASSERT_TRUE(weights_of(cpu_engine(), op, {&w.view, 1}, &weights).ok());
  DimPool pool;
  const PrimitivePtr p = make(op, &pool, f32({pool.symbol("n"), 16, 9, 11}), weights);
  auto scratch = AlignedBuffer::allocate(1 << 22);
  ASSERT_TRUE(p->execute({&x.view, 1}, {}, {&y.view, 1}, scratch->data(), scratch->size(), Parallel(2)).ok());
  TensorView last = x.view;
  last.dims[0] = 1;
  last.data = x.view.as<float>() + 2 * x.view.strides[0];
  ASSERT_TRUE(p->execute({&last, 1}, {}, {&alone.view, 1}, scratch->data(), scratch->size(), Parallel(1)).ok());
  for (int64_t i = 0; i < alone.view.count(); ++i) ASSERT_EQ(alone.view.as<float>()[i], y.view.as<float>()[2 * y.view.strides[0] + i]) << i;
}

TEST(Primitive, RefusesADimOutsideItsPromiseAndLeavesTheOutputAlone) {
  const OperatorPtr op = *Matmul::make({});
  const HostTensor b = counted_tensor({8, 4}), a = counted_tensor({9, 8});
  HostTensor y = counted_tensor({9, 4});
  WeightsPtr weights;
  ASSERT_TRUE(weights_of(cpu_engine(), op, {&b.view, 1}, &weights).ok());
  DimPool pool;
  const PrimitivePtr p = make(op, &pool, f32({pool.symbol("m", {1, 8}), 8}), weights);
  const float before = y.view.as<float>()[5];
  const Status s = p->execute({&a.view, 1}, {}, {&y.view, 1}, nullptr, 0, Parallel(1));
  EXPECT_EQ(s.code(), Code::out_of_bounds);
  EXPECT_EQ(s.message(), "input 0 dim 0 is 9; its descriptor promises at most 8");
  EXPECT_EQ(y.view.as<float>()[5], before);
}

TEST(Primitive, RefusesAnOutputThatOverlapsItsInput) {
  const OperatorPtr op = *Matmul::make({});
  const HostTensor b = counted_tensor({8, 8}), a = counted_tensor({8, 8});
  WeightsPtr weights;
  ASSERT_TRUE(weights_of(cpu_engine(), op, {&b.view, 1}, &weights).ok());
  const PrimitivePtr p = make(op, nullptr, f32({8, 8}), weights);
  const Status s = p->execute({&a.view, 1}, {}, {&a.view, 1}, nullptr, 0, Parallel(1));
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_EQ(s.message(), "output 0 overlaps input 0 in memory");
}

TEST(Registry, NamesTheKernelsThereAreWhenAForcedOneIsUnknown) {
  const OperatorPtr op = *Matmul::make({});
  const TensorType types[2] = {f32({4, 8}), f32({8, 4})};
  PrimitiveAttributes attributes;
  attributes.kernel = "gemm.imaginary";
  PrimitivePtr p;
  const Status s = Primitive::create(cpu_engine(), op, {nullptr, types, {}}, attributes, nullptr, &p);
  EXPECT_EQ(s.code(), Code::not_found);
  EXPECT_NE(s.message().find("gemm.reference"), std::string::npos) << s.message();
  EXPECT_EQ(p, nullptr);
}

}  // namespace
}  // namespace anydim
