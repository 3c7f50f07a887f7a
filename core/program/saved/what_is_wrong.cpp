// SPDX-License-Identifier: Apache-2.0
// Checks of a program that was read out of a file, whose writer may be anybody: what a run would look up without asking. Dims are checked
// by shape rules when primitives are made, and by the program's own guards.
#include "core/program/saved/saved_program.h"

#include "core/tensor/memory_order.h"

namespace anydim::saved {

namespace {

class Check {
 public:
  explicit Check(const Program& p) : p_(p) {}

  std::string run() {
    edges();
    stages();
    buffers();
    tensors();
    for (const Program::Step& s : p_.steps) step(s);
    for (int32_t output = 0; output < count(p_.outputs); ++output) result(output);
    return std::move(wrong_);
  }

 private:
  template <class List> static int32_t count(const List& list) { return static_cast<int32_t>(list.size()); }
  template <class List> static bool is_one(int32_t index, const List& list) { return index >= 0 && index < count(list); }
  static bool is_none_or_one(int32_t index, int32_t count) { return index >= -1 && index < count; }
  bool is_symbol(Dim d) const { return !d.is_number() && p_.dims.expr(d.expr()).op == DimOp::symbol; }
  void expect(bool holds, const char* what, std::string_view whose) {
    if (!holds && wrong_.empty()) wrong_ = formatted("{} of {} cannot be", what, whose);
  }

  void edge(const Program::IoSpec& e) {
    expect(e.dtype != DType::none, "the dtype", e.name);
    expect(e.order.empty() || is_order_of(e.order, e.dims.rank), "the order", e.name);
    expect(is_none_or_one(e.follows, count(p_.inputs)) && is_none_or_one(e.like, count(p_.inputs)), "the input", e.name);
    expect(e.dense_strides.empty() || e.dense_strides.rank == e.dims.rank, "the dense strides", e.name);
    for (const Dim d : e.dense_strides) expect(d.is_number() || is_symbol(d), "a dense stride", e.name);
    if (wrong_.empty() && e.like >= 0) {
      const Program::IoSpec& of = p_.inputs[static_cast<size_t>(e.like)];
      expect(of.dims.rank == e.dims.rank && of.dense_strides.rank == of.dims.rank && of.optional == 0 && e.optional == 0,
             "the input as which it lies", e.name);
    }
    expect(e.strides.empty() || e.strides.rank == e.dims.rank, "the strides", e.name);
    expect(e.dim_text.size() == static_cast<size_t>(e.dims.rank), "the texts of dims", e.name);
    expect(e.optional >= 0 && e.optional <= e.dims.rank, "the optional axes", e.name);
    expect(is_none_or_one(e.cache, count(p_.inputs)), "the cache", e.name);
    if (!wrong_.empty() || e.cache < 0) return;
    expect(e.cache_axis >= 0 && e.cache_axis < e.dims.rank && p_.inputs[static_cast<size_t>(e.cache)].dims.rank == e.dims.rank,
           "the axis of the cache", e.name);
    expect(is_none_or_one(e.appended_by, count(p_.steps)), "the appending step", e.name);
  }

  void edges() {
    for (const Program::IoSpec& e : p_.inputs) edge(e);
    for (const Program::IoSpec& e : p_.outputs) edge(e);
    expect(!p_.outputs.empty() && p_.output_copies.size() == p_.outputs.size() && p_.results.size() == p_.outputs.size(), "the number",
           "outputs");
    for (const Program::IoSpec& e : p_.inputs)
      for (const Dim d : e.strides) expect(d.is_number() || is_symbol(d), "a stride", e.name);
    for (const Program::InputElement& e : p_.input_elements)
      expect(is_one(e.input, p_.inputs) && e.element >= 0 && e.element < kMaxSize && is_symbol(e.symbol), "an element", "an input");
    for (const Dim d : p_.parameters) expect(is_symbol(d), "a parameter", "the program");
  }

  void stages() {
    expect(!p_.stages.empty() && (p_.slot_stages.empty() || count(p_.slot_stages) == p_.slots()), "the number", "stages");
    expect(!p_.slot_stages.empty() || p_.stages.size() <= 1, "the stages", "sizes");
    for (const int32_t stage : p_.slot_stages) expect(is_one(stage, p_.stages), "the stage", "a size");
    int32_t at = 0;
    for (const Program::Stage& s : p_.stages) {
      expect(s.first == at && s.last >= s.first && s.last <= count(p_.steps), "the steps", "a stage");
      at = s.last;
      for (const Program::SizeRead& r : s.reads) {
        expect(is_symbol(r.symbol) && r.element >= 0, "a size that is read", "a stage");
        if (r.axis < 0) {
          expect(is_one(r.tensor, p_.tensors), "the tensor of a size", "a stage");
        } else {
          expect(is_one(r.step, p_.steps) && is_one(r.tensor, p_.tensors) && wrong_.empty() && r.output >= 0 &&
                     r.output < p_.steps[static_cast<size_t>(r.step)].outputs && r.axis < p_.tensor(r.tensor).dims.rank &&
                     p_.steps[static_cast<size_t>(r.step)].control() != nullptr,
                 "the result of a size", "a stage");
        }
      }
    }
    expect(at == count(p_.steps), "the last step", "the stages");
  }

  void buffers() {
    for (const Program::Buffer& b : p_.buffers) {
      using Kind = Program::Buffer::Kind;
      const bool right = b.kind == Kind::arena   ? true
                         : b.kind == Kind::input ? is_one(b.index, p_.inputs)
                         : b.kind == Kind::output
                             ? is_one(b.index, p_.outputs)
                             : is_one(b.index, p_.steps) && b.output >= 0 && b.output < p_.steps[static_cast<size_t>(b.index)].outputs;
      expect(right && b.dtype != DType::none && is_one(b.stage, p_.stages), "a buffer", "the program");
      expect(b.lifetime.last < b.lifetime.first || (b.lifetime.first >= 0 && b.lifetime.last < count(p_.steps)), "the lifetime",
             "a buffer");
    }
  }

  void tensors() {
    for (const Program::Tensor& t : p_.tensors) {
      expect(is_none_or_one(t.buffer, count(p_.buffers)), "the buffer", t.name);
      expect(t.buffer < 0 || t.strides.rank == t.dims.rank, "the strides", t.name);
      expect(t.dtype != DType::none && (t.constant == nullptr || t.buffer < 0), "the elements", t.name);
      if (t.constant == nullptr) continue;
      expect(t.constant->dtype() == t.dtype && t.constant->dims().rank == t.dims.rank, "the constant", t.name);
      for (int a = 0; wrong_.empty() && a < t.dims.rank; ++a) expect(t.dims[a].is(t.constant->dims()[a]), "the constant's dims", t.name);
    }
  }

  // `absent`: one that is there may be left out. `packed`: its elements are in weights.
  void operand(const Program::Step& s, size_t index, const TensorType& type, bool absent, bool packed) {
    const int32_t tensor = s.operands[index];
    if (tensor < 0 || !wrong_.empty()) return expect(tensor >= 0 || type.dtype == DType::none || absent, "an absent operand", s.label);
    const Program::Tensor& t = p_.tensor(tensor);
    expect(t.dtype == type.dtype, "the dtype of an operand", s.label);
    expect(packed || t.buffer >= 0 || t.constant != nullptr, "the memory of an operand", s.label);
  }

  void step(const Program::Step& s) {
    const auto operands = static_cast<size_t>(s.inputs) + static_cast<size_t>(s.outputs) + static_cast<size_t>(s.post);
    expect(s.inputs >= 0 && s.outputs >= 0 && s.post >= 0 && operands == s.operands.size(), "the operands", s.label);
    for (const int32_t t : s.operands) expect(is_none_or_one(t, count(p_.tensors)), "an operand", s.label);
    expect(s.kernel() != nullptr ? is_one(s.kernel()->primitive, p_.primitives) : is_one(s.control()->control, p_.controls), "the work",
           s.label);
    if (!wrong_.empty()) return;
    if (s.control() != nullptr) return control(s, p_.controls[static_cast<size_t>(s.control()->control)]);
    const Primitive& p = *p_.primitive(s);
    expect(static_cast<size_t>(s.inputs) == p.in().size() && static_cast<size_t>(s.outputs) == p.out().size() &&
               static_cast<size_t>(s.post) == p.descriptors()->post_in.size() && s.dim_attributes.size() == p.op().dim_attributes().size(),
           "the number of operands", s.label);
    if (!wrong_.empty()) return;
    size_t k = 0;
    for (size_t i = 0; i < p.in().size(); ++i) operand(s, k++, p.in()[i], p.constant_operands().has(i), p.constant_operands().has(i));
    for (const TensorType& t : p.out()) operand(s, k++, t, true, false);
    for (const TensorType& t : p.descriptors()->post_in) operand(s, k++, t, false, false);
    for (size_t i = 0; wrong_.empty() && i < p.in().size() + p.out().size(); ++i) {
      const TensorType& type = i < p.in().size() ? p.in()[i] : p.out()[i - p.in().size()];
      if (s.operands[i] >= 0) expect(p_.tensor(s.operands[i]).dims.rank == type.dims.rank, "the rank of an operand", s.label);
    }
  }

  void control(const Program::Step& s, const Control& c) {
    const bool branch = c.kind == Control::Kind::branch;
    const auto has = [&](int32_t index) { return index >= 0 && index < s.inputs && s.operands[static_cast<size_t>(index)] >= 0; };
    expect(c.bodies.size() == (branch ? 2u : 1u) && c.sized_by_step.size() == static_cast<size_t>(s.outputs), "the bodies", s.label);
    expect(branch ? has(0) : (c.count < 0 || has(c.count)) && (c.condition < 0 || has(c.condition)), "the condition", s.label);
    expect(branch || c.carried() + c.stacks.size() == static_cast<size_t>(s.outputs), "the results", s.label);
    for (const int32_t operand : c.initial) expect(has(operand), "an initial value", s.label);
    for (const Control::Slice& slice : c.slices)
      expect(has(slice.operand) && slice.axis >= 0 && wrong_.empty() &&
                 slice.axis < p_.tensor(s.operands[static_cast<size_t>(slice.operand)]).dims.rank,
             "a slice", s.label);
    for (size_t i = 0; i < c.stacks.size() && wrong_.empty(); ++i) {
      const int32_t result = s.operands[static_cast<size_t>(s.inputs) + c.carried() + i];
      expect(c.stacks[i].axis >= 0 && (result < 0 || c.stacks[i].axis < p_.tensor(result).dims.rank), "a stack", s.label);
    }
    for (const Body& b : c.bodies)
      if (wrong_.empty()) body(s, c, b);
  }

  void body(const Program::Step& s, const Control& c, const Body& b) {
    const auto condition = static_cast<size_t>(c.has_condition);
    expect(b.program != nullptr && b.inputs.size() == b.program->inputs.size() && b.parameters.size() == b.program->parameters.size() &&
               b.program->outputs.size() == static_cast<size_t>(s.outputs) + condition,
           "the edges of a body", s.label);
    for (const BodyInput& input : b.inputs) {
      using From = BodyInput::From;
      const bool right = input.from == From::operand   ? input.index >= 0 && input.index < s.inputs
                         : input.from == From::carried ? is_one(input.index, c.initial)
                         : input.from == From::slice   ? is_one(input.index, c.slices)
                                                       : true;
      expect(right, "an input of a body", s.label);
    }
    for (const int32_t parameter : b.parameters) expect(is_one(parameter, s.dim_attributes), "a parameter of a body", s.label);
  }

  void result(int32_t output) {
    const Program::IoSpec& e = p_.outputs[static_cast<size_t>(output)];
    const int32_t tensor = p_.results[static_cast<size_t>(output)];
    expect(is_one(tensor, p_.tensors), "the result", e.name);
    if (!wrong_.empty()) return;
    const Program::Tensor& t = p_.tensor(tensor);
    expect(t.dtype == e.dtype && t.dims.rank == e.dims.rank && (t.buffer >= 0 || t.constant != nullptr), "the result", e.name);
    const PrimitivePtr& copy = p_.output_copies[static_cast<size_t>(output)];
    expect(copy->in().size() == 1 && copy->in()[0].dtype == e.dtype && copy->in()[0].dims.rank == e.dims.rank, "the copy", e.name);
  }

  const Program& p_;
  std::string wrong_;
};

}  // namespace

std::string what_is_wrong(const Program& program) { return Check(program).run(); }

}  // namespace anydim::saved
