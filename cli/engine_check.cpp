// SPDX-License-Identifier: Apache-2.0
// `anydim engine-check`: what an engine must do, tried through the C API: for the author of one, who has the library and no more. It runs in a
// child, so that an engine that crashes or hangs is a line of the result. core/engines/conformance tests the library's own from the inside.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <thread>

#include "cli/commands.h"
#include "cli/engine_check.h"
#include "cli/engines.h"
#include "cli/print.h"
#include "cli/replay_call.h"

namespace anydim_cli {

namespace {

void expect(bool right, const std::string& what) {
  if (!right) throw Failure(what);
}

Memory allocated(anydim_engine_t engine, int64_t bytes) {
  Memory memory;
  check(anydim_memory_allocate(engine, bytes, memory.out()));
  return memory;
}
Stream stream_on(anydim_engine_t engine) {
  Stream stream;
  check(anydim_stream_create(engine, nullptr, stream.out()));
  return stream;
}

void write(const Memory& memory, int64_t offset, const std::vector<unsigned char>& bytes) {
  void* mapped = nullptr;
  check(anydim_memory_map(memory.get(), offset, static_cast<int64_t>(bytes.size()), &mapped));
  std::memcpy(mapped, bytes.data(), bytes.size());
  check(anydim_memory_unmap(memory.get(), offset, static_cast<int64_t>(bytes.size())));
}
std::vector<unsigned char> read(const Memory& memory, int64_t offset, int64_t bytes) {
  void* mapped = nullptr;
  check(anydim_memory_map(memory.get(), offset, bytes, &mapped));
  const auto* const data = static_cast<const unsigned char*>(mapped);
  std::vector<unsigned char> seen(data, data + bytes);
  check(anydim_memory_unmap(memory.get(), offset, bytes));
  return seen;
}
std::vector<unsigned char> counted(size_t bytes, int step) {
  std::vector<unsigned char> all(bytes);
  for (size_t i = 0; i < bytes; ++i) all[i] = static_cast<unsigned char>(i * static_cast<size_t>(step) + 1);
  return all;
}

// -- what is checked ------------------------------------------------------------------------------------------------------------------

void check_identity(anydim_engine_t engine) {
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  check(anydim_engine_query(engine, &info));
  expect(!text_of(info.device).empty(), "the device has no name");
  for (int32_t i = 0; i < info.kernels; ++i) {
    anydim_kernel_info_t kernel = ANYDIM_KERNEL_INFO_INIT;
    check(anydim_engine_get_kernel(engine, i, &kernel));
    expect(!text_of(kernel.name).empty(), "a kernel has no name");
  }
}

void check_mapping(anydim_engine_t engine) {
  for (const size_t bytes : {1, 3, 64, 1000, 100000}) {
    const Memory memory = allocated(engine, static_cast<int64_t>(bytes));
    const std::vector<unsigned char> there = counted(bytes, 7);
    write(memory, 0, there);
    expect(read(memory, 0, static_cast<int64_t>(bytes)) == there, formatted("{} bytes that were written were not read again", bytes));
    const auto part = static_cast<int64_t>(bytes / 3);
    const std::vector<unsigned char> middle(there.begin() + part, there.begin() + 2 * part);
    if (part > 0) expect(read(memory, part, part) == middle, formatted("bytes {} to {} of {} were others", part, 2 * part, bytes));
  }
}

void check_copies(anydim_engine_t engine) {
  const Stream stream = stream_on(engine);
  const Memory one = allocated(engine, 4096), other = allocated(engine, 4096);
  std::vector<unsigned char> first = counted(4096, 3), second = counted(4096, 5);
  write(one, 0, first);
  write(other, 0, second);
  for (const int64_t bytes : {1, 2, 17, 1024}) {
    check(anydim_memory_copy(stream.get(), other.get(), 3 * bytes, one.get(), 5 + bytes, bytes));
    std::memcpy(second.data() + 3 * bytes, first.data() + 5 + bytes, static_cast<size_t>(bytes));
  }
  check(anydim_stream_wait(stream.get()));
  expect(read(other, 0, 4096) == second, "a copy from memory to memory wrote other bytes");
  check(anydim_memory_copy(stream.get(), one.get(), 100, one.get(), 0, 2000));  // they overlap
  std::memmove(first.data() + 100, first.data(), 2000);
  check(anydim_stream_wait(stream.get()));
  expect(read(one, 0, 4096) == first, "a copy within a memory, whose parts overlap, wrote other bytes");
}

void check_order(anydim_engine_t engine) {
  const Stream stream = stream_on(engine);
  const Memory one = allocated(engine, 8), all = allocated(engine, 8 * 300);
  std::vector<unsigned char> expected;
  for (int64_t i = 0; i < 300; ++i) {
    std::vector<unsigned char> now(8, static_cast<unsigned char>(i));
    write(one, 0, now);
    check(anydim_memory_copy(stream.get(), all.get(), 8 * i, one.get(), 0, 8));
    expected.insert(expected.end(), now.begin(), now.end());
  }
  check(anydim_stream_wait(stream.get()));
  expect(read(all, 0, 8 * 300) == expected, "copies were not done in the order in which a stream got them");
}

void check_lifetimes(anydim_engine_t engine) {
  const Memory kept = allocated(engine, 1 << 16);
  const std::vector<unsigned char> there = counted(1 << 16, 11);
  {
    const Stream stream = stream_on(engine);
    const Memory gone = allocated(engine, 1 << 16);
    write(gone, 0, there);
    check(anydim_memory_copy(stream.get(), kept.get(), 0, gone.get(), 0, 1 << 16));
    // The memory is destroyed, then the stream, while the copy may still wait.
  }
  expect(read(kept, 0, 1 << 16) == there, "work whose memory and stream were destroyed was not done");
  for (int i = 0; i < 200; ++i) {
    const Stream stream = stream_on(engine);
    const Memory memory = allocated(engine, 4096);
  }
}

void check_limits(anydim_engine_t engine) {
  Memory memory;
  const anydim_status_t status = anydim_memory_allocate(engine, INT64_C(1) << 60, memory.out());
  expect(status == ANYDIM_STATUS_OUT_OF_MEMORY, formatted("2^60 bytes gave {}; expected out_of_memory", anydim_status_name(status)));
  static_cast<void>(allocated(engine, 64));
}

void check_threads(anydim_engine_t engine) {
  std::vector<std::string> failed(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < failed.size(); ++t)
    threads.emplace_back([&, t] {
      try {
        for (int i = 0; i < 20; ++i) check_copies(engine);
      } catch (const Failure& f) {
        failed[t] = f.what();
      }
    });
  for (std::thread& t : threads) t.join();
  for (const std::string& why : failed) expect(why.empty(), "four threads at once: " + why);
}

// -- kernels --------------------------------------------------------------------------------------------------------------------------

std::string tensor(const char* role, const std::vector<int64_t>& dims) {
  return formatted("{}=f32[{}]", role, joined(dims.data(), static_cast<int>(dims.size()), ","));
}

// A random call of an operator as operator and tensors of a verbose line; empty: none is drawn for it.
std::string drawn_convolution(Random& r, std::string* tensors) {
  const int64_t group = r.from(1, 2), in = group * r.from(1, 70), out = group * r.from(1, 9), kh = r.from(1, 3), kw = r.from(1, 3);
  const int64_t sh = r.from(1, 2), sw = r.from(1, 2), ph = r.from(0, 1), pw = r.from(0, 1), h = r.from(kh, 9), w = r.from(kw, 9),
                n = r.from(1, 3);
  *tensors = tensor("in0", {n, in, h, w}) + " " + tensor("w1", {out, in / group, kh, kw});
  if (r.from(0, 1)) *tensors += " " + tensor("w2", {out});
  *tensors += " " + tensor("out0", {n, out, (h + 2 * ph - kh) / sh + 1, (w + 2 * pw - kw) / sw + 1});
  return formatted("convolution auto_pad=explicit strides={},{} dilations=1,1 pads_begin={},{} pads_end={},{} group={}", sh, sw, ph, pw, ph,
                   pw, group);
}
std::string drawn_matmul(Random& r, std::string* tensors) {
  const int64_t m = r.from(1, 20), k = r.from(1, 300), n = r.from(1, 20), batch = r.from(1, 3);
  const bool a = r.from(0, 3) == 0, b = r.from(0, 1), constant = r.from(0, 1), batched = r.from(0, 2) == 0, c = r.from(0, 1);
  std::vector<int64_t> left = a ? std::vector<int64_t>{k, m} : std::vector<int64_t>{m, k}, result{m, n};
  if (batched) left.insert(left.begin(), batch), result.insert(result.begin(), batch);
  *tensors = tensor("in0", left) + " " + tensor(constant ? "w1" : "in1", b ? std::vector<int64_t>{n, k} : std::vector<int64_t>{k, n});
  if (c) *tensors += " " + tensor("in2", {n});
  *tensors += " " + tensor("out0", result);
  return formatted("matmul transpose_a={} transpose_b={} alpha=1 beta=1", a ? 1 : 0, b ? 1 : 0);
}
std::string drawn_elementwise(Random& r, bool two, std::string* tensors) {
  const std::vector<int64_t> dims{r.from(1, 4), r.from(1, 9), r.from(1, 40)};
  *tensors = tensor("in0", dims) + " ";
  if (two) *tensors += tensor("in1", r.from(0, 1) ? dims : std::vector<int64_t>{dims[2]}) + " ";
  *tensors += tensor("out0", dims);
  constexpr const char* kOne[] = {"relu", "abs", "neg"};
  constexpr const char* kTwo[] = {"add", "sub", "mul"};
  return two ? formatted("binary function={}", kTwo[r.from(0, 2)]) : formatted("unary function={}", kOne[r.from(0, 2)]);
}
std::string drawn_call(const std::string& op, Random& r, std::string* tensors) {
  if (op == "convolution") return drawn_convolution(r, tensors);
  if (op == "matmul") return drawn_matmul(r, tensors);
  if (op == "unary" || op == "binary") return drawn_elementwise(r, op == "binary", tensors);
  return {};
}

// Calls of known models for this operator, without post-ops.
std::vector<std::string> known_calls(const std::string& op, std::vector<std::string>* tensors) {
  std::vector<std::string> ops;
  for (const char* text : model_calls()) {
    const std::string_view line = text;
    const size_t first = line.find('|'), second = line.rfind('|');
    if (second + 1 != line.size() || line.substr(0, line.find_first_of(" |")) != op) continue;
    ops.emplace_back(line.substr(0, first));
    tensors->emplace_back(line.substr(first + 1, second - first - 1));
  }
  return ops;
}

struct Compared {
  int equal = 0, refused = 0;
};

// The name of an engine's kind, as lines have it.
std::string kind_of(anydim_engine_t engine) {
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  check(anydim_engine_query(engine, &info));
  anydim_engine_kind_info_t kind = ANYDIM_ENGINE_KIND_INFO_INIT;
  for (int32_t i = 0; kind.kind != info.kind; ++i) check(anydim_engine_get_kind(i, &kind));
  return text_of(kind.name);
}

void compare(anydim_engine_t engine, anydim_engine_t cpu, const std::string& op, const std::string& tensors, uint64_t seed, Compared* to) {
  const auto line_for = [&](anydim_engine_t e) {
    return formatted("anydim,v1,execute,{},,\"{}\",\"{}\",\"\",math=strict reuse=auto threads=1,any,reusable,0,scratch=0", kind_of(e), op,
                     tensors);
  };
  ReplaySettings settings;
  settings.repeat = 1;
  settings.seed = settings.reference_seed = seed;
  settings.reference_engine = cpu;
  settings.reference_line = line_for(cpu);
  ReplayResult result;
  try {
    result = replay_call(engine, line_for(engine), settings);
  } catch (const Failure& f) {
    if (std::string_view(f.what()).find("no kernel supports") == std::string_view::npos)
      throw Failure(formatted("{} {}: {}", op, tensors, f.what()));
    ++to->refused;
    return;
  }
  expect(result.equal, formatted("{} {}: {}", op, tensors, result.difference));
  ++to->equal;
}

std::string check_kernels(anydim_engine_t engine, const std::string& op, const EngineCheckOptions& o) {
  Engine cpu;
  check(anydim_engine_create(ANYDIM_ENGINE_CPU, 0, nullptr, cpu.out()));
  Random r(o.seed);
  Compared done;
  std::string tensors;
  for (int i = 0; i < o.problems; ++i) {
    const std::string text = drawn_call(op, r, &tensors);
    if (!text.empty()) compare(engine, cpu.get(), text, tensors, o.seed + static_cast<uint64_t>(i), &done);
  }
  std::vector<std::string> known_tensors;
  const std::vector<std::string> known = known_calls(op, &known_tensors);
  for (size_t i = 0; i < known.size(); ++i) compare(engine, cpu.get(), known[i], known_tensors[i], o.seed, &done);
  if (done.equal == 0) expect(done.refused == 0, "the engine refuses every problem that was tried");
  if (done.equal == 0) return "NOT CHECKED: no problem is known for this operator";
  return formatted("{} problems with the processor's bits, {} refused", done.equal, done.refused);
}

int run_checks(const EngineCheckOptions& o) {
  int failed = 0;
  const auto run = [&](const std::string& name, const std::function<std::string()>& one) {
    print("{:<28} ", name);
    flush_output();
    try {
      print("{}\n", one());
    } catch (const std::exception& e) {
      ++failed;
      print("FAILED: {}\n", e.what());
    }
    flush_output();
  };
  Engine engine;
  run("create", [&] {
    if (o.engine.find('/') != std::string::npos || ::access(o.engine.c_str(), F_OK) == 0)
      check(anydim_engine_create(load_engine(o.engine), 0, nullptr, engine.out()));
    else engine = make_engine(o.engine, false);
    check_identity(engine.get());
    return std::string("passed");
  });
  if (failed > 0) return 1;
  const std::pair<const char*, void (*)(anydim_engine_t)> checks[] = {
      {"memory: mapping", check_mapping}, {"memory: limits", check_limits},        {"streams: copies", check_copies},
      {"streams: order", check_order},    {"streams: lifetimes", check_lifetimes}, {"streams: four threads", check_threads}};
  for (const auto& [name, function] : checks)
    run(name, [&, f = function] {
      f(engine.get());
      return std::string("passed");
    });
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  check(anydim_engine_query(engine.get(), &info));
  std::vector<std::string> ops;
  for (int32_t i = 0; i < info.kernels; ++i) {
    anydim_kernel_info_t kernel = ANYDIM_KERNEL_INFO_INIT;
    check(anydim_engine_get_kernel(engine.get(), i, &kernel));
    if (std::string op(text_of(kernel.op)); std::find(ops.begin(), ops.end(), op) == ops.end()) ops.push_back(std::move(op));
  }
  for (const std::string& op : ops) run("kernels: " + op, [&] { return check_kernels(engine.get(), op, o); });
  run("parts of graphs", [&] { return check_parts(engine.get(), kind_of(engine.get()), o); });
  print("{}\n", failed == 0 ? "all passed" : formatted("{} failed", failed));
  return failed == 0 ? 0 : 1;
}

}  // namespace

int engine_check(const EngineCheckOptions& o) {
  flush_output();
  const pid_t child = ::fork();
  if (child < 0) throw Failure("no process could be started");
  if (child == 0) {
    int status = 1;
    try {
      status = run_checks(o);
      flush_output();
    } catch (const std::exception& e) {
      print("FAILED: {}\n", e.what());
      flush_output();
    }
    std::_Exit(status);
  }
  int status = 0;
  for (int tenths = 0; ::waitpid(child, &status, WNOHANG) == 0; ++tenths) {
    if (tenths >= o.timeout_seconds * 10) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      print("FAILED: it did not return within {} seconds\n", o.timeout_seconds);
      return 2;
    }
    ::usleep(100'000);
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  print("FAILED: the engine ended the process: {}\n", ::strsignal(WTERMSIG(status)));
  return 2;
}

}  // namespace anydim_cli
