// SPDX-License-Identifier: Apache-2.0
// What a host program gives an engine: its own loop, really used and harmless however it fails; its own memory, from which all that
// is large comes and to which all of it goes back; and what is called when log lines go elsewhere. The executable's own aligned_alloc,
// mmap and operator new see what the library takes from the system.
#include <dirent.h>
#include <dlfcn.h>
#include <sys/mman.h>

#include <atomic>
#include <map>
#include <mutex>
#include <new>
#include <random>
#include <set>
#include <thread>

#include "tests/capi/support.h"

namespace {

constexpr size_t kLarge = 256 << 10;
std::atomic<bool> watching{false};
std::atomic<int64_t> large_from_system{0};
void note(size_t bytes) {
  if (bytes >= kLarge && watching.load(std::memory_order_relaxed)) large_from_system.fetch_add(1);
}

}  // namespace

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#if !defined(__THROW)  // how glibc declares them
#define __THROW
#endif
// Of the whole executable, and so of the library, which finds them first.
extern "C" void* aligned_alloc(size_t alignment, size_t bytes) __THROW {
  note(bytes);
  void* p = nullptr;
  return posix_memalign(&p, alignment < sizeof(void*) ? sizeof(void*) : alignment, bytes) == 0 ? p : nullptr;
}
extern "C" void* mmap(void* at, size_t bytes, int protection, int flags, int file, off_t offset) __THROW {
  static const auto next = reinterpret_cast<void* (*)(void*, size_t, int, int, int, off_t)>(dlsym(RTLD_NEXT, "mmap"));
  if ((flags & MAP_ANONYMOUS) != 0) note(bytes);
  return next(at, bytes, protection, flags, file, offset);
}
[[gnu::noinline]] void* operator new(size_t bytes) {
  note(bytes);
  if (void* p = std::malloc(bytes)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }
#endif

namespace {

// A loop of a host program, well behaved or not.
struct Loop {
  enum class Kind { threads, backwards, first_only, nothing, twice, foreign_indices, failing, throwing };
  Kind kind = Kind::threads;
  std::atomic<int64_t> calls{0}, parts{0}, finalized{0};

  static int32_t run(void* user, int64_t parts, anydim_part_callback_t part, void* context) {
    auto& loop = *static_cast<Loop*>(user);
    ++loop.calls;
    const auto one = [&](int64_t i) {
      ++loop.parts;
      part(context, i);
    };
    switch (loop.kind) {
      case Kind::threads: {
        std::vector<std::thread> threads;
        for (int64_t i = 0; i < parts; ++i) threads.emplace_back(one, i);
        for (std::thread& t : threads) t.join();
        return 0;
      }
      case Kind::backwards:
        for (int64_t i = parts - 1; i >= 0; --i) one(i);
        return 0;
      case Kind::first_only: one(0); return 0;
      case Kind::nothing: return 0;
      case Kind::twice: {
        std::thread other([&] {
          for (int64_t i = 0; i < parts; ++i) one(i);
        });
        for (int64_t i = 0; i < parts; ++i) one(i);
        other.join();
        return 0;
      }
      case Kind::foreign_indices:
        for (const int64_t i : {int64_t{-1}, parts, INT64_MAX, int64_t{1}}) one(i);
        return 0;
      case Kind::failing: one(parts - 1); return 7;
      case Kind::throwing: one(0); throw std::runtime_error("the host's loop");
    }
    return 0;
  }
  static void finalize(void* user) { ++static_cast<Loop*>(user)->finalized; }
};

// Memory of a host program. What it gives is filled with rubbish.
struct HostMemory {
  std::mutex mutex;
  std::map<void*, int64_t> given;
  int64_t bytes = 0, most = 0, calls = 0, wrong = 0;
  int64_t limit = INT64_MAX;
  int64_t finalized = 0;

  static void* allocate(void* user, int64_t bytes, int64_t alignment) {
    auto& memory = *static_cast<HostMemory*>(user);
    const std::lock_guard lock(memory.mutex);
    ++memory.calls;
    if (bytes < 1 || alignment < 1 || (alignment & (alignment - 1)) != 0) ++memory.wrong;
    if (memory.bytes + bytes > memory.limit) return nullptr;
    void* p = nullptr;
    if (posix_memalign(&p, static_cast<size_t>(alignment), static_cast<size_t>(bytes)) != 0) return nullptr;
    std::memset(p, 0xAB, static_cast<size_t>(bytes));
    memory.given[p] = bytes;
    memory.bytes += bytes;
    memory.most = std::max(memory.most, memory.bytes);
    return p;
  }
  static void release(void* user, void* p, int64_t bytes) {
    auto& memory = *static_cast<HostMemory*>(user);
    const std::lock_guard lock(memory.mutex);
    const auto found = memory.given.find(p);
    if (found == memory.given.end() || found->second != bytes) {
      ++memory.wrong;
      return;
    }
    memory.bytes -= bytes;
    memory.given.erase(found);
    std::free(p);
  }
  static void finalize(void* user) { ++static_cast<HostMemory*>(user)->finalized; }
  bool has(const void* at) {
    const std::lock_guard lock(mutex);
    auto after = given.upper_bound(const_cast<void*>(at));
    if (after == given.begin()) return false;
    --after;
    return static_cast<const char*>(at) < static_cast<const char*>(after->first) + after->second;
  }
};

int threads_of_this_process() {
  DIR* folder = opendir("/proc/self/task");
  int count = -2;  // . and ..
  while (readdir(folder) != nullptr) ++count;
  closedir(folder);
  return count;
}

class HostProgram : public testing::Test {
 public:
  anydim_engine_t engine_with(Loop* loop, HostMemory* memory, int32_t threads = 7) {
    anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
    options.threads = threads;
    if (loop != nullptr) {
      options.parallel_for = Loop::run;
      options.parallel_user = loop;
      options.parallel_finalizer = Loop::finalize;
    }
    if (memory != nullptr) {
      options.allocate = HostMemory::allocate;
      options.release = HostMemory::release;
      options.memory_user = memory;
      options.memory_finalizer = HostMemory::finalize;
    }
    anydim_engine_t engine = nullptr;
    EXPECT_OK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &options, &engine));
    return engine;
  }
  std::vector<float> pixels = numbers(4 * 3 * 48 * 192);
  static std::vector<float> numbers(size_t count) {
    std::mt19937 random(7);
    std::vector<float> v(count);
    for (float& x : v) x = static_cast<float>(static_cast<int32_t>(random() % 2001) - 1000) / 500.f;
    return v;
  }
  anydim_view_t image(int64_t n) { return view_of(ANYDIM_F32, {n, 3, 48, 192}, pixels.data()); }

  // A convolution that is worth threads, with weights packed by the engine.
  std::vector<float> convolve(anydim_engine_t engine, Loop* loop) {
    anydim_convolution_t conv = ANYDIM_CONVOLUTION_INIT;
    conv.pads_begin[0] = conv.pads_begin[1] = conv.pads_end[0] = conv.pads_end[1] = 1;
    const std::vector<float> kernel = numbers(64 * 64 * 9), in = numbers(2 * 64 * 40 * 40);
    const anydim_view_t w = view_of(ANYDIM_F32, {64, 64, 3, 3}, const_cast<float*>(kernel.data()));
    const anydim_view_t x = view_of(ANYDIM_F32, {2, 64, 40, 40}, const_cast<float*>(in.data()));
    anydim_weights_t weights = nullptr;
    anydim_primitive_t primitive = nullptr;
    anydim_stream_t stream = nullptr;
    anydim_desc_t src = nullptr;
    const anydim_dim_t dims[4] = {anydim_dim_dynamic(1, 8), anydim_dim_fixed(64), anydim_dim_dynamic(1, 64), anydim_dim_dynamic(1, 64)};
    EXPECT_OK(anydim_desc_create(ANYDIM_F32, 4, dims, ANYDIM_LAYOUT_STRIDED, &src));
    EXPECT_OK(anydim_stream_create(engine, nullptr, &stream));
    EXPECT_OK(anydim_weights_create(engine, &conv.op, nullptr, nullptr, 0, &w, nullptr, 1, &weights));
    EXPECT_OK(anydim_primitive_create(engine, &conv.op, nullptr, &src, 1, weights, &primitive));
    if (loop != nullptr) loop->calls = 0;
    anydim_view_t y{};
    y.dtype = ANYDIM_F32;
    EXPECT_OK(anydim_primitive_execute(primitive, stream, &x, 1, &y, 1));
    if (loop != nullptr) {
      EXPECT_GT(loop->calls.load(), 0) << "the stream does not use the host's loop";
    }
    std::vector<float> out;
    if (y.data != nullptr) out.assign(static_cast<float*>(y.data), static_cast<float*>(y.data) + 2 * 64 * 40 * 40);
    anydim_result_release(y.data);
    anydim_primitive_destroy(primitive);
    anydim_weights_destroy(weights);
    anydim_stream_destroy(stream);
    anydim_desc_destroy(src);
    return out;
  }
  std::vector<float> scores(const anydim_view_t& y) {
    const auto* data = static_cast<const float*>(y.data);
    return data == nullptr ? std::vector<float>() : std::vector<float>(data, data + y.dims.values[0] * y.dims.values[1]);
  }
};

TEST_F(HostProgram, EveryStreamContextAndSessionRunsInTheHostsLoop) {
  anydim_engine_t plain = engine_with(nullptr, nullptr, 1);
  const std::vector<float> expected = convolve(plain, nullptr);
  Loop loop;
  const int before = threads_of_this_process();
  anydim_engine_t engine = engine_with(&loop, nullptr);
  EXPECT_EQ(convolve(engine, &loop), expected);

  anydim_model_t model = nullptr;
  loop.calls = 0;
  ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &model)) << "make models";
  EXPECT_GT(loop.calls.load(), 0) << "weights are packed without the host's loop";
  anydim_context_t context = nullptr;
  ASSERT_OK(anydim_context_create(model, nullptr, nullptr, &context));
  loop.calls = 0;
  anydim_view_t x = image(2), y{};
  y.dtype = ANYDIM_F32;
  ASSERT_OK(anydim_context_run(context, &x, 1, &y, 1, nullptr));
  EXPECT_GT(loop.calls.load(), 0) << "the context does not use the host's loop";
  const std::vector<float> by_context = scores(y);
  anydim_session_t session = nullptr;
  ASSERT_OK(anydim_session_create(model, nullptr, nullptr, 2, &session));
  loop.calls = 0;
  y = {};
  y.dtype = ANYDIM_F32;
  ASSERT_OK(anydim_session_run(session, &x, 1, &y, 1, nullptr));
  EXPECT_GT(loop.calls.load(), 0) << "the session does not use the host's loop";
  EXPECT_EQ(scores(y), by_context);
  anydim_result_release(y.data);
  anydim_text_t text = nullptr;
  anydim_tune_options_t quickly = ANYDIM_TUNE_OPTIONS_INIT;
  quickly.node_ms = 1;
  quickly.record = 0;
  loop.calls = 0;
  ASSERT_OK(anydim_context_tune(context, &x, 1, &quickly, &text));
  EXPECT_GT(loop.calls.load(), 0) << "measurements do not use the host's loop";
  anydim_text_destroy(text);
  EXPECT_EQ(threads_of_this_process(), before) << "a thread of the library's was started for 7 threads of the host's";

  anydim_session_destroy(session);
  anydim_context_destroy(context);
  anydim_engine_destroy(engine);
  EXPECT_EQ(loop.finalized.load(), 0) << "the model still has the engine";
  anydim_model_destroy(model);
  EXPECT_EQ(loop.finalized.load(), 1);

  anydim_model_t same = nullptr;
  ASSERT_OK(anydim_model_load_file(plain, ANYDIM_MODELS "/cls.onnx", nullptr, &same));
  ASSERT_OK(anydim_context_create(same, nullptr, nullptr, &context));
  y = {};
  y.dtype = ANYDIM_F32;
  ASSERT_OK(anydim_context_run(context, &x, 1, &y, 1, nullptr));
  EXPECT_EQ(scores(y), by_context);
  anydim_context_destroy(context);
  anydim_model_destroy(same);
  anydim_engine_destroy(plain);
}

TEST_F(HostProgram, ALoopThatMisbehavesChangesNoBit) {
  anydim_engine_t plain = engine_with(nullptr, nullptr, 7);
  const std::vector<float> expected = convolve(plain, nullptr);
  anydim_engine_destroy(plain);
  EXPECT_OK(anydim_log_set(ANYDIM_LOG_NONE, nullptr, nullptr, nullptr));
  using Kind = Loop::Kind;
  for (const Kind kind : {Kind::threads, Kind::backwards, Kind::first_only, Kind::nothing, Kind::twice, Kind::foreign_indices,
                          Kind::failing, Kind::throwing}) {
    SCOPED_TRACE(static_cast<int>(kind));
    Loop loop;
    loop.kind = kind;
    anydim_engine_t engine = engine_with(&loop, nullptr);
    for (int round = 0; round < 4; ++round) EXPECT_EQ(convolve(engine, &loop), expected);
    anydim_engine_destroy(engine);
    EXPECT_EQ(loop.finalized.load(), 1);
  }
  EXPECT_OK(anydim_log_set(ANYDIM_LOG_WARNING, nullptr, nullptr, nullptr));
}

TEST_F(HostProgram, ALoopInWhichTheHostCallsTheLibraryIsNested) {
  Loop loop;
  anydim_engine_t engine = engine_with(&loop, nullptr, 3);
  const std::vector<float> expected = convolve(engine, nullptr);
  std::atomic<int> wrong{0};
  struct Job {
    HostProgram* test;
    anydim_engine_t engine;
    const std::vector<float>* expected;
    std::atomic<int>* wrong;
  } job{this, engine, &expected, &wrong};
  Loop::run(
      &loop, 3,
      [](void* context, int64_t) {
        auto& j = *static_cast<Job*>(context);
        if (j.test->convolve(j.engine, nullptr) != *j.expected) ++*j.wrong;
      },
      &job);
  EXPECT_EQ(wrong.load(), 0);
  anydim_engine_destroy(engine);
}

TEST_F(HostProgram, AllThatIsLargeComesFromTheHostsMemoryAndGoesBack) {
  HostMemory memory;
  anydim_engine_t plain = engine_with(nullptr, nullptr, 2);
  const std::vector<float> expected = convolve(plain, nullptr);
  anydim_engine_t engine = engine_with(nullptr, &memory, 2);
  EXPECT_EQ(convolve(engine, nullptr), expected);
  EXPECT_EQ(memory.bytes, 0) << "a primitive, its weights, its stream and its result have gone";
  EXPECT_GT(memory.most, 64 * 64 * 9 * 4 + 2 * 64 * 40 * 40 * 4);

  anydim_model_t model = nullptr;
  const int64_t before = memory.calls;
  large_from_system = 0;
  watching = true;
  ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &model)) << "make models";
  anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
  ASSERT_OK(anydim_model_query(model, &info));
  EXPECT_GT(memory.calls, before);
  EXPECT_GE(memory.bytes, info.weight_bytes / 2) << "weights are elsewhere";

  anydim_bounds_t bounds = nullptr;
  const anydim_dim_t dims[4] = {anydim_dim_dynamic(1, 4), anydim_dim_fixed(3), anydim_dim_fixed(48), anydim_dim_fixed(192)};
  ASSERT_OK(anydim_bounds_create(&bounds));
  ASSERT_OK(anydim_bounds_set(bounds, "x", 4, dims));
  anydim_context_t bounded = nullptr, growing = nullptr;
  anydim_session_t session = nullptr;
  int64_t needed = 0;
  ASSERT_OK(anydim_model_get_bytes_needed(model, bounds, nullptr, 0, &needed));
  int64_t held = memory.bytes;
  ASSERT_OK(anydim_context_create(model, bounds, nullptr, &bounded));
  EXPECT_GE(memory.bytes, held + needed);
  ASSERT_OK(anydim_context_create(model, nullptr, nullptr, &growing));
  ASSERT_OK(anydim_session_create(model, nullptr, nullptr, 1, &session));
  std::vector<float> first;
  for (int64_t n = 1; n <= 4; ++n) {
    const anydim_view_t x = image(n);
    anydim_view_t y{}, z{}, placed{};
    y.dtype = z.dtype = placed.dtype = ANYDIM_F32;
    held = memory.calls;
    ASSERT_OK(anydim_context_run(bounded, &x, 1, &y, 1, nullptr));
    EXPECT_EQ(memory.calls, held) << "a run within bounds allocates";
    ASSERT_OK(anydim_context_run(growing, &x, 1, &z, 1, nullptr));
    ASSERT_OK(anydim_session_run(session, &x, 1, &placed, 1, nullptr));
    EXPECT_TRUE(memory.has(y.data)) << "the arena of a context with bounds";
    EXPECT_TRUE(memory.has(z.data)) << "the arena of a context without";
    EXPECT_TRUE(memory.has(placed.data)) << "a result";
    EXPECT_EQ(scores(y), scores(z));
    EXPECT_EQ(scores(y), scores(placed));
    anydim_result_release(placed.data);
  }
  anydim_tensor_t tensor = nullptr;
  const int64_t many[2] = {1000, 1000};
  ASSERT_OK(anydim_tensor_allocate(engine, ANYDIM_F32, 2, many, ANYDIM_LAYOUT_ROW_MAJOR, &tensor));
  anydim_view_t view{};
  ASSERT_OK(anydim_tensor_get_view(tensor, &view));
  EXPECT_TRUE(memory.has(view.data));
  EXPECT_EQ(static_cast<const float*>(view.data)[999999], 0.f) << "the rubbish in the host's memory shows";
  watching = false;
  EXPECT_EQ(large_from_system.load(), 0) << "large memory came from the system";

  // A result outlives everything.
  const anydim_view_t x = image(1);
  anydim_view_t kept{};
  kept.dtype = ANYDIM_F32;
  ASSERT_OK(anydim_session_run(session, &x, 1, &kept, 1, nullptr));
  anydim_tensor_destroy(tensor);
  anydim_session_destroy(session);
  anydim_context_destroy(growing);
  anydim_context_destroy(bounded);
  anydim_bounds_destroy(bounds);
  anydim_model_destroy(model);
  anydim_engine_destroy(engine);
  EXPECT_EQ(memory.given.size(), 1u);
  EXPECT_EQ(memory.finalized, 0);
  anydim_result_release(kept.data);
  EXPECT_EQ(memory.bytes, 0);
  EXPECT_EQ(memory.finalized, 1);
  EXPECT_EQ(memory.wrong, 0);
  anydim_engine_destroy(plain);
}

TEST_F(HostProgram, MemoryThatTheHostRefusesIsAStatusAndNothingIsLeft) {
  HostMemory memory;
  anydim_engine_t engine = engine_with(nullptr, &memory, 2);
  anydim_model_t model = nullptr;
  ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &model));
  const int64_t of_model = memory.bytes;
  anydim_context_t context = nullptr;
  ASSERT_OK(anydim_context_create(model, nullptr, nullptr, &context));
  const anydim_view_t x = image(4);
  memory.limit = memory.bytes;
  EXPECT_STATUS(anydim_context_run(context, &x, 1, nullptr, 0, nullptr), ANYDIM_STATUS_OUT_OF_MEMORY, "host's allocate", "bytes");
  anydim_tensor_t tensor = nullptr;
  const int64_t many[2] = {1000, 1000};
  EXPECT_STATUS(anydim_tensor_allocate(engine, ANYDIM_F32, 2, many, ANYDIM_LAYOUT_ROW_MAJOR, &tensor), ANYDIM_STATUS_OUT_OF_MEMORY,
                "host's allocate");
  memory.limit = INT64_MAX;
  EXPECT_OK(anydim_context_run(context, &x, 1, nullptr, 0, nullptr));
  anydim_context_destroy(context);
  EXPECT_EQ(memory.bytes, of_model);
  for (int64_t limit = 0; limit < of_model; limit += of_model / 5) {
    memory.limit = of_model + limit;
    anydim_model_t other = nullptr;
    EXPECT_STATUS(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &other), ANYDIM_STATUS_OUT_OF_MEMORY, "bytes");
    EXPECT_EQ(memory.bytes, of_model);
  }
  anydim_model_destroy(model);
  anydim_engine_destroy(engine);
  EXPECT_EQ(memory.bytes, 0);
  EXPECT_EQ(memory.wrong, 0);
  EXPECT_EQ(memory.finalized, 1);
}

TEST_F(HostProgram, CallbacksThatLackTheirOtherHalfAreRefusedAndNotFinalized) {
  Loop loop;
  HostMemory memory;
  anydim_engine_t engine = nullptr;
  anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.allocate = HostMemory::allocate;
  options.memory_user = &memory;
  options.memory_finalizer = HostMemory::finalize;
  EXPECT_STATUS(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &options, &engine), ANYDIM_STATUS_INVALID_ARGUMENT, "options.release is null");
  options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.parallel_user = &loop;
  options.parallel_finalizer = Loop::finalize;
  EXPECT_STATUS(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &options, &engine), ANYDIM_STATUS_INVALID_ARGUMENT, "parallel_for");
  options.parallel_for = Loop::run;
  options.threads = -1;
  EXPECT_STATUS(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &options, &engine), ANYDIM_STATUS_INVALID_ARGUMENT, "threads");
  EXPECT_EQ(loop.finalized.load() + memory.finalized, 0);
}

TEST_F(HostProgram, ALogSinkIsNotifiedWhenItIsReplaced) {
  struct Log {
    std::atomic<int> lines{0}, finalized{0};
    static void line(void* user, anydim_log_level_t, const char*) { ++static_cast<Log*>(user)->lines; }
    static void finalize(void* user) { ++static_cast<Log*>(user)->finalized; }
  };
  Log first, second;
  anydim_stream_t none = nullptr;
  ASSERT_OK(anydim_log_set(ANYDIM_LOG_DEBUG, Log::line, &first, Log::finalize));
  EXPECT_STATUS(anydim_stream_create(nullptr, nullptr, &none), ANYDIM_STATUS_INVALID_HANDLE);
  EXPECT_EQ(first.lines.load(), 1);
  EXPECT_STATUS(anydim_log_set(99, Log::line, &second, Log::finalize), ANYDIM_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(first.finalized.load() + second.finalized.load(), 0);
  // Lines on their way while it changes.
  std::atomic<bool> stop{false};
  std::thread other([&] {
    while (!stop) (void)anydim_engine_query(nullptr, nullptr);
  });
  for (int i = 0; i < 200; ++i) {
    Log passing;
    ASSERT_OK(anydim_log_set(ANYDIM_LOG_DEBUG, Log::line, &passing, Log::finalize));
    ASSERT_OK(anydim_log_set(ANYDIM_LOG_DEBUG, Log::line, &second, Log::finalize));
    while (passing.finalized.load() == 0) std::this_thread::yield();  // its memory goes now
  }
  stop = true;
  other.join();
  EXPECT_EQ(first.finalized.load(), 1);
  EXPECT_OK(anydim_log_set(ANYDIM_LOG_WARNING, nullptr, nullptr, nullptr));
  EXPECT_GT(second.finalized.load(), 0);
}

}  // namespace
