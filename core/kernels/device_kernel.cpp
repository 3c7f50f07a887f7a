// SPDX-License-Identifier: Apache-2.0
// Keys of compiled programs as text; see device_kernel.h.
#include "core/kernels/device_kernel.h"

#include "core/base/text/key_text.h"

namespace anydim {

const char* device_kind_name(DeviceKind kind) noexcept {
  switch (kind) {
    case DeviceKind::any: return "any";
    case DeviceKind::cpu: return "cpu";
    case DeviceKind::gpu: return "gpu";
  }
  return "unknown";
}

void CompileKey::add_post_ops(const PostOps& chain) noexcept {
  for (const PostOp& step : chain) {
    PostOpForm& form = post_ops[post_count++] = {};
    form.kind = step.kind;
    if (step.takes_tensor()) form.binary = step.binary;
    else form.unary = step.unary;
  }
}

std::string CompileKey::text() const {
  KeyText key("program");
  key.add("kernel", name).add("key", key_text(kernel)).add("device", device_kind_name(device)).add("variant", variant);
  std::string list;
  for (int i = 0; i < form_count; ++i) list += formatted("{}{}", i > 0 ? "," : "", form[static_cast<size_t>(i)]);
  key.add("form", list);
  list.clear();
  for (int i = 0; i < tensors; ++i) list += formatted("{}{}", i > 0 ? "," : "", dtype_name(dtypes[static_cast<size_t>(i)]));
  key.add("dtypes", list);
  list.clear();
  for (int i = 0; i < post_count; ++i) {
    const PostOpForm& p = post_ops[static_cast<size_t>(i)];
    const bool unary = p.kind == PostOp::Kind::unary;
    list += formatted("{}{}{}", i > 0 ? "," : "",
                      p.chosen_by_call ? "any"
                      : unary          ? function_name(p.unary)
                                       : function_name(p.binary),
                      unary                            ? ""
                      : p.kind == PostOp::Kind::binary ? "(y t)"
                                                       : "(t y)");
  }
  return key.add("post_ops", list).take();
}

void DeviceWork::add_f32(float value) noexcept {
  int32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  arguments[static_cast<size_t>(count++)] = {DeviceArgument::Kind::f32, {}, 0, bits};
}

CompileKey DeviceKernel::key_for(const Problem& problem, DeviceKind device) const noexcept {
  CompileKey key;
  key.name = name();
  key.kernel = this->key();
  key.device = device;
  key.add_post_ops(*problem.post_ops);
  return key;
}

Status DeviceKernel::pack(const Problem&, std::span<const TensorView>, const Packing&, std::span<std::byte* const>) const {
  return error(Code::internal, "kernel {} packs nothing", name());
}

Status pack_constants(const DeviceKernel& kernel, const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
                      PackedWeights* out) {
  PackedWeights packed;
  packed.form = kernel.packed_form(problem);
  int64_t offsets[PackedForm::kMostPieces];
  auto memory = AlignedBuffer::allocate(place_pieces(packed.form, offsets));
  if (!memory.ok()) return memory.take_status();
  packed.memory = std::move(*memory);
  if (packed.memory.size() > 0) std::memset(packed.memory.data(), 0, static_cast<size_t>(packed.memory.size()));
  for (int i = 0; i < packed.form.count; ++i) packed.pieces[i] = packed.memory.data() + offsets[i];
  ANYDIM_TRY(kernel.pack(problem, tensors, packing, {packed.pieces, static_cast<size_t>(packed.form.count)}));
  *out = std::move(packed);
  return {};
}

}  // namespace anydim
