// SPDX-License-Identifier: Apache-2.0
// Models and contexts through the C API: what is asked of a model, owned and caller's outputs, bounds and buffers, wrong
// arguments, one user at a time, destruction while running.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>

#include "tests/capi/support.h"

class Models : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", nullptr, &model)) << "make models";
    pixels.resize(12 * 3 * 48 * 192);
    for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i * 7919 % 255) / 127.f - 1.f;
  }
  void TearDown() override {
    anydim_model_destroy(model);
    Api::TearDown();
  }
  anydim_view_t image(int64_t n, int64_t h = 48, int64_t w = 192) { return tensor({n, 3, h, w}, pixels.data()); }
  anydim_context_t context(int32_t threads = 1) {
    anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
    options.threads = threads;
    anydim_context_t c = nullptr;
    EXPECT_OK(anydim_context_create(model, nullptr, &options, &c));
    return c;
  }
  anydim_bounds_t bounds(int64_t most) {
    anydim_bounds_t b = nullptr;
    const anydim_dim_t dims[4] = {anydim_dim_dynamic(1, most), anydim_dim_fixed(3), anydim_dim_fixed(48), anydim_dim_fixed(192)};
    EXPECT_OK(anydim_bounds_create(&b));
    EXPECT_OK(anydim_bounds_set(b, "x", 4, dims));
    return b;
  }
  // Of a run: its output, which stays in the context's memory.
  std::vector<float> scores(anydim_context_t c, const anydim_view_t& x) {
    anydim_view_t y = asked();
    EXPECT_OK(anydim_context_run(c, &x, 1, &y, 1, nullptr));
    const auto* data = static_cast<const float*>(y.data);
    if (data == nullptr) return {};
    return {data, data + y.dims.values[0] * y.dims.values[1]};
  }
  static anydim_view_t asked(anydim_dtype_t dtype = ANYDIM_F32) {
    anydim_view_t v{};
    v.dtype = dtype;
    return v;
  }
  anydim_model_t model = nullptr;
  std::vector<float> pixels;
};

TEST_F(Models, RunInTheOrderOfAStream) {
  anydim_context_t c = context();
  const anydim_view_t x = image(2);
  const std::vector<float> expected = scores(c, x);
  anydim_view_t y = asked();
  ASSERT_OK(anydim_context_submit(c, stream, &x, 1, &y, 1, nullptr));
  ASSERT_OK(anydim_stream_wait(stream));
  const auto* data = static_cast<const float*>(y.data);
  EXPECT_EQ(std::vector<float>(data, data + expected.size()), expected);
  EXPECT_STATUS(anydim_context_submit(c, nullptr, &x, 1, &y, 1, nullptr), ANYDIM_STATUS_INVALID_HANDLE, "stream is null");
  anydim_context_destroy(c);
}

TEST_F(Models, ReportTheirInputsAndOutputs) {
  int32_t inputs = 0, outputs = 0;
  ASSERT_OK(anydim_model_get_counts(model, &inputs, &outputs));
  EXPECT_EQ(inputs, 1);
  EXPECT_EQ(outputs, 1);
  anydim_value_info_t x = ANYDIM_VALUE_INFO_INIT, y = ANYDIM_VALUE_INFO_INIT;
  ASSERT_OK(anydim_model_get_input(model, 0, &x));
  ASSERT_OK(anydim_model_get_output(model, 0, &y));
  EXPECT_STREQ(x.name.data, "x");
  EXPECT_EQ(x.dtype, ANYDIM_F32);
  ASSERT_EQ(x.dims.rank, 4);
  EXPECT_EQ(x.dims.values[0], -1);
  EXPECT_EQ(x.dims.values[1], 3);
  EXPECT_STREQ(x.symbols[1].data, "3");
  EXPECT_STREQ(x.symbols[0].data, y.symbols[0].data) << "the batch of input and output is one symbol";
  EXPECT_NE(std::string(x.symbols[0].data), x.symbols[2].data) << "unnamed dims are symbols of their own";
  EXPECT_STATUS(anydim_model_get_input(model, 1, &x), ANYDIM_STATUS_NOT_FOUND, "index", "1");
  EXPECT_STATUS(anydim_model_get_output(model, -1, &x), ANYDIM_STATUS_NOT_FOUND, "-1");
  anydim_string_t key, value;
  EXPECT_STATUS(anydim_model_get_metadata(model, 1000, &key, &value), ANYDIM_STATUS_NOT_FOUND, "1000");
  anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
  ASSERT_OK(anydim_model_query(model, &info));
  EXPECT_STREQ(info.producer_name.data, "PaddlePaddle");
  EXPECT_GT(info.weight_bytes, 100'000);
  anydim_text_t text = nullptr;
  anydim_string_t json;
  ASSERT_OK(anydim_model_describe(model, &text));
  ASSERT_OK(anydim_text_get_data(text, &json));
  EXPECT_NE(std::string(json.data, static_cast<size_t>(json.length)).find("\"Conv\": 53"), std::string::npos);
  anydim_text_destroy(text);
}

TEST_F(Models, FindInputsAndOutputsByName) {
  anydim_value_info_t y = ANYDIM_VALUE_INFO_INIT;
  ASSERT_OK(anydim_model_get_output(model, 0, &y));
  int32_t index = 7;
  EXPECT_OK(anydim_model_find_input(model, "x", &index));
  EXPECT_EQ(index, 0);
  index = 7;
  EXPECT_OK(anydim_model_find_output(model, y.name.data, &index));
  EXPECT_EQ(index, 0);
  index = 7;
  EXPECT_STATUS(anydim_model_find_input(model, y.name.data, &index), ANYDIM_STATUS_NOT_FOUND, y.name.data, "no input");
  EXPECT_STATUS(anydim_model_find_output(model, "x", &index), ANYDIM_STATUS_NOT_FOUND, "'x'", "no output");
  EXPECT_STATUS(anydim_model_find_output(model, nullptr, &index), ANYDIM_STATUS_INVALID_ARGUMENT, "name is null");
  EXPECT_EQ(index, 7);
}

TEST_F(Models, OwnedAndCallersOutputsHaveTheSameBits) {
  anydim_context_t c = context();
  anydim_view_t x = image(3);
  const std::vector<float> owned = scores(c, x);
  anydim_dims_t dims;
  ASSERT_OK(anydim_context_get_output_dims(c, &x, 1, 0, &dims));
  ASSERT_EQ(dims.rank, 2);
  EXPECT_EQ(dims.values[0], 3);
  std::vector<float> mine(static_cast<size_t>(dims.values[0] * dims.values[1]), 9.f);
  anydim_view_t y = tensor({3, 2}, mine.data()), none{};
  ASSERT_OK(anydim_context_run(c, &x, 1, &y, 1, nullptr));
  EXPECT_EQ(std::memcmp(owned.data(), mine.data(), mine.size() * sizeof(float)), 0);
  EXPECT_EQ(y.data, mine.data());
  EXPECT_EQ(y.strides.rank, 0) << "a view that was given stays as it was";
  ASSERT_OK(anydim_context_run(c, &x, 1, &none, 1, nullptr)) << "nothing is asked for";
  EXPECT_EQ(none.data, nullptr);
  EXPECT_EQ(none.dims.rank, 0);
  EXPECT_EQ(scores(c, x), owned);
  // In any strides: the transposed order, with gaps.
  std::vector<float> wide(64, 9.f);
  anydim_view_t z = view_of(ANYDIM_F32, {3, 2}, wide.data(), {2, 11});
  ASSERT_OK(anydim_context_run(c, &x, 1, &z, 1, nullptr));
  for (int n = 0; n < 3; ++n)
    for (int k = 0; k < 2; ++k) EXPECT_EQ(wide[static_cast<size_t>(n * 2 + k * 11)], owned[static_cast<size_t>(n * 2 + k)]);
  EXPECT_EQ(wide[1], 9.f) << "a gap was written";
  anydim_context_destroy(c);
}

TEST_F(Models, WrongRunsAreRefusedAndTouchNothing) {
  anydim_context_t c = context();
  std::vector<float> out(24, 9.f);
  anydim_view_t x = image(2), y = tensor({2, 2}, out.data()), wrong = tensor({2, 3}, out.data());
  EXPECT_STATUS(anydim_context_run(c, &x, 0, &y, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "0 inputs were given; the model has 1");
  anydim_dims_t dims{};
  EXPECT_STATUS(anydim_context_get_output_dims(c, &x, 0, 0, &dims), ANYDIM_STATUS_INVALID_ARGUMENT, "0 inputs were given; the model has 1");
  EXPECT_STATUS(anydim_context_run(c, nullptr, 1, &y, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs", "null");
  EXPECT_STATUS(anydim_context_run(c, &x, 1, &wrong, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "output");
  anydim_view_t two[2] = {y, y}, doubled = asked(ANYDIM_F64);
  EXPECT_STATUS(anydim_context_run(c, &x, 1, &doubled, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "asked for as f64", "f32");
  EXPECT_EQ(doubled.data, nullptr);
  EXPECT_STATUS(anydim_context_run(c, &x, 1, two, 2, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT,
                "2 outputs were given; the model has 1 (or give none)");
  anydim_view_t rank3 = tensor({3, 48, 192}, pixels.data()), four = tensor({1, 4, 48, 192}, pixels.data());
  EXPECT_STATUS(anydim_context_run(c, &rank3, 1, &y, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "x", "rank", "3");
  EXPECT_STATUS(anydim_context_run(c, &four, 1, &y, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "x", "4");
  const anydim_view_t doubles = view_of(ANYDIM_F64, {1, 3, 48, 192}, pixels.data());
  EXPECT_STATUS(anydim_context_run(c, &doubles, 1, &y, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "x", "f64", "f32");
  anydim_view_t kept = asked();
  EXPECT_STATUS(anydim_context_run(c, &four, 1, &kept, 1, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "x");
  EXPECT_EQ(kept.data, nullptr) << "a view was touched by a run that failed";
  EXPECT_EQ(kept.dims.rank, 0);
  for (const float v : out) ASSERT_EQ(v, 9.f);
  EXPECT_OK(anydim_context_run(c, &x, 1, &y, 1, nullptr)) << "a context works after failures";
  anydim_context_destroy(c);
}

TEST_F(Models, BoundsArePromises) {
  anydim_bounds_t b = bounds(4);
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
  options.threads = 1;
  int64_t needed = 0;
  ASSERT_OK(anydim_model_get_bytes_needed(model, b, &options, 0, &needed));
  ASSERT_GT(needed, 0) << last();
  anydim_context_t c = nullptr;
  ASSERT_OK(anydim_context_create(model, b, &options, &c));
  for (int64_t n : {1, 4, 2}) {
    anydim_view_t x = image(n);
    EXPECT_OK(anydim_context_run(c, &x, 1, nullptr, 0, nullptr));
  }
  anydim_view_t five = image(5);
  EXPECT_STATUS(anydim_context_run(c, &five, 1, nullptr, 0, nullptr), ANYDIM_STATUS_OUT_OF_BOUNDS, "x", "5", "4");
  anydim_context_info_t info = ANYDIM_CONTEXT_INFO_INIT;
  ASSERT_OK(anydim_context_query(c, &info));
  EXPECT_EQ(info.growths, 0);
  EXPECT_EQ(info.runs, 3);
  EXPECT_EQ(info.bounded, 1);
  EXPECT_LE(info.arena_bytes, needed + 4096 * 512);
  anydim_context_destroy(c);

  anydim_bounds_t wrong = nullptr;
  const anydim_dim_t dims[4] = {anydim_dim_fixed(1), anydim_dim_fixed(3), anydim_dim_fixed(48), anydim_dim_fixed(192)};
  ASSERT_OK(anydim_bounds_create(&wrong));
  ASSERT_OK(anydim_bounds_set(wrong, "no such input", 4, dims));
  EXPECT_STATUS(anydim_context_create(model, wrong, nullptr, &c), ANYDIM_STATUS_NOT_FOUND, "no such input");
  const auto fails_to_tell_bytes = [&](anydim_model_t of, anydim_bounds_t within, const char* needle) {
    int64_t needed = -3;
    EXPECT_NE(anydim_model_get_bytes_needed(of, within, nullptr, 0, &needed), ANYDIM_STATUS_OK);
    EXPECT_EQ(needed, -3);
    EXPECT_NE(last().find("anydim_model_get_bytes_needed"), std::string::npos) << last();
    EXPECT_NE(last().find(needle), std::string::npos) << last();
  };
  fails_to_tell_bytes(model, wrong, "no such input");
  fails_to_tell_bytes(model, nullptr, "bounds");
  fails_to_tell_bytes(nullptr, wrong, "model");
  anydim_bounds_destroy(wrong);
  ASSERT_OK(anydim_bounds_create(&wrong));
  fails_to_tell_bytes(model, wrong, "no bound");
  anydim_bounds_destroy(wrong);
  ASSERT_OK(anydim_bounds_create(&wrong));
  ASSERT_OK(anydim_bounds_set(wrong, "x", 3, dims));
  EXPECT_STATUS(anydim_context_create(model, wrong, nullptr, &c), ANYDIM_STATUS_INVALID_ARGUMENT, "x", "rank", "3");
  anydim_bounds_destroy(wrong);
  anydim_bounds_destroy(b);
}

TEST_F(Models, ACallersBufferIsAllThatARunNeeds) {
  anydim_bounds_t b = bounds(4);
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
  options.threads = 1;
  int64_t needed = 0;
  ASSERT_OK(anydim_model_get_bytes_needed(model, b, &options, 0, &needed));
  ASSERT_GT(needed, 0);
  std::unique_ptr<void, void (*)(void*)> buffer(std::aligned_alloc(64, static_cast<size_t>(needed + 63) / 64 * 64), std::free);
  anydim_context_t c = nullptr, plain = context();
  const auto create = [&](anydim_bounds_t with, void* memory, int64_t bytes) {
    options.buffer = memory;
    options.buffer_bytes = bytes;
    return anydim_context_create(model, with, &options, &c);
  };
  EXPECT_STATUS(create(b, buffer.get(), needed - 1), ANYDIM_STATUS_INVALID_ARGUMENT, "buffer_bytes");
  EXPECT_STATUS(create(b, static_cast<char*>(buffer.get()) + 1, needed), ANYDIM_STATUS_INVALID_ARGUMENT, "aligned");
  EXPECT_STATUS(create(nullptr, buffer.get(), needed), ANYDIM_STATUS_INVALID_ARGUMENT, "bounds");
  EXPECT_STATUS(create(b, nullptr, needed), ANYDIM_STATUS_INVALID_ARGUMENT, "buffer is null");
  anydim_session_t session = nullptr;
  EXPECT_STATUS(anydim_session_create(model, b, &options, 1, &session), ANYDIM_STATUS_INVALID_ARGUMENT, "options.buffer is for a context");
  ASSERT_OK(create(b, buffer.get(), needed));
  for (int64_t n : {4, 1, 3}) {
    anydim_view_t x = image(n);
    EXPECT_EQ(scores(c, x), scores(plain, x));
  }
  anydim_context_destroy(c);
  anydim_context_destroy(plain);
  anydim_bounds_destroy(b);
}

TEST_F(Models, AContextUsedFromTwoThreadsReturnsBusyAndNothingElse) {
  anydim_context_t c = context();
  std::atomic<int> worked{0}, busy{0}, other{0};
  const auto work = [&] {
    anydim_view_t x = image(8);
    for (int i = 0; i < 40; ++i) {
      const anydim_status_t s = anydim_context_run(c, &x, 1, nullptr, 0, nullptr);
      (s == ANYDIM_STATUS_OK ? worked : s == ANYDIM_STATUS_BUSY ? busy : other)++;
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  EXPECT_GT(worked, 0);
  EXPECT_EQ(other, 0);
  EXPECT_EQ(worked + busy, 80);
  anydim_context_destroy(c);
}

TEST_F(Models, AQuestionEndsARunInAContextToo) {
  anydim_context_t c = context(1);
  anydim_view_t x = image(128);
  x.strides = {4, 0, {0, 48 * 192, 192, 1}};  // one image, again and again
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  int asked = 0;
  options.user = &asked;
  options.interrupted = [](void* user) -> int32_t { return ++*static_cast<int*>(user) > 1 ? 1 : 0; };
  // It is asked every ten milliseconds or more, and a run takes about that: again until it was.
  anydim_status_t status = ANYDIM_STATUS_OK;
  for (int i = 0; i < 1000 && status == ANYDIM_STATUS_OK; ++i) status = anydim_context_run(c, &x, 1, nullptr, 0, &options);
  EXPECT_EQ(status, ANYDIM_STATUS_CANCELLED) << asked << " questions";
  EXPECT_OK(anydim_context_run(c, &x, 1, nullptr, 0, nullptr));
  anydim_context_destroy(c);
}

TEST_F(Models, ACancellationEndsARunBeforeItsNextNodeAndEveryRunUntilItIsOff) {
  anydim_context_t c = context();
  anydim_view_t x = image(12);
  const std::vector<float> expected = scores(c, x);
  anydim_cancellation_t cancellation = nullptr;
  ASSERT_OK(anydim_cancellation_create(&cancellation));
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  options.cancellation = cancellation;
  ASSERT_OK(anydim_cancellation_set(cancellation, 1));
  EXPECT_EQ(scores(c, x), expected) << "a run without it does not end";
  for (int i = 0; i < 2; ++i)
    EXPECT_STATUS(anydim_context_run(c, &x, 1, nullptr, 0, &options), ANYDIM_STATUS_CANCELLED, "cancelled before node");
  ASSERT_OK(anydim_cancellation_set(cancellation, 0));
  EXPECT_EQ(scores(c, x), expected) << "the context works as before";
  // From another thread, while it runs again and again: the last run ends by the cancellation, not by itself.
  std::atomic<int> runs{0};
  anydim_status_t ended = ANYDIM_STATUS_OK;
  std::thread runner([&] {
    while (ended == ANYDIM_STATUS_OK) {
      ended = anydim_context_run(c, &x, 1, nullptr, 0, &options);
      ++runs;
    }
  });
  while (runs < 3) std::this_thread::yield();
  ASSERT_OK(anydim_cancellation_set(cancellation, 1));
  runner.join();
  EXPECT_EQ(ended, ANYDIM_STATUS_CANCELLED);
  anydim_cancellation_destroy(cancellation);
  EXPECT_STATUS(anydim_context_run(c, &x, 1, nullptr, 0, &options), ANYDIM_STATUS_INVALID_HANDLE, "options.cancellation", "destroyed");
  EXPECT_EQ(scores(c, x), expected);
  EXPECT_STREQ(anydim_status_name(ANYDIM_STATUS_CANCELLED), "cancelled");
  anydim_context_destroy(c);
}

TEST_F(Models, AContextDestroyedWhileRunningIsClosed) {
  for (int round = 0; round < 10; ++round) {
    anydim_context_t c = context();
    std::atomic<bool> started{false};
    std::atomic<int> other{0};
    std::thread runner([&] {
      anydim_view_t x = image(12);
      for (int i = 0; i < 1000; ++i) {
        started = true;
        const anydim_status_t s = anydim_context_run(c, &x, 1, nullptr, 0, nullptr);
        if (s == ANYDIM_STATUS_INVALID_HANDLE || s == ANYDIM_STATUS_CLOSED) break;
        if (s != ANYDIM_STATUS_OK) ++other;
      }
    });
    while (!started) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::milliseconds(round));
    anydim_context_destroy(c);
    runner.join();
    EXPECT_EQ(other, 0);
    EXPECT_STATUS(anydim_stream_wait(reinterpret_cast<anydim_stream_t>(c)), ANYDIM_STATUS_INVALID_HANDLE);
  }
}

TEST_F(Models, ContextsKeepTheirModelAlive) {
  anydim_context_t c = context();
  anydim_model_t copy = model;
  model = nullptr;
  anydim_model_destroy(copy);
  anydim_view_t x = image(1);
  EXPECT_OK(anydim_context_run(c, &x, 1, nullptr, 0, nullptr));
  anydim_context_destroy(c);
}

TEST_F(Models, ExplanationsNameKernelsAndRefusals) {
  anydim_context_t c = context();
  anydim_text_t text = nullptr;
  EXPECT_STATUS(anydim_context_explain(c, nullptr, 0, nullptr, &text), ANYDIM_STATUS_NOT_FOUND, "not run");
  anydim_view_t x = image(1);
  ASSERT_OK(anydim_context_explain(c, &x, 1, nullptr, &text));
  anydim_string_t json;
  ASSERT_OK(anydim_text_get_data(text, &json));
  const std::string all(json.data, static_cast<size_t>(json.length));
  for (const char* word : {"\"kernel\"", "\"tier\": \"reusable\"", "\"because\"", "\"post_ops\"", "\"strides\"", "\"scratch\""})
    EXPECT_NE(all.find(word), std::string::npos) << word;
  int32_t count = 0;
  ASSERT_OK(anydim_context_get_node_count(c, &count));
  EXPECT_GT(count, 10);
  anydim_node_info_t node = ANYDIM_NODE_INFO_INIT;
  for (int32_t i = 0; i < count; ++i) {
    ASSERT_OK(anydim_context_get_node(c, i, &node));
    EXPECT_GT(node.kernel.length, 0);
    EXPECT_EQ(node.time_ns, -1) << "the context does not measure";
  }
  EXPECT_STATUS(anydim_context_get_node(c, count, &node), ANYDIM_STATUS_NOT_FOUND, "index");
  anydim_text_destroy(text);
  anydim_context_destroy(c);
}

TEST_F(Models, FilesThatAreNoModels) {
  anydim_model_t m = nullptr;
  EXPECT_STATUS(anydim_model_load_file(engine, "/nowhere/at/all.onnx", nullptr, &m), ANYDIM_STATUS_FILE_NOT_FOUND, "/nowhere/at/all.onnx");
  EXPECT_STATUS(anydim_model_load_file(engine, "", nullptr, &m), ANYDIM_STATUS_INVALID_ARGUMENT, "path");
  EXPECT_STATUS(anydim_model_load_file(engine, nullptr, nullptr, &m), ANYDIM_STATUS_INVALID_ARGUMENT, "path", "null");
  EXPECT_NE(anydim_model_load_file(engine, "/tmp", nullptr, &m), ANYDIM_STATUS_OK);
  EXPECT_STATUS(anydim_model_load_memory(engine, nullptr, 10, nullptr, &m), ANYDIM_STATUS_INVALID_ARGUMENT, "data", "null");
  EXPECT_STATUS(anydim_model_load_memory(engine, "x", -1, nullptr, &m), ANYDIM_STATUS_INVALID_ARGUMENT, "-1");
  EXPECT_STATUS(anydim_model_load_memory(engine, "", 0, nullptr, &m), ANYDIM_STATUS_INVALID_MODEL);
  const char junk[] = "this is no model, it is a line of text";
  EXPECT_STATUS(anydim_model_load_memory(engine, junk, sizeof(junk), nullptr, &m), ANYDIM_STATUS_INVALID_MODEL);
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  for (const anydim_math_t mode : {-1, 4}) {
    options.math = mode;
    EXPECT_STATUS(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", &options, &m), ANYDIM_STATUS_INVALID_ARGUMENT, "options.math");
  }
  EXPECT_EQ(m, nullptr);
}
