// SPDX-License-Identifier: Apache-2.0
// What a run may be asked of its inputs and outputs beside memory: outputs that lie in an input, inputs that come in parts.
#include <numeric>

#include "tests/capi/support.h"

namespace {

// y = transpose(x) and z = relu(x), of dims [n, 4].
class RunEdges : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    anydim_model_builder_t graph = nullptr;
    const int64_t dims[2] = {-1, 4};
    ASSERT_OK(anydim_model_builder_create(&graph));
    ASSERT_OK(anydim_model_builder_set_opset(graph, "", 17));
    ASSERT_OK(anydim_model_builder_add_input(graph, "x", ANYDIM_F32, 2, dims));
    for (const auto& [op, result] : {std::pair{"Transpose", "y"}, {"Relu", "z"}}) {
      ASSERT_OK(anydim_model_builder_add_node(graph, op, "", ""));
      ASSERT_OK(anydim_model_builder_add_node_input(graph, "x"));
      ASSERT_OK(anydim_model_builder_add_node_output(graph, result));
      ASSERT_OK(anydim_model_builder_add_output(graph, result));
    }
    ASSERT_OK(anydim_model_builder_create_model(graph, engine, nullptr, &model));
    anydim_model_builder_destroy(graph);
    ASSERT_OK(anydim_context_create(model, nullptr, nullptr, &context));
    ASSERT_OK(anydim_session_create(model, nullptr, nullptr, 2, &session));
    x.resize(12);
    std::iota(x.begin(), x.end(), -3.f);
    in = tensor({3, 4}, x.data());
  }
  void TearDown() override {
    anydim_session_destroy(session);
    anydim_context_destroy(context);
    anydim_model_destroy(model);
    Api::TearDown();
  }
  static float at(const anydim_view_t& v, int64_t i, int64_t j) {
    return static_cast<const float*>(v.data)[i * v.strides.values[0] + j * v.strides.values[1]];
  }
  std::vector<float> x;
  anydim_view_t in{}, out[2]{};
  anydim_model_t model = nullptr;
  anydim_context_t context = nullptr;
  anydim_session_t session = nullptr;
  int32_t inputs[2] = {7, 7};
};

TEST_F(RunEdges, OutputsLieInAnInputWhereThatIsAskedAndSaid) {
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  options.aliases = inputs;
  options.alias_count = 2;
  for (int turn = 0; turn < 3; ++turn) {
    out[0] = out[1] = anydim_view_t{};
    out[0].dtype = out[1].dtype = ANYDIM_F32;
    if (turn < 2) ASSERT_OK(anydim_session_run(session, &in, 1, out, 2, &options));
    else ASSERT_OK(anydim_context_run(context, &in, 1, out, 2, &options));
    EXPECT_EQ(inputs[0], 0);
    EXPECT_EQ(inputs[1], -1);
    EXPECT_EQ(out[0].data, x.data());
    EXPECT_EQ(out[0].dims.values[0], 4);
    EXPECT_EQ(at(out[0], 1, 2), x[2 * 4 + 1]);
    EXPECT_EQ(at(out[1], 0, 0), 0.f);
    EXPECT_EQ(at(out[1], 2, 3), x[11]);
    if (turn < 2) anydim_result_release(out[1].data);
    inputs[0] = inputs[1] = 7;
  }
  out[0] = anydim_view_t{};
  out[0].dtype = ANYDIM_F32;
  ASSERT_OK(anydim_session_run(session, &in, 1, out, 1 + 1, nullptr)) << "who does not ask has memory of his own";
  EXPECT_NE(out[0].data, x.data());
  EXPECT_EQ(at(out[0], 1, 2), x[2 * 4 + 1]);
  anydim_result_release(out[0].data);
}

TEST_F(RunEdges, OutputsWithMemoryOfTheCallersAreWrittenThere) {
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  options.aliases = inputs;
  options.alias_count = 2;
  std::vector<float> y(12), z(12);
  out[0] = tensor({4, 3}, y.data());
  out[1] = tensor({3, 4}, z.data());
  ASSERT_OK(anydim_session_run(session, &in, 1, out, 2, &options));
  EXPECT_EQ(inputs[0], -1);
  EXPECT_EQ(inputs[1], -1);
  EXPECT_EQ(y[1 * 3 + 2], x[2 * 4 + 1]);
}

TEST_F(RunEdges, NumbersThatCannotBeAreRefused) {
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  options.aliases = inputs;
  options.alias_count = 1;
  EXPECT_STATUS(anydim_session_run(session, &in, 1, nullptr, 0, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "alias_count");
  options.aliases = nullptr;
  EXPECT_STATUS(anydim_context_run(context, &in, 1, nullptr, 0, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "alias_count");
  options.alias_count = 0;
  anydim_view_t rest = tensor({2, 4}, x.data());
  anydim_input_parts_t parts{&rest, 1, 0, 0};
  options.part_count = 1;
  EXPECT_STATUS(anydim_session_run(session, &in, 1, nullptr, 0, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "part_count");
  options.parts = &parts;
  parts.input = 1;
  EXPECT_STATUS(anydim_session_run(session, &in, 1, nullptr, 0, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "options.parts[0].input");
  parts.input = 0;
  parts.axis = 2;
  EXPECT_STATUS(anydim_session_run(session, &in, 1, nullptr, 0, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "options.parts[0].axis");
  parts.axis = 1;
  EXPECT_STATUS(anydim_session_run(session, &in, 1, nullptr, 0, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "all but axis 1 are equal");
  parts.axis = 0;
  parts.count = -1;
  EXPECT_STATUS(anydim_session_run(session, &in, 1, nullptr, 0, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "options.parts[0].views");
  parts.count = 1;
  rest.data = nullptr;
  EXPECT_STATUS(anydim_session_run(session, &in, 1, nullptr, 0, &options), ANYDIM_STATUS_INVALID_ARGUMENT, "data");
}

TEST_F(RunEdges, PartsAreOneInput) {
  std::vector<float> others(8);
  std::iota(others.begin(), others.end(), 100.f);
  anydim_view_t rest[2] = {tensor({1, 4}, others.data() + 4), tensor({0, 4}, nullptr)};
  anydim_input_parts_t parts{rest, 2, 0, 0};
  anydim_run_options_t options = ANYDIM_RUN_OPTIONS_INIT;
  options.parts = &parts;
  options.part_count = 1;
  std::vector<float> y(16);
  out[0] = tensor({4, 4}, y.data());
  ASSERT_OK(anydim_context_run(context, &in, 1, out, 1 + 1, &options));
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_EQ(y[static_cast<size_t>(i * 4)], x[static_cast<size_t>(i)]);
    EXPECT_EQ(y[static_cast<size_t>(i * 4 + 3)], 104.f + static_cast<float>(i));
  }
}

}  // namespace
