// SPDX-License-Identifier: Apache-2.0
// Writing trace events; see trace_file.h. Times are microseconds of a steady clock with three decimals.
#include "core/dispatch/observe/trace_file.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "core/base/status.h"
#include "core/base/text/utf8.h"

namespace anydim {

namespace {

long thread_id() noexcept { return syscall(SYS_gettid); }

thread_local uint32_t named_in_generation = 0;  // of the file whose track of this thread has its name

std::string head(const char* phase, const char* category, std::string_view name, int64_t at) {
  return formatted(R"({{"name":{},"cat":"{}","ph":"{}","pid":{},"tid":{},"ts":{:.3f})", json_string(name), category, phase, getpid(),
                   thread_id(), static_cast<double>(at) / 1e3);
}

std::string tail(const TraceFile::Arguments& arguments) {
  std::string text = R"(,"args":{)";
  for (size_t i = 0; i < arguments.size(); ++i) text += formatted("{}\"{}\":{}", i ? "," : "", arguments[i].first, arguments[i].second);
  return text + "}}";
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const size_t n = utf8_character(text);
    const auto c = static_cast<unsigned char>(text[0]);
    if (n == 0) out += "\\ufffd";
    else if (c == '"' || c == '\\') out += '\\', out += text[0];
    else if (c < 0x20 || c == 0x7F) out += formatted("\\u{:04x}", c);
    else out += text.substr(0, n);
    text.remove_prefix(n == 0 ? 1 : n);
  }
  return out + '"';
}

bool TraceFile::open(std::string path, int64_t limit_bytes) noexcept {
  for (size_t at; (at = path.find("%p")) != std::string::npos;) path.replace(at, 2, std::to_string(getpid()));
  if (!file_.open(path, AppendFile::Existing::replace)) return false;
  limit_ = limit_bytes;
  written_ = 0;
  full_ = false;
  ++generation_;
  event(formatted(R"([{{"name":"process_name","ph":"M","pid":{},"args":{{"name":"anydim"}}}})", getpid()));
  return true;
}

void TraceFile::event(const std::string& text) {
  if (full_ || !file_.is_open()) return;
  if (limit_ - written_ < static_cast<int64_t>(text.size()) + 512) {  // room for the last words
    full_ = true;
    file_.write(formatted(",\n{},\"s\":\"g\"{}", head("i", "trace", "trace is full: ANYDIM_TRACE_LIMIT_MB", last_), tail({})));
    return;
  }
  const std::string line = written_ == 0 ? text : ",\n" + text;
  if (!file_.write(line)) full_ = true;  // a full disk: what follows would not be an array any more
  written_ += static_cast<int64_t>(line.size());
}

void TraceFile::name_thread() {
  if (named_in_generation == generation_) return;
  named_in_generation = generation_;
  event(formatted(R"({{"name":"thread_name","ph":"M","pid":{},"tid":{},"args":{{"name":"thread {}"}}}})", getpid(), thread_id(),
                  thread_id()));
}

void TraceFile::slice(const char* category, std::string_view name, int64_t begin, int64_t end, const Arguments& arguments) {
  last_ = end;
  name_thread();
  event(formatted("{},\"dur\":{:.3f}{}", head("X", category, name, begin), static_cast<double>(end - begin) / 1e3, tail(arguments)));
}

void TraceFile::instant(const char* category, std::string_view name, int64_t at, const Arguments& arguments) {
  last_ = at;
  name_thread();
  event(formatted("{},\"s\":\"t\"{}", head("i", category, name, at), tail(arguments)));
}

void TraceFile::finish() noexcept {
  file_.write("\n]\n");
  file_.close();
}

void TraceFile::abandon() noexcept { file_.close(); }

}  // namespace anydim
