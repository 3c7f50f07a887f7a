// SPDX-License-Identifier: Apache-2.0
// Operators as bytes, for keys of caches: two operators have equal bytes exactly when same_operator() says that they are
// equal. In place up to half a kilobyte, so that writing a key allocates nothing. The bytes are of this process and
// version: nothing on disk is keyed by them.
#pragma once

#include <string_view>

#include "core/ops/op.h"

namespace anydim {

using KeyBytes = fmt::basic_memory_buffer<char, 512>;

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
