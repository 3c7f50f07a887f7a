// SPDX-License-Identifier: Apache-2.0
// States of sessions: caches that grow in place, bits that do not depend on how a sequence was cut, recurrent states, and what goes wrong.
#include "core/run/session/state.h"

#include <atomic>
#include <thread>

#include "core/base/testing/random.h"
#include "core/graph/testing/pass_on_text.h"
#include "core/graph/testing/decoder.h"

namespace anydim {
namespace {

using namespace testing;

TEST(State, ASequenceHasTheSameBitsHoweverItIsCut) {
  const Decoder decoder;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const int64_t batch = 1 + static_cast<int64_t>(random() % 3), count = 1 + static_cast<int64_t>(random() % 70);
    const std::vector<float> all = tokens(batch, count, seed);
    const Stepped whole = step(*decoder.state(), piece(all, batch, count, 0, count));
    ASSERT_TRUE(whole.status.ok()) << whole.status.message();
    for (const bool one_by_one : {true, false}) {
      const auto state = decoder.state(random() % 2 ? count : 0);
      for (int64_t at = 0; at < count;) {
        const int64_t end = std::min<int64_t>(count, at + (one_by_one ? 1 : 1 + static_cast<int64_t>(random() % 20)));
        const Stepped part = step(*state, piece(all, batch, count, at, end));
        ASSERT_TRUE(part.status.ok()) << part.status.message();
        for (int64_t r = 0; r < batch * 2; ++r)
          ASSERT_EQ(0, std::memcmp(&part.y[static_cast<size_t>(r * (end - at) * 8)], &whole.y[static_cast<size_t>((r * count + at) * 8)],
                                   static_cast<size_t>(end - at) * 8 * sizeof(float)))
              << "tokens " << at << " to " << end;
        at = end;
      }
      EXPECT_EQ(state->figures().length, count);
    }
    // Alone as in the batch.
    for (int64_t b = 0; b < batch; ++b) {
      const std::vector<float> mine(all.begin() + b * 2 * count * 8, all.begin() + (b + 1) * 2 * count * 8);
      const Stepped alone = step(*decoder.state(), piece(mine, 1, count, 0, count));
      ASSERT_EQ(0, std::memcmp(alone.y.data(), &whole.y[static_cast<size_t>(b * 2 * count * 8)], alone.y.size() * sizeof(float)));
    }
  }
}

TEST(State, ADimThatNoOtherInputHasIsTheOutputs) {
  const std::vector<float> all = tokens(2, 9, 3);
  const auto state = Decoder(decoder_graph("w")).state(), numbered = Decoder().state();
  for (const auto& [first, last] : {std::pair<int64_t, int64_t>{0, 8}, {8, 9}}) {
    const Stepped s = step(*state, piece(all, 2, 9, first, last));
    ASSERT_TRUE(s.status.ok()) << s.status.message();
    EXPECT_TRUE(same(s.y, step(*numbered, piece(all, 2, 9, first, last)).y));
  }
}

TEST(State, WhatAStepCopiesDoesNotGrowWithTheLength) {
  const Decoder decoder;
  const std::vector<float> all = tokens(1, 200, 1);
  for (const int64_t limit : {int64_t{200}, int64_t{0}}) {
    const auto state = decoder.state(limit);
    EXPECT_EQ(state->figures().in_place, 4);
    for (int64_t t = 0; t < 200; ++t) {
      const StateFigures before = state->figures();
      ASSERT_TRUE(step(*state, piece(all, 1, 200, t, t + 1)).status.ok());
      const StateFigures after = state->figures();
      ASSERT_EQ(after.appended - before.appended, 4 * 2 * 8 * 4) << "four caches, two heads of eight floats";
      if (after.growths == before.growths) {
        ASSERT_EQ(after.copied, before.copied) << "token " << t;
      }
    }
    const StateFigures f = state->figures();
    EXPECT_EQ(f.length, 200);
    EXPECT_EQ(f.steps, 200);
    if (limit > 0) {
      EXPECT_EQ(f.growths, 0);
      EXPECT_EQ(f.copied, 0);
      EXPECT_EQ(f.bytes, 4 * 2 * 200 * 8 * 4);
    } else {
      EXPECT_EQ(f.growths, 4 * 4) << "16, 32, 64, 128, 256";
      EXPECT_LE(f.copied, f.appended * 2) << "doubling copies each token twice at most";
    }
  }
}

TEST(State, TheCallersMemoryMayHoldPastAndPresent) {
  const ProgramPtr program = compiled(decoder_graph());
  const auto context = context_of(program);
  const int64_t count = 40, room = 64;
  const std::vector<float> all = tokens(2, count, 3);
  const Stepped whole = step(*Decoder().state(), piece(all, 2, count, 0, count));
  std::vector<std::vector<float>> caches(4, std::vector<float>(static_cast<size_t>(2 * 2 * room * 8), -7.f));
  for (int64_t t = 0; t < count; ++t) {
    std::vector<TensorView> in(5), out(5);
    std::vector<float> y(2 * 2 * 8);
    for (size_t c = 0; c < 4; ++c) {
      in[c] = {caches[c].data(), DType::f32, {2, 2, t, 8}, dense_strides(Dims{2, 2, room, 8})};
      out[c + 1] = in[c];
      out[c + 1].dims[2] = t + 1;
    }
    in[4] = piece(all, 2, count, t, t + 1);
    out[0] = {y.data(), DType::f32, {2, 2, 1, 8}, dense_strides(Dims{2, 2, 1, 8})};
    const Status s = context->run(in, out);
    ASSERT_TRUE(s.ok()) << s.message();
    for (size_t o = 1; o < 5; ++o) ASSERT_TRUE(context->appended_in_place(o)) << "output " << o << " at token " << t;
    for (int64_t r = 0; r < 4; ++r)
      ASSERT_EQ(0, std::memcmp(&y[static_cast<size_t>(r * 8)], &whole.y[static_cast<size_t>((r * count + t) * 8)], 8 * sizeof(float)));
  }
  for (const std::vector<float>& c : caches)  // nothing is written behind the last token
    for (int64_t r = 0; r < 4; ++r)
      for (int64_t i = count * 8; i < room * 8; ++i) ASSERT_EQ(c[static_cast<size_t>(r * room * 8 + i)], -7.f);
}

// Whatever strides and places the caller chooses, the result is that of memory apart.
TEST(State, APastThatOverlapsOtherwiseIsCopied) {
  const ProgramPtr program = compiled(parse("input past: f32[b, p, 4]\ninput x: f32[b, n, 4]\ny = concat(past, x) axis=1\noutput y\n"));
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    std::mt19937_64 random(seed);
    const auto context = context_of(program);
    const int64_t b = 1 + static_cast<int64_t>(random() % 3), p = static_cast<int64_t>(random() % 4),
                  n = 1 + static_cast<int64_t>(random() % 3);
    std::vector<float> memory(400), fresh(static_cast<size_t>(b * n * 4));
    for (float& f : memory) f = static_cast<float>(random() % 1000);
    for (float& f : fresh) f = static_cast<float>(random() % 1000);
    const auto strides = [&](int64_t length) { return dense_strides(Dims{b, length + static_cast<int64_t>(random() % 3), 4}); };
    const TensorView past{memory.data() + random() % 9, DType::f32, {b, p, 4}, strides(p)};
    const TensorView x{fresh.data(), DType::f32, {b, n, 4}, dense_strides(Dims{b, n, 4})};
    TensorView y{memory.data() + random() % 9, DType::f32, {b, p + n, 4}, strides(p + n)};
    std::vector<float> expected;
    for (int64_t i = 0; i < b; ++i)
      for (int64_t t = 0; t < p + n; ++t)
        for (int64_t e = 0; e < 4; ++e)
          expected.push_back(t < p ? past.as<float>()[i * past.strides[0] + t * past.strides[1] + e]
                                   : fresh[static_cast<size_t>((i * n + t - p) * 4 + e)]);
    const TensorView in[] = {past, x};
    const Status s = context->run(in, {&y, 1});
    ASSERT_TRUE(s.ok()) << s.message();
    size_t k = 0;
    for (int64_t i = 0; i < b; ++i)
      for (int64_t t = 0; t < p + n; ++t)
        for (int64_t e = 0; e < 4; ++e) ASSERT_EQ(y.as<float>()[i * y.strides[0] + t * y.strides[1] + e], expected[k++]);
  }
}

TEST(State, PassesThatAreOffChangeNoBit) {
  const std::vector<float> all = tokens(1, 30, 8);
  CompileOptions none;
  none.passes = PassSet::none;
  const Decoder plain(decoder_graph(), 1, nullptr, none), fast;
  const auto a = plain.state(), b = fast.state();
  EXPECT_EQ(a->figures().in_place, 0);
  for (int64_t t = 0; t < 30; ++t) {
    const Stepped x = step(*a, piece(all, 1, 30, t, t + 1)), y = step(*b, piece(all, 1, 30, t, t + 1));
    ASSERT_TRUE(x.status.ok() && y.status.ok()) << x.status.message() << y.status.message();
    ASSERT_TRUE(same(x.y, y.y)) << "token " << t;
  }
  EXPECT_GT(a->figures().copied, 0) << "a model that does not append copies, and says so";
}

void forks_and_truncates(const Decoder& decoder) {
  const std::vector<float> all = tokens(1, 20, 4), other = tokens(1, 20, 5);
  const auto state = decoder.state(64);
  ASSERT_TRUE(step(*state, piece(all, 1, 20, 0, 12)).status.ok());
  std::unique_ptr<State> copy;
  ASSERT_TRUE(state->fork(&copy).ok());
  const Stepped first = step(*state, piece(all, 1, 20, 12, 15));
  const Stepped away = step(*copy, piece(other, 1, 20, 0, 3));
  EXPECT_FALSE(same(first.y, away.y));
  ASSERT_TRUE(copy->truncate(12).ok());
  EXPECT_TRUE(same(first.y, step(*copy, piece(all, 1, 20, 12, 15)).y)) << "the fork, cut back, goes the first one's way";
  const Stepped next = step(*state, piece(all, 1, 20, 15, 16));
  EXPECT_TRUE(same(next.y, step(*copy, piece(all, 1, 20, 15, 16)).y));
  EXPECT_EQ(state->truncate(17).code(), Code::invalid_argument);
  EXPECT_EQ(state->truncate(-1).code(), Code::invalid_argument);
}
TEST(State, AForkGoesOnByItselfAndATruncatedStateFromAnEarlierToken) { forks_and_truncates(Decoder()); }

// Its caches lie beside the old ones, dense: two heads before the tokens.
TEST(State, ATruncatedStateThatIsNotInPlaceKeepsTheTokensOfEveryHead) {
  CompileOptions none;
  none.passes = PassSet::none;
  const Decoder decoder(decoder_graph(), 1, nullptr, none);
  EXPECT_EQ(decoder.state()->figures().in_place, 0);
  forks_and_truncates(decoder);
}

TEST(State, AResetStateIsAsNewAndTakesAnotherBatch) {
  const Decoder decoder;
  const auto state = decoder.state(32);
  const std::vector<float> one = tokens(1, 9, 1), three = tokens(3, 9, 2);
  const Stepped before = step(*state, piece(one, 1, 9, 0, 9));
  ASSERT_TRUE(step(*state, piece(one, 1, 9, 0, 4)).status.ok());
  ASSERT_TRUE(state->reset().ok());
  EXPECT_EQ(state->figures().length, 0);
  EXPECT_TRUE(same(before.y, step(*state, piece(one, 1, 9, 0, 9)).y));
  const Stepped wrong = step(*state, piece(three, 3, 9, 0, 1));
  EXPECT_EQ(wrong.status.code(), Code::invalid_argument) << "another batch in the middle";
  ASSERT_TRUE(state->reset().ok());
  EXPECT_TRUE(step(*state, piece(three, 3, 9, 0, 9)).status.ok());
}

TEST(State, ALimitIsKeptAndAFailedStepChangesNothing) {
  const Decoder decoder;
  const std::vector<float> all = tokens(1, 20, 6);
  const auto state = decoder.state(10), twin = decoder.state();
  ASSERT_TRUE(step(*state, piece(all, 1, 20, 0, 8)).status.ok());
  ASSERT_TRUE(step(*twin, piece(all, 1, 20, 0, 8)).status.ok());
  const Stepped over = step(*state, piece(all, 1, 20, 8, 11));
  EXPECT_EQ(over.status.code(), Code::out_of_bounds);
  for (const char* part : {"keys0", "11", "10", "8"})
    EXPECT_NE(over.status.message().find(part), std::string::npos) << over.status.message();
  const int32_t stop = 1;
  RunCall cancelled;
  cancelled.stop = &stop;
  EXPECT_EQ(step(*state, piece(all, 1, 20, 8, 9), cancelled).status.code(), Code::cancelled);
  TensorView wrong = piece(all, 1, 20, 8, 9);
  wrong.dims[3] = 4;
  EXPECT_EQ(step(*state, wrong).status.code(), Code::invalid_argument);
  EXPECT_EQ(state->figures().length, 8);
  EXPECT_TRUE(same(step(*state, piece(all, 1, 20, 8, 10)).y, step(*twin, piece(all, 1, 20, 8, 10)).y));
}

TEST(State, BoundsOfTheSessionAreItsLimit) {
  Bounds bounds(5);
  for (size_t i = 0; i < 4; ++i) bounds[i].dims = {Interval{1, 1}, {2, 2}, {0, 30}, {8, 8}};
  bounds[4].dims = {Interval{1, 1}, {2, 2}, {1, 4}, {8, 8}};
  const Decoder decoder(decoder_graph(), 1, &bounds);
  const auto state = decoder.state();
  EXPECT_EQ(state->figures().limit, 34);
  const std::vector<float> all = tokens(1, 40, 1);
  for (int64_t t = 0; t < 28; t += 4) ASSERT_TRUE(step(*state, piece(all, 1, 40, t, t + 4)).status.ok());
  EXPECT_EQ(state->figures().growths, 0);
  EXPECT_EQ(decoder.session->figures().growths, 0);
}

TEST(State, WhatWasReadIsWrittenBack) {
  const Decoder decoder;
  const std::vector<float> all = tokens(2, 12, 9);
  const auto state = decoder.state();
  TensorView view;
  EXPECT_EQ(state->read(0, &view).code(), Code::invalid_argument);
  EXPECT_EQ(state->read(4, &view).code(), Code::not_found);
  ASSERT_TRUE(step(*state, piece(all, 2, 12, 0, 10)).status.ok());
  std::vector<TensorView> parts(4);
  for (int32_t i = 0; i < 4; ++i) ASSERT_TRUE(state->read(i, &parts[static_cast<size_t>(i)]).ok());
  EXPECT_EQ(parts[0].dims, (Dims{2, 2, 10, 8}));
  const auto other = decoder.state(50);
  ASSERT_TRUE(other->write(parts).ok());
  EXPECT_TRUE(same(step(*state, piece(all, 2, 12, 10, 12)).y, step(*other, piece(all, 2, 12, 10, 12)).y));
  EXPECT_EQ(decoder.state(5)->write(parts).code(), Code::out_of_bounds);
  parts.pop_back();
  EXPECT_EQ(other->write(parts).code(), Code::invalid_argument);
}

TEST(State, PartsThatDoNotFitAreRefusedByName) {
  const Decoder decoder;
  State state(decoder.session, 0);
  const auto refused = [&](const char* in, const char* out, int32_t axis, Code code, const char* part) {
    const Status s = state.add(in, out, axis);
    EXPECT_EQ(s.code(), code);
    EXPECT_NE(s.message().find(part), std::string::npos) << s.message();
  };
  refused("k9", "keys0", 2, Code::not_found, "k9");
  refused("k0", "keys9", 2, Code::not_found, "keys9");
  refused("k0", "keys0", 4, Code::invalid_argument, "axis is 4");
  refused("k0", "keys0", 1, Code::invalid_argument, "cannot grow");
  ASSERT_TRUE(state.add("k0", "keys0", 2).ok());
  refused("k0", "keys1", 2, Code::invalid_argument, "another part");
  refused("k1", "keys0", 2, Code::invalid_argument, "another part");
}

TEST(State, ThreadsStepStatesOfTheirOwnInOneSession) {
  const Decoder decoder(decoder_graph(), 3);
  constexpr int kThreads = 8, kTokens = 40;
  std::vector<std::vector<float>> all, whole;
  for (int i = 0; i < kThreads; ++i) {
    all.push_back(tokens(1, kTokens, static_cast<uint64_t>(i)));
    whole.push_back(step(*decoder.state(), piece(all.back(), 1, kTokens, 0, kTokens)).y);
  }
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([&, i] {
      const auto state = decoder.state(i % 2 ? kTokens : 0);
      const auto me = static_cast<size_t>(i);
      for (int64_t t = 0; t < kTokens; ++t) {
        const Stepped s = step(*state, piece(all[me], 1, kTokens, t, t + 1));
        if (!s.status.ok()) ++wrong;
        for (int64_t r = 0; r < 2; ++r)
          if (std::memcmp(&s.y[static_cast<size_t>(r * 8)], &whole[me][static_cast<size_t>((r * kTokens + t) * 8)], 32) != 0) ++wrong;
      }
    });
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

// h' = tanh(h + x): replaced, not appended.
TEST(State, ARecurrentStateIsHandedOnAndStartsAtZero) {
  const Decoder decoder(
      parse("input h: f32[b, 3]\ninput x: f32[b, 3]\ns = binary(h, x) function=add\nnext = unary(s) function=tanh\noutput next\n"));
  State state(decoder.session, 0);
  ASSERT_TRUE(state.add("h", "next", -1).ok());
  std::vector<float> h(3, 0.f);
  for (int i = 0; i < 5; ++i) {
    std::vector<float> x{0.1f * static_cast<float>(i), -1.f, 2.f}, expected(3);
    const TensorView in[] = {{h.data(), DType::f32, {1, 3}, {3, 1}}, {x.data(), DType::f32, {1, 3}, {3, 1}}};
    TensorView out{expected.data(), DType::f32, {1, 3}, {3, 1}};
    const auto context = context_of(compiled(
        parse("input h: f32[b, 3]\ninput x: f32[b, 3]\ns = binary(h, x) function=add\nnext = unary(s) function=tanh\noutput next\n")));
    ASSERT_TRUE(context->run(in, {&out, 1}).ok());
    const Status s = state.step({&in[1], 1}, {}, {});
    ASSERT_TRUE(s.ok()) << s.message();
    TensorView now;
    ASSERT_TRUE(state.read(0, &now).ok());
    ASSERT_EQ(0, std::memcmp(now.data, expected.data(), 12)) << "step " << i;
    h = expected;
  }
  EXPECT_EQ(state.truncate(0).code(), Code::unimplemented);
  ASSERT_TRUE(state.reset().ok());
  TensorView now;
  ASSERT_TRUE(state.read(0, &now).ok());
  EXPECT_EQ(now.as<float>()[0], 0.f);
}

// A cache of fixed size whose slices are overwritten: what a run that fails has overwritten comes back.
TEST(State, AFailedStepPutsBackWhatItOverwrote) {
  constexpr const char* kText = R"(
input cache: f32[b, 6, 4]
input other: f32[b, 6, 4]
input x: f32[b, 1, 4]
input starts: i64[b]
input late: i64[b]
now = append(cache, x, starts) axis=1 length=6
then = append(other, x, late) axis=1 length=6
output now
output then
)";
  const Decoder decoder(parse(kText));
  State state(decoder.session, 0);
  ASSERT_TRUE(state.add("cache", "now", -1).ok());
  ASSERT_TRUE(state.add("other", "then", -1).ok());
  EXPECT_EQ(state.figures().in_place, 2);
  const auto run = [&](float value, int64_t start, int64_t late) {
    std::vector<float> x(8, value);
    std::vector<int64_t> a(2, start), b(2, late);
    const TensorView in[] = {
        {x.data(), DType::f32, {2, 1, 4}, {4, 4, 1}}, {a.data(), DType::i64, {2}, {1}}, {b.data(), DType::i64, {2}, {1}}};
    return state.step(in, {}, {});
  };
  const auto cache_of = [&](int32_t part) {
    TensorView v;
    EXPECT_TRUE(state.read(part, &v).ok());
    return std::vector<float>(v.as<float>(), v.as<float>() + 48);
  };
  for (int64_t t = 0; t < 6; ++t) {
    const Status s = run(static_cast<float>(t + 1), t, 5 - t);
    ASSERT_TRUE(s.ok()) << s.message();
  }
  EXPECT_EQ(state.figures().appended, 6 * 2 * 2 * 4 * 4);
  EXPECT_EQ(state.figures().copied, 0);
  const std::vector<float> cache = cache_of(0), other = cache_of(1);
  EXPECT_EQ(cache[4], 2.f);
  EXPECT_EQ(other[4], 5.f);
  EXPECT_EQ(run(99.f, 2, 6).code(), Code::invalid_data) << "the second append is refused after the first has written";
  EXPECT_TRUE(same(cache, cache_of(0)));
  EXPECT_TRUE(same(other, cache_of(1)));
  ASSERT_TRUE(run(99.f, 2, 0).ok());
  EXPECT_FALSE(same(cache, cache_of(0)));
}

// Windowed caches in place: slices leave, and come back if a later step of the run fails.
TEST(State, AFailedStepPutsBackWhatLeftAWindow) {
  constexpr const char* kText = R"(
input cache: f32[b, 6, 4]
input other: f32[b, 6, 4]
input x: f32[b, n, 4]
input starts: i64[b]
input evicted: i64[b]
input late: i64[b]
now, all = append(cache, x, starts, evicted) axis=1 length=6 windowed=1
then = append(other, x, late) axis=1 length=6
output now
output then
)";
  const Decoder decoder(parse(kText));
  State state(decoder.session, 0);
  ASSERT_TRUE(state.add("cache", "now", -1).ok());
  ASSERT_TRUE(state.add("other", "then", -1).ok());
  EXPECT_EQ(state.figures().in_place, 2);
  Random r(7);
  const auto run = [&](int64_t n, std::vector<int64_t> starts, std::vector<int64_t> evicted, int64_t late) {
    std::vector<float> x(static_cast<size_t>(8 * n));
    for (float& v : x) v = r.normal();
    std::vector<int64_t> b(2, late);
    const TensorView in[] = {{x.data(), DType::f32, {2, n, 4}, {4 * n, 4, 1}},
                             {starts.data(), DType::i64, {2}, {1}},
                             {evicted.data(), DType::i64, {2}, {1}},
                             {b.data(), DType::i64, {2}, {1}}};
    return state.step(in, {}, {});
  };
  const auto cache = [&] {
    TensorView v;
    EXPECT_TRUE(state.read(0, &v).ok());
    return std::vector<float>(v.as<float>(), v.as<float>() + 48);
  };
  ASSERT_TRUE(run(6, {0, 0}, {0, 0}, 0).ok());
  int changed = 0;
  for (int i = 0; i < 200; ++i) {
    const int64_t n = r.integer(1, 6);
    std::vector<int64_t> starts, evicted;
    for (int b = 0; b < 2; ++b) {
      evicted.push_back(r.integer(0, 9));
      starts.push_back(r.integer(0, 6) - evicted.back());
    }
    const std::vector<float> before = cache();
    EXPECT_EQ(run(n, starts, evicted, 7).code(), Code::invalid_data);
    ASSERT_TRUE(same(before, cache())) << "draw " << i;
    ASSERT_TRUE(run(n, starts, evicted, 0).ok());
    changed += same(before, cache()) ? 0 : 1;
  }
  EXPECT_GT(changed, 150);
  EXPECT_EQ(state.figures().copied, 0);
}

}  // namespace
}  // namespace anydim
