// SPDX-License-Identifier: Apache-2.0
// Pages in a file of memory, and mapping them side by side; see paged_memory.h.
#include "core/base/memory/paged_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <numeric>

#include "core/base/checked.h"

namespace anydim {
namespace {

constexpr int64_t kTail = 4096;  // bytes behind the last stretch that whole vectors may read

int64_t processor_page() noexcept {
  static const int64_t bytes = ::sysconf(_SC_PAGESIZE);
  return bytes;
}

Status no_pages(int64_t bytes) { return error(Code::out_of_memory, "there is no memory for {} bytes of pages", bytes); }

}  // namespace

// --- pool --------------------------------------------------------------------------------------------------------------

Status PagePool::create(int64_t most, std::shared_ptr<PagePool>* out) {
  constexpr unsigned kCloseOnExec = 1;
  const int file = static_cast<int>(::syscall(SYS_memfd_create, "anydim-pages", kCloseOnExec));
  if (file < 0) return error(Code::unimplemented, "the system makes no file of memory for pages: {}", std::strerror(errno));
  out->reset(new PagePool(file, most));
  return {};
}

PagePool::~PagePool() { ::close(file_); }

Status PagePool::reserve(int64_t bytes, int64_t* at) {
  const std::lock_guard lock(mutex_);
  const int64_t end = saturating_add(reserved_, bytes);
  rlimit size{};
  const bool limited = ::getrlimit(RLIMIT_FSIZE, &size) == 0 && size.rlim_cur != RLIM_INFINITY && static_cast<int64_t>(size.rlim_cur) < end;
  if (limited || end >= kMaxSize || ::ftruncate(file_, end) != 0)
    return error(Code::out_of_memory, "a file of memory cannot have {} bytes{}", end,
                 limited ? " (the limit of file sizes, ulimit -f)" : "");
  *at = std::exchange(reserved_, end);
  return {};
}

Status PagePool::fill(int64_t at, int64_t step, int64_t count, int64_t bytes) {
  const int64_t all = count * bytes, now = bytes_.fetch_add(all, std::memory_order_relaxed) + all;
  if (most_ > 0 && now > most_) {
    bytes_.fetch_sub(all, std::memory_order_relaxed);
    return error(Code::out_of_memory, "the pages of the states have {} bytes and {} more are needed; the limit is {}", now - all, all,
                 most_);
  }
  int64_t done = 0;
  for (; done < count; ++done) {
    int result;
    do result = ::fallocate(file_, 0, at + done * step, bytes);
    while (result != 0 && errno == EINTR);
    if (result != 0) break;
  }
  if (done == count) return {};
  free(at, step, count, bytes);
  return no_pages(all);
}

void PagePool::free(int64_t at, int64_t step, int64_t count, int64_t bytes) noexcept {
  if (!is_here()) return;
  for (int64_t i = 0; i < count; ++i) ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, at + i * step, bytes);
  bytes_.fetch_sub(count * bytes, std::memory_order_relaxed);
}

// --- memory ------------------------------------------------------------------------------------------------------------

int64_t PagedMemory::page_slices(int64_t wanted, int64_t slice_bytes) noexcept {
  const int64_t least = processor_page() / std::gcd(processor_page(), std::max<int64_t>(slice_bytes, 1));
  return round_up(std::max<int64_t>(wanted, 1), least);
}

PagedMemory& PagedMemory::operator=(PagedMemory&& other) noexcept {
  if (this == &other) return *this;
  unmap();
  pool_ = std::move(other.pool_);
  layout_ = other.layout_;
  room_ = std::exchange(other.room_, 0);
  data_ = std::exchange(other.data_, nullptr);
  mapped_ = std::exchange(other.mapped_, 0);
  own_ = other.own_;
  given_ = other.given_;
  elsewhere_ = other.elsewhere_;
  pages_ = std::move(other.pages_);
  other.pages_.clear();
  return *this;
}

void PagedMemory::unmap() noexcept {
  if (data_ != nullptr) ::munmap(data_, static_cast<size_t>(mapped_));
  data_ = nullptr;
  pages_.clear();
}

// A range of the file for all that there is room for. Nothing of it has memory yet.
Status PagedMemory::map_range() {
  const int64_t bytes = saturating_mul(layout_.lines, saturating_mul(room_, layout_.slice_bytes));
  mapped_ = round_up(saturating_add(bytes, kTail), processor_page());
  ANYDIM_TRY(pool_->reserve(mapped_, &own_));
  void* const at = ::mmap(nullptr, static_cast<size_t>(mapped_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, pool_->file_, own_);
  if (at == MAP_FAILED) return error(Code::out_of_memory, "there are no {} bytes of address space for pages", mapped_);
  data_ = static_cast<std::byte*>(at);
  return {};
}

Status PagedMemory::create(std::shared_ptr<PagePool> pool, const Layout& layout, int64_t room, PagedMemory* out) {
  PagedMemory made;
  made.pool_ = std::move(pool);
  made.layout_ = layout;
  made.room_ = round_up(room, layout.slices);
  ANYDIM_TRY(made.map_range());
  *out = std::move(made);
  return {};
}

bool PagedMemory::is_own(size_t number, const PagePiece& page) const noexcept {
  return page.step == line_bytes() && page.at == own_ + static_cast<int64_t>(number) * piece_bytes();
}

// Pages [first, last) to where they are read. Neighbours in the file are mapped with one call.
Status PagedMemory::map_pages(size_t first, size_t last) {
  const int64_t piece = piece_bytes();
  elsewhere_ = std::max(elsewhere_, last);
  for (size_t i = first; i < last;) {
    size_t end = i + 1;
    while (end < last && pages_[end]->step == pages_[i]->step && pages_[end]->at == pages_[end - 1]->at + piece) ++end;
    const int64_t bytes = static_cast<int64_t>(end - i) * piece;
    for (int64_t line = 0; line < layout_.lines; ++line) {
      std::byte* const to = data_ + line * line_bytes() + static_cast<int64_t>(i) * piece;
      if (::mmap(to, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE | MAP_FIXED, pool_->file_,
                 pages_[i]->at + line * pages_[i]->step) == MAP_FAILED)
        return error(Code::out_of_memory, "the system maps no more pages (vm.max_map_count)");
    }
    i = end;
  }
  return {};
}

Status PagedMemory::map_again(int64_t room, PagedMemory* out) const {
  PagedMemory made;
  ANYDIM_TRY(create(pool_, layout_, room, &made));
  made.pages_ = pages_;
  ANYDIM_TRY(made.map_pages(0, made.pages_.size()));
  *out = std::move(made);
  return {};
}

Status PagedMemory::share(PagedMemory* out) const { return map_again(room_, out); }

Status PagedMemory::extend(int64_t room) {
  PagedMemory made;
  ANYDIM_TRY(map_again(room, &made));
  *this = std::move(made);
  return {};
}

// In the range that is mapped there, unless somebody may have that page.
Status PagedMemory::new_page(size_t number, Page* out) {
  const int64_t piece = piece_bytes();
  int64_t at = own_ + static_cast<int64_t>(number) * piece, step = line_bytes();
  if (number < given_) {
    ANYDIM_TRY(pool_->reserve(layout_.lines * piece, &at));
    step = piece;
  }
  ANYDIM_TRY(pool_->fill(at, step, layout_.lines, piece));
  *out = std::make_shared<const PagePiece>(pool_, at, step, layout_.lines, piece);
  given_ = std::max(given_, number + 1);
  return {};
}

// The page becomes this one. On failure nothing has changed: the map that there was needs no more entries of the system's.
Status PagedMemory::put(size_t number, Page page) {
  const bool there = number < pages_.size();
  const bool is_mapped = !there && number >= elsewhere_ && is_own(number, *page);
  if (there) std::swap(pages_[number], page);
  else pages_.push_back(std::move(page));
  if (is_mapped) return {};
  Status status = map_pages(number, number + 1);
  if (status.ok()) return status;
  if (!there) {
    pages_.pop_back();
    return status;
  }
  std::swap(pages_[number], page);
  static_cast<void>(map_pages(number, number + 1));
  return status;
}

Status PagedMemory::make_writable(int64_t from, int64_t to, int64_t held, int64_t* copied) {
  for (int64_t i = from / layout_.slices; i * layout_.slices < to; ++i) {
    const auto number = static_cast<size_t>(i);
    if (number < pages_.size() && pages_[number].use_count() == 1) {
      std::atomic_thread_fence(std::memory_order_acquire);  // who had it, too, has read it
      continue;
    }
    Page page;
    ANYDIM_TRY(new_page(number, &page));
    const int64_t kept = std::clamp<int64_t>(held - i * layout_.slices, 0, layout_.slices) * layout_.slice_bytes;
    for (int64_t line = 0; line < layout_.lines && kept > 0; ++line) {
      const std::byte* const old = data_ + line * line_bytes() + i * piece_bytes();
      if (::pwrite(pool_->file_, old, static_cast<size_t>(kept), page->at + line * page->step) != kept) return no_pages(kept);
    }
    ANYDIM_TRY(put(number, std::move(page)));
    if (kept > 0) *copied += layout_.lines * kept;
  }
  return {};
}

void PagedMemory::keep(int64_t slices) noexcept {
  const auto count = static_cast<size_t>(ceil_div(slices, layout_.slices));
  while (pages_.size() > count) {
    const size_t number = pages_.size() - 1;
    if (given_ == pages_.size() && pages_.back().use_count() == 1 && is_own(number, *pages_.back())) given_ = number;  // nobody's again
    pages_.pop_back();
  }
}

int64_t PagedMemory::shared_pages() const noexcept {
  return std::count_if(pages_.begin(), pages_.end(), [](const Page& page) { return page.use_count() > 1; });
}

}  // namespace anydim
