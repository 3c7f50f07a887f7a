// SPDX-License-Identifier: Apache-2.0
// The maximum over windows of binary32 with its index: 16 output positions of a row side by side, whose taps are index_lanes.inl.h's.
#include <algorithm>

#include "core/kernels/pool/bytes.h"
#include "core/kernels/pool/index_lanes.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/pooling.h"

namespace anydim {

namespace {

constexpr int kLanes = kIndexLanes;

// Lanes along a row of outputs, or where rows are short, over channels. Lanes that are none repeat the last one.
class IndexRun {
 public:
  IndexRun(const IndexPool& p, const Args& args, IndexLanes::Function* lanes) noexcept
      : p_(p), args_(args), lanes_(lanes), plane_(p.in[0] * p.in[1] * p.in[2]) {}

  // The rows of a channel of an item.
  void along(int64_t channel) const noexcept {
    const Places places = places_of(channel);
    IndexWindows windows;
    for (int64_t& from : windows.from) from = places.src;
    for (int64_t d = 0; d < p_.out[0]; ++d)
      for (int64_t h = 0; h < p_.out[1]; ++h)
        for (int64_t w = 0, count; w < p_.out[2]; w += count) {
          count = std::min<int64_t>(kLanes, p_.out[2] - w);
          // Long windows that lie apart have few taps in common.
          if (p_.kernel[2] > 64 && p_.stride[2] * (count - 1) > p_.in[2]) count = 1;
          for (int l = 0; l < kLanes; ++l) windows.at[l] = (w + std::min<int64_t>(l, count - 1)) * p_.stride[2] - p_.pad[2];
          windows.apart = p_.stride[2] <= 2 && p_.src_s[2] == 1 && count == kLanes ? p_.stride[2] : 0;
          const IndexBest best = best_of(&windows, d, h);
          if (p_.dst_s[2] == 1 && p_.index_s[2] == 1) write_row(places, d, h, w, best, count);
          else
            for (int l = 0; l < count; ++l) write(places, d, h, w + l, best, l);
        }
  }
  // `count` channels from `first` on.
  void across(int64_t first, int64_t count) const noexcept {
    Places places[kLanes];
    IndexWindows windows;
    for (int l = 0; l < kLanes; ++l) {
      places[l] = places_of(first + std::min<int64_t>(l, count - 1));
      windows.from[l] = places[l].src;
    }
    windows.apart = 0;
    for (int64_t d = 0; d < p_.out[0]; ++d)
      for (int64_t h = 0; h < p_.out[1]; ++h)
        for (int64_t w = 0; w < p_.out[2]; ++w) {
          for (int64_t& at : windows.at) at = w * p_.stride[2] - p_.pad[2];
          const IndexBest best = best_of(&windows, d, h);
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
  IndexBest best_of(IndexWindows* windows, int64_t d, int64_t h) const noexcept {
    windows->first[0] = d * p_.stride[0] - p_.pad[0];
    windows->first[1] = h * p_.stride[1] - p_.pad[1];
    IndexBest best;
    lanes_(p_, args_.in[0].as<const int32_t>(), *windows, &best);
    return best;
  }
  void write(const Places& at, int64_t d, int64_t h, int64_t w, const IndexBest& best, int l) const noexcept {
    args_.out[0].as<int32_t>()[at.dst + d * p_.dst_s[0] + h * p_.dst_s[1] + w * p_.dst_s[2]] = best.bits[l];
    args_.out[1].as<int64_t>()[at.index + d * p_.index_s[0] + h * p_.index_s[1] + w * p_.index_s[2]] =
        best.key[l] == INT32_MIN ? -1 : at.plane + best.place[l];
  }
  void write_row(const Places& at, int64_t d, int64_t h, int64_t w, const IndexBest& best, int64_t count) const noexcept {
    auto* const y = args_.out[0].as<int32_t>() + at.dst + d * p_.dst_s[0] + h * p_.dst_s[1] + w;
    auto* const index = args_.out[1].as<int64_t>() + at.index + d * p_.index_s[0] + h * p_.index_s[1] + w;
    for (int64_t l = 0; l < count; ++l) {
      y[l] = best.bits[l];
      index[l] = best.key[l] == INT32_MIN ? -1 : at.plane + best.place[l];
    }
  }
  const IndexPool& p_;
  const Args& args_;
  IndexLanes::Function* lanes_;
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
  constexpr IndexPooling(const char* name, Isa isa, IndexLanes::Function* lanes) noexcept
      : name_(name), key_{.op = OpKind::pooling, .src = DType::none, .dst = DType::none, .isa = isa}, lanes_(lanes) {}
  const char* name() const noexcept override { return name_; }
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
    const IndexRun run(p, args, lanes_);
    const int64_t channels = args.in[0].dims[0] * args.in[0].dims[1];
    if (p.out[2] >= kLanes / 4) args.parallel.run(channels, [&](int64_t task, int) { run.along(task); });
    else
      args.parallel.run(ceil_div(channels, kLanes),
                        [&](int64_t task, int) { run.across(task * kLanes, std::min<int64_t>(kLanes, channels - task * kLanes)); });
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  IndexLanes::Function* lanes_;
};

}  // namespace

KernelList pool_indices_list() noexcept {
  static const KernelsOfSets<"pool.indices", IndexPooling, IndexLanes> indices;
  static const auto all = kernel_list(indices);
  return all;
}

}  // namespace anydim
