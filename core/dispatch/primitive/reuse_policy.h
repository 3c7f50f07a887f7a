// SPDX-License-Identifier: Apache-2.0
// The caller's preference about reusable and specialised kernels. A hint: it changes time, never results. It can be set on a
// primitive or model, on a context, for the process (ANYDIM_REUSE) and for the build (the CMake option ANYDIM_REUSE); the
// nearest that is set wins. docs/reuse.md explains the choice to users.
#pragma once

#include <cstdint>

namespace anydim {

enum class ReusePolicy : int32_t {
  inherit = 0,         // not set here: what is set farther out holds
  automatic = 1,       // the reusable plan, or a recorded one; nothing is measured on the CPU engine
  reusable = 2,        // the cost model's plan, always
  specialised = 3,     // measures before creation returns
  reusable_first = 4,  // as automatic, and measures in the background
};
enum class Tier : int32_t { reusable = 0, specialised = 1 };
// Where a policy was set, nearest first.
enum class PolicySource : int32_t { primitive, context, process, build };

struct ResolvedPolicy {
  ReusePolicy policy = ReusePolicy::automatic;  // never inherit
  PolicySource source = PolicySource::build;
};

// `primitive`, `context`: what was set there, or inherit. The variable is read once per process.
ResolvedPolicy resolve_policy(ReusePolicy primitive, ReusePolicy context = ReusePolicy::inherit) noexcept;

const char* policy_name(ReusePolicy policy) noexcept;  // "auto", "reusable", ...
const char* policy_source_name(PolicySource source) noexcept;
const char* tier_name(Tier tier) noexcept;
// False if the text is no policy.
bool parse_policy(const char* text, ReusePolicy* out) noexcept;

}  // namespace anydim
