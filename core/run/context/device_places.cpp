// SPDX-License-Identifier: Apache-2.0
// Copies between the caller's memory on devices and the arenas; see device_places.h.
#include "core/run/context/device_places.h"

#include <algorithm>

#include "core/run/context/copy_elements.h"
#include "core/run/context/device_context.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

// The bytes of a tensor: how many, from the lowest one on, and where that lies before its first element.
struct Reach {
  int64_t bytes = 0, before = 0;
};
Reach reach_of(const TensorView& t) noexcept {
  int64_t lowest = 0;
  const int64_t size = dtype_size(t.dtype), span = element_span(t.dims, t.strides, &lowest);
  return {saturating_mul(span, size), saturating_mul(-lowest, size)};
}

Status check_place(const Reach& reach, const BufferRef& place) {
  const int64_t first = place.offset - reach.before;
  if (reach.bytes == 0 || (first >= 0 && reach.bytes <= place.memory->bytes() && first <= place.memory->bytes() - reach.bytes)) return {};
  return invalid("it takes {} bytes at {} of its memory, which has {}", reach.bytes, first, place.memory->bytes());
}

}  // namespace

Status check_places(const Program& program, const DeviceContext* devices, const EdgePlaces& places) {
  const auto check = [&](std::span<const BufferRef> all, const std::vector<Program::IoSpec>& edges, const char* what) -> Status {
    for (size_t i = 0; i < std::min(all.size(), edges.size()); ++i) {
      const Memory* const memory = all[i].memory;
      if (memory == nullptr || (devices != nullptr && devices->engine_of(*memory) != 0)) continue;
      std::string engines;
      for (const EnginePtr& engine : program.engines) engines += formatted("{}{}", engines.empty() ? "" : ", ", engine->kind());
      return invalid("{} '{}' lies in memory of engine {}; the model runs on {}", what, edges[i].name, memory->engine()->kind(), engines)
          .about(formatted("{}s[{}]", what, i));
    }
    return {};
  };
  ANYDIM_TRY(check(places.in, program.inputs, "input"));
  return check(places.out, program.outputs, "output");
}

DevicePlaces::DevicePlaces(const Program& p, const ShapeBinding& binding, DeviceContext& devices, const Parallel& parallel)
    : program_(p),
      binding_(binding),
      devices_(devices),
      parallel_(parallel),
      readers_(p.inputs.size(), kNobody),
      in_(p.inputs.size()),
      out_(p.outputs.size()),
      copies_(p.inputs.size()),
      results_(p.outputs.size()),
      transfers_(p.outputs.size(), -1) {
  find_readers();
  find_transfers();
}

void DevicePlaces::find_readers() {
  const Program& p = program_;
  const auto read = [&](int32_t tensor, int32_t engine) {
    const int32_t buffer = tensor == Program::kNoTensor ? -1 : p.tensor(tensor).buffer;
    if (buffer < 0 || p.buffer(buffer).kind != Program::Buffer::Kind::input) return;
    int32_t& reader = readers_[static_cast<size_t>(p.buffer(buffer).index)];
    reader = reader == kNobody || reader == engine ? engine : kHost;
  };
  for (const Program::Step& s : p.steps)
    for (size_t k = 0; k < s.operands.size(); ++k)
      if (k < static_cast<size_t>(s.inputs) || k >= static_cast<size_t>(s.inputs + s.outputs)) read(s.operands[k], s.engine);
  for (int32_t tensor : p.results) read(tensor, kHost);
  for (const Program::InputElement& e : p.input_elements) readers_[static_cast<size_t>(e.input)] = kHost;
}

void DevicePlaces::find_transfers() {
  const Program& p = program_;
  // Transfers whose result no step, size or other output reads.
  for (size_t o = 0; o < p.outputs.size() && !p.device_results.empty(); ++o) {
    if (p.device_results[o] == Program::kNoTensor) continue;
    const int32_t buffer = p.tensor(p.results[o]).buffer;
    const auto is_there = [&](int32_t tensor) { return tensor != Program::kNoTensor && p.tensor(tensor).buffer == buffer; };
    int32_t transfer = -1;
    bool alone = std::count_if(p.results.begin(), p.results.end(), is_there) == 1;
    for (size_t i = 0; i < p.steps.size(); ++i) {
      const std::vector<int32_t>& operands = p.steps[i].operands;
      if (std::none_of(operands.begin(), operands.end(), is_there)) continue;
      alone = alone && transfer < 0 && p.steps[i].transfer() != nullptr && operands[0] == p.device_results[o];
      transfer = static_cast<int32_t>(i);
    }
    for (const Program::Stage& stage : p.stages)
      for (const Program::SizeRead& r : stage.reads) alone = alone && !is_there(r.tensor);
    if (alone) transfers_[o] = transfer;
  }
}

Status DevicePlaces::set_inputs(std::span<const TensorView> in, const EdgePlaces& places, bool dims_only,
                                std::span<const TensorView>* here) {
  std::fill(in_.begin(), in_.end(), BufferRef{});
  std::fill(out_.begin(), out_.end(), BufferRef{});
  views_.assign(in.begin(), in.end());
  *here = views_;
  for (size_t i = 0; i < std::min({places.in.size(), in.size(), in_.size()}); ++i) {
    if (places.in[i].memory == nullptr) continue;
    if (Status s = set_input(i, places.in[i], dims_only, &views_[i]); !s.ok())
      return std::move(s).at(formatted("input '{}'", program_.inputs[i].name)).about(formatted("inputs[{}]", i));
  }
  std::copy_n(places.out.begin(), std::min(places.out.size(), out_.size()), out_.begin());
  return {};
}

// Stays where it is, or becomes a copy of the host's.
Status DevicePlaces::set_input(size_t input, const BufferRef& place, bool dims_only, TensorView* view) {
  const Program::IoSpec& edge = program_.inputs[input];
  const int32_t engine = devices_.engine_of(*place.memory);
  const Reach reach = reach_of(*view);
  ANYDIM_TRY(check_place(reach, place));
  const bool content = std::any_of(program_.input_elements.begin(), program_.input_elements.end(),
                                   [&](const Program::InputElement& k) { return static_cast<size_t>(k.input) == input; });
  if (dims_only && !content) return {};
  if (view->dims.rank == edge.dims.rank && (readers_[input] == engine || readers_[input] == kNobody)) {
    TensorView dense = *view;
    dense.strides = dense_strides(view->dims, edge.order);
    if (same_strides(*view, dense)) {
      in_[input] = place;
      return {};
    }
  }
  AlignedBuffer& copy = copies_[input];
  ANYDIM_TRY(make_room(&copy, reach.bytes));
  if (reach.bytes > 0) ANYDIM_TRY(devices_.fetch(engine, copy.data(), {place.memory, place.offset - reach.before}, reach.bytes));
  view->data = copy.data() + reach.before;
  return {};
}

Status DevicePlaces::make_room(AlignedBuffer* copy, int64_t bytes) {
  if (copy->size() >= bytes) return {};
  auto larger = AlignedBuffer::allocate(bytes);
  if (!larger.ok()) return larger.take_status();
  *copy = std::move(*larger);
  ++growth_events_;
  return {};
}

Status DevicePlaces::transfer_input(size_t step, const TensorView& from, const TensorView& to, bool* done) {
  const Program::Buffer& buffer = program_.buffer(program_.tensor(program_.steps[step].operands[0]).buffer);
  if (buffer.kind != Program::Buffer::Kind::input) return {};
  const auto input = static_cast<size_t>(buffer.index);
  const BufferRef& place = in_[input];
  if (place.memory == nullptr) return {};
  const int64_t within = static_cast<std::byte*>(from.data) - static_cast<std::byte*>(views_[input].data);
  if (!same_strides(from, to)) return error(Code::internal, "{}: a dense input is read in other strides", program_.steps[step].label);
  *done = true;
  return devices_.copy(step, {place.memory, place.offset + within}, to.count() * dtype_size(to.dtype), binding_.slots.values());
}

// Of an output in memory of the device that made it, as the device has it.
bool DevicePlaces::stays_on_device(size_t i) const noexcept {
  const int32_t made = program_.device_results.empty() ? Program::kNoTensor : program_.device_results[i];
  if (made == Program::kNoTensor || out_[i].memory == nullptr || provided_[i].data == nullptr) return false;
  return devices_.engine_of(*out_[i].memory) == program_.buffer(program_.tensor(made).buffer).engine &&
         same_strides(provided_[i], without_first_axes(binding_.outputs()[i], left_out_axes(program_.outputs[i], binding_.slots.values())));
}

bool DevicePlaces::leaves_out(size_t step) const noexcept {
  for (size_t i = 0; i < transfers_.size(); ++i)
    if (transfers_[i] == static_cast<int32_t>(step) && stays_on_device(i)) return true;
  return false;
}

Status DevicePlaces::store_output(size_t i, const TensorView& to) {
  const BufferRef& place = out_[i];
  const std::string what = formatted("output '{}'", program_.outputs[i].name);
  const Reach reach = reach_of(to);
  ANYDIM_TRY(check_place(reach, place).at(what).about(formatted("outputs[{}]", i)));
  if (reach.bytes == 0) return {};
  // From the device's own memory, after all steps are known to be good.
  if (stays_on_device(i)) return devices_.copy_result(program_.device_results[i], place, reach.bytes, binding_.slots.values()).at(what);
  const int32_t engine = devices_.engine_of(*place.memory);
  const BufferRef lowest{place.memory, place.offset - reach.before};
  AlignedBuffer& copy = results_[i];
  ANYDIM_TRY(make_room(&copy, reach.bytes));
  // What lies between its elements stays.
  if (reach.bytes != to.count() * dtype_size(to.dtype)) ANYDIM_TRY(devices_.fetch(engine, copy.data(), lowest, reach.bytes).at(what));
  TensorView here = to;
  here.data = copy.data() + reach.before;
  ANYDIM_TRY(copy_output(program_, i, binding_.outputs()[i], here, parallel_));
  return devices_.store(engine, lowest, copy.data(), reach.bytes).at(what);
}

}  // namespace anydim
