// SPDX-License-Identifier: Apache-2.0
// A digest of how all operators of this library are described, their attributes with names, types and words: who reads attributes that
// another build wrote compares it.
#pragma once

#include "core/base/digest.h"

namespace anydim {

const DigestValue& digest_of_operators();

}  // namespace anydim
