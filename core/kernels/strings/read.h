// SPDX-License-Identifier: Apache-2.0
// What kernels on strings share: where elements lie, what a view stands for, and what may be wrong with it. Every view and every byte
// comes from outside, so each string is checked where it is read.
#pragma once

#include <algorithm>
#include <atomic>
#include <string_view>

#include "core/base/checked.h"
#include "core/base/text/utf8.h"
#include "core/kernels/plain_kernel.h"
#include "core/ops/string_views.h"

namespace anydim {

// In the order of severity: of several faults in a run the most severe is reported.
enum class StringFault : uint8_t { none, outside, not_utf8, no_room, bad_automaton, too_slow };

inline Status fault_status(StringFault fault, const char* op) {
  switch (fault) {
    case StringFault::none: return {};
    case StringFault::outside: return error(Code::invalid_data, "{}: a view of a string does not lie within its heap", op);
    case StringFault::not_utf8: return error(Code::invalid_data, "{}: a string is not valid UTF-8", op);
    case StringFault::no_room: return error(Code::invalid_data, "{}: the strings do not fit into the heap that they are made in", op);
    case StringFault::bad_automaton: return error(Code::invalid_data, "{}: an automaton's class or state is not there", op);
    case StringFault::too_slow: break;
  }
  return error(Code::invalid_data, "{}: a string needs too many steps of the automaton", op);
}

// The elements of a tensor in row-major order, or as those of larger dims that it broadcasts to.
class StringPlaces {
 public:
  StringPlaces(const TensorView& t, const Dims& dims) noexcept : dims_(dims), strides_(Strides::filled(dims.rank, 0)) {
    for (int i = 1; i <= t.dims.rank; ++i)
      if (t.dims[t.dims.rank - i] != 1) strides_[dims.rank - i] = t.strides[t.dims.rank - i];
    // One step for all that counts: no element's place has to be divided.
    int64_t next = 0;
    for (int a = dims.rank - 1; a >= 0 && even_; --a) {
      if (dims[a] == 1) continue;
      if (next == 0) step_ = next = strides_[a];
      even_ = strides_[a] == next;
      next = strides_[a] * dims[a];
      if (step_ == 0) even_ = false;
    }
  }
  explicit StringPlaces(const TensorView& t) noexcept : StringPlaces(t, t.dims) {}
  int64_t operator[](int64_t i) const noexcept {
    if (even_) return i * step_;
    int64_t at = 0;
    for (int axis = dims_.rank - 1; axis >= 0; --axis) {
      at += i % dims_[axis] * strides_[axis];
      i /= dims_[axis];
    }
    return at;
  }

 private:
  Dims dims_;
  Strides strides_;
  int64_t step_ = 0;
  bool even_ = true;
};

// Strings by view. Where a heap's bytes do not follow each other they do in scratch.
class StringReader {
 public:
  StringReader(const TensorView& views, const TensorView& heap, std::byte** scratch) noexcept
      : views_(views.as<const int64_t>()), heap_(heap.as<const char>()), bytes_(heap.dims[0]) {
    if (heap.strides[0] == 1 || bytes_ < 2) return;
    char* const dense = reinterpret_cast<char*>(*scratch);
    for (int64_t i = 0; i < bytes_; ++i) dense[i] = heap_[i * heap.strides[0]];
    heap_ = dense;
    *scratch += bytes_;
  }
  static int64_t scratch(const TensorView& heap) noexcept { return heap.strides[0] == 1 ? 0 : heap.dims[0]; }

  bool read(int64_t place, std::string_view* out) const noexcept {
    const int64_t view = views_[place], offset = string_offset(view), length = string_length(view);
    if (view < 0 || offset > bytes_ || length > bytes_ - offset) return false;
    *out = length == 0 ? std::string_view() : std::string_view(heap_ + offset, static_cast<size_t>(length));
    return true;
  }
  StringFault read_text(int64_t place, std::string_view* out) const noexcept {
    if (!read(place, out)) return StringFault::outside;
    return valid_utf8(*out) ? StringFault::none : StringFault::not_utf8;
  }

 private:
  const int64_t* views_;
  const char* heap_;
  int64_t bytes_;
};

// Calls f(i), which gives a StringFault, for each i below `count`, on all threads.
template <class F> StringFault each_string(const Parallel& parallel, int64_t count, F&& f) noexcept {
  constexpr int64_t kTogether = 64;
  std::atomic<uint8_t> worst{0};
  parallel.run((count + kTogether - 1) / kTogether, [&](int64_t task, int) {
    uint8_t found = 0;
    for (int64_t i = task * kTogether; i < std::min(count, (task + 1) * kTogether); ++i)
      found = std::max(found, static_cast<uint8_t>(f(i)));
    uint8_t before = worst.load(std::memory_order_relaxed);
    while (before < found && !worst.compare_exchange_weak(before, found, std::memory_order_relaxed)) {
    }
  });
  return static_cast<StringFault>(worst.load(std::memory_order_relaxed));
}

// A kernel that reads heaps: operands `first` and, where they are two, `second`.
class StringKernel : public PlainKernel {
 public:
  constexpr StringKernel(const char* name, OpKind op, int first, int second = -1) noexcept : PlainKernel(name, op), heaps_{first, second} {}
  void plan(const Args& args, Plan* plan) const noexcept override {
    plan->scratch = 0;
    for (const int i : heaps_)
      if (i >= 0) plan->scratch = saturating_add(plan->scratch, StringReader::scratch(args.in[static_cast<size_t>(i)]));
  }
  int64_t scratch_bound(const Problem&, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    int64_t bytes = 0;
    for (const int i : heaps_)
      if (i >= 0) bytes = saturating_add(bytes, in[static_cast<size_t>(i)][0]);
    return bytes;
  }

 private:
  int heaps_[2];
};

}  // namespace anydim
