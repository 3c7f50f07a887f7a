// SPDX-License-Identifier: Apache-2.0
// The reference kernels of quantized sums of products: docs/numerics.md section 1, "Scales, zero points and the result's dtype", as
// plain loops. Any layout, any of the dtypes; a switch per element rather than an instance per dtype, since it is slow on purpose.
// Nothing here is shared with the fast kernels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/checked.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/epilogue/reference_chain.h"
#include "core/kernels/quantized/quantized.h"
#include "core/kernels/simd/half.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/quantization.h"

namespace anydim {

namespace {

constexpr int64_t kBlock = 128;

int32_t integer_at(const TensorView& t, int64_t offset) noexcept {
  switch (t.dtype) {
    case DType::i8: return t.as<const int8_t>()[offset];
    case DType::u8: return t.as<const uint8_t>()[offset];
    default: return t.as<const int32_t>()[offset];
  }
}
float float_at(const TensorView& t, int64_t offset) noexcept {
  switch (t.dtype) {
    case DType::f32: return t.as<const float>()[offset];
    case DType::f16: return t.as<const StoredF16>()[offset];
    case DType::bf16: return t.as<const StoredBF16>()[offset];
    default: return static_cast<float>(integer_at(t, offset));
  }
}

bool is_8_bit(DType t) noexcept { return t == DType::i8 || t == DType::u8; }

// The scales or zero points of an operand, by output element.
class Factors {
 public:
  Factors() = default;
  // `axis` of the output, or -1; `tensor` where they come with the execution.
  Factors(const Quantization::Factors& from, int axis, const TensorView* tensor) noexcept : from_(&from), axis_(axis), tensor_(tensor) {}
  bool present() const noexcept { return from_ != nullptr; }
  float at(const Dims& out) const noexcept {
    const int64_t i = axis_ < 0 ? 0 : out[axis_];
    if (tensor_ == nullptr) return from_->values[static_cast<size_t>(i)];
    return float_at(*tensor_, tensor_->rank() == 0 ? 0 : i * tensor_->strides[0]);
  }

 private:
  const Quantization::Factors* from_ = nullptr;
  int axis_ = -1;
  const TensorView* tensor_ = nullptr;
};

// A sum of products in the making: exact modulo 2^32, or in blocks of logical k.
class Sum {
 public:
  Sum(bool integers, int32_t zero_a, int32_t zero_b) noexcept : integers_(integers), zero_a_(zero_a), zero_b_(zero_b) {}
  void add(int64_t k, const TensorView& a, int64_t from_a, const TensorView& b, int64_t from_b) noexcept {
    if (integers_) {
      total_i_ += static_cast<uint32_t>((integer_at(a, from_a) - zero_a_) * (integer_at(b, from_b) - zero_b_));
      return;
    }
    if (k / kBlock != open_) {
      close();
      open_ = k / kBlock;
    }
    block_ = std::fma(float_at(a, from_a), float_at(b, from_b), block_);
  }
  int32_t integer() const noexcept { return static_cast<int32_t>(total_i_); }
  float real() noexcept {
    close();
    return total_;
  }

 private:
  void close() noexcept {
    if (open_ >= 0) total_ = any_ ? total_ + block_ : block_;
    any_ = any_ || open_ >= 0;
    open_ = -1;
    block_ = 0;
  }
  const bool integers_;
  const int32_t zero_a_, zero_b_;
  uint32_t total_i_ = 0;
  float total_ = 0, block_ = 0;
  int64_t open_ = -1;
  bool any_ = false;
};

// The products of one output element of a matmul.
void multiply(const Args& args, const Dims& at, Sum* sum) noexcept {
  const Matmul::Attributes& attributes = as<Matmul>(*args.op)->get();
  const TensorView &a = args.in[0], &b = args.in[1];
  const int ra = a.rank(), rb = b.rank(), has_m = ra > 1, has_n = rb > 1, batch = at.rank - has_m - has_n;
  const int a_k = ra == 1 ? 0 : ra - (attributes.transpose_a ? 2 : 1), b_k = rb == 1 ? 0 : rb - (attributes.transpose_b ? 1 : 2);
  int64_t from_a = 0, from_b = 0;
  for (int i = 0; i + 2 < ra; ++i)
    if (a.dims[i] != 1) from_a += at[batch - (ra - 2) + i] * a.strides[i];
  for (int i = 0; i + 2 < rb; ++i)
    if (b.dims[i] != 1) from_b += at[batch - (rb - 2) + i] * b.strides[i];
  if (has_m) from_a += at[batch] * a.strides[2 * ra - 3 - a_k];
  if (has_n) from_b += at[at.rank - 1] * b.strides[2 * rb - 3 - b_k];
  for (int64_t k = 0; k < a.dims[a_k]; ++k) sum->add(k, a, from_a + k * a.strides[a_k], b, from_b + k * b.strides[b_k]);
}

// Those of a convolution or transposed convolution: kernel positions in order, then channels; taps outside contribute nothing.
void convolve(const Args& args, const Dims& at, Sum* sum) noexcept {
  const auto* conv = as<Convolution>(*args.op);
  const auto* transposed = as<ConvTranspose>(*args.op);
  const TensorView &src = args.in[0], &weights = args.in[1];
  const int spatial = conv ? conv->get().spatial : transposed->get().spatial;
  const int64_t groups = conv ? conv->get().group : transposed->get().group, in_channels = src.dims[1] / groups;
  const int64_t out_channels = args.out[0].dims[1] / groups, group = at[1] / out_channels;
  int64_t stride[kMaxSpatial], dilation[kMaxSpatial], base[kMaxSpatial], begin[kMaxSpatial], end[kMaxSpatial], tap[kMaxSpatial];
  for (int s = 0; s < spatial; ++s) {
    stride[s] = conv ? conv->get().strides[s] : transposed->get().strides[s];
    dilation[s] = conv ? conv->get().dilations[s] : transposed->get().dilations[s];
    const int64_t in = src.dims[s + 2], kernel = weights.dims[s + 2];
    // The input's position of tap k is base + k * dilation, or (base - k * dilation) / stride.
    base[s] = conv ? at[s + 2] * stride[s] - conv->pad_begin(s, in, kernel) : at[s + 2] + transposed->pad_begin(s, in, kernel);
    const int64_t first = conv ? -base[s] : base[s] - stride[s] * (in - 1), last = conv ? in - 1 - base[s] : base[s];
    begin[s] = tap[s] = std::max<int64_t>(ceil_div(first, dilation[s]), 0);
    end[s] = std::min(floor_div(last, dilation[s]) + 1, kernel);
    if (in == 0 || begin[s] >= end[s]) return;
  }
  for (;;) {
    int64_t from = at[0] * src.strides[0] + group * in_channels * src.strides[1], position = 0;
    int64_t weight =
        conv ? at[1] * weights.strides[0] : group * in_channels * weights.strides[0] + at[1] % out_channels * weights.strides[1];
    bool inside = true;
    for (int s = 0; s < spatial; ++s) {
      const int64_t x = conv ? base[s] + tap[s] * dilation[s] : base[s] - tap[s] * dilation[s];
      inside = inside && (conv || x % stride[s] == 0);
      from += (conv ? x : x / stride[s]) * src.strides[s + 2];
      weight += tap[s] * weights.strides[s + 2];
      position = position * weights.dims[s + 2] + tap[s];
    }
    for (int64_t c = 0; inside && c < in_channels; ++c)
      sum->add(position * in_channels + c, src, from + c * src.strides[1], weights, weight + c * weights.strides[conv ? 1 : 0]);
    int s = spatial - 1;
    while (s >= 0 && ++tap[s] == end[s]) tap[s] = begin[s], --s;
    if (s < 0) return;
  }
}

// Round to nearest even, shift, saturate; NaN gives 0.
int32_t to_integer(float y, float zero, DType t) noexcept {
  const float rounded = std::nearbyint(y) + zero;
  if (std::isnan(rounded)) return 0;
  if (t == DType::i32) {
    if (rounded >= 0x1p31f) return std::numeric_limits<int32_t>::max();
    return rounded < -0x1p31f ? std::numeric_limits<int32_t>::min() : static_cast<int32_t>(rounded);
  }
  const float low = t == DType::i8 ? -128.f : 0.f;
  return static_cast<int32_t>(std::min(std::max(rounded, low), low + 255.f));
}

void store(const TensorView& t, int64_t offset, int32_t v) noexcept {
  switch (t.dtype) {
    case DType::i8: t.as<int8_t>()[offset] = static_cast<int8_t>(v); break;
    case DType::u8: t.as<uint8_t>()[offset] = static_cast<uint8_t>(v); break;
    default: t.as<int32_t>()[offset] = v; break;
  }
}

void run_reference(const Args& args) noexcept {
  const Quantization& q = *args.quantization;
  const auto* matmul = as<Matmul>(*args.op);
  const TensorView& dst = args.out[0];
  const bool integers = is_8_bit(args.in[0].dtype);
  const TensorView* c = args.in.size() > 2 && args.in[2].dtype != DType::none ? &args.in[2] : nullptr;
  Factors scale[Quantization::kOperands], zero[Quantization::kOperands];
  const TensorView* next = args.post_in.data() + args.post_ops->operands();
  for (int o = 0; o < Quantization::kOperands; ++o)
    for (const bool is_scale : {true, false}) {
      const Quantization::Factors& f = is_scale ? q.scale[o] : q.zero_point[o];
      if (!f.present()) continue;
      const int axis =
          f.axis < 0 ? -1 : Quantization::axis_of_result(*args.op, o, f.axis, args.in[0].rank(), args.in[1].rank(), dst.rank());
      (is_scale ? scale : zero)[o] = Factors(f, axis, f.from == Quantization::Factors::From::operand ? next++ : nullptr);
    }
  // Nothing is rounded: the sum itself is the result.
  const bool exact = integers && dst.dtype == DType::i32 && !scale[0].present() && !scale[1].present() && args.post_ops->count == 0 &&
                     (c == nullptr || c->dtype == DType::i32);
  const float alpha = matmul && !integers ? matmul->get().alpha : 1.f, beta = matmul && !integers ? matmul->get().beta : 1.f;
  const int64_t count = dst.count();
  Dims at = Dims::filled(dst.dims.rank, 0);
  for (int64_t i = 0; i < count; ++i) {
    const auto zero_of = [&](int o) { return zero[o].present() ? zero[o].at(at) : 0.f; };
    Sum sum(integers, static_cast<int32_t>(zero_of(0)), static_cast<int32_t>(zero_of(1)));
    if (matmul) multiply(args, at, &sum);
    else convolve(args, at, &sum);
    int64_t from_c = 0, to = 0;
    if (c != nullptr) {
      if (!matmul) from_c = at[1] * c->strides[0];
      for (int j = 0; matmul && j < c->rank(); ++j)
        if (c->dims[j] != 1) from_c += at[dst.rank() - c->rank() + j] * c->strides[j];
    }
    for (int j = 0; j < at.rank; ++j) to += at[j] * dst.strides[j];
    int32_t whole = sum.integer();
    if (c != nullptr && c->dtype == DType::i32)
      whole = static_cast<int32_t>(static_cast<uint32_t>(whole) + static_cast<uint32_t>(integer_at(*c, from_c)));
    if (exact) {
      store(dst, to, whole);
    } else {
      float y = integers ? static_cast<float>(whole) : sum.real();
      if (scale[0].present() && scale[1].present()) y = y * (scale[0].at(at) * scale[1].at(at));
      else if (scale[0].present()) y = y * scale[0].at(at);
      else if (scale[1].present()) y = y * scale[1].at(at);
      if (alpha != 1.f) y = alpha * y;
      if (c != nullptr && c->dtype != DType::i32) y = y + (beta != 1.f ? beta * float_at(*c, from_c) : float_at(*c, from_c));
      y = reference_chain(*args.post_ops, args.post_in, dst.dims, at, y);
      if (scale[2].present()) y = y / scale[2].at(at);
      switch (dst.dtype) {
        case DType::f32: dst.as<float>()[to] = y; break;
        case DType::f16: dst.as<StoredF16>()[to] = y; break;
        case DType::bf16: dst.as<StoredBF16>()[to] = y; break;
        default: store(dst, to, to_integer(y, zero_of(2), dst.dtype)); break;
      }
    }
    for (int j = at.rank - 1; j >= 0 && ++at[j] == dst.dims[j]; --j) at[j] = 0;
  }
}

class QuantizedReference final : public HostKernel {
 public:
  constexpr QuantizedReference(const char* name, OpKind op) noexcept
      : name_(name), key_{.op = op, .src = DType::none, .dst = DType::none, .quantized = true} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  // What can be said of which operands was checked with the attributes.
  Support supports(const Problem& p) const noexcept override {
    Problem chain = p;
    chain.post_in = p.post_in.first(static_cast<size_t>(p.post_ops->operands()));
    return supports_post_ops(chain);
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    run_reference(args);
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
};

}  // namespace

KernelList quantized_references() noexcept {
  static const QuantizedReference matmul("gemm.quantized.reference", OpKind::matmul);
  static const QuantizedReference conv("conv.quantized.reference", OpKind::convolution);
  static const QuantizedReference transposed("conv_transpose.quantized.reference", OpKind::conv_transpose);
  static const HostKernel* const list[] = {&matmul, &conv, &transposed};
  return list;
}

}  // namespace anydim
