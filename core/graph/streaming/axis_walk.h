// SPDX-License-Identifier: Apache-2.0
// What a chunk makes computable: by value the axis and the time line that it has, by node how it goes on from chunk to chunk. Nodes that need
// the whole axis are collected, with the reason. It changes no graph.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/graph/ir.h"
#include "core/graph/streaming/streaming.h"
#include "core/graph/streaming/time_lines.h"

namespace anydim {

// Along which axis a value is streamed.
struct ValueTime {
  enum class Kind : uint8_t {
    fixed,     // it has no such axis, and is the same in each run
    streamed,  // `axis` is one of line `line`
    last,      // it has no such axis, and is what all elements up to now make of it: that of the whole at the end
    unknown,   // a node before it was refused
  };
  Kind kind = Kind::fixed;
  int axis = -1;  // fixed: where the whole has the axis with equal elements along it, which are one here
  int32_t line = 0;
};

struct NodeTime {
  enum class Way : uint8_t {
    copied,  // each element by itself
    window,
    transposed,
    padded,
    cut,
    resized,
    recurrent,
    summed,  // a running sum
    attended,
    spread,  // an Expand of equal elements
    last,    // a slice of the last element
  };
  Way way = Way::copied;
  int32_t line = -1;              // of its results; -1: none of it is streamed
  int axis = -1;                  // of its first result
  int64_t before = 0, after = 0;  // explicit padding along the axis
};

class AxisWalk {
 public:
  AxisWalk(Graph& graph, const StreamingOptions& options) : graph_(graph), options_(options) {}

  // Fails with all nodes that cannot be computed by chunks.
  Status run();

  const ValueTime& time(ValueId v) const { return values_[static_cast<size_t>(v)]; }
  const NodeTime& time(const Node& n) const { return nodes_[static_cast<size_t>(n.id)]; }
  TimeLines& lines() { return lines_; }
  // Who reads what of values that are not read as they come, in the order in which they were found.
  struct Reader {
    ValueId value = kNoValue;
    int32_t line = 0;
    bool plain = true;
    bool carried = true;
  };
  const std::vector<Reader>& readers() const { return readers_; }
  // Of a node with results of `line`: its reader of the value, or -1 where it reads the value's elements as they come.
  int32_t reader(ValueId v, int32_t line, bool plain) const;
  // Is it one of the dims that grow with the axis?
  bool grows(Dim d) const;

 private:
  struct Operand {
    ValueId value = kNoValue;
    int axis = -1;  // where the axis is among the result's
  };
  void visit(const Node& n);
  void by_kind(const Node& n);
  void terms(const Node& n);
  void refuse(const Node& n, std::string_view why);
  // Of the nodes that read each element by itself: `operands` with their axes in the result. False if it was refused.
  bool join(const Node& n, const std::vector<Operand>& operands, int axis, NodeTime* out);
  void add_reader(ValueId v, int32_t line, bool plain, bool carried = true);
  bool line_of(const Node& n, TimeLine line, NodeTime* out);
  bool dims_follow(const Node& n, const NodeTime& time);
  void set_outputs(const Node& n, const NodeTime& time, int axis);

  // By kind of operator.
  void elementwise(const Node& n);
  void single(const Node& n, int result);
  void matmul(const Node& n);
  void convolution(const Node& n);
  void conv_transpose(const Node& n);
  void pooling(const Node& n);
  void window(const Node& n, AutoPad pad, int64_t extent, int64_t stride, int64_t before, int64_t after, bool round_up);
  void reduce(const Node& n);
  void reshape(const Node& n);
  void transpose(const Node& n);
  void concat(const Node& n);
  void beside(const Node& n, int axis);
  void slice(const Node& n);
  void pad(const Node& n);
  void expand(const Node& n);
  void gather(const Node& n);
  void resize(const Node& n);
  void recurrent(const Node& n);
  void running_sum(const Node& n);
  void depth_to_space(const Node& n);
  void attention(const Node& n);

  const ValueTime& in(const Node& n, size_t i) const { return time(n.inputs[i]); }
  bool has(const Node& n, size_t i) const { return i < n.inputs.size() && n.inputs[i] != kNoValue; }
  int rank(ValueId v) const { return graph_.value(v).type.dims.rank; }
  Dim dim(ValueId v, int axis) const { return graph_.value(v).type.dims[axis]; }
  bool streamed(ValueId v) const { return v != kNoValue && time(v).kind == ValueTime::Kind::streamed; }
  bool others_fixed(const Node& n, size_t from = 1);

  Graph& graph_;
  const StreamingOptions& options_;
  std::vector<int32_t> symbols_;  // that the axis is made of
  std::vector<ValueTime> values_;
  std::vector<NodeTime> nodes_;
  TimeLines lines_;
  std::vector<Reader> readers_;
  std::map<std::tuple<ValueId, int32_t, bool>, int32_t> reader_of_;
  std::vector<std::string> refusals_;
  std::vector<uint8_t> refused_;  // by node
};

}  // namespace anydim
