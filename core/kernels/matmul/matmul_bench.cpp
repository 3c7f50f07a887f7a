// SPDX-License-Identifier: Apache-2.0
// Speed of matmul, constant right side packed: GFLOP/s of the best call. Compare with peak_avx512 / peak_avx2 of the
// same run.
#include "core/kernels/matmul/matmul.h"

#include "core/kernels/tiles/bench_run.h"
#include "core/ops/operators/matmul.h"

namespace anydim::bench {
namespace {

// Independent FMAs on registers, of x86-64.
template <bool Wide> void peak(benchmark::State& state) {
  double best = 1e9;
  constexpr long kLoops = 200000;
  for (auto _ : state) {
    long n = kLoops;
    const double t = seconds();
    if constexpr (Wide) {
      asm volatile("1:\n"
#define ANYDIM_FMA(i) "vfmadd231ps %%zmm30,%%zmm31,%%zmm" #i "\n"
                   ANYDIM_FMA(0) ANYDIM_FMA(1) ANYDIM_FMA(2) ANYDIM_FMA(3) ANYDIM_FMA(4) ANYDIM_FMA(5) ANYDIM_FMA(6) ANYDIM_FMA(7)
                       ANYDIM_FMA(8) ANYDIM_FMA(9) ANYDIM_FMA(10) ANYDIM_FMA(11)
#undef ANYDIM_FMA
                           "dec %0\njnz 1b\n"
                   : "+r"(n)::"memory");
    } else {
      asm volatile("1:\n"
#define ANYDIM_FMA(i) "vfmadd231ps %%ymm14,%%ymm15,%%ymm" #i "\n"
                   ANYDIM_FMA(0) ANYDIM_FMA(1) ANYDIM_FMA(2) ANYDIM_FMA(3) ANYDIM_FMA(4) ANYDIM_FMA(5) ANYDIM_FMA(6) ANYDIM_FMA(7)
                       ANYDIM_FMA(8) ANYDIM_FMA(9) ANYDIM_FMA(10) ANYDIM_FMA(11)
#undef ANYDIM_FMA
                           "dec %0\njnz 1b\n"
                   : "+r"(n)::"memory");
    }
    best = std::min(best, seconds() - t);
  }
  state.counters["GFLOP/s"] = kLoops * 12 * (Wide ? 32 : 16) / best / 1e9;
}

const bool registered = [] {
  if constexpr (is_built_for(Processor::x86)) {
    if (cpu().usable.includes(Isa::avx512)) benchmark::RegisterBenchmark("peak_avx512", peak<true>);
    if (cpu().usable.includes(Isa::avx2)) benchmark::RegisterBenchmark("peak_avx2", peak<false>);
  }
  struct Size {
    int64_t batch, m, k, n;
    bool activations;
  };
  constexpr Size kSizes[] = {{1, 1, 768, 3072, false},     {1, 7, 768, 3072, false},   {1, 64, 768, 3072, false},
                             {1, 384, 768, 3072, false},   {1, 384, 3072, 768, false}, {1, 40, 120, 6625, false},
                             {1, 40, 120, 360, false},     {1, 64, 64, 64, false},     {1, 256, 256, 256, false},
                             {1, 1024, 1024, 1024, false}, {12, 128, 64, 128, true},   {12, 128, 128, 64, true},
                             {16, 40, 15, 40, true}};
  std::vector<const HostKernel*> kernels(gemm_kernels().begin(), gemm_kernels().end());
  kernels.insert(kernels.end(), gemm_reduced_kernels().begin(), gemm_reduced_kernels().end());
  for (const HostKernel* k : kernels) {
    if (!cpu().usable.includes(k->key().isa) || k->key().isa == Isa::portable) continue;
    for (const Size& s : kSizes)
      for (int threads = 1; threads <= (s.activations && k->key().mode == MathMode::reduced ? 0 : 2); ++threads)
        benchmark::RegisterBenchmark(
            formatted("{}/{}x{}x{}x{}{}/threads:{}", k->name(), s.batch, s.m, s.k, s.n, s.activations ? "/activations" : "", threads)
                .c_str(),
            [k, s, threads](benchmark::State& state) {
              Setup setup;
              setup.op = *Matmul::make({});
              setup.activations = s.activations;
              setup.in.emplace_back(s.activations ? Dims{s.batch, s.m, s.k} : Dims{s.m, s.k});
              setup.in.emplace_back(s.activations ? Dims{s.batch, s.k, s.n} : Dims{s.k, s.n});
              setup.flops = 2.0 * static_cast<double>(s.batch * s.m * s.k * s.n);
              run(state, *k, std::move(setup), threads);
            })
            ->UseRealTime();
  }
  return true;
}();

}  // namespace
}  // namespace anydim::bench
