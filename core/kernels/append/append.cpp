// SPDX-License-Identifier: Apache-2.0
// Append by strided copies: what is old, unless it lies there already; the update, in one or two pieces for each example; and zeros where
// neither is. And the reference, which asks for each element of the result where it comes from.
#include "core/kernels/append/append.h"

#include <algorithm>
#include <cstring>

#include "core/kernels/copy/strided_copy.h"
#include "core/kernels/plain_kernel.h"
#include "core/tensor/views.h"

namespace anydim {

AppendSizes::AppendSizes(const Args& args) noexcept {
  const auto& op = *static_cast<const Append*>(args.op);
  cached = args.in[Append::kCache].dims[op.axis()];
  count = args.in[Append::kUpdate].dims[op.axis()];
  first = args.dim_attributes[0];
  length = args.dim_attributes[1];
  circular = op.get().circular;
  if (args.in.size() > Append::kStarts && args.in[Append::kStarts].dtype != DType::none) starts = &args.in[Append::kStarts];
}

bool appends_in_place(const Args& args) noexcept {
  const TensorView &cache = args.in[Append::kCache], &out = args.out[0];
  return cache.data == out.data && (cache.count() == 0 || same_strides(cache, out));
}

TensorView slices_of(const TensorView& t, int axis, int64_t first, int64_t last, int64_t example, int64_t examples) noexcept {
  TensorView p = t;
  p.dims[axis] = last - first;
  int64_t offset = first * t.strides[axis];
  if (axis > 0) {
    p.dims[0] = examples;
    offset += example * t.strides[0];
  }
  p.data = t.as<std::byte>() + offset * dtype_size(t.dtype);
  return p;
}

void copy_slices(const TensorView& from, const TensorView& to, const Parallel& parallel) noexcept {
  if (to.count() == 0) return;
  StridedCopy c;
  c.from = from.as<std::byte>();
  c.to = to.as<std::byte>();
  c.size = dtype_size(to.dtype);
  for (int i = 0; i < to.rank(); ++i) c.axis(to.dims[i], from.strides[i], to.strides[i]);
  run_copy(c, kCopyPortable, parallel);
}

namespace {

// Before anything is written.
Status check(const AppendSizes& n) noexcept {
  if (n.count > n.length || n.cached > n.length)
    return error(Code::invalid_data, "an update of {} and a cache of {} slices do not fit the length {}", n.count, n.cached, n.length);
  if (n.circular || n.count == 0) return {};
  const int64_t examples = n.starts != nullptr ? n.starts->dims[0] : 1;
  for (int64_t b = 0; b < examples; ++b)
    if (const int64_t s = n.start(b); s < 0 || s > n.length - n.count)
      return error(Code::invalid_data, "the update of example {} begins at {}; expected 0..{}, for it has {} of {} slices", b, s,
                   n.length - n.count, n.count, n.length);
  return {};
}

void clear(const TensorView& to, const Parallel& parallel) noexcept {
  static constexpr int64_t kZero = 0;
  TensorView zero = to;
  zero.data = const_cast<int64_t*>(&kZero);
  zero.strides = Strides::filled(to.rank(), 0);
  copy_slices(zero, to, parallel);
}

class AppendKernel final : public PlainKernel {
 public:
  constexpr AppendKernel() noexcept : PlainKernel("append.slices.portable", OpKind::append) {}
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView &cache = args.in[Append::kCache], &update = args.in[Append::kUpdate], &out = args.out[0];
    const AppendSizes n(args);
    const int axis = static_cast<const Append*>(args.op)->axis();
    ANYDIM_TRY(check(n));
    if (out.count() == 0) return {};
    const int64_t all = axis > 0 ? out.dims[0] : 1;
    if (!appends_in_place(args)) copy_slices(cache, slices_of(out, axis, 0, n.cached, 0, all), args.parallel);
    // Examples whose updates lie at one place go together.
    for (int64_t b = 0, last; b < all; b = last) {
      const int64_t s = n.count > 0 ? n.start(b) : 0;
      last = n.starts == nullptr || n.count == 0 ? all : b + 1;
      while (last < all && n.start(last) == s) ++last;
      const auto clear_places = [&](int64_t from, int64_t to) {
        if (from < to) clear(slices_of(out, axis, from, to, b, last - b), args.parallel);
      };
      if (n.circular || n.count == 0) {
        clear_places(n.cached, n.length);
      } else {
        clear_places(n.cached, s);
        clear_places(std::max(n.cached, s + n.count), n.length);
      }
      // In two pieces where it goes around the end.
      for (int64_t i = 0; i < n.count;) {
        const int64_t at = n.place(s, i), piece = std::min(n.count - i, n.length - at);
        copy_slices(slices_of(update, axis, i, i + piece, b, last - b), slices_of(out, axis, at, at + piece, b, last - b), args.parallel);
        i += piece;
      }
    }
    return {};
  }
};

class AppendReference final : public PlainKernel {
 public:
  constexpr AppendReference() noexcept : PlainKernel("append.reference", OpKind::append) {}
  // In place too: what is old is read where it is written.
  Status run(const Plan&, const Args& args) const noexcept override {
    const TensorView &cache = args.in[Append::kCache], &update = args.in[Append::kUpdate], &out = args.out[0];
    const AppendSizes n(args);
    const int axis = static_cast<const Append*>(args.op)->axis();
    ANYDIM_TRY(check(n));
    if (out.count() == 0) return {};
    const int64_t size = dtype_size(out.dtype);
    const auto at = [&](const TensorView& t, const Dims& index) {
      int64_t offset = 0;
      for (int i = 0; i < index.rank; ++i) offset += index[i] * t.strides[i];
      return t.as<std::byte>() + offset * size;
    };
    Dims index = Dims::filled(out.rank(), 0);
    for (bool more = true; more;) {
      // The last of the update's slices that lies here.
      const int64_t start = n.count > 0 ? n.start(axis > 0 ? index[0] : 0) : 0;
      int64_t slice = n.count;
      while (--slice >= 0 && n.place(start, slice) != index[axis]) continue;
      Dims from = index;
      if (slice >= 0) {
        from[axis] = slice;
        std::memcpy(at(out, index), at(update, from), static_cast<size_t>(size));
      } else if (index[axis] < n.cached) {
        std::memmove(at(out, index), at(cache, index), static_cast<size_t>(size));
      } else {
        std::memset(at(out, index), 0, static_cast<size_t>(size));
      }
      more = false;
      for (int i = out.rank() - 1; i >= 0 && !more; --i) {
        more = ++index[i] < out.dims[i];
        if (!more) index[i] = 0;
      }
    }
    return {};
  }
};

const AppendKernel kSlices;
const AppendReference kReference;

}  // namespace

KernelList append_kernels() noexcept {
  static const HostKernel* const list[] = {&kSlices, &kReference};
  return list;
}

}  // namespace anydim
