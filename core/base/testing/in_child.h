// SPDX-License-Identifier: Apache-2.0
// For tests only: what a call does to its process, found out by a child. Drivers of devices abort where they miss something.
#pragma once

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <string>

namespace anydim::testing {

// Empty where the call comes back; otherwise the last line that it wrote to the standard error output before it ended the process.
template <class F> std::string how_it_ends_a_process(F&& call) {
  int ends[2];
  if (pipe(ends) != 0) return {};
  const pid_t child = fork();
  if (child == 0) {
    const rlimit none{};
    static_cast<void>(setrlimit(RLIMIT_CORE, &none));
    dup2(ends[1], STDERR_FILENO);
    call();
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char piece[512];
  for (ssize_t n = 0; (n = read(ends[0], piece, sizeof piece)) > 0;) text.append(piece, static_cast<size_t>(n));
  close(ends[0]);
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return {};
  while (!text.empty() && text.back() == '\n') text.pop_back();
  text.erase(0, text.rfind('\n') + 1);
  if (text.empty()) text = WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "exit()";
  return text;
}

}  // namespace anydim::testing
