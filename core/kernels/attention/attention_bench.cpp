// SPDX-License-Identifier: Apache-2.0
// Speed of attention in modes strict and reduced: GFLOP/s of the best call, both products counted.
#include "core/kernels/attention/attention.h"

#include "core/kernels/tiles/bench_run.h"

namespace anydim::bench {
namespace {

struct Shape {
  int64_t heads, key_heads, queries, keys, size;
};
constexpr Shape kShapes[] = {{12, 12, 128, 128, 64}, {12, 12, 197, 197, 64}, {12, 12, 1500, 1500, 64},
                             {32, 8, 512, 512, 128}, {32, 8, 1, 2048, 128},  {16, 16, 1, 129, 64}};

const bool registered = [] {
  for (const Shape& s : kShapes)
    for (const KernelList list : {attention_kernels(), attention_reduced_kernels()})
      for (const HostKernel* k : list) {
        if (!cpu().usable.includes(k->key().isa) || k->key().isa == Isa::portable) continue;
        const std::string name = formatted("{}/{}x{}x{}x{}x{}", k->name(), s.heads, s.key_heads, s.queries, s.keys, s.size);
        benchmark::RegisterBenchmark(name.c_str(), [k, s](benchmark::State& state) {
          Setup setup;
          Attention::Attributes a;
          a.scale = 0.125f;
          setup.op = *Attention::make(a);
          setup.in.emplace_back(Dims{1, s.heads, s.queries, s.size});
          setup.in.emplace_back(Dims{1, s.key_heads, s.keys, s.size});
          setup.in.emplace_back(Dims{1, s.key_heads, s.keys, s.size});
          setup.activations = true;
          setup.flops = 4.0 * static_cast<double>(s.heads * s.queries * s.keys * s.size);
          PreparedCall call(*k, std::move(setup));
          if (!call.status.ok()) return state.SkipWithError(call.status.message().c_str());
          constexpr int64_t kFirst[] = {0};
          call.args.dim_attributes = kFirst;
          call.set_threads(1);
          double best = 1e9;
          for (auto _ : state) best = std::min(best, call.time());
          state.counters["GFLOP/s"] = call.setup.flops / best / 1e9;
          state.counters["best_us"] = best * 1e6;
        })->UseRealTime();
      }
  return true;
}();

}  // namespace
}  // namespace anydim::bench
