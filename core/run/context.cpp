// SPDX-License-Identifier: Apache-2.0
// Binding and running; see context.h. Everything that a run writes was sized when the context was made.
#include "core/run/context.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "core/base/cancelled.h"
#include "core/base/code_pages.h"
#include "core/dispatch/observe.h"
#include "core/tensor/memory.h"
#include "core/dispatch/worker.h"
#include "core/tensor/views.h"

namespace anydim {
namespace {

class Use {
 public:
  explicit Use(std::atomic<bool>& busy) noexcept : busy_(busy), mine_(!busy.exchange(true, std::memory_order_acquire)) {}
  ~Use() {
    if (mine_) busy_.store(false, std::memory_order_release);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  explicit operator bool() const noexcept { return mine_; }

 private:
  std::atomic<bool>& busy_;
  bool mine_;
};
Status busy() { return error(Code::busy, "another thread is using this context; a context has one user at a time"); }

int64_t now() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

bool same_strides(const TensorView& a, const TensorView& b) noexcept {
  for (int i = 0; i < a.dims.rank; ++i)
    if (a.dims[i] > 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}

int64_t integer_at(const TensorView& t, int64_t element) noexcept {
  int64_t offset = 0;
  for (int i = t.dims.rank - 1; i >= 0; --i) {
    offset += element % t.dims[i] * t.strides[i];
    element /= t.dims[i];
  }
  switch (t.dtype) {
    case DType::i64: return t.as<int64_t>()[offset];
    case DType::i32: return t.as<int32_t>()[offset];
    case DType::i16: return t.as<int16_t>()[offset];
    case DType::u16: return t.as<uint16_t>()[offset];
    case DType::i8: return t.as<int8_t>()[offset];
    case DType::u8:
    case DType::boolean: return t.as<uint8_t>()[offset];
    case DType::u32: return t.as<uint32_t>()[offset];
    case DType::u64: return static_cast<int64_t>(t.as<uint64_t>()[offset]);
    default: return kBadSlot;
  }
}

Status check_tensor(const TensorView& t, const char* what, const std::string& name) {
  int64_t lowest = 0;
  for (int d = 0; d < t.dims.rank; ++d)
    if (t.dims[d] < 0) return invalid("{} '{}' dim {} is {}; dims are not negative", what, name, d, t.dims[d]);
  const int64_t span = element_span(t.dims, t.strides, &lowest);
  if (span < 0 || saturating_mul(span, dtype_size(t.dtype)) >= kMaxSize || lowest <= -kMaxSize)
    return invalid("{} '{}' of dims {} is larger than any address space", what, name, to_string(t.dims));
  if (reinterpret_cast<uintptr_t>(t.data) % static_cast<uintptr_t>(dtype_size(t.dtype)) != 0)
    return invalid("{} '{}' is at an address that is not a multiple of the {} bytes of {}", what, name, dtype_size(t.dtype),
                   dtype_name(t.dtype));
  return {};
}

}  // namespace

Context::~Context() = default;

Status Context::create(ProgramPtr program, const ContextOptions& options, std::unique_ptr<Context>* out) {
  std::unique_ptr<Context> c(new Context());
  c->program_ = std::move(program);
  c->parallel_ = options.parallel;
  if (options.bounds) {
    c->bounded_ = true;
    c->bounds_ = *options.bounds;
  }
  ANYDIM_TRY(plan_arena(*c->program_, options.bounds, c->parallel_.threads(), &c->arena_plan_));
  if (options.buffer) {
    if (reinterpret_cast<uintptr_t>(options.buffer) % kBufferAlignment != 0)
      return invalid("the buffer's address is not a multiple of {}", kBufferAlignment);
    if (c->bounded_ && options.buffer_size < c->arena_plan_.bytes)
      return invalid("the buffer has {} bytes; these bounds need {}", options.buffer_size, c->arena_plan_.bytes);
    c->arena_.borrow(options.buffer, options.buffer_size);
  } else if (c->bounded_) {
    ANYDIM_TRY(c->arena_.reserve(c->arena_plan_.bytes, c->parallel_));
  }
  ANYDIM_TRY(c->prepare());
  if (c->bounded_)
    for (const Program::Tensor& t : c->program_->tensors)
      if (t.constant) t.constant->touch();
  c->parallel_.prepare();
  touch_code_pages();
  c->policy_ = resolve_policy(c->program_->reuse, options.reuse);
  // Without bounds there is memory for likely dims, but no more of it than a context may hold that never needs it.
  if (!c->bounded_ && !options.buffer && !c->bind_the_only_shape())
    ANYDIM_TRY(c->arena_.grow(std::min(c->arena_plan_.bytes, Arena::kSmall), c->parallel_));
  if (c->policy_.policy == ReusePolicy::reusable_first) Worker::instance().start();
  if (c->policy_.policy == ReusePolicy::specialised) ANYDIM_TRY(c->specialise(options));
  *out = std::move(c);
  return {};
}

// A program whose dims are all fixed has one shape, which its first run then finds bound, with all the memory that it needs. False
// for others; what is wrong with the shape the run tells.
bool Context::bind_the_only_shape() {
  if (!program_->input_elements.empty()) return false;
  for (size_t i = 0; i < in_.size(); ++i) {
    const Program::Edge& edge = program_->inputs[i];
    in_[i].dtype = edge.dtype;
    in_[i].dims = Dims::filled(edge.dims.rank, 0);
    for (int d = 0; d < edge.dims.rank; ++d) {
      if (!edge.dims[d].is_number()) return false;
      in_[i].dims[d] = edge.dims[d].number();
    }
    in_[i].strides = dense_strides(in_[i].dims, edge.order);
  }
  const bool bound = bind_shape().ok();
  growth_events_ = 0;
  return bound;
}

Status Context::prepare() {
  const Program& p = *program_;
  ANYDIM_TRY(views_.prepare(p));
  steps_.resize(p.steps.size());
  const auto check_dims_of = [&](int32_t tensor) {
    if (tensor == Program::kNoTensor) return;
    for (Dim d : p.tensor(tensor).dims)
      if (!d.is_number()) checked_dims_.push_back(d.expr());
  };
  for (const Program::Step& s : p.steps) {
    attribute_dims_.insert(attribute_dims_.end(), s.dim_attributes.begin(), s.dim_attributes.end());
    std::for_each(s.operands.begin(), s.operands.end(), check_dims_of);
  }
  std::for_each(p.results.begin(), p.results.end(), check_dims_of);
  attributes_.resize(attribute_dims_.size());
  std::sort(checked_dims_.begin(), checked_dims_.end());
  checked_dims_.erase(std::unique(checked_dims_.begin(), checked_dims_.end()), checked_dims_.end());

  size_t attribute = 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const Program::Step& s = p.steps[i];
    const OperandViews::Operands& operands = views_.step(i);
    BoundStep& b = steps_[i];
    b.primitive = s.primitive.get();
    b.follows = operands.follows;
    b.region = arena_plan_.buffers.size() + static_cast<size_t>(arena_plan_.scratch[i]);
    b.args.in = operands.in;
    b.args.out = operands.out;
    b.args.post_in = operands.post_in;
    b.args.dim_attributes = std::span<const int64_t>(attributes_).subspan(attribute, s.dim_attributes.size());
    attribute += s.dim_attributes.size();
    b.args.parallel = parallel_;
    b.primitive->fill_in(&b.args);
  }
  // A slot that the code does not fill has no value, for whoever should read it.
  slots_.assign(static_cast<size_t>(p.code.slots()), kBadSlot);
  probe_slots_ = slots_;
  assigned_.assign(slots_.size(), 0);
  bytes_.assign(static_cast<size_t>(arena_plan_.plan.buffers()), 0);
  for (int32_t b : arena_plan_.buffers) extents_.push_back({p.buffer(b).elements, dtype_size(p.buffer(b).dtype)});
  places_.resize(bytes_.size());
  buffer_data_.assign(p.buffers.size(), nullptr);
  in_.resize(p.inputs.size());
  last_in_ = in_;
  content_.assign(p.input_elements.size(), 0);
  last_content_ = content_;
  output_direct_.assign(p.outputs.size(), 0);
  output_data_.assign(p.outputs.size(), nullptr);
  nanoseconds_.assign(steps_.size(), -1);
  return {};
}

// --- checking what the caller gave ----------------------------------------------------------------------------------

Status Context::take_inputs(std::span<const TensorView> in) {
  const std::vector<Program::Edge>& wanted = program_->inputs;
  if (in.size() != wanted.size()) return invalid("{} inputs were given; the model has {}", in.size(), wanted.size());
  for (size_t i = 0; i < in.size(); ++i) {
    const TensorView& t = in[i];
    const Program::Edge& want = wanted[i];
    if (t.dtype != want.dtype)
      return invalid("input '{}' has dtype {}; the model expects {}", want.name, dtype_name(t.dtype), dtype_name(want.dtype));
    if (t.dims.rank != want.dims.rank || t.strides.rank != t.dims.rank)
      return invalid("input '{}' has rank {}; the model expects {}", want.name, t.dims.rank, want.dims.rank);
    ANYDIM_TRY(check_tensor(t, "input", want.name));
    for (int d = 0; d < t.dims.rank; ++d) {
      const Dim dim = want.dims[d];
      const int64_t v = t.dims[d];
      if (dim.is_number() && v != dim.number())
        return invalid("input '{}' dim {} is {}; the model expects {}", want.name, d, v, dim.number());
      if (!dim.is_number() && program_->dims.expr(dim.expr()).op == DimOp::symbol) {
        const DimPromise& p = program_->dims.expr(dim.expr()).promise;
        if (v < p.min || v > p.max || (p.multiple_of > 1 && v % p.multiple_of != 0))
          return error(Code::out_of_bounds, "input '{}' dim {} ({}) is {}; the model promises {}..{}, a multiple of {}", want.name, d,
                       want.dim_text[static_cast<size_t>(d)], v, p.min, p.max, p.multiple_of);
      }
      if (bounded_) {
        const Interval& b = bounds_[i].dims[d];
        if (v < b.min || v > b.max)
          return error(Code::out_of_bounds, "input '{}' dim {} ({}) is {}; the context's bounds are {}..{}", want.name, d,
                       want.dim_text[static_cast<size_t>(d)], v, b.min, b.max);
      }
    }
    // Strides of axes without a second element say nothing; one spelling keeps the shape recognisable.
    in_[i] = t;
    const Strides dense = dense_strides(t.dims, want.order);
    for (int d = 0; d < t.dims.rank; ++d)
      if (t.dims[d] <= 1) in_[i].strides[d] = dense[d];
  }
  const std::vector<Program::InputElement>& elements = program_->input_elements;
  for (size_t k = 0; k < elements.size(); ++k) {
    const TensorView& t = in_[static_cast<size_t>(elements[k].input)];
    if (elements[k].element >= t.count() || t.data == nullptr)
      return invalid("input '{}' has {} elements; shapes of the model depend on element {}",
                     wanted[static_cast<size_t>(elements[k].input)].name, t.data ? t.count() : 0, elements[k].element);
    content_[k] = integer_at(t, elements[k].element);
  }
  return {};
}

bool Context::same_as_bound() const noexcept {
  if (!bound_ || content_ != last_content_) return false;
  if (bound_epoch_ != tier_epoch() && policy_.policy != ReusePolicy::reusable) return false;
  for (size_t i = 0; i < in_.size(); ++i)
    if (!(in_[i].dims == last_in_[i].dims) || !(in_[i].strides == last_in_[i].strides)) return false;
  return true;
}

// --- shapes ----------------------------------------------------------------------------------------------------------

Status Context::evaluate(std::vector<int64_t>& slots) {
  const Program& p = *program_;
  std::fill(assigned_.begin(), assigned_.end(), 0);
  const std::vector<Program::Edge>& inputs = p.inputs;
  for (size_t i = 0; i < in_.size(); ++i)
    for (int d = 0; d < in_[i].dims.rank; ++d) {
      const auto stride = static_cast<size_t>(inputs[i].strides[d].expr());
      slots[stride] = in_[i].strides[d];
      const Dim dim = inputs[i].dims[d];
      if (dim.is_number() || p.dims.expr(dim.expr()).op != DimOp::symbol) continue;
      const auto s = static_cast<size_t>(dim.expr());
      if (assigned_[s] && slots[s] != in_[i].dims[d])
        return invalid("input '{}' dim {} ({}) is {}; an earlier dim of that name is {}", inputs[i].name, d,
                       inputs[i].dim_text[static_cast<size_t>(d)], in_[i].dims[d], slots[s]);
      slots[s] = in_[i].dims[d];
      assigned_[s] = 1;
    }
  for (size_t k = 0; k < content_.size(); ++k) slots[static_cast<size_t>(p.input_elements[k].symbol.expr())] = content_[k];
  p.code.run(slots);
  for (size_t i = 0; i < in_.size(); ++i)
    for (int d = 0; d < in_[i].dims.rank; ++d)
      if (value_of(inputs[i].dims[d], slots) != in_[i].dims[d])
        return invalid("input '{}' dim {} is {}; {} gives {}", inputs[i].name, d, in_[i].dims[d],
                       inputs[i].dim_text[static_cast<size_t>(d)], value_of(inputs[i].dims[d], slots));
  for (const Program::Guard& guard : p.guards) {
    if (value_of(guard.condition, slots) == 1) continue;
    // Whether the format allows it is no part of the code, which every new shape pays for.
    std::vector<int64_t> values(slots);
    values.resize(static_cast<size_t>(p.dims.size()), kBadSlot);
    SlotProgram(p.dims, {&guard.allowed, 1}).run(values);
    const Code code = value_of(guard.allowed, values) == 1 ? Code::unimplemented : Code::invalid_argument;
    return error(code, "node '{}' cannot run at these dims: {}", guard.step, guard.message);
  }
  for (int32_t s : checked_dims_) {
    if (slots[static_cast<size_t>(s)] >= 0) continue;
    for (const Program::Step& step : p.steps)
      for (int32_t t : step.operands) {
        if (t == Program::kNoTensor) continue;
        for (Dim d : p.tensor(t).dims)
          if (!d.is_number() && d.expr() == s)
            return invalid("node '{}' cannot run at these dims: '{}' would have a dim {} of {}", step.label, p.tensor(t).name,
                           p.dims.text(d),
                           slots[static_cast<size_t>(s)] == kBadSlot ? "no value" : std::to_string(slots[static_cast<size_t>(s)]));
      }
    return invalid("a dim {} has no value at these dims", p.dims.text(Dim::expression(s)));
  }
  const auto no_value = [&](Dim d) { return value_of(d, slots) == kBadSlot; };
  if (std::any_of(attribute_dims_.begin(), attribute_dims_.end(), no_value))
    for (const Program::Step& step : p.steps)
      if (const auto d = std::find_if(step.dim_attributes.begin(), step.dim_attributes.end(), no_value); d != step.dim_attributes.end())
        return error(Code::unimplemented, "node '{}' cannot run at these dims: {} leaves the 64-bit integers", step.label, p.dims.text(*d));
  return {};
}

Status Context::bind_shape() {
  const bool reusable_only = policy_.policy == ReusePolicy::reusable;
  // What was bound last stays where these slots and tiers say the same.
  const uint32_t epoch = tier_epoch();
  const bool keep = bound_ && (reusable_only || bound_epoch_ == epoch);
  bound_ = memory_bound_ = false;
  bound_epoch_ = epoch;
  ANYDIM_TRY(evaluate(slots_));
  const std::span<const int64_t> slots(slots_);
  const uint64_t changed = views_.follow(slots, !keep);
  for (size_t i = 0; i < attributes_.size(); ++i) attributes_[i] = value_of(attribute_dims_[i], slots);
  const size_t buffers = extents_.size();
  for (size_t i = 0; i < buffers; ++i) {
    const int64_t n = value_of(extents_[i].elements, slots);
    if (n < 0)
      return error(Code::out_of_memory, "a tensor of {} elements is larger than any address space",
                   program_->dims.text(extents_[i].elements));
    bytes_[i] = saturating_mul(n, extents_[i].element);
  }
  std::fill(bytes_.begin() + static_cast<std::ptrdiff_t>(buffers), bytes_.end(), 0);
  for (BoundStep& s : steps_) {
    if (!keep || (s.follows & changed) != 0) s.primitive->plan(s.args, &s.plan, reusable_only);
    bytes_[s.region] = std::max(bytes_[s.region], s.plan.scratch);
  }
  used_bytes_ = arena_plan_.plan.place(bytes_, places_);
  if (used_bytes_ > arena_.size()) {
    if (bounded_) return error(Code::internal, "this shape needs {} bytes, more than the {} that were bounded", used_bytes_, arena_.size());
    const int64_t before = arena_.size();
    // Many contexts meet one shape only, or the largest one first.
    ANYDIM_TRY(had_shape_ ? arena_.grow(used_bytes_, parallel_) : arena_.fit(used_bytes_, parallel_));
    ++growth_events_;
    if (observe::wants(observe::kTrace)) observe::grew("a context", before, arena_.size());
  }
  for (BoundStep& s : steps_) s.args.scratch = s.plan.scratch > 0 ? arena_.data() + places_[s.region].offset : nullptr;
  for (size_t i = 0; i < in_.size(); ++i) last_in_[i] = in_[i];
  last_content_ = content_;
  bound_ = had_shape_ = true;
  return {};
}

void Context::bind_memory(bool everything) noexcept {
  const std::vector<Program::Buffer>& buffers = program_->buffers;
  for (size_t i = 0; i < arena_plan_.buffers.size(); ++i)
    buffer_data_[static_cast<size_t>(arena_plan_.buffers[i])] = arena_.data() + places_[i].offset;
  for (size_t b = 0; b < buffers.size(); ++b) {
    const auto index = static_cast<size_t>(buffers[b].index);
    if (buffers[b].kind == Program::Buffer::Kind::input) buffer_data_[b] = static_cast<std::byte*>(in_[index].data);
    else if (buffers[b].kind == Program::Buffer::Kind::output && output_direct_[index]) buffer_data_[b] = output_data_[index];
  }
  views_.place(buffer_data_, slots_, everything);
}

// After bind_shape: the outputs' views have their dims.
Status Context::check_outputs(std::span<const TensorView> out) {
  const std::vector<Program::Edge>& wanted = program_->outputs;
  if (out.size() != wanted.size()) return invalid("{} outputs were given; the model has {}", out.size(), wanted.size());
  const std::span<const TensorView> mine = views_.outputs();
  for (size_t i = 0; i < out.size(); ++i) {
    output_direct_[i] = 0;
    const TensorView& t = out[i];
    if (t.data == nullptr) continue;
    const std::string& name = wanted[i].name;
    if (t.dtype != wanted[i].dtype)
      return invalid("output '{}' has dtype {}; the model gives {}", name, dtype_name(t.dtype), dtype_name(wanted[i].dtype));
    if (!(t.dims == mine[i].dims) || t.strides.rank != t.dims.rank)
      return invalid("output '{}' has dims {}; the model gives {}", name, to_string(t.dims), to_string(mine[i].dims));
    ANYDIM_TRY(check_tensor(t, "output", name));
    if (may_repeat_elements(t))
      return invalid("output '{}' has strides that put two of its elements at one address, or whose axes interleave", name);
    const AddressRange range = address_range(t);
    for (size_t j = 0; j < i; ++j)
      if (out[j].data && overlap(range, address_range(out[j])))
        return invalid("outputs '{}' and '{}' overlap in memory", wanted[j].name, name);
    bool apart = true;  // the graph reads its inputs after it has begun to write outputs
    for (const TensorView& in : in_) apart = apart && !overlap(range, address_range(in));
    output_direct_[i] = apart && same_strides(t, mine[i]);
    output_data_[i] = static_cast<std::byte*>(t.data);
  }
  return {};
}

// --- running ---------------------------------------------------------------------------------------------------------

Status Context::output_dims(std::span<const TensorView> in, std::span<Dims> out) {
  const Use use(busy_);
  if (!use) return busy();
  if (out.size() != program_->outputs.size())
    return invalid("room for {} outputs was given; the model has {}", out.size(), program_->outputs.size());
  ANYDIM_TRY(take_inputs(in));
  ANYDIM_TRY(evaluate(probe_slots_));
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = {};
    for (Dim d : program_->outputs[i].dims) out[i].push_back(value_of(d, probe_slots_));
  }
  return {};
}

Status Context::reserve(std::span<const TensorView> in) {
  const Use use(busy_);
  if (!use) return busy();
  ANYDIM_TRY(take_inputs(in));
  return same_as_bound() ? Status() : bind_shape();
}

Status Context::run(std::span<const TensorView> in, std::span<TensorView> out) {
  const Use use(busy_);
  if (!use) return busy();
  const int64_t start = profiling_ ? now() : 0;
  ANYDIM_TRY(take_inputs(in));
  for (size_t i = 0; i < in_.size(); ++i)
    if (in_[i].data == nullptr && in_[i].count() > 0)
      return invalid("input '{}' has no data (null) but {} elements", program_->inputs[i].name, in_[i].count());
  if (!same_as_bound()) {
    ANYDIM_TRY(bind_shape());
    if (policy_.policy == ReusePolicy::reusable_first) ask_for_tuning();
  }
  ANYDIM_TRY(check_outputs(out));
  bind_memory(!memory_bound_);
  memory_bound_ = true;
  if (profiling_) bind_nanoseconds_ = now() - start;
  ANYDIM_TRY(execute());
  const std::span<const TensorView> mine = views_.outputs();
  for (size_t i = 0; i < out.size(); ++i) {
    if (out[i].data == nullptr) out[i] = mine[i];
    else if (!output_direct_[i]) ANYDIM_TRY(copy_output(i, out[i]));
  }
  return {};
}

Status Context::execute() {
  const FloatingPointScope floating_point;
  const Parallel::Hot hot(parallel_);
  const bool observed = observe::wants(observe::kExecutions), timed = observed || profiling_;
  const int64_t begin = timed ? now() : 0;
  for (size_t i = 0; i < steps_.size(); ++i) {
    const BoundStep& s = steps_[i];
    if (stop_flag_ != nullptr && __atomic_load_n(stop_flag_, __ATOMIC_RELAXED) != 0)
      return error(kCancelled, "the run was cancelled before node '{}'", program_->steps[i].label);
    const int64_t start = timed ? now() : 0;
    if (Status done = s.primitive->run(s.plan, s.args); !done.ok()) return std::move(done).at(program_->steps[i].label);
    if (timed) finish_step(i, start, observed);
  }
  if (observed && observe::wants(observe::kTrace)) observe::ran("run", begin, now());
  return {};
}

void Context::finish_step(size_t i, int64_t start, bool observed) noexcept {
  const int64_t end = now();
  if (profiling_) nanoseconds_[i] = end - start;
  if (!observed) return;
  const BoundStep& s = steps_[i];
  observe::executed({s.primitive, program_->steps[i].label, s.args.in, s.args.post_in, s.args.out, s.args.dim_attributes,
                     s.args.parallel.threads(), start, end, s.plan.scratch, s.plan.specialised ? Tier::specialised : Tier::reusable});
}

Status Context::copy_output(size_t i, const TensorView& to) {
  const Primitive& copy = *program_->output_copies[i];
  const TensorView& from = views_.outputs()[i];
  Args args;
  args.in = {&from, 1};
  args.out = {&to, 1};
  args.parallel = parallel_;
  copy.fill_in(&args);
  Plan plan;
  copy.plan(args, &plan);
  // By now nothing but outputs is alive in the arena, but where it is free the plan does not say.
  if (plan.scratch > 0) return error(Code::internal, "kernel {} wants scratch to copy an output", copy.kernel().name());
  const FloatingPointScope floating_point;
  return copy.run(plan, args);
}

}  // namespace anydim
