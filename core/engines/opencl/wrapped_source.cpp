// SPDX-License-Identifier: Apache-2.0
// Writes entries around those of a kernel's source; see wrapped_source.h.
#include "core/engines/opencl/wrapped_source.h"

#include "core/base/text/format.h"

namespace anydim::opencl {

namespace {

constexpr size_t kMostArgumentBytes = 1024;  // which every device accepts

std::string wrapper(const DeviceSource& source, const EntryFacts& entry, std::string_view parameters, std::string_view arguments) {
  const bool memory = !source.group_memory.empty();
  return formatted("kernel __attribute__((reqd_work_group_size({}, {}, {}))) void {}({}) {{\n{}  body_{}({}{});\n}}\n", entry.local[0],
                   entry.local[1], entry.local[2], entry.name, parameters, memory ? "  " + source.group_memory + "\n" : "", entry.name,
                   memory ? "group, " : "", arguments);
}

}  // namespace

bool with_numbers_in_one(const DeviceSource& source, std::vector<EntryFacts>* entries, DeviceSource* out) {
  std::string text = "#define WRAPPED\n" + source.text;
  for (const EntryFacts& entry : *entries) {
    std::string block, parameters = "const int live", arguments = "live";
    for (size_t i = 1; i < entry.arguments.size(); ++i) {
      // Each number has 8 bytes, little-endian.
      switch (entry.arguments[i]) {
        case ArgumentType::local: return false;
        case ArgumentType::memory: parameters += formatted(", global void* a{}", i); break;
        case ArgumentType::i64: block += formatted(" long a{};", i); break;
        case ArgumentType::i32: block += formatted(" int a{}, b{};", i, i); break;
        case ArgumentType::f32: block += formatted(" float a{}, b{};", i, i); break;
      }
      arguments += formatted(", {}a{}", entry.arguments[i] == ArgumentType::memory ? "" : "numbers.", i);
    }
    if (block.empty() || 8 * entry.arguments.size() > kMostArgumentBytes) return false;
    text += formatted("typedef struct {{{} }} numbers_of_{};\n", block, entry.name);
    parameters += formatted(", const numbers_of_{} numbers", entry.name);
    text += wrapper(source, entry, parameters, arguments);
  }
  for (EntryFacts& entry : *entries) entry.numbers_in_one = true;
  *out = {std::move(text), source.options, source.entries, {}, false};
  return true;
}

bool with_constants(const DeviceSource& source, const DeviceWork& work, DeviceSource* out) {
  if (!source.wrappable) return false;
  EntryFacts entry;
  entry.name = source.entries[static_cast<size_t>(work.entry)];
  entry.local = work.local;
  std::string parameters = "const int live", arguments = "live";
  for (int i = 0; i < work.count; ++i) {
    const DeviceArgument& a = work.arguments[static_cast<size_t>(i)];
    switch (a.kind) {
      case DeviceArgument::Kind::memory: parameters += formatted(", global void* a{}", i); break;
      case DeviceArgument::Kind::local: return false;
      case DeviceArgument::Kind::offset:
      case DeviceArgument::Kind::i64: parameters += formatted(", const long a{}", i); break;
      case DeviceArgument::Kind::i32: parameters += formatted(", const int a{}", i); break;
      case DeviceArgument::Kind::f32: parameters += formatted(", const float a{}", i); break;
    }
    if (a.kind == DeviceArgument::Kind::i64) arguments += formatted(", {}L", a.number);
    else if (a.kind == DeviceArgument::Kind::i32) arguments += formatted(", {}", a.number);
    else arguments += formatted(", a{}", i);
  }
  *out = {formatted("#define WRAPPED\n{}\n{}", source.text, wrapper(source, entry, parameters, arguments)),
          source.options,
          {entry.name},
          {},
          false};
  return true;
}

}  // namespace anydim::opencl
