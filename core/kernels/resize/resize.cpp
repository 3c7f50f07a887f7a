// SPDX-License-Identifier: Apache-2.0
// Resize kernels: the list, and the driver of linear and cubic (tables in scratch, output rows handed to threads).
#include "core/kernels/resize/resize.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/kernels/resize/antialias.h"
#include "core/kernels/resize/nearest.h"
#include "core/kernels/resize/reference.h"
#include "core/kernels/resize/resize_job.h"
#include "core/kernels/resize/taps.h"
#include "core/kernels/x86.h"

namespace anydim {

namespace {

constexpr int64_t kParallelElements = 20000;

Support common_support(const Problem& p) noexcept {
  if (p.post_ops->count > 0) return no("resize takes no post-ops");
  if (static_cast<const Resize*>(p.op)->get().coordinates == Resize::Coordinates::tf_crop_and_resize)
    return no("tf_crop_and_resize is left to the reference");
  if (static_cast<const Resize*>(p.op)->get().antialias) return no("antialias is left to its own kernel");
  return yes();
}

class NearestKernel final : public HostKernel {
 public:
  const char* name() const noexcept override { return "resize.nearest.portable"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    if (static_cast<const Resize*>(p.op)->get().mode != Resize::Mode::nearest) return no("the mode is not nearest");
    return common_support(p);
  }
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = nearest_scratch(args.out[0].dims); }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims> out, int) const noexcept override {
    return nearest_scratch(out[0]);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    run_nearest(args);
    return {};
  }

 private:
  KernelKey key_{OpKind::resize, DType::none, DType::none};
};

class InterpolateKernel final : public HostKernel {
 public:
  constexpr InterpolateKernel(const char* name, Isa isa, ResizeTask task, ResizePlaneTask plane)
      : name_(name), key_{OpKind::resize, DType::f32, DType::f32, LayoutFamily::any, isa}, task_(task), plane_(plane) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const Resize::Attributes& at = static_cast<const Resize*>(p.op)->get();
    if (at.mode == Resize::Mode::nearest) return no("the mode is nearest");
    if (p.in[0].dtype != DType::f32) return no("src is not f32");
    if (p.in[0].dims.rank < 3 || p.in[0].dims.rank > 5) return no("src has not 1 to 3 spatial axes");
    for (size_t i = 0; i < at.scales.size(); ++i)
      if ((at.axes.empty() ? static_cast<int64_t>(i) : at.axes[static_cast<int>(i)]) < 2 && at.scales[i] != 1.f)
        return no("the batch or the channels are resized");
    return common_support(p);
  }
  // Whatever the source's order: the output is written along channels or along w, as it lies.
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = scratch(*args.op, args.out[0].dims, args.parallel.threads());
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims>, std::span<const Dims> out, int threads) const noexcept override {
    return scratch(*p.op, out[0], threads);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const auto& op = *static_cast<const Resize*>(args.op);
    const TensorView &src = args.in[0], &dst = args.out[0];
    if (dst.count() == 0) return {};
    // With sizes it shows only now whether batch and channels stay.
    for (int i = 0; i < 2; ++i)
      if (!op.axis(i, src.dims, dst.dims, args.dim_attributes).identity) {
        reference_resize(args);
        return {};
      }
    ResizeJob j;
    j.src = src.as<const float>();
    j.dst = dst.as<float>();
    j.channels = dst.dims[1];
    j.src_n = src.strides[0];
    j.dst_n = dst.strides[0];
    j.src_c = j.channels == 1 ? 1 : src.strides[1];
    j.dst_c = j.channels == 1 ? 1 : dst.strides[1];
    j.taps = taps_per_axis(op.get().mode);
    auto* entries = static_cast<ResizeEntry*>(args.scratch);
    const int missing = 5 - dst.dims.rank;
    for (int i = 2; i < dst.dims.rank; ++i) {
      const int a = i - 2 + missing;
      j.out[a] = dst.dims[i];
      j.dst_s[a] = dst.strides[i];
      j.src_s[a] = src.strides[i];
      const Resize::Axis axis = op.axis(i, src.dims, dst.dims, args.dim_attributes);
      if (axis.identity) continue;
      for (int64_t x = 0; x < axis.out; ++x) {
        const ResizeTaps t = resize_taps(op, axis, x);
        for (int k = 0; k < kMaxTaps; ++k) {
          entries[x].offset[k] = t.index[k] * src.strides[i];
          entries[x].weight[k] = t.weight[k];
        }
      }
      j.table[a] = entries;
      entries += axis.out;
      ++j.axes;
    }
    if (j.dst_s[2] == 1 && (j.dst_c != 1 || j.channels == 1)) {
      run_planes(j, dst, args.parallel, lines_at(args));
      return {};
    }
    const int64_t rows = dst.dims[0] * j.out[0] * j.out[1];
    if (args.parallel.threads() == 1 || dst.count() < kParallelElements) {
      for (int64_t t = 0; t < rows; ++t) task_(j, t);
    } else {
      args.parallel.run(rows, [&](int64_t t, int) { task_(j, t); });
    }
    return {};
  }

 private:
  // Tables, then each worker's lines.
  static int64_t table_bytes(const Dims& out) noexcept {
    int64_t n = 0;
    for (int i = 2; i < out.rank; ++i) n = saturating_add(n, out[i]);
    return saturating_mul(n, static_cast<int64_t>(sizeof(ResizeEntry)));
  }
  static int64_t scratch(const Operator& op, const Dims& out, int threads) noexcept {
    const int taps = taps_per_axis(static_cast<const Resize&>(op).get().mode);
    return saturating_add(table_bytes(out), saturating_mul(saturating_mul(out.back(), plane_lines(taps) * 4), threads));
  }
  static float* lines_at(const Args& args) noexcept {
    return reinterpret_cast<float*>(static_cast<std::byte*>(args.scratch) + table_bytes(args.out[0].dims));
  }
  void run_planes(const ResizeJob& j, const TensorView& dst, const Parallel& parallel, float* lines) const noexcept {
    const int64_t planes = dst.dims[0] * j.channels, rows = j.out[0] * j.out[1], each = plane_lines(j.taps) * j.out[2];
    const int threads = dst.count() < kParallelElements ? 1 : parallel.threads();
    const int64_t parts = threads == 1 ? 1 : std::min(ceil_div(4 * int64_t{threads}, planes), rows), tasks = planes * parts;
    const auto task = [&](int64_t t, int worker) {
      const int64_t part = t % parts;
      plane_(j, t / parts, rows * part / parts, rows * (part + 1) / parts, lines + worker * each);
    };
    if (threads > 1) return parallel.run(tasks, task);
    for (int64_t t = 0; t < tasks; ++t) task(t, 0);
  }
  const char* name_;
  KernelKey key_;
  ResizeTask task_;
  ResizePlaneTask plane_;
};

class ResizeReference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "resize.reference"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const DType t = p.in[0].dtype;
    if (static_cast<const Resize*>(p.op)->get().mode != Resize::Mode::nearest && t != DType::f32 && !dtype_is_half(t))
      return no("linear and cubic resize take f32 and 16-bit floats");
    if (static_cast<const Resize*>(p.op)->get().antialias) return no("antialias is left to its own kernel");
    return p.post_ops->count > 0 ? no("resize takes no post-ops") : yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    reference_resize(args);
    return {};
  }

 private:
  KernelKey key_{OpKind::resize, DType::none, DType::none};
};

}  // namespace

KernelList resize_kernels() noexcept {
  static const NearestKernel nearest;
  static const InterpolateKernel portable("resize.channels.portable", Isa::portable, resize_task_portable, resize_plane_portable);
  static const ResizeReference reference;
  static const HostKernel* const everywhere[] = {&nearest, &portable, kResizeAntialias, &reference};
  if constexpr (kX86) {
    static const InterpolateKernel avx512("resize.channels.avx512", Isa::avx512, resize_task_avx512, resize_plane_avx512);
    static const InterpolateKernel avx2("resize.channels.avx2", Isa::avx2, resize_task_avx2, resize_plane_avx2);
    static const auto all = kernel_list({&avx512, &avx2}, everywhere);
    return all;
  }
  return everywhere;
}

}  // namespace anydim
