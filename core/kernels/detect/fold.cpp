// SPDX-License-Identifier: Apache-2.0
// Fold of any dtype, the reference: a row of the image at a time, some columns of it, to which taps are added in their order.
#include <algorithm>

#include "core/kernels/detect/detect.h"
#include "core/kernels/detect/fold_windows.h"
#include "core/kernels/eltwise/elements.h"
#include "core/kernels/plain_kernel.h"
#include "core/ops/operators/fold.h"

namespace anydim {

namespace {

constexpr int64_t kBlock = 256;

template <class T> void fold_row(const Args& args, const FoldWindows& w, int64_t task) noexcept {
  using C = typename ComputeType<T>::type;
  const TensorView &x = args.in[0], &y = args.out[0];
  int64_t rest = task;
  const int64_t row = rest % w.image[1];
  rest /= w.image[1];
  const int64_t plane = rest % w.image[0];
  rest /= w.image[0];
  const int64_t channel = rest % y.dims[1], n = rest / y.dims[1];
  const int64_t taps = w.window[0] * w.window[1] * w.window[2];
  const int rank = y.dims.rank;
  T* to = y.as<T>() + n * y.strides[0] + channel * y.strides[1] + row * (rank > 3 ? y.strides[rank - 2] : 0) +
          plane * (rank > 4 ? y.strides[2] : 0);
  const int64_t step = y.strides[rank - 1];
  C sums[kBlock];
  for (int64_t begin = 0; begin < w.image[2]; begin += kBlock) {
    const int64_t end = std::min(begin + kBlock, w.image[2]);
    for (C& s : sums) s = C{};
    for (int64_t kz = 0; kz < w.window[0]; ++kz) {
      const int64_t z = w.place(0, plane, kz);
      for (int64_t ky = 0; ky < w.window[1] && z >= 0; ++ky) {
        const int64_t v = w.place(1, row, ky);
        for (int64_t kx = 0; kx < w.window[2] && v >= 0; ++kx) {
          const int64_t k = (kz * w.window[1] + ky) * w.window[2] + kx;
          const T* from = x.as<const T>() + n * x.strides[0] + (channel * taps + k) * x.strides[1];
          // The first column from `begin` on that is this tap's of a window.
          const int64_t shift = kx * w.dilation[2] - w.pad[2];
          int64_t place = begin > shift ? (begin - shift + w.stride[2] - 1) / w.stride[2] : 0;
          for (; place < w.places[2]; ++place) {
            const int64_t column = place * w.stride[2] + shift;
            if (column >= end) break;
            const C value = load_element<T>(from + ((z * w.places[1] + v) * w.places[2] + place) * x.strides[2]);
            C& sum = sums[column - begin];
            if constexpr (std::is_floating_point_v<C>) sum = sum + value;
            else sum = static_cast<C>(static_cast<uint64_t>(sum) + static_cast<uint64_t>(value));
          }
        }
      }
    }
    for (int64_t i = begin; i < end; ++i) store_element<T>(to + i * step, sums[i - begin]);
  }
}

class FoldKernel final : public PlainKernel {
 public:
  constexpr FoldKernel() noexcept : PlainKernel("fold.reference", OpKind::fold) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const Dims& y = args.out[0].dims;
    const FoldWindows w(as<Fold>(*args.op)->get(), y, args.dim_attributes);
    visit_dtype(args.in[0].dtype, [&](auto tag) {
      using T = decltype(tag);
      if constexpr (!std::is_same_v<T, bool>)
        args.parallel.run(y[0] * y[1] * w.image[0] * w.image[1], [&](int64_t task, int) { fold_row<T>(args, w, task); });
    });
    return {};
  }
};

const FoldKernel kernel;

}  // namespace

constinit const HostKernel* const kFold = &kernel;

}  // namespace anydim
