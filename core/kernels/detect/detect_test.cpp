// SPDX-License-Identifier: Apache-2.0
// Regions, boxes, columns at offsets and folded columns: values by hand, definitions over random shapes, the same bits in every layout,
// on every number of threads and instruction set; and what is refused.
#include "core/kernels/detect/detect.h"

#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/deform_columns.h"
#include "core/ops/operators/fold.h"
#include "core/ops/operators/non_max_suppression.h"
#include "core/ops/operators/roi_align.h"

namespace anydim::testing {
namespace {

template <class T> OwnedTensor of(DType t, const Dims& d, const std::vector<T>& v) {
  OwnedTensor x(t, d);
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &v[static_cast<size_t>(i)], sizeof(T)); });
  return x;
}
OwnedTensor f32(const Dims& d, const std::vector<float>& v) { return of(DType::f32, d, v); }
template <class T> std::vector<T> values(const OwnedTensor& x) {
  std::vector<T> v;
  x.each([&](int64_t, std::byte* p) {
    T y;
    std::memcpy(&y, p, sizeof y);
    v.push_back(y);
  });
  return v;
}
using Numbers = std::vector<int64_t>;
using Reals = std::vector<float>;

Outcome outcome_of(const HostKernel& kernel, const Operator& op, std::vector<OwnedTensor> in, int threads = 1,
                   Layout out = Layout::row_major, Random* r = nullptr) {
  testing::Run run{&op};
  run.in = std::move(in);
  run.threads = threads;
  run.out_layouts = {out, out};
  for (const Dim d : op.dim_attributes()) run.dim_attributes.push_back(d.number());
  Outcome o = run_kernel(kernel, run, r);
  EXPECT_EQ(o.refusal, nullptr) << o.refusal;
  return o;
}

constexpr Layout kLayouts[] = {Layout::row_major, Layout::channels_last, Layout::permuted, Layout::padded_rows, Layout::reversed};

// --- non_max_suppression ---------------------------------------------------------------------------------------------

struct Selection {
  int64_t most = 0;
  bool center_point = false;
  float iou = 0.5f;
  const float* least = nullptr;
};

Numbers selected(const Selection& s, const OwnedTensor& boxes, const OwnedTensor& scores, int64_t wanted, int threads = 1,
                 Random* r = nullptr) {
  const OperatorPtr op = *NonMaxSuppression::make({s.most, s.center_point});
  const OwnedTensor least = s.least != nullptr ? f32({1}, {*s.least}) : OwnedTensor();
  const Outcome o = outcome_of(*kNonMaxSuppression, *op, {boxes, scores, of<int64_t>(DType::i64, {}, {wanted}), f32({1}, {s.iou}), least},
                               threads, r != nullptr ? Layout::padded_rows : Layout::row_major, r);
  EXPECT_TRUE(o.status.ok()) << o.status.message();
  Numbers all = values<int64_t>(o.out[0]);
  const auto count = static_cast<size_t>(values<int64_t>(o.out[1])[0]);
  for (size_t i = 3 * count; i < all.size(); ++i) EXPECT_EQ(all[i], 0) << "behind what was selected";
  all.resize(3 * count);
  return all;
}

TEST(NonMaxSuppression, TheBestBoxSuppressesThoseThatOverlapItMore) {
  const OwnedTensor boxes = f32({1, 3, 4}, {0, 0, 1, 1, 0, 0.1f, 1, 1.1f, 0, 10, 1, 11}), scores = f32({1, 1, 3}, {0.9f, 0.95f, 0.5f});
  EXPECT_EQ(selected({3}, boxes, scores, 3), (Numbers{0, 0, 1, 0, 0, 2}));
  EXPECT_EQ(selected({3, false, 0.9f}, boxes, scores, 3), (Numbers{0, 0, 1, 0, 0, 0, 0, 0, 2}));
  EXPECT_EQ(selected({3}, boxes, scores, 1), (Numbers{0, 0, 1}));
  EXPECT_EQ(selected({3}, boxes, scores, 0), Numbers{});
  EXPECT_EQ(selected({3}, boxes, scores, -5), Numbers{});
  const float least = 0.5f;  // a score has to be above it
  EXPECT_EQ(selected({3, false, 0.5f, &least}, boxes, scores, 3), (Numbers{0, 0, 1}));
}

TEST(NonMaxSuppression, CornersComeInAnyOrderAndCentresHaveSizes) {
  const OwnedTensor flipped = f32({1, 2, 4}, {1, 1, 0, 0, 0, 1.05f, 1, 0.05f}), scores = f32({1, 1, 2}, {1, 2});
  EXPECT_EQ(selected({2}, flipped, scores, 2), (Numbers{0, 0, 1}));
  const OwnedTensor centred = f32({1, 2, 4}, {0.5f, 0.5f, 1, 1, 5, 0.5f, 1, 1});
  EXPECT_EQ(selected({2, true}, centred, scores, 2), (Numbers{0, 0, 1, 0, 0, 0}));
}

TEST(NonMaxSuppression, EqualScoresComeByTheirIndexAndNaNCountsNowhere) {
  const OwnedTensor apart = f32({1, 4, 4}, {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7}), scores = f32({1, 1, 4}, {1, NAN, 1, 1});
  EXPECT_EQ(selected({4}, apart, scores, 4), (Numbers{0, 0, 0, 0, 0, 2, 0, 0, 3}));
  const OwnedTensor lines = f32({1, 2, 4}, {0, 0, 0, 1, 0, 0, 0, 1});  // without area nothing overlaps
  EXPECT_EQ(selected({2}, lines, f32({1, 1, 2}, {1, 2}), 2), (Numbers{0, 0, 1, 0, 0, 0}));
}

// Greedy, from the words of the contract.
Numbers defined(const Selection& s, const Reals& boxes, const Reals& scores, int64_t n, int64_t classes, int64_t count, int64_t wanted) {
  Numbers all;
  struct B {
    float top, left, bottom, right;
  };
  const auto box = [&](int64_t b, int64_t i) {
    const float* p = &boxes[static_cast<size_t>((b * count + i) * 4)];
    if (s.center_point) return B{p[1] - p[3] / 2, p[0] - p[2] / 2, p[1] + p[3] / 2, p[0] + p[2] / 2};
    return B{std::min(p[0], p[2]), std::min(p[1], p[3]), std::max(p[0], p[2]), std::max(p[1], p[3])};
  };
  for (int64_t b = 0; b < n; ++b)
    for (int64_t c = 0; c < classes; ++c) {
      Numbers order, kept;
      const float* score = &scores[static_cast<size_t>((b * classes + c) * count)];
      for (int64_t i = 0; i < count; ++i)
        if (s.least == nullptr || score[i] > *s.least) order.push_back(i);
      std::stable_sort(order.begin(), order.end(), [&](int64_t i, int64_t j) { return score[i] > score[j]; });
      for (const int64_t i : order) {
        if (static_cast<int64_t>(kept.size()) >= std::min(wanted, s.most)) break;
        const B x = box(b, i);
        const bool overlaps = std::any_of(kept.begin(), kept.end(), [&](int64_t j) {
          const B y = box(b, j);
          const float h = std::min(x.bottom, y.bottom) - std::max(x.top, y.top), w = std::min(x.right, y.right) - std::max(x.left, y.left);
          if (!(h > 0 && w > 0)) return false;
          const float both = h * w, a = (x.bottom - x.top) * (x.right - x.left), d = (y.bottom - y.top) * (y.right - y.left);
          return a > 0 && d > 0 && both / (a + d - both) > s.iou;
        });
        if (!overlaps) kept.push_back(i);
      }
      for (const int64_t i : kept) all.insert(all.end(), {b, c, i});
    }
  return all;
}

TEST(NonMaxSuppression, DrawnBoxesGiveWhatTheDefinitionSays) {
  Random r(321);
  for (int k = 0; k < 150; ++k) {
    const int64_t n = r.integer(1, 3), classes = r.integer(1, 4), count = r.integer(0, 70), wanted = r.integer(0, 80);
    OwnedTensor boxes(DType::f32, {n, count, 4}, drawn(kLayouts, r), &r), scores(DType::f32, {n, classes, count}, Layout::padded_rows, &r);
    Selection s{r.integer(0, count), r.flag(), static_cast<float>(r.integer(0, 10)) / 10};
    const float least = static_cast<float>(r.integer(0, 10)) / 20;
    if (r.flag()) s.least = &least;
    const auto coarse = [&](std::byte* p, int64_t most, float scale) {  // ties, and overlaps
      const float v = static_cast<float>(r.integer(0, most)) * scale;
      std::memcpy(p, &v, 4);
    };
    boxes.each([&](int64_t, std::byte* p) { coarse(p, 20, 0.25f); });
    scores.each([&](int64_t, std::byte* p) { coarse(p, 30, 1.f / 30); });
    const Numbers want = defined(s, values<float>(boxes), values<float>(scores), n, classes, count, wanted);
    ASSERT_EQ(selected(s, boxes, scores, wanted, static_cast<int>(r.integer(1, 3)), &r), want) << n << " " << classes << " " << count;
  }
}

// --- roi_align -------------------------------------------------------------------------------------------------------

const HostKernel& roi_reference() { return *roi_align_kernels().back(); }

TEST(RoiAlign, AveragesSamplesBetweenElements) {
  const OwnedTensor x = f32({1, 1, 2, 2}, {0, 1, 2, 3}), batch = of<int64_t>(DType::i64, {1}, {0});
  RoiAlignAttributes a;
  a.samples = 1;
  // One sample in the middle of 0..1 x 0..1.
  EXPECT_EQ(values<float>(outcome_of(roi_reference(), **RoiAlign::make(a), {x, f32({1, 4}, {0, 0, 1, 1}), batch}).out[0]), (Reals{1.5f}));
  a.half_pixel = true;  // its middle is 0 x 0
  EXPECT_EQ(values<float>(outcome_of(roi_reference(), **RoiAlign::make(a), {x, f32({1, 4}, {0, 0, 1, 1}), batch}).out[0]), (Reals{0.f}));
  a.half_pixel = false, a.samples = 0, a.scale = 0.5f;  // 2 x 2 samples of 0..2
  EXPECT_EQ(values<float>(outcome_of(roi_reference(), **RoiAlign::make(a), {x, f32({1, 4}, {0, 0, 4, 4}), batch}).out[0]), (Reals{2.25f}));
  a.mode = RoiMode::maximum;  // of the weighted elements
  EXPECT_EQ(values<float>(outcome_of(roi_reference(), **RoiAlign::make(a), {x, f32({1, 4}, {0, 0, 4, 4}), batch}).out[0]), (Reals{3.f}));
  EXPECT_EQ(values<float>(outcome_of(roi_reference(), **RoiAlign::make(a), {x, f32({1, 4}, {90, 90, 99, 99}), batch}).out[0]),
            (Reals{0.f}));
}

TEST(RoiAlign, CellsAreWholeElements) {
  RoiAlignAttributes a;
  a.mode = RoiMode::cells, a.height = 2, a.width = 2;
  const OwnedTensor x = f32({1, 1, 3, 4}, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), batch = of<int32_t>(DType::i32, {2}, {0, 0});
  const Outcome o = outcome_of(roi_reference(), **RoiAlign::make(a), {x, f32({2, 4}, {0, 0, 3, 2, 1.4f, 1, 1.6f, 1}), batch});
  EXPECT_EQ(values<float>(o.out[0]), (Reals{5, 7, 9, 11, 5, 6, 5, 6}));
}

TEST(RoiAlign, EveryKernelAndLayoutHasTheBitsOfTheReference) {
  Random r(322);
  for (int k = 0; k < 200; ++k) {
    const Dims d{r.integer(1, 3), r.integer(1, 40), r.integer(1, 9), r.integer(1, 9)};
    const int64_t regions = r.integer(0, 6);
    RoiAlignAttributes a;
    a.mode = r.one_of<RoiMode>(3);
    a.half_pixel = r.flag();
    a.height = r.integer(1, 4), a.width = r.integer(1, 4), a.samples = r.integer(0, 3);
    a.scale = r.flag() ? 1.f : 0.25f;
    constexpr DType kTypes[] = {DType::f32, DType::f32, DType::f64, DType::f16, DType::bf16};
    const DType t = kTypes[r.integer(0, 4)];
    OwnedTensor x(t, d), rois(t, {regions, 4}), batch(DType::i64, {regions});
    x.fill(r, t == DType::f32 && r.chance(0.3) ? 0.02 : 0.0);
    if (t == DType::f32)
      rois.each([&](int64_t, std::byte* p) {
        const float v = static_cast<float>(r.integer(-12, 60)) / 4;
        std::memcpy(p, &v, 4);
      });
    else rois.fill(r);
    batch.each([&](int64_t, std::byte* p) {
      const int64_t v = r.integer(0, d[0] - 1);
      std::memcpy(p, &v, 8);
    });
    const OperatorPtr op = *RoiAlign::make(a);
    const Outcome want = outcome_of(roi_reference(), *op, {x, rois, batch});
    ASSERT_TRUE(want.status.ok()) << want.status.message();
    for (const HostKernel* kernel : runnable(roi_align_kernels())) {
      const Layout in = drawn(kLayouts, r), out = drawn(kLayouts, r);
      const Outcome got = outcome_of(*kernel, *op, {x.relaid(in, &r), rois, batch}, static_cast<int>(r.integer(1, 4)), out, &r);
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << kernel->name() << " " << describe(*op) << " of " << to_string(d);
    }
  }
}

TEST(RoiAlign, RefusesRegionsOfNoInputAndWithoutEnd) {
  const OwnedTensor x = f32({1, 1, 2, 2}, {0, 1, 2, 3});
  const OperatorPtr op = *RoiAlign::make(RoiAlignAttributes{});
  const auto message = [&](Reals region, int64_t batch) {
    return outcome_of(roi_reference(), *op, {x, f32({1, 4}, region), of<int64_t>(DType::i64, {1}, {batch})}).status;
  };
  EXPECT_EQ(message({0, 0, 1, 1}, 1).code(), Code::invalid_data);
  EXPECT_EQ(message({0, 0, 1, 1}, 1).message(), "roi_align: batch of region 0 is 1; expected 0 to 0");
  EXPECT_NE(message({0, 0, 1e30f, 1}, 0).message().find("region 0 is"), std::string::npos);
  EXPECT_NE(message({0, 0, 30000, 30000}, 0).message().find("samples; expected at most"), std::string::npos);
  EXPECT_NE(message({0, NAN, 1, INFINITY}, 0).message().find("expected fewer"), std::string::npos);
}

// --- deform_columns --------------------------------------------------------------------------------------------------

TEST(DeformColumns, WithoutOffsetsTheyAreTheColumnsOfAConvolution) {
  Random r(323);
  for (int k = 0; k < 60; ++k) {
    DeformColumnsAttributes a;
    a.spatial = 2;
    a.groups = r.integer(1, 2);
    for (int i = 0; i < 2; ++i) {
      a.window[i] = r.integer(1, 3), a.strides[i] = r.integer(1, 2), a.dilations[i] = r.integer(1, 2);
      a.pads_begin[i] = r.integer(0, 2), a.pads_end[i] = r.integer(0, 2);
    }
    const Dims d{r.integer(1, 2), a.groups * r.integer(1, 3), r.integer(5, 8), r.integer(5, 8)};
    int64_t places[2];
    for (int i = 0; i < 2; ++i)
      places[i] = (d[2 + i] + a.pads_begin[i] + a.pads_end[i] - (a.window[i] - 1) * a.dilations[i] - 1) / a.strides[i] + 1;
    const int64_t taps = a.window[0] * a.window[1];
    OwnedTensor x(DType::f32, d, drawn(kLayouts, r), &r), offset(DType::f32, {d[0], a.groups * taps * 2, places[0], places[1]});
    x.fill(r);
    offset.each([](int64_t, std::byte* p) { std::memset(p, 0, 4); });
    const OperatorPtr op = *DeformColumns::make(a);
    const Outcome o = outcome_of(*kDeformColumns, *op, {x, offset}, static_cast<int>(r.integer(1, 3)), Layout::padded_rows, &r);
    ASSERT_TRUE(o.status.ok()) << o.status.message();
    const Reals in = values<float>(x), got = values<float>(o.out[0]);
    size_t at = 0;
    for (int64_t n = 0; n < d[0]; ++n)
      for (int64_t c = 0; c < d[1]; ++c)
        for (int64_t tap = 0; tap < taps; ++tap)
          for (int64_t p = 0; p < places[0] * places[1]; ++p, ++at) {
            const int64_t y = p / places[1] * a.strides[0] - a.pads_begin[0] + tap / a.window[1] * a.dilations[0];
            const int64_t z = p % places[1] * a.strides[1] - a.pads_begin[1] + tap % a.window[1] * a.dilations[1];
            const bool inside = y >= 0 && y < d[2] && z >= 0 && z < d[3];
            ASSERT_EQ(got[at], inside ? in[static_cast<size_t>(((n * d[1] + c) * d[2] + y) * d[3] + z)] : 0.f) << describe(*op);
          }
  }
}

TEST(DeformColumns, ReadsBetweenElementsTimesTheMask) {
  DeformColumnsAttributes a;
  a.spatial = 2;
  const OperatorPtr op = *DeformColumns::make(a);
  const OwnedTensor x = f32({1, 1, 2, 2}, {0, 4, 8, 12});
  const OwnedTensor offset = f32({1, 2, 2, 2}, {0.5f, -1, 0, NAN, 0.25f, 0, 0.5f, 0});  // rows, then columns
  // (0.5, 0.25), (-1, 1): outside, (1, 0.5), (NaN, 1): outside
  EXPECT_EQ(values<float>(outcome_of(*kDeformColumns, *op, {x, offset}).out[0]), (Reals{5, 0, 10, 0}));
  const OwnedTensor mask = f32({1, 1, 2, 2}, {2, 1, 0.5f, 1});
  EXPECT_EQ(values<float>(outcome_of(*kDeformColumns, *op, {x, offset, mask}).out[0]), (Reals{10, 0, 5, 0}));
}

TEST(DeformColumns, SixteenBitFloatsEqualTheReference) {
  Random r(326);
  DeformColumnsAttributes a;
  a.spatial = 2;
  for (int i = 0; i < 2; ++i) a.window[i] = 3, a.pads_begin[i] = a.pads_end[i] = 1;
  const OperatorPtr op = *DeformColumns::make(a);
  testing::Run run{op.get()};
  for (const Dims& d : {Dims{1, 20, 9, 11}, Dims{1, 18, 9, 11}, Dims{1, 9, 9, 11}})
    run.in.push_back(std::move(OwnedTensor(DType::f32, d, Layout::row_major, &r).fill(r)));
  EXPECT_EQ(expect_half_equals_reference(*kDeformColumns, run, r), static_cast<int>(runnable(deform_forms()).size()) - 1);
}

TEST(DeformColumns, OfAnEmptyPlaneAreZeros) {
  DeformColumnsAttributes a;
  a.spatial = 2;
  for (int i = 0; i < 2; ++i) a.window[i] = 1, a.pads_begin[i] = a.pads_end[i] = 1;
  const OperatorPtr op = *DeformColumns::make(a);
  OwnedTensor offset(DType::f32, {1, 2, 2, 6});
  offset.each([](int64_t, std::byte* p) { std::memset(p, 0, 4); });
  for (const HostKernel* k : runnable(deform_forms()))
    EXPECT_EQ(values<float>(outcome_of(*k, *op, {OwnedTensor(DType::f32, {1, 20, 0, 4}), offset}).out[0]), Reals(20 * 12, 0.f))
        << k->name();
}

TEST(DeformColumns, EveryKernelEqualsTheReference) {
  Random r(325);
  for (int n = 0; n < 120; ++n) {
    DeformColumnsAttributes a;
    a.spatial = 2;
    a.groups = r.integer(1, 3);
    for (int i = 0; i < 2; ++i) {
      a.window[i] = r.integer(1, 3), a.strides[i] = r.integer(1, 2), a.dilations[i] = r.integer(1, 2);
      a.pads_begin[i] = r.integer(0, 2), a.pads_end[i] = r.integer(0, 2);
    }
    const Dims d{r.integer(1, 2), a.groups * r.integer(1, r.chance(0.3) ? 70 : 20), r.integer(5, 20), r.integer(5, 30)};
    int64_t places[2];
    for (int i = 0; i < 2; ++i)
      places[i] = (d[2 + i] + a.pads_begin[i] + a.pads_end[i] - (a.window[i] - 1) * a.dilations[i] - 1) / a.strides[i] + 1;
    const int64_t taps = a.window[0] * a.window[1];
    const DType t = r.chance(0.4) ? DType::f64 : DType::f32;
    OwnedTensor x(t, d, drawn(kLayouts, r), &r);
    OwnedTensor offset(t, {d[0], a.groups * taps * 2, places[0], places[1]}, drawn(kLayouts, r), &r);
    OwnedTensor mask(t, {d[0], a.groups * taps, places[0], places[1]}, drawn(kLayouts, r), &r);
    x.fill(r, 0.02);
    offset.fill(r, 0.02);
    mask.fill(r, 0.02);
    if (r.chance(0.3))  // between elements, on them, and far outside
      offset.each([&](int64_t, std::byte* p) {
        const float v = r.chance(0.5) ? static_cast<float>(r.integer(-3, 3)) : static_cast<float>(r.integer(-400, 400)) / 16.f;
        const double wide = v;
        if (t == DType::f64) std::memcpy(p, &wide, sizeof wide);
        else std::memcpy(p, &v, sizeof v);
      });
    std::vector<OwnedTensor> in{x, offset};
    if (r.chance(0.5)) in.push_back(mask);
    const OperatorPtr op = *DeformColumns::make(a);
    const Outcome want = outcome_of(*kDeformColumns, *op, in);
    for (const HostKernel* k : runnable(deform_forms())) {
      const Layout out = r.chance(0.6) ? Layout::row_major : r.flag() ? Layout::permuted : Layout::padded_rows;
      const Outcome got = outcome_of(*k, *op, in, static_cast<int>(r.integer(1, 3)), out, &r);
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << " " << describe(*op) << " " << to_string(d);
    }
  }
}

// --- fold ------------------------------------------------------------------------------------------------------------

TEST(Fold, AddsColumnsWhereTheyWereTaken) {
  Random r(324);
  constexpr DType kTypes[] = {DType::f32, DType::f64, DType::f16, DType::i32, DType::u8};
  for (int k = 0; k < 150; ++k) {
    FoldAttributes a;
    a.spatial = static_cast<int32_t>(r.integer(1, 3));
    int64_t taps = 1, windows = 1, places[3], image[3], window[3];
    for (int i = 0; i < a.spatial; ++i) {
      image[i] = r.integer(3, 300 / (a.spatial * a.spatial * a.spatial * 3)), window[i] = r.integer(1, 3);
      a.strides[i] = r.integer(1, 3), a.dilations[i] = r.integer(1, 2), a.pads_begin[i] = r.integer(0, 2), a.pads_end[i] = r.integer(0, 2);
      a.image.push_back(image[i]);
      a.window.push_back(window[i]);
      const int64_t room = image[i] + a.pads_begin[i] + a.pads_end[i] - (window[i] - 1) * a.dilations[i] - 1;
      places[i] = room < 0 ? 0 : room / a.strides[i] + 1;
      taps *= window[i], windows *= places[i];
    }
    const int64_t n = r.integer(1, 2), channels = r.integer(1, 3);
    const DType t = kTypes[r.integer(0, 4)];
    OwnedTensor x(t, {n, channels * taps, windows}, r.flag() ? Layout::row_major : Layout::padded_rows, &r);
    // Whole numbers, so that sums are exact in any order.
    std::vector<int64_t> in;
    x.each([&](int64_t, std::byte* p) {
      const int64_t v = r.integer(0, 9);
      in.push_back(v);
      const auto f = static_cast<float>(v);
      const auto g = static_cast<double>(v);
      const uint16_t h = f32_to_f16(f);
      if (t == DType::f32) std::memcpy(p, &f, 4);
      else if (t == DType::f64) std::memcpy(p, &g, 8);
      else if (t == DType::f16) std::memcpy(p, &h, 2);
      else std::memcpy(p, &v, static_cast<size_t>(dtype_size(t)));
    });
    const OperatorPtr op = *Fold::make(a);
    const Outcome o = outcome_of(*kFold, *op, {x}, static_cast<int>(r.integer(1, 3)), drawn(kLayouts, r), &r);
    ASSERT_TRUE(o.status.ok()) << o.status.message();
    int64_t size = 1;
    for (int i = 0; i < a.spatial; ++i) size *= image[i];
    std::vector<int64_t> want(static_cast<size_t>(n * channels * size));
    for (size_t i = 0; i < in.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      int64_t place = at % windows, tap = at / windows % taps, to = 0, step = 1;
      bool inside = true;
      for (int j = a.spatial - 1; j >= 0; --j) {
        const int64_t v = place % places[j] * a.strides[j] + tap % window[j] * a.dilations[j] - a.pads_begin[j];
        place /= places[j], tap /= window[j];
        inside = inside && v >= 0 && v < image[j];
        to += v * step, step *= image[j];
      }
      if (inside) want[static_cast<size_t>(at / windows / taps * size + to)] += in[i];
    }
    o.out[0].each([&](int64_t i, std::byte* p) {
      int64_t v = 0;
      float f;
      double g;
      uint16_t h;
      if (t == DType::f32) std::memcpy(&f, p, 4), v = static_cast<int64_t>(f);
      else if (t == DType::f64) std::memcpy(&g, p, 8), v = static_cast<int64_t>(g);
      else if (t == DType::f16) std::memcpy(&h, p, 2), v = static_cast<int64_t>(f16_to_f32(h));
      else std::memcpy(&v, p, static_cast<size_t>(dtype_size(t)));
      EXPECT_EQ(v, want[static_cast<size_t>(i)]) << describe(*op) << " " << dtype_name(t) << " element " << i;
    });
    if (HasFailure()) break;
  }
}

TEST(Fold, LinesHaveTheReferencesBitsOverRandomShapes) {
  Random r(3241);
  for (int k = 0; k < 150; ++k) {
    FoldAttributes a;
    a.spatial = static_cast<int32_t>(r.integer(1, 3));
    int64_t taps = 1, windows = 1;
    const bool large = k % 10 == 0;  // beyond a block of 4096 sums
    for (int i = 0; i < a.spatial; ++i) {
      const int64_t most = !large ? 40 : i + 1 < a.spatial ? 9 : 5000;
      const int64_t image = r.integer(large && i + 1 == a.spatial ? 600 : 1, most), window = r.integer(1, 4);
      a.strides[i] = r.integer(1, 5), a.dilations[i] = r.integer(1, 2), a.pads_begin[i] = r.integer(0, 3), a.pads_end[i] = r.integer(0, 3);
      a.image.push_back(image);
      a.window.push_back(window);
      const int64_t room = image + a.pads_begin[i] + a.pads_end[i] - (window - 1) * a.dilations[i] - 1;
      taps *= window, windows *= room < 0 ? 0 : room / a.strides[i] + 1;
    }
    const int64_t n = r.integer(1, 2), channels = r.integer(1, 3);
    OwnedTensor x(DType::f32, {n, channels * taps, windows});
    x.fill(r, r.chance(0.3) ? 0.02 : 0.0);
    const OperatorPtr op = *Fold::make(a);
    const Outcome want = outcome_of(*kFold, *op, {x});
    ASSERT_TRUE(want.status.ok()) << want.status.message();
    for (const HostKernel* kernel : runnable(fold_forms())) {
      const Layout in = drawn(kLayouts, r), out = drawn(kLayouts, r);
      const Outcome got = outcome_of(*kernel, *op, {x.relaid(in, &r)}, static_cast<int>(r.integer(1, 4)), out, &r);
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << kernel->name() << " " << describe(*op) << " case " << k;
    }
    anydim::testing::Run run{op.get()};
    run.in = {x};
    for (const Dim d : op->dim_attributes()) run.dim_attributes.push_back(d.number());
    EXPECT_EQ(expect_half_equals_reference(*kFold, run, r), static_cast<int>(runnable(fold_forms()).size()) - 1);
  }
}

// --- shape rules -----------------------------------------------------------------------------------------------------

std::string refusal(const Operator& op, std::vector<TensorType> in) {
  DimPool pool;
  std::vector<TensorType> out(static_cast<size_t>(op.output_count()));
  return std::string(op.infer(pool, in, out).message());
}

TEST(Detection, NamesTheOperandThatDoesNotFit) {
  const TensorType x{DType::f32, {2, 4, 9, 9}};
  const OperatorPtr roi = *RoiAlign::make(RoiAlignAttributes{}), nms = *NonMaxSuppression::make({3});
  const auto has = [](const std::string& text, const char* part) {
    EXPECT_NE(text.find(part), std::string::npos) << text << " has no " << part;
  };
  EXPECT_EQ(refusal(*roi, {x, {DType::f32, {5, 4}}, {DType::i64, {5}}}), "");
  has(refusal(*roi, {x, {DType::f32, {5, 5}}, {DType::i64, {5}}}), "input 1 dim 1 is 5; expected 4");
  has(refusal(*roi, {x, {DType::f32, {5, 4}}, {DType::i64, {6}}}), "input 2 dim 0 is 6; expected 5");
  has(refusal(*roi, {x, {DType::f64, {5, 4}}, {DType::i64, {5}}}), "input 1 has dtype f64");
  has(refusal(*roi, {x, {DType::f32, {5, 4}}, {DType::f32, {5}}}), "input 2 has dtype f32; indices are i64 or i32");
  const TensorType boxes{DType::f32, {2, 7, 4}}, scores{DType::f32, {2, 3, 7}}, most{DType::i64, {}}, iou{DType::f32, {1}};
  EXPECT_EQ(refusal(*nms, {boxes, scores, most, iou, {}}), "");
  has(refusal(*nms, {boxes, {DType::f32, {2, 3, 8}}, most}), "input 1 dim 2 is 8; expected 7");
  has(refusal(*nms, {boxes, scores, {DType::i32, {}}}), "input 2 has dtype i32; expected i64");
  has(refusal(*nms, {boxes, scores, most, {DType::f32, {2}}}), "input 3 has dims [2]; expected one element");
  has(refusal(*nms, {{DType::f16, {2, 7, 4}}, scores, most}), "input 0 has dtype f16; expected f32");
  DeformColumnsAttributes d;
  d.spatial = 2, d.groups = 2;
  const OperatorPtr columns = *DeformColumns::make(d);
  EXPECT_EQ(refusal(*columns, {x, {DType::f32, {2, 4, 9, 9}}}), "");
  has(refusal(*columns, {x, {DType::f32, {2, 2, 9, 9}}}), "input 1 dim 1 is 2; expected 4");
  has(refusal(*columns, {x, {DType::f32, {2, 4, 8, 9}}}), "input 1 dim 2 is 8; expected 9");
  has(refusal(*columns, {{DType::f32, {2, 3, 9, 9}}, {DType::f32, {2, 4, 9, 9}}}), "expected a multiple of the 2 groups");
  FoldAttributes f;
  f.spatial = 2, f.image = {4, 5}, f.window = {2, 2};
  const OperatorPtr fold = *Fold::make(f);
  EXPECT_EQ(refusal(*fold, {{DType::f32, {1, 8, 12}}}), "");
  has(refusal(*fold, {{DType::f32, {1, 7, 12}}}), "input 0 dim 1 is 7; expected a multiple of the window's 4 elements");
  has(refusal(*fold, {{DType::f32, {1, 8, 13}}}), "input 0 dim 2 is 13; expected 12");
  has(refusal(*fold, {{DType::boolean, {1, 8, 12}}}), "dtype bool");
}

TEST(Detection, DimsMayBeSymbols) {
  DimPool pool;
  const Dim n = pool.symbol("n");
  const TensorType in[] = {{DType::f32, {2, n, 4}}, {DType::f32, {2, 3, n}}, {DType::i64, {}}};
  TensorType out[2];
  ASSERT_TRUE((*NonMaxSuppression::make({pool.min(n, 10)}))->infer(pool, in, out).ok());
  EXPECT_EQ(pool.text(out[0].dims), pool.text(SymDims{pool.mul(6, pool.min(n, 10)), 3}));
}

}  // namespace
}  // namespace anydim::testing
