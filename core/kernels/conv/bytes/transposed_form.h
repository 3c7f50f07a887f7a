// SPDX-License-Identifier: Apache-2.0
// A transposed convolution of quantized values as products. The output positions with one residue modulo the stride are a phase.
// A phase is a convolution of stride 1 over some of the taps (conv/geometry.h), and has panels of its own. Sums are exact, so the
// order of the taps is free: it is the order in which input positions rise.
//
// Where windows tile the output, all phases read the same numbers. Unless their channels fill panels, they are one joint phase: one
// product with a column for each (tap, channel).
#pragma once

#include "core/kernels/conv/geometry.h"
#include "core/kernels/int_tiles/run.h"

namespace anydim {

inline int64_t int_aligned(int64_t bytes) { return round_up(bytes, INT64_C(64)); }

// One phase: a convolution whose position j is output position first + j * step, and whose tap t is kernel position k + t * k_step.
struct IntPhase {
  ConvGeometry g;
  int64_t first[3], step[3], k[3], k_step[3];
  int64_t panels_at;  // bytes of one group's panels before it, times the groups
};

// Of operator and weights: what does not depend on the activations' dims.
struct IntTransposedForm {
  IntTransposedForm(const Operator& op, const Dims& w) noexcept;
  // Calls f(phase) with each; `g` has the actual dims.
  template <class F> void each_phase(const IntEngine& engine, const ConvGeometry& g, F&& f) const noexcept {
    IntPhase phase;
    int64_t at = 0;
    for (int64_t i = 0; i < phases; ++i) {
      set_phase(g, i, &phase);
      phase.panels_at = at;
      at = saturating_add(at, saturating_mul(panel_bytes(engine, phase), geometry.groups));
      f(phase);
    }
  }
  int64_t panel_bytes(const IntEngine& engine, const IntPhase& p) const noexcept {
    return saturating_mul(engine.panel_bytes(p.g.k()), IntEngine::panels(columns));
  }
  // Arrays of a phase's columns, with room for what is filled up behind each tap's.
  int64_t array_columns() const noexcept { return columns + (joint ? kIntColumns : 0); }
  int64_t array_bytes() const noexcept { return int_aligned(int_column_bytes(array_columns())); }

  bool joint;
  ConvGeometry geometry;
  int64_t phases, columns;

 private:
  void set_phase(const ConvGeometry& whole, int64_t index, IntPhase* phase) const noexcept;
};

}  // namespace anydim
