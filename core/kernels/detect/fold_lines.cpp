// SPDX-License-Identifier: Apache-2.0
// Fold of f32 by lines: rows of the image are summed in the first cache, a whole tap of them at a time, the taps in their order. A tap
// of windows that lie apart touches columns of one residue modulo the stride: each residue has a line of its own, side by side.
#include <algorithm>

#include "core/kernels/detect/detect.h"
#include "core/kernels/detect/fold_lines.h"
#include "core/kernels/detect/fold_windows.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

constexpr int64_t kSums = 4096;  // floats of a block: half of the first cache
constexpr int64_t kLeastLine = 4;

// Rows [first, first + rows) and columns [left, left + width) of one plane. Column left + i is sums[i % residues * line + i / residues]
// of its row's `residues` lines.
struct FoldBlock {
  int64_t n, channel, plane, first, rows, left, width;
  int64_t residues, line;
};

void fold_block(const Args& args, const FoldWindows& w, const FoldBlock& at, AddFoldLines::Function* add) noexcept {
  const TensorView &x = args.in[0], &y = args.out[0];
  const int64_t taps = w.window[0] * w.window[1] * w.window[2];
  float sums[kSums + kSums / kLeastLine];  // lines of residues may be one longer than their share
  const int64_t row_sums = at.residues * at.line;
  std::fill_n(sums, at.rows * row_sums, 0.f);
  for (int64_t kz = 0; kz < w.window[0]; ++kz) {
    const int64_t z = w.place(0, at.plane, kz);
    for (int64_t ky = 0; ky < w.window[1] && z >= 0; ++ky) {
      const int64_t v = w.first_place(1, at.first, ky), v_end = w.first_place(1, at.first + at.rows, ky);
      for (int64_t kx = 0; kx < w.window[2] && v < v_end; ++kx) {
        const int64_t u = w.first_place(2, at.left, kx), u_end = w.first_place(2, at.left + at.width, kx);
        if (u >= u_end) continue;
        const int64_t k = (kz * w.window[1] + ky) * w.window[2] + kx;
        const float* from = x.as<const float>() + at.n * x.strides[0] + (at.channel * taps + k) * x.strides[1] +
                            ((z * w.places[1] + v) * w.places[2] + u) * x.strides[2];
        const int64_t row = v * w.stride[1] + w.shift(1, ky) - at.first, column = u * w.stride[2] + w.shift(2, kx) - at.left;
        add({sums + row * row_sums + column % at.residues * at.line + column / at.residues, from, v_end - v, u_end - u,
             w.stride[1] * row_sums, w.stride[2] / at.residues, w.places[2] * x.strides[2], x.strides[2]});
      }
    }
  }
  const int rank = y.dims.rank;
  const int64_t step = y.strides[rank - 1], line = rank > 3 ? y.strides[rank - 2] : 0;
  float* to = y.as<float>() + at.n * y.strides[0] + at.channel * y.strides[1] + (rank > 4 ? at.plane * y.strides[2] : 0) + at.first * line +
              at.left * step;
  for (int64_t r = 0; r < at.rows; ++r)
    for (int64_t p = 0; p < at.residues; ++p) {
      const float* from = sums + r * row_sums + p * at.line;
      for (int64_t i = p; i < at.width; i += at.residues) to[r * line + i * step] = *from++;
    }
}

class FoldLinesKernel final : public PlainKernel {
 public:
  constexpr FoldLinesKernel(const char* name, Isa isa, AddFoldLines::Function* add) noexcept
      : PlainKernel(name, OpKind::fold, isa), add_(add) {}
  Support supports(const Problem& p) const noexcept override {
    if (as<Fold>(*p.op) && p.in[0].dtype != DType::f32) return no("the input is not f32");
    return PlainKernel::supports(p);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const Dims& y = args.out[0].dims;
    const FoldWindows w(as<Fold>(*args.op)->get(), y, args.dim_attributes);
    const int64_t width = std::min(w.image[2], kSums), across = (w.image[2] + width - 1) / width;
    // Residues where their lines are long enough; they end at whole ones.
    const bool apart = w.stride[2] > 1 && w.stride[2] * kLeastLine <= width && args.in[0].strides[2] == 1;
    const int64_t residues = apart ? w.stride[2] : 1, line = (width + residues - 1) / residues;
    const int64_t rows = std::min(w.image[1], std::max<int64_t>(kSums / (residues * line), 1)), down = (w.image[1] + rows - 1) / rows;
    args.parallel.run(y[0] * y[1] * w.image[0] * down * across, [&](int64_t task, int) {
      FoldBlock at;
      at.residues = residues, at.line = line;
      at.left = task % across * width, task /= across;
      at.first = task % down * rows, task /= down;
      at.plane = task % w.image[0], task /= w.image[0];
      at.channel = task % y[1], at.n = task / y[1];
      at.rows = std::min(rows, w.image[1] - at.first), at.width = std::min(width, w.image[2] - at.left);
      fold_block(args, w, at, add_);
    });
    return {};
  }

 private:
  AddFoldLines::Function* add_;
};

}  // namespace

KernelList fold_forms() noexcept {
  static const KernelsOfSets<"fold.lines", FoldLinesKernel, AddFoldLines> lines;
  static const auto all = kernel_list(lines, kept<"fold.reference", kFold>());
  return all;
}

}  // namespace anydim
