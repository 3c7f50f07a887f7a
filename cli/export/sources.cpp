// SPDX-License-Identifier: Apache-2.0
// The kernels' sources as a model gets them: what it includes in one file, without functions that it does not use, under its own name.
#include <algorithm>
#include <cstring>
#include <regex>
#include <sstream>

#include "cli/client.h"
#include "cli/export/emit.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

// A source with what it includes, each once.
static void collect_source(const std::string& file, std::set<std::string>* seen, std::string* out, const std::set<std::string>& functions) {
  if (!seen->insert(file).second) return;
  const char* const text = kernel_source(file);
  if (text == nullptr) throw Failure("there is no kernel source " + file);
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view kInclude = "#include \"";
    if (line.compare(0, kInclude.size(), kInclude) == 0 && line.find("kernels.h") == std::string::npos) {
      collect_source(line.substr(kInclude.size(), line.size() - kInclude.size() - 1), seen, out, functions);
      continue;
    }
    // Functions that the model does not use stay away.
    constexpr std::string_view kCase = "    case ANYDIM_";
    if (line.compare(0, kCase.size(), kCase) == 0 && line.find(": EACH(") != std::string::npos) {
      const std::string function = line.substr(kCase.size(), line.find(':') - kCase.size());
      if (functions.count(function) == 0) continue;
    }
    *out += line + '\n';
  }
  *out += '\n';
}

std::string renamed(std::string text, const std::string& name) {
  for (const auto& [from, to] : {std::pair(std::string("anydim_"), name + "_"), std::pair(std::string("ANYDIM_"), upper(name) + "_")})
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) text.replace(at, from.size(), to);
  for (size_t at = 0; (at = text.find("#include \"kernels.h\"", at)) != std::string::npos;)
    text.replace(at, std::strlen("#include \"kernels.h\""), formatted("#include \"{}_kernels.h\"", name));
  return text;
}

std::string kernels_text(const std::vector<Call>& calls, int rank, const ExportNames& names) {
  std::set<std::string> seen, sources, functions;
  for (const Call& c : calls) {
    if (c.kernel.empty()) continue;
    sources.insert((c.source.empty() ? c.kernel : c.source) + ".c");
    for (const PostOp& p : c.posts) functions.insert(p.function);
    const std::regex function("ANYDIM_([a-z_0-9]+)");
    for (std::sregex_iterator i(c.attributes.begin(), c.attributes.end(), function), end; i != end; ++i) functions.insert((*i)[1]);
  }
  std::string text = formatted("/* Kernels of {}, by `anydim export`; see {}_kernels.h. */\n#define ANYDIM_RANK {}\n", comment(names.model),
                               names.name, std::max(rank, 5));
  if (const Archive* const a = names.archive) text += formatted("#define ANYDIM_ARCHIVE_FORM adk_panels_{}_{}\n", a->vector, a->granule);
  for (const std::string& s : sources) collect_source(s, &seen, &text, functions);
  return renamed(text, names.name);
}

}  // namespace anydim_cli::exporting
