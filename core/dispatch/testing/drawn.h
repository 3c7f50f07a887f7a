// SPDX-License-Identifier: Apache-2.0
// For tests of engines: random problems with their tensors, run on any engine through memory and streams of it.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "core/dispatch/primitive/primitive.h"
#include "core/dispatch/testing/packed_weights.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/testing/problems.h"
#include "core/ops/text.h"

namespace anydim::testing {

// A problem with its tensors.
struct Drawn {
  OperatorPtr op;
  std::vector<HostTensor> in;
  PostOps post_ops;
  std::vector<HostTensor> post_in;
  OperandSet constant;  // the inputs that are weights
  std::string text;
};

inline std::vector<TensorView> views_of(const std::vector<HostTensor>& tensors) {
  std::vector<TensorView> all;
  for (const HostTensor& t : tensors) all.push_back(t.view);
  return all;
}

inline std::vector<TensorType> types_of(const std::vector<HostTensor>& tensors) {
  std::vector<TensorType> all;
  for (const HostTensor& t : tensors) {
    all.push_back({t.view.dtype, {}});
    for (const int64_t d : t.view.dims) all.back().dims.push_back(d);
  }
  return all;
}

inline void fill(const TensorView& t, const ValueRange& range, Random& r) {
  for (int64_t i = 0; i < t.count(); ++i) switch (t.dtype) {
      case DType::f32: t.as<float>()[i] = r.normal(); break;
      case DType::i64: t.as<int64_t>()[i] = r.integer(range.low, range.high); break;
      case DType::i32: t.as<int32_t>()[i] = static_cast<int32_t>(r.integer(range.low, range.high)); break;
      case DType::u8:  // the characters that an operator expects, if any
        if (range.low > 1) {
          t.as<uint8_t>()[i] = static_cast<uint8_t>(r.integer(range.low, range.high));
          break;
        }
        [[fallthrough]];
      default: t.as<uint8_t>()[i] = r.flag(); break;
    }
}

// False if the shape rule refuses what was drawn.
inline bool draw(OpKind kind, Random& r, Drawn* p) {
  const DrawnProblem drawn = ProblemDrawer(r).draw(kind);
  p->text = drawn.op;
  const Status parsed = parse_operator(drawn.op, &p->op);
  EXPECT_TRUE(parsed.ok()) << drawn.op << ": " << parsed.message();
  if (!parsed.ok()) return false;
  std::vector<Dims> dims;
  for (const auto& in : drawn.in) dims.push_back(in.dims);
  for (size_t i = 0; i < drawn.in.size(); ++i) {
    EXPECT_TRUE(HostTensor::allocate(drawn.in[i].dtype, dims[i], &p->in.emplace_back()).ok());
    fill(p->in.back().view, p->op->sensible_values(dims, i), r);
    p->text += formatted(" {}[{}]", dtype_name(drawn.in[i].dtype), to_string(dims[i]));
  }
  const std::vector<TensorType> types = types_of(p->in);
  std::vector<TensorType> out(static_cast<size_t>(p->op->output_count()));
  DimPool pool;
  if (!p->op->infer(pool, types, out).ok()) return false;
  if (has_trait(kind, Trait::products) && r.flag())
    for (size_t i = 1; i < p->in.size(); ++i) p->constant.add(i);
  else if (r.flag())
    for (size_t i = 0; i < p->in.size(); ++i)
      if (r.flag()) p->constant.add(i);
  if (has_trait(kind, Trait::products) && r.flag()) {
    PostOp add;
    add.kind = PostOp::Kind::binary;
    p->post_ops.append(add);
    p->post_ops.append({});
    p->post_ops.steps[1].unary = UnaryFunction::relu;
    Dims shape;
    for (const Dim d : out[0].dims) shape.push_back(d.number());
    EXPECT_TRUE(HostTensor::allocate(DType::f32, shape, &p->post_in.emplace_back()).ok());
    fill(p->post_in[0].view, {}, r);
  }
  return true;
}

// Makes and runs a problem on an engine, through memory and a stream of it.
inline Status run_on(const EnginePtr& engine, const Drawn& p, std::vector<std::string>* results, PrimitivePtr* made = nullptr) {
  PrimitiveAttributes attributes;
  attributes.post_ops = p.post_ops;
  WeightsPtr weights;
  std::vector<TensorView> run_time_inputs, constants(p.in.size());
  std::vector<TensorType> types;
  for (size_t i = 0; i < p.in.size(); ++i) {
    if (p.constant.has(i)) constants[i] = p.in[i].view;
    else run_time_inputs.push_back(p.in[i].view), types.push_back(types_of(p.in)[i]);
  }
  const std::vector<TensorType> post_types = types_of(p.post_in);
  WeightsUse use;
  use.in = types;
  use.post_ops = p.post_ops;
  if (!p.constant.empty()) ANYDIM_TRY(Weights::create(engine, p.op, constants, use, &weights));
  PrimitivePtr primitive;
  ANYDIM_TRY(Primitive::create(engine, p.op, {nullptr, types, post_types}, attributes, weights, &primitive));
  if (made != nullptr) *made = primitive;

  // Memory of the host stays until the stream is gone, whatever fails.
  std::vector<HostTensor> host(primitive->out().size());
  std::vector<std::unique_ptr<HostMemory>> of_host;
  StreamPtr uploads, stream;
  ANYDIM_TRY(engine->create_stream(1, &uploads));
  ANYDIM_TRY(engine->create_stream(1, &stream));
  std::vector<MemoryPtr> memories;
  const auto take = [&](const TensorView& view, PlacedTensor* to) -> Status {
    MemoryPtr memory;
    ANYDIM_TRY(engine->allocate(view.count() * dtype_size(view.dtype), &memory));
    *to = {view, {memory.get(), 0}};
    memories.push_back(std::move(memory));
    return {};
  };
  const auto upload = [&](std::span<const TensorView> tensors, std::vector<PlacedTensor>* to) -> Status {
    for (const TensorView& t : tensors) {
      ANYDIM_TRY(take(t, &to->emplace_back()));
      of_host.push_back(std::make_unique<HostMemory>(t.data, t.count() * dtype_size(t.dtype)));
      ANYDIM_TRY(uploads->copy(to->back().place, {of_host.back().get()}, of_host.back()->bytes()));
    }
    return {};
  };
  std::vector<PlacedTensor> in, post_in, out;
  ANYDIM_TRY(upload(run_time_inputs, &in));
  ANYDIM_TRY(upload(views_of(p.post_in), &post_in));
  EventPtr uploaded;
  ANYDIM_TRY(uploads->record(&uploaded));
  ANYDIM_TRY(stream->wait_for(uploaded));
  for (size_t i = 0; i < host.size(); ++i) {
    Dims dims;
    for (const Dim d : primitive->out()[i].dims) dims.push_back(d.number());
    ANYDIM_TRY(HostTensor::allocate(primitive->out()[i].dtype, dims, &host[i]));
    ANYDIM_TRY(take(host[i].view, &out.emplace_back()));
  }
  int64_t scratch = 0;
  ANYDIM_TRY(primitive->scratch_bytes(run_time_inputs, views_of(host), views_of(p.post_in), 1, &scratch));
  MemoryPtr scratch_memory;
  if (scratch > 0) ANYDIM_TRY(engine->allocate(scratch, &scratch_memory));
  ANYDIM_TRY(primitive->submit(*stream, in, post_in, out, {scratch_memory.get(), 0}, scratch));
  // The queue has what it needs.
  primitive.reset();
  weights.reset();
  for (size_t i = 0; i < host.size(); ++i) {
    of_host.push_back(std::make_unique<HostMemory>(host[i].view.data, host[i].view.count() * dtype_size(host[i].view.dtype)));
    ANYDIM_TRY(stream->copy({of_host.back().get()}, out[i].place, of_host.back()->bytes()));
  }
  const MemoryPtr last = memories.back();  // of the last output, which is read by mapping, too
  memories.clear();
  ANYDIM_TRY(stream->wait());
  std::byte* mapped = nullptr;
  ANYDIM_TRY(last->map(0, last->bytes(), &mapped));
  const std::string seen(reinterpret_cast<const char*>(mapped), static_cast<size_t>(last->bytes()));
  ANYDIM_TRY(last->unmap(0, last->bytes()));
  for (const HostTensor& t : host) results->push_back(bits(t));
  EXPECT_EQ(seen, results->back());
  return {};
}

}  // namespace anydim::testing
