// SPDX-License-Identifier: Apache-2.0
// Packed weights as a file that is mapped: saved beside a model once, then read by any number of processes that share its
// pages. The packed form belongs to a kernel family and an instruction set, so a file is good for the machines that choose
// such a kernel and is refused elsewhere; it replaces nothing, the weights can always be packed again.
#pragma once

#include <string>

#include "core/dispatch/weights.h"

namespace anydim {

// Writes the current version: to a temporary name beside `path`, flushed to the disk, then renamed, so that `path` is always a
// whole file and processes that have the old one mapped keep it.
Status save_weights(const Weights& weights, const std::string& path);

// Maps a file that was saved for this operator. The attributes are those of the primitives to come, as for
// Weights::create(). The whole file is read once, for its checksum.
//   not_found      no such file
//   io_error       cannot be read, is not such a file, is damaged or cut off
//   invalid_argument  was packed for another operator
//   unimplemented  another revision of the format, or the kernel that is chosen here reads another packed form
// The file must not be changed or cut off in place while it is mapped (save_weights() never does).
Status load_weights(OperatorPtr op, const PostOps& post_ops, MathMode mode, std::string_view forced_kernel, const std::string& path,
                    WeightsPtr* out);

}  // namespace anydim
