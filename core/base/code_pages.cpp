// SPDX-License-Identifier: Apache-2.0
// Touching the segments of the object that holds this function; see code_pages.h.
#include "core/base/code_pages.h"

#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace anydim {

namespace {

// Sanitizers know nothing of gaps between functions and constants.
__attribute__((no_sanitize("address", "thread", "undefined"))) int touch(dl_phdr_info* object, size_t, void*) {
  const auto here = reinterpret_cast<uintptr_t>(&touch_code_pages);
  const auto contains = [&](const ElfW(Phdr) & p) { return p.p_type == PT_LOAD && here - (object->dlpi_addr + p.p_vaddr) < p.p_memsz; };
  bool ours = false;
  for (int i = 0; i < object->dlpi_phnum; ++i) ours = ours || contains(object->dlpi_phdr[i]);
  if (!ours) return 0;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& p = object->dlpi_phdr[i];
    if (p.p_type != PT_LOAD || (p.p_flags & PF_W) != 0 || (p.p_flags & PF_R) == 0) continue;
    const uintptr_t begin = object->dlpi_addr + p.p_vaddr;
    for (uintptr_t at = begin; at < begin + p.p_memsz; at = (at / page + 1) * page) (void)*reinterpret_cast<const volatile char*>(at);
  }
  return 1;
}

}  // namespace

void touch_code_pages() noexcept {
  static std::atomic<bool> done{false};
  if (!done.exchange(true)) dl_iterate_phdr(touch, nullptr);
}

}  // namespace anydim
