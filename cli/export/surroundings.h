// SPDX-License-Identifier: Apache-2.0
// What stands around an exported model: a Makefile, an example.
#pragma once

#include "cli/export/emit.h"

namespace anydim_cli::exporting {

void add_surroundings(const Program& program, const ExportNames& names, bool weights_as_c, ExportFiles* files);

}  // namespace anydim_cli::exporting
