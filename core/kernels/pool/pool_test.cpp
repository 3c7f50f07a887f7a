// SPDX-License-Identifier: Apache-2.0
// Pooling: every kernel against the reference on random windows, and the reference against values by hand.
#include "core/kernels/pool/pool.h"

#include <unistd.h>

#include <cmath>

#include "core/kernels/pool/bytes.h"
#include "core/kernels/pool/pool_job.h"
#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/pooling.h"

namespace anydim::testing {
namespace {

constexpr Layout kLayouts[] = {Layout::channels_last,        Layout::row_major, Layout::permuted, Layout::padded_rows,
                               Layout::padded_channels_last, Layout::reversed};
Layout any_layout(Random& r) { return drawn(kLayouts, r); }

auto float_kernels() {
  auto list = runnable(pool_kernels());
  std::erase(list, kPoolBytes);
  std::erase_if(list, [](const HostKernel* k) { return std::ranges::count(pool_indices_list(), k) > 0; });
  return list;
}

const HostKernel& reference() { return *pool_kernels().back(); }

Pooling::Attributes any_attributes(Random& r, int spatial) {
  Pooling::Attributes a;
  a.kind = r.chance(0.5) ? Pooling::Kind::max : Pooling::Kind::average;
  a.global = r.chance(0.2);
  a.spatial = spatial;
  for (int i = 0; i < spatial; ++i) {
    a.window[i] = r.integer(1, r.chance(0.1) ? 30 : 5);
    a.strides[i] = r.integer(1, 3);
    a.dilations[i] = r.chance(0.7) ? 1 : r.integer(1, 3);
    a.pads_begin[i] = r.integer(0, 3);
    a.pads_end[i] = r.integer(0, 3);
  }
  a.auto_pad = r.chance(0.6) ? AutoPad::explicit_ : static_cast<AutoPad>(r.integer(1, 3));
  a.ceil_mode = r.chance(0.3);
  a.count_include_pad = a.kind == Pooling::Kind::average && r.chance(0.5);
  return a;
}

TEST(Pooling, EveryKernelEqualsTheReference) {
  Random r(11);
  for (int n = 0; n < 200; ++n) {
    const int spatial = static_cast<int>(r.integer(1, 3));
    Dims d = {r.chance(0.05) ? 0 : r.integer(1, 2), r.chance(0.2) ? r.integer(60, 140) : r.integer(1, 40)};
    for (int i = 0; i < spatial; ++i) d.push_back(r.chance(0.03) ? 0 : r.integer(1, spatial == 1 ? 700 : spatial == 2 ? 30 : 11));
    const auto op = *Pooling::make(any_attributes(r, spatial));
    testing::Run run{op.get()};
    run.in = {std::move(OwnedTensor(DType::f32, d, any_layout(r), &r).fill(r, r.chance(0.3) ? 0.1 : 0.0))};
    const Outcome truth = run_kernel(reference(), run, &r);
    ASSERT_TRUE(truth.status.ok()) << truth.status.message();
    for (const HostKernel* k : float_kernels()) {
      run.threads = static_cast<int>(r.integer(1, 2));
      run.out_layouts = {any_layout(r)};
      const Outcome o = run_kernel(*k, run, &r);
      ASSERT_TRUE(o.status.ok() && o.refusal == nullptr) << k->name();
      ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << k->name() << " " << describe(*op) << " " << to_string(d);
    }
    ASSERT_GT(expect_half_equals_reference(reference(), run, r), 0);
    if (HasFailure()) return;
  }
}

TEST(Pooling, WindowsOfOneColumnHaveTheReferencesBitsInRowsAndInAnyOrder) {
  Random r(14);
  for (int n = 0; n < 60 && !HasFailure(); ++n) {
    const int spatial = static_cast<int>(r.integer(2, 3));
    Pooling::Attributes a = any_attributes(r, spatial);
    a.global = false;
    a.window[spatial - 1] = a.strides[spatial - 1] = 1;
    if (r.chance(0.2)) a.window[0] = 70;  // more than a block of taps
    Dims d{r.integer(1, 2), r.integer(5, 20)};
    for (int i = 0; i < spatial; ++i) d.push_back(r.integer(1, i + 1 == spatial ? 90 : 20));
    const auto op = *Pooling::make(a);
    testing::Run run{op.get()};
    run.in = {std::move(OwnedTensor(DType::f32, d, r.flag() ? Layout::row_major : any_layout(r), &r).fill(r, r.chance(0.3) ? 0.1 : 0.0))};
    const Outcome truth = run_kernel(reference(), run, &r);
    if (!truth.status.ok()) continue;
    for (const HostKernel* k : float_kernels()) {
      run.threads = static_cast<int>(r.integer(1, 2));
      run.out_layouts = {r.flag() ? Layout::row_major : any_layout(r)};
      const Outcome o = run_kernel(*k, run, &r);
      ASSERT_TRUE(o.status.ok() && o.refusal == nullptr) << k->name();
      ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << k->name() << " " << describe(*op) << " " << to_string(d);
    }
  }
}

TEST(Pooling, MaximaOfZerosInfinitiesAndNaNAreThoseOfTheReferenceWhereWindowsShareALotOrLittle) {
  Random r(17);
  for (int n = 0; n < 60; ++n) {
    Pooling::Attributes a;
    a.spatial = 2;
    for (int i = 0; i < 2; ++i) {
      a.window[i] = r.integer(1, r.chance(0.1) ? 20 : 5);
      a.strides[i] = r.integer(1, 3);
      a.dilations[i] = r.chance(0.8) ? 1 : 2;
      a.pads_begin[i] = a.pads_end[i] = r.integer(0, a.window[i] - 1);
    }
    const auto op = *Pooling::make(a);
    const Dims d = {1, r.chance(0.2) ? r.integer(250, 290) : r.integer(8, 70), r.integer(20, 50), r.integer(20, 50)};
    testing::Run run{op.get()};
    OwnedTensor x(DType::f32, d, r.chance(0.8) ? Layout::channels_last : Layout::padded_channels_last, &r);
    const int kinds = static_cast<int>(r.integer(1, 5));  // zeros alone, then one more of each
    const float values[] = {0.f, -0.f, -1.f, INFINITY, -INFINITY, NAN};
    const bool rare = r.chance(0.5);
    x.each([&](int64_t, std::byte* p) {
      const float v = rare && !r.chance(0.01) ? -0.f : values[r.integer(0, kinds)];
      std::memcpy(p, &v, 4);
    });
    run.in = {std::move(x)};
    const Outcome truth = run_kernel(reference(), run, &r);
    ASSERT_TRUE(truth.status.ok()) << truth.status.message();
    for (const HostKernel* k : float_kernels()) {
      run.threads = static_cast<int>(r.integer(1, 2));
      run.out_layouts = {Layout::channels_last};
      const Outcome o = run_kernel(*k, run, &r);
      ASSERT_TRUE(o.status.ok() && o.refusal == nullptr) << k->name();
      ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << k->name() << " " << describe(*op) << " " << to_string(d);
    }
  }
}

TEST(Pooling, MaximaOfFewChannelsAreThoseOfTheReferenceInRowsOfAnyLength) {
  Random r(18);
  constexpr Layout kRows[] = {Layout::row_major, Layout::row_major, Layout::padded_rows, Layout::reversed};
  for (int n = 0; n < 60; ++n) {
    Pooling::Attributes a = any_attributes(r, 2);
    a.kind = Pooling::Kind::max;
    a.count_include_pad = a.global = false;
    for (int i = 0; i < 2; ++i) a.window[i] = r.integer(1, r.chance(0.1) ? 300 : 9), a.strides[i] = r.integer(1, r.chance(0.1) ? 70 : 9);
    const auto op = *Pooling::make(a);
    testing::Run run{op.get()};
    const Dims d{r.integer(1, 2), r.integer(1, 4), r.integer(1, 40), r.integer(1, r.chance(0.4) ? 3000 : 60)};
    OwnedTensor x(DType::f32, d, drawn(kRows, r), &r);
    const float values[] = {0.f, -0.f, -1.f, -INFINITY, NAN};
    const int64_t kinds = r.integer(1, 4);
    if (r.flag()) x.fill(r);
    else
      x.each([&](int64_t, std::byte* p) {
        const float v = r.chance(0.02) ? values[r.integer(0, kinds)] : -0.f;
        std::memcpy(p, &v, 4);
      });
    run.in = {std::move(x)};
    const Outcome truth = run_kernel(reference(), run, &r);
    ASSERT_TRUE(truth.status.ok()) << truth.status.message();
    for (const HostKernel* k : float_kernels()) {
      run.threads = static_cast<int>(r.integer(1, 2));
      run.out_layouts = {drawn(kRows, r)};
      const Outcome o = run_kernel(*k, run, &r);
      ASSERT_TRUE(o.status.ok() && o.refusal == nullptr) << k->name();
      ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << k->name() << " " << describe(*op) << " " << to_string(d);
    }
  }
}

TEST(Pooling, MaximaOfBytesAreThoseOfTheReference) {
  Random r(19);
  for (int n = 0; n < 120; ++n) {
    const int spatial = static_cast<int>(r.integer(1, 3));
    Dims d = {r.chance(0.1) ? 0 : r.integer(1, 2), r.chance(0.3) ? r.integer(60, 140) : r.integer(1, 40)};
    for (int i = 0; i < spatial; ++i) d.push_back(r.chance(0.05) ? 0 : r.integer(1, spatial == 1 ? 200 : 12));
    Pooling::Attributes a = any_attributes(r, spatial);
    a.kind = Pooling::Kind::max;
    a.count_include_pad = false;
    const auto op = *Pooling::make(a);
    testing::Run run{op.get()};
    OwnedTensor x(r.flag() ? DType::i8 : DType::u8, d, any_layout(r), &r);
    x.each([&](int64_t, std::byte* p) { *p = static_cast<std::byte>(r.integer(0, 255)); });
    run.in = {std::move(x)};
    const Outcome truth = run_kernel(reference(), run, &r);
    ASSERT_TRUE(truth.status.ok()) << truth.status.message();
    run.threads = static_cast<int>(r.integer(1, 2));
    run.out_layouts = {any_layout(r)};
    const Outcome o = run_kernel(*kPoolBytes, run, &r);
    ASSERT_TRUE(o.status.ok() && o.refusal == nullptr);
    ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << describe(*op) << " " << to_string(d);
  }
}

// Both would take hours if a kernel walked the window instead of what lies in it: the alarm ends the program.
TEST(Pooling, AWindowWithoutElementsTakesNoTimeHoweverLongItIs) {
  constexpr int64_t kLong = INT64_C(1) << 20;
  alarm(60);
  for (const bool average : {true, false})
    for (const Dims& d : {Dims{1, 20, kLong, kLong, 0}, Dims{1, 20, kLong, 0, kLong}, Dims{1, 20, 0, kLong, kLong}}) {
      Pooling::Attributes a;
      a.kind = average ? Pooling::Kind::average : Pooling::Kind::max;
      a.global = true;
      a.spatial = 3;
      const auto op = *Pooling::make(a);
      testing::Run run{op.get()};
      run.in = {OwnedTensor(DType::f32, d, Layout::row_major)};
      for (const HostKernel* k : float_kernels()) {
        const Outcome o = run_kernel(*k, run);
        ASSERT_TRUE(o.status.ok()) << k->name();
        for (int64_t c = 0; c < 20; ++c) {
          const float y = o.out[0].get<float>(c);
          ASSERT_TRUE(average ? std::isnan(y) : y == -INFINITY) << k->name() << " " << to_string(d) << " " << y;
        }
      }
    }
  alarm(0);
}

TEST(Pooling, AWindowFarLongerThanTheInputTakesTheTimeOfItsElements) {
  constexpr int64_t kLong = INT64_C(1) << 20;
  alarm(60);
  Random r(13);
  for (const bool average : {true, false})
    for (const bool more : {true, false}) {
      Pooling::Attributes a;
      a.kind = average ? Pooling::Kind::average : Pooling::Kind::max;
      a.count_include_pad = average && more;
      a.indices = !average && more;
      a.spatial = 2;
      for (int i = 0; i < 2; ++i) a.window[i] = a.strides[i] = kLong, a.pads_begin[i] = a.pads_end[i] = kLong - 2;
      const auto op = *Pooling::make(a);
      testing::Run run{op.get()};
      run.in = {std::move(OwnedTensor(DType::f32, {1, 3, 4, 4}, Layout::row_major).fill(r))};
      const Outcome truth = run_kernel(reference(), run);
      ASSERT_TRUE(truth.status.ok());
      ASSERT_EQ(truth.out[0].view().dims, (Dims{1, 3, 2, 2}));
      // The first window ends with the input's first two rows and columns.
      const auto x = [&](int64_t i) { return run.in[0].get<float>(i); };
      if (!average) {
        EXPECT_EQ(truth.out[0].get<float>(0), std::max(std::max(x(0), x(1)), std::max(x(4), x(5))));
      }
      if (a.indices) {
        EXPECT_LE(truth.out[1].get<int64_t>(0), 5);
        for (const HostKernel* k : runnable(pool_indices_list())) {
          const Outcome o = run_kernel(*k, run);
          ASSERT_TRUE(same_bits(truth.out[0], o.out[0]) && same_bits(truth.out[1], o.out[1])) << k->name();
        }
      }
      for (const HostKernel* k : float_kernels()) {
        const Outcome o = run_kernel(*k, run);
        ASSERT_TRUE(o.refusal != nullptr || same_bits(truth.out[0], o.out[0])) << k->name();
      }
    }
  alarm(0);
}

TEST(Pooling, GlobalAverageOfALargePlaneKeepsItsBlocks) {
  Random r(12);
  Pooling::Attributes a;
  a.kind = Pooling::Kind::average;
  a.global = true;
  const auto op = *Pooling::make(a);
  testing::Run run{op.get()};
  run.in = {std::move(OwnedTensor(DType::f32, {1, 40, 37, 41}, Layout::channels_last).fill(r))};
  const Outcome truth = run_kernel(reference(), run);
  for (const HostKernel* k : float_kernels())
    for (int threads : {1, 2}) {
      run.threads = threads;
      const Outcome o = run_kernel(*k, run);
      ASSERT_TRUE(same_bits(truth.out[0], o.out[0])) << k->name() << " on " << threads << " threads";
    }
  // By hand, for channel 7.
  float total = 0;
  for (int64_t b = 0; b * kPoolBlock < 37 * 41; ++b) {
    float block = 0;
    for (int64_t i = b * kPoolBlock; i < 37 * 41 && i < (b + 1) * kPoolBlock; ++i) block += run.in[0].get<float>(7 * 37 * 41 + i);
    total = b == 0 ? block : total + block;
  }
  EXPECT_EQ(truth.out[0].get<float>(7), total / (37 * 41));
}

TEST(Pooling, TheRowOfABatchHasTheBitsOfThatRowAlone) {
  Random r(13);
  Pooling::Attributes a;
  a.kind = Pooling::Kind::average;
  a.window[0] = 3;
  a.window[1] = 2;
  a.strides[0] = 3;
  a.strides[1] = 2;
  const auto op = *Pooling::make(a);
  testing::Run batch{op.get()}, alone{op.get()};
  batch.in = {std::move(OwnedTensor(DType::f32, {4, 37, 9, 14}, Layout::channels_last).fill(r))};
  OwnedTensor one(DType::f32, {1, 37, 9, 14});
  const int64_t size = one.view().count();
  one.each([&](int64_t i, std::byte* p) {
    const float v = batch.in[0].get<float>(2 * size + i);
    std::memcpy(p, &v, 4);
  });
  alone.in = {one};
  for (const HostKernel* k : float_kernels()) {
    const Outcome b = run_kernel(*k, batch), o = run_kernel(*k, alone);
    const int64_t n = o.out[0].view().count();
    for (int64_t i = 0; i < n; i += 13) ASSERT_EQ(b.out[0].get<float>(2 * n + i), o.out[0].get<float>(i)) << k->name();
  }
}

TEST(Pooling, IndicesNameTheFirstWinnerInEitherStorageOrder) {
  Pooling::Attributes a;
  a.window[0] = a.window[1] = 2;
  a.strides[0] = a.strides[1] = 2;
  a.indices = true;
  OwnedTensor x(DType::f32, {1, 2, 2, 4});
  const float values[16] = {1, 5, 5, 2, 5, 0, 7, 7, 0, 0, -1, -2, -0.f, 0, -3, -1};
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &values[i], 4); });
  for (bool column_major : {false, true}) {
    a.column_major_indices = column_major;
    const auto op = *Pooling::make(a);
    testing::Run run{op.get()};
    run.in = {x};
    const Outcome o = run_kernel(reference(), run);
    ASSERT_TRUE(o.status.ok());
    const int64_t row_major[4] = {1, 6, 8, 10}, by_column[4] = {2, 5, 8, 12};
    for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(o.out[1].get<int64_t>(i), (column_major ? by_column : row_major)[i]) << i;
  }
}

// Windows, strides, pads, dilations and layouts of one to three axes; equal elements, zeros of both signs, NaN.
TEST(Pooling, IndicesEqualTheReferencesWithAnyWindow) {
  Random r(21);
  for (int n = 0; n < 120 && !HasFailure(); ++n) {
    Pooling::Attributes a;
    a.indices = true;
    a.column_major_indices = r.chance(0.3);
    a.spatial = static_cast<int>(r.integer(1, 3));
    Dims d{r.integer(1, 2), r.integer(1, 20)};
    for (int i = 0; i < a.spatial; ++i) {
      d.push_back(r.integer(1, i + 1 == a.spatial ? 45 : 7));
      a.window[i] = r.integer(1, 4);
      a.strides[i] = r.integer(1, 3);
      a.dilations[i] = r.integer(1, 2);
      a.pads_begin[i] = r.integer(0, a.window[i] - 1);
      a.pads_end[i] = r.integer(0, a.window[i] - 1);
      a.ceil_mode = r.chance(0.3);
    }
    const auto op = Pooling::make(a);
    ASSERT_TRUE(op.ok());
    DimPool pool;
    TensorType in{DType::f32, {}};
    for (const int64_t dim : d) in.dims.push_back(dim);
    TensorType out[2];
    if (!(*op)->infer(pool, {&in, 1}, out).ok()) continue;
    OwnedTensor x(DType::f32, d, any_layout(r), &r);
    x.each([&](int64_t, std::byte* p) {
      const float v = r.chance(0.05) ? NAN : r.chance(0.2) ? (r.flag() ? 0.f : -0.f) : static_cast<float>(r.integer(-4, 4));
      std::memcpy(p, &v, sizeof v);
    });
    testing::Run run{op->get()};
    run.in = {x};
    run.threads = static_cast<int>(r.integer(1, 2));
    const Outcome truth = run_kernel(reference(), run);
    if (!truth.status.ok()) continue;
    run.out_layouts = {any_layout(r), any_layout(r)};
    for (const HostKernel* k : runnable(pool_indices_list())) {
      const Outcome o = run_kernel(*k, run, &r);
      ASSERT_EQ(o.refusal, nullptr);
      for (size_t i = 0; i < 2; ++i) EXPECT_TRUE(same_bits(truth.out[i], o.out[i])) << k->name() << " " << to_string(d);
    }
  }
}

TEST(Pooling, CeilModeDropsAWindowThatBeginsInThePaddingAfterTheInput) {
  DimPool pool;
  Pooling::Attributes a;
  a.spatial = 1;
  a.window[0] = 2;
  a.strides[0] = 3;
  a.pads_end[0] = 1;
  a.ceil_mode = true;
  TensorType in{DType::f32, {1, 1, 6}}, out;
  ASSERT_TRUE((*Pooling::make(a))->infer(pool, {&in, 1}, {&out, 1}).ok());
  EXPECT_EQ(out.dims[2].number(), 2);  // a third would begin at 6, past the input
  a.ceil_mode = false;
  ASSERT_TRUE((*Pooling::make(a))->infer(pool, {&in, 1}, {&out, 1}).ok());
  EXPECT_EQ(out.dims[2].number(), 2);
}

}  // namespace
}  // namespace anydim::testing
