// SPDX-License-Identifier: Apache-2.0
// Symbolic dims: folding, the normal form on what operators' shape rules produce, intervals, text, evaluation.
#include "core/tensor/dim.h"

#include <gtest/gtest.h>

#include <random>

#include "core/base/testing/random.h"

namespace anydim {
namespace {

Dim conv(DimPool& p, Dim h, int64_t kernel, int64_t stride, int64_t pad) {
  return p.add(p.floor_div(p.sub(p.add(h, 2 * pad), kernel), stride), 1);
}

TEST(Dim, numbers_compute_and_make_no_expression) {
  DimPool p;
  EXPECT_TRUE(conv(p, 224, 7, 2, 3).is(112));
  EXPECT_TRUE(p.mod(-7, 3).is(2));
  EXPECT_TRUE(p.trunc_div(-7, 2).is(-3));
  EXPECT_TRUE(p.ceil_div(7, 2).is(4));
  EXPECT_TRUE(p.select(p.less(1, 2), 5, 6).is(5));
  EXPECT_EQ(p.size(), 0);
}

TEST(Dim, equal_expressions_are_one_expression) {
  DimPool p;
  const Dim h = p.symbol("h"), w = p.symbol("w");
  EXPECT_EQ(p.add(h, w), p.add(w, h));
  EXPECT_EQ(p.sub(p.add(h, 5), p.add(5, h)), Dim(0));
  EXPECT_EQ(p.mul(p.add(h, 1), p.add(w, 1)), p.add(p.add(p.mul(w, h), p.add(h, w)), 1));
  EXPECT_FALSE(p.provably_equal(h, w));
  EXPECT_NE(p.symbol("h"), h) << "two symbols of one name are two symbols";
}

TEST(Dim, same_size_convolution_gives_its_input_dim_back) {
  DimPool p;
  const Dim h = p.symbol("h");
  EXPECT_EQ(conv(p, h, 3, 1, 1), h);
  EXPECT_EQ(conv(p, h, 5, 1, 2), h);
  const Dim m = p.symbol("m", {.multiple_of = 32});
  EXPECT_EQ(conv(p, m, 3, 1, 1), m);
}

TEST(Dim, two_strided_convolutions_are_one_division) {
  DimPool p;
  const Dim h = p.symbol("h");
  EXPECT_EQ(conv(p, conv(p, h, 3, 2, 1), 3, 2, 1), p.floor_div(p.add(h, 3), 4));
  EXPECT_EQ(conv(p, conv(p, h, 3, 2, 1), 5, 2, 2), p.ceil_div(h, 4));
}

TEST(Dim, what_a_multiple_of_promise_settles) {
  DimPool p;
  const Dim h = p.symbol("h", {.multiple_of = 32});
  Dim d = h;
  for (int i = 0; i < 5; ++i) d = conv(p, d, 3, 2, 1);
  EXPECT_EQ(d, p.floor_div(h, 32));
  EXPECT_TRUE(p.provably_equal(p.mul(d, 2), conv(p, conv(p, conv(p, conv(p, h, 3, 2, 1), 3, 2, 1), 3, 2, 1), 3, 2, 1)));
  EXPECT_EQ(p.mul(d, 32), h);
  EXPECT_TRUE(p.mod(h, 8).is(0));
  EXPECT_EQ(p.known_divisor(h), 32);
  EXPECT_EQ(p.known_divisor(p.floor_div(h, 4)), 8);
}

TEST(Dim, what_is_assumed_equal_is_provably_equal_and_so_is_what_follows) {
  DimPool p;
  const Dim h = p.symbol("h");
  const Dim h8 = p.ceil_div(h, 8), h16 = p.ceil_div(h, 16), h32 = p.ceil_div(h, 32);
  EXPECT_FALSE(p.provably_equal(h16, p.mul(h32, 2)));
  p.assume_equal(h16, p.mul(h32, 2));
  EXPECT_TRUE(p.provably_equal(h16, p.mul(h32, 2)));
  EXPECT_FALSE(p.provably_equal(h8, p.mul(h32, 4)));
  p.assume_equal(h8, p.mul(h16, 2));
  EXPECT_TRUE(p.provably_equal(h8, p.mul(h32, 4)));
  EXPECT_EQ(p.broadcast(h8, p.mul(h32, 4)), h8);
  EXPECT_EQ(p.simplify(h8), p.mul(h32, 4));
}

TEST(Dim, reshapes_divide_element_counts_exactly) {
  DimPool p;
  const Dim n = p.symbol("n"), h = p.symbol("h"), w = p.symbol("w");
  const Dim oh = conv(p, h, 3, 1, 0), ow = conv(p, w, 3, 2, 1);
  const Dim total = p.mul(p.mul(n, 82), p.mul(oh, ow));
  EXPECT_EQ(p.floor_div(total, p.mul(n, 82)), p.mul(oh, ow));
  EXPECT_EQ(p.floor_div(total, p.mul(n, oh)), p.mul(82, ow));
  EXPECT_EQ(p.floor_div(p.mul(h, 12), 12), h);
  EXPECT_EQ(p.mod(p.mul(total, 2), p.mul(oh, 2)), Dim(0));
  EXPECT_NE(p.floor_div(p.add(total, 1), p.mul(n, 82)), p.mul(oh, ow));
}

TEST(Dim, intervals_decide_minimum_maximum_and_comparison) {
  DimPool p;
  const Dim h = p.symbol("h", {.min = 4, .max = 100}), w = p.symbol("w");
  EXPECT_EQ(p.min(h, INT64_MAX), h);
  EXPECT_EQ(p.max(p.sub(h, 4), 0), p.sub(h, 4));
  EXPECT_EQ(p.min(h, p.add(h, 2)), h);
  EXPECT_EQ(p.min(p.max(w, 0), 1000), p.min(w, 1000));
  EXPECT_TRUE(p.less(h, 101).is(1));
  EXPECT_TRUE(p.equal(h, 3).is(0));
  EXPECT_EQ(p.floor_div(p.mod(h, 8), 8), Dim(0));
  EXPECT_EQ(p.interval(p.floor_div(h, 3)).max, 33);
  EXPECT_EQ(p.interval(w).max, kMaxSize);
  EXPECT_EQ(p.interval(p.add(w, -1)).max, kMaxSize);
  EXPECT_EQ(p.interval(p.add(w, -1)).min, -1);
}

TEST(Dim, broadcasting_takes_the_side_that_cannot_be_one) {
  DimPool p;
  const Dim h = p.symbol("h"), w = p.symbol("w"), big = p.symbol("big", {.min = 2});
  EXPECT_EQ(p.broadcast(1, h), h);
  EXPECT_EQ(p.broadcast(h, 1), h);
  EXPECT_EQ(p.broadcast(h, 7), Dim(7));
  EXPECT_EQ(p.broadcast(h, big), big);
  const Dim both = p.broadcast(h, w);
  EXPECT_EQ(p.broadcast(both, w), both);
  EXPECT_EQ(p.text(both), "broadcast(h, w)");
}

TEST(Dim, text_reads_as_arithmetic) {
  DimPool p;
  const Dim h = p.symbol("h"), w = p.symbol("w");
  EXPECT_EQ(p.text(p.ceil_div(h, 2)), "(h + 1) // 2");
  EXPECT_EQ(p.text(p.sub(p.mul(h, 2), p.mul(w, 3))), "2*h - 3*w");
  const Dim half_h = p.floor_div(h, 2), half_w = p.floor_div(w, 2);  // in this order: arguments have none
  EXPECT_EQ(p.text(p.mul(half_h, half_w)), "(h // 2)*(w // 2)");
  EXPECT_EQ(p.text(SymDims{1, 3, h, p.sub(5, w)}), "[1, 3, h, 5 - w]");
}

TEST(Dim, the_text_of_what_is_shared_does_not_explode) {
  DimPool p;
  Dim d = p.symbol("a"), m = p.symbol("b");
  for (int i = 0; i < 200; ++i) {
    d = p.mul(d, d);
    m = p.min(m, p.select(p.less(m, i), p.max(m, 7 + i), p.add(m, 1)));
  }
  EXPECT_LT(p.text(d).size(), 2000u);
  EXPECT_LT(p.text(m).size(), 2000u);
}

TEST(Dim, a_tighter_promise_tightens_the_intervals_of_what_was_made_before) {
  DimPool p;
  const Dim h = p.symbol("h");
  const Dim half = p.floor_div(p.add(h, 1), 2);
  DimPool bounded = p;
  bounded.set_promise(h.expr(), {.min = 8, .max = 64});
  EXPECT_EQ(bounded.interval(half).max, 32);
  EXPECT_EQ(bounded.interval(half).min, 4);
  EXPECT_EQ(p.interval(half).max, kMaxSize);
}

TEST(SlotProgram, poisons_what_cannot_be_evaluated_and_what_depends_on_it) {
  DimPool p;
  const Dim a = p.symbol("a"), b = p.symbol("b");
  const Dim q = p.floor_div(a, b), r = p.add(q, 1), s = p.select(b, q, 7), fine = p.add(a, b);
  const SlotProgram program(p);
  std::vector<int64_t> v(static_cast<size_t>(program.slots()));
  const auto run = [&](int64_t x, int64_t y) {
    v[static_cast<size_t>(a.expr())] = x;
    v[static_cast<size_t>(b.expr())] = y;
    program.run(v);
  };
  run(7, 2);
  EXPECT_EQ(value_of(r, v), 4);
  run(7, 0);
  EXPECT_EQ(value_of(q, v), kBadSlot);
  EXPECT_EQ(value_of(r, v), kBadSlot);
  EXPECT_EQ(value_of(s, v), 7);
  EXPECT_EQ(value_of(fine, v), 7);
  run(INT64_MAX, 1);
  EXPECT_EQ(value_of(fine, v), kBadSlot);
}

// Random expressions, built once with symbols and once with the symbols' values: every simplification must keep the
// value, every interval must hold it, every divisor must divide it, and what is said to be equal must be.
TEST(Dim, simplification_keeps_the_value_of_random_expressions) {
  const auto seed = static_cast<unsigned>(anydim::testing::run_seed());
  std::mt19937 rng(seed);
  const auto pick = [&](int64_t lo, int64_t hi) { return std::uniform_int_distribution<int64_t>(lo, hi)(rng); };
  int64_t checked = 0, pairs = 0;
  for (int round = 0; round < 400; ++round) {
    DimPool p;
    struct Symbol {
      Dim dim;
      DimPromise promise;
    };
    std::vector<Symbol> symbols;
    for (int i = 0; i < 3; ++i) {
      const DimPromise promise{.min = pick(-3, 4), .max = pick(5, 40), .multiple_of = pick(0, 2) == 0 ? 4 : 1};
      symbols.push_back({p.symbol(std::string(1, static_cast<char>('a' + i)), promise), promise});
    }
    struct Entry {
      Dim dim;
      DimOp op;
      int a, b, c;
    };
    std::vector<Entry> made;
    for (const Symbol& s : symbols) made.push_back({s.dim, DimOp::symbol, 0, 0, 0});
    for (int64_t k : {INT64_C(0), INT64_C(1), INT64_C(2), INT64_C(3), INT64_C(4), INT64_C(-1), INT64_C(8), INT64_C(32), INT64_MAX,
                      INT64_MIN, kMaxSize + 1})
      made.push_back({Dim(k), DimOp::symbol, 0, 0, 0});
    const size_t leaves = made.size();
    for (int i = 0; i < 40; ++i) {
      Entry e;
      e.a = static_cast<int>(pick(0, static_cast<int64_t>(made.size()) - 1));
      e.b = static_cast<int>(pick(0, static_cast<int64_t>(made.size()) - 1));
      e.c = static_cast<int>(pick(0, static_cast<int64_t>(made.size()) - 1));
      e.op = static_cast<DimOp>(pick(1, static_cast<int64_t>(DimOp::trunc_div)));
      if (pick(0, 2) == 0) e.b = static_cast<int>(3 + pick(0, 7));  // constants are the common operands
      const Dim a = made[static_cast<size_t>(e.a)].dim, b = made[static_cast<size_t>(e.b)].dim, c = made[static_cast<size_t>(e.c)].dim;
      switch (e.op) {
        case DimOp::symbol: break;
        case DimOp::add: e.dim = p.add(a, b); break;
        case DimOp::sub: e.dim = p.sub(a, b); break;
        case DimOp::mul: e.dim = p.mul(a, b); break;
        case DimOp::floor_div: e.dim = p.floor_div(a, b); break;
        case DimOp::ceil_div: e.dim = p.ceil_div(a, b); break;
        case DimOp::mod: e.dim = p.mod(a, b); break;
        case DimOp::min: e.dim = p.min(a, b); break;
        case DimOp::max: e.dim = p.max(a, b); break;
        case DimOp::broadcast: e.dim = p.broadcast(a, b); break;
        case DimOp::equal: e.dim = p.equal(a, b); break;
        case DimOp::less: e.dim = p.less(a, b); break;
        case DimOp::select: e.dim = p.select(c, a, b); break;
        case DimOp::trunc_div: e.dim = p.trunc_div(a, b); break;
      }
      made.push_back(e);
    }
    const SlotProgram program(p);
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<int64_t> slots(static_cast<size_t>(program.slots())), truth(made.size());
      for (size_t i = 0; i < symbols.size(); ++i) {
        int64_t v = pick(symbols[i].promise.min, symbols[i].promise.max);
        const int64_t m = symbols[i].promise.multiple_of;
        v = round_up(v, m) <= symbols[i].promise.max ? round_up(v, m) : floor_div(v, m) * m;
        if (v < symbols[i].promise.min || v > symbols[i].promise.max) v = m * ceil_div(symbols[i].promise.min, m);
        slots[static_cast<size_t>(symbols[i].dim.expr())] = truth[i] = v;
      }
      program.run(slots);
      for (size_t i = symbols.size(); i < made.size(); ++i) {
        const Entry& e = made[i];
        if (i < leaves) {
          truth[i] = e.dim.number();
          continue;
        }
        const int64_t a = truth[static_cast<size_t>(e.a)], b = truth[static_cast<size_t>(e.b)], c = truth[static_cast<size_t>(e.c)];
        // An operand that has no value gives none; simplification may know one all the same.
        const bool defined = e.op == DimOp::select ? c != kBadSlot && (c != 0 ? a : b) != kBadSlot : a != kBadSlot && b != kBadSlot;
        truth[i] = kBadSlot;
        // Values beyond kMaxSize only compare (Slice's "to the end").
        const bool compares = e.op == DimOp::min || e.op == DimOp::max || e.op == DimOp::equal || e.op == DimOp::less;
        const auto huge = [](int64_t v) { return v >= kMaxSize || v <= -kMaxSize; };
        if (defined && !compares && (huge(a) || huge(b) || huge(c))) continue;
        // broadcast promises that its operands are equal or one of them is 1
        if (!defined || (e.op == DimOp::broadcast && a != b && a != 1 && b != 1)) continue;
        if (!evaluate(e.op, a, b, c, &truth[i])) {
          truth[i] = kBadSlot;
          continue;
        }
        // Values beyond kMaxSize are no dims: intervals saturate there.
        if (huge(truth[i])) {
          truth[i] = kBadSlot;
          continue;
        }
        const int64_t v = value_of(e.dim, slots);
        if (v == kBadSlot) continue;  // an intermediate of the simplified form overflowed or divides by 0
        ++checked;
        ASSERT_EQ(v, truth[i]) << p.text(e.dim) << " for " << p.text(made[static_cast<size_t>(e.a)].dim) << " op " << static_cast<int>(e.op)
                               << " " << p.text(made[static_cast<size_t>(e.b)].dim);
        const Interval r = p.interval(e.dim);
        ASSERT_TRUE(r.min <= v && v <= r.max) << p.text(e.dim) << " = " << v << " not in " << r.min << ".." << r.max;
        ASSERT_EQ(v % p.known_divisor(e.dim), 0) << p.text(e.dim) << " = " << v << " by " << p.known_divisor(e.dim);
      }
      for (size_t i = 0; trial == 0 && i < made.size(); ++i)
        for (size_t k = 0; k < i; ++k) {
          const int64_t x = value_of(made[i].dim, slots), y = value_of(made[k].dim, slots);
          if (x == kBadSlot || y == kBadSlot || truth[i] == kBadSlot || truth[k] == kBadSlot) continue;
          if (!p.provably_equal(made[i].dim, made[k].dim)) continue;
          ++pairs;
          ASSERT_EQ(x, y) << p.text(made[i].dim) << " and " << p.text(made[k].dim);
        }
    }
  }
  EXPECT_GT(checked, 10000);
  EXPECT_GT(pairs, 100);
}

}  // namespace
}  // namespace anydim
