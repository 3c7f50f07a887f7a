// SPDX-License-Identifier: Apache-2.0
// `anydim completion SHELL` and `anydim man`: completion and the manual page, from the description of the commands that --help uses.
#include <CLI/CLI.hpp>
#include <algorithm>

#include "anydim/anydim.h"
#include "cli/commands.h"
#include "cli/print.h"

namespace anydim_cli {

namespace {

std::string option_names(const CLI::Option* o, const char* between) {
  std::string text;
  for (const std::string& s : o->get_snames()) text += (text.empty() ? "-" : between + std::string("-")) + s;
  for (const std::string& l : o->get_lnames()) text += (text.empty() ? "--" : between + std::string("--")) + l;
  return text;
}
bool takes_value(const CLI::Option* o) { return o->get_items_expected_max() > 0; }

// {all,exact,none} as a list; none for an option whose values are open.
std::vector<std::string> choices(const CLI::Option* o) {
  const std::string type = o->get_type_name();
  const size_t begin = type.find('{'), end = type.find('}', begin);
  std::vector<std::string> words;
  if (begin == std::string::npos || end == std::string::npos) return words;
  std::string word;
  for (const char c : type.substr(begin + 1, end - begin - 1)) {
    if (c == ',') words.push_back(std::exchange(word, ""));
    else word += c;
  }
  words.push_back(word);
  return words;
}

std::string joined(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : between) + w;
  return text;
}

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, text.find('\n'));
  while (!line.empty() && (line.back() == ',' || line.back() == '.' || line.back() == ':')) line.pop_back();
  return line;
}

// In single quotation marks of a shell.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += "'\\''";
    else out += c;
  }
  return out + "'";
}

// What of the command line a word belongs to: the commands and, after one, its own commands and options.
struct Entry {
  std::string command;  // "", "info", "cache export"
  const CLI::App* app;
};
void collect(const CLI::App& app, const std::string& prefix, std::vector<Entry>* entries) {
  entries->push_back({prefix, &app});
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    collect(*sub, prefix.empty() ? sub->get_name() : prefix + " " + sub->get_name(), entries);
}
std::vector<std::string> words_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) words.push_back(sub->get_name());
  for (const CLI::Option* o : app.get_options())
    for (const std::string& l : o->get_lnames()) words.push_back("--" + l);
  return words;
}

std::string bash(const std::vector<Entry>& entries) {
  std::string cases, values;
  for (const Entry& e : entries) {
    cases += formatted("    {}) words={} ;;\n", shell_word(e.command), shell_word(joined(words_of(*e.app), " ")));
    for (const CLI::Option* o : e.app->get_options()) {
      const auto list = choices(o);
      if (list.empty()) continue;
      for (const std::string& l : o->get_lnames())
        values += formatted("    {}) COMPREPLY=($(compgen -W {} -- \"$word\")); return ;;\n", shell_word(e.command + "/--" + l),
                            shell_word(joined(list, " ")));
    }
  }
  return formatted(
      "# Completion of anydim for bash: source <(anydim completion bash), or save it as\n"
      "# ~/.local/share/bash-completion/completions/anydim\n"
      "_anydim() {{\n"
      "  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} command='' words='' w\n"
      "  for w in \"${{COMP_WORDS[@]:1:COMP_CWORD-1}}\"; do\n"
      "    case \"$command $w\" in\n{2}"
      "    esac\n"
      "  done\n"
      "  command=${{command# }}\n"
      "  case \"$command/$before\" in\n{1}  esac\n"
      "  case \"$command\" in\n{0}  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  [[ $word == -* ]] || COMPREPLY+=($(compgen -f -- \"$word\"))\n"
      "}}\n"
      "complete -o filenames -F _anydim anydim\n",
      cases, values, [&entries] {
        std::string text;
        for (const Entry& e : entries)
          if (!e.command.empty()) text += formatted("      {}) command={} ;;\n", shell_word(" " + e.command), shell_word(" " + e.command));
        return text;
      }());
}

std::string fish(const std::vector<Entry>& entries) {
  std::string text = "# Completion of anydim for fish: save it as ~/.config/fish/completions/anydim.fish\n";
  for (const Entry& e : entries) {
    std::string condition = "__fish_use_subcommand";
    if (!e.command.empty()) {
      condition.clear();
      std::stringstream parts(e.command);
      for (std::string part; parts >> part;) condition += (condition.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + part);
    }
    for (const CLI::App* sub : e.app->get_subcommands([](const CLI::App*) { return true; }))
      text += formatted("complete -c anydim -n {} -a {} -d {}\n", shell_word(condition), sub->get_name(),
                        shell_word(first_line(sub->get_description())));
    for (const CLI::Option* o : e.app->get_options())
      for (const std::string& l : o->get_lnames()) {
        const auto list = choices(o);
        text +=
            formatted("complete -c anydim -n {} -l {}{}{} -d {}\n", shell_word(condition), l, takes_value(o) ? " -r" : "",
                      list.empty() ? std::string() : " -fa " + shell_word(joined(list, " ")), shell_word(first_line(o->get_description())));
      }
  }
  return text;
}

// zsh reads completions of bash.
std::string zsh(const std::vector<Entry>& entries) {
  return "#compdef anydim\n# Completion of anydim for zsh: source <(anydim completion zsh)\nautoload -U +X bashcompinit && bashcompinit\n" +
         bash(entries);
}

// Text of a page for man: its control characters escaped.
std::string roff(const std::string& text) {
  std::string out;
  bool begin = true;
  for (const char c : text) {
    if (begin && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
    begin = c == '\n';
  }
  return out;
}

// A description: paragraphs are filled; lines that begin with blanks are examples.
std::string paragraphs(const std::string& text) {
  std::string out;
  bool example = false;
  std::stringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.rfind("  ", 0) == 0;
    if (indented != example) out += indented ? ".EX\n" : ".EE\n";
    example = indented;
    out += line.empty() ? ".PP\n" : roff(line) + "\n";
  }
  return example ? out + ".EE\n" : out;
}

std::string man(const std::vector<Entry>& entries) {
  std::string text = formatted(
      ".TH ANYDIM 1 \"\" \"anydim {}\" \"User Commands\"\n.SH NAME\nanydim \\- runs and examines ONNX models whose dims are known when "
      "they run\n"
      ".SH SYNOPSIS\n.B anydim\n.I COMMAND\n[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n",
      anydim_version());
  text += paragraphs(entries[0].app->get_description());
  text += ".SH COMMANDS\n";
  for (const Entry& e : entries) {
    if (e.command.empty()) continue;
    std::string arguments;
    for (const CLI::Option* o : e.app->get_options())
      if (o->get_positional()) arguments += " \\fI" + roff(o->get_name(true)) + "\\fR";
    text += formatted(".SS \"anydim {}\"\n.B anydim {}\n{}[\\fIOPTIONS\\fR]\n.PP\n", e.command, e.command,
                      arguments.empty() ? "" : arguments.substr(1) + "\n");
    text += paragraphs(e.app->get_description());
    for (const CLI::Option* o : e.app->get_options()) {
      const std::string names = option_names(o, ", ");
      const auto list = choices(o);
      text +=
          formatted(".TP\n\\fB{}\\fR{}\n", roff(names.empty() ? o->get_name(true) : names),
                    names.empty() || !takes_value(o) ? std::string() : " \\fI" + roff(list.empty() ? "VALUE" : joined(list, "|")) + "\\fR");
      text += roff(o->get_description());
      if (!o->get_default_str().empty()) text += formatted("\n(default: {})", roff(o->get_default_str()));
      text += "\n";
    }
  }
  return text + ".SH EXIT STATUS\n0: success; 1: the command failed, or found what it looks for; 2: wrong usage.\n";
}

}  // namespace

void add_pages_commands(CLI::App& app, PagesOptions& options) {
  CLI::App* completion =
      app.add_subcommand("completion", "prints the completion of this program for a shell:\n\n  source <(anydim completion bash)");
  completion->add_option("SHELL", options.shell, "bash, fish or zsh")->required()->check(CLI::IsMember({"bash", "fish", "zsh"}));
  CLI::App* page = app.add_subcommand("man", "prints the manual page of this program:\n\n  anydim man | man -l -");
  page->callback([&options] { options.man = true; });
}

bool pages(const CLI::App& app, const PagesOptions& options) {
  if (options.shell.empty() && !options.man) return false;
  std::vector<Entry> entries;
  collect(app, "", &entries);
  print("{}", options.man               ? man(entries)
              : options.shell == "bash" ? bash(entries)
              : options.shell == "fish" ? fish(entries)
                                        : zsh(entries));
  return true;
}

}  // namespace anydim_cli
