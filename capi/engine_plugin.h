// SPDX-License-Identifier: Apache-2.0
// Engines from outside: engine_registration.cpp takes them from a program or a shared object and checks their definitions,
// engine_plugin.cpp makes engines of the core of them.
#pragma once

#include <memory>

#include "anydim/anydim.h"
#include "core/base/status.h"

namespace anydim::capi {

// Adds the kind of engine that a definition describes, which was checked. `library`, whose functions these are, is kept until nothing of
// the kind is left; null: they are the program's own.
Status register_plugin(const anydim_engine_definition_t& definition, std::shared_ptr<const void> library, int32_t* kind);

}  // namespace anydim::capi
