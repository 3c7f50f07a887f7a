// SPDX-License-Identifier: Apache-2.0
// A compiled program with the functions that work() launches, and how it is made: from source, or from a binary with our own header.
//
// What an entry must be like, so that the first launch compiles nothing and a driver is never asked for what its device lacks:
//   - it has __attribute__((reqd_work_group_size(x, y, z))), which is the local size of each launch;
//   - its first argument is `int live`, and it returns at once where that is 0: so it is launched once when it is made.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/engines/opencl/devices.h"
#include "core/engines/opencl/objects.h"

namespace anydim::opencl {

// What clSetKernelArg is passed for an argument.
enum class ArgumentType : uint8_t { memory, local, i32, i64, f32 };

struct EntryFacts {
  std::string name;
  std::array<int64_t, 3> local{1, 1, 1};
  std::vector<ArgumentType> arguments;  // the first is `live`
  bool numbers_in_one = false;          // all but `live` are one argument behind the others, 8 bytes each
  friend bool operator==(const EntryFacts&, const EntryFacts&) = default;
};

// A function's object, and the arguments that it holds: numbers of memories, then the numbers. Empty: others, or none yet.
struct HeldKernel {
  OwnedKernel kernel;
  std::vector<int64_t> arguments;
  bool holds(std::span<const int64_t> others) const noexcept {
    return !arguments.empty() && std::equal(arguments.begin(), arguments.end(), others.begin(), others.end());
  }
};

// One function. A kernel object holds the arguments that were set last, so threads that launch at once have one each. A call that comes
// again finds the object of the time before, with its arguments: a launch of a small kernel on PoCL is 8 % faster so.
class Entry {
 public:
  Entry(const Api& api, ProgramId program, EntryFacts facts, int64_t local_memory)
      : facts(std::move(facts)), local_memory(local_memory), api_(api), program_(program) {}
  // An idle object that holds these arguments, else one that was idle longest, or a new one.
  Status acquire(std::span<const int64_t> arguments, HeldKernel* out);
  void release(HeldKernel kernel);

  const EntryFacts facts;
  const int64_t local_memory;  // bytes of a group that the function has by itself

 private:
  static constexpr size_t kMostIdle = 32;  // objects, where no two calls are the same

  const Api& api_;
  const ProgramId program_;
  std::mutex mutex_;
  std::vector<HeldKernel> idle_;  // the one that was used last is the last
};

struct Program {
  OwnedProgram program;
  std::vector<std::unique_ptr<Entry>> entries;  // in the order of the source's
};

// What programs of a device are made with.
struct Builder {
  const Api& api;
  const DeviceFacts& device;
  ContextId context;
  QueueId queue;  // of first launches; one thread at a time
  std::mutex& queue_mutex;

  // `options` are the source's; those that the device needs are added. What the compiler refuses is unimplemented, with what it says.
  // `key` is all that the program depends on.
  Status compile(const DeviceSource& source, std::shared_ptr<Program>* out) const;
  // The driver's bytes behind our header, or nothing if it has none. After the first launches: what they compiled is in it.
  std::string binary_of(const Program& program, std::string_view key) const;
  // Refuses with invalid_data, before the driver sees it, what is damaged or was made for another key.
  Status load(const DeviceSource& source, std::string_view key, std::string_view binary, std::shared_ptr<Program>* out) const;

 private:
  std::string options_of(const DeviceSource& source) const;
  Status build(const DeviceSource& source, OwnedProgram* out) const;
  Status entries_of(const DeviceSource& source, const std::vector<EntryFacts>* known, Program* program) const;
  Status first_launch(const Entry& entry, KernelId kernel) const;
};

}  // namespace anydim::opencl
