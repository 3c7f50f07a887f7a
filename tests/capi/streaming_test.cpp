// SPDX-License-Identifier: Apache-2.0
// Models by chunks over the C API: what chunks give, what options and calls refuse, and that a sequence outlives its session's handle.
#include <cstring>

#include "tests/capi/support.h"

class Streaming : public Api {
 protected:
  // y = the sum of each element and the one before it, over [1, 1, n].
  anydim_session_t session_of(const char* streaming, int64_t chunk, anydim_status_t expected = ANYDIM_STATUS_OK) {
    static const float weights[] = {1, 1};
    const int64_t dims[] = {1, 1, -1}, of_weights[] = {1, 1, 2}, pads[] = {1, 0};
    anydim_model_builder_t graph = nullptr;
    EXPECT_OK(anydim_model_builder_create(&graph));
    EXPECT_OK(anydim_model_builder_set_opset(graph, "", 17));
    EXPECT_OK(anydim_model_builder_add_input(graph, "x", ANYDIM_F32, 3, dims));
    EXPECT_OK(anydim_model_builder_add_constant(graph, "w", ANYDIM_F32, 3, of_weights, const_cast<float*>(weights), nullptr, nullptr));
    EXPECT_OK(anydim_model_builder_add_node(graph, "Conv", "", "pairs"));
    EXPECT_OK(anydim_model_builder_add_node_input(graph, "x"));
    EXPECT_OK(anydim_model_builder_add_node_input(graph, "w"));
    EXPECT_OK(anydim_model_builder_add_node_output(graph, "y"));
    EXPECT_OK(anydim_model_builder_set_node_integers(graph, "pads", pads, 2));
    EXPECT_OK(anydim_model_builder_add_output(graph, "y"));
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.streaming = streaming;
    options.streaming_chunk = chunk;
    anydim_model_t model = nullptr;
    EXPECT_EQ(anydim_model_builder_create_model(graph, engine, &options, &model), expected) << anydim_last_error();
    anydim_model_builder_destroy(graph);
    anydim_session_t session = nullptr;
    if (model != nullptr) {
      EXPECT_OK(anydim_session_create(model, nullptr, nullptr, 1, &session));
    }
    anydim_model_destroy(model);
    return session;
  }
  static anydim_view_t view(const float* data, int64_t count) {
    anydim_view_t v{};
    v.data = const_cast<float*>(data);
    v.dtype = ANYDIM_F32;
    v.dims = {3, 0, {1, 1, count}};
    v.strides = {3, 0, {count, count, 1}};
    return v;
  }
};

TEST_F(Streaming, ChunksGiveWhatTheyMakeComputable) {
  anydim_session_t session = session_of("x=2", 4);
  anydim_streaming_t streaming = nullptr;
  ASSERT_OK(anydim_streaming_create(session, &streaming));
  anydim_session_destroy(session);
  int32_t axis = 0;
  ASSERT_OK(anydim_streaming_get_axis(streaming, 0, &axis));
  EXPECT_EQ(axis, 2);
  EXPECT_EQ(anydim_streaming_get_axis(streaming, 1, &axis), ANYDIM_STATUS_NOT_FOUND);
  int64_t needed = 0;
  ASSERT_OK(anydim_streaming_get_bytes_needed(streaming, &needed));
  const float x[] = {1, 2, 4, 8, 16}, expected[] = {1, 3, 6, 12, 24};
  for (int round = 0; round < 2; ++round) {
    std::vector<float> made;
    int64_t at = 0;
    for (const int64_t n : {0, 3, 1, 1, 0}) {
      const anydim_view_t chunk = view(x + at, n);
      anydim_view_t y{};
      y.dtype = ANYDIM_F32;
      ASSERT_OK(anydim_streaming_push(streaming, &chunk, 1, 0, &y, 1, nullptr));
      EXPECT_EQ(y.dims.values[2], n) << "a causal layer waits for nothing";
      made.insert(made.end(), static_cast<const float*>(y.data), static_cast<const float*>(y.data) + n);
      anydim_result_release(y.data);
      at += n;
    }
    EXPECT_EQ(std::memcmp(made.data(), expected, sizeof expected), 0);
    anydim_streaming_info_t info = ANYDIM_STREAMING_INFO_INIT;
    ASSERT_OK(anydim_streaming_query(streaming, &info));
    EXPECT_EQ(info.received, 5);
    EXPECT_EQ(info.chunks, 5);
    EXPECT_EQ(info.first_after, 1);
    EXPECT_EQ(info.most_chunk, 4);
    EXPECT_LT(info.bytes, needed);
    const anydim_view_t large = view(x, 5), none = view(x, 0);
    EXPECT_EQ(anydim_streaming_push(streaming, &large, 1, 0, nullptr, 0, nullptr), ANYDIM_STATUS_OUT_OF_BOUNDS);
    ASSERT_OK(anydim_streaming_push(streaming, &none, 1, 1, nullptr, 0, nullptr));
    EXPECT_EQ(anydim_streaming_push(streaming, &none, 1, 0, nullptr, 0, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT);
    ASSERT_OK(anydim_streaming_reset(streaming));
  }
  anydim_streaming_destroy(streaming);
}

TEST_F(Streaming, WhatOptionsDoNotMeanIsRefused) {
  for (const char* text : {"", "x", "=2", "x=", "x=2x", "x=2;x=2", "x=-1", "x=3", "x=1"})
    EXPECT_EQ(session_of(text, 0, ANYDIM_STATUS_INVALID_ARGUMENT), nullptr) << text;
  EXPECT_EQ(session_of("q=2", 0, ANYDIM_STATUS_NOT_FOUND), nullptr);
  EXPECT_EQ(session_of("x=2", -1, ANYDIM_STATUS_INVALID_ARGUMENT), nullptr);
  EXPECT_EQ(session_of(nullptr, 7, ANYDIM_STATUS_INVALID_ARGUMENT), nullptr);
  anydim_session_t session = session_of(nullptr, 0);
  anydim_streaming_t streaming = nullptr;
  EXPECT_EQ(anydim_streaming_create(session, &streaming), ANYDIM_STATUS_INVALID_ARGUMENT);
  anydim_session_destroy(session);
}
