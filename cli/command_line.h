// SPDX-License-Identifier: Apache-2.0
// The commands that the program has, with their options: a member each, filled in when CLI11 has parsed the command line.
#pragma once

#include "cli/commands.h"
#include "cli/export/export.h"

namespace anydim_cli {

class CommandLine {
 public:
  // Adds the commands to the program, which has to outlive this.
  explicit CommandLine(CLI::App& app);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  // After parsing: does what was asked for. The exit status; throws Failure.
  int run();

 private:
  CLI::App* add_info();
  CLI::App* add_run();
  CLI::App* add_pack();
  CLI::App* add_export();
  CLI::App* add_shapes(const char* name, const char* description, ShapesOptions& options);
  CLI::App* add_tune();
  CLI::App* add_stats();
  CLI::App* add_explain();
  CLI::App* add_check();
  CLI::App* add_kernels();
  void add_opencl();
  CLI::App* add_engine_check();
  CLI::App* add_replay();

  CLI::App& app_;
  InfoOptions info_;
  RunOptions run_;
  PackOptions pack_;
  ExportOptions export_;
  ShapesOptions tune_, stats_;
  ExplainOptions explain_;
  CheckOptions check_;
  KernelsOptions kernels_;
  PythonCommand bench_, compare_;
  CacheOptions cache_;
  OpenclOptions opencl_;
  EngineCheckOptions engine_check_;
  ReplayOptions replay_;
  PagesOptions pages_;
  // In the order of the help.
  CLI::App *info_command_, *run_command_, *pack_command_, *export_command_, *tune_command_, *stats_command_, *explain_command_,
      *check_command_, *kernels_command_, *engine_check_command_, *replay_command_;
};

}  // namespace anydim_cli
