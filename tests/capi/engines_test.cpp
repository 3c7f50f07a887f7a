// SPDX-License-Identifier: Apache-2.0
// Engines that this build has and the machine may have. Behind the cache's tests by its name: an OpenCL engine leaves programs there.
#include "tests/capi/support.h"

TEST(EnginesApi, OpenclIsMadeWhereThereIsADevice) {
  anydim_build_info_t build = ANYDIM_BUILD_INFO_INIT;
  ASSERT_OK(anydim_build_query(&build));
  EXPECT_EQ(build.opencl, 1);
  SKIP_WITHOUT_A_SOUND_OPENCL_DRIVER();
  anydim_engine_t e = nullptr;
  const anydim_status_t made = anydim_engine_create(ANYDIM_ENGINE_OPENCL, 0, nullptr, &e);
  EXPECT_TRUE(made == ANYDIM_STATUS_OK || made == ANYDIM_STATUS_NOT_FOUND) << anydim_last_error();
  EXPECT_EQ(e != nullptr, made == ANYDIM_STATUS_OK);
  anydim_engine_destroy(e);
}
