// SPDX-License-Identifier: Apache-2.0
// The fixed set of reusable kernels that ship in the library. Its order is the preference, as data; nothing in it is
// ever evicted. Choosing is: the first kernel that this CPU can run and that supports the problem.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/kernels/kernel.h"

namespace anydim {

// Kernels for an operator, best first, those for instruction sets that this CPU lacks included.
std::span<const Kernel* const> registered_kernels(OpKind kind) noexcept;

// All of them, for listings.
std::span<const Kernel* const> registered_kernels() noexcept;

// What a caller allows for scratch: bytes at these largest dims of inputs and outputs.
struct ScratchLimit {
  int64_t bytes = 0;
  std::span<const Dims> in, out;
  int threads = 1;
};

// Why a kernel cannot do a problem, on this machine or at all; null if it can.
const char* refusal_of(const Kernel& kernel, const Problem& problem, const ScratchLimit* limit = nullptr) noexcept;

// Why a kernel was not chosen; `because` is null for the chosen one. Those after it may be able to do the problem too.
struct Candidate {
  const Kernel* kernel;
  const char* because;
  bool able;
};

// Chooses, or fails with unimplemented and every refusal in the message. `forced` names one kernel, or is empty.
Status choose_kernel(const Problem& problem, std::string_view forced, const Kernel** out, const ScratchLimit* limit = nullptr);

// The whole list with each refusal, in the order of preference.
std::vector<Candidate> list_candidates(const Problem& problem, const ScratchLimit* limit = nullptr);

}  // namespace anydim
