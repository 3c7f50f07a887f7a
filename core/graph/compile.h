// SPDX-License-Identifier: Apache-2.0
// From a graph to a program: passes, layouts, views, a primitive for each node that is left, packed weights. The graph is
// gone afterwards. Reading files is the importer's business, running is core/run's.
#pragma once

#include "core/graph/compile_options.h"
#include "core/program/program.h"

namespace anydim {

// Errors name the node.
Status compile(Graph graph, const CompileOptions& options, ProgramPtr* out);

}  // namespace anydim
