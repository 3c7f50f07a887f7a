// SPDX-License-Identifier: Apache-2.0
// Pooling kernels: windows settled in the plan, rows of output pixels (and blocks of channels where rows are few)
// handed to threads.
#include "core/kernels/pool/pool.h"

#include <vector>

#include "core/kernels/pool/bytes.h"
#include "core/kernels/pool/pool_job.h"
#include "core/kernels/pool/reference.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

constexpr int64_t kFewChannels = 4;       // a vector of channels would be all but empty
constexpr int64_t kShortLine = 8;         // pixels: a vector of them would be
constexpr int64_t kParallelTaps = 50000;  // less work stays on the caller

PoolJob job_of(const Pooling& op, const Pooling::Window& w, const Args& args) noexcept {
  const TensorView &src = args.in[0], &dst = args.out[0];
  PoolJob j;
  j.src = src.as<const float>();
  j.dst = dst.as<float>();
  j.channels = src.dims[1];
  j.src_n = src.strides[0];
  j.dst_n = dst.strides[0];
  // One channel has no stride: any value is right, and 1 is the fast one.
  j.src_c = j.channels == 1 ? 1 : src.strides[1];
  j.dst_c = j.channels == 1 ? 1 : dst.strides[1];
  const int spatial = src.dims.rank - 2;
  for (int i = 0; i < spatial; ++i) {
    j.src_s[3 - spatial + i] = src.strides[2 + i];
    j.dst_s[3 - spatial + i] = dst.strides[2 + i];
  }
  for (int a = 0; a < 3; ++a) {
    j.in[a] = w.in[a];
    j.out[a] = w.out[a];
    j.kernel[a] = w.kernel[a];
    j.stride[a] = w.stride[a];
    j.dilation[a] = w.dilation[a];
    j.pad_begin[a] = w.pad_begin[a];
    j.pad_end[a] = w.pad_end[a];
  }
  const bool apart = j.src_c != 1 && w.out[2] >= kShortLine;  // channels, as in rows
  j.pixels = (j.channels <= kFewChannels || apart) && j.src_s[2] == 1 && w.out[2] > 1;
  j.average = op.get().kind == Pooling::Kind::average;
  j.include_pad = op.get().count_include_pad;
  return j;
}

class PoolKernel final : public HostKernel {
 public:
  constexpr PoolKernel(const char* name, Isa isa, PoolTask::Function* task)
      : name_(name), key_{OpKind::pooling, DType::f32, DType::f32, LayoutFamily::any, isa}, task_(task) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    if (p.in[0].dtype != DType::f32) return no("src is not f32");
    if (static_cast<const Pooling*>(p.op)->get().indices) return no("the indices of the maximum are asked for");
    if (p.post_ops->count > 0) return no("pooling takes no post-ops");
    return yes();
  }
  Perm preferred_order(const Problem& p, bool, int) const noexcept override {
    const Dim channels = p.in[0].dims[1];
    if (is_down_columns(static_cast<const Pooling*>(p.op)->get(), p.in[0].dims.rank - 2)) return {};
    return channels.is_number() && channels.number() <= kFewChannels ? Perm{} : channels_last(p.in[0].dims.rank);
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->as<Pooling::Window>() = static_cast<const Pooling*>(args.op)->window(args.in[0].dims, args.out[0].dims);
    plan->scratch = 0;
  }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan& plan, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const auto& w = plan.as<Pooling::Window>();
    PoolJob j = job_of(*static_cast<const Pooling*>(args.op), w, args);
    const int64_t rows = args.out[0].dims[0] * w.out[0] * w.out[1];
    const int64_t work =
        saturating_mul(saturating_mul(rows * w.out[2], saturating_mul(w.kernel[0] * w.kernel[1], w.kernel[2])), j.channels);
    const int threads = work < kParallelTaps ? 1 : args.parallel.threads();
    j.channel_block = j.channels;
    if (rows < 2 * threads) j.channel_block = round_up(ceil_div(j.channels, 2 * threads), 64);
    j.channel_blocks = ceil_div(j.channels, j.channel_block);
    const int64_t tasks = rows * j.channel_blocks;
    if (threads == 1) {
      for (int64_t t = 0; t < tasks; ++t) task_(j, t);
    } else {
      args.parallel.run(tasks, [&](int64_t t, int) { task_(j, t); });
    }
    return {};
  }

 private:
  // Windows of one column: pixels side by side are as good as channels, so no order is worth a copy.
  static bool is_down_columns(const Pooling::Attributes& a, int spatial) noexcept {
    return spatial > 1 && !a.global && a.window[spatial - 1] == 1 && a.strides[spatial - 1] == 1;
  }

  const char* name_;
  KernelKey key_;
  PoolTask::Function* task_;
};

class PoolReference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "pool.reference"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    if (const char* r = pool_reference_refusal(*static_cast<const Pooling*>(p.op), p.in[0].dtype)) return no(r);
    return p.post_ops->count > 0 ? no("pooling takes no post-ops") : yes();
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->as<Pooling::Window>() = static_cast<const Pooling*>(args.op)->window(args.in[0].dims, args.out[0].dims);
    plan->scratch = 0;
  }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan& plan, const Args& args) const noexcept override {
    reference_pool(plan.as<Pooling::Window>(), args);
    return {};
  }

 private:
  KernelKey key_{OpKind::pooling, DType::none, DType::none};
};

}  // namespace

KernelList pool_kernels() noexcept {
  static const KernelsOfSets<"pool.channels", PoolKernel, PoolTask> channels;
  static const PoolReference reference;
  static const auto first = kernel_list(channels, kept<"pool.bytes.portable", kPoolBytes>());
  static const auto& all = *new std::vector<const HostKernel*>([] {  // never destroyed, as kernels are not
    std::vector<const HostKernel*> list(first.begin(), first.end());
    for (const HostKernel* k : pool_indices_list()) list.push_back(k);
    if constexpr (subset::keeps_kernel("pool.reference")) list.push_back(&reference);
    return list;
  }());
  return all;
}

}  // namespace anydim
