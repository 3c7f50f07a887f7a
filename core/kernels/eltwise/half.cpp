// SPDX-License-Identifier: Apache-2.0
// Unary and binary operators of 16-bit floats with their post-op chains: pieces of rows are widened into a small buffer, go
// through the f32 machine (rows.h) and are rounded once when they are stored.
#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/eltwise/loop_nest.h"
#include "core/kernels/eltwise/row_chain.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/unary.h"

namespace anydim {

namespace {

constexpr int64_t kElementsPerTask = 16 << 10;
constexpr int64_t kPiece = 1024;   // elements: the output's and two operands' pieces lie in the first cache
constexpr int64_t kShortRow = 32;  // rows below this are first laid side by side

struct HalfOperand {
  std::byte* data = nullptr;
  DType dtype = DType::none;
};

// Rows x columns elements of an operand as f32, in `room` unless they are f32: one value along an axis that repeats.
RowOperand widened(const uint16_t* from, int64_t row_stride, int64_t column_stride, int64_t rows, int64_t columns, TypedRowFunction widen,
                   float* room) noexcept {
  const int64_t r = row_stride == 0 ? 1 : rows, c = column_stride == 0 ? 1 : columns;
  if (r * c == 1 || (column_stride == 1 && (r == 1 || row_stride == c))) {
    widen({room, {from}, r * c});
  } else if (column_stride == 1 && c >= kShortRow) {
    for (int64_t i = 0; i < r; ++i) widen({room + i * c, {from + i * row_stride}, c});
  } else {
    uint16_t dense[kPiece];
    for (int64_t i = 0; i < r; ++i)
      for (int64_t j = 0; j < c; ++j) dense[i * c + j] = from[i * row_stride + j * column_stride];
    widen({room, {dense}, r * c});
  }
  return {room, row_stride == 0 ? 0 : c, column_stride == 0 ? 0 : 1};
}

void narrow_to(const float* from, uint16_t* to, int64_t row_stride, int64_t column_stride, int64_t rows, int64_t columns,
               TypedRowFunction narrow) noexcept {
  if (column_stride == 1 && (rows == 1 || row_stride == columns)) return narrow({to, {from}, rows * columns});
  if (column_stride == 1 && columns >= kShortRow) {
    for (int64_t i = 0; i < rows; ++i) narrow({to + i * row_stride, {from + i * columns}, columns});
    return;
  }
  uint16_t dense[kPiece];
  narrow({dense, {from}, rows * columns});
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) to[i * row_stride + j * column_stride] = dense[i * columns + j];
}

class HalfRowKernel final : public HostKernel {
 public:
  constexpr HalfRowKernel(const char* name, Isa isa, EltwiseRows::Function* rows, const TypedRows& casts, OpKind op) noexcept
      : name_(name), key_{.op = op, .src = DType::none, .dst = DType::none, .isa = isa}, rows_(rows), casts_(casts) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() != key_.op) return no("another operator");
    const DType t = p.in[0].dtype;
    if (!dtype_is_half(t)) return no("the input is no 16-bit float");
    for (const TensorType& i : p.in)
      if (i.dtype != t) return no("the inputs' dtypes differ");
    if (p.out[0].dtype != t) return no("the output has another dtype");
    const Unary* unary = as<Unary>(*p.op);
    const Binary* binary = as<Binary>(*p.op);
    if (unary ? !is_chain_function(unary->function()) : !is_chain_function(binary->function())) return no("the function does not give f32");
    if (unary && unary->function() == UnaryFunction::identity && p.post_ops->count == 0) return no("an identity copies bits");
    return supports_post_ops(p);
  }

  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    LoopNest nest;
    if (!make_loop_nest(args.out[0], args.in, args.post_in, &nest)) return {};
    const DType t = args.out[0].dtype;
    const TypedRowFunction widen = casts_.cast(t, DType::f32), narrow = casts_.cast(DType::f32, t);

    const RowChain chain = chain_of(*args.op, *args.post_ops);
    HalfOperand data[kMaxOperands];
    int operands = 0;
    const auto add = [&](const TensorView& v) { data[operands++] = {static_cast<std::byte*>(v.data), v.dtype}; };
    add(args.out[0]);
    for (const TensorView& v : args.in) add(v);
    for (const TensorView& v : args.post_in) add(v);

    const int last = nest.rank - 1, second = nest.rank - 2;
    run_loop_nest(nest, args.parallel, kElementsPerTask, [&](const LoopBlock& at) {
      alignas(64) float rooms[kMaxOperands][kPiece];
      const int64_t columns = at.columns < kPiece ? at.columns : kPiece, rows = kPiece / columns;
      for (int64_t r = 0; r < at.rows; r += rows)
        for (int64_t c = 0; c < at.columns; c += columns) {
          RowBlock block;
          block.rows = at.rows - r < rows ? at.rows - r : rows;
          block.columns = at.columns - c < columns ? at.columns - c : columns;
          const auto place = [&](int o) { return at.offsets[o] + r * nest.strides[o][second] + c * nest.strides[o][last]; };
          const auto operand = [&](int o) -> RowOperand {
            const int64_t row_stride = nest.strides[o][second], column_stride = nest.strides[o][last];
            if (data[o].dtype == DType::f32) return {reinterpret_cast<float*>(data[o].data) + place(o), row_stride, column_stride};
            return widened(reinterpret_cast<uint16_t*>(data[o].data) + place(o), row_stride, column_stride, block.rows, block.columns,
                           widen, rooms[o]);
          };
          block.out = rooms[0];
          block.out_row_stride = block.columns;
          block.out_column_stride = 1;
          block.first = operand(1);
          block.steps = chain.steps;
          block.count = chain.count;
          for (int i = 0; i < chain.count; ++i)
            if (chain.steps[i].takes_tensor()) block.operands[i] = operand(1 + chain.tensor[i]);
          rows_(block);
          narrow_to(rooms[0], reinterpret_cast<uint16_t*>(data[0].data) + place(0), nest.strides[0][second], nest.strides[0][last],
                    block.rows, block.columns, narrow);
        }
    });
    return {};
  }

 private:
  const char* name_;
  KernelKey key_;
  EltwiseRows::Function* rows_;
  const TypedRows& casts_;
};

}  // namespace

KernelList half_eltwise_kernels() noexcept {
  static const KernelsOfSets<"unary.half", HalfRowKernel, EltwiseRows, TypedRows> unary(OpKind::unary);
  static const KernelsOfSets<"binary.half", HalfRowKernel, EltwiseRows, TypedRows> binary(OpKind::binary);
  static const auto all = kernel_list(unary, binary);
  return all;
}

}  // namespace anydim
