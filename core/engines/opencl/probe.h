// SPDX-License-Identifier: Apache-2.0
// What a device really computes, asked with bits when an engine is made: promises of drivers are not always kept.
#pragma once

#include "core/base/status.h"

namespace anydim::opencl {

class OpenclEngine;

struct Probed {
  bool flushes = false;  // denormals are zeros to it
  bool imports = false;  // what it writes into imported memory of the host is there when the stream was waited for
};

// ok, or unimplemented with what differs: an fma of two roundings, contraction, a quotient or root that is not rounded right, denormals
// that are zeros (which `flushed_denormals` excuses, and nothing else).
Status probe_arithmetic(OpenclEngine& engine, bool flushed_denormals, bool try_import, Probed* out);

}  // namespace anydim::opencl
