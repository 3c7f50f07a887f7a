// SPDX-License-Identifier: Apache-2.0
// The f32 kernels for softmax and layer norm, one per instruction set, and the family's list.
#include "core/kernels/norm/norm.h"

#include <cstring>

#include "core/kernels/norm/rows.h"
#include "core/ops/layer_norm.h"
#include "core/ops/softmax.h"

namespace anydim {

namespace {

constexpr int64_t kElementsPerTask = 8 << 10;

void swap(int64_t& a, int64_t& b) noexcept {
  const int64_t t = a;
  a = b;
  b = t;
}

class SoftmaxKernel final : public Kernel {
 public:
  constexpr SoftmaxKernel(const char* name, Isa isa, const NormFunctions& functions) noexcept
      : name_(name), key_{.op = OpKind::softmax, .isa = isa}, functions_(functions) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!as<Softmax>(*p.op)) return no("another operator");
    if (p.in[0].dtype != DType::f32) return no("the input is not f32");
    if (p.post_ops->count != 0) return no("post-ops are not fused into softmax");
    return yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    const Softmax& op = *as<Softmax>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return {};
    int axis;
    ANYDIM_TRY(normalise_axis(op.axis(), x.rank(), "softmax: axis", &axis));
    SplitAxes axes = split_axes(x.rank(), x.dims.values, x.strides.values, y.strides.values, 1u << axis);
    SoftmaxStrip whole{};
    whole.log = op.log();
    whole.lanes = axis == x.rank() - 1;
    whole.count = axes.reduced.count;
    whole.in_step = axes.reduced.in_strides[0];
    whole.out_step = axes.reduced.out_strides[0];
    whole.width = axes.width;
    whole.in_stride = axes.in_stride;
    whole.out_stride = axes.out_stride;
    // The innermost outer axis becomes the strip's second: short rows fill vectors across both. Where the output is
    // contiguous along it, it comes first.
    whole.height = 1;
    if (const int last = axes.outer_rank - 1; last >= 0) {
      whole.height = axes.outer_dims[last];
      whole.in_pitch = axes.outer_in[last];
      whole.out_pitch = axes.outer_out[last];
      --axes.outer_rank;
      axes.outer_count /= whole.height;
      if (whole.in_step == 1 && whole.out_pitch == 1) {
        swap(whole.width, whole.height);
        swap(whole.in_stride, whole.in_pitch);
        swap(whole.out_stride, whole.out_pitch);
      }
    }

    // Tasks cut the longer of the two axes.
    const bool by_height = whole.height > whole.width;
    const int64_t longer = by_height ? whole.height : whole.width, shorter = by_height ? whole.width : whole.height;
    int64_t chunk = longer, units_per_task = axes.outer_count;
    if (args.parallel.threads() > 1 && axes.outer_count * longer * shorter * whole.count > kElementsPerTask) {
      const int64_t wanted = ceil_div(4 * static_cast<int64_t>(args.parallel.threads()), axes.outer_count);
      chunk = round_up(ceil_div(longer, wanted), 16);
      units_per_task = ceil_div(kElementsPerTask, chunk * shorter * whole.count);
    }
    const int64_t chunks = ceil_div(longer, chunk), units = axes.outer_count * chunks;
    if (args.parallel.threads() == 1) units_per_task = units;
    auto task = [&](int64_t t, int) {
      const int64_t end = (t + 1) * units_per_task < units ? (t + 1) * units_per_task : units;
      for (int64_t u = t * units_per_task; u < end; ++u) {
        const int64_t i = u % chunks * chunk, n = longer - i < chunk ? longer - i : chunk;
        int64_t in, out;
        outer_offsets(axes, u / chunks, &in, &out);
        SoftmaxStrip strip = whole;
        (by_height ? strip.height : strip.width) = n;
        strip.in = x.as<float>() + in + i * (by_height ? whole.in_pitch : whole.in_stride);
        strip.out = y.as<float>() + out + i * (by_height ? whole.out_pitch : whole.out_stride);
        functions_.softmax(strip);
      }
    };
    args.parallel.run(ceil_div(units, units_per_task), task);
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  const NormFunctions& functions_;
};

// Rows whose neighbours lie side by side are computed a vector of rows at a time. Others that do not lie densely are gathered
// into scratch, one row per worker; scale and bias likewise, once.
class LayerNormKernel final : public Kernel {
 public:
  constexpr LayerNormKernel(const char* name, Isa isa, const NormFunctions& functions) noexcept
      : name_(name), key_{.op = OpKind::layer_norm, .isa = isa}, functions_(functions) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!as<LayerNorm>(*p.op)) return no("another operator");
    if (p.in[0].dtype != DType::f32) return no("x is not f32");
    if (p.post_ops->count != 0) return no("post-ops are not fused into layer norm");
    return yes();
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = scratch_bytes(*args.op, args.in[0].dims, args.parallel.threads());
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    return scratch_bytes(*p.op, in[0], threads);
  }

  Status run(const Plan&, const Args& args) const noexcept override {
    const LayerNorm& op = *as<LayerNorm>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return {};
    int axis;
    ANYDIM_TRY(normalise_axis(op.axis(), x.rank(), "layer_norm: axis", &axis));
    const uint32_t mask = ((1u << x.rank()) - 1) & ~((1u << axis) - 1);
    const SplitAxes axes = split_axes(x.rank(), x.dims.values, x.strides.values, y.strides.values, mask);
    const ReducedAxes& reduced = axes.reduced;
    const int64_t n = reduced.count;
    const bool dense = n == 1 || (reduced.rank == 1 && reduced.in_strides[0] == 1 && reduced.out_strides[0] == 1);
    const int64_t row_floats = row_bytes(n) / static_cast<int64_t>(sizeof(float));
    float* scratch = static_cast<float*>(args.scratch);

    const float* parameters[2] = {nullptr, nullptr};
    for (size_t i = 0; i < 2; ++i) {
      if (args.in.size() <= i + 1 || args.in[i + 1].dtype == DType::none) continue;
      const TensorView& t = args.in[i + 1];
      parameters[i] = t.as<float>();
      if (is_row_major(t)) continue;
      float* copy = scratch + static_cast<int64_t>(i) * row_floats;
      const SplitAxes all = split_axes(t.rank(), t.dims.values, t.strides.values, t.strides.values, (1u << t.rank()) - 1);
      ReducedCursor c{all.reduced};
      for (int64_t r = 0; r < n; ++r, c.advance(1)) copy[r] = t.as<float>()[c.in];
      parameters[i] = copy;
    }

    if (!dense && reduced.rank == 1 && axes.in_stride == 1 && axes.width > 1) {
      run_across(args, axes,
                 {nullptr, parameters[0], parameters[1], nullptr, 0, axes.out_stride, n, reduced.in_strides[0], reduced.out_strides[0],
                  op.epsilon()});
      return {};
    }
    const int64_t rows = axes.outer_count * axes.width;
    int64_t rows_per_task = rows;
    if (args.parallel.threads() > 1) {
      rows_per_task = ceil_div(rows, 4 * static_cast<int64_t>(args.parallel.threads()));
      if (rows_per_task * n < kElementsPerTask) rows_per_task = ceil_div(kElementsPerTask, n);
    }
    auto task = [&](int64_t t, int worker) {
      const int64_t end = (t + 1) * rows_per_task < rows ? (t + 1) * rows_per_task : rows;
      float* copy = scratch + (2 + worker) * row_floats;
      for (int64_t i = t * rows_per_task; i < end; ++i) {
        int64_t in, out;
        outer_offsets(axes, i / axes.width, &in, &out);
        const float* from = x.as<float>() + in + i % axes.width * axes.in_stride;
        float* to = y.as<float>() + out + i % axes.width * axes.out_stride;
        if (dense) {
          functions_.layer_norm({from, parameters[0], parameters[1], to, n, op.epsilon()});
          continue;
        }
        ReducedCursor gather{reduced}, scatter{reduced};
        for (int64_t r = 0; r < n; ++r, gather.advance(1)) copy[r] = from[gather.in];
        functions_.layer_norm({copy, parameters[0], parameters[1], copy, n, op.epsilon()});
        for (int64_t r = 0; r < n; ++r, scatter.advance(1)) to[scatter.out] = copy[r];
      }
    };
    args.parallel.run(ceil_div(rows, rows_per_task), task);
    return {};
  }

 private:
  void run_across(const Args& args, const SplitAxes& axes, const LayerNormStrip& whole) const noexcept {
    int64_t chunk = axes.width;
    const int64_t threads = args.parallel.threads();
    if (threads > 1 && axes.outer_count * axes.width * whole.count > kElementsPerTask)
      chunk = round_up(ceil_div(axes.width, ceil_div(4 * threads, axes.outer_count)), axes.width >= 64 * threads ? 64 : 16);
    const int64_t chunks = ceil_div(axes.width, chunk);
    args.parallel.run(axes.outer_count * chunks, [&](int64_t t, int) {
      int64_t in, out;
      outer_offsets(axes, t / chunks, &in, &out);
      const int64_t i = t % chunks * chunk;
      LayerNormStrip strip = whole;
      strip.width = axes.width - i < chunk ? axes.width - i : chunk;
      strip.in = args.in[0].as<float>() + in + i;
      strip.out = args.out[0].as<float>() + out + i * axes.out_stride;
      functions_.layer_norm_across(strip);
    });
  }
  static int64_t row_bytes(int64_t n) noexcept { return round_up(saturating_mul(n, sizeof(float)), 64); }
  static int64_t scratch_bytes(const Operator& op, const Dims& x, int threads) noexcept {
    int axis;
    if (!normalise_axis(as<LayerNorm>(op)->axis(), x.rank, "axis", &axis).ok()) return 0;
    int64_t n = 1;
    for (int a = axis; a < x.rank; ++a) n = saturating_mul(n, x[a]);
    return saturating_mul(row_bytes(n), 2 + threads);
  }
  const char* name_;
  KernelKey key_;
  const NormFunctions& functions_;
};

#if defined(__x86_64__)
const SoftmaxKernel kSoftmaxAvx512("softmax.avx512", Isa::avx512, kNormAvx512);
const SoftmaxKernel kSoftmaxAvx2("softmax.avx2", Isa::avx2, kNormAvx2);
const LayerNormKernel kLayerNormAvx512("layer_norm.avx512", Isa::avx512, kNormAvx512);
const LayerNormKernel kLayerNormAvx2("layer_norm.avx2", Isa::avx2, kNormAvx2);
#endif
const SoftmaxKernel kSoftmaxPortable("softmax.portable", Isa::portable, kNormPortable);
const LayerNormKernel kLayerNormPortable("layer_norm.portable", Isa::portable, kNormPortable);

}  // namespace

KernelList norm_kernels() noexcept {
  static const Kernel* const list[] = {
#if defined(__x86_64__)
    &kSoftmaxAvx512,
    &kSoftmaxAvx2,
#endif
    &kSoftmaxPortable,
    kSoftmaxReference,
#if defined(__x86_64__)
    &kLayerNormAvx512,
    &kLayerNormAvx2,
#endif
    &kLayerNormPortable,
    kLayerNormReference,
  };
  return list;
}

}  // namespace anydim
