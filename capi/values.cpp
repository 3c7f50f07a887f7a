// SPDX-License-Identifier: Apache-2.0
// Bodies of the functions about plain values: version, log, dims, descriptors, tensors, texts.
#include <cstring>

#include "anydim/anydim.h"
#include "capi/log.h"
#include "capi/objects.h"
#include "core/base/checked.h"
#include "core/dispatch/caches/record_file.h"
#include "core/kernels/int_tiles/engine.h"
#include "core/kernels/sets.h"
#include "core/kernels/tiles/tile_engine.h"
#include "core/tensor/views.h"

namespace anydim::capi {

#define ANYDIM_TEXT(x) #x
#define ANYDIM_VERSION_TEXT(a, b, c) ANYDIM_TEXT(a) "." ANYDIM_TEXT(b) "." ANYDIM_TEXT(c)

anydim_string_t string_of(const char* s) noexcept {
  return s != nullptr ? anydim_string_t{s, static_cast<int64_t>(std::strlen(s))} : anydim_string_t{"", 0};
}

Status check_dtype(anydim_dtype_t dtype, DType* out) {
  if (dtype_size(static_cast<DType>(dtype)) == 0)
    return invalid("dtype is {}; expected {}..{}", dtype, ANYDIM_F32, kLastDType).about("dtype");
  *out = static_cast<DType>(dtype);
  return {};
}

Status check_dim(const anydim_dim_t& d, int index) {
  if (d.value >= 0) return {};
  if (d.value != -1)
    return invalid("dims[{}] is {}; expected 0 or more, or anydim_dim_dynamic", index, d.value).about(formatted("dims[{}]", index));
  if (d.min < 0 || d.min > d.max)
    return invalid("dims[{}] promises {}..{}; expected 0 <= min <= max", index, d.min, d.max).about(formatted("dims[{}]", index));
  if (d.multiple_of < 1)
    return invalid("dims[{}].multiple_of is {}; expected 1 or more", index, d.multiple_of).about(formatted("dims[{}]", index));
  return {};
}

Status check_threads(int32_t requested, int fallback, const char* what, int* out) {
  if (requested < 0 || requested > kMaxThreads)
    return invalid("{} is {}; expected 0 (the default) to {}", what, requested, kMaxThreads).about(what);
  *out = requested == 0 ? fallback : requested;
  return {};
}

Status make_text(std::string text, std::unique_ptr<TextObject>* out) {
  auto t = std::make_unique<TextObject>();
  t->text = std::move(text);
  *out = std::move(t);
  return {};
}

namespace {

Status check_rank(size_t rank) {
  if (rank <= kMaxRank) return {};
  return invalid("rank is {}; expected 0..{}", rank, kMaxRank).about("rank");
}

Status check_layout(anydim_layout_t layout, anydim_layout_t last, size_t rank) {
  if (layout < ANYDIM_LAYOUT_ROW_MAJOR || layout > last)
    return invalid("layout is {}; expected {}..{}", layout, ANYDIM_LAYOUT_ROW_MAJOR, last).about("layout");
  if (layout == ANYDIM_LAYOUT_CHANNELS_LAST && rank < 3)
    return invalid("layout is channels last, which needs rank 3 or more; rank is {}", rank).about("layout");
  return {};
}

// Dims of an actual tensor, and that its elements and bytes can be counted.
Status read_dims(anydim_dtype_t dtype, std::span<const int64_t> dims, TensorView* view) {
  ANYDIM_TRY(check_dtype(dtype, &view->dtype));
  ANYDIM_TRY(check_rank(dims.size()));
  int64_t bytes = dtype_size(view->dtype);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 0) return invalid("dims[{}] is {}; expected 0 or more", i, dims[i]).about(formatted("dims[{}]", i));
    // A zero dim makes the tensor empty whatever the others are, but these must still be countable.
    if (!checked_mul(bytes, std::max<int64_t>(dims[i], 1), &bytes))
      return invalid("dims[{}] is {}, which makes the tensor larger than int64_t can count", i, dims[i]).about(formatted("dims[{}]", i));
  }
  view->dims = Dims(dims);
  return {};
}

}  // namespace

namespace body {

const char* version() noexcept { return ANYDIM_VERSION_TEXT(ANYDIM_VERSION_MAJOR, ANYDIM_VERSION_MINOR, ANYDIM_VERSION_PATCH); }

Status build_query(anydim_build_info_t* info) {
  info->major = ANYDIM_VERSION_MAJOR;
  info->minor = ANYDIM_VERSION_MINOR;
  info->patch = ANYDIM_VERSION_PATCH;
  info->persistent_cache = record_files_absent() == nullptr ? 1 : 0;
  info->opencl = find_engine_kind(ANYDIM_ENGINE_OPENCL) != nullptr;
#if defined(__x86_64__)
  info->architecture = string_of("x86-64");
#elif defined(__aarch64__)
  info->architecture = string_of("aarch64");
#else
  info->architecture = string_of("unknown");
#endif
  // Products have kernels for all sets that kernels are compiled for.
  static const std::string& sets = *new const std::string([]<class... Sets>(sets::List<Sets...>) {
    std::string names;
    const auto add = [&](const char* name) { names = name + (names.empty() ? names : " " + names); };
    ((sets::kBuilt<TileEngine, Sets> || sets::kBuilt<ReducedTileEngine, Sets> || sets::kBuilt<IntEngine, Sets> ? add(Sets::kName) : void()),
     ...);
    return names;
  }(sets::All{}));
  info->kernel_isas = string_of(sets.c_str());
  return {};
}

const char* status_name(anydim_status_t status) noexcept {
  return status >= ANYDIM_STATUS_OK && status <= ANYDIM_STATUS_FILE_NOT_FOUND ? code_name(static_cast<Code>(status)) : "unknown";
}

const char* dtype_name(anydim_dtype_t dtype) noexcept {
  return dtype >= ANYDIM_F32 && dtype <= ANYDIM_U2 ? anydim::dtype_name(static_cast<DType>(dtype)) : "unknown";
}

Status dtype_get_size(anydim_dtype_t dtype, int64_t* bytes) {
  if (dtype < ANYDIM_F32 || dtype > ANYDIM_U2) return invalid("dtype is {}; expected {}..{}", dtype, ANYDIM_F32, ANYDIM_U2).about("dtype");
  *bytes = anydim::dtype_size(static_cast<DType>(dtype));
  return {};
}

namespace {

Status check_level(anydim_log_level_t level) {
  if (level >= ANYDIM_LOG_NONE && level <= ANYDIM_LOG_DEBUG) return {};
  return invalid("level is {}; expected {}..{}", level, ANYDIM_LOG_NONE, ANYDIM_LOG_DEBUG).about("level");
}

}  // namespace

Status log_set_level(anydim_log_level_t level) {
  ANYDIM_TRY(check_level(level));
  log_to_level(level);
  return {};
}

Status log_set_sink(anydim_log_callback_t callback, void* user, anydim_finalizer_callback_t finalizer) {
  if (callback == nullptr && finalizer != nullptr) return invalid("finalizer was given without callback").about("callback");
  log_redirect(callback, user, finalizer);
  return {};
}

Status log_query(anydim_log_info_t* info) {
  log_facts(&info->level, &info->callback, &info->user);
  return {};
}

Status log_set(anydim_log_level_t level, anydim_log_callback_t callback, void* user, anydim_finalizer_callback_t finalizer) {
  ANYDIM_TRY(check_level(level));
  ANYDIM_TRY(log_set_sink(callback, user, finalizer));
  log_to_level(level);
  return {};
}

anydim_dim_t dim_fixed(int64_t value) noexcept {
  // -1 marks dynamic dims, so it must not pass for a number: INT64_MIN is refused by what takes the dim.
  const int64_t v = value == -1 ? INT64_MIN : value;
  return {v, v, v, -1, 1};
}
anydim_dim_t dim_dynamic(int64_t min, int64_t max) noexcept { return {-1, min, max, -1, 1}; }
void dim_set_hint(anydim_dim_t* dim, int64_t hint) noexcept {
  if (dim != nullptr) dim->hint = hint;
}
void dim_set_multiple_of(anydim_dim_t* dim, int64_t multiple_of) noexcept {
  if (dim != nullptr) dim->multiple_of = multiple_of;
}

Status desc_create(anydim_dtype_t dtype, std::span<const anydim_dim_t> dims, anydim_layout_t layout, std::unique_ptr<DescObject>* out) {
  auto d = std::make_unique<DescObject>();
  ANYDIM_TRY(check_dtype(dtype, &d->descriptor.dtype));
  ANYDIM_TRY(check_rank(dims.size()));
  for (size_t i = 0; i < dims.size(); ++i) ANYDIM_TRY(check_dim(dims[i], static_cast<int>(i)));
  ANYDIM_TRY(check_layout(layout, ANYDIM_LAYOUT_ANY, dims.size()));
  for (const anydim_dim_t& from : dims) {
    DimDescriptor dim{from.value, {}};
    if (dim.dynamic()) dim.promise = {from.min, from.max, from.hint, from.multiple_of};
    d->descriptor.dims.push_back(dim);
  }
  d->layout = layout == ANYDIM_LAYOUT_ANY ? ANYDIM_LAYOUT_STRIDED : layout;
  *out = std::move(d);
  return {};
}

Status tensor_allocate(EngineObject& engine, anydim_dtype_t dtype, std::span<const int64_t> dims, anydim_layout_t layout,
                       std::unique_ptr<TensorObject>* out) {
  auto t = std::make_unique<TensorObject>();
  ANYDIM_TRY(read_dims(dtype, dims, &t->view));
  ANYDIM_TRY(check_layout(layout, ANYDIM_LAYOUT_CHANNELS_LAST, dims.size()));
  t->view.strides = dense_strides(t->view.dims, layout == ANYDIM_LAYOUT_CHANNELS_LAST ? channels_last(t->view.rank()) : Perm{});
  const int64_t bytes = saturating_mul(t->view.count(), dtype_size(t->view.dtype));
  if (bytes > 0) {
    const MemorySourceScope source(engine.engine->memory());
    auto memory = AlignedBuffer::allocate(bytes);
    if (!memory.ok()) return memory.take_status();
    t->memory = std::move(*memory);
    t->view.data = t->memory.data();
  }
  t->engine = engine.engine;
  *out = std::move(t);
  return {};
}

Status tensor_get_view(TensorObject& tensor, TensorView* view) {
  *view = tensor.view;
  return {};
}

Status text_get_data(TextObject& text, anydim_string_t* out) {
  *out = string_of(text.text);
  return {};
}

}  // namespace body
}  // namespace anydim::capi
