// SPDX-License-Identifier: Apache-2.0
// Explanations as JSON: of a primitive, of a model, and of a context at the shapes of its last run.
#pragma once

#include <span>
#include <string>

#include "capi/model_facts.h"
#include "core/dispatch/cost.h"
#include "core/dispatch/primitive.h"
#include "core/graph/context.h"
#include "core/graph/model.h"

namespace anydim::capi {

// The report of Context::tune.
void explain_tuning(std::span<const NodeTuning> nodes, std::string* json);

Status explain_primitive(const Primitive& primitive, std::span<const TensorView> in, std::string* json);
std::string choices_text(const std::vector<Choice>& choices);
Status describe_model(const Model& model, const ModelFacts& facts, std::string* json);
Status explain_run(const RunReport& run, const Model& model, std::string* json);

}  // namespace anydim::capi
