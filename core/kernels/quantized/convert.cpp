// SPDX-License-Identifier: Apache-2.0
// Casts with scales and zero points: numbers to the real numbers that they stand for, real numbers to numbers, and from one scale to
// another. docs/numerics.md, section 1. The reference takes any dtypes and strides; the others take runs of elements side by side
// and read factors as f32.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/kernels/copy/copy_core.h"
#include "core/kernels/eltwise/elements.h"
#include "core/kernels/eltwise/loop_nest.h"
#include "core/kernels/quantized/convert_rows.h"
#include "core/kernels/quantized/quantized.h"
#include "core/kernels/sets.h"
#include "core/ops/quantization.h"

namespace anydim {

namespace {

enum { kInScale, kInZero, kOutScale, kOutZero, kFactors };

// The scales and zero points of a call as tensors that broadcast to its result; without data where they are not given.
struct FactorViews {
  TensorView view[kFactors];
  FactorViews(const Args& args) noexcept {  // NOLINT(google-explicit-constructor)
    const Quantization& q = *args.quantization;
    const TensorView* next = args.post_in.data() + args.post_ops->operands();
    const int rank = args.out[0].rank();
    for (int i = 0; i < kFactors; ++i) {
      const int operand = i < kOutScale ? 0 : Quantization::kResult;
      const bool scale = i % 2 == 0;
      const Quantization::Factors& f = scale ? q.scale[operand] : q.zero_point[operand];
      if (!f.present()) continue;
      TensorView& v = view[i];
      v.dims = Dims::filled(rank, 1);
      v.strides = Strides::filled(rank, 0);
      v.dtype = DType::f32;
      int64_t step = 1;
      if (f.from == Quantization::Factors::From::operand) {
        v.dtype = next->dtype;
        v.data = next->data;
        step = next->rank() == 0 ? 0 : next->strides[0];
        ++next;
      } else {
        v.data = const_cast<float*>(f.values.data());
      }
      if (f.axis >= 0) v.dims[f.axis] = args.out[0].dims[f.axis], v.strides[f.axis] = step;
    }
  }
};

float value_at(const std::byte* p, DType t) noexcept {
  float v = 0;
  visit_dtype(t, [&](auto tag) { v = static_cast<float>(load_element<decltype(tag)>(p)); });
  return v;
}

class ConvertReference final : public HostKernel {
 public:
  const char* name() const noexcept override { return "cast.quantized.reference"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    return p.post_ops->count == 0 ? yes() : no("post-ops are not fused into this operator");
  }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override {
    const FactorViews factors(args);
    const Dims& dims = args.out[0].dims;
    const DType from = args.in[0].dtype, to = args.out[0].dtype;
    Walker w[2 + kFactors] = {walker(args.out[0], dims), walker(args.in[0], dims)};
    for (int i = 0; i < kFactors; ++i)
      if (factors.view[i].data != nullptr) w[2 + i] = walker(factors.view[i], dims);
    const auto factor = [&](int i) { return value_at(w[2 + i].at, factors.view[i].dtype); };
    const auto has = [&](int i) { return factors.view[i].data != nullptr; };
    const std::vector<float>& table = args.quantization->table;
    for_each_element(dims, w, [&] {
      float y = table.empty() ? value_at(w[1].at, from) : table[static_cast<size_t>(*w[1].at)];
      if (has(kInZero)) y = y - factor(kInZero);  // exact: both are whole numbers of at most 16 bits
      if (has(kInScale)) y = y * factor(kInScale);
      if (has(kOutScale)) y = y / factor(kOutScale);
      if (dtype_is_float(to)) {
        visit_dtype(to, [&](auto tag) { store_element<decltype(tag)>(w[0].at, convert<decltype(tag)>(y)); });
        return;
      }
      y = std::nearbyint(y);
      if (has(kOutZero)) y = y + factor(kOutZero);
      visit_dtype(to, [&](auto tag) { store_element<decltype(tag)>(w[0].at, convert<decltype(tag)>(y)); });  // saturates; NaN gives 0
    });
    return {};
  }

 private:
  KernelKey key_{.op = OpKind::cast, .src = DType::none, .dst = DType::none, .quantized = true};
};

class ConvertRows final : public HostKernel {
 public:
  // With AVX-512 tables are looked up with VBMI where the CPU has it: no kernel stands or falls with that.
  ConvertRows(const char* name, Isa isa, ConvertFunctions::Function* rows, const CopyCore& copy) noexcept
      : name_(name),
        key_{.op = OpKind::cast, .src = DType::none, .dst = DType::none, .isa = isa, .quantized = true},
        rows_(rows),
        look_up_(find_part<LookUp>(isa.includes(Isa::avx512) ? cpu().usable : isa)),
        copy_(copy) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override {
    if (p.post_ops->count > 0) return no("post-ops are not fused into this operator");
    if (rows_(p.in[0].dtype, p.out[0].dtype) == nullptr) return no("there are no rows for these dtypes");
    return yes();
  }
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = factor_bytes(*args.quantization, args.out[0].dims); }
  int64_t scratch_bound(const Problem& p, std::span<const Dims>, std::span<const Dims> out, int) const noexcept override {
    return factor_bytes(*p.quantization, out[0]);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    if (!args.quantization->table.empty()) return look_up(args);
    FactorViews factors(args);
    if (args.out[0].count() == 0) return {};
    float single[kFactors];  // zero points that come with the call, as f32
    auto* along_axis = static_cast<float*>(args.scratch);
    for (int i = 0; i < kFactors; ++i) {
      TensorView& v = factors.view[i];
      if (v.data == nullptr) v.data = single, v.dims = {}, v.strides = {}, v.dtype = DType::none;
      else if (v.dtype != DType::f32) {
        float* to = &single[i];
        int axis = 0;
        while (axis < v.rank() && v.strides[axis] == 0) ++axis;
        const int64_t count = axis < v.rank() ? v.dims[axis] : 1, step = axis < v.rank() ? v.strides[axis] : 0;
        if (count > 1) to = std::exchange(along_axis, along_axis + padded(count));
        for (int64_t k = 0; k < count; ++k)
          to[k] = value_at(static_cast<const std::byte*>(v.data) + k * step * dtype_size(v.dtype), v.dtype);
        if (axis < v.rank()) v.strides[axis] = 1;
        v.data = to;
        v.dtype = DType::f32;
      }
    }
    const TensorView in[3] = {args.in[0], factors.view[0], factors.view[1]};
    LoopNest nest;
    if (!make_loop_nest(args.out[0], in, {&factors.view[2], 2}, &nest)) return {};
    const ConvertFunction row = rows_(args.in[0].dtype, args.out[0].dtype);
    const int64_t out_bytes = dtype_size(args.out[0].dtype), in_bytes = dtype_size(args.in[0].dtype);
    const int last = nest.rank - 1, second = nest.rank - 2;
    run_loop_nest(nest, args.parallel, kElementsPerTask, [&](const LoopBlock& at) {
      if (turned(nest, factors, at, args, row)) return;
      for (int64_t r = 0; r < at.rows; ++r) {
        const auto element = [&](int o) { return at.offsets[o] + r * nest.strides[o][second]; };
        ConvertRow run{static_cast<std::byte*>(args.out[0].data) + element(0) * out_bytes,
                       static_cast<const std::byte*>(args.in[0].data) + element(1) * in_bytes,
                       at.columns,
                       {},
                       {},
                       {},
                       {}};
        RowFactor* const to[kFactors] = {&run.in_scale, &run.in_zero, &run.out_scale, &run.out_zero};
        const int64_t out_step = nest.strides[0][last], in_step = nest.strides[1][last];
        bool apart = out_step != 1 || in_step != 1, factors_apart = false;
        for (int i = 0; i < kFactors; ++i) {
          if (factors.view[i].dtype == DType::none) continue;
          const int64_t step = nest.strides[2 + i][last];
          *to[i] = {static_cast<const float*>(factors.view[i].data) + element(2 + i), step};
          factors_apart = factors_apart || step > 1;
        }
        apart = apart || factors_apart;
        if (!apart || at.columns == 1) {
          row(run);
          continue;
        }
        // Elements that are apart are brought together; those whose factors are, too, go one by one.
        if (!factors_apart) {
          alignas(64) std::byte together[2][kTogether * sizeof(uint32_t)];
          for (int64_t c = 0, n; c < at.columns; c += n) {
            n = std::min(kTogether, at.columns - c);
            ConvertRow part = run;
            part.n = n;
            for (RowFactor* f : {&part.in_scale, &part.in_zero, &part.out_scale, &part.out_zero})
              if (f->at != nullptr) f->at += c * f->step;
            part.in = static_cast<const std::byte*>(run.in) + c * in_step * in_bytes;
            part.out = static_cast<std::byte*>(run.out) + c * out_step * out_bytes;
            void* const to_elements = part.out;
            if (in_step != 1) copy_apart(together[0], 1, part.in, in_step, n, in_bytes), part.in = together[0];
            if (out_step != 1) part.out = together[1];
            row(part);
            if (out_step != 1) copy_apart(to_elements, out_step, together[1], 1, n, out_bytes);
          }
          continue;
        }
        ConvertRow one = run;
        one.n = 1;
        for (int64_t c = 0; c < at.columns; ++c) {
          one.out = static_cast<std::byte*>(run.out) + c * nest.strides[0][last] * out_bytes;
          one.in = static_cast<const std::byte*>(run.in) + c * nest.strides[1][last] * in_bytes;
          RowFactor* const mine[kFactors] = {&one.in_scale, &one.in_zero, &one.out_scale, &one.out_zero};
          for (int i = 0; i < kFactors; ++i)
            if (to[i]->at != nullptr) *mine[i] = {to[i]->at + c * to[i]->step, 0};
          row(one);
        }
      }
    });
    return {};
  }

 private:
  static constexpr int64_t kElementsPerTask = 32 << 10, kTogether = 256;
  // Elements of a tile, its columns at least, and rows and columns from which on tiles are faster.
  static constexpr int64_t kTurned = 4096, kTurnedColumns = 16, kLeastTurned = 4;

  template <class T> static void copy_apart(void* to, int64_t to_step, const void* from, int64_t from_step, int64_t n) noexcept {
    for (int64_t i = 0; i < n; ++i) static_cast<T*>(to)[i * to_step] = static_cast<const T*>(from)[i * from_step];
  }
  static void copy_apart(void* to, int64_t to_step, const void* from, int64_t from_step, int64_t n, int64_t bytes) noexcept {
    if (bytes == 1) copy_apart<uint8_t>(to, to_step, from, from_step, n);
    else if (bytes == 2) copy_apart<uint16_t>(to, to_step, from, from_step, n);
    else copy_apart<uint32_t>(to, to_step, from, from_step, n);
  }

  // A block whose rows lie side by side in the input and whose columns do in the result, as between planes of channels and channels
  // last: in tiles, which are transposed where the elements have four bytes, before or behind the conversion. False: it is no such block.
  bool turned(const LoopNest& nest, const FactorViews& factors, const LoopBlock& at, const Args& args, ConvertFunction row) const noexcept {
    const int last = nest.rank - 1, second = nest.rank - 2;
    const int64_t out_bytes = dtype_size(args.out[0].dtype), in_bytes = dtype_size(args.in[0].dtype);
    const bool wide_out = out_bytes == 4;
    if (nest.strides[0][last] != 1 || nest.strides[1][second] != 1 || nest.strides[1][last] == 1 || at.rows < kLeastTurned ||
        at.columns < kLeastTurned || (!wide_out && in_bytes != 4))
      return false;
    // Runs go along the input's rows where the result is transposed, else along the result's.
    const int along = wide_out ? second : last;
    bool single = true;
    for (int i = 0; i < kFactors; ++i) {
      if (factors.view[i].dtype == DType::none) continue;
      if (nest.strides[2 + i][along] != 0 && nest.strides[2 + i][along] != 1) return false;
      single = single && nest.strides[2 + i][along] == 0 && nest.strides[2 + i][wide_out ? last : second] == 0;
    }
    const int64_t tile_columns = wide_out ? kTurnedColumns : std::min(at.columns, kTurned / kTurnedColumns);
    const int64_t tile_rows = kTurned / std::max(tile_columns, kTurnedColumns);
    alignas(64) uint32_t tile[kTurned];
    for (int64_t r = 0; r < at.rows; r += tile_rows)
      for (int64_t c = 0; c < at.columns; c += tile_columns) {
        const int64_t rows = std::min(tile_rows, at.rows - r), columns = std::min(tile_columns, at.columns - c);
        const auto element = [&](int o, int64_t i, int64_t j) {
          return at.offsets[o] + (r + i) * nest.strides[o][second] + (c + j) * nest.strides[o][last];
        };
        const std::byte* const from = static_cast<const std::byte*>(args.in[0].data) + element(1, 0, 0) * in_bytes;
        std::byte* const to = static_cast<std::byte*>(args.out[0].data) + element(0, 0, 0) * out_bytes;
        const int64_t in_step = nest.strides[1][last], out_step = nest.strides[0][second];
        const auto convert = [&](void* result, const void* numbers, int64_t n, int64_t i, int64_t j) {
          ConvertRow run{result, numbers, n, {}, {}, {}, {}};
          RowFactor* const of[kFactors] = {&run.in_scale, &run.in_zero, &run.out_scale, &run.out_zero};
          for (int f = 0; f < kFactors; ++f)
            if (factors.view[f].dtype != DType::none)
              *of[f] = {static_cast<const float*>(factors.view[f].data) + element(2 + f, i, j), nest.strides[2 + f][along]};
          row(run);
        };
        if (wide_out) {
          for (int64_t j = 0; j < columns; ++j) convert(tile + j * tile_rows, from + j * in_step * in_bytes, rows, 0, j);
          transpose(tile, tile_rows, reinterpret_cast<uint32_t*>(to), out_step, columns, rows);
          continue;
        }
        transpose(reinterpret_cast<const uint32_t*>(from), in_step, tile, columns, columns, rows);
        if (single && out_step == columns) convert(to, tile, rows * columns, 0, 0);
        else
          for (int64_t i = 0; i < rows; ++i) convert(to + i * out_step * out_bytes, tile + i * columns, columns, i, 0);
      }
    return true;
  }
  // to[c * to_step + r] = from[r * from_step + c].
  void transpose(const uint32_t* from, int64_t from_step, uint32_t* to, int64_t to_step, int64_t rows, int64_t columns) const noexcept {
    if (copy_.transpose4 != nullptr) return copy_.transpose4(from, from_step, to, to_step, rows, columns);
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = 0; r < rows; ++r) to[c * to_step + r] = from[r * from_step + c];
  }

  static constexpr int64_t padded(int64_t count) noexcept { return (count + 15) / 16 * 16; }
  // Of zero points along an axis that come with the call, as f32.
  static int64_t factor_bytes(const Quantization& q, const Dims& out) noexcept {
    int64_t bytes = 0;
    for (const int o : {0, Quantization::kResult})
      for (const Quantization::Factors* f : {&q.scale[o], &q.zero_point[o]})
        if (f->from == Quantization::Factors::From::operand && f->axis >= 0)
          bytes += padded(out[f->axis]) * static_cast<int64_t>(sizeof(float));
    return bytes;
  }
  template <class To> void look_up(const Args& args, const To (&table)[Quantization::kTable]) const noexcept {
    LoopNest nest;
    if (!make_loop_nest(args.out[0], args.in, {}, &nest)) return;
    const int last = nest.rank - 1, second = nest.rank - 2;
    run_loop_nest(nest, args.parallel, kElementsPerTask, [&](const LoopBlock& at) {
      const int64_t to_step = nest.strides[0][last], from_step = nest.strides[1][last];
      for (int64_t r = 0; r < at.rows; ++r) {
        To* to = args.out[0].as<To>() + at.offsets[0] + r * nest.strides[0][second];
        const uint8_t* from = static_cast<const uint8_t*>(args.in[0].data) + at.offsets[1] + r * nest.strides[1][second];
        if (sizeof(To) == 1 && to_step == 1 && from_step == 1) {
          look_up_(reinterpret_cast<const uint8_t*>(table), from, reinterpret_cast<uint8_t*>(to), at.columns);
          continue;
        }
        for (int64_t c = 0; c < at.columns; ++c) to[c * to_step] = table[from[c * from_step]];
      }
    });
  }
  Status look_up(const Args& args) const noexcept {
    const std::vector<float>& from = args.quantization->table;
    const auto fill = [&](auto* table) {
      for (size_t i = 0; i < Quantization::kTable; ++i) table[i] = static_cast<std::remove_reference_t<decltype(*table)>>(from[i]);
    };
    if (args.out[0].dtype == DType::f32) {
      float table[Quantization::kTable];
      fill(table);
      look_up(args, table);
    } else if (args.out[0].dtype == DType::u8) {
      uint8_t table[Quantization::kTable];
      fill(table);
      look_up(args, table);
    } else {
      int8_t table[Quantization::kTable];
      fill(table);
      look_up(args, table);
    }
    return {};
  }

  const char* name_;
  KernelKey key_;
  ConvertFunctions::Function* rows_;
  LookUp::Function* look_up_;
  const CopyCore& copy_;
};

}  // namespace

KernelList convert_kernels() noexcept {
  static const KernelsOfSets<"cast.quantized", ConvertRows, ConvertFunctions, CopyCore> rows;
  static const ConvertReference reference;
  static const auto all = kernel_list(rows, kept<"cast.quantized.reference", reference>());
  return all;
}

}  // namespace anydim
