// SPDX-License-Identifier: Apache-2.0
// The switches, the two files, and what becomes of an event; see observe.h.
#include "core/dispatch/observe/observe.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/base/files/append_file.h"
#include "core/base/clock.h"
#include "core/base/environment.h"
#include "core/base/threads/fork.h"
#include "core/dispatch/primitive/primitive.h"
#include "core/dispatch/observe/trace_file.h"
#include "core/ops/text.h"
#include "core/tensor/denormals.h"

namespace anydim::observe {

namespace {

constexpr int64_t kDefaultMegabytes = 256;  // of trace: a million events

// Never destroyed: threads may be running when the process ends.
struct Files {
  std::mutex mutex;  // of both files
  AppendFile lines;
  TraceFile trace;
};
Files& files() {
  static Files* const f = new Files;
  return *f;
}

void change(uint32_t clear, uint32_t set) noexcept {
  uint32_t old = switches.load(std::memory_order_relaxed);
  while (!switches.compare_exchange_weak(old, (old & ~clear) | set)) {
  }
}

uint32_t bits_of(int level) noexcept { return level >= 2 ? kExecutions | kCreations : level == 1 ? kExecutions : 0u; }

// A child has its own end: the lock must be free in it, and the trace is its parent's.
void before_fork() noexcept { files().mutex.lock(); }
void after_fork_in_parent() noexcept { files().mutex.unlock(); }
void after_fork_in_child() noexcept {
  files().trace.abandon();
  change(kTrace, 0);
  files().mutex.unlock();
}

void at_end() noexcept {
  change(kTrace, 0);
  const std::lock_guard lock(files().mutex);
  if (files().trace.is_open()) files().trace.finish();
}

void read_environment() {
  Files& f = files();
  f.lines.use_standard_error();
  if (const char* path = environment("ANYDIM_VERBOSE_FILE"); path != nullptr && !f.lines.open(path, AppendFile::Existing::keep)) {
    complain_of_environment("ANYDIM_VERBOSE_FILE", path, std::strerror(errno));
    f.lines.use_standard_error();
  }
  constexpr const char* kLevels[] = {"0", "1", "2"};
  change(0, bits_of(environment_word("ANYDIM_VERBOSE", kLevels, 0)));
  if (const char* path = environment("ANYDIM_TRACE")) {
    const int64_t limit = environment_number("ANYDIM_TRACE_LIMIT_MB", kDefaultMegabytes, 1, INT64_C(1) << 30) << 20;
    if (f.trace.open(path, limit)) {
      std::atexit([] { at_end(); });
      change(0, kTrace);
    } else {
      complain_of_environment("ANYDIM_TRACE", path, std::strerror(errno));
    }
  }
}

TensorText text_of(const TensorView& view, const TensorType* type, const DimPool& pool) {
  TensorText t;
  t.dtype = view.dtype;
  t.dims = view.dims;
  t.strides = view.strides;
  for (int i = 0; type != nullptr && i < type->dims.rank && i < kMaxRank; ++i) {
    const Dim d = type->dims[i];
    if (d.is_number()) continue;
    t.dynamic[i] = true;
    const DimExpr& e = pool.expr(d.expr());
    const Interval range = pool.interval(d);
    if (e.op == DimOp::symbol) t.promises[i] = e.promise;
    else t.promises[i].min = range.min, t.promises[i].max = range.max;
  }
  return t;
}

TensorText described(const TensorType& type, const DimPool& pool) {
  TensorView view;
  view.dtype = type.dtype;
  for (Dim d : type.dims) view.dims.push_back(d.is_number() ? d.number() : -1);
  return text_of(view, &type, pool);
}

CallText begin_text(const Primitive& p) {
  CallText c;
  c.engine = p.engine().kind();
  c.post_ops = p.attributes().post_ops;
  c.mode = p.attributes().mode;
  c.quantization = p.attributes().quantization;
  c.reuse = resolve_policy(p.attributes().reuse).policy;
  c.kernel = p.kernel().name();
  c.tier = tier_name(p.tier());
  return c;
}

std::string tensors_text(const CallText& c) {
  std::string text;
  for (const auto* list : {&c.in, &c.post_in})
    for (const TensorText& t : *list) text += (text.empty() ? "" : " ") + write_tensor(t);
  text += " ->";
  for (const TensorText& t : c.out) text += " " + write_tensor(t);
  return text;
}

TraceFile::Arguments arguments_of(const CallText& c) {
  return {{"engine", json_string(c.engine)},     {"operator", json_string(c.op)},           {"kernel", json_string(c.kernel)},
          {"tier", json_string(c.tier)},         {"tensors", json_string(tensors_text(c))}, {"post_ops", json_string(describe(c.post_ops))},
          {"threads", std::to_string(c.threads)}};
}

}  // namespace

int64_t now() noexcept { return wall_clock(); }

void start() noexcept {
  ForkHandlers<before_fork, after_fork_in_parent, after_fork_in_child>::ensure();
  static std::once_flag once;
  try {
    std::call_once(once, read_environment);
  } catch (...) {
    // Without memory for it there is nothing to report.
  }
}

void set_verbose(int level) noexcept {
  start();
  change(kExecutions | kCreations, bits_of(level));
}

int verbose_level() noexcept {
  const uint32_t now_set = switches.load(std::memory_order_relaxed);
  return now_set & kCreations ? 2 : now_set & kExecutions ? 1 : 0;
}

CallText describe_execution(const Execution& e) {
  const Primitive& p = *e.primitive;
  CallText c = begin_text(p);
  c.name = e.name;
  c.tier = tier_name(e.tier);
  c.threads = e.threads;
  c.microseconds = static_cast<double>(e.end - e.begin) / 1e3;
  std::vector<TensorView> all(e.in.begin(), e.in.end());
  const PinnedWeights weights(p.weights().get());  // an update may come meanwhile
  const OperandSet constant = p.constant_operands();
  if (all.size() == p.run_time_count())
    for (size_t i = 0; i < p.in().size(); ++i)
      if (constant.has(i)) all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), weights.views()[i]);
  for (size_t i = 0; i < all.size(); ++i) {
    c.in.push_back(text_of(all[i], i < p.in().size() ? &p.in()[i] : nullptr, p.pool()));
    c.in.back().weights = constant.has(i) && all[i].dtype != DType::none;
  }
  for (const TensorView& t : e.post_in) c.post_in.push_back(text_of(t, nullptr, p.pool()));
  for (const TensorView& t : e.out) c.out.push_back(text_of(t, nullptr, p.pool()));
  const std::vector<Dim> numbers(e.dim_attributes.begin(), e.dim_attributes.end());
  const OperatorPtr exact = numbers.empty() ? nullptr : p.op().with_dim_attributes(numbers);
  c.op = describe(exact ? *exact : p.op());
  if (e.scratch >= 0) c.more = formatted("scratch={}", e.scratch);
  return c;
}

void executed(const Execution& e) noexcept {
  try {
    const CallText c = describe_execution(e);
    const uint32_t enabled = switches.load(std::memory_order_relaxed);
    TraceFile::Arguments arguments;
    if (enabled & kTrace) {
      arguments = arguments_of(c);
      int64_t denormals = 0;
      for (const TensorView& t : e.out) denormals += count_denormals(t);
      if (denormals > 0) arguments.emplace_back("denormals", std::to_string(denormals));
    }
    std::string line;
    if (enabled & kExecutions) line = write_call(c) + '\n';
    const std::lock_guard lock(files().mutex);
    if (enabled & kExecutions) files().lines.write(line);
    if (enabled & kTrace)
      files().trace.slice(e.name.empty() ? "primitive" : "node", e.name.empty() ? std::string_view(e.primitive->op().name()) : e.name,
                          e.begin, e.end, arguments);
  } catch (...) {
    // An event that cannot be reported is lost.
  }
}

void created(const Primitive& p, const char* source, int64_t begin, int64_t end) noexcept {
  try {
    CallText c = begin_text(p);
    c.event = CallText::Event::create;
    c.microseconds = static_cast<double>(end - begin) / 1e3;
    c.op = describe(p.op());
    for (size_t i = 0; i < p.in().size(); ++i) {
      c.in.push_back(described(p.in()[i], p.pool()));
      c.in.back().weights = p.constant_operands().has(i) && p.in()[i].dtype != DType::none;
    }
    c.more = formatted("source={}", source);
    const uint32_t enabled = switches.load(std::memory_order_relaxed);
    std::string line;
    if (enabled & kCreations) line = write_call(c) + '\n';
    const std::lock_guard lock(files().mutex);
    if (enabled & kCreations) files().lines.write(line);
    if (enabled & kTrace) {
      TraceFile::Arguments arguments = arguments_of(c);
      arguments.emplace_back("source", json_string(source));
      files().trace.slice("creation", formatted("create {}", p.op().name()), begin, end, arguments);
    }
  } catch (...) {
  }
}

void ran(std::string_view what, int64_t begin, int64_t end) noexcept {
  try {
    const std::lock_guard lock(files().mutex);
    files().trace.slice("run", what, begin, end, {});
  } catch (...) {
  }
}

void grew(std::string_view what, int64_t from_bytes, int64_t to_bytes) noexcept {
  try {
    const std::lock_guard lock(files().mutex);
    files().trace.instant("growth", formatted("growth of {}", what), now(),
                          {{"from_bytes", std::to_string(from_bytes)}, {"to_bytes", std::to_string(to_bytes)}});
  } catch (...) {
  }
}

}  // namespace anydim::observe
