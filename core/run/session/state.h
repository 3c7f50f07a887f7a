// SPDX-License-Identifier: Apache-2.0
// What one sequence of a session's runs hands on: pairs of an input and an output (caches of keys and values, recurrent states) whose
// memory is here. A part that the program can append to in place (Program::IoSpec) lies in memory with room behind its end: a step
// writes what is new there. Others are written beside the old ones, and the two change places when the step has succeeded. So a step that
// fails leaves the state as it was. Parts that are appended to may lie in pages (core/base/memory/paged_memory.h), which forks share. One user at a time; states of one session share its contexts (session.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/memory/aligned_buffer.h"
#include "core/base/memory/paged_memory.h"
#include "core/run/session/session.h"

namespace anydim {

struct StateFigures {
  int32_t parts = 0, in_place = 0;
  int64_t length = 0, limit = 0, steps = 0, bytes = 0;
  int64_t appended = 0, copied = 0;  // bytes, of new slices and of old ones
  int64_t growths = 0;
  int64_t page = 0, pages = 0, shared_pages = 0;  // slices of a page; pages of all parts, and those of them that other states have, too
  int64_t pool_bytes = 0, pool_limit = 0;         // of the pages of this state and of all forks
};

class State final : private RunPlaces {
 public:
  // `limit`: most slices of growing axes; 0: what the session's bounds say, or none.
  State(std::shared_ptr<Session> session, int64_t limit) : session_(std::move(session)), limit_(limit) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // `axis`: the one that grows; -1: none.
  Status add(std::string_view input, std::string_view output, int32_t axis);
  // Before the first step: parts that grow where they lie are kept in pages of so many slices, or the next larger number that fills pages of the
  // processor. `pool_limit`: bytes of pages, of this state and all forks of it together; 0: without limit.
  Status use_pages(int64_t page, int64_t pool_limit);
  // Inputs and outputs that belong to no part, in the program's order; outputs as in Session::run.
  Status step(std::span<const TensorView> in, std::span<TensorView> out, RunCall call);
  Status reset();
  Status truncate(int64_t length);
  Status fork(std::unique_ptr<State>* out) const;
  Status read(int32_t part, TensorView* view) const;
  Status write(std::span<const TensorView> values);
  StateFigures figures() const noexcept;

 private:
  struct PartEdges {
    size_t input = 0, output = 0;
    int axis = -1;
    bool in_place = false;  // the program can
    int64_t limit = 0;      // 0: none
  };
  struct Part : PartEdges {
    bool known = false;  // dims are those of what it holds
    Dims dims;
    int64_t room = 0;            // slices along the axis that memory has room for; of one that does not grow: 1
    int64_t next_room = 0;       // as room, of `next`
    AlignedBuffer memory, next;  // next: of what is written beside
    PagedMemory pages;           // instead of both
    bool is_paged() const noexcept { return pages.data() != nullptr; }
    std::byte* data() const noexcept { return is_paged() ? pages.data() : memory.data(); }
    int64_t length() const noexcept { return axis < 0 ? 0 : dims[axis]; }
  };
  Status place(std::span<const Dims> dims, std::span<TensorView> out, bool* moved) override;
  Status place_found(size_t output, const Dims& dims, TensorView* out) override;
  Status ran(const Context& context, std::span<const TensorView> out) override;

  // A part with room for these dims, and the elements of `from`.
  Status make_part(const PartEdges& edges, const TensorView& from, int64_t room, Part* out) const;
  // May the step make these dims of the part?
  Status check_made(const Part& p, const Dims& dims) const;
  Part* part_of_output(size_t output) noexcept;

  const Program::IoSpec& input_of(const PartEdges& p) const noexcept { return session_->program().inputs[p.input]; }
  const Program::IoSpec& output_of(const PartEdges& p) const noexcept { return session_->program().outputs[p.output]; }
  Strides strides_of(const Part& p, const Dims& dims) const noexcept;
  TensorView view_of(const Part& p) const noexcept;
  int64_t bytes_of(const PartEdges& p, const Dims& dims) const noexcept;
  int64_t limit_of(const Part& p) const;
  Status find_dims(Part& p);
  Status check_length(const Part& p, int64_t length) const;
  int64_t room_for(const Part& p, int64_t length) const noexcept;
  // Room for so many slices, with what it holds.
  Status make_room(Part& p, const Dims& dims, int64_t room);
  Status allocate(int64_t bytes, const Part& p, AlignedBuffer* out) const;
  // Whether a part of these dims lies in pages.
  bool wants_pages(const PartEdges& p, const Dims& dims) const noexcept;
  Status make_pages(const PartEdges& p, const Dims& dims, int64_t room, PagedMemory* out) const;
  // Not in a child of the process that made the pages.
  Status check_here() const;

  std::shared_ptr<Session> session_;
  int64_t limit_ = 0;
  int64_t page_ = 0;                // slices that were asked for
  std::shared_ptr<PagePool> pool_;  // null: no part lies in pages
  std::vector<Part> parts_;
  std::vector<TensorView> in_, out_;  // of a step, the program's order
  bool fresh_ = true;                 // no step since it was made or reset, and nothing was written
  int64_t steps_ = 0, appended_ = 0, copied_ = 0, growths_ = 0;
};

}  // namespace anydim
