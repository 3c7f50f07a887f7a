// SPDX-License-Identifier: Apache-2.0
// The reference of GridSample: docs/numerics.md section 6 as scalar code, for any strides.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/kernels/grid_sample/coordinates.h"
#include "core/kernels/grid_sample/grid_sample.h"
#include "core/kernels/simd/half.h"
#include "core/ops/operators/grid_sample.h"

namespace anydim {

namespace {

using Mode = GridSample::Mode;

// 16-bit floats are computed with in f32 and rounded once.
float element(const TensorView& t, int64_t offset) noexcept {
  if (t.dtype == DType::f16) return t.as<const StoredF16>()[offset];
  if (t.dtype == DType::bf16) return t.as<const StoredBF16>()[offset];
  return t.as<const float>()[offset];
}

struct Point {
  const TensorView* x;
  GridTaps taps[3];
  int count;
};

// The last axis is interpolated first. `outside`: an axis before reads a zero.
float value(const Point& p, int axis, int64_t offset, bool outside) noexcept {
  if (axis + 2 == p.x->dims.rank) return outside ? 0.f : element(*p.x, offset);
  const GridTaps& t = p.taps[axis];
  const int64_t stride = p.x->strides[axis + 2];
  const auto at = [&](int i) {
    return value(p, axis + 1, offset + std::max<int64_t>(t.position[i], 0) * stride, outside || t.position[i] < 0);
  };
  float y = t.weight[0] * at(0);
  for (int i = 1; i < p.count; ++i) y = std::fma(t.weight[i], at(i), y);
  return y;
}

void store(const Point& p, int64_t from, std::byte* to) noexcept {
  const float y = value(p, 0, from, false);
  if (p.x->dtype == DType::f16) *reinterpret_cast<StoredF16*>(to) = y;
  else if (p.x->dtype == DType::bf16) *reinterpret_cast<StoredBF16*>(to) = y;
  else std::memcpy(to, &y, sizeof(y));
}

// The bits of one element, or zero.
void copy(const Point& p, int64_t from, std::byte* to) noexcept {
  const auto size = static_cast<size_t>(dtype_size(p.x->dtype));
  for (int a = 0; a + 2 < p.x->dims.rank; ++a) {
    if (p.taps[a].position[0] < 0) return void(std::memset(to, 0, size));
    from += p.taps[a].position[0] * p.x->strides[a + 2];
  }
  std::memcpy(to, static_cast<const std::byte*>(p.x->data) + from * static_cast<int64_t>(size), size);
}

// All channels of one row of output positions (the last axis).
void run_row(const Args& args, int64_t row) noexcept {
  const GridSampleAttributes& at = static_cast<const GridSample*>(args.op)->get();
  const TensorView &x = args.in[0], &grid = args.in[1], &y = args.out[0];
  const int spatial = x.dims.rank - 2;
  int64_t index[kMaxRank] = {};  // of the row: the batch, then the spatial axes but the last
  for (int i = spatial; i-- > 0;) {
    const int64_t n = i == 0 ? y.dims[0] : y.dims[i + 1];
    index[i] = row % n;
    row /= n;
  }
  int64_t grid_at = 0, y_at = 0;
  for (int i = 0; i < spatial; ++i) {
    grid_at += index[i] * grid.strides[i];
    y_at += index[i] * y.strides[i == 0 ? 0 : i + 1];
  }
  Point p{&x, {}, taps_of(at.mode)};
  const int64_t size = dtype_size(y.dtype);
  for (int64_t w = 0; w < y.dims[spatial + 1]; ++w) {
    for (int a = 0; a < spatial; ++a) {  // the grid has the last axis first
      const float n = element(grid, grid_at + w * grid.strides[spatial] + (spatial - 1 - a) * grid.strides[spatial + 1]);
      p.taps[a] = taps_at(n, GridAxis(x.dims[a + 2], at.align_corners), at);
    }
    for (int64_t c = 0; c < y.dims[1]; ++c) {
      const int64_t from = index[0] * x.strides[0] + c * x.strides[1];
      std::byte* const to = static_cast<std::byte*>(y.data) + (y_at + w * y.strides[spatial + 1] + c * y.strides[1]) * size;
      at.mode == Mode::nearest ? copy(p, from, to) : store(p, from, to);
    }
  }
}

class Reference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "grid_sample.reference"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const DType x = p.in[0].dtype, grid = p.in[1].dtype;
    if (grid != DType::f32 && !dtype_is_half(grid)) return no("the grid is f64");
    if (static_cast<const GridSample*>(p.op)->get().mode != Mode::nearest && x != DType::f32 && !dtype_is_half(x))
      return no("linear and cubic interpolation take f32 and 16-bit floats");
    return p.post_ops->count > 0 ? no("grid_sample takes no post-ops") : yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView& y = args.out[0];
    if (y.count() == 0) return {};
    const int64_t rows = y.count() / (y.dims[1] * y.dims.back());
    args.parallel.run(rows, [&](int64_t row, int) { run_row(args, row); });
    return {};
  }

 private:
  KernelKey key_{OpKind::grid_sample, DType::none, DType::none};
};

const Reference kReference;

}  // namespace

constinit const HostKernel* const kGridSampleReference = &kReference;

}  // namespace anydim
