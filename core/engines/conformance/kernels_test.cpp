// SPDX-License-Identifier: Apache-2.0
// Kernels of any engine: for every operator that it has, the bits of another engine's kernels over random shapes, constants and post-ops;
// programs that are compiled when a primitive is made and never later. With ANYDIM_OPENCL_KERNELS=all an engine with a compiler gets more
// problems.
#include <atomic>
#include <string_view>
#include <thread>

#include "core/dispatch/caches/primitive_cache.h"
#include "core/dispatch/testing/drawn.h"
#include "core/dispatch/tuning/cost.h"
#include "core/engines/testing/conformance.h"
#include "core/engines/testing/engine.h"

namespace anydim::conformance {
namespace {

using ::anydim::testing::draw;
using ::anydim::testing::Drawn;
using ::anydim::testing::Random;
using ::anydim::testing::run_on;
using ::anydim::testing::TestEngine;
using ::anydim::testing::types_of;
using ::anydim::testing::views_of;

class EngineKernels : public EngineConformance {
 protected:
  // What a device is compared with is the CPU, and what the CPU is compared with are reference kernels.
  EnginePtr other() const { return is_device() ? cpu_engine() : EnginePtr(TestEngine::create()); }
  int draws() const {
    if (!compiles()) return is_device() ? 60 : 20;  // kernels of the CPU have tests of their own
    const char* const text = std::getenv("ANYDIM_OPENCL_KERNELS");
    return text != nullptr && std::string_view(text) == "all" ? 8 : 2;
  }
  bool has(OpKind kind) const { return !engine_->kernels().of(kind).empty(); }
  // A problem that the engine has a kernel for; none if it has none.
  bool any_problem(Random& r, Drawn* out) const {
    for (const OpKind each : {OpKind::unary, OpKind::binary, OpKind::matmul, OpKind::convolution, OpKind::softmax, OpKind::pooling}) {
      if (!has(each)) continue;
      *out = {};
      while (!draw(each, r, out) || !out->constant.empty() || out->post_ops.count > 0) *out = {};
      return true;
    }
    return false;
  }
};

TEST_P(EngineKernels, GiveTheSameBitsForEveryOperatorOverRandomShapes) {
  Random r(11);
  const EnginePtr reference = other();
  for (int k = 1; k < static_cast<int>(OpKind::count_); ++k) {
    const auto op_kind = static_cast<OpKind>(k);
    if (!has(op_kind)) continue;
    int compared = 0, refused = 0;
    for (int i = 0; compared == 0 ? i < std::max(draws(), 8) : i < draws(); ++i) {
      Drawn p;
      if (!draw(op_kind, r, &p)) continue;
      std::vector<std::string> theirs, ours;
      PrimitivePtr made;
      const Status there = run_on(engine_, p, &theirs, &made), here = run_on(reference, p, &ours);
      if (there.code() == Code::unimplemented && here.ok()) {
        EXPECT_FALSE(there.message().empty());
        ++refused;
        continue;
      }
      ASSERT_EQ(there.ok(), here.ok()) << p.text << ": " << there.message() << " / " << here.message();
      if (!here.ok()) continue;
      ++compared;
      ASSERT_EQ(theirs, ours) << p.text << ", " << p.constant.count() << " constant";
      ASSERT_EQ(made->engine().kind(), std::string(kind().name())) << p.text;
    }
    EXPECT_GT(compared, 0) << op_name(op_kind) << ": no problem that was drawn has an answer; " << refused << " were refused";
  }
}

TEST_P(EngineKernels, AreAStatusWhereThereIsNone) {
  for (int k = 1; k < static_cast<int>(OpKind::count_); ++k) {
    const auto op_kind = static_cast<OpKind>(k);
    if (has(op_kind)) continue;
    Random r(3);
    Drawn p;
    while (!draw(op_kind, r, &p)) p = {};
    std::vector<std::string> none;
    const Status s = run_on(engine_, p, &none);
    EXPECT_EQ(s.code(), Code::unimplemented) << p.text;
    EXPECT_NE(s.message().find(kind().name()), std::string::npos) << s.message();
    EXPECT_TRUE(none.empty());
  }
}

TEST_P(EngineKernels, HaveDifferentKeysOrNamesAndRatesForTheCostModel) {
  const std::span<const Kernel* const> all = engine_->kernels().all();
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < i; ++j)
      EXPECT_FALSE(all[i]->key() == all[j]->key() && std::string_view(all[i]->name()) == all[j]->name()) << all[i]->name();
    for (const bool products : {false, true}) {
      const Rates rates = engine_->rates(*all[i], products);
      EXPECT_GT(rates.steps_per_nanosecond, 0) << all[i]->name();
      EXPECT_GT(rates.bytes_per_nanosecond, 0) << all[i]->name();
      EXPECT_GE(rates.call_nanoseconds, 0) << all[i]->name();
    }
  }
}

TEST_P(EngineKernels, AreNotGivenWhatIsOfAnotherEngine) {
  Random r(13);
  Drawn p;
  if (!any_problem(r, &p)) GTEST_SKIP() << "it has no kernel for these operators";
  const std::vector<TensorType> types = types_of(p.in);
  PrimitivePtr primitive;
  ASSERT_TRUE(Primitive::create(engine_, p.op, {nullptr, types, {}}, {}, nullptr, &primitive).ok());
  const EnginePtr foreign = TestEngine::create();
  MemoryPtr far_memory;
  StreamPtr far;
  ASSERT_TRUE(foreign->allocate(1 << 20, &far_memory).ok() && foreign->create_stream(1, &far).ok());
  const StreamPtr near = stream();
  const MemoryPtr memory = allocated(1 << 20);
  std::vector<PlacedTensor> in;
  int64_t at = 0;
  for (const TensorView& view : views_of(p.in)) {
    in.push_back({view, {memory.get(), at}});
    in.back().view.data = nullptr;
    at += (view.count() * dtype_size(view.dtype) + 4095) / 4096 * 4096;
  }
  TensorView result;
  result.dtype = primitive->out()[0].dtype;
  for (const Dim d : primitive->out()[0].dims) result.dims.push_back(d.number());
  result.strides = dense_strides(result.dims);
  const PlacedTensor out{result, {memory.get(), at}};
  int64_t scratch = 0;
  ASSERT_TRUE(primitive->scratch_bytes(views_of(p.in), {&result, 1}, {}, 1, &scratch).ok());
  const MemoryPtr scratch_memory = allocated(scratch);
  const auto submit = [&](Stream& s, const PlacedTensor& to) {
    return primitive->submit(s, in, {}, {&to, 1}, {scratch_memory.get(), 0}, scratch);
  };
  const auto refused = [&](const Status& s, const std::string& message) {
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_NE(s.message().find(message), std::string::npos) << s.message();
  };
  refused(submit(*far, out), "the stream is of engine testing; the primitive is of engine " + std::string(kind().name()));
  refused(submit(*near, {result, {far_memory.get(), 0}}), "output 0 lies in memory of engine testing");
  refused(submit(*near, {result, {memory.get(), (1 << 20) - 1}}), "of its memory, which has 1048576");
  EXPECT_TRUE(submit(*near, out).ok());
  EXPECT_TRUE(near->wait().ok());
}

TEST_P(EngineKernels, AreTimedByWhatTheCostModelExpectsOfThem) {
  Random r(15);
  Drawn p;
  if (!any_problem(r, &p)) GTEST_SKIP() << "it has no kernel for these operators";
  PrimitivePtr primitive;
  ASSERT_TRUE(Primitive::create(engine_, p.op, {nullptr, types_of(p.in), {}}, {}, nullptr, &primitive).ok());
  std::vector<TensorView> in = views_of(p.in);
  TensorView result;
  result.dtype = primitive->out()[0].dtype;
  for (const Dim d : primitive->out()[0].dims) result.dims.push_back(d.number());
  result.strides = dense_strides(result.dims);
  Args args;
  args.in = in;
  args.out = {&result, 1};
  primitive->fill_in(&args);
  std::vector<Choice> choices;
  ASSERT_TRUE(list_choices(*primitive, args, 0, &choices).ok());
  const auto taken = std::find_if(choices.begin(), choices.end(), [](const Choice& c) { return c.refusal.empty(); });
  ASSERT_NE(taken, choices.end());
  EXPECT_GT(taken->expected_nanoseconds, 0);
}

TEST_P(EngineKernels, AreKeptApartFromOtherEnginesInThePrimitiveCache) {
  if (!has(OpKind::unary)) GTEST_SKIP() << "it has no kernel for unary";
  PrimitiveCache cache(1 << 20);
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("unary function=relu", &op).ok());
  const TensorDescriptor in{DType::f32, {{71, {}}, {17, {}}}};
  const TensorDescriptor* described = &in;
  const auto make = [&](const EnginePtr& engine, Creation* how) {
    PrimitivePtr p;
    EXPECT_TRUE(cache.create(engine, op, {&described, 1}, {}, nullptr, &p, how).ok());
    return p;
  };
  Creation how;
  const PrimitivePtr there = make(other(), &how), mine = make(engine_, &how);
  EXPECT_EQ(how.hit, CacheHit::miss);
  EXPECT_NE(mine->core(), there->core());
  EXPECT_EQ(make(engine_, &how)->core(), mine->core());
  EXPECT_EQ(how.hit, CacheHit::hit);
}

// -- programs -------------------------------------------------------------------------------------------------------------------------

TEST_P(EngineKernels, AreCompiledOnceForAllDimsAndNotWhenTheyRun) {
  const auto* const compiler = engine_->compiling();
  if (compiler == nullptr || !has(OpKind::unary)) GTEST_SKIP() << "it compiles nothing";
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("unary function=abs", &op).ok());
  const auto made = [&](int64_t rows) {
    const TensorType in{DType::f32, {rows, 16}};
    PrimitivePtr p;
    EXPECT_TRUE(Primitive::create(engine_, op, {nullptr, {&in, 1}, {}}, {}, nullptr, &p).ok());
    return p;
  };
  const auto programs = [&] {
    const KernelCache::Statistics s = compiler->programs().statistics();
    return s.compiled + s.loaded;
  };
  const PrimitivePtr first = made(3);
  const int64_t after_one = programs();
  std::vector<PrimitivePtr> others;
  for (int64_t rows = 1; rows < 20; ++rows) others.push_back(made(rows));
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) threads.emplace_back([&, t] { EXPECT_NE(made(100 + t), nullptr); });
  }
  for (const PrimitivePtr& p : others) EXPECT_EQ(&p->kernel(), &first->kernel());
  Drawn p;
  p.op = op;
  ASSERT_TRUE(HostTensor::allocate(DType::f32, {5, 16}, &p.in.emplace_back()).ok());
  Random r(1);
  ::anydim::testing::fill(p.in[0].view, {}, r);
  std::vector<std::string> mine, theirs;
  ASSERT_TRUE(run_on(engine_, p, &mine).ok());
  ASSERT_TRUE(run_on(cpu_engine(), p, &theirs).ok());
  EXPECT_EQ(mine, theirs);
  EXPECT_EQ(programs(), after_one);
}

ANYDIM_FOR_EVERY_ENGINE(EngineKernels);

}  // namespace
}  // namespace anydim::conformance
