// SPDX-License-Identifier: Apache-2.0
// Running chunks; see streaming_context.h.
#include "core/run/streaming/streaming_context.h"

#include <algorithm>
#include <cstring>

#include "core/tensor/result.h"
#include "core/tensor/views.h"

namespace anydim {

int32_t StreamingContext::input_of(size_t part, bool edges) const noexcept {
  const StreamingPlan& plan = session_->plan();
  const size_t carries = plan.carries.size();
  if (part < carries) return edges ? plan.carries[part].edges_input : plan.carries[part].between_input;
  return edges ? plan.states[part - carries].edges_input : plan.states[part - carries].between_input;
}

int32_t StreamingContext::output_of(size_t part) const noexcept {
  const StreamingPlan& plan = session_->plan();
  const size_t carries = plan.carries.size();
  return part < carries ? plan.carries[part].output : plan.states[part - carries].output;
}

Status StreamingContext::check_chunks(std::span<const TensorView> in, int64_t* count) const {
  const StreamingPlan& plan = session_->plan();
  const Program& p = *session_->program().edges;
  if (in.size() != plan.model_inputs)
    return invalid("{} inputs were given; the model has {}", in.size(), plan.model_inputs).about("inputs");
  *count = -1;
  for (const StreamingPlan::Edge& e : plan.inputs) {
    const auto i = static_cast<size_t>(e.index);
    const Program::IoSpec& want = p.inputs[i];
    if (in[i].dims.rank != want.dims.rank)
      return invalid("input '{}' has rank {}; the model expects {}", want.name, in[i].dims.rank, want.dims.rank).about("inputs");
    const int64_t n = in[i].dims[e.axis];
    if (*count >= 0 && n != *count)
      return invalid("input '{}' has {} new elements along axis {}; '{}' has {}", want.name, n, e.axis,
                     p.inputs[static_cast<size_t>(plan.inputs[0].index)].name, *count)
          .about("inputs");
    *count = n;
    if (plan.most_chunk > 0 && n > plan.most_chunk)
      return error(Code::out_of_bounds, "input '{}' has {} new elements along axis {}; a chunk has {} at most", want.name, n, e.axis,
                   plan.most_chunk)
          .about("inputs");
  }
  return {};
}

Status StreamingContext::begin(const Program& p) {
  std::vector<Dim> roots;
  for (size_t k = 0; k < parts(); ++k)
    for (const Dim d : p.inputs[static_cast<size_t>(input_of(k, true))].dims) roots.push_back(d);
  std::vector<int64_t> slots(static_cast<size_t>(p.dims.size()), 0);
  for (size_t i = 0; i < session_->plan().model_inputs; ++i)
    for (int a = 0; a < in_[i].dims.rank && a < p.inputs[i].dims.rank; ++a) {
      const Dim d = p.inputs[i].dims[a];
      if (!d.is_number() && p.dims.expr(d.expr()).op == DimOp::symbol) slots[static_cast<size_t>(d.expr())] = in_[i].dims[a];
    }
  SlotProgram(p.dims, roots).run(slots);
  parts_.resize(parts());
  const size_t carries = session_->plan().carries.size();
  const MemorySourceScope memory(session_->session(true).memory_source());
  for (size_t k = 0; k < parts(); ++k) {
    Part& part = parts_[k];
    const Program::IoSpec& edge = p.inputs[static_cast<size_t>(input_of(k, true))];
    Dims dims;
    for (const Dim d : edge.dims) dims.push_back(value_of(d, slots));
    int64_t bytes = dtype_size(edge.dtype);
    for (int a = 0; a < dims.rank; ++a) {
      const bool axis = k < carries && a == session_->plan().carries[k].axis;
      bytes = saturating_mul(bytes, axis ? session_->plan().carries[k].most : dims[a]);
      if (dims[a] < 0 || bytes >= kMaxSize)
        return invalid("what is carried of '{}' would have dims {}", edge.name, to_string(dims)).about("inputs");
      if (axis) dims[a] = 0;
    }
    for (AlignedBuffer* const b : {&part.memory, &part.next}) {
      if (b->data() != nullptr && b->size() >= bytes) continue;
      auto made = AlignedBuffer::allocate(bytes);
      if (!made.ok()) return made.take_status();
      *b = std::move(*made);
    }
    part.dims = dims;
    part.strides = dense_strides(dims);
    if (k >= carries && bytes > 0) std::memset(part.memory.data(), 0, static_cast<size_t>(bytes));
  }
  return {};
}

Status StreamingContext::push(std::span<const TensorView> in, bool ends, std::span<TensorView> out, RunCall call) {
  const StreamingPlan& plan = session_->plan();
  if (progress_.ended) return invalid("the stream has ended; reset begins another");
  int64_t count = 0;
  ANYDIM_TRY(check_chunks(in, &count));
  if (!out.empty() && out.size() != plan.outputs.size())
    return invalid("{} outputs were given; the model has {} (or give none)", out.size(), plan.outputs.size()).about("outputs");
  StreamingPlan::Progress after = progress_;
  plan.advance(&after, count, ends);
  if (ends) ANYDIM_TRY(plan.check_end(after));
  const bool edges = ends || progress_.received < plan.settled;
  const StreamingProgram& programs = session_->program();
  const Program& program = edges ? *programs.edges : *programs.between;
  in_.assign(program.inputs.size(), {});
  std::copy(in.begin(), in.end(), in_.begin());
  if (!progress_.begun) ANYDIM_TRY(begin(*programs.edges));
  for (size_t k = 0; k < parts(); ++k) {
    const Part& part = parts_[k];
    const auto i = static_cast<size_t>(input_of(k, edges));
    in_[i] = {part.memory.data(), program.inputs[i].dtype, part.dims, part.strides};
  }
  const StreamingPlan::Numbers& numbers = edges ? plan.edges : plan.between;
  numbers_.resize(std::max(numbers_.size(), numbers.inputs.size()));
  for (size_t k = 0; k < numbers.inputs.size(); ++k) {
    std::vector<int64_t>& values = numbers_[k];
    values.assign(StreamingPlan::kNumbersOfInput, 0);
    for (size_t j = 0; j < values.size(); ++j)
      if (const size_t n = k * values.size() + j; n < numbers.numbers.size())
        values[j] = plan.value(numbers.numbers[n], progress_, after, edges);
    const Dims dims{StreamingPlan::kNumbersOfInput};
    in_[static_cast<size_t>(numbers.inputs[k])] = {values.data(), DType::i64, dims, dense_strides(dims)};
  }
  out_.assign(program.outputs.size(), {});
  for (size_t i = 0; i < out.size(); ++i)
    if (ends || plan.outputs[i].axis >= 0) out_[i] = out[i];
  call.state = this;
  running_ = &program;
  ANYDIM_TRY(session_->session(edges).run(in_, out_, call));
  for (Part& part : parts_) {
    std::swap(part.memory, part.next);
    part.dims = part.next_dims;
    part.strides = part.next_strides;
  }
  for (size_t i = 0; i < out.size(); ++i)
    if (ends || plan.outputs[i].axis >= 0) out[i] = out_[i];
  progress_ = std::move(after);
  ++runs_;
  return {};
}

Status StreamingContext::place(std::span<const Dims> dims, std::span<TensorView> out, bool*) {
  for (size_t k = 0; k < parts_.size(); ++k) {
    const auto o = static_cast<size_t>(output_of(k));
    Part& part = parts_[k];
    part.next_dims = dims[o];
    int64_t bytes = dtype_size(running_->outputs[o].dtype);
    for (const int64_t d : dims[o]) bytes = saturating_mul(bytes, d);
    if (bytes > part.next.size())
      return invalid("a chunk's other dims differ from those of the chunks before: '{}' would be {}", running_->outputs[o].name,
                     to_string(dims[o]))
          .about("inputs");
    const Perm& order = running_->outputs[o].order;
    part.next_strides = dense_strides(dims[o], order.rank == dims[o].rank ? order : Perm());
    out[o] = {part.next.data(), running_->outputs[o].dtype, dims[o], part.next_strides};
  }
  return {};
}

// Outputs that nobody asked for stay in the context's memory.
Status StreamingContext::place_found(size_t, const Dims&, TensorView*) { return {}; }

Status StreamingContext::ran(const Context&, std::span<const TensorView>) { return {}; }

Status StreamingContext::reset() {
  progress_ = session_->plan().start();
  runs_ = 0;
  return {};
}

StreamingFigures StreamingContext::figures() const noexcept {
  StreamingFigures f{progress_.received, runs_, 0};
  for (const Part& p : parts_) f.bytes += p.memory.size() + p.next.size();
  return f;
}

}  // namespace anydim
