// SPDX-License-Identifier: Apache-2.0
// Places the threads of drivers of processors on different cores; see driver_threads.h.
#include "core/engines/opencl/driver_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "core/base/environment.h"
#include "core/base/text/format.h"

namespace anydim::opencl {

namespace {

constexpr char kMark[16] = "anydim-opencl";

bool are_placed() noexcept {
  static constexpr const char* kWords[] = {"placed", "free"};
  static const bool placed = environment_word("ANYDIM_OPENCL_THREADS", kWords, 1) == 0;
  return placed;
}

bool has_mark(int thread) {
  const int file = ::open(formatted("/proc/self/task/{}/comm", thread).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  char name[sizeof kMark + 1] = {};
  const ssize_t read = ::read(file, name, sizeof kMark);
  ::close(file);
  return read == static_cast<ssize_t>(std::strlen(kMark)) + 1 && std::memcmp(name, kMark, std::strlen(kMark)) == 0;
}

// In the order in which they were made.
std::vector<int> marked_threads() {
  std::vector<int> threads;
  DIR* const folder = ::opendir("/proc/self/task");
  if (folder == nullptr) return threads;
  const auto own = static_cast<int>(::syscall(SYS_gettid));
  while (const dirent* const entry = ::readdir(folder))
    if (const int thread = std::atoi(entry->d_name); thread > 0 && thread != own && has_mark(thread)) threads.push_back(thread);
  ::closedir(folder);
  std::sort(threads.begin(), threads.end());
  return threads;
}

}  // namespace

DriverThreadsMark::DriverThreadsMark() noexcept {
  if (!are_placed() || ::prctl(PR_GET_NAME, name_) != 0 || std::strcmp(name_, kMark) == 0) return;
  marked_ = ::prctl(PR_SET_NAME, kMark) == 0;
}

DriverThreadsMark::~DriverThreadsMark() {
  if (marked_) ::prctl(PR_SET_NAME, name_);
}

void DriverThreads::find() {
  if (!are_placed() || ::sched_getaffinity(0, sizeof allowed_, &allowed_) != 0 || CPU_COUNT(&allowed_) < 2) return;
  for (const int thread : marked_threads()) {
    cpu_set_t now;
    if (::sched_getaffinity(thread, sizeof now, &now) == 0 && CPU_EQUAL(&now, &allowed_)) threads_.push_back(thread);
  }
  const auto cores = static_cast<size_t>(CPU_COUNT(&allowed_));
  if (threads_.size() < cores) {
    now_ = allowed_;
    follows_ = !threads_.empty();
    return;
  }
  size_t core = CPU_SETSIZE - 1;
  for (const int thread : threads_) {
    do core = (core + 1) % CPU_SETSIZE;
    while (!CPU_ISSET(core, &allowed_));
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    (void)::sched_setaffinity(thread, sizeof one, &one);
  }
}

void DriverThreads::leave_core_to_caller() noexcept {
  if (!follows_.load(std::memory_order_relaxed)) return;
  const int here = ::sched_getcpu();
  if (here < 0 || here == left_.load(std::memory_order_relaxed)) return;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return;  // another caller's
  cpu_set_t others = allowed_;
  CPU_CLR(static_cast<size_t>(here), &others);
  for (const int thread : threads_) {
    cpu_set_t now;
    if (::sched_getaffinity(thread, sizeof now, &now) == 0 && CPU_EQUAL(&now, &now_) &&
        ::sched_setaffinity(thread, sizeof others, &others) == 0)
      continue;
    follows_ = false;  // somebody else decides, or it has ended
    return;
  }
  now_ = others;
  left_ = here;
}

}  // namespace anydim::opencl
