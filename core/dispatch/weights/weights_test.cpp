// SPDX-License-Identifier: Apache-2.0
// Weights that change under running calls: what an execution reads is a whole version.
#include "core/dispatch/weights/weights.h"

#include <atomic>
#include <thread>

#include "core/dispatch/testing/packed_weights.h"

namespace anydim {
namespace {

TEST(WeightsUpdate, IsSeenByTheNextExecutionOfEveryPrimitiveOverTheHandle) {
  for (const WeightsCase& c : cases()) {
    const Values one = c.values(1), two = c.values(2);
    const WeightsPtr weights = pack(c, one);
    const PrimitivePtr before = primitive(c, weights);
    const HostTensor in = tensor(c.input, 5);
    Runner runner(before, in);
    const std::string first = result(c, pack(c, one)), second = result(c, pack(c, two));
    ASSERT_NE(first, second) << c.name;
    EXPECT_EQ(runner.run(), first) << c.name;
    EXPECT_EQ(weights->version(), 1);
    const auto views = two.views();
    ASSERT_TRUE(weights->update(views).ok()) << c.name;
    EXPECT_EQ(weights->version(), 2);
    EXPECT_EQ(runner.run(), second) << c.name;
    EXPECT_EQ(result(c, weights), second) << c.name;
  }
}

TEST(WeightsUpdate, UnderRunningThreadsGivesEachCallTheOldOrTheNewBitsAndNeverAMix) {
  constexpr int kVersions = 3, kUpdates = 400, kThreads = 4;
  for (const WeightsCase& c : cases()) {
    std::vector<Values> values;
    std::vector<std::string> expected;
    for (int v = 0; v < kVersions; ++v) {
      values.push_back(c.values(10 + v));
      expected.push_back(result(c, pack(c, values.back())));
    }
    const WeightsPtr weights = pack(c, values[0]);
    const PrimitivePtr p = primitive(c, weights);
    std::atomic<bool> stop{false};
    std::atomic<int64_t> mixed{0}, seen[kVersions] = {};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        Runner runner(p, tensor(c.input, 5));
        while (!stop) {
          const std::string got = runner.run();
          int v = 0;
          while (v < kVersions && got != expected[static_cast<size_t>(v)]) ++v;
          if (v == kVersions) ++mixed;
          else ++seen[v];
        }
      });
    for (int u = 1; u <= kUpdates; ++u) {
      const auto views = values[static_cast<size_t>(u % kVersions)].views();
      ASSERT_TRUE(weights->update(views).ok());
      // What begins from here on is the new one.
      if (u % 50 == 0) {
        EXPECT_EQ(Runner(p, tensor(c.input, 5)).run(), expected[static_cast<size_t>(u % kVersions)]) << c.name;
      }
    }
    while (seen[0] + seen[1] + seen[2] < 50) std::this_thread::yield();
    stop = true;
    for (std::thread& t : threads) t.join();
    EXPECT_EQ(mixed, 0) << c.name;
    EXPECT_EQ(weights->version(), 1 + kUpdates);
  }
}

TEST(WeightsUpdate, ByManyThreadsCountsEachOnce) {
  const WeightsCase c = cases()[0];
  const Values one = c.values(1), two = c.values(2);
  const WeightsPtr weights = pack(c, one);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      const auto views = (t % 2 ? one : two).views();
      for (int i = 0; i < 50; ++i) EXPECT_TRUE(weights->update(views).ok());
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(weights->version(), 201);
  const std::string now = result(c, weights);
  EXPECT_TRUE(now == result(c, pack(c, one)) || now == result(c, pack(c, two)));
}

TEST(WeightsUpdate, LeavesAHeldVersionAsItIsHoweverManyComeAfterIt) {
  const WeightsCase c = cases()[0];
  const WeightsPtr weights = pack(c, c.values(1));
  const auto bytes_of = [](const PinnedWeights& h) {
    return std::string(h.packed()->piece<char>(0), static_cast<size_t>(h.packed()->form.pieces[0].bytes()));
  };
  auto pinned = std::make_unique<PinnedWeights>(weights.get());
  const std::string before = bytes_of(*pinned);
  for (int i = 2; i < 4; ++i) {
    const Values v = c.values(i);
    const auto views = v.views();
    ASSERT_TRUE(weights->update(views).ok()) << "an update gives up waiting";
    EXPECT_EQ(bytes_of(*pinned), before);
    EXPECT_EQ(result(c, weights), result(c, pack(c, v)));
  }
  pinned.reset();
  const Values v = c.values(9);
  const auto views = v.views();
  ASSERT_TRUE(weights->update(views).ok());
  EXPECT_EQ(result(c, weights), result(c, pack(c, v)));
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
int64_t resident_bytes() {
  std::ifstream f("/proc/self/statm");
  int64_t pages = 0, resident = 0;
  f >> pages >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

TEST(WeightsUpdate, FreesTheOldVersion) {
  const WeightsCase c{"large", *Matmul::make({}), {1024, 1024}, {1024}, {1, 1024}};
  const Values values = c.values(1);
  const auto views = values.views();
  const WeightsPtr weights = pack(c, values);
  ASSERT_TRUE(weights->update(views).ok());
  const int64_t before = resident_bytes();
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(weights->update(views).ok());
  // The allocator may keep the last one that was freed.
  EXPECT_LT(resident_bytes() - before, 2 * weights->bytes() + (1 << 20)) << "30 updates of 4 MB";
}
#endif

TEST(WeightsUpdate, OfOtherDimsTypesOrNumberIsRefusedAndChangesNothing) {
  const WeightsCase c = cases()[1];
  const Values values = c.values(1);
  const WeightsPtr weights = pack(c, values);
  const std::string before = result(c, weights);
  const auto refused = [&](std::vector<TensorView> tensors, const char* words) {
    const Status s = weights->update(tensors);
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_NE(s.message().find(words), std::string::npos) << s.message();
  };
  refused({values.first.view}, "1 tensors were given; the weights were packed from 2");
  const HostTensor other = tensor({19, 6, 3, 1}, 1);
  refused({other.view, values.second.view}, "input 1 has dims 19x6x3x1; the weights were packed from 19x6x3x3");
  TensorView integers = values.second.view;
  integers.dtype = DType::i32;
  refused({values.first.view, integers}, "input 2 has dtype i32; the weights were packed from f32");
  refused({values.first.view, {}}, "input 2 has dtype");
  EXPECT_EQ(weights->version(), 1);
  EXPECT_EQ(result(c, weights), before);
}

}  // namespace
}  // namespace anydim
