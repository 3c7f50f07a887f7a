// SPDX-License-Identifier: Apache-2.0
// Reading what a model file says of itself and no run needs.
#pragma once

#include "core/program/model_facts.h"
#include "onnx/format/proto.h"

namespace anydim::capi {

void read_facts(const onnx::ModelProto& model, ModelFacts* out);

}  // namespace anydim::capi
