// SPDX-License-Identifier: Apache-2.0
// Preparing kernels of devices that compile; see compiling_engine.h.
#include "core/engines/compiling_engine.h"

#include <algorithm>
#include <mutex>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace anydim {

// One program of one kernel. Its source is written when something is missing, not at each creation of a primitive.
class CompilingEngine::Maker final : public ProgramMaker {
 public:
  Maker(const CompilingEngine& engine, const DeviceKernel& kernel, const CompileKey& key, DeviceSource source = {})
      : engine_(engine), kernel_(kernel), key_(key), source_(std::move(source)) {}

  BinaryKey binary_key() override {
    const EngineIdentity& id = engine_.identity();
    const std::string& text = source().text;
    const XXH128_hash_t digest = XXH3_128bits(text.data(), text.size());
    return {formatted("{:016x}{:016x}", digest.high64, digest.low64), id.kind, id.device, id.driver, source().options, key_.text()};
  }
  Status load(const std::string& binary, DeviceProgram* out) override { return engine_.load(key_, source(), binary, out); }
  Status compile(DeviceProgram* out, std::string* binary) override { return engine_.compile(key_, source(), out, binary); }
  ProgramMaker::LateBinary late_binary(const DeviceProgram& program) override { return engine_.late_binary(key_, source(), program); }

 private:
  const DeviceSource& source() {
    if (source_.text.empty()) source_ = kernel_.source(key_);
    return source_;
  }

  const CompilingEngine& engine_;
  const DeviceKernel& kernel_;
  const CompileKey& key_;
  DeviceSource source_;
};

CompilingEngine::CompilingEngine(Facts facts, const KernelTable& kernels, const DeviceTraits& traits, BinaryStore* store)
    : Engine(std::move(facts), kernels),
      traits_(traits),
      store_(store),
      programs_(std::make_shared<KernelCache>(store, kMaxSize)),
      specialised_(std::make_shared<KernelCache>(nullptr, kMostSpecialised, KernelCache::Of::calls)) {}

const char* CompilingEngine::unsupported_reason(const Kernel& kernel) const noexcept {
  const DeviceNeeds needs = static_cast<const DeviceKernel&>(kernel).needs();
  if (needs.kind != DeviceKind::any && needs.kind != traits_.kind)
    return needs.kind == DeviceKind::gpu ? "it is for devices like a GPU" : "it is for devices like a CPU";
  if (needs.local_memory > traits_.local_memory) return "this device has less local memory than it needs";
  if (needs.vector_floats > traits_.vector_floats) return "vectors of this device are shorter than it needs";
  if (needs.f64 && !traits_.f64) return "this device has no arithmetic in f64";
  if (needs.most_items > traits_.most_items) return "groups of this device have fewer work-items than it needs";
  return nullptr;
}

Status CompilingEngine::prepare(const Kernel& kernel, const Problem& problem, ExecutablePtr* out) const {
  ANYDIM_TRY(usable());
  const auto& device_kernel = static_cast<const DeviceKernel&>(kernel);
  CompileKey keys[DeviceKernel::kMostPrograms];
  const int count = device_kernel.programs(problem, traits_, keys);
  auto made = std::make_shared<CompiledKernel>();
  made->kernel = &device_kernel;
  made->programs.resize(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    CompiledKernel::Program& program = made->programs[static_cast<size_t>(i)];
    program.key = keys[i];
    Maker maker(*this, device_kernel, keys[i]);
    Status s = programs_->get(keys[i].text(), maker, &program.made, &program.source);
    if (s.ok()) continue;
    if (s.code() == Code::unimplemented) {
      const std::lock_guard lock(refusals_lock_);
      if (std::none_of(refusals_.begin(), refusals_.end(), [&](const Refusal& r) { return r.key == keys[i]; }))
        refusals_.push_back({keys[i], formatted("its program was not compiled: {}", s.message())});
      any_refusal_.store(true, std::memory_order_release);
    }
    return s;
  }
  if (programs_->late_binaries() > 0) ask_for_binaries();
  *out = std::move(made);
  return {};
}

// Not while programs are compiled: a driver makes one at a time, and somebody waits for those.
int CompilingEngine::next() const {
  constexpr int64_t kQuiet = INT64_C(3000000000);  // ns: a load may make pauses
  asked_.store(false);                             // those that come from here on ask again
  if (!usable().ok() || programs_->late_binaries() == 0) return -1;
  if (const int64_t idle = programs_->idle_nanoseconds(); idle < kQuiet) return static_cast<int>((kQuiet - idle) / 1000000) + 1;
  return programs_->store_late_binary() ? 0 : -1;
}

void CompilingEngine::ask_for_binaries() const {
  if (asked_.exchange(true)) return;
  const std::shared_ptr<const Engine> self = shared_from_this();
  if (store_->later(std::shared_ptr<const BinaryStore::Later>(self, this))) return;
  asked_.store(false);
  while (programs_->store_late_binary()) {
  }
}

namespace {

// What differs between calls of one program, but for where tensors lie.
bool same_numbers(const DeviceWork& a, const DeviceWork& b) noexcept {
  if (a.program != b.program || a.entry != b.entry || a.count != b.count || a.global != b.global || a.local != b.local) return false;
  for (int i = 0; i < a.count; ++i) {
    const DeviceArgument &x = a.arguments[static_cast<size_t>(i)], &y = b.arguments[static_cast<size_t>(i)];
    if (x.kind != y.kind) return false;
    const bool constant = x.kind == DeviceArgument::Kind::i32 || x.kind == DeviceArgument::Kind::i64;
    if (constant && x.number != y.number) return false;
  }
  return true;
}

std::string numbers_text(const DeviceWork& work) {
  std::string text = formatted("\n{} {}", work.program, work.entry);
  for (int i = 0; i < work.count; ++i) {
    const DeviceArgument& a = work.arguments[static_cast<size_t>(i)];
    const bool constant = a.kind == DeviceArgument::Kind::i32 || a.kind == DeviceArgument::Kind::i64;
    text += constant ? formatted(" {}", a.number) : std::string(" .");
  }
  return text;
}

}  // namespace

bool SpecialisedKernel::programs_of(const Launch& launch, Programs* out) noexcept {
  if (launch.specialised == nullptr) return false;
  const auto& mine = static_cast<const SpecialisedKernel&>(*launch.specialised);
  if (mine.kernel != &launch.kernel) return false;
  const DeviceWork empty{.device = mine.device};
  DeviceWork work = empty;
  size_t count = 0;
  for (; mine.kernel->work(launch.plan, launch.args, static_cast<int>(count), &work); ++count, work = empty) {
    if (count >= mine.launches.size() || !same_numbers(work, mine.launches[count].work)) return false;
    if (((*out)[count] = mine.launches[count].program.lock()) == nullptr) return false;
  }
  return count == mine.launches.size();
}

Status CompilingEngine::specialise(const Kernel& kernel, const Executable& reusable, const Plan& plan, const Args& args,
                                   ExecutablePtr* out) const {
  ANYDIM_TRY(usable());
  const auto& device_kernel = static_cast<const DeviceKernel&>(kernel);
  const auto& compiled = static_cast<const CompiledKernel&>(reusable);
  auto made = std::make_shared<SpecialisedKernel>();
  made->kernel = &device_kernel;
  made->device = &traits_;
  const DeviceWork empty{.device = &traits_};
  DeviceWork work = empty;
  for (int index = 0; device_kernel.work(plan, args, index, &work); ++index, work = empty) {
    if (index == SpecialisedKernel::kMostLaunches)
      return unimplemented("kernel {} has more than {} launches at these dims", kernel.name(), SpecialisedKernel::kMostLaunches);
    const CompileKey key = device_kernel.chosen(compiled.programs[static_cast<size_t>(work.program)].key, plan);
    DeviceSource source;
    if (!specialised_source(device_kernel.source(key), work, &source))
      return unimplemented("kernel {} has no programs for single calls", kernel.name());
    Maker maker(*this, device_kernel, key, std::move(source));
    DeviceProgram program;
    KernelCache::Source from{};
    ANYDIM_TRY(specialised_->get(key.text() + numbers_text(work), maker, &program, &from));
    made->launches.push_back({work, program.object});
  }
  if (made->launches.empty()) return unimplemented("kernel {} launches nothing at these dims", kernel.name());
  *out = std::move(made);
  return {};
}

const char* CompilingEngine::refuses(const Kernel& kernel, const Problem& problem) const noexcept {
  if (!any_refusal_.load(std::memory_order_acquire)) return nullptr;
  CompileKey keys[DeviceKernel::kMostPrograms];
  const int count = static_cast<const DeviceKernel&>(kernel).programs(problem, traits_, keys);
  const std::lock_guard lock(refusals_lock_);
  for (const Refusal& r : refusals_)
    if (std::find(keys, keys + count, r.key) != keys + count) return r.because.c_str();
  return nullptr;
}

}  // namespace anydim
