// SPDX-License-Identifier: Apache-2.0
// Resize: every kernel against the reference on random problems, and the reference against ONNX's documented examples.
#include "core/kernels/resize/resize.h"

#include <algorithm>
#include <bit>

#include "core/kernels/resize/tables.h"
#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/resize.h"

namespace anydim::testing {
namespace {

using Mode = Resize::Mode;
using Coordinates = Resize::Coordinates;
using Nearest = Resize::Nearest;

constexpr Layout kLayouts[] = {Layout::channels_last,        Layout::row_major, Layout::permuted, Layout::padded_rows,
                               Layout::padded_channels_last, Layout::reversed};
Layout any_layout(Random& r) { return drawn(kLayouts, r); }
const HostKernel& reference() { return *resize_kernels().back(); }

// What `run` says on f16 or bf16, by every kernel.
int expect_sixteen_bits_equal_reference(const testing::Run& run, Random& r) {
  testing::Run half = run;
  half.in[0] = as_half(run.in[0], r.flag() ? DType::f16 : DType::bf16, r, r.chance(0.3) ? 0.03 : 0);
  const Outcome want = run_kernel(reference(), half, &r);
  EXPECT_TRUE(want.status.ok()) << want.status.message();
  int compared = 0;
  for (const HostKernel* k : runnable(resize_kernels())) {
    const Outcome got = run_kernel(*k, half, &r);
    if (got.refusal) continue;
    EXPECT_TRUE(same_bits(want.out.at(0), got.out.at(0)))
        << k->name() << " " << describe(*run.op) << " " << to_string(run.in[0].view().dims);
    ++compared;
  }
  return compared;
}

// A resize of random axes: of what people have (one to three neighbours, the outer ones or the last ones) and of any.
Resize::Attributes drawn(Random& r, const Dims& d, bool* specials) {
  Resize::Attributes a;
  a.mode = static_cast<Mode>(r.integer(0, 2));
  a.coordinates = static_cast<Coordinates>(r.integer(0, r.chance(0.4) ? 6 : 5));
  a.nearest = static_cast<Nearest>(r.integer(0, 3));
  a.exclude_outside = r.chance(0.2);
  a.antialias = a.mode != Mode::nearest && r.chance(0.4);
  a.extrapolation_value = 7.5f;
  const int first = static_cast<int>(r.integer(0, d.rank - 1)), count = static_cast<int>(r.integer(1, 3));
  const bool any = r.chance(0.2), sizes = r.chance(0.5);
  for (int i = 0; i < d.rank; ++i) {
    const bool resized = any ? r.chance(0.6) : i >= first && i < first + count;
    if (sizes) {
      const int64_t far = r.chance(0.1) && d.rank < 4 ? 200 : 25;
      a.sizes.push_back(resized ? r.integer(d[i] == 0 || r.chance(0.02) ? 0 : 1, d[i] == 0 ? 0 : far) : d[i]);
    } else {
      constexpr float kScales[] = {2.f, 4.f, 0.5f, 1.5f, 0.7f, 3.f, 2.25f, 0.1f};
      a.scales.push_back(resized ? kScales[r.integer(0, 7)] : 1.f);
    }
    a.roi.push_back(r.chance(0.7) ? 0.1f : r.chance(0.5) ? 0.9f : 0.f);
  }
  for (int i = 0; i < d.rank; ++i) a.roi.push_back(r.chance(0.4) ? 0.8f : r.chance(0.5) ? 1.2f : 0.2f);
  *specials = r.chance(0.2);
  return a;
}

Dims drawn_dims(Random& r) {
  const int rank = static_cast<int>(r.integer(1, r.chance(0.1) ? 6 : 5));
  Dims d;
  for (int i = 0; i < rank; ++i) {
    const int64_t most = rank > 4 ? 6 : rank > 3 ? 12 : 40;
    d.push_back(r.chance(0.02) ? 0 : r.chance(0.1) ? 1 : i == rank - 1 && r.chance(0.3) ? r.integer(1, 70) : r.integer(1, most));
  }
  return d;
}

// What the reference multiplies: the taps of all axes for each output element.
double products(const Resize& op, const Dims& in, std::span<const int64_t> sizes) {
  const Resize::Attributes& a = op.get();
  Dims out = in;
  for (int i = 0; i < in.rank; ++i)
    out[i] = a.sizes.empty() ? static_cast<int64_t>(static_cast<float>(in[i]) * a.scales[static_cast<size_t>(i)]) : a.sizes[i].number();
  double n = 1;
  for (int i = 0; i < in.rank; ++i) n *= static_cast<double>(out[i] * resize_reach(op, op.axis(i, in, out, sizes)));
  return n;
}

constexpr DType kNumbers[] = {DType::f32, DType::f32, DType::f64, DType::u8, DType::i8, DType::i32, DType::i16, DType::u16};

TEST(Resize, EveryKernelEqualsTheReference) {
  Random r(21);
  int compared = 0, half = 0;
  for (int n = 0; n < 1000; ++n) {
    const Dims d = drawn_dims(r);
    bool specials = false;
    const Resize::Attributes a = drawn(r, d, &specials);
    const auto op = Resize::make(a);
    ASSERT_TRUE(op.ok()) << op.status().message();
    testing::Run run{op->get()};
    for (Dim s : a.sizes) run.dim_attributes.push_back(s.number());
    if (products(static_cast<const Resize&>(**op), d, run.dim_attributes) > 2e5) continue;
    DType t = kNumbers[r.integer(0, std::size(kNumbers) - 1)];
    if (a.mode == Mode::nearest && r.chance(0.2)) t = DType::i64;
    run.in = {std::move(OwnedTensor(t, d, any_layout(r), &r).fill(r, specials ? 0.05 : 0.0))};
    const Outcome truth = run_kernel(reference(), run, &r);
    if (truth.status.code() == Code::invalid_argument) continue;  // an empty axis that would grow
    if (truth.refusal != nullptr) {
      for (const HostKernel* k : resize_kernels()) ASSERT_NE(run_kernel(*k, run, &r).refusal, nullptr) << k->name();
      continue;
    }
    ASSERT_TRUE(truth.status.ok()) << truth.status.message();
    for (const HostKernel* k : runnable(resize_kernels())) {
      run.threads = static_cast<int>(r.integer(1, 2));
      run.out_layouts = {any_layout(r)};
      const Outcome o = run_kernel(*k, run, &r);
      if (o.refusal) continue;
      ASSERT_TRUE(o.status.ok()) << k->name();
      ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << k->name() << " " << describe(**op) << " " << to_string(d) << dtype_name(t);
      ++compared;
    }
    if (t == DType::f32) half += expect_sixteen_bits_equal_reference(run, r);
    if (HasFailure()) return;
  }
  EXPECT_GT(half, 50);
  EXPECT_GT(compared, 150 * static_cast<int>(runnable(resize_kernels()).size() - 1));
}

TEST(Resize, ColumnsAreDoubledInRowsOfAnyLengthAndElementsOfAnySize) {
  Random r(24);
  for (int n = 0; n < 60; ++n) {
    const Dims d{r.integer(1, 3), r.integer(1, 5), r.integer(1, 70)};
    Resize::Attributes a;
    a.mode = Mode::nearest;
    a.coordinates = r.flag() ? Resize::Coordinates::asymmetric : Resize::Coordinates::half_pixel;
    a.nearest = Resize::Nearest::floor;
    if (a.coordinates == Resize::Coordinates::half_pixel) a.nearest = Resize::Nearest::round_prefer_floor;
    a.scales = {1, r.flag() ? 1.f : 2.f, 2};
    const OperatorPtr op = *Resize::make(a);
    constexpr DType kSizes[] = {DType::u8, DType::i16, DType::f32, DType::i64};
    testing::Run run{op.get()};
    run.in = {std::move(OwnedTensor(kSizes[n % 4], d, r.flag() ? Layout::row_major : any_layout(r), &r).fill(r))};
    const Outcome truth = run_kernel(reference(), run, &r);
    ASSERT_TRUE(truth.status.ok()) << truth.status.message();
    for (const HostKernel* k : runnable(resize_kernels())) {
      run.threads = static_cast<int>(r.integer(1, 2));
      const Outcome o = run_kernel(*k, run, &r);
      ASSERT_TRUE(o.refusal || same_bits(truth.out[0], o.out[0])) << k->name() << " " << describe(*op) << " " << to_string(d);
    }
  }
}

TEST(Resize, DoublingLargeChannelsLastImagesOnTwoThreads) {
  Random r(22);
  for (Mode m : {Mode::nearest, Mode::linear, Mode::cubic}) {
    Resize::Attributes a;
    a.mode = m;
    a.coordinates = Coordinates::asymmetric;
    a.nearest = Nearest::floor;
    a.scales = {1, 1, 2, 2};
    const auto op = *Resize::make(a);
    testing::Run run{op.get()};
    run.in = {std::move(OwnedTensor(DType::f32, {2, 24, 31, 43}, Layout::channels_last).fill(r))};
    run.out_layouts = {Layout::channels_last};
    const Outcome truth = run_kernel(reference(), run);
    for (const HostKernel* k : runnable(resize_kernels())) {
      run.threads = 2;
      const Outcome o = run_kernel(*k, run);
      if (o.refusal) continue;
      ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << k->name();
    }
  }
}

// 1 x 1 x 4 x 4 or so, counting from 1, as the examples in ONNX's operator documentation.
std::vector<float> resized(const Resize::Attributes& a, Dims d) {
  OwnedTensor x(DType::f32, d);
  x.each([](int64_t i, std::byte* p) {
    const auto v = static_cast<float>(i + 1);
    std::memcpy(p, &v, 4);
  });
  const auto op = *Resize::make(a);
  testing::Run run{op.get()};
  for (Dim s : a.sizes) run.dim_attributes.push_back(s.number());
  run.in = {x};
  const Outcome o = run_kernel(reference(), run);
  EXPECT_TRUE(o.status.ok()) << o.status.message();
  std::vector<float> y;
  for (int64_t i = 0; i < o.out[0].view().count(); ++i) y.push_back(o.out[0].get<float>(i));
  return y;
}

TEST(Resize, ReferenceFollowsOnnxsExamples) {
  Resize::Attributes a;
  a.mode = Mode::linear;
  a.scales = {1, 1, 2, 2};
  EXPECT_EQ(resized(a, {1, 1, 2, 2}), (std::vector<float>{1, 1.25, 1.75, 2, 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3, 3.25, 3.75, 4}));
  a.scales = {1, 1, 0.6f, 0.6f};
  const std::vector<float> down = resized(a, {1, 1, 2, 4});
  ASSERT_EQ(down.size(), 2u);
  EXPECT_NEAR(down[0], 2.6666665f, 1e-5);
  EXPECT_NEAR(down[1], 4.3333331f, 1e-5);
  a.mode = Mode::cubic;
  a.scales = {1, 1, 2, 2};
  const std::vector<float> up = resized(a, {1, 1, 4, 4});
  EXPECT_NEAR(up[0], 0.47265625f, 1e-6);
  EXPECT_NEAR(up[1], 0.76953125f, 1e-6);
  EXPECT_NEAR(up[63], 16.52734375f, 1e-5);
  a.exclude_outside = true;
  a.cubic_coeff_a = -0.5f;
  EXPECT_NEAR(resized(a, {1, 1, 4, 4})[0], 0.55882353f, 1e-6);
  a = {};
  a.mode = Mode::nearest;
  a.sizes = {1, 1, 7, 8};
  EXPECT_EQ(resized(a, {1, 1, 2, 2})[27], 1.f);
  a.sizes = {1, 1, 1, 3};
  EXPECT_EQ(resized(a, {1, 1, 2, 4}), (std::vector<float>{1, 2, 4}));
  a.mode = Mode::linear;
  a.coordinates = Coordinates::align_corners;
  a.sizes = {};
  a.scales = {1, 1, 2, 2};
  const std::vector<float> corners = resized(a, {1, 1, 2, 2});
  EXPECT_NEAR(corners[1], 1.33333333f, 1e-6);
  EXPECT_EQ(corners[15], 4.f);
}

// ONNX's text has coordinate 0 for pytorch_half_pixel and align_corners; its reference evaluator -0.5 for the first one.
TEST(Resize, AnOutputOfOneElementIsTheElementAtCoordinateZero) {
  for (const Coordinates c : {Coordinates::pytorch_half_pixel, Coordinates::align_corners})
    for (const Mode mode : {Mode::nearest, Mode::linear, Mode::cubic})
      for (const bool exclude : {false, true})
        for (const int64_t length : {1, 2, 3, 4, 9}) {
          Resize::Attributes a;
          a.coordinates = c;
          a.mode = mode;
          a.exclude_outside = exclude;
          a.sizes = {1, 2, 1, 1};
          EXPECT_EQ(resized(a, {1, 2, length, length}), (std::vector<float>{1, static_cast<float>(1 + length * length)}));
          if (c != Coordinates::pytorch_half_pixel) continue;
          a.sizes = {};
          a.scales = {1, 1, 1.4f / static_cast<float>(length), 1.f / static_cast<float>(length)};  // a fraction more than one element
          EXPECT_EQ(resized(a, {1, 2, length, length}), (std::vector<float>{1, static_cast<float>(1 + length * length)}));
        }
}

TEST(Resize, ScalesOfDynamicDimsMustBeRatios) {
  DimPool pool;
  const Dim h = pool.symbol("h");
  Resize::Attributes a;
  a.scales = {1, 1, 2, 0.5f};
  TensorType in{DType::f32, {1, 3, h, h}}, out;
  ASSERT_TRUE((*Resize::make(a))->infer(pool, {&in, 1}, {&out, 1}).ok());
  EXPECT_EQ(out.dims[2], pool.mul(h, 2));
  EXPECT_EQ(out.dims[3], pool.floor_div(h, 2));
  a.scales = {1, 1, 57.f / 161, 1};  // gives 160 for some multiples of 161
  const Status s = (*Resize::make(a))->infer(pool, {&in, 1}, {&out, 1});
  EXPECT_EQ(s.code(), Code::unimplemented);
  EXPECT_NE(s.message().find("0.354"), std::string::npos) << s.message();
}

// --- antialias -------------------------------------------------------------------------------------------------------

Outcome smoothed(const Resize::Attributes& a, const OwnedTensor& x, int threads = 1, Layout out = Layout::row_major, Random* r = nullptr) {
  const OperatorPtr op = *Resize::make(a);
  testing::Run run{op.get()};
  for (const Dim d : op->dim_attributes()) run.dim_attributes.push_back(d.number());
  run.in = {x};
  run.threads = threads;
  run.out_layouts = {out};
  Outcome o = run_kernel(reference(), run, r);
  EXPECT_EQ(o.refusal, nullptr) << o.refusal;
  EXPECT_TRUE(o.status.ok()) << o.status.message();
  return o;
}

TEST(ResizeAntialias, AHalvedLineIsFilteredByATriangleTwiceAsWide) {
  Resize::Attributes a;
  a.mode = Mode::linear;
  a.antialias = true;
  a.scales = {1, 0.5f};
  OwnedTensor x(DType::f32, {1, 8});
  x.each([](int64_t i, std::byte* p) {
    const float v = i == 3 ? 8.f : 0.f;
    std::memcpy(p, &v, 4);
  });
  // Weights 1 3 3 1 of 8 around 0.5, 2.5, 4.5 and 6.5.
  const Outcome o = smoothed(a, x);
  const float want[] = {0, 3, 1, 0};
  for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(o.out[0].get<float>(i), want[i]) << i;
}

TEST(ResizeAntialias, KeepsConstantsAndIsPlainWhereNothingShrinks) {
  Random r(25);
  for (int n = 0; n < 60; ++n) {
    Resize::Attributes a;
    a.mode = r.flag() ? Mode::linear : Mode::cubic;
    a.antialias = true;
    a.coordinates = static_cast<Coordinates>(r.integer(0, 5));
    a.exclude_outside = r.flag();
    const Dims d{1, r.integer(1, 3), r.integer(1, 12), r.integer(1, 12)};
    a.sizes = {1, d[1], r.integer(1, 20), r.integer(1, 20)};
    OwnedTensor x(DType::f32, d);
    x.each([](int64_t, std::byte* p) {
      const float v = 3;
      std::memcpy(p, &v, 4);
    });
    const Outcome same = smoothed(a, x);
    same.out[0].each([](int64_t, std::byte* p) {
      float v;
      std::memcpy(&v, p, 4);
      EXPECT_NEAR(v, 3, 1e-5);
    });
    x.fill(r);
    const Outcome truth = smoothed(a, x);
    const Outcome other = smoothed(a, x.relaid(any_layout(r), &r), 3, any_layout(r), &r);
    ASSERT_TRUE(same_bits(truth.out[0], other.out[0]));
    a.sizes = {1, d[1], d[2] + r.integer(0, 9), d[3] + r.integer(0, 9)};
    const Outcome grown = smoothed(a, x);
    a.antialias = false;
    const OperatorPtr plain = *Resize::make(a);
    testing::Run run{plain.get()};
    for (const Dim s : a.sizes) run.dim_attributes.push_back(s.number());
    run.in = {x};
    const Outcome expected = run_kernel(reference(), run);
    for (int64_t i = 0; i < expected.out[0].view().count(); i += 3)
      ASSERT_NEAR(grown.out[0].get<float>(i), expected.out[0].get<float>(i), 2e-5f) << describe(*plain);
  }
}

TEST(ResizeAntialias, APositionThatWouldReadTooManyIsRefused) {
  Resize::Attributes a;
  a.mode = Mode::linear;
  a.antialias = true;
  a.sizes = {4};
  a.scale_bits = {int64_t{std::bit_cast<uint32_t>(1e-20f)}};
  const OperatorPtr op = *Resize::make(a);
  testing::Run run{op.get()};
  for (const Dim d : op->dim_attributes()) run.dim_attributes.push_back(d.number());
  run.in = {OwnedTensor(DType::f32, {8})};
  EXPECT_EQ(run_kernel(reference(), run).status.code(), Code::invalid_data);
}

// --- computed scales, and ratios that are kept -----------------------------------------------------------------------

TEST(Resize, ScalesAsBitsAreThoseScales) {
  Random r(26);
  for (int n = 0; n < 60; ++n) {
    Resize::Attributes a, b;
    a.mode = b.mode = static_cast<Mode>(r.integer(0, 2));
    a.coordinates = b.coordinates = Coordinates::half_pixel;
    const Dims d{1, 2, r.integer(1, 9), r.integer(1, 9)};
    for (int i = 0; i < 4; ++i) {
      const float scale = i < 2 ? 1.f : static_cast<float>(r.integer(3, 20)) / 8;
      a.scales.push_back(scale);
      b.sizes.push_back(static_cast<int64_t>(std::floor(static_cast<float>(d[i]) * scale)));
      b.scale_bits.push_back(int64_t{std::bit_cast<uint32_t>(scale)});
    }
    const OperatorPtr by_scales = *Resize::make(a), by_bits = *Resize::make(b);
    testing::Run one{by_scales.get()}, two{by_bits.get()};
    for (const Dim s : by_bits->dim_attributes()) two.dim_attributes.push_back(s.number());
    one.in = two.in = {std::move(OwnedTensor(DType::f32, d).fill(r))};
    const Outcome want = run_kernel(reference(), one);
    for (const HostKernel* k : runnable(resize_kernels())) {
      const Outcome o = run_kernel(*k, two);
      if (o.refusal) continue;
      ASSERT_TRUE(same_bits(want.out[0], o.out[0])) << k->name() << " " << describe(*by_bits);
    }
  }
}

TEST(Resize, ARatioIsKeptForDimsThatOnlyARunKnows) {
  DimPool pool;
  const Dim h = pool.symbol("h"), w = pool.symbol("w");
  Resize::Attributes a;
  a.axes = {2, 3};
  a.sizes = {7, 8};
  for (const auto policy : {Resize::AspectPolicy::not_larger, Resize::AspectPolicy::not_smaller}) {
    a.policy = policy;
    const OperatorPtr op = *Resize::make(a);
    TensorType in{DType::f32, {1, 1, h, w}}, out;
    ASSERT_TRUE(op->infer(pool, {&in, 1}, {&out, 1}).ok());
    EXPECT_FALSE(out.dims[2].is_number());
    in.dims = {1, 1, 2, 4};
    ASSERT_TRUE(op->infer(pool, {&in, 1}, {&out, 1}).ok());
    EXPECT_EQ(pool.text(out.dims), policy == Resize::AspectPolicy::not_larger ? "[1, 1, 4, 8]" : "[1, 1, 7, 14]");
  }
  a.scale_bits = {1, 1};
  EXPECT_NE(Resize::make(a).status().message().find("resize has 2 scale_bits"), std::string::npos);
}

}  // namespace
}  // namespace anydim::testing
