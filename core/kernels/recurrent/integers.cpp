// SPDX-License-Identifier: Apache-2.0
// The kernels of recurrent layers with weights of 8 bits: what they take, pack and plan. A run is in integers_layer.cpp.
#include "core/kernels/recurrent/integers.h"

#include "core/kernels/tiles/work_split.h"
#include "core/kernels/int_tiles/run.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

// Rows of inputs (steps x batch) whose products are made at a time: their sums stay in L2.
constexpr int64_t kRowsAtOnce = 96;
// Multiply-adds of a step from which on threads share it: a parallel loop costs about a microsecond.
constexpr int64_t kWorthSharing = 1 << 20;

int64_t round_bytes(int64_t bytes) noexcept { return saturating_add(bytes, 63) & ~INT64_C(63); }

}  // namespace

int64_t integer_row_bytes(const RecurrentSizes& n) noexcept {
  const int64_t k = std::max(n.inputs, n.hidden);
  return saturating_add(round_bytes(saturating_mul(k, 4)), round_bytes(k));
}

IntegerPlaces integer_places(const IntEngine& engine, const RecurrentSizes& n, int64_t rows, int64_t worker_bytes, int threads,
                             bool packed) noexcept {
  const IntegerSizes sizes(engine, n);
  IntegerPlaces to;
  const auto bytes = [&](int64_t count) {
    const int64_t begin = to.bytes;
    to.bytes = saturating_add(to.bytes, round_bytes(count));
    return begin;
  };
  const auto floats = [&](int64_t count) { return bytes(saturating_mul(count, 4)); };
  const int64_t sequences = saturating_mul(n.directions, n.batch), states = saturating_mul(sequences, n.hidden);
  to.given = floats(saturating_mul(saturating_mul(n.directions, rows), sizes.columns));
  to.sums = floats(saturating_mul(sequences, sizes.columns));
  to.h = floats(states);
  to.c = floats(states);
  to.peepholes = floats(saturating_mul(n.directions, saturating_mul(3, n.hidden)));
  to.active = bytes(sequences);
  to.numbers = floats(saturating_mul(sequences, sizes.state_steps));
  to.scales = floats(sequences);
  to.zeros = floats(sequences);
  to.row_sums = floats(sequences);
  to.columns = floats(saturating_mul(saturating_mul(kColumnArrays, n.directions), sizes.padded));
  to.workers = bytes(saturating_mul(worker_bytes, threads));
  if (!packed) {
    to.panels = bytes(saturating_mul(n.directions, saturating_add(sizes.input_bytes, sizes.state_bytes)));
    floats(saturating_mul(saturating_mul(n.directions, 2), sizes.padded));
  }
  return to;
}

void make_integer_panels(const IntEngine& engine, const RecurrentSizes& n, const TensorView& w, const TensorView& r,
                         const Parallel& parallel, std::span<std::byte* const> pieces) noexcept {
  const IntegerSizes sizes(engine, n);
  const int64_t cuts = parallel.threads() > 1 ? 4 : 1, panels = IntEngine::panels(sizes.columns);
  parallel.run(n.directions * 2 * cuts, [&](int64_t task, int) {
    const int64_t cut = task % cuts, d = task / cuts / 2;
    const bool input = task / cuts % 2 == 0;
    const TensorView& from = input ? w : r;
    IntPack job;
    job.dtype = from.dtype;
    job.w = static_cast<const std::byte*>(from.data) + d * from.strides[0];
    job.k = from.dims[2];
    job.columns = sizes.columns;
    job.column_step = from.strides[1];
    job.inner = std::max<int64_t>(job.k, 1);
    job.inner_step = from.strides[2];
    job.panel_begin = part_begin(panels, cuts, cut);
    job.panel_end = part_begin(panels, cuts, cut + 1);
    job.panels = pieces[input ? kInputBytes : kStateBytes] + d * (input ? sizes.input_bytes : sizes.state_bytes);
    job.sums = reinterpret_cast<int32_t*>(pieces[input ? kInputSums : kStateSums]) + d * sizes.padded;
    if (job.panel_begin < job.panel_end) engine.pack(job);
  });
}

namespace {

class IntegerRecurrent final : public HostKernel {
 public:
  IntegerRecurrent(const char* name, Isa isa, const IntEngine& engine, const CellFunctions& cells, RangeOfRows::Function* range,
                   ConvertFunctions::Function* convert) noexcept
      : functions_{engine, cells, range, convert},
        name_(name),
        format_(engine.per_step == 4 ? "recurrent.bytes32" : "recurrent.pairs32"),
        key_{OpKind::recurrent, DType::f32, DType::f32, LayoutFamily::any, isa} {}

  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!Recurrent::of_numbers(p.in[Recurrent::kRecurrentWeights].dtype)) return no("weights are no quantized values");
    return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into this operator");
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!is_packed(p)) return form;
    const Dims w = numbers(p.in[Recurrent::kInputWeights].dims), r = numbers(p.in[Recurrent::kRecurrentWeights].dims);
    if (w.rank != 3 || r.rank != 3) return form;
    const IntegerSizes n(functions_.engine, sizes_of(*p.op, w, r));
    form.format = format_;
    form.operands = {Recurrent::kInputWeights, Recurrent::kRecurrentWeights};
    form.add("input_panels", DType::i8, saturating_mul(w[0], n.input_bytes));
    form.add("input_sums", DType::i32, saturating_mul(w[0], n.padded));
    form.add("state_panels", DType::i8, saturating_mul(w[0], n.state_bytes));
    form.add("state_sums", DType::i32, saturating_mul(w[0], n.padded));
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const TensorView &w = tensors[Recurrent::kInputWeights], &r = tensors[Recurrent::kRecurrentWeights];
    make_integer_panels(functions_.engine, sizes_of(*problem.op, w.dims, r.dims), w, r, packing.parallel, pieces);
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    IntegerPlan& p = plan->as<IntegerPlan>();
    p = {};
    const IntEngine& engine = functions_.engine;
    const Dims dims[] = {args.in[0].dims, args.in[1].dims, args.in[2].dims};
    const RecurrentSizes n = recurrent_sizes(*args.op, dims);
    const int threads = args.parallel.threads();
    p.steps = n.batch > 0 ? std::clamp<int64_t>(kRowsAtOnce / n.batch, 1, std::max<int64_t>(n.steps, 1)) : 0;
    p.parts = std::max<int64_t>(std::min(n.batch, ceil_div(threads, n.directions)), 1);
    const int64_t step = saturating_mul(saturating_mul(n.batch, n.hidden), saturating_mul(n.gates, n.hidden));
    p.shared = share_columns(n, p.parts, threads) && step >= kWorthSharing;
    if (p.shared) p.parts = 1;
    p.block_rows = int_block_rows(engine, engine.steps(n.inputs), p.steps * n.batch, threads);
    p.worker_bytes = int_worker_bytes(engine.steps(n.inputs), p.block_rows) + integer_row_bytes(n);
    p.at = integer_places(engine, n, p.steps * n.batch, p.worker_bytes, threads, args.packs(Recurrent::kInputWeights));
    plan->scratch = p.at.bytes;
  }

  int64_t scratch_bound(const Problem& problem, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const IntEngine& engine = functions_.engine;
    const RecurrentSizes n = recurrent_sizes(*problem.op, in);
    const int64_t rows = std::min(saturating_mul(n.steps, n.batch), std::max(n.batch, kRowsAtOnce));
    const int64_t worker = saturating_add(int_worker_bound(engine, engine.steps(n.inputs)), integer_row_bytes(n));
    return integer_places(engine, n, std::max(rows, n.batch), worker, threads, is_packed(problem)).bytes;
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    ANYDIM_TRY(check_lengths(args));
    run_integer_recurrent(functions_, plan.as<IntegerPlan>(), args);
    return {};
  }

 private:
  static bool is_packed(const Problem& p) noexcept {
    return p.is_constant(Recurrent::kInputWeights) && p.is_constant(Recurrent::kRecurrentWeights);
  }
  static RecurrentSizes sizes_of(const Operator& op, const Dims& w, const Dims& r) noexcept {
    const Dims dims[] = {{0, 0, w[2]}, w, r};
    return recurrent_sizes(op, dims);
  }

  const IntegerFunctions functions_;
  const char* name_;
  const char* format_;
  KernelKey key_;
};

}  // namespace

KernelList recurrent_integer_list() noexcept {
  static const KernelsOfSets<"recurrent.integers", IntegerRecurrent, IntEngine, CellFunctions, RangeOfRows, ConvertFunctions> integers;
  static const auto all = kernel_list(integers);
  return all;
}

}  // namespace anydim
