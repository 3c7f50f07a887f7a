// SPDX-License-Identifier: Apache-2.0
// Det: elimination with the largest pivot of each column, in binary64, rounded once. docs/numerics.md, section 10.
#include "core/base/checked.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/sets.h"
#include "core/kernels/signal/elimination.h"
#include "core/kernels/signal/signal.h"
#include "core/kernels/simd/half.h"
#include "core/ops/operators/det.h"

namespace anydim {

namespace {

template <class T, class Wide> void run_matrices(const Args& args, Determinant::Function* determinant) noexcept {
  const TensorView &x = args.in[0], &y = args.out[0];
  const int rank = x.dims.rank;
  const int64_t n = x.dims[rank - 1];
  args.parallel.run(y.count(), [&](int64_t matrix, int worker) {
    int64_t from = 0, to = 0, rest = matrix;
    for (int a = rank - 3; a >= 0; --a) {
      from += rest % x.dims[a] * x.strides[a];
      to += rest % x.dims[a] * y.strides[a];
      rest /= x.dims[a];
    }
    double* a = static_cast<double*>(args.scratch) + worker * n * n;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        a[i * n + j] = static_cast<double>(static_cast<Wide>(x.as<const T>()[from + i * x.strides[rank - 2] + j * x.strides[rank - 1]]));
    y.as<T>()[to] = static_cast<Wide>(determinant(a, n));
  });
}

class DetKernel final : public PlainKernel {
 public:
  constexpr DetKernel(const char* name, Isa isa, Determinant::Function* determinant) noexcept
      : PlainKernel(name, OpKind::det, isa), determinant_(determinant) {}
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = scratch(args.in[0].dims, args.parallel.threads()); }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    return scratch(in[0], threads);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    switch (args.in[0].dtype) {
      case DType::f64: run_matrices<double, double>(args, determinant_); break;
      case DType::f16: run_matrices<StoredF16, float>(args, determinant_); break;
      case DType::bf16: run_matrices<StoredBF16, float>(args, determinant_); break;
      default: run_matrices<float, float>(args, determinant_); break;
    }
    return {};
  }

 private:
  static int64_t scratch(const Dims& x, int threads) noexcept {
    return saturating_mul(saturating_mul(saturating_mul(x.back(), x.back()), 8), threads);
  }
  Determinant::Function* determinant_;
};

}  // namespace

KernelList det_kernels() noexcept {
  static const KernelsOfSets<"det.rows", DetKernel, Determinant> rows;
  static const DetKernel reference("det.reference", Isa::portable, Determinant::portable);
  static const auto all = kernel_list(rows, kept<"det.reference", reference>());
  return all;
}

}  // namespace anydim
