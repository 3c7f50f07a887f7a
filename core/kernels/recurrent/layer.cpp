// SPDX-License-Identifier: Apache-2.0
// One run of a recurrent layer on the tile engine (tiles/tile_engine.h). The products with the inputs do not depend on the state: they
// are made for many steps at once, on all threads. Then the steps follow each other. Each direction, and each part of a batch, is a
// sequence of its own, and a thread takes it through all of these steps. Where there are fewer of them than threads and the state's
// weights are large, the threads share the columns of each step's product instead.
#include "core/kernels/tiles/work_split.h"
#include "core/kernels/recurrent/panels.h"
#include "core/kernels/recurrent/states.h"

namespace anydim {

namespace {

class RecurrentLayer : RecurrentStates {
 public:
  RecurrentLayer(const TileEngine& engine, const CellFunctions& cells, const RecurrentPlan& plan, const Args& args) noexcept
      : RecurrentStates(cells, plan.at, args),
        engine_(engine),
        plan_(plan),
        sizes_(engine, at_.cell, args.in[0].dims[2], args.in[2].dims[2]) {}

  void run() noexcept {
    if (n_.batch == 0 || n_.hidden == 0) return;
    prepare();
    for (int64_t first = 0; first < n_.steps; first += plan_.steps) {
      const int64_t count = std::min(plan_.steps, n_.steps - first);
      multiply_inputs(first, count);
      if (plan_.shared) {
        for (int64_t i = 0; i < count; ++i) step_together(first, count, i);
      } else {
        args_.parallel.run(n_.directions * plan_.parts, [&](int64_t task, int worker) {
          const int64_t d = task / plan_.parts, part = task % plan_.parts;
          const Rows rows{part_begin(n_.batch, plan_.parts, part), part_begin(n_.batch, plan_.parts, part + 1)};
          for (int64_t i = 0; i < count; ++i) {
            const Step step = step_of(d, first, count, i, rows);
            multiply_state(step, {0, 1, worker});
            if (gru()) begin_gru(step), multiply_kept(step, {0, 1, worker});
            finish(step, cell_rows(step));
          }
        });
      }
    }
    store_states();
  }

 private:
  bool later_bias() const noexcept { return gru() && at_.linear_before_reset; }
  void prepare() noexcept {
    const TensorView &w = args_.in[Recurrent::kInputWeights], &r = args_.in[Recurrent::kRecurrentWeights];
    if (args_.packs(Recurrent::kInputWeights)) {
      input_panels_ = args_.weights->piece<float>(kInputPanels);
      state_panels_ = args_.weights->piece<float>(kStatePanels);
    } else {
      input_panels_ = floats(plan_.at.panels);
      state_panels_ = floats(plan_.at.state_panels);
      make_panels(engine_, at_.cell, w, r, args_.parallel, floats(plan_.at.panels), floats(plan_.at.state_panels));
    }
    input_segments_ = segments(plan_.at.segments, n_.inputs, args_.in[0].strides[2], &input_segment_count_);
    state_segments_ = segments(plan_.at.state_segments, n_.hidden, 1, &state_segment_count_);
    prepare_bias();
    prepare_states();
    input_split_ = split_work(engine_, plan_.steps * n_.batch, sizes_.columns, n_.inputs, n_.inputs * 4, args_.in[0].strides[1],
                              n_.directions, args_.parallel.threads());
    const int64_t rows = ceil_div(n_.batch, plan_.parts);
    first_split_ = split_work(engine_, rows, sizes_.first_columns, n_.hidden, n_.hidden * 4, n_.hidden, 1, 1);
    if (gru()) last_split_ = split_work(engine_, rows, sizes_.last_columns, n_.hidden, n_.hidden * 4, n_.hidden, 1, 1);
    add_given_.kind = PostOp::Kind::binary;
    add_given_.binary = BinaryFunction::add;
    add_given_.operand = 0;
    adding_.count = adding_.operand_count = 1;
    adding_.steps = &add_given_;
    adding_.walks[0].column_step = 1;
    adding_.walks[0].by_row = true;
  }

  const KSegment* segments(int64_t place, int64_t count, int64_t step, int32_t* written) noexcept {
    auto* const s = reinterpret_cast<KSegment*>(scratch_ + place);
    *written = 0;
    for (int64_t k = 0; k < count; k += kSumBlock) s[(*written)++] = {k * step, k, static_cast<int32_t>(std::min(kSumBlock, count - k)), 1};
    return s;
  }

  // Both biases of a gate are one number; gru's candidate keeps that of the state apart where it comes after a product with it.
  void prepare_bias() noexcept {
    if (!has(Recurrent::kBias)) return;
    const TensorView& b = args_.in[Recurrent::kBias];
    for (int64_t d = 0; d < n_.directions; ++d) {
      float* const to = floats(plan_.at.bias) + d * padded_columns(engine_, sizes_.columns);
      const float* const from = b.as<const float>() + d * b.strides[0];
      const auto of_state = [&](int64_t i) { return from[(sizes_.columns + i) * b.strides[1]]; };
      std::fill_n(to, padded_columns(engine_, sizes_.columns), 0.f);
      for (int64_t i = 0; i < sizes_.columns; ++i) {
        const float of_inputs = from[i * b.strides[1]];
        to[i] = (later_bias() && i >= sizes_.first_columns ? of_inputs : of_inputs + of_state(i)) + no_sign_;
      }
      if (!later_bias()) continue;
      float* const later = floats(plan_.at.state_bias) + d * padded_columns(engine_, n_.hidden);
      std::fill_n(later, padded_columns(engine_, n_.hidden), 0.f);
      for (int64_t i = 0; i < n_.hidden; ++i) later[i] = of_state(sizes_.first_columns + i) + no_sign_;
    }
  }

  void take_split(const WorkSplit& split, TileJob* job) const noexcept {
    job->tile_rows = split.tile_rows;
    job->row_block = split.row_block;
    job->panels_outer = split.panels_outer;
    job->k_part = split.k_part;
  }

  // The sums of the inputs for these steps of each direction, with the bias.
  void multiply_inputs(int64_t first, int64_t count) noexcept {
    const TensorView& x = args_.in[Recurrent::kX];
    const int64_t rows = count * n_.batch, panels = engine_.panels(sizes_.columns);
    const int64_t tasks = input_split_.row_tasks * input_split_.column_tasks;
    args_.parallel.run(n_.directions * tasks, [&](int64_t task, int worker) {
      const int64_t d = task / tasks, part = task % tasks;
      TileJob job;
      job.count[2] = count;
      job.count[3] = n_.batch;
      job.src = x.as<const float>() + first_step(d, first, count) * x.strides[0];
      job.src_step[2] = x.strides[0];
      job.src_step[3] = x.strides[1];
      job.dst = floats(plan_.at.given) + d * plan_.steps * n_.batch * sizes_.columns;
      job.dst_step[2] = n_.batch * sizes_.columns;
      job.dst_step[3] = sizes_.columns;
      const int64_t row_part = part / input_split_.column_tasks, column_part = part % input_split_.column_tasks;
      const int64_t unit = input_split_.tile_rows;
      const auto cut = [&](int64_t i) {
        return i == input_split_.row_tasks ? rows : std::min(rows, (part_begin(rows, input_split_.row_tasks, i) + unit / 2) / unit * unit);
      };
      job.row_begin = cut(row_part);
      job.row_end = cut(row_part + 1);
      job.segments = input_segments_;
      job.segment_count = input_segment_count_;
      job.k_step = x.strides[2];
      job.panels = input_panels_ + d * sizes_.input;
      job.k = n_.inputs;
      job.columns = sizes_.columns;
      job.panel_begin = part_begin(panels, input_split_.column_tasks, column_part);
      job.panel_end = part_begin(panels, input_split_.column_tasks, column_part + 1);
      if (has(Recurrent::kBias)) job.bias = floats(plan_.at.bias) + d * padded_columns(engine_, sizes_.columns);
      job.program = &nothing_;
      job.scratch = tiles_of(worker);
      take_split(input_split_, &job);
      if (job.row_begin < job.row_end && job.panel_begin < job.panel_end) engine_.run(job);
    });
  }

  Step step_of(int64_t d, int64_t first, int64_t count, int64_t i, Rows rows) noexcept {
    const int64_t at = reverse(d) ? count - 1 - i : i;
    Step s = step_at(d, first_step(d, first, count) + at, rows);
    s.given = floats(plan_.at.given) + ((d * plan_.steps + at) * n_.batch + rows.begin) * sizes_.columns;
    return s;
  }

  // Of the panels of a product, and who computes it.
  struct Part {
    int64_t part, parts;
    int worker;
  };
  void* tiles_of(int worker) const noexcept { return scratch_ + plan_.at.tiles + worker * plan_.at.tile_bytes; }

  // A product with states, of a part of its panels: of the gates with h, of gru's candidate with h or `kept`.
  TileJob product(const Step& s, const float* state, int64_t columns, const float* panels, float* sums, const Part& part) const noexcept {
    TileJob job;
    job.count[3] = s.rows.end - s.rows.begin;
    job.row_end = job.count[3];
    job.src = state;
    job.src_step[3] = n_.hidden;
    job.dst = sums;
    job.dst_step[3] = columns;
    job.segments = state_segments_;
    job.segment_count = state_segment_count_;
    job.panels = panels;
    job.k = n_.hidden;
    job.columns = columns;
    job.panel_begin = part_begin(engine_.panels(columns), part.parts, part.part);
    job.panel_end = part_begin(engine_.panels(columns), part.parts, part.part + 1);
    job.program = &nothing_;
    job.scratch = tiles_of(part.worker);
    return job;
  }
  void add_given(TileJob* job, const float* given) const noexcept {
    job->program = &adding_;
    job->operand[0] = given;
    job->operand_step[0][3] = sizes_.columns;
  }
  float* sums_of(const Step& s) const noexcept { return floats(plan_.at.sums) + (s.d * n_.batch + s.rows.begin) * sizes_.first_columns; }
  float* candidate_of(const Step& s) const noexcept { return floats(plan_.at.candidate) + state_at(s.d, s.rows.begin); }

  void multiply_state(const Step& s, const Part& part) const noexcept {
    const float* const h = floats(plan_.at.h) + state_at(s.d, s.rows.begin);
    const float* const panels = state_panels_ + s.d * sizes_.state();
    TileJob job = product(s, h, sizes_.first_columns, panels, sums_of(s), part);
    add_given(&job, s.given);
    take_split(first_split_, &job);
    if (job.panel_begin < job.panel_end) engine_.run(job);
    if (!later_bias()) return;
    job = product(s, h, sizes_.last_columns, panels + sizes_.first, candidate_of(s), part);
    if (has(Recurrent::kBias)) job.bias = floats(plan_.at.state_bias) + s.d * padded_columns(engine_, n_.hidden);
    take_split(last_split_, &job);
    if (job.panel_begin < job.panel_end) engine_.run(job);
  }
  void multiply_kept(const Step& s, const Part& part) const noexcept {
    if (at_.linear_before_reset) return;
    TileJob job = product(s, floats(plan_.at.kept) + state_at(s.d, s.rows.begin), sizes_.last_columns,
                          state_panels_ + s.d * sizes_.state() + sizes_.first, candidate_of(s), part);
    add_given(&job, s.given + sizes_.first_columns);
    take_split(last_split_, &job);
    if (job.panel_begin < job.panel_end) engine_.run(job);
  }

  CellRows cell_rows(const Step& s) const noexcept {
    CellRows c = RecurrentStates::cell_rows(s, sums_of(s), sizes_.first_columns);
    if (!gru()) return c;
    c.candidate = candidate_of(s);
    c.candidate_step = n_.hidden;
    c.given = s.given + sizes_.first_columns;
    c.given_step = sizes_.columns;
    c.kept = floats(plan_.at.kept) + state_at(s.d, s.rows.begin);
    return c;
  }

  void begin_gru(const Step& s) const noexcept { cells_.gru_gates(cell_rows(s)); }

  // Step i of each direction, its columns on all threads.
  void step_together(int64_t first, int64_t count, int64_t i) noexcept {
    Step steps[2];
    for (int64_t d = 0; d < n_.directions; ++d) steps[d] = step_of(d, first, count, i, {0, n_.batch});
    const int64_t parts = ceil_div(args_.parallel.threads(), n_.directions);
    const auto each = [&](auto f) {
      args_.parallel.run(n_.directions * parts, [&](int64_t task, int worker) {
        f(steps[task / parts], Part{task % parts, parts, worker});
      });
    };
    each([&](const Step& s, const Part& part) { multiply_state(s, part); });
    if (gru()) {
      for (int64_t d = 0; d < n_.directions; ++d) begin_gru(steps[d]);
      if (!at_.linear_before_reset) each([&](const Step& s, const Part& part) { multiply_kept(s, part); });
    }
    for (int64_t d = 0; d < n_.directions; ++d) finish(steps[d], cell_rows(steps[d]));
  }

  const TileEngine& engine_;
  const float no_sign_ = engine_.mode == MathMode::reduced ? 0.f : -0.f;  // what a bias of the mode gets, so that it is never -0
  const RecurrentPlan& plan_;
  const PanelSizes sizes_;
  const float *input_panels_ = nullptr, *state_panels_ = nullptr;
  const KSegment *input_segments_ = nullptr, *state_segments_ = nullptr;
  int32_t input_segment_count_ = 0, state_segment_count_ = 0;
  WorkSplit input_split_, first_split_, last_split_;
  EpilogueStep add_given_;
  EpilogueProgram nothing_, adding_;
};

}  // namespace

void run_recurrent(const TileEngine& engine, const CellFunctions& cells, const RecurrentPlan& plan, const Args& args) noexcept {
  RecurrentLayer(engine, cells, plan, args).run();
}

}  // namespace anydim
