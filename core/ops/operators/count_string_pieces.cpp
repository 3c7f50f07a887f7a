// SPDX-License-Identifier: Apache-2.0
// CountStringPieces: shape rule, and which data makes sense.
#include "core/ops/operators/count_string_pieces.h"

#include "core/ops/check.h"
#include "core/ops/string_views.h"

namespace anydim {

Status CountStringPieces::infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const {
  ANYDIM_TRY(check_inputs(in, 2, 4).at("count_string_pieces"));
  ANYDIM_TRY(check_strings(in, kX).at("count_string_pieces"));
  const auto is_there = [&](size_t i) { return in.size() > i && in[i].dtype != DType::none; };
  const bool automata = at_.rule == StringRule::separators || at_.rule == StringRule::tokens;
  if (is_there(kClasses) != automata || is_there(kTransitions) != automata)
    return invalid("count_string_pieces: automata are expected with the rules separators and tokens, and with no other");
  if (automata) ANYDIM_TRY(check_automata(pool, in, kClasses, at_.rule == StringRule::tokens).at("count_string_pieces"));
  out[0] = {DType::i64, in[kX].dims};
  out[1] = {DType::i64, {}};
  return {};
}

ValueRange CountStringPieces::sensible_values(std::span<const Dims> in, size_t input) const noexcept { return sensible_strings(in, input); }

}  // namespace anydim
