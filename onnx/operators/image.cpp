// SPDX-License-Identifier: Apache-2.0
// Images and grids: CenterCropPad, Col2Im, AffineGrid, MaxUnpool; ReverseSequence and BitCast; ImageScaler, Crop and Affine of the oldest
// opsets.
#include <algorithm>

#include "core/ops/operators/bit_cast.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/fold.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/scatter_elements.h"
#include "onnx/walk/operators.h"
#include "onnx/operators/spatial.h"

namespace anydim::onnx {
namespace {

using B = BinaryFunction;

// Zeros around x, as many as these dims say.
ValueId padded(NodeImport& n, ValueId x, const SymDims& before, const SymDims& after) {
  const auto none = [](const SymDims& d) { return std::all_of(d.begin(), d.end(), [](Dim v) { return v.is(0); }); };
  if (!n.ok() || (none(before) && none(after))) return x;
  return n.add(Pad::make(Pad::Mode::constant, before, after), {x, n.scalar(n.dtype(x), 0)});
}

void center_crop_pad(NodeImport& n) {
  ValueId x = n.in(0);
  const int rank = n.rank(x);
  std::vector<int> axes;
  for (const int64_t a : n.integers("axes")) {
    const int at = n.axis(a, rank);
    if (n.ok() && std::ranges::find(axes, at) != axes.end()) n.wrong("axis {} is given twice", at);
    axes.push_back(at);
  }
  if (!n.has_attribute("axes"))
    for (int i = 0; i < rank; ++i) axes.push_back(i);
  const std::vector<Dim> target = n.elements(1, "shape", static_cast<int64_t>(axes.size()));
  if (n.ok() && target.size() != axes.size()) n.wrong("shape has {} entries; expected {}", target.size(), axes.size());
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  SymDims before = SymDims::filled(rank, 0), after = before;
  for (size_t i = 0; i < axes.size() && n.ok(); ++i) {
    const int a = axes[i];
    const Dim have = n.dims(x)[a], want = target[i];
    n.require(pool.less(-1, want), formatted("the target of axis {}, {}, is not negative", a, pool.text(want)));
    const Dim kept = pool.min(have, want), missing = pool.max(pool.sub(want, have), 0);
    if (!pool.provably_equal(kept, have)) x = n.slice(x, a, pool.floor_div(pool.sub(have, kept), 2), kept);
    before[a] = pool.floor_div(missing, 2);
    after[a] = pool.sub(missing, before[a]);
  }
  n.out(0, padded(n, x, before, after));
}

void col2im(NodeImport& n) {
  const ValueId x = n.in(0);
  const int64_t count = std::max(n.declared_length(1), n.declared_length(2));
  const std::vector<Dim> image = n.elements(1, "image_shape", count), block = n.elements(2, "block_shape", count);
  if (n.ok() && image.size() != block.size()) n.wrong("image_shape has {} entries; block_shape has {}", image.size(), block.size());
  if (n.ok() && (image.empty() || image.size() > static_cast<size_t>(kMaxSpatial)))
    n.unsupported("image_shape has {} entries; expected 1 to {}", image.size(), kMaxSpatial);
  if (!n.ok()) return;
  const SpatialAttributes s = spatial_attributes(n, 2 + static_cast<int>(image.size()));
  Fold::Attributes a;
  a.spatial = s.spatial;
  a.image = SymDims(std::span<const Dim>(image));
  a.window = SymDims(std::span<const Dim>(block));
  std::copy(s.strides, s.strides + kMaxSpatial, a.strides);
  std::copy(s.dilations, s.dilations + kMaxSpatial, a.dilations);
  std::copy(s.pads_begin, s.pads_begin + kMaxSpatial, a.pads_begin);
  std::copy(s.pads_end, s.pads_end + kMaxSpatial, a.pads_end);
  n.out(0, n.add(Fold::make(a), {x}));
}

// Coordinates from -1 to 1 along each axis, the last first, and a 1; times theta.
void affine_grid(NodeImport& n) {
  const ValueId theta = n.in(0);
  const SymDims rows = n.dims(theta);
  const std::vector<Dim> size = n.elements(1, "size", rows.rank == 3 && rows[1].is_number() ? rows[1].number() + 2 : -1);
  const int spatial = static_cast<int>(size.size()) - 2;
  if (n.ok() && spatial != 2 && spatial != 3) n.wrong("size has {} entries; expected 4 or 5", size.size());
  if (n.ok() && n.rank(theta) != 3) n.wrong("theta has rank {}; expected 3", n.rank(theta));
  if (!n.ok()) return;
  n.require_equal(n.dims(theta)[0], size[0], "batches of theta");
  n.require_equal(n.dims(theta)[1], spatial, "rows of theta");
  n.require_equal(n.dims(theta)[2], spatial + 1, "columns of theta");
  DimPool& pool = n.pool();
  const bool corners = n.integer("align_corners", 0) != 0;
  const DType t = NodeImport::computed_type(n.dtype(theta));
  const auto number = [&](Dim d) { return n.cast(n.shape(DType::i64, {}, {d}), t); };
  SymDims all;
  Dim count = 1;
  for (int i = 0; i < spatial; ++i) all.push_back(size[static_cast<size_t>(2 + i)]), count = pool.mul(count, all[i]);
  std::vector<ValueId> columns;
  for (int i = spatial - 1; i >= 0 && n.ok(); --i) {
    const Dim d = all[i];
    const ValueId at = n.cast(n.add(Range::make(DType::i64, corners ? 0 : 1, 2, d), {}), t);  // 2 i, or 2 i + 1
    const ValueId place = n.binary(B::sub, n.binary(B::div, at, number(corners ? pool.sub(d, 1) : d)), n.scalar(t, 1));
    SymDims ones = SymDims::filled(spatial, 1);
    ones[i] = d;
    columns.push_back(n.reshape(n.expand(n.reshape(place, ones), all), {count, 1}));
  }
  columns.push_back(n.expand(n.scalar(t, 1), {count, 1}));
  const ValueId base = n.add(Concat::make(1), columns);
  Matmul::Attributes product;
  product.transpose_b = true;
  const ValueId grid = n.add(Matmul::make(product), {base, n.widened(theta)});
  SymDims dims{size[0]};
  for (const Dim d : all) dims.push_back(d);
  dims.push_back(spatial);
  n.out(0, n.cast(n.reshape(grid, dims), n.dtype(theta)));
}

// Elements stored where MaxPool found them, in a tensor of zeros. What output_shape has beyond the pooling's own dims lies at the end.
void max_unpool(NodeImport& n) {
  const ValueId x = n.in(0), indices = n.in(1);
  const SpatialAttributes s = spatial_attributes(n, n.rank(x));
  if (n.ok() && !s.has_kernel) n.wrong("attribute kernel_shape is absent; it is required");
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  SymDims dims = n.dims(x);
  for (int i = 0; i < s.spatial; ++i) {
    const Dim spread = pool.mul(pool.sub(dims[2 + i], 1), s.strides[i]);
    dims[2 + i] = pool.max(pool.add(spread, s.kernel[i] - s.pads_begin[i] - s.pads_end[i]), 0);
  }
  const Dim count = n.product(n.dims(x), 0, n.rank(x)), all = n.product(dims, 0, dims.rank);
  const ValueId zeros = n.expand(n.scalar(n.dtype(x), 0), {all});
  ValueId y = n.add(ScatterElements::make(0), {zeros, n.reshape(indices, {count}), n.reshape(x, {count})});
  y = n.reshape(y, dims);
  if (n.has(2)) {
    const std::vector<Dim> target = n.elements(2, "output_shape", dims.rank);
    if (n.ok() && target.size() != static_cast<size_t>(dims.rank))
      n.wrong("output_shape has {} entries; expected {}", target.size(), dims.rank);
    if (!n.ok()) return;
    SymDims after;
    for (int i = 0; i < dims.rank; ++i) {
      after.push_back(pool.sub(target[static_cast<size_t>(i)], dims[i]));
      n.require(pool.less(-1, after[i]), formatted("dim {} of output_shape is {} or more", i, pool.text(dims[i])));
    }
    y = padded(n, y, SymDims::filled(dims.rank, 0), after);
  }
  n.out(0, y);
}

// The first so many elements of each row, backwards: rows of batch and time are picked by index.
void reverse_sequence(NodeImport& n) {
  const ValueId x = n.in(0), lengths = n.in(1);
  const int batch = n.axis(n.integer("batch_axis", 1), n.rank(x)), time = n.axis(n.integer("time_axis", 0), n.rank(x));
  if (n.ok() && batch == time) n.wrong("batch_axis and time_axis are both {}", batch);
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  const SymDims dims = n.dims(x);
  // Both axes go first, in the order that they have: where they are the first two, as usual, nothing is moved.
  const bool time_first = time < batch;
  Perm order{std::min(batch, time), std::max(batch, time)};
  for (int i = 0; i < dims.rank; ++i)
    if (i != batch && i != time) order.push_back(i);
  Perm back = Perm::filled(dims.rank, 0);
  for (int i = 0; i < dims.rank; ++i) back[order[i]] = i;
  const Dim rows = dims[batch], steps = dims[time], all = pool.mul(rows, steps);
  const SymDims by_step = time_first ? SymDims{steps, 1} : SymDims{1, steps}, by_row = time_first ? SymDims{1, rows} : SymDims{rows, 1};
  const ValueId step = n.reshape(n.add(Range::make(DType::i64, 0, 1, steps), {}), by_step);
  ValueId length = n.reshape(n.cast(lengths, DType::i64), by_row);
  // One beyond the steps would read the next row; so it reads beyond all of them, which is refused.
  if (!time_first) length = n.where(n.binary(B::less, n.shape(DType::i64, {}, {steps}), length), n.scalar(DType::i64, 0x1p60), length);
  const ValueId turned = n.binary(B::sub, n.binary(B::sub, length, n.scalar(DType::i64, 1)), step);
  ValueId within = n.where(n.binary(B::less, step, length), turned, step);
  if (time_first) within = n.binary(B::mul, within, n.shape(DType::i64, {}, {rows}));
  const ValueId first = n.reshape(n.add(Range::make(DType::i64, 0, time_first ? Dim(1) : steps, rows), {}), by_row);
  const ValueId index = n.reshape(n.binary(B::add, within, first), {all});
  const bool moves = order[0] != 0 || order[1] != 1;
  const ValueId moved = moves ? n.transpose(x, order) : x;
  SymDims flat{all}, ordered = n.dims(moved);
  for (int i = 2; i < dims.rank; ++i) flat.push_back(ordered[i]);
  const ValueId y = n.reshape(n.add(Gather::make(0), {n.reshape(moved, flat), index}), ordered);
  n.out(0, moves ? n.transpose(y, back) : y);
}

void bit_cast(NodeImport& n) {
  Result<DType> t = dtype_of(static_cast<int32_t>(n.integer("to")));
  if (n.ok() && !t.ok()) return n.fail(t.take_status());
  if (n.ok()) n.out(0, n.add(BitCast::make(*t), {n.in(0)}));
}

// --- the oldest opsets ---------------------------------------------------------------------------------------------

void image_scaler(NodeImport& n) {
  const ValueId x = n.in(0), wide = n.widened(x);
  const std::vector<float> bias = n.reals("bias");
  if (n.ok() && n.rank(x) != 4) n.wrong("input 0 has rank {}; expected 4", n.rank(x));
  const auto channels = static_cast<int64_t>(bias.size());
  if (n.ok()) n.require_equal(n.dims(x)[1], channels, "channels");
  if (!n.ok()) return;
  const ValueId added = n.cast(n.constant(DType::f32, {channels, 1, 1}, bias.data()), n.dtype(wide));
  const ValueId scaled = n.binary(B::mul, wide, n.scalar(n.dtype(wide), static_cast<double>(n.real("scale", 1.f))));
  n.out(0, n.cast(n.binary(B::add, scaled, added), n.dtype(x)));
}

void crop(NodeImport& n) {
  const ValueId x = n.in(0);
  const std::vector<int64_t> border = n.integers("border"), scale = n.integers("scale");  // left, top, right, bottom; height, width
  if (n.ok() && (n.rank(x) != 4 || border.size() != 4 || (!scale.empty() && scale.size() != 2)))
    n.wrong("input 0 has rank {}, border {} entries and scale {}; expected 4, 4 and 0 or 2", n.rank(x), border.size(), scale.size());
  if (!n.ok()) return;
  DimPool& pool = n.pool();
  ValueId y = x;
  for (int i = 0; i < 2 && n.ok(); ++i) {  // height, width
    const Dim have = n.dims(x)[2 + i];
    const int64_t first = border[i == 0 ? 1 : 0], last = border[i == 0 ? 3 : 2];
    const Dim length = scale.empty() ? pool.sub(have, first + last) : Dim(scale[static_cast<size_t>(i)]);
    n.require(pool.less(-1, length), formatted("what is left of dim {}, {}, is not negative", 2 + i, pool.text(length)));
    n.require(pool.less(pool.add(length, first - 1), have),
              formatted("dim {}, {}, has {} elements after the first {}", 2 + i, pool.text(have), pool.text(length), first));
    y = n.slice(y, 2 + i, first, length);
  }
  n.out(0, y);
}

void affine(NodeImport& n) {
  const ValueId x = n.in(0), wide = n.widened(x);
  const auto number = [&](const char* name, float otherwise) {
    return n.scalar(n.dtype(wide), static_cast<double>(n.real(name, otherwise)));
  };
  const ValueId y = n.binary(B::add, n.binary(B::mul, wide, number("alpha", 1.f)), number("beta", 0.f));
  n.out(0, n.cast(y, n.dtype(x)));
}

constexpr Importer kImageOperators[] = {
    {"AffineGrid", 20, affine_grid},
    {"BitCast", 26, bit_cast},
    {"CenterCropPad", 18, center_crop_pad},
    {"Col2Im", 18, col2im},
    {"MaxUnpool", 9, max_unpool},
    {"ReverseSequence", 10, reverse_sequence},
    // Experimental operators that ONNX removed again; old converters wrote them.
    {"Affine", 1, affine},
    {"Crop", 1, crop},
    {"ImageScaler", 1, image_scaler},
};

}  // namespace

std::span<const Importer> image_importers() { return kImageOperators; }

}  // namespace anydim::onnx
