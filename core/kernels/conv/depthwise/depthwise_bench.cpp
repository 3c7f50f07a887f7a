// SPDX-License-Identifier: Apache-2.0
// Speed of depthwise convolution with packed weights, channels last: GFLOP/s of the best call (flops of taps in the
// padding counted, as everybody does). gemm_bench measures the peak.
#include "core/kernels/conv/depthwise/depthwise.h"

#include "core/kernels/tiles/bench_run.h"
#include "core/ops/operators/convolution.h"

namespace anydim::bench {
namespace {

struct Layer {
  int64_t c, h, w, kernel, stride_h, stride_w;
  bool nchw = false;
  int chain = 0;  // 0 bias, 1 hard_swish, 2 hard_swish times one value per channel, 3 hard_swish then affine
};

constexpr Layer kLayers[] = {
    {64, 112, 112, 3, 1, 1},
    {128, 56, 56, 3, 1, 1},
    {256, 28, 28, 3, 1, 1},
    {512, 14, 14, 3, 1, 1},
    {1024, 7, 7, 3, 1, 1},
    {96, 112, 112, 3, 2, 2},
    {240, 28, 28, 5, 1, 1},
    {16, 272, 272, 3, 1, 1},
    {32, 272, 272, 3, 2, 2},
    {56, 136, 136, 3, 1, 1},  // det 544x544, roughly
    {120, 68, 68, 5, 1, 1},
    {240, 34, 34, 5, 1, 1},
    {240, 34, 34, 5, 2, 2},
    {32, 24, 160, 3, 1, 1},
    {64, 24, 160, 3, 1, 2},
    {128, 12, 80, 3, 2, 1},  // rec 48x320
    {256, 6, 80, 5, 1, 1},
    {512, 3, 80, 5, 1, 1},
    {240, 6, 80, 5, 1, 1},
    {120, 68, 68, 5, 1, 1, false, 1},
    {120, 68, 68, 5, 1, 1, false, 2},
    {120, 68, 68, 5, 1, 1, false, 3},
    {120, 68, 68, 5, 1, 1, true},
};

constexpr const char* kChains[] = {"", "_hard_swish", "_hard_swish_mul", "_hard_swish_affine"};

const bool registered = [] {
  for (const Layer& l : kLayers)
    for (const HostKernel* k : depthwise_kernels()) {
      if (!cpu().usable.includes(k->key().isa) || k->key().isa == Isa::portable) continue;
      const auto name = formatted("{}/{}x{}s{}{}_c{}_{}x{}{}{}", k->name(), l.kernel, l.kernel, l.stride_h, l.stride_w, l.c, l.h, l.w,
                                  l.nchw ? "_nchw" : "", kChains[l.chain]);
      benchmark::RegisterBenchmark(name.c_str(), [k, l](benchmark::State& state) {
        Setup setup;
        Convolution::Attributes a;
        a.strides[0] = l.stride_h;
        a.strides[1] = l.stride_w;
        a.group = l.c;
        for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = l.kernel / 2;
        setup.op = *Convolution::make(a);
        setup.in.emplace_back(Dims{1, l.c, l.h, l.w}, l.nchw ? Perm{} : channels_last(4));
        setup.in.emplace_back(Dims{l.c, 1, l.kernel, l.kernel});
        setup.in.emplace_back(Dims{l.c});
        setup.out_order = channels_last(4);
        const int64_t oh = (l.h - 1) / l.stride_h + 1, ow = (l.w - 1) / l.stride_w + 1;
        setup.flops = 2.0 * static_cast<double>(oh * ow * l.c * l.kernel * l.kernel);
        PostOp p;
        p.unary = UnaryFunction::hard_swish;
        if (l.chain > 0) setup.post_ops.append(p);
        if (l.chain == 3) {
          p.unary = UnaryFunction::affine;
          p.alpha = p.beta = 0.5f;
          setup.post_ops.append(p);
        }
        if (l.chain == 2) {
          p = {};
          p.kind = PostOp::Kind::binary;
          p.binary = BinaryFunction::mul;
          setup.post_ops.append(p);
          setup.post_in.emplace_back(Dims{1, l.c, 1, 1});
        }
        run(state, *k, std::move(setup), 1);
      });
    }
  return true;
}();

}  // namespace
}  // namespace anydim::bench
