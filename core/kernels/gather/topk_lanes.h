// SPDX-License-Identifier: Apache-2.0
// The best few of many lines at once: 16 lines side by side, one in each lane of a vector, go through their elements together. For lines
// that lie across memory, and for short ones, of which each alone would cost more than its elements.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/kernels/gather/plain.h"
#include "core/ops/operators/topk.h"

namespace anydim {

constexpr int kTopLanes = 16;
constexpr int64_t kMostOfLanes = 8;  // the best that are held in vectors
// Of lines whose elements lie one behind the other; longer ones have faster ways, those of binary32 by far.
template <class T> constexpr int64_t kLongestAlong = std::is_same_v<T, float> ? 128 : 1024;

// The order of elements as that of numbers: NaN above all others, both zeros the same.
template <class T> int32_t ordered(T v) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    const auto bits = v == 0.f ? 0 : std::bit_cast<int32_t>(v);
    return v != v ? INT32_MAX : bits ^ (bits >> 31 & INT32_MAX);
  } else {
    return std::is_signed_v<T> ? static_cast<int32_t>(v) : static_cast<int32_t>(static_cast<uint32_t>(v) ^ 1u << 31);
  }
}

// The axis whose elements are lanes: of those long enough the one with the smallest step; -1: lines go one by one.
template <class T> int axis_of_lanes(const Args& args, int64_t k) noexcept {
  const TensorView& in = args.in[0];
  const int axis = static_cast<const TopK*>(args.op)->get().axis;
  if (k > kMostOfLanes || in.dims[axis] > INT32_MAX || (in.strides[axis] == 1 && in.dims[axis] > kLongestAlong<T>)) return -1;
  int best = -1;
  for (int i = 0; i < in.dims.rank; ++i)
    if (i != axis && in.dims[i] >= kTopLanes / 2 && (best < 0 || in.strides[i] < in.strides[best])) best = i;
  return best;
}

// Sixteen numbers, in vectors that every x86-64 and aarch64 has.
struct TopLanes {
  using Four = int32_t __attribute__((vector_size(16)));
  Four part[4];
};

// The numbers of elements' order.
template <class T> inline void order_lanes(const T (&x)[kTopLanes], TopLanes* key) noexcept {
  using Four = TopLanes::Four;
  if constexpr (std::is_same_v<T, float>) {
    using Floats = float __attribute__((vector_size(16)));
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) {
      Floats v;
      std::memcpy(&v, x + 4 * p, sizeof v);
      const Four bits = reinterpret_cast<Four>(v) & (v != 0.f), nan = v != v;
      key->part[p] = ((bits ^ (bits >> 31 & INT32_MAX)) & ~nan) | (nan & INT32_MAX);
    }
  } else {
    int32_t numbers[kTopLanes];
    for (int l = 0; l < kTopLanes; ++l) numbers[l] = ordered(x[l]);
    std::memcpy(key->part, numbers, sizeof numbers);
  }
}

// The lines of a block: their first elements are `lanes` from x, their own `step` apart. `load` gives the numbers of their i-th ones: what
// depends on the dtype, so that the rest is there once.
struct KeysOfLanes;
using LoadKeys = void (*)(const KeysOfLanes& of, int64_t i, TopLanes* key) noexcept;
struct KeysOfLanes {
  LoadKeys load;
  const void* x;
  int64_t step;
  const int64_t* lanes;
};
template <class T> void load_keys(const KeysOfLanes& of, int64_t i, TopLanes* key) noexcept {
  const T* const x = static_cast<const T*>(of.x) + i * of.step;
  T own[kTopLanes];
  // Both: of six lines 3 apart the last one, which spare lanes repeat, is 15 away, too.
  if (of.lanes[1] == 1 && of.lanes[kTopLanes - 1] == kTopLanes - 1) std::memcpy(own, x, sizeof own);
  else
    for (int l = 0; l < kTopLanes; ++l) own[l] = x[of.lanes[l]];
  order_lanes(own, key);
}

// Up to 16 lines. `index` gets the k best ones' places of each.
inline void select_in_lanes(const KeysOfLanes& keys_of, int64_t n, int64_t k, bool largest, int32_t (*index)[kTopLanes]) noexcept {
  using Four = TopLanes::Four;
  const int32_t turn = largest ? -1 : 0;
  TopLanes keys[kMostOfLanes], places[kMostOfLanes];
  for (int64_t i = 0; i < n; ++i) {
    TopLanes key;
    keys_of.load(keys_of, i, &key);
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) key.part[p] ^= turn;
    if (k == 1 && i > 0) {
#pragma GCC unroll 4
      for (int p = 0; p < 4; ++p) {
        const Four better = key.part[p] < keys[0].part[p];
        keys[0].part[p] = (key.part[p] & better) | (keys[0].part[p] & ~better);
        places[0].part[p] = (static_cast<int32_t>(i) & better) | (places[0].part[p] & ~better);
      }
      continue;
    }
    if (i >= k) {  // an element as good as a kept one comes after it
      const TopLanes& last = keys[k - 1];
      const Four some =
          (key.part[0] < last.part[0]) | (key.part[1] < last.part[1]) | (key.part[2] < last.part[2]) | (key.part[3] < last.part[3]);
      uint64_t halves[2];
      std::memcpy(halves, &some, sizeof halves);
      if ((halves[0] | halves[1]) == 0) continue;
    }
    const int64_t held = std::min(i, k);
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) {
      const Four given = key.part[p];
      Four moved = given, place = Four{} + static_cast<int32_t>(i);
      for (int64_t j = 0; j < held; ++j) {  // from where it is better on, each kept one moves by a place
        Four &kept = keys[j].part[p], &kept_place = places[j].part[p];
        const Four better = given < kept, old = kept, old_place = kept_place;
        kept = (moved & better) | (old & ~better);
        kept_place = (place & better) | (old_place & ~better);
        moved = (old & better) | (moved & ~better);
        place = (old_place & better) | (place & ~better);
      }
      if (i < k) {
        keys[i].part[p] = moved;
        places[i].part[p] = place;
      }
    }
  }
  for (int64_t j = 0; j < k; ++j) std::memcpy(index[j], places[j].part, sizeof index[j]);
}

// All lines, `lane_axis` in blocks of lanes; the last block's spare lanes repeat its last line.
inline void topk_in_lanes(const Args& args, int lane_axis, LoadKeys load) noexcept {
  const TopK::Attributes& at = static_cast<const TopK*>(args.op)->get();
  const TensorView &in = args.in[0], &values = args.out[0], &indices = args.out[1];
  const int64_t n = in.dims[at.axis], k = values.dims[at.axis], step = in.strides[at.axis], wide = in.dims[lane_axis],
                size = dtype_size(in.dtype);
  Dims places = in.dims;
  places[at.axis] = 1;
  places[lane_axis] = ceil_div(wide, kTopLanes);
  const int64_t count = element_count(places);
  if (count == 0 || k == 0) return;
  const int threads = in.count() < 10000 ? 1 : args.parallel.threads();
  const int64_t tasks = std::min(count, int64_t{4} * threads);
  const auto task = [&](int64_t t, int) {
    for (int64_t b = count * t / tasks; b < count * (t + 1) / tasks; ++b) {
      Dims place = places;
      int64_t rest = b;
      for (int i = places.rank - 1; i >= 0; --i) {
        place[i] = rest % places[i];
        rest /= places[i];
      }
      const int64_t first = place[lane_axis] * kTopLanes;
      place[lane_axis] = first;
      const int used = static_cast<int>(std::min<int64_t>(kTopLanes, wide - first));
      int64_t lanes[kTopLanes];
      for (int l = 0; l < kTopLanes; ++l) lanes[l] = std::min(l, used - 1) * in.strides[lane_axis];
      const std::byte* const x = element(in, place);
      std::byte* const y = element(values, place);
      auto* const z = indices.as<int64_t>() + offset_of(indices, place);
      int32_t index[kMostOfLanes][kTopLanes];
      select_in_lanes({load, x, step, lanes}, n, k, at.largest, index);
      for (int64_t j = 0; j < k; ++j)
        for (int l = 0; l < used; ++l) {
          const std::byte* const from = x + (index[j][l] * step + lanes[l]) * size;
          std::byte* const to = y + (j * values.strides[at.axis] + l * values.strides[lane_axis]) * size;
          if (size == 4) std::memcpy(to, from, 4);
          else std::memcpy(to, from, static_cast<size_t>(size));
          z[j * indices.strides[at.axis] + l * indices.strides[lane_axis]] = index[j][l];
        }
    }
  };
  if (threads == 1)
    for (int64_t t = 0; t < tasks; ++t) task(t, 0);
  else args.parallel.run(tasks, task);
}

}  // namespace anydim
