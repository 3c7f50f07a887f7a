// SPDX-License-Identifier: Apache-2.0
// Where the rows of a batch lie in a program's inputs and outputs, and whether what can be seen of the program lets rows of several
// requests run as one batch. That rows do not depend on one another is the caller's promise; here is found what shows without data.
// Requests, threads and times are batch_queue.h's.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/program/arena_plan.h"
#include "core/program/program.h"

namespace anydim {

struct RowEdges {
  static constexpr int kShared = -1;  // an input without the batch axis: requests with the same bytes of it join
  std::vector<int> inputs, outputs;   // the axis of the rows, by edge
  int64_t most = kMaxSize;            // rows that the model and the bounds allow
};

// unimplemented, with the edge or node that is in the way: no input or an output without a batch axis that is free, sizes that data
// reports, or a node that mixes rows.
Status find_row_edges(const Program& program, const Bounds* bounds, RowEdges* out);

// The rows of one request, as all its inputs with a batch axis say it; -1 if they do not agree, or a dtype or rank is not the program's.
int64_t rows_of(const Program& program, const RowEdges& edges, std::span<const TensorView> in);

// What the inputs of requests that may join have in common: all dims but the rows, and the bytes of inputs that they share.
void write_join_key(const RowEdges& edges, std::span<const TensorView> in, std::string* key);

// The view of rows [first, first + rows) of `all` along an axis.
TensorView row_slice(const TensorView& all, int axis, int64_t first, int64_t rows) noexcept;
// Whether the elements lie in one dense stretch whose outermost axis is this one, so that slices of rows are dense, too.
bool rows_are_outermost(const TensorView& t, int axis) noexcept;

// Memory of rows that wait: uninitialised, kept for the next batch, of the engine's source.
class Staging {
 public:
  Staging() = default;
  Staging(Staging&& other) noexcept : data_(other.data_), bytes_(other.bytes_), source_(std::move(other.source_)) {
    other.data_ = nullptr;
    other.bytes_ = 0;
  }
  Staging& operator=(Staging&&) = delete;
  ~Staging() { release(); }
  // At least so many bytes; what was in it is lost if it grows. False: there is no memory.
  bool reserve(int64_t bytes) noexcept;
  std::byte* data() const noexcept { return data_; }
  int64_t bytes() const noexcept { return bytes_; }

 private:
  void release() noexcept;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
  MemorySourcePtr source_;
};

}  // namespace anydim
