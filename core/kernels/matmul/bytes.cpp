// SPDX-License-Identifier: Apache-2.0
// Matmul of quantized values on the integer engine (engine.h): any ranks, transpositions and strides; the right side constant, packed
// once, or of the call, packed by each run; factors for all of a tensor, of its rows or of its columns.
#include <algorithm>
#include <utility>

#include "core/kernels/matmul/product.h"
#include "core/kernels/tiles/work_split.h"
#include "core/kernels/int_tiles/run.h"
#include "core/kernels/quantized/quantized.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

struct IntMatmulPlan {
  int64_t block_rows, row_blocks, column_parts;
  int64_t columns_at, workers_at, worker_bytes, panels_at, item_bytes;
};

enum { kPanels, kSums, kMagnitudes };

class IntMatmul final : public HostKernel {
 public:
  IntMatmul(const char* name, Isa isa, const IntEngine& engine) noexcept
      : engine_(engine),
        name_(name),
        format_(engine.per_step == 4 ? "gemm.bytes32.measured" : "gemm.pairs32.measured"),
        key_{.op = OpKind::matmul, .src = DType::none, .dst = DType::none, .isa = isa, .quantized = true} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (p.in.size() > 2 && p.in[2].dtype != DType::none) {
      // One number per column: other addends come before the scale, where no post-op can stand.
      const SymDims &b = p.in[1].dims, &c = p.in[2].dims;
      if (c.rank != 1 || b.rank < 2 || !(c[0] == b[b.rank - (as<Matmul>(*p.op)->get().transpose_b ? 2 : 1)]))
        return no("input 2 is no vector of one number per column");
    }
    return int_supports(p);
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1) || p.in[1].dims.rank == 0) return form;
    const Dims b = numbers(p.in[1].dims);
    int64_t m = 0, n = 0, k = 0;
    product_sizes(as<Matmul>(*p.op)->get(), b, b, &m, &n, &k);
    k = right_k(*p.op, b);
    form.format = format_;
    form.operands = {1};
    form.add("panels", DType::i8, saturating_mul(saturating_mul(engine_.panel_bytes(k), IntEngine::panels(n)), items(b)));
    form.add("sums", DType::i32, saturating_mul(IntEngine::padded(n), items(b)));
    form.add("magnitudes", DType::i32, saturating_mul(IntEngine::padded(n), items(b)));
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const TensorView& b = tensors[1];
    const IntPack whole = pack_job(*problem.op, b);
    const int64_t count = items(b.dims), panels = IntEngine::panels(whole.columns);
    packing.parallel.run(count * panels, [&](int64_t task, int) {
      const int64_t item = task / panels;
      IntPack job = whole;
      job.w += item_offset(b, item);
      job.panels = pieces[kPanels] + item * panels * engine_.panel_bytes(job.k);
      job.sums = reinterpret_cast<int32_t*>(pieces[kSums]) + item * IntEngine::padded(job.columns);
      job.panel_begin = task % panels;
      job.panel_end = job.panel_begin + 1;
      engine_.pack(job);
      int_measure_columns(job, engine_.w_shift, reinterpret_cast<int32_t*>(pieces[kMagnitudes]) + item * IntEngine::padded(job.columns));
    });
    if (packing.read != nullptr) packing.read(packing.context, static_cast<const std::byte*>(b.data), b.count());
    if (packing.done != nullptr) packing.done(packing.context, static_cast<const std::byte*>(b.data), b.count());
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    IntMatmulPlan& p = plan->as<IntMatmulPlan>();
    const Product product = make_product(as<Matmul>(*args.op)->get(), args.in[0], right_side(args), args.out[0], Epilogue());
    const int threads = args.parallel.threads();
    const int64_t steps = engine_.steps(product.k), rows = product.row_items(), outer = product.outer_items();
    const int64_t panels = IntEngine::panels(product.n);
    p.block_rows = int_block_rows(engine_, steps, rows, threads);
    p.row_blocks = ceil_div(rows, p.block_rows);
    p.column_parts = int_column_parts(panels, outer * p.row_blocks, threads);
    p.columns_at = 0;
    p.workers_at = round_up(int_column_bytes(product.n), INT64_C(64)) * (args.weights != nullptr && one_right_side(args) ? 1 : threads);
    p.worker_bytes = int_worker_bytes(steps, p.block_rows);
    p.panels_at = p.workers_at + p.worker_bytes * threads;
    p.item_bytes = engine_.panel_bytes(product.k) * panels + IntEngine::padded(product.n) * 4;
    plan->scratch = p.panels_at + (args.weights != nullptr ? 0 : p.item_bytes * distinct_right_sides(product));
  }

  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    int64_t m = 0, n = 0, k = 0;
    product_sizes(as<Matmul>(*p.op)->get(), in[0], in[1], &m, &n, &k);
    const int64_t steps = engine_.steps(k);
    int64_t bytes = saturating_mul(round_up(int_column_bytes(n), INT64_C(64)), threads);
    bytes = saturating_add(bytes, saturating_mul(int_worker_bound(engine_, steps), threads));
    if (p.is_constant(1)) return bytes;
    int64_t items = 1;
    for (int i = 0; i < out[0].rank - (in[0].rank > 1) - (in[1].rank > 1); ++i)
      items = saturating_mul(items, std::max<int64_t>(out[0][i], 1));
    const int64_t each = saturating_add(saturating_mul(engine_.panel_bytes(k), IntEngine::panels(n)), IntEngine::padded(n) * 4);
    return saturating_add(bytes, saturating_mul(each, items));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    const Run run(*this, plan.as<IntMatmulPlan>(), args);
    args.parallel.run(run.tasks(), [&](int64_t task, int worker) { run(task, worker); });
    return {};
  }

 private:
  // Zero points and scales of a block's rows.
  struct RowArrays {
    int32_t zero[kIntBlockRows];
    float scale[kIntBlockRows], out_scale[kIntBlockRows], out_zero[kIntBlockRows];
  };
  // Factors of which each row of the result has one.
  struct OfRows {
    IntFactors::One from;
    int64_t apart = 1, count = 1;  // the factor of row i is number i / apart % count
    float at(int64_t row) const noexcept { return from.at(row / apart % count); }
  };
  // A call's; `columns`: the others, and input 0's.
  struct RowFactors {
    RowFactors(const IntFactors& all, const Dims& result, bool has_columns, int64_t m) noexcept : columns(all) {
      const auto of_result = [&](IntFactors::One& one) {
        OfRows rows;
        const int row_axes = result.rank - has_columns;
        if (!one.per_axis() || one.factors->axis >= row_axes) return rows;
        rows.from = std::exchange(one, {});
        rows.count = result[rows.from.factors->axis];
        for (int i = rows.from.factors->axis + 1; i < row_axes; ++i) rows.apart *= result[i];
        return rows;
      };
      if (all.zero[0].per_axis()) zero = {all.zero[0], 1, m};
      if (all.scale[0].per_axis()) scale = {all.scale[0], 1, m};
      out_scale = of_result(columns.scale[Quantization::kResult]);
      out_zero = of_result(columns.zero[Quantization::kResult]);
      any = zero.from.factors != nullptr || scale.from.factors != nullptr || out_scale.from.factors != nullptr ||
            out_zero.from.factors != nullptr;
    }
    // Of rows from `first` on, all batch items' rows counted.
    void fill(const IntEngine& engine, const Args& args, int64_t first, int32_t rows, RowArrays* numbers, IntRows* to) const noexcept {
      const auto put = [&](const OfRows& of, float* floats) -> const float* {
        if (of.from.factors == nullptr) return nullptr;
        for (int32_t r = 0; r < rows; ++r) floats[r] = of.at(first + r);
        return floats;
      };
      to->scale = put(scale, numbers->scale);
      to->out_scale = put(out_scale, numbers->out_scale);
      to->out_zero = put(out_zero, numbers->out_zero);
      if (zero.from.factors == nullptr) return;
      for (int32_t r = 0; r < rows; ++r) numbers->zero[r] = int_outside(engine, args, columns, (first + r) % zero.count);
      to->zero = numbers->zero;
    }
    IntFactors columns;
    OfRows zero, scale, out_scale, out_zero;
    bool any = false;
  };

  // One call: its right sides, packed now if they come with it, and what is one per column; then a task is a block of rows of one item,
  // gathered and multiplied with some of the columns.
  class Run {
   public:
    Run(const IntMatmul& kernel, const IntMatmulPlan& plan, const Args& args) noexcept
        : kernel_(kernel),
          engine_(kernel.engine_),
          args_(args),
          p_(plan),
          factors_(args),
          epilogue_(chain_of(args)),
          product_(make_product(as<Matmul>(*args.op)->get(), args.in[0], right_side(args), args.out[0], epilogue_)),
          own_(factors_, args.out[0].dims, args.in[1].rank() > 1, product_.m),
          steps_(engine_.steps(product_.k)),
          panels_(IntEngine::panels(product_.n)),
          rows_(product_.row_items()),
          repeats_(right_side_repeats(product_)),
          scratch_(static_cast<std::byte*>(args.scratch)),
          shared_(args.weights != nullptr && one_right_side(args)) {
      program_.count = epilogue_.count;
      program_.operand_count = epilogue_.operand_count;
      program_.steps = epilogue_.steps;
      for (int o = 0; o < epilogue_.operand_count; ++o) {
        program_.walks[o].column_step = product_.operand_n[o];
        program_.walks[o].by_row = true;
      }
      if (args.weights == nullptr) pack_right_sides();
      if (shared_) fill_shared_columns();
      // Rows of bytes that are side by side are read where they are.
      direct_ = engine_.per_step == 4 && args.in[0].dtype == DType::u8 && product_.a_k == 1 && product_.k % 4 == 0 &&
                (!engine_.even_rows || product_.row_count <= 1);
    }
    int64_t tasks() const noexcept { return product_.outer_items() * p_.row_blocks * p_.column_parts; }

    void operator()(int64_t task, int worker) const noexcept {
      const int64_t of_item = p_.row_blocks * p_.column_parts, item = task / of_item, part = task % of_item;
      const int64_t block_at = part / p_.column_parts * p_.block_rows, column_part = part % p_.column_parts;
      IntBlock block;
      bool sums = all_sums_;
      block.column = all_;
      if (!shared_) {
        std::byte* const memory = scratch_ + p_.columns_at + worker * round_up(int_column_bytes(product_.n), INT64_C(64));
        fill_columns(item, memory, &block.column, &sums);
      }
      const int32_t* unused = nullptr;
      block.rows = static_cast<int32_t>(std::min(p_.block_rows, rows_ - block_at));
      block.steps = steps_;
      block.panels = right(item, &unused);
      block.columns = product_.n;
      block.panel_begin = part_begin(panels_, p_.column_parts, column_part);
      block.panel_end = part_begin(panels_, p_.column_parts, column_part + 1);
      block.exact = int_is_exact(args_, factors_);
      block.divides = factors_.scale[2].factors != nullptr;
      block.program = &program_;
      block.result = args_.out[0].dtype;
      block.dst_column_step = product_.dst_n;
      RowArrays of_rows;
      if (own_.any) own_.fill(engine_, args_, item * rows_ + block_at, block.rows, &of_rows, &block.row);
      auto* const row_sums = reinterpret_cast<int32_t*>(scratch_ + p_.workers_at + worker * p_.worker_bytes);
      Rows rows;
      place_rows(item, block_at, block.rows, reinterpret_cast<std::byte*>(row_sums) + round_up(p_.block_rows * 4, INT64_C(64)), &rows);
      if (sums) engine_.sum_rows(rows.at, block.rows, steps_, row_sums);
      block.from = IntSource::of_rows(rows.at);
      block.dst = rows.to;
      block.row_sums = row_sums;
      for (int o = 0; o < epilogue_.operand_count; ++o) block.operands[o] = rows.operands[o];
      engine_.run(block);
    }

   private:
    // Of a block: where each row is read and written.
    struct Rows {
      const std::byte* at[kIntBlockRows];
      std::byte* to[kIntBlockRows];
      const float* operands[kMaxEpilogueOperands][kIntBlockRows];
    };

    static Epilogue chain_of(const Args& args) noexcept {
      Epilogue epilogue;
      epilogue.append(*args.post_ops, args.post_in.first(static_cast<size_t>(args.post_ops->operands())), args.out[0].dims);
      return epilogue;
    }
    // Where an item begins in tensor t.
    int64_t offset(int64_t item, int t) const noexcept {
      int64_t sum = 0;
      for (int a = product_.outer_count - 1; a >= 0; --a) {
        sum += item % product_.outer[a].count * product_.outer[a].stride[t];
        item /= product_.outer[a].count;
      }
      return sum;
    }

    // Those that repeat once.
    void pack_right_sides() noexcept {
      const IntPack whole = kernel_.pack_job(*args_.op, args_.in[1]);
      args_.parallel.run(product_.outer_items() / repeats_ * panels_, [&](int64_t task, int) {
        const int64_t item = task / panels_;
        IntPack job = whole;
        job.w += offset(item * repeats_, 1);
        job.panels = scratch_ + p_.panels_at + item * p_.item_bytes;
        job.sums = reinterpret_cast<int32_t*>(job.panels + engine_.panel_bytes(product_.k) * panels_);
        job.panel_begin = task % panels_;
        job.panel_end = job.panel_begin + 1;
        engine_.pack(job);
      });
    }
    const std::byte* right(int64_t item, const int32_t** sums) const noexcept {
      if (args_.weights == nullptr) {
        const std::byte* at = scratch_ + p_.panels_at + item / repeats_ * p_.item_bytes;
        *sums = reinterpret_cast<const int32_t*>(at + engine_.panel_bytes(product_.k) * panels_);
        return at;
      }
      const int64_t i = offset(item, 1);
      *sums = args_.weights->piece<int32_t>(kSums) + i * IntEngine::padded(product_.n);
      return args_.weights->piece<std::byte>(kPanels) + i * panels_ * engine_.panel_bytes(product_.k);
    }

    // What is one per column of an item's right side, in `memory`; `sums`: of rows are wanted. `absorbed` is done to them before they are
    // judged.
    template <class Absorb>
    void fill_columns(int64_t item, std::byte* memory, IntColumns* column, bool* sums, const Absorb& absorb) const noexcept {
      const TensorView* c = args_.in.size() > 2 && args_.in[2].dtype != DType::none ? &args_.in[2] : nullptr;
      IntColumnTask task;
      task.engine = &engine_;
      task.args = &args_;
      task.factors = &own_.columns;
      task.k = product_.k;
      task.columns = product_.n;
      right(item, &task.sums);
      if (args_.weights != nullptr)
        task.magnitudes = args_.weights->piece<int32_t>(kMagnitudes) + (task.sums - args_.weights->piece<int32_t>(kSums));
      task.c = c;
      task.c_step = c != nullptr ? c->strides[0] : 0;
      const IntColumnMemory arrays = int_column_memory(memory, product_.n);
      int_fill_columns(task, arrays, column, sums);
      absorb(arrays);
      if (!own_.any) int_judge_columns(args_, product_.k, product_.n, rows_, arrays, column, &task);
    }
    void fill_columns(int64_t item, std::byte* memory, IntColumns* column, bool* sums) const noexcept {
      fill_columns(item, memory, column, sums, [](const IntColumnMemory&) {});
    }
    // Of the one right side that there is: they absorb the chain's first steps, too.
    void fill_shared_columns() noexcept {
      fill_columns(0, scratch_ + p_.columns_at, &all_, &all_sums_, [&](const IntColumnMemory& arrays) {
        // A vector has no axis of columns that an operand could walk along.
        const int axis = args_.out[0].rank() - 1;
        if (axis < 0 || product_.n != args_.out[0].dims[axis] || args_.in[1].rank() < 2) return;
        const int32_t absorbed = int_absorb_steps(epilogue_, factors_, axis, 0, product_.n, arrays, &all_);
        program_.count -= absorbed;
        program_.steps += absorbed;
      });
    }

    // Rows [first, first + count) of an item; `gathered`: memory for those that are not read where they lie.
    void place_rows(int64_t item, int64_t first, int32_t count, std::byte* gathered, Rows* rows) const noexcept {
      const int64_t d_bytes = dtype_size(args_.out[0].dtype), row_bytes = steps_ * kIntStepBytes;
      const auto* const source = static_cast<const std::byte*>(args_.in[0].data);
      IntGather gather;
      gather.dtype = args_.in[0].dtype;
      gather.channels = product_.k;
      gather.channel_step = product_.a_k;
      gather.outside = 0;
      gather.steps = steps_;
      // Rows that lie evenly are gathered in one go.
      bool gathers = !direct_;
      if (gathers && product_.row_count <= 1) {
        gather.step[2] = product_.row_count == 0 ? 0 : product_.rows[0].stride[0];
        gather.in[2] = count;
        const std::byte* const begin = source + offset(item, 0) + first * gather.step[2];
        gathers = !engine_.gather_lines(gather, {begin, {0, 0, 0}}, count, 1, gathered);
      }
      // Where the first row lies in each tensor, and then each next one.
      constexpr int kTensors = 3;
      const int tensors = kTensors + epilogue_.operand_count;
      int64_t from[kProductTensors], index[4], rest = first;
      for (int t = 0; t < tensors; ++t) from[t] = offset(item, t);
      for (int i = product_.row_count - 1; i >= 0; --i) {
        index[i] = i > 0 ? rest % product_.rows[i].count : rest;
        if (i > 0) rest /= product_.rows[i].count;
        for (int t = 0; t < tensors; ++t) from[t] += index[i] * product_.rows[i].stride[t];
      }
      for (int32_t r = 0; r < count; ++r) {
        const std::byte* const row = source + from[0];
        rows->to[r] = static_cast<std::byte*>(args_.out[0].data) + from[2] * d_bytes;
        for (int o = 0; o < epilogue_.operand_count; ++o) rows->operands[o][r] = epilogue_.operands[o].data + from[kTensors + o];
        for (int i = product_.row_count - 1; i >= 0; --i) {
          const bool wraps = i > 0 && index[i] + 1 == product_.rows[i].count;
          const int64_t by = wraps ? -index[i] : 1;
          index[i] += by;
          for (int t = 0; t < tensors; ++t) from[t] += by * product_.rows[i].stride[t];
          if (!wraps) break;
        }
        rows->at[r] = direct_ ? row : gathered + r * row_bytes;
        if (gathers) engine_.gather(gather, {row, {0, 0, 0}}, gathered + r * row_bytes);
      }
    }

    const IntMatmul& kernel_;
    const IntEngine& engine_;
    const Args& args_;
    const IntMatmulPlan& p_;
    const IntFactors factors_;
    const Epilogue epilogue_;
    const Product product_;
    const RowFactors own_;
    const int64_t steps_, panels_, rows_, repeats_;
    std::byte* const scratch_;
    const bool shared_;  // one right side for all items
    bool direct_ = false;
    EpilogueProgram program_;
    IntColumns all_;
    bool all_sums_ = false;
  };

  static int64_t right_k(const Operator& op, const Dims& b) noexcept {
    return b.rank == 1 ? b[0] : b[b.rank - (as<Matmul>(op)->get().transpose_b ? 1 : 2)];
  }
  static int64_t items(const Dims& b) noexcept {
    int64_t n = 1;
    for (int i = 0; i + 2 < b.rank; ++i) n = saturating_mul(n, b[i]);
    return n;
  }
  static int64_t item_offset(const TensorView& b, int64_t i) noexcept {
    int64_t offset = 0;
    for (int a = b.rank() - 3; a >= 0; --a) {
      offset += i % b.dims[a] * b.strides[a];
      i /= b.dims[a];
    }
    return offset;
  }
  static IntPack pack_job(const Operator& op, const TensorView& b) noexcept {
    const bool transposed = as<Matmul>(op)->get().transpose_b;
    const int rank = b.rank();
    IntPack job;
    job.dtype = b.dtype;
    job.w = static_cast<const std::byte*>(b.data);
    job.k = right_k(op, b.dims);
    job.columns = rank == 1 ? 1 : b.dims[rank - (transposed ? 2 : 1)];
    job.column_step = rank == 1 ? 0 : b.strides[rank - (transposed ? 2 : 1)];
    job.inner = std::max<int64_t>(job.k, 1);
    job.inner_step = rank == 1 ? b.strides[0] : b.strides[rank - (transposed ? 1 : 2)];
    return job;
  }
  // b; if it is packed, its batch strides count packed items.
  static TensorView right_side(const Args& args) noexcept {
    TensorView b = args.in[1];
    if (args.weights == nullptr) return b;
    b.strides = Strides::filled(b.rank(), 0);
    int64_t step = 1;
    for (int i = b.rank() - 3; i >= 0; --i) {
      b.strides[i] = step;
      step *= b.dims[i];
    }
    return b;
  }
  static bool one_right_side(const Args& args) noexcept { return items(args.in[1].dims) == 1; }
  // How many items of the last outer axes, side by side, have the same right side.
  static int64_t right_side_repeats(const Product& p) noexcept {
    int64_t n = 1;
    for (int a = p.outer_count - 1; a >= 0 && p.outer[a].stride[1] == 0; --a) n *= p.outer[a].count;
    return n;
  }
  static int64_t distinct_right_sides(const Product& p) noexcept { return p.outer_items() / right_side_repeats(p); }

  const IntEngine& engine_;
  const char* name_;
  const char* format_;
  KernelKey key_;
};

}  // namespace

KernelList int_matmul_list() noexcept {
  static const KernelsOfSets<"gemm.integers", IntMatmul, IntEngine> integers;
  static const auto all = kernel_list(integers);
  return all;
}

}  // namespace anydim
