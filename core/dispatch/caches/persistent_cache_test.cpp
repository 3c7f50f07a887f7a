// SPDX-License-Identifier: Apache-2.0
// The persistent cache by itself: what is found, what is a miss, what eviction takes, what becomes of bad files. Processes that
// are killed, full disks and flipped bytes are in tests/persistent_cache.
#include "core/dispatch/caches/persistent_cache.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "core/dispatch/caches/record_key.h"

namespace anydim {
namespace {

namespace fs = std::filesystem;

class PersistentCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (record_files_absent() != nullptr) GTEST_SKIP() << record_files_absent();
    std::string name = (fs::temp_directory_path() / "anydim-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    options_.folder = folder_ / "user" / "deep";
  }
  void TearDown() override {
    if (!folder_.empty()) fs::remove_all(folder_);
  }
  static std::string found(const PersistentCache& cache, const std::string& key, RecordKind kind = RecordKind::plan) {
    const auto value = cache.find(kind, key);
    return value ? *value : "(miss)";
  }
  fs::path file() const { return fs::path(options_.folder) / record_file_name(); }
  static std::string bytes_of(const fs::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static void write_bytes(const fs::path& path, const std::string& bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
  }
  fs::path folder_;
  PersistentCacheOptions options_;
};

TEST_F(PersistentCacheTest, MakingOneCreatesNothing) {
  PersistentCache cache(options_);
  EXPECT_EQ(found(cache, "k"), "(miss)");
  PersistentCache::Report report;
  EXPECT_TRUE(cache.verify(&report).ok());
  EXPECT_EQ(report.structure, "no file");
  int64_t removed = -1;
  EXPECT_TRUE(cache.clear(0, &removed).ok());
  EXPECT_EQ(removed, 0);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(PersistentCacheTest, AStoredValueIsFoundAtOnceAndByTheNextProcess) {
  {
    PersistentCache cache(options_);
    const Status stored = cache.store(RecordKind::plan, "k", "v");
    ASSERT_TRUE(stored.ok()) << stored.message();
    EXPECT_EQ(found(cache, "k"), "v");
    ASSERT_TRUE(cache.store(RecordKind::plan, "k", "better").ok());
    EXPECT_EQ(found(cache, "k"), "better");
  }
  PersistentCache next(options_);
  EXPECT_EQ(found(next, "k"), "better");
  EXPECT_EQ(found(next, "k", RecordKind::binary), "(miss)") << "kinds are apart";
  EXPECT_EQ(next.statistics().entries, 1);
  EXPECT_EQ(next.statistics().hits, 1);
  EXPECT_EQ(next.statistics().misses, 1);
  struct stat facts {};
  ASSERT_EQ(stat(options_.folder.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_mode & 0777, 0700u);
}

TEST_F(PersistentCacheTest, LongValuesStayInTheFileAndAreReadChecked) {
  const std::string program(100'000, 'p');
  PersistentCache cache(options_);
  ASSERT_TRUE(cache.store(RecordKind::binary, "b", "short").ok());
  ASSERT_TRUE(cache.store(RecordKind::binary, "b", program).ok());
  PersistentCache next(options_);
  for (PersistentCache* c : {&cache, &next}) {
    EXPECT_EQ(found(*c, "b", RecordKind::binary), "(miss)") << "an old value must not stay in memory";
    std::string value;
    ASSERT_TRUE(c->read(RecordKind::binary, "b", &value).ok());
    EXPECT_EQ(value, program);
    EXPECT_EQ(c->read(RecordKind::binary, "other", &value).code(), Code::not_found);
    EXPECT_EQ(value, program);
  }
}

TEST_F(PersistentCacheTest, KeysAndValuesMayHoldAnyBytes) {
  const std::string key("a\0b;\xff'", 6), value("\0\n\xfe", 3);
  PersistentCache cache(options_);
  ASSERT_TRUE(cache.store(RecordKind::plan, key, value).ok());
  ASSERT_TRUE(cache.store(RecordKind::plan, "", "").ok());
  PersistentCache next(options_);
  EXPECT_EQ(found(next, key), value);
  EXPECT_EQ(found(next, ""), "");
  EXPECT_EQ(found(next, std::string("a\0c", 3)), "(miss)");
}

TEST_F(PersistentCacheTest, ItStaysWithinItsBytesAndKeepsWhatWasUsed) {
  options_.limit_bytes = 256 << 10;
  {
    // An hour ago by its own clock: `often` is used since, the others are not.
    RecordFile records_file;
    ASSERT_TRUE(RecordFile::open(file(), RecordFile::Access::write, 100, &records_file).ok());
    std::vector<Record> records(20);
    for (size_t i = 0; i < records.size(); ++i)
      records[i].key = i == 0 ? "often" : "old " + std::to_string(i), records[i].value = std::string(3000, 'x');
    int64_t evicted = 0;
    ASSERT_TRUE(records_file.apply({records, {}, {}, options_.limit_bytes, time(nullptr) - 3 * kRecencyStep}, &evicted).ok());
    ASSERT_EQ(evicted, 0);
  }
  PersistentCache cache(options_);
  EXPECT_EQ(found(cache, "often").size(), 3000u);
  for (int i = 0; i < 45; ++i) {
    const Status stored = cache.store(RecordKind::plan, "new " + std::to_string(i), std::string(3000, 'y'));
    ASSERT_TRUE(stored.ok()) << stored.message();
    EXPECT_LE(static_cast<int64_t>(fs::file_size(file())), options_.limit_bytes);
  }
  EXPECT_GT(cache.statistics().evicted, 0);
  PersistentCache next(options_);
  EXPECT_EQ(found(next, "often").size(), 3000u) << "it was used after the old ones";
  EXPECT_EQ(found(next, "old 1"), "(miss)");
  EXPECT_EQ(found(next, "new 44").size(), 3000u);
  EXPECT_EQ(cache.store(RecordKind::binary, "k", std::string(200 << 10, 'z')).code(), Code::invalid_argument);
}

TEST_F(PersistentCacheTest, TheSystemsRecordsAreFoundUnderTheUsers) {
  PersistentCacheOptions shipped = options_;
  shipped.folder = folder_ / "system";
  {
    PersistentCache cache(shipped);
    ASSERT_TRUE(cache.store(RecordKind::plan, "both", "system").ok());
    ASSERT_TRUE(cache.store(RecordKind::plan, "shipped", "system").ok());
    ASSERT_TRUE(cache.store(RecordKind::binary, "long", std::string(9000, 's')).ok());
  }
  options_.system_folder = shipped.folder;
  const std::string before = bytes_of(fs::path(shipped.folder) / record_file_name());
  PersistentCache cache(options_);
  EXPECT_EQ(found(cache, "shipped"), "system");
  ASSERT_TRUE(cache.store(RecordKind::plan, "both", "user").ok());
  PersistentCache next(options_);
  EXPECT_EQ(found(next, "both"), "user");
  std::string value;
  EXPECT_TRUE(next.read(RecordKind::binary, "long", &value).ok());
  std::vector<PersistentCache::Listed> listed;
  ASSERT_TRUE(next.list(&listed).ok());
  EXPECT_EQ(listed.size(), 4u);
  EXPECT_EQ(bytes_of(fs::path(shipped.folder) / record_file_name()), before) << "nobody writes to the system's file";
}

TEST_F(PersistentCacheTest, ADamagedFileIsAMissAndTheNextStoreReplacesIt) {
  for (const char* content :
       {"not a database at all, but long enough to have a header of a hundred bytes: ...............................", "SQLite format 3"}) {
    fs::remove_all(options_.folder);
    write_bytes(file(), content);
    PersistentCache cache(options_);
    EXPECT_EQ(found(cache, "k"), "(miss)");
    EXPECT_EQ(cache.statistics().load_failures, 1);
    EXPECT_EQ(bytes_of(file()), content) << "reading changes nothing";
    const Status stored = cache.store(RecordKind::plan, "k", "v");
    ASSERT_TRUE(stored.ok()) << stored.message();
    EXPECT_EQ(cache.statistics().damaged_files, 1);
    EXPECT_EQ(bytes_of(file().string() + ".damaged"), content);
    EXPECT_EQ(found(PersistentCache(options_), "k"), "v");
  }
}

TEST_F(PersistentCacheTest, AnotherProgramsDatabaseIsLeftAlone) {
  // A database without our tables, made of an exported one with its application_id changed.
  {
    PersistentCache cache(options_);
    ASSERT_TRUE(cache.store(RecordKind::plan, "k", "v").ok());
  }
  std::string bytes = bytes_of(file());
  const size_t table = bytes.find("CREATE TABLE records");
  ASSERT_NE(table, std::string::npos);
  for (size_t at = bytes.find("checksum", table); at != std::string::npos; at = bytes.find("checksum", at + 1))
    bytes.replace(at, 8, "fingerpr");
  bytes.replace(68, 4, "Else");
  write_bytes(file(), bytes);
  PersistentCache cache(options_);
  EXPECT_EQ(found(cache, "k"), "(miss)");
  const Status stored = cache.store(RecordKind::plan, "k", "w");
  EXPECT_EQ(stored.code(), Code::unimplemented) << stored.message();
  EXPECT_EQ(cache.statistics().store_failures, 1);
  EXPECT_EQ(found(cache, "k"), "w") << "this process has it all the same";
  EXPECT_EQ(bytes_of(file()), bytes);
}

TEST_F(PersistentCacheTest, AFileOfANewerLibraryIsLeftAloneAndLiesBesideOurs) {
  {
    PersistentCache cache(options_);
    ASSERT_TRUE(cache.store(RecordKind::plan, "k", "v").ok());
  }
  // The newer form has another name; were it to come under ours, its tables distinguish it from damage.
  std::string newer = bytes_of(file());
  const size_t column = newer.find("origin TEXT");
  ASSERT_NE(column, std::string::npos);
  newer.replace(column, 6, "source");
  newer[63] = 2;  // user_version
  write_bytes(fs::path(options_.folder) / "cache-2.sqlite", newer);
  EXPECT_EQ(found(PersistentCache(options_), "k"), "v");
  write_bytes(file(), newer);
  PersistentCache cache(options_);
  EXPECT_EQ(found(cache, "k"), "(miss)");
  EXPECT_EQ(cache.store(RecordKind::plan, "k", "w").code(), Code::unimplemented);
  EXPECT_EQ(bytes_of(file()), newer);
}

TEST_F(PersistentCacheTest, APipeOrAFolderInPlaceOfTheFileBlocksNothing) {
  fs::create_directories(options_.folder);
  ASSERT_EQ(mkfifo(file().c_str(), 0600), 0);
  EXPECT_EQ(PersistentCache(options_).store(RecordKind::plan, "k", "v").code(), Code::unimplemented);
  fs::remove(file());
  fs::create_directories(file());
  EXPECT_EQ(PersistentCache(options_).store(RecordKind::plan, "k", "v").code(), Code::unimplemented);
}

TEST_F(PersistentCacheTest, AnExportKeepsLinksAndHarmsNothingThatIsNoFile) {
  PersistentCache cache(options_);
  ASSERT_TRUE(cache.store(RecordKind::plan, "a", "1").ok());
  const fs::path out = folder_ / "out", link = folder_ / "link", pipe = folder_ / "pipe";
  write_bytes(out, "old");
  fs::create_symlink("out", link);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  int64_t records = 0;
  const Status exported = cache.export_to(link, &records);
  ASSERT_TRUE(exported.ok()) << exported.message();
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_TRUE(bytes_of(out).starts_with("SQLite format 3"));
  EXPECT_EQ(cache.export_to(pipe, &records).code(), Code::invalid_argument);
  EXPECT_TRUE(fs::is_fifo(pipe));
  EXPECT_EQ(cache.export_to(folder_ / "no" / "such", &records).code(), Code::io_error);
  for (const auto& entry : fs::directory_iterator(folder_)) EXPECT_EQ(entry.path().string().find(".new"), std::string::npos) << entry;
}

TEST_F(PersistentCacheTest, ADamagedFileIsNotPutAsideOverAPipe) {
  write_bytes(file(), "no database, but long enough to have a header of a hundred bytes: ..........................................");
  const std::string aside = file().string() + ".damaged";
  ASSERT_EQ(mkfifo(aside.c_str(), 0600), 0);
  EXPECT_EQ(PersistentCache(options_).store(RecordKind::plan, "k", "v").code(), Code::io_error);
  EXPECT_TRUE(fs::is_fifo(aside));
}

TEST_F(PersistentCacheTest, AFileThatIsNoPersistentCacheIsCalledThat) {
  PersistentCache cache(options_);
  const fs::path text = folder_ / "text";
  write_bytes(text, std::string(5000, 't'));
  int64_t records = 0, damaged = 0;
  const Status s = cache.import_from(text, &records, &damaged);
  EXPECT_EQ(s.code(), Code::invalid_data);
  EXPECT_NE(s.message().find("text is not a persistent cache"), std::string::npos) << s.message();
  EXPECT_EQ(s.message().find("PRAGMA"), std::string::npos) << s.message();
}

TEST_F(PersistentCacheTest, ExportAndImportCarryRecordsAndNothingDamaged) {
  PersistentCache cache(options_);
  ASSERT_TRUE(cache.store(RecordKind::plan, "a", "1").ok());
  ASSERT_TRUE(cache.store(RecordKind::binary, "b", std::string(50'000, 'b')).ok());
  const std::string out = folder_ / "out.sqlite";
  int64_t records = 0, damaged = 0;
  const Status exported = cache.export_to(out, &records);
  ASSERT_TRUE(exported.ok()) << exported.message();
  EXPECT_EQ(records, 2);
  EXPECT_FALSE(fs::exists(out + "-journal"));
  PersistentCacheOptions other = options_;
  other.folder = folder_ / "other";
  PersistentCache into(other);
  ASSERT_TRUE(into.import_from(out, &records, &damaged).ok());
  EXPECT_EQ(records, 2);
  EXPECT_EQ(damaged, 0);
  EXPECT_EQ(found(into, "a"), "1");
  std::string value;
  EXPECT_TRUE(PersistentCache(other).read(RecordKind::binary, "b", &value).ok());
  EXPECT_EQ(cache.import_from(cache.path(), &records, &damaged).code(), Code::invalid_argument);
  EXPECT_EQ(cache.import_from(folder_ / "none", &records, &damaged).code(), Code::file_not_found);
  // A value with one bit changed stays behind.
  std::string bytes = bytes_of(out);
  bytes[bytes.find("bbbb") + 100] ^= 1;
  write_bytes(out, bytes);
  int64_t removed = 0;
  ASSERT_TRUE(into.clear(0, &removed).ok());
  EXPECT_EQ(removed, 2);
  ASSERT_TRUE(into.import_from(out, &records, &damaged).ok());
  EXPECT_EQ(records, 1);
  EXPECT_EQ(damaged, 1);
  PersistentCache::Report report;
  ASSERT_TRUE(into.verify(&report).ok());
  EXPECT_EQ(report.structure, "ok");
  EXPECT_EQ(report.damaged, 0);
}

TEST_F(PersistentCacheTest, ClearTakesOneKindOrAll) {
  PersistentCache cache(options_);
  ASSERT_TRUE(cache.store(RecordKind::plan, "k", "v").ok());
  ASSERT_TRUE(cache.store(RecordKind::binary, "k", "w").ok());
  int64_t removed = 0;
  ASSERT_TRUE(cache.clear(static_cast<int>(RecordKind::plan), &removed).ok());
  EXPECT_EQ(removed, 1);
  EXPECT_EQ(found(cache, "k"), "(miss)");
  EXPECT_EQ(found(PersistentCache(options_), "k", RecordKind::binary), "w");
  EXPECT_EQ(cache.clear(3, &removed).code(), Code::invalid_argument);
}

TEST_F(PersistentCacheTest, OffIsAMissAndAStatus) {
  options_.enabled = false;
  options_.off_because = "this test says so";
  PersistentCache cache(options_);
  EXPECT_EQ(found(cache, "k"), "(miss)");
  const Status stored = cache.store(RecordKind::plan, "k", "v");
  EXPECT_EQ(stored.code(), Code::unimplemented);
  EXPECT_NE(stored.message().find("this test says so"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(folder_));
}

TEST_F(PersistentCacheTest, ThreadsFindWhileOneStores) {
  PersistentCache cache(options_);
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  for (int t = 0; t < 4; ++t)
    readers.emplace_back([&] {
      while (!done.load())
        for (int i = 0; i < 20; ++i) {
          const auto value = cache.find(RecordKind::plan, std::to_string(i));
          EXPECT_TRUE(!value || *value == "value " + std::to_string(i));
        }
    });
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(cache.store(RecordKind::plan, std::to_string(i), "value " + std::to_string(i)).ok());
  done = true;
  for (auto& reader : readers) reader.join();
}

TEST_F(PersistentCacheTest, AForkedChildHasOneOfItsOwn) {
  setenv("ANYDIM_CACHE_DIR", options_.folder.c_str(), 1);
  PersistentCache& parent = persistent_cache();
  ASSERT_EQ(&parent, &persistent_cache());
  ASSERT_TRUE(parent.store(RecordKind::plan, "k", "v").ok());
  const pid_t child = fork();
  if (child == 0) {
    PersistentCache& mine = persistent_cache();
    const bool good = &mine != &parent && parent.store(RecordKind::plan, "x", "y").code() == Code::forked && found(mine, "k") == "v" &&
                      mine.store(RecordKind::plan, "child", "w").ok();
    _exit(good ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(found(PersistentCache(options_), "child"), "w");
  {
    const FileWork parent_is_writing;
    const pid_t second = fork();
    if (second == 0) _exit(persistent_cache().store(RecordKind::plan, "x", "y").code() == Code::unimplemented ? 0 : 1);
    waitpid(second, &status, 0);
    EXPECT_EQ(status, 0);
  }
  unsetenv("ANYDIM_CACHE_DIR");
}

TEST(RecordKeyTest, KeysAreReadableAndEqualOnlyIfEverythingIs) {
  const std::pair<std::string, std::string> engine[] = {{"l1d", "32768"}, {"l2", "1048576"}, {"l3", "16777216"}, {"cpu", "AMD EPYC 9B14"}};
  PlanKey key{"gemm_f32_avx512", "matmul f32>f32", 2, "matmul relu", "m:1..8", 2, engine};
  EXPECT_EQ(key.text(),
            "plan;kernel=gemm_f32_avx512;key=matmul f32>f32;revision=2;problem=matmul "
            "relu;dims=m:1..8;threads=2;l1d=32768;l2=1048576;l3=16777216;cpu=AMD "
            "EPYC 9B14");
  PlanKey other = key;
  other.problem = "matmul relu;dims=m:1..8";
  other.dims = "";
  EXPECT_NE(key.text(), other.text());
}

TEST(RecordChecksumTest, EveryPartOfARecordCounts) {
  Record record{RecordKind::plan, "key", "value", "origin", 7};
  const std::string sum = record_checksum(record);
  EXPECT_EQ(sum.size(), 16u);
  for (int part = 0; part < 6; ++part) {
    Record other = record;
    if (part == 0) other.kind = RecordKind::binary;
    if (part == 1) other.key = "kez";
    if (part == 2) other.value = "valuf";
    if (part == 3) other.origin = "";
    if (part == 4) other.created = 8;
    if (part == 5) other.key = "keyv", other.value = "alue";
    EXPECT_NE(record_checksum(other), sum) << part;
  }
}

}  // namespace
}  // namespace anydim
