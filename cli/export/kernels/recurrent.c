/* SPDX-License-Identifier: Apache-2.0 */
/* Recurrent layers, docs/numerics.md, section 9, one step and one row of the batch after the other. Gates lie in panels of 16, each gate
   from a multiple of 16 on. */
#include "finish.h"
#include "tile.h"

enum { CELL_RNN, CELL_LSTM, CELL_GRU };

/* to[panel * 16 + j] = sum over k of x[k] * w[panel][k][j]. */
static void products(const float* x, int64_t step, int32_t k, const float* w, int panels, float* to) {
  static const int64_t offset = 0;
  static const int32_t place = 0;
  window of;
  int p = 0;
  of.offsets = &offset;
  of.places = &place;
  of.taps = k > 0;
  of.channels = k;
  of.step = step;
  for (; p + 4 <= panels; p += 4)
    row_of_panels(&x, &of, w + (int64_t)p * k * ANYDIM_PANEL, ANYDIM_PANEL, (int64_t)k * ANYDIM_PANEL, to + p * ANYDIM_PANEL);
  for (; p < panels; ++p) row_of_panel(&x, &of, w + (int64_t)p * k * ANYDIM_PANEL, ANYDIM_PANEL, to + p * ANYDIM_PANEL);
}

static void cell_function(const anydim_recurrent_attributes* at, int which, float* v, int n) {
  int j;
  if (at->clip != 0.f && which < 2)
    for (j = 0; j < n; j += ANYDIM_LANES) store(v + j, clip_(load(v + j), splat(-at->clip), splat(at->clip)));
  unary_function(at->function[which], at->alpha[which], at->beta[which], v, n);
}

/* v[j] = p[j] * c[j] + v[j]. */
static void peephole(float* v, const float* p, const float* c, int n) {
  int j;
  for (j = 0; j < n; j += ANYDIM_LANES) store(v + j, fma_(load(p + j), load(c + j), load(v + j)));
}

/* Operands: x, lengths, the first hidden and cell states (absent: null), y, the last hidden and cell state (absent: null).
   Scratch: 2 * gates + 5 rows of floats as long as a gate. */
int anydim_recurrent(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_recurrent_attributes* const at = (const anydim_recurrent_attributes*)attributes;
  const anydim_tensor *const x = &t[0], *const y = &t[4];
  const int hidden = at->hidden, wide = (hidden + ANYDIM_PANEL - 1) / ANYDIM_PANEL * ANYDIM_PANEL,
            gates = at->cell == CELL_RNN    ? 1
                    : at->cell == CELL_LSTM ? 4
                                            : 3;
  const int all = gates * wide, panels = all / ANYDIM_PANEL;
  const int64_t steps = x->dims[0], batch = x->dims[1];
  float *const a = (float*)scratch, *const s = a + all, *const h = s + all, *const c = h + wide, *const was = c + wide,
               *const kept = was + wide, *const more = kept + wide;
  int64_t d, b, i;
  int j;
  if (at->has_lengths)
    for (b = 0; b < batch; ++b) {
      int32_t n;
      memcpy(&n, t[1].data + b * t[1].strides[0] * 4, 4);
      if (n < 0 || n > steps) return 1;
    }
  for (d = 0; d < at->directions; ++d) {
    const float *const w = at->weights + d * all * at->inputs, *const r = at->recurrent + d * all * hidden;
    const float *const bias = at->bias == NULL ? NULL : at->bias + d * (all + 2 * wide), *const peep = at->peepholes == NULL
                                                                                                           ? NULL
                                                                                                           : at->peepholes + d * 3 * wide;
    const int reverse = at->reverse || d == 1;
    for (b = 0; b < batch; ++b) {
      int64_t length = steps;
      int o;
      if (at->has_lengths) {
        int32_t n;
        memcpy(&n, t[1].data + b * t[1].strides[0] * 4, 4);
        length = n;
      }
      for (o = 0; o < 2; ++o) {
        float* const state = o == 0 ? h : c;
        const anydim_tensor* const first = &t[2 + o];
        for (j = 0; j < wide; ++j) state[j] = 0.f;
        if (o == 0 ? at->has_hidden : at->has_cell)
          load_row(state, (const float*)(const void*)first->data + d * first->strides[0] + b * first->strides[1], first->strides[2],
                   hidden);
      }
      for (i = 0; i < steps; ++i) {
        const int64_t step = reverse ? steps - 1 - i : i;
        float* const to = (float*)(void*)y->data + step * y->strides[0] + d * y->strides[1] + b * y->strides[2];
        if (step >= length) {
          for (j = 0; j < hidden; ++j) to[j * y->strides[3]] = 0.f;
          continue;
        }
        memcpy(was, h, (size_t)wide * sizeof *h);
        products((const float*)(const void*)x->data + step * x->strides[0] + b * x->strides[1], x->strides[2], at->inputs, w, panels, a);
        products(was, 1, hidden, r, panels, s);
        /* bias: of the inputs and the state together, then of a GRU's candidate each alone */
        for (j = 0; j < all; j += ANYDIM_LANES) {
          const vec given = bias != NULL ? load(a + j) + load(bias + j) : load(a + j);
          if (at->cell != CELL_GRU || j < 2 * wide) store(s + j, load(s + j) + given);
          else if (!at->linear_before_reset) store(more + (j - 2 * wide), given);
        }
        if (at->cell == CELL_RNN) {
          cell_function(at, 1, s, wide);
          memcpy(h, s, (size_t)wide * sizeof *h);
        } else if (at->cell == CELL_LSTM) {
          float *const input = s, *const output = s + wide, *const forget = s + 2 * wide, *const fresh = s + 3 * wide;
          if (peep != NULL) peephole(input, peep, c, wide);
          cell_function(at, 0, input, wide);
          if (at->input_forget) {
            for (j = 0; j < wide; j += ANYDIM_LANES) store(forget + j, splat(1.f) - load(input + j));
          } else {
            if (peep != NULL) peephole(forget, peep + 2 * wide, c, wide);
            cell_function(at, 0, forget, wide);
          }
          cell_function(at, 1, fresh, wide);
          for (j = 0; j < wide; j += ANYDIM_LANES) store(c + j, fma_(load(forget + j), load(c + j), load(input + j) * load(fresh + j)));
          if (peep != NULL) peephole(output, peep + wide, c, wide);
          cell_function(at, 0, output, wide);
          memcpy(h, c, (size_t)wide * sizeof *h);
          cell_function(at, 2, h, wide);
          for (j = 0; j < wide; j += ANYDIM_LANES) store(h + j, load(output + j) * load(h + j));
        } else {
          float *const update = s, *const reset = s + wide, *const fresh = s + 2 * wide;
          cell_function(at, 0, update, wide);
          cell_function(at, 0, reset, wide);
          if (at->linear_before_reset) {
            const float* const q = fresh;
            for (j = 0; j < wide; j += ANYDIM_LANES) {
              vec of_input = load(a + 2 * wide + j), of_state = load(q + j);
              if (bias != NULL) {
                of_input = of_input + load(bias + all + j);
                of_state = of_state + load(bias + all + wide + j);
              }
              store(fresh + j, fma_(load(reset + j), of_state, of_input));
            }
          } else {
            for (j = 0; j < wide; j += ANYDIM_LANES) store(kept + j, load(reset + j) * load(was + j));
            products(kept, 1, hidden, r + (int64_t)2 * wide * hidden, wide / ANYDIM_PANEL, fresh);
            for (j = 0; j < wide; j += ANYDIM_LANES) store(fresh + j, load(fresh + j) + load(more + j));
          }
          cell_function(at, 1, fresh, wide);
          for (j = 0; j < wide; j += ANYDIM_LANES)
            store(h + j, fma_(load(update + j), load(was + j), (splat(1.f) - load(update + j)) * load(fresh + j)));
        }
        store_row(to, y->strides[3], h, hidden);
      }
      for (o = 0; o < 2; ++o) {
        const anydim_tensor* const last = &t[5 + o];
        if (o == 0 ? at->gives_hidden : at->gives_cell)
          store_row((float*)(void*)last->data + d * last->strides[0] + b * last->strides[1], last->strides[2], o == 0 ? h : c, hidden);
      }
    }
  }
  return 0;
}
