// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of 8-bit numbers by the float kernel's rows (kernels/depthwise): a product has 16 bits and an output at most
// 128 taps, so every sum is a whole number that binary32 holds exactly. One multiply-add serves eight channels there; in integers
// AVX2 spends six instructions on two taps of eight. A worker converts the input lines of a band of output rows, and the engine does
// what follows the sums.
#include <algorithm>

#include "core/kernels/conv/geometry.h"
#include "core/kernels/depthwise/depthwise_job.h"
#include "core/kernels/quantized/convert_rows.h"
#include "core/kernels/quantized/int_run.h"
#include "core/kernels/quantized/quantized.h"

namespace anydim {

namespace {

static_assert(kMaxDepthwiseTaps * 255 * 255 < 1 << 24);

enum { kFloatTaps };
constexpr int64_t kLineFloats = 48 << 10;  // of a worker's converted lines: they stay in the second cache
constexpr int64_t kFewestChannels = 32;    // of a block of channels; a panel of the engine

struct FloatLinesPlan {
  ConvGeometry geometry;
  int64_t block = 0, blocks = 0, band = 0, bands = 0;
  int64_t lines = 0;  // floats of a worker's lines
  int64_t workers_at = 0, worker_bytes = 0;
};

class IntDepthwiseFloats final : public HostKernel {
 public:
  IntDepthwiseFloats(const IntEngine& engine, Isa isa, DepthwiseRows rows, ConvertFunctions convert, const char* name) noexcept
      : engine_(engine),
        rows_(rows),
        convert_(convert),
        name_(name),
        key_{.op = OpKind::convolution,
             .src = DType::none,
             .dst = DType::none,
             .layout = LayoutFamily::channels_last,
             .isa = isa,
             .quantized = true} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override { return int_supports_depthwise(p, 2, kMaxDepthwiseTaps); }

  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    return !output && index != 0 ? Perm{} : channels_last(p.in[1].dims.rank);
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1)) return form;
    const Dims w = numbers(p.in[1].dims);
    form.format = "depthwise.whole_taps16";
    form.operands = {1};
    form.depends = PackedForm::on_quantization;
    form.add("taps", DType::f32, saturating_mul(int_depthwise_taps(w), round_up(w[0], kDepthwisePadding)));
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const TensorView& w = tensors[1];
    const Quantization::Factors& zero = problem.quantization->zero_point[1];
    const int64_t channels = w.dims[0], taps = int_depthwise_taps(w.dims), padded = round_up(channels, kDepthwisePadding);
    auto* const to = reinterpret_cast<float*>(pieces[kFloatTaps]);
    std::fill_n(to, taps * padded, 0.f);
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t t = 0; t < taps; ++t) {
        const int64_t at = c * taps + t;
        const int32_t v = w.dtype == DType::i8 ? w.as<const int8_t>()[at] : w.as<const uint8_t>()[at];
        to[t * padded + c] = static_cast<float>(v) - (zero.present() ? zero.values[zero.axis < 0 ? 0 : static_cast<size_t>(c)] : 0.f);
      }
    if (packing.read != nullptr) packing.read(packing.context, static_cast<const std::byte*>(w.data), w.count());
    if (packing.done != nullptr) packing.done(packing.context, static_cast<const std::byte*>(w.data), w.count());
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    FloatLinesPlan& p = plan->as<FloatLinesPlan>();
    p.geometry = conv_geometry(*args.op, args.in[0].dims, args.in[1].dims, args.out[0].dims);
    const ConvGeometry& g = p.geometry;
    const int64_t lines = reach(g), width = std::max<int64_t>(g.in[2], 1);
    p.block = g.groups;
    if (saturating_mul(lines * width, g.groups) > kLineFloats)
      p.block = std::min(g.groups, std::max(kFewestChannels, kLineFloats / (lines * width) / kFewestChannels * kFewestChannels));
    p.blocks = ceil_div(g.groups, p.block);
    const int64_t fit = kLineFloats / std::max<int64_t>(width * p.block, 1);
    p.band = std::clamp<int64_t>(fit < lines ? 1 : (fit - lines) / g.stride[1] + 1, 1, std::max<int64_t>(g.out[1], 1));
    const int64_t threads = args.parallel.threads();
    if (threads > 1) p.band = std::clamp<int64_t>(ceil_div(g.batch * g.out[1] * p.blocks, 2 * threads), 1, p.band);
    p.bands = ceil_div(g.out[1], p.band);
    p.lines = round_up(std::min(g.in[1], (p.band - 1) * g.stride[1] + lines) * g.in[2] * p.block, INT64_C(16));
    p.workers_at = round_up(int_column_bytes(g.groups), INT64_C(64));
    p.worker_bytes = round_up((p.lines + g.out[2] * IntEngine::padded(p.block)) * 4, INT64_C(64));
    plan->scratch = p.workers_at + p.worker_bytes * threads;
  }

  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    const auto& at = as<Convolution>(*p.op)->get();
    const Dims &x = in[0], &w = in[1], &y = out[0];
    const bool flat = at.spatial > 1;
    const int64_t most = flat ? std::min(x[x.rank - 2], (w[w.rank - 2] - 1) * at.dilations[at.spatial - 2] + 1) : 1;
    // Lines that fit, or those of one output row in the fewest channels.
    const int64_t fewest = saturating_mul(saturating_mul(most, x[x.rank - 1]), std::min(w[0], kFewestChannels));
    const int64_t lines = std::max(kLineFloats, fewest) + 16;
    const int64_t worker = saturating_mul(saturating_add(lines, saturating_mul(y[y.rank - 1], IntEngine::padded(w[0]))), 4);
    return saturating_add(round_up(int_column_bytes(w[0]), INT64_C(64)), saturating_mul(saturating_add(worker, 64), threads));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const FloatLinesPlan& p = plan.as<FloatLinesPlan>();
    const ConvGeometry& g = p.geometry;
    const TensorView &src = args.in[0], &dst = args.out[0];
    IntConvolutionCall call(args, g);
    const IntFactors& factors = call.factors;
    const Epilogue& epilogue = call.epilogue;
    const SpatialStrides& ss = call.from;
    auto* const scratch = static_cast<std::byte*>(args.scratch);
    IntColumns column;  // zero points are subtracted before the sums
    int_depthwise_columns(engine_, g.taps(), nullptr, true, scratch, &call, &column);
    const float zero = factors.zero[0].factors == nullptr ? 0.f : factors.zero[0].at(0);
    const ConvertFunction convert = convert_(src.dtype, DType::f32);
    const EpilogueProgram nothing;

    DepthwiseJob job;
    job.weights = args.weights->piece<float>(kFloatTaps);
    job.channels = g.groups;
    job.padded = round_up(g.groups, kDepthwisePadding);
    job.src_c = job.dst_c = 1;
    job.program = &nothing;
    for (int i = 0; i < 3; ++i) {
      job.in[i] = g.in[i];
      job.out[i] = g.out[i];
      job.kernel[i] = g.kernel[i];
      job.stride[i] = g.stride[i];
      job.dilation[i] = g.dilation[i];
      job.pad[i] = g.pad[i];
    }
    const IntBlock whole = call.block(column, g.groups);
    args.parallel.run(g.batch * p.bands * p.blocks, [&](int64_t part, int worker) {
      const int64_t c0 = part % p.blocks * p.block, c1 = std::min(c0 + p.block, g.groups);
      const int64_t n = part / p.blocks / p.bands, h0 = part / p.blocks % p.bands * p.band, h1 = std::min(h0 + p.band, g.out[1]);
      const int64_t top = std::max<int64_t>(h0 * g.stride[1] - g.pad[1], 0);
      const int64_t bottom = std::min((h1 - 1) * g.stride[1] - g.pad[1] + reach(g), g.in[1]);
      auto* const lines = reinterpret_cast<float*>(scratch + p.workers_at + worker * p.worker_bytes);
      float* const results = lines + p.lines;
      const int64_t channels = c1 - c0, padded = IntEngine::padded(p.block);
      const auto* const from = static_cast<const std::byte*>(src.data) + n * ss.n + c0 * ss.c;
      for (int64_t y = top; y < bottom; ++y)
        convert_line(convert, from + y * ss.s[1], ss, g.in[2], channels, &zero, lines + (y - top) * g.in[2] * channels);
      DepthwiseJob mine = job;
      mine.src = lines - top * g.in[2] * channels - c0;  // rows and channels keep their numbers
      mine.src_s[1] = g.in[2] * channels;
      mine.src_s[2] = channels;
      mine.dst = results - c0;
      mine.dst_s[2] = padded;
      IntBlock block = whole;
      block.panel_begin = c0 / kIntColumns;
      block.panel_end = ceil_div(c1, kIntColumns);
      for (int64_t h = h0; h < h1; ++h) {
        // Rows go by h alone: the first example's.
        rows_(mine, h, h + 1, c0, c1);
        for (int64_t x0 = 0; x0 < g.out[2]; x0 += kIntBlockRows) {
          const float* sums[kIntBlockRows];
          std::byte* d[kIntBlockRows];
          const float* operands[kMaxEpilogueOperands][kIntBlockRows];
          block.rows = static_cast<int32_t>(std::min<int64_t>(kIntBlockRows, g.out[2] - x0));
          for (int32_t r = 0; r < block.rows; ++r) {
            const int64_t x = x0 + r;
            sums[r] = results + x * padded - c0;
            d[r] = static_cast<std::byte*>(dst.data) + call.result_at(n, 0, h, x) * call.result_bytes;
            for (int o = 0; o < epilogue.operand_count; ++o) operands[o][r] = call.operand_at(o, n, 0, h, x);
          }
          block.real_sums = sums;
          block.dst = d;
          for (int o = 0; o < epilogue.operand_count; ++o) block.operands[o] = operands[o];
          engine_.run(block);
        }
      }
    });
    return {};
  }

 private:
  static int64_t reach(const ConvGeometry& g) noexcept { return (g.kernel[1] - 1) * g.dilation[1] + 1; }

  // Pixels of a line as real numbers less the zero point, channels side by side.
  static void convert_line(ConvertFunction convert, const std::byte* from, const SpatialStrides& s, int64_t width, int64_t channels,
                           const float* zero, float* to) noexcept {
    const auto run = [&](const std::byte* x, int64_t n, float* y) { convert({y, x, n, {}, {zero, 0}, {}, {}}); };
    if (s.c == 1 && (s.s[2] == channels || width == 1)) return run(from, width * channels, to);
    for (int64_t x = 0; x < width; ++x, from += s.s[2], to += channels) {
      if (s.c == 1) run(from, channels, to);
      else
        for (int64_t c = 0; c < channels; ++c) run(from + c * s.c, 1, to + c);
    }
  }

  const IntEngine& engine_;
  DepthwiseRows rows_;
  ConvertFunctions convert_;
  const char* name_;
  KernelKey key_;
};

}  // namespace

const HostKernel& int_depthwise_floats_avx2() noexcept {
  static const IntDepthwiseFloats kernel(int_engine_avx2(), Isa::avx2, depthwise_rows_avx2, kConvertAvx2, "depthwise.integers.floats.avx2");
  return kernel;
}
const HostKernel& int_depthwise_floats_vnni_avx512() noexcept {
  static const IntDepthwiseFloats kernel(int_engine_vnni_avx512(), Isa::avx512_vnni, depthwise_rows_avx512, kConvertAvx512,
                                         "depthwise.integers.floats.avx512_vnni");
  return kernel;
}
const HostKernel& int_depthwise_floats_avx512() noexcept {
  static const IntDepthwiseFloats kernel(int_engine_avx2(), Isa::avx512, depthwise_rows_avx512, kConvertAvx512,
                                         "depthwise.integers.floats.avx512");
  return kernel;
}

}  // namespace anydim
