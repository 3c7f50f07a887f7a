// SPDX-License-Identifier: Apache-2.0
// Convolutions and products of com.microsoft into which ONNX Runtime's optimiser joins others: FusedConv, FusedGemm, NhwcConv.
#include "core/ops/operators/convolution.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/spatial.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;
using U = UnaryFunction;

// The function that an attribute names, of x. alpha and beta are its parameters, in the order of `names` or in a list.
ValueId activated(NodeImport& n, ValueId x, std::initializer_list<std::string_view> names) {
  struct Activation {
    std::string_view name;
    U function;
    float alpha, beta;  // where the node says nothing
  };
  constexpr Activation kAll[] = {{"", U::identity, 0, 0},
                                 {"Relu", U::relu, 0, 0},
                                 {"Sigmoid", U::sigmoid, 0, 0},
                                 {"Tanh", U::tanh, 0, 0},
                                 {"LeakyRelu", U::leaky_relu, 0.01f, 0},
                                 {"Clip", U::clip, -3.402823466e+38f, 3.402823466e+38f},
                                 {"HardSigmoid", U::hard_sigmoid, 0.2f, 0.5f}};
  const std::string_view name = n.text("activation", "");
  for (const Activation& a : kAll) {
    if (a.name != name) continue;
    if (a.function == U::identity) return x;
    float parameter[2] = {a.alpha, a.beta};
    size_t i = 0;
    for (const std::string_view attribute : names) {
      if (n.has_attribute(attribute)) parameter[i] = n.real(attribute, 0.f);
      ++i;
    }
    const std::vector<float> list = n.reals("activation_params");
    if (list.size() > 2) n.unsupported("activation_params has {} entries; expected at most 2", list.size());
    for (size_t k = 0; k < list.size() && k < 2; ++k) parameter[k] = list[k];
    return n.unary(a.function, x, parameter[0], parameter[1]);
  }
  n.unsupported("activation is '{}'; expected Relu, Sigmoid, Tanh, LeakyRelu, Clip or HardSigmoid", shown(name));
  return kNoValue;
}

// activation(Conv(x, w, b) + z)
void fused_conv(NodeImport& n) {
  ValueId y = import_conv(n);
  if (n.has(3)) y = n.binary(B::add, y, n.in(3));
  n.out(0, activated(n, y, {}));
}

void fused_gemm(NodeImport& n) { n.out(0, activated(n, import_gemm(n), {"activation_alpha", "activation_beta"})); }

// Conv of channels last: x [N, spatial..., C], weights [O, spatial..., C / group].
void nhwc_conv(NodeImport& n) {
  const ValueId x = n.in(0), w = n.in(1);
  const SpatialAttributes s = spatial_attributes(n, n.rank(x));
  if (n.ok() && n.rank(w) != n.rank(x)) n.wrong("the weights have rank {}; input 0 has {}", n.rank(w), n.rank(x));
  if (!n.ok()) return;
  const int rank = n.rank(x);
  Perm first{0, rank - 1}, last{0};
  for (int i = 1; i + 1 < rank; ++i) first.push_back(i);
  for (int i = 2; i < rank; ++i) last.push_back(i);
  last.push_back(1);
  Convolution::Attributes a;
  a.spatial = s.spatial;
  a.auto_pad = s.auto_pad;
  a.group = n.integer("group", 1);
  for (int i = 0; i < s.spatial; ++i) {
    const Dim k = n.dims(w)[1 + i];
    if (s.has_kernel && k.is_number() && k.number() != s.kernel[i])
      n.wrong("kernel_shape[{}] is {}; the weights have {}", i, s.kernel[i], k.number());
    a.strides[i] = s.strides[i];
    a.dilations[i] = s.dilations[i];
    a.pads_begin[i] = s.pads_begin[i];
    a.pads_end[i] = s.pads_end[i];
  }
  std::vector<ValueId> inputs{n.transpose(x, first), n.transpose(w, first)};
  if (n.has(2)) inputs.push_back(n.in(2));
  n.out(0, n.transpose(n.add(Convolution::make(a), inputs), last));
}

constexpr Importer kMicrosoftFusedOperators[] = {
    {"FusedConv", 1, fused_conv},
    {"FusedGemm", 1, fused_gemm},
    {"NhwcConv", 1, nhwc_conv},
};

}  // namespace

std::span<const Importer> microsoft_fused_importers() { return kMicrosoftFusedOperators; }

}  // namespace anydim::onnx
