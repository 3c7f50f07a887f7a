// SPDX-License-Identifier: Apache-2.0
// Parts of graphs that an engine takes as a whole, for `anydim engine-check`: random small graphs on the engine and on the processor alone,
// at several shapes that the same model gets one after the other.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>

#include "cli/commands.h"
#include "cli/engine_check.h"
#include "cli/print.h"

namespace anydim_cli {

namespace {

using Builder = Owned<anydim_model_builder_t, call<anydim_model_builder_t, anydim_model_builder_destroy>>;

// A graph over values of dims [rows, steps, channels], of which two are found in each run.
class DrawnGraph {
 public:
  explicit DrawnGraph(Random& r) : r_(r), channels_(r.from(1, 40)) {
    check(anydim_model_builder_create(builder_.out()));
    check(anydim_model_builder_set_opset(builder_.get(), "", 17));
    for (const char* name : {"x", "m"}) {
      const int64_t dims[3] = {-1, -1, channels_};
      check(anydim_model_builder_add_input(builder_.get(), name, ANYDIM_F32, 3, dims));
      check(anydim_model_builder_set_symbol(builder_.get(), name, 0, "rows"));
      check(anydim_model_builder_set_symbol(builder_.get(), name, 1, "steps"));
      values_.emplace_back(name);
    }
    for (int64_t nodes = r.from(3, 9); nodes > 0; --nodes) add_node();
    for (size_t i = values_.size() - 2; i < values_.size(); ++i) check(anydim_model_builder_add_output(builder_.get(), values_[i].c_str()));
  }
  Model model(anydim_engine_t cpu, const anydim_engine_t* device) const {
    anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
    options.engines = device;
    options.engine_count = device != nullptr ? 1 : 0;
    Model made;
    check(anydim_model_builder_create_model(builder_.get(), cpu, &options, made.out()));
    return made;
  }
  int64_t channels() const noexcept { return channels_; }
  const std::string& text() const noexcept { return text_; }

 private:
  void add_node() {
    constexpr const char* kOps[] = {"Add", "Mul", "Sub", "Relu", "Sigmoid", "Softmax", "Softmax", "MatMul"};
    const std::string op = kOps[r_.from(0, 7)], result = formatted("v{}", values_.size());
    check(anydim_model_builder_add_node(builder_.get(), op.c_str(), "", ""));
    // Chains more often than not: the value made last.
    const std::string from =
        r_.from(0, 2) > 0 ? values_.back() : values_[static_cast<size_t>(r_.from(0, static_cast<int64_t>(values_.size()) - 1))];
    check(anydim_model_builder_add_node_input(builder_.get(), from.c_str()));
    std::string other;
    if (op == "MatMul") other = add_constant({channels_, channels_});
    else if (op == "Add" || op == "Mul" || op == "Sub") {
      const int64_t which = r_.from(0, 3);
      other = which == 0   ? add_constant({})
              : which == 1 ? add_constant({channels_})
                           : values_[static_cast<size_t>(r_.from(0, static_cast<int64_t>(values_.size()) - 1))];
    }
    if (!other.empty()) check(anydim_model_builder_add_node_input(builder_.get(), other.c_str()));
    if (op == "Softmax") check(anydim_model_builder_set_node_integer(builder_.get(), "axis", r_.from(0, 3) > 0 ? -1 : 1));
    check(anydim_model_builder_add_node_output(builder_.get(), result.c_str()));
    values_.push_back(result);
    text_ += formatted("{}{} = {}({}{}{})", text_.empty() ? "" : "; ", result, op, from, other.empty() ? "" : ", ", other);
  }
  std::string add_constant(const std::vector<int64_t>& dims) {
    const std::string name = formatted("c{}", elements_.size());
    size_t count = 1;
    for (const int64_t d : dims) count *= static_cast<size_t>(d);
    std::vector<float>& elements = elements_.emplace_back(count);
    for (float& e : elements) e = static_cast<float>(r_.from(-1000, 1000)) / 500.f;
    check(anydim_model_builder_add_constant(builder_.get(), name.c_str(), ANYDIM_F32, static_cast<int32_t>(dims.size()), dims.data(),
                                            elements.data(), nullptr, nullptr));
    return name;
  }

  Random& r_;
  const int64_t channels_;
  Builder builder_;
  std::vector<std::string> values_;
  std::string text_;
  std::deque<std::vector<float>> elements_;  // of constants, which models read where they are
};

anydim_view_t view_of(const std::vector<int64_t>& dims, float* data) {
  anydim_view_t v{};
  v.dtype = ANYDIM_F32;
  v.dims.rank = static_cast<int32_t>(dims.size());
  std::copy(dims.begin(), dims.end(), v.dims.values);
  v.data = data;
  return v;
}

struct Results {
  std::vector<float> elements[2];
};
Results run(anydim_context_t context, const std::vector<int64_t>& dims, uint64_t seed) {
  const size_t count = static_cast<size_t>(dims[0] * dims[1] * dims[2]);
  Random r(seed);
  std::vector<float> data[2];
  anydim_view_t in[2], out[2];
  Results results;
  for (size_t i = 0; i < 2; ++i) {
    for (size_t n = 0; n < count; ++n) data[i].push_back(static_cast<float>(r.from(-4000, 4000)) / 1000.f);
    results.elements[i].resize(count);
    in[i] = view_of(dims, data[i].data());
    out[i] = view_of(dims, results.elements[i].data());
  }
  check(anydim_context_run(context, in, 2, out, 2, nullptr));
  return results;
}

void compare(const Results& mine, const Results& expected, double within, const std::string& what) {
  for (size_t i = 0; i < 2; ++i)
    for (size_t n = 0; n < mine.elements[i].size(); ++n) {
      const float a = mine.elements[i][n], b = expected.elements[i][n];
      if (std::memcmp(&a, &b, sizeof a) == 0) continue;
      if (within > 0 && std::fabs(a - b) <= within * std::max(1.f, std::fabs(b))) continue;
      throw Failure(formatted("{}: element {} of output {} is {}; the processor's is {}", what, n, i, a, b));
    }
}

}  // namespace

std::string check_parts(anydim_engine_t engine, const std::string& kind, const EngineCheckOptions& o) {
  Engine cpu;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, cpu.out()));
  Random r(o.seed);
  int parts = 0;
  for (int i = 0; i < o.problems; ++i) {
    const DrawnGraph graph(r);
    const Model mine = graph.model(cpu.get(), &engine), plain = graph.model(cpu.get(), nullptr);
    Context of_mine, of_plain;
    check(anydim_context_create(mine.get(), nullptr, nullptr, of_mine.out()), graph.text());
    check(anydim_context_create(plain.get(), nullptr, nullptr, of_plain.out()));
    for (uint64_t shape = 0; shape < 3; ++shape) {
      const std::vector<int64_t> dims{r.from(1, 4), r.from(1, 9), graph.channels()};
      const uint64_t seed = o.seed + static_cast<uint64_t>(i) * 3 + shape;
      const std::string what = formatted("{} with {} rows, {} steps, {} channels", graph.text(), dims[0], dims[1], dims[2]);
      Results results;
      try {
        results = run(of_mine.get(), dims, seed);
      } catch (const Failure& f) {
        throw Failure(formatted("{}: {}", what, f.what()));
      }
      compare(results, run(of_plain.get(), dims, seed), o.parts_within, what);
    }
    Text text;
    check(anydim_context_explain(of_mine.get(), nullptr, 0, nullptr, text.out()));
    const std::string explained = text_of(text), name = "\"" + kind + ".part\"";
    for (size_t at = explained.find(name); at != explained.npos; at = explained.find(name, at + 1)) ++parts;
  }
  return formatted("{} graphs with the processor's {}, {} parts claimed", o.problems,
                   o.parts_within > 0 ? formatted("values within {:g}", o.parts_within) : std::string("bits"), parts);
}

}  // namespace anydim_cli
