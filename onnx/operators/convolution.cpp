// SPDX-License-Identifier: Apache-2.0
// Conv and ConvTranspose, and the attributes that they share with poolings.
#include <algorithm>

#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/spatial.h"

namespace anydim::onnx {

SpatialAttributes spatial_attributes(NodeImport& n, int rank) {
  SpatialAttributes a;
  if (n.ok() && (rank < 3 || rank > 2 + kMaxSpatial))
    n.unsupported("input 0 has rank {}; expected 3 to {} (N, C and 1 to {} spatial axes)", rank, 2 + kMaxSpatial, kMaxSpatial);
  if (!n.ok()) return a;
  a.spatial = rank - 2;
  const auto spatial = static_cast<size_t>(a.spatial);
  const auto read = [&](const char* name, int64_t* to) {
    const std::vector<int64_t> v = n.integers(name);
    if (v.empty()) return false;
    if (v.size() != spatial) {
      n.wrong("{} has {} entries; expected {}", name, v.size(), spatial);
      return false;
    }
    std::copy(v.begin(), v.end(), to);
    return true;
  };
  a.has_kernel = read("kernel_shape", a.kernel);
  read("strides", a.strides);
  read("dilations", a.dilations);
  a.auto_pad = static_cast<AutoPad>(n.choice("auto_pad", "NOTSET", {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"}));
  const std::vector<int64_t> pads = n.integers("pads");
  if (!pads.empty() && pads.size() != 2 * spatial) n.wrong("pads has {} entries; expected {}", pads.size(), 2 * spatial);
  // Some writers leave zero pads beside auto_pad; it decides.
  if (n.ok() && !pads.empty() && a.auto_pad == AutoPad::explicit_)
    for (size_t i = 0; i < spatial; ++i) {
      a.pads_begin[i] = pads[i];
      a.pads_end[i] = pads[spatial + i];
    }
  return a;
}

namespace {

// Everything but the kernel goes over.
template <class Attributes> Attributes attributes_of(NodeImport& n, ValueId x, ValueId w) {
  const SpatialAttributes s = spatial_attributes(n, n.rank(x));
  Attributes a;
  if (!n.ok()) return a;
  if (n.rank(w) != n.rank(x)) n.wrong("the weights have rank {}; input 0 has {}", n.rank(w), n.rank(x));
  a.spatial = s.spatial;
  std::copy(s.strides, s.strides + kMaxSpatial, a.strides);
  std::copy(s.dilations, s.dilations + kMaxSpatial, a.dilations);
  std::copy(s.pads_begin, s.pads_begin + kMaxSpatial, a.pads_begin);
  std::copy(s.pads_end, s.pads_end + kMaxSpatial, a.pads_end);
  a.auto_pad = s.auto_pad;
  a.group = n.integer("group", 1);
  if (s.has_kernel)
    for (int i = 0; i < s.spatial && n.ok(); ++i) {
      const Dim d = n.dims(w)[2 + i];
      if (d.is_number() && !d.is(s.kernel[i])) n.wrong("kernel_shape[{}] is {}; the weights have {}", i, s.kernel[i], d.number());
    }
  return a;
}

}  // namespace

Convolution::Attributes convolution_attributes(NodeImport& n, ValueId x, ValueId w) {
  return attributes_of<Convolution::Attributes>(n, x, w);
}

namespace {

std::vector<ValueId> source_weights_bias(NodeImport& n, ValueId x, ValueId w) {
  std::vector<ValueId> inputs{x, w};
  if (n.has(2)) inputs.push_back(n.in(2));
  return inputs;
}

void conv(NodeImport& n) { n.out(0, import_conv(n)); }

void conv_transpose(NodeImport& n) {
  const ValueId x = n.in(0), w = n.in(1);
  auto a = attributes_of<ConvTranspose::Attributes>(n, x, w);
  const auto spatial = static_cast<size_t>(a.spatial);
  const std::vector<int64_t> padding = n.integers("output_padding"), shape = n.integers("output_shape");
  if (!padding.empty() && padding.size() != spatial) n.wrong("output_padding has {} entries; expected {}", padding.size(), spatial);
  // The specification says spatial dims; some writers put N and C before them.
  if (!shape.empty() && shape.size() != spatial && shape.size() != spatial + 2)
    n.wrong("output_shape has {} entries; expected {}", shape.size(), spatial);
  if (!n.ok()) return;
  std::copy(padding.begin(), padding.end(), a.output_padding);
  if (!shape.empty()) a.output_shape = RankArray<int64_t>(std::span(shape).last(spatial));
  n.out(0, n.add(ConvTranspose::make(a), source_weights_bias(n, x, w)));
}

constexpr Importer kConvolutionOperators[] = {
    {"Conv", 1, conv},
    {"ConvTranspose", 1, conv_transpose},
};

}  // namespace

ValueId import_conv(NodeImport& n) {
  const ValueId x = n.in(0), w = n.in(1);
  const auto a = convolution_attributes(n, x, w);
  return n.add(Convolution::make(a), source_weights_bias(n, x, w));
}

std::span<const Importer> convolution_importers() { return kConvolutionOperators; }

}  // namespace anydim::onnx
