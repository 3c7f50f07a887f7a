// SPDX-License-Identifier: Apache-2.0
// What appends in place overwrote of their caches, until the run has succeeded: a run that fails puts it back. Appends behind what is old
// overwrite nothing and do not come here. Of a windowed cache the slices that leave it are kept, and how far the others move.
#pragma once

#include <cstddef>
#include <vector>

#include "core/kernels/append/append.h"

namespace anydim {

class UndoJournal {
 public:
  // Keeps the slices that this append is about to overwrite, if it works in place. Bytes follow the update, not the cache.
  void save(const Args& args);

  // A run: what it overwrote goes back at its end, unless it says that all is well.
  class Scope {
   public:
    explicit Scope(UndoJournal& journal) noexcept : journal_(journal) {}
    ~Scope() {
      if (!kept_) journal_.undo();
      journal_.saved_.clear();
      journal_.used_ = 0;
    }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;
    void keep() noexcept { kept_ = true; }

   private:
    UndoJournal& journal_;
    bool kept_ = false;
  };

 private:
  struct Saved {
    TensorView place;
    size_t at = 0;  // of its dense copy in bytes_
    // Instead of it: how many slices left example `example` of a windowed cache, which is all of `place`.
    int axis = 0;
    int64_t example = 0, evicted = 0;
  };
  void save(const TensorView& slices);
  void save_window(const AppendSizes& n, const TensorView& out, int axis, int64_t b, int64_t start);
  void undo() noexcept;  // the last first

  std::vector<Saved> saved_;
  std::vector<std::byte> bytes_;
  size_t used_ = 0;
};

}  // namespace anydim
