// SPDX-License-Identifier: Apache-2.0
// For matmul_bench.cpp and conv_bench.cpp: runs every kernel of a list on one problem with packed weights and reports
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

// A problem with its weights packed, ready to run.
struct PreparedCall {
  const HostKernel& kernel;
  Setup setup;
  std::vector<TensorView> in, post_in;
  Tensor out{Dims{}};
  PackedWeights packed;
  Args args;
  Plan plan;
  AlignedBuffer scratch;
  Status status;

  PreparedCall(const HostKernel& k, Setup problem) : kernel(k), setup(std::move(problem)) { status = prepare(); }
  PreparedCall(const PreparedCall&) = delete;
  PreparedCall& operator=(const PreparedCall&) = delete;

  void set_threads(int threads) {
    args.parallel = Parallel(threads);
    plan = Plan();  // what it kept holds for the threads it was made for
    kernel.plan(args, &plan);
    scratch = std::move(*AlignedBuffer::allocate(plan.scratch));
    args.scratch = scratch.data();
  }

  // Seconds of a call with its plan.
  double time() {
    const int threads = args.parallel.threads();
    const double t = seconds(threads);
    kernel.plan(args, &plan);
    (void)kernel.run(plan, args);
    return seconds(threads) - t;
  }

 private:
  Status prepare() {
    DimPool pool;
    std::vector<TensorType> types, result(1);
    for (const Tensor& t : setup.in) {
      TensorType type;
      type.dtype = DType::f32;
      for (int64_t d : t.view.dims) type.dims.push_back(d);
      types.push_back(type);
      in.push_back(t.view);
    }
    for (const Tensor& t : setup.post_in) post_in.push_back(t.view);
    ANYDIM_TRY(setup.op->infer(pool, types, result));
    Dims dims;
    for (Dim d : result[0].dims) dims.push_back(d.number());
    out = Tensor(dims, setup.out_order);
    args.op = setup.op.get();
    args.post_ops = &setup.post_ops;
    args.in = in;
    args.out = {&out.view, 1};
    args.post_in = post_in;
    if (setup.activations) return {};
    const Problem problem{setup.op.get(), types, result, &setup.post_ops, {}, MathMode::strict, {1, 2}};
    ANYDIM_TRY(pack_constants(kernel, problem, in, {}, &packed));
    args.weights = &packed;
    return {};
  }
};

inline void run(benchmark::State& state, const HostKernel& kernel, Setup setup, int threads) {
  PreparedCall call(kernel, std::move(setup));
  if (!call.status.ok()) return state.SkipWithError(call.status.message().c_str());
  call.set_threads(threads);
  double best = 1e9;
  for (auto _ : state) best = std::min(best, call.time());
  state.counters["GFLOP/s"] = call.setup.flops / best / 1e9;
  state.counters["best_us"] = best * 1e6;
}

}  // namespace anydim::bench
