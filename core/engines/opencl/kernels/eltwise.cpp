// SPDX-License-Identifier: Apache-2.0
// Element-wise operators on OpenCL devices: unary and binary functions of f32 with chains of post-ops.
#include "core/engines/opencl/kernels/kernels.h"
#include "core/engines/opencl/kernels/opencl_kernel.h"
#include "core/engines/opencl/kernels/program_text.h"
#include "core/kernels/eltwise/loop_nest.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/unary.h"

namespace anydim::opencl {

namespace {

using Of = DeviceArgument::Of;

class Eltwise final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  Support supports(const Problem& p) const noexcept override {
    if (!all_f32(p)) return no("it is for f32");
    const int rows = rows_of(p.out[0].dims.rank);
    if (const auto* unary = as<Unary>(*p.op)) {
      if (const Support s = supports_function(unary->function()); !s) return s;
    } else if (const auto* binary = as<Binary>(*p.op)) {
      if (const Support s = supports_function(binary->function()); !s) return s;
    } else {
      return no("another operator");
    }
    if (argument_count(3 * (rows + 3) + rows + 5, *p.post_ops, rows) > DeviceWork::kMostArguments)
      return no("the chain has too many arguments");
    return supports_chain(p);
  }

  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    CompileKey& key = out[0] = key_of(p);
    const auto* unary = as<Unary>(*p.op);
    key.add_form(static_cast<uint8_t>(unary ? unary->function() : static_cast<UnaryFunction>(as<Binary>(*p.op)->function())));
    key.add_form(static_cast<uint8_t>(rows_of(p.out[0].dims.rank)));
    return 1;
  }

  DeviceSource source(const CompileKey& key) const override {
    const bool two = key.kernel.op == OpKind::binary;
    const auto unary = static_cast<UnaryFunction>(key.form[0]);
    const auto binary = static_cast<BinaryFunction>(key.form[0]);
    ProgramText text(key, lanes(), columns_of_group(), 1, key.form[1], two ? needs_doubles(binary) : needs_doubles(unary));
    if (two) text.define("TWO").define("COMPUTE", formatted("v = {}(v, w);", binary_call(binary)));
    else text.define("COMPUTE", formatted("v = {}(v, alpha, beta);", unary_call(unary)));
    return text.add("eltwise").source({"eltwise"});
  }

  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    LoopNest nest;
    if (!make_loop_nest(args.out[0], args.in, args.post_in, &nest)) return false;
    const int rows = rows_of(args.out[0].dims.rank), own = nest.rank - 1;
    const RowRange range = row_range(nest.rows(), nest.columns(), lanes());
    if (!Arguments::begin(out, index, range.groups, columns_of_group())) return false;
    const auto strides = [&](int operand) {
      RowStrides s;
      for (int i = 0; i < own; ++i) s.row[rows - own + i] = nest.strides[operand][i];
      s.column = nest.strides[operand][own];
      return s;
    };
    Arguments a(out);
    a.tensor(Of::out, 0, strides(0), rows).tensor(Of::in, 0, strides(1), rows);
    const bool two = args.op->kind() == OpKind::binary;
    if (two) a.tensor(Of::in, 1, strides(2), rows);
    else a.real(as<Unary>(*args.op)->alpha()).real(as<Unary>(*args.op)->beta());
    a.number(nest.columns()).number(range.row).number(range.column);
    for (int i = 0; i < rows; ++i) a.number(i < rows - own ? 1 : nest.dims[i - (rows - own)]);
    RowStrides post[kMaxPostOps];
    for (size_t i = 0; i < args.post_in.size(); ++i) post[i] = strides(static_cast<int>(1 + args.in.size() + i));
    a.chain(*args.post_ops, post, rows);
    return true;
  }

 private:
  // Columns that a work-item has at once.
  int lanes() const noexcept { return kind() == DeviceKind::gpu ? 4 : width(); }
};

}  // namespace

DeviceKernelList eltwise_kernels() {
  static const Eltwise unary_cpu("unary.lanes.opencl", OpKind::unary, DeviceKind::cpu);
  static const Eltwise unary_gpu("unary.items.opencl", OpKind::unary, DeviceKind::gpu);
  static const Eltwise binary_cpu("binary.lanes.opencl", OpKind::binary, DeviceKind::cpu);
  static const Eltwise binary_gpu("binary.items.opencl", OpKind::binary, DeviceKind::gpu);
  static const DeviceKernel* const all[] = {&unary_cpu, &unary_gpu, &binary_cpu, &binary_gpu};
  return all;
}

}  // namespace anydim::opencl
