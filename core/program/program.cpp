// SPDX-License-Identifier: Apache-2.0
// What can be asked of a program as a whole; see program.h.
#include "core/program/program.h"

namespace anydim {

int32_t count_steps(const Program& p) {
  auto count = static_cast<int32_t>(p.steps.size());
  for (const Control& c : p.controls)
    for (const Body& b : c.bodies) count += count_steps(*b.program);
  return count;
}

std::vector<Dim> dims_of_runs(const Program& p) {
  std::vector<Dim> all;
  const auto add = [&](const SymDims& dims) { all.insert(all.end(), dims.begin(), dims.end()); };
  for (const Program::IoSpec& e : p.inputs) add(e.dims);
  for (const Program::IoSpec& e : p.outputs) {
    add(e.dims);
    all.push_back(e.rank);
  }
  for (const Program::Tensor& t : p.tensors) {
    add(t.dims);
    add(t.strides);
    all.push_back(t.offset);
  }
  for (const Program::Step& s : p.steps) all.insert(all.end(), s.dim_attributes.begin(), s.dim_attributes.end());
  for (const Program::Buffer& b : p.buffers) all.push_back(b.elements);
  for (const Program::Stage& s : p.stages) {
    for (const Program::Guard& g : s.guards) all.push_back(g.condition);
    for (const Program::SizeRead& r : s.reads) all.push_back(r.most);
  }
  return all;
}

void write_code(Program* p) {
  std::vector<std::vector<Dim>> roots(p->stages.size());
  for (Dim d : dims_of_runs(*p)) roots[static_cast<size_t>(p->stage_of(d))].push_back(d);
  for (size_t s = 0; s < roots.size(); ++s) p->stages[s].code = SlotProgram(p->dims, roots[s]);
}

}  // namespace anydim
