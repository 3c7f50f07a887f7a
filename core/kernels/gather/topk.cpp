// SPDX-License-Identifier: Apache-2.0
// TopK: the best k of each line. An element of at most 32 bits and its index are one number, so that no two are equal and numbers are
// sorted; of wider ones, the indices are. Both in scratch. The best few of lines side by side are in topk_lanes.h.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>

#include "core/kernels/gather/plain.h"
#include "core/kernels/gather/topk_lanes.h"
#include "core/ops/operators/topk.h"

namespace anydim {

namespace {

constexpr int64_t kParallelElements = 10000;

// a < b with NaN above all numbers (and equal to itself).
template <class T> bool less(T a, T b) noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(b)) return !std::isnan(a);
  }
  return a < b;
}

// An element and its index as one number, which is less for a better one.
template <class T> uint64_t key_of(T v, int64_t i, uint32_t turn) noexcept {
  return uint64_t{(static_cast<uint32_t>(ordered(v)) ^ 1u << 31) ^ turn} << 32 | static_cast<uint64_t>(i);
}

// Numbers whose lower halves rise, by their upper halves: byte by byte, leaving out bytes that all of them share.
void sort_by_bytes(uint64_t* keys, uint64_t* other, int64_t n) noexcept {
  uint32_t counts[4][256] = {};
  for (int64_t i = 0; i < n; ++i)
    for (int b = 0; b < 4; ++b) ++counts[b][keys[i] >> (32 + 8 * b) & 255];
  uint64_t *from = keys, *to = other;
  for (int b = 0; b < 4; ++b) {
    uint32_t* const count = counts[b];
    if (count[from[0] >> (32 + 8 * b) & 255] == n) continue;
    uint32_t sum = 0;
    for (int v = 0; v < 256; ++v) sum += std::exchange(count[v], sum);
    for (int64_t i = 0; i < n; ++i) to[count[from[i] >> (32 + 8 * b) & 255]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys) std::copy_n(from, n, keys);
}

// A bit for each of 16 elements that may be better than `bound`: one as good comes after what gave the bound.
template <class T> unsigned may_be_better(const T* x, T bound, bool largest) noexcept {
  if constexpr (std::is_same_v<T, float>) {
    using Four = float __attribute__((vector_size(16)));
    using Bits = int32_t __attribute__((vector_size(16)));
    const Four than = {bound, bound, bound, bound};
    Bits bits = {1, 2, 4, 8}, all = {0, 0, 0, 0};
    for (int i = 0; i < 16; i += 4) {
      Four v;
      std::memcpy(&v, x + i, sizeof v);
      all |= bits & (largest ? ~(v <= than) : v < than);  // NaN is above all
      bits <<= 4;
    }
    return static_cast<unsigned>(all[0] | all[1] | all[2] | all[3]);
  }
  unsigned any = 0;
  if (largest)
    for (int i = 0; i < 16; ++i) any |= static_cast<unsigned>(x[i] > bound);
  else
    for (int i = 0; i < 16; ++i) any |= static_cast<unsigned>(x[i] < bound);
  return any != 0 ? 0xFFFFu : 0;
}

// The keys of the k best of a line, rising; `keys` has room for the line, `other` too.
template <class T>
void select_keys(const T* x, int64_t step, int64_t n, int64_t k, bool largest, uint64_t* keys, uint64_t* other) noexcept {
  constexpr int64_t kFew = 256;
  const uint32_t turn = largest ? ~0u : 0u;
  if (4 * k >= n) {
    for (int64_t i = 0; i < n; ++i) keys[i] = key_of(x[i * step], i, turn);
    if (n < kFew) std::partial_sort(keys, keys + k, keys + n);
    else sort_by_bytes(keys, other, n);
    return;
  }
  constexpr int64_t kInserted = 32;
  const int64_t room = k <= kInserted ? k : std::min(n, std::max(2 * k, k + 32));
  int64_t kept = 0;
  uint64_t limit = ~uint64_t{0};
  T bound{};
  bool bounded = false;
  const auto tighten = [&] {
    limit = keys[k - 1];
    bound = x[static_cast<int64_t>(limit & ~uint32_t{0}) * step];
    bounded = bound == bound;
  };
  const auto take = [&](int64_t i) {
    const T v = x[i * step];
    if (bounded && (largest ? v < bound : v > bound)) return;
    const uint64_t key = key_of(v, i, turn);
    if (key >= limit) return;
    if (k <= kInserted) {  // the best so far, in their order
      int64_t at = kept < k ? kept++ : k - 1;
      for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
      keys[at] = key;
      if (kept == k) tighten();
      return;
    }
    // What is better than the k-th of those that came so far; now and then only k of these are kept.
    keys[kept++] = key;
    if (kept < room) return;
    std::nth_element(keys, keys + k - 1, keys + kept);
    kept = k;
    tighten();
  };
  for (int64_t i = 0; i < n;) {
    if (step == 1 && bounded && i + 16 <= n) {
      for (unsigned some = may_be_better(x + i, bound, largest); some != 0; some &= some - 1) take(i + std::countr_zero(some));
      i += 16;
      continue;
    }
    for (const int64_t end = std::min(i + 16, n); i < end; ++i) take(i);
  }
  if (k <= kInserted) return;
  if (kept > k) std::nth_element(keys, keys + k - 1, keys + kept);
  std::sort(keys, keys + k);
}

// Calls line(scratch of its worker, first element of a line, place of the line) for each line.
template <class T, class Line> void each_line(const Args& args, const Line& line) noexcept {
  const int axis = static_cast<const TopK*>(args.op)->get().axis;
  const TensorView& in = args.in[0];
  Dims lines = in.dims;
  lines[axis] = 1;
  const int64_t count = element_count(lines), bytes = topk_scratch(in.dims[axis], 1);
  if (count == 0 || args.out[0].dims[axis] == 0) return;
  const int threads = in.count() < kParallelElements ? 1 : args.parallel.threads();
  const int64_t tasks = std::min(count, int64_t{4} * threads);
  const auto task = [&](int64_t t, int worker) {
    auto* const scratch = static_cast<std::byte*>(args.scratch) + worker * bytes;
    for (int64_t l = count * t / tasks; l < count * (t + 1) / tasks; ++l) {
      Dims place = lines;
      int64_t rest = l;
      for (int i = lines.rank - 1; i >= 0; --i) {
        place[i] = rest % lines[i];
        rest /= lines[i];
      }
      line(scratch, in.as<const T>() + offset_of(in, place), place);
    }
  };
  if (threads == 1)
    for (int64_t t = 0; t < tasks; ++t) task(t, 0);
  else args.parallel.run(tasks, task);
}

// Writes the results of a line; index(i) is that of the i-th best.
template <class T, class Index> void write_line(const Args& args, const T* x, const Dims& place, const Index& index_of) noexcept {
  const int axis = static_cast<const TopK*>(args.op)->get().axis;
  const TensorView &values = args.out[0], &indices = args.out[1];
  const int64_t step = args.in[0].strides[axis], k = values.dims[axis];
  T* const y = values.as<T>() + offset_of(values, place);
  auto* const index = indices.as<int64_t>() + offset_of(indices, place);
  for (int64_t i = 0; i < k; ++i) {
    const int64_t from = index_of(i);
    y[i * values.strides[axis]] = x[from * step];
    index[i * indices.strides[axis]] = from;
  }
}

template <class T> void topk_by_numbers(const Args& args) noexcept {
  const TopK::Attributes& at = static_cast<const TopK*>(args.op)->get();
  const int64_t n = args.in[0].dims[at.axis], k = args.out[0].dims[at.axis], step = args.in[0].strides[at.axis];
  each_line<T>(args, [&](std::byte* scratch, const T* x, const Dims& place) {
    auto* const keys = reinterpret_cast<uint64_t*>(scratch);
    select_keys(x, step, n, k, at.largest, keys, keys + n);
    write_line(args, x, place, [&](int64_t i) { return static_cast<int64_t>(keys[i] & ~uint32_t{0}); });
  });
}

// `few`: of the best few the ones so far are kept in order, otherwise all indices are sorted.
template <class T> __attribute__((noinline)) void topk_by_indices(const Args& args, bool few) noexcept {
  const TopK::Attributes& at = static_cast<const TopK*>(args.op)->get();
  const int64_t n = args.in[0].dims[at.axis], k = args.out[0].dims[at.axis], step = args.in[0].strides[at.axis];
  each_line<T>(args, [&](std::byte* scratch, const T* x, const Dims& line) {
    auto* const order = reinterpret_cast<int64_t*>(scratch);
    if (sizeof(T) == 8 && few) {  // others have ways of their own
      const auto better = [&](T u, T v) { return at.largest ? less(v, u) : less(u, v); };
      int64_t kept = 0;
      for (int64_t i = 0; i < n; ++i) {
        const T v = x[i * step];
        if (kept == k && !better(v, x[order[k - 1] * step])) continue;
        int64_t place = kept < k ? kept++ : k - 1;
        for (; place > 0 && better(v, x[order[place - 1] * step]); --place) order[place] = order[place - 1];
        order[place] = i;
      }
      return write_line(args, x, line, [&](int64_t i) { return order[i]; });
    }
    for (int64_t i = 0; i < n; ++i) order[i] = i;
    auto before = [&](int64_t a, int64_t b) {
      const T u = x[a * step], v = x[b * step];
      if (at.largest ? less(v, u) : less(u, v)) return true;
      if (at.largest ? less(u, v) : less(v, u)) return false;
      return a < b;
    };
    std::partial_sort(order, order + k, order + n, before);
    write_line(args, x, line, [&](int64_t i) { return order[i]; });
  });
}

// Of elements of at most 32 bits, in lines whose indices are numbers of 32 bits.
template <class T> void topk(const Args& args) noexcept {
  constexpr int64_t kInserted = 32;
  const int axis = static_cast<const TopK*>(args.op)->get().axis;
  const int64_t n = args.in[0].dims[axis], k = args.out[0].dims[axis];
  if constexpr (sizeof(T) <= 4) {
    if (const int lanes = axis_of_lanes<T>(args, k); lanes >= 0) return topk_in_lanes(args, lanes, load_keys<T>);
    if (n <= int64_t{1} << 31) return topk_by_numbers<T>(args);
  }
  topk_by_indices<T>(args, k <= kInserted && 4 * k < n);
}
struct ByLines {
  template <class T> void operator()(const Args& args) const noexcept { topk<T>(args); }
};
struct ByDefinition {
  template <class T> void operator()(const Args& args) const noexcept { topk_by_indices<T>(args, false); }
};

template <class Way> Status of_dtype(const Args& args, const Way& way) noexcept {
  const int axis = static_cast<const TopK*>(args.op)->get().axis;
  const int64_t n = args.in[0].dims[axis], k = args.out[0].dims[axis];
  if (k > n) return invalid("k is {}; axis {} has {} elements", k, axis, n);
  switch (args.in[0].dtype) {
    case DType::f32: way.template operator()<float>(args); break;
    case DType::f64: way.template operator()<double>(args); break;
    case DType::i8: way.template operator()<int8_t>(args); break;
    case DType::u8: way.template operator()<uint8_t>(args); break;
    case DType::i16: way.template operator()<int16_t>(args); break;
    case DType::u16: way.template operator()<uint16_t>(args); break;
    case DType::i32: way.template operator()<int32_t>(args); break;
    case DType::u32: way.template operator()<uint32_t>(args); break;
    case DType::i64: way.template operator()<int64_t>(args); break;
    case DType::u64: way.template operator()<uint64_t>(args); break;
    default: break;  // refused by supports()
  }
  return {};
}

}  // namespace

int64_t topk_scratch(int64_t dim, int threads) noexcept { return saturating_mul(saturating_mul(dim, threads), 16); }

Status run_topk(const Args& args) noexcept { return of_dtype(args, ByLines{}); }
Status reference_topk(const Args& args) noexcept { return of_dtype(args, ByDefinition{}); }

}  // namespace anydim
