// SPDX-License-Identifier: Apache-2.0
// The movers as strided copies: each operator says here which boxes it copies from where to where, and the kernels of
// all instruction sets share that.
#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <utility>

#include "core/kernels/copy/copy.h"
#include "core/kernels/copy/reference.h"
#include "core/kernels/copy/strided_copy.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/sets.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/depth_to_space.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/tile.h"
#include "core/ops/operators/transpose.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

using Mover = Status (*)(const CopyCore& core, const Args& args) noexcept;

StridedCopy copy_between(const TensorView& src, const TensorView& dst) noexcept {
  StridedCopy c;
  c.from = src.as<const std::byte>();
  c.to = dst.as<std::byte>();
  c.size = dtype_size(dst.dtype);
  return c;
}

Status move_transpose(const CopyCore& core, const Args& args) noexcept {
  const TensorView &src = args.in[0], &dst = args.out[0];
  const Perm& perm = static_cast<const Transpose*>(args.op)->perm();
  StridedCopy c = copy_between(src, dst);
  for (int i = 0; i < perm.rank; ++i) c.axis(dst.dims[i], src.strides[perm[i]], dst.strides[i]);
  run_copy(c, core, args.parallel);
  return {};
}

Status move_expand(const CopyCore& core, const Args& args) noexcept {
  const TensorView &src = args.in[0], &dst = args.out[0];
  const Strides s = broadcast_strides(src, dst.dims);
  StridedCopy c = copy_between(src, dst);
  for (int i = 0; i < dst.dims.rank; ++i) c.axis(dst.dims[i], s[i], dst.strides[i]);
  run_copy(c, core, args.parallel);
  return {};
}

Status move_slice(const CopyCore& core, const Args& args) noexcept {
  const TensorView &src = args.in[0], &dst = args.out[0];
  const auto& steps = static_cast<const Slice*>(args.op)->steps();
  if (dst.count() == 0) return {};
  StridedCopy c = copy_between(src, dst);
  for (int i = 0; i < dst.dims.rank; ++i) {
    c.from += args.dim_attributes[static_cast<size_t>(i)] * src.strides[i] * c.size;
    // The step to a second element is as large as the file has it where there is none.
    c.axis(dst.dims[i], dst.dims[i] > 1 ? src.strides[i] * steps[i] : 0, dst.strides[i]);
  }
  run_copy(c, core, args.parallel);
  return {};
}

// Two or four tensors of one element along an axis that lies innermost, dense and in the same order: a stack of values of 4 bytes.
bool is_interleaving(const TensorView& dst, std::span<const TensorView> in, int axis) noexcept {
  const auto n = static_cast<int64_t>(in.size());
  if ((n != 2 && n != 4) || dtype_size(dst.dtype) != 4 || dst.dims[axis] != n || dst.strides[axis] != 1) return false;
  for (const TensorView& src : in) {
    int64_t last = 0;  // element; dense if there are as many as that
    for (int i = 0; i < src.dims.rank; ++i) {
      if (i == axis || src.dims[i] == 1) continue;
      if (src.strides[i] <= 0 || src.strides[i] != in[0].strides[i] || dst.strides[i] != n * src.strides[i]) return false;
      last += (src.dims[i] - 1) * src.strides[i];
    }
    if (src.dims[axis] != 1 || last + 1 != src.count()) return false;
  }
  return true;
}
// to[i * N + k] = from[k][i], four elements of each at a time by vectors that every x86-64 and aarch64 has.
template <int N> void interleave(const uint32_t* const (&from)[N], uint32_t* to, int64_t begin, int64_t end) noexcept {
  using Four = uint32_t __attribute__((vector_size(16)));
  const auto low = [](Four a, Four b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); };
  const auto high = [](Four a, Four b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); };
  int64_t i = begin;
  for (; i + 4 <= end; i += 4) {
    Four v[N], t[N];
    for (int k = 0; k < N; ++k) std::memcpy(&v[k], from[k] + i, sizeof(Four));
    if constexpr (N == 4) {
      for (int k = 0; k < 2; ++k) {
        t[2 * k] = low(v[k], v[k + 2]);
        t[2 * k + 1] = high(v[k], v[k + 2]);
      }
      for (int k = 0; k < 2; ++k) {
        v[2 * k] = low(t[k], t[k + 2]);
        v[2 * k + 1] = high(t[k], t[k + 2]);
      }
    } else {
      t[0] = low(v[0], v[1]);
      t[1] = high(v[0], v[1]);
      v[0] = t[0];
      v[1] = t[1];
    }
    std::memcpy(to + i * N, v, sizeof v);
  }
  for (; i < end; ++i)
    for (int k = 0; k < N; ++k) to[i * N + k] = from[k][i];
}
template <int N> void interleave_all(const Args& args) noexcept {
  const uint32_t* from[N];
  for (int k = 0; k < N; ++k) from[k] = args.in[static_cast<size_t>(k)].as<const uint32_t>();
  const int64_t count = args.in[0].count();
  constexpr int64_t kEach = 16 << 10;
  args.parallel.run(ceil_div(count, kEach), [&](int64_t task, int) {
    interleave<N>(from, args.out[0].as<uint32_t>(), task * kEach, std::min(count, (task + 1) * kEach));
  });
}

Status move_concat(const CopyCore& core, const Args& args) noexcept {
  const TensorView& dst = args.out[0];
  const int axis = static_cast<const Concat*>(args.op)->axis();
  if (is_interleaving(dst, args.in, axis)) {
    if (args.in.size() == 2) interleave_all<2>(args);
    else interleave_all<4>(args);
    return {};
  }
  int64_t at = 0;
  for (const TensorView& src : args.in) {
    StridedCopy c = copy_between(src, dst);
    c.to += at * dst.strides[axis] * c.size;
    at += src.dims[axis];
    if (c.from == c.to) continue;  // written in place by whoever made it
    for (int i = 0; i < dst.dims.rank; ++i) c.axis(src.dims[i], src.strides[i], dst.strides[i]);
    run_copy(c, core, args.parallel);
  }
  return {};
}

// The outermost axis that is repeated, if what stands there once lies without a gap and waits in the second cache: then it is made once,
// and copied as it is; else -1.
int tiled_in_blocks(const Args& args, int64_t* bytes) noexcept {
  constexpr int64_t kLeast = 4 << 10, kMost = 512 << 10;
  const TensorView& dst = args.out[0];
  if (dst.count() == 0 || !is_row_major(dst)) return -1;
  int axis = 0;
  while (axis < dst.rank() && args.dim_attributes[static_cast<size_t>(axis)] == 1) ++axis;
  if (axis == dst.rank()) return -1;
  *bytes = args.in[0].dims[axis] * dtype_size(dst.dtype);
  for (int i = axis + 1; i < dst.rank(); ++i) *bytes *= dst.dims[i];
  return *bytes >= kLeast && *bytes <= kMost ? axis : -1;
}

Status move_tile(const CopyCore& core, const Args& args) noexcept {
  const TensorView &src = args.in[0], &dst = args.out[0];
  int64_t bytes = 0;
  const int blocks = tiled_in_blocks(args, &bytes);
  StridedCopy c = copy_between(src, dst);
  for (int i = 0; i < dst.dims.rank; ++i) {
    c.axis(i == blocks ? 1 : args.dim_attributes[static_cast<size_t>(i)], 0, dst.strides[i] * src.dims[i]);
    c.axis(src.dims[i], src.strides[i], dst.strides[i]);
  }
  run_copy(c, core, args.parallel);
  if (blocks < 0) return {};
  const int64_t each = args.dim_attributes[static_cast<size_t>(blocks)], all = dst.count() * c.size / bytes;
  const auto copy = [&](int64_t k, int) {
    if (k % each != 0) std::memcpy(c.to + k * bytes, c.to + k / each * each * bytes, static_cast<size_t>(bytes));
  };
  constexpr int64_t kParallelBytes = 1 << 20;
  if (all * bytes >= kParallelBytes) args.parallel.run(all, copy);
  else
    for (int64_t k = 0; k < all; ++k) copy(k, 0);
  return {};
}

Status move_depth_to_space(const CopyCore& core, const Args& args) noexcept {
  const auto& op = *static_cast<const DepthToSpace*>(args.op);
  // `deep` has the many channels, `wide` the many pixels.
  const TensorView& deep = op.inverse() ? args.out[0] : args.in[0];
  const TensorView& wide = op.inverse() ? args.in[0] : args.out[0];
  const int64_t b = op.block(), depth = wide.dims[1], square = b * b;
  StridedCopy c = copy_between(args.in[0], args.out[0]);
  const Strides &d = deep.strides, &w = wide.strides;
  const bool crd = op.order() == DepthToSpace::Order::column_first;
  const int64_t depth_step = crd ? square : 1, block_step = crd ? 1 : depth;
  const int64_t deep_strides[6] = {d[0], d[1] * depth_step, d[1] * block_step * b, d[1] * block_step, d[2], d[3]};
  const int64_t wide_strides[6] = {w[0], w[1], w[2], w[3], w[2] * b, w[3] * b};
  const int64_t dims[6] = {deep.dims[0], depth, b, b, deep.dims[2], deep.dims[3]};
  for (int i = 0; i < 6; ++i)
    if (op.inverse()) c.axis(dims[i], wide_strides[i], deep_strides[i]);
    else c.axis(dims[i], deep_strides[i], wide_strides[i]);
  run_copy(c, core, args.parallel);
  return {};
}

// One pad of no more than the input.
struct PadJob {
  const CopyCore& core;
  const Args& args;
  Pad::Mode mode;
  TensorView src, dst;
  int64_t before[kMaxRank], after[kMaxRank];
};

// Constant: the inside, then one slab before and one after per axis (axes already done at full length). Other modes:
// the inside, then per axis each missing plane from one that is there.
void pad_box(const PadJob& j) noexcept {
  const TensorView &src = j.src, &dst = j.dst;
  const int rank = dst.dims.rank;
  if (dst.count() == 0) return;
  Dims before, inside;  // of the output: where copied elements begin, and how many there are
  StridedCopy c = copy_between(src, dst);
  for (int i = 0; i < rank; ++i) {
    const int64_t b = j.before[i], a = j.after[i], skip = b < 0 ? -b : 0;
    before.push_back(std::min(b > 0 ? b : 0, dst.dims[i]));
    inside.push_back(std::max<int64_t>(src.dims[i] - skip - (a < 0 ? -a : 0), 0));
    c.from += skip * src.strides[i] * c.size;
    c.to += before[i] * dst.strides[i] * c.size;
    c.axis(inside[i], src.strides[i], dst.strides[i]);
  }
  if (element_count(inside) > 0) run_copy(c, j.core, j.args.parallel);

  static constexpr uint64_t kZero = 0;
  const bool has_value = j.args.in.size() > 1 && j.args.in[1].data != nullptr;
  const std::byte* value = has_value ? j.args.in[1].as<const std::byte>() : reinterpret_cast<const std::byte*>(&kZero);
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t b = before[axis], n = inside[axis], a = dst.dims[axis] - b - n;
    StridedCopy slab = copy_between(dst, dst);
    // Axes before this one are complete; those after it have their inside only, or all of it for a constant.
    int64_t origin = 0;
    for (int i = 0; i < rank; ++i) {
      if (i == axis) continue;
      const bool whole = j.mode == Pad::Mode::constant ? i > axis : i < axis;
      if (!whole) origin += before[i] * dst.strides[i];
      slab.axis(whole ? dst.dims[i] : inside[i], dst.strides[i], dst.strides[i]);
    }
    const std::byte* from = slab.from + origin * slab.size;
    std::byte* to = slab.to + origin * slab.size;
    if (j.mode == Pad::Mode::constant) {
      for (int i = 0; i < slab.rank; ++i) slab.src[i] = 0;
      slab.from = value;
      const int others = slab.rank;
      slab.axis(b, 0, dst.strides[axis]);
      slab.to = to;
      run_copy(slab, j.core, j.args.parallel);
      slab.rank = others;
      slab.axis(a, 0, dst.strides[axis]);
      slab.to = to + (b + n) * dst.strides[axis] * slab.size;
      run_copy(slab, j.core, j.args.parallel);
      continue;
    }
    for (int64_t i = 0; i < b + a; ++i) {
      const int64_t place = i < b ? i : n + i;
      slab.from = from + (b + pad_source(j.mode, place - b, n)) * dst.strides[axis] * slab.size;
      slab.to = to + place * dst.strides[axis] * slab.size;
      run_copy(slab, j.core, j.args.parallel);
    }
  }
}

// Modes that copy from the input, where an axis is cropped: its pads may be copies of what is cropped. So its inside, and each plane
// beyond, is a pad of the other axes.
void pad_cropped(const PadJob& j) noexcept {
  int axis = 0;
  while (axis < j.dst.dims.rank && j.before[axis] >= 0 && j.after[axis] >= 0) ++axis;
  if (axis == j.dst.dims.rank) return pad_box(j);
  const int64_t length = j.src.dims[axis], size = dtype_size(j.dst.dtype);
  for (int64_t at = 0; at < j.dst.dims[axis];) {
    const int64_t place = at - j.before[axis];
    const bool inside = place >= 0 && place < length;
    const int64_t from = inside ? place : pad_source(j.mode, place, length);
    PadJob part = j;
    part.before[axis] = part.after[axis] = 0;
    part.src.dims[axis] = part.dst.dims[axis] = inside ? std::min(length - place, j.dst.dims[axis] - at) : 1;
    part.src.data = static_cast<std::byte*>(j.src.data) + from * j.src.strides[axis] * size;
    part.dst.data = static_cast<std::byte*>(j.dst.data) + at * j.dst.strides[axis] * size;
    pad_cropped(part);
    at += part.dst.dims[axis];
  }
}

Status move_pad(const CopyCore& core, const Args& args) noexcept {
  PadJob j{core, args, static_cast<const Pad*>(args.op)->mode(), args.in[0], args.out[0], {}, {}};
  const int rank = j.dst.dims.rank;
  if (j.dst.count() == 0) return {};
  for (int i = 0; i < rank; ++i) {
    j.before[i] = args.dim_attributes[static_cast<size_t>(i)];
    j.after[i] = args.dim_attributes[static_cast<size_t>(rank + i)];
  }
  if (j.mode == Pad::Mode::constant) return pad_box(j), Status{};
  if (j.src.count() == 0) return invalid("pad: the input is empty; there is nothing to copy pads from");
  pad_cropped(j);
  return {};
}

// Views the dims as few as its strides allow: neighbours that lie densely become one.
void merge_dense(const TensorView& t, Dims* dims, Strides* strides) noexcept {
  for (int i = 0; i < t.dims.rank; ++i) {
    if (t.dims[i] == 1) continue;
    const int k = dims->rank - 1;
    if (k >= 0 && strides->values[k] == t.strides[i] * t.dims[i]) {
      dims->values[k] *= t.dims[i];
      strides->values[k] = t.strides[i];
    } else {
      dims->push_back(t.dims[i]);
      strides->push_back(t.strides[i]);
    }
  }
}

// n elements, the strides in bytes.
template <class T> void copy_run(const std::byte* from, int64_t src, std::byte* to, int64_t dst, int64_t n) noexcept {
  for (int64_t i = 0; i < n; ++i) std::memcpy(to + i * dst, from + i * src, sizeof(T));
}

// A place in dims of which the last ones go first, and what is left of the last one.
struct RunWalk {
  const Dims& dims;
  const Strides& strides;
  int64_t at[kMaxRank] = {}, offset = 0;
  int last;

  RunWalk(const Dims& d, const Strides& s) noexcept : dims(d), strides(s), last(d.rank - 1) {}
  int64_t left() const noexcept { return dims[last] - at[last]; }
  void advance(int64_t n) noexcept {
    at[last] += n;
    offset += n * strides[last];
    for (int a = last; a > 0 && at[a] == dims[a]; --a) {
      offset += strides[a - 1] - at[a] * strides[a];
      at[a] = 0;
      ++at[a - 1];
    }
  }
};

// Where the tensors share no box: as many elements at once as lie in a line on both sides.
void reshape_by_runs(const StridedCopy& c, const Dims& a, const Strides& as, const Dims& b, const Strides& bs, int64_t count) noexcept {
  RunWalk from(a, as), to(b, bs);
  for (int64_t done = 0, n; done < count; done += n, from.advance(n), to.advance(n)) {
    n = std::min(from.left(), to.left());
    const std::byte* x = c.from + from.offset * c.size;
    std::byte* y = c.to + to.offset * c.size;
    const int64_t src = as[from.last] * c.size, dst = bs[to.last] * c.size;
    if (src == c.size && dst == c.size) std::memcpy(y, x, static_cast<size_t>(n * c.size));
    else if (c.size == 1) copy_run<uint8_t>(x, src, y, dst, n);
    else if (c.size == 2) copy_run<uint16_t>(x, src, y, dst, n);
    else if (c.size == 4) copy_run<uint32_t>(x, src, y, dst, n);
    else copy_run<uint64_t>(x, src, y, dst, n);
  }
}

// Both sides in the same logical order: from the innermost dim outwards the longer one is cut by the shorter, and what comes of it is
// one box, unless neither divides the other.
Status move_reshape(const CopyCore& core, const Args& args) noexcept {
  const TensorView &src = args.in[0], &dst = args.out[0];
  if (dst.count() == 0) return {};
  Dims a, b;
  Strides as, bs;
  merge_dense(src, &a, &as);
  merge_dense(dst, &b, &bs);
  StridedCopy c = copy_between(src, dst);
  Dims from = a, to = b;
  Strides from_steps = as, to_steps = bs;
  int i = a.rank - 1, j = b.rank - 1;
  while (i >= 0 && j >= 0) {
    const int64_t n = std::min(from[i], to[j]);
    if (from[i] % n != 0 || to[j] % n != 0 || c.rank == kMaxCopyRank) return reshape_by_runs(c, a, as, b, bs, dst.count()), Status{};
    c.axis(n, from_steps[i], to_steps[j]);
    from[i] /= n;
    from_steps[i] *= n;
    to[j] /= n;
    to_steps[j] *= n;
    if (from[i] == 1) --i;
    if (to[j] == 1) --j;
  }
  run_copy(c, core, args.parallel);
  return {};
}

class MoverKernel final : public HostKernel {
 public:
  constexpr MoverKernel(const char* name, Isa isa, const CopyCore& core, OpKind op, Mover mover)
      : name_(name), key_{op, DType::none, DType::none, LayoutFamily::any, isa}, core_(core), mover_(mover) {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem& p) const noexcept override { return p.post_ops->count > 0 ? no("a mover takes no post-ops") : yes(); }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  Status run(const Plan&, const Args& args) const noexcept override { return mover_(core_, args); }

 private:
  const char* name_;
  KernelKey key_;
  const CopyCore& core_;
  Mover mover_;
};

// The same bits as another dtype of as many: a copy, but for booleans, whose bytes are 0 and 1.
class BitCastKernel final : public PlainKernel {
 public:
  constexpr BitCastKernel() noexcept : PlainKernel("copy.bit_cast.portable", OpKind::bit_cast) {}
  Support supports(const Problem& p) const noexcept override {
    return p.out[0].dtype == DType::boolean ? no("the output is boolean") : PlainKernel::supports(p);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView &src = args.in[0], &dst = args.out[0];
    StridedCopy c = copy_between(src, dst);
    for (int i = 0; i < dst.dims.rank; ++i) c.axis(dst.dims[i], src.strides[i], dst.strides[i]);
    run_copy(c, CopyCore::portable, args.parallel);
    return {};
  }
};
const BitCastKernel bit_cast;

template <Status (*F)(const Args&) noexcept> Status without_core(const CopyCore&, const Args& args) noexcept { return F(args); }

// The kernels of an operator that moves data: over the copies of each instruction set, and what defines the result.
template <StaticName kName, StaticName kReference> class Movers {
  using OfSets = KernelsOfSets<kName, MoverKernel, CopyCore>;
  static constexpr bool kHasReference = subset::keeps_kernel(kReference.text);
  struct None {
    template <class... T> constexpr explicit None(const T&...) noexcept {}
  };
  OfSets sets_;
  std::conditional_t<kHasReference, MoverKernel, None> reference_;
  constexpr auto reference() const noexcept {
    if constexpr (kHasReference) return &reference_;
    else return LeftOut();
  }

 public:
  static constexpr size_t kCount = OfSets::kCount + kHasReference;
  std::array<const HostKernel*, kCount> list;
  constexpr Movers(OpKind op, Mover move, Mover by_element) noexcept
      : sets_(op, move),
        reference_(kReference.text, Isa::portable, CopyCore::portable, op, by_element),
        list(kernel_list(sets_, reference())) {}
};

}  // namespace

constinit const HostKernel* const kBitCastCopy = &bit_cast;

KernelList copy_kernels() noexcept {
#define ANYDIM_MOVER(op) static const Movers<"copy." #op, "copy." #op ".reference"> op(OpKind::op, move_##op, without_core<reference_##op>)
  ANYDIM_MOVER(transpose);
  ANYDIM_MOVER(reshape);
  ANYDIM_MOVER(expand);
  ANYDIM_MOVER(slice);
  ANYDIM_MOVER(concat);
  ANYDIM_MOVER(pad);
  ANYDIM_MOVER(tile);
  ANYDIM_MOVER(depth_to_space);
#undef ANYDIM_MOVER
  static const auto all = kernel_list(transpose, reshape, expand, slice, concat, pad, tile, depth_to_space);
  return all;
}

}  // namespace anydim
