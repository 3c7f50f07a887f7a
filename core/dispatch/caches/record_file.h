// SPDX-License-Identifier: Apache-2.0
// The file behind the persistent cache: records in a SQLite database, opened for one piece of work and closed after it.
// Only tools, the background worker and the making of the first engine come here; see persistent_cache.h for the rest.
// What a file holds is never trusted: each record has a checksum, and a file that is damaged or somebody else's is a Status.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

struct sqlite3;

namespace anydim {

enum class RecordKind : uint8_t {
  plan = 1,    // a tuned plan: tens to hundreds of bytes
  binary = 2,  // a compiled device program
};
constexpr int kRecordKinds = 2;
const char* record_kind_name(RecordKind kind) noexcept;

// The file's form: its name, its tables and what the checksum covers. Another form is another file name, so that
// libraries of different age work side by side.
constexpr int kRecordRevision = 1;
const char* record_file_name() noexcept;  // "cache-1.sqlite"
// Who makes records: "anydim 0.1.0". For people, not compared: libraries of different versions share a file.
const char* record_origin() noexcept;

struct Record {
  RecordKind kind = RecordKind::plan;
  std::string key, value;
  std::string origin;   // who made it: "anydim 0.1.0"
  int64_t created = 0;  // seconds since 1970
  int64_t used = 0;     // last time that somebody found it, in steps of kRecencyStep
  int64_t id = 0;       // row in the file it came from
};
// A day and a half of use in one step would be enough to order what to evict; an hour costs little.
constexpr int64_t kRecencyStep = 3600;

// xxh3-128 over everything in a record that is returned, and over the revision; 16 bytes.
std::string record_checksum(const Record& record);

// Says that a piece of file work is under way: a child forked now keeps off the files.
class FileWork {
 public:
  FileWork() noexcept { under_way.fetch_add(1); }
  ~FileWork() { under_way.fetch_sub(1); }
  FileWork(const FileWork&) = delete;
  FileWork& operator=(const FileWork&) = delete;
  static std::atomic<int> under_way;
};

class RecordFile {
 public:
  enum class Access {
    read,       // never creates; an interrupted write of a killed process is rolled back where the folder allows it
    immutable,  // a file that nobody writes to, on any medium: no locks, no journal
    write,      // creates the folder (mode 0700) and the file when they are missing
  };
  // Waits at most `timeout_ms` for other processes, here and in every later call. Failures: not_found (no such file),
  // busy (locked for longer), invalid_data (damaged: put_aside() is the answer), unimplemented (another program's or a
  // newer library's file: left alone), io_error (disk full, read-only, no permission).
  static Status open(const std::string& path, Access access, int timeout_ms, RecordFile* out);

  RecordFile() = default;
  RecordFile(RecordFile&& o) noexcept;
  RecordFile& operator=(RecordFile&& o) noexcept;
  ~RecordFile();

  // Visits each record, with `good` false (and nothing but its id to rely on) where the checksum is wrong. A value longer than
  // `longest` is left empty and unchecked; `size` is its length.
  using Visit = std::function<void(Record& record, int64_t size, bool good)>;
  Status for_each(int64_t longest, const Visit& visit);
  // One record by its key, checked; not_found if there is none, invalid_data if it is damaged.
  Status read(RecordKind kind, std::string_view key, Record* out);

  struct Name {
    RecordKind kind;
    std::string key;
  };
  struct Change {
    std::span<const Record> put;      // replace those of the same kind and key
    std::span<const Name> used;       // records that were found since
    std::span<const int64_t> remove;  // ids of records that looked damaged; those that are go
    int64_t limit_bytes = 0;          // of the file; least recently used records go beyond it
    int64_t now = 0;                  // seconds since 1970
  };
  // All of it or, on failure, nothing; on the disk when it returns. `evicted`: records that had to go.
  Status apply(const Change& change, int64_t* evicted);
  // Removes all records, or those of one kind (0: all), and gives the disk space back.
  Status clear(int kind, int64_t* removed);
  // Bytes of the file in use and the file's own check of its structure: "ok", or what is wrong.
  Status bytes_used(int64_t* bytes);
  Status check_structure(std::string* report);

 private:
  Status run(const char* doing, const char* sql);
  Status number(const char* sql, int64_t* out);
  Status failure(const char* doing) const;
  Status accept_or_create(bool may_create);
  Status evict(const Change& change, int64_t* evicted);
  static int wait_a_little(void* self, int attempt) noexcept;

  sqlite3* db_ = nullptr;
  std::string path_;
  int timeout_ms_ = 0;
  int64_t deadline_ = 0;  // steady clock, ns; set by each call
};

// Renames a damaged file (and its journal) to "<path>.damaged", replacing an older one, unless another process already did
// so. Succeeds if the path is free, or holds a sound file, afterwards; `moved`: whether this call renamed it.
Status put_aside(const std::string& path, bool* moved);

// Null, or why this build has no files at all.
const char* record_files_absent() noexcept;

}  // namespace anydim
