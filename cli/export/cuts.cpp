// SPDX-License-Identifier: Apache-2.0
// How calls of kernels are shared between threads. Each part computes elements of the result that no other does, so bits do not depend on how
// many there are. What is not here stays on one thread: recurrent layers, reductions, what moves elements, 8-bit products, archives.
#include <algorithm>
#include <cstdlib>

#include "cli/export/emit.h"

namespace anydim_cli::exporting {

namespace {

int rank_of(const Operand& o) { return static_cast<int>(o.dims.size()); }
int64_t most(const Program& p, const Operand& o, int axis) { return p.most(o.dims[static_cast<size_t>(axis)]); }

// The largest axis of the result from `first` to before `last`; -1: none of more than one element.
int largest(const Program& p, const Operand& y, int first, int last) {
  int best = -1;
  for (int a = first; a < last; ++a)
    if (most(p, y, a) > (best < 0 ? 1 : most(p, y, best))) best = a;
  return best;
}

// The number that an initializer begins with.
int leading(const Call& call) { return static_cast<int>(std::strtol(call.attributes.c_str(), nullptr, 10)); }

size_t post_operands(const Call& call) {
  return static_cast<size_t>(std::count_if(call.posts.begin(), call.posts.end(), [](const PostOp& p) { return p.tensor; }));
}

// Operands from `first` on meet the result from the last axis backwards.
void broadcast(Cut* cut, const Call& call, size_t first, int rank, int axis) {
  for (size_t i = first; i < call.operands.size(); ++i) cut->axes[i] = axis - (rank - rank_of(call.operands[i]));
}

Cut cut_of(const Program& p, const Call& call) {
  Cut cut;
  const std::string& k = call.kernel;
  const size_t posts = post_operands(call);
  if (call.operands.size() < posts + 2) return cut;
  cut.result = static_cast<int>(call.operands.size() - posts) - 1;
  const Operand& y = call.operands[static_cast<size_t>(cut.result)];
  const int rank = rank_of(y);
  cut.axes.assign(call.operands.size(), -1);
  int axis = -1;
  const auto all = [&] {
    if (axis < 0) return;
    broadcast(&cut, call, 0, rank, axis);
    cut.rule = Cut::Rule::views;
  };
  if (k == "unary" || k == "binary" || k == "integers" || k == "cast" || k == "where" || k == "copy") {
    axis = largest(p, y, 0, rank);
    all();
  } else if (k == "softmax") {
    axis = leading(call) == 0 ? largest(p, y, 1, rank) : largest(p, y, 0, leading(call));
    all();
  } else if (k == "layer_norm") {
    axis = largest(p, y, 0, leading(call));
    all();
    for (size_t i = 1; i < static_cast<size_t>(cut.result); ++i) cut.axes[i] = -1;  // scale and bias
  } else if (k == "pooling") {
    axis = rank > 1 && most(p, y, 1) > 1 ? 1 : -1;
    all();
  } else if ((k == "convolution" || k == "depthwise") && call.cut.weights > 0) {
    cut.rule = k == "depthwise" ? Cut::Rule::groups : Cut::Rule::outputs;
    broadcast(&cut, call, 1, rank, 1);
    if (k == "depthwise") cut.axes[0] = 1;
  } else if (k == "matmul" && rank_of(call.operands[0]) == rank && call.cut.axes.size() == 1) {
    const bool packed = call.cut.weights > 0;
    axis = packed && most(p, y, rank - 2) < 8 ? rank - 1 : rank - 2;
    broadcast(&cut, call, static_cast<size_t>(cut.result), rank, axis);
    cut.rule = axis == rank - 1 ? Cut::Rule::columns : Cut::Rule::views;
    if (axis == rank - 2) cut.axes[0] = call.cut.axes[0];
  } else {
    return {};
  }
  cut.weights = call.cut.weights;
  return cut;
}

}  // namespace

Cut find_cut(const Program& program, const Call& call) {
  Cut cut = cut_of(program, call);
  return cut.rule == Cut::Rule::none ? Cut() : cut;
}

}  // namespace anydim_cli::exporting
