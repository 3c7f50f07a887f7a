// SPDX-License-Identifier: Apache-2.0
// The list of kinds, and what they share; see registry.h.
#include "core/engines/registry.h"

#include <mutex>

#include "core/base/threads/fork_lock.h"
#include "core/engines/generated/kinds.h"

namespace anydim {

Status EngineKind::check(const EngineRequest& request) const {
  if (request.host.loop != nullptr)
    return invalid("options.parallel_for is set; an engine of {} runs no loop on the host", name()).about("options.parallel_for");
  if (request.host.memory != nullptr)
    return invalid("options.allocate is set; an engine of {} has its device's memory", name()).about("options.allocate");
  return {};
}

namespace {

struct Added {
  ForkLock lock;
  std::vector<KnownKind> kinds;
  int32_t next = 1000;  // capi/generator/engine_kinds.py keeps those below for the library
};
Added& added() {
  static auto* const one = new Added();
  return *one;
}

}  // namespace

std::vector<KnownKind> engine_kinds() {
  std::vector<KnownKind> all;
  for (const NumberedKind& k : kEngineKinds) all.push_back({k.number, EngineKindPtr(EngineKindPtr(), &k.kind())});
  const std::lock_guard lock(added().lock);
  all.insert(all.end(), added().kinds.begin(), added().kinds.end());
  return all;
}

EngineKindPtr find_engine_kind(int32_t number) {
  for (KnownKind& k : engine_kinds())
    if (k.number == number) return std::move(k.kind);
  return nullptr;
}

int32_t engine_kind_number(std::string_view name) {
  for (const KnownKind& k : engine_kinds())
    if (name == k.kind->name()) return k.number;
  return 0;
}

Status add_engine_kind(EngineKindPtr kind, int32_t* number) {
  for (const KnownKind& k : engine_kinds())
    if (std::string_view(k.kind->name()) == kind->name()) return invalid("there is a kind of engine named '{}' already", kind->name());
  const std::lock_guard lock(added().lock);
  *number = added().next++;
  added().kinds.push_back({*number, std::move(kind)});
  return {};
}

Status remove_engine_kind(int32_t number) {
  EngineKindPtr removed;  // destroyed without the lock: what it destroys is not ours
  const std::lock_guard lock(added().lock);
  for (KnownKind& k : added().kinds)
    if (k.number == number) {
      removed = std::move(k.kind);
      std::swap(k, added().kinds.back());
      added().kinds.pop_back();
      return {};
    }
  return error(Code::not_found, "kind is {}; no kind of this number was registered", number).about("kind");
}

}  // namespace anydim
