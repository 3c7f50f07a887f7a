// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about models that a program builds.
#include "anydim/anydim.h"
#include "capi/environment.h"
#include "capi/model_facts.h"
#include "capi/model_objects.h"
#include "onnx/walk/import.h"

namespace anydim::capi {

namespace {

// Elements of a caller's.
class Lent final : public Lender {
 public:
  explicit Lent(std::shared_ptr<const Environment> environment) noexcept : environment_(std::move(environment)) {}
  bool stays() const noexcept override { return environment_ != nullptr; }

 private:
  std::shared_ptr<const Environment> environment_;  // null: they are there for as long as the graph
};

// What changes a graph: what was asked of it before no longer counts.
onnx::ModelBuilder& changed(ModelBuilderObject& builder) noexcept {
  builder.inferred = false;
  return builder.builder;
}

}  // namespace

namespace body {

Status model_builder_create(std::unique_ptr<ModelBuilderObject>* out) {
  *out = std::make_unique<ModelBuilderObject>();
  return {};
}

Status model_builder_set_opset(ModelBuilderObject& builder, std::string_view domain, int64_t version) {
  return changed(builder).set_opset(domain, version);
}

Status model_builder_add_input(ModelBuilderObject& builder, std::string_view name, anydim_dtype_t dtype, std::span<const int64_t> dims) {
  DType t{};
  ANYDIM_TRY(check_dtype(dtype, &t));
  return changed(builder).add_input(name, t, dims);
}

Status model_builder_set_symbol(ModelBuilderObject& builder, std::string_view input, int32_t axis, std::string_view symbol) {
  return changed(builder).set_symbol(input, axis, symbol);
}

Status model_builder_add_output(ModelBuilderObject& builder, std::string_view name) { return changed(builder).add_output(name); }

Status model_builder_add_constant(ModelBuilderObject& builder, std::string_view name, anydim_dtype_t dtype, std::span<const int64_t> dims,
                                  void* data, anydim_finalizer_callback_t finalizer, void* user) {
  DType t{};
  ANYDIM_TRY(check_dtype(dtype, &t));
  const auto environment = finalizer != nullptr ? std::make_shared<const Environment>(user, finalizer) : nullptr;
  ANYDIM_TRY(changed(builder).add_constant(name, t, dims, data, std::make_shared<const Lent>(environment)));
  if (environment != nullptr) environment->hand_over();
  return {};
}

Status model_builder_add_node(ModelBuilderObject& builder, std::string_view op_type, std::string_view domain, std::string_view name) {
  return changed(builder).add_node(op_type, domain, name);
}

Status model_builder_add_node_input(ModelBuilderObject& builder, std::string_view value) { return changed(builder).node_input(value); }

Status model_builder_add_node_output(ModelBuilderObject& builder, std::string_view value) { return changed(builder).node_output(value); }

Status model_builder_set_node_integer(ModelBuilderObject& builder, std::string_view attribute, int64_t value) {
  return changed(builder).node_integer(attribute, value);
}

Status model_builder_set_node_integers(ModelBuilderObject& builder, std::string_view attribute, std::span<const int64_t> values) {
  return changed(builder).node_integers(attribute, values);
}

Status model_builder_set_node_real(ModelBuilderObject& builder, std::string_view attribute, float value) {
  return changed(builder).node_real(attribute, value);
}

Status model_builder_set_node_reals(ModelBuilderObject& builder, std::string_view attribute, std::span<const float> values) {
  return changed(builder).node_reals(attribute, values);
}

Status model_builder_set_node_text(ModelBuilderObject& builder, std::string_view attribute, std::string_view value) {
  return changed(builder).node_text(attribute, value);
}

Status model_builder_append_node_text(ModelBuilderObject& builder, std::string_view attribute, std::string_view value) {
  return changed(builder).node_append_text(attribute, value);
}

Status model_builder_set_node_tensor(ModelBuilderObject& builder, std::string_view attribute, anydim_dtype_t dtype,
                                     std::span<const int64_t> dims, void* data) {
  DType t{};
  ANYDIM_TRY(check_dtype(dtype, &t));
  return changed(builder).node_tensor(attribute, t, dims, data);
}

Status model_builder_set_node_body(ModelBuilderObject& builder, std::string_view attribute, ModelBuilderObject& body) {
  return changed(builder).node_body(attribute, body.builder);
}

Status model_builder_add_value_type(ModelBuilderObject& builder, std::string_view name, anydim_dtype_t dtype,
                                    std::span<const int64_t> dims) {
  DType t{};
  ANYDIM_TRY(check_dtype(dtype, &t));
  return changed(builder).add_value_type(name, t, dims);
}

Status model_builder_get_refusal(ModelBuilderObject& builder, int32_t node, anydim_string_t* why) {
  const size_t nodes = builder.builder.model().graph.node.size();
  if (node < 0 || static_cast<size_t>(node) >= nodes)
    return error(Code::not_found, "node is {}; the graph has {} nodes", node, nodes).about("node");
  if (!builder.inferred) {
    Result<std::vector<std::string>> refusals = onnx::probe_model(builder.builder.model());
    if (!refusals.ok()) return refusals.take_status();
    builder.refusals = *std::move(refusals);
    builder.inferred = true;
  }
  *why = string_of(builder.refusals[static_cast<size_t>(node)]);
  return {};
}

Status model_builder_create_model(ModelBuilderObject& builder, EngineObject& engine, const anydim_model_options_t& options,
                                  std::unique_ptr<ModelObject>* out) {
  if (options.sequences != nullptr)
    return unimplemented("options.sequences with a model that a program builds; its inputs are tensors").about("options.sequences");
  if (options.operators != nullptr)
    return unimplemented("options.operators with a model that a program builds; only models of files have them").about("options.operators");
  if (options.external_data_folder != nullptr)
    return invalid("options.external_data_folder is '{}'; expected null, because the graph has its constants", options.external_data_folder)
        .about("options.external_data_folder");
  const auto built = [&](ModelFacts* facts) {
    read_facts(builder.builder.model(), facts);
    return onnx::import_model(builder.builder.model());
  };
  return load_model(engine, built, options, out);
}

}  // namespace body
}  // namespace anydim::capi
