// SPDX-License-Identifier: Apache-2.0
// A bar on the terminal while a device's programs are compiled, which takes seconds at a first start. It comes after the first second.
#pragma once

#include <atomic>
#include <string>
#include <string_view>
#include <thread>

namespace anydim_cli {

// The counter of that name.
int64_t counter(std::string_view name);
// "3 programs were compiled, 2 were there"
std::string programs_text();

class ProgramsBar {
 public:
  ProgramsBar() : thread_([this] { watch(); }) {}
  ~ProgramsBar() {
    done_.store(true);
    thread_.join();
  }
  ProgramsBar(const ProgramsBar&) = delete;
  ProgramsBar& operator=(const ProgramsBar&) = delete;

 private:
  void watch();

  std::atomic<bool> done_{false};
  std::thread thread_;
};

}  // namespace anydim_cli
