// SPDX-License-Identifier: Apache-2.0
// Lists of a saved program; see fields.h.
#include "core/program/saved/fields.h"

#include <algorithm>

namespace anydim::saved {

// A list grows with what was read of it: the number before it may be anything.
void visit_list(Archive& a, void* list, const ListType& type) {
  const size_t count = a.count(type.size(list));
  for (size_t i = 0; i < count && a.good(); ++i) {
    if (a.loads && i == type.size(list)) type.resize(list, std::min(count, std::max<size_t>(2 * i, 64)));
    type.visit(a, list, i);
  }
}

}  // namespace anydim::saved
