// SPDX-License-Identifier: Apache-2.0
// The vector kernels of GridSample: which problems they take, and the blocks of points that go to threads. points.inl.h has the rest.
#include "core/kernels/grid_sample/points.h"

#include <algorithm>
#include <vector>

#include "core/kernels/grid_sample/grid_sample.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/grid_sample.h"

namespace anydim {

namespace {

using Mode = GridSample::Mode;
using Padding = GridSample::Padding;

constexpr int64_t kLargestAxis = int64_t{1} << 23;     // positions are exact in binary32
constexpr int64_t kFarthest = (int64_t{1} << 31) - 1;  // offset of an element
constexpr int64_t kParallelElements = 2000;

// Axes of the output's positions from the last one outwards, joined where those of the grid and the output follow each other in memory:
// lines of points at equal steps.
struct Lines {
  int64_t count = 1, length = 1;
  int outer = 0;  // axes that are not joined
  int64_t dims[GridPointsJob::kMostAxes] = {}, grid[GridPointsJob::kMostAxes] = {}, y[GridPointsJob::kMostAxes] = {};
  int64_t grid_step = 0, y_step = 0;

  Lines(const TensorView& g, const TensorView& out, int axes) noexcept {
    length = out.dims[axes + 1];
    grid_step = g.strides[axes];
    y_step = out.strides[axes + 1];
    int a = axes - 2;  // of the output's positions
    for (; a >= 0 && g.strides[a + 1] == grid_step * length && out.strides[a + 2] == y_step * length; --a) length *= out.dims[a + 2];
    for (; a >= 0; --a, ++outer) {
      dims[outer] = out.dims[a + 2];
      grid[outer] = g.strides[a + 1];
      y[outer] = out.strides[a + 2];
      count *= dims[outer];
    }
  }
};

class PointsKernel final : public HostKernel {
 public:
  constexpr PointsKernel(const char* name, Isa isa, GridPoints::Function* points, GridTapsOf::Function* taps) noexcept
      : name_(name), key_{.op = OpKind::grid_sample, .src = DType::none, .dst = DType::none, .isa = isa}, points_(points), taps_(taps) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const GridSampleAttributes& at = static_cast<const GridSample*>(p.op)->get();
    if (p.in[1].dtype != DType::f32) return no("the grid is not f32");
    if (at.mode == Mode::cubic) return no("cubic");
    if (at.padding == Padding::reflection) return no("what lies outside is mirrored");
    if (at.mode == Mode::linear ? p.in[0].dtype != DType::f32 : dtype_size(p.in[0].dtype) != 4) return no("elements are not f32");
    return p.post_ops->count > 0 ? no("grid_sample takes no post-ops") : yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    const GridSampleAttributes& at = static_cast<const GridSample*>(args.op)->get();
    const TensorView &x = args.in[0], &grid = args.in[1], &y = args.out[0];
    if (y.count() == 0) return {};
    GridPointsJob whole;
    whole.axes = x.dims.rank - 2;
    int64_t farthest = 0;
    bool fits = true;
    for (int a = 0; a < whole.axes; ++a) {
      fits = fits && x.dims[a + 2] < kLargestAxis && x.strides[a + 2] <= kFarthest;
      farthest += std::max<int64_t>(x.dims[a + 2] - 1, 0) * x.strides[a + 2];
      whole.size[a] = static_cast<int32_t>(x.dims[a + 2]);
      whole.stride[a] = static_cast<int32_t>(x.strides[a + 2]);
    }
    fits = fits && grid.strides[whole.axes] < kLargestAxis;
    if (!fits || farthest > kFarthest || x.count() == 0) {
      run_grid_taps(args, taps_);
      return {};
    }
    whole.nearest = at.mode == Mode::nearest;
    whole.align_corners = at.align_corners;
    whole.border = at.padding == Padding::border;
    whole.channels = y.dims[1];
    whole.x_channel = x.strides[1];
    whole.y_channel = y.strides[1];
    whole.grid_axis = grid.strides[whole.axes + 1];
    const Lines lines(grid, y, whole.axes);
    whole.grid_point = lines.grid_step;
    whole.y_point = lines.y_step;
    constexpr int64_t kBlock = GridPointsJob::kBlock;
    const int64_t blocks = (lines.length + kBlock - 1) / kBlock;
    const auto task = [&](int64_t t, int) {
      GridPointsJob j = whole;
      const int64_t first = t % blocks * kBlock;
      int64_t line = t / blocks, grid_at = first * lines.grid_step, y_at = first * lines.y_step;
      for (int a = 0; a < lines.outer; ++a) {
        grid_at += line % lines.dims[a] * lines.grid[a];
        y_at += line % lines.dims[a] * lines.y[a];
        line /= lines.dims[a];
      }
      j.x = x.as<const float>() + line * x.strides[0];
      j.grid = grid.as<const float>() + line * grid.strides[0] + grid_at;
      j.y = y.as<float>() + line * y.strides[0] + y_at;
      points_(j, static_cast<int>(std::min(kBlock, lines.length - first)));
    };
    args.parallel.with(y.count() < kParallelElements ? 1 : args.parallel.threads()).run(y.dims[0] * lines.count * blocks, task);
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  GridPoints::Function* points_;
  GridTapsOf::Function* taps_;  // of axes and strides beyond 32 bits, and of an empty x
};

}  // namespace

KernelList grid_sample_kernels() noexcept {
  static const KernelsOfSets<"grid_sample.points", PointsKernel, GridPoints, GridTapsOf> points;
  static const auto& all = *new std::vector<const HostKernel*>([] {  // never destroyed, as kernels are not
    const auto first = kernel_list(points);
    std::vector<const HostKernel*> list(first.begin(), first.end());
    for (const HostKernel* k : grid_taps_list()) list.push_back(k);
    if constexpr (subset::keeps_kernel("grid_sample.reference")) list.push_back(kGridSampleReference);
    return list;
  }());
  return all;
}

}  // namespace anydim
