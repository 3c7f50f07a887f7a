// SPDX-License-Identifier: Apache-2.0
// Primitives on the OpenCL devices of this machine against the CPU engine, bit for bit. Without a device the tests are skipped and say so.
// With ANYDIM_OPENCL_KERNELS=all each operator is drawn more often.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "core/dispatch/testing/drawn.h"
#include "core/engines/opencl/engine.h"
#include "core/engines/opencl/testing/driver.h"

namespace anydim {
namespace {

using testing::draw;
using testing::Drawn;
using testing::Random;
using testing::run_on;

std::shared_ptr<const opencl::OpenclEngine> device() {
  static const auto* const engine = [] {
    auto* made = new std::shared_ptr<const opencl::OpenclEngine>();
    if (!opencl::driver_that_aborts().empty()) return made;
    const Status s = opencl::OpenclEngine::create({}, made);
    if (!s.ok()) std::printf("skipped: no OpenCL platform (%s)\n", s.message().c_str());
    return made;
  }();
  return *engine;
}

TEST(Opencl, GivesTheBitsOfTheCpuForEveryOperatorThatItHas) {
  const auto engine = device();
  if (engine == nullptr) GTEST_SKIP() << opencl::why_no_device();
  const char* const text = std::getenv("ANYDIM_OPENCL_KERNELS");
  const int draws = text != nullptr && std::string_view(text) == "all" ? 8 : 2;
  Random r(11);
  for (int k = 1; k < static_cast<int>(OpKind::count_); ++k) {
    const auto kind = static_cast<OpKind>(k);
    if (engine->kernels().of(kind).empty()) continue;
    int compared = 0;
    // Each draw may need a program, which takes the compiler a while.
    for (int i = 0; compared == 0 ? i < 8 : i < draws; ++i) {
      Drawn p;
      if (!draw(kind, r, &p)) continue;
      std::vector<std::string> theirs, ours;
      const Status there = run_on(engine, p, &theirs);
      if (there.code() == Code::unimplemented) continue;
      ASSERT_TRUE(there.ok()) << p.text << ": " << there.message();
      ASSERT_TRUE(run_on(cpu_engine(), p, &ours).ok()) << p.text;
      ASSERT_EQ(theirs, ours) << p.text << ", " << p.constant.count() << " constant";
      ++compared;
    }
    EXPECT_GT(compared, 0) << op_name(kind);
  }
}

}  // namespace
}  // namespace anydim
