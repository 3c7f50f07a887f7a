// SPDX-License-Identifier: Apache-2.0
// Dynamic batching through the C API: joined requests have the bits of runs alone, one caller alone does not wait, each request ends by
// itself (time, cancellation, bad values), what is full is refused, stopping runs or cancels what waits, and models whose rows cannot be
// joined are refused by name.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include "tests/capi/batching_support.h"

namespace {

using batching_tests::Batching;
using batching_tests::Submitted;

TEST_F(Batching, EightCallersGetTheBitsOfRunsAlone) {
  const char* given = std::getenv("ANYDIM_SEED");
  const unsigned seed = given != nullptr ? static_cast<unsigned>(std::atoi(given)) : std::random_device()();
  SCOPED_TRACE("ANYDIM_SEED=" + std::to_string(seed));
  ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &model)) << "make models";
  const int contexts = seed % 2 == 0 ? 1 : 2;
  ASSERT_OK(anydim_session_create(model, nullptr, nullptr, contexts, &session));
  start(6, 2000);
  std::atomic<int> wrong{0}, failed{0};
  // On a busy machine eight callers may come one behind the other: again, until some have joined. With two contexts a crowd of four may run
  // as it comes.
  int crowds = 0;
  for (; crowds == 0 || (contexts == 1 && crowds < 100 && info().batches == info().requests); ++crowds) {
    std::vector<std::thread> callers;
    std::atomic<int> late{8};
    for (unsigned c = 0; c < 8; ++c)
      callers.emplace_back([&, c] {
        constexpr int kCalls = 6;
        std::mt19937 random(seed + c);
        std::vector<float> pixels[kCalls], expected[kCalls];
        anydim_view_t in[kCalls];
        for (int k = 0; k < kCalls; ++k) {
          const int64_t rows = 1 + random() % 3, width = random() % 2 == 0 ? 64 : 96;
          pixels[k] = numbers(static_cast<size_t>(rows * 3 * 48 * width), random());
          in[k] = tensor({rows, 3, 48, width}, pixels[k].data());
          expected[k] = alone({in[k]});
        }
        for (--late; late > 0;) std::this_thread::yield();  // all of them call at the same time, so some join
        for (int k = 0; k < kCalls; ++k) {
          anydim_view_t x = in[k], y{};
          y.dtype = ANYDIM_F32;
          if (anydim_session_run(session, &x, 1, &y, 1, nullptr) != ANYDIM_STATUS_OK) {
            ++failed;
            continue;
          }
          wrong += std::memcmp(expected[k].data(), y.data, expected[k].size() * sizeof(float)) != 0;
          anydim_result_release(y.data);
        }
      });
    for (std::thread& t : callers) t.join();
  }
  EXPECT_EQ(failed, 0);
  EXPECT_EQ(wrong, 0);
  const anydim_batching_info_t i = info();
  EXPECT_EQ(i.requests, crowds * 48);
  EXPECT_EQ(i.waiting, 0);
  EXPECT_EQ(i.running, 0);
  EXPECT_LT(i.batches, contexts == 1 ? i.requests : i.requests + 1);
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

// As anydim_session_run does, and the documentation of the options says.
TEST_F(Batching, ASubmittedRequestWithMoreRowsThanABatchRunsByItself) {
  layer();
  start(4);
  std::vector<float> x = numbers(40 * 8, 2);
  Submitted first, a, large, b, none, larger;
  first.hold();
  ASSERT_OK(first.submit(session, {tensor({1, 8}, x.data())}));
  ASSERT_EQ(first.wait(), ANYDIM_STATUS_OK);
  ASSERT_OK(a.submit(session, {tensor({1, 8}, x.data() + 8)}));
  ASSERT_OK(large.submit(session, {tensor({5, 8}, x.data() + 16)}));
  ASSERT_OK(b.submit(session, {tensor({3, 8}, x.data() + 56)}));  // still joins a
  ASSERT_OK(none.submit(session, {tensor({0, 8}, x.data())}));
  ASSERT_OK(larger.submit(session, {tensor({30, 8}, x.data() + 80)}));
  EXPECT_EQ(info().waiting, 5);
  first.release();
  for (Submitted* s : {&a, &large, &b, &none, &larger}) ASSERT_EQ(s->wait(), ANYDIM_STATUS_OK) << s->message();
  EXPECT_EQ(a.values(), alone({tensor({1, 8}, x.data() + 8)}));
  EXPECT_EQ(large.values(), alone({tensor({5, 8}, x.data() + 16)}));
  EXPECT_EQ(b.values(), alone({tensor({3, 8}, x.data() + 56)}));
  EXPECT_EQ(none.output().dims.values[0], 0);
  EXPECT_EQ(larger.values(), alone({tensor({30, 8}, x.data() + 80)}));
  EXPECT_EQ(info().batches, 5);
  EXPECT_EQ(info().largest_batch, 30);
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
  EXPECT_EQ(late.wait(), ANYDIM_STATUS_TIMED_OUT) << late.message();
  EXPECT_EQ(cancelled.wait(), ANYDIM_STATUS_CANCELLED) << cancelled.message();
  ASSERT_EQ(good.wait(), ANYDIM_STATUS_OK) << good.message();
  EXPECT_EQ(good.values(), alone({tensor({2, 8}, x.data() + 24)}));
  EXPECT_EQ(info().late, 1);
  EXPECT_EQ(info().cancelled, 1);
  // A caller of run() leaves the queue, too. Two came together before, so a batch waits for as many.
  options.cancellation = nullptr;
  options.timeout_ms = 5;
  anydim_view_t in = tensor({1, 8}, x.data());
  EXPECT_STATUS(anydim_session_run(session, &in, 1, nullptr, 0, &options), ANYDIM_STATUS_TIMED_OUT, "did not begin in 5 ms");
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
  EXPECT_STATUS(c.submit(session, {tensor({1, 8}, x.data())}), ANYDIM_STATUS_QUEUE_FULL, "the queue is full", "2 requests");
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
  Submitted beyond;  // more rows than a batch, and than the bounds allow
  ASSERT_OK(beyond.submit(session, {tensor({7, 8}, x.data())}));
  EXPECT_EQ(beyond.wait(), ANYDIM_STATUS_OUT_OF_BOUNDS);
  EXPECT_STATUS(wrong.submit(session, {tensor({8}, x.data())}), ANYDIM_STATUS_INVALID_ARGUMENT, "no rows for a batch");
}

}  // namespace
