// SPDX-License-Identifier: Apache-2.0
// Operators that a program brings, through the C API: attributes, shapes at load and in runs, statuses and reasons, what is refused,
// lifetimes and finalizers, functions and operators of the same name, loops.
#include <functional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "onnx/testing/model_builder.h"
#include "tests/capi/support.h"

namespace {

using anydim::onnx::kBool;
using anydim::onnx::kFloat;
using anydim::onnx::kInt64;
using anydim::onnx::testing::attr;
using anydim::onnx::testing::graph_attr;
using anydim::onnx::testing::int64s;
using anydim::onnx::testing::ModelBuilder;
using anydim::onnx::testing::node;
using anydim::onnx::testing::value_info;

using Views = std::span<const anydim_view_t>;
using Outputs = std::span<anydim_view_t>;

// An operator whose callbacks are C++ functions.
struct Custom {
  std::function<int32_t(const anydim_custom_node_t*, Views, Outputs)> shapes = [](auto*, Views in, Outputs out) {
    for (anydim_view_t& o : out) o.dtype = in[0].dtype, o.dims = in[0].dims;
    return ANYDIM_STATUS_OK;
  };
  std::function<int32_t(const anydim_custom_node_t*, Views, Outputs)> compute;
  int finalized = 0;

  anydim_custom_operator_t definition() {
    anydim_custom_operator_t d = ANYDIM_CUSTOM_OPERATOR_INIT;
    d.user = this;
    d.shapes = [](void* user, const anydim_custom_node_t* n, const anydim_view_t* in, int64_t ins, anydim_view_t* out, int64_t outs) {
      return static_cast<Custom*>(user)->shapes(n, {in, static_cast<size_t>(ins)}, {out, static_cast<size_t>(outs)});
    };
    d.compute = [](void* user, const anydim_custom_node_t* n, const anydim_view_t* in, int64_t ins, anydim_view_t* out, int64_t outs) {
      return static_cast<Custom*>(user)->compute(n, {in, static_cast<size_t>(ins)}, {out, static_cast<size_t>(outs)});
    };
    d.finalizer = [](void* user) { ++static_cast<Custom*>(user)->finalized; };
    return d;
  }
};

int64_t elements(const anydim_view_t& v) {
  int64_t n = 1;
  for (int i = 0; i < v.dims.rank; ++i) n *= v.dims.values[i];
  return n;
}
template <class F> int32_t each(Views in, Outputs out, F&& f) {
  for (int64_t i = 0; i < elements(in[0]); ++i) static_cast<float*>(out[0].data)[i] = f(static_cast<const float*>(in[0].data)[i]);
  return ANYDIM_STATUS_OK;
}

class CustomOperators : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    ASSERT_OK(anydim_custom_operators_create(&set));
    scale.compute = [](const anydim_custom_node_t* n, Views in, Outputs out) {
      float factor = 2.f;
      anydim_custom_attribute_t found{};
      if (anydim_custom_node_find_attribute(n, "factor", &found) == ANYDIM_STATUS_OK) factor = *static_cast<const float*>(found.data);
      return each(in, out, [&](float x) { return x * factor; });
    };
  }
  void TearDown() override {
    anydim_context_destroy(context);
    anydim_model_destroy(model);
    anydim_custom_operators_destroy(set);
    Api::TearDown();
  }
  anydim_status_t add(Custom& custom, const char* op_type, const char* domain = "my.domain") {
    const anydim_custom_operator_t definition = custom.definition();
    return anydim_custom_operators_add(set, domain, op_type, &definition);
  }
  static ModelBuilder of(std::vector<std::string> nodes) {
    ModelBuilder m;
    m.opsets = {{"", 17}, {"my.domain", 3}};
    m.inputs = {value_info("x", kFloat, {"n", 2})};
    m.outputs = {value_info("y", kFloat, {"m", 2})};
    m.nodes = std::move(nodes);
    return m;
  }
  anydim_status_t load(const ModelBuilder& m) {
    const std::string bytes = m.model_bytes();
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.operators = set;
    return anydim_model_load_memory(engine, bytes.data(), static_cast<int64_t>(bytes.size()), &options, &model);
  }
  anydim_status_t run(std::vector<float> x, std::vector<float>* y) {
    if (context == nullptr) {
      EXPECT_OK(anydim_context_create(model, nullptr, nullptr, &context));
    }
    const anydim_view_t in = tensor({static_cast<int64_t>(x.size()) / 2, 2}, x.data());
    anydim_view_t out{};
    out.dtype = ANYDIM_F32;
    const anydim_status_t s = anydim_context_run(context, &in, 1, &out, 1, nullptr);
    if (s == ANYDIM_STATUS_OK) y->assign(static_cast<const float*>(out.data), static_cast<const float*>(out.data) + elements(out));
    return s;
  }
  Custom scale;
  anydim_custom_operators_t set = nullptr;
  anydim_model_t model = nullptr;
  anydim_context_t context = nullptr;
  std::vector<float> y;
};

TEST_F(CustomOperators, ANodeIsComputedByTheProgramWithItsAttributes) {
  ASSERT_OK(add(scale, "Scale"));
  ASSERT_OK(load(of({node("Scale", {"x"}, {"a"}, {attr("factor", 3.f)}, "three", "my.domain"), node("Neg", {"a"}, {"b"}),
                     node("Scale", {"b"}, {"y"}, {}, "two", "my.domain")})));
  ASSERT_OK(run({1, 2, 3, 4}, &y));
  EXPECT_EQ(y, (std::vector<float>{-6, -12, -18, -24}));
  ASSERT_OK(run({5, 6}, &y));
  EXPECT_EQ(y, (std::vector<float>{-30, -36}));
}

TEST_F(CustomOperators, TheNodeSaysWhatItIs) {
  Custom look;
  look.compute = [](const anydim_custom_node_t* n, Views in, Outputs out) {
    EXPECT_STREQ(n->name.data, "the_node");
    EXPECT_STREQ(n->domain.data, "my.domain");
    EXPECT_STREQ(n->op_type.data, "Look");
    EXPECT_EQ(n->version, 3);
    EXPECT_EQ(n->attributes, 2);
    anydim_custom_attribute_t a{};
    EXPECT_OK(anydim_custom_node_get_attribute(n, 1, &a));
    EXPECT_STREQ(a.name.data, "list");
    EXPECT_EQ(a.type, ANYDIM_CUSTOM_ATTRIBUTE_INTEGERS);
    EXPECT_EQ(a.is_list, 1);
    EXPECT_EQ(a.count, 2);
    EXPECT_EQ(static_cast<const int64_t*>(a.data)[1], -9);
    EXPECT_STATUS(anydim_custom_node_get_attribute(n, 2, &a), ANYDIM_STATUS_NOT_FOUND, "index is 2; the node has 2");
    EXPECT_STATUS(anydim_custom_node_find_attribute(n, "other", &a), ANYDIM_STATUS_NOT_FOUND, "name is 'other'");
    return each(in, out, [](float x) { return x; });
  };
  ASSERT_OK(add(look, "Look"));
  ASSERT_OK(load(
      of({node("Look", {"x"}, {"y"}, {attr("one", int64_t{4}), attr("list", std::vector<int64_t>{7, -9})}, "the_node", "my.domain")})));
  ASSERT_OK(run({1, 2}, &y));
}

TEST_F(CustomOperators, AFailureComesBackWithItsStatusReasonAndNode) {
  scale.compute = [](auto*, Views, Outputs) {
    anydim_custom_operator_fail("the moon is full");
    return ANYDIM_STATUS_IO_ERROR;
  };
  ASSERT_OK(add(scale, "Scale"));
  ASSERT_OK(load(of({node("Scale", {"x"}, {"y"}, {}, "the_node", "my.domain")})));
  EXPECT_STATUS(run({1, 2}, &y), ANYDIM_STATUS_IO_ERROR, "the_node (Scale)", "the moon is full");
  anydim_error_info_t info = ANYDIM_ERROR_INFO_INIT;
  ASSERT_OK(anydim_last_error_query(&info));
  EXPECT_STREQ(info.node.data, "the_node");
  // A reason holds for one failure.
  scale.compute = [](auto*, Views, Outputs) { return ANYDIM_STATUS_BUSY; };
  EXPECT_STATUS(run({1, 2}, &y), ANYDIM_STATUS_BUSY, "the kernel of Scale failed and said no reason");
  scale.compute = [](auto*, Views, Outputs) { return 99; };
  EXPECT_STATUS(run({1, 2}, &y), ANYDIM_STATUS_INTERNAL, "gave 99, which is no status");
  scale.compute = [](auto*, Views, Outputs) -> int32_t { throw std::runtime_error("a C++ program's"); };
  EXPECT_STATUS(run({1, 2}, &y), ANYDIM_STATUS_INTERNAL, "threw: a C++ program's");
  scale.compute = [](auto*, Views in, Outputs out) { return each(in, out, [](float x) { return -x; }); };
  ASSERT_OK(run({1, 2}, &y));
  EXPECT_EQ(y, (std::vector<float>{-1, -2}));
}

TEST_F(CustomOperators, WhatARuleMayNotSayIsRefusedAtLoad) {
  ASSERT_OK(add(scale, "Scale"));
  const ModelBuilder m = of({node("Scale", {"x"}, {"y"}, {}, "the_node", "my.domain")});
  const auto says = [&](int32_t dtype, std::vector<int64_t> dims, int32_t rank = -1) {
    scale.shapes = [=](auto*, Views, Outputs out) {
      out[0].dtype = static_cast<anydim_dtype_t>(dtype);
      out[0].dims.rank = rank < 0 ? static_cast<int32_t>(dims.size()) : rank;
      std::copy(dims.begin(), dims.end(), out[0].dims.values);
      return ANYDIM_STATUS_OK;
    };
  };
  says(0, {2});
  EXPECT_STATUS(load(m), ANYDIM_STATUS_INVALID_ARGUMENT, "the_node (Scale)", "gives 0 as the dtype of output 0");
  says(99, {2});
  EXPECT_STATUS(load(m), ANYDIM_STATUS_INVALID_ARGUMENT, "gives 99 as the dtype");
  says(ANYDIM_F32, {}, 9);
  EXPECT_STATUS(load(m), ANYDIM_STATUS_INVALID_ARGUMENT, "gives 9 as the rank");
  says(ANYDIM_F32, {-7, 2});
  EXPECT_STATUS(load(m), ANYDIM_STATUS_INVALID_ARGUMENT, "gives -7 as dim 0 of output 0");
  says(ANYDIM_F32, {int64_t{1} << 40, int64_t{1} << 40});
  EXPECT_STATUS(load(m), ANYDIM_STATUS_INVALID_ARGUMENT, "more elements than any memory has");
}

TEST_F(CustomOperators, DataDependentDimsComeFromTheRuleWithAllData) {
  // As many rows as the first number says.
  Custom rows;
  rows.shapes = [](auto*, Views in, Outputs out) {
    out[0].dtype = ANYDIM_F32;
    out[0].dims = {2, 0, {in[0].data == nullptr ? -1 : static_cast<int64_t>(*static_cast<const float*>(in[0].data)), 2}};
    return ANYDIM_STATUS_OK;
  };
  rows.compute = [](auto*, Views, Outputs out) {
    for (int64_t i = 0; i < elements(out[0]); ++i) static_cast<float*>(out[0].data)[i] = static_cast<float>(i);
    return ANYDIM_STATUS_OK;
  };
  ASSERT_OK(add(rows, "Rows"));
  ASSERT_OK(load(of({node("Rows", {"x"}, {"a"}, {}, "", "my.domain"), node("Neg", {"a"}, {"y"})})));
  for (const float n : {3.f, 1.f, 0.f, 5.f}) {
    ASSERT_OK(run({n, 0}, &y));
    ASSERT_EQ(y.size(), static_cast<size_t>(2 * n));
    for (size_t i = 0; i < y.size(); ++i) EXPECT_EQ(y[i], -static_cast<float>(i));
  }
}

TEST_F(CustomOperators, InALoopTheKernelRunsInEachIteration) {
  ASSERT_OK(add(scale, "Scale"));
  ModelBuilder body;
  body.nodes = {node("Scale", {"v"}, {"w"}, {}, "inner", "my.domain"), node("Identity", {"go"}, {"on"})};
  body.inputs = {value_info("i", kInt64, {}), value_info("go", kBool, {}), value_info("v", kFloat, {"n", 2})};
  body.outputs = {value_info("on", kBool, {}), value_info("w", kFloat, {"n", 2})};
  ModelBuilder m = of({node("Loop", {"trips", "", "x"}, {"y"}, {graph_attr("body", body.graph_bytes())}, "loop")});
  m.initializers = {int64s("trips", {}, {5})};
  ASSERT_OK(load(m));
  ASSERT_OK(run({1, 2}, &y));
  EXPECT_EQ(y, (std::vector<float>{32, 64}));
}

TEST_F(CustomOperators, TheyComeBeforeTheLibrarysOwn) {
  ASSERT_OK(add(scale, "Neg", ""));
  ASSERT_OK(load(of({node("Neg", {"x"}, {"y"})})));
  ASSERT_OK(run({1, 2}, &y));
  EXPECT_EQ(y, (std::vector<float>{2, 4}));
}

TEST_F(CustomOperators, WhatIsMissingOrThereTwiceIsRefused) {
  Custom other;
  anydim_custom_operator_t d = scale.definition();
  d.compute = nullptr;
  EXPECT_STATUS(anydim_custom_operators_add(set, "my.domain", "Scale", &d), ANYDIM_STATUS_INVALID_ARGUMENT, "definition.compute is null");
  d.shapes = nullptr;
  EXPECT_STATUS(anydim_custom_operators_add(set, "my.domain", "Scale", &d), ANYDIM_STATUS_INVALID_ARGUMENT, "definition.shapes is null");
  EXPECT_STATUS(add(other, ""), ANYDIM_STATUS_INVALID_ARGUMENT, "op_type is empty");
  EXPECT_STATUS(add(other, "Loop", "ai.onnx"), ANYDIM_STATUS_INVALID_ARGUMENT, "op_type is Loop");
  ASSERT_OK(add(scale, "Scale"));
  EXPECT_STATUS(add(other, "Scale"), ANYDIM_STATUS_INVALID_ARGUMENT, "the set has this operator of domain 'my.domain' already");
  EXPECT_EQ(other.finalized, 0);
  const ModelBuilder m = of({node("Scale", {"x"}, {"a"}, {}, "", "my.domain"), node("Other", {"a"}, {"y"}, {}, "", "my.domain")});
  EXPECT_STATUS(load(m), ANYDIM_STATUS_UNIMPLEMENTED, "operator my.domain.Other is not supported");
  EXPECT_EQ(last().find("my.domain.Scale"), std::string::npos) << last();
  // Attributes with graphs are not passed.
  ModelBuilder body;
  EXPECT_STATUS(load(of({node("Scale", {"x"}, {"y"}, {graph_attr("g", body.graph_bytes())}, "", "my.domain")})),
                ANYDIM_STATUS_UNIMPLEMENTED, "attribute g", "of type 5");
  anydim_custom_attribute_t a{};
  const anydim_custom_node_t none{};
  EXPECT_STATUS(anydim_custom_node_get_attribute(&none, 0, &a), ANYDIM_STATUS_INVALID_ARGUMENT, "node is none");
}

TEST_F(CustomOperators, TheFinalizerIsCalledOnceAfterSetModelAndContextHaveGone) {
  ASSERT_OK(add(scale, "Scale"));
  ASSERT_OK(load(of({node("Scale", {"x"}, {"y"}, {}, "", "my.domain")})));
  anydim_custom_operators_destroy(std::exchange(set, nullptr));
  ASSERT_OK(run({1, 2}, &y));
  anydim_model_destroy(std::exchange(model, nullptr));
  ASSERT_OK(run({3, 4}, &y));
  EXPECT_EQ(y, (std::vector<float>{6, 8}));
  EXPECT_EQ(scale.finalized, 0);
  anydim_context_destroy(std::exchange(context, nullptr));
  EXPECT_EQ(scale.finalized, 1);
}

}  // namespace
