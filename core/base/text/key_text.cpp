// SPDX-License-Identifier: Apache-2.0
// Writing keys as text; see key_text.h.
#include "core/base/text/key_text.h"

#include "core/base/text/format.h"

namespace anydim {

KeyText& KeyText::add(std::string_view name, std::string_view value) {
  text_ += ';';
  text_ += name;
  text_ += '=';
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ';' || c == '=' || c == '%' || byte < 0x20 || byte >= 0x7f) text_ += formatted("%{:02x}", byte);
    else text_ += c;
  }
  return *this;
}

KeyText& KeyText::add(std::string_view name, int64_t value) { return add(name, std::string_view(std::to_string(value))); }

}  // namespace anydim
