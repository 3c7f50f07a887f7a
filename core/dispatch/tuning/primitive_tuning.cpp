// SPDX-License-Identifier: Apache-2.0
// Tuning single primitives; see primitive_tuning.h.
#include "core/dispatch/tuning/primitive_tuning.h"

#include "core/dispatch/tuning/device_tuner.h"
#include "core/dispatch/tuning/plan_records.h"
#include "core/dispatch/tuning/worker.h"
#include "core/engines/cpu/engine.h"
#include "core/tensor/views.h"

namespace anydim {

namespace {

TensorView shape_of(DType dtype, const Dims& dims) {
  TensorView v;
  v.dtype = dtype;
  v.dims = dims;
  v.strides = dense_strides(dims);
  return v;
}

int64_t bytes_of(DType dtype, const Dims& dims) { return saturating_mul(element_count(dims), dtype_size(dtype)); }

Status make_tensor(DType dtype, const Dims& dims, const Perm& order, std::vector<HostTensor>* all) {
  HostTensor t;
  ANYDIM_TRY(HostTensor::allocate(dtype, dims, &t));
  if (order.rank == dims.rank && dims.rank > 0) t.view.strides = dense_strides(dims, order);
  if (dtype == DType::f32) {
    uint32_t seed = 1;
    for (int64_t i = 0; i < t.view.count(); ++i) {
      seed = seed * 1664525u + 1013904223u;
      t.view.as<float>()[i] = static_cast<float>(static_cast<int32_t>(seed)) / 2147483648.f;
    }
  }
  all->push_back(std::move(t));
  return {};
}

std::vector<TensorView> views(const std::vector<HostTensor>& tensors) {
  std::vector<TensorView> out;
  for (const HostTensor& t : tensors) out.push_back(t.view);
  return out;
}

// What a device is measured with.
struct DeviceTensors {
  std::vector<MemoryPtr> memories;
  StreamPtr stream;  // last: goes before the memory

  Status place(const Engine& engine, const TensorView& from, BufferRef* to) {
    const int64_t bytes = bytes_of(from.dtype, from.dims);
    ANYDIM_TRY(engine.allocate(bytes, &memories.emplace_back()));
    *to = {memories.back().get(), 0};
    HostMemory host(from.data, bytes);
    ANYDIM_TRY(stream->copy(*to, {&host}, bytes));
    return stream->wait();
  }
};

// As on the host, with the tensors' copies on the device; nothing is recorded. `run_time_inputs`: by operand of the operator.
Status tune_there(const Primitive& primitive, std::span<const TensorView> run_time_inputs, std::span<const TensorView> out,
                  std::span<const TensorView> post_in, int64_t scratch_bytes, const PinnedWeights& weights, const TuneOptions& options,
                  TuneOutcome* outcome) {
  const Engine& engine = primitive.engine();
  auto there = std::make_unique<DeviceTensors>();
  ANYDIM_TRY(engine.create_stream(0, &there->stream));
  std::vector<TensorView> views[3];
  std::vector<BufferRef> places[3];
  const OperandSet constants = primitive.constant_operands();
  const std::span<const TensorView> all[3] = {run_time_inputs, out, post_in};
  for (size_t list = 0; list < 3; ++list)
    for (size_t i = 0; i < all[list].size(); ++i) {
      views[list].push_back(all[list][i]);
      views[list].back().data = nullptr;
      BufferRef& place = places[list].emplace_back();
      if (list != 0 || !constants.has(i)) ANYDIM_TRY(there->place(engine, all[list][i], &place));
    }
  MemoryPtr scratch;
  if (scratch_bytes > 0) ANYDIM_TRY(engine.allocate(scratch_bytes, &scratch));
  there->memories.push_back(scratch);
  Args args;
  args.in = views[0];
  args.out = views[1];
  args.post_in = views[2];
  args.parallel = there->stream->parallel();
  primitive.fill_in(&args, weights.packed());
  const PrimitiveCore& core = *primitive.core();
  const uint64_t key = plan_key(args);
  if (core.tiers().has(key)) return {};
  const DeviceCall call{primitive, *there->stream, args, places[0], places[1], places[2], {scratch.get(), 0}, scratch_bytes};
  *outcome = tune_device_call(call, options);
  confirm_device_choice(call, options, outcome);
  // A process that ends may be past its drivers' end, so that none of their state is touched.
  if (options.stop != nullptr && options.stop->load()) {
    (void)there.release();
    return {};
  }
  core.tiers().add_tuning_time(outcome->nanoseconds);
  if (outcome->complete) core.tiers().publish({key, outcome->choice, static_cast<float>(1 / outcome->ratio)});
  return {};
}

const char* tune_in_background(const std::shared_ptr<const void>& owner, const WorkRequest& request, const std::atomic<bool>& stop) {
  const auto primitive = std::static_pointer_cast<const Primitive>(owner);
  TuneOptions options;
  options.stop = &stop;
  options.clock = primitive->engine().clocks().own;
  options.splits = false;
  options.rest = [&stop] { return Worker::instance().rest(stop); };
  TuneOutcome outcome;
  const Status s = tune_primitive(*primitive, request.shape_dims(), Parallel::in_turns(request.shape_threads()), request.shape_threads(),
                                  options, true, &outcome);
  return s.ok() ? nullptr : "tuning failed";
}

}  // namespace

Status tune_primitive(const Primitive& primitive, std::span<const Dims> in, const Parallel& parallel, int threads,
                      const TuneOptions& options, bool record, TuneOutcome* outcome) {
  *outcome = {};
  if (primitive.kernel().plan_revision() == 0) return {};
  const HostKernel* kernel = primitive.core()->host_kernel();
  std::vector<TensorView> run_time_inputs;
  std::vector<Dims> dims(primitive.out().size());
  const OperandSet constants = primitive.constant_operands();
  int64_t needed = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    run_time_inputs.push_back(shape_of(primitive.in()[constants.absent(i)].dtype, in[i]));
    needed = saturating_add(needed, bytes_of(run_time_inputs[i].dtype, in[i]));
  }
  ANYDIM_TRY(primitive.output_dims(run_time_inputs, dims));
  for (size_t i = 0; i < dims.size(); ++i) needed = saturating_add(needed, bytes_of(primitive.out()[i].dtype, dims[i]));
  if (needed > Worker::instance().limits().bytes) return {};
  std::vector<HostTensor> inputs, outputs, operands;
  for (size_t i = 0; i < in.size(); ++i)
    ANYDIM_TRY(
        make_tensor(run_time_inputs[i].dtype, in[i], primitive.preferred_order(false, static_cast<int>(constants.absent(i))), &inputs));
  run_time_inputs = views(inputs);
  for (size_t i = 0; i < dims.size(); ++i)
    ANYDIM_TRY(make_tensor(primitive.out()[i].dtype, dims[i], primitive.preferred_order(true, static_cast<int>(i)), &outputs));
  const std::vector<TensorView> out = views(outputs);
  if (out[0].count() == 0) return {};
  for (const TensorType& t : primitive.descriptors()->post_in) ANYDIM_TRY(make_tensor(t.dtype, dims[0], {}, &operands));
  const std::vector<TensorView> post_in = views(operands);
  int64_t bytes = 0;
  ANYDIM_TRY(primitive.scratch_bytes(run_time_inputs, out, post_in, parallel.threads(), &bytes));
  auto scratch = AlignedBuffer::allocate(bytes);
  if (!scratch.ok()) return scratch.take_status();
  const PinnedWeights weights(primitive.weights().get());  // an update may come while this measures
  for (size_t i = 0; i < primitive.in().size(); ++i)
    if (constants.has(i)) run_time_inputs.insert(run_time_inputs.begin() + static_cast<std::ptrdiff_t>(i), weights.views()[i]);
  if (kernel == nullptr) return tune_there(primitive, run_time_inputs, out, post_in, bytes, weights, options, outcome);
  Args args;
  args.in = run_time_inputs;
  args.out = out;
  args.post_in = post_in;
  args.parallel = parallel;
  args.scratch = scratch->data();
  primitive.fill_in(&args, weights.packed());
  Args there = args;
  there.parallel = there.parallel.with(threads);
  const uint64_t key = plan_key(there);
  if (primitive.core()->tiers().has(key)) return {};
  *outcome = tune_plan(*kernel, args, bytes, options);
  confirm_plan(*kernel, args, bytes, options, outcome);
  primitive.core()->tiers().add_tuning_time(outcome->nanoseconds);
  if (!outcome->complete) return {};
  const TierEntry entry{key, outcome->choice, static_cast<float>(1 / outcome->ratio)};
  primitive.core()->tiers().publish(entry);
  return record ? record_plans(*primitive.core(), {&entry, 1}) : Status();
}

Status specialise_primitive(const Primitive& primitive, const Parallel& parallel) {
  std::vector<Dims> in;
  for (size_t i = 0; i < primitive.in().size(); ++i) {
    if (primitive.constant_operands().has(i)) continue;
    Dims d;
    for (const Dim& dim : primitive.in()[i].dims) {
      if (dim.is_number()) {
        d.push_back(dim.number());
        continue;
      }
      const DimPromise& p = primitive.pool().expr(dim.expr()).promise;
      const int64_t likely = p.hint > 0 ? p.hint : p.max;
      if (likely >= kMaxSize || likely <= 0) return {};
      d.push_back(likely);
    }
    in.push_back(d);
  }
  TuneOutcome outcome;
  Status s = tune_primitive(primitive, in, parallel, parallel.threads(), {}, false, &outcome);
  // Hints may fit nothing (97 columns for a matrix with one row): then there is nothing to measure.
  if (s.code() == Code::invalid_argument) return {};
  return s;
}

void Primitive::request_tuning(const Args& args) const noexcept {
  if (kernel().plan_revision() == 0 || !core_->new_dims(plan_key(args))) return;
  WorkRequest request;
  request.run = tune_in_background;
  request.begin_shape(args.parallel.threads());
  const OperandSet constants = this->constant_operands();
  for (size_t i = 0; i < args.in.size(); ++i)
    if (!constants.has(i) && !request.add_dims(args.in[i].dims)) return;
  request.owner = weak_from_this();
  Worker::instance().push(std::move(request));
}

}  // namespace anydim
