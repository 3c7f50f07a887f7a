// SPDX-License-Identifier: Apache-2.0
// When a run waits for its devices; see transfers.h.
#include "core/program/transfers.h"

#include <algorithm>

namespace anydim {

namespace {

bool to_host(const Program& p, const Program::Step& s) {
  return s.transfer() != nullptr && p.buffer(p.tensor(s.operands[0]).buffer).engine != 0;
}
bool to_device(const Program& p, const Program::Step& s) { return s.transfer() != nullptr && !to_host(p, s); }

}  // namespace

TransferWaits waits_of(const Program& p) {
  TransferWaits waits;
  waits.before_step.resize(p.steps.size());
  waits.before_stage.resize(p.stages.size());
  std::vector<int32_t> wrote(p.buffers.size(), -1);   // the transfer to the host that wrote a buffer
  std::vector<int32_t> waited(p.engines.size(), -1);  // the last one of each engine that the host waited for
  const auto unfinished = [&](int32_t tensor, std::vector<int32_t>* list) {
    if (tensor == Program::kNoTensor || p.tensor(tensor).buffer < 0) return -1;
    const int32_t step = wrote[static_cast<size_t>(p.tensor(tensor).buffer)];
    if (step < 0 || step <= waited[static_cast<size_t>(p.steps[static_cast<size_t>(step)].engine)]) return -1;
    if (std::find(list->begin(), list->end(), step) == list->end()) list->push_back(step);
    return step;
  };
  const auto host_waits = [&](std::vector<int32_t>* list) {
    std::sort(list->begin(), list->end());
    for (int32_t step : *list) waited[static_cast<size_t>(p.steps[static_cast<size_t>(step)].engine)] = step;
  };
  for (size_t stage = 0; stage < p.stages.size(); ++stage) {
    std::vector<int32_t>& before = waits.before_stage[stage];
    for (const Program::SizeRead& r : p.stages[stage].reads) unfinished(r.tensor, &before);
    host_waits(&before);
    for (int32_t i = p.stages[stage].first; i < p.stages[stage].last; ++i) {
      const Program::Step& s = p.steps[static_cast<size_t>(i)];
      std::vector<int32_t>& list = waits.before_step[static_cast<size_t>(i)];
      if (to_device(p, s)) {
        unfinished(s.operands[0], &list);
      } else if (to_host(p, s)) {
        wrote[static_cast<size_t>(p.tensor(s.operands[1]).buffer)] = i;
      } else if (s.engine == 0) {
        for (int32_t t : s.operands) unfinished(t, &list);
        host_waits(&list);
      }
    }
  }
  return waits;
}

void keep_results(Program* p) {
  p->device_results.assign(p->results.size(), Program::kNoTensor);
  for (const Program::Step& s : p->steps) {
    if (!to_host(*p, s)) continue;
    for (size_t o = 0; o < p->results.size(); ++o) {
      if (p->results[o] != s.operands[1]) continue;
      p->device_results[o] = s.operands[0];
      BufferLifetime& life = p->buffers[static_cast<size_t>(p->tensor(s.operands[0]).buffer)].lifetime;
      life.last = static_cast<int32_t>(p->steps.size()) - 1;
    }
  }
}

void keep_sources(Program* p) {
  const TransferWaits waits = waits_of(*p);
  const auto last = static_cast<int32_t>(p->steps.size()) - 1;
  // Has the host, before this step, waited for something that the engine was given behind step `from`?
  const auto passed = [&](const std::vector<int32_t>& list, int32_t engine, int32_t from) {
    return std::any_of(list.begin(), list.end(),
                       [&](int32_t step) { return step > from && p->steps[static_cast<size_t>(step)].engine == engine; });
  };
  for (int32_t i = 0; i <= last; ++i) {
    Program::Step& s = p->steps[static_cast<size_t>(i)];
    if (!to_device(*p, s)) continue;
    int32_t& released = std::get<Program::Step::Transfer>(s.work).released;
    released = last;
    for (int32_t later = last; later > i; --later) {
      const Program::Step& reader = p->steps[static_cast<size_t>(later)];
      if (reader.transfer() == nullptr && reader.engine == 0 && passed(waits.before_step[static_cast<size_t>(later)], s.engine, i))
        released = later - 1;
    }
    for (size_t stage = p->stages.size(); stage-- > 1;)
      if (const int32_t first = p->stages[stage].first; first > i && passed(waits.before_stage[stage], s.engine, i))
        released = std::min(released, first - 1);
    BufferLifetime& life = p->buffers[static_cast<size_t>(p->tensor(s.operands[0]).buffer)].lifetime;
    life.last = std::max(life.last, released);
  }
}

}  // namespace anydim
