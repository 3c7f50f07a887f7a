// SPDX-License-Identifier: Apache-2.0
// Convolution on devices that are like GPUs: tiles for groups of work-items (groups.h), and a kernel for depthwise ones.
#include <cstdlib>

#include "core/base/checked.h"
#include "core/engines/opencl/kernels/conv_kernel.h"
#include "core/engines/opencl/kernels/groups.h"
#include "core/engines/opencl/kernels/kernels.h"

namespace anydim::opencl {

namespace {

using Of = DeviceArgument::Of;

// A place of the input that a window reaches, inside or not, is found with 32 bits: dims have at most 30 (devices.cpp).
bool places_fit(const ConvGeometry& g) noexcept {
  constexpr int64_t kMost = INT64_C(1) << 28;
  for (int i = 0; i < 3; ++i)
    if (saturating_mul(g.kernel[i], g.dilation[i]) > kMost || std::abs(g.pad[i]) > kMost || g.stride[i] > kMost) return false;
  return true;
}

// A product whose rows are positions of the output.
class ConvGroups final : public ConvKernel {
 public:
  ConvGroups(const char* name, const GroupSet& set) noexcept : ConvKernel(name, OpKind::convolution, DeviceKind::gpu), set_(set) {}
  DeviceNeeds needs() const noexcept override { return group_needs(set_); }
  Support supports(const Problem& p) const noexcept override {
    if (const Support s = supports_all(p); !s) return s;
    if (!plain_weights(p)) return no("the weights are not constant, or empty");
    const ConvGeometry g = weights_geometry(p);
    if (!places_fit(g)) return no("a window or padding is long");
    return g.in_channels == 1 && g.out_channels == 1 && g.groups > 1 ? no("a group has one channel") : yes();
  }
  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!plain_weights(p)) return form;
    const ConvGeometry g = weights_geometry(p);
    form.format = "opencl.groups";
    form.operands.add(1);
    form.add("weights", DType::f32, saturating_mul(g.groups, packed_right(g.k(), g.out_channels)));
    return form;
  }
  Status pack(const Problem& p, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const ConvGeometry g = weights_geometry(p);
    const TensorView& w = tensors[1];
    const SpatialStrides s = spatial_strides(w.strides, g.spatial);
    const int64_t blocks = ceil_div(g.out_channels, kPackedColumns);
    packing.parallel.run(g.groups * blocks, [&](int64_t task, int) {
      const int64_t group = task / blocks, block = task % blocks;
      auto* const to = reinterpret_cast<float*>(pieces[0]) + group * packed_right(g.k(), g.out_channels);
      int64_t tap = 0;
      for (int64_t d = 0; d < g.kernel[0]; ++d)
        for (int64_t h = 0; h < g.kernel[1]; ++h)
          for (int64_t x = 0; x < g.kernel[2]; ++x, ++tap) {
            const float* from = w.as<const float>() + group * s.n * g.out_channels + d * s.s[0] + h * s.s[1] + x * s.s[2];
            pack_right(from, g.in_channels, s.c, g.out_channels, s.n, block, tap * g.in_channels, g.k(), to);
          }
    });
    return {};
  }
  int programs(const Problem& p, const DeviceTraits& device, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    ConvKernel::programs(p, device, out);
    int tiles[kMostGroupTiles];
    const int count = group_tiles(set_, weights_geometry(p).out_channels, tiles);
    for (int i = count; i-- > 0;) {
      out[static_cast<size_t>(i)] = out[0];
      out[static_cast<size_t>(i)].variant = static_cast<uint8_t>(tiles[i]);
    }
    return count;
  }
  DeviceSource source(const CompileKey& key) const override {
    const GroupTile& tile = kGroupTiles[key.variant];
    ProgramText text(key, 1, tile.local_x(), tile.local_y(), kConvRows);
    if (key.form[0] != 0) text.define("HAS_BIAS");
    add_group_tile(&text, tile, true, true);
    return text.add("conv_groups").source_with_memory({"conv_groups"}, "GROUP_END");
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (args.out[0].count() == 0) return false;
    const ConvGeometry g = geometry(args);
    int tiles[kMostGroupTiles];
    const int count = group_tiles(set_, g.out_channels, tiles);
    const int which = best_tile({tiles, static_cast<size_t>(count)}, out->device, g.positions(), g.out_channels, g.groups);
    const GroupTile& tile = kGroupTiles[tiles[which]];
    out->program = which;
    if (!Arguments::begin(out, index, groups_of(tile, g.positions(), g.out_channels, g.groups), tile.local_x(), tile.local_y()))
      return false;
    Arguments a(out);
    a.tensor(Of::out, 0);
    spatial(a, args.out[0], g.spatial);
    a.tensor(Of::in, 0);
    spatial(a, args.in[0], g.spatial);
    a.tensor(Of::piece, 0).number(g.batch);
    axes(a, g);
    a.number(g.in_channels).number(g.out_channels).number(g.k());
    bias_and_chain(a, args, g);
    return true;
  }

 private:
  const GroupSet& set_;
};

// Neighbouring work-items have neighbouring channels.
class DepthwiseItems final : public ConvKernel {
 public:
  using ConvKernel::ConvKernel;
  Support supports(const Problem& p) const noexcept override {
    if (const Support s = supports_all(p); !s) return s;
    if (!plain_weights(p)) return no("the weights are not constant, or empty");
    const ConvGeometry g = weights_geometry(p);
    if (!places_fit(g)) return no("a window or padding is long");
    return g.groups > 1 && g.in_channels == 1 && g.out_channels == 1 ? yes() : no("a group has several channels");
  }
  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!plain_weights(p)) return form;
    const ConvGeometry g = weights_geometry(p);
    form.format = "opencl.depthwise_items";
    form.operands.add(1);
    form.add("weights", DType::f32, g.taps() * g.groups);
    return form;
  }
  Status pack(const Problem& p, std::span<const TensorView> tensors, const Packing&, std::span<std::byte* const> pieces) const override {
    const ConvGeometry g = weights_geometry(p);
    const SpatialStrides s = spatial_strides(tensors[1].strides, g.spatial);
    auto* to = reinterpret_cast<float*>(pieces[0]);
    for (int64_t d = 0; d < g.kernel[0]; ++d)
      for (int64_t h = 0; h < g.kernel[1]; ++h)
        for (int64_t w = 0; w < g.kernel[2]; ++w)
          for (int64_t c = 0; c < g.groups; ++c)
            *to++ = read_unaligned(tensors[1].as<const float>() + c * s.n + d * s.s[0] + h * s.s[1] + w * s.s[2]);
    return {};
  }
  int programs(const Problem& p, const DeviceTraits& device, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    ConvKernel::programs(p, device, out);
    const ConvGeometry g = weights_geometry(p);
    const bool many = g.taps() > kBlockOfSums;
    out[0].add_form(many ? 1 : 0);
    out[0].add_form(static_cast<uint8_t>(!many && (g.kernel[2] == 3 || g.kernel[2] == 5) ? g.kernel[2] : 0));
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, 1, kChannels, kStrips, kConvRows);
    if (key.form[0] != 0) text.define("HAS_BIAS");
    if (key.form[1] != 0) text.define("MANY_TAPS");
    if (key.form[2] != 0) text.define("WIDTH", key.form[2]);
    return text.define("STRIP", kStrip).add("depthwise_items").source({"depthwise_items"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (args.out[0].count() == 0) return false;
    const ConvGeometry g = geometry(args);
    const int64_t strips = ceil_div(g.out[2], kStrip), rows = g.batch * g.out[0] * g.out[1];
    if (!Arguments::begin(out, index, {ceil_div(g.groups, kChannels), ceil_div(rows * strips, kStrips), 1}, kChannels, kStrips))
      return false;
    Arguments a(out);
    a.tensor(Of::out, 0);
    spatial(a, args.out[0], g.spatial);
    a.tensor(Of::in, 0);
    spatial(a, args.in[0], g.spatial);
    a.tensor(Of::piece, 0).number(g.batch);
    axes(a, g);
    a.number(g.groups).number(strips);
    bias_and_chain(a, args, g);
    return true;
  }

 private:
  // Channels and strips of a group; positions of a strip.
  static constexpr int kChannels = 32, kStrips = 4, kStrip = 4;
};

}  // namespace

DeviceKernelList conv_group_kernels() {
  static const DepthwiseItems depthwise("depthwise.items.opencl", OpKind::convolution, DeviceKind::gpu);
  static const ConvGroups groups("conv.groups.opencl", kLargeGroups), small_groups("conv.small_groups.opencl", kSmallGroups);
  static const DeviceKernel* const all[] = {&depthwise, &groups, &small_groups};
  return all;
}

}  // namespace anydim::opencl
