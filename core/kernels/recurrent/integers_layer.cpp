// SPDX-License-Identifier: Apache-2.0
// One run of a recurrent layer with weights of 8 bits on the integer engine. x becomes numbers by its whole range, and its products are
// made for many steps at once, on all threads. Then the steps follow each other: each row of the states becomes numbers by its own range,
// the engine makes the sums of products, and these become real (cells.inl.h). Threads divide the work as in layer.cpp.
#include <cmath>

#include "core/kernels/tiles/work_split.h"
#include "core/kernels/int_tiles/run.h"
#include "core/kernels/quantized/range_factors.h"
#include "core/kernels/recurrent/integers.h"

namespace anydim {

namespace {

class IntegerLayer : RecurrentStates {
 public:
  IntegerLayer(const IntegerFunctions& f, const IntegerPlan& plan, const Args& args) noexcept
      : RecurrentStates(f.cells, plan.at, args),
        f_(f),
        engine_(f.engine),
        plan_(plan),
        sizes_(f.engine, n_),
        convert_(f.convert(DType::f32, DType::u8)) {}

  void run() noexcept {
    if (n_.batch == 0 || n_.hidden == 0) return;
    prepare();
    for (int64_t first = 0; first < n_.steps; first += plan_.steps) {
      const int64_t count = std::min(plan_.steps, n_.steps - first);
      multiply_inputs(first, count);
      if (plan_.shared) {
        for (int64_t i = 0; i < count; ++i) step_together(first, count, i);
        continue;
      }
      args_.parallel.run(n_.directions * plan_.parts, [&](int64_t task, int worker) {
        const int64_t d = task / plan_.parts, part = task % plan_.parts;
        const Rows rows{part_begin(n_.batch, plan_.parts, part), part_begin(n_.batch, plan_.parts, part + 1)};
        for (int64_t i = 0; i < count; ++i) {
          const Step step = step_of(d, first, count, i, rows);
          make_quantized(step, worker);
          multiply_state(step, 0, 1);
          finish(step, cell_rows(step, sums_of(step), sizes_.columns));
        }
      });
    }
    store_states();
  }

 private:
  // A row in the making: real numbers side by side, then bytes.
  struct RowMemory {
    float* reals;
    std::byte* bytes;
  };

  int32_t* whole(int64_t place) const noexcept { return reinterpret_cast<int32_t*>(scratch_ + place); }
  template <class T> T* columns_of(IntegerColumns array, int64_t d) const noexcept {
    return reinterpret_cast<T*>(scratch_ + plan_.at.columns) + (array * n_.directions + d) * sizes_.padded;
  }
  std::byte* worker_memory(int worker) const noexcept { return scratch_ + plan_.at.workers + worker * plan_.worker_bytes; }
  RowMemory row_memory(int worker) const noexcept {
    std::byte* const end = worker_memory(worker) + plan_.worker_bytes;
    return {reinterpret_cast<float*>(end - integer_row_bytes(n_)), end - round_up(std::max(n_.inputs, n_.hidden), INT64_C(64))};
  }
  float* sums_of(const Step& s) const noexcept { return floats(plan_.at.sums) + (s.d * n_.batch + s.rows.begin) * sizes_.columns; }

  void prepare() noexcept {
    const TensorView &w = args_.in[Recurrent::kInputWeights], &r = args_.in[Recurrent::kRecurrentWeights];
    if (args_.packs(Recurrent::kInputWeights)) {
      for (const IntegerPiece p : {kInputBytes, kInputSums, kStateBytes, kStateSums}) pieces_[p] = args_.weights->piece<std::byte>(p);
    } else {
      std::byte* const at = scratch_ + plan_.at.panels;
      const int64_t bytes = n_.directions * (sizes_.input_bytes + sizes_.state_bytes);
      std::byte* const made[] = {at, at + bytes, at + n_.directions * sizes_.input_bytes, at + bytes + n_.directions * sizes_.padded * 4};
      make_integer_panels(engine_, n_, w, r, args_.parallel, made);
      std::copy(std::begin(made), std::end(made), pieces_);
    }
    const RangeFactors x = range_factors(range_of_inputs());
    x_scale_ = x.scale, x_zero_ = x.zero;
    for (int64_t d = 0; d < n_.directions; ++d) prepare_columns(d);
    std::memset(scratch_ + plan_.at.numbers, 0, static_cast<size_t>(n_.directions * n_.batch * sizes_.state_steps * kIntStepBytes));
    prepare_states();
  }

  Extremes range_of_inputs() const noexcept {
    const TensorView& x = args_.in[Recurrent::kX];
    Extremes all;
    for (int64_t t = 0; t < n_.steps; ++t) {
      const Extremes e = f_.range({x.as<const float>() + t * x.strides[0], n_.batch, n_.inputs, x.strides[1], x.strides[2]});
      if (std::isnan(e.low)) return e;
      all.low = std::min(all.low, e.low);
      all.high = std::max(all.high, e.high);
    }
    return all;
  }

  // Zero points of the weights as packed; whether one is not 0.
  bool take_zeros(Recurrent::Input input, DType dtype, int64_t d, int32_t* to) const noexcept {
    const int32_t moved = dtype == DType::u8 ? engine_.w_shift : 0;
    int32_t any = 0;
    for (int64_t n = 0; n < sizes_.columns; ++n) {
      int32_t zero = 0;
      if (has(input)) {
        const TensorView& z = args_.in[input];
        const int64_t at = d * z.strides[0] + n * z.strides[1];
        zero = dtype == DType::u8 ? int32_t{z.as<const uint8_t>()[at]} : int32_t{z.as<const int8_t>()[at]};
      }
      any |= to[n] = zero - moved;
    }
    return any != 0;
  }

  void prepare_columns(int64_t d) noexcept {
    for (int array = 0; array < kColumnArrays; ++array)
      std::fill_n(columns_of<int32_t>(static_cast<IntegerColumns>(array), d), sizes_.padded, 0);
    const auto less_zeros = [&](IntegerPiece sums, const int32_t* zeros, int64_t k, auto take) {
      const auto* const sum = reinterpret_cast<const int32_t*>(pieces_[sums]) + d * sizes_.padded;
      for (int64_t n = 0; n < sizes_.columns; ++n)
        take(n, static_cast<uint32_t>(sum[n]) - static_cast<uint32_t>(k) * static_cast<uint32_t>(zeros[n]));
    };
    auto *const input_zero = columns_of<int32_t>(kInputZero, d), *const state_zero = columns_of<int32_t>(kStateZero, d);
    input_zeros_ = take_zeros(Recurrent::kInputZeros, args_.in[Recurrent::kInputWeights].dtype, d, input_zero) || input_zeros_;
    state_zeros_ = take_zeros(Recurrent::kRecurrentZeros, args_.in[Recurrent::kRecurrentWeights].dtype, d, state_zero) || state_zeros_;
    auto *const offset = columns_of<int32_t>(kInputOffset, d), *const state_sum = columns_of<int32_t>(kStateSum, d);
    less_zeros(kInputSums, input_zero, n_.inputs,
               [&](int64_t n, uint32_t sum) { offset[n] = static_cast<int32_t>(0 - static_cast<uint32_t>(x_zero_) * sum); });
    less_zeros(kStateSums, state_zero, n_.hidden, [&](int64_t n, uint32_t sum) { state_sum[n] = static_cast<int32_t>(sum); });
    auto *const input_scale = columns_of<float>(kInputScale, d), *const state_scale = columns_of<float>(kStateScale, d);
    const TensorView &w = args_.in[Recurrent::kInputScales], &r = args_.in[Recurrent::kRecurrentScales];
    for (int64_t n = 0; n < sizes_.columns; ++n) {
      input_scale[n] = x_scale_ * w.as<const float>()[d * w.strides[0] + n * w.strides[1]];
      state_scale[n] = r.as<const float>()[d * r.strides[0] + n * r.strides[1]];
    }
    if (!has(Recurrent::kBias)) return;
    const TensorView& b = args_.in[Recurrent::kBias];
    const auto bias = [&](int64_t i) { return b.as<const float>()[d * b.strides[0] + i * b.strides[1]]; };
    for (int64_t n = 0; n < sizes_.columns; ++n) columns_of<float>(kInputBias, d)[n] = bias(n) + bias(sizes_.columns + n);
  }

  // k real numbers as a row of numbers, what fills it up is 0.
  void make_row(const float* x, int64_t x_step, int64_t k, int64_t steps, float scale, float zero, const RowMemory& memory,
                std::byte* to) const noexcept {
    if (x_step != 1) {
      for (int64_t i = 0; i < k; ++i) memory.reals[i] = x[i * x_step];
      x = memory.reals;
    }
    const bool bytes = engine_.per_step == kIntStepBytes;
    std::byte* const numbers = bytes ? to : memory.bytes;
    if (bytes) std::memset(to + k, 0, static_cast<size_t>(steps * kIntStepBytes - k));
    convert_({numbers, x, k, {}, {}, {&scale, 0}, {&zero, 0}});
    if (bytes) return;
    IntGather gather;
    gather.channels = k;
    gather.steps = steps;
    engine_.gather(gather, {numbers, {0, 0, 0}}, to);
  }

  IntBlock block_of(IntegerPiece panels, int64_t d, int64_t steps, int64_t panel_begin, int64_t panel_end) const noexcept {
    IntBlock b;
    b.steps = steps;
    b.panels = pieces_[panels] + d * (panels == kInputBytes ? sizes_.input_bytes : sizes_.state_bytes);
    b.columns = sizes_.columns;
    b.panel_begin = panel_begin;
    b.panel_end = panel_end;
    b.program = &nothing_;
    return b;
  }

  // The sums of the inputs for these steps of each direction, with the bias.
  void multiply_inputs(int64_t first, int64_t count) noexcept {
    const int64_t rows = count * n_.batch, panels = IntEngine::panels(sizes_.columns), blocks = ceil_div(rows, plan_.block_rows);
    const int64_t parts = int_column_parts(panels, n_.directions * blocks, args_.parallel.threads());
    args_.parallel.run(n_.directions * blocks * parts, [&](int64_t task, int worker) {
      const int64_t part = task % parts, begin = task / parts % blocks * plan_.block_rows, d = task / parts / blocks;
      multiply_input_rows(d, first_step(d, first, count), begin, std::min(plan_.block_rows, rows - begin), part_begin(panels, parts, part),
                          part_begin(panels, parts, part + 1), worker);
    });
  }
  // Of rows [begin, begin + rows) from the step `first` on.
  void multiply_input_rows(int64_t d, int64_t first, int64_t begin, int64_t rows, int64_t panel_begin, int64_t panel_end,
                           int worker) noexcept {
    const TensorView& x = args_.in[Recurrent::kX];
    const int64_t row_bytes = sizes_.input_steps * kIntStepBytes;
    auto* const row_sums = reinterpret_cast<int32_t*>(worker_memory(worker));
    std::byte* const numbers = worker_memory(worker) + round_up(plan_.block_rows * 4, INT64_C(64));
    const std::byte* a[kIntBlockRows];
    std::byte* dst[kIntBlockRows];
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t t = first + (begin + r) / n_.batch, b = (begin + r) % n_.batch;
      make_row(x.as<const float>() + t * x.strides[0] + b * x.strides[1], x.strides[2], n_.inputs, sizes_.input_steps, x_scale_, x_zero_,
               row_memory(worker), numbers + r * row_bytes);
      a[r] = numbers + r * row_bytes;
      dst[r] = reinterpret_cast<std::byte*>(floats(plan_.at.given) + (d * plan_.steps * n_.batch + begin + r) * sizes_.columns);
    }
    IntBlock block = block_of(kInputBytes, d, sizes_.input_steps, panel_begin, panel_end);
    block.rows = static_cast<int32_t>(rows);
    block.from = IntSource::of_rows(a);
    block.dst = dst;
    block.column.offset = columns_of<int32_t>(kInputOffset, d);
    block.column.scale = block.column.out_scale = block.column.out_zero = columns_of<float>(kInputScale, d);
    if (has(Recurrent::kBias)) block.column.bias = columns_of<float>(kInputBias, d);
    if (input_zeros_) {
      engine_.sum_rows(a, block.rows, sizes_.input_steps, row_sums);
      block.row_sums = row_sums;
      block.column.zero = columns_of<int32_t>(kInputZero, d);
    }
    engine_.run(block);
  }

  Step step_of(int64_t d, int64_t first, int64_t count, int64_t i, Rows rows) noexcept {
    const int64_t at = reverse(d) ? count - 1 - i : i;
    Step s = step_at(d, first_step(d, first, count) + at, rows);
    s.given = floats(plan_.at.given) + ((d * plan_.steps + at) * n_.batch + rows.begin) * sizes_.columns;
    return s;
  }

  // The states of a step's rows as numbers, each row by its range.
  void make_quantized(const Step& s, int worker) noexcept {
    for (int64_t b = s.rows.begin; b < s.rows.end; ++b) {
      const int64_t row = s.d * n_.batch + b;
      const float* const h = floats(plan_.at.h) + row * n_.hidden;
      const RangeFactors f = range_factors(f_.range({h, 1, n_.hidden, 0, 1}));
      floats(plan_.at.scales)[row] = f.scale;
      whole(plan_.at.zeros)[row] = static_cast<int32_t>(f.zero);
      std::byte* const to = scratch_ + plan_.at.numbers + row * sizes_.state_steps * kIntStepBytes;
      make_row(h, 1, n_.hidden, sizes_.state_steps, f.scale, f.zero, row_memory(worker), to);
      if (state_zeros_) {
        const std::byte* const rows[] = {to};
        engine_.sum_rows(rows, 1, sizes_.state_steps, whole(plan_.at.row_sums) + row);
      }
    }
  }

  // Of a part of the panels.
  void multiply_state(const Step& s, int64_t part, int64_t parts) const noexcept {
    const int64_t panels = IntEngine::panels(sizes_.columns);
    IntBlock block = block_of(kStateBytes, s.d, sizes_.state_steps, part_begin(panels, parts, part), part_begin(panels, parts, part + 1));
    if (block.panel_begin == block.panel_end) return;
    const std::byte* a[kIntBlockRows];
    std::byte* dst[kIntBlockRows];
    block.from = IntSource::of_rows(a);
    block.dst = dst;
    block.exact = true;
    block.result = DType::i32;
    block.column.offset = columns_of<int32_t>(kNoOffset, s.d);
    const int64_t rows = s.rows.end - s.rows.begin, row = s.d * n_.batch + s.rows.begin;
    for (int64_t first = 0; first < rows; first += kIntBlockRows) {
      block.rows = static_cast<int32_t>(std::min<int64_t>(kIntBlockRows, rows - first));
      for (int32_t r = 0; r < block.rows; ++r) {
        a[r] = scratch_ + plan_.at.numbers + (row + first + r) * sizes_.state_steps * kIntStepBytes;
        dst[r] = reinterpret_cast<std::byte*>(sums_of(s) + (first + r) * sizes_.columns);
      }
      engine_.run(block);
    }
    const int64_t begin = block.panel_begin * kIntColumns, end = std::min(block.panel_end * kIntColumns, sizes_.columns);
    NumberRows real{};
    real.rows = rows;
    real.columns = end - begin;
    real.sums = sums_of(s) + begin;
    real.sums_step = real.given_step = sizes_.columns;
    real.zero = whole(plan_.at.zeros) + row;
    real.scale = floats(plan_.at.scales) + row;
    real.column_sum = columns_of<int32_t>(kStateSum, s.d) + begin;
    if (state_zeros_) real.column_zero = columns_of<int32_t>(kStateZero, s.d) + begin, real.row_sums = whole(plan_.at.row_sums) + row;
    real.column_scale = columns_of<float>(kStateScale, s.d) + begin;
    real.given = s.given + begin;
    cells_.real_sums(real);
  }

  // Step i of each direction, its columns on all threads.
  void step_together(int64_t first, int64_t count, int64_t i) noexcept {
    Step steps[2];
    for (int64_t d = 0; d < n_.directions; ++d) {
      steps[d] = step_of(d, first, count, i, {0, n_.batch});
      make_quantized(steps[d], 0);
    }
    const int64_t parts = ceil_div(args_.parallel.threads(), n_.directions);
    args_.parallel.run(n_.directions * parts, [&](int64_t task, int) { multiply_state(steps[task / parts], task % parts, parts); });
    for (int64_t d = 0; d < n_.directions; ++d) finish(steps[d], cell_rows(steps[d], sums_of(steps[d]), sizes_.columns));
  }

  const IntegerFunctions& f_;
  const IntEngine& engine_;
  const IntegerPlan& plan_;
  const IntegerSizes sizes_;
  const ConvertFunction convert_;
  const std::byte* pieces_[4] = {};
  float x_scale_ = 1.f, x_zero_ = 0.f;
  bool input_zeros_ = false, state_zeros_ = false;
  EpilogueProgram nothing_;
};

}  // namespace

void run_integer_recurrent(const IntegerFunctions& functions, const IntegerPlan& plan, const Args& args) noexcept {
  IntegerLayer(functions, plan, args).run();
}

}  // namespace anydim
