// SPDX-License-Identifier: Apache-2.0
// Functions that are computed in binary64, one element at a time: our own series, since the bits of a C library's
// functions change with its version and the CPU. Only exact or correctly rounded library operations are used (sqrt,
// floor, fmod, nearbyint). Results for f32 are rounded once; the binary64 error is below 2^-45 relative, so they are the
// nearest f32 but for near-ties.
#include "core/kernels/eltwise/functions.h"

#include <cmath>
#include <limits>

#include "core/kernels/eltwise/doubles.inl.h"
#include "core/kernels/eltwise/functions.inl.h"
#include "core/kernels/eltwise/quadrant.h"
#include "core/kernels/kernel.h"
#include "core/kernels/simd/doubles.h"
#include "core/kernels/simd/fused_doubles.h"

namespace anydim {

namespace {

using namespace portable;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kLn2High = 0x1.62e42fee00000p-1, kLn2Low = 0x1.a39ef35793c76p-33;  // high: 32 bits
constexpr double kHalfPi = 0x1.921fb54442d18p+0, kHalfPiLow = 0x1.1a62633145c07p-54;

// f + f^2/2! + ... + f^13/13! by Horner, |f| <= 0.35: remainder 5e-18.
double exp_series(double f) {
  double p = 1.0;
  for (int k = 14; k >= 2; --k) p = 1.0 + f / k * p;
  return f * p;
}

double exp64(double x) {
  if (x != x) return x;
  if (x > 709.8) return kInfinity;
  if (x < -745.2) return 0.0;
  const double n = std::nearbyint(x * 0x1.71547652b82fep+0);
  const double f = (x - n * kLn2High) - n * kLn2Low;
  return std::ldexp(1.0 + exp_series(f), static_cast<int>(n));
}

double expm1_64(double x) { return x > -0.35 && x < 0.35 ? exp_series(x) : exp64(x) - 1.0; }

// 2 atanh(s) = log((1 + s) / (1 - s)), |s| <= 0.172: s^(2k)/(2k+1) below 2^-56 from k = 11 on.
double twice_atanh(double s) {
  const double t = s * s;
  double p = 0.0;
  for (int k = 12; k >= 0; --k) p = p * t + 1.0 / (2 * k + 1);
  return 2.0 * s * p;
}

double log64(double x) {
  if (x != x || x == kInfinity) return x;
  if (x < 0.0) return kNan;
  if (x == 0.0) return -kInfinity;
  int e;
  double m = std::frexp(x, &e);
  if (m < 0x1.6a09e667f3bcdp-1) {
    m *= 2.0;
    --e;
  }
  return e * kLn2High + (twice_atanh((m - 1.0) / (m + 1.0)) + e * kLn2Low);
}

double log1p_64(double u) { return u > -0.29 && u < 0.41 ? twice_atanh(u / (2.0 + u)) : log64(1.0 + u); }

// Octant folding to [0, 1], one halving of the angle (atan t = 2 atan(t / (1 + sqrt(1 + t^2)))), then the series.
double atan64(double x) {
  if (x != x) return x;
  const double a = std::fabs(x);
  double t = a > 1.0 ? 1.0 / a : a;
  const bool fold = t > 0.41421356237309503;
  if (fold) t = (t - 1.0) / (t + 1.0);
  t = t / (1.0 + std::sqrt(1.0 + t * t));
  const double s = t * t;
  double p = 0.0;
  for (int k = 13; k >= 0; --k) p = 1.0 / (2 * k + 1) - p * s;
  double r = 2.0 * t * p;
  if (fold) r = kHalfPi / 2 + (r + kHalfPiLow / 2);
  if (a > 1.0) r = kHalfPi - (r - kHalfPiLow);
  return std::copysign(r, x);
}

// One lane of the vectors' functions.
double lane(Doubles<2> v) { return v[0]; }
Doubles<2> lanes(double x) { return Doubles<2>{x, x}; }

double sinh64(double x) {
  const double t = expm1_64(std::fabs(x));
  return std::copysign(t == kInfinity ? t : (t + t / (t + 1.0)) / 2.0, x);
}
double cosh64(double x) {
  const double t = exp64(std::fabs(x));
  return (t + 1.0 / t) / 2.0;
}
double asinh64(double x) {
  const double a = std::fabs(x);
  if (a > 1e150) return a == kInfinity ? x : std::copysign(log64(a) + (kLn2High + kLn2Low), x);
  return std::copysign(log1p_64(a + a * a / (1.0 + std::sqrt(a * a + 1.0))), x);
}
double acosh64(double x) {
  if (x < 1.0) return kNan;
  if (x > 1e150) return log64(x) + (kLn2High + kLn2Low);
  const double t = x - 1.0;
  return log1p_64(t + std::sqrt(2.0 * t + t * t));
}
double atanh64(double x) {
  const double a = std::fabs(x);
  return a > 1.0 ? kNan : a == 1.0 ? std::copysign(kInfinity, x) : std::copysign(log1p_64(2.0 * a / (1.0 - a)) / 2.0, x);
}

double sine_series(double r) {
  const double s = r * r;
  double p = 1.0;
  for (int k = 10; k >= 1; --k) p = 1.0 - s / ((2 * k) * (2 * k + 1)) * p;
  return r * p;
}
double cosine_series(double r) {
  const double s = r * r;
  double p = 1.0;
  for (int k = 10; k >= 1; --k) p = 1.0 - s / ((2 * k - 1) * (2 * k)) * p;
  return p;
}

// Of an angle of `quadrant` * pi/2 and more, from the sine and the cosine of the rest.
double of_quadrant(UnaryFunction f, int quadrant, double s, double c, bool negative) {
  const double sine = quadrant == 0 ? s : quadrant == 1 ? c : quadrant == 2 ? -s : -c;
  if (f == UnaryFunction::cos) return quadrant == 0 ? c : quadrant == 1 ? -s : quadrant == 2 ? -c : s;
  if (f == UnaryFunction::sin) return negative ? -sine : sine;
  const double t = quadrant % 2 == 0 ? s / c : -c / s;
  return negative ? -t : t;
}

// The same to 2^-44 relative, for results of binary32: a third of the steps, and no divisions.
double short_series(double r, const double (&factors)[7]) {
  const double s = r * r;
  double p = 1.0;
  for (const double factor : factors) p = 1.0 - s * factor * p;
  return p;
}
double short_sine(double r) { return r * short_series(r, {1.0 / 210, 1.0 / 156, 1.0 / 110, 1.0 / 72, 1.0 / 42, 1.0 / 20, 1.0 / 6}); }
double short_cosine(double r) { return short_series(r, {1.0 / 182, 1.0 / 132, 1.0 / 90, 1.0 / 56, 1.0 / 30, 1.0 / 12, 1.0 / 2}); }

// a = k * pi/2 + the result, 0 <= a < 2^20. The first two parts of pi/2 have 33 bits, so that their products with k are exact, and so is
// the first difference.
double reduce_moderate(float a, int* quadrant) {
  const double rounded = a * 0x1.45f306dc9c883p-1 + 0x1.8p52, k = rounded - 0x1.8p52;
  *quadrant = static_cast<int>(__builtin_bit_cast(uint64_t, rounded) & 3);
  return ((a - k * 0x1.921fb544p+0) - k * 0x1.0b4611a6p-34) - k * 0x1.3198a2e037073p-69;
}

double trigonometric(UnaryFunction f, float x) {
  if (!(std::fabs(x) <= std::numeric_limits<float>::max())) return kNan;
  int q = 0;
  const float a = std::fabs(x);
  const double r = a < 0.7f ? a : a < 0x1p20f ? reduce_moderate(a, &q) : reduce_to_quadrant(a, &q);
  if (f == UnaryFunction::tan) return of_quadrant(f, q, short_sine(r), short_cosine(r), std::signbit(x));
  // One of the two is asked for.
  const bool sine = (q % 2 == 0) == (f == UnaryFunction::sin);
  const double v = sine ? short_sine(r) : short_cosine(r);
  return of_quadrant(f, q, v, v, std::signbit(x));
}

double trigonometric64(UnaryFunction f, double x) {
  if (!(std::fabs(x) <= std::numeric_limits<double>::max())) return kNan;
  int q = 0;
  double low = 0.0;
  const double a = std::fabs(x), r = a < 0.7 ? a : reduce_to_quadrant(a, &q, &low);
  const double s = sine_series(r), c = cosine_series(r);
  return of_quadrant(f, q, s + c * low, c - s * low, std::signbit(x));
}

// exp(-x^2 / divisor): what x * x rounds away comes back to first order.
double gaussian64(double x, double divisor) {
  const double square = x * x;
  return exp64(-square / divisor) * (1.0 - std::fma(x, x, -square) / divisor);
}

// 2/sqrt(pi) exp(-a^2) (a + 2 a^3 / 3 + 4 a^5 / 15 + ...), 0 <= a < 0.8: all terms have one sign, the rest is below 2^-60. `gaussian`
// is exp(-a^2).
double erf_series(double a, double gaussian) {
  double p = 1.0;
  for (int n = 24; n >= 1; --n) p = 1.0 + 2.0 * a * a / (2 * n + 1) * p;
  return 0x1.20dd750429b6dp+0 * gaussian * a * p;
}

// 1 - erf(a), a >= 0: from 0.8 on Laplace's continued fraction exp(-a^2) / sqrt(pi) / (a + (1/2) / (a + (2/2) / (a + ...))).
double erfc64(double a, double gaussian) {
  if (a < 0.8) return 1.0 - erf_series(a, gaussian);
  if (gaussian == 0.0) return 0.0;
  double t = a;
  for (int k = 256; k >= 1; --k) t = a + 0.5 * k / t;
  return 0x1.20dd750429b6dp-1 * gaussian / t;
}

double erf64(double x) {
  if (x != x) return x;
  const double a = std::fabs(x);
  if (a > 6.0) return std::copysign(1.0, x);
  const double gaussian = gaussian64(a, 1.0);
  return std::copysign(a < 0.8 ? erf_series(a, gaussian) : 1.0 - erfc64(a, gaussian), x);
}

// x/2 (1 + erf(x / sqrt 2)), without cancellation below 0.
double gelu64(double x) {
  if (x != x || x > 40.0) return x;
  if (x < -40.0) return -0.0;
  const double tail = 0.5 * erfc64(std::fabs(x) * 0x1.6a09e667f3bcdp-1, gaussian64(x, 2.0));
  return x < 0.0 ? x * tail : x * (1.0 - tail);
}

double plain_power(double a, double b) { return exp64(b * log64(a)); }
double plain_power_for_floats(double a, double b) {
  Doubles<2> x[] = {lanes(a)};
  power_for_floats<2, 1>(x, {lanes(b)});
  return lane(x[0]);
}

// `plain` is the power where there is no special case.
double power64(double a, double b, double (*plain)(double, double)) {
  if (b == 0.0 || a == 1.0) return 1.0;
  if (a != a || b != b) return kNan;
  if (b == 1.0) return a;
  const double magnitude = std::fabs(a);
  const bool integral = std::fabs(b) >= 0x1p53 || std::floor(b) == b;
  const bool odd = integral && std::fabs(b) < 0x1p53 && std::fmod(b, 2.0) != 0.0;
  if (a < 0.0 && !integral && magnitude != kInfinity) return kNan;
  double r;
  if (std::fabs(b) == kInfinity) {
    if (magnitude == 1.0) return 1.0;
    r = (magnitude > 1.0) == (b > 0.0) ? kInfinity : 0.0;
  } else if (magnitude == 0.0 || magnitude == kInfinity) {
    r = (magnitude == 0.0) == (b > 0.0) ? 0.0 : kInfinity;
  } else if (integral && std::fabs(b) <= 64.0) {
    // By squaring: exact as long as the power fits 53 bits.
    double base = magnitude;
    r = 1.0;
    for (auto n = static_cast<unsigned>(std::fabs(b)); n != 0; n >>= 1, base *= base)
      if (n & 1) r *= base;
    if (b < 0.0) r = 1.0 / r;
  } else {
    r = plain(magnitude, b);
  }
  return odd && std::signbit(a) ? -r : r;
}

double modulo(BinaryFunction f, double a, double b) {
  const double r = std::fmod(a, b);  // exact
  if (f == BinaryFunction::mod_trunc) return r;
  if (r != 0.0) return (r < 0.0) == (b < 0.0) ? r : r + b;
  return std::copysign(r, b);
}

double inverse_or_hyperbolic(UnaryFunction f, double x) {
  switch (f) {
    case UnaryFunction::asin: return atan64(x / std::sqrt((1.0 - x) * (1.0 + x)));
    case UnaryFunction::acos: return 2.0 * atan64(std::sqrt((1.0 - x) / (1.0 + x)));
    case UnaryFunction::atan: return atan64(x);
    case UnaryFunction::sinh: return sinh64(x);
    case UnaryFunction::cosh: return cosh64(x);
    case UnaryFunction::asinh: return asinh64(x);
    case UnaryFunction::acosh: return acosh64(x);
    case UnaryFunction::atanh: return atanh64(x);
    default: return kNan;
  }
}

}  // namespace

float rare_function(UnaryFunction f, float x) noexcept {
  const auto one = PortableF32<1>::set(x);
  switch (f) {
    case UnaryFunction::sin:
    case UnaryFunction::cos:
    case UnaryFunction::tan: return static_cast<float>(trigonometric(f, x));
    case UnaryFunction::asin: return portable::asin(one).v[0];
    case UnaryFunction::acos: return portable::acos(one).v[0];
    case UnaryFunction::atan: return portable::atan(one).v[0];
    default: return static_cast<float>(inverse_or_hyperbolic(f, x));
  }
}

float rare_function(BinaryFunction f, float a, float b) noexcept {
  if (f == BinaryFunction::pow) return static_cast<float>(power64(a, b, plain_power_for_floats));
  if (f == BinaryFunction::mod_trunc) return std::fmod(a, b);
  if (f == BinaryFunction::mod_floor) {
    const float r = std::fmod(a, b);
    if (r != 0.f) return (r < 0.f) == (b < 0.f) ? r : r + b;
    return std::copysign(r, b);
  }
  return std::numeric_limits<float>::quiet_NaN();
}

bool is_f64_function(UnaryFunction f) noexcept {
  switch (f) {
    case UnaryFunction::round_f16:
    case UnaryFunction::round_bf16:
    case UnaryFunction::logical_not:
    case UnaryFunction::bitwise_not: return false;
    default: return true;
  }
}

double f64_function(UnaryFunction f, double x, double alpha, double beta) noexcept {
  const auto clip = [](double v, double lo, double hi) {
    v = v < lo ? lo : v;
    return hi < v ? hi : v;
  };
  switch (f) {
    case UnaryFunction::identity: return x;
    case UnaryFunction::relu: return x < 0.0 ? 0.0 : x;
    case UnaryFunction::leaky_relu: return x < 0.0 ? alpha * x : x;
    case UnaryFunction::clip: return clip(x, alpha, beta);
    case UnaryFunction::hard_sigmoid: return clip(alpha * x + beta, 0.0, 1.0);
    case UnaryFunction::hard_swish: return (x < -3.0 ? -3.0 : x) * clip(x / 6.0 + 0.5, 0.0, 1.0);
    case UnaryFunction::sigmoid: return lane(sigmoid_of_doubles<2>(lanes(x)));
    case UnaryFunction::silu: return lane(silu_of_doubles<2>(lanes(x)));
    case UnaryFunction::tanh: return lane(tanh_of_doubles<2>(lanes(x)));
    case UnaryFunction::exp: return lane(exp_of_doubles<2>(lanes(x)));
    case UnaryFunction::log: return log64(x);
    case UnaryFunction::sqrt: return std::sqrt(x);
    case UnaryFunction::reciprocal: return 1.0 / x;
    case UnaryFunction::abs: return std::fabs(x);
    case UnaryFunction::neg: return -x;
    case UnaryFunction::square: return x * x;
    case UnaryFunction::erf: return erf64(x);
    case UnaryFunction::gelu_erf: return gelu64(x);
    case UnaryFunction::sin:
    case UnaryFunction::cos:
    case UnaryFunction::tan: return trigonometric64(f, x);
    case UnaryFunction::gelu_tanh: {
      x = x < -30.0 ? -30.0 : x;
      return x / (1.0 + exp64(-1.5957691216057308 * (x + 0.044715 * x * x * x)));
    }
    case UnaryFunction::softplus: return (x < 0.0 ? 0.0 : x) + log1p_64(exp64(-std::fabs(x)));
    case UnaryFunction::softsign: return std::fabs(x) > 1e300 ? std::copysign(1.0, x) : x / (1.0 + std::fabs(x));
    case UnaryFunction::mish: {
      x = x < -745.0 ? -745.0 : x;
      const double e = exp64(x > 40.0 ? 40.0 : x), n = e * (e + 2.0);
      return x * (n / (n + 2.0));
    }
    case UnaryFunction::elu: return x < 0.0 ? alpha * expm1_64(x) : x;
    case UnaryFunction::selu: return beta * (x < 0.0 ? alpha * expm1_64(x) : x);
    case UnaryFunction::celu: return x < 0.0 ? alpha * expm1_64(x / alpha) : x;
    case UnaryFunction::thresholded_relu: return alpha < x ? x : 0.0;
    case UnaryFunction::shrink: return x < -alpha ? x + beta : alpha < x ? x - beta : 0.0;
    case UnaryFunction::floor: return std::floor(x);
    case UnaryFunction::ceil: return std::ceil(x);
    case UnaryFunction::round_even: return std::nearbyint(x);
    case UnaryFunction::sign: return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x;
    case UnaryFunction::affine: return std::fma(alpha, x, beta);
    case UnaryFunction::scaled_tanh: return alpha * f64_function(UnaryFunction::tanh, beta * x, 0, 0);
    case UnaryFunction::quick_gelu: {
      const double d = 1.0 + exp64(-(alpha * x));
      return d == kInfinity ? std::copysign(0.0, x) : x / d;
    }
    default: return inverse_or_hyperbolic(f, x);
  }
}

double f64_function(BinaryFunction f, double a, double b) noexcept {
  switch (f) {
    case BinaryFunction::add: return a + b;
    case BinaryFunction::sub: return a - b;
    case BinaryFunction::mul: return a * b;
    case BinaryFunction::div: return a / b;
    case BinaryFunction::max: return a != a || b != b ? a + b : a > b || (a == b && !std::signbit(a)) ? a : b;
    case BinaryFunction::min: return a != a || b != b ? a + b : a < b || (a == b && std::signbit(a)) ? a : b;
    case BinaryFunction::pow: return b == 2.0 ? a * a : power64(a, b, plain_power);
    case BinaryFunction::prelu: return a < 0.0 ? b * a : a;
    case BinaryFunction::mod_floor:
    case BinaryFunction::mod_trunc: return modulo(f, a, b);
    default: return kNan;
  }
}

bool is_chain_function(UnaryFunction f) noexcept {
  return f < UnaryFunction::count_ && f != UnaryFunction::logical_not && f != UnaryFunction::bitwise_not && f != UnaryFunction::is_nan &&
         f != UnaryFunction::is_inf;
}
bool is_chain_function(BinaryFunction f) noexcept { return f <= BinaryFunction::mod_trunc; }

Support supports_post_ops(const Problem& problem) noexcept {
  for (const PostOp& p : *problem.post_ops) {
    if (p.kind == PostOp::Kind::unary ? !is_chain_function(p.unary) : !is_chain_function(p.binary))
      return no("a post-op's function does not give f32");
  }
  for (const TensorType& t : problem.post_in)
    if (t.dtype != DType::f32 && !(dtype_is_half(t.dtype) && t.dtype == problem.out[0].dtype)) return no("a post-op's tensor is not f32");
  if (static_cast<int>(problem.post_in.size()) != problem.post_ops->operands()) return no("the post-ops' tensors are not all there");
  return yes();
}

}  // namespace anydim
