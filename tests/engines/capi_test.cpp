// SPDX-License-Identifier: Apache-2.0
// Primitives, weights and memories of the C API on the engine that only tests have (on_device.h).
#include "tests/engines/on_device.h"

namespace {

TEST_F(OnDevice, PrimitivesTakeViewsOfItsMemoryAndRunInItsQueue) {
  anydim_primitive_t p = relu_there();
  const std::vector<float> x = drawn(12, 1);
  anydim_memory_t in = memory_of(x, 20), out = memory_of(std::vector<float>(16, 7), 0);
  const anydim_view_t from = at(in, 20, {4, 3});
  anydim_view_t to = at(out, 8, {4, 3});
  int64_t scratch = -1;
  EXPECT_OK(anydim_primitive_get_scratch_bytes(p, queue, &from, 1, &to, 1, &scratch));
  anydim_dims_t dims;
  ASSERT_OK(anydim_primitive_get_output_dims(p, &from, 1, 0, &dims));
  EXPECT_EQ(dims.values[0], 4);
  const int64_t before = device->launches();
  ASSERT_OK(anydim_primitive_execute(p, queue, &from, 1, &to, 1));
  EXPECT_EQ(device->launches(), before) << "the queue runs later";
  EXPECT_EQ(to.data, nullptr);
  ASSERT_OK(anydim_stream_wait(queue));
  EXPECT_EQ(device->launches(), before + 1);
  const std::vector<float> y = floats_of(out, 0, 16);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(y[i], i < 2 || i >= 14 ? 7.f : std::max(x[i - 2], 0.f)) << i;
  // Everything may be destroyed before the queue is done.
  ASSERT_OK(anydim_primitive_execute(p, queue, &from, 1, &to, 1));
  anydim_memory_destroy(in);
  anydim_memory_destroy(out);
  anydim_primitive_destroy(p);
  EXPECT_OK(anydim_stream_wait(queue));
}

TEST_F(OnDevice, WeightsAndPostOpTensorsLieThereToo) {
  anydim_matmul_t op = ANYDIM_MATMUL_INIT;
  anydim_attr_t attr = nullptr;
  ASSERT_OK(anydim_attr_create(&attr));
  ASSERT_OK(anydim_attr_append_binary(attr, ANYDIM_BINARY_ADD, 0));
  std::vector<float> w = drawn(20, 3), x = drawn(12, -5), more = drawn(15, 2), want(15);
  const anydim_view_t constant = view_of(ANYDIM_F32, {4, 5}, w.data());
  const auto run = [&](anydim_engine_t on, anydim_stream_t in, const anydim_view_t* inputs, anydim_view_t* out) {
    anydim_weights_t weights = nullptr;
    ASSERT_OK(anydim_weights_create(on, &op.op, attr, nullptr, 0, &constant, nullptr, 1, &weights));
    anydim_desc_t d = desc({anydim_dim_dynamic(0, 100), anydim_dim_fixed(4)});
    anydim_primitive_t p = nullptr;
    ASSERT_OK(anydim_primitive_create(on, &op.op, attr, &d, 1, weights, &p));
    ASSERT_OK(anydim_primitive_execute(p, in, inputs, 2, out, 1));
    anydim_primitive_destroy(p);
    anydim_weights_destroy(weights);
    anydim_desc_destroy(d);
    EXPECT_OK(anydim_stream_wait(in));
  };
  const anydim_view_t here[2] = {view_of(ANYDIM_F32, {3, 4}, x.data()), view_of(ANYDIM_F32, {3, 5}, more.data())};
  anydim_view_t result = view_of(ANYDIM_F32, {3, 5}, want.data());
  run(engine, stream, here, &result);
  anydim_memory_t in = memory_of(x, 0), added = memory_of(more, 64), out = memory_of(std::vector<float>(15), 0);
  const anydim_view_t placed[2] = {at(in, 0, {3, 4}), at(added, 64, {3, 5})};
  anydim_view_t to = at(out, 0, {3, 5});
  run(there, queue, placed, &to);
  EXPECT_EQ(floats_of(out, 0, 15), want);
  for (anydim_memory_t m : {in, added, out}) anydim_memory_destroy(m);
  anydim_attr_destroy(attr);
}

// The longest chain with every scale and zero point: 18 tensors behind the operator's own.
TEST_F(OnDevice, AFullChainWithAllScalesAndZeroPointsGivesTheHostsBits) {
  constexpr int kChain = 12, kInputs = 2 + kChain + 6;
  anydim_matmul_t op = ANYDIM_MATMUL_INIT;
  anydim_attr_t attr = nullptr;
  ASSERT_OK(anydim_attr_create(&attr));
  ASSERT_OK(anydim_attr_set_dtype(attr, ANYDIM_U8));
  for (const anydim_operand_t o : {ANYDIM_OPERAND_INPUT_0, ANYDIM_OPERAND_INPUT_1, ANYDIM_OPERAND_RESULT}) {
    ASSERT_OK(anydim_attr_set_scales(attr, o, -1, nullptr, 0));
    ASSERT_OK(anydim_attr_set_zero_points(attr, o, -1, nullptr, 0));
  }
  for (int i = 0; i < kChain; ++i) ASSERT_OK(anydim_attr_append_binary(attr, i % 2 ? ANYDIM_BINARY_MUL : ANYDIM_BINARY_ADD, 0));
  const std::vector<uint8_t> a = {1, 200, 3, 40, 5, 60};
  const std::vector<int8_t> b = {7, -8, 9, 10, -11, 12};
  std::vector<std::vector<float>> floats;
  const std::vector<uint8_t> zero_a = {17}, zero_y = {90};
  const std::vector<int8_t> zero_b = {-4};
  std::vector<uint8_t> want(4), mine(4);
  // Each tensor on the host and on the device, at an offset of its own.
  std::vector<anydim_view_t> here, placed;
  std::vector<anydim_memory_t> memories;
  const auto add = [&](const auto& values, anydim_dtype_t dtype, const std::vector<int64_t>& dims) {
    const auto bytes = static_cast<int64_t>(values.size() * sizeof(values[0])), before = static_cast<int64_t>(4 * memories.size());
    anydim_memory_t m = nullptr;
    ASSERT_OK(anydim_memory_allocate(there, before + bytes, &m));
    void* data = nullptr;
    ASSERT_OK(anydim_memory_map(m, before, bytes, &data));
    std::memcpy(data, values.data(), static_cast<size_t>(bytes));
    ASSERT_OK(anydim_memory_unmap(m, before, bytes));
    memories.push_back(m);
    here.push_back(view_of(dtype, dims, const_cast<void*>(static_cast<const void*>(values.data()))));
    placed.push_back(view_of(dtype, dims, nullptr));
    placed.back().memory = m;
    placed.back().offset = before;
  };
  for (int i = 0; i < kChain; ++i) floats.push_back({0.5f + 0.125f * static_cast<float>(i)});
  for (const float scale : {0.02f, 0.03f, 0.25f}) floats.push_back({scale});
  add(a, ANYDIM_U8, {2, 3});
  add(b, ANYDIM_I8, {3, 2});
  for (int i = 0; i < kChain; ++i) add(floats[static_cast<size_t>(i)], ANYDIM_F32, {1, 1});
  add(floats[kChain], ANYDIM_F32, {});
  add(zero_a, ANYDIM_U8, {});
  add(floats[kChain + 1], ANYDIM_F32, {1});
  add(zero_b, ANYDIM_I8, {});
  add(floats[kChain + 2], ANYDIM_F32, {});
  add(zero_y, ANYDIM_U8, {1});
  ASSERT_EQ(here.size(), size_t{kInputs});
  const auto run = [&](anydim_engine_t on, anydim_stream_t in, const std::vector<anydim_view_t>& inputs, anydim_view_t* out) {
    anydim_desc_t d[2] = {desc({anydim_dim_dynamic(0, 9), anydim_dim_fixed(3)}, ANYDIM_U8),
                          desc({anydim_dim_fixed(3), anydim_dim_fixed(2)}, ANYDIM_I8)};
    anydim_primitive_t p = nullptr;
    ASSERT_OK(anydim_primitive_create(on, &op.op, attr, d, 2, nullptr, &p));
    EXPECT_OK(anydim_primitive_execute(p, in, inputs.data(), kInputs, out, 1));
    EXPECT_OK(anydim_stream_wait(in));
    anydim_primitive_destroy(p);
    for (anydim_desc_t x : d) anydim_desc_destroy(x);
  };
  anydim_view_t result = view_of(ANYDIM_U8, {2, 2}, want.data());
  run(engine, stream, here, &result);
  EXPECT_NE(want, mine);
  anydim_memory_t out = nullptr;
  ASSERT_OK(anydim_memory_allocate(there, 4, &out));
  anydim_view_t to = view_of(ANYDIM_U8, {2, 2}, nullptr);
  to.memory = out;
  run(there, queue, placed, &to);
  void* data = nullptr;
  ASSERT_OK(anydim_memory_map(out, 0, 4, &data));
  std::memcpy(mine.data(), data, 4);
  ASSERT_OK(anydim_memory_unmap(out, 0, 4));
  EXPECT_EQ(mine, want);
  for (anydim_memory_t m : memories) anydim_memory_destroy(m);
  anydim_memory_destroy(out);
  anydim_attr_destroy(attr);
}

TEST_F(OnDevice, TensorsThatLieElsewhereAreRefusedByName) {
  anydim_primitive_t p = relu_there(), q = relu({anydim_dim_fixed(4), anydim_dim_fixed(3)});
  float data[12] = {};
  anydim_memory_t m = memory_of(drawn(24, 1), 0);
  const anydim_view_t x = at(m, 0, {4, 3}), host = view_of(ANYDIM_F32, {4, 3}, data);
  anydim_view_t y = at(m, 48, {4, 3}), host_y = host, asked{};
  asked.dtype = ANYDIM_F32;
  const auto argument = [] {
    anydim_error_info_t info = ANYDIM_ERROR_INFO_INIT;
    EXPECT_OK(anydim_last_error_query(&info));
    return std::string(info.argument.data, static_cast<size_t>(info.argument.length));
  };
  EXPECT_STATUS(anydim_primitive_execute(p, queue, &host, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT,
                "inputs[0] lies in memory of engine cpu", "the primitive is of engine testing");
  EXPECT_EQ(argument(), "inputs[0]");
  EXPECT_STATUS(anydim_primitive_execute(p, queue, &x, 1, &host_y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "outputs[0] lies");
  EXPECT_STATUS(anydim_primitive_execute(p, queue, &x, 1, &asked, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "outputs[0].memory is null");
  EXPECT_EQ(argument(), "outputs[0]");
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "stream is of engine cpu");
  EXPECT_STATUS(anydim_primitive_execute(q, stream, &x, 1, &host_y, 1), ANYDIM_STATUS_INVALID_ARGUMENT,
                "inputs[0] lies in memory of engine testing");
  EXPECT_STATUS(anydim_primitive_execute(q, stream, &host, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "outputs[0] lies");
  EXPECT_STATUS(anydim_primitive_execute(q, queue, &host, 1, &host_y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "stream is of engine testing");
  anydim_view_t outside = at(m, 52, {4, 3});
  EXPECT_STATUS(anydim_primitive_execute(p, queue, &outside, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT,
                "the bytes 52 to 100; the memory has 96");
  EXPECT_STATUS(anydim_primitive_execute(p, queue, &x, 1, &outside, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "outputs[0].offset is 52");
  anydim_view_t across = at(m, 4, {4, 3});
  EXPECT_STATUS(anydim_primitive_execute(p, queue, &x, 1, &across, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "overlaps input 0");
  EXPECT_STATUS(anydim_primitive_execute_in(p, queue, &x, 1, &y, 1, nullptr, 0), ANYDIM_STATUS_UNIMPLEMENTED, "engine testing");
  anydim_text_t text = nullptr;
  EXPECT_STATUS(anydim_primitive_compare_kernels(p, queue, &x, 1, &y, 1, 0, &text), ANYDIM_STATUS_UNIMPLEMENTED,
                "memory is of engine testing");
  anydim_weights_t weights = nullptr;
  anydim_matmul_t matmul = ANYDIM_MATMUL_INIT;
  EXPECT_STATUS(anydim_weights_create(engine, &matmul.op, nullptr, nullptr, 0, &x, nullptr, 1, &weights), ANYDIM_STATUS_UNIMPLEMENTED,
                "constants[0]");
  EXPECT_OK(anydim_stream_wait(queue));
  anydim_memory_destroy(m);
  anydim_primitive_destroy(p);
  anydim_primitive_destroy(q);
}

TEST_F(OnDevice, WeightsOfADeviceAreNeitherSavedNorLoaded) {
  anydim_matmul_t op = ANYDIM_MATMUL_INIT;
  std::vector<float> w = drawn(20, 3);
  const anydim_view_t constant = view_of(ANYDIM_F32, {4, 5}, w.data());
  anydim_weights_t weights = nullptr, loaded = nullptr;
  ASSERT_OK(anydim_weights_create(there, &op.op, nullptr, nullptr, 0, &constant, nullptr, 1, &weights));
  const std::string path = testing::TempDir() + "device.weights";
  EXPECT_STATUS(anydim_weights_save(weights, path.c_str(), nullptr), ANYDIM_STATUS_UNIMPLEMENTED, "memory of engine testing");
  EXPECT_STATUS(anydim_weights_load(there, &op.op, nullptr, nullptr, 0, path.c_str(), &loaded), ANYDIM_STATUS_UNIMPLEMENTED,
                "engine testing");
  anydim_weights_destroy(weights);
}

TEST_F(OnDevice, ManyViewsSomeOfThemThere) {
  anydim_concat_t concat = ANYDIM_CONCAT_INIT;
  anydim_desc_t d = desc({anydim_dim_fixed(1), anydim_dim_fixed(3)});
  const std::vector<anydim_desc_t> rows(20, d);
  anydim_primitive_t p = nullptr;
  ASSERT_OK(anydim_primitive_create(there, &concat.op, nullptr, rows.data(), 20, nullptr, &p));
  const std::vector<float> x = drawn(22, 1);
  anydim_memory_t in = memory_of(x, 0), out = memory_of(std::vector<float>(60), 0);
  std::vector<anydim_view_t> parts;
  for (int i = 0; i < 20; ++i) parts.push_back(at(in, i * 4, {1, 3}));
  anydim_view_t y = at(out, 0, {20, 3});
  ASSERT_OK(anydim_primitive_execute(p, queue, parts.data(), 20, &y, 1));
  const std::vector<float> all = floats_of(out, 0, 60);
  for (size_t i = 0; i < 60; ++i) EXPECT_EQ(all[i], x[i / 3 + i % 3]) << i;
  float here[3] = {};
  parts[17] = view_of(ANYDIM_F32, {1, 3}, here);
  EXPECT_STATUS(anydim_primitive_execute(p, queue, parts.data(), 20, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[17] lies");
  anydim_memory_destroy(in);
  anydim_memory_destroy(out);
  anydim_primitive_destroy(p);
  anydim_desc_destroy(d);
}

TEST_F(OnDevice, ImportedBytesAreKeptUntilTheQueueIsDoneWithThem) {
  const auto importing = TestEngine::create({.imports = true});
  anydim_engine_t reaches = handle_of(importing);
  anydim_stream_t own = nullptr;
  ASSERT_OK(anydim_stream_create(reaches, nullptr, &own));
  std::vector<float> data = drawn(8, 1), back(8);
  int ended = 0;
  const auto end = [](void* count) { ++*static_cast<int*>(count); };
  anydim_memory_t m = nullptr, to = nullptr;
  ASSERT_OK(anydim_memory_import(reaches, data.data(), 32, end, &ended, &m));
  anydim_memory_info_t info = ANYDIM_MEMORY_INFO_INIT;
  EXPECT_OK(anydim_memory_query(m, &info));
  EXPECT_EQ(info.imported, 1);
  ASSERT_OK(anydim_memory_import(engine, back.data(), 32, nullptr, nullptr, &to));
  ASSERT_OK(anydim_memory_copy(own, to, 0, m, 0, 32));
  anydim_memory_destroy(m);
  EXPECT_EQ(ended, 0) << "the queue has not read them";
  EXPECT_OK(anydim_stream_wait(own));
  EXPECT_EQ(ended, 1);
  EXPECT_EQ(back, data);
  anydim_memory_destroy(to);
  anydim_stream_destroy(own);
  anydim_engine_destroy(reaches);
  EXPECT_EQ(ended, 1);
}

TEST_F(OnDevice, AFinalizerIsNotCalledWhereNothingWasTaken) {
  int ended = 0;
  const auto end = [](void* count) { ++*static_cast<int*>(count); };
  float data[4] = {};
  anydim_memory_t m = nullptr;
  EXPECT_STATUS(anydim_memory_import(there, data, 16, end, &ended, &m), ANYDIM_STATUS_UNIMPLEMENTED, "memory of the host");
  EXPECT_EQ(m, nullptr);
  EXPECT_EQ(ended, 0);
}

}  // namespace
