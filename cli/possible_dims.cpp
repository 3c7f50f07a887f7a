// SPDX-License-Identifier: Apache-2.0
// Sizes that a model accepts: it is asked about each up to 256; see possible_dims.h.
#include "cli/possible_dims.h"

#include <algorithm>
#include <iterator>
#include <vector>

#include "cli/print.h"

namespace anydim_cli {

namespace {

constexpr int64_t kMost = 256;  // sizes that are tried in each dim
// Where the other dims stand meanwhile; the first at which the model accepts all of them.
constexpr int64_t kElsewhere[] = {64, 32, 128, 1, 2, 48, 224, 320, 640, 96, 256, 512};

class Prober {
 public:
  explicit Prober(const Loaded& loaded) : inputs_(inputs_of(loaded.model)) {
    anydim_context_options_t options = ANYDIM_CONTEXT_OPTIONS_INIT;
    options.threads = 1;
    check(anydim_context_create(loaded.model.get(), nullptr, &options, context_.out()));
    for (const anydim_value_info_t& input : inputs_)
      for (int i = 0; i < input.dims.rank; ++i)
        if (input.dims.values[i] < 0) {
          int64_t& least = least_.try_emplace(text_of(input.symbols[i]), 0).first->second;
          least = std::max({least, input.min.values[i], int64_t{1}});
        }
  }

  // Of floats alone: their elements are not read, so there need be none.
  bool possible() const {
    return !inputs_.empty() && !least_.empty() && std::all_of(inputs_.begin(), inputs_.end(), [](const anydim_value_info_t& input) {
      return input.dtype == ANYDIM_F32 || input.dtype == ANYDIM_F64 || input.dtype == ANYDIM_F16 || input.dtype == ANYDIM_BF16;
    });
  }

  const std::map<std::string, int64_t>& symbols() const { return least_; }

  bool accepts(const std::map<std::string, int64_t>& sizes) {
    std::vector<anydim_view_t> views(inputs_.size());
    for (size_t v = 0; v < views.size(); ++v) {
      views[v].data = &nothing_;
      views[v].dtype = inputs_[v].dtype;
      views[v].dims = inputs_[v].dims;
      for (int i = 0; i < views[v].dims.rank; ++i)
        if (int64_t& d = views[v].dims.values[i]; d < 0) d = sizes.at(text_of(inputs_[v].symbols[i]));
    }
    anydim_dims_t dims{};
    const anydim_status_t status =
        anydim_context_get_output_dims(context_.get(), views.data(), static_cast<int32_t>(views.size()), 0, &dims);
    return status == ANYDIM_STATUS_OK || status == ANYDIM_STATUS_UNIMPLEMENTED;  // the latter: a size that only a run finds
  }

 private:
  std::vector<anydim_value_info_t> inputs_;
  std::map<std::string, int64_t> least_;
  Context context_;
  double nothing_ = 0;
};

// Of the sizes that are accepted among least..kMost: "5 or more", "33 to 80", "48", "multiples of 32", "multiples of 32 and others";
// nothing if that is all of them, or there is no such rule.
std::string rule_of(const std::vector<int64_t>& sizes, int64_t least) {
  if (sizes.empty() || sizes.size() == static_cast<size_t>(kMost - least + 1)) return {};
  if (sizes.back() - sizes.front() + 1 == std::ssize(sizes)) {
    if (sizes.back() == kMost) return formatted("{} or more", sizes.front());
    return sizes.size() == 1 ? std::to_string(sizes.front()) : formatted("{} to {}", sizes.front(), sizes.back());
  }
  for (int64_t step = 2; step <= kMost / 2; ++step) {
    const int64_t first = (least + step - 1) / step * step, count = (kMost - first) / step + 1;
    const auto multiples = std::count_if(sizes.begin(), sizes.end(), [&](int64_t size) { return size % step == 0; });
    if (multiples == count) return formatted("multiples of {}{}", step, multiples == std::ssize(sizes) ? "" : " and others");
  }
  return {};
}

}  // namespace

std::map<std::string, std::string> possible_dims(const Loaded& loaded) {
  Prober prober(loaded);
  std::map<std::string, std::string> rules;
  if (!prober.possible()) return rules;
  std::map<std::string, int64_t> sizes;
  bool found = false;
  for (const int64_t size : kElsewhere) {
    for (const auto& [symbol, least] : prober.symbols()) sizes[symbol] = std::max(size, least);
    if ((found = prober.accepts(sizes))) break;
  }
  if (!found) return rules;
  for (const auto& [symbol, least] : prober.symbols()) {
    std::map<std::string, int64_t> tried = sizes;
    std::vector<int64_t> accepted;
    for (int64_t size = least; size <= kMost; ++size) {
      tried[symbol] = size;
      if (prober.accepts(tried)) accepted.push_back(size);
    }
    if (std::string rule = rule_of(accepted, least); !rule.empty()) rules[symbol] = std::move(rule);
  }
  return rules;
}

}  // namespace anydim_cli
