// SPDX-License-Identifier: Apache-2.0
// `anydim cache ls | verify | export | import | clear | path`: what the persistent cache holds, and what to do with it.
#include <CLI/CLI.hpp>
#include <ctime>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/print.h"
#include "cli/table.h"

namespace anydim_cli {

namespace {

using Json = nlohmann::ordered_json;

Json query(anydim_status_t (*question)(anydim_text_t*)) {
  Text text;
  check(question(text.out()));
  return Json::parse(text_of(text));
}

// Paths need not be UTF-8.
std::string text_of_json(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace); }

std::string day_text(int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  char text[32];
  if (seconds <= 0 || gmtime_r(&time, &parts) == nullptr) return "-";
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", &parts);
  return text;
}

void list(const CacheOptions& options) {
  const Json json = query([](anydim_text_t* out) { return anydim_persistent_cache_describe(out); });
  if (options.json) {
    print("{}\n", text_of_json(json));
    return;
  }
  if (!json["enabled"].get<bool>()) {
    print("the persistent cache is off: {}\n", json["off_because"].get<std::string>());
    return;
  }
  print("{}\n  {} of at most {}\n", json["path"].get<std::string>(), bytes_text(json["file_bytes"].get<int64_t>()),
        bytes_text(json["limit_bytes"].get<int64_t>()));
  Table table({"kind", "bytes", "made (UTC)", "used", "by", "where", "key"});
  int64_t shown = 0, damaged = 0;
  for (const Json& record : json["records"]) {
    const std::string kind = record["kind"].get<std::string>();
    if (!options.kind.empty() && kind != options.kind) continue;
    ++shown;
    if (!record["good"].get<bool>()) {
      ++damaged;
      continue;
    }
    table.row({kind, bytes_text(record["bytes"].get<int64_t>()), day_text(record["created"].get<int64_t>()),
               day_text(record["used"].get<int64_t>()), record["origin"].get<std::string>(),
               record["system"].get<bool>() ? "system" : "user", record["key"].get<std::string>()});
  }
  if (shown == 0) {
    print("  no records{}\n", options.kind.empty() ? "" : " of kind " + options.kind);
    return;
  }
  print("\n{}", table.text());
  if (damaged > 0) print("\n{} damaged records are not shown and never used; the next write removes them\n", damaged);
}

int verify(const CacheOptions& options) {
  const Json json = query([](anydim_text_t* out) { return anydim_persistent_cache_verify(out); });
  if (options.json) print("{}\n", text_of_json(json));
  else
    print("records {}, damaged {}\nuser's file: {}\nsystem's file: {}\n{}\n", json["records"].get<int64_t>(),
          json["damaged"].get<int64_t>(), json["structure"].get<std::string>(), json["system_structure"].get<std::string>(),
          json["ok"].get<bool>() ? "all sound" : "damage found: nothing of it is used; `anydim cache clear` starts afresh");
  return json["ok"].get<bool>() ? 0 : 1;
}

}  // namespace

int cache(const CacheOptions& options) {
  int64_t records = 0, damaged = 0;
  Json result;
  std::string sentence;
  switch (options.action) {
    case CacheOptions::Action::list: list(options); return 0;
    case CacheOptions::Action::verify: return verify(options);
    case CacheOptions::Action::path: {
      Text text;
      check(anydim_persistent_cache_get_path(text.out()));
      result = {{"path", text_of(text)}};
      sentence = text_of(text);
      break;
    }
    case CacheOptions::Action::export_to:
      check(anydim_persistent_cache_export(options.file.c_str(), &records));
      result = {{"file", options.file}, {"records", records}};
      sentence = formatted("{} records are in {}", records, options.file);
      break;
    case CacheOptions::Action::import_from:
      check(anydim_persistent_cache_import(options.file.c_str(), &records, &damaged));
      result = {{"file", options.file}, {"records", records}, {"damaged", damaged}};
      sentence = formatted("{} records came from {}; {} damaged ones were left out", records, options.file, damaged);
      break;
    case CacheOptions::Action::clear: {
      const anydim_record_kind_t kind = options.kind == "plan"     ? ANYDIM_RECORD_PLAN
                                        : options.kind == "binary" ? ANYDIM_RECORD_BINARY
                                                                   : ANYDIM_RECORD_ALL;
      check(anydim_persistent_cache_clear(kind, &records));
      result = {{"records", records}};
      sentence = formatted("{} records were removed", records);
      break;
    }
  }
  print("{}\n", options.json ? text_of_json(result) : sentence);
  return 0;
}

void add_cache_command(CLI::App& app, CacheOptions& options) {
  CLI::App* command = app.add_subcommand("cache", "the persistent cache: tuned plans and device programs, kept between processes");
  command->footer(
      "It is one file; losing it costs time and nothing else, and deleting it is always safe. Tune on one machine, use the\n"
      "result on all of its kind:\n\n"
      "  anydim cache export tuned.sqlite\n"
      "  anydim cache import tuned.sqlite                                     (another user, another machine)\n"
      "  cp tuned.sqlite /usr/share/anydim/cache/cache-1.sqlite               (all users of a machine, read-only)\n\n"
      "Variables: ANYDIM_CACHE=off, ANYDIM_CACHE_DIR (else $XDG_CACHE_HOME/anydim, else ~/.cache/anydim),\n"
      "ANYDIM_CACHE_SYSTEM_DIR, ANYDIM_CACHE_BYTES (the file's limit; the least recently used go first).");
  command->require_subcommand(1);
  using Action = CacheOptions::Action;
  const auto action = [&](const char* name, Action which, const char* what) {
    CLI::App* sub = command->add_subcommand(name, what);
    sub->callback([&options, which] {
      options.selected = true;
      options.action = which;
    });
    sub->add_flag("--json", options.json, "the result as JSON");
    return sub;
  };
  const auto kinds = CLI::IsMember({"plan", "binary"});
  action("ls", Action::list, "the records of the user's and the system's file")
      ->add_option("--kind", options.kind, "only these: plan or binary")
      ->check(kinds);
  action("verify", Action::verify, "compares every checksum and checks the files; exit status 1 if anything is damaged");
  action("export", Action::export_to, "writes the sound records into a file for other machines")
      ->add_option("FILE", options.file, "file to write; replaced if it exists")
      ->required();
  action("import", Action::import_from, "takes the records of an exported file")
      ->add_option("FILE", options.file, "file to read")
      ->required();
  action("clear", Action::clear, "removes the records of the user's file")
      ->add_option("--kind", options.kind, "only these: plan or binary")
      ->check(kinds);
  action("path", Action::path, "where the user's file is, or will be");
}

}  // namespace anydim_cli
