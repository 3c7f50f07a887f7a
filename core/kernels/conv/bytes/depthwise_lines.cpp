// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of quantized values over lines whose taps lie side by side (depthwise_lines.h). The engine does what follows the
// sums where that is more than scales, bias, relu and bytes.
#include <algorithm>

#include "core/kernels/conv/geometry.h"
#include "core/kernels/conv/bytes/depthwise_lines.h"
#include "core/kernels/int_tiles/run.h"
#include "core/kernels/quantized/quantized.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

constexpr int64_t kMostLineTaps = 256;
constexpr int64_t kLineProductsOfSum = 16;  // as kIntProductsOfSum; products of taps are half as fast
constexpr int64_t kTileBytes = 24 << 10;    // of a worker's lines: they stay in the first cache
enum { kLinePanels, kLineSums, kLineMagnitudes };
// By element of a block's vectors.
enum { kOffsets, kZeros, kScales, kBiases, kOutScales, kOutZeros, kLeast, kQuick, kCentres, kPlacedArrays };

struct LinesPlan {
  ConvGeometry geometry;
  int threads = 1;
  int64_t tile = 0, band = 0, bands = 0;
  int64_t placed_at = 0, workers_at = 0, lines_bytes = 0, worker_bytes = 0;
};

class IntDepthwiseLines final : public HostKernel {
 public:
  IntDepthwiseLines(const char* name, Isa isa, const DepthwiseLinesForm& form, const IntEngine& engine,
                    RunEpilogue::Function* run_epilogue) noexcept
      : name_(name),
        form_(form),
        engine_(engine),
        run_epilogue_(run_epilogue),
        key_{.op = OpKind::convolution,
             .src = DType::none,
             .dst = DType::none,
             .layout = LayoutFamily::channels_last,
             .isa = isa,
             .quantized = true} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!p.is_constant(1)) return no("the weights are not constant");
    const auto& at = as<Convolution>(*p.op)->get();
    const int last = std::min(at.spatial, 2) - 1;
    if (at.strides[last] > form_.taps || form_.taps % at.strides[last] != 0) return no("the stride of lines does not divide a step's taps");
    if (!form_.takes_zeros && !int_packs_as_i8(p)) return no(kIntNoI8);
    return int_supports_depthwise(p, 2, kMostLineTaps);
  }

  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    return !output && index != 0 ? Perm{} : channels_last(p.in[1].dims.rank);
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1)) return form;
    const Dims w = numbers(p.in[1].dims);
    form.format = form_.format;
    form.operands = {1};
    if (form_.zero_is_packed) form.depends = PackedForm::on_quantization;
    form.add("panels", DType::i8, saturating_mul(padded_channels(w[0]) * kLineStepBytes, rows_of(w) * steps_of(w)));
    form.add("sums", DType::i32, IntEngine::padded(w[0]));
    form.add("magnitudes", DType::i32, IntEngine::padded(w[0]));
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const TensorView& w = tensors[1];
    const int64_t channels = w.dims[0], taps = int_depthwise_taps(w.dims), columns = w.dims[w.dims.rank - 1],
                  steps = rows_of(w.dims) * steps_of(w.dims);
    const Quantization::Factors& zero = problem.quantization->zero_point[1];
    std::byte* const to = pieces[kLinePanels];
    auto* const sums = reinterpret_cast<int32_t*>(pieces[kLineSums]);
    auto* const magnitudes = reinterpret_cast<int32_t*>(pieces[kLineMagnitudes]);
    for (int64_t c = 0; c < channels; ++c) {
      const Block b = block_of(channels, c / form_.channels);
      std::byte* const panel = to + b.first * kLineStepBytes * steps;
      int32_t moved = w.dtype == DType::u8 ? engine_.w_shift : 0;
      if (form_.zero_is_packed && zero.present()) moved = static_cast<int32_t>(zero.values[zero.axis < 0 ? 0 : static_cast<size_t>(c)]);
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t at = c * taps + t, x = t % columns;
        const int32_t v = (w.dtype == DType::i8 ? w.as<const int8_t>()[at] : w.as<const uint8_t>()[at]) - moved;
        const int64_t step = t / columns * steps_of(w.dims) + x / form_.taps;
        for (int64_t n = c - b.first; n < b.width; n += b.apart()) {
          const int64_t place = (step * b.width + line_place(b.width, n)) * form_.taps + x % form_.taps;
          if (form_.zero_is_packed) reinterpret_cast<int16_t*>(panel)[place] = static_cast<int16_t>(v);
          else reinterpret_cast<int8_t*>(panel)[place] = static_cast<int8_t>(v);
        }
        sums[c] += v;
        magnitudes[c] += std::abs(v);
      }
    }
    if (packing.read != nullptr) packing.read(packing.context, static_cast<const std::byte*>(w.data), w.count());
    if (packing.done != nullptr) packing.done(packing.context, static_cast<const std::byte*>(w.data), w.count());
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    LinesPlan& p = plan->as<LinesPlan>();
    p.geometry = conv_geometry(*args.op, args.in[0].dims, args.in[1].dims, args.out[0].dims);
    const ConvGeometry& g = p.geometry;
    DepthwiseLines job;
    set_window(g, &job);
    job.narrow = g.groups <= kNarrowChannels || form_.channels == kNarrowChannels;
    const int64_t most = std::max(kTileBytes / (job.reach() * job.entry_bytes()) - job.entries(0), form_.positions);
    // Tiles of the same width.
    const int64_t width = std::max<int64_t>(g.out[2], 1);
    p.tile = round_up(ceil_div(width, ceil_div(width, most)), form_.positions);
    const int64_t sums = saturating_mul(g.positions(), g.groups), blocks = ceil_div(g.groups, form_.channels);
    p.threads = int_threads(saturating_mul(sums, 2 * (g.taps() + kLineProductsOfSum)), args.parallel.threads());
    const int64_t threads = p.threads;
    p.band = std::max<int64_t>(g.out[1], 1);
    if (threads > 1) p.band = std::clamp<int64_t>(ceil_div(g.batch * g.out[1] * blocks, 2 * threads), 1, p.band);
    p.bands = ceil_div(g.out[1], p.band);
    p.placed_at = round_up(int_column_bytes(g.groups), INT64_C(64));
    p.workers_at = p.placed_at + round_up(padded_channels(g.groups) * kPlacedArrays * 4, INT64_C(64));
    p.lines_bytes = round_up(job.reach() * job.entries(p.tile) * job.entry_bytes(), INT64_C(64));
    p.worker_bytes = p.lines_bytes + p.tile * kLineChannels * 4;
    plan->scratch = p.workers_at + p.worker_bytes * threads;
  }

  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const auto& at = as<Convolution>(*p.op)->get();
    const Dims& w = in[1];
    const int64_t reach = at.spatial > 1 ? (w[w.rank - 2] - 1) * at.dilations[at.spatial - 2] + 1 : 1;
    const int64_t more = (steps_of(w) - 1) * (form_.taps * at.dilations[at.spatial - 1] / at.strides[at.spatial - 1]);
    const int64_t entry = form_.channels * kLineStepBytes, granule = form_.positions;
    // Tiles are as many positions as fit or one granule, and less than a granule more; entries of a narrow block are half as large, so they
    // may be twice as many.
    const int64_t lines = std::max<int64_t>(kTileBytes, saturating_mul(reach * entry, more + granule)) + granule * reach * entry + 64;
    const int64_t sums = (kTileBytes / (kNarrowChannels * kLineStepBytes) + 2 * granule) * kLineChannels * 4;
    return saturating_add(round_up(int_column_bytes(w[0]), INT64_C(64)) + padded_channels(w[0]) * kPlacedArrays * 4 + 64,
                          saturating_mul(lines + sums, threads));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const LinesPlan& p = plan.as<LinesPlan>();
    const Run run(*this, p, args);
    args.parallel.with(p.threads).run(run.tasks(), [&](int64_t part, int worker) { run(part, worker); });
    return {};
  }

 private:
  // A block of channels, and those that its vectors hold.
  struct Block {
    int64_t first, channels, width;
    bool twin() const noexcept { return channels <= kTwinChannels; }
    int64_t apart() const noexcept { return twin() ? kTwinChannels : width; }  // from a channel to itself
  };
  Block block_of(int64_t channels, int64_t index) const noexcept {
    const int64_t first = index * form_.channels, there = std::min(form_.channels, channels - first);
    return {first, there, there <= kNarrowChannels ? kNarrowChannels : kLineChannels};
  }
  static int64_t padded_channels(int64_t channels) noexcept { return round_up(channels, static_cast<int64_t>(kNarrowChannels)); }
  int64_t steps_of(const Dims& w) const noexcept { return ceil_div(w[w.rank - 1], static_cast<int64_t>(form_.taps)); }
  static int64_t rows_of(const Dims& w) noexcept { return w.rank > 3 ? w[w.rank - 2] : 1; }

  void set_window(const ConvGeometry& g, DepthwiseLines* job) const noexcept {
    job->taps = form_.taps;
    for (int i = 0; i < 2; ++i) {
      job->in[i] = g.in[1 + i];
      job->kernel[i] = g.kernel[1 + i];
      job->stride[i] = g.stride[1 + i];
      job->dilation[i] = g.dilation[1 + i];
      job->pad[i] = g.pad[1 + i];
    }
    job->out_width = g.out[2];
  }

  // What is one per column, by element of the blocks' vectors.
  void place_columns(const IntColumns& column, int64_t channels, bool relu, DType result, float* placed) const noexcept {
    const int64_t padded = padded_channels(channels);
    const auto whole = [&](int i) { return reinterpret_cast<int32_t*>(placed) + i * padded; };
    const int32_t lowest = result == DType::i8 ? -128 : 0;
    for (int64_t at = 0; at < channels; at += form_.channels) {
      const Block b = block_of(channels, at / form_.channels);
      for (int64_t n = 0; n < b.width; ++n) {
        const int64_t to = at + line_place(b.width, n), from = at + n % b.apart();
        const auto zero = static_cast<int32_t>(column.out_zero[from]);
        whole(kOffsets)[to] = column.offset[from];
        if (column.zero != nullptr) whole(kZeros)[to] = column.zero[from];
        placed[kScales * padded + to] = column.scale[from];
        if (column.bias != nullptr) placed[kBiases * padded + to] = column.bias[from];
        placed[kOutScales * padded + to] = column.out_scale[from];
        whole(kOutZeros)[to] = zero;
        whole(kLeast)[to] = relu ? zero : lowest;
        if (column.quick == nullptr) continue;
        placed[kQuick * padded + to] = column.quick[from];
        placed[kCentres * padded + to] = column.centre[from];
      }
    }
  }

  // One call: what is one per column, and what all jobs share; then a task is a band of output lines of one block of channels.
  class Run {
   public:
    Run(const IntDepthwiseLines& kernel, const LinesPlan& plan, const Args& args) noexcept
        : kernel_(kernel),
          form_(kernel.form_),
          args_(args),
          p_(plan),
          g_(plan.geometry),
          call_(args, plan.geometry),
          scratch_(static_cast<std::byte*>(args.scratch)),
          placed_(reinterpret_cast<float*>(scratch_ + plan.placed_at)),
          blocks_(ceil_div(g_.groups, form_.channels)) {
      int_depthwise_columns(kernel.engine_, g_.taps(), args.weights->piece<int32_t>(kLineSums),
                            args.weights->piece<int32_t>(kLineMagnitudes), form_.zero_is_packed, scratch_, &call_, &column_);
      whole_ = call_.block(column_, g_.groups);
      whole_.column.zero = nullptr;  // sums come without
      const DType result = args.out[0].dtype;
      const bool relu = is_only(UnaryFunction::relu), hard_swish = result == DType::f32 && is_only(UnaryFunction::hard_swish);
      const bool bytes = result == DType::i8 || result == DType::u8;
      const bool plain = (relu || hard_swish || call_.program.count == 0) && call_.to.c == 1;
      kernel.place_columns(column_, g_.groups, relu, result, placed_);
      describe_input();
      if (result == DType::f32) job_.result = DepthwiseLines::Result::f32;
      else if (bytes && column_.tame && whole_.divides && plain)
        job_.result = result == DType::i8 ? DepthwiseLines::Result::i8 : DepthwiseLines::Result::u8;
      job_.relu = plain && relu;
      job_.hard_swish = plain && hard_swish;
      job_.dst_row = call_.to.s[1] * call_.result_bytes;
      job_.dst_pixel = call_.to.s[2] * call_.result_bytes;
      stores_ = job_.result != DepthwiseLines::Result::sums && (bytes || plain);
    }
    int64_t tasks() const noexcept { return g_.batch * blocks_ * p_.bands; }

    void operator()(int64_t part, int worker) const noexcept {
      const int64_t n = part / p_.bands / blocks_;
      const Block b = kernel_.block_of(g_.groups, part / p_.bands % blocks_);
      DepthwiseLines job = job_of(part % p_.bands, n, b);
      job.lines = scratch_ + p_.workers_at + worker * p_.worker_bytes;
      if (stores_) return form_.run(job);
      job.tile_results = job.lines + p_.lines_bytes;
      const auto runs = [&](const auto& take) {
        using Take = std::remove_reference_t<decltype(take)>;
        job.take = [](void* context, int64_t h, int64_t x, int64_t count) { (*static_cast<Take*>(context))(h, x, count); };
        job.context = const_cast<void*>(static_cast<const void*>(&take));
        form_.run(job);
      };
      if (job.result == DepthwiseLines::Result::f32) runs([&](int64_t h, int64_t x, int64_t count) { take_reals(job, b, n, h, x, count); });
      else runs([&](int64_t h, int64_t x, int64_t count) { take_sums(job, b, n, h, x, count); });
    }

   private:
    bool is_only(UnaryFunction f) const noexcept {
      const EpilogueProgram& program = call_.program;
      return program.count == 1 && program.steps[0].kind == PostOp::Kind::unary && program.steps[0].unary == f;
    }
    void describe_input() noexcept {
      const TensorView& src = args_.in[0];
      const IntFactors& factors = call_.factors;
      kernel_.set_window(g_, &job_);
      job_.src_row = call_.from.s[1];
      job_.src_pixel = call_.from.s[2];
      job_.src_channel = call_.from.c;
      job_.is_signed = src.dtype == DType::i8;
      job_.outside_in_memory = factors.zero[0].factors == nullptr ? 0 : static_cast<uint8_t>(static_cast<int32_t>(factors.zero[0].at(0)));
      job_.tile = p_.tile;
      int64_t last = 0;
      for (int i = 0; i < src.rank(); ++i) last += std::max<int64_t>(src.strides[i], 0) * (src.dims[i] - 1);
      job_.end = static_cast<const std::byte*>(src.data) + last + 1;
    }
    DepthwiseLines job_of(int64_t band, int64_t n, const Block& b) const noexcept {
      static constexpr int32_t kNone[kLineChannels] = {};
      DepthwiseLines job = job_;
      job.h_begin = band * p_.band;
      job.h_end = std::min(job.h_begin + p_.band, g_.out[1]);
      job.channels = b.channels;
      job.narrow = b.width == kNarrowChannels;
      job.twin = b.twin();
      job.src = static_cast<const std::byte*>(args_.in[0].data) + n * call_.from.n + b.first * call_.from.c;
      job.weights = args_.weights->piece<std::byte>(kLinePanels) + b.first * kLineStepBytes * g_.kernel[1] * job.steps();
      const int64_t padded = padded_channels(g_.groups);
      const auto reals = [&](int i) { return placed_ + i * padded + b.first; };
      const auto numbers = [&](int i) { return reinterpret_cast<const int32_t*>(reals(i)); };
      job.offset = job.result == DepthwiseLines::Result::sums ? kNone : numbers(kOffsets);
      job.zero = column_.zero != nullptr ? numbers(kZeros) : nullptr;
      job.scale = reals(kScales);
      job.bias = column_.bias != nullptr ? reals(kBiases) : nullptr;
      job.out_scale = reals(kOutScales);
      job.out_zero = numbers(kOutZeros);
      job.least = numbers(kLeast);
      if (column_.quick != nullptr) job.quick = reals(kQuick), job.centre = reals(kCentres);
      job.dst = static_cast<std::byte*>(args_.out[0].data) + (n * call_.to.n + b.first * call_.to.c) * call_.result_bytes;
      return job;
    }

    // Post-ops and stores of positions [x0, x0 + count) of line h, whose results lie in the job's tile.
    void take_reals(const DepthwiseLines& job, const Block& b, int64_t n, int64_t h, int64_t x0, int64_t count) const noexcept {
      const SpatialStrides& ds = call_.to;
      for (int64_t at = 0; at < count; at += kMaxEpilogueRows) {
        float* d[kMaxEpilogueRows];
        const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
        EpilogueTile tile;
        tile.sums = reinterpret_cast<const float*>(job.tile_results) + at * kLineChannels;
        tile.sums_step = kLineChannels;
        tile.rows = static_cast<int32_t>(std::min<int64_t>(kMaxEpilogueRows, count - at));
        tile.columns = static_cast<int32_t>(b.channels);
        tile.dst = d;
        tile.dst_column_step = ds.c;
        tile.operands = operands;
        for (int32_t r = 0; r < tile.rows; ++r) {
          const int64_t x = x0 + at + r;
          d[r] = reinterpret_cast<float*>(job.dst) + h * ds.s[1] + x * ds.s[2];
          for (int o = 0; o < call_.epilogue.operand_count; ++o)
            operands[o][r] = call_.operand_at(o, n, 0, h, x) + b.first * call_.program.walks[o].column_step;
        }
        kernel_.run_epilogue_(call_.program, tile);
      }
    }
    // The same of sums, by the engine.
    void take_sums(const DepthwiseLines& job, const Block& b, int64_t n, int64_t h, int64_t x0, int64_t count) const noexcept {
      for (int64_t at = 0; at < count; at += kIntBlockRows) {
        IntBlock block = whole_;
        const int32_t* sums[kIntBlockRows];
        std::byte* d[kIntBlockRows];
        const float* operands[kMaxEpilogueOperands][kIntBlockRows];
        block.rows = static_cast<int32_t>(std::min<int64_t>(kIntBlockRows, count - at));
        for (int32_t r = 0; r < block.rows; ++r) {
          const int64_t x = x0 + at + r;
          sums[r] = reinterpret_cast<const int32_t*>(job.tile_results) + (at + r) * kLineChannels - b.first;
          d[r] = static_cast<std::byte*>(args_.out[0].data) + call_.result_at(n, 0, h, x) * call_.result_bytes;
          for (int o = 0; o < call_.epilogue.operand_count; ++o) operands[o][r] = call_.operand_at(o, n, 0, h, x);
        }
        block.panel_begin = b.first / kIntColumns;
        block.panel_end = ceil_div(b.first + b.channels, static_cast<int64_t>(kIntColumns));
        block.from = IntSource::of_sums(sums);
        block.dst = d;
        for (int o = 0; o < call_.epilogue.operand_count; ++o) block.operands[o] = operands[o];
        kernel_.engine_.run(block);
      }
    }

    const IntDepthwiseLines& kernel_;
    const DepthwiseLinesForm& form_;
    const Args& args_;
    const LinesPlan& p_;
    const ConvGeometry& g_;
    IntConvolutionCall call_;
    std::byte* const scratch_;
    float* const placed_;
    const int64_t blocks_;  // of channels
    IntColumns column_;
    IntBlock whole_;
    DepthwiseLines job_;
    bool stores_ = false;  // lines store their results by themselves
  };

  const char* name_;
  const DepthwiseLinesForm& form_;
  const IntEngine& engine_;
  RunEpilogue::Function* run_epilogue_;
  KernelKey key_;
};

}  // namespace

KernelList int_depthwise_line_list() noexcept {
  static const KernelsOfSets<"depthwise.integers.lines", IntDepthwiseLines, DepthwiseLinesForm, IntEngine, RunEpilogue> lines;
  static const auto all = kernel_list(lines);
  return all;
}

}  // namespace anydim
