// SPDX-License-Identifier: Apache-2.0
// The library's own machine code and constants as memory: a page of them that nobody has run yet is not mapped, and the first
// call that needs it would stall for a page fault.
#pragma once

namespace anydim {

// Reads a byte of each page, but of kernels for other CPUs and of what only loads models, once per process: about 3 MB. A context
// does so when it is made.
void touch_code_pages() noexcept;

}  // namespace anydim
