// SPDX-License-Identifier: Apache-2.0
// Matmul on the tile engine (tile_engine.h). The right side is packed into panels: once if it is constant, else into
// scratch when the product runs; the left side is read in place whatever its strides. A constant c is packed beside a constant b.
#include <algorithm>

#include "core/kernels/eltwise/functions.h"
#include "core/kernels/matmul/column.h"
#include "core/kernels/matmul/matmul.h"
#include "core/kernels/matmul/integer_product.h"
#include "core/kernels/matmul/product.h"
#include "core/kernels/tiles/reduced_probe.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/kernels/tiles/work_split.h"
#include "core/kernels/pack_pieces.h"
#include "core/kernels/sets.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

// Panels of activations are made for so many bytes of batch items at a time: they stay in L2 until they are used.
constexpr int64_t kPackedBytes = 1 << 20;
constexpr int64_t kRowWork = 1 << 18;  // multiply-adds of a row alone: with fewer it stays on one thread

// The pieces of constant operands.
enum { kPanels, kAddend };

struct GemmPlan {
  WorkSplit split;
  int64_t group = 1;        // batch items packed at a time
  int64_t segments_at = 0;  // offsets into scratch, in bytes
  int64_t tiles_at = 0;     // what the engine needs, for each worker
  bool row_alone = false;   // one row, and a right side that nothing has packed
};

const Epilogue no_epilogue;

int64_t segments_of(int64_t k) { return k / kSumBlock + 1; }

int64_t items(const Dims& d) {
  int64_t n = 1;
  for (int i = 0; i + 2 < d.rank; ++i) n = saturating_mul(n, d[i]);
  return n;
}

// Rows and columns of one item of the right side.
struct RightDims {
  int64_t k, n;
};
RightDims right_dims(const Operator& op, const Dims& b) noexcept {
  if (b.rank == 1) return {b[0], 1};
  const bool transposed = as<Matmul>(op)->get().transpose_b;
  return {b[b.rank - (transposed ? 1 : 2)], b[b.rank - (transposed ? 2 : 1)]};
}

class TiledMatmul final : public HostKernel {
 public:
  TiledMatmul(const char* name, Isa isa, const TileEngine& engine)
      : engine_(engine),
        column_(engine.mode == MathMode::strict ? find_part<ColumnProduct>(isa) : nullptr),
        name_(name),
        format_(engine.neighbours                  ? "gemm.bf16_neighbours32"
                : engine.mode == MathMode::reduced ? (engine.vector == 16 ? "gemm.bf16_panels32" : "gemm.bf16_panels16")
                                                   : (engine.vector == 16 ? "gemm.panels32" : "gemm.panels16")),
        key_{OpKind::matmul, DType::f32, DType::f32, LayoutFamily::any, isa, engine.mode} {}

  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!has_reduced_bits(engine_)) return no("this processor's sums of bf16 have other bits than the mode");
    if (engine_.mode == MathMode::reduced) return reduced_serves(p);
    for (const TensorType& t : p.in)
      if (t.dtype != DType::f32 && t.dtype != DType::none) return no("an input is not f32");
    return supports_post_ops(p);
  }

  // Panels of each batch item of b in row-major order; c, multiplied by beta, row-major.
  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1) || p.in[1].dims.rank == 0) return form;
    const Dims b = numbers(p.in[1].dims);
    const RightDims d = right_dims(*p.op, b);
    form.format = format_;
    form.operands = {1};
    form.add("panels", DType::f32, saturating_mul(engine_.panel_floats(d.n, d.k), items(b)));
    if (p.is_constant(2)) {
      form.operands.add(2);
      form.add("addend", DType::f32, element_count(numbers(p.in[2].dims)));
    }
    return form;
  }

  Status pack(const Problem& problem, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const Matmul::Attributes& at = as<Matmul>(*problem.op)->get();
    const TensorView& b = tensors[1];
    const int rank = b.rank();
    auto* const panels = reinterpret_cast<float*>(pieces[kPanels]);
    const auto [k, n] = right_dims(*problem.op, b.dims);
    const int64_t each = engine_.panel_floats(n, k);
    PackJob job;
    job.row_stride = rank == 1 ? b.strides[0] : b.strides[rank - (at.transpose_b ? 1 : 2)];
    job.column_stride = rank == 1 ? 0 : b.strides[rank - (at.transpose_b ? 2 : 1)];
    job.rows = job.k = k;
    job.columns = n;
    job.panel_end = engine_.panels(n);
    const PackCuts cuts(engine_, job);
    const auto start = [&](int64_t piece) { return piece / cuts.pieces * k * n + cuts.start(piece % cuts.pieces); };
    pack_in_pieces(packing, b, items(b.dims) * cuts.pieces, start, [&](int64_t piece) {
      const int64_t i = piece / cuts.pieces;
      int64_t rest = i, offset = 0;
      for (int a = rank - 3; a >= 0; --a) {
        offset += rest % b.dims[a] * b.strides[a];
        rest /= b.dims[a];
      }
      PackJob part = job;
      part.b = b.as<const float>() + offset;
      part.panels = panels + i * each;
      cuts.set(piece % cuts.pieces, &part);
      engine_.pack(part);
    });
    if (pieces.size() <= kAddend) return {};
    auto* const addend = reinterpret_cast<float*>(pieces[kAddend]);
    const TensorView& c = tensors[2];
    Dims at_c = Dims::filled(c.rank(), 0);
    for (int64_t i = 0; i < c.count(); ++i) {
      int64_t offset = 0;
      for (int a = 0; a < c.rank(); ++a) offset += at_c[a] * c.strides[a];
      const float v = read_unaligned(c.as<const float>() + offset);
      addend[i] = (at.beta == 1.f ? v : at.beta * v) + (engine_.mode == MathMode::reduced && at.alpha == 1.f ? 0.f : -0.f);
      for (int a = c.rank() - 1; a >= 0 && ++at_c[a] == c.dims[a]; --a) at_c[a] = 0;
    }
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    GemmPlan& g = plan->as<GemmPlan>();
    g = {};
    const Matmul::Attributes& at = as<Matmul>(*args.op)->get();
    const Product p = make_product(at, args.in[0], right_side(args), args.out[0], no_epilogue);
    const int threads = args.parallel.threads();
    const int64_t outer = std::max<int64_t>(p.outer_items(), 1);
    g.row_alone = is_row_alone(p, args);
    g.split = split_work(engine_, p.row_items(), p.n, p.k, p.k * 4, p.row_count > 0 ? p.rows[p.row_count - 1].stride[0] : 1, outer, threads,
                         args.choice);
    int64_t packed = 0;
    // An empty result packs nothing: its bound is that of no batch items.
    if (!args.weights && !g.row_alone && args.out[0].count() > 0) packed = packing(p.k, p.n, outer, threads, &g.group);
    g.segments_at = packed;
    g.tiles_at = packed + segment_bytes(p.k);
    plan->scratch = g.tiles_at + threads * tile_bytes(p.k);
  }

  int plan_revision() const noexcept override { return kSplitRevision; }
  int plan_choices(const Args& args, std::span<PlanChoice> out) const noexcept override {
    const Product p = make_product(as<Matmul>(*args.op)->get(), args.in[0], right_side(args), args.out[0], no_epilogue);
    Args own = args;
    own.choice = nullptr;
    Plan now;
    plan(own, &now);
    return split_choices(engine_, now.as<GemmPlan>().split, p.row_items(), p.n, args.parallel.threads(), out);
  }

  int64_t scratch_bound(const Problem& problem, std::span<const Dims> in, std::span<const Dims> out, int threads) const noexcept override {
    int64_t m, n, k;
    product_sizes(as<Matmul>(*problem.op)->get(), in[0], in[1], &m, &n, &k);
    if (problem.is_constant(1)) return saturating_add(segment_bytes(k), saturating_mul(threads, tile_bytes(k)));
    // Every batch item may need panels of its own; how many are packed at a time falls with their size, so the bound
    // is taken over both ends.
    int64_t outer = 1;
    for (int i = 0; i < out[0].rank - (in[0].rank > 1) - (in[1].rank > 1); ++i) outer = saturating_mul(outer, out[0][i]);
    const int64_t each = panel_bytes(k, n);
    const int64_t most = std::min(saturating_mul(outer, each), std::max(saturating_mul(each, threads), kPackedBytes));
    return saturating_add(saturating_add(most, 64), segment_bytes(k));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    const GemmPlan& g = plan.as<GemmPlan>();
    if (args.out[0].count() == 0) return {};
    Epilogue epilogue;
    const float* const bias = add_addend(g, args, &epilogue);
    epilogue.append(*args.post_ops, args.post_in, args.out[0].dims);
    const Product p = make_product(as<Matmul>(*args.op)->get(), args.in[0], right_side(args), args.out[0], epilogue);
    const bool column = one_column(p);
    const EpilogueProgram program = program_of(epilogue, p, column);
    if (g.row_alone) {
      run_rows_alone(p, args, epilogue, program);
      return {};
    }
    const TileJob job = job_of(g, args, p, epilogue, program, bias);
    const auto compute = [&](int64_t item, int64_t part, int worker, const float* panels) {
      run_part(g, args, p, epilogue, job, column, item, part, worker, panels);
    };
    const int64_t outer = p.outer_items(), tasks = g.split.tasks(), each = engine_.panel_floats(p.n, p.k);
    if (column && !args.weights) {
      args.parallel.run(outer * tasks, [&](int64_t task, int worker) { compute(task / tasks, task % tasks, worker, nullptr); });
      return {};
    }
    if (args.weights) {
      args.parallel.run(outer * tasks, [&](int64_t task, int worker) {
        const int64_t item = task / tasks;
        compute(item, task % tasks, worker, args.weights->piece<float>(kPanels) + p.item_offset(item, 1) * each);
      });
      return {};
    }
    auto* const packed = static_cast<float*>(args.scratch);
    for (int64_t first = 0; first < outer; first += g.group) {
      const int64_t count = std::min(g.group, outer - first);
      pack_items(args, p, first, count, packed);
      args.parallel.run(count * tasks, [&](int64_t task, int worker) {
        compute(first + task / tasks, task % tasks, worker, packed + task / tasks * each);
      });
    }
    return {};
  }

 private:
  // Scales and c, before the post-ops; or c as what the tiles add to their sums, which is returned.
  const float* add_addend(const GemmPlan& g, const Args& args, Epilogue* epilogue) const noexcept {
    const Matmul::Attributes& at = as<Matmul>(*args.op)->get();
    // -0 is the addend that changes nothing, a zero's sign included.
    if (at.alpha != 1.f) epilogue->append_unary(UnaryFunction::affine, at.alpha, -0.f);
    if (args.in.size() <= 2 || args.in[2].dtype == DType::none) return nullptr;
    TensorView c = args.in[2];
    if (args.packs(2)) {
      c.data = args.weights->pieces[kAddend];
      c.strides = dense_strides(c.dims);
    }
    if (!g.row_alone && is_bias(args, c)) return c.as<const float>();
    epilogue->append_binary(BinaryFunction::add, false, c.as<const float>(), broadcast_strides(c, args.out[0].dims),
                            args.packs(2) ? 1.f : at.beta);
    return nullptr;
  }

  static EpilogueProgram program_of(const Epilogue& epilogue, const Product& p, bool column) noexcept {
    EpilogueProgram program;
    program.count = epilogue.count;
    program.operand_count = epilogue.operand_count;
    program.steps = epilogue.steps;
    for (int o = 0; o < epilogue.operand_count; ++o) {
      program.walks[o].column_step = column ? p.rows[p.row_count - 1].stride[3 + o] : p.operand_n[o];
      for (int i = 0; i < p.row_count; ++i) program.walks[o].by_row |= p.rows[i].stride[3 + o] != 0;
    }
    return program;
  }

  // What the jobs of all tasks share.
  TileJob job_of(const GemmPlan& g, const Args& args, const Product& p, const Epilogue& epilogue, const EpilogueProgram& program,
                 const float* bias) const noexcept {
    auto* const segments = reinterpret_cast<KSegment*>(static_cast<std::byte*>(args.scratch) + g.segments_at);
    int32_t segment_count = 0;
    for (int64_t k = 0; k < p.k; k += kSumBlock)
      segments[segment_count++] = {k * p.a_k, k, static_cast<int32_t>(std::min(kSumBlock, p.k - k)), 1};
    TileJob job;
    for (int i = 0; i < p.row_count; ++i) {
      const int to = kRowAxes - p.row_count + i;
      job.count[to] = p.rows[i].count;
      job.src_step[to] = p.rows[i].stride[0];
      job.dst_step[to] = p.rows[i].stride[2];
      for (int o = 0; o < epilogue.operand_count; ++o) job.operand_step[o][to] = p.rows[i].stride[3 + o];
    }
    job.dst_column_step = p.dst_n;
    job.segments = segments;
    job.segment_count = segment_count;
    job.k_step = p.a_k;
    job.k = p.k;
    job.bias = bias;
    job.columns = p.n;
    job.program = &program;
    job.tile_rows = g.split.tile_rows;
    job.row_block = g.split.row_block;
    job.panels_outer = g.split.panels_outer;
    job.k_part = g.split.k_part;
    return job;
  }

  // A part of a batch item.
  void run_part(const GemmPlan& g, const Args& args, const Product& p, const Epilogue& epilogue, const TileJob& shared, bool column,
                int64_t item, int64_t part, int worker, const float* panels) const noexcept {
    TileJob job = shared;
    job.scratch = static_cast<std::byte*>(args.scratch) + g.tiles_at + worker * tile_bytes(p.k);
    job.src = args.in[0].as<const float>() + p.item_offset(item, 0);
    job.dst = args.out[0].as<float>() + p.item_offset(item, 2);
    for (int o = 0; o < epilogue.operand_count; ++o) job.operand[o] = epilogue.operands[o].data + p.item_offset(item, 3 + o);
    job.panels = panels;
    const int64_t row_part = g.split.row_part(part), column_part = g.split.column_part(part), all = engine_.panels(p.n);
    job.panel_begin = g.split.panel_begin(all, column_part);
    job.panel_end = g.split.panel_begin(all, column_part + 1);
    const int64_t rows = p.row_items(), unit = g.split.tile_rows;
    const auto cut = [&](int64_t i) {
      return i == g.split.row_tasks ? rows : std::min(rows, (part_begin(rows, g.split.row_tasks, i) + unit / 2) / unit * unit);
    };
    job.row_begin = cut(row_part);
    job.row_end = cut(row_part + 1);
    if (job.row_begin >= job.row_end) return;
    if (!column) return engine_.run(job);
    ColumnJob one;
    one.a = job.src;
    one.b = args.weights ? panels : args.in[1].as<const float>() + p.item_offset(item, 1);
    one.b_step = args.weights ? engine_.packed_columns(1) : p.b_k;
    one.dst = job.dst;
    one.program = job.program;
    std::copy_n(job.operand, epilogue.operand_count, one.operand);
    run_column(p, one, job.row_begin, job.row_end);
  }

  // Panels of `count` batch items of b. Packing is cut over panels where there are few items.
  void pack_items(const Args& args, const Product& p, int64_t first, int64_t count, float* packed) const noexcept {
    const int64_t panels = engine_.panels(p.n), each = engine_.panel_floats(p.n, p.k), threads = args.parallel.threads();
    const int64_t cuts = count >= threads * 2 ? 1 : std::min<int64_t>(panels, threads * 2);
    args.parallel.run(count * cuts, [&](int64_t task, int) {
      const int64_t i = task / cuts;
      PackJob job;
      job.b = args.in[1].as<const float>() + p.item_offset(first + i, 1);
      job.row_stride = p.b_k;
      job.column_stride = p.b_n;
      job.rows = job.k = p.k;
      job.columns = p.n;
      job.panel_begin = part_begin(panels, cuts, task % cuts);
      job.panel_end = part_begin(panels, cuts, task % cuts + 1);
      job.panels = packed + i * each;
      engine_.pack(job);
    });
  }

  static int64_t segment_bytes(int64_t k) { return (segments_of(k) * static_cast<int64_t>(sizeof(KSegment)) + 63) & ~INT64_C(63); }

  int64_t tile_bytes(int64_t k) const noexcept { return saturating_add(engine_.scratch(k), 63) & ~INT64_C(63); }
  int64_t panel_bytes(int64_t k, int64_t n) const noexcept { return saturating_mul(engine_.panel_floats(n, k), 4); }
  // Bytes of panels for `outer` items of an activation b, of which *group are packed at a time.
  int64_t packing(int64_t k, int64_t n, int64_t outer, int threads, int64_t* group) const noexcept {
    const int64_t each = panel_bytes(k, n);
    *group = std::min(outer, std::max<int64_t>(threads, each > 0 ? kPackedBytes / each : outer));
    return (saturating_mul(each, *group) + 63) & ~INT64_C(63);
  }

  // b; if it is packed, its batch strides count packed items.
  static TensorView right_side(const Args& args) {
    TensorView b = args.in[1];
    if (!args.weights) return b;
    b.strides = Strides::filled(b.rank(), 0);
    int64_t step = 1;
    for (int i = b.rank() - 3; i >= 0; --i) {
      b.strides[i] = step;
      step *= b.dims[i];
    }
    return b;
  }

  // One column whose rows can go side by side. The portable vector has no such function: it would gain little.
  bool one_column(const Product& p) const noexcept {
    return column_ != nullptr && p.n == 1 && p.k > 0 && p.row_count > 0 && (p.a_k == 1 || p.rows[p.row_count - 1].stride[0] == 1);
  }
  // Rows [begin, end) of an item, whose tensors begin where the job's do: a, dst, then the operands. Rows along the last axis go together.
  void run_column(const Product& p, ColumnJob& job, int64_t begin, int64_t end) const noexcept {
    const ProductAxis& last = p.rows[p.row_count - 1];
    const int operands = job.program->operand_count;
    const float *const a = job.a, *operand[kMaxEpilogueOperands];
    float* const dst = job.dst;
    std::copy_n(job.operand, operands, operand);
    job.row_step = last.stride[0];
    job.k_step = p.a_k;
    job.k = p.k;
    job.dst_step = last.stride[2];
    for (int64_t r = begin; r < end; r += job.rows) {
      job.a = a;
      job.dst = dst;
      std::copy_n(operand, operands, job.operand);
      int64_t rest = r;
      for (int i = p.row_count - 1; i >= 0; --i) {
        const int64_t at = i > 0 ? rest % p.rows[i].count : rest;
        if (i > 0) rest /= p.rows[i].count;
        job.a += at * p.rows[i].stride[0];
        job.dst += at * p.rows[i].stride[2];
        for (int o = 0; o < operands; ++o) job.operand[o] += at * p.rows[i].stride[3 + o];
      }
      const int64_t in_line = p.row_count > 1 ? last.count - r % last.count : end - r;
      job.rows = std::min({in_line, end - r, kColumnRows});
      column_(job);
    }
  }

  // As one_column has it, the columns of b being the rows.
  bool is_row_alone(const Product& p, const Args& args) const noexcept {
    return column_ != nullptr && args.weights == nullptr && p.k > 0 && p.n > 1 && p.row_items() == 1 && (p.b_n == 1 || p.b_k == 1);
  }
  void run_rows_alone(const Product& p, const Args& args, const Epilogue& epilogue, const EpilogueProgram& program) const noexcept {
    const int64_t pieces = ceil_div(p.n, kColumnRows), threads = args.parallel.threads();
    const int64_t cuts = saturating_mul(p.n, p.k) < kRowWork ? 1 : std::min(pieces, 2 * threads);
    args.parallel.run(p.outer_items() * cuts, [&](int64_t task, int) {
      const int64_t item = task / cuts, end = std::min(p.n, part_begin(pieces, cuts, task % cuts + 1) * kColumnRows);
      ColumnJob job;
      job.row_step = p.b_n;
      job.k_step = p.b_k;
      job.b = args.in[0].as<const float>() + p.item_offset(item, 0);
      job.b_step = p.a_k;
      job.k = p.k;
      job.dst_step = p.dst_n;
      job.program = &program;
      for (int64_t n = part_begin(pieces, cuts, task % cuts) * kColumnRows; n < end; n += kColumnRows) {
        job.rows = std::min(kColumnRows, end - n);
        job.a = args.in[1].as<const float>() + p.item_offset(item, 1) + n * p.b_n;
        job.dst = args.out[0].as<float>() + p.item_offset(item, 2) + n * p.dst_n;
        for (int o = 0; o < epilogue.operand_count; ++o)
          job.operand[o] = epilogue.operands[o].data + p.item_offset(item, 3 + o) + n * p.operand_n[o];
        column_(job);
      }
    });
  }

  // c as what the tiles add to their sums: one value per column, whole vectors of them.
  bool is_bias(const Args& args, const TensorView& c) const noexcept {
    const Matmul::Attributes& at = as<Matmul>(*args.op)->get();
    const Dims& dst = args.out[0].dims;
    const bool vector = args.in[0].rank() > 0 && args.in[1].rank() > 1 && c.rank() > 0 && dst.rank > 0;
    if (!vector || at.alpha != 1.f || (!args.packs(2) && (at.beta != 1.f || engine_.mode == MathMode::reduced))) return false;
    const int64_t n = c.dims[c.rank() - 1];
    return n > 1 && n == dst[dst.rank - 1] && n == c.count() && c.strides.back() == 1 && n % engine_.granule == 0;
  }

  const TileEngine& engine_;
  ColumnProduct::Function* column_;
  const char* name_;
  const char* format_;
  KernelKey key_;
};

}  // namespace

KernelList gemm_kernels() noexcept {
  static const KernelsOfSets<"gemm.tiles", TiledMatmul, TileEngine> tiles;
  static const KernelsOfSets<"gemm.wide_integers", IntegerProduct, IntegerTiles> integers;
  static const auto all = kernel_list(SetBySet(tiles, integers), kept<"gemm.reference", gemm_reference>());
  return all;
}

KernelList gemm_reduced_kernels() noexcept {
  static const KernelsOfSets<"gemm.bf16", TiledMatmul, ReducedTileEngine> tiles;
  static const auto all = kernel_list(tiles, kept<"gemm.bf16.reference", gemm_reduced_reference>());
  return all;
}

}  // namespace anydim
