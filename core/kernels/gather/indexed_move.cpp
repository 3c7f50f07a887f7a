// SPDX-License-Identifier: Apache-2.0
// Moves by indices. Axes are sorted by the list and merged, then some hundred picks at a time are resolved (checked, and
// made offsets into the table), and these are moved: single elements, runs, or boxes by a strided copy. No index is
// divided, none is looked up twice within a task.
#include "core/kernels/gather/indexed_move.h"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "core/kernels/copy/copy_run.h"
#include "core/kernels/copy/strided_copy.h"

namespace anydim {

namespace {

// Below this a second thread costs more than it helps.
constexpr int64_t kParallelElements = 30000;
constexpr int64_t kChunk = 512;  // picks resolved at a time: 4 KB of offsets, in L1

int64_t magnitude(int64_t stride) noexcept { return stride < 0 ? -stride : stride; }

// Outermost first: by falling stride of the list, in the given order among equals.
void sort(MoveAxis* axes, int n) noexcept {
  for (int i = 1; i < n; ++i)
    for (int j = i; j > 0 && magnitude(axes[j].list) > magnitude(axes[j - 1].list); --j) std::swap(axes[j], axes[j - 1]);
}

// Neighbours that everybody walks as one become one. Returns how many are left.
int merge(MoveAxis* axes, int n) noexcept {
  int m = 0;
  for (int i = 0; i < n; ++i) {
    MoveAxis* before = m > 0 ? &axes[m - 1] : nullptr;
    const MoveAxis& a = axes[i];
    if (before && before->apart == a.apart && before->table == a.table * a.dim && before->list == a.list * a.dim &&
        before->index == a.index * a.dim) {
      const int64_t dim = before->dim * a.dim;
      *before = a;
      before->dim = dim;
    } else {
      axes[m++] = a;
    }
  }
  return m;
}

// The places of n picks of a line; false if an index is out of range.
bool resolve(const IndexedMove& m, int64_t index, int64_t index_step, int64_t base, int64_t table_step, int64_t n,
             int64_t* places) noexcept {
  IndexLine line{
      .wide = m.wide, .step = index_step, .count = n, .first = static_cast<uint64_t>(base), .pace = static_cast<uint64_t>(table_step)};
  for (int c = 0; c < m.coordinates; ++c) {
    line.indices = m.indices + (m.coordinate[c].offset + index) * (m.wide ? 8 : 4);
    line.bound = m.coordinate[c].bound;
    line.stride = static_cast<uint64_t>(m.coordinate[c].stride);
    line.adds = c > 0;
    if (!m.find(line, places)) return false;
  }
  return true;
}

// Calls f(table, list, index) with the offsets of every position of `n` axes, in order.
template <class F> void for_each_position(const MoveAxis* axes, int n, F&& f) noexcept {
  int64_t at[2 * kMaxRank] = {}, table = 0, list = 0, index = 0;
  for (;;) {
    if (!f(table, list, index)) return;
    int i = n - 1;
    for (; i >= 0; --i) {
      table += axes[i].table;
      list += axes[i].list;
      index += axes[i].index;
      if (++at[i] < axes[i].dim) break;
      table -= axes[i].table * axes[i].dim;
      list -= axes[i].list * axes[i].dim;
      index -= axes[i].index * axes[i].dim;
      at[i] = 0;
    }
    if (i < 0) return;
  }
}

// A move whose axes are in order, on one thread.
class Walk {
 public:
  explicit Walk(const IndexedMove& m) noexcept : m_(m) {
    if (m.picks > 0) line_ = m.pick_axes[m.picks - 1];
    // Axes of the slice that lie outside a line of picks are walked around it, the others at each pick.
    while (outside_ < m.slice && m.picks > 0 && magnitude(m.slice_axes[outside_].list) >= magnitude(line_.list)) ++outside_;
    if (outside_ < m.slice) inner_ = m.slice_axes[m.slice - 1];
    middle_ = std::max(m.slice - 1 - outside_, 0);
  }

  bool run() noexcept {
    const int outer = m_.picks > 0 ? m_.picks - 1 : 0;
    for_each_position(m_.pick_axes, outer, [&](int64_t table, int64_t list, int64_t index) {
      for (int64_t i = 0, n; i < line_.dim; i += n) {
        const int64_t from = list + i * line_.list;
        if (filled_ > 0 && from != first_ + filled_ * line_.list) flush();
        if (filled_ == 0) first_ = from;
        n = std::min(line_.dim - i, kChunk - filled_);
        if (!resolve(m_, index + i * line_.index, line_.index, table + i * line_.table, line_.table, n, offsets_ + filled_))
          return ok_ = false;
        filled_ += n;
        if (filled_ == kChunk) flush();
      }
      return true;
    });
    if (ok_) flush();
    return ok_;
  }

 private:
  // Few elements of each of many rows.
  template <class T> void take_columns(const MoveAxis& rows) const noexcept {
    const T* from = reinterpret_cast<const T*>(m_.table);
    T* to = reinterpret_cast<T*>(m_.list) + first_;
    for (int64_t r = 0; r < rows.dim; ++r, from += rows.table, to += rows.list)
      for (int64_t i = 0; i < filled_; ++i) to[i * line_.list] = from[offsets_[i]];
  }

  // Moves the picks that are resolved.
  void flush() noexcept {
    constexpr int64_t kFewColumns = 16;
    if (m_.copies && !m_.puts && m_.slice == 1 && outside_ == 1 && filled_ <= kFewColumns && m_.size >= 4) {
      if (m_.size == 4) take_columns<uint32_t>(m_.slice_axes[0]);
      else take_columns<uint64_t>(m_.slice_axes[0]);
      filled_ = 0;
      return;
    }
    for_each_position(m_.slice_axes, outside_, [&](int64_t table, int64_t list, int64_t) {
      MoveBlock b{m_.table + table * m_.size,
                  m_.list + (first_ + list) * m_.size,
                  offsets_,
                  filled_,
                  line_.list * m_.size,
                  inner_.dim,
                  inner_.table,
                  inner_.list,
                  m_.row};
      if (middle_ == 0) m_.function(b);
      else if (m_.copies) copy_boxes(b);
      else move_boxes(b);
      return true;
    });
    filled_ = 0;
  }
  void copy_boxes(const MoveBlock& b) noexcept {
    StridedCopy c;
    c.size = m_.size;
    for (int i = outside_; i < m_.slice; ++i) {
      const MoveAxis& a = m_.slice_axes[i];
      c.axis(a.dim, m_.puts ? a.list : a.table, m_.puts ? a.table : a.list);
    }
    for (int64_t i = 0; i < b.picks; ++i) {
      std::byte *table = b.table + b.offsets[i] * m_.size, *list = b.list + i * b.list_step;
      c.from = m_.puts ? list : table;
      c.to = m_.puts ? table : list;
      run_copy(c, CopyCore::portable, Parallel(1));
    }
  }
  void move_boxes(const MoveBlock& b) noexcept {
    for (int64_t i = 0; i < b.picks; ++i)
      for_each_position(m_.slice_axes + outside_, middle_, [&](int64_t table, int64_t list, int64_t) {
        MoveBlock one = b;
        one.table += table * m_.size;
        one.list += i * b.list_step + list * m_.size;
        one.offsets += i;
        one.picks = 1;
        m_.function(one);
        return true;
      });
  }

  const IndexedMove& m_;
  MoveAxis line_, inner_;  // the innermost axis of the picks, and of the slice
  int outside_ = 0, middle_ = 0;
  bool ok_ = true;
  int64_t filled_ = 0, first_ = 0;  // resolved picks, and where the first lies in the list
  int64_t offsets_[kChunk];
};

// The axis to cut for threads: the outermost of the list that is long enough, else the longest; null if none may be cut.
// Axes of a slice go last for puts: all tasks resolve all picks then.
MoveAxis* axis_to_cut(IndexedMove* m, int threads) noexcept {
  MoveAxis* best = nullptr;
  const auto better = [&](const MoveAxis& a, const MoveAxis& b) {
    const bool a_long = a.dim >= 4 * threads, b_long = b.dim >= 4 * threads;
    if (a_long != b_long) return a_long;
    return a_long ? magnitude(a.list) > magnitude(b.list) : a.dim > b.dim;
  };
  for (int i = 0; i < m->picks; ++i)
    if (MoveAxis* a = &m->pick_axes[i]; a->apart && (!best || better(*a, *best))) best = a;
  for (int i = 0; i < m->slice; ++i)
    if (MoveAxis* a = &m->slice_axes[i]; !best || better(*a, *best)) best = a;
  return best;
}

// Bits from (or to, for kPuts) the table.
template <class T, bool kPuts> void copy_block(const MoveBlock& b) noexcept {
  T* table = reinterpret_cast<T*>(b.table);
  if (b.length == 1) {
    T* list = reinterpret_cast<T*>(b.list);
    const int64_t step = b.list_step / static_cast<int64_t>(sizeof(T));
    const auto each = [&](int64_t by) {
      for (int64_t i = 0; i < b.picks; ++i) {
        if constexpr (kPuts) table[b.offsets[i]] = list[i * by];
        else list[i * by] = table[b.offsets[i]];
      }
    };
    return step == 1 ? each(1) : each(step);
  }
  if (b.table_inner == 1 && b.list_inner == 1) {
    const int64_t bytes = b.length * static_cast<int64_t>(sizeof(T));
    std::byte* list = b.list;
    with_run_copy(bytes, [&](auto copy) {
      for (int64_t i = 0; i < b.picks; ++i, list += b.list_step) {
        std::byte* at = reinterpret_cast<std::byte*>(table + b.offsets[i]);
        if constexpr (kPuts) copy(at, list, bytes);
        else copy(list, at, bytes);
      }
    });
    return;
  }
  for (int64_t i = 0; i < b.picks; ++i) {
    T *at = table + b.offsets[i], *list = reinterpret_cast<T*>(b.list + i * b.list_step);
    for (int64_t j = 0; j < b.length; ++j) {
      if constexpr (kPuts) at[j * b.table_inner] = list[j * b.list_inner];
      else list[j * b.list_inner] = at[j * b.table_inner];
    }
  }
}

template <bool kPuts> MoveFunction copying(int64_t size) noexcept {
  switch (size) {
    case 1: return copy_block<uint8_t, kPuts>;
    case 2: return copy_block<uint16_t, kPuts>;
    case 4: return copy_block<uint32_t, kPuts>;
    default: return copy_block<uint64_t, kPuts>;
  }
}

}  // namespace

MoveFunction taking_function(int64_t size) noexcept { return copying<false>(size); }
MoveFunction putting_function(int64_t size) noexcept { return copying<true>(size); }

bool run_move(const IndexedMove& move, const Parallel& parallel) noexcept {
  IndexedMove m = move;
  int64_t picks = 1, slice = 1;
  for (int i = 0; i < m.picks; ++i) picks *= m.pick_axes[i].dim;
  for (int i = 0; i < m.slice; ++i) slice *= m.slice_axes[i].dim;
  if (picks == 0 || slice == 0) return true;
  if (!m.ordered) sort(m.pick_axes, m.picks);
  sort(m.slice_axes, m.slice);
  m.picks = merge(m.pick_axes, m.picks);
  // A short innermost axis (channels of an image) is no line: the longer one beside it is.
  constexpr int64_t kShortLine = 16;
  if (!m.ordered && m.picks > 1 && m.pick_axes[m.picks - 1].dim < kShortLine &&
      m.pick_axes[m.picks - 2].dim >= 4 * m.pick_axes[m.picks - 1].dim)
    std::swap(m.pick_axes[m.picks - 1], m.pick_axes[m.picks - 2]);
  m.slice = merge(m.slice_axes, m.slice);

  const int threads = picks * slice < kParallelElements ? 1 : parallel.threads();
  MoveAxis* cut = threads == 1 ? nullptr : axis_to_cut(&m, threads);
  if (!cut) return Walk(m).run();
  const bool of_slice = cut >= m.slice_axes && cut < m.slice_axes + m.slice;
  const int64_t dim = cut->dim;
  int64_t piece = ceil_div(dim, (of_slice && m.puts ? 1 : 4) * static_cast<int64_t>(threads));
  if (magnitude(cut->list) == 1) piece = round_up(piece, 64 / m.size);  // whole cache lines
  std::atomic<bool> ok{true};
  parallel.run(ceil_div(dim, piece), [&](int64_t task, int) {
    IndexedMove part = m;
    MoveAxis& a = *(of_slice ? part.slice_axes + (cut - m.slice_axes) : part.pick_axes + (cut - m.pick_axes));
    const int64_t first = task * piece;
    a.dim = std::min(piece, dim - first);
    part.table += first * a.table * m.size;
    part.list += first * a.list * m.size;
    part.indices += first * a.index * (m.wide ? 8 : 4);
    if (!Walk(part).run()) ok.store(false, std::memory_order_relaxed);
  });
  return ok.load(std::memory_order_relaxed);
}

}  // namespace anydim
