// SPDX-License-Identifier: Apache-2.0
// The Makefile and the example of an exported model; see surroundings.h.
#include "cli/export/surroundings.h"

#include "cli/print.h"

namespace anydim_cli::exporting {

void add_surroundings(const Program&, const ExportNames& names, bool weights_as_c, ExportFiles* files) {
  const std::string& name = names.name;
  files->text["Makefile"] = formatted(
      "# Compiles {0} as an archive. CFLAGS name the machine: -O3 -mfma -mavx2, -mcpu=cortex-m7, ...\n"
      "CFLAGS ?= -O3 -march=native\n"
      "FLAGS = -std=c99 -ffp-contract=off -ffunction-sections -fdata-sections $(CFLAGS)\n"
      "OBJECTS = {0}.o {0}_kernels.o {0}_weights.o\n\n"
      "lib{0}.a: $(OBJECTS)\n\t$(AR) rcs $@ $(OBJECTS)\n"
      "%.o: %.c {0}.h {0}_kernels.h {0}_weights.h\n\t$(CC) $(FLAGS) -c $< -o $@\n"
      "{1}"
      "clean:\n\trm -f $(OBJECTS) lib{0}.a\n"
      ".PHONY: clean\n",
      name, weights_as_c ? "" : formatted("{0}_weights.o: {0}_weights.S {0}_weights.bin\n\t$(CC) -c $< -o $@\n", name));
}

}  // namespace anydim_cli::exporting
