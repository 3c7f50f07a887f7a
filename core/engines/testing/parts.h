// SPDX-License-Identifier: Apache-2.0
// The inside of the test engine: its memory, its kernels and its queue. Tests use engine.h.
#pragma once

#include <condition_variable>
#include <functional>
#include <thread>

#include "core/engines/testing/engine.h"

namespace anydim::testing {

// The pages of an allocation, twice: as the device reads and writes them, and where the host has no access until it maps them.
// Queued work holds it, so that it outlives its memory.
struct Block {
  Block() = default;
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;
  static Status create(std::shared_ptr<const TestEngine> engine, int64_t bytes, std::shared_ptr<Block>* out);

  std::shared_ptr<const TestEngine> engine;
  std::byte* device_view = nullptr;
  std::byte* host_view = nullptr;
  int64_t mapped = 0;                 // bytes of each; 0: imported, both views are the caller's bytes
  int64_t bytes = 0;                  // that were asked for
  std::shared_ptr<const void> owner;  // of imported bytes
};

class TestMemory final : public Memory {
 public:
  TestMemory(std::shared_ptr<Block> block, int64_t bytes);
  Status map(int64_t offset, int64_t bytes, std::byte** out) override;
  Status unmap(int64_t offset, int64_t bytes) override;
  const std::shared_ptr<Block>& block() const noexcept { return block_; }

 private:
  const std::shared_ptr<Block> block_;
};

// A tensor of a launch as its arguments name it.
struct Argument {
  DeviceArgument::Of of = DeviceArgument::Of::none;
  int index = 0;
  std::shared_ptr<Block> block;
  int64_t offset = 0;  // in elements
};

enum class Computes { reference, own, wrong };  // as arithmetic.h has it, the last two

// A reference kernel of the CPU that is run by the device's queue, by way of a program, arguments and work sizes.
class TestKernel final : public DeviceKernel {
 public:
  explicit TestKernel(const HostKernel& inner, const char* prefix = "testing.", MathMode mode = MathMode::strict,
                      Computes computes = Computes::reference, int longest_chain = kMaxPostOps)
      : inner_(inner), name_(prefix + std::string(inner.name())), key_(inner.key()), computes_(computes), longest_chain_(longest_chain) {
    key_.isa = {};
    key_.mode = mode;
  }
  const char* name() const noexcept override { return name_.c_str(); }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& problem) const noexcept override;
  PackedForm packed_form(const Problem& problem) const noexcept override;
  void plan(const Args& args, Plan* plan) const noexcept override { inner_.plan(args, plan); }
  int64_t scratch_bound(const Problem& problem, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    return inner_.scratch_bound(problem, in, out, threads);
  }
  // One program for each combination of dtypes and post-ops.
  int programs(const Problem& problem, const DeviceTraits& device, std::span<CompileKey, kMostPrograms> out) const noexcept override;
  DeviceSource source(const CompileKey& key) const override;
  // One entry, whose arguments are all tensors that have memory.
  bool work(const Plan& plan, const Args& args, int index, DeviceWork* out) const noexcept override;

  // On the device's thread. Tensors of args get the data that the arguments name; those in packed pieces are of these operands.
  Status run(const Plan& plan, Args args, std::span<const Argument> arguments, OperandSet packed) const;

 private:
  const HostKernel& inner_;
  const std::string name_;
  KernelKey key_;
  const Computes computes_;
  const int longest_chain_;
};

// Commands in order, which a thread runs once somebody needs them done.
class TestStream final : public Stream {
 public:
  explicit TestStream(std::shared_ptr<const TestEngine> engine);
  ~TestStream() override;
  Status submit(const Launch& launch) override;
  Status copy(BufferRef to, BufferRef from, int64_t bytes) override;
  Status record(EventPtr* out) override;
  Status wait_for(const EventPtr& event) override;
  Status wait() override;

  // Runs what was given so far; errors stay for wait().
  void drain();
  // What failed so far, up to the command of that number (from 1).
  Status wait_until(uint64_t command);
  // A command that writes down when it ran.
  uint64_t push_record(const std::shared_ptr<std::atomic<int64_t>>& time);

 private:
  using Command = std::function<Status()>;
  static constexpr uint64_t kMostQueued = 16;
  uint64_t push(Command command, bool delayed);
  void work();

  const std::shared_ptr<const TestEngine> device_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Command> commands_;
  uint64_t queued_ = 0, done_ = 0, awaited_ = 0;  // numbers of commands
  Status failure_;                                // the first since wait()
  uint64_t failed_at_ = 0;
  bool ends_ = false;
  const std::shared_ptr<TestStream*> self_;  // of events
  std::thread thread_;                       // last: it uses the others
};

}  // namespace anydim::testing
