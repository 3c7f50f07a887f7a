// SPDX-License-Identifier: Apache-2.0
// Writing a file never harms what bears its name: links stay, devices and pipes stay, a failure leaves the old file.
#include "core/base/files/new_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace anydim {
namespace {

namespace fs = std::filesystem;

class NewFiles : public ::testing::Test {
 protected:
  NewFiles() {
    std::string name = (fs::temp_directory_path() / "anydim-new-file-XXXXXX").string();
    folder = ::mkdtemp(name.data());
    path = folder + "/file";
  }
  ~NewFiles() override { fs::remove_all(folder); }

  static Status save(const std::string& path, const std::string& bytes, NewFile::Into into = NewFile::Into::any) {
    NewFile file;
    ANYDIM_TRY(NewFile::create(path, into, &file));
    file.write(bytes.data(), bytes.size());
    return file.commit();
  }
  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void put(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }
  static mode_t mode_of(const std::string& path) {
    struct stat facts {};
    EXPECT_EQ(::lstat(path.c_str(), &facts), 0) << path;
    return facts.st_mode;
  }
  int files() const { return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator())); }
  static void refused(const Status& s, const std::string& word) {
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_NE(s.message().find(word), std::string::npos) << s.message();
  }

  std::string folder, path;
};

TEST_F(NewFiles, TakeAFreeNameAndReplaceAFileOfThatName) {
  ASSERT_TRUE(save(path, "one").ok());
  EXPECT_EQ(read(path), "one");
  EXPECT_EQ(mode_of(path) & 0022, 0u) << "others may not write";
  ASSERT_TRUE(save(path, "another").ok());
  EXPECT_EQ(read(path), "another");
  EXPECT_EQ(files(), 1);
  const std::string longest = folder + "/" + std::string(255, 'n');
  ASSERT_TRUE(save(longest, "one").ok()) << "the name of the partial file is short enough";
  EXPECT_EQ(read(longest), "one");
}

TEST_F(NewFiles, WhoHasTheOldFileOpenKeepsIt) {
  ASSERT_TRUE(save(path, "one").ok());
  std::ifstream old(path);
  ASSERT_TRUE(save(path, "two").ok());
  std::string text;
  old >> text;
  EXPECT_EQ(text, "one");
}

TEST_F(NewFiles, KeepThePermissionsAndTheOwnerOfWhatTheyReplace) {
  put(path, "one");
  for (const mode_t mode : {0600, 0640, 0664}) {
    ASSERT_EQ(::chmod(path.c_str(), mode), 0);
    ASSERT_TRUE(save(path, "two").ok());
    EXPECT_EQ(mode_of(path) & 07777, mode);
  }
  if (::geteuid() != 0) return;
  ASSERT_EQ(::chown(path.c_str(), 12345, 54321), 0);
  ASSERT_TRUE(save(path, "three").ok());
  struct stat facts {};
  ASSERT_EQ(::stat(path.c_str(), &facts), 0);
  EXPECT_EQ(facts.st_uid, 12345u);
  EXPECT_EQ(facts.st_gid, 54321u);
}

TEST_F(NewFiles, LeaveAFileAloneThatTheCallerMayNotWrite) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everything";
  put(path, "one");
  ASSERT_EQ(::chmod(path.c_str(), 0444), 0);
  EXPECT_EQ(save(path, "two").code(), Code::io_error);
  EXPECT_EQ(read(path), "one");
}

TEST_F(NewFiles, FollowLinksAndLeaveThem) {
  fs::create_directory(folder + "/inner");
  put(folder + "/inner/target", "one");
  fs::create_symlink("inner/target", folder + "/relative");
  fs::create_symlink(folder + "/relative", folder + "/absolute");
  fs::create_symlink("inner/new", folder + "/dangling");
  for (const char* link : {"/relative", "/absolute"}) {
    ASSERT_TRUE(save(folder + link, link).ok());
    EXPECT_EQ(read(folder + "/inner/target"), link);
    EXPECT_TRUE(fs::is_symlink(folder + link)) << link;
  }
  ASSERT_TRUE(save(folder + "/dangling", "made").ok());
  EXPECT_TRUE(fs::is_symlink(folder + "/dangling"));
  EXPECT_EQ(read(folder + "/inner/new"), "made");
  fs::create_symlink("loop", folder + "/loop");
  EXPECT_EQ(save(folder + "/loop", "x").code(), Code::io_error);
  EXPECT_TRUE(fs::is_symlink(folder + "/loop"));
  fs::create_symlink("inner", folder + "/to_folder");
  refused(save(folder + "/to_folder", "x"), "a folder");
}

TEST_F(NewFiles, AreWrittenIntoAPipeWhichStays) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const Status alone = save(path, "without a reader");
  EXPECT_EQ(alone.code(), Code::io_error);
  EXPECT_NE(alone.message().find("without a reader"), std::string::npos) << alone.message();
  const std::string bytes(1 << 20, 'b');  // more than a pipe holds
  std::string got;
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_EQ(::fcntl(reader, F_SETFL, 0), 0);
  Status s;
  std::thread writer([&] { s = save(path, bytes); });
  char buffer[4096];
  while (got.size() < bytes.size()) {
    const ssize_t n = ::read(reader, buffer, sizeof buffer);
    if (n > 0) got.append(buffer, static_cast<size_t>(n));
  }
  writer.join();
  ::close(reader);
  ASSERT_TRUE(s.ok()) << s.message();
  EXPECT_EQ(got, bytes);
  EXPECT_TRUE(S_ISFIFO(mode_of(path)));
  EXPECT_EQ(files(), 1);
  refused(save(path, "x", NewFile::Into::files), "a pipe");
}

TEST_F(NewFiles, WhoseReaderClosedEndWithAnErrorAndNoSignal) {
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  NewFile file;
  ASSERT_TRUE(NewFile::create(path, NewFile::Into::any, &file).ok());
  ::close(reader);
  file.write("x", 1);
  const Status s = file.commit();
  EXPECT_EQ(s.code(), Code::io_error);
  EXPECT_NE(s.message().find("Broken pipe"), std::string::npos) << s.message();
  EXPECT_TRUE(S_ISFIFO(mode_of(path)));
}

// The devices are made here, in a folder of the test's own.
TEST_F(NewFiles, AreWrittenIntoACharacterDeviceWhichStaysAndNotIntoABlockDevice) {
  const std::string null = folder + "/null", full = folder + "/full", block = folder + "/block";
  if (::mknod(null.c_str(), S_IFCHR | 0600, makedev(1, 3)) != 0 || ::mknod(full.c_str(), S_IFCHR | 0600, makedev(1, 7)) != 0 ||
      ::mknod(block.c_str(), S_IFBLK | 0600, makedev(7, 250)) != 0)
    GTEST_SKIP() << "this user may not make devices";
  if (const int fd = ::open(null.c_str(), O_WRONLY); fd < 0) GTEST_SKIP() << "devices cannot be opened in this folder";
  else ::close(fd);
  EXPECT_TRUE(save(null, "x").ok());
  EXPECT_TRUE(S_ISCHR(mode_of(null)));
  fs::create_symlink("null", folder + "/link");
  EXPECT_TRUE(save(folder + "/link", "x").ok());
  EXPECT_TRUE(S_ISCHR(mode_of(null)));
  refused(save(null, "x", NewFile::Into::files), "a character device");
  const Status s = save(full, "x");
  EXPECT_EQ(s.code(), Code::io_error);
  EXPECT_NE(s.message().find("No space left"), std::string::npos) << s.message();
  EXPECT_TRUE(S_ISCHR(mode_of(full)));
  refused(save(block, "x"), "a block device");
  EXPECT_TRUE(S_ISBLK(mode_of(block)));
  EXPECT_EQ(files(), 4);
}

TEST_F(NewFiles, RefuseFoldersSocketsAndNamesThatAreNone) {
  refused(save(folder, "x"), "a folder");
  refused(save(folder + "/", "x"), "name of a file");
  refused(save("", "x"), "name of a file");
  const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  refused(save(path, "x"), "a socket");
  ::close(made);
  EXPECT_TRUE(S_ISSOCK(mode_of(path)));
  EXPECT_EQ(save(folder + "/no/such", "x").code(), Code::io_error);
  // An open file that has lost its name.
  const std::string lost = folder + "/lost";
  const int fd = ::open(lost.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_EQ(::unlink(lost.c_str()), 0);
  refused(save("/proc/self/fd/" + std::to_string(fd), "x"), "no name");
  ::close(fd);
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFiles, ThatFailLeaveTheOldFileAndNothingBeside) {
  put(path, "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{4096, before.rlim_max};
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status s = save(path, std::string(10000, 'x')), fresh = save(folder + "/fresh", std::string(10000, 'x'));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(s.code(), Code::io_error);
  EXPECT_EQ(fresh.code(), Code::io_error);
  EXPECT_EQ(read(path), "old");
  EXPECT_EQ(files(), 1);
  {
    NewFile abandoned;
    ASSERT_TRUE(NewFile::create(path, NewFile::Into::any, &abandoned).ok());
    abandoned.write("half", 4);
  }
  EXPECT_EQ(read(path), "old");
  EXPECT_EQ(files(), 1);
}

TEST_F(NewFiles, DoNotReplaceWhatBecameAPipeMeanwhile) {
  put(path, "old");
  NewFile file;
  ASSERT_TRUE(NewFile::create(path, NewFile::Into::any, &file).ok());
  fs::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  refused(file.commit(), "a pipe now");
  EXPECT_TRUE(S_ISFIFO(mode_of(path)));
  EXPECT_EQ(files(), 1);
}

}  // namespace
}  // namespace anydim
