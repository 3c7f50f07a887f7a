// SPDX-License-Identifier: Apache-2.0
// Large weights on one and two threads: GFLOP/s of the fastest quarter of calls, and what the second thread brings. All rows take
// half a minute; `--benchmark_filter=64x` chooses. A run of a graph keeps its workers awake, and so do these.
#include <algorithm>
#include <array>

#include "core/kernels/conv/conv.h"
#include "core/kernels/tiles/bench_run.h"
#include "core/kernels/matmul/matmul.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"

namespace anydim::bench {
namespace {

constexpr double kSeconds = 0.2;  // of calls, for each number of threads

void run_on_threads(benchmark::State& state, const HostKernel& kernel, Setup setup) {
  PreparedCall call(kernel, std::move(setup));
  if (!call.status.ok()) return state.SkipWithError(call.status.message().c_str());
  for (auto _ : state) {
    std::array<double, 2> rate{};
    for (int threads = 1; threads <= 2; ++threads) {
      call.set_threads(threads);
      const Parallel::Hot awake(call.args.parallel);
      std::vector<double> times;
      for (const double end = seconds(2) + kSeconds; times.size() < 3 || seconds(2) < end;) times.push_back(call.time());
      std::sort(times.begin(), times.end());
      rate[static_cast<size_t>(threads - 1)] = call.setup.flops / times[times.size() / 4] / 1e9;
    }
    state.counters["GFLOP/s"] = rate[0];
    state.counters["on 2 threads"] = rate[1];
    state.counters["gain"] = rate[1] / rate[0];
  }
}

// The first of the kernels that the CPU can run and that packs its weights into panels.
const HostKernel* best(KernelList kernels) {
  for (const HostKernel* k : kernels)
    if (cpu().usable.includes(k->key().isa) && std::string(k->name()).find("tiles") != std::string::npos) return k;
  return nullptr;
}

void add(const std::string& name, const HostKernel& kernel, Setup (*make)(std::array<int64_t, 5>), std::array<int64_t, 5> sizes) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [&kernel, make, sizes](benchmark::State& state) { run_on_threads(state, kernel, make(sizes)); })
      ->Iterations(1)
      ->UseRealTime();
}

Setup product(std::array<int64_t, 5> mkn) {
  const auto [m, k, n, unused, none] = mkn;
  Setup setup;
  setup.op = *Matmul::make({});
  setup.in.emplace_back(Dims{m, k});
  setup.in.emplace_back(Dims{k, n});
  setup.flops = 2.0 * static_cast<double>(m * k * n);
  return setup;
}

Setup convolution(std::array<int64_t, 5> sizes) {
  const auto [channels, side, outputs, kernel, stride] = sizes;
  Convolution::Attributes a;
  for (int i = 0; i < 2; ++i) {
    a.strides[i] = stride;
    a.pads_begin[i] = a.pads_end[i] = kernel / 2;
  }
  Setup setup;
  setup.op = *Convolution::make(a);
  setup.in.emplace_back(Dims{1, channels, side, side}, channels_last(4));
  setup.in.emplace_back(Dims{outputs, channels, kernel, kernel});
  setup.in.emplace_back(Dims{outputs});
  setup.out_order = channels_last(4);
  const int64_t out = (side + kernel / 2 * 2 - kernel) / stride + 1;
  setup.flops = 2.0 * static_cast<double>(out * out * channels * outputs * kernel * kernel);
  return setup;
}

const bool registered = [] {
  const HostKernel *gemm = best(gemm_kernels()), *conv = best(conv_kernels());
  if (gemm == nullptr || conv == nullptr) return false;
  constexpr std::array<std::array<int64_t, 2>, 7> kWeights{
      {{1024, 1024}, {1024, 4096}, {2048, 2048}, {4096, 1024}, {4096, 4096}, {2048, 8192}, {8192, 2048}}};
  for (const int64_t m : {1, 16, 64, 256})
    for (const auto& [k, n] : kWeights) add(formatted("{}x{}x{}", m, k, n), *gemm, product, {m, k, n});
  for (const auto& [k, n] : {kWeights[1], kWeights[2], kWeights[3]}) add(formatted("512x{}x{}", k, n), *gemm, product, {512, k, n});
  // Channels, side of the plane, output channels, side of the kernel, stride.
  constexpr std::array<std::array<int64_t, 5>, 11> kLayers{{{1024, 14, 1024, 3, 1},
                                                            {512, 14, 512, 3, 1},
                                                            {512, 7, 512, 3, 1},
                                                            {1024, 7, 1024, 3, 1},
                                                            {512, 28, 512, 3, 1},
                                                            {2048, 7, 2048, 1, 1},
                                                            {1024, 14, 2048, 1, 1},
                                                            {2048, 14, 512, 1, 1},
                                                            {1024, 14, 1024, 1, 1},
                                                            {512, 14, 1024, 3, 2},
                                                            {256, 56, 512, 3, 2}}};
  for (const auto& l : kLayers) add(formatted("conv_{}x{}_{}_{}_{}_s{}", l[3], l[3], l[0], l[2], l[1], l[4]), *conv, convolution, l);
  return true;
}();

}  // namespace
}  // namespace anydim::bench
