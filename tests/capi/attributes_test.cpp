// SPDX-License-Identifier: Apache-2.0
// Attributes of primitives and layers from outside: scales and zero points as attributes and as operands, the result's dtype, lines that
// carry them, math modes.
#include <cmath>
#include <string>
#include <vector>

#include "tests/capi/support.h"

class Attributes : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    ASSERT_OK(anydim_attr_create(&attr));
    for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<uint8_t>(37 * i);
    for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<int8_t>(91 * i);
  }
  void TearDown() override {
    anydim_attr_destroy(attr);
    Api::TearDown();
  }
  anydim_status_t make(anydim_primitive_t* p, anydim_dtype_t left = ANYDIM_U8, anydim_dtype_t right = ANYDIM_I8) {
    const anydim_desc_t d[] = {desc({anydim_dim_fixed(3), anydim_dim_fixed(5)}, left),
                               desc({anydim_dim_fixed(5), anydim_dim_fixed(4)}, right)};
    const anydim_status_t s = anydim_primitive_create(engine, &op.op, attr, d, 2, nullptr, p);
    for (const anydim_desc_t one : d) anydim_desc_destroy(one);
    return s;
  }
  static std::string explained(anydim_primitive_t p) {
    anydim_text_t text = nullptr;
    EXPECT_OK(anydim_primitive_explain(p, nullptr, 0, &text));
    anydim_string_t data{};
    EXPECT_OK(anydim_text_get_data(text, &data));
    std::string all(data.data, static_cast<size_t>(data.length));
    anydim_text_destroy(text);
    return all;
  }

  anydim_matmul_t op = ANYDIM_MATMUL_INIT;
  anydim_attr_t attr = nullptr;
  std::vector<uint8_t> a = std::vector<uint8_t>(15);
  std::vector<int8_t> b = std::vector<int8_t>(20);
};

TEST_F(Attributes, ScalesAndZeroPointsAreTheSameAsAttributesAndAsOperands) {
  const float sa = 0.02f, sb[4] = {0.5f, 0.25f, 0.125f, 0.3f}, sy = 0.7f;
  const int32_t za = 120, zy = 3;
  ASSERT_OK(anydim_attr_set_dtype(attr, ANYDIM_U8));
  ASSERT_OK(anydim_attr_set_scales(attr, ANYDIM_OPERAND_INPUT_0, -1, &sa, 1));
  ASSERT_OK(anydim_attr_set_zero_points(attr, ANYDIM_OPERAND_INPUT_0, -1, &za, 1));
  ASSERT_OK(anydim_attr_set_scales(attr, ANYDIM_OPERAND_INPUT_1, 1, sb, 4));
  ASSERT_OK(anydim_attr_set_scales(attr, ANYDIM_OPERAND_RESULT, -1, &sy, 1));
  ASSERT_OK(anydim_attr_set_zero_points(attr, ANYDIM_OPERAND_RESULT, -1, &zy, 1));
  ASSERT_OK(anydim_attr_append_eltwise(attr, ANYDIM_UNARY_RELU, 0, 0));
  anydim_primitive_t p = nullptr;
  ASSERT_OK(make(&p));
  std::vector<uint8_t> y(12), again(12), expected(12);
  anydim_view_t in[8] = {view_of(ANYDIM_U8, {3, 5}, a.data()), view_of(ANYDIM_I8, {5, 4}, b.data())};
  anydim_view_t out = view_of(ANYDIM_U8, {3, 4}, y.data());
  ASSERT_OK(anydim_primitive_execute(p, stream, in, 2, &out, 1));
  for (int m = 0; m < 3; ++m)
    for (int n = 0; n < 4; ++n) {
      int32_t sum = 0;
      for (int k = 0; k < 5; ++k) sum += (a[5 * m + k] - za) * b[4 * k + n];
      const float scale = sa * sb[n];
      float v = static_cast<float>(sum) * scale;
      v = v < 0 ? 0 : v;
      v = std::nearbyint(v / sy) + static_cast<float>(zy);
      expected[4 * m + n] = static_cast<uint8_t>(std::fmin(std::fmax(v, 0.f), 255.f));
    }
  EXPECT_EQ(y, expected);
  const std::string text = explained(p);
  EXPECT_NE(text.find("\"quantization\": \"result=u8 q0=0.02/120 q1=0.5;0.25;0.125;0.3@1/- q2=0.7/3\""), std::string::npos) << text;
  EXPECT_NE(text.find("\"math\": \"strict\""), std::string::npos) << text;
  anydim_primitive_destroy(p);

  // The same, given with each execution.
  for (const anydim_operand_t o : {ANYDIM_OPERAND_INPUT_0, ANYDIM_OPERAND_INPUT_1, ANYDIM_OPERAND_RESULT})
    ASSERT_OK(anydim_attr_set_scales(attr, o, o == ANYDIM_OPERAND_INPUT_1 ? 1 : -1, nullptr, 0));
  ASSERT_OK(anydim_attr_set_zero_points(attr, ANYDIM_OPERAND_INPUT_0, -1, nullptr, 0));
  ASSERT_OK(anydim_attr_set_zero_points(attr, ANYDIM_OPERAND_RESULT, -1, nullptr, 0));
  ASSERT_OK(make(&p));
  uint8_t za8 = static_cast<uint8_t>(za), zy8 = static_cast<uint8_t>(zy);
  in[2] = view_of(ANYDIM_F32, {}, const_cast<float*>(&sa));
  in[3] = view_of(ANYDIM_U8, {1}, &za8);
  in[4] = view_of(ANYDIM_F32, {4}, const_cast<float*>(sb));
  in[5] = view_of(ANYDIM_F32, {1}, const_cast<float*>(&sy));
  in[6] = view_of(ANYDIM_U8, {}, &zy8);
  out.data = again.data();
  ASSERT_OK(anydim_primitive_execute(p, stream, in, 7, &out, 1));
  EXPECT_EQ(again, expected);
  EXPECT_STATUS(anydim_primitive_execute(p, stream, in, 6, &out, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "6 inputs", "5");
  in[4].dims.values[0] = 3;
  EXPECT_STATUS(anydim_primitive_execute(p, stream, in, 7, &out, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "the scale of input 1 has dims 3");
  in[4].dims.values[0] = 4;

  // A line of it makes the same primitive again.
  anydim_text_t line = nullptr;
  ASSERT_OK(anydim_primitive_format_line(p, stream, in, 7, &out, 1, &line));
  anydim_string_t data{};
  ASSERT_OK(anydim_text_get_data(line, &data));
  EXPECT_NE(std::string(data.data).find("result=u8 q0=t/t q1=t@1/- q2=t/t"), std::string::npos) << data.data;
  anydim_call_t call = nullptr;
  ASSERT_OK(anydim_call_parse(data.data, &call));
  anydim_primitive_t parsed = nullptr;
  ASSERT_OK(anydim_call_create_primitive(call, engine, "", nullptr, 0, &parsed));
  std::fill(again.begin(), again.end(), uint8_t{0});
  ASSERT_OK(anydim_primitive_execute(parsed, stream, in, 7, &out, 1));
  EXPECT_EQ(again, expected);
  anydim_primitive_destroy(parsed);
  anydim_call_destroy(call);
  anydim_text_destroy(line);
  anydim_primitive_destroy(p);
}

TEST_F(Attributes, WeightsOfEightBitsArePackedForThem) {
  const float scale = 0.01f;
  ASSERT_OK(anydim_attr_set_scales(attr, ANYDIM_OPERAND_INPUT_0, -1, &scale, 1));
  std::vector<float> bias{1, 2, 3, 4}, y(12);
  const anydim_view_t constants[] = {view_of(ANYDIM_I8, {5, 4}, b.data()), view_of(ANYDIM_F32, {4}, bias.data())};
  anydim_weights_t w = nullptr;
  ASSERT_OK(anydim_weights_create(engine, &op.op, attr, nullptr, 0, constants, nullptr, 2, &w));
  anydim_desc_t d = desc({anydim_dim_fixed(3), anydim_dim_fixed(5)}, ANYDIM_U8);
  anydim_primitive_t p = nullptr;
  ASSERT_OK(anydim_primitive_create(engine, &op.op, attr, &d, 1, w, &p));
  const anydim_view_t x = view_of(ANYDIM_U8, {3, 5}, a.data());
  anydim_view_t out = tensor({3, 4}, y.data());
  ASSERT_OK(anydim_primitive_execute(p, stream, &x, 1, &out, 1));
  int32_t sum = 0;
  for (int k = 0; k < 5; ++k) sum += a[static_cast<size_t>(k)] * b[static_cast<size_t>(4 * k)];
  const float product = static_cast<float>(sum) * scale;
  EXPECT_EQ(y[0], product + 1.f);
  anydim_primitive_destroy(p);
  anydim_weights_destroy(w);
  anydim_desc_destroy(d);
}

TEST_F(Attributes, OfNumbersAreCheckedWhenTheyAreSetAndWhenAPrimitiveIsMade) {
  const float one = 1.f, none = 0.f;
  const int32_t large = 256, below = -1;
  EXPECT_STATUS(anydim_attr_set_scales(attr, 3, -1, &one, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "operand is 3");
  EXPECT_STATUS(anydim_attr_set_scales(attr, 0, 8, &one, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "axis is 8");
  EXPECT_STATUS(anydim_attr_set_scales(attr, 0, -2, &one, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "axis is -2");
  EXPECT_STATUS(anydim_attr_set_scales(attr, 0, 0, nullptr, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "values");
  EXPECT_STATUS(anydim_attr_set_scales(attr, 0, 0, &one, -1), ANYDIM_STATUS_INVALID_ARGUMENT, "number of values is -1");
  EXPECT_STATUS(anydim_attr_set_zero_points(attr, 0, -1, &large, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "values[0] is 256");
  EXPECT_STATUS(anydim_attr_set_dtype(attr, 77), ANYDIM_STATUS_INVALID_ARGUMENT, "dtype is 77");
  anydim_primitive_t p = nullptr;
  EXPECT_STATUS(make(&p), ANYDIM_STATUS_INVALID_ARGUMENT, "b has dtype i8; a has u8");
  ASSERT_OK(anydim_attr_set_dtype(attr, ANYDIM_F64));
  EXPECT_STATUS(make(&p), ANYDIM_STATUS_UNIMPLEMENTED, "dtype is f64");
  ASSERT_OK(anydim_attr_set_dtype(attr, ANYDIM_I32));
  EXPECT_OK(make(&p));
  anydim_primitive_destroy(p);
  p = nullptr;
  ASSERT_OK(anydim_attr_set_zero_points(attr, ANYDIM_OPERAND_INPUT_0, -1, &below, 1));
  EXPECT_STATUS(make(&p), ANYDIM_STATUS_INVALID_ARGUMENT, "input 0 has a zero point of -1");
  ASSERT_OK(anydim_attr_set_zero_points(attr, ANYDIM_OPERAND_INPUT_0, -1, nullptr, 0));
  ASSERT_OK(anydim_attr_set_scales(attr, ANYDIM_OPERAND_INPUT_1, -1, &none, 1));
  EXPECT_STATUS(make(&p), ANYDIM_STATUS_INVALID_ARGUMENT, "a scale of 0");
  ASSERT_OK(anydim_attr_set_scales(attr, ANYDIM_OPERAND_INPUT_1, 1, &one, 1));
  EXPECT_OK(make(&p)) << "how many there are shows with the dims";
  std::vector<int32_t> y(12);
  uint8_t zero = 0;
  const anydim_view_t in[] = {view_of(ANYDIM_U8, {3, 5}, a.data()), view_of(ANYDIM_I8, {5, 4}, b.data()), view_of(ANYDIM_U8, {1}, &zero)};
  anydim_view_t out = view_of(ANYDIM_I32, {3, 4}, y.data());
  EXPECT_STATUS(anydim_primitive_execute(p, stream, in, 3, &out, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "input 1 has 1 scales", "4 long");
  anydim_primitive_destroy(p);
}

TEST_F(Attributes, EveryMathModeIsAcceptedAndTheOneInUseIsReported) {
  for (anydim_math_t mode = ANYDIM_MATH_INHERIT; mode <= ANYDIM_MATH_REDUCED; ++mode) {
    ASSERT_OK(anydim_attr_set_math(attr, mode));
    anydim_primitive_t p = nullptr;
    ASSERT_OK(make(&p, ANYDIM_F32, ANYDIM_F32));
    EXPECT_NE(explained(p).find("\"math\": \"strict\""), std::string::npos);
    anydim_primitive_destroy(p);
  }
}

TEST_F(Attributes, ALayerThatAModelLacksIsNotFound) {
  anydim_layers_t layers = nullptr;
  ASSERT_OK(anydim_layers_create(&layers));
  EXPECT_STATUS(anydim_layers_set_math(layers, "", ANYDIM_MATH_FAST), ANYDIM_STATUS_INVALID_ARGUMENT, "layer is empty");
  EXPECT_STATUS(anydim_layers_set_math(layers, "x", 9), ANYDIM_STATUS_INVALID_ARGUMENT, "mode is 9");
  ASSERT_OK(anydim_layers_set_math(layers, "no such node", ANYDIM_MATH_FAST));
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  options.layers = layers;
  anydim_model_t m = nullptr;
  EXPECT_STATUS(anydim_model_load_file(engine, ANYDIM_MODELS "/cls.onnx", &options, &m), ANYDIM_STATUS_NOT_FOUND, "'no such node'");
  EXPECT_EQ(m, nullptr);
  anydim_layers_destroy(layers);
}
