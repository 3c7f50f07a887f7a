// SPDX-License-Identifier: Apache-2.0
// Log lines for Python: the library's threads only put them into a queue and never touch Python; a thread of anydim.log fetches them.
// One queue for the process, which a fork leaves usable in the child.
#include <pthread.h>

#include <condition_variable>
#include <mutex>

#include "bindings/python/arrays.h"

namespace anydim_python {

namespace {

constexpr size_t kMost = 10'000;  // lines that wait; later ones are counted and dropped, so that memory stays bounded

struct Lines {
  std::mutex mutex;
  std::condition_variable arrived;
  std::vector<std::pair<int32_t, std::string>> waiting;
  int64_t dropped = 0;
  bool woken = false;  // the waiter returns without lines
};
Lines& lines() {
  static Lines* const all = new Lines;  // never destroyed: threads of the library may log until the process ends
  return *all;
}

void arrive(void* /*user*/, anydim_log_level_t level, const char* text) {
  Lines& all = lines();
  {
    const std::lock_guard lock(all.mutex);
    if (all.waiting.size() < kMost) all.waiting.emplace_back(level, text);
    else ++all.dropped;
  }
  all.arrived.notify_one();
}

void log_start(int32_t level) {
  static const int registered = pthread_atfork([] { lines().mutex.lock(); }, [] { lines().mutex.unlock(); },
                                               [] {
                                                 // Waiters of the parent's threads do not exist here.
                                                 new (&lines().arrived) std::condition_variable;
                                                 lines().mutex.unlock();
                                               });
  static_cast<void>(registered);
  check(without_gil([&] { return anydim_log_set(level, arrive, nullptr, nullptr); }));
}

void log_stop(int32_t level) {
  check(without_gil([&] { return anydim_log_set(level, nullptr, nullptr, nullptr); }));
}

// Whether lines wait, after at most so many seconds.
bool log_wait(double seconds) {
  bool some = false;
  without_gil([&] {
    Lines& all = lines();
    std::unique_lock lock(all.mutex);
    all.arrived.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return all.woken || !all.waiting.empty(); });
    some = !all.waiting.empty();
    all.woken = false;
    return 0;
  });
  return some;
}

// Ends a wait, or the next one.
void log_wake() {
  {
    const std::lock_guard lock(lines().mutex);
    lines().woken = true;
  }
  lines().arrived.notify_one();
}

// The lines that wait, and how many were dropped.
py::tuple log_take() {
  std::vector<std::pair<int32_t, std::string>> found;
  int64_t dropped = 0;
  {
    const std::lock_guard lock(lines().mutex);
    found.swap(lines().waiting);
    dropped = std::exchange(lines().dropped, 0);
  }
  py::list list;
  for (const auto& [level, text] : found)
    list.append(py::make_tuple(level, to_python(anydim_string_t{text.data(), static_cast<int64_t>(text.size())})));
  return py::make_tuple(list, dropped);
}

}  // namespace

void define_log_lines(py::module_& m) {
  m.def("log_start", &log_start, py::arg("level"), "From now on log lines are put into a queue.");
  m.def("log_stop", &log_stop, py::arg("level"), "From now on log lines go to the standard error output.");
  m.def("log_wait", &log_wait, py::arg("seconds"), "Whether the queue has lines, after at most this time.");
  m.def("log_wake", &log_wake, "Ends a wait for lines, or the next one.");
  m.def("log_take", &log_take, "Lines of the queue, as (level, text), and how many more were dropped.");
}

}  // namespace anydim_python
