// SPDX-License-Identifier: Apache-2.0
// What a tuner chooses, confirms and withdraws. Kernels, layers and the plans that are offered are real; how long a plan runs is
// planted, on a clock of its own that stands still while nothing runs, so that no test hangs on how busy the machine is. What
// real plans gain on a real clock is measured by bench/tuning.py.
#include "core/dispatch/tuning/tuner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "core/kernels/conv/conv.h"
#include "core/kernels/matmul/matmul.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"

namespace anydim {
namespace {

using testing::Random;

constexpr int64_t kNoBudget = INT64_MAX / 4;         // the budget is the wall's, which does not count here
constexpr PlanChoice kBad{{1, 1, 0, 0, 0, 0}};       // tiles of one row
constexpr int64_t kOwn = 100'000, kSlow = 3 * kOwn;  // ns: of the cost model's plan and of the bad one
constexpr int kJitter = 10, kDisturbed = 16;         // percent that a run may be longer; one run of so many takes twice as long
constexpr double kTrusted = 0.1;                     // how far from the truth samples with kJitter may lead

int64_t planted_now = 0;
int64_t planted_clock() noexcept { return planted_now; }

// Times of plans, by choice; null: the cost model's own.
using Times = std::function<int64_t(const PlanChoice* choice)>;

// A kernel's plans and choices; its runs only take time: their plan's, and what the noise of a machine adds, the same in each test.
class PlantedKernel final : public HostKernel {
 public:
  PlantedKernel(const HostKernel& inner, Times times) : inner_(inner), times_(std::move(times)) { planted_now = 0; }

  const char* name() const noexcept override { return inner_.name(); }
  const KernelKey& key() const noexcept override { return inner_.key(); }
  Support supports(const Problem& p) const noexcept override { return inner_.supports(p); }
  PackedForm packed_form(const Problem& p) const noexcept override { return inner_.packed_form(p); }
  void plan(const Args& args, Plan* plan) const noexcept override {
    inner_.plan(args, plan);
    plan->as<Made>() = {args.choice != nullptr, args.choice != nullptr ? *args.choice : PlanChoice{}};
  }
  int plan_revision() const noexcept override { return inner_.plan_revision(); }
  int plan_choices(const Args& args, std::span<PlanChoice> out) const noexcept override { return inner_.plan_choices(args, out); }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    return inner_.scratch_bound(p, in, out, threads);
  }
  Status run(const Plan& plan, const Args&) const noexcept override {
    const Made& made = plan.as<Made>();
    const int64_t time = times_(made.chosen ? &made.choice : nullptr);
    const int64_t jitter = time * static_cast<int64_t>(random_() % (kJitter + 1)) / 100;
    planted_now += (time + jitter) * (random_() % kDisturbed == 0 ? 2 : 1);
    ++runs;
    return {};
  }

  mutable int64_t runs = 0;

 private:
  struct Made {
    bool chosen;
    PlanChoice choice;
  };
  const HostKernel& inner_;
  const Times times_;
  mutable std::mt19937_64 random_{7};
};

// Times that differ by what a choice says and by layer: 0.8 to 2 times the cost model's own, which the choice without numbers is, too.
Times times_of_layer(int layer) {
  return [layer](const PlanChoice* choice) -> int64_t {
    if (choice == nullptr || *choice == PlanChoice{}) return kOwn;
    if (*choice == kBad) return kSlow;
    std::seed_seq seed{layer, choice->value[0], choice->value[1], choice->value[2], choice->value[3], choice->value[4], choice->value[5]};
    std::mt19937 drawn(seed);
    return kOwn * static_cast<int64_t>(80 + drawn() % 120) / 100;
  };
}

// Layers of PP-OCRv4, YOLOv8n and ResNet-50, one image each.
struct Layer {
  int64_t in, out, plane, kernel, stride;
};
constexpr Layer kLayers[] = {{64, 64, 28, 3, 1},   {128, 128, 14, 3, 1}, {256, 256, 7, 3, 1},  {64, 256, 28, 1, 1},  {256, 64, 28, 1, 1},
                             {512, 128, 14, 1, 1}, {120, 240, 12, 1, 1}, {240, 120, 12, 1, 1}, {480, 480, 6, 1, 1},  {16, 32, 40, 3, 2},
                             {32, 64, 20, 3, 2},   {64, 18, 20, 1, 1},   {96, 24, 40, 1, 1},   {24, 24, 40, 3, 1},   {144, 72, 10, 3, 1},
                             {32, 32, 24, 3, 1},   {48, 96, 24, 1, 1},   {200, 100, 9, 1, 1},  {128, 256, 10, 3, 2}, {256, 512, 7, 1, 1}};

const HostKernel& tiles() {
  for (const HostKernel* k : conv_kernels())
    if (cpu().usable.includes(k->key().isa) && std::string_view(k->name()).find("tiles") != std::string_view::npos) return *k;
  return gemm_reference();
}

// A layer as a call of its kernel.
struct Call {
  OperatorPtr op;
  PostOps none;
  testing::OwnedTensor x, w, y;
  std::vector<TensorView> in, out;
  PackedWeights packed;
  Args args;

  explicit Call(const Layer& l)
      : x(DType::f32, {1, l.in, l.plane, l.plane}, testing::Layout::channels_last),
        w(DType::f32, {l.out, l.in, l.kernel, l.kernel}),
        y(DType::f32, {1, l.out, (l.plane - 1) / l.stride + 1, (l.plane - 1) / l.stride + 1}, testing::Layout::channels_last),
        in{x.view(), w.view()},
        out{y.view()} {
    Convolution::Attributes a;
    for (int i = 0; i < 2; ++i) {
      a.strides[i] = l.stride;
      a.pads_begin[i] = a.pads_end[i] = l.kernel / 2;
    }
    op = *Convolution::make(a);
    Random r(3);
    x.fill(r);
    w.fill(r);
    EXPECT_TRUE(testing::pack_second(tiles(), *op, in, &packed).ok());
    args.op = op.get();
    args.post_ops = &none;
    args.in = in;
    args.out = out;
    args.weights = &packed;
  }
  // What a tuner may choose from.
  std::vector<PlanChoice> choices() const {
    std::vector<PlanChoice> all(48);
    all.resize(static_cast<size_t>(tiles().plan_choices(args, all)));
    return all;
  }
};

TuneOptions options_from(const PlanChoice* baseline) {
  TuneOptions options;
  options.baseline = baseline;
  options.clock = planted_clock;
  options.budget_ns = kNoBudget;
  return options;
}

constexpr int64_t kScratch = INT64_MAX;  // nothing runs that would use it

TEST(Tuner, recovers_from_planted_bad_plans_on_twenty_layers) {
  for (int i = 0; i < static_cast<int>(std::size(kLayers)); ++i) {
    const Call call(kLayers[i]);
    const Times times = times_of_layer(i);
    const PlantedKernel kernel(tiles(), times);
    ASSERT_GE(call.choices().size(), 1u) << "layer " << i;
    int64_t best = times(nullptr);
    for (const PlanChoice& c : call.choices()) best = std::min(best, times(&c));
    const TuneOutcome o = tune_plan(kernel, call.args, kScratch, options_from(&kBad));
    ASSERT_TRUE(o.swapped) << "layer " << i;
    EXPECT_TRUE(o.complete);
    EXPECT_FALSE(o.choice == kBad);
    const auto chosen = static_cast<double>(times(&o.choice));
    EXPECT_LE(chosen, static_cast<double>(best) * (1 + kTrusted)) << "layer " << i << ": as good as the best there is";
    const double truth = chosen / kSlow;
    EXPECT_NEAR(o.ratio, truth, truth * kTrusted) << "layer " << i;
    EXPECT_LE(o.low, o.ratio);
    EXPECT_LE(o.ratio, o.high);
    EXPECT_LE(o.high, 0.99);
  }
}

TEST(Tuner, keeps_the_plan_where_only_noise_makes_others_look_faster) {
  for (int i = 0; i < static_cast<int>(std::size(kLayers)); ++i) {
    const Call call(kLayers[i]);
    const PlantedKernel kernel(tiles(), [](const PlanChoice*) { return kOwn; });
    const TuneOutcome o = tune_plan(kernel, call.args, kScratch, options_from(nullptr));
    EXPECT_FALSE(o.swapped) << "layer " << i;
    EXPECT_TRUE(o.complete);
    EXPECT_EQ(o.ratio, 1);
    EXPECT_GT(o.candidates, 0);
  }
}

TEST(Tuner, takes_a_choice_back_whose_gain_was_a_moments) {
  const Call call(kLayers[0]);
  bool moment = true;
  const PlantedKernel kernel(tiles(), [&](const PlanChoice* c) { return c != nullptr && moment ? kOwn * 8 / 10 : kOwn; });
  const TuneOptions options = options_from(nullptr);
  TuneOutcome o = tune_plan(kernel, call.args, kScratch, options);
  ASSERT_TRUE(o.swapped);
  const TuneOutcome while_it_lasts = o;
  confirm_plan(kernel, call.args, kScratch, options, &o);
  EXPECT_TRUE(o.swapped);
  EXPECT_EQ(o.choice, while_it_lasts.choice);
  EXPECT_LE(o.high, 0.99);
  moment = false;
  confirm_plan(kernel, call.args, kScratch, options, &o);
  EXPECT_FALSE(o.swapped);
  EXPECT_TRUE(o.complete);
  EXPECT_EQ(o.choice, PlanChoice{});
  EXPECT_EQ(o.ratio, 1);
}

TEST(Tuner, takes_a_choice_back_that_is_slower) {
  const Call call(kLayers[1]);
  const PlantedKernel kernel(tiles(), times_of_layer(1));
  TuneOutcome o;
  o.complete = o.swapped = true;
  o.choice = kBad;
  o.ratio = o.low = o.high = 0.9;  // as a moment's luck may say
  o.baseline_ns = kOwn;
  confirm_plan(kernel, call.args, kScratch, options_from(nullptr), &o);
  EXPECT_FALSE(o.swapped);
  EXPECT_EQ(o.choice, PlanChoice{});
}

TEST(Tuner, stops_on_request_and_then_keeps_the_plan_it_found) {
  const Call call(kLayers[0]);
  const PlantedKernel kernel(tiles(), times_of_layer(0));
  const std::atomic<bool> stop{true};
  TuneOptions options = options_from(&kBad);
  options.stop = &stop;
  const TuneOutcome o = tune_plan(kernel, call.args, kScratch, options);
  EXPECT_FALSE(o.swapped);
  EXPECT_FALSE(o.complete);
}

TEST(Tuner, ends_with_its_budget_and_rests_do_not_count) {
  const Call call(kLayers[0]);
  const PlantedKernel kernel(tiles(), times_of_layer(0));
  TuneOptions options = options_from(&kBad);
  options.budget_ns = -1;  // over before it began
  EXPECT_FALSE(tune_plan(kernel, call.args, kScratch, options).complete);
  options.rest = [] { return INT64_C(1'000'000'000'000); };
  EXPECT_TRUE(tune_plan(kernel, call.args, kScratch, options).swapped) << "all of the time was rest";
}

TEST(Tuner, compares_two_plans_by_samples_of_their_own) {
  const Call call(kLayers[2]);
  const Times times = [](const PlanChoice* c) { return c != nullptr && *c == kBad ? kOwn * 5 / 4 : kOwn; };
  const PlantedKernel kernel(tiles(), times);
  const PlanRatio slower = compare_plans(kernel, call.args, kScratch, &kBad, nullptr, 41, planted_clock);
  EXPECT_NEAR(slower.ratio, 1.25, 1.25 * kTrusted);
  EXPECT_GT(slower.low, 1.15);
  EXPECT_LE(slower.low, slower.ratio);
  EXPECT_LE(slower.ratio, slower.high);
  EXPECT_GE(slower.baseline_ns, kOwn);
  const PlanRatio faster = compare_plans(kernel, call.args, kScratch, nullptr, &kBad, 41, planted_clock);
  EXPECT_NEAR(faster.ratio, 0.8, 0.8 * kTrusted);
  EXPECT_LT(faster.high, 0.87);
  const PlanRatio same = compare_plans(kernel, call.args, kScratch, &kBad, &kBad, 41, planted_clock);
  EXPECT_LE(same.low, 1);
  EXPECT_GE(same.high, 1);
}

TEST(Tuner, runs_short_plans_often_enough_for_a_clock) {
  const Call call(kLayers[0]);
  const auto runs_of = [&](int64_t time) {
    const PlantedKernel kernel(tiles(), [time](const PlanChoice*) { return time; });
    (void)compare_plans(kernel, call.args, kScratch, nullptr, nullptr, 6, planted_clock);
    return kernel.runs;
  };
  EXPECT_EQ(runs_of(kOwn), 2 + 1 + 2 * 6) << "one run is a sample";
  EXPECT_GE(runs_of(1000), 2 + (1 + 2 * 6) * 25) << "60 us each, by a first run of at most 2.2 us";
}

// The one test on real runs: whatever the machine's clock says, what comes out is a plan of the kernel.
TEST(Tuner, measures_real_runs_and_answers_with_a_plan_that_was_offered) {
  Call call(kLayers[8]);
  Plan plan;
  tiles().plan(call.args, &plan);
  auto scratch = AlignedBuffer::allocate(plan.scratch);
  ASSERT_TRUE(scratch.ok());
  call.args.scratch = scratch->data();
  TuneOptions options;
  options.baseline = &kBad;
  options.budget_ns = kNoBudget;
  const TuneOutcome o = tune_plan(tiles(), call.args, plan.scratch, options);
  EXPECT_TRUE(o.complete);
  EXPECT_GT(o.candidates, 0);
  EXPECT_GT(o.baseline_ns, 0);
  const std::vector<PlanChoice> offered = call.choices();
  EXPECT_TRUE(o.choice == PlanChoice{} || std::find(offered.begin(), offered.end(), o.choice) != offered.end());
  EXPECT_EQ(o.swapped, o.high <= 0.99);
}

TEST(Tuner, finds_nothing_where_a_kernel_has_one_plan) {
  const OperatorPtr op = *Matmul::make({});
  const PostOps none;
  testing::OwnedTensor a{DType::f32, {19, 25}}, b{DType::f32, {25, 32}}, c{DType::f32, {19, 32}};
  Random r(2);
  a.fill(r);
  b.fill(r);
  const std::vector<TensorView> in{a.view(), b.view()}, out{c.view()};
  Args args;
  args.op = op.get();
  args.post_ops = &none;
  args.in = in;
  args.out = out;
  const TuneOutcome o = tune_plan(gemm_reference(), args, 0, {});
  EXPECT_FALSE(o.swapped);
  EXPECT_EQ(o.candidates, 0);
}

}  // namespace
}  // namespace anydim
