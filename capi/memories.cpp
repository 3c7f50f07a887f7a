// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about memories. Which bytes are meant is checked here, for every engine alike.
#include "anydim/anydim.h"
#include "capi/environment.h"
#include "capi/objects.h"

namespace anydim::capi {

namespace {

Status check_range(const Memory& memory, const char* what, int64_t offset, int64_t bytes) {
  if (offset < 0) return invalid("{} is {}; expected 0 or more", what, offset).about(what);
  if (bytes < 0) return invalid("bytes is {}; expected 0 or more", bytes).about("bytes");
  if (offset > memory.bytes() || bytes > memory.bytes() - offset)
    return invalid("{} is {} and bytes is {}; the memory has {}", what, offset, bytes, memory.bytes()).about("bytes");
  return {};
}

// The stream's engine reaches its own memory and the host's.
Status check_is_of_stream(const StreamObject& stream, const Memory& memory, const char* what) {
  if (same_device(*stream.engine, *memory.engine()) || memory.engine()->is_host()) return {};
  return invalid("{} is memory of engine {}; the stream is of engine {}", what, memory.engine()->kind(), stream.engine->kind()).about(what);
}

Status publish_memory(MemoryPtr memory, bool imported, std::unique_ptr<MemoryObject>* out) {
  auto m = std::make_unique<MemoryObject>();
  m->memory = std::move(memory);
  m->imported = imported;
  *out = std::move(m);
  return {};
}

}  // namespace

namespace body {

Status memory_allocate(EngineObject& engine, int64_t bytes, std::unique_ptr<MemoryObject>* out) {
  if (bytes < 0) return invalid("bytes is {}; expected 0 or more", bytes).about("bytes");
  if (bytes > engine.engine->largest_allocation())
    return error(Code::out_of_memory, "bytes is {}; engine {} allocates at most {}", bytes, engine.engine->kind(),
                 engine.engine->largest_allocation())
        .about("bytes");
  MemoryPtr memory;
  ANYDIM_TRY(engine.engine->allocate(bytes, &memory));
  return publish_memory(std::move(memory), false, out);
}

Status memory_import(EngineObject& engine, void* data, int64_t bytes, anydim_finalizer_callback_t finalizer, void* user,
                     std::unique_ptr<MemoryObject>* out) {
  if (bytes < 0) return invalid("bytes is {}; expected 0 or more", bytes).about("bytes");
  const auto lent = finalizer != nullptr ? std::make_shared<const Environment>(user, finalizer) : nullptr;
  MemoryPtr memory;
  ANYDIM_TRY(engine.engine->import(data, bytes, lent, &memory));
  ANYDIM_TRY(publish_memory(std::move(memory), true, out));
  if (lent != nullptr) lent->hand_over();
  return {};
}

Status memory_query(MemoryObject& memory, anydim_memory_info_t* info) {
  const Memory& m = *memory.memory;
  info->imported = memory.imported ? 1 : 0;
  info->bytes = m.bytes();
  info->data = m.engine()->is_host() ? reinterpret_cast<void*>(m.address()) : nullptr;
  return {};
}

Status memory_map(MemoryObject& memory, int64_t offset, int64_t bytes, void** data) {
  ANYDIM_TRY(check_range(*memory.memory, "offset", offset, bytes));
  std::byte* mapped = nullptr;
  ANYDIM_TRY(memory.memory->map(offset, bytes, &mapped));
  memory.mappings.fetch_add(1, std::memory_order_relaxed);
  *data = mapped;
  return {};
}

Status memory_unmap(MemoryObject& memory, int64_t offset, int64_t bytes) {
  ANYDIM_TRY(check_range(*memory.memory, "offset", offset, bytes));
  int64_t mappings = memory.mappings.load(std::memory_order_relaxed);
  do {
    if (mappings == 0) return invalid("memory is not mapped").about("memory");
  } while (!memory.mappings.compare_exchange_weak(mappings, mappings - 1, std::memory_order_relaxed));
  return memory.memory->unmap(offset, bytes);
}

Status memory_copy(StreamObject& stream, MemoryObject& target, int64_t target_offset, MemoryObject& source, int64_t source_offset,
                   int64_t bytes) {
  ANYDIM_TRY(check_range(*target.memory, "target_offset", target_offset, bytes));
  ANYDIM_TRY(check_range(*source.memory, "source_offset", source_offset, bytes));
  ANYDIM_TRY(check_is_of_stream(stream, *target.memory, "target"));
  ANYDIM_TRY(check_is_of_stream(stream, *source.memory, "source"));
  return stream.stream->copy({target.memory.get(), target_offset}, {source.memory.get(), source_offset}, bytes);
}

}  // namespace body
}  // namespace anydim::capi
