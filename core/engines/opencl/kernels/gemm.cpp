// SPDX-License-Identifier: Apache-2.0
// Products of matrices on OpenCL devices: tiles over packed columns for devices that are like CPUs, local memory for the others.
#include <algorithm>

#include "core/base/checked.h"
#include "core/engines/opencl/kernels/groups.h"
#include "core/engines/opencl/kernels/kernels.h"
#include "core/engines/opencl/kernels/tiles.h"
#include "core/ops/operators/matmul.h"

namespace anydim::opencl {

namespace {

using Of = DeviceArgument::Of;

bool has_c(std::span<const TensorType> in) noexcept { return in.size() > 2 && in[2].dtype != DType::none; }

// The matrices of a product, for actual dims. Rows of the result are its batch axes, then m.
struct Product {
  int rows = 1;
  int64_t dims[kMaxRank] = {};  // of the rows
  int64_t m = 1, k = 0, n = 1;
  RowStrides y, a, b, c;  // along the rows, and along columns; of a along k
  int64_t b_k = 0;
  int64_t b_dims[kMaxRank] = {};  // of b's own batch axes, 1 where it repeats; of m 1
  int64_t items = 1, all_rows = 1;
  bool shared_b = true;  // b has no batch axes
};

int tile_rows_of(const Problem& p) noexcept {
  return p.out[0].dims.rank - (p.in[0].dims.rank > 1 ? 1 : 0) - (p.in[1].dims.rank > 1 ? 1 : 0) + 1;
}

Product product_of(const Args& args) noexcept {
  const Matmul::Attributes& at = as<Matmul>(*args.op)->get();
  const TensorView &a = args.in[0], &b = args.in[1], &y = args.out[0];
  const bool has_m = a.rank() > 1, has_n = b.rank() > 1;
  const int ra = a.rank(), rb = b.rank(), batch = y.rank() - has_m - has_n;
  const int a_row = ra - (at.transpose_a ? 1 : 2), a_k = ra == 1 ? 0 : ra - (at.transpose_a ? 2 : 1);
  const int b_column = rb - (at.transpose_b ? 2 : 1), b_k = rb == 1 ? 0 : rb - (at.transpose_b ? 1 : 2);
  Product p;
  p.rows = batch + 1;
  p.m = has_m ? a.dims[a_row] : 1;
  p.k = a.dims[a_k];
  p.n = has_n ? b.dims[b_column] : 1;
  const auto along_batch = [&](const TensorView& t, int own, int i) {  // stride of batch axis i of the result
    const int axis = i - (batch - own);
    return axis < 0 || t.dims[axis] == 1 ? 0 : t.strides[axis];
  };
  const bool c = args.in.size() > 2 && args.in[2].dtype != DType::none;
  const auto along_c = [&](int axis) {  // of the result's axis
    const int own = axis - (y.rank() - args.in[2].rank());
    return own < 0 || args.in[2].dims[own] == 1 ? 0 : args.in[2].strides[own];
  };
  for (int i = 0; i < batch; ++i) {
    p.dims[i] = y.dims[i];
    p.y.row[i] = y.strides[i];
    p.a.row[i] = along_batch(a, std::max(ra - 2, 0), i);
    p.b.row[i] = along_batch(b, std::max(rb - 2, 0), i);
    const int own = i - (batch - std::max(rb - 2, 0));
    p.b_dims[i] = own < 0 ? 1 : b.dims[own];
    if (own >= 0) p.shared_b = false;
    p.c.row[i] = c ? along_c(i) : 0;
    p.items *= p.dims[i];
  }
  p.dims[batch] = p.m;
  p.b_dims[batch] = 1;
  p.all_rows = p.items * p.m;
  p.y.row[batch] = has_m ? y.strides[batch] : 0;
  p.a.row[batch] = has_m ? a.strides[a_row] : 0;
  p.c.row[batch] = c && has_m ? along_c(batch) : 0;
  p.y.column = has_n ? y.strides[y.rank() - 1] : 0;
  p.a.column = a.strides[a_k];
  p.b.column = has_n ? b.strides[b_column] : 0;
  p.b_k = b.strides[b_k];
  p.c.column = c && has_n ? along_c(y.rank() - 1) : 0;
  return p;
}

class GemmKernel : public OpenclKernel {
 public:
  using OpenclKernel::OpenclKernel;

  int programs(const Problem& p, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_with_common_functions(p);
    out[0].add_form(static_cast<uint8_t>(tile_rows_of(p)));
    out[0].add_form(has_c(p.in) ? 1 : 0);
    return 1;
  }

 protected:
  Support supports_all(const Problem& p) const noexcept {
    if (as<Matmul>(*p.op) == nullptr) return no("another operator");
    if (!all_f32(p)) return no("it is for f32");
    const int rows = tile_rows_of(p);
    if (argument_count(5 * rows + 23, *p.post_ops, rows) > DeviceWork::kMostArguments) return no("the chain has too many arguments");
    return supports_chain(p);
  }
  static void c_and_chain(Arguments& a, const Args& args, const Product& p) noexcept {
    if (args.in.size() > 2 && args.in[2].dtype != DType::none) a.tensor(Of::in, 2, p.c, p.rows).real(as<Matmul>(*args.op)->get().beta);
    int row_axes[kMaxRank];
    const bool has_m = args.in[0].rank() > 1, has_n = args.in[1].rank() > 1;
    for (int i = 0; i < p.rows; ++i) row_axes[i] = i < p.rows - 1 || has_m ? i : -1;
    a.chain(args, row_axes, p.rows, has_n ? args.out[0].rank() - 1 : -1, true);
  }
  static float alpha(const Args& args) noexcept { return as<Matmul>(*args.op)->get().alpha; }
  static int64_t columns(const Operator& op, const Dims& b) noexcept {
    return b.rank == 1 ? 1 : b[b.rank - (as<Matmul>(op)->get().transpose_b ? 2 : 1)];
  }
  static int64_t depth(const Operator& op, const Dims& b) noexcept {
    return b.rank == 1 ? b[0] : b[b.rank - (as<Matmul>(op)->get().transpose_b ? 1 : 2)];
  }
  static int64_t items(const Dims& b) noexcept {
    int64_t n = 1;
    for (int i = 0; i < b.rank - 2; ++i) n = saturating_mul(n, b[i]);
    return n;
  }
};

// The right side is packed: when the primitive is made if it is constant, else in scratch by a launch of its own.
class GemmTiles final : public GemmKernel {
 public:
  GemmTiles(const char* name, const TileSet& tiles) noexcept : GemmKernel(name, OpKind::matmul, DeviceKind::cpu), tiles_(tiles) {}
  DeviceNeeds needs() const noexcept override { return tile_needs(tiles_); }

  Support supports(const Problem& p) const noexcept override { return supports_all(p); }
  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1)) return form;
    const Dims b = numbers(p.in[1].dims);
    const TileShape& shape = tiles_.shape_for(columns(*p.op, b));
    form.format = "opencl.columns";
    form.operands.add(1);
    form.add("columns", DType::f32,
             saturating_mul(items(b), saturating_mul(shape.blocks(columns(*p.op, b)), depth(*p.op, b) * shape.columns())));
    return form;
  }
  Status pack(const Problem& p, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const TensorView& b = tensors[1];
    const bool transposed = as<Matmul>(*p.op)->get().transpose_b;
    const int64_t n = columns(*p.op, b.dims), k = depth(*p.op, b.dims);
    const int rb = b.rank();
    const int64_t column_step = rb == 1 ? 0 : b.strides[rb - (transposed ? 2 : 1)];
    const int64_t k_step = b.strides[rb == 1 ? 0 : rb - (transposed ? 1 : 2)];
    const TileShape& shape = tiles_.shape_for(n);
    const int64_t blocks = shape.blocks(n);
    packing.parallel.run(items(b.dims) * blocks, [&](int64_t task, int) {
      int64_t item = task / blocks, offset = 0;
      for (int i = rb - 3; i >= 0; --i) {
        offset += item % b.dims[i] * b.strides[i];
        item /= b.dims[i];
      }
      pack_columns(shape, b.as<const float>() + offset, k, k_step, n, column_step, task % blocks * shape.columns(),
                   reinterpret_cast<float*>(pieces[0]) + task * k * shape.columns());
    });
    return {};
  }
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = args.packs(1) ? 0 : packed_bytes(*args.op, args.in[1].dims);
    set_choice(args, plan);
  }
  int plan_revision() const noexcept override { return kTileRevision; }
  int plan_choices(const Args& args, std::span<PlanChoice> out) const noexcept override {
    return tile_choices(tiles_, tiles_.number_for(product_of(args).n), out);
  }
  CompileKey chosen(const CompileKey& reusable, const Plan& plan) const noexcept override {
    CompileKey key = reusable;
    key.variant = tile_variant(reusable.variant, tile_of(tiles_, reusable.variant, plan), tiles_.shapes[reusable.variant]);
    return key;
  }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    return p.is_constant(1) ? 0 : packed_bytes(*p.op, in[1]);  // it never falls with a dim
  }
  int programs(const Problem& p, const DeviceTraits& device, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    GemmKernel::programs(p, device, out);
    if (p.is_constant(1)) {
      out[0].variant = static_cast<uint8_t>(tiles_.number_for(columns(*p.op, numbers(p.in[1].dims))));
      out[0].add_form(0);
      return 1;
    }
    out[0].add_form(1);  // it packs, too
    for (int i = 1; i < tiles_.count; ++i) {
      out[static_cast<size_t>(i)] = out[0];
      out[static_cast<size_t>(i)].variant = static_cast<uint8_t>(i);
    }
    return tiles_.count;
  }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, width(), 1, 1, key.form[0]);
    if (key.form[1] != 0) text.define("HAS_C");
    add_tiles(&text, tile_of_variant(tiles_, key.variant));
    text.add("gemm");
    if (key.form[2] == 0) return text.source({"gemm"});
    return text.add("gemm_pack").source({"gemm", "gemm_pack"});
  }
  bool work(const Plan& plan, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (args.out[0].count() == 0) return false;
    const Product p = product_of(args);
    const int which = tiles_.number_for(p.n);
    const TileShape shape = tile_of(tiles_, which, plan);
    const bool packed = args.packs(1);
    out->program = packed ? 0 : which;
    int64_t part = index;
    if (!packed && p.k > 0) {
      const int64_t step = std::max<int64_t>(1, 16384 / shape.columns());
      const std::array<int64_t, 3> groups{shape.blocks(p.n), ceil_div(p.k, step), items(args.in[1].dims)};
      const int64_t parts = Arguments::parts(groups);
      if (part < parts) {
        out->entry = 1;
        if (!Arguments::begin(out, part, groups)) return false;
        Arguments a(out);
        a.tensor(Of::scratch, 0).tensor(Of::in, 1);
        a.numbers(p.b.row, p.rows).number(p.b.column).number(p.b_k).number(p.n).number(p.k).number(step).numbers(p.b_dims, p.rows);
        return true;
      }
      part -= parts;
    }
    const int64_t rows = p.shared_b ? p.all_rows : p.m;
    const int64_t blocks = shape.blocks(p.n), items_of_b = p.shared_b ? 1 : p.items;
    const int64_t many = tiles_of_item(ceil_div(rows, shape.positions), blocks * items_of_b, p.k);
    const int64_t tiles = ceil_div(rows, shape.positions * many);
    const bool by_blocks = blocks_first(blocks, 4 * p.k * blocks * shape.columns(), 4 * p.k * rows);
    if (!Arguments::begin(out, part, {by_blocks ? blocks : tiles, by_blocks ? tiles : blocks, items_of_b})) return false;
    Arguments a(out);
    a.tensor(Of::out, 0, p.y, p.rows).tensor(Of::in, 0, p.a, p.rows);
    a.tensor(packed ? Of::piece : Of::scratch, 0).number(packed ? 1 : 4);
    // Along packed items of b.
    int64_t steps[kMaxRank] = {}, step = shape.blocks(p.n) * p.k * shape.columns();
    for (int i = p.rows - 2; i >= 0; --i) {
      if (p.b_dims[i] != 1) steps[i] = step;
      step *= p.b_dims[i];
    }
    a.numbers(steps, p.rows).number(rows).number(p.n).number(p.k).number(many).flag(by_blocks).real(alpha(args)).numbers(p.dims, p.rows);
    c_and_chain(a, args, p);
    return true;
  }

 private:
  int64_t packed_bytes(const Operator& op, const Dims& b) const noexcept {
    const int64_t n = columns(op, b);
    const TileShape& shape = tiles_.shape_for(n);
    return saturating_mul(saturating_mul(items(b), 4 * shape.columns()), saturating_mul(shape.blocks(n), depth(op, b)));
  }

  const TileSet& tiles_;
};

// On devices that are like GPUs. The right side is packed if it is constant, else it is read as it is.
class GemmGroups final : public GemmKernel {
 public:
  GemmGroups(const char* name, const GroupSet& set) noexcept : GemmKernel(name, OpKind::matmul, DeviceKind::gpu), set_(set) {}
  DeviceNeeds needs() const noexcept override { return group_needs(set_); }
  Support supports(const Problem& p) const noexcept override { return supports_all(p); }
  PackedForm packed_form(const Problem& p) const noexcept override {
    PackedForm form;
    if (!p.is_constant(1)) return form;
    const Dims b = numbers(p.in[1].dims);
    form.format = "opencl.groups";
    form.operands.add(1);
    form.add("columns", DType::f32, saturating_mul(items(b), packed_right(depth(*p.op, b), columns(*p.op, b))));
    return form;
  }
  Status pack(const Problem& p, std::span<const TensorView> tensors, const Packing& packing,
              std::span<std::byte* const> pieces) const override {
    const TensorView& b = tensors[1];
    const bool transposed = as<Matmul>(*p.op)->get().transpose_b;
    const int64_t n = columns(*p.op, b.dims), k = depth(*p.op, b.dims);
    const int rb = b.rank();
    const int64_t column_step = rb == 1 ? 0 : b.strides[rb - (transposed ? 2 : 1)];
    const int64_t k_step = b.strides[rb == 1 ? 0 : rb - (transposed ? 1 : 2)];
    const int64_t blocks = ceil_div(n, kPackedColumns);
    packing.parallel.run(items(b.dims) * blocks, [&](int64_t task, int) {
      int64_t item = task / blocks, offset = 0;
      for (int i = rb - 3; i >= 0; --i) {
        offset += item % b.dims[i] * b.strides[i];
        item /= b.dims[i];
      }
      pack_right(b.as<const float>() + offset, k, k_step, n, column_step, task % blocks, 0, k,
                 reinterpret_cast<float*>(pieces[0]) + task / blocks * packed_right(k, n));
    });
    return {};
  }
  int programs(const Problem& p, const DeviceTraits& device, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    GemmKernel::programs(p, device, out);
    const bool packed = p.is_constant(1);
    out[0].add_form(packed ? 0 : 1);
    int tiles[kMostGroupTiles];
    const int count = group_tiles(set_, packed ? columns(*p.op, numbers(p.in[1].dims)) : 0, tiles);
    for (int i = 0; i < kFewRows; ++i) {
      out[static_cast<size_t>(count + i)] = out[0];
      out[static_cast<size_t>(count + i)].variant = static_cast<uint8_t>(kMostGroupTiles + i);
    }
    for (int i = count; i-- > 0;) {
      out[static_cast<size_t>(i)] = out[0];
      out[static_cast<size_t>(i)].variant = static_cast<uint8_t>(tiles[i]);
    }
    return count + kFewRows;
  }
  DeviceSource source(const CompileKey& key) const override {
    if (key.variant >= kMostGroupTiles) {
      ProgramText text(key, 1, kPackedColumns / 4, kSlices, key.form[0]);
      if (key.form[1] != 0) text.define("HAS_C");
      if (key.form[2] == 0) text.define("PACKED");
      return text.define("LINES", kLines[key.variant - kMostGroupTiles]).add("gemm_lines").source_with_memory({"gemm_lines"}, "LINES_END");
    }
    const GroupTile& tile = kGroupTiles[key.variant];
    ProgramText text(key, 1, tile.local_x(), tile.local_y(), key.form[0]);
    if (key.form[1] != 0) text.define("HAS_C");
    add_group_tile(&text, tile, key.form[2] == 0, false);
    return text.add("gemm_groups").source_with_memory({"gemm_groups"}, "GROUP_END");
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (args.out[0].count() == 0) return false;
    const Product p = product_of(args);
    const bool packed = args.packs(1);
    const int64_t rows = p.shared_b ? p.all_rows : p.m, items_of_b = p.shared_b ? 1 : p.items;
    int tiles[kMostGroupTiles];
    const int count = group_tiles(set_, packed ? p.n : 0, tiles);
    if (rows <= kLines[kFewRows - 1] && rows * items_of_b > 0) {
      const int few = rows <= kLines[0] ? 0 : kFewRows - 1;
      out->program = count + few;
      const std::array<int64_t, 3> groups{ceil_div(p.n, kPackedColumns), ceil_div(rows, kLines[few]), items_of_b};
      if (!Arguments::begin(out, index, groups, kPackedColumns / 4, kSlices)) return false;
    } else {
      const int which = best_tile({tiles, static_cast<size_t>(count)}, out->device, rows, p.n, items_of_b);
      const GroupTile& tile = kGroupTiles[tiles[which]];
      out->program = which;
      if (!Arguments::begin(out, index, groups_of(tile, rows, p.n, items_of_b), tile.local_x(), tile.local_y())) return false;
    }
    Arguments a(out);
    a.tensor(Of::out, 0, p.y, p.rows).tensor(Of::in, 0, p.a, p.rows);
    if (packed) {
      RowStrides steps;
      int64_t step = packed_right(p.k, p.n);
      for (int i = p.rows - 2; i >= 0; --i) {
        if (p.b_dims[i] != 1) steps.row[i] = step;
        step *= p.b_dims[i];
      }
      a.tensor(Of::piece, 0).numbers(steps.row, p.rows).number(1).number(1);
    } else {
      a.tensor(Of::in, 1, p.b, p.rows).number(p.b_k);
    }
    a.number(rows).number(p.n).number(p.k).real(alpha(args)).numbers(p.dims, p.rows);
    c_and_chain(a, args, p);
    return true;
  }

 private:
  // Programs for few rows (source/gemm_lines.cl), which follow those of tiles, and work-items that share a column.
  static constexpr int kFewRows = 2, kSlices = 8;
  static constexpr int kLines[kFewRows] = {1, 8};
  const GroupSet& set_;
};

class GemmDirect final : public GemmKernel {
 public:
  using GemmKernel::GemmKernel;
  DeviceNeeds needs() const noexcept override { return {DeviceKind::gpu, 2 * 16 * 33 * 4, 256, false}; }
  Support supports(const Problem& p) const noexcept override { return supports_all(p); }
  DeviceSource source(const CompileKey& key) const override {
    ProgramText text(key, 1, 16, 16, key.form[0]);
    if (key.form[1] != 0) text.define("HAS_C");
    DeviceSource source = text.add("gemm_direct").source({"gemm_direct"});
    source.wrappable = false;  // it declares its group's memory
    return source;
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (args.out[0].count() == 0) return false;
    const Product p = product_of(args);
    const int64_t rows = p.shared_b ? p.all_rows : p.m;
    if (!Arguments::begin(out, index, {ceil_div(p.n, 32), ceil_div(rows, 32), p.shared_b ? 1 : p.items}, 16, 16)) return false;
    Arguments a(out);
    a.tensor(Of::out, 0, p.y, p.rows).tensor(Of::in, 0, p.a, p.rows).tensor(Of::in, 1, p.b, p.rows).number(p.b_k);
    a.number(rows).number(p.n).number(p.k).real(alpha(args)).numbers(p.dims, p.rows);
    c_and_chain(a, args, p);
    return true;
  }
};

}  // namespace

DeviceKernelList gemm_kernels() {
  static const GemmTiles tiles("gemm.tiles.opencl", kWideProducts), narrow_tiles("gemm.narrow_tiles.opencl", kNarrowProducts);
  static const GemmDirect direct("gemm.local.opencl", OpKind::matmul, DeviceKind::gpu);
  static const GemmGroups groups("gemm.groups.opencl", kLargeGroups), small_groups("gemm.small_groups.opencl", kSmallGroups);
  static const DeviceKernel* const all[] = {&tiles, &narrow_tiles, &groups, &small_groups, &direct};
  return all;
}

}  // namespace anydim::opencl
