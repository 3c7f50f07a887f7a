// SPDX-License-Identifier: Apache-2.0
// Works on a persistent cache in the folder ANYDIM_CACHE_DIR, for tests/persistent_cache. Every key determines its value, so that
// any reader can judge any record.
//
//   records write NAME FIRST COUNT   stores records one by one; prints each key when its store call has returned
//   records check                    reads keys, one a line; prints what is missing and any record whose value is wrong
//   records flips FILE PHASE STEP    for every STEPth byte of FILE from PHASE: flips it and looks for missing, wrong, crashes
#include <unistd.h>

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "core/dispatch/caches/persistent_cache.h"

using namespace anydim;

namespace {

// 0 to 6,000 bytes that follow from the key: some fit the index, some do not.
std::string value_of(const std::string& key) {
  uint64_t state = 1469598103934665603u;
  const auto next = [&state](unsigned char byte) { return state = (state ^ byte) * 1099511628211u; };
  for (const char c : key) next(static_cast<unsigned char>(c));
  const size_t length = (next(1) >> 20) % (key.back() == '7' ? 6000 : 300);
  std::string value(length, '\0');
  for (char& c : value) c = static_cast<char>(next(2) >> 33);
  return value;
}

PersistentCacheOptions options_here() {
  auto options = PersistentCacheOptions::from_environment();
  options.longest_in_memory = 1000;
  return options;
}

RecordKind kind_of(const std::string& key) { return key.back() == '7' ? RecordKind::binary : RecordKind::plan; }

int write_records(const std::string& name, int first, int count) {
  PersistentCache cache(options_here());
  int failures = 0;
  for (int i = first; i < first + count; ++i) {
    const std::string key = name + "/" + std::to_string(i);
    const PersistentCache::Pair pair{kind_of(key), key, value_of(key)};
    const Status stored = cache.store({&pair, 1}, 60'000);
    failures += !stored.ok();
    // One write call a line: a killed process leaves no half of one.
    const std::string line = stored.ok() ? key + "\n" : "! " + stored.message() + "\n";
    if (::write(1, line.data(), line.size()) != static_cast<ssize_t>(line.size())) return 2;
  }
  return failures == 0 ? 0 : 1;
}

// The number of records that were served and are not what their keys say.
int wrong_records(PersistentCache& cache, const std::vector<std::string>& keys, int* missing) {
  int wrong = 0;
  *missing = 0;
  for (const std::string& key : keys) {
    const std::string expected = value_of(key);
    if (const auto value = cache.find(kind_of(key), key); value && *value != expected) ++wrong;
    std::string value;
    const Status status = cache.read(kind_of(key), key, &value);
    if (!status.ok()) ++*missing;
    else if (value != expected) ++wrong;
  }
  return wrong;
}

int check() {
  std::vector<std::string> keys;
  for (std::string line; std::getline(std::cin, line);) keys.push_back(line);
  PersistentCache cache(options_here());
  int missing = 0;
  const int wrong = wrong_records(cache, keys, &missing);
  PersistentCache::Report report;
  const Status verified = cache.verify(&report);
  std::printf("keys %zu missing %d wrong %d records %" PRId64 " damaged %" PRId64 " structure %s\n", keys.size(), missing, wrong,
              report.records, report.damaged, verified.ok() ? report.structure.c_str() : verified.message().c_str());
  return missing == 0 && wrong == 0 && report.damaged == 0 && report.structure == "ok" ? 0 : 1;
}

int flips(const std::string& path, size_t phase, size_t step) {
  std::ifstream in(path, std::ios::binary);
  const std::string sound{std::istreambuf_iterator<char>(in), {}};
  std::vector<std::string> keys;
  const PersistentCacheOptions options = options_here();
  {
    PersistentCache cache(options);
    std::vector<PersistentCache::Listed> listed;
    if (!cache.list(&listed).ok() || listed.empty()) return 2;
    for (const auto& one : listed) keys.push_back(one.record.key);
  }
  const std::string file = options.folder + "/" + record_file_name();
  int64_t flipped = 0, served = 0, missed = 0, wrong = 0, refused = 0, aside = 0, lost = 0;
  for (size_t at = phase; at < sound.size(); at += step, ++flipped) {
    std::string damaged = sound;
    damaged[at] = static_cast<char>(damaged[at] ^ (1 + (at * 2654435761u >> 7) % 255));
    std::filesystem::remove(file + "-journal");
    std::ofstream(file, std::ios::binary | std::ios::trunc) << damaged;
    int missing = 0, bad = 0;
    {
      PersistentCache cache(options);
      bad += wrong_records(cache, keys, &missing);
      std::vector<PersistentCache::Listed> listed;
      if (cache.list(&listed).ok())
        for (const auto& one : listed) bad += one.good && std::find(keys.begin(), keys.end(), one.record.key) == keys.end();
      // Life goes on: a store says how it went and serves its value in this process whatever the file is like.
      const PersistentCache::Pair pair{RecordKind::plan, "later", value_of("later")};
      const bool stored = cache.store({&pair, 1}, 100).ok();
      refused += !stored;
      const auto value = cache.find(RecordKind::plan, "later");
      bad += !value || *value != pair.value;
      aside += cache.statistics().damaged_files;
      if (stored) {
        int gone = 0;
        PersistentCache next(options);
        bad += wrong_records(next, {"later"}, &gone);
        if (gone != 0) std::printf("byte %zu: the record stored after the damage is missing\n", at);
        lost += gone;
        bad += wrong_records(next, keys, &gone);
      }
    }
    if (bad != 0) std::printf("byte %zu: %d wrong\n", at, bad);
    wrong += bad;
    missed += missing;
    served += static_cast<int64_t>(keys.size()) - missing;
  }
  std::printf("%" PRId64 " bytes flipped in %zu: %zu records each; served %" PRId64 ", missed %" PRId64 ", wrong %" PRId64
              "; stores refused %" PRId64 ", lost %" PRId64 ", files put aside %" PRId64 "\n",
              flipped, sound.size(), keys.size(), served, missed, wrong, refused, lost, aside);
  return wrong == 0 && lost == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string command = argc > 1 ? argv[1] : "";
  if (command == "write" && argc == 5) return write_records(argv[2], std::atoi(argv[3]), std::atoi(argv[4]));
  if (command == "check" && argc == 2) return check();
  if (command == "flips" && argc == 5) return flips(argv[2], std::strtoul(argv[3], nullptr, 10), std::strtoul(argv[4], nullptr, 10));
  std::fprintf(stderr, "records write NAME FIRST COUNT | check | flips FILE PHASE STEP\n");
  return 2;
}
