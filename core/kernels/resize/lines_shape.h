// SPDX-License-Identifier: Apache-2.0
// How one linear or cubic resize goes through memory: which axes are resized, which are copied, and how much is computed at a time.
// From dims, strides and the operator alone, so that the plan and the run make the same one.
#pragma once

#include "core/kernels/kernel.h"
#include "core/kernels/resize/lines_job.h"
#include "core/kernels/resize/tables.h"

namespace anydim {

struct LinesShape {
  // Resized axes, the first of the operator first; strides in elements.
  struct Along {
    Resize::Axis map;
    int64_t src = 0, dst = 0;
    int64_t reach = 0;  // taps of a position, at most
    int64_t ring = 0;   // lines that are kept; none of the last axis
    int64_t tile = 0;   // positions at a time, of axes between the first and the last
  };
  // Axes that are copied. All of them together are the planes.
  struct Copied {
    int64_t dim = 1, src = 0, dst = 0;
  };

  int count = 0, copied_count = 0;
  Along along[kMaxRank];
  Copied copied[kMaxRank + 1];
  int64_t planes = 1;

  // The elements of a place: `run` side by side, which long ones are cut into (the last of `copied`: which piece).
  int64_t run = 1, piece = 1;
  bool wide = false;         // vectors go along a place's elements
  bool native = true;        // elements are E in memory
  bool reads = false;        // lines are read where they are, if their places are all elements
  bool writes = false;       // results are computed where they belong
  int64_t lanes = 1;         // lines that are stretched at once
  int64_t aside = 0;         // planes that are computed as the elements of a place, or 0
  int64_t most_columns = 0;  // elements of a source line at a time, unless one position needs more
  int64_t most_results = 0;  // elements of an output line at a time, unless a place has more
  // Elements of a worker's memory.
  int64_t ring_room = 0, column_room = 0, fetched_room = 0, result_room = 0;

  // False: a position would read more than there is room for; `bad` is the axis.
  bool make(const Args& args, int lanes_of_set, int* bad = nullptr) noexcept;
  int64_t worker_elements() const noexcept;
  const Along& last() const noexcept { return along[count - 1]; }

  // The most worker_elements() of any dims up to these, in any layout.
  static int64_t most_elements(const Dims& in, const Dims& out) noexcept;

 private:
  void split(const Args& args) noexcept;
  void merge_copied() noexcept;
  void size_pieces() noexcept;
  bool suits_aside(int64_t lanes_of_set) const noexcept;
  void size_rings() noexcept;
};

}  // namespace anydim
