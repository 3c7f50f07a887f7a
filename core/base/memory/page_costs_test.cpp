// SPDX-License-Identifier: Apache-2.0
// Of which pages a request is made: what was measured decides, and one expensive huge page is the last one for a while.
#include "core/base/memory/page_costs.h"

#include <gtest/gtest.h>

namespace anydim {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
constexpr int64_t kSmallMiB = 400'000;  // nanoseconds

TEST(PageCosts, HugePagesPayUntilOneIsSlow) {
  PageCosts costs(PageCosts::System::plain);
  EXPECT_TRUE(costs.huge(1));
  EXPECT_TRUE(costs.noted_huge(200'000));
  EXPECT_TRUE(costs.huge(4 * kMegabyte));
  EXPECT_FALSE(costs.noted_huge(6'000'000));
  EXPECT_FALSE(costs.huge(4 * kMegabyte));
  EXPECT_EQ(costs.figures().dear_pages, 1);
  EXPECT_FALSE(costs.figures().huge_pages_pay);
}

TEST(PageCosts, AHugePageThatTakesAsLongAsSmallOnesIsSlow) {
  PageCosts costs(PageCosts::System::plain);
  EXPECT_FALSE(costs.noted_huge(2 * kSmallMiB));  // small pages in its place
}

TEST(PageCosts, WhereTheyWereSlowOnlyALargeRequestTriesThemNowAndThen) {
  PageCosts costs(PageCosts::System::plain);
  ASSERT_FALSE(costs.noted_huge(6'000'000));
  int64_t between = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    int64_t mib = 0;
    for (; !costs.huge(40 * kMegabyte) && mib < 4096; ++mib) {
      EXPECT_FALSE(costs.huge(4 * kMegabyte));
      costs.noted_small(kMegabyte, kSmallMiB);
    }
    EXPECT_GT(mib, between) << "attempts become fewer";
    EXPECT_LT(mib, 4096);
    between = mib;
    EXPECT_FALSE(costs.huge(4 * kMegabyte)) << "a small request never pays for an attempt";
    EXPECT_FALSE(costs.noted_huge(6'000'000));
    EXPECT_FALSE(costs.huge(40 * kMegabyte));
  }
  EXPECT_TRUE(costs.noted_huge(200'000));
  EXPECT_TRUE(costs.huge(1));
}

TEST(PageCosts, ASystemThatTakesFreeMemoryBackBeginsWithSmallPages) {
  PageCosts costs(PageCosts::System::reclaims);
  EXPECT_FALSE(costs.huge(20 * kMegabyte));
  for (int i = 0; i < 64; ++i) costs.noted_small(kMegabyte, kSmallMiB);
  EXPECT_TRUE(costs.huge(40 * kMegabyte));
  EXPECT_TRUE(costs.noted_huge(200'000));
  EXPECT_TRUE(costs.huge(kMegabyte));
}

TEST(PageCosts, TheFirstLoadFindsOutWhatHugePagesCost) {
  for (const bool dear : {false, true}) {
    PageCosts costs(PageCosts::System::reclaims);
    EXPECT_FALSE(costs.huge_at_load(kMegabyte)) << "too little to pay for an attempt";
    EXPECT_FALSE(costs.huge(4 * kMegabyte));
    EXPECT_TRUE(costs.huge_at_load(4 * kMegabyte));
    EXPECT_EQ(costs.noted_huge(dear ? 6'000'000 : 200'000), !dear);
    EXPECT_EQ(costs.huge(4 * kMegabyte), !dear);
    EXPECT_EQ(costs.huge_at_load(4 * kMegabyte), !dear) << "one attempt is enough";
  }
}

TEST(PageCosts, ASystemWithoutHugePagesIsNeverAskedForOne) {
  PageCosts costs(PageCosts::System::no_huge_pages);
  EXPECT_FALSE(costs.huge(int64_t{1} << 40));
  EXPECT_FALSE(costs.huge_at_load(int64_t{1} << 40));
  for (int i = 0; i < 4096; ++i) costs.noted_small(kMegabyte, kSmallMiB);
  EXPECT_FALSE(costs.huge(int64_t{1} << 40));
  EXPECT_FALSE(costs.figures().huge_pages_pay);
}

TEST(PageCosts, TheEstimateOfSmallPagesFollowsWhatIsMeasuredAndForgivesAnInterruption) {
  PageCosts costs(PageCosts::System::plain);
  for (int i = 0; i < 100; ++i) costs.noted_small(kMegabyte, 150'000);
  EXPECT_NEAR(static_cast<double>(costs.figures().small_nanoseconds), 150'000, 10'000);
  costs.noted_small(kMegabyte, 30'000'000);
  EXPECT_LT(costs.figures().small_nanoseconds, 200'000);
  costs.noted_small(4096, 100'000);  // a page, and a call
  EXPECT_LT(costs.figures().small_nanoseconds, 200'000);
  EXPECT_EQ(costs.figures().small_bytes, 101 * kMegabyte + 4096);
}

TEST(PageCosts, TheEndOfARequestIsInSmallPagesWhereItIsShort) {
  PageCosts costs(PageCosts::System::plain);
  EXPECT_TRUE(costs.noted_huge(200'000));
  EXPECT_EQ(costs.small_end(), kMegabyte / 2);
  EXPECT_FALSE(costs.noted_huge(6'000'000));
  EXPECT_EQ(costs.small_end(), kHugePage);
}

}  // namespace
}  // namespace anydim
