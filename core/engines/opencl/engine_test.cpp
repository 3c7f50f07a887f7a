// SPDX-License-Identifier: Apache-2.0
// The OpenCL engine on the first device of this machine, and what it makes of a driver that fails. engine_binaries_test.cpp and
// engine_processes_test.cpp have the rest of it.
#include "core/engines/cpu/engine.h"
#include "core/engines/opencl/testing/engine_fixture.h"

namespace anydim::opencl {
namespace {

TEST_F(OpenclEngineTest, CopiesThereBackAndWithinOverlapsToo) {
  MemoryPtr memory;
  ASSERT_TRUE(engine_->allocate(4096, &memory).ok());
  StreamPtr stream;
  ASSERT_TRUE(engine_->create_stream(1, &stream).ok());
  std::vector<int32_t> there(1024), back(1024);
  for (size_t i = 0; i < there.size(); ++i) there[i] = static_cast<int32_t>(i);
  HostMemory from(there.data(), 4096), to(back.data(), 4096);
  ASSERT_TRUE(stream->copy({memory.get()}, {&from}, 4096).ok());
  ASSERT_TRUE(stream->copy({memory.get(), 400}, {memory.get(), 0}, 2000).ok());
  ASSERT_TRUE(stream->copy({&to}, {memory.get()}, 4096).ok());
  ASSERT_TRUE(stream->wait().ok());
  std::memmove(there.data() + 100, there.data(), 2000);
  EXPECT_EQ(there, back);
  std::byte* mapped = nullptr;
  ASSERT_TRUE(memory->map(400, 8, &mapped).ok());
  EXPECT_EQ(std::memcmp(mapped, there.data() + 100, 8), 0);
  ASSERT_TRUE(memory->unmap(400, 8).ok());
  EXPECT_EQ(memory->unmap(400, 8).code(), Code::invalid_argument);
  EXPECT_EQ(stream->copy({memory.get(), 4000}, {&from}, 100).code(), Code::invalid_argument);
}

TEST_F(OpenclEngineTest, AsksNoCallToBlock) {
  // Those of Intel's runtime return before the command is done (docs/decisions/067-blocking-calls-do-not-block.md).
  const AddKernel kernel;
  const float values[3] = {1.f, 2.f, 3.f};
  TensorView constant;
  constant.dtype = DType::f32;
  constant.dims = {3};
  constant.strides = {1};
  constant.data = const_cast<float*>(values);
  WeightsValues made;
  ASSERT_TRUE(engine_->pack(kernel, any_problem(), {&constant, 1}, {}, &made).ok());
  ASSERT_EQ(made.kept.size(), 1u);
  std::byte* mapped = nullptr;
  ASSERT_TRUE(made.kept[0]->map(0, 12, &mapped).ok());
  EXPECT_EQ(std::memcmp(mapped, values, 12), 0);
  ASSERT_TRUE(made.kept[0]->unmap(0, 12).ok());
  EXPECT_EQ(faults_.blocking, 0);
}

TEST_F(OpenclEngineTest, IsOneForOneDevice) {
  std::shared_ptr<const OpenclEngine> again, other;
  OpenclEngine::Options options;
  options.api = &faults_.api;
  ASSERT_TRUE(OpenclEngine::create(options, &again).ok());
  EXPECT_EQ(again, engine_);
  options.device = 1000;
  EXPECT_EQ(OpenclEngine::create(options, &other).code(), Code::invalid_argument);
}

TEST_F(OpenclEngineTest, RunsAKernelAndRecordsTimes) {
  const AddKernel kernel;
  ExecutablePtr executable;
  ASSERT_TRUE(prepare(kernel, &executable).ok());
  MemoryPtr memory;
  StreamPtr stream;
  ASSERT_TRUE(engine_->allocate(400, &memory).ok());
  ASSERT_TRUE(engine_->create_stream(1, &stream).ok());
  std::vector<float> values(100, 41.f);
  HostMemory host(values.data(), 400);
  ASSERT_TRUE(stream->copy({memory.get()}, {&host}, 400).ok());
  EventPtr before, after;
  ASSERT_TRUE(stream->record(&before).ok());
  ASSERT_TRUE(launch(*stream, kernel, executable, *memory, 100).ok());
  ASSERT_TRUE(stream->record(&after).ok());
  ASSERT_TRUE(stream->copy({&host}, {memory.get()}, 400).ok());
  ASSERT_TRUE(stream->wait().ok());
  EXPECT_EQ(values, std::vector<float>(100, 42.f));
  int64_t begun = 0, done = 0;
  ASSERT_TRUE(before->wait().ok() && after->wait().ok());
  ASSERT_TRUE(before->time(&begun).ok() && after->time(&done).ok());
  EXPECT_LE(begun, done);
}

TEST_F(OpenclEngineTest, SetsNoArgumentsOfALaunchThatComesAgain) {
  const AddKernel kernel("// again\n");
  ExecutablePtr executable;
  ASSERT_TRUE(prepare(kernel, &executable).ok());
  StreamPtr stream;
  ASSERT_TRUE(engine_->create_stream(1, &stream).ok());
  const std::vector<float> zeros(10);
  MemoryPtr one, other;
  for (MemoryPtr* m : {&one, &other}) {
    ASSERT_TRUE(engine_->allocate(40, m).ok());
    HostMemory host(const_cast<float*>(zeros.data()), 40);
    ASSERT_TRUE(stream->copy({m->get()}, {&host}, 40).ok());
    ASSERT_TRUE(stream->wait().ok());
  }
  ASSERT_TRUE(launch(*stream, kernel, executable, *one, 10).ok());
  ASSERT_TRUE(launch(*stream, kernel, executable, *other, 10).ok());
  const int set = faults_.arguments;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(launch(*stream, kernel, executable, *one, 10).ok());
    ASSERT_TRUE(launch(*stream, kernel, executable, *other, 5).ok());
  }
  EXPECT_EQ(faults_.arguments, set);
  std::vector<float> values(20);
  HostMemory host(values.data(), 80);
  ASSERT_TRUE(stream->copy({&host, 0}, {one.get()}, 40).ok());
  ASSERT_TRUE(stream->copy({&host, 40}, {other.get()}, 40).ok());
  ASSERT_TRUE(stream->wait().ok());
  for (size_t i = 0; i < 20; ++i) EXPECT_EQ(values[i], i < 15 ? 4.f : 1.f) << i;
}

TEST_F(OpenclEngineTest, RefusesALaunchOfMoreGroupsThanOneProgramIsFor) {
  AddKernel kernel;
  kernel.groups = 70000;
  ExecutablePtr executable;
  ASSERT_TRUE(prepare(kernel, &executable).ok());
  MemoryPtr memory;
  StreamPtr stream;
  ASSERT_TRUE(engine_->allocate(280000, &memory).ok());
  ASSERT_TRUE(engine_->create_stream(1, &stream).ok());
  const Status s = launch(*stream, kernel, executable, *memory, 70000);
  EXPECT_EQ(s.code(), Code::internal);
  EXPECT_NE(s.message().find("65,535"), std::string::npos) << s.message();
}

TEST_F(OpenclEngineTest, TwoThreadsThatWantOneProgramCompileItOnce) {
  const AddKernel kernel("// two threads\n");
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      ExecutablePtr executable;
      good += prepare(kernel, &executable).ok();
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(good, 4);
  EXPECT_EQ(faults_.builds, 1);
}

TEST_F(OpenclEngineTest, ReportsTheCompilersMessage) {
  const AddKernel broken("this is no OpenCL C;\n");
  ExecutablePtr executable;
  const Status s = prepare(broken, &executable);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_NE(s.message().find("CL_BUILD_PROGRAM_FAILURE"), std::string::npos) << s.message();
  ASSERT_NE(engine_->refuses(broken, any_problem()), nullptr);
}

TEST_F(OpenclEngineTest, ReportsThatMemoryIsOut) {
  faults_.next_buffer = cl::kMemObjectAllocationFailure;
  MemoryPtr memory;
  Status s = engine_->allocate(64, &memory);
  EXPECT_EQ(s.code(), Code::out_of_memory);
  EXPECT_NE(s.message().find("CL_MEM_OBJECT_ALLOCATION_FAILURE"), std::string::npos) << s.message();
  s = engine_->allocate(engine_->largest_allocation() + 1, &memory);
  EXPECT_EQ(s.code(), Code::out_of_memory);
  // A compiler without memory is not the kernel's fault: nobody remembers it.
  const AddKernel kernel("// without memory\n");
  ExecutablePtr executable;
  faults_.next_build = cl::kOutOfHostMemory;
  EXPECT_EQ(prepare(kernel, &executable).code(), Code::out_of_memory);
  EXPECT_EQ(engine_->refuses(kernel, any_problem()), nullptr);
  EXPECT_TRUE(prepare(kernel, &executable).ok());
}

TEST_F(OpenclEngineTest, ReportsAsynchronousErrorsOnceAtTheWait) {
  const AddKernel kernel;
  ExecutablePtr executable;
  ASSERT_TRUE(prepare(kernel, &executable).ok());
  MemoryPtr memory;
  StreamPtr stream;
  ASSERT_TRUE(engine_->allocate(400, &memory).ok());
  ASSERT_TRUE(engine_->create_stream(1, &stream).ok());
  for (const Int code : {cl::kOutOfResources, cl::kDeviceNotAvailable}) {
    ASSERT_TRUE(launch(*stream, kernel, executable, *memory, 100).ok());
    faults_.next_event = code;
    const Status s = stream->wait();
    EXPECT_EQ(s.code(), code == cl::kDeviceNotAvailable ? Code::device_lost : Code::out_of_memory);
    EXPECT_NE(s.message().find(code_text(code)), std::string::npos) << s.message();
    EXPECT_TRUE(stream->wait().ok());
  }
}

// -- the probe ------------------------------------------------------------------------------------------------------------------------

Status create_with(const char* find, const char* put, bool flushed_denormals, std::shared_ptr<const OpenclEngine>* out) {
  // An api of its own, so that no engine is there for it already.
  static std::vector<std::unique_ptr<Api>> apis;
  apis.push_back(std::make_unique<Api>(Faults::of().api));
  Faults::of().find = find;
  Faults::of().put = put;
  OpenclEngine::Options options;
  options.api = apis.back().get();
  options.flushed_denormals = flushed_denormals;
  Status s = OpenclEngine::create(options, out);
  Faults::of().find = Faults::of().put = {};
  return s;
}

TEST_F(OpenclEngineTest, IsNotMadeForADeviceOfOtherArithmetic) {
  std::shared_ptr<const OpenclEngine> made;
  const struct {
    const char *find, *put, *says;
  } cases[] = {
      {"= fma(a, b, c);", "= a * b + c;", "fma(a, b, c)"},
      {"= a * b + c;", "= fma(a, b, c);", "contracts"},
      {"= a / b;", "= a * (1.0f / b);", "a / b"},
      {"= sqrt(a);", "= nextafter(sqrt(a), 0.0f);", "sqrt(a)"},
  };
  for (const auto& c : cases) {
    for (const bool flushed : {false, true}) {
      const Status s = create_with(c.find, c.put, flushed, &made);
      EXPECT_EQ(s.code(), Code::unimplemented) << c.put;
      EXPECT_NE(s.message().find(c.says), std::string::npos) << s.message();
      EXPECT_EQ(made, nullptr);
    }
  }
}

TEST_F(OpenclEngineTest, TakesADeviceThatFlushesDenormalsOnlyIfItIsAllowed) {
  std::shared_ptr<const OpenclEngine> made;
  const char* const find = "const float a = x[3 * i],";
  const char* const put = "const float a = fabs(x[3 * i]) < 0x1p-126f ? 0.0f : x[3 * i],";
  const Status s = create_with(find, put, false, &made);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_NE(s.message().find("flushed_denormals"), std::string::npos) << s.message();
  ASSERT_TRUE(create_with(find, put, true, &made).ok());
  EXPECT_TRUE(made->probed().flushes);
  EXPECT_FALSE(engine_->probed().flushes);
}

TEST_F(OpenclEngineTest, ImportsMemoryOfTheHostAndHoldsItsOwner) {
  if (!engine_->probed().imports) GTEST_SKIP() << "this device imports no memory";
  const auto align = static_cast<size_t>(engine_->base_alignment());
  auto buffer = std::shared_ptr<float>(static_cast<float*>(std::aligned_alloc(align, 4096)), std::free);
  std::fill(buffer.get(), buffer.get() + 1024, 1.f);
  MemoryPtr memory;
  EXPECT_EQ(engine_->import(buffer.get() + 1, 400, buffer, &memory).code(), Code::unimplemented);
  ASSERT_TRUE(engine_->import(buffer.get(), 4096, buffer, &memory).ok());
  std::weak_ptr<float> watched = buffer;
  float* const data = buffer.get();
  buffer.reset();
  EXPECT_FALSE(watched.expired());
  const AddKernel kernel;
  ExecutablePtr executable;
  ASSERT_TRUE(prepare(kernel, &executable).ok());
  StreamPtr stream;
  ASSERT_TRUE(engine_->create_stream(1, &stream).ok());
  ASSERT_TRUE(launch(*stream, kernel, executable, *memory, 1024).ok());
  ASSERT_TRUE(stream->wait().ok());
  EXPECT_EQ(data[0], 2.f);
  EXPECT_EQ(data[1023], 2.f);
  stream.reset();
  memory.reset();
  for (int i = 0; i < 2000 && !watched.expired(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace anydim::opencl
