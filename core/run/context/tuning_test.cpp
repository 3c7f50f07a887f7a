// SPDX-License-Identifier: Apache-2.0
// Tiers of a model: policies and exchanged plans change no bit, the worker's plans arrive in running contexts, and what a
// context was asked to do when it was made.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "core/base/testing/emulated.h"
#include "core/dispatch/tuning/worker.h"
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/reference_run.h"

namespace anydim {
namespace {

using namespace testing;

Graph chain() {
  Builder b(5);
  ValueId v = b.input("x", {-1, 8, -2, -3});
  for (const int64_t channels : {48, 96, 40}) v = b.relu(b.conv(v, channels, 3));
  const ValueId m = b.input("m", {-3, 17});
  b.output(b.matmul(v, m));
  return b.graph;
}

struct Sample {
  Tensor x, m;
  std::vector<HostTensor> want;
  Sample(const Graph& graph, std::mt19937_64& random, int64_t n, int64_t h, int64_t w) : x({n, 8, h, w}, random), m({w, 17}, random) {
    const TensorView in[] = {x.view, m.view};
    want = reference_run(graph, in);
  }
  ::testing::AssertionResult check(Context& context) const {
    const TensorView in[] = {x.view, m.view};
    TensorView out;
    const Status s = context.run(in, {&out, 1});
    if (!s.ok()) return ::testing::AssertionFailure() << s.message();
    return same_bits(out, want[0].view) ? ::testing::AssertionSuccess()
                                        : ::testing::AssertionFailure() << "other bits at " << to_string(x.view.dims);
  }
};

TEST(Policies, give_the_same_bits_and_say_where_they_were_set) {
  const Graph graph = chain();
  std::mt19937_64 random(1);
  const Sample runs[] = {Sample(graph, random, 1, 9, 14), Sample(graph, random, 2, 30, 31), Sample(graph, random, 1, 1, 5)};
  Bounds bounds(2);
  bounds[0].dims = {{1, 2}, {8, 8}, {1, 30}, {1, 31}};
  bounds[1].dims = {{1, 31}, {17, 17}};
  for (const ReusePolicy policy :
       {ReusePolicy::inherit, ReusePolicy::automatic, ReusePolicy::reusable, ReusePolicy::specialised, ReusePolicy::reusable_first})
    for (const bool at_model : {false, true}) {
      CompileOptions options;
      if (at_model) options.reuse = policy;
      ContextOptions context_options;
      context_options.bounds = &bounds;
      context_options.reuse = at_model ? ReusePolicy::automatic : policy;
      context_options.tuning_budget_ns = 50 * 1000 * 1000;
      const auto context = context_of(compiled(graph, options), context_options);
      for (const Sample& run : runs) ASSERT_TRUE(run.check(*context)) << policy_name(policy);
      if (policy == ReusePolicy::inherit) continue;
      EXPECT_EQ(context->policy().policy, policy);
      EXPECT_EQ(context->policy().source, at_model ? PolicySource::primitive : PolicySource::context);
      RunReport report;
      ASSERT_TRUE(explain(*context, &report).ok());
      EXPECT_EQ(report.policy, policy_name(policy));
    }
}

TEST(Tiers, exchanged_under_four_running_threads_change_no_bit) {
  const Graph graph = chain();
  const ProgramPtr program = compiled(graph);
  std::atomic<bool> stop{false};
  std::atomic<int> done{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      std::mt19937_64 random(i);
      ContextOptions options;
      options.parallel = Parallel(i % 2 + 1);
      const auto context = context_of(program, options);
      const Sample runs[] = {Sample(graph, random, 1, 9, 14), Sample(graph, random, 2, 20, 7), Sample(graph, random, 1, 3, 40)};
      while (!stop || done < 40) {
        for (const Sample& run : runs) ASSERT_TRUE(run.check(*context));
        done.fetch_add(1);
      }
    });
  // Plans of any numbers, for the shapes that are running and for others.
  std::mt19937_64 random(99);
  std::vector<uint64_t> keys;
  for (int i = 0; i < 2000 || done < 20; ++i) {
    for (const Program::Step& n : program->steps) {
      TierEntry e{random(), {}, 1};
      for (int32_t& v : e.choice.value) v = static_cast<int32_t>(random() % 40);
      TensorView in[3];
      const auto& weights = program->primitive(n)->weights();
      if (!weights) continue;
      const int64_t shapes[3][3] = {{1, 9, 14}, {2, 20, 7}, {1, 3, 40}};
      const auto& s = shapes[random() % 3];
      in[0].dims = {s[0], program->primitive(n)->in()[0].dims[1].number(), s[1], s[2]};
      for (size_t k = 1; k < weights->views().size() && k < 3; ++k) in[k] = weights->views()[k];
      Args args;
      args.in = {in, weights->views().size()};
      args.parallel = Parallel(static_cast<int>(1 + random() % 2));
      e.key = plan_key(args);
      program->primitive(n)->core()->tiers().publish(e);
    }
  }
  stop = true;
  for (std::thread& t : threads) t.join();
  // The plans of the tables are what ran: by now every shape has one for each convolution.
  const auto context = context_of(program);
  const Sample sample(graph, random, 2, 20, 7);
  ASSERT_TRUE(sample.check(*context));
  RunReport report;
  ASSERT_TRUE(explain(*context, &report).ok());
  int specialised = 0;
  for (const NodeReport& n : report.nodes) specialised += n.tier == "specialised";
  EXPECT_EQ(specialised, 3);
}

TEST(ReusableFirst, has_the_worker_measure_the_shapes_that_runs_bring) {
  const Graph graph = chain();
  const ProgramPtr program = compiled(graph);
  ContextOptions options;
  options.reuse = ReusePolicy::reusable_first;
  const auto context = context_of(program, options);
  std::mt19937_64 random(4);
  ASSERT_TRUE(Worker::instance().drain(testing::surely())) << "what other tests asked for";
  const WorkerStatistics before = Worker::instance().statistics();
  const Sample first(graph, random, 1, 20, 21), second(graph, random, 1, 22, 23);
  for (int i = 0; i < 5; ++i) {
    ASSERT_TRUE(first.check(*context));
    ASSERT_TRUE(second.check(*context));
  }
  ASSERT_TRUE(Worker::instance().drain(testing::surely()));
  const WorkerStatistics after = Worker::instance().statistics();
  EXPECT_EQ(after.served + after.failed - before.served - before.failed, 2) << "each shape once";
  EXPECT_EQ(after.failed, before.failed);
  ASSERT_TRUE(first.check(*context));
  ASSERT_TRUE(second.check(*context));
}

// A child of its own: its worker never comes back.
TEST(ReusableFirst, completes_a_thousand_calls_at_a_thousand_shapes_while_the_worker_hangs) {
  const pid_t child = fork();
  if (child == 0) {
    WorkRequest hang;
    const auto owner = std::make_shared<const int>(1);
    static std::atomic<bool> hanging{false};
    hang.owner = owner;
    hang.run = [](const std::shared_ptr<const void>&, const WorkRequest&, const std::atomic<bool>&) -> const char* {
      hanging = true;
      for (;;) pause();
    };
    const Graph graph = chain();
    ContextOptions options;
    options.reuse = ReusePolicy::reusable_first;
    const auto context = context_of(compiled(graph), options);
    Worker::instance().push(std::move(hang));
    while (!hanging) std::this_thread::yield();
    std::mt19937_64 random(6);
    for (int64_t i = 0; i < 1000; ++i) {
      Tensor x({1, 8, 1 + i / 32, 1 + i % 32}, random), m({1 + i % 32, 17}, random);
      const TensorView in[] = {x.view, m.view};
      TensorView out;
      if (!context->run(in, {&out, 1}).ok()) _exit(1);
    }
    const WorkerStatistics s = Worker::instance().statistics();
    _exit(s.requested + s.dropped >= 1000 && s.served == 0 ? 0 : 2);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST(Tune, lists_the_nodes_that_have_plans_at_the_shape_of_the_last_run) {
  const Graph graph = chain();
  const auto context = context_of(compiled(graph));
  std::mt19937_64 random(4);
  const Sample run(graph, random, 1, 12, 13);
  ASSERT_TRUE(run.check(*context));
  size_t count = 0, outer = 0;
  const auto look = [&](std::span<const TunableNode> nodes) {
    count = nodes.size();
    for (const TunableNode& n : nodes) {
      EXPECT_EQ(n.args.in[0].dims[0], 1);
      EXPECT_NE(n.args.scratch, nullptr) << n.name;
      outer += n.outer;
    }
  };
  ASSERT_TRUE(with_tunable(*context, look).ok());
  EXPECT_EQ(count, 4u);
  EXPECT_EQ(outer, 1u) << "the product reads an input; the first convolution reads its input's copy in another order";
  EXPECT_EQ(with_tunable(*context, look).code(), Code::invalid_argument) << "its memory holds nothing of a run any more";
  ASSERT_TRUE(run.check(*context)) << "the context is usable afterwards";
}

TEST(Tune, reports_each_node_that_has_plans_and_asks_for_a_run_first) {
  const Graph graph = chain();
  const auto context = context_of(compiled(graph));
  TuneRequest request;
  request.record = false;
  EXPECT_EQ(tune(*context, request, nullptr).code(), Code::invalid_argument);
  std::mt19937_64 random(4);
  const Sample run(graph, random, 1, 12, 13);
  ASSERT_TRUE(run.check(*context));
  std::vector<NodeTuning> report;
  ASSERT_TRUE(tune(*context, request, &report).ok());
  ASSERT_EQ(report.size(), 4u);
  for (const NodeTuning& n : report) EXPECT_GT(n.outcome.candidates, 0) << n.op;
  ASSERT_TRUE(run.check(*context)) << "the context is usable afterwards";
}

}  // namespace
}  // namespace anydim
