// SPDX-License-Identifier: Apache-2.0
// Kernels of depthwise convolution and its transposed form where a window has more taps than a block of sums (RepLKNet, SLaK, filters of
// audio). A worker copies what a piece of the output reads, 16 channels at a time, side by side into its scratch, whatever the input's
// layout and the outputs of a channel, and the bodies (windows.inl.h) run over it. A transposed one is a convolution for each phase.
#include <algorithm>
#include <array>
#include <cstring>

#include "core/kernels/conv/geometry.h"
#include "core/kernels/copy/strided_copy.h"
#include "core/kernels/conv/depthwise/depthwise.h"
#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/conv/depthwise/operands.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

constexpr int64_t kLanes = kDepthwisePadding;
constexpr int64_t kPieceFloats = 64 << 10;     // of a worker's inputs, 256 KB: they stay in L2
constexpr int64_t kLeastParallelWork = 50000;  // multiply-adds below which the caller works alone

// Weights as [16 channels of the output][tap][channel]; the padding is 0 and is never stored. Convolution: M, 1, kernel...; transposed:
// C, M / C, kernel...
void pack_windows(const TensorView& w, bool transposed, float* to) noexcept {
  const int64_t each = transposed ? w.dims[1] : 1, channels = w.dims[0] * each;
  int64_t taps = 1;
  for (int i = 2; i < w.dims.rank; ++i) taps *= w.dims[i];
  for (int64_t c = 0; c < round_up(channels, kLanes); ++c) {
    float* lane = to + c / kLanes * kLanes * taps + c % kLanes;
    const float* from = c < channels ? w.as<const float>() + c / each * w.strides[0] + c % each * w.strides[1] : nullptr;
    int64_t at[3] = {}, offset = 0;
    for (int64_t tap = 0; tap < taps; ++tap) {
      lane[tap * kLanes] = from != nullptr ? read_unaligned(from + offset) : 0.f;
      for (int a = w.dims.rank - 3; a >= 0; --a) {
        offset += w.strides[2 + a];
        if (++at[a] < w.dims[2 + a]) break;
        offset -= at[a] * w.strides[2 + a];
        at[a] = 0;
      }
    }
  }
}

int64_t window_floats(const Dims& w, bool transposed) noexcept {
  int64_t n = round_up(transposed ? saturating_mul(w[0], w[1]) : w[0], kLanes);
  for (int i = 2; i < w.rank; ++i) n = saturating_mul(n, w[i]);
  return n;
}

// The input positions of an axis that outputs [begin, end) of any phase read, and how outputs are cut into pieces.
struct Reach {
  int64_t low = 0, high = 0;  // position o reads o * stride + low to o * stride + high, the taps in the padding included
  int64_t stride = 1, in = 1, out = 1;

  int64_t first(int64_t begin) const noexcept { return std::clamp<int64_t>(begin * stride + low, 0, in); }
  int64_t last(int64_t end) const noexcept { return std::clamp<int64_t>((end - 1) * stride + high + 1, 0, in); }
  // Of so many outputs, at most.
  int64_t inputs(int64_t outputs) const noexcept { return std::min(in, (outputs - 1) * stride + high - low + 1); }
};

struct WindowCut {
  ConvGeometry geometry;
  Reach reach[3];
  int64_t rows = 1, columns = 1;  // of the output, of a phase, in a piece
  int64_t floats = 0;             // of a worker

  WindowCut(const Operator& op, const Dims& src, const Dims& weights, const Dims& dst, int threads) noexcept
      : geometry(conv_geometry(op, src, weights, dst)) {
    const ConvGeometry& g = geometry;
    for (int a = 0; a < 3; ++a) {
      Reach& r = reach[a];
      r.in = g.in[a];
      r.out = phases(a) == 1 ? g.out[a] : phase_positions(g, a);
      r.stride = g.transposed ? 1 : g.stride[a];
      bool any = false;
      for (int64_t phase = 0; phase < phases(a); ++phase) {
        const PhaseTaps t = taps_of(a, phase);
        if (t.count == 0) continue;
        const int64_t last = t.shift + (t.count - 1) * t.shift_step, low = std::min(t.shift, last), high = std::max(t.shift, last);
        r.low = any ? std::min(r.low, low) : low;
        r.high = any ? std::max(r.high, high) : high;
        any = true;
      }
    }
    columns = std::clamp<int64_t>(reach[2].out, 1, kWindowPixels);
    const int64_t line = reach[0].inputs(1) * reach[2].inputs(columns) * kLanes, fit = kPieceFloats / std::max<int64_t>(line, 1);
    const int64_t spread = reach[1].inputs(1);
    rows = std::clamp<int64_t>(fit <= spread ? 1 : (fit - spread) / reach[1].stride + 1, 1, std::max<int64_t>(reach[1].out, 1));
    // About four pieces a thread.
    const int64_t others = g.batch * reach[0].out * ceil_div(reach[2].out, columns) * ceil_div(g.groups * g.out_channels, kLanes);
    if (threads > 1) rows = std::min(rows, std::max<int64_t>(reach[1].out * std::max<int64_t>(others, 1) / (4 * threads), 1));
    floats = line * reach[1].inputs(rows);
  }
  int64_t phases(int axis) const noexcept {
    return geometry.transposed ? std::min(geometry.stride[axis], std::max<int64_t>(geometry.out[axis], 1)) : 1;
  }
  PhaseTaps taps_of(int axis, int64_t phase) const noexcept { return phase_taps(geometry, axis, phase); }
};

class WindowKernel final : public HostKernel {
 public:
  constexpr WindowKernel(const char* name, Isa isa, DepthwiseWindow::Function* window, const CopyCore& copy, OpKind op)
      : name_(name), key_{op, DType::f32, DType::f32, LayoutFamily::any, isa}, window_(window), copy_(&copy) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    for (const TensorType& t : p.in)
      if (t.dtype != DType::f32 && t.dtype != DType::none) return no("an input is not f32");
    const SymDims& w = p.in[1].dims;
    const int64_t groups = transposed() ? as<ConvTranspose>(*p.op)->get().group : as<Convolution>(*p.op)->get().group;
    if (groups == 1) return no("there is one group: an ordinary convolution");
    int64_t taps = 1;
    for (int i = 0; i < w.rank; ++i) {
      if (!w[i].is_number()) return no("the kernel's dims are dynamic");
      if (i >= 2) taps = saturating_mul(taps, w[i].number());
    }
    if (transposed() ? !w[0].is(groups) : !w[1].is(1)) return no("groups are not of one input channel");
    if (taps <= kDepthwiseBlock) return no("the taps are one block of a sum");
    return supports_post_ops(p);
  }

  // Inputs are copied from any order.
  Perm preferred_order(const Problem& p, bool output, int) const noexcept override {
    return output ? channels_last(p.in[0].dims.rank) : Perm{};
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    if (!p.is_constant(1)) return {};
    return depthwise_form(p, transposed() ? "depthwise_transposed.windows16" : "depthwise.windows16",
                          window_floats(numbers(p.in[1].dims), transposed()));
  }
  Status pack(const Problem&, std::span<const TensorView> tensors, const Packing&, std::span<std::byte* const> pieces) const override {
    pack_windows(tensors[1], transposed(), reinterpret_cast<float*>(pieces[kDepthwiseTaps]));
    if (pieces.size() > kDepthwiseBias) pack_depthwise_bias(tensors[2], reinterpret_cast<float*>(pieces[kDepthwiseBias]));
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = depthwise_scratch(args, window_floats(args.in[1].dims, transposed()));
    if (args.out[0].count() == 0) return;
    const int threads = args.parallel.threads();
    plan->scratch += threads * 4 * WindowCut(*args.op, args.in[0].dims, args.in[1].dims, args.out[0].dims, threads).floats;
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    // The most for any dims up to these: what a piece may have, or what one of a single row needs.
    const WindowCut cut(*p.op, in[0], in[1], out[0], 1);
    int64_t floats = kLanes;
    for (int a = 0; a < 3; ++a) {
      Reach r = cut.reach[a];
      if (transposed()) r.high += 2;  // where its phases begin follows from pads, which dims may decide
      floats = saturating_mul(floats, r.inputs(a == 2 ? cut.columns : 1));
    }
    floats = std::max(floats, kPieceFloats);
    return saturating_add(depthwise_scratch(p, out[0][1], window_floats(in[1], transposed())), saturating_mul(floats, 4 * threads));
  }

  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView &src = args.in[0], &dst = args.out[0];
    if (dst.count() == 0) return {};
    const WindowCut cut(*args.op, src.dims, args.in[1].dims, dst.dims, args.parallel.threads());
    const ConvGeometry& g = cut.geometry;
    DepthwiseJob whole;
    float* scratch = bind_depthwise_operands(args, window_floats(args.in[1].dims, transposed()), &whole,
                                             [&](float* to) { pack_windows(args.in[1], transposed(), to); });
    bind(cut, args, &whole);
    BoundDepthwiseEpilogue epilogue(args, &whole);

    const int64_t blocks = ceil_div(whole.channels, kLanes), columns = ceil_div(cut.reach[2].out, cut.columns);
    const int64_t bands = ceil_div(cut.reach[1].out, cut.rows), depths = cut.reach[0].out;
    const int64_t work = saturating_mul(saturating_mul(g.positions(), g.taps()), whole.channels);
    const Parallel parallel = work < kLeastParallelWork ? Parallel(1) : args.parallel;
    parallel.run(g.batch * depths * bands * columns * blocks, [&](int64_t task, int worker) {
      DepthwisePart part;
      part.c0 = task % blocks * kLanes;
      part.c1 = std::min(part.c0 + kLanes, whole.channels);
      part.x0 = task / blocks % columns * cut.columns;
      part.x1 = std::min(part.x0 + cut.columns, cut.reach[2].out);
      part.h0 = task / blocks / columns % bands * cut.rows;
      part.h1 = std::min(part.h0 + cut.rows, cut.reach[1].out);
      part.d = task / blocks / columns / bands % depths;
      part.n = task / blocks / columns / bands / depths;
      DepthwiseJob job = whole;
      float* mine = scratch + worker * cut.floats;
      turn(cut, part, mine, &job);
      job.weights += part.c0 * g.taps();
      each_phase(cut, job, part);
    });
    return {};
  }

 private:
  bool transposed() const noexcept { return key_.op == OpKind::conv_transpose; }

  void bind(const WindowCut& cut, const Args& args, DepthwiseJob* j) const noexcept {
    const ConvGeometry& g = cut.geometry;
    const TensorView& dst = args.out[0];
    const SpatialStrides from = spatial_strides(args.in[0].strides, g.spatial), to = spatial_strides(dst.strides, g.spatial);
    j->src = args.in[0].as<const float>();
    j->dst = dst.as<float>();
    j->channels = dst.dims[1];
    j->multiplier = g.out_channels;
    j->src_n = from.n;
    j->src_c = from.c;
    j->dst_n = to.n;
    j->dst_c = dst.dims[1] == 1 ? 1 : to.c;
    for (int a = 0; a < 3; ++a) {
      j->in[a] = g.in[a];
      j->stride[a] = cut.reach[a].stride;
      j->src_s[a] = from.s[a];
      j->dst_s[a] = to.s[a];
      j->whole[a] = g.kernel[a];
    }
  }

  // Copies what the part reads, and has the job read it there.
  void turn(const WindowCut& cut, const DepthwisePart& part, float* to, DepthwiseJob* j) const noexcept {
    const int64_t lanes = part.c1 - part.c0, m = j->multiplier;
    const int64_t begin[3] = {cut.reach[0].first(part.d), cut.reach[1].first(part.h0), cut.reach[2].first(part.x0)};
    const int64_t end[3] = {cut.reach[0].last(part.d + 1), cut.reach[1].last(part.h1), cut.reach[2].last(part.x1)};
    int64_t count[3], step[3] = {0, 0, kLanes};
    for (int a = 0; a < 3; ++a) count[a] = std::max<int64_t>(end[a] - begin[a], 0);
    step[1] = count[2] * step[2];
    step[0] = count[1] * step[1];
    if (lanes < kLanes) std::memset(to, 0, static_cast<size_t>(count[0] * step[0]) * sizeof(float));
    const float* from = j->src + part.n * j->src_n;
    for (int a = 0; a < 3; ++a) from += begin[a] * j->src_s[a];
    const auto copy = [&](int64_t channel, int64_t lane, int64_t channels, int64_t each) {
      StridedCopy box;
      box.from = reinterpret_cast<const std::byte*>(from + channel * j->src_c);
      box.to = reinterpret_cast<std::byte*>(to + lane);
      for (int a = 0; a < 3; ++a) box.axis(count[a], j->src_s[a], step[a]);
      box.axis(channels, j->src_c, each);
      if (each > 1) box.axis(each, 0, 1);
      run_copy(box, *copy_, Parallel(1));
    };
    if (m == 1) {
      copy(part.c0, 0, lanes, 1);
    } else if (part.c0 % m == 0 && lanes % m == 0) {
      copy(part.c0 / m, 0, lanes / m, m);
    } else {
      for (int64_t c = part.c0; c < part.c1;) {
        const int64_t next = std::min((c / m + 1) * m, part.c1);
        copy(c / m, c - part.c0, 1, next - c);
        c = next;
      }
    }
    j->src = to;
    for (int a = 0; a < 3; ++a) {
      j->src -= begin[a] * step[a];
      j->src_s[a] = step[a];
    }
  }

  void each_phase(const WindowCut& cut, const DepthwiseJob& whole, const DepthwisePart& part) const noexcept {
    const ConvGeometry& g = cut.geometry;
    int64_t phase[3];
    for (phase[0] = 0; phase[0] < cut.phases(0); ++phase[0])
      for (phase[1] = 0; phase[1] < cut.phases(1); ++phase[1])
        for (phase[2] = 0; phase[2] < cut.phases(2); ++phase[2]) {
          DepthwiseJob j = whole;
          for (int a = 0; a < 3; ++a) {
            const PhaseTaps t = cut.taps_of(a, phase[a]);
            const int64_t stride = transposed() ? g.stride[a] : 1;
            j.out[a] = ceil_div(g.out[a] - phase[a], stride);
            j.kernel[a] = t.count;
            j.dilation[a] = t.count == 0 ? 1 : t.shift_step;
            j.pad[a] = -t.shift;
            j.k_first[a] = t.k;
            j.k_step[a] = t.k_step;
            j.dst += phase[a] * j.dst_s[a];
            j.dst_s[a] *= stride;
            for (int o = 0; o < j.program->operand_count; ++o) {
              j.operand[o] += phase[a] * j.operand_s[o][a];
              j.operand_s[o][a] *= stride;
            }
          }
          DepthwisePart own = part;
          own.h1 = std::min(part.h1, j.out[1]);
          own.x1 = std::min(part.x1, j.out[2]);
          if (part.d < j.out[0] && own.h0 < own.h1 && own.x0 < own.x1) window_(j, own);
        }
  }

  const char* name_;
  KernelKey key_;
  DepthwiseWindow::Function* window_;
  const CopyCore* copy_;
};

}  // namespace

KernelList depthwise_window_kernels() noexcept {
  static const KernelsOfSets<"depthwise.windows", WindowKernel, DepthwiseWindow, CopyCore> windows(OpKind::convolution);
  static const KernelsOfSets<"depthwise_transposed.windows", WindowKernel, DepthwiseWindow, CopyCore> transposed(OpKind::conv_transpose);
  static const auto all = kernel_list(windows, transposed);
  return all;
}

}  // namespace anydim
