// SPDX-License-Identifier: Apache-2.0
// Variables of the environment: what is taken, and the one line about what is not.
#include "core/base/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace anydim {
namespace {

constexpr const char* kName = "ANYDIM_OF_A_TEST";

class Environment : public ::testing::Test {
 protected:
  void TearDown() override { unsetenv(kName); }
  static int64_t number(const char* text, int64_t least = 0, int64_t most = INT64_MAX) {
    setenv(kName, text, 1);
    return environment_number(kName, 7, least, most);
  }
  static int word(const char* text, int otherwise) {
    static constexpr const char* kWords[] = {"on", "off", "later"};
    setenv(kName, text, 1);
    return environment_word(kName, kWords, otherwise);
  }
  template <class F> static std::string said(F&& f) {
    ::testing::internal::CaptureStderr();
    f();
    return ::testing::internal::GetCapturedStderr();
  }
};

TEST_F(Environment, IsNothingWhereAVariableIsNotSetOrEmpty) {
  EXPECT_EQ(said([] {
              EXPECT_EQ(environment(kName), nullptr);
              EXPECT_EQ(environment_number(kName, 7), 7);
              EXPECT_EQ(number(""), 7);
              EXPECT_EQ(word("", -1), -1);
              EXPECT_EQ(environment(kName), nullptr);
            }),
            "");
}

TEST_F(Environment, TakesNumbersOfItsRangeAndWordsOfItsList) {
  EXPECT_EQ(said([] {
              EXPECT_EQ(number("0"), 0);
              EXPECT_EQ(number("4194304"), 4194304);
              EXPECT_EQ(number("3", 3, 3), 3);
              EXPECT_EQ(word("on", -1), 0);
              EXPECT_EQ(word("later", -1), 2);
              EXPECT_STREQ(environment(kName), "later");
            }),
            "");
}

TEST_F(Environment, ReportsWhatIsMalformedInOneLineAndUsesTheDefault) {
  for (const char* text : {"4MB", "-1", " 5", "5 ", "+5", "0x10", "1e3", "99999999999999999999", "none"}) {
    const std::string line = said([&] { EXPECT_EQ(number(text), 7) << text; });
    EXPECT_EQ(line, "anydim: warning: ANYDIM_OF_A_TEST is '" + std::string(text) + "'; expected a number from 0; 7 is used\n");
  }
  EXPECT_EQ(said([] { EXPECT_EQ(number("11", 1, 10), 7); }),
            "anydim: warning: ANYDIM_OF_A_TEST is '11'; expected a number from 1 to 10; 7 is used\n");
  EXPECT_EQ(said([] { EXPECT_EQ(word("OFF", 0), 0); }),
            "anydim: warning: ANYDIM_OF_A_TEST is 'OFF'; expected on, off or later; on is used\n");
  EXPECT_EQ(said([] { EXPECT_EQ(word("maybe", -1), -1); }),
            "anydim: warning: ANYDIM_OF_A_TEST is 'maybe'; expected on, off or later; it is ignored\n");
}

}  // namespace
}  // namespace anydim
