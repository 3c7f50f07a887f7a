// SPDX-License-Identifier: Apache-2.0
// Statuses of files that cannot be opened or mapped. (External data is in tensor_data_test.cpp.)
#include "onnx/format/source.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "core/base/testing/emulated.h"

namespace anydim::onnx {
namespace {

// Address space for `more` bytes beyond what the process has, until the end of the scope.
class LittleAddressSpace {
 public:
  explicit LittleAddressSpace(rlim_t more) {
    ::getrlimit(RLIMIT_AS, &before_);
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit little = before_;
    little.rlim_cur = pages * 4096 + more;
    ::setrlimit(RLIMIT_AS, &little);
  }
  LittleAddressSpace(const LittleAddressSpace&) = delete;
  LittleAddressSpace& operator=(const LittleAddressSpace&) = delete;
  ~LittleAddressSpace() { ::setrlimit(RLIMIT_AS, &before_); }

 private:
  rlimit before_{};
};

TEST(MapFile, NoRoomForTheMappingIsOutOfMemory) {
  if (anydim::testing::emulated()) GTEST_SKIP() << "the emulator keeps no limit of address space";
  char folder[] = "/tmp/anydim_source_XXXXXX";
  ASSERT_NE(::mkdtemp(folder), nullptr);
  const std::string path = std::string(folder) + "/large.onnx";
  std::ofstream(path).close();
  std::filesystem::resize_file(path, uintmax_t{1} << 32);  // holds nothing
  {
    const LittleAddressSpace little(rlim_t{1} << 28);
    Result<Bytes> r = map_file(path);
    ASSERT_FALSE(r.ok());
    EXPECT_EQ(r.status().code(), Code::out_of_memory) << r.status().message();
  }
  EXPECT_TRUE(map_file(path).ok());
  EXPECT_EQ(map_file(path + "x").status().code(), Code::file_not_found);
  EXPECT_EQ(map_file(folder).status().code(), Code::io_error);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace anydim::onnx
