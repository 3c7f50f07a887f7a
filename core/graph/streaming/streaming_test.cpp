// SPDX-License-Identifier: Apache-2.0
// Graphs by chunks: what a chunk makes computable, what is refused and why, and that chunks of any size have the bits of the whole.
#include "core/graph/streaming/streaming.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "core/base/memory/result_memory.h"
#include "core/base/testing/random.h"
#include "core/graph/streaming/time_lines.h"
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/pass_on_text.h"
#include "core/ops/operators/attention.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/reduce.h"
#include "core/run/context/copy_elements.h"
#include "core/run/streaming/streaming_context.h"

namespace anydim {
namespace {

using namespace testing;

struct Streamed {
  ProgramPtr whole;
  std::shared_ptr<StreamingSession> session;
  std::unique_ptr<Context> context;  // of the whole

  Streamed(ProgramPtr program, std::shared_ptr<StreamingSession> of)
      : whole(std::move(program)), session(std::move(of)), context(context_of(whole)) {}
  explicit Streamed(const Graph& graph, int axis = 2, int64_t most_chunk = 0, std::vector<StreamedAxis> axes = {}) {
    if (axes.empty()) axes.push_back({"x", axis});
    StreamingProgramPtr program;
    const Status s = compile_with_streams(graph, {}, {std::move(axes), most_chunk}, &whole, &program);
    EXPECT_TRUE(s.ok()) << s.message();
    if (!s.ok()) return;
    std::unique_ptr<StreamingSession> made;
    const Status t = StreamingSession::create(program, {}, 2, false, &made);
    EXPECT_TRUE(t.ok()) << t.message();
    session = std::move(made);
    context = context_of(whole);
  }
};

std::vector<float> elements(const TensorView& t) {
  std::vector<float> out(static_cast<size_t>(t.count()));
  const TensorView to{out.data(), t.dtype, t.dims, dense_strides(t.dims)};
  if (t.count() > 0) copy_elements(t, to);
  return out;
}

// Elements [first, first + count) along the axis.
TensorView part(TensorView t, int axis, int64_t first, int64_t count) {
  t.data = t.as<float>() + first * t.strides[axis];
  t.dims[axis] = count;
  return t;
}

// All outputs along `out_axis` of the chunks one behind the other, as bits; they are the whole's.
void expect_whole(Streamed& s, StreamingContext& stream, const Tensor& x, int axis, int out_axis, std::span<const int64_t> chunks) {
  TensorView whole{};
  const Status run = s.context->run({&x.view, 1}, {&whole, 1});
  ASSERT_TRUE(run.ok()) << run.message();
  std::vector<float> memory(static_cast<size_t>(whole.count()));
  TensorView all{memory.data(), DType::f32, whole.dims, dense_strides(whole.dims)};
  int64_t at = 0, made = 0;
  for (size_t i = 0; i < chunks.size(); ++i) {
    const TensorView chunk = part(x.view, axis, at, chunks[i]);
    TensorView y{nullptr, DType::f32};
    const Status pushed = stream.push({&chunk, 1}, i + 1 == chunks.size(), {&y, 1}, {});
    ASSERT_TRUE(pushed.ok()) << pushed.message();
    ASSERT_LE(made + y.dims[out_axis], whole.dims[out_axis]);
    if (y.count() > 0) copy_elements(y, part(all, out_axis, made, y.dims[out_axis]));
    ResultMemory::instance().free(y.data);
    at += chunks[i];
    made += y.dims[out_axis];
  }
  ASSERT_EQ(made, whole.dims[out_axis]);
  const std::vector<float> expected = elements(whole);
  EXPECT_EQ(std::memcmp(expected.data(), memory.data(), expected.size() * sizeof(float)), 0);
}

// A sequence of `length` in chunks of 0, 1, a prime, much at once, or drawn ones; the last is where it ends.
std::vector<int64_t> cut(int64_t length, Random& random) {
  const int64_t kind = random.integer(0, 4);
  std::vector<int64_t> chunks;
  while (length > 0) {
    const int64_t wanted = kind == 0 ? 1 : kind == 1 ? 7 : kind == 2 ? 64 : kind == 3 ? random.integer(0, 3) : random.integer(0, length);
    chunks.push_back(std::min(wanted, length));
    length -= chunks.back();
  }
  if (chunks.empty() || random.flag()) chunks.push_back(0);
  return chunks;
}

// --- time lines ----------------------------------------------------------------------------------------------------------

TEST(TimeLine, AWindowHasAsManyResultsAsHaveAllTheirTaps) {
  Random random(1);
  for (int round = 0; round < 2000; ++round) {
    TimeLine line{.kind = TimeLine::Kind::window, .sources = {0}};
    line.extent = random.integer(1, 9);
    line.stride = random.integer(1, 5);
    line.before = random.integer(0, 9);
    line.after = random.integer(0, 9);
    const int64_t come = random.integer(0, 40);
    int64_t made = 0;
    while (made * line.stride - line.before + line.extent <= come) ++made;
    const int64_t lengths[] = {come};
    EXPECT_EQ(line.so_far(lengths), made) << line.extent << " " << line.stride << " " << line.before << " " << come;
    int64_t at_end = 0;
    while (at_end * line.stride - line.before + line.extent <= come + line.after) ++at_end;
    EXPECT_EQ(line.at_end(lengths), at_end);
    EXPECT_LE(line.needed(made), std::max<int64_t>(made * line.stride - line.before, 0)) << "nothing that is read later is dropped";
    EXPECT_EQ(line.needed(made) % line.stride, 0) << "or results would begin between two";
  }
}

TEST(TimeLine, ATransposedWindowHasTheResultsThatNothingNewReaches) {
  Random random(2);
  for (int round = 0; round < 2000; ++round) {
    TimeLine line{.kind = TimeLine::Kind::transposed, .sources = {0}};
    line.stride = random.integer(1, 5);
    line.extent = line.stride + random.integer(0, 6);
    line.before = random.integer(0, 4);
    line.after = random.integer(-1, 4);
    const int64_t come = random.integer(1, 30);
    const int64_t lengths[] = {come};
    int64_t made = 0;  // element o is reached from input i if 0 <= o + before - i * stride < extent
    while (made + line.before < come * line.stride && made < line.at_end(lengths)) ++made;
    EXPECT_EQ(line.so_far(lengths), made);
    const int64_t first = line.needed(made);
    EXPECT_TRUE(first == 0 || made + line.before - (first - 1) * line.stride >= line.extent) << "what is dropped reaches no later one";
  }
}

TEST(TimeLines, WhatReadsOneOfEachIsAsFarAsTheLast) {
  TimeLines lines;
  const auto conv = [&](int32_t from, int64_t extent) {
    return lines.add({.kind = TimeLine::Kind::window, .sources = {from}, .extent = extent, .before = extent / 2, .after = extent / 2});
  };
  const int32_t short_one = conv(0, 3), long_one = conv(conv(0, 3), 5);
  bool ok = false;
  EXPECT_EQ(lines.join({0, short_one}, "add", &ok), short_one);
  EXPECT_EQ(lines.join({short_one, long_one}, "add", &ok), long_one);
  EXPECT_TRUE(ok);
  EXPECT_TRUE(lines.same(conv(conv(0, 3), 3), conv(0, 5))) << "both are two behind";
  const int32_t half = lines.add({.kind = TimeLine::Kind::window, .sources = {0}, .stride = 2});
  lines.join({0, half}, "add", &ok);
  EXPECT_FALSE(ok) << "one of two elements";
}

// --- what is refused -----------------------------------------------------------------------------------------------------

std::string refusal(const Graph& graph, int axis = 2) {
  ProgramPtr whole;
  StreamingProgramPtr program;
  const Status s = compile_with_streams(graph, {}, {{{"x", axis}}, 0}, &whole, &program);
  EXPECT_EQ(s.code(), Code::unimplemented) << s.message();
  return s.message();
}

TEST(Streaming, AllNodesThatNeedTheWholeAxisAreNamedWithTheReason) {
  Builder b;
  const ValueId x = b.input("x", {1, 3, -1, 8});
  const ValueId stem = b.conv(x, 4, 3);
  b.output(b.global_average(stem), "mean");
  b.output(b.softmax(stem, 2), "softmax");
  b.output(b.relu(stem), "fine");
  const int64_t axes[] = {2};
  b.output(b.add(Reduce::make(ReduceKind::max, axes, true), {stem}), "max");
  const std::string all = refusal(b.graph);
  for (const char* wanted : {"pools over the whole axis", "is a softmax over the whole axis", "reduces the whole axis"})
    EXPECT_NE(all.find(wanted), std::string::npos) << all;
  EXPECT_EQ(all.find("relu"), std::string::npos) << all;
}

TEST(Streaming, AReshapeThatMixesTheAxisWithOthersIsRefused) {
  Builder b;
  const ValueId x = b.input("x", {1, 3, -1, 8});
  const SymDims d = b.dims(x);
  b.output(b.reshape(x, {3, b.graph.dims.mul(d[2], 8)}));
  EXPECT_NE(refusal(b.graph).find("mixes the axis with others"), std::string::npos);
}

TEST(Streaming, AnAxisOfFixedSizeOrThatIsNotThereIsRefused) {
  Builder b;
  const ValueId x = b.input("x", {1, 3, -1, 8});
  b.output(b.relu(x));
  for (const auto& [input, axis, code, text] : {std::tuple("x", 3, Code::invalid_argument, "dim 3 of input 'x' is 8 in the model"),
                                                {"x", 4, Code::invalid_argument, "axis of input 'x' is 4; expected 0 to 3"},
                                                {"z", 0, Code::not_found, "the model has no input 'z'"}}) {
    ProgramPtr whole;
    StreamingProgramPtr program;
    const Status s = compile_with_streams(b.graph, {}, {{{input, axis}}, 0}, &whole, &program);
    EXPECT_EQ(s.code(), code);
    EXPECT_NE(s.message().find(text), std::string::npos) << s.message();
  }
}

// --- bits ----------------------------------------------------------------------------------------------------------------

// Rows of a map: strides, a residual sum, pooling, interpolation, a softmax over channels.
Graph rows(uint64_t seed) {
  Builder b(seed);
  const ValueId x = b.input("x", {-2, 3, -1, 6});
  const ValueId stem = b.relu(b.conv(x, 8, 3, 2));
  const ValueId sum = b.plus(stem, b.unary(UnaryFunction::silu, b.conv(b.conv(stem, 8, 3), 8, 5)));
  const ValueId pooled = b.max_pool(sum, 3, 1);
  const ValueId up = b.enlarge(b.conv(b.concat({pooled, sum}, 1), 4, 1), 2);
  b.output(b.softmax(b.conv(up, 4, 3), 1));
  return std::move(b.graph);
}

TEST(Streaming, RowsByChunksHaveTheBitsOfTheWhole) {
  Random random(3);
  for (const int64_t most : {0, 9}) {
    Streamed s(rows(5), 2, most);
    ASSERT_NE(s.session, nullptr);
    StreamingContext stream(s.session);
    for (int round = 0; round < 40; ++round) {
      const int64_t length = random.integer(0, 50);
      const Tensor x({random.integer(1, 2), 3, length, 6}, random.engine(), random.flag() ? Perm{} : channels_last(4));
      std::vector<int64_t> chunks;
      for (int64_t n : cut(length, random)) {
        for (; most > 0 && n > most; n -= most) chunks.push_back(most);
        chunks.push_back(n);
      }
      ASSERT_TRUE(stream.reset().ok());
      expect_whole(s, stream, x, 2, 2, chunks);
      if (HasFatalFailure()) return;
    }
    int64_t needed = 0;
    EXPECT_FALSE(s.session->bytes_needed(1, &needed).ok()) << "the batch has no bound";
  }
}

TEST(Streaming, AttentionWithAWindowHasTheBitsOfTheWhole) {
  Graph g;
  const DeclaredDim dims[] = {{2, ""}, {2, ""}, {-1, "t"}, {8, ""}};
  const ValueId x = g.add_input("x", DType::f32, dims);
  Attention::Attributes at;
  at.scale = 0.5f;
  at.left_window = 5;
  at.right_window = 2;
  ValueId y = *g.add(*Attention::make(at), {x, x, x}, "first");
  at.right_window = -1;
  at.causal = true;
  at.left_window = 300;
  y = *g.add(*Attention::make(at), {y, x, y}, "second");
  g.add_output(y, "y");
  Random random(4);
  Streamed s(g);
  ASSERT_NE(s.session, nullptr);
  StreamingContext stream(s.session);
  for (int round = 0; round < 30; ++round) {
    const int64_t length = round == 0 ? 700 : random.integer(1, 90);
    const Tensor x_of_run({2, 2, length, 8}, random.engine());
    ASSERT_TRUE(stream.reset().ok());
    expect_whole(s, stream, x_of_run, 2, 2, cut(length, random));
    if (HasFatalFailure()) return;
  }
}

TEST(Streaming, AttentionWithoutAWindowIsRefused) {
  Graph g;
  const DeclaredDim dims[] = {{2, ""}, {2, ""}, {-1, "t"}, {8, ""}};
  const ValueId x = g.add_input("x", DType::f32, dims);
  Attention::Attributes at;
  at.causal = true;
  g.add_output(*g.add(*Attention::make(at), {x, x, x}, "attention"), "y");
  EXPECT_NE(refusal(g).find("node 'attention (attention)' sees all elements of the axis before a query"), std::string::npos) << refusal(g);
}

// --- runs ----------------------------------------------------------------------------------------------------------------

Graph bounded_rows() {
  Builder b(7);
  const ValueId x = b.input("x", {1, 3, -1, 6});
  b.output(b.conv(b.relu(b.conv(x, 8, 3, 2)), 4, 5));
  return std::move(b.graph);
}

TEST(Streaming, WithALargestChunkMemoryIsKnownBeforeAndNeverGrows) {
  Streamed s(bounded_rows(), 2, 16);
  ASSERT_NE(s.session, nullptr);
  int64_t needed = 0;
  const Status known = s.session->bytes_needed(1, &needed);
  ASSERT_TRUE(known.ok()) << known.message();
  StreamingContext stream(s.session);
  Random random(5);
  for (int round = 0; round < 30; ++round) {
    const int64_t length = random.integer(0, 90);
    const Tensor x({1, 3, length, 6}, random.engine());
    std::vector<int64_t> chunks;
    for (int64_t left = length; left > 0; left -= chunks.back()) chunks.push_back(std::min(left, random.integer(0, 16)));
    chunks.push_back(0);
    ASSERT_TRUE(stream.reset().ok());
    expect_whole(s, stream, x, 2, 2, chunks);
    if (HasFatalFailure()) return;
    const PoolFigures f = s.session->figures();
    EXPECT_EQ(f.growths, 0);
    EXPECT_LE(f.arena_bytes + stream.figures().bytes, needed + 2 * 4096) << "whole pages";
  }
  const Tensor x({1, 3, 17, 6}, random.engine());
  TensorView y{nullptr, DType::f32};
  ASSERT_TRUE(stream.reset().ok());
  const Status large = stream.push({&x.view, 1}, false, {&y, 1}, {});
  EXPECT_EQ(large.code(), Code::out_of_bounds);
  EXPECT_NE(large.message().find("input 'x' has 17 new elements along axis 2; a chunk has 16 at most"), std::string::npos)
      << large.message();
}

TEST(Streaming, ARunThatIsCancelledLeavesTheSequenceAsItWas) {
  Streamed s(rows(9));
  ASSERT_NE(s.session, nullptr);
  StreamingContext stream(s.session);
  Random random(6);
  const Tensor x({1, 3, 40, 6}, random.engine());
  TensorView y{nullptr, DType::f32};
  const int32_t stop = 1;
  RunCall cancelled;
  cancelled.stop = &stop;
  for (int round = 0; round < 2; ++round) {
    ASSERT_TRUE(stream.reset().ok());
    const TensorView chunk = part(x.view, 2, 0, 11);
    EXPECT_EQ(stream.push({&chunk, 1}, round == 1, {&y, 1}, cancelled).code(), Code::cancelled);
    EXPECT_EQ(stream.figures().received, 0);
    const int64_t chunks[] = {11, 0, 20, 9};
    expect_whole(s, stream, x, 2, 2, chunks);
    const TensorView more = part(x.view, 2, 0, 1);
    const Status ended = stream.push({&more, 1}, false, {&y, 1}, {});
    EXPECT_EQ(ended.code(), Code::invalid_argument);
    EXPECT_NE(ended.message().find("the stream has ended"), std::string::npos);
  }
}

TEST(Streaming, AChunkWhoseOtherDimsDifferIsRefused) {
  Streamed s(rows(9));
  ASSERT_NE(s.session, nullptr);
  StreamingContext stream(s.session);
  Random random(8);
  const Tensor one({1, 3, 12, 6}, random.engine()), two({2, 3, 12, 6}, random.engine());
  TensorView y{nullptr, DType::f32};
  ASSERT_TRUE(stream.push({&one.view, 1}, false, {&y, 1}, {}).ok());
  ResultMemory::instance().free(y.data);
  y = {nullptr, DType::f32};
  EXPECT_EQ(stream.push({&two.view, 1}, false, {&y, 1}, {}).code(), Code::invalid_argument);
  EXPECT_EQ(stream.figures().received, 12);
}

TEST(Streaming, SequencesOfOneModelRunBesideEachOther) {
  Streamed s(rows(11));
  ASSERT_NE(s.session, nullptr);
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < 3; ++t)
    threads.emplace_back([&, t] {
      Random random(20 + t);
      Streamed mine(s.whole, s.session);
      StreamingContext stream(s.session);
      for (int round = 0; round < 6; ++round) {
        const Tensor x({1, 3, 30, 6}, random.engine());
        ASSERT_TRUE(stream.reset().ok());
        expect_whole(mine, stream, x, 2, 2, cut(30, random));
      }
    });
  for (std::thread& t : threads) t.join();
}

TEST(Streaming, WeightsAreHeldOnceForTheWholeAndItsChunks) {
  Builder b(3);
  const ValueId x = b.input("x", {1, 64, -1, 6});
  b.output(b.conv(b.conv(x, 64, 3), 64, 3));
  ProgramPtr alone;
  ASSERT_TRUE(compile(b.graph, {}, &alone).ok());
  Streamed s(b.graph);
  ASSERT_NE(s.session, nullptr);
  const StreamingProgram& p = s.session->program();
  ASSERT_GT(alone->packed_counts.weights, 0);
  EXPECT_EQ(s.whole->packed_counts.weights, alone->packed_counts.weights);
  for (const Program* chunk : {p.edges.get(), p.between.get()}) {
    EXPECT_EQ(chunk->packed_counts.weights, 0) << "nothing is packed again, though chunks have other padding";
    EXPECT_LT(chunk->weight_bytes, 4096);
  }
}

}  // namespace
}  // namespace anydim
