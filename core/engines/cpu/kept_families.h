// SPDX-License-Identifier: Apache-2.0
// Which families of kernels a subset build has (core/kernels/kept.h). A family of the table below is kept if one of its kernels is; then
// most leave out the others one by one. tools/subset.py reads the table, too: folders whose families are all left out are not compiled.
#pragma once

#include <array>
#include <string_view>

#include "core/engines/cpu/generated/families.h"
#include "core/kernels/kept.h"

namespace anydim {

struct FamilyParts {
  KernelFamily family;
  std::string_view parts;  // each of its kernels' names has one of these words
};
constexpr FamilyParts kFamilyParts[] = {
    {append_kernels, "append."},
    {arg_reduce_kernels, "arg_reduce"},
    {attention_kernels, "attention."},
    {attention_reduced_kernels, "attention.bf16"},
    {combine_kernels, "binary.quantized"},
    {compressed_kernels, "gemm.numbers gemm.rounded"},
    {conv_fast_kernels, "conv.winograd"},
    {convert_kernels, "cast.quantized"},
    {det_kernels, "det."},
    {detect_kernels, "non_max_suppression deform_columns fold. roi_align"},
    {dft_kernels, "dft."},
    {doubles_kernels, ".doubles"},
    {ensemble_kernels, "tree_ensemble couple_pairs"},
    {gather_kernels, "gather scatter range. shape_tensor one_hot trilu eye_like topk"},
    {grid_sample_kernels, "grid_sample"},
    {half_kernels, ".half arg_reduce.widened"},
    {non_zero_kernels, "non_zero"},
    {norm_kernels, "softmax layer_norm"},
    {pool_kernels, "pool."},
    {quantized_kernels, ".integers .quantized"},
    {range_kernels, "quantization_range"},
    {recurrent_kernels, "recurrent."},
    {recurrent_reduced_kernels, "recurrent.bf16"},
    {reduce_kernels, "reduce cumsum"},
    {resize_kernels, "resize."},
    {signal_kernels, "random_uniform"},
    {strings_kernels, "string_ ngram_counts"},
    {unique_kernels, "unique"},
};

constexpr bool keeps_family(KernelFamily family) noexcept {
  if (subset::kWhole) return true;
  for (const FamilyParts& row : kFamilyParts) {
    if (row.family != family) continue;
    for (std::string_view left = row.parts; !left.empty();) {
      const size_t end = left.find(' ') < left.size() ? left.find(' ') : left.size();
      if (subset::keeps_any(left.substr(0, end))) return true;
      left.remove_prefix(end < left.size() ? end + 1 : end);
    }
    return false;
  }
  return true;
}

// Those of a list that are kept; what stands in it for the others has no kernels.
template <size_t N> constexpr std::array<KernelFamily, N> kept_families(const KernelFamily (&all)[N]) noexcept {
  std::array<KernelFamily, N> kept{};
  for (size_t i = 0; i < N; ++i) kept[i] = keeps_family(all[i]) ? all[i] : +[]() noexcept { return KernelList(); };
  return kept;
}

}  // namespace anydim
