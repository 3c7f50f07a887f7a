// SPDX-License-Identifier: Apache-2.0
// Checks what a caller asks of a run; see requested_outputs.h.
#include "core/run/context/requested_outputs.h"

#include "core/base/text/format.h"
#include "core/program/program.h"
#include "core/tensor/result.h"

namespace anydim {

Status check_requested_outputs(const Program& program, std::span<const TensorView> out) {
  const std::span<const Program::IoSpec> specs = program.outputs;
  if (!out.empty() && out.size() != specs.size())
    return invalid("{} outputs were given; the model has {} (or give none)", out.size(), specs.size()).about("outputs");
  for (size_t i = 0; i < out.size(); ++i)
    if (is_requested(out[i]) && out[i].dtype != specs[i].dtype)
      return invalid("output '{}' is asked for as {}; the model gives {}", specs[i].name, dtype_name(out[i].dtype),
                     dtype_name(specs[i].dtype))
          .about(formatted("outputs[{}]", i));
  return {};
}

}  // namespace anydim
