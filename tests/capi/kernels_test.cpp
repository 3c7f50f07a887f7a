// SPDX-License-Identifier: Apache-2.0
// Runtime-dim and reusable are one: primitives with dynamic dims, with fixed dims and the reusable policy, and with M = 1
// hold the same kernel object. And kernels can be listed, forced by name, and asked for.
#include "tests/capi/support.h"

class Kernels : public Api {
 protected:
  struct Kernel {
    std::string name;
    uint64_t identity = 0;
    friend bool operator==(const Kernel&, const Kernel&) = default;
  };
  Kernel kernel_of(anydim_op_t* op, std::vector<anydim_dim_t> dims, anydim_attr_t attr, const anydim_view_t* constant) {
    anydim_weights_t w = nullptr;
    if (constant != nullptr) {
      EXPECT_OK(anydim_weights_create(engine, op, attr, nullptr, 0, constant, nullptr, 1, &w));
    }
    anydim_desc_t d = desc(std::move(dims));
    anydim_primitive_t p = nullptr;
    EXPECT_OK(anydim_primitive_create(engine, op, attr, &d, 1, w, &p));
    Kernel k;
    anydim_string_t name{};
    if (p != nullptr) {
      EXPECT_OK(anydim_primitive_get_kernel(p, &name, &k.identity));
    }
    if (name.data != nullptr) k.name = name.data;
    anydim_primitive_destroy(p);
    anydim_desc_destroy(d);
    anydim_weights_destroy(w);
    return k;
  }
};

TEST_F(Kernels, DynamicReusableAndOneRowShareAKernelObject) {
  std::vector<float> data(32 * 64 * 9, 0.5f);
  anydim_view_t matrix = tensor({64, 288}, data.data()), filter = tensor({32, 64, 3, 3}, data.data());
  anydim_attr_t reusable = nullptr;
  ASSERT_OK(anydim_attr_create(&reusable));
  ASSERT_OK(anydim_attr_set_reuse(reusable, ANYDIM_REUSE_REUSABLE));
  const anydim_dim_t any = anydim_dim_dynamic(0, 4096);
  const auto fixed = anydim_dim_fixed;

  anydim_matmul_t matmul = ANYDIM_MATMUL_INIT;
  const Kernel dynamic = kernel_of(&matmul.op, {any, fixed(64)}, nullptr, &matrix);
  EXPECT_NE(dynamic.identity, 0u);
  EXPECT_EQ(dynamic, kernel_of(&matmul.op, {fixed(384), fixed(64)}, reusable, &matrix));
  EXPECT_EQ(dynamic, kernel_of(&matmul.op, {fixed(1), fixed(64)}, nullptr, &matrix));

  anydim_convolution_t conv = ANYDIM_CONVOLUTION_INIT;
  conv.pads_begin[0] = conv.pads_begin[1] = conv.pads_end[0] = conv.pads_end[1] = 1;
  const Kernel free = kernel_of(&conv.op, {any, fixed(64), any, any}, nullptr, &filter);
  EXPECT_EQ(free, kernel_of(&conv.op, {fixed(8), fixed(64), fixed(56), fixed(56)}, reusable, &filter));
  EXPECT_EQ(free, kernel_of(&conv.op, {fixed(1), fixed(64), fixed(1), fixed(1)}, nullptr, &filter));
  EXPECT_NE(free.identity, dynamic.identity);

  anydim_unary_t silu = ANYDIM_UNARY_INIT;
  silu.function = ANYDIM_UNARY_SILU;
  EXPECT_EQ(kernel_of(&silu.op, {any}, nullptr, nullptr), kernel_of(&silu.op, {fixed(1)}, reusable, nullptr));
  anydim_attr_destroy(reusable);
}

TEST_F(Kernels, ForcedByNameTheyAreTaken) {
  anydim_primitive_t p = relu({anydim_dim_dynamic(0, 64)});
  int32_t count = 0;
  ASSERT_OK(anydim_primitive_get_candidate_count(p, &count));
  ASSERT_GE(count, 2);
  anydim_unary_t op = ANYDIM_UNARY_INIT;
  op.function = ANYDIM_UNARY_RELU;
  anydim_desc_t d = desc({anydim_dim_dynamic(0, 64)});
  int chosen = 0, forced = 0;
  float in[33], first[33], out[33];
  for (int i = 0; i < 33; ++i) in[i] = static_cast<float>(i) - 16.5f;
  anydim_view_t x = tensor({33}, in), y = tensor({33}, out);
  ASSERT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  std::memcpy(first, out, sizeof(out));
  for (int32_t i = 0; i < count; ++i) {
    anydim_candidate_t candidate = ANYDIM_CANDIDATE_INIT;
    ASSERT_OK(anydim_primitive_get_candidate(p, i, &candidate));
    chosen += candidate.chosen;
    EXPECT_EQ(candidate.chosen == 0, candidate.refusal.length > 0) << candidate.name.data;
    anydim_attr_t attr = nullptr;
    ASSERT_OK(anydim_attr_create(&attr));
    ASSERT_OK(anydim_attr_set_kernel(attr, candidate.name.data));
    anydim_primitive_t other = nullptr;
    if (anydim_primitive_create(engine, &op.op, attr, &d, 1, nullptr, &other) == ANYDIM_STATUS_OK) {
      anydim_string_t name;
      uint64_t identity;
      ASSERT_OK(anydim_primitive_get_kernel(other, &name, &identity));
      EXPECT_STREQ(name.data, candidate.name.data);
      ASSERT_OK(anydim_primitive_execute(other, stream, &x, 1, &y, 1));
      EXPECT_EQ(std::memcmp(first, out, sizeof(out)), 0) << name.data;
      ++forced;
      anydim_primitive_destroy(other);
    } else {
      EXPECT_NE(last().find(candidate.name.data), std::string::npos) << last();
    }
    anydim_attr_destroy(attr);
  }
  EXPECT_EQ(chosen, 1);
  EXPECT_GE(forced, 2);
  anydim_desc_destroy(d);
  anydim_primitive_destroy(p);
}

TEST_F(Kernels, TheRegistryCanBeListed) {
  anydim_engine_info_t engine_info = ANYDIM_ENGINE_INFO_INIT;
  ASSERT_OK(anydim_engine_query(engine, &engine_info));
  EXPECT_GT(engine_info.kernels, 20);
  EXPECT_GT(engine_info.threads, 0);
  int usable = 0;
  for (int32_t i = 0; i < engine_info.kernels; ++i) {
    anydim_kernel_info_t kernel = ANYDIM_KERNEL_INFO_INIT;
    ASSERT_OK(anydim_engine_get_kernel(engine, i, &kernel));
    EXPECT_GT(kernel.name.length, 0);
    usable += kernel.usable;
  }
  EXPECT_GT(usable, 10);
}

TEST_F(Kernels, CallersScratchIsUsedWhenAskedFor) {
  std::vector<float> filter(16 * 8 * 9, 0.25f), in(8 * 20 * 20, 1.f), a(16 * 20 * 20), b(16 * 20 * 20);
  anydim_convolution_t conv = ANYDIM_CONVOLUTION_INIT;
  conv.pads_begin[0] = conv.pads_begin[1] = conv.pads_end[0] = conv.pads_end[1] = 1;
  anydim_attr_t attr = nullptr;
  ASSERT_OK(anydim_attr_create(&attr));
  anydim_view_t k = tensor({16, 8, 3, 3}, filter.data()), x = tensor({1, 8, 20, 20}, in.data());
  anydim_view_t y = tensor({1, 16, 20, 20}, a.data()), z = tensor({1, 16, 20, 20}, b.data());
  anydim_weights_t w = nullptr;
  ASSERT_OK(anydim_weights_create(engine, &conv.op, nullptr, nullptr, 0, &k, nullptr, 1, &w));
  anydim_desc_t d = desc({anydim_dim_fixed(1), anydim_dim_fixed(8), anydim_dim_dynamic(1, 64), anydim_dim_dynamic(1, 64)});
  anydim_primitive_t plain = nullptr, mine = nullptr;
  ASSERT_OK(anydim_primitive_create(engine, &conv.op, attr, &d, 1, w, &plain));
  ASSERT_OK(anydim_attr_set_scratchpad(attr, ANYDIM_SCRATCHPAD_CALLER));
  ASSERT_OK(anydim_primitive_create(engine, &conv.op, attr, &d, 1, w, &mine));
  ASSERT_OK(anydim_primitive_execute(plain, stream, &x, 1, &y, 1));
  EXPECT_STATUS(anydim_primitive_execute(mine, stream, &x, 1, &z, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "scratch");
  int64_t bytes = -1;
  ASSERT_OK(anydim_primitive_get_scratch_bytes(mine, stream, &x, 1, &z, 1, &bytes));
  ASSERT_GE(bytes, 0);
  std::unique_ptr<void, void (*)(void*)> scratch(std::aligned_alloc(64, static_cast<size_t>(bytes + 64) / 64 * 64), std::free);
  ASSERT_OK(anydim_primitive_execute_in(mine, stream, &x, 1, &z, 1, scratch.get(), bytes));
  EXPECT_EQ(a, b);
  EXPECT_EQ(a[21], 8 * 9 * 0.25f);
  if (bytes > 0)
    EXPECT_STATUS(anydim_primitive_execute_in(mine, stream, &x, 1, &z, 1, scratch.get(), bytes - 1), ANYDIM_STATUS_INVALID_ARGUMENT,
                  "scratch");
  EXPECT_STATUS(anydim_primitive_execute_in(mine, stream, &x, 1, &z, 1, static_cast<char*>(scratch.get()) + 4, bytes),
                ANYDIM_STATUS_INVALID_ARGUMENT, "aligned");
  anydim_primitive_destroy(plain);
  anydim_primitive_destroy(mine);
  anydim_weights_destroy(w);
  anydim_desc_destroy(d);
  anydim_attr_destroy(attr);
}
