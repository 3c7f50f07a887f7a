// SPDX-License-Identifier: Apache-2.0
// The C++ header: who owns a handle after a move, failures as exceptions with their parts, and what it refuses before C could see it.
// That it computes as C does is tests/vectors' to say; that it compiles as C++11, tests/consumers/installed.py's.
#include <anydim/anydim.hpp>

#include <array>
#include <span>
#include <string_view>

#include "tests/capi/support.h"

namespace {

using anydim::Engine;
using anydim::Error;

template <typename Call> Error failure(Call call) {
  try {
    call();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return Error(ANYDIM_STATUS_OK, "");
}

TEST(CppHeader, AMovedOwnerIsEmptyAndTheNewOneReleasesWhatItHad) {
  Engine a = Engine::create(ANYDIM_ENGINE_CPU), b = Engine::create(ANYDIM_ENGINE_CPU);
  const anydim_engine_t first = a, second = b;
  b = std::move(a);
  EXPECT_FALSE(a);
  EXPECT_EQ(b.get(), first);
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  EXPECT_EQ(anydim_engine_query(second, &info), ANYDIM_STATUS_INVALID_HANDLE);
  EXPECT_EQ(anydim_engine_query(first, &info), ANYDIM_STATUS_OK);
  Engine& same = b;
  b = std::move(same);
  EXPECT_EQ(b.get(), first) << "moved onto itself";
  const anydim_engine_t released = b.release();
  EXPECT_FALSE(b);
  EXPECT_EQ(anydim_engine_query(released, &info), ANYDIM_STATUS_OK) << "released, not destroyed";
  b.reset(released);
  EXPECT_GT(b.query().threads, 0);
}

TEST(CppHeader, AnOwnerDestroysItsHandleAtItsEnd) {
  anydim_engine_t handle = nullptr;
  {
    const Engine engine = Engine::create(ANYDIM_ENGINE_CPU);
    handle = engine;
  }
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  EXPECT_EQ(anydim_engine_query(handle, &info), ANYDIM_STATUS_INVALID_HANDLE);
}

TEST(CppHeader, AFailureSaysItsStatusFunctionAndArgument) {
  anydim::EngineOptions options;
  options.threads = -3;
  const Error error = failure([&] { Engine::create(ANYDIM_ENGINE_CPU, 0, options); });
  EXPECT_EQ(error.status(), ANYDIM_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(error.function(), "anydim_engine_create");
  EXPECT_EQ(error.argument(), "options.threads");
  EXPECT_NE(std::string(error.what()).find("-3"), std::string::npos) << error.what();
}

TEST(CppHeader, AMethodOfAnEmptyOwnerThrows) {
  const Engine none;
  EXPECT_EQ(failure([&] { none.query(); }).status(), ANYDIM_STATUS_INVALID_HANDLE);
}

TEST(CppHeader, AViewOverAVectorThatIsTooShortIsRefused) {
  const std::vector<float> numbers(11);
  const Error error = failure([&] { anydim::view(numbers, {3, 4}); });
  EXPECT_NE(std::string(error.what()).find("12 elements; the container has 11"), std::string::npos) << error.what();
  EXPECT_THROW(anydim::view(numbers, {-1, 4}), Error);
  EXPECT_THROW(anydim::view(numbers, {INT64_MAX, INT64_MAX}), Error);
  EXPECT_EQ(anydim::view(numbers, {11}).data, numbers.data());
  EXPECT_EQ(anydim::view(numbers, {0, INT64_MAX}).dims.rank, 2) << "no elements";
}

TEST(CppHeader, MoreDimsThanATensorHasAreRefusedByTheCall) {
  const Engine engine = Engine::create(ANYDIM_ENGINE_CPU);
  anydim::Stream stream = anydim::Stream::create(engine);
  const anydim::Desc desc = anydim::Desc::create(ANYDIM_F32, {anydim::dim_fixed(1)}, ANYDIM_LAYOUT_STRIDED);
  const anydim::Primitive primitive = anydim::Primitive::create(engine, anydim::Unary(), nullptr, {desc.get()});
  const float one = 1;
  anydim::View y = anydim::View();
  y.dtype = ANYDIM_F32;
  const anydim::View x = anydim::view(&one, {1, 1, 1, 1, 1, 1, 1, 1, 1});
  const Error error = failure([&] { primitive.execute(stream, x, y); });
  EXPECT_EQ(error.status(), ANYDIM_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.what()).find("9"), std::string::npos) << error.what();
}

TEST(CppHeader, TextWithAZeroInItIsRefusedAndNotCut) {
  const Engine engine = Engine::create(ANYDIM_ENGINE_CPU);
  const Error error = failure([&] { anydim::Model::load_file(engine, std::string("a\0b.onnx", 8)); });
  EXPECT_EQ(error.status(), ANYDIM_STATUS_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error.what()).find("path"), std::string::npos) << error.what();
}

TEST(CppHeader, ArraysThatShareALengthMustHaveIt) {
  const Engine engine = Engine::create(ANYDIM_ENGINE_CPU);
  const anydim::Desc desc = anydim::Desc::create(ANYDIM_F32, {anydim::dim_fixed(2), anydim::dim_fixed(2)}, ANYDIM_LAYOUT_STRIDED);
  const std::vector<float> numbers(4);
  const std::vector<anydim_view_t> constants = {anydim::view(numbers, {2, 2})};
  const std::vector<int32_t> operands = {1, 2};
  EXPECT_THROW(anydim::Weights::create(engine, anydim::Matmul(), nullptr, {desc.get()}, constants, operands), Error);
}

TEST(CppHeader, AResultKeepsItsMemoryWhileItMovesAndKnowsItsType) {
  const Engine engine = Engine::create(ANYDIM_ENGINE_CPU);
  const anydim::Model model = anydim::Model::load_file(engine, ANYDIM_MODELS "/cls.onnx");
  const anydim::Session session = anydim::Session::create(model);
  const std::vector<float> pixels(2 * 3 * 48 * 192);
  std::vector<anydim::Result> results = anydim::run(session, model, anydim::view(pixels, {2, 3, 48, 192}));
  ASSERT_EQ(results.size(), 1u);
  const anydim::Result scores = std::move(results[0]);
  results.clear();
  EXPECT_EQ(scores.dims(), (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(scores.size(), 4u);
  EXPECT_NEAR(scores.data<float>()[0] + scores.data<float>()[1], 1.f, 1e-5f);
  EXPECT_THROW(scores.data<double>(), Error);
}

TEST(CppHeader, ConversionsAndDefaultsAreThoseOfC) {
  const anydim_model_options_t c = ANYDIM_MODEL_OPTIONS_INIT;
  const anydim::ModelOptions cpp;
  EXPECT_EQ(std::memcmp(&c, static_cast<const anydim_model_options_t*>(&cpp), sizeof(c)), 0);
  EXPECT_EQ(sizeof(anydim::ModelOptions), sizeof(c));
  const anydim::Convolution convolution;
  const anydim_op_t& op = convolution;
  EXPECT_EQ(&op, &convolution.op);
}

TEST(CppHeader, AModelIsBuilt) {
  float bias[2] = {10, 20};
  anydim::ModelBuilder graph = anydim::ModelBuilder::create();
  graph.set_opset("", 17);
  graph.add_input("x", ANYDIM_F32, std::vector<int64_t>{-1, 2});
  graph.set_symbol("x", 0, "rows");
  graph.add_constant("b", ANYDIM_F32, std::vector<int64_t>{2}, bias);
  graph.add_node("Add", "", "");
  for (const char* value : {"x", "b"}) graph.add_node_input(value);
  graph.add_node_output("y");
  graph.add_output("y");
  const Engine cpu = Engine::create(ANYDIM_ENGINE_CPU);
  const anydim::Model model = graph.create_model(cpu);
  EXPECT_STREQ(model.input(0).symbols[0].data, "rows");
  EXPECT_NE(std::string(failure([&] { graph.add_output("y"); }).what()).find("'y'"), std::string::npos);
}

TEST(CppHeader, DimsComeFromIntegersOfAnyTypeAndFromContainersOfThem) {
  const std::vector<float> data(64);
  const std::size_t w = 4;
  const int h = 2;
  const std::array<std::uint16_t, 2> array{{8, 8}};
  const std::vector<std::size_t> vector{2, 32};
  const auto dims = [](const anydim_view_t& v) { return std::vector<int64_t>(v.dims.values, v.dims.values + v.dims.rank); };
  EXPECT_EQ(dims(anydim::view(data, {1, h, w, std::int64_t{8}})), (std::vector<int64_t>{1, 2, 4, 8}));
  EXPECT_EQ(dims(anydim::view(data, array)), (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(dims(anydim::view(data, vector)), (std::vector<int64_t>{2, 32}));
  EXPECT_EQ(dims(anydim::view(data, std::span<const std::uint16_t>(array))), (std::vector<int64_t>{8, 8}));
  EXPECT_EQ(dims(anydim::view(data, {})), std::vector<int64_t>());
  EXPECT_THROW(anydim::view(data, {SIZE_MAX}), Error);
  const std::array<anydim_view_t, 2> views{{anydim::view(data, {64}), anydim::view(data, {1})}};
  EXPECT_EQ(anydim::Span<const anydim_view_t>(views).size(), 2u);
  EXPECT_EQ(anydim::Span<const anydim_view_t>(std::span<const anydim_view_t>(views)).data(), views.data());
}

TEST(CppHeader, ARunByNameFindsInputsAndOutputs) {
  anydim::ModelBuilder graph = anydim::ModelBuilder::create();
  graph.set_opset("", 17);
  for (const char* name : {"a", "b"}) graph.add_input(name, ANYDIM_F32, std::vector<int64_t>{2});
  graph.add_node("Sub", "", "");
  for (const char* value : {"a", "b"}) graph.add_node_input(value);
  graph.add_node_output("y");
  graph.add_output("y");
  const Engine cpu = Engine::create(ANYDIM_ENGINE_CPU);
  const anydim::Model model = graph.create_model(cpu);
  const anydim::Session session = anydim::Session::create(model);
  const std::vector<float> a{5, 6}, b{1, 4};
  const anydim_view_t va = anydim::view(a, {2}), vb = anydim::view(b, {2});
  const auto results = anydim::run_by_name(session, model, {{"b", vb}, {"a", va}});
  ASSERT_EQ(results.count("y"), 1u);
  EXPECT_EQ(results.at("y").data<float>()[0], 4.f);
  EXPECT_EQ(results.at("y").data<float>()[1], 2.f);
  const Error other = failure([&] { (void)results.at("y").data<int64_t>(); });
  EXPECT_STREQ(other.what(), "the result has dtype f32; requested is i64");
  EXPECT_EQ(failure([&] { anydim::run_by_name(session, model, {{"a", va}, {"z", vb}}); }).status(), ANYDIM_STATUS_NOT_FOUND);
  EXPECT_STREQ(failure([&] { anydim::run_by_name(session, model, {{"a", va}}); }).what(), "input 'b' is missing");
  EXPECT_STREQ(failure([&] { anydim::run_by_name(session, model, {{"a", va}, {"a", vb}}); }).what(), "input 'a' is there twice");
  // A session knows its model, and goes on without it.
  EXPECT_EQ(anydim::run_by_name(session, {{"b", vb}, {"a", va}}).at("y").data<float>()[1], 2.f);
  EXPECT_EQ(anydim::run(session, {va, vb}).at(0).data<float>()[0], 4.f);
  EXPECT_EQ(session.model().find_input(std::string_view("b")), 1);
}

TEST(CppHeader, ViewsComeFromContainersAndTextFromStringViews) {
  const std::array<double, 6> numbers{1, 2, 3, 4, 5, 6};
  const std::size_t rows = 2, columns = 3;
  const anydim_view_t v = anydim::view(numbers, {rows, columns});
  EXPECT_EQ(v.dtype, ANYDIM_F64);
  EXPECT_EQ(v.dims.values[1], 3);
  EXPECT_EQ(anydim::view(std::span<const double>(numbers).subspan(2), {4}).data, numbers.data() + 2);
  EXPECT_NE(std::string(failure([&] {
                          anydim::view(numbers, {rows, columns + 1});
                        }).what())
                .find("the container has 6"),
            std::string::npos);
  // A view into a longer text has no zero at its end.
  const std::string_view name = std::string_view("alphabet").substr(0, 1);
  anydim::ModelBuilder graph = anydim::ModelBuilder::create();
  graph.set_opset("", 17);
  graph.add_input(name, ANYDIM_F32, std::vector<int64_t>{2});
  graph.add_output("a");
  const Engine cpu = Engine::create(ANYDIM_ENGINE_CPU);
  EXPECT_EQ(graph.create_model(cpu).find_output(name), 0);
  EXPECT_EQ(failure([&] { graph.add_output(std::string_view("a\0b", 3)); }).status(), ANYDIM_STATUS_INVALID_ARGUMENT);
  EXPECT_EQ(failure([&] { graph.add_output(static_cast<const char*>(nullptr)); }).status(), ANYDIM_STATUS_INVALID_ARGUMENT);
}

TEST(CppHeader, AResultOfAnotherTypeIsNamedByItsType) {
  anydim_view_t narrow = anydim_view_t();
  narrow.dtype = ANYDIM_F8E5M2;
  EXPECT_STREQ(failure([&] { (void)anydim::Result(narrow).data<float>(); }).what(), "the result has dtype f8e5m2; requested is f32");
}

}  // namespace
