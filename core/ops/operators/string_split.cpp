// SPDX-License-Identifier: Apache-2.0
// StringSplit: shape rule, and which data makes sense.
#include "core/ops/operators/string_split.h"

#include "core/ops/check.h"
#include "core/ops/string_views.h"

namespace anydim {

Status StringSplit::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 4).at("string_split"));
  ANYDIM_TRY(check_strings(in, kX).at("string_split"));
  const auto is_there = [&](size_t i) { return in.size() > i && in[i].dtype != DType::none; };
  const bool automata = at_.rule == StringRule::separators || at_.rule == StringRule::tokens;
  if (is_there(kClasses) != automata || is_there(kTransitions) != automata)
    return invalid("string_split: automata are expected with the rules separators and tokens, and with no other");
  if (automata) ANYDIM_TRY(check_automata(pool, in, kClasses, at_.rule == StringRule::tokens).at("string_split"));
  if (in[kX].dims.rank >= kMaxRank) return invalid("string_split: x has rank {}; expected at most {}", in[kX].dims.rank, kMaxRank - 1);
  out[0] = {DType::i64, in[kX].dims};
  out[0].dims.push_back(at_.most);
  return {};
}

ValueRange StringSplit::sensible_values(std::span<const Dims> in, size_t input) const noexcept { return sensible_strings(in, input); }

}  // namespace anydim
