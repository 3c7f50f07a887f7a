// SPDX-License-Identifier: Apache-2.0
// Restores what appends overwrote, after a run that failed; see undo_journal.h.
#include "core/kernels/append/undo_journal.h"

#include <algorithm>

#include "core/kernels/append/append.h"

namespace anydim {

void UndoJournal::save(const Args& args) {
  if (!appends_in_place(args)) return;
  const TensorView& out = args.out[0];
  const AppendSizes n(args);
  const int axis = static_cast<const Append*>(args.op)->axis();
  const int64_t examples = axis > 0 ? out.dims[0] : 1;
  if (out.count() == 0 || (n.count > n.length && n.evictions == nullptr)) return;
  for (int64_t b = 0; b < examples; ++b) {
    const int64_t start = n.start(b);
    if (n.evictions != nullptr) {
      save_window(n, out, axis, b, start);
      continue;
    }
    if (!n.circular && (start < 0 || start > n.length - n.count)) return;  // refused before anything is written
    for (int64_t i = 0; i < n.count;) {
      const int64_t at = n.place(start, i), piece = std::min(n.count - i, n.length - at), end = std::min(at + piece, n.cached);
      if (at < end) save(slices_of(out, axis, at, end, b, 1));
      i += piece;
    }
  }
}

// A windowed cache moves to the front: undone, it moves back, and the slices that left it are in front again. Before that, those that the
// update overwrites are as they were after the move.
void UndoJournal::save_window(const AppendSizes& n, const TensorView& out, int axis, int64_t b, int64_t start) {
  if (start < -kMaxSize || start > n.cached) return;  // refused before anything is written
  const int64_t evicted = n.evicted(b), kept = n.cached - evicted;
  if (evicted > 0) {
    save(slices_of(out, axis, 0, evicted, b, 1));
    saved_.push_back({out, 0, axis, b, evicted});
  }
  const int64_t first = start + n.first_within(start), last = start + n.last_within(start), moved = std::min(last, kept);
  if (first < moved) {
    save(slices_of(out, axis, first + evicted, moved + evicted, b, 1));
    saved_.back().place = slices_of(out, axis, first, moved, b, 1);
  }
  if (const int64_t from = std::max(first, moved); from < last) save(slices_of(out, axis, from, last, b, 1));
}

void UndoJournal::save(const TensorView& slices) {
  const size_t bytes = static_cast<size_t>(slices.count() * dtype_size(slices.dtype));
  if (bytes_.size() < used_ + bytes) bytes_.resize(std::max(used_ + bytes, bytes_.size() * 2));
  saved_.push_back({slices, used_});
  TensorView copy = slices;
  copy.strides = dense_strides(slices.dims);
  copy.data = bytes_.data() + used_;
  used_ += bytes;
  copy_slices(slices, copy, Parallel(1));
}

void UndoJournal::undo() noexcept {
  for (size_t i = saved_.size(); i-- > 0;) {
    if (const Saved& s = saved_[i]; s.evicted > 0) {
      move_slices(s.place, s.axis, 0, s.place.dims[s.axis] - s.evicted, s.evicted, s.example, Parallel(1));
      continue;
    }
    TensorView copy = saved_[i].place;
    copy.strides = dense_strides(copy.dims);
    copy.data = bytes_.data() + saved_[i].at;
    copy_slices(copy, saved_[i].place, Parallel(1));
  }
}

}  // namespace anydim
