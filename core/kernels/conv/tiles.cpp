// SPDX-License-Identifier: Apache-2.0
// Convolution and transposed convolution on the tile engine (tiles/tile_engine.h): output positions with one set of
// valid taps form rectangles, each a matrix product whose rows are read in place. No im2col, no padded copy, no
// indirection buffer; any strides of source and destination are read and written directly (channels last is what is
// fast).
//
// The same code serves both operators: a transposed convolution is, per residue of the output position modulo the
// stride, a convolution with a subset of the kernel positions (geometry.h).
#include <algorithm>
#include <cstring>

#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/geometry.h"
#include "core/kernels/conv/k_list.h"
#include "core/kernels/conv/patches.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/conv/tile_task.h"
#include "core/kernels/tiles/reduced_probe.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/tiles/work_split.h"
#include "core/kernels/pack_pieces.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

int64_t round64(int64_t n) { return (n + 63) & ~INT64_C(63); }

// What packing one tap of one group's weights is. Weights: convolution M, C/G, kernel...; transposed C, M/G, kernel...
PackJob pack_job(const TileEngine& engine, const ConvGeometry& g, const TensorView& w, int64_t group, float* to) {
  const SpatialStrides s = spatial_strides(w.strides, g.spatial);
  PackJob job;
  job.k = g.k();
  job.columns = g.out_channels;
  job.panel_end = engine.panels(g.out_channels);
  job.row_stride = g.transposed ? s.n : s.c;
  job.column_stride = g.transposed ? s.c : s.n;
  job.rows = g.in_channels;
  job.panels = to;
  job.b = w.as<const float>() + group * s.n * (g.transposed ? g.in_channels : g.out_channels);
  return job;
}

// Packs all taps of these rows and panels of a group.
void pack_taps(const TileEngine& engine, const ConvGeometry& g, const TensorView& w, PackJob job) {
  const SpatialStrides s = spatial_strides(w.strides, g.spatial);
  const float* base = job.b;
  const int64_t first = job.first;
  for (int64_t z = 0; z < g.kernel[0]; ++z)
    for (int64_t y = 0; y < g.kernel[1]; ++y)
      for (int64_t x = 0; x < g.kernel[2]; ++x) {
        job.b = base + z * s.s[0] + y * s.s[1] + x * s.s[2];
        job.first = ((z * g.kernel[1] + y) * g.kernel[2] + x) * g.in_channels + first;
        engine.pack(job);
      }
}
void pack_weights(const TileEngine& engine, const ConvGeometry& g, const TensorView& w, int64_t group, float* to) {
  pack_taps(engine, g, w, pack_job(engine, g, w, group, to));
}

// A signal: one channel along one axis, as speech encoders begin. Its sums are one block.
bool is_signal(const ConvGeometry& g) noexcept {
  return !g.transposed && g.spatial == 1 && g.groups == 1 && g.in_channels == 1 && g.k() <= kSumBlock;
}
// Positions whose inputs lie packed side by side at a time.
constexpr int64_t kSignalFloats = 16 << 10;
int64_t signal_positions(const TileEngine& engine, int64_t k) noexcept {
  return std::clamp<int64_t>(kSignalFloats / k / (2 * engine.vector), 1, 512 / (2 * engine.vector)) * 2 * engine.vector;
}

// The pieces of constant operands. In mode reduced a flag stands behind the panels: not 0 if all weights are finite.
enum { kPanels, kBias };
constexpr int64_t kFlagFloats = 16;

class TiledConvolution final : public HostKernel {
 public:
  TiledConvolution(const char* name, Isa isa, const TileEngine& engine, OpKind op)
      : engine_(engine), name_(name), format_(format_of(op, engine)), key_{op,  DType::f32, DType::f32, LayoutFamily::channels_last,
                                                                           isa, engine.mode} {}

  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!has_reduced_bits(engine_)) return no("this processor's sums of bf16 have other bits than the mode");
    if (engine_.mode == MathMode::reduced) return reduced_serves_conv(p);
    for (const TensorType& t : p.in)
      if (t.dtype != DType::f32 && t.dtype != DType::none) return no("an input is not f32");
    return supports_post_ops(p);
  }

  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    if (!output && index != 0) return {};
    // Channels of a signal's result are made side by side or one after the other.
    if (output && p.op->kind() == OpKind::convolution && as<Convolution>(*p.op)->get().spatial == 1 && p.in[1].dims[1].is(1) &&
        as<Convolution>(*p.op)->get().group == 1 && p.in[1].dims[2].is_number() && p.in[1].dims[2].number() <= kSumBlock)
      return {};
    const int rank = p.in[1].dims.rank;
    // A few channels are read from any layout at the same speed.
    if (!output && index == 0) {
      const Dim c = p.in[1].dims[p.op->kind() == OpKind::convolution ? 1 : 0];
      if (c.is_number() && c.number() <= 4) return {};
    }
    return channels_last(rank);
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1)) return form;
    const Panels f = panels_of(*p.op, numbers(p.in[1].dims));
    form.format = format_;
    form.operands = {1};
    form.add("panels", DType::f32, saturating_add(saturating_mul(f.each, f.groups), engine_.mode == MathMode::reduced ? kFlagFloats : 0));
    if (p.is_constant(2)) {
      form.operands.add(2);
      form.add("bias", DType::f32, f.bias);
    }
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const TensorView& w = tensors[1];
    const Panels f = panels_of(*problem.op, w.dims);
    auto* const panels = reinterpret_cast<float*>(pieces[kPanels]);
    if (f.small) pack_small_patch(engine_, f.geometry, w, panels);
    else pack_groups(packing, f, w, panels);
    if (engine_.mode == MathMode::reduced) panels[f.each * f.groups] = are_finite(panels, f.each * f.groups) ? 1.f : 0.f;
    if (pieces.size() <= kBias) return {};
    auto* const bias = reinterpret_cast<float*>(pieces[kBias]);
    for (int64_t i = 0; i < f.bias; ++i)
      bias[i] = read_unaligned(tensors[2].as<const float>() + i % f.out_channels * tensors[2].strides[0]) +
                (engine_.mode == MathMode::reduced ? 0.f : -0.f);
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    ConvPlan& p = plan->as<ConvPlan>();
    ConvGeometry& g = p.geometry;
    const int threads = args.parallel.threads();
    const bool again = plan->kept;
    if (again) {
      set_activations(*args.op, args.in[0].dims, args.out[0].dims, &g);
    } else {
      g = conv_geometry(*args.op, args.in[0].dims, args.in[1].dims, args.out[0].dims);
      p.small_patch = is_small_patch(*args.op, args.in[1].dims, engine_);
      p.row_bytes = g.in_channels * 4;
      for (int a = 0; a < 3; ++a) p.row_bytes *= g.transposed ? 1 : std::min(g.kernel[a], g.stride[a]);
      plan->kept = args.weights != nullptr;  // weights that are an activation have other dims next time
    }
    // Patches: a row is an input position, made into all of its output positions.
    const bool small = p.small_patch;
    const int64_t rows = small ? g.in_positions() : g.positions();
    const int64_t columns = small ? g.taps() * g.out_channels : g.out_channels, k = small ? g.in_channels : g.k();
    const int64_t row_stride = args.in[0].strides.back() * (g.transposed ? 1 : g.stride[2]);
    if (again && p.split.only_tile_follows_rows(threads, args.choice))
      p.split.set_tile(engine_.rows_for(rows, columns, row_stride * 4, k, cpu().l2));
    else p.split = split_work(engine_, rows, columns, k, p.row_bytes, row_stride, small ? 1 : g.groups, threads, args.choice);
    if (again && !g.transposed && !p.rounds) return;  // how many runs a transposed one has depends on its output
    const Layout at = layout(g, args.weights == nullptr, threads);
    p.panels_at = at.panels_at;
    p.workers_at = at.workers_at;
    p.tiles_at = at.tiles_at;
    p.rounds = rounds_input(g);
    p.rounded_at = at.rounded_at;
    p.pads = p.rounds && pads_input(g);
    p.worker_bytes = at.worker_bytes;
    plan->scratch = at.total;
  }

  int plan_revision() const noexcept override { return kSplitRevision; }
  int plan_choices(const Args& args, std::span<PlanChoice> out) const noexcept override {
    Args own = args;
    own.choice = nullptr;
    Plan now;
    plan(own, &now);
    const ConvPlan& p = now.as<ConvPlan>();
    const ConvGeometry& g = p.geometry;
    return p.small_patch ? split_choices(engine_, p.split, g.in_positions(), g.taps() * g.out_channels, args.parallel.threads(), out)
                         : split_choices(engine_, p.split, g.positions(), g.out_channels, args.parallel.threads(), out);
  }

  int64_t scratch_bound(const Problem& problem, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    const ConvGeometry g = conv_geometry(*problem.op, in[0], in[1], out[0]);
    return layout(g, !problem.is_constant(1), threads).total;
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    const ConvPlan& p = plan.as<ConvPlan>();
    const ConvGeometry& g = p.geometry;
    if (args.out[0].count() == 0) return {};
    auto* scratch = static_cast<std::byte*>(args.scratch);
    Epilogue epilogue;
    const bool has_bias = args.in.size() > 2 && args.in[2].dtype != DType::none;
    const float* packed_bias = nullptr;
    const bool signal = runs_as_signal(g, args);
    if (args.packs(2)) packed_bias = args.weights->piece<float>(kBias);
    if ((has_bias && !args.packs(2)) || (packed_bias && signal)) {
      Strides strides = Strides::filled(args.out[0].rank(), 0);
      strides[1] = packed_bias ? 1 : args.in[2].strides[0];
      epilogue.append_binary(BinaryFunction::add, false, packed_bias ? packed_bias : args.in[2].as<const float>(), strides);
    }
    epilogue.append(*args.post_ops, args.post_in, args.out[0].dims);

    if (p.small_patch) {
      const float* panel = args.weights ? args.weights->piece<float>(kPanels) : nullptr;
      if (!panel) {
        auto* to = reinterpret_cast<float*>(scratch + p.panels_at);
        std::fill_n(to, engine_.packed_columns(g.taps() * g.out_channels) * g.in_channels, 0.f);
        pack_small_patch(engine_, g, args.in[1], to);
        panel = to;
      }
      run_small_patch(engine_, g, p.split, args, panel, packed_bias, epilogue);
      return {};
    }

    // Weights that are not finite would make NaN of taps in the padding, which are left out of the sums.
    ConvPlan padded = p;
    const bool pads = p.pads && args.weights->piece<float>(kPanels)[engine_.panel_floats(g.out_channels, g.k()) * g.groups] != 0.f;
    if (pads) padded.geometry = padded_geometry(g);
    ConvExecution e{engine_,
                    padded,
                    args.in[0].as<const float>(),
                    args.out[0].as<float>(),
                    spatial_strides(args.in[0].strides, g.spatial),
                    spatial_strides(args.out[0].strides, g.spatial),
                    nullptr,
                    packed_bias,
                    epilogue,
                    {},
                    {},
                    {},
                    false};
    if (g.out_channels * g.groups == 1) e.dst_strides.c = 1;
    if (g.in_channels * g.groups == 1) e.src_strides.c = 1;
    e.program.count = epilogue.count;
    e.program.operand_count = epilogue.operand_count;
    e.program.steps = epilogue.steps;
    for (int o = 0; o < epilogue.operand_count; ++o) {
      OperandWalk& w = e.program.walks[o];
      const Strides& s = epilogue.operands[o].strides;
      const int columns = signal ? 2 : 1;  // the axis that they are
      w.column_step = s[columns];
      for (int i = 0; i < s.rank; ++i) w.by_row |= i != columns && s[i] != 0;
    }
    const int64_t each = engine_.panel_floats(g.out_channels, g.k());
    if (args.weights) {
      e.panels = args.weights->piece<float>(kPanels);
    } else {
      auto* to = reinterpret_cast<float*>(scratch + p.panels_at);
      args.parallel.run(g.groups, [&](int64_t i, int) { pack_weights(engine_, g, args.in[1], i, to + i * each); });
      e.panels = to;
    }
    if (signal) {
      run_signal(e, args, scratch);
      return {};
    }
    if (p.rounds) round_input(args, g, scratch + p.rounded_at, &e);
    auto* runs = reinterpret_cast<AxisRun*>(scratch);
    for (int a = 0; a < 3; ++a) {
      e.runs[a] = runs;
      e.run_count[a] = axis_runs(padded.geometry, a, runs);
      runs += axis_run_bound(g, a);
    }
    const int64_t tasks = p.split.tasks();
    args.parallel.run(g.groups * tasks, [&](int64_t task, int worker) {
      std::byte* own = scratch + p.workers_at + worker * p.worker_bytes;
      KList list;
      list.elements = reinterpret_cast<KElement*>(own);
      list.segments = reinterpret_cast<KSegment*>(own + kMostElements * static_cast<int64_t>(sizeof(KElement)));
      const int64_t part = task % tasks;
      run_conv_task(e, task / tasks, p.split.row_part(part), p.split.column_part(part), list, own + p.tiles_at);
    });
    return {};
  }

 private:
  // Whether positions lie side by side, and all taps of all of them are inside.
  static bool runs_as_signal(const ConvGeometry& g, const Args& args) noexcept {
    return is_signal(g) && args.out[0].strides[1] != 1 && args.out[0].strides[2] == 1 && g.pad[2] == 0 &&
           (g.out[2] - 1) * g.stride[2] + (g.kernel[2] - 1) * g.dilation[2] < g.in[2];
  }
  // Output channels are rows, positions columns: weights are read where they are packed, and inputs are packed, some positions at a time.
  // No tap is in the padding.
  void run_signal(const ConvExecution& e, const Args& args, std::byte* scratch) const noexcept {
    const ConvGeometry& g = e.plan.geometry;
    const int64_t k = g.k(), most = signal_positions(engine_, k), parts = ceil_div(g.out[2], most);
    args.parallel.run(g.batch * parts, [&](int64_t task, int worker) {
      const int64_t n = task / parts, first = task % parts * most;
      PackJob pack;
      pack.b = e.src + n * e.src_strides.n + first * g.stride[2] * e.src_strides.s[2];
      pack.row_stride = g.dilation[2] * e.src_strides.s[2];
      pack.column_stride = g.stride[2] * e.src_strides.s[2];
      pack.rows = pack.k = k;
      pack.columns = std::min(most, g.out[2] - first);
      pack.panel_end = engine_.panels(pack.columns);
      pack.panels = reinterpret_cast<float*>(scratch + e.plan.workers_at + worker * e.plan.worker_bytes);
      engine_.pack(pack);
      const KSegment segment{0, 0, static_cast<int32_t>(k), 1};
      TileJob job;
      job.segments = &segment;
      job.segment_count = 1;
      job.panels = pack.panels;
      job.k = k;
      job.columns = pack.columns;
      job.panel_end = pack.panel_end;
      job.program = &e.program;
      job.dst_column_step = e.dst_strides.s[2];
      job.tile_rows = engine_.rows_for(g.out_channels, job.columns, 0, k, cpu().l2);
      job.row_block = 240;
      // Whole panels of the weights, then the narrower last one.
      const int64_t width = 2 * engine_.vector, whole = g.out_channels / width * width;
      const auto run_rows = [&](int64_t begin, int64_t panels, int64_t count, int64_t panel_width) {
        job.count[2] = panels;
        job.count[3] = count;
        job.src = e.panels + begin * k;
        job.src_step[2] = panel_width * k;
        job.src_step[3] = 1;
        job.k_step = panel_width;
        job.dst = e.dst + n * e.dst_strides.n + begin * e.dst_strides.c + first * e.dst_strides.s[2];
        job.dst_step[2] = count * e.dst_strides.c;
        job.dst_step[3] = e.dst_strides.c;
        for (int o = 0; o < e.epilogue.operand_count; ++o) {
          const Strides& s = e.epilogue.operands[o].strides;
          job.operand[o] = e.epilogue.operands[o].data + n * s[0] + begin * s[1] + first * s[2];
          job.operand_step[o][2] = count * s[1];
          job.operand_step[o][3] = s[1];
        }
        job.row_end = panels * count;
        engine_.run(job);
      };
      if (whole > 0) run_rows(0, whole / width, width, width);
      if (whole < g.out_channels) run_rows(whole, 1, g.out_channels - whole, engine_.packed_columns(g.out_channels - whole));
    });
  }

  // What weights of these dims look like packed: floats of each group, groups, floats of a bias.
  struct Panels {
    ConvGeometry geometry;
    int64_t groups, each, out_channels, bias;
    bool small;
  };
  Panels panels_of(const Operator& op, const Dims& w) const noexcept {
    const bool transposed = op.kind() == OpKind::conv_transpose;
    Panels f;
    f.groups = transposed ? as<ConvTranspose>(op)->get().group : as<Convolution>(op)->get().group;
    Dims src = w, dst = w;
    src[0] = dst[0] = 1;
    src[1] = transposed ? w[0] : w[1] * f.groups;
    dst[1] = transposed ? w[1] * f.groups : w[0];
    f.geometry = conv_geometry(op, src, w, dst);
    const ConvGeometry& g = f.geometry;
    f.small = is_small_patch(op, w, engine_);
    f.each = f.small ? engine_.packed_columns(g.taps() * g.out_channels) * g.in_channels : engine_.panel_floats(g.out_channels, g.k());
    f.out_channels = dst[1];
    f.bias = dst[1] * (f.small ? g.taps() : 1);
    return f;
  }

  // The groups lie one after the other, and pieces of a group as pack_job()'s axes do, each with all of its taps.
  void pack_groups(const Packing& packing, const Panels& f, const TensorView& w, float* to) const noexcept {
    const ConvGeometry& g = f.geometry;
    const int64_t taps = g.taps(), group = g.in_channels * g.out_channels;
    const PackCuts cuts(engine_, pack_job(engine_, g, w, 0, to), taps);
    const auto start = [&](int64_t piece) { return (piece / cuts.pieces * group + cuts.start(piece % cuts.pieces)) * taps; };
    pack_in_pieces(packing, w, f.groups * cuts.pieces, start, [&](int64_t piece) {
      const int64_t i = piece / cuts.pieces;
      PackJob job = pack_job(engine_, g, w, i, to + i * f.each);
      cuts.set(piece % cuts.pieces, &job);
      pack_taps(engine_, g, w, job);
    });
  }

  // Where several taps read an input whose channels are whole blocks, it is rounded once, and tiles read it in place.
  bool rounds_input(const ConvGeometry& g) const noexcept {
    bool overlaps = false;
    for (int a = 0; a < 3; ++a) overlaps = overlaps || g.kernel[a] > (g.transposed ? 1 : g.stride[a]);
    return engine_.round != nullptr && overlaps && g.in_channels % kReducedBlock == 0;
  }
  // The geometry without padding of an input that has zeros around it: all positions have all taps.
  static ConvGeometry padded_geometry(const ConvGeometry& g) noexcept {
    ConvGeometry p = g;
    for (int a = 0; a < 3; ++a) {
      p.in[a] = (g.out[a] - 1) * g.stride[a] + (g.kernel[a] - 1) * g.dilation[a] + 1;
      p.pad[a] = 0;
    }
    return p;
  }
  // Whether the input that is rounded gets zeros around it, so that positions near borders are no classes of their own, each of which reads
  // weights that do not stay in L2. A quarter of all products have zeros at most. (3x3, 7x7, 512 to 512, in a network, one thread: 690 to
  // 635 us.)
  bool pads_input(const ConvGeometry& g) const noexcept {
    if (g.transposed || engine_.panel_floats(g.out_channels, g.k()) * 4 < cpu().l2 / 2) return false;
    double inside = 1;
    bool pads = false;
    for (int a = 0; a < 3; ++a) {
      int64_t taps = 0;
      for (int64_t t = 0; t < g.kernel[a]; ++t) {
        const int64_t at = t * g.dilation[a] - g.pad[a];  // of the first position
        const int64_t first = at < 0 ? ceil_div(-at, g.stride[a]) : 0, end = g.in[a] > at ? ceil_div(g.in[a] - at, g.stride[a]) : 0;
        taps += std::max<int64_t>(std::min(end, g.out[a]) - first, 0);
      }
      pads = pads || taps < g.out[a] * g.kernel[a];
      inside *= static_cast<double>(taps) / static_cast<double>(std::max<int64_t>(g.out[a] * g.kernel[a], 1));
    }
    return pads && inside >= 0.75;
  }
  static bool are_finite(const float* panels, int64_t count) noexcept {
    bool finite = true;
    for (int64_t i = 0; i < count; ++i) {
      uint32_t word;
      std::memcpy(&word, panels + i, sizeof word);
      finite = finite && (word & 0x7f800000u) != 0x7f800000u && (word & 0x7f80u) != 0x7f80u;
    }
    return finite;
  }

  // Dense, channels last; what the execution's geometry has more than the tensor are zeros around it.
  void round_input(const Args& args, const ConvGeometry& tensor, std::byte* to, ConvExecution* e) const noexcept {
    const ConvGeometry& g = e->plan.geometry;
    const SpatialStrides from = e->src_strides;
    const int64_t channels = g.in_channels * g.groups, bytes = channels * engine_.rounded_bytes;
    int64_t before[3];
    for (int a = 0; a < 3; ++a) before[a] = tensor.pad[a] - g.pad[a];
    args.parallel.run(g.batch * g.in[0] * g.in[1], [&](int64_t line, int) {
      const int64_t n = line / g.in[1] / g.in[0], z = line / g.in[1] % g.in[0] - before[0], y = line % g.in[1] - before[1];
      std::byte* const at = to + line * g.in[2] * bytes;
      const bool inside = z >= 0 && z < tensor.in[0] && y >= 0 && y < tensor.in[1];
      const int64_t begin = inside ? std::min(before[2], g.in[2]) : g.in[2];
      const int64_t end = inside ? std::clamp(begin + tensor.in[2], begin, g.in[2]) : g.in[2];
      std::memset(at, 0, static_cast<size_t>(begin * bytes));
      const float* src = e->src + n * from.n + z * from.s[0] + y * from.s[1];
      for (int64_t x = begin; x < end; ++x, src += from.s[2]) engine_.round(src, from.c, channels, at + x * bytes);
      std::memset(at + end * bytes, 0, static_cast<size_t>((g.in[2] - end) * bytes));
    });
    e->rounded = true;
    e->src = reinterpret_cast<const float*>(to);
    e->src_strides = {g.in[0] * g.in[1] * g.in[2] * channels, 1, {g.in[1] * g.in[2] * channels, g.in[2] * channels, channels}};
  }

  struct Layout {
    int64_t panels_at, workers_at, tiles_at, worker_bytes, rounded_at, total;
  };
  // Scratch: runs of the three axes, panels of weights that are an activation; per worker a k list and what the engine needs.
  Layout layout(const ConvGeometry& g, bool pack, int threads) const noexcept {
    Layout l;
    l.panels_at = 0;
    for (int a = 0; a < 3; ++a) l.panels_at += axis_run_bound(g, a) * static_cast<int64_t>(sizeof(AxisRun));
    l.panels_at = round64(l.panels_at);
    l.workers_at = l.panels_at;
    if (pack) l.workers_at += round64(g.groups * engine_.panel_floats(g.out_channels, g.k()) * 4);
    const int64_t segments = g.taps() + g.k() / kSumBlock + 2;
    const int64_t signal = is_signal(g) ? signal_positions(engine_, g.k()) * g.k() * 4 : 0;
    l.worker_bytes = round64(segments * static_cast<int64_t>(sizeof(KSegment)) + kMostElements * static_cast<int64_t>(sizeof(KElement)));
    l.tiles_at = l.worker_bytes;
    l.worker_bytes = std::max(l.worker_bytes + round64(engine_.scratch(g.k())), round64(signal));
    l.rounded_at = l.total = l.workers_at + l.worker_bytes * threads;
    if (rounds_input(g)) {
      const int64_t positions = std::max(g.in_positions(), pads_input(g) ? padded_geometry(g).in_positions() : 0);
      l.total = saturating_add(l.total, saturating_mul(saturating_mul(positions, g.in_channels * g.groups), engine_.rounded_bytes));
    }
    return l;
  }

  static const char* format_of(OpKind op, const TileEngine& engine) noexcept {
    static constexpr const char* kFormats[2][4] = {
        {"conv.panels16", "conv.panels32", "conv.flagged_bf16_panels16", "conv.flagged_bf16_panels32"},
        {"conv_transpose.panels16", "conv_transpose.panels32", "conv_transpose.flagged_bf16_panels16",
         "conv_transpose.flagged_bf16_panels32"}};
    static constexpr const char* kOfNeighbours[2] = {"conv.flagged_bf16_neighbours32", "conv_transpose.flagged_bf16_neighbours32"};
    const bool transposed = op != OpKind::convolution;
    if (engine.neighbours) return kOfNeighbours[transposed];
    return kFormats[transposed][2 * (engine.mode == MathMode::reduced) + (engine.vector == 16)];
  }

  const TileEngine& engine_;
  const char* name_;
  const char* format_;
  KernelKey key_;
};

}  // namespace

KernelList conv_kernels() noexcept {
  static const KernelsOfSets<"conv.tiles", TiledConvolution, TileEngine> tiles(OpKind::convolution);
  static const auto all = kernel_list(tiles, kept<"conv.reference", conv_reference>());
  return all;
}

KernelList conv_transpose_kernels() noexcept {
  static const KernelsOfSets<"conv_transpose.tiles", TiledConvolution, TileEngine> tiles(OpKind::conv_transpose);
  static const auto all = kernel_list(tiles, kept<"conv_transpose.reference", conv_transpose_reference>());
  return all;
}

KernelList conv_reduced_kernels() noexcept {
  static const KernelsOfSets<"conv.bf16", TiledConvolution, ReducedTileEngine> tiles(OpKind::convolution);
  static const auto all = kernel_list(tiles, kept<"conv.bf16.reference", conv_reduced_reference>());
  return all;
}

KernelList conv_transpose_reduced_kernels() noexcept {
  static const KernelsOfSets<"conv_transpose.bf16", TiledConvolution, ReducedTileEngine> tiles(OpKind::conv_transpose);
  static const auto all = kernel_list(tiles, kept<"conv_transpose.bf16.reference", conv_transpose_reduced_reference>());
  return all;
}

}  // namespace anydim
