// SPDX-License-Identifier: Apache-2.0
// Operators as bytes: equal exactly when the operators are, over random pairs from small ranges so that many are equal;
// and no operator's bytes begin another's.
#include "core/ops/operator_bytes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "core/base/testing/random.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/conv_transpose.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/layer_norm.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/pad.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/reduce.h"
#include "core/ops/operators/reshape.h"
#include "core/ops/operators/resize.h"
#include "core/ops/operators/softmax.h"
#include "core/ops/operators/transpose.h"
#include "core/ops/operators/unary.h"

namespace anydim {
namespace {

// An operator with attributes of few values each.
Result<OperatorPtr> random_operator(std::mt19937& random) {
  const auto upto = [&](int n) { return static_cast<int64_t>(random() % static_cast<unsigned>(n)); };
  switch (upto(12)) {
    case 0: {
      Convolution::Attributes a;
      a.spatial = static_cast<int32_t>(1 + upto(2));
      for (int i = 0; i < a.spatial; ++i) a.strides[i] = 1 + upto(2), a.pads_begin[i] = upto(2), a.pads_end[i] = upto(2);
      a.group = 1 + upto(2);
      return Convolution::make(a);
    }
    case 1: {
      ConvTranspose::Attributes a;
      a.spatial = static_cast<int32_t>(1 + upto(2));
      for (int i = 0; i < a.spatial; ++i) a.strides[i] = 2, a.pads_begin[i] = upto(2), a.output_padding[i] = upto(2);
      return ConvTranspose::make(a);
    }
    case 2: {
      Pooling::Attributes a;
      a.kind = upto(2) ? Pooling::Kind::max : Pooling::Kind::average;
      a.global = upto(2) != 0;
      a.spatial = static_cast<int>(1 + upto(2));
      for (int i = 0; i < a.spatial; ++i) a.window[i] = 2 + upto(2), a.strides[i] = 1 + upto(2);
      return Pooling::make(a);
    }
    case 3: {
      Matmul::Attributes a;
      a.transpose_a = upto(2) != 0;
      a.transpose_b = upto(2) != 0;
      a.alpha = upto(2) ? 1.f : 0.5f;
      return Matmul::make(a);
    }
    case 4: {
      std::vector<int64_t> axes(static_cast<size_t>(upto(3)));
      for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i) + upto(2);
      return Reduce::make(upto(2) ? ReduceKind::sum : ReduceKind::mean, axes, upto(2) != 0);
    }
    case 5: {
      // Scales and the region of interest are both rows of one number after another.
      Resize::Attributes a;
      a.coordinates = upto(2) ? Resize::Coordinates::tf_crop_and_resize : Resize::Coordinates::half_pixel;
      a.mode = upto(2) ? Resize::Mode::linear : Resize::Mode::nearest;
      a.scales.resize(static_cast<size_t>(1 + upto(3)), 2.f);
      if (a.coordinates == Resize::Coordinates::tf_crop_and_resize) a.roi.resize(2 * a.scales.size(), 2.f);
      return Resize::make(std::move(a));
    }
    case 6: return Transpose::make(upto(2) ? Perm{0, 2, 1} : upto(2) ? Perm{2, 1, 0} : Perm{1, 0});
    case 7: return Concat::make(static_cast<int>(upto(3)));
    case 8: return Unary::make(static_cast<UnaryFunction>(upto(static_cast<int>(UnaryFunction::count_))), upto(2) ? 0.f : -0.f, 1.f);
    case 9: return LayerNorm::make(-1 - upto(2), upto(2) ? 1e-5f : 1e-6f);
    case 10: return Softmax::make(-1 - upto(2), upto(2) != 0);
    default: {
      SymDims dims;
      for (int64_t n = upto(3); n >= 0; --n) dims.push_back(upto(3));
      return Reshape::make(dims);
    }
  }
}

TEST(KeyBytes, keeps_what_was_appended_in_place_and_beyond) {
  for (const size_t piece : {1, 7, 511, 512, 513, 2000}) {
    KeyBytes key;
    std::string expected;
    for (int i = 0; i < 600 && expected.size() < 3000; ++i) {
      const std::string text(piece, static_cast<char>('a' + i % 26));
      key.append(text.data(), text.size());
      key.push_back('|');
      expected += text + '|';
      ASSERT_EQ(view(key), expected);
    }
  }
}

TEST(OperatorBytes, AreEqualExactlyWhenTheOperatorsAre) {
  const auto seed = static_cast<unsigned>(anydim::testing::run_seed());
  std::mt19937 random(seed);
  std::map<std::string, std::string> text_to_bytes, bytes_to_text;
  int made = 0;
  for (int i = 0; i < 20000; ++i) {
    const auto op = random_operator(random);
    if (!op.ok()) continue;  // a combination that the operator refuses
    ++made;
    KeyBytes key;
    ASSERT_TRUE(append_operator(&key, **op));
    const std::string bytes(view(key)), text = describe(**op);
    const auto by_text = text_to_bytes.try_emplace(text, bytes).first;
    const auto by_bytes = bytes_to_text.try_emplace(bytes, text).first;
    ASSERT_EQ(by_text->second, bytes) << text;
    ASSERT_EQ(by_bytes->second, text);
  }
  EXPECT_GT(made, 10000);
  EXPECT_GT(text_to_bytes.size(), 200u);
  // In the order of a map a prefix comes right before what it begins.
  for (auto at = bytes_to_text.begin(); std::next(at) != bytes_to_text.end(); ++at)
    ASSERT_NE(std::next(at)->first.substr(0, at->first.size()), at->first) << at->second;
}

TEST(OperatorBytes, RefuseASymbolicAttribute) {
  DimPool pool;
  const auto op = Reshape::make({pool.symbol("n"), 3});
  KeyBytes key;
  EXPECT_FALSE(append_operator(&key, **op));
}

}  // namespace
}  // namespace anydim
