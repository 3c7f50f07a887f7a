// SPDX-License-Identifier: Apache-2.0
// What the CPU can do, as a set of features: found once by cpuid (or the kernel's word, on other architectures) and the operating
// system's enabled state, lowered by ANYDIM_MAX_ISA so that tests can run every path.
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace anydim {

// One bit each. Features are no ladder: a CPU may have AVX-VNNI and no AVX-512, or NEON with or without dot products.
enum class CpuFeature : uint8_t {
#define ANYDIM_FEATURE(name, ...) name,
#include "core/base/instruction_sets.def"
};

// What a library is built for. Code of another processor's instruction sets is not in it.
enum class Processor : uint8_t { any, x86, arm };
constexpr bool is_built_for(Processor p) noexcept {
#if defined(__x86_64__)
  return p == Processor::any || p == Processor::x86;
#elif defined(__aarch64__)
  return p == Processor::any || p == Processor::arm;
#else
  return p == Processor::any;
#endif
}

// An instruction set: the features that machine code needs, or that a CPU has. Sets that kernels are compiled for have names.
class Isa {
 public:
  constexpr Isa() = default;
  constexpr Isa(std::initializer_list<CpuFeature> features) noexcept {
    for (const CpuFeature f : features) bits_ |= uint32_t{1} << static_cast<int>(f);
  }
  constexpr bool includes(Isa other) const noexcept { return (other.bits_ & ~bits_) == 0; }
  constexpr Isa without(Isa other) const noexcept { return Isa(bits_ & ~other.bits_); }
  friend constexpr Isa operator|(Isa a, Isa b) noexcept { return Isa(a.bits_ | b.bits_); }
  friend constexpr Isa operator&(Isa a, Isa b) noexcept { return Isa(a.bits_ & b.bits_); }
  friend constexpr bool operator==(Isa, Isa) = default;

  static const Isa none;  // what `portable` adds to
#define ANYDIM_SET(name, ...) static const Isa name;
#define ANYDIM_EXTENSION(name, ...) static const Isa name;
#include "core/base/instruction_sets.def"

 private:
  explicit constexpr Isa(uint32_t bits) noexcept : bits_(bits) {}
  uint32_t bits_ = 0;
};

inline constexpr Isa Isa::none{};
#define ANYDIM_EXTENSION(name, processor, base, suffix, flags, ...) \
  inline constexpr Isa Isa::name = [] {                             \
    using enum CpuFeature;                                          \
    return Isa::base | Isa{__VA_ARGS__};                            \
  }();
#define ANYDIM_SET ANYDIM_EXTENSION
#include "core/base/instruction_sets.def"

// The name of the last set in the order of ANYDIM_MAX_ISA that lies in `features`: of a kernel its own, of a CPU its best.
const char* isa_name(Isa features) noexcept;

// The features one by one: "avx512f, avx512bw and avx512vl".
std::string features_text(Isa features);

// Takes from `features` what ANYDIM_MAX_ISA=`limit` does not leave. A set's name leaves that set and all before it in
// instruction_sets.def. A list with + between its words, each a feature or a set's name, leaves these and no others: avx2+avx_vnni,
// avx512f. False for anything else.
bool lower(Isa* features, std::string_view limit) noexcept;

struct CpuFeatures {
  Isa usable;                                           // after ANYDIM_MAX_ISA
  Isa hardware;                                         // before it
  int64_t l1d = 32 << 10, l2 = 1 << 20, l3 = 16 << 20;  // bytes; l1d and l2 per core
  char name[64] = {};
};

// Found when it is first asked for. Plans ask at each new shape, so what was found is a load away.
const CpuFeatures& find_cpu() noexcept;
namespace detail {
extern constinit std::atomic<const CpuFeatures*> found_cpu;
}
inline const CpuFeatures& cpu() noexcept {
  const CpuFeatures* const found = detail::found_cpu.load(std::memory_order_acquire);
  return found != nullptr ? *found : find_cpu();
}

}  // namespace anydim
