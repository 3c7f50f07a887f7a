// SPDX-License-Identifier: Apache-2.0
// Mapping, checking and writing files with a head and a digest; see checked_file.h.
#include "core/base/files/checked_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/base/files/new_file.h"
#include "core/base/files/system_error.h"

namespace anydim {
namespace {

constexpr uint32_t kByteOrder = 0x01020304;
constexpr size_t kPage = 4096;

struct Head {
  char magic[8];
  uint32_t revision, byte_order;
  uint64_t file_bytes, description_bytes;
  DigestValue digest;
};
static_assert(sizeof(Head) == CheckedFile::kHead);

// Everything of the file but its digest.
DigestValue digest_of(const Head& head, const std::byte* behind, size_t bytes) {
  Digest digest;
  digest.append(&head, offsetof(Head, digest));
  digest.append(behind, bytes);
  return digest.value();
}

Status too_short(const CheckedFileKind& kind, const std::string& name, size_t bytes) {
  return error(kind.damaged, "'{}' has {} bytes; a {} has at least {}", name, bytes, kind.name, sizeof(Head));
}

}  // namespace

bool CheckedFile::is(const CheckedFileKind& kind, std::string_view bytes) noexcept {
  return bytes.substr(0, sizeof kind.magic) == std::string_view(kind.magic, sizeof kind.magic);
}

CheckedFile::~CheckedFile() {
  if (mapped_) ::munmap(data_, bytes_);
  else std::free(data_);
}

Status CheckedFile::open(const CheckedFileKind& kind, const std::string& path, std::shared_ptr<const CheckedFile>* out) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return system_error(errno, "cannot open '{}'", path);
  struct stat facts;
  Status status;
  std::shared_ptr<CheckedFile> file;
  if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    status = error(Code::io_error, "'{}' is not a regular file", path);
  } else if (facts.st_size < static_cast<off_t>(sizeof(Head))) {
    status = too_short(kind, path, static_cast<size_t>(facts.st_size));
  } else {
    const auto bytes = static_cast<size_t>(facts.st_size);
    // All of it is read at once: so many faults less.
    void* data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
    if (data == MAP_FAILED) status = system_error(errno, "cannot map '{}' ({} bytes)", path, bytes);
    else file.reset(new CheckedFile(static_cast<std::byte*>(data), bytes, true));
  }
  ::close(fd);
  ANYDIM_TRY(std::move(status));
  ANYDIM_TRY(file->check(kind, path));
  *out = std::move(file);
  return {};
}

Status CheckedFile::copy(const CheckedFileKind& kind, std::string_view bytes, const std::string& name,
                         std::shared_ptr<const CheckedFile>* out) {
  if (bytes.size() < sizeof(Head)) return too_short(kind, name, bytes.size());
  void* memory = nullptr;
  if (::posix_memalign(&memory, kPage, bytes.size()) != 0) return error(Code::out_of_memory, "no memory for {} bytes", bytes.size());
  std::memcpy(memory, bytes.data(), bytes.size());
  const std::shared_ptr<CheckedFile> file(new CheckedFile(static_cast<std::byte*>(memory), bytes.size(), false));
  ANYDIM_TRY(file->check(kind, name));
  *out = file;
  return {};
}

Status CheckedFile::check(const CheckedFileKind& kind, const std::string& name) {
  Head head;
  std::memcpy(&head, data_, sizeof head);
  if (std::memcmp(head.magic, kind.magic, sizeof head.magic) != 0)
    return error(kind.damaged, "'{}' is not a {}: it does not begin with {}", name, kind.name,
                 std::string_view(kind.magic, sizeof kind.magic));
  if (head.byte_order != kByteOrder || head.revision != kind.revision)
    return unimplemented("'{}' has revision {} of the format (byte order {:08x}); this library reads revision {} ({:08x}): {}", name,
                         head.revision, head.byte_order, kind.revision, kByteOrder, kind.remedy);
  if (head.file_bytes != bytes_)
    return error(kind.damaged, "'{}' has {} bytes; its head says {}: it is damaged", name, bytes_, head.file_bytes);
  if (digest_of(head, data_ + sizeof head, bytes_ - sizeof head) != head.digest)
    return error(kind.damaged, "the checksum of '{}' is wrong: it is damaged", name);
  if (head.description_bytes > bytes_ - sizeof head) return error(kind.damaged, "the description in '{}' makes no sense", name);
  description_ = static_cast<size_t>(head.description_bytes);
  return {};
}

Status write_checked_file(const CheckedFileKind& kind, std::string_view description, const std::function<void(const TakeBytes&)>& rest,
                          const std::string& path, bool sync) {
  static char zeros[kPage];  // never written; a constant would lie in the library
  Head head{{}, kind.revision, kByteOrder, 0, description.size(), {}};
  std::memcpy(head.magic, kind.magic, sizeof head.magic);
  NewFile file;
  ANYDIM_TRY(NewFile::create(path, NewFile::Into::any, &file));
  // Behind the head, in order.
  const auto emit = [&](const TakeBytes& take) {
    size_t at = sizeof head;
    const TakeBytes counted = [&](const void* data, size_t bytes) {
      if (bytes > 0) take(data, bytes);
      at += bytes;
    };
    counted(description.data(), description.size());
    rest(counted);
    counted(zeros, (kPage - at % kPage) % kPage);
    return at;
  };
  head.file_bytes = emit([](const void*, size_t) {});
  Digest digest;
  digest.append(&head, offsetof(Head, digest));
  emit([&](const void* data, size_t bytes) { digest.append(data, bytes); });
  head.digest = digest.value();
  file.write(&head, sizeof head);
  emit([&](const void* data, size_t bytes) { file.write(data, bytes); });
  return file.commit(sync);
}

}  // namespace anydim
