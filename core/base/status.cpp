// SPDX-License-Identifier: Apache-2.0
// Names of the status codes; see status.h.
#include "core/base/status.h"

#include "core/base/cancelled.h"

namespace anydim {

const char* code_name(Code code) noexcept {
  switch (code) {
    case Code::ok: return "ok";
    case Code::invalid_argument: return "invalid argument";
    case Code::invalid_handle: return "invalid handle";
    case Code::unimplemented: return "unimplemented";
    case Code::out_of_memory: return "out of memory";
    case Code::busy: return "busy";
    case Code::closed: return "closed";
    case Code::not_found: return "not found";
    case Code::io_error: return "i/o error";
    case Code::invalid_model: return "invalid model";
    case Code::out_of_bounds: return "out of bounds";
    case Code::invalid_data: return "invalid data";
    case Code::internal: return "internal error";
    case Code::forked: return "used after fork";
  }
  if (code == kCancelled) return "cancelled";
  return "unknown status";
}

const std::string& Status::message() const noexcept {
  static const std::string none;
  return detail_ ? detail_->message : none;
}

}  // namespace anydim
