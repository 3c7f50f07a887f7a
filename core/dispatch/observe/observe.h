// SPDX-License-Identifier: Apache-2.0
// What primitives do, reported as it happens: verbose lines (ANYDIM_VERBOSE, docs/verbose.md) and a trace file (ANYDIM_TRACE).
// Off, it costs one load and one branch that is never taken; on, it may allocate, lock and write.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "core/dispatch/observe/call_text.h"
#include "core/tensor/dims.h"

namespace anydim {

class Primitive;

namespace observe {

enum : uint32_t { kExecutions = 1, kCreations = 2, kTrace = 4 };
inline constinit std::atomic<uint32_t> switches{0};  // written by start() and set_verbose() only

// Is anybody interested in these events (a mask)? This is what hot paths ask.
inline bool wants(uint32_t events) noexcept { return (switches.load(std::memory_order_relaxed) & (events | kTrace)) != 0; }

// Reads ANYDIM_VERBOSE, ANYDIM_VERBOSE_FILE, ANYDIM_TRACE and ANYDIM_TRACE_LIMIT_MB, the first time it is called in a process.
// What is wrong with them is reported on standard error; the library goes on without.
void start() noexcept;

// 0: no lines; 1: executions; 2: creations too. Any thread, any time.
void set_verbose(int level) noexcept;
int verbose_level() noexcept;

int64_t now() noexcept;  // nanoseconds of a steady clock

struct Execution {
  const Primitive* primitive = nullptr;
  std::string_view name;           // of the node; empty for a primitive of the caller's
  std::span<const TensorView> in;  // with or without those of the weights
  std::span<const TensorView> post_in, out;
  std::span<const int64_t> dim_attributes;  // evaluated
  int threads = 1;
  int64_t begin = 0, end = 0;
  int64_t scratch = -1;        // bytes; -1: not known
  Tier tier = Tier::reusable;  // of the plan that ran
};
void executed(const Execution& e) noexcept;
CallText describe_execution(const Execution& e);  // the line's contents

// source: where it came from, a short word of the primitive cache ("created", "hit").
void created(const Primitive& primitive, const char* source, int64_t begin, int64_t end) noexcept;

// Slices and instants of the trace that are no line.
void ran(std::string_view what, int64_t begin, int64_t end) noexcept;
void grew(std::string_view what, int64_t from_bytes, int64_t to_bytes) noexcept;

}  // namespace observe
}  // namespace anydim
