// SPDX-License-Identifier: Apache-2.0
// The C API on an engine whose memory has no addresses and whose queue runs late (core/engines/testing/engine.h). No program can make
// that engine; its handle is made here, from the inside, and everything else is the API's.
#include <numeric>

#include "capi/shim_support.h"
#include "core/engines/testing/engine.h"
#include "onnx/testing/model_builder.h"
#include "tests/capi/support.h"

namespace {

using anydim::testing::Failure;
using anydim::testing::TestEngine;

std::vector<float> drawn(size_t count, float from) {
  std::vector<float> all(count);
  std::iota(all.begin(), all.end(), from);
  for (size_t i = 0; i < count; i += 3) all[i] = -all[i];
  return all;
}

class OnDevice : public Api {
 protected:
  static anydim_engine_t handle_of(std::shared_ptr<const TestEngine> device) {
    auto object = std::make_unique<anydim::capi::EngineObject>();
    object->engine = std::move(device);
    anydim_engine_t engine = nullptr;
    EXPECT_TRUE(anydim::capi::publish(std::move(object), &engine).ok());
    return engine;
  }
  void SetUp() override {
    Api::SetUp();
    there = handle_of(device);
    ASSERT_OK(anydim_stream_create(there, nullptr, &queue));
  }
  void TearDown() override {
    anydim_stream_destroy(queue);
    anydim_engine_destroy(there);
    Api::TearDown();
    EXPECT_EQ(device->blocks(), 0) << "memory of the device is left";
  }
  // Memory of the device with these numbers, behind some bytes.
  anydim_memory_t memory_of(const std::vector<float>& values, int64_t before) {
    anydim_memory_t m = nullptr;
    const auto bytes = static_cast<int64_t>(values.size() * sizeof(float));
    EXPECT_OK(anydim_memory_allocate(there, before + bytes, &m));
    void* data = nullptr;
    EXPECT_OK(anydim_memory_map(m, before, bytes, &data));
    if (data != nullptr) std::memcpy(data, values.data(), static_cast<size_t>(bytes));
    EXPECT_OK(anydim_memory_unmap(m, before, bytes));
    return m;
  }
  static std::vector<float> floats_of(anydim_memory_t m, int64_t before, size_t count) {
    std::vector<float> all(count);
    void* data = nullptr;
    const auto bytes = static_cast<int64_t>(count * sizeof(float));
    EXPECT_OK(anydim_memory_map(m, before, bytes, &data));
    if (data != nullptr) std::memcpy(all.data(), data, static_cast<size_t>(bytes));
    EXPECT_OK(anydim_memory_unmap(m, before, bytes));
    return all;
  }
  static anydim_view_t at(anydim_memory_t memory, int64_t offset, const std::vector<int64_t>& dims) {
    anydim_view_t v = view_of(ANYDIM_F32, dims, nullptr);
    v.memory = memory;
    v.offset = offset;
    return v;
  }
  anydim_primitive_t relu_there() {
    anydim_unary_t op = ANYDIM_UNARY_INIT;
    op.function = ANYDIM_RELU;
    anydim_desc_t d = desc({anydim_dim_dynamic(0, 1000), anydim_dim_fixed(3)});
    anydim_primitive_t p = nullptr;
    EXPECT_OK(anydim_primitive_create(there, &op.op, nullptr, &d, 1, nullptr, &p));
    anydim_desc_destroy(d);
    return p;
  }
  const std::shared_ptr<const TestEngine> device = TestEngine::create();
  anydim_engine_t there = nullptr;
  anydim_stream_t queue = nullptr;
};

TEST_F(OnDevice, PrimitivesTakeViewsOfItsMemoryAndRunInItsQueue) {
  anydim_primitive_t p = relu_there();
  const std::vector<float> x = drawn(12, 1);
  anydim_memory_t in = memory_of(x, 20), out = memory_of(std::vector<float>(16, 7), 0);
  const anydim_view_t from = at(in, 20, {4, 3});
  anydim_view_t to = at(out, 8, {4, 3});
  int64_t scratch = -1;
  EXPECT_OK(anydim_primitive_scratch_bytes(p, queue, &from, 1, &to, 1, &scratch));
  anydim_dims_t dims;
  ASSERT_OK(anydim_primitive_output_dims(p, &from, 1, 0, &dims));
  EXPECT_EQ(dims.values[0], 4);
  const int64_t before = device->launches();
  ASSERT_OK(anydim_primitive_execute(p, queue, &from, 1, &to, 1));
  EXPECT_EQ(device->launches(), before) << "the queue runs later";
  EXPECT_EQ(to.data, nullptr);
  ASSERT_OK(anydim_stream_wait(queue));
  EXPECT_EQ(device->launches(), before + 1);
  const std::vector<float> y = floats_of(out, 0, 16);
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(y[i], i < 2 || i >= 14 ? 7.f : std::max(x[i - 2], 0.f)) << i;
  // Everything may be given up before the queue is done.
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
  ASSERT_OK(anydim_attr_append_binary(attr, ANYDIM_ADD, 0));
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
  for (int i = 0; i < kChain; ++i) ASSERT_OK(anydim_attr_append_binary(attr, i % 2 ? ANYDIM_MUL : ANYDIM_ADD, 0));
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
  EXPECT_STATUS(anydim_primitive_choices(p, queue, &x, 1, &y, 1, 0, &text), ANYDIM_STATUS_UNIMPLEMENTED, "memory is of engine testing");
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
  EXPECT_STATUS(anydim_weights_save(weights, path.c_str()), ANYDIM_STATUS_UNIMPLEMENTED, "memory of engine testing");
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

// y = softmax(relu(x w)), z = x + x
std::string small_model() {
  namespace make = anydim::onnx::testing;
  make::ModelBuilder m;
  m.inputs = {make::value_info("x", 1, {"n", 4})};
  m.outputs = {make::value_info("y", 1, {"n", 3}), make::value_info("z", 1, {"n", 4})};
  m.initializers = {make::floats("w", {4, 3}, drawn(12, 1))};
  m.nodes = {make::node("MatMul", {"x", "w"}, {"p"}), make::node("Relu", {"p"}, {"r"}), make::node("Softmax", {"r"}, {"y"}),
             make::node("Add", {"x", "x"}, {"z"})};
  return m.model_bytes();
}

class ModelsOnDevice : public OnDevice {
 protected:
  anydim_status_t load(const std::vector<anydim_engine_t>& engines, anydim_model_t* model) {
    const std::string bytes = small_model();
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.engines = engines.data();
    options.engine_count = static_cast<int32_t>(engines.size());
    return anydim_model_load_memory(engine, bytes.data(), static_cast<int64_t>(bytes.size()), &options, model);
  }
  static int32_t engines_of(anydim_model_t model) {
    anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
    EXPECT_OK(anydim_model_query(model, &info));
    return info.engines;
  }
  static std::string device_of(anydim_model_t model, int32_t index) {
    anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
    EXPECT_OK(anydim_model_engine(model, index, &info));
    return std::string(info.device.data, static_cast<size_t>(info.device.length));
  }
  struct Results {
    std::vector<float> y, z;
    bool operator==(const Results&) const = default;
  };
  Results run(anydim_model_t model, std::vector<float> x) {
    const auto n = static_cast<int64_t>(x.size() / 4);
    Results r{std::vector<float>(static_cast<size_t>(n * 3)), std::vector<float>(x.size())};
    anydim_context_t context = nullptr;
    EXPECT_OK(anydim_context_create(model, nullptr, nullptr, nullptr, 0, &context));
    const anydim_view_t in = view_of(ANYDIM_F32, {n, 4}, x.data());
    anydim_view_t out[2] = {view_of(ANYDIM_F32, {n, 3}, r.y.data()), view_of(ANYDIM_F32, {n, 4}, r.z.data())};
    EXPECT_OK(anydim_context_run(context, &in, 1, out, 2));
    anydim_context_destroy(context);
    return r;
  }
};

TEST_F(ModelsOnDevice, RunOnTheFirstEngineOfTheListThatHasAKernel) {
  const auto partly = TestEngine::create({.without = {anydim::OpKind::matmul}});
  anydim_engine_t other = handle_of(partly);
  const std::vector<float> x = drawn(20, 1);
  anydim_model_t alone = nullptr;
  ASSERT_OK(load({}, &alone));
  EXPECT_EQ(engines_of(alone), 1);
  const Results want = run(alone, x);
  // By list: how many engines the model has, and what the second one is.
  const std::string first = device->identity().device, second = partly->identity().device;
  const struct {
    std::vector<anydim_engine_t> engines;
    int32_t count;
    std::string next;
  } cases[] = {
      {{engine}, 1, ""},
      {{engine, engine}, 1, ""},
      {{there}, 2, first},
      {{there, there, engine}, 2, first},
      {{engine, there}, 1, ""},
      {{other}, 2, second},
      {{other, there}, 3, second},
      {{there, other}, 2, first},
      {{other, engine, there}, 2, second},
  };
  for (const auto& c : cases) {
    anydim_model_t model = nullptr;
    ASSERT_OK(load(c.engines, &model));
    EXPECT_EQ(engines_of(model), c.count);
    EXPECT_EQ(device_of(model, 0), device_of(alone, 0));
    if (c.count > 1) {
      EXPECT_EQ(device_of(model, 1), c.next);
    }
    EXPECT_TRUE(run(model, x) == want);
    anydim_model_destroy(model);
  }
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  EXPECT_STATUS(anydim_model_engine(alone, 1, &info), ANYDIM_STATUS_NOT_FOUND, "index is 1; the model runs on 1 engine");
  anydim_model_destroy(alone);
  anydim_engine_destroy(other);
}

TEST_F(ModelsOnDevice, TheirDescriptionNamesTransfers) {
  anydim_model_t model = nullptr;
  ASSERT_OK(load({there}, &model));
  anydim_text_t text = nullptr;
  ASSERT_OK(anydim_model_describe(model, &text));
  anydim_string_t json{};
  ASSERT_OK(anydim_text_data(text, &json));
  const std::string all(json.data, static_cast<size_t>(json.length));
  anydim_text_destroy(text);
  const auto count = [&](const std::string& what) {
    size_t n = 0;
    for (size_t at = all.find(what); at != std::string::npos; at = all.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("\"operator\": \"transfer\""), 3U) << "the input and two outputs: " << all;
  EXPECT_NE(all.find("\"transfer\": 3"), std::string::npos) << all;
  EXPECT_NE(all.find("(cpu to testing)"), std::string::npos) << all;
  EXPECT_NE(all.find("(testing to cpu)"), std::string::npos) << all;
  anydim_model_destroy(model);
}

TEST_F(ModelsOnDevice, WrongListsAreRefused) {
  anydim_model_t model = nullptr;
  EXPECT_STATUS(load({there, nullptr}, &model), ANYDIM_STATUS_INVALID_HANDLE, "options.engines is null", "entry 1 of 2");
  EXPECT_STATUS(load({reinterpret_cast<anydim_engine_t>(queue)}, &model), ANYDIM_STATUS_INVALID_HANDLE, "options.engines", "stream");
  anydim_engine_t gone = handle_of(TestEngine::create());
  anydim_engine_destroy(gone);
  EXPECT_STATUS(load({there, gone}, &model), ANYDIM_STATUS_INVALID_HANDLE, "options.engines", "destroyed");
  const std::string bytes = small_model();
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  options.engine_count = 1;
  EXPECT_STATUS(anydim_model_load_memory(engine, bytes.data(), static_cast<int64_t>(bytes.size()), &options, &model),
                ANYDIM_STATUS_INVALID_ARGUMENT, "options.engines is null; expected 1 handles");
  options.engine_count = -1;
  EXPECT_STATUS(anydim_model_load_memory(engine, bytes.data(), static_cast<int64_t>(bytes.size()), &options, &model),
                ANYDIM_STATUS_INVALID_ARGUMENT, "the number of options.engines is -1");
  EXPECT_STATUS(anydim_model_load_memory(there, bytes.data(), static_cast<int64_t>(bytes.size()), nullptr, &model),
                ANYDIM_STATUS_INVALID_ARGUMENT, "engine is of kind testing", "options.engines");
  EXPECT_EQ(model, nullptr);
}

TEST_F(ModelsOnDevice, ContextsAndSessionsTakeAndGiveTensorsInItsMemory) {
  anydim_model_t model = nullptr, alone = nullptr;
  ASSERT_OK(load({there}, &model));
  ASSERT_OK(load({}, &alone));
  const std::vector<float> x = drawn(20, 1);
  const Results want = run(alone, x);
  anydim_context_t context = nullptr;
  anydim_session_t session = nullptr;
  ASSERT_OK(anydim_context_create(model, nullptr, nullptr, nullptr, 0, &context));
  ASSERT_OK(anydim_session_create(model, nullptr, nullptr, 2, &session));
  anydim_memory_t in = memory_of(x, 16), out = memory_of(std::vector<float>(64, 7), 0);
  const anydim_view_t from = at(in, 16, {5, 4});
  anydim_dims_t dims;
  ASSERT_OK(anydim_context_output_dims(context, &from, 1, 0, &dims));
  EXPECT_EQ(dims.values[0], 5);
  for (const bool pooled : {false, true}) {
    float z[20] = {};
    anydim_view_t to[2] = {at(out, 8, {5, 3}), view_of(ANYDIM_F32, {5, 4}, z)};
    if (pooled) ASSERT_OK(anydim_session_run(session, &from, 1, to, 2, nullptr));
    else ASSERT_OK(anydim_context_run(context, &from, 1, to, 2));
    EXPECT_EQ(to[0].data, nullptr) << "a place that was given stays as it was given";
    EXPECT_EQ(floats_of(out, 8, 15), want.y);
    EXPECT_EQ(std::vector<float>(z, z + 20), want.z);
    EXPECT_EQ(floats_of(out, 0, 2), (std::vector<float>{7, 7}));
    EXPECT_EQ(floats_of(out, 68, 1), (std::vector<float>{7}));
    // What the library places lies with the host.
    anydim_view_t placed[2] = {};
    placed[0].dtype = ANYDIM_F32;
    if (pooled) ASSERT_OK(anydim_session_run(session, &from, 1, placed, 2, nullptr));
    else ASSERT_OK(anydim_context_run(context, &from, 1, placed, 2));
    EXPECT_EQ(std::memcmp(placed[0].data, want.y.data(), want.y.size() * sizeof(float)), 0);
    if (pooled) anydim_result_release(placed[0].data);
  }
  anydim_context_t on_cpu = nullptr;
  ASSERT_OK(anydim_context_create(alone, nullptr, nullptr, nullptr, 0, &on_cpu));
  EXPECT_STATUS(anydim_context_run(on_cpu, &from, 1, nullptr, 0), ANYDIM_STATUS_INVALID_ARGUMENT,
                "input 'x' lies in memory of engine testing; the model runs on cpu");
  anydim_text_t text = nullptr;
  EXPECT_STATUS(anydim_context_explain(context, &from, 1, &text), ANYDIM_STATUS_UNIMPLEMENTED, "memory is of engine testing");
  anydim_context_destroy(on_cpu);
  anydim_session_destroy(session);
  anydim_context_destroy(context);
  for (anydim_memory_t m : {in, out}) anydim_memory_destroy(m);
  anydim_model_destroy(model);
  anydim_model_destroy(alone);
}

TEST_F(ModelsOnDevice, FilesOfPackedWeightsHoldTheHostsPart) {
  const std::string path = testing::TempDir() + "partly.packed";
  const std::vector<float> x = drawn(20, 1);
  anydim_model_t alone = nullptr, model = nullptr, mapped = nullptr;
  ASSERT_OK(load({}, &alone));
  const Results want = run(alone, x);
  const auto packed_there = TestEngine::create(), elsewhere = TestEngine::create({.without = {anydim::OpKind::matmul}});
  for (const auto& d : {packed_there, elsewhere}) {
    anydim_engine_t e = handle_of(d);
    ASSERT_OK(load({e}, &model));
    ASSERT_OK(anydim_model_save_packed(model, path.c_str()));
    const std::string bytes = small_model();
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.engines = &e;
    options.engine_count = 1;
    options.packed_weights = path.c_str();
    ASSERT_OK(anydim_model_load_memory(engine, bytes.data(), static_cast<int64_t>(bytes.size()), &options, &mapped));
    anydim_model_info_t info = ANYDIM_MODEL_INFO_INIT;
    EXPECT_OK(anydim_model_query(mapped, &info));
    EXPECT_EQ(info.packed_weights, 1);
    EXPECT_EQ(info.mapped_weights, d == packed_there ? 0 : 1) << "the host's are mapped, the device's packed again";
    EXPECT_TRUE(run(mapped, x) == want);
    anydim_model_destroy(model);
    anydim_model_destroy(mapped);
    anydim_engine_destroy(e);
  }
  anydim_model_destroy(alone);
}

TEST_F(ModelsOnDevice, PlansOnDevicesAreNotTunedAndItIsSaid) {
  anydim_model_t model = nullptr;
  ASSERT_OK(load({there}, &model));
  anydim_context_t context = nullptr;
  ASSERT_OK(anydim_context_create(model, nullptr, nullptr, nullptr, 0, &context));
  std::vector<float> x = drawn(8, 1);
  const anydim_view_t in = view_of(ANYDIM_F32, {2, 4}, x.data());
  anydim_text_t text = nullptr;
  EXPECT_STATUS(anydim_context_tune(context, &in, 1, nullptr, &text), ANYDIM_STATUS_UNIMPLEMENTED, "engine testing", "not tuned");
  anydim_context_destroy(context);
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
  options.reuse = ANYDIM_REUSE_SPECIALISED;
  EXPECT_STATUS(anydim_context_create(model, nullptr, &options, nullptr, 0, &context), ANYDIM_STATUS_UNIMPLEMENTED, "engine testing",
                "specialised");
  options.reuse = ANYDIM_REUSE_REUSABLE_FIRST;
  ASSERT_OK(anydim_context_create(model, nullptr, &options, nullptr, 0, &context)) << "it promises nothing";
  EXPECT_OK(anydim_context_run(context, &in, 1, nullptr, 0));
  anydim_context_destroy(context);
  anydim_model_destroy(model);
}

TEST_F(ModelsOnDevice, MemoryIsToldByEngine) {
  anydim_model_t model = nullptr;
  ASSERT_OK(load({there}, &model));
  anydim_bounds_t bounds = nullptr;
  ASSERT_OK(anydim_bounds_create(&bounds));
  const anydim_dim_t dims[2] = {anydim_dim_dynamic(0, 100), anydim_dim_fixed(4)};
  ASSERT_OK(anydim_bounds_set(bounds, "x", 2, dims));
  int64_t bytes = 0;
  ASSERT_OK(anydim_model_bytes_needed(model, bounds, nullptr, 1, &bytes));
  EXPECT_GE(bytes, 100 * 3 * 4);
  EXPECT_STATUS(anydim_model_bytes_needed(model, bounds, nullptr, 2, &bytes), ANYDIM_STATUS_NOT_FOUND, "the model runs on 2 engines");
  anydim_bounds_destroy(bounds);
  anydim_model_destroy(model);
}

}  // namespace
