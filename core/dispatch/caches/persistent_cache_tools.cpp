// SPDX-License-Identifier: Apache-2.0
// What people do with the persistent cache: list, verify, export, import, clear; and where it is.
#include <pwd.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "core/base/environment.h"
#include "core/base/files/new_file.h"
#include "core/dispatch/caches/persistent_cache.h"

namespace anydim {

namespace {

constexpr int kTimeoutMs = 5000;
constexpr size_t kBatchBytes = size_t{8} << 20;
constexpr int64_t kSmallestLimit = INT64_C(64) << 10;
constexpr const char* kSystemFolder = "/usr/share/anydim/cache";

std::string home_folder() {
  if (const char* home_folder = environment("HOME")) return home_folder;
  passwd entry{}, *found = nullptr;
  char buffer[4096];
  return getpwuid_r(getuid(), &entry, buffer, sizeof buffer, &found) == 0 && found != nullptr ? found->pw_dir : "";
}

// Folders given relative to where the process began stay there.
std::string absolute(const std::string& folder) {
  std::error_code wrong;
  const auto path = std::filesystem::absolute(folder, wrong);
  return wrong ? folder : path.lexically_normal().string();
}

}  // namespace

PersistentCacheOptions PersistentCacheOptions::from_environment() {
  PersistentCacheOptions options;
  if (const char* absent = record_files_absent(); absent != nullptr) {
    options.enabled = false;
    options.off_because = absent;
    return options;
  }
  constexpr const char* kWords[] = {"on", "1", "off", "0"};
  if (const int setting = environment_word("ANYDIM_CACHE", kWords, 0); setting >= 2) {
    options.enabled = false;
    options.off_because = std::string("ANYDIM_CACHE is ") + kWords[setting];
  }
  if (const char* folder = environment("ANYDIM_CACHE_DIR")) options.folder = absolute(folder);
  else if (const char* xdg = environment("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/')  // its specification: others are ignored
    options.folder = std::string(xdg) + "/anydim";
  else if (const std::string user = home_folder(); !user.empty()) options.folder = absolute(user + "/.cache/anydim");
  else if (options.enabled) {
    options.enabled = false;
    options.off_because = "there is no home folder; ANYDIM_CACHE_DIR names another place";
  }
  const char* system = std::getenv("ANYDIM_CACHE_SYSTEM_DIR");
  options.system_folder = system == nullptr ? kSystemFolder : *system == '\0' ? "" : absolute(system);
  options.limit_bytes = std::max(environment_number("ANYDIM_CACHE_BYTES", options.limit_bytes, 1), kSmallestLimit);
  return options;
}

Status PersistentCache::list(std::vector<Listed>* out) {
  ANYDIM_TRY(usable());
  std::vector<Listed> listed;
  const std::lock_guard lock(file_mutex_);
  const FileWork work_under_way;
  for (const bool system : {false, true}) {
    if (system && options_.system_folder.empty()) break;
    RecordFile file;
    Status status = RecordFile::open(system ? system_path() : path(), system ? RecordFile::Access::immutable : RecordFile::Access::read,
                                     kTimeoutMs, &file);
    if (status.code() == Code::not_found) continue;
    ANYDIM_TRY(std::move(status));
    ANYDIM_TRY(file.for_each(INT64_MAX, [&](Record& record, int64_t size, bool good) {
      Listed one{std::move(record), size, system, good};
      one.record.value.clear();
      listed.push_back(std::move(one));
    }));
  }
  *out = std::move(listed);
  return {};
}

Status PersistentCache::verify(Report* out) {
  ANYDIM_TRY(usable());
  Report report;
  const std::lock_guard lock(file_mutex_);
  const FileWork work_under_way;
  for (const bool system : {false, true}) {
    std::string& structure = system ? report.system_structure : report.structure;
    structure = "no file";
    if (system && options_.system_folder.empty()) break;
    RecordFile file;
    Status status = RecordFile::open(system ? system_path() : path(), system ? RecordFile::Access::immutable : RecordFile::Access::read,
                                     kTimeoutMs, &file);
    if (status.code() == Code::not_found) continue;
    if (status.ok()) status = file.check_structure(&structure);
    if (status.ok())
      status = file.for_each(INT64_MAX, [&](Record&, int64_t, bool good) {
        ++report.records;
        report.damaged += !good;
      });
    if (status.code() == Code::busy || status.code() == Code::out_of_memory) return status;
    if (!status.ok()) structure = status.message();
  }
  *out = std::move(report);
  return {};
}

Status PersistentCache::export_to(const std::string& path_out, int64_t* records) {
  ANYDIM_TRY(usable());
  const std::lock_guard lock(file_mutex_);
  const FileWork work_under_way;
  std::error_code wrong_path;
  if (std::filesystem::equivalent(path_out, path(), wrong_path)) return invalid("{} is the persistent cache itself", path_out);
  RecordFile from, to;
  ANYDIM_TRY(RecordFile::open(path(), RecordFile::Access::read, kTimeoutMs, &from));
  NewFile file;
  ANYDIM_TRY(NewFile::create(path_out, NewFile::Into::files, &file));
  const std::string journal = file.partial() + "-journal";
  int64_t count = 0;
  const auto work = [&]() -> Status {
    ANYDIM_TRY(RecordFile::open(file.partial(), RecordFile::Access::write, kTimeoutMs, &to));
    std::vector<Record> batch;
    size_t bytes = 0;
    Status wrong;
    const auto flush = [&] {
      int64_t evicted = 0;
      if (wrong.ok()) wrong = to.apply({batch, {}, {}, INT64_MAX, batch.empty() ? 0 : batch.front().used}, &evicted);
      batch.clear();
      bytes = 0;
    };
    ANYDIM_TRY(from.for_each(INT64_MAX, [&](Record& record, int64_t size, bool good) {
      if (!good || !wrong.ok()) return;
      ++count;
      bytes += static_cast<size_t>(size);
      batch.push_back(std::move(record));
      if (bytes > kBatchBytes) flush();
    }));
    flush();
    return wrong;
  };
  Status done = work();
  to = RecordFile();  // closed before it gets its name
  std::remove(journal.c_str());
  if (done.ok()) done = file.commit();
  if (done.ok()) *records = count;
  return done;
}

Status PersistentCache::import_from(const std::string& path_in, int64_t* records, int64_t* damaged) {
  ANYDIM_TRY(usable());
  std::error_code wrong_path;
  if (std::filesystem::equivalent(path_in, path(), wrong_path)) return invalid("{} is the persistent cache itself", path_in);
  const FileWork work_under_way;
  RecordFile from;
  Status opened = RecordFile::open(path_in, RecordFile::Access::read, kTimeoutMs, &from);
  if (opened.code() == Code::io_error) opened = RecordFile::open(path_in, RecordFile::Access::immutable, kTimeoutMs, &from);
  if (opened.code() == Code::not_found && !std::filesystem::exists(path_in, wrong_path))
    opened = std::move(opened).as(Code::file_not_found);
  ANYDIM_TRY(std::move(opened));
  int64_t good_ones = 0, bad_ones = 0;
  std::vector<Record> batch;
  size_t bytes = 0;
  Status wrong;
  const auto flush = [&] {
    for (const Record& record : batch) remember(record);
    if (wrong.ok()) wrong = note_failure(write(batch, kTimeoutMs), &store_failures_);
    if (wrong.ok()) good_ones += static_cast<int64_t>(batch.size());
    batch.clear();
    bytes = 0;
  };
  Status read = from.for_each(options_.limit_bytes / 2, [&](Record& record, int64_t size, bool good) {
    if (!wrong.ok() || size > options_.limit_bytes / 2) return;
    if (!good) {
      ++bad_ones;
      return;
    }
    bytes += static_cast<size_t>(size);
    batch.push_back(std::move(record));
    if (bytes > kBatchBytes) flush();
  });
  flush();
  ANYDIM_TRY(std::move(wrong));
  ANYDIM_TRY(std::move(read));
  stores_.fetch_add(good_ones, std::memory_order_relaxed);
  *records = good_ones;
  *damaged = bad_ones;
  return {};
}

Status PersistentCache::clear(int kind, int64_t* removed) {
  ANYDIM_TRY(usable());
  if (kind < 0 || kind > kRecordKinds) return invalid("kind is {}; expected 0 (all) to {}", kind, kRecordKinds);
  int64_t count = 0;
  {
    const std::lock_guard lock(file_mutex_);
    const FileWork work_under_way;
    RecordFile file;
    Status status = RecordFile::open(path(), RecordFile::Access::read, kTimeoutMs, &file);
    if (status.ok()) status = file.clear(kind, &count);
    if (status.code() == Code::invalid_data) {
      bool moved = false;
      status = put_aside(path(), &moved);
      damaged_files_.fetch_add(moved, std::memory_order_relaxed);
    }
    if (!status.ok() && status.code() != Code::not_found) return status;
  }
  const std::unique_lock lock(index_mutex_);
  for (int k = 1; k <= kRecordKinds; ++k)
    if (kind == 0 || kind == k) index_[k - 1].clear();
  index_bytes_ = 0;
  for (const Index& index : index_)
    for (const auto& [key, entry] : index) index_bytes_ += entry_bytes(key, *entry.value);
  *removed = count;
  return {};
}

}  // namespace anydim
