// SPDX-License-Identifier: Apache-2.0
// What a failure carries as data: status, function, argument, node.
#include "tests/capi/support.h"

#include <thread>

#include "onnx/testing/model_builder.h"

namespace {

struct Told {
  anydim_status_t status;
  std::string message, function, argument, node;
};
Told told() {
  anydim_error_info_t info = ANYDIM_ERROR_INFO_INIT;
  EXPECT_OK(anydim_last_error_query(&info));
  const auto text = [](anydim_string_t s) { return std::string(s.data, static_cast<size_t>(s.length)); };
  return {info.status, text(info.message), text(info.function), text(info.argument), text(info.node)};
}

class Errors : public Api {};

TEST_F(Errors, AThreadWithoutAFailureGetsOk) {
  std::thread([] {
    const Told t = told();
    EXPECT_EQ(t.status, ANYDIM_STATUS_OK);
    EXPECT_EQ(t.message + t.function + t.argument + t.node, "");
  }).join();
}

TEST_F(Errors, TheShimsNameTheArgument) {
  anydim_stream_t none = nullptr;
  EXPECT_STATUS(anydim_stream_create(nullptr, nullptr, &none), ANYDIM_STATUS_INVALID_HANDLE, "engine is null");
  Told t = told();
  EXPECT_EQ(t.status, ANYDIM_STATUS_INVALID_HANDLE);
  EXPECT_EQ(t.message, anydim_last_error());
  EXPECT_EQ(t.function, "anydim_stream_create");
  EXPECT_EQ(t.argument, "engine");
  EXPECT_EQ(t.node, "");
  EXPECT_STATUS(anydim_stream_create(engine, nullptr, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "stream is null");
  EXPECT_EQ(told().argument, "stream");
  anydim_stream_options_t options = ANYDIM_STREAM_OPTIONS_INIT;
  options.threads = -3;
  EXPECT_STATUS(anydim_stream_create(engine, &options, &none), ANYDIM_STATUS_INVALID_ARGUMENT, "-3");
  EXPECT_EQ(told().argument, "options.threads");
}

TEST_F(Errors, AnEntryOfAnArrayIsNamedByItsIndex) {
  const anydim_dim_t dims[2] = {anydim_dim_fixed(3), anydim_dim_dynamic(5, 2)};
  anydim_desc_t d = nullptr;
  EXPECT_STATUS(anydim_desc_create(ANYDIM_F32, 2, dims, ANYDIM_LAYOUT_STRIDED, &d), ANYDIM_STATUS_INVALID_ARGUMENT, "5..2");
  EXPECT_EQ(told().argument, "dims[1]");

  anydim_primitive_t p = relu({anydim_dim_dynamic(1, 4), anydim_dim_fixed(2)});
  float data[10] = {};
  anydim_view_t x = tensor({5, 2}, data), y = tensor({5, 2}, data);
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_OUT_OF_BOUNDS, "input 0 dim 0 is 5");
  EXPECT_EQ(told().argument, "inputs[0]");
  x = tensor({4, 2}, data);
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "output 0 has dims");
  EXPECT_EQ(told().argument, "outputs[0]");
  y.dims.rank = 9;
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "outputs[0].dims.rank is 9");
  EXPECT_EQ(told().argument, "outputs[0]");
  anydim_primitive_destroy(p);
}

TEST_F(Errors, AnOperatorsAttributeIsNamed) {
  anydim_topk_t op = ANYDIM_TOPK_INIT;
  op.k = -7;
  anydim_primitive_t p = nullptr;
  anydim_desc_t d = desc({anydim_dim_fixed(3)});
  EXPECT_STATUS(anydim_primitive_create(engine, &op.op, nullptr, &d, 1, nullptr, &p), ANYDIM_STATUS_INVALID_ARGUMENT, "-7");
  EXPECT_EQ(told().argument, "op.k");
  anydim_desc_destroy(d);
}

TEST_F(Errors, ASuccessAndADestroyLeaveTheLastErrorAsItIs) {
  anydim_stream_t other = nullptr;
  EXPECT_STATUS(anydim_stream_create(nullptr, nullptr, &other), ANYDIM_STATUS_INVALID_HANDLE, "engine");
  ASSERT_OK(anydim_stream_create(engine, nullptr, &other));
  anydim_stream_destroy(other);
  EXPECT_EQ(told().function, "anydim_stream_create");
  EXPECT_EQ(told().argument, "engine");
}

TEST_F(Errors, ALoadAndARunNameTheNode) {
  using namespace anydim::onnx::testing;
  ModelBuilder b;
  b.inputs = {value_info("x", 1, {"n", 4}), value_info("i", 7, {"m"})};
  b.outputs = {value_info("y", 1, {"m", 4})};
  b.nodes = {node("Gather", {"x", "i"}, {"y"}, {attr("axis", int64_t{5})}, "pick")};
  std::string bytes = b.model_bytes();
  anydim_model_t model = nullptr;
  EXPECT_STATUS(anydim_model_load_memory(engine, bytes.data(), static_cast<int64_t>(bytes.size()), nullptr, &model),
                ANYDIM_STATUS_INVALID_MODEL, "pick (Gather)");
  EXPECT_EQ(told().node, "pick");
  EXPECT_EQ(told().function, "anydim_model_load_memory");

  b.nodes = {node("Gather", {"x", "i"}, {"y"}, {attr("axis", int64_t{0})}, "pick")};
  bytes = b.model_bytes();
  ASSERT_OK(anydim_model_load_memory(engine, bytes.data(), static_cast<int64_t>(bytes.size()), nullptr, &model));
  anydim_context_t run = nullptr;
  ASSERT_OK(anydim_context_create(model, nullptr, nullptr, &run));
  float x[8] = {};
  int64_t index = 2;
  anydim_view_t in[2] = {tensor({2, 4}, x), view_of(ANYDIM_I64, {1}, &index)};
  EXPECT_STATUS(anydim_context_run(run, in, 2, nullptr, 0, nullptr), ANYDIM_STATUS_INVALID_DATA, "pick (Gather)");
  EXPECT_EQ(told().node, "pick");
  EXPECT_EQ(told().argument, "");
  in[1] = view_of(ANYDIM_I32, {1}, &index);
  EXPECT_STATUS(anydim_context_run(run, in, 2, nullptr, 0, nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "input 'i' has dtype");
  EXPECT_EQ(told().argument, "inputs[1]");
  EXPECT_EQ(told().node, "");
  anydim_context_destroy(run);
  anydim_model_destroy(model);
}

}  // namespace
