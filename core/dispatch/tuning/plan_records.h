// SPDX-License-Identifier: Apache-2.0
// Tuned plans between a primitive's tiers and the persistent cache. Reading looks at memory only and may happen when a
// primitive is made; writing touches the file and is for the worker and for tools.
#pragma once

#include <memory>
#include <span>

#include "core/base/status.h"
#include "core/dispatch/primitive/primitive_core.h"

namespace anydim {

// From now on primitives begin with the plans that are on record: called when an engine is made.
void use_plan_records();

// Puts what is on record for this core into its tiers; nothing if there is nothing, the kernel has one plan only, or the
// primitive itself was given the policy reusable. (Another place's reusable may be overruled by a context.)
void load_recorded_plans(const PrimitiveCore& core);

// Adds entries to the record of this core. Of entries for the same dims the newer ones stay.
Status record_plans(const PrimitiveCore& core, std::span<const TierEntry> entries);

}  // namespace anydim
