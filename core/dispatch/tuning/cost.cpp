// SPDX-License-Identifier: Apache-2.0
// Expected and measured times of kernels; see cost.h.
#include "core/dispatch/tuning/cost.h"

#include <algorithm>

namespace anydim {

namespace {

// Room for so many operands: writing it takes time.
template <size_t kInputs, size_t kOutputs> Work work_of(const Operator& op, const Args& args, double* bytes) noexcept {
  Dims in[kInputs], out[kOutputs];
  const size_t inputs = std::min(args.in.size(), kInputs), outputs = std::min(args.out.size(), kOutputs);
  const auto add = [&](const TensorView& t) { *bytes += static_cast<double>(t.count() * dtype_size(t.dtype)); };
  for (size_t i = 0; i < inputs; ++i) in[i] = args.in[i].dims, add(args.in[i]);
  for (size_t i = 0; i < outputs; ++i) out[i] = args.out[i].dims, add(args.out[i]);
  for (const TensorView& t : args.post_in) add(t);
  return op.work({in, inputs}, {out, outputs});
}
Work work_of(const Operator& op, const Args& args, double* bytes) noexcept {
  return args.in.size() <= 4 && args.out.size() <= 1 ? work_of<4, 1>(op, args, bytes) : work_of<64, 8>(op, args, bytes);
}
double time_of(const Rates& rates, const Work& work, double bytes, double threads) noexcept {
  return rates.call_nanoseconds + std::max(work.steps / (rates.steps_per_nanosecond * threads), bytes / rates.bytes_per_nanosecond);
}

}  // namespace

double expected_nanoseconds(const Engine& engine, const Kernel& kernel, const Operator& op, const Args& args) noexcept {
  double bytes = 0;
  const Work work = work_of(op, args, &bytes);
  return time_of(engine.rates(kernel, work.flops >= 0), work, bytes, std::max(args.parallel.threads(), 1));
}

double CostOfCalls::nanoseconds(const Args& args) const noexcept {
  double bytes = 0;
  const Work work = work_of(*op_, args, &bytes);
  return time_of(rates_[work.flops >= 0 ? 1 : 0], work, bytes, 1);
}

Status list_choices(const Primitive& p, const Args& args, int repeats, std::vector<Choice>* out) {
  if (repeats > 0 && !p.engine().is_host())
    return unimplemented("kernels are measured on host engines; the primitive is of engine {}", p.engine().kind());
  struct Runner {
    Choice* choice;
    const HostKernel* kernel;
    Plan plan;
    std::vector<int64_t> times;
  };
  const std::vector<Candidate> candidates = p.candidates();
  std::vector<Choice> choices(candidates.size());
  std::vector<Runner> runners;
  runners.reserve(candidates.size());
  int64_t scratch_bytes = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const Kernel& k = *candidates[i].kernel;
    Choice& c = choices[i];
    c.kernel = &k;
    c.chosen = &k == &p.kernel();
    if (!candidates[i].able) {
      c.refusal = candidates[i].because;
      continue;
    }
    c.expected_nanoseconds = expected_nanoseconds(p.engine(), k, p.op(), args);
    if (p.weights() != nullptr && !p.weights()->fits(k, p.problem())) {
      const std::string reads = form_name(k.packed_form(p.problem()), p.problem()), &packed = p.weights()->format();
      c.not_measured = formatted("it reads weights packed as '{}'; these are packed as '{}'", reads.empty() ? "(as given)" : reads,
                                 packed.empty() ? "(as given)" : packed);
      continue;
    }
    Runner r{&c, p.core()->host_kernel() ? static_cast<const HostKernel*>(&k) : nullptr, {}, {}};
    k.plan(args, &r.plan);
    c.scratch_bytes = r.plan.scratch;
    scratch_bytes = std::max(scratch_bytes, r.plan.scratch);
    runners.push_back(std::move(r));
  }
  if (repeats > 0) {
    auto scratch = AlignedBuffer::allocate(scratch_bytes);
    if (!scratch.ok()) return scratch.take_status();
    const Clock clock = p.engine().clocks().elapsed;
    Args mine = args;
    mine.scratch = scratch->data();
    const FloatingPointScope floating_point;
    for (int round = -1; round < repeats; ++round)  // the first round warms up
      for (Runner& r : runners) {
        const int64_t start = clock();
        ANYDIM_TRY(r.kernel->run(r.plan, mine));
        if (round >= 0) r.times.push_back(clock() - start);
      }
    for (Runner& r : runners) {
      std::nth_element(r.times.begin(), r.times.begin() + static_cast<std::ptrdiff_t>(r.times.size() / 2), r.times.end());
      r.choice->measured_nanoseconds = static_cast<double>(r.times[r.times.size() / 2]);
    }
  }
  *out = std::move(choices);
  return {};
}

}  // namespace anydim
