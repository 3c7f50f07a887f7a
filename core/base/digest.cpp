// SPDX-License-Identifier: Apache-2.0
// Digests by xxHash; see digest.h.
#include "core/base/digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstring>

namespace anydim {

struct Digest::State {
  XXH3_state_t hash;
};

Digest::Digest() : state_(std::make_unique<State>()) { XXH3_128bits_reset(&state_->hash); }
Digest::~Digest() = default;

void Digest::append(const void* bytes, size_t count) noexcept {
  if (count > 0) XXH3_128bits_update(&state_->hash, bytes, count);
}

DigestValue Digest::value() const noexcept {
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state_->hash));
  DigestValue value;
  static_assert(sizeof canonical.digest == sizeof value);
  std::memcpy(value.data(), canonical.digest, sizeof value);
  return value;
}

}  // namespace anydim
