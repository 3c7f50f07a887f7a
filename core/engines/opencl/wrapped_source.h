// SPDX-License-Identifier: Apache-2.0
// Entries that the engine writes around those of a kernel's source, which become functions (prelude.cl, WRAPPED): with all numbers in one
// argument, and with numbers in place of arguments. The kernel's own text is the same, and so are its bits.
#pragma once

#include <vector>

#include "core/engines/opencl/program.h"

namespace anydim::opencl {

// What the entries of a wrappable source are like (entry_parameters.cpp), in the order of their names there. No compiler is asked: it would
// take a tenth of a second. False: the text has something that is not understood; then the compiler reports it for entries as they are.
bool entries_in(const DeviceSource& source, std::vector<EntryFacts>* out);

// Each entry takes its numbers as one block. Drivers copy and free each argument of each launch: convolutions have 60. False: an entry has
// more than a device need accept. `entries` are as entries_in() has them, and get what the new ones are like.
bool with_numbers_in_one(const DeviceSource& source, std::vector<EntryFacts>* entries, DeviceSource* out);

// One entry with the call's integers as constants; offsets and floats stay arguments.
bool with_constants(const DeviceSource& source, const DeviceWork& work, DeviceSource* out);

}  // namespace anydim::opencl
