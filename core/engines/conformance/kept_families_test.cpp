// SPDX-License-Identifier: Apache-2.0
// The table by which a subset build leaves out whole families agrees with the families.
#include "core/engines/cpu/kept_families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>

namespace anydim {
namespace {

TEST(KeptFamilies, EveryKernelOfARowHasOneOfItsWords) {
  for (const FamilyParts& row : kFamilyParts) {
    const std::string words(row.parts);
    for (const HostKernel* kernel : row.family()) {
      std::istringstream all(words);
      bool found = false;
      for (std::string word; all >> word;) found = found || std::string(kernel->name()).find(word) != std::string::npos;
      EXPECT_TRUE(found) << kernel->name() << " has none of '" << words << "': a subset build for it would leave it out";
    }
  }
}

TEST(KeptFamilies, TheWholeLibraryHasAllOfThem) {
  static constexpr auto kAll = kept_families(kKernelFamilies);
  EXPECT_TRUE(std::equal(kAll.begin(), kAll.end(), std::begin(kKernelFamilies), std::end(kKernelFamilies)));
}

}  // namespace
}  // namespace anydim
