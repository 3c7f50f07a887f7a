// SPDX-License-Identifier: Apache-2.0
// Gather, GatherElements, GatherND, ScatterElements and ScatterND as moves by indices: each says here which axes are
// walked, which are looked up, and where updates may meet.
#include "core/kernels/copy/strided_copy.h"
#include "core/kernels/gather/combine.h"
#include "core/kernels/gather/indexed_move.h"
#include "core/kernels/gather/numbers.h"
#include "core/kernels/gather/plain.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/gather_elements.h"
#include "core/ops/operators/gather_nd.h"
#include "core/ops/operators/scatter_nd.h"

namespace anydim {

namespace {

IndexedMove move_of(const IndexSteps& steps, const TensorView& table, const TensorView& list, const TensorView& indices,
                    bool puts) noexcept {
  IndexedMove m;
  m.find = steps.find;
  m.table = table.as<std::byte>();
  m.list = list.as<std::byte>();
  m.indices = indices.as<std::byte>();
  m.wide = indices.dtype == DType::i64;
  m.size = dtype_size(table.dtype);
  m.puts = puts;
  m.function = puts ? putting_function(m.size) : taking_function(m.size);
  return m;
}

// Indices that are coordinates lie along the last axis of their tensor, one per axis of the table from `first` on.
struct Lookup {
  int first;
  bool coordinates;
};

void look_up(IndexedMove* m, const TensorView& table, const TensorView& indices, Lookup by) noexcept {
  const int last = indices.rank() - 1;
  m->coordinates = by.coordinates ? static_cast<int>(indices.dims[last]) : 1;
  for (int i = 0; i < m->coordinates; ++i)
    m->coordinate[i] = {table.dims[by.first + i], table.strides[by.first + i], by.coordinates ? i * indices.strides[last] : 0};
}

// An axis of one index per element; where the indices repeat along it (an index that was expanded), whole slices move at each.
void pick_or_move_across(IndexedMove* m, const MoveAxis& a, bool looked_up) noexcept {
  if (a.index == 0 && !looked_up) m->across(a);
  else m->pick(a);
}

// Runs the move; if it fails, says which index is the first, in logical order, that is out of range.
Status run_checked(const IndexedMove& m, const TensorView& table, const TensorView& indices, Lookup by, const Parallel& parallel) noexcept {
  if (run_move(m, parallel)) return {};
  return for_each(indices.dims, [&](const Dims& at) {
    const int axis = by.coordinates ? by.first + static_cast<int>(at.back()) : by.first;
    int64_t index = 0;
    return checked_index(indices, at, axis, table.dims[axis], &index);
  });
}

void copy_data(const TensorView& data, const TensorView& out, const Parallel& parallel) noexcept {
  if (data.data == out.data) return;
  StridedCopy c;
  c.from = data.as<const std::byte>();
  c.to = out.as<std::byte>();
  c.size = dtype_size(data.dtype);
  for (int i = 0; i < data.rank(); ++i) c.axis(data.dims[i], data.strides[i], out.strides[i]);
  run_copy(c, CopyCore::portable, parallel);
}

template <class T, ScatterReduction r> void combine_block(const MoveBlock& b) noexcept {
  T* table = reinterpret_cast<T*>(b.table);
  if (b.length == 1) {
    const T* list = reinterpret_cast<const T*>(b.list);
    const int64_t step = b.list_step / static_cast<int64_t>(sizeof(T));
    for (int64_t i = 0; i < b.picks; ++i) table[b.offsets[i]] = combine(r, table[b.offsets[i]], list[i * step]);
    return;
  }
  for (int64_t i = 0; i < b.picks; ++i) {
    T* __restrict at = table + b.offsets[i];
    const T* __restrict list = reinterpret_cast<const T*>(b.list + i * b.list_step);
    if (b.table_inner == 1 && b.list_inner == 1 && b.row != nullptr)
      b.row(reinterpret_cast<float*>(at), reinterpret_cast<const float*>(list), b.length);
    else if (b.table_inner == 1 && b.list_inner == 1)
      for (int64_t j = 0; j < b.length; ++j) at[j] = combine(r, at[j], list[j]);
    else
      for (int64_t j = 0; j < b.length; ++j) at[j * b.table_inner] = combine(r, at[j * b.table_inner], list[j * b.list_inner]);
  }
}

template <ScatterReduction r> MoveFunction combining_as(DType t) noexcept {
  MoveFunction f = nullptr;
  with_type(t, [&](auto zero) { f = combine_block<decltype(zero), r>; });
  return f;
}
void combining(IndexedMove* m, const IndexSteps& steps, ScatterReduction r, DType t) noexcept {
  if (r == ScatterReduction::none) return;
  m->copies = false;
  if (t == DType::f32 && r == ScatterReduction::max) m->row = steps.largest;
  if (t == DType::f32 && r == ScatterReduction::min) m->row = steps.smallest;
  m->function = r == ScatterReduction::add   ? combining_as<ScatterReduction::add>(t)
                : r == ScatterReduction::mul ? combining_as<ScatterReduction::mul>(t)
                : r == ScatterReduction::min ? combining_as<ScatterReduction::min>(t)
                                             : combining_as<ScatterReduction::max>(t);
}

}  // namespace

Status run_gather(const Args& args, const IndexSteps& steps) noexcept {
  const TensorView &data = args.in[0], &indices = args.in[1], &out = args.out[0];
  const int axis = static_cast<const Gather*>(args.op)->axis(), picked = indices.rank();
  IndexedMove m = move_of(steps, data, out, indices, false);
  look_up(&m, data, indices, {axis, false});
  for (int i = 0; i < picked; ++i) m.pick({indices.dims[i], 0, out.strides[axis + i], indices.strides[i]});
  for (int i = 0; i < data.rank(); ++i)
    if (i != axis) m.across({data.dims[i], data.strides[i], out.strides[i < axis ? i : i + picked - 1]});
  return run_checked(m, data, indices, {axis, false}, args.parallel);
}

Status run_gather_elements(const Args& args, const IndexSteps& steps) noexcept {
  const TensorView &data = args.in[0], &indices = args.in[1], &out = args.out[0];
  const int axis = static_cast<const GatherElements*>(args.op)->axis();
  IndexedMove m = move_of(steps, data, out, indices, false);
  look_up(&m, data, indices, {axis, false});
  for (int i = 0; i < out.rank(); ++i)
    pick_or_move_across(&m, {out.dims[i], i == axis ? 0 : data.strides[i], out.strides[i], indices.strides[i]}, i == axis);
  return run_checked(m, data, indices, {axis, false}, args.parallel);
}

Status run_gather_nd(const Args& args, const IndexSteps& steps) noexcept {
  const TensorView &data = args.in[0], &indices = args.in[1], &out = args.out[0];
  const int batch = static_cast<const GatherNd*>(args.op)->batch_dims(), last = indices.rank() - 1;
  IndexedMove m = move_of(steps, data, out, indices, false);
  look_up(&m, data, indices, {batch, true});
  for (int i = 0; i < last; ++i) m.pick({indices.dims[i], i < batch ? data.strides[i] : 0, out.strides[i], indices.strides[i]});
  for (int i = batch + m.coordinates, o = last; i < data.rank(); ++i, ++o) m.across({data.dims[i], data.strides[i], out.strides[o]});
  return run_checked(m, data, indices, {batch, true}, args.parallel);
}

// Updates meet only where they differ in nothing but their position along the axis: every order of the other axes, on any
// threads, keeps theirs.
Status run_scatter_elements(const Args& args, const IndexSteps& steps) noexcept {
  const TensorView &indices = args.in[1], &updates = args.in[2], &out = args.out[0];
  const auto& op = *static_cast<const ScatterElements*>(args.op);
  copy_data(args.in[0], out, args.parallel);
  IndexedMove m = move_of(steps, out, updates, indices, true);
  combining(&m, steps, op.reduction(), out.dtype);
  look_up(&m, out, indices, {op.axis(), false});
  for (int i = 0; i < out.rank(); ++i) {
    const bool along = i == op.axis();
    pick_or_move_across(&m, {indices.dims[i], along ? 0 : out.strides[i], updates.strides[i], indices.strides[i], !along}, along);
  }
  return run_checked(m, out, indices, {op.axis(), false}, args.parallel);
}

// Any two updates may meet: they go in order, and threads share the slices instead.
Status run_scatter_nd(const Args& args, const IndexSteps& steps) noexcept {
  const TensorView &indices = args.in[1], &updates = args.in[2], &out = args.out[0];
  const int last = indices.rank() - 1;
  copy_data(args.in[0], out, args.parallel);
  IndexedMove m = move_of(steps, out, updates, indices, true);
  m.ordered = true;
  combining(&m, steps, static_cast<const ScatterNd*>(args.op)->reduction(), out.dtype);
  look_up(&m, out, indices, {0, true});
  for (int i = 0; i < last; ++i) m.pick({indices.dims[i], 0, updates.strides[i], indices.strides[i], false});
  for (int i = m.coordinates, o = last; i < out.rank(); ++i, ++o) m.across({out.dims[i], out.strides[i], updates.strides[o]});
  return run_checked(m, out, indices, {0, true}, args.parallel);
}

}  // namespace anydim
