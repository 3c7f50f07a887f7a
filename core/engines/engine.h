// SPDX-License-Identifier: Apache-2.0
// What the layers above see of a device: its identity, its kernels, its memory and the order in which it executes. An engine is
// the CPU (cpu/) or something else, whose memory the host may not reach and whose queue runs later. Which kernel is right, what
// weights are shared and what runs where is not an engine's business.
//
// Where a tensor lies is a BufferRef; it becomes a pointer for host kernels only. Whatever a device was given to do keeps the bytes
// that it reads and writes until it is done, also when their Memory is destroyed meanwhile.
//
// Calls fail with out_of_memory, unimplemented (the device cannot do that), invalid_argument, or device_lost: then every later
// call on the engine fails so, and nothing that lies in its memory is left.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/checked.h"
#include "core/engines/kernel_table.h"

namespace anydim {

class CompilingEngine;
struct EngineGraph;
class Engine;
using EnginePtr = std::shared_ptr<const Engine>;

// Bytes of one engine. Destroyed by any thread, at any time.
class Memory {
 public:
  virtual ~Memory() = default;
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // A view of these bytes for the host, until unmap(). Blocks until what was submitted before is done with them; nothing that
  // uses them may be submitted while they are mapped.
  virtual Status map(int64_t offset, int64_t bytes, std::byte** out) = 0;
  virtual Status unmap(int64_t offset, int64_t bytes) = 0;

  const EnginePtr& engine() const noexcept { return engine_; }
  int64_t bytes() const noexcept { return bytes_; }
  // Its addresses where the engine is a host engine. Elsewhere numbers that no other memory has and no process can have mapped,
  // so that places are compared (do two tensors overlap?) as addresses are.
  uintptr_t address() const noexcept { return address_; }

 protected:
  Memory(EnginePtr engine, uintptr_t address, int64_t bytes) noexcept : engine_(std::move(engine)), address_(address), bytes_(bytes) {}

 private:
  const EnginePtr engine_;
  const uintptr_t address_;
  const int64_t bytes_;
};
using MemoryPtr = std::shared_ptr<Memory>;

// Where something lies: so many bytes into a memory.
struct BufferRef {
  Memory* memory = nullptr;
  int64_t offset = 0;
};

// Constant operands of an operator in the form that a kernel reads.
struct WeightsValues {
  PackedWeights packed;  // of a host kernel; without a format it reads them all as they are
  // Views by operand: dims always, data only where a host kernel reads one as it is. Without a dtype: it is not constant.
  std::vector<TensorView> views;
  std::vector<AlignedBuffer> copies;  // of those that are read as they are
  std::shared_ptr<const void> file;   // that the bytes above are mapped from, if they are
  // Of a device: the pieces of its kernel's form, and by operand those that are read as they are, dense and row-major.
  std::vector<MemoryPtr> pieces, kept;

  int64_t bytes() const noexcept;
};

// A kernel as a device runs it: what Engine::prepare() returned for it. Whatever has to be looked up, compiled or created before a launch
// is in it. Immutable to those who hold it, any number of threads.
class Executable {
 public:
  virtual ~Executable() = default;
};
using ExecutablePtr = std::shared_ptr<const Executable>;

// One execution of a kernel: what args say about dims, and where the tensors lie. Tensors of args have no data on a device.
struct Launch {
  const Kernel& kernel;
  const Plan& plan;
  const Args& args;
  std::span<const BufferRef> in, out, post_in;  // one per tensor of args, where its first element lies; no memory: absent, or constant
  const WeightsValues* weights = nullptr;
  BufferRef scratch;
  const Executable* executable = nullptr;  // that the engine prepared for the kernel and problem; null on a host engine
  std::shared_ptr<const void> keep;        // holds what args point to, and the executable: the operator, post-ops
  // That the engine made for calls like this one (specialise()); null: there is none. Where the call differs, `executable` runs. Held by
  // the caller of submit() until it returns.
  const Executable* specialised = nullptr;
};

// A point in a stream. Each class of events has an address of its own, `kClass`: a stream sees by it which events are of its kind, for the
// library is compiled without run-time types (docs/decisions/193-no-run-time-types.md).
class Event {
 public:
  explicit Event(const char* of_class) noexcept : class_(of_class) {}
  virtual ~Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  const char* of_class() const noexcept { return class_; }
  // Blocks until everything before the point is done; the first error among it, if there was one since the stream's last wait.
  virtual Status wait() = 0;
  // When everything before the point was done, as the device measured it: nanoseconds since some moment of its stream. After wait().
  // Differences of two are what tuner, profiles and cost model take. Unimplemented where the device measures nothing.
  virtual Status time(int64_t* nanoseconds) const = 0;

 private:
  const char* const class_;
};
using EventPtr = std::shared_ptr<Event>;
// The event as one of class T; null if it is of another class, or there is none.
template <class T> T* event_as(const EventPtr& event) noexcept {
  return event != nullptr && event->of_class() == &T::kClass ? static_cast<T*>(event.get()) : nullptr;
}

// An order of execution: what is given to a stream is done one after the other, now or later. One thread at a time.
class Stream {
 public:
  virtual ~Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Looks up and compiles nothing: launch.executable has all that it takes.
  // The arguments may go once it returns; what they point to in memories, and `launch.keep`, stays until it is done.
  virtual Status submit(const Launch& launch) = 0;
  // Both places are of this engine or of a host engine. Memory of the host has to stay until it is done.
  virtual Status copy(BufferRef to, BufferRef from, int64_t bytes) = 0;
  // An event of this stream that only *out holds is recorded again: a caller that records at the same places in each run has as many events as
  // places, and the device creates none after the first.
  virtual Status record(EventPtr* out) = 0;
  // What is given to the stream from now on begins after the event of another stream.
  virtual Status wait_for(const EventPtr& event) = 0;
  // Blocks until everything is done. Late errors surface here, the first one, once; what stood behind it in the stream was dropped.
  virtual Status wait() = 0;

  const EnginePtr& engine() const noexcept { return engine_; }
  const Parallel& parallel() const noexcept { return parallel_; }  // of host kernels

 protected:
  Stream(EnginePtr engine, const Parallel& parallel) noexcept : engine_(std::move(engine)), parallel_(parallel) {}

 private:
  const EnginePtr engine_;
  const Parallel parallel_;
};
using StreamPtr = std::unique_ptr<Stream>;

// Who an engine is: for logs, `explain`, and keys of whatever was measured or compiled on it.
struct EngineIdentity {
  const char* kind = "";        // "cpu"
  std::string device;           // as it calls itself
  std::string driver;           // with its version; empty for the CPU
  std::string instruction_set;  // in use; empty where there is nothing to report
  // All that the worth of a measured plan depends on, as names and values: part of the keys of records.
  std::vector<std::pair<std::string, std::string>> facts;
};

// What the cost model expects of a kernel. Estimates order choices; they promise no time.
struct Rates {
  double steps_per_nanosecond = 1;  // of a thread
  double bytes_per_nanosecond = 8;  // to and from memory
  double call_nanoseconds = 200;    // plan, loops, the pool; or the queue
};

// Nanoseconds since some moment.
using Clock = int64_t (*)() noexcept;
struct Clocks {
  Clock elapsed;  // the wall's
  Clock own;      // of alternate work: what else the device does meanwhile does not count
};

class Engine : public std::enable_shared_from_this<Engine> {
 public:
  // What a host program gave an engine to work with.
  struct Host {
    std::shared_ptr<const HostLoop> loop;
    MemorySourcePtr memory;
    EnginePtr device;  // that has neither
  };

  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Why this device cannot run a kernel of its list; null if it can.
  virtual const char* unsupported_reason(const Kernel& kernel) const noexcept = 0;
  virtual Rates rates(const Kernel& kernel, bool products) const noexcept = 0;

  // Makes a kernel that was chosen for a problem ready to run, at any dims: here, and nowhere else, programs are compiled. Null on an
  // engine that has nothing to prepare. Fails with unimplemented where the device's compiler cannot do it; then refuses() says so from
  // now on, and the kernel behind it is to be asked.
  virtual Status prepare(const Kernel& /*kernel*/, const Problem& /*problem*/, ExecutablePtr* out) const {
    out->reset();
    return {};
  }
  // Why a kernel that supports the problem cannot be made ready for it, as prepare() found out earlier; null if that did not happen.
  // The sentence stays as long as the engine. A host engine is never asked.
  virtual const char* refuses(const Kernel& /*kernel*/, const Problem& /*problem*/) const noexcept { return nullptr; }

  // Makes an executable for one call, in which its dims and strides are constants: compiles, so never on a call's own time. `plan` is of
  // a choice of the kernel's, `reusable` what prepare() made. It may be dropped at any time, then such calls run as all others.
  virtual Status specialise(const Kernel& /*kernel*/, const Executable& /*reusable*/, const Plan& /*plan*/, const Args& /*args*/,
                            ExecutablePtr* /*out*/) const {
    return unimplemented("engine {} makes no executables for single calls", kind());
  }
  // Whether it makes any: an engine that does not has nothing to tune.
  virtual bool specialises() const noexcept { return false; }
  // Whether it computes parts of graphs as a whole (engine_graph.h).
  virtual bool claims() const noexcept { return false; }
  // Says what it takes: parts[i] gets the number of the part that node i belongs to, from 1; 0 stays where it takes none.
  virtual Status claim(const EngineGraph& /*graph*/, std::span<int32_t> /*parts*/) const { return {}; }
  // Makes one part ready to run, at any dims: its kernel lives as long as the engine, and the executable is what its launches carry. Fails
  // with unimplemented where it takes the part after all not.
  virtual Status compile(const EngineGraph& /*part*/, const Kernel** /*kernel*/, ExecutablePtr* /*out*/) const {
    return unimplemented("engine {} takes no parts of graphs", kind());
  }
  // The engine as one that compiles programs (compiling_engine.h); null: another.
  virtual const CompilingEngine* compiling() const noexcept { return nullptr; }

  virtual Status allocate(int64_t bytes, MemoryPtr* out) const = 0;
  // The caller's memory as the engine's, without a copy; unimplemented where a device cannot. `owner` is held until nothing uses
  // the bytes any more, neither the Memory nor what was submitted: then they may be freed. It may be null.
  virtual Status import(void* data, int64_t bytes, std::shared_ptr<const void> owner, MemoryPtr* out) const = 0;
  // Puts the problem's constants into the form that the kernel reads, in the engine's memory. Tensors are by operand, those that are
  // not constant without a dtype; they may be freed afterwards.
  virtual Status pack(const Kernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
                      WeightsValues* out) const = 0;
  // threads: most that a host kernel uses, 0 for the engine's own number.
  virtual Status create_stream(int threads, StreamPtr* out) const = 0;

  const EngineIdentity& identity() const noexcept { return identity_; }
  const char* kind() const noexcept { return identity_.kind; }
  // Of the device in this process. Engines with one id share kernels, memory and caches; handles of other ids are foreign.
  uint32_t device_id() const noexcept { return device_id_; }
  // Its kernels are host kernels and its memory is the process's: primitives run over pointers, without a stream.
  bool is_host() const noexcept { return is_host_; }
  int threads() const noexcept { return threads_; }
  // A loop of at most `cap` threads (0: the engine's own number).
  Parallel parallel(int cap = 0) const noexcept { return loop(cap > 0 && cap < threads_ ? cap : threads_); }
  // A loop of so many threads, be they more than the engine's own number. It is the engine's: good as long as that.
  Parallel loop(int threads) const noexcept { return Parallel(threads, host_.loop.get()); }
  // Where its large memory comes from; null: the system.
  const MemorySourcePtr& memory() const noexcept { return host_.memory; }
  // The engine of its device that has nothing of a host program's: for what is kept for all engines of the device.
  EnginePtr device() const { return host_.device ? host_.device : shared_from_this(); }
  const KernelTable& kernels() const noexcept { return kernels_; }
  const Clocks& clocks() const noexcept { return clocks_; }
  // Buffers, scratch and constants begin at multiples of so many bytes in their memory, so that a device that knows parts of a memory
  // by their beginning can be given them. A power of two.
  int64_t base_alignment() const noexcept { return base_alignment_; }
  int64_t largest_allocation() const noexcept { return largest_allocation_; }  // bytes

 protected:
  struct Facts {
    EngineIdentity identity;
    uint32_t device_id = 0;
    bool is_host = false;
    int threads = 1;
    Clocks clocks{};
    int64_t base_alignment = 64;
    int64_t largest_allocation = kMaxSize;
    Host host{};
  };
  Engine(Facts facts, const KernelTable& kernels)
      : identity_(std::move(facts.identity)),
        device_id_(facts.device_id),
        is_host_(facts.is_host),
        threads_(facts.threads),
        kernels_(kernels),
        clocks_(facts.clocks),
        base_alignment_(facts.base_alignment),
        largest_allocation_(facts.largest_allocation),
        host_(std::move(facts.host)) {}

 private:
  const EngineIdentity identity_;
  const uint32_t device_id_;
  const bool is_host_;
  const int threads_;
  const KernelTable& kernels_;  // lives as long as the engine
  const Clocks clocks_;
  const int64_t base_alignment_, largest_allocation_;
  const Host host_;
};

inline bool same_device(const Engine& a, const Engine& b) noexcept { return a.device_id() == b.device_id(); }

}  // namespace anydim
