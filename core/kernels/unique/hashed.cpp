// SPDX-License-Identifier: Apache-2.0
// Unique by a table of the groups that were met. Elements are read as whole numbers in their order, so one loop serves all dtypes; what is
// sorted are groups, not elements. Where too many slices fall on the same places of the table, all of them are sorted: no input makes this
// slower than the reference by more than a search of 8 steps for each slice.
#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include "core/kernels/plain_kernel.h"
#include "core/kernels/simd/half.h"
#include "core/kernels/unique/unique.h"
#include "core/ops/operators/unique.h"

namespace anydim {

namespace {

// Of numbers in the order of their values: NaN is one value above all, and so are both zeros.
int64_t in_order(double v) noexcept {
  if (v != v) return INT64_MAX;
  if (v == 0.0) return 0;
  const auto bits = std::bit_cast<int64_t>(v);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

struct Elements {
  const std::byte* data;
  DType dtype;

  template <class T> T load(int64_t at) const noexcept {
    T v;
    std::memcpy(&v, data + at * static_cast<int64_t>(sizeof(T)), sizeof v);
    return v;
  }
  int64_t operator()(int64_t at) const noexcept {
    switch (dtype) {
      case DType::f32: return in_order(load<float>(at));
      case DType::f64: return in_order(load<double>(at));
      case DType::f16: return in_order(f16_to_f32(load<uint16_t>(at)));
      case DType::bf16: return in_order(bf16_to_f32(load<uint16_t>(at)));
      case DType::i8: return load<int8_t>(at);
      case DType::i16: return load<int16_t>(at);
      case DType::u16: return load<uint16_t>(at);
      case DType::i32: return load<int32_t>(at);
      case DType::u32: return load<uint32_t>(at);
      case DType::i64: return load<int64_t>(at);
      case DType::u64: return static_cast<int64_t>(load<uint64_t>(at) ^ (uint64_t{1} << 63));
      default: return load<uint8_t>(at);
    }
  }
};

// Slices of x: their number, how far apart they are, and what is in one.
struct Slices {
  Elements x;
  int64_t count, step;
  Dims inner;
  Strides strides;

  Slices(const TensorView& t, int axis) noexcept
      : x{t.as<const std::byte>(), t.dtype}, count(t.dims[axis]), step(t.strides[axis]), inner(t.dims), strides(t.strides) {
    inner.erase(axis);
    strides.erase(axis);
  }
  // Calls f(offset) for the elements of a slice until it says false.
  template <class F> void each(F f) const noexcept {
    if (element_count(inner) == 0) return;
    Dims at = Dims::filled(inner.rank, 0);
    for (int64_t offset = 0;;) {
      if (!f(offset)) return;
      int axis = inner.rank - 1;
      for (; axis >= 0; --axis) {
        offset += strides[axis];
        if (++at[axis] < inner[axis]) break;
        offset -= inner[axis] * strides[axis];
        at[axis] = 0;
      }
      if (axis < 0) return;
    }
  }
  int compare(int64_t a, int64_t b) const noexcept {
    int order = 0;
    each([&](int64_t offset) {
      const int64_t u = x(a * step + offset), v = x(b * step + offset);
      order = u < v ? -1 : u > v ? 1 : 0;
      return order == 0;
    });
    return order;
  }
  // Of single elements the number itself.
  uint64_t key(int64_t i) const noexcept {
    if (inner.rank == 0) return static_cast<uint64_t>(x(i * step));
    uint64_t h = 0;
    each([&](int64_t offset) {
      h = std::rotl((h ^ static_cast<uint64_t>(x(i * step + offset))) * 0x9e3779b97f4a7c15, 29);
      return true;
    });
    return h;
  }
};

// A vector that is written at its stride.
struct Column {
  int64_t* data;
  int64_t step;
  explicit Column(const TensorView& t) noexcept : data(t.as<int64_t>()), step(t.strides[0]) {}
  int64_t& operator[](int64_t i) const noexcept { return data[i * step]; }
};

int64_t table_size(int64_t n) noexcept { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max<int64_t>(2 * n, 2)))); }

class Groups {
 public:
  explicit Groups(const Args& args) noexcept
      : slices_(args.in[0], static_cast<int>(as<Unique>(*args.op)->get().axis)),
        first_(args.out[Unique::kFirst]),
        inverse_(args.out[Unique::kInverse]),
        counts_(args.out[Unique::kCounts]),
        keys_(static_cast<uint64_t*>(args.scratch)),
        table_(reinterpret_cast<uint32_t*>(keys_ + slices_.count)) {}

  int64_t count() const noexcept { return count_; }
  int64_t slices() const noexcept { return slices_.count; }
  const Column& first() const noexcept { return first_; }
  const Column& counts() const noexcept { return counts_; }

  // In the order of their first slices. False: the table is of no use for these slices.
  bool find() noexcept {
    const int64_t n = slices_.count, size = table_size(n);
    const int shift = 64 - std::countr_zero(static_cast<uint64_t>(size));
    std::fill_n(table_, size, 0u);
    int64_t tries = 8 * n + 64;
    for (int64_t i = 0; i < n; ++i) {
      const uint64_t key = slices_.key(i);
      uint64_t mixed = key ^ key >> 32;
      mixed *= 0xd6e8feb86659fd93;
      mixed = (mixed ^ mixed >> 32) * 0x9e3779b97f4a7c15;
      int64_t group = -1;
      for (auto at = static_cast<int64_t>(mixed >> shift);; at = (at + 1) & (size - 1)) {
        if (--tries < 0) return false;
        if (table_[at] == 0) {
          group = begin(i, key);
          table_[at] = static_cast<uint32_t>(count_);
          break;
        }
        group = static_cast<int64_t>(table_[at]) - 1;
        if (keys_[group] == key && (slices_.inner.rank == 0 || slices_.compare(first_[group], i) == 0)) break;
      }
      inverse_[i] = group;
      ++counts_[group];
    }
    return true;
  }
  // The same, by sorting all slices.
  void find_by_sorting() noexcept {
    const int64_t n = slices_.count;
    count_ = 0;
    auto* order = reinterpret_cast<int64_t*>(keys_);
    for (int64_t i = 0; i < n; ++i) order[i] = i;
    std::sort(order, order + n, [&](int64_t a, int64_t b) {
      const int way = slices_.compare(a, b);
      return way != 0 ? way < 0 : a < b;
    });
    int64_t head = 0;  // first each slice's first place, then, in the order of places, its number
    for (int64_t i = 0; i < n; ++i) {
      if (i == 0 || slices_.compare(head, order[i]) != 0) head = order[i];
      inverse_[order[i]] = head;
    }
    for (int64_t i = 0; i < n; ++i) {
      inverse_[i] = inverse_[i] == i ? begin(i, slices_.key(i)) : inverse_[inverse_[i]];  // of a place before it, which has its number
      ++counts_[inverse_[i]];
    }
  }
  // In the order of their values.
  void sort() noexcept {
    uint32_t *order = table_, *rank = table_ + count_;  // there are at least two places for each slice
    for (int64_t g = 0; g < count_; ++g) order[g] = static_cast<uint32_t>(g);
    if (slices_.inner.rank == 0) {
      const auto* keys = reinterpret_cast<const int64_t*>(keys_);
      std::sort(order, order + count_, [=](uint32_t a, uint32_t b) { return keys[a] < keys[b]; });
    } else {
      std::sort(order, order + count_, [this](uint32_t a, uint32_t b) { return slices_.compare(first_[a], first_[b]) < 0; });
    }
    for (const Column* column : {&first_, &counts_}) {
      for (int64_t g = 0; g < count_; ++g) keys_[g] = static_cast<uint64_t>((*column)[order[g]]);
      for (int64_t g = 0; g < count_; ++g) (*column)[g] = static_cast<int64_t>(keys_[g]);
    }
    for (int64_t g = 0; g < count_; ++g) rank[order[g]] = static_cast<uint32_t>(g);
    for (int64_t i = 0; i < slices_.count; ++i) inverse_[i] = rank[inverse_[i]];
  }

 private:
  int64_t begin(int64_t i, uint64_t key) noexcept {
    first_[count_] = i;
    counts_[count_] = 0;
    keys_[count_] = key;
    return count_++;
  }

  Slices slices_;
  Column first_, inverse_, counts_;
  uint64_t* keys_;   // of groups
  uint32_t* table_;  // a group's number and 1
  int64_t count_ = 0;
};

class HashedUnique final : public PlainKernel {
 public:
  using PlainKernel::PlainKernel;
  Support supports(const Problem& p) const noexcept override {
    if (p.op->kind() == OpKind::unique && (p.in[0].dtype == DType::none || dtype_is_narrow(p.in[0].dtype))) return no("narrow elements");
    return PlainKernel::supports(p);
  }
  void plan(const Args& args, Plan* plan) const noexcept override { plan->scratch = scratch(*args.op, args.in[0].dims); }
  int64_t scratch_bound(const Problem& p, std::span<const Dims> in, std::span<const Dims>, int) const noexcept override {
    return scratch(*p.op, in[0]);
  }
  Status run(const Plan&, const Args& args) const noexcept override {
    Groups groups(args);
    if (groups.slices() > kMostSlices)
      return error(Code::unimplemented, "unique: {} slices; there can be {}", groups.slices(), kMostSlices);
    if (!groups.find()) groups.find_by_sorting();
    if (as<Unique>(*args.op)->get().sorted) groups.sort();
    for (int64_t i = groups.count(); i < groups.slices(); ++i) groups.first()[i] = groups.counts()[i] = 0;
    *args.out[Unique::kCount].as<int64_t>() = groups.count();
    return {};
  }

 private:
  static constexpr int64_t kMostSlices = (int64_t{1} << 32) - 2;
  static int64_t scratch(const Operator& op, const Dims& x) noexcept {
    const int64_t n = x[static_cast<int>(as<Unique>(op)->get().axis)];
    return n > kMostSlices ? saturating_mul(n, 24) : 8 * n + 4 * table_size(n);
  }
};

const HashedUnique hashed("unique.hashed", OpKind::unique);

}  // namespace

constinit const HostKernel* const kUniqueHashed = &hashed;

}  // namespace anydim
