// SPDX-License-Identifier: Apache-2.0
// Saved programs as models; see program_files.h.
#include "capi/program_files.h"

#include "core/program/saved/saved_program.h"

namespace anydim::capi {

namespace {

// What was settled when the program was saved.
Status check_options(const anydim_model_options_t& o) {
  Pin<LayoutsObject> layouts;
  Pin<LayersObject> layers;
  ANYDIM_TRY(layouts.acquire(o.layouts, "options.layouts", true));
  ANYDIM_TRY(layers.acquire(o.layers, "options.layers", true));
  const std::pair<bool, const char*> asked[] = {
      {o.math != ANYDIM_MATH_INHERIT, "math"},
      {o.passes != ANYDIM_PASSES_ALL, "passes"},
      {o.input_layout != 0, "input_layout"},
      // To follow is what callers that see strides ask for without knowing the file: outputs lie as was settled.
      {o.output_layout != 0 && o.output_layout != ANYDIM_LAYOUT_FOLLOW, "output_layout"},
      {layouts.get() != nullptr && !layouts.get()->entries.empty(), "layouts"},
      {layers.get() != nullptr && !layers.get()->modes.empty(), "layers"},
      {o.packed_weights != nullptr, "packed_weights"},
      {o.sequences != nullptr, "sequences"},
      {o.streaming != nullptr, "streaming"},
      {o.external_data_folder != nullptr, "external_data_folder"},
  };
  std::string names;
  const char* first = nullptr;
  for (const auto& [is_set, name] : asked) {
    if (!is_set) continue;
    if (first == nullptr) first = name;
    names += formatted("{}options.{}", names.empty() ? "" : ", ", name);
  }
  if (first == nullptr) return {};
  return invalid("{} cannot be asked of a program file: it was settled when that was saved; load the model itself", names)
      .about(formatted("options.{}", first));
}

}  // namespace

bool is_program_file(std::string_view bytes) noexcept { return CheckedFile::is(kProgramFile, bytes); }

Status load_program_file(EngineObject& engine, const std::string& name, const std::string_view* bytes,
                         const anydim_model_options_t& options, bool unpacked, std::unique_ptr<ModelObject>* out) {
  if (unpacked)
    return unimplemented("'{}' is a program file, whose weights are packed; expected the model that it was made of", name).about("path");
  ANYDIM_TRY(check_options(options));
  if (options.reuse < ANYDIM_REUSE_INHERIT || options.reuse > ANYDIM_REUSE_REUSABLE_FIRST)
    return invalid("options.reuse is {}; expected {}..{}", options.reuse, ANYDIM_REUSE_INHERIT, ANYDIM_REUSE_REUSABLE_FIRST)
        .about("options.reuse");
  CompileOptions devices;
  bool names_host = false;
  ANYDIM_TRY(read_engines(*engine.engine, options, &devices, &names_host));
  if (!devices.devices.empty())
    return unimplemented("options.engines names {}; a program file runs on the processor alone", devices.devices.front()->kind())
        .about("options.engines");
  std::shared_ptr<const CheckedFile> file;
  if (bytes != nullptr) ANYDIM_TRY(CheckedFile::copy(kProgramFile, *bytes, name, &file).about("data"));
  else ANYDIM_TRY(CheckedFile::open(kProgramFile, name, &file).about("path"));
  const MemorySourceScope memory(engine.engine->memory());
  auto m = std::make_unique<ModelObject>();
  auto facts = std::make_shared<ModelFacts>();
  ANYDIM_TRY(load_program(engine.engine, file, name, static_cast<ReusePolicy>(options.reuse), &m->program, facts.get()));
  m->facts = std::move(facts);
  m->engine = engine.engine;
  *out = std::move(m);
  return {};
}

}  // namespace anydim::capi
