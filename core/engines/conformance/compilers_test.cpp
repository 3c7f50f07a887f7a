// SPDX-License-Identifier: Apache-2.0
// Kernels that an engine has to compile, on the test engine with its pretended compiler: programs are made when primitives are, once
// for all dims and threads; executing compiles nothing and waits for no compiler; what the compiler refuses, another kernel does.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "core/dispatch/caches/persistent_binaries.h"
#include "core/dispatch/caches/primitive_cache.h"
#include "core/base/testing/emulated.h"
#include "core/dispatch/testing/packed_weights.h"
#include "core/dispatch/tuning/worker.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/testing/engine.h"
#include "core/ops/text.h"

namespace anydim {
namespace {

namespace fs = std::filesystem;
using testing::TestEngine;
using TestEnginePtr = std::shared_ptr<const TestEngine>;

OperatorPtr parsed(const char* text) {
  OperatorPtr op;
  EXPECT_TRUE(parse_operator(text, &op).ok());
  return op;
}

// Through the primitive cache, at given dims; what is made, or null.
PrimitivePtr make(const TestEnginePtr& engine, const char* op, int64_t rows, PrimitiveCache* cache, Status* status = nullptr,
                  const PrimitiveAttributes& attributes = {}) {
  const TensorDescriptor in{DType::f32, {{rows, {}}, {16, {}}}};
  const TensorDescriptor* described = &in;
  PrimitivePtr p;
  Creation how;
  Status s = cache->create(engine, parsed(op), {&described, 1}, attributes, nullptr, &p, &how);
  if (status == nullptr) EXPECT_TRUE(s.ok()) << s.message();
  else *status = std::move(s);
  return p;
}

// One execution over rows of -1: the result of the first element.
float run(const TestEnginePtr& engine, const Primitive& p, int64_t rows) {
  TensorView view;
  view.dtype = DType::f32;
  view.dims = {rows, 16};
  view.strides = dense_strides(view.dims);
  const int64_t bytes = view.count() * 4;
  MemoryPtr in, out;
  StreamPtr stream;
  EXPECT_TRUE(engine->allocate(bytes, &in).ok() && engine->allocate(bytes, &out).ok() && engine->create_stream(1, &stream).ok());
  std::vector<float> values(static_cast<size_t>(rows * 16), -1.f), results(values.size());
  HostMemory from(values.data(), bytes), to(results.data(), bytes);
  const PlacedTensor x{view, {in.get(), 0}}, y{view, {out.get(), 0}};
  EXPECT_TRUE(stream->copy(x.place, {&from, 0}, bytes).ok());
  const Status s = p.submit(*stream, {&x, 1}, {}, {&y, 1}, {}, 0);
  EXPECT_TRUE(s.ok()) << s.message();
  EXPECT_TRUE(stream->copy({&to, 0}, y.place, bytes).ok());
  const Status done = stream->wait();
  EXPECT_TRUE(done.ok()) << done.message();
  return results.back();
}

TEST(Prepared, OneCompilationServesAllDimsAndExecutingCompilesNothing) {
  const TestEnginePtr engine = TestEngine::create();
  PrimitiveCache cache(1 << 20);
  for (int64_t rows = 1; rows < 40; ++rows) EXPECT_EQ(run(engine, *make(engine, "unary function=abs", rows, &cache), rows), 1.f);
  EXPECT_EQ(engine->compilations(), 1);
  // Another operator or chain of post-ops is another program; other parameters of the same chain are not.
  PrimitiveAttributes relu;
  relu.post_ops.append({PostOp::Kind::unary, UnaryFunction::leaky_relu, {}, 0.5f, 0});
  const TensorType in{DType::f32, {4, 16}}, weights{DType::f32, {16, 8}};
  PrimitivePtr p;
  const TensorType both[] = {in, weights};
  for (const float alpha : {0.5f, 0.25f, 0.125f}) {
    relu.post_ops.steps[0].alpha = alpha;
    ASSERT_TRUE(Primitive::create(engine, parsed("matmul"), {nullptr, both, {}}, relu, nullptr, &p).ok());
  }
  EXPECT_EQ(engine->compilations(), 2);
  relu.post_ops.steps[0].unary = UnaryFunction::relu;
  ASSERT_TRUE(Primitive::create(engine, parsed("matmul"), {nullptr, both, {}}, relu, nullptr, &p).ok());
  EXPECT_EQ(engine->compilations(), 3);
}

TEST(Prepared, DynamicAndFixedDimsHaveOneProgram) {
  const TestEnginePtr engine = TestEngine::create();
  PrimitiveCache cache(1 << 20);
  const PrimitivePtr fixed = make(engine, "softmax axis=1", 7, &cache), dynamic = make(engine, "softmax axis=1", -1, &cache);
  EXPECT_EQ(&fixed->kernel(), &dynamic->kernel());
  EXPECT_EQ(engine->compilations(), 1);
}

TEST(Prepared, ThreadsThatMakeTheSameProgramCompileItOnce) {
  const TestEnginePtr engine = TestEngine::create();
  PrimitiveCache cache(1 << 20);
  engine->block_compiler(true);
  {
    std::vector<std::jthread> threads;
    // Primitives of other dims are other entries of the primitive cache, made at the same time.
    for (int64_t t = 0; t < 8; ++t)
      threads.emplace_back([&, t] { EXPECT_EQ(run(engine, *make(engine, "unary function=abs", 1 + t, &cache), 1 + t), 1.f); });
    while (engine->compilations() == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // whoever compiles too does it now
    engine->block_compiler(false);
  }
  EXPECT_EQ(engine->compilations(), 1);
}

TEST(Prepared, ABlockingCompilerDelaysNoCallThatIsReady) {
  const TestEnginePtr engine = TestEngine::create();
  PrimitiveCache cache(1 << 20);
  const PrimitivePtr ready = make(engine, "unary function=abs", -1, &cache);
  engine->block_compiler(true);
  std::jthread blocked([&] { make(engine, "softmax axis=1", 3, &cache); });
  while (engine->compilations() < 2) std::this_thread::yield();
  for (int64_t rows = 1; rows < 30; ++rows) EXPECT_EQ(run(engine, *ready, rows), 1.f);
  // Nor who makes a primitive whose program is there, at dims that were never seen.
  EXPECT_EQ(run(engine, *make(engine, "unary function=abs", 99, &cache), 99), 1.f);
  EXPECT_EQ(engine->compilations(), 2);
  engine->block_compiler(false);
}

TEST(Prepared, WhatTheCompilerRefusesTheNextKernelDoesAndExplainSaysSo) {
  TestEngine::Options options;
  options.twice = {OpKind::unary};
  const TestEnginePtr engine = TestEngine::create(options);
  PrimitiveCache cache(1 << 20);
  EXPECT_EQ(make(engine, "unary function=relu", 3, &cache)->kernel().name(), std::string("testing.first.unary.reference"));
  engine->refuse_programs_of("testing.first.");
  // Of the refused kernel, programs that were compiled before stay.
  cache.clear();
  EXPECT_EQ(make(engine, "unary function=relu", 4, &cache)->kernel().name(), std::string("testing.first.unary.reference"));
  PrimitiveAttributes forced;
  forced.reuse = ReusePolicy::reusable;
  const TensorType i32{DType::i32, {2, 16}};
  PrimitivePtr p;
  const Status made = Primitive::create(engine, parsed("unary function=abs"), {nullptr, {&i32, 1}, {}}, {}, nullptr, &p);
  ASSERT_TRUE(made.ok()) << made.message();
  EXPECT_EQ(p->kernel().name(), std::string("testing.unary.reference"));
  const std::vector<Candidate> candidates = p->candidates();
  ASSERT_EQ(candidates.size(), 2u);
  ASSERT_NE(candidates[0].because, nullptr);
  EXPECT_EQ(std::string(candidates[0].because), "its program was not compiled: line 1: a test refuses programs of testing.first.");
  EXPECT_EQ(candidates[1].because, nullptr);
  // It was tried once, and is not tried again.
  const int64_t compilations = engine->compilations();
  ASSERT_TRUE(Primitive::create(engine, parsed("unary function=abs"), {nullptr, {&i32, 1}, {}}, {}, nullptr, &p).ok());
  EXPECT_EQ(engine->compilations(), compilations);
  forced.kernel = "testing.first.unary.reference";
  const Status refused = Primitive::create(engine, parsed("unary function=abs"), {nullptr, {&i32, 1}, {}}, forced, nullptr, &p);
  EXPECT_EQ(refused.code(), Code::unimplemented);
  EXPECT_NE(refused.message().find("its program was not compiled"), std::string::npos) << refused.message();
}

TEST(Prepared, ACompilerThatRefusesEveryKernelIsAStatusWithItsMessage) {
  const TestEnginePtr engine = TestEngine::create();
  PrimitiveCache cache(1 << 20);
  engine->refuse_programs_of("testing.");
  for (int i = 0; i < 2; ++i) {
    Status s;
    EXPECT_EQ(make(engine, "unary function=relu", 3, &cache, &s), nullptr);
    EXPECT_EQ(s.code(), Code::unimplemented);
    EXPECT_NE(s.message().find("line 1: a test refuses programs of testing."), std::string::npos) << s.message();
  }
}

TEST(Prepared, ALaterProcessLoadsBinaries) {
  std::string folder = (fs::temp_directory_path() / "anydim-prepared-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const struct Removed {  // behind the worker, which writes there
    std::string folder;
    ~Removed() { fs::remove_all(folder); }
  } removed{folder};
  PersistentCacheOptions files_options;
  files_options.folder = folder;
  PersistentCache files(files_options);
  PersistentBinaries binaries(&files);
  // The worker may be storing what the last engine compiled: it ends before the files do.
  struct Drained {
    ~Drained() { EXPECT_TRUE(Worker::instance().drain(testing::surely())); }
  } const drained;
  TestEngine::Options options;
  options.store = &binaries;
  options.device = "the one device";
  {
    PrimitiveCache cache(1 << 20);
    const TestEnginePtr first = TestEngine::create(options);
    EXPECT_EQ(run(first, *make(first, "unary function=abs", 3, &cache), 3), 1.f);
    EXPECT_EQ(first->compilations(), 1);
    ASSERT_TRUE(Worker::instance().drain(testing::surely()));
  }
  PrimitiveCache cache(1 << 20);
  const TestEnginePtr second = TestEngine::create(options);
  EXPECT_EQ(run(second, *make(second, "unary function=abs", 5, &cache), 5), 1.f);
  EXPECT_EQ(second->compilations(), 0);
  EXPECT_EQ(second->loaded_binaries(), 1);
  options.device = "another";
  const TestEnginePtr other = TestEngine::create(options);
  EXPECT_EQ(run(other, *make(other, "unary function=abs", 5, &cache), 5), 1.f);
  EXPECT_EQ(other->compilations(), 1) << "its binaries are of another device";
}

TEST(CompileKeys, AreEqualOnlyIfEverythingIsAndSoAreTheirTexts) {
  CompileKey key;
  key.name = "a.kernel";
  key.kernel.op = OpKind::matmul;
  key.add_form(2);
  key.add_dtype(DType::f32);
  PostOps chain;
  chain.append({PostOp::Kind::unary, UnaryFunction::relu, {}, 0, 0});
  key.add_post_ops(chain);
  const std::function<void(CompileKey&)> changes[] = {
      [](CompileKey& k) { k.name = "another"; },
      [](CompileKey& k) { k.kernel.op = OpKind::convolution; },
      [](CompileKey& k) { k.kernel.src = DType::f16; },
      [](CompileKey& k) { k.kernel.dst = DType::f16; },
      [](CompileKey& k) { k.kernel.layout = LayoutFamily::channels_last; },
      [](CompileKey& k) { k.kernel.isa = Isa::avx2; },
      [](CompileKey& k) { k.kernel.mode = MathMode::fast; },
      [](CompileKey& k) { k.kernel.quantized = true; },
      [](CompileKey& k) { k.device = DeviceKind::gpu; },
      [](CompileKey& k) { k.variant = 1; },
      [](CompileKey& k) { k.form[0] = 3; },
      [](CompileKey& k) { k.add_form(0); },
      [](CompileKey& k) { k.dtypes[0] = DType::f64; },
      [](CompileKey& k) { k.add_dtype(DType::none); },
      [](CompileKey& k) { k.post_ops[0].unary = UnaryFunction::abs; },
      [](CompileKey& k) { k.post_ops[0].kind = PostOp::Kind::binary; },
      [](CompileKey& k) { k.post_count = 0; },
  };
  EXPECT_EQ(key.text(),
            "program;kernel=a.kernel;key=matmul f32>f32 any portable strict;device=any;variant=0;form=2;dtypes=f32;post_ops=relu");
  for (const auto& change : changes) {
    CompileKey other = key;
    EXPECT_TRUE(other == key);
    change(other);
    EXPECT_FALSE(other == key) << other.text();
    EXPECT_NE(other.text(), key.text());
  }
}

}  // namespace
}  // namespace anydim
