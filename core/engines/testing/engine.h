// SPDX-License-Identifier: Apache-2.0
// An engine for tests, in no artifact: what the layers above must not assume of a device, made real.
//
//   memory   the host cannot read it: addresses fault unless mapped. A device has a view of its own (of the same pages), which
//            nobody else ever gets. Allocations have a largest size and are counted; the host's memory is imported only if a test says so.
//            Scratch that does not begin at a multiple of 128 bytes is refused.
//   streams  run later, on a thread of their own: nothing is done before somebody waits, maps memory or has given many commands.
//   kernels  the CPU's reference kernels, over places; before them, if a test says so, some with arithmetic of the device's own, maybe
//            a wrong one (arithmetic.h). Weights are packed its own way, and some operators may be left out. Some may
//            have a kernel of math mode fast besides, which clears the last bit of f32 results.
//   compiler a pretended one: a program is its source, and a launch with another one than its own fails. It is counted, it refuses what a
//            test names, and it blocks as long as a test says.
//   failures any call may fail at once, any work may fail late, or the device may be lost, at the call that a test names.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/engines/compiling_engine.h"

namespace anydim::testing {

// What a call of the engine's, of its memory's or of its streams' comes to when a test says so.
enum class Failure {
  refused,   // the call fails and has done nothing
  deferred,  // of work: the call succeeds and its work fails when it runs; of other calls: refused
  lost,      // the device is lost with it
};

class TestKernel;
class TestStream;
struct Block;

class TestEngine final : public CompilingEngine {
 public:
  struct Options {
    int64_t largest_allocation = int64_t{64} << 20;  // bytes
    std::vector<OpKind> without;                     // operators that it has no kernel for
    bool imports = false;                            // memory of the host
    std::vector<OpKind> fast;                        // operators that have kernels of math mode fast, too
    std::vector<OpKind> twice;                       // operators that have a kernel testing.first.* of the same bits before the other
    bool own = false, wrong = false;                 // arithmetic of its own where it has some; with one wrong bit
    int longest_chain = kMaxPostOps;                 // of post-ops that its kernels take
    BinaryStore* store = nullptr;                    // of compiled programs
    std::string device;                              // as it calls itself; empty: by its number
  };
  static constexpr int64_t kAlignment = 128;  // of what begins in its memory
  static std::shared_ptr<const TestEngine> create(Options options);
  static std::shared_ptr<const TestEngine> create() { return create({}); }
  ~TestEngine() override;

  Rates rates(const Kernel&, bool) const noexcept override { return {0.1, 1, 10000}; }
  Status allocate(int64_t bytes, MemoryPtr* out) const override;
  Status import(void* data, int64_t bytes, std::shared_ptr<const void> owner, MemoryPtr* out) const override;
  Status pack(const Kernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              WeightsValues* out) const override;
  Status create_stream(int threads, StreamPtr* out) const override;

  // Calls so far, and the failure of the one of that number, counted from 0 from now on.
  int64_t calls() const noexcept { return calls_; }
  void fail(int64_t call, Failure how) const noexcept;
  void fail_nothing() const noexcept { fail_at_ = -1; }
  // Sets the flag at the call of that number, counted from 0 from now on; what the call does stays.
  void interrupt(int64_t call, int32_t* flag) const noexcept;
  // A lost device found again, empty. A real one would be a new engine.
  void restore() const noexcept { lost_ = false; }

  int64_t blocks() const noexcept { return blocks_; }            // allocations alive, those that queued work holds included
  int64_t launches() const noexcept { return launches_; }        // kernels that have run
  int64_t allocations() const noexcept { return allocations_; }  // calls of allocate(), as many as succeeded
  int64_t bytes() const noexcept { return bytes_; }              // of blocks, imported ones apart
  int64_t most_bytes() const noexcept { return most_bytes_; }    // there ever were at once
  int64_t events_created() const noexcept { return events_; }
  int64_t copies_to_host() const noexcept { return to_host_; }
  void count_copies_to_host() const noexcept { to_host_ = 0; }  // from 0 again

  // The compiler: programs that it has begun, those whose kernel's name has this text are refused (empty: none), and from now on, or no
  // longer, it blocks whoever compiles; an engine is not destroyed while it does.
  int64_t compilations() const noexcept { return compilations_; }
  int64_t loaded_binaries() const noexcept { return loaded_; }
  void refuse_programs_of(std::string kernel) const;
  void block_compiler(bool blocks) const;

 private:
  friend class TestMemory;
  friend class TestStream;
  friend struct Block;
  struct Kernels;
  TestEngine(Facts facts, std::unique_ptr<Kernels> kernels, const Options& options);

  // Counts a call; what it is to fail with, or ok. `delayed`: whether its work is to fail later; null: there is no work.
  Status call(const char* name, bool* delayed) const;
  Status allocate_counted(int64_t bytes, MemoryPtr* out) const;
  Status compile(const CompileKey& key, const DeviceSource& source, DeviceProgram* out, std::string* binary) const override;
  Status load(const CompileKey& key, const DeviceSource& source, const std::string& binary, DeviceProgram* out) const override;
  void drain() const;  // all streams, so that memory can be looked at

  const std::unique_ptr<Kernels> kernels_;
  const bool imports_;
  mutable std::atomic<int64_t> calls_{0}, fail_at_{-1}, blocks_{0}, launches_{0}, allocations_{0};
  mutable std::atomic<int64_t> bytes_{0}, most_bytes_{0}, events_{0}, to_host_{0};
  mutable std::atomic<Failure> how_{Failure::refused};
  mutable std::atomic<bool> lost_{false};
  mutable std::atomic<int64_t> interrupt_at_{-1};
  mutable std::atomic<int32_t*> flag_{nullptr};
  mutable std::atomic<int64_t> compilations_{0}, loaded_{0};
  mutable std::mutex compiler_mutex_;
  mutable std::condition_variable compiler_free_;
  mutable bool compiler_blocks_ = false;
  mutable std::string refused_programs_;
  mutable std::mutex streams_mutex_;
  mutable std::vector<TestStream*> streams_;
};

}  // namespace anydim::testing
