// SPDX-License-Identifier: Apache-2.0
// Sizes at the bounds, and the order of buffers that they choose; see arena_plan.h.
#include "core/program/arena_plan.h"

#include <algorithm>

#include "core/program/reference_values.h"

namespace anydim {

Status check_bounds(const Program& p, const Bounds& bounds) {
  if (bounds.size() != p.inputs.size()) return invalid("bounds for {} inputs; the model has {}", bounds.size(), p.inputs.size());
  for (size_t i = 0; i < bounds.size(); ++i) {
    const Program::Edge& in = p.inputs[i];
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

  Status within(const Bounds* bounds) {
    if (!bounds) {
      guess_ = reference_values(program_.dims);
      return {};
    }
    bounded_ = true;
    ANYDIM_TRY(check_bounds(program_, *bounds));
    pool_ = program_.dims;
    for (size_t i = 0; i < bounds->size(); ++i)
      for (int d = 0; d < program_.inputs[i].dims.rank; ++d) {
        const Program::Edge& in = program_.inputs[i];
        const Dim dim = in.dims[d];
        if (dim.is_number() || pool_.expr(dim.expr()).op != DimOp::symbol) continue;
        DimPromise promise = pool_.expr(dim.expr()).promise;
        promise.min = std::max(promise.min, (*bounds)[i].dims[d].min);
        promise.max = std::min(promise.max, (*bounds)[i].dims[d].max);
        if (promise.min > promise.max)
          return invalid("bounds of input '{}' dim {} leave nothing for '{}'", in.name, d, in.dim_text[static_cast<size_t>(d)]);
        pool_.set_promise(dim.expr(), promise);
      }
    // Sizes that a run finds are bounded by others.
    for (const Program::Stage& stage : program_.stages)
      for (const Program::SizeRead& read : stage.reads) {
        DimPromise promise = pool_.expr(read.symbol.expr()).promise;
        promise.max = std::min(promise.max, std::max<int64_t>(pool_.interval(read.most).max, 0));
        pool_.set_promise(read.symbol.expr(), promise);
      }
    return {};
  }

  int64_t operator()(Dim d) const {
    return std::max<int64_t>(0, d.is_number() ? d.number() : bounded_ ? pool_.interval(d).max : value_of(d, guess_));
  }
  Dims operator()(const SymDims& dims) const {
    Dims most;
    for (Dim d : dims) most.push_back((*this)(d));
    return most;
  }

 private:
  const Program& program_;
  bool bounded_ = false;
  DimPool pool_;
  std::vector<int64_t> guess_;
};

Status has_no_bound(const Program& p, int32_t buffer) {
  const auto tensor = std::find_if(p.tensors.begin(), p.tensors.end(), [&](const Program::Tensor& t) { return t.buffer == buffer; });
  return error(Code::out_of_bounds, "the dims {} of '{}' have no bound within the given ones", p.dims.text(p.buffer(buffer).elements),
               tensor == p.tensors.end() ? "" : tensor->name);
}

}  // namespace

Status plan_arena(const Program& p, const Bounds* bounds, int threads, ArenaPlan* out) {
  Largest largest(p);
  ANYDIM_TRY(largest.within(bounds));
  std::vector<BufferLifetime> lifetimes;
  std::vector<int64_t> bytes;
  std::vector<int32_t> stages;
  const auto enter = [&](int32_t buffer, const BufferLifetime& lifetime, int64_t size, int32_t stage) {
    out->buffers.push_back(buffer);
    lifetimes.push_back(lifetime);
    bytes.push_back(size);
    stages.push_back(stage);
  };
  constexpr int64_t kLittleScratch = 64 << 10;
  std::vector<Dims> in, results;
  for (int32_t stage = 0; stage < static_cast<int32_t>(p.stages.size()); ++stage) {
    const Program::Stage& here = p.stages[static_cast<size_t>(stage)];
    ArenaPlan::Entries& entries = out->stages.emplace_back();
    entries.first = bytes.size();
    for (size_t b = 0; b < p.buffers.size(); ++b) {
      const Program::Buffer& buffer = p.buffers[b];
      if (buffer.stage != stage || buffer.kind == Program::Buffer::Kind::input || buffer.lifetime.last < buffer.lifetime.first) continue;
      const int64_t n = saturating_mul(largest(buffer.elements), dtype_size(buffer.dtype));
      if (bounds && n >= kMaxSize) return has_no_bound(p, static_cast<int32_t>(b));
      enter(static_cast<int32_t>(b), buffer.lifetime, n, stage);
    }
    entries.scratch = bytes.size();
    enter(-1, {here.first, std::max(here.last - 1, here.first)}, 0, stage);
    for (int32_t step = here.first; step < here.last; ++step) {
      const Program::Step& s = p.steps[static_cast<size_t>(step)];
      in.clear();
      results.clear();
      for (size_t k = 0; k < static_cast<size_t>(s.inputs + s.outputs); ++k) {
        const int32_t t = s.operands[k];
        (k < static_cast<size_t>(s.inputs) ? in : results).push_back(t == Program::kNoTensor ? Dims{} : largest(p.tensor(t).dims));
      }
      const int64_t scratch = std::max<int64_t>(0, s.primitive->scratch_bound(in, results, threads));
      if (scratch <= kLittleScratch) {
        bytes[entries.scratch] = std::max(bytes[entries.scratch], scratch);
        out->scratch.push_back(static_cast<int32_t>(entries.scratch));
        continue;
      }
      out->scratch.push_back(static_cast<int32_t>(bytes.size()));
      enter(-1, {step, step}, scratch, stage);
    }
    entries.last = bytes.size();
  }
  out->plan = MemoryPlan(lifetimes, bytes, stages);
  std::vector<BufferPlace> places(bytes.size());
  out->bytes = out->plan.place(bytes, places);
  return {};
}

Status bytes_needed(const Program& program, const Bounds& bounds, int threads, int64_t* bytes) {
  ArenaPlan plan;
  ANYDIM_TRY(plan_arena(program, &bounds, threads, &plan));
  *bytes = plan.bytes;
  return {};
}

}  // namespace anydim
