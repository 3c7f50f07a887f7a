// SPDX-License-Identifier: Apache-2.0
// Mapping a file of packed weights and finding weights in it; the layout is in weights_file_layout.h.
#include <algorithm>
#include <cstring>

#include "core/base/checked.h"
#include "core/dispatch/primitive/registry.h"
#include "core/dispatch/weights/weights_file.h"
#include "core/dispatch/weights/weights_file_layout.h"
#include "core/tensor/views.h"

namespace anydim {
namespace {

using namespace weights_file;

constexpr uint32_t kMostTensors = 64;
// A packed form is no smaller than so many parts of its tensors, so that no size below can be too large for its type.
constexpr int64_t kMostShrinking = 32;

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
  std::vector<TensorType> constants;  // by operand
  std::vector<Piece> pieces;
};

namespace {

using Entry = MappedWeights::Entry;

bool is_dtype(int32_t dtype) { return dtype >= 0 && dtype <= 255 && dtype_size(static_cast<DType>(dtype)) > 0; }

// Everything is checked here that memory safety rests on: a checksum can be right by intent.
bool read_entry(const CheckedFile& file, Reader* read, Entry* e) {
  const auto file_bytes = static_cast<int64_t>(file.bytes());
  e->source.digest = read->number<decltype(e->source.digest)>();
  e->op = read->text();
  e->format = read->text();
  const auto constants = read->number<uint32_t>();
  if (!read->fits() || constants > kMostTensors) return false;
  for (uint32_t i = 0; i < constants; ++i) {
    const auto operand = read->number<int32_t>(), dtype = read->number<int32_t>(), rank = read->number<int32_t>();
    if (!read->fits() || rank < 0 || rank > kMaxRank || !is_dtype(dtype)) return false;
    // In their order: none twice.
    if (operand < static_cast<int32_t>(e->constants.size()) || operand >= static_cast<int32_t>(kMostTensors)) return false;
    e->constants.resize(static_cast<size_t>(operand) + 1);
    TensorType& t = e->constants.back();
    t.dtype = static_cast<DType>(dtype);
    int64_t bytes = dtype_size(t.dtype);
    for (int a = 0; a < rank; ++a) {
      const auto dim = read->number<int64_t>();
      if (dim < 1 || dim > kMostDim) return false;
      t.dims.push_back(dim);
      bytes = saturating_mul(bytes, dim);
    }
    if (bytes / kMostShrinking > file_bytes) return false;
  }
  const auto pieces = read->number<uint32_t>();
  if (!read->fits() || pieces > kMostTensors) return false;
  for (uint32_t i = 0; i < pieces; ++i) {
    const std::string_view name = read->text();
    const auto dtype = read->number<int32_t>(), operand = read->number<int32_t>();
    const auto offset = read->number<int64_t>(), count = read->number<int64_t>();
    if (!read->fits() || !is_dtype(dtype) || offset < 0 || offset % AlignedBuffer::kAlignment != 0 || count < 0 || count > file_bytes)
      return false;
    const Piece piece{name, static_cast<DType>(dtype), operand, count, file.data() + offset};
    if (piece.bytes() > file_bytes || offset > file_bytes - piece.bytes() - AlignedBuffer::kTail) return false;
    e->pieces.push_back(piece);
  }
  return true;
}

bool read_description(const CheckedFile& file, std::vector<Entry>* entries) {
  Reader read(file.data() + CheckedFile::kHead, file.description().size());
  const auto count = read.number<uint32_t>();
  for (uint32_t i = 0; i < count; ++i)
    if (!read_entry(file, &read, &entries->emplace_back())) return false;
  return read.at_end();
}

bool same_types(std::span<const TensorType> constants, const WeightsProblem& problem) {
  if (constants.size() != problem.constant().end()) return false;
  const std::span<const TensorType> in = problem.problem().in;
  for (size_t i = 0; i < constants.size(); ++i) {
    if ((constants[i].dtype != DType::none) != problem.constant().has(i)) return false;
    if (problem.constant().has(i) && (constants[i].dtype != in[i].dtype || !(constants[i].dims == in[i].dims))) return false;
  }
  return true;
}

Status wrong_pieces(const std::string& path, const Kernel& kernel) {
  return error(Code::io_error, "the pieces in '{}' are not those that kernel {} makes", path, kernel.name());
}

}  // namespace

// The pieces as a version's values, if they are those of the form that the kernel gives them.
bool weights_file::values_of(const PackedForm& form, std::span<const TensorType> constants, std::span<const Piece> pieces,
                             WeightsValues* values) {
  const std::vector<Piece> expected = pieces_of(form, constants);
  const auto same = [](const Piece& a, const Piece& b) {
    return a.name == b.name && a.dtype == b.dtype && a.operand == b.operand && a.count == b.count;
  };
  if (!std::equal(expected.begin(), expected.end(), pieces.begin(), pieces.end(), same)) return false;
  values->packed.form = form;
  for (const TensorType& t : constants) {
    TensorView& view = values->views.emplace_back();
    view.dtype = t.dtype;
    view.dims = numbers(t.dims);
    view.strides = dense_strides(view.dims);
  }
  for (size_t i = 0; i < pieces.size(); ++i) {
    const Piece& p = pieces[i];
    auto* const data = const_cast<std::byte*>(p.data);  // mapped, and read only
    if (p.operand < 0) {
      values->packed.pieces[i] = data;
    } else {
      values->copies.push_back(AlignedBuffer::borrow(data, p.bytes()));
      values->views[static_cast<size_t>(p.operand)].data = data;
    }
  }
  return true;
}

MappedWeights::MappedWeights() = default;
MappedWeights::~MappedWeights() = default;

Status MappedWeights::open(const std::string& path, std::shared_ptr<const MappedWeights>* out) {
  std::shared_ptr<const CheckedFile> file;
  ANYDIM_TRY(CheckedFile::open(kKind, path, &file));
  const std::shared_ptr<MappedWeights> mapped(new MappedWeights);
  if (!read_description(*file, &mapped->entries_)) return error(Code::io_error, "the description in '{}' makes no sense", path);
  std::stable_sort(mapped->entries_.begin(), mapped->entries_.end(), [](const Entry& a, const Entry& b) { return a.source < b.source; });
  mapped->path_ = path;
  mapped->file_ = std::move(file);
  *out = mapped;
  return {};
}

Status MappedWeights::find(const EnginePtr& engine, const WeightsProblem& problem, const Kernel& kernel, const WeightsSource& source,
                           WeightsPtr* out) const {
  if (!engine->is_host()) return {};
  auto e = std::lower_bound(entries_.begin(), entries_.end(), source, [](const Entry& a, const WeightsSource& s) { return a.source < s; });
  if (e == entries_.end() || e->source != source) return {};
  const PackedForm form = kernel.packed_form(problem.problem());
  const std::string text = describe(*problem.op()), name = form_name(form, problem.problem());
  for (; e != entries_.end() && e->source == source; ++e) {
    if (e->op != text || e->format != name || !same_types(e->constants, problem)) continue;
    WeightsValues values;
    if (!values_of(form, e->constants, e->pieces, &values)) return wrong_pieces(path_, kernel);
    values.file = file_;
    *out = std::make_shared<const Weights>(engine, problem, kernel, std::move(values));
    return {};
  }
  return {};
}

Status load_weights(const EnginePtr& engine, const OperatorPtr& op, const WeightsUse& use, const std::string& path, WeightsPtr* out) {
  if (!engine->is_host()) return unimplemented("engine {} packs weights in its own memory; it reads no file of them", engine->kind());
  std::shared_ptr<const MappedWeights> mapped;
  ANYDIM_TRY(MappedWeights::open(path, &mapped));
  if (mapped->entries_.size() != 1)
    return invalid("'{}' holds the weights of a model, {} of them; expected those of one operator", path, mapped->entries_.size());
  const Entry& e = mapped->entries_[0];
  if (e.op != describe(*op)) return invalid("'{}' holds weights packed for '{}'; expected '{}'", path, e.op, describe(*op));
  WeightsProblem problem;
  ANYDIM_TRY(WeightsProblem::make(*engine, op, e.constants, use, &problem));
  const Kernel* kernel = nullptr;
  ANYDIM_TRY(choose_kernel(*engine, problem.problem(), use.kernel, &kernel));
  const PackedForm form = kernel->packed_form(problem.problem());
  if (const std::string name = form_name(form, problem.problem()); e.format != name)
    return unimplemented("'{}' holds weights packed as '{}'; kernel {}, which is chosen here, reads '{}': pack them again", path, e.format,
                         kernel->name(), name.empty() ? "(not packed)" : name);
  WeightsValues values;
  if (!values_of(form, e.constants, e.pieces, &values)) return wrong_pieces(path, *kernel);
  values.file = mapped->file_;
  *out = std::make_shared<const Weights>(engine, std::move(problem), *kernel, std::move(values));
  return {};
}

}  // namespace anydim
