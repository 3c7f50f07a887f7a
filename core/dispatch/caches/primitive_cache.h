// SPDX-License-Identifier: Apache-2.0
// The process's primitive cache: what anydim_primitive_create goes through. Model nodes are made once and kept by their
// model; they do not.
//
// An entry is a core and descriptors (primitive_core.h), never weights: its key names the weights' types and packed
// form, not their values. So the cache pins no weights, layers that are alike share an entry, and an update of weights
// changes nothing here; a hit joins the entry with the weights at hand. The layout a descriptor promises belongs to the
// caller's handle and is not in the key either.
//
// The key is the configuration as bytes: engine, operator, post-ops, mode (as far as the operator's kernels go), scales and zero
// points, reuse policy, forced kernel, inputs (dtype, and per
// dim the number or min, max, multiple_of and hint), weights' form, for policy specialised the threads. Equal bytes and equal configurations are the same.
//
// Tables of plans grow in cores that are in the cache, by up to 40 kB each. A core's tiers inform the cache of every
// publication, which charges the entry again and evicts for it: the limit holds for all that entries keep, but for the one
// table that is being published. A core whose kernel has one plan never has a table and is not watched. Hits know nothing of
// this.
//
// Shape churn: policy auto, no dim dynamic, and the key was missing, again and again for one operator while all but the
// dims was the same. After kChurnMisses such misses the operator counts as one with dynamic dims: the cache holds one
// core for all its shapes, and a primitive for further dims is made over it. That costs a miss's time but for the core,
// takes no entry, and the primitive still holds the caller to its own dims.
#pragma once

#include <functional>

#include "core/base/threads/single_flight_cache.h"
#include "core/dispatch/primitive/primitive.h"
#include "core/ops/operator_bytes.h"

namespace anydim {

// A dim as a caller describes it: a number, or dynamic (value < 0) with what is promised of it.
struct DimDescriptor {
  int64_t value = 0;
  DimPromise promise;
  bool dynamic() const noexcept { return value < 0; }
};
struct TensorDescriptor {
  DType dtype = DType::none;
  RankArray<DimDescriptor> dims;
};

// The descriptors as types, their dynamic dims as symbols of a pool.
struct DescribedTypes {
  DimPool pool;
  std::vector<TensorType> in;

  explicit DescribedTypes(std::span<const TensorDescriptor* const> from);
  // Tensors of post-ops have the output's dtype and any dims that broadcast to it, so they take no descriptor.
  PrimitiveInputs inputs() const noexcept { return {&pool, in, {}, {}}; }
};

// How a primitive came to be.
struct Creation {
  CacheHit hit = CacheHit::none;
  int64_t nanoseconds = 0;      // of the call below
  bool turned_dynamic = false;  // this miss was the one that made the operator's dims dynamic: worth a log line
};

// Sees a primitive that was made again before anybody else does; if it fails, the creation does. Policy specialised measures
// its plans there, for so many threads: with that policy their number is part of the key.
struct Preparation {
  std::function<Status(const Primitive&)> run;
  int threads = 1;
};

class PrimitiveCache {
 public:
  static constexpr int64_t kDefaultLimit = 4 << 20;  // bytes: about 2,000 convolutions
  static constexpr int kChurnMisses = 8;

  // The one of this process, its limit from ANYDIM_PRIMITIVE_CACHE_BYTES. A forked child begins with an empty one.
  static PrimitiveCache& process();
  explicit PrimitiveCache(int64_t limit) : maps_(std::make_shared<Maps>(limit)), limit_(limit) {}

  // A primitive for these inputs (those that weights do not hold), from the cache where it is available. Statuses
  // and messages are Primitive::create()'s, or those of the preparation.
  Status create(const EnginePtr& engine, const OperatorPtr& op, std::span<const TensorDescriptor* const> in,
                const PrimitiveAttributes& attributes, const WeightsPtr& weights, PrimitivePtr* out, Creation* how,
                const Preparation& prepare = {});

  void clear() {
    maps_->entries.clear();
    maps_->families.clear();
  }
  // Bytes of all it holds; 0 is off.
  void set_limit(int64_t bytes) {
    limit_.store(bytes, std::memory_order_relaxed);
    maps_->entries.set_limit(share(bytes));
    maps_->families.set_limit(bytes - share(bytes));
  }
  int64_t limit() const noexcept { return limit_.load(std::memory_order_relaxed); }
  // Of the entries; `bytes` is with the families'.
  CacheFigures figures() const noexcept {
    CacheFigures f = maps_->entries.figures();
    f.bytes += maps_->families.figures().bytes;
    return f;
  }
  int64_t churn_hits() const noexcept { return churn_hits_.load(std::memory_order_relaxed); }
  int64_t turned_dynamic() const noexcept { return turned_dynamic_.load(std::memory_order_relaxed); }

 private:
  static PrimitiveCache& the();
  static void before_fork() noexcept;
  static void after_fork_in_parent() noexcept;
  static void after_fork_in_child() noexcept;

  struct Parts {
    PrimitiveCorePtr core;
    PrimitiveDescriptorsPtr descriptors;
  };
  // What differs in dims only: how often it was missing, and the core for all of them once that was often.
  struct Family {
    std::mutex mutex;
    int misses = 0;
    PrimitiveCorePtr core;
  };
  struct Hash {
    static uint64_t of(std::string_view key) noexcept;
  };
  static int64_t share(int64_t limit) noexcept { return limit - limit / 8; }  // an eighth is the families'

  Status family_of(std::string_view wiped, std::shared_ptr<Family>* out);

  // Shared with the watchers of cores, which may outlive a cache that is not the process's.
  struct Maps {
    explicit Maps(int64_t limit) noexcept : entries(share(limit)), families(limit - share(limit)) {}
    SingleFlightCache<Parts, Hash> entries;
    SingleFlightCache<std::shared_ptr<Family>, Hash> families;
  };
  void watch_entry(std::string_view key, const PrimitiveCore& core);
  void watch_family(std::string_view wiped, const Family& family, const PrimitiveCore& core);

  const std::shared_ptr<Maps> maps_;
  std::atomic<int64_t> limit_;
  std::atomic<int64_t> churn_hits_{0}, turned_dynamic_{0};
};

}  // namespace anydim
