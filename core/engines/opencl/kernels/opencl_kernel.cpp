// SPDX-License-Identifier: Apache-2.0
// Devices' kinds, post-op chains and ranges of work-items, for all OpenCL kernels; see opencl_kernel.h.
#include "core/engines/opencl/kernels/opencl_kernel.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/kernels/eltwise/functions.h"
#include "core/tensor/views.h"

namespace anydim::opencl {

namespace {

constexpr int64_t kMostGroups = 65535;  // of one launch along an axis (stream.cpp)
constexpr int kOwnByEngine = 1;         // `live`
// In the order of u_common().
constexpr UnaryFunction kCommon[] = {UnaryFunction::identity, UnaryFunction::relu,         UnaryFunction::leaky_relu,
                                     UnaryFunction::clip,     UnaryFunction::hard_sigmoid, UnaryFunction::hard_swish,
                                     UnaryFunction::sigmoid,  UnaryFunction::silu,         UnaryFunction::gelu_erf};

}  // namespace

int common_number(UnaryFunction f) noexcept {
  const auto* const found = std::find(std::begin(kCommon), std::end(kCommon), f);
  return found == std::end(kCommon) ? -1 : static_cast<int>(found - kCommon);
}
bool ends_with_common(const PostOps& chain) noexcept {
  if (chain.count == 0) return false;
  const PostOp& last = chain.steps[chain.count - 1];
  return !last.takes_tensor() && common_number(last.unary) >= 0;
}

CompileKey OpenclKernel::key_with_common_functions(const Problem& problem) const noexcept {
  CompileKey key = key_of(problem);
  const auto any = [](PostOpForm* form) {
    *form = {};
    form->unary = UnaryFunction::identity;
    form->chosen_by_call = true;
  };
  for (int i = 0; i < key.post_count; ++i) {
    PostOpForm& form = key.post_ops[static_cast<size_t>(i)];
    if (form.kind == PostOp::Kind::unary && common_number(form.unary) >= 0) any(&form);
  }
  if (!ends_with_common(*problem.post_ops) && key.post_count < kMaxPostOps) any(&key.post_ops[key.post_count++]);
  return key;
}

Support supports_function(UnaryFunction f) noexcept {
  if (!is_chain_function(f)) return no("the function is not of f32 alone");
  if (f >= UnaryFunction::sin && f <= UnaryFunction::tan) return no("sin, cos and tan are left to the host");
  return yes();
}
Support supports_function(BinaryFunction f) noexcept {
  if (!is_chain_function(f)) return no("the function is not of f32 alone");
  if (f == BinaryFunction::mod_floor || f == BinaryFunction::mod_trunc) return no("remainders are left to the host");
  return yes();
}

const char* element_type(int64_t size) noexcept { return size == 1 ? "uchar" : size == 2 ? "ushort" : size == 4 ? "uint" : "ulong"; }

RowRange OpenclKernel::row_range(int64_t rows, int64_t columns, int lanes) const noexcept {
  if (kind_ == DeviceKind::gpu) {
    // Of one row: enough work-items for all of a device, then several turns for each, so that what an item does once counts less.
    constexpr int64_t kMany = 1 << 16, kMostTurns = 4;
    int64_t items = ceil_div(columns, lanes);
    if (rows == 1) items = round_up(ceil_div(items, std::clamp<int64_t>(items / kMany, 1, kMostTurns)), kGpuColumns);
    return {rows > 1 ? items : 0, lanes * items, {ceil_div(rows * items, kGpuColumns), 1, 1}};
  }
  // Parts of some ten thousand elements: enough to be worth a work-item, and enough of them for all cores.
  const int64_t part = std::clamp<int64_t>(rows * columns / 16, 4096, 65536);
  const int64_t row = std::max<int64_t>(part / std::max<int64_t>(columns, 1), 1);
  const int64_t column = std::min(round_up(columns, lanes), round_up(part, lanes));
  return {row, column, {ceil_div(columns, column), ceil_div(rows, row), 1}};
}

Support supports_chain(const Problem& problem) noexcept {
  if (const Support s = supports_post_ops(problem); !s) return s;
  for (const PostOp& p : *problem.post_ops)
    if (const Support s = p.takes_tensor() ? supports_function(p.binary) : supports_function(p.unary); !s) return s;
  for (const TensorType& t : problem.post_in)
    if (t.dtype != DType::f32) return no("a post-op's tensor is not f32");
  return yes();
}

bool all_f32(const Problem& problem) noexcept {
  for (const TensorType& t : problem.in)
    if (t.dtype != DType::f32 && t.dtype != DType::none) return false;
  return problem.out[0].dtype == DType::f32;
}

int argument_count(int own, const PostOps& chain, int rows) noexcept {
  int count = kOwnByEngine + 3 + own;
  constexpr int kOfFunction = 3;  // its number and two parameters
  for (const PostOp& p : chain) count += p.takes_tensor() ? 2 + rows + 1 : kOfFunction;
  return count + kOfFunction;
}

int64_t Arguments::parts(const std::array<int64_t, 3>& groups) noexcept {
  int64_t n = 1;
  for (const int64_t g : groups) n *= ceil_div(g, kMostGroups);
  return n;
}

bool Arguments::begin(DeviceWork* work, int64_t index, const std::array<int64_t, 3>& groups, int local_x, int local_y) noexcept {
  const std::array<int64_t, 3> local{local_x, local_y, 1};
  int64_t rest = index;
  for (size_t a = 0; a < 3; ++a) {
    const int64_t parts = ceil_div(groups[a], kMostGroups);
    if (parts == 0) return false;
    const int64_t first = rest % parts * kMostGroups;
    rest /= parts;
    work->local[a] = local[a];
    work->global[a] = std::min(kMostGroups, groups[a] - first) * local[a];
    work->add_i64(first * local[a]);
  }
  return rest == 0;
}

void Arguments::function(UnaryFunction f, float alpha, float beta, bool common) noexcept {
  const int number = common ? common_number(f) : -1;
  if (number >= 0) work_->add_i32(number);
  if (number >= 0 || parameter_count(f) > 0) real(alpha).real(beta);
}

Arguments& Arguments::chain(const PostOps& chain, const RowStrides* strides, int rows, bool common) noexcept {
  size_t next = 0;
  for (const PostOp& p : chain) {
    if (!p.takes_tensor()) {
      function(p.unary, p.alpha, p.beta, common);
      continue;
    }
    tensor(DeviceArgument::Of::post_in, next).strides(strides[next], rows);
    ++next;
  }
  if (common && !ends_with_common(chain) && chain.count < kMaxPostOps) function(UnaryFunction::identity, 0.f, 0.f, true);
  return *this;
}

Arguments& Arguments::chain(const Args& args, const int* row_axes, int rows, int column_axis, bool common) noexcept {
  RowStrides strides[kMaxPostOps];
  for (size_t i = 0; i < args.post_in.size(); ++i) {
    const Strides s = broadcast_strides(args.post_in[i], args.out[0].dims);
    for (int k = 0; k < rows; ++k) strides[i].row[k] = row_axes[k] < 0 ? 0 : s[row_axes[k]];
    strides[i].column = column_axis < 0 ? 0 : s[column_axis];
  }
  return chain(*args.post_ops, strides, rows, common);
}

}  // namespace anydim::opencl
