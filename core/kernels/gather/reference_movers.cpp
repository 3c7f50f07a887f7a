// SPDX-License-Identifier: Apache-2.0
// Gather, GatherElements and GatherND element by element: the truth for tests.
#include <cstring>

#include "core/kernels/gather/plain.h"
#include "core/ops/operators/gather.h"
#include "core/ops/operators/gather_elements.h"
#include "core/ops/operators/gather_nd.h"

namespace anydim {

Status reference_gather(const Args& args) noexcept {
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

Status reference_gather_elements(const Args& args) noexcept {
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

Status reference_gather_nd(const Args& args) noexcept {
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
