// SPDX-License-Identifier: Apache-2.0
// Memory of any engine: mapping, addresses, limits, the host's memory.
#include <cstring>

#include "core/engines/testing/conformance.h"

namespace anydim::conformance {
namespace {

using EngineMemory = EngineConformance;

TEST_P(EngineMemory, IsMappedInPartsThatKeepWhatWasWritten) {
  const MemoryPtr memory = allocated(1000);
  ASSERT_EQ(memory->bytes(), 1000);
  EXPECT_EQ(memory->engine()->device_id(), engine_->device_id());
  std::byte* mapped = nullptr;
  ASSERT_TRUE(memory->map(0, 1000, &mapped).ok());
  for (int i = 0; i < 1000; ++i) mapped[i] = static_cast<std::byte>(i % 251);
  ASSERT_TRUE(memory->unmap(0, 1000).ok());
  for (const int64_t at : {0, 1, 127, 500, 999}) {
    const int64_t bytes = std::min<int64_t>(200, 1000 - at);
    ASSERT_TRUE(memory->map(at, bytes, &mapped).ok());
    for (int64_t i = 0; i < bytes; ++i) ASSERT_EQ(mapped[i], static_cast<std::byte>((at + i) % 251)) << at << " + " << i;
    ASSERT_TRUE(memory->unmap(at, bytes).ok());
  }
}

TEST_P(EngineMemory, OutsideOfItselfIsNotMapped) {
  const MemoryPtr memory = allocated(100);
  const int64_t wrong[][2] = {{0, 101}, {-1, 10}, {90, 11}, {101, 0}, {0, -1}, {1, INT64_MAX}, {INT64_MAX, 1}};
  for (const auto& [offset, bytes] : wrong) {
    std::byte* mapped = nullptr;
    const Status s = memory->map(offset, bytes, &mapped);
    EXPECT_EQ(s.code(), Code::invalid_argument) << bytes << " bytes at " << offset << ": " << s.message();
    EXPECT_FALSE(s.message().empty());
    EXPECT_EQ(mapped, nullptr);
  }
}

TEST_P(EngineMemory, OfNoBytesIsMemory) {
  const MemoryPtr memory = allocated(0);
  ASSERT_NE(memory, nullptr);
  EXPECT_EQ(memory->bytes(), 0);
}

// Places are compared as addresses are: whether two tensors overlap.
TEST_P(EngineMemory, HasAddressesOfItsOwnAtItsAlignment) {
  const int64_t alignment = engine_->base_alignment();
  EXPECT_GT(alignment, 0);
  EXPECT_EQ(alignment & (alignment - 1), 0) << alignment << " is no power of two";
  std::vector<MemoryPtr> all;
  for (const int64_t bytes : {1, 64, 100, 4096, 100000, 1}) all.push_back(allocated(bytes));
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i]->address() % static_cast<uintptr_t>(alignment), 0u);
    for (size_t j = 0; j < i; ++j) {
      const bool before = all[i]->address() + static_cast<uintptr_t>(all[i]->bytes()) <= all[j]->address();
      const bool behind = all[j]->address() + static_cast<uintptr_t>(all[j]->bytes()) <= all[i]->address();
      EXPECT_TRUE(before || behind) << "memories " << j << " and " << i;
    }
  }
}

TEST_P(EngineMemory, ThatIsTooLargeIsAStatus) {
  EXPECT_GT(engine_->largest_allocation(), 0);
  MemoryPtr memory;
  const int64_t too_much = engine_->largest_allocation() < kMaxSize ? engine_->largest_allocation() + 1 : kMaxSize;
  const Status s = engine_->allocate(too_much, &memory);
  EXPECT_EQ(s.code(), Code::out_of_memory) << s.message();
  EXPECT_FALSE(s.message().empty());
  EXPECT_EQ(memory, nullptr);
  EXPECT_NE(allocated(64), nullptr) << "and a small one is there afterwards";
}

TEST_P(EngineMemory, OfTheHostIsImportedWithItsOwnerOrRefused) {
  constexpr size_t kBytes = 1 << 16;
  auto owner = std::shared_ptr<std::byte>(static_cast<std::byte*>(std::aligned_alloc(4096, kBytes)), std::free);
  std::memset(owner.get(), 7, kBytes);
  MemoryPtr memory;
  const Status s = engine_->import(owner.get(), kBytes, owner, &memory);
  if (!s.ok()) {
    EXPECT_EQ(s.code(), Code::unimplemented) << s.message();
    EXPECT_EQ(owner.use_count(), 1) << "nothing was kept";
    return;
  }
  EXPECT_EQ(memory->bytes(), static_cast<int64_t>(kBytes));
  const std::weak_ptr<std::byte> watched = owner;
  std::byte* const data = owner.get();
  owner.reset();
  EXPECT_FALSE(watched.expired()) << "the memory keeps it";
  std::byte* mapped = nullptr;
  ASSERT_TRUE(memory->map(8, 8, &mapped).ok());
  EXPECT_EQ(mapped[0], std::byte{7});
  mapped[0] = std::byte{9};
  ASSERT_TRUE(memory->unmap(8, 8).ok());
  const StreamPtr order = stream();
  ASSERT_TRUE(order->copy({memory.get(), 0}, {memory.get(), 8}, 1).ok());
  ASSERT_TRUE(order->wait().ok());
  EXPECT_EQ(data[0], std::byte{9});
}

ANYDIM_FOR_EVERY_ENGINE(EngineMemory);

}  // namespace
}  // namespace anydim::conformance
