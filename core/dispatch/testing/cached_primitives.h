// SPDX-License-Identifier: Apache-2.0
// What the tests of the primitive cache share: descriptors, an operator with weights, and primitives made through a cache.
#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

#include "core/dispatch/caches/primitive_cache.h"
#include "core/dispatch/testing/weights_of.h"
#include "core/engines/cpu/engine.h"
#include "core/ops/operators/convolution.h"

namespace anydim {

inline DimDescriptor dynamic(int64_t min, int64_t max, int64_t hint = -1, int64_t multiple_of = 1) {
  return {-1, {min, max, hint, multiple_of}};
}
inline TensorDescriptor f32(std::initializer_list<DimDescriptor> dims) { return {DType::f32, dims}; }

inline HostTensor small_tensor(const Dims& dims) {
  HostTensor t;
  EXPECT_TRUE(HostTensor::allocate(DType::f32, dims, &t).ok());
  for (int64_t i = 0; i < t.view.count(); ++i) t.view.as<float>()[i] = static_cast<float>(i % 11) - 5.f;
  return t;
}

inline OperatorPtr convolution() {
  Convolution::Attributes a;
  a.spatial = 2;
  for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = 1;
  return *Convolution::make(a);
}
inline WeightsPtr weights_of(const OperatorPtr& op, const Dims& dims) {
  const HostTensor t = small_tensor(dims);
  WeightsPtr w;
  const Status s = weights_of(cpu_engine(), op, {&t.view, 1}, &w);
  EXPECT_TRUE(s.ok()) << s.message();
  return w;
}

struct Made {
  PrimitivePtr primitive;
  Creation how;
  Status status;
};
inline Made create(PrimitiveCache& cache, const OperatorPtr& op, std::initializer_list<TensorDescriptor> in,
                   const PrimitiveAttributes& attributes = {}, const WeightsPtr& weights = nullptr) {
  std::vector<const TensorDescriptor*> described;
  for (const TensorDescriptor& t : in) described.push_back(&t);
  Made made;
  made.status = cache.create(cpu_engine(), op, described, attributes, weights, &made.primitive, &made.how);
  return made;
}
inline CacheHit hit(PrimitiveCache& cache, const OperatorPtr& op, std::initializer_list<TensorDescriptor> in,
                    const PrimitiveAttributes& attributes = {}, const WeightsPtr& weights = nullptr) {
  const Made made = create(cache, op, in, attributes, weights);
  EXPECT_TRUE(made.status.ok()) << made.status.message();
  return made.how.hit;
}

inline PrimitiveAttributes reusable() {
  PrimitiveAttributes a;
  a.reuse = ReusePolicy::reusable;
  return a;
}

}  // namespace anydim
