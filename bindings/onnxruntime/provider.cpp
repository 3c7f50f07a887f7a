// SPDX-License-Identifier: Apache-2.0
// Claims parts of graphs and makes models of them; see provider.h and docs/onnxruntime-plugin.md.
#include "bindings/onnxruntime/provider.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "bindings/onnxruntime/parts.h"

namespace anydim::ort {
namespace {

template <class F> OrtStatus* guarded(const Api& api, F&& f) noexcept {
  try {
    f();
    return nullptr;
  } catch (const Failure& failure) {
    return api.create_status(failure.code, failure.what());
  } catch (const std::exception& e) {
    return api.create_status(kEpFail, e.what());
  }
}

// Which nodes each reads from, and an order in which every node comes behind those.
struct Order {
  explicit Order(const std::vector<NodeFacts>& nodes) : before(nodes.size()) {
    std::map<std::string, size_t> maker;
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const std::string& name : nodes[i].outputs)
        if (!name.empty()) maker[name] = i;
    std::vector<std::vector<size_t>> behind(nodes.size());
    std::vector<size_t> open(nodes.size(), 0);
    for (size_t i = 0; i < nodes.size(); ++i)
      for (const std::string& name : nodes[i].reads)
        if (const auto m = maker.find(name); m != maker.end()) {
          before[i].push_back(m->second);
          behind[m->second].push_back(i);
          ++open[i];
        }
    for (size_t i = 0; i < nodes.size(); ++i)
      if (open[i] == 0) order.push_back(i);
    for (size_t at = 0; at < order.size(); ++at)
      for (const size_t next : behind[order[at]])
        if (--open[next] == 0) order.push_back(next);
  }
  std::vector<std::vector<size_t>> before;
  std::vector<size_t> order;
};

}  // namespace

Provider::Provider(const Api& api, Options options, const OrtLogger* logger)
    : api_(api), options_(std::move(options)), logger_(logger), profiling_(std::make_shared<Profiling>(api)) {
  engine_ = create_engine(api, options_.threads);
  get_name = [](const OrtEp*) { return kName; };
  get_capability = [](OrtEp* self, const OrtGraph* graph, OrtEpGraphSupportInfo* support) {
    auto& me = *static_cast<Provider*>(self);
    return guarded(me.api_, [&] { me.claim(graph, support); });
  };
  compile = [](OrtEp* self, const OrtGraph** graphs, const OrtNode** fused, size_t count, OrtNodeComputeInfo** infos, OrtNode**) {
    auto& me = *static_cast<Provider*>(self);
    return guarded(me.api_, [&] {
      for (size_t i = 0; i < count; ++i) infos[i] = me.compile_one(graphs[i], fused[i]).get();
    });
  };
  if (profiling_->supported()) {
    version = kProfilingVersion;
    create_profiler = [](OrtEp* self, OrtEpProfilerImpl** out) {
      auto& me = *static_cast<Provider*>(self);
      return guarded(me.api_, [&] { *out = me.profiling_->create(); });
    };
  }
  release_node_compute_infos = [](OrtEp* self, OrtNodeComputeInfo** infos, size_t count) {
    auto& all = static_cast<Provider*>(self)->compiled_;
    for (size_t i = 0; i < count; ++i)
      all.erase(std::remove_if(all.begin(), all.end(), [&](const auto& c) { return c.get() == infos[i]; }), all.end());
  };
}

Provider::~Provider() {
  claimed_.clear();
  compiled_.clear();
  anydim_engine_destroy(engine_);
}

void Provider::say(int severity, const std::string& message) const {
  if (OrtStatus* const status =
          api_.log(logger_, severity, ("Anydim: " + message).c_str(), "provider.cpp", __LINE__, "AnydimExecutionProvider"))
    api_.release_status(status);
}

// --- what can be claimed ---------------------------------------------------------------------------------------------

std::vector<std::string> Provider::refusals(const GraphFacts& graph) const {
  const std::vector<NodeFacts>& nodes = graph.nodes();
  std::vector<std::string> out(nodes.size());
  // Nodes that cannot be said are found by saying them: then the others are said again.
  for (bool again = true; again;) {
    again = false;
    const Builder all;
    graph.add_opsets(all.get());
    std::set<std::string> made, there;
    for (const NodeFacts& node : nodes) made.insert(node.outputs.begin(), node.outputs.end());
    const auto take = [&](const std::string& name) {
      if (name.empty() || made.count(name) > 0 || !there.insert(name).second) return;
      if (graph.is_constant(name)) graph.add_constant(name, all.get());
      else graph.add_input(name, all.get());  // what has no known type is missing, and its readers are refused
    };
    std::vector<size_t> added;  // nodes that the builder has, in its order
    for (size_t i = 0; i < nodes.size() && !again; ++i) {
      if (nodes[i].taken) {
        out[i] = "it is another provider's";
        continue;
      }
      for (const std::string& name : nodes[i].reads) try {
          take(name);
        } catch (const Failure&) {  // a constant of a type that is not here is missing, too
        }
      // By the types of what it makes others can be behind it.
      if (!out[i].empty()) {
        for (const std::string& name : nodes[i].outputs)
          if (!name.empty()) graph.add_input(name, all.get());
        continue;
      }
      try {
        graph.add_node(nodes[i], all.get());
      } catch (const Failure& failure) {
        out[i] = failure.what();
        again = true;
      }
      added.push_back(i);
      for (const std::string& name : nodes[i].outputs)
        if (const ValueFacts& v = graph.value(name); v.known)
          check(anydim_model_builder_add_value_type(all.get(), name.c_str(), v.dtype, static_cast<int32_t>(v.dims.size()), v.dims.data()));
    }
    for (size_t b = 0; b < added.size() && !again; ++b) {
      anydim_string_t why{};
      check(anydim_model_builder_get_refusal(all.get(), static_cast<int32_t>(b), &why));
      out[added[b]] = std::string(why.data == nullptr ? "" : why.data, why.length);
    }
  }
  return out;
}

// ONNX Runtime passes the node around a body, but not the graph that this one is in. If the importer takes that node, nothing in the body
// is claimed; what is around it has its turn later. The same where the node alone does not say enough: a value that it reads or makes
// has no rank for ONNX Runtime, as of an If whose branches differ in it, which the importer takes together with the nodes behind it; and
// where such a node lies in its bodies: to import most of a model only to be asked took a third of the time of making a session.
// Nor is something claimed in the body of a node that ONNX Runtime replaces by nodes of its own (SequenceMap): it copies the body into a
// graph without our opsets, and then refuses the model.
bool Provider::leaves_body(const OrtGraph* graph) {
  const auto key = [](const NodeFacts& node) {
    std::string key = node.name;
    for (const std::string& name : node.outputs) key += '\n' + name;
    return key;
  };
  const OrtNode* parent = nullptr;
  check(api_, api_.graph_parent(graph, &parent));
  if (parent == nullptr) return false;
  const char* type = nullptr;
  check(api_, api_.node_operator(parent, &type));
  const std::string_view is = type;
  size_t nodes = 0;
  check(api_, api_.graph_node_count(graph, &nodes));
  if ((is != "If" && is != "Loop" && is != "Scan") || nodes < static_cast<size_t>(options_.smallest_part)) return true;
  const GraphFacts facts(api_, graph, parent);
  const NodeFacts& node = facts.nodes()[0];
  const auto [answer, is_new] = leaves_bodies_of_.try_emplace(key(node), Body::claimed);
  if (!is_new) return answer->second != Body::claimed;
  const auto all = [&](const auto& holds) {
    const auto of_name = [&](const std::string& name) { return name.empty() || facts.is_constant(name) || holds(facts.value(name)); };
    return std::all_of(node.reads.begin(), node.reads.end(), of_name) && std::all_of(node.outputs.begin(), node.outputs.end(), of_name);
  };
  const auto holds_unranked = [&](const OrtGraph* body) {
    const std::vector<const OrtNode*> nodes = nodes_with_bodies(api_, body);
    return std::any_of(nodes.begin(), nodes.end(), [&](const OrtNode* inner) {
      const auto found = leaves_bodies_of_.find(key(GraphFacts(api_, body, inner).nodes()[0]));
      return found != leaves_bodies_of_.end() && found->second == Body::unranked;
    });
  };
  const std::vector<const OrtGraph*> bodies = bodies_of(api_, parent);
  if (!all([](const ValueFacts& v) { return v.ranked; }) || std::any_of(bodies.begin(), bodies.end(), holds_unranked))
    answer->second = Body::unranked;
  if (answer->second != Body::claimed) return true;
  const std::string why = refusals(facts)[0];
  if (why.empty()) answer->second = Body::left;
  else say(kVerbose, "in the bodies of node " + node.name + " parts are claimed: " + why);
  return why.empty();
}

std::shared_ptr<Part> Provider::make(const GraphFacts& graph, const std::vector<size_t>& nodes) const {
  const Builder part;
  graph.add_opsets(part.get());
  std::set<std::string> made, read_outside, explicitly, there;
  std::vector<bool> inside(graph.nodes().size(), false);
  for (const size_t i : nodes) inside[i] = true;
  for (size_t i = 0; i < graph.nodes().size(); ++i) {
    const NodeFacts& node = graph.nodes()[i];
    if (inside[i]) made.insert(node.outputs.begin(), node.outputs.end());
    else read_outside.insert(node.reads.begin(), node.reads.end());
  }
  read_outside.insert(graph.outputs().begin(), graph.outputs().end());
  for (const size_t i : nodes) explicitly.insert(graph.nodes()[i].inputs.begin(), graph.nodes()[i].inputs.end());
  for (const size_t i : nodes) {
    const NodeFacts& node = graph.nodes()[i];
    for (const std::string& name : node.reads) {
      if (made.count(name) > 0 || !there.insert(name).second) continue;
      if (graph.is_constant(name)) trim_->bytes += graph.add_constant(name, part.get());
      else if (!api_.fuses_implicit_inputs && explicitly.count(name) == 0)
        throw Failure::of_node(node.name, "only a body reads '" + name + "', and this version of ONNX Runtime would not hand it over");
      else if (!graph.add_input(name, part.get())) throw Failure::of_node(node.name, "the type or rank of '" + name + "' is not known");
    }
    graph.add_node(graph.nodes()[i], part.get());
  }
  for (const size_t i : nodes)
    for (const std::string& name : graph.nodes()[i].outputs)
      if (!name.empty() && read_outside.count(name) > 0) check(anydim_model_builder_add_output(part.get(), name.c_str()));
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  options.math = options_.math;
  options.reuse = options_.reuse;
  options.packed_weights = options_.packed_weights.empty() ? nullptr : options_.packed_weights.c_str();
  anydim_model_t model = nullptr;
  check(anydim_model_builder_create_model(part.get(), engine_, &options, &model));
  auto made_part = std::make_shared<Part>(api_, model, options_.bounds, profiling_);
  if (!options_.bounds.empty() && !made_part->bounded()) say(kWarning, "a part has no bounds: not all of its inputs are the model's");
  return made_part;
}

Provider::Parts Provider::parts_made(const GraphFacts& graph, bool is_body) const {
  const std::vector<NodeFacts>& nodes = graph.nodes();
  const auto smallest = static_cast<size_t>(options_.smallest_part);
  // Most models are taken as a whole; then no node has to be asked for.
  std::vector<size_t> all(nodes.size());
  std::iota(all.begin(), all.end(), size_t{0});
  if ((!is_body || nodes.size() >= smallest) && std::none_of(nodes.begin(), nodes.end(), [](const NodeFacts& n) { return n.taken; })) try {
      return {{all, make(graph, all)}};
    } catch (const Failure& failure) {
      if (failure.code == kInvalidArgument && !options_.bounds.empty()) throw;  // the bounds do not fit
    }
  const std::vector<std::string> why = refusals(graph);
  std::vector<bool> takes(nodes.size(), false);
  for (size_t i = 0; i < why.size(); ++i)
    if (takes[i] = why[i].empty(); !takes[i]) say(kVerbose, "node " + nodes[i].name + " stays with ONNX Runtime: " + why[i]);
  // What the importer takes node by node can still be refused as a part, where kernels are missing or what was known of a value
  // lies in another part. So a part is claimed when it is made.
  const Order order(nodes);
  Parts made;
  for (;;) {
    const std::vector<std::vector<size_t>> parts = parts_of(takes, order.before, order.order);
    const auto refused = std::find_if(parts.begin(), parts.end(), [&](const std::vector<size_t>& part) {
      const bool whole = !is_body && part.size() == nodes.size();
      if ((!whole && part.size() < smallest) || made.count(part) > 0) return false;
      try {
        made[part] = make(graph, part);
        return false;
      } catch (const Failure& failure) {
        if (failure.code == kInvalidArgument && !options_.bounds.empty()) throw;
        bool named = false;
        for (const size_t i : part)
          if (nodes[i].name == failure.node) {
            takes[i] = false;
            named = true;
          }
        if (!named)
          for (const size_t i : part) takes[i] = false;
        say(kInfo, std::string("left with ONNX Runtime: ") + failure.what());
        return true;
      }
    });
    if (refused != parts.end()) continue;
    std::erase_if(made, [&](const auto& each) { return std::find(parts.begin(), parts.end(), each.first) == parts.end(); });
    return made;
  }
}

void Provider::claim(const OrtGraph* ort_graph, OrtEpGraphSupportInfo* support) {
  const Packers packers;
  if (leaves_body(ort_graph)) return;
  const GraphFacts graph(api_, ort_graph);
  if (graph.nodes().empty()) return;
  const OrtNode* parent = nullptr;
  check(api_, api_.graph_parent(ort_graph, &parent));
  if (parent == nullptr)
    for (const auto& [name, dims] : options_.bounds)
      if (std::find(graph.inputs().begin(), graph.inputs().end(), name) == graph.inputs().end())
        throw Failure(kInvalidArgument, "Anydim: option bounds names '" + name + "', which is no input of the model");
  const bool may_have = !api_.one_graph_has_parts || !(has_parts_ || graph.is_body());
  size_t count = 0, nodes = 0;
  for (const auto& [part, made] : may_have ? parts_made(graph, parent != nullptr) : Parts()) {
    std::vector<const OrtNode*> list;
    for (const size_t i : part) list.push_back(graph.nodes()[i].node);
    OrtNodeFusionOptions fusion;
    fusion.drop_constant_initializers = true;
    check(api_, api_.add_nodes_to_fuse(support, list.data(), list.size(), &fusion));
    claimed_.push_back(made);
    has_parts_ = true;
    ++count;
    nodes += part.size();
  }
  say(kInfo, "claims " + std::to_string(nodes) + " of " + std::to_string(graph.nodes().size()) + " nodes in " + std::to_string(count) +
                 (count == 1 ? " part" : " parts"));
}

// --- what becomes of it ----------------------------------------------------------------------------------------------

std::shared_ptr<CompiledPart> Provider::compile_one(const OrtGraph* ort_graph, const OrtNode* fused) {
  const auto names = [&](OrtStatus* (*count)(const OrtNode*, size_t*), OrtStatus* (*read)(const OrtNode*, const OrtValueInfo**, size_t)) {
    size_t size = 0;
    check(api_, count(fused, &size));
    std::vector<const OrtValueInfo*> infos(size);
    if (size > 0) check(api_, read(fused, infos.data(), size));
    std::vector<std::string> out;
    for (const OrtValueInfo* info : infos) {
      const char* name = nullptr;
      if (info != nullptr) check(api_, api_.value_name(info, &name));
      out.emplace_back(name == nullptr ? "" : name);
    }
    return out;
  };
  const std::vector<std::string> inputs = names(api_.node_input_count, api_.node_inputs);
  const std::vector<std::string> outputs = names(api_.node_output_count, api_.node_outputs);
  const auto fits = [&](const std::shared_ptr<Part>& part) {
    const std::set<std::string> mine(part->outputs().begin(), part->outputs().end()), theirs(outputs.begin(), outputs.end());
    const auto is_there = [&](const std::string& name) { return std::find(inputs.begin(), inputs.end(), name) != inputs.end(); };
    return mine == theirs && std::all_of(part->inputs().begin(), part->inputs().end(), is_there);
  };
  std::shared_ptr<Part> part;
  if (const auto found = std::find_if(claimed_.begin(), claimed_.end(), fits); found != claimed_.end()) {
    part = *found;
    claimed_.erase(found);
  } else {
    const Packers packers;
    const GraphFacts graph(api_, ort_graph);
    std::vector<size_t> all(graph.nodes().size());
    for (size_t i = 0; i < all.size(); ++i) all[i] = i;
    part = make(graph, all);
  }
  compiled_.push_back(std::make_shared<CompiledPart>(api_, std::move(part), inputs, outputs, trim_));
  say(kInfo, "compiled a part with " + std::to_string(inputs.size()) + " inputs and " + std::to_string(outputs.size()) + " outputs");
  return compiled_.back();
}

}  // namespace anydim::ort
