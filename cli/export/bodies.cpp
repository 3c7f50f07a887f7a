// SPDX-License-Identifier: Apache-2.0
// Branches and loops of an exported model. A body becomes a function of its own, which reads and writes where the branch or loop says; its
// sizes and buffers are part of the network's (merge.h). Memory of bodies lies above all of what is around them, that of an if's two bodies
// in one place. A value that a loop carries alternates between two places: the result and one of the arena.
#include <algorithm>

#include "cli/export/merge.h"
#include "cli/export/writer.h"
#include "cli/print.h"

namespace anydim_cli::exporting {

namespace {

View view_of(const Operand& o) { return {o.dims, o.strides}; }

template <class T> void erase_at(std::vector<T>* list, int i) { list->erase(list->begin() + i); }
View without_axis(View v, int axis) {
  erase_at(&v.dims, axis);
  erase_at(&v.strides, axis);
  return v;
}

View of_one(size_t rank) { return {std::vector<Dim>(rank, Dim{1, -1}), std::vector<Dim>(rank, Dim{1, -1})}; }

bool same_strides(const Program& p, const std::vector<Dim>& dims, const std::vector<Dim>& a, const std::vector<Dim>& b) {
  for (size_t i = 0; i < dims.size(); ++i)
    if (p.folded(dims[i]) != Dim{1, -1} && p.folded(a[i]) != p.folded(b[i])) return false;
  return true;
}

}  // namespace

void Writer::add_control(size_t block, const Step& step) {
  const Control& c = *step.control;
  if (c.kind == "host") throw Unsupported("an operator of the program's own");
  for (size_t i = 0; i < c.sized_by_step.size(); ++i)
    if (c.sized_by_step[i] != 0)
      throw Unsupported(formatted("its result '{}' has a size that only its run finds",
                                  p_.tensors[static_cast<size_t>(step.operands[static_cast<size_t>(step.inputs) + i])].name));
  if (c.kind == "branch") add_branch(block, step);
  else add_loop(block, step);
}

int Writer::place_above(std::string dtype, Dim elements, std::vector<int> below) {
  const int buffer = static_cast<int>(p_.buffers.size());
  p_.buffers.push_back({Buffer::Kind::arena, 0, std::move(dtype), elements});
  p_.places.push_back({buffer, std::move(below)});
  return buffer;
}

int Writer::level_above(size_t block) {
  if (blocks_[block].level < 0) blocks_[block].level = place_above("u8", {0, -1}, blocks_[block].placed);
  return blocks_[block].level;
}

// Dims that have to be equal when the block runs.
void Writer::match(size_t block, const std::vector<Dim>& a, const std::vector<Dim>& b, const Step& step, const std::string& what) {
  if (a.size() != b.size()) throw Unsupported(formatted("{} of rank {} and {}", what, a.size(), b.size()));
  for (size_t i = 0; i < a.size(); ++i)
    if (const Dim same = p_.make(SizeOp::equal, a[i], b[i]); p_.least(same) < 1)
      blocks_[block].checks.push_back({{same, step.label, formatted("dim {} of {} keeps its size", i, what)}, 0, {}});
}

// A block with the steps of a body. `inputs`, `outputs`: what they are; `buffers`: whose places have to be set before it runs, inputs
// first. `base`: the buffer above which its memory lies.
size_t Writer::add_body(const Step& step, size_t index, int base, const std::vector<View>& inputs, const std::vector<View>& outputs,
                        std::vector<int>* buffers) {
  const Control& control = *step.control;
  const Control::Body& from = control.bodies[index];
  const Program& inner = *from.program;
  if (inner.stages > 1) throw Unsupported("sizes within it that follow from data");
  const size_t block = blocks_.size();
  blocks_.emplace_back().label = step.label + (control.kind == "loop" ? ", an iteration" : index == 0 ? ", if so" : ", if not");

  Merge merge(p_, inner, static_cast<int>(block));
  for (size_t i = 0; i < inner.parameters.size(); ++i)
    merge.give(inner.parameters[i], step.parameters[static_cast<size_t>(from.parameters[i])]);
  std::vector<std::pair<Dim, Dim>> agree;  // inner, outer
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Edge& e = inner.inputs[i];
    if (e.dims.size() != inputs[i].dims.size()) throw Unsupported(formatted("'{}' has several ranks", e.name));
    for (size_t d = 0; d < e.dims.size(); ++d) {
      if (!merge.give(e.dims[d], inputs[i].dims[d])) agree.emplace_back(e.dims[d], inputs[i].dims[d]);
      if (!merge.give(e.strides[d], inputs[i].strides[d]) && p_.folded(inputs[i].dims[d]) != Dim{1, -1})
        agree.emplace_back(e.strides[d], inputs[i].strides[d]);
    }
  }
  std::vector<std::pair<InputElement, Dim>> elements;
  for (const InputElement& e : inner.input_elements) {
    const bool counts = from.inputs[static_cast<size_t>(e.input)].from == Control::Body::Input::From::iteration;
    elements.emplace_back(
        e, counts ? merge.found(e.symbol, 0, p_.most(control.most_iterations) - 1) : merge.found(e.symbol, INT64_MIN, INT64_MAX));
  }
  std::vector<Dim> a, b;
  for (const auto& [in, out] : agree) a.push_back(merge.dim(in)), b.push_back(out);
  match(block, a, b, step, "what its body reads");

  merge.add_buffers();
  merge.add_tensors();
  Block& made = blocks_[block];
  for (const Guard& g : inner.guards)
    if (const Dim condition = merge.dim(g.condition); p_.least(condition) < 1)
      made.checks.push_back({{condition, g.step, g.message}, 0, {}});
  for (const Place& place : inner.places) {
    std::vector<int> above;
    for (const int k : place.above) above.push_back(k + merge.first_buffer());
    if (above.empty()) above.push_back(base);
    made.placed.push_back(place.buffer + merge.first_buffer());
    p_.places.push_back({made.placed.back(), std::move(above)});
  }
  buffers->assign(inputs.size() + outputs.size(), -1);
  for (size_t k = 0; k < inner.buffers.size(); ++k) {
    const Buffer& buffer = inner.buffers[k];
    if (buffer.kind == Buffer::Kind::result) throw Unsupported("a result within it has a size that only its run finds");
    if (buffer.kind == Buffer::Kind::input) (*buffers)[static_cast<size_t>(buffer.index)] = static_cast<int>(k) + merge.first_buffer();
  }
  for (const auto& [e, symbol] : elements) {
    const Edge& edge = inner.inputs[static_cast<size_t>(e.input)];
    const int buffer = (*buffers)[static_cast<size_t>(e.input)];
    if (edge.dims.size() > 1 && e.element > 0) throw Unsupported(formatted("sizes that follow from elements of '{}'", edge.name));
    const int bytes = dtype_bytes(edge.dtype);
    const Dim at = e.element == 0 ? Dim{0, -1} : p_.mul({e.element * bytes, -1}, inputs[static_cast<size_t>(e.input)].strides[0]);
    made.elements.emplace_back(symbol.size, formatted("whole(n->at[{}] + {}, {})", buffer, sizes_.value(at), bytes));
    reads_elements_ = true;
  }
  // What is written where it is to be, and what has to be copied there at the end.
  std::vector<Call> copies;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const int t = inner.results[i] + merge.first_tensor();
    const Tensor tensor = p_.tensors[static_cast<size_t>(t)];
    const Buffer* const own =
        tensor.buffer < merge.first_buffer() ? nullptr : &inner.buffers[static_cast<size_t>(tensor.buffer - merge.first_buffer())];
    const bool written = own != nullptr && own->kind == Buffer::Kind::output && own->index == static_cast<int>(i);
    int& to = (*buffers)[inputs.size() + i];
    match(block, tensor.dims, outputs[i].dims, step, formatted("'{}'", inner.outputs[i].name));
    if (written && same_strides(p_, tensor.dims, tensor.strides, outputs[i].strides)) {
      to = tensor.buffer;
      continue;
    }
    if (written) {
      std::vector<int> below = blocks_[block].placed;
      below.push_back(base);
      p_.buffers[static_cast<size_t>(tensor.buffer)].kind = Buffer::Kind::arena;
      p_.places.push_back({tensor.buffer, std::move(below)});
      blocks_[block].placed.push_back(tensor.buffer);
    }
    to = static_cast<int>(p_.buffers.size());
    p_.buffers.push_back({Buffer::Kind::inner, 0, tensor.dtype, {}});
    Call copy;
    copy.kernel = "copy";
    copy.label = step.label + " gives " + inner.outputs[i].name;
    const Operand source = operand_of(p_, weights_, tensor);
    Operand target = source;
    target.from = Operand::From::buffer;
    target.buffer = to;
    target.offset = {};
    target.strides = outputs[i].strides;
    copy.operands = {source, target};
    copies.push_back(std::move(copy));
  }
  if (blocks_[block].placed.empty()) blocks_[block].placed.push_back(base);
  translate_block(block, merge.steps());
  for (Call& c : copies) add_call(block, std::move(c));
  return block;
}

void Writer::add_branch(size_t block, const Step& step) {
  const Control& control = *step.control;
  const int base = level_above(block);
  Flow flow;
  Call call;
  for (const int t : step.operands)
    call.operands.push_back(t < 0 ? Operand() : operand_of(p_, weights_, p_.tensors[static_cast<size_t>(t)]));
  std::vector<View> outputs;
  for (int i = 0; i < step.outputs; ++i) outputs.push_back(view_of(call.operands[static_cast<size_t>(step.inputs + i)]));
  const size_t number = flows_.size();
  flows_.emplace_back();
  std::string cases[2];
  for (size_t b = 0; b < 2; ++b) {
    std::vector<View> inputs;
    std::vector<int> buffers;
    for (const Control::Body::Input& i : control.bodies[b].inputs) inputs.push_back(view_of(call.operands[static_cast<size_t>(i.index)]));
    flow.bodies.push_back(add_body(step, b, base, inputs, outputs, &buffers));
    const std::string indent(b == 0 ? 4 : 2, ' ');
    for (size_t i = 0; i < buffers.size(); ++i) {
      const int operand = i < inputs.size() ? control.bodies[b].inputs[i].index : step.inputs + static_cast<int>(i - inputs.size());
      if (buffers[i] >= 0) cases[b] += formatted("{}n->at[{}] = address(n, T + {});\n", indent, buffers[i], operand);
    }
    cases[b] += formatted("{}return body_{}(n);\n", indent, flow.bodies.back());
  }
  call.label = step.label;
  call.function = formatted("branch_{}", number);
  flow.text = formatted(
      "/* {} */\nstatic int {}(network *n) {{\n  enum {{ T = @T@ }}; /* its tensors */\n  if (*address(n, T) != 0) {{\n{}  }}\n{}}}\n\n",
      comment(step.label), call.function, cases[0], cases[1]);
  flow.call = calls_.size();
  flows_[number] = std::move(flow);
  blocks_[block].flows.push_back(number);
  add_call(block, std::move(call));
}

void Writer::add_loop(size_t block, const Step& step) {
  using From = Control::Body::Input::From;
  const Control& control = *step.control;
  const Control::Body& from = control.bodies[0];
  const size_t carried = control.initial.size(), first = control.has_condition ? 1 : 0;
  int base = level_above(block);
  Flow flow;
  Call call;
  for (const int t : step.operands)
    call.operands.push_back(t < 0 ? Operand() : operand_of(p_, weights_, p_.tensors[static_cast<size_t>(t)]));
  const auto result = [&](size_t i) -> Operand { return call.operands[static_cast<size_t>(step.inputs) + i]; };

  // Two places of each carried value, dense; the result is one of them where it is dense.
  struct Carried {
    View view;
    bool in_result = false;
    int places[2] = {-1, -1}, now = -1;  // now: the buffer that is set to the one that is read
    int copies = 0;                      // operands: the initial value, what is read, the result
  };
  std::vector<Carried> values(carried);
  const auto inner_buffer = [&](const std::string& dtype) {
    p_.buffers.push_back({Buffer::Kind::inner, 0, dtype, {}});
    return static_cast<int>(p_.buffers.size()) - 1;
  };
  for (size_t k = 0; k < carried; ++k) {
    Carried& c = values[k];
    const Operand to = result(k);
    c.view = {to.dims, p_.dense_strides(to.dims)};
    c.in_result = same_strides(p_, to.dims, to.strides, c.view.strides);
    Dim elements{1, -1};
    for (const Dim d : to.dims) elements = p_.mul(elements, d);
    for (int place = c.in_result ? 1 : 0; place < 2; ++place) base = c.places[place] = place_above(to.dtype, bounded(elements), {base});
    c.now = inner_buffer(to.dtype);
    const Operand initial = call.operands[static_cast<size_t>(control.initial[k])];
    match(block, initial.dims, to.dims, step, formatted("carried value {}", k));
    c.copies = static_cast<int>(call.operands.size());
    Operand now = to;
    now.from = Operand::From::buffer;
    now.buffer = c.now;
    now.offset = {};
    now.strides = c.view.strides;
    call.operands.insert(call.operands.end(), {initial, now, to});
  }

  std::vector<View> inputs, outputs;
  for (size_t i = 0; i < from.inputs.size(); ++i) {
    const auto index = static_cast<size_t>(from.inputs[i].index);
    switch (from.inputs[i].from) {
      case From::operand: inputs.push_back(view_of(call.operands[index])); break;
      case From::iteration: inputs.push_back(of_one(from.program->inputs[i].dims.size())); break;
      case From::carried: inputs.push_back(values[index].view); break;
      case From::slice:
        inputs.push_back(
            without_axis(view_of(call.operands[static_cast<size_t>(control.slices[index].operand)]), control.slices[index].axis));
        break;
    }
  }
  if (first > 0) outputs.push_back(of_one(from.program->outputs[0].dims.size()));
  for (const Carried& c : values) outputs.push_back(c.view);
  for (size_t s = 0; s < control.stacks.size(); ++s) outputs.push_back(without_axis(view_of(result(carried + s)), control.stacks[s].axis));

  const size_t number = flows_.size();
  flows_.emplace_back();
  std::vector<int> buffers;
  flow.bodies.push_back(add_body(step, 0, base, inputs, outputs, &buffers));

  // Bytes from one element of an operand along an axis to the next.
  const auto bytes = [&](const Operand& o, int axis) {
    return formatted("{} * {}", sizes_.value(o.strides[static_cast<size_t>(axis)]), dtype_bytes(o.dtype));
  };
  std::string begin, each, end;
  if (control.count >= 0)
    begin += formatted("  memcpy(&trips, address(n, T + {}), sizeof trips);\n  if (trips < 0) trips = 0;\n", control.count);
  for (size_t k = 0; k < control.slices.size(); ++k) {
    const Control::Slice& s = control.slices[k];
    const std::string length = sizes_.value(call.operands[static_cast<size_t>(s.operand)].dims[static_cast<size_t>(s.axis)]);
    begin += k == 0 ? formatted("  trips = {};\n", length) : formatted("  if (trips != {}) return 1;\n", length);
  }
  if (control.condition >= 0) begin += formatted("  if (*address(n, T + {}) == 0) trips = 0;\n", control.condition);
  for (size_t s = 0; s < control.stacks.size(); ++s)
    begin +=
        formatted("  if (trips > {}) return 1;\n", sizes_.value(result(carried + s).dims[static_cast<size_t>(control.stacks[s].axis)]));
  std::string places;
  for (size_t k = 0; k < carried; ++k) {
    const Carried& c = values[k];
    const std::string copy = formatted("step(n, {}_copy, NULL, T + {}, 2)", name_, c.copies);
    const std::string own =
        c.in_result ? formatted("address(n, T + {})", step.inputs + static_cast<int>(k)) : formatted("n->at[{}]", c.places[0]);
    places += formatted("  char *const a{0} = {1}, *const b{0} = n->at[{2}];\n", k, own, c.places[1]);
    // Without a condition the last iteration writes the result.
    begin += formatted("  n->at[{}] = {};\n  if ({}) return 1;\n", c.now,
                       first > 0 ? formatted("a{}", k) : formatted("trips % 2 == 0 ? a{0} : b{0}", k), copy);
    end += formatted("  n->at[{}] = i % 2 == odd ? b{} : a{};\n", c.now, k, k);
    const std::string back = formatted("step(n, {}_copy, NULL, T + {}, 2)", name_, c.copies + 1);
    end += c.in_result ? formatted("  if (n->at[{}] != a{} && {}) return 1;\n", c.now, k, back) : formatted("  if ({}) return 1;\n", back);
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (buffers[i] < 0) continue;
    const int index = from.inputs[i].index;
    switch (from.inputs[i].from) {
      case From::operand: begin += formatted("  n->at[{}] = address(n, T + {});\n", buffers[i], index); break;
      case From::iteration: begin += formatted("  n->at[{}] = (char *)&i;\n", buffers[i]); break;
      case From::carried: each += formatted("    n->at[{0}] = i % 2 == odd ? b{1} : a{1};\n", buffers[i], index); break;
      case From::slice: {
        const Control::Slice& s = control.slices[static_cast<size_t>(index)];
        each += formatted("    n->at[{}] = address(n, T + {}) + {} * {};\n", buffers[i], s.operand, s.reverse ? "(trips - 1 - i)" : "i",
                          bytes(call.operands[static_cast<size_t>(s.operand)], s.axis));
        break;
      }
    }
  }
  const auto to = [&](size_t output) { return buffers[inputs.size() + output]; };
  if (first > 0) begin += formatted("  n->at[{}] = &again;\n", to(0));
  for (size_t k = 0; k < carried; ++k) each += formatted("    n->at[{0}] = i % 2 == odd ? a{1} : b{1};\n", to(first + k), k);
  for (size_t s = 0; s < control.stacks.size(); ++s)
    each +=
        formatted("    n->at[{}] = address(n, T + {}) + {} * {};\n", to(first + carried + s), step.inputs + static_cast<int>(carried + s),
                  control.stacks[s].reverse ? "(trips - 1 - i)" : "i", bytes(result(carried + s), control.stacks[s].axis));

  call.label = step.label;
  call.function = formatted("loop_{}", number);
  if (carried > 0) call.kernel = "copy";
  const bool uses_sizes = (begin + each).find("s[") != std::string::npos;
  flow.text = formatted(
      "/* {} */\nstatic int {}(network *n) {{\n  enum {{ T = @T@ }}; /* its tensors */\n{}{}  int64_t trips = INT64_MAX, i = 0;\n{}{}{}  "
      "for (; i < trips{}; "
      "++i) {{\n{}    if (body_{}(n)) return 1;\n  }}\n{}  return 0;\n}}\n\n",
      comment(step.label), call.function, uses_sizes ? "  const int64_t *const s = n->s;\n" : "", places,
      first > 0 ? "  char again = 1;\n" : "", begin,
      carried > 0 ? (first > 0 ? "  const int64_t odd = 1;\n" : "  const int64_t odd = 1 - trips % 2;\n") : "",
      first > 0 ? " && again != 0" : "", each, flow.bodies[0], end);
  flow.call = calls_.size();
  flows_[number] = std::move(flow);
  blocks_[block].flows.push_back(number);
  add_call(block, std::move(call));
}

}  // namespace anydim_cli::exporting
