// SPDX-License-Identifier: Apache-2.0
// Shape arithmetic that grows while equalities are assumed, as the reshapes and sums of a model make it: every
// expression, also a simplified one, has the value of plain integers wherever the equalities hold, and rewriting ends.
// What is simplified without equalities is in dim_test.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/base/testing/random.h"
#include "core/tensor/dim.h"
#include "core/tensor/dim_rebuild.h"

namespace anydim {
namespace {

using testing::Random;

TEST(Rewriting, a_quotient_of_what_is_its_multiple_ends) {
  DimPool p;
  const Dim t = p.symbol("t"), quarter = p.floor_div(t, 4);
  p.assume_equal(t, p.mul(4, quarter));
  EXPECT_EQ(p.floor_div(t, 4), quarter);
  EXPECT_EQ(p.floor_div(quarter, 2), p.floor_div(t, 8));
  EXPECT_EQ(p.floor_div(p.add(t, 4), 8), p.floor_div(p.add(quarter, 1), 2));
  EXPECT_EQ(p.mod(t, 4), Dim(0));
}

TEST(Rewriting, reshapes_of_reshapes_end) {
  DimPool p;
  const Dim t = p.symbol("t");
  Dim d = t;
  for (const int64_t k : {4, 2, 3, 16, 5, 2, 2, 7}) {
    const Dim part = p.floor_div(d, k);
    p.assume_equal(d, p.mul(part, k));
    EXPECT_TRUE(p.provably_equal(d, p.mul(part, k)));
    d = part;
  }
  EXPECT_TRUE(p.provably_equal(t, p.mul(d, INT64_C(4) * 2 * 3 * 16 * 5 * 2 * 2 * 7)));
  EXPECT_EQ(p.simplify(p.simplify(t)), p.simplify(t));
}

// q is a quarter of t, r half of s; t is taken to be 4 * r and s to be 2 * q: each quotient leads to the other.
TEST(Rewriting, quotients_that_lead_to_each_other_end_in_one) {
  DimPool p;
  const Dim t = p.symbol("t"), s = p.symbol("s"), q = p.floor_div(t, 4), r = p.floor_div(s, 2);
  p.assume_equal(t, p.mul(4, r));
  p.assume_equal(s, p.mul(2, q));
  EXPECT_EQ(p.floor_div(q, 2), p.floor_div(r, 2));
}

TEST(Rewriting, a_long_chain_of_what_is_taken_to_be_equal_is_followed_to_its_end) {
  DimPool p;
  std::vector<Dim> d;
  for (int i = 0; i < 100; ++i) d.push_back(p.symbol("s" + std::to_string(i)));
  for (size_t i = d.size() - 1; i > 0; --i) p.assume_equal(d[i], p.add(d[i - 1], 1));
  EXPECT_EQ(p.sub(d.back(), d[0]), Dim(99));
}

TEST(Rewriting, what_is_rebuilt_knows_of_equalities_inside_of_it) {
  DimPool p;
  const Dim n = p.symbol("n"), m = p.symbol("m"), part = p.min(n, 5), condition = p.select(p.less(n, m), p.equal(part, 4), p.mod(n, 2));
  p.assume_equal(n, 3);
  EXPECT_EQ(p.simplify(part), part) << "simplify() looks at terms only";
  Rebuilding rebuild(p);
  EXPECT_EQ(rebuild(part), Dim(3));
  EXPECT_EQ(rebuild(condition), p.select(p.less(3, m), 0, 1));
  EXPECT_EQ(rebuild(m), m);
}

TEST(Rewriting, what_is_nested_without_end_is_rebuilt) {
  DimPool p;
  const Dim n = p.symbol("n"), m = p.symbol("m");
  Dim d = n;
  for (int i = 0; i < 50000; ++i) d = i % 2 != 0 ? p.max(d, m) : p.mod(d, m);
  p.assume_equal(m, 7);
  EXPECT_EQ(Rebuilding(p)(d), Dim(7)) << "max(x mod 7, 7)";
}

TEST(Rewriting, quotients_nested_without_end_keep_their_value) {
  DimPool p;
  const Dim t = p.symbol("t");
  Dim d = t;
  int64_t v = 123456789;
  for (int i = 0; i < 3000; ++i) {
    d = p.floor_div(p.add(d, p.mod(t, 3 + i % 7)), 2 + i % 3);
    v = (v + 123456789 % (3 + i % 7)) / (2 + i % 3);
  }
  const SlotProgram program(p);
  std::vector<int64_t> slots(static_cast<size_t>(program.slots()));
  slots[static_cast<size_t>(t.expr())] = 123456789;
  program.run(slots);
  EXPECT_EQ(value_of(d, slots), v);
}

// One pool beside plain integers: each expression has its true value in every trial, a trial being a value for each symbol.
class Grown {
 public:
  explicit Grown(Random* random) : random_(*random) {
    for (const char* name : {"t", "h", "w"}) {
      const int64_t multiple = random_.chance(0.2) ? random_.integer(2, 4) : 1;
      Entry e;
      e.dim = pool_.symbol(name, {.max = random_.chance(0.3) ? 4096 : kMaxSize, .multiple_of = multiple});
      symbols_.push_back(e.dim);
      for (size_t i = 0; i < kTrials; ++i) {
        constexpr int64_t kUsual[] = {0, 1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 160, 256, 320, 480, 512, 640, 960, 1024};
        const int64_t v = random_.chance(0.6) ? kUsual[random_.integer(0, std::size(kUsual) - 1)] : random_.integer(0, 1000);
        e.values.push_back(v / multiple * multiple);
      }
      entries_.push_back(e);
    }
    // Sizes of one image: often related.
    for (size_t i = 0; i < kTrials; ++i)
      if (random_.chance(0.4))
        entries_[2].values[i] = entries_[1].values[i] / pool_.known_divisor(symbols_[2]) * pool_.known_divisor(symbols_[2]);
    alive_.assign(kTrials, true);
  }

  void grow() {
    constexpr int64_t kNumbers[] = {-1, 0, 1, 2, 3, 4, 5, 7, 8, 16, 32};
    const Entry a = any();
    const Entry b = random_.chance(0.6) ? number(kNumbers[random_.integer(0, std::size(kNumbers) - 1)]) : any();
    switch (random_.integer(0, 13)) {
      case 0:
      case 1: made(DimOp::add, pool_.add(a.dim, b.dim), a, b); break;
      case 2: made(DimOp::sub, pool_.sub(a.dim, b.dim), a, b); break;
      case 3:
      case 4: made(DimOp::mul, pool_.mul(a.dim, b.dim), a, b); break;
      case 5:
      case 6: made(DimOp::floor_div, pool_.floor_div(a.dim, b.dim), a, b); break;
      case 7: made(DimOp::ceil_div, pool_.ceil_div(a.dim, b.dim), a, b); break;
      case 8: made(DimOp::mod, pool_.mod(a.dim, b.dim), a, b); break;
      case 9: made(DimOp::min, pool_.min(a.dim, b.dim), a, b); break;
      case 10: made(DimOp::max, pool_.max(a.dim, b.dim), a, b); break;
      case 11: made(DimOp::trunc_div, pool_.trunc_div(a.dim, b.dim), a, b); break;
      case 12: {
        const Entry c = any();
        made(DimOp::select, pool_.select(c.dim, a.dim, b.dim), a, b, c);
        break;
      }
      default: made(DimOp::broadcast, pool_.broadcast(a.dim, b.dim), a, b);
    }
  }

  // A reshape to [-1, k].
  void divide() {
    constexpr int64_t kFactors[] = {2, 2, 3, 4, 4, 5, 8, 16, 32};
    const Entry a = any(), k = number(kFactors[random_.integer(0, std::size(kFactors) - 1)]);
    const Entry part = made(DimOp::floor_div, pool_.floor_div(a.dim, k.dim), a, k);
    equate(a, made(DimOp::mul, pool_.mul(part.dim, k.dim), part, k));
  }

  // A skip connection: sizes after strides that meet again.
  void meet() {
    const Entry a = any(), k = number(random_.integer(2, 8)), twice = number(2 * k.dim.number()), two = number(2);
    const Entry fine = made(DimOp::ceil_div, pool_.ceil_div(a.dim, k.dim), a, k);
    const Entry coarse = made(DimOp::ceil_div, pool_.ceil_div(a.dim, twice.dim), a, twice);
    equate(fine, made(DimOp::mul, pool_.mul(coarse.dim, two.dim), coarse, two));
  }

  void equate_any() { equate(any(), any()); }

  void check(int64_t* checked, int64_t* pairs) {
    std::vector<Dim> simple, rebuilt;
    Rebuilding rebuild(pool_);
    for (const Entry& e : entries_) {
      simple.push_back(pool_.simplify(e.dim));
      rebuilt.push_back(rebuild(e.dim));
      EXPECT_EQ(pool_.simplify(simple.back()), simple.back()) << pool_.text(e.dim);
    }
    const SlotProgram program(pool_);
    for (size_t i = 0; i < kTrials; ++i) {
      if (!alive_[i]) continue;
      std::vector<int64_t> slots(static_cast<size_t>(program.slots()));
      for (size_t s = 0; s < symbols_.size(); ++s) slots[static_cast<size_t>(symbols_[s].expr())] = entries_[s].values[i];
      program.run(slots);
      for (size_t n = 0; n < entries_.size(); ++n) {
        const Entry& e = entries_[n];
        for (const Dim d : {e.dim, simple[n], rebuilt[n]}) {
          const int64_t v = value_of(d, slots);
          if (e.values[i] == kBadSlot || v == kBadSlot) continue;  // or a step of the simplified form has no value
          ++*checked;
          ASSERT_EQ(v, e.values[i]) << pool_.text(d) << said();
          const Interval r = pool_.interval(d);
          ASSERT_TRUE(r.min <= v && v <= r.max) << pool_.text(d) << " = " << v << " not in " << r.min << ".." << r.max << said();
          ASSERT_EQ(v % pool_.known_divisor(d), 0) << pool_.text(d) << " = " << v << " by " << pool_.known_divisor(d) << said();
        }
      }
      for (size_t n = 0; n < entries_.size(); ++n)
        for (size_t k = 0; k < n; ++k) {
          const int64_t x = entries_[n].values[i], y = entries_[k].values[i];
          if (x == y || x == kBadSlot || y == kBadSlot) continue;
          ++*pairs;
          ASSERT_FALSE(pool_.provably_equal(entries_[n].dim, entries_[k].dim))
              << pool_.text(entries_[n].dim) << " is " << x << " and " << pool_.text(entries_[k].dim) << " is " << y << said();
        }
    }
  }

  int64_t equalities() const { return static_cast<int64_t>(said_.size()); }

 private:
  static constexpr size_t kTrials = 48;
  struct Entry {
    Dim dim;
    std::vector<int64_t> values;  // by trial; kBadSlot: none
  };

  Entry any() { return entries_[static_cast<size_t>(random_.integer(0, static_cast<int64_t>(entries_.size()) - 1))]; }
  static Entry number(int64_t v) { return {Dim(v), std::vector<int64_t>(kTrials, v)}; }

  Entry made(DimOp op, Dim d, const Entry& a, const Entry& b, const Entry& c = number(0)) {
    Entry e{d, std::vector<int64_t>(kTrials, kBadSlot)};
    for (size_t i = 0; i < kTrials; ++i) {
      const int64_t x = a.values[i], y = b.values[i], z = c.values[i];
      if (op == DimOp::select ? z == kBadSlot || (z != 0 ? x : y) == kBadSlot : x == kBadSlot || y == kBadSlot) continue;
      // broadcast is of sizes that are equal or 1.
      if (op == DimOp::broadcast && x != y && x != 1 && y != 1) continue;
      if (!evaluate(op, x, y, z, &e.values[i]) || std::abs(e.values[i]) >= kMaxSize) e.values[i] = kBadSlot;
    }
    entries_.push_back(e);
    return e;
  }

  // From now on a == b, if that leaves trials: the others are what the guard would refuse.
  void equate(const Entry& a, const Entry& b) {
    std::vector<bool> left = alive_;
    for (size_t i = 0; i < kTrials; ++i) left[i] = left[i] && a.values[i] == b.values[i] && a.values[i] != kBadSlot;
    if (std::count(left.begin(), left.end(), true) < 3) return;
    alive_ = left;
    said_.push_back(pool_.text(a.dim) + " == " + pool_.text(b.dim));
    pool_.assume_equal(a.dim, b.dim);
  }

  std::string said() const {
    std::string s;
    for (const std::string& e : said_) s += "\n  where " + e;
    return s;
  }

  Random& random_;
  DimPool pool_;
  std::vector<Dim> symbols_;
  std::vector<Entry> entries_;
  std::vector<bool> alive_;
  std::vector<std::string> said_;
};

// Longer: --gtest_repeat=100.
TEST(Rewriting, shape_arithmetic_with_equalities_has_the_value_of_plain_integers) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  constexpr int kRounds = 100;  // a tenth of the speed, and less
#else
  constexpr int kRounds = 1500;
#endif
  Random random;
  int64_t checked = 0, pairs = 0, equalities = 0;
  for (int round = 0; round < kRounds && !::testing::Test::HasFailure(); ++round) {
    Grown g(&random);
    for (int64_t steps = random.integer(5, 45); steps > 0; --steps) {
      const int64_t kind = random.integer(0, 9);
      if (kind < 2) g.divide();
      else if (kind == 2) g.meet();
      else if (kind == 3) g.equate_any();
      else g.grow();
    }
    g.check(&checked, &pairs);
    equalities += g.equalities();
  }
  EXPECT_GT(checked, 130 * kRounds);
  EXPECT_GT(pairs, 600 * kRounds);
  EXPECT_GT(equalities, kRounds);
}

}  // namespace
}  // namespace anydim
