// SPDX-License-Identifier: Apache-2.0
// Convolution and transposed convolution on OpenCL devices: tiles over packed weights and a depthwise kernel for devices that are like
// CPUs, and one that takes anything.
#include <algorithm>

#include "core/base/checked.h"
#include "core/engines/opencl/kernels/conv_kernel.h"
#include "core/engines/opencl/kernels/kernels.h"
#include "core/engines/opencl/kernels/tiles.h"
#include "core/ops/operators/conv_transpose.h"

namespace anydim::opencl {

namespace {

using Of = DeviceArgument::Of;

// Positions in tiles of one set of taps, as source/windows.cl decodes them: how many.
int64_t tiles_of(const ConvGeometry& g, int64_t size) noexcept {
  int64_t inner[3];
  for (int i = 0; i < 3; ++i) {
    const int64_t first = std::min(g.out[i], ceil_div(g.pad[i], g.stride[i]));
    const int64_t room = g.in[i] - 1 + g.pad[i] - (g.kernel[i] - 1) * g.dilation[i];
    inner[i] = std::max<int64_t>(first, room < 0 ? 0 : std::min(g.out[i], room / g.stride[i] + 1)) - first;
  }
  int64_t n = 0;
  for (int outer = 0; outer < 8; ++outer) {
    int64_t positions = g.batch, classes = 1;
    for (int i = 0; i < 3; ++i) {
      const bool edge = (outer >> (2 - i) & 1) != 0;
      positions *= edge ? 1 : inner[i];
      classes *= edge ? g.out[i] - inner[i] : 1;
    }
    n += ceil_div(positions, size) * classes;
  }
  return n;
}

// Of an axis of a transposed convolution (axis_run_bound()).
constexpr int64_t kMostRuns = 64;

class ConvTiles final : public ConvKernel {
 public:
  ConvTiles(const char* name, OpKind op, const TileSet& tiles) noexcept : ConvKernel(name, op, DeviceKind::cpu), tiles_(tiles) {}
  DeviceNeeds needs() const noexcept override { return tile_needs(tiles_); }
  Support supports(const Problem& p) const noexcept override {
    if (const Support s = supports_all(p); !s) return s;
    if (!plain_weights(p)) return no("the weights are not constant, or empty");
    const ConvGeometry g = weights_geometry(p);
    for (int i = 0; g.transposed && i < 3; ++i)
      if (2 * g.kernel[i] + g.stride[i] + 1 > kMostRuns) return no("a kernel or stride is long");
    return yes();
  }
  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!plain_weights(p)) return form;
    const ConvGeometry g = weights_geometry(p);
    const TileShape& shape = tiles_.shape_for(g.out_channels);
    form.format = "opencl.tiles";
    form.operands.add(1);
    form.add("weights", DType::f32, g.groups * shape.blocks(g.out_channels) * g.k() * shape.columns());
    return form;
  }
  Status pack(const Problem& p, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const ConvGeometry g = weights_geometry(p);
    const TileShape& shape = tiles_.shape_for(g.out_channels);
    const TensorView& w = tensors[1];
    const SpatialStrides s = spatial_strides(w.strides, g.spatial);
    const int64_t blocks = shape.blocks(g.out_channels), block_size = g.k() * shape.columns();
    const int64_t group_step = s.n * (g.transposed ? g.in_channels : g.out_channels);
    packing.parallel.run(g.groups * blocks, [&](int64_t task, int) {
      const int64_t group = task / blocks, block = task % blocks;
      float* to = reinterpret_cast<float*>(pieces[0]) + task * block_size;
      for (int64_t d = 0; d < g.kernel[0]; ++d)
        for (int64_t h = 0; h < g.kernel[1]; ++h)
          for (int64_t x = 0; x < g.kernel[2]; ++x) {
            const float* from = w.as<const float>() + group * group_step + d * s.s[0] + h * s.s[1] + x * s.s[2];
            pack_columns(shape, from, g.in_channels, g.transposed ? s.n : s.c, g.out_channels, g.transposed ? s.c : s.n,
                         block * shape.columns(), to);
            to += g.in_channels * shape.columns();
          }
    });
    return {};
  }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, width(), 1, 1, kConvRows);
    if (key.form[0] != 0) text.define("HAS_BIAS");
    add_tiles(&text, tile_of_variant(tiles_, key.variant));
    const bool transposed = key.kernel.op == OpKind::conv_transpose;
    return text.add("windows")
        .add("positions")
        .add("finish")
        .add(transposed ? "conv_run" : "conv")
        .source({transposed ? "conv_run" : "conv"});
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = 0;
    set_choice(args, plan);
  }
  int plan_revision() const noexcept override { return kTileRevision; }
  int plan_choices(const Args& args, std::span<PlanChoice> out) const noexcept override {
    return tile_choices(tiles_, tiles_.number_for(geometry(args).out_channels), out);
  }
  CompileKey chosen(const CompileKey& reusable, const Plan& plan) const noexcept override {
    CompileKey key = reusable;
    key.variant = tile_variant(reusable.variant, tile_of(tiles_, reusable.variant, plan), tiles_.shapes[reusable.variant]);
    return key;
  }
  bool work(const Plan& plan, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (args.out[0].count() == 0) return false;
    const ConvGeometry g = geometry(args);
    const TileShape shape = tile_of(tiles_, tiles_.number_for(g.out_channels), plan);
    return g.transposed ? run(args, g, shape, index, out) : whole(args, g, shape, index, out);
  }

 protected:
  int variant(const Problem& p) const noexcept override { return tiles_.number_for(weights_geometry(p).out_channels); }

 private:
  static void tensors(Arguments& a, const Args& args, const ConvGeometry& g) noexcept {
    a.tensor(Of::out, 0);
    spatial(a, args.out[0], g.spatial);
    a.tensor(Of::in, 0);
    spatial(a, args.in[0], g.spatial);
    a.tensor(Of::piece, 0);
  }
  static bool whole(const Args& args, const ConvGeometry& g, const TileShape& shape, int index, DeviceWork* out) noexcept {
    const int64_t blocks = shape.blocks(g.out_channels);
    const int64_t many = tiles_of_item(ceil_div(g.positions(), shape.positions), blocks * g.groups, g.k());
    const int64_t tiles = tiles_of(g, shape.positions * many);
    const bool by_blocks = blocks_first(blocks, 4 * g.k() * blocks * shape.columns(), 4 * g.in_channels * g.positions());
    if (!Arguments::begin(out, index, {by_blocks ? blocks : tiles, by_blocks ? tiles : blocks, g.groups})) return false;
    Arguments a(out);
    tensors(a, args, g);
    a.number(g.batch);
    axes(a, g);
    a.number(g.in_channels).number(g.out_channels).number(g.k()).number(many).flag(by_blocks);
    bias_and_chain(a, args, g);
    return true;
  }
  // A launch for each combination of runs of the three axes.
  static bool run(const Args& args, const ConvGeometry& g, const TileShape& shape, int index, DeviceWork* out) noexcept {
    int64_t part = index;
    AxisRun runs[3];
    int64_t found[3];
    for (int64_t which = 0;; ++which) {
      int64_t rest = which;
      for (int i = 2; i >= 0; --i) {
        const int64_t n = nth_run(g, i, -1, nullptr);
        found[i] = rest % n;
        rest /= n;
      }
      if (rest > 0) return false;
      for (int i = 0; i < 3; ++i) nth_run(g, i, found[i], &runs[i]);
      const int64_t positions = g.batch * runs[0].count * runs[1].count * runs[2].count;
      const std::array<int64_t, 3> groups{ceil_div(positions, shape.positions), shape.blocks(g.out_channels), g.groups};
      if (const int64_t parts = Arguments::parts(groups); part >= parts) {
        part -= parts;
        continue;
      }
      if (!Arguments::begin(out, part, groups)) return false;
      Arguments a(out);
      tensors(a, args, g);
      a.number(g.batch);
      for (const AxisRun& r : runs)
        a.number(r.out)
            .number(r.out_step)
            .number(r.count)
            .number(r.in)
            .number(r.in_step)
            .number(r.k)
            .number(r.k_step)
            .number(r.taps)
            .number(r.tap_step);
      a.number(g.kernel[1]).number(g.kernel[2]).number(g.in_channels).number(g.out_channels).number(g.k());
      bias_and_chain(a, args, g);
      return true;
    }
  }
  // How many runs an axis has, and the one of that number.
  static int64_t nth_run(const ConvGeometry& g, int axis, int64_t which, AxisRun* out) noexcept;

  const TileSet& tiles_;
};

int64_t ConvTiles::nth_run(const ConvGeometry& g, int axis, int64_t which, AxisRun* out) noexcept {
  AxisRun runs[kMostRuns];
  const int64_t n = axis_runs(g, axis, runs);
  if (out != nullptr) *out = runs[which];
  return n;
}

// A transposed convolution whose windows tile the output: one product with a column for each tap and channel.
class ConvPatches final : public ConvKernel {
 public:
  ConvPatches(const char* name, const TileSet& tiles) noexcept : ConvKernel(name, OpKind::conv_transpose, DeviceKind::cpu), tiles_(tiles) {}
  DeviceNeeds needs() const noexcept override { return tile_needs(tiles_); }
  Support supports(const Problem& p) const noexcept override {
    if (const Support s = supports_all(p); !s) return s;
    if (!plain_weights(p)) return no("the weights are not constant, or empty");
    if (p.post_ops->operands() > 0) return no("the chain takes a tensor");
    const ConvTransposeAttributes& at = as<ConvTranspose>(*p.op)->get();
    const ConvGeometry g = weights_geometry(p);
    bool tiled = at.auto_pad == AutoPad::explicit_ && at.output_shape.empty();
    for (const int64_t n : at.pads_begin) tiled &= n == 0;
    for (const int64_t n : at.pads_end) tiled &= n == 0;
    for (const int64_t n : at.output_padding) tiled &= n == 0;
    for (int i = 0; i < 3; ++i) tiled &= g.kernel[i] == g.stride[i] && g.dilation[i] == 1;
    if (!tiled || g.groups != 1) return no("its windows do not tile the output, or it has groups");
    // A tap's sum begins at tap * channels of the operator's order, here at 0; both have to be cut at the same places.
    if (g.k() > kBlockOfSums && g.in_channels % kBlockOfSums != 0) return no("its sums are cut elsewhere");
    return yes();
  }
  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!plain_weights(p)) return form;
    const ConvGeometry g = weights_geometry(p);
    const TileShape& shape = tiles_.shape_for(columns(g));
    form.format = "opencl.patches";
    form.operands.add(1);
    form.add("weights", DType::f32, shape.blocks(columns(g)) * g.in_channels * shape.columns());
    return form;
  }
  Status pack(const Problem& p, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const ConvGeometry g = weights_geometry(p);
    const TileShape& shape = tiles_.shape_for(columns(g));
    const TensorView& w = tensors[1];
    const SpatialStrides s = spatial_strides(w.strides, g.spatial);
    packing.parallel.run(shape.blocks(columns(g)), [&](int64_t block, int) {
      float* to = reinterpret_cast<float*>(pieces[0]) + block * g.in_channels * shape.columns();
      const int64_t first = block * shape.columns(), count = std::min<int64_t>(shape.columns(), columns(g) - first);
      for (int64_t c = 0; c < count; ++c) {
        const int64_t tap = (first + c) / g.out_channels, channel = (first + c) % g.out_channels;
        const int64_t x = tap % g.kernel[2], h = tap / g.kernel[2] % g.kernel[1], d = tap / g.kernel[2] / g.kernel[1];
        const float* from = w.as<const float>() + channel * s.c + d * s.s[0] + h * s.s[1] + x * s.s[2];
        for (int64_t k = 0; k < g.in_channels; ++k) to[k * shape.columns() + c] = read_unaligned(from + k * s.n);
      }
    });
    return {};
  }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, width(), 1, 1, kConvRows);
    if (key.form[0] != 0) text.define("HAS_BIAS");
    add_tiles(&text, tile_of_variant(tiles_, key.variant));
    return text.add("windows").add("positions").add("conv_patches").source({"conv_patches"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (args.out[0].count() == 0) return false;
    const ConvGeometry g = geometry(args);
    const TileShape& shape = tiles_.shape_for(columns(g));
    const int64_t blocks = shape.blocks(columns(g));
    const int64_t many = tiles_of_item(ceil_div(g.in_positions(), shape.positions), blocks, g.in_channels);
    if (!Arguments::begin(out, index, {ceil_div(g.in_positions(), shape.positions * many), blocks, 1})) return false;
    Arguments a(out);
    a.tensor(Of::out, 0);
    spatial(a, args.out[0], g.spatial);
    a.tensor(Of::in, 0);
    spatial(a, args.in[0], g.spatial);
    a.tensor(Of::piece, 0).number(g.batch).numbers(g.in, 3).numbers(g.kernel, 3);
    a.number(g.in_channels).number(g.out_channels).number(many);
    bias_and_chain(a, args, g);
    return true;
  }

 protected:
  int variant(const Problem& p) const noexcept override { return tiles_.number_for(columns(weights_geometry(p))); }

 private:
  static int64_t columns(const ConvGeometry& g) noexcept { return g.taps() * g.out_channels; }
  const TileSet& tiles_;
};

class Depthwise final : public ConvKernel {
 public:
  using ConvKernel::ConvKernel;
  Support supports(const Problem& p) const noexcept override {
    if (const Support s = supports_all(p); !s) return s;
    if (!plain_weights(p)) return no("the weights are not constant, or empty");
    const ConvGeometry g = weights_geometry(p);
    return g.groups > 1 && g.in_channels == 1 && g.out_channels == 1 ? yes() : no("a group has several channels");
  }
  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!plain_weights(p)) return form;
    const ConvGeometry g = weights_geometry(p);
    form.format = "opencl.depthwise";
    form.operands.add(1);
    form.add("weights", DType::f32, g.taps() * round_up(g.groups, kCpuLanes));
    return form;
  }
  Status pack(const Problem& p, std::span<const TensorView> tensors, const Packing&, std::span<std::byte* const> pieces) const override {
    const ConvGeometry g = weights_geometry(p);
    const SpatialStrides s = spatial_strides(tensors[1].strides, g.spatial);
    auto* to = reinterpret_cast<float*>(pieces[0]);
    for (int64_t d = 0; d < g.kernel[0]; ++d)
      for (int64_t h = 0; h < g.kernel[1]; ++h)
        for (int64_t w = 0; w < g.kernel[2]; ++w, to += round_up(g.groups, kCpuLanes))
          for (int64_t c = 0; c < g.groups; ++c)
            to[c] = read_unaligned(tensors[1].as<const float>() + c * s.n + d * s.s[0] + h * s.s[1] + w * s.s[2]);
    return {};
  }
  int programs(const Problem& p, const DeviceTraits& device, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    ConvKernel::programs(p, device, out);
    out[0].variant = device.vector_floats >= kWideVector ? 0 : 1;
    const ConvGeometry g = weights_geometry(p);
    const bool many = g.taps() > kBlockOfSums;
    out[0].add_form(many ? 1 : 0);
    out[0].add_form(static_cast<uint8_t>(!many && (g.kernel[2] == 3 || g.kernel[2] == 5) ? g.kernel[2] : 0));
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, width(), 1, 1, kConvRows);
    if (key.form[0] != 0) text.define("HAS_BIAS");
    if (key.form[1] != 0) text.define("MANY_TAPS");
    if (key.form[2] != 0) text.define("WIDTH", key.form[2]);
    const int positions = key.variant == 0 ? kPositions : kNarrowPositions;
    return text.define("MOST", positions).add("windows").add("positions").add("depthwise").source({"depthwise"});
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = 0;
    set_choice(args, plan);
  }
  int plan_revision() const noexcept override { return 1; }
  int plan_choices(const Args&, std::span<PlanChoice> out) const noexcept override { return one_choice(out); }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (args.out[0].count() == 0) return false;
    const ConvGeometry g = geometry(args);
    const Cut cut = cut_of(g);
    const std::array<int64_t, 3> groups{g.batch * g.out[0] * g.out[1] * ceil_div(g.out[2], cut.columns),
                                        ceil_div(ceil_div(g.groups, kCpuLanes), cut.blocks), 1};
    if (!Arguments::begin(out, index, groups)) return false;
    Arguments a(out);
    a.tensor(Of::out, 0);
    spatial(a, args.out[0], g.spatial);
    a.tensor(Of::in, 0);
    spatial(a, args.in[0], g.spatial);
    a.tensor(Of::piece, 0).number(g.batch);
    axes(a, g);
    a.number(g.groups).number(cut.columns).number(cut.blocks);
    bias_and_chain(a, args, g);
    return true;
  }

 private:
  // Sums of a tile, which registers hold: 32 of 16 lanes; 16 of 8.
  static constexpr int kPositions = 8, kNarrowPositions = 4;
  // What a work-item has: positions of a row, and blocks of channels. A whole row, or parts that keep several cores busy and still take
  // longer than a work-item costs.
  struct Cut {
    int64_t columns, blocks;
  };
  static Cut cut_of(const ConvGeometry& g) noexcept {
    constexpr int64_t kBusy = 64, kLeast = 2048;  // multiply-adds of vectors
    const int64_t rows = g.batch * g.out[0] * g.out[1], blocks = ceil_div(g.groups, kCpuLanes);
    const int64_t all = g.taps() * blocks * g.positions();
    const int64_t wanted = std::clamp<int64_t>(all / kLeast, 1, kBusy);
    const int64_t of_row = std::min(ceil_div(wanted, std::max<int64_t>(rows, 1)), blocks * ceil_div(g.out[2], 2 * kPositions));
    const int64_t by_blocks = std::clamp<int64_t>(of_row, 1, blocks);
    const int64_t strips = ceil_div(std::max<int64_t>(of_row, 1), by_blocks);
    return {round_up(ceil_div(g.out[2], strips), kPositions), ceil_div(blocks, by_blocks)};
  }
};

class ConvDirect final : public ConvKernel {
 public:
  using ConvKernel::ConvKernel;
  Support supports(const Problem& p) const noexcept override { return supports_all(p); }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, width(), columns_of_group(), 1, kConvRows);
    if (key.form[0] != 0) text.define("HAS_BIAS");
    if (key.kernel.op == OpKind::conv_transpose) text.define("TRANSPOSED");
    return text.add("direct").source({"direct"});
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = 0;
    set_choice(args, plan);
  }
  int plan_revision() const noexcept override { return 1; }
  int plan_choices(const Args&, std::span<PlanChoice> out) const noexcept override { return one_choice(out); }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (args.out[0].count() == 0) return false;
    const ConvGeometry g = geometry(args);
    const int local = columns_of_group();
    const std::array<int64_t, 3> groups{ceil_div(g.out_channels, width() * local), g.positions(), g.groups};
    if (!Arguments::begin(out, index, groups, local)) return false;
    const SpatialStrides w = spatial_strides(args.in[1].strides, g.spatial);
    Arguments a(out);
    a.tensor(Of::out, 0);
    spatial(a, args.out[0], g.spatial);
    a.tensor(Of::in, 0);
    spatial(a, args.in[0], g.spatial);
    a.tensor(Of::in, 1).number(g.transposed ? w.c : w.n).number(g.transposed ? w.n : w.c).numbers(w.s, 3).number(g.batch);
    axes(a, g);
    a.number(g.in_channels).number(g.out_channels);
    bias_and_chain(a, args, g);
    return true;
  }
};

}  // namespace

DeviceKernelList conv_kernels() {
  static const Depthwise depthwise("depthwise.lanes.opencl", OpKind::convolution, DeviceKind::cpu);
  static const ConvTiles tiles("conv.tiles.opencl", OpKind::convolution, kWideTiles);
  static const ConvTiles narrow("conv.narrow_tiles.opencl", OpKind::convolution, kNarrowTiles);
  static const ConvPatches patches("conv_transpose.patches.opencl", kWideTiles);
  static const ConvPatches narrow_patches("conv_transpose.narrow_patches.opencl", kNarrowTiles);
  static const ConvTiles transposed_tiles("conv_transpose.tiles.opencl", OpKind::conv_transpose, kWideTiles);
  static const ConvTiles transposed_narrow("conv_transpose.narrow_tiles.opencl", OpKind::conv_transpose, kNarrowTiles);
  static const ConvDirect direct_cpu("conv.direct.opencl", OpKind::convolution, DeviceKind::cpu);
  static const ConvDirect direct_gpu("conv.items.opencl", OpKind::convolution, DeviceKind::gpu);
  static const ConvDirect transposed_cpu("conv_transpose.direct.opencl", OpKind::conv_transpose, DeviceKind::cpu);
  static const ConvDirect transposed_gpu("conv_transpose.items.opencl", OpKind::conv_transpose, DeviceKind::gpu);
  static const DeviceKernel* const all[] = {
      &depthwise,         &tiles,      &narrow,     &patches,        &narrow_patches, &transposed_tiles,
      &transposed_narrow, &direct_cpu, &direct_gpu, &transposed_cpu, &transposed_gpu};
  return all;
}

}  // namespace anydim::opencl
