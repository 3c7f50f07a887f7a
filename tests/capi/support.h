// SPDX-License-Identifier: Apache-2.0
// What the tests of the C API share: an engine, small tensors, and checks of a status with its message.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "anydim/anydim.h"
#include "core/base/testing/in_child.h"

inline std::string last() { return anydim_last_error(); }

// What an OpenCL driver of this machine says where it ends the process when it is asked for its devices; empty where it does not.
inline const std::string& opencl_driver_that_aborts() {
  static const std::string why = anydim::testing::how_it_ends_a_process([] {
    anydim_device_info_t info = ANYDIM_DEVICE_INFO_INIT;
    static_cast<void>(anydim_engine_get_device(ANYDIM_ENGINE_OPENCL, 0, &info));
  });
  return why;
}
#define SKIP_WITHOUT_A_SOUND_OPENCL_DRIVER() \
  if (!opencl_driver_that_aborts().empty())  \
  GTEST_SKIP() << "an OpenCL driver of this machine ends the process: " << opencl_driver_that_aborts()

// The call gives the status, and the message holds the words.
#define EXPECT_STATUS(call, status, ...)                                                         \
  do {                                                                                           \
    const anydim_status_t got_ = (call);                                                         \
    EXPECT_EQ(got_, status) << anydim_status_name(got_) << ": " << last();                       \
    for (const char* word_ : std::vector<const char*>{__VA_ARGS__})                              \
      EXPECT_NE(last().find(word_), std::string::npos) << "no '" << word_ << "' in: " << last(); \
  } while (0)
#define ASSERT_OK(call) ASSERT_EQ((call), ANYDIM_STATUS_OK) << last()
#define EXPECT_OK(call) EXPECT_EQ((call), ANYDIM_STATUS_OK) << last()

// A tensor over the caller's memory; without strides a row-major one.
inline anydim_view_t view_of(anydim_dtype_t dtype, const std::vector<int64_t>& dims, void* data, const std::vector<int64_t>& strides = {}) {
  anydim_view_t v{};
  v.data = data;
  v.dtype = dtype;
  v.dims.rank = static_cast<int32_t>(dims.size());
  v.strides.rank = static_cast<int32_t>(strides.size());
  std::copy(dims.begin(), dims.end(), v.dims.values);
  std::copy(strides.begin(), strides.end(), v.strides.values);
  return v;
}

class Api : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_OK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, &engine));
    ASSERT_OK(anydim_stream_create(engine, nullptr, &stream));
  }
  void TearDown() override {
    anydim_stream_destroy(stream);
    anydim_engine_destroy(engine);
  }
  anydim_view_t tensor(std::vector<int64_t> dims, float* data) { return view_of(ANYDIM_F32, dims, data); }
  anydim_desc_t desc(std::vector<anydim_dim_t> dims, anydim_dtype_t dtype = ANYDIM_F32) {
    anydim_desc_t d = nullptr;
    EXPECT_OK(anydim_desc_create(dtype, static_cast<int32_t>(dims.size()), dims.data(), ANYDIM_LAYOUT_STRIDED, &d));
    return d;
  }
  anydim_primitive_t relu(std::vector<anydim_dim_t> dims) {
    anydim_unary_t op = ANYDIM_UNARY_INIT;
    op.function = ANYDIM_UNARY_RELU;
    anydim_desc_t d = desc(std::move(dims));
    anydim_primitive_t p = nullptr;
    EXPECT_OK(anydim_primitive_create(engine, &op.op, nullptr, &d, 1, nullptr, &p));
    anydim_desc_destroy(d);
    return p;
  }
  anydim_engine_t engine = nullptr;
  anydim_stream_t stream = nullptr;
};
