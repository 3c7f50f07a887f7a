// SPDX-License-Identifier: Apache-2.0
// Reductions, softmax, layer normalisation and the range of a tensor on OpenCL devices.
#include <algorithm>

#include "core/base/checked.h"
#include "core/engines/opencl/kernels/kernels.h"
#include "core/engines/opencl/kernels/opencl_kernel.h"
#include "core/engines/opencl/kernels/program_text.h"
#include "core/kernels/eltwise/loop_nest.h"
#include "core/kernels/reduce/axes.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/quantization_range.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/softmax.h"
#include "core/tensor/views.h"

namespace anydim::opencl {

namespace {

using Of = DeviceArgument::Of;

// Kept axes as rows and columns; `rows` of them in the program.
struct Kept {
  RowStrides in, out;
  int64_t dims[kMaxRank] = {};
  Kept(const SplitAxes& s, int rows) noexcept {
    const int missing = rows - s.outer_rank;
    for (int i = 0; i < rows; ++i) {
      dims[i] = i < missing ? 1 : s.outer_dims[i - missing];
      in.row[i] = i < missing ? 0 : s.outer_in[i - missing];
      out.row[i] = i < missing ? 0 : s.outer_out[i - missing];
    }
    in.column = s.in_stride;
    out.column = s.out_stride;
  }
};

// A row's lanes on devices that are like GPUs, and rows of a group (source/lanes.cl).
constexpr int kLanes = 32, kRowsOfGroup = 4;
constexpr const char* kGroupMemory = "8 * LOCAL_Y";

int axis_of(int64_t axis, int rank) noexcept { return static_cast<int>(axis < 0 ? axis + rank : axis); }

class ReduceKernel final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  Support supports(const Problem& p) const noexcept override {
    if (as<Reduce>(*p.op) == nullptr) return no("another operator");
    if (p.post_ops->count > 0) return no("post-ops are not fused into this operator");
    if (!all_f32(p)) return no("it is for f32");
    return p.in[0].dims.rank > 0 ? yes() : no("it has no axis");
  }
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    const int rank = p.in[0].dims.rank;
    const uint32_t mask = mask_of(*p.op, rank);
    out[0] = key_of(p);
    out[0].add_form(static_cast<uint8_t>(as<Reduce>(*p.op)->reduction()));
    out[0].add_form(static_cast<uint8_t>(rank));
    out[0].add_form(lanes(mask, rank) ? 1 : 0);
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    const int rank = key.form[1];
    const bool in_lanes = key.form[2] != 0;
    const bool group = in_lanes && kind() == DeviceKind::gpu;
    ProgramText text(key, in_lanes ? 1 : width(), group ? kLanes : columns_of_group(), group ? kRowsOfGroup : 1, std::max(rank - 1, 1));
    text.define("REDUCED", in_lanes ? 1 : rank);
    const Words w = words(static_cast<ReduceKind>(key.form[0]));
    text.define("START", w.start).define("TAKE", w.take).define("JOINED", w.joined).define("END", w.end);
    if (static_cast<ReduceKind>(key.form[0]) == ReduceKind::log_sum_exp) text.define("SHIFTED");
    if (group) return text.add("lanes").add("reduce").source_with_memory({"reduce_lanes"}, kGroupMemory);
    return text.add("reduce").source({in_lanes ? "reduce_lanes" : "reduce_chain"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return false;
    const int rank = x.rank(), rows = std::max(rank - 1, 1);
    const uint32_t mask = mask_of(*args.op, rank);
    const bool in_lanes = lanes(mask, rank);
    int64_t out_strides[kMaxRank] = {};
    for (int i = 0, o = 0; i < rank; ++i) {
      const bool reduced = (mask >> i & 1) != 0;
      if (!reduced) out_strides[i] = y.strides[o];
      if (!reduced || as<Reduce>(*args.op)->keepdims()) ++o;
    }
    const SplitAxes s = split_axes(rank, x.dims.values, x.strides.values, out_strides, mask);
    const Kept kept(s, rows);
    const int local = columns_of_group(), lanes_of_item = in_lanes ? 1 : width();
    if (in_lanes && kind() == DeviceKind::gpu) {
      if (!Arguments::begin(out, index, {1, ceil_div(s.width * s.outer_count, kRowsOfGroup), 1}, kLanes, kRowsOfGroup)) return false;
    } else if (!Arguments::begin(out, index, {ceil_div(s.width, lanes_of_item * local), s.outer_count, 1}, local)) {
      return false;
    }
    Arguments a(out);
    a.tensor(Of::out, 0, kept.out, rows).tensor(Of::in, 0, kept.in, rows);
    a.number(s.width).number(s.reduced.count).numbers(kept.dims, rows);
    const int reduced = in_lanes ? 1 : rank, missing = reduced - s.reduced.rank;
    for (int i = 0; i < reduced; ++i)
      a.number(i < missing ? 1 : s.reduced.dims[i - missing]).number(i < missing ? 0 : s.reduced.in_strides[i - missing]);
    return true;
  }

 private:
  struct Words {
    const char *start, *take, *joined, *end;
  };
  static Words words(ReduceKind kind) noexcept {
    constexpr const char *kSum = "acc = acc + v;", *kSquare = "acc = fma(v, v, acc);";
    switch (kind) {
      case ReduceKind::sum: return {"0.f", kSum, "b_add", ""};
      case ReduceKind::mean: return {"0.f", kSum, "b_add", "total = total / SET((float)count);"};
      case ReduceKind::sum_square: return {"0.f", kSquare, "b_add", ""};
      case ReduceKind::l2: return {"0.f", kSquare, "b_add", "total = sqrt(total);"};
      case ReduceKind::l1: return {"0.f", "acc = acc + f_abs(v);", "b_add", ""};
      case ReduceKind::prod: return {"1.f", "acc = acc * v;", "b_mul", ""};
      case ReduceKind::log_sum: return {"0.f", kSum, "b_add", "total = f_log(total);"};
      case ReduceKind::log_sum_exp: return {"0.f", "acc = acc + f_exp(v - shift);", "b_add", "total = f_log(total) + shift;"};
      case ReduceKind::max: return {"-INFINITY", "acc = b_max(acc, v);", "b_max", ""};
      case ReduceKind::min: return {"INFINITY", "acc = b_min(acc, v);", "b_min", ""};
    }
    return {};
  }
  static uint32_t mask_of(const Operator& op, int rank) noexcept {
    uint32_t mask = 0;
    (void)as<Reduce>(op)->axis_mask(rank, &mask);  // checked by the shape rule
    return mask;
  }
  static bool lanes(uint32_t mask, int rank) noexcept { return mask == UINT32_C(1) << (rank - 1); }
};

class SoftmaxKernel final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  Support supports(const Problem& p) const noexcept override {
    if (as<Softmax>(*p.op) == nullptr) return no("another operator");
    if (p.post_ops->count > 0) return no("post-ops are not fused into this operator");
    if (!all_f32(p)) return no("it is for f32");
    return p.in[0].dims.rank > 0 ? yes() : no("it has no axis");
  }
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    const int rank = p.in[0].dims.rank;
    out[0] = key_of(p);
    out[0].add_form(static_cast<uint8_t>(rank));
    out[0].add_form(axis_of(as<Softmax>(*p.op)->axis(), rank) == rank - 1 ? 1 : 0);
    out[0].add_form(as<Softmax>(*p.op)->log() ? 1 : 0);
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    const bool group = key.form[1] != 0 && kind() == DeviceKind::gpu;
    ProgramText text(key, width(), group ? kLanes : columns_of_group(), group ? kRowsOfGroup : 1, std::max(key.form[0] - 1, 1));
    if (key.form[2] != 0) text.define("LOGARITHM");
    if (group) return text.add("lanes").add("softmax").source_with_memory({"softmax_lanes"}, kGroupMemory);
    return text.add("softmax").source({key.form[1] != 0 ? "softmax_lanes" : "softmax_chain"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return false;
    const int rank = x.rank(), rows = std::max(rank - 1, 1), axis = axis_of(as<Softmax>(*args.op)->axis(), rank);
    const SplitAxes s = split_axes(rank, x.dims.values, x.strides.values, y.strides.values, UINT32_C(1) << axis);
    Kept kept(s, rows);
    const int local = columns_of_group(), lanes_of_item = axis == rank - 1 ? 1 : width();
    if (axis == rank - 1 && kind() == DeviceKind::gpu) {
      if (!Arguments::begin(out, index, {1, ceil_div(s.width * s.outer_count, kRowsOfGroup), 1}, kLanes, kRowsOfGroup)) return false;
    } else if (!Arguments::begin(out, index, {ceil_div(s.width, lanes_of_item * local), s.outer_count, 1}, local)) {
      return false;
    }
    Arguments a(out);
    a.tensor(Of::out, 0, kept.out, rows).number(y.strides[axis]).tensor(Of::in, 0, kept.in, rows).number(x.strides[axis]);
    a.number(s.width).number(x.dims[axis]).numbers(kept.dims, rows);
    return true;
  }
};

class LayerNormKernel final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  Support supports(const Problem& p) const noexcept override {
    const auto* op = as<LayerNorm>(*p.op);
    if (op == nullptr) return no("another operator");
    if (!all_f32(p)) return no("it is for f32");
    const int rank = p.in[0].dims.rank;
    if (rank == 0 || axis_of(op->axis(), rank) != rank - 1) return no("it normalises the last axis alone");
    const int rows = std::max(rank - 1, 1);
    if (argument_count(3 * rows + 14, *p.post_ops, rows) > DeviceWork::kMostArguments) return no("the chain has too many arguments");
    return supports_chain(p);
  }
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_of(p);
    out[0].add_form(static_cast<uint8_t>(p.in[0].dims.rank));
    for (size_t i = 1; i < 3; ++i) out[0].add_form(p.in.size() > i && p.in[i].dtype != DType::none ? 1 : 0);
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    const bool group = kind() == DeviceKind::gpu;
    ProgramText text(key, width(), group ? kLanes : 1, group ? kRowsOfGroup : 1, std::max(key.form[0] - 1, 1));
    if (key.form[1] != 0) text.define("HAS_GAMMA");
    if (key.form[2] != 0) text.define("HAS_BETA");
    if (group) return text.add("lanes").add("norm").source_with_memory({"layer_norm"}, kGroupMemory);
    return text.add("norm").source({"layer_norm"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    const TensorView &x = args.in[0], &y = args.out[0];
    if (y.count() == 0) return false;
    const int rank = x.rank(), rows = std::max(rank - 1, 1);
    int64_t all = 1, dims[kMaxRank] = {1};
    int row_axes[kMaxRank] = {-1};
    RowStrides to, from;
    for (int i = 0; i + 1 < rank; ++i) {
      all *= dims[i] = x.dims[i];
      row_axes[i] = i;
      to.row[i] = y.strides[i];
      from.row[i] = x.strides[i];
    }
    to.column = y.strides[rank - 1];
    from.column = x.strides[rank - 1];
    if (kind() == DeviceKind::gpu) {
      if (!Arguments::begin(out, index, {1, ceil_div(all, kRowsOfGroup), 1}, kLanes, kRowsOfGroup)) return false;
    } else if (!Arguments::begin(out, index, {all, 1, 1})) {
      return false;
    }
    Arguments a(out);
    a.tensor(Of::out, 0, to, rows).tensor(Of::in, 0, from, rows);
    a.number(x.dims[rank - 1]).real(as<LayerNorm>(*args.op)->epsilon()).numbers(dims, rows);
    for (size_t i = 1; i < args.in.size(); ++i)
      if (args.in[i].dtype != DType::none) a.tensor(Of::in, i).number(args.in[i].strides[0]);
    a.chain(args, row_axes, rows, rank - 1);
    return true;
  }
};

// Large tensors by two launches: the first one gives the least and the greatest of each group.
class QuantizationRangeKernel final : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  DeviceNeeds needs() const noexcept override {
    DeviceNeeds n = OpenclKernel::needs();
    if (kind() == DeviceKind::gpu) n.local_memory = bytes(columns_of_group());
    return n;
  }
  Support supports(const Problem& p) const noexcept override {
    if (as<QuantizationRange>(*p.op) == nullptr) return no("another operator");
    return p.post_ops->count > 0 ? no("post-ops are not fused into this operator") : yes();
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    const Groups g(args.in[0]);
    plan->scratch = g.count() > 1 ? bytes(g.count()) : 0;
  }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    return element_count(in[0]) > kElements ? bytes(2 * kMany + 1) : 0;
  }
  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_of(p);
    return 1;
  }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, width(), columns_of_group(), 1, kRows);
    text.add("quantization_range");
    return columns_of_group() > 1 ? text.source_with_memory({"quantization_range"}, "LOCAL_X / 2") : text.source({"quantization_range"});
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    const Groups g(args.in[0]);
    const int64_t count = g.count();
    const bool first = index == 0, alone = count == 1 || !first;
    if (index > (count > 1 ? 1 : 0)) return false;
    const int own = g.nest.rank - 1;
    if (!Arguments::begin(out, 0, {alone ? 1 : count, 1, 1}, columns_of_group())) return false;
    RowStrides x;
    for (int i = 0; first && i < own; ++i) x.row[kRows - own + i] = g.nest.strides[0][i];
    x.column = first ? g.nest.strides[0][own] : 1;
    const int64_t unit = sizeof(float), columns = first ? g.nest.columns() : 2 * count;
    Arguments a(out);
    a.tensor(alone ? Of::out : Of::scratch, 0).number(alone ? 1 : unit).tensor(Of::out, QuantizationRange::kZeroPoint);
    a.tensor(first ? Of::in : Of::scratch, 0).number(first ? 1 : unit).strides(x, kRows);
    a.flag(alone).number(columns).number(first ? g.row_step : 1).number(first ? g.column_step : columns);
    for (int i = 0; i < kRows; ++i) a.number(!first || i < kRows - own ? 1 : g.nest.dims[i - (kRows - own)]);
    return true;
  }

 private:
  // Of any rank, so that there is one program: most tensors are a single row.
  static constexpr int kRows = kMaxRank - 1;
  // A group has about so many elements, and more where there would be more than 2 * kMany + 1 groups.
  static constexpr int64_t kElements = 32 << 10, kMany = 256;
  static int64_t bytes(int64_t groups) noexcept { return groups * int64_t{2 * sizeof(float)}; }

  // How a tensor is cut into groups: ranges of a row, or whole rows. One without elements is a row of none.
  struct Groups {
    LoopNest nest;
    int64_t row_step = 1, column_step = 1;
    explicit Groups(const TensorView& x) noexcept {
      if (!make_loop_nest(x, {}, {}, &nest)) {
        nest.rank = 2;
        nest.dims[0] = 1;
        nest.dims[1] = 0;
      }
      const int64_t columns = std::max<int64_t>(nest.columns(), 1), part = std::max(kElements, ceil_div(nest.rows() * columns, kMany));
      row_step = std::max<int64_t>(part / columns, 1);
      column_step = std::min(columns, part);
    }
    int64_t count() const noexcept { return ceil_div(std::max<int64_t>(nest.columns(), 1), column_step) * ceil_div(nest.rows(), row_step); }
  };
};

}  // namespace

DeviceKernelList reduction_kernels() {
  static const ReduceKernel reduce_cpu("reduce.lanes.opencl", OpKind::reduce, DeviceKind::cpu);
  static const ReduceKernel reduce_gpu("reduce.items.opencl", OpKind::reduce, DeviceKind::gpu);
  static const SoftmaxKernel softmax_cpu("softmax.lanes.opencl", OpKind::softmax, DeviceKind::cpu);
  static const SoftmaxKernel softmax_gpu("softmax.items.opencl", OpKind::softmax, DeviceKind::gpu);
  static const LayerNormKernel norm_cpu("layer_norm.lanes.opencl", OpKind::layer_norm, DeviceKind::cpu);
  static const LayerNormKernel norm_gpu("layer_norm.items.opencl", OpKind::layer_norm, DeviceKind::gpu);
  static const QuantizationRangeKernel range_cpu("quantization_range.lanes.opencl", OpKind::quantization_range, DeviceKind::cpu);
  static const QuantizationRangeKernel range_gpu("quantization_range.items.opencl", OpKind::quantization_range, DeviceKind::gpu);
  static const DeviceKernel* const all[] = {&reduce_cpu, &reduce_gpu, &softmax_cpu, &softmax_gpu,
                                            &norm_cpu,   &norm_gpu,   &range_cpu,   &range_gpu};
  return all;
}

}  // namespace anydim::opencl
