// SPDX-License-Identifier: Apache-2.0
// Math modes: which kernels a mode allows, what an operator without kernels of a mode does, and what strict and fast primitives share.
// The kernels of mode fast are the test engine's.
#include <gtest/gtest.h>

#include <set>

#include "core/dispatch/caches/primitive_cache.h"
#include "core/dispatch/testing/weights_of.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/testing/engine.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/text.h"

namespace anydim {
namespace {

using testing::TestEngine;

OperatorPtr op_of(const char* text) {
  OperatorPtr op;
  EXPECT_TRUE(parse_operator(text, &op).ok());
  return op;
}

HostTensor tensor(const Dims& dims, float first) {
  HostTensor t;
  EXPECT_TRUE(HostTensor::allocate(DType::f32, dims, &t).ok());
  for (int64_t i = 0; i < t.view.count(); ++i) t.view.as<float>()[i] = first + static_cast<float>(i) / 7;
  return t;
}

TensorType type_of(const HostTensor& t) {
  TensorType type{t.view.dtype, {}};
  for (const int64_t d : t.view.dims) type.dims.push_back(d);
  return type;
}

struct ModeProduct {
  EnginePtr engine;
  OperatorPtr op = op_of("matmul");
  HostTensor a = tensor({5, 9}, 0.3f), b = tensor({9, 4}, -0.7f);

  Status make(MathMode mode, PrimitivePtr* out, const char* kernel = "", WeightsPtr weights = nullptr) const {
    PrimitiveAttributes attributes;
    attributes.mode = mode;
    attributes.kernel = kernel;
    const TensorType in[] = {type_of(a), type_of(b)};
    return Primitive::create(engine, op, {nullptr, {in, weights ? size_t{1} : size_t{2}}, {}}, attributes, weights, out);
  }
  std::string kernel(MathMode mode) const {
    PrimitivePtr p;
    const Status s = make(mode, &p);
    EXPECT_TRUE(s.ok()) << s.message();
    return s.ok() ? p->kernel().name() : "";
  }
};

TEST(MathModes, AKernelOfAModeIsPickedWhereThatModeOrAFurtherOneIsAskedForAndNowhereElse) {
  const ModeProduct p{TestEngine::create({.fast = {OpKind::matmul}})};
  EXPECT_EQ(p.kernel(MathMode::inherit), "testing.gemm.reference");
  EXPECT_EQ(p.kernel(MathMode::strict), "testing.gemm.reference");
  EXPECT_EQ(p.kernel(MathMode::fast), "testing.fast.gemm.reference");
  EXPECT_EQ(p.kernel(MathMode::reduced), "testing.fast.gemm.reference");
}

TEST(MathModes, APrimitiveReportsTheModeThatItGotAndWhyOtherKernelsWereRefused) {
  const ModeProduct p{TestEngine::create({.fast = {OpKind::matmul}})};
  PrimitivePtr strict, fast;
  ASSERT_TRUE(p.make(MathMode::inherit, &strict).ok());
  ASSERT_TRUE(p.make(MathMode::reduced, &fast).ok());
  EXPECT_EQ(strict->attributes().mode, MathMode::strict);
  EXPECT_EQ(fast->attributes().mode, MathMode::fast);
  const auto because = [](const Primitive& of, const char* kernel) -> std::string {
    for (const Candidate& c : of.candidates())
      if (std::string(c.kernel->name()) == kernel) return c.because != nullptr ? c.because : "";
    return "not there";
  };
  EXPECT_EQ(because(*strict, "testing.fast.gemm.reference"), "it computes in math mode fast, which was not asked for");
  EXPECT_EQ(because(*fast, "testing.gemm.reference"), "the math mode that was asked for has kernels of its own here");
  EXPECT_EQ(because(*fast, "testing.fast.gemm.reference"), "");
}

TEST(MathModes, AForcedKernelHasToBeOfTheMode) {
  const ModeProduct p{TestEngine::create({.fast = {OpKind::matmul}})};
  PrimitivePtr out;
  const Status strict = p.make(MathMode::strict, &out, "testing.fast.gemm.reference");
  EXPECT_EQ(strict.code(), Code::unimplemented);
  EXPECT_NE(strict.message().find("math mode fast"), std::string::npos) << strict.message();
  EXPECT_EQ(p.make(MathMode::fast, &out, "testing.gemm.reference").code(), Code::unimplemented);
  EXPECT_TRUE(p.make(MathMode::fast, &out, "testing.fast.gemm.reference").ok());
}

// An operator of two square matrices through the cache.
PrimitivePtr cached(PrimitiveCache& cache, const EnginePtr& engine, MathMode mode, const char* op = "matmul") {
  const TensorDescriptor a{DType::f32, {{5, {}}, {5, {}}}};
  const TensorDescriptor* const in[] = {&a, &a};
  PrimitiveAttributes attributes;
  attributes.mode = mode;
  PrimitivePtr p;
  Creation how;
  const Status s = cache.create(engine, op_of(op), in, attributes, nullptr, &p, &how);
  EXPECT_TRUE(s.ok()) << s.message();
  return p;
}

TEST(MathModes, AnOperatorWithoutKernelsOfAModeIsStrictAndTheSameOneInTheCache) {
  PrimitiveCache cache(1 << 20);
  std::set<const Kernel*> kernels;
  std::set<const PrimitiveCore*> cores;
  for (const MathMode mode : {MathMode::fast, MathMode::strict, MathMode::reduced, MathMode::inherit}) {
    const PrimitivePtr p = cached(cache, cpu_engine(), mode, "binary function=add");
    ASSERT_NE(p, nullptr);
    EXPECT_EQ(p->attributes().mode, MathMode::strict);
    kernels.insert(&p->kernel());
    cores.insert(p->core().get());
  }
  EXPECT_EQ(kernels.size(), 1u);
  EXPECT_EQ(cores.size(), 1u);
  EXPECT_EQ(cache.figures().entries, 1);
}

TEST(MathModes, PrimitivesOfModesThatDifferAreTwoInTheCache) {
  const EnginePtr engine = TestEngine::create({.fast = {OpKind::matmul}});
  PrimitiveCache cache(1 << 20);
  std::set<std::string> names;
  for (const MathMode mode : {MathMode::fast, MathMode::strict, MathMode::fast, MathMode::inherit}) {
    const PrimitivePtr p = cached(cache, engine, mode);
    ASSERT_NE(p, nullptr);
    names.insert(p->kernel().name());
  }
  EXPECT_EQ(names.size(), 2u);
  EXPECT_EQ(cache.figures().entries, 2);
}

TEST(MathModes, WeightsServeAllModesWhoseKernelsReadTheirForm) {
  const ModeProduct p{TestEngine::create({.fast = {OpKind::matmul}})};
  for (const MathMode packed : {MathMode::strict, MathMode::fast}) {
    WeightsPtr weights;
    WeightsUse use;
    use.mode = packed;
    ASSERT_TRUE(Weights::create(p.engine, p.op, by_operand({&p.b.view, 1}), use, &weights).ok());
    for (const MathMode mode : {MathMode::strict, MathMode::fast, MathMode::reduced}) {
      PrimitivePtr made;
      const Status s = p.make(mode, &made, "", weights);
      ASSERT_TRUE(s.ok()) << s.message();
      EXPECT_EQ(made->weights(), weights);
    }
  }
  // On the CPU products in fast come down to strict, so the two pack and share alike.
  const ModeProduct cpu{cpu_engine()};
  WeightsPtr weights;
  WeightsUse use;
  use.mode = MathMode::fast;
  ASSERT_TRUE(Weights::create(cpu.engine, cpu.op, by_operand({&cpu.b.view, 1}), use, &weights).ok());
  PrimitivePtr made;
  EXPECT_TRUE(cpu.make(MathMode::strict, &made, "", weights).ok());
}

TEST(MathModes, ConvolutionsInFastReadTheWeightsThatStrictPacked) {
  const OperatorPtr op = *Convolution::make({});
  const HostTensor x = tensor({1, 16, 12, 12}, 0.3f), w = tensor({16, 16, 3, 3}, -0.7f);
  WeightsPtr weights;
  ASSERT_TRUE(Weights::create(cpu_engine(), op, by_operand({&w.view, 1}), {}, &weights).ok());
  const TensorType in[] = {type_of(x)};
  for (const auto& [mode, name] : {std::pair{MathMode::strict, "conv.tiles."}, {MathMode::fast, "conv.winograd."}}) {
    PrimitiveAttributes attributes;
    attributes.mode = mode;
    PrimitivePtr made;
    const Status s = Primitive::create(cpu_engine(), op, {nullptr, {in, 1}, {}}, attributes, weights, &made);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(std::string(made->kernel().name()).rfind(name, 0), 0u) << made->kernel().name();
    EXPECT_EQ(made->weights(), weights);
  }
}

TEST(MathModes, EveryOneThatAnOperatorHasKernelsOfHasOneThatEveryCpuCanRun) {
  for (int kind = 1; kind < static_cast<int>(OpKind::count_); ++kind) {
    std::set<MathMode> all, portable;
    for (const Kernel* k : cpu_kernels().of(static_cast<OpKind>(kind))) {
      all.insert(k->key().mode);
      if (k->key().isa == Isa::portable) portable.insert(k->key().mode);
    }
    EXPECT_EQ(all, portable) << op_name(static_cast<OpKind>(kind)) << ": bits would depend on the CPU";
  }
}

}  // namespace
}  // namespace anydim
