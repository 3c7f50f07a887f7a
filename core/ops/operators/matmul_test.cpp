// SPDX-License-Identifier: Apache-2.0
// Shape rule of matmul.
#include "core/ops/operators/matmul.h"

#include <gtest/gtest.h>

namespace anydim {
namespace {

TensorType floats(std::initializer_list<Dim> dims) {
  TensorType t;
  t.dtype = DType::f32;
  for (Dim d : dims) t.dims.push_back(d);
  return t;
}

std::string product_shape(const Matmul::Attributes& at, std::vector<TensorType> in) {
  DimPool pool;
  TensorType out;
  const Status s = (*Matmul::make(at))->infer(pool, in, {&out, 1});
  return s.ok() ? pool.text(out.dims) : s.message();
}

TEST(Matmul, BroadcastsBatchAxes) { EXPECT_EQ(product_shape({}, {floats({5, 1, 2, 3}), floats({4, 3, 6})}), "[5, 4, 2, 6]"); }

TEST(Matmul, DropsTheAxisOfAVector) {
  EXPECT_EQ(product_shape({}, {floats({3}), floats({4, 3, 6})}), "[4, 6]");
  EXPECT_EQ(product_shape({}, {floats({4, 2, 3}), floats({3})}), "[4, 2]");
  EXPECT_EQ(product_shape({}, {floats({3}), floats({3})}), "[]");
}

TEST(Matmul, TransposesAndChecksTheAddend) {
  Matmul::Attributes at;
  at.transpose_a = at.transpose_b = true;
  EXPECT_EQ(product_shape(at, {floats({3, 2}), floats({6, 3}), floats({2, 1})}), "[2, 6]");
  EXPECT_NE(product_shape(at, {floats({3, 2}), floats({6, 3}), floats({5, 1})}).find("does not broadcast"), std::string::npos);
}

TEST(Matmul, NamesSizesThatDoNotMatch) {
  EXPECT_NE(product_shape({}, {floats({2, 3}), floats({4, 5})}).find("3 columns"), std::string::npos);
  TensorType other = floats({3, 5});
  other.dtype = DType::f64;
  EXPECT_NE(product_shape({}, {floats({2, 3}), other}).find("f64"), std::string::npos);
}

TEST(Matmul, KeepsSymbolsOfRows) {
  DimPool pool;
  const Dim n = pool.symbol("n"), t = pool.symbol("t");
  const TensorType in[] = {floats({n, t, 120}), floats({120, 360})};
  TensorType out;
  ASSERT_TRUE((*Matmul::make({}))->infer(pool, in, {&out, 1}).ok());
  EXPECT_EQ(out.dims, (SymDims{n, t, 360}));
}

}  // namespace
}  // namespace anydim
