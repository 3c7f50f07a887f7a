// SPDX-License-Identifier: Apache-2.0
// Wrong arguments of values, descriptors, tensors and primitives: each gives a status and a message that names the
// argument and what was found, and touches no output.
#define ANYDIM_NO_DEPRECATION 1  // one test calls old names
#include <cmath>
#include <limits>

#include "tests/capi/support.h"

using Arguments = Api;

TEST_F(Arguments, EnginesOfKindsThatAreNotThere) {
  anydim_engine_t e = nullptr;
  EXPECT_STATUS(anydim_engine_create(77, 0, nullptr, &e), ANYDIM_STATUS_INVALID_ARGUMENT, "77");
  EXPECT_STATUS(anydim_engine_create(ANYDIM_ENGINE_CPU, 3, nullptr, &e), ANYDIM_STATUS_INVALID_ARGUMENT, "device", "3");
  EXPECT_STATUS(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "engine", "null");
  anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.threads = -2;
  EXPECT_STATUS(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, &options, &e), ANYDIM_STATUS_INVALID_ARGUMENT, "threads", "-2");
  EXPECT_EQ(e, nullptr);
}

// Whatever drivers the machine has.
TEST_F(Arguments, OptionsThatAnOpenclEngineDoesNotHave) {
  SKIP_WITHOUT_A_SOUND_OPENCL_DRIVER();
  anydim_engine_t e = nullptr;
  anydim_engine_options_t options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.flushed_denormals = 2;
  EXPECT_STATUS(anydim_engine_create(ANYDIM_ENGINE_OPENCL, 0, &options, &e), ANYDIM_STATUS_INVALID_ARGUMENT, "flushed_denormals", "2");
  options = ANYDIM_ENGINE_OPTIONS_INIT;
  options.parallel_for = [](void*, int64_t, anydim_part_callback_t, void*) -> int32_t { return 0; };
  EXPECT_STATUS(anydim_engine_create(ANYDIM_ENGINE_OPENCL, 0, &options, &e), ANYDIM_STATUS_INVALID_ARGUMENT, "parallel_for");
  EXPECT_NE(anydim_engine_create(ANYDIM_ENGINE_OPENCL, 1000, nullptr, &e), ANYDIM_STATUS_OK);
  EXPECT_EQ(e, nullptr);
}

TEST_F(Arguments, KindsAreListedUntilThereAreNone) {
  anydim_engine_kind_info_t info = ANYDIM_ENGINE_KIND_INFO_INIT;
  ASSERT_OK(anydim_engine_get_kind(0, &info));
  EXPECT_EQ(info.kind, ANYDIM_ENGINE_CPU);
  EXPECT_STREQ(info.name.data, "cpu");
  ASSERT_OK(anydim_engine_get_kind(1, &info));
  EXPECT_STREQ(info.name.data, "opencl");
  for (const int32_t beyond : {-1, 1000}) {
    const std::string number = std::to_string(beyond);
    EXPECT_STATUS(anydim_engine_get_kind(beyond, &info), ANYDIM_STATUS_NOT_FOUND, "index", number.c_str());
  }
  anydim_engine_t e = nullptr;
  EXPECT_STATUS(anydim_engine_create(0, 0, nullptr, &e), ANYDIM_STATUS_INVALID_ARGUMENT, "kind is 0", "cpu (1)");
}

TEST_F(Arguments, DevicesAreListedUntilThereAreNone) {
  anydim_device_info_t info = ANYDIM_DEVICE_INFO_INIT;
  ASSERT_OK(anydim_engine_get_device(ANYDIM_ENGINE_CPU, 0, &info));
  EXPECT_EQ(info.usable, 1);
  EXPECT_GT(info.name.length, 0);
  EXPECT_STATUS(anydim_engine_get_device(ANYDIM_ENGINE_CPU, 1, &info), ANYDIM_STATUS_NOT_FOUND, "1");
  EXPECT_STATUS(anydim_engine_get_device(77, 0, &info), ANYDIM_STATUS_INVALID_ARGUMENT, "77");
  SKIP_WITHOUT_A_SOUND_OPENCL_DRIVER();
  int32_t count = 0;
  while (anydim_engine_get_device(ANYDIM_ENGINE_OPENCL, count, &info) == ANYDIM_STATUS_OK) ++count;
  EXPECT_EQ(anydim_engine_get_device(ANYDIM_ENGINE_OPENCL, count, &info), ANYDIM_STATUS_NOT_FOUND);
  EXPECT_EQ(anydim_engine_get_device(ANYDIM_ENGINE_OPENCL, -1, &info), ANYDIM_STATUS_NOT_FOUND);
}

TEST_F(Arguments, AMessageTooLongIsCutBetweenCharacters) {
  for (size_t before = 0; before < 2; ++before) {  // the cut falls on the first and on the second byte of a character
    std::string kernel(before, 'a');
    while (kernel.size() < 3000) kernel += "\xC3\xBC";
    anydim_attr_t attr = nullptr;
    ASSERT_OK(anydim_attr_create(&attr));
    EXPECT_NE(anydim_attr_set_kernel(attr, kernel.c_str()), ANYDIM_STATUS_OK);
    anydim_attr_destroy(attr);
    const std::string text = last();
    ASSERT_GT(text.size(), 1000u);
    ASSERT_EQ(text.substr(text.size() - 3), "...");
    EXPECT_EQ(text.substr(text.size() - 5, 2), "\xC3\xBC") << "half a character";
  }
}

TEST_F(Arguments, StructsOfOtherSizes) {
  anydim_stream_t s = nullptr;
  anydim_stream_options_t options = ANYDIM_STREAM_OPTIONS_INIT;
  options.size = 3;
  EXPECT_STATUS(anydim_stream_create(engine, &options, &s), ANYDIM_STATUS_INVALID_ARGUMENT, "options.size", "3");
  // An older caller: the rest keep their defaults.
  options.size = 8;
  options.threads = 1;
  options.reserved = -1;
  EXPECT_OK(anydim_stream_create(engine, &options, &s));
  anydim_stream_destroy(s);
  // A newer caller whose new fields are zero, and one that asks for something we do not know.
  struct {
    anydim_stream_options_t known = ANYDIM_STREAM_OPTIONS_INIT;
    int32_t newer[2] = {0, 0};
  } grown;
  grown.known.size = sizeof(grown);
  EXPECT_OK(anydim_stream_create(engine, &grown.known, &s));
  anydim_stream_destroy(s);
  grown.newer[1] = 5;
  EXPECT_STATUS(anydim_stream_create(engine, &grown.known, &s), ANYDIM_STATUS_UNIMPLEMENTED, "options");
  // Information: an older caller gets as much as it has room for.
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  std::memset(reinterpret_cast<char*>(&info) + 4, 0x55, sizeof(info) - 4);
  info.size = 16;
  EXPECT_OK(anydim_engine_query(engine, &info));
  EXPECT_EQ(info.kind, ANYDIM_ENGINE_CPU);
  EXPECT_EQ(reinterpret_cast<uint64_t>(info.device.data), 0x5555555555555555u) << "wrote past the caller's size";
  info.size = 0;
  EXPECT_STATUS(anydim_engine_query(engine, &info), ANYDIM_STATUS_INVALID_ARGUMENT, "info.size");
}

TEST_F(Arguments, Descriptors) {
  anydim_desc_t d = nullptr;
  anydim_dim_t dims[9];
  for (auto& v : dims) v = anydim_dim_fixed(2);
  EXPECT_STATUS(anydim_desc_create(0, 4, dims, ANYDIM_LAYOUT_STRIDED, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "dtype", "0");
  EXPECT_STATUS(anydim_desc_create(99, 4, dims, ANYDIM_LAYOUT_STRIDED, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "dtype", "99");
  EXPECT_STATUS(anydim_desc_create(ANYDIM_F32, 9, dims, ANYDIM_LAYOUT_STRIDED, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "rank", "9");
  EXPECT_STATUS(anydim_desc_create(ANYDIM_F32, -1, dims, ANYDIM_LAYOUT_STRIDED, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "-1");
  EXPECT_STATUS(anydim_desc_create(ANYDIM_F32, 4, nullptr, ANYDIM_LAYOUT_STRIDED, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "dims", "null");
  EXPECT_STATUS(anydim_desc_create(ANYDIM_F32, 2, dims, ANYDIM_LAYOUT_CHANNELS_LAST, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "layout", "2");
  EXPECT_STATUS(anydim_desc_create(ANYDIM_F32, 4, dims, 9, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "layout", "9");
  for (const int64_t wrong : {int64_t{-1}, int64_t{-7}, std::numeric_limits<int64_t>::min()}) {
    dims[1] = anydim_dim_fixed(wrong);
    EXPECT_STATUS(anydim_desc_create(ANYDIM_F32, 4, dims, ANYDIM_LAYOUT_STRIDED, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "dims[1]");
  }
  dims[1] = anydim_dim_dynamic(10, 5);
  EXPECT_STATUS(anydim_desc_create(ANYDIM_F32, 4, dims, ANYDIM_LAYOUT_STRIDED, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "dims[1]", "10..5");
  dims[1] = anydim_dim_dynamic(0, 5);
  anydim_dim_set_multiple_of(&dims[1], 0);
  EXPECT_STATUS(anydim_desc_create(ANYDIM_F32, 4, dims, ANYDIM_LAYOUT_STRIDED, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "multiple_of");
  anydim_dim_set_hint(nullptr, 3);
  anydim_dim_set_multiple_of(nullptr, 3);
  EXPECT_EQ(d, nullptr);
}

TEST_F(Arguments, Views) {
  float data[64] = {};
  anydim_primitive_t p = relu({anydim_dim_dynamic(0, INT64_MAX), anydim_dim_dynamic(0, INT64_MAX)});
  anydim_dims_t dims;
  const auto asked = [&](const anydim_view_t& view) { return anydim_primitive_get_output_dims(p, &view, 1, 0, &dims); };
  const int64_t far = INT64_C(1) << 40;
  EXPECT_STATUS(asked(view_of(ANYDIM_F32, {2, -3}, data)), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].dims[1]", "-3");
  EXPECT_STATUS(asked(view_of(ANYDIM_F32, {far, far, 4}, data)), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].dims[1]", "int64");
  EXPECT_STATUS(asked(view_of(ANYDIM_F32, {2, 3}, data, {INT64_C(1) << 61, 1})), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].strides");
  EXPECT_STATUS(asked(view_of(ANYDIM_F32, {2, 3}, data, {1})), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].strides.rank is 1", "2");
  EXPECT_STATUS(asked(view_of(0, {2, 3}, data)), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].dtype is 0");
  EXPECT_STATUS(asked(view_of(99, {2, 3}, data)), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].dtype is 99");
  anydim_view_t v = view_of(ANYDIM_F32, {2, 3}, data);
  for (const int32_t rank : {-1, 9}) {
    v.dims.rank = rank;
    EXPECT_STATUS(asked(v), ANYDIM_STATUS_INVALID_ARGUMENT, rank < 0 ? "inputs[0].dims.rank is -1" : "inputs[0].dims.rank is 9");
  }
  v.dims.rank = 2;
  v.layout = ANYDIM_LAYOUT_CHANNELS_LAST;
  EXPECT_STATUS(asked(v), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].layout", "rank is 2");
  v.layout = ANYDIM_LAYOUT_STRIDED;
  EXPECT_STATUS(asked(v), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].layout is 2", "no strides");
  v.layout = ANYDIM_LAYOUT_ROW_MAJOR;
  v.offset = 1;
  EXPECT_STATUS(asked(v), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].offset is 1 and memory is null");
  EXPECT_OK(asked(view_of(ANYDIM_F32, {2, 3}, nullptr))) << "dims do not follow from data";
  EXPECT_EQ(dims.values[1], 3);
  EXPECT_OK(asked(view_of(ANYDIM_F32, {0, far}, nullptr)));

  anydim_view_t x = view_of(ANYDIM_F32, {2, 3}, nullptr), y = view_of(ANYDIM_F32, {2, 3}, data),
                three = view_of(ANYDIM_F32, {2, 3}, data + 2, {3, -1});
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].data is null", "6");
  EXPECT_STATUS(anydim_primitive_execute_in(p, stream, &y, 1, &x, 1, nullptr, 0), ANYDIM_STATUS_INVALID_ARGUMENT, "outputs[0].data is null",
                "6");
  for (int i = 0; i < 6; ++i) data[i] = static_cast<float>(i);
  float backwards[6];
  y.data = backwards;
  EXPECT_OK(anydim_primitive_execute(p, stream, &three, 1, &y, 1)) << "strides may walk backwards";
  for (int i = 0; i < 6; ++i) EXPECT_EQ(backwards[i], static_cast<float>(i / 3 * 3 + 2 - i % 3));
  anydim_primitive_destroy(p);
}

TEST_F(Arguments, ChannelsLastNeedsNoStrides) {
  anydim_primitive_t p = relu({anydim_dim_fixed(1), anydim_dim_fixed(2), anydim_dim_fixed(1), anydim_dim_fixed(3)});
  float in[6] = {0, 1, 2, 3, 4, 5}, out[6];
  anydim_view_t x = view_of(ANYDIM_F32, {1, 2, 1, 3}, in), y = view_of(ANYDIM_F32, {1, 2, 1, 3}, out);
  x.layout = ANYDIM_LAYOUT_CHANNELS_LAST;
  ASSERT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  for (int i = 0; i < 6; ++i) EXPECT_EQ(out[i], in[i % 3 * 2 + i / 3]);
  anydim_primitive_destroy(p);
}

TEST_F(Arguments, TensorsOwnMemoryOfZerosAndShowIt) {
  anydim_tensor_t t = nullptr;
  const int64_t dims[3] = {4, 3, 5}, huge[3] = {INT64_C(1) << 40, INT64_C(1) << 40, 4};
  EXPECT_STATUS(anydim_tensor_allocate(engine, ANYDIM_F32, 3, huge, ANYDIM_LAYOUT_ROW_MAJOR, &t), ANYDIM_STATUS_INVALID_ARGUMENT, "int64");
  EXPECT_STATUS(anydim_tensor_allocate(engine, ANYDIM_F32, 3, dims, ANYDIM_LAYOUT_STRIDED, &t), ANYDIM_STATUS_INVALID_ARGUMENT,
                "layout is 2");
  EXPECT_STATUS(anydim_tensor_allocate(engine, ANYDIM_F32, 2, dims, ANYDIM_LAYOUT_CHANNELS_LAST, &t), ANYDIM_STATUS_INVALID_ARGUMENT,
                "rank is 2");
  EXPECT_EQ(t, nullptr);
  ASSERT_OK(anydim_tensor_allocate(engine, ANYDIM_F32, 3, dims, ANYDIM_LAYOUT_CHANNELS_LAST, &t));
  anydim_view_t view;
  ASSERT_OK(anydim_tensor_get_view(t, &view));
  EXPECT_EQ(view.dtype, ANYDIM_F32);
  EXPECT_EQ(view.dims.values[2], 5);
  EXPECT_EQ(view.strides.values[1], 1) << "channels last";
  for (int i = 0; i < 60; ++i) EXPECT_EQ(static_cast<const float*>(view.data)[i], 0.f);
  anydim_tensor_destroy(t);
}

TEST_F(Arguments, AttributesThatThisBuildLacks) {
  anydim_attr_t a = nullptr;
  ASSERT_OK(anydim_attr_create(&a));
  EXPECT_OK(anydim_attr_set_reuse(a, ANYDIM_REUSE_REUSABLE));
  EXPECT_OK(anydim_attr_set_reuse(a, ANYDIM_REUSE_SPECIALISED));
  EXPECT_OK(anydim_attr_set_reuse(a, ANYDIM_REUSE_INHERIT));
  EXPECT_STATUS(anydim_attr_set_reuse(a, 40), ANYDIM_STATUS_INVALID_ARGUMENT, "40");
  for (anydim_math_t mode = ANYDIM_MATH_INHERIT; mode <= ANYDIM_MATH_REDUCED; ++mode) EXPECT_OK(anydim_attr_set_math(a, mode));
  EXPECT_STATUS(anydim_attr_set_math(a, 4), ANYDIM_STATUS_INVALID_ARGUMENT, "4");
  EXPECT_STATUS(anydim_attr_set_math(a, -1), ANYDIM_STATUS_INVALID_ARGUMENT, "-1");
  EXPECT_STATUS(anydim_attr_set_kernel(a, "conv.imaginary"), ANYDIM_STATUS_NOT_FOUND, "conv.imaginary");
  EXPECT_STATUS(anydim_attr_set_kernel(a, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "kernel", "null");
  EXPECT_STATUS(anydim_attr_append_eltwise(a, 1000, 0, 0), ANYDIM_STATUS_INVALID_ARGUMENT, "function", "1000");
  EXPECT_STATUS(anydim_attr_append_binary(a, -4, 0), ANYDIM_STATUS_INVALID_ARGUMENT, "function", "-4");
  int taken = 0;
  while (anydim_attr_append_eltwise(a, ANYDIM_UNARY_RELU, 0, 0) == ANYDIM_STATUS_OK && taken < 100) ++taken;
  EXPECT_EQ(taken, 12);
  EXPECT_STATUS(anydim_attr_append_eltwise(a, ANYDIM_UNARY_RELU, 0, 0), ANYDIM_STATUS_UNIMPLEMENTED, "12");
  anydim_attr_destroy(a);
}

TEST_F(Arguments, Operators) {
  anydim_desc_t d = desc({anydim_dim_fixed(1), anydim_dim_fixed(4), anydim_dim_fixed(8), anydim_dim_fixed(8)});
  anydim_primitive_t p = nullptr;
  EXPECT_STATUS(anydim_primitive_create(engine, nullptr, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "op", "null");
  anydim_op_t nothing = {sizeof(anydim_op_t), 555};
  EXPECT_STATUS(anydim_primitive_create(engine, &nothing, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "555");
  anydim_convolution_t conv = ANYDIM_CONVOLUTION_INIT;
  conv.spatial = 4;
  EXPECT_STATUS(anydim_primitive_create(engine, &conv.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "spatial", "4");
  conv = ANYDIM_CONVOLUTION_INIT;
  conv.strides[0] = 0;
  EXPECT_STATUS(anydim_primitive_create(engine, &conv.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "strides");
  anydim_unary_t unary = ANYDIM_UNARY_INIT;
  unary.function = 4711;
  EXPECT_STATUS(anydim_primitive_create(engine, &unary.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "4711");
  anydim_softmax_t softmax = ANYDIM_SOFTMAX_INIT;
  softmax.axis = 4;
  EXPECT_STATUS(anydim_primitive_create(engine, &softmax.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "axis", "4");
  anydim_transpose_t transpose = ANYDIM_TRANSPOSE_INIT;
  transpose.perm.rank = 100;
  EXPECT_STATUS(anydim_primitive_create(engine, &transpose.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "perm", "100");
  anydim_binary_t add = ANYDIM_BINARY_INIT;
  EXPECT_NE(anydim_primitive_create(engine, &add.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_OK) << "one input is not enough";
  EXPECT_NE(anydim_primitive_create(engine, &add.op, nullptr, nullptr, 0, nullptr, &p), ANYDIM_STATUS_OK);
  EXPECT_EQ(p, nullptr);
  anydim_desc_destroy(d);
}

TEST_F(Arguments, ExecutionsThatBreakTheDescriptors) {
  anydim_dim_t width = anydim_dim_dynamic(2, 8);
  anydim_dim_set_multiple_of(&width, 2);
  anydim_primitive_t p = relu({anydim_dim_fixed(2), width});
  float in[64], out[64];
  for (int i = 0; i < 64; ++i) {
    in[i] = static_cast<float>(i) - 8.f;
    out[i] = 77.f;
  }
  anydim_view_t x = tensor({2, 4}, in), y = tensor({2, 4}, out), none{};
  struct {
    std::vector<int64_t> dims;
    anydim_status_t status;
    const char* word;
  } wrong[] = {
      {{2, 10}, ANYDIM_STATUS_OUT_OF_BOUNDS, "10"},     {{2, 0}, ANYDIM_STATUS_OUT_OF_BOUNDS, "0"},
      {{2, 5}, ANYDIM_STATUS_OUT_OF_BOUNDS, "5"},       {{3, 4}, ANYDIM_STATUS_OUT_OF_BOUNDS, "3"},
      {{2, 4, 1}, ANYDIM_STATUS_INVALID_ARGUMENT, "3"},
  };
  for (const auto& w : wrong) {
    anydim_view_t t = tensor(w.dims, in);
    EXPECT_STATUS(anydim_primitive_execute(p, stream, &t, 1, &y, 1), w.status, w.word);
  }
  anydim_view_t small = tensor({2, 2}, out);
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &small, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "output");
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 0), ANYDIM_STATUS_INVALID_ARGUMENT, "output");
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 0, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "input");
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &none, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].dtype");
  const anydim_view_t doubles = view_of(ANYDIM_F64, {2, 4}, in);
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &doubles, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "f64");
  for (const float v : out) ASSERT_EQ(v, 77.f) << "an output was touched by a failing call";
  EXPECT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  EXPECT_EQ(out[0], 0.f);
  EXPECT_EQ(out[8], 77.f);
  anydim_primitive_destroy(p);
}

TEST_F(Arguments, AskingPastTheEnd) {
  anydim_primitive_t p = relu({anydim_dim_dynamic(0, 8)});
  anydim_dims_t dims;
  anydim_dtype_t dtype;
  float v[2] = {};
  anydim_view_t x = tensor({2}, v);
  EXPECT_STATUS(anydim_primitive_get_output_dims(p, &x, 1, 1, &dims), ANYDIM_STATUS_NOT_FOUND, "index", "1");
  EXPECT_STATUS(anydim_primitive_get_output_dtype(p, -1, &dtype), ANYDIM_STATUS_NOT_FOUND, "-1");
  EXPECT_STATUS(anydim_primitive_get_order(p, 0, 7, &dims), ANYDIM_STATUS_NOT_FOUND, "7");
  anydim_candidate_t candidate = ANYDIM_CANDIDATE_INIT;
  EXPECT_STATUS(anydim_primitive_get_candidate(p, 1 << 20, &candidate), ANYDIM_STATUS_NOT_FOUND, "index");
  anydim_kernel_info_t kernel = ANYDIM_KERNEL_INFO_INIT;
  EXPECT_STATUS(anydim_engine_get_kernel(engine, -1, &kernel), ANYDIM_STATUS_NOT_FOUND, "-1");
  anydim_primitive_destroy(p);
}

TEST_F(Arguments, TheLogsLevelAndSinkAreSetApartAndCanBeAsked) {
  anydim_log_info_t before = ANYDIM_LOG_INFO_INIT;
  ASSERT_OK(anydim_log_query(&before));
  EXPECT_EQ(before.callback, nullptr) << "standard error";
  std::vector<std::string> lines;
  const anydim_log_callback_t keep = [](void* user, anydim_log_level_t, const char* text) {
    static_cast<std::vector<std::string>*>(user)->push_back(text);
  };
  ASSERT_OK(anydim_log_set_level(ANYDIM_LOG_DEBUG));
  ASSERT_OK(anydim_log_set_sink(keep, &lines, nullptr));
  anydim_log_info_t now = ANYDIM_LOG_INFO_INIT;
  ASSERT_OK(anydim_log_query(&now));
  EXPECT_EQ(now.level, ANYDIM_LOG_DEBUG);
  EXPECT_EQ(now.callback, keep);
  EXPECT_EQ(now.user, &lines);
  EXPECT_STATUS(anydim_log_set_level(17), ANYDIM_STATUS_INVALID_ARGUMENT, "17");
  EXPECT_EQ(lines.size(), 1u) << "a failed call at level debug";
  ASSERT_OK(anydim_log_set_level(ANYDIM_LOG_NONE));
  EXPECT_STATUS(anydim_log_set_sink(nullptr, nullptr, [](void*) {}), ANYDIM_STATUS_INVALID_ARGUMENT, "finalizer");
  EXPECT_EQ(lines.size(), 1u) << "no line, and the sink stays";
  ASSERT_OK(anydim_log_query(&now));
  EXPECT_EQ(now.level, ANYDIM_LOG_NONE);
  EXPECT_EQ(now.callback, keep);
  // A program that sets another sink for a while puts back what was there.
  ASSERT_OK(anydim_log_set(before.level, before.callback, before.user, nullptr));
  ASSERT_OK(anydim_log_query(&now));
  EXPECT_EQ(now.level, before.level);
  EXPECT_EQ(now.callback, nullptr);
}

TEST_F(Arguments, LogLevelsAndNames) {
  EXPECT_STATUS(anydim_log_set(17, nullptr, nullptr, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "17");
  EXPECT_STREQ(anydim_status_name(ANYDIM_STATUS_OK), "ok");
  EXPECT_STREQ(anydim_status_name(ANYDIM_STATUS_OUT_OF_BOUNDS), "out of bounds");
  EXPECT_STREQ(anydim_status_name(-5), "unknown");
  EXPECT_STREQ(anydim_dtype_name(ANYDIM_BF16), "bf16");
  EXPECT_STREQ(anydim_dtype_name(0), "unknown");
  EXPECT_STREQ(anydim_dtype_name(ANYDIM_U2 + 1), "unknown");
  int64_t bytes = -1;
  EXPECT_EQ(anydim_dtype_get_size(ANYDIM_F64, &bytes), ANYDIM_STATUS_OK);
  EXPECT_EQ(bytes, 8);
  EXPECT_EQ(anydim_dtype_get_size(ANYDIM_U2, &bytes), ANYDIM_STATUS_OK);
  EXPECT_EQ(bytes, 1) << "narrow dtypes have a byte for each element";
  EXPECT_EQ(anydim_dtype_get_size(ANYDIM_U2 + 1, &bytes), ANYDIM_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(bytes, 1) << "a call that fails changes nothing";
  EXPECT_STREQ(anydim_last_error(), "anydim_dtype_get_size: dtype is 24; expected 1..23");
  static_assert(ANYDIM_VERSION_AT_LEAST(0, 1, 0) && !ANYDIM_VERSION_AT_LEAST(1000, 0, 0));
  EXPECT_STREQ(anydim_status_name(1000), "unknown");
  EXPECT_STREQ(anydim_version(), "0.1.0");
}
