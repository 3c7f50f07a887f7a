// SPDX-License-Identifier: Apache-2.0
// The primitive cache and the counters from outside: hits can be seen, the limit is kept, a change of shapes is logged
// once, and a primitive over a shared core is as strict as any.
#include <atomic>
#include <map>
#include <string>
#include <vector>

#include "tests/capi/support.h"

class PrimitiveCache : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    EXPECT_OK(anydim_primitive_cache_clear());
  }
  void TearDown() override {
    EXPECT_OK(anydim_primitive_cache_set_limit(4 << 20));
    Api::TearDown();
  }
  static std::map<std::string, int64_t> counters() {
    std::map<std::string, int64_t> values;
    int32_t count = 0;
    EXPECT_OK(anydim_counter_get_count(&count));
    for (int32_t i = 0; i < count; ++i) {
      anydim_counter_t c = ANYDIM_COUNTER_INIT;
      EXPECT_OK(anydim_counter_get(i, &c));
      EXPECT_GT(c.doc.length, 0);
      values[c.name.data] = c.value;
    }
    anydim_counter_t c = ANYDIM_COUNTER_INIT;
    EXPECT_EQ(anydim_counter_get(count, &c), ANYDIM_STATUS_NOT_FOUND);
    EXPECT_EQ(anydim_counter_get(-1, &c), ANYDIM_STATUS_NOT_FOUND);
    return values;
  }
  // A primitive of softmax over [rows, columns], to be destroyed by the caller.
  anydim_primitive_t softmax(int64_t rows, int64_t columns) {
    anydim_softmax_t op = ANYDIM_SOFTMAX_INIT;
    anydim_desc_t d = desc({anydim_dim_fixed(rows), anydim_dim_fixed(columns)});
    anydim_primitive_t p = nullptr;
    EXPECT_OK(anydim_primitive_create(engine, &op.op, nullptr, &d, 1, nullptr, &p));
    anydim_desc_destroy(d);
    return p;
  }
  static anydim_primitive_creation_t creation(anydim_primitive_t p) {
    anydim_primitive_creation_t info = ANYDIM_PRIMITIVE_CREATION_INIT;
    EXPECT_OK(anydim_primitive_query_creation(p, &info));
    return info;
  }
  anydim_primitive_cache_hit_t hit(int64_t rows, int64_t columns) {
    anydim_primitive_t p = softmax(rows, columns);
    const auto info = creation(p);
    EXPECT_GT(info.time_ns, 0);
    anydim_primitive_destroy(p);
    return info.hit;
  }
};

TEST_F(PrimitiveCache, ReportsHitsMissesAndTimes) {
  const auto before = counters();
  EXPECT_EQ(hit(3, 5), ANYDIM_PRIMITIVE_CACHE_MISS);
  EXPECT_EQ(hit(3, 5), ANYDIM_PRIMITIVE_CACHE_HIT);
  EXPECT_EQ(hit(3, 6), ANYDIM_PRIMITIVE_CACHE_MISS);
  const auto after = counters();
  EXPECT_EQ(after.at("primitive_cache_misses") - before.at("primitive_cache_misses"), 2);
  EXPECT_EQ(after.at("primitive_cache_hits") - before.at("primitive_cache_hits"), 1);
  EXPECT_EQ(after.at("primitives_created") - before.at("primitives_created"), 2);
  anydim_primitive_cache_info_t info = ANYDIM_PRIMITIVE_CACHE_INFO_INIT;
  EXPECT_OK(anydim_primitive_cache_query(&info));
  EXPECT_EQ(info.entries, 2);
  EXPECT_GT(info.bytes, 0);
  EXPECT_LE(info.bytes, info.limit_bytes);
}

TEST_F(PrimitiveCache, KeepsTheLimitItIsGivenAndIsOffAtZero) {
  for (int64_t i = 1; i <= 5; ++i) hit(i, 5);
  anydim_primitive_cache_info_t info = ANYDIM_PRIMITIVE_CACHE_INFO_INIT;
  EXPECT_OK(anydim_primitive_cache_set_limit(6000));
  EXPECT_OK(anydim_primitive_cache_query(&info));
  EXPECT_EQ(info.limit_bytes, 6000);
  EXPECT_LE(info.bytes, 6000);
  EXPECT_OK(anydim_primitive_cache_set_limit(0));
  EXPECT_OK(anydim_primitive_cache_query(&info));
  EXPECT_EQ(info.bytes, 0);
  EXPECT_EQ(hit(1, 5), ANYDIM_PRIMITIVE_CACHE_NONE);
  EXPECT_EQ(hit(1, 5), ANYDIM_PRIMITIVE_CACHE_NONE);
  EXPECT_EQ(anydim_primitive_cache_set_limit(-1), ANYDIM_STATUS_INVALID_ARGUMENT);
  EXPECT_STREQ(anydim_last_error(), "anydim_primitive_cache_set_limit: bytes is -1; expected 0 (off) or more");
}

std::atomic<int> churn_lines{0};

TEST_F(PrimitiveCache, LogsOnceThatShapesKeepChangingAndStaysStrict) {
  anydim_primitive_cache_info_t info = ANYDIM_PRIMITIVE_CACHE_INFO_INIT;
  EXPECT_OK(anydim_primitive_cache_query(&info));
  EXPECT_OK(anydim_log_set(
      ANYDIM_LOG_INFO,
      [](void*, anydim_log_level_t, const char* text) { churn_lines += std::string(text).find("count as dynamic") != std::string::npos; },
      nullptr, nullptr));
  for (int64_t i = 1; i <= 30; ++i)
    EXPECT_EQ(hit(i, 5), i <= info.churn_misses ? ANYDIM_PRIMITIVE_CACHE_MISS : ANYDIM_PRIMITIVE_CACHE_CHURN) << i;
  EXPECT_OK(anydim_log_set(ANYDIM_LOG_WARNING, nullptr, nullptr, nullptr));
  EXPECT_EQ(churn_lines, 1);

  anydim_primitive_t p = softmax(31, 5);
  EXPECT_EQ(creation(p).hit, ANYDIM_PRIMITIVE_CACHE_CHURN);
  std::vector<float> in(155), out(155);
  anydim_view_t x = tensor({31, 5}, in.data()), y = tensor({31, 5}, out.data());
  EXPECT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  x = tensor({30, 5}, in.data());
  EXPECT_EQ(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_OUT_OF_BOUNDS);
  EXPECT_STREQ(anydim_last_error(), "anydim_primitive_execute: input 0 dim 0 is 30; its descriptor says 31");
  anydim_primitive_destroy(p);
}

// The layout a descriptor promises is its handle's: not shared by a hit.
TEST_F(PrimitiveCache, DoesNotMixLayoutsThatDescriptorsPromise) {
  anydim_transpose_t op = ANYDIM_TRANSPOSE_INIT;
  op.perm.rank = 4;
  for (int i = 0; i < 4; ++i) op.perm.values[i] = i;
  const anydim_dim_t dims[4] = {anydim_dim_fixed(1), anydim_dim_fixed(2), anydim_dim_fixed(3), anydim_dim_fixed(4)};
  std::vector<float> in(24), out(24);
  anydim_view_t x = view_of(ANYDIM_F32, {1, 2, 3, 4}, in.data(), {24, 1, 8, 2}), y = view_of(ANYDIM_F32, {1, 2, 3, 4}, out.data());
  for (const anydim_layout_t layout :
       {ANYDIM_LAYOUT_STRIDED, ANYDIM_LAYOUT_ROW_MAJOR, ANYDIM_LAYOUT_STRIDED, ANYDIM_LAYOUT_CHANNELS_LAST}) {
    anydim_desc_t d = nullptr;
    EXPECT_OK(anydim_desc_create(ANYDIM_F32, 4, dims, layout, &d));
    anydim_primitive_t p = nullptr;
    EXPECT_OK(anydim_primitive_create(engine, &op.op, nullptr, &d, 1, nullptr, &p));
    EXPECT_EQ(anydim_primitive_execute(p, stream, &x, 1, &y, 1),
              layout == ANYDIM_LAYOUT_ROW_MAJOR ? ANYDIM_STATUS_INVALID_ARGUMENT : ANYDIM_STATUS_OK);
    anydim_primitive_destroy(p);
    anydim_desc_destroy(d);
  }
}
