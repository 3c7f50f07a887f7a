// SPDX-License-Identifier: Apache-2.0
// Touching the segments of the object that holds this function, and the stack; see code_pages.h.
#include "core/base/memory/code_pages.h"

#include <link.h>
#include <unistd.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "core/base/cpu.h"
#include "core/base/memory/code_marks/marks.h"

namespace anydim {

namespace {

// The code of kernels for other instruction sets than this CPU's, and what no run needs, as addresses; nothing where the linker had
// an order of its own.
struct Range {
  uintptr_t begin = 0, end = 0;
};
struct Foreign {
  static constexpr int kMost = 6;
  Range ranges[kMost];

  Foreign() {
    uintptr_t marks[kMost + 1];
    int count = 0, own = 0;
    const auto add = [&](void (*mark)() noexcept) { marks[count++] = reinterpret_cast<uintptr_t>(mark); };
#define ANYDIM_SET(name, processor, ...)               \
  if constexpr (is_built_for(Processor::processor)) {  \
    if (cpu().usable.includes(Isa::name)) own = count; \
    add(code_mark_##name);                             \
  }
#include "core/base/instruction_sets.def"
    add(code_mark_loading);
    add(code_mark_end);
    // No kernels are compiled for a set that ends where it begins: the one before it is what runs.
    constexpr uintptr_t kNoCode = 256;
    while (own > 0 && marks[own + 1] - marks[own] < kNoCode) --own;
    for (int i = 0; i + 1 < count; ++i)
      if (i != own && marks[i] < marks[i + 1]) ranges[i] = {marks[i], marks[i + 1]};
  }
  // The end of the range that holds `at`, or `at`.
  uintptr_t behind(uintptr_t at) const {
    for (const Range& r : ranges)
      if (at >= r.begin && at < r.end) at = r.end;
    return at;
  }
};

// Sanitizers know nothing of gaps between functions and constants.
__attribute__((no_sanitize("address", "thread", "undefined"))) int touch(dl_phdr_info* object, size_t, void*) {
  const Foreign foreign;
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
    for (uintptr_t at = foreign.behind(begin); at < begin + p.p_memsz; at = foreign.behind((at / page + 1) * page))
      (void)*reinterpret_cast<const volatile char*>(at);
  }
  return 1;
}

}  // namespace

void touch_code_pages() noexcept {
  static std::atomic<bool> done{false};
  if (!done.exchange(true)) dl_iterate_phdr(touch, nullptr);
}

__attribute__((noinline, no_sanitize("address"))) void touch_stack() noexcept {
  constexpr size_t kBytes = size_t{112} * 1024, kPage = 4096;
  [[maybe_unused]] volatile char below[kBytes];
  for (size_t at = 0; at < kBytes; at += kPage) below[at] = 0;
}

}  // namespace anydim
