// SPDX-License-Identifier: Apache-2.0
// The maximum over windows of quantized values: channels side by side in blocks of a fixed length, which the compiler turns into vectors.
// Order does not matter, so any order has the reference's bits.
#include <algorithm>
#include <limits>

#include "core/kernels/pool/bytes.h"
#include "core/ops/operators/pooling.h"

namespace anydim {

namespace {

constexpr int64_t kBlock = 64;  // channels

struct BytePool {
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];
  int64_t src_c, dst_c, src_s[3], dst_s[3];
};

// One output position, channels [0, count) from src and dst on.
template <class T> void pool_block(const BytePool& p, const T* src, T* dst, const int64_t (&at)[3], int64_t count) noexcept {
  T acc[kBlock];
  std::fill_n(acc, kBlock, std::numeric_limits<T>::lowest());
  // Taps inside, along each axis: a window may be longer than any walk.
  int64_t lo[3], hi[3];
  for (int a = 0; a < 3; ++a) {
    const auto taps = [&](int64_t n) { return p.dilation[a] == 1 ? n : ceil_div(n, p.dilation[a]); };  // divisions cost more than a tap
    lo[a] = std::max<int64_t>(taps(-at[a]), 0);
    hi[a] = std::min(taps(p.in[a] - at[a]), p.kernel[a]);
  }
  if (lo[0] >= hi[0] || lo[1] >= hi[1] || lo[2] >= hi[2]) hi[0] = 0;  // not even the axes that have some are walked
  for (int64_t kz = lo[0]; kz < hi[0]; ++kz)
    for (int64_t ky = lo[1]; ky < hi[1]; ++ky)
      for (int64_t kx = lo[2]; kx < hi[2]; ++kx) {
        const int64_t z = at[0] + kz * p.dilation[0], y = at[1] + ky * p.dilation[1], x = at[2] + kx * p.dilation[2];
        const T* from = src + z * p.src_s[0] + y * p.src_s[1] + x * p.src_s[2];
        if (count == kBlock && p.src_c == 1) {
          for (int64_t c = 0; c < kBlock; ++c) acc[c] = acc[c] > from[c] ? acc[c] : from[c];
        } else {
          for (int64_t c = 0; c < count; ++c) acc[c] = std::max(acc[c], from[c * p.src_c]);
        }
      }
  for (int64_t c = 0; c < count; ++c) dst[c * p.dst_c] = acc[c];
}

template <class T> void pool(const Args& args) noexcept {
  const auto& op = *as<Pooling>(*args.op);
  const TensorView &src = args.in[0], &dst = args.out[0];
  const Pooling::Window window = op.window(src.dims, dst.dims);
  const int spatial = src.rank() - 2;
  BytePool p{};
  for (int i = 0; i < 3; ++i) {
    p.in[i] = window.in[i];
    p.out[i] = window.out[i];
    p.kernel[i] = window.kernel[i];
    p.stride[i] = window.stride[i];
    p.dilation[i] = window.dilation[i];
    p.pad[i] = window.pad_begin[i];
    const int a = i - (3 - spatial);
    if (a >= 0) p.src_s[i] = src.strides[a + 2], p.dst_s[i] = dst.strides[a + 2];
  }
  p.src_c = src.strides[1];
  p.dst_c = dst.strides[1];
  const int64_t channels = src.dims[1], lines = src.dims[0] * p.out[0] * p.out[1];
  args.parallel.run(lines, [&](int64_t line, int) {
    const int64_t h = line % p.out[1], d = line / p.out[1] % p.out[0], n = line / p.out[1] / p.out[0];
    const T* from = src.as<const T>() + n * src.strides[0];
    T* to = dst.as<T>() + n * dst.strides[0] + d * p.dst_s[0] + h * p.dst_s[1];
    for (int64_t w = 0; w < p.out[2]; ++w) {
      const int64_t first[3] = {d * p.stride[0] - p.pad[0], h * p.stride[1] - p.pad[1], w * p.stride[2] - p.pad[2]};
      for (int64_t c = 0; c < channels; c += kBlock)
        pool_block(p, from + c * p.src_c, to + w * p.dst_s[2] + c * p.dst_c, first, std::min(kBlock, channels - c));
    }
  });
}

class BytePooling final : public HostKernel {
 public:
  const char* name() const noexcept override { return "pool.bytes.portable"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const DType t = p.in[0].dtype;
    if (t != DType::i8 && t != DType::u8) return no("the input is not of 8 bits");
    if (as<Pooling>(*p.op)->get().kind != Pooling::Kind::max || p.out.size() != 1) return no("it is no maximum, or one with indices");
    return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into this operator");
  }
  Perm preferred_order(const Problem& p, bool, int index) const noexcept override {
    return index == 0 ? channels_last(p.in[0].dims.rank) : Perm{};
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    if (args.in[0].dtype == DType::i8) pool<int8_t>(args);
    else pool<uint8_t>(args);
    return {};
  }

 private:
  KernelKey key_{.op = OpKind::pooling, .src = DType::none, .dst = DType::none, .layout = LayoutFamily::channels_last};
};

const BytePooling byte_pooling;

}  // namespace

constinit const HostKernel* const kPoolBytes = &byte_pooling;

}  // namespace anydim
