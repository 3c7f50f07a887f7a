// SPDX-License-Identifier: Apache-2.0
// XXH3 (128 bits, canonical) of bytes that pass by: shows whether bytes were damaged, and whether contents are equal. No protection
// against somebody who makes a collision by intent.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

namespace anydim {

using DigestValue = std::array<unsigned char, 16>;

class Digest {
 public:
  Digest();
  ~Digest();
  Digest(const Digest&) = delete;
  Digest& operator=(const Digest&) = delete;
  void append(const void* bytes, size_t count) noexcept;
  DigestValue value() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace anydim
