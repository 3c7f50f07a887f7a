// SPDX-License-Identifier: Apache-2.0
// A driver's binary behind Anydim's header, with a checksum over all of it, a digest of what it was made for, and what the engine knows
// of its entries. Drivers abort on damaged binaries, or worse: compute something else; so they see none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/engines/opencl/program.h"

namespace anydim::opencl {

std::string pack_binary(std::string_view key, const std::vector<EntryFacts>& entries, std::string_view driver_bytes);
// `driver_bytes` is a part of `binary`. Fails with invalid_data.
Status unpack_binary(std::string_view key, std::string_view binary, std::vector<EntryFacts>* entries, std::string_view* driver_bytes);

}  // namespace anydim::opencl
