// SPDX-License-Identifier: Apache-2.0
// Steps that run side by side: which bytes they touch, which memory they take, and the bits and errors of a run one after the other.
#include <map>
#include <set>

#include "core/base/testing/random.h"
#include "core/graph/testing/contexts.h"
#include "core/graph/testing/reference_run.h"
#include "core/ops/operators/gather.h"
#include "core/program/reference_values.h"
#include "core/program/step_groups.h"

namespace anydim {
namespace {

using namespace testing;

// The places of a tensor's elements in its buffer.
std::set<int64_t> places_of(const Program& p, int32_t tensor, std::span<const int64_t> values) {
  const Program::Tensor& t = p.tensor(tensor);
  std::set<int64_t> places{value_of(t.offset, values)};
  for (int a = 0; a < t.dims.rank; ++a) {
    std::set<int64_t> more;
    for (int64_t i = 0; i < value_of(t.dims[a], values); ++i)
      for (const int64_t place : places) more.insert(place + i * value_of(t.strides[a], values));
    places = std::move(more);
  }
  return places;
}

bool share(const std::set<int64_t>& a, const std::set<int64_t>& b) {
  return std::any_of(a.begin(), a.end(), [&](int64_t place) { return b.count(place) != 0; });
}

// Branches of one to four layers between concats and sums, some of them read again far behind.
Graph branches(std::mt19937_64& random, bool rows) {
  Builder b(random());
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  std::vector<ValueId> joined{b.conv(b.input("x", {-1, 3, -2, -3}), 8, 1)};
  for (int64_t module = 2 + below(3); module > 0; --module) {
    const ValueId x = joined[static_cast<size_t>(joined.size() < 3 || below(4) != 0 ? joined.size() - 1 : below(joined.size()))];
    std::vector<ValueId> ends;
    const bool sum = below(3) == 0;
    for (int64_t branch = 2 + below(4); branch > 0; --branch) {
      ValueId y = below(5) == 0 ? b.max_pool(x, 3, 1) : x;
      for (int64_t layers = 1 + below(3); layers > 0; --layers) y = b.relu(b.conv(y, 2 + below(9), below(2) == 0 ? 1 : 3));
      if (sum) y = b.conv(y, 8, 1);
      if (rows && below(4) == 0) y = b.softmax(y, 3);
      ends.push_back(y);
      if (below(8) == 0) b.output(y, "branch" + std::to_string(b.graph.outputs().size()));
    }
    ValueId y = ends[0];
    if (!sum) y = b.concat(ends, 1);
    for (size_t i = 1; sum && i < ends.size(); ++i) y = b.plus(y, ends[i]);
    joined.push_back(y);
  }
  b.output(joined.back());
  return std::move(b.graph);
}

// U-Net++'s rows: the memory behind a layer's values is an earlier concat's until later layers are written.
Graph rows_that_lend() {
  Builder b(3);
  const ValueId x = b.input("x", {-1, 3, -2, -3});
  const ValueId a = b.relu(b.conv(x, 4, 3)), u = b.relu(b.conv(x, 6, 3)), v = b.relu(b.conv(x, 5, 3)), w = b.relu(b.conv(x, 7, 3));
  const ValueId second = b.relu(b.conv(b.concat({a, u}, 1), 8, 3));
  const ValueId third = b.relu(b.conv(b.concat({a, second, v}, 1), 8, 3));
  b.output(b.conv(b.concat({a, second, third, w}, 1), 3, 1));
  return std::move(b.graph);
}

TEST(StepGroups, StepsThatAreNotOrderedShareNoByteThatOneWrites) {
  std::mt19937_64 random(run_seed());
  int unordered = 0, within_buffers = 0;
  for (int i = 0; i < 60; ++i) {
    const ProgramPtr p = compiled(i == 0 ? rows_that_lend() : branches(random, i % 2 == 0));
    ASSERT_TRUE(p);
    const std::vector<int64_t> values = reference_values(p->dims);
    std::vector<int64_t> small(values.size());  // the places of a small shape, at which two tensors overlap as at any
    for (int32_t d = 0; d < p->dims.size(); ++d) small[static_cast<size_t>(d)] = p->dims.expr(d).op == DimOp::symbol ? 3 : 0;
    SlotProgram(p->dims).run(small);
    for (const StepGroup& g : find_groups(*p, values)) {
      const auto count = static_cast<size_t>(g.last - g.first + 1);
      std::vector<std::vector<bool>> before(count, std::vector<bool>(count, false));
      std::map<int32_t, size_t> segment_of;
      for (size_t s = 0; s < g.segments.size(); ++s)
        for (const int32_t step : g.segments[s].steps) segment_of[step] = s;
      ASSERT_EQ(segment_of.size(), count);
      std::vector<std::set<size_t>> needed(g.segments.size());
      for (size_t s = 0; s < g.segments.size(); ++s)
        for (const int32_t other : g.segments[s].after) {
          ASSERT_LT(static_cast<size_t>(other), s);
          needed[s].insert(static_cast<size_t>(other));
          needed[s].insert(needed[static_cast<size_t>(other)].begin(), needed[static_cast<size_t>(other)].end());
        }
      for (int32_t x = g.first; x <= g.last; ++x)
        for (int32_t y = g.first; y < x; ++y) {
          const size_t a = segment_of[x], b = segment_of[y];
          if (a == b || needed[a].count(b) != 0) continue;
          ++unordered;
          const Program::Step &one = p->steps[static_cast<size_t>(x)], &other = p->steps[static_cast<size_t>(y)];
          for (size_t k = 0; k < one.operands.size(); ++k)
            for (size_t l = 0; l < other.operands.size(); ++l) {
              const int32_t t = one.operands[k], u = other.operands[l];
              const auto writes = [](const Program::Step& s, size_t operand) {
                return operand >= static_cast<size_t>(s.inputs) && operand < static_cast<size_t>(s.inputs + s.outputs);
              };
              if (t == Program::kNoTensor || u == Program::kNoTensor || !(writes(one, k) || writes(other, l))) continue;
              if (p->tensor(t).buffer < 0 || p->tensor(t).buffer != p->tensor(u).buffer) continue;
              ++within_buffers;
              EXPECT_FALSE(share(places_of(*p, t, small), places_of(*p, u, small))) << one.label << " and " << other.label;
            }
        }
    }
  }
  EXPECT_GT(unordered, 100);
  EXPECT_GT(within_buffers, 50) << "no parts of concats were written side by side";
}

TEST(StepGroups, TensorsAreApartOnlyIfTheyShareNoElement) {
  std::mt19937_64 random(run_seed());
  const auto below = [&](int64_t n) { return static_cast<int64_t>(random() % static_cast<uint64_t>(n)); };
  Program p;
  p.tensors.resize(2);
  int apart = 0, together = 0;
  for (int i = 0; i < 20000; ++i) {
    // Boxes within one dense tensor in any order, some of them mirrored or with steps.
    const Dims whole{1 + below(3), 1 + below(5), 1 + below(4), 1 + below(4)};
    const Strides strides = dense_strides(whole, below(2) == 0 ? Perm{} : channels_last(4));
    for (Program::Tensor& t : p.tensors) {
      t = {};
      t.dtype = DType::f32;
      int64_t offset = 0;
      for (int a = 0; a < 4; ++a) {
        const int64_t first = below(whole[a]), step = 1 + below(2), most = (whole[a] - first + step - 1) / step;
        const int64_t n = below(8) == 0 ? whole[a] - first : 1 + below(most);
        const int64_t used = std::min(n, most);
        const bool back = below(3) == 0;
        offset += (first + (back ? (used - 1) * step : 0)) * strides[a];
        t.dims.push_back(Dim(below(30) == 0 ? 0 : used));
        t.strides.push_back(Dim(strides[a] * step * (back ? -1 : 1)));
      }
      t.offset = Dim(offset);
    }
    const bool shared = share(places_of(p, 0, {}), places_of(p, 1, {}));
    const bool said = are_apart(p, 0, 1, {});
    EXPECT_FALSE(said && shared);
    (shared ? together : apart) += said != shared ? 1 : 0;
  }
  EXPECT_GT(apart, 1000);
  EXPECT_GT(together, 1000);
}

void expect_bits_of_reference(const Graph& graph, std::mt19937_64& random, int* groups) {
  const ProgramPtr program = compiled(graph);
  ASSERT_TRUE(program);
  for (const ProgramPtr& p : {program, through_a_file(program)})
    for (const int threads : {2, 3}) {
      ContextOptions options;
      options.parallel = Parallel(threads);
      options.side_by_side = SideBySide::everywhere;
      const auto context = context_of(p, options);
      for (int i = 0; i < 4; ++i) {
        const Dims dims{static_cast<int64_t>(random() % 3), 3, static_cast<int64_t>(1 + random() % 12),
                        static_cast<int64_t>(1 + random() % 12)};
        const Tensor x = any_strides(dims, random);
        std::vector<TensorView> out(graph.outputs().size());
        const Status s = context->run({&x.view, 1}, out);
        ASSERT_TRUE(s.ok()) << s.message();
        *groups += context->binding().groups() != nullptr && context->binding().groups()->any() ? 1 : 0;
        const auto expected = reference_run(graph, {&x.view, 1});
        for (size_t o = 0; o < out.size(); ++o)
          ASSERT_TRUE(same_bits(out[o], expected[o].view)) << "output " << o << " of " << to_string(dims);
      }
    }
}

TEST(ContextGroups, BranchesSideBySideHaveTheBitsOfANodeByNodeRun) {
  int groups = 0;
  for (uint64_t seed = run_seed(); seed < run_seed() + 40; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    ASSERT_NO_FATAL_FAILURE(expect_bits_of_reference(branches(random, seed % 2 == 0), random, &groups));
  }
  EXPECT_GT(groups, 100);
}

TEST(ContextGroups, MemoryThatAConcatUsesAheadIsNotWrittenWhileItIsRead) {
  std::mt19937_64 random(run_seed());
  int groups = 0;
  for (int i = 0; i < 10; ++i) ASSERT_NO_FATAL_FAILURE(expect_bits_of_reference(rows_that_lend(), random, &groups));
  EXPECT_GT(groups, 0);
}

TEST(ContextGroups, AStepThatARunLeavesOutForAnAliasIsInNoGroup) {
  Builder b(5);
  const ValueId x = b.input("x", {-1, 3, -2, -3});
  const ValueId moved = b.transpose(x, {0, 2, 3, 1});
  const ValueId one = b.relu(b.conv(x, 6, 1)), other = b.relu(b.conv(x, 5, 3)), third = b.softmax(b.relu(b.conv(x, 4, 3)), 3);
  b.output(b.concat({one, other, third}, 1));
  b.output(moved, "moved");
  const Graph graph = b.graph;
  ContextOptions options;
  options.parallel = Parallel(2);
  options.side_by_side = SideBySide::everywhere;
  const auto context = context_of(compiled(graph), options);
  std::mt19937_64 random(run_seed());
  for (int i = 0; i < 20; ++i) {
    const Tensor in = any_strides({1 + static_cast<int64_t>(random() % 2), 3, 4, 1 + static_cast<int64_t>(random() % 9)}, random);
    const auto expected = reference_run(graph, {&in.view, 1});
    int32_t inputs[2];
    const bool asks = i % 2 == 0;
    context->set_aliases(asks ? std::span<int32_t>(inputs) : std::span<int32_t>());
    TensorView out[2] = {};
    ASSERT_TRUE(context->run({&in.view, 1}, out).ok());
    EXPECT_EQ(asks, out[1].data == in.view.data);
    const GroupRunner& groups = *context->binding().groups();
    for (size_t g = 0; g < groups.size(); ++g)
      for (int32_t step = groups.group(g).first; step <= groups.group(g).last; ++step)
        EXPECT_TRUE(!groups.is_chosen(g) || context->binding().steps()[static_cast<size_t>(step)].here);
    for (const int o : {0, 1}) ASSERT_TRUE(same_bits(out[o], expected[static_cast<size_t>(o)].view)) << "output " << o;
  }
}

ArenaPlan plan_of(const Program& program, const Bounds* bounds, int threads, SideBySide way = SideBySide::where_it_gains) {
  ArenaPlan plan;
  const Status s = plan_arena(program, bounds, threads, &plan, 0, way);
  EXPECT_TRUE(s.ok()) << s.message();
  return plan;
}

TEST(ContextGroups, OneThreadAndProgramsWithoutGroupsHaveThePlanThatTheyHadBefore) {
  std::mt19937_64 random(run_seed());
  const ProgramPtr wide = compiled(branches(random, false));
  Builder b;
  ValueId y = b.input("x", {-1, 3, -2, -3});
  for (int i = 0; i < 5; ++i) y = b.relu(b.conv(y, 6, 3));
  b.output(y);
  const ProgramPtr chain = compiled(b.graph);
  for (const auto& [program, threads] : {std::pair(wide, 1), std::pair(chain, 1), std::pair(chain, 2)}) {
    const ArenaPlan plan = plan_of(*program, nullptr, threads), before = plan_of(*program, nullptr, threads, SideBySide::nowhere);
    EXPECT_EQ(plan.grouped, nullptr);
    EXPECT_EQ(plan.bytes, before.bytes);
    EXPECT_TRUE(std::equal(plan.plan.order().begin(), plan.plan.order().end(), before.plan.order().begin(), before.plan.order().end()));
  }
}

TEST(ContextGroups, GroupsTakeNoMoreMemoryThanTheirRoom) {
  std::mt19937_64 random(run_seed());
  int smaller = 0;
  for (int i = 0; i < 20; ++i) {
    const ProgramPtr program = compiled(branches(random, i % 2 == 0));
    for (const int64_t side : {8, 64, 300}) {
      const Bounds bounds{InputBounds{{{1, 2}, {3, 3}, {1, side}, {1, side}}}};
      const int64_t plain = plan_of(*program, &bounds, 2, SideBySide::nowhere).bytes, bytes = plan_of(*program, &bounds, 2).bytes;
      EXPECT_GE(bytes, plain);
      EXPECT_LE(bytes, plain + GroupedArena::kRoom);
      smaller += bytes == plain ? 1 : 0;
      ContextOptions options;
      options.bounds = &bounds;
      options.parallel = Parallel(2);
      const auto context = context_of(program, options);
      for (int k = 0; k < 3; ++k) {
        const Tensor x(
            {static_cast<int64_t>(1 + random() % 2), 3, static_cast<int64_t>(1 + random() % 8), static_cast<int64_t>(1 + random() % 8)},
            random);
        std::vector<TensorView> out(program->outputs.size());
        ASSERT_TRUE(context->run({&x.view, 1}, out).ok());
        EXPECT_LE(context->used_bytes(), bytes);
        EXPECT_EQ(context->growth_events(), 0);
      }
    }
  }
  EXPECT_GT(smaller, 0) << "a large plane got memory for groups";
}

TEST(ContextGroups, ErrorsAreThoseOfStepsOneAfterTheOther) {
  // Three branches, each of which picks rows by its own input and fails where that names none.
  Builder b;
  const DeclaredDim count{-1, "n"};
  std::vector<ValueId> ends;
  for (const char* name : {"a", "b", "c"}) {
    const ValueId places = b.graph.add_input(name, DType::i64, {&count, 1});
    ends.push_back(b.relu(b.matmul(b.add(Gather::make(0), {b.constant({9, 8}), places}), b.constant({8, 8}))));
  }
  b.output(b.concat(ends, 1));
  const ProgramPtr program = compiled(b.graph);
  std::unique_ptr<Context> contexts[2];
  for (const bool beside : {false, true}) {
    ContextOptions options;
    options.parallel = Parallel(2);
    options.side_by_side = beside ? SideBySide::everywhere : SideBySide::nowhere;
    contexts[beside ? 1 : 0] = context_of(program, options);
  }
  std::mt19937_64 random(run_seed());
  int failed = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<int64_t> places[3];
    std::vector<TensorView> in;
    for (auto& p : places) {
      for (int k = 0; k < 5; ++k) p.push_back(static_cast<int64_t>(random() % (random() % 4 == 0 ? 12 : 9)));
      in.push_back({p.data(), DType::i64, {5}, {1}});
    }
    TensorView out[2];
    const Status one = contexts[0]->run(in, {&out[0], 1}), other = contexts[1]->run(in, {&out[1], 1});
    EXPECT_TRUE(contexts[1]->binding().groups()->any());
    ASSERT_EQ(one.ok(), other.ok());
    EXPECT_EQ(one.message(), other.message());
    failed += one.ok() ? 0 : 1;
    EXPECT_TRUE(!one.ok() || same_bits(out[0], out[1]));
  }
  EXPECT_GT(failed, 20);
  EXPECT_LT(failed, 180);
}

}  // namespace
}  // namespace anydim
