// SPDX-License-Identifier: Apache-2.0
// GridSample of f32 with any padding, linear and cubic: where some points read is found once for all channels, then a set's code reads and
// interpolates them (taps.inl.h). Slower than points.cpp where that takes the problem.
#include <algorithm>

#include "core/kernels/grid_sample/coordinates.h"
#include "core/kernels/grid_sample/grid_sample.h"
#include "core/kernels/grid_sample/taps.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

using Mode = GridSample::Mode;
constexpr int64_t kParallelElements = 2000;

constexpr int64_t kPoints = GridTapsJob::kPoints;

// Points of a row of positions, from column `first` on.
void run_piece(const Args& args, GridTapsOf::Function* points, int64_t row, int64_t first) noexcept {
  const GridSampleAttributes& at = static_cast<const GridSample*>(args.op)->get();
  const TensorView &x = args.in[0], &grid = args.in[1], &y = args.out[0];
  const int spatial = x.dims.rank - 2, taps = taps_of(at.mode);
  int64_t grid_at = 0, y_at = 0, x_at = 0;
  for (int i = spatial; i-- > 0;) {  // the batch, then the spatial axes but the last
    const int axis = i == 0 ? 0 : i + 1;
    const int64_t index = row % y.dims[axis];
    row /= y.dims[axis];
    grid_at += index * grid.strides[i];
    y_at += index * y.strides[axis];
    if (i == 0) x_at = index * x.strides[0];
  }
  GridTapsJob j;
  j.points = static_cast<int>(std::min(kPoints, y.dims[spatial + 1] - first));
  j.taps = taps;
  j.axes = spatial;
  j.x = x.as<const float>() + x_at;
  j.y = y.as<float>() + y_at + first * y.strides[spatial + 1];
  j.channels = y.dims[1];
  j.x_channel = x.strides[1];
  j.y_channel = y.strides[1];
  j.y_point = y.strides[spatial + 1];
  for (int l = 0; l < kPoints; ++l) {
    // Those that are none repeat the first.
    const int64_t from = grid_at + (first + (l < j.points ? l : 0)) * grid.strides[spatial];
    GridTaps of[3];
    for (int a = 0; a < spatial; ++a) {  // the grid has the last axis first
      const float n = grid.as<const float>()[from + (spatial - 1 - a) * grid.strides[spatial + 1]];
      of[a] = taps_at(n, GridAxis(x.dims[a + 2], at.align_corners), at);
      for (int t = 0; t < taps; ++t) j.weight[a][t][l] = of[a].weight[t];
    }
    int reads = 1;
    j.offset[0][l] = 0;
    for (int a = 0; a < spatial; ++a, reads *= taps)
      for (int r = reads - 1; r >= 0; --r) {
        const int64_t before = j.offset[r][l];
        for (int t = taps - 1; t >= 0; --t) {
          const int64_t position = of[a].position[t];
          const bool outside = before == GridTapsJob::kOutside || position < 0;
          j.offset[r * taps + t][l] = outside ? GridTapsJob::kOutside : before + position * x.strides[a + 2];
        }
      }
  }
  points(j);
}

class TapsKernel final : public HostKernel {
 public:
  constexpr TapsKernel(const char* name, Isa isa, GridTapsOf::Function* points) noexcept
      : name_(name), key_{.op = OpKind::grid_sample, .src = DType::none, .dst = DType::none, .isa = isa}, points_(points) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const GridSampleAttributes& at = static_cast<const GridSample*>(p.op)->get();
    if (p.in[1].dtype != DType::f32 || p.in[0].dtype != DType::f32) return no("an input is not f32");
    if (at.mode == Mode::nearest) return no("nearest copies bits");
    if (p.in[0].dims.rank > 5) return no("x has more than 3 spatial axes");
    return p.post_ops->count > 0 ? no("grid_sample takes no post-ops") : yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    run_grid_taps(args, points_);
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  GridTapsOf::Function* points_;
};

}  // namespace

void run_grid_taps(const Args& args, GridTapsOf::Function* points) noexcept {
  const TensorView& y = args.out[0];
  if (y.count() == 0) return;
  const int64_t columns = y.dims.back(), pieces = ceil_div(columns, kPoints), rows = y.count() / (y.dims[1] * columns);
  args.parallel.with(y.count() < kParallelElements ? 1 : args.parallel.threads()).run(rows * pieces, [&](int64_t task, int) {
    run_piece(args, points, task / pieces, task % pieces * kPoints);
  });
}

KernelList grid_taps_list() noexcept {
  static const KernelsOfSets<"grid_sample.taps", TapsKernel, GridTapsOf> taps;
  static const auto all = kernel_list(taps);
  return all;
}

}  // namespace anydim
