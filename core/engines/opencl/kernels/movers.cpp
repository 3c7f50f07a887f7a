// SPDX-License-Identifier: Apache-2.0
// Operators that move elements on OpenCL devices: each is one or more copies between two sets of strides, of any dtype; pads have a
// kernel of their own.
#include <algorithm>

#include "core/base/checked.h"
#include "core/engines/opencl/kernels/kernels.h"
#include "core/engines/opencl/kernels/opencl_kernel.h"
#include "core/engines/opencl/kernels/program_text.h"
#include "core/kernels/eltwise/loop_nest.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/depth_to_space.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/transpose.h"
#include "core/tensor/views.h"

namespace anydim::opencl {

namespace {

using Of = DeviceArgument::Of;

// One copy: dims, and where element 0 of both sides lies.
struct Copy {
  TensorView to, from;
  DeviceArgument::Of to_of = Of::out, from_of = Of::in;
  size_t from_index = 0;
  int64_t to_shift = 0, from_shift = 0;
};

class CopyKernel final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() != key().op) return no("another operator");
    if (p.post_ops->count > 0) return no("post-ops are not fused into this operator");
    if (key().op == OpKind::tile && p.out[0].dims.rank > 4) return no("it repeats at most four axes");
    return yes();
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = by_scratch(args) ? args.out[0].count() * dtype_size(args.out[0].dtype) : 0;
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims>, std::span<const Dims> out, int) const noexcept override {
    return key().op == OpKind::reshape ? saturating_mul(element_count(out[0]), dtype_size(p.out[0].dtype)) : 0;
  }
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    // The text depends on neither the operator nor the dtype: all copies of one rank and size of element are one program.
    out[0] = {};
    out[0].name = "copy";
    out[0].device = kind();
    out[0].add_form(static_cast<uint8_t>(rows_for(*p.op, p.in[0].dims.rank, p.out[0].dims.rank)));
    out[0].add_form(static_cast<uint8_t>(dtype_size(p.out[0].dtype)));
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    return ProgramText(key, width(), columns_of_group(), 1, key.form[0])
        .define("T", element_type(key.form[1]))
        .add("copy")
        .source({"copy"});
  }

  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    const int rows = rows_for(*args.op, args.in[0].dims.rank, args.out[0].dims.rank);
    int64_t part = index;
    for (int i = 0;; ++i) {
      Copy c;
      if (!copy_of(args, i, &c)) return false;
      LoopNest nest;
      const TensorView from[] = {c.from};
      if (!make_loop_nest(c.to, from, {}, &nest)) continue;
      if (add(c, nest, rows, &part, out)) return true;
      if (part < 0) return false;
    }
  }

 private:
  static int rows_for(const Operator& op, int in, int out) noexcept {
    int rank = std::max(in, out);
    if (op.kind() == OpKind::tile) rank = 2 * rank;
    if (op.kind() == OpKind::depth_to_space) rank = 6;
    return std::clamp(rank - 1, 1, kMaxRank - 1);
  }
  // Neither side of a reshape is row-major.
  static bool by_scratch(const Args& args) noexcept {
    return args.op->kind() == OpKind::reshape && !is_row_major(args.in[0]) && !is_row_major(args.out[0]);
  }

  // Takes the part's number off `part` if the copy has fewer parts.
  bool add(const Copy& c, const LoopNest& nest, int rows, int64_t* part, DeviceWork* out) const noexcept {
    const int own = nest.rank - 1;
    const RowRange range = row_range(nest.rows(), nest.columns(), kind() == DeviceKind::gpu ? 1 : kCpuLanes);
    if (const int64_t parts = Arguments::parts(range.groups); *part >= parts) {
      *part -= parts;
      return false;
    }
    if (!Arguments::begin(out, *part, range.groups, columns_of_group())) return false;
    const auto strides = [&](int operand) {
      RowStrides s;
      for (int i = 0; i < own; ++i) s.row[rows - own + i] = nest.strides[operand][i];
      s.column = nest.strides[operand][own];
      return s;
    };
    const auto unit = [&](DeviceArgument::Of of) { return of == Of::scratch ? dtype_size(c.to.dtype) : int64_t{1}; };
    Arguments a(out);
    a.tensor(c.to_of, 0, strides(0), rows).tensor(c.from_of, c.from_index, strides(1), rows);
    a.number(unit(c.to_of)).number(unit(c.from_of)).number(c.to_shift).number(c.from_shift);
    a.number(nest.columns()).number(range.row).number(range.column);
    for (int i = 0; i < rows; ++i) a.number(i < rows - own ? 1 : nest.dims[i - (rows - own)]);
    return true;
  }

  // The i-th copy that the operator is; false: there is none.
  static bool copy_of(const Args& args, int i, Copy* c) noexcept {
    const TensorView &in = args.in[0], &out = args.out[0];
    c->to = out;
    c->from = in;
    const OpKind kind = args.op->kind();
    if (i > 0 && kind != OpKind::concat && !(i == 1 && by_scratch(args))) return false;
    switch (kind) {
      case OpKind::transpose: {
        const Perm& perm = static_cast<const Transpose*>(args.op)->perm();
        c->from.dims = out.dims;
        for (int a = 0; a < perm.rank; ++a) c->from.strides[a] = in.strides[perm[a]];
        return true;
      }
      case OpKind::expand: {
        c->from.dims = out.dims;
        c->from.strides = broadcast_strides(in, out.dims);
        return true;
      }
      case OpKind::slice: {
        const auto& steps = static_cast<const Slice*>(args.op)->steps();
        c->from.dims = out.dims;
        for (int a = 0; a < out.dims.rank; ++a) {
          c->from_shift += args.dim_attributes[static_cast<size_t>(a)] * in.strides[a];
          c->from.strides[a] = in.strides[a] * steps[a];
        }
        return true;
      }
      case OpKind::concat: {
        const auto input = static_cast<size_t>(i);
        if (input >= args.in.size()) return false;
        const int axis = static_cast<const Concat*>(args.op)->axis();
        for (size_t k = 0; k < input; ++k) c->to_shift += args.in[k].dims[axis] * out.strides[axis];
        c->from = args.in[input];
        c->from_index = input;
        c->to.dims = c->from.dims;
        return true;
      }
      case OpKind::tile: {
        // Each axis is two: which repetition, and the input's own.
        c->to.dims = c->to.strides = c->from.dims = c->from.strides = {};
        for (int a = 0; a < in.dims.rank; ++a) {
          const int64_t n = in.dims[a], times = n == 0 ? 0 : out.dims[a] / n;
          for (const int64_t d : {times, n}) {
            c->to.dims.push_back(d);
            c->from.dims.push_back(d);
          }
          c->to.strides.push_back(n * out.strides[a]);
          c->to.strides.push_back(out.strides[a]);
          c->from.strides.push_back(0);
          c->from.strides.push_back(in.strides[a]);
        }
        return true;
      }
      case OpKind::depth_to_space: return depth_to_space(args, c);
      case OpKind::reshape: {
        if (by_scratch(args)) {
          TensorView dense = i == 0 ? in : out;
          dense.strides = dense_strides(dense.dims);
          (i == 0 ? c->to : c->from) = dense;
          (i == 0 ? c->to_of : c->from_of) = Of::scratch;
          return true;
        }
        if (is_row_major(in)) {
          c->from.dims = out.dims;
          c->from.strides = dense_strides(out.dims);
        } else {
          c->to.dims = in.dims;
          c->to.strides = dense_strides(in.dims);
        }
        return true;
      }
      default: return false;
    }
  }

  // As six axes: n, depth, row, row of the square, column, column of the square.
  static bool depth_to_space(const Args& args, Copy* c) noexcept {
    const auto& op = *static_cast<const DepthToSpace*>(args.op);
    const int64_t b = op.block();
    const TensorView &channels = op.inverse() ? args.out[0] : args.in[0], &pixels = op.inverse() ? args.in[0] : args.out[0];
    const int64_t depth = pixels.dims[1];
    const Dims dims{pixels.dims[0], depth, channels.dims[2], b, channels.dims[3], b};
    const int64_t step = channels.strides[1];
    const bool depth_first = op.inverse() || op.order() == DepthToSpace::Order::depth_first;
    const Strides of_channels{channels.strides[0], depth_first ? step : step * b * b,
                              channels.strides[2], depth_first ? step * depth * b : step * b,
                              channels.strides[3], depth_first ? step * depth : step};
    const Strides of_pixels{pixels.strides[0], pixels.strides[1],     pixels.strides[2] * b,
                            pixels.strides[2], pixels.strides[3] * b, pixels.strides[3]};
    c->to.dims = c->from.dims = dims;
    c->to.strides = op.inverse() ? of_channels : of_pixels;
    c->from.strides = op.inverse() ? of_pixels : of_channels;
    return true;
  }
};

class PadKernel final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  Support supports(const Problem& p) const noexcept override {
    const auto* op = as<Pad>(*p.op);
    if (op == nullptr) return no("another operator");
    if (p.post_ops->count > 0) return no("post-ops are not fused into this operator");
    if (p.out[0].dims.rank == 0) return no("it has no axis");
    // An empty input with pads of its elements is an error that the host's kernel words.
    if (op->mode() != Pad::Mode::constant)
      for (const Dim d : p.in[0].dims)
        if (!d.is_number() || d.number() == 0) return no("pads of the input's elements need dims that are numbers");
    return yes();
  }
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_of(p);
    out[0].add_form(static_cast<uint8_t>(p.out[0].dims.rank - 1));
    out[0].add_form(static_cast<uint8_t>(dtype_size(p.out[0].dtype)));
    out[0].add_form(static_cast<uint8_t>(static_cast<const Pad*>(p.op)->mode()));
    out[0].add_form(has_value(p.in) ? 1 : 0);
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, 1, columns_of_group(), 1, key.form[0]);
    text.define("T", element_type(key.form[1])).define("MODE", key.form[2]);
    if (key.form[3] != 0) text.define("HAS_VALUE");
    return text.add("pad").source({"pad"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return false;
    const int rows = y.dims.rank - 1;
    int64_t all = 1;
    for (int i = 0; i < rows; ++i) all *= y.dims[i];
    const int64_t columns = y.dims[rows];
    const int64_t row_step = std::clamp<int64_t>(8192 / std::max<int64_t>(columns, 1), 1, 1024);
    const int64_t groups = kind() == DeviceKind::gpu ? ceil_div(all * columns, kGpuColumns) : ceil_div(all, row_step);
    if (!Arguments::begin(out, index, {groups, 1, 1}, columns_of_group())) return false;
    const auto strides = [&](const TensorView& t) {
      RowStrides s;
      for (int i = 0; i < rows; ++i) s.row[i] = t.strides[i];
      s.column = t.strides[rows];
      return s;
    };
    Arguments a(out);
    a.tensor(Of::out, 0, strides(y), rows).tensor(Of::in, 0, strides(x), rows);
    if (args.in.size() > 1 && args.in[1].dtype != DType::none) a.tensor(Of::in, 1);
    const auto before = [&](int axis) { return args.dim_attributes[static_cast<size_t>(axis)]; };
    a.number(columns).number(x.dims[rows]).number(before(rows));
    for (int i = 0; i < rows; ++i) a.number(y.dims[i]);
    for (int i = 0; i < rows; ++i) a.number(x.dims[i]).number(before(i));
    a.number(row_step);
    return true;
  }

 private:
  static bool has_value(std::span<const TensorType> in) noexcept { return in.size() > 1 && in[1].dtype != DType::none; }
};

}  // namespace

DeviceKernelList mover_kernels() {
#define ANYDIM_COPIES(name)                                                                 \
  static const CopyKernel name##_cpu(#name ".lanes.opencl", OpKind::name, DeviceKind::cpu); \
  static const CopyKernel name##_gpu(#name ".items.opencl", OpKind::name, DeviceKind::gpu)
  ANYDIM_COPIES(transpose);
  ANYDIM_COPIES(reshape);
  ANYDIM_COPIES(expand);
  ANYDIM_COPIES(slice);
  ANYDIM_COPIES(concat);
  ANYDIM_COPIES(tile);
  ANYDIM_COPIES(depth_to_space);
#undef ANYDIM_COPIES
  static const PadKernel pad_cpu("pad.rows.opencl", OpKind::pad, DeviceKind::cpu);
  static const PadKernel pad_gpu("pad.items.opencl", OpKind::pad, DeviceKind::gpu);
  static const DeviceKernel* const all[] = {&transpose_cpu,      &transpose_gpu,      &reshape_cpu, &reshape_gpu, &expand_cpu, &expand_gpu,
                                            &slice_cpu,          &slice_gpu,          &concat_cpu,  &concat_gpu,  &tile_cpu,   &tile_gpu,
                                            &depth_to_space_cpu, &depth_to_space_gpu, &pad_cpu,     &pad_gpu};
  return all;
}

}  // namespace anydim::opencl
