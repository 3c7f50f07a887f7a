// SPDX-License-Identifier: Apache-2.0
// Replaying one verbose line: equal bits are found equal, a difference is found and reported, and damaged lines are named.
#include "cli/replay_call.h"

#include <gtest/gtest.h>

#include <vector>

namespace anydim_cli {
namespace {

Engine engine() {
  Engine e;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, e.out()));
  return e;
}

// The line of a matmul [m, 64] x [64, 48] with dynamic m, as the library writes it; its kernel is the one that it chose.
std::string matmul_line(const Engine& e, int64_t m) {
  using Desc = Owned<anydim_desc_t, call<anydim_desc_t, anydim_desc_destroy>>;
  Desc a, b;
  const anydim_dim_t a_dims[] = {anydim_dim_dynamic(1, 4096), anydim_dim_fixed(64)},
                     b_dims[] = {anydim_dim_fixed(64), anydim_dim_fixed(48)};
  check(anydim_desc_create(ANYDIM_F32, 2, a_dims, ANYDIM_LAYOUT_STRIDED, a.out()));
  check(anydim_desc_create(ANYDIM_F32, 2, b_dims, ANYDIM_LAYOUT_STRIDED, b.out()));
  const anydim_desc_t descs[] = {a.get(), b.get()};
  anydim_matmul_t op = ANYDIM_MATMUL_INIT;
  Primitive p;
  check(anydim_primitive_create(e.get(), &op.op, nullptr, descs, 2, nullptr, p.out()));
  Stream s;
  check(anydim_stream_create(e.get(), nullptr, s.out()));
  std::vector<float> data(static_cast<size_t>(m + 64) * 64 + 48 * static_cast<size_t>(m));
  anydim_view_t inputs[2] = {}, outputs[1] = {};
  inputs[0].data = data.data();
  inputs[1].data = data.data() + m * 64;
  outputs[0].data = data.data() + m * 64 + 64 * 48;
  inputs[0].dtype = inputs[1].dtype = outputs[0].dtype = ANYDIM_F32;
  inputs[0].dims = {2, 0, {m, 64}};
  inputs[1].dims = {2, 0, {64, 48}};
  outputs[0].dims = {2, 0, {m, 48}};
  Text text;
  check(anydim_primitive_format_line(p.get(), s.get(), inputs, 2, outputs, 1, text.out()));
  return text_of(text);
}

ReplaySettings quick() {
  ReplaySettings s;
  s.repeat = 2;
  return s;
}

TEST(Replay, FindsTheChosenKernelEqualToTheReferenceAndReportsItsSpeed) {
  const Engine e = engine();
  const std::string line = matmul_line(e, 37);
  EXPECT_NE(line.find("in0=f32[37?1..4096,64]"), std::string::npos) << line;
  const ReplayResult r = replay_call(e.get(), line, quick());
  EXPECT_TRUE(r.checked);
  EXPECT_TRUE(r.equal) << r.difference;
  EXPECT_EQ(r.reference, "gemm.reference");
  EXPECT_NE(r.kernel, r.reference);
  EXPECT_GT(r.median_ns, 0);
  EXPECT_GT(r.gflops, 0);
}

// The comparison has something to find when the reference gets other data.
TEST(Replay, ReportsWhereTheFirstDifferenceIs) {
  const Engine e = engine();
  ReplaySettings s = quick();
  s.reference_seed = s.seed + 1;
  const ReplayResult r = replay_call(e.get(), matmul_line(e, 5), s);
  EXPECT_TRUE(r.checked);
  EXPECT_FALSE(r.equal);
  EXPECT_NE(r.difference.find("output 0 at [0,0]: 0x"), std::string::npos) << r.difference;
  EXPECT_NE(r.difference.find(" of 240 elements differ"), std::string::npos) << r.difference;
}

TEST(Replay, RunsStridedWeightedAndIntegerLines) {
  const Engine e = engine();
  const std::string tail = ",,math=strict reuse=auto threads=1,";
  const std::string lines[] = {
      // Channels last, packed weights with a bias, post-ops with and without a tensor.
      "anydim,v1,execute,cpu,conv,\"convolution strides=2,2 pads_begin=1,1 pads_end=1,1\",\"in0=f32[1,8,9?,11?2..40%1]@0,2,3,1 "
      "w1=f32[16,8,3,3] "
      "w2=f32[16] post0=f32[1,16,1,1] out0=f32[1,16,5,6]@0,2,3,1\",\"clip(-0.5,0.5) mul(t)\",math=strict reuse=auto "
      "threads=2,conv.reference,reusable,1,",
      // A view with gaps and one that walks backwards.
      "anydim,v1,execute,cpu,,unary function=relu,\"in0=f32[4,3]:-10,2 out0=f32[4,3]:7,1\"" + tail + "unary.reference,reusable,1,",
      // Indices must lie inside the table.
      "anydim,v1,execute,cpu,,gather axis=0,\"in0=f32[3,5] in1=i64[2,2] out0=f32[2,2,5]\"" + tail + "gather.reference,reusable,1,",
      // Divisors must not be 0.
      "anydim,v1,execute,cpu,,binary function=div,\"in0=i32[4,100] in1=i32[4,100] out0=i32[4,100]\"" + tail +
          "binary.reference,reusable,1,",
      // No input at all.
      "anydim,v1,execute,cpu,,\"range dtype=i64 start=3 delta=2 count=5\",out0=i64[5]" + tail + "range.reference,reusable,1,",
      // Nothing to compute.
      "anydim,v1,execute,cpu,,unary function=exp,\"in0=f32[0,3] out0=f32[0,3]\"" + tail + "unary.reference,reusable,1,",
  };
  for (const std::string& line : lines) {
    const ReplayResult r = replay_call(e.get(), line, quick());
    EXPECT_TRUE(r.checked && r.equal) << line << "\n" << r.difference;
  }
}

TEST(Replay, NamesTheFieldThatItCannotUse) {
  const Engine e = engine();
  const std::string good = matmul_line(e, 4);
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string line = good;
    const size_t at = line.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return line.replace(at, what.size(), by);
  };
  const struct {
    std::string line, reason;
  } cases[] = {
      {"", "expected `anydim`"},
      {with("v1", "v2"), "version: `v2`"},
      {with("execute", "create"), "event: `create`"},
      {with(",cpu,", ",gpu,"), "field engine"},
      {with("transpose_a=0", "transpose_a=7"), "attribute transpose_a"},
      {with("f32[4?", "f33[4?"), "`in0=f33[4?1..4096,64]`: it does not begin with an element type"},
      {with("in1=", "in2="), "has number 2; expected 1"},
      {with("out0=f32[4,48]", "out0=f32[4,48]@0,0"), "each axis once"},
      {with("out0=f32[4,48]", "out0=f32[4,49]"), "49"},
      {with("in0=f32[4?1..4096,64]", "in0=f32[4?8..4096,64]"), "at least 8"},
      {with("threads=", "threads=x"), "field attributes"},
      {with("math=strict", "math=loose"), "`math=loose`"},
      {with("\"in0", "\"\"in0"), "closing quotation mark"},
      {good.substr(0, good.size() / 2), "not closed"},
      {"anydim,v1,execute,cpu", "name is missing"},
  };
  for (const auto& c : cases) {
    try {
      replay_call(e.get(), c.line, quick());
      ADD_FAILURE() << "it ran: " << c.line;
    } catch (const Failure& f) {
      EXPECT_NE(std::string(f.what()).find(c.reason), std::string::npos) << c.line << "\n" << f.what();
    }
  }
}

TEST(Replay, RefusesAKernelThatTheRegistryLacksOrThatRefusesTheProblem) {
  const Engine e = engine();
  ReplaySettings s = quick();
  s.kernel = "gemm.magic";
  EXPECT_THROW(replay_call(e.get(), matmul_line(e, 4), s), Failure);
  s.kernel = "conv.reference";
  EXPECT_THROW(replay_call(e.get(), matmul_line(e, 4), s), Failure);
}

}  // namespace
}  // namespace anydim_cli
