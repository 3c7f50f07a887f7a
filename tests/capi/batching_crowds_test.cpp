// SPDX-License-Identifier: Apache-2.0
// Crowds of callers: how they are split into batches, and that each request ends while batching is stopped and started.
#include <atomic>
#include <chrono>
#include <cstring>
#include <thread>

#include "tests/capi/batching_support.h"

namespace {

using batching_tests::Submitted;

class BatchingCrowds : public batching_tests::Batching {};

// Callers of all kinds while batching is stopped and started: each request ends, in one of the ways that are promised, and nothing waits
// forever. The test ends by the time limit of its program if something does.
TEST_F(BatchingCrowds, EveryRequestEndsWhateverHappensMeanwhile) {
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
        wrong += status != ANYDIM_STATUS_TIMED_OUT && status != ANYDIM_STATUS_QUEUE_FULL && status != ANYDIM_STATUS_CANCELLED &&
                 status != ANYDIM_STATUS_CLOSED;
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

TEST_F(BatchingCrowds, ACrowdIsSplitOverContexts) {
  layer(4, 2);
  start();
  std::vector<float> x = numbers(8 * 10, 12);
  const std::vector<float> expected = alone({tensor({10, 8}, x.data())});
  // Both threads of the queue are held, so what is submitted stays together as it came.
  Submitted held[2], crowd[8];
  for (Submitted& one : held) {
    one.hold();
    ASSERT_OK(one.submit(session, {tensor({1, 8}, x.data())}));
    ASSERT_EQ(one.wait(), ANYDIM_STATUS_OK);
  }
  for (int i = 0; i < 8; ++i) ASSERT_OK(crowd[i].submit(session, {tensor({1, 8}, x.data() + 8 * (2 + i))}));
  EXPECT_EQ(info().waiting, 8);
  for (Submitted& one : held) one.release();
  for (int i = 0; i < 8; ++i) {
    ASSERT_EQ(crowd[i].wait(), ANYDIM_STATUS_OK) << crowd[i].message();
    EXPECT_EQ(crowd[i].values(), std::vector<float>(expected.begin() + 4 * (2 + i), expected.begin() + 4 * (3 + i)));
  }
  EXPECT_EQ(info().largest_batch, 4);  // half of eight, and not all that waited
  EXPECT_EQ(info().rows, 10);
}

}  // namespace
