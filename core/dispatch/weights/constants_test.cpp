// SPDX-License-Identifier: Apache-2.0
// Constants are a list: pieces with dtypes of their own, made of any operands, in files and under updates as all weights are; and
// weights are read by those primitives alone for which they were packed.
#include <atomic>
#include <thread>

#include "core/base/testing/random.h"
#include "core/dispatch/testing/packed_weights.h"
#include "core/dispatch/testing/pieces.h"

namespace anydim {
namespace {

using testing::EngineWithPieces;
using testing::QuantisedProduct;
using testing::Random;

// A product whose numbers all kernels compute exactly.
struct Exact {
  OperatorPtr op = *Matmul::make({});
  HostTensor a, b, c;
  explicit Exact(uint64_t seed) {
    Random r(seed);
    const int64_t m = r.integer(1, 5), k = r.integer(1, 40), n = r.integer(1, 30);
    EXPECT_TRUE(HostTensor::allocate(DType::f32, {m, k}, &a).ok());
    EXPECT_TRUE(HostTensor::allocate(DType::f32, {k, n}, &b).ok());
    EXPECT_TRUE(HostTensor::allocate(DType::f32, {n}, &c).ok());
    fill(r);
  }
  void fill(Random& r) {
    for (int64_t i = 0; i < a.view.count(); ++i) a.view.as<float>()[i] = static_cast<float>(r.integer(-128, 127));
    for (int64_t i = 0; i < b.view.count(); ++i) b.view.as<float>()[i] = static_cast<float>(r.integer(-100, 100)) / 8;
    for (int64_t i = 0; i < c.view.count(); ++i) c.view.as<float>()[i] = static_cast<float>(r.integer(-999, 999)) / 8;
  }
  std::vector<TensorView> all() const { return {a.view, b.view, c.view}; }
};

std::string reference_of(const Exact& p, const PostOps& post_ops = {}) {
  std::vector<HostTensor> out;
  const std::vector<TensorView> in = p.all();
  EXPECT_TRUE(execute_once(p.op, in, post_ops, {}, &out).ok());
  return bits(out[0]);
}

// Weights of these operands for a primitive over the others.
Status weights_for(const EnginePtr& engine, const OperatorPtr& op, std::span<const TensorView> all, OperandSet constant,
                   const PostOps& post_ops, WeightsPtr* out) {
  std::vector<TensorView> constants(all.size()), run_time_inputs;
  for (size_t i = 0; i < all.size(); ++i)
    if (constant.has(i)) constants[i] = all[i];
    else run_time_inputs.push_back(all[i]);
  const std::vector<TensorType> types = types_of(run_time_inputs);
  WeightsUse use;
  use.in = types;
  use.post_ops = post_ops;
  return Weights::create(engine, op, constants, use, out);
}

Status primitive_over(const EnginePtr& engine, const OperatorPtr& op, std::span<const TensorView> all, const WeightsPtr& weights,
                      const PostOps& post_ops, PrimitivePtr* out) {
  std::vector<TensorView> run_time_inputs;
  for (size_t i = 0; i < all.size(); ++i)
    if (!weights->holds(i)) run_time_inputs.push_back(all[i]);
  const std::vector<TensorType> types = types_of(run_time_inputs);
  PrimitiveAttributes attributes;
  attributes.post_ops = post_ops;
  return Primitive::create(engine, op, {nullptr, types, {}}, attributes, weights, out);
}

std::string run(const Primitive& p, std::span<const TensorView> all) {
  std::vector<TensorView> run_time_inputs;
  for (size_t i = 0; i < all.size(); ++i)
    if (!p.constant_operands().has(i)) run_time_inputs.push_back(all[i]);
  Dims dims;
  for (const Dim d : p.out()[0].dims) dims.push_back(d.number());
  HostTensor y;
  EXPECT_TRUE(HostTensor::allocate(p.out()[0].dtype, dims, &y).ok());
  int64_t bytes = 0;
  EXPECT_TRUE(p.scratch_bytes(run_time_inputs, {&y.view, 1}, {}, 1, &bytes).ok());
  const AlignedBuffer scratch = std::move(*AlignedBuffer::allocate(bytes));
  const Status s = p.execute(run_time_inputs, {}, {&y.view, 1}, scratch.data(), bytes, Parallel(1));
  EXPECT_TRUE(s.ok()) << s.message();
  return bits(y);
}

PostOps chain(UnaryFunction function, float alpha = 0) {
  PostOp o;
  o.unary = function;
  o.alpha = alpha;
  PostOps all;
  all.append(o);
  return all;
}

TEST(Constants, AreAListOfPiecesWithDtypesOfTheirOwn) {
  const EnginePtr engine = EngineWithPieces::create();
  for (uint64_t seed = 1; seed < 40; ++seed) {
    const Exact p(seed);
    for (const bool addend : {false, true}) {
      WeightsPtr weights;
      PrimitivePtr primitive;
      const std::vector<TensorView> all = p.all();
      ASSERT_TRUE(weights_for(engine, p.op, all, addend ? OperandSet{1, 2} : OperandSet{1}, {}, &weights).ok());
      const PackedForm& form = weights->packed()->form;
      ASSERT_EQ(form.count, addend ? 4 : 3);
      const DType expected[] = {DType::i8, DType::i32, DType::f32, DType::f32};
      for (int i = 0; i < form.count; ++i) {
        EXPECT_EQ(form.pieces[i].dtype, expected[i]);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(weights->packed()->pieces[i]) % AlignedBuffer::kAlignment, 0u);
      }
      const int64_t k = p.b.view.dims[0], n = p.b.view.dims[1];
      EXPECT_EQ(weights->bytes(), k * n + 8 * n + (addend ? 4 * n : 0)) << "a quarter of the weights, and nothing twice";
      ASSERT_TRUE(primitive_over(engine, p.op, all, weights, {}, &primitive).ok());
      EXPECT_STREQ(primitive->kernel().name(), "testing.quantised");
      EXPECT_EQ(primitive->run_time_count(), addend ? 1u : 2u);
      EXPECT_EQ(run(*primitive, all), reference_of(p)) << "seed " << seed;
    }
  }
}

using ConstantsFile = WeightsFile;

TEST_F(ConstantsFile, KeepsThePiecesAndTheirDtypes) {
  const EnginePtr engine = EngineWithPieces::create();
  Exact p(3);
  const std::vector<TensorView> all = p.all();
  WeightsPtr weights, mapped;
  ASSERT_TRUE(weights_for(engine, p.op, all, {1, 2}, {}, &weights).ok());
  ASSERT_TRUE(save_weights(*weights, path).ok());
  ASSERT_TRUE(load_weights(engine, p.op, {}, path, &mapped).ok());
  EXPECT_EQ(mapped->bytes(), weights->bytes());
  EXPECT_EQ(mapped->form(), weights->form());
  PrimitivePtr primitive;
  ASSERT_TRUE(primitive_over(engine, p.op, all, mapped, {}, &primitive).ok());
  EXPECT_EQ(run(*primitive, all), reference_of(p));
  EXPECT_EQ(load_weights(cpu_engine(), p.op, {}, path, &mapped).code(), Code::unimplemented) << "the CPU reads another form";
  // A piece of another dtype, under a right checksum: i8 panels that say they are u8, i32 sums that say they are f32.
  const std::string good = read();
  for (const char* name : {"panels", "sums", "scales", "addend"}) {
    const size_t at = good.find(name) + std::strlen(name);
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] == static_cast<char>(DType::f32) ? DType::i32 : DType::f32);
    write_checked(bad);
    const Status s = load_weights(engine, p.op, {}, path, &mapped);
    EXPECT_EQ(s.code(), Code::io_error) << name << ": " << s.message();
  }
  write(good);
  EXPECT_TRUE(load_weights(engine, p.op, {}, path, &mapped).ok());
}

TEST_F(ConstantsFile, KeepsOperandsThatAreReadAsTheyAre) {
  const OperatorPtr op = *Matmul::make({});
  const HostTensor a = tensor({3, 40}, 1), b = tensor({40, 7}, 2);
  const std::vector<TensorView> all{a.view, b.view};
  WeightsPtr first, mapped, none;
  ASSERT_TRUE(weights_for(cpu_engine(), op, all, {0}, {}, &first).ok());
  EXPECT_EQ(first->format(), "");
  ASSERT_TRUE(save_weights(*first, path).ok());
  const Status alone = load_weights(cpu_engine(), op, {}, path, &none);
  EXPECT_EQ(alone.code(), Code::invalid_argument) << "a matmul has two inputs";
  const std::vector<TensorType> types = types_of({&b.view, 1});
  WeightsUse use;
  use.in = types;
  ASSERT_TRUE(load_weights(cpu_engine(), op, use, path, &mapped).ok());
  PrimitivePtr p, q;
  ASSERT_TRUE(primitive_over(cpu_engine(), op, all, first, {}, &p).ok());
  ASSERT_TRUE(primitive_over(cpu_engine(), op, all, mapped, {}, &q).ok());
  std::vector<HostTensor> expected;
  ASSERT_TRUE(execute_once(op, all, {}, {}, &expected).ok());
  EXPECT_EQ(run(*p, all), bits(expected[0]));
  EXPECT_EQ(run(*q, all), bits(expected[0]));
}

TEST(Constants, AreUpdatedPieceByPieceUnderRunningCallsAndNeverMixed) {
  const EnginePtr engine = EngineWithPieces::create();
  Exact one(5), two(5);
  Random r(6);
  two.fill(r);
  std::copy_n(one.a.view.as<float>(), one.a.view.count(), two.a.view.as<float>());
  const std::vector<TensorView> all = one.all();
  WeightsPtr weights;
  PrimitivePtr p;
  ASSERT_TRUE(weights_for(engine, one.op, all, {1, 2}, {}, &weights).ok());
  ASSERT_TRUE(primitive_over(engine, one.op, all, weights, {}, &p).ok());
  const std::string right[] = {reference_of(one), reference_of(two)};
  ASSERT_NE(right[0], right[1]);
  std::atomic<bool> stop{false};
  std::atomic<int> mixed{0}, runs{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (; !stop; ++runs)
        if (const std::string got = run(*p, all); got != right[0] && got != right[1]) ++mixed;
    });
  for (int i = 1; i <= 300 || runs < 100; ++i) {
    const Exact& now = i % 2 == 1 ? two : one;
    const TensorView values[] = {now.b.view, now.c.view};
    ASSERT_TRUE(weights->update(values).ok());
  }
  stop = true;
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(mixed, 0);
}

// --- what weights may be shared by ------------------------------------------------------------------------------------

TEST(Constants, AreReadByPrimitivesThatDifferInWhatTheFormDoesNotDependOn) {
  const Exact p(7);
  const std::vector<TensorView> all = p.all();
  for (const EnginePtr& engine : {EnginePtr(EngineWithPieces::create()), cpu_engine()}) {
    WeightsPtr weights;
    ASSERT_TRUE(weights_for(engine, p.op, all, {1, 2}, {}, &weights).ok());
    for (const PostOps& post_ops : {PostOps(), chain(UnaryFunction::relu), chain(UnaryFunction::affine, 0.5f)}) {
      PrimitivePtr primitive;
      const Status s = primitive_over(engine, p.op, all, weights, post_ops, &primitive);
      ASSERT_TRUE(s.ok()) << s.message();
      EXPECT_EQ(run(*primitive, all), reference_of(p, post_ops)) << describe(post_ops);
    }
  }
}

TEST(Constants, AreRefusedByPrimitivesThatDifferInWhatTheFormDependsOn) {
  const Exact p(8);
  const std::vector<TensorView> all = p.all();
  const EnginePtr engine = EngineWithPieces::create(PackedForm::on_post_ops, true);
  const PostOps half = chain(UnaryFunction::affine, 0.5f), twice = chain(UnaryFunction::affine, 2.f);
  for (const PostOps& mine : {half, twice, PostOps()})
    for (const PostOps& theirs : {half, twice, PostOps()}) {
      WeightsPtr weights;
      PrimitivePtr primitive;
      ASSERT_TRUE(weights_for(engine, p.op, all, {1, 2}, mine, &weights).ok());
      const Status s = primitive_over(engine, p.op, all, weights, theirs, &primitive);
      if (describe(mine) == describe(theirs)) {
        ASSERT_TRUE(s.ok()) << s.message();
      } else {
        EXPECT_EQ(s.code(), Code::invalid_argument);
        EXPECT_NE(s.message().find("these are packed as 'testing.s8 post_ops="), std::string::npos) << s.message();
      }
    }
}

TEST(Constants, NameTheModeAndTheInputsOfTheirFormWhereTheyDependOnThem) {
  const Exact p(9);
  const std::vector<TensorType> types = types_of(p.all());
  const PostOps none;
  const TensorType out{DType::f32, {1, 1}};
  const auto name = [&](uint8_t depends, MathMode mode, DType left) {
    QuantisedProduct kernel;
    kernel.depends = depends;
    std::vector<TensorType> in = types;
    in[0].dtype = left;
    const Problem problem{p.op.get(), in, {&out, 1}, &none, {}, mode, {1, 2}};
    return form_name(kernel.packed_form(problem), problem);
  };
  EXPECT_EQ(name(0, MathMode::strict, DType::f32), name(0, MathMode::reduced, DType::f16)) << "it depends on neither";
  EXPECT_NE(name(PackedForm::on_mode, MathMode::strict, DType::f32), name(PackedForm::on_mode, MathMode::reduced, DType::f32));
  EXPECT_EQ(name(PackedForm::on_mode, MathMode::strict, DType::f32), name(PackedForm::on_mode, MathMode::strict, DType::f16));
  EXPECT_NE(name(PackedForm::on_inputs, MathMode::strict, DType::f32), name(PackedForm::on_inputs, MathMode::strict, DType::f16));
  EXPECT_EQ(name(PackedForm::on_inputs, MathMode::strict, DType::f32), name(PackedForm::on_inputs, MathMode::fast, DType::f32));
}

TEST(Constants, ThatAreIncompleteOrDoNotFitAreRefusedBeforeAnythingIsPacked) {
  const OperatorPtr op = *Matmul::make({});
  const HostTensor a = tensor({3, 4}, 1), b = tensor({5, 6}, 2);
  WeightsPtr weights;
  const auto refused = [&](std::span<const TensorView> constants, std::span<const TensorView> run_time_inputs, const char* words) {
    const std::vector<TensorType> types = types_of(run_time_inputs);
    WeightsUse use;
    use.in = types;
    const Status s = Weights::create(cpu_engine(), op, constants, use, &weights);
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_NE(s.message().find(words), std::string::npos) << s.message();
    EXPECT_EQ(weights, nullptr);
  };
  refused({}, {}, "no constant was given");
  const TensorView first[] = {a.view}, second[] = {{}, b.view}, third[] = {{}, {}, b.view};
  refused(third, {}, "input 1 is neither constant nor described");
  refused(first, {&b.view, 1}, "4");
  refused(second, {&a.view, 1}, "4");
  const HostTensor fitting = tensor({4, 6}, 3);
  const std::vector<TensorView> all{a.view, fitting.view, {}};
  ASSERT_TRUE(weights_for(cpu_engine(), op, std::span(all).first(2), {0}, {}, &weights).ok());
  PrimitivePtr p;
  const TensorType three[] = {types_of({&b.view, 1})[0]};
  EXPECT_EQ(Primitive::create(cpu_engine(), op, {nullptr, three, {}}, {}, weights, &p).code(), Code::invalid_argument);
}

}  // namespace
}  // namespace anydim
