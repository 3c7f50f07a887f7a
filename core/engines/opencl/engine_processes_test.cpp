// SPDX-License-Identifier: Apache-2.0
// The engine in a child of fork, and in a process that ends while it compiles.
#include <sys/wait.h>
#include <unistd.h>

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

TEST_F(OpenclEngineTest, LetsAProcessEndCleanlyWhileItCompiles) {
  for (int i = 0; i < 3; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      ::execl("/proc/self/exe", "test", "--gtest_filter=*DISABLED_EndsInTheMiddleOfACompilation", "--gtest_also_run_disabled_tests",
              static_cast<char*>(nullptr));
      _exit(99);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0);
  }
}

}  // namespace
}  // namespace anydim::opencl
