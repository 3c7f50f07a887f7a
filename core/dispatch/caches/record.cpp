// SPDX-License-Identifier: Apache-2.0
// Names and checksums of records; see record_file.h.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "core/dispatch/caches/record_file.h"

namespace anydim {

const char* record_kind_name(RecordKind kind) noexcept {
  switch (kind) {
    case RecordKind::plan: return "plan";
    case RecordKind::binary: return "binary";
  }
  return "unknown";
}

const char* record_file_name() noexcept { return "cache-1.sqlite"; }
static_assert(kRecordRevision == 1, "the file's name carries the revision");

const char* record_origin() noexcept { return "anydim " ANYDIM_VERSION_TEXT; }

std::atomic<int> FileWork::under_way{0};

std::string record_checksum(const Record& record) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  const auto number = [&state](int64_t value) {
    unsigned char bytes[8];  // little-endian whatever the machine
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned char>(static_cast<uint64_t>(value) >> (8 * i));
    XXH3_128bits_update(&state, bytes, sizeof bytes);
  };
  // Lengths first: no two records have the same sequence of bytes.
  const auto text = [&](const std::string& t) {
    number(static_cast<int64_t>(t.size()));
    XXH3_128bits_update(&state, t.data(), t.size());
  };
  number(kRecordRevision);
  number(static_cast<int64_t>(record.kind));
  text(record.key);
  text(record.value);
  text(record.origin);
  number(record.created);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
  return {reinterpret_cast<const char*>(canonical.digest), sizeof canonical.digest};
}

}  // namespace anydim
