// SPDX-License-Identifier: Apache-2.0
// Depthwise transposed convolution, as upsampling by a fixed filter is written: every phase of the output (conv/phase_taps.h) is a
// depthwise convolution of stride 1 whose taps go backwards, and whose pixels lie a stride apart. Weights are packed phase by phase.
#include <algorithm>

#include "core/kernels/conv/geometry.h"
#include "core/kernels/conv/depthwise/depthwise.h"
#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/conv/depthwise/operands.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

constexpr int64_t kPhaseRows = 4;  // of every phase, before the next rows: their lines lie between each other

// Calls f(the phase on each axis, its taps on each axis, the first of its taps among all).
template <class F> void each_phase(const ConvGeometry& g, F&& f) {
  int64_t phase[3], first = 0;
  PhaseTaps taps[3];
  for (phase[0] = 0; phase[0] < g.stride[0]; ++phase[0]) {
    taps[0] = phase_taps(g, 0, phase[0]);
    for (phase[1] = 0; phase[1] < g.stride[1]; ++phase[1]) {
      taps[1] = phase_taps(g, 1, phase[1]);
      for (phase[2] = 0; phase[2] < g.stride[2]; ++phase[2]) {
        taps[2] = phase_taps(g, 2, phase[2]);
        f(phase, taps, first);
        first += taps[0].count * taps[1].count * taps[2].count;
      }
    }
  }
}

// Weights C, 1, kernel... as [phase][tap][padded channels].
void pack_phases(const ConvGeometry& g, const TensorView& w, float* to) noexcept {
  const int64_t channels = w.dims[0], padded = round_up(channels, kDepthwisePadding);
  const SpatialStrides s = spatial_strides(w.strides, g.spatial);
  each_phase(g, [&](const int64_t*, const PhaseTaps* t, int64_t) {
    for (int64_t z = 0; z < t[0].count; ++z)
      for (int64_t y = 0; y < t[1].count; ++y)
        for (int64_t x = 0; x < t[2].count; ++x, to += padded) {
          const int64_t at =
              (t[0].k + z * t[0].k_step) * s.s[0] + (t[1].k + y * t[1].k_step) * s.s[1] + (t[2].k + x * t[2].k_step) * s.s[2];
          for (int64_t c = 0; c < padded; ++c) to[c] = c < channels ? read_unaligned(w.as<const float>() + c * s.n + at) : 0.f;
        }
  });
}

// What weights say of the window; dims of activations do not matter to its phases, since pads are numbers here.
ConvGeometry weights_geometry(const Operator& op, const Dims& weights) noexcept {
  Dims ones = weights;
  std::fill(ones.begin(), ones.end(), 1);
  ones[1] = weights[0];
  return conv_geometry(op, ones, weights, ones);
}

int64_t phases_floats(const Dims& weights) noexcept {
  int64_t n = round_up(weights[0], kDepthwisePadding);
  for (int i = 2; i < weights.rank; ++i) n = saturating_mul(n, weights[i]);
  return n;
}

class DepthwiseTransposed final : public HostKernel {
 public:
  constexpr DepthwiseTransposed(const char* name, Isa isa, DepthwiseRows::Function* rows)
      : name_(name), key_{OpKind::conv_transpose, DType::f32, DType::f32, LayoutFamily::channels_last, isa}, rows_(rows) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    for (const TensorType& t : p.in)
      if (t.dtype != DType::f32 && t.dtype != DType::none) return no("an input is not f32");
    const ConvTranspose::Attributes& at = static_cast<const ConvTranspose*>(p.op)->get();
    const SymDims& w = p.in[1].dims;
    if (at.group == 1 || !w[0].is(at.group) || !w[1].is(1)) return no("groups are not of one channel");
    if (!at.output_shape.empty() || (at.auto_pad != AutoPad::explicit_ && at.auto_pad != AutoPad::valid))
      return no("the padding follows from dims");
    int64_t taps = 1;
    for (int i = 2; i < w.rank; ++i) {
      if (!w[i].is_number()) return no("the kernel's dims are dynamic");
      taps = saturating_mul(taps, w[i].number());
      if (at.strides[i - 2] > kMostStride) return no("a stride is long");
    }
    if (taps > kMaxDepthwiseTaps) return no("the kernel has more taps than one block of a sum");
    return supports_post_ops(p);
  }

  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    return output || index == 0 ? channels_last(p.in[0].dims.rank) : Perm{};
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    if (!p.is_constant(1)) return {};
    return depthwise_form(p, "depthwise_transposed.taps16", phases_floats(numbers(p.in[1].dims)));
  }
  Status pack(const Problem& p, std::span<const TensorView> tensors, const Packing&, std::span<std::byte* const> pieces) const override {
    pack_phases(weights_geometry(*p.op, tensors[1].dims), tensors[1], reinterpret_cast<float*>(pieces[kDepthwiseTaps]));
    if (pieces.size() > kDepthwiseBias) pack_depthwise_bias(tensors[2], reinterpret_cast<float*>(pieces[kDepthwiseBias]));
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = depthwise_scratch(args, phases_floats(args.in[1].dims));
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    return depthwise_scratch(p, in[1][0], phases_floats(in[1]));
  }

  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView &src = args.in[0], &dst = args.out[0];
    if (dst.count() == 0) return {};
    const ConvGeometry g = conv_geometry(*args.op, src.dims, args.in[1].dims, dst.dims);
    DepthwiseJob whole;
    whole.src = src.as<const float>();
    whole.dst = dst.as<float>();
    bind_depthwise_operands(args, phases_floats(args.in[1].dims), &whole, [&](float* to) { pack_phases(g, args.in[1], to); });
    whole.channels = dst.dims[1];
    whole.padded = round_up(whole.channels, kDepthwisePadding);
    const SpatialStrides from = spatial_strides(src.strides, g.spatial), to = spatial_strides(dst.strides, g.spatial);
    whole.src_n = from.n;
    whole.dst_n = to.n;
    whole.src_c = from.c;
    whole.dst_c = to.c;
    for (int a = 0; a < 3; ++a) {
      whole.in[a] = g.in[a];
      whole.stride[a] = 1;
      whole.src_s[a] = from.s[a];
      whole.dst_s[a] = to.s[a];
    }
    BoundDepthwiseEpilogue epilogue(args, &whole);

    const int64_t work = saturating_mul(saturating_mul(g.positions(), g.taps()), whole.channels);
    const Parallel parallel = work < kLeastParallelWork ? Parallel(1) : args.parallel;
    const int64_t planes = phase_positions(g, 0), rows = phase_positions(g, 1), bands = ceil_div(rows, kPhaseRows);
    parallel.run(g.batch * planes * bands, [&](int64_t task, int) {
      const int64_t begin = task % bands * kPhaseRows, d = task / bands % planes, n = task / bands / planes;
      each_phase(g, [&](const int64_t* phase, const PhaseTaps* taps, int64_t first) {
        DepthwiseJob j = whole;
        j.weights += first * j.padded;
        for (int a = 0; a < 3; ++a) {
          j.out[a] = ceil_div(g.out[a] - phase[a], g.stride[a]);
          j.kernel[a] = taps[a].count;
          j.dilation[a] = taps[a].count == 0 ? -1 : taps[a].shift_step;
          j.pad[a] = -taps[a].shift;
          j.dst += phase[a] * j.dst_s[a];
          j.dst_s[a] *= g.stride[a];
          for (int o = 0; o < j.program->operand_count; ++o) {
            j.operand[o] += phase[a] * j.operand_s[o][a];
            j.operand_s[o][a] *= g.stride[a];
          }
        }
        const int64_t end = std::min(begin + kPhaseRows, j.out[1]), row = (n * j.out[0] + d) * j.out[1];
        if (d < j.out[0] && begin < end) rows_(j, row + begin, row + end, 0, j.channels);
      });
    });
    return {};
  }

 private:
  static constexpr int64_t kMostStride = 64;            // phases of an axis
  static constexpr int64_t kLeastParallelWork = 50000;  // multiply-adds

  const char* name_;
  KernelKey key_;
  DepthwiseRows::Function* rows_;
};

}  // namespace

KernelList depthwise_transposed_kernels() noexcept {
  static const KernelsOfSets<"depthwise_transposed.rows", DepthwiseTransposed, DepthwiseRows> rows;
  static const auto all = kernel_list(rows);
  return all;
}

}  // namespace anydim
