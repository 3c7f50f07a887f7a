// SPDX-License-Identifier: Apache-2.0
// start + i * delta in type T, each operation rounded (docs/numerics.md, section 7). SUM is T, of integers without a sign: they wrap.
ENTRY(range) global T* y, const long yo, const long y_step, const T start, const T delta, const long count) {
  if (!live) return;
  const long end = min(count, G0 * 1024 + 1024);
  for (long i = G0 * 1024; i < end; ++i) y[yo + i * y_step] = (T)((SUM)start + (SUM)i * (SUM)delta);
}
