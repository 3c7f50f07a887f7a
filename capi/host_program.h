// SPDX-License-Identifier: Apache-2.0
// What a host program gives an engine to work with: its own loop and its own memory, as callbacks with an environment.
#pragma once

#include "anydim/anydim.h"
#include "core/engines/engine.h"

namespace anydim::capi {

// Fails for callbacks of which one is missing. The finalizers are not called before hand_over().
Status read_host(const anydim_engine_options_t& options, Engine::Host* out);

// From now on the finalizers are called, when the last user of the loop and of the memory has gone.
void hand_over(const Engine::Host& host) noexcept;

}  // namespace anydim::capi
