// SPDX-License-Identifier: Apache-2.0
// The index in memory and what reads and writes the files under it; see persistent_cache.h.
#include "core/dispatch/caches/persistent_cache.h"

#include <unistd.h>

#include <cstdio>
#include <ctime>

#include "core/base/clock.h"
#include "core/base/threads/fork.h"

namespace anydim {

namespace {

// How long the making of an engine waits for a writer to end its commit.
constexpr int kLoadTimeoutMs = 20;
constexpr int kToolTimeoutMs = 5000;

std::atomic<bool> forked_during_work{false};
std::atomic<PersistentCache*> instance{nullptr};
std::atomic<PersistentCache*> left_by_parent{nullptr};

// The parent's object stays as it is (its locks may be held by threads that did not come along): the child makes its own.
void in_child() noexcept {
  if (PersistentCache* parents = instance.exchange(nullptr)) left_by_parent.store(parents);
  if (FileWork::under_way.exchange(0) > 0) forked_during_work.store(true);
}

int64_t seconds_now() noexcept { return static_cast<int64_t>(std::time(nullptr)); }

}  // namespace

PersistentCache::PersistentCache(PersistentCacheOptions options, const PersistentCache* of_parent)
    : options_(std::move(options)), process_(getpid()), of_parent_(of_parent) {
  if (!options_.enabled) return;
  const int64_t begin = wall_clock();
  if (!options_.system_folder.empty()) load(system_path(), RecordFile::Access::immutable);
  load(path(), RecordFile::Access::read);  // after the system's: it wins
  load_nanoseconds_ = wall_clock() - begin;
}

std::string PersistentCache::path() const { return options_.folder + "/" + record_file_name(); }
std::string PersistentCache::system_path() const {
  return options_.system_folder.empty() ? std::string() : options_.system_folder + "/" + record_file_name();
}

Status PersistentCache::usable() const {
  if (!options_.enabled) return unimplemented("the persistent cache is off: {}", options_.off_because);
  if (getpid() != process_) return error(Code::forked, "this persistent cache was opened in process {}", process_);
  return {};
}

Status PersistentCache::note_failure(Status status, std::atomic<int64_t>* counter) {
  if (status.ok()) return status;
  if (counter != nullptr) counter->fetch_add(1, std::memory_order_relaxed);
  const std::lock_guard lock(failure_mutex_);
  last_failure_ = status.message();
  return status;
}

void PersistentCache::load(const std::string& path, RecordFile::Access access) {
  const FileWork work;
  RecordFile file;
  Status status = RecordFile::open(path, access, kLoadTimeoutMs, &file);
  if (status.code() == Code::not_found) return;
  if (status.ok())
    status = file.for_each(options_.longest_in_memory, [&](Record& record, int64_t size, bool good) {
      if (!good) {
        damaged_records_.fetch_add(1, std::memory_order_relaxed);
        if (access != RecordFile::Access::immutable) damaged_ids_.push_back(record.id);
      } else if (size <= options_.longest_in_memory) {
        remember(record);
      }
    });
  (void)note_failure(std::move(status), &load_failures_);
}

// About what an entry takes, its place in the table included.
int64_t PersistentCache::entry_bytes(const std::string& key, const std::string& value) noexcept {
  return static_cast<int64_t>(key.size() + value.size() + sizeof(Entry) + 64);
}

void PersistentCache::remember(const Record& record) {
  const bool fits = static_cast<int64_t>(record.value.size()) <= options_.longest_in_memory;
  auto value = fits ? std::make_shared<const std::string>(record.value) : nullptr;
  const int64_t bytes = fits ? entry_bytes(record.key, *value) : 0;
  Value old;  // freed after the lock
  const std::unique_lock lock(index_mutex_);
  Index& index = index_[static_cast<int>(record.kind) - 1];
  auto found = index.find(record.key);
  if (!fits) {
    if (found == index.end()) return;
    index_bytes_ -= entry_bytes(record.key, *found->second.value);
    index.erase(found);
    return;
  }
  if (found == index.end()) {
    if (index_bytes_ + bytes > kIndexBytes) return;
    found = index.try_emplace(record.key).first;
    index_bytes_ += bytes;
  } else {
    index_bytes_ += static_cast<int64_t>(record.value.size()) - static_cast<int64_t>(found->second.value->size());
  }
  old = std::exchange(found->second.value, std::move(value));
  found->second.used = record.used;
}

PersistentCache::Value PersistentCache::find(RecordKind kind, std::string_view key) const noexcept {
  Value value;
  {
    const std::shared_lock lock(index_mutex_);
    const Index& index = index_[static_cast<int>(kind) - 1];
    const auto found = index.find(key);
    if (found != index.end()) {
      value = found->second.value;
      if (!found->second.found.load(std::memory_order_relaxed)) found->second.found.store(true, std::memory_order_relaxed);
    }
  }
  (value ? hits_ : misses_).fetch_add(1, std::memory_order_relaxed);
  return value;
}

std::vector<RecordFile::Name> PersistentCache::names_found(int64_t now) const {
  std::vector<RecordFile::Name> names;
  const std::shared_lock lock(index_mutex_);
  for (int kind = 1; kind <= kRecordKinds; ++kind)
    for (const auto& [key, entry] : index_[kind - 1])
      if (entry.found.load(std::memory_order_relaxed) && entry.used + kRecencyStep <= now)
        names.push_back({static_cast<RecordKind>(kind), key});
  return names;
}

Status PersistentCache::write(std::span<const Record> records, int timeout_ms) {
  const std::lock_guard lock(file_mutex_);
  const FileWork work;
  const int64_t now = seconds_now();
  const auto names = names_found(now);
  if (records.empty() && names.empty()) return {};
  RecordFile::Change change{records, names, damaged_ids_, options_.limit_bytes, now};
  const auto attempt = [&]() -> Status {
    RecordFile file;
    ANYDIM_TRY(RecordFile::open(path(), RecordFile::Access::write, timeout_ms, &file));
    if (!structure_sound_) {
      // Once, before the first write: a record put on a damaged page would be lost though its store returned. The file is
      // read as a whole for it, a second for the largest, which is the worker's.
      std::string report;
      ANYDIM_TRY(file.check_structure(&report));
      if (report != "ok") return error(Code::invalid_data, "{}: {}", path(), report);
      structure_sound_ = true;
    }
    int64_t evicted = 0;
    ANYDIM_TRY(file.apply(change, &evicted));
    evicted_.fetch_add(evicted, std::memory_order_relaxed);
    return {};
  };
  Status done = attempt();
  if (done.code() == Code::invalid_data) {
    structure_sound_ = false;
    bool moved = false;
    ANYDIM_TRY(put_aside(path(), &moved));
    damaged_files_.fetch_add(moved, std::memory_order_relaxed);
    (void)note_failure(std::move(done), nullptr);
    done = attempt();
  }
  if (!done.ok()) return done;
  damaged_ids_.clear();
  const std::unique_lock index_lock(index_mutex_);
  for (const auto& name : names) {
    const auto found = index_[static_cast<int>(name.kind) - 1].find(name.key);
    if (found == index_[static_cast<int>(name.kind) - 1].end()) continue;
    found->second.used = now - now % kRecencyStep;
    found->second.found.store(false, std::memory_order_relaxed);
  }
  return done;
}

Status PersistentCache::store(std::span<const Pair> pairs, int timeout_ms) {
  ANYDIM_TRY(usable());
  const int64_t now = seconds_now();
  std::vector<Record> records;
  records.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    const auto bytes = static_cast<int64_t>(pair.key.size() + pair.value.size());
    if (bytes > options_.limit_bytes / 2)
      return note_failure(invalid("a {} of {} bytes does not fit the persistent cache; at most half of its limit of {} bytes does",
                                  record_kind_name(pair.kind), bytes, options_.limit_bytes),
                          &store_failures_);
    Record record;
    record.kind = pair.kind;
    record.key = pair.key;
    record.value = pair.value;
    record.origin = record_origin();
    record.created = now;
    record.used = now - now % kRecencyStep;
    records.push_back(std::move(record));
  }
  for (const Record& record : records) remember(record);
  ANYDIM_TRY(note_failure(write(records, timeout_ms), &store_failures_));
  stores_.fetch_add(static_cast<int64_t>(records.size()), std::memory_order_relaxed);
  return {};
}

Status PersistentCache::update(RecordKind kind, const std::string& key,
                               const std::function<std::string(const std::string* value)>& change) {
  const std::lock_guard lock(update_mutex_);
  std::string value;
  const bool known = read(kind, key, &value).ok();
  return store(kind, key, change(known ? &value : nullptr));
}

Status PersistentCache::read(RecordKind kind, std::string_view key, std::string* value) {
  ANYDIM_TRY(usable());
  const std::lock_guard lock(file_mutex_);
  const FileWork work;
  Status last = error(Code::not_found, "no {} has this key", record_kind_name(kind));
  for (const bool system : {false, true}) {
    if (system && options_.system_folder.empty()) break;
    RecordFile file;
    Record record;
    Status status = RecordFile::open(system ? system_path() : path(), system ? RecordFile::Access::immutable : RecordFile::Access::read,
                                     kToolTimeoutMs, &file);
    if (status.ok()) status = file.read(kind, key, &record);
    if (status.ok()) {
      *value = std::move(record.value);
      return {};
    }
    if (status.code() == Code::not_found) continue;
    if (status.code() == Code::invalid_data) damaged_records_.fetch_add(1, std::memory_order_relaxed);
    last = note_failure(std::move(status), nullptr);
  }
  if (const Value known = find(kind, key)) {
    *value = *known;
    return {};
  }
  return last;
}

PersistentCache::Statistics PersistentCache::statistics() const {
  Statistics s;
  {
    const std::shared_lock lock(index_mutex_);
    for (const Index& index : index_) s.entries += static_cast<int64_t>(index.size());
    s.index_bytes = index_bytes_;
  }
  s.hits = hits_.load();
  s.misses = misses_.load();
  s.stores = stores_.load();
  s.store_failures = store_failures_.load();
  s.evicted = evicted_.load();
  s.damaged_records = damaged_records_.load();
  s.damaged_files = damaged_files_.load();
  s.load_failures = load_failures_.load();
  s.load_nanoseconds = load_nanoseconds_;
  const std::lock_guard lock(failure_mutex_);
  s.last_failure = last_failure_;
  return s;
}

const PersistentCache* persistent_cache_so_far() noexcept { return instance.load(std::memory_order_acquire); }

PersistentCache& persistent_cache() {
  if (PersistentCache* made = instance.load(std::memory_order_acquire)) return *made;
  ForkHandlers<nullptr, nullptr, in_child>::ensure();
  auto options = PersistentCacheOptions::from_environment();
  if (forked_during_work.load()) {
    options.enabled = false;
    options.off_because = "this process was forked while its parent was writing the file";
  }
  auto* fresh = new PersistentCache(std::move(options), left_by_parent.load());
  PersistentCache* other = nullptr;
  // No lock, which a fork could leave locked: of two threads that come first one index is thrown away.
  if (instance.compare_exchange_strong(other, fresh)) return *fresh;  // lives as long as the process
  delete fresh;
  return *other;
}

}  // namespace anydim
