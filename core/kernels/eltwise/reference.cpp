// SPDX-License-Identifier: Apache-2.0
// The reference kernels for unary and binary operators on every dtype: one element at a time, in the plainest form.
// They define the results; on f32 they are the scalar instance of functions.inl.h.
#include <cmath>
#include <cstring>
#include <limits>

#include "core/kernels/eltwise/elements.h"
#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/simd/portable.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/unary.h"

namespace anydim {

float f32_function(UnaryFunction f, float x, float alpha, float beta) noexcept {
  portable::PortableF32<1> v{{x}};
  portable::apply(f, alpha, beta, &v, 1);
  return v.v[0];
}
float f32_function(BinaryFunction f, float a, float b) noexcept {
  portable::PortableF32<1> v{{a}}, w{{b}};
  portable::apply(f, &v, &w, 1);
  return v.v[0];
}

namespace {

template <class T> typename ComputeType<T>::type one(const Unary& op, typename ComputeType<T>::type x) {
  const UnaryFunction f = op.function();
  if constexpr (std::is_same_v<T, bool>) return f == UnaryFunction::logical_not ? !x : x;
  else if constexpr (std::is_same_v<T, double>) return f64_function(f, x, op.alpha(), op.beta());
  else if constexpr (kIsFloat<T>) return f32_function(f, x, op.alpha(), op.beta());
  else return f == UnaryFunction::clip ? integer_clip(x, op.alpha(), op.beta()) : integer_unary(f, x);
}
template <class T> typename ComputeType<T>::type two(BinaryFunction f, typename ComputeType<T>::type a, typename ComputeType<T>::type b) {
  if constexpr (std::is_same_v<T, bool>) return logical(f, a, b);
  else if constexpr (std::is_same_v<T, double>) return f64_function(f, a, b);
  else if constexpr (kIsFloat<T>) return f32_function(f, a, b);
  else return integer_binary(f, a, b);
}

// The chain on an element in f32; the caller rounds once to the output's dtype.
float after_post_ops(const PostOps& post_ops, std::span<const TensorView> views, const Walker* tensors, float y) {
  size_t next = 0;
  for (const PostOp& p : post_ops) {
    if (p.kind == PostOp::Kind::unary) {
      y = f32_function(p.unary, y, p.alpha, p.beta);
      continue;
    }
    const DType dtype = views[next].dtype;
    const void* at = tensors[next++].at;
    const float t = dtype == DType::f16 ? load_element<F16>(at) : dtype == DType::bf16 ? load_element<BF16>(at) : load_element<float>(at);
    y = p.kind == PostOp::Kind::binary ? f32_function(p.binary, y, t) : f32_function(p.binary, t, y);
  }
  return y;
}

constexpr int kPostAt = 3;  // walkers: output, two inputs, then the post-ops' tensors

template <class T, class F> void run_elements(const Args& args, Walker (&w)[kPostAt + kMaxPostOps], F&& value) {
  for_each_element(args.out[0].dims, w, [&] {
    auto y = value();
    if constexpr (std::is_same_v<decltype(y), float>) y = after_post_ops(*args.post_ops, args.post_in, w + kPostAt, y);
    store_element<T>(w[0].at, y);
  });
}

Support supports_reference(const Problem& p) {
  if (p.post_ops->count == 0) return yes();
  const DType t = p.out[0].dtype;
  if (t != DType::f32 && t != DType::f16 && t != DType::bf16) return no("post-ops act on f32, f16 and bf16 only");
  return supports_post_ops(p);
}

class ReferenceKernel : public HostKernel {
 public:
  constexpr ReferenceKernel(const char* name, OpKind op) noexcept : name_(name), key_{.op = op, .src = DType::none, .dst = DType::none} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

 protected:
  static void walkers(const Args& args, Walker (&w)[kPostAt + kMaxPostOps]) {
    const Dims& dims = args.out[0].dims;
    w[0] = walker(args.out[0], dims);
    for (size_t i = 0; i < args.in.size(); ++i) w[1 + i] = walker(args.in[i], dims);
    for (size_t i = 0; i < args.post_in.size(); ++i) w[kPostAt + i] = walker(args.post_in[i], dims);
  }

 private:
  const char* name_;
  KernelKey key_;
};

class UnaryReference final : public ReferenceKernel {
 public:
  constexpr UnaryReference() noexcept : ReferenceKernel("unary.reference", OpKind::unary) {}
  Support supports(const Problem& p) const noexcept override { return as<Unary>(*p.op) ? supports_reference(p) : no("another operator"); }
  Status run(const Plan&, const Args& args) const noexcept override {
    const Unary& op = *as<Unary>(*args.op);
    Walker w[kPostAt + kMaxPostOps];
    walkers(args, w);
    visit_dtype(args.in[0].dtype, [&](auto tag) {
      using T = decltype(tag);
      if (op.function() == UnaryFunction::identity && args.post_ops->count == 0) {
        // Bits, not values: a NaN's payload stays.
        for_each_element(args.out[0].dims, w, [&] { std::memcpy(w[0].at, w[1].at, sizeof(T)); });
      } else if (op.function() == UnaryFunction::is_nan || op.function() == UnaryFunction::is_inf) {
        const bool plus = op.alpha() != 0.f, minus = op.beta() != 0.f, nan = op.function() == UnaryFunction::is_nan;
        for_each_element(args.out[0].dims, w, [&] {
          const auto x = static_cast<double>(load_element<T>(w[1].at));
          store_element<bool>(w[0].at, nan ? x != x : std::fabs(x) == std::numeric_limits<double>::infinity() && (x > 0 ? plus : minus));
        });
      } else {
        run_elements<T>(args, w, [&] { return one<T>(op, load_element<T>(w[1].at)); });
      }
    });
    return {};
  }
};

class BinaryReference final : public ReferenceKernel {
 public:
  constexpr BinaryReference() noexcept : ReferenceKernel("binary.reference", OpKind::binary) {}
  Support supports(const Problem& p) const noexcept override {
    if (!as<Binary>(*p.op)) return no("another operator");
    return supports_reference(p);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const BinaryFunction f = as<Binary>(*args.op)->function();
    Walker w[kPostAt + kMaxPostOps];
    walkers(args, w);
    visit_dtype(args.in[0].dtype, [&](auto tag) {
      using T = decltype(tag);
      if (is_comparison(f)) {
        for_each_element(args.out[0].dims, w,
                         [&] { store_element<bool>(w[0].at, compare(f, load_element<T>(w[1].at), load_element<T>(w[2].at))); });
      } else if (args.in[1].dtype != args.in[0].dtype) {
        power_of_mixed<T>(args, w);
      } else {
        run_elements<T>(args, w, [&] { return two<T>(f, load_element<T>(w[1].at), load_element<T>(w[2].at)); });
      }
    });
    return {};
  }

 private:
  // pow with an exponent of another dtype: in binary64, one conversion to the base's dtype (integers saturate).
  template <class T> static void power_of_mixed(const Args& args, Walker (&w)[kPostAt + kMaxPostOps]) {
    using C = typename ComputeType<T>::type;
    visit_dtype(args.in[1].dtype, [&](auto tag) {
      using E = decltype(tag);
      run_elements<T>(args, w, [&] {
        const auto a = load_element<T>(w[1].at);
        const auto b = load_element<E>(w[2].at);
        if constexpr (!kIsFloat<T> && !kIsFloat<E> && !std::is_same_v<T, bool> && !std::is_same_v<E, bool>) {
          return static_cast<C>(integer_power<int64_t>(static_cast<int64_t>(a), static_cast<int64_t>(b)));
        } else {
          const double r = f64_function(BinaryFunction::pow, static_cast<double>(a), static_cast<double>(b));
          if constexpr (kIsFloat<T>) return static_cast<C>(r);
          else if (!(r == r)) return C{};
          else if (r >= static_cast<double>(std::numeric_limits<C>::max())) return std::numeric_limits<C>::max();
          else if (r <= static_cast<double>(std::numeric_limits<C>::lowest())) return std::numeric_limits<C>::lowest();
          else return static_cast<C>(r);
        }
      });
    });
  }
};

const UnaryReference unary_reference;
const BinaryReference binary_reference;

}  // namespace

constinit const HostKernel* const kUnaryReference = &unary_reference;
constinit const HostKernel* const kBinaryReference = &binary_reference;

}  // namespace anydim
