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
constexpr NamedSet kNamed[] = {{"portable", Isa::portable},
                               {"avx2", Isa::avx2},
                               {"avx2_vnni", Isa::avx2_vnni},
                               {"avx512", Isa::avx512},
                               {"avx512_vnni", Isa::avx512_vnni},
                               {"avx512_bf16", Isa::avx512_bf16},
                               {"amx", Isa::amx},
                               {"neon", Isa::neon},
                               {"neon_dot", Isa::neon_dot}};

constexpr NamedSet kFeatures[] = {{"avx2", {CpuFeature::avx2}},
                                  {"avx_vnni", {CpuFeature::avx_vnni}},
                                  {"avx512f", {CpuFeature::avx512f}},
                                  {"avx512bw", {CpuFeature::avx512bw}},
                                  {"avx512dq", {CpuFeature::avx512dq}},
                                  {"avx512vl", {CpuFeature::avx512vl}},
                                  {"avx512_vnni", {CpuFeature::avx512_vnni}},
                                  {"avx512_bf16", {CpuFeature::avx512_bf16}},
                                  {"amx_tile", {CpuFeature::amx_tile}},
                                  {"amx_int8", {CpuFeature::amx_int8}},
                                  {"amx_bf16", {CpuFeature::amx_bf16}},
                                  {"neon", {CpuFeature::neon}},
                                  {"neon_dot", {CpuFeature::neon_dot}},
                                  {"neon_i8mm", {CpuFeature::neon_i8mm}},
                                  {"neon_bf16", {CpuFeature::neon_bf16}}};

// avx512_vnni, avx512_bf16 and neon_dot are a feature and a set with what the feature is of no use without: in a list the set is meant.
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

Isa detect() {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return {};
  const bool fma = c & (1u << 12), osxsave = c & (1u << 27), f16c = c & (1u << 29);
  if (!fma || !osxsave || !f16c) return {};
  const uint64_t state = enabled_state();
  if ((state & 0x6) != 0x6) return {};
  uint32_t a7 = 0, b7 = 0, c7 = 0, d7 = 0;
  if (!__get_cpuid_count(7, 0, &a7, &b7, &c7, &d7)) return {};
  const bool avx2 = b7 & (1u << 5), bmi1 = b7 & (1u << 3), bmi2 = b7 & (1u << 8);
  if (!avx2 || !bmi1 || !bmi2) return {};
  uint32_t a1 = 0, b1 = 0, c1 = 0, d1 = 0;
  if (!__get_cpuid_count(7, 1, &a1, &b1, &c1, &d1)) a1 = 0;
  Isa found = Isa::avx2;
  const auto add = [&found](bool there, CpuFeature f) {
    if (there) found = found | Isa{f};
  };
  add(a1 & (1u << 4), CpuFeature::avx_vnni);
  if ((state & 0xE6) == 0xE6) {  // the wide registers and masks are saved
    add(b7 & (1u << 16), CpuFeature::avx512f);
    add(b7 & (1u << 17), CpuFeature::avx512dq);
    add(b7 & (1u << 30), CpuFeature::avx512bw);
    add(b7 & (1u << 31), CpuFeature::avx512vl);
    add(c7 & (1u << 11), CpuFeature::avx512_vnni);
    add(a1 & (1u << 5), CpuFeature::avx512_bf16);
  }
  if ((d7 & (1u << 24)) && (state & 0x60000) == 0x60000 && amx_permitted()) {
    add(true, CpuFeature::amx_tile);
    add(d7 & (1u << 25), CpuFeature::amx_int8);
    add(d7 & (1u << 22), CpuFeature::amx_bf16);
  }
  return found;
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
  const unsigned long first = getauxval(AT_HWCAP), second = getauxval(AT_HWCAP2);
  Isa found = first & HWCAP_ASIMD ? Isa::neon : Isa::portable;
  if (first & HWCAP_ASIMDDP) found = found | Isa::neon_dot;
  if (second & HWCAP2_I8MM) found = found | Isa{CpuFeature::neon_i8mm};
  if (second & HWCAP2_BF16) found = found | Isa{CpuFeature::neon_bf16};
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
    complain_of_environment(
        "ANYDIM_MAX_ISA", limit,
        "expected portable, avx2, avx2_vnni, avx512, avx512_vnni, avx512_bf16, amx, neon or neon_dot, or features with + "
        "between them (avx2+avx_vnni); it is ignored");
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
