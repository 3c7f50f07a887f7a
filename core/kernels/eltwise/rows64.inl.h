// SPDX-License-Identifier: Apache-2.0
// Rows of f64 that need no special cases: plain loops, and exp and its kind over vectors. Part of typed_rows.inl.h, which includes it after
// its loops over elements.

// f on vectors; what is left of a row goes through a vector of its own.
template <class F> void doubles_row(const TypedRow& row, F f) noexcept {
  constexpr int W = kDoubles;
  for (int64_t i = 0; i < row.n; i += W) {
    const auto* a = static_cast<const double*>(row.in[0]) + i;
    auto* out = static_cast<double*>(row.out) + i;
    const auto n = static_cast<int>(row.n - i < W ? row.n - i : W);
    double rest[W] = {};
    if (n < W) {
      for (int k = 0; k < n; ++k) rest[k] = a[k];
      a = rest;
    }
    const Doubles<W> y = f(load_doubles<W>(a));
    if (n == W) {
      store_doubles<W>(out, y);
    } else {
      store_doubles<W>(rest, y);
      for (int k = 0; k < n; ++k) out[k] = rest[k];
    }
  }
}
inline bool negative(double x) { return __builtin_bit_cast(int64_t, x) < 0; }
template <UnaryFunction f> void f64_unary_row(const TypedRow& row) noexcept {
  constexpr int W = kDoubles;
  if constexpr (f == UnaryFunction::exp) doubles_row(row, [](Doubles<W> x) { return exp_of_doubles<W>(x); });
  else if constexpr (f == UnaryFunction::tanh) doubles_row(row, [](Doubles<W> x) { return tanh_of_doubles<W>(x); });
  else if constexpr (f == UnaryFunction::sigmoid) doubles_row(row, [](Doubles<W> x) { return sigmoid_of_doubles<W>(x); });
  else if constexpr (f == UnaryFunction::silu) doubles_row(row, [](Doubles<W> x) { return silu_of_doubles<W>(x); });
  else
    row_of_one<double, double>(row, [](double x) {
      if constexpr (f == UnaryFunction::relu) return x < 0.0 ? 0.0 : x;
      else if constexpr (f == UnaryFunction::abs) return __builtin_fabs(x);
      else if constexpr (f == UnaryFunction::neg) return -x;
      else if constexpr (f == UnaryFunction::square) return x * x;
      else if constexpr (f == UnaryFunction::sqrt) return __builtin_sqrt(x);
      else if constexpr (f == UnaryFunction::floor) return __builtin_floor(x);
      else if constexpr (f == UnaryFunction::ceil) return __builtin_ceil(x);
      else if constexpr (f == UnaryFunction::round_even) return __builtin_nearbyint(x);
      else if constexpr (f == UnaryFunction::sign) return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
      else return 1.0 / x;
    });
}
inline void f64_clip_row(const TypedRow& row) noexcept {
  const double low = row.alpha, high = row.beta;
  row_of_one<double, double>(row, [=](double x) {
    const double v = x < low ? low : x;
    return high < v ? high : v;
  });
}
inline void infinity_f64_row(const TypedRow& row) noexcept {
  row_of_one<bool, double>(row, [](double a) { return __builtin_fabs(a) == __builtin_inf(); });
}
template <BinaryFunction f> void f64_binary_row(const TypedRow& row) noexcept {
  row_of_two<double, double>(row, [](double a, double b) {
    if constexpr (f == BinaryFunction::add) return a + b;
    else if constexpr (f == BinaryFunction::sub) return a - b;
    else if constexpr (f == BinaryFunction::mul) return a * b;
    else if constexpr (f == BinaryFunction::div) return a / b;
    else if constexpr (f == BinaryFunction::prelu) return a < 0.0 ? b * a : a;
    else if constexpr (f == BinaryFunction::max) return a != a || b != b ? a + b : a > b || (a == b && !negative(a)) ? a : b;
    else return a != a || b != b ? a + b : a < b || (a == b && negative(a)) ? a : b;
  });
}
