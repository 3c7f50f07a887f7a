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
  void append(const char* begin, const char* end) {
    const auto n = static_cast<size_t>(end - begin);
    if (long_.empty() && n <= sizeof(short_) - size_) {
      if (n > 0) std::memcpy(short_ + size_, begin, n);
    } else {
      if (long_.empty()) long_.assign(short_, size_);
      long_.append(begin, end);
    }
    size_ += n;
  }
  void push_back(char c) { append(&c, &c + 1); }
  const char* data() const noexcept { return long_.empty() ? short_ : long_.data(); }
  size_t size() const noexcept { return size_; }

 private:
  char short_[512];
  size_t size_ = 0;
  std::string long_;  // all of them, once they do not fit
};

inline std::string_view view(const KeyBytes& key) noexcept { return {key.data(), key.size()}; }

// Plain numbers, as they lie in memory.
template <class T> void append_number(KeyBytes* key, T value) {
  static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
  const char* at = reinterpret_cast<const char*>(&value);
  key->append(at, at + sizeof(T));
}

// A length and its characters.
inline void append_text(KeyBytes* key, std::string_view text) {
  append_number(key, static_cast<uint32_t>(text.size()));
  key->append(text.data(), text.data() + text.size());
}

// False if an attribute is symbolic: such an operator belongs to a graph, whose symbols have no meaning outside.
bool append_operator(KeyBytes* key, const Operator& op);

}  // namespace anydim
