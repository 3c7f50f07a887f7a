// SPDX-License-Identifier: Apache-2.0
// Models that a program builds: what each call takes and refuses, where constants lie and for how long, bodies, dims by name, and
// that what comes out computes what the same graph computes elsewhere.
#include <cmath>

#include "tests/capi/support.h"

class Builder : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    ASSERT_OK(anydim_model_builder_create(&graph));
    ASSERT_OK(anydim_model_builder_set_opset(graph, "", 17));
  }
  void TearDown() override {
    anydim_model_builder_destroy(graph);
    Api::TearDown();
  }
  static void input(anydim_model_builder_t g, const char* name, std::vector<int64_t> dims, anydim_dtype_t dtype = ANYDIM_F32) {
    ASSERT_OK(anydim_model_builder_add_input(g, name, dtype, static_cast<int32_t>(dims.size()), dims.data()));
  }
  static void node(anydim_model_builder_t g, const char* op, std::vector<const char*> inputs, std::vector<const char*> outputs,
                   const char* name = "") {
    ASSERT_OK(anydim_model_builder_add_node(g, op, "", name));
    for (const char* i : inputs) ASSERT_OK(anydim_model_builder_add_node_input(g, i));
    for (const char* o : outputs) ASSERT_OK(anydim_model_builder_add_node_output(g, o));
  }
  static void constant(anydim_model_builder_t g, const char* name, std::vector<int64_t> dims, const float* data) {
    ASSERT_OK(anydim_model_builder_add_constant(g, name, ANYDIM_F32, static_cast<int32_t>(dims.size()), dims.data(),
                                                const_cast<float*>(data), nullptr, nullptr));
  }
  anydim_model_t made() {
    anydim_model_t m = nullptr;
    EXPECT_OK(anydim_model_builder_create_model(graph, engine, nullptr, &m));
    return m;
  }
  std::vector<float> run(anydim_model_t model, std::vector<anydim_view_t> inputs) {
    anydim_context_t c = nullptr;
    EXPECT_OK(anydim_context_create(model, nullptr, nullptr, &c));
    anydim_view_t y{};
    y.dtype = ANYDIM_F32;
    EXPECT_OK(anydim_context_run(c, inputs.data(), static_cast<int32_t>(inputs.size()), &y, 1, nullptr));
    std::vector<float> out;
    if (y.data != nullptr) {
      int64_t count = 1;
      for (int i = 0; i < y.dims.rank; ++i) count *= y.dims.values[i];
      out.assign(static_cast<const float*>(y.data), static_cast<const float*>(y.data) + count);
    }
    anydim_context_destroy(c);
    return out;
  }
  anydim_model_builder_t graph = nullptr;
};

TEST_F(Builder, AnyRowsThroughALayer) {
  const std::vector<float> weights = {1, 2, 3, 4, 5, 6}, bias = {10, 20};
  input(graph, "x", {-1, 3});
  ASSERT_OK(anydim_model_builder_set_symbol(graph, "x", 0, "batch"));
  constant(graph, "w", {2, 3}, weights.data());
  constant(graph, "b", {2}, bias.data());
  node(graph, "Gemm", {"x", "w", "b"}, {"y"}, "layer");
  ASSERT_OK(anydim_model_builder_set_node_integer(graph, "transB", 1));
  ASSERT_OK(anydim_model_builder_set_node_real(graph, "alpha", 2.f));
  ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  anydim_model_t m = made();
  // What was not packed was copied: the caller's memory may go with the graph.
  anydim_model_builder_destroy(graph);
  graph = nullptr;
  anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
  ASSERT_OK(anydim_model_get_input(m, 0, &info));
  EXPECT_STREQ(info.symbols[0].data, "batch");
  for (const int64_t rows : {1, 2, 5}) {
    std::vector<float> x(static_cast<size_t>(rows) * 3), expected;
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    for (size_t r = 0; r < static_cast<size_t>(rows); ++r)
      for (size_t o = 0; o < 2; ++o) {
        float sum = 0;
        for (size_t k = 0; k < 3; ++k) sum += x[r * 3 + k] * weights[o * 3 + k];
        expected.push_back(2 * sum + bias[o]);
      }
    EXPECT_EQ(run(m, {tensor({rows, 3}, x.data())}), expected);
  }
  anydim_model_destroy(m);
}

TEST_F(Builder, NodesComeInAnyOrderAndNamesMayBeAbsent) {
  input(graph, "x", {2});
  const float most = 3.f;
  constant(graph, "most", {}, &most);
  node(graph, "Neg", {"clipped"}, {"y"});
  node(graph, "Clip", {"x", "", "most"}, {"clipped"});
  ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  anydim_model_t m = made();
  float x[2] = {-7, 5};
  EXPECT_EQ(run(m, {tensor({2}, x)}), (std::vector<float>{7, -3}));
  anydim_model_destroy(m);
}

TEST_F(Builder, DimsOfOneNameAreEqual) {
  input(graph, "a", {-1});
  input(graph, "b", {-1});
  for (const char* name : {"a", "b"}) ASSERT_OK(anydim_model_builder_set_symbol(graph, name, 0, "n"));
  node(graph, "Add", {"a", "b"}, {"y"});
  ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  anydim_model_t m = made();
  anydim_context_t c = nullptr;
  ASSERT_OK(anydim_context_create(m, nullptr, nullptr, &c));
  float values[4] = {1, 2, 3, 4};
  const anydim_view_t same[2] = {tensor({4}, values), tensor({4}, values)};
  const anydim_view_t other[2] = {tensor({4}, values), tensor({1}, values)};
  EXPECT_OK(anydim_context_run(c, same, 2, nullptr, 0, nullptr));
  EXPECT_STATUS(anydim_context_run(c, other, 2, nullptr, 0, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "n", "b");
  anydim_context_destroy(c);
  anydim_model_destroy(m);
}

TEST_F(Builder, ABranchReadsWhatIsAroundIt) {
  input(graph, "yes", {}, ANYDIM_BOOL);
  input(graph, "x", {-1});
  anydim_model_builder_t branch = nullptr;
  const float ten = 10.f;
  for (const char* op : {"Add", "Mul"}) {
    ASSERT_OK(anydim_model_builder_create(&branch));
    constant(branch, "ten", {}, &ten);
    node(branch, op, {"x", "ten"}, {"r"});
    ASSERT_OK(anydim_model_builder_add_output(branch, "r"));
    if (op[0] == 'A') node(graph, "If", {"yes"}, {"y"}, "choice");
    ASSERT_OK(anydim_model_builder_set_node_body(graph, op[0] == 'A' ? "then_branch" : "else_branch", branch));
    anydim_model_builder_destroy(branch);  // the graph has what was in it
  }
  ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  anydim_model_t m = made();
  float x[2] = {1, 2};
  for (uint8_t yes : {uint8_t{1}, uint8_t{0}})
    EXPECT_EQ(run(m, {view_of(ANYDIM_BOOL, {}, &yes), tensor({2}, x)}), (yes ? std::vector<float>{11, 12} : std::vector<float>{10, 20}));
  anydim_model_destroy(m);
}

TEST_F(Builder, ALoopGoesRound) {
  anydim_model_builder_t body = nullptr;
  ASSERT_OK(anydim_model_builder_create(&body));
  input(body, "i", {}, ANYDIM_I64);
  input(body, "go", {}, ANYDIM_BOOL);
  input(body, "sum", {-1});
  node(body, "Identity", {"go"}, {"go_on"});
  node(body, "Add", {"sum", "step"}, {"next"});
  for (const char* name : {"go_on", "next"}) ASSERT_OK(anydim_model_builder_add_output(body, name));
  input(graph, "times", {}, ANYDIM_I64);
  input(graph, "step", {-1});
  node(graph, "Loop", {"times", "", "step"}, {"y"});
  ASSERT_OK(anydim_model_builder_set_node_body(graph, "body", body));
  anydim_model_builder_destroy(body);
  ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  anydim_model_t m = made();
  int64_t times = 3;
  float step[2] = {1, 5};
  EXPECT_EQ(run(m, {view_of(ANYDIM_I64, {}, &times), tensor({2}, step)}), (std::vector<float>{4, 20}));
  anydim_model_destroy(m);
}

TEST_F(Builder, AttributesOfEveryType) {
  input(graph, "x", {1, 1, -1, -1});
  node(graph, "MaxPool", {"x"}, {"pooled"});
  const int64_t two[2] = {2, 2};
  ASSERT_OK(anydim_model_builder_set_node_integers(graph, "kernel_shape", two, 2));
  ASSERT_OK(anydim_model_builder_set_node_integers(graph, "strides", two, 2));
  ASSERT_OK(anydim_model_builder_set_node_text(graph, "auto_pad", "VALID"));
  node(graph, "Constant", {}, {"more"});
  const float more[1] = {0.5f};
  const int64_t one[1] = {1};
  float copied[1] = {more[0]};
  ASSERT_OK(anydim_model_builder_set_node_tensor(graph, "value", ANYDIM_F32, 1, one, copied));
  copied[0] = 99;  // it was copied
  node(graph, "Constant", {}, {"list"});
  const float list[1] = {0.25f};
  ASSERT_OK(anydim_model_builder_set_node_reals(graph, "value_floats", list, 1));
  node(graph, "Sum", {"pooled", "more", "list"}, {"y"});
  ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  anydim_model_t m = made();
  float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  EXPECT_EQ(run(m, {tensor({1, 1, 2, 4}, x)}), (std::vector<float>{6.75, 8.75}));
  anydim_model_destroy(m);
  // A list of texts, in an operator that has one.
  anydim_model_builder_destroy(graph);
  ASSERT_OK(anydim_model_builder_create(&graph));
  ASSERT_OK(anydim_model_builder_set_opset(graph, "", 17));
  input(graph, "x", {2, 1, 3});
  std::vector<float> weights(3 * 3, 0.5f), recurrent(3 * 1, 0.25f);
  constant(graph, "w", {1, 1, 3}, weights.data());
  constant(graph, "r", {1, 1, 1}, recurrent.data());
  node(graph, "RNN", {"x", "w", "r"}, {"", "y"});
  ASSERT_OK(anydim_model_builder_set_node_integer(graph, "hidden_size", 1));
  ASSERT_OK(anydim_model_builder_append_node_text(graph, "activations", "Relu"));
  ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  m = made();
  float steps[6] = {1, 1, 1, 2, 2, 2};
  EXPECT_EQ(run(m, {tensor({2, 1, 3}, steps)}), (std::vector<float>{3.375f}));
  anydim_model_destroy(m);
}

TEST_F(Builder, ConstantsStayWhereTheyLieUntilTheFinalizerIsCalled) {
  static int freed;
  freed = 0;
  const auto finalizer = [](void* user) {
    ++freed;
    delete static_cast<std::vector<float>*>(user);
  };
  auto* table = new std::vector<float>(100 * 1000);  // rows that are looked up; nothing packs them
  for (size_t i = 0; i < table->size(); ++i) (*table)[i] = static_cast<float>(i / 1000);
  const int64_t dims[2] = {100, 1000};
  input(graph, "row", {1}, ANYDIM_I64);
  EXPECT_STATUS(anydim_model_builder_add_constant(graph, "row", ANYDIM_F32, 2, dims, table->data(), finalizer, table),
                ANYDIM_STATUS_INVALID_ARGUMENT, "'row'");
  EXPECT_EQ(freed, 0) << "a call that failed took nothing";
  ASSERT_OK(anydim_model_builder_add_constant(graph, "table", ANYDIM_F32, 2, dims, table->data(), finalizer, table));
  node(graph, "Gather", {"table", "row"}, {"y"});
  ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  anydim_model_t m = made();
  anydim_model_builder_destroy(graph);
  graph = nullptr;
  EXPECT_EQ(freed, 0) << "the model refers to it";
  (*table)[7000] = 70.f;  // which shows that it is no copy
  int64_t row = 7;
  const std::vector<float> y = run(m, {view_of(ANYDIM_I64, {1}, &row)});
  ASSERT_EQ(y.size(), 1000u);
  EXPECT_EQ(y[0], 70.f);
  EXPECT_EQ(y[1], 7.f);
  anydim_model_destroy(m);
  EXPECT_EQ(freed, 1);
}

TEST_F(Builder, WithoutAFinalizerNothingOfTheCallersIsKept) {
  std::vector<float> table(100 * 1000, 3.f), weights(1000 * 1000, 1.f);
  input(graph, "row", {1}, ANYDIM_I64);
  constant(graph, "table", {100, 1000}, table.data());
  constant(graph, "w", {1000, 1000}, weights.data());
  node(graph, "Gather", {"table", "row"}, {"r"});
  node(graph, "MatMul", {"r", "w"}, {"y"});
  ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  anydim_model_t m = made();
  anydim_model_builder_destroy(graph);
  graph = nullptr;
  std::fill(table.begin(), table.end(), std::nanf(""));
  std::fill(weights.begin(), weights.end(), std::nanf(""));
  int64_t row = 7;
  EXPECT_EQ(run(m, {view_of(ANYDIM_I64, {1}, &row)}), std::vector<float>(1000, 3000.f));
  anydim_model_destroy(m);
}

TEST_F(Builder, RefusesWhatCannotBe) {
  const int64_t dims[2] = {-2, 3}, fixed[2] = {2, 3};
  anydim_model_t m = nullptr;
  EXPECT_STATUS(anydim_model_builder_set_opset(graph, "", 0), ANYDIM_STATUS_INVALID_ARGUMENT, "version is 0");
  EXPECT_STATUS(anydim_model_builder_add_input(graph, "", ANYDIM_F32, 2, fixed), ANYDIM_STATUS_INVALID_ARGUMENT, "name is empty");
  EXPECT_STATUS(anydim_model_builder_add_input(graph, "x", ANYDIM_F32, 2, dims), ANYDIM_STATUS_INVALID_ARGUMENT, "dims[0] is -2");
  EXPECT_STATUS(anydim_model_builder_add_input(graph, "\xff", ANYDIM_F32, 2, fixed), ANYDIM_STATUS_INVALID_ARGUMENT, "UTF-8");
  EXPECT_STATUS(anydim_model_builder_add_input(graph, "x", 99, 2, fixed), ANYDIM_STATUS_INVALID_ARGUMENT, "dtype is 99");
  EXPECT_STATUS(anydim_model_builder_add_node_input(graph, "x"), ANYDIM_STATUS_INVALID_ARGUMENT, "no node yet");
  EXPECT_STATUS(anydim_model_builder_set_node_integer(graph, "axis", 1), ANYDIM_STATUS_INVALID_ARGUMENT, "no node yet");
  EXPECT_STATUS(anydim_model_builder_add_node(graph, "", "", ""), ANYDIM_STATUS_INVALID_ARGUMENT, "op_type is empty");
  EXPECT_STATUS(anydim_model_builder_add_constant(graph, "c", ANYDIM_F32, 2, fixed, nullptr, nullptr, nullptr),
                ANYDIM_STATUS_INVALID_ARGUMENT, "data is null", "6 elements");
  input(graph, "x", {2, 3});
  EXPECT_STATUS(anydim_model_builder_add_input(graph, "x", ANYDIM_F32, 2, fixed), ANYDIM_STATUS_INVALID_ARGUMENT, "'x'");
  EXPECT_STATUS(anydim_model_builder_set_symbol(graph, "z", 0, "n"), ANYDIM_STATUS_NOT_FOUND, "'z'");
  EXPECT_STATUS(anydim_model_builder_set_symbol(graph, "x", 2, "n"), ANYDIM_STATUS_INVALID_ARGUMENT, "axis is 2", "rank 2");
  EXPECT_STATUS(anydim_model_builder_set_symbol(graph, "x", 0, "n"), ANYDIM_STATUS_INVALID_ARGUMENT, "is 2");
  EXPECT_STATUS(anydim_model_builder_create_model(graph, engine, nullptr, &m), ANYDIM_STATUS_INVALID_MODEL, "no outputs");
  node(graph, "Softmax", {"x"}, {"y"}, "last");
  EXPECT_STATUS(anydim_model_builder_add_node_output(graph, "x"), ANYDIM_STATUS_INVALID_ARGUMENT, "'x'");
  ASSERT_OK(anydim_model_builder_set_node_integer(graph, "axis", 5));
  EXPECT_STATUS(anydim_model_builder_set_node_integer(graph, "axis", 1), ANYDIM_STATUS_INVALID_ARGUMENT, "'axis'");
  EXPECT_STATUS(anydim_model_builder_append_node_text(graph, "axis", "a"), ANYDIM_STATUS_INVALID_ARGUMENT, "'axis'");
  EXPECT_STATUS(anydim_model_builder_set_node_body(graph, "body", graph), ANYDIM_STATUS_BUSY, "builder");
  ASSERT_OK(anydim_model_builder_add_output(graph, "y"));
  EXPECT_STATUS(anydim_model_builder_add_output(graph, "y"), ANYDIM_STATUS_INVALID_ARGUMENT, "'y'");
  // What is wrong with a node names it and the argument.
  EXPECT_STATUS(anydim_model_builder_create_model(graph, engine, nullptr, &m), ANYDIM_STATUS_INVALID_MODEL, "last (Softmax)", "axis is 5");
  anydim_error_info_t error = ANYDIM_ERROR_INFO_INIT;
  ASSERT_OK(anydim_last_error_query(&error));
  EXPECT_STREQ(error.node.data, "last");
  EXPECT_EQ(m, nullptr);
}

TEST_F(Builder, BodiesHaveALimit) {
  anydim_model_builder_t inner = nullptr;
  ASSERT_OK(anydim_model_builder_create(&inner));
  int depth = 0;
  for (; depth < 100; ++depth) {
    anydim_model_builder_t outer = nullptr;
    ASSERT_OK(anydim_model_builder_create(&outer));
    node(outer, "If", {"yes"}, {"y"});
    const anydim_status_t status = anydim_model_builder_set_node_body(outer, "then_branch", inner);
    anydim_model_builder_destroy(inner);
    inner = outer;
    if (status == ANYDIM_STATUS_OK) continue;
    EXPECT_EQ(status, ANYDIM_STATUS_INVALID_ARGUMENT);
    EXPECT_NE(last().find("deep"), std::string::npos) << last();
    break;
  }
  EXPECT_EQ(depth, 24);
  anydim_model_builder_destroy(inner);
}

TEST_F(Builder, ReportsWhichNodesAModelCanHave) {
  const int64_t dims[1] = {-1};
  input(graph, "x", {-1});
  node(graph, "Relu", {"x"}, {"a"});
  node(graph, "NoSuchOperator", {"a"}, {"b"});
  node(graph, "Neg", {"b"}, {"c"});
  node(graph, "NoSuchOperator", {"c"}, {"d"});
  node(graph, "Neg", {"d"}, {"e"});
  node(graph, "Softmax", {"c"}, {"f"});
  ASSERT_OK(anydim_model_builder_set_node_integer(graph, "axis", 3));
  ASSERT_OK(anydim_model_builder_add_value_type(graph, "b", ANYDIM_F32, 1, dims));
  const auto why = [&](int32_t node) {
    anydim_string_t text{};
    EXPECT_OK(anydim_model_builder_get_refusal(graph, node, &text));
    return std::string(text.data != nullptr ? text.data : "");
  };
  EXPECT_EQ(why(0), "");
  EXPECT_NE(why(1).find("NoSuchOperator"), std::string::npos) << why(1);
  EXPECT_EQ(why(2), "") << "the type of its input is known";
  EXPECT_NE(why(3), "");
  EXPECT_NE(why(4).find("'d' has no type"), std::string::npos) << why(4);
  EXPECT_NE(why(5).find("axis is 3"), std::string::npos) << why(5);
  anydim_string_t text{};
  EXPECT_STATUS(anydim_model_builder_get_refusal(graph, 6, &text), ANYDIM_STATUS_NOT_FOUND, "node is 6", "6 nodes");
  // Later nodes are asked for again.
  node(graph, "Exp", {"c"}, {"g"});
  EXPECT_EQ(why(6), "");
}
