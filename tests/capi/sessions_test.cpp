// SPDX-License-Identifier: Apache-2.0
// Sessions through the C API: results in the caller's memory and in memory that it frees, contexts up to a number, waits that
// end by time, by a cancellation or by a signal, and destruction while something runs. The order of service is tested where it is made
// (core/base/threads/fair_pool_test.cpp).
#include <pthread.h>
#include <signal.h>

#include <atomic>
#include <thread>

#include "tests/capi/support.h"

namespace {

class Sessions : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &model)) << "make models";
    pixels.resize(64 * 3 * 48 * 192);
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 7919 % 255) / 127.f - 1.f;
  }
  void TearDown() override {
    anydim_model_destroy(model);
    Api::TearDown();
  }
  anydim_session_t session(int32_t contexts, int32_t threads = 1) {
    anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    anydim_session_t s = nullptr;
    EXPECT_OK(anydim_session_create(model, nullptr, &options, contexts, &s));
    return s;
  }
  anydim_view_t image(int64_t n) { return tensor({n, 3, 48, 192}, pixels.data()); }
  static anydim_view_t asked(anydim_dtype_t dtype = ANYDIM_F32) {
    anydim_view_t v{};
    v.dtype = dtype;
    return v;
  }
  static anydim_session_info_t info(anydim_session_t s) {
    anydim_session_info_t i = ANYDIM_SESSION_INFO_INIT;
    EXPECT_OK(anydim_session_query(s, &i));
    return i;
  }
  static void until(const std::function<bool()>& done) {
    while (!done()) std::this_thread::yield();
  }
  // The scores by a context alone.
  std::vector<float> expected(int64_t n) {
    anydim_context_t c = nullptr;
    std::vector<float> scores(static_cast<size_t>(2 * n));
    anydim_view_t x = image(n), y = tensor({n, 2}, scores.data());
    EXPECT_OK(anydim_context_create(model, nullptr, nullptr, &c));
    EXPECT_OK(anydim_context_run(c, &x, 1, &y, 1, nullptr));
    anydim_context_destroy(c);
    return scores;
  }
  anydim_model_t model = nullptr;
  std::vector<float> pixels;
};

// A thread that runs in a session again and again, for as long as it lives; each run takes some milliseconds.
class Runner {
 public:
  Runner(anydim_session_t s, anydim_view_t x, anydim_cancellation_t cancellation = nullptr)
      : thread_([this, s, x, cancellation] {
          anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
          options.cancellation = cancellation;
          while (!stop_ && status_ == ANYDIM_STATUS_OK) {
            status_ = anydim_session_run(s, &x, 1, nullptr, 0, &options);
            ++runs_;
          }
        }) {}
  ~Runner() { end(); }
  anydim_status_t end() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return status_;
  }
  anydim_status_t join() {
    thread_.join();
    return status_;
  }
  int runs() const { return runs_; }

 private:
  std::atomic<bool> stop_{false};
  std::atomic<int> runs_{0};
  std::atomic<anydim_status_t> status_{ANYDIM_STATUS_OK};
  std::thread thread_;
};

TEST_F(Sessions, PlaceResultsInTheCallersMemoryOrInMemoryThatIsReleased) {
  anydim_session_t s = session(1);
  const std::vector<float> scores = expected(3);
  std::vector<float> mine(6, 9.f);
  anydim_view_t x = image(3), y = tensor({3, 2}, mine.data()), lent = asked(), none{};
  ASSERT_OK(anydim_session_run(s, &x, 1, &y, 1, nullptr));
  EXPECT_EQ(mine, scores);
  ASSERT_OK(anydim_session_run(s, &x, 1, &lent, 1, nullptr));
  ASSERT_NE(lent.data, nullptr);
  EXPECT_EQ(lent.dims.values[0], 3);
  EXPECT_EQ(lent.strides.values[0], 2);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(lent.data) % 64, 0u);
  ASSERT_OK(anydim_session_run(s, &x, 1, &none, 1, nullptr)) << "nothing is asked for";
  EXPECT_EQ(none.data, nullptr);
  anydim_view_t second = asked();
  ASSERT_OK(anydim_session_run(s, &x, 1, &second, 1, nullptr));
  EXPECT_NE(second.data, lent.data);
  anydim_session_destroy(s);
  for (const anydim_view_t& v : {lent, second}) {
    EXPECT_EQ(std::memcmp(v.data, scores.data(), 6 * sizeof(float)), 0) << "results outlive their session";
    anydim_result_release(v.data);
  }
  anydim_result_release(nullptr);
}

TEST_F(Sessions, KnowTheirModel) {
  anydim_session_t s = session(1);
  anydim_model_t known = nullptr;
  ASSERT_OK(anydim_session_acquire_model(s, &known));
  EXPECT_NE(known, model) << "a handle of the caller's";
  anydim_model_destroy(model);
  model = nullptr;
  int32_t index = -1;
  EXPECT_OK(anydim_model_find_input(known, "x", &index));
  EXPECT_EQ(index, 0);
  anydim_model_info_t facts = ANYDIM_MODEL_INFO_INIT;
  ASSERT_OK(anydim_model_query(known, &facts));
  const std::string graph(facts.graph_name.data);
  anydim_session_destroy(s);
  EXPECT_EQ(graph, facts.graph_name.data) << "strings live as long as the handle";
  anydim_session_t again = nullptr;
  EXPECT_OK(anydim_session_create(known, nullptr, nullptr, 1, &again)) << "it is a model as any other";
  anydim_session_destroy(again);
  anydim_model_destroy(known);
  EXPECT_STATUS(anydim_session_acquire_model(s, &known), ANYDIM_STATUS_INVALID_HANDLE, "session");
}

TEST_F(Sessions, RefuseWhatContextsRefuseAndTouchNothing) {
  anydim_session_t s = session(1), none = nullptr;
  anydim_view_t x = image(1), y = asked(), doubles = asked(ANYDIM_F64), wrong = tensor({1, 4, 48, 192}, pixels.data());
  EXPECT_STATUS(anydim_session_run(s, &wrong, 1, &y, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "anydim_session_run", "'x'", "4");
  EXPECT_EQ(y.data, nullptr);
  EXPECT_STATUS(anydim_session_run(s, &x, 1, &doubles, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "asked for as f64", "f32");
  const anydim_view_t two[2] = {y, y};
  EXPECT_STATUS(anydim_session_run(s, &x, 1, const_cast<anydim_view_t*>(two), 2, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT,
                "2 outputs were given; the model has 1 (or give none)");
  EXPECT_STATUS(anydim_session_run(s, &x, 0, &y, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "0 inputs were given; the model has 1");
  EXPECT_STATUS(anydim_session_create(model, nullptr, nullptr, -1, &none), ANYDIM_STATUS_INVALID_ARGUMENT, "contexts is -1");
  anydim_bounds_t b = nullptr;
  ASSERT_OK(anydim_bounds_create(&b));
  const anydim_dim_t dims[1] = {anydim_dim_fixed(1)};
  ASSERT_OK(anydim_bounds_set(b, "nobody", 1, dims));
  EXPECT_STATUS(anydim_session_create(model, b, nullptr, 1, &none), ANYDIM_STATUS_NOT_FOUND, "nobody");
  EXPECT_EQ(none, nullptr);
  EXPECT_OK(anydim_session_run(s, &x, 1, nullptr, 0, nullptr)) << "a session works after failures";
  anydim_bounds_destroy(b);
  anydim_session_destroy(s);
}

TEST_F(Sessions, KeepToTheirBounds) {
  anydim_bounds_t b = nullptr;
  const anydim_dim_t dims[4] = {anydim_dim_dynamic(1, 4), anydim_dim_fixed(3), anydim_dim_fixed(48), anydim_dim_fixed(192)};
  ASSERT_OK(anydim_bounds_create(&b));
  ASSERT_OK(anydim_bounds_set(b, "x", 4, dims));
  anydim_session_t s = nullptr;
  ASSERT_OK(anydim_session_create(model, b, nullptr, 2, &s));
  anydim_bounds_destroy(b);
  for (const int64_t n : {1, 4, 2}) {
    const anydim_view_t x = image(n);
    EXPECT_OK(anydim_session_run(s, &x, 1, nullptr, 0, nullptr));
  }
  const anydim_view_t five = image(5);
  EXPECT_STATUS(anydim_session_run(s, &five, 1, nullptr, 0, nullptr), ANYDIM_STATUS_OUT_OF_BOUNDS, "5", "1..4");
  EXPECT_EQ(info(s).growths, 0);
  anydim_session_destroy(s);
}

TEST_F(Sessions, MakeContextsWhenTheyAreNeededAndNoMoreThanTheirLimit) {
  anydim_session_t s = session(2);
  EXPECT_EQ(info(s).contexts, 1);
  EXPECT_EQ(info(s).limit, 2);
  {
    std::vector<std::unique_ptr<Runner>> runners;
    for (int i = 0; i < 5; ++i) runners.push_back(std::make_unique<Runner>(s, image(4)));
    for (const auto& r : runners) until([&] { return r->runs() > 2; });
    EXPECT_LE(info(s).in_use, 2);
    for (const auto& r : runners) EXPECT_EQ(r->end(), ANYDIM_STATUS_OK);
  }
  until([&] { return info(s).in_use == 0; });
  EXPECT_EQ(info(s).contexts, 2);
  EXPECT_EQ(info(s).waiting, 0);
  EXPECT_GT(info(s).arena_bytes, 0);
  anydim_session_destroy(s);
}

TEST_F(Sessions, GiveEveryThreadItsOwnResults) {
  anydim_session_t s = session(2);
  const std::vector<float> scores[2] = {expected(1), expected(5)};
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i) {
        const int64_t n = (t + i) % 2 != 0 ? 5 : 1;
        const anydim_view_t x = image(n);
        anydim_view_t y = asked();
        if (anydim_session_run(s, &x, 1, &y, 1, nullptr) != ANYDIM_STATUS_OK ||
            std::memcmp(y.data, scores[n == 5].data(), static_cast<size_t>(2 * n) * sizeof(float)) != 0)
          ++wrong;
        anydim_result_release(y.data);
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  anydim_session_destroy(s);
}

TEST_F(Sessions, AWaitEndsWhenItsTimeIsOver) {
  anydim_session_t s = session(1);
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  const anydim_view_t x = image(1);
  options.timeout_ms = 0;
  EXPECT_OK(anydim_session_run(s, &x, 1, nullptr, 0, &options)) << "who need not wait is never late";
  Runner runner(s, image(64));
  until([&] { return info(s).in_use == 1; });
  anydim_view_t y = asked();
  anydim_status_t status = ANYDIM_STATUS_OK;
  // Between two runs of the other the context is free for a moment.
  for (int i = 0; i < 100 && status == ANYDIM_STATUS_OK; ++i) {
    anydim_result_release(y.data);
    y = asked();
    status = anydim_session_run(s, &x, 1, &y, 1, &options);
  }
  EXPECT_EQ(status, ANYDIM_STATUS_TIMED_OUT);
  EXPECT_NE(last().find("in 0 ms"), std::string::npos) << last();
  EXPECT_EQ(y.data, nullptr);
  options.timeout_ms = 600'000;
  EXPECT_OK(anydim_session_run(s, &x, 1, nullptr, 0, &options));
  EXPECT_EQ(runner.end(), ANYDIM_STATUS_OK);
  anydim_session_destroy(s);
}

TEST_F(Sessions, ACancellationEndsTheRunsThatItWasGivenToAndNoOthers) {
  anydim_session_t s = session(2);
  anydim_cancellation_t cancellation = nullptr;
  ASSERT_OK(anydim_cancellation_create(&cancellation));
  {
    Runner other(s, image(4)), mine(s, image(4), cancellation);
    until([&] { return mine.runs() > 2; });
    EXPECT_OK(anydim_cancellation_set(cancellation, 1));
    EXPECT_EQ(mine.join(), ANYDIM_STATUS_CANCELLED);
    const int runs = other.runs();
    until([&] { return other.runs() > runs + 1; });
    EXPECT_EQ(other.end(), ANYDIM_STATUS_OK);
  }
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  options.cancellation = cancellation;
  const anydim_view_t x = image(1);
  anydim_view_t y = asked();
  EXPECT_STATUS(anydim_session_run(s, &x, 1, &y, 1, &options), ANYDIM_STATUS_CANCELLED, "before it began");
  EXPECT_EQ(y.data, nullptr);
  EXPECT_OK(anydim_cancellation_set(cancellation, 0));
  EXPECT_OK(anydim_session_run(s, &x, 1, &y, 1, &options));
  anydim_result_release(y.data);
  anydim_cancellation_destroy(cancellation);
  EXPECT_STATUS(anydim_session_run(s, &x, 1, nullptr, 0, &options), ANYDIM_STATUS_INVALID_HANDLE, "options.cancellation");
  EXPECT_STATUS(anydim_cancellation_set(cancellation, 1), ANYDIM_STATUS_INVALID_HANDLE, "cancellation");
  anydim_session_destroy(s);
}

void on_signal(int) {}

TEST_F(Sessions, ASignalEndsAWaitOnlyIfTheCallerSaysSo) {
  struct sigaction action = {}, before = {};
  action.sa_handler = on_signal;
  ASSERT_EQ(sigaction(SIGUSR1, &action, &before), 0);
  anydim_session_t s = session(1);
  struct Asked {
    std::atomic<int> times{0};
    std::atomic<bool> give_up{false};
  } asked_whether;
  Runner runner(s, image(64));
  until([&] { return info(s).in_use == 1; });
  std::atomic<anydim_status_t> status{ANYDIM_STATUS_OK};
  std::atomic<bool> ended{false};
  std::thread waiter([&] {
    anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
    options.interrupted = [](void* user) -> int32_t {
      auto* a = static_cast<Asked*>(user);
      ++a->times;
      return a->give_up ? 1 : 0;
    };
    options.user = &asked_whether;
    const anydim_view_t x = image(1);
    while (status == ANYDIM_STATUS_OK) status = anydim_session_run(s, &x, 1, nullptr, 0, &options);
    ended = true;
  });
  const auto signal_until = [&](auto done) {
    while (!done()) {
      pthread_kill(waiter.native_handle(), SIGUSR1);
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  };
  signal_until([&] { return asked_whether.times > 2; });
  EXPECT_FALSE(ended) << "asked, and told to go on waiting";
  asked_whether.give_up = true;
  signal_until([&] { return ended.load(); });
  waiter.join();
  EXPECT_EQ(status, ANYDIM_STATUS_CANCELLED);
  EXPECT_EQ(runner.end(), ANYDIM_STATUS_OK);
  anydim_session_destroy(s);
  sigaction(SIGUSR1, &before, nullptr);
}

TEST_F(Sessions, ASessionDestroyedWhileRunsGoOnAndWaitEndsWithThem) {
  for (int round = 0; round < 5; ++round) {
    anydim_session_t s = session(1);
    std::atomic<int> other{0}, started{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
      threads.emplace_back([&] {
        const anydim_view_t x = image(4);
        for (;;) {
          ++started;
          const anydim_status_t status = anydim_session_run(s, &x, 1, nullptr, 0, nullptr);
          if (status == ANYDIM_STATUS_INVALID_HANDLE || status == ANYDIM_STATUS_CLOSED) break;
          if (status != ANYDIM_STATUS_OK) ++other;
        }
      });
    until([&] { return started > 3; });
    anydim_session_destroy(s);
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(other, 0);
  }
}

TEST_F(Sessions, ExplainTheLastRunOrTheseInputs) {
  anydim_session_t s = session(1);
  anydim_text_t text = nullptr;
  EXPECT_STATUS(anydim_session_explain(s, nullptr, 0, &text), ANYDIM_STATUS_NOT_FOUND, "not run");
  const anydim_view_t x = image(2);
  for (const int32_t inputs : {1, 0}) {
    ASSERT_OK(anydim_session_explain(s, &x, inputs, &text));
    anydim_string_t json;
    ASSERT_OK(anydim_text_get_data(text, &json));
    EXPECT_NE(std::string(json.data).find("\"kernel\""), std::string::npos);
    anydim_text_destroy(text);
  }
  anydim_session_destroy(s);
}

TEST_F(Api, APrimitivePlacesAResultThatIsOnlyAskedFor) {
  anydim_primitive_t p = relu({anydim_dim_dynamic(0, 1 << 20)});
  std::vector<float> in(300'000, -1.f);
  in[7] = 3;
  for (const int64_t n : {8, 300'000}) {
    const anydim_view_t x = tensor({n}, in.data());
    anydim_view_t y{}, doubles{};
    y.dtype = ANYDIM_F32;
    doubles.dtype = ANYDIM_F64;
    EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &doubles, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "outputs[0]", "f64", "f32");
    EXPECT_EQ(doubles.data, nullptr);
    ASSERT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
    EXPECT_EQ(y.dims.values[0], n);
    EXPECT_EQ(static_cast<const float*>(y.data)[7], 3.f);
    EXPECT_EQ(static_cast<const float*>(y.data)[n - 1], n == 8 ? 3.f : 0.f);
    anydim_result_release(y.data);
  }
  anydim_primitive_destroy(p);
}

}  // namespace
