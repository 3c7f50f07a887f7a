// SPDX-License-Identifier: Apache-2.0
// Threads of the library's own. Kernels keep up to 112 KB on the stack (code_pages.h), and a thread of musl's has 128 KB unless it is
// asked for more: these have as much as glibc's usually have, of which only what is used takes memory.
#pragma once

#include <pthread.h>

#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

namespace anydim {

constexpr size_t kOwnThreadStack = size_t{8} << 20;

// Calls f() on a thread that nobody joins. Throws std::system_error where no thread can be created, and std::bad_alloc.
template <class F> void start_own_thread(F f) {
  auto work = std::make_unique<F>(std::move(f));
  pthread_attr_t attributes;
  int failed = pthread_attr_init(&attributes);
  if (failed == 0) {
    pthread_t thread;
    pthread_attr_setstacksize(&attributes, kOwnThreadStack);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    const auto begin = [](void* argument) -> void* {
      const std::unique_ptr<F> mine(static_cast<F*>(argument));
      (*mine)();
      return nullptr;
    };
    failed = pthread_create(&thread, &attributes, begin, work.get());
    pthread_attr_destroy(&attributes);
  }
  if (failed != 0) throw std::system_error(failed, std::generic_category(), "a thread could not be started");
  static_cast<void>(work.release());  // the thread's now
}

}  // namespace anydim
