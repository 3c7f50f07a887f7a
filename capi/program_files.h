// SPDX-License-Identifier: Apache-2.0
// Loading programs that were saved (core/program/saved) through the functions that load models.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "capi/model_objects.h"

namespace anydim::capi {

// Do the bytes of a file begin as those of a saved program?
bool is_program_file(std::string_view bytes) noexcept;

// The program in the file `name`, mapped, or in a copy of `bytes`. Options that say how a program is made are refused, all at once;
// `unpacked`: constants as they are were asked for, which are not there.
Status load_program_file(EngineObject& engine, const std::string& name, const std::string_view* bytes,
                         const anydim_model_options_t& options, bool unpacked, std::unique_ptr<ModelObject>* out);

}  // namespace anydim::capi
