// SPDX-License-Identifier: Apache-2.0
// What a context takes from others and gives them: inputs and outputs of the caller, checked against what the program says, and
// the sizes that results determine.
#include "core/run/context/context.h"
#include "core/run/context/device_context.h"
#include "core/run/context/device_edges.h"
#include "core/tensor/memory.h"
#include "core/tensor/views.h"

namespace anydim {
namespace {

int64_t integer_at(const TensorView& t, int64_t element) noexcept {
  int64_t offset = 0;
  for (int i = t.dims.rank - 1; i >= 0; --i) {
    offset += element % t.dims[i] * t.strides[i];
    element /= t.dims[i];
  }
  switch (t.dtype) {
    case DType::i64: return t.as<int64_t>()[offset];
    case DType::i32: return t.as<int32_t>()[offset];
    case DType::i16: return t.as<int16_t>()[offset];
    case DType::u16: return t.as<uint16_t>()[offset];
    case DType::i8: return t.as<int8_t>()[offset];
    case DType::u8:
    case DType::boolean: return t.as<uint8_t>()[offset];
    case DType::u32: return t.as<uint32_t>()[offset];
    case DType::u64: return static_cast<int64_t>(t.as<uint64_t>()[offset]);
    default: return kBadSlot;
  }
}

Status check_tensor(const TensorView& t, const char* what, const std::string& name) {
  int64_t lowest = 0;
  for (int d = 0; d < t.dims.rank; ++d)
    if (t.dims[d] < 0) return invalid("{} '{}' dim {} is {}; dims are not negative", what, name, d, t.dims[d]);
  const int64_t span = element_span(t.dims, t.strides, &lowest);
  if (span < 0 || saturating_mul(span, dtype_size(t.dtype)) >= kMaxSize || lowest <= -kMaxSize)
    return invalid("{} '{}' of dims {} is larger than any address space", what, name, to_string(t.dims));
  if (reinterpret_cast<uintptr_t>(t.data) % static_cast<uintptr_t>(dtype_size(t.dtype)) != 0)
    return invalid("{} '{}' is at an address that is not a multiple of the {} bytes of {}", what, name, dtype_size(t.dtype),
                   dtype_name(t.dtype));
  return {};
}

// How many slices there is room for along an axis of a tensor that is dense but for them; -1: it is not.
int64_t room_along(const TensorView& t, int axis) noexcept {
  if (t.count() == 0) return t.dims[axis];
  int64_t step = 1, room = 0;
  for (int i = t.dims.rank - 1; i >= 0; --i) {
    if (i < axis && room == 0 && t.dims[i] > 1) {
      const int64_t inner = step / t.dims[axis];
      if (t.strides[i] % inner != 0 || t.strides[i] < step) return -1;
      room = t.strides[i] / inner;
      step = t.strides[i];
    } else if (t.dims[i] > 1 && t.strides[i] != step) {
      return -1;
    }
    step = saturating_mul(step, t.dims[i]);
  }
  return room > 0 ? room : t.dims[axis];
}

// As the functions that run a model name it.
std::string input_argument(size_t index) { return formatted("inputs[{}]", index); }

}  // namespace

Status Context::take_inputs(std::span<const TensorView> in) {
  const std::vector<Program::IoSpec>& wanted = program_->inputs;
  if (in.size() != wanted.size()) return invalid("{} inputs were given; the model has {}", in.size(), wanted.size()).about("inputs");
  for (size_t i = 0; i < in.size(); ++i) {
    const TensorView& t = in[i];
    const Program::IoSpec& want = wanted[i];
    if (t.dtype != want.dtype)
      return invalid("input '{}' has dtype {}; the model expects {}", want.name, dtype_name(t.dtype), dtype_name(want.dtype))
          .about(input_argument(i));
    if (t.dims.rank != want.dims.rank || t.strides.rank != t.dims.rank)
      return invalid("input '{}' has rank {}; the model expects {}", want.name, t.dims.rank, want.dims.rank).about(input_argument(i));
    if (Status s = check_tensor(t, "input", want.name); !s.ok()) return std::move(s).about(input_argument(i));
    for (int d = 0; d < t.dims.rank; ++d) {
      const Dim dim = want.dims[d];
      const int64_t v = t.dims[d];
      if (dim.is_number() && v != dim.number())
        return invalid("input '{}' dim {} is {}; the model expects {}", want.name, d, v, dim.number()).about(input_argument(i));
      if (!dim.is_number() && program_->dims.expr(dim.expr()).op == DimOp::symbol) {
        const DimPromise& p = program_->dims.expr(dim.expr()).promise;
        if (v < p.min || v > p.max || (p.multiple_of > 1 && v % p.multiple_of != 0))
          return error(Code::out_of_bounds, "input '{}' dim {} ({}) is {}; the model promises {}..{}, a multiple of {}", want.name, d,
                       want.dim_text[static_cast<size_t>(d)], v, p.min, p.max, p.multiple_of)
              .about(input_argument(i));
      }
      if (bounded_) {
        const Interval& b = bounds_[i].dims[d];
        if (v < b.min || v > b.max)
          return error(Code::out_of_bounds, "input '{}' dim {} ({}) is {}; the context's bounds are {}..{}", want.name, d,
                       want.dim_text[static_cast<size_t>(d)], v, b.min, b.max)
              .about(input_argument(i));
      }
    }
    // Strides of axes without a second element say nothing; one spelling keeps the shape recognisable.
    in_[i] = t;
    const Strides dense = dense_strides(t.dims, want.order);
    for (int d = 0; d < t.dims.rank; ++d)
      if (t.dims[d] <= 1) in_[i].strides[d] = dense[d];
  }
  const std::vector<Program::InputElement>& elements = program_->input_elements;
  for (size_t k = 0; k < elements.size(); ++k) {
    const TensorView& t = in_[static_cast<size_t>(elements[k].input)];
    if (elements[k].element >= t.count() || t.data == nullptr)
      return invalid("input '{}' has {} elements; shapes of the model depend on element {}",
                     wanted[static_cast<size_t>(elements[k].input)].name, t.data ? t.count() : 0, elements[k].element)
          .about(input_argument(static_cast<size_t>(elements[k].input)));
    content_[k] = integer_at(t, elements[k].element);
  }
  return {};
}

void Context::take_rooms(std::span<const TensorView> out) noexcept {
  for (const size_t i : cache_outputs_) {
    rooms_[i] = 0;
    in_place_[i] = 0;
    if (i < out.size() && out[i].data != nullptr) take_room(i, out[i]);
  }
}

// An output that gets room lies where the caller says, or is found wrong before anything runs.
void Context::take_room(size_t i, const TensorView& t) noexcept {
  const Program::IoSpec& e = program_->outputs[i];
  const auto from = static_cast<size_t>(e.cache);
  if (devices_ != nullptr || edges_ != nullptr || t.dtype != e.dtype || t.dims.rank != e.dims.rank || t.strides.rank != t.dims.rank) return;
  if (!check_tensor(t, "output", e.name).ok()) return;
  const int64_t room = room_along(t, e.cache_axis);
  if (room < 0) return;
  const AddressRange range = address_range(t);
  for (size_t j = 0; j < in_.size(); ++j)
    if (j != from && overlap(range, address_range(in_[j]))) return;
  const TensorView& old = in_[from];
  const bool in_place = t.data == old.data && (old.count() == 0 || same_strides(old, t));
  if (!in_place && overlap(range, address_range(old))) return;
  if (!is_written_at_once(i) && !(in_place && e.behind)) return;
  in_place_[i] = in_place ? 1 : 0;
  rooms_[i] = room > t.dims[e.cache_axis] ? room : 0;
}

// Nothing of the caller's is written before the last stage, until when sizes may be found wrong.
bool Context::is_written_at_once(size_t i) const noexcept {
  const Program::Buffer& buffer = program_->buffer(program_->tensor(program_->results[i]).buffer);
  return body_ || (static_cast<size_t>(buffer.stage) + 1 == stages_.size() && !stages_.back().refuses);
}

// The outputs' views have their dims: their stage is bound.
Status Context::check_outputs(size_t stage, std::span<const TensorView> out) {
  for (size_t i = 0; i < out.size(); ++i)
    if (static_cast<size_t>(output_stages_[i]) == stage) ANYDIM_TRY(check_output(i, out));
  return {};
}

Status Context::check_output(size_t i, std::span<const TensorView> out) {
  output_direct_[i] = 0;
  const TensorView& t = out[i];
  if (t.data == nullptr) return {};
  const TensorView mine = shown(i, views_.outputs()[i]);
  const std::vector<Program::IoSpec>& wanted = program_->outputs;
  const std::string& name = wanted[i].name;
  if (t.dtype != wanted[i].dtype)
    return invalid("output '{}' has dtype {}; the model gives {}", name, dtype_name(t.dtype), dtype_name(wanted[i].dtype))
        .about(formatted("outputs[{}]", i));
  if (!(t.dims == mine.dims) || t.strides.rank != t.dims.rank)
    return invalid("output '{}' has dims {}; the model gives {}", name, to_string(t.dims), to_string(mine.dims))
        .about(formatted("outputs[{}]", i));
  if (Status s = check_tensor(t, "output", name); !s.ok()) return std::move(s).about(formatted("outputs[{}]", i));
  if (may_repeat_elements(t))
    return invalid("output '{}' has strides that put two of its elements at one address, or whose axes interleave", name)
        .about(formatted("outputs[{}]", i));
  const AddressRange range = address_range(t);
  for (size_t j = 0; j < i; ++j)
    if (out[j].data && overlap(range, address_range(out[j])))
      return invalid("outputs '{}' and '{}' overlap in memory", wanted[j].name, name).about(formatted("outputs[{}]", i));
  bool apart = true;  // the graph reads its inputs after it has begun to write outputs
  for (size_t j = 0; j < in_.size(); ++j)
    apart = apart && ((in_place_[i] != 0 && static_cast<int32_t>(j) == wanted[i].cache) || !overlap(range, address_range(in_[j])));
  // A device may fail as late as that.
  output_direct_[i] = apart && (in_place_[i] != 0 || is_written_at_once(i)) && devices_ == nullptr && same_strides(t, mine);
  if (rooms_[i] != 0 && output_direct_[i] == 0) return error(Code::internal, "output '{}' has room that it cannot use", name);
  output_data_[i] = static_cast<std::byte*>(t.data);
  return {};
}

Status Context::read_sizes(size_t stage, bool* same) {
  const std::vector<Program::SizeRead>& reads = program_->stages[stage].reads;
  for (size_t k = 0; k < reads.size(); ++k) {
    const TensorView& from = views_.reads(stage)[k];
    const Program::SizeRead& read = reads[k];
    const std::string& name = program_->tensor(read.tensor).name;
    if (read.axis >= 0) {
      const auto control = static_cast<size_t>(program_->steps[static_cast<size_t>(read.step)].control()->control);
      const int64_t size = controls_[control]->results()[static_cast<size_t>(read.output)].dims[read.axis];
      *same = *same && stages_[stage].sizes[k] == size;
      stages_[stage].sizes[k] = slots_[static_cast<size_t>(read.symbol.expr())] = size;
      continue;
    }
    if (read.element >= from.count())
      return error(Code::internal, "'{}' has {} elements; a size is element {}", name, from.count(), read.element);
    const int64_t size = integer_at(from, read.element);
    int64_t least = program_->dims.interval(read.symbol).min, most = value_of(read.most, slots_);
    // A number without bounds may lie beyond every size: a slice's end that means "to the end", as an input may hold it too.
    if (least == -kMaxSize) least = std::numeric_limits<int64_t>::min();
    if (most == kMaxSize || (most == kBadSlot && !bounded_)) most = std::numeric_limits<int64_t>::max();
    if (size < least || size > most || size == kBadSlot)
      return error(Code::invalid_data, "element {} of '{}' is {}; as a size it is {} to {}", read.element, name, size, least, most);
    *same = *same && stages_[stage].sizes[k] == size;
    stages_[stage].sizes[k] = slots_[static_cast<size_t>(read.symbol.expr())] = size;
  }
  return {};
}

Status Context::copy_output(size_t i, const TensorView& to) {
  if (edges_ != nullptr && edges_->left_out[i] != 0) ANYDIM_TRY(bring_output(i));
  TensorView all = to;
  while (all.dims.rank < program_->outputs[i].dims.rank) all.dims.insert(0, 1), all.strides.insert(0, 1);
  return copy_tensor(*program_->output_copies[i], views_.outputs()[i], all, parallel_);
}

TensorView Context::shown(size_t output, TensorView view) const noexcept {
  for (int n = left_out_axes(program_->outputs[output], slots_); n > 0; --n) view.dims.erase(0), view.strides.erase(0);
  return view;
}

Status copy_tensor(const Primitive& copy, const TensorView& from, const TensorView& to, const Parallel& parallel) {
  Args args;
  args.in = {&from, 1};
  args.out = {&to, 1};
  args.parallel = parallel;
  copy.fill_in(&args);
  Plan plan;
  copy.plan(args, &plan);
  // Where the arena is free the plan does not say.
  if (plan.scratch > 0) return error(Code::internal, "kernel {} wants scratch to copy a tensor", copy.kernel().name());
  const FloatingPointScope floating_point;
  return copy.run(plan, args);
}

}  // namespace anydim
