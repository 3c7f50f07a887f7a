// SPDX-License-Identifier: Apache-2.0
// The program `anydim`: parses the command line and runs a command (command_line.h). Exit status 1 for a failure, 2 for wrong usage.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>
#include <sstream>

#include "cli/client.h"
#include "cli/command_line.h"
#include "cli/print.h"

namespace anydim_cli {

static constexpr const char* kDescription =
    "Deep-learning models whose dims are known when they run: a shape that was never seen before is neither compiled\n"
    "for nor measured.\n\n"
    "  anydim info rec.onnx\n"
    "  anydim run rec.onnx --random x:1,3,48,320 --repeat 20\n"
    "  anydim explain rec.onnx --shape x:1,3,48,320 --against x:1,3,48,71\n"
    "  anydim bench rec.onnx --against onnxruntime\n"
    "  anydim check models/\n"
    "  anydim kernels matmul\n"
    "  anydim cache ls\n"
    "  ANYDIM_VERBOSE=1 ANYDIM_VERBOSE_FILE=log.txt anydim run rec.onnx --random x:1,3,48,320; anydim replay log.txt\n\n"
    "Variables: ANYDIM_LOG (none, error, warning, info, debug), ANYDIM_MAX_ISA (portable, avx2, avx512), ANYDIM_VERBOSE (0, 1, 2),\n"
    "ANYDIM_VERBOSE_FILE, ANYDIM_TRACE (a file for Perfetto).";

// "info, run or explain".
static std::string commands_of(const CLI::App& app) {
  std::string text;
  const auto all = app.get_subcommands([](const CLI::App*) { return true; });
  for (size_t i = 0; i < all.size(); ++i) text += formatted("{}{}", i == 0 ? "" : i + 1 < all.size() ? ", " : " or ", all[i]->get_name());
  return text;
}

// Of one message, in bytes: what it quotes is shorter, and a list of names may be long.
static constexpr size_t kLongestMessage = 2000;

static bool is_command(const CLI::App& app, const std::string& word) {
  return !app.get_subcommands([&word](const CLI::App* command) { return command->get_name() == word; }).empty();
}

// Help, the version, or what is wrong with the command line. The exit status.
static int end_of_parsing(const CLI::App& app, const CLI::ParseError& e) {
  // Help and the version are output like any other: a full disk must not pass for success.
  std::ostringstream out, words;
  const int status = app.exit(e, out, words) == 0 ? 0 : 2;
  std::fputs(shown(words.str(), kLongestMessage).c_str(), stderr);
  try {
    print("{}", out.str());
    flush_output();
  } catch (const Failure& f) {
    std::fprintf(stderr, "anydim: %s\n", f.what());
    return 1;
  }
  return status;
}

}  // namespace anydim_cli

int main(int argc, char** argv) {
  using namespace anydim_cli;
  CLI::App app{kDescription};
  app.require_subcommand(1);
  app.set_version_flag("--version", std::string("anydim ") + anydim_version());
  CommandLine commands(app);
  if (argc > 1 && argv[1][0] != '-' && !is_command(app, argv[1])) {
    std::fprintf(stderr, "anydim: '%s' is no command; expected %s (anydim --help)\n", shown(argv[1]).c_str(), commands_of(app).c_str());
    return 2;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return end_of_parsing(app, e);
  }
  try {
    return commands.run();
  } catch (const Failure& e) {
    std::fprintf(stderr, "anydim: %s\n", shown(e.what(), kLongestMessage).c_str());
    return 1;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "anydim: memory could not be allocated\n");
    return 1;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "anydim: unexpected: %s\n", shown(e.what(), kLongestMessage).c_str());
    return 1;
  }
}
