// SPDX-License-Identifier: Apache-2.0
// The graph that computes one chunk: the model's nodes over what is new, over what is carried before it where they read more, and outputs of
// what the next run reads. One for the edges of a stream, where windows are padded as in the whole, and one for all between, where none is.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/graph/ir.h"
#include "core/graph/streaming/axis_walk.h"
#include "core/graph/streaming/followed.h"

namespace anydim {

class ChunkGraph {
 public:
  // `plan` gets what both graphs have in common from the one that is written first.
  ChunkGraph(const Graph& whole, AxisWalk& walk, const Followed& followed, StreamingPlan& plan, bool edges)
      : whole_(whole), walk_(walk), followed_(followed), plan_(plan), edges_(edges) {}
  Status write();
  Graph& graph() { return graph_; }

 private:
  using Number = StreamingPlan::Number;
  Status write_node(const Node& n);
  // `skip`: results that were there before, where the node gives some; terms of post-ops are padded by as many.
  Status copy(const Node& n, std::vector<ValueId> inputs, OperatorPtr op, std::vector<ValueId>* out, Dim skip = 0);
  Status window(const Node& n, ValueId* out);
  Status transposed(const Node& n, ValueId* out);
  Status padded(const Node& n, ValueId* out);
  Status beside(const Node& n, ValueId* out);
  Status cut(const Node& n, ValueId* out);
  Status resized(const Node& n, ValueId* out);
  Status recurrent(const Node& n);
  Status summed(const Node& n, ValueId* out);
  Status attended(const Node& n, ValueId* out);
  Status last(const Node& n, ValueId* out);
  Status finish(ValueId v);  // of the whole, whose new elements are there: its history

  // What a node whose results are of `line` reads of a value: its new elements, or those that a reader begins with, `length` of them.
  Result<ValueId> operand(const Node& n, ValueId v);
  Result<ValueId> part(const Node& n, ValueId v, int32_t reader, Dim length);
  Result<ValueId> slice(ValueId v, int axis, Dim start, Dim length, const std::string& name);
  Result<ValueId> joined(ValueId a, ValueId b, int axis, const std::string& name);
  Result<ValueId> state(const TensorType& type, const std::string& name);  // of the run before: zeros at first
  void keep(ValueId next);                                                 // what the state that was made last becomes
  Dim number(Number::What what, int32_t of);
  Dim made(int32_t line);
  OperatorPtr with_length(const Node& n) const;

  const Graph& whole_;
  AxisWalk& walk_;
  const Followed& followed_;
  StreamingPlan& plan_;
  const bool edges_;
  Graph graph_;
  std::vector<ValueId> now_;            // by value of the whole: its new elements
  std::map<ValueId, ValueId> windows_;  // what is carried of it, then what is new
  std::map<ValueId, int32_t> carries_;  // of the plan
  std::vector<Dim> made_;               // by line; 0 elements where it is not known yet
  std::vector<uint8_t> has_made_;
  std::vector<ValueId> outputs_;  // behind the model's
  std::vector<std::string> output_names_;
  size_t states_ = 0;  // that were met
  std::vector<std::pair<Number, Dim>> numbers_;
  std::vector<Dim> free_;  // symbols of the last input of numbers
};

}  // namespace anydim
