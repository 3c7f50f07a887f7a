// SPDX-License-Identifier: Apache-2.0
// Programs for single calls of a device's primitive (Engine::specialise): made, measured beside the reusable ones on the device itself, and
// published to the primitive where they gain at least 5 %. Compiles, so never called on a call's own time; until something is published,
// and where it is dropped, calls run as before.
#pragma once

#include "core/dispatch/primitive/primitive.h"
#include "core/dispatch/tuning/tuner.h"

namespace anydim {

// A call that may be given to its stream over and over: outputs are overwritten.
struct DeviceCall {
  const Primitive& primitive;
  Stream& stream;
  const Args& args;  // tensors without data
  std::span<const BufferRef> in, out, post_in;
  BufferRef scratch;
  int64_t scratch_bytes = 0;
};

// What decides whether a call gets a program of its own. Set by tests only, which must not depend on what they measure.
struct DeviceThresholds {
  double needed_ratio = 0.95;         // what it has to come down to beside the reusable one, at the worse end of a 95 % interval
  int64_t shortest_call = 20 * 1000;  // ns: of shorter ones giving them to the device is most
};
DeviceThresholds device_thresholds() noexcept;
void set_device_thresholds(const DeviceThresholds& thresholds) noexcept;

// Nanoseconds of one run as it is now, waiting shared by many; negative if the device fails.
int64_t time_device_call(const DeviceCall& call, const TuneOptions& options);
// Of options only stop and rest count. A choice that gains is among the primitive's executables, but in no table yet: publish it,
// or drop_device_choice().
TuneOutcome tune_device_call(const DeviceCall& call, const TuneOptions& options);
// Measures a choice once more, some time later, and drops it unless it gains again.
void confirm_device_choice(const DeviceCall& call, const TuneOptions& options, TuneOutcome* outcome);
void drop_device_choice(const Primitive& primitive, TuneOutcome* outcome);

}  // namespace anydim
