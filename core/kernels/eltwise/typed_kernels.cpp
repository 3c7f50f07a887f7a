// SPDX-License-Identifier: Apache-2.0
// Kernels over the typed rows: a loop nest that hands them runs of elements side by side. Operands that are broadcast or strided
// along a run are laid out in a small buffer first.
#include <cstring>

#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/eltwise/loop_nest.h"
#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/x86.h"
#include "core/ops/binary.h"
#include "core/ops/cast.h"
#include "core/ops/unary.h"
#include "core/ops/where.h"

namespace anydim {

namespace {

constexpr int64_t kElementsPerTask = 32 << 10;
constexpr int64_t kRun = 1024;  // elements of a run: four buffers of it lie in the first cache

// n elements of T from every `stride`-th place, and back.
template <class T> void gather(std::byte* to, const std::byte* from, int64_t stride, int64_t n) {
  auto* t = reinterpret_cast<T*>(to);
  const auto* f = reinterpret_cast<const T*>(from);
  if (stride == 0) {
    for (int64_t i = 0; i < n; ++i) t[i] = *f;
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

// `operands`: the output, then the inputs, as in the nest.
void run_block(const LoopNest& nest, const TypedOperand* operands, const LoopBlock& at, TypedRowFunction row) {
  const int last = nest.rank - 1, second = nest.rank - 2;
  alignas(64) std::byte buffers[4][kRun * 8];
  for (int64_t r = 0; r < at.rows; ++r)
    for (int64_t c = 0; c < at.columns; c += kRun) {
      const int64_t n = at.columns - c < kRun ? at.columns - c : kRun;
      const auto place = [&](int o) {
        const int64_t element = at.offsets[o] + r * nest.strides[o][second] + c * nest.strides[o][last];
        return operands[o].data + element * operands[o].bytes;
      };
      TypedRow run{nullptr, {}, n};
      for (int i = 0; i < 3 && i + 1 < nest.operands; ++i) {
        const int64_t stride = nest.strides[i + 1][last];
        run.in[i] = stride == 1 ? place(i + 1) : buffers[i];
        // What is the same for the whole row stays in its buffer.
        if (stride != 1 && (stride != 0 || c == 0))
          by_size(operands[i + 1].bytes, [&](auto t) { gather<decltype(t)>(buffers[i], place(i + 1), stride, n); });
      }
      const int64_t stride = nest.strides[0][last];
      run.out = stride == 1 ? place(0) : buffers[3];
      row(run);
      if (stride != 1) by_size(operands[0].bytes, [&](auto t) { scatter<decltype(t)>(place(0), buffers[3], stride, n); });
    }
}

}  // namespace

void run_typed_rows(TypedRowFunction row, const TensorView& out, std::span<const TensorView> in, const Parallel& parallel) noexcept {
  LoopNest nest;
  if (!make_loop_nest(out, in, {}, &nest)) return;
  TypedOperand operands[4] = {{static_cast<std::byte*>(out.data), dtype_size(out.dtype)}};
  for (size_t i = 0; i < in.size(); ++i) operands[1 + i] = {static_cast<std::byte*>(in[i].data), dtype_size(in[i].dtype)};
  run_loop_nest(nest, parallel, kElementsPerTask, [&](const LoopBlock& at) { run_block(nest, operands, at, row); });
}

namespace {

class TypedKernel final : public HostKernel {
 public:
  constexpr TypedKernel(const char* name, OpKind op, Isa isa, const TypedRows& rows) noexcept
      : name_(name), key_{.op = op, .src = DType::none, .dst = DType::none, .isa = isa}, rows_(rows) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }

  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() != key_.op) return no("another operator");
    if (p.post_ops->count > 0) return no("post-ops are not fused into rows of this dtype");
    DType types[3] = {};
    for (size_t i = 0; i < p.in.size() && i < 3; ++i) types[i] = p.in[i].dtype;
    if (p.in.size() == 2 && types[0] != types[1]) return no("the inputs' dtypes differ");
    return row_of(*p.op, types[0], p.out[0].dtype) ? yes() : no("there are no rows for this function and dtype");
  }

  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

  Status run(const Plan&, const Args& args) const noexcept override {
    run_typed_rows(row_of(*args.op, args.in[0].dtype, args.out[0].dtype), args.out[0], args.in, args.parallel);
    return {};
  }

 private:
  TypedRowFunction row_of(const Operator& op, DType in, DType out) const noexcept {
    if (const Unary* u = as<Unary>(op)) {
      const bool one_sign = u->function() == UnaryFunction::is_inf && (u->alpha() == 0.f || u->beta() == 0.f);
      return one_sign ? nullptr : rows_.unary(u->function(), in);
    }
    if (const Binary* b = as<Binary>(op)) return rows_.binary(b->function(), in);
    if (as<Cast>(op)) return rows_.cast(in, out);
    return rows_.where(dtype_size(out));
  }

  const char* name_;
  KernelKey key_;
  const TypedRows& rows_;
};

}  // namespace

KernelList typed_kernels() noexcept {
  static const TypedKernel unary_portable("unary.typed.portable", OpKind::unary, Isa::portable, kTypedRowsPortable);
  static const TypedKernel binary_portable("binary.typed.portable", OpKind::binary, Isa::portable, kTypedRowsPortable);
  static const TypedKernel cast_portable("cast.typed.portable", OpKind::cast, Isa::portable, kTypedRowsPortable);
  static const TypedKernel where_portable("where.typed.portable", OpKind::where, Isa::portable, kTypedRowsPortable);
  static const HostKernel* const everywhere[] = {&unary_portable, &binary_portable, &cast_portable, &where_portable};
  if constexpr (kX86) {
    static const TypedKernel unary_avx512("unary.typed.avx512", OpKind::unary, Isa::avx512, kTypedRowsAvx512);
    static const TypedKernel unary_avx2("unary.typed.avx2", OpKind::unary, Isa::avx2, kTypedRowsAvx2);
    static const TypedKernel binary_avx512("binary.typed.avx512", OpKind::binary, Isa::avx512, kTypedRowsAvx512);
    static const TypedKernel binary_avx2("binary.typed.avx2", OpKind::binary, Isa::avx2, kTypedRowsAvx2);
    static const TypedKernel cast_avx512("cast.typed.avx512", OpKind::cast, Isa::avx512, kTypedRowsAvx512);
    static const TypedKernel cast_avx2("cast.typed.avx2", OpKind::cast, Isa::avx2, kTypedRowsAvx2);
    static const TypedKernel where_avx512("where.typed.avx512", OpKind::where, Isa::avx512, kTypedRowsAvx512);
    static const TypedKernel where_avx2("where.typed.avx2", OpKind::where, Isa::avx2, kTypedRowsAvx2);
    static const auto all = kernel_list(
        {&unary_avx512, &unary_avx2, &binary_avx512, &binary_avx2, &cast_avx512, &cast_avx2, &where_avx512, &where_avx2}, everywhere);
    return all;
  }
  return everywhere;
}

}  // namespace anydim
