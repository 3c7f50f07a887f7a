// SPDX-License-Identifier: Apache-2.0
// Convolution over 1 to 3 spatial axes: attributes, shape rule, and where a window lies for actual dims.
// Inputs: src N, C, spatial...; weights M, C / group, kernel...; optional bias M. Output: N, M, spatial...
#pragma once

#include "core/ops/op.h"

namespace anydim {

constexpr int kMaxSpatial = 3;

// How the padding is told. same_*: the output has ceil(in / stride) positions and the padding follows from the actual
// dims; an odd one goes to the end (upper) or to the beginning (lower).
enum class AutoPad : int32_t { explicit_ = 0, same_upper = 1, same_lower = 2, valid = 3 };
const char* auto_pad_name(AutoPad p) noexcept;

class Convolution final : public Operator {
 public:
  static constexpr OpKind kKind = OpKind::convolution;

  struct Attributes {
    int32_t spatial = 2;  // 1..3; the arrays below use that many entries
    int64_t strides[kMaxSpatial] = {1, 1, 1};
    int64_t dilations[kMaxSpatial] = {1, 1, 1};
    int64_t pads_begin[kMaxSpatial] = {};  // explicit_ only
    int64_t pads_end[kMaxSpatial] = {};
    int64_t group = 1;
    AutoPad auto_pad = AutoPad::explicit_;
  };
  static Result<OperatorPtr> make(const Attributes& attributes);

  OpKind kind() const noexcept override { return kKind; }
  Status infer(DimPool& pool, std::span<const TensorType> in, std::span<TensorType> out) const override;
  void attributes(AttributeSink& sink) const override;
  const Attributes& get() const noexcept { return at_; }

  // Padding before the first position of a spatial axis, for actual sizes.
  int64_t pad_begin(int axis, int64_t in, int64_t kernel) const noexcept;

  explicit Convolution(const Attributes& a) : at_(a) {}

 private:
  Attributes at_;
};

// Shared with conv_transpose: ranges of the attributes that both have.
Status check_spatial_attributes(const char* op, int32_t spatial, const int64_t* strides, const int64_t* dilations,
                                const int64_t* pads_begin, const int64_t* pads_end, int64_t group);

}  // namespace anydim
