// SPDX-License-Identifier: Apache-2.0
// States through the C API: a cache that a model appends to and a sum that it replaces, by name, with the handle's rules. What they compute
// is tested where it is made (core/run/session/state_test.cpp).
#include <thread>

#include "tests/capi/support.h"

namespace {

// y = the mean of all rows so far, past [p, 2] and x [n, 2]; next = sum + x's mean.
class States : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    anydim_model_builder_t g = nullptr;
    ASSERT_OK(anydim_model_builder_create(&g));
    ASSERT_OK(anydim_model_builder_set_opset(g, "", 17));
    const int64_t rows[] = {-1, 2}, one[] = {1, 2};
    for (const char* name : {"past", "x"}) {
      ASSERT_OK(anydim_model_builder_add_input(g, name, ANYDIM_F32, 2, rows));
      ASSERT_OK(anydim_model_builder_set_symbol(g, name, 0, name[0] == 'p' ? "p" : "n"));
    }
    ASSERT_OK(anydim_model_builder_add_input(g, "sum", ANYDIM_F32, 2, one));
    const auto node = [&](const char* op, std::vector<const char*> in, const char* out) {
      ASSERT_OK(anydim_model_builder_add_node(g, op, "", out));
      for (const char* i : in) ASSERT_OK(anydim_model_builder_add_node_input(g, i));
      ASSERT_OK(anydim_model_builder_add_node_output(g, out));
    };
    const int64_t first[] = {0};
    node("Concat", {"past", "x"}, "present");
    ASSERT_OK(anydim_model_builder_set_node_integer(g, "axis", 0));
    node("ReduceMean", {"present"}, "y");
    ASSERT_OK(anydim_model_builder_set_node_integers(g, "axes", first, 1));
    node("ReduceMean", {"x"}, "mean");
    ASSERT_OK(anydim_model_builder_set_node_integers(g, "axes", first, 1));
    node("Add", {"sum", "mean"}, "next");
    for (const char* name : {"y", "present", "next"}) ASSERT_OK(anydim_model_builder_add_output(g, name));
    ASSERT_OK(anydim_model_builder_create_model(g, engine, nullptr, &model));
    anydim_model_builder_destroy(g);
    ASSERT_OK(anydim_session_create(model, nullptr, nullptr, 2, &session));
  }
  void TearDown() override {
    anydim_session_destroy(session);
    anydim_model_destroy(model);
    Api::TearDown();
  }
  anydim_state_t state(int64_t limit = 0) {
    anydim_state_t s = nullptr;
    EXPECT_OK(anydim_state_create(session, limit, &s));
    EXPECT_OK(anydim_state_add(s, "past", "present", 0));
    EXPECT_OK(anydim_state_add(s, "sum", "next", -1));
    return s;
  }
  static anydim_status_t step(anydim_state_t s, std::vector<float> x, std::vector<float>* y) {
    y->assign(2, 0.f);
    const anydim_view_t in = view_of(ANYDIM_F32, {static_cast<int64_t>(x.size() / 2), 2}, x.data());
    anydim_view_t out = view_of(ANYDIM_F32, {1, 2}, y->data());
    return anydim_state_step(s, &in, 1, &out, 1, nullptr);
  }
  static anydim_state_info_t info(anydim_state_t s) {
    anydim_state_info_t i = ANYDIM_STATE_INFO_INIT;
    EXPECT_OK(anydim_state_query(s, &i));
    return i;
  }
  anydim_model_t model = nullptr;
  anydim_session_t session = nullptr;
};

TEST_F(States, HandOnACacheAndASum) {
  anydim_state_t s = state(8), copy = nullptr;
  std::vector<float> y;
  ASSERT_OK(step(s, {1, 2, 3, 4}, &y));
  EXPECT_EQ(y, (std::vector<float>{2, 3}));
  ASSERT_OK(anydim_state_fork(s, &copy));
  ASSERT_OK(step(s, {5, 6}, &y));
  EXPECT_EQ(y, (std::vector<float>{3, 4}));
  ASSERT_OK(step(copy, {8, 9}, &y));
  EXPECT_EQ(y, (std::vector<float>{4, 5}));
  anydim_view_t view{};
  ASSERT_OK(anydim_state_read(s, 1, &view));
  EXPECT_EQ(static_cast<const float*>(view.data)[0], 7.f);
  ASSERT_OK(anydim_state_read(s, 0, &view));
  EXPECT_EQ(view.dims.values[0], 3);
  const anydim_state_info_t i = info(s);
  EXPECT_EQ(i.parts, 2);
  EXPECT_EQ(i.in_place, 1);
  EXPECT_EQ(i.length, 3);
  EXPECT_EQ(i.limit, 8);
  EXPECT_EQ(i.steps, 2);
  EXPECT_EQ(i.copied_bytes, 0);
  ASSERT_OK(anydim_state_reset(s));
  EXPECT_EQ(info(s).length, 0);
  ASSERT_OK(step(s, {1, 2}, &y));
  EXPECT_EQ(y, (std::vector<float>{1, 2}));
  // It keeps what it was made from.
  anydim_session_destroy(session);
  anydim_model_destroy(model);
  session = nullptr;
  model = nullptr;
  ASSERT_OK(step(s, {3, 4}, &y));
  EXPECT_EQ(y, (std::vector<float>{2, 3}));
  anydim_state_destroy(s);
  anydim_state_destroy(copy);
}

TEST_F(States, ForksInPagesShareThem) {
  anydim_state_t s = state(), copy = nullptr;
  EXPECT_STATUS(anydim_state_use_pages(s, 0, 0), ANYDIM_STATUS_INVALID_ARGUMENT, "0 slices");
  EXPECT_STATUS(anydim_state_use_pages(s, 1, -1), ANYDIM_STATUS_INVALID_ARGUMENT, "-1 bytes");
  ASSERT_OK(anydim_state_use_pages(s, 1, 1 << 20));
  std::vector<float> y;
  ASSERT_OK(step(s, {1, 2, 3, 4}, &y));
  ASSERT_OK(anydim_state_fork(s, &copy));
  anydim_state_info_t i = info(copy);
  EXPECT_EQ(i.page, 512) << "slices of eight bytes in a page of the processor";
  EXPECT_EQ(i.pages, 1);
  EXPECT_EQ(i.shared_pages, 1);
  EXPECT_EQ(i.pool_bytes, 4096);
  EXPECT_EQ(i.pool_limit, 1 << 20);
  ASSERT_OK(step(copy, {8, 9}, &y));
  EXPECT_EQ(y, (std::vector<float>{4, 5}));
  ASSERT_OK(step(s, {5, 6}, &y));
  EXPECT_EQ(y, (std::vector<float>{3, 4}));
  EXPECT_EQ(info(copy).copied_bytes, 16);
  EXPECT_EQ(info(s).copied_bytes, 0);
  EXPECT_EQ(info(s).pool_bytes, 8192);
  EXPECT_STATUS(anydim_state_use_pages(s, 1, 0), ANYDIM_STATUS_BUSY, "has made a step");
  anydim_state_destroy(s);
  EXPECT_EQ(info(copy).pool_bytes, 4096);
  anydim_state_destroy(copy);
}

TEST_F(States, ResultsArePlacedAsThoseOfASession) {
  anydim_state_t s = state();
  float x[] = {1, 2};
  const anydim_view_t in = view_of(ANYDIM_F32, {1, 2}, x);
  anydim_view_t out{};
  out.dtype = ANYDIM_F32;
  ASSERT_OK(anydim_state_step(s, &in, 1, &out, 1, nullptr));
  EXPECT_EQ(static_cast<const float*>(out.data)[1], 2.f);
  anydim_result_release(out.data);
  EXPECT_OK(anydim_state_step(s, &in, 1, nullptr, 0, nullptr));
  anydim_state_destroy(s);
}

TEST_F(States, ErrorsNameTheArgument) {
  anydim_state_t s = nullptr;
  EXPECT_STATUS(anydim_state_create(session, -1, &s), ANYDIM_STATUS_INVALID_ARGUMENT, "limit is -1");
  s = state(2);
  EXPECT_STATUS(anydim_state_add(s, "past", "y", 0), ANYDIM_STATUS_INVALID_ARGUMENT, "'past'", "another part");
  EXPECT_STATUS(anydim_state_add(s, "nothing", "y", 0), ANYDIM_STATUS_NOT_FOUND, "no input 'nothing'");
  EXPECT_STATUS(anydim_state_add(s, nullptr, "y", 0), ANYDIM_STATUS_INVALID_ARGUMENT, "input is null");
  std::vector<float> y;
  EXPECT_STATUS(step(s, {1, 2, 3, 4, 5, 6}, &y), ANYDIM_STATUS_OUT_OF_BOUNDS, "3 slices", "limit is 2");
  ASSERT_OK(step(s, {1, 2}, &y));
  EXPECT_STATUS(anydim_state_add(s, "x", "y", 0), ANYDIM_STATUS_BUSY, "has made a step");
  EXPECT_STATUS(anydim_state_truncate(s, 0), ANYDIM_STATUS_UNIMPLEMENTED, "'sum' does not grow");
  EXPECT_STATUS(anydim_state_step(s, nullptr, 0, nullptr, 0, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "0 inputs", "has 1");
  anydim_view_t view{};
  EXPECT_STATUS(anydim_state_read(s, 2, &view), ANYDIM_STATUS_NOT_FOUND, "part is 2");
  float many[6] = {};
  const anydim_view_t values[] = {view_of(ANYDIM_F32, {3, 2}, many), view_of(ANYDIM_F32, {1, 2}, many)};
  EXPECT_STATUS(anydim_state_write(s, values, 2), ANYDIM_STATUS_OUT_OF_BOUNDS, "limit is 2");
  EXPECT_STATUS(anydim_state_write(s, values, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "1 values");
  EXPECT_EQ(info(s).length, 1);
  anydim_state_destroy(s);
  EXPECT_STATUS(anydim_state_reset(s), ANYDIM_STATUS_INVALID_HANDLE);
}

TEST_F(States, EightThreadsHaveStatesOfTheirOwn) {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  anydim_state_t states[8];
  for (anydim_state_t& s : states) s = state(64);
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      std::vector<float> y;
      float sum = 0;
      for (int t = 0; t < 50; ++t) {
        const auto v = static_cast<float>(8 * t + 16 * i);
        sum += v;
        if (step(states[i], {v, -v}, &y) != ANYDIM_STATUS_OK) ++wrong;
        if (t == 0 && y[0] != v) ++wrong;
      }
      anydim_view_t view{};
      if (anydim_state_read(states[i], 1, &view) != ANYDIM_STATUS_OK || static_cast<const float*>(view.data)[0] != sum) ++wrong;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  for (anydim_state_t s : states) anydim_state_destroy(s);
}

}  // namespace
