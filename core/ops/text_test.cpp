// SPDX-License-Identifier: Apache-2.0
// Text of operators and post-ops: what describe() writes is read back as the same operator, for every kind; what is wrong
// is refused with its name and place.
#include "core/ops/text.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/testing/random.h"
#include "core/ops/operators/arg_reduce.h"
#include "core/ops/operators/append.h"
#include "core/ops/operators/attention.h"
#include "core/ops/operators/compressed_matmul.h"
#include "core/ops/operators/bit_cast.h"
#include "core/ops/operators/deform_columns.h"
#include "core/ops/operators/det.h"
#include "core/ops/operators/dft.h"
#include "core/ops/operators/fold.h"
#include "core/ops/operators/non_max_suppression.h"
#include "core/ops/operators/quantization_range.h"
#include "core/ops/operators/random_uniform.h"
#include "core/ops/operators/roi_align.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/cast.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/cumsum.h"
#include "core/ops/operators/depth_to_space.h"
#include "core/ops/operators/expand.h"
#include "core/ops/operators/eye_like.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/gather_elements.h"
#include "core/ops/operators/gather_nd.h"
#include "core/ops/operators/grid_sample.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/count_non_zero.h"
#include "core/ops/operators/couple_pairs.h"
#include "core/ops/operators/non_zero.h"
#include "core/ops/operators/one_hot.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/range.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/recurrent.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/resize.h"
#include "core/ops/operators/scatter_elements.h"
#include "core/ops/operators/scatter_nd.h"
#include "core/ops/operators/shape_tensor.h"
#include "core/ops/operators/slice.h"
#include "core/ops/operators/softmax.h"
#include "core/ops/operators/count_string_pieces.h"
#include "core/ops/operators/ngram_counts.h"
#include "core/ops/operators/string_case.h"
#include "core/ops/operators/string_concat.h"
#include "core/ops/operators/string_equal.h"
#include "core/ops/operators/string_format.h"
#include "core/ops/operators/string_lookup.h"
#include "core/ops/operators/string_match.h"
#include "core/ops/operators/string_parse.h"
#include "core/ops/operators/string_split.h"
#include "core/ops/operators/tile.h"
#include "core/ops/operators/topk.h"
#include "core/ops/operators/transpose.h"
#include "core/ops/operators/tree_ensemble.h"
#include "core/ops/operators/trilu.h"
#include "core/ops/operators/unary.h"
#include "core/ops/operators/unique.h"
#include "core/ops/operators/where.h"

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
SymDims dims(Random& d, int rank, int64_t low, int64_t high) {
  SymDims all;
  for (int i = 0; i < rank; ++i) all.push_back(d.integer(low, high));
  return all;
}
DType dtype(Random& d) { return d.one_of<DType>(static_cast<int>(DType::boolean) + 1); }

template <class A> void roll_spatial(Random& d, A* a) {
  a->spatial = static_cast<int32_t>(d.integer(1, 3));
  a->auto_pad = d.one_of<AutoPad>(4);
  for (int i = 0; i < a->spatial; ++i) {
    a->strides[i] = d.integer(1, 5);
    a->dilations[i] = d.integer(1, 3);
    if (a->auto_pad == AutoPad::explicit_) a->pads_begin[i] = d.integer(0, 3), a->pads_end[i] = d.integer(0, 3);
  }
}

Result<OperatorPtr> roll(OpKind kind, Random& d) {
  const int rank = static_cast<int>(d.integer(0, kMaxRank));
  switch (kind) {
    case OpKind::convolution: {
      Convolution::Attributes a;
      roll_spatial(d, &a);
      a.group = d.integer(1, 1000);
      return Convolution::make(a);
    }
    case OpKind::conv_transpose: {
      ConvTranspose::Attributes a;
      roll_spatial(d, &a);
      a.group = d.integer(1, 9);
      const bool shaped = d.flag();
      for (int i = 0; i < a.spatial; ++i) {
        a.output_padding[i] = d.integer(0, std::max(a.strides[i], a.dilations[i]) - 1);
        if (shaped) a.output_shape.push_back(d.integer(1, 99));
      }
      return ConvTranspose::make(a);
    }
    case OpKind::append: return Append::make({d.integer(0, 7), d.integer(0, 99), d.integer(0, 99), d.flag()});
    case OpKind::attention: return Attention::make({d.integer(-1, 9), d.integer(-1, 9), d.integer(0, 99), real(d), real(d), d.flag()});
    case OpKind::compressed_matmul: return CompressedMatmul::make({d.flag(), d.flag(), d.integer(0, 256), d.integer(-128, 255)});
    case OpKind::matmul: return Matmul::make({d.flag(), d.flag(), real(d), real(d)});
    case OpKind::pooling: {
      Pooling::Attributes a;
      a.kind = d.one_of<Pooling::Kind>(2);
      a.global = d.flag();
      if (!a.global) {
        roll_spatial(d, &a);
        for (int i = 0; i < a.spatial; ++i) a.window[i] = d.integer(4, 9);
        a.ceil_mode = d.flag(), a.count_include_pad = d.flag();
      }
      a.indices = d.flag(), a.column_major_indices = d.flag();
      return Pooling::make(a);
    }
    case OpKind::unary: return Unary::make(d.one_of<UnaryFunction>(static_cast<int>(UnaryFunction::count_)), real(d), real(d));
    case OpKind::binary: return Binary::make(d.one_of<BinaryFunction>(static_cast<int>(BinaryFunction::count_)));
    case OpKind::where: return Where::make();
    case OpKind::cast: return Cast::make({d.one_of<DType>(kLastDType + 1), d.flag(), d.one_of<PowerRounding>(3)});
    case OpKind::reduce: {
      std::vector<int64_t> axes;
      for (int i = 0; i < rank; ++i)
        if (d.flag()) axes.push_back(d.flag() ? i : i - rank);
      return Reduce::make(d.one_of<ReduceKind>(10), axes, d.flag());
    }
    case OpKind::string_lookup: return StringLookup::make(StringLookup::Attributes{});
    case OpKind::string_equal: return StringEqual::make(StringEqual::Attributes{});
    case OpKind::string_concat: return StringConcat::make({d.integer(0, 99)});
    case OpKind::string_case: return StringCase::make({d.flag(), d.integer(0, 99)});
    case OpKind::string_parse: return StringParse::make({d.flag() ? DType::f32 : DType::i16});
    case OpKind::string_format: return StringFormat::make(StringFormat::Attributes{});
    case OpKind::string_match: return StringMatch::make(StringMatch::Attributes{});
    case OpKind::count_string_pieces: return CountStringPieces::make({d.one_of<StringRule>(4), d.integer(-1, 9), d.integer(0, 9)});
    case OpKind::string_split: return StringSplit::make({d.one_of<StringRule>(4), d.integer(-1, 9), d.integer(0, 9), d.integer(0, 99)});
    case OpKind::ngram_counts: return NgramCounts::make({d.integer(1, 99), d.integer(0, 9)});
    case OpKind::quantization_range: return QuantizationRange::make();
    case OpKind::arg_reduce: return ArgReduce::make(d.one_of<ArgReduceKind>(2), d.integer(-8, 7), d.flag(), d.flag());
    case OpKind::softmax: return Softmax::make(d.integer(-8, 7), d.flag());
    case OpKind::layer_norm: return LayerNorm::make(d.integer(-8, 7), std::fabs(real(d)));
    case OpKind::cumsum: return CumSum::make({d.flag(), d.flag(), d.flag()});
    case OpKind::resize: {
      Resize::Attributes a;
      a.mode = d.one_of<Resize::Mode>(3);
      a.coordinates = d.one_of<Resize::Coordinates>(7);
      if (a.mode == Resize::Mode::nearest) a.nearest = d.one_of<Resize::Nearest>(4);
      if (a.mode == Resize::Mode::cubic) a.cubic_coeff_a = real(d);
      a.exclude_outside = d.flag();
      a.extrapolation_value = real(d);
      if (d.flag())
        for (int i = 0; i < rank; ++i)
          if (d.flag()) a.axes.push_back(i);
      const size_t n = a.axes.empty() ? static_cast<size_t>(rank) : a.axes.size();
      const bool sizes = d.flag();
      for (size_t i = 0; i < n; ++i) {
        if (sizes) a.sizes.push_back(d.integer(0, 999));
        else a.scales.push_back(std::fabs(real(d)));
      }
      if (sizes) a.policy = d.one_of<Resize::AspectPolicy>(3);
      if (a.mode != Resize::Mode::nearest) a.antialias = d.flag();
      if (sizes && a.policy == Resize::AspectPolicy::stretch && d.flag())
        for (size_t i = 0; i < n; ++i) a.scale_bits.push_back(d.integer(0, INT32_MAX));
      if (a.coordinates == Resize::Coordinates::tf_crop_and_resize) {
        const bool bits = n <= 4 && d.flag();
        for (size_t i = 0; i < 2 * n; ++i) {
          if (bits) a.roi_bits.push_back(d.integer(0, INT32_MAX));
          else a.roi.push_back(real(d));
        }
      }
      return Resize::make(std::move(a));
    }
    case OpKind::transpose: {
      Perm p;
      for (int i = 0; i < rank; ++i) p.insert(static_cast<int>(d.integer(0, i)), i);
      return Transpose::make(p);
    }
    case OpKind::reshape: return Reshape::make(dims(d, rank, 0, 1000));
    case OpKind::expand: return Expand::make(dims(d, rank, 0, 1000));
    case OpKind::slice: {
      RankArray<int64_t> steps;
      for (int i = 0; i < rank; ++i) steps.push_back(d.flag() ? d.integer(1, 4) : d.integer(-4, -1));
      return Slice::make(dims(d, rank, 0, 99), steps, dims(d, rank, 0, 99));
    }
    case OpKind::concat: return Concat::make(static_cast<int>(d.integer(0, 7)));
    case OpKind::pad: return Pad::make(d.one_of<Pad::Mode>(4), dims(d, rank, -9, 99), dims(d, rank, -9, 99));
    case OpKind::tile: return Tile::make(dims(d, rank, 0, 9));
    case OpKind::depth_to_space: return DepthToSpace::make(d.integer(1, 9), d.one_of<DepthToSpace::Order>(2), d.flag());
    case OpKind::gather: return Gather::make(static_cast<int>(d.integer(0, 7)));
    case OpKind::gather_elements: return GatherElements::make(static_cast<int>(d.integer(0, 7)));
    case OpKind::gather_nd: return GatherNd::make(static_cast<int>(d.integer(0, 7)));
    case OpKind::scatter_elements: return ScatterElements::make(static_cast<int>(d.integer(0, 7)), d.one_of<ScatterReduction>(5));
    case OpKind::scatter_nd: return ScatterNd::make(d.one_of<ScatterReduction>(5));
    case OpKind::range:
      if (d.flag()) return Range::make(dtype(d), d.integer(-99, 99), d.integer(-9, 9), d.integer(0, 999));
      return Range::make_real(d.flag() ? DType::f32 : DType::f64, d.integer(-99, 99) / 7., d.integer(-99, 99) / 3., d.integer(1, 99) / 13.);
    case OpKind::shape_tensor: {
      std::vector<Dim> values;
      for (int64_t n = d.integer(0, 20); n > 0; --n) values.emplace_back(d.integer(INT64_MIN, INT64_MAX));
      return ShapeTensor::make(values, values.size() == 1 && d.flag(), dtype(d));
    }
    case OpKind::topk: return TopK::make({static_cast<int>(d.integer(0, 7)), d.integer(0, 99), d.flag(), d.flag()});
    case OpKind::one_hot: return OneHot::make(static_cast<int>(d.integer(0, 7)), d.integer(0, 99));
    case OpKind::trilu: return Trilu::make(d.flag(), d.integer(-9, 9));
    case OpKind::eye_like: return EyeLike::make(dtype(d), d.integer(-9, 9));
    case OpKind::grid_sample: return GridSample::make({d.one_of<GridSampleMode>(3), d.one_of<GridSamplePadding>(3), d.flag()});
    case OpKind::count_non_zero: return CountNonZero::make({});
    case OpKind::non_zero: return NonZero::make({d.integer(0, 999)});
    case OpKind::unique: return Unique::make({d.integer(0, 7), d.flag()});
    case OpKind::recurrent: {
      Recurrent::Attributes a;
      a.cell = d.one_of<RecurrentCell>(3);
      a.direction = d.one_of<RecurrentDirection>(3);
      a.gates = d.flag() ? UnaryFunction::hard_sigmoid : UnaryFunction::sigmoid;
      a.gates_alpha = static_cast<float>(d.integer(-9, 9)) / 7;
      a.gates_beta = static_cast<float>(d.integer(-9, 9)) / 3;
      a.candidate = d.flag() ? UnaryFunction::scaled_tanh : UnaryFunction::relu;
      a.candidate_alpha = static_cast<float>(d.integer(-9, 9)) / 7;
      a.candidate_beta = static_cast<float>(d.integer(-9, 9)) / 3;
      a.output = d.flag() ? UnaryFunction::elu : UnaryFunction::tanh;
      a.output_alpha = static_cast<float>(d.integer(-9, 9)) / 7;
      a.clip = static_cast<float>(d.integer(0, 9)) / 7;
      a.linear_before_reset = a.cell == RecurrentCell::gru && d.flag();
      a.input_forget = a.cell == RecurrentCell::lstm && d.flag();
      a.cell_state = a.cell == RecurrentCell::lstm && d.flag();
      return Recurrent::make(a);
    }
    case OpKind::fold: {
      Fold::Attributes a;
      a.spatial = static_cast<int32_t>(d.integer(1, 3));
      for (int i = 0; i < a.spatial; ++i) {
        a.image.push_back(d.integer(0, 99)), a.window.push_back(d.integer(1, 9));
        a.strides[i] = d.integer(1, 5), a.dilations[i] = d.integer(1, 3), a.pads_begin[i] = d.integer(0, 3),
        a.pads_end[i] = d.integer(0, 3);
      }
      return Fold::make(a);
    }
    case OpKind::deform_columns: {
      DeformColumns::Attributes a;
      a.spatial = 2;
      for (int i = 0; i < 2; ++i) a.window[i] = d.integer(1, 9), a.strides[i] = d.integer(1, 5), a.pads_end[i] = d.integer(0, 3);
      a.groups = d.integer(1, 9);
      return DeformColumns::make(a);
    }
    case OpKind::roi_align:
      return RoiAlign::make({d.one_of<RoiMode>(3), d.flag(), d.integer(1, 9), d.integer(1, 9), d.integer(0, 3), real(d)});
    case OpKind::non_max_suppression: return NonMaxSuppression::make({d.integer(0, 999), d.flag()});
    case OpKind::dft: return Dft::make({d.integer(0, 6), d.integer(0, 999), d.flag(), d.flag()});
    case OpKind::det: return Det::make({});
    case OpKind::random_uniform:
      return RandomUniform::make(
          {d.flag() ? DType::f32 : DType::f64, dims(d, rank, 0, 99), d.integer(INT64_MIN, INT64_MAX), d.integer(INT64_MIN, INT64_MAX)});
    case OpKind::tree_ensemble: return TreeEnsemble::make({d.integer(1, 65536), d.one_of<TreeAggregate>(4)});
    case OpKind::couple_pairs: return CouplePairs::make({d.integer(2, 1024)});
    case OpKind::bit_cast: return BitCast::make(d.one_of<DType>(kLastDType + 1));
    case OpKind::count_: break;
  }
  return invalid("no kind");
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
