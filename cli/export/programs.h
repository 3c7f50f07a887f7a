// SPDX-License-Identifier: Apache-2.0
// What stands around an exported model: a Makefile, an example, and a test with the hashes of the library's results.
#pragma once

#include "cli/client.h"
#include "cli/export/emit.h"

namespace anydim_cli::exporting {

// `model` is the same model in the library; its results at some dims within the bounds are hashed for the test.
void add_programs(const Program& program, const ExportNames& names, bool weights_as_c, const Model& model, ExportFiles* files);

// The example and the test of a stream; `model` was loaded with the same axes.
void add_stream_programs(const Program& program, const ExportNames& names, const Model& model, ExportFiles* files);

}  // namespace anydim_cli::exporting
