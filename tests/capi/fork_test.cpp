// SPDX-License-Identifier: Apache-2.0
// A process that forks while its threads are in the middle of anything: no lock of the parent's is found taken by the child.
// Each thing was done once before: C++ makes what is made at first use under locks that no fork waits for. A program of its own,
// for the persistent cache is opened with a process's first engine, and this one's is not the user's.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <system_error>
#include <thread>

#include "tests/capi/support.h"

namespace {

constexpr int kForks = 40;
constexpr unsigned kPatience = 120;  // seconds until a child counts as stuck; it needs milliseconds

void ignore(void*, anydim_log_level_t, const char*) {}

// Each does once what takes a lock somewhere, on an engine of its own, and says whether all of it went well.

bool runs_a_loop_on(int32_t threads) {
  anydim_engine_t engine = nullptr;
  anydim_stream_t stream = nullptr;
  anydim_desc_t desc = nullptr;
  anydim_primitive_t relu = nullptr;
  anydim_view_t x{}, y{};
  anydim_unary_t op = ANYDIM_UNARY_INIT;
  op.function = ANYDIM_UNARY_RELU;
  anydim_stream_options_t options = ANYDIM_STREAM_OPTIONS_INIT;
  options.threads = threads;
  static thread_local int64_t width = 0;  // every call has a key of its own in the primitive cache
  const anydim_dims_t dims = {2, 0, {4, 3000 + ++width % 1000}};
  const anydim_dim_t fixed[2] = {anydim_dim_fixed(dims.values[0]), anydim_dim_fixed(dims.values[1])};
  std::vector<float> in(static_cast<size_t>(dims.values[0] * dims.values[1]), -1), out(in.size(), 7);
  x.data = in.data();
  y.data = out.data();
  x.dtype = y.dtype = ANYDIM_F32;
  x.dims = y.dims = dims;
  bool good = anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, &engine) == ANYDIM_STATUS_OK &&
              anydim_stream_create(engine, &options, &stream) == ANYDIM_STATUS_OK &&
              anydim_desc_create(ANYDIM_F32, 2, fixed, ANYDIM_LAYOUT_STRIDED, &desc) == ANYDIM_STATUS_OK &&
              anydim_primitive_create(engine, &op.op, nullptr, &desc, 1, nullptr, &relu) == ANYDIM_STATUS_OK &&
              anydim_primitive_execute(relu, stream, &x, 1, &y, 1) == ANYDIM_STATUS_OK;
  for (float f : out) good = good && f == 0;
  anydim_primitive_destroy(relu);
  anydim_desc_destroy(desc);
  anydim_stream_destroy(stream);
  anydim_engine_destroy(engine);
  return good;
}

bool packs_and_updates_weights() {
  anydim_engine_t engine = nullptr;
  anydim_view_t t{};
  anydim_weights_t weights = nullptr;
  anydim_matmul_t op = ANYDIM_MATMUL_INIT;
  std::vector<float> data(32 * 16, 1);
  t.data = data.data();
  t.dtype = ANYDIM_F32;
  t.dims = {2, 0, {32, 16}};
  const bool good = anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, &engine) == ANYDIM_STATUS_OK &&
                    anydim_weights_create(engine, &op.op, nullptr, nullptr, 0, &t, nullptr, 1, &weights) == ANYDIM_STATUS_OK &&
                    anydim_weights_update(weights, &t, 1) == ANYDIM_STATUS_OK;
  anydim_weights_destroy(weights);
  anydim_engine_destroy(engine);
  return good;
}

bool logs_a_line() {
  const bool set = anydim_log_set(ANYDIM_LOG_WARNING, ignore, nullptr, nullptr) == ANYDIM_STATUS_OK;
  anydim_engine_destroy(reinterpret_cast<anydim_engine_t>(uintptr_t{1}));
  return set;
}

bool runs_a_model_that_is_tuned() {
  anydim_engine_t engine = nullptr;
  anydim_model_t model = nullptr;
  anydim_context_t context = nullptr;
  anydim_view_t x{};
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
  options.reuse = ANYDIM_REUSE_REUSABLE_FIRST;
  std::vector<float> pixels(3 * 48 * 192, 0.5f);
  x.data = pixels.data();
  x.dtype = ANYDIM_F32;
  x.dims = {4, 0, {1, 3, 48, 192}};
  const bool good = anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, &engine) == ANYDIM_STATUS_OK &&
                    anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &model) == ANYDIM_STATUS_OK &&
                    anydim_context_create(model, nullptr, &options, &context) == ANYDIM_STATUS_OK &&
                    anydim_context_run(context, &x, 1, nullptr, 0, nullptr) == ANYDIM_STATUS_OK;
  anydim_context_destroy(context);
  anydim_model_destroy(model);
  anydim_engine_destroy(engine);
  return good;
}

}  // namespace

TEST(AForkedChild, IsNotStuckOnWhatTheParentsThreadsWereDoing) {
  std::atomic<bool> stop{false};
  std::atomic<int> failed{0};
  const std::function<bool()> work[] = {
      [threads = 2]() mutable { return runs_a_loop_on(threads = threads < 32 ? threads + 1 : 2); },  // the pool grows meanwhile
      [] { return runs_a_loop_on(1); }, packs_and_updates_weights, logs_a_line, runs_a_model_that_is_tuned};
  std::vector<std::thread> busy;
  for (auto first : work) ASSERT_TRUE(first());
  for (const auto& w : work)
    busy.emplace_back([&stop, &failed, w]() mutable {
      while (!stop) failed += w() ? 0 : 1;
    });

  auto* step = static_cast<int*>(mmap(nullptr, sizeof(int), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(step, MAP_FAILED);
  for (int i = 0; i < kForks && !HasFailure(); ++i) {
    *step = 0;
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(kPatience);
      bool good = true;
      for (const auto& once : {+[] { return runs_a_loop_on(3); }, &packs_and_updates_weights, &logs_a_line, &runs_a_model_that_is_tuned}) {
        ++*step;
        good = good && once();
      }
      _exit(good ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "child " << i << " was stuck in step " << *step << " of 4, or fell with signal " << WTERMSIG(status);
    if (WIFEXITED(status)) {
      EXPECT_EQ(WEXITSTATUS(status), 0) << "child " << i;
    }
  }
  munmap(step, sizeof(int));
  stop = true;
  for (std::thread& t : busy) t.join();
  EXPECT_EQ(anydim_log_set(ANYDIM_LOG_WARNING, nullptr, nullptr, nullptr), ANYDIM_STATUS_OK);
  EXPECT_EQ(failed, 0);
}

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  std::string folder = testing::TempDir() + "anydim-forks-XXXXXX";
  if (mkdtemp(folder.data()) == nullptr) return 1;
  setenv("ANYDIM_CACHE_DIR", folder.c_str(), 1);
  const int failed = RUN_ALL_TESTS();
  // The cache's own thread may be writing into it.
  std::error_code busy;
  for (int i = 0; i < 100; ++i, std::this_thread::sleep_for(std::chrono::milliseconds(20)))
    if (std::filesystem::remove_all(folder, busy), !busy) break;
  return failed;
}
