// SPDX-License-Identifier: Apache-2.0
// Programs for single calls on the first OpenCL device: they come at a call's boundary, change no bit, go where they gain nothing, and take
// no room of the programs for all shapes. Without a device these tests are skipped and say so.
#include <cstdlib>
#include <cstring>
#include <thread>

#include "core/dispatch/observe/counters.h"
#include "core/dispatch/tuning/device_tuner.h"
#include "core/dispatch/tuning/primitive_tuning.h"
#include "core/dispatch/tuning/worker.h"
#include "core/engines/opencl/engine.h"
#include "core/engines/opencl/testing/driver.h"
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/on_engines.h"
#include "core/ops/text.h"

namespace anydim {
namespace {

using namespace testing;

// Compiling takes its time: one layer and one test, unless all is asked for.
bool all_is_requested() {
  const char* const kernels = std::getenv("ANYDIM_OPENCL_KERNELS");
  return kernels != nullptr && std::strcmp(kernels, "all") == 0;
}
// Whatever they gain and however short the call is; or wherever they are made, they go.
constexpr DeviceThresholds kAlways{1e9, 0}, kNever{0, 0};
int layer_count() { return all_is_requested() ? 3 : 1; }

// Convolutions with a chain, and a product whose both sides come with the call.
Graph layers() {
  Builder b(7);
  const ValueId x = b.input("x", {-1, 16, -2, -3});
  ValueId v = x;
  if (all_is_requested()) v = b.relu(b.conv(b.relu(b.conv(x, 32, 3)), 24, 1));
  const ValueId m = b.input("m", {-3, 40});
  b.output(b.matmul(v, m));
  return b.graph;
}

class OpenclCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!opencl::driver_that_aborts().empty()) GTEST_SKIP() << opencl::driver_that_aborts();
    opencl::OpenclEngine::Options engine_options;
    engine_options.flushed_denormals = std::getenv("ANYDIM_OPENCL_FLUSHED") != nullptr;
    const Status made = opencl::OpenclEngine::create(engine_options, &engine_);
    if (made.code() == Code::not_found) GTEST_SKIP() << "no OpenCL platform: " << made.message();
    ASSERT_TRUE(made.ok()) << made.message();
    graph_ = layers();
    program_ = compiled(graph_, on_devices({engine_}));
    ASSERT_TRUE(program_);
    here_ = context_of(compiled(graph_));
  }
  void TearDown() override { set_device_thresholds({}); }

  struct Inputs {
    Tensor x, m;
    Inputs(int64_t n, int64_t h, int64_t w, std::mt19937_64& random) : x({n, 16, h, w}, random), m({w, 40}, random) {}
  };
  Outputs run(Context& context, const Inputs& in) {
    const TensorView views[] = {in.x.view, in.m.view};
    return outputs_of(context, views);
  }
  // How many nodes of the last run had a program of their own.
  int specialised(Context& context) {
    RunReport report;
    EXPECT_TRUE(explain(context, &report).ok());
    int n = 0;
    for (const NodeReport& node : report.nodes) n += node.engine == "opencl" && node.tier == "specialised";
    return n;
  }
  static int64_t counted(std::string_view name) {
    for (const CounterRow& row : counters())
      if (row.name == name) return row.value();
    return -1;
  }

  std::mt19937_64 random_{testing::run_seed()};
  std::shared_ptr<const opencl::OpenclEngine> engine_;
  Graph graph_;
  ProgramPtr program_;
  std::unique_ptr<Context> here_;
};

TEST_F(OpenclCalls, ComeAtACallAndKeepTheBits) {
  set_device_thresholds(kAlways);
  const auto there = context_of(program_), other = context_of(program_);
  const Inputs tuned(1, 40, 48, random_), else_(2, 31, 48, random_);
  const Outputs want = run(*here_, tuned);
  ASSERT_EQ(run(*there, tuned), want);
  ASSERT_EQ(run(*other, tuned), want);
  EXPECT_EQ(specialised(*other), 0);
  const int64_t compiled_before = counted("programs_compiled"), special_before = counted("programs_specialised");
  std::vector<NodeTuning> report;
  ASSERT_TRUE(tune(*there, {}, &report).ok());
  int swapped = 0;
  for (const NodeTuning& n : report) swapped += n.outcome.swapped;
  EXPECT_EQ(swapped, layer_count());
  EXPECT_EQ(counted("programs_compiled"), compiled_before);
  EXPECT_GE(counted("programs_specialised"), special_before + layer_count());
  // Also in a context that was bound before.
  for (Context* c : {there.get(), other.get()}) {
    EXPECT_EQ(run(*c, tuned), want);
    EXPECT_EQ(specialised(*c), layer_count());
    EXPECT_EQ(run(*c, else_), run(*here_, else_));
    EXPECT_EQ(specialised(*c), 0);
  }
  // Who wants none has none.
  ContextOptions plain;
  plain.reuse = ReusePolicy::reusable;
  const auto reusable = context_of(program_, plain);
  EXPECT_EQ(run(*reusable, tuned), want);
  EXPECT_EQ(specialised(*reusable), 0);
  // Measured once.
  report.clear();
  EXPECT_EQ(run(*there, tuned), want);
  ASSERT_TRUE(tune(*there, {}, &report).ok());
  for (const NodeTuning& n : report) EXPECT_TRUE(n.known) << n.name;
}

TEST_F(OpenclCalls, GoWhereTheyGainNothing) {
  if (!all_is_requested()) GTEST_SKIP() << "ANYDIM_OPENCL_KERNELS=all asks for it";
  set_device_thresholds(kNever);
  const auto there = context_of(program_);
  const Inputs tuned(1, 24, 24, random_);
  const Outputs want = run(*here_, tuned);
  ASSERT_EQ(run(*there, tuned), want);
  const int64_t before = counted("programs_specialised");
  std::vector<NodeTuning> report;
  ASSERT_TRUE(tune(*there, {}, &report).ok());
  EXPECT_GT(counted("programs_specialised"), before);
  for (const NodeTuning& n : report) EXPECT_FALSE(n.outcome.swapped) << n.name;
  EXPECT_EQ(run(*there, tuned), want);
  EXPECT_EQ(specialised(*there), 0);
}

TEST_F(OpenclCalls, AreMadeInTheBackgroundAndWhenAContextIs) {
  if (!all_is_requested()) GTEST_SKIP() << "ANYDIM_OPENCL_KERNELS=all asks for it";
  set_device_thresholds(kAlways);
  ContextOptions how;
  how.reuse = ReusePolicy::reusable_first;
  const auto later = context_of(program_, how);
  const Inputs first(1, 33, 40, random_), second(1, 20, 32, random_);
  const Outputs want = run(*here_, first);
  ASSERT_EQ(run(*later, first), want);
  EXPECT_EQ(specialised(*later), 0);
  // Runs go on meanwhile.
  std::atomic<bool> drained{false};
  std::thread waits([&] {
    EXPECT_TRUE(Worker::instance().drain(-1));
    drained = true;
  });
  while (!drained) {
    ASSERT_EQ(run(*later, first), want);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  waits.join();
  EXPECT_EQ(run(*later, first), want);
  EXPECT_EQ(specialised(*later), layer_count());

  Bounds bounds(2);
  bounds[0].dims = {{1, 1}, {16, 16}, {20, 20}, {32, 32}};
  bounds[1].dims = {{32, 32}, {40, 40}};
  how.reuse = ReusePolicy::specialised;
  how.bounds = &bounds;
  how.tuning_budget_ns = INT64_C(300) * 1000 * 1000 * 1000;
  const auto at_once = context_of(program_, how);
  EXPECT_EQ(run(*at_once, second), run(*here_, second));
  EXPECT_EQ(specialised(*at_once), layer_count());
}

TEST_F(OpenclCalls, TakeNoRoomOfThePrograms) {
  if (!all_is_requested()) GTEST_SKIP() << "ANYDIM_OPENCL_KERNELS=all asks for it";
  set_device_thresholds(kAlways);
  const auto there = context_of(program_);
  const Inputs tuned(1, 16, 56, random_);
  const Outputs want = run(*here_, tuned);
  ASSERT_EQ(run(*there, tuned), want);
  ASSERT_TRUE(tune(*there, {}, nullptr).ok());
  ASSERT_EQ(run(*there, tuned), want);
  const int64_t kept = engine_->programs().statistics().programs.entries;
  EXPECT_GT(engine_->specialised_programs().statistics().programs.entries, 0);
  // Calls whose programs are gone run as all others do.
  engine_->specialised_programs().set_limit(0);
  engine_->specialised_programs().clear();
  EXPECT_EQ(run(*there, tuned), want);
  EXPECT_EQ(engine_->programs().statistics().programs.entries, kept);
  engine_->specialised_programs().set_limit(opencl::OpenclEngine::kMostSpecialised);
}

// What a plan was made with has no strides: another call of the same dims must not be given its program.
TEST_F(OpenclCalls, AreForTheirStridesOnly) {
  if (!all_is_requested()) GTEST_SKIP() << "ANYDIM_OPENCL_KERNELS=all asks for it";
  set_device_thresholds(kAlways);
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("matmul", &op).ok());
  TensorType a, b;
  a.dtype = b.dtype = DType::f32;
  a.dims = {64, 96};
  b.dims = {96, 80};
  const TensorType in[] = {a, b};
  PrimitivePtr primitive;
  PrimitiveAttributes how;
  ASSERT_TRUE(Primitive::create(engine_, op, {nullptr, in, {}}, how, nullptr, &primitive).ok());
  TuneOutcome outcome;
  const Dims dims[] = {{64, 96}, {96, 80}};
  ASSERT_TRUE(tune_primitive(*primitive, dims, Parallel(1), 1, {}, false, &outcome).ok());
  ASSERT_TRUE(outcome.swapped);
  const Tensor x(dims[0], random_), y(dims[1], random_);
  std::vector<HostTensor> want;
  const TensorView views[] = {x.view, y.view};
  ASSERT_TRUE(execute_once(op, views, {}, {}, &want).ok());
  StreamPtr stream;
  ASSERT_TRUE(engine_->create_stream(0, &stream).ok());
  for (const bool columns_first : {false, true}) {
    PlacedTensor placed[3];
    MemoryPtr memory[3], scratch;
    std::vector<float> turned(static_cast<size_t>(64 * 96)), result(static_cast<size_t>(64 * 80));
    for (int64_t i = 0; i < 64 * 96; ++i) turned[static_cast<size_t>(columns_first ? i % 96 * 64 + i / 96 : i)] = x.view.as<float>()[i];
    TensorView shown[3] = {x.view, y.view, want[0].view};
    if (columns_first) shown[0].strides = {1, 64};
    const void* const data[3] = {turned.data(), y.view.data, result.data()};
    for (size_t i = 0; i < 3; ++i) {
      const int64_t bytes = shown[i].count() * 4;
      ASSERT_TRUE(engine_->allocate(bytes, &memory[i]).ok());
      HostMemory host(const_cast<void*>(data[i]), bytes);
      ASSERT_TRUE(stream->copy({memory[i].get()}, {&host}, bytes).ok());
      ASSERT_TRUE(stream->wait().ok());
      shown[i].data = nullptr;
      placed[i] = {shown[i], {memory[i].get(), 0}};
    }
    int64_t bytes = 0;
    ASSERT_TRUE(primitive->scratch_bytes({shown, 2}, {shown + 2, 1}, {}, 1, &bytes).ok());
    if (bytes > 0) {
      ASSERT_TRUE(engine_->allocate(bytes, &scratch).ok());
    }
    ASSERT_TRUE(primitive->submit(*stream, {placed, 2}, {}, {placed + 2, 1}, {scratch.get(), 0}, bytes).ok());
    HostMemory back(result.data(), 64 * 80 * 4);
    ASSERT_TRUE(stream->copy({&back}, {memory[2].get()}, 64 * 80 * 4).ok());
    ASSERT_TRUE(stream->wait().ok());
    EXPECT_EQ(std::memcmp(result.data(), want[0].view.data, 64 * 80 * 4), 0) << columns_first;
  }
}

}  // namespace
}  // namespace anydim
