// SPDX-License-Identifier: Apache-2.0
// The list of passes, as data, and its runner.
#include "core/graph/passes/passes.h"

namespace anydim {

namespace {

constexpr Pass kDeadNodes{"dead_nodes", "nodes that nothing reads go", Pass::Kind::exact, passes::dead_nodes};
constexpr Pass kConstants{"constants", "nodes whose inputs are constants are computed now", Pass::Kind::exact, passes::constants};
constexpr Pass kIdentities{"identities", "nodes that change nothing go", Pass::Kind::exact, passes::identities};
constexpr Pass kEqualNodes{"equal_nodes", "nodes that compute the same become one", Pass::Kind::exact, passes::equal_nodes};
constexpr Pass kPostOps{"post_ops", "element-wise operators move into the operator that feeds them", Pass::Kind::exact, nullptr,
                        passes::post_ops};

constexpr Pass kPasses[] = {
    {"dims", "sizes that guards make equal are written the same way", Pass::Kind::exact, passes::dims},
    {"contents", "integers known from shapes replace what computed them", Pass::Kind::exact, passes::contents},
    kDeadNodes,
    {"gather_first", "rows are gathered before they are converted", Pass::Kind::exact, passes::gather_first},
    {"steps_of_16_bits", "what is quantized to 16 bits and back is held in their range", Pass::Kind::choice, passes::steps_of_16_bits},
    {"quantized_products", "products of dequantized operands are products of the quantized values", Pass::Kind::choice,
     passes::quantized_products},
    {"dynamic_scales", "products whose sums are cast to floats and scaled do both", Pass::Kind::exact, passes::dynamic_scales},
    kDeadNodes,
    kConstants,  // behind the products, which read quantized weights; before the tables, to which quantized values may be given
    {"quantized_movers", "quantized values are moved before they are dequantized", Pass::Kind::exact, passes::quantized_movers},
    {"requantize", "what is quantized again with the same scale stays as it is", Pass::Kind::exact, passes::requantize},
    kDeadNodes,
    {"tables", "functions of one 8-bit tensor become tables", Pass::Kind::exact, passes::tables},
    {"quantized_binary", "functions of two between conversions, and a sum behind a product, become one operator", Pass::Kind::exact,
     passes::quantized_binary},
    kDeadNodes,
    kIdentities,
    kEqualNodes,
    {"movers", "transposes and reshapes that follow each other are merged", Pass::Kind::exact, passes::movers},
    {"activations", "hard-swish, hard-sigmoid, SiLU, GELU written out become one function", Pass::Kind::choice, passes::activations},
    {"layer_norm", "layer normalisation written as means becomes one operator", Pass::Kind::choice, passes::layer_norm},
    {"attention", "attention written as products around a softmax becomes one operator", Pass::Kind::choice, nullptr, passes::attention},
    kDeadNodes,
    {"unrounded_wide_halves", "16-bit floats between operators become 32-bit ones", Pass::Kind::choice, nullptr,
     passes::unrounded_wide_halves},
    kIdentities,
    {"early_tiny_parameters", "scales and shifts below 2^-100 are zeros before they are folded", Pass::Kind::choice,
     passes::early_tiny_parameters},
    {"scales", "constant scales and shifts are merged, and folded into weights and bias", Pass::Kind::choice, passes::scales, nullptr,
     passes::scales_in_body},
    {"remaining_constants", kConstants.what, Pass::Kind::exact, passes::remaining_constants},
    {"tiny_parameters", "parameters below 2^-100 are zeros", Pass::Kind::choice, passes::tiny_parameters},
    kIdentities,
    kEqualNodes,
    kDeadNodes,
    {"half_post_ops", "element-wise operators on 16-bit floats move, too, without a rounding in between", Pass::Kind::choice,
     passes::half_post_ops},
    kDeadNodes,
    {"appends", "what is concatenated behind an input to make an output is appended to it", Pass::Kind::exact, passes::appends},
};
constexpr Pass kEnginePasses[] = {
    kPostOps,
    {"quantized_results", "products store the quantized values, or the floats, that their results are converted to", Pass::Kind::exact,
     nullptr, passes::quantized_results},
    kPostOps,
    {"wide_halves", "16-bit floats between operators stay in 32 bits, rounded to 16", Pass::Kind::exact, nullptr, passes::wide_halves},
    kPostOps,
    {"compressed_weights", "products read large weights in the few bits that they are stored in", Pass::Kind::exact, nullptr,
     passes::compressed_weights},
    kDeadNodes,
};

Status run(const Pass& pass, Graph& graph, std::span<const EnginePtr> engines, bool is_body = false) {
  if (is_body && pass.run_in_body != nullptr) return pass.run_in_body(graph);
  return pass.run_on != nullptr ? pass.run_on(graph, engines) : pass.run(graph);
}

}  // namespace

Status run_passes(Graph& graph, const PassOptions& options) {
  using Phase = PassOptions::Phase;
  const auto all_of = [&](std::span<const Pass> passes) -> Status {
    for (const Pass& pass : passes) {
      if (options.set == PassSet::none || (options.set == PassSet::exact && pass.kind == Pass::Kind::choice)) continue;
      if (Status s = run(pass, graph, options.engines, options.is_body); !s.ok()) return std::move(s).at(formatted("pass {}", pass.name));
      if (options.after) options.after(pass.name, graph);
    }
    return {};
  };
  if (options.after && options.phase != Phase::engines) options.after("import", graph);
  if (options.phase != Phase::engines) ANYDIM_TRY(all_of(kPasses));
  if (options.phase == Phase::neutral) return {};  // what follows verifies the graph
  ANYDIM_TRY(all_of(kEnginePasses));
  return graph.verify().at("after the passes");
}

Status run_pass(Graph& graph, std::string_view name) {
  for (const std::span<const Pass> passes : {std::span<const Pass>(kPasses), std::span<const Pass>(kEnginePasses)})
    for (const Pass& pass : passes)
      if (name == pass.name) {
        ANYDIM_TRY(run(pass, graph, {}));
        return graph.verify();
      }
  return error(Code::not_found, "there is no pass {}", name);
}

}  // namespace anydim
