// SPDX-License-Identifier: Apache-2.0
// Packed weights as a file that is mapped: saved beside a model once, then read by any number of processes that share its
// pages. The packed form belongs to a kernel family and an instruction set, so a file is good for the machines that choose
// such a kernel and is of no use elsewhere; it replaces nothing, the weights can always be packed again. A file holds the
// weights of one operator or all of a model's.
#pragma once

#include <algorithm>
#include <compare>
#include <string>

#include "core/base/digest.h"
#include "core/dispatch/weights/weights.h"

namespace anydim {

// What weights were packed from: XXH3 (128 bits) of the tensors' dtypes, dims, strides and bytes. All zeros: not known.
struct WeightsSource {
  DigestValue digest{};
  friend auto operator<=>(const WeightsSource&, const WeightsSource&) = default;
};
// Of dense row-major tensors, as a model's constants are; those without a dtype do not count.
WeightsSource source_of(std::span<const TensorView> tensors);
// The same where the bytes pass by anyway: those of all tensors in their order, in ranges of any size.
class SourceDigest {
 public:
  explicit SourceDigest(std::span<const TensorView> tensors);
  void append(const void* bytes, int64_t count) noexcept { digest_.append(bytes, static_cast<size_t>(std::max<int64_t>(count, 0))); }
  WeightsSource source() const noexcept { return {digest_.value()}; }

 private:
  Digest digest_;
};

// Writes the current version as a NewFile (core/base/files/new_file.h): `path` is always a whole file, and processes that have the old
// one mapped keep it.
Status save_weights(const Weights& weights, const std::string& path, bool sync = true);

// A model's: each with what it was packed from. Equal ones are written once. Those without elements or in a device's
// memory are left out: who maps the file packs them. Nobody may update the weights meanwhile.
struct SavedWeights {
  const Weights* weights = nullptr;
  WeightsSource source;
};
Status save_weights(std::span<const SavedWeights> all, const std::string& path, bool sync = true);

// Maps a file that was saved for this operator and a use like this one. The whole file is read once, for its checksum.
//   not_found      no such file
//   io_error       cannot be read, is not such a file, is damaged or cut off
//   invalid_argument  was packed for another operator, or is a model's
//   unimplemented  another revision of the format, or the kernel that is chosen here reads another packed form; no host engine
// The file must not be changed or cut off in place while it is mapped (save_weights() never does).
Status load_weights(const EnginePtr& engine, const OperatorPtr& op, const WeightsUse& use, const std::string& path, WeightsPtr* out);

// A mapped file to find weights in. Immutable, any number of threads.
class MappedWeights {
 public:
  struct Entry;  // of the file's description
  // Errors as those of load_weights() that are about the file alone.
  static Status open(const std::string& path, std::shared_ptr<const MappedWeights>* out);
  ~MappedWeights();

  // The weights that Weights::create() would make of these tensors, if the file has them: packed from the same values (`source`
  // is source_of(tensors)), for the same operator and attributes, in the form that the kernel reads. Otherwise `out` is left as it
  // is, as for any engine but a host engine. What is found keeps the file mapped. io_error: the entry's pieces are not what they must be.
  Status find(const EnginePtr& engine, const WeightsProblem& problem, const Kernel& kernel, const WeightsSource& source,
              WeightsPtr* out) const;

 private:
  friend Status load_weights(const EnginePtr&, const OperatorPtr&, const WeightsUse&, const std::string&, WeightsPtr*);
  MappedWeights();
  std::string path_;
  std::shared_ptr<const void> file_;  // the mapping
  std::vector<Entry> entries_;        // by source
};

}  // namespace anydim
