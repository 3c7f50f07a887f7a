// SPDX-License-Identifier: Apache-2.0
// The entries of entries.h for the set ANYDIM_ARCHIVE_SET: the library's tile engine and depthwise rows, called by one thread, with plans
// made here. Not in the library: it is compiled once for each archive (cmake/kernel_archives.cmake).
#include "core/kernels/archive/entries.h"

#include <algorithm>

#include "core/base/cpu.h"
#include "core/kernels/conv/depthwise/depthwise_job.h"
#include "core/kernels/conv/patches.h"
#include "core/kernels/conv/tile_task.h"
#include "core/kernels/eltwise/lanes.h"
#include "core/kernels/epilogue/epilogue.h"
#include "core/kernels/matmul/product.h"
#include "core/tensor/views.h"

extern "C" const adk_form ADK_FORM = {ADK_VECTOR, ADK_GRANULE};

namespace anydim {

// What plans ask of a processor. Nobody finds out here: these are common sizes of caches, and change no result.
namespace {
constinit const CpuFeatures kAnyCpu{};
}
const CpuFeatures& find_cpu() noexcept { return kAnyCpu; }
namespace detail {
constinit std::atomic<const CpuFeatures*> found_cpu{&kAnyCpu};
}

// A loop's tasks are the caller's, one after the other.
void Parallel::dispatch(int64_t tasks, ParallelBody body, void* context) const noexcept {
  for (int64_t i = 0; i < tasks; ++i) body(context, i, 0);
}

// Functions in binary64 are in no chain that is exported; they would be half of the archive.
float rare_function(UnaryFunction, float x) noexcept { return x; }
float rare_function(BinaryFunction, float a, float) noexcept { return a; }
constinit const LaneFunctions LaneFunctions::ANYDIM_ARCHIVE_SET{};

namespace {

constexpr const TileEngine& kEngine = TileEngine::ANYDIM_ARCHIVE_SET;

TensorView view(const adk_tensor& t) {
  TensorView v;
  v.data = t.data;
  v.dtype = DType::f32;
  for (int i = 0; i < t.rank; ++i) {
    v.dims.push_back(t.dims[i]);
    v.strides.push_back(t.strides[i]);
  }
  return v;
}

// A chain bound to the result, and how its operands walk along the axis that columns of tiles are.
struct Chain {
  Epilogue epilogue;
  EpilogueProgram program;

  Chain(const adk_posts& posts, const TensorView& y) {
    const adk_tensor* next = posts.operands;
    for (int i = 0; i < posts.count; ++i) {
      const adk_post& p = posts.steps[i];
      if (static_cast<PostOp::Kind>(p.kind) == PostOp::Kind::unary) {
        if (const auto f = static_cast<UnaryFunction>(p.function); f != UnaryFunction::identity) epilogue.append_unary(f, p.alpha, p.beta);
      } else {
        const TensorView t = view(*next++);
        epilogue.append_binary(static_cast<BinaryFunction>(p.function), static_cast<PostOp::Kind>(p.kind) == PostOp::Kind::binary_reversed,
                               t.as<const float>(), broadcast_strides(t, y.dims));
      }
    }
    program.count = epilogue.count;
    program.operand_count = epilogue.operand_count;
    program.steps = epilogue.steps;
  }
  Chain(const Chain&) = delete;  // it points into itself
  Chain& operator=(const Chain&) = delete;

  void walk_along(int axis) {
    for (int o = 0; o < epilogue.operand_count; ++o) {
      const Strides& s = epilogue.operands[o].strides;
      program.walks[o].column_step = s[axis];
      for (int i = 0; i < s.rank; ++i) program.walks[o].by_row = program.walks[o].by_row || (i != axis && s[i] != 0);
    }
  }
};

// Takes parts of the scratch, one after another.
template <class T> T* take(std::byte*& scratch, int64_t count) {
  T* const at = reinterpret_cast<T*>(scratch);
  scratch += (count * static_cast<int64_t>(sizeof(T)) + 63) & ~INT64_C(63);
  return at;
}

ConvGeometry geometry_of(const adk_convolution_call& c, const TensorView& x, const TensorView& y) {
  ConvGeometry g;
  g.transposed = c.transposed != 0;
  g.spatial = c.spatial;
  g.batch = y.dims[0];
  g.groups = c.group;
  g.in_channels = c.channels;
  g.out_channels = c.outputs;
  for (int a = 0; a < 3; ++a) {
    const int i = a - (3 - c.spatial) + 2;
    g.in[a] = i < 2 ? 1 : x.dims[i];
    g.out[a] = i < 2 ? 1 : y.dims[i];
    g.kernel[a] = c.kernel[a];
    g.stride[a] = c.strides[a];
    g.dilation[a] = c.dilations[a];
    g.pad[a] = c.pads[a];
  }
  return g;
}

void convolve_by_patches(const adk_convolution_call& c) {
  const TensorView x = view(c.x), y = view(c.y);
  if (y.count() == 0) return;
  const ConvGeometry g = geometry_of(c, x, y);
  const WorkSplit split =
      split_work(kEngine, g.in_positions(), g.taps() * g.out_channels, g.in_channels, g.in_channels * 4, x.strides.back(), 1, 1);
  const Chain chain(c.posts, y);
  Args args;
  args.in = {&x, 1};
  args.out = {&y, 1};
  run_small_patch(kEngine, g, split, args, c.weights, c.bias, chain.epilogue);
}

void convolve(const adk_convolution_call& c, std::byte* scratch) {
  if (c.transposed == 2) return convolve_by_patches(c);
  const TensorView x = view(c.x), y = view(c.y);
  if (y.count() == 0) return;
  ConvPlan plan;
  ConvGeometry& g = plan.geometry;
  g = geometry_of(c, x, y);
  plan.row_bytes = g.in_channels * 4;
  for (int a = 0; a < 3; ++a) plan.row_bytes *= g.transposed ? 1 : std::min(g.kernel[a], g.stride[a]);
  const int64_t row_stride = x.strides.back() * (g.transposed ? 1 : g.stride[2]);
  plan.split = split_work(kEngine, g.positions(), g.out_channels, g.k(), plan.row_bytes, row_stride, g.groups, 1);
  Chain chain(c.posts, y);
  chain.walk_along(1);
  ConvExecution e{kEngine,
                  plan,
                  x.as<const float>(),
                  y.as<float>(),
                  spatial_strides(x.strides, g.spatial),
                  spatial_strides(y.strides, g.spatial),
                  c.weights,
                  c.bias,
                  chain.epilogue,
                  chain.program,
                  {},
                  {},
                  false};
  if (g.out_channels * g.groups == 1) e.dst_strides.c = 1;
  if (g.in_channels * g.groups == 1) e.src_strides.c = 1;
  for (int a = 0; a < 3; ++a) {
    auto* const runs = take<AxisRun>(scratch, axis_run_bound(g, a));
    e.runs[a] = runs;
    e.run_count[a] = axis_runs(g, a, runs);
  }
  KList list;
  list.elements = take<KElement>(scratch, kMostElements);
  list.segments = take<KSegment>(scratch, g.taps() + g.k() / kSumBlock + 2);
  for (int64_t group = 0; group < g.groups; ++group)
    for (int64_t task = 0; task < plan.split.tasks(); ++task)
      run_conv_task(e, group, plan.split.row_part(task), plan.split.column_part(task), list, scratch);
}

void convolve_by_channels(const adk_convolution_call& c) {
  const TensorView x = view(c.x), y = view(c.y);
  if (y.count() == 0) return;
  const ConvGeometry g = geometry_of(c, x, y);
  const SpatialStrides from = spatial_strides(x.strides, g.spatial), to = spatial_strides(y.strides, g.spatial);
  Chain chain(c.posts, y);
  chain.walk_along(1);
  DepthwiseJob j;
  j.src = x.as<const float>();
  j.dst = y.as<float>();
  j.weights = c.weights;
  j.bias = c.bias;
  j.channels = y.dims[1];
  j.padded = round_up(j.channels, kDepthwisePadding);
  j.src_n = from.n;
  j.dst_n = to.n;
  j.src_c = j.channels == 1 ? 1 : from.c;
  j.dst_c = j.channels == 1 ? 1 : to.c;
  for (int a = 0; a < 3; ++a) {
    j.src_s[a] = from.s[a];
    j.dst_s[a] = to.s[a];
    j.in[a] = g.in[a];
    j.out[a] = g.out[a];
    j.kernel[a] = g.kernel[a];
    j.stride[a] = g.stride[a];
    j.pad[a] = g.pad[a];
    j.dilation[a] = g.dilation[a];
  }
  j.program = &chain.program;
  for (int o = 0; o < chain.epilogue.operand_count; ++o) {
    const SpatialStrides s = spatial_strides(chain.epilogue.operands[o].strides, g.spatial);
    j.operand[o] = chain.epilogue.operands[o].data;
    j.operand_n[o] = s.n;
    std::copy_n(s.s, 3, j.operand_s[o]);
  }
  DepthwiseRows::ANYDIM_ARCHIVE_SET(j, 0, y.dims[0] * j.out[0] * j.out[1], 0, j.channels);
}

void multiply(const adk_product_call& c, std::byte* scratch) {
  const TensorView a = view(c.a), y = view(c.y);
  if (y.count() == 0) return;
  Matmul::Attributes at;
  at.transpose_a = c.transpose_a != 0;
  at.transpose_b = c.transpose_b != 0;
  TensorView b;
  if (c.panels == nullptr) {
    b = view(c.b);
  } else {
    b.dims = {a.dims[a.rank() - (at.transpose_a ? 2 : 1)], c.n};
    b.strides = {0, 0};
  }
  Chain chain(c.posts, y);
  const Product p = make_product(at, a, b, y, chain.epilogue);
  for (int o = 0; o < chain.epilogue.operand_count; ++o) {
    chain.program.walks[o].column_step = p.operand_n[o];
    for (int i = 0; i < p.row_count; ++i) chain.program.walks[o].by_row = chain.program.walks[o].by_row || p.rows[i].stride[3 + o] != 0;
  }
  auto* const segments = take<KSegment>(scratch, p.k / kSumBlock + 1);
  TileJob job;
  for (int64_t k = 0; k < p.k; k += kSumBlock)
    segments[job.segment_count++] = {k * p.a_k, k, static_cast<int32_t>(std::min(kSumBlock, p.k - k)), 1};
  job.segments = segments;
  const int64_t row_stride = p.row_count > 0 ? p.rows[p.row_count - 1].stride[0] : 1, items = p.outer_items();
  const WorkSplit split = split_work(kEngine, p.row_items(), p.n, p.k, p.k * 4, row_stride, std::max<int64_t>(items, 1), 1);
  for (int i = 0; i < p.row_count; ++i) {
    const int to = kRowAxes - p.row_count + i;
    job.count[to] = p.rows[i].count;
    job.src_step[to] = p.rows[i].stride[0];
    job.dst_step[to] = p.rows[i].stride[2];
    for (int o = 0; o < chain.epilogue.operand_count; ++o) job.operand_step[o][to] = p.rows[i].stride[3 + o];
  }
  job.dst_column_step = p.dst_n;
  job.k_step = p.a_k;
  job.k = p.k;
  job.bias = c.bias;
  job.columns = p.n;
  job.panel_end = kEngine.panels(p.n);
  job.row_end = p.row_items();
  job.program = &chain.program;
  job.tile_rows = split.tile_rows;
  job.row_block = split.row_block;
  job.panels_outer = split.panels_outer;
  job.k_part = split.k_part;
  auto* const packed = reinterpret_cast<float*>(scratch);
  for (int64_t item = 0; item < items; ++item) {
    const auto offset = [&](int t) {
      int64_t sum = 0, rest = item;
      for (int i = p.outer_count - 1; i >= 0; --i) {
        sum += rest % p.outer[i].count * p.outer[i].stride[t];
        rest /= p.outer[i].count;
      }
      return sum;
    };
    job.src = a.as<const float>() + offset(0);
    job.dst = y.as<float>() + offset(2);
    for (int o = 0; o < chain.epilogue.operand_count; ++o) job.operand[o] = chain.epilogue.operands[o].data + offset(3 + o);
    job.panels = c.panels;
    if (c.panels == nullptr) {
      kEngine.pack({.b = b.as<const float>() + offset(1),
                    .row_stride = p.b_k,
                    .column_stride = p.b_n,
                    .rows = p.k,
                    .k = p.k,
                    .columns = p.n,
                    .panel_end = job.panel_end,
                    .panels = packed});
      job.panels = packed;
    }
    kEngine.run(job);
  }
}

}  // namespace
}  // namespace anydim

void adk_convolution(const adk_convolution_call* call, void* scratch) { anydim::convolve(*call, static_cast<std::byte*>(scratch)); }
void adk_depthwise(const adk_convolution_call* call, void*) { anydim::convolve_by_channels(*call); }
void adk_product(const adk_product_call* call, void* scratch) { anydim::multiply(*call, static_cast<std::byte*>(scratch)); }
