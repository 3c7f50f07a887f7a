// SPDX-License-Identifier: Apache-2.0
// Checking what a caller hands to a run; see caller_tensors.h.
#include "core/run/context/caller_tensors.h"

#include "core/tensor/memory.h"

namespace anydim {
namespace {

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

// Nothing of the caller's is written before the last stage, until when sizes may be found wrong.
bool is_written_at_once(const Program& p, size_t output) noexcept {
  const Program::Stage& last = p.stages.back();
  const auto refuses = [](const Program::Step& s) { return s.control() != nullptr; };  // may find something wrong in the middle
  const int32_t buffer = p.tensor(p.results[output]).buffer;
  return buffer >= 0 && p.buffer(buffer).stage + 1 == static_cast<int32_t>(p.stages.size()) &&
         std::none_of(p.steps.begin() + last.first, p.steps.begin() + last.last, refuses);
}

}  // namespace

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

CallerTensors::CallerTensors(const Program& p, const Bounds* bounds, bool body)
    : program_(p),
      bounds_(bounds),
      body_(body),
      direct_(p.outputs.size(), nullptr),
      in_place_(p.outputs.size(), 0),
      uncopied_(p.outputs.size(), 0) {
  source_.in.resize(p.inputs.size());
  source_.content.assign(p.input_elements.size(), 0);
  source_.parameters.assign(p.parameters.size(), 0);
  source_.rooms.assign(p.outputs.size(), 0);
  for (size_t i = 0; i < p.outputs.size(); ++i) {
    const Program::IoSpec& e = p.outputs[i];
    int32_t stage = p.stage_of(e.rank);
    for (Dim d : e.dims) stage = std::max(stage, p.stage_of(d));
    output_stages_.push_back(stage);
    if (e.cache >= 0) caches_.push_back(i);
    written_at_once_.push_back(body || is_written_at_once(p, i) ? 1 : 0);
  }
}

Status CallerTensors::set_inputs(std::span<const TensorView> in, bool with_data) {
  const std::vector<Program::IoSpec>& wanted = program_.inputs;
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
    if (with_data && t.data == nullptr && t.count() > 0)
      return invalid("input '{}' has no data (null) but {} elements", want.name, t.count());
    for (int d = 0; d < t.dims.rank; ++d) {
      const Dim dim = want.dims[d];
      const int64_t v = t.dims[d];
      if (dim.is_number() && v != dim.number())
        return invalid("input '{}' dim {} is {}; the model expects {}", want.name, d, v, dim.number()).about(input_argument(i));
      if (!dim.is_number() && program_.dims.expr(dim.expr()).op == DimOp::symbol) {
        const DimPromise& p = program_.dims.expr(dim.expr()).promise;
        if (v < p.min || v > p.max || (p.multiple_of > 1 && v % p.multiple_of != 0))
          return error(Code::out_of_bounds, "input '{}' dim {} ({}) is {}; the model promises {}..{}, a multiple of {}", want.name, d,
                       want.dim_text[static_cast<size_t>(d)], v, p.min, p.max, p.multiple_of)
              .about(input_argument(i));
      }
      if (bounds_ != nullptr) {
        const Interval& b = (*bounds_)[i].dims[d];
        if (v < b.min || v > b.max)
          return error(Code::out_of_bounds, "input '{}' dim {} ({}) is {}; the context's bounds are {}..{}", want.name, d,
                       want.dim_text[static_cast<size_t>(d)], v, b.min, b.max)
              .about(input_argument(i));
      }
    }
    // Strides of axes without a second element say nothing; one spelling keeps the shape recognisable.
    source_.in[i] = t;
    const Strides dense = dense_strides(t.dims, want.order);
    for (int d = 0; d < t.dims.rank; ++d)
      if (t.dims[d] <= 1) source_.in[i].strides[d] = dense[d];
  }
  const std::vector<Program::InputElement>& elements = program_.input_elements;
  for (size_t k = 0; k < elements.size(); ++k) {
    const TensorView& t = source_.in[static_cast<size_t>(elements[k].input)];
    if (elements[k].element >= t.count() || t.data == nullptr)
      return invalid("input '{}' has {} elements; shapes of the model depend on element {}",
                     wanted[static_cast<size_t>(elements[k].input)].name, t.data ? t.count() : 0, elements[k].element)
          .about(input_argument(static_cast<size_t>(elements[k].input)));
    source_.content[k] = integer_at(t, elements[k].element);
  }
  return {};
}

bool CallerTensors::set_only_shape() {
  if (!program_.input_elements.empty() || !program_.parameters.empty()) return false;
  for (size_t i = 0; i < source_.in.size(); ++i) {
    const Program::IoSpec& edge = program_.inputs[i];
    TensorView& t = source_.in[i];
    t.dtype = edge.dtype;
    t.dims = Dims::filled(edge.dims.rank, 0);
    for (int d = 0; d < edge.dims.rank; ++d) {
      if (!edge.dims[d].is_number()) return false;
      t.dims[d] = edge.dims[d].number();
    }
    t.strides = dense_strides(t.dims, edge.order);
  }
  return true;
}

// An output that gets room lies where the caller says, or is found wrong before anything runs.
void CallerTensors::set_room(size_t i, std::span<const TensorView> out) noexcept {
  source_.rooms[i] = 0;
  in_place_[i] = 0;
  if (i >= out.size() || out[i].data == nullptr || !program_.host_only()) return;
  const TensorView& t = out[i];
  const Program::IoSpec& e = program_.outputs[i];
  const auto from = static_cast<size_t>(e.cache);
  if (t.dtype != e.dtype || t.dims.rank != e.dims.rank || t.strides.rank != t.dims.rank) return;
  if (!check_tensor(t, "output", e.name).ok()) return;
  const int64_t room = room_along(t, e.cache_axis);
  if (room < 0) return;
  const AddressRange range = address_range(t);
  for (size_t j = 0; j < source_.in.size(); ++j)
    if (j != from && overlap(range, address_range(source_.in[j]))) return;
  const TensorView& old = source_.in[from];
  const bool in_place = t.data == old.data && (old.count() == 0 || same_strides(old, t));
  if (!in_place && overlap(range, address_range(old))) return;
  if (written_at_once_[i] == 0 && !(in_place && e.behind)) return;
  in_place_[i] = in_place ? 1 : 0;
  source_.rooms[i] = room > t.dims[e.cache_axis] ? room : 0;
}

Status CallerTensors::check_outputs(size_t stage, std::span<const TensorView> out, const Bound& mine, std::span<const int64_t> slots) {
  for (size_t i = 0; i < out.size(); ++i) {
    if (static_cast<size_t>(output_stages_[i]) != stage) continue;
    direct_[i] = nullptr;
    uncopied_[i] = 0;
    if (out[i].data == nullptr) continue;
    const int left_out = left_out_axes(program_.outputs[i], slots);
    const TensorView& all = mine.outputs[i];
    const bool copied = left_out > 0 || mine.uncopied.empty() || mine.uncopied[i].dtype == DType::none;
    const TensorView* const uncopied = copied ? nullptr : &mine.uncopied[i];
    ANYDIM_TRY(check_output(i, out, left_out == 0 ? all : without_first_axes(all, left_out), uncopied));
  }
  return {};
}

Status CallerTensors::check_output(size_t i, std::span<const TensorView> out, const TensorView& mine, const TensorView* uncopied) {
  const TensorView& t = out[i];
  const std::vector<Program::IoSpec>& wanted = program_.outputs;
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
  for (size_t j = 0; j < source_.in.size(); ++j)
    apart = apart && ((in_place_[i] != 0 && static_cast<int32_t>(j) == wanted[i].cache) || !overlap(range, address_range(source_.in[j])));
  // A device may fail as late as that.
  const bool may_be = apart && (in_place_[i] != 0 || written_at_once_[i] != 0) && program_.host_only();
  uncopied_[i] = may_be && uncopied != nullptr && same_strides(t, *uncopied) ? 1 : 0;
  const bool direct = may_be && (uncopied_[i] != 0 || same_strides(t, mine));
  if (source_.rooms[i] != 0 && !direct) return error(Code::internal, "output '{}' has room that it cannot use", name);
  if (direct) direct_[i] = static_cast<std::byte*>(t.data);
  return {};
}

int left_out_axes(const Program::IoSpec& e, std::span<const int64_t> slots) noexcept {
  return e.optional == 0 ? 0 : e.dims.rank - static_cast<int>(value_of(e.rank, slots));
}

TensorView without_first_axes(TensorView view, int count) noexcept {
  for (; count > 0; --count) view.dims.erase(0), view.strides.erase(0);
  return view;
}

}  // namespace anydim
