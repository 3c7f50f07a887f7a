// SPDX-License-Identifier: Apache-2.0
// The file of packed weights; see weights_file.h. Numbers are little-endian (a big-endian machine refuses the file):
//
//   0    "ANYDIMWT"
//   8    u32 revision of this layout, u32 0x01020304
//   16   u64 bytes of the file
//   24   u64 bytes of the description that follows the head
//   32   XXH3 (128 bits, canonical) of all bytes but these 16
//   48   description: u32 number of entries, each
//          16 bytes: what the values are, see WeightsSource; zeros in a file of single weights
//          operator as text, packed form as text (u32 length and bytes each)
//          u32 number of tensors, each i32 dtype, i32 rank, i64 dims
//          u32 number of buffers, each i64 offset, i64 bytes (weights, bias; or the tensors as they are)
//   then the buffers, each at a multiple of a cache line and followed by the padding that kernels may read
// Revision 1 had one entry, without the number of entries and without the 16 bytes; it is read, too.
#include "core/dispatch/weights_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
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
#include "core/tensor/views.h"

namespace anydim {

namespace {

constexpr char kMagic[8] = {'A', 'N', 'Y', 'D', 'I', 'M', 'W', 'T'};
constexpr uint32_t kRevision = 2, kOldest = 1, kByteOrder = 0x01020304;
constexpr int64_t kPage = 4096;  // a file's size is a multiple of it
constexpr int64_t kMostDim = INT64_C(1) << 31;
constexpr uint32_t kMostTensors = 64;

struct Head {
  char magic[8];
  uint32_t revision, byte_order;
  uint64_t file_bytes, description_bytes;
  unsigned char checksum[16];
};
static_assert(sizeof(Head) == 48);

void checksum_of(const std::byte* file, size_t bytes, unsigned char out[16]) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, file, offsetof(Head, checksum));
  XXH3_128bits_update(&state, file + sizeof(Head), bytes - sizeof(Head));
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
  std::memcpy(out, canonical.digest, sizeof canonical.digest);
}

std::string system_error(int code) { return std::strerror(code); }

// -- writing ----------------------------------------------------------------------------------------------------------

template <class T> void put(std::string* to, T value) { to->append(reinterpret_cast<const char*>(&value), sizeof value); }
void put_text(std::string* to, std::string_view text) {
  put(to, static_cast<uint32_t>(text.size()));
  to->append(text);
}

struct Piece {
  const std::byte* data;
  int64_t bytes;
};
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

// -- reading ----------------------------------------------------------------------------------------------------------

class MappedFile {
 public:
  MappedFile(void* data, size_t bytes) : data_(data), bytes_(bytes) {}
  ~MappedFile() { ::munmap(data_, bytes_); }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(data_); }
  size_t bytes() const { return bytes_; }

 private:
  void* data_;
  size_t bytes_;
};

Status map_file(const std::string& path, std::shared_ptr<const MappedFile>* out) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int code = errno;
    return error(code == ENOENT ? Code::not_found : Code::io_error, "cannot open '{}': {}", path, system_error(code));
  }
  struct stat facts;
  Status status;
  if (::fstat(fd, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    status = error(Code::io_error, "'{}' is not a regular file", path);
  } else if (facts.st_size < static_cast<off_t>(sizeof(Head))) {
    status = error(Code::io_error, "'{}' has {} bytes; a file of packed weights has at least {}", path, facts.st_size, sizeof(Head));
  } else {
    const auto bytes = static_cast<size_t>(facts.st_size);
    void* data = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, fd, 0);
    if (data == MAP_FAILED) {
      status = error(Code::io_error, "cannot map '{}': {}", path, system_error(errno));
    } else {
      *out = std::make_shared<const MappedFile>(data, bytes);
    }
  }
  ::close(fd);
  return status;
}

// Reads numbers and texts off the description; after the first that does not fit, nothing more.
class Reader {
 public:
  Reader(const std::byte* at, size_t bytes) : at_(at), left_(bytes) {}
  template <class T> T number() {
    T value{};
    if (take(sizeof value)) std::memcpy(&value, at_ - sizeof value, sizeof value);
    return value;
  }
  std::string_view text() {
    const auto length = number<uint32_t>();
    if (!take(length)) return {};
    return {reinterpret_cast<const char*>(at_ - length), length};
  }
  bool fits() const { return fits_; }
  bool at_end() const { return fits_ && left_ == 0; }

 private:
  bool take(size_t bytes) {
    fits_ = fits_ && bytes <= left_;
    if (!fits_) return false;
    at_ += bytes;
    left_ -= bytes;
    return true;
  }
  const std::byte* at_;
  size_t left_;
  bool fits_ = true;
};

}  // namespace

struct MappedWeights::Entry {
  WeightsSource source;
  std::string_view op, format;
  std::vector<TensorView> tensors;  // without data
  std::vector<Piece> pieces;
};

namespace {

using Entry = MappedWeights::Entry;

// Everything is checked here that memory safety rests on: a checksum can be right by intent.
bool read_entry(const MappedFile& file, uint32_t revision, Reader* read, Entry* e) {
  const auto file_bytes = static_cast<int64_t>(file.bytes());
  if (revision > kOldest) e->source.digest = read->number<decltype(e->source.digest)>();
  e->op = read->text();
  e->format = read->text();
  const auto tensors = read->number<uint32_t>();
  if (!read->fits() || tensors > kMostTensors) return false;
  for (uint32_t i = 0; i < tensors; ++i) {
    TensorView t;
    const auto dtype = read->number<int32_t>(), rank = read->number<int32_t>();
    if (!read->fits() || rank < 0 || rank > kMaxRank || dtype < 0 || dtype > 255) return false;
    t.dtype = static_cast<DType>(dtype);
    if (t.dtype == DType::none ? rank != 0 : dtype_size(t.dtype) == 0) return false;
    if (i == 0 && rank == 0) return false;
    int64_t bytes = dtype_size(t.dtype);
    for (int a = 0; a < rank; ++a) {
      const auto dim = read->number<int64_t>();
      if (dim < 1 || dim > kMostDim) return false;
      t.dims.push_back(dim);
      bytes = saturating_mul(bytes, dim);
    }
    // A packed form is never smaller than its tensor, so that no size below can be too large for its type.
    if (bytes > file_bytes) return false;
    t.strides = dense_strides(t.dims);
    e->tensors.push_back(t);
  }
  const auto pieces = read->number<uint32_t>();
  if (!read->fits() || pieces > kMostTensors) return false;
  for (uint32_t i = 0; i < pieces; ++i) {
    const auto offset = read->number<int64_t>(), bytes = read->number<int64_t>();
    if (!read->fits() || offset < 0 || offset % AlignedBuffer::kAlignment != 0 || bytes < 0 || bytes > file_bytes ||
        offset > file_bytes - bytes - AlignedBuffer::kTail)
      return false;
    e->pieces.push_back({file.data() + offset, bytes});
  }
  return true;
}

bool read_description(const MappedFile& file, const Head& head, std::vector<Entry>* entries) {
  if (head.description_bytes > file.bytes() - sizeof(Head)) return false;
  Reader read(file.data() + sizeof(Head), static_cast<size_t>(head.description_bytes));
  const uint32_t count = head.revision > kOldest ? read.number<uint32_t>() : 1;
  for (uint32_t i = 0; i < count; ++i)
    if (!read_entry(file, head.revision, &read, &entries->emplace_back())) return false;
  return read.at_end();
}

AlignedBuffer borrow(const Piece& p) { return AlignedBuffer::borrow(const_cast<std::byte*>(p.data), p.bytes); }

// The buffers as a version's values, if they have the sizes that the kernel would give them.
bool values_of(const Operator& op, const Kernel& kernel, const Entry& d, WeightsValues* values) {
  if (kernel.pack_format(op) != nullptr) {
    std::vector<TensorView> all(1);
    all.insert(all.end(), d.tensors.begin(), d.tensors.end());
    if (d.tensors.empty() || d.pieces.size() != 2) return false;
    const PackedSize size = kernel.packed_size(op, all);
    if (size.weights <= 0 || d.pieces[0].bytes != size.weights || d.pieces[1].bytes != size.bias) return false;
    values->packed.format = kernel.pack_format(op);
    values->packed.dims = d.tensors[0].dims;
    values->packed.weights = borrow(d.pieces[0]);
    if (size.bias > 0) values->packed.bias = borrow(d.pieces[1]);
    for (TensorView t : d.tensors) values->views.push_back(t);
    return true;
  }
  size_t piece = 0;
  for (TensorView t : d.tensors) {
    if (t.dtype != DType::none) {
      if (piece == d.pieces.size() || d.pieces[piece].bytes != t.count() * dtype_size(t.dtype)) return false;
      values->copies.push_back(borrow(d.pieces[piece++]));
      t.data = values->copies.back().data();
    }
    values->views.push_back(t);
  }
  return piece == d.pieces.size();
}

// Why weights are not saved; empty if they can be.
std::string not_saved(const Weights& weights) {
  if (weights.types().empty() || weights.types()[0].dims.rank == 0) return "weights of rank 0 are not saved; expected rank 1 and more";
  for (const TensorType& t : weights.types())
    for (const Dim d : t.dims)
      if (d.number() < 1 || d.number() > kMostDim)
        return fmt::format("weights with a dim of {} are not saved; expected 1 to {}", d.number(), kMostDim);
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
  NewFile file(fmt::format("{}.{}.{}.{}.{}.new", path, ::getpid(), count++, now.tv_sec, now.tv_nsec));
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
  if (const int code = file.finish(path)) return error(Code::io_error, "cannot write '{}': {}", path, system_error(code));
  flush_folder(path);
  return {};
}

bool same_types(std::span<const TensorView> a, std::span<const TensorView> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const TensorView& x, const TensorView& y) { return x.dtype == y.dtype && x.dims == y.dims; });
}

std::vector<TensorType> types_of(std::span<const TensorView> tensors) {
  std::vector<TensorType> types;
  for (const TensorView& t : tensors) {
    TensorType& type = types.emplace_back();
    type.dtype = t.dtype;
    for (const int64_t dim : t.dims) type.dims.push_back(dim);
  }
  return types;
}

const char* format_of(const Kernel& kernel, const Operator& op) {
  const char* format = kernel.pack_format(op);
  return format != nullptr ? format : "";
}

Status wrong_sizes(const std::string& path, const Kernel& kernel) {
  return error(Code::io_error, "the buffers in '{}' do not have the sizes that kernel {} gives them", path, kernel.name());
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

MappedWeights::MappedWeights() = default;
MappedWeights::~MappedWeights() = default;

Status MappedWeights::open(const std::string& path, std::shared_ptr<const MappedWeights>* out) {
  std::shared_ptr<const MappedFile> file;
  ANYDIM_TRY(map_file(path, &file));
  Head head;
  std::memcpy(&head, file->data(), sizeof head);
  if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0)
    return error(Code::io_error, "'{}' is not a file of packed weights: it does not begin with ANYDIMWT", path);
  if (head.byte_order != kByteOrder || head.revision < kOldest || head.revision > kRevision)
    return unimplemented(
        "'{}' has revision {} of the format (byte order {:08x}); this library reads revisions {} to {} ({:08x}): pack the "
        "weights again",
        path, head.revision, head.byte_order, kOldest, kRevision, kByteOrder);
  if (head.file_bytes != file->bytes())
    return error(Code::io_error, "'{}' has {} bytes; its head says {}: it is damaged", path, file->bytes(), head.file_bytes);
  unsigned char checksum[16];
  checksum_of(file->data(), file->bytes(), checksum);
  if (std::memcmp(checksum, head.checksum, sizeof checksum) != 0)
    return error(Code::io_error, "the checksum of '{}' is wrong: it is damaged", path);
  const std::shared_ptr<MappedWeights> mapped(new MappedWeights);
  if (!read_description(*file, head, &mapped->entries_)) return error(Code::io_error, "the description in '{}' makes no sense", path);
  std::stable_sort(mapped->entries_.begin(), mapped->entries_.end(), [](const Entry& a, const Entry& b) { return a.source < b.source; });
  mapped->path_ = path;
  mapped->file_ = std::move(file);
  *out = mapped;
  return {};
}

Status MappedWeights::find(const OperatorPtr& op, std::span<const TensorView> tensors, const WeightsSource& source, const PostOps& post_ops,
                           MathMode mode, WeightsPtr* out) const {
  auto e = std::lower_bound(entries_.begin(), entries_.end(), source, [](const Entry& a, const WeightsSource& s) { return a.source < s; });
  if (e == entries_.end() || e->source != source) return {};
  std::vector<TensorType> types = types_of(tensors);
  const Kernel* kernel = nullptr;
  ANYDIM_TRY(Weights::choose(*op, types, post_ops, mode, {}, &kernel));
  const std::string text = describe(*op);
  for (; e != entries_.end() && e->source == source; ++e) {
    if (e->op != text || e->format != format_of(*kernel, *op) || !same_types(e->tensors, tensors)) continue;
    WeightsValues values;
    if (!values_of(*op, *kernel, *e, &values)) return wrong_sizes(path_, *kernel);
    values.file = file_;
    *out = std::make_shared<const Weights>(op, std::move(types), *kernel, std::move(values));
    return {};
  }
  return {};
}

Status load_weights(OperatorPtr op, const PostOps& post_ops, MathMode mode, std::string_view forced_kernel, const std::string& path,
                    WeightsPtr* out) {
  std::shared_ptr<const MappedWeights> mapped;
  ANYDIM_TRY(MappedWeights::open(path, &mapped));
  if (mapped->entries_.size() != 1)
    return invalid("'{}' holds the weights of a model, {} of them; expected those of one operator", path, mapped->entries_.size());
  const Entry& d = mapped->entries_[0];
  if (d.op != describe(*op)) return invalid("'{}' holds weights packed for '{}'; expected '{}'", path, d.op, describe(*op));
  std::vector<TensorType> types = types_of(d.tensors);
  const Kernel* kernel = nullptr;
  ANYDIM_TRY(Weights::choose(*op, types, post_ops, mode, forced_kernel, &kernel));
  const char* format = kernel->pack_format(*op);
  if (d.format != format_of(*kernel, *op))
    return unimplemented("'{}' holds weights packed as '{}'; kernel {}, which is chosen here, reads '{}': pack them again", path, d.format,
                         kernel->name(), format != nullptr ? format : "(not packed)");
  WeightsValues values;
  if (!values_of(*op, *kernel, d, &values)) return wrong_sizes(path, *kernel);
  values.file = mapped->file_;
  *out = std::make_shared<const Weights>(std::move(op), std::move(types), *kernel, std::move(values));
  return {};
}

}  // namespace anydim
