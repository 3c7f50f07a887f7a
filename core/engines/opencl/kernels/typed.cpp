// SPDX-License-Identifier: Apache-2.0
// Operators of other dtypes than f32 on OpenCL devices: cast, where, range.
#include <algorithm>
#include <bit>

#include "core/base/checked.h"
#include "core/engines/opencl/kernels/kernels.h"
#include "core/engines/opencl/kernels/opencl_kernel.h"
#include "core/engines/opencl/kernels/program_text.h"
#include "core/kernels/eltwise/loop_nest.h"
#include "core/ops/operators/range.h"

namespace anydim::opencl {

namespace {

using Of = DeviceArgument::Of;

// In a program; null: no program has it.
const char* type_name(DType t) noexcept {
  switch (t) {
    case DType::f32: return "float";
    case DType::i8: return "char";
    case DType::u8:
    case DType::boolean: return "uchar";
    case DType::i16: return "short";
    case DType::u16: return "ushort";
    case DType::i32: return "int";
    case DType::u32: return "uint";
    case DType::i64: return "long";
    case DType::u64: return "ulong";
    default: return nullptr;
  }
}

// FLOAT_TO's numbers of an integer type: the lowest, the first float above, the highest.
const char* bounds(DType t) noexcept {
  switch (t) {
    case DType::i8: return "-128, 128.f, 127";
    case DType::u8: return "0, 256.f, 255";
    case DType::i16: return "-32768, 32768.f, 32767";
    case DType::u16: return "0, 65536.f, 65535";
    case DType::i32: return "INT_MIN, 0x1p31f, INT_MAX";
    case DType::u32: return "0, 0x1p32f, UINT_MAX";
    case DType::i64: return "LONG_MIN, 0x1p63f, LONG_MAX";
    default: return "0, 0x1p64f, ULONG_MAX";
  }
}

std::string conversion(DType from, DType to) {
  if (to == DType::boolean) return "((x) != 0 ? 1 : 0)";
  if (from == DType::boolean) return formatted("(({})((x) != 0 ? 1 : 0))", type_name(to));
  if (from == DType::f32 && to != DType::f32) return formatted("FLOAT_TO({}, x, {})", type_name(to), bounds(to));
  return formatted("(({})(x))", type_name(to));
}

// Cast, and where of any dtype by its size.
class Typed final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() != key().op) return no("another operator");
    if (p.post_ops->count > 0) return no("post-ops are not fused into this operator");
    if (key().op == OpKind::cast && (type_name(p.in[0].dtype) == nullptr || type_name(p.out[0].dtype) == nullptr))
      return no("it is for f32, integers and bool");
    return argument_count(4 * (rows_of(p.out[0].dims.rank) + 3) + 3 + kMaxRank, *p.post_ops, 0) > DeviceWork::kMostArguments
               ? no("too many arguments")
               : yes();
  }
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_of(p);
    out[0].add_form(static_cast<uint8_t>(rows_of(p.out[0].dims.rank)));
    if (key().op == OpKind::where) {
      out[0].add_form(static_cast<uint8_t>(dtype_size(p.out[0].dtype)));
    } else {
      out[0].add_dtype(p.in[0].dtype);
      out[0].add_dtype(p.out[0].dtype);
    }
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, 1, columns_of_group(), 1, key.form[0]);
    if (key.kernel.op == OpKind::where) return text.define("T", element_type(key.form[1])).add("where").source({"where"});
    const DType from = key.dtypes[0], to = key.dtypes[1];
    return text.define("FROM", type_name(from))
        .define("TO", type_name(to))
        .define("CONVERT(x)", conversion(from, to))
        .add("cast")
        .source({"cast"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    LoopNest nest;
    if (!make_loop_nest(args.out[0], args.in, {}, &nest)) return false;
    const int rows = rows_of(args.out[0].dims.rank), own = nest.rank - 1;
    const RowRange range = row_range(nest.rows(), nest.columns(), 1);
    if (!Arguments::begin(out, index, range.groups, columns_of_group())) return false;
    Arguments a(out);
    for (int operand = 0; operand < nest.operands; ++operand) {
      RowStrides s;
      for (int i = 0; i < own; ++i) s.row[rows - own + i] = nest.strides[operand][i];
      s.column = nest.strides[operand][own];
      a.tensor(operand == 0 ? Of::out : Of::in, static_cast<size_t>(std::max(operand - 1, 0)), s, rows);
    }
    a.number(nest.columns()).number(range.row).number(range.column);
    for (int i = 0; i < rows; ++i) a.number(i < rows - own ? 1 : nest.dims[i - (rows - own)]);
    return true;
  }
};

class RangeKernel final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() != OpKind::range) return no("another operator");
    const DType t = p.out[0].dtype;
    return t == DType::f32 || t == DType::i32 || t == DType::i64 ? yes() : no("it is for f32, i32 and i64");
  }
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_of(p);
    out[0].add_dtype(p.out[0].dtype);
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    const DType t = key.dtypes[0];
    const char* sum = t == DType::i32 ? "uint" : t == DType::i64 ? "ulong" : "float";
    return ProgramText(key, 1, 1, 1, 1).define("T", type_name(t)).define("SUM", sum).add("range").source({"range"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    const TensorView& y = args.out[0];
    if (!Arguments::begin(out, index, {ceil_div(y.count(), 1024), 1, 1})) return false;
    const auto& op = *static_cast<const Range*>(args.op);
    Arguments a(out);
    a.tensor(Of::out, 0).number(y.strides[0]);
    for (int i = 0; i < 2; ++i) {
      const int64_t whole = args.dim_attributes[static_cast<size_t>(i)];
      const double real = i == 0 ? op.real_start() : op.real_delta();
      if (y.dtype == DType::f32) a.real(op.is_real() ? static_cast<float>(real) : static_cast<float>(whole));
      else if (y.dtype == DType::i32) out->add_i32(static_cast<int32_t>(whole));
      else a.number(whole);
    }
    a.number(y.count());
    return true;
  }
};

}  // namespace

DeviceKernelList typed_kernels() {
  static const Typed cast_cpu("cast.lanes.opencl", OpKind::cast, DeviceKind::cpu);
  static const Typed cast_gpu("cast.items.opencl", OpKind::cast, DeviceKind::gpu);
  static const Typed where_cpu("where.lanes.opencl", OpKind::where, DeviceKind::cpu);
  static const Typed where_gpu("where.items.opencl", OpKind::where, DeviceKind::gpu);
  static const RangeKernel range("range.line.opencl", OpKind::range, DeviceKind::any);
  static const DeviceKernel* const all[] = {&cast_cpu, &cast_gpu, &where_cpu, &where_gpu, &range};
  return all;
}

}  // namespace anydim::opencl
