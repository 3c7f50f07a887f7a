// SPDX-License-Identifier: Apache-2.0
// What failures report, and the names of the codes; see status.h.
#include "core/base/status.h"

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
    case Code::cancelled: return "cancelled";
    case Code::device_lost: return "device lost";
    case Code::timed_out: return "timed out";
    case Code::queue_full: return "queue full";
    case Code::file_not_found: return "file not found";
  }
  return "unknown status";
}

static const std::string& nothing() noexcept {
  static const std::string* const none = new std::string;  // never destroyed: a program may end while its threads read it
  return *none;
}
const std::string& Status::message() const noexcept { return detail_ ? detail_->message : nothing(); }
const std::string& Status::argument() const noexcept { return detail_ ? detail_->argument : nothing(); }
const std::string& Status::node() const noexcept { return detail_ ? detail_->node : nothing(); }

void Status::put_before(std::string_view where) { detail_->message = formatted("{}: {}", where, detail_->message); }

void Status::name(std::string* what, std::string_view text) {
  if (what->empty()) *what = text;
}

Status Status::copy() const {
  Status same;
  if (detail_) same.detail_ = std::make_unique<Detail>(*detail_);
  return same;
}

}  // namespace anydim
