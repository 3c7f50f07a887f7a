// SPDX-License-Identifier: Apache-2.0
// One linear or cubic resize as plain numbers and tables: what the driver (resize.cpp) hands to the vector bodies.
#pragma once

#include <cstdint>

namespace anydim {

// One output position of one axis: byte-free offsets (elements) of its taps, and their weights.
struct ResizeEntry {
  int64_t offset[4];
  float weight[4];
};

struct ResizeJob {
  const float* src = nullptr;
  float* dst = nullptr;
  int64_t channels = 0;
  int64_t src_n = 0, src_c = 0;
  int64_t dst_n = 0, dst_c = 0, dst_s[3] = {};
  int64_t out[3] = {1, 1, 1};
  // Per spatial axis, outermost first. A null table: the axis is copied, with this stride.
  const ResizeEntry* table[3] = {};
  int64_t src_s[3] = {};
  int axes = 0;  // how many tables there are
  int taps = 2;  // 2 or 4
};

// Where output lines lie along w in memory: rows [begin, end) of the out[0] * out[1] of plane `plane` = n * channels + c. `lines` is
// the worker's: plane_lines() lines of out[2] floats.
using ResizePlaneTask = void (*)(const ResizeJob& job, int64_t plane, int64_t begin, int64_t end, float* lines) noexcept;
constexpr int64_t plane_lines(int taps) noexcept { return taps * taps; }
void resize_plane_portable(const ResizeJob& job, int64_t plane, int64_t begin, int64_t end, float* lines) noexcept;
void resize_plane_avx2(const ResizeJob& job, int64_t plane, int64_t begin, int64_t end, float* lines) noexcept;
void resize_plane_avx512(const ResizeJob& job, int64_t plane, int64_t begin, int64_t end, float* lines) noexcept;

// task = (n * out[0] + d) * out[1] + h: one output row.
using ResizeTask = void (*)(const ResizeJob& job, int64_t task) noexcept;
void resize_task_portable(const ResizeJob& job, int64_t task) noexcept;
void resize_task_avx2(const ResizeJob& job, int64_t task) noexcept;
void resize_task_avx512(const ResizeJob& job, int64_t task) noexcept;

}  // namespace anydim
