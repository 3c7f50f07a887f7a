// SPDX-License-Identifier: Apache-2.0
// What a process made before it forked serves its children: sessions, contexts, primitives, weights give them the parent's bits, on
// threads of their own. What another thread was using at that moment is made again or says so.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "tests/capi/support.h"

namespace {

constexpr int kChildren = 100;

// What `child` gives in a process of its own; -1: that process did not end by itself.
int exit_code_of(const std::function<int()>& child) {
  const pid_t process = fork();
  if (process == 0) {
    alarm(120);
    _exit(child());
  }
  int status = 0;
  return waitpid(process, &status, 0) == process && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// An image of this width and the classifier's answer.
struct Shape {
  explicit Shape(int64_t width) : pixels(static_cast<size_t>(3 * 48 * width)) {
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>((i * 7919 + static_cast<size_t>(width)) % 255) / 255 - 0.5f;
    x = view_of(ANYDIM_F32, {1, 3, 48, width}, pixels.data());
  }
  // The answer of a session; empty if there is none.
  std::vector<float> run(anydim_session_t session) const {
    anydim_view_t y{};
    y.dtype = ANYDIM_F32;
    if (anydim_session_run(session, &x, 1, &y, 1, nullptr) != ANYDIM_STATUS_OK) return {};
    int64_t count = 1;
    for (int i = 0; i < y.dims.rank; ++i) count *= y.dims.values[i];
    const auto* values = static_cast<const float*>(y.data);
    std::vector<float> answer(values, values + count);
    anydim_result_release(y.data);
    return answer;
  }
  bool same(anydim_session_t session) const {
    const std::vector<float> answer = run(session);
    return answer.size() == expected.size() && std::memcmp(answer.data(), expected.data(), 4 * answer.size()) == 0;
  }
  std::vector<float> pixels, expected;
  anydim_view_t x;
};

class SessionBeforeTheFork : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, &engine));
    ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &model));
    anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
    options.threads = 2;
    ASSERT_OK(anydim_session_create(model, nullptr, &options, 2, &session));
    ASSERT_OK(anydim_context_create(model, nullptr, &options, &context));
    for (Shape* s : {&known, &large}) ASSERT_FALSE((s->expected = s->run(session)).empty()) << last();
    anydim_session_t other = nullptr;  // so that this shape is new to the children's session
    ASSERT_OK(anydim_session_create(model, nullptr, &options, 1, &other));
    fresh.expected = fresh.run(other);
    anydim_session_destroy(other);
  }
  void TearDown() override {
    anydim_context_destroy(context);
    anydim_session_destroy(session);
    anydim_model_destroy(model);
    anydim_engine_destroy(engine);
  }
  bool all_same() const { return known.same(session) && fresh.same(session) && large.same(session); }

  anydim_engine_t engine = nullptr;
  anydim_model_t model = nullptr;
  anydim_session_t session = nullptr;
  anydim_context_t context = nullptr;
  Shape known{192}, fresh{100}, large{640};
};

TEST_F(SessionBeforeTheFork, GivesAHundredChildrenTheParentsBits) {
  for (int i = 0; i < kChildren; ++i) ASSERT_EQ(exit_code_of([&] { return all_same() ? 0 : 1; }), 0) << "child " << i;
  EXPECT_TRUE(all_same());
}

TEST_F(SessionBeforeTheFork, JoinsRequestsInChildrenToo) {
  ASSERT_OK(anydim_session_start_batching(session, nullptr));
  const auto eight_callers = [&] {
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (int c = 0; c < 8; ++c)
      callers.emplace_back([&] {
        for (int k = 0; k < 3; ++k) wrong += known.same(session) ? 0 : 1;
      });
    for (std::thread& t : callers) t.join();
    return wrong.load();
  };
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;  // that are in the queue when it forks
  for (int c = 0; c < 3; ++c)
    others.emplace_back([&] {
      while (!stop) known.run(session);
    });
  for (int i = 0; i < 10; ++i) EXPECT_EQ(exit_code_of(eight_callers), 0) << "child " << i;
  stop = true;
  for (std::thread& t : others) t.join();
  EXPECT_EQ(eight_callers(), 0);
}

TEST_F(SessionBeforeTheFork, GivesChildrenOfChildrenTheSameBits) {
  const std::function<int(int)> generation = [&](int more) {
    if (!all_same()) return 1;
    if (anydim_context_run(context, &known.x, 1, nullptr, 0, nullptr) != ANYDIM_STATUS_OK) return 2;
    const int below = more > 0 ? exit_code_of([&] { return generation(more - 1); }) : 0;
    return below == 0 && all_same() ? 0 : 3 + below;
  };
  EXPECT_EQ(exit_code_of([&] { return generation(4); }), 0);
}

TEST_F(SessionBeforeTheFork, ServesSeveralThreadsOfAChildAndMayBeDestroyedThere) {
  EXPECT_EQ(exit_code_of([&] {
              std::atomic<int> good{0};
              std::vector<std::thread> threads;
              for (int i = 0; i < 4; ++i) threads.emplace_back([&] { good += all_same(); });
              for (std::thread& t : threads) t.join();
              TearDown();
              SetUp();  // and all of it again
              return good == 4 && all_same() && !HasFailure() ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(all_same());
}

TEST_F(SessionBeforeTheFork, ServesAChildWhileEverythingIsInUse) {
  std::atomic<bool> stop{false};
  std::atomic<int> wrong{0};
  anydim_matmul_t op = ANYDIM_MATMUL_INIT;
  std::vector<float> data(32 * 16, 1);
  const anydim_view_t t = view_of(ANYDIM_F32, {32, 16}, data.data());
  anydim_weights_t weights = nullptr;
  anydim_attr_t attr = nullptr;
  ASSERT_OK(anydim_weights_create(engine, &op.op, nullptr, nullptr, 0, &t, nullptr, 1, &weights));
  ASSERT_OK(anydim_attr_create(&attr));
  const std::function<bool()> work[] = {[&] { return known.same(session); },
                                        [&] { return large.same(session); },
                                        [&] { return known.same(session); },
                                        [&] { return anydim_context_run(context, &large.x, 1, nullptr, 0, nullptr) == ANYDIM_STATUS_OK; },
                                        [&] { return anydim_weights_update(weights, &t, 1) == ANYDIM_STATUS_OK; },
                                        [&] { return anydim_attr_set_reuse(attr, ANYDIM_REUSE_REUSABLE) == ANYDIM_STATUS_OK; }};
  std::vector<std::thread> busy;
  for (const auto& w : work)
    busy.emplace_back([&stop, &wrong, &w] {
      while (!stop) wrong += w() ? 0 : 1;
    });
  const auto done_or_told = [](anydim_status_t s) { return s == ANYDIM_STATUS_OK || s == ANYDIM_STATUS_FORKED; };
  for (int i = 0; i < kChildren && !HasFailure(); ++i)
    EXPECT_EQ(exit_code_of([&] {
                int bad = 0;
                anydim_session_info_t info = ANYDIM_SESSION_INFO_INIT;
                if (anydim_session_query(session, &info) != ANYDIM_STATUS_OK || info.in_use != 0 || info.waiting != 0) bad |= 1;
                if (!all_same()) bad |= 2;
                if (!done_or_told(anydim_context_run(context, &known.x, 1, nullptr, 0, nullptr))) bad |= 4;
                if (!done_or_told(anydim_weights_update(weights, &t, 1))) bad |= 8;
                if (anydim_attr_set_reuse(attr, ANYDIM_REUSE_SPECIALISED) != ANYDIM_STATUS_OK &&
                    anydim_attr_set_reuse(attr, ANYDIM_REUSE_SPECIALISED) != ANYDIM_STATUS_FORKED)
                  bad |= 16;
                if (i % 10 == 0 && exit_code_of([&] { return all_same() ? 0 : 1; }) != 0) bad |= 32;
                return bad;
              }),
              0)
        << "child " << i;
  stop = true;
  for (std::thread& b : busy) b.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_TRUE(all_same());
  anydim_attr_destroy(attr);
  anydim_weights_destroy(weights);
}

// A loop of the host's that stops in the middle of a run for as long as `hold` says.
struct Held {
  std::atomic<bool> hold{false}, within{false};
  static int32_t loop(void* user, int64_t parts, anydim_part_callback_t part, void* context) {
    auto* held = static_cast<Held*>(user);
    while (held->hold) {
      held->within = true;
      std::this_thread::yield();
    }
    for (int64_t i = 0; i < parts; ++i) part(context, i);
    return 0;
  }
};

TEST_F(SessionBeforeTheFork, AContextInTheMiddleOfARunIsForkedAndASessionMakesAnother) {
  Held held;
  anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.threads = 2;
  options.parallel_for = Held::loop;
  options.parallel_user = &held;
  anydim_engine_t lent = nullptr;
  anydim_model_t lent_model = nullptr;
  anydim_session_t one = nullptr;
  anydim_context_t busy = nullptr;
  anydim_context_options_t two = ANYDIM_CONTEXT_OPTIONS_INIT;
  two.threads = 2;
  ASSERT_OK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &options, &lent));
  ASSERT_OK(anydim_model_load_file(lent, ANYDIM_MODELS "/cls.onnx", nullptr, &lent_model));
  ASSERT_OK(anydim_session_create(lent_model, nullptr, &two, 1, &one));
  ASSERT_OK(anydim_context_create(lent_model, nullptr, &two, &busy));
  for (const bool whole_session : {true, false}) {
    held.hold = true;
    held.within = false;
    std::thread runner([&] {
      if (whole_session) EXPECT_TRUE(large.same(one));
      else EXPECT_OK(anydim_context_run(busy, &large.x, 1, nullptr, 0, nullptr));
    });
    while (!held.within) std::this_thread::yield();
    EXPECT_EQ(exit_code_of([&] {
                held.hold = false;
                int wrong = 0;
                if (!known.same(one) || !large.same(one)) wrong |= 1;
                const anydim_status_t status = anydim_context_run(busy, &known.x, 1, nullptr, 0, nullptr);
                if (status != (whole_session ? ANYDIM_STATUS_OK : ANYDIM_STATUS_FORKED)) wrong |= 2;
                if (!whole_session && last().find("another thread of the parent process") == std::string::npos) wrong |= 4;
                anydim_session_destroy(one);
                anydim_context_destroy(busy);
                anydim_model_destroy(lent_model);
                return wrong;
              }),
              0);
    held.hold = false;
    runner.join();
  }
  EXPECT_TRUE(known.same(one));
  anydim_context_destroy(busy);
  anydim_session_destroy(one);
  anydim_model_destroy(lent_model);
  anydim_engine_destroy(lent);
}

}  // namespace
