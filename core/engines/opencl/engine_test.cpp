// SPDX-License-Identifier: Apache-2.0
// The OpenCL engine on the first device of this machine, and what it makes of a driver that fails: functions of the interface are replaced
// one by one. Without a device these tests are skipped and say so.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <thread>

#include "core/engines/cpu/engine.h"
#include "core/engines/opencl/binary.h"
#include "core/engines/opencl/engine.h"

namespace anydim::opencl {
namespace {

// A kernel of one function that adds a number to all elements; `text` makes one program differ from another.
class AddKernel final : public DeviceKernel {
 public:
  explicit AddKernel(std::string text = {}) : text_(std::move(text)) {}
  const char* name() const noexcept override { return "test.add"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem&) const noexcept override { return yes(); }
  void plan(const Args&, Plan*) const noexcept override {}
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  int programs(const Problem& problem, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_for(problem, DeviceKind::any);
    const size_t digest = std::hash<std::string>()(text_);
    for (int i = 0; i < 8; ++i) out[0].add_form(static_cast<uint8_t>(digest >> (8 * i)));
    return 1;
  }
  DeviceSource source(const CompileKey&) const override {
    return {text_ + R"CL(
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void add(int live, __global float* y, long y_offset, float what) {
  if (!live) return;
  y[y_offset + get_global_id(0)] += what;
}
)CL",
            "",
            {"add"}};
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (index > 0) return false;
    out->add_tensor(DeviceArgument::Of::out, 0);
    out->add_f32(1.f);
    out->global[0] = groups > 0 ? groups : args.out[0].dims[0];
    return true;
  }
  int64_t groups = 0;

 private:
  const std::string text_;
  KernelKey key_{.op = OpKind::unary};
};

const Problem& any_problem() {
  static const PostOps none;
  static const Problem problem = [] {
    Problem p;
    p.post_ops = &none;
    return p;
  }();
  return problem;
}

Status launch(Stream& stream, const AddKernel& kernel, const ExecutablePtr& executable, Memory& memory, int64_t count) {
  TensorView y;
  y.dtype = DType::f32;
  y.dims = {count};
  y.strides = {1};
  Args args;
  args.post_ops = any_problem().post_ops;
  args.out = {&y, 1};
  const BufferRef place{&memory, 0};
  const Plan plan{};
  return stream.submit({kernel, plan, args, {}, {&place, 1}, {}, nullptr, {}, executable.get(), executable});
}

// A loader with its functions counted and replaced. One for all tests: an engine keeps the address.
struct Faults {
  const Api* real = nullptr;
  Api api{};
  std::atomic<int> builds{0}, binaries{0}, blocking{0};
  std::atomic<Int> next_buffer{cl::kSuccess}, next_build{cl::kSuccess}, next_event{cl::kSuccess};
  std::string find, put;  // in sources

  static Faults& of() {
    static auto* const one = new Faults();
    return *one;
  }
};

Status faulty(const Api** out) {
  Faults& f = Faults::of();
  ANYDIM_TRY(load_api(&f.real));
  f.api = *f.real;
  f.builds = f.binaries = f.blocking = 0;
  f.next_buffer = f.next_build = f.next_event = cl::kSuccess;
  f.find = f.put = {};
  f.api.enqueue_write_buffer = [](QueueId queue, MemId to, Uint blocks, size_t at, size_t bytes, const void* from, Uint count,
                                  const EventId* before, EventId* event) -> Int {
    Faults::of().blocking += blocks == cl::kTrue;
    return Faults::of().real->enqueue_write_buffer(queue, to, blocks, at, bytes, from, count, before, event);
  };
  f.api.enqueue_map_buffer = [](QueueId queue, MemId memory, Uint blocks, Bits flags, size_t at, size_t bytes, Uint count,
                                const EventId* before, EventId* event, Int* code) -> void* {
    Faults::of().blocking += blocks == cl::kTrue;
    return Faults::of().real->enqueue_map_buffer(queue, memory, blocks, flags, at, bytes, count, before, event, code);
  };
  f.api.create_buffer = [](ContextId context, Bits flags, size_t bytes, void* data, Int* code) -> MemId {
    if (const Int wrong = Faults::of().next_buffer.exchange(cl::kSuccess); wrong != cl::kSuccess) return *code = wrong, nullptr;
    return Faults::of().real->create_buffer(context, flags, bytes, data, code);
  };
  f.api.build_program = [](ProgramId program, Uint count, const DeviceId* devices, const char* options, void (*notify)(ProgramId, void*),
                           void* user) -> Int {
    ++Faults::of().builds;
    if (const Int wrong = Faults::of().next_build.exchange(cl::kSuccess); wrong != cl::kSuccess) return wrong;
    return Faults::of().real->build_program(program, count, devices, options, notify, user);
  };
  f.api.create_program_with_binary = [](ContextId context, Uint count, const DeviceId* devices, const size_t* sizes,
                                        const unsigned char** bytes, Int* status, Int* code) -> ProgramId {
    ++Faults::of().binaries;
    return Faults::of().real->create_program_with_binary(context, count, devices, sizes, bytes, status, code);
  };
  f.api.get_event_info = [](EventId event, Uint what, size_t bytes, void* to, size_t* needed) -> Int {
    const Int code = Faults::of().real->get_event_info(event, what, bytes, to, needed);
    if (const Int wrong = Faults::of().next_event.exchange(cl::kSuccess); wrong != cl::kSuccess) std::memcpy(to, &wrong, sizeof wrong);
    return code;
  };
  f.api.create_program_with_source = [](ContextId context, Uint count, const char** texts, const size_t* lengths, Int* code) -> ProgramId {
    std::string text(texts[0], lengths[0]);
    const Faults& faults = Faults::of();
    if (!faults.find.empty())
      if (const size_t at = text.find(faults.find); at != std::string::npos) text.replace(at, faults.find.size(), faults.put);
    const char* data = text.c_str();
    const size_t length = text.size();
    return faults.real->create_program_with_source(context, count, &data, &length, code);
  };
  *out = &f.api;
  return {};
}

class OpenclEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const Api* api = nullptr;
    OpenclEngine::Options options;
    Status s = faulty(&api);
    options.api = api;
    if (s.ok()) s = OpenclEngine::create(options, &engine_);
    if (s.code() == Code::not_found) GTEST_SKIP() << "no OpenCL platform: " << s.message();
    ASSERT_TRUE(s.ok()) << s.message();
    Faults::of().builds = 0;
  }
  Status prepare(const AddKernel& kernel, ExecutablePtr* out) const { return engine_->prepare(kernel, any_problem(), out); }

  Faults& faults_ = Faults::of();
  std::shared_ptr<const OpenclEngine> engine_;
};

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

TEST_F(OpenclEngineTest, TellsWhatTheCompilerSays) {
  const AddKernel broken("this is no OpenCL C;\n");
  ExecutablePtr executable;
  const Status s = prepare(broken, &executable);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_NE(s.message().find("CL_BUILD_PROGRAM_FAILURE"), std::string::npos) << s.message();
  ASSERT_NE(engine_->refuses(broken, any_problem()), nullptr);
}

TEST_F(OpenclEngineTest, TellsThatMemoryIsOut) {
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

TEST_F(OpenclEngineTest, TellsLateErrorsOnceAtTheWait) {
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

// -- binaries -------------------------------------------------------------------------------------------------------------------------

// Binaries in memory, as the persistent cache keeps them in its file.
class Store final : public BinaryStore {
 public:
  Status read(std::string_view, std::string* binary) override {
    if (binary_.empty()) return error(Code::not_found, "none");
    *binary = binary_;
    return {};
  }
  Status store(std::span<const Pair> pairs) override {
    for (const Pair& p : pairs) binary_ = p.binary;
    return {};
  }
  void store_later(const std::shared_ptr<KernelCache>& cache) noexcept override { EXPECT_TRUE(cache->store_binaries().ok()); }
  std::string binary_;
};

TEST_F(OpenclEngineTest, LoadsABinaryInPlaceOfCompilingAndRefusesDamagedOnesBeforeTheDriverSeesThem) {
  Store store;
  OpenclEngine::Options options;
  options.api = &faults_.api;
  options.store = &store;
  const AddKernel kernel("// binaries\n"), other("// another\n");
  std::string good;
  {
    std::shared_ptr<const OpenclEngine> first;
    ASSERT_TRUE(OpenclEngine::create(options, &first).ok());
    ExecutablePtr executable;
    ASSERT_TRUE(first->prepare(kernel, any_problem(), &executable).ok());
    good = store.binary_;
  }
  ASSERT_GT(good.size(), 100u);
  store.binary_.clear();
  std::shared_ptr<const OpenclEngine> engine;
  ASSERT_TRUE(OpenclEngine::create(options, &engine).ok());
  // Another source's binary is refused, and the program compiled.
  ExecutablePtr executable;
  store.binary_ = good;
  faults_.binaries = 0;
  const int64_t refused = engine->programs().statistics().refused;
  ASSERT_TRUE(engine->prepare(other, any_problem(), &executable).ok());
  EXPECT_EQ(faults_.binaries, 0);
  EXPECT_EQ(engine->programs().statistics().refused, refused + 1);
  // 200 damaged ones: bits flipped and ends cut.
  uint64_t state = 7;
  const auto draw = [&](size_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<size_t>(state >> 33) % below;
  };
  for (int i = 0; i < 200; ++i) {
    store.binary_ = good;
    if (i % 4 == 3) store.binary_.resize(draw(good.size()));
    // The first ones hit the header, byte by byte.
    else store.binary_[i < 80 ? static_cast<size_t>(i) : draw(good.size())] ^= static_cast<char>(1u << draw(8));
    if (store.binary_.empty()) store.binary_ = "x";
    engine->programs().clear();
    faults_.binaries = 0;
    const int64_t before = engine->programs().statistics().refused;
    // The compiler fails, so that no time is lost: what matters is that it was asked.
    faults_.next_build = cl::kOutOfHostMemory;
    EXPECT_EQ(engine->prepare(kernel, any_problem(), &executable).code(), Code::out_of_memory) << i;
    EXPECT_EQ(faults_.binaries, 0) << i;
    EXPECT_EQ(engine->programs().statistics().refused, before + 1) << i;
  }
  store.binary_ = good;
  engine->programs().clear();
  const int64_t loaded = engine->programs().statistics().loaded;
  ASSERT_TRUE(engine->prepare(kernel, any_problem(), &executable).ok());
  EXPECT_EQ(faults_.binaries, 1);
  EXPECT_EQ(engine->programs().statistics().loaded, loaded + 1);
  MemoryPtr memory;
  StreamPtr stream;
  ASSERT_TRUE(engine->allocate(400, &memory).ok());
  ASSERT_TRUE(engine->create_stream(1, &stream).ok());
  std::vector<float> values(100, 1.f);
  HostMemory host(values.data(), 400);
  ASSERT_TRUE(stream->copy({memory.get()}, {&host}, 400).ok());
  ASSERT_TRUE(launch(*stream, kernel, executable, *memory, 100).ok());
  ASSERT_TRUE(stream->copy({&host}, {memory.get()}, 400).ok());
  ASSERT_TRUE(stream->wait().ok());
  EXPECT_EQ(values, std::vector<float>(100, 2.f));
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

// -- processes ------------------------------------------------------------------------------------------------------------------------

TEST_F(OpenclEngineTest, GivesAStatusAfterAFork) {
  MemoryPtr memory;
  StreamPtr stream;
  ASSERT_TRUE(engine_->allocate(400, &memory).ok());
  ASSERT_TRUE(engine_->create_stream(1, &stream).ok());
  const AddKernel kernel("// of a child\n");
  const pid_t child = fork();
  if (child == 0) {
    ExecutablePtr executable;
    MemoryPtr other;
    StreamPtr another;
    std::byte* mapped = nullptr;
    bool right = prepare(kernel, &executable).code() == Code::forked && engine_->allocate(4, &other).code() == Code::forked &&
                 engine_->create_stream(1, &another).code() == Code::forked && stream->wait().code() == Code::forked &&
                 memory->map(0, 4, &mapped).code() == Code::forked;
    std::shared_ptr<const OpenclEngine> made;
    right = right && OpenclEngine::create({}, &made).code() == Code::forked;
    stream.reset();
    memory.reset();
    engine_.reset();
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ExecutablePtr executable;
  EXPECT_TRUE(prepare(kernel, &executable).ok());
}

// Run by the test behind it in a process of its own.
TEST_F(OpenclEngineTest, DISABLED_EndsInTheMiddleOfACompilation) {
  std::atomic<bool> begun{false};
  std::thread([&] {
    for (int i = 0;; ++i) {
      const AddKernel kernel(formatted("// program {}\n", i));
      ExecutablePtr executable;
      begun = true;
      if (prepare(kernel, &executable).code() == Code::closed) return;
      engine_->programs().clear();
    }
  }).detach();
  while (!begun) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::exit(0);
}

TEST_F(OpenclEngineTest, LetsAProcessEndCleanlyWhileItCompiles) {
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      ::execl("/proc/self/exe", "test", "--gtest_filter=*DISABLED_EndsInTheMiddleOfACompilation", "--gtest_also_run_disabled_tests",
              static_cast<char*>(nullptr));
      _exit(99);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

}  // namespace
}  // namespace anydim::opencl
