// SPDX-License-Identifier: Apache-2.0
// Choices as a list: every kernel with its expected or measured time and scratch, or why it cannot; and the limit on scratch that
// the choice respects.
#include "core/dispatch/tuning/cost.h"

#include <gtest/gtest.h>

#include <cstring>

#include "core/dispatch/testing/weights_of.h"
#include "core/engines/cpu/engine.h"
#include "core/ops/operators/matmul.h"

namespace anydim {
namespace {

HostTensor tensor(const Dims& dims) {
  HostTensor t;
  EXPECT_TRUE(HostTensor::allocate(DType::f32, dims, &t).ok());
  for (int64_t i = 0; i < t.view.count(); ++i) t.view.as<float>()[i] = static_cast<float>(i % 13) - 6.f;
  return t;
}

// [m, 300] x [300, 200] with m up to 512: the right side is an activation, which tiled kernels pack into scratch.
struct Product {
  OperatorPtr op = *Matmul::make({});
  DimPool pool;
  std::vector<TensorType> in;
  HostTensor a = tensor({33, 300}), b = tensor({300, 200}), c = tensor({33, 200});
  Product() { in = {{DType::f32, {pool.symbol("m", {1, 512}), 300}}, {DType::f32, {300, 200}}}; }

  Status make(const PrimitiveAttributes& attributes, PrimitivePtr* out) const {
    return Primitive::create(cpu_engine(), op, {&pool, in, {}}, attributes, nullptr, out);
  }
  PrimitivePtr make(int64_t limit = -1) const {
    PrimitiveAttributes attributes;
    attributes.scratch_limit = limit;
    PrimitivePtr p;
    const Status s = make(attributes, &p);
    EXPECT_TRUE(s.ok()) << s.message();
    return p;
  }
  std::vector<Choice> choices(const Primitive& p, int repeats) const {
    const TensorView inputs[] = {a.view, b.view};
    Args args;
    args.in = inputs;
    args.out = {&c.view, 1};
    args.parallel = Parallel(1);
    p.fill_in(&args);
    std::vector<Choice> list;
    const Status s = list_choices(p, args, repeats, &list);
    EXPECT_TRUE(s.ok()) << s.message();
    return list;
  }
  int64_t bound(const Primitive& p) const {
    const Dims largest[] = {{512, 300}, {300, 200}}, out[] = {{512, 200}};
    return p.scratch_bound(largest, out, 1);
  }
};

TEST(Choices, ListEveryKernelWithAnExpectedTimeOrARefusal) {
  const Product product;
  const PrimitivePtr p = product.make();
  int chosen = 0;
  double best = 0, reference = 0;
  const std::vector<Choice> list = product.choices(*p, 0);
  EXPECT_EQ(list.size(), cpu_kernels().of(OpKind::matmul).size());
  for (const Choice& c : list) {
    chosen += c.chosen;
    EXPECT_EQ(c.measured_nanoseconds, -1) << c.kernel->name();
    if (!c.refusal.empty()) {
      EXPECT_EQ(c.expected_nanoseconds, -1) << c.kernel->name();
      continue;
    }
    EXPECT_GT(c.expected_nanoseconds, 0) << c.kernel->name();
    EXPECT_GE(c.scratch_bytes, 0) << c.kernel->name();
    if (c.chosen) best = c.expected_nanoseconds;
    if (std::strstr(c.kernel->name(), "reference")) reference = c.expected_nanoseconds;
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_LT(best, reference);
}

TEST(Choices, AreMeasuredOnRequestWithoutChangingTheResult) {
  const Product product;
  const PrimitivePtr p = product.make();
  int measured = 0;
  for (const Choice& c : product.choices(*p, 3)) {
    EXPECT_TRUE(!c.refusal.empty() || c.measured_nanoseconds > 0) << c.kernel->name();
    measured += c.measured_nanoseconds > 0;
  }
  EXPECT_GE(measured, 2);
  const std::vector<float> last(product.c.view.as<float>(), product.c.view.as<float>() + product.c.view.count());
  std::vector<HostTensor> once;
  const TensorView inputs[] = {product.a.view, product.b.view};
  ASSERT_TRUE(execute_once(product.op, inputs, {}, {}, &once).ok());
  EXPECT_EQ(std::memcmp(last.data(), once[0].view.data, last.size() * sizeof(float)), 0);
}

TEST(Choices, SayWhichKernelsReadWeightsPackedOtherwise) {
  const Product product;
  WeightsPtr weights;
  ASSERT_TRUE(weights_of(cpu_engine(), product.op, {&product.b.view, 1}, &weights).ok());
  PrimitivePtr p;
  ASSERT_TRUE(Primitive::create(cpu_engine(), product.op, {&product.pool, {product.in.data(), 1}, {}}, {}, weights, &p).ok());
  std::vector<TensorView> inputs = {product.a.view};
  inputs.push_back(weights->views()[1]);
  Args args;
  args.in = inputs;
  args.out = {&product.c.view, 1};
  args.parallel = Parallel(1);
  p->fill_in(&args);
  std::vector<Choice> list;
  ASSERT_TRUE(list_choices(*p, args, 2, &list).ok());
  for (const Choice& c : list) {
    EXPECT_TRUE(!c.chosen || c.measured_nanoseconds > 0) << c.kernel->name();
    const bool other_packing = std::strcmp(c.kernel->name(), "gemm.reference") == 0;
    EXPECT_TRUE(!other_packing || c.not_measured.find("packed as") != std::string::npos) << c.not_measured;
  }
}

TEST(ScratchLimit, RefusesAKernelThatCouldNeedMoreAndTakesTheNext) {
  const Product product;
  const PrimitivePtr free = product.make();
  const int64_t bound = product.bound(*free);
  ASSERT_GT(bound, 0) << free->kernel().name();
  EXPECT_EQ(&product.make(bound)->kernel(), &free->kernel());
  const PrimitivePtr limited = product.make(bound - 1);
  EXPECT_NE(&limited->kernel(), &free->kernel());
  EXPECT_LT(product.bound(*limited), bound);
  bool reported = false;
  for (const Candidate& c : limited->candidates())
    reported = reported || (c.kernel == &free->kernel() && c.because && std::strstr(c.because, "over the limit"));
  EXPECT_TRUE(reported);
}

TEST(ScratchLimit, IsUnimplementedWithEveryRefusalIfNoKernelIsLeft) {
  const Product product;
  PrimitiveAttributes forced;
  forced.kernel = product.make()->kernel().name();
  forced.scratch_limit = 0;
  PrimitivePtr p;
  const Status one = product.make(forced, &p);
  EXPECT_EQ(one.code(), Code::unimplemented);
  EXPECT_NE(one.message().find("over the limit"), std::string::npos) << one.message();
  EXPECT_EQ(p, nullptr);
  // No kernel needs less than nothing.
  const Dims largest[] = {{512, 300}, {300, 200}}, out[] = {{512, 200}};
  const ScratchLimit nothing{-1, largest, out, 1};
  const Kernel* kernel = nullptr;
  const Status all = choose_kernel(*cpu_engine(), product.make()->problem(), "", &kernel, &nothing);
  EXPECT_EQ(all.code(), Code::unimplemented);
  for (const Kernel* k : cpu_kernels().of(OpKind::matmul)) EXPECT_NE(all.message().find(k->name()), std::string::npos) << all.message();
  EXPECT_NE(all.message().find("the limit is -1 bytes"), std::string::npos) << all.message();
}

TEST(ScratchLimit, HoldsForDimsWithoutALargestValue) {
  Product product;
  product.in[0].dims[0] = product.pool.symbol("any", {});
  product.in[1].dims[0] = product.in[0].dims[1] = product.pool.symbol("depth", {});
  const PrimitivePtr p = product.make(1 << 20);
  ASSERT_NE(p, nullptr);
  EXPECT_NE(std::strstr(p->kernel().name(), "reference"), nullptr) << p->kernel().name();
}

TEST(Work, CountsTheProductsOfAMatmulTwice) {
  const Dims in[] = {{33, 300}, {300, 200}}, out[] = {{33, 200}};
  EXPECT_EQ((*Matmul::make({}))->work(in, out).flops, 2. * 33 * 300 * 200);
  const Dims turned[] = {{300, 33}, {300, 200}};
  EXPECT_EQ((*Matmul::make({true, false, 1.f, 1.f}))->work(turned, out).flops, 2. * 33 * 300 * 200);
}

}  // namespace
}  // namespace anydim
