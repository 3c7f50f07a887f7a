// SPDX-License-Identifier: Apache-2.0
// What tests of this family share: random tensors and indices, and a run of every kernel of an operator, which must agree.
#pragma once

#include <cstring>
#include <utility>
#include <vector>

#include "core/kernels/gather/gather.h"
#include "core/kernels/testing/half.h"
#include "core/kernels/testing/harness.h"

namespace anydim::testing {

constexpr Layout kLayouts[] = {Layout::row_major,   Layout::channels_last,        Layout::permuted,
                               Layout::padded_rows, Layout::padded_channels_last, Layout::reversed};
inline Layout any_layout(Random& r) { return drawn(kLayouts, r); }

template <class T> OwnedTensor of(DType t, const Dims& d, const std::vector<T>& v, Layout layout = Layout::row_major, Random* r = nullptr) {
  OwnedTensor x(t, d, layout, r);
  x.each([&](int64_t i, std::byte* p) { std::memcpy(p, &v[static_cast<size_t>(i)], sizeof(T)); });
  return x;
}
template <class T> std::vector<T> values(const OwnedTensor& x) {
  std::vector<T> v;
  x.each([&](int64_t, std::byte* p) {
    T y;
    std::memcpy(&y, p, sizeof(T));
    v.push_back(y);
  });
  return v;
}

// Runs every kernel for the operator; all must agree; returns the last outcome.
inline Outcome run_all(const OperatorPtr& op, std::vector<OwnedTensor> in, Random* r = nullptr) {
  testing::Run run{op.get()};
  run.in = std::move(in);
  for (Dim d : op->dim_attributes()) run.dim_attributes.push_back(d.number());
  Outcome last;
  bool first = true;
  for (const HostKernel* k : gather_kernels()) {
    if (k->key().op != op->kind() || !cpu().usable.includes(k->key().isa)) continue;
    run.threads = r ? static_cast<int>(r->integer(1, 2)) : 1;
    if (r) run.out_layouts = {any_layout(*r), any_layout(*r)};
    Outcome o = run_kernel(*k, run, r);
    EXPECT_EQ(o.refusal, nullptr) << k->name();
    if (!first) {
      EXPECT_EQ(last.status.code(), o.status.code()) << k->name();
      EXPECT_EQ(last.status.message(), o.status.message()) << k->name();
      for (size_t i = 0; o.status.ok() && i < o.out.size(); ++i) EXPECT_TRUE(same_bits(last.out[i], o.out[i])) << k->name();
    }
    last = std::move(o);
    first = false;
  }
  EXPECT_FALSE(first) << "no kernel for " << op->name();
  return last;
}

// Dtypes that are drawn; binary32 twice as often.
constexpr DType kAllTypes[] = {DType::f32, DType::f32, DType::f64, DType::f16, DType::bf16,    DType::i8,  DType::u8,
                               DType::i16, DType::u16, DType::i32, DType::u32, DType::boolean, DType::i64, DType::u64};

// A random problem of one dtype: some are large, and some have an index out of its range.
struct Draw {
  Random& r;
  bool large = r.chance(0.06);
  bool bad = r.chance(0.08);
  DType type = kAllTypes[r.integer(0, 13)];

  int64_t dim(int rank) const {
    constexpr int64_t kSmall[] = {0, 60, 20, 9, 6, 4, 3, 2, 2}, kLarge[] = {0, 40000, 220, 38, 15, 9, 6, 5, 4};
    return r.chance(0.02) ? 0 : r.chance(0.15) ? 1 : r.integer(large ? kLarge[rank] / 2 : 1, large ? kLarge[rank] : kSmall[rank]);
  }
  Dims dims(int rank) const {
    Dims d;
    for (int i = 0; i < rank; ++i) d.push_back(dim(rank));
    return d;
  }
  // So many picks that what is moved, `each` elements at each of them, stays below 60,000 elements.
  Dims picks(int rank, int64_t each) const {
    Dims d = dims(rank);
    for (int64_t& v : d)
      while (v > 1 && element_count(d) > 60000 / std::max(each, int64_t{1})) v = (v + 1) / 2;
    return d;
  }
  OwnedTensor tensor(const Dims& d) const { return std::move(OwnedTensor(type, d, any_layout(r), &r).fill(r, 0.1)); }
  // bound(position) is the size of the axis that the index at a logical position looks up.
  template <class F> OwnedTensor indices(const Dims& d, F&& bound) const {
    const bool wide = r.chance(0.5);
    OwnedTensor t(wide ? DType::i64 : DType::i32, d, any_layout(r), &r);
    const int64_t worst = bad && element_count(d) > 0 ? r.integer(0, element_count(d) - 1) : -1;
    t.each([&](int64_t i, std::byte* p) {
      const int64_t n = bound(i);
      int64_t v = n > 0 ? r.integer(-n, n - 1) : 0;
      if (worst >= 0 && i >= worst && (i == worst || r.chance(0.1))) {
        v = r.chance(0.5) ? n : -n - 1;
        if (r.chance(0.3)) v = v > 0 ? (wide ? INT64_MAX : INT32_MAX) : (wide ? INT64_MIN : INT32_MIN);
      }
      std::memcpy(p, &v, wide ? 8 : 4);
    });
    return t;
  }
};

inline OwnedTensor widened(const OwnedTensor& half) {
  OwnedTensor wide = half.with_dtype(DType::f32);
  const bool f16 = half.view().dtype == DType::f16;
  std::vector<float> numbers;
  half.each([&](int64_t, std::byte* p) {
    uint16_t bits;
    std::memcpy(&bits, p, 2);
    numbers.push_back(f16 ? f16_to_f32(bits) : bf16_to_f32(bits));
  });
  wide.each([&](int64_t i, std::byte* p) { std::memcpy(p, &numbers[static_cast<size_t>(i)], 4); });
  return wide;
}

// Kernels that combine or compare 16-bit floats do what the f32 reference does with the same numbers, and round once.
inline void expect_rounded_once(const OperatorPtr& op, const std::vector<OwnedTensor>& in, Random& r) {
  const DType half = in[0].view().dtype;
  std::vector<OwnedTensor> wide;
  for (const OwnedTensor& t : in) wide.push_back(t.view().dtype == half ? widened(t) : t);
  const Outcome want = run_all(op, wide, &r);
  testing::Run run{op.get()};
  run.in = in;
  for (Dim d : op->dim_attributes()) run.dim_attributes.push_back(d.number());
  int compared = 0;
  for (const HostKernel* k : runnable(half_kernels())) {
    if (k->key().op != op->kind()) continue;
    run.threads = static_cast<int>(r.integer(1, 2));
    run.out_layouts = {any_layout(r), any_layout(r)};
    const Outcome got = run_kernel(*k, run, &r);
    ASSERT_EQ(got.refusal, nullptr) << k->name() << ": " << got.refusal;
    EXPECT_EQ(want.status.message(), got.status.message()) << k->name();
    ++compared;
    if (!want.status.ok() || !got.status.ok()) continue;
    EXPECT_TRUE(same_bits(as_half(want.out[0], half, r, 0), got.out[0])) << k->name() << " " << dtype_name(half) << " " << describe(*op);
    for (size_t i = 1; i < got.out.size(); ++i) EXPECT_TRUE(same_bits(want.out[i], got.out[i])) << k->name();
  }
  EXPECT_GT(compared, 0) << op->name();
}

}  // namespace anydim::testing
