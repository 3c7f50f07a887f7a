// SPDX-License-Identifier: Apache-2.0
// Files with a head and a digest: what was written is read, whatever changes is noticed, and what is no such file is said to be none.
#include "core/base/files/checked_file.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace anydim {
namespace {

constexpr CheckedFileKind kTest{{'A', 'N', 'Y', 'D', 'I', 'M', '-', 'T'}, 5, "file of this test", "write it again", Code::invalid_model};

class CheckedFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "anydim-checked-XXXXXX").string();
    ASSERT_NE(::mkdtemp(name.data()), nullptr);
    folder_ = name;
    path_ = folder_ + "/file";
    const auto rest = [](const TakeBytes& take) {
      take("abc", 3);
      take(nullptr, 0);
      take("defg", 4);
    };
    const Status s = write_checked_file(kTest, "words", rest, path_, false);
    ASSERT_TRUE(s.ok()) << s.message();
    std::ifstream file(path_, std::ios::binary);
    bytes_ = {std::istreambuf_iterator<char>(file), {}};
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_, path_, bytes_;
};

TEST_F(CheckedFiles, AreReadAsTheyWereWrittenMappedAndCopied) {
  std::shared_ptr<const CheckedFile> mapped, copied;
  ASSERT_TRUE(CheckedFile::open(kTest, path_, &mapped).ok());
  ASSERT_TRUE(CheckedFile::copy(kTest, bytes_, "bytes", &copied).ok());
  EXPECT_TRUE(mapped->is_mapped());
  EXPECT_FALSE(copied->is_mapped());
  for (const auto& file : {mapped, copied}) {
    EXPECT_EQ(file->description(), "words");
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(file->data()) + CheckedFile::kHead + 5, 7), "abcdefg");
    EXPECT_EQ(file->bytes() % 4096, 0u);
  }
  EXPECT_TRUE(CheckedFile::is(kTest, bytes_));
  EXPECT_FALSE(CheckedFile::is(kTest, bytes_.substr(0, 7)));
}

TEST_F(CheckedFiles, NoticeEveryByteThatChangesAndEveryEnd) {
  std::shared_ptr<const CheckedFile> file;
  for (size_t i = 0; i < bytes_.size(); i += i < 100 ? 1 : 97) {
    std::string other = bytes_;
    other[i] = static_cast<char>(other[i] ^ 8);
    const Status s = CheckedFile::copy(kTest, other, "bytes", &file);
    EXPECT_EQ(s.code(), i >= 8 && i < 16 ? Code::unimplemented : Code::invalid_model) << "byte " << i << ": " << s.message();
    EXPECT_EQ(CheckedFile::copy(kTest, std::string_view(bytes_).substr(0, i), "bytes", &file).code(), Code::invalid_model)
        << "cut at " << i;
  }
  EXPECT_EQ(file, nullptr);
  EXPECT_EQ(CheckedFile::open(kTest, folder_, &file).code(), Code::io_error);
  EXPECT_EQ(CheckedFile::open(kTest, path_ + "x", &file).code(), Code::file_not_found);
}

}  // namespace
}  // namespace anydim
