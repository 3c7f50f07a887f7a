// SPDX-License-Identifier: Apache-2.0
// Sizes at the bounds, and the order of buffers that they choose; see arena_plan.h.
#include "core/program/arena_plan.h"

#include <algorithm>

#include "core/program/reference_values.h"

namespace anydim {

Status check_bounds(const Program& p, const Bounds& bounds) {
  if (bounds.size() != p.inputs.size()) return invalid("bounds for {} inputs; the model has {}", bounds.size(), p.inputs.size());
  for (size_t i = 0; i < bounds.size(); ++i) {
    const Program::IoSpec& in = p.inputs[i];
    const auto& b = bounds[i].dims;
    if (b.rank != in.dims.rank) return invalid("bounds of input '{}' have {} dims; the model expects {}", in.name, b.rank, in.dims.rank);
    for (int d = 0; d < b.rank; ++d) {
      if (b[d].min < 0 || b[d].min > b[d].max)
        return invalid("bounds of input '{}' dim {} are {}..{}; expected 0 <= min <= max", in.name, d, b[d].min, b[d].max);
      const Interval own = p.dims.interval(in.dims[d]);
      if (b[d].max < own.min || b[d].min > own.max)
        return error(Code::out_of_bounds, "bounds of input '{}' dim {} are {}..{}; the model allows {}..{}", in.name, d, b[d].min, b[d].max,
                     own.min, own.max);
    }
  }
  return {};
}

namespace {

// The largest value of each dim: within bounds, or at a guess.
class Largest {
 public:
  explicit Largest(const Program& program) : program_(program) {}

  Status within(const Bounds* bounds, std::span<const SymbolBound> symbols) {
    if (!bounds) {
      guess_ = reference_values(program_.dims);
      return {};
    }
    bounded_ = true;
    ANYDIM_TRY(check_bounds(program_, *bounds));
    pool_ = program_.dims;
    for (size_t i = 0; i < bounds->size(); ++i)
      for (int d = 0; d < program_.inputs[i].dims.rank; ++d) {
        const Program::IoSpec& in = program_.inputs[i];
        const Dim dim = in.dims[d];
        if (dim.is_number() || pool_.expr(dim.expr()).op != DimOp::symbol) continue;
        DimPromise promise = pool_.expr(dim.expr()).promise;
        promise.min = std::max(promise.min, (*bounds)[i].dims[d].min);
        promise.max = std::min(promise.max, (*bounds)[i].dims[d].max);
        if (promise.min > promise.max)
          return invalid("bounds of input '{}' dim {} leave nothing for '{}'", in.name, d, in.dim_text[static_cast<size_t>(d)]);
        pool_.set_promise(dim.expr(), promise);
      }
    for (const SymbolBound& s : symbols) narrow(s.symbol, s.within);
    return {};
  }
  // Sizes that a run finds are bounded by others.
  void enter(const Program::Stage& stage, const std::vector<std::vector<SymDimBounds>>& results) {
    if (!bounded_) return;
    for (const Program::SizeRead& read : stage.reads) {
      const int64_t most = std::max<int64_t>(pool_.interval(read.most).max, 0);
      if (read.axis < 0) narrow(read.symbol, {-kMaxSize, most});
      else
        narrow(read.symbol, results[static_cast<size_t>(program_.steps[static_cast<size_t>(read.step)].control()->control)]
                                   [static_cast<size_t>(read.output)][read.axis]);
    }
  }
  const DimPool& pool() const noexcept { return pool_; }
  DimPool take_pool() { return std::move(pool_); }

  int64_t operator()(Dim d) const {
    return std::max<int64_t>(0, d.is_number() ? d.number() : bounded_ ? pool_.interval(d).max : value_of(d, guess_));
  }
  Dims operator()(const SymDims& dims) const {
    Dims most;
    for (Dim d : dims) most.push_back((*this)(d));
    return most;
  }

 private:
  void narrow(Dim symbol, const Interval& within) {
    DimPromise promise = pool_.expr(symbol.expr()).promise;
    promise.min = std::max(promise.min, within.min);
    promise.max = std::max(promise.min, std::min(promise.max, within.max));
    pool_.set_promise(symbol.expr(), promise);
  }

  const Program& program_;
  bool bounded_ = false;
  DimPool pool_;
  std::vector<int64_t> guess_;
};

// More bytes than any address space has: what they come from has no bound.
constexpr int64_t kBeyondMemory = kMaxSize / 4;

Status has_no_bound(const Program& p, int32_t buffer) {
  const auto tensor = std::find_if(p.tensors.begin(), p.tensors.end(), [&](const Program::Tensor& t) { return t.buffer == buffer; });
  return error(Code::out_of_bounds, "the dims {} of '{}' have no bound within the given ones", p.dims.text(p.buffer(buffer).elements),
               tensor == p.tensors.end() ? "" : tensor->name);
}

// Bodies and stores lie above the arena, one after another. A loop has one body; those of a branch have one place, since only one of
// them runs, and its results lie there until the branch runs again.
void place_controls(ArenaPlan* out) {
  out->all_bytes = out->bytes;
  const auto take = [&](int64_t bytes) {
    const int64_t place = round_up(out->all_bytes, kBufferAlignment);
    out->all_bytes = saturating_add(place, bytes);
    return place;
  };
  for (ControlPlan& c : out->controls) {
    int64_t bytes = 0;
    for (const auto& body : c.bodies) bytes = std::max(bytes, body->arena.all_bytes);
    const int64_t place = take(bytes);
    for (const auto& body : c.bodies) body->place = place;
    for (int64_t bytes : c.stores) c.places.push_back(take(bytes));
  }
}

// The layout of one engine's arena, stage by stage.
class Planner {
 public:
  Planner(const Program& p, bool bounded, Largest& largest, int threads, int32_t engine, ArenaPlan* out)
      : p_(p), bounded_(bounded), largest_(largest), threads_(threads), engine_(engine), out_(out), found_(p.controls.size()) {}
  // Of the context of a whole program: its steps may run side by side.
  void set_side_by_side(SideBySide wanted) noexcept { side_by_side_ = threads_ > 1 && engine_ == 0 ? wanted : SideBySide::nowhere; }

  Status run() {
    out_->controls.resize(bounded_ ? p_.controls.size() : 0);
    for (stage_ = 0; stage_ < static_cast<int32_t>(p_.stages.size()); ++stage_) {
      const Program::Stage& here = p_.stages[static_cast<size_t>(stage_)];
      largest_.enter(here, found_);
      ArenaPlan::Entries& entries = out_->stages.emplace_back();
      entries.first = bytes_.size();
      ANYDIM_TRY(enter_buffers());
      entries.scratch = bytes_.size();
      enter(-1, {here.first, std::max(here.last - 1, here.first)}, 0);
      for (int32_t step = here.first; step < here.last; ++step) ANYDIM_TRY(enter_scratch(step, entries.scratch));
      entries.last = bytes_.size();
    }
    place();
    return {};
  }

 private:
  void enter(int32_t buffer, const BufferLifetime& lifetime, int64_t size) {
    out_->buffers.push_back(buffer);
    lifetimes_.push_back(lifetime);
    bytes_.push_back(size);
    stages_.push_back(stage_);
  }

  Status enter_buffers() {
    for (size_t b = 0; b < p_.buffers.size(); ++b) {
      const Program::Buffer& buffer = p_.buffers[b];
      using Kind = Program::Buffer::Kind;
      if (buffer.engine != engine_ || buffer.stage != stage_ || buffer.kind == Kind::input || buffer.kind == Kind::result) continue;
      if (buffer.lifetime.last < buffer.lifetime.first) continue;
      const int64_t n = saturating_mul(largest_(buffer.elements), dtype_size(buffer.dtype));
      if (bounded_ && n >= kBeyondMemory) return has_no_bound(p_, static_cast<int32_t>(b));
      enter(static_cast<int32_t>(b), buffer.lifetime, n);
    }
    return {};
  }

  // `shared`: the region of steps that want little.
  Status enter_scratch(int32_t step, size_t shared) {
    constexpr int64_t kLittleScratch = 64 << 10;
    const Program::Step& s = p_.steps[static_cast<size_t>(step)];
    if (bounded_ && s.control() != nullptr) {
      const auto c = static_cast<size_t>(s.control()->control);
      ANYDIM_TRY(plan_control(p_, s, largest_.pool(), threads_, &out_->controls[c], &found_[c]).at(s.label));
    }
    const Program::Step::Transfer* const transfer = s.transfer();
    const bool dense = transfer != nullptr && transfer->dense >= 0 && engine_ == 0;  // an input is made dense before its transfer
    if (!dense && (transfer != nullptr || s.engine != engine_)) {
      out_->scratch.push_back(static_cast<int32_t>(shared));
      return {};
    }
    const int64_t scratch = dense ? dense_bytes(s) : s.control() != nullptr ? control_bytes(s) : kernel_bytes(s, threads_);
    if (!dense && bounded_ && scratch >= kBeyondMemory)
      return error(Code::out_of_bounds, "the working memory of {} has no bound within the given ones", s.label);
    if (!dense && scratch <= kLittleScratch) {
      bytes_[shared] = std::max(bytes_[shared], scratch);
      out_->scratch.push_back(static_cast<int32_t>(shared));
      return {};
    }
    out_->scratch.push_back(static_cast<int32_t>(bytes_.size()));
    enter(-1, {step, dense ? transfer->released : step}, scratch);
    return {};
  }

  int64_t dense_bytes(const Program::Step& s) {
    const Program::Tensor& t = p_.tensor(s.operands[0]);
    return saturating_mul(largest_(p_.buffer(t.buffer).elements), dtype_size(t.dtype));
  }
  int64_t control_bytes(const Program::Step& s) {
    const Control& control = p_.controls[static_cast<size_t>(s.control()->control)];
    const auto inputs = static_cast<size_t>(s.inputs);
    const auto operand = [&](size_t k) {
      const Program::Tensor& t = p_.tensor(s.operands[k]);
      return saturating_mul(element_count(largest_(t.dims)), dtype_size(t.dtype));
    };
    return control_scratch(
        control, [&](size_t i) { return operand(inputs + i); },
        [&](size_t k) { return k >= inputs && control.sized_by_step[k - inputs] != 0 ? 0 : operand(k); });
  }
  int64_t kernel_bytes(const Program::Step& s, int threads) {
    in_.clear();
    results_.clear();
    for (size_t k = 0; k < static_cast<size_t>(s.inputs + s.outputs); ++k) {
      const int32_t t = s.operands[k];
      (k < static_cast<size_t>(s.inputs) ? in_ : results_).push_back(t == Program::kNoTensor ? Dims{} : largest_(p_.tensor(t).dims));
    }
    return std::max<int64_t>(0, p_.primitive(s)->scratch_bound(in_, results_, threads));
  }

  void place() {
    const Engine& of = *p_.engines[static_cast<size_t>(engine_)];
    MemoryLimits limits;
    if (engine_ != 0) limits.alignment = std::max(of.base_alignment(), kBufferAlignment);
    if (engine_ != 0 && of.largest_allocation() < kMaxSize) limits.slab = of.largest_allocation() / limits.alignment * limits.alignment;
    out_->slab = limits.slab;
    if (!bytes_.empty()) out_->largest = *std::max_element(bytes_.begin(), bytes_.end());
    out_->plan = MemoryPlan(lifetimes_, bytes_, stages_, limits);
    std::vector<BufferPlace> places(bytes_.size());
    out_->bytes = out_->plan.place(bytes_, places);
    if (side_by_side_ != SideBySide::nowhere) place_groups();
    place_controls(out_);
  }

  void place_groups() {
    auto grouped = std::make_unique<GroupedArena>();
    const int64_t room = side_by_side_ == SideBySide::everywhere ? kMaxSize : saturating_add(out_->bytes, GroupedArena::kRoom);
    for (StepGroup& g : find_groups(p_, reference_values(bounded_ ? largest_.pool() : p_.dims))) {
      const size_t first = bytes_.size();
      std::vector<BufferLifetime> before = lifetimes_;
      for (const StepGroup::Segment& segment : g.segments) {
        int64_t scratch = 0;
        for (const int32_t step : segment.steps) scratch = std::max(scratch, kernel_bytes(p_.steps[static_cast<size_t>(step)], 1));
        bytes_.push_back(scratch);
        lifetimes_.push_back({g.first, g.last});
      }
      if (widen(g) > room && has_one_shape()) {
        bytes_.resize(first);
        lifetimes_ = std::move(before);
        continue;
      }
      grouped->scratch.push_back(first);
      grouped->groups.push_back(std::move(g));
    }
    if (grouped->groups.empty()) return;
    grouped->plan = MemoryPlan(lifetimes_, bytes_);  // of one stage
    std::vector<BufferPlace> places(bytes_.size());
    if (const int64_t bytes = grouped->plan.place(bytes_, places); bounded_ && bytes <= room) out_->bytes = std::max(out_->bytes, bytes);
    out_->grouped = std::move(grouped);
  }

  // Then these bytes are those of each run. Where dims vary, smaller ones may fit.
  bool has_one_shape() const {
    const auto fixed = [](const Program::IoSpec& in) {
      return std::all_of(in.dims.begin(), in.dims.end(), [](Dim d) { return d.is_number(); });
    };
    return side_by_side_ == SideBySide::where_it_gains && p_.input_elements.empty() &&
           std::all_of(p_.inputs.begin(), p_.inputs.end(), fixed);
  }
  // What lives at some step of the group lives at all of them. Returns the bytes that then live at the same time.
  int64_t widen(const StepGroup& g) {
    int64_t live = 0;
    for (size_t i = 0; i < bytes_.size(); ++i) {
      BufferLifetime& life = lifetimes_[i];
      if (!life.overlaps({g.first, g.last})) continue;
      live = saturating_add(live, round_up(std::min(bytes_[i], kBeyondMemory), kBufferAlignment));
      if (i >= out_->buffers.size() || out_->buffers[i] < 0) continue;
      life.first = std::min(life.first, g.first);
      life.last = std::max(life.last, g.last);
    }
    return live;
  }

  const Program& p_;
  const bool bounded_;
  Largest& largest_;
  const int threads_;
  const int32_t engine_;
  ArenaPlan* const out_;
  SideBySide side_by_side_ = SideBySide::nowhere;
  int32_t stage_ = 0;
  std::vector<BufferLifetime> lifetimes_;  // by entry, as `bytes_` and `stages_`
  std::vector<int64_t> bytes_;
  std::vector<int32_t> stages_;
  std::vector<std::vector<SymDimBounds>> found_;  // by branch or loop: dims of its results
  std::vector<Dims> in_, results_;
};

}  // namespace

Status plan_arena(const Program& p, const Bounds* bounds, int threads, ArenaPlan* out, int32_t engine, SideBySide side_by_side) {
  Largest largest(p);
  ANYDIM_TRY(largest.within(bounds, {}));
  Planner planner(p, bounds != nullptr, largest, threads, engine, out);
  planner.set_side_by_side(side_by_side);
  return planner.run();
}

Status plan_body(const Program& p, const Bounds& bounds, std::span<const SymbolBound> symbols, int threads, ArenaPlan* out, DimPool* pool) {
  Largest largest(p);
  ANYDIM_TRY(largest.within(&bounds, symbols));
  ANYDIM_TRY(Planner(p, true, largest, threads, 0, out).run());
  *pool = largest.take_pool();
  return {};
}

Status bytes_needed(const Program& program, const Bounds& bounds, int threads, int64_t* bytes, int32_t engine) {
  ArenaPlan plan;
  ANYDIM_TRY(plan_arena(program, &bounds, threads, &plan, engine));
  *bytes = engine == 0 ? plan.all_bytes : plan.bytes;
  return {};
}

}  // namespace anydim
