// SPDX-License-Identifier: Apache-2.0
// What a sequence of runs keeps: caches and recurrent states; see state.h.
#include "core/run/session/state.h"

#include <algorithm>
#include <cstring>

#include "core/run/context/copy_elements.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

constexpr int64_t kFirstRoom = 16;         // slices of a part without a limit
constexpr int64_t kFirstPagedRoom = 4096;  // the same in pages, which are addresses and no memory yet

Dims with_length(Dims dims, int axis, int64_t length) noexcept {
  if (axis >= 0) dims[axis] = length;
  return dims;
}

// Dense slices along the axis, of which only the first stay: they move to the strides of so many, towards the front.
void keep_first(std::byte* data, const Dims& dims, int axis, int64_t length, int64_t element) noexcept {
  int64_t outer = 1, inner = element;
  for (int a = 0; a < dims.rank; ++a)
    if (a != axis) (a < axis ? outer : inner) *= dims[a];
  const int64_t from = dims[axis] * inner, to = length * inner;
  if (to == 0) return;
  for (int64_t i = 1; i < outer; ++i) std::memmove(data + i * to, data + i * from, static_cast<size_t>(to));
}

}  // namespace

// --- parts -------------------------------------------------------------------------------------------------------------

Status State::add(std::string_view input, std::string_view output, int32_t axis) {
  const Program& p = session_->program();
  const auto find = [](const std::vector<Program::IoSpec>& edges, std::string_view name) {
    return static_cast<size_t>(std::find_if(edges.begin(), edges.end(), [&](const Program::IoSpec& e) { return e.name == name; }) -
                               edges.begin());
  };
  if (!fresh_ || steps_ > 0) return error(Code::busy, "the state has made a step; parts are added before it");
  Part part;
  part.input = find(p.inputs, input);
  part.output = find(p.outputs, output);
  part.axis = axis;
  if (part.input == p.inputs.size()) return error(Code::not_found, "the model has no input '{}'", input).about("input");
  if (part.output == p.outputs.size()) return error(Code::not_found, "the model has no output '{}'", output).about("output");
  for (const Part& other : parts_) {
    if (other.input == part.input) return invalid("input '{}' belongs to another part", input).about("input");
    if (other.output == part.output) return invalid("output '{}' belongs to another part", output).about("output");
  }
  const Program::IoSpec &in = p.inputs[part.input], &out = p.outputs[part.output];
  if (in.dtype != out.dtype)
    return invalid("input '{}' has dtype {} and output '{}' {}; expected one dtype", input, dtype_name(in.dtype), output,
                   dtype_name(out.dtype))
        .about("output");
  if (in.dims.rank != out.dims.rank || !out.rank.is(-1))
    return invalid("input '{}' has rank {} and output '{}' {}; expected one rank", input, in.dims.rank, output, out.dims.rank)
        .about("output");
  if (axis < -1 || axis >= in.dims.rank)
    return invalid("axis is {}; expected -1 (none) to {}, the last of '{}'", axis, in.dims.rank - 1, input).about("axis");
  for (int i = 0; i < in.dims.rank; ++i)
    if (i != axis && in.dims[i].is_number() && out.dims[i].is_number() && !(in.dims[i] == out.dims[i]))
      return invalid("dim {} is {} in '{}' and {} in '{}'; expected equal dims but along the growing axis", i, in.dims[i].number(), input,
                     out.dims[i].number(), output)
          .about("output");
  if (axis >= 0 && in.dims[axis].is_number())
    return invalid("dim {} of '{}' is {}, which cannot grow", axis, input, in.dims[axis].number()).about("axis");
  part.in_place = out.cache == static_cast<int32_t>(part.input) && (axis < 0 || axis == out.cache_axis);
  part.limit = axis >= 0 ? limit_of(part) : 0;
  parts_.push_back(std::move(part));
  return {};
}

// The output's most slices within the session's bounds.
int64_t State::limit_of(const Part& p) const {
  const Bounds* const bounds = session_->bounds();
  if (limit_ > 0 || bounds == nullptr) return limit_;
  const Program& program = session_->program();
  DimPool pool = program.dims;
  for (size_t i = 0; i < bounds->size(); ++i)
    for (int d = 0; d < program.inputs[i].dims.rank; ++d) {
      const Dim dim = program.inputs[i].dims[d];
      if (dim.is_number() || pool.expr(dim.expr()).op != DimOp::symbol) continue;
      DimPromise promise = pool.expr(dim.expr()).promise;
      promise.min = std::max(promise.min, (*bounds)[i].dims[d].min);
      promise.max = std::min(promise.max, (*bounds)[i].dims[d].max);
      if (promise.min <= promise.max) pool.set_promise(dim.expr(), promise);
    }
  const int64_t most = pool.interval(output_of(p).dims[p.axis]).max;
  return most < kMaxSize ? most : 0;
}

// --- memory ------------------------------------------------------------------------------------------------------------

Strides State::strides_of(const Part& p, const Dims& dims) const noexcept {
  return dense_strides(p.in_place ? with_length(dims, p.axis, p.room) : dims);
}

TensorView State::view_of(const Part& p) const noexcept { return {p.data(), input_of(p).dtype, p.dims, strides_of(p, p.dims)}; }

int64_t State::bytes_of(const PartEdges& p, const Dims& dims) const noexcept {
  int64_t bytes = dtype_size(input_of(p).dtype);
  for (const int64_t d : dims) bytes = saturating_mul(bytes, d);
  return bytes;
}

// What there is, or more of it: with a limit at once for all that may come.
int64_t State::room_for(const Part& p, int64_t length) const noexcept {
  if (length <= p.room) return p.room;
  return p.limit > 0 ? p.limit : std::max({length, 2 * p.room, kFirstRoom});
}

Status State::allocate(int64_t bytes, const Part& p, AlignedBuffer* out) const {
  const MemorySourceScope memory(session_->memory_source());
  if (bytes >= kMaxSize) return error(Code::out_of_memory, "input '{}' of the state is larger than any address space", input_of(p).name);
  auto made = AlignedBuffer::allocate(bytes);
  if (!made.ok()) return made.take_status();
  *out = std::move(*made);
  return {};
}

Status State::make_room(Part& p, const Dims& dims, int64_t room) {
  if (wants_pages(p, dims)) {
    if (p.is_paged()) {
      ++growths_;
      ANYDIM_TRY(p.pages.extend(room));
    } else {
      ANYDIM_TRY(make_pages(p, dims, room, &p.pages));
    }
    p.room = p.pages.room();
    return {};
  }
  AlignedBuffer memory;
  ANYDIM_TRY(allocate(bytes_of(p, with_length(dims, p.axis, room)), p, &memory));
  const TensorView old = view_of(p);
  if (p.room > 0) ++growths_;
  p.room = room;
  if (p.known && old.count() > 0 && p.length() <= room) {
    TensorView to = old;
    to.data = memory.data();
    to.strides = strides_of(p, p.dims);
    copy_elements(old, to);
    copied_ += bytes_of(p, p.dims);
  }
  p.memory = std::move(memory);
  p.next = {};
  return {};
}

// --- pages -------------------------------------------------------------------------------------------------------------

Status State::use_pages(int64_t page, int64_t pool_limit) {
  if (!fresh_ || steps_ > 0) return error(Code::busy, "the state has made a step; pages are asked for before it");
  if (page < 1) return invalid("a page has {} slices; expected 1 or more", page).about("page");
  if (pool_limit < 0) return invalid("the limit of pages is {} bytes; expected 0 (none) or more", pool_limit).about("pool_limit");
  if (session_->memory_source() != nullptr)
    return unimplemented("pages are memory of the system's, and the session's memory comes from the program's own functions")
        .about("state");
  if (!session_->program().host_only()) return unimplemented("states of a model that runs on a device have no pages").about("state");
  ANYDIM_TRY(PagePool::create(pool_limit, &pool_));
  page_ = page;
  return {};
}

bool State::wants_pages(const PartEdges& p, const Dims& dims) const noexcept {
  return pool_ != nullptr && p.in_place && p.axis >= 0 && bytes_of(p, with_length(dims, p.axis, 1)) > 0;
}

Status State::make_pages(const PartEdges& p, const Dims& dims, int64_t room, PagedMemory* out) const {
  PagedMemory::Layout layout{1, dtype_size(input_of(p).dtype), 0};
  for (int a = 0; a < dims.rank; ++a)
    if (a != p.axis) (a < p.axis ? layout.lines : layout.slice_bytes) *= dims[a];
  layout.slices = PagedMemory::page_slices(page_, layout.slice_bytes);
  if (p.limit == 0) room = std::max(room, kFirstPagedRoom);
  if (saturating_mul(bytes_of(p, with_length(dims, p.axis, 1)), round_up(room, layout.slices)) >= kMaxSize)
    return error(Code::out_of_memory, "input '{}' of the state is larger than any address space", input_of(p).name);
  return PagedMemory::create(pool_, layout, room, out);
}

Status State::check_here() const {
  if (pool_ == nullptr || pool_->is_here()) return {};
  return error(Code::closed, "a state with pages belongs to the process that made it; this is a child of it");
}

// --- dims --------------------------------------------------------------------------------------------------------------

// Of a part that holds nothing yet: numbers, and what this step's other inputs say.
Status State::find_dims(Part& p) {
  const Program& program = session_->program();
  const Program::IoSpec& edge = input_of(p);
  const auto value_of_dim = [&](Dim d) -> int64_t {
    if (d.is_number()) return d.number();
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      if (std::any_of(parts_.begin(), parts_.end(), [&](const Part& other) { return other.input == i; })) continue;
      if (in_[i].dims.rank != program.inputs[i].dims.rank) continue;
      for (int a = 0; a < in_[i].dims.rank; ++a)
        if (program.inputs[i].dims[a] == d) return in_[i].dims[a];
    }
    return -1;
  };
  Dims dims = Dims::filled(edge.dims.rank, 0);
  for (int a = 0; a < edge.dims.rank; ++a) {
    if (a == p.axis) continue;
    dims[a] = value_of_dim(edge.dims[a]);
    if (dims[a] < 0) dims[a] = value_of_dim(output_of(p).dims[a]);
    if (dims[a] < 0 && p.known) dims[a] = p.dims[a];  // as it was before the reset
    if (dims[a] < 0)
      return invalid("dim {} ({}) of the state's input '{}' follows from no input of the step; write the part first", a,
                     edge.dim_text[static_cast<size_t>(a)], edge.name)
          .about("inputs");
  }
  const bool same = p.known && with_length(p.dims, p.axis, 0) == dims;
  if (!same) {
    p.room = 0;
    p.memory = {};
    p.next = {};
    p.pages = {};
    p.dims = dims;
  }
  p.known = true;
  p.dims = dims;
  if (p.axis < 0 && p.room == 0) {
    ANYDIM_TRY(allocate(bytes_of(p, dims), p, &p.memory));
    p.room = 1;
  }
  return {};
}

Status State::check_length(const Part& p, int64_t length) const {
  if (p.axis < 0 || p.limit == 0 || length <= p.limit) return {};
  return error(Code::out_of_bounds, "'{}' would have {} slices along axis {}; the state's limit is {} and it holds {}", output_of(p).name,
               length, p.axis, p.limit, p.known ? p.length() : 0);
}

// --- steps -------------------------------------------------------------------------------------------------------------

Status State::step(std::span<const TensorView> in, std::span<TensorView> out, RunCall call) {
  ANYDIM_TRY(check_here());
  const Program& p = session_->program();
  const size_t others = p.inputs.size() - parts_.size(), results = p.outputs.size() - parts_.size();
  if (in.size() != others)
    return invalid("{} inputs were given; the model has {} that belong to no part of the state", in.size(), others).about("inputs");
  if (!out.empty() && out.size() != results)
    return invalid("{} outputs were given; the model has {} that belong to no part of the state (or give none)", out.size(), results)
        .about("outputs");
  in_.assign(p.inputs.size(), {});
  out_.assign(p.outputs.size(), {});
  const auto has_part = [&](size_t Part::*edge, size_t i) {
    return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) { return part.*edge == i; });
  };
  for (size_t i = 0, k = 0; i < in_.size(); ++i)
    if (!has_part(&Part::input, i)) in_[i] = in[k++];
  for (size_t i = 0, k = 0; i < out_.size() && !out.empty(); ++i)
    if (!has_part(&Part::output, i)) out_[i] = out[k++];
  if (fresh_)
    for (Part& part : parts_) ANYDIM_TRY(find_dims(part));
  for (const Part& part : parts_) in_[part.input] = view_of(part);
  call.state = this;
  ANYDIM_TRY(session_->run(in_, out_, call));
  for (size_t i = 0, k = 0; i < out_.size() && !out.empty(); ++i)
    if (!has_part(&Part::output, i)) out[k++] = out_[i];
  return {};
}

Status State::check_made(const Part& p, const Dims& dims) const {
  if (!(with_length(dims, p.axis, 0) == with_length(p.dims, p.axis, 0)))
    return invalid("the step makes '{}' {} of '{}' {}; a state's part changes along its growing axis only", output_of(p).name,
                   to_string(dims), input_of(p).name, to_string(p.dims));
  return p.axis >= 0 ? check_length(p, dims[p.axis]) : Status();
}

Status State::place(std::span<const Dims> dims, std::span<TensorView> out, bool* moved) {
  const auto is_known = [](const Dims& d) { return std::none_of(d.begin(), d.end(), [](int64_t n) { return n < 0; }); };
  for (const Part& p : parts_)  // all are looked at before one grows
    if (is_known(dims[p.output])) ANYDIM_TRY(check_made(p, dims[p.output]));
  for (Part& p : parts_) {
    const Dims& d = dims[p.output];
    if (!is_known(d)) continue;  // the run finds it
    if (p.axis >= 0 && std::max(d[p.axis], p.length()) > p.room) {
      ANYDIM_TRY(make_room(p, d, room_for(p, std::max(d[p.axis], p.length()))));
      in_[p.input] = view_of(p);
      *moved = true;
    }
    if (p.is_paged()) ANYDIM_TRY(p.pages.make_writable(output_of(p).behind ? p.length() : 0, d[p.axis], p.length(), &copied_));
    std::byte* to = p.data();
    if (!p.in_place) {
      if (const int64_t bytes = bytes_of(p, with_length(d, p.axis, p.room)); p.next.data() == nullptr || p.next.size() < bytes)
        ANYDIM_TRY(allocate(bytes, p, &p.next));
      p.next_room = p.room;
      to = p.next.data();
    }
    out[p.output] = {to, output_of(p).dtype, d, strides_of(p, d)};
  }
  return {};
}

State::Part* State::part_of_output(size_t output) noexcept {
  const auto part = std::find_if(parts_.begin(), parts_.end(), [&](const Part& p) { return p.output == output; });
  return part == parts_.end() ? nullptr : &*part;
}

// Beside what the part holds, before anything changes.
Status State::place_found(size_t output, const Dims& dims, TensorView* out) {
  Part* const p = part_of_output(output);
  if (p == nullptr) return {};
  if (wants_pages(*p, dims))
    return unimplemented("the length of '{}' is found within the run; a part in pages needs it before", output_of(*p).name);
  ANYDIM_TRY(check_made(*p, dims));
  p->next_room = p->axis < 0 ? 1 : room_for(*p, dims[p->axis]);
  const Dims all = with_length(dims, p->axis, p->next_room);
  if (p->next.data() == nullptr || p->next.size() < bytes_of(*p, all)) ANYDIM_TRY(allocate(bytes_of(*p, all), *p, &p->next));
  *out = {p->next.data(), output_of(*p).dtype, dims, dense_strides(p->in_place ? all : dims)};
  return {};
}

Status State::ran(const Context& context, std::span<const TensorView> out) {
  for (Part& p : parts_) {
    const TensorView& made = out[p.output];
    const int64_t bytes = bytes_of(p, made.dims), old = p.axis < 0 ? 0 : std::min(bytes, bytes_of(p, p.dims));
    if (context.appended_in_place(p.output)) {
      appended_ += context.appended_bytes(p.output);
    } else {
      appended_ += bytes - old;
      copied_ += old;
    }
    if (made.data != p.data()) {
      std::swap(p.memory, p.next);
      if (p.room > 0 && p.next_room > p.room) ++growths_;
      p.room = p.next_room;
    }
    p.dims = made.dims;
  }
  ++steps_;
  fresh_ = false;
  return {};
}

// --- whole states ------------------------------------------------------------------------------------------------------

Status State::reset() {
  ANYDIM_TRY(check_here());
  for (Part& p : parts_) {
    if (!p.known) continue;
    if (p.is_paged()) p.pages.keep(0);
    if (p.axis >= 0) p.dims[p.axis] = 0;
    else if (p.memory.size() > 0) std::memset(p.memory.data(), 0, static_cast<size_t>(p.memory.size()));
  }
  fresh_ = true;
  steps_ = 0;
  return {};
}

Status State::truncate(int64_t length) {
  ANYDIM_TRY(check_here());
  if (length < 0) return invalid("length is {}; expected 0 or more", length).about("length");
  for (const Part& p : parts_) {
    if (p.axis < 0) return unimplemented("part '{}' does not grow; what it held before is gone", input_of(p).name);
    if (const int64_t stored = p.known ? p.length() : 0; length > stored)
      return invalid("length is {}; '{}' holds {} slices", length, input_of(p).name, stored).about("length");
  }
  for (Part& p : parts_) {
    if (!p.known) continue;
    if (p.is_paged()) p.pages.keep(length);
    if (!p.in_place && length < p.length()) keep_first(p.memory.data(), p.dims, p.axis, length, dtype_size(input_of(p).dtype));
    p.dims[p.axis] = length;
  }
  return {};
}

Status State::make_part(const PartEdges& edges, const TensorView& from, int64_t room, Part* out) const {
  static_cast<PartEdges&>(*out) = edges;
  out->known = true;
  out->dims = from.dims;
  out->room = room;
  if (wants_pages(edges, from.dims)) {
    int64_t copied = 0;
    ANYDIM_TRY(make_pages(edges, from.dims, room, &out->pages));
    out->room = out->pages.room();
    ANYDIM_TRY(out->pages.make_writable(0, from.dims[edges.axis], 0, &copied));
    copy_elements(from, view_of(*out));
    return {};
  }
  ANYDIM_TRY(allocate(bytes_of(*out, with_length(from.dims, edges.axis, room)), *out, &out->memory));
  copy_elements(from, view_of(*out));
  return {};
}

Status State::fork(std::unique_ptr<State>* out) const {
  ANYDIM_TRY(check_here());
  auto copy = std::make_unique<State>(session_, limit_);
  copy->page_ = page_;
  copy->pool_ = pool_;
  for (const Part& p : parts_) {
    Part& mine = copy->parts_.emplace_back();
    static_cast<PartEdges&>(mine) = p;
    mine.known = p.known;
    mine.dims = p.dims;
    if (p.is_paged()) {
      ANYDIM_TRY(p.pages.share(&mine.pages));
      mine.room = mine.pages.room();
    } else if (p.known && p.room > 0) ANYDIM_TRY(make_part(p, view_of(p), p.room, &mine));
  }
  copy->fresh_ = fresh_;
  copy->steps_ = steps_;
  *out = std::move(copy);
  return {};
}

Status State::read(int32_t part, TensorView* view) const {
  ANYDIM_TRY(check_here());
  if (part < 0 || static_cast<size_t>(part) >= parts_.size())
    return error(Code::not_found, "part is {}; the state has {}", part, parts_.size()).about("part");
  const Part& p = parts_[static_cast<size_t>(part)];
  if (!p.known) return invalid("the dims of '{}' are not known before the first step", input_of(p).name).about("part");
  *view = view_of(p);
  return {};
}

Status State::write(std::span<const TensorView> values) {
  ANYDIM_TRY(check_here());
  if (values.size() != parts_.size())
    return invalid("{} values were given; the state has {} parts", values.size(), parts_.size()).about("values");
  const auto named = [](size_t i) { return formatted("values[{}]", i); };
  for (size_t i = 0; i < values.size(); ++i) {
    const Part& p = parts_[i];
    const TensorView& v = values[i];
    const Program::IoSpec& edge = input_of(p);
    if (v.dtype != edge.dtype)
      return invalid("'{}' has dtype {}; given is {}", edge.name, dtype_name(edge.dtype), dtype_name(v.dtype)).about(named(i));
    if (v.dims.rank != edge.dims.rank)
      return invalid("'{}' has rank {}; given is {}", edge.name, edge.dims.rank, v.dims.rank).about(named(i));
    for (int a = 0; a < v.dims.rank; ++a)
      if (edge.dims[a].is_number() && edge.dims[a].number() != v.dims[a])
        return invalid("dim {} of '{}' is {}; given is {}", a, edge.name, edge.dims[a].number(), v.dims[a]).about(named(i));
    if (v.data == nullptr && v.count() > 0) return invalid("'{}' has no data (null)", edge.name).about(named(i));
    if (p.axis >= 0)
      if (Status s = check_length(p, v.dims[p.axis]); !s.ok()) return std::move(s).about(named(i));
  }
  // All of it lies beside the old before one part changes.
  std::vector<Part> made(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const Part& old = parts_[i];
    const Dims& d = values[i].dims;
    const int64_t room = old.axis < 0 ? 1 : old.limit > 0 ? old.limit : std::max({d[old.axis], old.room, kFirstRoom});
    ANYDIM_TRY(make_part(old, values[i], room, &made[i]));
  }
  parts_ = std::move(made);
  fresh_ = false;
  return {};
}

StateFigures State::figures() const noexcept {
  StateFigures f;
  f.parts = static_cast<int32_t>(parts_.size());
  f.limit = limit_;
  f.steps = steps_;
  f.appended = appended_;
  f.copied = copied_;
  f.growths = growths_;
  bool found = false;
  if (pool_ != nullptr) {
    f.pool_bytes = pool_->bytes();
    f.pool_limit = pool_->most();
  }
  for (const Part& p : parts_) {
    if (p.in_place) ++f.in_place;
    f.bytes += p.memory.size() + p.next.size();
    if (p.is_paged()) {
      if (f.page == 0) f.page = p.pages.layout().slices;
      f.pages += p.pages.pages();
      f.shared_pages += p.pages.shared_pages();
      f.bytes += p.pages.pages() * p.pages.page_bytes();
    }
    if (p.axis < 0 || found) continue;
    found = true;
    f.length = p.known ? p.length() : 0;
    f.limit = p.limit;
  }
  return f;
}

}  // namespace anydim
