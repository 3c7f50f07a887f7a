// SPDX-License-Identifier: Apache-2.0
// Address space that is reserved without memory, and memory for parts of it, got in the pages that cost least now (page_costs.h), by
// all threads that may take part. A context's arena and the memory of results consist of it.
//
// A stretch begins with `small` bytes that are never in huge pages; behind them each huge page has its place.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/memory/page_costs.h"
#include "core/base/threads/threads.h"

namespace anydim {

// In which steps small pages are allocated, in bytes: 32 KiB, or a page where pages are larger (64-bit ARM has some of 64 KiB).
int64_t page_step() noexcept;

// `size` bytes of address space without memory, so that a huge page may begin `small` bytes behind its start. Null if there is none.
std::byte* reserve_pages(int64_t size, int64_t small) noexcept;

// Where memory ends that reaches to `end` at least, in whole steps or whole huge pages, whichever costs less. `huge`: as for get_pages().
int64_t end_of_pages(int64_t small, int64_t end, bool huge) noexcept;

// Makes [begin, begin + bytes) usable and touches it. `huge`: whole huge pages in it are allocated as such, until one is expensive; what
// PageCosts says, asked once a request. False if the system refuses; what it gave until then stays.
bool get_pages(std::byte* begin, int64_t bytes, bool huge, const Parallel& parallel, PageUse* use) noexcept;

// Only the first part of get_pages(): usable, and touched by whoever writes there first.
bool allow_pages(std::byte* begin, int64_t bytes) noexcept;
// The second part of it.
bool touch_pages(std::byte* begin, int64_t bytes, bool huge, const Parallel& parallel, PageUse* use) noexcept;

// Gives memory and address space back.
bool release_pages(std::byte* begin, int64_t bytes) noexcept;

// Gives memory back and keeps the address space.
bool free_pages(std::byte* begin, int64_t bytes) noexcept;

// Moves [from, from + bytes) with its pages into reserved address space at `to`, where huge pages have the same places. What was at
// `from` is no longer mapped. False if something is lost, because the system has no memory for its own tables.
bool move_pages(std::byte* from, std::byte* to, int64_t small, int64_t bytes) noexcept;

// Address space for `bytes` is a scarce thing in this process (`ulimit -v`).
bool address_space_is_limited() noexcept;

}  // namespace anydim
