// SPDX-License-Identifier: Apache-2.0
// Verbose lines and traces as files: whole lines from many threads, nothing when off, a trace that never breaks its form and
// stays under its limit.
#include "core/dispatch/observe/observe.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "core/dispatch/caches/primitive_cache.h"
#include "core/dispatch/observe/trace_file.h"
#include "core/engines/cpu/engine.h"
#include "core/ops/operators/unary.h"

namespace anydim {
namespace {

std::string path_of(const char* name) { return formatted("{}/anydim_{}_{}", ::testing::TempDir(), name, getpid()); }

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// One execution to report.
struct Reported {
  PrimitivePtr primitive;
  HostTensor in, out;
  Reported() {
    const OperatorPtr op = *Unary::make(UnaryFunction::relu);
    const TensorType type{DType::f32, SymDims{2, 3}};
    EXPECT_TRUE(Primitive::create(cpu_engine(), op, {nullptr, {&type, 1}, {}}, {}, nullptr, &primitive).ok());
    EXPECT_TRUE(HostTensor::allocate(DType::f32, {2, 3}, &in).ok());
    EXPECT_TRUE(HostTensor::allocate(DType::f32, {2, 3}, &out).ok());
  }
  void report(std::string_view name) const {
    const int64_t now = observe::now();
    if (observe::wants(observe::kExecutions))
      observe::executed({primitive.get(), name, {&in.view, 1}, {}, {&out.view, 1}, {}, 1, now, now + 1500, 0});
  }
};

// The variables are read once in a process, so this is the one test that goes through them.
TEST(Observe, WritesWholeLinesFromManyThreadsWhileItIsOnAndNoneWhileItIsOff) {
  const std::string path = path_of("lines");
  ::setenv("ANYDIM_VERBOSE_FILE", path.c_str(), 1);
  ::unsetenv("ANYDIM_VERBOSE");
  ::unsetenv("ANYDIM_TRACE");
  observe::start();
  ::unsetenv("ANYDIM_VERBOSE_FILE");
  const Reported reported;
  reported.report("before");
  EXPECT_TRUE(lines_of(path).empty());
  observe::set_verbose(1);
  EXPECT_EQ(observe::verbose_level(), 1);
  constexpr int kThreads = 8, kEach = 500;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&reported, t] {
      const std::string name = formatted("thread {} {}", t, std::string(static_cast<size_t>(t) * 100, 'x'));
      for (int i = 0; i < kEach; ++i) reported.report(name);
    });
  for (std::thread& t : threads) t.join();
  observe::set_verbose(0);
  reported.report("after");
  const std::vector<std::string> lines = lines_of(path);
  ASSERT_EQ(lines.size(), static_cast<size_t>(kThreads) * kEach);
  for (const std::string& line : lines) {
    CallText call;
    const Status s = parse_call(line, &call);
    ASSERT_TRUE(s.ok()) << line << "\n" << s.message();
    EXPECT_EQ(call.microseconds, 1.5);
    EXPECT_EQ(call.name.rfind("thread ", 0), 0u) << line;
  }
  // A line about a creation is for level 2.
  observe::set_verbose(2);
  observe::created(*reported.primitive, "created", 0, 2000);
  observe::set_verbose(0);
  const std::string last = lines_of(path).back();
  EXPECT_NE(last.find("anydim,v1,create,cpu,,"), std::string::npos) << last;
  EXPECT_NE(last.find(",2.000,source=created"), std::string::npos) << last;
  // Through the primitive cache there is one line per creation, that says where it came from.
  observe::set_verbose(2);
  const size_t before = lines_of(path).size();
  PrimitiveCache cache(1 << 20);
  const TensorDescriptor described{DType::f32, {DimDescriptor{7, {}}}};
  const TensorDescriptor* const inputs[] = {&described};
  for (int i = 0; i < 2; ++i) {
    PrimitivePtr primitive;
    Creation how;
    ASSERT_TRUE(cache.create(cpu_engine(), *Unary::make(UnaryFunction::abs), inputs, {}, nullptr, &primitive, &how).ok());
  }
  observe::set_verbose(0);
  const std::vector<std::string> creations = lines_of(path);
  ASSERT_EQ(creations.size(), before + 2);
  EXPECT_NE(creations[before].find("source=created"), std::string::npos) << creations[before];
  EXPECT_NE(creations[before + 1].find("source=hit"), std::string::npos) << creations[before + 1];
  // A child that was forked while other threads write is not stopped by their lock.
  observe::set_verbose(1);
  std::atomic<bool> stop{false};
  std::thread busy([&] {
    while (!stop) reported.report("busy");
  });
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      reported.report("child");
      _exit(0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  stop = true;
  busy.join();
  observe::set_verbose(0);
  ::unlink(path.c_str());
}

TEST(TraceFile, IsJsonWhenItIsFinishedAndUpToItsLastEventWhenItIsNot) {
  const std::string path = path_of("trace");
  TraceFile trace;
  ASSERT_TRUE(trace.open(path, 1 << 20));
  trace.slice("node", "say \"x\"\n\xFF\\", 1000, 2500, {{"kernel", json_string("a\tb")}, {"threads", "2"}});
  trace.instant("growth", "growth", 3000, {{"to_bytes", "4096"}});
  const std::string killed_here = text_of(path);
  EXPECT_FALSE(nlohmann::json::accept(killed_here));
  const auto repaired = nlohmann::json::parse(killed_here + "]");
  trace.finish();
  const auto whole = nlohmann::json::parse(text_of(path));
  EXPECT_EQ(whole, repaired);
  ASSERT_EQ(whole.size(), 4u);  // the process's and the thread's names come first
  EXPECT_EQ(whole[2]["name"], "say \"x\"\n\xEF\xBF\xBD\\");
  EXPECT_EQ(whole[2]["ph"], "X");
  EXPECT_EQ(whole[2]["ts"], 1.0);
  EXPECT_EQ(whole[2]["dur"], 1.5);
  EXPECT_EQ(whole[2]["args"]["kernel"], "a\tb");
  EXPECT_EQ(whole[3]["ph"], "i");
  ::unlink(path.c_str());
}

TEST(TraceFile, StaysUnderItsLimitAndSaysSo) {
  const std::string path = path_of("limit_%p");
  constexpr int64_t kLimit = 20'000;
  TraceFile trace;
  ASSERT_TRUE(trace.open(path, kLimit));
  for (int i = 0; i < 1000; ++i) trace.slice("node", formatted("node {}", i), i * 1000, i * 1000 + 500, {{"n", std::to_string(i)}});
  trace.finish();
  const std::string real = path_of(formatted("limit_{}", getpid()).c_str());
  const std::string text = text_of(real);
  EXPECT_LE(static_cast<int64_t>(text.size()), kLimit);
  EXPECT_GT(static_cast<int64_t>(text.size()), kLimit / 2);
  const auto whole = nlohmann::json::parse(text);
  EXPECT_NE(whole.back()["name"].get<std::string>().find("full"), std::string::npos);
  ::unlink(real.c_str());
}

}  // namespace
}  // namespace anydim
