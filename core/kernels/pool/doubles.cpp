// SPDX-License-Identifier: Apache-2.0
// Maxima over windows of f64. Of some columns of an output row the largest of the window's rows are found first, side by side, and of
// these the largest along it; the padding counts as -inf. Columns lie side by side, or the channels of each do.
#include "core/kernels/pool/doubles.h"

#include <algorithm>
#include <limits>

#include "core/base/checked.h"
#include "core/ops/operators/pooling.h"

namespace anydim {

namespace {

constexpr int64_t kMost = 64;       // rows or taps at a time
constexpr int64_t kWaiting = 2048;  // doubles between the two steps: half of the first cache
constexpr double kNone = -std::numeric_limits<double>::infinity();

// One output row of one sample, and the block of channels that lie side by side, or one channel.
struct DoubleMaxRow {
  const Pooling::Window& w;
  const DoubleRows& rows;
  const double* source;  // element 0 of the planes
  int64_t from[3];       // strides of the input's spatial axes
  int64_t top[2];        // where the window begins along the first two
  double* to;
  int64_t inner;                  // channels side by side
  int64_t in_column, out_column;  // from column to column
};

// The largest of the window's rows at n columns from `column` on, `inner` channels each. False: all rows lie in the padding.
bool largest_down(const DoubleMaxRow& r, int64_t column, int64_t n, double* down) noexcept {
  const Pooling::Window& w = r.w;
  const double* at[kMost];
  int64_t count = 0;
  bool any = false;
  const auto take = [&] {
    const bool dense = r.in_column == r.inner;
    const int64_t steps = dense ? 1 : n, width = dense ? n * r.inner : r.inner;
    for (int64_t c = 0; c < steps; ++c) {
      r.rows.most(at, count, down + c * r.inner, width);
      for (int64_t i = 0; i < count; ++i) at[i] += at[i] == down + c * r.inner ? r.inner : r.in_column;
    }
    at[0] = down;
    count = 1;
    any = true;
  };
  for (int64_t kz = 0; kz < w.kernel[0]; ++kz) {
    const int64_t z = r.top[0] + kz * w.dilation[0];
    for (int64_t ky = 0; ky < w.kernel[1] && z >= 0 && z < w.in[0]; ++ky) {
      const int64_t y = r.top[1] + ky * w.dilation[1];
      if (y < 0 || y >= w.in[1]) continue;
      at[count++] = r.source + z * r.from[0] + y * r.from[1] + column * r.in_column;
      if (count == kMost) take();
    }
  }
  if (count > (any ? 1 : 0)) take();
  return any;
}

// Taps [begin, end) along the row, which are few and near each other; those before are in the results.
void double_max_taps(const DoubleMaxRow& r, int64_t tap, int64_t end_tap) noexcept {
  const Pooling::Window& w = r.w;
  alignas(64) double down[kWaiting], along[kWaiting];
  const int64_t stride = w.stride[2], dilation = w.dilation[2], reach = (end_tap - tap - 1) * dilation + 1;
  const int64_t each = (kWaiting / r.inner - reach) / stride + 1;
  const double* taps[kMost + 1];
  for (int64_t x = 0; x < w.out[2]; x += each) {
    const int64_t n = std::min(each, w.out[2] - x), first = x * stride - w.pad_begin[2] + tap * dilation;
    const int64_t columns = (n - 1) * stride + reach;
    const int64_t begin = std::clamp<int64_t>(-first, 0, columns), end = std::clamp<int64_t>(w.in[2] - first, begin, columns);
    std::fill_n(down, begin * r.inner, kNone);
    std::fill_n(down + end * r.inner, (columns - end) * r.inner, kNone);
    if (begin < end && !largest_down(r, first + begin, end - begin, down + begin * r.inner))
      std::fill_n(down + begin * r.inner, (end - begin) * r.inner, kNone);
    // One channel: all columns side by side, of which some are kept. Several: column by column.
    const int64_t steps = r.inner == 1 ? 1 : n, width = r.inner == 1 ? (n - 1) * stride + 1 : r.inner;
    const bool direct = r.inner > 1 || (stride == 1 && r.out_column == 1);
    double* to = r.to + x * r.out_column;
    for (int64_t s = 0; s < steps; ++s, to += r.out_column) {
      int64_t count = 0;
      if (direct && tap > 0) taps[count++] = to;
      for (int64_t k = 0; k < end_tap - tap; ++k) taps[count++] = down + (s * stride + k * dilation) * r.inner;
      r.rows.most(taps, count, direct ? to : along, width);
      for (int64_t i = 0; i < n && !direct; ++i) {
        const double* both[] = {along + i * stride, to + i * r.out_column};
        r.rows.most(both, tap > 0 ? 2 : 1, to + i * r.out_column, 1);
      }
    }
  }
}

void double_max_row(const DoubleMaxRow& r) noexcept {
  if (r.w.kernel[2] == 0) {  // a whole axis that is empty
    for (int64_t x = 0; x < r.w.out[2]; ++x) std::fill_n(r.to + x * r.out_column, r.inner, kNone);
    return;
  }
  const int64_t taps = r.w.kernel[2], near = std::min(kMost, (kWaiting / r.inner - 1) / r.w.dilation[2] + 1);
  for (int64_t tap = 0; tap < taps; tap += near) double_max_taps(r, tap, std::min(tap + near, taps));
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
  const int64_t channels = src.dims[1];
  const bool by_channels = channels > 1 && src.strides[1] == 1 && dst.strides[1] == 1;
  const int64_t inner = by_channels ? std::min<int64_t>(channels, 32) : 1;
  const int64_t blocks = ceil_div(channels, inner);
  args.parallel.run(src.dims[0] * blocks * w.out[0] * w.out[1], [&](int64_t task, int) {
    const int64_t h = task % w.out[1], d = task / w.out[1] % w.out[0], plane = task / w.out[1] / w.out[0];
    const int64_t n = plane / blocks, c = plane % blocks * inner;
    DoubleMaxRow r{w, rows_, {}, {from[0], from[1], from[2]}, {}, nullptr, std::min(inner, channels - c), from[2], to[2]};
    if (r.inner == 1 && w.in[2] == 1) r.in_column = 1;  // one column has no stride: any value works
    r.source = src.as<const double>() + n * src.strides[0] + c * src.strides[1];
    r.top[0] = d * w.stride[0] - w.pad_begin[0];
    r.top[1] = h * w.stride[1] - w.pad_begin[1];
    r.to = dst.as<double>() + n * dst.strides[0] + c * dst.strides[1] + d * to[0] + h * to[1];
    double_max_row(r);
  });
  return {};
}

}  // namespace anydim
