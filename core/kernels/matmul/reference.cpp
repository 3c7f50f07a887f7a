// SPDX-License-Identifier: Apache-2.0
// The reference kernel of matmul: docs/numerics.md section 1 as plain loops, on floats (f64 for runs that judge f32;
// 16-bit floats compute in f32 and round once) and integers (modulo 2^n), and its mode reduced on f32. Any layout. Slow on purpose; nothing
// here is shared with the fast kernels.
#include <cmath>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/epilogue/reference_chain.h"
#include "core/kernels/matmul/matmul.h"
#include "core/kernels/simd/half.h"
#include "core/kernels/sums.h"
#include "core/ops/operators/matmul.h"

namespace anydim {

namespace {

template <class T> T add(T a, T b) {
  if constexpr (std::is_integral_v<T>) return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  else return a + b;
}

// Offset of a batch item of `t` (rank - 2 batch axes) for the output element at `at`, whose batch axes are the first
// `batch`.
int64_t batch_offset(const TensorView& t, const Dims& at, int batch) {
  int64_t offset = 0;
  const int own = t.rank() - 2;
  for (int i = 0; i < own; ++i)
    if (t.dims[i] != 1) offset += at[batch - own + i] * t.strides[i];
  return offset;
}

// Elements of type S, computed in T.
template <class T, class S = T, bool REDUCED = false> void run_reference(const Args& args) {
  const Matmul::Attributes& attributes = as<Matmul>(*args.op)->get();
  const TensorView &a = args.in[0], &b = args.in[1], &dst = args.out[0];
  const bool has_m = a.rank() > 1, has_n = b.rank() > 1;
  const bool has_c = args.in.size() > 2 && args.in[2].dtype != DType::none;
  const int ra = a.rank(), rb = b.rank(), batch = dst.rank() - has_m - has_n;
  const int a_row = ra - (attributes.transpose_a ? 1 : 2), a_k = ra == 1 ? 0 : ra - (attributes.transpose_a ? 2 : 1);
  const int b_column = rb - (attributes.transpose_b ? 2 : 1), b_k = rb == 1 ? 0 : rb - (attributes.transpose_b ? 1 : 2);
  const int64_t k_count = a.dims[a_k], count = dst.count();
  Dims at = Dims::filled(dst.dims.rank, 0);
  for (int64_t i = 0; i < count; ++i) {
    int64_t from_a = has_m ? batch_offset(a, at, batch) + at[batch] * a.strides[a_row] : 0;
    int64_t from_b = has_n ? batch_offset(b, at, batch) + at[dst.rank() - 1] * b.strides[b_column] : 0;
    const auto weight = [&](int64_t k) { return static_cast<T>(b.as<const S>()[from_b + k * b.strides[b_k]]); };
    const auto sum_with = [&](auto sum) {
      for (int64_t k = 0; k < k_count; ++k) sum.add(k, static_cast<T>(a.as<const S>()[from_a + k * a.strides[a_k]]), weight(k));
      return sum.total();
    };
    T total;
    if constexpr (REDUCED) total = sum_with(ReducedSum(k_count, weight));
    else total = sum_with(StrictSum<T>());
    if constexpr (std::is_floating_point_v<T>) {
      if (attributes.alpha != 1.f) total = static_cast<T>(attributes.alpha) * total;
    }
    if (has_c) {
      const TensorView& c = args.in[2];
      int64_t offset = 0;
      for (int j = 0; j < c.rank(); ++j)
        if (c.dims[j] != 1) offset += at[dst.rank() - c.rank() + j] * c.strides[j];
      T v = c.as<const S>()[offset];
      if constexpr (std::is_floating_point_v<T>) {
        if (attributes.beta != 1.f) v = static_cast<T>(attributes.beta) * v;
      }
      total = add(total, v);
    }
    if constexpr (std::is_floating_point_v<T>) total = reference_chain(*args.post_ops, args.post_in, dst.dims, at, total);
    int64_t to = 0;
    for (int j = 0; j < at.rank; ++j) to += at[j] * dst.strides[j];
    dst.as<S>()[to] = total;
    for (int j = at.rank - 1; j >= 0 && ++at[j] == dst.dims[j]; --j) at[j] = 0;
  }
}

class ReferenceMatmul final : public HostKernel {
 public:
  const char* name() const noexcept override { return "gemm.reference"; }
  const KernelKey& key() const noexcept override {
    static constexpr KernelKey key{OpKind::matmul, DType::f32, DType::f32, LayoutFamily::any, Isa::portable};
    return key;
  }
  Support supports(const Problem& p) const noexcept override {
    const DType t = p.in[0].dtype;
    for (const TensorType& i : p.in)
      if (i.dtype != t && i.dtype != DType::none) return no("inputs differ in dtype");
    if (t == DType::f32 || dtype_is_half(t)) return supports_post_ops(p);
    if (t == DType::f64) {
      for (const PostOp& s : *p.post_ops)
        if (!(s.takes_tensor() ? is_chain_function(s.binary) : is_chain_function(s.unary) && is_f64_function(s.unary)))
          return no("a post-op has no f64 form");
      for (const TensorType& i : p.post_in)
        if (i.dtype != t) return no("a post-op's tensor differs in dtype");
      return yes();
    }
    if (dtype_is_float(t) || t == DType::boolean || t == DType::none) return no("the inputs are neither floats nor integers");
    if (p.post_ops->count > 0) return no("post-ops on integers");
    const auto& at = as<Matmul>(*p.op)->get();
    if (at.alpha != 1.f || at.beta != 1.f) return no("alpha or beta on integers");
    return yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    switch (args.in[0].dtype) {
      case DType::f32: run_reference<float>(args); break;
      case DType::f64: run_reference<double>(args); break;
      case DType::f16: run_reference<float, StoredF16>(args); break;
      case DType::bf16: run_reference<float, StoredBF16>(args); break;
      case DType::i8: run_reference<int8_t>(args); break;
      case DType::u8: run_reference<uint8_t>(args); break;
      case DType::i16: run_reference<int16_t>(args); break;
      case DType::u16: run_reference<uint16_t>(args); break;
      case DType::i32: run_reference<int32_t>(args); break;
      case DType::u32: run_reference<uint32_t>(args); break;
      case DType::i64: run_reference<int64_t>(args); break;
      default: run_reference<uint64_t>(args); break;
    }
    return {};
  }
};

// Of math mode reduced.
class ReducedReference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "gemm.bf16.reference"; }
  const KernelKey& key() const noexcept override {
    static constexpr KernelKey key{OpKind::matmul, DType::f32, DType::f32, LayoutFamily::any, Isa::portable, MathMode::reduced};
    return key;
  }
  Support supports(const Problem& p) const noexcept override { return reduced_serves(p); }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    run_reference<float, float, true>(args);
    return {};
  }
};

}  // namespace

Support reduced_serves(const Problem& p) noexcept {
  for (const TensorType& t : p.in)
    if (t.dtype != DType::f32 && t.dtype != DType::none) return no("an input is not f32");
  const int rank = p.in[1].dims.rank;
  if (!p.is_constant(1) || rank < 2) return no("the right side is no constant matrix");
  const bool transposed = as<Matmul>(*p.op)->get().transpose_b;
  const Dim k = p.in[1].dims[rank - (transposed ? 1 : 2)], n = p.in[1].dims[rank - (transposed ? 2 : 1)];
  if (k.number() < kLeastReducedK || n.number() < kLeastReducedColumns) return no("the right side is smaller than 64 x 32");
  return supports_post_ops(p);
}

const HostKernel& gemm_reduced_reference() noexcept {
  static const ReducedReference k;
  return k;
}

const HostKernel& gemm_reference() noexcept {
  static const ReferenceMatmul k;
  return k;
}

}  // namespace anydim
