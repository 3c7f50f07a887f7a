// SPDX-License-Identifier: Apache-2.0
// What the memory plan promises, on random graphs whose sizes are random functions of two dims.
#include "core/program/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace anydim {
namespace {

struct RandomGraph {
  std::vector<BufferLifetime> lifetimes;
  struct Size {
    int64_t area, width, constant, falling;
  };
  std::vector<Size> sizes;

  RandomGraph(std::mt19937& random, int buffers, int longest = 24) {
    for (int i = 0; i < buffers; ++i) {
      int reach = 1 + static_cast<int>(random() % 3);
      if (random() % 8 == 0 || longest > 24) reach = 4 + static_cast<int>(random() % (longest - 4));
      lifetimes.push_back({i, std::min(buffers - 1, i + reach)});
      Size s{};
      switch (random() % 4) {
        case 0: s.area = 4 * (1 + random() % 8); break;
        case 1: s.width = 64 * (1 + random() % 32); break;
        case 2: s.constant = 1024 * (random() % 256); break;
        default: s.falling = 4096 * (1 + random() % 64), s.constant = 128; break;
      }
      sizes.push_back(s);
    }
  }
  // One size in four falls as a dim grows, as scratch can.
  std::vector<int64_t> at(int64_t h, int64_t w) const {
    std::vector<int64_t> bytes;
    for (const Size& s : sizes) bytes.push_back(s.area * h * w + s.width * w + s.constant + s.falling / std::max<int64_t>(w, 1));
    return bytes;
  }
  std::vector<int64_t> bound(int64_t h, int64_t w) const {
    std::vector<int64_t> bytes = at(h, w);
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] += sizes[i].falling;
    return bytes;
  }
};

TEST(MemoryPlan, NeverOverlapsBuffersThatLiveAtTheSameTime) {
  std::mt19937 random(7);
  for (int g = 0; g < 40; ++g) {
    // Of the last ones so many live at the same time that nobody lists which.
    RandomGraph graph(random, 20 + static_cast<int>(random() % 150), g < 30 ? 24 : 120);
    const MemoryPlan plan(graph.lifetimes, graph.bound(128, 256));
    for (int shape = 0; shape < 10; ++shape) {
      const auto bytes = graph.at(random() % 129, random() % 257);
      std::vector<BufferPlace> places(bytes.size());
      const int64_t total = plan.place(bytes, places);
      for (size_t i = 0; i < bytes.size(); ++i) {
        ASSERT_EQ(places[i].offset % kBufferAlignment, 0);
        ASSERT_LE(places[i].offset + bytes[i], places[i].end);
        ASSERT_LE(places[i].end, total);
        for (size_t j = 0; j < i; ++j)
          if (graph.lifetimes[i].overlaps(graph.lifetimes[j]) && bytes[i] > 0 && bytes[j] > 0) {
            ASSERT_TRUE(places[i].end <= places[j].offset || places[j].end <= places[i].offset)
                << "graph " << g << " buffers " << i << " and " << j;
          }
      }
    }
  }
}

TEST(MemoryPlan, NoInteriorShapeNeedsMoreThanTheBound) {
  std::mt19937 random(11);
  for (int g = 0; g < 20; ++g) {
    RandomGraph graph(random, 150);
    const auto bound = graph.bound(128, 256);
    const MemoryPlan plan(graph.lifetimes, bound);
    std::vector<BufferPlace> places(bound.size());
    const int64_t most = plan.place(bound, places);
    for (int shape = 0; shape < 500; ++shape)
      ASSERT_LE(plan.place(graph.at(random() % 129, random() % 257), places), most) << "graph " << g;
  }
}

TEST(MemoryPlan, LiesInSlabsWithinTheBoundOfAllShapes) {
  std::mt19937 random(23);
  for (int g = 0; g < 30; ++g) {
    RandomGraph graph(random, 120);
    const auto bound = graph.bound(128, 256);
    MemoryLimits limits;
    limits.alignment = g % 2 ? 128 : 4096;
    limits.slab = round_up(*std::max_element(bound.begin(), bound.end()), limits.alignment) + limits.alignment * (random() % 9);
    const MemoryPlan plan(graph.lifetimes, bound, {}, limits);
    std::vector<BufferPlace> places(bound.size());
    const int64_t most = plan.place(bound, places);
    for (int shape = 0; shape < 200; ++shape) {
      const auto bytes = shape == 0 ? bound : graph.at(random() % 129, random() % 257);
      ASSERT_LE(plan.place(bytes, places), most) << "graph " << g;
      for (size_t i = 0; i < bytes.size(); ++i) {
        ASSERT_EQ(places[i].offset % limits.alignment, 0);
        ASSERT_LE(places[i].offset + bytes[i], places[i].end);
        if (bytes[i] > 0) {
          ASSERT_EQ(places[i].offset / limits.slab, (places[i].offset + bytes[i] - 1) / limits.slab) << "in two slabs";
        }
        for (size_t j = 0; j < i; ++j)
          if (graph.lifetimes[i].overlaps(graph.lifetimes[j]) && bytes[i] > 0 && bytes[j] > 0) {
            ASSERT_TRUE(places[i].end <= places[j].offset || places[j].end <= places[i].offset)
                << "graph " << g << " buffers " << i << " and " << j;
          }
      }
    }
  }
}

TEST(MemoryPlan, AStageIsPlacedByItselfAboveWhatStillLivesOfThoseBefore) {
  std::mt19937 random(19);
  for (int g = 0; g < 20; ++g) {
    RandomGraph graph(random, 120);
    std::vector<int32_t> stages;
    for (const BufferLifetime& l : graph.lifetimes) stages.push_back(l.first / 30);
    const auto bound = graph.bound(128, 256);
    const MemoryPlan plan(graph.lifetimes, bound, stages);
    std::vector<BufferPlace> at_bounds(bound.size());
    const int64_t most = plan.place(bound, at_bounds);
    for (int shape = 0; shape < 50; ++shape) {
      // Each stage at dims of its own, which nobody knows before.
      std::vector<int64_t> bytes(bound.size(), 0);
      std::vector<BufferPlace> places(bound.size(), BufferPlace{-1, -1});
      for (int32_t stage = 0; stage < 4; ++stage) {
        const auto now = graph.at(random() % 129, random() % 257);
        for (size_t i = 0; i < bytes.size(); ++i)
          if (stages[i] == stage) bytes[i] = now[i];
        ASSERT_LE(plan.place_stage(static_cast<size_t>(stage), bytes, places), most);
        for (size_t i = 0; i < bytes.size(); ++i) ASSERT_EQ(places[i].offset >= 0, stages[i] <= stage) << "another stage was placed";
      }
      for (size_t i = 0; i < bytes.size(); ++i)
        for (size_t j = 0; j < i; ++j)
          if (graph.lifetimes[i].overlaps(graph.lifetimes[j]) && bytes[i] > 0 && bytes[j] > 0) {
            ASSERT_TRUE(places[i].end <= places[j].offset || places[j].end <= places[i].offset) << "buffers " << i << " and " << j;
            if (stages[i] > stages[j]) {
              ASSERT_LE(places[j].end, places[i].offset) << "buffers " << i << " and " << j;
            }
          }
    }
  }
}

TEST(MemoryPlan, StaysNearTheLowerBoundAtOtherShapes) {
  std::mt19937 random(13);
  double ratio = 0;
  int count = 0;
  for (int g = 0; g < 30; ++g) {
    RandomGraph graph(random, 120);
    const MemoryPlan plan(graph.lifetimes, graph.bound(64, 256));
    std::vector<BufferPlace> places(graph.sizes.size());
    for (int64_t w : {8, 64, 256}) {
      const auto bytes = graph.at(w / 4, w);
      ratio += static_cast<double>(plan.place(bytes, places)) / static_cast<double>(live_lower_bound(graph.lifetimes, bytes));
      ++count;
    }
  }
  EXPECT_LT(ratio / count, 1.3);
}

TEST(MemoryPlan, ReusesMemoryAlongAChain) {
  // Ten equal buffers, each alive with the next only: two places are enough.
  std::vector<BufferLifetime> lifetimes;
  for (int i = 0; i < 10; ++i) lifetimes.push_back({i, i + 1});
  const std::vector<int64_t> bytes(10, 1000);
  std::vector<BufferPlace> places(10);
  EXPECT_EQ(MemoryPlan(lifetimes, bytes).place(bytes, places), 2 * 1024);
}

TEST(MemoryPlan, KeepsWhatLivesThroughoutAtOneAddress) {
  std::mt19937 random(17);
  for (int g = 0; g < 20; ++g) {
    RandomGraph graph(random, 60);
    const size_t scratch = random() % 60;
    graph.lifetimes[scratch] = {0, 59};
    graph.sizes[scratch] = {0, 0, 17536, 0};
    const MemoryPlan plan(graph.lifetimes, graph.bound(128, 256));
    std::vector<BufferPlace> places(60);
    for (int shape = 0; shape < 20; ++shape) {
      plan.place(graph.at(random() % 129, random() % 257), places);
      ASSERT_EQ(places[scratch].offset, 0) << "graph " << g;
    }
  }
}

TEST(MemoryPlan, TakesNoSpaceForNothing) {
  EXPECT_EQ(MemoryPlan().place({}, {}), 0);
  const std::vector<BufferLifetime> lifetimes{{0, 3}, {1, 2}};
  const std::vector<int64_t> bytes{0, 0};
  std::vector<BufferPlace> places(2);
  EXPECT_EQ(MemoryPlan(lifetimes, bytes).place(bytes, places), 0);
}

TEST(MemoryPlan, SaturatesInsteadOfWrapping) {
  const std::vector<BufferLifetime> lifetimes{{0, 3}, {1, 2}};
  const std::vector<int64_t> bytes{kMaxSize, kMaxSize - 1};
  std::vector<BufferPlace> places(2);
  EXPECT_EQ(MemoryPlan(lifetimes, bytes).place(bytes, places), kMaxSize);
}

}  // namespace
}  // namespace anydim
