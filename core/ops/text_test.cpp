// SPDX-License-Identifier: Apache-2.0
// Text of operators and post-ops: what describe() writes is read back as the same operator, for every kind; what is wrong
// is refused with its name and place.
#include "core/ops/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/base/testing/random.h"
#include "core/ops/description.h"
#include "core/ops/operators/convolution.h"

namespace anydim {
namespace {

using testing::Random;

float real(Random& d) {
  switch (d.integer(0, 9)) {
    case 0: return -0.f;
    case 1: return INFINITY;
    case 2: return 1e-40f;  // a denormal
    default: return std::ldexp(static_cast<float>(d.integer(-(1 << 24), 1 << 24)), static_cast<int>(d.integer(-40, 40)));
  }
}
// A whole number that the field allows: mostly near its least, sometimes anything.
int64_t number(Random& d, const AttributeField& f) {
  const int64_t low = f.min == INT64_MIN ? -9 : f.min, high = low > f.max - 9 ? f.max : low + 9;
  return d.chance(0.9) ? d.integer(low, high) : d.integer(f.min, f.max);
}

// Draws an operator's attributes from its description alone, so a new kind needs nothing here. Lists of one operator have one length,
// as most of them need, or none; what belongs together in another way is drawn often enough.
struct Draw {
  Random& d;
  OpKind kind;
  int rank = static_cast<int>(d.integer(0, kMaxRank));
  double defaults = d.flag() ? 0.1 : 0.5;  // how many attributes keep them

  template <class List> void fill(const AttributeField& f, List* list, double empty) {
    *list = {};
    if (f.required || !d.chance(empty))
      for (int i = 0; i < rank; ++i) list->push_back(number(d, f));
  }

  void operator()(void* attributes) {
    const std::span<const AttributeField> all = attributes_of(kind);
    for (const AttributeField& f : all) {
      if (!counts(f, all, attributes) || (!f.required && d.chance(defaults))) continue;
      switch (f.type) {
        case AttributeType::flag: f.in<bool>(attributes) = d.flag(); break;
        case AttributeType::integer: f.in<int64_t>(attributes) = number(d, f); break;
        case AttributeType::real: f.in<float>(attributes) = f.min >= 0 ? std::fabs(real(d)) : real(d); break;
        case AttributeType::wide: f.in<double>(attributes) = static_cast<double>(d.integer(-999, 999)) / 7.; break;
        case AttributeType::dtype: f.in<DType>(attributes) = static_cast<DType>(d.integer(f.min, f.max)); break;
        case AttributeType::word: f.in<uint8_t>(attributes) = static_cast<uint8_t>(d.integer(f.min, f.max)); break;
        case AttributeType::spatial: f.in<int32_t>(attributes) = static_cast<int32_t>(d.integer(f.min, f.max)); break;
        case AttributeType::per_spatial: {
          const int n = all[f.more].in<int32_t>(attributes);
          const bool same = d.chance(0.3);  // a default of most lists, and what padding by a rule asks for
          for (int i = 0; i < n; ++i) (&f.in<int64_t>(attributes))[i] = same ? f.min : number(d, f);
          break;
        }
        case AttributeType::integers: fill(f, &f.in<RankArray<int64_t>>(attributes), 0.5); break;
        case AttributeType::perm: {
          Perm& perm = f.in<Perm>(attributes);
          perm = {};
          for (int i = 0; i < rank; ++i) perm.push_back(i);
          std::shuffle(perm.begin(), perm.end(), d.engine());
          break;
        }
        case AttributeType::reals: {
          auto& values = f.in<std::vector<float>>(attributes);
          values.clear();
          for (int i = d.flag() ? rank : 0; i > 0; --i) values.push_back(std::fabs(real(d)));
          break;
        }
        case AttributeType::dim: f.in<Dim>(attributes) = number(d, f); break;
        case AttributeType::dims: fill(f, &f.in<SymDims>(attributes), 0.1); break;
        case AttributeType::dim_list: {
          auto& values = f.in<std::vector<Dim>>(attributes);
          values.clear();
          for (int64_t n = d.integer(0, 20); n > 0; --n) values.emplace_back(number(d, f));
          break;
        }
      }
    }
  }
};

Result<OperatorPtr> roll(OpKind kind, Random& d) {
  Draw draw{d, kind};
  return make_operator(
      kind, [](void* context, void* attributes) { return (*static_cast<Draw*>(context))(attributes), Status(); }, &draw);
}

TEST(OperatorText, IsReadBackAsTheSameOperatorForEveryKindWithRandomAttributes) {
  Random dice(1);
  for (int k = 1; k < static_cast<int>(OpKind::count_); ++k) {
    const auto kind = static_cast<OpKind>(k);
    int made = 0;
    for (int i = 0; i < 400; ++i) {
      auto op = roll(kind, dice);
      if (!op.ok()) continue;
      ++made;
      const std::string text = describe(**op);
      OperatorPtr back;
      const Status s = parse_operator(text, &back);
      ASSERT_TRUE(s.ok()) << text << "\n" << s.message();
      ASSERT_TRUE(same_operator(**op, *back)) << text << "\n" << describe(*back);
      ASSERT_EQ((*op)->output_count(), back->output_count()) << text;
      ASSERT_EQ((*op)->dim_attributes().size(), back->dim_attributes().size()) << text;
    }
    EXPECT_GT(made, 20) << op_name(kind) << ": hardly any roll is a valid operator";
  }
}

TEST(OperatorText, GivesAttributesThatAreLeftOutTheirDefaults) {
  OperatorPtr op;
  ASSERT_TRUE(parse_operator("  convolution   pads_end=1,1 pads_begin=1,1 ", &op).ok());
  EXPECT_EQ(describe(*op), "convolution auto_pad=explicit strides=1,1 dilations=1,1 pads_begin=1,1 pads_end=1,1 group=1");
  ASSERT_TRUE(parse_operator("convolution strides=2", &op).ok());
  EXPECT_EQ(as<Convolution>(*op)->get().spatial, 1);
}

TEST(OperatorText, NamesTheAttributeAndItsPlaceWhenItRefuses) {
  const struct {
    const char *text, *reason;
  } cases[] = {
      {"", "`` at byte 0 is no operator"},
      {" convolutoin strides=1,1", "`convolutoin` at byte 1 is no operator"},
      {"convolution strides", "`strides` at byte 12 is no attribute"},
      {"convolution strides=1,x", "attribute strides at byte 12 is `1,x`; expected whole numbers"},
      {"convolution strides=1,1,", "attribute strides at byte 12"},
      {"convolution strides=1,1 strides=1,1", "attribute strides at byte 24 is there twice"},
      {"convolution strides=1,1,1,1", "expected 1 to 3 numbers"},
      {"convolution strides=1,1 pads_end=1", "attribute pads_end at byte 24 is `1`; expected 2 numbers"},
      {"convolution groups=1", "attribute groups at byte 12 is not one of this operator"},
      {"convolution auto_pad=same", "expected one of explicit, same_upper, same_lower, valid"},
      {"matmul transpose_a=2", "attribute transpose_a at byte 7 is `2`; expected 0 or 1"},
      {"unary", "attribute function is missing"},
      {"unary function=reluu", "attribute function at byte 6 is `reluu`; expected one of identity, relu, "},
      {"reduce axes=1", "attribute kind is missing"},
      {"cast to=float", "expected an element type"},
      {"slice starts=0,0 lengths=1", "slice has 2 starts, 2 steps and 1 lengths"},
      {"range dtype=f32 start=0,1 count=3", "attribute start at byte 16 is `0,1`; expected at most 1 numbers"},
      {"range real_start=0.5", "attribute real_start at byte 6 is not one of this operator"},
      {"reshape dims=1,2,3,4,5,6,7,8,9", "at most 8 numbers"},
      {"reshape dims=#3,4", "`#3,4`"},  // an expression of a pool that is not here
      {"concat axis=99999999999", "concat: axis is 99999999999; expected 0 to 7"},
      {"convolution strides=1,0", "convolution: strides[1] is 0; expected 1 to 2147483648"},
  };
  for (const auto& c : cases) {
    OperatorPtr op;
    const Status s = parse_operator(c.text, &op);
    EXPECT_FALSE(s.ok()) << c.text;
    EXPECT_NE(s.message().find(c.reason), std::string::npos) << c.text << "\n" << s.message();
    EXPECT_EQ(op, nullptr) << c.text;
  }
}

TEST(OperatorText, DamagedTextIsRefusedOrIsAnOperatorThatReadsBack) {
  Random dice(2);
  for (int i = 0; i < 20000; ++i) {
    auto op = roll(static_cast<OpKind>(dice.integer(1, static_cast<int>(OpKind::count_) - 1)), dice);
    if (!op.ok()) continue;
    std::string text = describe(**op);
    text[static_cast<size_t>(dice.integer(0, static_cast<int64_t>(text.size()) - 1))] = static_cast<char>(dice.integer(0, 255));
    OperatorPtr back, again;
    if (!parse_operator(text, &back).ok()) continue;
    ASSERT_TRUE(parse_operator(describe(*back), &again).ok()) << text;
    ASSERT_TRUE(same_operator(*back, *again)) << text;
  }
}

TEST(PostOpText, IsReadBackAsTheSameChain) {
  Random dice(3);
  for (int i = 0; i < 2000; ++i) {
    PostOps chain, back;
    for (int64_t n = dice.integer(0, kMaxPostOps); n > 0; --n) {
      PostOp p;
      p.kind = dice.one_of<PostOp::Kind>(3);
      if (p.takes_tensor()) {
        p.binary = dice.one_of<BinaryFunction>(static_cast<int>(BinaryFunction::count_));
      } else {
        p.unary = dice.one_of<UnaryFunction>(static_cast<int>(UnaryFunction::count_));
        const int count = parameter_count(p.unary);
        if (count >= 1) p.alpha = real(dice);
        if (count >= 2) p.beta = real(dice);
      }
      chain.append(p);
    }
    const Status s = parse_post_ops(describe(chain), &back);
    ASSERT_TRUE(s.ok()) << describe(chain) << "\n" << s.message();
    ASSERT_EQ(chain, back) << describe(chain);
  }
}

TEST(PostOpText, NamesTheStepThatItRefuses) {
  const struct {
    const char *text, *reason;
  } cases[] = {
      {"relu clip(0)", "post-op `clip(0)` at byte 5: expected 2 numbers"},
      {"relu(1)", "expected 0 numbers"},
      {"add", "`add` is no function of one element"},
      {"relu(t)", "`relu` is no function of two elements"},
      {"clip(0,6", "no closing bracket"},
      {"relu relu relu relu relu relu relu relu relu relu relu relu relu", "at most 12"},
  };
  for (const auto& c : cases) {
    PostOps chain;
    const Status s = parse_post_ops(c.text, &chain);
    EXPECT_FALSE(s.ok()) << c.text;
    EXPECT_NE(s.message().find(c.reason), std::string::npos) << s.message();
    EXPECT_EQ(chain.count, 0);
  }
}

}  // namespace
}  // namespace anydim
