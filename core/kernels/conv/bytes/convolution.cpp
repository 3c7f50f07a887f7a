// SPDX-License-Identifier: Apache-2.0
// Convolution of quantized values on the integer engine (engine.h): grouped, 1-D to 3-D, any strides of source and destination; weights
// constant, packed once, or of the call, packed by each run. Channels last is what is fast, and rows of the image as they come where
// there are up to four channels.
#include <algorithm>
#include <vector>

#include "core/kernels/conv/geometry.h"
#include "core/kernels/tiles/work_split.h"
#include "core/kernels/int_tiles/run.h"
#include "core/kernels/quantized/quantized.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

struct IntConvolutionPlan {
  ConvGeometry geometry;
  int threads;
  int64_t block_rows, row_blocks, column_parts;
  int64_t outside_at, workers_at, worker_bytes, panels_at;
};

enum { kPanels, kSums, kMagnitudes };
constexpr int64_t kFewChannels = 4;

class IntConvolution final : public HostKernel {
 public:
  IntConvolution(const char* name, Isa isa, const IntEngine& engine) noexcept
      : engine_(engine),
        name_(name),
        format_(engine.per_step == 4 ? "conv.byte_lines32.measured" : "conv.pair_lines32.measured"),
        key_{.op = OpKind::convolution,
             .src = DType::none,
             .dst = DType::none,
             .layout = LayoutFamily::channels_last,
             .isa = isa,
             .quantized = true} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override { return int_supports_convolution(p); }

  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    if (!output && index != 0) return {};
    const int rank = p.in[1].dims.rank;
    if (!output && p.in[1].dims[1].is_number() && few_channels(*p.op, numbers(p.in[1].dims))) {
      Perm as_it_comes;
      for (int i = 0; i < rank; ++i) as_it_comes.push_back(i);
      return as_it_comes;
    }
    return channels_last(rank);
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1)) return form;
    const Dims w = numbers(p.in[1].dims);
    const int64_t groups = as<Convolution>(*p.op)->get().group, columns = w[0] / groups;
    form.format = format_;
    form.operands = {1};
    if (packs_zero_points(*p.quantization)) form.depends = PackedForm::on_quantization;
    form.add("panels", DType::i8,
             saturating_mul(saturating_mul(engine_.panel_bytes(packed_k(*p.op, w)), IntEngine::panels(columns)), groups));
    form.add("sums", DType::i32, saturating_mul(IntEngine::padded(columns), groups));
    form.add("magnitudes", DType::i32, saturating_mul(IntEngine::padded(columns), groups));
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const TensorView& w = tensors[1];
    std::vector<int32_t> zero;
    if (const Quantization::Factors& f = problem.quantization->zero_point[1]; packs_zero_points(*problem.quantization))
      for (int64_t n = 0; n < w.dims[0]; ++n) zero.push_back(static_cast<int32_t>(f.values[f.axis < 0 ? 0 : static_cast<size_t>(n)]));
    pack_dense(*problem.op, w, static_cast<const std::byte*>(w.data), zero.empty() ? nullptr : zero.data(), packing.parallel,
               pieces[kPanels], reinterpret_cast<int32_t*>(pieces[kSums]), reinterpret_cast<int32_t*>(pieces[kMagnitudes]));
    if (packing.read != nullptr) packing.read(packing.context, static_cast<const std::byte*>(w.data), w.count());
    if (packing.done != nullptr) packing.done(packing.context, static_cast<const std::byte*>(w.data), w.count());
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    IntConvolutionPlan& p = plan->as<IntConvolutionPlan>();
    p.geometry = conv_geometry(*args.op, args.in[0].dims, args.in[1].dims, args.out[0].dims);
    const ConvGeometry& g = p.geometry;
    const int64_t steps = engine_.steps(packed_k(*args.op, args.in[1].dims)), rows = g.positions();
    const int64_t sums = saturating_mul(saturating_mul(rows, g.out_channels), g.groups);
    const int threads = int_threads(saturating_mul(sums, g.k() + kIntProductsOfSum), args.parallel.threads());
    p.threads = threads;
    p.block_rows = int_block_rows(engine_, steps, rows, threads);
    p.row_blocks = ceil_div(rows, p.block_rows);
    p.column_parts = int_column_parts(IntEngine::panels(g.out_channels), g.groups * p.row_blocks, threads);
    p.outside_at = round_up(int_column_bytes(g.out_channels), INT64_C(64)) * g.groups;
    p.workers_at = p.outside_at + outside_bytes(args.in[1].dims);
    p.worker_bytes = int_worker_bytes(steps, p.block_rows) + pointer_bytes(args.in[1].dims);
    p.panels_at = p.workers_at + p.worker_bytes * threads;
    plan->scratch = p.panels_at + (args.weights != nullptr ? 0 : packed_bytes(*args.op, args.in[1].dims));
  }

  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const int64_t groups = as<Convolution>(*p.op)->get().group, steps = engine_.steps(packed_k(*p.op, in[1]));
    const int64_t columns = saturating_mul(round_up(int_column_bytes(in[1][0] / groups), INT64_C(64)), groups);
    const int64_t worker = saturating_add(int_worker_bound(engine_, steps), pointer_bytes(in[1]));
    return saturating_add(saturating_add(columns + outside_bytes(in[1]), saturating_mul(worker, threads)),
                          p.is_constant(1) ? 0 : packed_bytes(*p.op, in[1]));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const IntConvolutionPlan& p = plan.as<IntConvolutionPlan>();
    const Run run(*this, p, args);
    args.parallel.with(p.threads).run(run.tasks(), [&](int64_t task, int worker) { run(task, worker); });
    return {};
  }

 private:
  // One call: its weights, what is one per column of each group, and how rows are gathered; then a task is a block of rows of one group,
  // gathered line by line and multiplied with some of the columns.
  class Run {
   public:
    Run(const IntConvolution& kernel, const IntConvolutionPlan& plan, const Args& args) noexcept
        : kernel_(kernel),
          engine_(kernel.engine_),
          args_(args),
          p_(plan),
          g_(plan.geometry),
          call_(args, plan.geometry),
          own_zeros_(call_.factors.zero[0].per_axis()),
          own_scales_(call_.factors.scale[0].per_axis()),
          packed_k_(kernel.packed_k(*args.op, args.in[1].dims)),
          steps_(engine_.steps(packed_k_)),
          panels_(IntEngine::panels(g_.out_channels)),
          column_bytes_(round_up(int_column_bytes(g_.out_channels), INT64_C(64))),
          scratch_(static_cast<std::byte*>(args.scratch)) {
      find_weights();
      fill_columns();
      choose_gather();
    }
    int64_t tasks() const noexcept { return g_.groups * p_.row_blocks * p_.column_parts; }

    void operator()(int64_t task, int worker) const noexcept {
      const int64_t of_group = p_.row_blocks * p_.column_parts, group = task / of_group, part = task % of_group;
      const int64_t block_at = part / p_.column_parts * p_.block_rows, column_part = part % p_.column_parts;
      bool sums = false;
      IntBlock block = call_.block(columns_of(group, &sums), g_.out_channels);
      block.rows = static_cast<int32_t>(std::min(p_.block_rows, g_.positions() - block_at));
      block.steps = steps_;
      block.panels = packed_panels_ + group * panels_ * engine_.panel_bytes(packed_k_);
      block.panel_begin = part_begin(panels_, p_.column_parts, column_part);
      block.panel_end = part_begin(panels_, p_.column_parts, column_part + 1);
      Rows rows;
      if (own_zeros_) block.row.zero = rows.zeros;
      if (own_scales_) block.row.scale = rows.scales;
      std::byte* const own = scratch_ + p_.workers_at + worker * p_.worker_bytes;
      auto* const row_sums = reinterpret_cast<int32_t*>(own);
      rows.gathered = own + round_up(p_.block_rows * 4, INT64_C(64));
      rows.at = reinterpret_cast<const std::byte**>(own + p_.worker_bytes - pointer_bytes(args_.in[1].dims));
      rows.pointed = in_place_ && !point_ && !sums && !engine_.even_rows;
      if (rows.pointed) block.segments = pieces_;
      rows.gather = gather_;
      rows.gather.sums = sums;
      place_rows(block_at, block.rows, group, &rows);
      if (sums) engine_.sum_rows(rows.at, block.rows, steps_, row_sums);
      block.from = IntSource::of_rows(rows.at);
      block.dst = rows.to;
      block.row_sums = row_sums;
      for (int o = 0; o < call_.epilogue.operand_count; ++o) block.operands[o] = rows.operands[o];
      engine_.run(block);
    }

   private:
    // Of a block: where each row is read and written, and what is its own.
    struct Rows {
      std::byte* to[kIntBlockRows];
      int32_t zeros[kIntBlockRows];
      float scales[kIntBlockRows];
      const float* operands[kMaxEpilogueOperands][kIntBlockRows];
      const std::byte** at;  // a row, or its pieces
      std::byte* gathered;
      bool pointed;  // at pieces that lie in the input
      IntGather gather;
    };

    // The weights, packed now if they come with the call; then zero points stay apart.
    void find_weights() noexcept {
      if (args_.weights != nullptr) {
        packed_panels_ = args_.weights->piece<std::byte>(kPanels);
        packed_sums_ = args_.weights->piece<int32_t>(kSums);
        return;
      }
      std::byte* const to = scratch_ + p_.panels_at;
      auto* const sums = reinterpret_cast<int32_t*>(to + g_.groups * panels_ * engine_.panel_bytes(packed_k_));
      auto* const dense = reinterpret_cast<std::byte*>(sums + g_.groups * IntEngine::padded(g_.out_channels));
      kernel_.pack_dense(*args_.op, args_.in[1], int_dense_weights(args_.in[1], dense), nullptr, args_.parallel, to, sums, nullptr);
      packed_panels_ = to;
      packed_sums_ = sums;
    }

    // What is one per column is made by the caller; which rows want sums follows from it.
    void fill_columns() noexcept {
      first_sums_ = fill_columns(0, &first_);
      for (int64_t group = 1; group < g_.groups; ++group) {
        IntColumns column;
        fill_columns(group, &column);
        first_.tame = first_.tame && column.tame;
        if (column.quick == nullptr) first_.quick = nullptr;
        first_.out_zero_is_least = first_.out_zero_is_least && column.out_zero_is_least;
      }
    }
    bool fill_columns(int64_t group, IntColumns* column) noexcept {
      const TensorView* c = args_.in.size() > 2 && args_.in[2].dtype != DType::none ? &args_.in[2] : nullptr;
      const int64_t at = group * IntEngine::padded(g_.out_channels);
      IntColumnTask task;
      task.engine = &engine_;
      task.args = &args_;
      task.factors = &call_.factors;
      task.k = g_.k();
      task.first = group * g_.out_channels;
      task.columns = g_.out_channels;
      task.sums = packed_sums_ + at;
      if (args_.weights != nullptr) task.magnitudes = args_.weights->piece<int32_t>(kMagnitudes) + at;
      task.zero_is_packed = args_.weights != nullptr && kernel_.packs_zero_points(*args_.quantization);
      task.c = c;
      task.c_step = c != nullptr ? c->strides[0] : 0;
      bool sums = false;
      const IntColumnMemory memory = int_column_memory(scratch_ + group * column_bytes_, g_.out_channels);
      int_fill_columns(task, memory, column, &sums);
      const int32_t absorbed = int_absorb_steps(call_.epilogue, call_.factors, 1, task.first, g_.out_channels, memory, column);
      if (!own_zeros_ && !own_scales_) int_judge_columns(args_, task.k, g_.out_channels, kIntQuickRows, memory, column, &task);
      call_.program.count = call_.epilogue.count - absorbed;
      call_.program.steps = call_.epilogue.steps + absorbed;
      return sums;
    }
    // Of a group whose columns are filled; `sums`: of rows are wanted.
    IntColumns columns_of(int64_t group, bool* sums) const noexcept {
      *sums = first_sums_;
      if (group == 0) return first_;
      const IntColumnMemory m = int_column_memory(scratch_ + group * column_bytes_, g_.out_channels);
      IntColumns column{m.offset, nullptr, m.scale, first_.bias != nullptr ? m.bias : nullptr, m.out_scale, m.out_zero};
      for (int64_t n = 0; n < g_.out_channels && column.zero == nullptr; ++n)
        if (m.zero[n] != 0) column.zero = m.zero;
      column.tame = first_.tame;
      column.quick = first_.quick != nullptr ? m.quick : nullptr;
      column.centre = m.centre;
      column.out_zero_is_least = first_.out_zero_is_least;
      if (own_zeros_) column.sum = m.sum;
      *sums = column.zero != nullptr;
      return column;
    }

    void choose_gather() noexcept {
      const SpatialStrides& ss = call_.from;
      gather_.dtype = args_.in[0].dtype;
      gather_.planar = few_channels(*args_.op, args_.in[1].dims);
      gather_.line = gather_.planar ? kernel_.line_of(args_.in[1].dims) : 1;
      gather_.channels = g_.in_channels;
      gather_.channel_step = ss.c;
      for (int a = 0; a < 3; ++a) {
        gather_.kernel[a] = g_.kernel[a];
        gather_.dilation[a] = g_.dilation[a];
        gather_.in[a] = g_.in[a];
        gather_.step[a] = ss.s[a];
      }
      gather_.outside = own_zeros_ ? 0 : int_outside(engine_, args_, call_.factors);
      gather_.steps = steps_;
      // Rows of bytes that lie in memory as pieces of whole steps are read where they are: a line of taps each, or a tap.
      joined_ = ss.s[2] == g_.in_channels && g_.dilation[2] == 1;
      piece_ = joined_ ? g_.kernel[2] * g_.in_channels : g_.in_channels;
      pieces_ = g_.k() / std::max<int64_t>(piece_, 1);
      in_place_ = !gather_.planar && !own_zeros_ && engine_.per_step == 4 && gather_.dtype == DType::u8 && ss.c == 1 && piece_ % 4 == 0 &&
                  piece_ > 0;
      if (in_place_) std::fill_n(scratch_ + p_.outside_at, piece_, static_cast<std::byte>(gather_.outside));
      point_ = g_.taps() == 1 && g_.pad[0] == 0 && g_.pad[1] == 0 && g_.pad[2] == 0 && ends_inside(g_);
      direct_ = point_ && in_place_ && (!engine_.even_rows || rows_lie_evenly(g_, ss));
    }

    // Rows [first, first + count) of the output's positions, output line by output line.
    void place_rows(int64_t first, int32_t count, int64_t group, Rows* rows) const noexcept {
      int64_t at[4], rest = first;  // n, d, h, w
      for (int i = 3; i > 0; --i) {
        at[i] = rest % g_.out[i - 1];
        rest /= g_.out[i - 1];
      }
      at[0] = rest;
      for (int32_t r = 0; r < count;) {
        const auto line = static_cast<int32_t>(std::min<int64_t>(count - r, g_.out[2] - at[3]));
        place_results(at, r, line, group, rows);
        place_inputs(at, r, line, group, rows);
        r += line;
        at[3] += line;
        for (int i = 3; i >= 0 && at[i] == (i > 0 ? g_.out[i - 1] : g_.batch); --i) {
          at[i] = 0;
          if (i > 0) ++at[i - 1];
        }
      }
    }
    void place_results(const int64_t (&at)[4], int32_t r, int32_t line, int64_t group, Rows* rows) const noexcept {
      const SpatialStrides& ds = call_.to;
      std::byte* const to = static_cast<std::byte*>(args_.out[0].data) +
                            (call_.result_at(at[0], at[1], at[2], at[3]) + group * g_.out_channels * ds.c) * call_.result_bytes;
      for (int32_t i = 0; i < line; ++i) rows->to[r + i] = to + i * ds.s[2] * call_.result_bytes;
      if (own_scales_) std::fill_n(rows->scales + r, line, call_.factors.scale[0].at(at[0]));
      for (int o = 0; o < call_.epilogue.operand_count; ++o) {
        const float* const of_line = call_.operand_at(o, at[0], at[1], at[2], at[3]) + group * g_.out_channels * call_.of[o].c;
        for (int32_t i = 0; i < line; ++i) rows->operands[o][r + i] = of_line + i * call_.of[o].s[2];
      }
    }
    void place_inputs(const int64_t (&at)[4], int32_t r, int32_t line, int64_t group, Rows* rows) const noexcept {
      const SpatialStrides& ss = call_.from;
      if (own_zeros_) std::fill_n(rows->zeros + r, line, rows->gather.outside = int_outside(engine_, args_, call_.factors, at[0]));
      IntRow row{static_cast<const std::byte*>(args_.in[0].data) + at[0] * ss.n + group * g_.in_channels * ss.c, {}};
      for (int i = 0; i < 3; ++i) row.at[i] = at[i + 1] * g_.stride[i] - g_.pad[i];
      if (direct_) {
        const std::byte* const from = row.base + row.at[0] * ss.s[0] + row.at[1] * ss.s[1] + row.at[2] * ss.s[2];
        for (int32_t i = 0; i < line; ++i) rows->at[r + i] = from + i * g_.stride[2] * ss.s[2];
        return;
      }
      const int64_t row_bytes = steps_ * kIntStepBytes;
      std::byte* const to = rows->gathered + r * row_bytes;
      if (rows->pointed) {
        point_at(g_, ss, row, line, joined_, scratch_ + p_.outside_at, rows->at + r * pieces_, [&](const IntRow& one, int32_t i) {
          engine_.gather(rows->gather, one, to + i * row_bytes);
          for (int64_t s = 0; s < pieces_; ++s) rows->at[(r + i) * pieces_ + s] = to + i * row_bytes + s * piece_;
        });
        return;
      }
      for (int32_t i = 0; i < line; ++i) rows->at[r + i] = to + i * row_bytes;
      if (!engine_.gather_lines(rows->gather, row, line, g_.stride[2], to))
        for (int32_t i = 0; i < line; ++i, row.at[2] += g_.stride[2]) engine_.gather(rows->gather, row, to + i * row_bytes);
    }

    const IntConvolution& kernel_;
    const IntEngine& engine_;
    const Args& args_;
    const IntConvolutionPlan& p_;
    const ConvGeometry& g_;
    IntConvolutionCall call_;
    const bool own_zeros_, own_scales_;  // of the batch items
    const int64_t packed_k_, steps_, panels_, column_bytes_;
    std::byte* const scratch_;
    const std::byte* packed_panels_ = nullptr;
    const int32_t* packed_sums_ = nullptr;
    IntColumns first_;  // of group 0, and what is known of all groups
    bool first_sums_ = false;
    IntGather gather_;
    int64_t piece_ = 0, pieces_ = 0;
    bool joined_ = false, in_place_ = false, point_ = false, direct_ = false;
  };

  // `dense`: w's numbers as O, C / G, taps, side by side. `zero`: per output channel, subtracted; or null.
  void pack_dense(const Operator& op, const TensorView& w, const std::byte* dense, const int32_t* zero, const Parallel& parallel,
                  std::byte* panels_at, int32_t* sums, int32_t* magnitudes) const noexcept {
    const int64_t groups = as<Convolution>(op)->get().group, columns = w.dims[0] / groups, k = k_of(w.dims);
    const int64_t taps = w.dims[1] > 0 ? k / w.dims[1] : 0, panels = IntEngine::panels(columns);
    IntPack whole;
    whole.dtype = w.dtype;
    whole.k = k;
    whole.columns = columns;
    whole.column_step = k;
    const bool planar = few_channels(op, w.dims);
    whole.inner = std::max<int64_t>(planar ? taps : w.dims[1], 1);
    whole.outer_step = planar ? taps : 1;
    whole.inner_step = planar ? 1 : taps;
    if (planar) whole.line = w.dims[w.dims.rank - 1], whole.padded_line = line_of(w.dims);
    const int64_t panel_bytes = engine_.panel_bytes(packed_k(op, w.dims));
    parallel.run(groups * panels, [&](int64_t task, int) {
      const int64_t group = task / panels;
      IntPack job = whole;
      job.w = dense + group * columns * k;
      if (zero != nullptr) job.zero = zero + group * columns;
      job.panels = panels_at + group * panels * panel_bytes;
      job.sums = sums + group * IntEngine::padded(columns);
      job.panel_begin = task % panels;
      job.panel_end = job.panel_begin + 1;
      engine_.pack(job);
      if (magnitudes != nullptr) int_measure_columns(job, engine_.w_shift, magnitudes + group * IntEngine::padded(columns));
    });
  }
  // Of weights that come with the call: panels, sums and a dense copy.
  int64_t packed_bytes(const Operator& op, const Dims& w) const noexcept {
    const int64_t groups = as<Convolution>(op)->get().group, columns = w[0] / groups;
    const int64_t each =
        saturating_add(saturating_mul(engine_.panel_bytes(packed_k(op, w)), IntEngine::panels(columns)), IntEngine::padded(columns) * 4);
    return saturating_add(saturating_mul(each, groups), round_up(saturating_mul(k_of(w), w[0]), INT64_C(64)));
  }
  // Where the pieces of the rows of a line lie; `joined`: a piece is a line of taps. A line outside is `outside`; rows of which a piece
  // is neither outside nor inside are left to `gathers`.
  template <class F>
  static void point_at(const ConvGeometry& g, const SpatialStrides& ss, const IntRow& first, int32_t rows, bool joined,
                       const std::byte* outside, const std::byte** a, F&& gathers) noexcept {
    IntRow row = first;
    const int64_t reach = (g.kernel[2] - 1) * g.dilation[2];
    for (int32_t i = 0; i < rows; ++i, row.at[2] += g.stride[2]) {
      const std::byte** next = a + i * g.kernel[0] * g.kernel[1] * (joined ? 1 : g.kernel[2]);
      const bool inside = row.at[2] >= 0 && row.at[2] + reach < g.in[2];
      if (joined && !inside) {
        gathers(row, i);
        continue;
      }
      for (int64_t z = 0; z < g.kernel[0]; ++z)
        for (int64_t y = 0; y < g.kernel[1]; ++y) {
          const int64_t iz = row.at[0] + z * g.dilation[0], iy = row.at[1] + y * g.dilation[1];
          const bool line = iz >= 0 && iz < g.in[0] && iy >= 0 && iy < g.in[1];
          const std::byte* const at = row.base + iz * ss.s[0] + iy * ss.s[1];
          if (joined) {
            *next++ = line ? at + row.at[2] * ss.s[2] : outside;
            continue;
          }
          for (int64_t x = 0; x < g.kernel[2]; ++x) {
            const int64_t ix = row.at[2] + x * g.dilation[2];
            *next++ = line && ix >= 0 && ix < g.in[2] ? at + ix * ss.s[2] : outside;
          }
        }
    }
  }
  // For all pieces of the most rows, and a piece outside: as long as a line of taps, or more.
  static int64_t pointer_bytes(const Dims& w) noexcept {
    int64_t taps = 1;
    for (int i = 2; i < w.rank; ++i) taps = saturating_mul(taps, w[i]);
    return round_up(saturating_mul(std::max<int64_t>(taps, 1), kIntBlockRows * static_cast<int64_t>(sizeof(void*))), INT64_C(64));
  }
  static int64_t outside_bytes(const Dims& w) noexcept {
    return round_up(saturating_mul(std::max<int64_t>(w[1], 1), std::max<int64_t>(w[w.rank - 1], 1)), INT64_C(64));
  }
  static int64_t k_of(const Dims& w) noexcept {
    int64_t k = 1;
    for (int i = 1; i < w.rank; ++i) k = saturating_mul(k, w[i]);
    return k;
  }
  static bool few_channels(const Operator& op, const Dims& w) noexcept {
    return w[1] <= kFewChannels && as<Convolution>(op)->get().group == 1;
  }
  // Where numbers are bytes, they would not fit.
  bool packs_zero_points(const Quantization& q) const noexcept {
    const Quantization::Factors& f = q.zero_point[1];
    return engine_.per_step == 2 && f.present() && f.from != Quantization::Factors::From::operand;
  }
  // Numbers that a line of taps has in a row of few channels: whole steps, where that adds little.
  int64_t line_of(const Dims& w) const noexcept {
    const int64_t taps = w[w.rank - 1];
    return taps < 3 ? taps : engine_.steps(taps) * engine_.per_step;
  }
  // Numbers of a packed column.
  int64_t packed_k(const Operator& op, const Dims& w) const noexcept {
    const int64_t k = k_of(w), taps = w[w.rank - 1];
    return few_channels(op, w) && taps > 0 ? saturating_mul(k / taps, line_of(w)) : k;
  }
  // Neighbouring positions of the output read the input at one distance, where lines and images end, too.
  static bool rows_lie_evenly(const ConvGeometry& g, const SpatialStrides& ss) noexcept {
    const int64_t apart = g.stride[2] * ss.s[2];
    int64_t passed = g.out[2];
    for (int a = 1; a >= 0; passed *= g.out[a--])
      if (g.out[a] > 1 && g.stride[a] * ss.s[a] != passed * apart) return false;
    return g.batch == 1 || ss.n == passed * apart;
  }
  // No position of a kernel of one tap reads beyond the input's end, as pads there would make it.
  static bool ends_inside(const ConvGeometry& g) noexcept {
    for (int a = 0; a < 3; ++a)
      if ((g.out[a] - 1) * g.stride[a] >= g.in[a]) return false;
    return true;
  }

  const IntEngine& engine_;
  const char* name_;
  const char* format_;
  KernelKey key_;
};

}  // namespace

KernelList int_convolution_list() noexcept {
  static const KernelsOfSets<"conv.integers", IntConvolution, IntEngine> integers;
  static const auto all = kernel_list(integers);
  return all;
}

}  // namespace anydim
