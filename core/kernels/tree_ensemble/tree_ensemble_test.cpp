// SPDX-License-Identifier: Apache-2.0
// Trees and coupled pairs: values by hand, random forests against a plain walk, the packed kernel's bits in every layout, batch and
// number of threads, and tables that are no trees.
#include "core/kernels/tree_ensemble/tree_ensemble.h"

#include "core/kernels/testing/harness.h"
#include "core/ops/operators/couple_pairs.h"
#include "core/ops/operators/tree_ensemble.h"

namespace anydim::testing {
namespace {

using Op = TreeEnsemble;

template <class T> OwnedTensor of(DType t, const Dims& d, const std::vector<T>& v) {
  OwnedTensor x(t, d);
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &v[static_cast<size_t>(i)], sizeof(T)); });
  return x;
}
template <class T> std::vector<T> values(const OwnedTensor& x) {
  std::vector<T> v;
  x.each([&](int64_t, std::byte* p) {
    T y;
    std::memcpy(&y, p, sizeof y);
    v.push_back(y);
  });
  return v;
}

// The tables as lists; reals are narrowed where the trees are of f32.
struct Forest {
  std::vector<double> splits, weights, base;
  std::vector<int32_t> nodes, roots, targets;
  int64_t outputs = 1;
  TreeAggregate aggregate = TreeAggregate::sum;

  int32_t add(int32_t mode, int32_t feature, double split, int32_t yes, int32_t no) {
    splits.push_back(split);
    nodes.insert(nodes.end(), {mode, feature, yes, no});
    return static_cast<int32_t>(splits.size()) - 1;
  }
  int64_t count() const { return static_cast<int64_t>(splits.size()); }
};

OwnedTensor reals(DType t, const Dims& d, const std::vector<double>& v) {
  if (t == DType::f64) return of(t, d, v);
  return of(t, d, std::vector<float>(v.begin(), v.end()));
}

Outcome outcome_of(const HostKernel& kernel, const Forest& f, const OwnedTensor& x, int threads = 1, Layout out = Layout::row_major,
                   Random* r = nullptr) {
  const OperatorPtr op = *Op::make({f.outputs, f.aggregate});
  const DType t = x.view().dtype;
  const auto size = [](const auto& v) { return static_cast<int64_t>(v.size()); };
  testing::Run run{op.get()};
  run.in = {x,
            reals(t, {f.count()}, f.splits),
            of(DType::i32, {f.count(), 4}, f.nodes),
            of(DType::i32, {size(f.roots)}, f.roots),
            of(DType::i32, {size(f.targets)}, f.targets),
            reals(t, {size(f.weights)}, f.weights),
            f.base.empty() ? OwnedTensor() : reals(t, {f.outputs}, f.base)};
  run.threads = threads;
  run.out_layouts = {out};
  run.constants = {1, 2, 3, 4, 5};
  Outcome o = run_kernel(kernel, run, r);
  EXPECT_EQ(o.refusal, nullptr) << o.refusal;
  return o;
}

// A split at 0.5 of feature 1, leaves of 10 and 20.
Forest one_split(int32_t mode) {
  Forest f;
  f.add(mode, 1, 0.5, 1, 2);
  f.add(Op::kLeaf, 0, 0, 0, 1);
  f.add(Op::kLeaf, 0, 0, 1, 1);
  f.roots = {0}, f.targets = {0, 0}, f.weights = {10, 20};
  return f;
}

TEST(Trees, EachModeComparesAsItSaysAndNaNGoesWhereTheNodeSays) {
  const OwnedTensor x = of<float>(DType::f32, {4, 2}, {9, 0.25f, 9, 0.5f, 9, 0.75f, 9, NAN});
  const std::pair<int32_t, std::vector<float>> expected[] = {{Op::kLessEqual, {10, 10, 20, 20}},    {Op::kLess, {10, 20, 20, 20}},
                                                             {Op::kGreaterEqual, {20, 10, 10, 20}}, {Op::kGreater, {20, 20, 10, 20}},
                                                             {Op::kEqual, {20, 10, 20, 20}},        {Op::kNotEqual, {10, 20, 10, 10}}};
  for (const auto& [mode, results] : expected)
    for (const HostKernel* kernel : {kReferenceTrees, kPackedTrees}) {
      EXPECT_EQ(values<float>(outcome_of(*kernel, one_split(mode), x).out[0]), results) << kernel->name() << " mode " << mode;
      auto with_nan = results;
      with_nan[3] = 10;
      EXPECT_EQ(values<float>(outcome_of(*kernel, one_split(mode | Op::kNanIsTrue), x).out[0]), with_nan)
          << kernel->name() << " mode " << mode;
    }
}

TEST(Trees, WeightsAreSummedAveragedOrCompared) {
  Forest f = one_split(Op::kLessEqual);
  f.roots = {0, 0, 2};
  f.outputs = 2;
  f.targets = {0, 1};
  f.base = {1, 2};
  const OwnedTensor x = of<float>(DType::f32, {1, 2}, {0, 0});
  const std::pair<TreeAggregate, std::vector<float>> expected[] = {{TreeAggregate::sum, {21, 22}},
                                                                   {TreeAggregate::average, {20 / 3.f + 1, 20 / 3.f + 2}},
                                                                   {TreeAggregate::minimum, {11, 22}},
                                                                   {TreeAggregate::maximum, {11, 22}}};
  for (const auto& [how, results] : expected)
    for (const HostKernel* kernel : {kReferenceTrees, kPackedTrees}) {
      f.aggregate = how;
      EXPECT_EQ(values<float>(outcome_of(*kernel, f, x).out[0]), results) << kernel->name();
    }
}

TEST(Trees, WhatNoTreeWeighsIsItsBase) {
  Forest f = one_split(Op::kLessEqual);
  f.outputs = 3;
  f.base = {1, 2, 3};
  f.weights = {-10, -20};
  f.aggregate = TreeAggregate::maximum;
  const OwnedTensor x = of<float>(DType::f32, {1, 2}, {0, 0});
  for (const HostKernel* kernel : {kReferenceTrees, kPackedTrees})
    EXPECT_EQ(values<float>(outcome_of(*kernel, f, x).out[0]), (std::vector<float>{-9, 2, 3})) << kernel->name();
}

// What the nodes of a tree ask: whether x <= split; this or whether x is NaN; anything.
enum Asked { kPlain, kOrNan, kAny };

// A random tree behind the nodes that there are.
int32_t grow(Forest* f, Random& r, int64_t features, int depth, Asked asked, int leaf_form) {
  if (depth == 0 || r.chance(0.2)) {
    const auto first = static_cast<int32_t>(f->weights.size());
    const int64_t count = leaf_form == 0 ? 1 : leaf_form == 1 ? f->outputs : r.integer(0, 4);
    for (int64_t i = 0; i < count; ++i) {
      f->targets.push_back(static_cast<int32_t>(leaf_form == 1 ? i : r.integer(0, f->outputs - 1)));
      f->weights.push_back(r.normal());
    }
    return f->add(Op::kLeaf, 0, 0, first, static_cast<int32_t>(count));
  }
  const int64_t compared = asked == kAny ? r.integer(1, 6) : int64_t{Op::kLessEqual};
  const auto mode = static_cast<int32_t>(compared | (asked != kPlain && r.flag() ? 8 : 0));
  const int32_t at = f->add(mode, static_cast<int32_t>(r.integer(0, features - 1)), std::round(r.normal() * 2) / 2, 0, 0);
  const int32_t yes = grow(f, r, features, depth - 1, asked, leaf_form), no = grow(f, r, features, depth - 1, asked, leaf_form);
  f->nodes[static_cast<size_t>(at) * 4 + 2] = yes;
  f->nodes[static_cast<size_t>(at) * 4 + 3] = no;
  return at;
}

// From the words of the contract.
template <class T> std::vector<T> defined(const Forest& f, const std::vector<T>& x, int64_t rows, int64_t features) {
  std::vector<T> y;
  for (int64_t row = 0; row < rows; ++row) {
    std::vector<std::vector<T>> given(static_cast<size_t>(f.outputs));
    for (int32_t at : f.roots) {
      const int32_t* n = &f.nodes[static_cast<size_t>(at) * 4];
      while (n[0] != Op::kLeaf) {
        const T v = x[static_cast<size_t>(row * features + n[1])];
        const T split = static_cast<T>(f.splits[static_cast<size_t>(at)]);
        const int32_t mode = n[0] & 7;
        bool holds = mode == 1   ? v <= split
                     : mode == 2 ? v < split
                     : mode == 3 ? v >= split
                     : mode == 4 ? v > split
                     : mode == 5 ? v == split
                                 : v != split;
        if (std::isnan(v) && (n[0] & 8) != 0) holds = true;
        at = holds ? n[2] : n[3];
        n = &f.nodes[static_cast<size_t>(at) * 4];
      }
      for (int32_t w = n[2]; w < n[2] + n[3]; ++w)
        given[static_cast<size_t>(f.targets[static_cast<size_t>(w)])].push_back(static_cast<T>(f.weights[static_cast<size_t>(w)]));
    }
    for (int64_t j = 0; j < f.outputs; ++j) {
      const auto& v = given[static_cast<size_t>(j)];
      T value = 0;
      if (f.aggregate == TreeAggregate::minimum) value = v.empty() ? 0 : *std::min_element(v.begin(), v.end());
      else if (f.aggregate == TreeAggregate::maximum) value = v.empty() ? 0 : *std::max_element(v.begin(), v.end());
      else
        for (const T w : v) value += w;
      if (f.aggregate == TreeAggregate::average) value /= static_cast<T>(f.roots.size());
      if (!f.base.empty()) value += static_cast<T>(f.base[static_cast<size_t>(j)]);
      y.push_back(value);
    }
  }
  return y;
}

template <class T> void compare_random_forests(DType t) {
  constexpr Layout kLayouts[] = {Layout::row_major, Layout::channels_last, Layout::permuted, Layout::padded_rows};
  for (int i = 0; i < 60; ++i) {
    const auto seed = static_cast<uint64_t>(i + (t == DType::f64 ? 1000 : 0));
    SCOPED_TRACE(seed);
    Random r(seed);
    constexpr int64_t kRows[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 31, 70, 600};
    const int64_t rows = kRows[i % 13], features = r.integer(1, 7);
    const int leaf_form = static_cast<int>(r.integer(0, 2));
    Forest f;
    f.outputs = leaf_form == 0 && r.flag() ? 1 : r.integer(1, 5);
    f.aggregate = static_cast<TreeAggregate>(r.integer(0, 3));
    const auto asked = static_cast<Asked>(r.integer(0, 2));
    const int64_t trees = r.integer(1, 30);
    for (int64_t k = 0; k < trees; ++k)
      f.roots.push_back(grow(&f, r, features, static_cast<int>(r.integer(0, trees < 8 ? 12 : 7)), asked, leaf_form));
    if (r.flag())
      for (int64_t j = 0; j < f.outputs; ++j) f.base.push_back(r.normal());
    std::vector<T> x;
    for (int64_t k = 0; k < rows * features; ++k)
      x.push_back(r.chance(0.05)  ? static_cast<T>(NAN)
                  : r.chance(0.3) ? static_cast<T>(std::round(r.normal() * 2) / 2)
                                  : static_cast<T>(r.normal()));
    const OwnedTensor dense = of(t, {rows, features}, x);
    const OwnedTensor expected = of(t, {rows, f.outputs}, defined(f, x, rows, features));
    for (const HostKernel* kernel : {kReferenceTrees, kPackedTrees})
      for (const int threads : {1, 2, 3}) {
        const OwnedTensor laid = dense.relaid(kLayouts[r.integer(0, 3)], &r);
        const Outcome o = outcome_of(*kernel, f, laid, threads, kLayouts[r.integer(0, 3)], &r);
        ASSERT_TRUE(o.status.ok()) << o.status.message();
        ASSERT_TRUE(same_bits(o.out[0], expected)) << kernel->name() << " threads " << threads;
      }
  }
}
TEST(Trees, RandomForestsHaveTheBitsOfAPlainWalk) { compare_random_forests<float>(DType::f32); }
TEST(Trees, ThoseOfDoublesToo) { compare_random_forests<double>(DType::f64); }

TEST(Trees, ALargeForestOnThreadsHasTheBitsOfEachRowAlone) {
  Random r(7);
  Forest f;
  f.outputs = 3;
  for (int k = 0; k < 100; ++k) f.roots.push_back(grow(&f, r, 9, 8, k % 2 == 0 ? kPlain : kOrNan, 1));
  OwnedTensor x(DType::f32, {500, 9});
  x.fill(r, 0.05);
  const Outcome all = outcome_of(*kPackedTrees, f, x, 2);
  ASSERT_TRUE(all.status.ok());
  const std::vector<float> whole = values<float>(all.out[0]), features = values<float>(x);
  for (const int64_t row : {0, 1, 250, 499}) {
    const OwnedTensor one = of<float>(DType::f32, {1, 9}, {features.begin() + row * 9, features.begin() + row * 9 + 9});
    const OwnedTensor expected = of<float>(DType::f32, {1, 3}, {whole.begin() + row * 3, whole.begin() + row * 3 + 3});
    EXPECT_TRUE(same_bits(outcome_of(*kPackedTrees, f, one, 2).out[0], expected)) << "row " << row;
  }
}

// --- what is no tree -------------------------------------------------------------------------------------------------

TEST(Trees, TablesThatAreNoTreesAreRefused) {
  const OwnedTensor x = of<float>(DType::f32, {1, 2}, {0, 0});
  struct Damage {
    const char* says;
    void (*make)(Forest*);
  };
  const Damage all[] = {
      {"node 0 leads to node 0; expected one behind it", [](Forest* f) { f->nodes[2] = 0; }},
      {"node 0 leads to node 3; expected one behind it and below 3", [](Forest* f) { f->nodes[2] = 3; }},
      {"node 0 leads to node -1", [](Forest* f) { f->nodes[2] = -1; }},
      {"node 0 has mode 7", [](Forest* f) { f->nodes[0] = 7; }},
      {"node 0 has mode 8", [](Forest* f) { f->nodes[0] = 8; }},
      {"node 0 has mode 17", [](Forest* f) { f->nodes[0] = 17; }},
      {"node 0 has feature 2; there are 2", [](Forest* f) { f->nodes[1] = 2; }},
      {"node 0 has feature -1", [](Forest* f) { f->nodes[1] = -1; }},
      {"leaf 1 has 1 weights from 2 on; there are 2", [](Forest* f) { f->nodes[6] = 2; }},
      {"leaf 1 has 2147483647 weights", [](Forest* f) { f->nodes[7] = INT32_MAX; }},
      {"leaf 1 has feature 1", [](Forest* f) { f->nodes[5] = 1; }},
      {"tree 0 begins with node 3; there are 3", [](Forest* f) { f->roots[0] = 3; }},
      {"tree 0 begins with node -5", [](Forest* f) { f->roots[0] = -5; }},
      {"weight 0 is of target 1; there are 1", [](Forest* f) { f->targets[0] = 1; }},
  };
  for (const Damage& d : all)
    for (const HostKernel* kernel : {kReferenceTrees, kPackedTrees}) {
      Forest f = one_split(Op::kLessEqual);
      d.make(&f);
      const Outcome o = outcome_of(*kernel, f, x);
      if (kernel == kPackedTrees && std::string_view(d.says).find("feature 2") != std::string_view::npos) {
        EXPECT_NE(o.status.message().find("a node has feature 2; there are 2"), std::string::npos) << o.status.message();
        continue;
      }
      EXPECT_EQ(o.status.code(), Code::invalid_data) << kernel->name() << ": " << d.says;
      EXPECT_NE(std::string(o.status.message()).find(d.says), std::string::npos) << kernel->name() << ": " << o.status.message();
    }
}

// --- couple_pairs ----------------------------------------------------------------------------------------------------

TEST(CouplePairs, OfTwoClassesIsThePairItself) {
  const OperatorPtr op = *CouplePairs::make({2});
  testing::Run run{op.get()};
  run.in = {of<double>(DType::f64, {3, 1}, {0.25, 0.5, 0.999})};
  const std::vector<double> p = values<double>(run_kernel(*kCouplePairs, run).out[0]);
  const double expected[] = {0.25, 0.75, 0.5, 0.5, 0.999, 0.001};
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(p[i], expected[i], 0.003);
}

TEST(CouplePairs, ConsistentPairsGiveTheClassesTheyAreMadeOf) {
  Random r(3);
  for (int64_t k = 2; k <= 7; ++k) {
    SCOPED_TRACE(k);
    std::vector<double> whole, pairs;
    for (int row = 0; row < 70; ++row) {
      std::vector<double> p;
      double sum = 0;
      for (int64_t i = 0; i < k; ++i) sum += p.emplace_back(0.05 + std::fabs(static_cast<double>(r.normal())));
      for (double& v : p) v /= sum;
      for (size_t i = 0; i < p.size(); ++i)
        for (size_t j = i + 1; j < p.size(); ++j) pairs.push_back(p[i] / (p[i] + p[j]));
      whole.insert(whole.end(), p.begin(), p.end());
    }
    const OperatorPtr op = *CouplePairs::make({k});
    OwnedTensor first;
    for (const int threads : {1, 3}) {
      testing::Run run{op.get()};
      run.in = {of(DType::f64, {7, 10, k * (k - 1) / 2}, pairs).relaid(threads == 1 ? Layout::row_major : Layout::permuted, &r)};
      run.threads = threads;
      run.out_layouts = {threads == 1 ? Layout::row_major : Layout::padded_rows};
      const Outcome o = run_kernel(*kCouplePairs, run, &r);
      ASSERT_TRUE(o.status.ok()) << o.status.message();
      const std::vector<double> p = values<double>(o.out[0]);
      for (size_t i = 0; i < whole.size(); ++i) EXPECT_NEAR(p[i], whole[i], 0.01);
      if (threads == 1) first = o.out[0];
      else EXPECT_TRUE(same_bits(o.out[0], first));
    }
  }
}

// --- shape rules -----------------------------------------------------------------------------------------------------

TEST(Ensembles, RefuseDimsAndDtypesThatDoNotAgree) {
  DimPool pool;
  const OperatorPtr trees = *Op::make({2});
  std::vector<TensorType> out(1);
  const auto base = std::vector<TensorType>{{DType::f32, {5, 3}}, {DType::f32, {7}}, {DType::i32, {7, 4}}, {DType::i32, {2}},
                                            {DType::i32, {6}},    {DType::f32, {6}}, {DType::f32, {2}}};
  ASSERT_TRUE(trees->infer(pool, base, out).ok());
  EXPECT_TRUE(out[0].dims[0].is(5) && out[0].dims[1].is(2));
  const std::pair<size_t, TensorType> bad[] = {{0, {DType::f16, {5, 3}}}, {0, {DType::f32, {5}}},    {1, {DType::f64, {7}}},
                                               {1, {DType::f32, {8}}},    {2, {DType::i64, {7, 4}}}, {2, {DType::i32, {7, 3}}},
                                               {3, {DType::f32, {2}}},    {4, {DType::i32, {5}}},    {5, {DType::f64, {6}}},
                                               {6, {DType::f32, {3}}},    {6, {DType::f64, {2}}}};
  for (const auto& [input, type] : bad) {
    auto in = base;
    in[input] = type;
    const Status s = trees->infer(pool, in, out);
    EXPECT_FALSE(s.ok()) << "input " << input;
    EXPECT_NE(s.message().find("tree_ensemble"), std::string::npos) << s.message();
  }
  const OperatorPtr pairs = *CouplePairs::make({3});
  const auto one = [&](const TensorType& t) { return pairs->infer(pool, {&t, 1}, out); };
  EXPECT_TRUE(one({DType::f32, {5, 3}}).ok());
  EXPECT_FALSE(one({DType::f32, {5, 2}}).ok());
  EXPECT_FALSE(one({DType::i32, {5, 3}}).ok());
  EXPECT_FALSE(one({DType::f32, {}}).ok());
}

}  // namespace
}  // namespace anydim::testing
