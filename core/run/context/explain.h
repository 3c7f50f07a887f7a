// SPDX-License-Identifier: Apache-2.0
// What a context's last run did, node by node. Printing it is the C API's and the program's business.
#pragma once

#include "core/run/context/context.h"
#include "core/run/context/run_report.h"

namespace anydim {

// After a run.
Status explain(Context& context, RunReport* out);

}  // namespace anydim
