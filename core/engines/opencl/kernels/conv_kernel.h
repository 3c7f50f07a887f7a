// SPDX-License-Identifier: Apache-2.0
// What the OpenCL kernels of convolutions share: the key, geometry for actual dims, and the arguments that all of their entries take.
#pragma once

#include "core/engines/opencl/kernels/opencl_kernel.h"
#include "core/kernels/conv/geometry.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"

namespace anydim::opencl {

constexpr int kConvRows = 4;           // n, d, h, w
constexpr int64_t kBlockOfSums = 128;  // docs/numerics.md

inline bool has_bias(std::span<const TensorType> in) noexcept { return in.size() > 2 && in[2].dtype != DType::none; }
inline bool has_bias(const Args& args) noexcept { return args.in.size() > 2 && args.in[2].dtype != DType::none; }

class ConvKernel : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_with_common_functions(p);
    out[0].variant = static_cast<uint8_t>(variant(p));
    out[0].add_form(has_bias(p.in) ? 1 : 0);
    return 1;
  }
  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    if (!output && index != 0) return {};
    return channels_last(p.in[1].dims.rank);
  }

 protected:
  virtual int variant(const Problem&) const noexcept { return 0; }
  Support supports_all(const Problem& p) const noexcept {
    if (p.op->kind() != key().op) return no("another operator");
    if (!all_f32(p)) return no("it is for f32");
    if (argument_count(57, *p.post_ops, kConvRows) > DeviceWork::kMostArguments) return no("the chain has too many arguments");
    return supports_chain(p);
  }
  // The weights' dims are numbers, and none is 0.
  static bool plain_weights(const Problem& p) noexcept {
    if (!p.is_constant(1)) return false;
    const int64_t n = element_count(numbers(p.in[1].dims));
    return n > 0 && n < INT64_C(1) << 31;
  }
  static ConvGeometry geometry(const Args& args) noexcept {
    return conv_geometry(*args.op, args.in[0].dims, args.in[1].dims, args.out[0].dims);
  }
  static ConvGeometry weights_geometry(const Problem& p) noexcept {
    const Dims w = numbers(p.in[1].dims);
    Dims src = w, dst = w;
    const bool conv = p.op->kind() == OpKind::convolution;
    const int64_t groups = conv ? as<Convolution>(*p.op)->get().group : as<ConvTranspose>(*p.op)->get().group;
    src[1] = conv ? w[1] * groups : w[0];
    dst[1] = conv ? w[0] : w[1] * groups;
    return conv_geometry(*p.op, src, w, dst);
  }
  static void spatial(Arguments& a, const TensorView& t, int count) noexcept {
    const SpatialStrides s = spatial_strides(t.strides, count);
    a.number(s.n).number(s.c).numbers(s.s, 3);
  }
  static void axes(Arguments& a, const ConvGeometry& g) noexcept {
    for (int i = 0; i < 3; ++i)
      a.number(g.in[i]).number(g.out[i]).number(g.kernel[i]).number(g.stride[i]).number(g.dilation[i]).number(g.pad[i]);
  }
  static void bias_and_chain(Arguments& a, const Args& args, const ConvGeometry& g) noexcept {
    if (has_bias(args)) a.tensor(DeviceArgument::Of::in, 2).number(args.in[2].strides[0]);
    int row_axes[kConvRows] = {0, -1, -1, -1};
    for (int i = 0; i < g.spatial; ++i) row_axes[1 + 3 - g.spatial + i] = 2 + i;
    a.chain(args, row_axes, kConvRows, 1, true);
  }
};

}  // namespace anydim::opencl
