// SPDX-License-Identifier: Apache-2.0
// For graph tests only: running a graph as it is written, node after node, each on dense row-major tensors of its own. No pass,
// view, arena or fusion of ours takes part, so what a context computes can be compared with it bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>

#include "core/dispatch/primitive.h"
#include "core/graph/ir.h"

namespace anydim::testing {

inline std::vector<HostTensor> reference_run(const Graph& g, std::span<const TensorView> in) {
  std::vector<int64_t> slots(static_cast<size_t>(g.dims.size()), 0);
  std::vector<TensorView> values(static_cast<size_t>(g.value_count()));
  std::vector<HostTensor> owned;
  for (size_t i = 0; i < in.size(); ++i) {
    const Value& v = g.value(g.inputs()[i]);
    values[static_cast<size_t>(v.id)] = in[i];
    for (int d = 0; d < in[i].dims.rank; ++d)
      if (!v.type.dims[d].is_number()) slots[static_cast<size_t>(v.type.dims[d].expr())] = in[i].dims[d];
  }
  SlotProgram(g.dims).run(slots);
  for (ValueId v = 0; v < g.value_count(); ++v)
    if (g.value(v).constant) values[static_cast<size_t>(v)] = g.value(v).constant->view();
  for (NodeId id : g.order()) {
    const Node& n = g.node(id);
    OperatorPtr op = n.op;
    std::vector<Dim> attributes;
    for (Dim d : op->dim_attributes()) attributes.push_back(value_of(d, slots));
    if (!attributes.empty()) op = op->with_dim_attributes(attributes);
    std::vector<TensorView> operands, post;
    for (ValueId v : n.inputs) operands.push_back(v == kNoValue ? TensorView{} : values[static_cast<size_t>(v)]);
    for (ValueId v : n.post_inputs) post.push_back(values[static_cast<size_t>(v)]);
    std::vector<HostTensor> results;
    const Status s = execute_once(op, operands, n.post_ops, post, &results);
    EXPECT_TRUE(s.ok()) << Graph::label(n) << ": " << s.message();
    if (!s.ok()) return {};
    for (size_t o = 0; o < n.outputs.size(); ++o) {
      values[static_cast<size_t>(n.outputs[o])] = results[o].view;
      owned.push_back(results[o]);
    }
    bool found = false;
    for (const SizeRead& r : g.size_reads())
      if (g.value(r.value).producer == id) {
        const TensorView& t = values[static_cast<size_t>(r.value)];
        slots[static_cast<size_t>(r.symbol.expr())] = t.dtype == DType::i64 ? t.as<int64_t>()[r.element] : t.as<int32_t>()[r.element];
        found = true;
      }
    if (found) SlotProgram(g.dims).run(slots);
  }
  std::vector<HostTensor> out;
  for (const GraphOutput& o : g.outputs()) {
    const TensorView& v = values[static_cast<size_t>(o.value)];
    HostTensor copy;
    EXPECT_TRUE(HostTensor::allocate(v.dtype, v.dims, &copy).ok());
    Dims at = Dims::filled(v.dims.rank, 0);
    const int64_t size = dtype_size(v.dtype), count = v.count();
    for (int64_t i = 0; i < count; ++i) {
      int64_t offset = 0;
      for (int a = 0; a < at.rank; ++a) offset += at[a] * v.strides[a];
      std::memcpy(static_cast<char*>(copy.view.data) + i * size, static_cast<const char*>(v.data) + offset * size,
                  static_cast<size_t>(size));
      for (int a = at.rank - 1; a >= 0 && ++at[a] == v.dims[a]; --a) at[a] = 0;
    }
    out.push_back(copy);
  }
  return out;
}

// Bits equal, any NaN with any NaN, whatever the strides; f32.
inline ::testing::AssertionResult same_bits(const TensorView& a, const TensorView& b) {
  if (!(a.dims == b.dims)) return ::testing::AssertionFailure() << to_string(a.dims) << " against " << to_string(b.dims);
  Dims at = Dims::filled(a.dims.rank, 0);
  for (int64_t i = 0; i < a.count(); ++i) {
    int64_t oa = 0, ob = 0;
    for (int d = 0; d < at.rank; ++d) oa += at[d] * a.strides[d], ob += at[d] * b.strides[d];
    const float x = a.as<float>()[oa], y = b.as<float>()[ob];
    if (std::memcmp(&x, &y, 4) != 0 && !(x != x && y != y))
      return ::testing::AssertionFailure() << "element " << i << " of " << to_string(a.dims) << " is " << x << ", expected " << y;
    for (int d = at.rank - 1; d >= 0 && ++at[d] == a.dims[d]; --d) at[d] = 0;
  }
  return ::testing::AssertionSuccess();
}

}  // namespace anydim::testing
