// SPDX-License-Identifier: Apache-2.0
// The kernels of recurrent layers on the tile engine: what they take, pack and plan. A run is in layer.cpp.
#include <algorithm>
#include <vector>

#include "core/kernels/recurrent/cells.h"
#include "core/kernels/recurrent/panels.h"
#include "core/kernels/sets.h"
#include "core/kernels/tiles/reduced_probe.h"

namespace anydim {

namespace {

// Rows of inputs (steps x batch) whose products are made at a time: enough for tiles of full height, and their sums stay in L2.
constexpr int64_t kRowsAtOnce = 256;
// Multiply-adds of a step from which on threads share it: a parallel loop costs about a microsecond. (Half of it: lstm of 192 and gru of 256
// states, one row, two threads, 1.1 and 1.2 times slower.)
constexpr int64_t kWorthSharing = 1 << 18;

class TiledRecurrent final : public HostKernel {
 public:
  TiledRecurrent(const char* name, Isa isa, const TileEngine& engine, const CellFunctions& cells) noexcept
      : engine_(engine),
        cells_(cells),
        name_(name),
        format_(engine.neighbours                  ? "recurrent.bf16_neighbours32"
                : engine.mode == MathMode::reduced ? (engine.vector == 16 ? "recurrent.bf16_panels32" : "recurrent.bf16_panels16")
                                                   : (engine.vector == 16 ? "recurrent.panels32" : "recurrent.panels16")),
        key_{OpKind::recurrent, DType::f32, DType::f32, LayoutFamily::any, isa, engine.mode} {}

  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!has_reduced_bits(engine_)) return no("this processor's sums of bf16 have other bits than the mode");
    if (engine_.mode == MathMode::reduced) return reduced_serves_recurrent(p);
    if (p.in[Recurrent::kX].dtype != DType::f32) return no("x is not f32");
    if (Recurrent::of_numbers(p.in[Recurrent::kRecurrentWeights].dtype)) return no("weights are numbers of 8 bits");
    return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into this operator");
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(Recurrent::kInputWeights) || !p.is_constant(Recurrent::kRecurrentWeights)) return form;
    const RecurrentAttributes& at = as<Recurrent>(*p.op)->get();
    const Dims w = numbers(p.in[Recurrent::kInputWeights].dims), r = numbers(p.in[Recurrent::kRecurrentWeights].dims);
    if (w.rank != 3 || r.rank != 3) return form;
    const PanelSizes n(engine_, at.cell, w[2], r[2]);
    form.format = format_;
    form.operands = {Recurrent::kInputWeights, Recurrent::kRecurrentWeights};
    form.add("input_panels", DType::f32, saturating_mul(w[0], n.input));
    form.add("state_panels", DType::f32, saturating_mul(w[0], n.state()));
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    make_panels(engine_, as<Recurrent>(*problem.op)->get().cell, tensors[Recurrent::kInputWeights], tensors[Recurrent::kRecurrentWeights],
                packing.parallel, reinterpret_cast<float*>(pieces[kInputPanels]), reinterpret_cast<float*>(pieces[kStatePanels]));
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    RecurrentPlan& r = plan->as<RecurrentPlan>();
    r = {};
    const RecurrentAttributes& at = as<Recurrent>(*args.op)->get();
    const Dims dims[] = {args.in[0].dims, args.in[1].dims, args.in[2].dims};
    const RecurrentSizes n = recurrent_sizes(*args.op, dims);
    const int threads = args.parallel.threads();
    r.steps = n.batch > 0 ? std::clamp<int64_t>(kRowsAtOnce / n.batch, 1, std::max<int64_t>(n.steps, 1)) : 0;
    r.parts = std::max<int64_t>(std::min(n.batch, ceil_div(threads, n.directions)), 1);
    const int64_t step = saturating_mul(saturating_mul(n.batch, n.hidden), saturating_mul(n.gates, n.hidden));
    r.shared = share_columns(n, r.parts, threads) && step >= kWorthSharing;
    if (r.shared) r.parts = 1;
    r.at = recurrent_places(engine_, at, n, saturating_mul(r.steps, n.batch), args.packs(Recurrent::kInputWeights), threads);
    plan->scratch = r.at.bytes;
  }

  int64_t scratch_bound(const Problem& problem, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const RecurrentAttributes& at = as<Recurrent>(*problem.op)->get();
    const RecurrentSizes n = recurrent_sizes(*problem.op, in);
    // One step of a large batch, or so many of a smaller one that they have at most kRowsAtOnce rows.
    const int64_t rows = std::min(saturating_mul(n.steps, n.batch), std::max(n.batch, kRowsAtOnce));
    const bool packed = problem.is_constant(Recurrent::kInputWeights) && problem.is_constant(Recurrent::kRecurrentWeights);
    return recurrent_places(engine_, at, n, std::max(rows, n.batch), packed, threads).bytes;
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    ANYDIM_TRY(check_lengths(args));
    run_recurrent(engine_, cells_, plan.as<RecurrentPlan>(), args);
    return {};
  }

 private:
  const TileEngine& engine_;
  const CellFunctions& cells_;
  const char* name_;
  const char* format_;
  KernelKey key_;
};

KernelList tiled_list() noexcept {
  static const KernelsOfSets<"recurrent.tiles", TiledRecurrent, TileEngine, CellFunctions> tiles;
  static const auto all = kernel_list(tiles);
  return all;
}

}  // namespace

KernelList recurrent_reduced_kernels() noexcept {
  static const KernelsOfSets<"recurrent.bf16", TiledRecurrent, ReducedTileEngine, CellFunctions> tiles;
  static const auto all = kernel_list(tiles, kept<"recurrent.bf16.reference", recurrent_reduced_reference>());
  return all;
}

KernelList recurrent_kernels() noexcept {
  static const std::vector<const HostKernel*>* const all = [] {
    auto* list = new std::vector<const HostKernel*>;  // never destroyed: the background worker may outlive static objects
    for (const KernelList part : {tiled_list(), recurrent_integer_list(), recurrent_double_list()})
      list->insert(list->end(), part.begin(), part.end());
    list->push_back(&recurrent_reference());
    return list;
  }();
  return *all;
}

}  // namespace anydim
