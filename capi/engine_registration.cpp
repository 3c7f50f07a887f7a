// SPDX-License-Identifier: Apache-2.0
// How engines from outside come in: from the program, or from a shared object that is loaded for it. Definitions are checked here.
#include <dlfcn.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "capi/engine_plugin.h"
#include "capi/generated/bodies.h"
#include "capi/shim_support.h"
#include "core/engines/registry.h"
#include "core/ops/op.h"

namespace anydim::capi {

namespace {

Status wrong_definition(const char* field, const char* expected) {
  return invalid("definition.{} is not {}", field, expected).about(std::string("definition.") + field);
}

struct NamedField {
  const char* name;
  size_t offset;
};
#define ANYDIM_FIELD(name) \
  { #name, offsetof(anydim_engine_definition_t, name) }
constexpr NamedField kNeeded[] = {
    ANYDIM_FIELD(name),     ANYDIM_FIELD(device),   ANYDIM_FIELD(driver),        ANYDIM_FIELD(create),         ANYDIM_FIELD(destroy),
    ANYDIM_FIELD(allocate), ANYDIM_FIELD(free),     ANYDIM_FIELD(stream_create), ANYDIM_FIELD(stream_destroy), ANYDIM_FIELD(stream_wait),
    ANYDIM_FIELD(upload),   ANYDIM_FIELD(download), ANYDIM_FIELD(copy)};
constexpr NamedField kOfKernels[] = {ANYDIM_FIELD(supports), ANYDIM_FIELD(launch)};
constexpr NamedField kOfParts[] = {ANYDIM_FIELD(claim), ANYDIM_FIELD(part_compile), ANYDIM_FIELD(part_release), ANYDIM_FIELD(part_launch)};
#undef ANYDIM_FIELD

bool is_set(const anydim_engine_definition_t& d, const NamedField& field) noexcept {
  const void* value = nullptr;
  std::memcpy(&value, reinterpret_cast<const char*>(&d) + field.offset, sizeof value);
  return value != nullptr;
}

// What goes with others or is needed for something.
Status check_functions(const anydim_engine_definition_t& d) {
  for (const NamedField& field : kNeeded)
    if (!is_set(d, field)) return wrong_definition(field.name, "set");
  for (const NamedField& field : kOfKernels)
    if (d.kernel_count > 0 && !is_set(d, field)) return wrong_definition(field.name, "set");
  for (const NamedField& field : kOfParts)
    if (is_set(d, field) != (d.claim != nullptr)) return wrong_definition(field.name, "set where claim is, and only there");
  if ((d.prepare == nullptr) != (d.release == nullptr)) return wrong_definition("release", "set where prepare is, and only there");
  const int events = (d.event_record != nullptr) + (d.event_wait != nullptr) + (d.event_order != nullptr) + (d.event_destroy != nullptr);
  return events % 4 == 0 ? Status()
                         : wrong_definition("event_record", "set with event_wait, event_order and event_destroy, or none of them");
}

Status check_definition(const anydim_engine_definition_t& d) {
  if (d.version != ANYDIM_ENGINE_DEFINITION_VERSION) return wrong_definition("version", "one that this library knows, which is 1");
  ANYDIM_TRY(check_functions(d));
  const std::string_view name = d.name;
  if (name.empty() || name.size() > 32 || name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != name.npos)
    return wrong_definition("name", "1 to 32 of the letters a to z, digits and _");
  if (d.base_alignment < 1 || d.base_alignment > (1 << 20) || (d.base_alignment & (d.base_alignment - 1)) != 0)
    return wrong_definition("base_alignment", "a power of two up to 1048576");
  if (d.largest_allocation < 0) return wrong_definition("largest_allocation", "0 or more");
  if (d.kernel_count < 0 || d.kernel_count > 10000 || (d.kernels == nullptr && d.kernel_count > 0))
    return wrong_definition("kernel_count", "the number of kernels, 0 to 10000");
  const auto* const kernels = static_cast<const anydim_engine_kernel_t*>(d.kernels);
  for (int64_t i = 0; i < d.kernel_count; ++i) {
    if (kernels[i].op < 1 || kernels[i].op >= static_cast<int32_t>(OpKind::count_))
      return wrong_definition("kernels", "of operators alone");
    bool good = kernels[i].name != nullptr && *kernels[i].name != 0;
    for (int64_t other = 0; good && other < i; ++other) good = std::strcmp(kernels[i].name, kernels[other].name) != 0;
    if (!good) return wrong_definition("kernels", "a list of kernels with a name each, no two the same");
  }
  return {};
}

}  // namespace

namespace body {

Status engine_register(const anydim_engine_definition_t& definition, int32_t* kind) {
  ANYDIM_TRY(check_definition(definition));
  return register_plugin(definition, nullptr, kind);
}

Status engine_load(std::string_view path, int32_t* kind) {
  const std::string file(path);
  if (::access(file.c_str(), F_OK) != 0) return error(Code::not_found, "path is {}; there is no such file", file).about("path");
  // A name without a slash would be searched for elsewhere.
  void* const handle = ::dlopen(file.find('/') == file.npos ? ("./" + file).c_str() : file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return error(Code::io_error, "{} is not loaded: {}", file, ::dlerror()).about("path");
  std::shared_ptr<const void> library(handle, [handle](const void*) { ::dlclose(handle); });
  using Entry = const anydim_engine_definition_t* (*)();
  const auto entry = reinterpret_cast<Entry>(::dlsym(handle, "anydim_engine_plugin"));
  if (entry == nullptr) return error(Code::io_error, "{} has no function anydim_engine_plugin", file).about("path");
  const anydim_engine_definition_t* const definition = entry();
  if (definition == nullptr) return unimplemented("{} has no engine for this machine", file);
  anydim_engine_definition_t known = ANYDIM_ENGINE_DEFINITION_INIT;
  ANYDIM_TRY(read_struct(definition, "definition", false, &known));
  ANYDIM_TRY(check_definition(known));
  return register_plugin(known, std::move(library), kind);
}

Status engine_unregister(int32_t kind) { return remove_engine_kind(kind); }

}  // namespace body
}  // namespace anydim::capi
