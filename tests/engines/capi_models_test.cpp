// SPDX-License-Identifier: Apache-2.0
// Models, contexts and sessions of the C API on the engine that only tests have (on_device.h).
#include "onnx/testing/model_builder.h"
#include "tests/engines/on_device.h"

namespace {

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
    EXPECT_OK(anydim_model_get_engine(model, index, &info));
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
    EXPECT_OK(anydim_context_create(model, nullptr, nullptr, &context));
    const anydim_view_t in = view_of(ANYDIM_F32, {n, 4}, x.data());
    anydim_view_t out[2] = {view_of(ANYDIM_F32, {n, 3}, r.y.data()), view_of(ANYDIM_F32, {n, 4}, r.z.data())};
    EXPECT_OK(anydim_context_run(context, &in, 1, out, 2, nullptr));
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
  EXPECT_STATUS(anydim_model_get_engine(alone, 1, &info), ANYDIM_STATUS_NOT_FOUND, "index is 1; the model runs on 1 engine");
  anydim_model_destroy(alone);
  anydim_engine_destroy(other);
}

TEST_F(ModelsOnDevice, TheirDescriptionNamesTransfers) {
  anydim_model_t model = nullptr;
  ASSERT_OK(load({there}, &model));
  anydim_text_t text = nullptr;
  ASSERT_OK(anydim_model_describe(model, &text));
  anydim_string_t json{};
  ASSERT_OK(anydim_text_get_data(text, &json));
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
  ASSERT_OK(anydim_context_create(model, nullptr, nullptr, &context));
  ASSERT_OK(anydim_session_create(model, nullptr, nullptr, 2, &session));
  anydim_memory_t in = memory_of(x, 16), out = memory_of(std::vector<float>(64, 7), 0);
  const anydim_view_t from = at(in, 16, {5, 4});
  anydim_dims_t dims;
  ASSERT_OK(anydim_context_get_output_dims(context, &from, 1, 0, &dims));
  EXPECT_EQ(dims.values[0], 5);
  for (const bool pooled : {false, true}) {
    float z[20] = {};
    anydim_view_t to[2] = {at(out, 8, {5, 3}), view_of(ANYDIM_F32, {5, 4}, z)};
    if (pooled) ASSERT_OK(anydim_session_run(session, &from, 1, to, 2, nullptr));
    else ASSERT_OK(anydim_context_run(context, &from, 1, to, 2, nullptr));
    EXPECT_EQ(to[0].data, nullptr) << "a place that was given stays as it was given";
    EXPECT_EQ(floats_of(out, 8, 15), want.y);
    EXPECT_EQ(std::vector<float>(z, z + 20), want.z);
    EXPECT_EQ(floats_of(out, 0, 2), (std::vector<float>{7, 7}));
    EXPECT_EQ(floats_of(out, 68, 1), (std::vector<float>{7}));
    // What the library places lies with the host.
    anydim_view_t placed[2] = {};
    placed[0].dtype = ANYDIM_F32;
    if (pooled) ASSERT_OK(anydim_session_run(session, &from, 1, placed, 2, nullptr));
    else ASSERT_OK(anydim_context_run(context, &from, 1, placed, 2, nullptr));
    EXPECT_EQ(std::memcmp(placed[0].data, want.y.data(), want.y.size() * sizeof(float)), 0);
    if (pooled) anydim_result_release(placed[0].data);
  }
  anydim_context_t on_cpu = nullptr;
  ASSERT_OK(anydim_context_create(alone, nullptr, nullptr, &on_cpu));
  EXPECT_STATUS(anydim_context_run(on_cpu, &from, 1, nullptr, 0, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT,
                "input 'x' lies in memory of engine testing; the model runs on cpu");
  anydim_text_t text = nullptr;
  EXPECT_STATUS(anydim_context_explain(context, &from, 1, nullptr, &text), ANYDIM_STATUS_UNIMPLEMENTED, "memory is of engine testing");
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
    ASSERT_OK(anydim_model_save_packed(model, path.c_str(), nullptr));
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

TEST_F(ModelsOnDevice, WhereADeviceMakesNoProgramsForCallsTuningIsRefusedAndOtherPoliciesRun) {
  anydim_model_t model = nullptr;
  ASSERT_OK(load({there}, &model));
  anydim_context_t context = nullptr;
  ASSERT_OK(anydim_context_create(model, nullptr, nullptr, &context));
  std::vector<float> x = drawn(8, 1);
  const anydim_view_t in = view_of(ANYDIM_F32, {2, 4}, x.data());
  const Results want = run(model, x);
  anydim_text_t text = nullptr;
  EXPECT_EQ(anydim_context_tune(context, &in, 1, nullptr, &text), ANYDIM_STATUS_UNIMPLEMENTED);
  EXPECT_STREQ(anydim_last_error(), "anydim_context_tune: engine testing makes no programs for single calls, so there is nothing to tune");
  EXPECT_EQ(text, nullptr);
  anydim_context_destroy(context);
  anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
  for (const anydim_reuse_t reuse : {ANYDIM_REUSE_SPECIALISED, ANYDIM_REUSE_REUSABLE_FIRST}) {
    options.reuse = reuse;
    ASSERT_OK(anydim_context_create(model, nullptr, &options, &context));
    EXPECT_OK(anydim_context_run(context, &in, 1, nullptr, 0, nullptr));
    anydim_context_destroy(context);
  }
  EXPECT_TRUE(run(model, x) == want);
  EXPECT_OK(anydim_worker_drain(60'000)) << "it runs the model in memory of its own";
  anydim_model_destroy(model);
}

TEST_F(ModelsOnDevice, MemoryIsReportedByEngine) {
  anydim_model_t model = nullptr;
  ASSERT_OK(load({there}, &model));
  anydim_bounds_t bounds = nullptr;
  ASSERT_OK(anydim_bounds_create(&bounds));
  const anydim_dim_t dims[2] = {anydim_dim_dynamic(0, 100), anydim_dim_fixed(4)};
  ASSERT_OK(anydim_bounds_set(bounds, "x", 2, dims));
  int64_t bytes = 0;
  ASSERT_OK(anydim_model_get_bytes_needed(model, bounds, nullptr, 1, &bytes));
  EXPECT_GE(bytes, 100 * 3 * 4);
  EXPECT_STATUS(anydim_model_get_bytes_needed(model, bounds, nullptr, 2, &bytes), ANYDIM_STATUS_NOT_FOUND, "the model runs on 2 engines");
  anydim_bounds_destroy(bounds);
  anydim_model_destroy(model);
}

}  // namespace
