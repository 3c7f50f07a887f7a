// SPDX-License-Identifier: Apache-2.0
// Compressed matmul whose rows are rounded to 8 bits (rounded_rows.h): some rows become bytes, then panels of numbers are multiplied with
// them on all threads. One path for one row and for many.
#include <algorithm>

#include "core/kernels/compressed_matmul/compressed_matmul.h"
#include "core/kernels/compressed_matmul/numbers_pack.h"
#include "core/kernels/compressed_matmul/rounded_rows.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/matmul/product.h"
#include "core/kernels/sets.h"
#include "core/kernels/tiles/work_split.h"
#include "core/ops/operators/compressed_matmul.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

using Op = CompressedMatmul;

// Their bytes stay in the second cache beside a panel, of K up to 4,096.
constexpr int64_t kRowsAtOnce = 96;

struct RoundedPlan {
  int64_t rows = 0;  // at once
  int64_t scales_at = 0, sums_at = 0;
};

int64_t padded(int64_t bytes) noexcept { return saturating_add(bytes, 63) & ~INT64_C(63); }
int64_t bytes_of_row(const NumbersForm& f) noexcept { return padded(f.k); }

RoundedPlan places(const NumbersForm& f, int64_t rows, int64_t* scratch) noexcept {
  RoundedPlan p;
  p.rows = std::min(rows, kRowsAtOnce);
  p.scales_at = saturating_mul(p.rows, bytes_of_row(f));
  const int64_t factors = padded(saturating_mul(saturating_mul(p.rows, f.blocks), static_cast<int64_t>(sizeof(float))));
  p.sums_at = saturating_add(p.scales_at, factors);
  *scratch = saturating_add(p.sums_at, factors);
  return p;
}

constexpr const char* kFormats[2][2] = {{"numbers4.panels16", "numbers8.panels16"}, {"numbers4.panels32", "numbers8.panels32"}};

class RoundedMatmul final : public HostKernel {
 public:
  RoundedMatmul(const char* name, Isa isa, const RoundedRows& engine) noexcept
      : engine_(engine), tiles_(*engine.tiles), name_(name), key_{.op = OpKind::compressed_matmul, .isa = isa} {}

  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (!as<Op>(*p.op)->get().rounded_rows) return no("rows are not rounded");
    const auto present = [&](size_t i) { return i < p.in.size() && p.in[i].dtype != DType::none; };
    for (const size_t i : {Op::kB, Op::kScales, Op::kZeroPoints})
      if (present(i) && !p.is_constant(i)) return no("numbers, scales or zero points are not constant");
    if (present(Op::kZeroPoints) && (p.in[Op::kB].dtype == DType::i8 || p.in[Op::kB].dtype == DType::i4))
      return no("signed numbers have zero points for each block");
    return supports_post_ops(p);
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    const NumbersForm f = numbers_form(p);
    form.format = kFormats[tiles_.vector == 16][f.form == NumberForm::bits8];
    add_numbers(p, tiles_.panels(f.columns), width(), &form);
    return form;
  }

  Status pack(const Problem& p, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    pack_form(p, tensors, packing, tiles_.panels(numbers_form(p).columns), width(), pieces);
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->as<RoundedPlan>() =
        places(numbers_form(*args.op, args.in[Op::kB].dtype, args.in[Op::kB].dims), numbers_product(args, {}).row_items(), &plan->scratch);
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims>, std::span<const Dims>, int) const noexcept override {
    int64_t scratch;
    places(numbers_form(p), kRowsAtOnce, &scratch);
    return scratch;
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    if (args.out[0].count() == 0) return {};
    Epilogue epilogue;
    epilogue.append(*args.post_ops, args.post_in, args.out[0].dims);
    const Product p = numbers_product(args, epilogue);
    EpilogueProgram program;
    program.count = epilogue.count;
    program.operand_count = epilogue.operand_count;
    program.steps = epilogue.steps;
    for (int o = 0; o < epilogue.operand_count; ++o) {
      program.walks[o].column_step = p.operand_n[o];
      for (int i = 0; i < p.row_count; ++i) program.walks[o].by_row |= p.rows[i].stride[3 + o] != 0;
    }
    const NumberPanels panels = number_panels(args);
    for (int64_t item = 0; item < p.outer_items(); ++item) {
      Tensors at{args.in[Op::kA].as<const float>(), args.out[0].as<float>(), {}};
      for (int o = 0; o < epilogue.operand_count; ++o) at.operand[o] = epilogue.operands[o].data;
      move(&at, p.outer, p.outer_count, item, program.operand_count);
      run_item(plan.as<RoundedPlan>(), args, p, panels, program, at);
    }
    return {};
  }

 private:
  struct Tensors {
    const float* a;
    float* dst;
    const float* operand[kMaxEpilogueOperands];
  };
  // To the i-th of nested axes.
  static void move(Tensors* at, const ProductAxis* axes, int count, int64_t i, int operands) noexcept {
    for (int axis = count - 1; axis >= 0; --axis) {
      const int64_t k = i % axes[axis].count;
      i /= axes[axis].count;
      at->a += k * axes[axis].stride[0];
      at->dst += k * axes[axis].stride[2];
      for (int o = 0; o < operands; ++o) at->operand[o] += k * axes[axis].stride[3 + o];
    }
  }

  void run_item(const RoundedPlan& plan, const Args& args, const Product& p, const NumberPanels& panels, const EpilogueProgram& program,
                const Tensors& all) const noexcept {
    auto* const scratch = static_cast<std::byte*>(args.scratch);
    const NumbersForm f = numbers_form(*args.op, args.in[Op::kB].dtype, args.in[Op::kB].dims);
    RoundedRowSet set;
    set.bytes = reinterpret_cast<int8_t*>(scratch);
    set.bytes_step = bytes_of_row(f);
    set.scales = reinterpret_cast<float*>(scratch + plan.scales_at);
    set.sums = reinterpret_cast<float*>(scratch + plan.sums_at);
    const int64_t rows = p.row_items(), count = tiles_.panels(p.n), threads = args.parallel.threads();
    for (int64_t first = 0; first < rows; first += plan.rows) {
      const int64_t here = std::min(plan.rows, rows - first), row_tasks = std::min(here, threads > 1 ? 2 * threads : 1);
      args.parallel.run(row_tasks, [&](int64_t task, int) {
        for (int64_t r = part_begin(here, row_tasks, task); r < part_begin(here, row_tasks, task + 1); ++r) {
          Tensors at = all;
          move(&at, p.rows, p.row_count, first + r, 0);
          engine_.round({at.a, p.a_k, panels.k, panels.block, panels.form, set.bytes + r * set.bytes_step,
                         panels.words() * numbers_of_word(panels.form), set.scales + r * panels.blocks, set.sums + r * panels.blocks});
        }
      });
      const int64_t column_tasks = std::min(count, threads > 1 ? 4 * threads : 1);
      args.parallel.run(column_tasks, [&](int64_t task, int) {
        for (int64_t panel = part_begin(count, column_tasks, task); panel < part_begin(count, column_tasks, task + 1); ++panel)
          multiply(p, panels, program, all, set, first, here, panel);
      });
    }
  }

  // Rows [first, first + count), which are those of the set, times a panel.
  void multiply(const Product& p, const NumberPanels& panels, const EpilogueProgram& program, const Tensors& all, const RoundedRowSet& set,
                int64_t first, int64_t count, int64_t panel) const noexcept {
    alignas(64) float sums[kMostRoundedRows * 2 * 16];
    const int64_t column = panel * width(), tiles = ceil_div(count, engine_.tile_rows), low = count / tiles, high = count % tiles;
    for (int64_t t = 0, at = 0; t < tiles; ++t) {
      const auto rows = static_cast<int32_t>(low + (t < high));
      engine_.tile({&panels,
                    panel,
                    {set.bytes + at * set.bytes_step, set.bytes_step, set.scales + at * panels.blocks, set.sums + at * panels.blocks},
                    rows,
                    sums});
      const float* operands[kMaxEpilogueOperands][kMaxEpilogueRows];
      float* dst[kMostRoundedRows];
      for (int32_t r = 0; r < rows; ++r) {
        Tensors to = all;
        move(&to, p.rows, p.row_count, first + at + r, program.operand_count);
        dst[r] = to.dst + column * p.dst_n;
        for (int o = 0; o < program.operand_count; ++o) operands[o][r] = to.operand[o] + column * program.walks[o].column_step;
      }
      EpilogueTile tile;
      tile.sums = sums;
      tile.sums_step = width();
      tile.rows = rows;
      tile.columns = static_cast<int32_t>(std::min(p.n - column, width()));
      tile.dst = dst;
      tile.dst_column_step = p.dst_n;
      tile.operands = operands;
      tiles_.epilogue(program, tile);
      at += rows;
    }
  }

  int64_t width() const noexcept { return 2 * tiles_.vector; }

  const RoundedRows& engine_;
  const TileEngine& tiles_;
  const char* name_;
  KernelKey key_;
};

}  // namespace

KernelList rounded_rows_list() noexcept {
  static const KernelsOfSets<"gemm.rounded", RoundedMatmul, RoundedRows> rounded;
  static const auto all = kernel_list(rounded);
  return all;
}

}  // namespace anydim
