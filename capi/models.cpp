// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about models and bounds. How a model is made of a file: model_import.cpp.
#include <algorithm>

#include "anydim/anydim.h"
#include "capi/explain.h"
#include "capi/log.h"
#include "capi/model_import.h"
#include "capi/model_objects.h"
#include "capi/program_files.h"
#include "core/program/program_file.h"
#include "core/program/saved/saved_program.h"

namespace anydim::capi {

Status read_engines(const Engine& host, const anydim_model_options_t& options, CompileOptions* to, bool* names_host) {
  if (!host.is_host())
    return invalid("engine is of kind {}; a model is loaded for a cpu engine, and options.engines names others", host.kind())
        .about("engine");
  PinArray<EngineObject> engines;
  ANYDIM_TRY(engines.acquire(options.engines, options.engine_count, "options.engines", false));
  bool behind = false;
  *names_host = false;
  for (const EngineObject* e : engines.span()) {
    *names_host |= e->engine->is_host();
    const auto known = [&](const EnginePtr& d) { return same_device(*d, *e->engine); };
    behind = behind || e->engine->is_host();
    if (e->engine->is_host() || std::any_of(to->devices.begin(), to->devices.end(), known)) continue;
    to->devices.push_back(e->engine);
    to->devices_behind_host += behind;
  }
  return {};
}

void ModelParts::log_alternative(const Status& status) noexcept {
  log_line(ANYDIM_LOG_WARNING, "a device has no memory for its part of the model, which runs on the processor: {}", status.message());
}

namespace {

// A promised list of dims as values, -1 where dynamic.
void describe(const Program::IoSpec& edge, const DimPool& pool, anydim_value_info_t* info) {
  info->name = string_of(edge.name);
  info->dtype = static_cast<anydim_dtype_t>(edge.dtype);
  info->dims.rank = info->min.rank = info->max.rank = edge.dims.rank;
  for (int i = 0; i < edge.dims.rank; ++i) {
    const Interval range = pool.interval(edge.dims[i]);
    info->dims.values[i] = edge.dims[i].is_number() && i >= edge.optional ? edge.dims[i].number() : -1;
    info->min.values[i] = range.min;
    info->max.values[i] = range.max;
    info->symbols[i] = static_cast<size_t>(i) < edge.dim_text.size() ? string_of(edge.dim_text[static_cast<size_t>(i)]) : string_of("");
  }
  if (edge.order.empty()) {
    info->order.rank = edge.dims.rank;
    for (int i = 0; i < edge.dims.rank; ++i) info->order.values[i] = i;
  } else {
    info->order = dims_of(edge.order);
  }
}

Status edge(std::span<const Program::IoSpec> edges, const DimPool& pool, int32_t index, const char* what, anydim_value_info_t* info) {
  if (index < 0 || static_cast<size_t>(index) >= edges.size())
    return error(Code::not_found, "index is {}; the model has {} {}", index, edges.size(), what).about("index");
  describe(edges[static_cast<size_t>(index)], pool, info);
  return {};
}

Status find(std::span<const Program::IoSpec> edges, std::string_view name, const char* what, int32_t* index) {
  for (size_t i = 0; i < edges.size(); ++i)
    if (edges[i].name == name) {
      *index = static_cast<int32_t>(i);
      return {};
    }
  return error(Code::not_found, "name is '{}'; the model has no {} of that name", name, what).about("name");
}

}  // namespace

Status read_bounds(const Program& program, const BoundsObject& from, Bounds* out) {
  const std::vector<Program::IoSpec>& inputs = program.inputs;
  out->assign(inputs.size(), {});
  // An input without bounds keeps what the program itself says.
  for (size_t i = 0; i < inputs.size(); ++i)
    for (const Dim d : inputs[i].dims) (*out)[i].dims.push_back(program.dims.interval(d));
  for (const BoundsObject::Input& b : from.inputs) {
    size_t i = 0;
    while (i < inputs.size() && inputs[i].name != b.name) ++i;
    if (i == inputs.size())
      return error(Code::not_found, "bounds are set for input '{}', which the model does not have", b.name).about("bounds");
    if (b.dims.rank != inputs[i].dims.rank)
      return invalid("bounds of input '{}' have rank {}; the input has rank {}", b.name, b.dims.rank, inputs[i].dims.rank).about("bounds");
    for (int a = 0; a < b.dims.rank; ++a) {
      const anydim_dim_t& d = b.dims[a];
      (*out)[i].dims[a] = d.value >= 0 ? Interval{d.value, d.value} : Interval{d.min, std::min(d.max, kMaxSize)};
    }
  }
  return {};
}

bool on_device(const Program& program) noexcept {
  return std::any_of(program.engines.begin(), program.engines.end(), [](const EnginePtr& e) { return !e->is_host(); });
}

namespace body {

Status model_load_file(EngineObject& engine, std::string_view path, const anydim_model_options_t& options,
                       std::unique_ptr<ModelObject>* out) {
  return load_model_file(engine, path, options, false, out);
}

Status model_load_memory(EngineObject& engine, std::span<const std::byte> data, const anydim_model_options_t& options,
                         std::unique_ptr<ModelObject>* out) {
  return load_model_memory(engine, {reinterpret_cast<const char*>(data.data()), data.size()}, options, out);
}

Status model_query(ModelObject& model, anydim_model_info_t* info) {
  const Program& p = *model.program;
  info->metadata = static_cast<int32_t>(p.metadata.size());
  const ModelFacts& facts = *model.facts;
  info->producer_name = string_of(facts.producer_name);
  info->producer_version = string_of(facts.producer_version);
  info->graph_name = string_of(facts.graph_name);
  info->domain = string_of(facts.domain);
  info->description = string_of(facts.description);
  info->version = facts.version;
  info->opset = facts.opset;
  info->nodes = static_cast<int32_t>(p.steps.size());
  info->file_nodes = facts.nodes;
  info->weight_bytes = p.weight_bytes;
  info->packed_weights = p.packed_counts.weights;
  info->mapped_weights = p.packed_counts.mapped;
  info->mapped_bytes = p.packed_counts.mapped_bytes;
  info->engines = static_cast<int32_t>(p.engines.size());
  return {};
}

Status model_get_engine(ModelObject& model, int32_t index, anydim_engine_info_t* info) {
  const auto& engines = model.program->engines;
  if (index < 0 || static_cast<size_t>(index) >= engines.size())
    return error(Code::not_found, "index is {}; the model runs on {} engine{}", index, engines.size(), engines.size() == 1 ? "" : "s")
        .about("index");
  fill_engine_info(*engines[static_cast<size_t>(index)], info);
  return {};
}

Status model_get_metadata(ModelObject& model, int32_t index, anydim_string_t* key, anydim_string_t* value) {
  const auto& entries = model.program->metadata;
  if (index < 0 || static_cast<size_t>(index) >= entries.size())
    return error(Code::not_found, "index is {}; the model has {} metadata entries", index, entries.size()).about("index");
  *key = string_of(entries[static_cast<size_t>(index)].first);
  *value = string_of(entries[static_cast<size_t>(index)].second);
  return {};
}

Status model_get_counts(ModelObject& model, int32_t* inputs, int32_t* outputs) {
  *inputs = static_cast<int32_t>(model.program->inputs.size());
  *outputs = static_cast<int32_t>(model.program->outputs.size());
  return {};
}

Status model_get_input(ModelObject& model, int32_t index, anydim_value_info_t* info) {
  return edge(model.program->inputs, model.program->dims, index, "inputs", info);
}

Status model_get_output(ModelObject& model, int32_t index, anydim_value_info_t* info) {
  return edge(model.program->outputs, model.program->dims, index, "outputs", info);
}

Status model_find_input(ModelObject& model, std::string_view name, int32_t* index) {
  return find(model.program->inputs, name, "input", index);
}

Status model_find_output(ModelObject& model, std::string_view name, int32_t* index) {
  return find(model.program->outputs, name, "output", index);
}

Status model_save_packed(ModelObject& model, std::string_view path, const anydim_save_options_t& options) {
  if (path.empty()) return invalid("path is empty").about("path");
  return save_weights(model.program->packed, std::string(path), options.sync != 0);
}

Status model_save_program(ModelObject& model, std::string_view path, const anydim_save_options_t& options) {
  if (path.empty()) return invalid("path is empty").about("path");
  if (model.streaming != nullptr)
    return unimplemented("the program cannot be saved: options.streaming was set, and a file holds no streams");
  return save_program(*model.program, *model.facts, std::string(path), options.sync != 0);
}

Status model_write_program(EngineObject& engine, std::string_view path, const anydim_model_options_t& options, BoundsObject* bounds,
                           std::string_view output) {
  if (output.empty()) return invalid("output is empty; expected a path").about("output");
  std::unique_ptr<ModelObject> model;
  ANYDIM_TRY(load_model_file(engine, path, options, true, &model));
  Bounds within;
  if (bounds != nullptr) ANYDIM_TRY(read_bounds(*model->program, *bounds, &within));
  const Bounds* const promised = bounds != nullptr ? &within : nullptr;
  if (model->streaming != nullptr) return write_streaming_program(*model->streaming, promised, std::string(output));
  return write_program(*model->program, promised, std::string(output));
}

Status model_describe(ModelObject& model, std::unique_ptr<TextObject>* text) {
  std::string json;
  ANYDIM_TRY(describe_model(*model.program, *model.facts, &json));
  return make_text(std::move(json), text);
}

Status bounds_create(std::unique_ptr<BoundsObject>* out) {
  *out = std::make_unique<BoundsObject>();
  return {};
}

Status bounds_set(BoundsObject& bounds, std::string_view input, std::span<const anydim_dim_t> dims) {
  if (dims.size() > kMaxRank) return invalid("rank is {}; expected 0..{}", dims.size(), kMaxRank).about("rank");
  for (size_t i = 0; i < dims.size(); ++i) ANYDIM_TRY(check_dim(dims[i], static_cast<int>(i)));
  for (BoundsObject::Input& b : bounds.inputs)
    if (b.name == input) {
      b.dims = RankArray<anydim_dim_t>(dims);
      return {};
    }
  bounds.inputs.push_back({std::string(input), RankArray<anydim_dim_t>(dims)});
  return {};
}

}  // namespace body
}  // namespace anydim::capi
