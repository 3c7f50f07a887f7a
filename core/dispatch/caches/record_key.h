// SPDX-License-Identifier: Apache-2.0
// Keys of tuned plans in the persistent cache: everything that a plan's worth depends on, as text that a person can read:
// "plan;kernel=gemm_f32_avx512;revision=2;dims=m:1..8;threads=2;...". Two keys are equal if their texts are. Keys of compiled
// programs are in core/engines/kernel_cache.h.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace anydim {

// A tuned plan. The kernel family's own revision is in the key and the library's version is not: an upgrade keeps what was
// measured unless the family changed its plans.
struct PlanKey {
  std::string kernel;   // the kernel's name, instruction set included
  std::string key;      // key_text() of its key
  int revision = 0;     // of the kernel family's plans
  std::string problem;  // what else the kernel sees and the dims do not say: operator, attributes, weights' dims, post-ops
  std::string dims;     // dims or a bucket of them: "n:1,h:65..128"
  int threads = 1;
  // What the engine says of itself, in its order: the CPU its caches and its name.
  std::span<const std::pair<std::string, std::string>> engine;
  std::string text() const;
};

}  // namespace anydim
