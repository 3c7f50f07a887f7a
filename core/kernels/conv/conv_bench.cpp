// SPDX-License-Identifier: Apache-2.0
// Speed of convolution and transposed convolution with packed weights, channels last: GFLOP/s of the best call (flops
// of taps in the padding counted, as everybody does). gemm_bench measures the peak.
#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/winograd/winograd.h"

#include "core/kernels/tiles/bench_run.h"
#include "core/kernels/tiles/bf16.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"

namespace anydim::bench {
namespace {

struct Layer {
  const char* name;
  bool transposed;
  int64_t n, c, h, w, m, kernel, stride, pad;
  bool nchw = false;
  int chain = 0;  // 0 bias, 1 relu, 2 hard_swish, 3 silu, 4 add and relu
};

constexpr Layer kLayers[] = {
    {"3x3_80x80_64_64", false, 1, 64, 80, 80, 64, 3, 1, 1},
    {"3x3_56x56_64_64", false, 1, 64, 56, 56, 64, 3, 1, 1},
    {"3x3_79x79_64_64", false, 1, 64, 79, 79, 64, 3, 1, 1},
    {"se_1x1_192_48", false, 1, 192, 1, 1, 48, 1, 1, 0},
    {"3x3_40x40_128_128", false, 1, 128, 40, 40, 128, 3, 1, 1},
    {"3x3_20x20_256_256", false, 1, 256, 20, 20, 256, 3, 1, 1},
    {"3x3_10x10_256_256", false, 1, 256, 10, 10, 256, 3, 1, 1},
    {"3x3_7x7_512_512", false, 1, 512, 7, 7, 512, 3, 1, 1},
    {"3x3_14x14_512_512", false, 1, 512, 14, 14, 512, 3, 1, 1},
    {"3x3_28x28_512_512", false, 1, 512, 28, 28, 512, 3, 1, 1},
    {"3x3_28x28_128_128", false, 1, 128, 28, 28, 128, 3, 1, 1},
    {"3x3_14x14_256_256", false, 1, 256, 14, 14, 256, 3, 1, 1},
    {"3x3_8x8_128_128", false, 1, 128, 8, 8, 128, 3, 1, 1},
    {"3x3_160x160_16_16", false, 1, 16, 160, 160, 16, 3, 1, 1},
    {"3x3_80x80_32_32_silu", false, 1, 32, 80, 80, 32, 3, 1, 1, false, 3},
    {"3x3_56x56_64_64_add_relu", false, 1, 64, 56, 56, 64, 3, 1, 1, false, 4},
    {"3x3_16x16_1024_1024", false, 1, 1024, 16, 16, 1024, 3, 1, 1},
    {"3x3_33x33_2048_512", false, 1, 2048, 33, 33, 512, 3, 1, 1},
    {"1x1_14x14_256_1024", false, 1, 256, 14, 14, 1024, 1, 1, 0},
    {"1x1_7x7_2048_512", false, 1, 2048, 7, 7, 512, 1, 1, 0},
    {"3x3_80x80_96_24", false, 1, 96, 80, 80, 24, 3, 1, 1},
    {"3x3_160x160_24_24", false, 1, 24, 160, 160, 24, 3, 1, 1},
    {"3x3_s2_160x160_16_32", false, 1, 16, 160, 160, 32, 3, 2, 1},
    {"3x3_s2_80x80_32_64", false, 1, 32, 80, 80, 64, 3, 2, 1},
    {"1x1_3200_96_96", false, 1, 96, 40, 80, 96, 1, 1, 0},
    {"1x1_3200_96_96_relu", false, 1, 96, 40, 80, 96, 1, 1, 0, false, 1},
    {"1x1_3200_96_96_hard_swish", false, 1, 96, 40, 80, 96, 1, 1, 0, false, 2},
    {"1x1_3200_96_96_silu", false, 1, 96, 40, 80, 96, 1, 1, 0, false, 3},
    {"1x1_3200_96_96_add_relu", false, 1, 96, 40, 80, 96, 1, 1, 0, false, 4},
    {"1x1_480_480_480", false, 1, 480, 6, 80, 480, 1, 1, 0},
    {"1x1_240x480_240_240", false, 1, 240, 12, 40, 240, 1, 1, 0},
    {"1x1_40x160_64_64", false, 1, 64, 40, 160, 64, 1, 1, 0},
    {"1x1_160x160_16_32", false, 1, 16, 160, 160, 32, 1, 1, 0},
    {"first_3x3_s2_320_3_16_nchw", false, 1, 3, 320, 320, 16, 3, 2, 1, true},
    {"first_3x3_s2_320_3_16_nhwc", false, 1, 3, 320, 320, 16, 3, 2, 1},
    {"first_7x7_s2_224_3_64_nchw", false, 1, 3, 224, 224, 64, 7, 2, 3, true},
    {"nchw_3x3_40x40_128_128", false, 1, 128, 40, 40, 128, 3, 1, 1, true},
    {"transposed_2x2_s2_160x160_24_24", true, 1, 24, 160, 160, 24, 2, 2, 0},
    {"transposed_2x2_s2_320x320_24_1", true, 1, 24, 320, 320, 1, 2, 2, 0},
    {"dfl_1x1_16_1", false, 1, 16, 4, 2100, 1, 1, 1, 0},
};

const bool registered = [] {
  for (const Layer& l : kLayers) {
    KernelList lists[] = {l.transposed ? conv_transpose_kernels() : conv_kernels(),
                          l.transposed ? conv_transpose_reduced_kernels() : conv_reduced_kernels()};
    std::vector<const HostKernel*> kernels;
    for (const KernelList list : lists) kernels.insert(kernels.end(), list.begin(), list.end());
    if (!l.transposed && l.kernel == 3 && l.stride == 1) {
      const KernelList list = conv_fast_kernels();
      kernels.insert(kernels.end(), list.begin(), list.end());
    }
    for (const HostKernel* k : kernels) {
      const bool refused = k->key().mode == MathMode::reduced && std::min(l.c, l.m) < kLeastReducedChannels;
      if (refused || !cpu().usable.includes(k->key().isa) || k->key().isa == Isa::portable) continue;
      for (int threads = 1; threads <= 2; ++threads)
        benchmark::RegisterBenchmark(formatted("{}/{}/threads:{}", k->name(), l.name, threads).c_str(), [k, l,
                                                                                                         threads](benchmark::State& state) {
          Setup setup;
          Convolution::Attributes a;
          ConvTranspose::Attributes t;
          for (int i = 0; i < 2; ++i) {
            a.strides[i] = t.strides[i] = l.stride;
            a.pads_begin[i] = a.pads_end[i] = t.pads_begin[i] = t.pads_end[i] = l.pad;
          }
          setup.op = *(l.transposed ? ConvTranspose::make(t) : Convolution::make(a));
          setup.in.emplace_back(Dims{l.n, l.c, l.h, l.w}, l.nchw ? Perm{} : channels_last(4));
          setup.in.emplace_back(l.transposed ? Dims{l.c, l.m, l.kernel, l.kernel} : Dims{l.m, l.c, l.kernel, l.kernel});
          setup.in.emplace_back(Dims{l.m});
          setup.out_order = channels_last(4);
          const int64_t oh = l.transposed ? l.h * l.stride : (l.h + 2 * l.pad - l.kernel) / l.stride + 1;
          const int64_t ow = l.transposed ? l.w * l.stride : (l.w + 2 * l.pad - l.kernel) / l.stride + 1;
          const int64_t positions = l.n * (l.transposed ? l.h * l.w : oh * ow);
          setup.flops = 2.0 * static_cast<double>(positions * l.c * l.m * l.kernel * l.kernel);
          PostOp p;
          if (l.chain == 4) {
            p.kind = PostOp::Kind::binary;
            setup.post_in.emplace_back(Dims{l.n, l.m, oh, ow}, channels_last(4));
            setup.post_ops.append(p);
            p = {};
          }
          p.unary = l.chain == 2 ? UnaryFunction::hard_swish : l.chain == 3 ? UnaryFunction::silu : UnaryFunction::relu;
          if (l.chain > 0) setup.post_ops.append(p);
          run(state, *k, std::move(setup), threads);
        })->UseRealTime();
    }
  }
  return true;
}();

}  // namespace
}  // namespace anydim::bench
