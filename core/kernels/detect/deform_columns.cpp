// SPDX-License-Identifier: Apache-2.0
// The reference of DeformColumns, for all floats: where a tap reads, and with which weights, is found once for a line of positions and used for all channels of
// its group. docs/numerics.md, section 10.
#include <algorithm>
#include <cmath>

#include "core/kernels/detect/detect.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/simd/half.h"
#include "core/ops/operators/deform_columns.h"

namespace anydim {

namespace {

constexpr int64_t kLine = 128;  // positions whose weights are kept at a time

template <class C> struct Corner {
  int64_t offset;  // in the plane
  C weight;        // 0 outside the plane, where offset is 0
};

template <class T, class C> struct Job {
  const Args& args;
  const DeformColumnsAttributes& at;

  // The four corners at y, x of the plane, and the factor of the mask.
  void corners(C y, C x, Corner<C> (&to)[4]) const noexcept {
    const TensorView& in = args.in[0];
    const int64_t height = in.dims[2], width = in.dims[3];
    for (Corner<C>& c : to) c = {0, C(0)};
    if (!(y > C(-1) && y < static_cast<C>(height) && x > C(-1) && x < static_cast<C>(width))) return;
    const C base_y = std::floor(y), base_x = std::floor(x), wy = y - base_y, wx = x - base_x;
    const auto row = static_cast<int64_t>(base_y), column = static_cast<int64_t>(base_x);
    const C weights[4] = {(C(1) - wy) * (C(1) - wx), (C(1) - wy) * wx, wy * (C(1) - wx), wy * wx};
    for (int k = 0; k < 4; ++k) {
      const int64_t r = row + k / 2, c = column + k % 2;
      if (r >= 0 && r < height && c >= 0 && c < width) to[k] = {r * in.strides[2] + c * in.strides[3], weights[k]};
    }
  }

  // One tap of one group along one row of positions.
  void line(int64_t n, int64_t group, int64_t tap, int64_t row, int64_t columns) const noexcept {
    const TensorView &x = args.in[0], &offset = args.in[1], &y = args.out[0];
    const TensorView* mask = args.in.size() > 2 && args.in[2].dtype != DType::none ? &args.in[2] : nullptr;
    const int64_t taps = at.window[0] * at.window[1], channels = x.dims[1] / at.groups;
    const int64_t ky = tap / at.window[1], kx = tap % at.window[1];
    const auto read = [&](const TensorView& t, int64_t channel, int64_t column) {
      return static_cast<C>(t.as<const T>()[n * t.strides[0] + channel * t.strides[1] + row * t.strides[2] + column * t.strides[3]]);
    };
    Corner<C> corner[kLine][4];
    C factor[kLine];
    for (int64_t begin = 0; begin < columns; begin += kLine) {
      const int64_t count = std::min(kLine, columns - begin);
      for (int64_t i = 0; i < count; ++i) {
        const int64_t column = begin + i, pair = 2 * (group * taps + tap);
        const auto place = [&](int axis, int64_t position, int64_t k) {
          return static_cast<C>(position * at.strides[axis] - at.pads_begin[axis] + k * at.dilations[axis]);
        };
        corners(place(0, row, ky) + read(offset, pair, column), place(1, column, kx) + read(offset, pair + 1, column), corner[i]);
        factor[i] = mask != nullptr ? read(*mask, group * taps + tap, column) : C(1);
      }
      for (int64_t c = 0; c < channels; ++c) {
        const int64_t channel = group * channels + c;
        const T* from = x.as<const T>() + n * x.strides[0] + channel * x.strides[1];
        T* to = y.as<T>() + n * y.strides[0] + (channel * taps + tap) * y.strides[1] + (row * columns + begin) * y.strides[2];
        for (int64_t i = 0; i < count; ++i) {
          const auto e = [&](int k) {
            return corner[i][k].weight != C(0) ? corner[i][k].weight * static_cast<C>(from[corner[i][k].offset]) : C(0);
          };
          const C sum = ((e(0) + e(1)) + e(2)) + e(3);
          to[i * y.strides[2]] = mask != nullptr ? sum * factor[i] : sum;
        }
      }
    }
  }

  void run() const noexcept {
    const int64_t taps = at.window[0] * at.window[1], rows = args.in[1].dims[2], columns = args.in[1].dims[3];
    if (args.out[0].count() == 0) return;
    args.parallel.run(args.in[0].dims[0] * at.groups * taps * rows, [&](int64_t task, int) {
      const int64_t row = task % rows, rest = task / rows;
      line(rest / taps / at.groups, rest / taps % at.groups, rest % taps, row, columns);
    });
  }
};

class DeformColumnsKernel final : public PlainKernel {
 public:
  constexpr DeformColumnsKernel() noexcept : PlainKernel("deform_columns.reference", OpKind::deform_columns) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const DeformColumnsAttributes& at = as<DeformColumns>(*args.op)->get();
    switch (args.in[0].dtype) {
      case DType::f64: Job<double, double>{args, at}.run(); break;
      case DType::f16: Job<StoredF16, float>{args, at}.run(); break;
      case DType::bf16: Job<StoredBF16, float>{args, at}.run(); break;
      default: Job<float, float>{args, at}.run(); break;
    }
    return {};
  }
};

const DeformColumnsKernel kernel;

}  // namespace

constinit const HostKernel* const kDeformColumns = &kernel;

}  // namespace anydim
