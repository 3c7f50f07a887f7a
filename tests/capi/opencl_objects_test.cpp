// SPDX-License-Identifier: Apache-2.0
// OpenCL objects of the program's own: its context, queue and buffers are used as they are, and those that do not fit are refused. Without
// OpenCL the tests are skipped and say so.
#include "tests/capi/support.h"

#if __has_include(<CL/cl.h>)
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>

namespace {

// The program's own use of OpenCL, through the loader that the library opens, too.
struct Loader {
  void* library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  template <class F> F find(const char* name) const { return reinterpret_cast<F>(dlsym(library, name)); }
};
#define CL(name) loader().find<decltype(&name)>(#name)
const Loader& loader() {
  static const Loader one;
  return one;
}

class OpenclObjects : public testing::Test {
 protected:
  void SetUp() override {
    SKIP_WITHOUT_A_SOUND_OPENCL_DRIVER();
    anydim_engine_t probe = nullptr;
    if (anydim_engine_create(ANYDIM_ENGINE_OPENCL, 0, nullptr, &probe) != ANYDIM_STATUS_OK)
      GTEST_SKIP() << "no OpenCL platform: " << last();
    anydim_engine_destroy(probe);
    // Device 0 of the library is the first one of the first platform that has any.
    cl_platform_id platforms[16];
    cl_uint count = 0;
    ASSERT_EQ(CL(clGetPlatformIDs)(16, platforms, &count), CL_SUCCESS);
    for (cl_uint p = 0; p < count && device == nullptr; ++p) CL(clGetDeviceIDs)(platforms[p], CL_DEVICE_TYPE_ALL, 1, &device, nullptr);
    ASSERT_NE(device, nullptr);
    cl_int code = CL_SUCCESS;
    context = CL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    queue = CL(clCreateCommandQueue)(context, device, 0, &code);
    ASSERT_EQ(code, CL_SUCCESS);
    ASSERT_OK(anydim_engine_create_in_opencl(context, device, nullptr, &engine));
  }
  void TearDown() override {
    anydim_engine_destroy(engine);
    if (queue != nullptr) CL(clReleaseCommandQueue)(queue);
    if (context != nullptr) CL(clReleaseContext)(context);
  }
  cl_mem buffer(size_t bytes, cl_mem_flags flags = CL_MEM_READ_WRITE, cl_context of = nullptr) {
    cl_int code = CL_SUCCESS;
    cl_mem made = CL(clCreateBuffer)(of != nullptr ? of : context, flags, bytes, nullptr, &code);
    EXPECT_EQ(code, CL_SUCCESS);
    return made;
  }

  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  anydim_engine_t engine = nullptr;
};

TEST_F(OpenclObjects, AreUsedWhereTheyLieAndInTheOrderOfTheQueue) {
  const int64_t n = 1000;
  std::vector<float> values(n), results(n, -1.f);
  for (int64_t i = 0; i < n; ++i) values[static_cast<size_t>(i)] = static_cast<float>(i - n / 2);
  const size_t bytes = n * sizeof(float);
  cl_mem in = buffer(bytes), out = buffer(bytes);
  anydim_stream_t stream = nullptr;
  anydim_memory_t x_memory = nullptr, y_memory = nullptr;
  ASSERT_OK(anydim_stream_create_in_opencl(engine, queue, &stream));
  ASSERT_OK(anydim_memory_import_opencl(engine, in, &x_memory));
  ASSERT_OK(anydim_memory_import_opencl(engine, out, &y_memory));
  anydim_memory_info_t info = ANYDIM_MEMORY_INFO_INIT;
  ASSERT_OK(anydim_memory_query(x_memory, &info));
  EXPECT_EQ(info.imported, 1);
  EXPECT_EQ(info.bytes, static_cast<int64_t>(bytes));

  anydim_unary_t op = ANYDIM_UNARY_INIT;
  op.function = ANYDIM_UNARY_RELU;
  const anydim_dim_t dims[1] = {anydim_dim_dynamic(0, 4096)};
  anydim_desc_t desc = nullptr;
  ASSERT_OK(anydim_desc_create(ANYDIM_F32, 1, dims, ANYDIM_LAYOUT_STRIDED, &desc));
  anydim_primitive_t relu = nullptr;
  ASSERT_OK(anydim_primitive_create(engine, &op.op, nullptr, &desc, 1, nullptr, &relu));
  anydim_view_t x = view_of(ANYDIM_F32, {n}, nullptr), y = view_of(ANYDIM_F32, {n}, nullptr);
  x.memory = x_memory;
  y.memory = y_memory;
  // Nothing is waited for between the three: the queue has the order.
  ASSERT_EQ(CL(clEnqueueWriteBuffer)(queue, in, CL_FALSE, 0, bytes, values.data(), 0, nullptr, nullptr), CL_SUCCESS);
  ASSERT_OK(anydim_primitive_execute(relu, stream, &x, 1, &y, 1));
  cl_event done = nullptr;
  ASSERT_EQ(CL(clEnqueueReadBuffer)(queue, out, CL_FALSE, 0, bytes, results.data(), 0, nullptr, &done), CL_SUCCESS);
  ASSERT_EQ(CL(clWaitForEvents)(1, &done), CL_SUCCESS);
  CL(clReleaseEvent)(done);
  for (float& v : values) v = std::max(v, 0.f);
  EXPECT_EQ(results, values);
  EXPECT_OK(anydim_stream_wait(stream));

  // Whoever is destroyed first: the rest keeps what it uses.
  CL(clReleaseMemObject)(in);
  CL(clReleaseMemObject)(out);
  ASSERT_OK(anydim_primitive_execute(relu, stream, &x, 1, &y, 1));
  EXPECT_OK(anydim_stream_wait(stream));
  anydim_memory_destroy(x_memory);
  anydim_memory_destroy(y_memory);
  anydim_stream_destroy(stream);
  anydim_primitive_destroy(relu);
  anydim_desc_destroy(desc);
}

TEST_F(OpenclObjects, ThatDoNotFitAreRefused) {
  anydim_engine_t none = nullptr;
  EXPECT_STATUS(anydim_engine_create_in_opencl(nullptr, device, nullptr, &none), ANYDIM_STATUS_INVALID_ARGUMENT, "cl_context is null");
  EXPECT_STATUS(anydim_engine_create_in_opencl(context, nullptr, nullptr, &none), ANYDIM_STATUS_INVALID_ARGUMENT, "cl_device is null");
  EXPECT_STATUS(anydim_engine_create_in_opencl(context, &none, nullptr, &none), ANYDIM_STATUS_INVALID_ARGUMENT, "cl_device", "none of the");
  anydim_engine_t cpu = nullptr;
  anydim_memory_t memory = nullptr;
  anydim_stream_t stream = nullptr;
  cl_mem good = buffer(64);
  ASSERT_OK(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, &cpu));
  EXPECT_STATUS(anydim_memory_import_opencl(cpu, good, &memory), ANYDIM_STATUS_INVALID_ARGUMENT, "kind cpu", "opencl");
  EXPECT_STATUS(anydim_stream_create_in_opencl(cpu, queue, &stream), ANYDIM_STATUS_INVALID_ARGUMENT, "kind cpu", "opencl");
  EXPECT_STATUS(anydim_memory_import_opencl(engine, nullptr, &memory), ANYDIM_STATUS_INVALID_ARGUMENT, "cl_buffer");
  EXPECT_STATUS(anydim_stream_create_in_opencl(engine, nullptr, &stream), ANYDIM_STATUS_INVALID_ARGUMENT, "cl_queue");
  anydim_engine_destroy(cpu);

  cl_mem readable = buffer(64, CL_MEM_READ_ONLY);
  EXPECT_STATUS(anydim_memory_import_opencl(engine, readable, &memory), ANYDIM_STATUS_INVALID_ARGUMENT, "CL_MEM_READ_WRITE");
  cl_int code = CL_SUCCESS;
  cl_context other = CL(clCreateContext)(nullptr, 1, &device, nullptr, nullptr, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  cl_mem foreign = buffer(64, CL_MEM_READ_WRITE, other);
  EXPECT_STATUS(anydim_memory_import_opencl(engine, foreign, &memory), ANYDIM_STATUS_INVALID_ARGUMENT, "another context");
  cl_command_queue elsewhere = CL(clCreateCommandQueue)(other, device, 0, &code);
  ASSERT_EQ(code, CL_SUCCESS);
  EXPECT_STATUS(anydim_stream_create_in_opencl(engine, elsewhere, &stream), ANYDIM_STATUS_INVALID_ARGUMENT, "another context");
  cl_command_queue unordered = CL(clCreateCommandQueue)(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  if (code == CL_SUCCESS) {  // not every device has such queues
    EXPECT_STATUS(anydim_stream_create_in_opencl(engine, unordered, &stream), ANYDIM_STATUS_INVALID_ARGUMENT, "out of order");
    CL(clReleaseCommandQueue)(unordered);
  }
  CL(clReleaseCommandQueue)(elsewhere);
  for (cl_mem m : {good, readable, foreign}) CL(clReleaseMemObject)(m);
  CL(clReleaseContext)(other);
  EXPECT_EQ(memory, nullptr);
  EXPECT_EQ(stream, nullptr);
}

}  // namespace
#endif
