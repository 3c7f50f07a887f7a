// SPDX-License-Identifier: Apache-2.0
// Small networks of independent steps on several threads: one step after the other, all groups side by side, and by the rule that chooses.
// Prints microseconds of a later run (the median of 30), and of the first run at another shape, the best of rounds that alternate.
//
//   side_by_side_bench [THREADS] [ROUNDS]
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>

#include "core/base/clock.h"
#include "core/graph/compile.h"
#include "core/graph/ir.h"
#include "core/ops/operators/binary.h"
#include "core/ops/operators/concat.h"
#include "core/ops/operators/convolution.h"
#include "core/ops/operators/matmul.h"
#include "core/ops/operators/pooling.h"
#include "core/ops/operators/unary.h"
#include "core/run/context/context.h"

namespace anydim {
namespace {

// Writing graphs down; whatever fails ends the program.
class Network {
 public:
  Graph graph;

  ValueId input(const std::vector<int64_t>& dims) {
    std::vector<DeclaredDim> declared;
    for (const int64_t d : dims) declared.push_back(d < 0 ? DeclaredDim{-1, "d" + std::to_string(-d)} : DeclaredDim{d, ""});
    return graph.add_input("x", DType::f32, declared);
  }
  ValueId constant(const Dims& dims) {
    std::vector<float> values(static_cast<size_t>(element_count(dims)));
    std::normal_distribution<float> normal(0.f, 1.f / std::sqrt(static_cast<float>(values.size()) / static_cast<float>(dims[0])));
    for (float& v : values) v = normal(random_);
    return graph.add_constant("c" + std::to_string(graph.value_count()), ConstantTensor::of<float>(DType::f32, dims, values));
  }
  ValueId conv(ValueId x, int64_t channels, int64_t kernel) {
    Convolution::Attributes a;
    for (int i = 0; i < 2; ++i) a.pads_begin[i] = a.pads_end[i] = kernel / 2;
    const ValueId w = constant({channels, graph.value(x).type.dims[1].number(), kernel, kernel});
    return relu(add(Convolution::make(a), {x, w}));
  }
  ValueId pool(ValueId x) {
    Pooling::Attributes a;
    for (int i = 0; i < 2; ++i) a.window[i] = 3, a.strides[i] = 1, a.pads_begin[i] = a.pads_end[i] = 1;
    return add(Pooling::make(a), {x});
  }
  ValueId relu(ValueId x) { return add(Unary::make(UnaryFunction::relu, 0, 0), {x}); }
  ValueId dense(ValueId x, int64_t to) {
    const SymDims& d = graph.value(x).type.dims;
    return add(Matmul::make({}), {x, constant({d[d.rank - 1].number(), to})});
  }
  ValueId plus(ValueId a, ValueId b) { return add(Binary::make(BinaryFunction::add), {a, b}); }
  ValueId concat(std::vector<ValueId> in) { return add(Concat::make(1), std::move(in)); }
  void output(ValueId v) { graph.add_output(v, "y" + std::to_string(graph.outputs().size())); }

 private:
  ValueId add(Result<OperatorPtr> op, std::vector<ValueId> in) {
    auto v = op.ok() ? graph.add(*op, std::move(in), "n" + std::to_string(graph.node_capacity())) : Result<ValueId>(op.take_status());
    if (v.ok()) return *v;
    std::fprintf(stderr, "%s\n", std::string(v.status().message()).c_str());
    std::exit(1);
  }
  std::mt19937 random_{1};
};

// Six modules of GoogLeNet's, of `parts` of 8 of its channels.
Graph inception(int64_t parts) {
  Network n;
  const auto part = [&](int64_t channels) { return channels * parts / 8; };
  ValueId x = n.input({1, part(192), -1, -2});
  for (int i = 0; i < 6; ++i)
    x = n.concat({n.conv(x, part(64), 1), n.conv(n.conv(x, part(96), 1), part(128), 3), n.conv(n.conv(x, part(16), 1), part(32), 5),
                  n.conv(n.pool(x), part(32), 1)});
  n.output(x);
  return std::move(n.graph);
}

// A detector's heads: for each of three levels two branches of three layers, of boxes and of classes.
Graph heads(int64_t channels) {
  Network n;
  ValueId x = n.conv(n.input({1, 16, -1, -2}), channels, 3);
  for (int level = 0; level < 3; ++level) {
    for (const int64_t results : {int64_t{64}, int64_t{80}}) n.output(n.conv(n.conv(n.conv(x, channels, 3), channels, 3), results, 1));
    x = n.conv(x, channels, 1);
  }
  return std::move(n.graph);
}

// The sum of what so many experts of two layers say.
Graph experts(int count, int64_t width) {
  Network n;
  const ValueId x = n.input({-1, width});
  ValueId sum = kNoValue;
  for (int i = 0; i < count; ++i) {
    const ValueId y = n.dense(n.relu(n.dense(x, 2 * width)), width);
    sum = i == 0 ? y : n.plus(sum, y);
  }
  n.output(sum);
  return std::move(n.graph);
}

int64_t median(std::vector<int64_t> times) {
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return times[times.size() / 2];
}

constexpr SideBySide kWays[] = {SideBySide::nowhere, SideBySide::everywhere, SideBySide::where_it_gains};

void measure(const char* name, const Graph& graph, const std::vector<Dims>& shapes, int threads, int rounds) {
  CompileOptions compile_options;
  ProgramPtr program;
  if (const Status s = compile(graph, compile_options, &program); !s.ok()) std::printf("%s\n", std::string(s.message()).c_str());
  std::unique_ptr<Context> contexts[std::size(kWays)];
  for (size_t w = 0; w < std::size(kWays); ++w) {
    ContextOptions options;
    options.parallel = Parallel(threads);
    options.side_by_side = kWays[w];
    if (!Context::create(program, options, &contexts[w]).ok()) return;
  }
  for (const Dims& dims : shapes) {
    std::vector<float> data(static_cast<size_t>(element_count(dims)), 0.5f);
    const TensorView x{data.data(), DType::f32, dims, dense_strides(dims)};
    Dims other = dims;
    other[dims.rank == 2 ? 0 : 2] += 1;
    std::vector<float> more(static_cast<size_t>(element_count(other)), 0.5f);
    const TensorView y{more.data(), DType::f32, other, dense_strides(other)};
    std::vector<int64_t> later[std::size(kWays)], first[std::size(kWays)];
    for (int round = 0; round < rounds; ++round)
      for (size_t w = 0; w < std::size(kWays); ++w) {
        std::vector<TensorView> out(graph.outputs().size());
        const auto run = [&](const TensorView& in) {
          for (TensorView& o : out) o.data = nullptr;
          const int64_t begin = wall_clock();
          if (!contexts[w]->run({&in, 1}, out).ok()) std::exit(1);
          return wall_clock() - begin;
        };
        run(y);
        first[w].push_back(run(x));
        std::vector<int64_t> times;
        for (int i = 0; i < 30; ++i) times.push_back(run(x));
        later[w].push_back(median(times));
      }
    const GroupRunner* const groups = contexts[2]->binding().groups();
    size_t chosen = 0;
    for (size_t g = 0; groups != nullptr && g < groups->size(); ++g) chosen += groups->is_chosen(g) ? 1 : 0;
    std::printf("%-22s %-16s", name, to_string(dims).c_str());
    for (const auto& times : {later, first})
      for (size_t w = 0; w < std::size(kWays); ++w)
        std::printf(" %8.1f", static_cast<double>(*std::min_element(times[w].begin(), times[w].end())) / 1000);
    std::printf("   %zu of %zu groups\n", chosen, groups == nullptr ? 0 : groups->size());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace anydim

int main(int argc, char** argv) {
  using namespace anydim;
  const int threads = argc > 1 ? std::atoi(argv[1]) : 2, rounds = argc > 2 ? std::atoi(argv[2]) : 21;
  std::printf("%-39s %26s %26s\n", "us", "later: none, all, rule", "first: none, all, rule");
  const auto planes = [](int64_t channels, std::initializer_list<int64_t> sizes) {
    std::vector<Dims> shapes;
    for (const int64_t s : sizes) shapes.push_back({1, channels, s, s});
    return shapes;
  };
  measure("inception, a quarter", inception(2), planes(48, {4, 7, 14}), threads, rounds);
  measure("inception, half", inception(4), planes(96, {4, 7, 14}), threads, rounds);
  measure("inception, all", inception(8), planes(192, {4, 7, 14}), threads, rounds);
  measure("heads of 32", heads(32), planes(16, {4, 8, 16}), threads, rounds);
  measure("heads of 64", heads(64), planes(16, {4, 8, 16}), threads, rounds);
  measure("8 experts of 64", experts(8, 64), {{1, 64}, {8, 64}, {32, 64}}, threads, rounds);
  measure("8 experts of 256", experts(8, 256), {{1, 256}, {8, 256}, {32, 256}}, threads, rounds);
  return 0;
}
