// SPDX-License-Identifier: Apache-2.0
// Whole models on the test engine (core/engines/testing/engine.h), wholly or in part: the host's bits, and whatever call of the engine
// fails over a run of rec, a status, nothing leaked, and the right result next time. At small shapes: its kernels are the reference ones.
#include "core/graph/testing/on_engines.h"
#include "onnx/walk/import.h"

#ifdef __SANITIZE_ADDRESS__
constexpr bool kEveryCall = true;  // the run in which leaks and wild accesses show
#else
constexpr bool kEveryCall = false;
#endif

namespace anydim {
namespace {

using namespace testing;

Graph model(const std::string& name) {
  const Result<onnx::Bytes> bytes = onnx::map_file(formatted("{}/{}.onnx", ANYDIM_MODELS, name));
  EXPECT_TRUE(bytes.ok()) << "make models";
  if (!bytes.ok()) return {};
  Result<Graph> graph = onnx::import_model(*bytes);
  EXPECT_TRUE(graph.ok()) << graph.status().message();
  return graph.ok() ? std::move(*graph) : Graph();
}

struct Case {
  const char* name;
  std::vector<Dims> dims;
};
const std::vector<Case>& cases() {
  static const std::vector<Case> all = {{"det", {{1, 3, 32, 64}, {1, 3, 64, 32}}},
                                        {"rec", {{1, 3, 48, 16}, {2, 3, 48, 24}}},
                                        {"cls", {{1, 3, 48, 64}, {3, 3, 48, 64}}},
                                        {"yolo", {{1, 3, 32, 64}, {1, 3, 64, 64}}}};
  return all;
}

TEST(ModelsOnEngines, GiveTheHostsBitsWhollyOnADevice) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  for (const Case& c : cases()) {
    const Graph graph = model(c.name);
    const ProgramPtr program = compiled(graph, on_devices({device}));
    ASSERT_TRUE(program) << c.name;
    for (const Program::Step& s : program->steps) EXPECT_EQ(s.engine, 1) << c.name << ": " << s.label;
    EXPECT_EQ(count_transfers(*program), static_cast<int>(graph.inputs().size() + graph.outputs().size())) << c.name;
    const auto here = context_of(compiled(graph)), there = context_of(program);
    for (const Dims& dims : c.dims) {
      const Tensor x(dims, random);
      ASSERT_EQ(outputs_of(*there, {&x.view, 1}), outputs_of(*here, {&x.view, 1})) << c.name << " at " << to_string(dims);
    }
  }
  EXPECT_EQ(device->blocks(), 0);
}

TEST(ModelsOnEngines, AnyPartitionOfRecGivesTheHostsBits) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr one = TestEngine::create(), other = TestEngine::create();
  const Graph graph = model("rec");
  const auto here = context_of(compiled(graph));
  const Bounds bounds{{{{1, 2}, {3, 3}, {48, 48}, {1, 24}}}};
  for (int g = 0; g < 12; ++g) {
    ContextOptions how;
    if (g % 2) how.bounds = &bounds;
    const auto there = context_of(compiled(graph, on_any({one, other}, random)), how);
    ASSERT_TRUE(there);
    const int64_t taken = one->allocations() + other->allocations();
    for (int64_t width : {8, 24, 16}) {
      const Tensor x({1, 3, 48, width}, random);
      ASSERT_EQ(outputs_of(*there, {&x.view, 1}), outputs_of(*here, {&x.view, 1})) << "partition " << g << ", width " << width;
    }
    if (g % 2) {
      EXPECT_EQ(one->allocations() + other->allocations(), taken) << "within bounds, in a run";
    }
  }
  EXPECT_EQ(one->blocks() + other->blocks(), 0);
}

// All calls one after the other where leaks are looked for, else about forty.
TEST(ModelsOnEngines, EachFailingCallOfARunOfRecIsReportedAndTheNextRunIsRight) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  const Graph graph = model("rec");
  const Tensor x({1, 3, 48, 8}, random);
  const Outputs right = outputs_of(*context_of(compiled(graph)), {&x.view, 1});
  ProgramPtr program = compiled(graph, on_devices({device}));
  auto context = context_of(program);
  ASSERT_EQ(outputs_of(*context, {&x.view, 1}), right);
  const int64_t held = device->blocks();
  device->fail(-1, Failure::refused);
  ASSERT_EQ(outputs_of(*context, {&x.view, 1}), right);
  const int64_t calls = device->calls();
  ASSERT_GT(calls, 50);
  const int64_t step = kEveryCall ? 1 : std::max<int64_t>(1, calls / 13);
  for (const Failure how : {Failure::refused, Failure::deferred, Failure::lost})
    for (int64_t call = step == 1 ? 0 : static_cast<int64_t>(random() % static_cast<uint64_t>(step)); call < calls; call += step) {
      Status s;
      device->fail(call, how);
      (void)outputs_of(*context, {&x.view, 1}, &s);
      EXPECT_FALSE(s.ok()) << "call " << call;
      EXPECT_EQ(s.code(), how == Failure::lost ? Code::device_lost : Code::out_of_memory) << s.message();
      EXPECT_NE(s.message().find("engine testing, "), std::string::npos) << s.message();
      EXPECT_EQ(device->blocks(), held) << "call " << call << ": " << s.message();
      device->fail_nothing();
      if (how == Failure::lost) {
        (void)outputs_of(*context, {&x.view, 1}, &s);
        EXPECT_EQ(s.code(), Code::device_lost) << "a lost device stays lost";
        device->restore();
        // Nothing that lay there is left: a device that is found again is another one. Its programs are made again.
        context.reset();
        program.reset();
        ASSERT_EQ(device->blocks(), 0) << "after call " << call;
        program = compiled(graph, on_devices({device}));
        context = context_of(program);
      }
      ASSERT_EQ(outputs_of(*context, {&x.view, 1}), right) << "after call " << call;
    }
}

}  // namespace
}  // namespace anydim
