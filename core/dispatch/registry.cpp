// SPDX-License-Identifier: Apache-2.0
// Walking an engine's list of kernels; see registry.h.
#include "core/dispatch/registry.h"

namespace anydim {

const char* refusal_of(const Engine& engine, const Kernel& kernel, const Problem& problem, const ScratchLimit* limit) noexcept {
  const char* because = engine.lacks(kernel);
  if (because == nullptr) because = kernel.supports(problem).refusal;
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

Status choose_kernel(const Engine& engine, const Problem& problem, std::string_view forced, const Kernel** out, const ScratchLimit* limit) {
  if (problem.mode != MathMode::strict)
    return unimplemented("math mode {} of operator {} is not implemented; only strict is",
                         problem.mode == MathMode::fast ? "fast" : "reduced", problem.op->name());
  for (const Kernel* k : engine.kernels().of(problem.op->kind())) {
    if (!forced.empty()) {
      if (forced != k->name()) continue;
      if (const char* missing = engine.lacks(*k)) return unimplemented("kernel {} cannot run here: {}", forced, missing);
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
    return unimplemented("engine {} has no kernel for operator {}", engine.kind(), problem.op->name());
  std::string why;
  for (const Candidate& c : list_candidates(engine, problem, limit)) {
    why += formatted("; {}: {}", c.kernel->name(), c.because);
    if (limit != nullptr && refusal_of(engine, *c.kernel, problem) == nullptr)
      why += formatted(" ({} bytes)", c.kernel->scratch_bound(problem, limit->in, limit->out, limit->threads));
  }
  if (limit != nullptr) why += formatted("; the limit is {} bytes", limit->bytes);
  return unimplemented("no kernel supports {}{}", describe(*problem.op), why);
}

}  // namespace anydim
