// SPDX-License-Identifier: Apache-2.0
// `anydim tune MODEL --math MODE --error BOUND --shapes ...`: which layers to compute in a math mode, so that no output differs from that of
// mode strict by more than the bound. Each layer's error is measured alone; those that save most time for their error are taken first, as
// many as the measured error of all of them allows. Stores nothing.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print.h"
#include "cli/shapes.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;
using FloatOutputs = std::vector<std::vector<float>>;  // of the outputs that are f32

// Largest difference as a part of the largest magnitude; infinite where one is not finite and the other is.
double difference(const FloatOutputs& want, const FloatOutputs& got) {
  double worst = 0;
  for (size_t o = 0; o < want.size(); ++o) {
    double most = 0, apart = 0;
    if (want[o].size() != got[o].size()) return std::numeric_limits<double>::infinity();
    for (size_t i = 0; i < want[o].size(); ++i) {
      const double a = want[o][i], b = got[o][i];
      if (std::isfinite(a)) most = std::max(most, std::fabs(a));
      if (std::isfinite(a) && std::isfinite(b)) apart = std::max(apart, std::fabs(a - b));
      else if (std::isnan(a) != std::isnan(b) || (!std::isnan(a) && a != b)) return std::numeric_limits<double>::infinity();
    }
    if (apart > 0) worst = std::max(worst, apart / std::max(most, 1e-30));
  }
  return worst;
}

struct Layer {
  std::string name;
  double us = 0, strict_us = 0, error = 0;  // in the mode, and in strict
  bool taken = false;
  double saved() const { return strict_us - us; }
};

class Proposal {
 public:
  explicit Proposal(const ShapesOptions& options) : options_(options), cases_(read_cases()) {
    load_strict();
    find_layers();
  }

  void measure_layers() {
    Progress progress("layers", layers_.size());
    for (size_t i = 0; i < layers_.size(); ++i) {
      progress.show(i, layers_[i].name);
      layers_[i].error = error_of({layers_[i].name});
    }
    std::stable_sort(layers_.begin(), layers_.end(),
                     [](const Layer& a, const Layer& b) { return a.error * b.saved() < b.error * a.saved(); });
  }

  // Takes the first layers that the bound allows together, then each further one that it allows beside them. Returns the error.
  double take_layers() {
    size_t low = 0, high = layers_.size() + 1;
    while (low + 1 < high) {
      const size_t middle = low == 0 && high > layers_.size() ? layers_.size() : (low + high) / 2;
      (error_of(middle) <= options_.error ? low : high) = middle;
    }
    for (size_t i = 0; i < low; ++i) layers_[i].taken = true;
    double error = error_of(low);
    Progress progress("further layers", layers_.size());
    for (size_t i = low; i < layers_.size(); ++i) {
      progress.show(i, layers_[i].name);
      if (std::hypot(error, layers_[i].error) > options_.error) continue;  // errors of layers have nothing to do with each other
      layers_[i].taken = true;
      const double with = error_of(taken());
      if (with <= options_.error) error = with;
      else layers_[i].taken = false;
    }
    return error;
  }

  const std::vector<Layer>& layers() const { return layers_; }
  double strict_us() const { return strict_us_; }
  size_t without_gain() const { return without_gain_; }
  std::string mode() const {
    for (const Word& w : kMathModes)
      if (w.number == static_cast<int32_t>(options_.load.math)) return w.word;
    return "strict";
  }

 private:
  std::vector<InputArguments> read_cases() const {
    std::vector<InputArguments> cases;
    if (!options_.inputs.empty()) {
      InputArguments given;
      given.files = options_.inputs;
      cases.push_back(given);
    }
    if (!options_.shapes.empty())
      for (const std::vector<std::string>& shape : read_shapes(options_.shapes)) {
        InputArguments drawn;
        drawn.random = shape;
        cases.push_back(drawn);
      }
    if (cases.empty()) throw Failure("--error: no data to measure with; expected --input or --shapes");
    return cases;
  }

  Loaded load_with(const std::vector<std::string>& names, anydim_math_t models) const {
    LoadOptions load_options = options_.load;
    load_options.math = models;
    for (const std::string& name : names) load_options.layer_math.push_back(name + "=" + mode());
    return load(load_options);
  }

  // The f32 outputs of each case, and each node's least time, summed over the cases.
  struct Run {
    std::vector<FloatOutputs> values;
    std::map<std::string, double> us;
    std::vector<std::string> in_mode;  // nodes, in the order of execution
  };
  Run run(const Loaded& loaded, int times) const {
    ContextArguments arguments;
    arguments.threads = options_.threads;
    arguments.profile = times > 1;
    const Context context = make_context(loaded, arguments);
    const auto infos = outputs_of(loaded.model);
    Run made;
    for (const InputArguments& one : cases_) {
      const std::vector<Input> inputs = make_inputs(loaded, one);
      const std::vector<anydim_view_t> views = views_of(inputs);
      std::map<std::string, double> least;
      for (int i = 0; i < times; ++i) {
        std::vector<anydim_view_t> results(infos.size());
        for (size_t o = 0; o < infos.size(); ++o) results[o].dtype = infos[o].dtype;
        check(anydim_context_run(context.get(), views.data(), static_cast<int32_t>(views.size()), results.data(),
                                 static_cast<int32_t>(results.size()), nullptr));
        if (i + 1 == times) made.values.push_back(floats_of(results));
        if (times == 1) continue;
        Text text;
        check(anydim_context_explain(context.get(), nullptr, 0, nullptr, text.out()));
        const Json nodes = Json::parse(text_of(text))["nodes"];
        made.in_mode.clear();
        for (const Json& n : nodes) {
          const auto name = n["name"].get<std::string>();
          const double us = n["nanoseconds"].get<double>() / 1e3;
          const auto [known, first] = least.try_emplace(name, us);
          if (!first) known->second = std::min(known->second, us);
          if (n["math"].get<std::string>() == mode()) made.in_mode.push_back(name);
        }
      }
      for (const auto& [name, us] : least) made.us[name] += us;
    }
    return made;
  }
  static FloatOutputs floats_of(const std::vector<anydim_view_t>& results) {
    FloatOutputs values;
    for (const anydim_view_t& t : results) {
      if (t.dtype != ANYDIM_F32) continue;
      int64_t count = 1;
      for (int i = 0; i < t.dims.rank; ++i) count *= t.dims.values[i];
      const auto* const from = static_cast<const float*>(t.data);
      values.emplace_back(from, from + count);
    }
    return values;
  }

  void load_strict() {
    strict_ = run(load_with({}, ANYDIM_MATH_STRICT), kTimes);
    if (strict_.values[0].empty()) throw Failure("--error: the model has no output of f32 to measure an error of");
    for (const auto& [name, us] : strict_.us) strict_us_ += us;
  }
  void find_layers() {
    const Run all = run(load_with({}, options_.load.math), kTimes);
    for (const std::string& name : all.in_mode) {
      const auto strict = strict_.us.find(name);
      if (strict == strict_.us.end()) continue;
      const Layer layer{name, all.us.at(name), strict->second, 0, false};
      if (layer.saved() > 0) layers_.push_back(layer);
      else ++without_gain_;
    }
  }
  std::vector<std::string> taken() const {
    std::vector<std::string> names;
    for (const Layer& l : layers_)
      if (l.taken) names.push_back(l.name);
    return names;
  }
  double error_of(size_t count) const {  // of the first
    std::vector<std::string> names;
    for (size_t i = 0; i < count; ++i) names.push_back(layers_[i].name);
    return error_of(names);
  }
  double error_of(const std::vector<std::string>& names) const {
    const Run got = run(load_with(names, ANYDIM_MATH_STRICT), 1);
    double worst = 0;
    for (size_t c = 0; c < got.values.size(); ++c) worst = std::max(worst, difference(strict_.values[c], got.values[c]));
    return worst;
  }

  static constexpr int kTimes = 5;
  const ShapesOptions& options_;
  const std::vector<InputArguments> cases_;
  Run strict_;
  std::vector<Layer> layers_;
  double strict_us_ = 0;
  size_t without_gain_ = 0;
};

}  // namespace

void tune_math(const ShapesOptions& options) {
  if (options.load.math != ANYDIM_MATH_FAST && options.load.math != ANYDIM_MATH_REDUCED)
    throw Failure("--error: --math is strict, from which errors are counted; expected fast or reduced");
  if (!options.load.layer_math.empty()) throw Failure("--error: --layer-math is what this proposes; expected --math alone");
  Proposal proposal(options);
  proposal.measure_layers();
  const double error = proposal.take_layers();
  size_t taken = 0;
  double saved = 0;
  Json json = {{"model", options.load.model}, {"bound", options.error}, {"error", error}, {"layers", Json::array()}};
  json["proposed"] = Json::object();  // as sessions take it
  Table table({"layer", "strict us", "us", "error alone", "taken"});
  for (const Layer& l : proposal.layers()) {
    if (l.taken) {
      ++taken;
      saved += l.saved();
      json["proposed"][l.name] = proposal.mode();
    }
    table.row({l.name, formatted("{:.1f}", l.strict_us), formatted("{:.1f}", l.us), formatted("{:.2g}", l.error), l.taken ? "yes" : "no"});
    json["layers"].push_back({{"name", l.name}, {"strict_us", l.strict_us}, {"us", l.us}, {"error_alone", l.error}, {"taken", l.taken}});
  }
  json.update({{"strict_us", proposal.strict_us()}, {"saved_us", saved}, {"layers_without_gain", proposal.without_gain()}});
  if (options.json) {
    print("{}\n", json.dump(2, ' ', false, Json::error_handler_t::replace));
    return;
  }
  print("{}\n", table.text());
  print("{} of {} layers within an error of {:g}: measured {:.2g}; {} of {} are saved\n", taken, proposal.layers().size(), options.error,
        error, time_text(saved / 1e6), time_text(proposal.strict_us() / 1e6));
  if (proposal.without_gain() > 0) print("{} layers gain nothing and stay strict\n", proposal.without_gain());
  print("\nlayers={}\n", json["proposed"].dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace anydim_cli
