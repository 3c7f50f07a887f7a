// SPDX-License-Identifier: Apache-2.0
// Memory orders asked for at a model's edges through the C API: what the model then has, the same bits, no copy where the
// order is the kernels' own, and what is refused.
#include <algorithm>
#include <cstring>

#include "tests/capi/support.h"

namespace {

struct Wish {
  const char* name;
  anydim_edge_layout_t rule;
  std::vector<int64_t> axes = {};
};

class Layouts : public Api {
 protected:
  // A model of the text recogniser with these preferences.
  anydim_model_t load(const std::vector<Wish>& wishes) {
    anydim_layouts_t layouts = nullptr;
    EXPECT_OK(anydim_layouts_create(&layouts));
    for (const Wish& w : wishes) EXPECT_OK(anydim_layouts_set(layouts, w.name, w.rule, static_cast<int32_t>(w.axes.size()), w.axes.data()));
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.layouts = layouts;
    anydim_model_t model = nullptr;
    EXPECT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/rec.onnx", &options, &model));
    anydim_layouts_destroy(layouts);  // it was copied
    return model;
  }
  std::vector<int64_t> order(anydim_model_t model, bool output) {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    EXPECT_OK(output ? anydim_model_get_output(model, 0, &info) : anydim_model_get_input(model, 0, &info));
    return {info.order.values, info.order.values + info.order.rank};
  }
  // The scores of an image whose memory has the model's order, in logical order; and how many nodes only change the layout.
  std::vector<float> scores(anydim_model_t model, int* copies) {
    const int64_t dims[4] = {2, 3, 48, 53};
    const std::vector<int64_t> axes = order(model, false);
    int64_t strides[4], count = 1;
    for (size_t i = 4; i-- > 0;) {
      strides[axes[i]] = count;
      count *= dims[axes[i]];
    }
    std::vector<float> pixels(static_cast<size_t>(count));
    int64_t logical = 0;
    for (int64_t n = 0; n < dims[0]; ++n)
      for (int64_t c = 0; c < dims[1]; ++c)
        for (int64_t h = 0; h < dims[2]; ++h)
          for (int64_t w = 0; w < dims[3]; ++w)
            pixels[static_cast<size_t>(n * strides[0] + c * strides[1] + h * strides[2] + w * strides[3])] =
                static_cast<float>(logical++ * 7919 % 255) / 127.f - 1.f;
    anydim_view_t x = view_of(ANYDIM_F32, {dims, dims + 4}, pixels.data(), {strides, strides + 4}), y{};
    y.dtype = ANYDIM_F32;
    anydim_context_t context = nullptr;
    EXPECT_OK(anydim_context_create(model, nullptr, nullptr, &context));
    EXPECT_OK(anydim_context_run(context, &x, 1, &y, 1, nullptr));
    std::vector<float> out;
    const auto* data = static_cast<const float*>(y.data);
    for (int64_t a = 0; a < y.dims.values[0]; ++a)
      for (int64_t b = 0; b < y.dims.values[1]; ++b)
        for (int64_t c = 0; c < y.dims.values[2]; ++c)
          out.push_back(data[a * y.strides.values[0] + b * y.strides.values[1] + c * y.strides.values[2]]);
    // The strides are those of the order that the model reports.
    const std::vector<int64_t> lies = order(model, true);
    for (size_t i = 1; i < lies.size(); ++i) EXPECT_GE(y.strides.values[lies[i - 1]], y.strides.values[lies[i]]);
    int32_t nodes = 0;
    EXPECT_OK(anydim_context_get_node_count(context, &nodes));
    *copies = 0;
    for (int32_t i = 0; i < nodes; ++i) {
      anydim_node_info_t node = ANYDIM_NODE_INFO_INIT;
      EXPECT_OK(anydim_context_get_node(context, i, &node));
      *copies += std::string(node.op.data).starts_with("transpose ");
    }
    anydim_context_destroy(context);
    return out;
  }
  std::string output_name() {
    anydim_model_t model = load({});
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    EXPECT_OK(anydim_model_get_output(model, 0, &info));
    std::string name = info.name.data;
    anydim_model_destroy(model);
    return name;
  }
};

TEST_F(Layouts, ChangeNoBitAndAddNoCopyWhereTheyAreTheKernelsOwn) {
  const std::string y = output_name();
  const std::vector<int64_t> row3 = {0, 1, 2}, row4 = {0, 1, 2, 3}, last4 = {0, 2, 3, 1};
  struct Case {
    std::vector<Wish> wishes;
    std::vector<int64_t> x, y;
  };
  const Case cases[] = {
      {{}, row4, row3},
      {{{"x", ANYDIM_EDGE_LAYOUT_ROW_MAJOR}, {y.c_str(), ANYDIM_EDGE_LAYOUT_ROW_MAJOR}}, row4, row3},
      {{{"x", ANYDIM_EDGE_LAYOUT_CHANNELS_LAST}, {y.c_str(), ANYDIM_EDGE_LAYOUT_FASTEST}}, last4, row3},
      // Three channels are read from either order at the same speed; no input has the output's rank.
      {{{"x", ANYDIM_EDGE_LAYOUT_FASTEST}, {y.c_str(), ANYDIM_EDGE_LAYOUT_FOLLOW}}, row4, row3},
      {{{"x", ANYDIM_EDGE_LAYOUT_ORDER, {3, 1, 0, 2}}, {y.c_str(), ANYDIM_EDGE_LAYOUT_ORDER, {2, 0, 1}}}, {3, 1, 0, 2}, {2, 0, 1}},
      {{{y.c_str(), ANYDIM_EDGE_LAYOUT_CHANNELS_LAST}}, row4, {0, 2, 1}},
  };
  std::vector<float> expected;
  for (const Case& c : cases) {
    anydim_model_t model = load(c.wishes);
    EXPECT_EQ(order(model, false), c.x);
    EXPECT_EQ(order(model, true), c.y);
    int copies = 0;
    const std::vector<float> got = scores(model, &copies);
    if (expected.empty()) {
      expected = got;
    } else {
      ASSERT_EQ(got.size(), expected.size());
      EXPECT_EQ(std::memcmp(got.data(), expected.data(), got.size() * sizeof(float)), 0);
    }
    if (c.y == row3) {
      EXPECT_EQ(copies, 0) << "a copy of what lies as its kernels want it";
    }
    anydim_model_destroy(model);
  }
}

TEST_F(Layouts, AreCheckedWhenTheyAreSetAndWhenAModelIsLoaded) {
  anydim_layouts_t layouts = nullptr;
  EXPECT_STATUS(anydim_layouts_create(nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "layouts");
  ASSERT_OK(anydim_layouts_create(&layouts));
  const int64_t axes[9] = {0, 2, 3, 1, 4, 5, 6, 7, 8}, twice[3] = {0, 1, 1}, beyond[2] = {0, 2}, negative[1] = {-1};
  EXPECT_STATUS(anydim_layouts_set(layouts, nullptr, ANYDIM_EDGE_LAYOUT_FASTEST, 0, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "name");
  EXPECT_STATUS(anydim_layouts_set(layouts, "x", 9, 0, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "rule", "9");
  EXPECT_STATUS(anydim_layouts_set(layouts, "x", ANYDIM_EDGE_LAYOUT_FASTEST, 4, axes), ANYDIM_STATUS_INVALID_ARGUMENT, "4 axes");
  EXPECT_STATUS(anydim_layouts_set(layouts, "x", ANYDIM_EDGE_LAYOUT_ORDER, 9, axes), ANYDIM_STATUS_INVALID_ARGUMENT, "9", "8");
  EXPECT_STATUS(anydim_layouts_set(layouts, "x", ANYDIM_EDGE_LAYOUT_ORDER, -1, axes), ANYDIM_STATUS_INVALID_ARGUMENT, "-1");
  EXPECT_STATUS(anydim_layouts_set(layouts, "x", ANYDIM_EDGE_LAYOUT_ORDER, 4, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "axes");
  EXPECT_STATUS(anydim_layouts_set(layouts, "x", ANYDIM_EDGE_LAYOUT_ORDER, 3, twice), ANYDIM_STATUS_INVALID_ARGUMENT, "axes[2] is 1");
  EXPECT_STATUS(anydim_layouts_set(layouts, "x", ANYDIM_EDGE_LAYOUT_ORDER, 2, beyond), ANYDIM_STATUS_INVALID_ARGUMENT, "axes[1] is 2");
  EXPECT_STATUS(anydim_layouts_set(layouts, "x", ANYDIM_EDGE_LAYOUT_ORDER, 1, negative), ANYDIM_STATUS_INVALID_ARGUMENT, "axes[0] is -1");

  const std::string y = output_name();
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  anydim_model_t model = nullptr;
  const auto refused = [&](const Wish& w, anydim_status_t status, const char* name, const char* found) {
    anydim_layouts_t one = nullptr;
    ASSERT_OK(anydim_layouts_create(&one));
    ASSERT_OK(anydim_layouts_set(one, w.name, w.rule, static_cast<int32_t>(w.axes.size()), w.axes.data()));
    options.layouts = one;
    EXPECT_STATUS(anydim_model_load_file(engine, ANYDIM_MODELS "/rec.onnx", &options, &model), status, name, found);
    EXPECT_EQ(model, nullptr);
    anydim_layouts_destroy(one);
    EXPECT_STATUS(anydim_model_load_file(engine, ANYDIM_MODELS "/rec.onnx", &options, &model), ANYDIM_STATUS_INVALID_HANDLE,
                  "options.layouts");
  };
  refused({"z", ANYDIM_EDGE_LAYOUT_FASTEST}, ANYDIM_STATUS_NOT_FOUND, "'z'", "neither");
  refused({"x", ANYDIM_EDGE_LAYOUT_FOLLOW}, ANYDIM_STATUS_INVALID_ARGUMENT, "'x'", "follow");
  refused({"x", ANYDIM_EDGE_LAYOUT_ORDER, {0, 1, 2}}, ANYDIM_STATUS_INVALID_ARGUMENT, "'x'", "3 axes");
  refused({y.c_str(), ANYDIM_EDGE_LAYOUT_ORDER}, ANYDIM_STATUS_INVALID_ARGUMENT, "0 axes", "3");
  anydim_layouts_destroy(layouts);
}

// A primitive's results lie as their views name it: the order of the largest input, or that in which the kernel writes.
TEST_F(Layouts, ResultsOfPrimitivesLieAsTheirViewsSay) {
  const anydim_dim_t any = anydim_dim_dynamic(1, 64), dims[4] = {any, anydim_dim_fixed(8), any, any};
  anydim_desc_t src = nullptr;
  ASSERT_OK(anydim_desc_create(ANYDIM_F32, 4, dims, ANYDIM_LAYOUT_ANY, &src));
  anydim_binary_t sum = ANYDIM_BINARY_INIT;
  anydim_convolution_t conv = ANYDIM_CONVOLUTION_INIT;
  anydim_primitive_t add = nullptr, map = nullptr;
  const anydim_desc_t both[2] = {src, src};
  ASSERT_OK(anydim_primitive_create(engine, &sum.op, nullptr, both, 2, nullptr, &add));
  std::vector<float> kernel(16 * 8, 0.5f), pixels(2 * 8 * 3 * 5);
  const anydim_view_t constant = view_of(ANYDIM_F32, {16, 8, 1, 1}, kernel.data());
  ASSERT_OK(anydim_primitive_create_with_constants(engine, &conv.op, nullptr, &src, 1, &constant, nullptr, 1, &map));
  for (size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<float>(i);
  anydim_view_t inputs[2] = {view_of(ANYDIM_F32, {1, 8, 1, 1}, pixels.data()), view_of(ANYDIM_F32, {2, 8, 3, 5}, pixels.data())};
  inputs[1].layout = ANYDIM_LAYOUT_CHANNELS_LAST;
  const auto strides = [&](anydim_primitive_t p, const anydim_view_t* in, int32_t count, anydim_layout_t layout) {
    anydim_view_t y{};
    y.dtype = ANYDIM_F32;
    y.layout = layout;
    EXPECT_OK(anydim_primitive_execute(p, stream, in, count, &y, 1));
    EXPECT_EQ(y.layout, ANYDIM_LAYOUT_STRIDED);
    anydim_result_release(y.data);
    y.data = nullptr;  // the view again, as a call wrote it: rows
    EXPECT_OK(anydim_primitive_execute(p, stream, in, count, &y, 1));
    const std::vector<int64_t> rows(y.strides.values, y.strides.values + 4);
    EXPECT_EQ(rows[3], 1);
    anydim_result_release(y.data);
    anydim_view_t again{};
    again.dtype = ANYDIM_F32;
    again.layout = layout;
    EXPECT_OK(anydim_primitive_execute(p, stream, in, count, &again, 1));
    anydim_result_release(again.data);
    return std::vector<int64_t>(again.strides.values, again.strides.values + 4);
  };
  using Strides = std::vector<int64_t>;
  EXPECT_EQ(strides(add, inputs, 2, ANYDIM_LAYOUT_ROW_MAJOR), (Strides{120, 15, 5, 1}));
  EXPECT_EQ(strides(add, inputs, 2, ANYDIM_LAYOUT_CHANNELS_LAST), (Strides{120, 1, 40, 8}));
  EXPECT_EQ(strides(add, inputs, 2, ANYDIM_LAYOUT_FOLLOW), (Strides{120, 1, 40, 8}));
  EXPECT_EQ(strides(add, inputs, 2, ANYDIM_LAYOUT_ANY), (Strides{120, 1, 40, 8}));
  inputs[1].layout = ANYDIM_LAYOUT_ROW_MAJOR;
  EXPECT_EQ(strides(add, inputs, 2, ANYDIM_LAYOUT_FOLLOW), (Strides{120, 15, 5, 1}));
  EXPECT_EQ(strides(map, inputs + 1, 1, ANYDIM_LAYOUT_FOLLOW), (Strides{240, 15, 5, 1}));
  EXPECT_EQ(strides(map, inputs + 1, 1, ANYDIM_LAYOUT_ANY), (Strides{240, 1, 80, 16})) << "as the kernel writes";
  anydim_view_t wrong{};
  wrong.dtype = ANYDIM_F32;
  wrong.layout = 9;
  EXPECT_STATUS(anydim_primitive_execute(add, stream, inputs, 2, &wrong, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "outputs[0].layout is 9");
  anydim_primitive_destroy(add);
  anydim_primitive_destroy(map);
  anydim_desc_destroy(src);
}

TEST_F(Layouts, OptionsOfAnOlderHeaderHaveNone) {
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  options.size = 20;                                                   // up to output_layout
  options.layouts = reinterpret_cast<anydim_layouts_t>(uintptr_t{1});  // what lies behind it is not the library's
  anydim_model_t model = nullptr;
  ASSERT_OK(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", &options, &model));
  anydim_model_destroy(model);
}

}  // namespace
