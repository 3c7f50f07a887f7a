// SPDX-License-Identifier: Apache-2.0
// Packing constant weights through the engine that will read them; see weights.h.
#include "core/dispatch/weights.h"

#include <time.h>

#include <algorithm>

#include "core/dispatch/registry.h"
#include "core/ops/operator_bytes.h"
#include "core/ops/quantization.h"

namespace anydim {

namespace {

TensorType type_of(const TensorView& t) {
  TensorType type;
  type.dtype = t.dtype;
  for (int64_t d : t.dims) type.dims.push_back(d);
  return type;
}

std::string form_of(const Operator& op, const char* format, std::span<const TensorType> types) {
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

std::vector<TensorType> types_of(std::span<const TensorView> tensors) {
  std::vector<TensorType> types;
  for (const TensorView& t : tensors) types.push_back(type_of(t));
  return types;
}

int64_t now_ns() noexcept {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

constexpr int64_t kPatience = 1000000000;  // nanoseconds that an update waits for calls with the old version

}  // namespace

Status Weights::choose(const Engine& engine, const Operator& op, std::span<const TensorType> types, const PostOps& post_ops, MathMode mode,
                       std::string_view forced_kernel, const Kernel** out, const Quantization* quantization) {
  // The problem as primitives will pose it, as far as it is known without an activation.
  std::vector<TensorType> in(1);
  in.insert(in.end(), types.begin(), types.end());
  in[0].dtype = types.empty() ? DType::f32 : types[0].dtype;
  TensorType result;
  result.dtype = in[0].dtype;
  if (quantization != nullptr) result.dtype = DType::f32;
  std::vector<TensorType> post_in(static_cast<size_t>(post_ops.operands()), result);
  if (quantization != nullptr) post_in.resize(post_in.size() + static_cast<size_t>(quantization->tensor_count()));
  return choose_kernel(engine, {&op, in, {&result, 1}, &post_ops, post_in, mode, true, quantization}, forced_kernel, out);
}

Status Weights::create(const EnginePtr& engine, OperatorPtr op, std::span<const TensorView> tensors, const PostOps& post_ops, MathMode mode,
                       std::string_view forced_kernel, const Packing& packing, std::shared_ptr<const Weights>* out,
                       const Quantization* quantization) {
  std::vector<TensorType> types = types_of(tensors);
  const Kernel* kernel = nullptr;
  ANYDIM_TRY(choose(*engine, *op, types, post_ops, mode, forced_kernel, &kernel, quantization));
  WeightsValues values;
  ANYDIM_TRY(engine->pack(*kernel, *op, tensors, packing, &values));
  *out = std::make_shared<const Weights>(engine, std::move(op), std::move(types), *kernel, std::move(values));
  return {};
}

Weights::Weights(EnginePtr engine, OperatorPtr op, std::vector<TensorType> types, const Kernel& kernel, WeightsValues values)
    : engine_(std::move(engine)), op_(std::move(op)), types_(std::move(types)), kernel_(&kernel) {
  const char* format = kernel.pack_format(*op_);
  format_ = format != nullptr ? format : "";
  form_ = form_of(*op_, format_, types_);
  first_.values = std::move(values);
}

Weights::~Weights() = default;

Status Weights::update(std::span<const TensorView> tensors) const {
  if (tensors.size() != types_.size())
    return invalid("{} tensors were given; the weights were packed from {}", tensors.size(), types_.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    const TensorType& want = types_[i];
    if (tensors[i].dtype != want.dtype)
      return invalid("input {} has dtype {}; the weights were packed from {}", i + 1, dtype_name(tensors[i].dtype), dtype_name(want.dtype));
    Dims dims;
    for (const Dim d : want.dims) dims.push_back(d.number());
    if (!(tensors[i].dims == dims))
      return invalid("input {} has dims {}; the weights were packed from {}", i + 1, to_string(tensors[i].dims), to_string(dims));
  }
  const std::lock_guard lock(writers_);
  free_old_locked(0);
  WeightsValues values;
  ANYDIM_TRY(engine_->pack(*kernel_, *op_, tensors, {}, &values));
  Version* place = free_place_locked();
  place->values = std::move(values);
  now_.store(place);
  number_.fetch_add(1);
  free_old_locked(kPatience);
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

void Weights::free_old_locked(int64_t patience) const {
  const Version* now = now_.load();
  const int64_t until = patience > 0 ? now_ns() + patience : 0;
  const auto empty = [&](Version& v) {
    if (&v == now) return;
    for (int64_t pause = 1000; v.holders.load() != 0 && until > now_ns(); pause = std::min<int64_t>(2 * pause, 1000000)) {
      const timespec t{0, pause};
      nanosleep(&t, nullptr);
    }
    if (v.holders.load() == 0) v.values = {};
  };
  empty(first_);
  for (const auto& v : more_) empty(*v);
}

int64_t Weights::bytes() const noexcept {
  const HeldWeights held(this);
  return held.values()->bytes();
}

}  // namespace anydim
