// SPDX-License-Identifier: Apache-2.0
// Mapping of model files and of external data, confined to the model's folders.
#include "onnx/format/source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <span>

#include "core/base/files/system_error.h"

namespace anydim::onnx {
namespace {

// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) noexcept : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  void reset(int fd) noexcept {
    if (fd_ >= 0) ::close(fd_);
    fd_ = fd;
  }
  int get() const noexcept { return fd_; }

 private:
  int fd_;
};

// A mapped file, whose pages go and come back from the file whenever they are wanted.
class MappedFile final : public Lender {
 public:
  MappedFile(void* at, size_t size, bool stays) noexcept : at_(static_cast<char*>(at)), size_(size), stays_(stays) {}
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override { ::munmap(at_, size_); }
  bool stays() const noexcept override { return stays_; }
  // The pages that the range touches: neighbours who still need one read it from the file again.
  void discard(const void* begin, size_t bytes) const noexcept override {
    static const auto page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
    const auto from = static_cast<size_t>(static_cast<const char*>(begin) - at_) / page * page;
    const size_t to = std::min(size_, (static_cast<size_t>(static_cast<const char*>(begin) - at_) + bytes + page - 1) / page * page);
    if (from < to) ::madvise(at_ + from, to - from, MADV_DONTNEED);
  }

 private:
  char* at_;
  size_t size_;
  bool stays_;
};

class Caller final : public Lender {};

Result<Bytes> map_descriptor(int fd, std::string_view path, bool stays) {
  struct stat info;
  if (::fstat(fd, &info) != 0) return system_error(errno, "{}", path);
  if (!S_ISREG(info.st_mode)) return error(Code::io_error, "{} is not a regular file", path);
  const auto size = static_cast<size_t>(info.st_size);
  if (size == 0) return Bytes{};
  void* at = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
  if (at == MAP_FAILED) return system_error(errno, "mapping {} ({} bytes)", path, size);
  Bytes bytes;
  bytes.lender = std::make_shared<const MappedFile>(at, size, stays);
  bytes.view = {static_cast<const char*>(at), size};
  return bytes;
}

// Where an open file really lies, over no link; empty where the system does not report.
std::string real_path(int fd) {
  std::string path(PATH_MAX, '\0');
  const ssize_t size = ::readlink(formatted("/proc/self/fd/{}", fd).c_str(), path.data(), path.size());
  path.resize(size > 0 && size < PATH_MAX ? static_cast<size_t>(size) : 0);
  return path.empty() || path.front() != '/' ? std::string() : path;
}

bool lies_in(const std::string& path, const std::string& folder) {
  if (folder.empty() || path.empty()) return false;
  if (folder == "/") return true;
  return path.size() > folder.size() && path.compare(0, folder.size(), folder) == 0 && path[folder.size()] == '/';
}

constexpr int kRead = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  // a named pipe must not make loading wait

// Opens `rest`, which begins with a symbolic link, at the folder `at`. What it leads to is looked at before it is opened for reading,
// and then that very file is opened, whatever becomes of the links meanwhile.
Status open_link(int at, const std::string& rest, std::span<const std::string> folders, const std::string& label, Descriptor* out) {
  const Descriptor found(::openat(at, rest.c_str(), O_PATH | O_CLOEXEC));
  if (found.get() < 0) return system_error(errno, "external data '{}'", label);
  const std::string real = real_path(found.get());
  if (real.empty())
    return unimplemented("external data '{}' leads over a symbolic link, and its target is unknown: /proc is missing", label);
  if (std::none_of(folders.begin(), folders.end(), [&](const std::string& f) { return lies_in(real, f); }))
    return error(Code::invalid_model, "external data location '{}' leads over a symbolic link to a file outside the model's folder", label);
  struct stat info;
  if (::fstat(found.get(), &info) != 0) return system_error(errno, "external data '{}'", label);
  if (!S_ISREG(info.st_mode)) return error(Code::io_error, "external data '{}' is not a regular file", label);
  out->reset(::open(formatted("/proc/self/fd/{}", found.get()).c_str(), kRead));
  return out->get() < 0 ? system_error(errno, "external data '{}'", label) : Status();
}

}  // namespace

Result<Bytes> map_file(const std::string& path, std::string* real_folder) {
  const Descriptor file(::open(path.c_str(), kRead));
  if (file.get() < 0) return system_error(errno, "{}", shown(path));
  if (real_folder != nullptr) {
    *real_folder = real_path(file.get());
    if (const size_t slash = real_folder->find_last_of('/'); slash != std::string::npos) real_folder->resize(std::max<size_t>(slash, 1));
  }
  return map_descriptor(file.get(), shown(path), false);
}

Bytes lend(std::string_view bytes) { return {std::make_shared<const Caller>(), bytes}; }

// One component at a time, following no symbolic link; from the first link on what it leads to is asked.
Result<Bytes> ExternalData::map(std::string_view location) const {
  const std::string label = shown(location);
  Status first;
  for (const std::string& folder : {folder_.empty() ? std::string(".") : folder_, real_folder_}) {
    if (folder.empty()) break;
    Descriptor at(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (at.get() < 0) return system_error(errno, "folder {}", shown(folder));
    const std::string folders[] = {real_path(at.get()), real_folder_};
    Status failed;
    for (std::string_view rest = location; !rest.empty() && failed.ok();) {
      const size_t slash = rest.find('/');
      const bool last = slash == std::string_view::npos;
      const std::string part(rest.substr(0, slash)), all(rest);
      rest = last ? std::string_view{} : rest.substr(slash + 1);
      if (part.empty() || part == ".") continue;
      const int fd = ::openat(at.get(), part.c_str(), kRead | O_NOFOLLOW | (last ? 0 : O_DIRECTORY));
      const int why = errno;
      struct stat link;
      if (fd >= 0) {
        at.reset(fd);
      } else if ((why == ELOOP || why == ENOTDIR) && ::fstatat(at.get(), part.c_str(), &link, AT_SYMLINK_NOFOLLOW) == 0 &&
                 S_ISLNK(link.st_mode)) {
        const int start = ::fcntl(at.get(), F_DUPFD_CLOEXEC, 0);
        const Descriptor from(start);
        failed = start < 0 ? system_error(errno, "external data '{}'", label) : open_link(start, all, folders, label, &at);
        rest = {};
      } else {
        failed = system_error(why, "external data '{}'", label);
      }
    }
    if (failed.ok()) return map_descriptor(at.get(), label, true);
    // What is not beside the link may be beside the file that it leads to.
    if (failed.code() != Code::file_not_found) return failed;
    if (first.ok()) first = std::move(failed);
  }
  return first;
}

Result<Bytes> ExternalData::read(std::string_view location, int64_t offset, int64_t length) {
  const std::string label = shown(location);
  if (!has_folder_)
    return error(Code::invalid_model, "external data '{}' is in no known folder: load the model from a file, or set external_data_folder",
                 label);
  if (location.empty() || location.front() == '/' || location.find('\0') != std::string_view::npos ||
      location.find('\\') != std::string_view::npos)
    return error(Code::invalid_model, "external data location '{}' must be a relative path with '/'", label);
  for (size_t begin = 0; begin <= location.size();) {
    const size_t end = std::min(location.find('/', begin), location.size());
    if (location.substr(begin, end - begin) == "..")
      return error(Code::invalid_model, "external data location '{}' leaves the model's folder by '..'", label);
    begin = end + 1;
  }

  auto found = mapped_.find(location);
  if (found == mapped_.end()) {
    Result<Bytes> mapped = map(location);
    if (!mapped.ok()) return std::move(mapped.status()).at("external data");
    found = mapped_.emplace(std::string(location), *std::move(mapped)).first;
  }
  const Bytes& file = found->second;
  const auto size = static_cast<int64_t>(file.view.size());
  if (offset < 0 || offset > size)
    return error(Code::invalid_model, "external data '{}': offset {} is outside the file's {} bytes", label, offset, size);
  if (length < 0) length = size - offset;
  if (length > size - offset)
    return error(Code::invalid_model, "external data '{}': {} bytes at offset {} end outside the file's {} bytes", label, length, offset,
                 size);
  return Bytes{file.lender, file.view.substr(static_cast<size_t>(offset), static_cast<size_t>(length))};
}

}  // namespace anydim::onnx
