// SPDX-License-Identifier: Apache-2.0
// What the CPU can do, found once by cpuid and the operating system's enabled state, lowered by ANYDIM_MAX_ISA
// (portable | avx2 | avx512 | avx512_vnni | avx512_bf16 | amx) so that tests can run every path.
#pragma once

#include <cstdint>

namespace anydim {

// Ordered: each includes those before it.
enum class Isa : uint8_t {
  portable = 0,
  avx2 = 1,    // AVX2 and FMA
  avx512 = 2,  // F, BW, DQ, VL
  avx512_vnni = 3,
  avx512_bf16 = 4,
  amx = 5,
};
const char* isa_name(Isa isa) noexcept;

struct CpuFeatures {
  Isa best = Isa::portable;                             // after ANYDIM_MAX_ISA
  Isa hardware = Isa::portable;                         // before it
  int64_t l1d = 32 << 10, l2 = 1 << 20, l3 = 16 << 20;  // bytes; l1d and l2 per core
  char name[64] = {};
};
const CpuFeatures& cpu() noexcept;

}  // namespace anydim
