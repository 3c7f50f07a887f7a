// SPDX-License-Identifier: Apache-2.0
// Copies constants to the memory of the devices that read them; see device_constants.h.
#include "core/graph/device_constants.h"

#include "core/engines/cpu/engine.h"

namespace anydim {

namespace {

Status copy_constant(const EnginePtr& engine, const ConstantTensor& constant, MemoryPtr* out) {
  ANYDIM_TRY(engine->allocate(constant.bytes(), out));
  StreamPtr stream;
  ANYDIM_TRY(engine->create_stream(1, &stream));
  HostMemory host(const_cast<void*>(constant.data()), constant.bytes());
  Status copied = stream->copy({out->get()}, {&host}, constant.bytes());
  Status done = stream->wait();  // in any case: the host's memory goes
  return copied.ok() ? std::move(done) : std::move(copied);
}

}  // namespace

Status copy_to_devices(Graph& graph, Program& program, std::span<const std::vector<ValueId>> operands, DeviceConstants* out) {
  std::map<std::tuple<int32_t, const std::byte*, int64_t>, MemoryPtr> known;  // the same elements under other names or dims
  for (size_t i = 0; i < operands.size(); ++i) {
    const Program::Step& s = program.steps[i];
    if (s.engine == 0 || s.transfer() != nullptr) continue;
    for (size_t k = 0; k < operands[i].size(); ++k) {
      const ValueId v = operands[i][k];
      if (v == kNoValue || program.is_packed(s, k) || !graph.value(v).constant) continue;
      const ConstantTensor& constant = *graph.value(v).constant;
      MemoryPtr& memory = known[{s.engine, constant.address(), constant.bytes()}];
      if (memory == nullptr) {
        const EnginePtr& engine = program.engines[static_cast<size_t>(s.engine)];
        if (Status copied = copy_constant(engine, constant, &memory); !copied.ok())
          return std::move(copied).at(
              formatted("constant '{}', {} bytes for engine {}", graph.value(v).name, constant.bytes(), engine->kind()));
        program.weight_bytes += constant.bytes();
      }
      out->try_emplace(v, memory);
    }
  }
  for (const auto& [v, memory] : *out) graph.value(v).constant.reset();
  return {};
}

}  // namespace anydim
