// SPDX-License-Identifier: Apache-2.0
// Keys of records as text; see record_key.h.
#include "core/dispatch/record_key.h"

#include "core/base/format.h"

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

std::string PlanKey::text() const {
  KeyText key("plan");
  key.add("kernel", kernel).add("revision", revision).add("problem", problem).add("dims", dims).add("threads", threads);
  for (const auto& [name, value] : engine) key.add(name, value);
  return key.take();
}

std::string BinaryKey::text() const {
  return KeyText("binary")
      .add("library", library)
      .add("engine", engine)
      .add("device", device)
      .add("driver", driver)
      .add("options", options)
      .add("kernel", kernel)
      .take();
}

}  // namespace anydim
