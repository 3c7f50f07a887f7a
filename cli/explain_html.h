// SPDX-License-Identifier: Apache-2.0
// The graph of a run as a page of HTML with a picture (SVG), from the JSON of `anydim explain`.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace anydim_cli {

// `layout` names the memory order of an operand of the JSON.
std::string graph_page(const std::string& title, const nlohmann::ordered_json& run,
                       const std::function<std::string(const nlohmann::ordered_json&)>& layout);

}  // namespace anydim_cli
