// SPDX-License-Identifier: Apache-2.0
// Inputs of a run that its caller has in parts: views that lie side by side along one axis. Parts that lie in memory as one tensor would
// are read where they are; others are gathered once, in the order in which they lie.
#pragma once

#include <memory>
#include <vector>

#include "capi/views.h"

namespace anydim::capi {

class JoinedInputs {
 public:
  JoinedInputs() = default;
  JoinedInputs(const JoinedInputs&) = delete;
  JoinedInputs& operator=(const JoinedInputs&) = delete;
  ~JoinedInputs();

  // options.parts in place of the inputs that they follow. Without parts the inputs are what was given.
  Status join(InputViews given, const anydim_run_options_t& options);

  InputViews inputs() const noexcept { return {views_, places_}; }
  int64_t gathered_bytes() const noexcept { return gathered_; }  // read and written

 private:
  Status join_one(const anydim_input_parts_t& parts, int64_t number);

  std::span<const TensorView> views_;
  std::span<const BufferRef> places_;
  std::vector<TensorView> own_;
  std::vector<uint8_t> joined_;  // by input
  std::vector<std::unique_ptr<ViewArray>> arrays_;
  std::vector<void*> memory_;
  int64_t gathered_ = 0;
};

// The tensor that non-empty parts are together where they lie; false: they lie otherwise.
bool lie_as_one(std::span<const TensorView> parts, int axis, TensorView* whole) noexcept;

}  // namespace anydim::capi
