// SPDX-License-Identifier: Apache-2.0
// Finding the CPU's features; see cpu.h.
#include "core/base/cpu.h"

#include <cstring>
#include <iterator>

#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#endif

#include "core/base/environment.h"

namespace anydim {

namespace {

constexpr Isa kAll[] = {Isa::portable, Isa::avx2, Isa::avx512, Isa::avx512_vnni, Isa::avx512_bf16, Isa::amx};

#if defined(__x86_64__)
// The operating system must save the wider registers, or using them traps: XCR0 tells.
uint64_t enabled_state() {
  uint32_t lo = 0, hi = 0;
  __asm__ volatile("xgetbv" : "=a"(lo), "=d"(hi) : "c"(0));
  return (static_cast<uint64_t>(hi) << 32) | lo;
}

// Linux hands out the AMX tile registers only to processes that ask (ARCH_REQ_XCOMP_PERM, feature 18).
bool amx_permitted() {
  constexpr long kArchReqXcompPerm = 0x1023, kTileData = 18;
  return syscall(SYS_arch_prctl, kArchReqXcompPerm, kTileData) == 0;
}

Isa detect() {
  uint32_t a = 0, b = 0, c = 0, d = 0;
  if (!__get_cpuid(1, &a, &b, &c, &d)) return Isa::portable;
  const bool fma = c & (1u << 12), osxsave = c & (1u << 27), f16c = c & (1u << 29);
  if (!fma || !osxsave || !f16c) return Isa::portable;
  const uint64_t state = enabled_state();
  if ((state & 0x6) != 0x6) return Isa::portable;
  uint32_t a7 = 0, b7 = 0, c7 = 0, d7 = 0;
  if (!__get_cpuid_count(7, 0, &a7, &b7, &c7, &d7)) return Isa::portable;
  const bool avx2 = b7 & (1u << 5), bmi1 = b7 & (1u << 3), bmi2 = b7 & (1u << 8);
  if (!avx2 || !bmi1 || !bmi2) return Isa::portable;
  const bool f = b7 & (1u << 16), dq = b7 & (1u << 17), bw = b7 & (1u << 30), vl = b7 & (1u << 31);
  if (!f || !dq || !bw || !vl || (state & 0xE6) != 0xE6) return Isa::avx2;
  if (!(c7 & (1u << 11))) return Isa::avx512;
  uint32_t a1 = 0, b1 = 0, c1 = 0, d1 = 0;
  if (!__get_cpuid_count(7, 1, &a1, &b1, &c1, &d1) || !(a1 & (1u << 5))) return Isa::avx512_vnni;
  const bool amx = (d7 & (1u << 24)) && (d7 & (1u << 25)) && (d7 & (1u << 22)) && (state & 0x60000) == 0x60000;
  return amx && amx_permitted() ? Isa::amx : Isa::avx512_bf16;
}

void brand(char (&name)[64]) {
  uint32_t r[12] = {};
  for (uint32_t i = 0; i < 3; ++i)
    if (!__get_cpuid(0x80000002u + i, &r[4 * i], &r[4 * i + 1], &r[4 * i + 2], &r[4 * i + 3])) return;
  std::memcpy(name, r, sizeof(r));
  name[sizeof(r)] = 0;
}
#else
Isa detect() { return Isa::portable; }
void brand(char (&)[64]) {}
#endif

int64_t cache_size(int level, int64_t fallback) {
  const long v = sysconf(level);
  return v > 0 ? v : fallback;
}

CpuFeatures find() {
  CpuFeatures f;
  f.hardware = f.best = detect();
  const char* names[std::size(kAll)];
  for (size_t i = 0; i < std::size(kAll); ++i) names[i] = isa_name(kAll[i]);
  if (const int limit = environment_word("ANYDIM_MAX_ISA", names, -1); limit >= 0 && kAll[limit] < f.best) f.best = kAll[limit];
  f.l1d = cache_size(_SC_LEVEL1_DCACHE_SIZE, f.l1d);
  f.l2 = cache_size(_SC_LEVEL2_CACHE_SIZE, f.l2);
  f.l3 = cache_size(_SC_LEVEL3_CACHE_SIZE, f.l3);
  brand(f.name);
  return f;
}

}  // namespace

const char* isa_name(Isa isa) noexcept {
  switch (isa) {
    case Isa::portable: return "portable";
    case Isa::avx2: return "avx2";
    case Isa::avx512: return "avx512";
    case Isa::avx512_vnni: return "avx512_vnni";
    case Isa::avx512_bf16: return "avx512_bf16";
    case Isa::amx: return "amx";
  }
  return "unknown";
}

const CpuFeatures& cpu() noexcept {
  static const CpuFeatures features = find();
  return features;
}

}  // namespace anydim
