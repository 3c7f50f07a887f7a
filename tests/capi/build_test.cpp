// SPDX-License-Identifier: Apache-2.0
// What a build reports of itself agrees with what it is: its version, the kernels that it has, its engines, the persistent cache.
#include <set>
#include <sstream>

#include "tests/capi/support.h"

namespace {

class Build : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    ASSERT_OK(anydim_build_query(&build));
  }
  anydim_build_info_t build = ANYDIM_BUILD_INFO_INIT;
};

TEST_F(Build, HasTheVersionThatItSays) {
  std::ostringstream text;
  text << build.major << '.' << build.minor << '.' << build.patch;
  EXPECT_EQ(text.str(), anydim_version());
  EXPECT_EQ(build.major, ANYDIM_VERSION_MAJOR);
}

TEST_F(Build, ListsTheInstructionSetsOfItsKernels) {
  anydim_engine_info_t info = ANYDIM_ENGINE_INFO_INIT;
  ASSERT_OK(anydim_engine_query(engine, &info));
  std::set<std::string> of_kernels, told;
  for (int32_t i = 0; i < info.kernels; ++i) {
    anydim_kernel_info_t kernel = ANYDIM_KERNEL_INFO_INIT;
    ASSERT_OK(anydim_engine_get_kernel(engine, i, &kernel));
    of_kernels.insert(kernel.isa.data);
  }
  std::istringstream words(build.kernel_isas.data);
  for (std::string word; words >> word;) told.insert(word);
  EXPECT_EQ(told, of_kernels);
}

TEST_F(Build, HasAPersistentCacheIfItSaysSo) {
  anydim_persistent_cache_info_t cache = ANYDIM_PERSISTENT_CACHE_INFO_INIT;
  ASSERT_OK(anydim_persistent_cache_query(&cache));
  if (cache.enabled != 0) {
    EXPECT_EQ(build.persistent_cache, 1);
  }
  anydim_text_t text = nullptr;
  if (build.persistent_cache == 0) {
    EXPECT_STATUS(anydim_persistent_cache_get_path(&text), ANYDIM_STATUS_UNIMPLEMENTED, "ANYDIM_PERSISTENT_CACHE=OFF");
  }
}

TEST_F(Build, AnswersAnOlderProgramWithWhatItHasRoomFor) {
  anydim_build_info_t old = ANYDIM_BUILD_INFO_INIT;
  old.size = 16;
  old.persistent_cache = 77;
  ASSERT_OK(anydim_build_query(&old));
  EXPECT_EQ(old.major, ANYDIM_VERSION_MAJOR);
  EXPECT_EQ(old.persistent_cache, 77) << "beyond its size";
}

}  // namespace
