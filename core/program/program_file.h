// SPDX-License-Identifier: Apache-2.0
// A program as a file for translators: steps, tensors, sizes, guards and the memory plan as JSON, and the constants behind it.
// It is for programs whose constants are not packed (CompileOptions::unpacked); docs/export.md describes the format. Nothing reads it back here.
#pragma once

#include <string>

#include "core/program/arena_plan.h"
#include "core/program/program.h"
#include "core/program/streaming_plan.h"

namespace anydim {

// The sizes and the order of buffers are those within the bounds; null: of the program's own promises. Fails as check_bounds() does, and
// if the file cannot be written.
Status write_program(const Program& program, const Bounds* bounds, const std::string& path);

// The same for chunks: the plan, and the programs of the edges and of the middle. Bounds are of the whole's inputs; along streamed axes the
// plan's largest chunk stands in their place.
Status write_streaming_program(const StreamingProgram& program, const Bounds* bounds, const std::string& path);

}  // namespace anydim
