// SPDX-License-Identifier: Apache-2.0
// Pooling and resize on OpenCL devices.
#include <algorithm>
#include <bit>

#include "core/base/checked.h"
#include "core/engines/opencl/kernels/kernels.h"
#include "core/engines/opencl/kernels/opencl_kernel.h"
#include "core/engines/opencl/kernels/program_text.h"
#include "core/kernels/conv/geometry.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/resize.h"

namespace anydim::opencl {

namespace {

using Of = DeviceArgument::Of;

void tensor(Arguments& a, Of of, const TensorView& t) noexcept {
  a.tensor(of, 0);
  const SpatialStrides s = spatial_strides(t.strides, t.rank() - 2);
  a.number(s.n).number(s.c).numbers(s.s, 3);
}

class Pool final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  Support supports(const Problem& p) const noexcept override {
    const auto* op = as<Pooling>(*p.op);
    if (op == nullptr) return no("another operator");
    if (p.post_ops->count > 0) return no("post-ops are not fused into this operator");
    if (p.in[0].dtype != DType::f32) return no("it is for f32");
    return op->get().indices ? no("it gives no indices") : yes();
  }
  Perm preferred_order(const Problem& p, bool, int) const noexcept override { return channels_last(p.in[0].dims.rank); }
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_of(p);
    out[0].add_form(as<Pooling>(*p.op)->get().kind == Pooling::Kind::max ? 1 : 0);
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, width(), columns_of_group(), 1, 1);
    if (key.form[0] != 0) text.define("MAXIMUM");
    return text.add("pool").source({"pool"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return false;
    const Pooling::Attributes& at = as<Pooling>(*args.op)->get();
    const Pooling::Window w = as<Pooling>(*args.op)->window(x.dims, y.dims);
    const int local = columns_of_group();
    const int64_t positions = y.dims[0] * w.out[0] * w.out[1] * w.out[2];
    const int64_t taps = std::max<int64_t>(saturating_mul(w.kernel[0], saturating_mul(w.kernel[1], w.kernel[2])), 1);
    const int64_t many = kind() == DeviceKind::gpu ? 1 : std::clamp<int64_t>(256 / taps, 1, 64);
    if (!Arguments::begin(out, index, {ceil_div(x.dims[1], width() * local), ceil_div(positions, many), 1}, local)) return false;
    Arguments a(out);
    tensor(a, Of::out, y);
    tensor(a, Of::in, x);
    a.number(y.dims[0]).number(x.dims[1]);
    for (int i = 0; i < 3; ++i)
      a.number(w.in[i])
          .number(w.out[i])
          .number(w.kernel[i])
          .number(w.stride[i])
          .number(w.dilation[i])
          .number(w.pad_begin[i])
          .number(w.pad_end[i]);
    a.flag(at.count_include_pad).number(many);
    return true;
  }
};

class ResizeKernel final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  DeviceNeeds needs() const noexcept override {
    DeviceNeeds n = OpenclKernel::needs();
    n.f64 = true;
    return n;
  }
  Support supports(const Problem& p) const noexcept override {
    const auto* op = as<Resize>(*p.op);
    if (op == nullptr) return no("another operator");
    if (p.post_ops->count > 0) return no("post-ops are not fused into this operator");
    if (p.in[0].dtype != DType::f32) return no("it is for f32");
    const int rank = p.in[0].dims.rank;
    if (rank < 3 || rank > 5) return no("src has not 1 to 3 spatial axes");
    const Resize::Attributes& at = op->get();
    if (at.coordinates == Resize::Coordinates::tf_crop_and_resize) return no("tf_crop_and_resize is left to the host");
    for (size_t i = 0; i < at.scales.size(); ++i)
      if (axis(at, i) < 2 && at.scales[i] != 1.f) return no("the batch or the channels are resized");
    for (int i = 0; i < at.sizes.size(); ++i) {
      const auto a = static_cast<int>(axis(at, static_cast<size_t>(i)));
      if (a < 2 && !(at.sizes[i] == p.in[0].dims[a])) return no("the batch or the channels may be resized");
      if (a < 2 && at.policy != Resize::AspectPolicy::stretch) return no("the batch or the channels share a scale");
    }
    return yes();
  }
  Perm preferred_order(const Problem& p, bool, int) const noexcept override { return channels_last(p.in[0].dims.rank); }
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    const Resize::Attributes& at = as<Resize>(*p.op)->get();
    out[0] = key_of(p);
    out[0].add_form(static_cast<uint8_t>(at.coordinates));
    out[0].add_form(static_cast<uint8_t>(at.mode == Resize::Mode::nearest ? at.nearest : Resize::Nearest::floor));
    out[0].add_form(static_cast<uint8_t>(at.mode == Resize::Mode::nearest ? 1 : at.mode == Resize::Mode::linear ? 2 : 4));
    out[0].add_form(at.exclude_outside && at.mode != Resize::Mode::nearest ? 1 : 0);
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, width(), columns_of_group(), 1, 1);
    text.define("COORDINATES", key.form[0]).define("NEAREST", key.form[1]).define("TAPS", key.form[2]);
    if (key.form[3] != 0) text.define("EXCLUDE_OUTSIDE");
    return text.add("resize").source({"resize"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return false;
    const auto& op = *as<Resize>(*args.op);
    Resize::Axis axes[3];
    for (int i = 2; i < x.rank(); ++i) axes[i - 2 + 5 - x.rank()] = op.axis(i, x.dims, y.dims, args.dim_attributes);
    const int local = columns_of_group();
    const std::array<int64_t, 3> groups{ceil_div(x.dims[1], width() * local), y.dims[0] * axes[0].out * axes[1].out, 1};
    if (!Arguments::begin(out, index, groups, local)) return false;
    Arguments a(out);
    tensor(a, Of::out, y);
    tensor(a, Of::in, x);
    a.number(y.dims[0]).number(x.dims[1]).number(std::bit_cast<int64_t>(static_cast<double>(op.get().cubic_coeff_a)));
    for (const Resize::Axis& axis : axes) a.number(axis.in).number(axis.out).number(std::bit_cast<int64_t>(axis.scale)).flag(axis.identity);
    return true;
  }

 private:
  static int64_t axis(const Resize::Attributes& at, size_t i) noexcept {
    return at.axes.empty() ? static_cast<int64_t>(i) : at.axes[static_cast<int>(i)];
  }
};

}  // namespace

DeviceKernelList window_kernels() {
  static const Pool pool_cpu("pool.lanes.opencl", OpKind::pooling, DeviceKind::cpu);
  static const Pool pool_gpu("pool.items.opencl", OpKind::pooling, DeviceKind::gpu);
  static const ResizeKernel resize_cpu("resize.lanes.opencl", OpKind::resize, DeviceKind::cpu);
  static const ResizeKernel resize_gpu("resize.items.opencl", OpKind::resize, DeviceKind::gpu);
  static const DeviceKernel* const all[] = {&pool_cpu, &pool_gpu, &resize_cpu, &resize_gpu};
  return all;
}

}  // namespace anydim::opencl
