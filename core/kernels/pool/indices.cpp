// SPDX-License-Identifier: Apache-2.0
// The maximum over windows of binary32 with its index: 16 output positions of a row side by side. Elements are compared as whole
// numbers of the same order, NaN above all and +0 above -0, so that the first winner in the order of taps stays by a plain comparison.
#include <algorithm>
#include <cstring>
#include <limits>

#include "core/kernels/pool/bytes.h"
#include "core/ops/operators/pooling.h"

namespace anydim {

namespace {

constexpr int kLanes = 16;

struct IndexPool {
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], pad[3];
  int64_t src_s[3], dst_s[3], index_s[3];
  int64_t place[3];  // what one element further along an axis adds to an index
};

struct Best {
  int32_t key[kLanes], bits[kLanes];
  int64_t place[kLanes];
};

// Takes the lanes of `bits` that are better. A key of the least number is no element's.
inline void take(const int32_t (&bits)[kLanes], const int32_t (&there)[kLanes], int64_t place, Best* best) noexcept {
  constexpr int32_t kInfinity = 0x7f800000;
  int32_t better[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    const int32_t plain = bits[l] ^ (bits[l] >> 31 & INT32_MAX);
    const int32_t key = (bits[l] & INT32_MAX) > kInfinity ? INT32_MAX : plain;
    better[l] = -static_cast<int32_t>((key > best->key[l]) & there[l]);
    best->key[l] = (key & better[l]) | (best->key[l] & ~better[l]);
    best->bits[l] = (bits[l] & better[l]) | (best->bits[l] & ~better[l]);
  }
  for (int l = 0; l < kLanes; ++l) {
    const int64_t taken = better[l];
    best->place[l] = (place & taken) | (best->place[l] & ~taken);
  }
}

// Sixteen windows that begin at (first[0], first[1]) and each at its own place along the row, in channels `from` elements from x.
struct Windows {
  int64_t first[2], at[kLanes], from[kLanes];
  bool together;  // neighbours in memory
};

int64_t taps(int64_t n, int64_t dilation) noexcept { return dilation == 1 ? n : ceil_div(n, dilation); }  // divisions cost more than a tap

void pool_lanes(const IndexPool& p, const int32_t* x, const Windows& windows, Best* best) noexcept {
  for (int l = 0; l < kLanes; ++l) {
    best->key[l] = INT32_MIN;
    best->bits[l] = static_cast<int32_t>(0xff800000u);
    best->place[l] = -1;
  }
  int64_t lo[2], hi[2];
  for (int a = 0; a < 2; ++a) {
    lo[a] = std::max<int64_t>(taps(-windows.first[a], p.dilation[a]), 0);
    hi[a] = std::min(taps(p.in[a] - windows.first[a], p.dilation[a]), p.kernel[a]);
  }
  // Along the row: those taps that any of the lanes has inside.
  const int64_t low = windows.at[0], high = windows.at[kLanes - 1];
  const int64_t left = std::max<int64_t>(taps(-high, p.dilation[2]), 0);
  const int64_t right = std::min(taps(p.in[2] - low, p.dilation[2]), p.kernel[2]);
  for (int64_t kz = lo[0]; left < right && kz < hi[0]; ++kz)
    for (int64_t ky = lo[1]; ky < hi[1]; ++ky) {
      const int64_t z = windows.first[0] + kz * p.dilation[0], y = windows.first[1] + ky * p.dilation[1];
      const int32_t* const row = x + z * p.src_s[0] + y * p.src_s[1];
      for (int64_t kx = left; kx < right; ++kx) {
        const int64_t step = kx * p.dilation[2];
        int32_t bits[kLanes], there[kLanes];
        if (low + step >= 0 && high + step < p.in[2]) {
          if (windows.together) std::memcpy(bits, row + windows.from[0] + low + step, sizeof bits);
          else
            for (int l = 0; l < kLanes; ++l) bits[l] = row[windows.from[l] + (windows.at[l] + step) * p.src_s[2]];
          for (int32_t& one : there) one = 1;
        } else {
          for (int l = 0; l < kLanes; ++l) {
            const int64_t i = windows.at[l] + step;
            there[l] = i >= 0 && i < p.in[2];
            bits[l] = row[windows.from[l] + std::clamp<int64_t>(i, 0, p.in[2] - 1) * p.src_s[2]];
          }
        }
        // And the lane's own place, which is added at the end.
        take(bits, there, z * p.place[0] + y * p.place[1] + step * p.place[2], best);
      }
    }
  for (int l = 0; l < kLanes; ++l)
    if (best->key[l] != INT32_MIN) best->place[l] += windows.at[l] * p.place[2];
}

// Lanes along a row of outputs, or where rows are short, over channels. Lanes that are none repeat the last one.
class IndexRun {
 public:
  IndexRun(const IndexPool& p, const Args& args) noexcept : p_(p), args_(args), plane_(p.in[0] * p.in[1] * p.in[2]) {}

  // The rows of a channel of an item.
  void along(int64_t channel) const noexcept {
    const Places places = places_of(channel);
    Windows windows;
    for (int64_t& from : windows.from) from = places.src;
    for (int64_t d = 0; d < p_.out[0]; ++d)
      for (int64_t h = 0; h < p_.out[1]; ++h)
        for (int64_t w = 0, count; w < p_.out[2]; w += count) {
          count = std::min<int64_t>(kLanes, p_.out[2] - w);
          // Long windows that lie apart have few taps in common.
          if (p_.kernel[2] > 64 && p_.stride[2] * (count - 1) > p_.in[2]) count = 1;
          for (int l = 0; l < kLanes; ++l) windows.at[l] = (w + std::min<int64_t>(l, count - 1)) * p_.stride[2] - p_.pad[2];
          windows.together = p_.stride[2] == 1 && p_.src_s[2] == 1 && count == kLanes;
          const Best best = best_of(&windows, d, h);
          for (int l = 0; l < count; ++l) write(places, d, h, w + l, best, l);
        }
  }
  // `count` channels from `first` on.
  void across(int64_t first, int64_t count) const noexcept {
    Places places[kLanes];
    Windows windows;
    for (int l = 0; l < kLanes; ++l) {
      places[l] = places_of(first + std::min<int64_t>(l, count - 1));
      windows.from[l] = places[l].src;
    }
    windows.together = false;
    for (int64_t d = 0; d < p_.out[0]; ++d)
      for (int64_t h = 0; h < p_.out[1]; ++h)
        for (int64_t w = 0; w < p_.out[2]; ++w) {
          for (int64_t& at : windows.at) at = w * p_.stride[2] - p_.pad[2];
          const Best best = best_of(&windows, d, h);
          for (int l = 0; l < count; ++l) write(places[l], d, h, w, best, l);
        }
  }

 private:
  // Where a channel of an item begins.
  struct Places {
    int64_t src, dst, index, plane;
  };
  Places places_of(int64_t channel) const noexcept {
    const int64_t channels = args_.in[0].dims[1], n = channel / channels, c = channel % channels;
    const auto in = [&](const TensorView& t) { return n * t.strides[0] + c * t.strides[1]; };
    return {in(args_.in[0]), in(args_.out[0]), in(args_.out[1]), channel * plane_};
  }
  Best best_of(Windows* windows, int64_t d, int64_t h) const noexcept {
    windows->first[0] = d * p_.stride[0] - p_.pad[0];
    windows->first[1] = h * p_.stride[1] - p_.pad[1];
    Best best;
    pool_lanes(p_, args_.in[0].as<const int32_t>(), *windows, &best);
    return best;
  }
  void write(const Places& at, int64_t d, int64_t h, int64_t w, const Best& best, int l) const noexcept {
    args_.out[0].as<int32_t>()[at.dst + d * p_.dst_s[0] + h * p_.dst_s[1] + w * p_.dst_s[2]] = best.bits[l];
    args_.out[1].as<int64_t>()[at.index + d * p_.index_s[0] + h * p_.index_s[1] + w * p_.index_s[2]] =
        best.key[l] == INT32_MIN ? -1 : at.plane + best.place[l];
  }
  const IndexPool& p_;
  const Args& args_;
  int64_t plane_;
};

IndexPool pool_of(const Args& args) noexcept {
  const auto& op = *as<Pooling>(*args.op);
  const TensorView &src = args.in[0], &dst = args.out[0], &index = args.out[1];
  const Pooling::Window window = op.window(src.dims, dst.dims);
  const int missing = 5 - src.rank();
  IndexPool p{};
  for (int i = 0; i < 3; ++i) {
    p.in[i] = window.in[i];
    p.out[i] = window.out[i];
    p.kernel[i] = window.kernel[i];
    p.stride[i] = window.stride[i];
    p.dilation[i] = window.dilation[i];
    p.pad[i] = window.pad_begin[i];
    if (i < missing) continue;
    const int axis = i - missing + 2;
    p.src_s[i] = src.strides[axis];
    p.dst_s[i] = dst.strides[axis];
    p.index_s[i] = index.strides[axis];
  }
  const bool columns = op.get().column_major_indices;
  p.place[0] = columns ? 1 : p.in[1] * p.in[2];
  p.place[1] = columns ? p.in[0] : p.in[2];
  p.place[2] = columns ? p.in[0] * p.in[1] : 1;
  return p;
}

class IndexPooling final : public HostKernel {
 public:
  const char* name() const noexcept override { return "pool.indices.portable"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    if (p.in[0].dtype != DType::f32) return no("src is not f32");
    if (!as<Pooling>(*p.op)->get().indices) return no("no indices are asked for");
    return p.post_ops->count == 0 ? yes() : no("pooling takes no post-ops");
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const IndexPool p = pool_of(args);
    const IndexRun run(p, args);
    const int64_t channels = args.in[0].dims[0] * args.in[0].dims[1];
    if (p.out[2] >= kLanes / 4) args.parallel.run(channels, [&](int64_t task, int) { run.along(task); });
    else
      args.parallel.run(ceil_div(channels, kLanes),
                        [&](int64_t task, int) { run.across(task * kLanes, std::min<int64_t>(kLanes, channels - task * kLanes)); });
    return {};
  }

 private:
  KernelKey key_{OpKind::pooling, DType::none, DType::none};
};

const IndexPooling index_pooling;

}  // namespace

constinit const HostKernel* const kPoolIndices = &index_pooling;

}  // namespace anydim
