// SPDX-License-Identifier: Apache-2.0
// Models of ONNX's format as handles: read, imported, compiled. A build without the importer has model_import_absent.cpp in its place.
#include "capi/model_import.h"

#include "capi/custom_operators.h"
#include "capi/log.h"
#include "capi/model_facts.h"
#include "capi/program_files.h"
#include "core/base/text/utf8.h"
#include "core/engines/kernel_cache.h"
#include "core/graph/compile.h"
#include "onnx/format/reader.h"
#include "onnx/walk/import.h"

namespace anydim::capi {

namespace {

// Made when it is first needed, and once, from the graph and the options without devices.
class CompiledAlternative final : public HostAlternative {
 public:
  CompiledAlternative(Graph graph, CompileOptions options) : graph_(std::move(graph)), options_(std::move(options)) {}
  Status get(ProgramPtr* out) override {
    const std::lock_guard lock(mutex_);
    if (made_ == nullptr) {
      const FloatingPointScope floating_point;
      ANYDIM_TRY(anydim::compile(graph_, options_, &made_));
    }
    *out = made_;
    return {};
  }

 private:
  ForkLock mutex_;
  Graph graph_;
  CompileOptions options_;
  ProgramPtr made_;
};

}  // namespace

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
    m->alternative = std::make_shared<CompiledAlternative>(*graph, std::move(host_only));
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

}  // namespace

Status load_model_file(EngineObject& engine, std::string_view path, const anydim_model_options_t& options, bool unpacked,
                       std::unique_ptr<ModelObject>* out) {
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

Status load_model_memory(EngineObject& engine, std::string_view bytes, const anydim_model_options_t& options,
                         std::unique_ptr<ModelObject>* out) {
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

}  // namespace anydim::capi
