// SPDX-License-Identifier: Apache-2.0
// Sizes of what is computed at a time; see lines_shape.h.
#include "core/kernels/resize/lines_shape.h"

#include <algorithm>

namespace anydim {

namespace {

constexpr int64_t kRingElements = 48 << 10;     // of all rings: they stay in the second cache
constexpr int64_t kColumnElements = 2 << 10;    // of a line whose columns are turned into vectors
constexpr int64_t kFetchedElements = 16 << 10;  // of a line that is copied before it is read
constexpr int64_t kLongestPiece = 1 << 10;
constexpr int64_t kLeast = kMostResizeLanes;  // elements below which nothing is cut

}  // namespace

void LinesShape::split(const Args& args) noexcept {
  const auto& op = *static_cast<const Resize*>(args.op);
  const TensorView &src = args.in[0], &dst = args.out[0];
  for (int a = 0; a < dst.dims.rank; ++a) {
    const Resize::Axis map = op.axis(a, src.dims, dst.dims, args.dim_attributes);
    if (!map.identity) along[count++] = {map, src.strides[a], dst.strides[a], resize_reach(op, map)};
    else if (map.out > 1) copied[copied_count++] = {map.out, src.strides[a], dst.strides[a]};
  }
  if (count > 0) return;
  along[count++] = {{}, 1, 1, 1};  // all is copied
}

// Outermost in the output first; neighbours that lie as one axis become one. The innermost one with steps of 1 is the run.
void LinesShape::merge_copied() noexcept {
  for (int i = 1; i < copied_count; ++i)
    for (int k = i; k > 0 && copied[k - 1].dst < copied[k].dst; --k) std::swap(copied[k - 1], copied[k]);
  int kept = 0;
  for (int i = 0; i < copied_count; ++i) {
    const Copied inner = copied[i];
    Copied* outer = kept > 0 ? &copied[kept - 1] : nullptr;
    if (outer && outer->src == inner.src * inner.dim && outer->dst == inner.dst * inner.dim)
      *outer = {outer->dim * inner.dim, inner.src, inner.dst};
    else copied[kept++] = inner;
  }
  copied_count = kept;
  if (kept > 0 && copied[kept - 1].src == 1 && copied[kept - 1].dst == 1) run = copied[--copied_count].dim;
}

void LinesShape::size_rings() noexcept {
  const auto elements = [&] {  // of all rings, for one element of a line
    int64_t sum = 0, each = 1;
    for (int j = count - 2; j >= 0; --j) {
      sum = saturating_add(sum, saturating_mul(along[j].ring, each));
      each = saturating_mul(each, along[j].tile);
    }
    return sum;
  };
  const int64_t least = std::max(kLeast, piece);
  while (saturating_mul(elements(), least) > kRingElements) {
    Along* longest = &along[0];
    longest->tile = 1;  // the first axis is not cut: its positions are written, not kept
    for (int j = 1; j < count - 1; ++j)
      if (along[j].tile > longest->tile) longest = &along[j];
    if (longest->tile == 1) break;
    longest->tile = ceil_div(longest->tile, 2);
  }
  const int64_t each = elements();
  most_results = each > 0 ? std::max(kRingElements / each, kLeast) : wide ? kFetchedElements : kColumnElements;
  if (count == 1 && writes && wide) most_results = kMaxSize;
  ring_room = saturating_mul(each, std::max(most_results, piece));
}

// Small images of many channels: lines of one plane are too few, or too short, to fill vectors. About the time of a plane in the time of
// a multiplication: 6 for a column that becomes a vector or comes of one, 6 for one that is computed, 24 for a line.
bool LinesShape::suits_aside(int64_t lanes_of_set) const noexcept {
  if (count != 2 || run != 1 || planes < lanes_of_set || lanes_of_set < kResizeRun) return false;
  const Resize::Axis &y = along[0].map, &x = last().map;
  const auto lines = static_cast<double>(std::min(y.in, saturating_mul(y.out, along[0].reach)));
  const int64_t read = saturating_mul(x.out, last().reach);  // few of them: the others are not looked at
  const auto in = static_cast<double>(x.in < saturating_mul(read, 2) ? x.in : read), out = static_cast<double>(x.out),
             rows = static_cast<double>(y.out);
  const auto taps = static_cast<double>(last().reach), lanes_here = static_cast<double>(lanes_of_set);
  const double by_lines = static_cast<double>(ceil_div(static_cast<int64_t>(lines), lanes_of_set)) * (6 * in + (12 + taps) * out) +
                          rows * (24 + out / lanes_here * static_cast<double>(2 + along[0].reach));
  const double by_planes = lines * (6 * in + (6 + taps) * out + 24) + rows * (out * static_cast<double>(8 + along[0].reach) + 24);
  return by_planes < lanes_here * by_lines;
}

// Rings and places, now that it is known what a line is.
void LinesShape::size_pieces() noexcept {
  int64_t rings = std::min(last().reach, last().map.in);
  for (int j = 0; j < count - 1; ++j) {
    Along& a = along[j];
    a.ring = std::min(a.map.in, std::min(a.reach, a.map.in) + (j == count - 2 ? lanes - 1 : 0));
    a.tile = a.map.out;
    rings = saturating_add(rings, a.ring);
  }
  piece = aside > 0 ? aside : run;
  if (!wide || aside > 0) return;
  piece = std::min({run, kLongestPiece, std::max(kRingElements / rings / kLeast * kLeast, kLeast)});
  if (const int64_t pieces = ceil_div(run, piece); pieces > 1) {
    copied[copied_count++] = {pieces, piece, piece};
    planes *= pieces;
  }
}

bool LinesShape::make(const Args& args, int lanes_of_set, int* bad) noexcept {
  split(args);
  for (int j = 0; j < count; ++j)
    if (along[j].reach == 0) {
      if (bad) *bad = j;
      return false;
    }
  merge_copied();
  for (int i = 0; i < copied_count; ++i) planes *= copied[i].dim;
  const DType dtype = args.in[0].dtype;
  native = dtype == DType::f32 || dtype == DType::f64;
  if (suits_aside(lanes_of_set)) aside = lanes_of_set;
  wide = run >= kResizeRun || aside > 0;
  lanes = wide ? 1 : lanes_of_set;
  size_pieces();

  const Along& z = last();
  reads = native && aside == 0 && (wide || z.src == run || z.map.in == 1);
  writes = native && aside == 0 && (z.dst == piece || z.map.out == 1 || (wide && count == 1));
  size_rings();
  const int64_t farthest = saturating_mul(std::min(z.reach, z.map.in), piece), all = saturating_mul(z.map.in, piece);
  most_columns = wide && reads ? kMaxSize : std::min(std::max(wide ? kFetchedElements : kColumnElements, farthest), all);
  const int64_t results = std::min(std::max(most_results, piece), saturating_mul(z.map.out, piece));
  if (count > 1) ring_room = std::min(ring_room, saturating_mul(ring_room / std::max(most_results, piece), results));
  column_room = aside > 0 ? most_columns : wide || lanes == 1 ? 0 : saturating_mul(most_columns, lanes);
  fetched_room = wide && reads ? 0 : saturating_mul(most_columns, lanes);
  result_room = writes ? 0 : aside > 0 ? saturating_mul(results, 2) : saturating_mul(results, count == 1 ? lanes : 1);
  return true;
}

int64_t LinesShape::worker_elements() const noexcept {
  int64_t sum = 0;
  for (const int64_t room : {ring_room, column_room, fetched_room, result_room})
    sum = saturating_add(sum, saturating_add(room, kLeast) / kLeast * kLeast);
  return sum;
}

int64_t LinesShape::most_elements(const Dims& in, const Dims& out) noexcept {
  int64_t longest = 0, sum = 0, all = in.rank + 1;
  for (int a = 0; a < in.rank; ++a) {
    longest = std::max(longest, in[a]);
    sum = saturating_add(sum, in[a]);
    all = saturating_mul(all, std::max(std::max(in[a], out[a]), INT64_C(1)));
  }
  all = saturating_mul(all, kMostResizeLanes);
  const int64_t columns = saturating_mul(longest, kResizeRun);
  const int64_t rings = std::max(kRingElements, saturating_mul(sum, kLeast));
  const int64_t lines = saturating_mul(std::max(kColumnElements, columns), kMostResizeLanes);
  const int64_t fetched = std::max({kFetchedElements, kRingElements, saturating_mul(longest, kLeast), lines});
  const int64_t results = std::max({kFetchedElements, 2 * kRingElements, kColumnElements * kMostResizeLanes});
  int64_t bound = 0;
  for (const int64_t room : {rings, lines, fetched, results}) bound = saturating_add(bound, std::min(room, all) + 2 * kLeast);
  return bound;
}

}  // namespace anydim
