// SPDX-License-Identifier: Apache-2.0
// Keys of primitives, and who makes them when; see primitive_cache.h.
#include "core/dispatch/caches/primitive_cache.h"

#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/base/threads/fork.h"
#include "core/dispatch/observe/observe.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/dispatch/tuning/plan_records.h"

namespace anydim {

namespace {

void append_attributes(KeyBytes* key, const PrimitiveAttributes& a, MathMode most) {
  // Where the operator has no kernels of a further mode they are all the strict ones.
  append_number(key, static_cast<uint8_t>(std::min(nearest(a.mode, MathMode::strict), most)));
  append_number(key, static_cast<uint8_t>(a.reuse));
  append_text(key, a.kernel);
  append_number(key, a.scratch_limit);
  append_number(key, static_cast<int32_t>(a.scratch_threads));
  append_number(key, static_cast<uint8_t>(a.post_ops.count));
  for (const PostOp& p : a.post_ops) {
    append_number(key, p.kind);
    append_number(key, p.unary);
    append_number(key, p.binary);
    append_number(key, p.alpha);
    append_number(key, p.beta);
  }
  append_number(key, static_cast<uint8_t>(a.quantization != nullptr));
  if (a.quantization) a.quantization->append_to(key);
}

// With its dims, or with their number alone.
void append_input(KeyBytes* key, const TensorDescriptor& t, bool wiped) {
  append_number(key, static_cast<uint8_t>(t.dtype));
  append_number(key, static_cast<uint8_t>(t.dims.rank));
  if (wiped) return;
  for (const DimDescriptor& d : t.dims) {
    append_number(key, d.dynamic() ? int64_t{-1} : d.value);
    if (!d.dynamic()) continue;
    append_number(key, d.promise.min);
    append_number(key, d.promise.max);
    append_number(key, d.promise.hint);
    append_number(key, d.promise.multiple_of);
  }
}

// False if such a primitive is not kept: a symbolic attribute, or weights of another operator or engine (which is an error that
// Primitive::create words).
bool append_key(KeyBytes* key, const Engine& engine, const Operator& op, std::span<const TensorDescriptor* const> in,
                const PrimitiveAttributes& attributes, const Weights* weights, bool wiped) {
  if (weights != nullptr && !same_device(weights->engine(), engine)) return false;
  if (!append_operator(key, op)) return false;
  const size_t begin = key->size();
  append_number(key, static_cast<uint8_t>(weights != nullptr));
  if (weights != nullptr) {
    const std::string_view form = weights->form();  // begins with the operator's bytes too
    if (form.substr(0, begin) != view(*key).substr(0, begin)) return false;
    key->append(form.data() + begin, form.size() - begin);
  }
  append_number(key, engine.device_id());
  append_attributes(key, attributes, std::max(engine.kernels().most(op.kind()), MathMode::strict));
  append_number(key, static_cast<uint32_t>(in.size()));
  for (const TensorDescriptor* t : in) append_input(key, *t, wiped);
  return true;
}

// What the allocator uses for small blocks: glibc's chunks fit, musl's have a few sizes, up to a quarter apart.
constexpr int64_t allocated(int64_t bytes) noexcept {
#if defined(__GLIBC__)
  return bytes;
#else
  return bytes + bytes / 4;
#endif
}
// What an entry keeps in memory. Of an operator only the base is known; few are larger than this.
int64_t bytes_of(const PrimitiveDescriptors& d) {
  constexpr int64_t kExpression = sizeof(DimExpr) + 256;  // with its normal form and the nodes that find it
  const size_t types = d.in.capacity() + d.out.capacity() + d.post_in.capacity();
  return allocated(static_cast<int64_t>(sizeof d + types * sizeof(TensorType)) + d.pool.size() * kExpression);
}
int64_t bytes_of(const PrimitiveCore& c) {
  int64_t bytes = static_cast<int64_t>(sizeof c + c.attributes().kernel.capacity()) + 512;
  if (const Quantization* q = c.attributes().quantization.get(); q != nullptr) {
    bytes += static_cast<int64_t>(sizeof *q);
    for (const auto* list : {&q->scale, &q->zero_point})
      for (const Quantization::Factors& f : *list) bytes += static_cast<int64_t>(f.values.capacity() * sizeof(float));
  }
  return allocated(bytes) + c.tiers().bytes();
}

bool may_get_plans(const PrimitiveCore& c) noexcept { return c.kernel().plan_revision() != 0; }

// With the core's watcher, which has the key once more.
constexpr int64_t kWatcher = 128;
int64_t bytes_of(const PrimitiveCore& core, const PrimitiveDescriptors& descriptors, std::string_view key) {
  return bytes_of(core) + bytes_of(descriptors) + (may_get_plans(core) ? kWatcher + static_cast<int64_t>(key.size()) : 0);
}
// As if the family had its core already: whether it will have one is not known when it is made.
int64_t family_bytes(size_t family, std::string_view wiped, int64_t tables) {
  return static_cast<int64_t>(family + sizeof(PrimitiveCore) + wiped.size()) + 512 + kWatcher + tables;
}

bool any_dynamic(std::span<const TensorDescriptor* const> in) noexcept {
  for (const TensorDescriptor* t : in)
    for (const DimDescriptor& d : t->dims)
      if (d.dynamic()) return true;
  return false;
}

}  // namespace

DescribedTypes::DescribedTypes(std::span<const TensorDescriptor* const> from) {
  in.reserve(from.size());
  for (const TensorDescriptor* t : from) {
    TensorType& type = in.emplace_back();
    type.dtype = t->dtype;
    for (int i = 0; i < t->dims.size(); ++i) {
      const DimDescriptor& d = t->dims[i];
      if (!d.dynamic()) {
        type.dims.push_back(d.value);
        continue;
      }
      DimPromise promise = d.promise;
      promise.max = std::min(promise.max, kMaxSize);
      type.dims.push_back(pool.symbol(formatted("input{}.{}", in.size() - 1, i), promise));
    }
  }
}

uint64_t PrimitiveCache::Hash::of(std::string_view key) noexcept { return XXH3_64bits(key.data(), key.size()); }

PrimitiveCache& PrimitiveCache::the() {
  // Leaked on purpose: primitives may be created by static destructors of the program.
  static auto* const cache = new PrimitiveCache(environment_number("ANYDIM_PRIMITIVE_CACHE_BYTES", PrimitiveCache::kDefaultLimit));
  return *cache;
}
void PrimitiveCache::before_fork() noexcept {
  the().maps_->entries.before_fork();
  the().maps_->families.before_fork();
}
void PrimitiveCache::after_fork_in_parent() noexcept {
  the().maps_->families.after_fork_in_parent();
  the().maps_->entries.after_fork_in_parent();
}
void PrimitiveCache::after_fork_in_child() noexcept {
  the().maps_->families.after_fork_in_child();
  the().maps_->entries.after_fork_in_child();
}

PrimitiveCache& PrimitiveCache::process() {
  ForkHandlers<before_fork, after_fork_in_parent, after_fork_in_child>::ensure();
  return the();
}

// A core calls its watcher as long as it lives, so that holds neither the core nor the cache.
void PrimitiveCache::watch_entry(std::string_view key, const PrimitiveCore& core) {
  core.tiers().watch([maps = std::weak_ptr<Maps>(maps_), key = std::string(key), core = &core] {
    const std::shared_ptr<Maps> cache = maps.lock();
    if (!cache) return;
    cache->entries.recharge(key,
                            [&](const Parts& parts) { return parts.core.get() == core ? bytes_of(*core, *parts.descriptors, key) : -1; });
  });
}

void PrimitiveCache::watch_family(std::string_view wiped, const Family& family, const PrimitiveCore& core) {
  core.tiers().watch([maps = std::weak_ptr<Maps>(maps_), key = std::string(wiped), family = &family, core = &core] {
    const std::shared_ptr<Maps> cache = maps.lock();
    if (!cache) return;
    const int64_t bytes = family_bytes(sizeof(Family), key, core->tiers().bytes());
    cache->families.recharge(key, [&](const std::shared_ptr<Family>& now) { return now.get() == family ? bytes : -1; });
  });
}

Status PrimitiveCache::family_of(std::string_view wiped, std::shared_ptr<Family>* out) {
  CacheHit hit;
  const auto create = [&](std::shared_ptr<Family>* family, int64_t* bytes) -> Status {
    *family = std::make_shared<Family>();
    *bytes = family_bytes(sizeof(Family), wiped, 0);
    return {};
  };
  return maps_->families.get(wiped, create, out, &hit);
}

Status PrimitiveCache::create(const EnginePtr& engine, const OperatorPtr& op, std::span<const TensorDescriptor* const> in,
                              const PrimitiveAttributes& attributes, const WeightsPtr& weights, PrimitivePtr* out, Creation* how,
                              const Preparation& prepare) {
  const int64_t begin = wall_clock();
  Creation creation;
  const auto finish = [&](Status status) {
    creation.nanoseconds = wall_clock() - begin;
    *how = creation;
    // What Primitive::create() made has its line already.
    if (observe::wants(observe::kCreations) && status.ok() && creation.hit != CacheHit::none && creation.hit != CacheHit::miss)
      observe::created(**out, cache_hit_name(creation.hit), begin, begin + creation.nanoseconds);
    return status;
  };
  PrimitivePtr made;  // by this call
  const auto make = [&]() -> Status {
    ANYDIM_TRY(Primitive::create(engine, op, DescribedTypes(in).inputs(), attributes, weights, &made));
    return prepare.run ? prepare.run(*made) : Status();
  };

  KeyBytes key;
  if (const bool kept = limit() > 0 && append_key(&key, *engine, *op, in, attributes, weights.get(), false); !kept) {
    Status status = make();
    if (status.ok()) *out = std::move(made);
    return finish(std::move(status));
  }
  const ReusePolicy policy = resolve_policy(attributes.reuse).policy;
  if (policy == ReusePolicy::specialised) append_number(&key, static_cast<int32_t>(prepare.threads));
  Parts parts;
  if (maps_->entries.find(view(key), &parts)) {
    creation.hit = CacheHit::hit;
    *out = std::make_shared<const Primitive>(std::move(parts.core), std::move(parts.descriptors), weights);
    return finish({});
  }

  std::shared_ptr<Family> family;
  KeyBytes wiped;
  if (policy == ReusePolicy::automatic && !any_dynamic(in)) {
    append_key(&wiped, *engine, *op, in, attributes, weights.get(), true);
    if (Status s = family_of(view(wiped), &family); !s.ok()) return finish(std::move(s));
    PrimitiveCorePtr core;
    {
      const std::lock_guard lock(family->mutex);
      core = family->core;
    }
    if (core) {
      if (Status s = Primitive::create_over(std::move(core), DescribedTypes(in).inputs(), weights, &made); !s.ok())
        return finish(std::move(s));
      if (made) {
        creation.hit = CacheHit::churn;
        churn_hits_.fetch_add(1, std::memory_order_relaxed);
        *out = std::move(made);
        return finish({});
      }
    }
  }

  const auto create_parts = [&](Parts* to, int64_t* bytes) -> Status {
    ANYDIM_TRY(make());
    *to = {made->core(), made->descriptors()};
    if (may_get_plans(*to->core)) watch_entry(view(key), *to->core);
    *bytes = bytes_of(*to->core, *to->descriptors, view(key));
    return {};
  };
  if (Status s = maps_->entries.get(view(key), create_parts, &parts, &creation.hit); !s.ok()) return finish(std::move(s));
  if (!made) {
    *out = std::make_shared<const Primitive>(std::move(parts.core), std::move(parts.descriptors), weights);
    return finish({});
  }
  if (family && creation.hit == CacheHit::miss) {
    const std::lock_guard lock(family->mutex);
    if (++family->misses >= kChurnMisses && !family->core) {
      // A core of its own: the one of this primitive may come to hold plans for its dims alone.
      auto core = std::make_shared<const PrimitiveCore>(engine, op, made->attributes(), made->kernel(), made->core()->executable());
      if (may_get_plans(*core)) watch_family(view(wiped), *family, *core);
      load_recorded_plans(*core);  // and is charged for them
      family->core = std::move(core);
      turned_dynamic_.fetch_add(1, std::memory_order_relaxed);
      creation.turned_dynamic = true;
    }
  }
  *out = std::move(made);
  return finish({});
}

}  // namespace anydim
