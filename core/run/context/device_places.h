// SPDX-License-Identifier: Apache-2.0
// Inputs and outputs of a run that lie in memory of the program's devices. An input goes to the device's arena by a copy on the device, if
// only the device reads it and it is dense; otherwise the host gets a copy of it first. Outputs are written when all steps are done, as the
// host's are: a device may fail as late as that.
#pragma once

#include <span>
#include <vector>

#include "core/base/memory/aligned_buffer.h"
#include "core/engines/engine.h"
#include "core/program/program.h"
#include "core/run/context/shape_binding.h"

namespace anydim {

// Which inputs and outputs of a run lie in memory of the program's devices, by index; no memory: as the view says. Of those that do
// the views' data are numbers that nobody follows (Memory::address). What writes or reads them elsewhere is done when the run begins.
struct EdgePlaces {
  std::span<const BufferRef> in, out;
  bool empty() const noexcept { return in.empty() && out.empty(); }
};

// Ok where all memory is of the program's devices.
Status check_places(const Program& program, const DeviceContext* devices, const EdgePlaces& places);

class DevicePlaces {
 public:
  DevicePlaces(const Program& program, const ShapeBinding& binding, DeviceContext& devices, const Parallel& parallel);

  // The views that the run is to see instead of `in`.
  Status set_inputs(std::span<const TensorView> in, const EdgePlaces& places, bool dims_only, std::span<const TensorView>* here);
  // The caller's outputs, whose dims are checked later.
  void set_outputs(std::span<const TensorView> provided) noexcept { provided_ = provided; }

  // A transfer from an input that lies on the step's own device; `done`: there is nothing else to copy.
  Status transfer_input(size_t step, const TensorView& from, const TensorView& to, bool* done);
  // Does the step bring an output to the host that is wanted where it is? It is left out then.
  bool leaves_out(size_t step) const noexcept;
  bool is_output(size_t i) const noexcept { return out_[i].memory != nullptr; }
  Status store_output(size_t i, const TensorView& to);

  int64_t growth_events() const noexcept { return growth_events_; }

 private:
  static constexpr int32_t kHost = 0, kNobody = -1;
  Status set_input(size_t input, const BufferRef& place, bool dims_only, TensorView* view);
  bool stays_on_device(size_t output) const noexcept;
  void find_readers();
  void find_transfers();
  Status make_room(AlignedBuffer* copy, int64_t bytes);

  const Program& program_;
  const ShapeBinding& binding_;
  DeviceContext& devices_;
  const Parallel parallel_;
  std::vector<int32_t> readers_;        // by input: the device that alone reads it, or kHost, or kNobody
  std::vector<BufferRef> in_, out_;     // of this run; of inputs only those that the host has no copy of
  std::vector<TensorView> views_;       // of its inputs, of which some are copies
  std::vector<AlignedBuffer> copies_;   // by input
  std::vector<AlignedBuffer> results_;  // by output: how the caller's memory is to look
  std::vector<int32_t> transfers_;      // by output: the transfer to the host that nobody but the caller needs, or -1
  std::span<const TensorView> provided_;
  int64_t growth_events_ = 0;
};

}  // namespace anydim
