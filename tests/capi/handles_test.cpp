// SPDX-License-Identifier: Apache-2.0
// The rules of handles: null, stale, destroyed, foreign and wrong kinds; order of destruction; threads; fork.
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "core/base/testing/emulated.h"
#include "tests/capi/support.h"

class Handles : public Api {
 protected:
  using Api::tensor;
  // A small object with a handle.
  anydim_tensor_t tensor() {
    const int64_t dims[1] = {1};
    anydim_tensor_t t = nullptr;
    EXPECT_OK(anydim_tensor_allocate(engine, ANYDIM_F32, 1, dims, ANYDIM_LAYOUT_ROW_MAJOR, &t));
    return t;
  }
};

TEST_F(Handles, NullIsRefusedAndDestroyAcceptsIt) {
  anydim_stream_t out = reinterpret_cast<anydim_stream_t>(0x1234);
  EXPECT_STATUS(anydim_stream_create(nullptr, nullptr, &out), ANYDIM_STATUS_INVALID_HANDLE, "anydim_stream_create", "engine", "null");
  EXPECT_EQ(out, reinterpret_cast<anydim_stream_t>(0x1234)) << "an output was touched on failure";
  anydim_engine_destroy(nullptr);
  anydim_stream_destroy(nullptr);
  anydim_tensor_destroy(nullptr);
  anydim_context_destroy(nullptr);
}

TEST_F(Handles, DestroyedIsRefusedAndASecondDestroyOnlyLogs) {
  std::vector<std::string> lines;
  const anydim_log_callback_t keep = [](void* user, anydim_log_level_t, const char* text) {
    static_cast<std::vector<std::string>*>(user)->push_back(text);
  };
  ASSERT_OK(anydim_log_set(ANYDIM_LOG_WARNING, keep, &lines, nullptr));
  anydim_engine_t e = nullptr;
  ASSERT_OK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, &e));
  anydim_engine_destroy(e);
  EXPECT_TRUE(lines.empty());
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  EXPECT_STATUS(anydim_engine_query(e, &info), ANYDIM_STATUS_INVALID_HANDLE, "engine", "destroyed");
  anydim_engine_destroy(e);
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_NE(lines[0].find("anydim_engine_destroy"), std::string::npos) << lines[0];
  EXPECT_OK(anydim_log_set(ANYDIM_LOG_WARNING, nullptr, nullptr, nullptr));
}

TEST_F(Handles, AStaleHandleStaysStaleWhenItsSlotIsUsedAgain) {
  anydim_tensor_t stale = tensor();
  anydim_tensor_destroy(stale);
  std::vector<anydim_tensor_t> later;
  anydim_view_t info;
  for (int i = 0; i < 5000; ++i) {
    later.push_back(tensor());
    ASSERT_NE(later.back(), stale);
    ASSERT_EQ(anydim_tensor_get_view(stale, &info), ANYDIM_STATUS_INVALID_HANDLE);
    if (i % 2) anydim_tensor_destroy(later[later.size() - 2]);
  }
  for (anydim_tensor_t t : later)
    if (anydim_tensor_get_view(t, &info) == ANYDIM_STATUS_OK) anydim_tensor_destroy(t);
}

TEST_F(Handles, ForeignValuesAreRefused) {
  int local = 0;
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  for (const uint64_t value : {uint64_t{1}, uint64_t{0xFFFFFFFFFFFFFFFF}, reinterpret_cast<uint64_t>(&local),
                               reinterpret_cast<uint64_t>(engine) ^ (uint64_t{1} << 60), uint64_t{0xDEADBEEF00000000}})
    EXPECT_STATUS(anydim_engine_query(reinterpret_cast<anydim_engine_t>(value), &info), ANYDIM_STATUS_INVALID_HANDLE, "engine");
  for (uint64_t bit = 0; bit < 64; ++bit) {
    const uint64_t value = reinterpret_cast<uint64_t>(engine) ^ (uint64_t{1} << bit);
    EXPECT_EQ(anydim_engine_query(reinterpret_cast<anydim_engine_t>(value), &info), ANYDIM_STATUS_INVALID_HANDLE) << "bit " << bit;
  }
}

TEST_F(Handles, AnotherKindIsNamed) {
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  EXPECT_STATUS(anydim_engine_query(reinterpret_cast<anydim_engine_t>(stream), &info), ANYDIM_STATUS_INVALID_HANDLE, "stream handle",
                "expected a engine");
}

TEST_F(Handles, AnEntryOfAnArrayIsNamed) {
  anydim_primitive_t p = relu({anydim_dim_dynamic(0, 10)});
  float x[4] = {};
  anydim_view_t ok = tensor({4}, x);
  anydim_unary_t op = ANYDIM_UNARY_INIT;
  anydim_desc_t good = desc({anydim_dim_fixed(1)}), gone = desc({anydim_dim_fixed(1)});
  anydim_desc_destroy(gone);
  const anydim_desc_t both[2] = {good, gone};
  anydim_primitive_t none = nullptr;
  EXPECT_STATUS(anydim_primitive_create(engine, &op.op, nullptr, both, 2, nullptr, &none), ANYDIM_STATUS_INVALID_HANDLE, "inputs",
                "entry 1 of 2");
  EXPECT_STATUS(anydim_primitive_execute(p, stream, nullptr, 2, &ok, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs", "null");
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &ok, -1, &ok, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs", "-1");
  anydim_desc_destroy(good);
  anydim_primitive_destroy(p);
}

TEST_F(Handles, ChildrenHoldTheirParents) {
  anydim_engine_t e = nullptr;
  anydim_stream_t s = nullptr;
  anydim_tensor_t x = nullptr, y = nullptr;
  ASSERT_OK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, &e));
  ASSERT_OK(anydim_stream_create(e, nullptr, &s));
  const int64_t dims[1] = {3};
  ASSERT_OK(anydim_tensor_allocate(e, ANYDIM_F32, 1, dims, ANYDIM_LAYOUT_ROW_MAJOR, &x));
  ASSERT_OK(anydim_tensor_allocate(e, ANYDIM_F32, 1, dims, ANYDIM_LAYOUT_ROW_MAJOR, &y));
  anydim_primitive_t p = relu({anydim_dim_dynamic(0, 10)});
  anydim_engine_destroy(e);
  anydim_view_t from, to;
  EXPECT_OK(anydim_tensor_get_view(x, &from));
  EXPECT_OK(anydim_tensor_get_view(y, &to));
  EXPECT_OK(anydim_primitive_execute(p, s, &from, 1, &to, 1));
  anydim_primitive_destroy(p);
  anydim_stream_destroy(s);
  anydim_tensor_destroy(x);
  anydim_tensor_destroy(y);
}

TEST_F(Handles, LookupsRacingWithDestructionEitherWorkOrAreRefused) {
  std::atomic<uint64_t> shared{0};
  std::atomic<bool> stop{false};
  std::atomic<int64_t> worked{0}, refused{0}, others{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      anydim_view_t info;
      while (!stop) {
        const anydim_status_t s = anydim_tensor_get_view(reinterpret_cast<anydim_tensor_t>(shared.load()), &info);
        // Between destroy and the last reader's leaving, a handle is closed; afterwards it is none.
        (s == ANYDIM_STATUS_OK ? worked : s == ANYDIM_STATUS_INVALID_HANDLE || s == ANYDIM_STATUS_CLOSED ? refused : others)++;
      }
    });
  for (int i = 0; i < 20000; ++i) {
    anydim_tensor_t t = tensor();
    shared = reinterpret_cast<uint64_t>(t);
    if (i % 64 == 0) std::this_thread::yield();
    anydim_tensor_destroy(t);
  }
  stop = true;
  for (std::thread& r : readers) r.join();
  EXPECT_EQ(others, 0);
  EXPECT_GT(refused + worked, 0);
}

TEST_F(Handles, OfTheParentServeAForkedChildAndEachHasItsOwn) {
  anydim_tensor_t t = tensor();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    anydim_view_t info;
    int wrong = 0;
    if (anydim_tensor_get_view(t, &info) != ANYDIM_STATUS_OK) wrong |= 1;
    anydim_tensor_destroy(t);
    if (anydim_tensor_get_view(t, &info) != ANYDIM_STATUS_INVALID_HANDLE) wrong |= 2;
    anydim_engine_t e = nullptr;
    if (anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, &e) != ANYDIM_STATUS_OK) wrong |= 4;
    const int64_t dims[1] = {1};
    anydim_tensor_t own = nullptr;
    if (anydim_tensor_allocate(e, ANYDIM_F32, 1, dims, ANYDIM_LAYOUT_ROW_MAJOR, &own) != ANYDIM_STATUS_OK) wrong |= 8;
    if (anydim_tensor_get_view(own, &info) != ANYDIM_STATUS_OK) wrong |= 16;
    _exit(wrong);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  anydim_view_t info;
  EXPECT_OK(anydim_tensor_get_view(t, &info));
  anydim_tensor_destroy(t);
}

TEST_F(Handles, TheLastErrorIsTheThreadsOwn) {
  EXPECT_STATUS(anydim_stream_wait(nullptr), ANYDIM_STATUS_INVALID_HANDLE, "anydim_stream_wait");
  std::string other = "unset";
  std::thread([&other] { other = last(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_NE(last().find("anydim_stream_wait"), std::string::npos);
}

TEST_F(Handles, NoThreadStartsBeforeSomethingUsesSeveral) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "ThreadSanitizer has a thread of its own";
#endif
  if (anydim::testing::emulated()) GTEST_SKIP() << "the emulator starts no program of the other processor";
  GTEST_FLAG_SET(death_test_style, "threadsafe");  // in a process of its own: other tests may have used several threads
  const auto threads = [] {
    int threads = 0;
    char line[256];
    FILE* f = std::fopen("/proc/self/status", "r");
    while (f != nullptr && std::fgets(line, sizeof(line), f) != nullptr) (void)std::sscanf(line, "Threads: %d", &threads);
    return threads;
  };
  EXPECT_EXIT(_exit(threads()), testing::ExitedWithCode(1), "") << "an engine and a stream are there, and a thread beside the first";
}
