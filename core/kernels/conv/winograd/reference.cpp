// SPDX-License-Identifier: Apache-2.0
// The reference kernel of math mode fast: docs/numerics.md, section 1, as plain loops. Any layout. Slow on purpose; it shares the rule
// which planes are computed so (rule.cpp), and nothing else, with the fast kernels.
#include <algorithm>
#include <cmath>

#include "core/base/checked.h"
#include "core/kernels/conv/conv.h"
#include "core/kernels/conv/winograd/winograd.h"
#include "core/kernels/epilogue/reference_chain.h"
#include "core/kernels/sums.h"
#include "core/ops/operators/convolution.h"

namespace anydim {

namespace {

constexpr float kSqrtHalf = 0x1.6a09e6p-1f, kSqrtTwo = 0x1.6a09e6p+0f;

// Along one axis, numbers `step` apart in place. Inputs of a tile:
void transform_input(float* d, int step) {
  const auto at = [&](int i) { return d[i * step]; };
  const float d0 = at(0), d1 = at(1), d2 = at(2), d3 = at(3), d4 = at(4), d5 = at(5);
  const float e = std::fma(-2.f, d2, d4), f = std::fma(-2.f, d1, d3), g = std::fma(-0.5f, d2, d4), h = std::fma(-0.5f, d1, d3);
  const float v[] = {d0 + std::fma(-2.5f, d2, d4), std::fma(kSqrtHalf, f, e), std::fma(-kSqrtHalf, f, e),
                     std::fma(kSqrtTwo, h, g),     std::fma(-kSqrtTwo, h, g), d1 + std::fma(-2.5f, d3, d5)};
  for (int i = 0; i < 6; ++i) d[i * step] = v[i];
}

// Three weights; there is room for the six that they become.
void transform_weights(float* w, int step) {
  const float g0 = w[0], g1 = w[step], g2 = w[2 * step];
  const float p = std::fma(2.f, g0, g2), q = std::fma(2.f, g2, g0);
  const float u[] = {g0,
                     std::fma(kSqrtTwo, g1, p) * (-1.f / 3.f),
                     std::fma(-kSqrtTwo, g1, p) * (-1.f / 3.f),
                     std::fma(kSqrtTwo, g1, q) * (1.f / 6.f),
                     std::fma(-kSqrtTwo, g1, q) * (1.f / 6.f),
                     g2};
  for (int i = 0; i < 6; ++i) w[i * step] = u[i];
}

// Sums become outputs, the first ones in place.
void transform_sums(float* m, int step) {
  const auto at = [&](int i) { return m[i * step]; };
  const float s = at(1) + at(2), d = at(1) - at(2), t = at(3) + at(4), u = at(3) - at(4);
  const float y[] = {at(0) + (s + t), std::fma(kSqrtTwo, u, kSqrtHalf * d), std::fma(2.f, t, s / 2),
                     std::fma(2 * kSqrtTwo, u, std::fma(kSqrtHalf / 2, d, at(5)))};
  for (int i = 0; i < 4; ++i) m[i * step] = y[i];
}

constexpr int kTile = 4, kSide = kTile + 2, kElements = kSide * kSide;

class Convolved {
 public:
  explicit Convolved(const Args& args)
      : args_(args), op_(*as<Convolution>(*args.op)), src_(args.in[0]), weights_(args.in[1]), dst_(args.out[0]) {
    channels_ = weights_.dims[1];
    outputs_ = weights_.dims[0] / op_.get().group;
    for (int a = 0; a < 2; ++a) pad_[a] = op_.pad_begin(a, src_.dims[a + 2], 3);
  }

  void run() {
    auto* const u = static_cast<float*>(args_.scratch);  // of one output: channel by channel
    for (int64_t m = 0; m < weights_.dims[0]; ++m) {
      for (int64_t c = 0; c < channels_; ++c) transform_kernel(m, c, u + c * kElements);
      for (int64_t n = 0; n < dst_.dims[0]; ++n)
        for (int64_t y = 0; y < dst_.dims[2]; y += kTile)
          for (int64_t x = 0; x < dst_.dims[3]; x += kTile) run_tile(n, m, y, x, u);
    }
  }

 private:
  float input(int64_t n, int64_t c, int64_t y, int64_t x) const {
    return src_.as<const float>()[n * src_.strides[0] + c * src_.strides[1] + y * src_.strides[2] + x * src_.strides[3]];
  }
  bool inside(int64_t y, int64_t x) const { return y >= 0 && y < src_.dims[2] && x >= 0 && x < src_.dims[3]; }
  float weight(int64_t m, int64_t c, int64_t y, int64_t x) const {
    return weights_
        .as<const float>()[m * weights_.strides[0] + c * weights_.strides[1] + y * weights_.strides[2] + x * weights_.strides[3]];
  }

  void transform_kernel(int64_t m, int64_t c, float* u) const {
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 3; ++x) u[y * kSide + x] = weight(m, c, y, x);
    for (int x = 0; x < 3; ++x) transform_weights(u + x, kSide);
    for (int y = 0; y < kSide; ++y) transform_weights(u + y * kSide, 1);
  }

  void run_tile(int64_t n, int64_t m, int64_t top, int64_t left, const float* u) const {
    const int64_t first = m / outputs_ * channels_;
    StrictSum<float> sum[kElements];
    for (int64_t c = 0; c < channels_; ++c) {
      float v[kElements];
      for (int y = 0; y < kSide; ++y)
        for (int x = 0; x < kSide; ++x) {
          const int64_t iy = top + y - pad_[0], ix = left + x - pad_[1];
          v[y * kSide + x] = inside(iy, ix) ? input(n, first + c, iy, ix) : 0.f;
        }
      for (int x = 0; x < kSide; ++x) transform_input(v + x, kSide);
      for (int y = 0; y < kSide; ++y) transform_input(v + y * kSide, 1);
      for (int i = 0; i < kElements; ++i) sum[i].add(c, v[i], u[c * kElements + i]);
    }
    float out[kElements];
    for (int i = 0; i < kElements; ++i) out[i] = sum[i].total();
    for (int x = 0; x < kSide; ++x) transform_sums(out + x, kSide);
    for (int y = 0; y < kTile; ++y) transform_sums(out + y * kSide, 1);
    for (int y = 0; y < kTile && top + y < dst_.dims[2]; ++y)
      for (int x = 0; x < kTile && left + x < dst_.dims[3]; ++x) {
        float total = out[y * kSide + x];
        if (!std::isfinite(total)) total = strict_sum(n, m, top + y, left + x);
        store({n, m, top + y, left + x}, total);
      }
  }

  float strict_sum(int64_t n, int64_t m, int64_t y, int64_t x) const {
    StrictSum<float> sum;
    for (int64_t ky = 0; ky < 3; ++ky)
      for (int64_t kx = 0; kx < 3; ++kx) {
        const int64_t iy = y + ky - pad_[0], ix = x + kx - pad_[1];
        if (!inside(iy, ix)) continue;
        for (int64_t c = 0; c < channels_; ++c)
          sum.add((ky * 3 + kx) * channels_ + c, input(n, m / outputs_ * channels_ + c, iy, ix), weight(m, c, ky, kx));
      }
    return sum.total();
  }

  void store(const Dims& at, float total) const {
    if (args_.in.size() > 2 && args_.in[2].dtype != DType::none)
      total = total + args_.in[2].as<const float>()[at[1] * args_.in[2].strides[0]];
    total = reference_chain(*args_.post_ops, args_.post_in, dst_.dims, at, total);
    int64_t to = 0;
    for (int a = 0; a < 4; ++a) to += at[a] * dst_.strides[a];
    dst_.as<float>()[to] = total;
  }

  const Args& args_;
  const Convolution& op_;
  const TensorView &src_, &weights_, &dst_;
  int64_t channels_, outputs_, pad_[2];
};

class FastReference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "conv.winograd.reference"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override { return fast_serves_conv(p); }
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = bytes(args.in[1].dims); }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    return bytes(in[1]);
  }
  Status run(const Plan& plan, const Args& args) const noexcept override {
    const Dims& out = args.out[0].dims;
    if (!winograd_serves_plane(out[2], out[3])) return conv_reference().run(plan, args);
    Convolved(args).run();
    return {};
  }

 private:
  static int64_t bytes(const Dims& weights) noexcept { return saturating_mul(weights[1], kElements * static_cast<int64_t>(sizeof(float))); }
  const KernelKey key_{OpKind::convolution, DType::f32, DType::f32, LayoutFamily::any, Isa::portable, MathMode::fast};
};

}  // namespace

const HostKernel& conv_fast_reference() noexcept {
  static const FastReference k;
  return k;
}

}  // namespace anydim
