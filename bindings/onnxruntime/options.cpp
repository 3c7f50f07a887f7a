// SPDX-License-Identifier: Apache-2.0
// Reads the provider's options out of a session's.
#include "bindings/onnxruntime/options.h"

#include <charconv>
#include <cstring>
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
    else
      throw Failure(kInvalidArgument,
                    "Anydim: option " + option + " is none; expected threads, smallest_part, math, reuse or packed_weights");
  }
  return out;
}

}  // namespace anydim::ort
