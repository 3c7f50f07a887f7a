// SPDX-License-Identifier: Apache-2.0
// Reads the provider's options out of a session's.
#include "bindings/onnxruntime/options.h"

#include <charconv>
#include <cstring>
#include <sstream>
#include <utility>

#include "bindings/onnxruntime/graph_reader.h"

namespace anydim::ort {
namespace {

// ONNX Runtime writes them in small letters behind the provider's name.
constexpr const char* kPrefix = "ep.anydimexecutionprovider.";

constexpr std::pair<const char*, anydim_math_t> kMath[] = {
    {"strict", ANYDIM_MATH_STRICT}, {"fast", ANYDIM_MATH_FAST}, {"reduced", ANYDIM_MATH_REDUCED}};
constexpr std::pair<const char*, anydim_reuse_t> kReuse[] = {{"auto", ANYDIM_REUSE_AUTO},
                                                             {"reusable", ANYDIM_REUSE_REUSABLE},
                                                             {"specialised", ANYDIM_REUSE_SPECIALISED},
                                                             {"reusable_first", ANYDIM_REUSE_REUSABLE_FIRST}};

int32_t number(const char* name, const char* value, int32_t least, int32_t most) {
  int32_t out = 0;
  const char* const end = value + std::strlen(value);
  const auto [stop, bad] = std::from_chars(value, end, out);
  if (bad != std::errc() || stop != end || out < least || out > most)
    throw Failure(kInvalidArgument, std::string("Anydim: option ") + name + " is '" + value + "'; expected a number from " +
                                        std::to_string(least) + " to " + std::to_string(most));
  return out;
}

template <class Choices> auto choice(const char* name, const char* value, const Choices& choices) {
  std::string list;
  for (const auto& [text, number] : choices) {
    if (std::strcmp(text, value) == 0) return number;
    list += std::string(list.empty() ? "" : ", ") + text;
  }
  throw Failure(kInvalidArgument, std::string("Anydim: option ") + name + " is '" + value + "'; expected one of " + list);
}

// "x=1,3,48,32..960; y=1..8,64": a number or a range for each dim.
std::map<std::string, std::vector<anydim_dim_t>> ranges(const std::string& text) {
  std::map<std::string, std::vector<anydim_dim_t>> out;
  const auto refuse = [&] {
    throw Failure(kInvalidArgument, "Anydim: option bounds is '" + text + "'; expected inputs with dims, such as x=1,3,48,32..960; y=1..8");
  };
  const auto trimmed = [](std::string part) {
    part.erase(0, part.find_first_not_of(' '));
    part.erase(part.find_last_not_of(' ') + 1);
    return part;
  };
  const auto dim = [&](const std::string& part) {
    int64_t value = 0;
    const auto [stop, bad] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (bad != std::errc() || stop != part.data() + part.size() || value < 0) refuse();
    return value;
  };
  std::stringstream inputs(text);
  for (std::string input; std::getline(inputs, input, ';');) {
    const size_t equals = input.rfind('=');
    if (equals == std::string::npos) refuse();
    std::vector<anydim_dim_t>& dims = out[trimmed(input.substr(0, equals))];
    std::stringstream list(input.substr(equals + 1));
    for (std::string part; std::getline(list, part, ',');) {
      const size_t dots = part.find("..");
      const int64_t least = dim(trimmed(part.substr(0, dots)));
      const int64_t most = dots == std::string::npos ? least : dim(trimmed(part.substr(dots + 2)));
      if (most < least) refuse();
      dims.push_back({least == most ? least : -1, least, most, -1, 1});
    }
    if (dims.empty() || dims.size() > ANYDIM_MAX_RANK) refuse();
  }
  return out;
}

}  // namespace

Options read_options(const Api& api, const OrtSessionOptions* session) {
  Options out;
  OrtKeyValuePairs* entries = nullptr;
  check(api, api.session_config_entries(session, &entries));
  const struct Release {
    const Api& api;
    OrtKeyValuePairs* entries;
    ~Release() { api.release_key_value_pairs(entries); }
  } release{api, entries};
  const char* const* keys = nullptr;
  const char* const* values = nullptr;
  size_t count = 0;
  api.key_value_pairs(entries, &keys, &values, &count);
  const size_t prefix = std::strlen(kPrefix);
  for (size_t i = 0; i < count; ++i) {
    if (strncasecmp(keys[i], kPrefix, prefix) != 0) continue;
    const char* const name = keys[i] + prefix;
    const std::string option = name;
    if (option == "threads") out.threads = number(name, values[i], 0, 256);
    else if (option == "smallest_part") out.smallest_part = number(name, values[i], 1, 1'000'000);
    else if (option == "math") out.math = choice(name, values[i], kMath);
    else if (option == "reuse") out.reuse = choice(name, values[i], kReuse);
    else if (option == "packed_weights") out.packed_weights = values[i];
    else if (option == "bounds") out.bounds = ranges(values[i]);
    else
      throw Failure(kInvalidArgument,
                    "Anydim: option " + option + " is none; expected threads, smallest_part, math, reuse, packed_weights or bounds");
  }
  return out;
}

}  // namespace anydim::ort
