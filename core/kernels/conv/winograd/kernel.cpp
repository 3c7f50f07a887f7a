// SPDX-License-Identifier: Apache-2.0
// Convolutions of 3x3 in Winograd's form, math mode fast: inputs of some tiles are transformed, the sums of products over channels are
// jobs of the tile engine, one for each of the (tile + 2)^2 elements, and a second transform makes outputs of them. Planes for which the
// form does not pay are handed to the kernel of mode strict, whose packed weights lie before the transformed ones.
#include <algorithm>
#include <cstring>

#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/geometry.h"
#include "core/kernels/conv/winograd/steps.h"
#include "core/kernels/conv/winograd/weights.h"
#include "core/kernels/conv/winograd/winograd.h"
#include "core/kernels/epilogue/epilogue.h"
#include "core/kernels/sets.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/tiles/work_split.h"

namespace anydim {

namespace {

int64_t round16(int64_t n) { return (n + 15) & ~INT64_C(15); }
// An odd number of cache lines: planes whose distance is a large power of 2 crowd into a few sets of the caches.
int64_t odd_lines(int64_t floats) { return ((floats + 15) / 16 | 1) * 16; }

// Transformed inputs of so many floats stay in L2 beside weights and sums; fewer tiles than these leave rows of the engine's tiles empty.
constexpr int64_t kTransformedFloats = 64 << 10, kLeastTiles = 28, kMostTiles = 128;
// Weights beyond L2 are read again for each block of tiles: then a block is larger.
constexpr int64_t kFarWeights = 1 << 20, kTilesOfFarWeights = 64;
constexpr int64_t kSumFloats = 64 << 10;
// In multiply-adds of vectors; a task of less is not worth another thread.
constexpr int64_t kLeastWork = 1 << 12;

struct WinogradPlan {
  ConvGeometry geometry;
  int64_t tiles_y, tiles_x, tiles;                                 // of an image; of all
  int64_t block;                                                   // tiles at a time
  int64_t chunk;                                                   // panels at a time
  int64_t tasks;                                                   // of tiles, or of panels
  bool by_panels;                                                  // all inputs are transformed before, and tasks are panels
  int64_t zeros_at, shared_at, workers_at, worker_bytes, sums_at;  // offsets into scratch, in bytes
};
// Behind what either kernel leaves in a plan: the tile, 0 for mode strict.
constexpr size_t kTileAt = sizeof(Plan::bytes) - sizeof(int32_t);
static_assert(sizeof(WinogradPlan) <= kTileAt);
int32_t tile_of(const Plan& plan) noexcept {
  int32_t tile;
  std::memcpy(&tile, plan.bytes + kTileAt, sizeof tile);
  return tile;
}
void set_tile(Plan* plan, int32_t tile) noexcept { std::memcpy(plan->bytes + kTileAt, &tile, sizeof tile); }

class WinogradConvolution final : public HostKernel {
 public:
  WinogradConvolution(const char* name, Isa isa, const WinogradSteps& steps, const TileEngine& engine)
      : steps_(steps),
        engine_(engine),
        strict_(strict_kernel(isa)),
        name_(name),
        format_(engine.vector == 16 ? "conv.winograd_panels32" : "conv.winograd_panels16"),
        key_{OpKind::convolution, DType::f32, DType::f32, LayoutFamily::channels_last, isa, MathMode::fast} {}

  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override { return fast_serves_conv(p); }
  Perm preferred_order(const Problem& p, bool output, int index) const noexcept override {
    return strict_.preferred_order(p, output, index);
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form = strict_.packed_form(p);
    if (form.format == nullptr) return form;
    form.format = format_;
    form.add("winograd", DType::f32, panels_of(*p.op, numbers(p.in[1].dims)).count());
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    pack_winograd_weights(panels_of(*problem.op, tensors[1].dims), tensors[1], packing.parallel, reinterpret_cast<float*>(pieces.back()));
    return strict_.pack(problem, tensors, packing, pieces.first(pieces.size() - 1));
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    const Dims& out = args.out[0].dims;
    const int64_t groups = as<Convolution>(*args.op)->get().group;
    const int tile = winograd_tile(args.in[1].dims[1], args.in[1].dims[0] / groups);
    if (!winograd_serves_plane(tile, out[2], out[3])) {
      plan->kept = plan->kept && tile_of(*plan) == 0;
      strict_.plan(args, plan);
      set_tile(plan, 0);
      return;
    }
    plan->kept = false;
    plan->inner_scratch = 0;
    set_tile(plan, tile);
    WinogradPlan& p = plan->as<WinogradPlan>();
    p.geometry = conv_geometry(*args.op, args.in[0].dims, args.in[1].dims, out);
    const ConvGeometry& g = p.geometry;
    p.tiles_y = ceil_div(g.out[1], tile);
    p.tiles_x = ceil_div(g.out[2], tile);
    p.tiles = g.batch * p.tiles_y * p.tiles_x;
    split(tile, args.parallel.threads(), &p);
    place(tile, args.parallel.threads(), &p);
    plan->scratch = p.workers_at + p.worker_bytes * args.parallel.threads();
  }

  int plan_revision() const noexcept override { return strict_.plan_revision(); }
  int plan_choices(const Args& args, std::span<PlanChoice> out) const noexcept override {
    Plan now;
    plan(args, &now);
    return tile_of(now) == 0 ? strict_.plan_choices(args, out) : 0;
  }

  int64_t scratch_bound(const Problem& problem, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    const int64_t strict = strict_.scratch_bound(problem, in, out, threads);
    const ConvGeometry g = conv_geometry(*problem.op, in[0], in[1], out[0]);
    const int tile = winograd_tile(g.in_channels, g.out_channels);
    const int64_t tiles = saturating_mul(g.batch, saturating_mul(ceil_div(g.out[1], tile), ceil_div(g.out[2], tile)));
    const int64_t block = std::min(most_tiles(tile, g), tiles);
    const int64_t worker = saturating_add(transformed_bytes(tile, g, block), sum_bytes(tile, g, block));
    return std::max(strict, saturating_add(common_bytes(g), saturating_mul(worker, threads)));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    const int tile = tile_of(plan);
    if (tile == 0) return strict_.run(plan, args);
    if (args.out[0].count() == 0) return {};
    const WinogradPlan& p = plan.as<WinogradPlan>();
    const ConvGeometry& g = p.geometry;
    auto* const scratch = static_cast<std::byte*>(args.scratch);
    auto* const segments = reinterpret_cast<KSegment*>(scratch);
    int32_t segment_count = 0;
    for (int64_t k = 0; k < g.in_channels; k += kSumBlock)
      segments[segment_count++] = {
          .src = k, .k = k, .count = static_cast<int32_t>(std::min(kSumBlock, g.in_channels - k)), .ends_block = 1};
    auto* const zeros = reinterpret_cast<float*>(scratch + p.zeros_at);
    std::fill_n(zeros, g.in_channels, 0.f);

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

    const float* const panels = args.weights->piece<float>(0);
    const WinogradPanels transformed = panels_of(*args.op, args.in[1].dims);
    const float* const winograd = args.weights->piece<float>(args.weights->form.count - 1);
    const EpilogueProgram none;
    const Execution e{p, tile, segments, segment_count, none, scratch};
    const auto group_job = [&](int64_t group) {
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
      job.zeros = zeros;
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
      job.panels = panels + group * engine_.panel_floats(g.out_channels, g.k());
      job.granule = engine_.granule;
      return job;
    };
    const int64_t panel_count = engine_.panels(g.out_channels);
    const auto sums_of = [&](int worker) { return reinterpret_cast<float*>(scratch + p.workers_at + worker * p.worker_bytes + p.sums_at); };
    if (p.by_panels) {
      const WinogradJob job = group_job(0);
      const WinogradPlanes inputs = planes(reinterpret_cast<float*>(scratch + p.shared_at), p.block, round16(g.in_channels));
      constexpr int64_t kTilesOfTask = 4;
      args.parallel.run(ceil_div(p.tiles, kTilesOfTask), [&](int64_t task, int) {
        WinogradPlanes to = inputs;
        const int64_t first = task * kTilesOfTask;
        to.data += first * to.row;
        steps_.transform(job, tile, first, std::min(kTilesOfTask, p.tiles - first), to);
      });
      args.parallel.run(p.tasks, [&](int64_t task, int worker) {
        run_panels(e, job, winograd, inputs, 0, p.tiles, part_begin(panel_count, p.tasks, task), part_begin(panel_count, p.tasks, task + 1),
                   sums_of(worker));
      });
      return {};
    }
    args.parallel.run(g.groups * p.tasks, [&](int64_t task, int worker) {
      const int64_t group = task / p.tasks, part = task % p.tasks;
      const WinogradJob job = group_job(group);
      auto* const own = reinterpret_cast<float*>(scratch + p.workers_at + worker * p.worker_bytes);
      const WinogradPlanes inputs = planes(own, p.block, round16(g.in_channels));
      const int64_t end = part_begin(p.tiles, p.tasks, part + 1);
      for (int64_t first = part_begin(p.tiles, p.tasks, part); first < end; first += p.block) {
        const int64_t count = std::min(p.block, end - first);
        steps_.transform(job, tile, first, count, inputs);
        run_panels(e, job, winograd + group * transformed.group(), inputs, first, count, 0, panel_count, sums_of(worker));
      }
    });
    return {};
  }

 private:
  struct Execution {
    const WinogradPlan& plan;
    int tile;
    const KSegment* segments;
    int32_t segment_count;
    const EpilogueProgram& none;  // an empty chain
    std::byte* scratch;
  };

  static const HostKernel& strict_kernel(Isa isa) noexcept {
    for (const HostKernel* k : conv_kernels())
      if (k->key().isa == isa) return *k;
    return conv_reference();
  }

  WinogradPanels panels_of(const Operator& op, const Dims& weights) const noexcept {
    WinogradPanels p;
    p.groups = as<Convolution>(op)->get().group;
    p.channels = weights[1];
    p.outputs = weights[0] / p.groups;
    p.tile = winograd_tile(p.channels, p.outputs);
    p.panel = 2 * engine_.vector;
    p.packed_outputs = engine_.packed_columns(p.outputs);
    return p;
  }

  static WinogradPlanes planes(float* data, int64_t rows, int64_t row) noexcept { return {data, odd_lines(rows * row), row}; }

  // The products of tiles [first, first + count), whose transformed inputs are there, with some panels; and what becomes of them.
  void run_panels(const Execution& e, const WinogradJob& job, const float* winograd, const WinogradPlanes& inputs, int64_t first,
                  int64_t count, int64_t panel_begin, int64_t panel_end, float* sums) const noexcept {
    const ConvGeometry& g = e.plan.geometry;
    const int64_t width = 2 * engine_.vector, elements = (e.tile + 2) * (e.tile + 2);
    const int64_t plane = winograd_plane(engine_.packed_columns(g.out_channels), g.in_channels);
    const WinogradPlanes to = planes(sums, e.plan.block, e.plan.chunk * width);
    TileJob products;
    products.count[kRowAxes - 1] = count;
    products.src_step[kRowAxes - 1] = inputs.row;
    products.dst_step[kRowAxes - 1] = to.row;
    products.row_end = count;
    products.segments = e.segments;
    products.segment_count = e.segment_count;
    products.k = g.in_channels;
    products.program = &e.none;
    for (int64_t panel = panel_begin; panel < panel_end; panel += e.plan.chunk) {
      const int64_t column = panel * width, end = std::min(panel + e.plan.chunk, panel_end);
      const int64_t columns = std::min(end * width, g.out_channels) - column;
      products.columns = columns;
      products.panel_end = end - panel;
      products.tile_rows = engine_.rows_for(count, columns, inputs.row * 4, g.in_channels, cpu().l2);
      // Each panel meets all rows where the panels are larger than L1; else each tile meets all panels.
      products.panels_outer = columns * g.in_channels * 4 > cpu().l1d / 2;
      products.row_block = 240;
      for (int64_t i = 0; i < elements; ++i) {
        products.src = inputs.data + i * inputs.plane;
        products.dst = to.data + i * to.plane;
        products.panels = winograd + i * plane + column * g.in_channels;
        engine_.run(products);
      }
      steps_.finish(job, e.tile, first, count, column, columns, to);
    }
  }

  // Tiles at a time at most.
  static int64_t most_tiles(int tile, const ConvGeometry& g) noexcept {
    const int64_t elements = (tile + 2) * (tile + 2), row = saturating_mul(elements, round16(g.in_channels));
    const int64_t fit = std::clamp(kTransformedFloats / row, kLeastTiles, kMostTiles);
    const bool far = saturating_mul(saturating_mul(elements, g.in_channels), g.out_channels) * 4 > kFarWeights;
    return far ? std::max(fit, kTilesOfFarWeights) : fit;
  }
  int64_t panels_at_once(int tile, const ConvGeometry& g, int64_t block) const noexcept {
    const int64_t panel = (tile + 2) * (tile + 2) * block * 2 * engine_.vector, panels = engine_.panels(g.out_channels);
    const int64_t most = std::clamp<int64_t>(kSumFloats / panel, 1, panels);
    return ceil_div(panels, ceil_div(panels, most));
  }

  void split(int tile, int threads, WinogradPlan* p) const noexcept {
    const ConvGeometry& g = p->geometry;
    const int64_t most = most_tiles(tile, g), elements = (tile + 2) * (tile + 2), panels = engine_.panels(g.out_channels);
    const int64_t work =
        saturating_mul(saturating_mul(p->tiles, elements), saturating_mul(g.in_channels, ceil_div(g.out_channels, engine_.vector)));
    const int64_t wanted = std::clamp<int64_t>(work / kLeastWork, 1, threads);
    const int64_t weights = saturating_mul(saturating_mul(elements, g.in_channels), g.out_channels) * 4;
    p->by_panels = wanted > 1 && g.groups == 1 && p->tiles <= most && panels >= wanted && (weights > kFarWeights || p->tiles < 14 * wanted);
    int64_t blocks = ceil_div(p->tiles, most);
    if (p->by_panels) {
      p->block = p->tiles;
      p->tasks = std::min(panels, wanted * 2);
      p->chunk = std::min(panels_at_once(tile, g, p->block), ceil_div(panels, p->tasks));
      return;
    }
    // Several blocks a thread even out what else runs on the cores.
    const int64_t threads_of_group = ceil_div(wanted, g.groups);
    if (threads_of_group > 1) blocks = std::min(round_up(blocks, threads_of_group), p->tiles);
    p->tasks = std::max<int64_t>(threads_of_group > 1 || g.groups > 1 ? blocks : 1, 1);
    p->block = ceil_div(p->tiles, std::max<int64_t>(blocks, 1));
    p->chunk = panels_at_once(tile, g, p->block);
  }

  static int64_t transformed_bytes(int tile, const ConvGeometry& g, int64_t block) noexcept {
    return saturating_mul((tile + 2) * (tile + 2) * 4, odd_lines(saturating_mul(block, round16(g.in_channels))));
  }
  int64_t sum_bytes(int tile, const ConvGeometry& g, int64_t block) const noexcept {
    const int64_t elements = (tile + 2) * (tile + 2), width = 2 * engine_.vector;
    // As many panels as fit, or one, or all that there are.
    const int64_t some = std::max(kSumFloats, elements * block * width) + elements * 32;
    return std::min(some, saturating_mul(elements, odd_lines(block * engine_.panels(g.out_channels) * width))) * 4;
  }
  static int64_t common_bytes(const ConvGeometry& g) noexcept {
    return round16(ceil_div(g.in_channels, kSumBlock) * static_cast<int64_t>(sizeof(KSegment)) / 4) * 4 + 64 + round16(g.in_channels) * 4;
  }
  void place(int tile, int threads, WinogradPlan* p) const noexcept {
    const ConvGeometry& g = p->geometry;
    p->zeros_at = common_bytes(g) - round16(g.in_channels) * 4;
    p->shared_at = common_bytes(g);
    const int64_t transformed = transformed_bytes(tile, g, p->block);
    p->workers_at = p->shared_at + (p->by_panels ? transformed : 0);
    p->sums_at = p->by_panels ? 0 : transformed;
    p->worker_bytes = p->sums_at + sum_bytes(tile, g, p->block);
    static_cast<void>(threads);
  }

  const WinogradSteps& steps_;
  const TileEngine& engine_;
  const HostKernel& strict_;
  const char* name_;
  const char* format_;
  KernelKey key_;
};

}  // namespace

KernelList conv_fast_kernels() noexcept {
  static const KernelsOfSets<"conv.winograd", WinogradConvolution, WinogradSteps, TileEngine> kernels;
  static const auto all = kernel_list(kernels, &conv_fast_reference());
  return all;
}

}  // namespace anydim
