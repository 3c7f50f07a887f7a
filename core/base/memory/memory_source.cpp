// SPDX-License-Identifier: Apache-2.0
// The thread's source of memory; see memory_source.h.
#include "core/base/memory/memory_source.h"

namespace anydim {

constinit thread_local const MemorySourcePtr* MemorySourceScope::current_ = nullptr;

}  // namespace anydim
