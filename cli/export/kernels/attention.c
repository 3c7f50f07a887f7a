/* SPDX-License-Identifier: Apache-2.0 */
/* Attention, docs/numerics.md, section 11: rows of scores by tiles, softmax in the lanes of the keys' positions, sums of values in blocks of
   128 keys. */
#include "rows.h"
#include "lanes.h"

#define AT(t, i) ((t)->strides[i])

/* 16 columns of a matrix of k rows, for tiles. */
static void pack_panel(const float* from, int64_t row, int64_t column, int64_t k, int64_t columns, float* to) {
  int64_t r, c;
  for (r = 0; r < k; ++r)
    for (c = 0; c < ANYDIM_PANEL; ++c) to[r * ANYDIM_PANEL + c] = c < columns ? from[r * row + c * column] : 0.f;
}

/* A row of scores becomes weights. */
static void attention_weights(float* row, int64_t keys) {
  vec most = from_bits(set_int((int32_t)0xff800000u));
  lanes sum;
  float m, s;
  int64_t i;
  int j, n;
  for (i = 0; i + ANYDIM_LANES <= keys; i += ANYDIM_LANES) most = max_(most, load(row + i));
  for (; i < keys; ++i) most = max_(most, splat(row[i]));
  m = greatest(most);
  lanes_begin(&sum);
  for (i = 0; i < keys; i += n) {
    n = keys - i < ANYDIM_STRIP ? (int)(keys - i) : ANYDIM_STRIP;
    for (j = 0; j < n; j += ANYDIM_LANES) store(row + i + j, exp_(load(row + i + j) - splat(m)));
    lanes_add(&sum, row + i, n);
  }
  s = 1.f / lanes_end(&sum);
  for (i = 0; i < keys; i += ANYDIM_LANES) store(row + i, load(row + i) * splat(s));
}

/* Scratch: a row of scores for each row of a tile, each up to a multiple of 16 keys; then 16 floats for each key or element of a head. */
int anydim_attention(const void* attributes, const anydim_tensor* t, void* scratch) {
  const anydim_attention_attributes* const at = (const anydim_attention_attributes*)attributes;
  const anydim_tensor *const q = &t[0], *const k = &t[1], *const v = &t[2];
  const anydim_tensor *const bias = at->has_bias ? &t[3] : NULL, *const mask = at->has_mask ? &t[3 + at->has_bias] : NULL;
  const anydim_tensor* const y = &t[3 + at->has_bias + at->has_mask];
  const int64_t keys = k->dims[2], size = q->dims[3], columns = v->dims[3], queries = q->dims[2],
                group = k->dims[1] == 0 ? 1 : q->dims[1] / k->dims[1];
  const int64_t line = (keys + ANYDIM_PANEL - 1) / ANYDIM_PANEL * ANYDIM_PANEL;
  static const int64_t offset = 0;
  static const int32_t place = 0;
  float *const scores = (float*)scratch, *const pack = scores + ANYDIM_ROWS * line;
  int64_t b, h, s, j, c, bias_by[4] = {0}, mask_by[4] = {0};
  window of;
  of.offsets = &offset;
  of.places = &place;
  if (bias != NULL) broadcast_strides(bias, 4, bias_by);
  if (mask != NULL) broadcast_strides(mask, 4, mask_by);
  for (b = 0; b < q->dims[0]; ++b)
    for (h = 0; h < q->dims[1]; ++h) {
      const float* const k_head = (const float*)(const void*)k->data + b * AT(k, 0) + h / group * AT(k, 1);
      const float* const v_head = (const float*)(const void*)v->data + b * AT(v, 0) + h / group * AT(v, 1);
      for (s = 0; s < queries; s += ANYDIM_ROWS) {
        const int rows = queries - s < ANYDIM_ROWS ? (int)(queries - s) : ANYDIM_ROWS;
        const float* a[ANYDIM_ROWS];
        float total[ANYDIM_ROWS * ANYDIM_PANEL];
        int r, seen[ANYDIM_ROWS] = {0};
        of.taps = size > 0;
        of.channels = (int32_t)size;
        of.step = AT(q, 3);
        for (r = 0; r < ANYDIM_ROWS; ++r)
          a[r] = (const float*)(const void*)q->data + b * AT(q, 0) + h * AT(q, 1) + (s + (r < rows ? r : rows - 1)) * AT(q, 2);
        for (j = 0; j < keys; j += ANYDIM_PANEL) {
          const int64_t some = keys - j < ANYDIM_PANEL ? keys - j : ANYDIM_PANEL;
          pack_panel(k_head + j * AT(k, 2), AT(k, 3), AT(k, 2), size, some, pack);
          tile_of_rows(a, &of, pack, ANYDIM_PANEL, total);
          for (c = 0; at->scale != 1.f && c < ANYDIM_ROWS * ANYDIM_PANEL; c += ANYDIM_LANES)
            store(total + c, splat(at->scale) * load(total + c));
          if (at->softcap != 0.f)
            for (c = 0; c < ANYDIM_ROWS * ANYDIM_PANEL; c += ANYDIM_LANES)
              store(total + c, tanh_(load(total + c) / splat(at->softcap)) * splat(at->softcap));
          for (r = 0; r < rows; ++r)
            for (c = 0; c < ANYDIM_PANEL; ++c) {
              float x = total[r * ANYDIM_PANEL + c];
              const int64_t key = j + c;
              if (c < some && bias != NULL)
                x = x + ((const float*)(const void*)bias->data)[b * bias_by[0] + h * bias_by[1] + (s + r) * bias_by[2] + key * bias_by[3]];
              if (c < some && mask != NULL && mask->data[b * mask_by[0] + h * mask_by[1] + (s + r) * mask_by[2] + key * mask_by[3]] == 0)
                x = -INFINITY;
              else if (c < some) seen[r] = 1;
              scores[r * line + key] = x;
            }
        }
        for (r = 0; r < rows; ++r) {
          const int64_t end = at->causal && s + r + 1 < keys ? s + r + 1 : keys;
          if (at->causal && mask != NULL)
            for (seen[r] = 0, j = 0; j < end; ++j)
              seen[r] |= mask->data[b * mask_by[0] + h * mask_by[1] + (s + r) * mask_by[2] + j * mask_by[3]] != 0;
          attention_weights(scores + r * line, end);
        }
        of.step = 1;
        of.taps = keys > 0;
        for (j = 0; j < columns; j += ANYDIM_PANEL) {
          const int64_t some = columns - j < ANYDIM_PANEL ? columns - j : ANYDIM_PANEL;
          const int direct = some == ANYDIM_PANEL && AT(v, 3) == 1;
          const float* const panel = direct ? v_head + j : pack;
          const int64_t step = direct ? AT(v, 2) : ANYDIM_PANEL;
          if (!direct) pack_panel(v_head + j * AT(v, 3), AT(v, 2), AT(v, 3), keys, some, pack);
          for (r = 0; r < ANYDIM_ROWS; ++r) a[r] = scores + (r < rows ? r : rows - 1) * line;
          of.channels = (int32_t)keys;
          if (!at->causal) tile_of_rows(a, &of, panel, step, total);
          for (r = 0; r < rows; ++r) {
            if (at->causal) {
              of.channels = (int32_t)(s + r + 1 < keys ? s + r + 1 : keys);
              row_of_panel(a + r, &of, panel, step, total + r * ANYDIM_PANEL);
            }
            for (c = 0; c < some; ++c) {
              float* const to = (float*)(void*)y->data + b * AT(y, 0) + h * AT(y, 1) + (s + r) * AT(y, 2) + (j + c) * AT(y, 3);
              *to = seen[r] ? total[r * ANYDIM_PANEL + c] : 0.f;
            }
          }
        }
      }
    }
  return 0;
}
#undef AT
