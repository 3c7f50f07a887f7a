// SPDX-License-Identifier: Apache-2.0
// An OpenCL device as an engine: memory is buffers, streams are in-order queues, programs are compiled from the kernels in kernels/. One
// per device and options in a process, so that all who ask for the same device share its memory and programs.
//
// In strict mode it gives the CPU engine's bits: the device's arithmetic is probed with bits when the engine is made (probe.h).
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "core/engines/compiling_engine.h"
#include "core/engines/opencl/devices.h"
#include "core/engines/opencl/driver_threads.h"
#include "core/engines/opencl/probe.h"
#include "core/engines/opencl/program.h"

namespace anydim::opencl {

class OpenclStream;

class OpenclEngine final : public CompilingEngine {
 public:
  struct Options {
    int device = 0;                  // among list_devices()
    bool flushed_denormals = false;  // a device that treats denormals as zeros is accepted
    BinaryStore* store = nullptr;    // of compiled programs
    const Api* api = nullptr;        // null: the process's loader
    ContextId context = nullptr;     // of the caller, used for `device_id`; null: the engine creates one for `device`
    DeviceId device_id = nullptr;    // with `context`: one of its devices
  };
  // not_found where there is no loader or device; unimplemented where a device is not fit.
  static Status create(const Options& options, std::shared_ptr<const OpenclEngine>* out);
  ~OpenclEngine() override;

  Rates rates(const Kernel& kernel, bool products) const noexcept override;
  Status allocate(int64_t bytes, MemoryPtr* out) const override;
  Status import(void* data, int64_t bytes, std::shared_ptr<const void> owner, MemoryPtr* out) const override;
  Status pack(const Kernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              WeightsValues* out) const override;
  Status create_stream(int threads, StreamPtr* out) const override;
  // A stream over the host program's queue, which must be of this context and device and in order: what both enqueue is done in that order.
  Status create_stream_over(QueueId queue, StreamPtr* out) const;
  // A buffer of the host program's, of this context, which kernels may read and write. The driver keeps it as long as it is used.
  Status import_buffer(MemId buffer, MemoryPtr* out) const;

  const DeviceFacts& device_facts() const noexcept { return device_; }
  const Probed& probed() const noexcept { return probed_; }
  const Api& api() const noexcept { return api_; }
  // ok, or forked.
  Status usable() const override { return made_.check(); }
  // Waits until everything is done that any stream was given.
  Status finish_all() const;
  DriverThreads& driver_threads() const noexcept { return threads_; }
  // The queue of what is no stream's: maps, first launches. One thread at a time, under its mutex.
  QueueId own_queue() const noexcept { return queue_.get(); }
  std::mutex& own_queue_mutex() const noexcept { return queue_mutex_; }

 private:
  friend class OpenclStream;
  OpenclEngine(Facts facts, const Api& api, DeviceFacts device, const Options& options, OwnedContext context, OwnedQueue queue);
  static Status make(const Options& options, const Api& api, const DeviceFacts& device, std::shared_ptr<const OpenclEngine>* out);

  Status compile(const CompileKey& key, const DeviceSource& source, DeviceProgram* out, std::string* binary) const override;
  Status load(const CompileKey& key, const DeviceSource& source, const std::string& binary, DeviceProgram* out) const override;
  ProgramMaker::LateBinary late_binary(const CompileKey& key, const DeviceSource& source, const DeviceProgram& program) const override;
  bool specialises() const noexcept override { return true; }
  bool specialised_source(const DeviceSource& source, const DeviceWork& work, DeviceSource* out) const override;
  std::string binary_key(const CompileKey& key, const DeviceSource& source) const;
  Builder builder() const { return {api_, device_, context_.get(), queue_.get(), queue_mutex_}; }
  Status upload(MemoryPtr* to, const void* from, int64_t bytes) const;

  const Api& api_;
  const DeviceFacts device_;
  const MadeHere made_;
  const OwnedContext context_;
  const OwnedQueue queue_;
  mutable std::mutex queue_mutex_;
  mutable std::mutex streams_mutex_;
  mutable std::vector<OpenclStream*> streams_;
  mutable DriverThreads threads_;
  // Whether this driver's binaries are asked for later: it takes long to give them (PoCL compiles once more). Found out with the first one.
  enum class Binaries : uint8_t { unknown, now, later };
  mutable std::atomic<Binaries> binaries_{Binaries::unknown};
  Probed probed_;  // set before any other code has the engine
};

}  // namespace anydim::opencl
