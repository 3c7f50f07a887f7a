// SPDX-License-Identifier: Apache-2.0
// The library's own machine code and constants, and threads' stacks, as memory: a page of them that nobody has used yet is not
// mapped, and the first call that needs it would stall for a page fault.
#pragma once

namespace anydim {

// Reads a byte of each page, but of kernels for other CPUs and of what only loads models, once per process: about 3 MB. A context
// does so when it is made.
void touch_code_pages() noexcept;

// Writes to each page of what kernels may use of the calling thread's stack: 112 KB below here. A tile that takes the products of a
// layer in parts, because a core's L2 does not hold the layer's panels, keeps 70 KB of sums there. Workers do so when they start, a
// context with bounds for the thread that makes it.
void touch_stack() noexcept;

}  // namespace anydim
