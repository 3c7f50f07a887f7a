// SPDX-License-Identifier: Apache-2.0
// For gemm_bench.cpp and conv_bench.cpp: runs every kernel of a list on one problem with packed weights and reports
// GFLOP/s of the best call, beside the FMA peak measured in the same process. Not for tests.
#pragma once

#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <random>
#include <vector>

#include "core/kernels/kernel.h"

namespace anydim::bench {

// With one thread its CPU time, so that a busy machine's preemptions do not count; else wall time.
inline double seconds(int threads = 1) {
  timespec t;
  clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

struct Tensor {
  std::vector<float> memory;
  TensorView view;
  Tensor(const Dims& dims, const Perm& order = {}) : memory(static_cast<size_t>(element_count(dims)) + 64) {
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> value(-1.f, 1.f);
    for (float& v : memory) v = value(engine);
    view.dtype = DType::f32;
    view.dims = dims;
    view.strides = dense_strides(dims, order);
    // On a cache line, as tensors of a context's arena are.
    view.data = reinterpret_cast<float*>((reinterpret_cast<uintptr_t>(memory.data()) + 63) & ~uintptr_t{63});
  }
};

// One problem: in[1] (and in[2]) are weights unless `activations`.
struct Setup {
  OperatorPtr op;
  std::vector<Tensor> in, post_in;
  PostOps post_ops;
  Perm out_order;
  bool activations = false;
  double flops = 0;
};

inline void run(benchmark::State& state, const HostKernel& kernel, Setup setup, int threads) {
  DimPool pool;
  std::vector<TensorType> types, result(1);
  std::vector<TensorView> in, post_in;
  for (const Tensor& t : setup.in) {
    TensorType type;
    type.dtype = DType::f32;
    for (int64_t d : t.view.dims) type.dims.push_back(d);
    types.push_back(type);
    in.push_back(t.view);
  }
  for (const Tensor& t : setup.post_in) post_in.push_back(t.view);
  if (Status s = setup.op->infer(pool, types, result); !s.ok()) return state.SkipWithError(s.message().c_str());
  Dims dims;
  for (Dim d : result[0].dims) dims.push_back(d.number());
  Tensor out(dims, setup.out_order);
  PackedWeights packed;
  Args args;
  args.op = setup.op.get();
  args.post_ops = &setup.post_ops;
  args.in = in;
  args.out = {&out.view, 1};
  args.post_in = post_in;
  args.parallel = Parallel(threads);
  if (!setup.activations) {
    const Problem problem{setup.op.get(), types, result, &setup.post_ops, {}, MathMode::strict, {1, 2}};
    if (Status s = pack_constants(kernel, problem, in, {}, &packed); !s.ok()) return state.SkipWithError(s.message().c_str());
    args.weights = &packed;
  }
  Plan plan;
  kernel.plan(args, &plan);
  auto scratch = AlignedBuffer::allocate(plan.scratch);
  args.scratch = scratch->data();
  double best = 1e9;
  for (auto _ : state) {
    const double t = seconds(threads);
    kernel.plan(args, &plan);
    (void)kernel.run(plan, args);
    best = std::min(best, seconds(threads) - t);
  }
  state.counters["GFLOP/s"] = setup.flops / best / 1e9;
  state.counters["best_us"] = best * 1e6;
}

}  // namespace anydim::bench
