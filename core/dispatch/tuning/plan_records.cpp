// SPDX-License-Identifier: Apache-2.0
// One record per kernel and problem, holding a table of dims and plan choices; see plan_records.h.
#include "core/dispatch/tuning/plan_records.h"

#include <atomic>

#include "core/dispatch/caches/persistent_cache.h"
#include "core/dispatch/caches/record_key.h"
#include "core/kernels/kernel_key.h"

namespace anydim {

namespace {

std::atomic<bool> any_records{false};

// Dims and threads are in the table's keys.
std::string key_of(const PrimitiveCore& core) {
  const Kernel& kernel = core.kernel();
  const std::string post_ops = describe(core.attributes().post_ops);
  const std::string problem = describe(*core.op()) + (post_ops.empty() ? "" : " | " + post_ops);
  return PlanKey{kernel.name(), key_text(kernel.key()), kernel.plan_revision(), problem, "table", 0, core.engine()->identity().facts}
      .text();
}

}  // namespace

void use_plan_records() {
  if (persistent_cache().statistics().entries > 0) any_records = true;
}

void load_recorded_plans(const PrimitiveCore& core) {
  if (!any_records.load(std::memory_order_relaxed) || core.kernel().plan_revision() == 0 ||
      core.attributes().reuse == ReusePolicy::reusable)
    return;
  const PersistentCache::Value value = persistent_cache().find(RecordKind::plan, key_of(core));
  if (!value) return;
  if (auto table = TierTable::from_bytes(*value)) core.tiers().publish(std::move(table));
}

Status record_plans(const PrimitiveCore& core, std::span<const TierEntry> entries) {
  if (entries.empty()) return {};
  ANYDIM_TRY(persistent_cache().update(RecordKind::plan, key_of(core), [&](const std::string* value) {
    std::unique_ptr<const TierTable> table = value ? TierTable::from_bytes(*value) : nullptr;
    if (!table) table = std::make_unique<const TierTable>(std::vector<TierEntry>());
    for (const TierEntry& e : entries) table = table->with(e);
    return table->to_bytes();
  }));
  any_records = true;
  return {};
}

}  // namespace anydim
