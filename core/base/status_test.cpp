// SPDX-License-Identifier: Apache-2.0
// What a failure carries besides its message, and memory that was not available.
#include "core/base/status.h"

#include <gtest/gtest.h>

#include "core/base/memory/out_of_memory.h"

namespace anydim {
namespace {

TEST(Status, NamesTheArgumentAndTheNodeBesideItsMessage) {
  const Status s = invalid("axis is {}", 5).about("op.axis").at("pick (Gather)").in_node("pick");
  EXPECT_EQ(s.code(), Code::invalid_argument);
  EXPECT_EQ(s.message(), "pick (Gather): axis is 5");
  EXPECT_EQ(s.argument(), "op.axis");
  EXPECT_EQ(s.node(), "pick");
  const Status again = s.copy();
  EXPECT_EQ(again.message(), s.message());
  EXPECT_EQ(again.node(), "pick");
}

TEST(Status, TheNearestNameStays) {
  const Status s = invalid("{} is wrong", "it").about("options.threads").about("options").in_node("inner").in_node("outer");
  EXPECT_EQ(s.argument(), "options.threads");
  EXPECT_EQ(s.node(), "inner");
}

TEST(Status, SuccessHasNoMessage) {
  const Status s = Status().at("here").about("x").in_node("y").as(Code::internal);
  EXPECT_TRUE(s.ok());
  EXPECT_EQ(s.code(), Code::ok);
  EXPECT_EQ(s.argument() + s.node() + s.message(), "");
  EXPECT_TRUE(s.copy().ok());
  EXPECT_EQ(sizeof(Status), sizeof(void*));
}

TEST(OutOfMemory, ReportsTheBytesWhereTheyAreKnown) {
  EXPECT_EQ(status_of(OutOfMemory(4096)).message(), "memory could not be allocated: 4096 bytes were requested");
  EXPECT_EQ(status_of(std::bad_alloc()).message(), "memory could not be allocated");
  EXPECT_EQ(status_of(std::bad_alloc()).code(), Code::out_of_memory);
}

}  // namespace
}  // namespace anydim
