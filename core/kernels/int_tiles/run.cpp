// SPDX-License-Identifier: Apache-2.0
// Shared parts of the integer kernels; see run.h.
#include "core/kernels/int_tiles/run.h"

#include <algorithm>
#include <cmath>

#include "core/kernels/eltwise/functions.h"
#include "core/ops/check.h"

namespace anydim {

namespace {

bool is_8_bit(DType t) noexcept { return t == DType::i8 || t == DType::u8; }

}  // namespace

Support int_supports(const Problem& p) noexcept {
  if (!is_8_bit(p.in[0].dtype) || !is_8_bit(p.in[1].dtype)) return no("inputs 0 and 1 are not both of 8 bits");
  const DType to = p.out[0].dtype;
  if (to != DType::f32 && to != DType::i32 && !is_8_bit(to)) return no("the result is not f32, i32, i8 or u8");
  Problem chain = p;
  chain.post_in = p.post_in.first(static_cast<size_t>(p.post_ops->operands()));
  return supports_post_ops(chain);
}

Support int_supports_convolution(const Problem& p) noexcept {
  for (const auto* f : {&p.quantization->scale[Quantization::kResult], &p.quantization->zero_point[Quantization::kResult]})
    if (f->axis >= 0 && f->axis != 1) return no("the result has scales along another axis than its channels");
  return int_supports(p);
}

int64_t int_depthwise_taps(const Dims& w) noexcept { return w[0] > 0 ? element_count(w) / w[0] : 0; }

Support int_supports_depthwise(const Problem& p, int most_spatial, int64_t most_taps) noexcept {
  const Quantization& q = *p.quantization;
  if (q.scale[0].axis >= 0 || q.zero_point[0].axis >= 0) return no("input 0 has scales or zero points along an axis");
  if (!all_numbers(p.in[1].dims)) return no("the weights' dims are not known");
  const Dims w = numbers(p.in[1].dims);
  const auto& at = as<Convolution>(*p.op)->get();
  if (at.group == 1 || w[1] != 1 || w[0] != at.group) return no("it is not depthwise");
  if (at.spatial > most_spatial) return no("there are three spatial axes");
  if (int_depthwise_taps(w) > most_taps) return no("the kernel has more taps than its sums have room for");
  if (q.zero_point[1].from == Quantization::Factors::From::operand) return no("the weights' zero points come with the call");
  return int_supports_convolution(p);
}

bool int_packs_as_i8(const Problem& p) noexcept {
  const Quantization::Factors& zero = p.quantization->zero_point[1];
  const float centre = p.in[1].dtype == DType::u8 ? 128.f : 0.f;
  bool fits = zero.present() || centre == 0.f;
  for (const float z : zero.values) fits = fits && z == centre;
  return fits;
}

IntFactors::IntFactors(const Args& args) noexcept {
  const Quantization& q = *args.quantization;
  const TensorView* next = args.post_in.data() + args.post_ops->operands();
  for (int o = 0; o < Quantization::kOperands; ++o)
    for (const bool is_scale : {true, false}) {
      const Quantization::Factors& f = is_scale ? q.scale[o] : q.zero_point[o];
      if (!f.present()) continue;
      One& one = (is_scale ? scale : zero)[o];
      one.factors = &f;
      if (f.from == Quantization::Factors::From::operand) one.tensor = next++;
    }
}

float IntFactors::One::at(int64_t i) const noexcept {
  if (factors->axis < 0) i = 0;
  if (tensor == nullptr) return factors->values[static_cast<size_t>(i)];
  const int64_t at = tensor->rank() == 0 ? 0 : i * tensor->strides[0];
  switch (tensor->dtype) {
    case DType::i8: return tensor->as<const int8_t>()[at];
    case DType::u8: return tensor->as<const uint8_t>()[at];
    default: return tensor->as<const float>()[at];
  }
}

IntColumnMemory int_column_memory(void* at, int64_t columns) noexcept {
  const int64_t n = IntEngine::padded(columns);
  auto* const f = static_cast<float*>(at);
  auto* const i = static_cast<int32_t*>(at);
  return {i, i + n, f + 2 * n, f + 3 * n, f + 4 * n, f + 5 * n, f + 6 * n, f + 7 * n, i + 6 * n};
}

bool int_is_exact(const Args& args, const IntFactors& factors) noexcept {
  const bool f32_bias = args.in.size() > 2 && args.in[2].dtype == DType::f32;
  return args.out[0].dtype == DType::i32 && factors.scale[0].factors == nullptr && factors.scale[1].factors == nullptr &&
         args.post_ops->count == 0 && !f32_bias;
}

const std::byte* int_dense_weights(const TensorView& w, std::byte* to) noexcept {
  const auto* const from = static_cast<const std::byte*>(w.data);
  int64_t dense = 1;
  bool is_dense = true;
  for (int i = w.rank() - 1; i >= 0; --i) {
    is_dense = is_dense && (w.dims[i] == 1 || w.strides[i] == dense);
    dense *= w.dims[i];
  }
  if (is_dense) return from;
  Dims at = Dims::filled(w.rank(), 0);
  for (int64_t i = 0, offset = 0; i < dense; ++i) {
    to[i] = from[offset];
    for (int a = w.rank() - 1; a >= 0; --a) {
      offset += w.strides[a];
      if (++at[a] < w.dims[a]) break;
      offset -= w.strides[a] * w.dims[a];
      at[a] = 0;
    }
  }
  return to;
}

int32_t int_outside(const IntEngine& engine, const Args& args, const IntFactors& factors, int64_t row) noexcept {
  const int32_t zero = factors.zero[0].factors == nullptr ? 0 : static_cast<int32_t>(factors.zero[0].at(row));
  return args.in[0].dtype == DType::i8 ? zero + engine.a_shift : zero;
}

void int_fill_columns(const IntColumnTask& t, const IntColumnMemory& memory, IntColumns* column, bool* sums_of_rows) noexcept {
  // One loop for each array: the compiler makes vectors of them, and a layer of few positions costs little else.
  const IntFactors& f = *t.factors;
  const int64_t padded = IntEngine::padded(t.columns), columns = t.columns;
  const bool own_zeros = f.zero[0].per_axis(), one_scale = f.scale[0].factors != nullptr && !f.scale[0].per_axis();
  const auto za = own_zeros ? 0 : static_cast<uint32_t>(int_outside(*t.engine, *t.args, f)), k = static_cast<uint32_t>(t.k);
  const int32_t moved = t.args->in[1].dtype == DType::u8 ? t.engine->w_shift : 0;
  const bool whole_bias = t.c != nullptr && t.c->dtype == DType::i32, real_bias = t.c != nullptr && t.c->dtype == DType::f32;
  const auto fill = [&](const IntFactors::One& from, float absent, float* to) {
    if (from.factors == nullptr || !from.per_axis()) {
      std::fill_n(to, columns, from.factors == nullptr ? absent : from.at(0));
    } else if (from.tensor == nullptr) {
      std::copy_n(from.factors->values.data() + t.first, columns, to);
    } else {
      for (int64_t n = 0; n < columns; ++n) to[n] = from.at(t.first + n);
    }
    std::fill_n(to + columns, padded - columns, absent);
  };
  int32_t any_zero = 0;
  if (t.zero_is_packed || (f.zero[1].factors == nullptr && moved == 0)) {
    std::fill_n(memory.zero, padded, 0);
  } else {
    fill(f.zero[1], 0.f, memory.bias);  // for now
    for (int64_t n = 0; n < columns; ++n) any_zero |= memory.zero[n] = static_cast<int32_t>(memory.bias[n]) - moved;
    std::fill_n(memory.zero + columns, padded - columns, 0);
  }
  std::fill_n(memory.offset, padded, 0);
  if (t.sums != nullptr)
    for (int64_t n = 0; n < columns; ++n)
      memory.offset[n] = static_cast<int32_t>(k * za * static_cast<uint32_t>(memory.zero[n]) - za * static_cast<uint32_t>(t.sums[n]));
  if (own_zeros) {
    for (int64_t n = 0; n < columns; ++n)
      memory.sum[n] = static_cast<int32_t>(static_cast<uint32_t>(t.sums[n]) - k * static_cast<uint32_t>(memory.zero[n]));
    std::fill_n(memory.sum + columns, padded - columns, 0);
    column->sum = memory.sum;
  }
  if (whole_bias) {
    const int32_t* const bias = t.c->as<const int32_t>() + t.first * t.c_step;
    for (int64_t n = 0; n < columns; ++n)
      memory.offset[n] = static_cast<int32_t>(static_cast<uint32_t>(memory.offset[n]) + static_cast<uint32_t>(bias[n * t.c_step]));
  }
  if (real_bias) {
    const float* const bias = t.c->as<const float>() + t.first * t.c_step;
    for (int64_t n = 0; n < columns; ++n) memory.bias[n] = bias[n * t.c_step];
  }
  std::fill_n(memory.bias + columns, padded - columns, 0.f);
  const float a_scale = one_scale ? f.scale[0].at(0) : 1.f;
  fill(f.scale[1], 1.f, memory.scale);
  if (one_scale)
    for (int64_t n = 0; n < padded; ++n) memory.scale[n] = a_scale * memory.scale[n];
  fill(f.scale[2], 1.f, memory.out_scale);
  fill(f.zero[2], 0.f, memory.out_zero);
  column->offset = memory.offset;
  column->zero = any_zero != 0 ? memory.zero : nullptr;
  column->scale = memory.scale;
  column->bias = real_bias ? memory.bias : nullptr;
  column->out_scale = memory.out_scale;
  column->out_zero = memory.out_zero;
  *sums_of_rows = any_zero != 0;
}

int32_t int_absorb_steps(const Epilogue& chain, const IntFactors& factors, int axis, int64_t first, int64_t columns,
                         const IntColumnMemory& memory, IntColumns* column) noexcept {
  int32_t absorbed = 0;
  const auto absorb = [&](BinaryFunction function, float* to) {
    if (absorbed == chain.count) return false;
    const EpilogueStep& s = chain.steps[absorbed];
    if (s.kind == PostOp::Kind::unary || s.binary != function || s.scale != 1.f) return false;
    const EpilogueOperand& operand = chain.operands[s.operand];
    for (int i = 0; i < operand.strides.rank; ++i)
      if (i != axis && operand.strides[i] != 0) return false;
    for (int64_t n = 0; n < columns; ++n) to[n] = operand.data[(first + n) * operand.strides[axis]];
    ++absorbed;
    return true;
  };
  if (column->bias != nullptr) return 0;
  if (factors.scale[0].factors == nullptr && factors.scale[1].factors == nullptr) absorb(BinaryFunction::mul, memory.scale);
  if (absorb(BinaryFunction::add, memory.bias)) column->bias = memory.bias;
  return absorbed;
}

void int_measure_columns(const IntPack& job, int32_t moved, int32_t* magnitudes) noexcept {
  if (job.dtype == DType::i8) moved = 0;
  const auto measure = [&](const auto* w) {
    for (int64_t first = job.panel_begin * kIntColumns; first < job.panel_end * kIntColumns; first += kIntColumns) {
      const int64_t columns = std::clamp<int64_t>(job.columns - first, 0, kIntColumns);
      int64_t total[kIntColumns] = {};
      int32_t zero[kIntColumns];
      for (int64_t n = 0; n < columns; ++n) zero[n] = moved + (job.zero != nullptr ? job.zero[first + n] : 0);
      for (int64_t k = 0, inner = 0, at = first * job.column_step; k < job.k; ++k) {
        const auto* const from = w + at + inner * job.inner_step;
        for (int64_t n = 0; n < columns; ++n) total[n] += std::abs(from[n * job.column_step] - zero[n]);
        if (++inner == job.inner) inner = 0, at += job.outer_step;
      }
      for (int64_t n = 0; n < kIntColumns; ++n) magnitudes[first + n] = static_cast<int32_t>(std::min<int64_t>(total[n], INT32_MAX));
    }
  };
  if (job.dtype == DType::i8) measure(reinterpret_cast<const int8_t*>(job.w));
  else measure(reinterpret_cast<const uint8_t*>(job.w));
}

void int_judge_columns(const Args& args, int64_t k, int64_t columns, int64_t rows, const IntColumnMemory& memory, IntColumns* column,
                       const IntColumnTask* task) noexcept {
  if (!is_8_bit(args.out[0].dtype)) return;
  const float least = args.out[0].dtype == DType::i8 ? -128.f : 0.f, products = static_cast<float>(k) * (255.f * 255.f);
  const bool biased = column->bias != nullptr;
  int32_t wild = 0, above = 0;
  // Loops without a branch become vectors.
  if (!biased) std::fill_n(memory.bias, columns, 0.f);
  const float *const scales = column->scale, *const biases = biased ? column->bias : memory.bias, *const out_scales = column->out_scale;
  for (int64_t n = 0; n < columns; ++n) {
    const float scale = std::abs(scales[n]), bias = std::abs(biases[n]), out_scale = out_scales[n];
    // Below 2^98 no infinity is compared with another.
    const bool fits = scale * 0x1p31f + bias <= out_scale * 0x1p29f, usual = (out_scale > 0.f) & (out_scale < 0x1p98f);
    wild |= static_cast<int32_t>(!(fits & usual));
    above |= static_cast<int32_t>(column->out_zero[n] != least);
  }
  column->tame = wild == 0;
  column->out_zero_is_least = above == 0;
  column->quick = nullptr;
  if (wild != 0 || column->zero != nullptr || rows < kIntQuickRows) return;
  // What a sum and a bias of i32 can be, until the quick numbers are made.
  float* const reach = memory.quick;
  if (task != nullptr && task->magnitudes != nullptr) {
    const float low = args.in[0].dtype == DType::i8 ? -128.f : 0.f;
    const float zero = task->factors->zero[0].factors == nullptr ? 0.f : task->factors->zero[0].at(0);
    const float left = std::max(zero - low, low + 255.f - zero);
    for (int64_t n = 0; n < columns; ++n) reach[n] = static_cast<float>(task->magnitudes[n]) * left;
    if (task->c != nullptr && task->c->dtype == DType::i32)
      for (int64_t n = 0; n < columns; ++n)
        reach[n] += std::abs(static_cast<float>(task->c->as<const int32_t>()[(task->first + n) * task->c_step]));
  } else {
    for (int64_t n = 0; n < columns; ++n) reach[n] = products + std::abs(static_cast<float>(column->offset[n]));
  }
  int32_t hard = 0;
  for (int64_t n = 0; n < columns; ++n) {
    const float scale = std::abs(scales[n]), bias = std::abs(biases[n]), out_scale = out_scales[n];
    const float some = reach[n] > 1.f ? reach[n] : 1.f, most = some < 0x1p31f ? some : 0x1p31f;
    hard |= static_cast<int32_t>(!((scale * most + bias <= out_scale * 0x1p16f) & (out_scale > 0x1p-100f) & (out_scale < 0x1p100f) &
                                   ((scale > 0x1p-100f) | (scale == 0.f))));
  }
  if (hard != 0) return;
  if (biased)
    for (int64_t n = 0; n < columns; ++n) memory.quick[n] = 0x1p14f / column->out_scale[n];
  else
    for (int64_t n = 0; n < columns; ++n) memory.quick[n] = column->scale[n] / column->out_scale[n] * 0x1p14f;
  std::fill_n(memory.quick + columns, IntEngine::padded(columns) - columns, 0.f);
  for (int64_t n = 0; n < IntEngine::padded(columns); ++n) memory.centre[n] = column->out_zero[n] * 0x1p14f + (0x1p13f + 1);
  column->quick = memory.quick;
  column->centre = memory.centre;
}

IntConvolutionCall::IntConvolutionCall(const Args& call, const ConvGeometry& g) noexcept
    : args(call),
      factors(call),
      from(spatial_strides(call.in[0].strides, g.spatial)),
      to(spatial_strides(call.out[0].strides, g.spatial)),
      result_bytes(dtype_size(call.out[0].dtype)) {
  epilogue.append(*args.post_ops, args.post_in.first(static_cast<size_t>(args.post_ops->operands())), args.out[0].dims);
  program.count = epilogue.count;
  program.steps = epilogue.steps;
  program.operand_count = epilogue.operand_count;
  for (int o = 0; o < epilogue.operand_count; ++o) {
    of[o] = spatial_strides(epilogue.operands[o].strides, g.spatial);
    program.walks[o].column_step = of[o].c;
    program.walks[o].by_row = true;
  }
}

IntBlock IntConvolutionCall::block(const IntColumns& column, int64_t columns) const noexcept {
  IntBlock b;
  b.column = column;
  b.columns = columns;
  b.panel_end = IntEngine::panels(columns);
  b.exact = int_is_exact(args, factors);
  b.divides = factors.scale[Quantization::kResult].factors != nullptr;
  b.program = &program;
  b.result = args.out[0].dtype;
  b.dst_column_step = to.c;
  return b;
}

void int_depthwise_columns(const IntEngine& engine, int64_t taps, const int32_t* sums, const int32_t* magnitudes, bool zero_is_packed,
                           void* memory, IntConvolutionCall* call, IntColumns* column) noexcept {
  const Args& args = call->args;
  const IntFactors& factors = call->factors;
  const int64_t channels = args.in[1].dims[0];
  IntFactors scales = factors;
  if (sums == nullptr) scales.zero[0] = {};
  IntColumnTask task;
  task.engine = &engine;
  task.args = &args;
  task.factors = &scales;
  task.k = taps;
  task.columns = channels;
  task.sums = sums;
  task.zero_is_packed = zero_is_packed;
  if (args.in.size() > 2 && args.in[2].dtype != DType::none) task.c = &args.in[2], task.c_step = args.in[2].strides[0];
  bool sums_of_rows = false;
  const IntColumnMemory arrays = int_column_memory(memory, channels);
  int_fill_columns(task, arrays, column, &sums_of_rows);
  const int32_t absorbed = int_absorb_steps(call->epilogue, factors, 1, 0, channels, arrays, column);
  task.factors = &factors;
  task.magnitudes = magnitudes;
  int_judge_columns(args, taps, channels, kIntQuickRows, arrays, column, &task);
  call->program.count -= absorbed;
  call->program.steps += absorbed;
}

int64_t int_block_rows(const IntEngine& engine, int64_t steps, int64_t most, int threads) noexcept {
  const int64_t fit = engine.block_bytes / std::max<int64_t>(steps * kIntStepBytes, 1);
  const int64_t share = ceil_div(most, static_cast<int64_t>(threads)), rows = std::min({fit, share, static_cast<int64_t>(kIntBlockRows)});
  const int64_t tile = share < engine.tile_rows ? kIntTileRows : engine.tile_rows;
  return std::max(round_up(rows, tile), tile);
}

int64_t int_worker_bytes(int64_t steps, int64_t rows) noexcept {
  return round_up(saturating_mul(steps * kIntStepBytes, rows), INT64_C(64)) + round_up(rows * 4, INT64_C(64));
}

int64_t int_worker_bound(const IntEngine& engine, int64_t steps) noexcept {
  constexpr int64_t kAlignment = 3 * 64;
  const int64_t tile_rows = std::max<int64_t>(engine.tile_rows, kIntTileRows);
  return saturating_add(engine.block_bytes + kIntBlockRows * 4 + kAlignment,
                        saturating_mul(tile_rows, saturating_mul(steps, static_cast<int64_t>(kIntStepBytes))));
}

int int_threads(int64_t products, int most) noexcept {
  return static_cast<int>(std::clamp<int64_t>(products / kIntThreadProducts, 1, most));
}

int64_t int_column_parts(int64_t panels, int64_t others, int threads) noexcept {
  if (threads == 1 || others >= 2 * static_cast<int64_t>(threads)) return 1;
  return std::clamp<int64_t>(ceil_div(2 * static_cast<int64_t>(threads), std::max<int64_t>(others, 1)), 1, std::max<int64_t>(panels, 1));
}

}  // namespace anydim
