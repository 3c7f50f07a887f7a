// SPDX-License-Identifier: Apache-2.0
// Numbers and words from the environment; see environment.h.
#include "core/base/environment.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace anydim {

const char* environment(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

void complain_of_environment(const char* name, const char* value, const char* why) noexcept {
  std::fprintf(stderr, "anydim: warning: %s is '%s'; %s\n", name, value, why);
}

int64_t environment_number(const char* name, int64_t otherwise, int64_t least, int64_t most) noexcept {
  const char* text = environment(name);
  if (text == nullptr) return otherwise;
  const char* end = text + std::strlen(text);
  int64_t value = 0;
  const auto [at, wrong] = std::from_chars(text, end, value);
  if (wrong == std::errc() && at == end && value >= least && value <= most) return value;
  char why[128];
  if (most == std::numeric_limits<int64_t>::max())
    std::snprintf(why, sizeof why, "expected a number from %lld; %lld is used", static_cast<long long>(least),
                  static_cast<long long>(otherwise));
  else
    std::snprintf(why, sizeof why, "expected a number from %lld to %lld; %lld is used", static_cast<long long>(least),
                  static_cast<long long>(most), static_cast<long long>(otherwise));
  complain_of_environment(name, text, why);
  return otherwise;
}

int environment_word(const char* name, std::span<const char* const> words, int otherwise) noexcept {
  const char* text = environment(name);
  if (text == nullptr) return otherwise;
  const int count = static_cast<int>(words.size());
  for (int i = 0; i < count; ++i)
    if (std::strcmp(text, words[static_cast<size_t>(i)]) == 0) return i;
  try {
    std::string why = "expected ";
    for (int i = 0; i < count; ++i) why += (i == 0 ? "" : i + 1 == count ? " or " : ", ") + std::string(words[static_cast<size_t>(i)]);
    why += "; " + (otherwise >= 0 && otherwise < count ? std::string(words[static_cast<size_t>(otherwise)]) + " is used" : "it is ignored");
    complain_of_environment(name, text, why.c_str());
  } catch (...) {
    complain_of_environment(name, text, "it is ignored");  // no memory for more
  }
  return otherwise;
}

}  // namespace anydim
