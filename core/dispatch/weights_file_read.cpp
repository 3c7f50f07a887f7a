// SPDX-License-Identifier: Apache-2.0
// Mapping a file of packed weights and finding weights in it; the layout is in weights_file_layout.h.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/base/checked.h"
#include "core/base/system_error.h"
#include "core/dispatch/weights_file.h"
#include "core/dispatch/weights_file_layout.h"
#include "core/tensor/views.h"

namespace anydim {
namespace {

using namespace weights_file;

constexpr uint32_t kMostTensors = 64;

void checksum_of(const std::byte* file, size_t bytes, unsigned char out[16]) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, file, offsetof(Head, checksum));
  XXH3_128bits_update(&state, file + sizeof(Head), bytes - sizeof(Head));
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
  std::memcpy(out, canonical.digest, sizeof canonical.digest);
}

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
  if (fd < 0) return system_error(errno, "cannot open '{}'", path);
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
      status = system_error(errno, "cannot map '{}' ({} bytes)", path, bytes);
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
bool values_of(const Operator& op, const HostKernel& kernel, const Entry& d, WeightsValues* values) {
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

Status MappedWeights::find(const EnginePtr& engine, const OperatorPtr& op, std::span<const TensorView> tensors, const WeightsSource& source,
                           const PostOps& post_ops, MathMode mode, WeightsPtr* out) const {
  if (!engine->is_host()) return {};
  auto e = std::lower_bound(entries_.begin(), entries_.end(), source, [](const Entry& a, const WeightsSource& s) { return a.source < s; });
  if (e == entries_.end() || e->source != source) return {};
  std::vector<TensorType> types = types_of(tensors);
  const Kernel* kernel = nullptr;
  ANYDIM_TRY(Weights::choose(*engine, *op, types, post_ops, mode, {}, &kernel));
  const auto& reader = static_cast<const HostKernel&>(*kernel);
  const std::string text = describe(*op);
  for (; e != entries_.end() && e->source == source; ++e) {
    if (e->op != text || e->format != format_of(reader, *op) || !same_types(e->tensors, tensors)) continue;
    WeightsValues values;
    if (!values_of(*op, reader, *e, &values)) return wrong_sizes(path_, reader);
    values.file = file_;
    *out = std::make_shared<const Weights>(engine, op, std::move(types), *kernel, std::move(values));
    return {};
  }
  return {};
}

Status load_weights(const EnginePtr& engine, OperatorPtr op, const PostOps& post_ops, MathMode mode, std::string_view forced_kernel,
                    const std::string& path, WeightsPtr* out) {
  if (!engine->is_host()) return unimplemented("engine {} packs weights in its own memory; it reads no file of them", engine->kind());
  std::shared_ptr<const MappedWeights> mapped;
  ANYDIM_TRY(MappedWeights::open(path, &mapped));
  if (mapped->entries_.size() != 1)
    return invalid("'{}' holds the weights of a model, {} of them; expected those of one operator", path, mapped->entries_.size());
  const Entry& d = mapped->entries_[0];
  if (d.op != describe(*op)) return invalid("'{}' holds weights packed for '{}'; expected '{}'", path, d.op, describe(*op));
  std::vector<TensorType> types = types_of(d.tensors);
  const Kernel* kernel = nullptr;
  ANYDIM_TRY(Weights::choose(*engine, *op, types, post_ops, mode, forced_kernel, &kernel));
  const char* format = kernel->pack_format(*op);
  if (d.format != format_of(*kernel, *op))
    return unimplemented("'{}' holds weights packed as '{}'; kernel {}, which is chosen here, reads '{}': pack them again", path, d.format,
                         kernel->name(), format != nullptr ? format : "(not packed)");
  WeightsValues values;
  if (!values_of(*op, static_cast<const HostKernel&>(*kernel), d, &values)) return wrong_sizes(path, *kernel);
  values.file = mapped->file_;
  *out = std::make_shared<const Weights>(engine, std::move(op), std::move(types), *kernel, std::move(values));
  return {};
}

}  // namespace anydim
