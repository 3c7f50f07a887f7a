// SPDX-License-Identifier: Apache-2.0
// What a refusal says of the sizes that are accepted: true for every size that is named, and short.
#include "core/program/accepted_sizes.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/base/text/format.h"

namespace anydim {
namespace {

std::string text_of(int64_t found, int64_t last, bool open_above, const std::function<bool(int64_t)>& accepts, int64_t first = 1) {
  std::vector<int64_t> accepted;
  for (int64_t i = first; i <= last; ++i)
    if (accepts(i)) accepted.push_back(i);
  return sizes_text({accepted, first, last, found, first > 1, open_above});
}

TEST(AcceptedSizes, AreARangeALimitMultiplesOrTheNearest) {
  EXPECT_EQ(text_of(32, 200, true, [](int64_t n) { return n >= 33 && n <= 80; }), "33 to 80");
  EXPECT_EQ(text_of(32, 200, true, [](int64_t n) { return n >= 33; }), "33 or more");
  EXPECT_EQ(text_of(32, 200, false, [](int64_t n) { return n >= 33; }), "33 to 200");
  EXPECT_EQ(text_of(
                132, 200, true, [](int64_t n) { return n <= 80; }, 50),
            "80 or less");
  EXPECT_EQ(text_of(5, 200, true, [](int64_t n) { return n == 7; }), "7");
  EXPECT_EQ(text_of(5, 200, true, [](int64_t n) { return n % 32 == 0; }), "multiples of 32 from 32");
  EXPECT_EQ(text_of(5, 200, true, [](int64_t n) { return n % 32 == 0 && n > 64; }), "multiples of 32 from 96");
  EXPECT_EQ(text_of(5, 200, true, [](int64_t n) { return n % 32 == 0 && n < 128; }), "multiples of 32 from 32 to 96");
  EXPECT_EQ(text_of(100, 900, true, [](int64_t n) { return (n + 7) % 32 < 8; }), "multiples of 32 from 32, and others");
  EXPECT_EQ(text_of(12, 200, true, [](int64_t n) { return n % 4 == 1 || n < 0; }), "13, for example");
  EXPECT_EQ(text_of(1, 200, true, [](int64_t n) { return n == 3 || n == 9 || n == 10; }), "3, for example");
  EXPECT_EQ(text_of(50, 200, true, [](int64_t n) { return n == 3 || n == 9 || n == 10; }), "10, for example");
}

// x [n, h], z [m, h * 2]: guards over symbols as compile() leaves them.
struct Asking {
  Program program;
  Dim n, h, elements;
  std::vector<int64_t> slots;
  explicit Asking(const DimPromise& promise = {}) {
    n = program.dims.symbol("n");
    h = program.dims.symbol("h", promise);
    elements = program.dims.symbol("e");
    program.inputs.resize(2);
    program.inputs[0].name = "x";
    program.inputs[0].dims = {n, h};
    program.inputs[1].name = "shape";
    program.input_elements.push_back({1, 2, elements});
    program.stages.resize(1);
  }
  void ask(Dim condition) { program.stages[0].guards.push_back({condition, "node", "message"}); }
  std::string refused(int64_t n_is, int64_t h_is, int64_t e_is, Dim what, std::span<const int32_t> sizes = {}) {
    slots.assign(static_cast<size_t>(program.dims.size()), kBadSlot);
    slots[static_cast<size_t>(n.expr())] = n_is;
    slots[static_cast<size_t>(h.expr())] = h_is;
    slots[static_cast<size_t>(elements.expr())] = e_is;
    SlotProgram(program.dims).run(slots);
    return accepted_sizes(program, slots, what, sizes);
  }
};

TEST(AcceptedSizes, AreFoundByAskingEveryGuardOfThatDim) {
  Asking a;
  DimPool& d = a.program.dims;
  const Dim once = d.equal(d.floor_div(d.add(a.h, 15), 48), 1), below = d.less(a.h, 71);
  a.ask(once);
  a.ask(below);
  EXPECT_EQ(a.refused(1, 32, 0, once), "input 'x' dim 1 is 32; this model takes 33 to 70; ");
  EXPECT_EQ(a.refused(1, 75, 0, below), "input 'x' dim 1 is 75; this model takes 33 to 70; ");
}

TEST(AcceptedSizes, OfOtherDimsStayAsTheyAre) {
  Asking a;
  const Dim same = a.program.dims.equal(a.program.dims.mul(a.n, 2), a.h);
  a.ask(same);
  EXPECT_EQ(a.refused(3, 8, 0, same), "input 'x' dim 0 is 3; with the other dims as they are, this model takes 4; ");
  EXPECT_EQ(a.refused(3, 7, 0, same), "input 'x' dim 1 is 7; with the other dims as they are, this model takes 6; ");
}

TEST(AcceptedSizes, OfElementsThatGiveSizesAreNamedToo) {
  Asking a;
  const Dim same = a.program.dims.equal(a.elements, 5);
  a.ask(same);
  EXPECT_EQ(a.refused(3, 8, 4, same), "input 'shape' element 2 is 4; this model takes 5; ");
}

TEST(AcceptedSizes, LeaveNoSizeNegative) {
  Asking a;
  const Dim rest = a.program.dims.sub(a.h, 10);
  const int32_t sizes[] = {rest.expr()};
  EXPECT_EQ(a.refused(3, 8, 0, rest, sizes), "input 'x' dim 1 is 8; this model takes 10 or more; ");
}

TEST(AcceptedSizes, KeepWhatTheModelPromised) {
  Asking a({.min = 16, .max = 64, .multiple_of = 16});
  const Dim large = a.program.dims.less(16, a.h);
  a.ask(large);
  EXPECT_EQ(a.refused(3, 16, 0, large), "input 'x' dim 1 is 16; this model takes multiples of 16 from 32 to 64; ");
}

TEST(AcceptedSizes, AreNotInventedWhereNoneNearbyIsAccepted) {
  Asking a;
  const Dim never = a.program.dims.equal(a.program.dims.mod(a.h, 2), a.program.dims.mul(a.n, 7));
  a.ask(never);
  EXPECT_EQ(a.refused(3, 8, 0, never), "");
}

}  // namespace
}  // namespace anydim
