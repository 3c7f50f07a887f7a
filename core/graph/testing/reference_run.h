// SPDX-License-Identifier: Apache-2.0
// For graph tests only: running a graph as it is written, node after node, each on dense row-major tensors of its own. No pass,
// view, arena or fusion of Anydim takes part, so what a context computes can be compared with it bit for bit.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <functional>

#include "core/dispatch/primitive/primitive.h"
#include "core/graph/control_flow.h"

namespace anydim::testing {

// Row-major, in memory of its own.
inline HostTensor dense_copy(const TensorView& v) {
  HostTensor copy;
  EXPECT_TRUE(HostTensor::allocate(v.dtype, v.dims, &copy).ok());
  Dims at = Dims::filled(v.dims.rank, 0);
  const int64_t size = dtype_size(v.dtype), count = v.count();
  for (int64_t i = 0; i < count; ++i) {
    int64_t offset = 0;
    for (int a = 0; a < at.rank; ++a) offset += at[a] * v.strides[a];
    std::memcpy(static_cast<char*>(copy.view.data) + i * size, static_cast<const char*>(v.data) + offset * size, static_cast<size_t>(size));
    for (int a = at.rank - 1; a >= 0 && ++at[a] == v.dims[a]; --a) at[a] = 0;
  }
  return copy;
}

std::vector<HostTensor> reference_run(const Graph& g, std::span<const TensorView> in, std::span<const int64_t> parameters = {});

// Dims that a loop's body would give, where they follow from its parameters; else those that are declared, or 0.
inline Dims known_dims(const ControlFlow& flow, size_t output, std::span<const int64_t> sizes) {
  const Graph& g = flow.body(0);
  std::vector<int64_t> slots(static_cast<size_t>(g.dims.size()), kBadSlot);
  for (size_t i = 0; i < g.parameters().size(); ++i)
    slots[static_cast<size_t>(g.parameters()[i].symbol.expr())] = sizes[static_cast<size_t>(flow.control().bodies[0].parameters[i])];
  SlotProgram(g.dims).run(slots);
  Dims dims;
  const Dims& declared = flow.control().stacks[output - flow.control().carried() - (flow.control().has_condition ? 1 : 0)].declared;
  for (Dim d : g.value(g.outputs()[output].value).type.dims) {
    const int64_t known = value_of(d, slots), said = dims.rank < declared.rank ? declared[dims.rank] : 0;
    dims.push_back(std::max<int64_t>(known == kBadSlot ? said : known, 0));
  }
  return dims;
}

// A branch or loop, whose operands and sizes have these values.
inline std::vector<HostTensor> reference_control(const ControlFlow& flow, std::span<const TensorView> operands,
                                                 std::span<const int64_t> sizes) {
  const Control& c = flow.control();
  const auto truth = [](const TensorView& t) { return *t.as<uint8_t>() != 0; };
  const auto run = [&](size_t b, const std::function<TensorView(const BodyInput&)>& feed) {
    std::vector<TensorView> in;
    for (const BodyInput& i : c.bodies[b].inputs)
      in.push_back(i.from == BodyInput::From::operand ? operands[static_cast<size_t>(i.index)] : feed(i));
    std::vector<int64_t> parameters;
    for (int32_t p : c.bodies[b].parameters) parameters.push_back(sizes[static_cast<size_t>(p)]);
    return reference_run(flow.body(b), in, parameters);
  };
  if (!flow.is_loop()) return run(truth(operands[0]) ? 0 : 1, {});
  int64_t most = c.count >= 0 ? *operands[static_cast<size_t>(c.count)].as<int64_t>() : kMaxSize;
  for (const Control::Slice& s : c.slices) most = operands[static_cast<size_t>(s.operand)].dims[s.axis];
  bool go = c.condition < 0 || truth(operands[static_cast<size_t>(c.condition)]);
  std::vector<HostTensor> carried;
  for (int32_t i : c.initial) carried.push_back(dense_copy(operands[static_cast<size_t>(i)]));
  std::vector<std::vector<HostTensor>> stacks(c.stacks.size());
  for (int64_t i = 0; go && i < most; ++i) {
    std::vector<HostTensor> out = run(0, [&](const BodyInput& from) -> TensorView {
      const auto k = static_cast<size_t>(from.index);
      if (from.from == BodyInput::From::carried) return carried[k].view;
      if (from.from == BodyInput::From::iteration) return {&i, DType::i64, {}, {}};
      const Control::Slice& s = c.slices[k];
      const TensorView& whole = operands[static_cast<size_t>(s.operand)];
      TensorView v{nullptr, whole.dtype, {}, {}};
      for (int a = 0; a < whole.dims.rank; ++a)
        if (a != s.axis) v.dims.push_back(whole.dims[a]), v.strides.push_back(whole.strides[a]);
      v.data = static_cast<char*>(whole.data) + (s.reverse ? most - 1 - i : i) * whole.strides[s.axis] * dtype_size(whole.dtype);
      return v;
    });
    const size_t first = c.has_condition ? 1 : 0;
    if (c.has_condition) go = truth(out[0].view);
    for (size_t k = 0; k < carried.size(); ++k) carried[k] = out[first + k];
    for (size_t s = 0; s < stacks.size(); ++s) stacks[s].push_back(out[first + carried.size() + s]);
  }
  for (size_t s = 0; s < stacks.size(); ++s) {
    const auto n = static_cast<int64_t>(stacks[s].size());
    const size_t output = (c.has_condition ? 1 : 0) + c.carried() + s;
    Dims dims;
    if (n > 0) dims = stacks[s][0].view.dims;
    else dims = known_dims(flow, output, sizes);
    Dims all;
    for (int a = 0; a <= dims.rank; ++a) {
      if (a == c.stacks[s].axis) all.push_back(n);
      if (a < dims.rank) all.push_back(dims[a]);
    }
    HostTensor stack;
    const TensorType type = flow.body(0).value(flow.body(0).outputs()[output].value).type;
    EXPECT_TRUE(HostTensor::allocate(type.dtype, all, &stack).ok());
    int64_t inner = dtype_size(type.dtype), outer = 1;
    for (int a = 0; a < all.rank; ++a) (a < c.stacks[s].axis ? outer : inner) *= a == c.stacks[s].axis ? 1 : all[a];
    for (int64_t i = 0; i < n; ++i)
      for (int64_t o = 0; o < outer; ++o)
        std::memcpy(static_cast<char*>(stack.view.data) + (o * n + (c.stacks[s].reverse ? n - 1 - i : i)) * inner,
                    static_cast<char*>(stacks[s][static_cast<size_t>(i)].view.data) + o * inner, static_cast<size_t>(inner));
    carried.push_back(stack);
  }
  return carried;
}

inline std::vector<HostTensor> reference_run(const Graph& g, std::span<const TensorView> in, std::span<const int64_t> parameters) {
  std::vector<int64_t> slots(static_cast<size_t>(g.dims.size()), 0);
  std::vector<TensorView> values(static_cast<size_t>(g.value_count()));
  std::vector<HostTensor> owned;
  for (size_t i = 0; i < parameters.size(); ++i) slots[static_cast<size_t>(g.parameters()[i].symbol.expr())] = parameters[i];
  for (size_t i = 0; i < in.size(); ++i) {
    const Value& v = g.value(g.inputs()[i]);
    values[static_cast<size_t>(v.id)] = in[i];
    for (int d = 0; d < in[i].dims.rank; ++d)
      if (!v.type.dims[d].is_number() && g.dims.expr(v.type.dims[d].expr()).op == DimOp::symbol)
        slots[static_cast<size_t>(v.type.dims[d].expr())] = in[i].dims[d];
  }
  for (const InputElement& e : g.input_elements())
    slots[static_cast<size_t>(e.symbol.expr())] = in[static_cast<size_t>(e.input)].as<int64_t>()[e.element];
  SlotProgram(g.dims).run(slots);
  for (ValueId v = 0; v < g.value_count(); ++v)
    if (g.value(v).constant) values[static_cast<size_t>(v)] = g.value(v).constant->view();
  for (NodeId id : g.order()) {
    const Node& n = g.node(id);
    OperatorPtr op = n.op;
    std::vector<Dim> attributes;
    std::vector<int64_t> sizes;
    for (Dim d : op->dim_attributes()) {
      sizes.push_back(value_of(d, slots));
      attributes.push_back(sizes.back());
    }
    if (!attributes.empty() && op->kind() != kControlFlow) op = op->with_dim_attributes(attributes);
    std::vector<TensorView> operands, post;
    for (ValueId v : n.inputs) operands.push_back(v == kNoValue ? TensorView{} : values[static_cast<size_t>(v)]);
    for (ValueId v : n.post_inputs) post.push_back(values[static_cast<size_t>(v)]);
    std::vector<HostTensor> results;
    if (op->kind() == kControlFlow) {
      results = reference_control(static_cast<const ControlFlow&>(*op), operands, sizes);
    } else {
      const Status s = execute_once(op, operands, n.post_ops, post, &results, n.quantization);
      EXPECT_TRUE(s.ok()) << Graph::label(n) << ": " << s.message();
      if (!s.ok()) return {};
    }
    for (size_t o = 0; o < n.outputs.size(); ++o) {
      values[static_cast<size_t>(n.outputs[o])] = results[o].view;
      owned.push_back(results[o]);
    }
    bool found = false;
    for (const SizeRead& r : g.size_reads())
      if (g.value(r.value).producer == id) {
        const TensorView& t = values[static_cast<size_t>(r.value)];
        slots[static_cast<size_t>(r.symbol.expr())] = r.axis >= 0             ? t.dims[r.axis]
                                                      : t.dtype == DType::i64 ? t.as<int64_t>()[r.element]
                                                                              : t.as<int32_t>()[r.element];
        found = true;
      }
    if (found) SlotProgram(g.dims).run(slots);
  }
  std::vector<HostTensor> out;
  for (const GraphOutput& o : g.outputs()) {
    out.push_back(dense_copy(values[static_cast<size_t>(o.value)]));
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
