// SPDX-License-Identifier: Apache-2.0
// The list of kinds, and what they share; see registry.h.
#include "core/engines/registry.h"

#include "core/engines/generated/kinds.h"

namespace anydim {

Status EngineKind::check(const EngineRequest& request) const {
  if (request.host.loop != nullptr)
    return invalid("options.parallel_for is set; an engine of {} runs no loop on the host", name()).about("options.parallel_for");
  if (request.host.memory != nullptr)
    return invalid("options.allocate is set; an engine of {} has its device's memory", name()).about("options.allocate");
  return {};
}

std::span<const NumberedKind> engine_kinds() noexcept { return kEngineKinds; }

const EngineKind* find_engine_kind(int32_t number) noexcept {
  for (const NumberedKind& k : kEngineKinds)
    if (k.number == number) return &k.kind();
  return nullptr;
}

int32_t engine_kind_number(std::string_view name) noexcept {
  for (const NumberedKind& k : kEngineKinds)
    if (name == k.kind().name()) return k.number;
  return 0;
}

}  // namespace anydim
