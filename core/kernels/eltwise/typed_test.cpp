// SPDX-License-Identifier: Apache-2.0
// Typed rows: every instruction set against the scalar reference, bit for bit, over functions, dtypes, shapes, layouts and any bytes.
#include <cmath>
#include <cstring>
#include <map>
#include <set>

#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/eltwise/testing/broadcasting.h"
#include "core/kernels/eltwise/typed_rows.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/unary.h"
#include "core/ops/operators/where.h"

namespace anydim::testing {
namespace {

using KernelRun = Run;  // inside a TEST, Run is GoogleTest's

constexpr DType kAll[] = {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i8,  DType::u8,     DType::i16,
                          DType::u16, DType::i32, DType::u32, DType::i64,  DType::u64, DType::boolean};
constexpr Layout kTypedLayouts[] = {Layout::row_major, Layout::channels_last, Layout::permuted, Layout::padded_rows, Layout::reversed};

Dims typed_dims(Random& r) {
  Dims d;
  const int64_t rank = r.integer(0, 4);
  for (int64_t i = 0; i < rank; ++i) d.push_back(r.chance(0.05) ? 0 : r.chance(0.2) ? 1 : r.integer(1, rank <= 2 ? 60 : 12));
  if (rank == 1 && r.chance(0.3)) d[0] = r.integer(1000, 3000);  // more than one run
  return d;
}
// Any bytes; every few elements small, so that comparisons meet equals, quotients ones and shifts their range; and least integers.
OwnedTensor any_bytes(Random& r, DType t, const Dims& d) {
  OwnedTensor x(t, d, drawn(kTypedLayouts, r), &r);
  x.each([&](int64_t, std::byte* p) {
    for (int64_t b = 0; b < dtype_size(t); ++b) p[b] = static_cast<std::byte>(r.chance(0.5) ? 0 : r.integer(0, 255));
    if (r.chance(0.3)) std::memset(p, 0, static_cast<size_t>(dtype_size(t))), p[0] = static_cast<std::byte>(r.integer(0, 3));
    if (r.chance(0.1)) std::memset(p, 0xff, static_cast<size_t>(dtype_size(t)));
    if (r.chance(0.1)) std::memset(p, 0, static_cast<size_t>(dtype_size(t))), p[dtype_size(t) - 1] = std::byte{0x80};  // the least
  });
  return x;
}

// Floats near whole numbers, powers of two, the ends of all dtypes, and halfway between two that a narrower float has.
void set_near_ends(Random& r, const OwnedTensor& x) {
  const DType t = x.view().dtype;
  if (t != DType::f32 && t != DType::f64) return;
  x.each([&](int64_t, std::byte* p) {
    if (r.chance(0.4)) return;
    const double power = std::ldexp(1.0, static_cast<int>(r.integer(r.chance(0.2) ? -140 : -3, r.chance(0.2) ? 130 : 65)));
    const double step = std::ldexp(power, -static_cast<int>(r.integer(1, t == DType::f32 ? 24 : 54)));
    const double v = (r.flag() ? -1 : 1) * (power + static_cast<double>(r.integer(-3, 3)) * step);
    if (t == DType::f32) {
      const auto narrow = static_cast<float>(v);
      std::memcpy(p, &narrow, sizeof narrow);
    } else std::memcpy(p, &v, sizeof v);
  });
}

// The names of the typed kernels that ran; each had the reference's bits.
std::set<std::string> compare(const HostKernel& reference, KernelRun& run) {
  std::set<std::string> ran;
  run.threads = 1;
  const Outcome want = run_kernel(reference, run);
  if (want.refusal) return ran;
  EXPECT_TRUE(want.status.ok()) << want.status.message();
  for (const HostKernel* k : runnable(typed_kernels())) {
    if (k->key().op != run.op->kind()) continue;
    for (const int threads : {1, 2}) {
      run.threads = threads;
      const Outcome got = run_kernel(*k, run);
      if (got.refusal) continue;
      EXPECT_TRUE(got.status.ok()) << got.status.message();
      EXPECT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << " " << describe(*run.op) << " on "
                                                      << dtype_name(run.in[0].view().dtype) << " " << to_string(run.in[0].view().dims);
      ran.insert(k->name());
    }
  }
  return ran;
}

TEST(TypedRows, HaveTheReferencesBitsForEveryFunctionAndDtype) {
  Random r(11);
  int functions = 0;
  for (int f = 0; f < static_cast<int>(BinaryFunction::count_); ++f)
    for (const DType t : kAll) {
      if (binary_dtype(static_cast<BinaryFunction>(f), t, t) == DType::none) continue;
      const OperatorPtr op = *Binary::make(static_cast<BinaryFunction>(f));
      bool any = false;
      for (int i = 0; i < 6; ++i) {
        KernelRun run;
        run.op = op.get();
        const Dims d = typed_dims(r);
        Dims a = broadcastable(r, d), b = broadcastable(r, d);
        (r.chance(0.5) ? a : b) = d;
        run.in = {any_bytes(r, t, a), any_bytes(r, t, b)};
        run.out_layouts = {drawn(kTypedLayouts, r)};
        any = !compare(*kBinaryReference, run).empty() || any;
      }
      functions += any;
    }
  EXPECT_GE(functions, 40) << "functions and dtypes that have rows";
}

TEST(TypedRows, CastAsTheReferenceDoes) {
  Random r(12);
  int pairs = 0;
  std::vector<DType> all(std::begin(kAll), std::end(kAll));
  all.insert(all.end(), {DType::i4, DType::u4});
  for (const DType from : all)
    for (const DType to : all) {
      const OperatorPtr op = *Cast::make(to);
      bool any = false;
      for (int i = 0; i < 4; ++i) {
        KernelRun run;
        run.op = op.get();
        run.in = {any_bytes(r, from, typed_dims(r))};
        if (r.chance(0.7)) set_near_ends(r, run.in[0]);
        run.out_layouts = {drawn(kTypedLayouts, r)};
        any = !compare(*kCastReference, run).empty() || any;
      }
      pairs += any;
    }
  EXPECT_EQ(pairs, 15 * 14);
}

TEST(TypedRows, SelectAndNegateAsTheReferenceDoes) {
  Random r(13);
  for (const DType t : kAll)
    for (int i = 0; i < 6; ++i) {
      const OperatorPtr where = *Where::make(), negate = *Unary::make(UnaryFunction::logical_not);
      const Dims d = typed_dims(r);
      KernelRun run;
      run.op = where.get();
      run.in = {any_bytes(r, DType::boolean, broadcastable(r, d)), any_bytes(r, t, d), any_bytes(r, t, broadcastable(r, d))};
      run.out_layouts = {drawn(kTypedLayouts, r)};
      EXPECT_FALSE(compare(*kWhereReference, run).empty());
      run.op = negate.get();
      run.in = {any_bytes(r, DType::boolean, d)};
      EXPECT_FALSE(compare(*kUnaryReference, run).empty());
    }
}

TEST(TypedRows, ComputeIntegersOfOneTensorAsTheReferenceDoes) {
  Random r(16);
  int functions = 0;
  for (int f = 0; f < static_cast<int>(UnaryFunction::count_); ++f)
    for (const DType t : {DType::i8, DType::u8, DType::i16, DType::u16, DType::i32, DType::u32, DType::i64, DType::u64}) {
      if (unary_dtype(static_cast<UnaryFunction>(f), t) == DType::none) continue;
      bool any = false;
      for (int i = 0; i < 4; ++i) {
        // Bounds of a clip: beyond the dtype's, crossed, none that is whole, NaN.
        constexpr float kBounds[][2] = {
            {1.f, 1.f}, {-3.5f, 100.f}, {90.f, 2.f}, {-1e30f, 3e9f}, {std::numeric_limits<float>::quiet_NaN(), 7.f}};
        const auto& [alpha, beta] = kBounds[r.integer(0, 4)];
        const OperatorPtr op = *Unary::make(static_cast<UnaryFunction>(f), alpha, beta);
        KernelRun run;
        run.op = op.get();
        run.in = {any_bytes(r, t, typed_dims(r))};
        run.out_layouts = {drawn(kTypedLayouts, r)};
        any = !compare(*kUnaryReference, run).empty() || any;
      }
      functions += any;
    }
  EXPECT_EQ(functions, 56);
}

TEST(TypedRows, ComputeDoublesAsTheReferenceDoes) {
  Random r(15);
  std::map<std::string, int> functions;
  for (int f = 0; f < static_cast<int>(UnaryFunction::count_); ++f) {
    const OperatorPtr op = *Unary::make(static_cast<UnaryFunction>(f), r.flag() ? 1.f : 0.75f, r.flag() ? 1.f : 1.25f);
    std::set<std::string> ran;
    for (int i = 0; i < 15 && unary_dtype(static_cast<UnaryFunction>(f), DType::f64) != DType::none; ++i) {
      KernelRun run;
      run.op = op.get();
      OwnedTensor x = any_bytes(r, DType::f64, typed_dims(r));
      if (i % 3 != 0)
        x.each([&](int64_t, std::byte* p) {  // where the functions change, denormal results and overflow included
          const double v = r.normal() * (i % 3 == 1 ? 3.0 : 500.0);
          std::memcpy(p, &v, sizeof v);
        });
      run.in = {x};
      run.out_layouts = {drawn(kTypedLayouts, r)};
      ran.merge(compare(*kUnaryReference, run));
    }
    for (const std::string& name : ran) ++functions[name];
  }
  for (const auto& [name, count] : functions) EXPECT_EQ(count, name == "unary.typed.portable" ? 18 : 42) << name;
}

// Angles of all sizes, and as near to multiples of pi/2 as a double can be.
TEST(TypedRows, ReduceAnglesOfDoublesAsTheReferenceDoes) {
  Random r(17);
  for (int i = 0; i < 60; ++i) {
    const OperatorPtr op = *Unary::make(i % 3 == 0 ? UnaryFunction::sin : i % 3 == 1 ? UnaryFunction::cos : UnaryFunction::tan);
    KernelRun run;
    run.op = op.get();
    OwnedTensor x(DType::f64, Dims{4000});
    x.each([&](int64_t, std::byte* p) {
      double v = std::ldexp(r.normal(), static_cast<int>(r.integer(-3, r.chance(0.1) ? 900 : 22)));
      if (r.chance(0.3)) v = static_cast<double>(r.integer(-1000000, 1000000)) * 1.5707963267948966;
      if (r.chance(0.2)) v = std::nextafter(v, r.flag() ? 0.0 : 1e300);
      if (r.chance(0.1)) v = (static_cast<double>(r.integer(-600000, 600000)) + 0.5) * 1.5707963267948966;
      std::memcpy(p, &v, sizeof v);
    });
    run.in = {x};
    compare(*kUnaryReference, run);
  }
}

TEST(TypedRows, FindNaNsAndInfinitiesAsTheReferenceDoes) {
  Random r(14);
  const OperatorPtr nan = *Unary::make(UnaryFunction::is_nan), infinite = *Unary::make(UnaryFunction::is_inf, 1.f, 1.f),
                    positive = *Unary::make(UnaryFunction::is_inf, 1.f, 0.f), negative = *Unary::make(UnaryFunction::is_inf, 0.f, 1.f),
                    neither = *Unary::make(UnaryFunction::is_inf, 0.f, 0.f);
  for (const DType t : {DType::f32, DType::f16, DType::bf16, DType::f64})
    for (int i = 0; i < 8; ++i)
      for (const OperatorPtr& op : {nan, infinite, positive, negative, neither}) {
        KernelRun run;
        run.op = op.get();
        OwnedTensor x = any_bytes(r, t, typed_dims(r));
        x.each([&](int64_t, std::byte* p) {  // infinities of both signs among them
          if (!r.chance(0.2)) return;
          if (t == DType::f64) {
            const double v = r.flag() ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
            std::memcpy(p, &v, sizeof v);
            return;
          }
          const uint32_t bits = t == DType::f32 ? 0x7f800000u : t == DType::f16 ? 0x7c00u : 0x7f80u, sign = t == DType::f32 ? 31 : 15;
          const uint32_t v = bits | (r.flag() ? 1u << sign : 0u);
          std::memcpy(p, &v, static_cast<size_t>(dtype_size(t)));
        });
        run.in = {x};
        run.out_layouts = {drawn(kTypedLayouts, r)};
        EXPECT_FALSE(compare(*kUnaryReference, run).empty());
      }
}

TEST(TypedRows, RaiseToPowersOfAnotherDtypeAsTheReferenceDoes) {
  Random r(17);
  const OperatorPtr op = *Binary::make(BinaryFunction::pow);
  int pairs = 0;
  for (const DType base : kAll)
    for (const DType exponent : kAll) {
      if (base == exponent || binary_dtype(BinaryFunction::pow, base, exponent) == DType::none) continue;
      bool any = false;
      for (int i = 0; i < 4; ++i) {
        KernelRun run;
        run.op = op.get();
        const Dims d = typed_dims(r);
        run.in = {any_bytes(r, base, d), any_bytes(r, exponent, broadcastable(r, d))};
        for (OwnedTensor& t : run.in)
          if (r.chance(0.7)) t.fill(r, 0.01);
        run.out_layouts = {drawn(kTypedLayouts, r)};
        any = !compare(*kBinaryReference, run).empty() || any;
      }
      pairs += any;
    }
  EXPECT_GT(pairs, 100);
}

TEST(TypedRows, DivideAndRaiseDoublesAndIntegersAsTheReferenceDoes) {
  Random r(18);
  for (const DType t : {DType::f64, DType::i32, DType::u32, DType::i64, DType::u64, DType::u8, DType::i16})
    for (const BinaryFunction f : {BinaryFunction::pow, BinaryFunction::mod_floor, BinaryFunction::mod_trunc, BinaryFunction::div})
      for (int i = 0; i < 16; ++i) {
        const OperatorPtr op = *Binary::make(f);
        KernelRun run;
        run.op = op.get();
        const Dims d{r.integer(1, 9), r.integer(1, 300)};
        OwnedTensor a(t, d), b(t, i % 4 == 0 ? Dims{} : i % 4 == 1 ? Dims{1, d[1]} : d);
        const auto fill = [&](OwnedTensor& x, double scale, double whole) {
          const bool rounded = r.chance(whole);
          const auto size = static_cast<size_t>(dtype_size(t));
          x.each([&](int64_t, std::byte* p) {
            double v = r.normal() * scale;
            if (rounded) v = std::round(v);
            const auto n = r.chance(0.05) ? INT64_MIN : r.chance(0.2) ? r.integer(INT64_MIN, INT64_MAX) : static_cast<int64_t>(v);
            if (t == DType::f64) std::memcpy(p, &v, 8);
            else std::memcpy(p, reinterpret_cast<const std::byte*>(&n) + (r.chance(0.1) ? 8 - size : 0), size);
          });
        };
        fill(a, i % 3 == 0 ? 1e6 : 3.0, 0.3);
        fill(b, i % 5 == 0 ? 1e3 : 2.0, 0.4);
        run.in = {a, b};
        EXPECT_FALSE(compare(*kBinaryReference, run).empty() && f != BinaryFunction::pow) << dtype_name(t) << " " << describe(*op);
      }
}

TEST(TypedRows, MayWriteOverAnInput) {
  int32_t a[1000], b[1000];
  for (int i = 0; i < 1000; ++i) a[i] = i, b[i] = 3 * i;
  TypedRows::portable.binary(BinaryFunction::add, DType::i32)({a, {a, b}, 1000});
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(a[i], 4 * i);
}

}  // namespace
}  // namespace anydim::testing
