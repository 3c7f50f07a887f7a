// SPDX-License-Identifier: Apache-2.0
// Compiled programs that are kept: loaded in place of compiling, and refused where they are damaged or another source's.
#include <span>
#include <string>

#include "core/engines/cpu/engine.h"
#include "core/engines/opencl/binary.h"
#include "core/engines/opencl/testing/engine_fixture.h"

namespace anydim::opencl {
namespace {

// Binaries in memory, as the persistent cache keeps them in its file.
class Store final : public BinaryStore {
 public:
  Status read(std::string_view, std::string* binary) override {
    if (binary_.empty()) return error(Code::not_found, "none");
    *binary = binary_;
    return {};
  }
  Status store(std::span<const Pair> pairs) override {
    for (const Pair& p : pairs) binary_ = p.binary;
    return {};
  }
  std::string binary_;
};

TEST_F(OpenclEngineTest, LoadsABinaryInPlaceOfCompilingAndRefusesDamagedOnesBeforeTheDriverSeesThem) {
  Store store;
  OpenclEngine::Options options;
  options.api = &faults_.api;
  options.store = &store;
  const AddKernel kernel("// binaries\n"), other("// another\n");
  std::string good;
  {
    std::shared_ptr<const OpenclEngine> first;
    ASSERT_TRUE(OpenclEngine::create(options, &first).ok());
    ExecutablePtr executable;
    ASSERT_TRUE(first->prepare(kernel, any_problem(), &executable).ok());
    good = store.binary_;
  }
  ASSERT_GT(good.size(), 100u);
  store.binary_.clear();
  std::shared_ptr<const OpenclEngine> engine;
  ASSERT_TRUE(OpenclEngine::create(options, &engine).ok());
  // Another source's binary is refused, and the program compiled.
  ExecutablePtr executable;
  store.binary_ = good;
  faults_.binaries = 0;
  const int64_t refused = engine->programs().statistics().refused;
  ASSERT_TRUE(engine->prepare(other, any_problem(), &executable).ok());
  EXPECT_EQ(faults_.binaries, 0);
  EXPECT_EQ(engine->programs().statistics().refused, refused + 1);
  // 200 damaged ones: bits flipped and ends cut.
  uint64_t state = 7;
  const auto draw = [&](size_t below) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return static_cast<size_t>(state >> 33) % below;
  };
  for (int i = 0; i < 200; ++i) {
    store.binary_ = good;
    if (i % 4 == 3) store.binary_.resize(draw(good.size()));
    // The first ones hit the header, byte by byte.
    else store.binary_[i < 80 ? static_cast<size_t>(i) : draw(good.size())] ^= static_cast<char>(1u << draw(8));
    if (store.binary_.empty()) store.binary_ = "x";
    engine->programs().clear();
    faults_.binaries = 0;
    const int64_t before = engine->programs().statistics().refused;
    // The compiler fails, so that no time is lost: what matters is that it was asked.
    faults_.next_build = cl::kOutOfHostMemory;
    EXPECT_EQ(engine->prepare(kernel, any_problem(), &executable).code(), Code::out_of_memory) << i;
    EXPECT_EQ(faults_.binaries, 0) << i;
    EXPECT_EQ(engine->programs().statistics().refused, before + 1) << i;
  }
  store.binary_ = good;
  engine->programs().clear();
  const int64_t loaded = engine->programs().statistics().loaded;
  ASSERT_TRUE(engine->prepare(kernel, any_problem(), &executable).ok());
  EXPECT_EQ(faults_.binaries, 1);
  EXPECT_EQ(engine->programs().statistics().loaded, loaded + 1);
  MemoryPtr memory;
  StreamPtr stream;
  ASSERT_TRUE(engine->allocate(400, &memory).ok());
  ASSERT_TRUE(engine->create_stream(1, &stream).ok());
  std::vector<float> values(100, 1.f);
  HostMemory host(values.data(), 400);
  ASSERT_TRUE(stream->copy({memory.get()}, {&host}, 400).ok());
  ASSERT_TRUE(launch(*stream, kernel, executable, *memory, 100).ok());
  ASSERT_TRUE(stream->copy({&host}, {memory.get()}, 400).ok());
  ASSERT_TRUE(stream->wait().ok());
  EXPECT_EQ(values, std::vector<float>(100, 2.f));
}

}  // namespace
}  // namespace anydim::opencl
