// SPDX-License-Identifier: Apache-2.0
// Tables of plan choices, their exchange under readers, buckets, and what a tuner accepts.
#include "core/dispatch/tiers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "core/dispatch/primitive.h"
#include "core/dispatch/primitive_tuning.h"
#include "core/kernels/conv/conv.h"
#include "core/kernels/gemm/gemm.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/convolution.h"
#include "core/ops/matmul.h"

namespace anydim {
namespace {

using testing::Random;

Args args_of(const TensorView& in, int threads) {
  Args a;
  a.in = {&in, 1};
  a.parallel = Parallel(threads);
  return a;
}
TensorView view(Dims dims) {
  TensorView t;
  t.dtype = DType::f32;
  t.dims = dims;
  t.strides = dense_strides(dims);
  return t;
}
TierEntry entry(uint64_t key, int32_t value) { return {key, {{value, value, value, value, value, value}}, 1.5f}; }

TEST(Buckets, hold_a_range_of_dims_each_up_to_a_quarter_above_the_one_before) {
  int64_t last = 0;
  for (int64_t d = 0; d < 100000; ++d) {
    const int64_t b = bucket_of(d);
    ASSERT_GE(b, d);
    ASSERT_LE(b, std::max<int64_t>(d + d / 4, 8)) << d;
    ASSERT_GE(b, last) << "buckets go up with the dim";
    ASSERT_EQ(bucket_of(b), b) << "the upper end is in its own bucket";
    last = b;
  }
}

TEST(PlanKeys, differ_by_dims_and_threads_and_not_by_strides) {
  TensorView a = view({1, 64, 20, 30}), b = view({1, 64, 30, 20}), c = a;
  c.strides = dense_strides(c.dims, channels_last(4));
  EXPECT_NE(plan_key(args_of(a, 1)), plan_key(args_of(b, 1)));
  EXPECT_NE(plan_key(args_of(a, 1)), plan_key(args_of(a, 2)));
  EXPECT_EQ(plan_key(args_of(a, 1)), plan_key(args_of(c, 1)));
  EXPECT_NE(plan_key(args_of(a, 1)), bucket_key(args_of(a, 1)));
  TensorView near = view({1, 64, 20, 29});
  EXPECT_EQ(bucket_key(args_of(a, 1)), bucket_key(args_of(near, 1)));
}

TEST(Tables, keep_what_was_put_in_and_survive_a_trip_to_disk) {
  Random r(1);
  std::unique_ptr<const TierTable> table = std::make_unique<const TierTable>(std::vector<TierEntry>());
  std::vector<TierEntry> all;
  for (int i = 0; i < 500; ++i) {
    all.push_back(entry(r.engine()(), i));
    table = table->with(all.back());
  }
  table = table->with(entry(all[7].key, 99));
  all[7] = entry(all[7].key, 99);
  const auto back = TierTable::from_bytes(table->to_bytes());
  ASSERT_NE(back, nullptr);
  for (const TierEntry& e : all) {
    ASSERT_NE(back->find(e.key), nullptr);
    EXPECT_EQ(*back->find(e.key), e);
  }
  EXPECT_EQ(back->find(12345), nullptr);
  EXPECT_EQ(TierTable::from_bytes(table->to_bytes().substr(1)), nullptr) << "a record of another length is none";
}

TEST(Tables, have_a_largest_size) {
  std::unique_ptr<const TierTable> table = std::make_unique<const TierTable>(std::vector<TierEntry>());
  for (uint64_t i = 0; i < TierTable::kMostEntries + 100; ++i) table = table->with(entry(i * 7919, 1));
  EXPECT_EQ(table->entries().size(), TierTable::kMostEntries);
  EXPECT_NE(table->find((TierTable::kMostEntries + 99) * 7919), nullptr) << "the newest is in it";
}

// Every entry has equal numbers: a torn or freed table would show others.
TEST(Tiers, give_readers_whole_entries_while_tables_are_exchanged) {
  Tiers tiers;
  const TensorView in = view({3, 4});
  std::atomic<bool> stop{false};
  std::atomic<int64_t> found{0};
  std::vector<std::thread> readers;
  for (int i = 0; i < 3; ++i)
    readers.emplace_back([&] {
      const Args args = args_of(in, 1);
      while (!stop) {
        TierEntry e;
        if (!tiers.find(args, &e)) continue;
        found.fetch_add(1);
        for (int32_t v : e.choice.value) ASSERT_EQ(v, e.choice.value[0]);
      }
    });
  const uint32_t before = tier_epoch();
  for (int32_t i = 0; i < 5000 || found < 100; ++i) tiers.publish(entry(plan_key(args_of(in, 1)), i));
  stop = true;
  for (std::thread& t : readers) t.join();
  EXPECT_GE(tier_epoch() - before, 5000u) << "contexts are told";
  EXPECT_EQ(tiers.entries().size(), 1u);
}

// --- the tuner ---------------------------------------------------------------------------------------------------------

const HostKernel& fastest_matmul() {
  for (const HostKernel* k : gemm_kernels())
    if (cpu().usable.includes(k->key().isa)) return *k;
  return gemm_reference();
}

struct Problem64 {
  OperatorPtr op = *Matmul::make({});
  PostOps none;
  testing::OwnedTensor a{DType::f32, {192, 256}}, b{DType::f32, {256, 320}}, c{DType::f32, {192, 320}};
  std::vector<TensorView> in{a.view(), b.view()}, out{c.view()};
  PackedWeights packed;
  std::vector<std::byte> scratch;
  Args args;
  Problem64() {
    Random r(2);
    a.fill(r);
    b.fill(r);
    EXPECT_TRUE(testing::pack_second(fastest_matmul(), *op, in, &packed).ok());
    args.op = op.get();
    args.post_ops = &none;
    args.in = in;
    args.out = out;
    args.weights = &packed;
    Plan plan;
    fastest_matmul().plan(args, &plan);
    scratch.resize(static_cast<size_t>(plan.scratch) + 64);
    args.scratch = reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) & ~uintptr_t{63});
  }
};

TEST(Tuner, recovers_from_a_planted_bad_plan) {
  Problem64 p;
  const PlanChoice bad{{1, 1, 0, 0, 0, 0}};  // tiles of one row
  TuneOptions options;
  options.baseline = &bad;
  options.clock = thread_clock;  // the machine may be busy
  options.budget_ns = INT64_C(5000000000);
  const TuneOutcome o = tune_plan(fastest_matmul(), p.args, static_cast<int64_t>(p.scratch.size()) - 64, options);
  EXPECT_TRUE(o.swapped);
  EXPECT_FALSE(o.choice == bad);
  EXPECT_LE(o.high, 0.99);
  EXPECT_LE(o.low, o.ratio);
  EXPECT_LE(o.ratio, o.high);
}

// Layers of PP-OCRv4, YOLOv8n and ResNet-50 (channels, plane, kernel, stride), one image each.
TEST(Tuner, recovers_from_planted_bad_plans_on_nineteen_of_twenty_layers) {
  struct Layer {
    int64_t in, out, plane, kernel, stride;
  };
  constexpr Layer kLayers[] = {{64, 64, 28, 3, 1},   {128, 128, 14, 3, 1}, {256, 256, 7, 3, 1},  {64, 256, 28, 1, 1},  {256, 64, 28, 1, 1},
                               {512, 128, 14, 1, 1}, {120, 240, 12, 1, 1}, {240, 120, 12, 1, 1}, {480, 480, 6, 1, 1},  {16, 32, 40, 3, 2},
                               {32, 64, 20, 3, 2},   {64, 18, 20, 1, 1},   {96, 24, 40, 1, 1},   {24, 24, 40, 3, 1},   {144, 72, 10, 3, 1},
                               {32, 32, 24, 3, 1},   {48, 96, 24, 1, 1},   {200, 100, 9, 1, 1},  {128, 256, 10, 3, 2}, {256, 512, 7, 1, 1}};
  int recovered = 0;
  for (const Layer& l : kLayers) {
    Convolution::Attributes a;
    for (int i = 0; i < 2; ++i) {
      a.strides[i] = l.stride;
      a.pads_begin[i] = a.pads_end[i] = l.kernel / 2;
    }
    const OperatorPtr op = *Convolution::make(a);
    Random r(3);
    const int64_t side = (l.plane - 1) / l.stride + 1;
    testing::OwnedTensor x(DType::f32, {1, l.in, l.plane, l.plane}, testing::Layout::channels_last),
        w(DType::f32, {l.out, l.in, l.kernel, l.kernel}), y(DType::f32, {1, l.out, side, side}, testing::Layout::channels_last);
    x.fill(r);
    w.fill(r);
    const HostKernel* kernel = nullptr;
    for (const HostKernel* k : conv_kernels())
      if (!kernel && cpu().usable.includes(k->key().isa) && std::string_view(k->name()).find("tiles") != std::string_view::npos) kernel = k;
    std::vector<TensorView> in{x.view(), w.view()}, out{y.view()};
    PackedWeights packed;
    ASSERT_TRUE(testing::pack_second(*kernel, *op, in, &packed).ok());
    const PostOps none;
    Args args;
    args.op = op.get();
    args.post_ops = &none;
    args.in = in;
    args.out = out;
    args.weights = &packed;
    Plan plan;
    kernel->plan(args, &plan);
    auto scratch = AlignedBuffer::allocate(plan.scratch);
    args.scratch = scratch->data();
    const PlanChoice bad{{1, 1, 0, 0, 0, 0}};
    TuneOptions options;
    options.baseline = &bad;
    options.clock = thread_clock;  // the machine may be busy
    options.budget_ns = INT64_C(3000000000);
    const TuneOutcome o = tune_plan(*kernel, args, plan.scratch, options);
    recovered += o.swapped && o.high < 0.99;
    if (!o.swapped)
      std::printf("not recovered: %d -> %d, %dx%d kernel %d\n", static_cast<int>(l.in), static_cast<int>(l.out), static_cast<int>(l.plane),
                  static_cast<int>(l.plane), static_cast<int>(l.kernel));
  }
  EXPECT_GE(recovered, 19);
}

TEST(Tuner, takes_a_choice_back_that_is_not_faster_again) {
  Problem64 p;
  const auto bytes = static_cast<int64_t>(p.scratch.size()) - 64;
  TuneOptions options;
  options.clock = thread_clock;
  options.budget_ns = INT64_C(60000000000);  // what it says is tested, also under sanitizers
  const auto chosen = [&](const PlanChoice& choice) {
    TuneOutcome o;
    o.complete = o.swapped = true;
    o.choice = choice;
    o.ratio = o.low = o.high = 0.9;  // as a moment's luck may say
    o.baseline_ns = 10000;
    confirm_plan(fastest_matmul(), p.args, bytes, options, &o);
    return o;
  };
  const TuneOutcome back = chosen({{1, 1, 0, 0, 0, 0}});
  EXPECT_FALSE(back.swapped);
  EXPECT_TRUE(back.complete);
  EXPECT_EQ(back.choice, PlanChoice{});
  EXPECT_EQ(back.ratio, 1);
  const PlanChoice bad{{1, 1, 0, 0, 0, 0}};
  options.baseline = &bad;
  const TuneOutcome kept = chosen({});
  EXPECT_TRUE(kept.swapped);
  EXPECT_LE(kept.high, 0.99);
}

TEST(Tuner, stops_when_told_and_then_keeps_the_plan_it_found) {
  Problem64 p;
  const std::atomic<bool> stop{true};
  const PlanChoice bad{{1, 1, 0, 0, 0, 0}};
  TuneOptions options;
  options.baseline = &bad;
  options.clock = thread_clock;  // the machine may be busy
  options.stop = &stop;
  EXPECT_FALSE(tune_plan(fastest_matmul(), p.args, static_cast<int64_t>(p.scratch.size()) - 64, options).swapped);
}

TEST(Tuner, compares_two_plans_by_samples_of_their_own) {
  Problem64 p;
  const auto bytes = static_cast<int64_t>(p.scratch.size()) - 64;
  const PlanChoice bad{{1, 1, 0, 0, 0, 0}};  // tiles of one row
  const PlanRatio slower = compare_plans(fastest_matmul(), p.args, bytes, &bad, nullptr, 41, thread_clock);
  EXPECT_GT(slower.low, 1.05);
  EXPECT_LE(slower.low, slower.ratio);
  EXPECT_LE(slower.ratio, slower.high);
  EXPECT_GT(slower.baseline_ns, 0);
  EXPECT_LT(compare_plans(fastest_matmul(), p.args, bytes, nullptr, &bad, 41, thread_clock).high, 0.95);
  const PlanRatio same = compare_plans(fastest_matmul(), p.args, bytes, &bad, &bad, 41, thread_clock);
  EXPECT_LT(same.low, 1.05);
  EXPECT_GT(same.high, 0.95);
}

TEST(Tuner, finds_nothing_where_a_kernel_has_one_plan) {
  Problem64 p;
  p.args.weights = nullptr;
  const TuneOutcome o = tune_plan(gemm_reference(), p.args, 0, {});
  EXPECT_FALSE(o.swapped);
  EXPECT_EQ(o.candidates, 0);
}

}  // namespace
}  // namespace anydim
