// SPDX-License-Identifier: Apache-2.0
// A graph as programs that compute it chunk by chunk along one axis of its inputs, with the bits of the whole. axis_walk.h finds out what
// a chunk makes computable, chunk_graph.h writes the graphs that compute it. Running them is core/run/streaming's business.
#pragma once

#include <string>
#include <vector>

#include "core/graph/compile_options.h"
#include "core/program/streaming_plan.h"

namespace anydim {

struct StreamedAxis {
  std::string input;
  int axis = 0;
};

struct StreamingOptions {
  std::vector<StreamedAxis> axes;
  int64_t most_chunk = 0;  // elements of a chunk; 0: any number, and then memory has no bound
};

// The program of the whole, as compile() makes it, and those of its chunks, with one copy of the weights. Fails with the names of all nodes
// that need the whole axis.
Status compile_with_streams(Graph graph, const CompileOptions& options, const StreamingOptions& streams, ProgramPtr* whole,
                            StreamingProgramPtr* out);

}  // namespace anydim
