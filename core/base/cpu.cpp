// SPDX-License-Identifier: Apache-2.0
// Finding the CPU's features; see cpu.h.
#include "core/base/cpu.h"

#include <cstring>
#include <iterator>

#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

#include "core/base/environment.h"

namespace anydim {

namespace {

struct NamedSet {
  const char* name;
  Isa set;
};
// In the order that ANYDIM_MAX_ISA lowers by.
constexpr NamedSet kNamed[] = {
#define ANYDIM_EXTENSION(name, ...) {#name, Isa::name},
#define ANYDIM_SET ANYDIM_EXTENSION
#include "core/base/instruction_sets.def"
};
constexpr NamedSet kFeatures[] = {
#define ANYDIM_FEATURE(name, ...) {#name, {CpuFeature::name}},
#include "core/base/instruction_sets.def"
};

// avx512_vnni, neon_dot and others are a feature and a set with what the feature is of no use without: in a list the set is meant.
const NamedSet* find_word(std::string_view word) noexcept {
  for (const NamedSet& n : kNamed)
    if (word == n.name) return &n;
  for (const NamedSet& n : kFeatures)
    if (word == n.name) return &n;
  return nullptr;
}

Isa up_to(size_t named) noexcept {
  Isa all;
  for (size_t i = 0; i <= named; ++i) all = all | kNamed[i].set;
  return all;
}

#if defined(__x86_64__)
// The operating system must save the wider registers, or using them traps: XCR0 shows which are saved.
uint64_t enabled_state() {
  uint32_t lo = 0, hi = 0;
  __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  return (static_cast<uint64_t>(hi) << 32) | lo;
}

// Linux grants the AMX tile registers only to processes that ask (ARCH_REQ_XCOMP_PERM, feature 18).
bool amx_permitted() {
  constexpr long kArchReqXcompPerm = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kArchReqXcompPerm, kTileData) == 0;
}

// Registers of cpuid by leaf, and what has to be saved for a feature.
enum Word { ecx1, ebx7, ecx7, edx7, eax7_1, kWords };
enum State { ymm, zmm, tiles };
struct Bit {
  Word word;
  int at;
};
struct Probe {
  CpuFeature feature;
  State state;
  std::initializer_list<Bit> bits;
};

Isa detect() {
  uint32_t word[kWords] = {}, a = 0, b = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &word[ecx1], &d)) return {};
  constexpr uint32_t kOsxsave = 1u << 27;
  if ((word[ecx1] & kOsxsave) == 0) return {};
  if (!__get_cpuid_count(7, 0, &a, &word[ebx7], &word[ecx7], &word[edx7])) return {};
  uint32_t c = 0;
  if (!__get_cpuid_count(7, 1, &word[eax7_1], &b, &c, &d)) word[eax7_1] = 0;
  const uint64_t enabled = enabled_state();
  const bool wide = (enabled & 0xE6) == 0xE6;  // the wide registers and masks are saved
  const bool saved[] = {(enabled & 0x6) == 0x6, wide, (enabled & 0x60000) == 0x60000 && (word[edx7] & (1u << 24)) != 0 && amx_permitted()};
  static const Probe probes[] = {
#define ANYDIM_PROBE_x86(name, state, ...) {CpuFeature::name, state, {__VA_ARGS__}},
#define ANYDIM_PROBE_arm(...)
#define ANYDIM_FEATURE(name, processor, ...) ANYDIM_PROBE_##processor(name, __VA_ARGS__)
#include "core/base/instruction_sets.def"
  };
  Isa found;
  for (const Probe& p : probes) {
    bool there = saved[p.state];
    for (const Bit bit : p.bits) there = there && (word[bit.word] >> bit.at & 1) != 0;
    if (there) found = found | Isa{p.feature};
  }
  return found.includes(Isa::avx2) ? found : Isa::none;
}

void brand(char (&name)[64]) {
  uint32_t r[12] = {};
  for (uint32_t i = 0; i < 3; ++i)
    if (!__get_cpuid(0x80000002u + i, &r[4 * i], &r[4 * i + 1], &r[4 * i + 2], &r[4 * i + 3])) return;
  std::memcpy(name, r, sizeof(r));
  name[sizeof(r)] = 0;
}
#elif defined(__aarch64__)
Isa detect() {
  Isa found;
#define ANYDIM_PROBE_arm(name, word, bit) \
  if (getauxval(word) & (bit)) found = found | Isa{CpuFeature::name};
#define ANYDIM_PROBE_x86(...)
#define ANYDIM_FEATURE(name, processor, ...) ANYDIM_PROBE_##processor(name, __VA_ARGS__)
#include "core/base/instruction_sets.def"
  return found;
}
void brand(char (&)[64]) {}
#else
Isa detect() { return {}; }
void brand(char (&)[64]) {}
#endif

// In bytes. musl knows none, and glibc on aarch64 often 0.
void find_caches(CpuFeatures* f) {
#ifdef _SC_LEVEL1_DCACHE_SIZE
  const auto set = [](int64_t* size, int level) {
    if (const long v = sysconf(level); v > 0) *size = v;
  };
  set(&f->l1d, _SC_LEVEL1_DCACHE_SIZE);
  set(&f->l2, _SC_LEVEL2_CACHE_SIZE);
  set(&f->l3, _SC_LEVEL3_CACHE_SIZE);
#else
  (void)f;
#endif
}

CpuFeatures find() {
  CpuFeatures f;
  f.hardware = f.usable = detect();
  if (const char* limit = environment("ANYDIM_MAX_ISA"); limit != nullptr && !lower(&f.usable, limit))
    complain_of_environment("ANYDIM_MAX_ISA", limit,
                            "expected "
#define ANYDIM_EXTENSION(name, ...) #name ", "
#define ANYDIM_SET ANYDIM_EXTENSION
#include "core/base/instruction_sets.def"
                            "or features with + between them (avx2+avx_vnni); it is ignored");
  find_caches(&f);
  brand(f.name);
  return f;
}

}  // namespace

const char* isa_name(Isa features) noexcept {
  const char* name = kNamed[0].name;
  for (const NamedSet& n : kNamed)
    if (features.includes(n.set)) name = n.name;
  return name;
}

std::string features_text(Isa features) {
  std::string text;
  const char* last = nullptr;
  for (const NamedSet& n : kFeatures) {
    if (!features.includes(n.set)) continue;
    if (last != nullptr) text += (text.empty() ? "" : ", ") + std::string(last);
    last = n.name;
  }
  if (last != nullptr) text += (text.empty() ? "" : " and ") + std::string(last);
  return text;
}

bool lower(Isa* features, std::string_view limit) noexcept {
  for (size_t i = 0; i < std::size(kNamed); ++i)
    if (limit == kNamed[i].name) return *features = *features & up_to(i), true;
  Isa left;
  for (bool more = true; more;) {
    const size_t plus = limit.find('+');
    const NamedSet* word = find_word(limit.substr(0, plus));
    if (word == nullptr) return false;
    left = left | word->set;
    more = plus != std::string_view::npos;
    if (more) limit.remove_prefix(plus + 1);
  }
  *features = *features & left;
  return true;
}

constinit std::atomic<const CpuFeatures*> detail::found_cpu{nullptr};

const CpuFeatures& find_cpu() noexcept {
  static const CpuFeatures features = find();
  detail::found_cpu.store(&features, std::memory_order_release);
  return features;
}

}  // namespace anydim
