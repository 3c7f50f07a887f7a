// SPDX-License-Identifier: Apache-2.0
// Primitives on an engine that fails when a test says so: a status whatever call fails and nothing leaked; wrong bits are found; nothing of one
// engine is accepted by the other.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "core/dispatch/tuning/cost.h"
#include "core/dispatch/caches/primitive_cache.h"
#include "core/dispatch/testing/drawn.h"
#include "core/dispatch/testing/packed_weights.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/testing/engine.h"
#include "core/ops/text.h"

namespace anydim {
namespace {

using testing::draw;
using testing::Drawn;
using testing::Failure;
using testing::Random;
using testing::run_on;
using testing::TestEngine;
using testing::types_of;
using testing::views_of;
using TestEnginePtr = std::shared_ptr<const TestEngine>;

// What the comparison is worth: an engine whose arithmetic is its own, and wrong in one bit, does not pass it.
TEST(Engines, AreFoundOutWhereOneBitIsWrong) {
  TestEngine::Options options;
  options.own = true;
  const TestEnginePtr right = TestEngine::create(options);
  options.wrong = true;
  const TestEnginePtr wrong = TestEngine::create(options);
  for (const OpKind kind : {OpKind::matmul, OpKind::binary}) {
    Random r(14);
    int own = 0;
    for (int i = 0; i < 200; ++i) {
      Drawn p;
      if (!draw(kind, r, &p)) continue;
      PrimitivePtr made;
      std::vector<std::string> ours, theirs, bad;
      if (!run_on(cpu_engine(), p, &ours).ok()) continue;
      ASSERT_TRUE(run_on(right, p, &theirs, &made).ok());
      ASSERT_EQ(theirs, ours) << p.text;
      if (std::string_view(made->kernel().name()).find("testing.own.") != 0 || ours[0].empty()) continue;
      ++own;
      ASSERT_TRUE(run_on(wrong, p, &bad).ok());
      ASSERT_NE(bad, ours) << p.text;
    }
    EXPECT_GT(own, 20) << op_name(kind);
  }
}

TEST(Engines, RefuseAnOperatorThatTheyHaveNoKernelFor) {
  TestEngine::Options options;
  options.without = {OpKind::softmax};
  const TestEnginePtr device = TestEngine::create(options);
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("softmax axis=-1", &op).ok());
  const TensorType in{DType::f32, {3, 4}};
  PrimitivePtr p;
  const Status s = Primitive::create(device, op, {nullptr, {&in, 1}, {}}, {}, nullptr, &p);
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_EQ(s.message(), "engine testing has no kernel for operator softmax");
}

// Convolution with weights, scratch or not, and a post-op: every call of an engine once.
Drawn a_problem(Random& r) {
  Drawn p;
  while (!draw(OpKind::convolution, r, &p) || !(p.constant.has(1) && !p.constant.has(0)) || p.post_in.empty()) p = {};
  return p;
}

TEST(Engines, ReportWhicheverCallFailsLeakNothingAndRunRightAfterwards) {
  Random r(12);
  const Drawn p = a_problem(r);
  const TestEnginePtr device = TestEngine::create();
  std::vector<std::string> right;
  ASSERT_TRUE(run_on(device, p, &right).ok());
  const int64_t calls = device->calls();
  ASSERT_GT(calls, 13);
  for (const Failure how : {Failure::refused, Failure::deferred, Failure::lost})
    for (int64_t call = 0; call < calls; ++call) {
      std::vector<std::string> none, again;
      device->fail(call, how);
      const Status s = run_on(device, p, &none);
      EXPECT_FALSE(s.ok()) << "call " << call;
      EXPECT_NE(s.code(), Code::internal) << s.message();
      EXPECT_FALSE(s.message().empty());
      EXPECT_TRUE(none.empty());
      EXPECT_EQ(device->blocks(), 0) << "call " << call << ": " << s.message();
      device->fail_nothing();
      device->restore();
      const Status after = run_on(device, p, &again);
      ASSERT_TRUE(after.ok()) << "after call " << call << ": " << after.message();
      EXPECT_EQ(again, right);
    }
}

TEST(Engines, RefuseWhatIsOfAnotherEngine) {
  Random r(13);
  const Drawn p = a_problem(r);
  const TestEnginePtr device = TestEngine::create(), other = TestEngine::create();
  const std::vector<TensorView> views = views_of(p.in);
  std::vector<TensorType> types = types_of(p.in);
  types.resize(1);
  WeightsPtr of_device, of_cpu;
  ASSERT_TRUE(weights_of(device, p.op, std::span(views).subspan(1), &of_device).ok());
  ASSERT_TRUE(weights_of(cpu_engine(), p.op, std::span(views).subspan(1), &of_cpu).ok());
  PrimitivePtr primitive, none;
  ASSERT_TRUE(Primitive::create(device, p.op, {nullptr, types, {}}, {}, of_device, &primitive).ok());
  const auto refused = [](const Status& s, const std::string& message) {
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_EQ(s.message(), message);
  };
  refused(Primitive::create(cpu_engine(), p.op, {nullptr, types, {}}, {}, of_device, &none),
          "the weights are of engine testing; the primitive is made for engine cpu");
  refused(Primitive::create(device, p.op, {nullptr, types, {}}, {}, of_cpu, &none),
          "the weights are of engine cpu; the primitive is made for engine testing");
  refused(Primitive::create(other, p.op, {nullptr, types, {}}, {}, of_device, &none),
          "the weights are of engine testing; the primitive is made for engine testing");

  const TensorView x = views[0];
  HostTensor y;
  Dims dims;
  for (const Dim d : primitive->out()[0].dims) dims.push_back(d.number());
  ASSERT_TRUE(HostTensor::allocate(DType::f32, dims, &y).ok());
  refused(primitive->execute({&x, 1}, {}, {&y.view, 1}, nullptr, 0, Parallel(1)),
          "the primitive is of engine testing, whose memory has no addresses; expected places and a stream");

  StreamPtr on_device, on_cpu;
  ASSERT_TRUE(device->create_stream(1, &on_device).ok());
  ASSERT_TRUE(cpu_engine()->create_stream(1, &on_cpu).ok());
  MemoryPtr mine, foreign;
  ASSERT_TRUE(device->allocate(1 << 20, &mine).ok());
  ASSERT_TRUE(other->allocate(1 << 20, &foreign).ok());
  HostMemory host(x.data, x.count() * 4);
  const PlacedTensor in{x, {mine.get(), 0}}, out{y.view, {mine.get(), 1 << 19}};
  const auto submit = [&](Stream& stream, const PlacedTensor& from, const PlacedTensor& to) {
    return primitive->submit(stream, {&from, 1}, {}, {&to, 1}, {}, 0);
  };
  refused(submit(*on_cpu, in, out), "the stream is of engine cpu; the primitive is of engine testing");
  refused(submit(*on_device, {x, {&host, 0}}, out), "input 0 lies in memory of engine cpu; the primitive is of engine testing");
  refused(submit(*on_device, in, {y.view, {foreign.get(), 0}}),
          "output 0 lies in memory of engine testing; the primitive is of engine testing");
  refused(submit(*on_device, in, {y.view, {mine.get(), 4}}), "output 0 overlaps input 0 in memory");
  refused(submit(*on_device, in, {}), "output 0 has dtype none; expected f32");
  const Status outside = submit(*on_device, in, {y.view, {mine.get(), (1 << 20) - 4}});
  EXPECT_EQ(outside.code(), Code::invalid_argument);
  EXPECT_NE(outside.message().find("of its memory, which has 1048576"), std::string::npos) << outside.message();
  EXPECT_TRUE(submit(*on_device, in, out).ok());
  EXPECT_TRUE(on_device->wait().ok());
}

using DeviceWeights = WeightsFile;

TEST_F(DeviceWeights, AreNeitherSavedNorLoaded) {
  const TestEnginePtr device = TestEngine::create();
  const WeightsCase c = cases()[1];
  const Values values = c.values(1);
  const auto views = values.views();
  WeightsPtr of_device, none;
  ASSERT_TRUE(weights_of(device, c.op, views, &of_device).ok());
  const Status saved = save_weights(*of_device, path);
  EXPECT_EQ(saved.code(), Code::unimplemented);
  EXPECT_EQ(saved.message(), "weights in the memory of engine testing are not saved");
  EXPECT_EQ(files(), 0);
  ASSERT_TRUE(save_weights(*pack(c, values), path).ok());
  EXPECT_EQ(load_weights(device, c.op, {}, path, &none).code(), Code::unimplemented);
  std::shared_ptr<const MappedWeights> file;
  const SavedWeights of_model{of_device.get(), source_of(views)};
  ASSERT_TRUE(save_weights(std::span(&of_model, 1), path).ok());
  ASSERT_TRUE(MappedWeights::open(path, &file).ok());
  EXPECT_TRUE(find_in(*file, c.op, views, &none).ok());
  EXPECT_EQ(none, nullptr) << "a device's weights were left out";
}

TEST(Engines, AreWhatExpectedTimesComeFrom) {
  const TestEnginePtr device = TestEngine::create();
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("unary function=relu", &op).ok());
  const TensorType type{DType::f32, {8, 8}};
  PrimitivePtr p;
  ASSERT_TRUE(Primitive::create(device, op, {nullptr, {&type, 1}, {}}, {}, nullptr, &p).ok());
  TensorView view;
  view.dtype = DType::f32;
  view.dims = {8, 8};
  view.strides = dense_strides(view.dims);
  Args args;
  args.in = {&view, 1};
  args.out = {&view, 1};
  p->fill_in(&args);
  std::vector<Choice> choices;
  ASSERT_TRUE(list_choices(*p, args, 0, &choices).ok());
  ASSERT_EQ(choices.size(), 1u);
  EXPECT_GT(choices[0].expected_nanoseconds, 10000) << "what a call of the test engine costs";
  EXPECT_EQ(list_choices(*p, args, 3, &choices).code(), Code::unimplemented);
}

}  // namespace
}  // namespace anydim
