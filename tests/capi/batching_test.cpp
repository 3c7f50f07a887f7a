// SPDX-License-Identifier: Apache-2.0
// Dynamic batching through the C API: joined requests have the bits of runs alone, one caller alone does not wait, each request ends by
// itself (time, cancellation, bad values), what is full is refused, stopping runs or cancels what waits, and models whose rows cannot be
// joined are refused by name.
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <list>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "tests/capi/support.h"

namespace {

// A request that was submitted, and what came of it.
class Submitted {
 public:
  ~Submitted() {
    for (anydim_view_t& v : outputs_)
      if (v.data != nullptr && !kept_) anydim_result_release(v.data);
  }
  static anydim_view_t asked() {
    anydim_view_t v{};
    v.dtype = ANYDIM_F32;
    return v;
  }
  anydim_status_t submit(anydim_session_t s, std::vector<anydim_view_t> inputs, const anydim_run_options_t* options = nullptr,
                         anydim_view_t wanted = asked()) {
    return anydim_session_submit(s, inputs.data(), static_cast<int32_t>(inputs.size()), &wanted, 1, options, done, this);
  }
  // Its done stays in the queue's thread until it is let go, so that further requests wait together.
  void hold() { held_ = true; }
  void release() {
    const std::lock_guard lock(mutex_);
    held_ = false;
    changed_.notify_all();
  }
  anydim_status_t wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return ended_; });
    return status_;
  }
  const std::string& message() const { return message_; }
  const anydim_view_t& output() const { return outputs_.at(0); }
  std::vector<float> values() const {
    int64_t count = 1;
    const anydim_view_t& y = outputs_.at(0);
    for (int i = 0; i < y.dims.rank; ++i) count *= y.dims.values[i];
    return {static_cast<const float*>(y.data), static_cast<const float*>(y.data) + count};
  }
  void keep_outputs() { kept_ = true; }  // they are the caller's

 private:
  static void done(void* it, int32_t status, const anydim_view_t* outputs, int32_t count) {
    auto& me = *static_cast<Submitted*>(it);
    std::unique_lock lock(me.mutex_);
    me.status_ = status;
    if (status != ANYDIM_STATUS_OK) me.message_ = anydim_last_error();
    me.outputs_.assign(outputs, outputs + count);
    me.ended_ = true;
    me.changed_.notify_all();
    me.changed_.wait(lock, [&me] { return !me.held_; });
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool ended_ = false, held_ = false, kept_ = false;
  anydim_status_t status_ = ANYDIM_STATUS_INTERNAL;
  std::string message_;
  std::vector<anydim_view_t> outputs_;
};

class Batching : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    ASSERT_OK(anydim_model_builder_create(&graph));
    ASSERT_OK(anydim_model_builder_set_opset(graph, "", 17));
  }
  void TearDown() override {
    anydim_session_destroy(session);
    anydim_model_destroy(model);
    anydim_model_builder_destroy(graph);
    Api::TearDown();
  }
  void input(const char* name, std::vector<int64_t> dims, anydim_dtype_t dtype = ANYDIM_F32) {
    ASSERT_OK(anydim_model_builder_add_input(graph, name, dtype, static_cast<int32_t>(dims.size()), dims.data()));
    if (dims.empty() || dims[0] >= 0) return;
    ASSERT_OK(anydim_model_builder_set_symbol(graph, name, 0, "batch"));
  }
  void node(const char* op, std::vector<const char*> inputs, std::vector<const char*> outputs, const char* name) {
    ASSERT_OK(anydim_model_builder_add_node(graph, op, "", name));
    for (const char* i : inputs) ASSERT_OK(anydim_model_builder_add_node_input(graph, i));
    for (const char* o : outputs) ASSERT_OK(anydim_model_builder_add_node_output(graph, o));
  }
  void constant(const char* name, std::vector<int64_t> dims, std::vector<float> values) {
    const std::vector<float>& data = constants.emplace_back(std::move(values));
    ASSERT_OK(anydim_model_builder_add_constant(graph, name, ANYDIM_F32, static_cast<int32_t>(dims.size()), dims.data(),
                                                const_cast<float*>(data.data()), nullptr, nullptr));
  }
  void make(const char* output = "y", int32_t contexts = 1, anydim_bounds_t bounds = nullptr) {
    ASSERT_OK(anydim_model_builder_add_output(graph, output));
    ASSERT_OK(anydim_model_builder_create_model(graph, engine, nullptr, &model));
    ASSERT_OK(anydim_session_create(model, bounds, nullptr, contexts, &session));
  }
  // y = relu(x w), rows of 8 to rows of `columns`.
  void layer(int64_t columns = 4, int32_t contexts = 1) {
    input("x", {-1, 8});
    std::vector<float> w(static_cast<size_t>(8 * columns));
    for (size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i * 37 % 23) - 9.f;
    constant("w", {8, columns}, w);
    node("MatMul", {"x", "w"}, {"p"}, "product");
    node("Relu", {"p"}, {"y"}, "relu");
    make("y", contexts);
  }
  void start(int32_t rows = 8, int64_t wait_us = 3'600'000'000, int32_t waiting = 1024) {
    anydim_batching_options_t options = ANYDIM_BATCHING_OPTIONS_INIT;
    options.rows = rows;
    options.wait_us = wait_us;
    options.waiting = waiting;
    ASSERT_OK(anydim_session_start_batching(session, &options));
  }
  anydim_batching_info_t info() {
    anydim_batching_info_t i = ANYDIM_BATCHING_INFO_INIT;
    EXPECT_OK(anydim_session_query_batching(session, &i));
    return i;
  }
  std::vector<float> alone(std::vector<anydim_view_t> inputs) {
    anydim_session_t other = nullptr;
    EXPECT_OK(anydim_session_create(model, nullptr, nullptr, 1, &other));
    anydim_view_t y{};
    y.dtype = ANYDIM_F32;
    EXPECT_OK(anydim_session_run(other, inputs.data(), static_cast<int32_t>(inputs.size()), &y, 1, nullptr));
    int64_t count = 1;
    for (int i = 0; i < y.dims.rank; ++i) count *= y.dims.values[i];
    const auto* p = static_cast<const float*>(y.data);
    std::vector<float> out(p, p + (p != nullptr ? count : 0));
    anydim_result_release(y.data);
    anydim_session_destroy(other);
    return out;
  }
  void expect_refused(const char* word) {
    EXPECT_STATUS(anydim_session_start_batching(session, nullptr), ANYDIM_STATUS_UNIMPLEMENTED, word);
    EXPECT_EQ(info().started, 0);
  }
  static std::vector<float> numbers(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<float> x(count);
    for (float& v : x) v = static_cast<float>(random() % 2001) / 500.f - 2.f;
    return x;
  }
  anydim_model_builder_t graph = nullptr;
  std::list<std::vector<float>> constants;  // until the model is made
  anydim_model_t model = nullptr;
  anydim_session_t session = nullptr;
};

TEST_F(Batching, EightCallersGetTheBitsOfRunsAlone) {
  const char* given = std::getenv("ANYDIM_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::atoi(given)) : std::random_device()();
  SCOPED_TRACE("ANYDIM_SEED=" + std::to_string(seed));
  ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &model)) << "make models";
  ASSERT_OK(anydim_session_create(model, nullptr, nullptr, 2, &session));
  start(6, 2000);
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0}, failed{0};
  for (unsigned c = 0; c < 8; ++c)
    callers.emplace_back([&, c] {
      std::mt19937 random(seed + c);
      for (int k = 0; k < 6; ++k) {
        const int64_t rows = 1 + random() % 3, width = random() % 2 == 0 ? 64 : 96;
        std::vector<float> pixels = numbers(static_cast<size_t>(rows * 3 * 48 * width), random());
        anydim_view_t x = tensor({rows, 3, 48, width}, pixels.data()), y{};
        y.dtype = ANYDIM_F32;
        if (anydim_session_run(session, &x, 1, &y, 1, nullptr) != ANYDIM_STATUS_OK) {
          ++failed;
          continue;
        }
        const std::vector<float> expected = alone({x});
        wrong += std::memcmp(expected.data(), y.data, expected.size() * sizeof(float)) != 0;
        anydim_result_release(y.data);
      }
    });
  for (std::thread& t : callers) t.join();
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(wrong, 0);
  const anydim_batching_info_t i = info();
  EXPECT_EQ(i.requests, 48);
  EXPECT_EQ(i.waiting, 0);
  EXPECT_EQ(i.running, 0);
  EXPECT_LT(i.batches, 48);
  EXPECT_LE(i.largest_batch, 6);
  EXPECT_GT(i.p50_ns, 0);
  EXPECT_GE(i.p99_ns, i.p50_ns);
  EXPECT_GT(i.rows_per_second, 0);
}

TEST_F(Batching, OneCallerAloneNeverWaits) {
  layer();
  start();  // an hour
  std::vector<float> x = numbers(8, 1);
  for (int k = 0; k < 20; ++k) {
    anydim_view_t in = tensor({1, 8}, x.data()), y{};
    y.dtype = ANYDIM_F32;
    ASSERT_OK(anydim_session_run(session, &in, 1, &y, 1, nullptr));
    anydim_result_release(y.data);
  }
  EXPECT_EQ(info().batches, 20);
  EXPECT_EQ(info().largest_batch, 1);
}

TEST_F(Batching, RequestsThatWaitTogetherRunTogether) {
  layer();
  start();
  std::vector<float> x = numbers(8 * 8, 2);
  Submitted first, a, b, c;
  first.hold();
  ASSERT_OK(first.submit(session, {tensor({1, 8}, x.data())}));
  ASSERT_EQ(first.wait(), ANYDIM_STATUS_OK);
  ASSERT_OK(a.submit(session, {tensor({1, 8}, x.data() + 8)}));
  ASSERT_OK(b.submit(session, {tensor({3, 8}, x.data() + 16)}));
  ASSERT_OK(c.submit(session, {tensor({2, 8}, x.data() + 40)}));
  EXPECT_EQ(info().waiting, 3);
  first.release();
  for (Submitted* s : {&a, &b, &c}) ASSERT_EQ(s->wait(), ANYDIM_STATUS_OK) << s->message();
  EXPECT_EQ(a.values(), alone({tensor({1, 8}, x.data() + 8)}));
  EXPECT_EQ(b.values(), alone({tensor({3, 8}, x.data() + 16)}));
  EXPECT_EQ(c.values(), alone({tensor({2, 8}, x.data() + 40)}));
  EXPECT_EQ(info().largest_batch, 6);
  EXPECT_EQ(info().batches, 2);
}

TEST_F(Batching, InputsAreCopiedAndOutputsMayBeTheCallers) {
  layer();
  start();
  std::vector<float> x = numbers(8 * 3, 3), wide(2 * 4 * 3, -1.f);
  const std::vector<float> expected = alone({tensor({1, 8}, x.data() + 8)});
  Submitted first, a, b;
  first.hold();
  ASSERT_OK(first.submit(session, {tensor({1, 8}, x.data())}));
  ASSERT_EQ(first.wait(), ANYDIM_STATUS_OK);
  a.keep_outputs();
  // Every third number of `wide`, and an input that lies backwards.
  ASSERT_OK(a.submit(session, {tensor({1, 8}, x.data() + 8)}, nullptr, view_of(ANYDIM_F32, {1, 4}, wide.data(), {12, 3})));
  std::vector<float> backwards(x.rbegin(), x.rbegin() + 8);
  ASSERT_OK(b.submit(session, {view_of(ANYDIM_F32, {1, 8}, backwards.data() + 7, {8, -1})}));
  std::fill(x.begin() + 8, x.begin() + 16, 100.f);
  first.release();
  ASSERT_EQ(a.wait(), ANYDIM_STATUS_OK) << a.message();
  ASSERT_EQ(b.wait(), ANYDIM_STATUS_OK) << b.message();
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(wide[3 * i], expected[i]);
  EXPECT_EQ(wide[1], -1.f);
  EXPECT_EQ(b.values(), alone({tensor({1, 8}, x.data() + 16)}));
}

TEST_F(Batching, LargeRowsOfResultsAreNotCopied) {
  layer(8192);
  start();
  std::vector<float> x = numbers(8 * 3, 4);
  const std::vector<float> expected = alone({tensor({1, 8}, x.data() + 16)});
  Submitted first, b;
  std::vector<float> got;
  {
    Submitted a;
    first.hold();
    ASSERT_OK(first.submit(session, {tensor({1, 8}, x.data())}));
    ASSERT_EQ(first.wait(), ANYDIM_STATUS_OK);
    ASSERT_OK(a.submit(session, {tensor({1, 8}, x.data() + 8)}));
    ASSERT_OK(b.submit(session, {tensor({1, 8}, x.data() + 16)}));
    first.release();
    ASSERT_EQ(a.wait(), ANYDIM_STATUS_OK);
    ASSERT_EQ(b.wait(), ANYDIM_STATUS_OK);
    EXPECT_EQ(static_cast<float*>(b.output().data) - static_cast<float*>(a.output().data), 8192);
  }  // a's row goes first
  EXPECT_EQ(b.values(), expected);
}

TEST_F(Batching, ABadRequestHarmsNoOther) {
  input("index", {-1}, ANYDIM_I64);
  constant("table", {3, 2}, {1, 2, 3, 4, 5, 6});
  node("Gather", {"table", "index"}, {"y"}, "pick");
  make();
  start();
  int64_t good[] = {2, 0}, bad = 7;
  Submitted first, a, b, c;
  first.hold();
  ASSERT_OK(first.submit(session, {view_of(ANYDIM_I64, {1}, good)}));
  ASSERT_EQ(first.wait(), ANYDIM_STATUS_OK);
  ASSERT_OK(a.submit(session, {view_of(ANYDIM_I64, {2}, good)}));
  ASSERT_OK(b.submit(session, {view_of(ANYDIM_I64, {1}, &bad)}));
  ASSERT_OK(c.submit(session, {view_of(ANYDIM_I64, {1}, good)}));
  first.release();
  EXPECT_EQ(b.wait(), ANYDIM_STATUS_INVALID_DATA);
  EXPECT_NE(b.message().find("pick"), std::string::npos) << b.message();
  ASSERT_EQ(a.wait(), ANYDIM_STATUS_OK) << a.message();
  ASSERT_EQ(c.wait(), ANYDIM_STATUS_OK) << c.message();
  EXPECT_EQ(a.values(), (std::vector<float>{5, 6, 1, 2}));
  EXPECT_EQ(c.values(), (std::vector<float>{5, 6}));
  EXPECT_EQ(info().failed, 1);
}

TEST_F(Batching, ARequestEndsByTimeOrByACancellation) {
  layer();
  start();
  std::vector<float> x = numbers(8 * 8, 5);
  Submitted first, late, cancelled, good;
  first.hold();
  ASSERT_OK(first.submit(session, {tensor({1, 8}, x.data())}));
  ASSERT_EQ(first.wait(), ANYDIM_STATUS_OK);
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  options.timeout_ms = 0;
  ASSERT_OK(late.submit(session, {tensor({1, 8}, x.data())}, &options));
  anydim_cancellation_t cancellation = nullptr;
  ASSERT_OK(anydim_cancellation_create(&cancellation));
  options.timeout_ms = -1;
  options.cancellation = cancellation;
  ASSERT_OK(cancelled.submit(session, {tensor({2, 8}, x.data() + 8)}, &options));
  ASSERT_OK(good.submit(session, {tensor({2, 8}, x.data() + 24)}));
  ASSERT_OK(anydim_cancellation_set(cancellation, 1));
  first.release();
  EXPECT_EQ(late.wait(), ANYDIM_STATUS_BUSY) << late.message();
  EXPECT_EQ(cancelled.wait(), ANYDIM_STATUS_CANCELLED) << cancelled.message();
  ASSERT_EQ(good.wait(), ANYDIM_STATUS_OK) << good.message();
  EXPECT_EQ(good.values(), alone({tensor({2, 8}, x.data() + 24)}));
  EXPECT_EQ(info().late, 1);
  EXPECT_EQ(info().cancelled, 1);
  // A caller of run() leaves the queue, too. Two came together before, so a batch waits for as many.
  options.cancellation = nullptr;
  options.timeout_ms = 5;
  anydim_view_t in = tensor({1, 8}, x.data());
  EXPECT_STATUS(anydim_session_run(session, &in, 1, nullptr, 0, &options), ANYDIM_STATUS_BUSY, "did not begin in 5 ms");
  EXPECT_EQ(info().waiting, 0);
  anydim_cancellation_destroy(cancellation);
}

TEST_F(Batching, AFullQueueRefuses) {
  layer();
  start(8, 3'600'000'000, 2);
  std::vector<float> x = numbers(8, 6);
  Submitted first, a, b, c;
  first.hold();
  ASSERT_OK(first.submit(session, {tensor({1, 8}, x.data())}));
  ASSERT_EQ(first.wait(), ANYDIM_STATUS_OK);
  ASSERT_OK(a.submit(session, {tensor({1, 8}, x.data())}));
  ASSERT_OK(b.submit(session, {tensor({1, 8}, x.data())}));
  EXPECT_STATUS(c.submit(session, {tensor({1, 8}, x.data())}), ANYDIM_STATUS_BUSY, "the queue is full", "2 requests");
  EXPECT_EQ(info().refused, 1);
  first.release();
  EXPECT_EQ(a.wait(), ANYDIM_STATUS_OK);
  EXPECT_EQ(b.wait(), ANYDIM_STATUS_OK);
}

TEST_F(Batching, StoppingRunsWhatWaitsOrCancelsIt) {
  layer();
  std::vector<float> x = numbers(8, 7);
  for (const int32_t cancel : {0, 1}) {
    start();
    Submitted first, a, b;
    first.hold();
    ASSERT_OK(first.submit(session, {tensor({1, 8}, x.data())}));
    ASSERT_EQ(first.wait(), ANYDIM_STATUS_OK);
    ASSERT_OK(a.submit(session, {tensor({1, 8}, x.data())}));
    std::thread stopping([&] { EXPECT_OK(anydim_session_stop_batching(session, cancel)); });
    while (info().started != 0) std::this_thread::yield();
    if (cancel != 0) {
      EXPECT_EQ(a.wait(), ANYDIM_STATUS_CANCELLED);  // before the thread of the queue is free
    }
    first.release();
    stopping.join();
    EXPECT_EQ(a.wait(), cancel != 0 ? ANYDIM_STATUS_CANCELLED : ANYDIM_STATUS_OK);
    EXPECT_STATUS(b.submit(session, {tensor({1, 8}, x.data())}), ANYDIM_STATUS_CLOSED, "stopped");
    anydim_view_t in = tensor({1, 8}, x.data());
    EXPECT_OK(anydim_session_run(session, &in, 1, nullptr, 0, nullptr));  // by itself, as before
  }
}

TEST_F(Batching, ASessionThatIsDestroyedCancelsWhatWaits) {
  layer();
  start();
  std::vector<float> x = numbers(8, 8);
  Submitted first, a;
  first.hold();
  ASSERT_OK(first.submit(session, {tensor({1, 8}, x.data())}));
  ASSERT_EQ(first.wait(), ANYDIM_STATUS_OK);
  ASSERT_OK(a.submit(session, {tensor({1, 8}, x.data())}));
  std::thread destroying([this] { anydim_session_destroy(session); });
  EXPECT_EQ(a.wait(), ANYDIM_STATUS_CANCELLED);
  first.release();
  destroying.join();
  session = nullptr;
}

// Callers of all kinds while batching is stopped and started: each request ends, in one of the ways that are promised, and nothing waits
// for ever. The test ends by the time limit of its program if something does.
TEST_F(Batching, EveryRequestEndsWhateverHappensMeanwhile) {
  for (const int32_t contexts : {1, 2, 3}) {
    layer(4, contexts);
    start(5, 300, 12);
    std::vector<float> x = numbers(8 * 64, 11);
    const std::vector<float> expected = alone({tensor({64, 8}, x.data())});
    std::atomic<bool> over{false};
    std::atomic<int> good{0}, wrong{0};
    anydim_cancellation_t cancellation = nullptr;
    ASSERT_OK(anydim_cancellation_create(&cancellation));
    const auto check = [&](anydim_status_t status, const float* y, int64_t row, int64_t rows) {
      if (status == ANYDIM_STATUS_OK) {
        wrong += std::memcmp(y, expected.data() + row * 4, static_cast<size_t>(rows) * 4 * sizeof(float)) != 0;
        ++good;
      } else {
        wrong += status != ANYDIM_STATUS_BUSY && status != ANYDIM_STATUS_CANCELLED && status != ANYDIM_STATUS_CLOSED;
      }
    };
    std::vector<std::thread> callers;
    for (unsigned c = 0; c < 8; ++c)
      callers.emplace_back([&, c] {
        std::mt19937 random(c);
        while (!over) {
          const int64_t rows = 1 + random() % 4, row = random() % 60;
          anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
          if (random() % 8 == 0) options.timeout_ms = random() % 2;
          if (random() % 4 == 0) options.cancellation = cancellation;
          if (random() % 16 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 2000));
          if (c % 2 == 0) {
            anydim_view_t in = tensor({rows, 8}, x.data() + row * 8), y = Submitted::asked();
            const anydim_status_t status = anydim_session_run(session, &in, 1, &y, 1, &options);
            check(status, static_cast<const float*>(y.data), row, rows);
            if (status == ANYDIM_STATUS_OK) anydim_result_release(y.data);
          } else {
            Submitted one, other;
            const bool both = one.submit(session, {tensor({rows, 8}, x.data() + row * 8)}, &options) == ANYDIM_STATUS_OK;
            if (other.submit(session, {tensor({1, 8}, x.data())}) == ANYDIM_STATUS_OK) {
              const anydim_status_t status = other.wait();
              check(status, status == ANYDIM_STATUS_OK ? static_cast<const float*>(other.output().data) : nullptr, 0, 1);
            }
            if (!both) continue;
            const anydim_status_t status = one.wait();
            check(status, status == ANYDIM_STATUS_OK ? static_cast<const float*>(one.output().data) : nullptr, row, rows);
          }
        }
      });
    std::mt19937 random(99);
    for (int k = 0; k < 40; ++k) {
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 6000));
      ASSERT_OK(anydim_cancellation_set(cancellation, k % 3 == 0 ? 1 : 0));
      if (k % 2 != 0) continue;
      ASSERT_OK(anydim_session_stop_batching(session, k % 4 == 0 ? 1 : 0));
      const anydim_batching_info_t stopped = info();
      EXPECT_EQ(stopped.waiting, 0);
      EXPECT_EQ(stopped.started, 0);
      start(5, 300, 12);
    }
    over = true;
    for (std::thread& t : callers) t.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_GT(good, 0);
    EXPECT_EQ(info().waiting, 0);
    EXPECT_EQ(info().running, 0);
    anydim_cancellation_destroy(cancellation);
    anydim_session_destroy(std::exchange(session, nullptr));
    anydim_model_destroy(std::exchange(model, nullptr));
    anydim_model_builder_destroy(graph);
    ASSERT_OK(anydim_model_builder_create(&graph));
    ASSERT_OK(anydim_model_builder_set_opset(graph, "", 17));
  }
}

TEST_F(Batching, ACrowdIsSplitOverContexts) {
  layer(4, 2);
  start();
  std::vector<float> x = numbers(8 * 9, 12);
  const std::vector<float> expected = alone({tensor({9, 8}, x.data())});
  // Both threads of the queue are held, so what is submitted stays together as it came.
  Submitted held[2], crowd[7];
  for (Submitted& one : held) {
    one.hold();
    ASSERT_OK(one.submit(session, {tensor({1, 8}, x.data())}));
    ASSERT_EQ(one.wait(), ANYDIM_STATUS_OK);
  }
  for (int i = 0; i < 7; ++i) ASSERT_OK(crowd[i].submit(session, {tensor({1, 8}, x.data() + 8 * (2 + i))}));
  EXPECT_EQ(info().waiting, 7);
  for (Submitted& one : held) one.release();
  for (int i = 0; i < 7; ++i) {
    ASSERT_EQ(crowd[i].wait(), ANYDIM_STATUS_OK) << crowd[i].message();
    EXPECT_EQ(crowd[i].values(), std::vector<float>(expected.begin() + 4 * (2 + i), expected.begin() + 4 * (3 + i)));
  }
  EXPECT_EQ(info().largest_batch, 2);  // a third of seven, and not all that waited
  EXPECT_EQ(info().rows, 9);
}

TEST_F(Batching, InputsWithoutRowsJoinWhereTheyAreEqual) {
  input("x", {-1, 2});
  input("shift", {1});
  node("Add", {"x", "shift"}, {"y"}, "add");
  make();
  start();
  std::vector<float> x = {1, 2, 3, 4, 5, 6, 7, 8};
  float one = 1, also_one = 1, ten = 10;
  Submitted first, a, b, c;
  first.hold();
  ASSERT_OK(first.submit(session, {tensor({1, 2}, x.data()), tensor({1}, &one)}));
  ASSERT_EQ(first.wait(), ANYDIM_STATUS_OK);
  ASSERT_OK(a.submit(session, {tensor({1, 2}, x.data() + 2), tensor({1}, &one)}));
  ASSERT_OK(b.submit(session, {tensor({1, 2}, x.data() + 4), tensor({1}, &ten)}));
  ASSERT_OK(c.submit(session, {tensor({1, 2}, x.data() + 6), tensor({1}, &also_one)}));
  first.release();
  for (Submitted* s : {&a, &b, &c}) ASSERT_EQ(s->wait(), ANYDIM_STATUS_OK) << s->message();
  EXPECT_EQ(a.values(), (std::vector<float>{4, 5}));
  EXPECT_EQ(b.values(), (std::vector<float>{15, 16}));
  EXPECT_EQ(c.values(), (std::vector<float>{8, 9}));
  EXPECT_EQ(info().largest_batch, 2);
  EXPECT_EQ(info().batches, 3);
}

TEST_F(Batching, AModelOfOneFixedRowIsRefused) {
  input("x", {1, 8});
  node("Relu", {"x"}, {"y"}, "relu");
  make();
  expect_refused("no input has a batch axis that is dynamic");
}

TEST_F(Batching, AnOutputWithoutTheBatchIsRefused) {
  input("x", {-1, 8});
  constant("w", {8, 8}, numbers(64, 9));
  node("MatMul", {"x", "w"}, {"p"}, "product");
  node("ReduceSum", {"p"}, {"y"}, "sum");
  make();
  expect_refused("does not carry the batch axis 'batch'");
}

TEST_F(Batching, NodesThatMixRowsAreRefusedByName) {
  input("x", {-1, 8});
  node("ReduceMean", {"x"}, {"mean"}, "mean of the batch");
  node("Sub", {"x", "mean"}, {"y"}, "difference");
  make();
  expect_refused("mean of the batch");
}

TEST_F(Batching, SoftmaxAlongTheBatchIsRefused) {
  input("x", {-1, 8});
  node("Softmax", {"x"}, {"y"}, "along the rows");
  ASSERT_OK(anydim_model_builder_set_node_integer(graph, "axis", 0));
  make();
  expect_refused("along the rows");
}

TEST_F(Batching, ProductsOfRowsWithRowsAreRefused) {
  input("x", {-1, 8});
  node("Transpose", {"x"}, {"t"}, "turn");
  node("MatMul", {"x", "t"}, {"gram"}, "all pairs");
  node("MatMul", {"gram", "x"}, {"y"}, "back");
  make();
  expect_refused("all pairs");
}

TEST_F(Batching, OptionsOutOfRangeAreRefused) {
  input("x", {-1, 8});
  node("Relu", {"x"}, {"y"}, "relu");
  anydim_bounds_t bounds = nullptr;
  ASSERT_OK(anydim_bounds_create(&bounds));
  const anydim_dim_t promised[2] = {anydim_dim_dynamic(1, 6), anydim_dim_fixed(8)};
  ASSERT_OK(anydim_bounds_set(bounds, "x", 2, promised));
  make("y", 1, bounds);
  anydim_bounds_destroy(bounds);
  anydim_batching_options_t options = ANYDIM_BATCHING_OPTIONS_INIT;
  EXPECT_STATUS(anydim_session_start_batching(session, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "rows is 8", "allow 6");
  options.rows = 0;
  EXPECT_STATUS(anydim_session_start_batching(session, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "rows is 0");
  options.rows = 6;
  options.wait_us = -1;
  EXPECT_STATUS(anydim_session_start_batching(session, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "wait_us is -1");
  options.wait_us = 0;
  options.waiting = 0;
  EXPECT_STATUS(anydim_session_start_batching(session, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "waiting is 0");
  options.waiting = 1;
  ASSERT_OK(anydim_session_start_batching(session, &options));
  EXPECT_STATUS(anydim_session_start_batching(session, &options), ANYDIM_STATUS_BUSY, "stop it first");
  Submitted wrong;
  std::vector<float> x = numbers(64, 10);
  EXPECT_STATUS(wrong.submit(session, {tensor({7, 8}, x.data())}), ANYDIM_STATUS_INVALID_ARGUMENT, "7 rows", "6 at most");
  EXPECT_STATUS(wrong.submit(session, {tensor({8}, x.data())}), ANYDIM_STATUS_INVALID_ARGUMENT, "no rows for a batch");
}

}  // namespace
