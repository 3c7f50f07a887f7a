// SPDX-License-Identifier: Apache-2.0
// Maxima over windows of f64. Of some columns of an output row the largest of the window's rows are found first, side by side, and of
// these the largest along it; the padding counts as -inf. Columns lie side by side, or the channels of each do.
#include "core/kernels/doubles/pool.h"

#include <algorithm>
#include <limits>

#include "core/base/checked.h"
#include "core/kernels/pool/reference.h"
#include "core/ops/pooling.h"

namespace anydim {

namespace {

constexpr int64_t kMostRows = 64, kMostTaps = 64;  // of a window, and along it
constexpr int64_t kWaiting = 2048;                 // doubles between the two steps: half of the first cache

// One output row of one sample, and the block of channels that lie side by side, or one channel.
struct DoubleMaxRow {
  const Pooling::Window& w;
  const DoubleRows& rows;
  const double* from[kMostRows];  // rows of the window: input column 0
  int64_t count;
  double* to;
  int64_t inner;                  // channels side by side
  int64_t in_column, out_column;  // from column to column
};

void double_max_row(const DoubleMaxRow& r) noexcept {
  const Pooling::Window& w = r.w;
  alignas(64) double down[kWaiting], along[kWaiting];
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  if (w.kernel[2] == 0) {  // a whole axis that is empty
    for (int64_t x = 0; x < w.out[2]; ++x) std::fill_n(r.to + x * r.out_column, r.inner, kNone);
    return;
  }
  const int64_t stride = w.stride[2], dilation = w.dilation[2], reach = (w.kernel[2] - 1) * dilation + 1;
  const int64_t each = (kWaiting / r.inner - reach) / stride + 1;
  const double* taps[kMostTaps];
  for (int64_t x = 0; x < w.out[2]; x += each) {
    const int64_t n = std::min(each, w.out[2] - x), first = x * stride - w.pad_begin[2], columns = (n - 1) * stride + reach;
    const int64_t begin = std::clamp<int64_t>(-first, 0, columns), end = std::clamp<int64_t>(w.in[2] - first, begin, columns);
    std::fill_n(down, begin * r.inner, kNone);
    std::fill_n(down + end * r.inner, (columns - end) * r.inner, kNone);
    if (r.count == 0) {
      std::fill_n(down + begin * r.inner, (end - begin) * r.inner, kNone);
    } else {
      const double* at[kMostRows];
      for (int64_t i = 0; i < r.count; ++i) at[i] = r.from[i] + (first + begin) * r.in_column;
      if (r.in_column == r.inner) {
        r.rows.most(at, r.count, down + begin * r.inner, (end - begin) * r.inner);
      } else {
        for (int64_t c = begin; c < end; ++c) {
          r.rows.most(at, r.count, down + c * r.inner, r.inner);
          for (int64_t i = 0; i < r.count; ++i) at[i] += r.in_column;
        }
      }
    }
    // One channel: all columns side by side, of which some are kept. Several: column by column.
    const int64_t steps = r.inner == 1 ? 1 : n, width = r.inner == 1 ? (n - 1) * stride + 1 : r.inner;
    double* to = r.to + x * r.out_column;
    for (int64_t s = 0; s < steps; ++s, to += r.out_column) {
      for (int64_t k = 0; k < w.kernel[2]; ++k) taps[k] = down + (s * stride + k * dilation) * r.inner;
      const bool direct = r.inner > 1 || (stride == 1 && r.out_column == 1);
      r.rows.most(taps, w.kernel[2], direct ? to : along, width);
      for (int64_t i = 0; i < n && !direct; ++i) to[i * r.out_column] = along[i * stride];
    }
  }
}

}  // namespace

Support DoubleMaxPool::supports(const Problem& p) const noexcept {
  const Pooling* op = as<Pooling>(*p.op);
  if (op == nullptr) return no("another operator");
  if (p.in[0].dtype != DType::f64) return no("the input is not f64");
  if (op->get().kind != Pooling::Kind::max || op->get().indices) return no("it is no maximum, or one with indices");
  return PlainKernel::supports(p);
}

Status DoubleMaxPool::run(const Plan&, const Args& args) const noexcept {
  const TensorView &src = args.in[0], &dst = args.out[0];
  if (dst.count() == 0) return {};
  const Pooling::Window w = as<Pooling>(*args.op)->window(src.dims, dst.dims);
  const int spatial = src.rank() - 2;
  int64_t from[3] = {}, to[3] = {};
  for (int i = 0; i < spatial; ++i) {
    from[3 - spatial + i] = src.strides[2 + i];
    to[3 - spatial + i] = dst.strides[2 + i];
  }
  const int64_t channels = src.dims[1], reach = saturating_mul(w.kernel[2] - 1, w.dilation[2]);
  const bool by_channels = channels > 1 && src.strides[1] == 1 && dst.strides[1] == 1;
  const bool by_columns = from[2] == 1 || w.in[2] == 1;
  const int64_t inner = by_channels ? std::min<int64_t>(channels, 32) : 1;
  if ((!by_channels && !by_columns) || saturating_mul(w.kernel[0], w.kernel[1]) > kMostRows || w.kernel[2] > kMostTaps ||
      saturating_mul(reach + 1, inner) > kWaiting || (inner == 1 && w.stride[2] > 8)) {
    reference_pool(w, args);
    return {};
  }
  const int64_t blocks = ceil_div(channels, inner);
  args.parallel.run(src.dims[0] * blocks * w.out[0] * w.out[1], [&](int64_t task, int) {
    const int64_t h = task % w.out[1], d = task / w.out[1] % w.out[0], plane = task / w.out[1] / w.out[0];
    const int64_t n = plane / blocks, c = plane % blocks * inner;
    DoubleMaxRow r{w, rows_, {}, 0, nullptr, std::min(inner, channels - c), from[2], to[2]};
    if (r.inner == 1 && w.in[2] == 1) r.in_column = 1;  // one column has no stride: any value works
    const double* source = src.as<const double>() + n * src.strides[0] + c * src.strides[1];
    for (int64_t kz = 0; kz < w.kernel[0]; ++kz) {
      const int64_t z = d * w.stride[0] - w.pad_begin[0] + kz * w.dilation[0];
      for (int64_t ky = 0; ky < w.kernel[1] && z >= 0 && z < w.in[0]; ++ky) {
        const int64_t y = h * w.stride[1] - w.pad_begin[1] + ky * w.dilation[1];
        if (y >= 0 && y < w.in[1]) r.from[r.count++] = source + z * from[0] + y * from[1];
      }
    }
    r.to = dst.as<double>() + n * dst.strides[0] + c * dst.strides[1] + d * to[0] + h * to[1];
    double_max_row(r);
  });
  return {};
}

}  // namespace anydim
