// SPDX-License-Identifier: Apache-2.0
// Functions that are computed in binary64, one element at a time: our own series, since the bits of a C library's
// functions change with its version and the CPU. Only exact or correctly rounded library operations are used (sqrt,
// floor, fmod, nearbyint). Results for f32 are rounded once; the binary64 error is below 2^-45 relative, so they are the
// nearest f32 but for near-ties.
#include "core/kernels/eltwise/functions.h"

#include <cmath>
#include <limits>

#include "core/kernels/kernel.h"

namespace anydim {

namespace {

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

double tanh64(double x) {
  const double a = std::fabs(x);
  if (a > 20.0) return std::copysign(1.0, x);
  const double t = expm1_64(2.0 * a);
  return std::copysign(t / (t + 2.0), x);
}
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

// The first 320 bits of 2/pi after the point.
constexpr uint32_t kTwoOverPi[10] = {0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599,
                                     0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0};

// 32 bits of 2/pi from bit `at` on (0 = the first after the point).
uint32_t two_over_pi_bits(int at) {
  const int word = at / 32, shift = at % 32;
  const uint64_t pair = static_cast<uint64_t>(kTwoOverPi[word]) << 32 | kTwoOverPi[word + 1];
  return static_cast<uint32_t>(pair >> (32 - shift));
}

// x = quadrant * pi/2 + r, |r| <= pi/4, for a finite f32 x >= 0. Exact integers: x = m * 2^e, and x * 2/pi modulo 4
// needs only the bits of 2/pi from weight 2^(2-e) down; 96 of them leave 2^-40 or better relative to any r.
double reduce_to_quadrant(float x, int* quadrant) {
  int e;
  const auto m = static_cast<uint64_t>(std::ldexp(std::frexp(x, &e), 24));
  e -= 24;
  if (e < -40) e = -40;  // x < 2^-16 never comes here
  const int first = e > 2 ? e - 2 : 0;
  using U128 = unsigned __int128;
  const U128 window = static_cast<U128>(two_over_pi_bits(first)) << 64 | static_cast<U128>(two_over_pi_bits(first + 32)) << 32 |
                      two_over_pi_bits(first + 64);
  const int point = first + 96 - e;                    // bits after the point in the product
  const U128 product = static_cast<U128>(m) * window;  // below 2^120
  const U128 one = static_cast<U128>(1) << point;
  const U128 fraction = product & (one - 1);
  int q = point < 120 ? static_cast<int>(product >> point) & 3 : 0;
  double f = std::ldexp(static_cast<double>(fraction), -point);
  if (fraction > one / 2) {
    f = -std::ldexp(static_cast<double>(one - fraction), -point);
    ++q;
  }
  *quadrant = q & 3;
  return f * kHalfPi;
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

double trigonometric(UnaryFunction f, float x) {
  if (!(std::fabs(x) <= std::numeric_limits<float>::max())) return kNan;
  int q = 0;
  const float a = std::fabs(x);
  const double r = a < 0.7f ? a : reduce_to_quadrant(a, &q);
  const double s = sine_series(r), c = cosine_series(r);
  const double sine = q == 0 ? s : q == 1 ? c : q == 2 ? -s : -c;
  if (f == UnaryFunction::cos) return q == 0 ? c : q == 1 ? -s : q == 2 ? -c : s;
  if (f == UnaryFunction::sin) return std::signbit(x) ? -sine : sine;
  const double t = q % 2 == 0 ? s / c : -c / s;
  return std::signbit(x) ? -t : t;
}

double power64(double a, double b) {
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
    r = exp64(b * log64(magnitude));
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
  if (f == UnaryFunction::sin || f == UnaryFunction::cos || f == UnaryFunction::tan) return static_cast<float>(trigonometric(f, x));
  return static_cast<float>(inverse_or_hyperbolic(f, x));
}

float rare_function(BinaryFunction f, float a, float b) noexcept {
  if (f == BinaryFunction::pow) return static_cast<float>(power64(a, b));
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
    case UnaryFunction::erf:
    case UnaryFunction::gelu_erf:
    case UnaryFunction::sin:
    case UnaryFunction::cos:
    case UnaryFunction::tan:
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
    case UnaryFunction::sigmoid: return 1.0 / (1.0 + exp64(-x));
    case UnaryFunction::silu: x = x < -709.0 ? -709.0 : x; return x / (1.0 + exp64(-x));
    case UnaryFunction::tanh: return tanh64(x);
    case UnaryFunction::exp: return exp64(x);
    case UnaryFunction::log: return log64(x);
    case UnaryFunction::sqrt: return std::sqrt(x);
    case UnaryFunction::reciprocal: return 1.0 / x;
    case UnaryFunction::abs: return std::fabs(x);
    case UnaryFunction::neg: return -x;
    case UnaryFunction::square: return x * x;
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
    case BinaryFunction::pow: return b == 2.0 ? a * a : power64(a, b);
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
