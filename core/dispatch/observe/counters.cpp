// SPDX-License-Identifier: Apache-2.0
// The one table of counters; see counters.h.
#include "core/dispatch/observe/counters.h"

#include <atomic>

#include "core/dispatch/caches/persistent_cache.h"
#include "core/dispatch/caches/primitive_cache.h"
#include "core/dispatch/tuning/worker.h"
#include "core/engines/kernel_cache.h"

namespace anydim {

namespace {

// A cache line each: threads that count different events do not meet.
struct alignas(64) Line {
  std::atomic<int64_t> value{0};
};
Line lines[static_cast<size_t>(Counter::count_)];

template <Counter counter> int64_t kept() noexcept { return lines[static_cast<size_t>(counter)].value.load(std::memory_order_relaxed); }

template <int64_t CacheFigures::*member> int64_t of_primitive_cache() noexcept { return PrimitiveCache::process().figures().*member; }

template <int64_t WorkerStatistics::*member> int64_t of_worker() noexcept { return Worker::instance().statistics().*member; }

// Asking reads no file: before the first engine there is nothing to report.
template <int64_t PersistentCache::Statistics::*member> int64_t of_persistent_cache() noexcept {
  try {
    const PersistentCache* cache = persistent_cache_so_far();
    return cache == nullptr ? 0 : cache->statistics().*member;
  } catch (...) {
    return 0;  // no memory for the text among them
  }
}
using OnDisk = PersistentCache::Statistics;

using Programs = KernelCache::Totals;
template <std::atomic<int64_t> Programs::*member> int64_t of_programs() noexcept {
  return (KernelCache::totals().*member).load(std::memory_order_relaxed);
}

constexpr CounterRow kRows[] = {
    {"primitives_created", "Primitives newly made, those of models and those over a shared core included; not hits", false,
     kept<Counter::primitives_created>},
    {"primitive_cache_hits", "Primitives whose core and descriptors the cache had", false, of_primitive_cache<&CacheFigures::hits>},
    {"primitive_cache_waited", "Primitives that waited for another thread which was creating the same", false,
     of_primitive_cache<&CacheFigures::waited>},
    {"primitive_cache_churn_hits", "Primitives made over the one core of an operator whose shapes keep changing", false,
     []() noexcept { return PrimitiveCache::process().churn_hits(); }},
    {"primitive_cache_misses", "Primitives that the cache did not have, failures included", false,
     of_primitive_cache<&CacheFigures::misses>},
    {"primitive_cache_failures", "Misses that failed", false, of_primitive_cache<&CacheFigures::failures>},
    {"primitive_cache_evictions", "Entries dropped to keep the limit", false, of_primitive_cache<&CacheFigures::evictions>},
    {"primitive_cache_turned_dynamic", "Operators whose dims count as dynamic since their shapes kept changing", false,
     []() noexcept { return PrimitiveCache::process().turned_dynamic(); }},
    {"primitive_cache_entries", "Entries held now", true, of_primitive_cache<&CacheFigures::entries>},
    {"primitive_cache_bytes", "Bytes held now, keys included", true, of_primitive_cache<&CacheFigures::bytes>},
    {"tier_changes", "Entries put into tables of plans, those for which the reusable plan was best included", false,
     kept<Counter::tier_changes>},
    {"plans_tuned", "Nodes and primitives whose plans were measured to the end", false, kept<Counter::plans_tuned>},
    {"tuning_nanoseconds", "Time spent measuring plans, on whatever thread", false, kept<Counter::tuning_nanoseconds>},
    {"worker_requests", "Requests that the background worker accepted", false, of_worker<&WorkerStatistics::requested>},
    {"worker_dropped", "Requests dropped: the ring was full, or the time used up", false, of_worker<&WorkerStatistics::dropped>},
    {"worker_served", "Requests served", false, of_worker<&WorkerStatistics::served>},
    {"worker_failed", "Requests that failed, harmlessly", false, of_worker<&WorkerStatistics::failed>},
    {"worker_nanoseconds", "The background worker's time at work", false, of_worker<&WorkerStatistics::nanoseconds>},
    {"persistent_cache_hits", "Look-ups in memory that the persistent cache had a record for", false, of_persistent_cache<&OnDisk::hits>},
    {"persistent_cache_misses", "Look-ups in memory that it had none for", false, of_persistent_cache<&OnDisk::misses>},
    {"persistent_cache_stores", "Records that it wrote to the user's file", false, of_persistent_cache<&OnDisk::stores>},
    {"persistent_cache_store_failures", "Writes to its file that failed, harmlessly: a full or read-only disk, a locked file", false,
     of_persistent_cache<&OnDisk::store_failures>},
    {"persistent_cache_evictions", "Records dropped from its file to keep the limit", false, of_persistent_cache<&OnDisk::evicted>},
    {"persistent_cache_damaged_records", "Records whose checksum was wrong; they are not used", false,
     of_persistent_cache<&OnDisk::damaged_records>},
    {"persistent_cache_damaged_files", "Damaged files that were put aside for a new one", false,
     of_persistent_cache<&OnDisk::damaged_files>},
    {"persistent_cache_load_failures", "Files that could not be read when its index was made", false,
     of_persistent_cache<&OnDisk::load_failures>},
    {"persistent_cache_load_nanoseconds", "Time that reading its index took", false, of_persistent_cache<&OnDisk::load_nanoseconds>},
    {"persistent_cache_entries", "Records held in memory now", true, of_persistent_cache<&OnDisk::entries>},
    {"persistent_cache_bytes", "Bytes of them", true, of_persistent_cache<&OnDisk::index_bytes>},
    {"kernels_to_prepare", "Nodes of models on devices whose programs were to be compiled or loaded", false,
     kept<Counter::kernels_to_prepare>},
    {"kernels_prepared", "Those among them whose programs are there", false, kept<Counter::kernels_prepared>},
    {"programs_compiled", "Programs of devices that were compiled from source", false, of_programs<&Programs::compiled>},
    {"programs_loaded", "Programs of devices that came from binaries of the persistent cache", false, of_programs<&Programs::loaded>},
    {"programs_refused", "Binaries that were not used: damaged, of another driver, or refused by it", false,
     of_programs<&Programs::refused>},
    {"programs_compile_nanoseconds", "Time that compiling took, failures included", false, of_programs<&Programs::compile_nanoseconds>},
    {"programs_load_nanoseconds", "Time that loading binaries took, failures included", false, of_programs<&Programs::load_nanoseconds>},
    {"programs_specialised", "Programs of devices that were compiled for single calls, most of them dropped when measured", false,
     of_programs<&Programs::specialised>},
    {"programs_specialise_nanoseconds", "Time that compiling these took, failures included", false,
     of_programs<&Programs::specialise_nanoseconds>},
    {"programs_stored", "Programs whose binaries are in the persistent cache, for later processes", false, of_programs<&Programs::stored>},
};

}  // namespace

void count(Counter counter, int64_t n) noexcept { lines[static_cast<size_t>(counter)].value.fetch_add(n, std::memory_order_relaxed); }

std::span<const CounterRow> counters() noexcept { return kRows; }

}  // namespace anydim
