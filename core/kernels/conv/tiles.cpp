// SPDX-License-Identifier: Apache-2.0
// Convolution and transposed convolution on the tile engine (gemm/tile_engine.h): output positions with one set of
// valid taps form rectangles, each a matrix product whose rows are read in place. No im2col, no padded copy, no
// indirection buffer; any strides of source and destination are read and written directly (channels last is what is
// fast).
//
// The same code serves both operators: a transposed convolution is, per residue of the output position modulo the
// stride, a convolution with a subset of the kernel positions (geometry.h).
#include <algorithm>

#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/geometry.h"
#include "core/kernels/conv/k_list.h"
#include "core/kernels/conv/lines.h"
#include "core/kernels/conv/patches.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/gemm/tile_engine.h"
#include "core/kernels/gemm/work_split.h"
#include "core/kernels/pack_pieces.h"

namespace anydim {

namespace {

struct ConvPlan {
  ConvGeometry geometry;
  WorkSplit split;
  bool small_patch = false;
  int64_t row_bytes = 0;  // that a further position brings in: neighbours share taps
  int64_t panels_at = 0;  // offsets into scratch, in bytes
  int64_t workers_at = 0;
  int64_t worker_bytes = 0;
};

int64_t round64(int64_t n) { return (n + 63) & ~INT64_C(63); }

// Floats of one group's panels.
int64_t group_panels(const TileEngine& e, int64_t k, int64_t columns) { return e.packed_columns(columns) * k; }

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

// Where weights and bias come from, and what all tasks of a run share.
struct Execution {
  const TileEngine& engine;
  const ConvPlan& plan;
  const float* src;
  float* dst;
  SpatialStrides src_strides, dst_strides;
  const float* panels;
  const float* bias;
  const Epilogue& epilogue;
  EpilogueProgram program;
  const AxisRun* runs[3];
  int64_t run_count[3];
};

// How many of a task's panels all classes of positions use before the next ones. Where weights do not stay in L2 each class, and
// each block of its rows, would fetch them again; a few panels that stay make every class fetch the activation again instead.
int64_t panels_for_all_classes(const Execution& e, int64_t panels) {
  const ConvGeometry& g = e.plan.geometry;
  const WorkSplit& split = e.plan.split;
  if (!split.panels_outer) return panels;
  const int64_t panel_bytes = 2 * e.engine.vector * g.k() * 4, rows = g.positions() / split.row_tasks;
  const int64_t step = std::max<int64_t>(cpu().l2 / 4 * 3 / panel_bytes, kPanelsInParts);
  const int64_t blocks = e.run_count[0] * e.run_count[1] * e.run_count[2] + rows / std::max<int64_t>(split.row_block, 1);
  const int64_t activation = rows * e.plan.row_bytes * (ceil_div(panels, step) - 1);
  return panels * panel_bytes * (blocks - 1) > activation ? step : panels;
}

// Neighbouring runs along x that are worked on together: one run, whose positions share their taps; or several short ones, whose
// positions have taps of their own (TileJob::ragged).
struct Band {
  int64_t end;    // the run behind the last
  int64_t count;  // positions along x
  int64_t taps;   // of all of them
  bool ragged;
};
Band band_at(const Execution& e, int64_t lines, int64_t x) {
  const AxisRun* runs = e.runs[2];
  Band band{x + 1, runs[x].count, runs[x].count * runs[x].taps, false};
  // A tile in that only two of a dozen rows are used takes as long as a full one; three taps have not so many runs.
  constexpr int64_t kFewRows = 2, kManyRuns = 4, kLeastChannels = 8;
  const ConvGeometry& g = e.plan.geometry;
  if (g.transposed || g.in_channels < kLeastChannels || lines * runs[x].count > kFewRows) return band;
  while (band.end < e.run_count[2] && lines * runs[band.end].count <= kFewRows) {
    band.count += runs[band.end].count;
    band.taps += runs[band.end].count * runs[band.end].taps;
    ++band.end;
  }
  band.ragged = band.end - x >= kManyRuns;
  return band.ragged ? band : Band{x + 1, runs[x].count, runs[x].count * runs[x].taps, false};
}

// One task: of group `group`, the `row_part`th part of the work along positions and a range of panels.
void run_task(const Execution& e, int64_t group, int64_t row_part, int64_t column_part, KList list) {
  const ConvGeometry& g = e.plan.geometry;
  const WorkSplit& split = e.plan.split;
  const int64_t panels = e.engine.panels(g.out_channels);
  const SpatialStrides &ss = e.src_strides, &ds = e.dst_strides;
  TileJob job;
  job.dst_column_step = ds.c;
  job.k_step = ss.c;
  job.panels = e.panels + group * group_panels(e.engine, g.k(), g.out_channels);
  job.k = g.k();
  job.columns = g.out_channels;
  job.panel_begin = split.panel_begin(panels, column_part);
  job.panel_end = split.panel_begin(panels, column_part + 1);
  job.bias = e.bias ? e.bias + group * g.out_channels : nullptr;
  job.program = &e.program;
  job.tile_rows = split.tile_rows;
  job.row_block = split.row_block;
  job.panels_outer = split.panels_outer;
  job.k_part = split.k_part;
  const int64_t unit = split.tile_rows;

  const AxisRun* run[3];
  Band band;
  // Runs the rows [row_begin, row_end) of the class of positions `run`, or of a ragged band from there.
  auto run_class = [&](int64_t row_begin, int64_t row_end) {
    job.ragged = band.ragged;
    if (band.ragged) list_ragged_taps(g, ss, *run[0], *run[1], run[2]->out, band.count, &list);
    else list_taps(g, ss, *run[0], *run[1], *run[2], &list);
    job.segments = list.segments;
    job.segment_count = list.segment_count;
    job.elements = list.element_blocks > 0 ? list.elements : nullptr;
    job.element_blocks = list.element_blocks;
    std::copy_n(list.element_ends, kMostElementBlocks, job.element_ends);
    job.count[0] = g.batch;
    job.src = e.src + group * g.in_channels * ss.c;
    job.dst = e.dst + group * g.out_channels * ds.c;
    job.src_step[0] = ss.n;
    job.dst_step[0] = ds.n;
    for (int a = 0; a < 3; ++a) {
      job.count[a + 1] = a == 2 ? band.count : run[a]->count;
      job.src += (a == 2 && band.ragged ? run[a]->out * g.stride[a] : run[a]->in) * ss.s[a];
      job.src_step[a + 1] = run[a]->in_step * ss.s[a];
      job.dst += run[a]->out * ds.s[a];
      job.dst_step[a + 1] = run[a]->out_step * ds.s[a];
    }
    for (int o = 0; o < e.epilogue.operand_count; ++o) {
      const EpilogueOperand& operand = e.epilogue.operands[o];
      const SpatialStrides os = spatial_strides(operand.strides, g.spatial);
      job.operand[o] = operand.data + group * g.out_channels * os.c;
      job.operand_step[o][0] = os.n;
      for (int a = 0; a < 3; ++a) {
        job.operand[o] += run[a]->out * os.s[a];
        job.operand_step[o][a + 1] = run[a]->out_step * os.s[a];
      }
    }
    for (int64_t at = row_begin; at < row_end; at = job.row_end) {
      job.row_begin = at;
      job.row_end = band.ragged ? std::min(at / band.count * band.count + band.count, row_end) : row_end;
      e.engine.run(job);
    }
  };
  auto each_class = [&](auto&& f) {
    for (int64_t z = 0; z < e.run_count[0]; ++z)
      for (int64_t y = 0; y < e.run_count[1]; ++y)
        for (int64_t x = 0; x < e.run_count[2]; x = band.end) {
          run[0] = &e.runs[0][z];
          run[1] = &e.runs[1][y];
          run[2] = &e.runs[2][x];
          const int64_t lines = g.batch * run[0]->count * run[1]->count;
          band = band_at(e, lines, x);
          f(lines * band.count);
        }
  };

  if (g.patches()) {
    // Every class has a row per input position. A block of them makes its whole patch before the next, while the
    // output's lines, each shared by several phases, are in cache.
    const int64_t rows = g.in_positions(), end = part_begin(rows, split.row_tasks, row_part + 1);
    for (int64_t r = part_begin(rows, split.row_tasks, row_part); r < end; r += split.row_block)
      each_class([&](int64_t) { run_class(r, std::min(r + split.row_block, end)); });
    return;
  }
  // Work is measured in rows x taps; a part is a range of it, cut at multiples of a tile within a class.
  int64_t sum[3] = {};
  for (int a = 0; a < 3; ++a)
    for (int64_t i = 0; i < e.run_count[a]; ++i) sum[a] += e.runs[a][i].count * e.runs[a][i].taps;
  const int64_t total = g.batch * sum[0] * sum[1] * sum[2] + g.positions();
  const int64_t from = part_begin(total, split.row_tasks, row_part), to = part_begin(total, split.row_tasks, row_part + 1);
  const int64_t end = job.panel_end, step = panels_for_all_classes(e, end - job.panel_begin);
  for (; job.panel_begin < end; job.panel_begin = job.panel_end) {
    job.panel_end = std::min(job.panel_begin + step, end);
    int64_t done = 0;
    each_class([&](int64_t rows) {
      const int64_t work = rows / band.count * run[0]->taps * run[1]->taps * band.taps + rows, weight = work / rows;
      auto cut = [&](int64_t at) {
        const int64_t r = at <= done ? 0 : (at - done) / weight;
        return std::min(rows, (r + unit / 2) / unit * unit);
      };
      const int64_t first = row_part == 0 ? 0 : cut(from), last = row_part + 1 == split.row_tasks ? rows : cut(to);
      done += work;
      if (first < last) run_class(first, last);
    });
  }
}

// The pieces of constant operands.
enum { kPanels, kBias };

class TiledConvolution final : public HostKernel {
 public:
  TiledConvolution(OpKind op, const TileEngine& engine, const char* name, const char* format)
      : engine_(engine), name_(name), format_(format), key_{op, DType::f32, DType::f32, LayoutFamily::channels_last, engine.isa} {}

  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    for (const TensorType& t : p.in)
      if (t.dtype != DType::f32 && t.dtype != DType::none) return no("an input is not f32");
    return supports_post_ops(p);
  }

  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    if (!output && index != 0) return {};
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
    form.add("panels", DType::f32, saturating_mul(f.each, f.groups));
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
    if (pieces.size() <= kBias) return {};
    auto* const bias = reinterpret_cast<float*>(pieces[kBias]);
    for (int64_t i = 0; i < f.bias; ++i)
      bias[i] = read_unaligned(tensors[2].as<const float>() + i % f.out_channels * tensors[2].strides[0]);
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
    if (again && !g.transposed) return;  // how many runs a transposed one has depends on its output
    const Layout at = layout(g, args.weights == nullptr, threads);
    p.panels_at = at.panels_at;
    p.workers_at = at.workers_at;
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
    if (args.packs(2)) {
      packed_bias = args.weights->piece<float>(kBias);
    } else if (has_bias) {
      Strides strides = Strides::filled(args.out[0].rank(), 0);
      strides[1] = args.in[2].strides[0];
      epilogue.append_binary(BinaryFunction::add, false, args.in[2].as<const float>(), strides);
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

    Execution e{engine_,
                p,
                args.in[0].as<const float>(),
                args.out[0].as<float>(),
                spatial_strides(args.in[0].strides, g.spatial),
                spatial_strides(args.out[0].strides, g.spatial),
                nullptr,
                packed_bias,
                epilogue,
                {},
                {},
                {}};
    if (g.out_channels * g.groups == 1) e.dst_strides.c = 1;
    if (g.in_channels * g.groups == 1) e.src_strides.c = 1;
    e.program.count = epilogue.count;
    e.program.operand_count = epilogue.operand_count;
    e.program.steps = epilogue.steps;
    for (int o = 0; o < epilogue.operand_count; ++o) {
      OperandWalk& w = e.program.walks[o];
      const Strides& s = epilogue.operands[o].strides;
      w.column_step = s[1];
      for (int i = 0; i < s.rank; ++i) w.by_row |= i != 1 && s[i] != 0;
    }
    const int64_t each = group_panels(engine_, g.k(), g.out_channels);
    if (args.weights) {
      e.panels = args.weights->piece<float>(kPanels);
    } else {
      auto* to = reinterpret_cast<float*>(scratch + p.panels_at);
      args.parallel.run(g.groups, [&](int64_t i, int) { pack_weights(engine_, g, args.in[1], i, to + i * each); });
      e.panels = to;
    }
    auto* runs = reinterpret_cast<AxisRun*>(scratch);
    for (int a = 0; a < 3; ++a) {
      e.runs[a] = runs;
      e.run_count[a] = axis_runs(g, a, runs);
      runs += axis_run_bound(g, a);
    }
    const int64_t tasks = p.split.tasks();
    args.parallel.run(g.groups * tasks, [&](int64_t task, int worker) {
      std::byte* own = scratch + p.workers_at + worker * p.worker_bytes;
      KList list;
      list.elements = reinterpret_cast<KElement*>(own);
      list.segments = reinterpret_cast<KSegment*>(own + kMostElements * static_cast<int64_t>(sizeof(KElement)));
      const int64_t part = task % tasks;
      run_task(e, task / tasks, p.split.row_part(part), p.split.column_part(part), list);
    });
    return {};
  }

 private:
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
    f.each = f.small ? engine_.packed_columns(g.taps() * g.out_channels) * g.in_channels : group_panels(engine_, g.k(), g.out_channels);
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

  struct Layout {
    int64_t panels_at, workers_at, worker_bytes, total;
  };
  // Scratch: runs of the three axes, panels of weights that are an activation, a k list per worker.
  Layout layout(const ConvGeometry& g, bool pack, int threads) const noexcept {
    Layout l;
    l.panels_at = 0;
    for (int a = 0; a < 3; ++a) l.panels_at += axis_run_bound(g, a) * static_cast<int64_t>(sizeof(AxisRun));
    l.panels_at = round64(l.panels_at);
    l.workers_at = l.panels_at;
    if (pack) l.workers_at += round64(g.groups * group_panels(engine_, g.k(), g.out_channels) * 4);
    const int64_t segments = g.taps() + g.k() / kSumBlock + 2;
    l.worker_bytes = round64(segments * static_cast<int64_t>(sizeof(KSegment)) + kMostElements * static_cast<int64_t>(sizeof(KElement)));
    l.total = l.workers_at + l.worker_bytes * threads;
    return l;
  }

  const TileEngine& engine_;
  const char* name_;
  const char* format_;
  KernelKey key_;
};

}  // namespace

KernelList conv_kernels() noexcept {
#if defined(__x86_64__)
  static const TiledConvolution avx512(OpKind::convolution, tile_engine_avx512(), "conv.tiles.avx512", "conv.panels32");
  static const TiledConvolution avx2(OpKind::convolution, tile_engine_avx2(), "conv.tiles.avx2", "conv.panels16");
#endif
  static const TiledConvolution portable(OpKind::convolution, tile_engine_portable(), "conv.tiles.portable", "conv.panels16");
  static const HostKernel* const list[] = {
#if defined(__x86_64__)
    &conv_lines_avx512(),
    &conv_lines_avx2(),
    &avx512,
    &avx2,
#endif
    &portable,
    &conv_reference()
  };
  return list;
}

KernelList conv_transpose_kernels() noexcept {
#if defined(__x86_64__)
  static const TiledConvolution avx512(OpKind::conv_transpose, tile_engine_avx512(), "conv_transpose.tiles.avx512",
                                       "conv_transpose.panels32");
  static const TiledConvolution avx2(OpKind::conv_transpose, tile_engine_avx2(), "conv_transpose.tiles.avx2", "conv_transpose.panels16");
#endif
  static const TiledConvolution portable(OpKind::conv_transpose, tile_engine_portable(), "conv_transpose.tiles.portable",
                                         "conv_transpose.panels16");
  static const HostKernel* const list[] = {
#if defined(__x86_64__)
    &avx512,
    &avx2,
#endif
    &portable,
    &conv_transpose_reference()
  };
  return list;
}

}  // namespace anydim
