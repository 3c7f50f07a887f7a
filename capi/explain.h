// SPDX-License-Identifier: Apache-2.0
// Explanations as JSON: of a primitive, of a model, and of a context at the shapes of its last run.
#pragma once

#include <span>
#include <string>

#include "core/program/model_facts.h"
#include "core/dispatch/tuning/cost.h"
#include "core/dispatch/primitive/primitive.h"
#include "core/program/program.h"
#include "core/run/context/run_report.h"
#include "core/run/context/tuning.h"

namespace anydim::capi {

// The report of tune().
void explain_tuning(std::span<const NodeTuning> nodes, std::string* json);

Status explain_primitive(const Primitive& primitive, MathMode requested, std::span<const TensorView> in, std::string* json);
std::string choices_text(const std::vector<Choice>& choices);
Status describe_model(const Program& program, const ModelFacts& facts, std::string* json);
Status explain_run(const RunReport& run, std::string* json);

}  // namespace anydim::capi
