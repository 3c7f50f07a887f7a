// SPDX-License-Identifier: Apache-2.0
// DeformColumns of f32 and f64 by channels: where a tap reads is found once for some positions, and the vector bodies (deform_lines.inl.h) read
// the channels there, which are neighbours in memory: those of an input that is not channels last are copied so.
#include <algorithm>
#include <cmath>

#include "core/kernels/copy/strided_copy.h"
#include "core/kernels/detect/deform_lines.h"
#include "core/kernels/detect/detect.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/deform_columns.h"

namespace anydim {

namespace {

// The plane that is read, of `x`, whose channels are neighbours.
struct DeformPlane {
  int64_t height, width, row, column;  // dims and strides
};

// The elements around y, x of a plane: at most four are inside.
template <class T> void find_corners(const DeformPlane& p, T y, T x, int64_t i, DeformLine<T>* line) noexcept {
  for (int k = 0; k < 4; ++k) {
    line->offset[k][i] = 0;
    line->weight[k][i] = T{0};
  }
  if (!(y > T{-1} && y < static_cast<T>(p.height) && x > T{-1} && x < static_cast<T>(p.width))) return;
  const T base_y = std::floor(y), base_x = std::floor(x), wy = y - base_y, wx = x - base_x;
  const auto row = static_cast<int64_t>(base_y), column = static_cast<int64_t>(base_x);
  const T weights[4] = {(T{1} - wy) * (T{1} - wx), (T{1} - wy) * wx, wy * (T{1} - wx), wy * wx};
  for (int k = 0; k < 4; ++k) {
    const int64_t r = row + k / 2, c = column + k % 2;
    if (r < 0 || r >= p.height || c < 0 || c >= p.width) continue;
    line->offset[k][i] = r * p.row + c * p.column;
    line->weight[k][i] = weights[k];
  }
}

bool is_turned(const TensorView& x) noexcept { return x.dims[1] != 1 && x.strides[1] != 1; }

class DeformChannels final : public PlainKernel {
 public:
  constexpr DeformChannels(const char* name, Isa isa, const DeformLines& lines, const CopyCore& copy) noexcept
      : PlainKernel(name, OpKind::deform_columns, isa), lines_(lines), copy_(&copy) {}

  Support supports(const Problem& p) const noexcept override {
    if (as<DeformColumns>(*p.op))
      for (const TensorType& t : p.in)
        if (t.dtype != DType::f32 && t.dtype != DType::f64 && t.dtype != DType::none) return no("an input is neither f32 nor f64");
    return PlainKernel::supports(p);
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = is_turned(args.in[0]) ? args.in[0].count() * bytes_of(args.in[0].dtype) : 0;
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    int64_t bytes = bytes_of(p.in[0].dtype);
    for (const int64_t d : in[0]) bytes = saturating_mul(bytes, d);
    return bytes;
  }

  Status run(const Plan&, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const DeformColumnsAttributes& at = as<DeformColumns>(*args.op)->get();
    TensorView x = args.in[0];
    if (is_turned(x)) turn(args, &x);
    const int64_t taps = at.window[0] * at.window[1], positions = args.in[1].dims[2] * args.in[1].dims[3];
    const int64_t pieces = ceil_div(positions, kDeformPositions);
    args.parallel.run(x.dims[0] * at.groups * taps * pieces, [&](int64_t task, int) {
      Place place;
      place.first = task % pieces * kDeformPositions, task /= pieces;
      place.count = std::min(kDeformPositions, positions - place.first);
      place.tap = task % taps, task /= taps;
      place.group = task % at.groups, place.n = task / at.groups;
      if (x.dtype == DType::f64) run_piece<double>(args, at, x, place);
      else run_piece<float>(args, at, x, place);
    });
    return {};
  }

 private:
  struct Place {
    int64_t n, group, tap, first, count;
  };
  // What is computed with; 16-bit floats come as f32.
  static int64_t bytes_of(DType t) noexcept { return t == DType::f64 ? 8 : 4; }

  void turn(const Args& args, TensorView* x) const noexcept {
    StridedCopy copy;
    copy.size = dtype_size(x->dtype);
    copy.from = static_cast<const std::byte*>(x->data);
    copy.to = static_cast<std::byte*>(args.scratch);
    const Strides from = x->strides;
    x->data = args.scratch;
    x->strides[1] = 1;
    x->strides[3] = x->dims[1];
    x->strides[2] = x->strides[3] * x->dims[3];
    x->strides[0] = x->strides[2] * x->dims[2];
    for (const int axis : {0, 2, 3, 1}) copy.axis(x->dims[axis], from[axis], x->strides[axis]);
    run_copy(copy, *copy_, args.parallel);
  }

  template <class T>
  void run_piece(const Args& args, const DeformColumnsAttributes& at, const TensorView& x, const Place& place) const noexcept {
    const TensorView &offset = args.in[1], &y = args.out[0];
    const bool masked = args.in.size() > 2 && args.in[2].dtype != DType::none;
    const int64_t taps = at.window[0] * at.window[1], columns = offset.dims[3], tap = place.group * taps + place.tap;
    const int64_t k[2] = {place.tap / at.window[1], place.tap % at.window[1]};
    const DeformPlane plane{x.dims[2], x.dims[3], x.strides[2], x.strides[3]};
    const auto read = [&](const TensorView& t, int64_t channel, int64_t row, int64_t column) {
      return t.as<const T>()[place.n * t.strides[0] + channel * t.strides[1] + row * t.strides[2] + column * t.strides[3]];
    };
    const auto position = [&](int axis, int64_t i) {
      return static_cast<T>(i * at.strides[axis] - at.pads_begin[axis] + k[axis] * at.dilations[axis]);
    };
    DeformLine<T> line;
    T factor[kDeformPositions];
    int64_t row = place.first / columns, column = place.first % columns;
    for (int64_t i = 0; i < place.count; ++i) {
      find_corners(plane, position(0, row) + read(offset, 2 * tap, row, column),
                   position(1, column) + read(offset, 2 * tap + 1, row, column), i, &line);
      if (masked) factor[i] = read(args.in[2], tap, row, column);
      if (++column == columns) column = 0, ++row;
    }
    line.channels = x.dims[1] / at.groups;
    line.count = place.count;
    line.x = x.as<const T>() + place.n * x.strides[0] + place.group * line.channels;
    line.factor = masked ? factor : nullptr;
    line.channel_step = taps * y.strides[1];
    line.position_step = y.strides[2];
    line.to =
        y.as<T>() + place.n * y.strides[0] + (place.group * line.channels * taps + place.tap) * y.strides[1] + place.first * y.strides[2];
    if constexpr (sizeof(T) == sizeof(double)) lines_.doubles(line);
    else lines_.floats(line);
  }

  const DeformLines& lines_;
  const CopyCore* copy_;
};

}  // namespace

KernelList deform_forms() noexcept {
  static const KernelsOfSets<"deform_columns.channels", DeformChannels, DeformLines, CopyCore> channels;
  static const auto all = kernel_list(channels, kept<"deform_columns.reference", kDeformColumns>());
  return all;
}

}  // namespace anydim
