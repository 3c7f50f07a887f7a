// SPDX-License-Identifier: Apache-2.0
// `anydim kernels [OPERATOR]`: all kernels of an engine, of each operator in the order in which they are tried.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/engines.h"
#include "cli/print.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;

struct Operator {
  std::string name;
  std::vector<anydim_kernel_info_t> kernels;  // the best first
};

// In the order in which operators are described.
std::vector<Operator> operators_of(const Engine& engine) {
  std::vector<Operator> all;
  for (int32_t i = 0;; ++i) {
    anydim_kernel_info_t kernel = ANYDIM_KERNEL_INFO_INIT;
    const anydim_status_t status = anydim_engine_get_kernel(engine.get(), i, &kernel);
    if (status == ANYDIM_STATUS_NOT_FOUND) break;
    check(status);
    const std::string name = text_of(kernel.op);
    auto found = std::find_if(all.begin(), all.end(), [&](const Operator& o) { return o.name == name; });
    if (found == all.end()) found = all.insert(all.end(), {name, {}});
    found->kernels.push_back(kernel);
  }
  std::sort(all.begin(), all.end(), [](const Operator& a, const Operator& b) { return a.name < b.name; });
  return all;
}

// Element types of input and output; a kernel that takes several says so when it is asked.
std::string dtypes_text(const anydim_kernel_info_t& k) {
  if (k.src == 0 && k.dst == 0) return "several";
  return k.src == k.dst ? dtype_name(k.src) : formatted("{} to {}", dtype_name(k.src), dtype_name(k.dst));
}

}  // namespace

void kernels(const KernelsOptions& options) {
  const Engine engine = make_engine(options.engine, false);
  std::vector<Operator> all = operators_of(engine);
  if (!options.op.empty()) {
    std::erase_if(all, [&](const Operator& o) { return o.name != options.op; });
    if (all.empty()) throw Failure(formatted("'{}' is no operator with kernels; `anydim kernels` lists them all", shown(options.op)));
  }
  if (options.json) {
    Json operators = Json::array();
    for (const Operator& o : all) {
      Json list = Json::array();
      for (const anydim_kernel_info_t& k : o.kernels)
        list.push_back({{"name", text_of(k.name)},
                        {"instruction_set", text_of(k.isa)},
                        {"layout", text_of(k.layout)},
                        {"dtypes", dtypes_text(k)},
                        {"usable", k.usable == 1}});
      operators.push_back({{"operator", o.name}, {"kernels", list}});
    }
    print("{}\n", operators.dump(2));
    return;
  }
  for (const Operator& o : all) {
    Table table({"kernel", "needs", "layout", "element types", "here"});
    for (const anydim_kernel_info_t& k : o.kernels)
      table.row({text_of(k.name), text_of(k.isa), text_of(k.layout), dtypes_text(k), k.usable == 1 ? "yes" : "no"});
    print("{}\n{}\n", o.name, table.text());
  }
}

}  // namespace anydim_cli
