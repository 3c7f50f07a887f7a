// SPDX-License-Identifier: Apache-2.0
// For tests only: instructions of other x86-64 CPUs, executed by a handler of SIGILL, so that tests run the machine code that ships,
// encodings included. AVX-VNNI (VPDPBUSD, VPDPBUSDS, VPDPWSSD and VPDPWSSDS with VEX) and AMX for integers and bf16. An instruction that the CPU
// has runs there: no signal comes. What a CPU refuses (tiles that are not configured, or whose shapes do not fit) ends the program.
#pragma once

#include <cstdint>

#include "core/base/cpu.h"

namespace anydim::testing {

// Installs the handler, for good. The features that are then there beside the CPU's: avx_vnni where it has AVX2, AMX where it has
// AVX-512 VNNI, whose kernels use it.
Isa emulate_instructions() noexcept;

// How many instructions were, in this process.
int64_t emulated_instructions() noexcept;

// With ANYDIM_TEST_EMULATE=1: installs the handler, and cpu() has these features from now on, less what ANYDIM_MAX_ISA takes. Call it
// before anything has asked for the list of kernels. No library or program that ships has this function.
bool emulate_if_asked() noexcept;

}  // namespace anydim::testing
