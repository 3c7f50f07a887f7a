// SPDX-License-Identifier: Apache-2.0
// TopK: the best k of each line by a partial sort of its indices, in scratch.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "core/kernels/gather/plain.h"
#include "core/ops/topk.h"

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

template <class T> void topk(const Args& args) noexcept {
  const TopK::Attributes& at = static_cast<const TopK*>(args.op)->get();
  const TensorView &in = args.in[0], &values = args.out[0], &indices = args.out[1];
  const int axis = at.axis;
  const int64_t n = in.dims[axis], k = values.dims[axis];
  Dims lines = in.dims;
  lines[axis] = 1;
  const int64_t count = element_count(lines);
  if (count == 0 || k == 0) return;
  const int threads = in.count() < kParallelElements ? 1 : args.parallel.threads();
  const int64_t tasks = std::min(count, int64_t{4} * threads);
  auto task = [&](int64_t t, int worker) {
    auto* order = static_cast<int64_t*>(args.scratch) + worker * n;
    for (int64_t line = count * t / tasks; line < count * (t + 1) / tasks; ++line) {
      Dims place = lines;
      int64_t rest = line;
      for (int i = lines.rank - 1; i >= 0; --i) {
        place[i] = rest % lines[i];
        rest /= lines[i];
      }
      const T* x = in.as<const T>() + offset_of(in, place);
      const int64_t step = in.strides[axis];
      for (int64_t i = 0; i < n; ++i) order[i] = i;
      auto before = [&](int64_t a, int64_t b) {
        const T u = x[a * step], v = x[b * step];
        if (at.largest ? less(v, u) : less(u, v)) return true;
        if (at.largest ? less(u, v) : less(v, u)) return false;
        return a < b;
      };
      std::partial_sort(order, order + k, order + n, before);
      T* y = values.as<T>() + offset_of(values, place);
      auto* index = indices.as<int64_t>() + offset_of(indices, place);
      for (int64_t i = 0; i < k; ++i) {
        y[i * values.strides[axis]] = x[order[i] * step];
        index[i * indices.strides[axis]] = order[i];
      }
    }
  };
  if (threads == 1)
    for (int64_t t = 0; t < tasks; ++t) task(t, 0);
  else args.parallel.run(tasks, task);
}

}  // namespace

int64_t topk_scratch(int64_t dim, int threads) noexcept { return saturating_mul(saturating_mul(dim, threads), 8); }

Status run_topk(const Args& args) noexcept {
  const int axis = static_cast<const TopK*>(args.op)->get().axis;
  const int64_t n = args.in[0].dims[axis], k = args.out[0].dims[axis];
  if (k > n) return invalid("k is {}; axis {} has {} elements", k, axis, n);
  switch (args.in[0].dtype) {
    case DType::f32: topk<float>(args); break;
    case DType::f64: topk<double>(args); break;
    case DType::i8: topk<int8_t>(args); break;
    case DType::u8: topk<uint8_t>(args); break;
    case DType::i16: topk<int16_t>(args); break;
    case DType::u16: topk<uint16_t>(args); break;
    case DType::i32: topk<int32_t>(args); break;
    case DType::u32: topk<uint32_t>(args); break;
    case DType::i64: topk<int64_t>(args); break;
    case DType::u64: topk<uint64_t>(args); break;
    default: break;  // refused by supports()
  }
  return {};
}

}  // namespace anydim
