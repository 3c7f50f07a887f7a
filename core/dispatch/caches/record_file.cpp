// SPDX-License-Identifier: Apache-2.0
// Records in a SQLite database; see record_file.h. A rollback journal rather than a write-ahead log: one file that can be
// copied, no shared memory (which network file systems lack), and a read-only folder needs nothing beside the file.
// Every commit is synchronous=FULL: it costs the worker some milliseconds, and what apply() promised survives a power cut too.
#include "core/dispatch/caches/record_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <thread>

#include "core/base/clock.h"
#include "core/base/files/system_error.h"

namespace anydim {

namespace {

constexpr int kApplicationId = 0x416e7964;  // "Anyd" at offset 68 of the file, as `file` shows it
// The exact text that SQLite keeps; a file with another is not ours.
constexpr const char* kRecordsTable =
    "CREATE TABLE records(id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL, "
    "origin TEXT NOT NULL, created INTEGER NOT NULL, checksum BLOB NOT NULL, UNIQUE(kind, key))";
// Apart from the records, so that noting a use rewrites some bytes and not a program.
constexpr const char* kUsesTable = "CREATE TABLE uses(id INTEGER PRIMARY KEY, time INTEGER NOT NULL)";

Code code_of(int result) noexcept {
  switch (result & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return Code::busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_FORMAT:
    case SQLITE_CONSTRAINT:  // our statements break none: an index that lies
    case SQLITE_SCHEMA:
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG:
    case SQLITE_ERROR: return Code::invalid_data;  // our statements are right: the tables are not
    case SQLITE_NOMEM: return Code::out_of_memory;
    case SQLITE_MISUSE:
    case SQLITE_INTERNAL: return Code::internal;
    default: return Code::io_error;
  }
}

// A prepared statement, finalized when it goes.
class Statement {
 public:
  Statement(sqlite3* db, std::string_view sql) noexcept {
    result_ = sqlite3_prepare_v2(db, sql.data(), static_cast<int>(sql.size()), &statement_, nullptr);
  }
  ~Statement() { sqlite3_finalize(statement_); }
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  // The texts bound must live until the next step.
  void bind(int at, int64_t value) noexcept { note(sqlite3_bind_int64(statement_, at, value)); }
  void bind_text(int at, std::string_view text) noexcept {
    note(sqlite3_bind_text64(statement_, at, text.empty() ? "" : text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8));
  }
  void bind_blob(int at, std::string_view bytes) noexcept {
    note(sqlite3_bind_blob64(statement_, at, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_STATIC));
  }
  // True with a row at hand; false at the end and on failure, which failed() distinguishes.
  bool step() noexcept {
    if (result_ != SQLITE_OK && result_ != SQLITE_ROW) return false;
    result_ = sqlite3_step(statement_);
    if (result_ == SQLITE_DONE) {
      result_ = sqlite3_reset(statement_);
      return false;
    }
    return result_ == SQLITE_ROW;
  }
  bool failed() const noexcept { return result_ != SQLITE_OK && result_ != SQLITE_ROW; }
  int64_t number(int column) noexcept { return sqlite3_column_int64(statement_, column); }
  std::string bytes(int column) {
    const void* data = sqlite3_column_blob(statement_, column);  // before its length, which it may change
    const int size = sqlite3_column_bytes(statement_, column);
    return data == nullptr ? std::string() : std::string(static_cast<const char*>(data), static_cast<size_t>(size));
  }

 private:
  void note(int result) noexcept {
    if (result_ == SQLITE_OK) result_ = result;
  }
  sqlite3_stmt* statement_ = nullptr;
  int result_ = SQLITE_OK;
};

// "file:" address of a path, for opening it as immutable.
std::string address_of(const std::string& path) {
  std::string address = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') address += formatted("%{:02x}", static_cast<unsigned char>(c));
    else address += c;
  }
  return address + "?immutable=1";
}

// What a row of kColumns says, with its checksum compared where the value is at hand.
constexpr const char* kColumns = "records.id, kind, key, origin, created, checksum, ifnull(time, 0)";
bool read_row(Statement& row, Record* record, bool with_value, int value_column) {
  record->id = row.number(0);
  const int64_t kind = row.number(1);
  record->kind = kind >= 1 && kind <= kRecordKinds ? static_cast<RecordKind>(kind) : RecordKind::plan;
  record->key = row.bytes(2);
  record->origin = row.bytes(3);
  record->created = row.number(4);
  record->used = row.number(6);
  record->value.clear();
  if (!with_value) return kind >= 1 && kind <= kRecordKinds;
  record->value = row.bytes(value_column);
  return kind == static_cast<int64_t>(record->kind) && row.bytes(5) == record_checksum(*record);
}

// The XDG specification asks for mode 0700 where a folder has to be made.
Status make_folder(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::filesystem::path made;
  for (const auto& part : folder) {
    made /= part;
    if (mkdir(made.c_str(), 0700) == 0 || errno == EEXIST) continue;
    const int reason = errno;  // a read-only or foreign folder on the way is fine if the rest is there
    std::error_code wrong;
    if (!std::filesystem::is_directory(made, wrong)) return write_error(reason, "{} cannot be made", made.string());
  }
  return {};
}

}  // namespace

RecordFile::RecordFile(RecordFile&& o) noexcept { *this = std::move(o); }

RecordFile& RecordFile::operator=(RecordFile&& o) noexcept {
  std::swap(db_, o.db_);
  std::swap(path_, o.path_);
  timeout_ms_ = o.timeout_ms_;
  if (db_ != nullptr) sqlite3_busy_handler(db_, wait_a_little, this);
  if (o.db_ != nullptr) sqlite3_busy_handler(o.db_, wait_a_little, &o);
  return *this;
}

RecordFile::~RecordFile() { sqlite3_close(db_); }

// Random waits of 1 to 12 ms: many processes that wait for one file do not come back all at once.
int RecordFile::wait_a_little(void* self, int attempt) noexcept {
  auto* file = static_cast<RecordFile*>(self);
  const int64_t now = wall_clock();
  if (attempt == 0) file->deadline_ = now + static_cast<int64_t>(file->timeout_ms_) * 1'000'000;
  if (now >= file->deadline_) return 0;
  const int64_t wait = 1'000'000 + ((now / 64) ^ getpid() * INT64_C(7919)) % 1024 * 11'000;
  std::this_thread::sleep_for(std::chrono::nanoseconds(std::min(wait, file->deadline_ - now)));
  return 1;
}

Status RecordFile::failure(const char* doing) const {
  const int result = sqlite3_errcode(db_);
  if ((result & 0xff) == SQLITE_NOTADB) return error(Code::invalid_data, "{} is not a persistent cache: it is no SQLite database", path_);
  return error(code_of(result), "{}: {}: {}", path_, doing, sqlite3_errmsg(db_));
}

Status RecordFile::run(const char* doing, const char* sql) {
  return sqlite3_exec(db_, sql, nullptr, nullptr, nullptr) == SQLITE_OK ? Status() : failure(doing);
}

Status RecordFile::number(const char* sql, int64_t* out) {
  Statement statement(db_, sql);
  if (!statement.step()) return failure("reading its header");
  *out = statement.number(0);
  return {};
}

Status RecordFile::open(const std::string& path, Access access, int timeout_ms, RecordFile* out) {
  if (access == Access::write) ANYDIM_TRY(make_folder(path));
  struct stat facts {};
  if (stat(path.c_str(), &facts) != 0) {
    if (errno != ENOENT && errno != ENOTDIR) return system_error(errno, "{}", path);
    if (access != Access::write) return error(Code::not_found, "{}: there is no such file", path);
  } else if (!S_ISREG(facts.st_mode)) {
    return unimplemented("{} is no regular file", path);
  }
  RecordFile file;
  file.path_ = path;
  file.timeout_ms_ = timeout_ms;
  const bool immutable = access == Access::immutable;
  const int flags = SQLITE_OPEN_NOMUTEX | (immutable ? SQLITE_OPEN_READONLY | SQLITE_OPEN_URI : SQLITE_OPEN_READWRITE) |
                    (access == Access::write ? SQLITE_OPEN_CREATE : 0);
  const int result = sqlite3_open_v2(immutable ? address_of(path).c_str() : path.c_str(), &file.db_, flags, nullptr);
  if (file.db_ == nullptr) return error(Code::out_of_memory, "{}: no memory to open it", path);
  if (result != SQLITE_OK) return file.failure("opening");
  sqlite3_busy_handler(file.db_, wait_a_little, &file);
  sqlite3_db_config(file.db_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  if (access == Access::write && sqlite3_db_readonly(file.db_, "main") == 1)
    return error(Code::io_error, "{}: the file or its folder is read-only", path);
  // A file may say in its schema what to run: believe nothing. Deleted bytes are overwritten, so that no damage can bring
  // an old value back.
  ANYDIM_TRY(file.run("opening", "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON; PRAGMA secure_delete=ON; PRAGMA cache_size=-1024"));
  ANYDIM_TRY(file.run("opening", "PRAGMA synchronous=FULL; PRAGMA journal_mode=TRUNCATE"));
  ANYDIM_TRY(file.accept_or_create(access == Access::write));
  *out = std::move(file);
  return {};
}

Status RecordFile::accept_or_create(bool may_create) {
  const auto look = [this](int64_t* application, int64_t* revision, std::string* tables) -> Status {
    ANYDIM_TRY(number("PRAGMA application_id", application));
    ANYDIM_TRY(number("PRAGMA user_version", revision));
    Statement row(db_, "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name");
    tables->clear();
    while (row.step()) *tables += row.bytes(0) + ";";
    if (row.failed()) return failure("reading its tables");
    return {};
  };
  const std::string ours = formatted("{};{};", kRecordsTable, kUsesTable);
  int64_t application = 0, revision = 0;
  std::string tables;
  ANYDIM_TRY(look(&application, &revision, &tables));
  if (application == 0 && revision == 0 && tables.empty()) {
    if (!may_create) return error(Code::not_found, "{}: the file is empty", path_);
    ANYDIM_TRY(run("making its tables", "PRAGMA auto_vacuum=INCREMENTAL"));
    ANYDIM_TRY(run("making its tables", "BEGIN IMMEDIATE"));
    // Another process may have been first.
    Status made = look(&application, &revision, &tables);
    if (made.ok() && tables.empty())
      made = run("making its tables", formatted("{};{};PRAGMA application_id={};PRAGMA user_version={}", kRecordsTable, kUsesTable,
                                                kApplicationId, kRecordRevision)
                                          .c_str());
    if (made.ok()) made = run("making its tables", "COMMIT");
    if (!made.ok()) {
      sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
      return made;
    }
    ANYDIM_TRY(look(&application, &revision, &tables));
  }
  if (application == kApplicationId && revision == kRecordRevision && tables == ours) return {};
  // A newer form has another file name, so our tables under another number are a damaged header.
  if (tables == ours || (application == kApplicationId && revision <= kRecordRevision))
    return error(Code::invalid_data, "{}: its header is damaged (application_id {}, revision {})", path_, application, revision);
  if (application == kApplicationId)
    return unimplemented("{}: its form is revision {}; this library knows {}", path_, revision, kRecordRevision);
  return unimplemented("{}: another program's database (application_id {}); it is left alone", path_, application);
}

Status RecordFile::for_each(int64_t longest, const Visit& visit) {
  const std::string sql = formatted(
      "SELECT {}, length(value), CASE WHEN length(value) <= ?1 THEN value END FROM records LEFT JOIN uses ON uses.id = records.id",
      kColumns);
  Statement row(db_, sql);
  row.bind(1, longest);
  Record record;
  while (row.step()) {
    const int64_t size = row.number(7);
    const bool good = read_row(row, &record, size <= longest, 8);
    visit(record, size, good);
  }
  return row.failed() ? failure("reading its records") : Status();
}

Status RecordFile::read(RecordKind kind, std::string_view key, Record* out) {
  const std::string sql =
      formatted("SELECT {}, value FROM records LEFT JOIN uses ON uses.id = records.id WHERE kind = ?1 AND key = ?2", kColumns);
  Statement row(db_, sql);
  row.bind(1, static_cast<int64_t>(kind));
  row.bind_text(2, key);
  if (!row.step()) {
    if (row.failed()) return failure("reading a record");
    return error(Code::not_found, "{}: no {} has this key", path_, record_kind_name(kind));
  }
  Record record;
  if (!read_row(row, &record, true, 7) || record.kind != kind || record.key != key)
    return error(Code::invalid_data, "{}: record {} has a wrong checksum", path_, record.id);
  *out = std::move(record);
  return {};
}

Status RecordFile::apply(const Change& change, int64_t* evicted) {
  ANYDIM_TRY(run("writing records", "BEGIN IMMEDIATE"));
  const auto work = [&]() -> Status {
    const std::string by_id =
        formatted("SELECT {}, value FROM records LEFT JOIN uses ON uses.id = records.id WHERE records.id = ?1", kColumns);
    for (const int64_t id : change.remove) {
      // The number may be somebody else's by now: remove what is damaged, not what has the number.
      Statement row(db_, by_id);
      row.bind(1, id);
      Record record;
      const bool bad = row.step() && !read_row(row, &record, true, 7);
      if (row.failed()) return failure("reading a damaged record");
      if (!bad) continue;
      Statement remove(db_, "DELETE FROM records WHERE id = ?1");
      remove.bind(1, id);
      remove.step();
      if (remove.failed()) return failure("removing a damaged record");
    }
    const int64_t time = change.now - change.now % kRecencyStep;
    const auto note_use = [&](RecordKind kind, const std::string& key) -> Status {
      Statement note(db_, "INSERT OR REPLACE INTO uses SELECT id, ?3 FROM records WHERE kind = ?1 AND key = ?2");
      note.bind(1, static_cast<int64_t>(kind));
      note.bind_text(2, key);
      note.bind(3, time);
      note.step();
      return note.failed() ? failure("noting a use") : Status();
    };
    for (const Name& name : change.used) ANYDIM_TRY(note_use(name.kind, name.key));
    for (const Record& record : change.put) {
      const std::string checksum = record_checksum(record);
      Statement put(
          db_,
          "INSERT INTO records(kind, key, value, origin, created, checksum) VALUES(?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT(kind, key) "
          "DO UPDATE SET value = excluded.value, origin = excluded.origin, created = excluded.created, checksum = excluded.checksum");
      put.bind(1, static_cast<int64_t>(record.kind));
      put.bind_text(2, record.key);
      put.bind_blob(3, record.value);
      put.bind_text(4, record.origin);
      put.bind(5, record.created);
      put.bind_blob(6, checksum);
      put.step();
      if (put.failed()) return failure("writing a record");
      ANYDIM_TRY(note_use(record.kind, record.key));
    }
    return evict(change, evicted);
  };
  *evicted = 0;
  Status done = work();
  if (done.ok()) done = run("writing records", "COMMIT");
  if (!done.ok()) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
  return done;
}

Status RecordFile::evict(const Change& change, int64_t* evicted) {
  int64_t bytes = 0;
  ANYDIM_TRY(bytes_used(&bytes));
  if (bytes <= change.limit_bytes) return {};
  // An eighth more than needed, so that the next store need not evict again.
  while (bytes > change.limit_bytes - change.limit_bytes / 8) {
    std::vector<int64_t> oldest;
    {
      Statement row(db_,
                    "SELECT records.id FROM records LEFT JOIN uses ON uses.id = records.id ORDER BY ifnull(time, 0), records.id LIMIT 8");
      while (row.step()) oldest.push_back(row.number(0));
      if (row.failed()) return failure("looking for what to evict");
    }
    if (oldest.empty()) break;
    for (const int64_t id : oldest) {
      for (const char* sql : {"DELETE FROM records WHERE id = ?1", "DELETE FROM uses WHERE id = ?1"}) {
        Statement remove(db_, sql);
        remove.bind(1, id);
        remove.step();
        if (remove.failed()) return failure("evicting");
      }
      ++*evicted;
      ANYDIM_TRY(bytes_used(&bytes));
      if (bytes <= change.limit_bytes - change.limit_bytes / 8) break;
    }
  }
  return run("evicting", "DELETE FROM uses WHERE id NOT IN (SELECT id FROM records); PRAGMA incremental_vacuum");
}

Status RecordFile::clear(int kind, int64_t* removed) {
  ANYDIM_TRY(run("removing records", "BEGIN IMMEDIATE"));
  const auto work = [&]() -> Status {
    Statement remove(db_, "DELETE FROM records WHERE ?1 = 0 OR kind = ?1");
    remove.bind(1, kind);
    remove.step();
    if (remove.failed()) return failure("removing records");
    *removed = sqlite3_changes(db_);
    return run("removing records", "DELETE FROM uses WHERE id NOT IN (SELECT id FROM records); PRAGMA incremental_vacuum; COMMIT");
  };
  Status done = work();
  if (!done.ok()) sqlite3_exec(db_, "ROLLBACK", nullptr, nullptr, nullptr);
  return done;
}

Status RecordFile::bytes_used(int64_t* bytes) {
  int64_t pages = 0, unused = 0, size = 0;
  ANYDIM_TRY(number("PRAGMA page_count", &pages));
  ANYDIM_TRY(number("PRAGMA freelist_count", &unused));
  ANYDIM_TRY(number("PRAGMA page_size", &size));
  *bytes = (pages - unused) * size;
  return {};
}

Status RecordFile::check_structure(std::string* report) {
  Statement row(db_, "PRAGMA integrity_check(5)");
  report->clear();
  while (row.step()) *report += (report->empty() ? "" : "; ") + row.bytes(0);
  return row.failed() ? failure("checking its structure") : Status();
}

const char* record_files_absent() noexcept { return nullptr; }

Status put_aside(const std::string& path, bool* moved) {
  *moved = false;
  // One process at a time, by a lock on the folder: the second finds what the first has made and must not move that away.
  std::string folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const int lock = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (lock < 0) return write_error(errno, "{}", folder);
  const auto work = [&]() -> Status {
    if (flock(lock, LOCK_EX | LOCK_NB) != 0) return error(Code::busy, "{}: another process is replacing a damaged file", folder);
    {
      RecordFile file;
      Status sound = RecordFile::open(path, RecordFile::Access::read, 1000, &file);
      std::string report;
      if (sound.ok()) sound = file.check_structure(&report);
      if (sound.code() == Code::not_found || (sound.ok() && report == "ok")) return {};
      if (!sound.ok() && sound.code() != Code::invalid_data) return sound;
    }
    // The journal first: under the free name it would be rolled back into the new file.
    const std::string aside = path + ".damaged", journal = path + "-journal";
    for (const std::string& name : {aside, aside + "-journal"})
      if (struct stat facts{}; lstat(name.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
        return error(Code::io_error, "{} cannot be put aside: {} is no regular file", path, name);
    if (rename(journal.c_str(), (aside + "-journal").c_str()) != 0 && errno != ENOENT)
      return write_error(errno, "{} cannot be put aside", journal);
    if (rename(path.c_str(), aside.c_str()) != 0 && errno != ENOENT) return write_error(errno, "{} cannot be put aside", path);
    *moved = true;
    return {};
  };
  Status done = work();
  close(lock);
  return done;
}

}  // namespace anydim
