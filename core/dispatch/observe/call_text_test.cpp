// SPDX-License-Identifier: Apache-2.0
// Verbose lines: what is written is read back, whatever the tensors, names and attributes are; damage is refused or harmless.
// That every operator's text reads back is core/ops/text_test.cpp's.
#include "core/dispatch/observe/call_text.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "core/base/testing/random.h"

namespace anydim {
namespace {

using testing::Random;

TensorText drawn_tensor(Random& d) {
  TensorText t;
  t.dtype = static_cast<DType>(d.integer(1, static_cast<int>(DType::boolean)));
  for (int64_t n = d.integer(0, kMaxRank); n > 0; --n) t.dims.push_back(d.integer(0, 3) == 0 ? d.integer(0, 1) : d.integer(2, 1000));
  const int rank = t.dims.rank;
  Perm order;
  for (int i = 0; i < rank; ++i) order.insert(static_cast<int>(d.integer(0, i)), i);
  t.strides = dense_strides(t.dims, order);
  if (d.integer(0, 3) == 0)
    for (int i = 0; i < rank; ++i) t.strides[i] = d.integer(-5000, 5000);
  for (int i = 0; i < rank; ++i) {
    if (!(t.dynamic[i] = d.integer(0, 2) == 0)) continue;
    DimPromise& p = t.promises[i];
    if (d.flag()) p.min = d.integer(0, 9);
    if (d.flag()) p.max = d.integer(1000, 5000);
    if (d.flag()) p.multiple_of = d.integer(1, 32);
    if (d.flag()) p.hint = d.integer(0, 1000);
  }
  return t;
}

CallText roll(Random& d) {
  CallText c;
  const char* names[] = {"", "conv_1 (Conv)", "a,b", "say \"x\"", "line\nbreak\ttab\\", "\xC3\xA9\xFF", ",", "\""};
  c.name = names[d.integer(0, std::size(names) - 1)];
  c.op = d.flag() ? "binary function=add" : "topk axis=1 k=3 largest=1 sorted=1";
  const size_t outputs = c.op[0] == 'b' ? 1 : 2;
  for (int64_t n = d.integer(0, 5); n > 0; --n) {
    c.in.push_back(d.integer(0, 4) == 0 ? TensorText{} : drawn_tensor(d));
    if (c.in.size() > 1 && c.in.back().dtype != DType::none) c.in.back().weights = d.flag();
  }
  for (int64_t n = d.integer(0, 4); n > 0; --n) {
    PostOp p;
    p.kind = d.flag() ? PostOp::Kind::unary : PostOp::Kind::binary;
    if (!p.takes_tensor()) p.unary = UnaryFunction::clip, p.beta = 6.f;
    c.post_ops.append(p);
    if (p.takes_tensor()) c.post_in.push_back(drawn_tensor(d));
  }
  for (size_t i = 0; i < outputs; ++i) c.out.push_back(drawn_tensor(d));
  if (d.flag()) {
    Quantization q;
    const auto factors = [&d](Quantization::Factors* f) {
      f->from = static_cast<Quantization::Factors::From>(d.integer(0, 2));
      if (!f->present()) return;
      if (d.flag()) f->axis = static_cast<int32_t>(d.integer(0, kMaxRank - 1));
      for (int64_t n = f->from == Quantization::Factors::From::attribute ? d.integer(1, 5) : 0; n > 0; --n) f->values.push_back(d.normal());
    };
    for (int o = 0; o < Quantization::kOperands; ++o) factors(&q.scale[o]), factors(&q.zero_point[o]);
    if (d.flag()) q.result = static_cast<DType>(d.integer(1, static_cast<int>(DType::boolean)));
    for (int n = q.tensor_count(); n > 0; --n) c.post_in.push_back(drawn_tensor(d));
    if (!(q == Quantization())) c.quantization = std::make_shared<const Quantization>(q);
  }
  c.mode = static_cast<MathMode>(d.integer(1, 3));
  c.reuse = static_cast<ReusePolicy>(d.integer(1, 4));
  c.threads = static_cast<int>(d.integer(1, 64));
  c.kernel = "binary.avx2";
  c.tier = "reusable";
  c.microseconds = static_cast<double>(d.integer(0, 1 << 30)) / 1000;
  if (d.flag()) c.more = "scratch=4096";
  return c;
}

void expect_equal(const TensorText& a, const TensorText& b, const std::string& line) {
  ASSERT_EQ(a.dtype, b.dtype) << line;
  if (a.dtype == DType::none) return;
  ASSERT_EQ(a.weights, b.weights) << line;
  ASSERT_EQ(a.dims, b.dims) << line;
  ASSERT_EQ(a.strides, b.strides) << line;
  for (int i = 0; i < a.dims.rank; ++i) {
    ASSERT_EQ(a.dynamic[i], b.dynamic[i]) << line;
    const DimPromise &p = a.promises[i], &q = b.promises[i];
    ASSERT_TRUE(p.min == q.min && p.max == q.max && p.hint == q.hint && p.multiple_of == q.multiple_of) << line;
  }
}

TEST(CallText, IsReadBackWithEveryTensorAsItWas) {
  Random dice(1);
  for (int i = 0; i < 5000; ++i) {
    const CallText c = roll(dice);
    const std::string line = write_call(c);
    ASSERT_EQ(line.find('\n'), std::string::npos);
    CallText back;
    const Status s = parse_call(line, &back);
    ASSERT_TRUE(s.ok()) << line << "\n" << s.message();
    ASSERT_EQ(write_call(back), line);
    ASSERT_EQ(back.name, c.name);
    ASSERT_EQ(back.op, c.op);
    ASSERT_EQ(back.post_ops, c.post_ops);
    ASSERT_EQ(back.in.size(), c.in.size());
    for (size_t k = 0; k < c.in.size(); ++k) expect_equal(c.in[k], back.in[k], line);
    for (size_t k = 0; k < c.post_in.size(); ++k) expect_equal(c.post_in[k], back.post_in[k], line);
    for (size_t k = 0; k < c.out.size(); ++k) expect_equal(c.out[k], back.out[k], line);
    ASSERT_TRUE(back.mode == c.mode && back.reuse == c.reuse && back.threads == c.threads);
    ASSERT_DOUBLE_EQ(back.microseconds, c.microseconds);
    ASSERT_EQ(back.more, c.more);
    ASSERT_EQ(back.quantization != nullptr, c.quantization != nullptr) << line;
    if (c.quantization) {
      ASSERT_EQ(*back.quantization, *c.quantization) << line;
    }
  }
}

TEST(CallText, IsTheLineThatTheManualShows) {
  CallText c;
  c.name = "Conv.0";
  c.op = "convolution auto_pad=explicit strides=2,2 dilations=1,1 pads_begin=1,1 pads_end=1,1 group=1";
  TensorText src, w, out;
  src.dtype = w.dtype = out.dtype = DType::f32;
  src.dims = {1, 3, 48, 320};
  src.strides = dense_strides(src.dims, channels_last(4));
  src.dynamic[3] = true;
  src.promises[3].max = 1200;
  w.dims = {16, 3, 3, 3};
  w.strides = dense_strides(w.dims);
  w.weights = true;
  out.dims = {1, 16, 24, 160};
  out.strides = dense_strides(out.dims, channels_last(4));
  c.in = {src, w};
  c.out = {out};
  PostOp p;
  p.unary = UnaryFunction::hard_swish;
  c.post_ops.append(p);
  c.threads = 2;
  c.kernel = "conv.tiles.avx512";
  c.tier = "reusable";
  c.microseconds = 41.25;
  c.more = "scratch=0";
  EXPECT_EQ(write_call(c),
            "anydim,v1,execute,cpu,Conv.0,\"convolution auto_pad=explicit strides=2,2 dilations=1,1 pads_begin=1,1 pads_end=1,1 group=1\","
            "\"in0=f32[1,3,48,320?0..1200]@0,2,3,1 w1=f32[16,3,3,3] out0=f32[1,16,24,160]@0,2,3,1\",hard_swish,"
            "math=strict reuse=auto threads=2,conv.tiles.avx512,reusable,41.250,scratch=0");
}

TEST(CallText, DamagedLinesAreRefusedOrReadBackAsWhatTheySay) {
  Random dice(2);
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string line = write_call(roll(dice));
    for (int64_t n = dice.integer(1, 3); n > 0; --n)
      line[static_cast<size_t>(dice.integer(0, static_cast<int64_t>(line.size()) - 1))] = static_cast<char>(dice.integer(0, 255));
    if (dice.integer(0, 3) == 0) line.resize(static_cast<size_t>(dice.integer(0, static_cast<int64_t>(line.size()))));
    CallText back, again;
    const Status s = parse_call(line, &back);
    if (!s.ok()) {
      ++refused;
      ASSERT_FALSE(s.message().empty());
      continue;
    }
    ASSERT_TRUE(parse_call(write_call(back), &again).ok()) << line;
    ASSERT_EQ(write_call(again), write_call(back)) << line;
  }
  EXPECT_GT(refused, 10000);
}

}  // namespace
}  // namespace anydim
