// SPDX-License-Identifier: Apache-2.0
// The primitive cache: what shares an entry and what does not, that no weights are pinned, that changing shapes cost
// no strictness, and that failures are those of Primitive::create(). Its memory is in primitive_cache_limit_test.cpp.
#include "core/dispatch/caches/primitive_cache.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <thread>

#include "core/dispatch/testing/cached_primitives.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/softmax.h"
#include "core/ops/operators/unary.h"

namespace anydim {
namespace {

TEST(PrimitiveCache, SharesCoreAndDescriptorsOfEqualConfigurations) {
  PrimitiveCache cache(1 << 20);
  const Made a = create(cache, *Softmax::make(-1, false), {f32({{2}, {3}})});
  const Made b = create(cache, *Softmax::make(-1, false), {f32({{2}, {3}})});
  EXPECT_EQ(a.how.hit, CacheHit::miss);
  EXPECT_EQ(b.how.hit, CacheHit::hit);
  EXPECT_EQ(a.primitive->core(), b.primitive->core());
  EXPECT_EQ(a.primitive->descriptors(), b.primitive->descriptors());
  EXPECT_GT(a.how.nanoseconds, 0);
}

TEST(PrimitiveCache, DistinguishesEveryPartOfAConfiguration) {
  PrimitiveCache cache(1 << 22);
  const OperatorPtr op = *Softmax::make(-1, false), matmul = *Matmul::make({});
  const TensorDescriptor a = f32({{2}, {3}}), b = f32({{3}, {4}});
  PrimitiveAttributes chain = reusable();
  PostOp relu;
  relu.unary = UnaryFunction::relu;
  ASSERT_TRUE(chain.post_ops.append(relu));
  PrimitiveAttributes longer = chain;
  relu.unary = UnaryFunction::leaky_relu;
  relu.alpha = 0.1f;
  ASSERT_TRUE(longer.post_ops.append(relu));
  PrimitiveAttributes other = chain;
  other.post_ops.steps[0] = relu;
  PrimitiveAttributes steeper = other;
  steeper.post_ops.steps[0].alpha = 0.2f;
  PrimitiveAttributes forced = reusable();
  forced.kernel = create(cache, matmul, {f32({{5}, {3}}), b}).primitive->kernel().name();
  const TensorDescriptor inputs[] = {
      f32({{2}, {3}}),
      f32({{3}, {2}}),
      f32({{2}, {3}, {1}}),
      f32({{6}}),
      f32({dynamic(1, 8), {3}}),
      f32({dynamic(1, 9), {3}}),
      f32({dynamic(0, 8), {3}}),
      f32({dynamic(1, 8, 4), {3}}),
      f32({dynamic(1, 8, -1, 2), {3}}),
      f32({{3}, dynamic(1, 8)}),
  };
  for (int round = 0; round < 2; ++round) {
    const CacheHit expected = round == 0 ? CacheHit::miss : CacheHit::hit;
    for (const TensorDescriptor& in : inputs) EXPECT_EQ(hit(cache, op, {in}, reusable()), expected);
    for (const PrimitiveAttributes& how : {chain, longer, other, steeper, forced, reusable(), PrimitiveAttributes()})
      EXPECT_EQ(hit(cache, matmul, {a, b}, how), expected);
    EXPECT_EQ(hit(cache, *Softmax::make(-1, true), {inputs[0]}, reusable()), expected);
    EXPECT_EQ(hit(cache, *Softmax::make(-2, false), {inputs[0]}, reusable()), expected);
  }
}

TEST(PrimitiveCache, SharesAnEntryBetweenLayersThatDifferInTheirWeightsValuesOnly) {
  PrimitiveCache cache(1 << 20);
  const OperatorPtr op = convolution();
  const WeightsPtr first = weights_of(op, {24, 16, 3, 3}), second = weights_of(op, {24, 16, 3, 3}), wider = weights_of(op, {48, 16, 3, 3});
  const TensorDescriptor src = f32({{1}, {16}, {8}, {9}});
  const Made a = create(cache, op, {src}, {}, first), b = create(cache, op, {src}, {}, second), c = create(cache, op, {src}, {}, wider);
  EXPECT_EQ(a.how.hit, CacheHit::miss);
  EXPECT_EQ(b.how.hit, CacheHit::hit);
  EXPECT_EQ(c.how.hit, CacheHit::miss);
  EXPECT_EQ(a.primitive->weights(), first);
  EXPECT_EQ(b.primitive->weights(), second);
  EXPECT_EQ(create(cache, op, {src, f32({{24}, {16}, {3}, {3}})}).how.hit, CacheHit::miss);  // as an ordinary input
}

TEST(PrimitiveCache, KeepsNoWeightsAlive) {
  PrimitiveCache cache(1 << 20);
  const OperatorPtr op = convolution();
  WeightsPtr weights = weights_of(op, {24, 16, 3, 3});
  const std::weak_ptr<const Weights> watched = weights;
  for (int64_t side = 8; side < 24; ++side)  // misses, and churn after them
    EXPECT_TRUE(create(cache, op, {f32({{1}, {16}, {side}, {side}})}, {}, weights).status.ok());
  EXPECT_EQ(weights.use_count(), 1);
  weights.reset();
  EXPECT_TRUE(watched.expired());
  EXPECT_GT(cache.figures().entries, 0);
}

TEST(PrimitiveCache, PreparesWhatWasCreatedAgainAndNothingElse) {
  PrimitiveCache cache(1 << 20);
  const OperatorPtr op = *Softmax::make(-1, false);
  const TensorDescriptor in = f32({{2}, {3}}), other = f32({{2}, {4}});
  int prepared = 0;
  const auto make = [&](const TensorDescriptor& from, bool fail) {
    const TensorDescriptor* described = &from;
    PrimitivePtr p;
    Creation how;
    Preparation prepare;
    prepare.run = [&](const Primitive& made) -> Status {
      ++prepared;
      EXPECT_EQ(made.in()[0].dims[1], from.dims[1].value);
      return fail ? error(Code::internal, "planted") : Status();
    };
    return cache.create(cpu_engine(), op, {&described, 1}, {}, nullptr, &p, &how, prepare);
  };
  EXPECT_TRUE(make(in, false).ok());
  EXPECT_TRUE(make(in, true).ok());  // a hit
  EXPECT_EQ(prepared, 1);
  EXPECT_EQ(make(other, true).message(), "planted");
  EXPECT_EQ(make(other, true).message(), "planted");  // not kept
  EXPECT_EQ(prepared, 3);
}

// An engine of one thread and one of four: plans that were measured for the one are not the other's.
TEST(PrimitiveCache, DistinguishesThreadsWherePlansAreMeasuredAtCreationAndNowhereElse) {
  PrimitiveCache cache(1 << 20);
  const OperatorPtr op = convolution();
  const WeightsPtr weights = weights_of(op, {24, 16, 3, 3});
  const TensorDescriptor in = f32({{1}, {16}, {8}, {8}});
  const auto prepared = [&](ReusePolicy policy, int threads) {
    const TensorDescriptor* described = &in;
    PrimitiveAttributes attributes;
    attributes.reuse = policy;
    Preparation prepare;
    int times = 0;
    prepare.threads = threads;
    prepare.run = [&](const Primitive& made) -> Status {
      made.core()->tiers().publish({static_cast<uint64_t>(threads), {}, 1});
      ++times;
      return {};
    };
    PrimitivePtr p;
    Creation how;
    EXPECT_TRUE(cache.create(cpu_engine(), op, {&described, 1}, attributes, weights, &p, &how, prepare).ok());
    if (policy == ReusePolicy::specialised) {
      EXPECT_TRUE(p->core()->tiers().has(static_cast<uint64_t>(threads)));
    }
    return times;
  };
  for (int round = 0; round < 2; ++round)
    for (const int threads : {1, 4}) EXPECT_EQ(prepared(ReusePolicy::specialised, threads), round == 0) << threads;
  EXPECT_EQ(prepared(ReusePolicy::reusable, 1), 1);
  EXPECT_EQ(prepared(ReusePolicy::reusable, 4), 0);
}

TEST(PrimitiveCache, GivesTheFailuresOfCreateAndKeepsNone) {
  PrimitiveCache cache(1 << 20);
  const OperatorPtr op = *Matmul::make({});
  PrimitivePtr direct;
  const TensorType types[2] = {{DType::f32, {4, 8}}, {DType::f32, {9, 4}}};
  const Status expected = Primitive::create(cpu_engine(), op, {nullptr, types, {}}, {}, nullptr, &direct);
  ASSERT_FALSE(expected.ok());
  for (int i = 0; i < 20; ++i) {  // past the threshold of churn
    const Made made = create(cache, op, {f32({{4}, {8}}), f32({{9}, {4}})});
    EXPECT_EQ(made.status.code(), expected.code());
    EXPECT_EQ(made.status.message(), expected.message());
    EXPECT_EQ(made.primitive, nullptr);
  }
  EXPECT_EQ(cache.figures().entries, 0);
  EXPECT_EQ(cache.figures().failures, 20);
  // Weights of another operator.
  const WeightsPtr weights = weights_of(op, {8, 4});
  Matmul::Attributes transposed;
  transposed.transpose_a = true;
  const Made wrong = create(cache, *Matmul::make(transposed), {f32({{4}, {8}})}, {}, weights);
  EXPECT_NE(wrong.status.message().find("the weights were packed for"), std::string::npos) << wrong.status.message();
}

TEST(PrimitiveCache, TurnsAnOperatorWhoseShapesKeepChangingToOneCoreOnce) {
  PrimitiveCache cache(1 << 20);
  const OperatorPtr op = convolution();
  const WeightsPtr weights = weights_of(op, {24, 16, 3, 3});
  int turned = 0;
  PrimitiveCorePtr shared;
  for (int64_t side = 1; side <= 40; ++side) {
    const Made made = create(cache, op, {f32({{1}, {16}, {side}, {2 * side}})}, {}, weights);
    ASSERT_TRUE(made.status.ok());
    turned += made.how.turned_dynamic;
    EXPECT_EQ(made.how.turned_dynamic, side == PrimitiveCache::kChurnMisses);
    EXPECT_EQ(made.how.hit, side <= PrimitiveCache::kChurnMisses ? CacheHit::miss : CacheHit::churn) << side;
    if (made.how.hit != CacheHit::churn) continue;
    if (!shared) shared = made.primitive->core();
    EXPECT_EQ(made.primitive->core(), shared);
  }
  EXPECT_EQ(turned, 1);
  EXPECT_EQ(cache.churn_hits(), 40 - PrimitiveCache::kChurnMisses);
  EXPECT_EQ(cache.figures().entries, PrimitiveCache::kChurnMisses);
  // The shapes that were kept are still hits, and another operator is not concerned.
  EXPECT_EQ(hit(cache, op, {f32({{1}, {16}, {3}, {6}})}, {}, weights), CacheHit::hit);
  EXPECT_EQ(hit(cache, *Softmax::make(-1, false), {f32({{1}, {16}, {3}, {6}})}), CacheHit::miss);
}

TEST(PrimitiveCache, DoesNotTurnDynamicDimsNorOtherPoliciesThanAuto) {
  PrimitiveCache cache(1 << 20);
  const OperatorPtr op = *Softmax::make(-1, false);
  for (int64_t n = 1; n <= 30; ++n) {
    EXPECT_EQ(hit(cache, op, {f32({{n}, {4}})}, reusable()), CacheHit::miss) << n;
    EXPECT_EQ(hit(cache, op, {f32({dynamic(1, n), {4}})}), CacheHit::miss) << n;
  }
  EXPECT_EQ(cache.turned_dynamic(), 0);
}

TEST(PrimitiveCache, HoldsAPrimitiveOverASharedCoreToItsOwnDimsAndGivesTheSameBits) {
  PrimitiveCache cache(1 << 20);
  const OperatorPtr op = convolution();
  const WeightsPtr weights = weights_of(op, {24, 16, 3, 3});
  Made made;
  for (int64_t side = 4; side < 20; ++side) made = create(cache, op, {f32({{1}, {16}, {side}, {side}})}, {}, weights);
  ASSERT_EQ(made.how.hit, CacheHit::churn);
  const Primitive& p = *made.primitive;
  EXPECT_EQ(p.out()[0].dims, (SymDims{1, 24, 19, 19}));  // known when it is made, as with a core of its own
  const TensorType type{DType::f32, {1, 16, 19, 19}};
  PrimitivePtr own;
  ASSERT_TRUE(Primitive::create(cpu_engine(), op, {nullptr, {&type, 1}, {}}, {}, weights, &own).ok());
  EXPECT_EQ(&own->kernel(), &p.kernel());
  const HostTensor x = small_tensor({1, 16, 19, 19}), wrong = small_tensor({1, 16, 19, 18});
  HostTensor y = small_tensor({1, 24, 19, 19}), z = small_tensor({1, 24, 19, 19});
  auto scratch = AlignedBuffer::allocate(1 << 22);
  ASSERT_TRUE(p.execute({&x.view, 1}, {}, {&y.view, 1}, scratch->data(), scratch->size(), Parallel(1)).ok());
  ASSERT_TRUE(own->execute({&x.view, 1}, {}, {&z.view, 1}, scratch->data(), scratch->size(), Parallel(1)).ok());
  EXPECT_EQ(std::memcmp(y.view.data, z.view.data, static_cast<size_t>(y.view.count()) * 4), 0);
  const Status s = p.execute({&wrong.view, 1}, {}, {&y.view, 1}, scratch->data(), scratch->size(), Parallel(1));
  EXPECT_EQ(s.code(), Code::out_of_bounds);
  EXPECT_EQ(s.message(), "input 0 dim 3 is 18; its descriptor says 19");
}

TEST(PrimitiveCache, KeepsNothingWhenItIsOff) {
  PrimitiveCache cache(0);
  const OperatorPtr op = *Softmax::make(-1, false);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(hit(cache, op, {f32({{i}, {3}})}), CacheHit::none);
  EXPECT_EQ(hit(cache, op, {f32({{1}, {3}})}), CacheHit::none);
  EXPECT_EQ(cache.figures().bytes, 0);
  EXPECT_EQ(cache.turned_dynamic(), 0);
}

// Acceptance 5 of issue 4 with primitives: mixed operators and shapes from eight threads, each created once.
TEST(PrimitiveCache, CreatesEachOfTenThousandMixedPrimitivesOnceUnderEightThreads) {
  constexpr int kKeys = 10'000, kThreads = 8;
  PrimitiveCache cache(int64_t{1} << 30);
  const OperatorPtr conv = convolution(), matmul = *Matmul::make({}), softmax = *Softmax::make(-1, false);
  const WeightsPtr conv_weights = weights_of(conv, {8, 4, 3, 3}), matmul_weights = weights_of(matmul, {16, 8});
  std::atomic<int> wrong{0};
  const auto request = [&](int k) -> Made {
    const int64_t a = 1 + k / 4 % 50, b = 1 + k / 200;
    switch (k % 4) {
      case 0: return create(cache, conv, {f32({{1}, {4}, {a}, {b}})}, reusable(), conv_weights);
      case 1: return create(cache, matmul, {f32({{a}, {b}, {16}})}, reusable(), matmul_weights);
      case 2: return create(cache, softmax, {f32({{a}, dynamic(1, b)})});
      default: return create(cache, *Unary::make(UnaryFunction::relu), {f32({{a}, {b}})}, reusable());
    }
  };
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<int> order(kKeys);
    for (int i = 0; i < kKeys; ++i) order[static_cast<size_t>(i)] = i;
    for (auto at = order.begin(); at != order.end(); at += 100) std::shuffle(at, at + 100, random);
    for (const int k : order)
      if (!request(k).status.ok()) ++wrong;
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned t = 0; t < kThreads; ++t) threads.emplace_back(work, t);
  }
  EXPECT_EQ(wrong, 0);
  const CacheFigures f = cache.figures();
  EXPECT_EQ(f.misses, kKeys);
  EXPECT_EQ(f.entries, kKeys);
  EXPECT_EQ(f.hits + f.waited + f.misses, int64_t{kKeys} * kThreads);
}

// Shapes of one operator from many threads under auto: however they interleave, one core in the end.
TEST(PrimitiveCache, TurnsAnOperatorOnceUnderEightThreads) {
  PrimitiveCache cache(1 << 22);
  const OperatorPtr op = *Softmax::make(-1, false);
  std::atomic<int> turned{0}, wrong{0};
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 8; ++t)
      threads.emplace_back([&, t] {
        for (int64_t i = 1; i <= 300; ++i) {
          const Made made = create(cache, op, {f32({{i}, {1 + (i + t) % 5}})});
          if (!made.status.ok() || !made.primitive->in()[0].dims[0].is(i)) ++wrong;
          turned += made.how.turned_dynamic;
        }
      });
  }
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(turned, 1);
}

TEST(PrimitiveCache, OfTheProcessIsEmptyInAForkedChild) {
  PrimitiveCache& cache = PrimitiveCache::process();
  const OperatorPtr op = *Softmax::make(-1, false);
  (void)create(cache, op, {f32({{123}, {321}})});
  ASSERT_EQ(hit(cache, op, {f32({{123}, {321}})}), CacheHit::hit);
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    const bool good = cache.figures().entries == 0 && hit(cache, op, {f32({{123}, {321}})}) == CacheHit::miss &&
                      hit(cache, op, {f32({{123}, {321}})}) == CacheHit::hit;
    _exit(good ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_EQ(hit(cache, op, {f32({{123}, {321}})}), CacheHit::hit);
}

}  // namespace
}  // namespace anydim
