// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about the persistent cache, and what they report as JSON.
#include "core/dispatch/caches/persistent_cache.h"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "anydim/anydim.h"
#include "capi/objects.h"

namespace anydim::capi::body {

using Json = nlohmann::ordered_json;

static int64_t file_bytes(const std::string& path) {
  struct stat facts {};
  return stat(path.c_str(), &facts) == 0 ? static_cast<int64_t>(facts.st_size) : 0;
}

static Status off(const PersistentCache& cache) { return unimplemented("the persistent cache is off: {}", cache.options().off_because); }

Status persistent_cache_query(anydim_persistent_cache_info_t* info) {
  const PersistentCache& cache = persistent_cache();
  const PersistentCache::Statistics s = cache.statistics();
  info->enabled = cache.options().enabled;
  info->limit_bytes = cache.options().limit_bytes;
  info->entries = s.entries;
  info->index_bytes = s.index_bytes;
  info->hits = s.hits;
  info->misses = s.misses;
  info->stores = s.stores;
  info->store_failures = s.store_failures;
  info->evicted = s.evicted;
  info->damaged_records = s.damaged_records;
  info->damaged_files = s.damaged_files;
  info->load_failures = s.load_failures;
  info->load_ns = s.load_nanoseconds;
  return {};
}

Status persistent_cache_get_path(std::unique_ptr<TextObject>* out) {
  const PersistentCache& cache = persistent_cache();
  if (!cache.options().enabled) return off(cache);
  return make_text(cache.path(), out);
}

Status persistent_cache_describe(std::unique_ptr<TextObject>* out) {
  PersistentCache& cache = persistent_cache();
  const PersistentCache::Statistics s = cache.statistics();
  Json json = {{"enabled", cache.options().enabled}};
  if (!cache.options().enabled) json["off_because"] = cache.options().off_because;
  Json records = Json::array();
  if (cache.options().enabled) {
    std::vector<PersistentCache::Listed> listed;
    ANYDIM_TRY(cache.list(&listed));
    for (const auto& one : listed)
      records.push_back({{"kind", record_kind_name(one.record.kind)},
                         {"key", one.record.key},
                         {"bytes", one.bytes},
                         {"origin", one.record.origin},
                         {"created", one.record.created},
                         {"used", one.record.used},
                         {"system", one.system},
                         {"good", one.good}});
    json["path"] = cache.path();
    json["system_path"] = cache.system_path();
    json["file_bytes"] = file_bytes(cache.path());
    json["limit_bytes"] = cache.options().limit_bytes;
  }
  json["entries"] = s.entries;
  json["index_bytes"] = s.index_bytes;
  json["hits"] = s.hits;
  json["misses"] = s.misses;
  json["stores"] = s.stores;
  json["store_failures"] = s.store_failures;
  json["evicted"] = s.evicted;
  json["damaged_records"] = s.damaged_records;
  json["damaged_files"] = s.damaged_files;
  json["load_failures"] = s.load_failures;
  json["load_nanoseconds"] = s.load_nanoseconds;
  json["last_failure"] = s.last_failure;
  json["records"] = std::move(records);
  return make_text(json.dump(2, ' ', false, Json::error_handler_t::replace), out);
}

Status persistent_cache_verify(std::unique_ptr<TextObject>* out) {
  PersistentCache::Report report;
  ANYDIM_TRY(persistent_cache().verify(&report));
  const auto sound = [](const std::string& structure) { return structure == "ok" || structure == "no file"; };
  const Json json = {{"ok", report.damaged == 0 && sound(report.structure) && sound(report.system_structure)},
                     {"records", report.records},
                     {"damaged", report.damaged},
                     {"structure", report.structure},
                     {"system_structure", report.system_structure}};
  return make_text(json.dump(2, ' ', false, Json::error_handler_t::replace), out);
}

Status persistent_cache_export(std::string_view path, int64_t* records) { return persistent_cache().export_to(std::string(path), records); }

Status persistent_cache_import(std::string_view path, int64_t* records, int64_t* damaged) {
  return persistent_cache().import_from(std::string(path), records, damaged);
}

Status persistent_cache_clear(anydim_record_kind_t kind, int64_t* removed) { return persistent_cache().clear(kind, removed); }

}  // namespace anydim::capi::body
