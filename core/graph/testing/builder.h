// SPDX-License-Identifier: Apache-2.0
// For graph tests only: writing small graphs down in C++ where the text form would be longer. Failures of an operator
// are test failures.
#pragma once

#include <gtest/gtest.h>

#include <random>

#include "core/graph/ir.h"
#include "core/graph/plan/strided_dims.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/resize.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/softmax.h"
#include "core/ops/operators/transpose.h"
#include "core/ops/operators/unary.h"

namespace anydim::testing {

class Builder {
 public:
  Graph graph;

  explicit Builder(uint64_t seed = 1) : random_(seed) {}

  // Dims: numbers, or negative numbers for named symbols: input("x", {-1, 3, -2, -3}) gives d1, d2, d3.
  ValueId input(const std::string& name, std::initializer_list<int64_t> dims) {
    std::vector<DeclaredDim> declared;
    for (int64_t d : dims) declared.push_back(d < 0 ? DeclaredDim{-1, "d" + std::to_string(-d)} : DeclaredDim{d, ""});
    return graph.add_input(name, DType::f32, declared);
  }
  ValueId constant(std::initializer_list<int64_t> dims, float scale = 1.f) {
    Dims d(std::span<const int64_t>(dims.begin(), dims.size()));
    std::vector<float> values(static_cast<size_t>(element_count(d)));
    std::normal_distribution<float> normal(0.f, scale);
    for (float& v : values) v = normal(random_);
    return graph.add_constant("c" + std::to_string(graph.value_count()), ConstantTensor::of<float>(DType::f32, d, values));
  }
  ValueId conv(ValueId x, int64_t channels, int64_t kernel, int64_t stride = 1, int64_t group = 1) {
    Convolution::Attributes a;
    for (int i = 0; i < 2; ++i) {
      a.strides[i] = stride;
      a.pads_begin[i] = a.pads_end[i] = kernel / 2;
    }
    a.group = group;
    const int64_t in = graph.value(x).type.dims[1].number() / group;
    const float scale = 1.f / std::sqrt(static_cast<float>(in * kernel * kernel));
    return add(Convolution::make(a), {x, constant({channels, in, kernel, kernel}, scale), constant({channels})});
  }
  ValueId unary(UnaryFunction f, ValueId x, float alpha = 0, float beta = 0) { return add(Unary::make(f, alpha, beta), {x}); }
  ValueId relu(ValueId x) { return unary(UnaryFunction::relu, x); }
  ValueId binary(BinaryFunction f, ValueId a, ValueId b) { return add(Binary::make(f), {a, b}); }
  ValueId plus(ValueId a, ValueId b) { return binary(BinaryFunction::add, a, b); }
  ValueId times(ValueId a, ValueId b) { return binary(BinaryFunction::mul, a, b); }
  ValueId concat(std::vector<ValueId> in, int axis) { return add(Concat::make(axis), std::move(in)); }
  ValueId transpose(ValueId x, std::initializer_list<int32_t> perm) {
    return add(Transpose::make(Perm(std::span<const int32_t>(perm.begin(), perm.size()))), {x});
  }
  ValueId reshape(ValueId x, const SymDims& dims) { return add(Reshape::make(dims), {x}); }
  ValueId slice(ValueId x, int axis, Dim start, Dim length) {
    const SymDims& d = graph.value(x).type.dims;
    SymDims starts = SymDims::filled(d.rank, Dim(0)), lengths = d;
    starts[axis] = start;
    lengths[axis] = length;
    return add(Slice::make(starts, RankArray<int64_t>::filled(d.rank, 1), lengths), {x});
  }
  ValueId softmax(ValueId x, int64_t axis) { return add(Softmax::make(axis, false), {x}); }
  ValueId matmul(ValueId a, ValueId b) { return add(Matmul::make({}), {a, b}); }
  ValueId max_pool(ValueId x, int64_t kernel, int64_t stride) {
    Pooling::Attributes a;
    for (int i = 0; i < 2; ++i) {
      a.window[i] = kernel;
      a.strides[i] = stride;
      a.pads_begin[i] = a.pads_end[i] = kernel / 2;
    }
    return add(Pooling::make(a), {x});
  }
  ValueId global_average(ValueId x) {
    Pooling::Attributes a;
    a.kind = Pooling::Kind::average;
    a.global = true;
    return add(Pooling::make(a), {x});
  }
  ValueId enlarge(ValueId x, float factor) {
    Resize::Attributes a;
    a.coordinates = Resize::Coordinates::asymmetric;
    a.nearest = Resize::Nearest::floor;
    a.scales = {1, 1, factor, factor};
    return add(Resize::make(a), {x});
  }
  void output(ValueId v, const std::string& name = "y") { graph.add_output(v, name); }
  const SymDims& dims(ValueId v) const { return graph.value(v).type.dims; }

  ValueId add(Result<OperatorPtr> op, std::vector<ValueId> in) {
    EXPECT_TRUE(op.ok()) << op.status().message();
    if (!op.ok()) return kNoValue;
    auto v = graph.add(*op, std::move(in), "n" + std::to_string(graph.node_capacity()));
    EXPECT_TRUE(v.ok()) << v.status().message();
    return v.ok() ? *v : kNoValue;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace anydim::testing
