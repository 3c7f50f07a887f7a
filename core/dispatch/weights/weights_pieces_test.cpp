// SPDX-License-Identifier: Apache-2.0
// Large weights are packed in pieces, on several threads, from bytes at any address, while somebody reads along: the packed bytes
// are those of a kernel that knows nothing of it.
#include <algorithm>

#include "core/dispatch/testing/packed_weights.h"

namespace anydim {
namespace {

// Weights of more than one piece (256 KiB), in every order of their axes.
std::vector<WeightsCase> large_cases() {
  Matmul::Attributes plain, turned, batched;
  turned.transpose_b = true;
  Convolution::Attributes conv;
  conv.spatial = 2;
  Convolution::Attributes grouped = conv;
  grouped.group = 2;
  ConvTranspose::Attributes transposed;
  transposed.spatial = 2;
  for (int i = 0; i < 2; ++i) transposed.strides[i] = 3;  // a kernel of 4 overlaps itself: no small patch
  ConvTranspose::Attributes transposed_groups = transposed;
  transposed_groups.group = 2;
  return {{"matmul", *Matmul::make(plain), {517, 999}, {999}, {3, 517}},
          {"matmul.transposed", *Matmul::make(turned), {999, 517}, {999}, {3, 517}},
          {"matmul.batched", *Matmul::make(plain), {3, 410, 333}, {333}, {3, 2, 410}},
          {"matmul.batched.transposed", *Matmul::make(turned), {3, 333, 410}, {333}, {3, 2, 410}},
          {"convolution", *Convolution::make(conv), {259, 131, 3, 3}, {259}, {1, 131, 4, 4}},
          {"convolution.groups", *Convolution::make(grouped), {260, 65, 3, 3}, {260}, {1, 130, 4, 4}},
          {"convolution.transposed", *ConvTranspose::make(transposed), {150, 77, 4, 4}, {77}, {1, 150, 2, 2}},
          {"convolution.transposed.groups", *ConvTranspose::make(transposed_groups), {150, 77, 4, 4}, {154}, {1, 150, 2, 2}}};
}

// Who reads along.
struct Reader {
  const std::byte* begin = nullptr;
  int64_t read = 0, done = 0;
  bool in_order = true;
  static void on_read(void* self, const std::byte* at, int64_t bytes) {
    auto* me = static_cast<Reader*>(self);
    me->in_order &= at == me->begin + me->read && bytes > 0;
    me->read += bytes;
  }
  static void on_done(void* self, const std::byte* at, int64_t bytes) {
    auto* me = static_cast<Reader*>(self);
    me->in_order &= at == me->begin + me->done && me->done + bytes == me->read;
    me->done += bytes;
  }
};

std::string packed_bytes(const Weights& w) {
  const PackedWeights& p = *w.packed();
  std::string all;
  for (int i = 0; i < p.form.count; ++i) all.append(p.piece<char>(i), static_cast<size_t>(p.form.pieces[i].bytes()));
  return all;
}

TEST(PackingInPieces, GivesTheSameBytesOnAnyNumberOfThreadsFromAnyAddress) {
  for (const WeightsCase& c : large_cases()) {
    const Values values = c.values(1);
    const WeightsPtr one = pack(c, values);
    ASSERT_NE(one->packed(), nullptr) << c.name;
    const auto bytes = static_cast<size_t>(values.first.view.count()) * sizeof(float);
    std::vector<std::byte> odd(bytes + 3);
    std::memcpy(odd.data() + 3, values.first.view.data, bytes);
    for (const int threads : {1, 3}) {
      std::vector<TensorView> views = values.views();
      views[0].data = odd.data() + 3;
      Reader reader;
      reader.begin = odd.data() + 3;
      WeightsPtr pieces;
      const Packing packing{Parallel(threads), &Reader::on_read, &Reader::on_done, &reader};
      WeightsProblem problem;
      const Kernel* kernel = nullptr;
      ASSERT_TRUE(WeightsProblem::make(*cpu_engine(), c.op, types_of(by_operand(views)), {}, &problem).ok()) << c.name;
      ASSERT_TRUE(choose_kernel(*cpu_engine(), problem.problem(), {}, &kernel).ok()) << c.name;
      ASSERT_TRUE(Weights::create(cpu_engine(), problem, *kernel, by_operand(views), packing, &pieces).ok()) << c.name;
      EXPECT_TRUE(packed_bytes(*pieces) == packed_bytes(*one)) << c.name << " on " << threads << " threads";
      EXPECT_TRUE(reader.in_order) << c.name;
      EXPECT_EQ(reader.read, static_cast<int64_t>(bytes)) << c.name;
      EXPECT_EQ(reader.done, static_cast<int64_t>(bytes)) << c.name;
    }
  }
}

TEST(PackingInPieces, GivesWhatTheReferenceComputesFromTheWeightsThemselves) {
  for (const WeightsCase& c : large_cases()) {
    const Values values = c.values(2);
    const HostTensor in = tensor(c.input, 5);
    std::vector<HostTensor> expected;
    const std::vector<TensorView> all{in.view, values.first.view, values.second.view};
    ASSERT_TRUE(execute_once(c.op, all, {}, {}, &expected).ok()) << c.name;
    EXPECT_TRUE(result(c, pack(c, values)) == bits(expected[0])) << c.name;
  }
}

TEST(PackingInPieces, TheDigestOfWhatPassesIsThatOfTheTensors) {
  const WeightsCase c = large_cases()[0];
  const Values values = c.values(3);
  const auto views = values.views();
  SourceDigest digest(views);
  for (const TensorView& v : views) {
    const auto* at = static_cast<const std::byte*>(v.data);
    const int64_t bytes = v.count() * 4;
    for (int64_t i = 0; i < bytes; i += 1000) digest.append(at + i, std::min<int64_t>(1000, bytes - i));
  }
  EXPECT_EQ(digest.source(), source_of(views));
}

}  // namespace
}  // namespace anydim
