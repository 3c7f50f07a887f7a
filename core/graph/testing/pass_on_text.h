// SPDX-License-Identifier: Apache-2.0
// For tests of passes only: a graph in text form through one pass, compared with the text it should have become; and its
// values before and after, computed by the kernels on random inputs.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "core/base/testing/random.h"
#include "core/dispatch/primitive/primitive.h"
#include "core/graph/passes/passes.h"
#include "core/graph/testing/graph_text.h"
#include "core/ops/operators/cast.h"

namespace anydim::testing {

inline Graph parse(const std::string& text) {
  Graph g;
  const Status s = parse_graph(text, &g);
  EXPECT_TRUE(s.ok()) << s.message() << "\n" << text;
  return g;
}

// The graph after a pass and after what it left behind was removed.
inline Graph after(const char* pass, const std::string& text) {
  Graph g = parse(text);
  Status s = run_pass(g, pass);
  EXPECT_TRUE(s.ok()) << s.message();
  s = run_pass(g, "dead_nodes");
  EXPECT_TRUE(s.ok()) << s.message();
  return g;
}

// The same numbers in another dtype.
inline HostTensor as(DType dtype, const HostTensor& t) {
  if (t.view.dtype == dtype) return t;
  std::vector<HostTensor> made;
  const Status s = execute_once(*Cast::make(dtype), {&t.view, 1}, {}, {}, &made);
  EXPECT_TRUE(s.ok()) << s.message();
  return made.at(0);
}

// Runs a graph whose dims are all numbers on inputs from the seed; values of its outputs.
inline std::vector<std::vector<float>> run(const Graph& g, unsigned seed) {
  std::mt19937 rng(seed);
  std::uniform_real_distribution<float> uniform(-4.f, 4.f);
  std::vector<HostTensor> made(static_cast<size_t>(g.value_count()));
  for (ValueId v : g.inputs()) {
    Dims d;
    for (Dim x : g.value(v).type.dims) d.push_back(x.number());
    HostTensor& t = made[static_cast<size_t>(v)];
    EXPECT_TRUE(HostTensor::allocate(DType::f32, d, &t).ok());
    for (int64_t i = 0; i < t.view.count(); ++i) t.view.as<float>()[i] = uniform(rng);
    t = as(g.value(v).type.dtype, t);
  }
  const auto views = [&](const std::vector<ValueId>& list) {
    std::vector<TensorView> out;
    for (ValueId v : list)
      out.push_back(v == kNoValue ? TensorView{} : g.value(v).constant ? g.value(v).constant->view() : made[static_cast<size_t>(v)].view);
    return out;
  };
  for (NodeId id : g.order()) {
    const Node& n = g.node(id);
    std::vector<HostTensor> results;
    const Status s = execute_once(n.op, views(n.inputs), n.post_ops, views(n.post_inputs), &results, n.quantization);
    EXPECT_TRUE(s.ok()) << Graph::label(n) << ": " << s.message();
    for (size_t i = 0; i < results.size(); ++i) made[static_cast<size_t>(n.outputs[i])] = results[i];
  }
  std::vector<std::vector<float>> out;
  for (const GraphOutput& o : g.outputs()) {
    const HostTensor t = as(DType::f32, {views({o.value})[0], nullptr});
    out.emplace_back(t.view.as<float>(), t.view.as<float>() + t.view.count());
  }
  return out;
}

inline std::string replace_all(std::string s, const std::string& from, const std::string& to) {
  for (size_t at = 0; (at = s.find(from, at)) != std::string::npos; at += to.size()) s.replace(at, from.size(), to);
  return s;
}

// Symbols of the texts below, as numbers.
inline std::string with_numbers(std::string s) {
  for (const auto& [name, value] : std::map<std::string, std::string>{{"N", "2"}, {"H", "5"}, {"W", "7"}})
    s = replace_all(replace_all(replace_all(s, "[" + name, "[" + value), ", " + name, ", " + value), "*" + name, "*" + value);
  return s;
}

enum class Bits { equal, close };

// Whatever the pass makes of it, the values stay.
inline void expect_values(const char* pass, const std::string& text, Bits bits) {
  const auto seed = static_cast<unsigned>(anydim::testing::run_seed());
  const auto was = run(parse(with_numbers(text)), seed), is = run(after(pass, with_numbers(text)), seed);
  ASSERT_EQ(was.size(), is.size());
  for (size_t o = 0; o < was.size(); ++o) {
    ASSERT_EQ(was[o].size(), is[o].size());
    float largest = 1;  // sums cancel: an element's error is that of its terms, not of itself
    for (float v : was[o])
      if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
    for (size_t i = 0; i < was[o].size(); ++i) {
      const bool same =
          std::isnan(was[o][i]) ? std::isnan(is[o][i]) : std::bit_cast<uint32_t>(was[o][i]) == std::bit_cast<uint32_t>(is[o][i]);
      if (same) continue;
      ASSERT_EQ(bits, Bits::close) << "element " << i << ": " << was[o][i] << " became " << is[o][i] << "\n" << text;
      ASSERT_NEAR(was[o][i], is[o][i], 2e-6 * largest) << "element " << i << "\n" << text;
    }
  }
}

inline void expect(const char* pass, const std::string& before, const std::string& want, Bits bits) {
  const Graph g = after(pass, before);
  EXPECT_EQ(print_graph(g, true), print_graph(parse(want), true)) << "got\n" << print_graph(g);
  expect_values(pass, before, bits);
}

// The pass leaves it as it is.
inline void expect_left(const char* pass, const std::string& text) {
  const Graph g = after(pass, text);
  EXPECT_EQ(print_graph(g, true), print_graph(parse(text), true)) << "got\n" << print_graph(g);
}

}  // namespace anydim::testing
