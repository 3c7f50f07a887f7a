// SPDX-License-Identifier: Apache-2.0
// Attention: every instruction set against the reference, bit for bit, over random shapes, layouts, masks, windows and special values;
// the reference against a plain softmax in double; a sequence that is cut, and one in a batch, have the bits of the whole.
#include "core/kernels/attention/attention.h"

#include <cmath>
#include <cstring>
#include <limits>

#include "core/kernels/doubles/doubles.h"
#include "core/kernels/testing/emulated_instructions.h"
#include "core/kernels/testing/golden.h"
#include "core/kernels/testing/harness.h"

namespace anydim::testing {
namespace {

// For the tests *_emulated: before anything asks for kernels.
const bool emulates = [] {
  if constexpr (is_built_for(Processor::x86)) return emulate_if_asked();
  return false;
}();

using KernelRun = Run;  // inside a TEST, Run is GoogleTest's
constexpr Layout kLayouts[] = {Layout::row_major, Layout::channels_last, Layout::permuted, Layout::padded_rows,
                               Layout::padded_channels_last};

struct Drawn {
  OperatorPtr op;
  KernelRun run;
};

Drawn draw(Random& r, int64_t most_keys, DType dtype = DType::f32) {
  // Few rows whose heads are whole vectors have code of their own.
  const bool decodes = r.chance(0.4), whole = r.chance(0.5);
  const int64_t batch = r.integer(1, 2), key_heads = r.integer(1, 3), group = r.integer(1, 3), queries = decodes ? 1 : r.integer(0, 9);
  const int64_t keys = r.chance(0.05) ? 0 : r.integer(1, most_keys);
  const int64_t size = whole ? 8 * r.integer(1, 22) : r.chance(0.2) ? r.integer(129, 200) : r.integer(0, 70);
  const int64_t value_size = r.chance(0.3) ? 32 * r.integer(1, 5) : r.integer(1, 70), heads = key_heads * group;
  Attention::Attributes a;
  if (r.chance(0.7)) a.scale = 0.125f;
  if (r.chance(0.2)) a.softcap = 2.5f;
  a.causal = r.chance(0.5);
  if (r.chance(0.3)) a.left_window = r.integer(0, keys);
  if (r.chance(0.2)) a.right_window = r.integer(0, 5);
  // Keys that are the later part of a sequence; what does not fit is seen by nobody.
  const bool later = r.chance(0.3);
  const int64_t origin = !later ? 0 : r.chance(0.3) ? r.integer(4000, 4200) : r.chance(0.1) ? r.integer(-9, 0) : r.integer(0, 300);
  const int64_t first = std::max<int64_t>(origin, 0) + r.integer(0, keys);
  a.first = first;
  Drawn drawn;
  drawn.op = *Attention::make(a);
  KernelRun& run = drawn.run;
  run.op = drawn.op.get();
  run.dim_attributes = {first};
  const double specials = r.chance(0.2) ? 0.01 : 0;
  const auto tensor = [&](const Dims& d) { return OwnedTensor(dtype, d, kLayouts[r.integer(0, 4)], &r).fill(r, specials); };
  run.in = {tensor({batch, heads, queries, size}), tensor({batch, key_heads, keys, size}), tensor({batch, key_heads, keys, value_size})};
  const auto broadcast = [&](DType t) {
    Dims d{batch, heads, queries, keys};
    for (int i = 0; i < 4; ++i)
      if (r.chance(0.4)) d[i] = 1;
    return OwnedTensor(t, d, kLayouts[r.integer(0, 4)], &r).fill(r, specials);
  };
  run.in.push_back(r.chance(0.4) ? broadcast(dtype) : OwnedTensor());
  run.in.push_back(r.chance(0.4) ? broadcast(DType::boolean) : OwnedTensor());
  const auto numbers = [&] {
    OwnedTensor t(DType::i64, {batch});
    t.each([&](int64_t, std::byte* p) {
      const int64_t v = r.chance(0.1) ? r.integer(-5, 0) : r.chance(0.05) ? INT64_MAX : std::max<int64_t>(origin, 0) + r.integer(0, keys);
      std::memcpy(p, &v, 8);
    });
    return t;
  };
  run.in.push_back(r.chance(0.3) ? numbers() : OwnedTensor());
  run.in.push_back(r.chance(0.3) ? numbers() : OwnedTensor());
  if (!later && r.chance(0.3)) run.in.push_back(OwnedTensor());
  if (later) {
    OwnedTensor t(DType::i64, {batch});
    t.each([&](int64_t i, std::byte* p) {
      const int64_t v = r.chance(0.02) ? INT64_MAX : origin + i * 3;
      std::memcpy(p, &v, 8);
    });
    run.in.push_back(t);
  }
  if (run.in.size() == Attention::kSinks) run.in.push_back(OwnedTensor(dtype, {heads}).fill(r, specials));
  run.out_layouts = {kLayouts[r.integer(0, 4)]};
  return drawn;
}

void expect_all_equal(KernelRun& run, MathMode mode = MathMode::strict) {
  run.threads = 1;
  const bool reduced = mode == MathMode::reduced;
  const Outcome want = run_kernel(reduced ? attention_reduced_reference() : attention_reference(), run);
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  int others = 0;
  const bool doubles = run.in[0].view().dtype == DType::f64;
  for (const HostKernel* k : runnable(doubles ? doubles_kernels() : reduced ? attention_reduced_kernels() : attention_kernels())) {
    if (k == &attention_reference() || k == &attention_reduced_reference() || k->key().op != OpKind::attention) continue;
    for (int threads : {1, 2}) {
      run.threads = threads;
      const Outcome got = run_kernel(*k, run);
      ASSERT_EQ(got.refusal, nullptr) << got.refusal;
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << k->name() << " threads " << threads << " " << describe(*run.op) << " q "
                                                      << to_string(run.in[0].view().dims) << " v " << to_string(run.in[2].view().dims);
      ++others;
    }
  }
  EXPECT_GT(others, 0);
}

TEST(Attention, ValuesAreAskedForWithTheirLastAxisDense) {
  const OperatorPtr op = *Attention::make({});
  const TensorType f{DType::f32, {1, 2, 3, 4}};
  const TensorType in[] = {f, f, f};
  const PostOps none;
  const Problem p{op.get(), in, {&f, 1}, &none, {}, MathMode::strict, {}};
  for (const HostKernel* k : runnable(attention_kernels())) {
    if (k == &attention_reference()) continue;
    EXPECT_EQ(k->preferred_order(p, false, Attention::kV), (Perm{0, 1, 2, 3})) << k->name();
    EXPECT_TRUE(k->preferred_order(p, false, Attention::kK).empty()) << k->name();
    EXPECT_TRUE(k->preferred_order(p, true, 0).empty()) << k->name();
  }
}

TEST(Attention, KernelsHaveTheReferencesBits) {
  Random r(31);
  for (int i = 0; i < 300; ++i) {
    Drawn d = draw(r, 60);
    expect_all_equal(d.run);
    if (HasFatalFailure()) return;
  }
  for (int i = 0; i < 25; ++i) {
    Drawn d = draw(r, 700);
    expect_all_equal(d.run);
    if (HasFatalFailure()) return;
  }
}

TEST(Attention, KernelsOfDoublesHaveTheReferencesBits) {
  Random r(33);
  for (int i = 0; i < 150; ++i) {
    Drawn d = draw(r, i % 8 == 0 ? 700 : 60, DType::f64);
    constexpr double kSpecial[] = {std::numeric_limits<double>::quiet_NaN(), HUGE_VAL, -HUGE_VAL, -0.0, 1e-310, 1e300};
    for (OwnedTensor& t : d.run.in)
      if (t.view().dtype == DType::f64 && r.chance(0.2))
        t.each([&](int64_t, std::byte* p) {
          if (r.chance(0.01)) std::memcpy(p, &kSpecial[r.integer(0, 5)], 8);
        });
    expect_all_equal(d.run);
    if (HasFatalFailure()) return;
  }
}

TEST(Attention, KernelsOfModeReducedHaveTheReferencesBits) {
  Random r(35);
  for (int i = 0; i < 300; ++i) {
    Drawn d = draw(r, 80);
    expect_all_equal(d.run, MathMode::reduced);
    if (HasFatalFailure()) return;
  }
  for (int i = 0; i < 25; ++i) {
    Drawn d = draw(r, 700);
    expect_all_equal(d.run, MathMode::reduced);
    if (HasFatalFailure()) return;
  }
}

// Rows that see different keys, of which some have values that are no numbers for those that do not see them.
TEST(Attention, InModeReducedValuesThatARowDoesNotSeeAreNothingToIt) {
  Random r(36);
  for (int i = 0; i < 20; ++i) {
    Attention::Attributes a;
    a.causal = true;
    a.scale = 0.5f;
    OperatorPtr op = *Attention::make(a);
    KernelRun run;
    run.op = op.get();
    run.dim_attributes = {0};
    const int64_t keys = r.integer(20, 90);
    run.in = {OwnedTensor(DType::f32, {1, 2, keys, 32}).fill(r), OwnedTensor(DType::f32, {1, 1, keys, 32}).fill(r),
              OwnedTensor(DType::f32, {1, 1, keys, 33}).fill(r)};
    const int64_t bad = r.integer(1, keys - 1);
    const float value = r.chance(0.5) ? HUGE_VALF : 3.4e38f;
    run.in[2].each([&](int64_t e, std::byte* p) {
      if (e / 33 == bad && r.chance(0.5)) std::memcpy(p, &value, 4);
    });
    run.out_layouts = {Layout::row_major};
    expect_all_equal(run, MathMode::reduced);
    if (HasFatalFailure()) return;
    const Outcome y = run_kernel(attention_reduced_reference(), run);
    y.out[0].each([&](int64_t e, const std::byte*) {
      if (e / 33 % keys < bad) {
        EXPECT_TRUE(std::isfinite(y.out[0].get<float>(e)));
      }
    });
  }
}

TEST(Attention, InModeReducedKernelsHaveTheGoldenBits) {
  const auto digest = [](const HostKernel& kernel, bool causal, int64_t queries, int64_t keys, int64_t size) {
    Attention::Attributes a;
    a.scale = 0.25f;
    a.causal = causal;
    a.first = keys - queries;
    const OperatorPtr op = *Attention::make(a);
    KernelRun run;
    run.op = op.get();
    run.dim_attributes = {keys - queries};
    run.in = {OwnedTensor(DType::f32, {1, 4, queries, size}), OwnedTensor(DType::f32, {1, 2, keys, size}),
              OwnedTensor(DType::f32, {1, 2, keys, size})};
    for (size_t i = 0; i < run.in.size(); ++i) {
      fill_by_formula(run.in[i], i + 1);
      run.in[i].each([](int64_t, std::byte* p) {
        float v;
        std::memcpy(&v, p, 4);
        if (std::fabs(v) > 50.f) v = 1.f;  // a NaN has no golden bits
        std::memcpy(p, &v, 4);
      });
    }
    run.out_layouts = {Layout::row_major};
    return digest_of(run_kernel(kernel, run).out[0]);
  };
  for (const HostKernel* k : runnable(attention_reduced_kernels())) {
    EXPECT_EQ(digest(*k, false, 5, 70, 64), 12763838827524008815u) << k->name();
    EXPECT_EQ(digest(*k, true, 7, 301, 33), 12980498849575976365u) << k->name();
  }
}

TEST(Attention, ModeReducedIsRightToThePrecisionOfBf16) {
  Random r(37);
  for (int i = 0; i < 10; ++i) {
    Attention::Attributes a;
    a.scale = 0.125f;
    OperatorPtr op = *Attention::make(a);
    KernelRun run;
    run.op = op.get();
    run.dim_attributes = {0};
    const int64_t keys = r.integer(20, 200);
    run.in = {OwnedTensor(DType::f32, {1, 2, 9, 64}).fill(r), OwnedTensor(DType::f32, {1, 2, keys, 64}).fill(r),
              OwnedTensor(DType::f32, {1, 2, keys, 48}).fill(r)};
    run.out_layouts = {Layout::row_major};
    const Outcome exact = run_kernel(attention_reference(), run), got = run_kernel(attention_reduced_reference(), run);
    double error = 0, size = 0;
    got.out[0].each([&](int64_t e, const std::byte*) {
      const double want = exact.out[0].get<float>(e), have = got.out[0].get<float>(e);
      error += (want - have) * (want - have);
      size += want * want;
    });
    EXPECT_LT(std::sqrt(error / size), 0.02);
    EXPECT_GT(std::sqrt(error / size), 0.0005) << "it computes in more bits than its operands have";
  }
}

TEST(Attention, ManyKeysGoThroughSeveralBlocksOfLanes) {
  Random r(32);
  for (const DType dtype : {DType::f32, DType::f64})
    for (const int64_t first : {0, 4095, 8200}) {
      Attention::Attributes a;
      a.causal = true;
      a.scale = 0.25f;
      a.left_window = first == 8200 ? 4200 : -1;
      a.first = first;
      OperatorPtr op = *Attention::make(a);
      KernelRun run;
      run.op = op.get();
      run.dim_attributes = {first};
      run.in = {OwnedTensor(dtype, {1, 4, 3, 20}).fill(r), OwnedTensor(dtype, {1, 2, 8300, 20}).fill(r),
                OwnedTensor(dtype, {1, 2, 8300, 33}).fill(r)};
      expect_all_equal(run);
      if (HasFatalFailure()) return;
    }
}

// Rows and positions of a tensor of rank 4.
OwnedTensor part(const OwnedTensor& t, int64_t example, int axis, int64_t first, int64_t count) {
  Dims d = t.view().dims;
  d[0] = 1;
  d[axis] = count;
  OwnedTensor to(DType::f32, d);
  TensorView from = t.view();
  from.data = from.as<float>() + example * from.strides[0] + first * from.strides[axis];
  to.each([&](int64_t i, std::byte* p) {
    int64_t offset = 0;
    for (int a = 3; a >= 0; --a) {
      offset += i % d[a] * from.strides[a];
      i /= d[a];
    }
    std::memcpy(p, from.as<float>() + offset, 4);
  });
  return to;
}

TEST(Attention, ASequenceThatIsCutHasTheBitsOfTheWholeAndOfItsBatch) {
  Random r(33);
  for (int i = 0; i < 5; ++i) {
    const int64_t batch = 2, length = r.integer(20, 200), size = r.integer(1, 40);
    Attention::Attributes a;
    a.causal = true;
    a.scale = 0.3f;
    if (r.chance(0.5)) a.left_window = r.integer(1, 150);
    if (r.chance(0.5)) a.softcap = 4.f;
    KernelRun whole;
    OperatorPtr op = *Attention::make(a);
    whole.op = op.get();
    whole.dim_attributes = {0};
    whole.threads = 2;
    const int64_t window = a.left_window;
    for (const int64_t heads : {6, 2, 2}) whole.in.push_back(OwnedTensor(DType::f32, {batch, heads, length, size}).fill(r));
    for (const HostKernel* k : runnable(attention_kernels())) {
      const Outcome want = run_kernel(*k, whole);
      ASSERT_TRUE(want.status.ok());
      // Example 1 alone, in pieces; what lies behind the keys so far is not there yet, or is NaN.
      for (int64_t at = 0; at < length;) {
        const int64_t count = std::min(length - at, r.chance(0.5) ? 1 : r.integer(1, 70)), behind = r.chance(0.5) ? 0 : 40;
        a.first = at;
        OperatorPtr step = *Attention::make(a);
        KernelRun run;
        run.op = step.get();
        run.dim_attributes = {at};
        run.in.push_back(part(whole.in[0], 1, 2, at, count));
        for (size_t j = 1; j < 3; ++j) {
          OwnedTensor now = part(whole.in[j], 1, 2, 0, at + count);
          Dims d = now.view().dims;
          d[2] += behind;
          OwnedTensor room(DType::f32, d);
          room.each([&](int64_t, std::byte* p) {
            const float nan = std::numeric_limits<float>::quiet_NaN();
            std::memcpy(p, &nan, 4);
          });
          for (int64_t h = 0; h < 2; ++h)
            std::memcpy(room.view().as<float>() + h * room.view().strides[1], now.view().as<float>() + h * now.view().strides[1],
                        static_cast<size_t>((at + count) * size) * 4);
          run.in.push_back(room);
        }
        // The keys that this piece's first query sees, and some before them, are all that is there.
        if (window >= 0 && r.chance(0.5)) {
          const int64_t origin = r.integer(0, std::max<int64_t>(at - window, 0));
          for (size_t j = 1; j < 3; ++j) run.in[j] = part(run.in[j], 0, 2, origin, run.in[j].view().dims[2] - origin);
          run.in.resize(Attention::kOrigins);
          run.in.push_back(OwnedTensor(DType::i64, {1}));
          run.in.back().each([&](int64_t, std::byte* p) { std::memcpy(p, &origin, 8); });
        }
        const Outcome got = run_kernel(*k, run);
        ASSERT_TRUE(got.status.ok());
        ASSERT_TRUE(same_bits(part(want.out[0], 1, 2, at, count), got.out[0])) << k->name() << " at " << at;
        at += count;
      }
    }
  }
}

TEST(Attention, AQueryThatSeesNoKeyIsZeroAndInfiniteScoresAreAsInSoftmax) {
  OperatorPtr op = *Attention::make({});
  KernelRun run;
  run.op = op.get();
  run.dim_attributes = {0};
  Random r(34);
  for (const int64_t n : {2, 3, 3}) run.in.push_back(OwnedTensor(DType::f32, {1, 1, n, 4}).fill(r));
  run.in.push_back(OwnedTensor());
  OwnedTensor mask(DType::boolean, {2, 1});
  mask.each([](int64_t i, std::byte* p) { *p = std::byte(i == 1); });
  run.in.push_back(mask);
  for (const HostKernel* k : runnable(attention_kernels())) {
    const Outcome o = run_kernel(*k, run);
    for (int64_t j = 0; j < 4; ++j) EXPECT_EQ(o.out[0].get<float>(j), 0.f) << k->name();
    for (int64_t j = 4; j < 8; ++j) EXPECT_NE(o.out[0].get<float>(j), 0.f) << k->name();
  }
  OwnedTensor low(DType::f32, {1});
  low.each([](int64_t, std::byte* p) {
    const float v = -std::numeric_limits<float>::infinity();
    std::memcpy(p, &v, 4);
  });
  run.in = {run.in[0], run.in[1], run.in[2], low};
  for (const HostKernel* k : runnable(attention_kernels())) EXPECT_TRUE(std::isnan(run_kernel(*k, run).out[0].get<float>(0))) << k->name();
}

TEST(Attention, TheReferenceIsSoftmaxOfScoresTimesValues) {
  Random r(35);
  Attention::Attributes a;
  a.scale = 0.5f;
  OperatorPtr op = *Attention::make(a);
  KernelRun run;
  run.op = op.get();
  run.dim_attributes = {0};
  run.in = {OwnedTensor(DType::f32, {1, 2, 3, 8}).fill(r), OwnedTensor(DType::f32, {1, 1, 200, 8}).fill(r),
            OwnedTensor(DType::f32, {1, 1, 200, 5}).fill(r)};
  const Outcome o = run_kernel(attention_reference(), run);
  const float *q = run.in[0].view().as<float>(), *k = run.in[1].view().as<float>(), *v = run.in[2].view().as<float>();
  for (int64_t row = 0; row < 6; ++row) {
    double sum = 0, y[5] = {};
    for (int64_t t = 0; t < 200; ++t) {
      double x = 0;
      for (int64_t d = 0; d < 8; ++d) x += static_cast<double>(q[row * 8 + d]) * static_cast<double>(k[t * 8 + d]);
      const double e = std::exp(0.5 * x);
      sum += e;
      for (int64_t j = 0; j < 5; ++j) y[j] += e * static_cast<double>(v[t * 5 + j]);
    }
    for (int64_t j = 0; j < 5; ++j) EXPECT_NEAR(static_cast<double>(o.out[0].get<float>(row * 5 + j)), y[j] / sum, 1e-6);
  }
}

TEST(Attention, WhatDoesNotFitIsRefused) {
  DimPool pool;
  const auto refusal = [&](std::vector<TensorType> in) {
    TensorType out;
    const Status s = (*Attention::make({}))->infer(pool, in, {&out, 1});
    return std::string(s.message());
  };
  const TensorType q{DType::f32, {1, 4, 3, 8}}, k{DType::f32, {1, 2, 5, 8}};
  EXPECT_EQ(refusal({q, k, k}), "");
  EXPECT_NE(refusal({q, {DType::f32, {1, 3, 5, 8}}, k}).find("q has 4 heads and k 3; expected a multiple"), std::string::npos);
  EXPECT_NE(refusal({q, {DType::f32, {1, 2, 5, 7}}, k}).find("k has dims [1, 2, 5, 7]; expected 8 at axis 3"), std::string::npos);
  EXPECT_NE(refusal({q, k, {DType::f32, {1, 2, 6, 8}}}).find("v has dims [1, 2, 6, 8]; expected 5 at axis 2"), std::string::npos);
  EXPECT_NE(refusal({q, k, {DType::f64, {1, 2, 5, 8}}}).find("v has dtype f64"), std::string::npos);
  EXPECT_NE(refusal({q, k, k, {DType::f32, {2, 5}}}).find("bias has dims [2, 5]"), std::string::npos);
  EXPECT_NE(refusal({q, k, k, {}, {DType::f32, {3, 5}}}).find("mask has dtype f32; expected bool"), std::string::npos);
  EXPECT_NE(refusal({q, k, k, {}, {}, {DType::i64, {2}}}).find("starts has dims [2]"), std::string::npos);
}

}  // namespace
}  // namespace anydim::testing
