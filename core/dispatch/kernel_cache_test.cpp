// SPDX-License-Identifier: Apache-2.0
// The kernel cache on a device that is made up here: it compiles a program's name into a binary and loads what it compiled.
#include "core/dispatch/kernel_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <latch>
#include <thread>

namespace anydim {
namespace {

namespace fs = std::filesystem;
using Files = KernelCache::Files;
using Source = KernelCache::Source;

class Maker : public ProgramMaker {
 public:
  explicit Maker(std::string name, size_t binary_bytes = 100) : name_(std::move(name)), binary_bytes_(binary_bytes) {}
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
    *binary = binary_of();
    return {};
  }
  std::atomic<int> loads{0}, compilations{0};
  bool refuses = false, fails = false;
  std::latch* wait = nullptr;

 private:
  DeviceProgram program() const { return {std::make_shared<const std::string>(name_), 1000}; }
  std::string binary_of() const { return std::string(binary_bytes_, 'b') + name_; }
  std::string name_;
  size_t binary_bytes_;
};

BinaryKey key(const std::string& kernel, const std::string& driver = "1.0") {
  return {"anydim-test", "opencl", "a device", driver, "-O", kernel};
}

class KernelCacheTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "anydim-kernel-cache-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    options_.folder = name;
  }
  void TearDown() override { fs::remove_all(options_.folder); }
  // Asks for the program `name`; where it came from, and that it is the right one.
  static Source ask(KernelCache& cache, Maker& maker, const std::string& name, Files files = Files::index) {
    DeviceProgram p;
    Source source = Source::memory;
    const Status s = cache.get(key(name), maker, files, &p, &source);
    EXPECT_TRUE(s.ok()) << s.message();
    EXPECT_TRUE(p.object && *static_cast<const std::string*>(p.object.get()) == name);
    return source;
  }
  PersistentCacheOptions options_;
};

TEST_F(KernelCacheTest, CompilesOnceAndServesFromMemoryAfterwards) {
  KernelCache cache(nullptr);
  Maker maker("k");
  EXPECT_EQ(ask(cache, maker, "k"), Source::compiled);
  EXPECT_EQ(ask(cache, maker, "k"), Source::memory);
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
    for (int t = 0; t < 8; ++t) threads.emplace_back([&] { waited += ask(cache, slow, "slow") != Source::compiled; });
    while (slow.compilations == 0) std::this_thread::yield();
    EXPECT_EQ(ask(cache, quick, "quick"), Source::compiled) << "while the other is being compiled";
    release.count_down();
  }
  EXPECT_EQ(slow.compilations, 1);
  EXPECT_EQ(waited, 7);
}

TEST_F(KernelCacheTest, LoadsInALaterProcessWhatAnEarlierOneCompiled) {
  {
    PersistentCache files(options_);
    KernelCache cache(&files);
    Maker maker("k");
    EXPECT_EQ(ask(cache, maker, "k"), Source::compiled);
    EXPECT_TRUE(fs::is_empty(options_.folder)) << "get() touches no file";
    EXPECT_GT(cache.statistics().waiting_bytes, 0);
    ASSERT_TRUE(cache.store_binaries().ok());
    EXPECT_EQ(cache.statistics().waiting_bytes, 0);
  }
  PersistentCache files(options_);
  KernelCache cache(&files);
  Maker maker("k"), other("k");
  EXPECT_EQ(ask(cache, maker, "k"), Source::binary);
  EXPECT_EQ(maker.compilations, 0);
  DeviceProgram p;
  Source source;
  ASSERT_TRUE(cache.get(key("k", "2.0"), other, Files::index, &p, &source).ok());
  EXPECT_EQ(source, Source::compiled) << "another driver has other programs";
}

TEST_F(KernelCacheTest, LeavesLongBinariesInTheFileToWhoMayReadIt) {
  options_.longest_in_memory = 50;
  {
    PersistentCache files(options_);
    KernelCache cache(&files);
    Maker maker("k");
    ask(cache, maker, "k");
    ASSERT_TRUE(cache.store_binaries().ok());
  }
  PersistentCache files(options_);
  KernelCache cache(&files);
  Maker maker("k");
  EXPECT_EQ(ask(cache, maker, "k", Files::index), Source::compiled);
  cache.clear();
  EXPECT_EQ(ask(cache, maker, "k", Files::read), Source::binary);
}

TEST_F(KernelCacheTest, CompilesWhatTheDriverDoesNotTakeAndStoresItAnew) {
  PersistentCache files(options_);
  ASSERT_TRUE(files.store(RecordKind::binary, key("k").text(), "of an older driver that called itself the same").ok());
  KernelCache cache(&files);
  Maker maker("k");
  EXPECT_EQ(ask(cache, maker, "k"), Source::compiled);
  EXPECT_EQ(cache.statistics().refused, 1);
  ASSERT_TRUE(cache.store_binaries().ok());
  cache.clear();
  EXPECT_EQ(ask(cache, maker, "k"), Source::binary);
  EXPECT_EQ(maker.compilations, 1);
}

TEST_F(KernelCacheTest, CompilesWhereTheFileIsDamaged) {
  {
    PersistentCache files(options_);
    KernelCache cache(&files);
    Maker maker("k");
    ask(cache, maker, "k");
    ASSERT_TRUE(cache.store_binaries().ok());
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
  KernelCache cache(&files);
  Maker maker("k");
  EXPECT_EQ(ask(cache, maker, "k", Files::read), Source::compiled);
  EXPECT_EQ(maker.loads, 0) << "the checksum is checked before the driver sees a binary";
}

TEST_F(KernelCacheTest, GivesACompilersErrorToAllAndAsksAgainLater) {
  KernelCache cache(nullptr);
  Maker maker("k");
  maker.fails = true;
  DeviceProgram p;
  Source source;
  for (int i = 0; i < 2; ++i) {
    const Status s = cache.get(key("k"), maker, Files::index, &p, &source);
    EXPECT_EQ(s.code(), Code::unimplemented);
    EXPECT_NE(s.message().find("this device cannot"), std::string::npos);
  }
  EXPECT_EQ(maker.compilations, 2);
  maker.fails = false;
  EXPECT_EQ(ask(cache, maker, "k"), Source::compiled);
}

TEST_F(KernelCacheTest, DropsTheLeastRecentlyUsedAndNeverWhatIsInUse) {
  KernelCache cache(nullptr, 4000);
  DeviceProgram first;
  Source source;
  Maker maker("p0");
  ASSERT_TRUE(cache.get(key("p0"), maker, Files::index, &first, &source).ok());
  const std::weak_ptr<const void> alive = first.object;
  for (int i = 1; i < 6; ++i) {
    Maker next("p" + std::to_string(i));
    ask(cache, next, "p" + std::to_string(i));
  }
  EXPECT_LE(cache.statistics().programs.bytes, 4000);
  EXPECT_GT(cache.statistics().programs.evictions, 0);
  EXPECT_FALSE(alive.expired()) << "whoever holds a program keeps it";
  first = {};
  EXPECT_TRUE(alive.expired());
  EXPECT_EQ(ask(cache, maker, "p0"), Source::compiled);
}

TEST_F(KernelCacheTest, IsEmptyAndWorksInAForkedChild) {
  KernelCache cache(nullptr);
  Maker maker("k");
  ask(cache, maker, "k");
  cache.before_fork();
  const pid_t child = fork();
  if (child == 0) {
    cache.after_fork_in_child();
    _exit(ask(cache, maker, "k") == Source::compiled ? 0 : 1);
  }
  cache.after_fork_in_parent();
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(ask(cache, maker, "k"), Source::memory);
}

}  // namespace
}  // namespace anydim
