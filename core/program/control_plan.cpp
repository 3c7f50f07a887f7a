// SPDX-License-Identifier: Apache-2.0
// What the bodies of branches and loops need at the bounds of the program around them; see arena_plan.h.
#include <algorithm>

#include "core/program/arena_plan.h"

namespace anydim {
namespace {

class PlannedControl {
 public:
  PlannedControl(const Program& program, const Program::Step& step, const DimPool& pool, int threads, ControlPlan* out)
      : program_(program),
        step_(step),
        control_(program.controls[static_cast<size_t>(step.control()->control)]),
        pool_(pool),
        threads_(threads),
        out_(*out) {}

  Status run(std::vector<SymDimBounds>* results) {
    for (const Body& b : control_.bodies) {
      out_.bodies.push_back(std::make_unique<BodyPlan>());
      ANYDIM_TRY(b.program ? Status() : error(Code::internal, "a body without a program"));
    }
    switch (control_.kind) {
      case Control::Kind::branch: ANYDIM_TRY(branch(results)); break;
      case Control::Kind::loop: ANYDIM_TRY(loop(results)); break;
      case Control::Kind::host: ANYDIM_TRY(host(results)); break;
    }
    for (size_t i = 0; i < control_.sized_by_step.size(); ++i) {
      int64_t bytes = 0;
      // A branch's results lie where its bodies put them.
      if (control_.sized_by_step[i] != 0 && control_.kind != Control::Kind::branch) {
        bytes = dtype_size(result(i).dtype);
        for (const Interval& d : (*results)[i]) bytes = saturating_mul(bytes, d.max);
        if (bytes >= kMaxSize) return no_bound(i);
      }
      out_.stores.push_back(bytes);
    }
    return {};
  }

 private:
  const Program::Tensor& operand(int32_t i) const { return program_.tensor(step_.operands[static_cast<size_t>(i)]); }
  const Program::Tensor& result(size_t i) const { return program_.tensor(step_.operands[static_cast<size_t>(step_.inputs) + i]); }
  Status no_bound(size_t i) const {
    return error(Code::out_of_bounds,
                 "the dims of '{}' have no bound within the given ones: nothing bounds how often it runs or how it grows", result(i).name);
  }
  static SymDimBounds bounds_of(const DimPool& pool, const SymDims& dims) {
    SymDimBounds b;
    for (Dim d : dims) {
      const Interval i = pool.interval(d);
      b.push_back({std::max<int64_t>(i.min, 0), std::max<int64_t>(i.max, 0)});
    }
    return b;
  }

  // What the program around it says of a body's parameters, and the iteration of a loop.
  std::vector<SymbolBound> known(const Body& body) const {
    std::vector<SymbolBound> all;
    for (size_t i = 0; i < body.parameters.size(); ++i)
      all.push_back({body.program->parameters[i], pool_.interval(step_.dim_attributes[static_cast<size_t>(body.parameters[i])])});
    const int64_t most = pool_.interval(control_.most_iterations).max;
    for (const Program::InputElement& e : body.program->input_elements)
      if (body.inputs[static_cast<size_t>(e.input)].from == BodyInput::From::iteration)
        all.push_back({e.symbol, {0, std::max<int64_t>(most - 1, 0)}});
    return all;
  }
  static DimPool narrowed(const Program& body, std::span<const SymbolBound> symbols) {
    DimPool pool = body.dims;
    for (const SymbolBound& s : symbols) {
      DimPromise promise = pool.expr(s.symbol.expr()).promise;
      promise.min = std::max(promise.min, s.within.min);
      promise.max = std::max(promise.min, std::min(promise.max, s.within.max));
      pool.set_promise(s.symbol.expr(), promise);
    }
    return pool;
  }
  Status plan(size_t body, const std::vector<SymbolBound>& symbols, DimPool* within) {
    const Program& p = *control_.bodies[body].program;
    const DimPool pool = narrowed(p, symbols);
    BodyPlan& b = *out_.bodies[body];
    b = {};
    for (const Program::IoSpec& e : p.inputs) b.bounds.push_back({bounds_of(pool, e.dims)});
    return plan_body(p, b.bounds, symbols, threads_, &b.arena, within);
  }

  Status branch(std::vector<SymDimBounds>* results) {
    for (size_t b = 0; b < control_.bodies.size(); ++b) {
      DimPool within;
      ANYDIM_TRY(plan(b, known(control_.bodies[b]), &within));
      const std::vector<Program::IoSpec>& outputs = control_.bodies[b].program->outputs;
      for (size_t i = 0; i < outputs.size(); ++i) {
        const SymDimBounds dims = bounds_of(within, outputs[i].dims);
        if (b == 0) {
          results->push_back(dims);
          continue;
        }
        for (int a = 0; a < dims.rank; ++a) {
          (*results)[i][a].min = std::min((*results)[i][a].min, dims[a].min);
          (*results)[i][a].max = std::max((*results)[i][a].max, dims[a].max);
        }
      }
    }
    return {};
  }

  // The rule of shapes answers at the largest inputs; a run that gives more than that is refused.
  Status host(std::vector<SymDimBounds>* results) {
    const auto largest = [&](const Program::Tensor& t) {
      TensorView v{nullptr, t.dtype, {}, {}};
      for (const Interval& d : bounds_of(pool_, t.dims)) v.dims.push_back(d.max);
      return v;
    };
    std::vector<TensorView> in, out(control_.sized_by_step.size());
    for (const int32_t i : control_.host_inputs) in.push_back(i >= 0 ? largest(operand(i)) : TensorView{});
    const bool computed = std::find(control_.sized_by_step.begin(), control_.sized_by_step.end(), 1) != control_.sized_by_step.end();
    if (computed) ANYDIM_TRY(control_.host->infer(in, out));
    for (size_t i = 0; i < out.size(); ++i) {
      SymDimBounds dims = bounds_of(pool_, result(i).dims);
      if (control_.sized_by_step[i] != 0) {
        if (out[i].rank() != dims.rank) return error(Code::invalid_argument, "its rule of shapes gives another rank at other dims");
        for (int a = 0; a < dims.rank; ++a) {
          if (out[i].dims[a] < 0 || out[i].dims[a] >= kMaxSize)
            return error(Code::out_of_bounds, "the dims of '{}' have no bound within the given ones: the rule of shapes of {} gives none",
                         result(i).name, step_.label);
          dims[a] = {0, out[i].dims[a]};
        }
      }
      results->push_back(dims);
    }
    out_.most = *results;
    return {};
  }

  // A dim of a carried value that the body changes: its symbol, the first value's bounds, and what comes out.
  struct Varying {
    Dim in, out;
    size_t carried;
    int axis;
    SymbolBound bound;
  };
  std::vector<Varying> varying() const {
    std::vector<Varying> all;
    const Body& body = control_.bodies[0];
    for (size_t i = 0; i < body.inputs.size(); ++i) {
      if (body.inputs[i].from != BodyInput::From::carried) continue;
      const auto k = static_cast<size_t>(body.inputs[i].index);
      const SymDims& in = body.program->inputs[i].dims;
      const SymDims& out = body.program->outputs[k + (control_.has_condition ? 1 : 0)].dims;
      for (int a = 0; a < in.rank; ++a) {
        const bool symbol = !in[a].is_number() && body.program->dims.expr(in[a].expr()).op == DimOp::symbol;
        if (!symbol || in[a] == out[a]) continue;
        if (std::find(body.program->parameters.begin(), body.program->parameters.end(), in[a]) != body.program->parameters.end()) continue;
        const Interval first = pool_.interval(operand(control_.initial[k]).dims[a]);
        all.push_back({in[a], out[a], k, a, {in[a], {0, std::max<int64_t>(first.max, 0)}}});
      }
    }
    return all;
  }

  // Sizes that change from iteration to iteration are bounded if none leaves the bounds of the first values, or if each grows by at
  // most so much in each of so many iterations.
  Status loop(std::vector<SymDimBounds>* results) {
    const Body& body = control_.bodies[0];
    const int64_t most = std::max<int64_t>(pool_.interval(control_.most_iterations).max, 0);
    std::vector<Varying> all = varying();
    DimPool within;
    for (int attempt = 0;; ++attempt) {
      std::vector<SymbolBound> symbols = known(body);
      for (const Varying& v : all) symbols.push_back(v.bound);
      ANYDIM_TRY(plan(0, symbols, &within));
      bool inside = true, grown = false;
      for (Varying& v : all) {
        if (within.interval(v.out).max <= v.bound.within.max) continue;
        inside = false;
        // By at most so much; a size that is growing by itself holds the others up, once.
        const int64_t step = within.interval(within.sub(v.out, v.in)).max;
        const int64_t first = std::max<int64_t>(pool_.interval(operand(control_.initial[v.carried]).dims[v.axis]).max, 0);
        const int64_t bound = saturating_add(first, saturating_mul(std::max<int64_t>(step, 0), most));
        if (bound >= kMaxSize) return no_bound(v.carried);
        grown = grown || bound > v.bound.within.max;
        v.bound.within.max = std::max(bound, v.bound.within.max);
      }
      if (inside) break;
      // What came out of the largest there is went one step beyond it: it does not come in again.
      if (!grown) break;
      if (attempt == 3) return no_bound(all[0].carried);
    }
    for (size_t k = 0; k < control_.carried(); ++k) {
      SymDimBounds dims = bounds_of(pool_, operand(control_.initial[k]).dims);
      for (const Varying& v : all)
        if (v.carried == k) dims[v.axis] = {0, v.bound.within.max};
      results->push_back(dims);
    }
    for (size_t s = 0; s < control_.stacks.size(); ++s) {
      const SymDims& element = body.program->outputs[(control_.has_condition ? 1 : 0) + control_.carried() + s].dims;
      const SymDimBounds each = bounds_of(within, element);
      SymDimBounds dims;
      for (int a = 0; a <= each.rank; ++a) {
        if (a == control_.stacks[s].axis) dims.push_back({0, most});
        if (a == each.rank) continue;
        const Dims& declared = control_.stacks[s].declared;  // what an empty one may say
        dims.push_back({0, std::max(each[a].max, a < declared.rank ? declared[a] : 0)});
      }
      results->push_back(dims);
    }
    return {};
  }

  const Program& program_;
  const Program::Step& step_;
  const Control& control_;
  const DimPool& pool_;
  int threads_;
  ControlPlan& out_;
};

}  // namespace

Status plan_control(const Program& program, const Program::Step& step, const DimPool& pool, int threads, ControlPlan* out,
                    std::vector<SymDimBounds>* results) {
  return PlannedControl(program, step, pool, threads, out).run(results);
}

}  // namespace anydim
