// SPDX-License-Identifier: Apache-2.0
// What the OpenCL engine's kernels share: names and kinds of devices, post-op chains, ranges of work-items.
#pragma once

#include "core/kernels/device_kernel.h"

namespace anydim::opencl {

// Lanes of a work-item: vectors on devices that are like CPUs; neighbouring work-items elsewhere.
constexpr int kCpuLanes = 16;
// Work-items of a group along the columns of a device that is like a GPU.
constexpr int kGpuColumns = 64;
// The most that a group of such a device has in a kernel that says nothing else.
constexpr int kGpuItems = 128;

// Axes of rows of a program for this rank.
constexpr int rows_of(int rank) noexcept { return rank > 2 ? rank - 1 : 1; }
// The unsigned type of so many bytes.
const char* element_type(int64_t size) noexcept;

// How rows and columns are cut into work-items, and the groups of a launch. On a device like a CPU a work-item walks `row` rows by
// `column` columns. On one like a GPU it is found by its number divided by `row`, the work-items of a row (0: there is one row), which
// keeps neighbours busy however short rows are; and it goes on by `column` columns.
struct RowRange {
  int64_t row, column;
  std::array<int64_t, 3> groups;
};

class OpenclKernel : public DeviceKernel {
 public:
  OpenclKernel(const char* name, OpKind op, DeviceKind kind) noexcept : name_(name), kind_(kind), key_{.op = op} {}
  const char* name() const noexcept override { return name_; }
  const KernelKey& key() const noexcept override { return key_; }
  DeviceNeeds needs() const noexcept override { return {kind_, 0, kind_ == DeviceKind::gpu ? kGpuItems : 1, false}; }
  void plan(const Args&, Plan* plan) const noexcept override { plan->scratch = 0; }
  int64_t scratch_bound(const Problem&, std::span<const Dims>, std::span<const Dims>, int) const noexcept override { return 0; }

 protected:
  DeviceKind kind() const noexcept { return kind_; }
  int width() const noexcept { return kind_ == DeviceKind::gpu ? 1 : kCpuLanes; }
  int columns_of_group() const noexcept { return kind_ == DeviceKind::gpu ? kGpuColumns : 1; }
  // Of so many rows and columns, in multiples of `lanes`, of which a work-item of a device like a GPU has one at a time.
  RowRange row_range(int64_t rows, int64_t columns, int lanes) const noexcept;
  // Of kernels whose programs for single calls differ in their numbers alone.
  static int one_choice(std::span<PlanChoice> out) noexcept {
    if (out.empty()) return 0;
    out[0] = {};
    return 1;
  }
  CompileKey key_of(const Problem& problem) const noexcept { return key_for(problem, kind_); }
  // Of programs that a compiler takes long for: one serves all chains that differ in common functions alone (common_number()), and one
  // without a function behind the last tensor is the same as with one. Arguments::chain() has to know it.
  CompileKey key_with_common_functions(const Problem& problem) const noexcept;

 private:
  const char* name_;
  const DeviceKind kind_;
  KernelKey key_;
};

// The number of a function that a program with a switch has (u_common in source/functions.cl); -1: it has not.
int common_number(UnaryFunction f) noexcept;
// Whether a chain ends with such a function, or has to get identity behind its end.
bool ends_with_common(const PostOps& chain) noexcept;

// Yes if a program can apply the problem's post-ops.
Support supports_chain(const Problem& problem) noexcept;
Support supports_function(UnaryFunction f) noexcept;
Support supports_function(BinaryFunction f) noexcept;
// All inputs that are there, and the first output, are f32.
bool all_f32(const Problem& problem) noexcept;
// Arguments of an entry with so many of its own, with a chain over so many axes of rows.
int argument_count(int own, const PostOps& chain, int rows) noexcept;

// A tensor's strides along the axes of rows and along columns, as an entry takes them.
struct RowStrides {
  int64_t row[kMaxRank] = {};
  int64_t column = 0;
};

// Adds arguments to a launch, in the order of the entry.
class Arguments {
 public:
  // The whole range has so many groups of local[0] x local[1] work-items; this is part `index` of those that a launch can be. False:
  // there is no such part, or nothing to do.
  static bool begin(DeviceWork* work, int64_t index, const std::array<int64_t, 3>& groups, int local_x = 1, int local_y = 1) noexcept;
  // How many parts there are.
  static int64_t parts(const std::array<int64_t, 3>& groups) noexcept;

  explicit Arguments(DeviceWork* work) noexcept : work_(work) {}
  Arguments& tensor(DeviceArgument::Of of, size_t index) noexcept {
    work_->add_tensor(of, static_cast<int>(index));
    return *this;
  }
  Arguments& tensor(DeviceArgument::Of of, size_t index, const RowStrides& s, int rows) noexcept {
    return tensor(of, index).strides(s, rows);
  }
  Arguments& strides(const RowStrides& s, int rows) noexcept {
    for (int i = 0; i < rows; ++i) number(s.row[i]);
    return number(s.column);
  }
  Arguments& number(int64_t value) noexcept {
    work_->add_i64(value);
    return *this;
  }
  Arguments& numbers(const int64_t* values, int count) noexcept {
    for (int i = 0; i < count; ++i) number(values[i]);
    return *this;
  }
  Arguments& flag(bool value) noexcept {
    work_->add_i32(value ? 1 : 0);
    return *this;
  }
  Arguments& real(float value) noexcept {
    work_->add_f32(value);
    return *this;
  }
  // POST_PARAMS: strides[i] are those of the chain's i-th tensor. `common`: of a key_with_common_functions().
  Arguments& chain(const PostOps& chain, const RowStrides* strides, int rows, bool common = false) noexcept;
  // The same where output axes are rows and columns as they are: row_axes[i] is the axis of row i, -1 for none.
  Arguments& chain(const Args& args, const int* row_axes, int rows, int column_axis, bool common = false) noexcept;

 private:
  void function(UnaryFunction f, float alpha, float beta, bool common) noexcept;

  DeviceWork* work_;
};

}  // namespace anydim::opencl
