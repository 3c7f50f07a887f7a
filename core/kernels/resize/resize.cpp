// SPDX-License-Identifier: Apache-2.0
// Resize kernels: the list, and its first and last ones.
#include "core/kernels/resize/resize.h"

#include <vector>

#include "core/base/checked.h"
#include "core/kernels/resize/lines.h"
#include "core/kernels/resize/nearest.h"
#include "core/kernels/resize/reference.h"
#include "core/kernels/resize/tables.h"

namespace anydim {

namespace {

class NearestKernel final : public HostKernel {
 public:
  const char* name() const noexcept override { return "resize.nearest.portable"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    if (static_cast<const Resize*>(p.op)->get().mode != Resize::Mode::nearest) return no("the mode is not nearest");
    if (static_cast<const Resize*>(p.op)->get().coordinates == Resize::Coordinates::tf_crop_and_resize && dtype_is_narrow(p.in[0].dtype))
      return no("extrapolation_value is no element of this dtype");
    return p.post_ops->count > 0 ? no("resize takes no post-ops") : yes();
  }
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = nearest_scratch(args.out[0].dims); }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims> out, int) const noexcept override {
    return nearest_scratch(out[0]);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    run_nearest(args);
    return {};
  }

 private:
  KernelKey key_{OpKind::resize, DType::none, DType::none};
};

class ResizeReference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "resize.reference"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    const Resize::Attributes& at = static_cast<const Resize*>(p.op)->get();
    const DType t = p.in[0].dtype;
    if (at.mode != Resize::Mode::nearest) {
      if (const char* r = resize_refusal(at, t)) return no(r);
    } else if (at.coordinates == Resize::Coordinates::tf_crop_and_resize && dtype_is_narrow(t)) {
      return no("extrapolation_value is no element of this dtype");
    }
    return p.post_ops->count > 0 ? no("resize takes no post-ops") : yes();
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = reference_resize_scratch(*args.op, args.in[0].dims, args.out[0].dims);
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int) const noexcept override {
    return reference_resize_scratch(*p.op, in[0], out[0]);
  }
  Status run(const Plan&, const Args& args) const noexcept override { return reference_resize(args); }

 private:
  KernelKey key_{OpKind::resize, DType::none, DType::none};
};

}  // namespace

// In order of preference: nearest refuses the others' modes, and they its.
KernelList resize_kernels() noexcept {
  static const NearestKernel nearest;
  static const ResizeReference reference;
  static const auto* const all = [] {  // never destroyed, as kernels are not
    auto* const list = new std::vector<const HostKernel*>{&nearest};
    for (const HostKernel* k : resize_line_forms()) list->push_back(k);
    list->push_back(&reference);
    return list;
  }();
  return *all;
}

}  // namespace anydim
