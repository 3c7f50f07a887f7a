// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution of quantized values on the integer engine (engine.h): one input and one output channel per group, channels
// last; weights constant, packed once, or of the call, packed by each run; their zero points are attributes.
#include <algorithm>

#include "core/kernels/conv/geometry.h"
#include "core/kernels/int_tiles/run.h"
#include "core/kernels/quantized/quantized.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

struct IntDepthwisePlan {
  ConvGeometry geometry;
  int64_t block_rows, row_blocks;
  int64_t outside_at, workers_at, worker_bytes, panels_at;
};

enum { kPanels, kSums, kMagnitudes };
constexpr int64_t kMostTaps = 256;
constexpr int64_t kRows = 24;  // whose taps are listed together, at most

class IntDepthwise final : public HostKernel {
 public:
  IntDepthwise(const char* name, Isa isa, PackIntDepthwise::Function* pack, const IntEngine& engine) noexcept
      : engine_(engine),
        pack_(pack),
        name_(name),
        format_(engine.per_step == 4 ? "depthwise.bytes32.measured" : "depthwise.tap_pairs32.measured"),
        key_{.op = OpKind::convolution,
             .src = DType::none,
             .dst = DType::none,
             .layout = LayoutFamily::channels_last,
             .isa = isa,
             .quantized = true} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (engine_.per_step == 4 && !int_packs_as_i8(p)) return no(kIntNoI8);
    return int_supports_depthwise(p, 3, kMostTaps);
  }

  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    return !output && index != 0 ? Perm{} : channels_last(p.in[1].dims.rank);
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1)) return form;
    const Dims w = numbers(p.in[1].dims);
    form.format = format_;
    form.operands = {1};
    form.depends = PackedForm::on_quantization;
    form.add("panels", DType::i8, saturating_mul(engine_.panel_bytes(int_depthwise_taps(w)), IntEngine::panels(w[0])));
    form.add("sums", DType::i32, IntEngine::padded(w[0]));
    form.add("magnitudes", DType::i32, IntEngine::padded(w[0]));
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const TensorView& w = tensors[1];
    const auto* const bytes = static_cast<const std::byte*>(w.data);
    std::vector<int32_t> zero(static_cast<size_t>(w.dims[0]));
    pack_dense(*problem.quantization, w, bytes, zero.data(), pieces[kPanels], reinterpret_cast<int32_t*>(pieces[kSums]),
               reinterpret_cast<int32_t*>(pieces[kMagnitudes]));
    if (packing.read != nullptr) packing.read(packing.context, bytes, w.count());
    if (packing.done != nullptr) packing.done(packing.context, bytes, w.count());
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    IntDepthwisePlan& p = plan->as<IntDepthwisePlan>();
    p.geometry = conv_geometry(*args.op, args.in[0].dims, args.in[1].dims, args.out[0].dims);
    const ConvGeometry& g = p.geometry;
    p.block_rows =
        std::clamp<int64_t>(round_up(ceil_div(g.positions(), static_cast<int64_t>(args.parallel.threads())), INT64_C(12)), 12, kRows);
    p.row_blocks = ceil_div(g.positions(), p.block_rows);
    p.outside_at = round_up(int_column_bytes(g.groups), INT64_C(64));
    p.workers_at = p.outside_at + IntEngine::padded(g.groups);
    p.worker_bytes = worker_bytes(g.taps());
    p.panels_at = p.workers_at + round_up(p.worker_bytes, INT64_C(64)) * args.parallel.threads();
    plan->scratch = p.panels_at + (args.weights != nullptr ? 0 : packed_bytes(args.in[1].dims));
  }

  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    return round_up(int_column_bytes(in[1][0]), INT64_C(64)) + IntEngine::padded(in[1][0]) +
           saturating_mul(round_up(worker_bytes(int_depthwise_taps(in[1])), INT64_C(64)), threads) +
           (p.is_constant(1) ? 0 : packed_bytes(in[1]));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const IntDepthwisePlan& p = plan.as<IntDepthwisePlan>();
    const ConvGeometry& g = p.geometry;
    const TensorView &src = args.in[0], &dst = args.out[0];
    IntConvolutionCall call(args, g);
    const IntFactors& factors = call.factors;
    const Epilogue& epilogue = call.epilogue;
    const SpatialStrides& ss = call.from;
    auto* const scratch = static_cast<std::byte*>(args.scratch);
    const std::byte* panels = nullptr;
    const int32_t* sums = nullptr;
    if (args.weights != nullptr) {
      panels = args.weights->piece<std::byte>(kPanels);
      sums = args.weights->piece<int32_t>(kSums);
    } else {
      std::byte* const to = scratch + p.panels_at;
      auto* const own_sums = reinterpret_cast<int32_t*>(to + engine_.panel_bytes(g.taps()) * IntEngine::panels(g.groups));
      int32_t* const zero = own_sums + IntEngine::padded(g.groups);
      auto* const dense = reinterpret_cast<std::byte*>(zero + g.groups);
      pack_dense(*args.quantization, args.in[1], int_dense_weights(args.in[1], dense), zero, to, own_sums, nullptr);
      panels = to;
      sums = own_sums;
    }
    IntColumns column;
    const int32_t* const magnitudes = args.weights != nullptr ? args.weights->piece<int32_t>(kMagnitudes) : nullptr;
    int_depthwise_columns(engine_, g.taps(), sums, magnitudes, true, scratch, &call, &column);
    // A tap outside reads the number that stands for zero, as it is in memory.
    std::byte* const outside = scratch + p.outside_at;
    const int32_t zero = factors.zero[0].factors == nullptr ? 0 : static_cast<int32_t>(factors.zero[0].at(0));
    std::fill_n(outside, IntEngine::padded(g.groups), static_cast<std::byte>(zero));

    const int64_t steps = engine_.steps(g.taps()), listed = steps * engine_.per_step, rows = g.positions();
    const bool dense = ss.c == 1;
    const int64_t d_bytes = call.result_bytes;
    args.parallel.run(p.row_blocks, [&](int64_t block_index, int worker) {
      const int64_t block_at = block_index * p.block_rows;
      const auto** const taps =
          reinterpret_cast<const std::byte**>(scratch + p.workers_at + worker * round_up(p.worker_bytes, INT64_C(64)));
      IntBlock block = call.block(column, g.groups);
      block.rows = static_cast<int32_t>(std::min(p.block_rows, rows - block_at));
      block.steps = steps;
      block.from = IntSource::of_taps(taps, src.dtype);
      block.panels = panels;
      int64_t offset[kMostTaps];  // of a tap from the first one, where all lie inside
      int64_t reach[3];
      for (int i = 0; i < 3; ++i) reach[i] = (g.kernel[i] - 1) * g.dilation[i];
      int64_t* next = offset;
      for (int64_t z = 0; z < g.kernel[0]; ++z)
        for (int64_t y = 0; y < g.kernel[1]; ++y)
          for (int64_t x = 0; x < g.kernel[2]; ++x)
            *next++ = z * g.dilation[0] * ss.s[0] + y * g.dilation[1] * ss.s[1] + x * g.dilation[2] * ss.s[2];
      std::byte* d[kRows];
      const float* operands[kMaxEpilogueOperands][kRows];
      int64_t at[4], rest = block_at;  // n, d, h, w
      for (int i = 3; i > 0; --i) {
        at[i] = rest % g.out[i - 1];
        rest /= g.out[i - 1];
      }
      at[0] = rest;
      for (int32_t r = 0; r < block.rows; ++r) {
        const std::byte* base = static_cast<const std::byte*>(src.data) + at[0] * ss.n;
        d[r] = static_cast<std::byte*>(dst.data) + call.result_at(at[0], at[1], at[2], at[3]) * d_bytes;
        for (int o = 0; o < epilogue.operand_count; ++o) operands[o][r] = call.operand_at(o, at[0], at[1], at[2], at[3]);
        const std::byte** list = taps + r * listed;
        int64_t from[3];
        for (int i = 0; i < 3; ++i) from[i] = at[i + 1] * g.stride[i] - g.pad[i];
        bool whole = true;
        for (int i = 0; i < 3; ++i) whole = whole && from[i] >= 0 && from[i] + reach[i] < g.in[i];
        if (whole) {
          const std::byte* const start = base + from[0] * ss.s[0] + from[1] * ss.s[1] + from[2] * ss.s[2];
          for (int64_t t = 0; t < g.taps(); ++t) *list++ = start + offset[t];
        }
        // Else the taps of a line that lie inside are one run.
        const auto first_inside = [&](int64_t at, int64_t d) { return at >= 0 ? 0 : d == 1 ? -at : ceil_div(-at, d); };
        const int64_t kw = g.kernel[2], room = g.in[2] - from[2];
        const int64_t lo = whole ? 0 : std::min(first_inside(from[2], g.dilation[2]), kw);
        const int64_t hi = whole ? 0 : std::clamp(g.dilation[2] == 1 ? room : ceil_div(room, g.dilation[2]), lo, kw);
        const int64_t apart = g.dilation[2] * ss.s[2];
        for (int64_t z = 0; !whole && z < g.kernel[0]; ++z)
          for (int64_t y = 0; y < g.kernel[1]; ++y) {
            const int64_t iz = from[0] + z * g.dilation[0], iy = from[1] + y * g.dilation[1];
            const bool line = iz >= 0 && iz < g.in[0] && iy >= 0 && iy < g.in[1];
            const int64_t begin = line ? lo : kw, end = line ? hi : kw;
            const std::byte* next_tap = base + iz * ss.s[0] + iy * ss.s[1] + (from[2] + begin * g.dilation[2]) * ss.s[2];
            int64_t x = 0;
            for (; x < begin; ++x) *list++ = outside;
            for (; x < end; ++x, next_tap += apart) *list++ = next_tap;
            for (; x < kw; ++x) *list++ = outside;
          }
        for (; list != taps + (r + 1) * listed; ++list) *list = outside;
        for (int i = 3; i >= 0 && ++at[i] == (i > 0 ? g.out[i - 1] : g.batch); --i) at[i] = 0;
      }
      block.dst = d;
      for (int o = 0; o < epilogue.operand_count; ++o) block.operands[o] = operands[o];
      if (dense) return engine_.run(block);
      // Channels that are apart are laid out side by side first, a panel at a time.
      run_apart(block, taps, listed, ss.c, outside);
    });
    return {};
  }

 private:
  // `dense`: w's numbers side by side. `zero`: room for one number per channel.
  void pack_dense(const Quantization& q, const TensorView& w, const std::byte* dense, int32_t* zero, std::byte* panels, int32_t* sums,
                  int32_t* magnitudes) const noexcept {
    const Quantization::Factors& f = q.zero_point[1];
    for (int64_t i = 0; i < w.dims[0] && f.present(); ++i)
      zero[i] = static_cast<int32_t>(f.values[f.axis < 0 ? 0 : static_cast<size_t>(i)]);
    IntDepthwisePack job;
    job.dtype = w.dtype;
    job.w = dense;
    job.taps = int_depthwise_taps(w.dims);
    job.channels = w.dims[0];
    job.zero = f.present() ? zero : nullptr;
    job.panels = panels;
    job.sums = sums;
    pack_(job);
    if (magnitudes == nullptr) return;
    IntPack columns;
    columns.dtype = job.dtype;
    columns.w = job.w;
    columns.k = columns.inner = columns.column_step = job.taps;
    columns.columns = job.channels;
    columns.inner_step = 1;
    columns.zero = job.zero;
    columns.panel_end = IntEngine::panels(job.channels);
    int_measure_columns(columns, 0, magnitudes);
  }
  // Of weights that come with the call: panels, sums, zero points and a dense copy.
  int64_t packed_bytes(const Dims& w) const noexcept {
    const int64_t sums = saturating_add(saturating_mul(IntEngine::padded(w[0]), 4), saturating_mul(w[0], 4 + int_depthwise_taps(w)));
    return saturating_add(saturating_mul(engine_.panel_bytes(int_depthwise_taps(w)), IntEngine::panels(w[0])), sums);
  }
  int64_t worker_bytes(int64_t taps) const noexcept {
    const int64_t listed = engine_.steps(taps) * engine_.per_step;
    return kRows * listed * static_cast<int64_t>(sizeof(void*)) + listed * (static_cast<int64_t>(sizeof(void*)) + kIntColumns);
  }

  // Row by row and panel by panel: the taps' channels are copied to where the panel reads them.
  void run_apart(IntBlock block, const std::byte** taps, int64_t listed, int64_t channel_step, const std::byte* outside) const noexcept {
    const std::byte** const own = taps + kRows * listed;
    auto* const copies = reinterpret_cast<std::byte*>(own + listed);
    const int32_t rows = block.rows;
    std::byte* const* const dst = block.dst;
    const int64_t columns = block.columns, last = block.panel_end;
    const float* const* operands[kMaxEpilogueOperands];
    std::copy_n(block.operands, kMaxEpilogueOperands, operands);
    for (int32_t r = 0; r < rows; ++r)
      for (int64_t panel = 0; panel < last; ++panel) {
        const int64_t first = panel * kIntColumns, count = std::min<int64_t>(kIntColumns, columns - first);
        for (int64_t t = 0; t < listed; ++t) {
          const std::byte* from = taps[r * listed + t];
          for (int64_t c = 0; c < count; ++c) copies[t * kIntColumns + c] = from == outside ? from[0] : from[(first + c) * channel_step];
          own[t] = copies + t * kIntColumns - first;
        }
        block.rows = 1;
        block.from.taps = own;
        block.dst = dst + r;
        block.panel_begin = panel;
        block.panel_end = panel + 1;
        for (int o = 0; o < block.program->operand_count; ++o) block.operands[o] = operands[o] + r;
        engine_.run(block);
      }
  }

  const IntEngine& engine_;
  PackIntDepthwise::Function* pack_;
  const char* name_;
  const char* format_;
  KernelKey key_;
};

}  // namespace

KernelList int_depthwise_list() noexcept {
  static const KernelsOfSets<"depthwise.integers", IntDepthwise, PackIntDepthwise, IntEngine> taps;
  static const auto all = kernel_list(taps);
  return all;
}

}  // namespace anydim
