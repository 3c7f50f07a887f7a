// SPDX-License-Identifier: Apache-2.0
// Writing a file of packed weights, and telling what weights were packed from; the layout is in weights_file_layout.h.
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <set>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/checked.h"
#include "core/dispatch/weights_file.h"
#include "core/dispatch/weights_file_layout.h"
#include "core/tensor/views.h"

namespace anydim {
namespace {

using namespace weights_file;

constexpr int64_t kPage = 4096;  // a file's size is a multiple of it

template <class T> void put(std::string* to, T value) { to->append(reinterpret_cast<const char*>(&value), sizeof value); }
void put_text(std::string* to, std::string_view text) {
  put(to, static_cast<uint32_t>(text.size()));
  to->append(text);
}

// What the file holds of a version, in order.
std::vector<Piece> pieces_of(const WeightsValues& values) {
  std::vector<Piece> pieces;
  if (values.packed.weights.data()) {
    pieces.push_back({values.packed.weights.data(), values.packed.weights.size()});
    pieces.push_back({values.packed.bias.data(), values.packed.bias.size()});
  }
  for (const AlignedBuffer& b : values.copies) pieces.push_back({b.data(), b.size()});
  return pieces;
}

std::string key_text(const Weights& weights, const WeightsSource& source) {
  std::string text(reinterpret_cast<const char*>(source.digest.data()), source.digest.size());
  put_text(&text, describe(weights.op()));
  put_text(&text, weights.format());
  put(&text, static_cast<uint32_t>(weights.types().size()));
  for (const TensorType& t : weights.types()) {
    put(&text, static_cast<int32_t>(t.dtype));
    put(&text, static_cast<int32_t>(t.dims.rank));
    for (const Dim d : t.dims) put(&text, d.number());
  }
  return text;
}

// An entry before the buffers of the file have their places.
struct NewEntry {
  std::string key;
  std::vector<Piece> pieces;
};
// The description, and by the way the place of each buffer in `offsets` and after the last the file's size.
std::string describe_file(std::span<const NewEntry> entries, std::vector<int64_t>* offsets) {
  size_t bytes = sizeof(uint32_t);
  for (const NewEntry& e : entries) bytes += e.key.size() + sizeof(uint32_t) + e.pieces.size() * 2 * sizeof(int64_t);
  int64_t at = static_cast<int64_t>(sizeof(Head) + bytes);
  std::string text;
  put(&text, static_cast<uint32_t>(entries.size()));
  for (const NewEntry& e : entries) {
    text += e.key;
    put(&text, static_cast<uint32_t>(e.pieces.size()));
    for (const Piece& p : e.pieces) {
      at = round_up(at, AlignedBuffer::kAlignment);
      put(&text, at);
      put(&text, p.bytes);
      offsets->push_back(at);
      at += p.bytes + AlignedBuffer::kTail;
    }
  }
  offsets->push_back(round_up(at, kPage));
  return text;
}

// A file that is written with its checksum as it goes and removed unless it is finished.
class NewFile {
 public:
  explicit NewFile(std::string path) : path_(std::move(path)) {
    fd_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    failure_ = fd_ < 0 ? errno : 0;
    XXH3_128bits_reset(&state_);
  }
  ~NewFile() {
    if (fd_ >= 0) ::close(fd_);
    if (fd_ >= 0 || made_) ::unlink(path_.c_str());
  }
  void write(const void* data, size_t bytes, bool counts = true) {
    if (counts) XXH3_128bits_update(&state_, data, bytes);
    write_at(data, bytes, at_);
    at_ += static_cast<int64_t>(bytes);
  }
  void fill_to(int64_t offset) {
    static constexpr char zeros[kPage] = {};
    while (at_ < offset) write(zeros, static_cast<size_t>(std::min(kPage, offset - at_)));
  }
  void write_checksum() {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_));
    write_at(canonical.digest, sizeof canonical.digest, offsetof(Head, checksum));
  }
  // Flushed, closed and under its name; an errno otherwise.
  int finish(const std::string& name) {
    made_ = fd_ >= 0;
    if (failure_ == 0 && ::fsync(fd_) != 0) failure_ = errno;
    if (fd_ >= 0 && ::close(fd_) != 0 && failure_ == 0) failure_ = errno;
    fd_ = -1;
    if (failure_ == 0 && ::rename(path_.c_str(), name.c_str()) != 0) failure_ = errno;
    if (failure_ == 0) made_ = false;
    return failure_;
  }

 private:
  void write_at(const void* data, size_t bytes, int64_t offset) {
    const char* from = static_cast<const char*>(data);
    while (bytes > 0 && failure_ == 0) {
      const ssize_t n = ::pwrite(fd_, from, bytes, offset);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) {
        failure_ = n < 0 ? errno : ENOSPC;
        return;
      }
      from += n;
      offset += n;
      bytes -= static_cast<size_t>(n);
    }
  }
  std::string path_;
  int fd_ = -1, failure_ = 0;
  bool made_ = false;  // closed, but not renamed
  int64_t at_ = 0;
  XXH3_state_t state_;
};

// A rename is on the disk when its folder is. Not all file systems can do that; the file is whole either way.
void flush_folder(const std::string& path) {
  const size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

// Why weights are not saved; empty if they can be.
std::string not_saved(const Weights& weights) {
  if (weights.types().empty() || weights.types()[0].dims.rank == 0) return "weights of rank 0 are not saved; expected rank 1 and more";
  for (const TensorType& t : weights.types())
    for (const Dim d : t.dims)
      if (d.number() < 1 || d.number() > kMostDim)
        return formatted("weights with a dim of {} are not saved; expected 1 to {}", d.number(), kMostDim);
  return {};
}

Status write_file(std::span<const NewEntry> entries, const std::string& path) {
  std::vector<int64_t> offsets;
  const std::string description = describe_file(entries, &offsets);
  Head head{{}, kRevision, kByteOrder, static_cast<uint64_t>(offsets.back()), description.size(), {}};
  std::memcpy(head.magic, kMagic, sizeof kMagic);

  // The time, too: a process of the same number may have died here and left its file.
  static std::atomic<int> count{0};
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME, &now);
  NewFile file(formatted("{}.{}.{}.{}.{}.new", path, ::getpid(), count++, now.tv_sec, now.tv_nsec));
  file.write(&head, offsetof(Head, checksum));
  file.write(head.checksum, sizeof head.checksum, false);
  file.write(description.data(), description.size());
  auto offset = offsets.begin();
  for (const NewEntry& e : entries)
    for (const Piece& p : e.pieces) {
      file.fill_to(*offset++);
      if (p.bytes > 0) file.write(p.data, static_cast<size_t>(p.bytes));
    }
  file.fill_to(*offset);
  file.write_checksum();
  if (const int code = file.finish(path)) return error(Code::io_error, "cannot write '{}': {}", path, std::strerror(code));
  flush_folder(path);
  return {};
}

}  // namespace

WeightsSource source_of(std::span<const TensorView> tensors) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  std::string types;
  put(&types, static_cast<uint32_t>(tensors.size()));
  for (const TensorView& t : tensors) {
    put(&types, static_cast<int32_t>(t.dtype));
    put(&types, static_cast<int32_t>(t.rank()));
    for (int a = 0; a < t.rank(); ++a) {
      put(&types, t.dims[a]);
      put(&types, t.strides[a]);
    }
  }
  XXH3_128bits_update(&state, types.data(), types.size());
  for (const TensorView& t : tensors)
    if (const int64_t bytes = t.count() * dtype_size(t.dtype); bytes > 0) XXH3_128bits_update(&state, t.data, static_cast<size_t>(bytes));
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
  WeightsSource source;
  std::memcpy(source.digest.data(), canonical.digest, sizeof canonical.digest);
  return source;
}

Status save_weights(const Weights& weights, const std::string& path) {
  if (const std::string why = not_saved(weights); !why.empty()) return unimplemented("{}", why);
  const HeldWeights held(&weights);
  const NewEntry entry{key_text(weights, {}), pieces_of(*held.values())};
  return write_file({&entry, 1}, path);
}

Status save_weights(std::span<const SavedWeights> all, const std::string& path) {
  std::vector<NewEntry> entries;
  std::set<std::string> keys;
  for (const SavedWeights& w : all) {
    if (!not_saved(*w.weights).empty()) continue;
    std::string key = key_text(*w.weights, w.source);
    if (!keys.insert(key).second) continue;
    entries.push_back({std::move(key), pieces_of(*HeldWeights(w.weights).values())});
  }
  return write_file(entries, path);
}

}  // namespace anydim
