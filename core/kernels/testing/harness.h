// SPDX-License-Identifier: Apache-2.0
// For kernel tests only: tensors with random memory layouts, and running one kernel over a problem with everything
// a primitive would do around it (support, packing, plan, scratch bound), so that two kernels can be compared.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "core/base/testing/random.h"
#include "core/kernels/kernel.h"
#include "core/kernels/simd/half.h"
#include "core/tensor/views.h"

namespace anydim::testing {

// How an owned tensor lies in memory. Reversed: some axes are walked backwards, over any order of axes; the last one without a Random.
enum class Layout { row_major, channels_last, permuted, padded_rows, padded_channels_last, reversed };

// One of a list.
template <size_t n> Layout drawn(const Layout (&list)[n], Random& random) { return list[random.integer(0, static_cast<int64_t>(n) - 1)]; }

// A tensor that owns its memory. Memory outside the elements is filled with a pattern; `guard_intact`: whether
// somebody wrote there.
class OwnedTensor {
 public:
  OwnedTensor() = default;
  OwnedTensor(DType dtype, const Dims& dims, Layout layout = Layout::row_major, Random* random = nullptr) {
    view_.dtype = dtype;
    view_.dims = dims;
    Perm order;
    for (int i = 0; i < dims.rank; ++i) order.push_back(i);
    if (layout == Layout::channels_last || layout == Layout::padded_channels_last) order = channels_last(dims.rank);
    if ((layout == Layout::permuted || (layout == Layout::reversed && random && random->flag())) && random)
      for (int i = dims.rank - 1; i > 0; --i) std::swap(order[i], order[static_cast<int>(random->integer(0, i))]);
    view_.strides = Strides::filled(dims.rank, 1);
    int64_t step = 1;
    const bool padded = layout == Layout::padded_rows || layout == Layout::padded_channels_last;
    for (int i = dims.rank - 1; i >= 0; --i) {
      view_.strides[order[i]] = step;
      step *= std::max<int64_t>(dims[order[i]], 1);
      if (padded && i > 0) step += random ? random->integer(0, 9) : 3;
    }
    if (layout == Layout::reversed) reverse(random);
    allocate();
  }
  // Room for the same elements of another dtype, in the same layout.
  OwnedTensor with_dtype(DType dtype) const {
    OwnedTensor t;
    t.view_ = view_;
    t.view_.dtype = dtype;
    if (view_.dtype != DType::none) t.allocate();
    return t;
  }
  OwnedTensor(const OwnedTensor& o) : memory_(o.memory_), is_element_(o.is_element_), view_(o.view_) { repoint(); }
  OwnedTensor& operator=(const OwnedTensor& o) {
    memory_ = o.memory_;
    is_element_ = o.is_element_;
    view_ = o.view_;
    repoint();
    return *this;
  }

  const TensorView& view() const { return view_; }
  TensorView& view() { return view_; }

  // Calls f(linear logical index, pointer to the element) in row-major logical order.
  template <class F> void each(F&& f) const {
    const int64_t n = view_.count();
    if (n == 0) return;
    Dims at = Dims::filled(view_.dims.rank, 0);
    const int64_t size = dtype_size(view_.dtype);
    for (int64_t i = 0; i < n; ++i) {
      int64_t off = 0;
      for (int a = 0; a < at.rank; ++a) off += at[a] * view_.strides[a];
      f(i, static_cast<std::byte*>(view_.data) + off * size);
      for (int a = at.rank - 1; a >= 0; --a) {
        if (++at[a] < view_.dims[a]) break;
        at[a] = 0;
      }
    }
  }
  template <class T> T get(int64_t logical_index) const {
    T out{};
    each([&](int64_t i, std::byte* p) {
      if (i == logical_index) std::memcpy(&out, p, sizeof(T));
    });
    return out;
  }
  // f32: normal values; integers: small values; booleans 0/1. `specials` sprinkles NaN, infinities, -0, denormals, huge.
  OwnedTensor& fill(Random& r, double specials = 0.0) {
    each([&](int64_t, std::byte* p) {
      if (view_.dtype == DType::f32) {
        float v = r.normal();
        if (specials > 0 && r.chance(specials)) {
          constexpr float kSpecial[] = {std::numeric_limits<float>::quiet_NaN(),
                                        std::numeric_limits<float>::infinity(),
                                        -std::numeric_limits<float>::infinity(),
                                        -0.0f,
                                        0.0f,
                                        1e-41f,
                                        -1e-41f,
                                        3e38f,
                                        1e-30f};
          v = kSpecial[r.integer(0, 8)];
        }
        std::memcpy(p, &v, 4);
      } else if (view_.dtype == DType::f64) {
        const double v = r.normal();
        std::memcpy(p, &v, 8);
      } else if (view_.dtype == DType::boolean) {
        *p = std::byte(r.chance(0.5));
      } else if (view_.dtype == DType::f16 || view_.dtype == DType::bf16) {
        const auto v = static_cast<uint16_t>(r.integer(0x3000, 0x3fff) | (r.chance(0.5) ? 0x8000 : 0));
        std::memcpy(p, &v, 2);
      } else {
        const int64_t v = r.integer(0, 100);
        std::memcpy(p, &v, static_cast<size_t>(dtype_size(view_.dtype)));
      }
    });
    return *this;
  }
  // The same values in another layout.
  OwnedTensor relaid(Layout layout, Random* r = nullptr) const {
    OwnedTensor t(view_.dtype, view_.dims, layout, r);
    std::vector<std::byte*> from;
    each([&](int64_t, std::byte* p) { from.push_back(p); });
    t.each([&](int64_t i, std::byte* p) { std::memcpy(p, from[static_cast<size_t>(i)], static_cast<size_t>(dtype_size(view_.dtype))); });
    return t;
  }
  // Nothing outside the elements was written.
  bool guard_intact() const {
    for (size_t i = 0; i < memory_.size(); ++i)
      if (!is_element_[i] && memory_[i] != std::byte{0xA5}) return false;
    return true;
  }

 private:
  static constexpr size_t kGuard = 256;
  void reverse(Random* random) {
    const int rank = view_.dims.rank;
    const int always = rank == 0 ? 0 : random ? static_cast<int>(random->integer(0, rank - 1)) : rank - 1;
    for (int i = 0; i < rank; ++i)
      if (i == always || (random && random->chance(0.3))) view_.strides[i] = -view_.strides[i];
  }
  void allocate() {
    const int64_t span = element_span(view_.dims, view_.strides);
    memory_.assign(static_cast<size_t>(span * dtype_size(view_.dtype)) + 2 * kGuard, std::byte{0xA5});
    repoint();
    mark_elements();
  }
  // The element at 0 is not the lowest one where an axis is walked backwards.
  void repoint() {
    int64_t lowest = 0;
    element_span(view_.dims, view_.strides, &lowest);
    view_.data = memory_.empty() ? nullptr : memory_.data() + kGuard - lowest * dtype_size(view_.dtype);
  }
  void mark_elements() {
    is_element_.assign(memory_.size(), false);
    each([&](int64_t, std::byte* p) {
      const auto at = static_cast<size_t>(p - memory_.data());
      for (int64_t b = 0; b < dtype_size(view_.dtype); ++b) is_element_[at + static_cast<size_t>(b)] = true;
    });
  }
  std::vector<std::byte> memory_;
  std::vector<bool> is_element_;
  TensorView view_;
};

// Bits are equal, any NaN equal to any NaN. Reports the first difference.
inline ::testing::AssertionResult same_bits(const OwnedTensor& a, const OwnedTensor& b) {
  if (!(a.view().dims == b.view().dims) || a.view().dtype != b.view().dtype) return ::testing::AssertionFailure() << "dims or dtype differ";
  const auto size = static_cast<size_t>(dtype_size(a.view().dtype));
  std::vector<std::byte*> pa;
  a.each([&](int64_t, std::byte* p) { pa.push_back(p); });
  auto result = ::testing::AssertionSuccess();
  int64_t differ = 0;
  b.each([&](int64_t i, std::byte* p) {
    const std::byte* q = pa[static_cast<size_t>(i)];
    if (std::memcmp(p, q, size) == 0) return;
    if (a.view().dtype == DType::f32) {
      float x, y;
      std::memcpy(&x, q, 4);
      std::memcpy(&y, p, 4);
      if (std::isnan(x) && std::isnan(y)) return;
      if (differ++ == 0)
        result = ::testing::AssertionFailure() << "element " << i << ": " << x << " (" << std::hexfloat << x << ") against " << y;
    } else if (a.view().dtype == DType::f64) {
      double x, y;
      std::memcpy(&x, q, 8);
      std::memcpy(&y, p, 8);
      if (std::isnan(x) && std::isnan(y)) return;
      if (differ++ == 0) result = ::testing::AssertionFailure() << "element " << i << ": " << x << " against " << y;
    } else if (dtype_is_half(a.view().dtype)) {
      const bool f16 = a.view().dtype == DType::f16;
      uint16_t h, k;
      std::memcpy(&h, q, 2);
      std::memcpy(&k, p, 2);
      const float x = f16 ? f16_to_f32(h) : bf16_to_f32(h), y = f16 ? f16_to_f32(k) : bf16_to_f32(k);
      if (std::isnan(x) && std::isnan(y)) return;
      if (differ++ == 0) result = ::testing::AssertionFailure() << "element " << i << ": " << x << " against " << y;
    } else if (differ++ == 0) {
      result = ::testing::AssertionFailure() << "element " << i << " differs";
    }
  });
  if (differ) result << "; " << differ << " of " << pa.size() << " differ";
  return result;
}

// One run of one kernel.
struct Run {
  const Operator* op = nullptr;
  PostOps post_ops;
  std::vector<OwnedTensor> in;  // an absent optional input is a default-made OwnedTensor
  std::vector<OwnedTensor> post_in;
  std::vector<Layout> out_layouts;  // one per output; row_major if missing
  std::vector<int64_t> dim_attributes;
  bool constant_weights = false;  // in[1] is constant: what the kernel packs of it is hidden from it
  bool constant_bias = true;      // and in[2]; all behind the first of what dequantizes
  OperandSet constants;           // or these
  int threads = 1;
  bool odd_plan = false;  // offer the kernel a plan choice of any numbers, or one of its own
};

struct Outcome {
  Status status;  // of the run; or why there was none
  const char* refusal = nullptr;
  std::vector<OwnedTensor> out;
  int64_t scratch = 0;
};

// Infers the outputs, checks support, packs, plans, checks the scratch bound and runs. Scratch is filled with NaN and
// guarded.
inline Outcome run_kernel(const HostKernel& kernel, Run& r, Random* random = nullptr) {
  Outcome o;
  DimPool pool;
  auto type_of = [](const OwnedTensor& t) {
    TensorType y;
    y.dtype = t.view().dtype;
    for (int64_t d : t.view().dims) y.dims.push_back(d);
    return y;
  };
  std::vector<TensorType> in, post, out(static_cast<size_t>(r.op->output_count()));
  for (const auto& t : r.in) in.push_back(type_of(t));
  for (const auto& t : r.post_in) post.push_back(type_of(t));
  if (o.status = r.op->infer(pool, in, out); !o.status.ok()) return o;
  OperandSet constant;
  if (r.constant_weights) constant.add(1);
  if (r.constant_weights && r.constant_bias && in.size() > 2 && in[2].dtype != DType::none) constant.add(2);
  for (size_t i = 2; r.constant_weights && has_trait(r.op->kind(), Trait::dequantizes) && i < in.size(); ++i)
    if (in[i].dtype != DType::none) constant.add(i);
  if (!r.constants.empty()) constant = r.constants;
  Problem problem{r.op, in, out, &r.post_ops, post, MathMode::strict, constant};
  if (const Support s = kernel.supports(problem); !s) {
    o.refusal = s.refusal;
    return o;
  }
  std::vector<Dims> in_dims, out_dims;
  for (const auto& t : r.in) in_dims.push_back(t.view().dims);
  for (size_t i = 0; i < out.size(); ++i) {
    Dims d;
    for (const Dim& x : out[i].dims) d.push_back(x.number());
    out_dims.push_back(d);
    o.out.emplace_back(out[i].dtype, d, i < r.out_layouts.size() ? r.out_layouts[i] : Layout::row_major, random);
  }
  PackedWeights packed;
  std::vector<TensorView> in_views, out_views, post_views;
  for (const auto& t : r.in) in_views.push_back(t.view());
  for (auto& t : o.out) out_views.push_back(t.view());
  for (const auto& t : r.post_in) post_views.push_back(t.view());
  Args args{r.op, &r.post_ops, in_views, out_views, post_views, r.dim_attributes, nullptr, nullptr, Parallel(r.threads)};
  if (kernel.packed_form(problem).format != nullptr) {
    if (o.status = pack_constants(kernel, problem, in_views, {}, &packed); !o.status.ok()) return o;
    args.weights = &packed;
    EXPECT_TRUE(constant.includes(packed.form.operands)) << kernel.name() << " packs what is no constant";
    for (size_t i = 0; i < in_views.size(); ++i)
      if (packed.form.operands.has(i)) in_views[i].data = nullptr;
    problem.constant = packed.form.operands;
    args.in = in_views;
  }
  PlanChoice choices[64];
  if (r.odd_plan && random) {
    const int count = random->chance(0.5) ? kernel.plan_choices(args, choices) : 0;
    PlanChoice& c = choices[count > 0 ? random->integer(0, count - 1) : 0];
    if (count == 0)
      for (int32_t& v : c.value) v = static_cast<int32_t>(random->chance(0.1) ? random->engine()() : random->integer(-2, 60));
    args.choice = &c;
  }
  Plan plan;
  kernel.plan(args, &plan);
  o.scratch = plan.scratch;
  const int64_t bound = kernel.scratch_bound(problem, in_dims, out_dims, r.threads);
  EXPECT_GE(bound, plan.scratch) << kernel.name() << ": scratch_bound at the very dims is below the plan's scratch";
  constexpr size_t kGuard = 256;
  std::vector<std::byte> memory(static_cast<size_t>(plan.scratch) + 2 * kGuard + 64, std::byte{0xFF});
  auto base = (reinterpret_cast<uintptr_t>(memory.data()) + kGuard + 63) & ~uintptr_t{63};
  args.scratch = reinterpret_cast<void*>(base);
  o.status = kernel.run(plan, args);
  for (size_t i = 0; i < kGuard; ++i) {
    const auto* end = reinterpret_cast<std::byte*>(base) + plan.scratch;
    if (end + i < memory.data() + memory.size() && end[i] != std::byte{0xFF}) {
      ADD_FAILURE() << kernel.name() << " wrote past its scratch";
      break;
    }
  }
  for (size_t i = 0; i < o.out.size(); ++i) EXPECT_TRUE(o.out[i].guard_intact()) << kernel.name() << " wrote outside output " << i;
  return o;
}

// Packs the second input alone.
inline Status pack_second(const HostKernel& kernel, const Operator& op, std::span<const TensorView> in, PackedWeights* out) {
  std::vector<TensorType> types, results(static_cast<size_t>(op.output_count()));
  for (const TensorView& t : in) {
    types.push_back({t.dtype, {}});
    for (const int64_t d : t.dims) types.back().dims.push_back(d);
  }
  DimPool pool;
  ANYDIM_TRY(op.infer(pool, types, results));
  const PostOps none;
  return pack_constants(kernel, {&op, types, results, &none, {}, MathMode::strict, {1}}, in, {}, out);
}

// Kernels of a list that this CPU can run.
inline std::vector<const HostKernel*> runnable(KernelList list) {
  std::vector<const HostKernel*> v;
  for (const HostKernel* k : list)
    if (cpu().usable.includes(k->key().isa)) v.push_back(k);
  return v;
}

}  // namespace anydim::testing
