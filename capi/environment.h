// SPDX-License-Identifier: Apache-2.0
// What a host program provides with a finalizer: the environment of its callbacks, or bytes.
#pragma once

#include "anydim/anydim.h"

namespace anydim::capi {

// Whoever holds it uses what was provided. With the last of them the finalizer is called, once, if hand_over() said that the loan came
// about; where the call that was to take it fails, nothing was taken.
class Environment {
 public:
  Environment(void* user, anydim_finalizer_callback_t finalizer) noexcept : user_(user), finalizer_(finalizer) {}
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  void hand_over() const noexcept { handed_over_ = true; }
  void* user() const noexcept { return user_; }

 private:
  void* const user_;
  const anydim_finalizer_callback_t finalizer_;
  mutable bool handed_over_ = false;
};

}  // namespace anydim::capi
