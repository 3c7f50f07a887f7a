// SPDX-License-Identifier: Apache-2.0
// Where a model's bytes come from: memory, or a mapped file, and the files of external data beside it. Lenders are
// counted: a view stays valid while any copy of its Bytes lives. Mapped files must not be cut while they are in use.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/memory/lender.h"
#include "core/base/status.h"
#include "core/base/text/utf8.h"

namespace anydim::onnx {

// Bytes of somebody, kept alive by `lender` (null: they need only live while the model is imported).
struct Bytes {
  std::shared_ptr<const Lender> lender;
  std::string_view view;
};

// Maps a whole regular file, read-only. An empty file gives an empty view. What a model keeps of it, it copies: a model file may
// be replaced in place once it is loaded. `real_folder` gets the folder that the file itself lies in, whatever links lead to it; it
// is empty where the system does not report.
Result<Bytes> map_file(const std::string& path, std::string* real_folder = nullptr);

// Bytes of a caller, who keeps them for as long as the load takes.
Bytes lend(std::string_view bytes);

// The folders of a model, from which external data may be read: the one that its path names, and the one that the file itself lies
// in if that path is a symbolic link (caches of model hubs link models and their data to files of one folder). Nothing outside of
// them can be reached: a location that is absolute or has a ".." is refused, and one that leads over symbolic links to a file that
// lies in neither folder.
class ExternalData {
 public:
  ExternalData() = default;  // no folder: every location is refused
  explicit ExternalData(std::string folder, std::string real_folder = {})
      : folder_(std::move(folder)), real_folder_(std::move(real_folder)), has_folder_(true) {}

  // `length` bytes at `offset` of the file `location`; length < 0 means up to the end of the file. The file stays mapped for as
  // long as they are used, so it must not be changed in place meanwhile.
  Result<Bytes> read(std::string_view location, int64_t offset, int64_t length);

  int64_t dense_bytes = 0;  // that sparse tensors of the model were written out to (read_sparse_tensor)

 private:
  Result<Bytes> map(std::string_view location) const;

  std::string folder_, real_folder_;
  bool has_folder_ = false;
  std::map<std::string, Bytes, std::less<>> mapped_;
};

}  // namespace anydim::onnx
