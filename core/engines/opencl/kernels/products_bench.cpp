// SPDX-License-Identifier: Apache-2.0
// Convolutions and products of 10 MFLOP and more, with dims at run time, on the first OpenCL device, beside its measured peak and beside
// the CPU engine: GFLOP/s of the best call, and geometric means. Images are channels last, weights packed.
//   products_bench [WORD] [processor]    only layers whose names have this word; with the second word seconds are the process's time on
//                                        processors, for a busy machine and a driver that has one thread
#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <string_view>

#include "core/dispatch/primitive/primitive.h"
#include "core/engines/cpu/engine.h"
#include "core/engines/opencl/engine.h"
#include "core/ops/text.h"

namespace anydim::opencl {
namespace {

bool of_processors = false;

double seconds() {
  timespec t{};
  clock_gettime(of_processors ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// The best of the calls within half a second.
template <class Call> double best_of(const Call& call) {
  double best = 1e30;
  int calls = 0;
  for (const double end = seconds() + 0.5; calls < 3 || seconds() < end; ++calls) {
    const double begin = seconds();
    call();
    best = std::min(best, seconds() - begin);
  }
  return best;
}

// Twelve chains of fused multiply-adds in registers, as long as the device's vectors, by a work-item for each unit.
class PeakKernel final : public DeviceKernel {
 public:
  static constexpr int kChains = 12;
  static constexpr int64_t kSteps = 200'000;
  explicit PeakKernel(int lanes) : lanes_(lanes) {}
  const char* name() const noexcept override { return "peak"; }
  const KernelKey& key() const noexcept override { return key_; }
  Support supports(const Problem&) const noexcept override { return yes(); }
  DeviceNeeds needs() const noexcept override { return {}; }
  void plan(const Args&, Plan*) const noexcept override {}
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }
  int programs(const Problem& problem, const DeviceTraits&, std::span<CompileKey, kMostPrograms> out) const noexcept override {
    out[0] = key_for(problem, DeviceKind::any);
    return 1;
  }
  DeviceSource source(const CompileKey&) const override {
    std::string begin, step, sum;
    for (int i = 0; i < kChains; ++i) {
      begin += formatted("V c{0} = (V)(v + {0}.f);\n", i);
      step += formatted("c{0} = fma(c{0}, a, b); ", i);
      sum += formatted(" + c{0}", i);
    }
    DeviceSource s;
    s.text = formatted(
        "typedef float{} V;\n"
        "kernel __attribute__((reqd_work_group_size(1, 1, 1))) void peak(const int live, global float* y, const long y_o,\n"
        "                                                               const long steps, const float v) {{\n"
        "  if (!live) return;\n  {}  const V a = (V)(v * 0.5f), b = (V)(v);\n"
        "  for (long i = 0; i < steps; ++i) {{ {} }}\n  const V all = b{};\n  float t[{}];\n  vstore{}(all, 0, t);\n"
        "  float one = 0.f;\n  for (int i = 0; i < {}; ++i) one += t[i];\n  y[y_o + get_global_id(0)] = one;\n}}\n",
        lanes_, begin, step, sum, lanes_, lanes_, lanes_);
    s.entries = {"peak"};
    return s;
  }
  bool work(const Plan&, const Args& args, int index, DeviceWork* out) const noexcept override {
    if (index > 0) return false;
    out->global[0] = args.out[0].dims[0];
    out->add_tensor(DeviceArgument::Of::out, 0);
    out->add_i64(kSteps);
    out->add_f32(0.9f);
    return true;
  }
  double flops(int64_t items) const { return 2.0 * static_cast<double>(items * kSteps * kChains * lanes_); }

 private:
  const int lanes_;
  KernelKey key_{.op = OpKind::unary};
};

Status peak_of(const OpenclEngine& engine, double* gflops) {
  const PeakKernel kernel(std::clamp(engine.traits().vector_floats, 4, 16));
  const PostOps none;
  Problem problem;
  problem.post_ops = &none;
  ExecutablePtr executable;
  ANYDIM_TRY(engine.prepare(kernel, problem, &executable));
  const int64_t units = engine.device_facts().units;
  MemoryPtr memory;
  StreamPtr stream;
  ANYDIM_TRY(engine.allocate(4 * units, &memory));
  ANYDIM_TRY(engine.create_stream(1, &stream));
  TensorView y;
  y.dtype = DType::f32;
  y.dims = {units};
  y.strides = {1};
  Args args;
  args.post_ops = &none;
  args.out = {&y, 1};
  const BufferRef place{memory.get(), 0};
  const Plan plan{};
  Status status;
  const double t = best_of([&] {
    Status s = stream->submit({kernel, plan, args, {}, {&place, 1}, {}, nullptr, {}, executable.get(), executable});
    if (s.ok()) s = stream->wait();
    if (!s.ok()) status = std::move(s);
  });
  *gflops = kernel.flops(units) / t * 1e-9;
  return status;
}

// An operator with its first input given, and constants behind it; dims of the primitive are dynamic but for channels and rank.
struct Layer {
  const char* name;
  const char* text;
  Dims x, w;
  bool bias = true, constant = true;
  bool counts = true;  // in the geometric means
};

std::vector<float> drawn(int64_t count) {
  static std::mt19937 random(1);
  std::uniform_real_distribution<float> value(-1.f, 1.f);
  std::vector<float> v(static_cast<size_t>(count));
  for (float& f : v) f = value(random);
  return v;
}

TensorView view_of(const Dims& d, std::vector<float>& values, const Perm& order = {}) {
  TensorView v;
  v.dtype = DType::f32;
  v.dims = d;
  v.strides = dense_strides(d, order);
  v.data = values.data();
  return v;
}

// GFLOP/s of the best call on an engine.
Status measure(const EnginePtr& engine, const Layer& layer, double* flops, double* gflops, std::string* kernel) {
  OperatorPtr op;
  ANYDIM_TRY(parse_operator(layer.text, &op));
  const bool image = layer.x.rank == 4;
  std::vector<float> x = drawn(element_count(layer.x)), w = drawn(element_count(layer.w)), b;
  std::vector<TensorView> in{view_of(layer.x, x, image ? channels_last(4) : Perm{}), view_of(layer.w, w)};
  if (image && layer.bias) {
    const int64_t channels = layer.w[op->kind() == OpKind::conv_transpose ? 1 : 0];
    b = drawn(channels);
    in.push_back(view_of({channels}, b));
  }
  DimPool pool;
  std::vector<TensorType> types, out(1), open;
  for (const TensorView& v : in) {
    TensorType t;
    t.dtype = DType::f32;
    for (const int64_t d : v.dims) t.dims.push_back(d);
    types.push_back(t);
  }
  ANYDIM_TRY(op->infer(pool, types, out));
  Dims y;
  for (const Dim d : out[0].dims) y.push_back(d.number());
  std::vector<float> result(static_cast<size_t>(element_count(y)));
  const TensorView y_view = view_of(y, result, image ? channels_last(4) : Perm{});
  const double inner = static_cast<double>(image ? element_count(layer.w) / layer.w[0] : layer.w[layer.w.rank - 2]);
  *flops = 2.0 * static_cast<double>(op->kind() == OpKind::conv_transpose ? element_count(layer.x) : element_count(y)) * inner;

  DimPool dims;
  const size_t inputs_per_run = layer.constant ? 1 : 2;
  for (size_t i = 0; i < inputs_per_run; ++i) {
    TensorType t;
    t.dtype = DType::f32;
    for (int axis = 0; axis < types[i].dims.rank; ++axis) {
      const bool fixed = image ? axis == 1 : axis == types[i].dims.rank - 1 || i == 1;
      t.dims.push_back(fixed ? types[i].dims[axis] : dims.symbol("n"));
    }
    open.push_back(t);
  }
  WeightsPtr weights;
  if (layer.constant) {
    std::vector<TensorView> constants = in;
    constants[0] = TensorView();
    WeightsUse use;
    use.pool = &dims;
    use.in = open;
    ANYDIM_TRY(Weights::create(engine, op, constants, use, &weights));
  }
  PrimitivePtr primitive;
  ANYDIM_TRY(Primitive::create(engine, op, {&dims, open, {}}, {}, weights, &primitive));
  *kernel = primitive->kernel().name();
  StreamPtr stream;
  ANYDIM_TRY(engine->create_stream(0, &stream));
  std::vector<MemoryPtr> memories;
  std::vector<std::unique_ptr<HostMemory>> hosts;
  const auto placed = [&](TensorView v, PlacedTensor* to) -> Status {
    const int64_t bytes = 4 * element_count(v.dims);
    ANYDIM_TRY(engine->allocate(bytes, &memories.emplace_back()));
    hosts.push_back(std::make_unique<HostMemory>(v.data, bytes));
    ANYDIM_TRY(stream->copy({memories.back().get()}, {hosts.back().get()}, bytes));
    v.data = nullptr;
    *to = {v, {memories.back().get(), 0}};
    return {};
  };
  std::vector<PlacedTensor> ins(inputs_per_run);
  PlacedTensor to;
  for (size_t i = 0; i < inputs_per_run; ++i) ANYDIM_TRY(placed(in[i], &ins[i]));
  ANYDIM_TRY(placed(y_view, &to));
  int64_t scratch = 0;
  std::vector<TensorView> views;
  for (const PlacedTensor& p : ins) views.push_back(p.view);
  ANYDIM_TRY(primitive->scratch_bytes(views, {&to.view, 1}, {}, 2, &scratch));
  MemoryPtr scratch_memory;
  if (scratch > 0) ANYDIM_TRY(engine->allocate(scratch, &scratch_memory));
  Status status;
  const double t = best_of([&] {
    Status s = primitive->submit(*stream, ins, {}, {&to, 1}, {scratch_memory.get(), 0}, scratch);
    if (s.ok()) s = stream->wait();
    if (!s.ok()) status = std::move(s);
  });
  *gflops = *flops / t * 1e-9;
  return status;
}

constexpr const char* kSame = "convolution pads_begin=1,1 pads_end=1,1";
constexpr const char* kHalf = "convolution strides=2,2 pads_begin=1,1 pads_end=1,1";
constexpr const char* kOne = "convolution";

const Layer kLayers[] = {
    {"conv 3x3 80x80 64-64", kSame, {1, 64, 80, 80}, {64, 64, 3, 3}},
    {"conv 3x3 40x40 128-128", kSame, {1, 128, 40, 40}, {128, 128, 3, 3}},
    {"conv 3x3 20x20 256-256", kSame, {1, 256, 20, 20}, {256, 256, 3, 3}},
    {"conv 3x3 7x7 512-512", kSame, {1, 512, 7, 7}, {512, 512, 3, 3}},
    {"conv 3x3 79x79 64-64", kSame, {1, 64, 79, 79}, {64, 64, 3, 3}},
    {"conv 3x3 80x80 96-24", kSame, {1, 96, 80, 80}, {24, 96, 3, 3}},
    {"conv 3x3 160x160 24-24", kSame, {1, 24, 160, 160}, {24, 24, 3, 3}},
    {"conv 3x3/2 160x160 16-32", kHalf, {1, 16, 160, 160}, {32, 16, 3, 3}},
    {"conv 3x3/2 80x80 32-64", kHalf, {1, 32, 80, 80}, {64, 32, 3, 3}},
    {"conv 3x3/2 320x320 3-16", kHalf, {1, 3, 320, 320}, {16, 3, 3, 3}},
    {"conv 1x1 14x14 256-1024", kOne, {1, 256, 14, 14}, {1024, 256, 1, 1}},
    {"conv 1x1 7x7 2048-512", kOne, {1, 2048, 7, 7}, {512, 2048, 1, 1}},
    {"conv 1x1 40x80 96-96", kOne, {1, 96, 40, 80}, {96, 96, 1, 1}},
    {"conv 1x1 6x80 480-480", kOne, {1, 480, 6, 80}, {480, 480, 1, 1}},
    {"conv 1x1 12x40 240-240", kOne, {1, 240, 12, 40}, {240, 240, 1, 1}},
    {"conv 1x1 160x160 16-32", kOne, {1, 16, 160, 160}, {32, 16, 1, 1}},
    {"matmul 256x256x256", "matmul", {256, 256}, {256, 256}},
    {"matmul 1024x1024x1024", "matmul", {1024, 1024}, {1024, 1024}},
    {"matmul 33x768x3072", "matmul", {33, 768}, {768, 3072}},
    {"matmul 100x768x3072", "matmul", {100, 768}, {768, 3072}},
    {"matmul 384x3072x768", "matmul", {384, 3072}, {3072, 768}},
    {"matmul 40x120x6625", "matmul", {40, 120}, {120, 6625}},
    {"matmul given 256x256x256", "matmul", {256, 256}, {256, 256}, false, false},
    {"matmul given 100x768x3072", "matmul", {100, 768}, {768, 3072}, false, false},
    // Bound by more than multiply-adds.
    {"depthwise 3x3 184x320 32", "convolution group=32 pads_begin=1,1 pads_end=1,1", {1, 32, 184, 320}, {32, 1, 3, 3}, true, true, false},
    {"depthwise 3x3 46x80 32", "convolution group=32 pads_begin=1,1 pads_end=1,1", {1, 32, 46, 80}, {32, 1, 3, 3}, true, true, false},
    {"depthwise 5x5/2 46x80 120",
     "convolution group=120 strides=2,2 pads_begin=2,2 pads_end=2,2",
     {1, 120, 46, 80},
     {120, 1, 5, 5},
     true,
     true,
     false},
    {"depthwise 5x5 23x40 240", "convolution group=240 pads_begin=2,2 pads_end=2,2", {1, 240, 23, 40}, {240, 1, 5, 5}, true, true, false},
    {"depthwise 5x5 3x240 480", "convolution group=480 pads_begin=2,2 pads_end=2,2", {1, 480, 3, 240}, {480, 1, 5, 5}, true, true, false},
    {"depthwise 3x3 24x96 8", "convolution group=8 pads_begin=1,1 pads_end=1,1", {1, 8, 24, 96}, {8, 1, 3, 3}, true, true, false},
    {"transposed 2x2/2 184x320 24-24", "conv_transpose strides=2,2", {1, 24, 184, 320}, {24, 24, 2, 2}, true, true, false},
    {"transposed 2x2/2 368x640 24-1", "conv_transpose strides=2,2", {1, 24, 368, 640}, {24, 1, 2, 2}, true, true, false},
};

int run(const char* word) {
  std::shared_ptr<const OpenclEngine> device;
  Status s = OpenclEngine::create({}, &device);
  double peak = 0;
  if (s.ok()) s = peak_of(*device, &peak);
  if (!s.ok()) {
    std::printf("%s\n", s.message().c_str());
    return 1;
  }
  EnginePtr host;
  if (s = CpuEngine::create(static_cast<int>(device->device_facts().units), &host); !s.ok()) return 1;
  std::printf("%s, %s\n%lld units, %d floats at once; peak %.1f GFLOP/s\n", device->identity().device.c_str(),
              device->identity().driver.c_str(), static_cast<long long>(device->device_facts().units), device->traits().vector_floats,
              peak);
  std::printf("%-28s %8s %10s %8s %10s %8s  %s\n", "layer", "MFLOP", "GFLOP/s", "of peak", "CPU engine", "ratio", "kernel");
  double of_peak = 0, of_cpu = 0;
  int count = 0;
  for (const Layer& layer : kLayers) {
    if (word != nullptr && std::string_view(layer.name).find(word) == std::string_view::npos) continue;
    double flops = 0, ours = 0, theirs = 0;
    std::string kernel, of_host;
    s = measure(device, layer, &flops, &ours, &kernel);
    if (s.ok()) s = measure(host, layer, &flops, &theirs, &of_host);
    if (!s.ok()) {
      std::printf("%s: %s\n", layer.name, s.message().c_str());
      return 1;
    }
    std::printf("%-28s %8.1f %10.1f %8.2f %10.1f %8.2f  %s\n", layer.name, flops * 1e-6, ours, ours / peak, theirs, ours / theirs,
                kernel.c_str());
    std::fflush(stdout);
    if (!layer.counts) continue;
    of_peak += std::log(ours / peak);
    of_cpu += std::log(ours / theirs);
    ++count;
  }
  if (count > 0)
    std::printf("geometric mean of %d: %.3f of peak, %.3f of the CPU engine\n", count, std::exp(of_peak / count), std::exp(of_cpu / count));
  return 0;
}

}  // namespace
}  // namespace anydim::opencl

int main(int argc, char** argv) {
  anydim::opencl::of_processors = argc > 2 && std::string_view(argv[2]) == "processor";
  return anydim::opencl::run(argc > 1 ? argv[1] : nullptr);
}
