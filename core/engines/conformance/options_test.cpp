// SPDX-License-Identifier: Apache-2.0
// Kinds of engines in the registry, their devices and options, and what an engine says of itself.
#include <set>

#include "core/engines/testing/conformance.h"

namespace anydim::conformance {
namespace {

using EngineOptions = EngineConformance;

TEST(EngineRegistry, FindsEachKindByNumberAndByName) {
  std::set<std::string> names;
  for (const KnownKind& k : engine_kinds()) {
    EXPECT_EQ(find_engine_kind(k.number), k.kind);
    EXPECT_EQ(engine_kind_number(k.kind->name()), k.number);
    EXPECT_TRUE(names.insert(k.kind->name()).second) << k.kind->name();
  }
  EXPECT_EQ(find_engine_kind(0), nullptr);
  EXPECT_EQ(find_engine_kind(-1), nullptr);
  EXPECT_EQ(engine_kind_number("neither"), 0);
}

// As a program brings one: any kind of the tests.
TEST(EngineRegistry, KeepsKindsThatAreAddedUntilTheyAreRemoved) {
  const EngineKindPtr null(EngineKindPtr(), &testing_engine_kind());
  int32_t number = 0, again = 0;
  ASSERT_TRUE(add_engine_kind(null, &number).ok());
  EXPECT_GE(number, 1000);
  EXPECT_EQ(find_engine_kind(number), null);
  EXPECT_EQ(engine_kind_number("testing"), number);
  EXPECT_EQ(add_engine_kind(null, &again).code(), Code::invalid_argument);
  EXPECT_TRUE(remove_engine_kind(number).ok());
  EXPECT_EQ(find_engine_kind(number), nullptr);
  EXPECT_EQ(remove_engine_kind(number).code(), Code::not_found);
  ASSERT_TRUE(add_engine_kind(null, &again).ok());
  EXPECT_NE(again, number) << "a number is used once";
  EXPECT_TRUE(remove_engine_kind(again).ok());
  EXPECT_EQ(remove_engine_kind(1).code(), Code::not_found) << "the library's stay";
}

TEST_P(EngineOptions, AreOfTheKindsNameAndListedDevices) {
  EXPECT_EQ(engine_->kind(), std::string(kind().name()));
  std::vector<DeviceSummary> devices;
  ASSERT_TRUE(kind().devices(&devices).ok());
  ASSERT_FALSE(devices.empty());
  EXPECT_FALSE(devices[0].name.empty());
  EXPECT_GE(engine_->threads(), 1);
  EXPECT_FALSE(engine_->identity().facts.empty()) << "what a measured plan's worth depends on";
}

TEST_P(EngineOptions, RefuseDevicesThatAreNotThere) {
  std::vector<DeviceSummary> devices;
  ASSERT_TRUE(kind().devices(&devices).ok());
  for (const int number : {-1, static_cast<int>(devices.size()), 100000}) {
    EngineRequest request;
    request.device = number;
    EnginePtr none;
    const Status s = kind().create(request, &none);
    EXPECT_EQ(s.code(), Code::invalid_argument) << number << ": " << s.message();
    EXPECT_NE(s.message().find(std::to_string(number)), std::string::npos) << s.message();
    EXPECT_EQ(none, nullptr);
  }
}

// A device of its own, or one that is shared: never two numbers for memory that both can use, nor one for memory that they cannot.
TEST_P(EngineOptions, MadeTwiceShareADeviceOrAreTwo) {
  std::string why;
  const EnginePtr again = first_engine(kind(), &why);
  ASSERT_NE(again, nullptr) << why;
  const MemoryPtr memory = allocated(8);
  StreamPtr of_other;
  ASSERT_TRUE(again->create_stream(1, &of_other).ok());
  const bool copies = of_other->copy({memory.get(), 0}, {memory.get(), 4}, 4).ok();
  EXPECT_TRUE(of_other->wait().ok());
  EXPECT_EQ(copies, same_device(*again, *engine_));
}

struct NoLoop final : HostLoop {
  void run(int64_t, Part, void*) const override {}
};
struct NoMemory final : MemorySource {
  void* allocate(int64_t, int64_t) const noexcept override { return nullptr; }
  void free(void*, int64_t) const noexcept override {}
};

TEST_P(EngineOptions, TakeTheHostsLoopAndMemoryOrRefuseThemByName) {
  EXPECT_TRUE(kind().check({}).ok());
  EngineRequest loop, memory;
  loop.host.loop = std::make_shared<NoLoop>();
  memory.host.memory = std::make_shared<NoMemory>();
  for (const auto& [request, name] : {std::pair(&loop, "options.parallel_for"), std::pair(&memory, "options.allocate")}) {
    const Status s = kind().check(*request);
    EXPECT_EQ(s.ok(), engine_->is_host()) << s.message();
    if (s.ok()) continue;
    EXPECT_EQ(s.code(), Code::invalid_argument);
    EXPECT_NE(s.message().find(name), std::string::npos) << s.message();
    EXPECT_NE(s.message().find(kind().name()), std::string::npos) << s.message();
  }
}

ANYDIM_FOR_EVERY_ENGINE(EngineOptions);

}  // namespace
}  // namespace anydim::conformance
