// SPDX-License-Identifier: Apache-2.0
// Activation functions of one input, with their parameters. (PRelu has two inputs: elementwise.cpp.)
#include <cmath>

#include "onnx/walk/operators.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;

template <UnaryFunction F> void plain(NodeImport& n) { n.out(0, n.unary(F, n.in(0))); }
void celu(NodeImport& n) { n.out(0, n.unary(U::celu, n.in(0), n.real("alpha", 1.f))); }
void elu(NodeImport& n) { n.out(0, n.unary(U::elu, n.in(0), n.real("alpha", 1.f))); }
void leaky_relu(NodeImport& n) { n.out(0, n.unary(U::leaky_relu, n.in(0), n.real("alpha", 0.01f))); }
void thresholded_relu(NodeImport& n) { n.out(0, n.unary(U::thresholded_relu, n.in(0), n.real("alpha", 1.f))); }
void hard_sigmoid(NodeImport& n) { n.out(0, n.unary(U::hard_sigmoid, n.in(0), n.real("alpha", 0.2f), n.real("beta", 0.5f))); }
void selu(NodeImport& n) {
  const bool first = n.opset() < 6;
  const float alpha = n.real("alpha", first ? 1.6732f : 1.67326319217681884765625f);
  n.out(0, n.unary(U::selu, n.in(0), alpha, n.real("gamma", first ? 1.0507f : 1.05070102214813232421875f)));
}

// x + bias below -lambd, x - bias above lambd, else 0. For integers the limits are the integers that bound the same
// elements; a bias that is not whole is added in float64 and cut off toward zero.
ValueId shrink_integers(NodeImport& n, ValueId x, double lambd, double bias) {
  const DType t = n.dtype(x);
  const int bits = static_cast<int>(8 * dtype_size(t));
  const bool is_signed = t == DType::i8 || t == DType::i16 || t == DType::i32 || t == DType::i64;
  const double least = is_signed ? -std::ldexp(1.0, bits - 1) : 0.0, beyond = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  if (std::isnan(lambd) || (t == DType::u64 && std::fabs(lambd) > 9e18) || !(std::fabs(bias) < 9e15))
    n.unsupported("lambd is {} and bias {}, of an input of dtype {}; expected numbers that this dtype holds", lambd, bias, dtype_name(t));
  if (!n.ok()) return kNoValue;
  const auto moved = [&](B f) {
    if (bias == 0) return x;
    const double size = std::fabs(bias);
    if (size != std::trunc(size) || size >= beyond) return n.cast(n.binary(f, n.cast(x, DType::f64), n.scalar(DType::f64, bias)), t);
    return n.binary((f == B::add) == (bias > 0) ? B::add : B::sub, x, n.scalar(t, size));
  };
  const double first = std::ceil(-lambd), last = std::floor(lambd);  // x < first, last < x
  const ValueId zero = n.scalar(t, 0.0);
  ValueId y = zero;
  if (last < least) y = moved(B::sub);
  else if (last < beyond) y = n.where(n.binary(B::less, n.scalar(t, last), x), moved(B::sub), zero);
  if (first >= beyond) y = moved(B::add);
  else if (first > least) y = n.where(n.binary(B::less, x, n.scalar(t, first)), moved(B::add), y);
  return n.expand(y, n.dims(x));
}
void shrink(NodeImport& n) {
  const ValueId x = n.in(0);
  const float lambd = n.real("lambd", 0.5f), bias = n.real("bias", 0.f);
  const DType t = n.dtype(x);
  const bool integers = n.ok() && !dtype_is_float(t) && t != DType::boolean;
  n.out(0, integers ? shrink_integers(n, x, lambd, bias) : n.unary(U::shrink, x, lambd, bias));
}
void gelu(NodeImport& n) {
  const bool tanh = n.choice("approximate", "none", {"none", "tanh"}) == 1;
  n.out(0, n.unary(tanh ? U::gelu_tanh : U::gelu_erf, n.in(0)));
}
void swish(NodeImport& n) {
  const float alpha = n.real("alpha", 1.f);
  n.out(0, alpha == 1.f ? n.unary(U::silu, n.in(0)) : n.unary(U::quick_gelu, n.in(0), alpha));
}

constexpr Importer kActivationOperators[] = {
    {"Celu", 12, celu},
    {"Elu", 1, elu},
    {"Gelu", 20, gelu},
    {"HardSigmoid", 1, hard_sigmoid},
    {"HardSwish", 14, plain<U::hard_swish>},
    {"LeakyRelu", 1, leaky_relu},
    {"Mish", 18, plain<U::mish>},
    {"Relu", 1, plain<U::relu>},
    {"Selu", 1, selu},
    {"Shrink", 9, shrink},
    {"Sigmoid", 1, plain<U::sigmoid>},
    {"Softplus", 1, plain<U::softplus>},
    {"Softsign", 1, plain<U::softsign>},
    {"Swish", 24, swish},
    {"ThresholdedRelu", 10, thresholded_relu},
};

}  // namespace

std::span<const Importer> activation_importers() { return kActivationOperators; }

}  // namespace anydim::onnx
