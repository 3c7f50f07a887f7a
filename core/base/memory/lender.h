// SPDX-License-Identifier: Apache-2.0
// Who provides bytes that others read where they lie: a mapped file, the buffer of a caller. Knows nothing of what is in them.
#pragma once

#include <cstddef>

namespace anydim {

class Lender {
 public:
  virtual ~Lender() = default;
  // Whether the bytes stay as they are for as long as this exists. Otherwise they do so until the end of the load that they were provided
  // for: who wants them for longer copies them.
  virtual bool stays() const noexcept { return false; }
  // Hints that these of the provided bytes are rarely read again, so that their pages may be released. They stay readable.
  virtual void discard(const void* /*begin*/, size_t /*bytes*/) const noexcept {}
};

}  // namespace anydim
