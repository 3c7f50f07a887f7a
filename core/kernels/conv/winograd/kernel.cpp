// SPDX-License-Identifier: Apache-2.0
// Convolutions of 3x3 in Winograd's form, math mode fast: inputs of some tiles and weights are transformed, the sums of products over
// channels are jobs of the tile engine, one for each of a tile's 36 elements, and a third transform makes outputs of them. Planes for
// which the form does not pay are handed to the kernel of mode strict.
//
// Weights are packed as that kernel packs them, once for both. They are transformed in each run: 36 numbers for 9 would be read from
// beyond the caches where layers are deep, which takes longer than making them there. Those of small layers are transformed once in a run,
// of others once for each block of tiles: some rows of a tile's elements, of some outputs and channels, which stay in L2, at a time.
#include <algorithm>
#include <cstring>

#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/geometry.h"
#include "core/kernels/conv/winograd/steps.h"
#include "core/kernels/conv/winograd/winograd.h"
#include "core/kernels/epilogue/epilogue.h"
#include "core/kernels/sets.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/tiles/work_split.h"

namespace anydim {

namespace {

constexpr int64_t kFloat = sizeof(float);
int64_t round16(int64_t n) { return (n + 15) & ~INT64_C(15); }
// An odd number of cache lines: planes whose distance is a large power of 2 crowd into a few sets of the caches.
int64_t odd_lines(int64_t floats) { return ((floats + 15) / 16 | 1) * 16; }

// Transformed weights of so many floats are kept over a run.
constexpr int64_t kKeptFloats = 256 << 10;
// Then transformed inputs of so many stay in L2 beside them; fewer tiles leave rows of the engine's tiles empty.
constexpr int64_t kNearFloats = 64 << 10, kLeastTiles = 28, kMostTiles = 128;
// Else a block is larger, so that its weights' transform is a small part of its work.
constexpr int64_t kFarFloats = 1 << 20, kFarTiles = 64;
constexpr int64_t kSumFloats = 64 << 10;
// In multiply-adds of vectors; a task of less is not worth another thread.
constexpr int64_t kLeastWork = 1 << 12;

struct WinogradPlan {
  ConvGeometry geometry;
  int64_t tiles_y, tiles_x, tiles;  // of an image; of all
  int64_t block;                    // tiles at a time
  int64_t tasks;                    // parts of the tiles, or of the outputs
  int64_t panels;                   // at a time
  bool by_outputs;                  // a block's inputs are transformed for all, and tasks are parts of the outputs
  // Offsets into scratch, in bytes; the last three into a worker's.
  int64_t zeros_at, kept_at, shared_at, workers_at, worker_bytes, weights_at, sums_at, partial_at;
};
// Behind what either kernel leaves in a plan: whose it is.
constexpr size_t kStrictAt = sizeof(Plan::bytes) - 1;
static_assert(sizeof(WinogradPlan) <= kStrictAt);
bool is_strict(const Plan& plan) noexcept { return plan.bytes[kStrictAt] != std::byte{0}; }
void set_strict(Plan* plan, bool strict) noexcept { plan->bytes[kStrictAt] = std::byte{strict}; }

// What follows from the channels and the outputs: how much is done at a time.
struct Sizes {
  int64_t vector_channels;     // in whole cache lines
  int64_t channels;            // at a time, a block of a sum
  int64_t most_tiles, panels;  // at a time
  int64_t weight_plane, slot;  // floats of an element's transformed weights, of all elements' at a time
  int64_t passing;             // of those of a group of rows
  int64_t parts, chunks;       // of all panels, of all channels
  bool kept;

  Sizes(const TileEngine& engine, const ConvGeometry& g, int threads) noexcept {
    vector_channels = round16(g.in_channels);
    channels = std::min(g.in_channels, kSumBlock);
    chunks = ceil_div(g.in_channels, kSumBlock);
    const int64_t all = engine.panels(g.out_channels), width = 2 * engine.vector;
    kept = saturating_mul(saturating_mul(kWinogradElements, g.in_channels),
                          saturating_mul(engine.packed_columns(g.out_channels), g.groups)) <= kKeptFloats;
    const int64_t row = saturating_mul(kWinogradElements, vector_channels);
    most_tiles = kept ? std::clamp(kNearFloats / row, kLeastTiles, kMostTiles) : std::clamp(kFarFloats / row, kLeastTiles, kFarTiles);
    const int64_t together = kMostRowsOfGroup * kWinogradSide;
    const int64_t by_weights = cpu().l2 * 5 / 8 / kFloat / ((together + 9) * channels * width),
                  by_sums = kSumFloats / (kWinogradElements * most_tiles * width);
    panels = std::clamp<int64_t>(std::min(by_weights, by_sums), 1, std::max<int64_t>(kept ? all : all / threads, 1));
    parts = ceil_div(all, panels);
    panels = ceil_div(all, parts);
    weight_plane = odd_lines(panels * width * channels);
    slot = kWinogradElements * weight_plane;
    passing = together * weight_plane;
  }
};

class WinogradConvolution final : public HostKernel {
 public:
  WinogradConvolution(const char* name, Isa isa, const WinogradSteps& steps, const TileEngine& engine)
      : steps_(steps), engine_(engine), strict_(strict_kernel(isa)), name_(name), key_{OpKind::convolution,
                                                                                       DType::f32,
                                                                                       DType::f32,
                                                                                       LayoutFamily::channels_last,
                                                                                       isa,
                                                                                       MathMode::fast} {}

  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override { return fast_serves_conv(p); }
  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    return strict_.preferred_order(p, output, index);
  }
  PackedForm packed_form(const Problem& p) const noexcept override { return strict_.packed_form(p); }
  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    return strict_.pack(problem, tensors, packing, pieces);
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    const Dims& out = args.out[0].dims;
    if (!winograd_serves_plane(out[2], out[3])) {
      plan->kept = plan->kept && is_strict(*plan);
      strict_.plan(args, plan);
      set_strict(plan, true);
      return;
    }
    plan->kept = false;
    set_strict(plan, false);
    WinogradPlan& p = plan->as<WinogradPlan>();
    p.geometry = conv_geometry(*args.op, args.in[0].dims, args.in[1].dims, out);
    const ConvGeometry& g = p.geometry;
    p.tiles_y = ceil_div(g.out[1], kWinogradTile);
    p.tiles_x = ceil_div(g.out[2], kWinogradTile);
    p.tiles = g.batch * p.tiles_y * p.tiles_x;
    const int threads = args.parallel.threads();
    const Sizes sizes(engine_, g, threads);
    split(sizes, threads, &p);
    const Layout at = layout(sizes, g, p.block);
    p.panels = sizes.panels;
    p.zeros_at = 0;
    p.kept_at = at.zeros;
    p.shared_at = p.kept_at + at.kept;
    p.workers_at = p.shared_at + (p.by_outputs ? at.inputs : 0);
    p.weights_at = p.by_outputs ? 0 : at.inputs;
    p.sums_at = p.weights_at + at.weights;
    p.partial_at = p.sums_at + at.sums;
    p.worker_bytes = p.partial_at + at.partial;
    plan->scratch = p.workers_at + p.worker_bytes * threads;
  }

  int plan_revision() const noexcept override { return strict_.plan_revision(); }
  int plan_choices(const Args& args, std::span<PlanChoice> out) const noexcept override {
    const Dims& dims = args.out[0].dims;
    return winograd_serves_plane(dims[2], dims[3]) ? 0 : strict_.plan_choices(args, out);
  }

  int64_t scratch_bound(const Problem& problem, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    const ConvGeometry g = conv_geometry(*problem.op, in[0], in[1], out[0]);
    const Sizes sizes(engine_, g, threads);
    const int64_t tiles = saturating_mul(g.batch, saturating_mul(ceil_div(g.out[1], kWinogradTile), ceil_div(g.out[2], kWinogradTile)));
    const Layout at = layout(sizes, g, std::min(sizes.most_tiles, tiles));
    const int64_t worker = saturating_add(saturating_add(at.inputs, at.weights), saturating_add(at.sums, at.partial));
    // Planes within these dims may be strict's.
    return std::max(strict_.scratch_bound(problem, in, out, threads),
                    saturating_add(saturating_add(at.zeros, at.kept), saturating_mul(worker, threads)));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    if (is_strict(plan)) return strict_.run(plan, args);
    if (args.out[0].count() == 0) return {};
    const WinogradPlan& p = plan.as<WinogradPlan>();
    const ConvGeometry& g = p.geometry;
    const Sizes sizes(engine_, g, args.parallel.threads());
    auto* const scratch = static_cast<std::byte*>(args.scratch);
    std::fill_n(reinterpret_cast<float*>(scratch + p.zeros_at), g.in_channels, 0.f);

    Epilogue epilogue;
    const bool has_bias = args.in.size() > 2 && args.in[2].dtype != DType::none;
    const float* const bias = args.packs(2) ? args.weights->piece<float>(1) : nullptr;
    if (has_bias && bias == nullptr) {
      Strides strides = Strides::filled(args.out[0].rank(), 0);
      strides[1] = args.in[2].strides[0];
      epilogue.append_binary(BinaryFunction::add, false, args.in[2].as<const float>(), strides);
    }
    epilogue.append(*args.post_ops, args.post_in, args.out[0].dims);
    EpilogueProgram program;
    program.count = epilogue.count;
    program.operand_count = epilogue.operand_count;
    program.steps = epilogue.steps;
    for (int o = 0; o < epilogue.operand_count; ++o) {
      const Strides& s = epilogue.operands[o].strides;
      program.walks[o].column_step = s[1];
      program.walks[o].by_row = s[0] != 0 || s[2] != 0 || s[3] != 0;
    }
    const auto group_job = [&](int64_t group) { return job_of(p, args, epilogue, program, bias, group); };
    auto* const kept = sizes.kept ? reinterpret_cast<float*>(scratch + p.kept_at) : nullptr;
    const int64_t slots = sizes.parts * sizes.chunks;
    if (kept != nullptr)
      args.parallel.run(g.groups * slots, [&](int64_t task, int) {
        const WinogradJob job = group_job(task / slots);
        for (int rows = 0; rows < kWinogradGroups; ++rows)
          make_weights(sizes, job, rows, task % slots / sizes.chunks, task % sizes.chunks,
                       kept + task * sizes.slot + kFirstOfGroup[rows] * kWinogradSide * sizes.weight_plane);
      });
    const Execution e{p, sizes, scratch};
    if (p.by_outputs) {
      const WinogradJob job = group_job(0);
      const WinogradPlanes inputs = planes(reinterpret_cast<float*>(scratch + p.shared_at), p.block, sizes.vector_channels);
      for (int64_t begin = 0; begin < p.tiles; begin += p.block) {
        const int64_t count = std::min(p.block, p.tiles - begin);
        constexpr int64_t kTilesOfTask = 4;
        args.parallel.run(ceil_div(count, kTilesOfTask), [&](int64_t task, int) {
          WinogradPlanes to = inputs;
          const int64_t first = task * kTilesOfTask;
          to.data += first * to.row;
          steps_.transform(job, begin + first, std::min(kTilesOfTask, count - first), to);
        });
        args.parallel.run(sizes.parts, [&](int64_t part, int worker) { run_part(e, job, inputs, begin, count, part, nullptr, worker); });
      }
      return {};
    }
    args.parallel.run(g.groups * p.tasks, [&](int64_t task, int worker) {
      const int64_t group = task / p.tasks, number = task % p.tasks;
      const WinogradJob job = group_job(group);
      auto* const own = reinterpret_cast<float*>(scratch + p.workers_at + worker * p.worker_bytes);
      const WinogradPlanes inputs = planes(own, p.block, sizes.vector_channels);
      const int64_t end = part_begin(p.tiles, p.tasks, number + 1);
      for (int64_t first = part_begin(p.tiles, p.tasks, number); first < end; first += p.block) {
        const int64_t count = std::min(p.block, end - first);
        steps_.transform(job, first, count, inputs);
        for (int64_t part = 0; part < sizes.parts; ++part)
          run_part(e, job, inputs, first, count, part, kept != nullptr ? kept + group * slots * sizes.slot : nullptr, worker);
      }
    });
    return {};
  }

 private:
  // What all tasks of a run share.
  struct Execution {
    const WinogradPlan& plan;
    const Sizes& sizes;
    std::byte* scratch;
  };
  struct Layout {
    int64_t zeros, kept, inputs, weights, sums, partial;  // bytes
  };

  static const HostKernel& strict_kernel(Isa isa) noexcept {
    for (const HostKernel* k : conv_kernels())
      if (k->key().isa == isa) return *k;
    return conv_reference();
  }

  static WinogradPlanes planes(float* data, int64_t rows, int64_t row) noexcept { return {data, odd_lines(rows * row), row}; }

  WinogradJob job_of(const WinogradPlan& p, const Args& args, const Epilogue& epilogue, const EpilogueProgram& program, const float* bias,
                     int64_t group) const noexcept {
    const ConvGeometry& g = p.geometry;
    WinogradJob job;
    job.tiles_y = p.tiles_y;
    job.tiles_x = p.tiles_x;
    job.in_y = g.in[1];
    job.in_x = g.in[2];
    job.out_y = g.out[1];
    job.out_x = g.out[2];
    job.pad_y = g.pad[1];
    job.pad_x = g.pad[2];
    job.channels = g.in_channels;
    job.outputs = g.out_channels;
    const Strides &from = args.in[0].strides, &to = args.out[0].strides;
    job.src = args.in[0].as<const float>() + group * g.in_channels * from[1];
    job.src_n = from[0];
    job.src_c = from[1];
    job.src_y = from[2];
    job.src_x = from[3];
    job.zeros = reinterpret_cast<const float*>(static_cast<const std::byte*>(args.scratch) + p.zeros_at);
    job.dst = args.out[0].as<float>() + group * g.out_channels * to[1];
    job.dst_n = to[0];
    job.dst_c = to[1];
    job.dst_y = to[2];
    job.dst_x = to[3];
    job.bias = bias != nullptr ? bias + group * g.out_channels : nullptr;
    job.program = &program;
    for (int o = 0; o < epilogue.operand_count; ++o) {
      const Strides& s = epilogue.operands[o].strides;
      job.operand[o] = epilogue.operands[o].data + group * g.out_channels * s[1];
      for (int a = 0; a < 4; ++a) job.operand_step[o][a] = s[a];
    }
    job.panels = args.weights->piece<float>(0) + group * engine_.panel_floats(g.out_channels, g.k());
    job.granule = engine_.granule;
    return job;
  }

  // Of a group of rows, the outputs of a part and the channels of a chunk.
  void make_weights(const Sizes& sizes, const WinogradJob& job, int rows, int64_t part, int64_t chunk, float* to) const noexcept {
    const int64_t step = sizes.panels * 2 * engine_.vector, column = part * step, channel = chunk * kSumBlock;
    steps_.transform_weights(job, rows, column, std::min(step, job.outputs - column), channel, std::min(kSumBlock, job.channels - channel),
                             to, sizes.weight_plane);
  }

  // The products of tiles [first, first + count), whose transformed inputs are there, with the weights of a part of the outputs; and what
  // becomes of them. `kept`: where the transformed weights of all parts lie, or null.
  void run_part(const Execution& e, const WinogradJob& job, const WinogradPlanes& inputs, int64_t first, int64_t count, int64_t part,
                const float* kept, int worker) const noexcept {
    const Sizes& sizes = e.sizes;
    std::byte* const own = e.scratch + e.plan.workers_at + worker * e.plan.worker_bytes;
    auto* const partial = reinterpret_cast<float*>(own + e.plan.partial_at);
    const int64_t step = sizes.panels * 2 * engine_.vector, column = part * step, columns = std::min(step, job.outputs - column);
    const WinogradPlanes to = planes(reinterpret_cast<float*>(own + e.plan.sums_at), e.plan.block, step);
    const EpilogueProgram none;
    TileJob products;
    products.count[kRowAxes - 1] = count;
    products.src_step[kRowAxes - 1] = inputs.row;
    products.dst_step[kRowAxes - 1] = to.row;
    products.row_end = count;
    products.program = &none;
    products.columns = columns;
    products.panel_end = engine_.panels(columns);
    for (int64_t chunk = 0; chunk < sizes.chunks; ++chunk) {
      const int64_t channel = chunk * kSumBlock, channels = std::min(kSumBlock, job.channels - channel);
      const KSegment segment{.src = 0, .k = 0, .count = static_cast<int32_t>(channels), .ends_block = 1};
      products.segments = &segment;
      products.segment_count = 1;
      products.k = channels;
      products.tile_rows = engine_.rows_for(count, columns, inputs.row * kFloat, channels, cpu().l2);
      // Each panel meets all rows where the panels are larger than L1; else each tile meets all panels.
      products.panels_outer = columns * channels * kFloat > cpu().l1d / 2;
      products.row_block = 240;
      for (int rows = 0; rows < kWinogradGroups; ++rows) {
        const int64_t begin = kFirstOfGroup[rows] * kWinogradSide, end = kFirstOfGroup[rows + 1] * kWinogradSide;
        auto* const made = reinterpret_cast<float*>(own + e.plan.weights_at);
        if (kept == nullptr) make_weights(sizes, job, rows, part, chunk, made);
        const float* const weights =
            kept != nullptr ? kept + (part * sizes.chunks + chunk) * sizes.slot + begin * sizes.weight_plane : made;
        for (int64_t i = begin; i < end; ++i) {
          products.src = inputs.data + i * inputs.plane + channel;
          products.dst = chunk == 0 ? to.data + i * to.plane : partial;
          products.panels = weights + (i - begin) * sizes.weight_plane;
          engine_.run(products);
          if (chunk > 0) steps_.add(partial, to.data + i * to.plane, to.row, count, round_up(columns, engine_.vector));
        }
      }
    }
    steps_.finish(job, first, count, column, columns, to);
  }

  void split(const Sizes& sizes, int threads, WinogradPlan* p) const noexcept {
    const ConvGeometry& g = p->geometry;
    const int64_t vectors = ceil_div(g.out_channels, engine_.vector);
    const int64_t work = saturating_mul(saturating_mul(p->tiles, kWinogradElements), saturating_mul(g.in_channels, vectors));
    const int64_t wanted = std::clamp<int64_t>(work / kLeastWork, 1, threads);
    int64_t blocks = std::max<int64_t>(ceil_div(p->tiles, sizes.most_tiles), 1);
    p->by_outputs = !sizes.kept && g.groups == 1 && (wanted == 1 || sizes.parts >= wanted);
    p->tasks = 1;
    if (!p->by_outputs) {
      // Several blocks a thread even out what else runs on the cores.
      const int64_t of_group = ceil_div(wanted, g.groups);
      if (of_group > 1) blocks = std::max<int64_t>(std::min(round_up(blocks, of_group), p->tiles), 1);
      p->tasks = wanted > 1 ? blocks : 1;
    }
    p->block = ceil_div(p->tiles, blocks);
  }

  Layout layout(const Sizes& sizes, const ConvGeometry& g, int64_t block) const noexcept {
    const int64_t columns = sizes.panels * 2 * engine_.vector;
    Layout at;
    at.zeros = sizes.vector_channels * kFloat;
    at.kept = sizes.kept ? saturating_mul(saturating_mul(g.groups * sizes.parts, sizes.chunks), sizes.slot * kFloat) : 0;
    at.inputs = saturating_mul(kWinogradElements * kFloat, odd_lines(saturating_mul(block, sizes.vector_channels)));
    at.weights = sizes.kept ? 0 : sizes.passing * kFloat;
    at.sums = kWinogradElements * odd_lines(block * columns) * kFloat;
    at.partial = sizes.chunks > 1 ? block * columns * kFloat : 0;
    return at;
  }

  const WinogradSteps& steps_;
  const TileEngine& engine_;
  const HostKernel& strict_;
  const char* name_;
  KernelKey key_;
};

}  // namespace

KernelList conv_fast_kernels() noexcept {
  static const KernelsOfSets<"conv.winograd", WinogradConvolution, WinogradSteps, TileEngine> kernels;
  static const auto all = kernel_list(kernels, kept<"conv.winograd.reference", conv_fast_reference>());
  return all;
}

}  // namespace anydim
