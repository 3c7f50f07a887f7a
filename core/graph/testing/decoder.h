// SPDX-License-Identifier: Apache-2.0
// A small decoder for tests of states: its graph, sessions and states of it, drawn tokens, steps.
#pragma once

#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "core/graph/testing/contexts.h"
#include "core/ops/operators/attention.h"
#include "core/ops/operators/concat.h"
#include "core/run/session/state.h"

namespace anydim::testing {

// Two layers of attention whose queries, keys and values are the input itself, each with a cache as exporters write it; the second reads
// the first's result. `width`: the last dim of the caches' inputs, where it is a symbol.
inline Graph decoder_graph(const char* width = "") {
  Graph g;
  const auto input = [&](const char* name, const char* length) {
    const bool symbol = *length == 'p' && *width != '\0';
    const DeclaredDim dims[] = {{-1, "b"}, {2, ""}, {-1, length}, symbol ? DeclaredDim{-1, width} : DeclaredDim{8, ""}};
    return g.add_input(name, DType::f32, dims);
  };
  const ValueId k0 = input("k0", "p"), v0 = input("v0", "p"), k1 = input("k1", "p"), v1 = input("v1", "p"), x = input("x", "n");
  const auto add = [&](const Result<OperatorPtr>& op, std::vector<ValueId> in, const char* name) {
    EXPECT_TRUE(op.ok());
    auto made = g.add(*op, std::move(in), name);
    EXPECT_TRUE(made.ok()) << made.status().message();
    return *made;
  };
  const auto attention = [&](float scale) {
    Attention::Attributes at;
    at.scale = scale;
    at.causal = true;
    at.first = g.value(k0).type.dims[2];
    return Attention::make(at);
  };
  const ValueId keys0 = add(Concat::make(2), {k0, x}, "keys0"), values0 = add(Concat::make(2), {v0, x}, "values0");
  const ValueId y = add(attention(0.25f), {x, keys0, values0}, "y");
  const ValueId keys1 = add(Concat::make(2), {k1, y}, "keys1"), values1 = add(Concat::make(2), {v1, x}, "values1");
  g.add_output(add(attention(0.5f), {y, keys1, values1}, "z"), "z");
  g.add_output(keys0, "keys0");
  g.add_output(values0, "values0");
  g.add_output(keys1, "keys1");
  g.add_output(values1, "values1");
  return g;
}

struct Decoder {
  std::shared_ptr<Session> session;
  explicit Decoder(const Graph& graph = decoder_graph(), int contexts = 1, const Bounds* bounds = nullptr,
                   const CompileOptions& options = {}) {
    std::unique_ptr<Session> made;
    ContextOptions o;
    o.bounds = bounds;
    const Status s = Session::create(compiled(graph, options), o, contexts, false, &made);
    EXPECT_TRUE(s.ok()) << s.message();
    session = std::move(made);
  }
  std::unique_ptr<State> state(int64_t limit = 0) const {
    auto s = std::make_unique<State>(session, limit);
    for (const auto& [in, out] : {std::pair("k0", "keys0"), {"v0", "values0"}, {"k1", "keys1"}, {"v1", "values1"}})
      EXPECT_TRUE(s->add(in, out, 2).ok());
    return s;
  }
};

inline std::vector<float> tokens(int64_t batch, int64_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> v(static_cast<size_t>(batch * 2 * count * 8));
  for (float& f : v) f = normal(random);
  return v;
}

// Tokens [first, last) of a sequence of `count`.
inline TensorView piece(const std::vector<float>& all, int64_t batch, int64_t count, int64_t first, int64_t last) {
  TensorView v{const_cast<float*>(all.data()) + first * 8, DType::f32, {batch, 2, last - first, 8}, {}};
  v.strides = dense_strides(Dims{batch, 2, count, 8});
  return v;
}

struct Stepped {
  Status status;
  std::vector<float> y;  // row-major
};
inline Stepped step(State& state, const TensorView& x, const RunCall& call = {}) {
  Stepped s;
  s.y.resize(static_cast<size_t>(x.count()));
  TensorView y{s.y.data(), DType::f32, x.dims, dense_strides(x.dims)};
  s.status = state.step({&x, 1}, {&y, 1}, call);
  return s;
}

inline bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace anydim::testing
