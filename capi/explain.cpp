// SPDX-License-Identifier: Apache-2.0
// Explanations as JSON; see explain.h. The field names are the words of the design; docs/api-conventions.md lists them.
#include "capi/explain.h"

#include <map>
#include <nlohmann/json.hpp>

#include "core/dispatch/primitive/registry.h"
#include "core/dispatch/primitive/reuse_policy.h"

namespace anydim::capi {

namespace {

// Keys stay in the order in which they are written, since people read this.
using Json = nlohmann::ordered_json;

template <class Array> Json numbers(const Array& a) {
  Json list = Json::array();
  for (int i = 0; i < a.size(); ++i) list.push_back(static_cast<int64_t>(a[i]));
  return list;
}

Json type_of(const TensorType& type, const DimPool& pool) {
  Json dims = Json::array();
  for (const Dim d : type.dims) {
    if (d.is_number()) dims.push_back(d.number());
    else dims.push_back(pool.text(d));
  }
  return {{"dtype", dtype_name(type.dtype)}, {"dims", std::move(dims)}};
}

// The math mode that a primitive computes in, the one that was asked for, and why they differ.
void write_math(const Primitive& p, MathMode requested, Json* j) {
  (*j)["math"] = math_name(p.attributes().mode);
  (*j)["math_requested"] = math_name(requested);
  Problem requested_problem = p.problem();
  requested_problem.mode = requested;
  if (std::string because = why_math(p.engine(), requested_problem, p.attributes().mode); !because.empty())
    (*j)["math_because"] = std::move(because);
}

// Damaged UTF-8 of a file's names must not make the text unreadable.
std::string text_of(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

Json edges(std::span<const Program::IoSpec> all, const DimPool& pool) {
  Json list = Json::array();
  for (const Program::IoSpec& e : all) {
    Json entry = {{"name", e.name}, {"dtype", dtype_name(e.dtype)}, {"dims", e.dim_text}, {"order", numbers(e.order)}};
    Json ranges = Json::array();
    for (const Dim d : e.dims) ranges.push_back({pool.interval(d).min, pool.interval(d).max});
    entry["ranges"] = std::move(ranges);
    list.push_back(std::move(entry));
  }
  return list;
}

Json operands(const std::vector<NodeReport::Operand>& all) {
  Json list = Json::array();
  for (const NodeReport::Operand& o : all)
    list.push_back(
        {{"name", o.name}, {"dtype", dtype_name(o.dtype)}, {"dims", numbers(o.dims)}, {"strides", numbers(o.strides)}, {"place", o.place}});
  return list;
}

}  // namespace

Status explain_primitive(const Primitive& p, MathMode requested, std::span<const TensorView> in, std::string* json) {
  Json j = {{"engine", p.engine().kind()}, {"operator", describe(p.op())}};
  j["inputs"] = Json::array();
  for (size_t i = 0; i < p.in().size(); ++i) {
    j["inputs"].push_back(type_of(p.in()[i], p.pool()));
    if (p.constant_operands().has(i)) j["inputs"].back()["constant"] = true;
  }
  j["outputs"] = Json::array();
  for (const TensorType& t : p.out()) j["outputs"].push_back(type_of(t, p.pool()));
  j["post_ops"] = describe(p.attributes().post_ops);
  if (p.attributes().quantization) j["quantization"] = describe(*p.attributes().quantization);
  write_math(p, requested, &j);
  j["kernel"] = p.kernel().name();
  j["tier"] = tier_name(p.tier());
  j["tuned_shapes"] = p.core()->tiers().entries().size();
  j["tuning_nanoseconds"] = p.core()->tiers().tuning_nanoseconds();
  j["reuse"] = policy_name(p.core()->policy().policy);
  j["reuse_set_by"] = policy_source_name(p.core()->policy().source);
  j["isa"] = isa_name(p.kernel().key().isa);
  j["weights"] = p.weights() ? (p.weights()->format().empty() ? "as given" : p.weights()->format()) : "none";
  j["input_orders"] = Json::array();
  for (size_t i = 0; i < p.in().size(); ++i) j["input_orders"].push_back(numbers(p.preferred_order(false, static_cast<int>(i))));
  j["output_orders"] = Json::array();
  for (size_t i = 0; i < p.out().size(); ++i) j["output_orders"].push_back(numbers(p.preferred_order(true, static_cast<int>(i))));
  j["candidates"] = Json::array();
  for (const Candidate& c : p.candidates()) {
    Json entry = {{"kernel", c.kernel->name()}, {"chosen", c.kernel == &p.kernel()}};
    if (c.kernel != &p.kernel()) entry["because"] = c.because != nullptr ? c.because : "another kernel was forced by name";
    j["candidates"].push_back(std::move(entry));
  }
  if (!in.empty()) {
    std::vector<Dims> out(p.out().size());
    ANYDIM_TRY(p.output_dims(in, out));
    j["output_dims"] = Json::array();
    for (const Dims& d : out) j["output_dims"].push_back(numbers(d));
  }
  *json = text_of(j);
  return {};
}

void explain_tuning(std::span<const NodeTuning> nodes, std::string* json) {
  Json all = Json::array();
  for (const NodeTuning& n : nodes) {
    const TuneOutcome& o = n.outcome;
    all.push_back({{"name", n.name},
                   {"operator", n.op},
                   {"kernel", n.kernel},
                   {"known", n.known},
                   {"candidates", o.candidates},
                   {"reusable_us", static_cast<double>(o.baseline_ns) / 1e3},
                   {"replaced", o.swapped},
                   {"ratio", o.ratio},
                   {"ratio_low", o.low},
                   {"ratio_high", o.high},
                   {"best_seen", o.best_ratio},
                   {"milliseconds", static_cast<double>(o.nanoseconds) / 1e6}});
  }
  *json = text_of({{"nodes", std::move(all)}});
}

std::string choices_text(const std::vector<Choice>& choices) {
  Json list = Json::array();
  for (const Choice& c : choices) {
    Json entry = {{"kernel", c.kernel->name()}, {"chosen", c.chosen}};
    if (!c.refusal.empty()) entry["refusal"] = c.refusal;
    if (c.expected_nanoseconds >= 0) entry["expected_nanoseconds"] = c.expected_nanoseconds;
    if (c.scratch_bytes >= 0) entry["scratch_bytes"] = c.scratch_bytes;
    if (c.measured_nanoseconds >= 0) entry["measured_nanoseconds"] = c.measured_nanoseconds;
    if (!c.not_measured.empty()) entry["not_measured"] = c.not_measured;
    list.push_back(std::move(entry));
  }
  return text_of(list);
}

namespace {

// A branch or loop is followed by the steps of its bodies.
void describe_steps(const Program& program, std::map<std::string, int>* counts, Json* nodes) {
  for (const Program::Step& step : program.steps) {
    const auto without_kernel = [&](const char* kind, const char* kernel) {
      ++(*counts)[kind];
      nodes->push_back(
          {{"name", step.label}, {"operator", kind}, {"post_ops", ""}, {"kernel", kernel}, {"math", ""}, {"math_requested", ""}});
    };
    if (step.transfer() != nullptr) {
      without_kernel("transfer", "");
      continue;
    }
    if (const Primitive* const primitive = program.primitive(step)) {
      const Primitive& p = *primitive;
      ++(*counts)[p.op().name()];
      nodes->push_back({{"name", step.label},
                        {"operator", describe(p.op())},
                        {"post_ops", describe(p.attributes().post_ops)},
                        {"kernel", p.kernel().name()}});
      write_math(p, step.math, &nodes->back());
      continue;
    }
    const Control& control = program.controls[static_cast<size_t>(step.control()->control)];
    const char* const kind = name_of(control.kind);
    without_kernel(kind, kind);
    for (const Body& body : control.bodies) describe_steps(*body.program, counts, nodes);
  }
}

}  // namespace

Status describe_model(const Program& program, const ModelFacts& facts, std::string* json) {
  Json j = {{"graph", facts.graph_name}, {"producer", facts.producer_name},  {"producer_version", facts.producer_version},
            {"domain", facts.domain},    {"description", facts.description}, {"version", facts.version},
            {"opset", facts.opset},      {"file_nodes", facts.nodes},        {"file_operators", facts.operators}};
  j["inputs"] = edges(program.inputs, program.dims);
  j["outputs"] = edges(program.outputs, program.dims);
  j["metadata"] = Json::object();
  for (const auto& [key, value] : program.metadata) j["metadata"][key] = value;
  j["weight_bytes"] = program.weight_bytes;
  const PackedCounts& packed = program.packed_counts;
  j["packed_weights"] = {{"count", packed.weights}, {"mapped", packed.mapped}, {"mapped_bytes", packed.mapped_bytes}};
  std::map<std::string, int> counts;
  Json nodes = Json::array();
  describe_steps(program, &counts, &nodes);
  j["operators"] = counts;
  j["nodes"] = std::move(nodes);
  *json = text_of(j);
  return {};
}

Status explain_run(const RunReport& run, std::string* json) {
  Json j = {{"engine", run.engine},
            {"isa", run.instruction_set},
            {"arena_bytes", run.arena_bytes},
            {"used_bytes", run.used_bytes},
            {"weight_bytes", run.weight_bytes},
            {"growth_events", run.growth_events},
            {"pages",
             {{"small_bytes", run.pages.small_bytes},
              {"huge_bytes", run.pages.huge_bytes},
              {"nanoseconds", run.pages.nanoseconds},
              {"huge_pages_pay", run.page_costs.huge_pages_pay},
              {"small_nanoseconds_per_mib", run.page_costs.small_nanoseconds},
              {"huge_nanoseconds_per_mib", run.page_costs.huge_nanoseconds},
              {"process_small_bytes", run.page_costs.small_bytes},
              {"process_huge_bytes", run.page_costs.huge_bytes},
              {"process_dear_pages", run.page_costs.dear_pages}}},
            {"reuse", run.policy},
            {"reuse_set_by", run.policy_source},
            {"bind_nanoseconds", run.bind_nanoseconds},
            {"layout_bytes", run.layout_bytes},
            {"concat_bytes", run.concat_bytes},
            {"gathered_bytes", run.gathered_bytes},
            {"views", run.views}};
  j["stages"] = Json::array();
  for (const StageReport& s : run.stages) {
    Json reads = Json::array();
    for (const StageReport::Read& r : s.reads)
      reads.push_back({{"size", r.name}, {"tensor", r.tensor}, {"element", r.element}, {"value", r.value}, {"most", r.most}});
    j["stages"].push_back({{"depth", s.depth}, {"first", s.first}, {"last", s.last}, {"reads", std::move(reads)}});
  }
  j["nodes"] = Json::array();
  for (const NodeReport& n : run.nodes) {
    Json entry = {{"name", n.name},
                  {"type", n.onnx_type},
                  {"operator", n.op},
                  {"engine", n.engine},
                  {"kernel", n.kernel},
                  {"tier", n.tier},
                  {"post_ops", n.post_ops},
                  {"math", n.math},
                  {"math_requested", n.math_requested},
                  {"inputs", operands(n.inputs)},
                  {"outputs", operands(n.outputs)},
                  {"post_inputs", operands(n.post_inputs)},
                  {"bytes", n.bytes},
                  {"scratch", n.scratch},
                  {"nanoseconds", n.nanoseconds}};
    if (!n.math_because.empty()) entry["math_because"] = n.math_because;
    if (n.depth > 0) entry["depth"] = n.depth;
    if (!n.ran) entry["ran"] = false;
    if (n.layout_bytes > 0) entry["layout_bytes"] = n.layout_bytes;
    if (n.concat_bytes > 0) entry["concat_bytes"] = n.concat_bytes;
    if (n.left_out) entry["left_out"] = true;
    if (n.group >= 0) entry["group"] = n.group;
    entry["candidates"] = Json::array();
    for (const KernelRefusal& c : n.candidates) {
      Json candidate = {{"kernel", c.kernel}, {"chosen", c.because.empty()}};
      if (!c.because.empty()) candidate["because"] = c.because;
      if (c.expected_nanoseconds >= 0) candidate["expected_nanoseconds"] = c.expected_nanoseconds;
      entry["candidates"].push_back(std::move(candidate));
    }
    j["nodes"].push_back(std::move(entry));
  }
  *json = text_of(j);
  return {};
}

}  // namespace anydim::capi
