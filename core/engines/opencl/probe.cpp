// SPDX-License-Identifier: Apache-2.0
// Fixed triples of numbers, computed by the device and by the host, whose arithmetic is docs/numerics.md's; see probe.h.
#include "core/engines/opencl/probe.h"

#include <bit>
#include <cmath>
#include <vector>

#include "core/base/memory/aligned_buffer.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/opencl/engine.h"

namespace anydim::opencl {

namespace {

constexpr const char kSource[] = R"CL(
#pragma OPENCL FP_CONTRACT OFF
__kernel __attribute__((reqd_work_group_size(1, 1, 1)))
void probe(int live, __global const float* x, long x_offset, __global float* y, long y_offset, long count) {
  if (!live) return;
  x += x_offset;
  y += y_offset;
  for (long i = get_global_id(0); i < count; i += get_global_size(0)) {
    const float a = x[3 * i], b = x[3 * i + 1], c = x[3 * i + 2];
    y[5 * i] = fma(a, b, c);
    y[5 * i + 1] = a * b + c;
    y[5 * i + 2] = a / b;
    y[5 * i + 3] = sqrt(a);
    y[5 * i + 4] = a + c;
  }
}
)CL";

constexpr int64_t kTriples = 8192, kResults = 5;
constexpr const char* kWhat[kResults] = {"fma(a, b, c)", "a * b + c", "a / b", "sqrt(a)", "a + c"};

class ProbeKernel final : public DeviceKernel {
 public:
  const char* name() const noexcept override { return "probe.opencl"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem&) const noexcept override { return yes(); }
  void plan(const Args&, Plan*) const noexcept override {}
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  int programs(const Problem& problem, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_for(problem, DeviceKind::any);
    return 1;
  }
  DeviceSource source(const CompileKey&) const override { return {kSource, "", {"probe"}}; }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (index > 0) return false;
    out->add_tensor(DeviceArgument::Of::in, 0);
    out->add_tensor(DeviceArgument::Of::out, 0);
    out->add_i64(args.in[0].dims[0] / 3);
    out->global[0] = 64;
    return true;
  }

 private:
  KernelKey key_{.op = OpKind::unary};
};

// Triples of bits: a third of any numbers, a third whose sum nearly cancels the product, which shows how often it is rounded, and a third
// around the smallest normal number.
std::vector<float> triples() {
  std::vector<float> all;
  uint64_t state = 0x9E3779B97F4A7C15;
  const auto next = [&] {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<uint32_t>(state >> 32);
  };
  const auto with_exponent = [&](uint32_t low, uint32_t high) {
    const uint32_t bits = next();
    return std::bit_cast<float>((bits & 0x807FFFFF) | ((low + next() % (high - low + 1)) << 23));
  };
  for (int64_t i = 0; i < kTriples; ++i) {
    switch (i % 3) {
      case 0:
        for (int k = 0; k < 3; ++k) all.push_back(std::bit_cast<float>(next()));
        break;
      case 1: {
        const float a = with_exponent(117, 137), b = with_exponent(117, 137);
        all.insert(all.end(), {a, b, -(a * b)});
        break;
      }
      default:
        all.push_back(with_exponent(0, 3));
        all.push_back(with_exponent(120, 130));
        all.push_back(with_exponent(0, 3));
    }
  }
  return all;
}

float host(int what, float a, float b, float c) {
  switch (what) {
    case 0: return std::fmaf(a, b, c);
    case 1: {
      const float product = a * b;
      return product + c;
    }
    case 2: return a / b;
    case 3: return std::sqrt(a);
    default: return a + c;
  }
}

bool is_denormal(float x) noexcept { return x != 0.f && std::fabs(x) < std::bit_cast<float>(0x00800000u); }

Status unfit(const OpenclEngine& engine, const char* why) {
  return unimplemented("OpenCL device {} {}; strict results need more", engine.device_facts().name, why);
}

// Runs the probe; the results are in `y`. *sees: what the device wrote into memory of the host that it imported was there at once.
Status run(OpenclEngine& engine, std::vector<float>& x, std::vector<float>& y, bool try_import, bool* sees) {
  static const ProbeKernel kernel;
  const PostOps none;
  Problem problem;
  problem.post_ops = &none;
  ExecutablePtr executable;
  ANYDIM_TRY(engine.prepare(kernel, problem, &executable));
  const auto bytes_in = static_cast<int64_t>(x.size() * sizeof(float)), bytes_out = static_cast<int64_t>(y.size() * sizeof(float));
  auto imported = AlignedBuffer::allocate(bytes_out + engine.base_alignment());
  if (!imported.ok()) return imported.take_status();
  const auto address = reinterpret_cast<uintptr_t>(imported->data()), align = static_cast<uintptr_t>(engine.base_alignment());
  auto* const of_host = imported->data() + ((address + align - 1) / align * align - address);
  MemoryPtr in, out;
  StreamPtr stream;
  ANYDIM_TRY(engine.create_stream(1, &stream));
  ANYDIM_TRY(engine.allocate(bytes_in, &in));
  const bool imports = try_import && engine.import(of_host, bytes_out, nullptr, &out).ok();
  if (!imports) ANYDIM_TRY(engine.allocate(bytes_out, &out));
  HostMemory from(x.data(), bytes_in), to(y.data(), bytes_out);
  ANYDIM_TRY(stream->copy({in.get()}, {&from}, bytes_in));
  TensorView view_in, view_out;
  view_in.dtype = view_out.dtype = DType::f32;
  view_in.dims = {static_cast<int64_t>(x.size())};
  view_out.dims = {static_cast<int64_t>(y.size())};
  view_in.strides = view_out.strides = {1};
  Args args;
  args.post_ops = &none;
  args.in = {&view_in, 1};
  args.out = {&view_out, 1};
  const BufferRef place_in{in.get(), 0}, place_out{out.get(), 0};
  const Plan plan{};
  ANYDIM_TRY(stream->submit({kernel, plan, args, {&place_in, 1}, {&place_out, 1}, {}, nullptr, {}, executable.get(), executable}));
  ANYDIM_TRY(stream->wait());
  std::vector<float> seen(y.size());
  std::memcpy(seen.data(), of_host, static_cast<size_t>(bytes_out));
  ANYDIM_TRY(stream->copy({&to}, {out.get()}, bytes_out));
  ANYDIM_TRY(stream->wait());
  *sees = imports && std::memcmp(seen.data(), y.data(), static_cast<size_t>(bytes_out)) == 0;
  return {};
}

}  // namespace

Status probe_arithmetic(OpenclEngine& engine, bool flushed_denormals, bool try_import, Probed* out) {
  std::vector<float> x = triples(), y(static_cast<size_t>(kTriples * kResults), 0.5f);
  ANYDIM_TRY(run(engine, x, y, try_import, &out->imports));
  for (int64_t i = 0; i < kTriples; ++i) {
    const float a = x[static_cast<size_t>(3 * i)], b = x[static_cast<size_t>(3 * i + 1)], c = x[static_cast<size_t>(3 * i + 2)];
    for (int what = 0; what < kResults; ++what) {
      const float theirs = y[static_cast<size_t>(kResults * i + what)], ours = host(what, a, b, c);
      if (std::bit_cast<uint32_t>(theirs) == std::bit_cast<uint32_t>(ours) || (std::isnan(theirs) && std::isnan(ours))) continue;
      const bool reads_denormal = is_denormal(a) || is_denormal(b) || is_denormal(c);
      // A device that flushes may also take a product that is nearly denormal for zero before it adds.
      const bool near = is_denormal(ours) || is_denormal(theirs) || is_denormal(a * b) || theirs == 0.f;
      if (reads_denormal || near) {
        out->flushes = true;
        continue;
      }
      if (what == 1 && std::bit_cast<uint32_t>(theirs) == std::bit_cast<uint32_t>(host(0, a, b, c)))
        return unfit(engine, "contracts products and sums although contraction is off");
      return unfit(engine, formatted("gives {} of {:a}, {:a}, {:a} as {:a} and not {:a}", kWhat[what], a, b, c, theirs, ours).c_str());
    }
  }
  // Said last: whatever else differs is worse.
  if (out->flushes && !flushed_denormals)
    return unfit(engine, "takes denormals for zeros (the option flushed_denormals of the engine allows it)");
  return {};
}

}  // namespace anydim::opencl
