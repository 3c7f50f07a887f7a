// SPDX-License-Identifier: Apache-2.0
// Append: the kernel against its reference on drawn problems, apart and in the cache's own memory, and starts that do not fit.
#include "core/kernels/append/append.h"

#include "core/kernels/testing/harness.h"

namespace anydim::testing {
namespace {

constexpr Layout kLayouts[] = {Layout::row_major, Layout::permuted, Layout::padded_rows, Layout::reversed};

OwnedTensor starts_of(const std::vector<int64_t>& v) {
  OwnedTensor t(DType::i64, {static_cast<int64_t>(v.size())});
  t.each([&](int64_t i, std::byte* p) { std::memcpy(p, &v[static_cast<size_t>(i)], sizeof(int64_t)); });
  return t;
}

Outcome run(const HostKernel& k, const OperatorPtr& op, std::vector<OwnedTensor> in, Random* r = nullptr) {
  testing::Run run{op.get()};
  run.in = std::move(in);
  for (Dim d : op->dim_attributes()) run.dim_attributes.push_back(d.number());
  if (r != nullptr) run.out_layouts = {drawn(kLayouts, *r)};
  return run_kernel(k, run, r);
}

struct Drawn {
  OperatorPtr op;
  std::vector<OwnedTensor> in;
  int axis = 0;
  int64_t cached = 0, length = 0;
};

Drawn draw(Random& r) {
  Drawn d;
  const int rank = static_cast<int>(r.integer(2, 4));
  d.axis = static_cast<int>(r.integer(0, rank - 1));
  const bool circular = r.chance(0.3), starts = d.axis > 0 && r.chance(0.5);
  d.cached = r.integer(0, 7);
  const int64_t count = r.integer(0, 4);
  d.length = std::max(d.cached, count) + r.integer(0, 4);
  Dims dims;
  for (int i = 0; i < rank; ++i) dims.push_back(r.integer(1, 5));
  Dims cache = dims, update = dims;
  cache[d.axis] = d.cached;
  update[d.axis] = count;
  const DType types[] = {DType::f32, DType::f16, DType::u8, DType::i64};
  const DType t = types[r.integer(0, 3)];
  const int64_t last = d.length - count;
  d.op = *Append::make(d.axis, circular ? r.integer(0, 99) : r.integer(0, last), d.length, circular);
  d.in = {std::move(OwnedTensor(t, cache, drawn(kLayouts, r), &r).fill(r)),
          std::move(OwnedTensor(t, update, drawn(kLayouts, r), &r).fill(r))};
  if (starts) {
    std::vector<int64_t> from;
    for (int64_t b = 0; b < dims[0]; ++b) from.push_back(circular ? r.integer(-20, 20) : r.integer(0, last));
    d.in.push_back(starts_of(from));
  }
  return d;
}

TEST(Append, IsItsReferenceOnDrawnProblems) {
  for (int seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random r(seed);
    const Drawn d = draw(r);
    const Outcome expected = run(*append_kernels().back(), d.op, d.in, &r);
    ASSERT_TRUE(expected.status.ok()) << expected.status.message();
    for (const HostKernel* k : append_kernels()) {
      const Outcome o = run(*k, d.op, d.in, &r);
      ASSERT_TRUE(o.status.ok()) << o.status.message();
      ASSERT_TRUE(same_bits(expected.out[0], o.out[0])) << k->name();
    }
  }
}

// A windowed cache in its own memory or apart: slices that leave, updates longer than it, starts before it.
TEST(Append, AWindowIsItsReferenceOnDrawnProblems) {
  for (int seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random r(2000 + seed);
    const int rank = static_cast<int>(r.integer(2, 4)), axis = static_cast<int>(r.integer(1, rank - 1));
    Dims cache = Dims::filled(rank, 0);
    for (int i = 0; i < rank; ++i) cache[i] = r.integer(1, 4);
    const int64_t cached = cache[axis] = r.integer(1, 9), count = r.chance(0.4) ? 1 : r.integer(0, 14);
    Dims update = cache;
    update[axis] = count;
    std::vector<int64_t> starts, evicted;
    for (int64_t b = 0; b < cache[0]; ++b) {
      evicted.push_back(r.chance(0.4) ? 0 : r.integer(0, 2 * cached));
      starts.push_back(r.integer(0, cached) - evicted.back());
    }
    const OperatorPtr op = *Append::make({axis, 0, cached, false, true});
    const DType t = r.chance(0.5) ? DType::f32 : DType::f16;
    const auto tensor = [&](const Dims& d) { return std::move(OwnedTensor(t, d, drawn(kLayouts, r), &r).fill(r)); };
    const std::vector<OwnedTensor> in{tensor(cache), tensor(update), starts_of(starts), starts_of(evicted)};
    const Outcome expected = run(*append_kernels().back(), op, in, &r);
    ASSERT_TRUE(expected.status.ok()) << expected.status.message();
    for (const HostKernel* k : append_kernels()) {
      const Outcome o = run(*k, op, in, &r);
      ASSERT_TRUE(o.status.ok()) << o.status.message();
      ASSERT_TRUE(same_bits(expected.out[0], o.out[0])) << k->name();
      ASSERT_TRUE(same_bits(expected.out[1], o.out[1])) << k->name();
      OwnedTensor memory = in[0], both(t, expected.out[1].view().dims);
      std::vector<TensorView> views{memory.view()}, out{memory.view(), both.view()};
      for (size_t i = 1; i < in.size(); ++i) views.push_back(in[i].view());
      const int64_t attributes[] = {0, cached};
      Args args;
      args.op = op.get();
      args.in = views;
      args.out = out;
      args.dim_attributes = attributes;
      args.parallel = Parallel(1);
      ASSERT_TRUE(appends_in_place(args));
      ASSERT_TRUE(k->run(Plan(), args).ok());
      OwnedTensor dense(t, cache);
      copy_slices(out[0], dense.view(), Parallel(1));
      ASSERT_TRUE(same_bits(expected.out[0], dense)) << k->name();
      ASSERT_TRUE(same_bits(expected.out[1], both)) << k->name();
    }
  }
}

TEST(Append, AWindowRefusesStartsThatDoNotFit) {
  Random r(6);
  const OwnedTensor cache = std::move(OwnedTensor(DType::f32, {1, 4, 3}).fill(r)),
                    fresh = std::move(OwnedTensor(DType::f32, {1, 2, 3}).fill(r));
  for (const auto& [start, evicted] : {std::pair<int64_t, int64_t>{5, 0}, {-1, 0}, {0, 5}, {0, -1}, {INT64_MIN, 4}, {0, INT64_MAX}})
    for (const HostKernel* k : append_kernels())
      EXPECT_EQ(run(*k, *Append::make({1, 0, 4, false, true}), {cache, fresh, starts_of({start}), starts_of({evicted})}).status.code(),
                Code::invalid_data)
          << k->name() << " " << start << " " << evicted;
}

TEST(Append, InTheCachesOwnMemoryGivesTheSame) {
  for (int seed = 0; seed < 300; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Random r(1000 + seed);
    const Drawn d = draw(r);
    const Outcome expected = run(*append_kernels().back(), d.op, d.in);
    ASSERT_TRUE(expected.status.ok());
    for (const HostKernel* k : append_kernels()) {
      // A buffer with room: the cache is its first part, the result another.
      Dims room = expected.out[0].view().dims;
      room[d.axis] += r.integer(0, 3);
      OwnedTensor memory = std::move(OwnedTensor(d.in[0].view().dtype, room).fill(r));
      TensorView cache = memory.view(), out = memory.view();
      cache.dims[d.axis] = d.cached;
      out.dims[d.axis] = d.length;
      copy_slices(d.in[0].view(), cache, Parallel(1));
      std::vector<TensorView> in{cache};
      for (size_t i = 1; i < d.in.size(); ++i) in.push_back(d.in[i].view());
      std::vector<int64_t> attributes;
      for (Dim a : d.op->dim_attributes()) attributes.push_back(a.number());
      Args args;
      args.op = d.op.get();
      args.in = in;
      args.out = {&out, 1};
      args.dim_attributes = attributes;
      args.parallel = Parallel(1);
      ASSERT_TRUE(appends_in_place(args));
      ASSERT_TRUE(k->run(Plan(), args).ok());
      OwnedTensor dense(out.dtype, out.dims);
      copy_slices(out, dense.view(), Parallel(1));
      ASSERT_TRUE(same_bits(expected.out[0], dense)) << k->name();
    }
  }
}

TEST(Append, AStartThatDoesNotFitIsRefusedBeforeAnythingIsWritten) {
  Random r(5);
  const OwnedTensor cache = std::move(OwnedTensor(DType::f32, {2, 4, 3}).fill(r)),
                    fresh = std::move(OwnedTensor(DType::f32, {2, 2, 3}).fill(r));
  for (const std::vector<int64_t>& starts : {std::vector<int64_t>{0, 4}, {-1, 0}, {INT64_MAX, 0}})
    for (const HostKernel* k : append_kernels()) {
      const Outcome o = run(*k, *Append::make(1, 0, 5), {cache, fresh, starts_of(starts)});
      EXPECT_EQ(o.status.code(), Code::invalid_data) << k->name();
      EXPECT_NE(o.status.message().find("expected 0..3"), std::string::npos) << o.status.message();
    }
}

TEST(Append, ItsShapeRuleRefusesWhatDoesNotFit) {
  DimPool pool;
  const auto infer = [&](const OperatorPtr& op, std::vector<TensorType> in) {
    TensorType out[2];
    return op->infer(pool, in, out);
  };
  const TensorType cache{DType::f32, {2, 4, 3}}, fresh{DType::f32, {2, 2, 3}}, starts{DType::i64, {2}};
  EXPECT_TRUE(infer(*Append::make(1, 4, 6), {cache, fresh}).ok());
  EXPECT_TRUE(infer(*Append::make(1, 0, 4), {cache, fresh, starts}).ok());
  EXPECT_FALSE(infer(*Append::make(3, 0, 6), {cache, fresh}).ok());
  EXPECT_FALSE(infer(*Append::make(1, 5, 6), {cache, fresh}).ok());
  EXPECT_FALSE(infer(*Append::make(1, 0, 3), {cache, fresh}).ok());
  EXPECT_FALSE(infer(*Append::make(1, 4, 6), {cache, {DType::f16, {2, 2, 3}}}).ok());
  EXPECT_FALSE(infer(*Append::make(1, 4, 6), {cache, {DType::f32, {2, 2, 4}}}).ok());
  EXPECT_FALSE(infer(*Append::make(0, 0, 4), {cache, fresh, starts}).ok());
  EXPECT_FALSE(infer(*Append::make(1, 0, 4), {cache, fresh, {DType::i32, {2}}}).ok());
  EXPECT_FALSE(infer(*Append::make(1, 0, 4), {cache, fresh, {DType::i64, {3}}}).ok());
  EXPECT_TRUE(infer(*Append::make({1, 0, 4, false, true}), {cache, fresh, starts, starts}).ok());
  EXPECT_FALSE(infer(*Append::make({1, 0, 4, false, true}), {cache, fresh, starts}).ok());
  EXPECT_FALSE(infer(*Append::make({1, 0, 4, true, true}), {cache, fresh, starts, starts}).ok());
  EXPECT_FALSE(infer(*Append::make({1, 0, 5, false, true}), {cache, fresh, starts, starts}).ok());
  EXPECT_FALSE(infer(*Append::make({1, 0, 4, false, false}), {cache, fresh, starts, starts}).ok());
}

}  // namespace
}  // namespace anydim::testing
