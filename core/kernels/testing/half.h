// SPDX-License-Identifier: Apache-2.0
// For kernel tests only: a run on f32 tensors done again on 16-bit floats, each of their kernels against the reference.
#pragma once

#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/half/half.h"
#include "core/kernels/testing/harness.h"

namespace anydim::testing {

// The values of an f32 tensor as 16-bit floats, in the same layout. Every few of them become what only those have at hand:
// their denormals and largest numbers.
inline OwnedTensor as_half(const OwnedTensor& from, DType dtype, Random& r, double specials) {
  OwnedTensor to = from.with_dtype(dtype);
  std::vector<float> values;
  from.each([&](int64_t, std::byte* p) {
    float v;
    std::memcpy(&v, p, 4);
    values.push_back(v);
  });
  to.each([&](int64_t i, std::byte* p) {
    const float v = values[static_cast<size_t>(i)];
    uint16_t bits = dtype == DType::f16 ? f32_to_f16(v) : f32_to_bf16(v);
    if (specials > 0 && r.chance(specials)) {
      constexpr uint16_t kSpecial[] = {0x0001, 0x8003, 0x007f, 0x03ff, 0x7bff, 0xfbff, 0x7f7f, 0x7c00, 0xff80, 0x7e01, 0x7c01, 0x8000};
      bits = kSpecial[r.integer(0, 11)];
    }
    std::memcpy(p, &bits, 2);
  });
  return to;
}

// Runs what `run` says on f16 or bf16; returns how many kernels were compared with the reference.
inline int expect_half_equals_reference(const HostKernel& reference, const Run& run, Random& r) {
  const DType dtype = r.chance(0.5) ? DType::f16 : DType::bf16;
  const double specials = r.chance(0.3) ? 0.03 : 0;
  Run half = run;
  for (OwnedTensor& t : half.in)
    if (t.view().dtype == DType::f32) t = as_half(t, dtype, r, specials);
  for (OwnedTensor& t : half.post_in)
    if (r.chance(0.5)) t = as_half(t, dtype, r, specials);
  half.threads = 1;
  const Outcome want = run_kernel(reference, half, &r);
  EXPECT_EQ(want.refusal, nullptr) << want.refusal;
  EXPECT_TRUE(want.status.ok()) << want.status.message();
  int compared = 0;
  for (const KernelList list : {half_kernels(), half_eltwise_kernels()})
    for (const HostKernel* k : runnable(list)) {
      if (k->key().op != run.op->kind()) continue;
      half.threads = r.chance(0.5) ? 1 : 2;
      half.constant_weights = run.constant_weights || r.chance(0.5);
      half.constant_bias = r.chance(0.7);
      const Outcome got = run_kernel(*k, half, &r);
      if (got.refusal) continue;
      EXPECT_TRUE(got.status.ok()) << got.status.message();
      EXPECT_TRUE(same_bits(want.out.at(0), got.out.at(0)))
          << k->name() << " " << dtype_name(dtype) << " " << describe(*run.op) << " [" << describe(run.post_ops) << "] of "
          << to_string(run.in[0].view().dims) << " threads " << half.threads << " constant " << half.constant_weights + half.constant_bias;
      ++compared;
    }
  return compared;
}

}  // namespace anydim::testing
