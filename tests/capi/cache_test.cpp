// SPDX-License-Identifier: Apache-2.0
// The persistent cache through the C API: what it reports, exports, imports and clears, and that outputs stay on failure.
#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "support.h"

namespace {

namespace fs = std::filesystem;

// Before the first engine of this program, so that no test of it reads or writes the user's own file.
class CacheFolder : public testing::Environment {
 public:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "anydim-capi-XXXXXX").string();
    if (mkdtemp(name.data()) != nullptr) folder = name;
    setenv("ANYDIM_CACHE_DIR", (folder / "cache").c_str(), 1);
    setenv("ANYDIM_CACHE_SYSTEM_DIR", "", 1);
  }
  void TearDown() override { fs::remove_all(folder); }
  fs::path folder;
};
CacheFolder* const cache_folder = static_cast<CacheFolder*>(testing::AddGlobalTestEnvironment(new CacheFolder));

std::string take(anydim_text_t text) {
  anydim_string_t bytes{};
  EXPECT_OK(anydim_text_get_data(text, &bytes));
  std::string copy(bytes.data, static_cast<size_t>(bytes.length));
  anydim_text_destroy(text);
  return copy;
}

class CacheApi : public Api {
 protected:
  void SetUp() override {
    Api::SetUp();
    anydim_persistent_cache_info_t info = ANYDIM_PERSISTENT_CACHE_INFO_INIT;
    ASSERT_OK(anydim_persistent_cache_query(&info));
    if (info.enabled == 0) GTEST_SKIP() << "this build has no persistent cache";
  }
};

TEST_F(CacheApi, AnEngineCreatesNoFileAndAnEmptyCacheSaysSo) {
  anydim_text_t text = nullptr;
  ASSERT_OK(anydim_persistent_cache_get_path(&text));
  EXPECT_EQ(take(text), (cache_folder->folder / "cache" / "cache-1.sqlite").string());
  EXPECT_FALSE(fs::exists(cache_folder->folder / "cache"));
  ASSERT_OK(anydim_persistent_cache_describe(&text));
  const std::string described = take(text);
  EXPECT_NE(described.find("\"records\": []"), std::string::npos) << described;
  ASSERT_OK(anydim_persistent_cache_verify(&text));
  EXPECT_NE(take(text).find("\"ok\": true"), std::string::npos);
  int64_t removed = -1;
  ASSERT_OK(anydim_persistent_cache_clear(ANYDIM_RECORD_ALL, &removed));
  EXPECT_EQ(removed, 0);
  int64_t records = -7;
  EXPECT_STATUS(anydim_persistent_cache_export((cache_folder->folder / "out").c_str(), &records), ANYDIM_STATUS_NOT_FOUND,
                "cache-1.sqlite");
  EXPECT_EQ(records, -7) << "outputs stay as they are on failure";
}

TEST_F(CacheApi, WrongArgumentsAreNamed) {
  int64_t a = -7, b = -7;
  EXPECT_STATUS(anydim_persistent_cache_clear(3, &a), ANYDIM_STATUS_INVALID_ARGUMENT, "kind is 3");
  EXPECT_STATUS(anydim_persistent_cache_import("/there/is/none", &a, &b), ANYDIM_STATUS_FILE_NOT_FOUND, "/there/is/none");
  EXPECT_STATUS(anydim_persistent_cache_import(nullptr, &a, &b), ANYDIM_STATUS_INVALID_ARGUMENT, "path");
  EXPECT_STATUS(anydim_persistent_cache_query(nullptr), ANYDIM_STATUS_INVALID_ARGUMENT, "info");
  const fs::path text = cache_folder->folder / "text";
  std::ofstream(text) << std::string(4096, 'x');
  EXPECT_STATUS(anydim_persistent_cache_import(text.c_str(), &a, &b), ANYDIM_STATUS_INVALID_DATA, "text");
  EXPECT_EQ(a, -7);
  EXPECT_EQ(b, -7);
}

}  // namespace
