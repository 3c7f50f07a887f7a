// SPDX-License-Identifier: Apache-2.0
// Kernels of depthwise convolution and of groups of a few channels: packing (taps x channels), the cut into bands of rows and blocks
// of channels, the post-op chain bound to the output, and the way round for inputs that are not channels last.
#include "core/kernels/conv/depthwise/depthwise.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "core/kernels/copy/strided_copy.h"
#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/conv/depthwise/operands.h"
#include "core/kernels/epilogue/epilogue.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/convolution.h"

namespace anydim {

namespace {

constexpr int64_t kParallelWork = 50000;  // multiply-adds below which the caller works alone

// Weights M, C/G, kernel... as [tap][channel of the group][padded channels]; the padding is 0 and is never stored.
void pack_taps(const TensorView& w, float* to) noexcept {
  const int64_t channels = w.dims[0], padded = round_up(channels, kDepthwisePadding);
  int64_t taps = w.dims[1];
  for (int i = 2; i < w.dims.rank; ++i) taps *= w.dims[i];
  for (int64_t tap = 0; tap < taps; ++tap) {
    int64_t offset = tap % w.dims[1] * w.strides[1], rest = tap / w.dims[1];
    for (int i = w.dims.rank - 1; i >= 2; --i) {
      offset += rest % w.dims[i] * w.strides[i];
      rest /= w.dims[i];
    }
    for (int64_t c = 0; c < padded; ++c)
      to[tap * padded + c] = c < channels ? read_unaligned(w.as<const float>() + c * w.strides[0] + offset) : 0.f;
  }
}

int64_t packed_floats(const Dims& weights) noexcept {
  int64_t n = round_up(weights[0], kDepthwisePadding);
  for (int i = 1; i < weights.rank; ++i) n = saturating_mul(n, weights[i]);
  return n;
}

class DepthwiseKernel final : public DepthwiseBands {
 public:
  constexpr DepthwiseKernel(const char* name, Isa isa, DepthwiseRows::Function* rows, const CopyCore& copy)
      : name_(name), key_{OpKind::convolution, DType::f32, DType::f32, LayoutFamily::channels_last, isa}, rows_(rows), copy_(&copy) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    for (const TensorType& t : p.in)
      if (t.dtype != DType::f32 && t.dtype != DType::none) return no("an input is not f32");
    const SymDims& w = p.in[1].dims;
    const int64_t groups = static_cast<const Convolution*>(p.op)->get().group;
    if (groups == 1) return no("there is one group: an ordinary convolution");
    if (!w[1].is(1) && !w[1].is(2) && !w[1].is(4) && !w[1].is(8)) return no("a group has more than a few input channels");
    if (!w[1].is(1) && !w[0].is(saturating_mul(groups, w[1].number()))) return no("a group has not as many output as input channels");
    int64_t taps = 1;
    for (int i = 1; i < w.rank; ++i) {
      if (!w[i].is_number()) return no("the kernel's dims are dynamic");
      taps = saturating_mul(taps, w[i].number());
    }
    if (taps > kMaxDepthwiseTaps) return no("the kernel has more taps than one block of a sum");
    return supports_post_ops(p);
  }

  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    return output || index == 0 ? channels_last(p.in[0].dims.rank) : Perm{};
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    return p.is_constant(1) ? depthwise_form(p, "depthwise.taps16", packed_floats(numbers(p.in[1].dims))) : PackedForm{};
  }
  Status pack(const Problem&, std::span<const TensorView> tensors, const Packing&, std::span<std::byte* const> pieces) const override {
    pack_taps(tensors[1], reinterpret_cast<float*>(pieces[kDepthwiseTaps]));
    if (pieces.size() > kDepthwiseBias) pack_depthwise_bias(tensors[2], reinterpret_cast<float*>(pieces[kDepthwiseBias]));
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = depthwise_scratch(args, packed_floats(args.in[1].dims));
    if (args.in[0].dims[1] == 1 || args.in[0].strides[1] == 1) return;  // channels are neighbours: nothing to turn
    DepthwiseJob j;
    bind_window(*static_cast<const Convolution*>(args.op), args.in[0], args.in[1].dims, args.out[0], &j);
    if (turns_input(j))
      plan->scratch += args.parallel.threads() * turned_floats(j.in[1], j.in[2], reach(j), turned_band(j), j.stride[1]) * 4;
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const auto& at = static_cast<const Convolution*>(p.op)->get();
    int64_t turned = 0;
    const bool flat = at.spatial < 3 || in[1][2] == 1;  // of three axes, inputs one deep may be turned, too
    if (flat && in[0][1] == in[1][0]) {
      // The most that turned_floats() gives for any dims up to these: the budget, or the rows of one output row.
      const int rank = in[0].rank;
      const int64_t h = at.spatial > 1 ? in[0][rank - 2] : 1, w = in[0][rank - 1];
      const int64_t rows = at.spatial > 1 ? std::min(h, (in[1][rank - 2] - 1) * at.dilations[at.spatial - 2] + 1) : 1;
      turned = std::max(kTurnedFloats, saturating_mul(saturating_mul(rows, w), kTurnedChannels));
    }
    return saturating_add(depthwise_scratch(p, in[1][0], packed_floats(in[1])), saturating_mul(turned, 4 * threads));
  }

  Status run(const Plan&, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    DepthwiseJob j;
    const TensorView &src = args.in[0], &dst = args.out[0];
    bind_window(*static_cast<const Convolution*>(args.op), src, args.in[1].dims, dst, &j);
    float* scratch = bind_depthwise_operands(args, packed_floats(args.in[1].dims), &j, [&](float* to) { pack_taps(args.in[1], to); });
    BoundDepthwiseEpilogue epilogue(args, &j);

    const int64_t rows = dst.dims[0] * j.out[0] * j.out[1], taps = j.kernel[0] * j.kernel[1] * j.kernel[2] * j.group;
    const int64_t work = saturating_mul(saturating_mul(rows, j.out[2]), saturating_mul(j.channels, taps));
    const Parallel parallel = work < kParallelWork ? Parallel(1) : args.parallel;
    if (turns_input(j)) {
      run_turned(j, dst.dims[0], scratch, parallel);
      return {};
    }
    // About four tasks a thread: bands of neighbouring rows (they share inputs), then blocks of channels.
    const int64_t wanted = parallel.threads() == 1 ? 1 : 4 * parallel.threads();
    const int64_t band = ceil_div(rows, wanted), bands = ceil_div(rows, band);
    const int64_t block = bands >= wanted ? j.channels : std::min(j.channels, round_up(ceil_div(j.channels, ceil_div(wanted, bands)), 64));
    const int64_t blocks = ceil_div(j.channels, block);
    parallel.run(bands * blocks, [&](int64_t task, int) {
      const int64_t r = task / blocks * band, c = task % blocks * block;
      rows_(j, r, std::min(r + band, rows), c, std::min(c + block, j.channels));
    });
    return {};
  }

  void run_band(const Args& args, int64_t n, int64_t begin, int64_t end) const noexcept override {
    DepthwiseJob j;
    bind_window(*static_cast<const Convolution*>(args.op), args.in[0], args.in[1].dims, args.out[0], &j);
    j.weights = args.weights->piece<float>(kDepthwiseTaps);
    if (args.packs(2)) j.bias = args.weights->piece<float>(kDepthwiseBias);
    BoundDepthwiseEpilogue epilogue(args, &j);
    rows_(j, n * j.out[1] + begin, n * j.out[1] + end, 0, j.channels);
  }

 private:
  // Channels that are not neighbours in memory: a worker turns the input rows of a band of output rows channels last,
  // some channels at a time, in its scratch.
  static constexpr int64_t kTurnedChannels = 32;
  static constexpr int64_t kTurnedFloats = 48 << 10;  // a band is as high as this allows, 192 KB: it stays in L2
  static bool turns_input(const DepthwiseJob& j) noexcept {
    return j.src_c != 1 && j.multiplier == 1 && j.kernel[0] == 1 && j.in[0] == 1 && j.out[0] == 1;
  }
  static int64_t reach(const DepthwiseJob& j) noexcept { return (j.kernel[1] - 1) * j.dilation[1] + 1; }
  static int64_t turned_band(const DepthwiseJob& j) noexcept {
    const int64_t fit = kTurnedFloats / std::max<int64_t>(j.in[2] * kTurnedChannels, 1);
    return std::clamp<int64_t>(fit < reach(j) ? 1 : (fit - reach(j)) / j.stride[1] + 1, 1, std::max<int64_t>(j.out[1], 1));
  }
  static int64_t turned_floats(int64_t height, int64_t width, int64_t reach, int64_t band, int64_t stride) noexcept {
    return std::min(height, (band - 1) * stride + reach) * width * kTurnedChannels;
  }

  void run_turned(const DepthwiseJob& j, int64_t batch, float* scratch, const Parallel& parallel) const noexcept {
    const int64_t band = turned_band(j), bands = ceil_div(j.out[1], band);
    const int64_t blocks = ceil_div(j.channels, kTurnedChannels);
    const int64_t floats = turned_floats(j.in[1], j.in[2], reach(j), band, j.stride[1]);
    parallel.run(batch * bands * blocks, [&](int64_t task, int worker) {
      const int64_t c = task % blocks * kTurnedChannels, n = task / blocks / bands, h = task / blocks % bands * band;
      const int64_t channels = std::min(kTurnedChannels, j.channels - c), end = std::min(h + band, j.out[1]);
      const int64_t top = std::max<int64_t>(h * j.stride[1] - j.pad[1], 0);
      const int64_t bottom = std::min((end - 1) * j.stride[1] - j.pad[1] + reach(j), j.in[1]);
      float* turned = scratch + worker * floats;
      StridedCopy copy;
      copy.from = reinterpret_cast<const std::byte*>(j.src + n * j.src_n + top * j.src_s[1] + c * j.src_c);
      copy.to = reinterpret_cast<std::byte*>(turned);
      copy.axis(std::max<int64_t>(bottom - top, 0), j.src_s[1], j.in[2] * kTurnedChannels);
      copy.axis(j.in[2], j.src_s[2], kTurnedChannels);
      copy.axis(channels, j.src_c, 1);
      run_copy(copy, *copy_, Parallel(1));
      DepthwiseJob part = j;
      part.src = turned - top * j.in[2] * kTurnedChannels - c;  // rows and channels keep their numbers
      part.src_n = 0;
      part.src_c = 1;
      part.src_s[1] = j.in[2] * kTurnedChannels;
      part.src_s[2] = kTurnedChannels;
      rows_(part, n * j.out[1] + h, n * j.out[1] + end, c, c + channels);
    });
  }

  // Dims and strides as three spatial axes.
  static void bind_window(const Convolution& op, const TensorView& src, const Dims& weights, const TensorView& dst,
                          DepthwiseJob* j) noexcept {
    const Convolution::Attributes& at = op.get();
    j->src = src.as<const float>();
    j->dst = dst.as<float>();
    j->channels = dst.dims[1];
    j->padded = round_up(j->channels, kDepthwisePadding);
    j->multiplier = src.dims[1] > 0 ? dst.dims[1] / src.dims[1] : 1;
    j->group = weights[1];
    j->src_n = src.strides[0];
    j->dst_n = dst.strides[0];
    // One channel has no stride: any value is right, and 1 is the fast one.
    j->src_c = src.dims[1] == 1 ? 1 : src.strides[1];
    j->dst_c = dst.dims[1] == 1 ? 1 : dst.strides[1];
    const int missing = 3 - at.spatial;
    for (int a = 0; a < 3; ++a) {
      const int i = a - missing;
      j->in[a] = i < 0 ? 1 : src.dims[2 + i];
      j->out[a] = i < 0 ? 1 : dst.dims[2 + i];
      j->kernel[a] = i < 0 ? 1 : weights[2 + i];
      j->stride[a] = i < 0 ? 1 : at.strides[i];
      j->dilation[a] = i < 0 ? 1 : at.dilations[i];
      j->pad[a] = i < 0 ? 0 : op.pad_begin(i, src.dims[2 + i], weights[2 + i]);
      j->src_s[a] = i < 0 ? 0 : src.strides[2 + i];
      j->dst_s[a] = i < 0 ? 0 : dst.strides[2 + i];
    }
  }

  const char* name_;
  KernelKey key_;
  DepthwiseRows::Function* rows_;
  const CopyCore* copy_;
};

const auto& rows_of_sets() noexcept {
  static const KernelsOfSets<"depthwise.rows", DepthwiseKernel, DepthwiseRows, CopyCore> rows;
  return rows;
}

}  // namespace

std::span<const DepthwiseBands* const> depthwise_bands() noexcept {
  static const auto all = [] {
    std::array<const DepthwiseBands*, std::remove_cvref_t<decltype(rows_of_sets())>::kCount> list{};
    for (size_t i = 0; i < list.size(); ++i) list[i] = &rows_of_sets()[i];
    return list;
  }();
  return all;
}

KernelList depthwise_kernels() noexcept {
  static const auto all = kernel_list(rows_of_sets());
  return all;
}

}  // namespace anydim
