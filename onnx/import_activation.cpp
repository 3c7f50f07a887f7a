// SPDX-License-Identifier: Apache-2.0
// Activation functions of one input, with their parameters. (PRelu has two inputs: import_elementwise.cpp.)
#include "onnx/operators.h"

namespace anydim::onnx {
namespace {

using U = UnaryFunction;

template <UnaryFunction F> void plain(NodeImport& n) { n.out(0, n.unary(F, n.in(0))); }
void celu(NodeImport& n) { n.out(0, n.unary(U::celu, n.in(0), n.real("alpha", 1.f))); }
void elu(NodeImport& n) { n.out(0, n.unary(U::elu, n.in(0), n.real("alpha", 1.f))); }
void leaky_relu(NodeImport& n) { n.out(0, n.unary(U::leaky_relu, n.in(0), n.real("alpha", 0.01f))); }
void thresholded_relu(NodeImport& n) { n.out(0, n.unary(U::thresholded_relu, n.in(0), n.real("alpha", 1.f))); }
void hard_sigmoid(NodeImport& n) { n.out(0, n.unary(U::hard_sigmoid, n.in(0), n.real("alpha", 0.2f), n.real("beta", 0.5f))); }
void selu(NodeImport& n) {
  n.out(0, n.unary(U::selu, n.in(0), n.real("alpha", 1.67326319217681884765625f), n.real("gamma", 1.05070102214813232421875f)));
}
void shrink(NodeImport& n) { n.out(0, n.unary(U::shrink, n.in(0), n.real("lambd", 0.5f), n.real("bias", 0.f))); }
void gelu(NodeImport& n) {
  const bool tanh = n.choice("approximate", "none", {"none", "tanh"}) == 1;
  n.out(0, n.unary(tanh ? U::gelu_tanh : U::gelu_erf, n.in(0)));
}
void swish(NodeImport& n) {
  const float alpha = n.real("alpha", 1.f);
  n.out(0, alpha == 1.f ? n.unary(U::silu, n.in(0)) : n.unary(U::quick_gelu, n.in(0), alpha));
}

constexpr Importer kTable[] = {
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

std::span<const Importer> activation_importers() { return kTable; }

}  // namespace anydim::onnx
