// SPDX-License-Identifier: Apache-2.0
// Transposed convolution of quantized values on the integer engine (engine.h), with constant weights, phase by phase
// (transposed_form.h). Joint phases are made in a worker's memory and copied into place.
#include <algorithm>
#include <cstring>
#include <vector>

#include "core/kernels/conv/bytes/transposed_form.h"
#include "core/kernels/tiles/work_split.h"
#include "core/kernels/int_tiles/run.h"
#include "core/kernels/quantized/quantized.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

struct IntTransposedPlan {
  ConvGeometry geometry;
  int64_t block_rows, row_blocks, column_parts;
  int64_t steps, taps;  // the most of a phase
  int64_t columns_at, arrays_at, outside_at, workers_at, worker_bytes;
};

// Pieces of `bytes` that lie from_step and to_step apart.
void copy_pieces(const std::byte* from, int64_t from_step, std::byte* to, int64_t to_step, int64_t bytes, int64_t count) noexcept {
  const auto copy = [&](auto size) {
    for (int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_step, from + i * from_step, static_cast<size_t>(size));
  };
  if (bytes == 1) return copy(std::integral_constant<int64_t, 1>{});
  if (bytes == 2) return copy(std::integral_constant<int64_t, 2>{});
  if (bytes == 4) return copy(std::integral_constant<int64_t, 4>{});
  if (bytes < 16) return copy(bytes);
  // Sixteen at a time, the last ones over those before.
  for (int64_t i = 0; i < count; ++i)
    for (int64_t at = 0; at < bytes; at += 16) {
      const int64_t from_at = std::min(at, bytes - 16);
      std::memcpy(to + i * to_step + from_at, from + i * from_step + from_at, 16);
    }
}

class IntTransposed final : public HostKernel {
 public:
  IntTransposed(const char* name, Isa isa, const IntEngine& engine) noexcept
      : engine_(engine),
        name_(name),
        format_(engine.per_step == 4 ? "conv_transpose.byte_phases32" : "conv_transpose.pair_phases32"),
        key_{.op = OpKind::conv_transpose,
             .src = DType::none,
             .dst = DType::none,
             .layout = LayoutFamily::channels_last,
             .isa = isa,
             .quantized = true} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (as<ConvTranspose>(*p.op)->phases() > ConvTranspose::kMostPhasesOfNumbers) return no("the strides have more phases than are packed");
    if (!p.is_constant(1)) return no("the weights are not constant");
    if (p.quantization->scale[0].axis >= 0 || p.quantization->zero_point[0].axis >= 0)
      return no("input 0 has scales or zero points along an axis");
    return int_supports_convolution(p);
  }

  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    if (!output && index != 0) return {};
    return channels_last(p.in[1].dims.rank);
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1)) return form;
    const IntTransposedForm f(*p.op, numbers(p.in[1].dims));
    form.format = format_;
    form.operands = {1};
    if (packs_zero_points(*p.quantization)) form.depends = PackedForm::on_quantization;
    int64_t bytes = 0;
    f.each_phase(engine_, f.geometry, [&](const IntPhase& phase) {
      bytes = saturating_add(bytes, saturating_mul(f.panel_bytes(engine_, phase), f.geometry.groups));
    });
    form.add("panels", DType::i8, bytes);
    const int64_t columns = saturating_mul(saturating_mul(IntEngine::padded(f.columns), f.geometry.groups), f.phases);
    form.add("sums", DType::i32, columns);
    form.add("magnitudes", DType::i32, columns);
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const TensorView& w = tensors[1];
    const IntTransposedForm f(*problem.op, w.dims);
    const int64_t channels = f.geometry.out_channels, panels = IntEngine::panels(f.columns), groups = f.geometry.groups;
    const SpatialStrides s = spatial_strides(w.strides, f.geometry.spatial);
    const Quantization::Factors& zeros = problem.quantization->zero_point[1];
    const bool packs_zeros = packs_zero_points(*problem.quantization);
    const auto* const from = static_cast<const std::byte*>(w.data);
    std::byte* panel_at = pieces[kPanels];
    auto* sums_at = reinterpret_cast<int32_t*>(pieces[kSums]);
    auto* magnitudes_at = reinterpret_cast<int32_t*>(pieces[kMagnitudes]);
    f.each_phase(engine_, f.geometry, [&](const IntPhase& phase) {
      const ConvGeometry& g = phase.g;
      const int64_t k = g.k(), each = engine_.panel_bytes(k);
      packing.parallel.run(groups * panels, [&](int64_t task, int) {
        const int64_t group = task / panels, begin = task % panels * kIntColumns, count = std::min<int64_t>(f.columns - begin, kIntColumns);
        std::vector<std::byte> columns(static_cast<size_t>(count * k));
        int32_t zero[kIntColumns] = {};
        for (int64_t i = 0; i < count; ++i) {
          const int64_t tap = (begin + i) / channels, m = (begin + i) % channels;  // of phases apart, tap is 0
          if (packs_zeros) zero[i] = static_cast<int32_t>(zeros.values[zeros.axis < 0 ? 0 : static_cast<size_t>(m)]);
          const int64_t x0 = tap % f.geometry.kernel[2], y0 = tap / f.geometry.kernel[2] % f.geometry.kernel[1],
                        z0 = tap / f.geometry.kernel[2] / f.geometry.kernel[1];
          std::byte* to = columns.data() + i * k;
          for (int64_t z = 0; z < g.kernel[0]; ++z)
            for (int64_t y = 0; y < g.kernel[1]; ++y)
              for (int64_t x = 0; x < g.kernel[2]; ++x) {
                const std::byte* const at =
                    from + group * g.in_channels * s.n + m * s.c + (z0 + phase.k[0] + z * phase.k_step[0]) * s.s[0] +
                    (y0 + phase.k[1] + y * phase.k_step[1]) * s.s[1] + (x0 + phase.k[2] + x * phase.k_step[2]) * s.s[2];
                for (int64_t c = 0; c < g.in_channels; ++c) *to++ = at[c * s.n];
              }
        }
        IntPack job;
        job.dtype = w.dtype;
        job.w = columns.data();
        job.k = k;
        job.columns = count;
        job.column_step = k;
        job.inner = std::max<int64_t>(k, 1);
        job.inner_step = 1;
        if (packs_zeros) job.zero = zero;
        job.panels = panel_at + task * each;
        job.sums = sums_at + group * IntEngine::padded(f.columns) + begin;
        job.panel_end = 1;
        engine_.pack(job);
        int_measure_columns(job, engine_.w_shift, magnitudes_at + group * IntEngine::padded(f.columns) + begin);
      });
      panel_at += groups * panels * each;
      sums_at += groups * IntEngine::padded(f.columns);
      magnitudes_at += groups * IntEngine::padded(f.columns);
    });
    if (packing.read != nullptr) packing.read(packing.context, from, w.count());
    if (packing.done != nullptr) packing.done(packing.context, from, w.count());
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    IntTransposedPlan& p = plan->as<IntTransposedPlan>();
    const IntTransposedForm f(*args.op, args.in[1].dims);
    p.geometry = conv_geometry(*args.op, args.in[0].dims, args.in[1].dims, args.out[0].dims);
    const int threads = args.parallel.threads();
    int64_t rows = 0;
    p.steps = p.taps = 0;
    f.each_phase(engine_, p.geometry, [&](const IntPhase& phase) {
      rows = std::max(rows, phase.g.positions());
      p.steps = std::max(p.steps, engine_.steps(phase.g.k()));
      p.taps = std::max(p.taps, phase.g.taps());
    });
    p.block_rows = int_block_rows(engine_, p.steps, rows, threads);
    p.row_blocks = ceil_div(rows, p.block_rows);
    p.column_parts = f.joint ? 1 : int_column_parts(IntEngine::panels(f.columns), f.geometry.groups * p.row_blocks * f.phases, threads);
    p.columns_at = int_aligned(f.phases * static_cast<int64_t>(sizeof(IntPhase)));
    p.arrays_at = p.columns_at + int_aligned(f.phases * f.geometry.groups * static_cast<int64_t>(sizeof(IntColumns)));
    p.outside_at = p.arrays_at + f.array_bytes() * f.phases * f.geometry.groups;
    p.workers_at = p.outside_at + int_aligned(f.geometry.in_channels);
    p.worker_bytes = int_worker_bytes(p.steps, p.block_rows) + pointer_bytes(p.taps) + joint_bytes(f, args.post_ops->operands());
    plan->scratch = p.workers_at + p.worker_bytes * threads;
  }

  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const IntTransposedForm f(*p.op, in[1]);
    int64_t steps = 0, taps = 0;
    f.each_phase(engine_, f.geometry, [&](const IntPhase& phase) {
      steps = std::max(steps, engine_.steps(phase.g.k()));
      taps = std::max(taps, phase.g.taps());
    });
    const int64_t groups = f.geometry.groups, phases = saturating_mul(f.phases, groups);
    const int64_t shared =
        saturating_add(int_aligned(f.phases * static_cast<int64_t>(sizeof(IntPhase))) + int_aligned(f.geometry.in_channels) +
                           int_aligned(phases * static_cast<int64_t>(sizeof(IntColumns))),
                       saturating_mul(f.array_bytes(), phases));
    const int64_t worker = saturating_add(int_worker_bound(engine_, steps), pointer_bytes(taps) + joint_bytes(f, p.post_ops->operands()));
    return saturating_add(shared, saturating_mul(worker, threads));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const Run run(*this, plan.as<IntTransposedPlan>(), args);
    args.parallel.run(run.tasks(), [&](int64_t task, int worker) { run(task, worker); });
    return {};
  }

 private:
  enum { kPanels, kSums, kMagnitudes };

  // One call: its phases and what is one per column of each; then a task is a block of rows of one phase and group, gathered line by line
  // and multiplied with some of the columns. Tasks are in an order that takes the phases of a block of rows one after the other: they
  // write the same lines of memory.
  class Run {
   public:
    Run(const IntTransposed& kernel, const IntTransposedPlan& plan, const Args& args) noexcept
        : engine_(kernel.engine_),
          args_(args),
          p_(plan),
          whole_(plan.geometry),
          f_(*args.op, args.in[1].dims),
          call_(args, plan.geometry),
          scratch_(static_cast<std::byte*>(args.scratch)),
          phases_(reinterpret_cast<IntPhase*>(scratch_)),
          columns_(reinterpret_cast<IntColumns*>(scratch_ + plan.columns_at)) {
      make_phases(kernel);
      if (f_.joint)
        for (int o = 0; o < call_.epilogue.operand_count; ++o) call_.program.walks[o].column_step = 1;
      gather_.dtype = args.in[0].dtype;
      gather_.channels = whole_.in_channels;
      gather_.channel_step = call_.from.c;
      for (int a = 0; a < 3; ++a) {
        gather_.in[a] = whole_.in[a];
        gather_.step[a] = call_.from.s[a];
      }
      gather_.outside = int_outside(engine_, args, call_.factors);
      // Numbers of a tap that are bytes in whole steps are read where they are.
      in_place_ = engine_.per_step == 4 && !engine_.even_rows && gather_.dtype == DType::u8 && call_.from.c == 1 &&
                  whole_.in_channels % 4 == 0 && whole_.in_channels > 0;
      if (in_place_) std::fill_n(scratch_ + p_.outside_at, whole_.in_channels, static_cast<std::byte>(gather_.outside));
    }
    int64_t tasks() const noexcept { return whole_.groups * p_.row_blocks * p_.column_parts * f_.phases; }

    void operator()(int64_t task, int worker) const noexcept {
      const int64_t index = task % f_.phases, column_part = task / f_.phases % p_.column_parts,
                    block_at = task / f_.phases / p_.column_parts % p_.row_blocks * p_.block_rows,
                    group = task / f_.phases / p_.column_parts / p_.row_blocks;
      const IntPhase& phase = phases_[index];
      const ConvGeometry& g = phase.g;
      const int64_t rows = std::min(p_.block_rows, g.positions() - block_at), taps = g.taps(), panels = IntEngine::panels(f_.columns);
      if (rows <= 0) return;
      const IntColumns& column = columns_[index * whole_.groups + group];
      const bool sums = column.zero != nullptr;
      std::byte* const own = scratch_ + p_.workers_at + worker * p_.worker_bytes;
      Rows of(phase, group);
      of.pointed = in_place_ && taps > 0 && (taps == 1 || !sums);
      of.gathered = own + int_aligned(p_.block_rows * 4);
      of.at = reinterpret_cast<const std::byte**>(own + int_worker_bytes(p_.steps, p_.block_rows));
      of.patches = own + int_worker_bytes(p_.steps, p_.block_rows) + pointer_bytes(p_.taps);
      of.patch_operands = reinterpret_cast<float*>(of.patches + patch_bytes(f_));
      of.gather = gather_;
      of.gather.sums = sums;
      of.gather.steps = engine_.steps(g.k());
      std::copy_n(g.kernel, 3, of.gather.kernel);
      std::copy_n(g.dilation, 3, of.gather.dilation);
      IntBlock block = call_.block(column, f_.columns);
      block.rows = static_cast<int32_t>(rows);
      block.steps = of.gather.steps;
      if (of.pointed) block.segments = taps;
      block.panels = args_.weights->piece<std::byte>(kPanels) + phase.panels_at + group * f_.panel_bytes(engine_, phase);
      block.panel_begin = part_begin(panels, p_.column_parts, column_part);
      block.panel_end = part_begin(panels, p_.column_parts, column_part + 1);
      each_line(g, block_at, rows, [&](int64_t r, int64_t line, const int64_t(&at)[4]) {
        if (f_.joint) place_patches(at, r, line, &of);
        else place_results(at, r, line, &of);
        place_inputs(at, r, line, &of);
      });
      auto* const row_sums = reinterpret_cast<int32_t*>(own);
      if (sums) engine_.sum_rows(of.at, block.rows, block.steps, row_sums);
      block.from = IntSource::of_rows(of.at);
      block.dst = of.to;
      block.row_sums = row_sums;
      for (int o = 0; o < call_.epilogue.operand_count; ++o) block.operands[o] = of.operands[o];
      if (f_.joint) block.dst_column_step = 1;
      engine_.run(block);
      if (!f_.joint) return;
      each_line(g, block_at, rows, [&](int64_t r, int64_t line, const int64_t(&at)[4]) {
        const int64_t to = call_.result_at(at[0], at[1] * phase.step[0], at[2] * phase.step[1], at[3] * phase.step[2]);
        scatter_patches(whole_, call_.to, call_.result_bytes, of.patches + r * f_.columns * call_.result_bytes, line,
                        static_cast<std::byte*>(args_.out[0].data) + to * call_.result_bytes);
      });
    }

   private:
    // Of a block: where each row is read and written.
    struct Rows {
      Rows(const IntPhase& of, int64_t its_group) noexcept : phase(of), group(its_group) {}
      const IntPhase& phase;
      const int64_t group;
      std::byte* to[kIntBlockRows];
      const float* operands[kMaxEpilogueOperands][kIntBlockRows];
      const std::byte** at;  // a row, or its taps
      std::byte *gathered, *patches;
      float* patch_operands;
      bool pointed;  // at taps that lie in the input
      IntGather gather;
    };

    void make_phases(const IntTransposed& kernel) noexcept {
      int64_t next = 0;
      int32_t absorbed = 0;
      f_.each_phase(engine_, whole_, [&](const IntPhase& phase) {
        new (phases_ + next) IntPhase(phase);
        for (int64_t group = 0; group < whole_.groups; ++group) {
          const int64_t i = next * whole_.groups + group;
          absorbed =
              kernel.fill_columns(f_, args_, call_, phase, group, i * IntEngine::padded(f_.columns),
                                  int_column_memory(scratch_ + p_.arrays_at + i * f_.array_bytes(), f_.array_columns()), columns_ + i);
        }
        ++next;
      });
      call_.program.count -= absorbed;
      call_.program.steps += absorbed;
    }

    // Of positions from `at` on, the positions of the result that they are first in, along each axis.
    static void result_of(const IntPhase& phase, const int64_t (&at)[4], int64_t (&to)[3]) noexcept {
      for (int i = 0; i < 3; ++i) to[i] = phase.first[i] + at[i + 1] * phase.step[i];
    }
    // Of joint phases: a patch each, which is scattered afterwards.
    void place_patches(const int64_t (&at)[4], int64_t r, int64_t line, Rows* rows) const noexcept {
      int64_t to[3];
      result_of(rows->phase, at, to);
      for (int64_t i = r; i < r + line; ++i) rows->to[i] = rows->patches + i * f_.columns * call_.result_bytes;
      for (int o = 0; o < call_.epilogue.operand_count; ++o)
        for (int64_t i = 0; i < line; ++i) {
          float* const own = rows->patch_operands + (o * kIntBlockRows + r + i) * f_.columns;
          rows->operands[o][r + i] = own;
          gather_patch(whole_, call_.of[o], call_.operand_at(o, at[0], to[0], to[1], to[2] + i * rows->phase.step[2]), own);
        }
    }
    void place_results(const int64_t (&at)[4], int64_t r, int64_t line, Rows* rows) const noexcept {
      int64_t to[3];
      result_of(rows->phase, at, to);
      const int64_t channel = rows->group * whole_.out_channels, step = rows->phase.step[2], bytes = call_.result_bytes;
      std::byte* const first =
          static_cast<std::byte*>(args_.out[0].data) + (call_.result_at(at[0], to[0], to[1], to[2]) + channel * call_.to.c) * bytes;
      for (int64_t i = 0; i < line; ++i) rows->to[r + i] = first + i * step * call_.to.s[2] * bytes;
      for (int o = 0; o < call_.epilogue.operand_count; ++o) {
        const float* const of_line = call_.operand_at(o, at[0], to[0], to[1], to[2]) + channel * call_.of[o].c;
        for (int64_t i = 0; i < line; ++i) rows->operands[o][r + i] = of_line + i * step * call_.of[o].s[2];
      }
    }
    void place_inputs(const int64_t (&at)[4], int64_t r, int64_t line, Rows* rows) const noexcept {
      const SpatialStrides& ss = call_.from;
      const ConvGeometry& g = rows->phase.g;
      const int64_t taps = g.taps();
      IntRow row{static_cast<const std::byte*>(args_.in[0].data) + at[0] * ss.n + rows->group * whole_.in_channels * ss.c, {}};
      for (int i = 0; i < 3; ++i) row.at[i] = at[i + 1] - g.pad[i];
      if (rows->pointed && taps == 1 && is_inside(g, row, line)) {
        const std::byte* const first = row.base + row.at[0] * ss.s[0] + row.at[1] * ss.s[1] + row.at[2] * ss.s[2];
        for (int64_t i = 0; i < line; ++i) rows->at[r + i] = first + i * ss.s[2];
        return;
      }
      if (rows->pointed) {
        for (int64_t i = 0; i < line; ++i, ++row.at[2]) point_at(g, ss, row, scratch_ + p_.outside_at, rows->at + (r + i) * taps);
        return;
      }
      const int64_t row_bytes = rows->gather.steps * kIntStepBytes;
      std::byte* const to = rows->gathered + r * row_bytes;
      for (int64_t i = 0; i < line; ++i) rows->at[r + i] = to + i * row_bytes;
      if (engine_.gather_lines(rows->gather, row, line, 1, to)) return;
      for (int64_t i = 0; i < line; ++i, ++row.at[2]) engine_.gather(rows->gather, row, to + i * row_bytes);
    }

    const IntEngine& engine_;
    const Args& args_;
    const IntTransposedPlan& p_;
    const ConvGeometry& whole_;
    const IntTransposedForm f_;
    IntConvolutionCall call_;
    std::byte* const scratch_;
    IntPhase* const phases_;
    IntColumns* const columns_;
    IntGather gather_;
    bool in_place_ = false;
  };

  // Calls f(row, positions, {n, d, h, w} of the first) with the positions of each output line among `rows` rows from `begin` on.
  template <class F> static void each_line(const ConvGeometry& g, int64_t begin, int64_t rows, F&& f) noexcept {
    int64_t at[4], rest = begin;
    for (int i = 3; i > 0; --i) {
      at[i] = rest % g.out[i - 1];
      rest /= g.out[i - 1];
    }
    at[0] = rest;
    for (int64_t r = 0; r < rows;) {
      const int64_t line = std::min(rows - r, g.out[2] - at[3]);
      f(r, line, at);
      r += line;
      at[3] += line;
      for (int i = 3; i > 0 && at[i] == g.out[i - 1]; --i) at[i] = 0, ++at[i - 1];
    }
  }

  // Of one tap: whether a line of rows reads no position outside.
  static bool is_inside(const ConvGeometry& g, const IntRow& first, int64_t rows) noexcept {
    for (int i = 0; i < 3; ++i)
      if (first.at[i] < 0 || first.at[i] + (i == 2 ? rows - 1 : 0) >= g.in[i]) return false;
    return true;
  }
  // Where each tap of a row lies; one outside is `outside`.
  static void point_at(const ConvGeometry& g, const SpatialStrides& ss, const IntRow& row, const std::byte* outside,
                       const std::byte** next) noexcept {
    for (int64_t z = 0, iz = row.at[0]; z < g.kernel[0]; ++z, iz += g.dilation[0])
      for (int64_t y = 0, iy = row.at[1]; y < g.kernel[1]; ++y, iy += g.dilation[1]) {
        const bool line = iz >= 0 && iz < g.in[0] && iy >= 0 && iy < g.in[1];
        const std::byte* const at = row.base + iz * ss.s[0] + iy * ss.s[1];
        for (int64_t x = 0, ix = row.at[2]; x < g.kernel[2]; ++x, ix += g.dilation[2])
          *next++ = line && ix >= 0 && ix < g.in[2] ? at + ix * ss.s[2] : outside;
      }
  }

  // Arrays of the columns of a phase and group. How many steps of the chain they absorbed.
  int32_t fill_columns(const IntTransposedForm& f, const Args& args, const IntConvolutionCall& call, const IntPhase& phase, int64_t group,
                       int64_t packed_at, const IntColumnMemory& memory, IntColumns* to) const noexcept {
    const int64_t channels = f.geometry.out_channels;
    IntColumnTask task;
    task.engine = &engine_;
    task.args = &args;
    task.factors = &call.factors;
    task.k = phase.g.k();
    task.first = group * channels;
    task.columns = channels;
    task.zero_is_packed = packs_zero_points(*args.quantization);
    if (args.in.size() > 2 && args.in[2].dtype != DType::none) task.c = &args.in[2], task.c_step = args.in[2].strides[0];
    IntColumns column;
    int32_t absorbed = 0;
    if (f.joint) std::memset(memory.offset, 0, static_cast<size_t>(int_column_bytes(f.array_columns())));
    bool any_zero = false, wants_sums = false;
    // Of phases together, each tap's columns lie behind those of the one before, over what filled these up.
    for (int64_t at = 0; at < f.columns; at += channels) {
      task.sums = args.weights->piece<int32_t>(kSums) + packed_at + at;
      const IntColumnMemory part{memory.offset + at,   memory.zero + at,  memory.scale + at,  memory.bias + at, memory.out_scale + at,
                                 memory.out_zero + at, memory.quick + at, memory.centre + at, memory.sum + at};
      int_fill_columns(task, part, &column, &wants_sums);
      any_zero = any_zero || wants_sums;
      absorbed = int_absorb_steps(call.epilogue, call.factors, 1, task.first, channels, part, &column);
    }
    column.offset = memory.offset;
    column.zero = any_zero ? memory.zero : nullptr;
    column.scale = memory.scale;
    column.bias = column.bias != nullptr ? memory.bias : nullptr;
    column.out_scale = memory.out_scale;
    column.out_zero = memory.out_zero;
    task.magnitudes = args.weights->piece<int32_t>(kMagnitudes) + packed_at;
    if (task.c != nullptr && task.c->dtype == DType::i32 && f.joint) task.magnitudes = nullptr;  // its numbers repeat
    int_judge_columns(args, task.k, f.columns, kIntQuickRows, memory, &column, &task);
    new (to) IntColumns(column);
    return absorbed;
  }

  // The operands of a patch, as its columns lie.
  static void gather_patch(const ConvGeometry& g, const SpatialStrides& s, const float* from, float* to) noexcept {
    for (int64_t z = 0; z < g.kernel[0]; ++z)
      for (int64_t y = 0; y < g.kernel[1]; ++y)
        for (int64_t x = 0; x < g.kernel[2]; ++x)
          for (int64_t m = 0; m < g.out_channels; ++m) *to++ = from[z * s.s[0] + y * s.s[1] + x * s.s[2] + m * s.c];
  }

  // Patches of neighbouring positions to where they belong, the first from `to` on.
  static void scatter_patches(const ConvGeometry& g, const SpatialStrides& s, int64_t bytes, const std::byte* from, int64_t count,
                              std::byte* to) noexcept {
    const int64_t patch = g.taps() * g.out_channels * bytes, apart = g.stride[2] * s.s[2] * bytes;
    const bool joined = (s.c == 1 || g.out_channels == 1) && s.s[2] == g.out_channels;
    const int64_t line = g.kernel[2] * g.out_channels * bytes;
    for (int64_t z = 0; z < g.kernel[0]; ++z)
      for (int64_t y = 0; y < g.kernel[1]; ++y, from += line) {
        std::byte* const at = to + (z * s.s[0] + y * s.s[1]) * bytes;
        if (joined) {
          copy_pieces(from, patch, at, apart, line, count);
          continue;
        }
        for (int64_t x = 0; x < g.kernel[2]; ++x)
          for (int64_t m = 0; m < g.out_channels; ++m)
            copy_pieces(from + (x * g.out_channels + m) * bytes, patch, at + (x * s.s[2] + m * s.c) * bytes, apart, bytes, count);
      }
  }

  static int64_t pointer_bytes(int64_t taps) noexcept {
    return int_aligned(saturating_mul(std::max<int64_t>(taps, 1), kIntBlockRows * static_cast<int64_t>(sizeof(void*))));
  }
  static int64_t patch_bytes(const IntTransposedForm& f) noexcept { return f.joint ? int_aligned(kIntBlockRows * f.columns * 4) : 0; }
  static int64_t joint_bytes(const IntTransposedForm& f, int operands) noexcept { return patch_bytes(f) * (1 + operands); }
  // Where numbers are bytes, they would not fit.
  bool packs_zero_points(const Quantization& q) const noexcept {
    const Quantization::Factors& f = q.zero_point[1];
    return engine_.per_step == 2 && f.present() && f.from != Quantization::Factors::From::operand;
  }

  const IntEngine& engine_;
  const char* name_;
  const char* format_;
  KernelKey key_;
};

}  // namespace

KernelList int_transposed_list() noexcept {
  static const KernelsOfSets<"conv_transpose.integers", IntTransposed, IntEngine> integers;
  static const auto all = kernel_list(integers);
  return all;
}

}  // namespace anydim
