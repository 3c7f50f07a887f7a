// SPDX-License-Identifier: Apache-2.0
// Casts and functions of two with scales, zero points and tables: every kernel has the reference's bits, and the reference what
// docs/numerics.md says, over every number of 8 bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "core/base/testing/random.h"
#include "core/dispatch/primitive/primitive.h"
#include "core/engines/cpu/engine.h"
#include "core/ops/quantization.h"
#include "core/ops/text.h"

namespace anydim {
namespace {

using testing::Random;
using From = Quantization::Factors::From;

struct Call {
  std::string op;
  Quantization q;
  PostOps chain;
  std::vector<HostTensor> in, chain_in, factors;

  std::vector<TensorView> views(const std::vector<HostTensor>& list) const {
    std::vector<TensorView> all;
    for (const HostTensor& t : list) all.push_back(t.view);
    return all;
  }
  Status make(const std::string& kernel, PrimitivePtr* out) const {
    OperatorPtr o;
    ANYDIM_TRY(parse_operator(op, &o));
    PrimitiveAttributes attributes;
    attributes.kernel = kernel;
    attributes.post_ops = chain;
    attributes.quantization = std::make_shared<const Quantization>(q);
    std::vector<TensorType> types;
    for (const HostTensor& t : in) {
      TensorType type{t.view.dtype, {}};
      for (const int64_t d : t.view.dims) type.dims.push_back(d);
      types.push_back(type);
    }
    return Primitive::create(cpu_engine(), o, {nullptr, types, {}}, attributes, nullptr, out);
  }
  // On an output with channels last, if it has four axes.
  std::string run(const std::string& kernel, int threads = 1) const {
    PrimitivePtr p;
    if (const Status s = make(kernel, &p); !s.ok()) return "refused: " + s.message();
    Dims dims;
    for (const Dim d : p->out()[0].dims) dims.push_back(d.number());
    HostTensor y;
    EXPECT_TRUE(HostTensor::allocate(p->out()[0].dtype, dims, &y).ok());
    HostTensor scratch;
    constexpr int64_t kScratch = 1 << 18;
    EXPECT_TRUE(HostTensor::allocate(DType::u8, {kScratch}, &scratch).ok());
    std::vector<TensorView> post = views(chain_in);
    for (const TensorView& t : views(factors)) post.push_back(t);
    const Status s = p->execute(views(in), post, {&y.view, 1}, scratch.view.data, kScratch, Parallel(threads));
    EXPECT_TRUE(s.ok()) << s.message();
    return {static_cast<const char*>(y.view.data), static_cast<size_t>(y.view.count() * dtype_size(y.view.dtype))};
  }
};

HostTensor drawn(DType t, const Dims& dims, Random& r) {
  HostTensor y;
  EXPECT_TRUE(HostTensor::allocate(t, dims, &y).ok());
  constexpr float kSpecial[] = {0.f, -0.f, INFINITY, -INFINITY, NAN, 0.5f, 1.5f, 2.5f, -0.5f, 1e30f, -1e30f, 0x1p-140f, 127.5f, -128.5f};
  for (int64_t i = 0; i < y.view.count(); ++i) {
    if (t == DType::f32) {
      y.view.as<float>()[i] = r.chance(0.2) ? kSpecial[r.integer(0, static_cast<int64_t>(std::size(kSpecial)) - 1)]
                                            : static_cast<float>(r.integer(-100000, 100000)) / 512;
    } else {
      for (int64_t b = 0; b < dtype_size(t); ++b)
        static_cast<uint8_t*>(y.view.data)[i * dtype_size(t) + b] = static_cast<uint8_t>(r.integer(0, 255));
    }
  }
  return y;
}

float low_of(DType t) { return t == DType::i8 ? -128.f : t == DType::i16 ? -32768.f : 0.f; }
float high_of(DType t) { return t == DType::i8 ? 127.f : t == DType::u8 ? 255.f : t == DType::i16 ? 32767.f : 65535.f; }

void factors(Call* c, int operand, DType t, int axis, int64_t count, Random& r, bool zero = true) {
  const auto n = static_cast<size_t>(axis < 0 ? 1 : count);
  std::vector<float> scales, zeros;
  constexpr float kScales[] = {1.f, 0.1f, 3.f, 0x1p-60f, 0x1p60f, 0.0123f};
  for (size_t i = 0; i < n; ++i) {
    scales.push_back(kScales[r.integer(0, 5)]);
    zeros.push_back(r.chance(0.3) ? low_of(t) : r.chance(0.3) ? high_of(t) : static_cast<float>(r.integer(0, 127)));
  }
  const bool comes = r.chance(0.3);  // with the call
  const auto give = [&](Quantization::Factors* f, const std::vector<float>& values, DType dtype) {
    f->axis = axis;
    f->from = comes ? From::operand : From::attribute;
    if (!comes) {
      f->values = values;
      return;
    }
    HostTensor tensor;
    ASSERT_TRUE(HostTensor::allocate(dtype, axis < 0 && r.flag() ? Dims{} : Dims{static_cast<int64_t>(n)}, &tensor).ok());
    for (size_t i = 0; i < n; ++i) {
      if (dtype == DType::f32) tensor.view.as<float>()[i] = r.chance(0.2) ? (r.flag() ? 0.f : INFINITY) : values[i];
      else if (dtype_size(dtype) == 1) tensor.view.as<uint8_t>()[i] = static_cast<uint8_t>(static_cast<int32_t>(values[i]));
      else tensor.view.as<uint16_t>()[i] = static_cast<uint16_t>(static_cast<int32_t>(values[i]));
    }
    c->factors.push_back(std::move(tensor));
  };
  if (r.chance(0.9)) give(&c->q.scale[operand], scales, DType::f32);
  if (zero && r.chance(0.7)) give(&c->q.zero_point[operand], zeros, t);
}

// A post-op or two behind a function of two; of a product, mostly an addend, as rows know it.
void add_something(Call* c, Random& r) {
  const Dims& dims = c->in[0].view.dims;
  Dims addend = dims;
  for (int d = 0; d < addend.rank; ++d)
    if (r.chance(0.3)) addend[d] = 1;
  c->chain.append({.kind = r.chance(0.9) ? PostOp::Kind::binary : PostOp::Kind::binary_reversed,
                   .binary = r.chance(0.9) ? BinaryFunction::add : BinaryFunction::sub});
  c->chain_in.push_back(drawn(DType::f32, addend, r));
  if (r.chance(0.2)) c->chain.append({.unary = UnaryFunction::relu});
}

void compare_kernels(const Call& c, const std::string& reference, Random& r, std::map<std::string, int>* compared) {
  PrimitivePtr p;
  const Status s = c.make({}, &p);
  ASSERT_TRUE(s.ok()) << c.op << " " << describe(c.q) << ": " << s.message();
  const std::string want = c.run(reference);
  for (const Candidate& candidate : p->candidates()) {
    const std::string name = candidate.kernel->name();
    if (!candidate.able || name == reference) continue;
    ++(*compared)[name];
    const std::string got = c.run(name, static_cast<int>(r.integer(1, 3)));
    if (got == want) continue;
    // Any NaN is equal to any other.
    ASSERT_EQ(p->out()[0].dtype, DType::f32) << name << ": " << c.op << " " << describe(c.q);
    ASSERT_EQ(got.size(), want.size());
    for (size_t i = 0; i < got.size(); i += 4) {
      float a, b;
      std::memcpy(&a, got.data() + i, 4);
      std::memcpy(&b, want.data() + i, 4);
      ASSERT_TRUE(std::memcmp(&a, &b, 4) == 0 || (std::isnan(a) && std::isnan(b)))
          << name << ": " << c.op << " " << describe(c.q) << " at " << i / 4;
    }
  }
}

TEST(Conversions, EveryKernelHasTheBitsOfTheReference) {
  Random r(7);
  constexpr DType kFrom[] = {DType::f32, DType::i8, DType::u8, DType::i16, DType::u16, DType::i32};
  constexpr DType kTo[] = {DType::f32, DType::i8, DType::u8, DType::i16, DType::u16, DType::i32};
  std::map<std::string, int> compared;
  for (int i = 0; i < 600 && !::testing::Test::HasFatalFailure(); ++i) {
    const DType from = kFrom[r.integer(0, 5)], to = kTo[r.integer(0, 5)];
    const Dims dims{r.integer(1, 3), r.integer(1, 40), r.integer(1, 300)};
    Call c;
    c.op = formatted("cast to={}", dtype_name(to));
    const bool apart = r.chance(0.4);  // elements of a row, as an input with channels last has them
    c.in = {drawn(from, apart ? Dims{dims[0], dims[2], dims[1]} : dims, r)};
    if (TensorView& v = c.in[0].view; apart) std::swap(v.dims[1], v.dims[2]), std::swap(v.strides[1], v.strides[2]);
    const int axis = static_cast<int>(r.integer(-1, 2));
    if (from != DType::f32) factors(&c, 0, from, axis, axis < 0 ? 1 : dims[axis], r, from != DType::i32);
    if (to != DType::f32 && to != DType::i32) factors(&c, 2, to, axis, axis < 0 ? 1 : dims[axis], r);
    compare_kernels(c, "cast.quantized.reference", r, &compared);
  }
  EXPECT_GT(compared["cast.quantized.portable"], 100);
}

TEST(Conversions, TablesAreLookedUp) {
  Random r(8);
  std::map<std::string, int> compared;
  for (int draw = 0; draw < 24; ++draw)
    for (const DType to : {DType::f32, DType::i8, DType::u8}) {
      Call c;
      c.op = formatted("cast to={}", dtype_name(to));
      c.in = {drawn(draw % 2 == 0 ? DType::i8 : DType::u8, {r.integer(1, 3), r.integer(1, 5), r.integer(1, 400)}, r)};
      // Parts of sixteen may be one number, or as those before.
      for (size_t i = 0; i < Quantization::kTable; ++i) {
        const bool copies = i > 0 && (draw % 3 == 0 ? (i / 16) % 3 != 1 : draw % 3 == 1 && r.chance(0.8));
        c.q.table.push_back(copies             ? c.q.table[i >= 16 && i / 16 % 2 == 0 ? i - 16 : i - 1]
                            : to == DType::f32 ? static_cast<float>(r.integer(-1000, 1000)) / 8
                                               : static_cast<float>(r.integer(to == DType::i8 ? -128 : 0, to == DType::i8 ? 127 : 255)));
      }
      compare_kernels(c, "cast.quantized.reference", r, &compared);
      const std::string got = c.run({});
      for (int64_t i = 0; i < c.in[0].view.count(); ++i) {
        const float want = c.q.table[c.in[0].view.as<uint8_t>()[i]];
        const char byte = got[static_cast<size_t>(i)];
        float f = to == DType::i8 ? static_cast<float>(static_cast<int8_t>(byte)) : static_cast<float>(static_cast<uint8_t>(byte));
        if (to == DType::f32) std::memcpy(&f, got.data() + 4 * i, 4);
        ASSERT_EQ(f, want);
      }
    }
  EXPECT_GT(compared["cast.quantized.portable"], 5);
}

TEST(Conversions, FunctionsOfTwoHaveTheBitsOfTheReference) {
  Random r(9);
  constexpr DType kTypes[] = {DType::f32, DType::i8, DType::u8};
  std::map<std::string, int> compared;
  for (const char* function : {"add", "sub", "mul", "div", "max", "min"})
    for (int i = 0; i < 60 && !::testing::Test::HasFatalFailure(); ++i) {
      const Dims dims{r.integer(0, 3), r.integer(1, 20), r.integer(1, 300)};
      const DType a = kTypes[r.integer(0, 2)], b = kTypes[r.integer(0, 2)];
      Call c;
      c.op = formatted("binary function={}", function);
      Dims other = dims;
      for (int d = 0; d < other.rank; ++d)
        if (r.chance(0.3)) other[d] = 1;
      c.in = {drawn(a, dims, r), drawn(b, other, r)};
      if (r.chance(0.2)) c.in[0].view.dims[2] = 1;  // its first column alone, in rows as far apart as before
      c.q.result = kTypes[r.integer(0, 2)];
      if (a != DType::f32) factors(&c, 0, a, -1, 1, r);
      if (b != DType::f32) factors(&c, 1, b, -1, 1, r);
      if (c.q.result != DType::f32) factors(&c, 2, c.q.result, -1, 1, r);
      if (r.chance(0.3)) add_something(&c, r);
      compare_kernels(c, "binary.quantized.reference", r, &compared);
    }
  EXPECT_GT(compared["binary.quantized.portable"], 100);
}

TEST(Conversions, RoundToEvenSaturateAndGiveZeroForNaN) {
  Random r(10);
  Call c;
  c.op = "cast to=u8";
  c.in = {drawn(DType::f32, {8}, r)};
  const float x[] = {0.5f, 1.5f, -3.f, 300.f, NAN, INFINITY, -INFINITY, 2.f};
  std::memcpy(c.in[0].view.data, x, sizeof x);
  c.q.scale[2] = {From::attribute, -1, {1.f}};
  c.q.zero_point[2] = {From::attribute, -1, {10.f}};
  const unsigned char want[] = {10, 12, 7, 255, 0, 255, 0, 12};
  EXPECT_EQ(c.run({}), std::string(reinterpret_cast<const char*>(want), sizeof want));
}

// Bounds of results that leave binary32 hold nothing: infinity over infinity is no number, infinity over a number saturates.
TEST(Conversions, ScalesBeyondBinary32HaveTheBitsOfTheReference) {
  Random r(12);
  std::map<std::string, int> compared;
  for (const float most : {0x1p60f, 0x1p64f})
    for (const float to : {0x1p97f, 0x1p100f, 0x1p127f})
      for (const char* op : {"binary function=mul", "binary function=add", "matmul",
                             "convolution strides=1,1 dilations=1,1 pads_begin=1,1 pads_end=1,1 group=40"}) {
        const std::string name = op;
        const bool matmul = name == "matmul", conv = name[0] == 'c';
        Call c;
        c.op = op;
        c.in = {drawn(DType::u8,
                      matmul ? Dims{5, 40}
                      : conv ? Dims{1, 40, 5, 9}
                             : Dims{3, 160},
                      r),
                drawn(conv || matmul ? DType::i8 : DType::u8,
                      matmul ? Dims{40, 50}
                      : conv ? Dims{40, 1, 3, 3}
                             : Dims{3, 160},
                      r)};
        c.q.result = DType::u8;
        for (int o = 0; o < 3; ++o) c.q.scale[o] = {From::attribute, -1, {o < 2 ? most : to}};
        compare_kernels(c,
                        matmul ? "gemm.quantized.reference"
                        : conv ? "conv.quantized.reference"
                               : "binary.quantized.reference",
                        r, &compared);
      }
  EXPECT_GT(compared["binary.quantized.portable"], 8);
  EXPECT_GT(compared["gemm.integers.portable"], 4);
}

TEST(Conversions, AreRefusedWithTheReason) {
  const auto refused = [](const char* op, const char* words, DType a, const char* why) {
    Random r(11);
    Call c;
    c.op = op;
    c.in = {drawn(a, {2, 3}, r)};
    if (std::string(op).substr(0, 6) == "binary") c.in.push_back(drawn(a, {2, 3}, r));
    ASSERT_TRUE(parse_quantization(words, &c.q).ok()) << words;
    PrimitivePtr p;
    const Status s = c.make({}, &p);
    EXPECT_FALSE(s.ok()) << op << " " << words;
    EXPECT_NE(s.message().find(why), std::string::npos) << s.message();
  };
  refused("cast to=f32", "q0=0.5/3", DType::i32, "input 0 has a zero point; its dtype is i32, expected i8, u8, i16 or u16");
  refused("cast to=f32", "q0=0.5/300", DType::u8, "a zero point of 300; expected 0 to 255");
  refused("cast to=f32", "q0=0.5/1.5", DType::u8, "a zero point of 1.5");
  refused("cast to=i64", "q0=0.5/3", DType::u8, "the result is i64");
  refused("cast to=u8", "result=i8 q2=0.5/3", DType::f32, "the result's dtype is i8; cast converts to u8");
  refused("cast to=u8", "table=1;2", DType::u8, "the table has 2 values; expected 256");
  refused("cast to=u8", "table=1;2", DType::f32, "input 0 has a table; its dtype is f32");
  refused("binary function=pow", "result=u8 q0=0.5/3", DType::u8, "function pow takes no scales");
  refused("binary function=add", "result=i32 q0=0.5/3", DType::u8, "the result is i32");
  refused("binary function=add", "result=u8 q0=0.5;1@1/-", DType::u8, "scales along an axis");
}

}  // namespace
}  // namespace anydim
