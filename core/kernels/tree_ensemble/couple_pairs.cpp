// SPDX-License-Identifier: Apache-2.0
// Probabilities of classes from those of pairs: rows go to threads, each is iterated by itself (docs/numerics.md, section 12).
#include <cmath>

#include "core/kernels/tree_ensemble/tree_ensemble.h"
#include "core/kernels/plain_kernel.h"
#include "core/ops/operators/couple_pairs.h"

namespace anydim {
namespace {

using Op = CouplePairs;

// q: classes * classes, qp: classes.
template <class T> void couple(int64_t k, const T* pairs, int64_t step, T* q, T* qp, T* p) noexcept {
  const T most_error = static_cast<T>(0.005) / static_cast<T>(k);
  // q[i, j] is first the probability of j against i.
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = i + 1; j < k; ++j, pairs += step) {
      q[j * k + i] = *pairs;
      q[i * k + j] = 1 - *pairs;
    }
  for (int64_t i = 0; i < k; ++i) {
    T sum = 0;
    for (int64_t j = 0; j < k; ++j)
      if (j != i) sum += q[i * k + j] * q[i * k + j];
    q[i * k + i] = sum;
    p[i] = 1 / static_cast<T>(k);
  }
  for (int64_t i = 0; i < k; ++i)
    for (int64_t j = i + 1; j < k; ++j) q[i * k + j] = q[j * k + i] = -q[i * k + j] * q[j * k + i];
  for (int round = 0; round < Op::kMostRounds; ++round) {
    T pqp = 0;
    for (int64_t i = 0; i < k; ++i) {
      qp[i] = 0;
      for (int64_t j = 0; j < k; ++j) qp[i] += q[i * k + j] * p[j];
      pqp += p[i] * qp[i];
    }
    T error = 0;
    for (int64_t i = 0; i < k; ++i)
      if (const T e = std::fabs(qp[i] - pqp); e > error) error = e;
    if (error < most_error) break;
    for (int64_t i = 0; i < k; ++i) {
      const T own = q[i * k + i], more = (pqp - qp[i]) / own;
      p[i] += more;
      pqp = (pqp + more * (more * own + 2 * qp[i])) / (1 + more) / (1 + more);
      for (int64_t j = 0; j < k; ++j) {
        qp[j] = (qp[j] + more * q[i * k + j]) / (1 + more);
        p[j] /= 1 + more;
      }
    }
  }
}

class Kernel final : public PlainKernel {
 public:
  constexpr Kernel() noexcept : PlainKernel("couple_pairs.reference", OpKind::couple_pairs) {}
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = scratch(*args.op, args.parallel.threads()); }
  int64_t scratch_bound(const Problem& p, std::span<const Dims>, std::span<const Dims>, int threads) const noexcept override {
    return scratch(*p.op, threads);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    if (args.in[0].dtype == DType::f64) run_rows<double>(args);
    else run_rows<float>(args);
    return {};
  }

 private:
  static int64_t worker_bytes(int64_t classes) noexcept { return round_up((classes + 2) * classes * 8, 64); }
  static int64_t scratch(const Operator& op, int threads) noexcept { return worker_bytes(as<Op>(op)->get().classes) * threads; }

  template <class T> static void run_rows(const Args& args) noexcept {
    const int64_t k = as<Op>(*args.op)->get().classes;
    const TensorView &x = args.in[0], &y = args.out[0];
    const int last = x.dims.rank - 1;
    int64_t rows = 1;
    for (int a = 0; a < last; ++a) rows *= x.dims[a];
    constexpr int64_t kTogether = 64;
    args.parallel.run(ceil_div(rows, kTogether), [&](int64_t task, int worker) {
      T* const q = reinterpret_cast<T*>(static_cast<std::byte*>(args.scratch) + worker * worker_bytes(k));
      T *const qp = q + k * k, *const p = qp + k;
      for (int64_t row = task * kTogether; row < std::min(rows, (task + 1) * kTogether); ++row) {
        int64_t from = 0, to = 0, rest = row;
        for (int a = last - 1; a >= 0; --a) {
          const int64_t at = rest % x.dims[a];
          rest /= x.dims[a];
          from += at * x.strides[a];
          to += at * y.strides[a];
        }
        couple(k, x.as<const T>() + from, x.strides[last], q, qp, p);
        for (int64_t i = 0; i < k; ++i) y.as<T>()[to + i * y.strides[last]] = p[i];
      }
    });
  }
};

const Kernel kernel;

}  // namespace

constinit const HostKernel* const kCouplePairs = &kernel;

}  // namespace anydim
