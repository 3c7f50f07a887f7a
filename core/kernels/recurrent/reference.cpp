// SPDX-License-Identifier: Apache-2.0
// The reference of recurrent layers: docs/numerics.md, section 9, as scalar code for any strides. Binary64 follows the same order in
// binary64; of 16-bit floats the states are rounded after each step. Slow on purpose; with the fast kernels it
// shares the functions of single numbers (f32_function, f64_function) and no loop.
#include <algorithm>
#include <cmath>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/recurrent/recurrent.h"
#include "core/kernels/simd/half.h"
#include "core/kernels/sums.h"
#include "core/ops/operators/recurrent.h"

namespace anydim {

RecurrentSizes recurrent_sizes(const Operator& op, std::span<const Dims> in) noexcept {
  const RecurrentAttributes& at = as<Recurrent>(op)->get();
  const Dims &x = in[Recurrent::kX], &r = in[Recurrent::kRecurrentWeights];
  return {x[0], x[1], x[2], r[2], Recurrent::directions_of(at.direction), Recurrent::gates_of(at.cell)};
}

Status check_lengths(const Args& args) noexcept {
  if (args.in.size() <= Recurrent::kLengths || args.in[Recurrent::kLengths].dtype == DType::none) return {};
  const TensorView& lengths = args.in[Recurrent::kLengths];
  const int64_t steps = args.in[Recurrent::kX].dims[0];
  for (int64_t b = 0; b < lengths.dims[0]; ++b)
    if (const int32_t n = lengths.as<const int32_t>()[b * lengths.strides[0]]; n < 0 || n > steps)
      return error(Code::invalid_data, "recurrent: lengths[{}] is {}; expected 0 to the number of steps, {}", b, n, steps);
  return {};
}

namespace {

constexpr int64_t kBlock = 128;  // section 1
constexpr int64_t kStates = 6;   // vectors of the hidden size that a sequence needs

int64_t scratch_of(int64_t hidden) noexcept {
  return saturating_mul(saturating_mul(kStates, hidden), static_cast<int64_t>(sizeof(double)));
}

float value_of(UnaryFunction f, float alpha, float beta, float x) { return f32_function(f, x, alpha, beta); }
double value_of(UnaryFunction f, float alpha, float beta, double x) {
  return f64_function(f, x, static_cast<double>(alpha), static_cast<double>(beta));
}

// One operand of the layer, by coordinates; absent ones are zeros.
template <class S> struct Operand {
  const S* data = nullptr;
  Strides strides;
  explicit Operand(const Args& args, size_t i) {
    if (i >= args.in.size() || args.in[i].dtype == DType::none) return;
    data = args.in[i].as<const S>();
    strides = args.in[i].strides;
  }
  template <class T> T at(int64_t a, int64_t b, int64_t c = 0) const {
    return static_cast<T>(data[a * strides[0] + b * strides[1] + (strides.rank > 2 ? c * strides[2] : 0)]);
  }
};

// Real numbers as numbers of 8 bits, less their zero point.
struct Numbers {
  float scale = 1, zero = 0;
  Numbers() = default;
  template <class Value> Numbers(int64_t count, Value value) {
    float low = 0, high = 0;
    bool number = true;
    for (int64_t i = 0; i < count; ++i) {
      const float x = value(i);
      number = number && !std::isnan(x);
      low = x < low ? x : low;
      high = x > high ? x : high;
    }
    if (!number) low = high = std::nanf("");
    scale = (high - low) / 255.f;
    if (scale == 0) scale = 1;
    zero = saturated(std::nearbyint(-low / scale));
  }
  int64_t of(float x) const { return static_cast<int64_t>(saturated(std::nearbyint(x / scale) + zero) - zero); }
  static float saturated(float x) { return x > 0 ? x < 255 ? x : 255.f : 0.f; }  // NaN gives 0
};

// Elements of type S, computed in T.
template <class T, class S> class Layer {
 public:
  // `reduced`: with the sums of that mode, of f32.
  explicit Layer(const Args& args, bool reduced = false)
      : args_(args),
        reduced_(reduced),
        at_(as<Recurrent>(*args.op)->get()),
        x_(args, Recurrent::kX),
        w_(args, Recurrent::kInputWeights),
        r_(args, Recurrent::kRecurrentWeights),
        bias_(args, Recurrent::kBias),
        peepholes_(args, Recurrent::kPeepholes) {
    const Dims dims[] = {args.in[0].dims, args.in[1].dims, args.in[2].dims};
    n_ = recurrent_sizes(*args.op, dims);
    auto* const states = static_cast<T*>(args.scratch);
    h_ = states;
    c_ = states + n_.hidden;
    was_ = states + 2 * n_.hidden;
    reset_ = states + 3 * n_.hidden;
    kept_ = states + 4 * n_.hidden;
    numbers_ = states + 5 * n_.hidden;
    of_numbers_ = Recurrent::of_numbers(args.in[Recurrent::kRecurrentWeights].dtype);
    if (!of_numbers_) return;
    const TensorView& x = args.in[0];
    range_ = Numbers(x.count(), [&](int64_t i) {
      const int64_t k = i % n_.inputs, b = i / n_.inputs % n_.batch, t = i / n_.inputs / n_.batch;
      return static_cast<float>(x_.template at<T>(t, b, k));
    });
  }

  void run() {
    for (int64_t d = 0; d < n_.directions; ++d)
      for (int64_t b = 0; b < n_.batch; ++b) run_sequence(d, b);
  }

 private:
  void run_sequence(int64_t d, int64_t b) {
    load_initial(Recurrent::kInitialHidden, d, b, h_);
    load_initial(Recurrent::kInitialCell, d, b, c_);
    const bool reverse = d == 1 || at_.direction == RecurrentDirection::reverse;
    const bool all = args_.in.size() <= Recurrent::kLengths || args_.in[Recurrent::kLengths].dtype == DType::none;
    const TensorView* lengths = all ? nullptr : &args_.in[Recurrent::kLengths];
    const int64_t length = all ? n_.steps : lengths->as<const int32_t>()[b * lengths->strides[0]];
    for (int64_t i = 0; i < n_.steps; ++i) {
      const int64_t t = reverse ? n_.steps - 1 - i : i;
      const bool inside = t < length;
      if (inside) {
        std::copy_n(h_, n_.hidden, was_);
        if (of_numbers_) make_numbers();
        at_.cell == RecurrentCell::rnn ? rnn(d, b, t) : at_.cell == RecurrentCell::lstm ? lstm(d, b, t) : gru(d, b, t);
        store_rounded(h_);
        store_rounded(c_);
      }
      const TensorView& y = args_.out[0];
      for (int64_t j = 0; j < n_.hidden; ++j)
        y.as<S>()[t * y.strides[0] + d * y.strides[1] + b * y.strides[2] + j * y.strides[3]] = narrowed(inside ? h_[j] : T{0});
    }
    for (size_t o = 1; o < args_.out.size(); ++o) {
      const TensorView& y = args_.out[o];
      for (int64_t j = 0; j < n_.hidden; ++j)
        y.as<S>()[d * y.strides[0] + b * y.strides[1] + j * y.strides[2]] = narrowed((o == 1 ? h_ : c_)[j]);
    }
  }

  static S narrowed(T v) {
    S s;
    s = v;
    return s;
  }
  // What the next step reads is what is stored.
  void store_rounded(T* state) const {
    for (int64_t j = 0; j < n_.hidden; ++j) state[j] = static_cast<T>(narrowed(state[j]));
  }

  void load_initial(Recurrent::Input input, int64_t d, int64_t b, T* state) const {
    const Operand<S> given(args_, input);
    for (int64_t j = 0; j < n_.hidden; ++j) state[j] = given.data != nullptr ? given.template at<T>(d, b, j) : T{0};
  }

  template <class Element> T sum(int64_t count, Element element) const {
    if constexpr (std::is_same_v<S, float>) {
      if (!reduced_) return strict_sum(count, element);
      ReducedSum sum(0, [](int64_t) { return 0.f; });
      for (int64_t k = 0; k < count; ++k) sum.add(k, element(k).a, element(k).w);
      return sum.total();
    }
    return strict_sum(count, element);
  }
  template <class Element> static T strict_sum(int64_t count, Element element) {
    T total = 0;
    for (int64_t first = 0; first < count; first += kBlock) {
      T block = 0;
      for (int64_t k = first; k < count && k < first + kBlock; ++k) {
        const auto [a, w] = element(k);
        block = std::fma(a, w, block);
      }
      total = first == 0 ? block : total + block;
    }
    return total;
  }
  struct Factors {
    T a, w;
  };
  void make_numbers() {
    state_range_ = Numbers(n_.hidden, [&](int64_t j) { return static_cast<float>(was_[j]); });
    for (int64_t j = 0; j < n_.hidden; ++j) numbers_[j] = static_cast<T>(state_range_.of(static_cast<float>(was_[j])));
  }
  // The exact sum of a * (w - zero), as a signed number of 32 bits, times the scale of both.
  template <class Value>
  T sum_of_numbers(Recurrent::Input weights, Recurrent::Input scales, int64_t d, int64_t column, float scale, Value a) const {
    const TensorView &w = args_.in[weights], &s = args_.in[scales];
    const auto number = [](const TensorView& v, int64_t at) {
      return v.dtype == DType::u8 ? int64_t{v.as<const uint8_t>()[at]} : int64_t{v.as<const int8_t>()[at]};
    };
    const size_t zeros = scales + size_t{1};
    int64_t zero = 0, total = 0;
    if (zeros < args_.in.size() && args_.in[zeros].dtype != DType::none) {
      const TensorView& z = args_.in[zeros];
      zero = number(z, d * z.strides[0] + column * z.strides[1]);
    }
    for (int64_t k = 0; k < w.dims[2]; ++k) total += a(k) * (number(w, d * w.strides[0] + column * w.strides[1] + k * w.strides[2]) - zero);
    const float m = scale * s.as<const float>()[d * s.strides[0] + column * s.strides[1]];
    return static_cast<T>(m * static_cast<float>(static_cast<int32_t>(static_cast<uint64_t>(total))));
  }
  T of_inputs(int64_t d, int64_t b, int64_t t, int64_t column) const {
    if (of_numbers_)
      return sum_of_numbers(Recurrent::kInputWeights, Recurrent::kInputScales, d, column, range_.scale,
                            [&](int64_t k) { return range_.of(static_cast<float>(x_.template at<T>(t, b, k))); });
    return sum(n_.inputs, [&](int64_t k) { return Factors{x_.template at<T>(t, b, k), w_.template at<T>(d, column, k)}; });
  }
  T of_state(int64_t d, int64_t column, const T* h) const {
    if (of_numbers_)
      return sum_of_numbers(Recurrent::kRecurrentWeights, Recurrent::kRecurrentScales, d, column, state_range_.scale,
                            [&](int64_t k) { return static_cast<int64_t>(numbers_[k]); });
    return sum(n_.hidden, [&](int64_t k) { return Factors{h[k], r_.template at<T>(d, column, k)}; });
  }
  T input_bias(int64_t d, int64_t column) const { return bias_.template at<T>(d, column); }
  T state_bias(int64_t d, int64_t column) const { return bias_.template at<T>(d, n_.gates * n_.hidden + column); }
  // The inputs' part of a gate, with both biases.
  T given(int64_t d, int64_t b, int64_t t, int64_t column) const {
    const T total = of_inputs(d, b, t, column);
    return bias_.data != nullptr ? total + (input_bias(d, column) + state_bias(d, column)) : total;
  }
  T gate_sum(int64_t d, int64_t b, int64_t t, int64_t gate, int64_t j, const T* h) const {
    const int64_t column = gate * n_.hidden + j;
    return of_state(d, column, h) + given(d, b, t, column);
  }
  T clipped(T x) const {
    if (at_.clip == 0) return x;
    const T most = static_cast<T>(at_.clip);
    const T y = x < -most ? -most : x;
    return most < y ? most : y;
  }
  T gate(T x) const { return value_of(at_.gates, at_.gates_alpha, at_.gates_beta, clipped(x)); }
  T candidate(T x) const { return value_of(at_.candidate, at_.candidate_alpha, at_.candidate_beta, clipped(x)); }

  void rnn(int64_t d, int64_t b, int64_t t) {
    for (int64_t j = 0; j < n_.hidden; ++j) h_[j] = candidate(gate_sum(d, b, t, 0, j, was_));
  }

  void lstm(int64_t d, int64_t b, int64_t t) {
    const auto peephole = [&](int64_t which, int64_t j, T sum) {
      return peepholes_.data == nullptr ? sum : std::fma(peepholes_.template at<T>(d, which * n_.hidden + j), c_[j], sum);
    };
    for (int64_t j = 0; j < n_.hidden; ++j) {
      const T input = gate(peephole(0, j, gate_sum(d, b, t, 0, j, was_)));
      const T forget = at_.input_forget ? 1 - input : gate(peephole(2, j, gate_sum(d, b, t, 2, j, was_)));
      const T fresh = candidate(gate_sum(d, b, t, 3, j, was_));
      c_[j] = std::fma(forget, c_[j], input * fresh);
      const T output = gate(peephole(1, j, gate_sum(d, b, t, 1, j, was_)));
      h_[j] = output * value_of(at_.output, at_.output_alpha, at_.output_beta, c_[j]);
    }
  }

  void gru(int64_t d, int64_t b, int64_t t) {
    for (int64_t j = 0; j < n_.hidden; ++j) {
      reset_[j] = gate(gate_sum(d, b, t, 1, j, was_));
      kept_[j] = reset_[j] * was_[j];
    }
    for (int64_t j = 0; j < n_.hidden; ++j) {
      const int64_t column = 2 * n_.hidden + j;
      const T update = gate(gate_sum(d, b, t, 0, j, was_));
      T s;
      if (at_.linear_before_reset) {
        T a = of_inputs(d, b, t, column), q = of_state(d, column, was_);
        if (bias_.data != nullptr) a += input_bias(d, column), q += state_bias(d, column);
        s = std::fma(reset_[j], q, a);
      } else {
        s = of_state(d, column, kept_) + given(d, b, t, column);
      }
      h_[j] = std::fma(update, was_[j], (1 - update) * candidate(s));
    }
  }

  const Args& args_;
  const bool reduced_;
  const RecurrentAttributes& at_;
  RecurrentSizes n_;
  Operand<S> x_, w_, r_, bias_, peepholes_;
  // States, those before the step, what gru's reset gate leaves, and the states as numbers.
  T *h_, *c_, *was_, *reset_, *kept_, *numbers_;
  // Of weights of 8 bits, which come with T of binary32 alone: x, and the states of a step.
  bool of_numbers_ = false;
  Numbers range_, state_range_;
};

class Reference final : public PlainKernel {
 public:
  Reference() noexcept : PlainKernel("recurrent.reference", OpKind::recurrent) {}
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = scratch_of(args.in[Recurrent::kRecurrentWeights].dims[2]);
  }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    return scratch_of(in[Recurrent::kRecurrentWeights][2]);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    ANYDIM_TRY(check_lengths(args));
    switch (args.in[0].dtype) {
      case DType::f32: Layer<float, float>(args).run(); break;
      case DType::f64: Layer<double, double>(args).run(); break;
      case DType::f16: Layer<float, StoredF16>(args).run(); break;
      default: Layer<float, StoredBF16>(args).run(); break;
    }
    return {};
  }
};

const Reference kReference;

class ReducedReference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "recurrent.bf16.reference"; }
  const KernelKey& key() const noexcept override {
    static constexpr KernelKey key{OpKind::recurrent, DType::f32, DType::f32, LayoutFamily::any, Isa::portable, MathMode::reduced};
    return key;
  }
  Support supports(const Problem& p) const noexcept override { return reduced_serves_recurrent(p); }
  void plan(const Args& args, Plan* plan) const noexcept override { kReference.plan(args, plan); }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    return kReference.scratch_bound(p, in, out, threads);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    ANYDIM_TRY(check_lengths(args));
    Layer<float, float>(args, true).run();
    return {};
  }
};

const ReducedReference kReducedReference;

}  // namespace

const HostKernel& recurrent_reference() noexcept { return kReference; }
const HostKernel& recurrent_reduced_reference() noexcept { return kReducedReference; }

Support reduced_serves_recurrent(const Problem& p) noexcept {
  if (p.in[Recurrent::kX].dtype != DType::f32) return no("x is not f32");
  if (p.in[Recurrent::kRecurrentWeights].dtype != DType::f32) return no("weights are numbers of 8 bits");
  if (!p.is_constant(Recurrent::kInputWeights) || !p.is_constant(Recurrent::kRecurrentWeights)) return no("weights are no constants");
  if (p.in[Recurrent::kRecurrentWeights].dims[2].number() < kLeastReducedK) return no("a state has less than 64 numbers");
  return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into this operator");
}

}  // namespace anydim
