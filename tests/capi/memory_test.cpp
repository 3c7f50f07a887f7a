// SPDX-License-Identifier: Apache-2.0
// Memories through the C API: allocated, imported, mapped, copied, and named by views with an offset.
#include "tests/capi/support.h"

#include <numeric>

namespace {

class Memories : public Api {
 protected:
  anydim_memory_t allocated(int64_t bytes) {
    anydim_memory_t m = nullptr;
    EXPECT_OK(anydim_memory_allocate(engine, bytes, &m));
    return m;
  }
  anydim_memory_info_t facts(anydim_memory_t m) {
    anydim_memory_info_t info = ANYDIM_MEMORY_INFO_INIT;
    EXPECT_OK(anydim_memory_query(m, &info));
    return info;
  }
  float* mapped(anydim_memory_t m) {
    void* data = nullptr;
    EXPECT_OK(anydim_memory_map(m, 0, facts(m).bytes, &data));
    return static_cast<float*>(data);
  }
  static anydim_view_t at(anydim_memory_t memory, int64_t offset, const std::vector<int64_t>& dims,
                          const std::vector<int64_t>& strides = {}) {
    anydim_view_t v = view_of(ANYDIM_F32, dims, nullptr, strides);
    v.memory = memory;
    v.offset = offset;
    return v;
  }
};

TEST_F(Memories, AreAllocatedAlignedAndFullOfZeros) {
  for (const int64_t bytes : {int64_t{0}, int64_t{1}, int64_t{1000}, int64_t{3} << 20}) {
    anydim_memory_t m = allocated(bytes);
    const anydim_memory_info_t info = facts(m);
    EXPECT_EQ(info.bytes, bytes);
    EXPECT_EQ(info.imported, 0);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(info.data) % 64, 0u);
    void* data = nullptr;
    ASSERT_OK(anydim_memory_map(m, 0, bytes, &data));
    EXPECT_EQ(data, info.data);
    EXPECT_TRUE(std::all_of(static_cast<char*>(data), static_cast<char*>(data) + bytes, [](char c) { return c == 0; }));
    EXPECT_OK(anydim_memory_unmap(m, 0, bytes));
    anydim_memory_destroy(m);
  }
  anydim_memory_t none = nullptr;
  EXPECT_STATUS(anydim_memory_allocate(engine, -1, &none), ANYDIM_STATUS_INVALID_ARGUMENT, "bytes is -1");
  EXPECT_STATUS(anydim_memory_allocate(engine, INT64_MAX, &none), ANYDIM_STATUS_OUT_OF_MEMORY);
  EXPECT_EQ(none, nullptr);
}

TEST_F(Memories, OfTheCallerAreImportedWhereTheyLie) {
  float data[16] = {1, 2, 3};
  anydim_memory_t m = nullptr;
  ASSERT_OK(anydim_memory_import(engine, data, sizeof data, nullptr, nullptr, &m));
  EXPECT_EQ(facts(m).imported, 1);
  EXPECT_EQ(facts(m).data, data);
  EXPECT_EQ(mapped(m)[2], 3.f);
  EXPECT_OK(anydim_memory_unmap(m, 0, sizeof data));
  anydim_memory_destroy(m);
  EXPECT_EQ(data[0], 1.f);
  EXPECT_STATUS(anydim_memory_import(engine, nullptr, 4, nullptr, nullptr, &m), ANYDIM_STATUS_INVALID_ARGUMENT, "data is null");
  EXPECT_STATUS(anydim_memory_import(engine, data, -4, nullptr, nullptr, &m), ANYDIM_STATUS_INVALID_ARGUMENT, "bytes is -4");
}

TEST_F(Memories, TheFinalizerOfAnImportIsCalledOnceWhenNothingUsesTheBytes) {
  struct Counted {
    int calls = 0;
    float data[12] = {1, -2, 3};
  } counted;
  const auto end = [](void* user) { ++static_cast<Counted*>(user)->calls; };
  anydim_memory_t m = nullptr;
  EXPECT_STATUS(anydim_memory_import(engine, nullptr, 4, end, &counted, &m), ANYDIM_STATUS_INVALID_ARGUMENT, "data is null");
  EXPECT_STATUS(anydim_memory_import(engine, counted.data, -4, end, &counted, &m), ANYDIM_STATUS_INVALID_ARGUMENT, "bytes is -4");
  EXPECT_STATUS(anydim_memory_import(nullptr, counted.data, 4, end, &counted, &m), ANYDIM_STATUS_INVALID_HANDLE, "engine");
  EXPECT_EQ(counted.calls, 0) << "nothing was taken";
  ASSERT_OK(anydim_memory_import(engine, counted.data, sizeof counted.data, end, &counted, &m));
  anydim_primitive_t p = relu({anydim_dim_fixed(4), anydim_dim_fixed(3)});
  float out[12] = {};
  const anydim_view_t x = at(m, 0, {4, 3});
  anydim_view_t y = tensor({4, 3}, out);
  ASSERT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  EXPECT_EQ(out[2], 3.f);
  EXPECT_EQ(counted.calls, 0);
  anydim_memory_destroy(m);
  EXPECT_EQ(counted.calls, 1);
  anydim_memory_destroy(m);  // logged; nothing happens
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_INVALID_HANDLE, "destroyed");
  EXPECT_EQ(counted.calls, 1);
  anydim_primitive_destroy(p);
}

TEST_F(Memories, BytesOutsideAreNeitherMappedNorCopied) {
  anydim_memory_t m = allocated(100), n = allocated(50);
  void* data = &data;
  EXPECT_STATUS(anydim_memory_map(m, -1, 4, &data), ANYDIM_STATUS_INVALID_ARGUMENT, "offset is -1");
  EXPECT_STATUS(anydim_memory_map(m, 97, 4, &data), ANYDIM_STATUS_INVALID_ARGUMENT, "offset is 97", "has 100");
  EXPECT_STATUS(anydim_memory_map(m, INT64_MAX, INT64_MAX, &data), ANYDIM_STATUS_INVALID_ARGUMENT, "has 100");
  EXPECT_STATUS(anydim_memory_map(m, 0, -1, &data), ANYDIM_STATUS_INVALID_ARGUMENT, "bytes is -1");
  EXPECT_EQ(data, &data) << "touched on failure";
  EXPECT_STATUS(anydim_memory_unmap(m, 0, 4), ANYDIM_STATUS_INVALID_ARGUMENT, "not mapped");
  EXPECT_OK(anydim_memory_map(m, 96, 4, &data));
  EXPECT_OK(anydim_memory_unmap(m, 96, 4));
  EXPECT_STATUS(anydim_memory_copy(stream, m, 51, n, 0, 50), ANYDIM_STATUS_INVALID_ARGUMENT, "target_offset is 51", "has 100");
  EXPECT_STATUS(anydim_memory_copy(stream, m, 0, n, 1, 50), ANYDIM_STATUS_INVALID_ARGUMENT, "source_offset is 1", "has 50");
  EXPECT_STATUS(anydim_memory_copy(stream, nullptr, 0, n, 0, 1), ANYDIM_STATUS_INVALID_HANDLE, "target is null");
  EXPECT_OK(anydim_memory_copy(stream, m, 100, n, 50, 0));
  anydim_memory_destroy(m);
  EXPECT_STATUS(anydim_memory_copy(stream, n, 0, m, 0, 1), ANYDIM_STATUS_INVALID_HANDLE, "source", "destroyed");
  anydim_memory_destroy(n);
}

TEST_F(Memories, AreCopiedByAStreamAlsoWherePlacesOverlap) {
  anydim_memory_t a = allocated(400), b = allocated(400);
  float* from = mapped(a);
  std::iota(from, from + 100, 0.f);
  ASSERT_OK(anydim_memory_copy(stream, b, 40, a, 0, 200));
  ASSERT_OK(anydim_memory_copy(stream, a, 4, a, 0, 396));
  ASSERT_OK(anydim_stream_wait(stream));
  const float* to = mapped(b);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(to[i], i >= 10 && i < 60 ? static_cast<float>(i - 10) : 0.f) << i;
    EXPECT_EQ(from[i], static_cast<float>(std::max(i - 1, 0))) << i;
  }
  anydim_memory_destroy(a);
  anydim_memory_destroy(b);
}

TEST_F(Memories, ViewsNamePlacesInThem) {
  anydim_primitive_t p = relu({anydim_dim_dynamic(1, 8), anydim_dim_fixed(3)});
  anydim_memory_t m = allocated(400);
  float* data = mapped(m);
  for (int i = 0; i < 12; ++i) data[5 + i] = static_cast<float>(i % 2 == 0 ? i : -i);
  const anydim_view_t x = at(m, 20, {4, 3});
  anydim_view_t y = at(m, 200, {4, 3});
  ASSERT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  EXPECT_EQ(y.data, nullptr) << "a place that was given stays as it was given";
  for (int i = 0; i < 12; ++i) EXPECT_EQ(data[50 + i], static_cast<float>(i % 2 == 0 ? i : 0)) << i;
  // Backwards from the last row, into memory of the caller.
  float out[12] = {};
  const anydim_view_t reversed = at(m, 20 + 9 * 4, {4, 3}, {-3, 1});
  y = view_of(ANYDIM_F32, {4, 3}, out);
  ASSERT_OK(anydim_primitive_execute(p, stream, &reversed, 1, &y, 1));
  EXPECT_EQ(out[9 + 2], 2.f);
  // More views than have room in place.
  anydim_concat_t concat = ANYDIM_CONCAT_INIT;
  anydim_desc_t d = desc({anydim_dim_fixed(1), anydim_dim_fixed(3)});
  const std::vector<anydim_desc_t> rows(20, d);
  anydim_primitive_t many = nullptr;
  ASSERT_OK(anydim_primitive_create(engine, &concat.op, nullptr, rows.data(), 20, nullptr, &many));
  std::vector<anydim_view_t> parts;
  for (int i = 0; i < 20; ++i) parts.push_back(at(m, 20 + i * 4, {1, 3}));
  float all[60];
  y = view_of(ANYDIM_F32, {20, 3}, all);
  ASSERT_OK(anydim_primitive_execute(many, stream, parts.data(), 20, &y, 1));
  EXPECT_EQ(all[0], data[5]);
  EXPECT_EQ(all[59], data[5 + 19 + 2]);
  anydim_primitive_destroy(many);
  anydim_primitive_destroy(p);
  anydim_memory_destroy(m);
}

TEST_F(Memories, PlacesThatReachOutOfThemAreRefused) {
  anydim_primitive_t p = relu({anydim_dim_dynamic(1, 8), anydim_dim_fixed(3)});
  anydim_memory_t m = allocated(48);
  float out[24] = {}, in[24] = {};
  anydim_view_t y = tensor({4, 3}, out);
  const auto refused = [&](const anydim_view_t& x, const char* words) {
    EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "inputs[0].", words);
  };
  anydim_view_t x = at(m, 0, {4, 3});
  EXPECT_OK(anydim_primitive_execute(p, stream, &x, 1, &y, 1));
  refused(at(m, 4, {4, 3}), "the bytes 4 to 52; the memory has 48");
  refused(at(m, -4, {4, 3}), "offset is -4");
  refused(at(m, 32, {4, 3}, {-3, 1}), "the bytes -4 to 44");
  refused(at(m, INT64_MAX - 2, {4, 3}), "offset is");
  x.data = in;
  refused(x, "data and memory are both set");
  x = tensor({4, 3}, in);
  x.offset = 4;
  refused(x, "offset is 4 and memory is null");
  x = at(m, 2, {3, 3});
  y = tensor({3, 3}, out);
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "not a multiple of the 4 bytes");
  x = tensor({5, 3}, in);
  y = at(m, 0, {5, 3});
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_INVALID_ARGUMENT, "outputs[0].", "has 48");
  y = tensor({5, 3}, out);
  x = at(m, 0, {4, 3});
  anydim_memory_destroy(m);
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_INVALID_HANDLE, "inputs[0].", "destroyed");
  x.memory = reinterpret_cast<anydim_memory_t>(stream);
  EXPECT_STATUS(anydim_primitive_execute(p, stream, &x, 1, &y, 1), ANYDIM_STATUS_INVALID_HANDLE, "stream handle", "memory handle");
  anydim_primitive_destroy(p);
}

}  // namespace
