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
  if (op.get().windowed) evictions = &args.in[Append::kEvicted];
}

bool appends_in_place(const Args& args) noexcept {
  const TensorView &cache = args.in[Append::kCache], &out = args.out[0];
  return cache.data == out.data && (cache.count() == 0 || same_strides(cache, out));
}

int64_t appended_bytes(const Args& args) noexcept {
  const TensorView& update = args.in[Append::kUpdate];
  return update.count() * dtype_size(update.dtype);
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
  run_copy(c, CopyCore::portable, parallel);
}

// As many slices at a time as may be copied; one line of memory at once where the slices are such a line.
void move_slices(const TensorView& t, int axis, int64_t first, int64_t count, int64_t to, int64_t example,
                 const Parallel& parallel) noexcept {
  if (count <= 0 || first == to) return;
  const TensorView old = slices_of(t, axis, first, first + count, example, 1), fresh = slices_of(t, axis, to, to + count, example, 1);
  int64_t slice = 1, lines = 1;
  bool dense = true;
  for (int i = t.rank() - 1; i > axis; --i) {
    dense = dense && (t.dims[i] == 1 || t.strides[i] == slice);
    slice *= t.dims[i];
  }
  for (int i = 0; i < axis; ++i) lines *= old.dims[i];
  if (dense && t.strides[axis] == slice) {
    const int64_t size = dtype_size(t.dtype);
    parallel.run(lines, [&](int64_t line, int) {
      int64_t offset = 0;
      for (int i = axis - 1; i >= 0; line /= old.dims[i--]) offset += line % old.dims[i] * t.strides[i];
      std::memmove(fresh.as<std::byte>() + offset * size, old.as<std::byte>() + offset * size, static_cast<size_t>(count * slice * size));
    });
    return;
  }
  const int64_t distance = std::abs(first - to);
  for (int64_t done = 0; done < count; done += distance) {
    const int64_t n = std::min(distance, count - done), at = to < first ? done : count - done - n;
    copy_slices(slices_of(old, axis, at, at + n, 0, 1), slices_of(fresh, axis, at, at + n, 0, 1), parallel);
  }
}

namespace {

// Where the update of example b of a windowed cache begins before any slice leaves; negative: starts and evicted slices do not fit.
int64_t start_behind(const AppendSizes& n, int64_t b) noexcept {
  const int64_t start = n.start(b), evicted = n.evictions->as<const int64_t>()[b * n.evictions->strides[0]];
  if (evicted < 0 || evicted > kMaxSize || start < -kMaxSize || start > n.cached) return -1;
  return start + evicted <= n.cached ? start + evicted : -1;
}

// Before anything is written.
Status check(const AppendSizes& n) noexcept {
  if ((n.count > n.length && n.evictions == nullptr) || n.cached > n.length)
    return error(Code::invalid_data, "an update of {} and a cache of {} slices do not fit the length {}", n.count, n.cached, n.length);
  const int64_t examples = n.starts != nullptr ? n.starts->dims[0] : 1;
  for (int64_t b = 0; n.evictions != nullptr && b < examples; ++b)
    if (start_behind(n, b) < 0)
      return error(Code::invalid_data, "the update of example {} begins at {} of a windowed cache of {} slices; expected at most its end",
                   b, n.start(b), n.cached);
  if (n.circular || n.count == 0 || n.evictions != nullptr) return {};
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
    if (n.evictions != nullptr) {
      run_window(n, axis, args);
      return {};
    }
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

 private:
  static void run_window(const AppendSizes& n, int axis, const Args& args) noexcept {
    const TensorView &cache = args.in[Append::kCache], &update = args.in[Append::kUpdate], &out = args.out[0], &both = args.out[1];
    const int64_t examples = out.dims[0];
    const auto store = [&](int64_t b, int64_t from, int64_t to, const TensorView& there, int64_t at) {
      if (from < to) copy_slices(slices_of(update, axis, from, to, b, 1), slices_of(there, axis, at, at + to - from, b, 1), args.parallel);
    };
    if (both.count() > 0) {
      copy_slices(cache, slices_of(both, axis, 0, n.cached, 0, examples), args.parallel);
      for (int64_t b = 0; b < examples; ++b) {
        const int64_t s = start_behind(n, b);
        store(b, 0, n.count, both, s);
        if (const int64_t end = std::max(n.cached, s + n.count); end < both.dims[axis])
          clear(slices_of(both, axis, end, both.dims[axis], b, 1), args.parallel);
      }
    }
    if (out.count() == 0) return;
    const bool in_place = appends_in_place(args);
    for (int64_t b = 0; b < examples; ++b) {
      const int64_t evicted = n.evicted(b), s = n.start(b), first = n.first_within(s), kept = n.cached - evicted;
      const auto keep = [&](int64_t from, int64_t to, int64_t at) {
        copy_slices(slices_of(cache, axis, from, to, b, 1), slices_of(out, axis, at, at + to - from, b, 1), args.parallel);
      };
      if (in_place) {
        move_slices(out, axis, evicted, kept, 0, b, args.parallel);
      } else {
        keep(evicted, n.cached, 0);
        keep(kept, n.cached, kept);
      }
      store(b, first, n.last_within(s), out, s + first);
    }
  }
};

class AppendReference final : public PlainKernel {
 public:
  constexpr AppendReference() noexcept : PlainKernel("append.reference", OpKind::append) {}
  // In place too: what is old is read where it is written.
  Status run(const Plan&, const Args& args) const noexcept override {
    const AppendSizes n(args);
    const TensorView& out = args.out[0];
    ANYDIM_TRY(check(n));
    const auto start = [&](int64_t b) { return n.count > 0 ? n.start(b) : 0; };
    // Both results of a windowed cache: the one that reads it alone comes first. In place, slices come from further behind.
    if (n.evictions != nullptr)
      fill(
          args, n, args.out[1], [&](int64_t b) { return start_behind(n, b); }, [](int64_t, int64_t slice) { return slice; });
    fill(args, n, out, start, [&](int64_t b, int64_t slice) {
      const int64_t evicted = n.evicted(b);
      return slice + evicted < n.cached ? slice + evicted : slice;
    });
    return {};
  }

 private:
  // Each element of a result: of the update, which begins at `start`, of the cache, from slice `old` of it, or 0.
  template <class Start, class Old>
  static void fill(const Args& args, const AppendSizes& n, const TensorView& out, Start start_of, Old old) noexcept {
    if (out.count() == 0) return;
    const TensorView &cache = args.in[Append::kCache], &update = args.in[Append::kUpdate];
    const int axis = static_cast<const Append*>(args.op)->axis();
    const int64_t size = dtype_size(out.dtype);
    const auto at = [&](const TensorView& t, const Dims& index) {
      int64_t offset = 0;
      for (int i = 0; i < index.rank; ++i) offset += index[i] * t.strides[i];
      return t.as<std::byte>() + offset * size;
    };
    Dims index = Dims::filled(out.rank(), 0);
    for (bool more = true; more;) {
      // The last of the update's slices that lies here.
      const int64_t example = axis > 0 ? index[0] : 0, start = start_of(example);
      int64_t slice = n.count;
      while (--slice >= 0 && n.place(start, slice) != index[axis]) continue;
      Dims from = index;
      if (slice >= 0) {
        from[axis] = slice;
        std::memcpy(at(out, index), at(update, from), static_cast<size_t>(size));
      } else if (index[axis] < n.cached) {
        from[axis] = old(example, index[axis]);
        std::memmove(at(out, index), at(cache, from), static_cast<size_t>(size));
      } else {
        std::memset(at(out, index), 0, static_cast<size_t>(size));
      }
      more = false;
      for (int i = out.rank() - 1; i >= 0 && !more; --i) {
        more = ++index[i] < out.dims[i];
        if (!more) index[i] = 0;
      }
    }
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
