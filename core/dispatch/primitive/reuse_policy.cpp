// SPDX-License-Identifier: Apache-2.0
// Names of policies and which of several wins; see reuse_policy.h.
#include "core/dispatch/primitive/reuse_policy.h"

#include <cstring>
#include <iterator>

#include "core/base/environment.h"

#ifndef ANYDIM_BUILD_REUSE
#define ANYDIM_BUILD_REUSE automatic
#endif

namespace anydim {

namespace {

constexpr ReusePolicy kAll[] = {ReusePolicy::automatic, ReusePolicy::reusable, ReusePolicy::specialised, ReusePolicy::reusable_first};

ReusePolicy of_process() noexcept {
  static const ReusePolicy policy = [] {
    const char* words[std::size(kAll)];
    for (size_t i = 0; i < std::size(kAll); ++i) words[i] = policy_name(kAll[i]);
    const int setting = environment_word("ANYDIM_REUSE", words, -1);
    return setting < 0 ? ReusePolicy::inherit : kAll[setting];
  }();
  return policy;
}

}  // namespace

ResolvedPolicy resolve_policy(ReusePolicy primitive, ReusePolicy context) noexcept {
  if (primitive != ReusePolicy::inherit) return {primitive, PolicySource::primitive};
  if (context != ReusePolicy::inherit) return {context, PolicySource::context};
  if (of_process() != ReusePolicy::inherit) return {of_process(), PolicySource::process};
  return {ReusePolicy::ANYDIM_BUILD_REUSE, PolicySource::build};
}

const char* policy_name(ReusePolicy policy) noexcept {
  switch (policy) {
    case ReusePolicy::inherit: return "inherit";
    case ReusePolicy::automatic: return "auto";
    case ReusePolicy::reusable: return "reusable";
    case ReusePolicy::specialised: return "specialised";
    case ReusePolicy::reusable_first: return "reusable_first";
  }
  return "unknown";
}

const char* policy_source_name(PolicySource source) noexcept {
  switch (source) {
    case PolicySource::primitive: return "primitive";
    case PolicySource::context: return "context";
    case PolicySource::process: return "process";
    case PolicySource::build: return "build";
  }
  return "unknown";
}

bool parse_policy(const char* text, ReusePolicy* out) noexcept {
  for (const ReusePolicy p : kAll)
    if (std::strcmp(text, policy_name(p)) == 0) {
      *out = p;
      return true;
    }
  return false;
}

const char* tier_name(Tier tier) noexcept { return tier == Tier::reusable ? "reusable" : "specialised"; }

}  // namespace anydim
