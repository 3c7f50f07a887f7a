// SPDX-License-Identifier: Apache-2.0
// The kinds of engines that this library can make. Code that lists devices, creates an engine or reads its name uses this and names
// no kind: a kind is a folder beside this file and a line of kinds.yaml (docs/adding-an-engine.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/engines/binary_store.h"
#include "core/engines/engine.h"

namespace anydim {

// A device that an engine can be made for; what is unknown is 0 or empty.
struct DeviceSummary {
  int32_t platform = 0, device = 0;  // numbers: of the platform, and of the device on it
  bool usable = true;                // an engine may be made for it
  bool like_gpu = false;
  int32_t units = 0;                           // cores, or what the device calls its compute units
  int64_t memory = 0, largest_allocation = 0;  // bytes
  std::string name, driver, platform_name;
};

// What a caller asks for.
struct EngineRequest {
  int device = 0;                  // among devices() of the kind
  int threads = 1;                 // at most, of the host
  bool flushed_denormals = false;  // a device that treats denormals as zeros is accepted, too
  Engine::Host host;               // the host program's loop and memory
  BinaryStore* store = nullptr;    // of compiled programs; outlives the engine
};

class EngineKind {
 public:
  // What its engines' kind() is, and what texts of engines begin with: "cpu".
  virtual const char* name() const noexcept = 0;
  // In the order of EngineRequest::device. Fails with not_found where a driver is missing.
  virtual Status devices(std::vector<DeviceSummary>* out) const = 0;
  // Refuses options that engines of this kind do not use, the argument's name in the status; as written here: a loop and memory of the host
  // program's. Called before anything of the request is used.
  virtual Status check(const EngineRequest& request) const;
  // A device of another number is invalid_argument, or not_found where there is none at all.
  virtual Status create(const EngineRequest& request, EnginePtr* out) const = 0;

 protected:
  ~EngineKind() = default;  // kinds are never destroyed
};

// A kind with its number in the C API, which stays; 0 in tests.
struct NumberedKind {
  int32_t number;
  const EngineKind& (*kind)() noexcept;
};

// A kind that a caller holds: those of the library stay, others may be removed.
using EngineKindPtr = std::shared_ptr<const EngineKind>;
struct KnownKind {
  int32_t number;
  EngineKindPtr kind;
};

// In the order of their numbers.
std::vector<KnownKind> engine_kinds();
// Null, or 0, where there is none.
EngineKindPtr find_engine_kind(int32_t number);
int32_t engine_kind_number(std::string_view name);

// Kinds from outside the library. A number is used once in a process; a name that a kind has is invalid_argument.
Status add_engine_kind(EngineKindPtr kind, int32_t* number);
Status remove_engine_kind(int32_t number);

}  // namespace anydim
