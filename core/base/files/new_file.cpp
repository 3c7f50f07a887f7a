// SPDX-License-Identifier: Apache-2.0
// Writing a file whole or not at all; see new_file.h.
#include "core/base/files/new_file.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <utility>

#include "core/base/files/system_error.h"

namespace anydim {
namespace {

namespace fs = std::filesystem;

// A pipe whose reader has gone is an error to report, not a signal that ends the process.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal() noexcept {
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    sigset_t pending;
    sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_, &saved_);
  }
  ~NoBrokenPipeSignal() {
    const timespec now{};
    if (!was_pending_)
      while (sigtimedwait(&pipe_, nullptr, &now) < 0 && errno == EINTR) {
      }
    pthread_sigmask(SIG_SETMASK, &saved_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  sigset_t pipe_, saved_;
  bool was_pending_ = false;
};

const char* kind_name(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISBLK(mode)) return "a block device";
  if (S_ISCHR(mode)) return "a character device";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "no regular file";
}

// Links of the last component followed one by one, for the last of them may lead to a file that is yet to be made. An errno.
int follow_links(const std::string& path, std::string* target) {
  constexpr int kMostLinks = 40;  // as the kernel counts
  fs::path at = path;
  for (int i = 0; i <= kMostLinks; ++i) {
    struct stat facts;
    if (::lstat(at.c_str(), &facts) != 0) {
      if (errno != ENOENT) return errno;
      facts.st_mode = S_IFREG;
    }
    if (!S_ISLNK(facts.st_mode)) {
      *target = at.string();
      return 0;
    }
    std::error_code wrong;
    const fs::path leads_to = fs::read_symlink(at, wrong);
    if (wrong) return wrong.value();
    at = at.parent_path() / leads_to;
  }
  return ELOOP;
}

std::string folder_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

// In the same folder, short enough for it, and nobody else's: a process of the same number may have died here and left its file.
std::string partial_name(const std::string& target) {
  constexpr size_t kLongest = 150;  // of the 255 bytes that a name may have
  static std::atomic<uint32_t> count{0};
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  const size_t slash = target.rfind('/');
  const size_t begin = slash == std::string::npos ? 0 : slash + 1;
  return formatted("{}.{}.{}.{}.{}.new", target.substr(0, begin + std::min(kLongest, target.size() - begin)), ::getpid(), count++,
                   now.tv_sec, now.tv_nsec);
}

// The new file gets what belongs to the old one. A group that cannot be kept must not leave its rights to another.
void take_over(int fd, const struct stat& old) noexcept {
  mode_t mode = old.st_mode & 0777;
  struct stat mine;
  if (::fstat(fd, &mine) != 0) return;
  if (mine.st_uid != old.st_uid && ::fchown(fd, old.st_uid, static_cast<gid_t>(-1)) != 0) errno = 0;
  if (mine.st_gid != old.st_gid && ::fchown(fd, static_cast<uid_t>(-1), old.st_gid) != 0) mode &= ~S_IRWXG | (mode & S_IRWXO) << 3;
  (void)::fchmod(fd, mode);
}

// A rename is on the disk when its folder is. Not all file systems can do that; the file is whole either way.
void flush_folder(const std::string& target) noexcept {
  const int fd = ::open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

NewFile::NewFile(NewFile&& o) noexcept { *this = std::move(o); }
NewFile& NewFile::operator=(NewFile&& o) noexcept {
  std::swap(path_, o.path_);
  std::swap(target_, o.target_);
  std::swap(partial_, o.partial_);
  std::swap(fd_, o.fd_);
  std::swap(failure_, o.failure_);
  return *this;
}

void NewFile::abandon() noexcept {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  if (!partial_.empty()) ::unlink(partial_.c_str());
  partial_.clear();
}

Status NewFile::create(const std::string& path, Into into, NewFile* out) {
  NewFile file;
  file.path_ = path;
  if (path.empty() || path.back() == '/') return invalid("cannot write '{}': expected the name of a file", path);
  if (const int why = follow_links(path, &file.target_)) return write_error(why, "cannot write '{}'", path);

  struct stat facts, named;
  if (::stat(path.c_str(), &facts) != 0) {
    if (errno != ENOENT) return write_error(errno, "cannot write '{}'", path);
    ANYDIM_TRY(file.make_partial());
  } else if (S_ISREG(facts.st_mode)) {
    // /proc/self/fd leads to files that have lost their name.
    if (::stat(file.target_.c_str(), &named) != 0 || named.st_dev != facts.st_dev || named.st_ino != facts.st_ino)
      return invalid("cannot write '{}': it leads to a file that has no name to replace", path);
    if (::faccessat(AT_FDCWD, file.target_.c_str(), W_OK, AT_EACCESS) != 0) return write_error(errno, "cannot write '{}'", path);
    ANYDIM_TRY(file.make_partial());
    take_over(file.fd_, facts);
  } else if (into == Into::any && (S_ISFIFO(facts.st_mode) || S_ISCHR(facts.st_mode))) {
    ANYDIM_TRY(file.open_through());
  } else {
    return invalid("cannot write '{}': it is {}; expected a file{}", path, kind_name(facts.st_mode),
                   into == Into::any ? ", a pipe or a character device" : "");
  }
  *out = std::move(file);
  return {};
}

Status NewFile::make_partial() {
  std::string name = partial_name(target_);
  struct stat facts;
  // Nobody else reads what is not whole yet; and permissions to come are those of the file that is replaced.
  const mode_t mode = ::stat(target_.c_str(), &facts) == 0 ? 0600 : 0644;
  fd_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
  if (fd_ < 0) return write_error(errno, "cannot write '{}' in its folder", path_);
  partial_ = std::move(name);
  return {};
}

Status NewFile::open_through() {
  // O_NONBLOCK: a pipe without a reader is refused at once. Bytes are then written as slowly as they are read.
  fd_ = ::open(path_.c_str(), O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd_ < 0 && errno == ENXIO) return error(Code::io_error, "cannot write '{}': it is a pipe or device without a reader", path_);
  if (fd_ < 0) return write_error(errno, "cannot write '{}'", path_);
  struct stat facts;
  if (::fstat(fd_, &facts) != 0 || !(S_ISFIFO(facts.st_mode) || S_ISCHR(facts.st_mode)))
    return invalid("cannot write '{}': it was replaced meanwhile", path_);
  const int flags = ::fcntl(fd_, F_GETFL);
  if (flags < 0 || ::fcntl(fd_, F_SETFL, flags & ~O_NONBLOCK) != 0) return write_error(errno, "cannot write '{}'", path_);
  return {};
}

void NewFile::write(const void* data, size_t bytes) noexcept {
  const NoBrokenPipeSignal no_signal;
  const char* from = static_cast<const char*>(data);
  while (bytes > 0 && failure_ == 0) {
    const ssize_t n = ::write(fd_, from, bytes);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      failure_ = n < 0 ? errno : ENOSPC;
      return;
    }
    from += n;
    bytes -= static_cast<size_t>(n);
  }
}

Status NewFile::commit(bool sync) {
  const bool through = partial_.empty();
  if (failure_ == 0 && !through && sync && ::fsync(fd_) != 0) failure_ = errno;
  if (::close(std::exchange(fd_, -1)) != 0 && failure_ == 0) failure_ = errno;
  struct stat facts;
  // Somebody may have put another kind of thing there since.
  if (failure_ == 0 && !through && ::lstat(target_.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode)) {
    abandon();
    return invalid("cannot write '{}': it is {} now; expected a file", path_, kind_name(facts.st_mode));
  }
  if (failure_ == 0 && !through && ::rename(partial_.c_str(), target_.c_str()) != 0) failure_ = errno;
  if (failure_ != 0) {
    abandon();
    return write_error(failure_, "cannot write '{}'", path_);
  }
  partial_.clear();
  if (!through && sync) flush_folder(target_);
  return {};
}

}  // namespace anydim
