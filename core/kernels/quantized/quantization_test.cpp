// SPDX-License-Identifier: Apache-2.0
// Primitives with scales, zero points and results of another dtype: the bits of docs/numerics.md on every kernel, from files, on a
// device; what they refuse.
#include "core/ops/quantization.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <map>

#include "core/base/testing/random.h"
#include "core/dispatch/caches/primitive_cache.h"
#include "core/dispatch/testing/quantized.h"
#include "core/dispatch/weights/weights_file.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/testing/engine.h"

namespace anydim {
namespace {

using namespace testing::quantized;
using testing::Random;

TEST(Quantized, PrimitivesComputeWhatThePageSaysToTheBit) {
  Random r(1);
  for (int i = 0; i < 3000 && !::testing::Test::HasFailure(); ++i) {
    const Case c = draw(r);
    const HostTensor got = run(c), want = expected(c, result_of(c));
    ASSERT_EQ(got.view.dtype, want.view.dtype) << c.text;
    ASSERT_EQ(got.view.dims, want.view.dims) << c.text;
    ASSERT_EQ(bits_of(got), bits_of(want)) << c.text;
  }
}

TEST(Quantized, EveryKernelHasTheBitsOfTheReference) {
  Random r(5);
  std::map<std::string, int> compared;
  for (int i = 0; i < (emulates ? 300 : 900) && !::testing::Test::HasFailure(); ++i) {
    const Case c = draw(r, r.flag());
    PrimitivePtr p;
    ASSERT_TRUE(make(c, cpu_engine(), &p).ok()) << c.text;
    const std::string reference = std::string(c.op->kind() == OpKind::matmul        ? "gemm"
                                              : c.op->kind() == OpKind::convolution ? "conv"
                                                                                    : "conv_transpose") +
                                  ".quantized.reference";
    const HostTensor want = run(c, {}, reference);
    for (const Candidate& candidate : p->candidates()) {
      const std::string name = candidate.kernel->name();
      if (!candidate.able || name == reference) continue;
      ++compared[name];
      ASSERT_EQ(bits_of(run(c, {}, name, static_cast<int>(r.integer(1, 3)))), bits_of(want)) << name << ": " << c.text;
    }
  }
  const int often = emulates ? 5 : 30;
  for (const char* name : {"gemm.integers.portable", "conv.integers.portable", "conv_transpose.integers.portable"})
    EXPECT_GT(compared[name], often) << name;
  EXPECT_GT(compared["depthwise.integers.portable"], 0);
  if (cpu().usable.includes(Isa::avx2_vnni)) {
    for (const char* name : {"gemm.integers.avx2_vnni", "conv.integers.avx2_vnni"}) EXPECT_GT(compared[name], often) << name;
  }
  if (cpu().usable.includes(Isa::amx)) {
    for (const char* name : {"gemm.integers.amx", "conv.integers.amx"}) EXPECT_GT(compared[name], often) << name;
  }
}

// Scales that come with a call may be any float. Rows of several tiles and none, batches, results with scales along any axis.
TEST(Quantized, RowsOfAnyFactorsHaveTheReferencesBits) {
  Random r(34);
  std::map<std::string, int> compared;
  const float odd[] = {0.f, -0.f, INFINITY, -INFINITY, NAN, 0x1p99f, 0x1p-140f, -1.f, 1e-30f};
  for (int i = 0; i < 120 && !::testing::Test::HasFailure(); ++i) {
    Case c = draw(r, true);
    if (c.op->kind() != OpKind::matmul || !is_8_bit(c.in[0].view.dtype)) continue;
    size_t next = 0;
    for (int o = 0; o < Quantization::kOperands; ++o)
      for (const bool is_scale : {true, false}) {
        if ((is_scale ? c.q.scale[o] : c.q.zero_point[o]).from != From::operand) continue;
        const TensorView& t = c.factors[next++].view;
        for (int64_t k = 0; k < t.count(); ++k)
          if (r.chance(0.2)) set(t, k, is_scale ? odd[r.integer(0, std::size(odd) - 1)] : r.flag() ? low_of(t.dtype) : high_of(t.dtype));
      }
    PrimitivePtr p;
    ASSERT_TRUE(make(c, cpu_engine(), &p).ok()) << c.text;
    const HostTensor want = run(c, {}, "gemm.quantized.reference");
    // Which NaN a product of two gives is not said.
    const auto plain = [](const HostTensor& t) {
      for (int64_t k = 0; k < t.view.count() && t.view.dtype == DType::f32; ++k)
        if (std::isnan(t.view.as<float>()[k])) t.view.as<float>()[k] = NAN;
      return bits_of(t);
    };
    for (const Candidate& candidate : p->candidates()) {
      const std::string name = candidate.kernel->name();
      if (!candidate.able || name == "gemm.quantized.reference") continue;
      ++compared[name];
      ASSERT_EQ(plain(run(c, {}, name, static_cast<int>(r.integer(1, 3)))), plain(want)) << name << ": " << c.text;
    }
  }
  EXPECT_GT(compared["gemm.integers.portable"], 10);
}

// Scales and zero points, per tensor or axis, as attributes or with the calls, are said of the primitives: a file has constants alone.
TEST(Quantized, WeightsMappedFromAFileGiveTheSameBits) {
  std::string folder = (std::filesystem::temp_directory_path() / "anydim-quantized-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const std::string file = folder + "/w";
  Random r(3);
  int mapped = 0;
  for (int i = 0; i < 400 && !::testing::Test::HasFailure(); ++i) {
    Case c = draw(r);
    c.constant = true;
    if (c.in[1].view.count() == 0) continue;  // weights without elements are not saved
    ++mapped;
    ASSERT_EQ(bits_of(run(c, file)), bits_of(run(c))) << c.text;
  }
  EXPECT_GT(mapped, 300);

  Case c;
  ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
  c.in = {drawn(DType::f32, {40, 64}, r), drawn(DType::f32, {64, 48}, r)};
  WeightsPtr weights;
  ASSERT_TRUE(Weights::create(cpu_engine(), c.op, by_operand({&c.in[1].view, 1}), {}, &weights).ok());
  ASSERT_FALSE(weights->format().empty());
  ASSERT_TRUE(save_weights(*weights, file).ok());
  c.q.result = DType::i8;
  WeightsUse use;
  use.quantization = &c.q;
  const Status other = load_weights(cpu_engine(), c.op, use, file, &weights);
  EXPECT_EQ(other.code(), Code::unimplemented) << other.message();
  EXPECT_NE(other.message().find("reads '(not packed)': pack them again"), std::string::npos) << other.message();
  std::filesystem::remove_all(folder);
}

TEST(Quantized, SumsOfEightBitsAreExactWhereFloatsAreNot) {
  // 2^25 and one more, and a sum that wraps.
  for (const int64_t k : {int64_t{520}, int64_t{33025}, int64_t{40000}}) {
    Case c;
    c.op = OperatorPtr();
    ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
    c.in = {made(DType::u8, {1, k}), made(DType::u8, {k, 1})};
    for (int64_t i = 0; i < k; ++i) set(c.in[0].view, i, 255), set(c.in[1].view, i, i == 0 ? 254 : 255);
    c.q.result = DType::i32;
    const int64_t sum = 65025 * k - 255;
    EXPECT_EQ(run(c).view.as<int32_t>()[0], static_cast<int32_t>(static_cast<uint32_t>(sum)));
    if (sum > INT32_MAX) continue;
    c.q.result = DType::f32;
    EXPECT_EQ(run(c).view.as<float>()[0], static_cast<float>(sum)) << "rounded once";
  }
}

TEST(Quantized, StoresSaturateRoundToEvenAndGiveZeroForNaN) {
  Case c;
  ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
  const float inf = INFINITY, nan = NAN;
  const float values[] = {0.5f,    1.5f, 2.5f, -0.5f, -1.5f, 126.5f, 127.5f, 300.f, -128.5f,
                          -129.5f, inf,  -inf, nan,   1e30f, -1e30f, 0.25f,  -0.f};
  const int64_t count = std::size(values);
  c.in = {made(DType::f32, {count, 1}), made(DType::f32, {1, 1})};
  for (int64_t i = 0; i < count; ++i) set(c.in[0].view, i, 0), c.in[0].view.as<float>()[i] = values[i];
  set(c.in[1].view, 0, 1);
  const auto stored = [&](DType to, std::vector<float> zero, std::vector<float> scale) {
    c.q = {};
    c.q.result = to;
    if (!zero.empty()) c.q.zero_point[2] = {From::attribute, -1, zero};
    if (!scale.empty()) c.q.scale[2] = {From::attribute, -1, scale};
    const HostTensor y = run(c);
    std::vector<int> all;
    for (int64_t i = 0; i < count; ++i) all.push_back(static_cast<int>(element(y.view, i)));
    return all;
  };
  EXPECT_EQ(stored(DType::i8, {}, {}), (std::vector<int>{0, 2, 2, 0, -2, 126, 127, 127, -128, -128, 127, -128, 0, 127, -128, 0, 0}));
  EXPECT_EQ(stored(DType::u8, {}, {}), (std::vector<int>{0, 2, 2, 0, 0, 126, 128, 255, 0, 0, 255, 0, 0, 255, 0, 0, 0}));
  EXPECT_EQ(stored(DType::u8, {128}, {}), (std::vector<int>{128, 130, 130, 128, 126, 254, 255, 255, 0, 0, 255, 0, 0, 255, 0, 128, 128}));
  EXPECT_EQ(stored(DType::i8, {-3}, {0.5f}),
            (std::vector<int>{-2, 0, 2, -4, -6, 127, 127, 127, -128, -128, 127, -128, 0, 127, -128, -3, -3}));
  const std::vector<int> wide = stored(DType::i32, {}, {});
  EXPECT_EQ(wide[10], INT32_MAX);
  EXPECT_EQ(wide[11], INT32_MIN);
  EXPECT_EQ(wide[12], 0);
  EXPECT_EQ(wide[13], INT32_MAX);
  EXPECT_EQ(wide[14], INT32_MIN);
}

TEST(Quantized, ResultsOfSixteenBitsAreRoundedOnce) {
  Case c;
  ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
  c.in = {made(DType::f32, {1, 1}), made(DType::f32, {1, 1})};
  c.in[0].view.as<float>()[0] = 1.f + 0x1p-11f + 0x1p-20f;  // above the middle of two numbers of f16
  c.in[1].view.as<float>()[0] = 1.f;
  c.q.result = DType::f16;
  EXPECT_EQ(run(c).view.as<uint16_t>()[0], 0x3C01);
  c.q.result = DType::bf16;
  EXPECT_EQ(run(c).view.as<uint16_t>()[0], 0x3F80);
}

TEST(Quantized, ADeviceGivesTheSameBits) {
  const EnginePtr device = testing::TestEngine::create();
  Random r(2);
  for (int i = 0; i < 100 && !::testing::Test::HasFailure(); ++i) {
    const Case c = draw(r);
    PrimitivePtr p;
    Status s = make(c, device, &p);
    ASSERT_TRUE(s.ok()) << c.text << ": " << s.message();
    StreamPtr stream;
    ASSERT_TRUE(device->create_stream(1, &stream).ok());
    std::vector<MemoryPtr> memories;
    const auto place = [&](const TensorView& t, bool upload) -> PlacedTensor {
      MemoryPtr memory;
      const int64_t bytes = t.count() * dtype_size(t.dtype);
      EXPECT_TRUE(device->allocate(bytes, &memory).ok());
      HostMemory host(t.data, bytes);
      if (upload) {
        EXPECT_TRUE(stream->copy({memory.get(), 0}, {&host, 0}, bytes).ok() && stream->wait().ok());
      }
      memories.push_back(memory);
      TensorView view = t;
      view.data = nullptr;
      return {view, {memory.get(), 0}};
    };
    std::vector<PlacedTensor> in, post;
    std::vector<TensorView> views = c.inputs();
    if (c.constant) views.resize(1);
    for (const TensorView& t : views) in.push_back(place(t, true));
    for (const TensorView& t : c.post_inputs()) post.push_back(place(t, true));
    const HostTensor want = run(c);
    HostTensor got = made(want.view.dtype, want.view.dims);
    const PlacedTensor out = place(got.view, false);
    s = p->submit(*stream, in, post, {&out, 1}, {}, 0);
    ASSERT_TRUE(s.ok()) << c.text << ": " << s.message();
    const int64_t bytes = got.view.count() * dtype_size(got.view.dtype);
    HostMemory host(got.view.data, bytes);
    ASSERT_TRUE(stream->copy({&host, 0}, out.place, bytes).ok() && stream->wait().ok());
    ASSERT_EQ(bits_of(got), bits_of(want)) << c.text;
  }
}

TEST(Quantized, ExecutionsHoldScalesAgainstTheirAxes) {
  Case c;
  ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
  c.in = {made(DType::u8, {2, 3}), made(DType::i8, {3, 4})};
  for (HostTensor& t : c.in) std::memset(t.view.data, 1, static_cast<size_t>(t.view.count()));
  c.q.scale[1] = {From::operand, 1, {}};
  c.q.zero_point[0] = {From::operand, -1, {}};
  PrimitivePtr p;
  ASSERT_TRUE(make(c, cpu_engine(), &p).ok());
  HostTensor y = made(DType::f32, {2, 4});
  const std::vector<TensorView> in = c.inputs();
  const auto status = [&](std::vector<HostTensor> factors) {
    std::vector<TensorView> views;
    for (const HostTensor& t : factors) views.push_back(t.view);
    auto scratch = AlignedBuffer::allocate(1 << 20);
    EXPECT_TRUE(scratch.ok());
    return p->execute(in, views, {&y.view, 1}, scratch->data(), 1 << 20, Parallel(1));
  };
  const auto refused = [&](std::vector<HostTensor> factors, const char* why) {
    const Status s = status(std::move(factors));
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_NE(s.message().find(why), std::string::npos) << s.message();
  };
  Random r(3);
  const HostTensor zero = drawn(DType::u8, {1}, r);
  EXPECT_TRUE(status({zero, drawn(DType::f32, {4}, r)}).ok());
  EXPECT_TRUE(status({drawn(DType::u8, {}, r), drawn(DType::f32, {4}, r)}).ok());
  refused({zero, drawn(DType::f32, {3}, r)}, "the scale of input 1 has dims 3; expected [4], as long as its axis 1");
  refused({zero, drawn(DType::f32, {1, 4}, r)}, "expected [4]");
  refused({drawn(DType::u8, {2}, r), drawn(DType::f32, {4}, r)}, "the zero point of input 0 has dims 2; expected [1] or a scalar");
  refused({drawn(DType::i8, {1}, r), drawn(DType::f32, {4}, r)}, "dtype i8");
  refused({zero}, "1 post-op tensors");
  refused({}, "0 post-op tensors");

  c.q.scale[1] = {From::attribute, 1, {1, 2, 3}};
  ASSERT_TRUE(make(c, cpu_engine(), &p).ok()) << "an axis may be found out later";
  refused({zero}, "input 1 has 3 scales; axis 1 of it is 4 long");
}

TEST(Quantized, KernelsWithoutScalesAreRefusedAndSayWhy) {
  Case c;
  ASSERT_TRUE(parse_operator("matmul", &c.op).ok());
  c.in = {made(DType::f32, {2, 3}), made(DType::f32, {3, 4})};
  c.q.result = DType::i8;
  PrimitivePtr p;
  ASSERT_TRUE(make(c, cpu_engine(), &p).ok());
  EXPECT_EQ(std::string(p->kernel().name()), "gemm.quantized.reference");
  EXPECT_FALSE(p->kernel().key().isa == Isa::avx2);
  int refused = 0;
  for (const Candidate& candidate : p->candidates())
    refused += candidate.because != nullptr && std::string(candidate.because) == "it takes no scales, zero points or dtype of the result";
  EXPECT_GE(refused, 1);
  // And the other way round.
  PrimitiveAttributes plain;
  plain.kernel = "gemm.quantized.reference";
  const std::vector<TensorType> in = types_of(c.inputs());
  EXPECT_EQ(Primitive::create(cpu_engine(), c.op, {nullptr, in, {}}, plain, nullptr, &p).code(), Code::unimplemented);
}

TEST(Quantized, PrimitivesOfOtherScalesAreOthersInTheCacheAndEqualOnesOne) {
  PrimitiveCache cache(1 << 20);
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("matmul", &op).ok());
  TensorDescriptor a{DType::u8, {}};
  for (const int64_t d : {5, 5}) a.dims.push_back({d, {}});
  const TensorDescriptor* const in[] = {&a, &a};
  for (const char* words :
       {"q0=0.5/-", "q0=0.25/-", "q0=t/-", "q1=0.5/-", "q0=-/1", "q0=0.5/1", "result=i8 q0=0.5/-", "q0=0.5/-", "q0=t/-"}) {
    Quantization q;
    ASSERT_TRUE(parse_quantization(words, &q).ok());
    PrimitiveAttributes attributes;
    attributes.quantization = std::make_shared<const Quantization>(q);
    PrimitivePtr p;
    Creation how;
    const Status s = cache.create(cpu_engine(), op, in, attributes, nullptr, &p, &how);
    ASSERT_TRUE(s.ok()) << s.message();
    EXPECT_EQ(*p->attributes().quantization, q);
  }
  EXPECT_EQ(cache.figures().entries, 7);
  EXPECT_EQ(cache.figures().hits, 2);
}

}  // namespace
}  // namespace anydim
