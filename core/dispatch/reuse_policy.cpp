// SPDX-License-Identifier: Apache-2.0
// Names of policies and tiers, as people write them in ANYDIM_REUSE and read them in explain.
#include "core/dispatch/reuse_policy.h"

namespace anydim {

const char* policy_name(ReusePolicy policy) noexcept {
  switch (policy) {
    case ReusePolicy::automatic: return "auto";
    case ReusePolicy::reusable: return "reusable";
    case ReusePolicy::specialised: return "specialised";
    case ReusePolicy::reusable_first: return "reusable_first";
  }
  return "unknown";
}

const char* tier_name(Tier tier) noexcept { return tier == Tier::reusable ? "reusable" : "specialised"; }

}  // namespace anydim
