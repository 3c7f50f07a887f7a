// SPDX-License-Identifier: Apache-2.0
// Executions of primitives on engines that are not the host's: over places, by a stream, in scratch memory of the device.
#pragma once

#include "capi/objects.h"
#include "capi/views.h"

namespace anydim::capi {

// That every tensor lies where a call on this engine can use it. The message names `what`.
Status check_engine(const Engine& engine, const char* what, std::span<const TensorView> views, std::span<const BufferRef> places);

// As Primitive::submit, with the stream's own scratch memory. `own` of the inputs are the operator's, the others post-ops'.
Status submit(const Primitive& primitive, StreamObject& stream, size_t own, const InputViews& inputs, const OutputViews& outputs);

}  // namespace anydim::capi
