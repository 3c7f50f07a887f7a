// SPDX-License-Identifier: Apache-2.0
// The part of a context that lies on devices: for each engine of its program but the host's one stream, one arena with the places of
// buffers and scratch in it, and the events of its transfers. What a run gives to a device is done later, in the order in which it was
// given; the host waits where it reads a result, and at the end. Contexts of the host alone have none of this.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/dispatch/primitive/checked_call.h"
#include "core/program/arena_plan.h"
#include "core/program/transfers.h"

namespace anydim {

class DeviceContext {
 public:
  // With bounds all memory is taken now; without, when a shape needs it.
  static Status create(ProgramPtr program, const Bounds* bounds, int threads, std::unique_ptr<DeviceContext>* out);
  ~DeviceContext();
  DeviceContext(const DeviceContext&) = delete;
  DeviceContext& operator=(const DeviceContext&) = delete;

  const Parallel& parallel(int32_t engine) const noexcept { return device(engine).stream->parallel(); }

  // Places of a stage's buffers at these slots: between the two calls the steps' scratch is set, where scratch_bytes() says.
  void begin_stage(size_t stage) noexcept;
  int64_t* scratch_bytes(size_t step) noexcept;  // of a device's step; the largest of those that share it is wanted
  Status place_stage(size_t stage, std::span<const int64_t> slots);

  // What a step needs of other engines' results: the host waits, or the step's stream does.
  bool waits_before_step(size_t step) const noexcept { return !waits_.before_step[step].empty(); }
  Status wait_before_step(size_t step);
  Status wait_before_stage(size_t stage);

  // Where the tensors of a device's step lie, one each, and its stream.
  struct StepPlaces {
    BufferRef in[kMaxInputs], out[kMaxOutputs], post[kMaxPostTensors], scratch;
    int64_t scratch_bytes = 0;
    Stream* stream = nullptr;
  };
  void places_of(size_t step, std::span<const int64_t> slots, StepPlaces* out) noexcept;

  // Given to the stream of the step's engine. Memory of the host has to stay until finish() or abandon().
  Status launch(size_t step, const Plan& plan, const Args& args, std::span<const int64_t> slots);
  Status upload(size_t step, std::byte* from, int64_t bytes, std::span<const int64_t> slots);
  Status download(size_t step, std::byte* to, int64_t bytes, std::span<const int64_t> slots);

  // The engine of this memory among the program's; 0: it is of none but maybe the host's.
  int32_t engine_of(const Memory& memory) const noexcept;
  // As upload(), from memory of the step's own engine.
  Status copy(size_t step, BufferRef from, int64_t bytes, std::span<const int64_t> slots);
  // From the caller's memory on a device, before it returns; and to it, done with finish().
  Status fetch(int32_t engine, std::byte* to, BufferRef from, int64_t bytes);
  Status store(int32_t engine, BufferRef to, std::byte* from, int64_t bytes);
  // A dense tensor of a device to memory of the same one.
  Status copy_result(int32_t tensor, BufferRef to, int64_t bytes, std::span<const int64_t> slots);

  // Waits until everything is done; what failed late is reported, with the steps among which it happened.
  Status finish();
  Status finish(int32_t engine);
  void abandon() noexcept;  // the same after a failure, which is reported already

  int64_t arena_bytes(int32_t engine) const noexcept { return device(engine).bytes_taken(); }
  int64_t used_bytes(int32_t engine) const noexcept { return device(engine).used; }
  int64_t growth_events() const noexcept { return growth_events_; }
  // Bytes into the arena of its engine, of a tensor in a buffer.
  int64_t offset_of(int32_t tensor, std::span<const int64_t> slots) const noexcept;

 private:
  struct Device {
    EnginePtr engine;
    ArenaPlan plan;
    std::vector<MemoryPtr> slabs;     // of the arena: all but the last are plan.slab bytes long
    std::vector<int64_t> bytes;       // of the plan's entries
    std::vector<BufferPlace> places;  // of the same
    int64_t used = 0;                 // bytes at the shape bound last
    int32_t first = -1, last = -1;    // steps that it was given since something was known to be good
    bool pending = false;             // was anything given since the stream was waited for?
    StreamPtr stream;                 // last: goes before the memory

    int64_t bytes_taken() const noexcept {
      return slabs.empty() ? 0 : static_cast<int64_t>(slabs.size() - 1) * plan.slab + slabs.back()->bytes();
    }
    // In the arena. What is empty may lie behind the last slab.
    BufferRef place(int64_t offset) const noexcept {
      const size_t slab = std::min(static_cast<size_t>(offset / plan.slab), slabs.size() - 1);
      return {slabs[slab].get(), offset - static_cast<int64_t>(slab) * plan.slab};
    }
  };
  explicit DeviceContext(ProgramPtr program) : program_(std::move(program)) {}
  const Device& device(int32_t engine) const noexcept { return devices_[static_cast<size_t>(engine) - 1]; }
  Device& device(int32_t engine) noexcept { return devices_[static_cast<size_t>(engine) - 1]; }
  Device& device_of(size_t step) noexcept { return device(program_->steps[step].engine); }
  // Room for so many bytes in all. Of the present slabs, those that are full stay; of the last one the part below `keep` is copied.
  Status take_memory(Device& d, int64_t bytes, int64_t keep);
  BufferRef place_of(int32_t tensor, std::span<const int64_t> slots) const noexcept;
  void give(size_t step) noexcept;
  Status wait_for(int32_t step);
  Status refused(Status status, size_t step) const;  // by the step's engine
  // `failed` with the steps among which it happened.
  Status deferred_error(Status failed, int32_t engine, int32_t last) const;
  Status finish(Device& d, int32_t engine);

  const ProgramPtr program_;
  TransferWaits waits_;
  std::vector<Device> devices_;   // by engine, from 1
  std::vector<int32_t> entries_;  // by buffer: its entry in its engine's plan
  std::vector<EventPtr> events_;  // by step: that a transfer to the host is done
  int64_t growth_events_ = 0;
};

}  // namespace anydim
