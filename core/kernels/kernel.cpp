// SPDX-License-Identifier: Apache-2.0
// The default answers of a host kernel, and the memory of what it packs; see kernel.h.
#include "core/kernels/kernel.h"

#include <utility>

namespace anydim {

Status HostKernel::pack(const Problem&, std::span<const TensorView>, const Packing&, std::span<std::byte* const>) const {
  return error(Code::internal, "kernel {} takes constants as they are; it has nothing to pack", name());
}

int64_t place_pieces(const PackedForm& form, std::span<int64_t> offsets) noexcept {
  int64_t end = 0;
  for (int i = 0; i < form.count; ++i) {
    offsets[static_cast<size_t>(i)] = i == 0 ? 0 : round_up(saturating_add(end, AlignedBuffer::kTail), AlignedBuffer::kAlignment);
    end = saturating_add(offsets[static_cast<size_t>(i)], form.pieces[i].bytes());
  }
  return end;
}

Status pack_constants(const HostKernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
                      PackedWeights* out) {
  PackedWeights packed;
  packed.form = kernel.packed_form(problem);
  int64_t offsets[PackedForm::kMostPieces];
  auto memory = AlignedBuffer::allocate_pages(place_pieces(packed.form, offsets));
  if (!memory.ok()) return memory.take_status();
  packed.memory = std::move(*memory);
  for (int i = 0; i < packed.form.count; ++i) packed.pieces[i] = packed.memory.data() + offsets[i];
  ANYDIM_TRY(kernel.pack(problem, tensors, packing, {packed.pieces, static_cast<size_t>(packed.form.count)}));
  *out = std::move(packed);
  return {};
}

}  // namespace anydim
