// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about models and bounds.
#include <algorithm>

#include "anydim/anydim.h"
#include "capi/custom_operators.h"
#include "capi/explain.h"
#include "capi/log.h"
#include "capi/model_facts.h"
#include "capi/model_objects.h"
#include "capi/program_files.h"
#include "core/base/text/utf8.h"
#include "core/engines/kernel_cache.h"
#include "core/program/program_file.h"
#include "core/program/saved/saved_program.h"
#include "onnx/walk/import.h"
#include "onnx/format/reader.h"

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

Status HostAlternative::get(ProgramPtr* out) {
  const std::lock_guard lock(mutex_);
  if (made_ == nullptr) {
    const FloatingPointScope floating_point;
    ANYDIM_TRY(anydim::compile(graph_, options_, &made_));
  }
  *out = made_;
  return {};
}

void ModelParts::log_alternative(const Status& status) noexcept {
  log_line(ANYDIM_LOG_WARNING, "a device has no memory for its part of the model, which runs on the processor: {}", status.message());
}

Status load_model(EngineObject& engine, const ModelSource& source, const anydim_model_options_t& options, std::unique_ptr<ModelObject>* out,
                  bool unpacked) {
  CompileOptions o;
  o.unpacked = unpacked;
  if (options.math < ANYDIM_MATH_INHERIT || options.math > ANYDIM_MATH_REDUCED)
    return invalid("options.math is {}; expected {}..{}", options.math, ANYDIM_MATH_INHERIT, ANYDIM_MATH_REDUCED).about("options.math");
  o.mode = static_cast<MathMode>(options.math);
  if (options.reuse < ANYDIM_REUSE_INHERIT || options.reuse > ANYDIM_REUSE_REUSABLE_FIRST)
    return invalid("options.reuse is {}; expected {}..{}", options.reuse, ANYDIM_REUSE_INHERIT, ANYDIM_REUSE_REUSABLE_FIRST)
        .about("options.reuse");
  o.reuse = static_cast<ReusePolicy>(options.reuse);
  if (options.passes < ANYDIM_PASSES_ALL || options.passes > ANYDIM_PASSES_NONE)
    return invalid("options.passes is {}; expected {}..{}", options.passes, ANYDIM_PASSES_ALL, ANYDIM_PASSES_NONE).about("options.passes");
  o.passes = static_cast<PassSet>(options.passes);
  if (options.packed_weights != nullptr) {
    if (*options.packed_weights == '\0')
      return invalid("options.packed_weights is empty; expected a path or null").about("options.packed_weights");
    ANYDIM_TRY(MappedWeights::open(options.packed_weights, &o.packed).about("options.packed_weights"));
  }
  bool names_host = false;
  ANYDIM_TRY(read_engines(*engine.engine, options, &o, &names_host));
  const MemorySourceScope memory(engine.engine->memory());
  auto m = std::make_unique<ModelObject>();
  auto facts = std::make_shared<ModelFacts>();
  Result<Graph> graph = source(facts.get());
  if (!graph.ok()) return graph.take_status();
  ANYDIM_TRY(read_layouts(*graph, options, &o));
  m->facts = std::move(facts);
  m->engine = engine.engine;
  Pin<LayersObject> layers;
  ANYDIM_TRY(layers.acquire(options.layers, "options.layers", true));
  if (layers.get() != nullptr) o.layer_modes = layers.get()->modes;
  o.engine = engine.engine;
  o.parallel = engine.engine->parallel();
  const FloatingPointScope floating_point;
  if (names_host && !o.devices.empty()) {
    CompileOptions host_only = o;
    host_only.devices.clear();
    host_only.devices_behind_host = 0;
    m->alternative = std::make_shared<HostAlternative>(*graph, std::move(host_only));
  }
  StreamingOptions streaming;
  ANYDIM_TRY(read_streaming(options, &streaming));
  if (!streaming.axes.empty()) {
    ANYDIM_TRY(compile_with_streams(std::move(*graph), o, streaming, &m->program, &m->streaming).about("options.streaming"));
    *out = std::move(m);
    return {};
  }
  const int64_t programs = KernelCache::totals().compiled.load(), nanoseconds = KernelCache::totals().compile_nanoseconds.load();
  Status compiled = anydim::compile(std::move(*graph), o, &m->program);
  if (compiled.code() == Code::out_of_memory && m->alternative != nullptr) {
    ModelParts::log_alternative(compiled);
    compiled = m->alternative->get(&m->program);
  }
  ANYDIM_TRY(std::move(compiled));
  if (m->program->host_only()) m->alternative.reset();
  if (const int64_t now = KernelCache::totals().compiled.load(); now > programs)
    log_line(ANYDIM_LOG_INFO, "{} programs were compiled for the model, in {:.1f} s", now - programs,
             static_cast<double>(KernelCache::totals().compile_nanoseconds.load() - nanoseconds) / 1e9);
  if (o.packed) {
    const PackedCounts& packed = m->program->packed_counts;
    log_line(ANYDIM_LOG_INFO, "{} of the model's {} weights are mapped from '{}', {} bytes; the others were packed", packed.mapped,
             packed.weights, options.packed_weights, packed.mapped_bytes);
  }
  *out = std::move(m);
  return {};
}

namespace {

// The folder is for models that come from memory.
Status check_no_folder(const anydim_model_options_t& options, const char* why) {
  if (options.external_data_folder == nullptr) return {};
  return invalid("options.external_data_folder is '{}'; expected null, because {}", options.external_data_folder, why)
      .about("options.external_data_folder");
}

Status load(EngineObject& engine, const onnx::Bytes& bytes, onnx::ImportOptions import, const anydim_model_options_t& options,
            std::unique_ptr<ModelObject>* out, bool unpacked = false) {
  if (options.sequences != nullptr) import.sequences = options.sequences;
  if (options.operators != nullptr) {
    Pin<CustomOperatorsObject> operators;
    ANYDIM_TRY(operators.acquire(options.operators, "options.operators", true));
    import.host_operators = operators_of(*operators.get());
  }
  const auto file = [&](ModelFacts* facts) -> Result<Graph> {
    Result<onnx::ModelProto> model = onnx::read_model(bytes.view);
    if (!model.ok()) return model.take_status();
    read_facts(*model, facts);
    return onnx::import_model(*model, bytes, import);
  };
  return load_model(engine, file, options, out, unpacked);
}

Status load_from(EngineObject& engine, std::string_view path, const anydim_model_options_t& options, std::unique_ptr<ModelObject>* out,
                 bool unpacked = false) {
  if (path.empty()) return invalid("path is empty").about("path");
  ANYDIM_TRY(check_no_folder(options, "external data is looked for in the folder of the model's file"));
  const std::string name(path);
  onnx::ImportOptions import;
  Result<onnx::Bytes> bytes = onnx::map_file(name, &import.real_folder);
  if (!bytes.ok()) return bytes.take_status().about("path");
  if (is_program_file(bytes->view)) return load_program_file(engine, name, nullptr, options, unpacked, out);
  const size_t slash = name.find_last_of('/');
  import.folder = slash == std::string::npos ? "." : slash == 0 ? "/" : name.substr(0, slash);
  Status s = load(engine, *bytes, import, options, out, unpacked);
  return s.code() == Code::invalid_model ? std::move(s).at(shown(path)) : std::move(s);
}

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
  return load_from(engine, path, options, out);
}

Status model_load_memory(EngineObject& engine, std::span<const std::byte> data, const anydim_model_options_t& options,
                         std::unique_ptr<ModelObject>* out) {
  const std::string_view bytes(reinterpret_cast<const char*>(data.data()), data.size());
  if (is_program_file(bytes)) return load_program_file(engine, "data", &bytes, options, false, out);
  onnx::ImportOptions import;
  if (options.external_data_folder != nullptr) {
    if (*options.external_data_folder == '\0')
      return invalid("options.external_data_folder is empty; expected a path (\".\" for the working directory) or null")
          .about("options.external_data_folder");
    import.folder = options.external_data_folder;
  }
  return load(engine, onnx::lend(bytes), import, options, out);
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
  ANYDIM_TRY(load_from(engine, path, options, &model, true));
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
