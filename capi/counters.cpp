// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about what the process did and what its primitive cache holds.
#include "core/dispatch/observe/counters.h"

#include "capi/objects.h"

namespace anydim::capi::body {

Status counter_get_count(int32_t* count) {
  *count = static_cast<int32_t>(counters().size());
  return {};
}

Status counter_get(int32_t index, anydim_counter_t* info) {
  const auto rows = counters();
  if (index < 0 || static_cast<size_t>(index) >= rows.size())
    return error(Code::not_found, "index is {}; there are {} counters", index, rows.size()).about("index");
  const CounterRow& row = rows[static_cast<size_t>(index)];
  info->level = row.level;
  info->name = string_of(row.name);
  info->doc = string_of(row.doc);
  info->value = row.value();
  return {};
}

Status primitive_cache_set_limit(int64_t bytes) {
  if (bytes < 0) return invalid("bytes is {}; expected 0 (off) or more", bytes).about("bytes");
  PrimitiveCache::process().set_limit(bytes);
  return {};
}

Status primitive_cache_clear() {
  PrimitiveCache::process().clear();
  return {};
}

Status primitive_cache_query(anydim_primitive_cache_info_t* info) {
  const PrimitiveCache& cache = PrimitiveCache::process();
  const CacheFigures figures = cache.figures();
  info->churn_misses = PrimitiveCache::kChurnMisses;
  info->limit_bytes = cache.limit();
  info->bytes = figures.bytes;
  info->entries = figures.entries;
  return {};
}

Status primitive_query_creation(PrimitiveObject& primitive, anydim_primitive_creation_t* info) {
  info->hit = static_cast<anydim_primitive_cache_hit_t>(primitive.creation.hit);
  info->time_ns = primitive.creation.nanoseconds;
  return {};
}

}  // namespace anydim::capi::body
