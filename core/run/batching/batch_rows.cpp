// SPDX-License-Identifier: Apache-2.0
// Rows of a batch in inputs and outputs, and whether requests may be joined; see batch_rows.h.
#include "core/run/batching/batch_rows.h"

#include <algorithm>
#include <cstdlib>

#include "core/ops/computed_axes.h"
#include "core/run/context/copy_elements.h"

namespace anydim {
namespace {

// The program's dims with one of them called the batch.
class BatchSymbol {
 public:
  BatchSymbol(const Program& program, Dim batch) : pool_(program.dims), batch_(batch) {}
  bool is(Dim d) { return !d.is_number() && (d == batch_ || pool_.provably_equal(d, batch_)); }
  bool in(Dim d) {
    if (d.is_number()) return false;
    const std::vector<int32_t> symbols = pool_.symbols(d);
    return std::find(symbols.begin(), symbols.end(), batch_.expr()) != symbols.end();
  }
  int count(const SymDims& dims) {
    return static_cast<int>(std::count_if(dims.begin(), dims.end(), [this](Dim d) { return in(d); }));
  }
  // The only axis that depends on it and is it; -1: none depends, -2: another use of it.
  int axis_of(const SymDims& dims) {
    int axis = -1;
    for (int i = 0; i < dims.rank; ++i) {
      if (!in(dims[i])) continue;
      if (axis != -1 || !is(dims[i])) return -2;
      axis = i;
    }
    return axis;
  }

 private:
  DimPool pool_;
  Dim batch_;
};

std::string edge_text(const Program& program, const Program::IoSpec& e) { return formatted("'{}' {}", e.name, program.dims.text(e.dims)); }

Status check_step(const Program& program, const Program::Step& step, BatchSymbol& batch) {
  const auto mixes = [&](const char* how) {
    return unimplemented("the node {} {}, so rows of several requests cannot run as one batch", step.label, how).in_node(step.name);
  };
  const auto count = static_cast<size_t>(step.inputs);
  bool reads = false;
  for (size_t i = 0; i < step.operands.size(); ++i) {
    if (step.operands[i] == Program::kNoTensor || program.is_packed(step, i)) continue;
    const Program::Tensor& t = program.tensor(step.operands[i]);
    const int uses = batch.count(t.dims);
    if (uses > 1) return mixes("relates each row to each other one");
    if (uses == 0 && t.buffer >= 0 && batch.in(program.buffer(t.buffer).elements))
      return mixes(i < count ? "reads a fixed part of the batch" : "writes a fixed part of the batch");
    if (i < count || i >= count + static_cast<size_t>(step.outputs)) reads = reads || uses == 1;
  }
  if (!reads) return {};
  for (size_t i = count; i < count + static_cast<size_t>(step.outputs); ++i)
    if (step.operands[i] != Program::kNoTensor && batch.count(program.tensor(step.operands[i]).dims) == 0)
      return mixes("computes over the rows of a batch");
  const Primitive* const primitive = program.primitive(step);
  if (primitive == nullptr || step.operands.empty() || step.operands[0] == Program::kNoTensor || program.is_packed(step, 0)) return {};
  const SymDims& dims = program.tensor(step.operands[0]).dims;
  const ComputedAxes along = computed_axes(primitive->op(), dims.rank);
  for (int i = std::max(along.first, 0); i < std::min(along.last, dims.rank); ++i)
    if (batch.is(dims[i])) return mixes("computes along the batch axis");
  return {};
}

}  // namespace

Status find_row_edges(const Program& program, const Bounds* bounds, RowEdges* out) {
  const auto first = std::find_if(program.inputs.begin(), program.inputs.end(), [&](const Program::IoSpec& e) {
    return e.dims.rank > 0 && !e.dims[0].is_number() && program.dims.expr(e.dims[0].expr()).op == DimOp::symbol;
  });
  if (first == program.inputs.end()) {
    const std::string text = program.inputs.empty() ? "no input" : "input " + edge_text(program, program.inputs[0]);
    return unimplemented("no input has a batch axis that is dynamic: the model has {}; expected one whose first dim is free", text);
  }
  BatchSymbol batch(program, first->dims[0]);
  RowEdges edges;
  for (const Program::IoSpec& e : program.inputs) {
    const int axis = batch.axis_of(e.dims);
    if (axis == -2)
      return unimplemented("input {} has the batch in more than one axis, or in a dim that is computed", edge_text(program, e));
    edges.inputs.push_back(axis == -1 ? RowEdges::kShared : axis);
  }
  if (program.outputs.empty()) return unimplemented("the model has no output, so it has nothing to give to each row");
  for (const Program::IoSpec& e : program.outputs) {
    const int axis = batch.axis_of(e.dims);
    if (axis < 0)
      return unimplemented("output {} does not carry the batch axis '{}' of input '{}'", edge_text(program, e),
                           program.dims.text(first->dims[0]), first->name);
    const bool found_by_data = std::any_of(e.dims.begin(), e.dims.end(), [&](Dim d) { return program.stage_of(d) > 0; });
    if (found_by_data || e.optional != 0)
      return unimplemented("output {} has sizes that depend on data, which differ from row to row", edge_text(program, e));
    edges.outputs.push_back(axis);
  }
  for (const Program::InputElement& element : program.input_elements)
    if (edges.inputs[static_cast<size_t>(element.input)] != RowEdges::kShared)
      return unimplemented("dims follow from values of input '{}', which differ from row to row",
                           program.inputs[static_cast<size_t>(element.input)].name);
  for (const Program::Step& step : program.steps) ANYDIM_TRY(check_step(program, step, batch));

  edges.most = program.dims.interval(first->dims[0]).max;
  if (bounds != nullptr)
    for (size_t i = 0; i < edges.inputs.size() && i < bounds->size(); ++i)
      if (const int axis = edges.inputs[i]; axis >= 0 && axis < (*bounds)[i].dims.rank)
        edges.most = std::min(edges.most, (*bounds)[i].dims[axis].max);
  *out = std::move(edges);
  return {};
}

int64_t rows_of(const Program& program, const RowEdges& edges, std::span<const TensorView> in) {
  if (in.size() != edges.inputs.size()) return -1;
  int64_t rows = -1;
  for (size_t i = 0; i < in.size(); ++i) {
    const Program::IoSpec& e = program.inputs[i];
    if (in[i].data == nullptr || in[i].dtype != e.dtype || in[i].dims.rank != e.dims.rank) return -1;
    if (edges.inputs[i] == RowEdges::kShared) continue;
    const int64_t here = in[i].dims[edges.inputs[i]];
    if (rows >= 0 && here != rows) return -1;
    rows = here;
  }
  return rows;
}

void write_join_key(const RowEdges& edges, std::span<const TensorView> in, std::string* key) {
  for (size_t i = 0; i < in.size(); ++i) {
    Dims dims = in[i].dims;
    const bool shared = edges.inputs[i] == RowEdges::kShared;
    if (!shared) dims[edges.inputs[i]] = 0;
    key->append(reinterpret_cast<const char*>(dims.values), static_cast<size_t>(dims.rank) * sizeof(int64_t));
    if (!shared) continue;
    const auto bytes = static_cast<size_t>(in[i].count() * dtype_size(in[i].dtype));
    const size_t end = key->size();
    key->resize(end + bytes);
    if (bytes == 0) continue;
    TensorView copy = in[i];
    copy.strides = dense_strides(copy.dims);
    copy.data = key->data() + end;
    copy_elements(in[i], copy);
  }
}

TensorView row_slice(const TensorView& all, int axis, int64_t first, int64_t rows) noexcept {
  TensorView part = all;
  part.dims[axis] = rows;
  part.data = all.as<std::byte>() + first * all.strides[axis] * dtype_size(all.dtype);
  return part;
}

bool rows_are_outermost(const TensorView& t, int axis) noexcept {
  int64_t rest = 1;
  for (int i = 0; i < t.dims.rank; ++i)
    if (i != axis) rest *= t.dims[i];
  if (rest > 0 && t.dims[axis] > 1 && t.strides[axis] != rest) return false;
  int64_t span = 1;  // elements from the first to the last of one row, if no stride is negative
  for (int i = 0; i < t.dims.rank; ++i)
    if (i != axis && t.dims[i] > 1) span += (t.dims[i] - 1) * t.strides[i];
  return span == rest;
}

bool Staging::reserve(int64_t bytes) noexcept {
  if (bytes <= bytes_) return true;
  release();
  source_ = MemorySourceScope::current();
  const int64_t size = round_up(bytes, 64);
  data_ = static_cast<std::byte*>(source_ ? source_->allocate(size, 64) : std::aligned_alloc(64, static_cast<size_t>(size)));
  bytes_ = data_ != nullptr ? size : 0;
  return data_ != nullptr;
}

void Staging::release() noexcept {
  if (data_ == nullptr) return;
  if (source_) source_->free(data_, bytes_);
  else std::free(data_);
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace anydim
