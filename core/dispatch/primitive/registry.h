// SPDX-License-Identifier: Apache-2.0
// Choosing among the kernels of an engine (core/engines/kernel_table.h): the first one that its device can run and that supports the
// problem.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/engines/engine.h"

namespace anydim {

// What a caller allows for scratch: bytes at these largest dims of inputs and outputs.
struct ScratchLimit {
  int64_t bytes = 0;
  std::span<const Dims> in, out;
  int threads = 1;
};

// The math mode that a problem comes down to: the furthest one, up to the problem's own, in which a kernel of the list takes it.
// What the device lacks and limits on scratch do not count, so that bits do not depend on them.
MathMode resolve_math(const Engine& engine, const Problem& problem) noexcept;

// Why a problem that was asked for in its mode came down to another one; empty if it did not.
std::string why_math(const Engine& engine, const Problem& requested, MathMode resolved);

// Why a kernel cannot do a problem whose mode was resolved, on this device or at all; null if it can.
const char* refusal_of(const Engine& engine, const Kernel& kernel, const Problem& problem, const ScratchLimit* limit = nullptr) noexcept;

// Why a kernel was not chosen; `because` is null for the chosen one. Those after it may be able to do the problem too.
struct Candidate {
  const Kernel* kernel;
  const char* because;
  bool able;
};

// Whether any kernel of the engine supports the problem. A question alone: who is to run it chooses with the functions below, once.
bool has_kernel(const Engine& engine, const Problem& problem) noexcept;

// Chooses, or fails with unimplemented and every refusal in the message. `forced` names one kernel, or is empty.
Status choose_kernel(const Engine& engine, const Problem& problem, std::string_view forced, const Kernel** out,
                     const ScratchLimit* limit = nullptr);

// A kernel that was chosen for a problem, and the executable that its engine prepared; null on a host engine.
struct KernelChoice {
  const Kernel* kernel = nullptr;
  ExecutablePtr executable;
  int64_t nanoseconds = 0;  // that preparing it took
};

// The same, and has the engine make the kernel ready; of kernels whose programs its compiler cannot make, the next one is used. In a graph
// this is done once for each node (Node::kernel): constants are packed for the kernel that the primitive then has.
Status choose_prepared(const Engine& engine, const Problem& problem, std::string_view forced, KernelChoice* out,
                       const ScratchLimit* limit = nullptr);

// The whole list with each refusal, in the order of preference.
std::vector<Candidate> list_candidates(const Engine& engine, const Problem& problem, const ScratchLimit* limit = nullptr);

}  // namespace anydim
