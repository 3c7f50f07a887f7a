// SPDX-License-Identifier: Apache-2.0
// Kernels of operators on strings: references, and two that find by hash.
#pragma once

#include "core/kernels/kernel.h"

namespace anydim {

KernelList strings_kernels() noexcept;

// By file.
extern const HostKernel* const kHashedStringLookup;  // compare.cpp
extern const HostKernel* const kStringLookup;        // compare.cpp
extern const HostKernel* const kStringEqual;         // compare.cpp
extern const HostKernel* const kStringConcat;        // make.cpp
extern const HostKernel* const kStringCase;          // make.cpp
extern const HostKernel* const kStringMatch;         // pieces.cpp
extern const HostKernel* const kCountStringPieces;   // pieces.cpp
extern const HostKernel* const kStringSplit;         // pieces.cpp
extern const HostKernel* const kHashedNgramCounts;   // ngrams.cpp
extern const HostKernel* const kNgramCounts;         // ngrams.cpp
extern const HostKernel* const kStringParse;         // numbers.cpp
extern const HostKernel* const kStringFormat;        // numbers.cpp

}  // namespace anydim
