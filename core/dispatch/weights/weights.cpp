// SPDX-License-Identifier: Apache-2.0
// Packing constant weights through the engine that will read them; see weights.h.
#include "core/dispatch/weights/weights.h"

#include <time.h>

#include <algorithm>

#include "core/base/clock.h"
#include "core/dispatch/primitive/checked_call.h"
#include "core/dispatch/primitive/registry.h"
#include "core/ops/operands.h"
#include "core/ops/operator_bytes.h"
#include "core/ops/quantization.h"

namespace anydim {

namespace {

std::string form_of(const Operator& op, std::string_view format, std::span<const TensorType> types) {
  KeyBytes bytes;
  if (!append_operator(&bytes, op)) return {};
  append_text(&bytes, format);
  append_number(&bytes, static_cast<uint32_t>(types.size()));
  for (const TensorType& t : types) {
    append_number(&bytes, t.dtype);
    append_number(&bytes, static_cast<uint8_t>(t.dims.rank));
    for (const Dim d : t.dims) append_number(&bytes, d.number());
  }
  return std::string(view(bytes));
}

constexpr int64_t kUpdateTimeout = 1000000000;  // nanoseconds that an update waits for calls with the old version

}  // namespace

WeightsProblem::WeightsProblem(OperatorPtr op, const Problem& p)
    : op_(std::move(op)),
      in_(p.in.begin(), p.in.end()),
      out_(p.out.begin(), p.out.end()),
      post_in_(p.post_in.begin(), p.post_in.end()),
      post_ops_(*p.post_ops),
      mode_(p.mode),
      constant_(p.constant),
      fixed_operands_(p.constant),
      quantization_(p.quantization != nullptr ? std::make_shared<const Quantization>(*p.quantization) : nullptr) {}

Status WeightsProblem::make(const Engine& engine, OperatorPtr op, std::span<const TensorType> constants, const WeightsUse& use,
                            WeightsProblem* out) {
  WeightsProblem p;
  p.op_ = std::move(op);
  p.post_ops_ = use.post_ops;
  p.mode_ = use.mode;
  TensorType like;
  for (size_t i = constants.size(); i-- > 0;) {
    if (constants[i].dtype == DType::none) continue;
    like.dtype = constants[i].dtype;
    p.constant_.add(i);
    p.fixed_operands_.add(i);
  }
  if (p.constant_.empty()) return invalid("no constant was given; expected one at least");
  p.in_.resize(std::max(p.constant_.end(), use.in.size() + p.constant_.count()));
  if (p.in_.size() > kMaxInputs) return unimplemented("{} inputs; at most {} are supported", p.in_.size(), kMaxInputs);
  size_t next = 0;
  for (size_t i = 0; i < p.in_.size(); ++i) {
    if (p.constant_.has(i)) p.in_[i] = constants[i];
    else if (next < use.in.size()) p.in_[i] = use.in[next++];
    else if (use.in.empty() && i == 0) p.in_[i] = like;
    else if (!use.in.empty() && is_optional(p.op_->kind(), i)) p.fixed_operands_.add(i);
    else return invalid("input {} is neither constant nor described; only input 0 may be left out, with all others constant", i);
  }
  const Quantization* const q = use.quantization;
  if (q != nullptr) {
    p.quantization_ = std::make_shared<const Quantization>(*q);
    like.dtype = DType::f32;
  }
  p.out_.resize(static_cast<size_t>(p.op_->output_count()), like);
  if (!use.in.empty() || p.constant_.has(0)) {
    DimPool pool;
    if (use.pool != nullptr) pool = *use.pool;
    std::vector<TensorType> real = p.in_;
    DType result = DType::none;
    if (q != nullptr) {
      ANYDIM_TRY(q->check(*p.op_, p.in_, &result));
      for (TensorType& t : real) t.dtype = real_dtype(t.dtype);
    }
    ANYDIM_TRY(check_narrow(*p.op_, real));
    ANYDIM_TRY(p.op_->infer(pool, real, p.out_));
    if (q != nullptr) p.out_[0].dtype = result;
  }
  const DType chain = q != nullptr || p.out_.empty() ? like.dtype : p.out_[0].dtype;
  p.post_in_.assign(static_cast<size_t>(use.post_ops.operands()), TensorType{chain, {}});
  if (q != nullptr) p.post_in_.resize(p.post_in_.size() + static_cast<size_t>(q->tensor_count()));
  p.mode_ = resolve_math(engine, p.problem());
  *out = std::move(p);
  return {};
}

std::vector<TensorType> types_of(std::span<const TensorView> tensors) {
  std::vector<TensorType> types;
  for (const TensorView& t : tensors) {
    TensorType& type = types.emplace_back();
    type.dtype = t.dtype;
    for (const int64_t d : t.dims) type.dims.push_back(d);
  }
  return types;
}

std::string form_name(const PackedForm& form, const Problem& problem) {
  if (form.format == nullptr) return {};
  std::string name = form.format;
  if (form.depends & PackedForm::on_mode) name += formatted(" math={}", static_cast<int>(problem.mode));
  if (form.depends & PackedForm::on_post_ops) name += formatted(" post_ops={}", describe(*problem.post_ops));
  if ((form.depends & PackedForm::on_quantization) && problem.quantization != nullptr)
    name += formatted(" quantization={}", describe(*problem.quantization));
  if (form.depends & PackedForm::on_inputs)
    for (size_t i = 0; i < problem.in.size(); ++i)
      if (!form.operands.has(i)) name += formatted(" in{}={}", i, dtype_name(problem.in[i].dtype));
  return name;
}

Status Weights::create(const EnginePtr& engine, const WeightsProblem& problem, const Kernel& kernel, std::span<const TensorView> tensors,
                       const Packing& packing, std::shared_ptr<const Weights>* out) {
  std::vector<TensorView> constants(problem.constant().end());
  for (size_t i = 0; i < constants.size(); ++i)
    if (problem.constant().has(i)) constants[i] = tensors[i];
  WeightsValues values;
  ANYDIM_TRY(engine->pack(kernel, problem.problem(), constants, packing, &values));
  *out = std::make_shared<const Weights>(engine, problem, kernel, std::move(values));
  return {};
}

Status Weights::create(const EnginePtr& engine, const OperatorPtr& op, std::span<const TensorView> tensors, const WeightsUse& use,
                       std::shared_ptr<const Weights>* out) {
  WeightsProblem problem;
  ANYDIM_TRY(WeightsProblem::make(*engine, op, types_of(tensors), use, &problem));
  KernelChoice choice;
  // Programs follow from all operands: where only the constants are known, none is compiled.
  if (use.in.empty()) ANYDIM_TRY(choose_kernel(*engine, problem.problem(), use.kernel, &choice.kernel));
  else ANYDIM_TRY(choose_prepared(*engine, problem.problem(), use.kernel, &choice));
  return create(engine, problem, *choice.kernel, tensors, {}, out);
}

Weights::Weights(EnginePtr engine, WeightsProblem problem, const Kernel& kernel, WeightsValues values)
    : engine_(std::move(engine)), problem_(std::move(problem)), kernel_(&kernel) {
  const Problem p = problem_.problem();
  format_ = form_name(kernel.packed_form(p), p);
  form_ = form_of(op(), format_, types());
  first_.values = std::move(values);
}

Weights::~Weights() = default;

std::vector<TensorType> Weights::types() const {
  std::vector<TensorType> all(operands().end());
  for (size_t i = 0; i < all.size(); ++i)
    if (holds(i)) all[i] = type(i);
  return all;
}

bool Weights::fits(const Kernel& kernel, const Problem& problem) const {
  const PackedForm form = kernel.packed_form(problem);
  if (form.format == nullptr || form.depends == 0) return format_ == (form.format != nullptr ? form.format : "");
  return format_ == form_name(form, problem);
}

Status Weights::update(std::span<const TensorView> tensors) const {
  if (tensors.size() != operands().count())
    return invalid("{} tensors were given; the weights were packed from {}", tensors.size(), operands().count());
  std::vector<TensorView> constants(operands().end());
  for (size_t i = 0, next = 0; i < constants.size(); ++i) {
    if (!holds(i)) continue;
    const TensorType type = this->type(i);
    const TensorView& t = constants[i] = tensors[next++];
    if (t.dtype != type.dtype)
      return invalid("input {} has dtype {}; the weights were packed from {}", i, dtype_name(t.dtype), dtype_name(type.dtype));
    if (const Dims dims = numbers(type.dims); !(t.dims == dims))
      return invalid("input {} has dims {}; the weights were packed from {}", i, to_string(t.dims), to_string(dims));
  }
  if (!writers_.lock())
    return error(Code::forked, "the weights were being updated by another thread of the parent process when it forked; make others");
  const std::lock_guard locked(writers_, std::adopt_lock);
  free_old_locked(0);
  WeightsValues values;
  ANYDIM_TRY(engine_->pack(*kernel_, problem_.problem(), constants, {}, &values));
  Version* place = free_place_locked();
  place->values = std::move(values);
  now_.store(place);
  number_.fetch_add(1);
  free_old_locked(kUpdateTimeout);
  return {};
}

// A place that is not current and has no holder: whoever counts himself in there now goes away again untouched, unless it
// has become current.
Weights::Version* Weights::free_place_locked() const {
  const Version* now = now_.load();
  const auto is_free = [&](const Version& v) { return &v != now && v.values.views.empty() && v.holders.load() == 0; };
  if (is_free(first_)) return &first_;
  for (const auto& v : more_)
    if (is_free(*v)) return v.get();
  return more_.emplace_back(std::make_unique<Version>()).get();
}

void Weights::free_old_locked(int64_t timeout) const {
  const Version* now = now_.load();
  const int64_t until = timeout > 0 ? wall_clock() + timeout : 0;
  const auto empty = [&](Version& v) {
    if (&v == now) return;
    for (int64_t pause = 1000; v.holders.load() != 0 && until > wall_clock(); pause = std::min<int64_t>(2 * pause, 1000000)) {
      const timespec t{0, pause};
      nanosleep(&t, nullptr);
    }
    if (v.holders.load() == 0) v.values = {};
  };
  empty(first_);
  for (const auto& v : more_) empty(*v);
}

int64_t Weights::bytes() const noexcept {
  const PinnedWeights pinned(this);
  return pinned.values()->bytes();
}

}  // namespace anydim
