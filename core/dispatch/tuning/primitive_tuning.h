// SPDX-License-Identifier: Apache-2.0
// The specialised tier of a primitive outside of a graph: measuring its plans on tensors made for the purpose, at creation
// (policy specialised), by the background worker (reusable_first), or because a tool asks.
#pragma once

#include <span>

#include "core/dispatch/primitive/primitive.h"
#include "core/dispatch/tuning/tuner.h"

namespace anydim {

// Measures at these input dims (those of inputs that weights do not cover) with `parallel`, publishes what is faster with
// confidence for runs with `threads` threads, and records it if asked to. A kernel with one plan measures nothing, nor do dims
// whose tensors take more memory than the background worker may use.
Status tune_primitive(const Primitive& primitive, std::span<const Dims> in, const Parallel& parallel, int threads,
                      const TuneOptions& options, bool record, TuneOutcome* outcome);

// What the policy `specialised` does at creation: the dims of the descriptors, with the hint, else the maximum, of those
// that are dynamic. Nothing if one has neither, or if the operator refuses those dims together: a hint is no promise.
Status specialise_primitive(const Primitive& primitive, const Parallel& parallel);

}  // namespace anydim
