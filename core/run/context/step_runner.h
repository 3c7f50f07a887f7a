// SPDX-License-Identifier: Apache-2.0
// Runs the steps of a bound program in their order: kernels of the host at once, branches and loops, transfers, and what goes to the
// streams of devices. Times and reports them where that is asked for.
#pragma once

#include <memory>
#include <vector>

#include "core/kernels/append/undo_journal.h"
#include "core/run/context/shape_binding.h"
#include "core/run/context/stop.h"

namespace anydim {

class DevicePlaces;

class StepRunner {
 public:
  StepRunner(const Program& program, const ShapeBinding& binding, const Parallel& parallel,
             const std::vector<std::unique_ptr<ControlRun>>& controls)
      : program_(program), binding_(binding), parallel_(parallel), controls_(controls), nanoseconds_(program.steps.size(), -1) {}

  // Those of a stage. `places`: where inputs and outputs of this run lie on devices; null: all are the host's.
  Status run(const Program::Stage& stage, DevicePlaces* places);

  int64_t nanoseconds(size_t step) const noexcept { return nanoseconds_[step]; }  // of the last run that was profiled; -1: none

  DeviceContext* devices = nullptr;  // null: all steps are the host's
  Stop* stop = nullptr;              // says whether to end with `cancelled`; of a body that of the run around it
  bool profiling = false;
  bool observed = false;  // each step is reported
  UndoJournal journal;

 private:
  Status run_elsewhere(size_t step, DevicePlaces* places);
  Status run_control(size_t step);
  Status transfer(size_t step, DevicePlaces* places);
  Status finish_step(size_t step, int64_t start);

  const Program& program_;
  const ShapeBinding& binding_;
  const Parallel parallel_;
  const std::vector<std::unique_ptr<ControlRun>>& controls_;
  std::vector<int64_t> nanoseconds_;
};

}  // namespace anydim
