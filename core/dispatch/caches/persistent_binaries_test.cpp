// SPDX-License-Identifier: Apache-2.0
// The kernel cache over the persistent cache, on a device that is made up here: it compiles a program's name into a binary and loads
// what it compiled.
#include "core/dispatch/caches/persistent_binaries.h"
#include "core/dispatch/tuning/worker.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>

#include "core/base/testing/emulated.h"
#include "core/engines/kernel_cache.h"

namespace anydim {
namespace {

namespace fs = std::filesystem;
using Source = KernelCache::Source;

class Maker : public ProgramMaker {
 public:
  explicit Maker(std::string name, std::string driver = "1.0") : name_(std::move(name)), driver_(std::move(driver)) {}
  BinaryKey binary_key() override { return {"anydim-test", "opencl", "a device", driver_, "-O", name_}; }
  Status load(const std::string& binary, DeviceProgram* out) override {
    ++loads;
    if (refuses) return error(Code::invalid_data, "this driver takes no such binary");
    if (binary != binary_of()) return error(Code::internal, "a binary of something else");
    *out = program();
    return {};
  }
  Status compile(DeviceProgram* out, std::string* binary) override {
    ++compilations;
    if (wait) wait->wait();
    if (fails) return error(Code::unimplemented, "line 1: this device cannot");
    *out = program();
    if (!late) *binary = binary_of();
    return {};
  }
  LateBinary late_binary(const DeviceProgram&) override {
    if (!late) return {};
    return [binary = binary_of()] { return binary; };
  }
  std::atomic<int> loads{0}, compilations{0};
  bool refuses = false, fails = false, late = false;
  std::latch* wait = nullptr;

 private:
  DeviceProgram program() const { return {std::make_shared<const std::string>(name_), 1000}; }
  std::string binary_of() const { return std::string(100, 'b') + name_; }
  std::string name_, driver_;
};

class KernelCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "anydim-kernel-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    options_.folder = name;
  }
  void TearDown() override { fs::remove_all(options_.folder); }
  // Asks for the program `name`; where it came from, and that it is the right one.
  static Source request(KernelCache& cache, Maker& maker, const std::string& name) {
    DeviceProgram p;
    Source source = Source::memory;
    const Status s = cache.get(name, maker, &p, &source);
    EXPECT_TRUE(s.ok()) << s.message();
    EXPECT_TRUE(p.object && *static_cast<const std::string*>(p.object.get()) == name);
    return source;
  }
  PersistentCacheOptions options_;
};

TEST_F(KernelCacheTest, CompilesOnceAndServesFromMemoryAfterwards) {
  KernelCache cache(nullptr);
  Maker maker("k");
  EXPECT_EQ(request(cache, maker, "k"), Source::compiled);
  EXPECT_EQ(request(cache, maker, "k"), Source::memory);
  EXPECT_EQ(maker.compilations, 1);
  EXPECT_TRUE(cache.store_binaries().ok());
}

TEST_F(KernelCacheTest, LetsWhoWantsTheSameProgramWaitAndOthersGoOn) {
  KernelCache cache(nullptr);
  Maker slow("slow"), quick("quick");
  std::latch release(1);
  slow.wait = &release;
  std::atomic<int> waited{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t) threads.emplace_back([&] { waited += request(cache, slow, "slow") != Source::compiled; });
    while (slow.compilations == 0) std::this_thread::yield();
    EXPECT_EQ(request(cache, quick, "quick"), Source::compiled) << "while the other is being compiled";
    release.count_down();
  }
  EXPECT_EQ(slow.compilations, 1);
  EXPECT_EQ(waited, 7);
}

TEST_F(KernelCacheTest, LoadsInALaterProcessWhatAnEarlierOneCompiled) {
  {
    PersistentCache files(options_);
    PersistentBinaries binaries(&files);
    KernelCache cache(&binaries);
    Maker maker("k");
    EXPECT_EQ(request(cache, maker, "k"), Source::compiled);
    EXPECT_EQ(cache.statistics().waiting_bytes, 0) << "get() stores what was compiled";
  }
  PersistentCache files(options_);
  PersistentBinaries binaries(&files);
  KernelCache cache(&binaries);
  Maker maker("k"), other("k", "2.0");
  EXPECT_EQ(request(cache, maker, "k"), Source::binary);
  EXPECT_EQ(maker.compilations, 0);
  cache.clear();
  EXPECT_EQ(request(cache, other, "k"), Source::compiled) << "another driver has other programs";
}

TEST_F(KernelCacheTest, StoresABinaryThatIsAskedForLaterAndNotBefore) {
  {
    PersistentCache files(options_);
    PersistentBinaries binaries(&files);
    KernelCache cache(&binaries);
    Maker maker("k");
    maker.late = true;
    EXPECT_EQ(request(cache, maker, "k"), Source::compiled);
    std::string found;
    EXPECT_FALSE(binaries.read(maker.binary_key().text(), &found).ok());
    EXPECT_EQ(cache.late_binaries(), 1u);
    EXPECT_TRUE(cache.store_late_binary());
    EXPECT_TRUE(binaries.read(maker.binary_key().text(), &found).ok());
    EXPECT_FALSE(cache.store_late_binary()) << "there was one";
  }
  PersistentCache files(options_);
  PersistentBinaries binaries(&files);
  KernelCache cache(&binaries);
  Maker maker("k");
  EXPECT_EQ(request(cache, maker, "k"), Source::binary);
}

// Work of two pieces with a pause between them.
class TwoPieces final : public BinaryStore::Later {
 public:
  int next() const override {
    const int n = done.fetch_add(1);
    return n == 0 ? 1 : n == 1 ? 0 : -1;
  }
  mutable std::atomic<int> done{0};
};

TEST_F(KernelCacheTest, WhatCanWaitIsDoneByTheWorkerUnlessItsOwnerIsGone) {
  PersistentCache files(options_);
  PersistentBinaries binaries(&files);
  const auto work = std::make_shared<TwoPieces>();
  if (!binaries.later(work)) GTEST_SKIP() << "the worker is off";
  ASSERT_TRUE(Worker::instance().drain(-1));
  EXPECT_EQ(work->done, 3);
  EXPECT_TRUE(binaries.later(std::make_shared<TwoPieces>()));
  ASSERT_TRUE(Worker::instance().drain(-1));
}

std::vector<std::string>& announced() {
  static auto* const lines = new std::vector<std::string>;
  return *lines;
}

// The time is what compilations report: nothing here waits for it.
TEST_F(KernelCacheTest, ALineSaysThatProgramsAreCompiledWhenItHasTakenASecond) {
  KernelCache::announce_to([](const std::string& line) { announced().push_back(line); });
  KernelCache cache(nullptr);
  Maker quick("quick");
  request(cache, quick, "quick");
  const size_t before = announced().size();
  KernelCache::totals().compile_nanoseconds += INT64_C(1500000000);  // as if one had taken so long
  Maker other("other");
  request(cache, other, "other");
  KernelCache::announce_to(nullptr);
  ASSERT_EQ(announced().size(), before + 1);
  EXPECT_NE(announced().back().find("programs of a device were compiled in 1."), std::string::npos) << announced().back();
}

TEST_F(KernelCacheTest, ReadsLongBinariesFromTheFile) {
  options_.longest_in_memory = 50;
  {
    PersistentCache files(options_);
    PersistentBinaries binaries(&files);
    KernelCache cache(&binaries);
    Maker maker("k");
    request(cache, maker, "k");
  }
  PersistentCache files(options_);
  PersistentBinaries binaries(&files);
  KernelCache cache(&binaries);
  Maker maker("k");
  EXPECT_EQ(request(cache, maker, "k"), Source::binary);
}

// As while another process has the file.
class BusyStore final : public BinaryStore {
 public:
  Status read(std::string_view, std::string*) override { return error(Code::not_found, "none"); }
  Status store(std::span<const Pair> pairs) override {
    if (busy) return error(Code::io_error, "busy");
    for (const Pair& p : pairs) keys.push_back(p.key);
    return {};
  }
  bool busy = true;
  std::vector<std::string> keys;
};

TEST_F(KernelCacheTest, StoresWithTheNextProgramWhatFailedToBeStored) {
  BusyStore store;
  KernelCache cache(&store);
  Maker first("k"), second("l"), third("m");
  request(cache, first, "k");
  request(cache, second, "l");
  EXPECT_GT(cache.statistics().waiting_bytes, 0);
  store.busy = false;
  request(cache, third, "m");
  EXPECT_EQ(cache.statistics().waiting_bytes, 0);
  EXPECT_EQ(store.keys, (std::vector<std::string>{first.binary_key().text(), second.binary_key().text(), third.binary_key().text()}));
}

TEST_F(KernelCacheTest, CompilesWhatTheDriverDoesNotTakeAndStoresItAgain) {
  PersistentCache files(options_);
  ASSERT_TRUE(files.store(RecordKind::binary, Maker("k").binary_key().text(), "of an older driver that called itself the same").ok());
  PersistentBinaries binaries(&files);
  KernelCache cache(&binaries);
  Maker maker("k");
  EXPECT_EQ(request(cache, maker, "k"), Source::compiled);
  EXPECT_EQ(cache.statistics().refused, 1);
  cache.clear();
  EXPECT_EQ(request(cache, maker, "k"), Source::binary);
  EXPECT_EQ(maker.compilations, 1);
}

TEST_F(KernelCacheTest, CompilesWhereTheFileIsDamaged) {
  {
    PersistentCache files(options_);
    PersistentBinaries binaries(&files);
    KernelCache cache(&binaries);
    Maker maker("k");
    request(cache, maker, "k");
  }
  const std::string path = PersistentCache(options_).path();
  std::string bytes;
  {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  const size_t at = bytes.find("bbbbbbbb");
  ASSERT_NE(at, std::string::npos);
  bytes[at + 3] = 'c';
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  PersistentCache files(options_);
  PersistentBinaries binaries(&files);
  KernelCache cache(&binaries);
  Maker maker("k");
  EXPECT_EQ(request(cache, maker, "k"), Source::compiled);
  EXPECT_EQ(maker.loads, 0) << "the checksum is checked before the driver sees a binary";
}

TEST(BinaryKeyTest, IsReadableAndEqualOnlyIfEverythingIs) {
  EXPECT_EQ(BinaryKey({"s=1", "opencl", "d", "1;2%", "-O\n", "k"}).text(),
            "binary;source=s%3d1;engine=opencl;device=d;driver=1%3b2%25;options=-O%0a;kernel=k");
}

// A creator of the primitive cache, say: two of them that ask for one program compile it once.
TEST_F(KernelCacheTest, LetsCreatorsOfOtherCachesWait) {
  struct Hash {
    static uint64_t of(std::string_view key) noexcept { return key.size(); }
  };
  SingleFlightCache<int, Hash> outer(1000);
  KernelCache cache(nullptr);
  Maker slow("slow");
  std::latch release(1);
  slow.wait = &release;
  const auto create = [&](const std::string& key) {
    int value = 0;
    CacheHit hit;
    const Status s = outer.get(
        key,
        [&](int*, int64_t* bytes) {
          *bytes = 1;
          request(cache, slow, "slow");
          return Status();
        },
        &value, &hit);
    EXPECT_TRUE(s.ok());
  };
  {
    std::jthread first([&] { create("a"); });
    while (slow.compilations == 0) std::this_thread::yield();
    std::jthread second([&] { create("bb"); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // it compiles by itself now, if it does at all
    release.count_down();
  }
  EXPECT_EQ(slow.compilations, 1);
}

TEST_F(KernelCacheTest, GivesACompilersErrorToAllAndAsksAgainLater) {
  KernelCache cache(nullptr);
  Maker maker("k");
  maker.fails = true;
  DeviceProgram p;
  Source source;
  for (int i = 0; i < 2; ++i) {
    const Status s = cache.get("k", maker, &p, &source);
    EXPECT_EQ(s.code(), Code::unimplemented);
    EXPECT_NE(s.message().find("this device cannot"), std::string::npos);
  }
  EXPECT_EQ(maker.compilations, 2);
  maker.fails = false;
  EXPECT_EQ(request(cache, maker, "k"), Source::compiled);
}

TEST_F(KernelCacheTest, DropsTheLeastRecentlyUsedAndNeverWhatIsInUse) {
  KernelCache cache(nullptr, 4000);
  DeviceProgram first;
  Source source;
  Maker maker("p0");
  ASSERT_TRUE(cache.get("p0", maker, &first, &source).ok());
  const std::weak_ptr<const void> alive = first.object;
  for (int i = 1; i < 6; ++i) {
    Maker next("p" + std::to_string(i));
    request(cache, next, "p" + std::to_string(i));
  }
  EXPECT_LE(cache.statistics().programs.bytes, 4000);
  EXPECT_GT(cache.statistics().programs.evictions, 0);
  EXPECT_FALSE(alive.expired()) << "whoever holds a program keeps it";
  first = {};
  EXPECT_TRUE(alive.expired());
  EXPECT_EQ(request(cache, maker, "p0"), Source::compiled);
}

TEST_F(KernelCacheTest, IsEmptyAndWorksInAForkedChild) {
  KernelCache cache(nullptr);
  Maker maker("k");
  request(cache, maker, "k");
  cache.before_fork();
  const pid_t child = fork();
  if (child == 0) {
    cache.after_fork_in_child();
    _exit(request(cache, maker, "k") == Source::compiled ? 0 : 1);
  }
  cache.after_fork_in_parent();
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(request(cache, maker, "k"), Source::memory);
}

}  // namespace
}  // namespace anydim
