// SPDX-License-Identifier: Apache-2.0
// For tests of the OpenCL kernels: a problem with its tensors, in any layout, run by a primitive on a device and by the CPU's reference
// kernel. Outputs carry their guards to the device and back, so that a write beside an element is seen.
#pragma once

#include "core/dispatch/primitive/primitive.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/opencl/engine.h"
#include "core/engines/opencl/testing/driver.h"
#include "core/kernels/testing/harness.h"
#include "core/ops/text.h"

namespace anydim::opencl::testing {

using namespace anydim::testing;

// The process's loader, with a lie or two that tests ask for:
//   ANYDIM_OPENCL_VECTOR=N  the device says that it adds N floats at once: kernels for such a device run on any
//   ANYDIM_OPENCL_PLANT=T   stores get an error: of one lane `beyond` writes far outside and `race` the neighbour's element, too; `columns`:
//                           a convolution's block of 24 columns stores 32
inline Status requested_api(const Api** out) {
  static Api api;
  static const Api* real = nullptr;
  ANYDIM_TRY(load_api(&real));
  api = *real;
  if (std::getenv("ANYDIM_OPENCL_VECTOR") != nullptr)
    api.get_device_info = [](DeviceId device, Uint what, size_t bytes, void* to, size_t* needed) -> Int {
      const Int code = real->get_device_info(device, what, bytes, to, needed);
      if (what == cl::kDeviceNativeVectorWidthFloat && to != nullptr)
        *static_cast<Uint*>(to) = static_cast<Uint>(std::atoi(std::getenv("ANYDIM_OPENCL_VECTOR")));
      return code;
    };
  if (std::getenv("ANYDIM_OPENCL_PLANT") != nullptr)
    api.create_program_with_source = [](ContextId context, Uint count, const char** texts, const size_t*, Int* code) {
      static constexpr std::string_view kPlants[][3] = {{"beyond", "{ *p = v; }", "{ p[n << 20] = v; }"},
                                                        {"race", "{ *p = v; }", "{ *p = v; p[1] = v; }"},
                                                        {"beyond", "p[0] = v.x;", "p[n << 20] = v.x;"},
                                                        {"race", "p[0] = v.x;", "p[0] = p[4] = v.x;"},
                                                        {"columns", "(long)min(16, COLUMNS - v * 16)", "16L"}};
      std::string text = texts[0];
      for (const auto& [name, right, wrong] : kPlants)
        if (const size_t at = text.find(right); at != std::string::npos && name == std::getenv("ANYDIM_OPENCL_PLANT"))
          text.replace(at, right.size(), wrong);
      const char* planted = text.c_str();
      const size_t length = text.size();
      return real->create_program_with_source(context, count, &planted, &length, code);
    };
  *out = &api;
  return {};
}

// The device of the tests; null, and a line that says so, where there is none. With ANYDIM_OPENCL_FLUSHED it may take denormals for zeros.
inline std::shared_ptr<const OpenclEngine> device() {
  static const auto* const engine = [] {
    auto* made = new std::shared_ptr<const OpenclEngine>();
    OpenclEngine::Options options;
    options.flushed_denormals = std::getenv("ANYDIM_OPENCL_FLUSHED") != nullptr;
    const auto make = [&]() -> Status {
      if (!driver_that_aborts().empty()) return error(Code::not_found, "{}", driver_that_aborts());
      ANYDIM_TRY(requested_api(&options.api));
      return OpenclEngine::create(options, made);
    };
    const Status s = make();
    if (!s.ok()) std::printf("skipped: no OpenCL platform (%s)\n", s.message().c_str());
    return made;
  }();
  return *engine;
}

// A tensor of the host on the device, with the bytes around it.
class Uploaded {
 public:
  static constexpr int64_t kGuard = 256;
  Status put(const EnginePtr& engine, Stream& stream, const TensorView& t) {
    const int64_t size = dtype_size(t.dtype);
    bytes_ = element_span(t.dims, t.strides) * size + 2 * kGuard;
    host_ = std::make_unique<HostMemory>(t.as<std::byte>() - kGuard, bytes_);
    ANYDIM_TRY(engine->allocate(bytes_, &memory_));
    placed = {t, {memory_.get(), kGuard}};
    return stream.copy({memory_.get()}, {host_.get()}, bytes_);
  }
  Status get(Stream& stream) { return stream.copy({host_.get()}, {memory_.get()}, bytes_); }

  PlacedTensor placed;

 private:
  int64_t bytes_ = 0;
  MemoryPtr memory_;
  std::unique_ptr<HostMemory> host_;
};

inline TensorType type_of(const OwnedTensor& t) {
  TensorType y;
  y.dtype = t.view().dtype;
  for (const int64_t d : t.view().dims) y.dims.push_back(d);
  return y;
}

// By a primitive of the engine; constant weights as r says. Unimplemented where no kernel takes it.
inline Outcome run_on_device(const std::shared_ptr<const OpenclEngine>& engine, const OperatorPtr& op, Run& r, Random* random,
                             std::string* kernel) {
  Outcome o;
  const auto run = [&]() -> Status {
    DimPool pool;
    std::vector<TensorType> in, run_time_inputs, post, out(static_cast<size_t>(op->output_count()));
    std::vector<TensorView> constants(r.in.size());
    OperandSet constant_operands;
    for (size_t i = 0; i < r.in.size(); ++i) {
      in.push_back(type_of(r.in[i]));
      if (r.constant_weights && (i == 1 || (i == 2 && r.constant_bias)) && in[i].dtype != DType::none) {
        constants[i] = r.in[i].view();
        constant_operands.add(i);
      } else {
        run_time_inputs.push_back(in[i]);
      }
    }
    for (const auto& t : r.post_in) post.push_back(type_of(t));
    ANYDIM_TRY(op->infer(pool, in, out));
    PrimitiveAttributes attributes;
    attributes.post_ops = r.post_ops;
    WeightsPtr weights;
    WeightsUse use;
    use.in = run_time_inputs;
    use.post_ops = r.post_ops;
    if (!constant_operands.empty()) ANYDIM_TRY(Weights::create(engine, op, constants, use, &weights));
    PrimitivePtr primitive;
    ANYDIM_TRY(Primitive::create(engine, op, {nullptr, run_time_inputs, post}, attributes, weights, &primitive));
    if (kernel != nullptr) *kernel = primitive->kernel().name();
    StreamPtr stream;
    ANYDIM_TRY(engine->create_stream(1, &stream));
    std::vector<Uploaded> all(r.in.size() + r.post_in.size() + out.size());
    size_t next = 0;
    std::vector<PlacedTensor> placed_in, placed_post, placed_out;
    std::vector<TensorView> in_views, post_views, out_views;
    const auto put = [&](const OwnedTensor& t, std::vector<PlacedTensor>* to, std::vector<TensorView>* views) -> Status {
      views->push_back(t.view());
      if (t.view().dtype == DType::none) {
        to->push_back({t.view(), {}});
        return {};
      }
      ANYDIM_TRY(all[next].put(engine, *stream, t.view()));
      to->push_back(all[next++].placed);
      return {};
    };
    for (size_t i = 0; i < r.in.size(); ++i)
      if (!constant_operands.has(i)) ANYDIM_TRY(put(r.in[i], &placed_in, &in_views));
    for (const auto& t : r.post_in) ANYDIM_TRY(put(t, &placed_post, &post_views));
    const size_t first_out = next;
    for (size_t i = 0; i < out.size(); ++i) {
      Dims d;
      for (const Dim& x : out[i].dims) d.push_back(x.number());
      o.out.emplace_back(out[i].dtype, d, i < r.out_layouts.size() ? r.out_layouts[i] : Layout::row_major, random);
    }
    for (const auto& t : o.out) ANYDIM_TRY(put(t, &placed_out, &out_views));
    int64_t scratch = 0;
    ANYDIM_TRY(primitive->scratch_bytes(in_views, out_views, post_views, 1, &scratch));
    MemoryPtr scratch_memory;
    if (scratch > 0) ANYDIM_TRY(engine->allocate(scratch, &scratch_memory));
    ANYDIM_TRY(primitive->submit(*stream, placed_in, placed_post, placed_out, {scratch_memory.get(), 0}, scratch));
    for (size_t i = first_out; i < next; ++i) ANYDIM_TRY(all[i].get(*stream));
    return stream->wait();
  };
  o.status = run();
  for (size_t i = 0; o.status.ok() && i < o.out.size(); ++i)
    EXPECT_TRUE(o.out[i].guard_intact()) << "the device wrote outside output " << i;
  return o;
}

// The last kernel of the CPU's list that takes the problem is the reference.
inline Outcome run_reference(OpKind kind, Run& r) {
  Outcome o;
  const auto kernels = cpu_engine()->kernels().of(kind);
  Run plain = r;
  plain.constant_weights = false;
  for (size_t i = kernels.size(); i-- > 0;) {
    const auto& k = static_cast<const HostKernel&>(*kernels[i]);
    if (k.key().quantized || k.key().isa != Isa::portable) continue;
    o = run_kernel(k, plain);
    if (o.refusal == nullptr) return o;
  }
  return o;
}

// Runs the operator of that text on both; true if the device had a kernel and bits were compared.
inline bool compare(const std::string& text, Run r, Random& random, std::string* kernel = nullptr) {
  const auto engine = device();
  OperatorPtr op;
  const Status parsed = parse_operator(text, &op);
  EXPECT_TRUE(parsed.ok()) << text << ": " << parsed.message();
  if (!parsed.ok() || engine == nullptr) return false;
  r.op = op.get();
  r.dim_attributes.clear();
  for (const Dim d : op->dim_attributes()) r.dim_attributes.push_back(d.number());
  std::string chosen, what = text;
  for (const auto& t : r.in) what += " " + to_string(t.view().dims) + "/" + to_string(t.view().strides);
  if (r.post_ops.count > 0) what += " then " + describe(r.post_ops);
  what += r.constant_weights ? ", constant" : ", given";
  Outcome ours = run_on_device(engine, op, r, &random, &chosen);
  if (ours.status.code() == Code::unimplemented || ours.status.code() == Code::invalid_argument) {
    if (kernel != nullptr) *kernel = ours.status.message();
    return false;
  }
  EXPECT_TRUE(ours.status.ok()) << what << ": " << ours.status.message();
  if (!ours.status.ok()) return false;
  const Outcome theirs = run_reference(op->kind(), r);
  EXPECT_TRUE(theirs.status.ok() && theirs.refusal == nullptr) << what << ": " << theirs.status.message();
  if (theirs.out.size() != ours.out.size()) return false;
  for (size_t i = 0; i < ours.out.size(); ++i) EXPECT_TRUE(same_bits(theirs.out[i], ours.out[i])) << chosen << ": " << what;
  if (kernel != nullptr) *kernel = chosen;
  return true;
}

}  // namespace anydim::opencl::testing
