// SPDX-License-Identifier: Apache-2.0
// The archives of the library's own kernels (cmake/kernel_archives.cmake), as they are in this program: included by the assembler.
#include "cli/client.h"
#include "cli/export/emit.h"
#include "cli/print.h"

#define ANYDIM_ARCHIVE(set, vector, granule, path)                                                                                        \
  __asm__(".pushsection .rodata\n.balign 16\nanydim_archive_" #set ":\n.incbin \"" path "\"\nanydim_archive_end_" #set ":\n.popsection"); \
  extern "C" __attribute__((visibility("hidden"))) const char anydim_archive_##set[], anydim_archive_end_##set[];
#include ANYDIM_ARCHIVES
#undef ANYDIM_ARCHIVE

namespace anydim_cli::exporting {

const std::vector<Archive>& archives() {
  static const std::vector<Archive> all = {
#define ANYDIM_ARCHIVE(set, vector, granule, path) \
  {#set, vector, granule, {anydim_archive_##set, static_cast<size_t>(anydim_archive_end_##set - anydim_archive_##set)}},
#include ANYDIM_ARCHIVES
#undef ANYDIM_ARCHIVE
  };
  return all;
}

const Archive* find_archive(const std::string& set) {
  std::string sets = "c";
  if (set == sets) return nullptr;
  for (const Archive& a : archives()) {
    if (a.set == set) return &a;
    sets += ", " + a.set;
  }
  throw Failure(formatted("--kernels is '{}'; expected one of {}", shown(set), sets));
}

}  // namespace anydim_cli::exporting
