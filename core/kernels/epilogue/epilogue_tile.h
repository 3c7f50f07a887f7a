// SPDX-License-Identifier: Apache-2.0
// Post-op chains as an interpreter sees them: the steps, how operands walk over a tile, and the tile of sums they are
// applied to. Plain data, includable from files of one instruction set; the interpreter is epilogue.inl.h, one
// instance per instruction set, shared by gemm, conv, depthwise and the integer tiles. Binding chains to tensors is epilogue.h.
#pragma once

#include <cstdint>

#include "core/ops/attributes.h"

namespace anydim {

constexpr int kMaxEpilogueSteps = kMaxPostOps + 2;  // a chain, and before it matmul's alpha and C
constexpr int kMaxEpilogueOperands = kMaxPostOps + 2;
constexpr int kMaxEpilogueRows = 28;  // rows of the largest tile

struct EpilogueStep {
  PostOp::Kind kind = PostOp::Kind::unary;
  UnaryFunction unary = UnaryFunction::identity;
  BinaryFunction binary = BinaryFunction::add;
  float alpha = 0.f, beta = 0.f;
  float scale = 1.f;     // of the operand, before it is used (matmul's beta); 1 leaves its bits alone
  int32_t operand = -1;  // which operand, for the binary kinds
};

// How an operand walks along the rows and columns of tiles. A kernel fills this from EpilogueOperand::strides, for
// the way it cuts the output into rows (pixels) and columns (channels).
struct OperandWalk {
  int64_t column_step = 0;           // 0: one value per row; 1: contiguous; anything else is gathered
  const int64_t* columns = nullptr;  // instead of column_step if not null: where each column lies
  bool by_row = false;               // false: all rows of all tiles read the same columns
};

// What the interpreter sees of the chain.
struct EpilogueProgram {
  int32_t count = 0;
  int32_t operand_count = 0;
  const EpilogueStep* steps = nullptr;
  OperandWalk walks[kMaxEpilogueOperands];
};

// One tile: `rows` x `columns` sums, and where they go. Whole vectors of `sums` may be read (and are thrown away)
// past `columns`; nothing else is read or written past it.
struct EpilogueTile {
  const float* sums = nullptr;
  int64_t sums_step = 0;  // floats from row to row
  int32_t rows = 0;       // at most kMaxEpilogueRows
  int32_t columns = 0;
  float* const* dst = nullptr;  // per row, at column 0
  int64_t dst_column_step = 1;
  const int64_t* dst_columns = nullptr;  // instead of dst_column_step if not null; then one vector at most
  const float* bias = nullptr;           // per column; null: none. Added first.
  // operands[o][row] at column 0 of the tile; entry [o][0] alone is read if the walk is not by_row.
  const float* (*operands)[kMaxEpilogueRows] = nullptr;
};

// The interpreter: bias, chain and store of one tile.
struct RunEpilogue {
  using Function = void(const EpilogueProgram& program, const EpilogueTile& tile) noexcept;
  static Function avx512, avx2, portable;
};

}  // namespace anydim
