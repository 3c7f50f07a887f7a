// SPDX-License-Identifier: Apache-2.0
// The driver of convolutions into a few channels: a worker copies the input rows of a band of output rows into lines of one channel
// each, whatever the input's layout, and the vector bodies (lines.inl.h) run over them. Post-ops pass over the band when it is
// written. A transposed convolution is one convolution for each residue of the output position modulo the stride, its phase, over the
// same lines.
#include <algorithm>
#include <cstring>

#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/geometry.h"
#include "core/kernels/conv/lines_job.h"
#include "core/kernels/copy/strided_copy.h"
#include "core/kernels/eltwise/row_chain.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

constexpr int64_t kBandFloats = 96 << 10;  // of a worker's lines, 384 KB: they stay in L2
constexpr int64_t kParallelWork = 50000;   // multiply-adds below which the caller works alone
constexpr int64_t kLeastTaps = 5;          // below, copying costs more than lanes without a channel
// Every tap is looked at for every block of positions, and a band has the lines of a whole window: both are bounded.
constexpr int64_t kMostTaps = 16 << 10, kMostWindow = 256 << 10, kMostChannels = 512, kMostStride = 16;
constexpr int64_t kFewChannels = 8;  // below, of all groups, most lanes of a vector over channels are without one

// Input positions that the taps of one output position span at most, of all phases.
int64_t span(int64_t kernel, int64_t dilation, int64_t stride) noexcept {
  return ((kernel - 1) * dilation + stride - 1) / stride + (stride > 1 ? 2 : 1);
}
int64_t reach(const ConvGeometry& g, int axis) noexcept { return span(g.kernel[axis], g.dilation[axis], g.stride[axis]); }
// The least and the largest shift of all phases; 0 where no phase has taps.
struct Shifts {
  int64_t least = 0, most = 0;
};
Shifts shifts_of(const ConvGeometry& g, int axis) noexcept {
  Shifts s;
  bool any = false;
  for (int64_t phase = 0; phase < g.stride[axis]; ++phase) {
    const PhaseTaps t = phase_taps(g, axis, phase);
    if (t.count == 0) continue;
    const int64_t last = t.shift + (t.count - 1) * t.shift_step;
    s = {any ? std::min({s.least, t.shift, last}) : std::min(t.shift, last),
         any ? std::max({s.most, t.shift, last}) : std::max(t.shift, last)};
    any = true;
  }
  return s;
}
int64_t line_floats(int64_t width, int64_t reach) noexcept { return round_up(width, kLineVectors) + reach - 1; }
int64_t weight_floats(const Dims& weights, bool transposed, int64_t groups) noexcept {
  int64_t n = saturating_mul(kMostLineChannels * groups, transposed ? ceil_div(weights[0], groups) : weights[1]);
  for (int i = 2; i < weights.rank; ++i) n = saturating_mul(n, weights[i]);
  return round_up(n, 16);
}
// Output rows of a band.
int64_t band_rows(const ConvGeometry& g, int threads) noexcept {
  const int64_t row = g.in_channels * line_floats(phase_positions(g, 2), reach(g, 2)), rows = phase_positions(g, 1);
  const int64_t fit = kBandFloats / row - (reach(g, 1) - 1), share = ceil_div(g.batch * g.groups * rows, 2 * static_cast<int64_t>(threads));
  return std::max<int64_t>(std::min({fit, rows, threads > 1 ? share : fit}), 1);
}
int64_t band_floats(const ConvGeometry& g, int threads) noexcept {
  return g.in_channels * line_floats(phase_positions(g, 2), reach(g, 2)) * (band_rows(g, threads) + reach(g, 1) - 1);
}

class LinesKernel final : public HostKernel {
 public:
  constexpr LinesKernel(const char* name, Isa isa, ConvLines::Function* lines, EltwiseRows::Function* chain, const CopyCore& copy,
                        OpKind op) noexcept
      : name_(name), key_{.op = op, .isa = isa}, lines_(lines), chain_(chain), copy_(copy) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    for (const TensorType& t : p.in)
      if (t.dtype != DType::f32 && t.dtype != DType::none) return no("an input is not f32");
    const Window at = window_of(*p.op);
    if (at.spatial > 2) return no("there are three spatial axes");
    const SymDims& w = p.in[1].dims;
    int64_t taps = 1, phases = 1, window = 1;
    for (int i = 0; i < w.rank; ++i) {
      if (!w[i].is_number()) return no("the kernel's dims are dynamic");
      if (i >= 2) taps = saturating_mul(taps, w[i].number());
    }
    for (int i = 0; i < at.spatial; ++i) {
      if (at.strides[i] > (at.transposed ? kMostStride : 1)) return no(at.transposed ? "a stride is long" : "a stride is not 1");
      phases *= at.strides[i];
      window = saturating_mul(window, saturating_mul(w[2 + i].number() - 1, at.dilations[i]) + 1);
    }
    const int64_t outputs = at.transposed ? w[1].number() : w[0].number() / at.group;
    const int64_t channels = at.transposed ? w[0].number() / at.group : w[1].number();
    if (taps > kMostTaps || channels > kMostChannels) return no("there are many taps or channels");
    if (saturating_mul(window, channels) > kMostWindow) return no("the window is long");
    if (outputs < 1 || outputs > kMostLineChannels) return no("a group has more than four output channels");
    if (taps < kLeastTaps || saturating_mul(taps, channels) / phases < kLeastTaps) return no("the kernel is small");
    // Elsewhere lanes are channels, unless a group has one of the output's alone.
    if (at.group > 1 && outputs * at.group >= kFewChannels && (at.transposed || channels == 1 || outputs > 1))
      return no("there are many channels");
    return supports_post_ops(p);
  }

  // A group's few channels among many would be read and written a number at a time.
  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    Perm order;
    if (window_of(*p.op).group == 1 || (!output && index != 0)) return order;
    for (int i = 0; i < p.in[0].dims.rank; ++i) order.push_back(i);
    return order;
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    const ConvGeometry g = conv_geometry(*args.op, args.in[0].dims, args.in[1].dims, args.out[0].dims);
    const int threads = args.parallel.threads();
    plan->scratch = args.out[0].count() == 0
                        ? 0
                        : 4 * (weight_floats(args.in[1].dims, g.transposed, g.groups) + threads * round_up(band_floats(g, threads), 16));
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    const Window at = window_of(*p.op);
    const int rank = in[0].rank;
    const auto reach_of = [&](int i) { return span(in[1][2 + i], at.dilations[i], at.strides[i]); };
    const int64_t positions = ceil_div(out[0][rank - 1], at.strides[at.spatial - 1]);
    const int64_t line = saturating_mul(at.transposed ? in[1][0] / at.group : in[1][1], line_floats(positions, reach_of(at.spatial - 1)));
    // The budget, or the rows of one output row.
    const int64_t band = std::max(kBandFloats, saturating_mul(line, at.spatial > 1 ? reach_of(0) : 1));
    return saturating_mul(saturating_add(weight_floats(in[1], at.transposed, at.group), saturating_mul(round_up(band, 16), threads)), 4);
  }

  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView &src = args.in[0], &dst = args.out[0];
    if (dst.count() == 0) return {};
    const ConvGeometry g = conv_geometry(*args.op, src.dims, args.in[1].dims, dst.dims);
    const SpatialStrides from = spatial_strides(src.strides, g.spatial), to = spatial_strides(dst.strides, g.spatial);
    auto* weights = static_cast<float*>(args.scratch);
    float* lines = weights + weight_floats(args.in[1].dims, g.transposed, g.groups);
    copy_weights(args.in[1], g, weights);

    LinesJob whole;
    whole.weights = weights;
    whole.has_bias = args.in.size() > 2 && args.in[2].dtype != DType::none;
    whole.channels = g.in_channels;
    whole.outputs = g.out_channels;
    whole.in_width = g.in[2];
    whole.line = line_floats(phase_positions(g, 2), reach(g, 2));
    whole.kernel_width = g.kernel[2];
    const Shifts down = shifts_of(g, 1), along = shifts_of(g, 2);
    whole.first_column = along.least;
    whole.dst_c = to.c;
    whole.dst_y = to.s[1] * g.stride[1];
    whole.dst_x = to.s[2] * g.stride[2];

    RowChain chain;
    chain.append(*args.post_ops, 1);
    const int64_t work = saturating_mul(saturating_mul(g.positions(), g.k()), g.out_channels);
    const Parallel parallel = work < kParallelWork ? Parallel(1) : args.parallel;
    const int64_t band = band_rows(g, args.parallel.threads()), bands = ceil_div(phase_positions(g, 1), band);
    const int64_t floats = round_up(band_floats(g, args.parallel.threads()), 16);
    parallel.run(g.batch * g.groups * bands, [&](int64_t task, int worker) {
      const int64_t group = task / bands % g.groups, n = task / bands / g.groups, channel = group * g.out_channels;
      LinesJob job = whole;
      job.weights += group * g.k() * kMostLineChannels;
      for (int64_t m = 0; m < g.out_channels && job.has_bias; ++m)
        job.bias[m] = args.in[2].as<float>()[(channel + m) * args.in[2].strides[0]];
      job.begin = task % bands * band;
      const int64_t end = std::min(job.begin + band, phase_positions(g, 1));
      job.top = std::clamp<int64_t>(job.begin + down.least, 0, g.in[1]);
      job.bottom = std::clamp<int64_t>(end + down.most, job.top, g.in[1]);
      float* mine = lines + worker * floats;
      job.src = mine;
      fill_lines(src.as<float>() + n * from.n + group * g.in_channels * from.c, from, job, mine);
      for (int64_t y = 0; y < g.stride[1]; ++y)
        for (int64_t x = 0; x < g.stride[2]; ++x) {
          job.taps[0] = phase_taps(g, 1, y);
          job.taps[1] = phase_taps(g, 2, x);
          job.end = std::min(end, ceil_div(g.out[1] - y, g.stride[1]));
          job.width = ceil_div(g.out[2] - x, g.stride[2]);
          job.dst = dst.as<float>() + n * to.n + channel * to.c + y * to.s[1] + x * to.s[2];
          lines_(job);
        }
      if (chain.count > 0)
        run_posts(args, chain, n, channel, g.out_channels, job.begin * g.stride[1],
                  std::min(end * g.stride[1], g.out[1]) - job.begin * g.stride[1]);
    });
    return {};
  }

 private:
  // What both operators say of their windows.
  struct Window {
    bool transposed;
    int spatial;
    int64_t group;
    const int64_t *strides, *dilations;
  };
  static Window window_of(const Operator& op) noexcept {
    const auto window = [](const auto& at, bool transposed) {
      return Window{transposed, at.spatial, at.group, &at.strides[0], &at.dilations[0]};
    };
    if (const auto* t = as<ConvTranspose>(op)) return window(t->get(), true);
    return window(as<Convolution>(op)->get(), false);
  }
  // As [group][tap][channel][output].
  static void copy_weights(const TensorView& w, const ConvGeometry& g, float* to) noexcept {
    const SpatialStrides s = spatial_strides(w.strides, g.spatial);
    for (int64_t group = 0; group < g.groups; ++group) {
      const float* from = w.as<float>() + group * s.n * (g.transposed ? g.in_channels : g.out_channels);
      for (int64_t y = 0; y < g.kernel[1]; ++y)
        for (int64_t x = 0; x < g.kernel[2]; ++x)
          for (int64_t c = 0; c < g.in_channels; ++c, to += kMostLineChannels)
            for (int64_t m = 0; m < g.out_channels; ++m)
              to[m] = from[m * (g.transposed ? s.c : s.n) + c * (g.transposed ? s.n : s.c) + y * s.s[1] + x * s.s[2]];
    }
  }
  // Input rows [top, bottom) of one image, between zeros.
  void fill_lines(const float* src, const SpatialStrides& s, const LinesJob& job, float* to) const noexcept {
    const int64_t left = std::clamp<int64_t>(-job.first_column, 0, job.line), first = std::max<int64_t>(job.first_column, 0);
    const int64_t width = std::clamp<int64_t>(job.in_width - first, 0, job.line - left), right = job.line - left - width;
    const int64_t rows = job.bottom - job.top;
    for (int64_t i = 0; i < std::max<int64_t>(rows, 1) * job.channels; ++i) {
      float* line = to + i * job.line;
      std::memset(line, 0, static_cast<size_t>(left) * sizeof(float));
      std::memset(line + left + width, 0, static_cast<size_t>(right) * sizeof(float));
    }
    StridedCopy copy;
    copy.from = reinterpret_cast<const std::byte*>(src + job.top * s.s[1] + first * s.s[2]);
    copy.to = reinterpret_cast<std::byte*>(to + left);
    copy.axis(rows, s.s[1], job.channels * job.line);
    copy.axis(job.channels, s.c, job.line);
    copy.axis(width, s.s[2], 1);
    run_copy(copy, copy_, Parallel(1));
  }
  // Over output rows [begin, begin + count) of some channels of image n.
  void run_posts(const Args& args, const RowChain& chain, int64_t n, int64_t channel, int64_t channels, int64_t begin,
                 int64_t count) const noexcept {
    const int rank = args.out[0].rank();
    const auto part_of = [&](const TensorView& t) {
      TensorView part = t;
      int64_t offset = 0;
      const auto narrow = [&](int axis, int64_t at, int64_t dim) {
        const int i = axis - (rank - t.rank());
        if (i < 0 || t.dims[i] == 1) return;
        offset += at * t.strides[i];
        part.dims[i] = dim;
      };
      narrow(0, n, 1);
      narrow(1, channel, channels);
      if (rank == 4) narrow(2, begin, count);
      part.data = t.as<float>() + offset;
      return part;
    };
    const TensorView y = part_of(args.out[0]);
    TensorView posts[kMaxPostOps];
    for (size_t i = 0; i < args.post_in.size(); ++i) posts[i] = part_of(args.post_in[i]);
    run_row_chain(chain_, chain, y, {&y, 1}, {posts, args.post_in.size()}, Parallel(1));
  }

  const char* name_;
  KernelKey key_;
  ConvLines::Function* lines_;
  EltwiseRows::Function* chain_;
  const CopyCore& copy_;
};

}  // namespace

KernelList conv_line_kernels() noexcept {
  static const KernelsOfSets<"conv.lines", LinesKernel, ConvLines, EltwiseRows, CopyCore> lines(OpKind::convolution);
  static const KernelsOfSets<"conv_transpose.lines", LinesKernel, ConvLines, EltwiseRows, CopyCore> transposed(OpKind::conv_transpose);
  static const auto all = kernel_list(lines, transposed);
  return all;
}

}  // namespace anydim
