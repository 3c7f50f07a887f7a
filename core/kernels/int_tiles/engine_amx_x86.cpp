// SPDX-License-Identifier: Apache-2.0
// The integer engine with AMX: that of AVX-512 VNNI, but for its sums. Compiled for any CPU, as whoever lists kernels asks for it.
#include "core/kernels/int_tiles/engine.h"

namespace anydim {

const IntEngine& int_engine_amx() noexcept {
  static const IntEngine engine = [] {
    IntEngine e = int_engine_vnni_avx512();
    e.isa_name = "amx";
    e.isa = Isa::amx;
    e.run = int_run_amx;
    e.even_rows = true;
    e.tile_rows = 32;
    e.block_bytes = 192 << 10;
    return e;
  }();
  return engine;
}

}  // namespace anydim
