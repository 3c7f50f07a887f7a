// SPDX-License-Identifier: Apache-2.0
// Descriptions of operators as one digest; see operator_digest.h.
#include "core/ops/operator_digest.h"

#include <cstring>

#include "core/ops/description.h"
#include "core/ops/scalar_functions.h"

namespace anydim {

namespace {

DigestValue digest() {
  Digest all;
  const auto add = [&](const char* name) { all.append(name, std::strlen(name) + 1); };
  for (int k = 1; k < static_cast<int>(OpKind::count_); ++k) {
    add(op_name(static_cast<OpKind>(k)));
    for (const AttributeField& f : attributes_of(static_cast<OpKind>(k))) {
      add(f.name());
      all.append(&f.type, sizeof f.type);
      for (int word = 0, n = f.type == AttributeType::word ? word_count(f) : 0; word < n; ++word) add(word_name(f, word));
    }
  }
  for (int f = 0; f < static_cast<int>(UnaryFunction::count_); ++f) add(function_name(static_cast<UnaryFunction>(f)));
  for (int f = 0; f < static_cast<int>(BinaryFunction::count_); ++f) add(function_name(static_cast<BinaryFunction>(f)));
  return all.value();
}

}  // namespace

const DigestValue& digest_of_operators() {
  static const DigestValue value = digest();
  return value;
}

}  // namespace anydim
