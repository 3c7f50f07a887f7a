// SPDX-License-Identifier: Apache-2.0
// What of a model that is refused its user has to change, all of it: an import that finds something unsupported goes on, with stand-ins for
// what it refused, and only lists from then on.
#include <array>

#include "onnx/walk/model_import.h"

namespace anydim::onnx {

bool ModelImport::refuse(Status* status) {
  if (!lists_ || strings_.views_required() || (refusals_.empty() && status->code() != Code::unimplemented)) return false;
  if (status->code() == Code::unimplemented) refusals_.push_back(std::move(*status));
  depth_ = 0;
  return true;
}

bool ModelImport::cannot_be_asked(const NodeProto& node, const Scope& scope) {
  if (refusals_.empty()) return false;
  bool known = !misses_operators_ || check_supported({node}, std::array<size_t, 1>{0}).ok();
  names_read_.each(node, [&](std::string_view name) { known = known && scope.unsupported.count(name) == 0; });
  return !known;
}

Status ModelImport::listed() {
  constexpr size_t kMostListed = 20;
  const Status& first = refusals_.front();
  std::string more;
  size_t count = 0;
  for (const Status& other : refusals_)
    if (other.message() != first.message() && ++count <= kMostListed)
      more += (count > 1 ? "; " : "; unsupported besides: ") + std::string(other.message());
  if (count > kMostListed) more += formatted("; and {} more", count - kMostListed);
  return Status(first.code(), first.message() + more).in_node(first.node()).about(first.argument());
}

}  // namespace anydim::onnx
