// SPDX-License-Identifier: Apache-2.0
// Operators that a program brings itself: a set of them, and the callbacks as what the importer and runs know.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "anydim/anydim.h"
#include "capi/objects.h"
#include "onnx/walk/host_operators.h"

namespace anydim::capi {

struct CallbackOperator;
using CallbackOperatorPtr = std::shared_ptr<const CallbackOperator>;
// By domain, which is empty for ONNX's own, and name.
using CallbackOperators = std::map<std::pair<std::string, std::string>, CallbackOperatorPtr>;

struct CustomOperatorsObject final : Object {
  CallbackOperators all;
};

// The operators that a set has now; later ones do not come to the model that is loaded.
std::shared_ptr<const onnx::HostOperators> operators_of(const CustomOperatorsObject& from);

}  // namespace anydim::capi
