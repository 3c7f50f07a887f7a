// SPDX-License-Identifier: Apache-2.0
// Keys of records as text; see record_key.h.
#include "core/dispatch/caches/record_key.h"

#include "core/base/text/key_text.h"

namespace anydim {

std::string PlanKey::text() const {
  KeyText text("plan");
  text.add("kernel", kernel).add("key", key).add("revision", revision).add("problem", problem).add("dims", dims).add("threads", threads);
  for (const auto& [name, value] : engine) text.add(name, value);
  return text.take();
}

}  // namespace anydim
