// SPDX-License-Identifier: Apache-2.0
// Writing a file of packed weights, and reporting what weights were packed from; the layout is in weights_file_layout.h.
#include <algorithm>
#include <set>

#include "core/base/checked.h"
#include "core/dispatch/weights/weights_file.h"
#include "core/dispatch/weights/weights_file_layout.h"
#include "core/tensor/views.h"

namespace anydim {
namespace {

using namespace weights_file;

template <class T> void put(std::string* to, T value) { to->append(reinterpret_cast<const char*>(&value), sizeof value); }
void put_text(std::string* to, std::string_view text) {
  put(to, static_cast<uint32_t>(text.size()));
  to->append(text);
}

std::string key_text(const Weights& weights, const WeightsSource& source) {
  std::string text(reinterpret_cast<const char*>(source.digest.data()), source.digest.size());
  put_text(&text, describe(weights.op()));
  put_text(&text, weights.format());
  put(&text, static_cast<uint32_t>(weights.operands().count()));
  for (size_t i = 0; i < weights.operands().end(); ++i) {
    if (!weights.holds(i)) continue;
    const TensorType t = weights.type(i);
    put(&text, static_cast<int32_t>(i));
    put(&text, static_cast<int32_t>(t.dtype));
    put(&text, static_cast<int32_t>(t.dims.rank));
    for (const Dim d : t.dims) put(&text, d.number());
  }
  return text;
}

// An entry before the pieces of the file have their places.
struct NewEntry {
  std::string key;
  std::vector<Piece> pieces;
};
// The description, and by the way the place of each piece in `offsets` and after the last the end of all.
std::string describe_file(std::span<const NewEntry> entries, std::vector<int64_t>* offsets) {
  size_t bytes = sizeof(uint32_t);
  for (const NewEntry& e : entries) {
    bytes += e.key.size() + sizeof(uint32_t);
    for (const Piece& p : e.pieces) bytes += sizeof(uint32_t) + p.name.size() + 2 * sizeof(int32_t) + 2 * sizeof(int64_t);
  }
  int64_t at = static_cast<int64_t>(CheckedFile::kHead + bytes);
  std::string text;
  put(&text, static_cast<uint32_t>(entries.size()));
  for (const NewEntry& e : entries) {
    text += e.key;
    put(&text, static_cast<uint32_t>(e.pieces.size()));
    for (const Piece& p : e.pieces) {
      at = round_up(at, AlignedBuffer::kAlignment);
      put_text(&text, p.name);
      put(&text, static_cast<int32_t>(p.dtype));
      put(&text, p.operand);
      put(&text, at);
      put(&text, p.count);
      offsets->push_back(at);
      at += p.bytes() + AlignedBuffer::kTail;
    }
  }
  offsets->push_back(at);
  return text;
}

// Everything behind the description, which ends at `at`.
void emit(int64_t at, std::span<const NewEntry> entries, std::span<const int64_t> offsets, const TakeBytes& take) {
  static constexpr char zeros[AlignedBuffer::kAlignment + AlignedBuffer::kTail] = {};
  const auto put_bytes = [&](const void* data, int64_t bytes) {
    if (bytes > 0) take(data, static_cast<size_t>(bytes));
    at += bytes;
  };
  auto offset = offsets.begin();
  for (const NewEntry& e : entries)
    for (const Piece& p : e.pieces) {
      put_bytes(zeros, *offset++ - at);
      put_bytes(p.data, p.bytes());
    }
  put_bytes(zeros, *offset - at);
}

// Why weights are not saved; empty if they can be.
std::string not_saved(const Weights& weights) {
  if (!weights.engine().is_host()) return formatted("weights in the memory of engine {} are not saved", weights.engine().kind());
  for (const TensorType& t : weights.types())
    for (const Dim d : t.dims)
      if (d.number() < 1 || d.number() > kMostDim)
        return formatted("weights with a dim of {} are not saved; expected 1 to {}", d.number(), kMostDim);
  return {};
}

Status write_file(std::span<const NewEntry> entries, const std::string& path, bool sync) {
  std::vector<int64_t> offsets;
  const std::string description = describe_file(entries, &offsets);
  const auto rest = [&](const TakeBytes& take) {
    emit(static_cast<int64_t>(CheckedFile::kHead + description.size()), entries, offsets, take);
  };
  return write_checked_file(kKind, description, rest, path, sync);
}

}  // namespace

std::vector<Piece> weights_file::pieces_with_data(const Weights& weights, const WeightsValues& values) {
  std::vector<Piece> pieces = pieces_of(values.packed.form, weights.types());
  for (size_t i = 0; i < pieces.size(); ++i)
    pieces[i].data = pieces[i].operand < 0 ? values.packed.pieces[i]
                                           : static_cast<const std::byte*>(values.views[static_cast<size_t>(pieces[i].operand)].data);
  return pieces;
}

std::vector<Piece> weights_file::pieces_of(const PackedForm& form, std::span<const TensorType> constants) {
  std::vector<Piece> pieces;
  for (const PackedForm::Piece& p : std::span(form.pieces, static_cast<size_t>(form.count)))
    pieces.push_back({p.name, p.dtype, -1, p.count, nullptr});
  for (size_t i = 0; i < constants.size(); ++i)
    if (constants[i].dtype != DType::none && !form.operands.has(i))
      pieces.push_back({"", constants[i].dtype, static_cast<int32_t>(i), element_count(numbers(constants[i].dims)), nullptr});
  return pieces;
}

SourceDigest::SourceDigest(std::span<const TensorView> tensors) {
  std::string types;
  for (const TensorView& t : tensors) {
    if (t.dtype == DType::none) continue;
    put(&types, static_cast<int32_t>(t.dtype));
    put(&types, static_cast<int32_t>(t.rank()));
    for (int a = 0; a < t.rank(); ++a) {
      put(&types, t.dims[a]);
      put(&types, t.strides[a]);
    }
  }
  append(types.data(), static_cast<int64_t>(types.size()));
}
WeightsSource source_of(std::span<const TensorView> tensors) {
  SourceDigest digest(tensors);
  for (const TensorView& t : tensors) digest.append(t.data, t.count() * dtype_size(t.dtype));
  return digest.source();
}

Status save_weights(const Weights& weights, const std::string& path, bool sync) {
  if (const std::string why = not_saved(weights); !why.empty()) return unimplemented("{}", why);
  const PinnedWeights pinned(&weights);
  const NewEntry entry{key_text(weights, {}), pieces_with_data(weights, *pinned.values())};
  return write_file({&entry, 1}, path, sync);
}

Status save_weights(std::span<const SavedWeights> all, const std::string& path, bool sync) {
  std::vector<NewEntry> entries;
  std::set<std::string> keys;
  for (const SavedWeights& w : all) {
    if (!not_saved(*w.weights).empty()) continue;
    std::string key = key_text(*w.weights, w.source);
    if (!keys.insert(key).second) continue;
    entries.push_back({std::move(key), pieces_with_data(*w.weights, *PinnedWeights(w.weights).values())});
  }
  return write_file(entries, path, sync);
}

}  // namespace anydim
