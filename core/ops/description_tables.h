// SPDX-License-Identifier: Apache-2.0
// The generated tables behind description.h, for description.cpp alone. Names are places in one array of characters: pointers
// would have to be relocated when the library is loaded.
#pragma once

#include "core/ops/description.h"

namespace anydim::described {

struct WordList {
  uint16_t first, count;  // in kWords
};

struct OperatorEntry {
  uint16_t name_place;
  uint16_t first_field, field_count;
  uint32_t traits;
  uint16_t optional;                                                // a bit for each operand
  Result<OperatorPtr> (*make)(FillAttributes fill, void* context);  // null: left out of a subset build
};

extern const char kTexts[];
extern const uint16_t kWords[];  // places in kTexts
extern const WordList kWordLists[];
extern const AttributeField kFields[];
extern const OperatorEntry kOperators[];  // from OpKind 1 on
extern const uint8_t kParameters[];       // by UnaryFunction

}  // namespace anydim::described
