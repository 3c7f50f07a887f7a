// SPDX-License-Identifier: Apache-2.0
// Keys of records as text; see record_key.h.
#include "core/dispatch/record_key.h"

#include "core/base/cpu.h"
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
  return KeyText("plan")
      .add("kernel", kernel)
      .add("revision", revision)
      .add("problem", problem)
      .add("dims", dims)
      .add("threads", threads)
      .add("l1d", l1d)
      .add("l2", l2)
      .add("l3", l3)
      .add("cpu", cpu)
      .take();
}

PlanKey plan_key_here(std::string kernel, int revision, std::string problem, std::string dims, int threads) {
  const CpuFeatures& here = anydim::cpu();
  return {std::move(kernel), revision, std::move(problem), std::move(dims), threads, here.l1d, here.l2, here.l3, here.name};
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
