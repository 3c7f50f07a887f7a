// SPDX-License-Identifier: Apache-2.0
// What outlives a process: tuned plans and compiled device programs, by key, in a file of the user and a read-only one of the
// system under it. An index is read when the first engine is made; find() looks at memory only; whatever touches the file is
// for the background worker and for tools. Losing all of it costs time and nothing else, so nothing here is ever a failure
// of a call: a bad, foreign, locked or missing file is a miss. docs/persistent-cache.md has the form and the guarantees.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/status.h"
#include "core/dispatch/caches/record_file.h"

namespace anydim {

struct PersistentCacheOptions {
  bool enabled = true;
  std::string off_because;                        // if not enabled
  std::string folder;                             // of the user's file
  std::string system_folder;                      // of the read-only one under it; empty: none
  int64_t limit_bytes = INT64_C(256) << 20;       // of the user's file
  int64_t longest_in_memory = INT64_C(64) << 10;  // values longer than this stay in the file
  // ANYDIM_CACHE=off, ANYDIM_CACHE_DIR (else $XDG_CACHE_HOME/anydim, else ~/.cache/anydim), ANYDIM_CACHE_SYSTEM_DIR (else
  // /usr/share/anydim/cache), ANYDIM_CACHE_BYTES.
  static PersistentCacheOptions from_environment();
};

class PersistentCache {
 public:
  using Value = std::shared_ptr<const std::string>;

  // Reads the index of both files, waiting milliseconds at most for other processes. Creates nothing.
  // In a forked child `of_parent` is the parent's, which is never used but not lost either.
  explicit PersistentCache(PersistentCacheOptions options, const PersistentCache* of_parent = nullptr);
  PersistentCache(const PersistentCache&) = delete;
  PersistentCache& operator=(const PersistentCache&) = delete;

  // The value of a key, or null. Memory only, any number of threads at once; the lock is held for a look-up and never by file
  // work. Values longer than longest_in_memory are not there (read() has them), nor is what went over kIndexBytes.
  Value find(RecordKind kind, std::string_view key) const noexcept;
  static constexpr int64_t kIndexBytes = INT64_C(8) << 20;

  // Everything below may read and write the file and wait for other processes: for the worker and for tools.

  // Sees to it that find() has the values at once in this process, and that they are in the user's file when it returns ok.
  // Notes in the same write what find() has found since the last. On failure (full or read-only disk, locked for
  // `timeout_ms`, another program's file) the file is as before and the failure is counted.
  Status store(RecordKind kind, std::string key, std::string value) {
    const Pair pair{kind, std::move(key), std::move(value)};
    return store({&pair, 1});
  }
  struct Pair {
    RecordKind kind;
    std::string key, value;
  };
  Status store(std::span<const Pair> pairs, int timeout_ms = 5000);
  // Stores what `change` makes of the value of a key (null: there is none), one such change at a time in this process; of two
  // processes that change one key at once, one may win.
  Status update(RecordKind kind, const std::string& key, const std::function<std::string(const std::string* value)>& change);
  // A value of any length, checked, from the user's file (as other processes left it), the system's, or else memory; not_found
  // without one.
  Status read(RecordKind kind, std::string_view key, std::string* value);

  struct Listed {
    Record record;  // without its value
    int64_t bytes = 0;
    bool system = false, good = true;
  };
  // All records of both files, checked.
  Status list(std::vector<Listed>* out);
  struct Report {
    int64_t records = 0, damaged = 0;
    std::string structure;         // of the user's file: "ok", "no file", or what is wrong
    std::string system_structure;  // of the system's
  };
  Status verify(Report* out);
  // The sound records of the user's file into a new file, which import_from() reads and a system folder can hold.
  Status export_to(const std::string& path, int64_t* records);
  Status import_from(const std::string& path, int64_t* records, int64_t* damaged);
  // Removes the records of the user's file (a kind, or 0 for all) and of memory. A damaged or foreign file is an error, not a loss.
  Status clear(int kind, int64_t* removed);

  struct Statistics {
    int64_t entries = 0, index_bytes = 0;  // in memory now
    int64_t hits = 0, misses = 0;          // of find()
    int64_t stores = 0, store_failures = 0, evicted = 0;
    int64_t damaged_records = 0;  // checksums that were wrong
    int64_t damaged_files = 0;    // put aside
    int64_t load_failures = 0;    // files that could not be read when the index was made
    int64_t load_nanoseconds = 0;
    std::string last_failure;  // text of the latest of them
  };
  Statistics statistics() const;
  const PersistentCacheOptions& options() const noexcept { return options_; }
  std::string path() const;
  std::string system_path() const;  // empty: none

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
  };
  struct Entry {
    Value value;                             // never null
    int64_t used = 0;                        // as the file has it
    mutable std::atomic<bool> found{false};  // since uses were last written
  };
  using Index = std::unordered_map<std::string, Entry, Hash, std::equal_to<>>;

  void load(const std::string& path, RecordFile::Access access);
  void remember(const Record& record);
  static int64_t entry_bytes(const std::string& key, const std::string& value) noexcept;
  std::vector<RecordFile::Name> names_found(int64_t now) const;
  Status write(std::span<const Record> records, int timeout_ms);
  Status usable() const;
  Status note_failure(Status status, std::atomic<int64_t>* counter);

  const PersistentCacheOptions options_;
  const int process_;
  const PersistentCache* const of_parent_;
  mutable std::shared_mutex index_mutex_;  // never held during file work
  Index index_[kRecordKinds];
  int64_t index_bytes_ = 0;
  std::mutex update_mutex_;           // one update() at a time
  std::mutex file_mutex_;             // one piece of file work at a time in this process
  std::vector<int64_t> damaged_ids_;  // of the user's file; under file_mutex_
  bool structure_sound_ = false;      // as checked before the first write; under file_mutex_
  mutable std::atomic<int64_t> hits_{0}, misses_{0};
  std::atomic<int64_t> stores_{0}, store_failures_{0}, evicted_{0}, damaged_records_{0}, damaged_files_{0}, load_failures_{0};
  int64_t load_nanoseconds_ = 0;
  mutable std::mutex failure_mutex_;
  std::string last_failure_;
};

// The process's one. The first call, which comes with the first engine, reads the index. A forked child has one of its own
// and asks again; where the parent was writing at that moment the child's is off, since SQLite may be half-way in a lock.
PersistentCache& persistent_cache();
// The same where there is one already, else null: for who may not read a file.
const PersistentCache* persistent_cache_so_far() noexcept;

}  // namespace anydim
