// SPDX-License-Identifier: Apache-2.0
// Which look-up kernels for AVX-512 take. VBMI is no feature of Isa: nothing else needs it, and no kernel stands or falls with it.
#include "core/base/cpu.h"
#include "core/kernels/quantized/convert_rows.h"

namespace anydim {

LookUpFunction look_up_of_avx512() noexcept {
  const bool vbmi = cpu().usable.includes(Isa::avx512_vnni) && __builtin_cpu_supports("avx512vbmi");
  return vbmi ? kLookUpVbmiAvx512 : kLookUpAvx2;
}

}  // namespace anydim
