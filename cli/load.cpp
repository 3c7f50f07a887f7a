// SPDX-License-Identifier: Apache-2.0
// Loading a model as the options of a command ask, and what its inputs and outputs are.
#include <optional>

#include "cli/arguments.h"
#include "cli/client.h"
#include "cli/engines.h"
#include "cli/programs_bar.h"

namespace anydim_cli {

Loaded load(const LoadOptions& load_options) {
  Loaded loaded;
  const Layouts layouts = parse_layouts(load_options.layouts);
  const Layers layers = parse_layers(load_options.layer_math);
  anydim_model_options_t options = ANYDIM_MODEL_OPTIONS_INIT;
  options.layouts = layouts.get();
  options.packed_weights = load_options.packed.empty() ? nullptr : load_options.packed.c_str();
  options.passes = load_options.passes;
  options.math = load_options.math;
  options.layers = layers.get();
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, loaded.engine.out()));
  for (const std::string& file : load_options.load_engines) load_engine(file);
  std::optional<ProgramsBar> bar;
  if (!load_options.engine.empty() && load_options.engine != "cpu") bar.emplace();
  if (!load_options.engine.empty()) loaded.device = make_engine(load_options.engine, load_options.flushed_denormals);
  const anydim_engine_t engines[] = {loaded.device.get()};
  if (!load_options.engine.empty()) {
    options.engines = engines;
    options.engine_count = 1;
  }
  check(anydim_model_load_file(loaded.engine.get(), load_options.model.c_str(), &options, loaded.model.out()), load_options.model);
  return loaded;
}

template <class Query> static std::vector<anydim_value_info_t> values_of(const Model& model, bool outputs, Query query) {
  int32_t in = 0, out = 0;
  check(anydim_model_get_counts(model.get(), &in, &out));
  std::vector<anydim_value_info_t> infos;
  for (int32_t i = 0; i < (outputs ? out : in); ++i) {
    anydim_value_info_t info = ANYDIM_VALUE_INFO_INIT;
    check(query(model.get(), i, &info));
    infos.push_back(info);
  }
  return infos;
}
std::vector<anydim_value_info_t> inputs_of(const Model& model) { return values_of(model, false, anydim_model_get_input); }
std::vector<anydim_value_info_t> outputs_of(const Model& model) { return values_of(model, true, anydim_model_get_output); }

}  // namespace anydim_cli
