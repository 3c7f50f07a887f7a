// SPDX-License-Identifier: Apache-2.0
// The reference kernel of compressed matmul: docs/numerics.md section 1 as plain loops, any layout. Nothing here is shared with the fast
// kernels.
#include <algorithm>
#include <bit>
#include <cmath>

#include "core/kernels/compressed_matmul/compressed_matmul.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/epilogue/reference_chain.h"
#include "core/kernels/simd/half.h"
#include "core/ops/operators/compressed_matmul.h"

namespace anydim {

namespace {

constexpr int64_t kBlock = 128;

float number_at(const TensorView& t, int64_t offset) noexcept {
  switch (t.dtype) {
    case DType::i8: return t.as<const int8_t>()[offset];
    case DType::u8:
    case DType::u4: return t.as<const uint8_t>()[offset];
    case DType::i4: {
      const int v = t.as<const uint8_t>()[offset];
      return static_cast<float>(v < 8 ? v : v - 16);
    }
    case DType::f16: return t.as<const StoredF16>()[offset];
    default: return t.as<const StoredBF16>()[offset];
  }
}

// A row of a, from `from` on, rounded block by block, times column n of b.
float sum_of_rounded(const Args& args, int64_t from, int64_t n) {
  using Op = CompressedMatmul;
  const Op::Attributes& at = as<Op>(*args.op)->get();
  const TensorView &a = args.in[Op::kA], &b = args.in[Op::kB], &scales = args.in[Op::kScales];
  const int of_k = at.transpose_b ? 1 : 0, of_n = 1 - of_k, last = a.rank() - 1;
  const int64_t k_count = a.dims[last];
  const auto factor = [&](const TensorView& t, int64_t block) {
    return t.as<const float>()[block * t.strides[of_k] + (t.dims[of_n] == 1 ? 0 : n * t.strides[of_n])];
  };
  float total = 0;
  for (int64_t first = 0, block = 0; first < k_count; first += at.block, ++block) {
    const int64_t end = std::min(first + at.block, k_count);
    const auto x = [&](int64_t k) { return a.as<const float>()[from + k * a.strides[last]]; };
    float most = 0;
    bool finite = true;
    for (int64_t k = first; k < end; ++k) {
      finite = finite && std::isfinite(x(k));
      most = std::max(most, std::fabs(x(k)));
    }
    const bool some = finite && most >= 0x1p-100f;
    const float by = some ? 127.f / most : 0.f, scale = finite ? some ? most / 127.f : 0.f : std::nanf("");
    int64_t sum = 0, product = 0;
    for (int64_t k = first; k < end; ++k) {
      const auto number = some ? static_cast<int64_t>(std::nearbyint(x(k) * by)) : 0;
      sum += number;
      product += number * static_cast<int64_t>(number_at(b, k * b.strides[of_k] + n * b.strides[of_n]));
    }
    const bool zeros = args.in.size() > Op::kZeroPoints && args.in[Op::kZeroPoints].dtype != DType::none;
    const float zero = zeros ? factor(args.in[Op::kZeroPoints], block) : static_cast<float>(at.zero_point);
    const float d = std::fma(-zero, static_cast<float>(sum), static_cast<float>(product));
    total = std::fma(d, scale * factor(scales, block), total);
  }
  return total;
}

class Reference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "gemm.numbers.reference"; }
  const KernelKey& key() const noexcept override {
    static constexpr KernelKey key{.op = OpKind::compressed_matmul};
    return key;
  }
  Support supports(const Problem& p) const noexcept override { return supports_post_ops(p); }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    using Op = CompressedMatmul;
    const Op::Attributes& at = as<Op>(*args.op)->get();
    const TensorView &a = args.in[Op::kA], &b = args.in[Op::kB], &dst = args.out[0];
    const auto present = [&](size_t i) { return i < args.in.size() && args.in[i].dtype != DType::none; };
    const int of_k = at.transpose_b ? 1 : 0, of_n = 1 - of_k, last = a.rank() - 1;
    const int64_t count = dst.count(), k_count = a.dims[last];
    const auto factor = [&](size_t input, int64_t k, int64_t n) {
      const TensorView& t = args.in[input];
      const int64_t block = at.block == 0 ? 0 : k / at.block;
      return t.as<const float>()[block * t.strides[of_k] + (t.dims[of_n] == 1 ? 0 : n * t.strides[of_n])];
    };
    Dims index = Dims::filled(dst.rank(), 0);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t n = index[last];
      int64_t from = 0, to = 0;
      for (int j = 0; j < last; ++j) from += index[j] * a.strides[j];
      for (int j = 0; j <= last; ++j) to += index[j] * dst.strides[j];
      float total = at.rounded_rows ? sum_of_rounded(args, from, n) : 0;
      for (int64_t first = at.rounded_rows ? k_count : 0; first < k_count; first += kBlock) {
        float block = 0;
        for (int64_t k = first; k < k_count && k < first + kBlock; ++k) {
          float w = number_at(b, k * b.strides[of_k] + n * b.strides[of_n]);
          if (present(Op::kScales)) {
            w = w - (present(Op::kZeroPoints) ? factor(Op::kZeroPoints, k, n) : static_cast<float>(at.zero_point));
            w = w * factor(Op::kScales, k, n);
          }
          block = std::fma(a.as<const float>()[from + k * a.strides[last]], w, block);
        }
        total = first == 0 ? block : total + block;
      }
      dst.as<float>()[to] = reference_chain(*args.post_ops, args.post_in, dst.dims, index, total);
      for (int j = last; j >= 0 && ++index[j] == dst.dims[j]; --j) index[j] = 0;
    }
    return {};
  }
};

}  // namespace

const HostKernel& compressed_reference() noexcept {
  static const Reference reference;
  return reference;
}

}  // namespace anydim
