// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of a run that lie in memory of the program's devices. An input goes to the device's arena by a copy on the
// device, if only the device reads it and it is dense; otherwise the host gets a copy of it first. Outputs are written when all steps
// are done, as the host's are: a device may fail as late as that.
#include "core/run/context/context.h"
#include "core/run/context/device_context.h"
#include "core/run/context/device_edges.h"
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

DeviceEdges::DeviceEdges(const Program& p)
    : readers(p.inputs.size(), kNobody),
      in(p.inputs.size()),
      out(p.outputs.size()),
      copies(p.inputs.size()),
      results(p.outputs.size()),
      transfers(p.outputs.size(), -1),
      left_out(p.outputs.size(), 0) {
  const auto read = [&](int32_t tensor, int32_t engine) {
    const int32_t buffer = tensor == Program::kNoTensor ? -1 : p.tensor(tensor).buffer;
    if (buffer < 0 || p.buffer(buffer).kind != Program::Buffer::Kind::input) return;
    int32_t& reader = readers[static_cast<size_t>(p.buffer(buffer).index)];
    reader = reader == kNobody || reader == engine ? engine : kHost;
  };
  for (const Program::Step& s : p.steps)
    for (size_t k = 0; k < s.operands.size(); ++k)
      if (k < static_cast<size_t>(s.inputs) || k >= static_cast<size_t>(s.inputs + s.outputs)) read(s.operands[k], s.engine);
  for (int32_t tensor : p.results) read(tensor, kHost);
  for (const Program::InputElement& e : p.input_elements) readers[static_cast<size_t>(e.input)] = kHost;

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
    if (alone) transfers[o] = transfer;
  }
}

Status Context::bind_places(std::span<const TensorView> in, const EdgePlaces& places, bool dims_only, std::span<const TensorView>* here) {
  const std::vector<Program::IoSpec>&inputs = program_->inputs, &outputs = program_->outputs;
  if (edges_ == nullptr) edges_ = std::make_unique<DeviceEdges>(*program_);
  DeviceEdges& e = *edges_;
  std::fill(e.in.begin(), e.in.end(), BufferRef{});
  std::fill(e.out.begin(), e.out.end(), BufferRef{});
  if (!dims_only) std::fill(e.left_out.begin(), e.left_out.end(), 0);
  e.views.assign(in.begin(), in.end());
  *here = e.views;
  const auto check = [&](const BufferRef& place, const char* what, const std::string& name) -> Status {
    if (devices_ != nullptr && devices_->engine_of(*place.memory) != 0) return {};
    std::string engines;
    for (const EnginePtr& engine : program_->engines) engines += formatted("{}{}", engines.empty() ? "" : ", ", engine->kind());
    return invalid("{} '{}' lies in memory of engine {}; the model runs on {}", what, name, place.memory->engine()->kind(), engines);
  };
  for (size_t i = 0; i < std::min({places.in.size(), in.size(), inputs.size()}); ++i) {
    if (places.in[i].memory == nullptr) continue;
    const std::string argument = formatted("inputs[{}]", i);
    ANYDIM_TRY(check(places.in[i], "input", inputs[i].name).about(argument));
    ANYDIM_TRY(bind_place(i, places.in[i], dims_only, &e.views[i]).at(formatted("input '{}'", inputs[i].name)).about(argument));
  }
  for (size_t i = 0; i < std::min(places.out.size(), outputs.size()); ++i) {
    if (places.out[i].memory == nullptr) continue;
    ANYDIM_TRY(check(places.out[i], "output", outputs[i].name).about(formatted("outputs[{}]", i)));
    e.out[i] = places.out[i];
  }
  return {};
}

// Stays where it is, or becomes a copy of the host's.
Status Context::bind_place(size_t input, const BufferRef& place, bool dims_only, TensorView* view) {
  DeviceEdges& e = *edges_;
  const Program::IoSpec& edge = program_->inputs[input];
  const int32_t engine = devices_->engine_of(*place.memory);
  const Reach reach = reach_of(*view);
  ANYDIM_TRY(check_place(reach, place));
  const bool content = std::any_of(program_->input_elements.begin(), program_->input_elements.end(),
                                   [&](const Program::InputElement& k) { return static_cast<size_t>(k.input) == input; });
  if (dims_only && !content) return {};
  if (view->dims.rank == edge.dims.rank && (e.readers[input] == engine || e.readers[input] == DeviceEdges::kNobody)) {
    TensorView dense = *view;
    dense.strides = dense_strides(view->dims, edge.order);
    if (same_strides(*view, dense)) {
      e.in[input] = place;
      return {};
    }
  }
  AlignedBuffer& copy = e.copies[input];
  if (copy.size() < reach.bytes) {
    auto larger = AlignedBuffer::allocate(reach.bytes);
    if (!larger.ok()) return larger.take_status();
    copy = std::move(*larger);
    ++growth_events_;
  }
  if (reach.bytes > 0) ANYDIM_TRY(devices_->fetch(engine, copy.data(), {place.memory, place.offset - reach.before}, reach.bytes));
  view->data = copy.data() + reach.before;
  return {};
}

// A transfer from an input that lies on the step's own device.
Status Context::transfer_place(size_t step, const TensorView& to, TensorView* from, bool* done) {
  const Program::Buffer& buffer = program_->buffer(program_->tensor(program_->steps[step].operands[0]).buffer);
  if (buffer.kind != Program::Buffer::Kind::input) return {};
  const auto input = static_cast<size_t>(buffer.index);
  const BufferRef& place = edges_->in[input];
  if (place.memory == nullptr) return {};
  const int64_t within = static_cast<std::byte*>(from->data) - static_cast<std::byte*>(in_[input].data);
  if (!same_strides(*from, to)) return error(Code::internal, "{}: a dense input is read in other strides", program_->steps[step].label);
  *done = true;
  return devices_->copy(step, {place.memory, place.offset + within}, to.count() * dtype_size(to.dtype), slots_);
}

// Of an output in memory of the device that made it, as the device has it.
bool Context::stays_on_device(size_t i) const noexcept {
  const int32_t made = program_->device_results.empty() ? Program::kNoTensor : program_->device_results[i];
  if (made == Program::kNoTensor || edges_->out[i].memory == nullptr || edges_->provided[i].data == nullptr) return false;
  return devices_->engine_of(*edges_->out[i].memory) == program_->buffer(program_->tensor(made).buffer).engine &&
         same_strides(edges_->provided[i], shown(i, views_.outputs()[i]));
}

// Does the step bring an output to the host that is wanted where it is?
bool Context::leave_out(size_t step) noexcept {
  for (size_t i = 0; i < edges_->transfers.size(); ++i) {
    if (edges_->transfers[i] != static_cast<int32_t>(step) || !stays_on_device(i)) continue;
    edges_->left_out[i] = 1;
    return true;
  }
  return false;
}

// To the host's arena, where a run left it out.
Status Context::bring_output(size_t i) {
  const auto step = static_cast<size_t>(edges_->transfers[i]);
  const TensorView& mine = views_.outputs()[i];
  ANYDIM_TRY(devices_->download(step, static_cast<std::byte*>(mine.data), mine.count() * dtype_size(mine.dtype), slots_));
  edges_->left_out[i] = 0;
  return finish_on_engines({});
}

const BufferRef* Context::device_output(size_t i) const noexcept {
  return edges_ != nullptr && edges_->out[i].memory != nullptr ? &edges_->out[i] : nullptr;
}

Status Context::store_output(size_t i, const TensorView& to, const BufferRef& place) {
  const std::string what = formatted("output '{}'", program_->outputs[i].name);
  const Reach reach = reach_of(to);
  ANYDIM_TRY(check_place(reach, place).at(what).about(formatted("outputs[{}]", i)));
  if (reach.bytes == 0) return {};
  // From the device's own memory, after all steps are known to be good.
  if (stays_on_device(i)) return devices_->copy_result(program_->device_results[i], place, reach.bytes, slots_).at(what);
  const int32_t engine = devices_->engine_of(*place.memory);
  const BufferRef lowest{place.memory, place.offset - reach.before};
  AlignedBuffer& copy = edges_->results[i];
  if (copy.size() < reach.bytes) {
    auto larger = AlignedBuffer::allocate(reach.bytes);
    if (!larger.ok()) return larger.take_status();
    copy = std::move(*larger);
    ++growth_events_;
  }
  // What lies between its elements stays.
  if (reach.bytes != to.count() * dtype_size(to.dtype)) ANYDIM_TRY(devices_->fetch(engine, copy.data(), lowest, reach.bytes).at(what));
  TensorView here = to;
  here.data = copy.data() + reach.before;
  ANYDIM_TRY(copy_output(i, here));
  return devices_->store(engine, lowest, copy.data(), reach.bytes).at(what);
}

}  // namespace anydim
