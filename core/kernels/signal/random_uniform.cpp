// SPDX-License-Identifier: Apache-2.0
// RandomUniform: Philox 4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", 2011). Element i follows from its index,
// seed and stream alone: docs/numerics.md, section 10.
#include "core/kernels/plain_kernel.h"
#include "core/kernels/signal/philox.h"
#include "core/kernels/signal/signal.h"
#include "core/ops/operators/random_uniform.h"

namespace anydim {

namespace {

constexpr int64_t kTask = 16384;  // elements

// Where element i in row-major order lies.
int64_t offset_of(const TensorView& y, int64_t i) noexcept {
  int64_t offset = 0;
  for (int a = y.dims.rank - 1; a >= 0; --a) {
    offset += i % y.dims[a] * y.strides[a];
    i /= y.dims[a];
  }
  return offset;
}

class RandomUniformKernel final : public PlainKernel {
 public:
  constexpr RandomUniformKernel() noexcept : PlainKernel("random_uniform.reference", OpKind::random_uniform) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const RandomUniformAttributes& at = as<RandomUniform>(*args.op)->get();
    const TensorView& y = args.out[0];
    const int64_t count = y.count();
    const bool dense = y.strides == dense_strides(y.dims);
    const auto seed = static_cast<uint64_t>(at.seed), stream = static_cast<uint64_t>(at.stream);
    args.parallel.run((count + kTask - 1) / kTask, [&](int64_t task, int) {
      const int64_t end = task * kTask + kTask < count ? task * kTask + kTask : count;
      const int64_t each = at.dtype == DType::f32 ? 4 : 2;  // elements of a block; kTask is a multiple
      for (int64_t i = task * kTask; i < end; i += each) {
        const PhiloxBlock b = philox(static_cast<uint64_t>(i / each), stream, seed);
        for (int64_t j = 0; j < each && i + j < end; ++j) {
          const int64_t to = dense ? i + j : offset_of(y, i + j);  // whose divisions take longer than the numbers
          if (at.dtype == DType::f32) y.as<float>()[to] = static_cast<float>(b.word[j] >> 8) * 0x1p-24f;
          else y.as<double>()[to] = static_cast<double>((uint64_t{b.word[2 * j + 1]} << 32 | b.word[2 * j]) >> 11) * 0x1p-53;
        }
      }
    });
    return {};
  }
};

const RandomUniformKernel kernel;

}  // namespace

constinit const HostKernel* const kRandomUniform = &kernel;

}  // namespace anydim
