// SPDX-License-Identifier: Apache-2.0
// Which sizes a model accepts in a dynamic dim, found by asking it: networks with skips often want multiples of 32, which no file says.
#pragma once

#include <map>
#include <string>

#include "cli/client.h"

namespace anydim_cli {

// By symbol of the inputs' dims: "multiples of 32 and others", "33 to 80". Symbols that take every size in their range are left out, and so is a
// model whose sizes follow from integers in its inputs. Nothing is computed: shapes are checked as a run checks them.
std::map<std::string, std::string> possible_dims(const Loaded& loaded);

}  // namespace anydim_cli
