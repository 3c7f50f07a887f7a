// SPDX-License-Identifier: Apache-2.0
// Compressed matmul: few rows by widening in registers, many rows by way of a buffer and the tile engine (numbers_engine.h). Which depends
// on the rows of a call; the weights lie in memory once, packed as numbers.
#include "core/kernels/compressed_matmul/compressed_matmul.h"

#include <algorithm>
#include <vector>

#include "core/kernels/compressed_matmul/numbers_pack.h"
#include "core/kernels/eltwise/functions.h"
#include "core/kernels/matmul/product.h"
#include "core/kernels/tiles/work_split.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/compressed_matmul.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

using Op = CompressedMatmul;

constexpr int64_t kMostWidened = 8;  // panels of a buffer
constexpr int64_t kRowBlock = 240;

struct NumbersPlan {
  bool few = false;
  int32_t tile_rows = 1;
  int64_t row_tasks = 1, column_tasks = 1;
  int64_t group = 1;        // panels that are widened together
  int64_t buffer = 0;       // floats of a worker's buffer
  int64_t segments_at = 0;  // bytes
};

const Epilogue no_epilogue;

int64_t segments_of(int64_t k) { return k / kSumBlock + 1; }

constexpr const char* kPanels16[kNumberForms] = {"numbers4.panels16", "numbers8.panels16", "f16.panels16", "bf16.panels16"};
constexpr const char* kPanels32[kNumberForms] = {"numbers4.panels32", "numbers8.panels32", "f16.panels32", "bf16.panels32"};

class NumbersMatmul final : public HostKernel {
 public:
  NumbersMatmul(const char* name, Isa isa, const NumbersEngine& engine) noexcept
      : engine_(engine),
        tiles_(*engine.tiles),
        name_(name),
        formats_(engine.tiles->vector == 16 ? kPanels32 : kPanels16),
        key_{.op = OpKind::compressed_matmul, .isa = isa} {}

  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (as<Op>(*p.op)->get().rounded_rows) return no("rows are rounded to 8 bits");
    const auto present = [&](size_t i) { return i < p.in.size() && p.in[i].dtype != DType::none; };
    for (const size_t i : {Op::kB, Op::kScales, Op::kZeroPoints})
      if (present(i) && !p.is_constant(i)) return no("numbers, scales or zero points are not constant");
    if (present(Op::kZeroPoints) && (p.in[Op::kB].dtype == DType::i8 || p.in[Op::kB].dtype == DType::i4))
      return no("signed numbers have zero points for each block");
    const NumbersForm f = numbers_form(p);
    if (f.blocks > 1 && f.block % 8 != 0) return no("numbers of a block are no multiple of 8");
    return supports_post_ops(p);
  }

  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    const NumbersForm f = numbers_form(p);
    form.format = formats_[static_cast<int>(f.form)];
    add_numbers(p, tiles_.panels(f.columns), 2 * tiles_.vector, &form);
    return form;
  }

  Status pack(const Problem& p, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    pack_form(p, tensors, packing, tiles_.panels(numbers_form(p).columns), 2 * tiles_.vector, pieces);
    return {};
  }

  void plan(const Args& args, Plan* plan) const noexcept override {
    const Product p = numbers_product(args, no_epilogue);
    const int64_t threads = args.parallel.threads(), rows = p.row_items(), panels = tiles_.panels(p.n);
    NumbersPlan n;
    n.few = rows <= kFewRows;
    if (n.few) {
      // Two panels at once where there is one row. Few long tasks: each begins with what nobody has fetched (Llama of 100 million
      // parameters, 4 bits, two threads: 4 tasks instead of 8 give 9 % more tokens).
      n.column_tasks = std::clamp<int64_t>(panels / 2, 1, threads > 1 ? 2 * threads : 1);
    } else {
      n.tile_rows = tiles_.rows_for(rows, p.n, p.k * 4, p.k, cpu().l2);
      n.group = group(p.k);
      n.buffer = n.group * panel_floats(p.k);
      const int64_t groups = std::max<int64_t>(ceil_div(panels, n.group), 1), most = threads > 1 ? 4 * threads : 1;
      n.column_tasks = std::min(groups, most);
      // Each task of rows widens for itself: only where columns alone do not keep the threads busy.
      if (n.column_tasks < threads)
        n.row_tasks = std::clamp<int64_t>(ceil_div(2 * threads, n.column_tasks), 1, ceil_div(rows, 4 * kFewRows));
      n.segments_at = threads * n.buffer * static_cast<int64_t>(sizeof(float));
    }
    plan->as<NumbersPlan>() = n;
    plan->scratch = n.few ? 0 : n.segments_at + segment_bytes(p.k);
  }

  int64_t scratch_bound(const Problem& p, std::span<const Dims>, std::span<const Dims>, int threads) const noexcept override {
    const int64_t k = numbers_form(p).k;
    return saturating_add(saturating_mul(saturating_mul(threads, group(k) * panel_floats(k)), sizeof(float)), segment_bytes(k));
  }

  Status run(const Plan& plan, const Args& args) const noexcept override {
    const NumbersPlan& n = plan.as<NumbersPlan>();
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
    const auto offset = [&](int64_t item, int t) {
      int64_t sum = 0;
      for (int i = p.outer_count - 1; i >= 0; --i) {
        sum += item % p.outer[i].count * p.outer[i].stride[t];
        item /= p.outer[i].count;
      }
      return sum;
    };
    for (int64_t item = 0; item < p.outer_items(); ++item) {
      Bases bases{args.in[Op::kA].as<const float>() + offset(item, 0), args.out[0].as<float>() + offset(item, 2), {}};
      for (int o = 0; o < epilogue.operand_count; ++o) bases.operand[o] = epilogue.operands[o].data + offset(item, 3 + o);
      if (n.few) run_few(args, n, p, panels, program, bases);
      else run_many(args, n, p, panels, program, bases);
    }
    return {};
  }

 private:
  struct Bases {
    const float* a;
    float* dst;
    const float* operand[kMaxEpilogueOperands];
  };

  void run_few(const Args& args, const NumbersPlan& n, const Product& p, const NumberPanels& panels, const EpilogueProgram& program,
               const Bases& bases) const noexcept {
    // All that a worker reads before its first number, in one piece: where its processor is far from the caller's, each line that it has
    // to be sent by another one costs half a microsecond.
    struct Task {
      FewRowsJob job;
      NumberPanels panels;
      const NumbersEngine* engine;
      int64_t panel_count, pairs, tasks;
    } all;
    FewRowsJob& job = all.job;
    job.rows = static_cast<int32_t>(p.row_items());
    job.a_step = p.a_k;
    job.dst_column_step = p.dst_n;
    job.program = &program;
    job.epilogue = tiles_.epilogue;
    for (int32_t r = 0; r < job.rows; ++r) {
      int64_t rest = r, at[kProductTensors] = {};
      for (int i = p.row_count - 1; i >= 0; --i) {
        for (int t = 0; t < 3 + program.operand_count; ++t) at[t] += rest % p.rows[i].count * p.rows[i].stride[t];
        rest /= p.rows[i].count;
      }
      job.a[r] = bases.a + at[0];
      job.dst[r] = bases.dst + at[2];
      for (int o = 0; o < program.operand_count; ++o) job.operands[o][r] = bases.operand[o] + at[3 + o];
    }
    all.panels = panels;
    all.engine = &engine_;
    all.panel_count = tiles_.panels(p.n);
    all.pairs = ceil_div(all.panel_count, 2);  // tasks begin at pairs of panels
    all.tasks = n.column_tasks;
    args.parallel.run(n.column_tasks, [all](int64_t task, int) {
      Task mine = all;
      mine.job.panels = &mine.panels;
      mine.job.panel_begin = 2 * part_begin(mine.pairs, mine.tasks, task);
      mine.job.panel_end = std::min(mine.panel_count, 2 * part_begin(mine.pairs, mine.tasks, task + 1));
      if (mine.job.panel_begin < mine.job.panel_end) mine.engine->few_rows(mine.job);
    });
  }

  void run_many(const Args& args, const NumbersPlan& n, const Product& p, const NumberPanels& panels, const EpilogueProgram& program,
                const Bases& bases) const noexcept {
    auto* const scratch = static_cast<std::byte*>(args.scratch);
    auto* const segments = reinterpret_cast<KSegment*>(scratch + n.segments_at);
    int32_t segment_count = 0;
    for (int64_t k = 0; k < p.k; k += kSumBlock)
      segments[segment_count++] = {k * p.a_k, k, static_cast<int32_t>(std::min(kSumBlock, p.k - k)), 1};
    TileJob proto;
    for (int i = 0; i < p.row_count; ++i) {
      const int to = kRowAxes - p.row_count + i;
      proto.count[to] = p.rows[i].count;
      proto.src_step[to] = p.rows[i].stride[0];
      proto.dst_step[to] = p.rows[i].stride[2];
      for (int o = 0; o < program.operand_count; ++o) proto.operand_step[o][to] = p.rows[i].stride[3 + o];
    }
    proto.src = bases.a;
    proto.dst_column_step = p.dst_n;
    proto.segments = segments;
    proto.segment_count = segment_count;
    proto.k_step = p.a_k;
    proto.k = p.k;
    proto.program = &program;
    proto.tile_rows = n.tile_rows;
    proto.row_block = kRowBlock;
    proto.panels_outer = true;
    const int64_t count = tiles_.panels(p.n), groups = ceil_div(count, n.group), width = 2 * tiles_.vector, rows = p.row_items();
    args.parallel.run(n.row_tasks * n.column_tasks, [&](int64_t task, int worker) {
      const int64_t row_task = task % n.row_tasks, column_task = task / n.row_tasks;
      TileJob job = proto;
      job.row_begin = part_begin(rows, n.row_tasks, row_task);
      job.row_end = part_begin(rows, n.row_tasks, row_task + 1);
      WidenJob widen;
      widen.panels = &panels;
      widen.to = reinterpret_cast<float*>(scratch) + worker * n.buffer;
      job.panels = widen.to;
      const int64_t last_group = part_begin(groups, n.column_tasks, column_task + 1);
      for (int64_t g = part_begin(groups, n.column_tasks, column_task); g < last_group; ++g) {
        widen.panel_begin = g * n.group;
        widen.panel_end = std::min(count, widen.panel_begin + n.group);
        const int64_t column = widen.panel_begin * width;
        job.columns = std::min(p.n - column, n.group * width);
        widen.last_width = tiles_.packed_columns(job.columns) - (widen.panel_end - widen.panel_begin - 1) * width;
        engine_.widen(widen);
        job.panel_begin = 0;
        job.panel_end = widen.panel_end - widen.panel_begin;
        job.dst = bases.dst + column * p.dst_n;
        for (int o = 0; o < program.operand_count; ++o) job.operand[o] = bases.operand[o] + column * program.walks[o].column_step;
        tiles_.run(job);
      }
    });
  }

  int64_t panel_floats(int64_t k) const noexcept { return (saturating_mul(k, 2 * tiles_.vector) + 15) & ~INT64_C(15); }
  // Half of the second cache is for them.
  int64_t group(int64_t k) const noexcept {
    return std::clamp<int64_t>(cpu().l2 / 2 / std::max<int64_t>(panel_floats(k) * 4, 1), 1, kMostWidened);
  }
  static int64_t segment_bytes(int64_t k) { return (segments_of(k) * static_cast<int64_t>(sizeof(KSegment)) + 63) & ~INT64_C(63); }

  const NumbersEngine& engine_;
  const TileEngine& tiles_;
  const char* name_;
  const char* const (&formats_)[kNumberForms];
  KernelKey key_;
};

}  // namespace

KernelList compressed_kernels() noexcept {
  static const KernelsOfSets<"gemm.numbers", NumbersMatmul, NumbersEngine> numbers;
  static const std::vector<const HostKernel*>* const all = [] {
    auto* list = new std::vector<const HostKernel*>;  // never destroyed: the background worker may outlive static objects
    for (size_t i = 0; i < numbers.kCount; ++i) list->push_back(&numbers[i]);
    const KernelList rounded = rounded_rows_list();
    list->insert(list->end(), rounded.begin(), rounded.end());
    list->push_back(&compressed_reference());
    return list;
  }();
  return *all;
}

}  // namespace anydim
