// SPDX-License-Identifier: Apache-2.0
// Is tuning to be trusted, and is it worth anything? For every distinct problem with plans to choose from of a model at given
// shapes, prints a line of JSON: what the plans in place are worth against the reusable ones after the background worker was
// drained, what the best plan found by measuring with all threads is worth, and whether a planted bad default is recovered.
// Each ratio comes from paired samples made here, which had no part in choosing. bench/tuning.py runs it and judges.
//
//   tuning MODEL.onnx THREADS NODE_MS DIMS...       DIMS as 1x3x48x320, of the model's one input
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "core/dispatch/tuning/worker.h"
#include "core/graph/compile.h"
#include "core/run/context/tuning.h"
#include "core/ops/text.h"
#include "onnx/walk/import.h"

using namespace anydim;

namespace {

using Json = nlohmann::ordered_json;
// Tiles of one row, one after the other: the arithmetic of a plan without any reuse of what was loaded.
constexpr PlanChoice kBad{{1, 1, 0, 0, 0, 0}};
// A default is bad if the tuner could not miss it; one that costs less is no test of recovering.
constexpr double kIsBad = 1.1;

constexpr int kPairs = 41;

void check(const Status& s, const std::string& what) {
  if (s.ok()) return;
  std::fprintf(stderr, "tuning: %s: %s\n", what.c_str(), s.message().c_str());
  std::exit(2);
}

template <class T> T value(Result<T> r, const std::string& what) {
  if (!r.ok()) check(r.take_status(), what);
  return std::move(*r);
}

Dims dims_of(const char* text) {
  Dims d;
  char* end = nullptr;
  for (const char* at = text; d.rank < kMaxRank; at = end + 1) {
    const long long v = std::strtoll(at, &end, 10);
    if (end == at || v < 1 || (*end != 'x' && *end != '\0')) break;
    d.push_back(v);
    if (*end == '\0') return d;
  }
  std::fprintf(stderr, "tuning: '%s' are no dims; expected such as 1x3x48x320\n", text);
  std::exit(2);
}

int number(const char* text, const char* what) {
  const int n = std::atoi(text);
  if (n > 0) return n;
  std::fprintf(stderr, "tuning: %s is '%s'; expected a positive number\n", what, text);
  std::exit(2);
}

Json json_of(const PlanRatio& r) { return {{"ratio", r.ratio}, {"low", r.low}, {"high", r.high}}; }

// What makes two layers one problem: everything that a plan may depend on, and how the tensors lie.
Json problem_of(const TunableNode& n) {
  Json in = Json::array(), strides = Json::array();
  for (const TensorView& t : n.args.in) {
    in.push_back(to_string(t.dims));
    strides.push_back(std::vector<int64_t>(t.strides.begin(), t.strides.end()));
  }
  strides.push_back(std::vector<int64_t>(n.args.out[0].strides.begin(), n.args.out[0].strides.end()));
  return {{"kernel", n.primitive.kernel().name()},
          {"operator", describe(n.primitive.op())},
          {"post_ops", describe(n.primitive.attributes().post_ops)},
          {"in", in},
          {"strides", strides}};
}

Json judge(const TunableNode& n, int64_t budget_ns) {
  const HostKernel& kernel = *n.primitive.core()->host_kernel();
  const Clock clock = n.args.parallel.threads() == 1 ? thread_clock : wall_clock;
  const auto against_reusable = [&](const PlanChoice& choice) {
    return compare_plans(kernel, n.args, n.scratch, &choice, nullptr, kPairs, clock);
  };
  Json layer = {{"name", n.name}};

  TierEntry entry;
  if (n.primitive.core()->tiers().find(n.args, &entry) && !(entry.choice == PlanChoice{}))
    (layer["drained"] = json_of(against_reusable(entry.choice)))["claimed"] = 1 / entry.gain;

  TuneOptions options;
  options.clock = clock;
  options.budget_ns = budget_ns;
  const TuneOutcome best = tune_plan(kernel, n.args, n.scratch, options);
  layer["reusable_us"] = static_cast<double>(best.baseline_ns) / 1e3;
  layer["candidates"] = best.candidates;
  layer["complete"] = best.complete;
  if (best.swapped) layer["best"] = json_of(against_reusable(best.choice));

  const PlanRatio bad = against_reusable(kBad);
  layer["planted"] = json_of(bad);
  if (bad.ratio < kIsBad) return layer;
  options.baseline = &kBad;
  const TuneOutcome recovery = tune_plan(kernel, n.args, n.scratch, options);
  layer["swapped_back"] = recovery.swapped;
  if (recovery.swapped) layer["recovered"] = json_of(against_reusable(recovery.choice));
  return layer;
}

void measure(const ProgramPtr& program, const Dims& dims, int threads, int64_t budget_ns) {
  ContextOptions options;
  options.parallel = Parallel(threads);
  options.reuse = ReusePolicy::reusable_first;
  std::unique_ptr<Context> context;
  check(Context::create(program, options, &context), "context");
  HostTensor x;
  check(HostTensor::allocate(DType::f32, dims, &x), "input");
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  for (int64_t i = 0; i < x.view.count(); ++i) x.view.as<float>()[i] = normal(random);
  std::vector<TensorView> out(program->outputs.size());
  check(context->run({&x.view, 1}, out), to_string(dims));
  if (!Worker::instance().drain(600'000)) {
    std::fprintf(stderr, "tuning: the worker did not finish in ten minutes, or ANYDIM_WORKER is off\n");
    std::exit(2);
  }
  std::fill(out.begin(), out.end(), TensorView{});
  check(context->run({&x.view, 1}, out), to_string(dims));
  std::set<std::string> seen;
  const auto judge_all = [&](std::span<const TunableNode> nodes) {
    for (const TunableNode& n : nodes) {
      const Json problem = problem_of(n);
      if (!seen.insert(problem.dump()).second) continue;
      Json line = {{"shape", to_string(dims)}, {"threads", threads}};
      line.update(problem);
      line.update(judge(n, budget_ns));
      std::printf("%s\n", line.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    }
  };
  check(with_tunable(*context, judge_all), to_string(dims));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::fprintf(stderr, "usage: tuning MODEL.onnx THREADS NODE_MS DIMS...\n");
    return 2;
  }
  const std::string path = argv[1];
  Graph graph = value(onnx::import_model(value(onnx::map_file(path), path)), path);
  ProgramPtr program;
  check(compile(std::move(graph), {}, &program), path);
  if (program->inputs.size() != 1) {
    std::fprintf(stderr, "tuning: %s has %zu inputs; expected 1\n", path.c_str(), program->inputs.size());
    return 2;
  }
  const int threads = number(argv[2], "THREADS"), node_ms = number(argv[3], "NODE_MS");
  for (int i = 4; i < argc; ++i) measure(program, dims_of(argv[i]), threads, int64_t{node_ms} * 1000000);
  const WorkerStatistics w = Worker::instance().statistics();
  if (w.dropped > 0 || w.failed > 0) {
    std::fprintf(stderr, "tuning: the worker dropped %lld requests and failed at %lld\n", static_cast<long long>(w.dropped),
                 static_cast<long long>(w.failed));
    return 2;
  }
  return 0;
}
