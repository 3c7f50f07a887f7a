// SPDX-License-Identifier: Apache-2.0
// Making programs; see program.h.
#include "core/engines/opencl/program.h"

#include <algorithm>

#include "core/engines/opencl/binary.h"
#include "core/engines/opencl/exit_gate.h"
#include "core/engines/opencl/wrapped_source.h"

namespace anydim::opencl {

namespace {

constexpr size_t kLongestLog = 1000;  // of what a compiler says, characters

// A compiler that ran out of memory says nothing about the source.
Status build_failure(Int code, const std::string& log) {
  if (code == cl::kDeviceNotAvailable || code == cl::kOutOfHostMemory || code == cl::kOutOfResources ||
      code == cl::kMemObjectAllocationFailure)
    return failure(code, "compiling a program");
  const char* const name = code_text(code);
  return unimplemented("the device's compiler refuses it with {}: {}", name != nullptr ? name : "an unknown error",
                       log.empty() ? "without a word" : log.substr(0, kLongestLog));
}

Status type_of(const Api& api, KernelId kernel, Uint index, ArgumentType* out) {
  Uint address = 0;
  if (const Int code = api.get_kernel_arg_info(kernel, index, cl::kKernelArgAddressQualifier, sizeof address, &address, nullptr);
      code != cl::kSuccess)
    return failure(code, "asking for a function's arguments");
  if (address == cl::kKernelArgAddressLocal) *out = ArgumentType::local;
  if (address == cl::kKernelArgAddressGlobal || address == cl::kKernelArgAddressConstant) *out = ArgumentType::memory;
  if (address == cl::kKernelArgAddressLocal || address == cl::kKernelArgAddressGlobal || address == cl::kKernelArgAddressConstant)
    return {};
  const std::string type = info_text([&](size_t bytes, void* to, size_t* needed) {
    return api.get_kernel_arg_info(kernel, index, cl::kKernelArgTypeName, bytes, to, needed);
  });
  if (type == "int") *out = ArgumentType::i32;
  else if (type == "long") *out = ArgumentType::i64;
  else if (type == "float") *out = ArgumentType::f32;
  else return error(Code::internal, "argument {} is of type {}; expected int, long, float or a pointer", index, type);
  return {};
}

Status facts_of(const Api& api, DeviceId device, KernelId kernel, EntryFacts* out) {
  Uint count = 0;
  if (const Int code = api.get_kernel_info(kernel, cl::kKernelNumArgs, sizeof count, &count, nullptr); code != cl::kSuccess)
    return failure(code, "asking for a function's arguments");
  for (Uint i = 0; i < count; ++i) ANYDIM_TRY(type_of(api, kernel, i, &out->arguments.emplace_back()));
  if (count == 0 || out->arguments[0] != ArgumentType::i32)
    return error(Code::internal, "function {} has no first argument `int live`", out->name);
  size_t local[3] = {};
  if (const Int code = api.get_kernel_work_group_info(kernel, device, cl::kKernelCompileWorkGroupSize, sizeof local, local, nullptr);
      code != cl::kSuccess)
    return failure(code, "asking for a function's local size");
  for (size_t a = 0; a < 3; ++a) {
    if (local[a] == 0) return error(Code::internal, "function {} has no reqd_work_group_size", out->name);
    out->local[a] = static_cast<int64_t>(local[a]);
  }
  return {};
}

}  // namespace

Status Entry::acquire(std::span<const int64_t> arguments, HeldKernel* out) {
  {
    const std::lock_guard lock(mutex_);
    auto found = std::find_if(idle_.rbegin(), idle_.rend(), [&](const HeldKernel& k) { return k.holds(arguments); });
    if (found == idle_.rend() && idle_.size() >= kMostIdle) found = std::prev(idle_.rend());
    if (found != idle_.rend()) {
      *out = std::move(*found);
      idle_.erase(std::prev(found.base()));
      return {};
    }
  }
  Int code = cl::kSuccess;
  OwnedKernel made(api_, api_.create_kernel(program_, facts.name.c_str(), &code));
  if (code != cl::kSuccess) return failure(code, "creating a function's object");
  const Int live = 1;
  if (code = api_.set_kernel_arg(made.get(), 0, sizeof live, &live); code != cl::kSuccess) return failure(code, "setting an argument");
  *out = {std::move(made), {}};
  return {};
}

void Entry::release(HeldKernel kernel) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(std::move(kernel));
}

// No option that lets a compiler change a result. Where a device divides exactly only if asked to, it is asked to.
std::string Builder::options_of(const DeviceSource& source) const {
  std::string options = "-cl-std=CL1.2 -cl-kernel-arg-info";
  if (device.correctly_rounded) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (!source.options.empty()) options += " " + source.options;
  return options;
}

Status Builder::build(const DeviceSource& source, OwnedProgram* out) const {
  Int code = cl::kSuccess;
  const char* text = source.text.c_str();
  const size_t length = source.text.size();
  *out = OwnedProgram(api, api.create_program_with_source(context, 1, &text, &length, &code));
  if (code != cl::kSuccess) return failure(code, "creating a program");
  code = api.build_program(out->get(), 1, &device.id, options_of(source).c_str(), nullptr, nullptr);
  if (code == cl::kSuccess) return {};
  const std::string log = info_text([&](size_t bytes, void* to, size_t* needed) {
    return api.get_program_build_info(out->get(), device.id, cl::kProgramBuildLog, bytes, to, needed);
  });
  return build_failure(code, log);
}

Status Builder::compile(const DeviceSource& source, std::shared_ptr<Program>* out) const {
  ExitGate::Pass pass;
  ANYDIM_TRY(pass.enter());
  auto made = std::make_shared<Program>();
  DeviceSource other;
  std::vector<EntryFacts> entries;
  if (entries_in(source, &entries) && with_numbers_in_one(source, &entries, &other)) {
    ANYDIM_TRY(build(other, &made->program));
    ANYDIM_TRY(entries_of(source, &entries, made.get()));
  } else {
    ANYDIM_TRY(build(source, &made->program));
    ANYDIM_TRY(entries_of(source, nullptr, made.get()));
  }
  *out = std::move(made);
  return {};
}

Status Builder::load(const DeviceSource& source, std::string_view key, std::string_view binary, std::shared_ptr<Program>* out) const {
  std::vector<EntryFacts> known;
  std::string_view bytes;
  ANYDIM_TRY(unpack_binary(key, binary, &known, &bytes));
  if (known.size() != source.entries.size()) return error(Code::invalid_data, "a compiled program has other entries");
  ExitGate::Pass pass;
  ANYDIM_TRY(pass.enter());
  auto made = std::make_shared<Program>();
  Int code = cl::kSuccess, status = cl::kSuccess;
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const size_t length = bytes.size();
  made->program = OwnedProgram(api, api.create_program_with_binary(context, 1, &device.id, &length, &data, &status, &code));
  if (code != cl::kSuccess) return failure(code, "creating a program from a binary");
  if (status != cl::kSuccess) return failure(status, "reading a binary");
  code = api.build_program(made->program.get(), 1, &device.id, options_of(source).c_str(), nullptr, nullptr);
  if (code != cl::kSuccess) return failure(code, "building a program from a binary");
  ANYDIM_TRY(entries_of(source, &known, made.get()));
  *out = std::move(made);
  return {};
}

Status Builder::entries_of(const DeviceSource& source, const std::vector<EntryFacts>* known, Program* program) const {
  for (size_t i = 0; i < source.entries.size(); ++i) {
    EntryFacts facts;
    facts.name = source.entries[i];
    Int code = cl::kSuccess;
    OwnedKernel kernel(api, api.create_kernel(program->program.get(), facts.name.c_str(), &code));
    if (code != cl::kSuccess) return build_failure(code, formatted("function {}", facts.name));
    if (known != nullptr) facts = (*known)[i];
    else ANYDIM_TRY(facts_of(api, device.id, kernel.get(), &facts));
    if (facts.name != source.entries[i]) return error(Code::invalid_data, "a compiled program has other entries");
    // Limits are checked here: a driver that is asked for more may die.
    // (What a driver calls a function's largest group is no limit: rusticl says 32 where 1,024 work.)
    Ulong local_memory = 0;
    api.get_kernel_work_group_info(kernel.get(), device.id, cl::kKernelLocalMemSize, sizeof local_memory, &local_memory, nullptr);
    int64_t items = 1;
    for (size_t a = 0; a < 3; ++a) {
      items *= facts.local[a];
      if (facts.local[a] > device.most_items[a])
        return unimplemented("groups of {} work-items along axis {}; this device has at most {}", facts.local[a], a, device.most_items[a]);
    }
    if (items > device.traits.most_items)
      return unimplemented("groups of {} work-items; this device has at most {}", items, device.traits.most_items);
    if (static_cast<int64_t>(local_memory) > device.traits.local_memory)
      return unimplemented("{} bytes of local memory; this device has {}", local_memory, device.traits.local_memory);
    program->entries.push_back(std::make_unique<Entry>(api, program->program.get(), facts, static_cast<int64_t>(local_memory)));
    Entry& entry = *program->entries.back();
    ANYDIM_TRY(first_launch(entry, kernel.get()));
    entry.release({std::move(kernel), {}});
  }
  return {};
}

// A driver that compiles at the first launch does it here, with arguments that no memory is read or written for.
Status Builder::first_launch(const Entry& entry, KernelId kernel) const {
  Int code = cl::kSuccess;
  const OwnedMem nothing(api, api.create_buffer(context, cl::kMemReadWrite, 64, nullptr, &code));
  if (code != cl::kSuccess) return failure(code, "allocating memory");
  const std::vector<int64_t> zeros(entry.facts.arguments.size());
  Uint index = 0;
  size_t packed = 0;
  for (size_t i = 0; i < entry.facts.arguments.size() && code == cl::kSuccess; ++i) {
    const MemId memory = nothing.get();
    const ArgumentType type = entry.facts.arguments[i];
    if (entry.facts.numbers_in_one && i > 0 && type != ArgumentType::memory) {
      ++packed;
      continue;
    }
    switch (type) {
      case ArgumentType::memory: code = api.set_kernel_arg(kernel, index, sizeof memory, &memory); break;
      case ArgumentType::local: code = api.set_kernel_arg(kernel, index, 16, nullptr); break;
      case ArgumentType::i64: code = api.set_kernel_arg(kernel, index, 8, zeros.data()); break;
      case ArgumentType::i32:
      case ArgumentType::f32: code = api.set_kernel_arg(kernel, index, 4, zeros.data()); break;
    }
    ++index;
  }
  if (packed > 0 && code == cl::kSuccess) code = api.set_kernel_arg(kernel, index, 8 * packed, zeros.data());
  if (code != cl::kSuccess) return failure(code, "setting an argument");
  const size_t sizes[3] = {static_cast<size_t>(entry.facts.local[0]), static_cast<size_t>(entry.facts.local[1]),
                           static_cast<size_t>(entry.facts.local[2])};
  {
    const std::lock_guard lock(queue_mutex);
    EventId event = nullptr;
    code = api.enqueue_nd_range_kernel(queue, kernel, 3, nullptr, sizes, sizes, 0, nullptr, &event);
    if (code != cl::kSuccess) return build_failure(code, "at its first launch");
    const OwnedEvent done(api, event);
    code = api.wait_for_events(1, &event);
    if (code != cl::kSuccess) return build_failure(code, "at its first launch");
  }
  const Int live = 1;
  code = api.set_kernel_arg(kernel, 0, sizeof live, &live);
  return code == cl::kSuccess ? Status() : failure(code, "setting an argument");
}

std::string Builder::binary_of(const Program& program, std::string_view key) const {
  ExitGate::Pass pass;
  if (!pass.enter().ok()) return {};
  const ProgramId id = program.program.get();
  size_t bytes = 0;  // of one device
  if (api.get_program_info(id, cl::kProgramBinarySizes, sizeof bytes, &bytes, nullptr) != cl::kSuccess || bytes == 0) return {};
  std::string binary(bytes, '\0');
  auto* to = reinterpret_cast<unsigned char*>(binary.data());
  if (api.get_program_info(id, cl::kProgramBinaries, sizeof to, static_cast<void*>(&to), nullptr) != cl::kSuccess) return {};
  std::vector<EntryFacts> facts;
  for (const auto& e : program.entries) facts.push_back(e->facts);
  return pack_binary(key, facts, binary);
}

}  // namespace anydim::opencl
