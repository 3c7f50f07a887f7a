// SPDX-License-Identifier: Apache-2.0
// The engine in a child of fork, and in a process that ends while it compiles.
#include <sys/wait.h>
#include <unistd.h>

#include "core/engines/opencl/exit_gate.h"
#include "core/engines/opencl/testing/engine_fixture.h"

namespace anydim::opencl {
namespace {

TEST_F(OpenclEngineTest, GivesAStatusAfterAFork) {
  MemoryPtr memory;
  StreamPtr stream;
  ASSERT_TRUE(engine_->allocate(400, &memory).ok());
  ASSERT_TRUE(engine_->create_stream(1, &stream).ok());
  const AddKernel kernel("// of a child\n");
  const pid_t child = fork();
  if (child == 0) {
    ExecutablePtr executable;
    MemoryPtr other;
    StreamPtr another;
    std::byte* mapped = nullptr;
    bool right = prepare(kernel, &executable).code() == Code::forked && engine_->allocate(4, &other).code() == Code::forked &&
                 engine_->create_stream(1, &another).code() == Code::forked && stream->wait().code() == Code::forked &&
                 memory->map(0, 4, &mapped).code() == Code::forked;
    std::shared_ptr<const OpenclEngine> made;
    right = right && OpenclEngine::create({}, &made).code() == Code::forked;
    stream.reset();
    memory.reset();
    engine_.reset();
    _exit(right ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  ExecutablePtr executable;
  EXPECT_TRUE(prepare(kernel, &executable).ok());
}

// Run by the test behind it in a process of its own.
TEST_F(OpenclEngineTest, DISABLED_EndsInTheMiddleOfACompilation) {
  std::atomic<bool> begun{false};
  std::thread([&] {
    for (int i = 0;; ++i) {
      const AddKernel kernel(formatted("// program {}\n", i));
      ExecutablePtr executable;
      begun = true;
      if (prepare(kernel, &executable).code() == Code::closed) return;
      engine_->programs().clear();
    }
  }).detach();
  while (!begun) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  std::exit(0);
}

// A compiler that registers at exit the destruction of what it goes on to use.
std::atomic<bool> compiler_is_destroyed{false}, compiler_is_at_work{false};
Int build_with_late_statics(ProgramId program, Uint count, const DeviceId* devices, const char* options, void (*notify)(ProgramId, void*),
                            void* user) {
  std::atexit([] { compiler_is_destroyed = true; });
  compiler_is_at_work = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  if (compiler_is_destroyed) _exit(98);
  return Faults::of().real->build_program(program, count, devices, options, notify, user);
}

void end_with_late_statics(const std::function<void()>& prepare, bool by_another_thread) {
  Faults::of().api.build_program = build_with_late_statics;
  std::thread(prepare).detach();
  while (!compiler_is_at_work) std::this_thread::yield();
  if (!by_another_thread) std::exit(0);
  std::thread([] {
    ExitGate::watch_this_thread();  // as an engine or a stream that it makes
    std::exit(0);
  }).join();
}

TEST_F(OpenclEngineTest, DISABLED_EndsWhileACompilerRegistersStatics) {
  end_with_late_statics(
      [&] {
        ExecutablePtr executable;
        (void)prepare(AddKernel("// late\n"), &executable);
      },
      false);
}

TEST_F(OpenclEngineTest, DISABLED_EndsInAnotherThreadWhileACompilerRegistersStatics) {
  end_with_late_statics(
      [&] {
        ExecutablePtr executable;
        (void)prepare(AddKernel("// late\n"), &executable);
      },
      true);
}

TEST_F(OpenclEngineTest, LetsAProcessEndCleanlyWhileItCompiles) {
  for (const char* const filter :
       {"--gtest_filter=*DISABLED_EndsInTheMiddleOfACompilation", "--gtest_filter=*DISABLED_EndsWhileACompilerRegistersStatics",
        "--gtest_filter=*DISABLED_EndsInAnotherThreadWhileACompilerRegistersStatics"}) {
    const pid_t child = fork();
    if (child == 0) {
      ::execl("/proc/self/exe", "test", filter, "--gtest_also_run_disabled_tests", static_cast<char*>(nullptr));
      _exit(99);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << filter << ": signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << filter;
  }
}

}  // namespace
}  // namespace anydim::opencl
