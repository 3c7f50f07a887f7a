// SPDX-License-Identifier: Apache-2.0
// The reference kernels of convolution and transposed convolution: docs/numerics.md section 1 as plain loops, on every
// float (f64 for runs that judge f32; 16-bit floats compute in f32 and round once), and in mode reduced on f32. Any layout. Slow on
// purpose; nothing here is shared with the fast kernels.
#include <algorithm>
#include <cmath>

#include "core/base/checked.h"
#include "core/kernels/conv/conv.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/epilogue/reference_chain.h"
#include "core/kernels/simd/half.h"
#include "core/kernels/sums.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"

namespace anydim {

namespace {

template <class T, bool REDUCED, class Weight> auto make_sum(int64_t k, Weight weight) {
  if constexpr (REDUCED) return ReducedSum(k, weight);
  else return StrictSum<T>();
}

// One convolution or transposed convolution over up to three spatial axes: elements of type S, computed in T.
template <class T, class S = T, bool REDUCED = false> void run_reference(const Args& args) {
  const auto* conv = as<Convolution>(*args.op);
  const auto* transposed = as<ConvTranspose>(*args.op);
  const TensorView &src = args.in[0], &weights = args.in[1], &dst = args.out[0];
  const bool has_bias = args.in.size() > 2 && args.in[2].dtype != DType::none;
  const int spatial = conv ? conv->get().spatial : transposed->get().spatial;
  const int64_t groups = conv ? conv->get().group : transposed->get().group;
  const int64_t in_channels = src.dims[1] / groups, out_channels = dst.dims[1] / groups;
  int64_t stride[3], dilation[3], pad[3];
  for (int a = 0; a < spatial; ++a) {
    stride[a] = conv ? conv->get().strides[a] : transposed->get().strides[a];
    dilation[a] = conv ? conv->get().dilations[a] : transposed->get().dilations[a];
    const int64_t in = src.dims[a + 2], kernel = weights.dims[a + 2];
    pad[a] = conv ? conv->pad_begin(a, in, kernel) : transposed->pad_begin(a, in, kernel);
  }
  int64_t k_count = in_channels;
  for (int a = 0; a < spatial; ++a) k_count = saturating_mul(k_count, weights.dims[a + 2]);
  const int64_t count = dst.count();
  Dims at = Dims::filled(dst.dims.rank, 0);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t group = at[1] / out_channels, m = at[1] % out_channels;
    const auto channel_weight = [&](int64_t taps, int64_t c) {
      return static_cast<T>(weights.as<const S>()[taps + (conv ? at[1] * weights.strides[0] + c * weights.strides[1]
                                                               : (group * in_channels + c) * weights.strides[0] + m * weights.strides[1])]);
    };
    const auto any_weight = [&](int64_t k) {
      int64_t position = k / in_channels, taps = 0;
      for (int a = spatial - 1; a >= 0; --a) {
        taps += position % weights.dims[a + 2] * weights.strides[a + 2];
        position /= weights.dims[a + 2];
      }
      return channel_weight(taps, k % in_channels);
    };
    // Only kernel positions within reach of the input: others are skipped, and there may be more than anybody could count.
    int64_t begin[3], end[3], tap[3];
    bool done = in_channels == 0;
    for (int a = 0; a < spatial; ++a) {
      const int64_t kernel = weights.dims[a + 2], in = src.dims[a + 2];
      const int64_t first = conv ? at[a + 2] * stride[a] - pad[a] : at[a + 2] + pad[a] - stride[a] * (in - 1);
      const int64_t last = conv ? in - 1 - first : at[a + 2] + pad[a];  // of k * dilation
      begin[a] = std::max<int64_t>(ceil_div(conv ? -first : first, dilation[a]), 0);
      end[a] = std::min(floor_div(last, dilation[a]) + 1, kernel);
      tap[a] = begin[a];
      done = done || in == 0 || begin[a] >= end[a];
    }
    auto sum = make_sum<T, REDUCED>(k_count, any_weight);
    const auto next = [&] {
      for (int a = spatial - 1; a >= 0; --a) {
        if (++tap[a] < end[a]) return;
        tap[a] = begin[a];
      }
      done = true;
    };
    for (; !done; next()) {
      int64_t from = at[0] * src.strides[0], weight = 0, position = 0;
      bool valid = true;
      for (int a = 0; a < spatial; ++a) {
        const int64_t k = tap[a];
        position = position * weights.dims[a + 2] + k;
        int64_t x = conv ? at[a + 2] * stride[a] - pad[a] + k * dilation[a] : at[a + 2] + pad[a] - k * dilation[a];
        if (!conv) {
          valid = valid && x % stride[a] == 0;
          x /= stride[a];
        }
        from += x * src.strides[a + 2];
        weight += k * weights.strides[a + 2];
      }
      if (!valid) continue;
      for (int64_t c = 0; c < in_channels; ++c)
        sum.add(position * in_channels + c, static_cast<T>(src.as<const S>()[from + (group * in_channels + c) * src.strides[1]]),
                channel_weight(weight, c));
    }
    T total = sum.total();
    if (has_bias) total = total + static_cast<T>(args.in[2].as<const S>()[at[1] * args.in[2].strides[0]]);
    total = reference_chain(*args.post_ops, args.post_in, dst.dims, at, total);
    int64_t to = 0;
    for (int a = 0; a < at.rank; ++a) to += at[a] * dst.strides[a];
    dst.as<S>()[to] = total;
    for (int a = at.rank - 1; a >= 0 && ++at[a] == dst.dims[a]; --a) at[a] = 0;
  }
}

class ReferenceConvolution final : public HostKernel {
 public:
  ReferenceConvolution(OpKind op, const char* name) : name_(name), key_{op, DType::f32, DType::f32, LayoutFamily::any, Isa::portable} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const DType t = p.in[0].dtype;
    if (!dtype_is_float(t)) return no("the input is no float");
    for (const TensorType& i : p.in)
      if (i.dtype != t && i.dtype != DType::none) return no("inputs differ in dtype");
    if (t != DType::f64) return supports_post_ops(p);
    for (const PostOp& s : *p.post_ops)
      if (!(s.takes_tensor() ? is_chain_function(s.binary) : is_chain_function(s.unary) && is_f64_function(s.unary)))
        return no("a post-op has no f64 form");
    for (const TensorType& i : p.post_in)
      if (i.dtype != t) return no("a post-op's tensor differs in dtype");
    return yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    switch (args.in[0].dtype) {
      case DType::f32: run_reference<float>(args); break;
      case DType::f16: run_reference<float, StoredF16>(args); break;
      case DType::bf16: run_reference<float, StoredBF16>(args); break;
      default: run_reference<double>(args); break;
    }
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
};

// Of math mode reduced.
class ReducedReference final : public HostKernel {
 public:
  ReducedReference(OpKind op, const char* name)
      : name_(name), key_{op, DType::f32, DType::f32, LayoutFamily::any, Isa::portable, MathMode::reduced} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override { return reduced_serves_conv(p); }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    run_reference<float, float, true>(args);
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
};

}  // namespace

Support reduced_serves_conv(const Problem& p) noexcept {
  for (const TensorType& t : p.in)
    if (t.dtype != DType::f32 && t.dtype != DType::none) return no("an input is not f32");
  if (!p.is_constant(1)) return no("the weights are no constant");
  const auto* conv = as<Convolution>(*p.op);
  const auto* transposed = as<ConvTranspose>(*p.op);
  const Dims w = numbers(p.in[1].dims);
  const int64_t groups = conv ? conv->get().group : transposed->get().group;
  const int64_t channels = conv ? w[1] : w[0] / groups, columns = conv ? w[0] / groups : w[1];
  int64_t k = channels;  // products that a sum has where all taps are inside
  for (int i = 0; i + 2 < w.rank; ++i) k = saturating_mul(k, conv ? w[i + 2] : ceil_div(w[i + 2], transposed->get().strides[i]));
  if (channels < kLeastReducedChannels || columns < kLeastReducedColumns || k < kLeastReducedK)
    return no("a group has fewer than 16 channels, 32 outputs or 64 products in a sum");
  return supports_post_ops(p);
}

const HostKernel& conv_reduced_reference() noexcept {
  static const ReducedReference k(OpKind::convolution, "conv.bf16.reference");
  return k;
}
const HostKernel& conv_transpose_reduced_reference() noexcept {
  static const ReducedReference k(OpKind::conv_transpose, "conv_transpose.bf16.reference");
  return k;
}

const HostKernel& conv_reference() noexcept {
  static const ReferenceConvolution k(OpKind::convolution, "conv.reference");
  return k;
}
const HostKernel& conv_transpose_reference() noexcept {
  static const ReferenceConvolution k(OpKind::conv_transpose, "conv_transpose.reference");
  return k;
}

}  // namespace anydim
