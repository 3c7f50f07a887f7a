// SPDX-License-Identifier: Apache-2.0
// The f32 reduction kernels, one per instruction set: axes split once per run, outputs cut into tasks. And the list.
#include "core/kernels/reduce/reduce.h"

#include "core/kernels/reduce/strip_tasks.h"
#include "core/kernels/reduce/strips.h"
#include "core/ops/reduce.h"

namespace anydim {

namespace {

class ReduceKernel final : public HostKernel {
 public:
  constexpr ReduceKernel(const char* name, Isa isa, ReduceFunction strip) noexcept
      : name_(name), key_{.op = OpKind::reduce, .isa = isa}, strip_(strip) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!as<Reduce>(*p.op)) return no("another operator");
    if (p.in[0].dtype != DType::f32) return no("the input is not f32");
    if (p.post_ops->count != 0) return no("post-ops are not fused into reductions");
    return yes();
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    const Reduce& op = *as<Reduce>(*args.op);
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return {};
    uint32_t mask;
    ANYDIM_TRY(op.axis_mask(x.rank(), &mask));
    Strides out_strides = Strides::filled(x.rank(), 0);
    for (int a = 0, o = 0; a < x.rank(); ++a) {
      const bool reduced = mask >> a & 1;
      if (!reduced) out_strides[a] = y.strides[o];
      o += !reduced || op.keepdims();
    }
    const SplitAxes axes = split_axes(x.rank(), x.dims.values, x.strides.values, out_strides.values, mask);
    const bool lanes = x.rank() > 0 && mask == 1u << (x.rank() - 1);

    run_strips(axes, lanes && axes.reduced.in_strides[0] == 1, args.parallel, [&](int64_t in, int64_t out, int64_t width) {
      strip_({op.reduction(), lanes, x.as<float>() + in, y.as<float>() + out, width, axes.in_stride, axes.out_stride, &axes.reduced});
    });
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  ReduceFunction strip_;
};

#if defined(__x86_64__)
const ReduceKernel kAvx512("reduce.avx512", Isa::avx512, reduce_strip_avx512);
const ReduceKernel kAvx2("reduce.avx2", Isa::avx2, reduce_strip_avx2);
#endif
const ReduceKernel kPortable("reduce.portable", Isa::portable, reduce_strip_portable);

}  // namespace

KernelList reduce_kernels() noexcept {
  static const HostKernel* const list[] = {
#if defined(__x86_64__)
    &kAvx512,
    &kAvx2,
#endif
    &kPortable,
    kReduceReference,
#if defined(__x86_64__)
    kArgReduceAvx512,
    kArgReduceAvx2,
#endif
    kArgReducePortable,
    kArgReduceReference,
    kCumSumLines,
    kCumSumReference,
  };
  return list;
}

}  // namespace anydim
