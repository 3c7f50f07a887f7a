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
void Writer::match(size_t block, const std::vector<Dim>& a, const std::vector<Dim>& b, const std::string& label, const std::string& what) {
  if (a.size() != b.size()) throw Unsupported(formatted("{} of rank {} and {}", what, a.size(), b.size()));
  for (size_t i = 0; i < a.size(); ++i) {
    const Dim same = p_.make(SizeOp::equal, a[i], b[i]);
    if (p_.least(same) >= 1) continue;
    if (block == 0) p_.guards.push_back({same, label, formatted("dim {} of {} keeps its size", i, what)});
    else blocks_[block].checks.push_back({{same, label, formatted("dim {} of {} keeps its size", i, what)}, 0, {}});
  }
}

size_t Writer::begin_block(std::string label) {
  blocks_.emplace_back().label = std::move(label);
  return blocks_.size() - 1;
}

// What the inputs of a body say of its symbols; whatever else they say has to hold.
void Writer::give_inputs(Merge& merge, Part* part) {
  std::vector<std::pair<Dim, Dim>> agree;  // inner, outer
  for (size_t i = 0; i < part->inputs.size(); ++i) {
    const Edge& e = part->inner->inputs[i];
    const View& v = part->inputs[i];
    if (e.dims.size() != v.dims.size()) throw Unsupported(formatted("'{}' has several ranks", e.name));
    for (size_t d = 0; d < e.dims.size(); ++d) {
      if (!merge.give(e.dims[d], v.dims[d])) agree.emplace_back(e.dims[d], v.dims[d]);
      if (!merge.give(e.strides[d], v.strides[d]) && p_.folded(v.dims[d]) != Dim{1, -1}) agree.emplace_back(e.strides[d], v.strides[d]);
    }
  }
  std::vector<Dim> a, b;
  for (const auto& [in, out] : agree) a.push_back(merge.dim(in)), b.push_back(out);
  match(part->block, a, b, part->label, "what its body reads");
}

// Buffers, tensors and places of a body, and who reads its inputs.
void Writer::add_memory(Merge& merge, Part* part) {
  const Program& inner = *part->inner;
  merge.add_buffers();
  merge.add_tensors();
  Block& made = blocks_[part->block];
  for (const Guard& g : inner.guards)
    if (const Dim condition = merge.dim(g.condition); p_.least(condition) < 1)
      made.checks.push_back({{condition, g.step, g.message}, 0, {}});
  for (const Place& place : inner.places) {
    std::vector<int> above;
    for (const int k : place.above) above.push_back(k + merge.first_buffer());
    if (above.empty()) above.push_back(part->base);
    made.placed.push_back(place.buffer + merge.first_buffer());
    p_.places.push_back({made.placed.back(), std::move(above)});
  }
  part->input_buffers.assign(part->inputs.size(), -1);
  for (size_t k = 0; k < inner.buffers.size(); ++k) {
    const Buffer& buffer = inner.buffers[k];
    if (buffer.kind == Buffer::Kind::result) throw Unsupported("a result within it has a size that only its run finds");
    if (buffer.kind == Buffer::Kind::input)
      part->input_buffers[static_cast<size_t>(buffer.index)] = static_cast<int>(k) + merge.first_buffer();
  }
  for (const Part::Found& f : part->found) {
    const std::string from = f.read ? f.read(*part) : f.text;
    made.elements.emplace_back(merge.dim(f.symbol).size, from);
  }
}

// Output i is written where it is to be, or copied there at the end; the buffer that stands for that place.
int Writer::connect(Merge& merge, Part* part, size_t i, std::vector<Call>* copies) {
  const Program& inner = *part->inner;
  const Tensor tensor = p_.tensors[static_cast<size_t>(inner.results[i] + merge.first_tensor())];
  const View& to = part->outputs[i];
  const Buffer* const own =
      tensor.buffer < merge.first_buffer() ? nullptr : &inner.buffers[static_cast<size_t>(tensor.buffer - merge.first_buffer())];
  const bool written = own != nullptr && own->kind == Buffer::Kind::output && own->index == static_cast<int>(i);
  match(part->block, tensor.dims, to.dims, part->label, formatted("'{}'", inner.outputs[i].name));
  if (written && same_strides(p_, tensor.dims, tensor.strides, to.strides)) return tensor.buffer;
  if (written) {
    std::vector<int> below = blocks_[part->block].placed;
    below.push_back(part->base);
    p_.buffers[static_cast<size_t>(tensor.buffer)].kind = Buffer::Kind::arena;
    p_.places.push_back({tensor.buffer, std::move(below)});
    blocks_[part->block].placed.push_back(tensor.buffer);
  }
  const int buffer = inner_buffer(tensor.dtype);
  Call copy;
  copy.kernel = "copy";
  copy.label = part->label + " gives " + inner.outputs[i].name;
  const Operand source = operand_of(p_, weights_, tensor);
  Operand target = source;
  target.from = Operand::From::buffer;
  target.buffer = buffer;
  target.offset = {};
  target.strides = to.strides;
  copy.operands = {source, target};
  copies->push_back(std::move(copy));
  return buffer;
}

int Writer::inner_buffer(const std::string& dtype) {
  p_.buffers.push_back({Buffer::Kind::inner, 0, dtype, {}});
  return static_cast<int>(p_.buffers.size()) - 1;
}

// The rest of a block: all that merge.h says, behind what was given and found.
void Writer::finish_block(Merge& merge, Part* part) {
  add_memory(merge, part);
  std::vector<Call> copies;
  for (size_t i = 0; i < part->outputs.size(); ++i) part->output_buffers.push_back(connect(merge, part, i, &copies));
  if (blocks_[part->block].placed.empty()) blocks_[part->block].placed.push_back(part->base);
  translate_block(part->block, merge.steps());
  for (Call& c : copies) add_call(part->block, std::move(c));
}

// A block with the steps of a body of a branch or loop.
Writer::Part Writer::add_body(const Step& step, size_t index, int base, std::vector<View> inputs, std::vector<View> outputs) {
  const Control& control = *step.control;
  const Control::Body& from = control.bodies[index];
  const Program& inner = *from.program;
  if (inner.stages > 1) throw Unsupported("sizes within it that follow from data");
  Part part;
  part.inner = &inner;
  part.label = step.label;
  part.base = base;
  part.inputs = std::move(inputs);
  part.outputs = std::move(outputs);
  part.block = begin_block(step.label + (control.kind == "loop" ? ", an iteration" : index == 0 ? ", if so" : ", if not"));
  Merge merge(p_, inner, static_cast<int>(part.block));
  for (size_t i = 0; i < inner.parameters.size(); ++i)
    merge.give(inner.parameters[i], step.parameters[static_cast<size_t>(from.parameters[i])]);
  for (const InputElement& e : inner.input_elements) {
    const bool counts = from.inputs[static_cast<size_t>(e.input)].from == Control::Body::Input::From::iteration;
    const Edge& edge = inner.inputs[static_cast<size_t>(e.input)];
    if (edge.dims.size() > 1 && e.element > 0) throw Unsupported(formatted("sizes that follow from elements of '{}'", edge.name));
    part.found.push_back(
        {e.symbol, counts ? 0 : INT64_MIN, counts ? p_.most(control.most_iterations) - 1 : INT64_MAX, {}, [&, e](const Part& p) {
           const int bytes = dtype_bytes(inner.inputs[static_cast<size_t>(e.input)].dtype);
           const auto i = static_cast<size_t>(e.input);
           const Dim at = e.element == 0 ? Dim{0, -1} : p_.mul({e.element * bytes, -1}, p.inputs[i].strides[0]);
           return formatted("whole(n->at[{}] + {}, {})", p.input_buffers[i], sizes_.value(at), bytes);
         }});
    reads_elements_ = true;
  }
  for (const Part::Found& f : part.found) merge.found(f.symbol, f.least, f.most);
  give_inputs(merge, &part);
  finish_block(merge, &part);
  for (Part::Found& f : part.found) f.read = nullptr;
  return part;
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
    for (const Control::Body::Input& i : control.bodies[b].inputs) inputs.push_back(view_of(call.operands[static_cast<size_t>(i.index)]));
    const Part part = add_body(step, b, base, inputs, outputs);
    flow.bodies.push_back(part.block);
    const std::string indent(b == 0 ? 4 : 2, ' ');
    const auto set = [&](int buffer, int operand) {
      if (buffer >= 0) cases[b] += formatted("{}n->at[{}] = address(n, T + {});\n", indent, buffer, operand);
    };
    for (size_t i = 0; i < inputs.size(); ++i) set(part.input_buffers[i], control.bodies[b].inputs[i].index);
    for (size_t i = 0; i < outputs.size(); ++i) set(part.output_buffers[i], step.inputs + static_cast<int>(i));
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

// C of a loop: what happens before its iterations, in each, and behind them.
class Writer::LoopText {
 public:
  LoopText(Writer& w, size_t block, const Step& step)
      : w_(w),
        step_(step),
        control_(*step.control),
        block_(block),
        carried_(control_.initial.size()),
        first_(control_.has_condition ? 1 : 0) {
    for (const int t : step.operands)
      call_.operands.push_back(t < 0 ? Operand() : operand_of(w.p_, w.weights_, w.p_.tensors[static_cast<size_t>(t)]));
  }

  void write() {
    const size_t number = w_.flows_.size();
    w_.flows_.emplace_back();
    int base = w_.level_above(block_);
    for (size_t k = 0; k < carried_; ++k) base = add_carried(k, base);
    part_ = w_.add_body(step_, 0, base, inputs(), outputs());
    count();
    for (size_t k = 0; k < carried_; ++k) carry(k);
    for (size_t i = 0; i < part_.inputs.size(); ++i)
      if (part_.input_buffers[i] >= 0) set_input(i);
    set_outputs();
    call_.label = step_.label;
    call_.function = formatted("loop_{}", number);
    if (carried_ > 0) call_.kernel = "copy";
    w_.flows_[number] = {text(), w_.calls_.size(), {part_.block}};
    w_.blocks_[block_].flows.push_back(number);
    w_.add_call(block_, std::move(call_));
  }

 private:
  using From = Control::Body::Input::From;
  // Two places, dense; the result is one of them where it is dense.
  struct Carried {
    View view;
    bool in_result = false;
    int places[2] = {-1, -1}, now = -1;  // now: the buffer that is set to the one that is read
    int copies = 0;                      // operands: the initial value, what is read, the result
  };

  const Operand& operand(int i) const { return call_.operands[static_cast<size_t>(i)]; }
  const Operand& result(size_t i) const { return call_.operands[static_cast<size_t>(step_.inputs) + i]; }
  const Operand& stacked(size_t s) const { return result(carried_ + s); }

  int add_carried(size_t k, int base) {
    Carried& c = values_.emplace_back();
    const Operand to = result(k), initial = operand(control_.initial[k]);
    c.view = {to.dims, w_.p_.dense_strides(to.dims)};
    c.in_result = same_strides(w_.p_, to.dims, to.strides, c.view.strides);
    Dim elements{1, -1};
    for (const Dim d : to.dims) elements = w_.p_.mul(elements, d);
    for (int place = c.in_result ? 1 : 0; place < 2; ++place)
      base = c.places[place] = w_.place_above(to.dtype, w_.bounded(elements), {base});
    c.now = w_.inner_buffer(to.dtype);
    w_.match(block_, initial.dims, to.dims, step_.label, formatted("carried value {}", k));
    c.copies = static_cast<int>(call_.operands.size());
    Operand now = to;
    now.from = Operand::From::buffer;
    now.buffer = c.now;
    now.offset = {};
    now.strides = c.view.strides;
    call_.operands.insert(call_.operands.end(), {initial, now, to});
    return base;
  }

  std::vector<View> inputs() const {
    std::vector<View> views;
    const Control::Body& from = control_.bodies[0];
    for (size_t i = 0; i < from.inputs.size(); ++i) {
      const auto index = static_cast<size_t>(from.inputs[i].index);
      switch (from.inputs[i].from) {
        case From::operand: views.push_back(view_of(call_.operands[index])); break;
        case From::iteration: views.push_back(of_one(from.program->inputs[i].dims.size())); break;
        case From::carried: views.push_back(values_[index].view); break;
        case From::slice:
          views.push_back(without_axis(view_of(operand(control_.slices[index].operand)), control_.slices[index].axis));
          break;
      }
    }
    return views;
  }
  std::vector<View> outputs() const {
    std::vector<View> views;
    if (first_ > 0) views.push_back(of_one(control_.bodies[0].program->outputs[0].dims.size()));
    for (const Carried& c : values_) views.push_back(c.view);
    for (size_t s = 0; s < control_.stacks.size(); ++s) views.push_back(without_axis(view_of(stacked(s)), control_.stacks[s].axis));
    return views;
  }

  std::string length(const Operand& o, int axis) const { return w_.sizes_.value(o.dims[static_cast<size_t>(axis)]); }
  // The address of an operand's part of iteration i.
  std::string part_of(int operand, int axis, bool reverse) const {
    const Operand& o = this->operand(operand);
    return formatted("address(n, T + {}) + {} * {} * {}", operand, reverse ? "(trips - 1 - i)" : "i",
                     w_.sizes_.value(o.strides[static_cast<size_t>(axis)]), dtype_bytes(o.dtype));
  }

  void count() {
    if (control_.count >= 0)
      begin_ += formatted("  memcpy(&trips, address(n, T + {}), sizeof trips);\n  if (trips < 0) trips = 0;\n", control_.count);
    for (size_t k = 0; k < control_.slices.size(); ++k) {
      const std::string all = length(operand(control_.slices[k].operand), control_.slices[k].axis);
      begin_ += k == 0 ? formatted("  trips = {};\n", all) : formatted("  if (trips != {}) return 1;\n", all);
    }
    if (control_.condition >= 0) begin_ += formatted("  if (*address(n, T + {}) == 0) trips = 0;\n", control_.condition);
    for (size_t s = 0; s < control_.stacks.size(); ++s)
      begin_ += formatted("  if (trips > {}) return 1;\n", length(stacked(s), control_.stacks[s].axis));
    if (carried_ > 0) begin_ += formatted("  odd = {};\n", first_ > 0 ? "1" : "1 - trips % 2");
  }

  // The initial value goes where the first iteration reads it; without a condition the last one writes the result.
  void carry(size_t k) {
    const Carried& c = values_[k];
    const std::string copy = formatted("step(n, {}_copy, NULL, T + {}, 2)", w_.name_, c.copies),
                      back = formatted("step(n, {}_copy, NULL, T + {}, 2)", w_.name_, c.copies + 1),
                      own = c.in_result ? formatted("address(n, T + {})", step_.inputs + static_cast<int>(k))
                                        : formatted("n->at[{}]", c.places[0]);
    places_ += formatted("  char *const a{0} = {1}, *const b{0} = n->at[{2}];\n", k, own, c.places[1]);
    begin_ += formatted("  n->at[{0}] = odd == 0 ? b{1} : a{1};\n  if ({2}) return 1;\n", c.now, k, copy);
    end_ += formatted("  n->at[{0}] = i % 2 == odd ? b{1} : a{1};\n", c.now, k);
    end_ += c.in_result ? formatted("  if (n->at[{}] != a{} && {}) return 1;\n", c.now, k, back) : formatted("  if ({}) return 1;\n", back);
  }

  void set_input(size_t i) {
    const Control::Body::Input& from = control_.bodies[0].inputs[i];
    const int buffer = part_.input_buffers[i];
    switch (from.from) {
      case From::operand: begin_ += formatted("  n->at[{}] = address(n, T + {});\n", buffer, from.index); break;
      case From::iteration: begin_ += formatted("  n->at[{}] = (char *)&i;\n", buffer); break;
      case From::carried: each_ += formatted("    n->at[{0}] = i % 2 == odd ? b{1} : a{1};\n", buffer, from.index); break;
      case From::slice: {
        const Control::Slice& s = control_.slices[static_cast<size_t>(from.index)];
        each_ += formatted("    n->at[{}] = {};\n", buffer, part_of(s.operand, s.axis, s.reverse));
        break;
      }
    }
  }
  void set_outputs() {
    const std::vector<int>& to = part_.output_buffers;
    if (first_ > 0) begin_ += formatted("  n->at[{}] = &again;\n", to[0]);
    for (size_t k = 0; k < carried_; ++k) each_ += formatted("    n->at[{0}] = i % 2 == odd ? a{1} : b{1};\n", to[first_ + k], k);
    for (size_t s = 0; s < control_.stacks.size(); ++s)
      each_ += formatted("    n->at[{}] = {};\n", to[first_ + carried_ + s],
                         part_of(step_.inputs + static_cast<int>(carried_ + s), control_.stacks[s].axis, control_.stacks[s].reverse));
  }

  std::string text() const {
    const bool sizes = (begin_ + each_).find("s[") != std::string::npos;
    return formatted(
        "/* {} */\nstatic int {}(network *n) {{\n  enum {{ T = @T@ }}; /* its tensors */\n{}{}  int64_t trips = INT64_MAX, i = 0{};\n{}{}  "
        "for (; i < trips{}; ++i) {{\n{}    if (body_{}(n)) return 1;\n  }}\n{}  return 0;\n}}\n\n",
        comment(step_.label), call_.function, sizes ? "  const int64_t *const s = n->s;\n" : "", places_, carried_ > 0 ? ", odd" : "",
        first_ > 0 ? "  char again = 1;\n" : "", begin_, first_ > 0 ? " && again != 0" : "", each_, part_.block, end_);
  }

  Writer& w_;
  const Step& step_;
  const Control& control_;
  const size_t block_, carried_, first_;
  Call call_;
  std::vector<Carried> values_;
  Part part_;
  std::string places_, begin_, each_, end_;
};

void Writer::add_loop(size_t block, const Step& step) { LoopText(*this, block, step).write(); }

}  // namespace anydim_cli::exporting
