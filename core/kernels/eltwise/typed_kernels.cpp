// SPDX-License-Identifier: Apache-2.0
// Kernels over the typed rows: a loop nest that hands them runs of elements side by side. Operands that are broadcast or strided
// along a run are laid out in a small buffer first. Where there is no row for a pair of dtypes, or for a function of narrow integers,
// it is computed in several, a piece at a time: integers become wider ones, whose lowest bits are the result.
#include <algorithm>
#include <cstring>

#include "core/kernels/copy/copy_run.h"
#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/eltwise/loop_nest.h"
#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/unary.h"
#include "core/ops/operators/where.h"

namespace anydim {

namespace {

constexpr int64_t kElementsPerTask = 32 << 10;
constexpr int64_t kRun = 1024;  // elements of a run: four buffers of it lie in the first cache

// n times v, by vectors that every x86-64 and aarch64 has.
template <class T> void repeat(T* to, T v, int64_t n) {
  if constexpr (sizeof(T) == 1) {
    std::memset(to, v, static_cast<size_t>(n));
  } else {
    constexpr int64_t kEach = 16 / sizeof(T);
    T all[kEach];
    for (T& one : all) one = v;
    int64_t i = 0;
    for (; i + kEach <= n; i += kEach) std::memcpy(to + i, all, sizeof all);
    for (; i < n; ++i) to[i] = v;
  }
}
// n elements of T from every `stride`-th place, and back.
template <class T> void gather(std::byte* to, const std::byte* from, int64_t stride, int64_t n) {
  auto* t = reinterpret_cast<T*>(to);
  const auto* f = reinterpret_cast<const T*>(from);
  if (stride == 0) {
    repeat(t, *f, n);
  } else if (stride == 1) {
    std::memcpy(t, f, static_cast<size_t>(n) * sizeof(T));
  } else {
    for (int64_t i = 0; i < n; ++i) t[i] = f[i * stride];
  }
}
template <class T> void scatter(std::byte* to, const std::byte* from, int64_t stride, int64_t n) {
  auto* t = reinterpret_cast<T*>(to);
  const auto* f = reinterpret_cast<const T*>(from);
  for (int64_t i = 0; i < n; ++i) t[i * stride] = f[i];
}
template <class F> void by_size(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1: return f(uint8_t{});
    case 2: return f(uint16_t{});
    case 4: return f(uint32_t{});
    default: return f(uint64_t{});
  }
}

struct TypedOperand {
  std::byte* data;
  int64_t bytes;  // of an element
};

// --- in several rows ----------------------------------------------------------------------------------------------

constexpr int64_t kPieceOfRun = 256;  // elements

bool is_whole(DType t) noexcept {
  switch (t) {
    case DType::i8:
    case DType::u8:
    case DType::i16:
    case DType::u16:
    case DType::i32:
    case DType::u32:
    case DType::i64:
    case DType::u64:
    case DType::boolean: return true;
    default: return false;
  }
}
bool is_nibble(DType t) noexcept { return t == DType::i4 || t == DType::u4; }
// The dtype whose numbers have the same bits when only the lowest of them are kept.
DType signed_of(DType t) noexcept { return t == DType::u16 ? DType::i16 : t == DType::u32 ? DType::i32 : t == DType::u64 ? DType::i64 : t; }

// Conversions one after the other, with the rounding of the whole; between equal bits none.
class CastPath {
 public:
  static constexpr int kMost = 6;
  // False: there is none.
  bool find(const TypedRows& rows, DType from, DType to) noexcept {
    DType at = from;
    const auto to_direct = [&](DType next) {
      const TypedRowFunction f = rows.cast(at, next);
      if (f == nullptr || count_ == kMost) return false;
      steps_[count_] = f;
      ++count_;
      at = next;
      return true;
    };
    // Of a number below 0 an unsigned one is 0, as of the float that it is.
    const bool is_unsigned = to == DType::u8 || signed_of(to) != to;
    if (at == DType::i4 && is_unsigned) return to_direct(DType::i8) && to_direct(DType::f32) && to_direct(to);
    if (is_nibble(at) && !to_direct(at == DType::i4 ? DType::i8 : DType::u8)) return false;
    // Of i64 the lowest bits, which those of i8 are, too.
    if (is_nibble(to)) return (at == DType::i8 || at == DType::u8 || (whole(&at, to_direct) && to_direct(DType::i8))) && to_direct(to);
    if (is_whole(at) && is_whole(to) && to != DType::boolean && dtype_size(to) < dtype_size(at)) at = signed_of(at);
    if (at == to || to_direct(to)) return true;
    const DType lowest = signed_of(to);
    if (is_whole(at) && is_whole(to) && (signed_of(at) == lowest || to_direct(lowest))) return true;
    if (at == DType::f16 || at == DType::bf16) {  // exact
      if (!to_direct(DType::f32)) return false;
      return at == to || to_direct(to);
    }
    if (!is_whole(at)) return false;
    // A u64 that is read as an i64 is right where its lowest bits alone count.
    if (at == DType::u64 && !is_whole(to)) return false;
    if (!whole(&at, to_direct)) return false;
    return lowest == at || to_direct(lowest) || (is_whole(to) && to_direct(DType::i32) && (lowest == at || to_direct(lowest)));
  }
  int count() const noexcept { return count_; }
  void add(TypedRowFunction step) noexcept { steps_[count_++] = step; }
  // Of at most kPieceOfRun elements; nothing to do gives `from` itself.
  const void* run(const void* from, int64_t n, std::byte (&buffers)[2][kPieceOfRun * 8], void* last) const noexcept {
    for (int i = 0; i < count_; ++i) {
      void* const to = i + 1 == count_ && last != nullptr ? last : buffers[i % 2];
      steps_[i]({to, {from}, n});
      from = to;
    }
    return from;
  }

 private:
  // To i64, floats saturated.
  template <class F> static bool whole(DType* at, const F& to_direct) noexcept {
    if (*at == DType::u64) *at = DType::i64;
    return *at == DType::i64 || to_direct(DType::i64) || (is_whole(*at) && to_direct(DType::i32) && to_direct(DType::i64));
  }
  TypedRowFunction steps_[kMost] = {};
  int count_ = 0;
};

// A function of integers for which there is no row, in wider ones that have the same lowest bits; or a conversion.
struct StagedRows {
  CastPath in[2], out;
  TypedRowFunction function = nullptr;  // null: a conversion, in[0]
  int inputs = 1;
  bool swapped = false;  // function(b, a)
  int64_t in_bytes[2] = {}, out_bytes = 0;

  void operator()(const TypedRow& row) const noexcept {
    alignas(64) std::byte buffers[2][2][kPieceOfRun * 8];
    for (int64_t i = 0; i < row.n; i += kPieceOfRun) {
      const int64_t n = row.n - i < kPieceOfRun ? row.n - i : kPieceOfRun;
      std::byte* const to = static_cast<std::byte*>(row.out) + i * out_bytes;
      const auto from = [&](int o) { return static_cast<const std::byte*>(row.in[o]) + i * in_bytes[o]; };
      if (function == nullptr) {
        if (in[0].count() == 0) std::memcpy(to, from(0), static_cast<size_t>(n * out_bytes));
        else in[0].run(from(0), n, buffers[0], to);
        continue;
      }
      TypedRow wide{nullptr, {}, n};
      for (int o = 0; o < inputs; ++o) wide.in[swapped ? 1 - o : o] = in[o].run(from(o), n, buffers[o], nullptr);
      wide.out = out.count() == 0 ? static_cast<void*>(to) : buffers[0][0];
      function(wide);
      out.run(wide.out, n, buffers[1], to);
    }
  }
};

// One row, or several.
struct RowOrStages {
  TypedRowFunction row;
  const StagedRows* stages = nullptr;
  double alpha = 0, beta = 0;
  void (*repeat)(void* to, const void* element, int64_t bytes, int64_t n) noexcept = nullptr;  // null: plain code does it
  void operator()(TypedRow of) const noexcept {
    of.alpha = alpha, of.beta = beta;
    if (stages != nullptr) (*stages)(of);
    else row(of);
  }
};

// --- runs of a nest -----------------------------------------------------------------------------------------------

// Rows that are short: several of them are a run, and what is not laid out one behind the other is laid out so.
constexpr int64_t kShortRow = 64;
void run_short_rows(const LoopNest& nest, const TypedOperand* operands, const LoopBlock& at, const RowOrStages& row) {
  const int last = nest.rank - 1, second = nest.rank - 2;
  const int64_t most = kRun / at.columns;
  const bool together = nest.strides[0][second] == at.columns;
  alignas(64) std::byte buffers[4][kRun * 8];
  for (int64_t r = 0; r < at.rows; r += most) {
    const int64_t rows = at.rows - r < most ? at.rows - r : most;
    const auto place = [&](int o, int64_t of_row) {
      return operands[o].data + (at.offsets[o] + (r + of_row) * nest.strides[o][second]) * operands[o].bytes;
    };
    TypedRow run{together ? place(0, 0) : buffers[3], {}, rows * at.columns};
    for (int i = 0; i < 3 && i + 1 < nest.operands; ++i) {
      const int64_t stride = nest.strides[i + 1][last], step = nest.strides[i + 1][second];
      const bool as_output = stride == 1 && step == at.columns;
      run.in[i] = as_output ? place(i + 1, 0) : buffers[i];
      if (as_output || (step == 0 && r > 0)) continue;  // what is the same for all rows is laid out once
      by_size(operands[i + 1].bytes, [&](auto t) {
        for (int64_t k = 0; k < rows; ++k)
          gather<decltype(t)>(buffers[i] + k * at.columns * static_cast<int64_t>(sizeof t), place(i + 1, k), stride, at.columns);
      });
    }
    row(run);
    if (together) continue;
    const int64_t bytes = at.columns * operands[0].bytes;
    with_run_copy(bytes, [&](auto copy) {
      for (int64_t k = 0; k < rows; ++k) copy(place(0, k), buffers[3] + k * bytes, bytes);
    });
  }
}

// `operands`: the output, then the inputs, as in the nest.
void run_block(const LoopNest& nest, const TypedOperand* operands, const LoopBlock& at, const RowOrStages& row) {
  const int last = nest.rank - 1, second = nest.rank - 2;
  if (at.columns <= kShortRow && at.rows > 1 && nest.strides[0][last] == 1) return run_short_rows(nest, operands, at, row);
  alignas(64) std::byte buffers[4][kRun * 8];
  bool dense = true;
  for (int o = 0; o < nest.operands; ++o) dense &= nest.strides[o][last] == 1;
  const int64_t most = dense ? at.columns : kRun;
  for (int64_t r = 0; r < at.rows; ++r)
    for (int64_t c = 0; c < at.columns; c += most) {
      const int64_t n = at.columns - c < most ? at.columns - c : most;
      const auto place = [&](int o) {
        const int64_t element = at.offsets[o] + r * nest.strides[o][second] + c * nest.strides[o][last];
        return operands[o].data + element * operands[o].bytes;
      };
      TypedRow run{nullptr, {}, n};
      for (int i = 0; i < 3 && i + 1 < nest.operands; ++i) {
        const int64_t stride = nest.strides[i + 1][last];
        run.in[i] = stride == 1 ? place(i + 1) : buffers[i];
        // What is the same for the whole row stays in its buffer.
        if (stride == 0 && row.repeat != nullptr) {
          if (c == 0) row.repeat(buffers[i], place(i + 1), operands[i + 1].bytes, n);
        } else if (stride != 1 && (stride != 0 || c == 0))
          by_size(operands[i + 1].bytes, [&](auto t) { gather<decltype(t)>(buffers[i], place(i + 1), stride, n); });
      }
      const int64_t stride = nest.strides[0][last];
      run.out = stride == 1 ? place(0) : buffers[3];
      row(run);
      if (stride != 1) by_size(operands[0].bytes, [&](auto t) { scatter<decltype(t)>(place(0), buffers[3], stride, n); });
    }
}

void run_rows(const RowOrStages& row, const TensorView& out, std::span<const TensorView> in, const Parallel& parallel) noexcept {
  LoopNest nest;
  if (!make_loop_nest(out, in, {}, &nest)) return;
  TypedOperand operands[4] = {{static_cast<std::byte*>(out.data), dtype_size(out.dtype)}};
  for (size_t i = 0; i < in.size(); ++i) operands[1 + i] = {static_cast<std::byte*>(in[i].data), dtype_size(in[i].dtype)};
  run_loop_nest(nest, parallel, kElementsPerTask, [&](const LoopBlock& at) { run_block(nest, operands, at, row); });
}

bool compares(BinaryFunction f) noexcept {
  return f == BinaryFunction::equal || f == BinaryFunction::less || f == BinaryFunction::less_equal || f == BinaryFunction::greater ||
         f == BinaryFunction::greater_equal;
}

}  // namespace

void run_typed_rows(TypedRowFunction row, const TensorView& out, std::span<const TensorView> in, const Parallel& parallel) noexcept {
  run_rows({row}, out, in, parallel);
}

namespace {

// Infinities of one sign, or of none, are found by comparing with what is looked for.
bool finds_one_sign(const Operator& op) noexcept {
  const Unary* u = as<Unary>(op);
  return u != nullptr && u->function() == UnaryFunction::is_inf && (u->alpha() == 0.f || u->beta() == 0.f);
}
// Its bits, or those of a NaN, which equals nothing.
uint64_t infinity_of(const Unary& u, DType t) noexcept {
  const int bits = static_cast<int>(8 * dtype_size(t)), mantissa = t == DType::f64 ? 52 : t == DType::f16 ? 10 : bits == 32 ? 23 : 7;
  const uint64_t infinity = ((UINT64_C(1) << (bits - 1 - mantissa)) - 1) << mantissa;
  if (u.alpha() == 0.f && u.beta() == 0.f) return infinity + 1;
  return u.alpha() != 0.f ? infinity : infinity | UINT64_C(1) << (bits - 1);
}

class TypedKernel final : public HostKernel {
 public:
  constexpr TypedKernel(const char* name, Isa isa, const TypedRows& rows, OpKind op) noexcept
      : name_(name), key_{.op = op, .src = DType::none, .dst = DType::none, .isa = isa}, rows_(rows) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() != key_.op) return no("another operator");
    if (p.post_ops->count > 0) return no("post-ops are not fused into rows of this dtype");
    DType types[3] = {};
    for (size_t i = 0; i < p.in.size() && i < 3; ++i) types[i] = p.in[i].dtype;
    if (p.in.size() == 1) types[1] = types[0];
    StagedRows staged;
    if (p.in.size() == 2 && types[0] != types[1])
      return stages_of_mixed(*p.op, types, p.out[0].dtype, &staged) ? yes() : no("the inputs' dtypes differ");
    return row_of(*p.op, types[0], p.out[0].dtype) || stages_of(*p.op, types[0], p.out[0].dtype, &staged)
               ? yes()
               : no("there are no rows for this function and dtype");
  }

  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    const DType in = args.in[0].dtype, out = args.out[0].dtype;
    StagedRows staged;
    RowOrStages rows{nullptr};
    rows.repeat = rows_.repeat;
    if (const Unary* u = as<Unary>(*args.op)) rows.alpha = u->alpha(), rows.beta = u->beta();
    const DType types[] = {in, args.in.size() == 2 ? args.in[1].dtype : in};
    const bool mixed = types[0] != types[1];
    if (mixed ? stages_of_mixed(*args.op, types, out, &staged)
              : (rows.row = row_of(*args.op, in, out)) == nullptr && stages_of(*args.op, in, out, &staged))
      rows.stages = &staged;
    if (finds_one_sign(*args.op)) {
      uint64_t infinity = infinity_of(*static_cast<const Unary*>(args.op), in);
      const TensorView both[] = {args.in[0], {&infinity, in, {}, {}}};
      run_rows(rows, args.out[0], both, args.parallel);
      return {};
    }
    run_rows(rows, args.out[0], args.in, args.parallel);
    return {};
  }

 private:
  // pow with an exponent of another dtype: integers in 64 bits, modulo the base's width; others in binary64.
  bool stages_of_mixed(const Operator& op, const DType* types, DType out, StagedRows* staged) const noexcept {
    const Binary* b = as<Binary>(op);
    if (b == nullptr || b->function() != BinaryFunction::pow || types[0] == DType::boolean || types[1] == DType::boolean) return false;
    const bool whole = is_whole(types[0]) && is_whole(types[1]);
    const DType wide = whole ? DType::i64 : DType::f64;
    staged->inputs = 2;
    for (int i = 0; i < 2; ++i) {
      staged->in_bytes[i] = dtype_size(types[i]);
      if (types[i] != wide && !staged->in[i].find(rows_, types[i], wide)) return false;
    }
    staged->out_bytes = dtype_size(out);
    staged->function = rows_.binary(BinaryFunction::pow, wide);
    if (dtype_is_half(out)) staged->out.add(rows_.cast(DType::f64, DType::f32));  // rounded twice, as a result of f32 is
    return out == wide || staged->out.find(rows_, dtype_is_half(out) ? DType::f32 : wide, out);
  }
  // Of u64: in rows of i64, which have the same lowest bits; where order counts, by numbers in the same order.
  bool stages_of_u64(const Unary* u, BinaryFunction f, StagedRows* staged) const noexcept {
    if (u != nullptr) {
      if (same_lowest_bits(u->function())) staged->function = rows_.unary(u->function(), DType::i64);
      return staged->function != nullptr;
    }
    const bool ordered = compares(f) && f != BinaryFunction::equal;
    if (!ordered && !same_lowest_bits(f) && f != BinaryFunction::shift_left) return false;
    if (ordered)
      for (CastPath& path : staged->in) path.add(rows_.turned);
    staged->function = rows_.binary(f, DType::i64);
    return staged->function != nullptr;
  }
  static bool same_lowest_bits(UnaryFunction f) noexcept {
    return f == UnaryFunction::neg || f == UnaryFunction::bitwise_not || f == UnaryFunction::square;
  }
  // Of numbers with and without a sign.
  static bool same_lowest_bits(BinaryFunction f) noexcept {
    return f == BinaryFunction::add || f == BinaryFunction::sub || f == BinaryFunction::mul || f == BinaryFunction::equal ||
           f == BinaryFunction::bitwise_and || f == BinaryFunction::bitwise_or || f == BinaryFunction::bitwise_xor;
  }
  bool stages_of(const Operator& op, DType in, DType out, StagedRows* staged) const noexcept {
    staged->in_bytes[0] = staged->in_bytes[1] = dtype_size(in);
    staged->out_bytes = dtype_size(out);
    if (as<Cast>(op)) return in != out && staged->in[0].find(rows_, in, out);
    const Unary* u = as<Unary>(op);
    const Binary* b = as<Binary>(op);
    staged->inputs = b != nullptr ? 2 : 1;
    BinaryFunction f = b != nullptr ? b->function() : BinaryFunction::count_;
    if (f == BinaryFunction::greater || f == BinaryFunction::greater_equal) {
      f = f == BinaryFunction::greater ? BinaryFunction::less : BinaryFunction::less_equal;
      staged->swapped = true;
      staged->function = rows_.binary(f, in);
      if (staged->function != nullptr) return true;
    }
    if ((u == nullptr && b == nullptr) || !is_whole(in) || in == DType::boolean || in == DType::i32 || in == DType::i64) return false;
    const bool is_unsigned = in == DType::u8 || signed_of(in) != in;
    if (u != nullptr && is_unsigned && (u->function() == UnaryFunction::abs || u->function() == UnaryFunction::relu))
      return true;  // a copy
    if (in == DType::u64) return stages_of_u64(u, f, staged);
    // A shift by the width or more has 0 in the lowest bits of the wider number, too.
    const DType wide = in == DType::u32 ? DType::i64 : DType::i32;
    if (!staged->in[0].find(rows_, in, wide)) return false;
    if (b != nullptr) {
      const bool remainder = f == BinaryFunction::mod_floor || f == BinaryFunction::mod_trunc;
      staged->in[1] = staged->in[0];
      staged->function = rows_.binary(f, wide);
      if (in == DType::u32 && f == BinaryFunction::div) staged->function = rows_.quotient;
      if (in == DType::u32 && remainder) staged->function = rows_.remainder;
      if (compares(f)) return staged->function != nullptr;
    } else {
      staged->function = rows_.unary(u->function(), wide);
    }
    return staged->function != nullptr && staged->out.find(rows_, wide, in);
  }
  TypedRowFunction row_of(const Operator& op, DType in, DType out) const noexcept {
    if (const Unary* u = as<Unary>(op)) {
      if (finds_one_sign(op)) return rows_.binary(BinaryFunction::equal, in);
      return rows_.unary(u->function(), in == DType::u32 && same_lowest_bits(u->function()) ? DType::i32 : in);
    }
    if (const Binary* b = as<Binary>(op))
      return rows_.binary(b->function(), in == DType::u32 && same_lowest_bits(b->function()) ? DType::i32 : in);
    if (as<Cast>(op)) return rows_.cast(in, out);
    return rows_.where(dtype_size(out));
  }

  const char* name_;
  KernelKey key_;
  const TypedRows& rows_;
};

}  // namespace

KernelList typed_kernels() noexcept {
  static const KernelsOfSets<"unary.typed", TypedKernel, TypedRows> unary(OpKind::unary);
  static const KernelsOfSets<"binary.typed", TypedKernel, TypedRows> binary(OpKind::binary);
  static const KernelsOfSets<"cast.typed", TypedKernel, TypedRows> cast(OpKind::cast);
  static const KernelsOfSets<"where.typed", TypedKernel, TypedRows> where(OpKind::where);
  static const auto all = kernel_list(unary, binary, cast, where);
  return all;
}

}  // namespace anydim
