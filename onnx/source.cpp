// SPDX-License-Identifier: Apache-2.0
// Mapping of model files and of external data, confined to the model's folder.
#include "onnx/source.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/system_error.h"

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
  void let_go(const void* begin, size_t bytes) const noexcept override {
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

}  // namespace

Result<Bytes> map_file(const std::string& path) {
  // O_NONBLOCK: a named pipe must not make loading wait; it is refused as not regular.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) return system_error(errno, "{}", shown(path));
  return map_descriptor(file.get(), shown(path), false);
}

Bytes lend(std::string_view bytes) { return {std::make_shared<const Caller>(), bytes}; }

Result<Bytes> ExternalData::read(std::string_view location, int64_t offset, int64_t length) {
  const std::string label = shown(location);
  if (!has_folder_) return error(Code::invalid_model, "external data '{}' needs a model that was loaded from a file", label);
  if (location.empty() || location.front() == '/' || location.find('\0') != std::string_view::npos ||
      location.find('\\') != std::string_view::npos)
    return error(Code::invalid_model, "external data location '{}' must be a relative path with '/'", label);

  auto found = mapped_.find(location);
  if (found == mapped_.end()) {
    // One component at a time, following no symbolic link, so that nothing outside the folder can be reached.
    Descriptor at(::open(folder_.empty() ? "." : folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (at.get() < 0) return system_error(errno, "folder {}", shown(folder_));
    std::string_view rest = location;
    while (!rest.empty()) {
      const size_t slash = rest.find('/');
      const std::string part(rest.substr(0, slash));
      const bool last = slash == std::string_view::npos;
      rest = last ? std::string_view{} : rest.substr(slash + 1);
      if (part.empty() || part == ".") continue;
      if (part == "..") return error(Code::invalid_model, "external data location '{}' leaves the model's folder by '..'", label);
      const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (last ? 0 : O_DIRECTORY);
      const int fd = ::openat(at.get(), part.c_str(), flags);
      const int why = errno;
      struct stat link;
      if (fd < 0 && (why == ELOOP || why == ENOTDIR) && ::fstatat(at.get(), part.c_str(), &link, AT_SYMLINK_NOFOLLOW) == 0 &&
          S_ISLNK(link.st_mode))
        return error(Code::invalid_model, "external data location '{}' leads over a symbolic link", label);
      if (fd < 0) return system_error(why, "external data '{}'", label);
      at.reset(fd);
    }
    Result<Bytes> mapped = map_descriptor(at.get(), label, true);
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
