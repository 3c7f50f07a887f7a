// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about layouts at a model's edges, and what they mean for the edges of a graph.
#include "anydim/anydim.h"
#include "capi/model_objects.h"

namespace anydim::capi {

namespace {

Status check_layout(anydim_layout_t layout, anydim_layout_t last, const char* what) {
  if (layout >= ANYDIM_LAYOUT_ROW_MAJOR && layout <= last && layout != ANYDIM_LAYOUT_STRIDED) return {};
  return invalid("{} is {}; expected {}..{}, but not {}", what, layout, ANYDIM_LAYOUT_ROW_MAJOR, last, ANYDIM_LAYOUT_STRIDED).about(what);
}

// What is asked of all edges that no name asks anything of.
EdgeLayout common_layout(anydim_layout_t layout, int rank) {
  if (layout == ANYDIM_LAYOUT_ANY) return EdgeLayout::Rule::fastest;
  if (layout == ANYDIM_LAYOUT_FOLLOW) return EdgeLayout::Rule::follow;
  return layout == ANYDIM_LAYOUT_CHANNELS_LAST && rank >= 3 ? EdgeLayout(channels_last(rank)) : EdgeLayout();
}

Status read_edge(const LayoutsObject::Entry& edge, int rank, EdgeLayout* out) {
  switch (edge.rule) {
    case ANYDIM_EDGE_LAYOUT_ROW_MAJOR: *out = {}; return {};
    case ANYDIM_EDGE_LAYOUT_FASTEST: *out = EdgeLayout::Rule::fastest; return {};
    case ANYDIM_EDGE_LAYOUT_FOLLOW: *out = EdgeLayout::Rule::follow; return {};
    case ANYDIM_EDGE_LAYOUT_CHANNELS_LAST:
      if (rank < 3)
        return invalid("the layout of '{}' is channels last, but its rank is {}; expected rank 3 or more", edge.name, rank)
            .about("options.layouts");
      *out = channels_last(rank);
      return {};
    default:
      if (edge.axes.rank != rank)
        return invalid("the layout of '{}' has {} axes; its rank is {}", edge.name, edge.axes.rank, rank).about("options.layouts");
      *out = edge.axes;
      return {};
  }
}

}  // namespace

Status read_layouts(const Graph& graph, const anydim_model_options_t& options, CompileOptions* out) {
  ANYDIM_TRY(check_layout(options.input_layout, ANYDIM_LAYOUT_ANY, "options.input_layout"));
  ANYDIM_TRY(check_layout(options.output_layout, ANYDIM_LAYOUT_FOLLOW, "options.output_layout"));
  const auto inputs = graph.inputs();
  const auto outputs = graph.outputs();
  const auto rank_of = [&](ValueId v) { return graph.value(v).type.dims.rank; };
  for (ValueId v : inputs) out->input_layouts.push_back(common_layout(options.input_layout, rank_of(v)));
  for (const GraphOutput& o : outputs) out->output_layouts.push_back(common_layout(options.output_layout, rank_of(o.value)));
  Pin<LayoutsObject> layouts;
  ANYDIM_TRY(layouts.acquire(options.layouts, "options.layouts", true));
  if (layouts.get() == nullptr) return {};
  for (const LayoutsObject::Entry& edge : layouts.get()->entries) {
    bool input = false, output = false;
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i].name == edge.name) {
        output = true;
        ANYDIM_TRY(read_edge(edge, rank_of(outputs[i].value), &out->output_layouts[i]));
      }
    for (size_t i = 0; i < inputs.size(); ++i)
      if (graph.value(inputs[i]).name == edge.name) {
        input = true;
        if (edge.rule == ANYDIM_EDGE_LAYOUT_FOLLOW && output) continue;  // an input that is an output as it is
        if (edge.rule == ANYDIM_EDGE_LAYOUT_FOLLOW)
          return invalid("the layout of input '{}' is follow; outputs follow inputs, not the other way round", edge.name)
              .about("options.layouts");
        ANYDIM_TRY(read_edge(edge, rank_of(inputs[i]), &out->input_layouts[i]));
      }
    if (!input && !output)
      return error(Code::not_found, "a layout is asked for '{}', which is neither an input nor an output of the model", edge.name)
          .about("options.layouts");
  }
  return {};
}

namespace body {

Status layouts_create(std::unique_ptr<LayoutsObject>* out) {
  *out = std::make_unique<LayoutsObject>();
  return {};
}

Status layouts_set(LayoutsObject& layouts, std::string_view name, anydim_edge_layout_t rule, std::span<const int64_t> axes) {
  if (rule < ANYDIM_EDGE_LAYOUT_ORDER || rule > ANYDIM_EDGE_LAYOUT_FOLLOW)
    return invalid("rule is {}; expected {}..{}", rule, ANYDIM_EDGE_LAYOUT_ORDER, ANYDIM_EDGE_LAYOUT_FOLLOW).about("rule");
  if (rule != ANYDIM_EDGE_LAYOUT_ORDER && !axes.empty())
    return invalid("{} axes were given with a rule that takes none", axes.size()).about("axes");
  if (axes.size() > kMaxRank) return invalid("rank is {}; expected 0..{}", axes.size(), kMaxRank).about("rank");
  LayoutsObject::Entry edge{std::string(name), rule, {}};
  uint32_t seen = 0;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t a = axes[i];
    if (a < 0 || a >= static_cast<int64_t>(axes.size()) || (seen >> a & 1) != 0)
      return invalid("axes[{}] is {}; expected each of 0..{} once", i, a, axes.size() - 1).about(formatted("axes[{}]", i));
    seen |= 1u << a;
    edge.axes.push_back(static_cast<int32_t>(a));
  }
  for (LayoutsObject::Entry& e : layouts.entries)
    if (e.name == edge.name) {
      e = std::move(edge);
      return {};
    }
  layouts.entries.push_back(std::move(edge));
  return {};
}

}  // namespace body
}  // namespace anydim::capi
