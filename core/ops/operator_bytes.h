// SPDX-License-Identifier: Apache-2.0
// Operators as bytes, for keys of caches: two operators have equal bytes exactly when describe() gives them the same text. In place
// up to half a kilobyte, so that writing a key allocates nothing. The bytes are of this process and version: nothing on disk is
// keyed by them.
#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "core/ops/op.h"

namespace anydim {

class KeyBytes {
 public:
  void append(const char* begin, size_t n) {
    if (size_ + n > in_place_) return append_elsewhere(begin, n);
    if (n > 0) std::memcpy(short_ + size_, begin, n);
    size_ += n;
  }
  void push_back(char c) { append(&c, 1); }
  const char* data() const noexcept { return long_.empty() ? short_ : long_.data(); }
  size_t size() const noexcept { return size_; }

 private:
  __attribute__((noinline)) void append_elsewhere(const char* begin, size_t n) {
    if (in_place_ > 0) long_.assign(short_, size_);
    in_place_ = 0;
    long_.append(begin, n);
    size_ = long_.size();
  }

  char short_[512];
  size_t size_ = 0, in_place_ = sizeof(short_);  // bytes there are, and may be in short_: none once they did not fit
  std::string long_;                             // all of them then
};

inline std::string_view view(const KeyBytes& key) noexcept { return {key.data(), key.size()}; }

// Plain numbers, as they lie in memory.
template <class T> void append_number(KeyBytes* key, T value) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  key->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// A length and its characters.
inline void append_text(KeyBytes* key, std::string_view text) {
  append_number(key, static_cast<uint32_t>(text.size()));
  key->append(text.data(), text.size());
}

// False if an attribute is symbolic: such an operator belongs to a graph, whose symbols have no meaning outside.
bool append_operator(KeyBytes* key, const Operator& op);

}  // namespace anydim
