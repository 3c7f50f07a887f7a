// SPDX-License-Identifier: Apache-2.0
// CountNonZero and NonZero by bits: 64 elements become a word by the instruction set's functions. Words are counted, or their ones
// become coordinates. On several threads NonZero counts first, so that each task knows where its coordinates begin.
#include "core/kernels/non_zero/non_zero.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <utility>

#include "core/kernels/non_zero/reference.h"
#include "core/kernels/plain_kernel.h"
#include "core/kernels/sets.h"

namespace anydim {

namespace {

constexpr int64_t kTaskElements = 32 << 10;  // enough to be worth a task

// x as lines of elements at equal steps, in row-major order: trailing axes that lie like one axis are one.
struct Lines {
  const std::byte* base;
  ElementBits element;
  Dims outer;
  Strides outer_strides;
  int64_t length = 1, step = 1, total = 1;

  Lines(const TensorView& x, Dims dims, Strides strides) noexcept : base(x.as<const std::byte>()), element(element_bits(x.dtype)) {
    total = element_count(dims);
    bool first = true;
    int axis = dims.rank - 1;
    for (; axis >= 0; --axis) {
      if (dims[axis] == 1) continue;
      if (first) step = strides[axis];
      else if (strides[axis] != step * length) break;
      first = false;
      length *= dims[axis];
    }
    for (int i = 0; i <= axis; ++i) {
      outer.push_back(dims[i]);
      outer_strides.push_back(strides[i]);
    }
  }
  const std::byte* line(int64_t index) const noexcept {
    int64_t offset = 0;
    for (int i = outer.rank - 1; i >= 0; --i) {
      offset += index % outer[i] * outer_strides[i];
      index /= outer[i];
    }
    return base + offset * element.size;
  }
  // Calls f(address, index of the first element, number) for the parts of lines that make up elements [from, to), while it says yes.
  template <class F> void parts(int64_t from, int64_t to, F&& f) const noexcept {
    while (from < to) {
      const int64_t at = from % length, n = std::min(length - at, to - from);
      if (!f(line(from / length) + at * step * element.size, from, n)) return;
      from += n;
    }
  }
};

Lines in_order(const TensorView& x) noexcept { return Lines(x, x.dims, x.strides); }

// For counting any order works: that in which the elements lie.
Lines as_they_lie(const TensorView& x) noexcept {
  Dims dims;
  Strides strides;
  for (int i = 0; i < x.rank(); ++i) {
    int at = dims.rank;
    while (at > 0 && strides[at - 1] < x.strides[i]) --at;
    dims.insert(at, x.dims[i]);
    strides.insert(at, x.strides[i]);
  }
  return Lines(x, dims, strides);
}

template <class T> uint64_t strided_word(const std::byte* from, int64_t step, int64_t n, T counts) noexcept {
  const T* x = reinterpret_cast<const T*>(from);
  uint64_t bits = 0;
  for (int64_t i = 0; i < n; ++i) bits |= static_cast<uint64_t>((x[i * step] & counts) != 0) << i;
  return bits;
}
// The bits of up to 64 elements at any steps.
uint64_t word_at(ElementBits e, const std::byte* x, int64_t step, int64_t n) noexcept {
  const uint64_t counts = e.signed_zero ? (uint64_t{1} << (8 * e.size - 1)) - 1 : ~uint64_t{0};
  switch (e.size) {
    case 1: return strided_word(x, step, n, static_cast<uint8_t>(counts));
    case 2: return strided_word(x, step, n, static_cast<uint16_t>(counts));
    case 4: return strided_word(x, step, n, static_cast<uint32_t>(counts));
    default: return strided_word(x, step, n, counts);
  }
}

int64_t count_in(const BitFunctions& bits, const Lines& lines, int64_t from, int64_t to) noexcept {
  int64_t found = 0;
  lines.parts(from, to, [&](const std::byte* x, int64_t, int64_t n) {
    if (lines.step == 1) found += bits.count(lines.element, x, n);
    else
      for (int64_t i = 0; i < n; i += 64)
        found += std::popcount(word_at(lines.element, x + i * lines.step * lines.element.size, lines.step, std::min<int64_t>(64, n - i)));
    return true;
  });
  return found;
}

// Writes coordinates of elements, each given by its row-major index, at increasing places.
class Writer {
 public:
  Writer(const Dims& dims, const TensorView& y, int64_t place, int64_t end) noexcept
      : dims_(dims), y_(y.as<int64_t>()), axis_step_(y.strides[0]), step_(y.strides[1]), place_(place), end_(end) {}

  bool full() const noexcept { return place_ >= end_; }
  int64_t place() const noexcept { return place_; }
  void put(int64_t index) noexcept {
    const int last = dims_.rank - 1;
    int64_t* to = y_ + place_++ * step_;
    if (last < 0) return;
    if (index >= row_end_) begin_row(index);
    for (int i = 0; i < last; ++i) to[i * axis_step_] = at_[i];
    to[last * axis_step_] = index - row_;
  }

 private:
  void begin_row(int64_t index) noexcept {
    const int last = dims_.rank - 1;
    int64_t rest = index / dims_[last];
    row_ = rest * dims_[last];
    row_end_ = row_ + dims_[last];
    for (int i = last - 1; i >= 0; --i) {
      at_[i] = rest % dims_[i];
      rest /= dims_[i];
    }
  }

  Dims dims_;
  int64_t* y_;
  int64_t axis_step_, step_, place_, end_;
  int64_t row_ = 0, row_end_ = 0;  // row-major indices of the row that the last element was in
  int64_t at_[kMaxRank] = {};
};

void write_in(const BitFunctions& bits, const Lines& lines, int64_t from, int64_t to, Writer* out) noexcept {
  constexpr int64_t kBlock = 64;  // words at a time
  uint64_t words[kBlock];
  lines.parts(from, to, [&](const std::byte* x, int64_t first, int64_t n) {
    for (int64_t i = 0; i < n; i += 64 * kBlock) {
      const int64_t here = std::min(n - i, 64 * kBlock);
      const std::byte* at = x + i * lines.step * lines.element.size;
      if (lines.step == 1) bits.mark(lines.element, at, here, words);
      else
        for (int64_t k = 0; k < here; k += 64)
          words[k / 64] = word_at(lines.element, at + k * lines.step * lines.element.size, lines.step, std::min<int64_t>(64, here - k));
      for (int64_t k = 0; k < here; k += 64)
        for (uint64_t w = words[k / 64]; w != 0; w &= w - 1) {
          if (out->full()) return false;
          out->put(first + i + k + std::countr_zero(w));
        }
    }
    return !out->full();
  });
}

// Elements are cut evenly; at most so many tasks that their counts fit into the scratch.
int64_t tasks_for(int64_t elements, int threads) noexcept {
  if (threads == 1 || elements < 2 * kTaskElements) return 1;
  return std::min<int64_t>(4 * static_cast<int64_t>(threads), elements / kTaskElements);
}

class CountKernel final : public PlainKernel {
 public:
  constexpr CountKernel(const char* name, Isa isa, const BitFunctions& bits) noexcept
      : PlainKernel(name, OpKind::count_non_zero, isa), bits_(bits) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const Lines lines = as_they_lie(args.in[0]);
    const int64_t tasks = tasks_for(lines.total, args.parallel.threads());
    std::atomic<int64_t> found{0};
    args.parallel.run(tasks, [&](int64_t t, int) {
      found.fetch_add(count_in(bits_, lines, lines.total * t / tasks, lines.total * (t + 1) / tasks), std::memory_order_relaxed);
    });
    *args.out[0].as<int64_t>() = found;
    return {};
  }

 private:
  const BitFunctions& bits_;
};

class NonZeroKernel final : public PlainKernel {
 public:
  constexpr NonZeroKernel(const char* name, Isa isa, const BitFunctions& bits) noexcept
      : PlainKernel(name, OpKind::non_zero, isa), bits_(bits) {}
  void plan(const Args& args, Plan* plan) const noexcept override {
    const int64_t tasks = tasks_for(args.in[0].count(), args.parallel.threads());
    plan->scratch = tasks > 1 ? 8 * tasks : 0;
  }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int threads) const noexcept override {
    const int64_t tasks = tasks_for(element_count(in[0]), threads);
    return tasks > 1 ? 8 * tasks : 0;
  }
  Status run(const Plan& plan, const Args& args) const noexcept override {
    const TensorView& y = args.out[0];
    const Dims& dims = args.in[0].dims;
    const Lines lines = in_order(args.in[0]);
    const int64_t count = y.dims[1], tasks = std::max<int64_t>(plan.scratch / 8, 1);
    if (tasks == 1) {
      Writer out(dims, y, 0, count);
      write_in(bits_, lines, 0, lines.total, &out);
      return out.full() ? Status() : too_few(out.place(), count);
    }
    auto* first = static_cast<int64_t*>(args.scratch);  // by task: how many are before it, once all are counted
    args.parallel.run(tasks,
                      [&](int64_t t, int) { first[t] = count_in(bits_, lines, lines.total * t / tasks, lines.total * (t + 1) / tasks); });
    int64_t found = 0;
    for (int64_t t = 0; t < tasks; ++t) found += std::exchange(first[t], found);
    if (found < count) return too_few(found, count);
    args.parallel.run(tasks, [&](int64_t t, int) {
      Writer out(dims, y, first[t], count);
      write_in(bits_, lines, lines.total * t / tasks, lines.total * (t + 1) / tasks, &out);
    });
    return {};
  }

 private:
  const BitFunctions& bits_;
};

}  // namespace

KernelList non_zero_kernels() noexcept {
  static const KernelsOfSets<"count_non_zero.words", CountKernel, BitFunctions> count;
  static const KernelsOfSets<"non_zero.words", NonZeroKernel, BitFunctions> words;
  static const auto all = kernel_list(count, kept<"count_non_zero.reference", kCountNonZeroReference>(), words,
                                      kept<"non_zero.reference", kNonZeroReference>());
  return all;
}

}  // namespace anydim
