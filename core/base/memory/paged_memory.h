// SPDX-License-Identifier: Apache-2.0
// Memory that lies side by side for whoever reads it and is made of pages that several such memories share. The processor's own tables
// join the pages: readers and writers see addresses without gaps, so nothing that computes knows of pages. For caches that grow and
// fork (core/run/session/state.h); docs/decisions/209-pages-by-the-processor.md says why it is not done by tables in kernels.
//
// A paged memory is `lines` stretches of `room` slices. A page is the same `slices` of each stretch, so all stretches are as long at any
// time. Pages come from a pool with a limit. A copy of a memory maps the same pages; who writes to a page that others have, too, gets one
// of its own first. Growing moves no bytes, not even where there is no room any more: pages are mapped elsewhere then.
//
// A pool has any number of users at the same time, a memory one. A child of a process's fork has no pages: see PagePool::is_here().
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/base/threads/fork_lock.h"

namespace anydim {

class PagePool {
 public:
  // `most`: bytes of all pages; 0: what the machine has.
  static Status create(int64_t most, std::shared_ptr<PagePool>* out);
  ~PagePool();
  PagePool(const PagePool&) = delete;
  PagePool& operator=(const PagePool&) = delete;

  int64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }  // of pages that somebody has
  int64_t most() const noexcept { return most_; }
  // False in the child of a fork: the parent goes on to write to the pages, so they are not the child's.
  bool is_here() const noexcept { return forks_ == forks_so_far(); }

 private:
  friend class PagedMemory;
  friend struct PagePiece;
  PagePool(int file, int64_t most) noexcept : file_(file), most_(most) {}
  // A range of the file, which costs nothing before its pages are asked for.
  Status reserve(int64_t bytes, int64_t* at);
  // Memory for `count` pieces of `bytes`, `step` apart.
  Status fill(int64_t at, int64_t step, int64_t count, int64_t bytes);
  void free(int64_t at, int64_t step, int64_t count, int64_t bytes) noexcept;

  [[no_unique_address]] const CountsForks counts_;
  const uint32_t forks_ = forks_so_far();
  const int file_;
  const int64_t most_;
  std::mutex mutex_;
  int64_t reserved_ = 0;  // bytes of the file, under the mutex
  std::atomic<int64_t> bytes_{0};
};

// One page: a piece of each stretch, in the file. It goes back to the pool with the last memory that has it.
struct PagePiece {
  PagePiece(std::shared_ptr<PagePool> p, int64_t from, int64_t apart, int64_t number, int64_t size) noexcept
      : pool(std::move(p)), at(from), step(apart), count(number), bytes(size) {}
  ~PagePiece() { pool->free(at, step, count, bytes); }
  PagePiece(const PagePiece&) = delete;
  PagePiece& operator=(const PagePiece&) = delete;
  const std::shared_ptr<PagePool> pool;
  const int64_t at, step, count, bytes;
};

class PagedMemory {
 public:
  struct Layout {
    int64_t lines = 0;        // stretches
    int64_t slice_bytes = 0;  // of one stretch
    int64_t slices = 0;       // of a page
    friend bool operator==(const Layout&, const Layout&) = default;
  };
  // The least number of slices, `wanted` or more, that fills whole pages of the processor.
  static int64_t page_slices(int64_t wanted, int64_t slice_bytes) noexcept;

  PagedMemory() = default;
  PagedMemory(PagedMemory&& other) noexcept { *this = std::move(other); }
  PagedMemory& operator=(PagedMemory&& other) noexcept;
  ~PagedMemory() { unmap(); }

  static Status create(std::shared_ptr<PagePool> pool, const Layout& layout, int64_t room, PagedMemory* out);
  // The same pages, mapped again.
  Status share(PagedMemory* out) const;

  std::byte* data() const noexcept { return data_; }
  int64_t room() const noexcept { return room_; }  // slices, a multiple of a page's
  const Layout& layout() const noexcept { return layout_; }
  // Addresses for more slices. data() changes.
  Status extend(int64_t room);
  // Makes slices [from, to) ready to be written; the first `held` slices stay as they are. Says how many bytes it copied of shared pages.
  Status make_writable(int64_t from, int64_t to, int64_t held, int64_t* copied);
  // Frees all pages but the first ones, which hold so many slices.
  void keep(int64_t slices) noexcept;

  int64_t pages() const noexcept { return static_cast<int64_t>(pages_.size()); }
  int64_t shared_pages() const noexcept;
  int64_t page_bytes() const noexcept { return layout_.lines * piece_bytes(); }

 private:
  using Page = std::shared_ptr<const PagePiece>;
  int64_t piece_bytes() const noexcept { return layout_.slices * layout_.slice_bytes; }
  int64_t line_bytes() const noexcept { return room_ * layout_.slice_bytes; }
  int64_t all_bytes() const noexcept { return layout_.lines * line_bytes(); }
  bool is_own(size_t number, const PagePiece& page) const noexcept;
  Status map_range();
  Status map_pages(size_t first, size_t last);
  Status map_again(int64_t room, PagedMemory* out) const;
  Status put(size_t number, Page page);
  Status new_page(size_t number, Page* out);
  void unmap() noexcept;

  std::shared_ptr<PagePool> pool_;
  Layout layout_;
  int64_t room_ = 0;
  std::byte* data_ = nullptr;
  int64_t mapped_ = 0;    // bytes
  int64_t own_ = 0;       // begin of the range of the file that is mapped where no page is
  size_t given_ = 0;      // pages of that range up to this one may be somebody's
  size_t elsewhere_ = 0;  // up to this one other parts of the file may be mapped
  std::vector<Page> pages_;
};

}  // namespace anydim
