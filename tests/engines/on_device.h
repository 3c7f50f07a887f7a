// SPDX-License-Identifier: Apache-2.0
// For tests of the C API on an engine whose memory has no addresses and whose queue runs late (core/engines/testing/engine.h). No
// program can make that engine; its handle is made here, from the inside, and everything else is the API's.
#pragma once

#include <numeric>

#include "capi/shim_support.h"
#include "core/engines/testing/engine.h"
#include "tests/capi/support.h"

using anydim::testing::Failure;
using anydim::testing::TestEngine;

inline std::vector<float> drawn(size_t count, float from) {
  std::vector<float> all(count);
  std::iota(all.begin(), all.end(), from);
  for (size_t i = 0; i < count; i += 3) all[i] = -all[i];
  return all;
}

class OnDevice : public Api {
 protected:
  static anydim_engine_t handle_of(std::shared_ptr<const TestEngine> device) {
    auto object = std::make_unique<anydim::capi::EngineObject>();
    object->engine = std::move(device);
    anydim_engine_t engine = nullptr;
    EXPECT_TRUE(anydim::capi::publish(std::move(object), &engine).ok());
    return engine;
  }
  void SetUp() override {
    Api::SetUp();
    there = handle_of(device);
    ASSERT_OK(anydim_stream_create(there, nullptr, &queue));
  }
  void TearDown() override {
    anydim_stream_destroy(queue);
    anydim_engine_destroy(there);
    Api::TearDown();
    EXPECT_EQ(device->blocks(), 0) << "memory of the device is left";
  }
  // Memory of the device with these numbers, behind some bytes.
  anydim_memory_t memory_of(const std::vector<float>& values, int64_t before) {
    anydim_memory_t m = nullptr;
    const auto bytes = static_cast<int64_t>(values.size() * sizeof(float));
    EXPECT_OK(anydim_memory_allocate(there, before + bytes, &m));
    void* data = nullptr;
    EXPECT_OK(anydim_memory_map(m, before, bytes, &data));
    if (data != nullptr) std::memcpy(data, values.data(), static_cast<size_t>(bytes));
    EXPECT_OK(anydim_memory_unmap(m, before, bytes));
    return m;
  }
  static std::vector<float> floats_of(anydim_memory_t m, int64_t before, size_t count) {
    std::vector<float> all(count);
    void* data = nullptr;
    const auto bytes = static_cast<int64_t>(count * sizeof(float));
    EXPECT_OK(anydim_memory_map(m, before, bytes, &data));
    if (data != nullptr) std::memcpy(all.data(), data, static_cast<size_t>(bytes));
    EXPECT_OK(anydim_memory_unmap(m, before, bytes));
    return all;
  }
  static anydim_view_t at(anydim_memory_t memory, int64_t offset, const std::vector<int64_t>& dims) {
    anydim_view_t v = view_of(ANYDIM_F32, dims, nullptr);
    v.memory = memory;
    v.offset = offset;
    return v;
  }
  anydim_primitive_t relu_there() {
    anydim_unary_t op = ANYDIM_UNARY_INIT;
    op.function = ANYDIM_UNARY_RELU;
    anydim_desc_t d = desc({anydim_dim_dynamic(0, 1000), anydim_dim_fixed(3)});
    anydim_primitive_t p = nullptr;
    EXPECT_OK(anydim_primitive_create(there, &op.op, nullptr, &d, 1, nullptr, &p));
    anydim_desc_destroy(d);
    return p;
  }
  const std::shared_ptr<const TestEngine> device = TestEngine::create();
  anydim_engine_t there = nullptr;
  anydim_stream_t queue = nullptr;
};
