// SPDX-License-Identifier: Apache-2.0
// The list of kernel families. To add a family: include its header and name its list in kFamilies; where two families
// serve one operator, the earlier is preferred.
#include "core/dispatch/registry.h"

#include <array>

#include "core/kernels/conv/conv.h"
#include "core/kernels/copy/copy.h"
#include "core/kernels/depthwise/depthwise.h"
#include "core/kernels/eltwise/eltwise.h"
#include "core/kernels/gather/gather.h"
#include "core/kernels/gemm/gemm.h"
#include "core/kernels/half/half.h"
#include "core/kernels/norm/norm.h"
#include "core/kernels/pool/pool.h"
#include "core/kernels/reduce/reduce.h"
#include "core/kernels/resize/resize.h"

namespace anydim {

namespace {

using Family = KernelList (*)() noexcept;
constexpr Family kFamilies[] = {
    half_kernels,  half_eltwise_kernels, depthwise_kernels, conv_kernels, conv_transpose_kernels, gemm_kernels, pool_kernels,
    typed_kernels, eltwise_kernels,      reduce_kernels,    norm_kernels, resize_kernels,         copy_kernels, gather_kernels,
};

struct Tables {
  std::vector<const Kernel*> all;
  std::array<std::vector<const Kernel*>, static_cast<size_t>(OpKind::count_)> by_kind;

  Tables() {
    for (const Family family : kFamilies)
      for (const Kernel* k : family()) {
        all.push_back(k);
        by_kind[static_cast<size_t>(k->key().op)].push_back(k);
      }
  }
};

const Tables& tables() noexcept {
  static const Tables* const t = new Tables;  // never destroyed: the background worker may outlive static objects
  return *t;
}

// Null if this CPU can run the kernel.
const char* lacks(const Kernel& k) noexcept {
  if (k.key().isa <= cpu().best) return nullptr;
  return k.key().isa <= cpu().hardware ? "ANYDIM_MAX_ISA excludes its instruction set" : "this CPU lacks its instruction set";
}

}  // namespace

std::span<const Kernel* const> registered_kernels(OpKind kind) noexcept { return tables().by_kind[static_cast<size_t>(kind)]; }

std::span<const Kernel* const> registered_kernels() noexcept { return tables().all; }

const char* refusal_of(const Kernel& kernel, const Problem& problem, const ScratchLimit* limit) noexcept {
  const char* because = lacks(kernel);
  if (because == nullptr) because = kernel.supports(problem).refusal;
  if (because != nullptr || limit == nullptr) return because;
  const int64_t bound = kernel.scratch_bound(problem, limit->in, limit->out, limit->threads);  // negative: past int64_t
  return bound >= 0 && bound <= limit->bytes ? nullptr
                                             : "its scratch at the largest dims of the descriptors is over the limit of the attributes";
}

std::vector<Candidate> list_candidates(const Problem& problem, const ScratchLimit* limit) {
  std::vector<Candidate> list;
  bool chosen = false;
  for (const Kernel* k : registered_kernels(problem.op->kind())) {
    const char* because = refusal_of(*k, problem, limit);
    const bool able = because == nullptr;
    if (!because && chosen) because = "a kernel before it in the registry supports the problem";
    if (!because) chosen = true;
    list.push_back({k, because, able});
  }
  return list;
}

Status choose_kernel(const Problem& problem, std::string_view forced, const Kernel** out, const ScratchLimit* limit) {
  if (problem.mode != MathMode::strict)
    return unimplemented("math mode {} of operator {} is not implemented; only strict is",
                         problem.mode == MathMode::fast ? "fast" : "reduced", problem.op->name());
  for (const Kernel* k : registered_kernels(problem.op->kind())) {
    if (!forced.empty()) {
      if (forced != k->name()) continue;
      if (const char* missing = lacks(*k)) return unimplemented("kernel {} cannot run here: {}", forced, missing);
      if (const char* because = refusal_of(*k, problem, limit))
        return unimplemented("kernel {} does not support this {}: {}", forced, problem.op->name(), because);
      *out = k;
      return {};
    }
    if (refusal_of(*k, problem, limit) == nullptr) {
      *out = k;
      return {};
    }
  }
  if (!forced.empty()) {
    std::string names;
    for (const Kernel* k : registered_kernels(problem.op->kind())) names += formatted("{}{}", names.empty() ? "" : ", ", k->name());
    return error(Code::not_found, "operator {} has no kernel named '{}'; it has {}", problem.op->name(), forced,
                 names.empty() ? "none" : names);
  }
  std::string why;
  for (const Candidate& c : list_candidates(problem, limit)) {
    why += formatted("; {}: {}", c.kernel->name(), c.because);
    if (limit != nullptr && refusal_of(*c.kernel, problem) == nullptr)
      why += formatted(" ({} bytes)", c.kernel->scratch_bound(problem, limit->in, limit->out, limit->threads));
  }
  if (limit != nullptr) why += formatted("; the limit is {} bytes", limit->bytes);
  return unimplemented("no kernel supports {}{}", describe(*problem.op), why);
}

}  // namespace anydim
