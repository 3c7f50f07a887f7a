// SPDX-License-Identifier: Apache-2.0
// What a context promises: the bits of a node-by-node run at every shape, no allocation at a new one, the bound, one user at
// a time, and errors that name what is wrong before any kernel has run.
#include "core/graph/context.h"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>

#include "core/graph/testing/builder.h"
#include "core/graph/testing/reference_run.h"

namespace {
std::atomic<int64_t> allocations{0};
}
// Sanitizers have operators of their own; the counts are then 0 and only the ordinary build proves them.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
void* operator new(size_t size) {
  ++allocations;
  if (void* p = std::malloc(size ? size : 1)) return p;
  std::abort();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
#endif

namespace anydim {
namespace {

using testing::Builder;
using testing::reference_run;
using testing::same_bits;

// An f32 tensor in a memory order of its own, filled with normal numbers.
struct Tensor {
  std::vector<float> memory;
  TensorView view;
  Tensor(const Dims& dims, std::mt19937_64& random, const Perm& order = {}) : memory(static_cast<size_t>(element_count(dims)) + 1) {
    std::normal_distribution<float> normal;
    for (float& v : memory) v = normal(random);
    view = {memory.data(), DType::f32, dims, dense_strides(dims, order)};
  }
};

ModelPtr compile(const Graph& graph, const ModelOptions& options = {}) {
  ModelPtr model;
  const Status s = Model::compile(graph, options, &model);
  EXPECT_TRUE(s.ok()) << s.message();
  return model;
}

std::unique_ptr<Context> context_of(const ModelPtr& model, const ContextOptions& options = {}) {
  std::unique_ptr<Context> c;
  const Status s = Context::create(model, options, &c);
  EXPECT_TRUE(s.ok()) << s.message();
  return c;
}

// A small network of everything that layouts, views and the plan have to deal with. Inputs: x [d1, 3, d2, d3].
Graph everything() {
  Builder b(5);
  const ValueId x = b.input("x", {-1, 3, -2, -3});
  const ValueId stem = b.relu(b.conv(x, 16, 3, 2));
  const ValueId first = b.slice(stem, 1, 0, 8), second = b.slice(stem, 1, 8, 8);
  const ValueId worked = b.plus(second, b.unary(UnaryFunction::silu, b.conv(second, 8, 3)));
  const ValueId joined = b.concat({first, second, worked}, 1);
  const ValueId gate = b.unary(UnaryFunction::hard_sigmoid, b.conv(b.global_average(joined), 24, 1), 0.2f, 0.5f);
  const ValueId gated = b.times(joined, gate);
  const ValueId low = b.max_pool(gated, 3, 1), up = b.concat({b.conv(low, 8, 1), gated}, 1);
  const ValueId head = b.conv(up, 12, 1);
  const SymDims d = b.dims(head);
  const ValueId flat = b.reshape(head, {d[0], 12, b.graph.dims.mul(d[2], d[3])});
  const ValueId sequence = b.transpose(flat, {0, 2, 1});
  const ValueId scores = b.softmax(b.matmul(sequence, b.constant({12, 5})), 2);
  b.output(scores, "scores");
  b.output(b.unary(UnaryFunction::sigmoid, head), "map");
  return std::move(b.graph);
}

TEST(Context, GivesTheBitsOfANodeByNodeRunAtEveryShape) {
  const Graph graph = everything();
  const ModelPtr model = compile(graph);
  ASSERT_TRUE(model);
  std::mt19937_64 random(17);
  for (int threads : {1, 2}) {
    ContextOptions options;
    options.parallel = Parallel(threads);
    const auto context = context_of(model, options);
    for (int i = 0; i < 40; ++i) {
      const Dims dims{static_cast<int64_t>(1 + random() % 3), 3, static_cast<int64_t>(1 + random() % 40), static_cast<int64_t>(1 + random() % 40)};
      Tensor x(dims, random, random() % 2 ? channels_last(4) : Perm{});
      TensorView out[2] = {};
      const Status s = context->run({&x.view, 1}, out);
      ASSERT_TRUE(s.ok()) << s.message();
      const auto expected = reference_run(graph, {&x.view, 1});
      ASSERT_EQ(expected.size(), 2u);
      for (int o = 0; o < 2; ++o) ASSERT_TRUE(same_bits(out[o], expected[o].view)) << "output " << o << " of " << to_string(dims);
    }
  }
}

TEST(Context, WritesIntoTheCallersOutputsInAnyStrides) {
  const Graph graph = everything();
  const auto context = context_of(compile(graph));
  std::mt19937_64 random(3);
  Tensor x({2, 3, 17, 23}, random);
  Dims dims[2];
  ASSERT_TRUE(context->output_dims({&x.view, 1}, dims).ok());
  for (const Perm& order : {Perm{}, channels_last(4)}) {
    Tensor scores(dims[0], random), map(dims[1], random, order);
    TensorView out[2] = {scores.view, map.view};
    ASSERT_TRUE(context->run({&x.view, 1}, out).ok());
    const auto expected = reference_run(graph, {&x.view, 1});
    EXPECT_EQ(out[1].data, map.view.data);
    EXPECT_TRUE(same_bits(scores.view, expected[0].view));
    EXPECT_TRUE(same_bits(map.view, expected[1].view));
  }
}

TEST(Context, AllocatesNothingAtANewShapeWithinItsBounds) {
  const Graph graph = everything();
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 32}, {1, 48}}}};
  ContextOptions options;
  options.bounds = &bounds;
  const auto context = context_of(compile(graph), options);
  const int64_t arena = context->arena_bytes();
  std::mt19937_64 random(5);
  std::vector<Tensor> inputs;
  for (int i = 0; i < 100; ++i)
    inputs.emplace_back(Dims{static_cast<int64_t>(1 + random() % 2), 3, static_cast<int64_t>(1 + random() % 32), static_cast<int64_t>(1 + random() % 48)}, random);
  TensorView out[2] = {};
  const int64_t before = allocations;
  const auto heap = mallinfo2().uordblks;
  bool ok = true;
  for (Tensor& x : inputs) {
    out[0] = out[1] = {};
    ok = context->run({&x.view, 1}, out).ok() && ok;
  }
  EXPECT_EQ(allocations, before);
  EXPECT_EQ(mallinfo2().uordblks, heap);
  EXPECT_TRUE(ok);
  EXPECT_EQ(context->arena_bytes(), arena);
  EXPECT_EQ(context->growth_events(), 0);
}

TEST(Context, WithoutBoundsGrowsByHalfAndThenAllocatesNothing) {
  const auto context = context_of(compile(everything()));
  std::mt19937_64 random(5);
  const auto run = [&](int64_t side) {
    Tensor x({1, 3, side, side}, random);
    TensorView out[2] = {};
    const int64_t before = allocations;
    EXPECT_TRUE(context->run({&x.view, 1}, out).ok());
    return allocations - before;
  };
  run(32);
  EXPECT_EQ(context->growth_events(), 1);
  const int64_t first = context->arena_bytes();
  run(33);
  EXPECT_EQ(context->growth_events(), 2);
  EXPECT_GE(context->arena_bytes(), first + first / 2);
  EXPECT_EQ(run(34), 0);
  EXPECT_EQ(run(5), 0);
  EXPECT_EQ(context->growth_events(), 2);
}

TEST(Context, NoInteriorShapeNeedsMoreThanBytesNeeded) {
  const ModelPtr model = compile(everything());
  std::mt19937_64 random(23);
  for (int threads : {1, 2}) {
    const Bounds bounds{{{{1, 3}, {3, 3}, {1, 40}, {1, 40}}}};
    int64_t most = 0;
    ASSERT_TRUE(model->bytes_needed(bounds, threads, &most).ok());
    ContextOptions options;
    options.bounds = &bounds;
    options.parallel = Parallel(threads);
    const auto context = context_of(model, options);
    for (int i = 0; i < 500; ++i) {
      Tensor x({static_cast<int64_t>(1 + random() % 3), 3, static_cast<int64_t>(1 + random() % 40), static_cast<int64_t>(1 + random() % 40)}, random);
      TensorView out[2] = {};
      const Status s = context->run({&x.view, 1}, out);
      ASSERT_TRUE(s.ok()) << s.message();
      if (i % 50 == 0) {
        RunReport report;
        ASSERT_TRUE(context->explain(&report).ok());
        ASSERT_LE(report.used_bytes, most);
        ASSERT_LE(report.arena_bytes, most + 4096);
      }
    }
  }
}

TEST(Context, RunsInTheCallersBuffer) {
  const Graph graph = everything();
  const ModelPtr model = compile(graph);
  const Bounds bounds{{{{1, 1}, {3, 3}, {8, 16}, {8, 16}}}};
  int64_t bytes = 0;
  ASSERT_TRUE(model->bytes_needed(bounds, 1, &bytes).ok());
  std::vector<char> memory(static_cast<size_t>(bytes) + 128, 42);
  char* buffer = memory.data() + (64 - reinterpret_cast<uintptr_t>(memory.data()) % 64) % 64;
  ContextOptions options;
  options.bounds = &bounds;
  options.buffer = buffer;
  options.buffer_size = bytes;
  const auto context = context_of(model, options);
  std::mt19937_64 random(1);
  Tensor x({1, 3, 16, 16}, random);
  TensorView out[2] = {};
  ASSERT_TRUE(context->run({&x.view, 1}, out).ok());
  EXPECT_TRUE(same_bits(out[0], reference_run(graph, {&x.view, 1})[0].view));
  for (int i = 0; i < 40; ++i) EXPECT_EQ(buffer[bytes + i], 42);
  options.buffer_size = bytes - 1;
  std::unique_ptr<Context> small;
  const Status s = Context::create(model, options, &small);
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_NE(s.message().find(std::to_string(bytes)), std::string::npos) << s.message();
}

TEST(Context, ASecondCallerGetsBusy) {
  const auto context = context_of(compile(everything()));
  std::mt19937_64 random(1);
  Tensor x({1, 3, 64, 64}, random);
  std::atomic<int> busy{0}, ok{0}, other{0};
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      TensorView out[2] = {};
      const Status s = context->run({&x.view, 1}, out);
      ++(s.ok() ? ok : s.code() == Code::busy ? busy : other);
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  EXPECT_EQ(other, 0);
  EXPECT_GT(ok, 0);
  EXPECT_EQ(ok + busy, 400);
}

TEST(Context, WrongInputsAreNamedAndChangeNothing) {
  const Graph graph = everything();
  const Bounds bounds{{{{1, 2}, {3, 3}, {1, 32}, {1, 32}}}};
  ContextOptions options;
  options.bounds = &bounds;
  const auto context = context_of(compile(graph), options);
  std::mt19937_64 random(2);
  TensorView out[2] = {};
  const auto fails = [&](const TensorView& x, Code code, const char* needle) {
    const Status s = context->run({&x, 1}, out);
    EXPECT_EQ(s.code(), code) << s.message();
    EXPECT_NE(s.message().find(needle), std::string::npos) << s.message();
  };
  Tensor good({1, 3, 8, 8}, random), channels({1, 4, 8, 8}, random), large({1, 3, 33, 8}, random), flat({1, 3, 8}, random);
  fails(channels.view, Code::invalid_argument, "dim 1 is 4; the model expects 3");
  fails(large.view, Code::out_of_bounds, "dim 2 (d2) is 33; the context's bounds are 1..32");
  fails(flat.view, Code::invalid_argument, "rank 3; the model expects 4");
  TensorView none = good.view;
  none.data = nullptr;
  fails(none, Code::invalid_argument, "'x' has no data (null)");
  none = good.view;
  none.dtype = DType::f64;
  fails(none, Code::invalid_argument, "dtype f64; the model expects f32");
  none = good.view;
  none.dims[2] = -1;
  fails(none, Code::invalid_argument, "dim 2 is -1");
  EXPECT_EQ(context->run({}, out).code(), Code::invalid_argument);
  EXPECT_EQ(context->run({&good.view, 1}, {out, 1}).code(), Code::invalid_argument);
  Tensor scores({1, 7, 5}, random), map({1, 12, 4, 4}, random);
  TensorView wrong[2] = {scores.view, map.view};
  const float before = scores.memory[0];
  const Status s = context->run({&good.view, 1}, wrong);
  EXPECT_NE(s.message().find("output 'scores' has dims 1x7x5; the model gives 1x16x5"), std::string::npos) << s.message();
  EXPECT_EQ(scores.memory[0], before);
  ASSERT_TRUE(context->run({&good.view, 1}, out).ok());
  EXPECT_TRUE(same_bits(out[0], reference_run(graph, {&good.view, 1})[0].view));
}

TEST(Context, AGuardNamesItsNodeBeforeAnyKernelRuns) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3}), z = b.input("z", {-1, 4, -4, -5});
  b.output(b.plus(b.conv(x, 4, 1), b.conv(z, 4, 1)));
  const auto context = context_of(compile(b.graph));
  std::mt19937_64 random(2);
  Tensor a({1, 4, 6, 6}, random), c({1, 4, 5, 6}, random), y({1, 4, 6, 6}, random);
  const float before = y.memory[0];
  const TensorView in[2] = {a.view, c.view};
  const Status s = context->run(in, {&y.view, 1});
  ASSERT_FALSE(s.ok());
  EXPECT_NE(s.message().find("node '"), std::string::npos) << s.message();
  EXPECT_EQ(y.memory[0], before);
}

// y = reshape(x [d1, d2], the values of an integer input).
Graph reshape_by_input() {
  Builder b;
  const ValueId x = b.input("x", {-1, -2});
  const DeclaredDim two{2, ""};
  const ValueId shape = b.graph.add_input("shape", DType::i64, {&two, 1});
  const Content& content = b.graph.value(shape).content;
  EXPECT_TRUE(content.known);
  b.output(b.relu(b.reshape(b.relu(x), {content.elements[0], content.elements[1]})));
  return std::move(b.graph);
}

TEST(Context, ShapesMayComeFromTheValuesOfAnIntegerInput) {
  const auto context = context_of(compile(reshape_by_input()));
  std::mt19937_64 random(2);
  Tensor x({4, 6}, random);
  int64_t wanted[2] = {8, 3};
  const TensorView in[2] = {x.view, {wanted, DType::i64, {2}, {1}}};
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{8, 3}, {1, 24}, {8, 3}}) {
    wanted[0] = rows;
    wanted[1] = columns;
    TensorView y;
    const Status s = context->run(in, {&y, 1});
    ASSERT_TRUE(s.ok()) << s.message();
    ASSERT_EQ(y.dims, (Dims{rows, columns}));
    for (int64_t i = 0; i < 24; ++i) EXPECT_EQ(y.as<float>()[i], std::max(x.memory[static_cast<size_t>(i)], 0.f));
  }
  for (const auto& [rows, columns] : {std::pair<int64_t, int64_t>{5, 5}, {-8, -3}, {INT64_MAX, 2}}) {
    wanted[0] = rows;
    wanted[1] = columns;
    TensorView y;
    const Status s = context->run(in, {&y, 1});
    EXPECT_FALSE(s.ok());
    EXPECT_NE(s.code(), Code::internal) << s.message();
  }
}

TEST(Context, SizesThatNothingBoundsAreRefusedWithBoundsAndNamed) {
  const ModelPtr model = compile(reshape_by_input());
  const Bounds bounds{{{{1, 4}, {1, 6}}}, {{{2, 2}}}};
  int64_t bytes = 0;
  const Status s = model->bytes_needed(bounds, 1, &bytes);
  // The product of the input's elements is known to equal that of x only if a guard says so; either answer is a bound.
  if (s.ok()) {
    EXPECT_LT(bytes, 1 << 20);
  } else {
    EXPECT_EQ(s.code(), Code::out_of_bounds);
    EXPECT_NE(s.message().find("no bound"), std::string::npos) << s.message();
  }
  const Bounds wrong[] = {{}, {{{{1, 4}}}, {{{2, 2}}}}, {{{{4, 1}, {1, 6}}}, {{{2, 2}}}}, {{{{1, 4}, {1, 6}}}, {{{3, 3}}}}};
  for (const Bounds& w : wrong) EXPECT_FALSE(model->bytes_needed(w, 1, &bytes).ok());
}

TEST(Context, ZeroSizeDimsGiveEmptyOutputs) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  const ValueId c = b.conv(x, 8, 1), j = b.concat({c, b.relu(c)}, 1);
  b.output(b.transpose(j, {0, 2, 3, 1}));
  const Graph graph = b.graph;
  const auto context = context_of(compile(graph));
  std::mt19937_64 random(2);
  Tensor x0({0, 4, 6, 6}, random), x1({2, 4, 6, 6}, random);
  TensorView y;
  ASSERT_TRUE(context->run({&x0.view, 1}, {&y, 1}).ok());
  EXPECT_EQ(to_string(y.dims), "0x6x6x16");
  y = {};
  ASSERT_TRUE(context->run({&x1.view, 1}, {&y, 1}).ok());
  EXPECT_TRUE(same_bits(y, reference_run(graph, {&x1.view, 1})[0].view));
}

TEST(Context, ExplainsEachNode) {
  const auto context = context_of(compile(everything()));
  RunReport report;
  EXPECT_EQ(context->explain(&report).code(), Code::invalid_argument);
  std::mt19937_64 random(2);
  Tensor x({1, 3, 32, 32}, random);
  TensorView out[2] = {};
  context->set_profiling(true);
  ASSERT_TRUE(context->run({&x.view, 1}, out).ok());
  ASSERT_TRUE(context->explain(&report).ok());
  ASSERT_FALSE(report.nodes.empty());
  EXPECT_GT(report.views, 0);
  EXPECT_GT(report.weight_bytes, 0);
  bool reads_input = false;
  for (const NodeReport& n : report.nodes) {
    EXPECT_FALSE(n.kernel.empty());
    EXPECT_GE(n.nanoseconds, 0);
    EXPECT_GT(n.bytes, 0);
    int chosen = 0;
    for (const auto& c : n.candidates) chosen += c.because.empty() && c.kernel == n.kernel;
    EXPECT_EQ(chosen, 1) << n.op;
    for (const auto& o : n.inputs) reads_input = reads_input || o.place == "input 0";
  }
  EXPECT_TRUE(reads_input);
}

// Graphs made at random from what moves, shares, resizes and overwrites memory.
Graph random_graph(std::mt19937_64& random) {
  Builder b(random());
  const ValueId x = b.input("x", {-1, 4, -2, -3});
  std::vector<ValueId> maps{x, b.conv(x, 8, 1)};
  const auto any = [&] { return maps[random() % maps.size()]; };
  const auto channels = [&](ValueId v) { return b.dims(v)[1].number(); };
  const auto same_plane = [&](ValueId v, ValueId w) {
    return b.dims(v)[0] == b.dims(w)[0] && b.dims(v)[2] == b.dims(w)[2] && b.dims(v)[3] == b.dims(w)[3];
  };
  const int nodes = 5 + static_cast<int>(random() % 25);
  for (int i = 0; i < nodes; ++i) {
    const ValueId v = any();
    switch (random() % 13) {
      case 0: maps.push_back(b.conv(v, 4 + static_cast<int64_t>(random() % 12), random() % 2 ? 3 : 1)); break;
      case 1: maps.push_back(b.unary(UnaryFunction::exp, b.unary(UnaryFunction::clip, v, -1, 1))); break;
      case 2: {
        const ValueId w = any();
        if (channels(v) == channels(w) && same_plane(v, w)) maps.push_back(b.plus(v, w));
        break;
      }
      case 3:
      case 4: {
        std::vector<ValueId> parts{v};
        for (size_t k = random() % 3; k-- > 0;)
          if (const ValueId w = any(); same_plane(v, w)) parts.push_back(w);
        maps.push_back(b.concat(parts, 1));
        break;
      }
      case 5: {
        if (channels(v) < 2) break;
        const int64_t at = 1 + static_cast<int64_t>(random() % static_cast<uint64_t>(channels(v) - 1));
        maps.push_back(b.slice(v, 1, 0, at));
        maps.push_back(b.slice(v, 1, at, channels(v) - at));
        if (random() % 2) maps.push_back(b.concat({maps[maps.size() - 2], maps.back(), b.relu(maps.back())}, 1));
        break;
      }
      case 6: maps.push_back(b.max_pool(v, 3, 1)); break;
      case 7: maps.push_back(b.times(v, b.unary(UnaryFunction::sigmoid, b.global_average(v)))); break;
      case 8: {
        // There and back again through another rank and order.
        const SymDims d = b.dims(v);
        const ValueId t = b.transpose(b.reshape(v, {d[0], d[1], b.graph.dims.mul(d[2], d[3])}), {0, 2, 1});
        const ValueId e = random() % 2 ? b.unary(UnaryFunction::tanh, t) : t;
        maps.push_back(b.reshape(b.transpose(e, {0, 2, 1}), d));
        break;
      }
      case 9: {
        const ValueId large = b.enlarge(v, 2);
        maps.push_back(random() % 2 ? large : b.plus(large, b.enlarge(b.relu(v), 2)));
        break;
      }
      case 10: maps.push_back(b.conv(v, 8, 3, 2)); break;
      case 11: {
        // Joined along H, and along a batch that is also a transposed axis.
        const ValueId tall = b.concat({v, b.unary(UnaryFunction::neg, v)}, 2);
        maps.push_back(random() % 2 ? tall : b.transpose(b.concat({b.transpose(tall, {1, 0, 2, 3}), b.transpose(tall, {1, 0, 2, 3})}, 0), {1, 0, 2, 3}));
        break;
      }
      default: maps.push_back(b.softmax(v, random() % 2 ? 1 : 3)); break;
    }
  }
  b.output(maps.back(), "last");
  if (random() % 2) b.output(any(), "some");
  return std::move(b.graph);
}

// A tensor whose memory may be dense in either order, padded, mirrored, or one element repeated along an axis.
Tensor any_strides(const Dims& dims, std::mt19937_64& random) {
  switch (random() % 5) {
    case 0: return Tensor(dims, random);
    case 1: return Tensor(dims, random, channels_last(4));
    case 2: {
      Dims wide = dims;
      wide[3] += 3;
      Tensor t(wide, random);
      t.view.dims = dims;
      return t;
    }
    case 3: {
      Tensor t(dims, random);
      if (t.view.count() > 0) {
        t.view.data = t.memory.data() + (dims[2] - 1) * t.view.strides[2];
        t.view.strides[2] = -t.view.strides[2];
      }
      return t;
    }
    default: {
      Tensor t(dims, random);
      t.view.strides[1] = 0;
      return t;
    }
  }
}

TEST(Context, RandomGraphsGiveTheBitsOfANodeByNodeRun) {
  const char* given = std::getenv("ANYDIM_SEED");
  const uint64_t seed = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
  std::printf("[   SEED   ] ANYDIM_SEED=%llu\n", static_cast<unsigned long long>(seed));
  std::mt19937_64 random(seed);
  for (int g = 0; g < 80; ++g) {
    const Graph graph = random_graph(random);
    ModelOptions options;
    if (random() % 2) options.input_orders = {channels_last(4)};
    if (random() % 2) options.output_orders = {channels_last(4)};
    const ModelPtr model = compile(graph, options);
    ASSERT_TRUE(model);
    const Bounds bounds{{{{0, 2}, {4, 4}, {1, 9}, {1, 9}}}};
    ContextOptions how;
    if (random() % 2) how.bounds = &bounds;
    how.parallel = Parallel(1 + static_cast<int>(random() % 2));
    const auto context = context_of(model, how);
    for (int i = 0; i < 4; ++i) {
      const Dims dims{static_cast<int64_t>(random() % 3), 4, static_cast<int64_t>(1 + random() % 9), static_cast<int64_t>(1 + random() % 9)};
      const Tensor x = any_strides(dims, random);
      std::vector<TensorView> out(graph.outputs().size());
      const Status s = context->run({&x.view, 1}, out);
      ASSERT_TRUE(s.ok()) << "graph " << g << ": " << s.message();
      const auto expected = reference_run(graph, {&x.view, 1});
      for (size_t o = 0; o < out.size(); ++o)
        ASSERT_TRUE(same_bits(out[o], expected[o].view)) << "graph " << g << " output " << o << " at " << to_string(x.view.dims);
    }
  }
}

}  // namespace
}  // namespace anydim
