// SPDX-License-Identifier: Apache-2.0
// Waiting for another thread that is about to be done: a pause at each turn of the loop, and from time to time the core for others.
#pragma once

namespace anydim {

class Waiting {
 public:
  // Turns before the core is released: about 0.3 ms.
  static constexpr int kSpins = 8000;

  void turn() noexcept;  // threads.cpp

 private:
  int turns_ = 0;
};

}  // namespace anydim
