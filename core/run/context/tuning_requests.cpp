// SPDX-License-Identifier: Apache-2.0
// Who has a context tuned: the background worker, and a context with the policy `specialised` when it is made; see tuning.h.
#include <algorithm>
#include <cstring>

#include "core/dispatch/tuning/worker.h"
#include "core/run/context/tuning.h"

namespace anydim {

namespace {

// Values that look like activations; integers are 1, which is a valid index, count and boolean nearly everywhere.
void fill(const TensorView& t, uint32_t seed) {
  const int64_t n = t.count();
  if (t.dtype == DType::f32) {
    for (int64_t i = 0; i < n; ++i) {
      seed = seed * 1664525u + 1013904223u;
      t.as<float>()[i] = static_cast<float>(static_cast<int32_t>(seed)) / 2147483648.f;
    }
  } else if (dtype_size(t.dtype) <= 8 && t.dtype != DType::f64 && t.dtype != DType::f16 && t.dtype != DType::bf16) {
    const int64_t one = 1;
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(static_cast<std::byte*>(t.data) + i * dtype_size(t.dtype), &one, static_cast<size_t>(dtype_size(t.dtype)));
  }
}

// Inputs of these dims in the orders that the program wants.
Status make_inputs(const Program& program, std::span<const Dims> dims, std::vector<HostTensor>* memory, std::vector<TensorView>* views) {
  for (size_t i = 0; i < dims.size(); ++i) {
    HostTensor t;
    ANYDIM_TRY(HostTensor::allocate(program.inputs[i].dtype, dims[i], &t));
    t.view.strides = dense_strides(dims[i], program.inputs[i].order);
    fill(t.view, static_cast<uint32_t>(i + 1));
    views->push_back(t.view);
    memory->push_back(std::move(t));
  }
  return {};
}

const char* tune_in_background(const std::shared_ptr<const void>& owner, const WorkRequest& request, const std::atomic<bool>& stop) {
  const auto program = std::static_pointer_cast<const Program>(owner);
  const std::vector<Dims> dims = request.shape_dims();
  ContextOptions options;
  options.reuse = ReusePolicy::reusable;
  options.parallel = Parallel::in_turns(request.shape_threads());
  options.side_by_side = SideBySide::nowhere;  // a step alone on its thread is none that plans are measured for
  std::unique_ptr<Context> context;
  if (!Context::create(program, options, &context).ok()) return "no context";
  std::vector<HostTensor> memory;
  std::vector<TensorView> in, out(program->outputs.size());
  if (!make_inputs(*program, dims, &memory, &in).ok()) return "no memory for inputs";
  // Reserving reports how much a run takes before its pages are used.
  if (!context->reserve(in).ok()) return "the shape does not bind";
  int64_t arenas = context->arena_bytes();
  for (size_t e = 1; e < program->engines.size(); ++e) arenas = saturating_add(arenas, context->arena_bytes(static_cast<int32_t>(e)));
  if (arenas > Worker::instance().limits().bytes) return "a run takes more memory than the worker may use";
  if (!context->run(in, out).ok()) return "the run failed";
  TuneRequest wanted;
  wanted.options.stop = &stop;
  wanted.options.clock = thread_clock;
  wanted.options.splits = false;
  wanted.own_memory = true;
  wanted.confirm_interval_ns = 700 * 1000 * 1000;
  wanted.options.rest = [&stop] { return Worker::instance().rest(stop); };
  const WorkerStatistics worked = Worker::instance().statistics();
  wanted.device_budget_ns = Worker::instance().limits().seconds * 1000000000 - worked.nanoseconds;
  const bool tuned = tune(*context, wanted, nullptr).ok();
  // A process that ends may be past its drivers' end, so that none of their state is touched.
  if (stop.load() && !program->host_only()) (void)context.release();
  return tuned ? nullptr : "tuning failed";
}

}  // namespace

void request_tuning(const Context& context) noexcept {
  if (!check_tunable(context.program()).ok()) return;
  WorkRequest request;
  request.run = tune_in_background;
  request.begin_shape(context.threads());
  for (const TensorView& t : context.caller().source().in)
    if (!request.add_dims(t.dims)) return;
  request.owner = context.shared_program();
  Worker::instance().push(std::move(request));
}

namespace {

// Tunes at these dims of the inputs, for the bucket or for this very shape, and counts what that takes off the budget.
Status tune_at(Context& context, std::span<const Dims> dims, bool bucket, int64_t* budget_ns) {
  std::vector<HostTensor> memory;
  std::vector<TensorView> in, out(context.program().outputs.size());
  ANYDIM_TRY(make_inputs(context.program(), dims, &memory, &in));
  // Dims that the model refuses (a width that is no multiple of 32, say) are not measured.
  if (!context.run(in, out).ok()) return {};
  TuneRequest request;
  request.record = false;  // what is measured for a context's making is not worth a wait for the disk
  request.bucket = bucket;
  request.options.budget_ns = std::min<int64_t>(request.options.budget_ns, *budget_ns);
  request.device_budget_ns = *budget_ns;
  std::vector<NodeTuning> report;
  ANYDIM_TRY(tune(context, request, &report));
  for (const NodeTuning& n : report) *budget_ns -= n.outcome.nanoseconds;
  return {};
}

}  // namespace

Status specialise(Context& context, int64_t budget_ns) {
  constexpr size_t kMostBuckets = 8;
  if (!check_tunable(context.program()).ok()) return {};
  const Bounds* const bounds = context.bounds();
  std::vector<Dims> most;
  std::vector<std::pair<int64_t*, int64_t>> varying;  // a dim of `most`, and its least value
  for (const Program::IoSpec& e : context.program().inputs) most.push_back(Dims::filled(e.dims.rank, 0));
  for (size_t i = 0; i < most.size(); ++i)
    for (int a = 0; a < most[i].rank; ++a) {
      const Dim d = context.program().inputs[i].dims[a];
      if (!d.is_number() && bounds == nullptr) return {};  // nothing says which dims are to come
      most[i][a] = d.is_number() ? d.number() : (*bounds)[i].dims[a].max;
      if (bounds != nullptr && (*bounds)[i].dims[a].min < (*bounds)[i].dims[a].max)
        varying.emplace_back(&most[i][a], (*bounds)[i].dims[a].min);
    }
  ANYDIM_TRY(tune_at(context, most, false, &budget_ns));
  if (varying.size() != 1) return {};
  const auto [dim, least] = varying[0];
  std::vector<int64_t> buckets;
  for (int64_t v = least; v <= *dim; v = bucket_of(v) + 1) buckets.push_back(std::min(bucket_of(v), *dim));
  // The largest first: there is most to win.
  for (size_t i = 0; i < buckets.size() && i < kMostBuckets && budget_ns > 0; ++i) {
    *dim = buckets[buckets.size() - 1 - i];
    ANYDIM_TRY(tune_at(context, most, true, &budget_ns));
  }
  return {};
}

}  // namespace anydim
