// SPDX-License-Identifier: Apache-2.0
// What a launch costs on the host's side, on the first OpenCL device: giving a small kernel to a stream, and giving many before waiting.
#include <benchmark/benchmark.h>

#include "core/dispatch/primitive/primitive.h"
#include "core/engines/opencl/engine.h"
#include "core/ops/text.h"

namespace anydim {
namespace {

// A relu of so many elements in device memory.
struct Setup {
  std::shared_ptr<const opencl::OpenclEngine> engine;
  PrimitivePtr primitive;
  StreamPtr stream;
  MemoryPtr memory;
  PlacedTensor in, out;

  Status make(int64_t count) {
    ANYDIM_TRY(opencl::OpenclEngine::create({}, &engine));
    OperatorPtr op;
    ANYDIM_TRY(parse_operator("unary function=relu", &op));
    const TensorType type{DType::f32, {count}};
    ANYDIM_TRY(Primitive::create(engine, op, {nullptr, {&type, 1}, {}}, {}, nullptr, &primitive));
    ANYDIM_TRY(engine->create_stream(1, &stream));
    ANYDIM_TRY(engine->allocate(8 * count, &memory));
    TensorView view;
    view.dtype = DType::f32;
    view.dims = {count};
    view.strides = {1};
    in = {view, {memory.get(), 0}};
    out = {view, {memory.get(), 4 * count}};
    return {};
  }
};

void giving(benchmark::State& state) {
  Setup s;
  if (const Status made = s.make(256); !made.ok()) return state.SkipWithError(made.message().c_str());
  const int64_t batch = state.range(0);
  for (auto _ : state) {
    for (int64_t i = 0; i < batch; ++i)
      if (!s.primitive->submit(*s.stream, {&s.in, 1}, {}, {&s.out, 1}, {}, 0).ok()) return state.SkipWithError("a launch failed");
    if (!s.stream->wait().ok()) return state.SkipWithError("a launch failed");
  }
  state.SetItemsProcessed(state.iterations() * batch);
}
BENCHMARK(giving)->Arg(1)->Arg(10)->Arg(100)->Unit(benchmark::kMicrosecond)->UseRealTime();

}  // namespace
}  // namespace anydim
