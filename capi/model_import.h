// SPDX-License-Identifier: Apache-2.0
// Models as handles, made of a file or of bytes: of ONNX's format (model_import.cpp), or of saved programs (program_files.h). A build
// without the importer (ANYDIM_IMPORTER, docs/subset-builds.md) has model_import_absent.cpp, which takes programs alone.
#pragma once

#include <memory>
#include <string_view>

#include "capi/model_objects.h"

namespace anydim::capi {

// unpacked: constants stay as they are in the file, for who writes the program out.
Status load_model_file(EngineObject& engine, std::string_view path, const anydim_model_options_t& options, bool unpacked,
                       std::unique_ptr<ModelObject>* out);
Status load_model_memory(EngineObject& engine, std::string_view bytes, const anydim_model_options_t& options,
                         std::unique_ptr<ModelObject>* out);

}  // namespace anydim::capi
