// SPDX-License-Identifier: Apache-2.0
// What tests of the OpenCL engine share: a kernel, and an engine over a driver whose functions are counted and fail on request. Without a
// device the tests are skipped and say so.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/engines/opencl/engine.h"
#include "core/engines/opencl/testing/driver.h"

namespace anydim::opencl {

// A kernel of one function that adds a number to all elements; `text` makes one program differ from another.
class AddKernel final : public DeviceKernel {
 public:
  explicit AddKernel(std::string text = {}) : text_(std::move(text)) {}
  const char* name() const noexcept override { return "test.add"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem&) const noexcept override { return yes(); }
  void plan(const Args&, Plan*) const noexcept override {}
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  int programs(const Problem& problem, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_for(problem, DeviceKind::any);
    const size_t digest = std::hash<std::string>()(text_);
    for (int i = 0; i < 8; ++i) out[0].add_form(static_cast<uint8_t>(digest >> (8 * i)));
    return 1;
  }
  DeviceSource source(const CompileKey&) const override {
    return {text_ + R"CL(
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void add(int live, __global float* y, long y_offset, float what) {
  if (!live) return;
  y[y_offset + get_global_id(0)] += what;
}
)CL",
            "",
            {"add"}};
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (index > 0) return false;
    out->add_tensor(DeviceArgument::Of::out, 0);
    out->add_f32(1.f);
    out->global[0] = groups > 0 ? groups : args.out[0].dims[0];
    return true;
  }
  int64_t groups = 0;

 private:
  const std::string text_;
  KernelKey key_{.op = OpKind::unary};
};

inline const Problem& any_problem() {
  static const PostOps none;
  static const Problem problem = [] {
    Problem p;
    p.post_ops = &none;
    return p;
  }();
  return problem;
}

inline Status launch(Stream& stream, const AddKernel& kernel, const ExecutablePtr& executable, Memory& memory, int64_t count) {
  TensorView y;
  y.dtype = DType::f32;
  y.dims = {count};
  y.strides = {1};
  Args args;
  args.post_ops = any_problem().post_ops;
  args.out = {&y, 1};
  const BufferRef place{&memory, 0};
  const Plan plan{};
  return stream.submit({kernel, plan, args, {}, {&place, 1}, {}, nullptr, {}, executable.get(), executable});
}

// A loader with its functions counted and replaced. One for all tests: an engine keeps the address.
struct Faults {
  const Api* real = nullptr;
  Api api{};
  std::atomic<int> builds{0}, binaries{0}, blocking{0}, arguments{0};
  std::atomic<Int> next_buffer{cl::kSuccess}, next_build{cl::kSuccess}, next_event{cl::kSuccess};
  std::string find, put;  // in sources

  static Faults& of() {
    static auto* const one = new Faults();
    return *one;
  }
};

inline Status faulty(const Api** out) {
  Faults& f = Faults::of();
  ANYDIM_TRY(load_api(&f.real));
  f.api = *f.real;
  f.builds = f.binaries = f.blocking = 0;
  f.next_buffer = f.next_build = f.next_event = cl::kSuccess;
  f.find = f.put = {};
  f.api.enqueue_write_buffer = [](QueueId queue, MemId to, Uint blocks, size_t at, size_t bytes, const void* from, Uint count,
                                  const EventId* before, EventId* event) -> Int {
    Faults::of().blocking += blocks == cl::kTrue;
    return Faults::of().real->enqueue_write_buffer(queue, to, blocks, at, bytes, from, count, before, event);
  };
  f.api.enqueue_map_buffer = [](QueueId queue, MemId memory, Uint blocks, Bits flags, size_t at, size_t bytes, Uint count,
                                const EventId* before, EventId* event, Int* code) -> void* {
    Faults::of().blocking += blocks == cl::kTrue;
    return Faults::of().real->enqueue_map_buffer(queue, memory, blocks, flags, at, bytes, count, before, event, code);
  };
  f.api.create_buffer = [](ContextId context, Bits flags, size_t bytes, void* data, Int* code) -> MemId {
    if (const Int wrong = Faults::of().next_buffer.exchange(cl::kSuccess); wrong != cl::kSuccess) return *code = wrong, nullptr;
    return Faults::of().real->create_buffer(context, flags, bytes, data, code);
  };
  f.api.set_kernel_arg = [](KernelId kernel, Uint index, size_t bytes, const void* value) -> Int {
    ++Faults::of().arguments;
    return Faults::of().real->set_kernel_arg(kernel, index, bytes, value);
  };
  f.api.build_program = [](ProgramId program, Uint count, const DeviceId* devices, const char* options, void (*notify)(ProgramId, void*),
                           void* user) -> Int {
    ++Faults::of().builds;
    if (const Int wrong = Faults::of().next_build.exchange(cl::kSuccess); wrong != cl::kSuccess) return wrong;
    return Faults::of().real->build_program(program, count, devices, options, notify, user);
  };
  f.api.create_program_with_binary = [](ContextId context, Uint count, const DeviceId* devices, const size_t* sizes,
                                        const unsigned char** bytes, Int* status, Int* code) -> ProgramId {
    ++Faults::of().binaries;
    return Faults::of().real->create_program_with_binary(context, count, devices, sizes, bytes, status, code);
  };
  f.api.get_event_info = [](EventId event, Uint what, size_t bytes, void* to, size_t* needed) -> Int {
    const Int code = Faults::of().real->get_event_info(event, what, bytes, to, needed);
    if (const Int wrong = Faults::of().next_event.exchange(cl::kSuccess); wrong != cl::kSuccess) std::memcpy(to, &wrong, sizeof wrong);
    return code;
  };
  f.api.create_program_with_source = [](ContextId context, Uint count, const char** texts, const size_t* lengths, Int* code) -> ProgramId {
    std::string text(texts[0], lengths[0]);
    const Faults& faults = Faults::of();
    if (!faults.find.empty())
      if (const size_t at = text.find(faults.find); at != std::string::npos) text.replace(at, faults.find.size(), faults.put);
    const char* data = text.c_str();
    const size_t length = text.size();
    return faults.real->create_program_with_source(context, count, &data, &length, code);
  };
  *out = &f.api;
  return {};
}

class OpenclEngineTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!driver_that_aborts().empty()) GTEST_SKIP() << driver_that_aborts();
    const Api* api = nullptr;
    OpenclEngine::Options options;
    Status s = faulty(&api);
    options.api = api;
    if (s.ok()) s = OpenclEngine::create(options, &engine_);
    if (s.code() == Code::not_found) GTEST_SKIP() << "no OpenCL platform: " << s.message();
    ASSERT_TRUE(s.ok()) << s.message();
    Faults::of().builds = 0;
  }
  Status prepare(const AddKernel& kernel, ExecutablePtr* out) const { return engine_->prepare(kernel, any_problem(), out); }

  Faults& faults_ = Faults::of();
  std::shared_ptr<const OpenclEngine> engine_;
};

}  // namespace anydim::opencl
