// SPDX-License-Identifier: Apache-2.0
// Gather, GatherElements and GatherND.
#include <algorithm>
#include <cstring>

#include "core/kernels/gather/plain.h"
#include "core/ops/gather.h"
#include "core/ops/gather_elements.h"
#include "core/ops/gather_nd.h"

namespace anydim {

namespace {
constexpr int64_t kParallelElements = 50000;
}  // namespace

Status run_gather_reference(const Args& args) noexcept {
  const TensorView &data = args.in[0], &indices = args.in[1], &out = args.out[0];
  const int axis = static_cast<const Gather*>(args.op)->axis();
  const auto size = static_cast<size_t>(dtype_size(data.dtype));
  return for_each(out.dims, [&](const Dims& at) -> Status {
    Dims pick, from;
    for (int i = 0; i < indices.dims.rank; ++i) pick.push_back(at[axis + i]);
    int64_t index = 0;
    ANYDIM_TRY(checked_index(indices, pick, axis, data.dims[axis], &index));
    for (int i = 0; i < data.dims.rank; ++i) from.push_back(i < axis ? at[i] : i == axis ? index : at[i + indices.dims.rank - 1]);
    std::memcpy(element(out, at), element(data, from), size);
    return {};
  });
}

// Slices of the axes after `axis` are copied whole where they are dense on both sides.
Status run_gather(const Args& args) noexcept {
  const TensorView &data = args.in[0], &indices = args.in[1], &out = args.out[0];
  const int axis = static_cast<const Gather*>(args.op)->axis(), picked = indices.dims.rank;
  int64_t slice = 1;
  for (int i = data.dims.rank - 1; i > axis; --i) {
    const int o = i + picked - 1;
    if (data.dims[i] != 1 && (data.strides[i] != slice || out.strides[o] != slice)) return run_gather_reference(args);
    slice *= data.dims[i];
  }
  if (out.count() == 0) return {};
  ANYDIM_TRY(for_each(indices.dims, [&](const Dims& at) {
    int64_t index = 0;
    return checked_index(indices, at, axis, data.dims[axis], &index);
  }));
  int64_t outer = 1;
  for (int i = 0; i < axis; ++i) outer *= data.dims[i];
  const int64_t picks = indices.count(), size = dtype_size(data.dtype);
  const int64_t tasks = out.count() < kParallelElements ? 1 : std::min(outer * picks, int64_t{4} * args.parallel.threads());
  args.parallel.run(tasks, [&](int64_t task, int) {
    const int64_t end = outer * picks * (task + 1) / tasks;
    for (int64_t i = outer * picks * task / tasks; i < end; ++i) {
      int64_t from = 0, to = 0, at = 0, rest = i % picks;
      for (int a = picked - 1; a >= 0; --a) {
        const int64_t x = rest % indices.dims[a];
        rest /= indices.dims[a];
        at += x * indices.strides[a];
        to += x * out.strides[axis + a];
      }
      const int64_t index = read_index(indices, at);
      from += (index < 0 ? index + data.dims[axis] : index) * data.strides[axis];
      rest = i / picks;
      for (int a = axis - 1; a >= 0; --a) {
        const int64_t x = rest % data.dims[a];
        rest /= data.dims[a];
        from += x * data.strides[a];
        to += x * out.strides[a];
      }
      std::memcpy(out.as<std::byte>() + to * size, data.as<std::byte>() + from * size, static_cast<size_t>(slice * size));
    }
  });
  return {};
}

Status run_gather_elements(const Args& args) noexcept {
  const TensorView &data = args.in[0], &indices = args.in[1], &out = args.out[0];
  const int axis = static_cast<const GatherElements*>(args.op)->axis();
  const auto size = static_cast<size_t>(dtype_size(data.dtype));
  return for_each(out.dims, [&](const Dims& at) -> Status {
    Dims from = at;
    ANYDIM_TRY(checked_index(indices, at, axis, data.dims[axis], &from[axis]));
    std::memcpy(element(out, at), element(data, from), size);
    return {};
  });
}

Status run_gather_nd(const Args& args) noexcept {
  const TensorView &data = args.in[0], &indices = args.in[1], &out = args.out[0];
  const int batch = static_cast<const GatherNd*>(args.op)->batch_dims();
  const int last = indices.dims.rank - 1;
  const int width = static_cast<int>(indices.dims[last]);
  const auto size = static_cast<size_t>(dtype_size(data.dtype));
  return for_each(out.dims, [&](const Dims& at) -> Status {
    Dims pick, from;
    for (int i = 0; i < last; ++i) pick.push_back(at[i]);
    for (int i = 0; i < batch; ++i) from.push_back(at[i]);
    pick.push_back(0);
    for (int i = 0; i < width; ++i) {
      pick[last] = i;
      int64_t index = 0;
      ANYDIM_TRY(checked_index(indices, pick, batch + i, data.dims[batch + i], &index));
      from.push_back(index);
    }
    for (int i = last; i < at.rank; ++i) from.push_back(at[i]);
    std::memcpy(element(out, at), element(data, from), size);
    return {};
  });
}

}  // namespace anydim
