// SPDX-License-Identifier: Apache-2.0
// The kernel cache of a device that compiles: its programs by key, in memory, bounded in bytes, the least recently used dropped
// first. The CPU engine compiles nothing and has none; an engine that does owns one per device, since a program belongs to the
// device's context (compiling_engine.h).
//
// A program that is missing is made once, by the thread that asked first: from its binary if the store has one and the driver takes it,
// else by compiling. Others that ask for it wait for it, those that ask for another do not (core/base/threads/single_flight_cache.h). Whatever
// goes wrong with a binary costs the time of a compilation and nothing else.
//
// Programs are made where primitives are made, or by the background worker, and never by a call that executes: both may read files.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/base/threads/single_flight_cache.h"
#include "core/engines/binary_store.h"

namespace anydim {

// A compiled device program in a file: nothing but the same source on the same device with the same driver may be handed it.
struct BinaryKey {
  std::string source;  // digest of the text: it changes with the library's versions, and between two builds of one
  std::string engine;  // "opencl"
  std::string device, driver;
  std::string options;  // given to the compiler
  std::string kernel;   // CompileKey::text()
  std::string text() const;
};

struct DeviceProgram {
  std::shared_ptr<const void> object;  // the engine's
  int64_t bytes = 0;                   // of the device's and the host's memory
};

// How an engine makes the program of one key. It asks for no further program.
class ProgramMaker {
 public:
  virtual ~ProgramMaker() = default;
  // In the store. Asked only where the program is missing.
  virtual BinaryKey binary_key() = 0;
  // From a binary that compile() gave for this key, whole and unharmed, in this process or an earlier one. A driver may refuse it all
  // the same: then the program is compiled.
  virtual Status load(const std::string& binary, DeviceProgram* out) = 0;
  // `binary` stays empty if the driver gives none.
  virtual Status compile(DeviceProgram* out, std::string* binary) = 0;
  // Asked where compile() left `binary` empty: how to get it later, if only the question takes long. Empty: there is none.
  using LateBinary = std::function<std::string()>;
  virtual LateBinary late_binary(const DeviceProgram& /*program*/) { return {}; }
};

class KernelCache {
 public:
  static constexpr int64_t kDefaultLimit = INT64_C(256) << 20;  // bytes
  static constexpr int64_t kMostWaiting = INT64_C(64) << 20;    // bytes of binaries that were not stored yet

  enum class Source { memory, waited, binary, compiled };  // where a program came from; waited: another thread made it

  enum class Of { shapes, calls };  // programs for all shapes, or for single calls, which are counted apart

  // `store` may be null: then binaries are not kept. It must outlive the cache.
  explicit KernelCache(BinaryStore* store, int64_t limit = kDefaultLimit, Of of = Of::shapes) : store_(store), of_(of), entries_(limit) {}

  // `key` distinguishes programs of this device. Any number of threads. Errors are compile()'s: all who waited get them, and the next one
  // to ask compiles again.
  Status get(std::string_view key, ProgramMaker& maker, DeviceProgram* out, Source* source);

  // Gives the store what it failed to store before (another process had the file). get() does it after each compilation, so that a
  // binary is in the file before its program is used, and a process may end in any way.
  Status store_binaries();

  // Binaries that drivers take long to give (LateBinary): how many were not asked for yet, and asking for one, which is stored. False:
  // there was none.
  size_t late_binaries() const;
  bool store_late_binary();
  // Nothing was compiled for so many nanoseconds, and nothing is now; 0 where something is.
  int64_t idle_nanoseconds() const noexcept;

  void set_limit(int64_t bytes) { entries_.set_limit(bytes); }  // 0: programs are made, and not kept
  void clear() { entries_.clear(); }

  struct Statistics {
    CacheFigures programs;
    int64_t compiled = 0, loaded = 0;
    int64_t refused = 0;        // binaries that the driver did not take
    int64_t waiting_bytes = 0;  // of binaries that the store has failed to store
    int64_t dropped = 0;        // binaries for which there was no room to wait
  };
  Statistics statistics() const;

  // Of all kernel caches of the process, those that are gone included; they only grow.
  struct Totals {
    std::atomic<int64_t> compiled{0}, loaded{0}, refused{0}, compile_nanoseconds{0}, load_nanoseconds{0};
    std::atomic<int64_t> specialised{0}, specialise_nanoseconds{0};  // for single calls
    std::atomic<int64_t> stored{0};                                  // binaries that are in the store
  };
  static Totals& totals() noexcept;
  // Gets a line for users while programs are compiled: after the first second, then every few. Null: nobody. Any thread.
  static void announce_to(void (*announce)(const std::string& line)) noexcept;

  // For ForkHandlers, as SingleFlightCache's. What waits to be stored is the parent's.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  struct Hash {
    static uint64_t of(std::string_view key) noexcept;
  };
  Status make(ProgramMaker& maker, DeviceProgram* out, Source* source);
  void keep_binary(std::string key, std::string binary);

  BinaryStore* const store_;
  const Of of_;
  SingleFlightCache<DeviceProgram, Hash, CreatorsLookUp::nothing> entries_;
  mutable std::mutex waiting_mutex_;
  std::vector<BinaryStore::Pair> waiting_;
  int64_t waiting_bytes_ = 0;
  struct Late {
    std::string key;
    ProgramMaker::LateBinary ask;
  };
  std::deque<Late> late_;  // under waiting_mutex_
  std::atomic<int> compiling_{0};
  std::atomic<int64_t> last_compiled_{0};  // when a compilation ended
  std::atomic<int64_t> compiled_{0}, loaded_{0}, refused_{0}, dropped_{0};
};

}  // namespace anydim
