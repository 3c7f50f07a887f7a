// SPDX-License-Identifier: Apache-2.0
// Compressed matmul: the reference has the bits of a matmul on the real numbers, and every instruction set those of the reference, over
// random forms, blocks, rows, layouts and post-ops.
#include "core/kernels/compressed_matmul/compressed_matmul.h"

#include "core/kernels/matmul/matmul.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/operators/compressed_matmul.h"
#include "core/ops/operators/matmul.h"

namespace anydim::testing {
namespace {

using KernelRun = Run;  // inside a TEST, Run is GoogleTest's
constexpr Layout kLayouts[] = {Layout::row_major, Layout::channels_last, Layout::permuted, Layout::padded_rows,
                               Layout::padded_channels_last};

struct Drawn {
  OperatorPtr op;
  KernelRun run;
};

OwnedTensor numbers(Random& r, DType dtype, const Dims& dims) {
  OwnedTensor t(dtype, dims);
  if (dtype_is_half(dtype)) return t.fill(r);
  t.each([&](int64_t, std::byte* p) {
    *p = static_cast<std::byte>(r.integer(0, narrow_bits(dtype) == 4 && dtype_is_narrow(dtype) ? 15 : 255));
  });
  return t;
}

Drawn draw(Random& r, int64_t most_k, bool rounds = false) {
  constexpr DType kTypes[] = {DType::i8, DType::u8, DType::i4, DType::u4, DType::f16, DType::bf16};
  const DType dtype = kTypes[r.integer(0, rounds ? 3 : 5)];
  const int64_t k = r.chance(0.05) ? 0 : r.integer(1, most_k), columns = r.chance(0.05) ? 0 : r.integer(1, r.chance(0.3) ? 200 : 50);
  CompressedMatmul::Attributes a;
  a.transpose_b = r.chance(0.6);
  const bool scaled = !dtype_is_half(dtype), zeros = scaled && (dtype == DType::u8 || dtype == DType::u4) && r.chance(0.5);
  a.rounded_rows = rounds;
  if (scaled && (rounds || r.chance(0.8))) a.block = r.chance(0.7) ? int64_t{16} << r.integer(0, 4) : 8 * r.integer(1, 20);
  if (scaled) a.zero_point = r.chance(0.3) ? 0 : r.integer(-128, 255);
  Drawn drawn;
  drawn.op = *CompressedMatmul::make(a);
  KernelRun& run = drawn.run;
  run.op = drawn.op.get();
  run.constant_weights = true;
  Dims dims;
  const int rank = static_cast<int>(r.integer(1, 4));
  for (int i = 0; i + 1 < rank; ++i)
    dims.push_back(r.chance(0.03) ? 0 : i + 2 == rank ? r.integer(1, r.chance(0.5) ? 9 : 40) : r.integer(1, 3));
  dims.push_back(k);
  const double specials = r.chance(0.2) ? 0.01 : 0;
  run.in = {OwnedTensor(DType::f32, dims, kLayouts[r.integer(0, 4)], &r).fill(r, specials),
            numbers(r, dtype, a.transpose_b ? Dims{columns, k} : Dims{k, columns})};
  const int64_t blocks = a.block == 0 ? 1 : ceil_div(k, a.block);
  const auto factors = [&] {
    const int64_t n = r.chance(0.2) ? 1 : columns;
    return OwnedTensor(DType::f32, a.transpose_b ? Dims{n, blocks} : Dims{blocks, n}).fill(r, r.chance(0.2) ? 0.1 : 0);
  };
  run.in.push_back(scaled ? factors() : OwnedTensor());
  if (zeros) run.in.push_back(factors());
  if (r.chance(0.4)) run.post_ops.append({PostOp::Kind::unary, UnaryFunction::silu});
  if (r.chance(0.4)) {
    Dims d = dims;
    d[rank - 1] = columns;
    for (int i = 0; i < rank; ++i)
      if (r.chance(0.4)) d[i] = 1;
    run.post_ops.append({PostOp::Kind::binary, {}, BinaryFunction::add});
    run.post_in.push_back(OwnedTensor(DType::f32, d, kLayouts[r.integer(0, 4)], &r).fill(r));
  }
  run.out_layouts = {kLayouts[r.integer(0, 4)]};
  return drawn;
}

void expect_all_equal(KernelRun& run) {
  run.threads = 1;
  const Outcome want = run_kernel(compressed_reference(), run);
  ASSERT_TRUE(want.status.ok()) << want.status.message();
  int others = 0;
  for (const HostKernel* k : runnable(compressed_kernels())) {
    if (k == &compressed_reference()) continue;
    for (int threads : {1, 2}) {
      run.threads = threads;
      const Outcome got = run_kernel(*k, run);
      if (got.refusal != nullptr) {
        // One family has the rows as they are, the other rounds them.
        const bool rounds = std::string_view(k->name()).starts_with("gemm.rounded");
        ASSERT_NE(rounds, as<CompressedMatmul>(*run.op)->get().rounded_rows) << got.refusal;
        continue;
      }
      ASSERT_TRUE(got.status.ok()) << got.status.message();
      ASSERT_TRUE(same_bits(want.out[0], got.out[0]))
          << k->name() << " threads " << threads << " " << describe(*run.op) << " a " << to_string(run.in[0].view().dims) << " b "
          << dtype_name(run.in[1].view().dtype) << to_string(run.in[1].view().dims);
      ++others;
    }
  }
  EXPECT_GT(others, 0);
}

TEST(CompressedMatmul, KernelsHaveTheReferencesBits) {
  Random r(72);
  for (int i = 0; i < 400; ++i) {
    Drawn d = draw(r, i % 10 == 0 ? 700 : 90);
    expect_all_equal(d.run);
    if (HasFatalFailure()) return;
  }
}

TEST(CompressedMatmul, KernelsOfRoundedRowsHaveTheReferencesBits) {
  Random r(74);
  for (int i = 0; i < 400; ++i) {
    Drawn d = draw(r, i % 10 == 0 ? 700 : 90, true);
    expect_all_equal(d.run);
    if (HasFatalFailure()) return;
  }
}

TEST(CompressedMatmul, RowsOfWholeNumbersAreNotChangedByRounding) {
  // The largest of each block is 127, so the scale is 1.
  Random r(75);
  for (int i = 0; i < 40; ++i) {
    Drawn d = draw(r, 300, true);
    const int64_t block = as<CompressedMatmul>(*d.op)->get().block, k = d.run.in[0].view().dims[d.run.in[0].view().rank() - 1];
    int64_t at = 0;
    d.run.in[0].each([&](int64_t, std::byte* p) {
      const float x = k > 0 && at++ % k % block == 0 ? 127.f : static_cast<float>(r.integer(-127, 127));
      std::memcpy(p, &x, sizeof x);
    });
    d.run.in[2].each([&](int64_t, std::byte* p) {
      const float x = 0x1p-3f;
      std::memcpy(p, &x, sizeof x);
    });
    if (d.run.in.size() > 3)
      d.run.in[3].each([&](int64_t, std::byte* p) {
        const auto x = static_cast<float>(r.integer(0, 15));
        std::memcpy(p, &x, sizeof x);
      });
    const Outcome rounded = run_kernel(compressed_reference(), d.run);
    CompressedMatmul::Attributes at_rest = as<CompressedMatmul>(*d.op)->get();
    at_rest.rounded_rows = false;
    const OperatorPtr plain = *CompressedMatmul::make(at_rest);
    d.run.op = plain.get();
    const Outcome exact = run_kernel(compressed_reference(), d.run);
    ASSERT_TRUE(rounded.status.ok() && exact.status.ok());
    // All sums are whole numbers below 2^24.
    ASSERT_TRUE(same_bits(rounded.out[0], exact.out[0])) << describe(*d.op);
  }
}

TEST(CompressedMatmul, TheReferenceHasTheBitsOfAMatmulOnTheRealNumbers) {
  Random r(73);
  for (int i = 0; i < 60; ++i) {
    Drawn d = draw(r, 300);
    const auto& at = as<CompressedMatmul>(*d.op)->get();
    const TensorView b = d.run.in[1].view();
    // Scale and zero point by zero point, in binary32.
    OwnedTensor real(DType::f32, b.dims);
    std::vector<float> stored;
    d.run.in[1].each([&](int64_t, std::byte* p) {
      uint16_t h;
      switch (b.dtype) {
        case DType::f16: std::memcpy(&h, p, 2), stored.push_back(f16_to_f32(h)); break;
        case DType::bf16: std::memcpy(&h, p, 2), stored.push_back(bf16_to_f32(h)); break;
        case DType::i8: stored.push_back(static_cast<int8_t>(*p)); break;
        case DType::i4: stored.push_back(static_cast<float>(static_cast<int8_t>(static_cast<uint8_t>(*p) << 4) / 16)); break;
        default: stored.push_back(static_cast<uint8_t>(*p)); break;
      }
    });
    real.each([&](int64_t e, std::byte* p) {
      float v = stored[static_cast<size_t>(e)];
      const int64_t row = e / b.dims[1], column = e % b.dims[1], k = at.transpose_b ? column : row, n = at.transpose_b ? row : column;
      const auto factor = [&](const OwnedTensor& t) {
        const Dims& f = t.view().dims;
        const int64_t block = at.block == 0 ? 0 : k / at.block, of_n = f[at.transpose_b ? 0 : 1] == 1 ? 0 : n;
        return t.view().as<float>()[at.transpose_b ? of_n * f[1] + block : block * f[1] + of_n];
      };
      if (!dtype_is_half(b.dtype)) {
        v = v - (d.run.in.size() > 3 ? factor(d.run.in[3]) : static_cast<float>(at.zero_point));
        v = v * factor(d.run.in[2]);
      }
      std::memcpy(p, &v, 4);
    });
    KernelRun plain = d.run;
    Matmul::Attributes m;
    m.transpose_b = at.transpose_b;
    OperatorPtr op = *Matmul::make(m);
    plain.op = op.get();
    plain.in.resize(2);
    plain.in[1] = real;
    plain.constant_weights = false;
    const Outcome want = run_kernel(gemm_reference(), plain), got = run_kernel(compressed_reference(), d.run);
    ASSERT_TRUE(want.status.ok()) << want.status.message();
    ASSERT_TRUE(got.status.ok()) << got.status.message();
    ASSERT_TRUE(same_bits(want.out[0], got.out[0])) << describe(*d.op);
  }
}

TEST(CompressedMatmul, PackedNumbersTakeTheirBitsAndScales) {
  Random r(74);
  for (const auto& [dtype, bytes] : {std::pair{DType::u4, 64 * 256 / 2}, std::pair{DType::i8, 64 * 256}, std::pair{DType::f16, 64 * 512}}) {
    CompressedMatmul::Attributes a;
    a.transpose_b = true;
    a.block = 32;
    OperatorPtr op = *CompressedMatmul::make(a);
    const PostOps none;
    std::vector<TensorType> in{{DType::f32, {1, 256}}, {dtype, {64, 256}}}, out(1);
    OperandSet constant{1};
    if (!dtype_is_half(dtype)) in.push_back({DType::f32, {64, 8}}), constant.add(2);
    DimPool pool;
    ASSERT_TRUE(op->infer(pool, in, out).ok());
    const Problem p{op.get(), in, out, &none, {}, MathMode::strict, constant};
    for (const HostKernel* k : runnable(compressed_kernels())) {
      if (k == &compressed_reference()) continue;
      const PackedForm form = k->packed_form(p);
      ASSERT_GT(form.count, 0);
      EXPECT_EQ(form.pieces[0].bytes(), bytes) << k->name();
      if (form.count > 1) {
        EXPECT_EQ(form.pieces[1].bytes(), 64 * 8 * 4) << k->name();
      }
    }
  }
}

TEST(CompressedMatmul, WrongOperandsAreRefusedByName) {
  struct Case {
    int64_t block;
    std::vector<TensorType> in;
    const char* message;
  };
  const TensorType a{DType::f32, {3, 40}}, b{DType::u8, {40, 7}}, s{DType::f32, {2, 7}};
  const Case cases[] = {
      {32, {{DType::f16, {3, 40}}, b, s}, "compressed_matmul: a has dtype f16; expected f32"},
      {32, {a, {DType::i32, {40, 7}}, s}, "compressed_matmul: b has dtype i32; expected i8, u8, i4, u4, f16 or bf16"},
      {32, {a, {DType::u8, {41, 7}}, s}, "compressed_matmul: a [3, 40] has 40 columns; b [41, 7] has 41 rows"},
      {32, {a, b}, "compressed_matmul: b is u8 and scales are not there; expected scales with i8, u8, i4 and u4 alone"},
      {16, {a, b, s}, "compressed_matmul: scales have dims [2, 7]; expected 3 blocks by 7 columns or 1"},
      {32, {a, b, s, {DType::f32, {2, 5}}}, "compressed_matmul: zero_points have dims [2, 5]; expected 2 blocks by 7 columns or 1"},
  };
  for (const Case& c : cases) {
    CompressedMatmul::Attributes at;
    at.block = c.block;
    OperatorPtr op = *CompressedMatmul::make(at);
    DimPool pool;
    std::vector<TensorType> out(1);
    EXPECT_EQ(op->infer(pool, c.in, out).message(), c.message);
  }
}

}  // namespace
}  // namespace anydim::testing
