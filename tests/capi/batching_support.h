// SPDX-License-Identifier: Apache-2.0
// What the tests of dynamic batching share: models that are built in a test, requests that were submitted, and runs alone to compare with.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/capi/support.h"

namespace batching_tests {

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
  // Its callback blocks the thread of the queue until the test releases it, so that further requests wait together.
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

}  // namespace batching_tests
