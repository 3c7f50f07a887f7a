// SPDX-License-Identifier: Apache-2.0
// A plain loop that the compiler turns into vectors. Include it INSIDE an anonymous namespace, in a file of one instruction set.

inline void add_fold_lines(const FoldLines& l) noexcept {
  for (int64_t r = 0; r < l.rows; ++r) {
    float* to = l.to + r * l.to_row;
    const float* from = l.from + r * l.from_row;
    if (l.to_step == 1 && l.from_step == 1) {
#pragma GCC ivdep
      for (int64_t i = 0; i < l.n; ++i) to[i] = to[i] + from[i];
    } else {
      for (int64_t i = 0; i < l.n; ++i) to[i * l.to_step] = to[i * l.to_step] + from[i * l.from_step];
    }
  }
}
