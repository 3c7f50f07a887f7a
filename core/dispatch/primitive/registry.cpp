// SPDX-License-Identifier: Apache-2.0
// Walking an engine's list of kernels; see registry.h.
#include "core/dispatch/primitive/registry.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/ops/subset_reason.h"

namespace anydim {

namespace {

const char* refusal_of_problem(const Kernel& kernel, const KernelKey& key, const Problem& problem) noexcept {
  if (key.quantized != (problem.quantization != nullptr))
    return key.quantized ? "no scales, zero points or dtype of the result are asked for"
                         : "it takes no scales, zero points or dtype of the result";
  return kernel.supports(problem).refusal;
}

const char* refusal_of_mode(MathMode kernels, MathMode problems) noexcept {
  if (kernels == problems) return nullptr;
  if (kernels < problems) return "the math mode that was asked for has kernels of its own here";
  return kernels == MathMode::fast ? "it computes in math mode fast, which was not asked for"
                                   : "it computes in math mode reduced, which was not asked for";
}

}  // namespace

MathMode resolve_math(const Engine& engine, const Problem& problem) noexcept {
  const OpKind kind = problem.op->kind();
  MathMode mode = std::min(nearest(problem.mode, MathMode::strict), engine.kernels().most(kind));
  for (; mode > MathMode::strict; mode = static_cast<MathMode>(static_cast<int32_t>(mode) - 1)) {
    Problem in_mode = problem;
    in_mode.mode = mode;
    for (const Kernel* k : engine.kernels().of(kind))
      if (const KernelKey& key = k->key(); key.mode == mode && refusal_of_problem(*k, key, in_mode) == nullptr) return mode;
  }
  return MathMode::strict;
}

std::string why_math(const Engine& engine, const Problem& requested, MathMode resolved) {
  const OpKind kind = requested.op->kind();
  const MathMode wanted = nearest(requested.mode, MathMode::strict);
  if (resolved >= wanted) return {};
  if (engine.kernels().most(kind) <= MathMode::strict) return "no faster form";
  // What the furthest mode says counts.
  for (MathMode mode = wanted; mode > resolved; mode = static_cast<MathMode>(static_cast<int32_t>(mode) - 1)) {
    Problem in_mode = requested;
    in_mode.mode = mode;
    for (const Kernel* k : engine.kernels().of(kind))
      if (const KernelKey& key = k->key(); key.mode == mode)
        if (const char* because = refusal_of_problem(*k, key, in_mode)) return formatted("{}: {}", k->name(), because);
  }
  return formatted("no form of mode {}", math_name(wanted));
}

const char* refusal_of(const Engine& engine, const Kernel& kernel, const Problem& problem, const ScratchLimit* limit) noexcept {
  const KernelKey& key = kernel.key();
  const char* because = engine.unsupported_reason(kernel);
  if (because == nullptr) because = refusal_of_mode(key.mode, problem.mode);
  if (because == nullptr) because = refusal_of_problem(kernel, key, problem);
  if (because == nullptr && !engine.is_host()) because = engine.refuses(kernel, problem);
  if (because != nullptr || limit == nullptr) return because;
  const int64_t bound = kernel.scratch_bound(problem, limit->in, limit->out, limit->threads);  // negative: past int64_t
  return bound >= 0 && bound <= limit->bytes ? nullptr
                                             : "its scratch at the largest dims of the descriptors is over the limit of the attributes";
}

std::vector<Candidate> list_candidates(const Engine& engine, const Problem& problem, const ScratchLimit* limit) {
  std::vector<Candidate> list;
  bool chosen = false;
  for (const Kernel* k : engine.kernels().of(problem.op->kind())) {
    const char* because = refusal_of(engine, *k, problem, limit);
    const bool able = because == nullptr;
    if (!because && chosen) because = "a kernel before it in the registry supports the problem";
    if (!because) chosen = true;
    list.push_back({k, because, able});
  }
  return list;
}

bool has_kernel(const Engine& engine, const Problem& requested) noexcept {
  Problem problem = requested;
  problem.mode = resolve_math(engine, requested);
  const auto kernels = engine.kernels().of(problem.op->kind());
  return std::any_of(kernels.begin(), kernels.end(), [&](const Kernel* k) { return refusal_of(engine, *k, problem) == nullptr; });
}

Status choose_kernel(const Engine& engine, const Problem& requested, std::string_view forced, const Kernel** out,
                     const ScratchLimit* limit) {
  Problem problem = requested;
  problem.mode = resolve_math(engine, requested);
  // The whole library might go further, with other bits.
  if constexpr (!subset::kWhole)
    if (const MathMode wanted = nearest(requested.mode, MathMode::strict); problem.mode < wanted)
      return unimplemented("{} in math mode {} has no kernel{}", problem.op->name(), math_name(wanted), subset::reason());
  for (const Kernel* k : engine.kernels().of(problem.op->kind())) {
    if (!forced.empty()) {
      if (forced != k->name()) continue;
      if (const char* missing = engine.unsupported_reason(*k)) return unimplemented("kernel {} cannot run here: {}", forced, missing);
      if (const char* because = refusal_of(engine, *k, problem, limit))
        return unimplemented("kernel {} does not support this {}: {}", forced, problem.op->name(), because);
      *out = k;
      return {};
    }
    if (refusal_of(engine, *k, problem, limit) == nullptr) {
      *out = k;
      return {};
    }
  }
  if (!forced.empty()) {
    std::string names;
    for (const Kernel* k : engine.kernels().of(problem.op->kind())) names += formatted("{}{}", names.empty() ? "" : ", ", k->name());
    return error(Code::not_found, "operator {} has no kernel named '{}'; it has {}", problem.op->name(), forced,
                 names.empty() ? "none" : names);
  }
  if (engine.kernels().of(problem.op->kind()).empty())
    return unimplemented("engine {} has no kernel for operator {}{}", engine.kind(), problem.op->name(), subset::reason());
  std::string why;
  for (const Candidate& c : list_candidates(engine, problem, limit)) {
    why += formatted("; {}: {}", c.kernel->name(), c.because);
    if (limit != nullptr && refusal_of(engine, *c.kernel, problem) == nullptr)
      why += formatted(" ({} bytes)", c.kernel->scratch_bound(problem, limit->in, limit->out, limit->threads));
  }
  if (limit != nullptr) why += formatted("; the limit is {} bytes", limit->bytes);
  return unimplemented("no kernel supports {}{}{}", describe(*problem.op), why, subset::reason());
}

Status choose_prepared(const Engine& engine, const Problem& requested, std::string_view forced, KernelChoice* out,
                       const ScratchLimit* limit) {
  out->executable.reset();
  if (engine.is_host()) return choose_kernel(engine, requested, forced, &out->kernel, limit);
  Problem problem = requested;
  problem.mode = resolve_math(engine, requested);
  const int64_t begun = wall_clock();
  for (;;) {
    ANYDIM_TRY(choose_kernel(engine, requested, forced, &out->kernel, limit));
    const Kernel& kernel = *out->kernel;
    Status s = engine.prepare(kernel, problem, &out->executable);
    out->nanoseconds = wall_clock() - begun;
    if (s.ok()) return s;
    // What the engine does not know of afterwards (it has no memory, it is lost) says nothing about the kernel.
    if (s.code() != Code::unimplemented || engine.refuses(kernel, problem) == nullptr)
      return std::move(s).at(formatted("preparing kernel {}", kernel.name()));
  }
}

}  // namespace anydim
