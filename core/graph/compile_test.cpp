// SPDX-License-Identifier: Apache-2.0
// What a compiled program says of itself: every operand has its memory while a step needs it, every size follows from the inputs.
#include "core/graph/compile.h"

#include "core/graph/testing/contexts.h"

namespace anydim {
namespace {

using namespace testing;

TEST(Compile, EveryOperandOfAStepLiesInALivingBufferOrIsConstant) {
  for (const PassSet set : {PassSet::all, PassSet::none}) {
    CompileOptions options;
    options.passes = set;
    const ProgramPtr p = compiled(everything(), options);
    ASSERT_FALSE(p->steps.empty());
    for (size_t i = 0; i < p->steps.size(); ++i) {
      const Program::Step& s = p->steps[i];
      ASSERT_EQ(s.operands.size(), static_cast<size_t>(s.inputs + s.outputs + s.post)) << s.label;
      for (size_t k = 0; k < s.operands.size(); ++k) {
        if (s.operands[k] == Program::kNoTensor) continue;
        const Program::Tensor& t = p->tensor(s.operands[k]);
        if (p->is_packed(s, k)) {
          EXPECT_TRUE(t.buffer < 0 && !t.constant) << s.label << " has packed " << t.name;
        } else if (t.buffer < 0) {
          EXPECT_TRUE(t.constant) << s.label << " reads " << t.name;
        } else {
          const BufferLifetime& life = p->buffer(t.buffer).lifetime;
          EXPECT_TRUE(life.first <= static_cast<int32_t>(i) && static_cast<int32_t>(i) <= life.last) << s.label << ": " << t.name;
        }
      }
    }
  }
}

TEST(Compile, ItsCodeGivesEveryDimThatARunReads) {
  const ProgramPtr p = compiled(everything());
  std::vector<int64_t> slots(static_cast<size_t>(p->slots()), kBadSlot);
  const Dims dims{2, 3, 17, 23};
  const Strides strides = dense_strides(dims);
  for (int d = 0; d < dims.rank; ++d) {
    slots[static_cast<size_t>(p->inputs[0].strides[d].expr())] = strides[d];
    if (!p->inputs[0].dims[d].is_number()) slots[static_cast<size_t>(p->inputs[0].dims[d].expr())] = dims[d];
  }
  p->stages[0].code.run(slots);
  for (Dim d : dims_of_runs(*p)) EXPECT_NE(value_of(d, slots), kBadSlot) << p->dims.text(d);
  EXPECT_EQ(value_of(p->outputs[0].dims[1], slots), 9 * 12) << "half the height times half the width";
}

TEST(Compile, AGuardKeepsTheNameOfItsNodeAndWhatWasExpected) {
  Builder b;
  const ValueId x = b.input("x", {-1, 4, -2, -3}), z = b.input("z", {-1, 4, -4, -5});
  b.output(b.plus(b.conv(x, 4, 1), b.conv(z, 4, 1)));
  const std::vector<Guard> wanted = b.graph.guards;
  ASSERT_EQ(wanted.size(), 2u);
  const ProgramPtr p = compiled(b.graph);
  ASSERT_EQ(p->stages[0].guards.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i) {
    EXPECT_EQ(p->stages[0].guards[i].step, wanted[i].node);
    EXPECT_EQ(p->stages[0].guards[i].message, wanted[i].message);
  }
}

}  // namespace
}  // namespace anydim
