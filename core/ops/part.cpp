// SPDX-License-Identifier: Apache-2.0
// The shape rule of a part; see part.h.
#include "core/ops/part.h"

namespace anydim {

Status Part::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  if (in.size() > inputs_.size()) return invalid("a part has {} inputs; {} were given", inputs_.size(), in.size());
  std::vector<TensorType> values = values_, operands, results;
  for (size_t i = 0; i < in.size(); ++i) values[static_cast<size_t>(inputs_[i])] = in[i];
  for (const Member& m : members_) {
    operands.clear();
    for (const int32_t v : m.in) operands.push_back(v < 0 ? TensorType{} : values[static_cast<size_t>(v)]);
    results.assign(m.out.size(), TensorType{});
    ANYDIM_TRY(check_narrow(*m.op, operands));
    ANYDIM_TRY(m.op->infer(pool, operands, results));
    for (size_t i = 0; i < m.out.size(); ++i) values[static_cast<size_t>(m.out[i])] = results[i];
  }
  for (size_t i = 0; i < out.size(); ++i) out[i] = values[static_cast<size_t>(outputs_[i])];
  return {};
}

}  // namespace anydim
