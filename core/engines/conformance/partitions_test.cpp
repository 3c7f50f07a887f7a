// SPDX-License-Identifier: Apache-2.0
// Programs on the test engine, whose memory the host cannot read and whose queue runs late: no memory is allocated in a run within bounds, a
// status whatever call fails and the right result afterwards, runs that end when they are asked to. Tests of any
// engine are in contexts_test.cpp.
#include "core/graph/testing/drawn_graph.h"
#include "core/graph/testing/on_engines.h"
#include "core/graph/testing/stages.h"

#include <atomic>
#include <chrono>
#include <thread>

namespace anydim {
namespace {

using namespace testing;

Dims drawn_dims(std::mt19937_64& random, int64_t channels, int64_t most) {
  const auto n = [&](int64_t limit) { return static_cast<int64_t>(1 + random() % static_cast<uint64_t>(limit)); };
  return {n(2), channels, n(most), n(most)};
}

TEST(ContextEngines, AWholeProgramOnADeviceGivesTheHostsBits) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  {
    const ProgramPtr program = compiled(everything(), on_devices({device}));
    ASSERT_TRUE(program);
    for (const Program::Step& s : program->steps) EXPECT_EQ(s.engine, 1) << s.label;
    EXPECT_EQ(count_transfers(*program), 3) << "the input and two outputs";
    const auto here = context_of(compiled(everything())), there = context_of(program);
    for (int i = 0; i < 12; ++i) {
      const Tensor x = any_strides(drawn_dims(random, 3, 24), random);
      ASSERT_EQ(outputs_of(*there, {&x.view, 1}), outputs_of(*here, {&x.view, 1})) << to_string(x.view.dims);
    }
    EXPECT_GT(device->launches(), 0);
  }
  EXPECT_EQ(device->blocks(), 0);
}

TEST(ContextEngines, AnyPartitionOfDrawnGraphsGivesTheHostsBits) {
  std::mt19937_64 random(testing::run_seed());
  TestEngine::Options own;
  own.own = true;
  const TestEnginePtr one = TestEngine::create(), other = TestEngine::create(own);
  int transfers = 0;
  for (int g = 0; g < 200; ++g) {
    const Graph graph = random_graph(random);
    CompileOptions options = g % 3 == 0 ? on_any({one, other}, random) : on_any({one}, random), plain;
    if (random() % 4 == 0) options.passes = plain.passes = PassSet::none;
    if (random() % 2) options.input_layouts = {EdgeLayout(channels_last(4))};
    if (random() % 2) options.output_layouts = {EdgeLayout::Rule::follow};
    const ProgramPtr program = compiled(graph, options);
    ASSERT_TRUE(program) << "graph " << g;
    transfers += count_transfers(*program);
    const Bounds bounds{{{{0, 2}, {4, 4}, {1, 9}, {1, 9}}}};
    ContextOptions how;
    if (random() % 2) how.bounds = &bounds;
    how.parallel = Parallel(1 + static_cast<int>(random() % 2));
    const auto here = context_of(compiled(graph, plain)), there = context_of(program, how);
    const int64_t taken = one->allocations() + other->allocations();
    for (int i = 0; i < 3; ++i) {
      Dims dims = drawn_dims(random, 4, 9);
      dims[0] = static_cast<int64_t>(random() % 3);
      const Tensor x = any_strides(dims, random);
      ASSERT_EQ(outputs_of(*there, {&x.view, 1}), outputs_of(*here, {&x.view, 1})) << "graph " << g << " at " << to_string(dims);
    }
    if (how.bounds) {
      EXPECT_EQ(one->allocations() + other->allocations(), taken) << "within bounds, in a run";
    }
  }
  EXPECT_GT(transfers, 600);
  EXPECT_EQ(one->blocks() + other->blocks(), 0);
}

TEST(ContextEngines, SizesThatADeviceComputesAreReadBetweenStages) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr one = TestEngine::create(), other = TestEngine::create();
  for (int g = 0; g < 40; ++g) {
    const CompileOptions options = g == 0 ? on_devices({one}) : on_any({one, other}, random);
    const Bounds bounds{{{{0, 70}}}};
    ContextOptions how;
    if (g % 2) how.bounds = &bounds;
    const auto here = context_of(compiled(two_counts())), there = context_of(compiled(two_counts(), options), how);
    const int64_t taken = one->allocations() + other->allocations();
    for (int i = 0; i < 6; ++i) {
      std::vector<float> x = drawn(1 + static_cast<int64_t>(random() % 70), random);
      const TensorView in{x.data(), DType::f32, {static_cast<int64_t>(x.size())}, {1}};
      ASSERT_EQ(outputs_of(*there, {&in, 1}), outputs_of(*here, {&in, 1})) << "partition " << g;
    }
    if (g % 2) {
      EXPECT_EQ(one->allocations() + other->allocations(), taken);
    }
  }
}

TEST(ContextEngines, OutputsAreWrittenWhereTheCallerSaysAndLeftAloneByFailures) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  const auto here = context_of(compiled(everything())), there = context_of(compiled(everything(), on_devices({device})));
  const Tensor x({2, 3, 17, 23}, random);
  Dims dims[2];
  ASSERT_TRUE(there->output_dims({&x.view, 1}, dims).ok());
  Tensor scores(dims[0], random), map(dims[1], random, channels_last(4));
  TensorView out[2] = {scores.view, map.view}, mine[2] = {};
  const std::vector<float> before = scores.memory;
  (void)outputs_of(*there, {&x.view, 1});
  const int64_t calls = [&] {
    device->fail(-1, Failure::refused);
    (void)outputs_of(*there, {&x.view, 1});
    return device->calls();
  }();
  device->fail(calls - 1, Failure::deferred);
  EXPECT_FALSE(there->run({&x.view, 1}, out).ok());
  EXPECT_EQ(scores.memory, before);
  device->fail_nothing();
  ASSERT_TRUE(there->run({&x.view, 1}, out).ok());
  ASSERT_TRUE(here->run({&x.view, 1}, mine).ok());
  EXPECT_TRUE(same_bits(scores.view, mine[0]));
  EXPECT_TRUE(same_bits(map.view, mine[1]));
}

TEST(ContextEngines, MemoryIsAskedForByEngineAndBounded) {
  const TestEnginePtr device = TestEngine::create();
  const ProgramPtr program = compiled(everything(), on_devices({device}));
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 32}, {1, 48}}}};
  int64_t host = 0, there = 0, alone = 0;
  ASSERT_TRUE(bytes_needed(*program, bounds, 1, &host).ok());
  ASSERT_TRUE(bytes_needed(*program, bounds, 1, &there, 1).ok());
  ASSERT_TRUE(bytes_needed(*compiled(everything()), bounds, 1, &alone).ok());
  EXPECT_GT(there, 0);
  EXPECT_LT(host, alone) << "the host has edges only";
  ContextOptions how;
  how.bounds = &bounds;
  const auto context = context_of(program, how);
  EXPECT_EQ(context->arena_bytes(1), there);
  EXPECT_GE(context->arena_bytes(0), host);
  std::mt19937_64 random(testing::run_seed());
  for (int i = 0; i < 10; ++i) {
    const Tensor x = any_strides(
        {1 + static_cast<int64_t>(random() % 2), 3, 1 + static_cast<int64_t>(random() % 32), 1 + static_cast<int64_t>(random() % 48)},
        random);
    (void)outputs_of(*context, {&x.view, 1});
    EXPECT_LE(context->used_bytes(1), there);
    EXPECT_LE(context->used_bytes(0), host);
  }
}

TEST(ContextEngines, WhatADeviceHasNoRoomForIsReportedWithBytesAndEngine) {
  std::mt19937_64 random(testing::run_seed());
  TestEngine::Options small;
  small.largest_allocation = 40000;
  const TestEnginePtr device = TestEngine::create(small);
  const ProgramPtr program = compiled(everything(), on_devices({device}));
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 320}, {1, 480}}}};
  ContextOptions how;
  how.bounds = &bounds;
  std::unique_ptr<Context> none;
  Status s = Context::create(program, how, &none);
  EXPECT_EQ(s.code(), Code::out_of_memory);
  EXPECT_NE(s.message().find("its largest allocation is 40000"), std::string::npos) << s.message();
  const auto here = context_of(compiled(everything())), there = context_of(program);
  const Tensor little({1, 3, 4, 5}, random), large({2, 3, 100, 100}, random);
  const Outputs right = outputs_of(*here, {&little.view, 1});
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(outputs_of(*there, {&little.view, 1}), right);
    (void)outputs_of(*there, {&large.view, 1}, &s);
    EXPECT_EQ(s.code(), Code::out_of_memory) << s.message();
    EXPECT_NE(s.message().find("engine testing needs "), std::string::npos) << s.message();
  }
}

TEST(ContextEngines, ReportWhicheverCallFailsAndRunRightAfterwards) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  CompileOptions options = on_devices({device});
  options.choose_engine = [i = 0](const Graph&, const Node&) mutable { return i++ % 5 != 4; };  // there and back again
  const auto context_there = [&](std::unique_ptr<Context>* out) -> Status {
    ProgramPtr program;
    ANYDIM_TRY(compile(everything(), options, &program));
    return Context::create(program, {}, out);
  };
  const Tensor x({1, 3, 9, 11}, random), large({1, 3, 12, 14}, random);
  const auto here = context_of(compiled(everything()));
  const Outputs right = outputs_of(*here, {&x.view, 1}), right_large = outputs_of(*here, {&large.view, 1});
  for (const bool grows : {false, true})
    for (const Failure how : {Failure::refused, Failure::deferred, Failure::lost}) {
      std::unique_ptr<Context> context;
      ASSERT_TRUE(context_there(&context).ok());
      ASSERT_EQ(outputs_of(*context, {&x.view, 1}), right);
      const Tensor& now = grows ? large : x;
      device->fail(-1, how);
      {
        std::unique_ptr<Context> counted;
        ASSERT_TRUE(context_there(&counted).ok());
        if (grows) (void)outputs_of(*counted, {&x.view, 1});
        device->fail(-1, how);
        (void)outputs_of(*counted, {&now.view, 1});
      }
      const int64_t calls = device->calls();
      ASSERT_GT(calls, 25);
      for (int64_t call = 0; call < calls; ++call) {
        if (grows || how == Failure::lost) {  // a context that has not been at this shape, or on the device as it was found again
          context.reset();
          ASSERT_EQ(device->blocks(), 0) << "before call " << call;
          ASSERT_TRUE(context_there(&context).ok());
          if (grows) {
            ASSERT_EQ(outputs_of(*context, {&x.view, 1}), right);
          }
        } else {
          ASSERT_EQ(outputs_of(*context, {&x.view, 1}), right);
        }
        Status s;
        device->fail(call, how);
        (void)outputs_of(*context, {&now.view, 1}, &s);
        if (device->calls() > call) {
          EXPECT_FALSE(s.ok()) << "call " << call;
          EXPECT_NE(s.code(), Code::internal) << s.message();
          EXPECT_NE(s.message().find("testing"), std::string::npos) << s.message();
        }
        device->fail_nothing();
        if (how == Failure::lost) {
          (void)outputs_of(*context, {&now.view, 1}, &s);
          EXPECT_EQ(s.code(), Code::device_lost) << "a lost device stays lost: " << s.message();
        }
        device->restore();
        if (how == Failure::lost) continue;
        ASSERT_EQ(outputs_of(*context, {&now.view, 1}), grows ? right_large : right) << "after call " << call;
      }
    }
  EXPECT_EQ(device->blocks(), 0);
}

TEST(ContextEngines, MakingAContextOrAProgramFailsWithAStatusAndLeaksNothing) {
  const TestEnginePtr device = TestEngine::create();
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 32}, {1, 48}}}};
  const auto make = [&] {
    ProgramPtr program;
    ANYDIM_TRY(compile(everything(), on_devices({device}), &program));
    ContextOptions how;
    how.bounds = &bounds;
    std::unique_ptr<Context> context;
    return Context::create(program, how, &context);
  };
  device->fail(-1, Failure::refused);
  ASSERT_TRUE(make().ok());
  const int64_t calls = device->calls();
  ASSERT_GT(calls, 7);
  for (const Failure how : {Failure::refused, Failure::deferred, Failure::lost})
    for (int64_t call = 0; call < calls; ++call) {
      device->fail(call, how);
      const Status s = make();
      EXPECT_FALSE(s.ok()) << "call " << call;
      EXPECT_NE(s.code(), Code::internal) << s.message();
      EXPECT_EQ(device->blocks(), 0) << "call " << call << ": " << s.message();
      device->fail_nothing();
      device->restore();
    }
  EXPECT_TRUE(make().ok());
}

// 1,000 runs: most are asked to end at one of their calls of the engine, the others by another thread after a while.
TEST(ContextEngines, RunsThatAreCancelledAtAnyMomentEndOrAreRight) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  const Tensor x({1, 3, 9, 11}, random);
  const Outputs right = outputs_of(*context_of(compiled(everything())), {&x.view, 1});
  int cancelled = 0;
  for (int g = 0; g < 10; ++g) {
    const auto there = context_of(compiled(everything(), g == 0 ? on_devices({device}) : on_any({device}, random)));
    ASSERT_EQ(outputs_of(*there, {&x.view, 1}), right);
    device->fail(-1, Failure::refused);
    const auto start = std::chrono::steady_clock::now();
    ASSERT_EQ(outputs_of(*there, {&x.view, 1}), right);
    const auto took = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count();
    const int64_t calls = device->calls();
    int32_t stop = 0;
    there->set_stop(Stop(&stop));
    for (int i = 0; i < 100; ++i) {
      std::thread other;
      __atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
      if (i % 5 != 0) {
        device->interrupt(static_cast<int64_t>(random() % static_cast<uint64_t>(calls + 1)), &stop);
      } else {
        device->interrupt(-1, &stop);
        other = std::thread([&stop, ns = static_cast<int64_t>(random() % static_cast<uint64_t>(took))] {
          std::this_thread::sleep_for(std::chrono::nanoseconds(ns));
          __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
        });
      }
      Status s;
      const Outputs mine = outputs_of(*there, {&x.view, 1}, &s);
      if (other.joinable()) other.join();
      cancelled += !s.ok();
      if (s.ok()) ASSERT_EQ(mine, right) << "partition " << g << ", run " << i;
      else ASSERT_EQ(s.code(), Code::cancelled) << s.message();
    }
    device->interrupt(-1, &stop);
    __atomic_store_n(&stop, 0, __ATOMIC_RELAXED);
    ASSERT_EQ(outputs_of(*there, {&x.view, 1}), right);
  }
  std::printf("%d of 1000 runs were cancelled\n", cancelled);
  EXPECT_GT(cancelled, 300);
}

TEST(ContextEngines, WeightsOfADeviceAreUpdatedUnderRunningCalls) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  Builder b(3);
  const ValueId x = b.input("x", {-1, 4});
  b.output(b.matmul(x, b.constant({4, 6})));
  const ProgramPtr program = compiled(b.graph, on_devices({device}));
  ASSERT_TRUE(program);
  const auto step = std::find_if(program->steps.begin(), program->steps.end(),
                                 [&](const Program::Step& s) { return program->primitive(s) && program->primitive(s)->weights(); });
  ASSERT_NE(step, program->steps.end());
  const Weights& weights = *program->primitive(*step)->weights();
  const Tensor in({3, 4}, random);
  Tensor values[2] = {Tensor({4, 6}, random), Tensor({4, 6}, random)};
  const auto context = context_of(program);
  Outputs right[2];
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(weights.update({&values[i].view, 1}).ok());
    right[i] = outputs_of(*context, {&in.view, 1});
  }
  EXPECT_NE(right[0], right[1]);
  std::atomic<bool> ends{false};
  std::thread updates([&] {
    for (int i = 0; !ends; ++i) EXPECT_TRUE(weights.update({&values[i % 2].view, 1}).ok());
  });
  for (int i = 0; i < 300; ++i) {
    const Outputs mine = outputs_of(*context, {&in.view, 1});
    ASSERT_TRUE(mine == right[0] || mine == right[1]) << "run " << i;
  }
  ends = true;
  updates.join();
}

// y = quantised(a [d1, 4] * b [4, 6], a full chain of post-ops): no graph has scales and zero points yet, so the step is put in.
TEST(ContextEngines, AStepWithAFullChainAndAllScalesAndZeroPointsGivesTheHostsBits) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  Builder builder(3);
  const ValueId a = builder.input("a", {-1, 4}), b = builder.input("b", {4, 6});
  builder.output(builder.matmul(a, b));
  auto program = std::make_shared<Program>(*compiled(builder.graph, on_devices({device})));
  const auto quantise = [&](int32_t tensor, DType dtype) {
    Program::Tensor& t = program->tensors[static_cast<size_t>(tensor)];
    t.dtype = program->buffers[static_cast<size_t>(t.buffer)].dtype = dtype;
  };
  Program::Step* product = nullptr;
  for (Program::Step& s : program->steps) {
    const auto& from = program->buffer(program->tensor(s.operands[0]).buffer);
    if (s.kernel() != nullptr) product = &s;
    const DType dtype = from.kind != Program::Buffer::Kind::input || from.index == 0 ? DType::u8 : DType::i8;
    if (s.transfer() != nullptr)
      for (const int32_t t : s.operands) quantise(t, dtype);
  }
  program->inputs[0].dtype = program->outputs[0].dtype = DType::u8;
  program->inputs[1].dtype = DType::i8;
  ASSERT_NE(product, nullptr);

  auto quantization = std::make_shared<Quantization>();
  quantization->result = DType::u8;
  for (int o = 0; o < Quantization::kOperands; ++o)
    quantization->scale[o].from = quantization->zero_point[o].from = Quantization::Factors::From::operand;
  PrimitiveAttributes attributes;
  attributes.quantization = quantization;
  std::vector<HostTensor> post(kMaxPostTensors);
  std::vector<TensorView> views;
  for (size_t i = 0; i < post.size(); ++i) {
    const bool chain = i < kMaxPostOps, scale = chain || (i - kMaxPostOps) % 2 == 0;
    if (chain) attributes.post_ops.append({.kind = PostOp::Kind::binary, .binary = i % 2 ? BinaryFunction::mul : BinaryFunction::add});
    const DType dtype = scale ? DType::f32 : i == kMaxPostOps + 3 ? DType::i8 : DType::u8;
    ASSERT_TRUE(HostTensor::allocate(dtype, chain ? Dims{1, 1} : Dims{}, &post[i]).ok());
    if (scale) *post[i].view.as<float>() = 0.5f + 0.0625f * static_cast<float>(i);
    else *post[i].view.as<uint8_t>() = static_cast<uint8_t>(i);
    views.push_back(post[i].view);
    Program::Tensor t{.name = formatted("post {}", i), .dtype = dtype, .dims = chain ? SymDims{1, 1} : SymDims{}};
    std::byte* there = nullptr;
    const int64_t bytes = dtype_size(dtype);
    ASSERT_TRUE(device->allocate(bytes, &t.device_constant).ok());
    ASSERT_TRUE(t.device_constant->map(0, bytes, &there).ok());
    std::memcpy(there, post[i].view.data, static_cast<size_t>(bytes));
    ASSERT_TRUE(t.device_constant->unmap(0, bytes).ok());
    product->operands.push_back(static_cast<int32_t>(program->tensors.size()));
    program->tensors.push_back(std::move(t));
  }
  product->post = static_cast<int32_t>(post.size());
  DimPool pool;
  const TensorType in[2] = {{DType::u8, {pool.symbol("rows"), 4}}, {DType::i8, {4, 6}}};
  const Result<OperatorPtr> op = Matmul::make({});
  PrimitivePtr here;
  ASSERT_TRUE(Primitive::create(program->engines[1], *op, {&pool, in, {}}, attributes, {},
                                &program->primitives[static_cast<size_t>(product->kernel()->primitive)])
                  .ok());
  ASSERT_TRUE(Primitive::create(cpu_engine(), *op, {&pool, in, {}}, attributes, {}, &here).ok());

  const auto context = context_of(program);
  std::vector<uint8_t> left(12), right(24), mine(18), want(18);
  for (auto* all : {&left, &right})
    for (uint8_t& v : *all) v = static_cast<uint8_t>(random());
  const TensorView in_views[2] = {{left.data(), DType::u8, {3, 4}, {4, 1}}, {right.data(), DType::i8, {4, 6}, {6, 1}}};
  TensorView out{mine.data(), DType::u8, {3, 6}, {6, 1}}, wanted{want.data(), DType::u8, {3, 6}, {6, 1}};
  for (int i = 0; i < 2; ++i) {
    const Status done = context->run(in_views, {&out, 1});
    ASSERT_TRUE(done.ok()) << done.message();
  }
  const Result<AlignedBuffer> scratch = AlignedBuffer::allocate(1 << 16);
  ASSERT_TRUE(scratch.ok());
  const Status done = here->execute(in_views, views, {&wanted, 1}, scratch->data(), 1 << 16, Parallel(1));
  ASSERT_TRUE(done.ok()) << done.message();
  EXPECT_EQ(mine, want);
}

TEST(ContextEngines, AStatusNamesTheStepsAmongWhichSomethingFailed) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  Builder b(3);
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  b.output(b.softmax(b.conv(x, 8, 3), 1));
  const auto context = context_of(compiled(b.graph, on_devices({device})));
  const Tensor in({1, 4, 6, 7}, random);
  (void)outputs_of(*context, {&in.view, 1});
  const std::string conv = "n2 (convolution)", upload = "x (cpu to testing)", download = "n3 (testing to cpu)";
  const auto message = [&](int64_t call, Failure how) {
    Status s;
    device->fail(call, how);
    (void)outputs_of(*context, {&in.view, 1}, &s);
    device->fail_nothing();
    return std::string(s.message());
  };
  std::vector<std::string> labels;
  for (const Program::Step& s : context->program().steps) labels.push_back(s.label);
  EXPECT_EQ(message(1, Failure::refused), "engine testing, " + labels[1] + ": submit: a test made call 1 fail");
  EXPECT_EQ(message(1, Failure::deferred),
            "engine testing, among " + labels.front() + " to " + labels.back() + ": a test made work on the device fail late");
  context->set_profiling(true);
  EXPECT_EQ(message(2, Failure::deferred), "engine testing, " + labels[1] + ": a test made work on the device fail late");
}

TEST(ContextEngines, TuningIsRefusedWhereNoEngineOfThePartsMakesProgramsForCalls) {
  std::mt19937_64 random(testing::run_seed());
  const TestEnginePtr device = TestEngine::create();
  const ProgramPtr program = compiled(everything(), on_devices({device}));
  const auto context = context_of(program);
  const Tensor x({1, 3, 9, 11}, random);
  (void)outputs_of(*context, {&x.view, 1});
  std::vector<NodeTuning> report;
  const Status refused = tune(*context, {}, &report);
  EXPECT_EQ(refused.code(), Code::unimplemented);
  EXPECT_EQ(refused.message(), "engine testing makes no programs for single calls, so there is nothing to tune");
  EXPECT_TRUE(report.empty());
  ContextOptions how;
  how.reuse = ReusePolicy::specialised;
  std::unique_ptr<Context> made;
  EXPECT_TRUE(Context::create(program, how, &made).ok());
}

TEST(ContextEngines, AreOthersThanTheHosts) {
  const TestEnginePtr device = TestEngine::create();
  CompileOptions wrong = on_devices({cpu_engine()});
  ProgramPtr nothing;
  EXPECT_EQ(compile(everything(), wrong, &nothing).code(), Code::invalid_argument);
  wrong = {};
  wrong.engine = device;
  EXPECT_EQ(compile(everything(), wrong, &nothing).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace anydim
